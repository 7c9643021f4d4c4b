// SPDX-License-Identifier: MIT
// round_pairs_kernel.c - how far apart spheres and capsules are, and how fast they part.
//
// In:   eight pairs of them, on bodies.
// Out:  distances that they have at least, and speeds at their nearest points.
// Note: along any direction the gap between two shapes is no more than their distance, and along
//       that of the nearest points it is their distance. So the nearest points are found as well as
//       floats can, and what is given is the gap along their direction: where two cores are nearly
//       parallel, the points may be off, but the gap is never too large.

#include "dynamics/round_pairs.h"
#include "narrow/manifold.h"

/// Rounding of floats, relative to all that was added.
#define ROUNDING 4e-6f
/// Square of the sine of the angle of two cores below which they count as parallel, and length
/// below which a way has no direction: what is divided by.
#define LEAST_CROSSING 1e-6f
#define LEAST_LENGTH 1e-12f

/// One side of eight pairs, from the bodies' centres, along the axes of the world.
typedef struct Cores {
    sdVec3x8 middle;
    sdVec3x8 axis; ///< unit
    sdF8 half, radius;
    sdVec3x8 velocity, angularVelocity; ///< of the bodies
} Cores;

/// Rotation by a quaternion, whose length may be a little off.
SD_INLINE sdVec3x8 turn(const sdF8 q[4], sdVec3x8 v) {
    sdVec3x8 u = {q[0], q[1], q[2]};
    sdF8 two = sdF8_Splat(2.0f) / (sdVec3x8_Dot(u, u) + q[3] * q[3]);
    sdVec3x8 t = sdVec3x8_Scale(two, sdVec3x8_Cross(u, v));
    return sdVec3x8_MulAdd(sdVec3x8_Add(v, sdVec3x8_Cross(u, t)), q[3], t);
}

_Static_assert(offsetof(sdBody, angularVelocity) - offsetof(sdBody, rotation) == 10 * sizeof(float),
               "what is read of a body lies in a row");

SD_INLINE Cores loadCores(const sdRoundPairs* pairs, int side) {
    const float *bodies[SD_LANES], *places[SD_LANES];
    for (int i = 0; i < SD_LANES; ++i) {
        bodies[i] = &pairs->bodies[side][i]->rotation.v.x;
        places[i] = &pairs->places[side][i]->p.x;
    }
    // rotation; centre and part of the velocity; rest of it and part of the spin; rest of that
    sdF8 r[4][4], p[4], q[4];
    for (int i = 0; i < 4; ++i) {
        sdF8_LoadRows(bodies, 4 * i, r[i]);
    }
    sdF8_LoadRows(places, 0, p);
    sdF8_LoadRows(places, 3, q);
    sdVec3x8 local = {p[0] - r[1][0], p[1] - r[1][1], p[2] - r[1][2]};
    sdVec3x8 up = sdVec3x8_Splat(sdV3(0.0f, 1.0f, 0.0f));
    return (Cores){
        .middle = turn(r[0], local),
        .axis = turn(r[0], turn(q, up)),
        .half = sdF8_Load(pairs->halfLength[side]),
        .radius = sdF8_Load(pairs->radius[side]),
        .velocity = {r[1][3], r[2][0], r[2][1]},
        .angularVelocity = {r[2][2], r[2][3], r[3][0]},
    };
}

/// Where on their axes two cores are nearest: Ericson, "Real-Time Collision Detection", §5.1.9.
/// @param d from the middle of A's to that of B's
/// @param cosine of the angle between the axes
SD_INLINE void findNearest(const Cores* a, const Cores* b, sdVec3x8 d, sdF8 cosine, sdF8* s,
                           sdF8* t) {
    sdF8 alongA = sdVec3x8_Dot(a->axis, d), alongB = sdVec3x8_Dot(b->axis, d);
    sdF8 crossing = sdF8_Max(sdF8_Splat(1.0f) - cosine * cosine, sdF8_Splat(LEAST_CROSSING));
    sdF8 onA = sdF8_Clamp((alongA - cosine * alongB) / crossing, -a->half, a->half);
    *t = sdF8_Clamp(onA * cosine - alongB, -b->half, b->half);
    *s = sdF8_Clamp(*t * cosine + alongA, -a->half, a->half);
}

SD_INLINE sdF8 sumOf(sdVec3x8 v) {
    return sdF8_Abs(v.x) + sdF8_Abs(v.y) + sdF8_Abs(v.z);
}

/// m/s, of a point on the axis of a core.
SD_INLINE sdVec3x8 velocityAt(const Cores* cores, sdF8 place) {
    sdVec3x8 arm = sdVec3x8_MulAdd(cores->middle, place, cores->axis);
    return sdVec3x8_Add(cores->velocity, sdVec3x8_Cross(cores->angularVelocity, arm));
}

void SD_KERNEL(sdRoundPairs_Measure)(const sdRoundPairs* pairs, sdRoundGaps* out) {
    Cores a = loadCores(pairs, 0), b = loadCores(pairs, 1);
    sdVec3x8 between = {sdF8_Load(pairs->between[0]), sdF8_Load(pairs->between[1]),
                        sdF8_Load(pairs->between[2])};
    sdVec3x8 d = sdVec3x8_Add(between, sdVec3x8_Sub(b.middle, a.middle));
    sdF8 cosine = sdVec3x8_Dot(a.axis, b.axis), s, t, zero = sdF8_Zero();
    findNearest(&a, &b, d, cosine, &s, &t);
    sdVec3x8 way = sdVec3x8_MulAdd(sdVec3x8_MulAdd(d, t, b.axis), -s, a.axis);
    // cores that cross have no direction, and no gap
    sdF8 length = sdF8_Max(sdF8_Sqrt(sdVec3x8_Dot(way, way)), sdF8_Splat(LEAST_LENGTH));
    sdVec3x8 n = sdVec3x8_Scale(sdF8_Splat(1.0f) / length, way);
    sdF8 reach = a.half * sdF8_Abs(sdVec3x8_Dot(n, a.axis)) + a.radius +
                 b.half * sdF8_Abs(sdVec3x8_Dot(n, b.axis)) + b.radius;
    sdF8 size =
        sumOf(between) + sumOf(a.middle) + sumOf(b.middle) + a.half + b.half + a.radius + b.radius;
    sdF8_Store(out->gap, sdVec3x8_Dot(n, d) - reach - sdF8_Splat(ROUNDING) * size);
    sdF8 parting = sdVec3x8_Dot(n, sdVec3x8_Sub(velocityAt(&b, t), velocityAt(&a, s)));
    sdI8 isBeside = sdF8_LessEqual(sdF8_Splat((float)SD_MANIFOLD_CAPSULE_TWIST), sdF8_Abs(cosine)) &
                    sdF8_Less(zero, a.half) & sdF8_Less(zero, b.half);
    sdF8_Store(out->parting, sdF8_Select(isBeside, sdF8_Splat(-FLT_MAX), parting));
}
