// SPDX-License-Identifier: MIT
// way_block_kernel.c - which ways of fast bodies come near another one, eight at a time.

#include "dynamics/way_block.h"

/// Rounding of floats, relative to coordinates, and of the discriminant, relative to its parts.
#define ROUNDING 2e-6f
#define ROOT_ROUNDING 4e-6f

/// Lanes whose boxes overlap a box.
SD_INLINE uint32_t overlap(const sdWayBlock* block, const sdVec3x8* lower, const sdVec3x8* upper) {
    sdI8 x = sdF8_LessEqual(block->lower.x, upper->x) & sdF8_LessEqual(lower->x, block->upper.x);
    sdI8 y = sdF8_LessEqual(block->lower.y, upper->y) & sdF8_LessEqual(lower->y, block->upper.y);
    sdI8 z = sdF8_LessEqual(block->lower.z, upper->z) & sdF8_LessEqual(lower->z, block->upper.z);
    return (uint32_t)sdI8_MaskBits(x & y & z);
}

SD_INLINE sdF8 sumOf(sdVec3x8 v) {
    return sdF8_Abs(v.x) + sdF8_Abs(v.y) + sdF8_Abs(v.z);
}

/// Lanes that may come near a line.
SD_INLINE uint32_t match(const sdWayBlock* block, const sdWayLine* line) {
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
    return (uint32_t)sdI8_MaskBits(isLater | sdF8_LessEqual(c, zero));
}

int SD_KERNEL(sdWayBlock_FindNext)(const sdWayBlock* tops, const sdWayBlock* blocks, int begin,
                                   int end, const sdWayLine* line, uint64_t* mask) {
    sdVec3x8 lower = sdVec3x8_Splat(line->box.lower), upper = sdVec3x8_Splat(line->box.upper);
    uint32_t counted = 0xFFu << (begin % SD_LANES);
    for (int top = begin / SD_LANES; top * SD_LANES < end; ++top) {
        uint64_t found = 0;
        uint32_t near = overlap(&tops[top], &lower, &upper) & counted;
        for (; near != 0; near &= near - 1) {
            int lane = __builtin_ctz(near);
            const sdWayBlock* block = &blocks[top * SD_LANES + lane];
            uint32_t ways = overlap(block, &lower, &upper);
            ways = ways != 0 ? ways & match(block, line) : 0;
            found |= (uint64_t)ways << (SD_LANES * lane);
        }
        if (found != 0) {
            *mask = found;
            return top * SD_LANES * SD_LANES;
        }
        counted = 0xFFu;
    }
    *mask = 0;
    return end * SD_LANES;
}
