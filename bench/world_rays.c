// SPDX-License-Identifier: MIT
// world_rays.c - a million rays against a pile at rest, beside Bullet's rayTest: the same bodies at
// the same poses, the same rays, and how well the answers agree.

#include "bench.h"
#include "world.h"

#include "sudar/query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PILE_SIZE 4000
#define SETTLE_STEPS 400
#define RATIO_GOAL (1.0 / 3.0) // of Bullet's time
#define REPEATS 3
/// m: larger differences are counted, and explained: Bullet stops within a centimetre of a shape.
#define SAME_DISTANCE 2e-3
/// m from a shape that a hit may be.
#define ON_SURFACE 2e-5

typedef struct Rays {
    sdRay* rays;
    sdQueryHit* hits;
    float* fractions; ///< Bullet's; 1: no hit
    int count;
} Rays;

/// Through the points of a picture, seen from the scene's eye.
static void aimPicture(Rays* set, const sdScene* scene) {
    int side = (int)sqrt((double)set->count);
    sdVec3 ahead = sdNormalize(sdSub(scene->target, scene->eye));
    sdVec3 right = sdNormalize(sdCross(ahead, sdV3(0.0f, 1.0f, 0.0f)));
    sdVec3 up = sdCross(right, ahead);
    sdPos eye = sdPos_Make((double)scene->eye.x, (double)scene->eye.y, (double)scene->eye.z);
    for (int i = 0; i < set->count; ++i) {
        float x = (float)(i % side) / (float)side - 0.5f,
              y = 0.5f - (float)(i / side) / (float)side;
        sdVec3 d = sdMulAdd(sdMulAdd(ahead, 0.8f * x, right), 0.8f * y, up);
        set->rays[i] = (sdRay){eye, sdScale(60.0f, sdNormalize(d))};
    }
}

/// From anywhere above and in the pile in any direction.
static void aimAnywhere(Rays* set) {
    uint64_t state = 1;
    for (int i = 0; i < set->count; ++i) {
        double x = 6.0 * (double)bench_RandomFloat(&state);
        double y = 6.0 + 6.0 * (double)bench_RandomFloat(&state);
        double z = 6.0 * (double)bench_RandomFloat(&state);
        sdVec3 d = sdNormalize(bench_RandomInBall(&state));
        set->rays[i] = (sdRay){sdPos_Make(x, y, z), sdScale(20.0f, d)};
    }
}

static double gapAt(const sdWorld* world, const sdRay* ray, double fraction) {
    sdPos p = sdPos_Add(ray->origin, sdScale((float)fraction, ray->translation));
    sdQueryHit hit;
    sdWorld_FindNearest(world, p, 10.0f, NULL, &hit);
    return hit.distance;
}

/// How rays that differ came to do so.
typedef struct Differences {
    int count;
    int early; ///< Bullet's hit is in the air
    int late;  ///< ours is on a surface, and Bullet's behind it
    int open;  ///< neither: Bullet's is on a surface, and ours behind it
} Differences;

static void explain(const sdWorld* world, const sdRay* ray, double ours, double theirs,
                    Differences* sum) {
    sum->count += 1;
    if (theirs < ours) {
        bool isInAir = gapAt(world, ray, theirs) > ON_SURFACE;
        sum->early += isInAir ? 1 : 0;
        sum->open += isInAir ? 0 : 1;
    } else {
        bool isInAir = gapAt(world, ray, ours) > ON_SURFACE;
        sum->late += isInAir ? 0 : 1;
        sum->open += isInAir ? 1 : 0;
    }
}

static void compare(const sdWorld* world, const Rays* set) {
    int ours = 0, bullets = 0, inside = 0;
    Differences sum = {0};
    for (int i = 0; i < set->count; ++i) {
        const sdQueryHit* hit = &set->hits[i];
        ours += hit->body != SD_NULL_BODY ? 1 : 0;
        bullets += set->fractions[i] < 1.0f ? 1 : 0;
        double length = (double)sdLength(set->rays[i].translation);
        double gap = fabs((double)(hit->fraction - set->fractions[i])) * length;
        // a ray that starts inside hits ours at once; Bullet's does not see what it starts in
        bool isInside = hit->body != SD_NULL_BODY && hit->distance == 0.0;
        inside += isInside ? 1 : 0;
        if (!isInside && gap > SAME_DISTANCE) {
            explain(world, &set->rays[i], (double)hit->fraction, (double)set->fractions[i], &sum);
        }
    }
    printf("    hits %d, Bullet %d; %d start inside; %d of the others differ by over 2 mm: %d hits "
           "of Bullet in the air, %d behind ours, %d open\n",
           ours, bullets, inside, sum.count, sum.early, sum.late, sum.open);
}

static double castOurs(const sdWorld* world, Rays* set, bool isWall) {
    double start = isWall ? bench_Now() : bench_ThreadTime();
    sdWorld_RaycastMany(world, set->rays, set->count, NULL, set->hits);
    return (isWall ? bench_Now() : bench_ThreadTime()) - start;
}

static void run(const char* name, const sdWorld* one, const sdWorld* two, void* bullet, Rays* set) {
    double best[3] = {1e30, 1e30, 1e30};
    for (int i = 0; i < REPEATS; ++i) {
        double times[3];
        times[0] = castOurs(one, set, false);
        double start = bench_ThreadTime();
        rivalBullet_Raycast(bullet, set->rays, set->count, set->fractions);
        times[2] = bench_ThreadTime() - start;
        times[1] = castOurs(two, set, true);
        for (int k = 0; k < 3; ++k) {
            best[k] = times[k] < best[k] ? times[k] : best[k];
        }
    }
    double scale = 1e9 / set->count;
    printf("  %s: %d rays; ns a ray: Sudar %.0f, 2 threads %.0f (by the clock), Bullet %.0f\n",
           name, set->count, scale * best[0], scale * best[1], scale * best[2]);
    bench_RecordValue(name, "Sudar", scale * best[0], "ns a ray");
    bench_RecordValue(name, "Sudar, 2 threads", scale * best[1], "ns a ray");
    bench_RecordValue(name, "Bullet", scale * best[2], "ns a ray");
    bench_Row("    one thread, part of Bullet's time", best[0] / best[2], "", RATIO_GOAL);
    compare(one, set);
}

/// A pile at rest, by so many threads.
static sdWorld* settle(const sdContext* context, const sdScene* scene) {
    sdWorldDef def = sdScene_GetWorldDef(scene);
    sdSceneOptions options = {.size = PILE_SIZE};
    sdWorld* world = NULL;
    if (sdWorld_Create(context, &def, &world) != SD_OK ||
        sdScene_Build(scene, world, &options) != SD_OK) {
        fprintf(stderr, "bench_world: could not build the pile\n");
        exit(EXIT_FAILURE);
    }
    for (int i = 0; i < SETTLE_STEPS; ++i) {
        sdWorld_Step(world, scene->dt);
    }
    double start = bench_ThreadTime();
    sdWorld_PrepareQueries(world, 1000000);
    printf("  prepared in %.2f ms\n", 1e3 * (bench_ThreadTime() - start));
    return world;
}

void bench_Rays(bool isQuick) {
    const sdScene* scene = sdScene_Find("pile");
    sdContext context = sdContext_Default();
    sdScheduler* scheduler = NULL;
    sdScheduler_Create(NULL, 2, &scheduler);
    sdWorld* one = settle(&context, scene);
    context.tasks = sdScheduler_GetTasks(scheduler);
    sdWorld* two = settle(&context, scene);
    int bodyCount = sdWorld_GetBodies(one, NULL, 0);
    size_t count = isQuick ? 100000 : 1000000;
    sdBodyId* bodies = calloc((size_t)bodyCount, sizeof *bodies);
    Rays set = {calloc(count, sizeof(sdRay)), calloc(count, sizeof(sdQueryHit)),
                calloc(count, sizeof(float)), (int)count};
    char why[RIVAL_WHY_SIZE];
    rivalWorldScene described = {.size = PILE_SIZE,
                                 .threadCount = 1,
                                 .world = one,
                                 .bodies = bodies,
                                 .bodyCount = bodyCount,
                                 .dt = scene->dt};
    if (bodies != NULL && set.rays != NULL && set.hits != NULL && set.fractions != NULL) {
        sdWorld_GetBodies(one, bodies, bodyCount);
        void* bullet = rivalBulletWorld.create(&described, why);
        aimPicture(&set, scene);
        run("a picture", one, two, bullet, &set);
        aimAnywhere(&set);
        run("anywhere", one, two, bullet, &set);
        rivalBulletWorld.destroy(bullet);
    }
    free(bodies);
    free(set.rays);
    free(set.hits);
    free(set.fractions);
    sdWorld_Destroy(one);
    sdWorld_Destroy(two);
    sdScheduler_Destroy(scheduler);
}
