// SPDX-License-Identifier: MIT
// way_block_kernel.c - which boxes of the ways of fast bodies overlap a box.

#include "dynamics/way_block.h"

/// Rounding of floats, relative to coordinates, and of the discriminant, relative to its parts.
#define ROUNDING 2e-6f
#define ROOT_ROUNDING 4e-6f

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

static sdF8 sumOf(sdVec3x8 v) {
    return sdF8_Abs(v.x) + sdF8_Abs(v.y) + sdF8_Abs(v.z);
}

uint32_t SD_KERNEL(sdWayBlock_Match)(const sdWayBlock* block, const sdWayLine* line) {
    uint32_t mask;
    SD_KERNEL(sdWayBlock_FindNext)(block, 0, 1, line->box, &mask);
    if (mask == 0) {
        return 0;
    }
    sdVec3x8 start = sdVec3x8_Splat(line->start), motion = sdVec3x8_Splat(line->motion);
    sdVec3x8 rel = sdVec3x8_Sub(block->motion, motion);
    sdVec3x8 from = sdVec3x8_Sub(block->start, start);
    sdVec3x8 between = sdVec3x8_MulAdd(from, sdF8_Splat(line->now), rel);
    rel = sdVec3x8_Scale(sdF8_Splat(1.0f - line->now), rel);
    sdF8 size = sumOf(block->start) + sumOf(start) + sumOf(block->motion) + sumOf(motion);
    sdF8 reach = block->radius + sdF8_Splat(line->radius) + sdF8_Splat(ROUNDING) * size;
    // |between + t rel| = reach at t = (-b - sqrt(b b - a c)) / a
    sdF8 a = sdVec3x8_Dot(rel, rel), b = sdVec3x8_Dot(between, rel);
    sdF8 c = sdVec3x8_Dot(between, between) - reach * reach, zero = sdF8_Splat(0.0f);
    sdF8 root = b * b - a * c + sdF8_Splat(ROOT_ROUNDING) * (b * b + a * sdF8_Abs(c));
    sdF8 until = sdF8_Splat(line->part) * (sdF8_Sqrt(sdF8_Max(root, zero)) - b);
    sdI8 isLater = sdF8_Less(b, zero) & sdF8_LessEqual(zero, root) & sdF8_LessEqual(c, until);
    return mask & (uint32_t)sdI8_MaskBits(isLater | sdF8_LessEqual(c, zero));
}
