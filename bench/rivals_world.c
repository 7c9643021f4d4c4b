// SPDX-License-Identifier: MIT
// rivals_world.c - see rivals_world.h.

#include "rivals_world.h"

/// Relative to the largest moment: what is off the diagonal by less is rounding.
#define DIAGONAL_TOLERANCE 1e-5f

static bool isDiagonal(sdMat33 m) {
    float limit = DIAGONAL_TOLERANCE * sdMaxF(m.cx.x, sdMaxF(m.cy.y, m.cz.z));
    return sdAbsF(m.cy.x) < limit && sdAbsF(m.cz.x) < limit && sdAbsF(m.cz.y) < limit;
}

bool rivalBody_Get(const sdWorld* world, sdBodyId id, rivalBody* out) {
    sdWorldTransform origin = sdBody_GetTransform(world, id);
    sdMassProps mass = sdBody_GetMass(world, id);
    *out = (rivalBody){.type = sdBody_GetType(world, id),
                       .velocity = sdBody_GetVelocity(world, id),
                       .angularVelocity = sdBody_GetAngularVelocity(world, id),
                       .isBullet = sdBody_IsBullet(world, id),
                       .mass = mass.mass,
                       .moments = sdV3(mass.inertia.cx.x, mass.inertia.cy.y, mass.inertia.cz.z),
                       .frame = sdTransform_Identity()};
    if (out->type == SD_BODY_DYNAMIC) {
        out->frame = isDiagonal(mass.inertia) ? sdTransform_Make(mass.center, sdQuat_Identity())
                                              : sdMassProps_PrincipalFrame(mass, &out->moments);
    }
    out->pose.p = sdPos_Add(origin.p, sdRotate(origin.q, out->frame.p));
    out->pose.q = sdMulQ(origin.q, out->frame.q);
    sdShapeId ids[RIVAL_MAX_SHAPES];
    out->shapeCount = sdBody_GetShapes(world, id, ids, RIVAL_MAX_SHAPES);
    for (int i = 0; i < sdMinI(out->shapeCount, RIVAL_MAX_SHAPES); ++i) {
        out->shapes[i] = sdShapeId_GetDef(world, ids[i]);
        out->shapeXf[i] = sdInvMulXf(out->frame, out->shapes[i]->xf);
    }
    return out->shapeCount >= 1 && out->shapeCount <= RIVAL_MAX_SHAPES;
}

int rivalScene_FindBody(const rivalWorldScene* scene, sdBodyId id) {
    int i = 0;
    while (scene->bodies[i] != id) {
        i += 1;
    }
    return i;
}

sdWorldTransform rivalBody_ToOrigin(sdWorldTransform framePose, sdTransform frame) {
    sdTransform back = sdInvertXf(frame);
    return (sdWorldTransform){sdPos_Add(framePose.p, sdRotate(framePose.q, back.p)),
                              sdMulQ(framePose.q, back.q)};
}

sdTransform rivalAlongZ(sdTransform alongY) {
    // a quarter turn about x takes z to -y, one back takes it to y
    const float h = 0.70710678f;
    sdQuat turn = {{-h, 0.0f, 0.0f}, h};
    return sdTransform_Make(alongY.p, sdMulQ(alongY.q, turn));
}

bool rivalTransform_IsIdentity(sdTransform xf) {
    return sdLength(xf.p) < 1e-6f && sdLength(xf.q.v) < 1e-6f;
}
