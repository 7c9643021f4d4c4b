// SPDX-License-Identifier: MIT
// collide_mesh_walk_kernel.c - trees of boxes against a moving box and against each other.
//
// In:   one or two trees, a bound, a visitor.
// Out:  calls of the visitor. Never allocates; the stacks hold what the deepest trees can push.
// Note: compiled twice, see simd.h. Boxes are only ever rounded outwards, so that nothing that is
//       within the bound is left out.

#include "geometry/mesh_bvh_walk.h"
#include "narrow/collide_mesh_walk.h"

/// A few units in the last place: what differences, squares and quotients of boxes round by.
#define ROUNDING 1e-6f

/// Stands for the inverse of a component along which nothing moves.
#define LARGEST_INVERSE 1e30f

/// The other body's box, in every lane, with its movement.
typedef struct Box8 {
    sdVec3x8 lower, upper;
    sdVec3x8 inverse; ///< of the translation
    bool isMoving;
} Box8;

SD_INLINE sdVec3x8 loadVec3x8(const float v[3][SD_LANES]) {
    return (sdVec3x8){sdF8_Load(v[0]), sdF8_Load(v[1]), sdF8_Load(v[2])};
}

SD_INLINE float inverseOf(float a) {
    float inverse = 1.0f / a;
    return sdAbsF(inverse) <= LARGEST_INVERSE ? inverse : LARGEST_INVERSE;
}

SD_INLINE sdVec3x8 inverses(sdVec3 t) {
    return sdVec3x8_Splat(sdV3(inverseOf(t.x), inverseOf(t.y), inverseOf(t.z)));
}

// ---- measures ------------------------------------------------------------------------------

/// A bound in the unit of the keys: squared for distances.
SD_INLINE float keyBound(float bound, bool isMoving) {
    float key = isMoving ? bound : bound * bound;
    return bound < 0.0f ? -1.0f : sdMinF(key + ROUNDING * key, FLT_MAX);
}

SD_INLINE void clipSlab(sdF8 lower, sdF8 upper, sdF8 inverse, sdF8* first, sdF8* last) {
    sdF8 a = lower * inverse;
    sdF8 b = upper * inverse;
    *first = sdF8_Max(*first, sdF8_Min(a, b));
    *last = sdF8_Min(*last, sdF8_Max(a, b));
}

/// Keys of eight boxes: squared distance or fraction of the way. The mask holds those within the
/// bound; children that are not there, whose boxes are the wrong way round, are not among them.
SD_INLINE sdI8 measure(sdVec3x8 lower, sdVec3x8 upper, const Box8* box, float bound, sdF8* key) {
    sdVec3x8 from = sdVec3x8_Sub(lower, box->upper);
    sdVec3x8 to = sdVec3x8_Sub(upper, box->lower);
    sdF8 zero = sdF8_Zero();
    sdI8 isThere = sdF8_LessEqual(lower.x, upper.x);
    if (!box->isMoving) {
        sdF8 x = sdF8_Max(sdF8_Max(from.x, -to.x), zero);
        sdF8 y = sdF8_Max(sdF8_Max(from.y, -to.y), zero);
        sdF8 z = sdF8_Max(sdF8_Max(from.z, -to.z), zero);
        *key = x * x + y * y + z * z;
        return isThere & sdF8_LessEqual(*key, sdF8_Splat(bound));
    }
    sdF8 first = zero, last = sdF8_Splat(bound);
    clipSlab(from.x, to.x, box->inverse.x, &first, &last);
    clipSlab(from.y, to.y, box->inverse.y, &first, &last);
    clipSlab(from.z, to.z, box->inverse.z, &first, &last);
    *key = first * sdF8_Splat(1.0f - ROUNDING);
    return isThere & sdF8_LessEqual(*key, last + last * sdF8_Splat(ROUNDING));
}

SD_INLINE sdI8 measureTriangles(const sdMeshBvhLeaf* leaf, const Box8* box, float bound,
                                sdF8* key) {
    sdVec3x8 a = loadVec3x8(leaf->corner[0]);
    sdVec3x8 b = loadVec3x8(leaf->corner[1]);
    sdVec3x8 c = loadVec3x8(leaf->corner[2]);
    sdVec3x8 lower = sdVec3x8_Min(sdVec3x8_Min(a, b), c);
    sdVec3x8 upper = sdVec3x8_Max(sdVec3x8_Max(a, b), c);
    return measure(lower, upper, box, bound, key);
}

/// Lanes left over repeat the last triangle.
SD_INLINE bool isRepeated(const sdMeshBvhLeaf* leaf, int lane) {
    return lane > 0 && leaf->triangle[lane] == leaf->triangle[lane - 1];
}

// ---- a tree and a box ----------------------------------------------------------------------

/// @return the new bound
SD_INLINE float visitTriangles(const sdMeshBoxWalk* walk, int leafIndex, const Box8* box,
                               float bound) {
    const sdMeshBvhLeaf* leaf = walk->bvh->leaves + leafIndex;
    sdF8 key;
    float limit = keyBound(bound, box->isMoving);
    unsigned lanes = (unsigned)sdI8_MaskBits(measureTriangles(leaf, box, limit, &key));
    float keys[SD_LANES];
    sdF8_Store(keys, key);
    for (; lanes != 0; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        if (keys[lane] <= limit && !isRepeated(leaf, lane)) {
            bound = walk->visit(walk->arg, leaf, lane);
            limit = keyBound(bound, box->isMoving);
        }
    }
    return bound;
}

SD_INLINE void pushNode(const sdMeshBvh* bvh, int index, const Box8* box, float limit,
                        Stack* stack) {
    const sdMeshBvhNode* node = bvh->nodes + index;
    sdF8 key;
    sdI8 isNear = measure(loadVec3x8(node->lower), loadVec3x8(node->upper), box, limit, &key);
    pushChildren(stack, index, key, isNear);
}

void SD_KERNEL(sdMeshBoxWalk_Run)(const sdMeshBoxWalk* walk) {
    Box8 box = {sdVec3x8_Splat(walk->box.lower), sdVec3x8_Splat(walk->box.upper),
                inverses(walk->translation), walk->isMoving};
    float bound = walk->bound;
    float limit = keyBound(bound, walk->isMoving);
    Stack stack;
    stack.count = 0;
    pushNode(walk->bvh, 0, &box, limit, &stack);
    while (stack.count > 0) {
        StackEntry entry = popChild(&stack, walk->bvh);
        if (entry.distance > limit) {
            continue;
        }
        if (entry.child < 0) {
            bound = visitTriangles(walk, ~entry.child, &box, bound);
            limit = keyBound(bound, walk->isMoving);
        } else {
            pushNode(walk->bvh, entry.child, &box, limit, &stack);
        }
    }
}

// ---- two trees -----------------------------------------------------------------------------

/// Both trees may be walked to their ends along one path.
#define PAIR_STACK_SIZE (2 * SD_BVH_STACK_SIZE)

/// The whole of a mesh, which is no node's child.
#define ROOT (-1)

/// Children of `nodes`, by the lanes in the keys as in Stack, each with a place in the other tree.
typedef struct PairStack {
    int count;
    float keys[PAIR_STACK_SIZE + SD_LANES];
    int32_t nodes[PAIR_STACK_SIZE + SD_LANES];
    int32_t others[PAIR_STACK_SIZE + SD_LANES]; ///< 8 node + lane, or ROOT
    int32_t isNodeOfB[PAIR_STACK_SIZE + SD_LANES];
} PairStack;

/// One tree as seen from the other.
typedef struct Side {
    const sdMeshBvh* bvh;
    sdAABB bounds;
    sdMat33 rotation; ///< to the other's frame
    sdMat33 absolute; ///< the same without signs
    sdVec3 offset;    ///< this frame's origin in the other's
    sdVec3x8 inverse; ///< of the translation of the other, in this frame
    float drift;      ///< by how much that translation may be rounded
} Side;

/// A part of a tree: a node, a leaf or all of it.
typedef struct Place {
    sdAABB box;
    int32_t child; ///< node, or ~leaf
} Place;

SD_INLINE Side makeSide(const sdMeshBvh* bvh, sdAABB bounds, sdTransform xf, sdVec3 translation) {
    sdMat33 m = sdQuat_ToMatrix(xf.q);
    return (Side){.bvh = bvh,
                  .bounds = bounds,
                  .rotation = m,
                  .absolute = {sdAbs(m.cx), sdAbs(m.cy), sdAbs(m.cz)},
                  .offset = xf.p,
                  .inverse = inverses(translation),
                  .drift = ROUNDING * sdLength(translation)};
}

SD_INLINE Place placeOf(const Side* side, int32_t slot) {
    if (slot == ROOT) {
        return (Place){side->bounds, 0};
    }
    const sdMeshBvhNode* node = side->bvh->nodes + slot / SD_LANES;
    int lane = slot % SD_LANES;
    return (Place){{{node->lower[0][lane], node->lower[1][lane], node->lower[2][lane]},
                    {node->upper[0][lane], node->upper[1][lane], node->upper[2][lane]}},
                   node->child[lane]};
}

/// A box of one side, in the other's frame, in every lane.
SD_INLINE Box8 turnBox(const Side* side, const Side* other, sdAABB box, bool isMoving) {
    sdVec3 middle = sdAABB_Center(box);
    sdVec3 half = sdAABB_HalfExtents(box);
    sdVec3 center = sdAdd(sdMulMV(side->rotation, middle), side->offset);
    sdVec3 reach = sdAdd(sdAbs(box.lower), sdAbs(box.upper));
    sdVec3 far = sdAdd(sdMulMV(side->absolute, reach), sdAbs(side->offset));
    sdVec3 turned = sdMulAdd(sdMulMV(side->absolute, half), ROUNDING, far);
    turned = sdAdd(turned, sdV3(side->drift, side->drift, side->drift));
    return (Box8){sdVec3x8_Splat(sdSub(center, turned)), sdVec3x8_Splat(sdAdd(center, turned)),
                  other->inverse, isMoving};
}

/// Children of one place's node against all of the other place.
SD_INLINE void pushPairs(const Side* side, int node, const Box8* other, int32_t otherSlot,
                         bool isNodeOfB, float limit, PairStack* stack) {
    const sdMeshBvhNode* n = side->bvh->nodes + node;
    const sdI8 lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    sdF8 key;
    sdI8 isNear = measure(loadVec3x8(n->lower), loadVec3x8(n->upper), other, limit, &key);
    sdF8 keys = (sdF8)(((sdI8)key & sdI8_Splat(~7)) | lanes);
    keys = sortDescending(sdF8_Select(isNear, keys, sdF8_Splat(-1.0f)));
    sdF8_Store(stack->keys + stack->count, keys);
    sdI8_Store(stack->nodes + stack->count, sdI8_Splat(node));
    sdI8_Store(stack->others + stack->count, sdI8_Splat(otherSlot));
    sdI8_Store(stack->isNodeOfB + stack->count, sdI8_Splat(isNodeOfB ? 1 : 0));
    stack->count += __builtin_popcount((unsigned)sdI8_MaskBits(isNear));
}

/// All triangles of a leaf of A against all of a leaf of B.
SD_INLINE float visitLeaves(const sdMeshPairWalk* walk, const Side* a, const Side* b,
                            const sdMeshBvhLeaf* leafA, const sdMeshBvhLeaf* leafB, float bound) {
    for (int laneB = 0; laneB < SD_LANES && bound >= 0.0f; ++laneB) {
        if (isRepeated(leafB, laneB)) {
            continue;
        }
        sdAABB corners = sdAABB_Empty();
        for (int i = 0; i < 3; ++i) {
            corners = sdAABB_AddPoint(corners, sdMeshBvhLeaf_GetCorner(leafB, laneB, i));
        }
        Box8 box = turnBox(b, a, corners, walk->isMoving);
        sdF8 key;
        float limit = keyBound(bound, walk->isMoving);
        unsigned lanes = (unsigned)sdI8_MaskBits(measureTriangles(leafA, &box, limit, &key));
        float keys[SD_LANES];
        sdF8_Store(keys, key);
        for (; lanes != 0; lanes &= lanes - 1) {
            int laneA = __builtin_ctz(lanes);
            if (keys[laneA] <= limit && !isRepeated(leafA, laneA)) {
                bound = walk->visit(walk->arg, leafA, laneA, leafB, laneB);
                limit = keyBound(bound, walk->isMoving);
            }
        }
    }
    return bound;
}

SD_INLINE float sizeOf(sdAABB box) {
    sdVec3 d = sdSub(box.upper, box.lower);
    return sdMaxF(d.x, sdMaxF(d.y, d.z));
}

/// Go down in the larger of two places, or in the one that is not a leaf.
SD_INLINE void splitPlaces(const Side* a, const Side* b, int32_t slotA, int32_t slotB,
                           const Place* placeA, const Place* placeB, float limit, bool isMoving,
                           PairStack* stack) {
    bool splitsB =
        placeA->child < 0 || (placeB->child >= 0 && sizeOf(placeB->box) > sizeOf(placeA->box));
    if (splitsB) {
        Box8 box = turnBox(a, b, placeA->box, isMoving);
        pushPairs(b, placeB->child, &box, slotA, true, limit, stack);
    } else {
        Box8 box = turnBox(b, a, placeB->box, isMoving);
        pushPairs(a, placeA->child, &box, slotB, false, limit, stack);
    }
}

void SD_KERNEL(sdMeshPairWalk_Run)(const sdMeshPairWalk* walk) {
    // seen from B, it is A that moves, the other way
    sdVec3 back = sdNeg(sdInvRotate(walk->xfAB.q, walk->translation));
    Side a = makeSide(walk->a, walk->boundsA, sdInvertXf(walk->xfAB), walk->translation);
    Side b = makeSide(walk->b, walk->boundsB, walk->xfAB, back);
    float bound = walk->bound;
    float limit = keyBound(bound, walk->isMoving);
    PairStack stack;
    stack.count = 0;
    Place wholeA = placeOf(&a, ROOT), wholeB = placeOf(&b, ROOT);
    splitPlaces(&a, &b, ROOT, ROOT, &wholeA, &wholeB, limit, walk->isMoving, &stack);
    while (stack.count > 0) {
        int top = --stack.count;
        uint32_t bits;
        memcpy(&bits, stack.keys + top, sizeof bits);
        int32_t slot = stack.nodes[top] * SD_LANES + (int32_t)(bits & 7u);
        bits &= ~7u;
        float key;
        memcpy(&key, &bits, sizeof bits);
        if (key > limit) {
            continue;
        }
        int32_t other = stack.others[top];
        int32_t slotA = stack.isNodeOfB[top] != 0 ? other : slot;
        int32_t slotB = stack.isNodeOfB[top] != 0 ? slot : other;
        Place placeA = placeOf(&a, slotA), placeB = placeOf(&b, slotB);
        if (placeA.child < 0 && placeB.child < 0) {
            bound = visitLeaves(walk, &a, &b, walk->a->leaves + ~placeA.child,
                                walk->b->leaves + ~placeB.child, bound);
            limit = keyBound(bound, walk->isMoving);
        } else {
            splitPlaces(&a, &b, slotA, slotB, &placeA, &placeB, limit, walk->isMoving, &stack);
        }
    }
}
