// SPDX-License-Identifier: MIT
// solver_joint.h - joints of all kinds, eight at a time.
//
// Whatever a joint is, to the solver it is a block of three rows that hold two anchors together, or
// none, and some rows (joint_rows.h). Joints are coloured like patches of contact, and those of a
// colour are sorted by their number of rows, so that eight of a kind share a batch.

#ifndef SD_DYNAMICS_SOLVER_JOINT_H
#define SD_DYNAMICS_SOLVER_JOINT_H

#include "dynamics/body_lanes.h"
#include "dynamics/coloring.h"
#include "dynamics/joint_rows.h"

/// Eight rows. Lanes without one have no mass.
typedef struct sdJointRow8 {
    sdVec3x8 axis;
    sdVec3x8 other;              ///< of B, of cones
    sdF8 isMove, isLine, isCone; ///< masks
    sdF8 scale; ///< of lines 1 or -1: whether the axis points along or back; of cones 1 / sin
    sdF8 mass;  ///< effective
    sdF8 error; ///< C at the start of the step; of rows that move, less axis · offset
    sdF8 target;
    sdF8 lower, upper, impulse;
    sdF8 range; ///< of a limit: to the other one, whose impulses are negative
    sdF8 stiffness, massScale, impulseScale;
    sdF8 isLimit, isSoft, isSpring; ///< masks
    sdF8 isUsed;                    ///< 1 or 0
    // of a tree
    bool isAimed; ///< a limit of turns in all lanes that have it: see sdTreeAim
    bool isIdle;  ///< a limit that no lane can reach in the sub-step
    /// Where joints keep the impulse, with SD_ROW_KEPT_TURNED; -1: the lane has no such row. With
    /// these and what is above, joints get their impulses back without a look at their rows.
    int8_t slots[SD_LANES];
} sdJointRow8;

/// The impulse is kept with its sign turned.
#define SD_ROW_KEPT_TURNED 64
#define SD_ROW_SLOT_MASK 63

/// What a batch has put on its bodies: an impulse on B, its opposite on A, and changes of angular
/// velocity, of A with the sign turned.
typedef struct sdJointKick {
    sdVec3x8 impulse, spinA, spinB;
} sdJointKick;

/// Eight joints as they are in a sub-step.
typedef struct sdJointPose {
    sdVec3x8 rA, rB, offset;
} sdJointPose;

/// Eight joints. Where they have blocks only, arms are found once a sub-step, after bodies have
/// moved; where bodies are round, too, what turns them does not turn with them, and of their
/// tensors one number is asked.
typedef struct sdJointBatch {
    int32_t stateA[SD_LANES], stateB[SD_LANES]; ///< SD_NULL_INDEX: does not move, or an empty lane
    int32_t joints[SD_LANES];                   ///< in the solver's list; SD_NULL_INDEX: empty
    uint8_t writesA, writesB;
    bool hasBlock;
    bool isRound;  ///< tensors of all lanes are the same about all axes
    int rowCount;  ///< most that a lane has
    int lockCount; ///< of these, rows that every lane of a tree locks: the first ones
    sdF8 massA, massB;
    sdSym3x8 inertiaA, inertiaB; ///< inverse, in the world, in this sub-step
    // at the start of the step
    sdSym3x8 startInertiaA, startInertiaB;
    sdVec3x8 rA, rB, offset;
    sdJointPose pose; ///< of those without rows: where bodies are now
    /// In this sub-step, or in the one before, from which the bodies have it still.
    sdJointKick applied;
    // block; lanes without one have no mass
    sdVec3x8 impulse;
    sdSym3x8 blockMass;
    sdF8 hasBlockLane; ///< 1 or 0
    sdJointRow8 rows[];
} sdJointBatch;

/// Joints of which there are many alike, in arms and legs: eight of one kind have their rows made
/// at once.
typedef enum sdLimbKind {
    SD_LIMB_NONE,
    SD_LIMB_BALL, ///< with a limit of its twist, and a cone
    SD_LIMB_HINGE ///< with a limit
} sdLimbKind;

/// A joint that takes part in the step.
typedef struct sdActiveJoint {
    sdJoint* joint;
    int stateA, stateB;
    // known from its settings, wherever its bodies are
    bool isInTree; ///< joint_tree.h
    bool hasBlock;
    uint8_t rowCount, lockCount;
    uint8_t limb; ///< of sdLimbKind
    /// With room for those that it can have. Only of joints that are swept they are those of this
    /// step: of others, whoever puts them into lanes makes them there.
    sdJointRows* rows;
} sdActiveJoint;

/// A body that joints pull at which are swept.
typedef struct sdPulledBody {
    int body, state;
    int firstPull, pullCount;
} sdPulledBody;

/// Bytes of a batch.
static inline size_t sdJointBatch_SizeOf(int rowCount) {
    return sizeof(sdJointBatch) + (size_t)rowCount * sizeof(sdJointRow8);
}

/// Without joints. Of rows, all that sdJointRow8_Load does not set.
void sdJointBatch_Clear(sdJointBatch* batch, int rowCount);

typedef struct sdTreeGroup sdTreeGroup;

struct sdJointSolver {
    sdStep* step;
    sdJointPlan* plan; ///< joint_plan.h: what of the following is not of this step alone
    int jointCount;
    sdActiveJoint* joints;
    sdMat33* tensors; ///< of each state with joints: inverse inertia, as joints see it
    float* pulls;     ///< of both sides of joints that are swept, kg m²: h² times that at the arm
    int groupCount;
    sdTreeGroup* groups; ///< joint_tree.h
    // groups by what they need
    int aloneCount, sharedCount;
    int *alone, *shared;
    int startedCount; ///< sub-steps that have begun
    int heldCount;    ///< the first ones of the shared: contacts hold them, joint_grip.h
    int* setOf;       ///< of each state: the set that it is in; not set where nothing touches
    // where workers work on one group after the other, in memory that stays in caches; what those
    // that are alone keep is there, too
    size_t workSize, placeSize; ///< bytes without that, and with
    char* workMemory;
    // those that are in no tree
    int looseCount;
    bool hasRows;   ///< some of their batches have, and are aimed in every sub-step
    bool hasLimits; ///< of their rows some are limits
    bool isWarm;    ///< the first sub-step of the step has begun
    int* loose;
    sdColoring coloring;
    sdJointBatch** batches;
    sdSoftness rigid;
    float impulseScale; ///< of what joints gave in a sub-step of the step before
};

/// Where a worker works on a group.
static inline char* sdJointSolver_GetWorkMemory(const sdJointSolver* solver, int worker) {
    return solver->workMemory + (size_t)worker * solver->placeSize;
}

/// Rows of a batch of joints that are swept: of its first, for the others have as many or fewer.
static inline int sdJointSolver_CountRows(const sdJointSolver* solver, int batch) {
    int first = solver->coloring.lanes[(size_t)batch * SD_LANES];
    return solver->joints[solver->loose[first]].rows->count;
}

/// Put joints where they are solved, but for sets that are alone.
void sdJointSolver_Load(sdJointSolver* solver);

/// Where the numbers of eight joints without rows are.
typedef struct sdJointSources {
    const float* arms[SD_LANES]; ///< rA, rB, offset
    const float* impulses[SD_LANES];
    const sdMat33 *tensorsA[SD_LANES], *tensorsB[SD_LANES];
    float massA[SD_LANES], massB[SD_LANES];
    float hasBlock[SD_LANES]; ///< 1 or 0
    float impulseScale;
} sdJointSources;

/// What a row is, as bits.
typedef enum sdRowFlag {
    SD_ROW_IS_USED = 1,
    SD_ROW_IS_MOVE = 2,
    SD_ROW_IS_LINE = 4,
    SD_ROW_IS_CONE = 8,
    SD_ROW_IS_LIMIT = 16,
    SD_ROW_IS_UPPER = 32,
    SD_ROW_IS_SOFT = 64,
    SD_ROW_IS_SPRING = 128
} sdRowFlag;

/// A row of each of eight joints.
typedef struct sdRowSources {
    const float* numbers[SD_LANES]; ///< zeros where there is none
    float impulses[SD_LANES];       ///< as they are kept
    int32_t flags[SD_LANES];        ///< of sdRowFlag
    float impulseScale;
} sdRowSources;

/// Eight limbs of a kind.
typedef struct sdLimbSources {
    const sdJoint* joints[SD_LANES];
    const sdBody *bodiesA[SD_LANES], *bodiesB[SD_LANES];
    float between[3][SD_LANES]; ///< from A's centre of mass to B's
    float h;                    ///< of sub-steps
    float impulseScale;
    sdSoftness rigid; ///< of locks
    bool isHinge;
} sdLimbSources;

/// What eight limbs have of arms, blocks and rows, for a batch that is clear.
SD_DECLARE_KERNEL(void, sdJointBatch_LoadLimbs, (sdJointBatch * batch, const sdLimbSources* from));

/// What eight joints have given in the last sub-step, and what that was as forces on B at their
/// anchors.
typedef struct sdJointForces {
    float block[3][SD_LANES], force[3][SD_LANES], torque[3][SD_LANES];
    float sum[SD_LANES]; ///< of sizes of impulses: not finite where one of them is not
} sdJointForces;

SD_DECLARE_KERNEL(void, sdJointBatch_FindForces,
                  (const sdJointBatch* batch, float h, sdJointForces* out));
SD_DECLARE_KERNEL(void, sdJointBatch_LoadBlocks,
                  (sdJointBatch * batch, const sdJointSources* from));
/// Arms and blocks alone, of any joints.
SD_DECLARE_KERNEL(void, sdJointBatch_LoadArms, (sdJointBatch * batch, const sdJointSources* from));
SD_DECLARE_KERNEL(void, sdJointRow8_Load,
                  (sdJointRow8 * row, const sdRowSources* from, const sdVec3x8* offset));
SD_DECLARE_KERNEL(void, sdJointBatch_WarmStart,
                  (sdJointBatch * batch, const sdJointSolver* solver));
/// The same of blocks without rows, in the first sub-step of a step.
SD_DECLARE_KERNEL(void, sdJointBatch_WarmStartBlocks, (sdJointBatch * batch, sdBodyState* states));
SD_DECLARE_KERNEL(void, sdJointBatch_Solve,
                  (sdJointBatch * batch, const sdJointSolver* solver, bool isBiased));
SD_DECLARE_KERNEL(void, sdJointBatch_SolveBlocks,
                  (sdJointBatch * batch, const sdJointSolver* solver, bool isBiased));

#endif
