// SPDX-License-Identifier: MIT
// way_block.h - boxes of the ways of fast bodies, eight at a time.

#ifndef SD_DYNAMICS_WAY_BLOCK_H
#define SD_DYNAMICS_WAY_BLOCK_H

#include "dynamics/body_lanes.h"

typedef struct sdWayBlock {
    sdVec3x8 lower, upper;
} sdWayBlock;

/// The next block, from one on, with boxes that overlap a box.
/// @param mask receives which of them do; 0 when there is no such block any more
/// @return its index, or the count
SD_DECLARE_KERNEL(int, sdWayBlock_FindNext,
                  (const sdWayBlock* blocks, int first, int count, sdAABB box, uint32_t* mask));

#endif
