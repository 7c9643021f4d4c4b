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
// friction at its centre as a cone with a torque about the normal. Patches are coloured so that no
// two of a colour share a moving body; eight of one colour make a batch, whose lanes are solved at
// once, and batches of one colour may run on any worker in any order. Colours come one after the
// other, so the result is the same for any number of workers.

#ifndef SD_DYNAMICS_SOLVER_SOFT_H
#define SD_DYNAMICS_SOLVER_SOFT_H

#include "base/simd.h"
#include "dynamics/step.h"

/// Colours that may be shared by lanes; patches beyond have a batch each.
#define SD_COLOR_COUNT 32

/// Symmetric matrices.
typedef struct sdSym3x8 {
    sdF8 xx, xy, xz, yy, yz, zz;
} sdSym3x8;

typedef struct sdSoftPoint {
    sdVec3x8 rA, rB; ///< from the centres of mass, at the start of the step
    sdF8 separation; ///< then, less dot(normal, rB - rA)
    sdF8 impulse;    ///< N s, of the sub-step
    sdF8 approach;   ///< normal velocity at the start of the step, m/s
    sdF8 maxImpulse; ///< largest of the step: only what was pressed bounces
} sdSoftPoint;

/// Eight patches. Lanes without one have no mass and no points.
typedef struct sdSoftBatch {
    int32_t stateA[SD_LANES], stateB[SD_LANES]; ///< SD_NULL_INDEX: static, or an empty lane
    bool writesA[SD_LANES], writesB[SD_LANES];  ///< kinematic bodies may be in many lanes at once
    int32_t patches[SD_LANES];                  ///< in the step's list; SD_NULL_INDEX: empty
    sdVec3x8 normal, tangent;
    sdF8 massA, massB;           ///< inverse
    sdSym3x8 inertiaA, inertiaB; ///< inverse, in the world
    sdSoftPoint points[SD_MANIFOLD_MAX_POINTS];
    sdF8 used[SD_MANIFOLD_MAX_POINTS]; ///< mask of lanes that have the point
    sdF8 k[10]; ///< J M⁻¹ Jᵀ of the points' normals, lower triangle by rows
    sdF8 inverseK[SD_MANIFOLD_MAX_POINTS]; ///< of its diagonal
    sdVec3x8 centerA, centerB;             ///< where friction acts
    sdF8 friction1, friction2, twist; ///< impulses along tangent, normal × tangent, about normal
    sdF8 t11, t12, t22, twistMass;    ///< inverse of the tangents' J M⁻¹ Jᵀ
    sdF8 staticFriction, slidingFriction, twistArm;
    sdVec3x8 rolling; ///< impulse against rolling, tangential
    sdF8 rollingArm, rollingMass;
    sdF8 restitution;
    int pointCount; ///< most that a lane has
    bool hasRolling, hasRestitution;
} sdSoftBatch;

struct sdSoftSolver {
    sdStep* step;
    sdSoftBatch* batches;
    int batchCount;
    int colorCount;
    int colorStarts[SD_COLOR_COUNT + 1]; ///< first batch of each colour; overflow follows the last
    float pushRate, deepPushRate, maxPushSpeed, slop, deepSlop;
};

typedef struct sdSoftSweep {
    sdSoftSolver* solver;
    bool isBiased;
    int first; ///< batch
} sdSoftSweep;

SD_DECLARE_KERNEL(void, sdSoftBatch_WarmStart, (sdSoftBatch * batch, sdBodyState* states));
SD_DECLARE_KERNEL(void, sdSoftBatch_Solve,
                  (sdSoftBatch * batch, const sdSoftSolver* solver, bool isBiased));
SD_DECLARE_KERNEL(void, sdSoftBatch_Restitute,
                  (sdSoftBatch * batch, sdBodyState* states, float threshold));

#endif
