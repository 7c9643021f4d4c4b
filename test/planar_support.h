// SPDX-License-Identifier: MIT
// planar_support.h - shapes and poses in the plane for random pairs, and their distance and depth
// by brute force over vertices and edges, in double.

#ifndef SD_TEST_PLANAR_SUPPORT_H
#define SD_TEST_PLANAR_SUPPORT_H

#include "support.h"

sdVec2 TestRandom_InBox2(TestRandom* random, float halfSize);

/// The hull of 3 .. 12 points.
sdPolygon2 Planar_Polygon(TestRandom* random, float size);
/// Any kind of about 1 m, degenerate ones among them.
sdPolygon2 Planar_Shape(TestRandom* random);
/// Often turned by a right angle, so that edges are parallel.
sdTransform2 Planar_Pose(TestRandom* random, float reach);

/// Distance of the cores over all vertices and edges; 0 when they overlap.
double Planar_CoreDistance(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xf);
/// How far a point is outside of a shape placed by xf; not less than minus its radius.
double Planar_GapOf(const sdPolygon2* shape, sdTransform2 xf, sdVec2 p);
/// The gap along a direction of any length but zero; negative: how much they overlap on it.
double Planar_GapAlong(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xf, sdVec2 n);
/// The greatest gap, which is the distance, or minus the least depth over the normals of all edges.
double Planar_Separation(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xf);

#endif
