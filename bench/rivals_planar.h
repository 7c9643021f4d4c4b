// SPDX-License-Identifier: MIT
// rivals_planar.h - engines of the plane behind the description of rivals_world.h: scenes whose
// bodies are locked to a plane z = const.

#ifndef SD_BENCH_RIVALS_PLANAR_H
#define SD_BENCH_RIVALS_PLANAR_H

#include "rivals_world.h"

#include "sudar/joint.h"

SD_BEGIN_C

extern const rivalEngine rivalBox2d;
extern const rivalEngine rivalChipmunk;

/// Of a rotation about z.
static inline float rivalPlanar_GetAngle(sdQuat q) {
    return 2.0f * sdAtan2(q.v.z, q.s);
}

/// In space again; z is that of the start.
static inline sdWorldTransform rivalPlanar_MakePose(sdWorldTransform start, double x, double y,
                                                    float angle) {
    sdWorldTransform pose = {sdPos_Make(x, y, start.p.z),
                             sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), angle)};
    return pose;
}

SD_END_C

#endif
