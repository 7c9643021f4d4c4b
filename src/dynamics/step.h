// SPDX-License-Identifier: MIT
// step.h - what the stages of one step hand to each other.

#ifndef SD_DYNAMICS_STEP_H
#define SD_DYNAMICS_STEP_H

#include "base/team.h"
#include "dynamics/world.h"

#include <stdatomic.h>

/// What the solver reads and writes of a body in every sweep: one cache line.
typedef struct sdBodyState {
    sdVec3 velocity;
    float inverseMass; ///< 0 for kinematic bodies
    sdVec3 angularVelocity;
    float pad0;
    sdVec3 displacement; ///< of the centre since the start of the step
    float pad1;
    sdQuat turn; ///< since the start of the step
} sdBodyState;

/// What went wrong with a body in a step, and was put right.
typedef enum sdMotionFault {
    SD_FAULT_SPEED = 1,   ///< it would have been faster than SD_MAX_SPEED
    SD_FAULT_FORCE = 2,   ///< the callback gave it a force that is not finite
    SD_FAULT_NUMBERS = 4, ///< its motion was not finite
    SD_FAULT_FAR = 8,     ///< it would have left the world
    SD_FAULT_COUNT = 4
} sdMotionFault;

/// What only integration needs.
typedef struct sdBodyMotion {
    sdVec3 drift, angularDrift; ///< by which the integrator moves it besides its velocity
    /// What the velocities of a sub-step would be without contacts. What is above it was given by
    /// contacts, and is their first guess in the next sub-step.
    sdVec3 freeVelocity, freeAngularVelocity;
    sdVec3 gain;                   ///< of velocity by forces in a sub-step, when they are steady
    float damping, angularDamping; ///< factors of a sub-step
    int stride;                    ///< sub-steps that a free body turns at a time
    bool isSteady;                 ///< forces do not change within the step and do not turn it
    bool isRound;                  ///< its inertia is the same about all axes that it turns about
    bool isNeedle;                 ///< about one axis it has next to none
    bool isWhirling;               ///< contacts did not look ahead for it
    bool isSunk;                   ///< contacts did not hold it
    float hiddenSpin;              ///< rad/s about that axis, which contacts do not see
    bool isDynamic;
    uint8_t faults; ///< of sdMotionFault
    bool hasJoints;
    bool isAlone;    ///< its joints move it, and nothing else acts on it (joint_tree.h)
    bool isFree;     ///< nothing touches or holds it in this step
    bool isCoasting; ///< of these: its steady forces are integrated exactly at the end of the step
    uint32_t locks;
    sdMat33 inertia, inverseInertia; ///< in the world, at the start of the step
    int body;                        ///< slot
    float way;                       ///< how far any of its points went, rounded up, in the end
} sdBodyMotion;

/// A contact of the step, and what became of it.
typedef struct sdContactEntry {
    int pair;
    int patchCount;
    int solvedCount; ///< of these: those with points, unless a sensor's or known to stay apart
    bool isGoing;    ///< there are no points any more, or the boxes have parted
    bool wasTouching, isTouching;
    bool isWaking; ///< it touches one that sleeps
} sdContactEntry;

/// One patch that takes part in the step.
typedef struct sdActivePatch {
    sdPatch* patch;
    int bodyA, bodyB;
    int fixtureA, fixtureB;
    int stateA, stateB; ///< SD_NULL_INDEX: static
    uint8_t pointCount;
    bool isTouching; ///< and conducts sleep
    bool isFast;     ///< marked by sdStep_MarkFast
} sdActivePatch;

/// What the solver needs of a patch, in rows of four numbers that are turned into lanes. Filled in
/// the order of the contacts and read in that of the colours, which is none to memory.
typedef struct sdPatchInput {
    sdQuat turn;   ///< of shape A's frame
    sdVec3 offset; ///< from A's centre of mass to the origin of that frame, in the world
    float pointCount;
    sdVec3 between; ///< from A's centre of mass to B's
    float spinFriction;
    sdVec3 normal; ///< in A's frame
    float staticFriction;
    sdVec3 friction; ///< impulse of the step before, in the world
    float slidingFriction;
    sdVec3 rolling; ///< the same
    float rollingFriction;
    sdVec3 fall; ///< acceleration of B less that of A while nothing touches; for what bounces
    float restitution;
    int stateA, stateB; ///< SD_NULL_INDEX: static
    float slop, pad;
    struct {
        sdVec3 middle; ///< between both bodies, in A's frame
        float separation;
        float impulse;
        float roundA, roundB; ///< how far below the surface the cores are, of round shapes
        float pad;
    } points[SD_MANIFOLD_MAX_POINTS]; ///< not set after the last
} sdPatchInput;

/// A symmetric matrix in two rows of four numbers.
typedef struct sdTensorRows {
    float xx, xy, xz, yy, yz, zz, pads[2];
} sdTensorRows;

/// What happens on the way of fast bodies: continuous.c.
typedef struct sdContinuous sdContinuous;
/// Eight of them in lanes: integrate.h.
typedef struct sdMotionBlock sdMotionBlock;

typedef struct sdStep {
    sdWorld* world;
    sdTeam* team; ///< during the sub-steps
    float dt;
    float h; ///< of a sub-step
    int subStepCount;
    int bodyCount;
    sdBodyState* states; ///< filled up to a multiple of eight
    sdBodyMotion* motions;
    sdTensorRows* tensors; ///< inverse ones of the motions, for contacts
    sdMotionBlock* blocks;
    bool hasOthers; ///< some bodies are not moved by their joints alone
    int* islands;   ///< of each state: the lowest index in its island
    int islandCount;
    float* slowTimes;
    bool* needsMove;  ///< of each body: whether it has left its fat boxes
    bool* isFattened; ///< of each shape of theirs: it has, and has a new one
    int contactCount;
    sdContactEntry* contacts; ///< in the order of their pairs
    bool hasWoken;            ///< contacts woke someone
    atomic_int hasFaults;     ///< of motions
    atomic_int hasFast;       ///< someone went further than contacts see
    atomic_int hasThin;       ///< someone went further than it is thick, but no further than that
    atomic_int hasBouncing;   ///< some patch has restitution
    atomic_int hasHits;       ///< some patch is fast
    sdContinuous* continuous; ///< NULL: not wanted
    int flightHitCount;       ///< hits on the way that there is to be room for
    int patchCount;
    sdActivePatch* patches; ///< in the order of the contacts
    sdPatchInput* inputs;   ///< of each patch
} sdStep;

/// Index of the state of a body that moves in this step; SD_NULL_INDEX for others.
static inline int sdStep_StateOf(const sdStep* step, int body) {
    const sdBody* it = &step->world->bodies.data[body];
    int state = it->type != SD_BODY_STATIC ? it->awakeIndex : SD_NULL_INDEX;
    bool isListed =
        state != SD_NULL_INDEX && state < step->bodyCount && step->motions[state].body == body;
    return isListed ? state : SD_NULL_INDEX;
}

// ---- integrate.c ---------------------------------------------------------------------------

/// Take poses and velocities of the awake bodies.
/// @return false when memory is short
bool sdStep_LoadBodies(sdStep* step);
/// Put bodies into lanes, now that it is known which are free.
void sdStep_FillBlocks(sdStep* step);
/// Velocities at the end of a sub-step if contacts gave what they gave in the one before.
void sdStep_IntegrateVelocities(sdStep* step, int subStep);
void sdStep_IntegratePositions(sdStep* step, int subStep);
/// Give poses and velocities back.
void sdStep_StoreBodies(sdStep* step);
/// Say what had to be put right.
void sdStep_ReportFaults(sdStep* step);

// ---- patch_list.c --------------------------------------------------------------------------

/// List the patches of the step's contacts, and what their solver needs of them.
/// @return false when memory is short
bool sdStep_ListPatches(sdStep* step);

// ---- solver_soft.c -------------------------------------------------------------------------

typedef struct sdSoftSolver sdSoftSolver;

/// What a sweep over all contacts is to do.
typedef enum sdSweepKind {
    SD_SWEEP_PUSH,  ///< push overlaps apart
    SD_SWEEP_RELAX, ///< take that out of the velocities again
    SD_SWEEP_LAST,  ///< the same, and add up what was given: nothing comes after it in the sub-step
} sdSweepKind;

/// @return NULL when memory is short
sdSoftSolver* sdSoftSolver_Prepare(sdStep* step);
void sdSoftSolver_WarmStart(sdSoftSolver* solver);
void sdSoftSolver_Solve(sdSoftSolver* solver, sdSweepKind kind);
void sdSoftSolver_Store(sdSoftSolver* solver);
/// m/s: what approaches slower rests instead of bouncing.
float sdStep_GetBounceSpeed(const sdStep* step);

// ---- restitution.c -------------------------------------------------------------------------

/// Take memory for blows, if anything bounces.
/// @return false when memory is short
bool sdSoftSolver_PrepareBlows(sdSoftSolver* solver);
/// What impacts of the step give, one after the other; nothing moves.
void sdSoftSolver_FindBlows(sdSoftSolver* solver);
/// Velocities after impacts, once bodies have been brought to where they meet.
void sdSoftSolver_TakeBlows(sdSoftSolver* solver);

// ---- hit.c ---------------------------------------------------------------------------------

/// A patch was under a blow in the step before, or a step was tried and not made. From any worker.
void sdStep_RenewBlow(sdStep* step, int patch);
/// A patch has a point that comes nearer at a speed above sdWorldDef.hitSpeed. From any worker.
void sdStep_MarkFast(sdStep* step, int patch, float speed);
/// Mark all such patches: what the soft solver's lanes do on their way.
void sdStep_MarkAllFast(sdStep* step);
/// Take room for the hits of patches that are marked, and of bodies on their way.
/// @return false when memory is short
bool sdStep_ReserveHits(sdStep* step);
/// List what has hit what, once bodies have their new velocities.
void sdStep_NoteHits(sdStep* step);
/// A hit on the way of a body; one of the same two in this step is told once, with the sum.
/// @param first of the hits among which theirs may be
/// @param hit all but the shapes
/// @return false: there was no memory for it
bool sdWorld_NoteHitOnTheWay(sdWorld* world, int body, const int fixtures[2], int first,
                             sdHitEvent hit);

// ---- solver_joint.c ------------------------------------------------------------------------

typedef struct sdJointSolver sdJointSolver;

/// @return NULL when memory is short
sdJointSolver* sdJointSolver_Prepare(sdStep* step, const sdSoftSolver* contacts);
/// All sub-steps of what nothing but joints acts on.
void sdJointSolver_RunAlone(sdJointSolver* solver);
void sdJointSolver_WarmStart(sdJointSolver* solver);
void sdJointSolver_Solve(sdJointSolver* solver, bool isBiased);
/// Once more those that are in no tree.
void sdJointSolver_Sweep(sdJointSolver* solver, bool isBiased);
/// How often those take turns with contacts in a sub-step.
int sdJointSolver_CountSweeps(const sdJointSolver* solver, bool isBiased);
/// After contacts: sets that touch only what is not pushed, which have the last word.
void sdJointSolver_Hold(sdJointSolver* solver, bool isBiased);
/// Whether that changes anything when the sub-step's overlaps have been pushed apart.
bool sdJointSolver_HoldsAtLast(const sdJointSolver* solver);
/// Whether joints call for short sub-steps: some are swept, or in a tree that takes turns with
/// others but not with contacts, or have limits or drives while only joints act on any.
bool sdJointSolver_AreFine(const sdJointSolver* solver);
void sdJointSolver_Store(sdJointSolver* solver);

#endif
