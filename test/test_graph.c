// SPDX-License-Identifier: MIT
// Contact graph: levels against another method, circles, long towers.

#include "support.h"

#include "dynamics/contact_graph.h"

#include <stdlib.h>

#define MAX_NODES 40
#define MAX_EDGES 160

/// Who reaches whom, by Warshall's closure.
static void findClosure(int nodeCount, int ground, const sdSupportEdge* edges, int edgeCount,
                        bool reach[MAX_NODES][MAX_NODES]) {
    for (int i = 0; i < nodeCount; ++i) {
        for (int j = 0; j < nodeCount; ++j) {
            reach[i][j] = i == j;
        }
    }
    for (int i = 0; i < edgeCount; ++i) {
        if (edges[i].upper != ground) {
            reach[edges[i].upper][edges[i].lower] = true;
        }
    }
    for (int k = 0; k < nodeCount; ++k) {
        for (int i = 0; i < nodeCount; ++i) {
            for (int j = 0; j < nodeCount; ++j) {
                reach[i][j] = reach[i][j] || (reach[i][k] && reach[k][j]);
            }
        }
    }
}

/// Longest ways by relaxing all edges between components until nothing changes (Bellman and Ford).
static void findLevels(int nodeCount, int ground, const sdSupportEdge* edges, int edgeCount,
                       bool reach[MAX_NODES][MAX_NODES], int levels[MAX_NODES]) {
    for (int i = 0; i < nodeCount; ++i) {
        levels[i] = i == ground ? 0 : 1;
    }
    for (int round = 0; round < nodeCount; ++round) {
        for (int i = 0; i < edgeCount; ++i) {
            int upper = edges[i].upper, lower = edges[i].lower;
            bool isOne = reach[upper][lower] && reach[lower][upper];
            if (upper != ground && !isOne && levels[upper] < levels[lower] + 1) {
                levels[upper] = levels[lower] + 1;
            }
        }
        for (int i = 0; i < nodeCount; ++i) {
            for (int j = 0; j < nodeCount; ++j) {
                bool isOne = reach[i][j] && reach[j][i];
                levels[i] = isOne && levels[j] > levels[i] ? levels[j] : levels[i];
            }
        }
    }
}

SD_TEST(graph_levels_are_those_of_another_method) {
    TestRandom random = TestRandom_Make(5);
    sdContext context;
    CHECK_INT(sdContext_Resolve(NULL, &context), SD_OK);
    int circleCount = 0;
    for (int round = 0; round < TestRounds(300); ++round) {
        static bool reach[MAX_NODES][MAX_NODES];
        sdSupportEdge edges[MAX_EDGES];
        int levels[MAX_NODES];
        int nodeCount = 1 + TestRandom_Int(&random, MAX_NODES);
        int edgeCount = TestRandom_Int(&random, 1 + nodeCount * (1 + round % 4));
        int ground = TestRandom_Int(&random, 3) == 0 ? SD_NULL_INDEX : nodeCount - 1;
        edgeCount = edgeCount < MAX_EDGES ? edgeCount : MAX_EDGES;
        for (int i = 0; i < edgeCount; ++i) {
            edges[i] = (sdSupportEdge){TestRandom_Int(&random, nodeCount),
                                       TestRandom_Int(&random, nodeCount)};
        }
        sdArena arena;
        sdArena_Init(&arena, &context.allocator);
        sdContactGraph graph;
        CHECK(sdContactGraph_Build(&graph, &arena, nodeCount, ground, edges, edgeCount));
        findClosure(nodeCount, ground, edges, edgeCount, reach);
        findLevels(nodeCount, ground, edges, edgeCount, reach, levels);
        for (int i = 0; i < nodeCount; ++i) {
            CHECK_INT(graph.levels[i], levels[i]);
            CHECK(graph.levels[i] < graph.levelCount);
            for (int j = 0; j < nodeCount; ++j) {
                bool isOne = reach[i][j] && reach[j][i];
                CHECK(isOne == (graph.components[i] == graph.components[j]));
                circleCount += isOne && i < j ? 1 : 0;
                // supports come first
                CHECK(isOne || !reach[i][j] || graph.components[j] < graph.components[i]);
            }
        }
        sdArena_Free(&arena);
    }
    CHECK(circleCount > 0);
}

SD_TEST(graph_lintel_stands_above_the_higher_column) {
    // ground 5; 0, 1, 2 a column of three; 3 a column of one; 4 on both
    sdSupportEdge edges[] = {{0, 5}, {1, 0}, {2, 1}, {3, 5}, {4, 3}, {4, 2}};
    sdContext context;
    CHECK_INT(sdContext_Resolve(NULL, &context), SD_OK);
    sdArena arena;
    sdArena_Init(&arena, &context.allocator);
    sdContactGraph graph;
    CHECK(sdContactGraph_Build(&graph, &arena, 6, 5, edges, 6));
    int expected[] = {1, 2, 3, 1, 4, 0};
    for (int i = 0; i < 6; ++i) {
        CHECK_INT(graph.levels[i], expected[i]);
    }
    CHECK_INT(graph.levelCount, 5);
    sdArena_Free(&arena);
}

SD_TEST(graph_of_the_document_has_its_levels) {
    // S2 figure 18: 1 is the ground, 2, 3 and 4 lie on each other in a ring, 5 on one of them
    sdSupportEdge edges[] = {{1, 0}, {2, 0}, {3, 0}, {1, 2}, {2, 3}, {3, 1}, {4, 2}};
    sdContext context;
    CHECK_INT(sdContext_Resolve(NULL, &context), SD_OK);
    sdArena arena;
    sdArena_Init(&arena, &context.allocator);
    sdContactGraph graph;
    CHECK(sdContactGraph_Build(&graph, &arena, 5, 0, edges, 7));
    int expected[] = {0, 1, 1, 1, 2};
    for (int i = 0; i < 5; ++i) {
        CHECK_INT(graph.levels[i], expected[i]);
    }
    CHECK_INT(graph.componentCount, 3);
    sdArena_Free(&arena);
}

SD_TEST(graph_of_a_tower_and_a_ring_of_many) {
    // no recursion: a hundred thousand on each other, then the same closed to a ring
    int count = TestCount(1000000);
    sdSupportEdge* edges = malloc((size_t)(count + 1) * sizeof *edges);
    for (int i = 0; i < count; ++i) {
        edges[i] = (sdSupportEdge){i, i == 0 ? count : i - 1};
    }
    edges[count] = (sdSupportEdge){0, count - 1};
    sdContext context;
    CHECK_INT(sdContext_Resolve(NULL, &context), SD_OK);
    for (int ring = 0; ring < 2; ++ring) {
        sdArena arena;
        sdArena_Init(&arena, &context.allocator);
        sdContactGraph graph;
        CHECK(sdContactGraph_Build(&graph, &arena, count + 1, count, edges, count + ring));
        CHECK_INT(graph.levelCount, ring == 0 ? count + 1 : 2);
        CHECK_INT(graph.levels[count - 1], ring == 0 ? count : 1);
        sdArena_Free(&arena);
    }
    free(edges);
}

static sdResult buildRing(const sdContext* context, void* arg) {
    (void)arg;
    sdContext own;
    sdResult result = sdContext_Resolve(context, &own);
    sdArena arena;
    sdArena_Init(&arena, &own.allocator);
    sdSupportEdge edges[] = {{0, 1}, {1, 2}, {2, 0}};
    sdContactGraph graph;
    if (result == SD_OK && !sdContactGraph_Build(&graph, &arena, 3, SD_NULL_INDEX, edges, 3)) {
        result = sdFail(&own, SD_ERROR_OUT_OF_MEMORY, "no memory for the graph");
    }
    sdArena_Free(&arena);
    return result;
}

SD_TEST(graph_without_memory_says_so) {
    CHECK(TestContext_FailEach(buildRing, NULL) > 0);
}
