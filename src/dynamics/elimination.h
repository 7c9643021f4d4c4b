// SPDX-License-Identifier: MIT
// elimination.h - whether a graph is slender, and in which order to take its nodes away.
//
// Eliminating a node joins all its neighbours with each other, as Gauss does with unknowns. When
// the node with the fewest neighbours goes first, chains, trees, rings and ladders never meet a
// node with many; grids and heaps do. A graph is slender here if no node that goes has more than
// SD_SLENDER_DEGREE neighbours left. A matrix with its pattern is then factored in linear time.

#ifndef SD_DYNAMICS_ELIMINATION_H
#define SD_DYNAMICS_ELIMINATION_H

#include "base/memory.h"

#define SD_SLENDER_DEGREE 6

/// Edges that elimination may add, per node, before the graph counts as wide.
#define SD_FILL_PER_NODE 4

typedef struct sdGraphEdge {
    int nodes[2];
    int next[2], previous[2]; ///< edge << 1 | side, in the list of each node
} sdGraphEdge;

typedef struct sdGraphNode {
    int first; ///< edge << 1 | side
    int degree;
    int next, previous; ///< nodes of the same degree
    int position;       ///< in the order of elimination
} sdGraphNode;

/// A node in the order of elimination.
typedef struct sdEliminated {
    int node;
    int neighbourCount;
    int neighbours[SD_SLENDER_DEGREE]; ///< positions, ascending: those that were left
} sdEliminated;

typedef struct sdGraph {
    sdGraphNode* nodes;
    sdGraphEdge* edges;
    int nodeCount;
    int edgeCount;    ///< taken so far, free ones included
    int edgeCapacity; ///< room for SD_FILL_PER_NODE more a node
    int freeEdge;     ///< list through next[0]
} sdGraph;

/// Without edges.
/// @param nodes, edges memory of the graph; may hold anything
sdGraph sdGraph_Make(sdGraphNode* nodes, int nodeCount, sdGraphEdge* edges, int edgeCapacity);

/// Join two nodes, once.
/// @return false when there is no room
bool sdGraph_Join(sdGraph* graph, int a, int b);

/// Take all nodes away, the one with the fewest neighbours first. Of order n when all have few.
/// @param out room for all nodes
/// @return false when the graph is wide; it is used up either way
bool sdGraph_Eliminate(sdGraph* graph, sdEliminated* out);

#endif
