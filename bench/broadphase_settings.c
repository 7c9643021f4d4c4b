// SPDX-License-Identifier: MIT
// broadphase_settings.c - what settings of the octree and of sweep and prune do (S1 §5.1, §5.2).

#include "bench.h"
#include "broadphase.h"

#include <stdio.h>

typedef struct Figure {
    double ms; ///< of a step
    double tests;
    int cells;
} Figure;

static Figure measure(benchLayout layout, benchMotion motion, int count, const sdBroadphaseDef* def,
                      int steps) {
    Figure figure = {0};
    benchBodies bodies;
    if (!benchBodies_Create(layout, motion, count, &bodies)) {
        return figure;
    }
    void* self = benchOwn_Create(&bodies.boxes, def);
    for (int i = 0; i < steps && self != NULL; ++i) {
        benchBodies_Step(&bodies);
        double start = bench_ThreadTime();
        rivalTree.step(self, &bodies.boxes, NULL);
        figure.ms += 1e3 * (bench_ThreadTime() - start) / steps;
        figure.tests += (double)benchOwn_GetStats(self).testCount / steps;
    }
    if (self != NULL) {
        figure.cells = benchOwn_GetStats(self).cellCount;
        rivalTree.destroy(self);
    }
    benchBodies_Destroy(&bodies);
    return figure;
}

static void printFigure(Figure figure) {
    printf("  %8.4f ms %8.0f tests %6d cells", figure.ms, figure.tests, figure.cells);
}

static void benchDepth(int steps) {
    printf("\nOctree, 500 cubes in a cube of side 20, all teleport: by depth (S1 figures 5.2-5.6; "
           "cells are always split)\n");
    for (int depth = 0; depth <= 6; ++depth) {
        sdBroadphaseDef def = sdBroadphaseDef_Default();
        def.kind = SD_BROADPHASE_OCTREE;
        def.octreeMaxDepth = depth;
        def.octreeMaxCopies = 8.0f;
        printf("depth %d   side 0.1:", depth);
        printFigure(measure(LAYOUT_S1_SMALL, MOTION_TELEPORT, 500, &def, steps));
        printf("   side 1.0:");
        printFigure(measure(LAYOUT_S1_LARGE, MOTION_TELEPORT, 500, &def, steps));
        printf("\n");
    }
}

static const int limits[8] = {1, 3, 6, 12, 25, 51, 101, 500};

static sdBroadphaseDef defOfLimit(int limit) {
    sdBroadphaseDef def = sdBroadphaseDef_Default();
    def.kind = SD_BROADPHASE_OCTREE;
    def.octreeSplitLimit = limit;
    def.octreeMergeLimit = limit / 2;
    return def;
}

static void benchLimit(int steps) {
    printf("\nOctree, the same cubes: by bodies a cell (S1 figure 5.8)\n");
    for (int i = 0; i < 8; ++i) {
        sdBroadphaseDef def = defOfLimit(limits[i]);
        printf("limit %3d side 0.1:", limits[i]);
        printFigure(measure(LAYOUT_S1_SMALL, MOTION_TELEPORT, 500, &def, steps));
        printf("   side 1.0:");
        printFigure(measure(LAYOUT_S1_LARGE, MOTION_TELEPORT, 500, &def, steps));
        printf("\n");
    }
    printf("\nOctree, 10 000 uniform boxes: by bodies a cell\n");
    for (int i = 0; i < 6; ++i) {
        sdBroadphaseDef def = defOfLimit(limits[i]);
        printf("limit %3d     slow:", limits[i]);
        printFigure(measure(LAYOUT_UNIFORM, MOTION_SLOW, 10000, &def, steps / 3));
        printf("  teleports:");
        printFigure(measure(LAYOUT_UNIFORM, MOTION_TELEPORT, 10000, &def, steps / 5));
        printf("\n");
    }
}

static void benchAxes(int steps) {
    printf("\nSweep and prune, 10 000 uniform boxes: by sorted axes\n");
    for (int axes = 1; axes <= 3; ++axes) {
        sdBroadphaseDef def = sdBroadphaseDef_Default();
        def.kind = SD_BROADPHASE_SAP;
        def.sapAxisCount = axes;
        printf("axes %d    slow:", axes);
        printFigure(measure(LAYOUT_UNIFORM, MOTION_SLOW, 10000, &def, steps));
        printf("   teleports:");
        printFigure(measure(LAYOUT_UNIFORM, MOTION_TELEPORT, 10000, &def, steps));
        printf("\n");
    }
}

void bench_BroadphaseSettings(bool isQuick) {
    benchDepth(isQuick ? 10 : 50);
    benchLimit(isQuick ? 10 : 50);
    benchAxes(isQuick ? 5 : 20);
}
