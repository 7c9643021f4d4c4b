// SPDX-License-Identifier: MIT
// planar.c - scenes of the plane: engines that know nothing else beside ours, which is one of space
// with its bodies locked to a plane. They have a third of the numbers to find; this says what that
// costs us.
//
// bench_planar [--quick]

#include "bench.h"
#include "rivals_planar.h"
#include "scene_parts.h"
#include "world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_SECONDS 60.0

static sdBodyId addPlanar(sdSceneBuilder* builder, sdPos position, float angle, sdShape shape) {
    sdBodyDef def = sdBodyDef_Default();
    def.type = SD_BODY_DYNAMIC;
    def.position = position;
    def.rotation = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), angle);
    def.locks = SD_LOCK_PLANAR;
    return sdSceneBuilder_Add(builder, &def, shape);
}

static void addWall(sdSceneBuilder* builder, double x, double y, float halfX, float halfY) {
    sdSceneBuilder_AddStatic(builder, sdPos_Make(x, y, 0.0), sdQuat_Identity(),
                             sdShape_Box(halfX, halfY, 1.0f));
}

static void buildPyramid(sdSceneBuilder* builder) {
    addWall(builder, 0.0, -1.0, 60.0f, 1.0f);
    for (int row = 0; row < builder->size; ++row) {
        for (int i = 0; i < builder->size - row; ++i) {
            double x = 1.05 * (i - 0.5 * (builder->size - row - 1));
            addPlanar(builder, sdPos_Make(x, row + 0.5, 0.0), 0.0f, sdShape_Box(0.5f, 0.5f, 0.5f));
        }
    }
}

#define PILE_WIDTH 20 // bodies

static void buildPile(sdSceneBuilder* builder) {
    addWall(builder, 0.0, -1.0, 20.0f, 1.0f);
    addWall(builder, -12.0, 40.0, 1.0f, 40.0f);
    addWall(builder, 12.0, 40.0, 1.0f, 40.0f);
    for (int i = 0; i < builder->size; ++i) {
        double x = 1.1 * (i % PILE_WIDTH - 0.5 * (PILE_WIDTH - 1));
        double y = 0.6 + 1.1 * (i / PILE_WIDTH);
        float size = sdSceneBuilder_Random(builder, 0.3f, 0.5f);
        sdShape shape = i % 2 == 0 ? sdShape_Sphere(size) : sdShape_Box(size, 0.8f * size, 0.5f);
        addPlanar(builder, sdPos_Make(x, y, 0.0), sdSceneBuilder_Random(builder, -0.5f, 0.5f),
                  shape);
    }
}

#define LINK_COUNT 20

static void buildChains(sdSceneBuilder* builder) {
    for (int c = 0; c < builder->size; ++c) {
        double y = 10.0 * c;
        sdBodyId last = sdSceneBuilder_AddStatic(builder, sdPos_Make(-0.3, y, 0.0),
                                                 sdQuat_Identity(), sdShape_Box(0.1f, 0.1f, 0.1f));
        for (int i = 0; i < LINK_COUNT; ++i) {
            sdBodyId next = addPlanar(builder, sdPos_Make(0.2 * (i + 0.5), y, 0.0), 0.0f,
                                      sdShape_Box(0.08f, 0.03f, 0.03f));
            sdJointDef def = sdJointDef_Make(SD_JOINT_HINGE, last, next);
            sdSceneBuilder_Join(builder, &def, sdPos_Make(0.2 * i, y, 0.0), sdV3(0.0f, 0.0f, 1.0f));
            last = next;
        }
    }
}

typedef struct Row {
    const char* name;
    void (*build)(sdSceneBuilder* builder);
    int size, stepCount, firstMeasured, quickStepCount;
    bool hasShift; ///< nothing should move
} Row;

static const Row rows[] = {
    {"pyramid 40", buildPyramid, 40, 300, 60, 120, true},
    {"pile 1000", buildPile, 1000, 600, 300, 330, false},
    {"chains 50", buildChains, 50, 300, 60, 120, false},
};

static sdResult buildRow(const rivalWorldScene* scene, sdWorld* world) {
    sdSceneBuilder builder = {.world = world,
                              .size = scene->size,
                              .random = 1,
                              .scale = 1.0f,
                              .material = sdMaterial_Default(),
                              .density = 1000.0f};
    ((const Row*)scene->source)->build(&builder);
    return builder.result;
}

static void benchRow(const Row* row, bool isQuick) {
    static const rivalEngine* const engines[] = {&rivalSudarWorld, &rivalBox2d, &rivalChipmunk};
    rivalWorldScene scene = {.def = sdWorldDef_Default(),
                             .build = buildRow,
                             .source = row,
                             .size = row->size,
                             .dt = 1.0f / 60.0f};
    if (!bench_BuildScene(&scene)) {
        fprintf(stderr, "bench_planar: could not build %s\n", row->name);
        exit(EXIT_FAILURE);
    }
    printf("\n%s: %d bodies\n", row->name, scene.bodyCount);
    bench_SetGroup("planar, %s", row->name);
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; ++i) {
        benchRun* run =
            bench_RunWorld(engines[i], &scene, isQuick ? row->quickStepCount : row->stepCount,
                           row->firstMeasured, LIMIT_SECONDS);
        benchQuality quality;
        if (run == NULL) {
            fprintf(stderr, "bench_planar: no memory or no processes left\n");
            exit(EXIT_FAILURE);
        }
        const char* name = engines[i]->name;
        if (run->stepCount == 0 || !run->hasPoses ||
            !bench_MeasureQuality(&scene, run->poses, &quality)) {
            printf("  %-9s cannot: %s\n", name, run->why);
            bench_RecordFailure("ms a step", name, "ms", run);
            bench_FreeRun(run, &scene);
            continue;
        }
        double ms = bench_StepMs(run, 1);
        printf("  %-9s %8.3f ms a step; deepest %7.2f mm, shift %8.1f mm, worst joint %7.3f mm\n",
               name, ms, quality.worstMm, quality.shiftMm, quality.gapMm);
        bench_Record((benchRecord){.row = "ms a step",
                                   .engine = name,
                                   .value = ms,
                                   .unit = "ms",
                                   .spread = bench_StepSpread(run)});
        if (quality.jointCount > 0) {
            bench_RecordValue("worst joint", name, quality.gapMm, "mm");
        } else {
            bench_RecordValue("deepest overlap at the end", name, quality.worstMm, "mm");
        }
        if (row->hasShift) {
            bench_RecordValue("farthest shift", name, quality.shiftMm, "mm");
        }
        fflush(stdout);
        bench_FreeRun(run, &scene);
    }
    bench_CloseScene(&scene);
}

int main(int argc, char** argv) {
    bool isQuick = argc == 2 && strcmp(argv[1], "--quick") == 0;
    if (argc > 1 && !isQuick) {
        fprintf(stderr, "usage: bench_planar [--quick]\n");
        return 2;
    }
    printf(
        "Scenes of the plane, steps of 1/60 s, one thread, nothing asleep; ours in space, locked "
        "to the plane\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        benchRow(&rows[i], isQuick);
    }
    return 0;
}
