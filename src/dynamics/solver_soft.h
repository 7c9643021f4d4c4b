// SPDX-License-Identifier: MIT
// solver_soft.h - sub-stepped contacts with a gentle push, eight at a time.
//
// Contacts are rigid: a steady load does not sink. In each sub-step one sweep pushes overlaps
// apart, slowly, the bodies move, and a second sweep takes the push out of the velocities again.
// Warm started like this, a stack of n levels is a slow, weakly damped oscillator that gains energy
// when overlaps are pushed apart faster than about (n h)⁻¹ × a small number: hence the low push
// rates, and sub-steps rather than more sweeps, because stiffness grows with their square.
//
// A patch of up to four points is solved as a whole: the normal impulses of its points together,
// friction at its centre as a cone with a torque about the normal. Patches are coloured, those with
// as many points together (coloring.h).
//
// Only the first sub-step of a step applies the impulses of the one before patch by patch: arms and
// tensors do not change within a step, so that later ones add to each body what contacts gave it in
// the sub-step before (integrate.c).

#ifndef SD_DYNAMICS_SOLVER_SOFT_H
#define SD_DYNAMICS_SOLVER_SOFT_H

#include "dynamics/body_lanes.h"
#include "dynamics/coloring.h"

/// Overlaps deeper than this many slops are pushed apart faster.
#define SD_DEEP_SLOPS 6.0f

/// A point of each lane. Lanes without it have zeros: it stays without an impulse.
typedef struct sdSoftPoint {
    sdVec3x8 r;      ///< from the middle of the points, at the start of the step
    sdF8 separation; ///< then, of the cores, less that of the centers
    sdF8 gap;        ///< separation now
    sdF8 impulse;    ///< N s, of the sub-step
    sdF8 inverseK;   ///< 1 / k_ii, k = J M⁻¹ Jᵀ of the points' normals
    sdF8 couplings[SD_MANIFOLD_MAX_POINTS - 1]; ///< k_ij / k_ii of the points after this one, then
                                                ///< of those before it
    sdF8 roundA, roundB; ///< how far below the surface the cores are, of round shapes
} sdSoftPoint;

/// Place of k_ij / k_ii among the couplings of point i.
SD_INLINE int sdSoftPoint_CouplingOf(int i, int j, int count) {
    return j > i ? j - i - 1 : j - i - 1 + count;
}

/// What restitution needs of a point (restitution.c).
typedef struct sdSoftBlow {
    sdF8 blow;     ///< N s of impacts, one after the other
    sdF8 isStruck; ///< mask: bodies meet there in this step
} sdSoftBlow;

/// Eight patches. Lanes without one have no mass and no points. What every sweep reads comes first,
/// and what only some need stands apart from it: sweeps wait for memory.
typedef struct sdSoftBatch {
    int32_t stateA[SD_LANES], stateB[SD_LANES]; ///< SD_NULL_INDEX: static, or an empty lane
    int32_t patches[SD_LANES];                  ///< in the step's list; SD_NULL_INDEX: empty
    uint8_t writesA, writesB; ///< lanes whose bodies are pushed; kinematic ones may be in many
    bool hasTwist, hasRolling, hasRestitution, isRound;
    bool isFresh;   ///< some lanes have no pressure yet that could hold anything
    int pointCount; ///< most that a lane has
    sdVec3x8 normal, tangent;
    sdSym3x8 inertiaA, inertiaB; ///< inverse, in the world
    sdVec3x8 centerA, centerB;   ///< from the centres of mass to the middle of the points
    sdF8 friction1, friction2;   ///< impulses along tangent, normal × tangent
    sdF8 slip1, slip2;           ///< what these were in all sub-steps together
    sdF8 t11, t12, t22;          ///< inverse of the tangents' J M⁻¹ Jᵀ
    sdF8 slideMass;              ///< no step of that size is too large in any tangential direction
    sdF8 staticFriction, slidingFriction;
    sdF8 slop;                       ///< m
    sdF8 twist, twistMass, twistArm; ///< about the normal
    sdVec3x8 rolling;                ///< impulse against rolling, tangential
    sdF8 rollingArm, rollingMass;
    sdF8 restitution;
    sdF8 fall;     ///< m/s² by which bodies that do not touch gain speed along the normal
    sdF8 approach; ///< least normal velocity of a point when the step begins, m/s
    sdF8 impact;   ///< the same when it is met: what tells an impact from rest
    sdF8 blowSlip1, blowSlip2; ///< N s of friction of impacts, as friction1 and friction2
    sdVec3x8 spin, blowSpin;   ///< N m s of twist and rolling: of all sub-steps, and of impacts
    sdSoftBlow* blows;         ///< of the points; NULL: nothing in the step has restitution
    sdSoftPoint points[];      ///< pointCount of them, then as many totals
} sdSoftBatch;

/// N s that each point was given in the step, all sub-steps together.
static inline sdF8* sdSoftBatch_GetTotals(sdSoftBatch* batch) {
    return (sdF8*)(void*)(batch->points + batch->pointCount);
}

/// A body that met what does not give way.
typedef struct sdLanding {
    sdVec3 normal;
    sdSoftBatch* batch; ///< where that was; NULL: it did not
    int lane;
} sdLanding;

struct sdSoftSolver {
    sdStep* step;
    sdColoring coloring; ///< of the patches
    sdSoftBatch** batches;
    bool asksAhead; ///< sweeps ask for batches that are due soon, and for their bodies
    // of impacts; NULL where nothing has restitution
    sdVec3* startVelocities; ///< two of each body
    sdLanding* landings;     ///< of each body
    uint8_t* isStruck;       ///< of each body: a blow with restitution
    uint8_t* isHeld;         ///< of each body: something else presses it
    float bounceSpeed;       ///< m/s: what approaches slower rests
    bool isFirstPass;
    atomic_int hasBlows; ///< the last pass had
    float pushRate, deepPushRate, maxPushSpeed, slop;
    float stickSpeed; ///< m/s: what slips slower may come to hold by static friction
};

/// Speed at which a point shall part at least (less than 0), or may approach at most, m/s.
/// The batches have the same for eight lanes.
/// @param slop of the patch
/// @param impulse what the point carried before
static inline float sdSoftSolver_GetBias(const sdSoftSolver* solver, float slop, float gap,
                                         float impulse, bool isBiased) {
    if (gap > 0.0f) {
        bool isHeld = impulse > 0.0f && gap < slop;
        return isHeld ? 0.0f : gap * (1.0f / solver->step->h);
    }
    float slow = solver->pushRate * sdMinF(gap + slop, 0.0f);
    float fast = solver->deepPushRate * sdMinF(gap + SD_DEEP_SLOPS * slop, 0.0f);
    return isBiased ? sdMaxF(slow + fast, -solver->maxPushSpeed) : 0.0f;
}

/// Fill a batch of which only its patches, pointCount and the place of its blows are set.
SD_DECLARE_KERNEL(void, sdSoftBatch_Prepare,
                  (sdSoftBatch * batch, const sdPatchInput* const* inputs, const sdStep* step,
                   float bounceSpeed));
/// Ask for the bodies of a batch that is due soon.
SD_DECLARE_KERNEL(void, sdSoftBatch_Fetch, (const sdSoftBatch* batch, const sdBodyState* states));
SD_DECLARE_KERNEL(void, sdSoftBatch_WarmStart, (sdSoftBatch * batch, sdBodyState* states));
SD_DECLARE_KERNEL(void, sdSoftBatch_Solve,
                  (sdSoftBatch * batch, const sdSoftSolver* solver, sdSweepKind kind));
/// Let what approaches and will meet bounce, as if nothing else were there.
/// @param reach s that sub-steps look ahead: the last one stops what the next step would meet first
/// @param isFirst velocities are those before the step: what lands has its own fall before it
/// @return lanes in which something did that has restitution
SD_DECLARE_KERNEL(uint8_t, sdSoftBatch_Strike,
                  (sdSoftBatch * batch, sdBodyState* states, float bounceSpeed, float reach,
                   bool isFirst));
/// Exchange what sub-steps gave at points for blows.
SD_DECLARE_KERNEL(void, sdSoftBatch_TakeBlows,
                  (sdSoftBatch * batch, sdBodyState* states, uint8_t lanes));

#endif
