// SPDX-License-Identifier: MIT
// joint_tree_kernel.c - slender sets of joints that take turns with contacts.

#include "dynamics/joint_tree_solve.h"

/// Times by which the energy of a set is more than it can be.
#define WILD_GAIN 10.0f

void SD_KERNEL(sdTreeGroup_Begin)(sdTreeGroup* group, const sdJointSolver* solver) {
    for (int i = 0; i < group->plan->bodyCount; ++i) {
        gatherBody(&group->bodies[i], solver->step->states);
        setRotation(&group->bodies[i]);
    }
    follow(group, solver->step->h);
    group->isStiff = !group->isAlone && findSwing(group, solver->step->h) > STIFF_SWING;
    if (group->isStiff) {
        follow(group, solver->step->h);
    }
}

/// Impulses that raise the energy of a set many times are wrong: start without.
SD_INLINE void dropWild(const sdTreeGroup* group, sdF8 before, sdF8 after) {
    sdF8 zero = sdF8_Zero(), one = sdF8_Splat(1.0f);
    sdI8 isWild = sdF8_Less(sdF8_Splat(WILD_GAIN) * before, after);
    if (!sdI8_Any(isWild)) {
        return;
    }
    for (int i = 0; i < group->plan->bodyCount; ++i) {
        sdTreeBody* body = &group->bodies[i];
        body->now.velocity = sdVec3x8_Select(isWild, body->givenVelocity, body->now.velocity);
        body->now.angularVelocity =
            sdVec3x8_Select(isWild, body->givenSpin, body->now.angularVelocity);
    }
    sdF8 keep = sdF8_Select(isWild, zero, one);
    for (int n = 0; n < group->plan->nodeCount; ++n) {
        sdJointBatch* batch = group->batches[n];
        batch->impulse = sdVec3x8_Scale(keep, batch->impulse);
        for (int i = 0; i < batch->rowCount; ++i) {
            batch->rows[i].impulse *= keep;
        }
    }
}

void SD_KERNEL(sdTreeGroup_Start)(sdTreeGroup* group, const sdJointSolver* solver) {
    const sdTreePlan* plan = group->plan;
    sdBodyState* states = solver->step->states;
    for (int i = 0; i < plan->bodyCount; ++i) {
        sdTreeBody* body = &group->bodies[i];
        gatherBody(body, states);
        body->now.velocity = sdVec3x8_Sub(body->now.velocity, body->givenVelocity);
        body->now.angularVelocity = sdVec3x8_Sub(body->now.angularVelocity, body->givenSpin);
        body->givenVelocity = body->now.velocity;
        body->givenSpin = body->now.angularVelocity;
        limitSpeeds(body, solver->step->h);
    }
    slowStiff(group);
    sdF8 work, before = group->isStiff ? findEnergy(group, solver->step->h, &work) : sdF8_Zero();
    pushAgain(group, 1.0f);
    if (group->isStiff) {
        dropWild(group, before, findEnergy(group, solver->step->h, &work));
    }
    for (int i = 0; i < plan->bodyCount; ++i) {
        sdTreeBody* body = &group->bodies[i];
        body->givenVelocity = sdVec3x8_Sub(body->now.velocity, body->givenVelocity);
        body->givenSpin = sdVec3x8_Sub(body->now.angularVelocity, body->givenSpin);
        sdBodyLanes_Scatter(body->states, body->writes, states, &body->now);
    }
}

void SD_KERNEL(sdTreeGroup_Solve)(sdTreeGroup* group, const sdJointSolver* solver, bool isBiased) {
    const sdTreePlan* plan = group->plan;
    sdBodyState* states = solver->step->states;
    for (int i = 0; i < plan->bodyCount; ++i) {
        sdTreeBody* body = &group->bodies[i];
        gatherBody(body, states);
        body->givenVelocity = sdVec3x8_Sub(body->givenVelocity, body->now.velocity);
        body->givenSpin = sdVec3x8_Sub(body->givenSpin, body->now.angularVelocity);
        if (!isBiased) {
            setRotation(body);
        }
    }
    float h = solver->step->h;
    bool isHard = !group->isCarried && (group->isStiff || findTurn(group, h) > VERY_WIDE_TURN);
    sdF8 work, before = isHard ? findEnergy(group, h, &work) : sdF8_Zero();
    if (isBiased) {
        solvePlaces(group, h);
    } else {
        group->isStiff = findSwing(group, h) > STIFF_SWING;
        follow(group, h);
        solveSpeeds(group, h);
    }
    if (isHard) {
        float gain = 1.0f + (isBiased ? MIDDLE_GAIN : ENERGY_GAIN);
        slowTo(group, findEnergy(group, h, &work), sdF8_Splat(gain) * before);
    }
    for (int i = 0; i < plan->bodyCount; ++i) {
        sdTreeBody* body = &group->bodies[i];
        body->givenVelocity = sdVec3x8_Add(body->givenVelocity, body->now.velocity);
        body->givenSpin = sdVec3x8_Add(body->givenSpin, body->now.angularVelocity);
        sdBodyLanes_Scatter(body->states, body->writes, states, &body->now);
    }
}
