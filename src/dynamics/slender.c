// SPDX-License-Identifier: MIT
// slender.c - find the islands that are slender, and set them up for the direct solver.
//
// In:   the step's islands and patches, in the batches of the soft solver.
// Out:  slender islands.
// Note: to find that an island is not slender takes at most 0.2 µs and 150 bytes a body, and only a
//       look at its counts when it has too many contacts. A slender one takes 1.3 kB a body.

#include "dynamics/solver_direct.h"

/// Stiffness of rows against the heavier mass. The larger, the faster loads arrive (100 would do
/// for a tower of 100); the smaller, the sooner Newton finds which rows hold (1000 lets cards
/// slip).
#define STIFFNESS 200.0f
/// Bodies that pass each other faster than this many times the speed of bouncing do not rest, nor
/// do those that turn against each other faster than this, rad/s.
#define PASSING 4.0f
#define TUMBLING 1.0f
/// Fewer bodies than this are left to the sweeps, which are good at it, unless one is more than
/// UNEVEN times as heavy as one that it touches.
#define LEAST_BODIES 8
#define UNEVEN 50.0f
/// The same for islands of which every body is at most this many contacts away from the ground.
#define LEAST_DEPTH 4
/// Islands that have more contacts than SPARE_CONTACTS + 3/2 a body are taken for wide.
#define SPARE_CONTACTS 64
/// Patches a pair from which an island is rough.
#define ROUGH 2

// ---- which islands -------------------------------------------------------------------------

static bool isDynamic(const sdStep* step, int state) {
    return state >= 0 && step->states[state].inverseMass > 0.0f;
}

/// The island that a patch belongs to. Those between two islands do not touch yet and are left to
/// the sweeps.
static int islandOf(const sdStep* step, const sdActivePatch* patch, bool* isJoint) {
    bool hasA = isDynamic(step, patch->stateA), hasB = isDynamic(step, patch->stateB);
    int a = hasA ? step->islands[patch->stateA] : SD_NULL_INDEX;
    int b = hasB ? step->islands[patch->stateB] : SD_NULL_INDEX;
    *isJoint = hasA && hasB && a == b;
    return (hasA && hasB && a != b) || !patch->isTouching ? SD_NULL_INDEX : hasA ? a : b;
}

/// Whether a patch carries something, or is about to. Meshes have many that are only near.
static bool isBearing(const sdStep* step, const sdActivePatch* active) {
    const sdPatch* patch = active->patch;
    bool isBearing = false;
    for (int i = 0; i < patch->pointCount; ++i) {
        isBearing = isBearing || patch->points[i].impulse > 0.0f ||
                    patch->points[i].separation <= step->world->def.slop;
    }
    return isBearing;
}

static bool isUneven(const sdStep* step, const sdActivePatch* patch) {
    float a = step->states[patch->stateA].inverseMass, b = step->states[patch->stateB].inverseMass;
    return a > UNEVEN * b || b > UNEVEN * a;
}

/// Bodies, patches, pairs that touch, and those of two bodies that move, of the island with this
/// lowest state.
typedef struct Census {
    int bodyCount, patchCount, pairCount, jointCount;
    int hangingCount; ///< bodies with joints, of which this solver knows nothing
    int island;
    bool isUneven; ///< two that touch have very different masses
} Census;

static void count(const sdStep* step, Census* census) {
    memset(census, 0, (size_t)step->bodyCount * sizeof *census);
    for (int i = 0; i < step->bodyCount; ++i) {
        Census* c = &census[step->islands[i]];
        c->bodyCount += isDynamic(step, i) ? 1 : 0;
        c->hangingCount += isDynamic(step, i) && step->motions[i].hasJoints ? 1 : 0;
    }
    int lastA = SD_NULL_INDEX, lastB = SD_NULL_INDEX;
    for (int i = 0; i < step->patchCount; ++i) {
        bool isJoint;
        const sdActivePatch* patch = &step->patches[i];
        int root = islandOf(step, patch, &isJoint);
        if (root != SD_NULL_INDEX) {
            // meshes touch each other with many patches, which follow one another
            bool isNew = patch->stateA != lastA || patch->stateB != lastB;
            census[root].patchCount += 1;
            census[root].pairCount += isNew ? 1 : 0;
            census[root].jointCount += isJoint && isNew ? 1 : 0;
            census[root].isUneven |= isJoint && isUneven(step, patch);
            lastA = patch->stateA;
            lastB = patch->stateB;
        }
    }
}

static bool mayBeSlender(const Census* census) {
    bool isHard = census->bodyCount >= LEAST_BODIES || census->isUneven;
    // what joints hold moves in other ways than contacts alone let expect
    bool isJoined = 2 * census->hangingCount > census->bodyCount;
    return isHard && !isJoined && census->jointCount >= 1 &&
           census->jointCount <= census->bodyCount + census->bodyCount / 2 + SPARE_CONTACTS;
}

/// Whether bodies touch with many patches each, as meshes do. Their rows depend on one another, so
/// which of them hold is less certain and changes more often.
static bool isRough(const Census* census) {
    return census->patchCount > ROUGH * census->pairCount;
}

/// Room that all islands together need.
typedef struct Room {
    int islands, nodes, patches, edges;
} Room;

static Room measure(const sdStep* step, Census* census) {
    Room room = {0};
    for (int i = 0; i < step->bodyCount; ++i) {
        Census* c = &census[i];
        c->island = SD_NULL_INDEX;
        if (mayBeSlender(c)) {
            c->island = room.islands++;
            room.nodes += c->bodyCount;
            room.patches += c->patchCount;
            room.edges += c->jointCount + SD_FILL_PER_NODE * c->bodyCount;
        }
    }
    return room;
}

/// Lists of the bodies and patches of each island.
static void list(sdDirectSolver* solver, const Census* census) {
    const sdStep* step = solver->step;
    int node = 0, patch = 0, edge = 0;
    for (int i = 0; i < step->bodyCount; ++i) {
        const Census* c = &census[i];
        if (c->island != SD_NULL_INDEX) {
            int capacity = c->jointCount + SD_FILL_PER_NODE * c->bodyCount;
            solver->islands[c->island] = (sdSlenderIsland){.firstNode = node,
                                                           .firstPatch = patch,
                                                           .isUneven = c->isUneven,
                                                           .isRough = isRough(c),
                                                           .firstEdge = edge,
                                                           .edgeCapacity = capacity};
            node += c->bodyCount;
            patch += c->patchCount;
            edge += capacity;
        }
    }
    for (int i = 0; i < step->bodyCount; ++i) {
        int index = census[step->islands[i]].island;
        if (index != SD_NULL_INDEX && isDynamic(step, i)) {
            sdSlenderIsland* island = &solver->islands[index];
            solver->locals[i] = island->nodeCount;
            solver->bodyLists[island->firstNode + island->nodeCount++] = i;
        }
    }
    for (int i = 0; i < step->patchCount; ++i) {
        bool isJoint;
        int root = islandOf(step, &step->patches[i], &isJoint);
        int index = root != SD_NULL_INDEX ? census[root].island : SD_NULL_INDEX;
        if (index != SD_NULL_INDEX && isBearing(step, &step->patches[i])) {
            sdSlenderIsland* island = &solver->islands[index];
            solver->patchLists[island->firstPatch + island->patchCount++] = i;
        }
    }
}

/// Whether a load has a long way down from some body: more than LEAST_DEPTH contacts.
static bool isDeep(const sdDirectSolver* solver, const sdSlenderIsland* island) {
    const sdStep* step = solver->step;
    const int* patches = solver->patchLists + island->firstPatch;
    uint8_t* levels = solver->levels + island->firstNode; // 0: not reached yet
    memset(levels, 0, (size_t)island->nodeCount * sizeof *levels);
    uint8_t ground = 1;
    int count = 0;
    for (uint8_t level = 1; level <= LEAST_DEPTH; ++level) {
        for (int i = 0; i < island->patchCount; ++i) {
            const sdActivePatch* patch = &step->patches[patches[i]];
            bool hasA = isDynamic(step, patch->stateA), hasB = isDynamic(step, patch->stateB);
            uint8_t* a = hasA ? &levels[solver->locals[patch->stateA]] : &ground;
            uint8_t* b = hasB ? &levels[solver->locals[patch->stateB]] : &ground;
            if (*a == level && *b == 0) {
                *b = (uint8_t)(level + 1);
                count += 1;
            } else if (*b == level && *a == 0) {
                *a = (uint8_t)(level + 1);
                count += 1;
            }
        }
    }
    return count < island->nodeCount;
}

static bool hasJoints(const sdDirectSolver* solver, const sdSlenderIsland* island) {
    const sdStep* step = solver->step;
    bool hasJoints = false;
    for (int i = 0; i < island->nodeCount; ++i) {
        int body = step->motions[solver->bodyLists[island->firstNode + i]].body;
        hasJoints = hasJoints || step->world->bodies.data[body].firstJoint != SD_NULL_INDEX;
    }
    return hasJoints;
}

/// What is worth it. Heaps of meshes that are joined are not: they hold each other in many ways.
static bool isWorthIt(const sdDirectSolver* solver, const sdSlenderIsland* island) {
    bool isSimple = !island->isRough || !hasJoints(solver, island);
    return isSimple && (island->isUneven || isDeep(solver, island));
}

static void eliminate(void* arg, int begin, int end, int worker) {
    (void)worker;
    sdDirectSolver* solver = (sdDirectSolver*)arg;
    const sdStep* step = solver->step;
    for (int i = begin; i < end; ++i) {
        sdSlenderIsland* island = &solver->islands[i];
        sdGraph graph = sdGraph_Make(solver->graphNodes + island->firstNode, island->nodeCount,
                                     solver->graphEdges + island->firstEdge, island->edgeCapacity);
        bool isSlender = isWorthIt(solver, island);
        for (int j = 0; isSlender && j < island->patchCount; ++j) {
            const sdActivePatch* patch = &step->patches[solver->patchLists[island->firstPatch + j]];
            if (isDynamic(step, patch->stateA) && isDynamic(step, patch->stateB)) {
                isSlender = isSlender && sdGraph_Join(&graph, solver->locals[patch->stateA],
                                                      solver->locals[patch->stateB]);
            }
        }
        sdEliminated* eliminated = solver->eliminated + island->firstNode;
        island->isSlender = isSlender && sdGraph_Eliminate(&graph, eliminated);
        for (int j = 0; island->isSlender && j < island->nodeCount; ++j) {
            solver->firstBelow[island->firstNode + j] = island->belowCount;
            island->belowCount += eliminated[j].neighbourCount;
        }
    }
}

// ---- set up --------------------------------------------------------------------------------

static float massOf(const sdStep* step, int state) {
    return isDynamic(step, state) ? 1.0f / step->states[state].inverseMass : 0.0f;
}

static void setStiffness(const sdStep* step, sdSlenderPatch* patch) {
    float mass = sdMaxF(massOf(step, patch->stateA), massOf(step, patch->stateB));
    float stiffness = STIFFNESS * mass, arm = 0.0f;
    for (int i = 0; i < patch->pointCount; ++i) {
        patch->stiffness[i] = stiffness / (float)patch->pointCount;
        sdVec3 r = sdSub(patch->rA[i], patch->cA);
        r = sdMulAdd(r, -sdDot(r, patch->normal), patch->normal);
        arm += sdLength(r) / (float)patch->pointCount;
    }
    patch->stiffness[SD_ROW_TANGENT1] = stiffness;
    patch->stiffness[SD_ROW_TANGENT2] = stiffness;
    patch->stiffness[SD_ROW_TWIST] = stiffness * arm * arm;
}

static void setPatch(const sdDirectSolver* solver, sdSlenderPatch* patch, int index) {
    const sdStep* step = solver->step;
    const sdActivePatch* active = &step->patches[index];
    int place = solver->places[index], lane = place % SD_LANES;
    sdSoftBatch* batch = solver->soft->batches[place / SD_LANES];
    *patch = (sdSlenderPatch){
        .batch = batch,
        .lane = lane,
        .stateA = active->stateA,
        .stateB = active->stateB,
        .nodeA = isDynamic(step, active->stateA) ? solver->locals[active->stateA] : SD_NULL_INDEX,
        .nodeB = isDynamic(step, active->stateB) ? solver->locals[active->stateB] : SD_NULL_INDEX,
        .pointCount = active->patch->pointCount,
        .normal = sdVec3x8_GetLane(&batch->normal, lane),
        .tangent1 = sdVec3x8_GetLane(&batch->tangent, lane),
        .cA = sdVec3x8_GetLane(&batch->centerA, lane),
        .cB = sdVec3x8_GetLane(&batch->centerB, lane),
        .staticFriction = batch->staticFriction[lane],
        .slidingFriction = batch->slidingFriction[lane],
        .twistArm = batch->twistArm[lane],
        .slop = batch->slop[lane],
        .isFresh = active->patch->keptMask == 0,
    };
    patch->tangent2 = sdCross(patch->normal, patch->tangent1);
    for (int i = 0; i < patch->pointCount; ++i) {
        const sdSoftPoint* point = &batch->points[i];
        sdVec3 r = sdVec3x8_GetLane(&point->r, lane);
        patch->rA[i] = sdMulAdd(sdAdd(patch->cA, r), -point->roundA[lane], patch->normal);
        patch->rB[i] = sdMulAdd(sdAdd(patch->cB, r), point->roundB[lane], patch->normal);
        patch->separation[i] = point->separation[lane];
    }
    setStiffness(step, patch);
}

static sdVec3 velocityAt(const sdStep* step, int state, sdVec3 r) {
    sdVec3 zero = {0.0f, 0.0f, 0.0f};
    return state < 0 ? zero
                     : sdAdd(step->states[state].velocity,
                             sdCross(step->states[state].angularVelocity, r));
}

static sdVec3 spinOf(const sdStep* step, int state) {
    return state < 0 ? sdV3(0.0f, 0.0f, 0.0f) : step->states[state].angularVelocity;
}

/// Whether two bodies meet, or pass each other, too fast for their contact to be one of rest.
static bool isImpact(const sdDirectSolver* solver, const sdSlenderPatch* patch) {
    float threshold = sdStep_GetBounceSpeed(solver->soft->step);
    sdVec3 v = sdSub(velocityAt(solver->step, patch->stateB, patch->cB),
                     velocityAt(solver->step, patch->stateA, patch->cA));
    sdVec3 w = sdSub(spinOf(solver->step, patch->stateB), spinOf(solver->step, patch->stateA));
    return sdLengthSquared(v) > PASSING * PASSING * threshold * threshold ||
           sdLengthSquared(w) > TUMBLING * TUMBLING ||
           patch->batch->impact[patch->lane] < -threshold;
}

static void setNode(const sdDirectSolver* solver, sdSlenderNode* node, int state) {
    const sdBody* body = &solver->step->world->bodies.data[solver->step->motions[state].body];
    bool canTurn = body->inertia.cx.x > 0.0f;
    *node = (sdSlenderNode){
        .state = state,
        .locks = body->locks |
                 (canTurn ? 0u : SD_LOCK_ROTATION_X | SD_LOCK_ROTATION_Y | SD_LOCK_ROTATION_Z),
        .mass = body->mass,
        .inertia = sdRotateInertia(body->rotation, body->inertia),
    };
}

static void setUp(void* arg, int begin, int end, int worker) {
    (void)worker;
    sdDirectSolver* solver = (sdDirectSolver*)arg;
    double speed = (double)(solver->step->h * sdLength(solver->step->world->def.gravity));
    for (int i = begin; i < end; ++i) {
        sdSlenderIsland* island = &solver->islands[i];
        const sdEliminated* eliminated = solver->eliminated + island->firstNode;
        int* bodies = solver->bodyLists + island->firstNode;
        for (int j = 0; j < island->nodeCount; ++j) {
            setNode(solver, &island->nodes[j], bodies[eliminated[j].node]);
            solver->locals[island->nodes[j].state] = j;
            island->restEnergy += (double)island->nodes[j].mass * speed * speed;
        }
        for (int j = 0; j < island->patchCount; ++j) {
            setPatch(solver, &island->patches[j], solver->patchLists[island->firstPatch + j]);
            island->isShaken = island->isShaken || isImpact(solver, &island->patches[j]);
        }
    }
}

/// Where the soft solver has put each patch.
static void findPlaces(sdDirectSolver* solver) {
    for (int i = 0; i < solver->soft->coloring.batchCount; ++i) {
        for (int lane = 0; lane < SD_LANES; ++lane) {
            int patch = solver->soft->batches[i]->patches[lane];
            if (patch != SD_NULL_INDEX) {
                solver->places[patch] = i * SD_LANES + lane;
            }
        }
    }
}

/// Keep the slender ones and give their factors memory.
static bool keepSlender(sdDirectSolver* solver, sdArena* arena) {
    size_t diagonalCount = 1, belowCount = 1;
    int kept = 0;
    for (int i = 0; i < solver->islandCount; ++i) {
        sdSlenderIsland* island = &solver->islands[i];
        if (island->isSlender) {
            diagonalCount += (size_t)island->nodeCount;
            belowCount += (size_t)island->belowCount;
            solver->islands[kept++] = *island;
        }
    }
    solver->islandCount = kept;
    sdBlock* diagonal = sdArena_Alloc(arena, diagonalCount, sizeof *diagonal);
    sdBlock* below = sdArena_Alloc(arena, belowCount, sizeof *below);
    if (diagonal == NULL || below == NULL) {
        return false;
    }
    for (int i = 0; i < kept; ++i) {
        sdSlenderIsland* island = &solver->islands[i];
        island->factor = (sdBlockFactor){.count = island->nodeCount,
                                         .pattern = solver->eliminated + island->firstNode,
                                         .firstBelow = solver->firstBelow + island->firstNode,
                                         .diagonal = diagonal,
                                         .below = below};
        island->nodes = solver->nodes + island->firstNode;
        island->patches = solver->patches + island->firstPatch;
        island->vectors = solver->vectors + island->firstNode;
        island->steps = solver->steps + island->firstNode;
        diagonal += island->nodeCount;
        below += island->belowCount;
    }
    return true;
}

static bool takeMemory(sdDirectSolver* solver, sdArena* arena, Room room) {
    size_t nodes = (size_t)room.nodes, patches = (size_t)room.patches;
    size_t bodies = (size_t)solver->step->bodyCount, all = (size_t)solver->step->patchCount;
    solver->islands = sdArena_Alloc(arena, (size_t)room.islands, sizeof *solver->islands);
    solver->nodes = sdArena_Alloc(arena, nodes, sizeof *solver->nodes);
    solver->vectors = sdArena_Alloc(arena, nodes, sizeof *solver->vectors);
    solver->steps = sdArena_Alloc(arena, nodes, sizeof *solver->steps);
    solver->eliminated = sdArena_Alloc(arena, nodes, sizeof *solver->eliminated);
    solver->firstBelow = sdArena_Alloc(arena, nodes, sizeof *solver->firstBelow);
    solver->patches = sdArena_Alloc(arena, patches, sizeof *solver->patches);
    solver->bodyLists = sdArena_Alloc(arena, nodes, sizeof *solver->bodyLists);
    solver->patchLists = sdArena_Alloc(arena, patches, sizeof *solver->patchLists);
    solver->locals = sdArena_Alloc(arena, bodies, sizeof *solver->locals);
    solver->places = sdArena_Alloc(arena, all, sizeof *solver->places);
    solver->levels = sdArena_Alloc(arena, nodes, sizeof *solver->levels);
    solver->graphNodes = sdArena_Alloc(arena, nodes, sizeof *solver->graphNodes);
    solver->graphEdges = sdArena_Alloc(arena, (size_t)room.edges, sizeof *solver->graphEdges);
    return solver->islands != NULL && solver->nodes != NULL && solver->vectors != NULL &&
           solver->steps != NULL && solver->eliminated != NULL && solver->firstBelow != NULL &&
           solver->patches != NULL && solver->bodyLists != NULL && solver->patchLists != NULL &&
           solver->locals != NULL && solver->places != NULL && solver->graphNodes != NULL &&
           solver->graphEdges != NULL && solver->levels != NULL;
}

sdDirectSolver* sdDirectSolver_Prepare(sdStep* step, sdSoftSolver* soft) {
    sdArena* arena = &step->world->arena;
    const sdTaskSystem* tasks = &step->world->context.tasks;
    sdDirectSolver* solver = sdArena_Alloc(arena, 1, sizeof *solver);
    Census* census = sdArena_Alloc(arena, (size_t)step->bodyCount + 1, sizeof *census);
    if (solver == NULL || census == NULL) {
        return NULL;
    }
    *solver = (sdDirectSolver){.step = step, .soft = soft};
    step->world->stats.slenderCount = 0;
    if (!step->world->def.enableDirect) {
        return solver;
    }
    count(step, census);
    Room room = measure(step, census);
    if (room.islands == 0) {
        return solver;
    }
    if (!takeMemory(solver, arena, room)) {
        return NULL;
    }
    solver->islandCount = room.islands;
    list(solver, census);
    tasks->parallelFor(tasks->user, eliminate, solver, solver->islandCount, 1);
    if (!keepSlender(solver, arena)) {
        return NULL;
    }
    findPlaces(solver);
    tasks->parallelFor(tasks->user, setUp, solver, solver->islandCount, 1);
    step->world->stats.slenderCount = solver->islandCount;
    return solver;
}
