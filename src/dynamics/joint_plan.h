// SPDX-License-Identifier: MIT
// joint_plan.h - how the active joints are solved: all that is the same from step to step.
//
// Which joints there are, which of them are slender sets, which are swept in which colour, and
// where their rows and batches are: that depends on which joints are active and on their settings,
// not on where bodies are. So it is found once and kept in the world until a joint comes, goes,
// changes, wakes or falls asleep. When other bodies wake or fall asleep, only the numbers of states
// are new.
//
// A plan is a function of the world's state alone: one that is made anew after a snapshot was
// restored is the same.

#ifndef SD_DYNAMICS_JOINT_PLAN_H
#define SD_DYNAMICS_JOINT_PLAN_H

#include "dynamics/joint_tree.h"

/// In world.planArena. Whoever changes settings of a joint, the type of a body, or the order of the
/// lists of joints at bodies, drops it (world.jointPlan).
struct sdJointPlan {
    sdBitSet joints; ///< that are active
    sdBitSet bodies; ///< that are awake: states are numbered by them
    bool isDirect;   ///< there may be slender sets
    int jointCount;
    sdActiveJoint* list;
    // slender sets
    int groupCount;
    sdTreePlan* trees;
    int* states;         ///< of the trees' slots
    sdTreeGroup* groups; ///< as they are at the start of a step
    // those that are swept
    int looseCount;
    int* loose; ///< in the list
    bool hasRows, hasLimits;
    sdColoring coloring;
    sdJointBatch** batches;
    int pulledCount;
    sdPulledBody* pulled;
    int* pulls; ///< of these bodies: place in the list << 1 | side, ascending for each
    // for the rest of the step
    int stateCount;
    int* islands;      ///< of each state: the lowest of those that joints connect it with
    bool hasBreakable; ///< some joint breaks
};

/// The plan, if it still is that of the world; or NULL.
const sdJointPlan* sdWorld_GetJointPlan(const sdWorld* world);

/// List the active joints, with room for their rows: those of the plan, or for a new one.
/// @return false when memory is short
bool sdJointSolver_ListJoints(sdJointSolver* solver);

/// Once rows are there, take all else from the plan, which is completed where it is new.
/// @return false when memory is short
bool sdJointSolver_TakePlan(sdJointSolver* solver);

/// Take the joints that belong to slender sets out of those that are swept, into trees
/// (joint_tree.c).
/// @return false when memory is short
bool sdJointPlan_FindTrees(sdJointPlan* plan, sdJointSolver* solver);

#endif
