// SPDX-License-Identifier: MIT
// shape_zoo.h - shapes of every convex kind for random pairs, and what makes a pair's answer right.

#ifndef SD_TEST_SHAPE_ZOO_H
#define SD_TEST_SHAPE_ZOO_H

#include "support.h"

#define ZOO_HULL_COUNT 6

typedef struct ShapeZoo {
    TestContext test;
    sdHull* hulls[ZOO_HULL_COUNT]; ///< of 4 .. 256 points on the unit sphere
} ShapeZoo;

void ShapeZoo_Init(ShapeZoo* zoo);
void ShapeZoo_Free(ShapeZoo* zoo);

/// A shape of this convex type with sizes between 0.1 and 1.
sdShape ShapeZoo_Make(const ShapeZoo* zoo, TestRandom* random, sdShapeType type);
/// A shape of any convex type.
sdShape ShapeZoo_Pick(const ShapeZoo* zoo, TestRandom* random);

#define ZOO_NO_SIZE_COUNT 14
/// Points, segments, plates, needles.
/// @return ZOO_NO_SIZE_COUNT
int ShapeZoo_NoSize(sdShape out[ZOO_NO_SIZE_COUNT]);

/// Anywhere in a box, turned at random.
sdTransform TestRandom_Pose(TestRandom* random, float reach);

/// How far B must move along n to leave A: for any unit n an upper bound of the depth, and minus
/// the gap when they are apart on this axis. In double, by the support points.
double TestExitDepth(const sdShape* a, const sdShape* b, sdTransform xf, sdVec3 n);

/// How far p is from the plane that touches the shape from outside across n.
double TestSupportError(const sdShape* shape, sdVec3 p, sdVec3 n);

/// Distance of a point from a shape's surface.
double TestOffSurface(const sdShape* shape, sdVec3 p);

#endif
