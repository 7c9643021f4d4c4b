// SPDX-License-Identifier: MIT
// step.c - one step of a world: the table of contents of the dynamics layer.
//
// Each stage leaves for its own file and returns here. Whatever needs memory comes before anything
// moves, so that a step that cannot be made leaves the world where it was.

#include "dynamics/step.h"

#include "base/timer.h"
#include "dynamics/contact.h"
#include "dynamics/island.h"

/// Bodies per task when boxes are brought up to date.
#define REFIT_GRAIN 64

// ---- memory --------------------------------------------------------------------------------

/// List the patches with points, of contacts that are not sensors.
static void listPatches(sdStep* step) {
    sdWorld* world = step->world;
    step->patchCount = 0;
    for (int i = 0; i < world->contactList.count; ++i) {
        sdContact* contact = &world->contacts.data[world->contactList.data[i]];
        sdPatch* patches = sdContact_GetPatches(contact);
        bool isSensor = (contact->flags & SD_CONTACT_SENSOR) != 0;
        for (int j = 0; j < contact->patchCount && !isSensor; ++j) {
            if (patches[j].manifold.pointCount > 0) {
                const sdBody* a = &world->bodies.data[contact->bodyA];
                const sdBody* b = &world->bodies.data[contact->bodyB];
                bool isMovingA = a->type != SD_BODY_STATIC, isMovingB = b->type != SD_BODY_STATIC;
                step->patches[step->patchCount++] = (sdActivePatch){
                    .contact = contact,
                    .patch = &patches[j],
                    .stateA = isMovingA ? a->awakeIndex : SD_NULL_INDEX,
                    .stateB = isMovingB ? b->awakeIndex : SD_NULL_INDEX,
                };
            }
        }
    }
}

static int countPatches(const sdWorld* world) {
    int count = 0;
    for (int i = 0; i < world->contactList.count; ++i) {
        count += world->contacts.data[world->contactList.data[i]].patchCount;
    }
    return count;
}

/// Take the step's memory, load the bodies and list what touches.
static bool startStep(sdStep* step) {
    sdWorld* world = step->world;
    step->bodyCount = world->bodyList.count;
    // one more than needed, so that nothing is of no size
    size_t bodies = (size_t)step->bodyCount + 1, patches = (size_t)countPatches(world) + 1;
    step->states = sdArena_Alloc(&world->arena, bodies, sizeof *step->states);
    step->motions = sdArena_Alloc(&world->arena, bodies, sizeof *step->motions);
    step->islands = sdArena_Alloc(&world->arena, bodies, sizeof *step->islands);
    step->slowTimes = sdArena_Alloc(&world->arena, bodies, sizeof *step->slowTimes);
    step->patches = sdArena_Alloc(&world->arena, patches, sizeof *step->patches);
    if (step->states == NULL || step->motions == NULL || step->islands == NULL ||
        step->slowTimes == NULL || step->patches == NULL) {
        return false;
    }
    sdStep_LoadBodies(step);
    listPatches(step);
    step->islandCount = sdWorld_FindIslands(world, step->islands);
    return true;
}

// ---- refit ---------------------------------------------------------------------------------

typedef struct RefitTask {
    sdStep* step;
    uint8_t* needsMove; ///< of each body of the list
} RefitTask;

static void findMoves(void* arg, int begin, int end, int worker) {
    (void)worker;
    const RefitTask* task = (const RefitTask*)arg;
    const sdWorld* world = task->step->world;
    for (int i = begin; i < end; ++i) {
        const sdBody* body = &world->bodies.data[task->step->motions[i].body];
        sdVec3 motion = sdScale(task->step->dt, body->velocity);
        task->needsMove[i] = 0;
        for (int j = body->firstShape; j != SD_NULL_INDEX; j = world->fixtures.data[j].next) {
            const sdFixture* fixture = &world->fixtures.data[j];
            sdWorldBox box = sdFixture_GetBox(body, fixture, motion);
            if (sdBroadphase_NeedsMove(world->broadphase, fixture->proxy, box)) {
                task->needsMove[i] = 1;
            }
        }
    }
}

/// Bring the boxes of bodies that have left them to the broad phase.
static void refit(sdStep* step, uint8_t* needsMove) {
    sdWorld* world = step->world;
    RefitTask task = {step, needsMove};
    const sdTaskSystem* tasks = &world->context.tasks;
    tasks->parallelFor(tasks->user, findMoves, &task, step->bodyCount, REFIT_GRAIN);
    for (int i = 0; i < step->bodyCount; ++i) {
        const sdBody* body = &world->bodies.data[step->motions[i].body];
        sdVec3 motion = sdScale(step->dt, body->velocity);
        for (int j = body->firstShape; needsMove[i] != 0 && j != SD_NULL_INDEX;
             j = world->fixtures.data[j].next) {
            const sdFixture* fixture = &world->fixtures.data[j];
            sdBroadphase_Move(world->broadphase, fixture->proxy,
                              sdFixture_GetBox(body, fixture, motion));
        }
    }
}

// ---- solve ---------------------------------------------------------------------------------

/// Sub-steps: push overlaps apart, move, relax.
static void solve(sdStep* step, sdSoftSolver* solver) {
    for (int i = 0; i < step->subStepCount; ++i) {
        sdStep_IntegrateVelocities(step, i);
        if (i == 0) {
            sdSoftSolver_WarmStart(solver);
        }
        sdSoftSolver_Solve(solver, true);
        sdStep_IntegratePositions(step);
        sdSoftSolver_Solve(solver, false);
    }
    sdSoftSolver_Restitute(solver);
    sdSoftSolver_Store(solver);
    sdStep_StoreBodies(step);
}

// ---- step ----------------------------------------------------------------------------------

static sdResult runStep(sdWorld* world, float dt) {
    sdWorldStats* stats = &world->stats;
    sdStep step = {.world = world,
                   .dt = dt,
                   .subStepCount = world->def.subStepCount,
                   .h = dt / (float)world->def.subStepCount};
    uint64_t ticks = sdTimer_Now();
    sdResult result = sdWorld_UpdatePairs(world);
    stats->pairMs = sdTimer_LapMs(&ticks);
    if (result == SD_OK) {
        result = sdWorld_ListAwake(world);
    }
    if (result == SD_OK) {
        result = sdWorld_CollideContacts(world, dt);
    }
    if (result == SD_OK) {
        result = sdWorld_PublishContacts(world);
    }
    if (result == SD_OK) {
        // touching has woken some more
        result = sdWorld_ListAwake(world);
    }
    stats->contactMs = sdTimer_LapMs(&ticks);
    if (result != SD_OK) {
        return result;
    }
    bool isStarted = startStep(&step);
    sdSoftSolver* solver = isStarted ? sdSoftSolver_Prepare(&step) : NULL;
    uint8_t* needsMove = sdArena_Alloc(&world->arena, (size_t)step.bodyCount + 1, 1);
    if (solver == NULL || needsMove == NULL) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    stats->islandMs = sdTimer_LapMs(&ticks);
    solve(&step, solver);
    stats->solveMs = sdTimer_LapMs(&ticks);
    refit(&step, needsMove);
    stats->refitMs = sdTimer_LapMs(&ticks);
    sdWorld_UpdateSleep(world, step.islands, step.slowTimes, dt);
    stats->sleepMs = sdTimer_LapMs(&ticks);
    stats->islandCount = step.islandCount;
    stats->contactCount = step.patchCount;
    world->time += (double)dt;
    return SD_OK;
}

sdResult sdWorld_Step(sdWorld* world, float dt) {
    if (world == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    sdResult result = sdWorld_CheckUnlocked(world, "sdWorld_Step");
    if (result != SD_OK) {
        return result;
    }
    if (!(dt > 0.0f && dt <= SD_MAX_TIME_STEP)) {
        return sdFail(&world->context, SD_ERROR_INVALID_ARGUMENT,
                      "sdWorld_Step: dt is %g s, but must be above 0 and at most 1", (double)dt);
    }
    uint64_t ticks = sdTimer_Now();
    world->isLocked = true;
    result = runStep(world, dt);
    world->isLocked = false;
    sdArena_Reset(&world->arena);
    world->stats.stepMs = sdTimer_LapMs(&ticks);
    if (result == SD_ERROR_OUT_OF_MEMORY) {
        return sdFail(&world->context, result,
                      "sdWorld_Step: no memory for the step; nothing has moved");
    }
    return result;
}
