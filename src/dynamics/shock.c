// SPDX-License-Identifier: MIT
// shock.c - levels of the contact graph, and shock propagation along them (D10, D11).
//
// In:   pairs and velocities after the contact passes.
// Out:  velocities with which nothing sinks into what is below it.
// Ref:  S2 §8.3, §8.4; Guendelman, Bridson and Fedkiw 2003, section 8.
// Note: contact passes carry weight one body on each; in a tall stack what they leave adds up to a
//       slow sinking. So in the end bodies are stopped level by level, those below with infinite
//       mass: one sweep from the ground to the top is enough.

#include "dynamics/solver_impulse.h"

/// Sweeps over the pairs of a level: as in the contact passes, with restitution from just above -1
/// to 0; stopped at once, what has several points is thrown up, and all above it with it.
#define LEVEL_SWEEPS 10
/// Sweeps after them, at most, in which what was pushed too far is pulled back: what is left would
/// grow from level to level.
#define SETTLE_SWEEPS 8
/// m/s of slip above which friction is that of sliding.
#define SLIP_SPEED 5e-3f
/// Share of a body's fall that must be towards another for it to rest on it.
#define LEAST_PRESS 1e-3f

// ---- levels --------------------------------------------------------------------------------

static int nodeOf(const sdImpulseSolver* solver, int body) {
    return sdImpulseBody_IsMovable(&solver->bodies[body]) ? body : solver->ground;
}

/// Whether gravity presses a body on the other side of a point. Moved alone, it would hit it.
static bool isPressed(const sdImpulseBody* body, sdVec3 towards) {
    float press = sdDot(body->fall, towards);
    return press > LEAST_PRESS * sdLength(body->fall);
}

/// Edges of a pair: two if they are hooked into each other.
static int listEdges(const sdImpulseSolver* solver, const sdImpulsePair* pair,
                     sdSupportEdge* edges) {
    const sdImpulseBody* a = &solver->bodies[pair->bodyA];
    const sdImpulseBody* b = &solver->bodies[pair->bodyB];
    float dt = solver->step->dt;
    bool isOnB = false, isOnA = false;
    for (int i = 0; i < pair->pointCount; ++i) {
        const sdImpulsePoint* point = &pair->points[i];
        sdVec3 n = point->normal;
        float un = sdDot(n, sdImpulsePoint_GetVelocity(point, a, b));
        float falling = dt * sdMaxF(sdDot(n, a->fall), -sdDot(n, b->fall));
        // they will touch as they move now, or if one of them fell alone
        if (point->base + sdMinF(solver->horizon * un, -falling) < 0.0f) {
            isOnB = isOnB || isPressed(a, n);
            isOnA = isOnA || isPressed(b, sdNeg(n));
        }
    }
    int nodeA = nodeOf(solver, pair->bodyA), nodeB = nodeOf(solver, pair->bodyB), count = 0;
    if (isOnB) {
        edges[count++] = (sdSupportEdge){nodeA, nodeB};
    }
    if (isOnA) {
        edges[count++] = (sdSupportEdge){nodeB, nodeA};
    }
    return count;
}

/// Whether a pair slid when the step began, on the mean of its points.
static bool wasSlipping(const sdImpulseSolver* solver, const sdImpulsePair* pair) {
    const sdImpulseBody* a = &solver->bodies[pair->bodyA];
    const sdImpulseBody* b = &solver->bodies[pair->bodyB];
    sdVec3 given = sdSub(b->fall, a->fall);
    float slip = 0.0f;
    for (int i = 0; i < pair->pointCount; ++i) {
        const sdImpulsePoint* point = &pair->points[i];
        sdVec3 u = sdSub(sdImpulsePoint_GetVelocity(point, a, b), given);
        slip += sdLength(sdMulAdd(u, -sdDot(point->normal, u), point->normal));
    }
    return slip > SLIP_SPEED * (float)pair->pointCount;
}

void sdImpulseSolver_FindLevels(sdImpulseSolver* solver) {
    sdArena* arena = &solver->step->world->arena;
    size_t room = 2 * (size_t)solver->pairCount + 1;
    sdSupportEdge* edges = sdArena_Alloc(arena, room, sizeof *edges);
    sdContactGraph graph;
    int edgeCount = 0;
    for (int i = 0; edges != NULL && i < solver->pairCount; ++i) {
        edgeCount += listEdges(solver, &solver->pairs[i], edges + edgeCount);
    }
    if (edges == NULL || !sdContactGraph_Build(&graph, arena, solver->ground + 1, solver->ground,
                                               edges, edgeCount)) {
        solver->hasFailed = true;
        return;
    }
    solver->levelCount = graph.levelCount;
    solver->levelStarts =
        sdArena_Alloc(arena, (size_t)graph.levelCount + 2, sizeof *solver->levelStarts);
    solver->hasFailed = solver->levelStarts == NULL;
    for (int i = 0; i < solver->ground; ++i) {
        solver->bodies[i].level = graph.levels[nodeOf(solver, i)];
    }
    for (int i = 0; i < solver->pairCount; ++i) {
        sdImpulsePair* pair = &solver->pairs[i];
        pair->isSlipping = wasSlipping(solver, pair);
        pair->level = sdMaxI(solver->bodies[pair->bodyA].level, solver->bodies[pair->bodyB].level);
    }
}

void sdImpulseSolver_SortByLevel(sdImpulseSolver* solver) {
    int* starts = solver->levelStarts;
    for (int i = 0; i <= solver->levelCount + 1; ++i) {
        starts[i] = 0;
    }
    for (int i = 0; i < solver->pairCount; ++i) {
        starts[solver->pairs[i].level + 2] += 1;
    }
    for (int i = 0; i <= solver->levelCount; ++i) {
        starts[i + 1] += starts[i];
    }
    // the place after a level's start is used up on the way, and is that of the next in the end
    for (int i = 0; i < solver->pairCount; ++i) {
        int pair = solver->order[i];
        solver->sorted[starts[solver->pairs[pair].level + 1]++] = pair;
    }
}

// ---- shock ---------------------------------------------------------------------------------

void sdImpulseSolver_SolveLevel(sdImpulseSolver* solver, int level, sdImpulsePass pass,
                                int sweepCount) {
    int begin = solver->levelStarts[level], end = solver->levelStarts[level + 1], pushed = 1;
    for (int sweep = 0; sweep < sweepCount && pushed > 0; ++sweep) {
        pushed = 0;
        for (int i = begin; i < end; ++i) {
            pushed += sdImpulseSolver_SolvePair(solver, &solver->pairs[solver->sorted[i]], pass);
        }
    }
}

void sdImpulseSolver_PropagateShock(sdImpulseSolver* solver) {
    for (int level = 0; level < solver->levelCount; ++level) {
        for (int i = 1; i <= LEVEL_SWEEPS; ++i) {
            float e = -(float)(LEVEL_SWEEPS - i) / (float)LEVEL_SWEEPS;
            sdImpulseSolver_SolveLevel(solver, level, (sdImpulsePass){false, e, false}, 1);
        }
        sdImpulseSolver_SolveLevel(solver, level, (sdImpulsePass){false, 0.0f, true},
                                   SETTLE_SWEEPS);
        sdImpulseJoints_PropagateShock(solver->joints, level);
        for (int i = 0; i < solver->ground; ++i) {
            if (solver->bodies[i].level == level) {
                sdImpulseBody_Hold(&solver->bodies[i]);
            }
        }
    }
    for (int i = 0; i < solver->ground; ++i) {
        sdImpulseBody_Release(&solver->bodies[i]);
    }
}
