// SPDX-License-Identifier: MIT
// step.c - one step of a world: the table of contents of the dynamics layer.
//
// Each stage leaves for its own file and returns here. Whatever needs memory comes before anything
// moves, so that a step that cannot be made leaves the world where it was.

#include "dynamics/step.h"

#include "base/timer.h"
#include "broadphase/broadphase.h"
#include "dynamics/body_boxes.h"
#include "dynamics/contact.h"
#include "dynamics/continuous.h"
#include "dynamics/first_load.h"
#include "dynamics/island.h"
#include "dynamics/joint.h"
#include "dynamics/pair.h"
#include "dynamics/solver_direct.h"
#include "dynamics/solver_impulse.h"

/// Bodies per task when boxes are brought up to date, and those that are looked at together.
#define REFIT_GRAIN 64
#define BOX_BLOCK 16
/// Part of its radius that g dt² of a part of a step may be. Rings of 1 cm on a post are in each
/// other by 35 % at 0.5 and by 0.6 % at 0.03, where a chain of twelve links still jumps.
#define PART_FALL 0.012f
/// Radii that it may go or turn in a part: contacts see further ahead, but not much.
#define PART_WAY 8.0f

// ---- refit ---------------------------------------------------------------------------------

/// How far points of a body will go within dt at its velocity.
static void setAhead(sdReach* reach, const sdBody* body, float dt) {
    float turning = dt * sdLength(body->angularVelocity) * body->radius;
    reach->ahead = sdScale(dt, body->velocity);
    reach->turning = turning + SD_WAY_ERROR * (sdLength(reach->ahead) + turning);
}

/// Make the boxes of a body anew, one by one.
static void makeBoxes(const sdStep* step, int index) {
    sdWorld* world = step->world;
    const sdBody* body = &world->bodies.data[index];
    setAhead(&world->reaches.data[index], body, step->dt);
    for (int i = body->firstShape; i != SD_NULL_INDEX; i = world->fixtures.data[i].next) {
        world->boxes.data[i] = sdFixture_GetBox(world, body, &world->fixtures.data[i], step->dt);
    }
}

/// The same of up to BOX_BLOCK bodies, eight at a time where they are simple.
static void makeAllBoxes(sdStep* step, const int* bodies, int count) {
    int simple[BOX_BLOCK], simpleCount = 0, done = 0;
    for (int i = 0; i < count; ++i) {
        if (sdBodyBoxes_IsFor(step->world, bodies[i])) {
            simple[simpleCount++] = bodies[i];
        } else {
            makeBoxes(step, bodies[i]);
        }
    }
    for (; done + SD_LANES <= simpleCount; done += SD_LANES) {
        sdBodyBoxes lanes = {.hasBoxes = false};
        for (int lane = 0; lane < SD_LANES; ++lane) {
            sdBodyBoxes_Set(&lanes, lane, step->world, simple[done + lane]);
        }
        SD_DISPATCH(sdBodyBoxes_Make)(&lanes, step->dt);
    }
    for (; done < simpleCount; ++done) {
        makeBoxes(step, simple[done]);
    }
}

/// Renew the fat boxes that those of a body have left.
/// @return whether there are any
static bool fattenBoxes(const sdStep* step, int index) {
    const sdWorld* world = step->world;
    sdVec3 way = world->reaches.data[index].ahead;
    bool hasMoved = false;
    for (int i = world->bodies.data[index].firstShape; i != SD_NULL_INDEX;
         i = world->fixtures.data[i].next) {
        step->isFattened[i] = sdBroadphase_Refit(world->broadphase, world->fixtures.data[i].proxy,
                                                 &world->boxes.data[i], way);
        hasMoved = hasMoved || step->isFattened[i];
    }
    return hasMoved;
}

static void findMoves(void* arg, int begin, int end, int worker) {
    (void)worker;
    sdStep* step = (sdStep*)arg;
    const int* bodies = step->world->bodyList.data;
    for (int first = begin; first < end; first += BOX_BLOCK) {
        int last = sdMinI(first + BOX_BLOCK, end);
        makeAllBoxes(step, bodies + first, last - first);
        // by now what was written number by number can be read in rows
        for (int i = first; i < last; ++i) {
            step->needsMove[i] = fattenBoxes(step, bodies[i]);
        }
    }
}

/// Make the boxes of the awake bodies anew, and bring those that have left their fat boxes to the
/// broad phase.
static void refit(sdStep* step) {
    sdWorld* world = step->world;
    const sdTaskSystem* tasks = &world->context.tasks;
    int count = world->bodyList.count;
    tasks->parallelFor(tasks->user, findMoves, step, count, REFIT_GRAIN);
    for (int i = 0; i < count; ++i) {
        if (!step->needsMove[i]) {
            continue;
        }
        const sdBody* body = &world->bodies.data[world->bodyList.data[i]];
        for (int j = body->firstShape; j != SD_NULL_INDEX; j = world->fixtures.data[j].next) {
            if (step->isFattened[j]) {
                sdBroadphase_Touch(world->broadphase, world->fixtures.data[j].proxy);
            }
        }
    }
    world->lastDt = step->dt;
    world->hasOldBoxes = false;
}

/// Memory for it.
static bool reserveRefit(sdStep* step) {
    sdArena* arena = &step->world->arena;
    // one more than needed, so that nothing is of no size
    size_t bodies = (size_t)step->world->bodyList.count + 1;
    size_t fixtures = (size_t)step->world->fixtures.count + 1;
    step->needsMove = sdArena_Alloc(arena, bodies, sizeof *step->needsMove);
    step->isFattened = sdArena_Alloc(arena, fixtures, sizeof *step->isFattened);
    return step->needsMove != NULL && step->isFattened != NULL;
}

/// Boxes were made for the velocities and the length of the last step.
static sdResult renewBoxes(sdStep* step) {
    sdWorld* world = step->world;
    sdResult result = sdWorld_ListAwake(world);
    if (result != SD_OK) {
        return result;
    }
    if (!reserveRefit(step)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    refit(step);
    return SD_OK;
}

// ---- memory --------------------------------------------------------------------------------

/// Take the step's memory, load the bodies and list what touches.
static bool startStep(sdStep* step) {
    sdWorld* world = step->world;
    step->bodyCount = world->bodyList.count;
    // one more than needed, so that nothing is of no size
    size_t bodies = (size_t)step->bodyCount + 1;
    step->islands = sdArena_Alloc(&world->arena, bodies, sizeof *step->islands);
    step->slowTimes = sdArena_Alloc(&world->arena, bodies, sizeof *step->slowTimes);
    if (step->islands == NULL || step->slowTimes == NULL || !reserveRefit(step) ||
        !sdStep_LoadBodies(step) || !sdStep_ListPatches(step)) {
        return false;
    }
    step->islandCount = sdStep_FindIslands(step);
    return sdStep_PrepareContinuous(step);
}

// ---- solve ---------------------------------------------------------------------------------

typedef struct SolveArg {
    sdStep* step;
    sdSoftSolver* solver;
    sdJointSolver* joints;
    sdDirectSolver* direct;
} SolveArg;

/// Joints and contacts take turns.
static void sweep(sdSoftSolver* solver, sdJointSolver* joints, sdSweepKind kind) {
    bool isBiased = kind == SD_SWEEP_PUSH;
    sdJointSolver_Solve(joints, isBiased);
    for (int i = sdJointSolver_CountSweeps(joints, isBiased); i > 1; --i) {
        sdSoftSolver_Solve(solver, isBiased ? SD_SWEEP_PUSH : SD_SWEEP_RELAX);
        sdJointSolver_Sweep(joints, isBiased);
    }
    sdSoftSolver_Solve(solver, kind);
}

/// Sub-steps: push overlaps apart, move, relax.
static void solve(sdTeam* team, void* arg) {
    sdStep* step = ((SolveArg*)arg)->step;
    sdSoftSolver* solver = ((SolveArg*)arg)->solver;
    sdJointSolver* joints = ((SolveArg*)arg)->joints;
    sdDirectSolver* direct = ((SolveArg*)arg)->direct;
    step->team = team;
    sdStep_FillBlocks(step);
    sdSoftSolver_FindBlows(solver);
    sdJointSolver_RunAlone(joints);
    for (int i = 0; i < step->subStepCount; ++i) {
        sdStep_IntegrateVelocities(step, i);
        sdJointSolver_WarmStart(joints);
        if (i == 0) {
            sdSoftSolver_WarmStart(solver);
        }
        sdDirectSolver_Solve(direct, i, true);
        sweep(solver, joints, SD_SWEEP_PUSH);
        sdJointSolver_Hold(joints, true);
        sdStep_IntegratePositions(step, i);
        sdDirectSolver_Solve(direct, i, false);
        bool holds = sdJointSolver_HoldsAtLast(joints);
        sweep(solver, joints, holds ? SD_SWEEP_RELAX : SD_SWEEP_LAST);
        if (holds) {
            sdJointSolver_Hold(joints, false);
            sdSoftSolver_Solve(solver, SD_SWEEP_LAST);
        }
    }
    sdSoftSolver_TakeBlows(solver);
    sdSoftSolver_Store(solver);
    sdJointSolver_Store(joints);
    sdStep_StoreBodies(step);
}

/// By sub-steps of soft constraints.
/// @return false when memory is short; nothing has moved
static bool solveSoftly(sdStep* step, uint64_t* ticks) {
    sdWorld* world = step->world;
    sdSoftSolver* solver = sdSoftSolver_Prepare(step);
    bool isLoaded = solver != NULL && sdSoftSolver_GuessFirstLoads(solver);
    sdJointSolver* joints = isLoaded ? sdJointSolver_Prepare(step, solver) : NULL;
    sdDirectSolver* direct = joints != NULL ? sdDirectSolver_Prepare(step, solver) : NULL;
    if (direct == NULL || !sdStep_ReserveHits(step)) {
        return false;
    }
    world->stats.islandMs += sdTimer_LapMs(ticks);
    sdTeam_Run(&world->context.tasks, solve, &(SolveArg){step, solver, joints, direct});
    world->stats.newtonCount = sdDirectSolver_CountSteps(direct);
    world->hasFineJoints = sdJointSolver_AreFine(joints);
    world->jointH = step->h;
    return true;
}

// ---- step ----------------------------------------------------------------------------------

/// Find what is near, what touches, and who is awake.
static sdResult detect(sdStep* step, uint64_t* ticks) {
    sdWorld* world = step->world;
    sdResult result = SD_OK;
    if (world->hasOldBoxes || step->dt > world->lastDt) {
        result = renewBoxes(step);
    }
    if (result == SD_OK) {
        result = sdWorld_UpdatePairs(world);
    }
    world->stats.pairMs += sdTimer_LapMs(ticks);
    if (result == SD_OK) {
        result = sdWorld_ListAwake(world);
    }
    if (result == SD_OK) {
        result = sdStep_CollideContacts(step);
    }
    if (result == SD_OK) {
        result = sdStep_PublishContacts(step);
    }
    if (result == SD_OK && step->hasWoken) {
        result = sdWorld_ListAwake(world);
        result = result == SD_OK ? sdStep_ListContacts(step) : result;
    }
    world->stats.contactMs += sdTimer_LapMs(ticks);
    return result;
}

/// Joints that are swept need shorter ones, and so do limits of what swings. In slender sets places
/// are exact, and what is alone has sub-steps of its own. That is known of the last step.
static void setSubSteps(sdStep* step) {
    const sdWorldDef* def = &step->world->def;
    bool hasJoints = sdBitSet_Next(&step->world->activeJoints, 0) != SD_NULL_INDEX;
    int count = step->world->hasFineJoints ? 2 * def->jointSubStepCount : def->jointSubStepCount;
    step->subStepCount = hasJoints ? sdMaxI(def->subStepCount, count) : def->subStepCount;
    if (def->solver == SD_SOLVER_IMPULSE) {
        step->subStepCount = 1;
    }
    step->h = step->dt / (float)step->subStepCount;
}

static sdResult runStep(sdWorld* world, float dt) {
    sdWorldStats* stats = &world->stats;
    sdStep step = {.world = world, .dt = dt};
    uint64_t ticks = sdTimer_Now();
    sdResult result = detect(&step, &ticks);
    if (result != SD_OK) {
        return result;
    }
    setSubSteps(&step);
    bool isSolved = startStep(&step);
    if (isSolved && world->def.solver == SD_SOLVER_IMPULSE) {
        isSolved = sdStep_SolveByImpulses(&step);
    } else if (isSolved) {
        isSolved = solveSoftly(&step, &ticks);
    }
    if (!isSolved) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    sdStep_ReportFaults(&step);
    sdStep_NoteHits(&step);
    sdStep_MeetOnTheWay(&step);
    stats->solveMs += sdTimer_LapMs(&ticks);
    refit(&step);
    stats->refitMs += sdTimer_LapMs(&ticks);
    sdWorld_BreakJoints(world);
    sdStep_UpdateSleep(&step);
    stats->sleepMs += sdTimer_LapMs(&ticks);
    stats->islandCount = step.islandCount;
    stats->partCount = world->partCount;
    stats->contactCount = step.patchCount;
    world->time += (double)dt;
    world->attempt += 1;
    return SD_OK;
}

/// Parts of a step in which no mesh falls, or goes, further than so many parts of its size.
static int countParts(const sdWorld* world, float dt) {
    if (world->leastMeshRadius == FLT_MAX) {
        return 1;
    }
    float least = FLT_MAX, ways = 0.0f;
    for (int i = sdBitSet_Next(&world->awakeBodies, 0); i != SD_NULL_INDEX;
         i = sdBitSet_Next(&world->awakeBodies, i + 1)) {
        const sdBody* body = &world->bodies.data[i];
        if (body->isMesh) {
            float turn = sdLength(body->angularVelocity) * dt;
            float way = sdLength(body->velocity) * dt / sdMaxF(body->radius, FLT_MIN);
            least = sdMinF(least, body->radius);
            ways = sdMaxF(ways, way + turn);
        }
    }
    float fall = sdLength(world->def.gravity) * dt * dt / sdMaxF(least, FLT_MIN);
    float parts = sdMaxF(sqrtf(fall / PART_FALL), ways / PART_WAY);
    return parts < (float)world->def.maxPartCount ? sdMaxI(1, (int)ceilf(parts))
                                                  : world->def.maxPartCount;
}

/// All parts, or those that are left when an attempt found no memory in the middle.
static sdResult runParts(sdWorld* world, float dt) {
    if (world->part == 0) {
        world->partCount = countParts(world, dt);
    }
    sdResult result = SD_OK;
    while (result == SD_OK && world->part < world->partCount) {
        result = runStep(world, dt / (float)world->partCount);
        world->part += result == SD_OK ? 1 : 0;
        sdArena_Reset(&world->arena);
    }
    world->part = result == SD_OK ? 0 : world->part;
    return result;
}

sdResult sdWorld_Step(sdWorld* world, float dt) {
    if (world == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    if (world->isLocked) {
        return sdFail(&world->context, SD_ERROR_LOCKED, "sdWorld_Step: a step is under way");
    }
    if (!(dt > 0.0f && dt <= SD_MAX_TIME_STEP)) {
        return sdFail(&world->context, SD_ERROR_INVALID_ARGUMENT,
                      "sdWorld_Step: dt is %g s, but must be above 0 and at most 1", (double)dt);
    }
    uint64_t ticks = sdTimer_Now();
    world->attempt += dt != world->attemptDt ? 1 : 0;
    world->attemptDt = dt;
    world->isLocked = true;
    sdWorldStats* stats = &world->stats;
    stats->pairMs = stats->contactMs = stats->islandMs = 0.0f;
    stats->solveMs = stats->refitMs = stats->sleepMs = 0.0f;
    stats->lookCount = stats->impulseCount = 0;
    sdResult result = runParts(world, dt);
    world->isLocked = false;
    stats->stepMs = sdTimer_LapMs(&ticks);
    if (result == SD_ERROR_OUT_OF_MEMORY) {
        return sdFail(&world->context, result, "sdWorld_Step: no memory for the step; %s",
                      world->part == 0
                          ? "nothing has moved"
                          : "it stands in the middle, and the next goes on from there");
    }
    return result;
}
