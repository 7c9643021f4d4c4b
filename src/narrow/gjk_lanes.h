// SPDX-License-Identifier: MIT
// gjk_lanes.h - the nearest part of a simplex, all parts at once.
//
// Which part of the simplex is nearest is chance, and a branch gone wrong costs as much as finding
// all parts. So edges and faces at the newest point are looked at together, one in each lane.

#ifndef SD_NARROW_GJK_LANES_H
#define SD_NARROW_GJK_LANES_H

#include "narrow/gjk.h"

/// The gap between |v|² and its bound, relative to |v|², at which v counts as converged: the
/// direction is then right to about 1e-5.
#define SD_GJK_RELATIVE_GAP 1e-10
/// Volume below which the careful loop is asked whether four points are flat, relative to the
/// product of edge and face area: far from rounding.
#define SD_GJK_NEARLY_FLAT 1e-6

/// Points that are added without care before the careful loop looks at what has come out.
#define SD_GJK_QUICK_ITERATIONS 32

/// Up to three points, one in each lane; those that are missing repeat another one.
typedef struct sdSimplexLanes {
    sdD4 x, y, z;
} sdSimplexLanes;

/// The parts of a simplex that the newest point belongs to. 0 .. 2: the edge from it to point i; 3:
/// the point itself; 4 .. 6: the face with points i and i + 1; 7: the inside of all four points.
typedef struct sdSimplexPart {
    /// x, y and z of the nearest points of edges and of faces, and the weights of point i and of
    /// the one after it
    sdD4 all[2][5];
    sdD4 least; ///< squared distance of the nearest in all lanes, its number in the last three bits
    int index;  ///< which is nearest
    int set, lane;
    double squared; ///< of the distance
    bool isFlat;    ///< all four points are so near to a plane that inside is not sure
} sdSimplexPart;

#define SD_PART_INSIDE 7

/// Bit i: point i carries the part.
static const uint8_t sdPartMasks[8] = {1, 2, 4, 0, 3, 6, 5, 7};

/// Places of points that do not carry the part: the newest goes to all of them, because of equal
/// lanes the lowest counts.
static const uint8_t sdPartPlaces[7][2] = {{1, 2}, {0, 2}, {0, 1}, {0, 1}, {2, 2}, {0, 0}, {1, 1}};

#define ON (-1LL)
/// Lanes of the points that carry a part, which is not the inside.
static const int64_t sdPartLanes[7][4] = {
    {ON, 0, 0, 0},  {0, ON, 0, 0},  {0, 0, ON, 0},  {0, 0, 0, 0},
    {ON, ON, 0, 0}, {0, ON, ON, 0}, {ON, 0, ON, 0},
};

/// Put the newest point in the place of those that do not carry the part.
SD_INLINE void sdSimplexLanes_Replace(sdSimplexLanes* lanes, int part, sdD4 x, sdD4 y, sdD4 z) {
    sdL4 isKept;
    memcpy(&isKept, sdPartLanes[part], sizeof isKept);
    lanes->x = sdD4_Select(isKept, lanes->x, x);
    lanes->y = sdD4_Select(isKept, lanes->y, y);
    lanes->z = sdD4_Select(isKept, lanes->z, z);
}

/// Lane i gets what lane i + 1 of the first three has.
SD_INLINE sdD4 sdD4_Next3(sdD4 a) {
    return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}

/// Find the part that is nearest to the origin.
/// @param dx, dy, dz the newest point, in all lanes
SD_INLINE void sdSimplexLanes_FindPart(const sdSimplexLanes* lanes, sdD4 dx, sdD4 dy, sdD4 dz,
                                       sdSimplexPart* part) {
    const sdD4 zero = sdD4_Splat(0.0), one = sdD4_Splat(1.0), far = sdD4_Splat(DBL_MAX);
    // edges from the newest point, which everything waits for, to point i and to the next
    sdD4 ex = lanes->x - dx, ey = lanes->y - dy, ez = lanes->z - dz;
    sdD4 fx = sdD4_Next3(lanes->x) - dx, fy = sdD4_Next3(lanes->y) - dy;
    sdD4 fz = sdD4_Next3(lanes->z) - dz;
    sdD4 nx = ey * fz - ez * fy, ny = ez * fx - ex * fz, nz = ex * fy - ey * fx;
    // e x d and f x d
    sdD4 cx = ey * dz - ez * dy, cy = ez * dx - ex * dz, cz = ex * dy - ey * dx;
    sdD4 hx = fy * dz - fz * dy, hy = fz * dx - fx * dz, hz = fx * dy - fy * dx;

    sdD4 ee = ex * ex + ey * ey + ez * ez, along = -(ex * dx + ey * dy + ez * dz);
    sdD4 inverseE = one / ee, t = along * inverseE;
    sdD4 edge = (cx * cx + cy * cy + cz * cz) * inverseE;
    sdL4 isOnEdge = sdD4_Less(zero, along) & sdD4_Less(along, ee);

    sdD4 nn = nx * nx + ny * ny + nz * nz, nd = nx * dx + ny * dy + nz * dz;
    sdD4 share = nx * hx + ny * hy + nz * hz, shareNext = -(nx * cx + ny * cy + nz * cz);
    sdD4 inverseF = one / nn, s = nd * inverseF;
    sdL4 isOnFace =
        sdD4_Less(zero, share) & sdD4_Less(zero, shareNext) & sdD4_Less(share + shareNext, nn);

    // inside when the fourth corners' shares of the volume are positive and leave some
    double volume = nx[0] * ex[2] + ny[0] * ey[2] + nz[0] * ez[2];
    sdD4 shares = nd * sdD4_Splat(-volume);
    int isPositive = sdL4_MaskBits(sdD4_Less(zero, shares)) & 7;
    bool isInside = (isPositive == 7) & (shares[0] + shares[1] + shares[2] < volume * volume);
    part->isFlat = !(volume * volume > SD_GJK_NEARLY_FLAT * SD_GJK_NEARLY_FLAT * nn[0] * ee[2]);

    const sdL4 last = {0, 0, 0, ON};
    sdD4 squared = dx * dx + dy * dy + dz * dz;
    sdD4 squaredE = sdD4_Select(last, squared, sdD4_Select(isOnEdge, edge, far));
    sdD4 squaredF = sdD4_Select(isOnFace & ~last, nd * s, far);
    t = sdD4_Select(last, zero, t);
    part->all[0][0] = dx + t * ex;
    part->all[0][1] = dy + t * ey;
    part->all[0][2] = dz + t * ez;
    part->all[0][3] = t;
    part->all[0][4] = zero;
    part->all[1][0] = s * nx;
    part->all[1][1] = s * ny;
    part->all[1][2] = s * nz;
    part->all[1][3] = share * inverseF;
    part->all[1][4] = shareNext * inverseF;
    // the number of the part goes into the last bits of its distance: the least has the number
    const sdL4 bits = {7, 7, 7, 7}, edges = {0, 1, 2, 3}, faces = {4, 5, 6, 7};
    squaredE = (sdD4)(((sdL4)squaredE & ~bits) | edges);
    squaredF = (sdD4)(((sdL4)squaredF & ~bits) | faces);
    part->least = sdD4_SplatMin(sdD4_Min(squaredE, squaredF));
    int index = (int)(((sdL4)part->least)[0] & 7);
    part->squared = ((sdD4)((sdL4)part->least & ~bits))[0];
    part->set = index / SD_LANES_D;
    part->lane = index % SD_LANES_D;
    part->index = isInside ? SD_PART_INSIDE : index;
}
#undef ON

/// One of x, y, z and the weights.
SD_INLINE double sdSimplexPart_Get(const sdSimplexPart* part, int which) {
    return part->all[part->set][which][part->lane];
}

SD_INLINE sdVec3d sdSimplexPart_V(const sdSimplexPart* part) {
    return sdV3d(sdSimplexPart_Get(part, 0), sdSimplexPart_Get(part, 1),
                 sdSimplexPart_Get(part, 2));
}

/// What the quick way has found beside the simplex.
typedef struct sdGjkApproach {
    /// in: the simplex is not wanted when it has the origin inside, or when its squared distance is
    /// proved and greater than this; DBL_MAX: always wanted
    double verdictAbove;
    sdMinkowskiPoint furthest; ///< along -v
    sdVec3d v;
    double squared;   ///< |v|²
    double vw;        ///< v · furthest
    bool isProved;    ///< the furthest point proves that v is the nearest, or far enough
    bool isInside;    ///< the simplex contains the origin
    bool hasFurthest; ///< not always when it has proved something
    int iterations;
} sdGjkApproach;

/// Go on from a simplex of up to three points and the point after them, of a pair whose vertices
/// are scanned (gjk_scan_kernel.c).
/// @param start NULL, or the direction of the only point that there is: points beside it come first
/// @param squared |v|² so far
SD_DECLARE_KERNEL(void, sdGjk_ApproachScanned,
                  (const sdConvexPair* pair, const sdVec3d* start, double stopAbove,
                   double stopBelow, double squared, sdSimplex* simplex, sdGjkApproach* output));

/// The same of hulls, from four points that are made of these vertices, to where they are proved to
/// be apart or not.
SD_DECLARE_KERNEL(void, sdGjk_ApproachFour,
                  (const sdConvexPair* pair, const int start[4][2], sdSimplex* simplex,
                   sdGjkApproach* output));

/// v·w / |v| - error > limit, without a root. The limit is not negative.
SD_INLINE bool sdGjk_IsBeyond(double vw, double squared, double limit) {
    return vw > 0.0 && vw * vw > limit * limit * squared;
}

// ---- the first points ----------------------------------------------------------------------

/// How much of the first direction stays in the second, for each metre by which its point is off
/// and by which the bodies are large: the larger they are, the less a direction turns with the
/// place; measured.
#define SD_GJK_STEADY_BY_PLACE 0.7
#define SD_GJK_STEADY_BY_SIZE 0.3
/// How far from the second direction the two beside it are, as a share of its length; measured.
#define SD_GJK_TO_THE_SIDES 0.35

/// About as good as the length here, and there sooner.
SD_INLINE double sdGjk_SumOf(sdVec3d v) {
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

/// Where to look after the first support point: between the first direction and the way to that
/// point, which is often too far to the side.
/// @param start the first direction
/// @param w its point
SD_INLINE sdVec3d sdGjk_LookBeside(const sdConvexPair* pair, sdVec3d start, sdVec3d w) {
    double size = (double)pair->a.outer + (double)pair->b.outer;
    double share = SD_GJK_STEADY_BY_PLACE * sdGjk_SumOf(w) + SD_GJK_STEADY_BY_SIZE * size;
    return sdSubD(sdScaleD(share * (1.0 / sdLengthD(start)), start), w);
}

/// The first direction tells that the cores are apart.
SD_INLINE bool sdGjk_IsParted(sdVec3d start, sdVec3d w) {
    return sdDotD(start, w) < 0.0;
}

/// Cores for which it does not are looked at to both sides, too: all three support points do not
/// wait for each other, and what they make with the first nearly always has the direction in it
/// that is searched for.
/// @param beside the second direction
/// @return how far from it the others are, one each way
SD_INLINE sdVec3d sdGjk_ToTheSide(sdVec3d start, sdVec3d w, sdVec3d beside) {
    sdVec3d side = sdCrossD(start, w);
    double across = sdGjk_SumOf(side);
    double far = across > 0.0 ? SD_GJK_TO_THE_SIDES * sdGjk_SumOf(beside) / across : 0.0;
    return sdScaleD(far, side);
}

#endif
