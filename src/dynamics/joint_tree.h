// SPDX-License-Identifier: MIT
// joint_tree.h - chains, ragdolls and other slender sets of joints, solved exactly.
//
// Sweeps carry the pull of a chain one link further each time. What joints lock is an equation, so
// for joints the whole system can be solved instead, in the space of their impulses:
//
//     (J M⁻¹ Jᵀ) λ = -(J v + bias)
//
// Unknowns come in blocks of three: the anchors of a joint that are held together are one, up to
// three further rows another. The matrix has a block of 3 x 3 for each two that share a body. If
// eliminating joints, the one with the fewest neighbours first, never meets one with many
// (elimination.h), it is factored and solved in linear time. Sets of joints of the same build, and
// only scenes with such have many of them, share lanes: eight chains are solved at once.
//
// A group has copies of its bodies, in lanes. While nothing but joints acts on them, the group is
// *alone*: it makes all sub-steps of a step by itself, in one go. Otherwise it takes turns with
// contacts, and hands velocities over.
//
// What is the same in every step while the same joints are active is kept (joint_plan.h).
//
// Limits and drives of these joints, and joints of wide sets such as nets, are left to sweeps.

#ifndef SD_DYNAMICS_JOINT_TREE_H
#define SD_DYNAMICS_JOINT_TREE_H

#include "dynamics/elimination.h"
#include "dynamics/joint_grip.h"

/// Blocks of a joint at most.
#define SD_TREE_JOINT_BLOCKS 2
/// Blocks that are coupled with one that is eliminated, at most.
#define SD_TREE_DEGREE (SD_TREE_JOINT_BLOCKS * SD_SLENDER_DEGREE + SD_TREE_JOINT_BLOCKS - 1)

// ---- plan ----------------------------------------------------------------------------------

/// A joint of each lane.
typedef struct sdTreeNode {
    int bodyA, bodyB; ///< slots of the group
    int firstBlock, blockCount;
} sdTreeNode;

/// Three unknowns of each lane.
typedef struct sdTreeBlock {
    int node;
    int firstRow; ///< of the rows that lock; SD_NULL_INDEX: the joint's anchors
    int neighbourCount;
    int neighbours[SD_TREE_DEGREE]; ///< blocks that are eliminated later, ascending
    int firstBelow;                 ///< of these, in the matrix
    int firstTarget; ///< of the pairs of neighbours, (0, 0) (0, 1) .. (1, 1) ..: where their
                     ///< product goes, below the diagonal; those of one block go to the diagonal
} sdTreeBlock;

/// Two blocks share a body.
typedef struct sdTreeCoupling {
    int row, column;        ///< blocks, row > column
    bool rowIsB, columnIsB; ///< whether the body is B of each
    int below;              ///< where in the matrix
} sdTreeCoupling;

/// A body of each lane: that of a joint.
typedef struct sdTreeSlot {
    int node;
    bool isB;
} sdTreeSlot;

/// How up to eight sets of joints of the same build are solved. Groups of one family, all of whose
/// sets are of the same build, differ in joints and states alone.
typedef struct sdTreePlan {
    int laneCount;
    int family; ///< the first group of it
    int next;   ///< group of the family; SD_NULL_INDEX: it is the last
    int nodeCount, blockCount, bodyCount, couplingCount, belowCount;
    const sdTreeNode* nodes; ///< in the order of elimination
    const sdTreeBlock* blocks;
    const sdTreeCoupling* couplings;
    const int* targets;
    const sdTreeSlot* slots;
    const int* joints; ///< SD_LANES a node, in the list of active joints; SD_NULL_INDEX: none
    const int* states; ///< SD_LANES a slot; SD_NULL_INDEX: does not move, or none
    float softness;    ///< of rows, relative to their inverse masses, of masses that are alike
    bool isLoop;       ///< there are more joints than bodies
} sdTreePlan;

// ---- group ---------------------------------------------------------------------------------

/// Eight bodies of a set that is not alone, from turn to turn; what follows from that and from
/// where they are is found anew, which takes less time than to fetch it from memory.
typedef struct sdTreeKept {
    int32_t states[SD_LANES]; ///< as in sdTreeBody, like all here
    uint8_t writes;
    bool isPlain;
    int gripCount;
    sdTreeGrip* grips;
    sdF8 mass, lightness, isEven, isLocked;
    sdSym3x8 startInertia, moment;
    sdVec3x8 givenVelocity, givenSpin, endVelocity, endSpin;
    sdVec3x8 gain;
    sdF8 damping, angularDamping;
    sdSym3x8 freeInertia; ///< set unless it is plain
} sdTreeKept;

/// Eight bodies.
typedef struct sdTreeBody {
    int32_t states[SD_LANES]; ///< SD_NULL_INDEX: does not move, or an empty lane
    uint8_t writes;           ///< lanes that are pushed
    sdBodyLanes now;
    sdF8 mass; ///< inverse, as joints see it
    /// Inverse, as joints see it, at the start of the step and now.
    sdSym3x8 startInertia, inertia;
    sdVec3x8 rotation[3]; ///< since the start of the step: columns
    sdVec3x8 angle;       ///< by which it turns in the sub-step
    // for turning with its angular momentum kept; at the start of the step
    sdSym3x8 moment, freeInertia; ///< true tensor and its inverse
    bool isPlain;                 ///< joints see it as it is
    sdSym3x8 momentNow, freeNow;  ///< the same two where it is now
    sdF8 isEven;                  ///< mask: a turn does not change its angular velocity
    sdF8 isLocked;                ///< mask: it cannot turn about some axis
    // of a light one under load
    sdF8 lightness;     ///< 2 over the sum of its moments: that of a rod across
    sdSym3x8 stiffness; ///< of its arms under the pull of joints, times h²
    sdF8 isStiff;       ///< mask: it swings faster than sub-steps can follow
    // of one that is alone
    uint32_t locks[SD_LANES];
    bool hasLocks; ///< some have
    sdVec3x8 gain;
    sdF8 damping, angularDamping;
    // of one that is not: what its joints gave it in the sub-step
    sdVec3x8 givenVelocity, givenSpin;
    // contacts that hold it, and velocities of which they know
    int gripCount;
    bool isHeld; ///< some point pushes, in some lane
    sdTreeGrip* grips;
    sdVec3x8 heldVelocity, heldSpin;
    sdVec3x8 endVelocity, endSpin; ///< of the sub-step before
    // where the solution under way began
    sdVec3x8 startVelocity, startSpin, startGivenVelocity, startGivenSpin;
} sdTreeBody;

/// J of three rows, and M⁻¹ Jᵀ. The anchors' are known: linear parts are the axes of the world.
typedef struct sdTreeRows {
    sdVec3x8 linear[3], angularA[3], angularB[3];
} sdTreeRows;

/// Of a block, where bodies are now.
typedef struct sdTreeMatrix {
    sdVec3x8 turnA[3], turnB[3]; ///< change of angular velocities for impulses of 1
    sdF8 whole[9]; ///< J M⁻¹ Jᵀ without grips, by rows: the lower triangle, not to be factored
    sdF8 diagonal[9]; ///< by rows; once factored its inverse
    sdF8 least[3];    ///< of the diagonal: less is rounding
    sdF8 gives[3];    ///< speed at which a row gives, per impulse that it holds
    sdF8 vector[3];
} sdTreeMatrix;

/// A limit of turns where bodies are now: sweeps ask for nothing else.
typedef struct sdTreeAim {
    sdVec3x8 axis;         ///< J of B, and of A with the sign turned
    sdVec3x8 turnA, turnB; ///< change of angular velocities for an impulse of 1
    sdVec3x8 own, other;   ///< axes of a cone, of A and B
    sdF8 place;            ///< C
    uint64_t held; ///< grips of both bodies with which its mass was found; SD_NOT_HELD: not yet
} sdTreeAim;

#define SD_NOT_HELD UINT64_MAX

struct sdTreeGroup {
    const sdTreePlan* plan;
    int* rowCounts;          ///< of each node: the most that a lane has
    sdJointBatch** batches;  ///< of each node
    sdTreeKept* kept;        ///< of each body
    const sdTreeGroup* next; ///< that its worker will work on; NULL: not known
    // where somebody works on it, in memory that stays in caches
    sdTreeAim** aims;   ///< of each node: of all its rows, those that lock not set
    sdJointPose* poses; ///< of each node
    sdTreeBody* bodies;
    sdTreeMatrix* matrices; ///< of each block
    sdTreeRows* rows;       ///< the same; only of those that are not anchors
    sdF8* below;            ///< 9 for each block below the diagonal
    sdF8* saved;            ///< impulses of joints before the solution under way
    bool isAlone;
    bool hasSweeps; ///< some joint has a limit or a drive
    bool isStiff;   ///< some body is
    bool hasGrips;  ///< some body has
    bool hasEnd;    ///< of those: a sub-step of this step is over
    bool isMoved;   ///< bodies have moved since it was asked how far links swing
    bool isCarried; ///< some body of its joints is kinematic
    bool isTouched; ///< contacts act on it: see sdTreeGroup_Relaxes
    bool isShared;  ///< contacts act on it that are not grips
    float slop;     ///< m: errors that are taken out gently, if it is
    /// Of rows, relative to their inverse masses: how much they give
    float softness[SD_LANES];
    /// Of the motion of each set when the step began; not set where they are alone.
    float startEnergy[SD_LANES];
    /// Mask: nothing but gravity and its own drives can give a set energy. Not set where they are
    /// alone.
    int32_t ownEnergy[SD_LANES];
};

/// Bytes of what a group keeps, and of what it needs while somebody works on it.
size_t sdTreeGroup_GetKeptSize(const sdTreeGroup* group);
size_t sdTreeGroup_GetWorkSize(const sdTreeGroup* group);
/// Give a group memory for what it keeps; its batches are not set.
void sdTreeGroup_Place(sdTreeGroup* group, void* memory);
/// Give it memory to be worked on in. What others left there is of no use.
void sdTreeGroup_Open(sdTreeGroup* group, void* memory);
/// Put its bodies and joints there.
void sdTreeGroup_Load(sdTreeGroup* group, const sdJointSolver* solver);
/// Load bodies; of a group that is alone find rows where they are, and factor.
SD_DECLARE_KERNEL(void, sdTreeGroup_Begin, (sdTreeGroup * group, const sdJointSolver* solver));
/// All sub-steps of a group that is alone.
SD_DECLARE_KERNEL(void, sdTreeGroup_Run, (sdTreeGroup * group, const sdJointSolver* solver));
/// Of others: begin a sub-step with the impulses of the one before, where arms and axes are now.
SD_DECLARE_KERNEL(void, sdTreeGroup_Start, (sdTreeGroup * group, const sdJointSolver* solver));
SD_DECLARE_KERNEL(void, sdTreeGroup_Solve,
                  (sdTreeGroup * group, const sdJointSolver* solver, bool isBiased));
/// Both in one go, where no contact comes between.
SD_DECLARE_KERNEL(void, sdTreeGroup_StartAndSolve,
                  (sdTreeGroup * group, const sdJointSolver* solver));

/// Whether velocities are to be brought to what locks allow once bodies have moved. Where they only
/// are to be together at the end of the next sub-step they move the same way without, to within
/// rounding (SHAKE instead of RATTLE), and what contacts do in between is not exact either: sets
/// that contacts act on have it in the last sub-step only, whose velocities are seen.
static inline bool sdTreeGroup_Relaxes(const sdTreeGroup* group, bool isLast) {
    return isLast || !group->isTouched || group->isStiff || group->isCarried;
}

/// Count the rows of a group's joints.
/// @return false when memory is short
bool sdTreeGroup_Make(sdTreeGroup* group, const sdActiveJoint* joints, const sdTreePlan* plan,
                      sdArena* arena);

/// Bring sets together that need the same, part the groups that can make their sub-steps alone from
/// those that share bodies with contacts and other joints, and take their memory.
/// @return false when memory is short
bool sdJointSolver_PartGroups(sdJointSolver* solver);

#endif
