// SPDX-License-Identifier: MIT
// solver_direct.c - see solver_direct.h.
//
// In:   slender islands, velocities, impulses in the batches of the soft solver.
// Out:  velocities and impulses.
// Ref:  Newton's method on the augmented Lagrangian as in Rockafellar, 1976, and Todorov, 2011.
// Note: for a body of a tower at rest a step factors once (1 500 multiplications) and solves 16
//       times (300 each, to find that there is nothing to gain; 1 000 when there is). While
//       contacts slip or open it factors up to MAX_STEPS times a solve.

#include "dynamics/solver_direct.h"

/// Newton's steps: at rest one is enough, for the rows that hold are known.
#define MAX_STEPS 8
/// Trials for the length of a step, and the share of its slope that may be left.
#define MAX_SEARCHES 4
#define FLAT_SHARE 0.1
/// Share of the first step's slope, and of the energy of rest, at which there is nothing left to
/// gain.
#define ENOUGH 1e-6
/// Share of the energy of rest below which there is no need to begin. A leaning tower creeps by
/// 0.1 mm/s at 1e-6.
#define AT_REST 1e-8
/// m/s at which a new contact counts as approaching.
#define FRESH_SPEED 1e-5f
/// m/s at which a new contact slides before it can hold.
#define FRESH_SLIDE 0.1f
/// Share of its limit at which friction counts as sliding already.
#define SLIDING_SHARE 0.999f
/// In rough islands: of so many sub-steps one, and only to push, for a solve takes several of
/// Newton's steps there. Sweeps between them keep what it found; once a step is too seldom.
#define ROUGH_PERIOD 2
/// Bodies beyond which one of them is always about to slip, so that Newton's steps would not end by
/// themselves: larger islands have fewer.
#define LARGE_ISLAND 128
/// Newton's steps of a solve from which an island slips. When all its solves together have had the
/// most steps of two, it is treated like a rough one until a solve takes fewer.
#define RESTLESS_STEPS 4
#define SPARE_SOLVES 2

// ---- rows ----------------------------------------------------------------------------------

/// How fast a body moves, or nothing.
typedef struct Motion {
    sdVec3 velocity, angular;
} Motion;

static Motion motionOf(const sdStep* step, int state) {
    Motion motion = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    if (state >= 0) {
        motion.velocity = step->states[state].velocity;
        motion.angular = step->states[state].angularVelocity;
    }
    return motion;
}

static sdVec3 speedAt(Motion motion, sdVec3 r) {
    return sdAdd(motion.velocity, sdCross(motion.angular, r));
}

/// What points must not approach faster than, as the sweeps have it.
static void setBias(const sdDirectSolver* solver, sdSlenderPatch* patch, bool isBiased) {
    const sdStep* step = solver->step;
    sdVec3 n = patch->normal, backA = n, backB = n, moved = {0.0f, 0.0f, 0.0f};
    if (patch->stateA >= 0) {
        backA = sdInvRotate(step->states[patch->stateA].turn, n);
        moved = sdNeg(step->states[patch->stateA].displacement);
    }
    if (patch->stateB >= 0) {
        backB = sdInvRotate(step->states[patch->stateB].turn, n);
        moved = sdAdd(moved, step->states[patch->stateB].displacement);
    }
    float along = sdDot(n, moved);
    for (int i = 0; i < patch->pointCount; ++i) {
        float gap =
            along + patch->separation[i] + sdDot(patch->rB[i], backB) - sdDot(patch->rA[i], backA);
        patch->bias[i] =
            sdSoftSolver_GetBias(solver->soft, patch->slop, gap, patch->start[i], isBiased);
    }
}

/// Relative velocities of the rows, with bias.
static void findSpeeds(const sdStep* step, const sdSlenderPatch* patch, float* out) {
    Motion a = motionOf(step, patch->stateA), b = motionOf(step, patch->stateB);
    for (int i = 0; i < patch->pointCount; ++i) {
        sdVec3 v = sdSub(speedAt(b, patch->rB[i]), speedAt(a, patch->rA[i]));
        out[i] = sdDot(patch->normal, v) + patch->bias[i];
    }
    sdVec3 v = sdSub(speedAt(b, patch->cB), speedAt(a, patch->cA));
    out[SD_ROW_TANGENT1] = sdDot(v, patch->tangent1);
    out[SD_ROW_TANGENT2] = sdDot(v, patch->tangent2);
    out[SD_ROW_TWIST] = sdDot(patch->normal, sdSub(b.angular, a.angular));
}

/// Friction that held, beyond its limit: what is left of it, and which way it slides.
static void slide(sdSlenderPatch* patch, float limit, float length) {
    float share = limit / sdMaxF(length, FLT_MIN);
    patch->slide1 = patch->impulse[SD_ROW_TANGENT1] / sdMaxF(length, FLT_MIN);
    patch->slide2 = patch->impulse[SD_ROW_TANGENT2] / sdMaxF(length, FLT_MIN);
    patch->slideShare = share;
    patch->impulse[SD_ROW_TANGENT1] *= share;
    patch->impulse[SD_ROW_TANGENT2] *= share;
    patch->rows[SD_ROW_TANGENT1] = SD_ROW_SLIDES;
    patch->rows[SD_ROW_TANGENT2] = SD_ROW_SLIDES;
}

/// Whether friction was at its limit and is pushed on.
static bool keepsSliding(const float* start, const float* next, int count, float limit) {
    float old = 0.0f, along = 0.0f, least = SLIDING_SHARE * limit;
    for (int i = 0; i < count; ++i) {
        old += start[i] * start[i];
        along += start[i] * next[i];
    }
    return old > least * least && along > limit * limit;
}

static void openTangents(sdSlenderPatch* patch) {
    for (int i = SD_ROW_TANGENT1; i <= SD_ROW_TWIST; ++i) {
        patch->rows[i] = SD_ROW_OPEN;
        patch->impulse[i] = 0.0f;
    }
}

/// Friction and twist that would hold, within their limits.
/// @param pressure sum of the normal impulses
static void limitTangents(sdSlenderPatch* patch, float pressure, bool isFirst) {
    float length = sqrtf(patch->impulse[SD_ROW_TANGENT1] * patch->impulse[SD_ROW_TANGENT1] +
                         patch->impulse[SD_ROW_TANGENT2] * patch->impulse[SD_ROW_TANGENT2]);
    float sliding = patch->slidingFriction * pressure, twist = patch->twistArm * pressure;
    bool slides, spins;
    if (isFirst) {
        slides = !patch->isFresh && keepsSliding(&patch->start[SD_ROW_TANGENT1],
                                                 &patch->impulse[SD_ROW_TANGENT1], 2, sliding);
        spins = !patch->isFresh &&
                keepsSliding(&patch->start[SD_ROW_TWIST], &patch->impulse[SD_ROW_TWIST], 1, twist);
    } else {
        slides = length > patch->staticFriction * pressure;
        spins = sdAbsF(patch->impulse[SD_ROW_TWIST]) > twist;
    }
    patch->rows[SD_ROW_TANGENT1] = SD_ROW_HELD;
    patch->rows[SD_ROW_TANGENT2] = SD_ROW_HELD;
    patch->rows[SD_ROW_TWIST] = SD_ROW_HELD;
    if (slides) {
        slide(patch, sliding, length);
    }
    if (spins) {
        patch->rows[SD_ROW_TWIST] = SD_ROW_OPEN;
        patch->impulse[SD_ROW_TWIST] = patch->impulse[SD_ROW_TWIST] > 0.0f ? twist : -twist;
    }
}

/// Impulses at the present velocities. The first time, rows hold that did so before, whatever
/// their impulse would be: impulses of one sign only are found by the steps that follow.
static void findImpulses(sdSlenderPatch* patch, const float* speeds, bool isFirst) {
    float pressure = 0.0f, before = 0.0f;
    bool isHeld = false;
    for (int i = 0; i < patch->pointCount; ++i) {
        float next = patch->start[i] - patch->stiffness[i] * speeds[i];
        bool isActive = next > 0.0f;
        if (isFirst) {
            isActive = patch->start[i] > 0.0f || speeds[i] < (patch->isFresh ? FRESH_SPEED : 0.0f);
            patch->impulse[i] = isActive ? next : 0.0f;
        } else {
            patch->impulse[i] = sdMaxF(next, 0.0f);
        }
        patch->rows[i] = isActive ? SD_ROW_HELD : SD_ROW_OPEN;
        isHeld = isHeld || isActive;
        before += patch->start[i];
        pressure += patch->factored[i] != SD_ROW_OPEN ? next : patch->impulse[i];
    }
    pressure = sdMaxF(pressure, 0.0f);
    for (int i = SD_ROW_TANGENT1; i <= SD_ROW_TWIST; ++i) {
        patch->impulse[i] = patch->start[i] - patch->stiffness[i] * speeds[i];
    }
    if (isFirst) {
        float slip = speeds[SD_ROW_TANGENT1] * speeds[SD_ROW_TANGENT1] +
                     speeds[SD_ROW_TANGENT2] * speeds[SD_ROW_TANGENT2];
        isHeld = isHeld && !(patch->isFresh && slip > FRESH_SLIDE * FRESH_SLIDE);
    } else {
        isHeld = pressure > 0.0f;
    }
    limitTangents(patch, before > 0.0f ? before : pressure, isFirst);
    if (!isHeld) {
        openTangents(patch);
    }
}

/// Sum of impulses along rows: on B, and torques about both centres.
typedef struct Wrench {
    sdVec3 impulse, torqueA, torqueB;
} Wrench;

static Wrench wrenchOf(const sdSlenderPatch* patch, const float* rows) {
    sdVec3 n = patch->normal, armA = {0.0f, 0.0f, 0.0f}, armB = armA;
    float sum = 0.0f;
    for (int i = 0; i < patch->pointCount; ++i) {
        sum += rows[i];
        armA = sdMulAdd(armA, rows[i], patch->rA[i]);
        armB = sdMulAdd(armB, rows[i], patch->rB[i]);
    }
    sdVec3 t = sdMulAdd(sdScale(rows[SD_ROW_TANGENT1], patch->tangent1), rows[SD_ROW_TANGENT2],
                        patch->tangent2);
    sdVec3 spin = sdScale(rows[SD_ROW_TWIST], n);
    return (Wrench){sdMulAdd(t, sum, n),
                    sdAdd(sdAdd(sdCross(armA, n), sdCross(patch->cA, t)), spin),
                    sdAdd(sdAdd(sdCross(armB, n), sdCross(patch->cB, t)), spin)};
}

static void addTo(float* x, float sign, sdVec3 linear, sdVec3 angular) {
    x[0] += sign * linear.x;
    x[1] += sign * linear.y;
    x[2] += sign * linear.z;
    x[3] += sign * angular.x;
    x[4] += sign * angular.y;
    x[5] += sign * angular.z;
}

/// Add the wrench of the change of the impulses to both bodies.
static void addChange(const sdSlenderPatch* patch, sdBlockVec* x) {
    float change[SD_ROW_COUNT];
    for (int i = 0; i < SD_ROW_COUNT; ++i) {
        change[i] = patch->impulse[i] - patch->start[i];
    }
    Wrench wrench = wrenchOf(patch, change);
    if (patch->nodeA >= 0) {
        addTo(x[patch->nodeA], -1.0f, wrench.impulse, wrench.torqueA);
    }
    if (patch->nodeB >= 0) {
        addTo(x[patch->nodeB], 1.0f, wrench.impulse, wrench.torqueB);
    }
}

// ---- matrix --------------------------------------------------------------------------------

/// A row's six numbers for a body, of a push along d at r.
static void setRow(float* row, float sign, sdVec3 d, sdVec3 r) {
    memset(row, 0, 6 * sizeof *row);
    addTo(row, sign, d, sdCross(r, d));
}

/// m += s a bᵀ
static void addOuter(sdBlock m, float s, const float* a, const float* b) {
    for (int i = 0; i < 6; ++i) {
        float scaled = s * a[i];
        for (int j = 0; j < 6; ++j) {
            m[i][j] += scaled * b[j];
        }
    }
}

static void addRow(const sdSlenderPatch* patch, sdBlockFactor* factor, sdBlock* between, float s,
                   const float* rowA, const float* rowB) {
    if (patch->nodeA >= 0) {
        addOuter(factor->diagonal[patch->nodeA], s, rowA, rowA);
    }
    if (patch->nodeB >= 0) {
        addOuter(factor->diagonal[patch->nodeB], s, rowB, rowB);
    }
    if (between != NULL && patch->nodeA > patch->nodeB) {
        addOuter(*between, s, rowA, rowB);
    } else if (between != NULL) {
        addOuter(*between, s, rowB, rowA);
    }
}

static void addTangents(const sdSlenderPatch* patch, sdBlockFactor* factor, sdBlock* between) {
    float rowA[6], rowB[6], stiffness = patch->stiffness[SD_ROW_TANGENT1];
    sdVec3 t1 = patch->tangent1, t2 = patch->tangent2;
    if (patch->rows[SD_ROW_TANGENT1] == SD_ROW_SLIDES) {
        // friction of given size turns with the slip across it, but does not grow along it
        t1 = sdMulAdd(sdScale(-patch->slide2, t1), patch->slide1, t2);
        stiffness *= patch->slideShare;
    }
    setRow(rowA, -1.0f, t1, patch->cA);
    setRow(rowB, 1.0f, t1, patch->cB);
    addRow(patch, factor, between, stiffness, rowA, rowB);
    if (patch->rows[SD_ROW_TANGENT1] == SD_ROW_HELD) {
        setRow(rowA, -1.0f, t2, patch->cA);
        setRow(rowB, 1.0f, t2, patch->cB);
        addRow(patch, factor, between, stiffness, rowA, rowB);
    }
}

static void addPatch(sdSlenderPatch* patch, sdBlockFactor* factor) {
    float rowA[6], rowB[6];
    bool isJoint = patch->nodeA >= 0 && patch->nodeB >= 0;
    sdBlock* between = isJoint ? sdBlockFactor_GetBelow(factor, sdMaxI(patch->nodeA, patch->nodeB),
                                                        sdMinI(patch->nodeA, patch->nodeB))
                               : NULL;
    for (int i = 0; i < patch->pointCount; ++i) {
        if (patch->rows[i] != SD_ROW_OPEN) {
            setRow(rowA, -1.0f, patch->normal, patch->rA[i]);
            setRow(rowB, 1.0f, patch->normal, patch->rB[i]);
            addRow(patch, factor, between, patch->stiffness[i], rowA, rowB);
        }
    }
    if (patch->rows[SD_ROW_TANGENT1] != SD_ROW_OPEN) {
        addTangents(patch, factor, between);
    }
    if (patch->rows[SD_ROW_TWIST] != SD_ROW_OPEN) {
        sdVec3 zero = {0.0f, 0.0f, 0.0f};
        memset(rowA, 0, sizeof rowA);
        memset(rowB, 0, sizeof rowB);
        addTo(rowA, -1.0f, zero, patch->normal);
        addTo(rowB, 1.0f, zero, patch->normal);
        addRow(patch, factor, between, patch->stiffness[SD_ROW_TWIST], rowA, rowB);
    }
    memcpy(patch->factored, patch->rows, sizeof patch->factored);
}

static void addMass(const sdSlenderNode* node, sdBlock m) {
    const sdVec3* columns = &node->inertia.cx;
    for (int i = 0; i < 3; ++i) {
        m[i][i] += node->mass;
        m[3][3 + i] += columns[i].x;
        m[4][3 + i] += columns[i].y;
        m[5][3 + i] += columns[i].z;
    }
}

/// Take what cannot move out of the matrix.
static void applyLocks(const sdSlenderNode* nodes, sdBlockFactor* factor) {
    for (int c = 0; c < factor->count; ++c) {
        const sdEliminated* pattern = &factor->pattern[c];
        sdBlock* below = &factor->below[factor->firstBelow[c]];
        for (int i = 0; i < 6; ++i) {
            bool isLocked = (nodes[c].locks >> i & 1) != 0;
            for (int j = 0; isLocked && j < 6; ++j) {
                factor->diagonal[c][i][j] = i == j ? 1.0f : 0.0f;
                factor->diagonal[c][j][i] = factor->diagonal[c][i][j];
            }
            for (int n = 0; n < pattern->neighbourCount; ++n) {
                bool isOther = (nodes[pattern->neighbours[n]].locks >> i & 1) != 0;
                for (int j = 0; j < 6; ++j) {
                    below[n][j][i] = isLocked ? 0.0f : below[n][j][i];
                    below[n][i][j] = isOther ? 0.0f : below[n][i][j];
                }
            }
        }
    }
}

static void factorIsland(sdSlenderIsland* island) {
    const sdSlenderNode* nodes = island->nodes;
    sdBlockFactor* factor = &island->factor;
    uint32_t locks = 0;
    sdBlockFactor_Clear(factor);
    for (int i = 0; i < island->nodeCount; ++i) {
        addMass(&nodes[i], factor->diagonal[i]);
        locks |= nodes[i].locks;
    }
    for (int i = 0; i < island->patchCount; ++i) {
        addPatch(&island->patches[i], factor);
    }
    if (locks != 0) {
        applyLocks(nodes, factor);
    }
    sdBlockFactor_Factor(factor);
    island->isFactored = true;
}

/// Whether the factor is that of the rows that hold now. Those that slide may have turned since,
/// which makes a step less than exact.
static bool hasSameRows(const sdSlenderIsland* island, bool* isExact) {
    *isExact = true;
    for (int i = 0; i < island->patchCount; ++i) {
        const sdSlenderPatch* patch = &island->patches[i];
        if (memcmp(patch->rows, patch->factored, sizeof patch->rows) != 0) {
            *isExact = false;
            return false;
        }
        *isExact = *isExact && patch->rows[SD_ROW_TANGENT1] != SD_ROW_SLIDES;
    }
    return true;
}

// ---- Newton's method -----------------------------------------------------------------------

static void load(sdDirectSolver* solver, sdSlenderIsland* island, bool isBiased) {
    for (int i = 0; i < island->nodeCount; ++i) {
        sdSlenderNode* node = &island->nodes[i];
        node->startVelocity = solver->step->states[node->state].velocity;
        node->startAngular = solver->step->states[node->state].angularVelocity;
    }
    for (int i = 0; i < island->patchCount; ++i) {
        sdSlenderPatch* patch = &island->patches[i];
        for (int j = 0; j < patch->pointCount; ++j) {
            patch->start[j] = patch->batch->points[j].impulse[patch->lane];
        }
        patch->start[SD_ROW_TANGENT1] = patch->batch->friction1[patch->lane];
        patch->start[SD_ROW_TANGENT2] = patch->batch->friction2[patch->lane];
        patch->start[SD_ROW_TWIST] = patch->batch->twist[patch->lane];
        setBias(solver, patch, isBiased);
    }
}

/// Impulses at the present velocities, and x = Jᵀ (λ - λ0) - M (v - v0): downhill.
static void findGradient(sdDirectSolver* solver, sdSlenderIsland* island, bool isFirst) {
    const sdStep* step = solver->step;
    sdBlockVec* x = island->vectors;
    for (int i = 0; i < island->nodeCount; ++i) {
        const sdSlenderNode* node = &island->nodes[i];
        const sdBodyState* state = &step->states[node->state];
        sdVec3 v = sdSub(state->velocity, node->startVelocity);
        sdVec3 w = sdSub(state->angularVelocity, node->startAngular);
        memset(x[i], 0, sizeof x[i]);
        addTo(x[i], -1.0f, sdScale(node->mass, v), sdMulMV(node->inertia, w));
    }
    for (int i = 0; i < island->patchCount; ++i) {
        sdSlenderPatch* patch = &island->patches[i];
        float speeds[SD_ROW_COUNT] = {0};
        findSpeeds(step, patch, speeds);
        if (isFirst) {
            memcpy(patch->startSpeed, speeds, sizeof speeds);
        }
        findImpulses(patch, speeds, isFirst);
        addChange(patch, x);
    }
    for (int i = 0; i < island->nodeCount; ++i) {
        uint32_t locks = island->nodes[i].locks;
        for (int j = 0; locks != 0 && j < 6; ++j) {
            x[i][j] = (locks >> j & 1) != 0 ? 0.0f : x[i][j];
        }
    }
}

/// Go a share of the step.
static void move(sdDirectSolver* solver, const sdSlenderIsland* island, float share) {
    for (int i = 0; i < island->nodeCount; ++i) {
        sdBodyState* state = &solver->step->states[island->nodes[i].state];
        const float* x = island->steps[i];
        state->velocity = sdMulAdd(state->velocity, share, sdV3(x[0], x[1], x[2]));
        state->angularVelocity = sdMulAdd(state->angularVelocity, share, sdV3(x[3], x[4], x[5]));
    }
}

/// How steep it is downhill along the step.
static double findSlope(const sdSlenderIsland* island) {
    double sum = 0.0;
    for (int i = 0; i < island->nodeCount; ++i) {
        for (int j = 0; j < 6; ++j) {
            sum += (double)island->vectors[i][j] * (double)island->steps[i][j];
        }
    }
    return sum;
}

/// Go along the step as far as it leads downhill, by the rule of false position.
static void search(sdDirectSolver* solver, sdSlenderIsland* island, double first) {
    double low = 0.0, high = 1.0, slopeLow = first, at = 1.0;
    move(solver, island, 1.0f);
    findGradient(solver, island, false);
    double slopeHigh = findSlope(island);
    for (int i = 0; i < MAX_SEARCHES && slopeHigh < 0.0; ++i) {
        double next = low + (high - low) * slopeLow / (slopeLow - slopeHigh);
        move(solver, island, (float)(next - at));
        at = next;
        findGradient(solver, island, false);
        double slope = findSlope(island);
        if (slope > -FLAT_SHARE * first && slope < FLAT_SHARE * first) {
            break;
        }
        if (slope > 0.0) {
            low = next;
            slopeLow = slope;
        } else {
            high = next;
            slopeHigh = slope;
        }
    }
}

/// How much of the change of the impulses lowers the energy most, 0 .. 1. Leaves the change of the
/// velocities in the vectors.
static float findLength(sdDirectSolver* solver, sdSlenderIsland* island) {
    sdBlockVec* x = island->vectors;
    memset(x, 0, (size_t)island->nodeCount * sizeof *x);
    double slope = 0.0, curvature = 0.0;
    for (int i = 0; i < island->patchCount; ++i) {
        const sdSlenderPatch* patch = &island->patches[i];
        addChange(patch, x);
        for (int j = 0; j < SD_ROW_COUNT; ++j) {
            slope += (double)(patch->impulse[j] - patch->start[j]) * (double)patch->startSpeed[j];
        }
    }
    for (int i = 0; i < island->nodeCount; ++i) {
        int state = island->nodes[i].state;
        sdVec3 impulse = {x[i][0], x[i][1], x[i][2]}, torque = {x[i][3], x[i][4], x[i][5]};
        sdVec3 v = sdScale(solver->step->states[state].inverseMass, impulse);
        sdVec3 w = sdMulMV(solver->step->motions[state].inverseInertia, torque);
        curvature += (double)sdDot(v, impulse) + (double)sdDot(w, torque);
        memset(x[i], 0, sizeof x[i]);
        addTo(x[i], 1.0f, v, w);
    }
    double length = curvature > 0.0 ? -slope / curvature : 0.0;
    return length >= 1.0 ? 1.0f : length > 0.0 ? (float)length : 0.0f;
}

/// Velocities and impulses a share of the way.
static void store(sdDirectSolver* solver, sdSlenderIsland* island, float length) {
    for (int i = 0; i < island->nodeCount; ++i) {
        const sdSlenderNode* node = &island->nodes[i];
        sdBodyState* state = &solver->step->states[node->state];
        const float* x = island->vectors[i];
        state->velocity = sdMulAdd(node->startVelocity, length, sdV3(x[0], x[1], x[2]));
        state->angularVelocity = sdMulAdd(node->startAngular, length, sdV3(x[3], x[4], x[5]));
    }
    for (int i = 0; i < island->patchCount; ++i) {
        const sdSlenderPatch* patch = &island->patches[i];
        float next[SD_ROW_COUNT];
        for (int j = 0; j < SD_ROW_COUNT; ++j) {
            next[j] = patch->start[j] + length * (patch->impulse[j] - patch->start[j]);
        }
        for (int j = 0; j < patch->pointCount; ++j) {
            sdF8_SetLane(&patch->batch->points[j].impulse, patch->lane, next[j]);
        }
        sdF8_SetLane(&patch->batch->friction1, patch->lane, next[SD_ROW_TANGENT1]);
        sdF8_SetLane(&patch->batch->friction2, patch->lane, next[SD_ROW_TANGENT2]);
        sdF8_SetLane(&patch->batch->twist, patch->lane, next[SD_ROW_TWIST]);
    }
}

/// The step that would be right if rows that hold now hold on.
/// @return how far downhill it leads
static double findStep(sdSlenderIsland* island) {
    bool isExact;
    if (!island->isFactored || !hasSameRows(island, &isExact)) {
        factorIsland(island);
    }
    memcpy(island->steps, island->vectors, (size_t)island->nodeCount * sizeof *island->steps);
    sdBlockFactor_Solve(&island->factor, island->steps);
    return findSlope(island);
}

static int stepLimit(const sdSlenderIsland* island) {
    return island->nodeCount <= LARGE_ISLAND
               ? MAX_STEPS
               : sdMaxI(MAX_STEPS * LARGE_ISLAND / island->nodeCount, 2);
}

static void solveIsland(sdDirectSolver* solver, sdSlenderIsland* island, bool isBiased) {
    load(solver, island, isBiased);
    findGradient(solver, island, true);
    double slope = findStep(island), enough = ENOUGH * (slope + island->restEnergy);
    if (slope < AT_REST * island->restEnergy) {
        return;
    }
    move(solver, island, 1.0f);
    findGradient(solver, island, false);
    bool isExact = false;
    int limit = stepLimit(island), steps = 1;
    while (steps < limit && !(hasSameRows(island, &isExact) && isExact)) {
        slope = findStep(island);
        if (slope < enough) {
            break;
        }
        search(solver, island, slope);
        steps += 1;
    }
    island->stepCount += steps * island->nodeCount;
    island->isRestless = steps >= sdMinI(limit, RESTLESS_STEPS) &&
                         island->stepCount >= SPARE_SOLVES * limit * island->nodeCount;
    store(solver, island, findLength(solver, island));
    for (int i = 0; i < island->patchCount && !isBiased; ++i) {
        island->patches[i].isFresh = false;
    }
}

typedef struct DirectTask {
    sdDirectSolver* solver;
    int subStep;
    bool isBiased;
} DirectTask;

static bool isDue(const sdSlenderIsland* island, const DirectTask* task) {
    bool isSeldom = island->isRough || island->isRestless;
    return !island->isShaken &&
           (!isSeldom || (task->isBiased && task->subStep % ROUGH_PERIOD == 0));
}

static void solveRange(void* arg, int begin, int end, int worker) {
    (void)worker;
    const DirectTask* task = (const DirectTask*)arg;
    for (int i = begin; i < end; ++i) {
        sdSlenderIsland* island = &task->solver->islands[i];
        if (isDue(island, task)) {
            solveIsland(task->solver, island, task->isBiased);
        }
    }
}

void sdDirectSolver_Solve(sdDirectSolver* solver, int subStep, bool isBiased) {
    DirectTask task = {solver, subStep, isBiased};
    sdTeam_For(solver->step->team, solveRange, &task, solver->islandCount, 1);
}

int sdDirectSolver_CountSteps(const sdDirectSolver* solver) {
    int count = 0;
    for (int i = 0; i < solver->islandCount; ++i) {
        count += solver->islands[i].stepCount;
    }
    return count;
}
