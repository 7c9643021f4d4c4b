// SPDX-License-Identifier: MIT
// slender.h - slender islands of a step: their bodies in the order of elimination, their contacts.

#ifndef SD_DYNAMICS_SLENDER_H
#define SD_DYNAMICS_SLENDER_H

#include "dynamics/block_factor.h"
#include "dynamics/solver_soft.h"

/// Rows of a patch: four normals, two tangents, twist.
#define SD_ROW_COUNT 7
#define SD_ROW_TANGENT1 4
#define SD_ROW_TANGENT2 5
#define SD_ROW_TWIST 6

typedef enum sdRowState { SD_ROW_OPEN, SD_ROW_HELD, SD_ROW_SLIDES } sdRowState;

/// A patch of a slender island.
typedef struct sdSlenderPatch {
    sdSoftBatch* batch;
    int lane;
    int stateA, stateB;
    int nodeA, nodeB; ///< SD_NULL_INDEX: moves as it will
    int pointCount;
    sdVec3 normal, tangent1, tangent2;
    sdVec3 rA[SD_MANIFOLD_MAX_POINTS], rB[SD_MANIFOLD_MAX_POINTS], cA, cB;
    float separation[SD_MANIFOLD_MAX_POINTS]; ///< as in sdSoftPoint
    float staticFriction, slidingFriction, twistArm, slop;
    float stiffness[SD_ROW_COUNT];
    bool isFresh;
    // of a solve
    float bias[SD_MANIFOLD_MAX_POINTS];
    float start[SD_ROW_COUNT], impulse[SD_ROW_COUNT];
    float startSpeed[SD_ROW_COUNT]; ///< with bias
    float slide1, slide2;           ///< direction of sliding
    float slideShare;               ///< of the stiffness across it
    uint8_t rows[SD_ROW_COUNT], factored[SD_ROW_COUNT];
} sdSlenderPatch;

/// A body of a slender island, in the order of elimination.
typedef struct sdSlenderNode {
    int state;
    uint32_t locks;
    float mass;
    sdMat33 inertia; ///< in the world
    sdVec3 startVelocity, startAngular;
} sdSlenderNode;

typedef struct sdSlenderIsland {
    int firstNode, nodeCount;
    int firstPatch, patchCount;
    int firstEdge, edgeCapacity;
    int belowCount;
    bool isSlender;
    bool isUneven;   ///< a heavy body touches a light one
    bool isRough;    ///< pairs have many patches
    bool isShaken;   ///< by an impact, which is left to the sweeps and to restitution
    bool isRestless; ///< solves take many steps to find what slips
    bool isFactored;
    int stepCount;     ///< of Newton's method in this step of the world, times bodies
    double restEnergy; ///< that bodies get from gravity in a sub-step, as Σ m v²
    sdSlenderNode* nodes;
    sdSlenderPatch* patches;
    sdBlockVec* vectors; ///< of each node: what is left to gain
    sdBlockVec* steps;   ///< of each node
    sdBlockFactor factor;
} sdSlenderIsland;

/// Memory of all islands is in one piece each.
typedef struct sdDirectSolver {
    sdStep* step;
    sdSoftSolver* soft;
    sdSlenderIsland* islands;
    int islandCount;
    sdSlenderNode* nodes;
    sdBlockVec* vectors;
    sdBlockVec* steps;
    sdEliminated* eliminated;
    int* firstBelow;
    sdSlenderPatch* patches;
    // to find out
    int* bodyLists;  ///< states by island
    int* patchLists; ///< the step's patches by island
    int* locals;     ///< of each state: its place in its island
    int* places;     ///< of each patch of the step: batch * SD_LANES + lane
    uint8_t* levels; ///< of nodes, from the ground
    sdGraphNode* graphNodes;
    sdGraphEdge* graphEdges;
} sdDirectSolver;

#endif
