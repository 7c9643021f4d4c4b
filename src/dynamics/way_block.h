// SPDX-License-Identifier: MIT
// way_block.h - boxes of the ways of fast bodies, eight at a time.

#ifndef SD_DYNAMICS_WAY_BLOCK_H
#define SD_DYNAMICS_WAY_BLOCK_H

#include "dynamics/body_lanes.h"

typedef struct sdWayBlock {
    sdVec3x8 lower, upper;
    // of the ball about each body, as if it had come straight all the step
    sdVec3x8 start, motion;
    sdF8 radius;
} sdWayBlock;

/// The way of one body, for blocks to be compared with.
typedef struct sdWayLine {
    sdAABB box;
    sdVec3 start, motion;
    float radius;
    float now;  ///< from this time of the step on
    float part; ///< until this part of the rest of it is over
} sdWayLine;

/// The next block, from one on, with boxes that overlap a box.
/// @param mask receives which of them do; 0 when there is no such block any more
/// @return its index, or the count
SD_DECLARE_KERNEL(int, sdWayBlock_FindNext,
                  (const sdWayBlock* blocks, int first, int count, sdAABB box, uint32_t* mask));

/// Which ways of a block may come as near to a line as the balls about the bodies are wide, as
/// bits.
SD_DECLARE_KERNEL(uint32_t, sdWayBlock_Match, (const sdWayBlock* block, const sdWayLine* line));

#endif
