// SPDX-License-Identifier: MIT
// impulse_motion.c - velocities and positions of the impulse solver: by the world's integrators,
// for all bodies together or one by one (D2, D3).
//
// In:   the step's bodies; velocities after collisions and contacts.
// Out:  new velocities, new poses.
// Ref:  S2 §5, (6.1), (6.2); S0 §2.2 (bodies one by one, with undo).

#include "dynamics/free_motion.h"
#include "dynamics/solver_impulse.h"

// ---- masses --------------------------------------------------------------------------------

/// Of a body that cannot turn about some axes: the others are free, and only they count.
static sdMat33 invertLocked(sdMat33 inertia, uint32_t locks) {
    sdVec3* columns[3] = {&inertia.cx, &inertia.cy, &inertia.cz};
    uint32_t turns = locks >> 3;
    for (int i = 0; i < 3; ++i) {
        *columns[i] = sdApplyLocks(*columns[i], turns);
        if ((turns >> i & 1) != 0) {
            *columns[i] = sdV3(i == 0 ? 1.0f : 0.0f, i == 1 ? 1.0f : 0.0f, i == 2 ? 1.0f : 0.0f);
        }
    }
    sdMat33 inverse = sdMat33_Inverse(inertia);
    sdMat33 free = sdMat33_Diagonal((turns & 1) != 0 ? 0.0f : 1.0f, (turns & 2) != 0 ? 0.0f : 1.0f,
                                    (turns & 4) != 0 ? 0.0f : 1.0f);
    return sdMulMM(free, sdMulMM(inverse, free));
}

static void setMasses(const sdStep* step, int state, sdImpulseBody* body) {
    const sdBodyMotion* motion = &step->motions[state];
    float m = step->states[state].inverseMass;
    body->ownInverseMass = sdApplyLocks(sdV3(m, m, m), motion->locks);
    body->ownInverseInertia = motion->inverseInertia;
    if ((motion->locks >> 3) != 0 && motion->isDynamic) {
        body->ownInverseInertia = invertLocked(motion->inertia, motion->locks);
    }
    sdImpulseBody_Release(body);
}

// ---- load ----------------------------------------------------------------------------------

static void takeVelocities(sdImpulseSolver* solver) {
    for (int i = 0; i < solver->ground; ++i) {
        solver->bodies[i].velocity = solver->step->states[i].velocity;
        solver->bodies[i].angularVelocity = solver->step->states[i].angularVelocity;
    }
}

static void giveVelocities(sdImpulseSolver* solver) {
    for (int i = 0; i < solver->ground; ++i) {
        sdBodyState* state = &solver->step->states[i];
        bool isClamped = false;
        state->velocity = sdClampLength(solver->bodies[i].velocity, SD_MAX_SPEED, &isClamped);
        state->angularVelocity =
            sdClampLength(solver->bodies[i].angularVelocity, SD_MAX_SPEED, &isClamped);
        solver->step->motions[i].faults |= isClamped ? SD_FAULT_SPEED : 0;
    }
}

bool sdImpulseSolver_LoadBodies(sdImpulseSolver* solver) {
    sdStep* step = solver->step;
    solver->ground = step->bodyCount;
    solver->bodies =
        sdArena_Alloc(&step->world->arena, (size_t)step->bodyCount + 1, sizeof *solver->bodies);
    if (solver->bodies == NULL) {
        return false;
    }
    memset(solver->bodies, 0, ((size_t)step->bodyCount + 1) * sizeof *solver->bodies);
    for (int i = 0; i < step->bodyCount; ++i) {
        const sdBody* from = &step->world->bodies.data[step->motions[i].body];
        sdImpulseBody* body = &solver->bodies[i];
        body->startCenter = body->center = body->nextCenter = from->center;
        body->startRotation = body->rotation = body->nextRotation = from->rotation;
        body->body = step->motions[i].body;
        setMasses(step, i, body);
    }
    sdImpulseBody* ground = &solver->bodies[solver->ground];
    ground->rotation = ground->startRotation = ground->nextRotation = sdQuat_Identity();
    ground->body = SD_NULL_INDEX;
    takeVelocities(solver);
    return true;
}

// ---- velocities ----------------------------------------------------------------------------

void sdImpulseSolver_LookAhead(sdImpulseSolver* solver) {
    sdStep* step = solver->step;
    sdStep_IntegrateVelocities(step, 0);
    for (int i = 0; i < solver->ground; ++i) {
        sdImpulseBody* body = &solver->bodies[i];
        const sdBodyState* state = &step->states[i];
        body->fall = sdSub(state->velocity, body->velocity);
        sdVec3 turn = sdSub(state->angularVelocity, body->angularVelocity);
        body->ahead = sdAdd(body->fall, step->motions[i].drift);
        body->angularAhead = sdAdd(turn, step->motions[i].angularDrift);
    }
    giveVelocities(solver);
}

void sdImpulseSolver_Accelerate(sdImpulseSolver* solver) {
    sdStep* step = solver->step;
    giveVelocities(solver);
    sdStep_IntegrateVelocities(step, 0);
    takeVelocities(solver);
    for (int i = 0; i < solver->ground; ++i) {
        solver->bodies[i].ahead = step->motions[i].drift;
        solver->bodies[i].angularAhead = step->motions[i].angularDrift;
    }
}

// ---- positions -----------------------------------------------------------------------------

static void setPose(const sdStep* step, int state, sdImpulseBody* body) {
    const sdBodyState* from = &step->states[state];
    body->center = body->nextCenter = sdPos_Add(body->startCenter, from->displacement);
    body->rotation = body->nextRotation = sdNormalizeQ(sdMulQ(from->turn, body->startRotation));
}

/// Pairs of each body, one body after the other.
typedef struct Neighbours {
    int* starts;
    int* pairs;
} Neighbours;

static bool listNeighbours(const sdImpulseSolver* solver, Neighbours* out) {
    sdArena* arena = &solver->step->world->arena;
    size_t bodies = (size_t)solver->ground + 3;
    out->starts = sdArena_Alloc(arena, bodies, sizeof *out->starts);
    out->pairs = sdArena_Alloc(arena, 2 * (size_t)solver->pairCount + 1, sizeof *out->pairs);
    if (out->starts == NULL || out->pairs == NULL) {
        return false;
    }
    memset(out->starts, 0, bodies * sizeof *out->starts);
    for (int i = 0; i < solver->pairCount; ++i) {
        out->starts[solver->pairs[i].bodyA + 2] += 1;
        out->starts[solver->pairs[i].bodyB + 2] += 1;
    }
    for (int i = 0; i <= solver->ground + 1; ++i) {
        out->starts[i + 1] += out->starts[i];
    }
    for (int i = 0; i < solver->pairCount; ++i) {
        out->pairs[out->starts[solver->pairs[i].bodyA + 1]++] = i;
        out->pairs[out->starts[solver->pairs[i].bodyB + 1]++] = i;
    }
    return true;
}

/// Whether a body that was just moved is in somebody. They bounce off each other.
static bool meets(sdImpulseSolver* solver, const Neighbours* neighbours, int body) {
    int pushed = 0;
    for (int i = neighbours->starts[body]; i < neighbours->starts[body + 1]; ++i) {
        sdImpulsePair* pair = &solver->pairs[neighbours->pairs[i]];
        sdImpulseSolver_LookAtPair(solver, pair);
        for (int j = 0; j < pair->pointCount; ++j) {
            pair->points[j].base += pair->slop;
        }
        pushed += sdImpulseSolver_SolvePair(solver, pair, (sdImpulsePass){true, 0.0f, false});
    }
    return pushed > 0;
}

/// S0 §2.2: each body is moved while the others stand, those before it where they have come to. The
/// motion of one that is in another now is undone.
static void moveOneByOne(sdImpulseSolver* solver) {
    sdStep* step = solver->step;
    Neighbours neighbours;
    if (!listNeighbours(solver, &neighbours)) {
        solver->hasFailed = true;
        return;
    }
    float horizon = solver->horizon;
    solver->horizon = 0.0f;
    for (int i = 0; i < solver->ground; ++i) {
        solver->bodies[i].nextCenter = solver->bodies[i].startCenter;
        solver->bodies[i].nextRotation = solver->bodies[i].startRotation;
    }
    for (int i = 0; i < solver->ground && !solver->hasFailed; ++i) {
        setPose(step, i, &solver->bodies[i]);
        if (meets(solver, &neighbours, i) && step->motions[i].isDynamic) {
            step->states[i].displacement = sdV3(0.0f, 0.0f, 0.0f);
            step->states[i].turn = sdQuat_Identity();
            setPose(step, i, &solver->bodies[i]);
        }
    }
    solver->horizon = horizon;
}

void sdImpulseSolver_Move(sdImpulseSolver* solver) {
    sdStep* step = solver->step;
    giveVelocities(solver);
    sdStep_IntegratePositions(step, 0);
    takeVelocities(solver);
    if (solver->def->motion == SD_MOTION_ONE_BY_ONE) {
        moveOneByOne(solver);
    }
    for (int i = 0; i < solver->ground; ++i) {
        sdImpulseBody* body = &solver->bodies[i];
        setPose(step, i, body);
        // joints are looked at once more where the bodies are now
        body->ownInverseInertia = sdRotateInertia(step->states[i].turn, body->ownInverseInertia);
        body->ahead = body->angularAhead = sdV3(0.0f, 0.0f, 0.0f);
        sdImpulseBody_Release(body);
    }
    sdImpulseJoints_Move(solver->joints);
}

void sdImpulseSolver_StoreBodies(sdImpulseSolver* solver) {
    giveVelocities(solver);
    sdStep_StoreBodies(solver->step);
}
