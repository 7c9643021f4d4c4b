// SPDX-License-Identifier: MIT
// contact_graph.c - see contact_graph.h.
//
// In:   nodes and edges "is supported by".
// Out:  component and level of each node.
// Ref:  Tarjan, "Depth-first search and linear graph algorithms", 1972. S2 §8.3 has Kosaraju's two
//       searches instead: the same components, with the graph turned round once more.
// Note: linear in nodes and edges; the search has a stack of its own, so that a tower of a million
//       bodies is as good as any. Components are closed in the order of their numbers, supports
//       first: levels are found on the way.

#include "dynamics/contact_graph.h"

#include "sudar/vecmath.h"

/// A search that is under way.
typedef struct Search {
    sdContactGraph* graph;
    int ground;
    const int* starts; ///< of each node's supports, and the end of the last
    const int* lowers; ///< supports of the nodes, one node after the other
    int* cursors;      ///< next support of each node that is on the path
    int* numbers;      ///< order in which nodes were found; SD_NULL_INDEX: not yet
    int* lows;         ///< lowest number that a node leads back to
    int* path;         ///< from the root of the search to where it is
    int* open;         ///< found, but their component is not closed
    int pathCount, openCount, foundCount;
} Search;

static void enter(Search* search, int node) {
    search->numbers[node] = search->lows[node] = search->foundCount++;
    search->cursors[node] = search->starts[node];
    search->path[search->pathCount++] = node;
    search->open[search->openCount++] = node;
}

/// All of a component are on top of the open ones. Everything that supports it is closed.
static void closeComponent(Search* search, int root) {
    sdContactGraph* graph = search->graph;
    int first = search->openCount - 1, level = root == search->ground ? 0 : 1;
    while (search->open[first] != root) {
        first -= 1;
    }
    for (int i = first; i < search->openCount; ++i) {
        graph->components[search->open[i]] = graph->componentCount;
    }
    for (int i = first; i < search->openCount; ++i) {
        int node = search->open[i];
        for (int j = search->starts[node]; j < search->starts[node + 1]; ++j) {
            int lower = search->lowers[j];
            if (graph->components[lower] != graph->componentCount) {
                level = sdMaxI(level, graph->levels[lower] + 1);
            }
        }
    }
    for (int i = first; i < search->openCount; ++i) {
        graph->levels[search->open[i]] = level;
    }
    graph->levelCount = sdMaxI(graph->levelCount, level + 1);
    graph->componentCount += 1;
    search->openCount = first;
}

/// One step along the path: on to the next support of its end, or back.
static void advance(Search* search) {
    int node = search->path[search->pathCount - 1];
    if (search->cursors[node] < search->starts[node + 1]) {
        int lower = search->lowers[search->cursors[node]++];
        if (search->numbers[lower] == SD_NULL_INDEX) {
            enter(search, lower);
        } else if (search->graph->components[lower] == SD_NULL_INDEX) {
            search->lows[node] = sdMinI(search->lows[node], search->numbers[lower]);
        }
        return;
    }
    search->pathCount -= 1;
    if (search->lows[node] == search->numbers[node]) {
        closeComponent(search, node);
    }
    if (search->pathCount > 0) {
        int before = search->path[search->pathCount - 1];
        search->lows[before] = sdMinI(search->lows[before], search->lows[node]);
    }
}

/// Supports of each node, in the order of the edges.
static void sortEdges(const sdSupportEdge* edges, int edgeCount, int ground, int nodeCount,
                      int* starts, int* lowers) {
    for (int i = 0; i <= nodeCount; ++i) {
        starts[i] = 0;
    }
    for (int i = 0; i < edgeCount; ++i) {
        starts[edges[i].upper + 1] += edges[i].upper != ground ? 1 : 0;
    }
    for (int i = 0; i < nodeCount; ++i) {
        starts[i + 1] += starts[i];
    }
    for (int i = 0; i < edgeCount; ++i) {
        if (edges[i].upper != ground) {
            lowers[starts[edges[i].upper]++] = edges[i].lower;
        }
    }
    // each start has become the next one
    for (int i = nodeCount; i > 0; --i) {
        starts[i] = starts[i - 1];
    }
    starts[0] = 0;
}

bool sdContactGraph_Build(sdContactGraph* graph, sdArena* arena, int nodeCount, int ground,
                          const sdSupportEdge* edges, int edgeCount) {
    size_t nodes = (size_t)nodeCount + 1;
    *graph = (sdContactGraph){.nodeCount = nodeCount, .levelCount = 1};
    graph->components = sdArena_Alloc(arena, nodes, sizeof(int));
    graph->levels = sdArena_Alloc(arena, nodes, sizeof(int));
    int* starts = sdArena_Alloc(arena, nodes, sizeof(int));
    int* lowers = sdArena_Alloc(arena, (size_t)edgeCount + 1, sizeof(int));
    int* scratch = sdArena_Alloc(arena, nodes * 5, sizeof(int));
    if (graph->components == NULL || graph->levels == NULL || starts == NULL || lowers == NULL ||
        scratch == NULL) {
        return false;
    }
    sortEdges(edges, edgeCount, ground, nodeCount, starts, lowers);
    Search search = {
        .graph = graph,
        .ground = ground,
        .starts = starts,
        .lowers = lowers,
        .cursors = scratch,
        .numbers = scratch + nodes,
        .lows = scratch + 2 * nodes,
        .path = scratch + 3 * nodes,
        .open = scratch + 4 * nodes,
    };
    for (int i = 0; i < nodeCount; ++i) {
        graph->components[i] = search.numbers[i] = SD_NULL_INDEX;
    }
    // every edge and node is seen once: bounded by their number
    for (int i = 0; i < nodeCount; ++i) {
        if (search.numbers[i] == SD_NULL_INDEX) {
            enter(&search, i);
        }
        while (search.pathCount > 0) {
            advance(&search);
        }
    }
    return true;
}
