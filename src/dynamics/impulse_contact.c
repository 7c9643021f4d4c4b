// SPDX-License-Identifier: MIT
// impulse_contact.c - what two bodies do to each other at one point (D4, D5, D6).
//
// In:   velocities of two bodies, a point, a normal, materials, the velocity that is wanted.
// Out:  their velocities after the impulse.
// Ref:  S2 §7, equations (7.12) to (7.28); Guendelman, Bridson and Fedkiw 2003, section 7.
// Note: impulses with restitution and friction together can add energy (Kane's pendulum). Friction
//       is then only a share of what Coulomb allows: the largest that does not.

#include "dynamics/impulse_contact.h"

/// Slip, as a share of the velocity at the point, below which it has no direction of its own.
#define LEAST_SLIP 1e-5f
/// Share of N·K N that N·K (N - μ T) must be: beyond it, friction alone would drive the bodies
/// together (Painlevé), and there is no impulse of this form.
#define LEAST_GRIP 0.05f

/// Determinant of K, as a share of the cube of its trace, below which it has no inverse, and what
/// is added to its diagonal then, as a share of its trace.
#define LEAST_VOLUME 1e-7f
#define LEAST_EASE 1e-4f

/// What the steps of one reaction share.
typedef struct Meeting {
    sdVec3 n;
    sdVec3 side; ///< of the point, from the middle of all
    sdVec3 u;    ///< (7.12), before
    float un;
    sdVec3 ut;
    sdMat33 k; ///< K_T = K_1 + K_2
    float knn; ///< N·K_T N
} Meeting;

/// (7.15), (7.16): without friction.
static sdVec3 findSmooth(const Meeting* m, float speed) {
    return sdScale((speed - m->un) / m->knn, m->n);
}

/// (7.20): the impulse that leaves the goal, slip included.
static sdVec3 findSticking(const Meeting* m, sdImpulseGoal goal) {
    sdVec3 wanted = sdMulAdd(sdScale(goal.speed, m->n), goal.keep, m->ut);
    sdMat33 k = m->k;
    float trace = k.cx.x + k.cy.y + k.cz.z;
    if (sdMat33_Determinant(k) <= LEAST_VOLUME * trace * trace * trace) {
        // along a locked axis nothing moves: an impulse there is as good as none
        float ease = LEAST_EASE * trace;
        k = sdMat33_Add(k, sdMat33_Diagonal(ease, ease, ease));
    }
    return sdMat33_Solve(k, sdSub(wanted, m->u));
}

static float twistOf(const Meeting* m, sdVec3 j) {
    return sdDot(m->n, sdCross(m->side, j));
}

/// (7.22): whether static friction can give an impulse, besides what it gave before.
static bool isInCone(const Meeting* m, sdVec3 j, const sdImpulseLoad* load, float friction) {
    float jn = sdDot(m->n, j), limit = friction * (load->normal + jn);
    sdVec3 all = sdAdd(load->friction, sdMulAdd(j, -jn, m->n));
    return load->normal + jn > 0.0f && sdLengthSquared(all) <= limit * limit &&
           sdAbsF(load->twist + twistOf(m, j)) <= limit * load->width;
}

/// (7.23)-(7.26): sliding friction, against the slip.
static sdVec3 findSliding(const Meeting* m, sdVec3 sticking, float friction, float speed) {
    sdVec3 against = sdNeg(m->ut);
    if (sdLengthSquared(m->ut) <= LEAST_SLIP * LEAST_SLIP * sdLengthSquared(m->u)) {
        // what does not slip yet is about to, against what would hold it
        against = sdMulAdd(sticking, -sdDot(m->n, sticking), m->n);
    }
    float length = sdLength(against);
    sdVec3 direction = length > 0.0f ? sdScale(1.0f / length, against) : sdV3(0.0f, 0.0f, 0.0f);
    sdVec3 pull = sdMulAdd(m->n, friction, direction); // N - μ T
    float grip = sdDot(m->n, sdMulMV(m->k, pull));
    if (grip < LEAST_GRIP * m->knn) {
        return findSmooth(m, speed);
    }
    return sdScale((speed - m->un) / grip, pull);
}

/// Energy that an impulse gives: j·u + ½ j·K j, between the one without friction and it.
/// @return the largest share of the way from `smooth` to `rough` on which there is none
static float findShare(const Meeting* m, sdVec3 smooth, sdVec3 rough) {
    sdVec3 d = sdSub(rough, smooth), kd = sdMulMV(m->k, d), ks = sdMulMV(m->k, smooth);
    float c = sdDot(smooth, m->u) + 0.5f * sdDot(smooth, ks);
    float b = sdDot(d, m->u) + sdDot(d, ks), a = 0.5f * sdDot(d, kd);
    // pushing out of an overlap may give some
    c = sdMinF(c, 0.0f);
    if (a + b + c <= 0.0f) {
        return 1.0f;
    }
    float root = sqrtf(sdMaxF(b * b - 4.0f * a * c, 0.0f));
    return a > 0.0f ? sdClampF((root - b) / (2.0f * a), 0.0f, 1.0f) : 0.0f;
}

/// Slow the turn along an axis by an angular impulse of at most `limit`, never turning it round.
/// (7.27); the limits bound the angular impulse, so that the coefficients are lengths.
static sdVec3 brake(sdVec3 w, const sdMat33* inverses, float limit) {
    float speed = sdLength(w);
    if (!(speed > 0.0f) || !(limit > 0.0f)) {
        return sdV3(0.0f, 0.0f, 0.0f);
    }
    sdVec3 axis = sdScale(1.0f / speed, w);
    float ease = sdDot(axis, sdMulMV(*inverses, axis));
    float stopping = ease > 0.0f ? speed / ease : 0.0f;
    return sdScale(-sdMinF(stopping, limit), axis);
}

/// Rolling and spinning friction, as far as all that presses allows and is not used up.
static sdVec3 findRolling(const Meeting* m, const sdImpulseBody* a, const sdImpulseBody* b,
                          const sdMaterial* material, sdImpulseLoad* load) {
    float spinLimit = material->spinFriction * load->normal - load->spun;
    float rollLimit = material->rollingFriction * load->normal - load->rolled;
    sdMat33 inverses = sdMat33_Add(a->inverseInertia, b->inverseInertia); // L_T
    sdVec3 w = sdSub(b->angularVelocity, a->angularVelocity);
    sdVec3 spin = sdScale(sdDot(w, m->n), m->n);
    sdVec3 j = brake(spin, &inverses, spinLimit);
    // what the first did to the roll is seen by the second, so that neither adds energy
    sdVec3 left = sdAdd(w, sdMulMV(inverses, j));
    sdVec3 roll = sdMulAdd(left, -sdDot(left, m->n), m->n);
    sdVec3 rolling = brake(roll, &inverses, rollLimit);
    load->spun += sdLength(j);
    load->rolled += sdLength(rolling);
    return sdAdd(j, rolling);
}

static Meeting meet(const sdImpulsePoint* point, const sdImpulseBody* a, const sdImpulseBody* b) {
    Meeting m = {
        .n = point->normal, .side = point->side, .u = sdImpulsePoint_GetVelocity(point, a, b)};
    m.un = sdDot(m.n, m.u);
    m.ut = sdMulAdd(m.u, -m.un, m.n);
    m.k = sdMat33_Add(sdImpulseBody_CollisionMatrix(a, point->armA),
                      sdImpulseBody_CollisionMatrix(b, point->armB));
    m.knn = sdDot(m.n, sdMulMV(m.k, m.n));
    return m;
}

sdImpulseReaction sdImpulsePoint_PullBack(const sdImpulsePoint* point, sdImpulseBody* a,
                                          sdImpulseBody* b, float speed, sdImpulseLoad* load) {
    Meeting m = meet(point, a, b);
    sdImpulseReaction reaction = {.normal = 0.0f};
    if (m.knn > 0.0f) {
        reaction.normal = sdMaxF((speed - m.un) / m.knn, -point->pushed);
        reaction.push = sdScale(reaction.normal, m.n);
        sdImpulseBody_Push(a, point->armA, sdNeg(reaction.push));
        sdImpulseBody_Push(b, point->armB, reaction.push);
        load->normal += reaction.normal;
    }
    return reaction;
}

sdImpulseReaction sdImpulsePoint_React(const sdImpulsePoint* point, sdImpulseBody* a,
                                       sdImpulseBody* b, const sdMaterial* material,
                                       sdImpulseGoal goal, sdImpulseLoad* load) {
    sdImpulseReaction reaction = {.normal = 0.0f};
    Meeting m = meet(point, a, b);
    if (!(m.knn > 0.0f)) {
        return reaction;
    }
    sdVec3 j = findSmooth(&m, goal.speed);
    if (sdMaxF(material->staticFriction, material->slidingFriction) > 0.0f) {
        sdVec3 sticking = findSticking(&m, goal);
        sdVec3 rough = isInCone(&m, sticking, load, material->staticFriction)
                           ? sticking
                           : findSliding(&m, sticking, material->slidingFriction, goal.speed);
        j = sdLerp(j, rough, findShare(&m, j, rough));
    }
    sdImpulseBody_Push(a, point->armA, sdNeg(j));
    sdImpulseBody_Push(b, point->armB, j);
    reaction.push = j;
    reaction.normal = sdDot(m.n, j);
    load->normal += reaction.normal;
    load->twist += twistOf(&m, j);
    load->friction = sdAdd(load->friction, sdMulAdd(j, -reaction.normal, m.n));
    if (sdMaxF(material->rollingFriction, material->spinFriction) > 0.0f) {
        reaction.rolling = findRolling(&m, a, b, material, load);
        sdImpulseBody_Twist(a, sdNeg(reaction.rolling));
        sdImpulseBody_Twist(b, reaction.rolling);
    }
    return reaction;
}
