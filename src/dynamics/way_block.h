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

/// The next ways that may come as near to a line as the balls about the bodies are wide.
/// @param tops boxes about the blocks, eight in each
/// @param begin, end of the blocks that count
/// @param mask receives which of the 64 ways from the result on they are; 0 when there is none any
///             more
/// @return the index of a way, a multiple of 64
SD_DECLARE_KERNEL(int, sdWayBlock_FindNext,
                  (const sdWayBlock* tops, const sdWayBlock* blocks, int begin, int end,
                   const sdWayLine* line, uint64_t* mask));

#endif
