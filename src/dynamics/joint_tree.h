// SPDX-License-Identifier: MIT
// joint_tree.h - chains, ragdolls and other slender sets of joints, solved exactly.
//
// Sweeps carry the pull of a chain one link further each time. What joints lock is an equation, so
// for joints the whole system can be solved instead, in the space of their impulses:
//
//     (J M⁻¹ Jᵀ) λ = -(J v + bias)
//
// Its matrix has a block for each joint and one for each two joints that share a body. If
// eliminating joints, the one with the fewest neighbours first, never meets one with many
// (elimination.h), it is factored and solved in linear time: a block of 3 x 3 for joints that lock
// no more than three rows, of 6 x 6 otherwise. Sets of joints of the same build, and only scenes
// with such have many of them, share lanes: eight chains are solved at once.
//
// Limits and drives of these joints, and joints of wide sets such as nets, are left to sweeps.

#ifndef SD_DYNAMICS_JOINT_TREE_H
#define SD_DYNAMICS_JOINT_TREE_H

#include "dynamics/elimination.h"
#include "dynamics/solver_joint.h"

/// J of a row, and M⁻¹ Jᵀ.
typedef struct sdTreeRow {
    sdVec3x8 linear, angularA, angularB, turnA, turnB;
} sdTreeRow;

/// A joint of each lane.
typedef struct sdTreeNode {
    sdJointBatch* batch;
    const sdEliminated* pattern;
    int firstBelow; ///< its blocks in the columns of the factor
} sdTreeNode;

/// Two joints share a body: a block of the matrix.
typedef struct sdTreeCoupling {
    int row, column;        ///< positions, row > column
    bool rowIsB, columnIsB; ///< whether the body is B of each
} sdTreeCoupling;

/// Up to eight sets of joints of the same build.
struct sdTreeGroup {
    int size;      ///< unknowns of a joint: 3 or 6
    int nodeCount; ///< in the order of elimination
    sdTreeNode* nodes;
    int couplingCount;
    sdTreeCoupling* couplings;
    int belowCount;
    sdTreeRow* rows; ///< size for each node
    sdF8* diagonal;  ///< size² for each node, by rows; once factored its inverse
    sdF8* below;     ///< size² for each block below the diagonal
    sdF8* vector;    ///< size for each node
    sdF8* gives;     ///< the same: speed at which a row gives, per impulse that it holds
    float softness;  ///< of rows, relative to their inverse masses
    bool isReady;    ///< factored where the bodies are
};

/// Bring impulses of the sub-step before to where arms and axes are now, and factor.
SD_DECLARE_KERNEL(void, sdTreeGroup_Start, (sdTreeGroup * group, sdBodyState* states));
SD_DECLARE_KERNEL(void, sdTreeGroup_Solve,
                  (sdTreeGroup * group, const sdJointSolver* solver, bool isBiased));

/// Take the joints that belong to slender sets out of the solver's list for sweeps, into groups.
/// @return false when memory is short
bool sdJointSolver_FindTrees(sdJointSolver* solver);

#endif
