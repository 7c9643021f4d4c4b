// SPDX-License-Identifier: MIT
// elimination.c - greedy elimination by least degree.
//
// Ref:  Tinney and Walker, 1967; George and Liu, "The Evolution of the Minimum Degree Ordering
//       Algorithm", 1989.
// Note: of equal degrees the one that came last to it goes first, which follows a chain from its
//       end. Costs about 100 ns and 5 edges of 24 bytes a node; a wide graph is given up as soon as
//       no node of few neighbours is left, or when too many edges were added.

#include "dynamics/elimination.h"

// ---- edges ---------------------------------------------------------------------------------

static bool areJoined(const sdGraph* graph, int a, int b) {
    // the shorter list, for hubs have long ones
    int from = graph->nodes[a].degree < graph->nodes[b].degree ? a : b, to = from == a ? b : a;
    for (int e = graph->nodes[from].first; e != SD_NULL_INDEX;
         e = graph->edges[e >> 1].next[e & 1]) {
        if (graph->edges[e >> 1].nodes[(e & 1) ^ 1] == to) {
            return true;
        }
    }
    return false;
}

static void link(sdGraph* graph, int edge, int side) {
    sdGraphNode* node = &graph->nodes[graph->edges[edge].nodes[side]];
    graph->edges[edge].previous[side] = SD_NULL_INDEX;
    graph->edges[edge].next[side] = node->first;
    if (node->first != SD_NULL_INDEX) {
        graph->edges[node->first >> 1].previous[node->first & 1] = edge << 1 | side;
    }
    node->first = edge << 1 | side;
    node->degree += 1;
}

static void unlink(sdGraph* graph, int edge, int side) {
    sdGraphNode* node = &graph->nodes[graph->edges[edge].nodes[side]];
    int next = graph->edges[edge].next[side], previous = graph->edges[edge].previous[side];
    if (previous != SD_NULL_INDEX) {
        graph->edges[previous >> 1].next[previous & 1] = next;
    } else {
        node->first = next;
    }
    if (next != SD_NULL_INDEX) {
        graph->edges[next >> 1].previous[next & 1] = previous;
    }
    node->degree -= 1;
}

sdGraph sdGraph_Make(sdGraphNode* nodes, int nodeCount, sdGraphEdge* edges, int edgeCapacity) {
    for (int i = 0; i < nodeCount; ++i) {
        nodes[i] = (sdGraphNode){.first = SD_NULL_INDEX, .position = SD_NULL_INDEX};
    }
    return (sdGraph){.nodes = nodes,
                     .edges = edges,
                     .nodeCount = nodeCount,
                     .edgeCapacity = edgeCapacity,
                     .freeEdge = SD_NULL_INDEX};
}

bool sdGraph_Join(sdGraph* graph, int a, int b) {
    if (areJoined(graph, a, b)) {
        return true;
    }
    int edge = graph->freeEdge;
    if (edge != SD_NULL_INDEX) {
        graph->freeEdge = graph->edges[edge].next[0];
    } else if (graph->edgeCount < graph->edgeCapacity) {
        edge = graph->edgeCount++;
    } else {
        return false;
    }
    graph->edges[edge].nodes[0] = a;
    graph->edges[edge].nodes[1] = b;
    link(graph, edge, 0);
    link(graph, edge, 1);
    return true;
}

// ---- nodes by degree -----------------------------------------------------------------------

/// First node of each degree; those with more are in no list.
typedef struct Buckets {
    int first[SD_SLENDER_DEGREE + 1];
} Buckets;

static void enter(sdGraph* graph, Buckets* buckets, int index) {
    sdGraphNode* node = &graph->nodes[index];
    if (node->degree <= SD_SLENDER_DEGREE) {
        int* first = &buckets->first[node->degree];
        node->previous = SD_NULL_INDEX;
        node->next = *first;
        if (*first != SD_NULL_INDEX) {
            graph->nodes[*first].previous = index;
        }
        *first = index;
    }
}

static void leave(sdGraph* graph, Buckets* buckets, int index) {
    const sdGraphNode* node = &graph->nodes[index];
    if (node->degree <= SD_SLENDER_DEGREE) {
        if (node->previous != SD_NULL_INDEX) {
            graph->nodes[node->previous].next = node->next;
        } else {
            buckets->first[node->degree] = node->next;
        }
        if (node->next != SD_NULL_INDEX) {
            graph->nodes[node->next].previous = node->previous;
        }
    }
}

static int findLeast(const Buckets* buckets) {
    for (int i = 0; i <= SD_SLENDER_DEGREE; ++i) {
        if (buckets->first[i] != SD_NULL_INDEX) {
            return buckets->first[i];
        }
    }
    return SD_NULL_INDEX;
}

// ---- elimination ---------------------------------------------------------------------------

/// Take a node away and join its neighbours.
static bool eliminateNode(sdGraph* graph, Buckets* buckets, int index, sdEliminated* out) {
    leave(graph, buckets, index);
    *out = (sdEliminated){.node = index};
    for (int e = graph->nodes[index].first; e != SD_NULL_INDEX;
         e = graph->edges[e >> 1].next[e & 1]) {
        int other = graph->edges[e >> 1].nodes[(e & 1) ^ 1];
        out->neighbours[out->neighbourCount++] = other;
        leave(graph, buckets, other);
    }
    while (graph->nodes[index].first != SD_NULL_INDEX) {
        int edge = graph->nodes[index].first >> 1;
        unlink(graph, edge, 0);
        unlink(graph, edge, 1);
        graph->edges[edge].next[0] = graph->freeEdge;
        graph->freeEdge = edge;
    }
    for (int i = 0; i < out->neighbourCount; ++i) {
        for (int j = 0; j < i; ++j) {
            if (!sdGraph_Join(graph, out->neighbours[i], out->neighbours[j])) {
                return false;
            }
        }
    }
    for (int i = 0; i < out->neighbourCount; ++i) {
        enter(graph, buckets, out->neighbours[i]);
    }
    return true;
}

/// Nodes to positions, in ascending order.
static void nameByPosition(const sdGraph* graph, sdEliminated* eliminated) {
    for (int i = 0; i < eliminated->neighbourCount; ++i) {
        int position = graph->nodes[eliminated->neighbours[i]].position, j = i;
        for (; j > 0 && eliminated->neighbours[j - 1] > position; --j) {
            eliminated->neighbours[j] = eliminated->neighbours[j - 1];
        }
        eliminated->neighbours[j] = position;
    }
}

bool sdGraph_Eliminate(sdGraph* graph, sdEliminated* out) {
    Buckets buckets;
    for (int i = 0; i <= SD_SLENDER_DEGREE; ++i) {
        buckets.first[i] = SD_NULL_INDEX;
    }
    for (int i = graph->nodeCount - 1; i >= 0; --i) {
        enter(graph, &buckets, i);
    }
    for (int i = 0; i < graph->nodeCount; ++i) {
        int node = findLeast(&buckets);
        if (node == SD_NULL_INDEX || !eliminateNode(graph, &buckets, node, &out[i])) {
            return false;
        }
        graph->nodes[node].position = i;
    }
    for (int i = 0; i < graph->nodeCount; ++i) {
        nameByPosition(graph, &out[i]);
    }
    return true;
}
