// SPDX-License-Identifier: MIT
// polyhedra.h - boxes, hulls and triangles of all kinds, and poses that are hard for pair queries.

#ifndef SD_TEST_POLYHEDRA_H
#define SD_TEST_POLYHEDRA_H

#include "math/vec3d.h"
#include "support.h"

#define POLYHEDRA_HULL_COUNT 5

/// Hulls that a test uses; a lens and a thin one among them.
typedef struct Polyhedra {
    TestContext test;
    sdHull* hulls[POLYHEDRA_HULL_COUNT];
} Polyhedra;

void Polyhedra_Init(Polyhedra* polyhedra);
void Polyhedra_Free(Polyhedra* polyhedra);

/// Sizes up to about 1 m, sometimes without extent: plates, needles, points.
sdShape Polyhedra_Box(TestRandom* random);
sdShape Polyhedra_Triangle(TestRandom* random);
sdShape Polyhedra_Any(const Polyhedra* polyhedra, TestRandom* random);

typedef enum PoseClass {
    POSE_FAR,
    POSE_MIXED,
    POSE_DEEP,
    POSE_TOUCHING, ///< gaps of 0, 1e-6, 1e-3 of either sign
    POSE_ALIGNED,  ///< the same with quarter turns, with or without a little tilt
    POSE_CLASS_COUNT
} PoseClass;

sdTransform Polyhedra_Pose(TestRandom* random, PoseClass poseClass, const sdShape* a,
                           const sdShape* b);

/// No point is further from the shape's origin.
double ReachOf(const sdShape* shape);

/// max over A of x·n - min over B of x·n: how far B must move along n to leave A.
double ExitDepth(const sdShape* a, const sdShape* b, sdTransform xf, sdVec3 n);

#endif
