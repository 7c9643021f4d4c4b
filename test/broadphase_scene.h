// SPDX-License-Identifier: MIT
// broadphase_scene.h - boxes that live, move and go, told to several broad phases at once.

#ifndef SD_TEST_BROADPHASE_SCENE_H
#define SD_TEST_BROADPHASE_SCENE_H

#include "support.h"

/// Kinds that report pairs of boxes: all but SD_BROADPHASE_ALL_PAIRS.
int TestKinds_List(sdBroadphaseKind kinds[SD_BROADPHASE_KIND_COUNT]);

typedef struct TestBody {
    sdPos position;
    sdVec3 velocity; ///< m a step
    sdVec3 halfExtents;
    sdProxyId id; ///< SD_NULL_PROXY: not there
    uint32_t category, mask;
    bool isStatic;
} TestBody;

typedef struct TestScene {
    TestRandom random;
    TestBody* bodies;
    int bodyCount;
    float halfSize; ///< of the cube that they are in, m
    sdPos center;
} TestScene;

/// `bodyCount` bodies in a cube, nine tenths of them there.
void TestScene_Init(TestScene* scene, int bodyCount, float halfSize, uint64_t seed);
void TestScene_Free(TestScene* scene);

sdWorldBox TestBody_GetBox(const TestBody* body);

/// Add the bodies that are there to broad phases, which all must give the same ids.
void TestScene_AddAll(TestScene* scene, sdBroadphase* const* broadphases, int count);

/// One step of random life: slow motion, some teleports, adds, removals, filters.
void TestScene_Step(TestScene* scene, sdBroadphase* const* broadphases, int count);

/// Pairs as the changes tell them, kept beside a broad phase.
typedef struct TestPairs {
    sdProxyPair* pairs;
    int count, capacity;
} TestPairs;

void TestPairs_Free(TestPairs* pairs);

/// Check that changes are sorted and consistent with what was there, and apply them.
void TestPairs_Apply(TestPairs* pairs, const sdPairChanges* changes);

/// Check that a broad phase's pairs are these.
void TestPairs_Compare(const TestPairs* pairs, const sdBroadphase* broadphase);

/// All pairs of fat boxes, by two loops over ids, filters of the scene's bodies included.
void TestScene_FindPairs(const TestScene* scene, const sdBroadphase* broadphase, TestPairs* out);

#endif
