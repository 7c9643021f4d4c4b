// SPDX-License-Identifier: MIT
// truth_balls.c - balls that bounce, are heaped up, or hand on a blow.

#include "bench.h"
#include "truth.h"

#include <math.h>
#include <stdio.h>

#define RADIUS 0.1 // m, in all SimBenchmark tests of balls
#define MASS 10.0

/// Memory: 0 energy at the start, 1 sum of squares, 2 energy of falling down to rest.
static void watchEnergy(truthRun* run) {
    double* m = run->memory;
    if (run->sampleCount == 0) {
        m[0] = truth_Energy(run);
        for (int i = 0; i < run->scene->bodyCount; ++i) {
            double mass = (double)truth_MassOf(run, i).mass;
            m[2] += mass > 0.0 ? mass * TRUTH_G * (run->poses[i].p.y - RADIUS) : 0.0;
        }
    } else {
        m[1] += truth_Square((truth_Energy(run) - m[0]) / m[2]);
    }
}

static void finishEnergy(truthRun* run) {
    run->errors[0] = sqrt(run->memory[1] / run->sampleCount);
}

// ---- bouncing ------------------------------------------------------------------------------
//
// SimBenchmark's "bouncing": 49 balls fall 5 m onto the floor and bounce with e = 1, no friction.
// Nothing takes energy away: what there is besides m g h of the start is an error.

static void buildBouncing(sdSceneBuilder* builder) {
    truth_SetMaterial(builder, 0.0, 1.0);
    truth_AddGround(builder);
    for (int i = 0; i < 49; ++i) {
        sdPos p = sdPos_Make(2.0 * (i % 7) - 6.0, 5.0, 2.0 * (i / 7) - 6.0);
        truth_AddBall(builder, p, RADIUS, MASS, sdV3(0.0f, 0.0f, 0.0f));
    }
}

const truthTest truthBouncing = {
    .name = "bouncing",
    .title = "49 balls that bounce",
    .reference = "SimBenchmark: energy stays, e = 1, 20 s",
    .metrics = {{"energy", "share, root mean square", 1e-5}},
    .seconds = 20.0,
    .rates = {60, 120, 240, 480},
    .gravity = {0.0f, (float)-TRUTH_G, 0.0f},
    .build = buildBouncing,
    .watch = watchEnergy,
    .finish = finishEnergy,
};

// ---- 6 x 6 x 6 balls -----------------------------------------------------------------------
//
// SimBenchmark's "666": 216 balls in a grid of 0.21 m with up to 1 mm of disorder fall 1 m onto the
// floor, no friction. Bodies are rigid: the sum of squared depths, over all pairs and the floor, is
// an error. "Elastic 666": the same with e = 1, where energy must stay.

#define GRID 6

static void buildBalls(sdSceneBuilder* builder, double restitution) {
    truth_SetMaterial(builder, 0.0, restitution);
    truth_AddGround(builder);
    for (int i = 0; i < GRID * GRID * GRID; ++i) {
        double x = 0.21 * (i % GRID), z = 0.21 * (i / GRID % GRID), y = 0.21 * (i / GRID / GRID);
        sdVec3 disorder = sdV3(sdSceneBuilder_Random(builder, 0.0f, 1e-3f),
                               sdSceneBuilder_Random(builder, 0.0f, 1e-3f),
                               sdSceneBuilder_Random(builder, 0.0f, 1e-3f));
        truth_AddBall(builder, sdPos_Add(sdPos_Make(x, y + 1.101, z), disorder), RADIUS, MASS,
                      sdV3(0.0f, 0.0f, 0.0f));
    }
}

static void buildGrid(sdSceneBuilder* builder) {
    buildBalls(builder, 0.0);
}

static void buildElasticGrid(sdSceneBuilder* builder) {
    buildBalls(builder, 1.0);
}

/// Memory: 0 sum over samples, 1 deepest.
static void watchDepth(truthRun* run) {
    double sum = 0.0, deepest = 0.0;
    for (int i = 1; i < run->scene->bodyCount; ++i) {
        sdPos a = run->poses[i].p;
        double depth = fmax(RADIUS - a.y, 0.0);
        sum += depth * depth;
        deepest = fmax(deepest, depth);
        for (int k = i + 1; k < run->scene->bodyCount; ++k) {
            sdPos b = run->poses[k].p;
            double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, squared = x * x + y * y + z * z;
            if (squared < 4.0 * RADIUS * RADIUS) {
                depth = 2.0 * RADIUS - sqrt(squared);
                sum += depth * depth;
                deepest = fmax(deepest, depth);
            }
        }
    }
    run->memory[0] += sum;
    run->memory[1] = fmax(run->memory[1], deepest);
}

static void finishDepth(truthRun* run) {
    run->errors[0] = run->memory[0] / run->sampleCount;
    run->errors[1] = run->memory[1];
}

const truthTest truthGrid = {
    .name = "666",
    .title = "216 balls that fall in columns",
    .reference = "SimBenchmark: rigid bodies do not overlap",
    .metrics = {{"sum of squared depths", "m², mean", 1e-9}, {"deepest", "m", 1e-6}},
    .seconds = 5.0,
    .rates = {60, 120, 240, 480},
    .gravity = {0.0f, (float)-TRUTH_G, 0.0f},
    .build = buildGrid,
    .watch = watchDepth,
    .finish = finishDepth,
};

const truthTest truthElasticGrid = {
    .name = "elastic-666",
    .title = "216 elastic balls",
    .reference = "SimBenchmark: energy stays, e = 1",
    .metrics = {{"energy", "share, root mean square", 1e-5}},
    .seconds = 5.0,
    .rates = {60, 120, 240, 480},
    .gravity = {0.0f, (float)-TRUTH_G, 0.0f},
    .build = buildElasticGrid,
    .watch = watchEnergy,
    .finish = finishEnergy,
};

// ---- Newton's cradle -----------------------------------------------------------------------
//
// Five equal balls in a row that touch, without gravity; a sixth comes with 1 m/s. Momentum and
// energy stay, and blows go from pair to pair as they do between balls that are a hair apart: the
// last one leaves with 1 m/s, all others rest.

#define CRADLE 6

static void buildCradle(sdSceneBuilder* builder) {
    truth_SetMaterial(builder, 0.0, 1.0);
    for (int i = 0; i < CRADLE; ++i) {
        double x = i == 0 ? -0.5 : 2.0 * RADIUS * (i - 1);
        truth_AddBall(builder, sdPos_Make(x, 0.0, 0.0), RADIUS, 1.0,
                      sdV3(i == 0 ? 1.0f : 0.0f, 0.0f, 0.0f));
    }
}

static void finishCradle(truthRun* run) {
    double sum = 0.0;
    for (int i = 0; i < CRADLE; ++i) {
        sdVec3 v = run->velocities[i];
        v.x -= i == CRADLE - 1 ? 1.0f : 0.0f;
        sum += (double)sdDot(v, v);
    }
    run->errors[0] = sqrt(sum);
}

const truthTest truthCradle = {
    .name = "cradle",
    .title = "Newton's cradle",
    .reference = "the last of five balls in a row leaves with the speed of the one that came",
    .metrics = {{"speeds", "share, root of squares", 1e-5}},
    .seconds = 1.0,
    .rates = {60, 120, 240, 480, 1000},
    .gravity = {0.0f, 0.0f, 0.0f},
    .build = buildCradle,
    .finish = finishCradle,
};
