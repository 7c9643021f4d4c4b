// SPDX-License-Identifier: MIT
// impulse_joint_set.c - the locked rows of all joints at once, for the impulse solver.
//
// In:   joints of the step, velocities, predicted poses.
// Out:  impulses with which no joint disturbs another.
// Ref:  George and Liu, "Computer Solution of Large Sparse Positive Definite Systems", 1981:
//       envelopes and the order of Cuthill and McKee.
// Note: S2 solves joints one by one, so that each disturbs its neighbours and ten passes leave what
//       a chain of twenty makes visible. Here a pass is one step of Newton's method for all: the
//       matrix has a block where two joints share a body, and joints are listed from one end of
//       what hangs together to the other, so that it is narrow. It is not symmetric: rows are those
//       of the end of the step, impulses act at its start. What is wide (nets) is left to sweeps.

#include "dynamics/impulse_joint_rows.h"

/// Mean number of entries of a row, to the left of the diagonal, beyond which a set is left to
/// sweeps: a solution takes their square for each row.
#define MAX_WIDTH 40

/// A joint at one of its bodies.
typedef struct Edge {
    int place; ///< in the order of elimination
    bool isB;
} Edge;

struct sdJointSets {
    int* order; ///< joints by place
    bool* isWide;
    int* firstPlaces; ///< of the first neighbour of each, or itself
    int* rowStarts;   ///< of each place; one more
    int* firsts;      ///< of each row: the first column of its envelope
    int* offsets;     ///< of each row: its envelope in `lower`, and that of its column in `upper`
    double *lower, *upper, *diagonal, *x;
    sdLockSet* lines; ///< by place, of this solution
    int* edgeStarts;  ///< of each body; one more
    Edge* edges;
    int size;       ///< of both triangles
    bool hasNarrow; ///< there is anything to do
};

// ---- order ---------------------------------------------------------------------------------

/// Whether joints on both sides of a body feel each other through it.
static bool isShared(const sdImpulseJoints* joints, int body) {
    return body != joints->ground && joints->step->motions[body].isDynamic;
}

static bool allocate(sdImpulseJoints* joints, sdJointSets* sets) {
    sdArena* arena = &joints->step->world->arena;
    size_t count = (size_t)joints->count, rows = count * SD_MAX_LOCKS + 1;
    sets->order = sdArena_Alloc(arena, count + 1, sizeof *sets->order);
    sets->isWide = sdArena_Alloc(arena, count + 1, sizeof *sets->isWide);
    sets->firstPlaces = sdArena_Alloc(arena, count + 1, sizeof *sets->firstPlaces);
    sets->rowStarts = sdArena_Alloc(arena, count + 1, sizeof *sets->rowStarts);
    sets->firsts = sdArena_Alloc(arena, rows, sizeof *sets->firsts);
    sets->offsets = sdArena_Alloc(arena, rows, sizeof *sets->offsets);
    sets->diagonal = sdArena_Alloc(arena, rows, sizeof *sets->diagonal);
    sets->x = sdArena_Alloc(arena, rows, sizeof *sets->x);
    sets->lines = sdArena_Alloc(arena, count + 1, sizeof *sets->lines);
    sets->edgeStarts = sdArena_Alloc(arena, (size_t)joints->ground + 3, sizeof *sets->edgeStarts);
    sets->edges = sdArena_Alloc(arena, 2 * count + 1, sizeof *sets->edges);
    return sets->order != NULL && sets->isWide != NULL && sets->firstPlaces != NULL &&
           sets->rowStarts != NULL && sets->firsts != NULL && sets->offsets != NULL &&
           sets->diagonal != NULL && sets->x != NULL && sets->lines != NULL &&
           sets->edgeStarts != NULL && sets->edges != NULL;
}

/// Which joints each body has; `place` is the joint's index for now.
static void listEdges(const sdImpulseJoints* joints, sdJointSets* sets) {
    int* starts = sets->edgeStarts;
    memset(starts, 0, ((size_t)joints->ground + 3) * sizeof *starts);
    for (int i = 0; i < joints->count; ++i) {
        starts[joints->joints[i].bodyA + 2] += 1;
        starts[joints->joints[i].bodyB + 2] += 1;
    }
    for (int i = 0; i <= joints->ground + 1; ++i) {
        starts[i + 1] += starts[i];
    }
    // the start of the next body is used up on the way, and right again in the end
    for (int i = 0; i < joints->count; ++i) {
        sets->edges[starts[joints->joints[i].bodyA + 1]++] = (Edge){i, false};
        sets->edges[starts[joints->joints[i].bodyB + 1]++] = (Edge){i, true};
    }
}

/// List all that hangs together with the joint `root`, the nearest first.
/// @param places of joints: SD_NULL_INDEX for those that have none
/// @return how many places are taken then
static int listFrom(const sdImpulseJoints* joints, sdJointSets* sets, int* places, int root,
                    int begin) {
    int end = begin;
    places[root] = end;
    sets->order[end++] = root;
    for (int i = begin; i < end; ++i) {
        const sdImpulseJoint* joint = &joints->joints[sets->order[i]];
        int bodies[2] = {joint->bodyA, joint->bodyB};
        for (int k = 0; k < 2; ++k) {
            if (!isShared(joints, bodies[k])) {
                continue;
            }
            for (int e = sets->edgeStarts[bodies[k]]; e < sets->edgeStarts[bodies[k] + 1]; ++e) {
                int next = sets->edges[e].place;
                if (places[next] == SD_NULL_INDEX) {
                    places[next] = end;
                    sets->order[end++] = next;
                }
            }
        }
    }
    return end;
}

/// How wide the envelope of each place is.
/// @return entries to the left of the diagonal, of the places from `begin` on
static int64_t measure(const sdImpulseJoints* joints, sdJointSets* sets, const int* places,
                       int begin, int end) {
    int64_t size = 0;
    for (int i = begin; i < end; ++i) {
        const sdImpulseJoint* joint = &joints->joints[sets->order[i]];
        int bodies[2] = {joint->bodyA, joint->bodyB}, first = i;
        for (int k = 0; k < 2; ++k) {
            for (int e = sets->edgeStarts[bodies[k]];
                 isShared(joints, bodies[k]) && e < sets->edgeStarts[bodies[k] + 1]; ++e) {
                first = sdMinI(first, places[sets->edges[e].place]);
            }
        }
        sets->firstPlaces[i] = first;
        sets->rowStarts[i + 1] = sets->rowStarts[i] + joint->start.count;
        int64_t left = sets->rowStarts[i] - sets->rowStarts[first];
        size += joint->start.count * (left + joint->start.count);
    }
    return size;
}

/// @param setOfJoint receives which joints hang together
/// @return how many sets there are
static int findOrder(const sdImpulseJoints* joints, sdJointSets* sets, int* places,
                     int* setOfJoint) {
    bool areAllWide = joints->step->world->def.impulse.joints == SD_JOINTS_ONE_BY_ONE;
    int count = 0, setCount = 0;
    sets->rowStarts[0] = 0;
    for (int i = 0; i < joints->count; ++i) {
        places[i] = SD_NULL_INDEX;
    }
    for (int i = 0; i < joints->count; ++i) {
        if (places[i] != SD_NULL_INDEX) {
            continue;
        }
        // what is furthest from anywhere is an end
        int begin = count, end = listFrom(joints, sets, places, i, begin);
        int root = sets->order[end - 1];
        for (int k = begin; k < end; ++k) {
            places[sets->order[k]] = SD_NULL_INDEX;
        }
        count = listFrom(joints, sets, places, root, begin);
        int64_t size = measure(joints, sets, places, begin, count);
        int rows = sets->rowStarts[count] - sets->rowStarts[begin];
        bool isWide = areAllWide || size > (int64_t)MAX_WIDTH * rows;
        sets->hasNarrow = sets->hasNarrow || !isWide;
        for (int k = begin; k < count; ++k) {
            sets->isWide[k] = isWide;
            joints->joints[sets->order[k]].isWide = isWide;
            setOfJoint[sets->order[k]] = setCount;
        }
        setCount += 1;
    }
    for (int e = 0; e < 2 * joints->count; ++e) {
        sets->edges[e].place = places[sets->edges[e].place];
    }
    return setCount;
}

/// Rows of wide sets have no entries but their own.
static void layOut(sdJointSets* sets, int count) {
    sets->size = 0;
    for (int i = 0; i < count; ++i) {
        int first = sets->isWide[i] ? sets->rowStarts[i] : sets->rowStarts[sets->firstPlaces[i]];
        for (int row = sets->rowStarts[i]; row < sets->rowStarts[i + 1]; ++row) {
            sets->firsts[row] = first;
            sets->offsets[row] = sets->size;
            sets->size += row - first;
        }
    }
}

sdJointSets* sdJointSets_Prepare(sdImpulseJoints* joints) {
    sdArena* arena = &joints->step->world->arena;
    sdJointSets* sets = sdArena_Alloc(arena, 1, sizeof *sets);
    int* places = sdArena_Alloc(arena, 2 * (size_t)joints->count + 1, sizeof *places);
    if (sets == NULL || places == NULL || !allocate(joints, sets)) {
        return NULL;
    }
    sets->hasNarrow = false;
    listEdges(joints, sets);
    int* setOfJoint = places + joints->count;
    int setCount = findOrder(joints, sets, places, setOfJoint);
    joints->guard = sdJointGuard_Prepare(joints, setOfJoint, setCount);
    layOut(sets, joints->count);
    sets->lower = sdArena_Alloc(arena, (size_t)sets->size + 1, sizeof *sets->lower);
    sets->upper = sdArena_Alloc(arena, (size_t)sets->size + 1, sizeof *sets->upper);
    return joints->guard != NULL && sets->lower != NULL && sets->upper != NULL ? sets : NULL;
}

// ---- solution ------------------------------------------------------------------------------

/// What a line is to one of its bodies.
static void sideOf(const sdImpulseLine* line, bool isB, sdVec3* linear, sdVec3* angular) {
    *linear = isB ? line->u : sdNeg(line->u);
    *angular = isB ? line->b : sdNeg(line->a);
}

static void add(sdJointSets* sets, int row, int column, double value) {
    if (row == column) {
        sets->diagonal[row] += value;
    } else if (row > column) {
        sets->lower[sets->offsets[row] + column - sets->firsts[row]] += value;
    } else {
        sets->upper[sets->offsets[column] + row - sets->firsts[column]] += value;
    }
}

/// What impulses of one joint do to the rows of another, through a body that they share.
static void addBlock(const sdImpulseJoints* joints, const sdImpulseBody* body, Edge rows,
                     Edge columns, bool isAhead) {
    sdJointSets* sets = joints->sets;
    const sdLockSet* along =
        isAhead ? &joints->joints[sets->order[columns.place]].start : &sets->lines[columns.place];
    const sdLockSet* lines = &sets->lines[rows.place];
    for (int j = 0; j < along->count; ++j) {
        sdVec3 linear, angular, v, w;
        sideOf(&along->lines[j], columns.isB, &linear, &angular);
        v = sdMul(body->inverseMass, linear);
        w = sdMulMV(body->inverseInertia, angular);
        for (int i = 0; i < lines->count; ++i) {
            sideOf(&lines->lines[i], rows.isB, &linear, &angular);
            add(sets, sets->rowStarts[rows.place] + i, sets->rowStarts[columns.place] + j,
                (double)sdDot(linear, v) + (double)sdDot(angular, w));
        }
    }
}

static void assemble(const sdImpulseJoints* joints, bool isAhead) {
    sdJointSets* sets = joints->sets;
    memset(sets->lower, 0, (size_t)sets->size * sizeof *sets->lower);
    memset(sets->upper, 0, (size_t)sets->size * sizeof *sets->upper);
    memset(sets->diagonal, 0, (size_t)sets->rowStarts[joints->count] * sizeof *sets->diagonal);
    for (int i = 0; i < joints->ground; ++i) {
        const sdImpulseBody* body = &joints->bodies[i];
        int begin = sets->edgeStarts[i], end = sets->edgeStarts[i + 1];
        for (int k = begin; isShared(joints, i) && k < end; ++k) {
            for (int l = begin; l < end && !sets->isWide[sets->edges[k].place]; ++l) {
                addBlock(joints, body, sets->edges[k], sets->edges[l], isAhead);
            }
        }
    }
}

/// Rows about axes that are locked on both bodies hold nothing; rounding leaves a little of them.
static void dropLocked(const sdImpulseJoints* joints) {
    sdJointSets* sets = joints->sets;
    for (int i = 0; i < joints->count; ++i) {
        const sdImpulseJoint* joint = &joints->joints[sets->order[i]];
        for (int k = 0; k < sets->lines[i].count; ++k) {
            double* own = &sets->diagonal[sets->rowStarts[i] + k];
            double least = sdImpulseJoint_LeastResponse(joints, joint, &sets->lines[i].lines[k]);
            *own = *own > least ? *own : 0.0;
        }
    }
}

static double dotOf(const double* a, const double* b, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

/// Into a unit lower triangle, and an upper one with the diagonal.
static void factor(sdJointSets* sets, int rowCount) {
    for (int i = 0; i < rowCount; ++i) {
        int first = sets->firsts[i];
        double* l = sets->lower + sets->offsets[i] - first;
        double* u = sets->upper + sets->offsets[i] - first;
        for (int j = first; j < i; ++j) {
            int from = sdMaxI(first, sets->firsts[j]);
            const double* lj = sets->lower + sets->offsets[j] - sets->firsts[j];
            const double* uj = sets->upper + sets->offsets[j] - sets->firsts[j];
            l[j] -= dotOf(l + from, uj + from, j - from);
            u[j] -= dotOf(lj + from, u + from, j - from);
            l[j] = sets->diagonal[j] > 0.0 ? l[j] / sets->diagonal[j] : 0.0;
        }
        double own = sets->diagonal[i], left = own - dotOf(l + first, u + first, i - first);
        sets->diagonal[i] = left > SD_LEAST_PIVOT * own ? left : 0.0;
    }
}

static void substitute(sdJointSets* sets, int rowCount) {
    double* x = sets->x;
    for (int i = 0; i < rowCount; ++i) {
        int first = sets->firsts[i];
        x[i] -= dotOf(sets->lower + sets->offsets[i], x + first, i - first);
    }
    for (int j = rowCount - 1; j >= 0; --j) {
        const double* u = sets->upper + sets->offsets[j] - sets->firsts[j];
        x[j] = sets->diagonal[j] > 0.0 ? x[j] / sets->diagonal[j] : 0.0;
        for (int i = sets->firsts[j]; i < j; ++i) {
            x[i] -= u[i] * x[j];
        }
    }
}

float sdJointSets_Solve(sdImpulseJoints* joints, bool isAhead) {
    sdJointSets* sets = joints->sets;
    float worst = 0.0f;
    if (!sets->hasNarrow) {
        return worst;
    }
    for (int i = 0; i < joints->count; ++i) {
        const sdImpulseJoint* joint = &joints->joints[sets->order[i]];
        float error = sdImpulseJoint_FindErrors(joints, joint, isAhead, &sets->lines[i],
                                                sets->x + sets->rowStarts[i]);
        worst = sets->isWide[i] ? worst : sdMaxF(worst, error);
    }
    assemble(joints, isAhead);
    dropLocked(joints);
    factor(sets, sets->rowStarts[joints->count]);
    substitute(sets, sets->rowStarts[joints->count]);
    for (int i = 0; i < joints->count; ++i) {
        sdImpulseJoint* joint = &joints->joints[sets->order[i]];
        const sdLockSet* along = isAhead ? &joint->start : &sets->lines[i];
        for (int k = 0; k < along->count && !sets->isWide[i]; ++k) {
            sdImpulseJoint_Push(joints, joint, &along->lines[k],
                                -(float)sets->x[sets->rowStarts[i] + k]);
        }
    }
    return worst;
}
