// SPDX-License-Identifier: MIT
// joint_tree_kernel.c - slender sets of joints that take turns with contacts.

#include "dynamics/joint_tree_solve.h"

/// Times by which the energy of a set is more than it can be.
#define WILD_GAIN 10.0f
/// Times that contacts which would have to pull are let go; the last time all.
#define MAX_RELEASES 3
/// Times by which impulses of the sub-step before raise the energy of a set that has just met
/// something.
#define IMPACT_GAIN 2.0f
/// Share of its energy that drives may give a set that contacts hold in a sub-step, and m/s: as if
/// it went at that.
#define HELD_GAIN 0.1f
#define MOTOR_SPEED 0.3f
/// Times the energy that a set may have after a solution, from which on it is none: arms have
/// turned too far for it, and its impulses, of contacts as well, would be the first guess of the
/// next one.
#define LOST_GAIN 2.0f
/// Ratio of masses in a set from which on rows give more, and the most that they do: what a light
/// body leaves of the inverse mass of a heavy one behind it is a difference that floats round. Of
/// beams of 1 : 12 000 every other one came apart.
#define UNEVEN_RATIO 3000.0f
#define MAX_SOFTNESS 1e-4f

/// What integration knows of eight bodies; nothing of those that are not pushed.
SD_INLINE void gatherMotion(sdTreeBody* body, const sdJointSolver* solver) {
    static const sdBodyMotion still = {.damping = 1.0f, .angularDamping = 1.0f};
    const sdMat33 *starts[SD_LANES], *moments[SD_LANES], *inverses[SD_LANES];
    const float* gains[SD_LANES];
    float dampings[SD_LANES];
    for (int i = 0; i < SD_LANES; ++i) {
        bool isPushed = (body->writes >> i & 1) != 0;
        const sdBodyMotion* motion = isPushed ? &solver->step->motions[body->states[i]] : &still;
        starts[i] = isPushed ? &solver->tensors[body->states[i]] : &still.inertia;
        moments[i] = &motion->inertia;
        inverses[i] = &motion->inverseInertia;
        gains[i] = &motion->gain.x; // and damping
        dampings[i] = motion->angularDamping;
    }
    body->startInertia = sdSym3x8_Gather(starts);
    body->moment = sdSym3x8_Gather(moments);
    body->freeInertia = sdSym3x8_Gather(inverses);
    body->isPlain = memcmp(&body->startInertia, &body->freeInertia, sizeof body->freeInertia) == 0;
    sdF8 g[4], trace = body->moment.xx + body->moment.yy + body->moment.zz;
    sdF8_LoadRows(gains, 0, g);
    body->gain = (sdVec3x8){g[0], g[1], g[2]};
    body->damping = g[3];
    body->angularDamping = sdF8_Load(dampings);
    body->lightness = sdF8_Splat(2.0f) * sdF8_InverseOf(trace);
}

/// How much rows give in each set.
SD_INLINE void setSoftness(sdTreeGroup* group) {
    const sdTreePlan* plan = group->plan;
    sdF8 zero = sdF8_Zero(), heaviest = sdF8_Splat(FLT_MAX), lightest = zero;
    for (int i = 0; i < plan->bodyCount; ++i) {
        sdF8 mass = group->bodies[i].mass;
        heaviest = sdF8_Select(sdF8_Less(zero, mass), sdF8_Min(mass, heaviest), heaviest);
        lightest = sdF8_Max(mass, lightest);
    }
    sdF8 least = sdF8_Splat(plan->softness);
    sdF8 softness = least * sdF8_Splat(1.0f / UNEVEN_RATIO) * (lightest / heaviest);
    softness = sdF8_Max(sdF8_Min(softness, sdF8_Splat(MAX_SOFTNESS)), least);
    sdF8_Store(group->softness, softness);
}

/// What is the same for the whole step.
SD_INLINE void keepBody(const sdTreeBody* body, sdTreeKept* kept) {
    memcpy(kept->states, body->states, sizeof kept->states);
    kept->writes = body->writes;
    kept->isPlain = body->isPlain;
    kept->mass = body->mass;
    kept->lightness = body->lightness;
    kept->isEven = body->isEven;
    kept->isLocked = body->isLocked;
    kept->startInertia = body->startInertia;
    kept->moment = body->moment;
    if (!body->isPlain) {
        kept->freeInertia = body->freeInertia;
    }
    kept->gain = body->gain;
    kept->damping = body->damping;
    kept->angularDamping = body->angularDamping;
    kept->givenVelocity = kept->givenSpin = zeroVec();
    kept->endVelocity = body->now.velocity;
    kept->endSpin = body->now.angularVelocity;
}

/// What is not.
SD_INLINE void keepVelocities(const sdTreeBody* body, sdTreeKept* kept) {
    kept->givenVelocity = body->givenVelocity;
    kept->givenSpin = body->givenSpin;
    kept->endVelocity = body->endVelocity;
    kept->endSpin = body->endSpin;
}

/// Bring a body back, to where it is now.
SD_INLINE void openBody(sdTreeBody* body, const sdTreeKept* kept, const sdBodyState* states) {
    memcpy(body->states, kept->states, sizeof body->states);
    body->writes = kept->writes;
    body->isPlain = kept->isPlain;
    body->gripCount = kept->gripCount;
    body->grips = kept->grips;
    body->mass = kept->mass;
    body->lightness = kept->lightness;
    body->isEven = kept->isEven;
    body->isLocked = kept->isLocked;
    body->startInertia = kept->startInertia;
    body->moment = kept->moment;
    body->freeInertia = kept->isPlain ? kept->startInertia : kept->freeInertia;
    body->givenVelocity = kept->givenVelocity;
    body->givenSpin = kept->givenSpin;
    body->endVelocity = kept->endVelocity;
    body->endSpin = kept->endSpin;
    body->gain = kept->gain;
    body->damping = kept->damping;
    body->angularDamping = kept->angularDamping;
    gatherBody(body, states);
    setRotation(body);
    turnTensors(body);
}

void SD_KERNEL(sdTreeGroup_Begin)(sdTreeGroup* group, const sdJointSolver* solver) {
    chooseAims(group);
    for (int i = 0; i < group->plan->bodyCount; ++i) {
        gatherMotion(&group->bodies[i], solver);
        gatherBody(&group->bodies[i], solver->step->states);
        startTurn(&group->bodies[i]);
    }
    setSoftness(group);
    if (group->isAlone) {
        followArms(group, solver->step->h);
        assemble(group, solver->step->h, true);
        return;
    }
    group->isMoved = true;
    sdF8 work, energy = findEnergy(group, solver->step->h, &work);
    memcpy(group->startEnergy, &energy, sizeof group->startEnergy);
    for (int i = 0; i < group->plan->bodyCount; ++i) {
        keepBody(&group->bodies[i], &group->kept[i]);
    }
}

/// Bring everything back, to where bodies are now.
SD_INLINE void openGroup(sdTreeGroup* group, const sdJointSolver* solver) {
    for (int i = 0; i < group->plan->bodyCount; ++i) {
        openBody(&group->bodies[i], &group->kept[i], solver->step->states);
        if (group->next != NULL && i < group->next->plan->bodyCount) {
            sdPrefetch(&group->next->kept[i], sizeof *group->kept);
        }
    }
    if (group->isMoved) {
        group->isStiff = findSwing(group, solver->step->h) > STIFF_SWING;
        group->isMoved = false;
    }
    followArms(group, solver->step->h);
}

/// Hand velocities over.
SD_INLINE void closeGroup(const sdTreeGroup* group, sdBodyState* states) {
    for (int i = 0; i < group->plan->bodyCount; ++i) {
        const sdTreeBody* body = &group->bodies[i];
        keepVelocities(body, &group->kept[i]);
        sdBodyLanes_Scatter(body->states, body->writes, states, &body->now);
    }
}

SD_INLINE void clearLanes(const sdTreeGroup* group, sdI8 isWild) {
    sdF8 keep = sdF8_Select(isWild, sdF8_Zero(), sdF8_Splat(1.0f));
    for (int n = 0; n < group->plan->nodeCount; ++n) {
        sdJointBatch* batch = group->batches[n];
        batch->impulse = sdVec3x8_Scale(keep, batch->impulse);
        for (int i = 0; i < batch->rowCount; ++i) {
            batch->rows[i].impulse *= keep;
        }
    }
}

/// Impulses that raise the energy of a set many times are wrong: start without.
SD_INLINE void dropWild(const sdTreeGroup* group, sdF8 before, sdF8 after) {
    sdI8 isWild = sdF8_Less(sdF8_Splat(WILD_GAIN) * before, after);
    if (!sdI8_Any(isWild)) {
        return;
    }
    for (int i = 0; i < group->plan->bodyCount; ++i) {
        sdTreeBody* body = &group->bodies[i];
        sdBodyLanes* now = &body->now;
        now->velocity = sdVec3x8_Select(isWild, body->givenVelocity, now->velocity);
        now->angularVelocity = sdVec3x8_Select(isWild, body->givenSpin, now->angularVelocity);
    }
    clearLanes(group, isWild);
    forgetGrips(group, (uint32_t)sdI8_MaskBits(isWild));
}

/// Go on without any impulses, of joints and contacts, where with those of the sub-step before
/// there is far more energy than without.
/// @param lanes that are looked at
/// @param spare energy that is no matter
/// @return where that is so
SD_INLINE sdI8 dropGuess(const sdTreeGroup* group, float h, sdI8 lanes, sdF8 spare) {
    sdF8 work, after = findEnergy(group, h, &work);
    for (int i = 0; i < group->plan->bodyCount; ++i) {
        sdTreeBody* body = &group->bodies[i];
        sdBodyLanes* now = &body->now;
        sdI8 isPushed = sdF8_Less(sdF8_Zero(), body->mass);
        body->heldVelocity = now->velocity;
        body->heldSpin = now->angularVelocity;
        sdVec3x8 free = sdVec3x8_Scale(body->damping, sdVec3x8_Add(body->endVelocity, body->gain));
        now->velocity = sdVec3x8_Select(isPushed, free, now->velocity);
        free = sdVec3x8_Scale(body->angularDamping, body->endSpin);
        now->angularVelocity = sdVec3x8_Select(isPushed, free, now->angularVelocity);
    }
    sdF8 most = sdF8_Splat(IMPACT_GAIN) * findEnergy(group, h, &work) + spare;
    sdI8 isWild = lanes & sdF8_Less(most, after);
    for (int i = 0; i < group->plan->bodyCount; ++i) {
        sdTreeBody* body = &group->bodies[i];
        sdBodyLanes* now = &body->now;
        now->velocity = sdVec3x8_Select(isWild, now->velocity, body->heldVelocity);
        now->angularVelocity = sdVec3x8_Select(isWild, now->angularVelocity, body->heldSpin);
    }
    if (sdI8_Any(isWild)) {
        clearLanes(group, isWild);
        forgetGrips(group, (uint32_t)sdI8_MaskBits(isWild));
    }
    return isWild;
}

/// After an impact, what joints and contacts gave is not what they will give; and their arms have
/// turned since, in other ways: a light foot under a doll that lands would spin wildly.
SD_INLINE void dropImpact(const sdTreeGroup* group, float h) {
    sdI8 isWild = dropGuess(group, h, sdI8_Splat(-1), sdF8_Zero());
    for (int i = 0; i < group->plan->bodyCount; ++i) {
        sdTreeBody* body = &group->bodies[i];
        body->givenVelocity = sdVec3x8_Select(isWild, body->now.velocity, body->givenVelocity);
        body->givenSpin = sdVec3x8_Select(isWild, body->now.angularVelocity, body->givenSpin);
    }
}

/// The same of the last step, once contacts have had their turn, too: what joints alone gave in it
/// says little, for a foot that stands gets the weight of all of the doll. Only of sets that get no
/// energy from others.
SD_INLINE void dropLastStep(const sdTreeGroup* group, float h) {
    sdI8 isWild = dropGuess(group, h, sdI8_Load(group->ownEnergy), energyAt(group, MOTOR_SPEED));
    for (int i = 0; i < group->plan->bodyCount; ++i) {
        sdTreeBody* body = &group->bodies[i];
        body->givenVelocity = sdVec3x8_Select(isWild, zeroVec(), body->givenVelocity);
        body->givenSpin = sdVec3x8_Select(isWild, zeroVec(), body->givenSpin);
    }
}

/// Begin a sub-step with the impulses of the one before.
SD_NOINLINE void startGroup(const sdTreeGroup* group, const sdJointSolver* solver) {
    const sdTreePlan* plan = group->plan;
    for (int i = 0; i < plan->bodyCount; ++i) {
        sdTreeBody* body = &group->bodies[i];
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
    if (group->hasEnd) {
        dropImpact(group, solver->step->h);
    }
    for (int i = 0; i < plan->bodyCount; ++i) {
        sdTreeBody* body = &group->bodies[i];
        body->givenVelocity = sdVec3x8_Sub(body->now.velocity, body->givenVelocity);
        body->givenSpin = sdVec3x8_Sub(body->now.angularVelocity, body->givenSpin);
    }
}

/// One try at places or velocities.
SD_INLINE void solveOnce(const sdTreeGroup* group, float h, bool isBiased) {
    if (isBiased) {
        solvePlaces(group, h);
    } else {
        solveSpeeds(group, h);
    }
}

/// Solve with the contacts that push held, again without those that would have to pull.
SD_INLINE void solveHeld(const sdTreeGroup* group, float h, bool isBiased) {
    solveOnce(group, h, isBiased);
    for (int i = 1; i <= MAX_RELEASES && releaseGrips(group, i == MAX_RELEASES); ++i) {
        takeBack(group, sdI8_Splat(-1));
        assemble(group, h, false);
        solveOnce(group, h, isBiased);
    }
}

/// Sets that their solution has lost keep what they had, and joints alone hold their velocities
/// together: that is linear, and adds no energy. Of where they should be something is left for the
/// next sub-step.
SD_NOINLINE void lockLost(const sdTreeGroup* group, float h, sdI8 isLost) {
    takeBack(group, isLost);
    letGo(group, (uint32_t)sdI8_MaskBits(isLost));
    assemble(group, h, false);
    for (int n = 0; n < group->plan->nodeCount; ++n) {
        loadSpeeds(group, n);
    }
    for (int b = 0; b < group->plan->blockCount; ++b) {
        sdTreeMatrix* matrix = &group->matrices[b];
        sdF8* impulses[3];
        getImpulses(group, b, impulses);
        for (int i = 0; i < 3; ++i) {
            // just what rows give: others are left as they are
            sdF8 given = impulses[i] != NULL ? matrix->gives[i] * *impulses[i] : sdF8_Zero();
            matrix->vector[i] = sdF8_Select(isLost, matrix->vector[i], given);
        }
    }
    solveLocks(group);
}

/// Energy that a set may have in a sub-step on which nothing acts but its joints and what stands
/// still. Sub-steps that each gain a little would gain much in a step.
/// @param count of sub-steps so far: drives may give something in each
SD_INLINE sdF8 findMost(const sdTreeGroup* group, int count, float gain, sdF8 work) {
    sdF8 start = sdF8_Load(group->startEnergy);
    sdF8 most = start + work + sdF8_Splat(gain) * (start + sdF8_Abs(work));
    return most + sdF8_Splat((float)count) * energyAt(group, MOTOR_SPEED);
}

/// Slow sets down that have gained energy, and bring back those that have gained far too much.
/// @param before their energy before they were solved; markStart was then
SD_INLINE void limitEnergy(const sdTreeGroup* group, const sdJointSolver* solver, sdF8 before,
                           bool isHard, bool isBiased) {
    float h = solver->step->h, gain = isBiased ? MIDDLE_GAIN : isHard ? ENERGY_GAIN : HELD_GAIN;
    sdF8 work, energy = findEnergy(group, h, &work), most = sdF8_Splat(1.0f + gain) * before;
    if (!isHard) {
        most += energyAt(group, MOTOR_SPEED);
    }
    sdF8 own = sdF8_Min(most, findMost(group, solver->startedCount, gain, work));
    most = sdF8_Select(sdI8_Load(group->ownEnergy), own, most);
    most = isBiased ? leaveToDraw(group, h, most) : most;
    // written so that what is not a number is lost
    sdF8 limit = sdF8_Splat(LOST_GAIN) * sdF8_Max(most, sdF8_Zero());
    sdI8 isLost = ~sdF8_LessEqual(energy, limit);
    if (sdI8_Any(isLost)) {
        lockLost(group, h, isLost);
        energy = findEnergy(group, h, &work);
    }
    slowTo(group, energy, most);
}

SD_NOINLINE void solveGroup(sdTreeGroup* group, const sdJointSolver* solver, bool isBiased) {
    const sdTreePlan* plan = group->plan;
    if (group->hasGrips && !group->hasEnd && !group->isCarried) {
        dropLastStep(group, solver->step->h);
    }
    for (int i = 0; i < plan->bodyCount; ++i) {
        sdTreeBody* body = &group->bodies[i];
        body->givenVelocity = sdVec3x8_Sub(body->givenVelocity, body->now.velocity);
        body->givenSpin = sdVec3x8_Sub(body->givenSpin, body->now.angularVelocity);
    }
    float h = solver->step->h;
    bool isHard = !group->isCarried && (group->isStiff || findTurn(group, h) > VERY_WIDE_TURN);
    bool isHeld = group->hasGrips && !group->isCarried;
    sdF8 work, before = isHard || isHeld ? findEnergy(group, h, &work) : sdF8_Zero();
    if (isHard || group->hasGrips) {
        markStart(group);
    }
    chooseGrips(group);
    assemble(group, h, true);
    if (group->hasGrips) {
        solveHeld(group, h, isBiased);
    } else {
        solveOnce(group, h, isBiased);
    }
    if (isHard || isHeld) {
        limitEnergy(group, solver, before, isHard, isBiased);
    }
    if (group->hasGrips) {
        storeGrips(group);
    }
    for (int i = 0; i < plan->bodyCount; ++i) {
        sdTreeBody* body = &group->bodies[i];
        body->givenVelocity = sdVec3x8_Add(body->givenVelocity, body->now.velocity);
        body->givenSpin = sdVec3x8_Add(body->givenSpin, body->now.angularVelocity);
        body->endVelocity = body->now.velocity;
        body->endSpin = body->now.angularVelocity;
    }
    group->hasEnd = group->hasGrips;
    group->isMoved = isBiased;
}

void SD_KERNEL(sdTreeGroup_Start)(sdTreeGroup* group, const sdJointSolver* solver) {
    openGroup(group, solver);
    startGroup(group, solver);
    closeGroup(group, solver->step->states);
}

void SD_KERNEL(sdTreeGroup_Solve)(sdTreeGroup* group, const sdJointSolver* solver, bool isBiased) {
    openGroup(group, solver);
    solveGroup(group, solver, isBiased);
    closeGroup(group, solver->step->states);
}

void SD_KERNEL(sdTreeGroup_StartAndSolve)(sdTreeGroup* group, const sdJointSolver* solver) {
    openGroup(group, solver);
    startGroup(group, solver);
    solveGroup(group, solver, true);
    closeGroup(group, solver->step->states);
}
