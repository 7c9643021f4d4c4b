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
    bool hasAxis;
    sdVec3 axis; ///< unit, towards this box
    float reach; ///< no point of the other body is nearer along the axis
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

/// Keys raised to the squared gaps along the axis.
SD_INLINE sdF8 raiseByAxis(sdF8 key, sdF8 furthest, const Box8* box) {
    sdF8 gap = sdF8_Max(sdF8_Splat(box->reach) - furthest, sdF8_Zero());
    return sdF8_Max(gap * gap, key);
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
        if (box->hasAxis) {
            sdVec3x8 n = sdVec3x8_Splat(box->axis);
            sdF8 furthest = sdF8_Max(lower.x * n.x, upper.x * n.x) +
                            sdF8_Max(lower.y * n.y, upper.y * n.y) +
                            sdF8_Max(lower.z * n.z, upper.z * n.z);
            *key = raiseByAxis(*key, furthest, box);
        }
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
    sdI8 isNear = measure(lower, upper, box, bound, key);
    if (box->hasAxis) {
        // the corners themselves are tighter than the box
        sdVec3x8 n = sdVec3x8_Splat(box->axis);
        sdF8 furthest =
            sdF8_Max(sdF8_Max(sdVec3x8_Dot(a, n), sdVec3x8_Dot(b, n)), sdVec3x8_Dot(c, n));
        *key = raiseByAxis(*key, furthest, box);
        isNear = isNear & sdF8_LessEqual(*key, sdF8_Splat(bound));
    }
    return isNear;
}

/// Lanes left over repeat the last triangle.
SD_INLINE bool isRepeated(const sdMeshBvhLeaf* leaf, int lane) {
    return lane > 0 && leaf->triangle[lane] == leaf->triangle[lane - 1];
}

// ---- a tree and a box ----------------------------------------------------------------------

SD_INLINE void takeAxis(Box8* box, const sdWalkAxis* axis) {
    // fractions of a way are not distances
    box->hasAxis = axis->isSet && !box->isMoving;
    box->axis = axis->normal;
    box->reach = axis->reach;
}

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
    Box8 box = {.lower = sdVec3x8_Splat(walk->box.lower),
                .upper = sdVec3x8_Splat(walk->box.upper),
                .inverse = inverses(walk->translation),
                .isMoving = walk->isMoving};
    takeAxis(&box, walk->axis);
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
            takeAxis(&box, walk->axis);
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
    sdVec3 axis;      ///< towards the other body, in this frame
} Side;

/// Two trees on their way.
typedef struct Trees {
    Side a, b;
    bool isMoving;
    bool hasAxis;
    float start; ///< distance of the origins along the axis, less what is lost in rounding
    float pad;   ///< m, by which turned boxes and the translation may be rounded
} Trees;

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
                  .inverse = inverses(translation)};
}

SD_INLINE float coordinateSum(sdVec3 a) {
    return sdAbsF(a.x) + sdAbsF(a.y) + sdAbsF(a.z);
}

SD_INLINE void setAxis(Trees* trees, const sdMeshPairWalk* walk) {
    sdVec3 normal = walk->axis->normal;
    trees->hasAxis = walk->axis->isSet && !walk->isMoving;
    trees->a.axis = normal;
    trees->b.axis = sdNeg(sdInvRotate(walk->xfAB.q, normal));
    trees->start = sdDot(normal, walk->xfAB.p) - trees->pad;
}

SD_INLINE void makeTrees(Trees* trees, const sdMeshPairWalk* walk) {
    sdAABB boxA = walk->boundsA, boxB = walk->boundsB;
    float size = coordinateSum(sdMax(sdAbs(boxA.lower), sdAbs(boxA.upper))) +
                 coordinateSum(sdMax(sdAbs(boxB.lower), sdAbs(boxB.upper))) +
                 coordinateSum(walk->xfAB.p) + coordinateSum(walk->translation);
    // seen from B, it is A that moves, the other way
    sdVec3 back = sdNeg(sdInvRotate(walk->xfAB.q, walk->translation));
    trees->a = makeSide(walk->a, boxA, sdInvertXf(walk->xfAB), walk->translation);
    trees->b = makeSide(walk->b, boxB, walk->xfAB, back);
    trees->isMoving = walk->isMoving;
    trees->pad = ROUNDING * size;
    setAxis(trees, walk);
}

SD_INLINE float furthestAlong(sdAABB box, sdVec3 n) {
    return sdMaxF(box.lower.x * n.x, box.upper.x * n.x) +
           sdMaxF(box.lower.y * n.y, box.upper.y * n.y) +
           sdMaxF(box.lower.z * n.z, box.upper.z * n.z);
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
SD_INLINE Box8 turnBox(const Trees* trees, const Side* side, const Side* other, sdAABB box) {
    sdVec3 middle = sdAABB_Center(box);
    sdVec3 pad = sdV3(trees->pad, trees->pad, trees->pad);
    sdVec3 half = sdAdd(sdMulMV(side->absolute, sdAABB_HalfExtents(box)), pad);
    sdVec3 center = sdAdd(sdMulMV(side->rotation, middle), side->offset);
    return (Box8){.lower = sdVec3x8_Splat(sdSub(center, half)),
                  .upper = sdVec3x8_Splat(sdAdd(center, half)),
                  .inverse = other->inverse,
                  .isMoving = trees->isMoving,
                  .hasAxis = trees->hasAxis,
                  .axis = other->axis,
                  .reach = trees->start - furthestAlong(box, side->axis)};
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

/// The triangles of a leaf of B in A's frame.
typedef struct Turned8 {
    float lower[3][SD_LANES];
    float upper[3][SD_LANES];
    float reach[SD_LANES]; ///< along the axis
} Turned8;

SD_INLINE sdVec3x8 turnCorners(const Side* side, const float corner[3][SD_LANES]) {
    const sdMat33* m = &side->rotation;
    sdVec3x8 c = loadVec3x8(corner);
    sdVec3x8 r = sdVec3x8_Splat(side->offset);
    r = sdVec3x8_MulAdd(r, c.x, sdVec3x8_Splat(m->cx));
    r = sdVec3x8_MulAdd(r, c.y, sdVec3x8_Splat(m->cy));
    return sdVec3x8_MulAdd(r, c.z, sdVec3x8_Splat(m->cz));
}

SD_INLINE void storeVec3x8(float out[3][SD_LANES], sdVec3x8 a) {
    sdF8_Store(out[0], a.x);
    sdF8_Store(out[1], a.y);
    sdF8_Store(out[2], a.z);
}

/// @return those of them that are near enough to a box of A
SD_INLINE unsigned turnTriangles(const Trees* trees, const sdMeshBvhLeaf* leafB, sdAABB boxA,
                                 float limit, Turned8* out) {
    sdVec3x8 a = turnCorners(&trees->b, leafB->corner[0]);
    sdVec3x8 b = turnCorners(&trees->b, leafB->corner[1]);
    sdVec3x8 c = turnCorners(&trees->b, leafB->corner[2]);
    sdF8 pad = sdF8_Splat(trees->pad);
    sdVec3x8 pads = {pad, pad, pad};
    sdVec3x8 lower = sdVec3x8_Sub(sdVec3x8_Min(sdVec3x8_Min(a, b), c), pads);
    sdVec3x8 upper = sdVec3x8_Add(sdVec3x8_Max(sdVec3x8_Max(a, b), c), pads);
    storeVec3x8(out->lower, lower);
    storeVec3x8(out->upper, upper);
    sdVec3x8 n = sdVec3x8_Splat(trees->a.axis);
    sdF8 reach = sdF8_Min(sdF8_Min(sdVec3x8_Dot(a, n), sdVec3x8_Dot(b, n)), sdVec3x8_Dot(c, n));
    sdF8_Store(out->reach, reach - pad);
    // the other way round the box of A is the one that moves
    sdVec3 back = sdV3(-trees->a.inverse.x[0], -trees->a.inverse.y[0], -trees->a.inverse.z[0]);
    Box8 whole = {.lower = sdVec3x8_Splat(boxA.lower),
                  .upper = sdVec3x8_Splat(boxA.upper),
                  .inverse = sdVec3x8_Splat(back),
                  .isMoving = trees->isMoving};
    sdF8 key;
    return (unsigned)sdI8_MaskBits(measure(lower, upper, &whole, limit, &key));
}

SD_INLINE sdVec3x8 splatFrom(const float v[3][SD_LANES], int lane) {
    return (sdVec3x8){sdF8_Splat(v[0][lane]), sdF8_Splat(v[1][lane]), sdF8_Splat(v[2][lane])};
}

/// All triangles of a leaf of A against all of a leaf of B.
SD_INLINE float visitLeaves(const sdMeshPairWalk* walk, const Trees* trees, const Place* placeA,
                            const Place* placeB, float bound) {
    const sdMeshBvhLeaf* leafA = walk->a->leaves + ~placeA->child;
    const sdMeshBvhLeaf* leafB = walk->b->leaves + ~placeB->child;
    float limit = keyBound(bound, walk->isMoving);
    Turned8 turned;
    unsigned lanesB = turnTriangles(trees, leafB, placeA->box, limit, &turned);
    for (; lanesB != 0 && bound >= 0.0f; lanesB &= lanesB - 1) {
        int laneB = __builtin_ctz(lanesB);
        if (isRepeated(leafB, laneB)) {
            continue;
        }
        Box8 box = {.lower = splatFrom((const float(*)[SD_LANES])turned.lower, laneB),
                    .upper = splatFrom((const float(*)[SD_LANES])turned.upper, laneB),
                    .inverse = trees->a.inverse,
                    .isMoving = trees->isMoving,
                    .hasAxis = trees->hasAxis,
                    .axis = trees->a.axis,
                    .reach = turned.reach[laneB]};
        sdF8 key;
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
SD_INLINE void splitPlaces(const Trees* trees, int32_t slotA, int32_t slotB, const Place* placeA,
                           const Place* placeB, float limit, PairStack* stack) {
    const Side *a = &trees->a, *b = &trees->b;
    bool splitsB =
        placeA->child < 0 || (placeB->child >= 0 && sizeOf(placeB->box) > sizeOf(placeA->box));
    if (splitsB) {
        Box8 box = turnBox(trees, a, b, placeA->box);
        pushPairs(b, placeB->child, &box, slotA, true, limit, stack);
    } else {
        Box8 box = turnBox(trees, b, a, placeB->box);
        pushPairs(a, placeA->child, &box, slotB, false, limit, stack);
    }
}

void SD_KERNEL(sdMeshPairWalk_Run)(const sdMeshPairWalk* walk) {
    Trees trees;
    makeTrees(&trees, walk);
    float bound = walk->bound;
    float limit = keyBound(bound, walk->isMoving);
    PairStack stack;
    stack.count = 0;
    Place wholeA = placeOf(&trees.a, ROOT), wholeB = placeOf(&trees.b, ROOT);
    splitPlaces(&trees, ROOT, ROOT, &wholeA, &wholeB, limit, &stack);
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
        Place placeA = placeOf(&trees.a, slotA), placeB = placeOf(&trees.b, slotB);
        if (placeA.child < 0 && placeB.child < 0) {
            bound = visitLeaves(walk, &trees, &placeA, &placeB, bound);
            limit = keyBound(bound, walk->isMoving);
            setAxis(&trees, walk);
        } else {
            splitPlaces(&trees, slotA, slotB, &placeA, &placeB, limit, &stack);
        }
    }
}
