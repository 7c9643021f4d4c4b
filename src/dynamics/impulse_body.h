// SPDX-License-Identifier: MIT
// impulse_body.h - a body as the impulse solver sees it, and what an impulse does to it.
//
// Equation numbers are those of "Fizikalna simulacija sudara konkavnih krutih tijela" (S2), which
// follows Guendelman, Bridson and Fedkiw, "Nonconvex rigid bodies with stacking", 2003.

#ifndef SD_DYNAMICS_IMPULSE_BODY_H
#define SD_DYNAMICS_IMPULSE_BODY_H

#include "dynamics/step.h"

/// One that is awake; the solver has one more, which stands for all that does not move. The world's
/// bodies stay as they were until the step is stored.
typedef struct sdImpulseBody {
    sdPos startCenter; ///< at the start of the step
    sdQuat startRotation;
    sdPos center; ///< where it is now: the same until bodies are moved
    sdQuat rotation;
    sdVec3 velocity, angularVelocity;
    /// What comes to its velocity before it is moved: forces, while collisions are solved, and the
    /// integrator's drift.
    sdVec3 ahead, angularAhead;
    sdVec3 fall;        ///< what forces give to its velocity in the step
    sdVec3 inverseMass; ///< along the axes of the world: zero along those that are locked
    sdMat33 inverseInertia;
    sdVec3 ownInverseMass; ///< the same, also while it is held
    sdMat33 ownInverseInertia;
    sdPos nextCenter; ///< where it will be: sdImpulseBody_Predict
    sdQuat nextRotation;
    int body;  ///< slot; SD_NULL_INDEX: none of those that move
    int level; ///< of the contact graph; 0: does not move, or by itself
} sdImpulseBody;

/// (7.7) u = v + ω × r
static inline sdVec3 sdImpulseBody_VelocityAt(const sdImpulseBody* body, sdVec3 r) {
    return sdAdd(body->velocity, sdCross(body->angularVelocity, r));
}

/// What comes to (7.7) before the body is moved.
static inline sdVec3 sdImpulseBody_AheadAt(const sdImpulseBody* body, sdVec3 r) {
    return sdAdd(body->ahead, sdCross(body->angularAhead, r));
}

/// (7.5), (7.6), (7.17), (7.18): an impulse j at the arm r.
static inline void sdImpulseBody_Push(sdImpulseBody* body, sdVec3 r, sdVec3 j) {
    body->velocity = sdAdd(body->velocity, sdMul(body->inverseMass, j));
    body->angularVelocity =
        sdAdd(body->angularVelocity, sdMulMV(body->inverseInertia, sdCross(r, j)));
}

/// (7.28): an angular impulse.
static inline void sdImpulseBody_Twist(sdImpulseBody* body, sdVec3 j) {
    body->angularVelocity = sdAdd(body->angularVelocity, sdMulMV(body->inverseInertia, j));
}

/// (7.10): the collision matrix K = 1/m - r~ I⁻¹ r~, with which an impulse changes the velocity of
/// the point at r.
static inline sdMat33 sdImpulseBody_CollisionMatrix(const sdImpulseBody* body, sdVec3 r) {
    sdMat33 skew = sdMat33_Skew(r);
    sdMat33 turning = sdMulMM(skew, sdMulMM(body->inverseInertia, skew));
    sdVec3 m = body->inverseMass;
    return sdMat33_Add(sdMat33_Diagonal(m.x, m.y, m.z), sdMat33_Scale(-1.0f, turning));
}

/// (6.1), (6.2): where it will be after dt.
static inline void sdImpulseBody_Predict(sdImpulseBody* body, float dt) {
    sdVec3 v = sdAdd(body->velocity, body->ahead);
    sdVec3 w = sdAdd(body->angularVelocity, body->angularAhead);
    body->nextCenter = sdPos_Add(body->center, sdScale(dt, v));
    body->nextRotation = sdQuat_Integrate(body->rotation, w, dt);
}

static inline bool sdImpulseBody_IsMovable(const sdImpulseBody* body) {
    sdVec3 m = body->inverseMass;
    const sdMat33* i = &body->inverseInertia;
    return m.x + m.y + m.z + i->cx.x + i->cy.y + i->cz.z > 0.0f;
}

/// Give it infinite mass, while bodies above it are stopped (S2 §8.4).
static inline void sdImpulseBody_Hold(sdImpulseBody* body) {
    body->inverseMass = sdV3(0.0f, 0.0f, 0.0f);
    body->inverseInertia = sdMat33_Diagonal(0.0f, 0.0f, 0.0f);
}

static inline void sdImpulseBody_Release(sdImpulseBody* body) {
    body->inverseMass = body->ownInverseMass;
    body->inverseInertia = body->ownInverseInertia;
}

#endif
