// SPDX-License-Identifier: MIT
// convex.h - two convex shapes as GJK and EPA see them: one support function of A - B.
//
// A shape is a core (point, segment, polytope, smooth solid) with a rounding radius around it, so
// that spheres and capsules are exact. B is carried into A's frame by a rotation matrix in double.
// Hull vertices are scanned in single precision, which at worst picks a vertex that is not quite
// the furthest: sdConvexPair.supportError bounds what that costs. Everything after the choice of a
// vertex is done in double.

#ifndef SD_NARROW_CONVEX_H
#define SD_NARROW_CONVEX_H

#include "base/simd.h"
#include "geometry/hull.h"
#include "narrow/pair.h"

/// Rounding of one dot product of floats, relative to the product of the lengths.
#define SD_SUPPORT_ROUNDING 4e-7
/// What is added when the direction was turned into B's frame in single precision, too.
#define SD_TURN_ROUNDING 8e-7

typedef struct sdConvex {
    sdShapeType type;
    float radius;  ///< of the rounding around the core
    sdVec3 half;   ///< half extents of the core's box, in its frame
    float reach;   ///< no point of the core is further from the frame's origin
    sdVec3 inside; ///< some point of the core, where searches start
    float inner;   ///< the core contains a ball of this radius about it; 0 when not known
    float outer;   ///< a ball of this radius about it contains the core
    int count;     ///< vertices of hull and triangle, padded to a multiple of SD_LANES
    const float* x;
    const float* y;
    const float* z;
    const sdHull* hull;         ///< that this is; NULL for other shapes
    float corners[3][SD_LANES]; ///< where x, y, z of a triangle point to
} sdConvex;

/// @return false when the shape is not valid or not convex
bool sdConvex_Init(sdConvex* convex, const sdShape* shape);

/// Its furthest vertex is found by looking at all of them.
static inline bool sdConvex_IsScanned(const sdConvex* convex) {
    return convex->type == SD_SHAPE_HULL || convex->type == SD_SHAPE_TRIANGLE;
}

typedef struct sdConvexPair {
    sdConvex a, b;
    sdVec3d columns[3];  ///< B's axes in A's frame
    sdVec3d halfAxes[3]; ///< the same, times B's half extents; not when B is scanned
    sdVec3d offset;      ///< B's origin in A's frame
    double scale;        ///< size of A - B around its middle, for tolerances
    double supportError; ///< how far a support value may fall short
} sdConvexPair;

/// The part of sdConvexPair_Set that needs no rotation.
/// @return false for shapes that are not convex or numbers that are not finite
bool sdConvexPair_SetShapes(sdConvexPair* pair, const sdShape* a, const sdShape* b,
                            const sdTransform* xfAB);
/// The other part.
void sdConvexPair_SetPose(sdConvexPair* pair, const sdTransform* xfAB);

/// @return false for shapes that are not convex or numbers that are not finite
bool sdConvexPair_Set(sdConvexPair* pair, const sdShape* a, const sdShape* b,
                      const sdTransform* xfAB);

/// The same. Inline, as a transform that is copied from frame to frame stalls the processor: its
/// parts are stored and loaded again in pieces that do not match.
static inline bool sdConvexPair_Init(sdConvexPair* pair, const sdShape* a, const sdShape* b,
                                     sdTransform xfAB) {
    return sdConvexPair_Set(pair, a, b, &xfAB);
}

/// Vertices that are about the furthest can be looked up.
static inline bool sdConvexPair_HasCells(const sdConvexPair* pair) {
    const sdHull *a = pair->a.hull, *b = pair->b.hull;
    return a != NULL && b != NULL && a->cells != NULL && b->cells != NULL;
}

static inline void sdConvexPair_GetPose(const sdConvexPair* pair, sdPose* pose) {
    memcpy(pose->columns, pair->columns, sizeof pose->columns);
    pose->offset = pair->offset;
}

/// A vertex of A - B, with what it came from.
typedef struct sdMinkowskiPoint {
    sdVec3d w; ///< a - b
    sdVec3d a; ///< point of A's core
    int indexA, indexB;
} sdMinkowskiPoint;

/// Number by number: what was just stored in parts and is then copied whole stalls the processor.
SD_INLINE void sdMinkowskiPoint_Copy(sdMinkowskiPoint* to, const sdMinkowskiPoint* from) {
    double x = from->w.x, y = from->w.y, z = from->w.z;
    double ax = from->a.x, ay = from->a.y, az = from->a.z;
    int indexA = from->indexA, indexB = from->indexB;
    to->w.x = x;
    to->w.y = y;
    to->w.z = z;
    to->a.x = ax;
    to->a.y = ay;
    to->a.z = az;
    to->indexA = indexA;
    to->indexB = indexB;
}

typedef struct sdSimplex {
    sdMinkowskiPoint points[4];
    double weights[4];
    int count;
} sdSimplex;

// ---- support -------------------------------------------------------------------------------

/// Vertices that are looked at without a loop.
#define SD_SCAN_AT_ONCE 32

/// How far up to SD_SCAN_AT_ONCE vertices reach. Fewer are looked at again in place of those that
/// are missing, which costs less than a branch gone wrong.
typedef struct sdReaches {
    sdF8 all[SD_SCAN_AT_ONCE / SD_LANES];
    sdF8 most; ///< in all lanes
} sdReaches;

/// @param x, y, z of the vertices
/// @param count a multiple of SD_LANES
/// @param x8, y8, z8 the direction, in all lanes
SD_INLINE void sdReaches_Set(sdReaches* reaches, const float* x, const float* y, const float* z,
                             int count, sdF8 x8, sdF8 y8, sdF8 z8) {
    int last = count - SD_LANES;
    int i1 = last < SD_LANES ? last : SD_LANES;
    int i2 = last < 2 * SD_LANES ? last : 2 * SD_LANES;
    sdF8 d0 = sdF8_Load(x) * x8 + sdF8_Load(y) * y8 + sdF8_Load(z) * z8;
    sdF8 d1 = sdF8_Load(x + i1) * x8 + sdF8_Load(y + i1) * y8 + sdF8_Load(z + i1) * z8;
    sdF8 d2 = sdF8_Load(x + i2) * x8 + sdF8_Load(y + i2) * y8 + sdF8_Load(z + i2) * z8;
    sdF8 d3 = sdF8_Load(x + last) * x8 + sdF8_Load(y + last) * y8 + sdF8_Load(z + last) * z8;
    reaches->all[0] = d0;
    reaches->all[1] = d1;
    reaches->all[2] = d2;
    reaches->all[3] = d3;
    reaches->most = sdF8_SplatMax(sdF8_Max(sdF8_Max(d0, d1), sdF8_Max(d2, d3)));
}

/// Index of the furthest vertex; the lowest of equal ones.
SD_INLINE int sdReaches_Furthest(const sdReaches* reaches) {
    const sdF8 *all = reaches->all, most = reaches->most;
    uint64_t at = (uint64_t)sdI8_MaskBits(sdF8_Equal(all[0], most)) |
                  (uint64_t)sdI8_MaskBits(sdF8_Equal(all[1], most)) << 8 |
                  (uint64_t)sdI8_MaskBits(sdF8_Equal(all[2], most)) << 16 |
                  (uint64_t)sdI8_MaskBits(sdF8_Equal(all[3], most)) << 24;
    // NaN equals nothing: then the first
    return __builtin_ctzll(at | (uint64_t)1 << SD_SCAN_AT_ONCE) % SD_SCAN_AT_ONCE;
}

/// How far eight vertices reach.
SD_INLINE sdF8 sdConvex_Reach(const sdConvex* convex, int at, sdF8 x8, sdF8 y8, sdF8 z8) {
    return sdF8_Load(convex->x + at) * x8 + sdF8_Load(convex->y + at) * y8 +
           sdF8_Load(convex->z + at) * z8;
}

/// How far the furthest of SD_SCAN_AT_ONCE vertices reach, by lanes.
SD_INLINE sdF8 sdConvex_ReachOfBlock(const sdConvex* convex, int at, sdF8 x8, sdF8 y8, sdF8 z8) {
    sdF8 d0 = sdConvex_Reach(convex, at, x8, y8, z8);
    sdF8 d1 = sdConvex_Reach(convex, at + SD_LANES, x8, y8, z8);
    sdF8 d2 = sdConvex_Reach(convex, at + 2 * SD_LANES, x8, y8, z8);
    sdF8 d3 = sdConvex_Reach(convex, at + 3 * SD_LANES, x8, y8, z8);
    return sdF8_Max(sdF8_Max(d0, d1), sdF8_Max(d2, d3));
}

/// Whether a vertex reaches as far as the furthest; rounded as in the lanes.
SD_INLINE unsigned sdConvex_IsAsFar(const sdConvex* convex, int at, sdVec3 d, float most) {
    return convex->x[at] * d.x + convex->y[at] * d.y + convex->z[at] * d.z == most ? 1 : 0;
}

/// Index of the furthest vertex of more than SD_SCAN_AT_ONCE; of equal ones the lowest of the first
/// lane that has one. The block is found first, and then the vertex: to keep the number of each
/// vertex beside its reach takes as long as the reach itself.
SD_INLINE int sdConvex_ScanMany(const sdConvex* convex, sdF8 x8, sdF8 y8, sdF8 z8) {
    // the last block may have vertices of the one before, which are then no better
    int last = convex->count - SD_SCAN_AT_ONCE;
    sdF8 best = sdConvex_ReachOfBlock(convex, 0, x8, y8, z8);
    sdI8 bestAt = sdI8_Splat(0);
    for (int i = SD_SCAN_AT_ONCE; i < last + SD_SCAN_AT_ONCE; i += SD_SCAN_AT_ONCE) {
        int at = i < last ? i : last;
        sdF8 reach = sdConvex_ReachOfBlock(convex, at, x8, y8, z8);
        bestAt = sdI8_Select(sdF8_Less(best, reach), sdI8_Splat(at), bestAt);
        best = sdF8_Max(reach, best);
    }
    sdF8 most = sdF8_SplatMax(best);
    unsigned lanes = (unsigned)sdI8_MaskBits(sdF8_Equal(best, most));
    // NaN equals nothing: then the first lane
    int lane = __builtin_ctz(lanes | (1u << SD_LANES)) % SD_LANES;
    int first = bestAt[lane] + lane;
    sdVec3 d = sdV3(x8[0], y8[0], z8[0]);
    unsigned isFirst = sdConvex_IsAsFar(convex, first, d, most[0]);
    unsigned isSecond = sdConvex_IsAsFar(convex, first + SD_LANES, d, most[0]);
    unsigned isThird = sdConvex_IsAsFar(convex, first + 2 * SD_LANES, d, most[0]);
    return first + __builtin_ctz(isFirst | isSecond << SD_LANES | isThird << (2 * SD_LANES) |
                                 1u << (3 * SD_LANES));
}

SD_INLINE int sdConvex_Scan(const sdConvex* convex, sdF8 x8, sdF8 y8, sdF8 z8) {
    if (convex->count <= SD_SCAN_AT_ONCE) {
        sdReaches reaches;
        sdReaches_Set(&reaches, convex->x, convex->y, convex->z, convex->count, x8, y8, z8);
        return sdReaches_Furthest(&reaches);
    }
    return sdConvex_ScanMany(convex, x8, y8, z8);
}

SD_INLINE int sdConvex_ScanVertices(const sdConvex* convex, float dx, float dy, float dz) {
    return sdConvex_Scan(convex, sdF8_Splat(dx), sdF8_Splat(dy), sdF8_Splat(dz));
}

/// About the furthest vertex of a convex with cells, without looking at all of them.
SD_INLINE int sdConvex_LookUp(const sdConvex* convex, float dx, float dy, float dz) {
    return convex->hull->cells[sdHull_CellOf(sdV3(dx, dy, dz))];
}

/// Bit `place` is set for negative numbers, without a branch: directions are random.
SD_INLINE int sdSignBit(double a, int place) {
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    return (int)(bits >> 63) << place;
}

/// Point of a round core (cylinder, cone) furthest along d.
SD_INLINE sdVec3d sdConvex_RoundSupport(const sdConvex* convex, sdVec3d d) {
    double radius = (double)convex->half.x, height = (double)convex->half.y;
    double side = sqrt(d.x * d.x + d.z * d.z);
    if (convex->type == SD_SHAPE_CONE && d.y * 2.0 * height > side * radius) {
        return sdV3d(0.0, height, 0.0);
    }
    double s = side > 0.0 ? radius / side : 0.0;
    double y = convex->type == SD_SHAPE_CONE ? -height : copysign(height, d.y);
    return sdV3d(side > 0.0 ? s * d.x : radius, y, s * d.z);
}

/// Furthest point of A's core along d, in A's frame.
SD_INLINE sdVec3d sdConvexPair_SupportA(const sdConvexPair* pair, sdVec3d d, int* index) {
    const sdConvex* a = &pair->a;
    switch (a->type) {
        case SD_SHAPE_HULL:
        case SD_SHAPE_TRIANGLE: {
            int i = sdConvex_ScanVertices(a, (float)d.x, (float)d.y, (float)d.z);
            *index = i;
            return sdV3d((double)a->x[i], (double)a->y[i], (double)a->z[i]);
        }
        case SD_SHAPE_CYLINDER:
        case SD_SHAPE_CONE:
            *index = SD_NULL_INDEX;
            return sdConvex_RoundSupport(a, d);
        default:
            *index = sdSignBit(d.x, 0) | sdSignBit(d.y, 1) | sdSignBit(d.z, 2);
            return sdV3d(copysign((double)a->half.x, d.x), copysign((double)a->half.y, d.y),
                         copysign((double)a->half.z, d.z));
    }
}

/// In two sums that do not wait for each other.
SD_INLINE sdVec3d sdConvexPair_ToA(const sdConvexPair* pair, sdVec3d p) {
    sdVec3d first = sdMulAddD(pair->offset, p.x, pair->columns[0]);
    sdVec3d second = sdMulAddD(sdScaleD(p.y, pair->columns[1]), p.z, pair->columns[2]);
    return sdAddD(first, second);
}

/// Furthest point of B's core along d, all in A's frame.
SD_INLINE sdVec3d sdConvexPair_SupportB(const sdConvexPair* pair, sdVec3d d, int* index) {
    const sdConvex* b = &pair->b;
    switch (b->type) {
        case SD_SHAPE_HULL:
        case SD_SHAPE_TRIANGLE: {
            int i = sdConvex_ScanVertices(b, (float)sdDotD(d, pair->columns[0]),
                                          (float)sdDotD(d, pair->columns[1]),
                                          (float)sdDotD(d, pair->columns[2]));
            *index = i;
            return sdConvexPair_ToA(pair, sdV3d((double)b->x[i], (double)b->y[i], (double)b->z[i]));
        }
        case SD_SHAPE_CYLINDER:
        case SD_SHAPE_CONE: {
            sdVec3d local = sdV3d(sdDotD(d, pair->columns[0]), sdDotD(d, pair->columns[1]),
                                  sdDotD(d, pair->columns[2]));
            *index = SD_NULL_INDEX;
            return sdConvexPair_ToA(pair, sdConvex_RoundSupport(b, local));
        }
        default: {
            double x = sdDotD(d, pair->halfAxes[0]);
            double y = sdDotD(d, pair->halfAxes[1]);
            double z = sdDotD(d, pair->halfAxes[2]);
            *index = sdSignBit(x, 0) | sdSignBit(y, 1) | sdSignBit(z, 2);
            sdVec3d r = sdMulAddD(pair->offset, copysign(1.0, x), pair->halfAxes[0]);
            r = sdMulAddD(r, copysign(1.0, y), pair->halfAxes[1]);
            return sdMulAddD(r, copysign(1.0, z), pair->halfAxes[2]);
        }
    }
}

/// Furthest point of A - B along d.
SD_INLINE sdMinkowskiPoint sdConvexPair_Support(const sdConvexPair* pair, sdVec3d d) {
    sdMinkowskiPoint point;
    point.a = sdConvexPair_SupportA(pair, d, &point.indexA);
    sdVec3d b = sdConvexPair_SupportB(pair, sdScaleD(-1.0, d), &point.indexB);
    point.w = sdSubD(point.a, b);
    return point;
}

#endif
