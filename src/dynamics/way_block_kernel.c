// SPDX-License-Identifier: MIT
// way_block_kernel.c - which boxes of the ways of fast bodies overlap a box.

#include "dynamics/way_block.h"

int SD_KERNEL(sdWayBlock_FindNext)(const sdWayBlock* blocks, int first, int count, sdAABB box,
                                   uint32_t* mask) {
    sdVec3x8 lower = sdVec3x8_Splat(box.lower), upper = sdVec3x8_Splat(box.upper);
    for (int i = first; i < count; ++i) {
        const sdWayBlock* block = &blocks[i];
        sdI8 x = sdF8_LessEqual(block->lower.x, upper.x) & sdF8_LessEqual(lower.x, block->upper.x);
        sdI8 y = sdF8_LessEqual(block->lower.y, upper.y) & sdF8_LessEqual(lower.y, block->upper.y);
        sdI8 z = sdF8_LessEqual(block->lower.z, upper.z) & sdF8_LessEqual(lower.z, block->upper.z);
        *mask = (uint32_t)sdI8_MaskBits(x & y & z);
        if (*mask != 0) {
            return i;
        }
    }
    *mask = 0;
    return count;
}
