// SPDX-License-Identifier: MIT
// joint_alone_kernel.c - sets of joints on which nothing else acts: all sub-steps of a step in one
// go.
//
// Note: they need no more sub-steps than accuracy calls for. What turns fast, or swings fast under
//       a load, is followed in more and shorter parts; how many is asked after each of them. Where
//       locks are all there is, forces act half before bodies move and half after, so that
//       velocities are those of where they are, and energy is kept to the second order.

#include "dynamics/joint_tree_solve.h"

/// rad that nothing turns farther than in a part of a step; parts for each sub-step that is asked
/// for, at most, and those of what is locked twice.
#define PART_TURN 0.1f
#define MAX_PARTS 16
#define LOOP_PARTS 2
/// Joints of sets that have all sub-steps that are asked for, which takes them little. Chains have
/// half as many where no link swings farther than this under its load in one: (ω h)² / 2.
#define SMALL_SET 4
#define CALM_SWING 0.45f
/// Share of its energy that a set may gain in a step where nothing seems to be fast: a chain that
/// is folded, and pushed at, may still lead the search for places astray.
#define CALM_GAIN 0.1f
/// m/s: as if a set went at that when it has no more. Of what hangs at rest some steps' energy is
/// rounding; without that it stood still in the middle of a step, and joints gave half of its
/// weight.
#define REST_SPEED 0.01f
/// m/s, rad/s at which rows part before a step, beyond which someone has kicked.
#define KICK_SPEED 0.01f

/// What is left of a step.
typedef struct Rest {
    float time;
    int least, most; ///< parts of it: none is shorter than a sub-step's part may be
    int swingMost;   ///< those for what swings under a load
} Rest;

/// Forces for a part of a sub-step, one of 1 / share; damping is implicit.
SD_INLINE void accelerate(sdTreeBody* body, float share) {
    sdBodyLanes* now = &body->now;
    sdF8 part = sdF8_Splat(share), one = sdF8_Splat(1.0f);
    sdF8 damping = body->damping / (body->damping + part * (one - body->damping));
    sdF8 angularDamping =
        body->angularDamping / (body->angularDamping + part * (one - body->angularDamping));
    sdVec3x8 gained = sdVec3x8_MulAdd(now->velocity, part, body->gain);
    now->velocity = sdVec3x8_Scale(damping, gained);
    now->angularVelocity = sdVec3x8_Scale(angularDamping, now->angularVelocity);
}

/// Parts of what is left of a step, so many that nothing turns far in one and no link swings far.
/// @param scale of the impulses, so that they are those of all that is left
SD_INLINE int countParts(sdTreeGroup* group, const Rest* rest, float scale) {
    float turn = findTurn(group, rest->time), swing = scale * findSwing(group, rest->time);
    bool isCalm = swing < CALM_SWING * (float)(rest->least * rest->least);
    float swings = isCalm ? 1.0f : sdMinF(sqrtf(swing / PART_SWING), (float)rest->swingMost);
    float wanted = sdMinF(sdMaxF(turn / PART_TURN, swings), (float)rest->most);
    int parts = sdMaxI((int)ceilf(wanted), rest->least);
    group->isStiff = swing > STIFF_SWING * (float)(parts * parts);
    return parts;
}

/// The pull of a long arm is along it, and the arm has turned since: on a small body at its end
/// what is now across would be a wild spin. One joint is solved as well from nothing.
SD_INLINE void forgetPendulums(const sdTreeGroup* group, float h) {
    sdJointBatch* batch = group->batches[0];
    sdI8 isPendulum = findPendulums(group);
    if (group->hasSweeps || !sdI8_Any(isPendulum) || findTurn(group, h) < NARROW_TURN) {
        return;
    }
    batch->impulse = sdVec3x8_Select(isPendulum, zeroVec(), batch->impulse);
    for (int i = 0; i < batch->rowCount; ++i) {
        batch->rows[i].impulse = sdF8_Select(isPendulum, sdF8_Zero(), batch->rows[i].impulse);
    }
}

/// Everything back to the states.
SD_INLINE void storeBody(const sdTreeBody* body, sdBodyState* states) {
    sdBodyState nobody;
    float* rows[SD_LANES];
    for (int i = 0; i < SD_LANES; ++i) {
        rows[i] = &((body->writes >> i & 1) != 0 ? states + body->states[i] : &nobody)->velocity.x;
    }
    const sdBodyLanes* now = &body->now;
    sdF8 d[4] = {now->displacement.x, now->displacement.y, now->displacement.z, sdF8_Zero()};
    sdF8 q[4] = {now->turn.x, now->turn.y, now->turn.z, now->turnScalar};
    sdBodyLanes_Scatter(body->states, body->writes, states, now);
    sdF8_StoreRows(rows, 8, d);
    sdF8_StoreRows(rows, 12, q);
}

/// @param gain share of its energy that a set may have gained since the start of the step
SD_INLINE void limitEnergy(const sdTreeGroup* group, float h, sdF8 start, float gain,
                           bool isMiddle) {
    sdF8 work, energy = findEnergy(group, h, &work);
    sdF8 most = start + work + sdF8_Splat(gain) * (start + sdF8_Abs(work));
    most += energyAt(group, REST_SPEED);
    slowTo(group, energy, isMiddle ? leaveToDraw(group, h, most) : most);
}

/// A part of a step.
typedef struct Part {
    float h;
    float share; ///< of a sub-step of the world
    float push;  ///< what impulses are of those of the part before
    bool isHard; ///< energy is looked after closely
    float worldH;
    sdF8 energy; ///< at the start of the step
} Part;

/// Velocities that locks leave.
SD_INLINE void applyLocks(const sdTreeGroup* group) {
    for (int i = 0; i < group->plan->bodyCount; ++i) {
        sdTreeBody* body = &group->bodies[i];
        sdBodyLanes* now = &body->now;
        if (body->hasLocks) {
            now->velocity = sdVec3x8_ApplyLocks(now->velocity, body->locks, 0);
            now->angularVelocity = sdVec3x8_ApplyLocks(now->angularVelocity, body->locks, 3);
        }
    }
}

SD_INLINE void runPart(const sdTreeGroup* group, const Part* part) {
    const sdTreePlan* plan = group->plan;
    // limits and drives must have given all that they may take back
    bool isHalved = !group->hasSweeps && !group->isStiff;
    float kick = isHalved ? 0.5f : 1.0f;
    for (int i = 0; i < plan->bodyCount; ++i) {
        accelerate(&group->bodies[i], kick * part->share);
        limitSpeeds(&group->bodies[i], part->h);
    }
    applyLocks(group);
    slowStiff(group);
    forgetPendulums(group, part->h);
    pushAgain(group, part->push);
    solvePlaces(group, part->h);
    if (part->isHard) {
        limitEnergy(group, part->worldH, part->energy, MIDDLE_GAIN, true);
    }
    applyLocks(group);
    for (int i = 0; i < plan->bodyCount; ++i) {
        moveBody(&group->bodies[i], part->h);
    }
    follow(group, part->h);
    for (int i = 0; kick < 1.0f && i < plan->bodyCount; ++i) {
        accelerate(&group->bodies[i], (1.0f - kick) * part->share);
    }
    solveSpeeds(group, part->h);
    if (!group->hasSweeps && !group->isCarried) {
        float gain = part->isHard ? ENERGY_GAIN : CALM_GAIN;
        limitEnergy(group, part->worldH, part->energy, gain, false);
    }
    applyLocks(group);
}

/// Whether joints of some set are new, or someone has kicked it: nothing is known of its pull.
SD_INLINE bool isSurprised(const sdTreeGroup* group) {
    const sdTreePlan* plan = group->plan;
    sdF8 pull = sdF8_Zero(), parting = sdF8_Zero(), moves = sdF8_Zero();
    for (int n = 0; n < plan->nodeCount; ++n) {
        const sdTreeNode* node = &plan->nodes[n];
        sdVec3x8 impulse = group->batches[n]->impulse;
        pull = sdF8_Max(sdVec3x8_Dot(impulse, impulse), pull);
        loadSpeeds(group, n);
        for (int b = 0; b < node->blockCount; ++b) {
            const sdF8* x = group->matrices[node->firstBlock + b].vector;
            parting = sdF8_Max(x[0] * x[0] + x[1] * x[1] + x[2] * x[2], parting);
        }
        moves = sdF8_Max(group->bodies[node->bodyA].mass + group->bodies[node->bodyB].mass, moves);
    }
    sdF8 limit = sdF8_Splat(KICK_SPEED * KICK_SPEED), zero = sdF8_Zero();
    return sdI8_Any((sdF8_Less(limit, parting) | sdF8_LessEqual(pull, zero)) &
                    sdF8_Less(zero, moves));
}

SD_INLINE void clearImpulses(const sdTreeGroup* group) {
    for (int n = 0; n < group->plan->nodeCount; ++n) {
        sdJointBatch* batch = group->batches[n];
        batch->impulse = zeroVec();
        for (int i = 0; i < batch->lockCount; ++i) {
            batch->rows[i].impulse = sdF8_Zero();
        }
    }
}

/// Take up a kick, and try a sub-step to see how strong joints pull.
SD_INLINE void guessImpulses(const sdTreeGroup* group, float h, float share) {
    const sdTreePlan* plan = group->plan;
    clearImpulses(group);
    for (int n = 0; n < plan->nodeCount; ++n) {
        loadSpeeds(group, n);
    }
    solveLocks(group);
    clearImpulses(group);
    for (int i = 0; i < plan->bodyCount; ++i) {
        sdTreeBody* body = &group->bodies[i];
        body->givenVelocity = body->now.velocity;
        body->givenSpin = body->now.angularVelocity;
        accelerate(body, share);
        findAngle(body, h);
        body->angle = cutAngle(body->angle);
    }
    for (int n = 0; n < plan->nodeCount; ++n) {
        loadErrors(group, n, h);
    }
    solveLocks(group);
    for (int i = 0; i < plan->bodyCount; ++i) {
        sdTreeBody* body = &group->bodies[i];
        body->now.velocity = body->givenVelocity;
        body->now.angularVelocity = body->givenSpin;
    }
}

/// A number of parts, which is whole but for rounding where the parts before were of one length.
SD_INLINE int countOf(float parts) {
    return sdMaxI((int)ceilf(parts - 0.01f), 1);
}

/// @param count of the sub-steps that the whole step has at least
SD_INLINE Rest findRest(const sdTreeGroup* group, const sdStep* step, int count, float time) {
    float share = time / step->dt, asked = share * (float)step->world->def.jointSubStepCount;
    int least = countOf((float)count * share);
    // limits and drives are made for the sub-steps of the world
    int most = group->hasSweeps ? least : countOf(MAX_PARTS * asked);
    // the pull of what is locked twice, as in a bridge that is taut, is left to stiffness
    int swingMost = group->plan->isLoop ? sdMinI(countOf(LOOP_PARTS * asked), most) : most;
    return (Rest){time, least, most, swingMost};
}

/// Sub-steps of a step, at least.
SD_INLINE int countSubSteps(const sdTreeGroup* group, const sdStep* step) {
    int count = step->world->def.jointSubStepCount;
    return group->hasSweeps                      ? step->subStepCount
           : group->plan->nodeCount <= SMALL_SET ? count
                                                 : (count + 1) / 2;
}

void SD_KERNEL(sdTreeGroup_Run)(sdTreeGroup* group, const sdJointSolver* solver) {
    const sdTreePlan* plan = group->plan;
    const sdStep* step = solver->step;
    int count = countSubSteps(group, step), parts;
    // impulses are as long as the time in which they act, in sub-steps of the world
    float left = step->dt, before = (float)step->subStepCount / (float)count;
    applyLocks(group);
    if (isSurprised(group)) {
        guessImpulses(group, left / (float)count, before);
    } else {
        scaleImpulses(group, before);
    }
    sdF8 work, start = findEnergy(group, step->h, &work);
    do {
        bool wasStiff = group->isStiff;
        Rest rest = findRest(group, step, count, left);
        parts = countParts(group, &rest, left / (step->h * before));
        float h = left / (float)parts, share = h / step->h;
        if (group->isStiff || wasStiff) {
            // as far as the pull and the length of the parts now call for
            for (int i = 0; i < plan->bodyCount; ++i) {
                turnTensors(&group->bodies[i]);
            }
            follow(group, h * share / before);
        }
        bool isHard =
            !group->hasSweeps && !group->isCarried && (parts > rest.least || group->isStiff);
        runPart(group, &(Part){h, share, share / before, isHard, step->h, start});
        before = share;
        left -= h;
    } while (parts > 1);
    scaleImpulses(group, 1.0f / before);
    for (int i = 0; i < plan->bodyCount; ++i) {
        storeBody(&group->bodies[i], step->states);
    }
}
