// SPDX-License-Identifier: MIT
// pair.h - pairs of shapes that are near each other.

#ifndef SD_DYNAMICS_PAIR_H
#define SD_DYNAMICS_PAIR_H

#include "dynamics/world.h"

/// Most pairs at a time: an edge is a pair's slot and a side.
#define SD_MAX_PAIRS (1 << 24)

/// Take new pairs from the broad phase and give up lost ones.
sdResult sdWorld_UpdatePairs(sdWorld* world);

/// Give up the pairs of a shape, with their contacts. What touched it wakes.
void sdWorld_DestroyPairsOf(sdWorld* world, int fixture);

#endif
