// SPDX-License-Identifier: MIT
// first_load.c - see first_load.h.
//
// In:   islands at rest whose contacts have never pushed: a stack in its first step.
// Out:  normal impulses of their contacts, in the batches.
// Ref:  the order is that of the contact graph (contact_graph.h), from above.
// Note: sweeps build up the load of n levels in about n² of them; meanwhile the stack sinks, and
//       what leans on two others is moved aside. So bodies hand their load down, those on top
//       first: its weight and where it acts, shared by the points below like pressure under a rigid
//       plate. Costs a look at the bodies and patches in steps where something begins to touch, and
//       about 0.2 µs a body once for each island.

#include "dynamics/first_load.h"

#include "base/sort.h"
#include "dynamics/contact_graph.h"

/// Least share of a push that must be upwards for a contact to carry weight.
#define LEAST_UP 0.3f
/// Share by which the plate is softer about its axes: points in a row carry no moment across it.
#define SOFTNESS 1e-4f

/// What a body carries, N s in a sub-step: all of it down, and its moments along two level axes.
typedef struct Load {
    float weight, moment1, moment2;
    int firstPatch; ///< that pushes it up; SD_NULL_INDEX: none
    bool isCold;    ///< of the lowest state of an island: it was just built
} Load;

typedef struct FirstLoads {
    sdSoftSolver* solver;
    sdVec3 up, level1, level2;
    Load* loads; ///< of each state
    int* next;   ///< of each patch of the step: next that pushes the same body up
    int* places; ///< of each patch of the step: batch * SD_LANES + lane
    sdSupportEdge* edges;
    int edgeCount;
    uint64_t* keys;
} FirstLoads;

// ---- which islands -------------------------------------------------------------------------

/// The island of a patch, by either body that can move.
static int islandOf(const sdStep* step, const sdActivePatch* patch) {
    return step->islands[patch->stateA >= 0 ? patch->stateA : patch->stateB];
}

/// Whether any island of several bodies may have been just built.
static bool hasCold(const FirstLoads* first) {
    const sdStep* step = first->solver->step;
    for (int i = 0; i < step->bodyCount; ++i) {
        if (step->islands[i] != i && first->loads[step->islands[i]].isCold) {
            return true;
        }
    }
    return false;
}

/// @return whether any island was just built
static bool findCold(FirstLoads* first) {
    const sdStep* step = first->solver->step;
    float restSpeed = sdStep_GetBounceSpeed(first->solver->step);
    for (int i = 0; i < step->bodyCount; ++i) {
        first->loads[i] = (Load){.firstPatch = SD_NULL_INDEX, .isCold = true};
    }
    for (int i = 0; i < step->bodyCount; ++i) {
        const sdBodyState* state = &step->states[i];
        float speed = sdLength(state->velocity) + sdLength(state->angularVelocity);
        first->loads[step->islands[i]].isCold &= speed < restSpeed && state->inverseMass > 0.0f;
    }
    // in most steps all move, or one contact that pushes tells for many
    bool mayBeCold = hasCold(first);
    for (int i = 0; mayBeCold && i < step->patchCount; ++i) {
        const sdActivePatch* active = &step->patches[i];
        Load* load = &first->loads[islandOf(step, active)];
        float sum = 0.0f;
        for (int j = 0; load->isCold && j < active->patch->pointCount; ++j) {
            sum += active->patch->points[j].impulse;
        }
        load->isCold &= sum == 0.0f;
    }
    return mayBeCold && hasCold(first);
}

// ---- who stands on what --------------------------------------------------------------------

/// A patch as the body above it sees it.
typedef struct Support {
    sdSoftBatch* batch;
    const sdPatch* patch;
    int lane;
    int upper, lower; ///< states; SD_NULL_INDEX: cannot move
    bool isOnB;       ///< the upper one is B
    float rise;       ///< share of the push that is upwards
} Support;

static Support supportOf(const FirstLoads* first, int patch) {
    const sdActivePatch* active = &first->solver->step->patches[patch];
    int place = first->places[patch], lane = place % SD_LANES;
    sdSoftBatch* batch = first->solver->batches[place / SD_LANES];
    sdVec3 n = {batch->normal.x[lane], batch->normal.y[lane], batch->normal.z[lane]};
    float rise = sdDot(n, first->up);
    bool isOnB = rise > 0.0f;
    return (Support){.batch = batch,
                     .patch = active->patch,
                     .lane = lane,
                     .upper = isOnB ? active->stateB : active->stateA,
                     .lower = isOnB ? active->stateA : active->stateB,
                     .isOnB = isOnB,
                     .rise = sdAbsF(rise)};
}

static void listSupports(FirstLoads* first) {
    const sdSoftSolver* solver = first->solver;
    for (int i = 0; i < solver->coloring.batchCount; ++i) {
        for (int lane = 0; lane < SD_LANES; ++lane) {
            int patch = solver->batches[i]->patches[lane];
            if (patch != SD_NULL_INDEX) {
                first->places[patch] = i * SD_LANES + lane;
            }
        }
    }
    for (int i = solver->step->patchCount - 1; i >= 0; --i) {
        Support support = supportOf(first, i);
        if (support.upper >= 0 && support.rise > LEAST_UP) {
            Load* load = &first->loads[support.upper];
            first->next[i] = load->firstPatch;
            load->firstPatch = i;
            if (support.lower >= 0) {
                first->edges[first->edgeCount++] = (sdSupportEdge){support.upper, support.lower};
            }
        }
    }
}

/// Cold bodies, each before all that support it.
/// @return how many; negative when memory is short
static int sortDownwards(FirstLoads* first) {
    const sdStep* step = first->solver->step;
    sdContactGraph graph;
    if (!sdContactGraph_Build(&graph, &step->world->arena, step->bodyCount, SD_NULL_INDEX,
                              first->edges, first->edgeCount)) {
        return -1;
    }
    int count = 0;
    for (int i = 0; i < step->bodyCount; ++i) {
        if (first->loads[step->islands[i]].isCold) {
            uint64_t order = (uint64_t)(graph.componentCount - graph.components[i]);
            first->keys[count++] = order << 32 | (uint32_t)i;
        }
    }
    sdSortKeys(first->keys, count);
    return count;
}

// ---- hand down -----------------------------------------------------------------------------

/// Where a point is seen from a body, along both level axes.
static void levelOf(const FirstLoads* first, const Support* support, int point, bool isFromB,
                    float* x, float* z) {
    const sdSoftPoint* p = &support->batch->points[point];
    const sdVec3x8* center = isFromB ? &support->batch->centerB : &support->batch->centerA;
    sdVec3 v =
        sdAdd(sdVec3x8_GetLane(center, support->lane), sdVec3x8_GetLane(&p->r, support->lane));
    *x = sdDot(v, first->level1);
    *z = sdDot(v, first->level2);
}

static bool carries(const FirstLoads* first, const Support* support, int point) {
    return support->patch->points[point].separation <= first->solver->slop;
}

/// Pressure a + b x + c z under a body that bears its load.
static sdVec3 findPressure(const FirstLoads* first, const Load* load) {
    float s = 0.0f, x1 = 0.0f, z1 = 0.0f, xx = 0.0f, xz = 0.0f, zz = 0.0f;
    for (int i = load->firstPatch; i != SD_NULL_INDEX; i = first->next[i]) {
        Support support = supportOf(first, i);
        float square = support.rise * support.rise;
        for (int j = 0; j < support.patch->pointCount; ++j) {
            if (carries(first, &support, j)) {
                float x, z;
                levelOf(first, &support, j, support.isOnB, &x, &z);
                s += square;
                x1 += square * x;
                z1 += square * z;
                xx += square * x * x;
                xz += square * x * z;
                zz += square * z * z;
            }
        }
    }
    float soft = SOFTNESS * (xx + zz);
    sdMat33 m = {{s, x1, z1}, {x1, xx + soft, xz}, {z1, xz, zz + soft}};
    bool isSolvable = s > 0.0f && soft > 0.0f;
    sdVec3 simple = {s > 0.0f ? load->weight / s : 0.0f, 0.0f, 0.0f};
    return isSolvable ? sdMat33_Solve(m, sdV3(load->weight, load->moment1, load->moment2)) : simple;
}

/// @return what the points carry together when none may pull
static float press(const FirstLoads* first, const Load* load, sdVec3 pressure, float scale) {
    float sum = 0.0f;
    for (int i = load->firstPatch; i != SD_NULL_INDEX; i = first->next[i]) {
        Support support = supportOf(first, i);
        for (int j = 0; j < support.patch->pointCount; ++j) {
            float x, z;
            levelOf(first, &support, j, support.isOnB, &x, &z);
            float push = support.rise * (pressure.x + pressure.y * x + pressure.z * z);
            push = carries(first, &support, j) ? scale * sdMaxF(push, 0.0f) : 0.0f;
            support.batch->points[j].impulse[support.lane] = push;
            sum += push * support.rise;
        }
    }
    return sum;
}

static void handDown(FirstLoads* first, int state) {
    const sdStep* step = first->solver->step;
    Load* load = &first->loads[state];
    const sdBody* body = &step->world->bodies.data[step->motions[state].body];
    load->weight += body->mass * body->gravityScale * step->h * sdLength(step->world->def.gravity);
    sdVec3 pressure = findPressure(first, load);
    float sum = press(first, load, pressure, 1.0f);
    if (!(sum > 0.0f) || !(load->weight > 0.0f)) {
        press(first, load, pressure, 0.0f);
        return;
    }
    press(first, load, pressure, load->weight / sum);
    for (int i = load->firstPatch; i != SD_NULL_INDEX; i = first->next[i]) {
        Support support = supportOf(first, i);
        for (int j = 0; j < support.patch->pointCount && support.lower >= 0; ++j) {
            float push = support.rise * support.batch->points[j].impulse[support.lane], x, z;
            levelOf(first, &support, j, !support.isOnB, &x, &z);
            first->loads[support.lower].weight += push;
            first->loads[support.lower].moment1 += push * x;
            first->loads[support.lower].moment2 += push * z;
        }
    }
}

bool sdSoftSolver_GuessFirstLoads(sdSoftSolver* solver) {
    const sdStep* step = solver->step;
    sdArena* arena = &step->world->arena;
    float gravity = sdLength(step->world->def.gravity);
    if (step->world->begin.count == 0 || !(gravity > 0.0f)) {
        return true;
    }
    FirstLoads first = {.solver = solver, .up = sdScale(-1.0f / gravity, step->world->def.gravity)};
    first.level1 = sdPerp(first.up);
    first.level2 = sdCross(first.up, first.level1);
    size_t bodies = (size_t)step->bodyCount + 1, patches = (size_t)step->patchCount + 1;
    first.loads = sdArena_Alloc(arena, bodies, sizeof *first.loads);
    first.keys = sdArena_Alloc(arena, bodies, sizeof *first.keys);
    first.next = sdArena_Alloc(arena, patches, sizeof *first.next);
    first.places = sdArena_Alloc(arena, patches, sizeof *first.places);
    first.edges = sdArena_Alloc(arena, patches, sizeof *first.edges);
    if (first.loads == NULL || first.keys == NULL || first.next == NULL || first.places == NULL ||
        first.edges == NULL) {
        return false;
    }
    if (!findCold(&first)) {
        return true;
    }
    listSupports(&first);
    int count = sortDownwards(&first);
    for (int i = 0; i < count; ++i) {
        handDown(&first, (int)(uint32_t)first.keys[i]);
    }
    return count >= 0;
}
