// SPDX-License-Identifier: MIT
// mesh_bvh_walk.h - the way down a tree, nearest children first. Only for *_kernel.c files.

#ifndef SD_GEOMETRY_MESH_BVH_WALK_H
#define SD_GEOMETRY_MESH_BVH_WALK_H

#include "geometry/mesh_bvh.h"

/// Children still to be visited, the nearest on top. A key is the squared distance to the child's
/// box with its lane in the last three bits, which rounds the distance down: as a float, so that
/// keys are sorted by the instructions for floats.
typedef struct Stack {
    int count;
    float keys[SD_BVH_STACK_SIZE + SD_LANES]; ///< pushed eight at a time, so with room for a row
    int32_t nodes[SD_BVH_STACK_SIZE + SD_LANES];
} Stack;

/// One layer of a sorting network: compare each lane with its partner in `b`; the larger goes to
/// the lanes of the mask.
SD_INLINE sdF8 compareExchange(sdF8 a, sdF8 b, sdI8 takesLarger) {
    return sdF8_Select(takesLarger, sdF8_Max(a, b), sdF8_Min(a, b));
}

/// Largest first (Batcher's bitonic network).
SD_INLINE sdF8 sortDescending(sdF8 a) {
    a = compareExchange(a, __builtin_shufflevector(a, a, 1, 0, 3, 2, 5, 4, 7, 6),
                        (sdI8){-1, 0, 0, -1, -1, 0, 0, -1});
    a = compareExchange(a, __builtin_shufflevector(a, a, 2, 3, 0, 1, 6, 7, 4, 5),
                        (sdI8){-1, -1, 0, 0, 0, 0, -1, -1});
    a = compareExchange(a, __builtin_shufflevector(a, a, 1, 0, 3, 2, 5, 4, 7, 6),
                        (sdI8){-1, 0, -1, 0, 0, -1, 0, -1});
    a = compareExchange(a, __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3),
                        (sdI8){-1, -1, -1, -1, 0, 0, 0, 0});
    a = compareExchange(a, __builtin_shufflevector(a, a, 2, 3, 0, 1, 6, 7, 4, 5),
                        (sdI8){-1, -1, 0, 0, -1, -1, 0, 0});
    return compareExchange(a, __builtin_shufflevector(a, a, 1, 0, 3, 2, 5, 4, 7, 6),
                           (sdI8){-1, 0, -1, 0, -1, 0, -1, 0});
}

/// Push the children of the mask, the nearest on top. The others sort behind them and land above
/// the top.
SD_INLINE void pushChildren(Stack* stack, int node, sdF8 distance, sdI8 isWanted) {
    const sdI8 lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    sdF8 keys = (sdF8)(((sdI8)distance & sdI8_Splat(~7)) | lanes);
    keys = sortDescending(sdF8_Select(isWanted, keys, sdF8_Splat(-1.0f)));
    sdF8_Store(stack->keys + stack->count, keys);
    sdI8_Store(stack->nodes + stack->count, sdI8_Splat(node));
    stack->count += __builtin_popcount((unsigned)sdI8_MaskBits(isWanted));
}

/// A child taken from the stack.
typedef struct StackEntry {
    float distance; ///< that it was pushed with, rounded down
    int32_t node;   ///< whose child it is
    int lane;
    int32_t child;
} StackEntry;

SD_INLINE StackEntry popChild(Stack* stack, const sdMeshBvh* bvh) {
    stack->count -= 1;
    StackEntry entry = {.node = stack->nodes[stack->count]};
    uint32_t bits;
    memcpy(&bits, stack->keys + stack->count, sizeof bits);
    entry.lane = (int)(bits & 7u);
    bits &= ~7u;
    memcpy(&entry.distance, &bits, sizeof bits);
    entry.child = bvh->nodes[entry.node].child[entry.lane];
    return entry;
}

#endif
