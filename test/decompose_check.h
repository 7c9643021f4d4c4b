// SPDX-License-Identifier: MIT
// decompose_check.h - judges convex decompositions by sampling, with other means than the
// library's.

#ifndef SD_TEST_DECOMPOSE_CHECK_H
#define SD_TEST_DECOMPOSE_CHECK_H

#include "support.h"

/// What is found out about a decomposition by sampling.
typedef struct TestVerdict {
    int partCount;
    int vertexCount;
    float diagonal;
    float cell;
    float deepest;      ///< of samples of the parts outside of the solid, m
    int insideCount;    ///< samples inside of the solid
    int missedCount;    ///< of these, in no part
    double volumeRatio; ///< of the parts' union to the solid
} TestVerdict;

TestVerdict TestVerdict_Make(const sdMesh* mesh, const sdCompound* compound, int resolution,
                             int sampleCount);
/// The parts cover the solid, and the concavity reported is neither too small nor made up.
void TestVerdict_Check(const TestVerdict* v, float concavity);

bool TestCompound_Contains(const sdCompound* compound, sdVec3 p, float margin);
/// How far outside of the solid a point is, 0 inside.
float TestMesh_DepthOutside(const sdMesh* mesh, sdVec3 p);
/// A point on a random face of a hull; every second time drawn towards another one.
sdVec3 TestHull_Sample(const sdHull* hull, TestRandom* random);

#endif
