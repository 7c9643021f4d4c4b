// SPDX-License-Identifier: MIT
// body_boxes_kernel.c - boxes of eight bodies, and how far they will go.
//
// In:   bodies of one sphere, capsule or box each, where they are and how fast; dt.
// Out:  boxes of all that the shapes may reach within dt, in double; ways.
// Note: every number is found as sdFixture_GetBox and sdShape_GetBounds do, in the same order, so
//       that it does not matter which bodies share a block.

#include "dynamics/body_boxes.h"

_Static_assert(offsetof(sdBody, localCenter) - offsetof(sdBody, rotation) == 4 * sizeof(float) &&
                   offsetof(sdBody, radius) - offsetof(sdBody, rotation) == 13 * sizeof(float),
               "what is read of a body lies in a row");
_Static_assert(offsetof(sdReach, turning) - offsetof(sdReach, ahead) == 3 * sizeof(float),
               "what is written of a reach lies in a row");

/// As sdRotate.
SD_INLINE sdVec3x8 turn(sdVec3x8 u, sdF8 s, sdVec3x8 v) {
    sdVec3x8 t = sdVec3x8_Scale(sdF8_Splat(2.0f), sdVec3x8_Cross(u, v));
    return sdVec3x8_Add(sdVec3x8_MulAdd(v, s, t), sdVec3x8_Cross(u, t));
}

SD_INLINE sdVec3x8 absolute(sdVec3x8 v) {
    return (sdVec3x8){sdF8_Abs(v.x), sdF8_Abs(v.y), sdF8_Abs(v.z)};
}

/// Half of the size of a box that is turned.
SD_INLINE sdVec3x8 boxExtents(sdVec3x8 u, sdF8 s, const sdBodyBoxes* bodies) {
    sdF8 x2 = u.x + u.x, y2 = u.y + u.y, z2 = u.z + u.z, one = sdF8_Splat(1.0f);
    sdF8 xx = u.x * x2, yy = u.y * y2, zz = u.z * z2;
    sdF8 xy = u.x * y2, xz = u.x * z2, yz = u.y * z2;
    sdF8 sx = s * x2, sy = s * y2, sz = s * z2;
    sdVec3x8 cx = {one - yy - zz, xy + sz, xz - sy};
    sdVec3x8 cy = {xy - sz, one - xx - zz, yz + sx};
    sdVec3x8 cz = {xz + sy, yz - sx, one - xx - yy};
    sdVec3x8 sum = sdVec3x8_Scale(sdF8_Load(bodies->half[0]), absolute(cx));
    sum = sdVec3x8_MulAdd(sum, sdF8_Load(bodies->half[1]), absolute(cy));
    return sdVec3x8_MulAdd(sum, sdF8_Load(bodies->half[2]), absolute(cz));
}

/// Of all shapes.
SD_INLINE sdVec3x8 findExtents(sdVec3x8 u, sdF8 s, const sdBodyBoxes* bodies) {
    sdF8 r = sdF8_Load(bodies->radius);
    sdVec3x8 up = sdVec3x8_Splat(sdV3(0.0f, 1.0f, 0.0f));
    sdVec3x8 round =
        sdVec3x8_MulAdd((sdVec3x8){r, r, r}, sdF8_Load(bodies->half[1]), absolute(turn(u, s, up)));
    if (!bodies->hasBoxes) {
        return round;
    }
    return sdVec3x8_Select(sdF8_Less(sdF8_Zero(), sdF8_Load(bodies->isBox)),
                           boxExtents(u, s, bodies), round);
}

/// Boxes around centres, in double.
SD_INLINE void storeBoxes(const sdBodyBoxes* bodies, sdVec3x8 lower, sdVec3x8 upper) {
    // twice what a sum in double can be off by, as in sdWorldBox_FromLocal
    const sdD4 slack = sdD4_Splat(2.220446049250313e-16);
    float rows[SD_LANES][8];
    float* to[SD_LANES];
    for (int i = 0; i < SD_LANES; ++i) {
        to[i] = rows[i];
    }
    sdF8_StoreRows(to, 0, (const sdF8[4]){lower.x, lower.y, lower.z, sdF8_Zero()});
    sdF8_StoreRows(to, 4, (const sdF8[4]){upper.x, upper.y, upper.z, sdF8_Zero()});
    for (int i = 0; i < SD_LANES; ++i) {
        const sdPos* c = &bodies->bodies[i]->center;
        sdWorldBox* box = bodies->boxes[i];
        sdD4 center = {c->x, c->y, c->z, 0.0};
        sdF4 low, high;
        memcpy(&low, rows[i], sizeof low);
        memcpy(&high, rows[i] + 4, sizeof high);
        sdD4 l = center + sdD4_FromFloats(low);
        sdD4 u = center + sdD4_FromFloats(high);
        l = l - slack * sdD4_Abs(l);
        u = u + slack * sdD4_Abs(u);
        // the fourth of the lower ones is where the upper ones begin
        sdD4_Store(&box->lower.x, l);
        memcpy(&box->upper.x, &u, 3 * sizeof(double));
    }
}

void SD_KERNEL(sdBodyBoxes_Make)(const sdBodyBoxes* bodies, float dt) {
    const float *from[SD_LANES], *places[SD_LANES];
    float* reaches[SD_LANES];
    for (int i = 0; i < SD_LANES; ++i) {
        from[i] = &bodies->bodies[i]->rotation.v.x;
        places[i] = &bodies->places[i]->p.x;
        reaches[i] = &bodies->reaches[i]->ahead.x;
    }
    // rotation; centre and part of the velocity; rest of it and part of the spin; rest, and radius
    sdF8 r[4][4], p[4], q[4];
    for (int i = 0; i < 4; ++i) {
        sdF8_LoadRows(from, 4 * i, r[i]);
    }
    sdF8_LoadRows(places, 0, p);
    sdF8_LoadRows(places, 3, q);
    sdF8 time = sdF8_Splat(dt), zero = sdF8_Zero();
    sdVec3x8 none = {zero, zero, zero}, a = {r[0][0], r[0][1], r[0][2]}, b = {q[0], q[1], q[2]};
    sdF8 s = r[0][3];
    sdVec3x8 velocity = {r[1][3], r[2][0], r[2][1]}, spin = {r[2][2], r[2][3], r[3][0]};
    sdF8 turning = time * sdF8_Sqrt(sdVec3x8_Dot(spin, spin)) * r[3][1];
    sdVec3x8 way = sdVec3x8_Scale(time, velocity);
    sdF8 length = sdF8_Sqrt(sdVec3x8_Dot(way, way));
    sdF8_StoreRows(reaches, 0,
                   (const sdF8[4]){way.x, way.y, way.z,
                                   turning + sdF8_Splat(SD_WAY_ERROR) * (length + turning)});
    sdVec3x8 local = {p[0] - r[1][0], p[1] - r[1][1], p[2] - r[1][2]};
    sdVec3x8 middle = sdVec3x8_Add(turn(a, s, local), none);
    sdVec3x8 u = sdVec3x8_Add(sdVec3x8_Add(sdVec3x8_Cross(a, b), sdVec3x8_Scale(s, b)),
                              sdVec3x8_Scale(q[3], a));
    sdF8 scalar = s * q[3] - sdVec3x8_Dot(a, b);
    sdVec3x8 extents = findExtents(u, scalar, bodies);
    sdF8 margin =
        sdF8_Splat(0.5f * SD_SPECULATIVE_MARGIN) + sdF8_Min(turning, sdF8_Load(bodies->mostTurned));
    sdVec3x8 grown = {margin, margin, margin};
    sdVec3x8 lower = sdVec3x8_Sub(sdVec3x8_Sub(middle, extents), grown);
    sdVec3x8 upper = sdVec3x8_Add(sdVec3x8_Add(middle, extents), grown);
    // what goes further is looked at on its way, for which this box is not asked
    sdF8 most = sdF8_Load(bodies->mostWay);
    sdI8 isFar = sdF8_Less(most, length);
    if (sdI8_Any(isFar)) {
        sdF8 part = most / sdF8_Select(isFar, length, sdF8_Splat(1.0f));
        way = sdVec3x8_Select(isFar, sdVec3x8_Scale(part, way), way);
    }
    storeBoxes(bodies, sdVec3x8_Add(lower, sdVec3x8_Min(way, none)),
               sdVec3x8_Add(upper, sdVec3x8_Max(way, none)));
}
