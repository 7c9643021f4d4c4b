// SPDX-License-Identifier: MIT
// pair.h - pairs of shapes that are near each other.

#ifndef SD_DYNAMICS_PAIR_H
#define SD_DYNAMICS_PAIR_H

#include "dynamics/world.h"

/// Most pairs at a time: an edge is a pair's slot and a side.
#define SD_MAX_PAIRS (1 << 24)

/// Take new pairs from the broad phase and give up lost ones.
sdResult sdWorld_UpdatePairs(sdWorld* world);

/// Whether two shapes collide, whether they are a pair yet or not.
bool sdWorld_MayMeet(const sdWorld* world, int fixtureA, int fixtureB);

/// Whether two shapes can be a pair at all, whatever their filters say.
bool sdShapePair_IsPossible(const sdWorld* world, const sdFixture* a, const sdFixture* b);
/// Those of sdShapePairFlag that go by the shapes.
uint32_t sdShapePair_FindFlags(const sdFixture* a, const sdFixture* b);

/// How far apart the pairs of a body are is not known any more.
void sdWorld_ForgetDistances(sdWorld* world, int body);
/// The same, for a body that does not move from now on.
void sdWorld_StopReach(sdWorld* world, int body);

/// Give up the pairs of a shape, with their contacts. What touched it wakes.
void sdWorld_DestroyPairsOf(sdWorld* world, int fixture);

/// The same for the pairs of two bodies that do not collide any more.
void sdWorld_DestroyPairsBetween(sdWorld* world, int bodyA, int bodyB);

/// Make the pairs of two bodies that may collide again; with room for them, this cannot fail.
/// @return false when memory is short
bool sdWorld_ReservePairsBetween(sdWorld* world, int bodyA, int bodyB);
void sdWorld_CreatePairsBetween(sdWorld* world, int bodyA, int bodyB);

#endif
