// SPDX-License-Identifier: MIT
// solver_impulse.c - a step by impulses: the table of contents of the impulse solver (D7, D13).
//
// In:   the bodies and contacts of a step.
// Out:  velocities, poses, impulses at contacts and joints.
// Ref:  S2 §5 (both orders), §6 (collisions), §8 (contacts), §10 (with joints).
// Note: pairs are looked at by all threads; impulses are given one after the other, in an order
//       that is drawn from the seed and the time, so that any number of threads gives the same.

#include "dynamics/solver_impulse.h"

#include "base/hash.h"

// ---- collisions and contacts ---------------------------------------------------------------

/// All pairs, in the order that was drawn.
/// @return how many points were pushed
static int solveInAnyOrder(sdImpulseSolver* solver, sdImpulsePass pass) {
    int pushed = 0;
    for (int i = 0; i < solver->pairCount && !solver->hasFailed; ++i) {
        pushed += sdImpulseSolver_SolvePair(solver, &solver->pairs[solver->order[i]], pass);
    }
    return pushed;
}

/// S2 §6: several passes, for an impulse makes new collisions.
static void solveCollisions(sdImpulseSolver* solver) {
    int pushed = 1;
    for (int i = 0; i < solver->def->collisionPassCount && pushed > 0; ++i) {
        sdImpulseSolver_Shuffle(solver);
        sdImpulseSolver_Detect(solver);
        pushed = solveInAnyOrder(solver, (sdImpulsePass){true, 0.0f, false});
    }
}

/// S2 §8.1: e = -(n - k) / n in the k-th of n passes, so that load is taken up little by little.
/// §10: from the lowest level up, and the joints of each level after its contacts.
static void solveContacts(sdImpulseSolver* solver) {
    const sdImpulseDef* def = solver->def;
    int passCount = sdMaxI(def->contactPassCount, def->jointPassCount);
    sdImpulseSolver_Detect(solver);
    if (!solver->hasFailed) {
        sdImpulseSolver_FindLevels(solver);
    }
    for (int i = 1; i <= passCount && !solver->hasFailed; ++i) {
        bool hasContacts = i <= def->contactPassCount;
        float e = -(float)(def->contactPassCount - i) / (float)sdMaxI(def->contactPassCount, 1);
        if (hasContacts && i > 1) {
            sdImpulseSolver_Detect(solver);
        }
        sdImpulseSolver_Shuffle(solver);
        sdImpulseSolver_SortByLevel(solver);
        if (hasContacts && !def->enableGraph) {
            solveInAnyOrder(solver, (sdImpulsePass){false, e, false});
        }
        for (int level = 0; level < solver->levelCount && !solver->hasFailed; ++level) {
            if (hasContacts && def->enableGraph) {
                sdImpulseSolver_SolveLevel(solver, level, (sdImpulsePass){false, e, false}, 1);
            }
            if (i <= def->jointPassCount) {
                sdImpulseJoints_StabilizePositions(solver->joints, level, solver->levelCount);
            }
        }
    }
    if (def->enableShock && !solver->hasFailed) {
        sdImpulseSolver_Detect(solver);
        sdImpulseSolver_Shuffle(solver);
        sdImpulseSolver_SortByLevel(solver);
        sdImpulseSolver_PropagateShock(solver);
    }
}

// ---- orders --------------------------------------------------------------------------------

/// S2 §5 and §10: collisions see velocities without this step's gravity, so that what rests does
/// not collide; contacts see them with it.
static void solveInNewOrder(sdImpulseSolver* solver) {
    solver->horizon = solver->step->dt;
    solveCollisions(solver);
    if (!solver->hasFailed) {
        sdImpulseJoints_StabilizeVelocities(solver->joints);
        sdImpulseSolver_Accelerate(solver);
        sdImpulseJoints_StabilizeVelocities(solver->joints);
        solveContacts(solver);
    }
    if (!solver->hasFailed) {
        sdImpulseSolver_Move(solver);
        sdImpulseJoints_StabilizeVelocities(solver->joints);
    }
}

/// The usual order: what rests has fallen before anybody looks whether it touches.
static void solveInOrdinaryOrder(sdImpulseSolver* solver) {
    sdImpulseSolver_Accelerate(solver);
    for (int i = 0; i < solver->def->jointPassCount; ++i) {
        sdImpulseJoints_StabilizePositions(solver->joints, 0, 1);
    }
    sdImpulseSolver_Move(solver);
    solver->horizon = 0.0f;
    if (!solver->hasFailed) {
        solveCollisions(solver);
    }
    if (!solver->hasFailed) {
        solveContacts(solver);
        sdImpulseJoints_StabilizeVelocities(solver->joints);
    }
}

// ---- the step ------------------------------------------------------------------------------

/// Bodies that nothing can touch in this step turn as free ones.
static void findFree(sdStep* step) {
    for (int i = 0; i < step->patchCount; ++i) {
        const sdActivePatch* patch = &step->patches[i];
        if (patch->stateA >= 0) {
            step->motions[patch->stateA].isFree = false;
        }
        if (patch->stateB >= 0) {
            step->motions[patch->stateB].isFree = false;
        }
    }
}

static void noteStats(const sdImpulseSolver* solver) {
    const sdStep* step = solver->step;
    sdWorldStats* stats = &step->world->stats;
    stats->lookCount += solver->lookCount;
    stats->impulseCount += solver->impulseCount;
    stats->colorCount = stats->slenderCount = stats->newtonCount = stats->pointCount = 0;
    for (int i = 0; i < step->patchCount; ++i) {
        stats->pointCount += step->patches[i].pointCount;
    }
}

static void lead(sdTeam* team, void* arg) {
    sdImpulseSolver* solver = (sdImpulseSolver*)arg;
    sdStep* step = solver->step;
    step->team = team;
    findFree(step);
    sdStep_FillBlocks(step);
    solver->hasFailed = !sdImpulseSolver_LoadBodies(solver);
    if (!solver->hasFailed) {
        sdImpulseSolver_LookAhead(solver);
        solver->joints = sdImpulseJoints_Prepare(step, solver->bodies);
        solver->hasFailed = solver->joints == NULL || !sdImpulseSolver_ListPairs(solver);
    }
    if (!solver->hasFailed && solver->def->order == SD_ORDER_NEW) {
        solveInNewOrder(solver);
    } else if (!solver->hasFailed) {
        solveInOrdinaryOrder(solver);
    }
    if (!solver->hasFailed) {
        sdImpulseSolver_StorePairs(solver);
        sdImpulseJoints_Store(solver->joints);
        sdImpulseSolver_StoreBodies(solver);
        noteStats(solver);
    }
    sdImpulseSolver_FreePairs(solver);
}

bool sdStep_SolveByImpulses(sdStep* step) {
    const sdWorld* world = step->world;
    uint64_t time;
    memcpy(&time, &world->time, sizeof time);
    sdImpulseSolver solver = {
        .step = step,
        .def = &world->def.impulse,
        .random = sdHash_Mix(time ^ world->def.impulse.seed),
        .levelCount = 1,
    };
    sdStep_MarkAllFast(step);
    if (!sdStep_ReserveHits(step)) {
        return false;
    }
    sdTeam_Run(&world->context.tasks, lead, &solver);
    return !solver.hasFailed;
}
