// SPDX-License-Identifier: MIT
// contact_graph.h - who stands on whom, as levels from the ground up (D10; S2 §8.3).
//
// Nodes are bodies. An edge says that one is supported by another. Bodies that support each other
// in a circle (a ring of dominoes) are gathered into one component, and stand on one level. What is
// left has no circles: the level of a component is one more than the highest of those that support
// it, so that whoever goes up level by level has seen all supports of a body before the body. (The
// longest way, not the shortest: a lintel on columns of unequal height stands above the higher.)

#ifndef SD_DYNAMICS_CONTACT_GRAPH_H
#define SD_DYNAMICS_CONTACT_GRAPH_H

#include "base/arena.h"

#include <stdbool.h>

/// Node `upper` is supported by node `lower`.
typedef struct sdSupportEdge {
    int upper, lower;
} sdSupportEdge;

typedef struct sdContactGraph {
    int nodeCount;
    int componentCount;
    int levelCount;  ///< one more than the highest level
    int* components; ///< of each node; those that support others have lower numbers
    int* levels;     ///< of each node; 0 for the ground, 1 for what nothing supports, or the ground
} sdContactGraph;

/// @param edges in any order, several between the same nodes and loops allowed; those from the
///              ground are ignored
/// @param ground number of the node that stands for all that does not move; SD_NULL_INDEX: none
/// @return false when memory is short
bool sdContactGraph_Build(sdContactGraph* graph, sdArena* arena, int nodeCount, int ground,
                          const sdSupportEdge* edges, int edgeCount);

#endif
