// SPDX-License-Identifier: MIT
// hull_check.h - everything that must hold for every hull, and point sets that hulls are tested on.

#ifndef SD_TEST_HULL_CHECK_H
#define SD_TEST_HULL_CHECK_H

#include "support.h"

/// A hull, or NULL.
sdHull* TestHull_Make(TestContext* test, const sdVec3* points, int count, sdHullMethod method);
/// Of points on the unit sphere, at most 64, by the usual method.
sdHull* TestHull_OnSphere(int pointCount);

/// Looks at every vertex, edge, face and input point.
/// @return NULL when all is well, else what is wrong
const char* TestHull_FindFault(const sdHull* hull, const sdVec3* points, int count);

/// Volume in double.
double TestHull_Volume(const sdHull* hull);

/// Largest distance of the points from the planes, in double; negative when all are inside.
double TestHull_Outside(const sdHull* hull, const sdVec3* points, int count);

typedef enum TestPoints {
    TEST_POINTS_SPHERE,
    TEST_POINTS_BALL,
    TEST_POINTS_GRID,
    TEST_POINTS_TURNED_GRID, ///< coplanar only within rounding
    TEST_POINTS_PLANE_NOISE,
    TEST_POINTS_DUPLICATES,
    TEST_POINTS_BOX_SURFACE,
    TEST_POINTS_CYLINDER,
    TEST_POINTS_CONE,
    TEST_POINTS_NEAR_LINE,
    TEST_POINTS_FLAT_NOISE, ///< a plate as thick as rounding allows
    TEST_POINTS_ELLIPSOID,  ///< half axes from 1 down to 1e-5
    TEST_POINTS_CLUSTERS,   ///< few places, many points near each
    TEST_POINTS_LENS,       ///< two shallow caps with a sharp rim
    TEST_POINTS_BLADE,      ///< a wedge that thins out to nothing
    TEST_POINTS_COUNT
} TestPoints;

const char* TestPoints_Name(TestPoints kind);
void TestPoints_Fill(TestPoints kind, TestRandom* random, sdVec3* points, int count);

#endif
