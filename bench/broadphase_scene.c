// SPDX-License-Identifier: MIT
// broadphase_scene.c - boxes for bench_broadphase: where they are and how they move.

#include "bench.h"
#include "broadphase.h"

#include <math.h>
#include <stdlib.h>

/// Bodies of a cluster, and its radius for boxes of side 1, m.
#define CLUSTER_SIZE 100
#define CLUSTER_RADIUS 5.0f

static float random01(benchBodies* bodies) {
    return 0.5f + 0.5f * bench_RandomFloat(&bodies->random);
}

static sdVec3 randomInCube(benchBodies* bodies, float half) {
    float x = bench_RandomFloat(&bodies->random);
    float y = bench_RandomFloat(&bodies->random);
    float z = bench_RandomFloat(&bodies->random);
    return sdScale(half, sdV3(x, y, z));
}

static sdVec3 randomPosition(benchBodies* bodies, int i) {
    if (bodies->layout == LAYOUT_HUGE && i == 0) {
        return sdV3(0.0f, 0.0f, 0.0f);
    }
    if (bodies->layout != LAYOUT_CLUSTERED) {
        return randomInCube(bodies, bodies->halfSize);
    }
    sdVec3 p = bench_RandomInBall(&bodies->random);
    return sdMulAdd(bodies->centers[i % bodies->centerCount], CLUSTER_RADIUS, p);
}

static float randomHalfSide(benchBodies* bodies, int i) {
    switch (bodies->layout) {
        case LAYOUT_UNIFORM:
        case LAYOUT_CLUSTERED:
            return 0.25f + 0.5f * random01(bodies);
        case LAYOUT_HUGE:
            return i == 0 ? bodies->halfSize : 0.025f + 0.05f * random01(bodies);
        case LAYOUT_S1_LARGE:
            return 0.5f;
        case LAYOUT_S1_SMALL:
            return 0.05f;
        default:
            return 0.5f * random01(bodies);
    }
}

static float halfSizeFor(benchLayout layout, int count) {
    if (layout >= LAYOUT_S1_LARGE) {
        return 10.0f;
    }
    // one in 8 m^3 for boxes of side 1; clusters lie five times as far apart as they are wide
    float side = layout == LAYOUT_CLUSTERED ? 8.0f : 2.0f;
    return 0.5f * (layout == LAYOUT_HUGE ? 0.1f : 1.0f) * side * cbrtf((float)count);
}

static void writeBox(benchBodies* bodies, int i) {
    sdVec3 p = bodies->positions[i];
    float h = bodies->halfSides[i];
    float* f = bodies->floats + 8 * i;
    f[0] = p.x - h;
    f[1] = p.y - h;
    f[2] = p.z - h;
    f[4] = p.x + h;
    f[5] = p.y + h;
    f[6] = p.z + h;
    bodies->own[i] = sdWorldBox_Make(sdPos_Make((double)f[0], (double)f[1], (double)f[2]),
                                     sdPos_Make((double)f[4], (double)f[5], (double)f[6]));
}

bool benchBodies_Create(benchLayout layout, benchMotion motion, int count, benchBodies* out) {
    size_t n = (size_t)count;
    *out = (benchBodies){.layout = layout,
                         .motion = motion,
                         .count = count,
                         .halfSize = halfSizeFor(layout, count),
                         .positions = calloc(n, sizeof(sdVec3)),
                         .velocities = calloc(n, sizeof(sdVec3)),
                         .halfSides = calloc(n, sizeof(float)),
                         .centers = calloc(n, sizeof(sdVec3)),
                         .centerCount = count / CLUSTER_SIZE + 1,
                         .random = 1,
                         .own = calloc(n, sizeof(sdWorldBox)),
                         .floats = calloc(8 * n, sizeof(float))};
    if (out->positions == NULL || out->velocities == NULL || out->halfSides == NULL ||
        out->centers == NULL || out->own == NULL || out->floats == NULL) {
        benchBodies_Destroy(out);
        return false;
    }
    for (int i = 0; i < out->centerCount; ++i) {
        out->centers[i] = randomInCube(out, out->halfSize);
    }
    for (int i = 0; i < count; ++i) {
        out->positions[i] = randomPosition(out, i);
        out->halfSides[i] = randomHalfSide(out, i);
        out->velocities[i] = sdScale(0.02f * out->halfSides[i], bench_RandomInBall(&out->random));
        writeBox(out, i);
    }
    if (layout == LAYOUT_HUGE) {
        out->velocities[0] = sdV3(0.0f, 0.0f, 0.0f);
    }
    // S1 has bodies without size as well: a margin that suits boxes of the usual size
    out->boxes = (rivalBoxes){.count = count,
                              .own = out->own,
                              .floats = out->floats,
                              .worldHalfExtent = 2.0f * out->halfSize + 10.0f,
                              .margin = layout == LAYOUT_HUGE ? 0.0125f : 0.05f};
    return true;
}

void benchBodies_Destroy(benchBodies* bodies) {
    free(bodies->positions);
    free(bodies->velocities);
    free(bodies->halfSides);
    free(bodies->centers);
    free(bodies->own);
    free(bodies->floats);
}

/// Back from where the cube ends.
static void turn(float p, float* v, float half) {
    *v = (p > half && *v > 0.0f) || (p < -half && *v < 0.0f) ? -*v : *v;
}

void benchBodies_Step(benchBodies* bodies) {
    for (int i = 0; i < bodies->count && bodies->motion != MOTION_REST; ++i) {
        if (bodies->motion == MOTION_TELEPORT) {
            bodies->positions[i] = randomPosition(bodies, i);
        } else {
            sdVec3* v = bodies->velocities + i;
            sdVec3 p = sdAdd(bodies->positions[i], *v);
            bodies->positions[i] = p;
            turn(p.x, &v->x, bodies->halfSize);
            turn(p.y, &v->y, bodies->halfSize);
            turn(p.z, &v->z, bodies->halfSize);
        }
        writeBox(bodies, i);
    }
}
