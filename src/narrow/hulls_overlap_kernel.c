// SPDX-License-Identifier: MIT
// hulls_overlap_kernel.c - whether two small hulls overlap, in single precision, where that is
// enough.
//
// In:   two hulls whose vertices are looked at without a loop, B's pose in A's frame.
// Out:  surely apart, surely overlapping, or points of A - B from which GJK goes on.
// Ref:  the inner point of A - B from which the origin is looked for: Snethen, "XenoCollide",
//       Game Programming Gems 7, 2008.
// Note: everything is seen from the middle of A - B, about which a ball is in it, so that the
//       origin is where the way from A's middle to B's ends. What holds the origin with a margin
//       of all errors, made of that ball and of points that were found in floats, is proof: points
//       that are off by no more than the error make a body that is smaller by no more than that.

#include "narrow/hulls_overlap.h"

#include "narrow/convex.h"
#include "narrow/gjk_lanes.h"

/// Squares of lengths of quaternions that were rounded to floats differ from 1 by less.
#define UNIT_TOLERANCE 1e-6f
/// Errors of points, and of gaps along axes, as a fraction of sizes and distance: 4e-6 by the
/// length of the quaternion, as much by rounding, and as much again.
#define ERROR 1.2e-5f

/// Squares of lengths of axes along which gaps have all their digits; a cache may hold anything.
#define LEAST_SQUARED 1e-30f

/// Two hulls, all vectors with 0 in their fourth lane.
typedef struct Pair {
    const sdHull *a, *b;
    sdF4 middleA, middleB;
    /// Rotation of B in A's frame. With r_ji the component i of axis j of B, lane k of the
    /// diagonals is r_kk, r_k,k+1 and r_k+1,k
    sdF4 own, above, below;
} Pair;

SD_INLINE sdF4 splat(float a) {
    return (sdF4){a, a, a, a};
}

SD_INLINE sdF4 vectorOf(sdVec3 v) {
    return (sdF4){v.x, v.y, v.z, 0.0f};
}

/// Lanes y, z, x.
SD_INLINE sdF4 next(sdF4 a) {
    return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}

/// Lanes z, x, y.
SD_INLINE sdF4 previous(sdF4 a) {
    return __builtin_shufflevector(a, a, 2, 0, 1, 3);
}

SD_INLINE sdF4 absolute(sdF4 a) {
    return (sdF4)((sdI4)a & (sdI4){INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX});
}

SD_INLINE sdF4 cross(sdF4 a, sdF4 b) {
    return next(a) * previous(b) - previous(a) * next(b);
}

/// Of the first three lanes.
SD_INLINE float sum(sdF4 a) {
    return a[0] + a[1] + a[2];
}

SD_INLINE float dot(sdF4 a, sdF4 b) {
    return sum(a * b);
}

/// A direction of B's frame in A's.
SD_INLINE sdF4 inA(const Pair* pair, sdF4 d) {
    return d * pair->own + next(d) * pair->below + previous(d) * previous(pair->above);
}

/// A direction of A's frame in B's.
SD_INLINE sdF4 inB(const Pair* pair, sdF4 d) {
    return d * pair->own + next(d) * pair->above + previous(d) * previous(pair->below);
}

/// @param q of unit length
SD_INLINE void setPair(Pair* pair, const sdHull* a, const sdHull* b, sdF4 q) {
    sdF4 twice = q + q, even = twice * next(q);
    sdF4 odd = __builtin_shufflevector(q, q, 3, 3, 3, 3) * previous(twice);
    pair->a = a;
    pair->b = b;
    pair->middleA = vectorOf(a->center);
    pair->middleB = vectorOf(b->center);
    pair->own = splat(1.0f) - (next(twice) * next(q) + previous(twice) * previous(q));
    pair->above = even + odd;
    pair->below = even - odd;
}

SD_INLINE sdF4 vertexOf(const sdHull* hull, int at) {
    const float* x = hull->soa + at;
    return (sdF4){x[0], x[hull->soaStride], x[2 * hull->soaStride], 0.0f};
}

SD_INLINE void setReaches(sdReaches* reaches, const sdHull* hull, sdF4 d) {
    const float* soa = hull->soa;
    int stride = hull->soaStride;
    sdReaches_Set(reaches, soa, soa + stride, soa + 2 * (size_t)stride, stride, sdF8_Splat(d[0]),
                  sdF8_Splat(d[1]), sdF8_Splat(d[2]));
}

/// How far a hull goes along d.
SD_INLINE float reachOf(const sdHull* hull, sdF4 d) {
    sdReaches reaches;
    setReaches(&reaches, hull, d);
    return reaches.most[0];
}

/// A point of A - B, seen from its middle.
SD_INLINE sdF4 pointOf(const Pair* pair, const int at[2]) {
    sdF4 b = vertexOf(pair->b, at[1]) - pair->middleB;
    return vertexOf(pair->a, at[0]) - pair->middleA - inA(pair, b);
}

/// The point of A - B furthest along d.
SD_INLINE sdF4 findPoint(const Pair* pair, sdF4 d, int at[2]) {
    sdReaches reachA, reachB;
    setReaches(&reachA, pair->a, d);
    setReaches(&reachB, pair->b, -inB(pair, d));
    at[0] = sdReaches_Furthest(&reachA);
    at[1] = sdReaches_Furthest(&reachB);
    return pointOf(pair, at);
}

/// A point is in the cone between a tip and the ball about the middle, beyond where they touch, and
/// further than a margin from its side. The distance from that is (|u| - e·u / |u|) r / |u| less
/// |e x u| / |u| sqrt(1 - r² / |u|²).
SD_INLINE bool isInCone(sdF4 e, sdF4 u, float r, float margin, float size) {
    sdF4 side = cross(e, u);
    float uu = dot(u, u), eu = dot(e, u), rr = r * r;
    float left = (uu - eu) * r - margin * uu;
    return (r > 0.0f) & (eu > rr + margin * size) & (left > 0.0f) &
           (left * left > dot(side, side) * (uu - rr));
}

/// A point is between the middle and three of four others, further than a margin from all sides.
/// @param p the four
/// @param reach none of them is further from the middle
SD_INLINE bool isInFive(sdF4 e, const sdF4 p[4], float margin, float reach) {
    // x, y, z of all; lane k of a, b and c are the points after k
    sdF4 low = __builtin_shufflevector(p[0], p[1], 0, 4, 1, 5);
    sdF4 high = __builtin_shufflevector(p[2], p[3], 0, 4, 1, 5);
    sdF4 lowZ = __builtin_shufflevector(p[0], p[1], 2, 6, 2, 6);
    sdF4 highZ = __builtin_shufflevector(p[2], p[3], 2, 6, 2, 6);
    sdF4 x = __builtin_shufflevector(low, high, 0, 1, 4, 5);
    sdF4 y = __builtin_shufflevector(low, high, 2, 3, 6, 7);
    sdF4 z = __builtin_shufflevector(lowZ, highZ, 0, 1, 4, 5);
    sdF4 ax = __builtin_shufflevector(x, x, 1, 2, 3, 0),
         bx = __builtin_shufflevector(x, x, 2, 3, 0, 1);
    sdF4 ay = __builtin_shufflevector(y, y, 1, 2, 3, 0),
         by = __builtin_shufflevector(y, y, 2, 3, 0, 1);
    sdF4 az = __builtin_shufflevector(z, z, 1, 2, 3, 0),
         bz = __builtin_shufflevector(z, z, 2, 3, 0, 1);
    sdF4 cx = __builtin_shufflevector(x, x, 3, 0, 1, 2),
         cy = __builtin_shufflevector(y, y, 3, 0, 1, 2);
    sdF4 cz = __builtin_shufflevector(z, z, 3, 0, 1, 2);
    sdF4 ex = splat(e[0]), ey = splat(e[1]), ez = splat(e[2]);
    // six times the volumes that the point leaves opposite a, b and c
    sdF4 nx = by * cz - bz * cy, ny = bz * cx - bx * cz, nz = bx * cy - by * cx;
    sdF4 volume = ax * nx + ay * ny + az * nz, ofA = ex * nx + ey * ny + ez * nz;
    sdF4 ofB = ex * (cy * az - cz * ay) + ey * (cz * ax - cx * az) + ez * (cx * ay - cy * ax);
    sdF4 ofC = ex * (ay * bz - az * by) + ey * (az * bx - ax * bz) + ez * (ax * by - ay * bx);
    sdI4 turn = (sdI4)volume & (sdI4){INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};
    sdF4 rest = volume - (ofA + ofB + ofC);
    // the sides are no larger than this, the last one than four times that
    sdF4 most = splat(margin * reach * reach), outer = splat(4.0f) * most;
    sdI4 isIn = ((sdF4)((sdI4)ofA ^ turn) > most) & ((sdF4)((sdI4)ofB ^ turn) > most) &
                ((sdF4)((sdI4)ofC ^ turn) > most) & ((sdF4)((sdI4)rest ^ turn) > outer);
    return (isIn[0] | isIn[1] | isIn[2] | isIn[3]) != 0;
}

/// Balls around the hulls are apart: of half of all that are apart, no vertex needs a look.
/// @param squared distance of their middles
SD_INLINE bool areBallsApart(const sdHull* a, const sdHull* b, float squared, float error) {
    float outer = a->outerRadius + b->outerRadius + error;
    return squared > outer * outer;
}

/// Hulls that one point does not tell of: three more around the next direction, see
/// sdGjk_LookBeside and sdGjk_ToTheSide. A function of its own: those that need no more must not
/// wait until all vertices have been put aside.
/// @param first the furthest point on the way
static __attribute__((noinline)) sdHullVerdict
askFive(Pair pair, sdF4 way, sdF4 first, float length, float margin, int start[4][2]) {
    sdF4 w = first - way, side = cross(way, w);
    float size = pair.a->outerRadius + pair.b->outerRadius, across = sum(absolute(side));
    float share =
        (float)SD_GJK_STEADY_BY_PLACE * sum(absolute(w)) + (float)SD_GJK_STEADY_BY_SIZE * size;
    sdF4 beside = splat(share * (1.0f / length)) * way - w;
    float far = sum(absolute(beside)) * ((float)SD_GJK_TO_THE_SIDES / across);
    // where the first point is on the way all directions are as good
    side = splat(across > 0.0f ? far : 0.0f) * side;
    sdF4 left = findPoint(&pair, beside + side, start[1]);
    sdF4 right = findPoint(&pair, beside - side, start[2]);
    sdF4 between = findPoint(&pair, beside, start[3]);
    const sdF4 points[4] = {first, left, right, between};
    return isInFive(way, points, margin, size) ? SD_HULLS_OVERLAPPING : SD_HULLS_UNSURE;
}

sdHullVerdict SD_KERNEL(sdHulls_Overlap)(const sdHull* a, const sdHull* b, const sdTransform* xfAB,
                                         int start[4][2]) {
    sdF4 q, p = vectorOf(xfAB->p);
    memcpy(&q, &xfAB->q, sizeof q);
    Pair pair;
    setPair(&pair, a, b, q);
    sdF4 way = p - pair.middleA + inA(&pair, pair.middleB), square = q * q;
    float size = a->reach + b->reach + sum(absolute(p)), error = ERROR * size;
    float apart = dot(way, way), length = sqrtf(apart), squared = sum(square) + square[3];
    start[0][0] = SD_NULL_INDEX;
    // written so that NaN is refused; without a way there is no direction
    if (!((sdAbsF(squared - 1.0f) < UNIT_TOLERANCE) & (size < SD_MAX_REACH) & (length > error))) {
        return SD_HULLS_UNSURE;
    }
    if (areBallsApart(a, b, apart, error)) {
        return SD_HULLS_APART;
    }
    // not before: compilers would load all vertices there, and put them aside
    sdReaches reachA, reachB;
    setReaches(&reachA, a, way);
    setReaches(&reachB, b, -inB(&pair, way));
    if (dot(way, p) - reachA.most[0] - reachB.most[0] > error * length) {
        return SD_HULLS_APART;
    }
    float inner = a->innerRadius + b->innerRadius - error, margin = 2.0f * error;
    start[0][0] = sdReaches_Furthest(&reachA);
    start[0][1] = sdReaches_Furthest(&reachB);
    sdF4 first = pointOf(&pair, start[0]);
    if ((length < inner) | isInCone(way, first, inner, margin, size)) {
        return SD_HULLS_OVERLAPPING;
    }
    return askFive(pair, way, first, length, margin, start);
}

/// Not in one piece: that would wait for the copy that a caller may just have made.
SD_INLINE sdF4 load(const sdVec3* v) {
    sdD2 low = {0.0, 0.0};
    memcpy(&low, v, sizeof low[0]);
    sdF4 r = (sdF4)low;
    r[2] = v->z;
    return r;
}

sdHullVerdict SD_KERNEL(sdHulls_JudgeSmall)(const sdHull* a, const sdHull* b,
                                            const sdTransform* xfAB, const sdVec3* axis) {
    sdF4 p = load(&xfAB->p), u = load(&xfAB->q.v), s = splat(xfAB->q.s), d;
    float size = a->reach + b->reach + sum(absolute(p)), error = ERROR * size;
    float unit = dot(u, u) + s[0] * s[0];
    // written so that NaN is refused
    bool isValid = (sdAbsF(unit - 1.0f) < UNIT_TOLERANCE) & (size < SD_MAX_REACH), isIn = false;
    if (axis != NULL) {
        d = load(axis);
    } else {
        sdF4 c = load(&b->center), side = cross(u, c), half = cross(u, side) + s * side;
        d = (p - load(&a->center)) + (c + (half + half));
        float squared = dot(d, d);
        if (isValid & areBallsApart(a, b, squared, error)) {
            return SD_HULLS_APART;
        }
        float inner = a->innerRadius + b->innerRadius - error;
        isIn = (inner > 0.0f) & (squared < inner * inner);
    }
    // against the axis, in B's frame
    sdF4 turn = cross(d, u), half = cross(turn, u) + s * turn, back = -(d + (half + half));
    float squared = dot(d, d), gap = dot(d, p) - (reachOf(a, d) + reachOf(b, back));
    bool isApart = (gap > 0.0f) & (squared > LEAST_SQUARED) & (gap * gap > error * error * squared);
    sdHullVerdict verdict = isIn ? SD_HULLS_OVERLAPPING : SD_HULLS_UNSURE;
    return isValid ? (isApart ? SD_HULLS_APART : verdict) : SD_HULLS_UNSURE;
}
