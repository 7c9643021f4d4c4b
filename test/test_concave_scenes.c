// SPDX-License-Identifier: MIT
// Scenes of non-convex bodies over time: how deep they ever are in each other, whether they come to
// rest and sleep, whether energy grows, whether a ring leaves its post through the wall. Short runs
// of small scenes here; `make soak` runs a minute of the full ones, and of bodies of 1 cm.

#include "mesh_depth.h"
#include "support.h"

#include "scenes.h"

#include <math.h>
#include <stdlib.h>

#define MOST_RATIO 0.02f       // of a body's size, in the end
#define MOST_PEAK 0.1f         // of it, ever: when a heap comes down on it
#define RATIO_TOLERANCE 0.004f // of the measure
#define MOST_GAIN 1e-4         // of the energy at the start, above it
#define MOST_GROWTH 2e-2       // of it, after a loss: what was pressed together is lifted again
#define MOST_SPEED 1e-3        // m/s, mean of bodies in the step before they fall asleep

typedef struct Run {
    const char* scene;
    int size;        ///< 0: the scene's own
    float scale;     ///< of lengths; steps and settings stay as they are
    int stepCount;   ///< at most; ends when all are asleep
    int measureStep; ///< steps from measure to measure
    bool mustSleep;
    bool
        isSwinging; ///< what hangs, or has no friction, falls asleep while it still sways or slides
} Run;

typedef struct Trace {
    const Run* run;
    sdWorld* world;
    sdBodyId* bodies;
    int bodyCount, stepCount;
    double start, least, growth, gain; ///< energies, J
    float ratio, peak;                 ///< at the last measure, ever
    int peakStep;
    bool* wasAwake;
    float* speeds; ///< m/s, in the step before
    double sleepSpeedSum;
    int sleepCount;
    int* posts; ///< around which body each ring is, or -1
    int lostCount;
} Trace;

// ---- measures ------------------------------------------------------------------------------

static double energyOf(const Trace* trace) {
    sdEnergy energy = sdWorld_GetEnergy(trace->world);
    return energy.kinetic + energy.potential;
}

static void traceSleep(Trace* trace) {
    for (int i = 0; i < trace->bodyCount; ++i) {
        bool isAwake = sdBody_IsAwake(trace->world, trace->bodies[i]);
        if (trace->wasAwake[i] && !isAwake) {
            trace->sleepSpeedSum += (double)trace->speeds[i];
            ++trace->sleepCount;
        }
        trace->wasAwake[i] = isAwake;
        trace->speeds[i] = sdLength(sdBody_GetVelocity(trace->world, trace->bodies[i]));
    }
}

static const sdMesh* meshOf(const Trace* trace, int body) {
    sdShapeId id;
    if (sdBody_GetShapes(trace->world, trace->bodies[body], &id, 1) != 1) {
        return NULL;
    }
    const sdShape* shape = &sdShapeId_GetDef(trace->world, id)->shape;
    return shape->type == SD_SHAPE_MESH ? shape->mesh : NULL;
}

/// Where the axis of a post meets a ring's plane: height over that of the post, 0 .. 1 within it.
/// Negative when it does not go through the hole.
static float heightOnPost(const Trace* trace, int ring, int post) {
    sdWorldTransform a = sdBody_GetTransform(trace->world, trace->bodies[ring]);
    sdWorldTransform b = sdBody_GetTransform(trace->world, trace->bodies[post]);
    sdAABB box = sdMesh_GetBounds(meshOf(trace, post));
    float size = 2.0f * sdMesh_GetBounds(meshOf(trace, ring)).upper.x;
    sdVec3 axis = sdRotate(a.q, sdV3(0.0f, 1.0f, 0.0f)), from = sdPos_Sub(a.p, b.p);
    float y = sdDot(axis, from) / axis.y;
    float off = sdLength(sdSub(sdV3(0.0f, y, 0.0f), from));
    return off < 0.28f * size ? (y - box.lower.y) / (box.upper.y - box.lower.y) : -1.0f;
}

/// A ring may leave its post only over the top.
static void tracePosts(Trace* trace) {
    for (int i = 0; i < trace->bodyCount; ++i) {
        if (trace->posts[i] >= 0 && heightOnPost(trace, i, trace->posts[i]) < 0.0f) {
            ++trace->lostCount;
            sdTest_Print("step %d: ring %d left its post through the wall", trace->stepCount, i);
        }
        trace->posts[i] = -1;
        for (int k = 0; k < trace->bodyCount && trace->wasAwake[i]; ++k) {
            bool isPost = sdBody_GetType(trace->world, trace->bodies[k]) == SD_BODY_STATIC &&
                          meshOf(trace, k) != NULL;
            float height = isPost ? heightOnPost(trace, i, k) : -1.0f;
            // well below the top: nothing gets out of there in a step
            if (height >= 0.0f && height < 0.9f) {
                trace->posts[i] = k;
            }
        }
    }
}

static void traceDepth(Trace* trace) {
    sdWorldDepth depth;
    CHECK(sdMeshDepth_OfWorld(trace->world, NULL, 1.0f, RATIO_TOLERANCE, &depth));
    trace->ratio = depth.ratio;
    if (depth.ratio > trace->peak) {
        trace->peak = depth.ratio;
        trace->peakStep = trace->stepCount;
    }
    CHECK_INT(depth.unknownCount, 0);
}

// ---- runs ----------------------------------------------------------------------------------

static bool open(Trace* trace, const Run* run, const sdScene* scene) {
    *trace = (Trace){.run = run};
    sdWorldDef def = sdScene_GetWorldDef(scene);
    sdSceneOptions options = {.size = run->size, .scale = run->scale};
    if (!CHECK_INT(sdWorld_Create(NULL, &def, &trace->world), SD_OK) ||
        !CHECK_INT(sdScene_Build(scene, trace->world, &options), SD_OK)) {
        return false;
    }
    trace->bodyCount = sdWorld_GetBodies(trace->world, NULL, 0);
    size_t count = (size_t)trace->bodyCount;
    trace->bodies = calloc(count, sizeof *trace->bodies);
    trace->wasAwake = calloc(count, sizeof *trace->wasAwake);
    trace->speeds = calloc(count, sizeof *trace->speeds);
    trace->posts = calloc(count, sizeof *trace->posts);
    if (!CHECK(trace->bodies != NULL && trace->wasAwake != NULL && trace->speeds != NULL &&
               trace->posts != NULL)) {
        return false;
    }
    sdWorld_GetBodies(trace->world, trace->bodies, trace->bodyCount);
    for (int i = 0; i < trace->bodyCount; ++i) {
        trace->posts[i] = -1;
    }
    trace->least = trace->start = energyOf(trace);
    return true;
}

static void close(Trace* trace) {
    sdWorld_Destroy(trace->world);
    free(trace->bodies);
    free(trace->wasAwake);
    free(trace->speeds);
    free(trace->posts);
}

static void step(Trace* trace, float dt, bool hasPosts) {
    CHECK_INT(sdWorld_Step(trace->world, dt), SD_OK);
    ++trace->stepCount;
    double energy = energyOf(trace);
    trace->growth = fmax(trace->growth, energy - trace->least);
    trace->gain = fmax(trace->gain, energy - trace->start);
    trace->least = fmin(trace->least, energy);
    traceSleep(trace);
    if (hasPosts) {
        tracePosts(trace);
    }
    if (trace->stepCount % trace->run->measureStep == 0) {
        traceDepth(trace);
    }
}

static void soak(const Run* run) {
    Trace trace;
    const sdScene* scene = sdScene_Find(run->scene);
    REQUIRE(scene != NULL);
    if (open(&trace, run, scene)) {
        bool hasPosts = run->scene[0] == 'r';
        int awake = 1;
        while (trace.stepCount < run->stepCount && awake > 0) {
            step(&trace, scene->dt, hasPosts);
            awake = sdWorld_GetStats(trace.world).awakeCount;
        }
        traceDepth(&trace);
        double speed = trace.sleepCount > 0 ? trace.sleepSpeedSum / trace.sleepCount : 0.0;
        double growth = trace.growth / fabs(trace.start), gain = trace.gain / fabs(trace.start);
        sdTest_Print(
            "%s %d, scale %g, %d steps: deepest %.2f %% in the end, %.2f %% ever (step %d), energy "
            "%.4f %% above the start, %.4f %% after a loss, %d bodies awake, fell asleep at %.3f "
            "mm/s, %d rings lost",
            run->scene, run->size, (double)run->scale, trace.stepCount, 1e2 * (double)trace.ratio,
            1e2 * (double)trace.peak, trace.peakStep, 1e2 * gain, 1e2 * growth, awake, 1e3 * speed,
            trace.lostCount);
        CHECK(trace.ratio <= MOST_RATIO);
        CHECK(trace.peak <= MOST_PEAK);
        CHECK(gain <= MOST_GAIN);
        CHECK(growth <= MOST_GROWTH);
        CHECK(speed <= MOST_SPEED || run->isSwinging);
        CHECK(awake == 0 || !run->mustSleep);
        CHECK_INT(trace.lostCount, 0);
    }
    close(&trace);
}

/// The short run in `make test`, the long one in `make soak`.
static void soakEither(Run shortRun, Run longRun) {
    soak(TestScale() < 10 ? &shortRun : &longRun);
}

#define MINUTE 3600

SD_TEST(concave_scene_rings) {
    soakEither((Run){"rings", 9, 1.0f, 300, 30, false, false},
               (Run){"rings", 0, 1.0f, MINUTE, 10, true, false});
}
SD_TEST(concave_scene_rings_500) {
    soakEither((Run){"rings-500", 25, 1.0f, 150, 50, false, false},
               (Run){"rings-500", 0, 1.0f, MINUTE, 60, true, false});
}
SD_TEST(concave_scene_skulls) {
    soakEither((Run){"skulls", 8, 1.0f, 300, 60, false, false},
               (Run){"skulls", 0, 1.0f, MINUTE, 20, true, false});
}
SD_TEST(concave_scene_skull_chain) {
    soakEither((Run){"skull-chain", 1, 1.0f, 150, 50, false, false},
               (Run){"skull-chain", 0, 1.0f, MINUTE, 60, true, false});
}
SD_TEST(concave_scene_bones) {
    soakEither((Run){"bones-500", 10, 1.0f, 200, 50, false, false},
               (Run){"bones-500", 0, 1.0f, MINUTE, 60, true, false});
}
SD_TEST(concave_scene_bowls) {
    soakEither((Run){"bowls", 4, 1.0f, 200, 20, true, false},
               (Run){"bowls", 0, 1.0f, MINUTE, 10, true, false});
}
SD_TEST(concave_scene_hanging_chain) {
    soakEither((Run){"hanging-chain", 3, 1.0f, 300, 60, false, true},
               (Run){"hanging-chain", 0, 1.0f, MINUTE, 10, true, true});
}
SD_TEST(concave_scene_nut) {
    soakEither((Run){"nut", 1, 1.0f, 90, 10, false, true},
               (Run){"nut", 9, 1.0f, MINUTE, 10, false, true});
}
SD_TEST(concave_scene_nut_holds) {
    soakEither((Run){"nut-holds", 1, 1.0f, 120, 20, true, false},
               (Run){"nut-holds", 9, 1.0f, MINUTE, 10, true, false});
}

/// The same with bodies of 1 cm.
SD_TEST(concave_scene_small_rings) {
    soakEither((Run){"rings", 3, 0.01f, 300, 30, false, false},
               (Run){"rings", 0, 0.01f, MINUTE, 10, true, false});
}
SD_TEST(concave_scene_small_skulls) {
    soakEither((Run){"skulls", 4, 0.01f, 200, 50, false, false},
               (Run){"skulls", 0, 0.01f, MINUTE, 20, true, false});
}
SD_TEST(concave_scene_small_nut) {
    soakEither((Run){"nut", 1, 0.01f, 90, 10, false, true},
               (Run){"nut", 9, 0.01f, MINUTE, 10, false, true});
}
SD_TEST(concave_scene_small_chain) {
    soakEither((Run){"hanging-chain", 2, 0.01f, 120, 30, false, true},
               (Run){"hanging-chain", 0, 0.01f, MINUTE, 10, true, true});
}
