// SPDX-License-Identifier: MIT
// impulse_joint_rows.h - what the files of the impulse solver's joints share: a joint of the step,
// its equations where its bodies are, were or will be, and impulses along them.

#ifndef SD_DYNAMICS_IMPULSE_JOINT_ROWS_H
#define SD_DYNAMICS_IMPULSE_JOINT_ROWS_H

#include "dynamics/impulse_joint.h"
#include "dynamics/joint.h"

/// Freedoms that a joint can take away.
#define SD_MAX_LOCKS 6

/// Part of its diagonal below which a pivot is nothing but rounding: the row says nothing new.
#define SD_LEAST_PIVOT 1e-6

/// dC = u · (dxB - dxA) + b · dφB - a · dφA; an impulse λ along it puts u λ and b λ on B, and the
/// opposite, with a, on A.
typedef struct sdImpulseLine {
    sdVec3 u, a, b;
} sdImpulseLine;

/// The locked rows of a joint at some poses.
typedef struct sdLockSet {
    int count;
    sdImpulseLine lines[SD_MAX_LOCKS];
    float errors[SD_MAX_LOCKS]; ///< C
} sdLockSet;

/// A joint of the step.
typedef struct sdImpulseJoint {
    sdJoint* joint;
    int bodyA, bodyB;                     ///< of the solver
    sdLockSet start;                      ///< along which impulses ahead act
    float goals[SD_MAX_LOCKS];            ///< C at the end of the step: 0, or less than it was
    sdVec3 armA, armB;                    ///< from the centres to B's anchor, at the start
    float startErrors[SD_JOINT_MAX_ROWS]; ///< C of limits and springs, by slot
    float impulses[SD_JOINT_MAX_ROWS];    ///< of limits and drives in the step, along +C
    sdVec3 force, torque;                 ///< N s, N m s: all that was put on B in the step
    sdVec3 forceBefore, torqueBefore;     ///< the same before the last pass
    bool isWide;                          ///< of a set that is solved one by one
    int set;                              ///< which hang together
} sdImpulseJoint;

typedef struct sdJointSets sdJointSets;
typedef struct sdJointGuard sdJointGuard;

struct sdImpulseJoints {
    sdStep* step;
    sdImpulseBody* bodies;
    int ground; ///< index of what does not move
    sdImpulseJoint* joints;
    int count;
    int pass;     ///< sweeps so far: every other one goes backwards
    bool isMoved; ///< bodies are where they will be
    sdJointSets* sets;
    sdJointGuard* guard;
};

/// Where the bodies of a joint are, or will be at the end of the step; and how they turn on the
/// way, rad.
typedef struct sdJointView {
    sdJointRows rows;
    sdVec3 angleA, angleB;
} sdJointView;

void sdImpulseJoint_LookNow(const sdImpulseJoints* joints, const sdImpulseJoint* joint,
                            sdJointView* view);
void sdImpulseJoint_LookAhead(const sdImpulseJoints* joints, const sdImpulseJoint* joint,
                              sdJointView* view);

/// The locked rows of what was looked at.
/// @param isAhead as C changes with the velocities at the start of the step; else as impulses act:
///        on both bodies at one point, so that the angular momentum is kept
void sdLockSet_List(sdLockSet* set, const sdJointView* view, bool isAhead);

/// C' of a line.
float sdImpulseJoint_SpeedAlong(const sdImpulseJoints* joints, const sdImpulseJoint* joint,
                                const sdImpulseLine* line);
/// Put an impulse along a line.
void sdImpulseJoint_Push(sdImpulseJoints* joints, sdImpulseJoint* joint, const sdImpulseLine* line,
                         float impulse);

/// Below which a response of a row to itself is rounding: that of an axis about which both bodies
/// are locked.
double sdImpulseJoint_LeastResponse(const sdImpulseJoints* joints, const sdImpulseJoint* joint,
                                    const sdImpulseLine* line);
/// By how much an impulse along `with` changes C' (or C, over dt) of `line`.
double sdImpulseJoint_Respond(const sdImpulseJoints* joints, const sdImpulseJoint* joint,
                              const sdImpulseLine* line, const sdImpulseLine* with);

/// What the locked rows of a joint are off: C' now, or (C - goal) / dt at the end of the step.
/// @param set the lines, for what impulses along joint->start (ahead) or themselves (now) do
/// @return the largest
float sdImpulseJoint_FindErrors(const sdImpulseJoints* joints, const sdImpulseJoint* joint,
                                bool isAhead, sdLockSet* set, double* errors);

/// Limits and drives, one after the other.
void sdImpulseJoint_SolveOthers(sdImpulseJoints* joints, sdImpulseJoint* joint, bool isAhead);

/// m x = x by elimination, for the n rows of one joint; rows that say nothing new get 0.
void sdSolveLocks(double* m, double* x, int n);

// ---- impulse_joint_set.c -------------------------------------------------------------------

/// Find which joints are connected, and in which order they are eliminated.
/// @return NULL when memory is short
sdJointSets* sdJointSets_Prepare(sdImpulseJoints* joints);
/// One step of Newton's method for the locked rows of all joints at once.
/// @return the largest error before it, as sdImpulseJoint_FindErrors
float sdJointSets_Solve(sdImpulseJoints* joints, bool isAhead);

// ---- impulse_joint_guard.c -----------------------------------------------------------------

/// @param setOfJoint which joints hang together
/// @return NULL when memory is short
sdJointGuard* sdJointGuard_Prepare(sdImpulseJoints* joints, const int* setOfJoint, int setCount);
/// Remember velocities as they are.
void sdJointGuard_Start(sdImpulseJoints* joints);
/// Remember how far sets that are solved together are off, before a pass.
void sdJointGuard_StartSearch(sdImpulseJoints* joints);
/// Take back as much of the pass as it went too far.
void sdJointGuard_Search(sdImpulseJoints* joints);
/// Slow down what turns too far in a step.
void sdJointGuard_LimitTurns(sdImpulseJoints* joints);
/// Take back what places may not give, since the start.
void sdJointGuard_LimitPlaces(sdImpulseJoints* joints);
/// Take back what the step may not give, when it ends.
void sdJointGuard_LimitStep(sdImpulseJoints* joints);

#endif
