// SPDX-License-Identifier: MIT
// Queries of a world against brute force: every shape by the stateless functions.

#include "query_scene.h"

#include <float.h>
#include <math.h>

/// m by which answers may differ: shapes are placed by other roundings here.
#define TOLERANCE 1e-4
/// m by which a question is shifted to see whether its answer hangs on a hair.
#define SHIFT 2e-4

// ---- brute force ---------------------------------------------------------------------------

static sdVec3 toLocal(const QueryTarget* target, sdPos p) {
    return sdInvRotate(target->q, sdPos_Sub(p, target->p));
}

static bool isSeen(const QueryTarget* target, const sdQueryFilter* filter) {
    const sdFilter* own = &target->def->filter;
    bool isIgnored = false;
    for (int i = 0; i < filter->ignoredCount; ++i) {
        isIgnored = isIgnored || filter->ignored[i] == target->body;
    }
    return (own->category & filter->mask) != 0 && (own->mask & filter->category) != 0 &&
           (filter->includeSensors || !target->def->isSensor) && !isIgnored &&
           (filter->accept == NULL || filter->accept(filter->user, target->body, target->shape));
}

/// A question: a ray, a cast, a place or a point.
typedef struct Question {
    sdPlacedShape shape;
    sdVec3 translation;
    sdQueryFilter filter;
    bool isRay;
} Question;

/// Fraction at which a shape is hit; 2 for a miss.
static double bruteOne(const QueryTarget* target, const Question* q) {
    sdVec3 from = toLocal(target, q->shape.xf.p), way = sdInvRotate(target->q, q->translation);
    if (q->isRay) {
        sdRayHit hit = sdRaycast(&target->def->shape, from, way);
        return hit.isHit ? (double)hit.fraction : 2.0;
    }
    sdTransform xf = {from, sdInvMulQ(target->q, q->shape.xf.q)};
    sdCastHit hit = sdShapeCast(&target->def->shape, &q->shape.shape, xf, way);
    return hit.isHit ? (double)hit.fraction : 2.0;
}

static double bruteNearest(const QueryScene* scene, const Question* q, int* count) {
    double best = 2.0;
    *count = 0;
    for (int i = 0; i < scene->targetCount; ++i) {
        double fraction =
            isSeen(&scene->targets[i], &q->filter) ? bruteOne(&scene->targets[i], q) : 2.0;
        best = fraction < best ? fraction : best;
        *count += fraction <= 1.0 ? 1 : 0;
    }
    return best;
}

static bool isClose(double a, double b, double length) {
    return fabs(a - b) * length <= TOLERANCE || (a > 1.0 && b > 1.0);
}

/// Whether the answer changes when the question is moved a little: grazing hits and misses.
static bool isOnEdge(const QueryScene* scene, const Question* question, double fraction) {
    double length = (double)sdLength(question->translation);
    double low = DBL_MAX, high = -DBL_MAX;
    for (int i = 0; i < 27; ++i) {
        Question q = *question;
        sdVec3 shift = {(float)(i % 3 - 1), (float)(i / 3 % 3 - 1), (float)(i / 9 - 1)};
        q.shape.xf.p = sdPos_Add(q.shape.xf.p, sdScale((float)SHIFT, shift));
        int count;
        double moved = bruteNearest(scene, &q, &count);
        low = moved < low ? moved : low;
        high = moved > high ? moved : high;
    }
    return (high - low) * length > 4.0 * SHIFT &&
           (fraction > 1.0 ? high > 1.0 : fraction * length >= low * length - TOLERANCE);
}

static sdBodyId ignoredBodies[4];

static bool acceptSome(void* user, sdBodyId body, sdShapeId shape) {
    (void)user;
    (void)body;
    return (shape & 7u) != 3u;
}

static sdQueryFilter pickFilter(const QueryScene* scene, TestRandom* random) {
    sdQueryFilter filter = sdQueryFilter_Default();
    switch (TestRandom_Int(random, 5)) {
        case 0:
            filter.includeSensors = true;
            break;
        case 1:
            filter.mask = 5u;
            break;
        case 2:
            filter.category = 1u;
            break;
        case 3:
            // a body, none, and a stale id of the same slot
            ignoredBodies[0] = scene->targets[TestRandom_Int(random, scene->targetCount)].body;
            ignoredBodies[1] = SD_NULL_BODY;
            ignoredBodies[2] = scene->targets[0].body + (1u << 24);
            filter.ignored = ignoredBodies;
            filter.ignoredCount = 3;
            filter.accept = acceptSome;
            break;
        default:
            break;
    }
    return filter;
}

static Question pickQuestion(const QueryScene* scene, TestRandom* random, bool isRay) {
    Question q = {.isRay = isRay, .filter = pickFilter(scene, random)};
    q.shape.shape = isRay ? sdShape_Sphere(0.0f) : ShapeZoo_Pick(&scene->zoo, random);
    q.shape.xf.p = sdPos_Add(scene->center, TestRandom_InBox(random, 1.2f * QUERY_REACH));
    q.shape.xf.q = isRay ? sdQuat_Identity() : TestRandom_Rotation(random);
    float length = TestRandom_Int(random, 16) == 0 ? 0.0f : TestRandom_Float(random, 0.1f, 20.0f);
    q.translation = sdScale(length, TestRandom_OnSphere(random));
    return q;
}

static sdRay rayOf(const Question* q) {
    return (sdRay){q->shape.xf.p, q->translation};
}

// ---- rays and casts ------------------------------------------------------------------------

static bool isFiniteHit(const sdQueryHit* hit) {
    return sdPos_IsFinite(hit->point) && sdVec3_IsFinite(hit->normal) && isfinite(hit->distance) &&
           hit->fraction >= 0.0f && hit->fraction <= 1.0f;
}

/// The hit lies on the way and on the surface, its normal is unit and not along the way.
static void checkHit(const QueryScene* scene, const Question* q, const sdQueryHit* hit) {
    double length = (double)sdLength(q->translation);
    CHECK(isFiniteHit(hit));
    CHECK(sdShapeId_GetBody(scene->world, hit->shape) == hit->body);
    CHECK_NEAR(hit->distance, (double)hit->fraction * length, 1e-5);
    CHECK_NEAR(sdLength(hit->normal), 1.0, 1e-4);
    if (q->isRay) {
        sdPos end = sdPos_Add(q->shape.xf.p, sdScale(hit->fraction, q->translation));
        CHECK_NEAR(sdLength(sdPos_Sub(hit->point, end)), 0.0, 2e-5);
        CHECK(sdDot(hit->normal, q->translation) <= 1e-4f * (float)length);
    }
}

static sdResult ask(const QueryScene* scene, const Question* q, sdQueryHit* hit) {
    sdRay ray = rayOf(q);
    return q->isRay ? sdWorld_Raycast(scene->world, &ray, &q->filter, hit)
                    : sdWorld_ShapeCast(scene->world, &q->shape, q->translation, &q->filter, hit);
}

static int askAll(const QueryScene* scene, const Question* q, sdQueryHit* out, int capacity) {
    sdRay ray = rayOf(q);
    int count = -1;
    sdResult result =
        q->isRay ? sdWorld_RaycastAll(scene->world, &ray, &q->filter, out, capacity, &count)
                 : sdWorld_ShapeCastAll(scene->world, &q->shape, q->translation, &q->filter, out,
                                        capacity, &count);
    CHECK_INT(result, SD_OK);
    return count;
}

static bool isSameHit(const sdQueryHit* a, const sdQueryHit* b) {
    return a->body == b->body && a->shape == b->shape && a->child == b->child &&
           a->fraction == b->fraction && a->distance == b->distance && a->point.x == b->point.x &&
           a->point.y == b->point.y && a->point.z == b->point.z && a->normal.x == b->normal.x &&
           a->normal.y == b->normal.y && a->normal.z == b->normal.z;
}

/// The list is sorted, begins with the nearest, and is cut where there is no room.
static void checkList(const QueryScene* scene, const Question* q, const sdQueryHit* nearest,
                      int bruteCount, int* edgeCount) {
    sdQueryHit hits[QUERY_MAX_SHAPES], few[2];
    int count = askAll(scene, q, hits, QUERY_MAX_SHAPES);
    *edgeCount += count != bruteCount ? 1 : 0;
    CHECK_INT(count > 0, nearest->body != SD_NULL_BODY);
    CHECK(count == 0 || isSameHit(&hits[0], nearest));
    for (int i = 1; i < count; ++i) {
        CHECK(hits[i - 1].distance < hits[i].distance ||
              (hits[i - 1].distance == hits[i].distance && hits[i - 1].shape < hits[i].shape));
    }
    CHECK_INT(askAll(scene, q, few, 2), count);
    for (int i = 0; i < 2 && i < count; ++i) {
        CHECK(isSameHit(&few[i], &hits[i]));
    }
}

static void checkQuestions(bool isRay, int total, const char* what) {
    int hitCount = 0, edgeCount = 0, countEdges = 0;
    for (int s = 0; s < 3; ++s) {
        QueryScene scene;
        QueryScene_Init(&scene, querySceneDefs[s]);
        TestRandom random = TestRandom_Make(99 + (uint64_t)s);
        int before = scene.test.allocationCount;
        for (int i = 0; i < (total + 2) / 3; ++i) {
            Question q = pickQuestion(&scene, &random, isRay);
            double length = (double)sdLength(q.translation);
            int bruteCount;
            double expected = bruteNearest(&scene, &q, &bruteCount);
            sdQueryHit hit;
            CHECK_INT(ask(&scene, &q, &hit), SD_OK);
            bool isHit = hit.body != SD_NULL_BODY;
            hitCount += isHit ? 1 : 0;
            double fraction = isHit ? (double)hit.fraction : 2.0;
            if (!isClose(fraction, expected, length)) {
                edgeCount += 1;
                if (!CHECK(isOnEdge(&scene, &q, fraction))) {
                    sdTest_Print("scene %d question %d: %.7g, brute force %.7g of %g m", s, i,
                                 fraction, expected, length);
                }
            }
            if (isHit) {
                checkHit(&scene, &q, &hit);
            } else {
                CHECK(hit.shape == SD_NULL_SHAPE && hit.fraction == 1.0f &&
                      hit.child == SD_NULL_INDEX);
            }
            if (i % 8 == 0) {
                checkList(&scene, &q, &hit, bruteCount, &countEdges);
            }
            if (isRay) {
                bool isAny;
                sdRay ray = rayOf(&q);
                CHECK_INT(sdWorld_RaycastAny(scene.world, &ray, &q.filter, &isAny), SD_OK);
                CHECK(isAny == isHit);
            }
        }
        CHECK_INT(scene.test.allocationCount, before);
        QueryScene_Free(&scene);
    }
    CHECK(hitCount > total / 3);
    // shapes further along the way that are just touched or just missed
    CHECK(countEdges <= 1 + total / 400);
    sdTest_Print("%d %s, %d hits, %d on an edge", total, what, hitCount, edgeCount);
}

SD_TEST(query_rays_agree_with_brute_force) {
    checkQuestions(true, TestCount(100000), "rays");
}

SD_TEST(query_casts_agree_with_brute_force) {
    checkQuestions(false, TestCount(100000), "casts");
}

// ---- overlaps ------------------------------------------------------------------------------

/// Compare a list with all shapes, one by one.
static void checkOverlaps(const QueryScene* scene, const Question* q, const sdQueryHit* hits,
                          int count) {
    int found = 0;
    for (int i = 0; i < scene->targetCount; ++i) {
        const QueryTarget* target = &scene->targets[i];
        const sdQueryHit* hit = NULL;
        for (int k = 0; k < count; ++k) {
            hit = hits[k].shape == target->shape ? &hits[k] : hit;
        }
        found += hit != NULL ? 1 : 0;
        sdTransform xf = {toLocal(target, q->shape.xf.p), sdInvMulQ(target->q, q->shape.xf.q)};
        const sdShape* shape = &target->def->shape;
        bool isIn =
            isSeen(target, &q->filter) && sdOverlap(shape, &q->shape.shape, xf, NULL).isOverlapping;
        sdSeparation s = {0};
        if (isIn || hit != NULL) {
            s = sdPenetration(shape, &q->shape.shape, xf, NULL);
            CHECK(isIn == (hit != NULL) || fabs((double)s.separation) < TOLERANCE);
        }
        if (hit != NULL) {
            CHECK(isFiniteHit(hit));
            CHECK(hit->distance <= 0.0);
            bool isWhole = shape->type != SD_SHAPE_MESH && shape->type != SD_SHAPE_COMPOUND;
            CHECK(!isWhole || fabs(hit->distance - (double)s.separation) < 10.0 * TOLERANCE);
        }
    }
    CHECK_INT(found, count);
}

SD_TEST(query_overlaps_agree_with_brute_force) {
    int total = TestCount(100000), hitCount = 0;
    for (int s = 0; s < 3; ++s) {
        QueryScene scene;
        QueryScene_Init(&scene, querySceneDefs[s]);
        TestRandom random = TestRandom_Make(7 + (uint64_t)s);
        for (int i = 0; i < (total + 2) / 3; ++i) {
            Question q = pickQuestion(&scene, &random, false);
            sdQueryHit hits[QUERY_MAX_SHAPES];
            int count = 0;
            if (i % 2 == 0) {
                sdVec3 half = sdAbs(TestRandom_InBox(&random, 2.0f));
                q.shape.shape = sdShape_Box(half.x, half.y, half.z);
                q.shape.xf.q = sdQuat_Identity();
                sdWorldBox box = {sdPos_Add(q.shape.xf.p, sdNeg(half)),
                                  sdPos_Add(q.shape.xf.p, half)};
                CHECK_INT(sdWorld_OverlapBoxAll(scene.world, box, &q.filter, hits, QUERY_MAX_SHAPES,
                                                &count),
                          SD_OK);
            } else {
                CHECK_INT(sdWorld_OverlapAll(scene.world, &q.shape, &q.filter, hits,
                                             QUERY_MAX_SHAPES, &count),
                          SD_OK);
            }
            checkOverlaps(&scene, &q, hits, count);
            hitCount += count;
        }
        QueryScene_Free(&scene);
    }
    CHECK(hitCount > total / 4);
    sdTest_Print("%d boxes and shapes, %d overlaps", total, hitCount);
}

// ---- nearest -------------------------------------------------------------------------------

SD_TEST(query_nearest_agrees_with_brute_force) {
    int total = TestCount(100000), hitCount = 0;
    for (int s = 0; s < 3; ++s) {
        QueryScene scene;
        QueryScene_Init(&scene, querySceneDefs[s]);
        TestRandom random = TestRandom_Make(70 + (uint64_t)s);
        sdShape point = sdShape_Sphere(0.0f);
        for (int i = 0; i < (total + 2) / 3; ++i) {
            Question q = pickQuestion(&scene, &random, true);
            float most = TestRandom_Float(&random, 0.0f, i % 4 == 0 ? 20.0f : 2.0f);
            double best = DBL_MAX;
            for (int k = 0; k < scene.targetCount; ++k) {
                const QueryTarget* target = &scene.targets[k];
                if (isSeen(target, &q.filter)) {
                    sdTransform xf = {toLocal(target, q.shape.xf.p), sdQuat_Identity()};
                    double d = (double)sdDistance(&target->def->shape, &point, xf, NULL).separation;
                    best = d < best ? d : best;
                }
            }
            sdQueryHit hit;
            CHECK_INT(sdWorld_FindNearest(scene.world, q.shape.xf.p, most, &q.filter, &hit), SD_OK);
            bool isHit = hit.body != SD_NULL_BODY;
            hitCount += isHit ? 1 : 0;
            CHECK(isHit == (best <= (double)most) || fabs(best - (double)most) < TOLERANCE);
            CHECK(!isHit || fabs(hit.distance - best) < TOLERANCE);
            if (isHit) {
                sdVec3 gap = sdPos_Sub(q.shape.xf.p, hit.point);
                CHECK(isFiniteHit(&hit));
                CHECK_NEAR(sdLength(gap), hit.distance, TOLERANCE);
                CHECK(hit.distance < 1e-3 || sdDot(sdNormalize(gap), hit.normal) > 0.99f);
            }
        }
        QueryScene_Free(&scene);
    }
    CHECK(hitCount > total / 4);
    sdTest_Print("%d points, %d near a shape", total, hitCount);
}

// ---- far away ------------------------------------------------------------------------------

SD_TEST(query_is_the_same_far_from_the_origin) {
    static const double offsets[2] = {0.0, 10000000.0};
    enum { COUNT = 300 };
    static sdQueryHit hits[2][4 * COUNT];
    for (int s = 0; s < 2; ++s) {
        QueryScene scene;
        double o = offsets[s];
        QueryScene_Init(&scene, (QuerySceneDef){.center = {o, o, -o}, .threadCount = 1});
        TestRandom random = TestRandom_Make(5);
        for (int i = 0; i < COUNT; ++i) {
            Question q = pickQuestion(&scene, &random, i % 2 == 0);
            sdQueryHit* out = &hits[s][4 * i];
            sdQueryHit list[QUERY_MAX_SHAPES];
            int count;
            CHECK_INT(ask(&scene, &q, &out[0]), SD_OK);
            CHECK_INT(sdWorld_FindNearest(scene.world, q.shape.xf.p, 3.0f, &q.filter, &out[1]),
                      SD_OK);
            CHECK_INT(sdWorld_OverlapAll(scene.world, &q.shape, &q.filter, list, QUERY_MAX_SHAPES,
                                         &count),
                      SD_OK);
            out[2] = out[3] = (sdQueryHit){0};
            out[2] = count > 0 ? list[0] : out[2];
        }
        for (int i = 0; i < 4 * COUNT; ++i) {
            sdPos* p = &hits[s][i].point;
            *p = sdPos_Make(p->x - o, p->y - o, p->z + o);
        }
        QueryScene_Free(&scene);
    }
    int differences = 0;
    for (int i = 0; i < 4 * COUNT; ++i) {
        const sdQueryHit *a = &hits[0][i], *b = &hits[1][i];
        bool isHit = a->body != SD_NULL_BODY && b->body != SD_NULL_BODY;
        differences += a->shape != b->shape ? 1 : 0;
        CHECK(!isHit || a->shape != b->shape || fabs(a->distance - b->distance) < 1e-4);
        CHECK(!isHit || a->shape != b->shape || sdLength(sdPos_Sub(a->point, b->point)) < 1e-3f ||
              a->distance < 0.0);
    }
    // positions of bodies and questions are rounded by 1e-9 m, no more
    CHECK(differences <= 2);
}

SD_TEST(query_rays_from_far_away_are_exact) {
    sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
    sdPos p = sdPos_Make(1e7, 2e7, -1e7);
    sdBodyId ball = TestWorld_AddDynamic(world, p, sdShapeDef_Default(sdShape_Sphere(0.25f)));
    for (int i = 0; i < 7; ++i) {
        static const double ways[7] = {0.5, 10.0, 1e3, 1e5, 1e6, 1e7, 1e9};
        // the ray ends twice as far away
        sdRay ray = {sdPos_Make(p.x - ways[i], p.y, p.z), {(float)(2.0 * ways[i]), 0.0f, 0.0f}};
        sdQueryHit hit;
        CHECK_INT(sdWorld_Raycast(world, &ray, NULL, &hit), SD_OK);
        CHECK(hit.body == ball);
        CHECK_NEAR(hit.distance, ways[i] - 0.25, 1e-6 + 4e-16 * ways[i]);
        CHECK_NEAR(hit.point.x, p.x - 0.25, 1e-6 + 4e-16 * ways[i]);
        sdPlacedShape probe = {sdShape_Sphere(0.5f), {ray.origin, sdQuat_Identity()}};
        CHECK_INT(sdWorld_ShapeCast(world, &probe, ray.translation, NULL, &hit), SD_OK);
        CHECK(hit.body == ball);
        CHECK_NEAR(hit.distance, ways[i] > 0.75 ? ways[i] - 0.75 : 0.0, 1e-4);
    }
    // a floor far from its body's origin, and from high above
    sdBodyId floor = TestWorld_AddFloor(world, sdMaterial_Default());
    for (int i = 0; i < 4; ++i) {
        static const double heights[4] = {1.0, 1e3, 1e6, 1e9};
        sdRay ray = {sdPos_Make(-3e7, heights[i], 4e7), {0.0f, (float)(-3.0 * heights[i]), 0.0f}};
        sdQueryHit hit;
        CHECK_INT(sdWorld_Raycast(world, &ray, NULL, &hit), SD_OK);
        CHECK(hit.body == floor);
        CHECK_NEAR(hit.distance, heights[i], 1e-6 + 1e-9 * heights[i]);
        CHECK_NEAR(hit.point.x, -3e7, 1e-6);
        CHECK_NEAR(hit.point.y, 0.0, 1e-6 + 1e-9 * heights[i]);
        sdPlacedShape probe = {sdShape_Box(0.5f, 0.25f, 0.5f), {ray.origin, sdQuat_Identity()}};
        CHECK_INT(sdWorld_ShapeCast(world, &probe, ray.translation, NULL, &hit), SD_OK);
        CHECK_NEAR(hit.distance, heights[i] - 0.25, 1e-4 + 1e-9 * heights[i]);
        CHECK_INT(sdWorld_FindNearest(world, ray.origin, 2e9f, NULL, &hit), SD_OK);
        CHECK(hit.body == floor || heights[i] > 1e6);
    }
    sdWorld_Destroy(world);
}

// ---- the same answers ----------------------------------------------------------------------

enum { BATCH = 1500 };

/// Answers of all kinds to random questions.
static uint64_t hashAnswers(const QueryScene* scene) {
    static sdRay rays[BATCH];
    static sdQueryHit hits[BATCH];
    TestRandom random = TestRandom_Make(31);
    uint64_t hash = TEST_HASH_START;
    for (int i = 0; i < BATCH; ++i) {
        Question q = pickQuestion(scene, &random, true);
        rays[i] = rayOf(&q);
    }
    CHECK_INT(sdWorld_RaycastMany(scene->world, rays, BATCH, NULL, hits), SD_OK);
    for (int i = 0; i < BATCH; ++i) {
        sdQueryHit alone, cast, nearest;
        CHECK_INT(sdWorld_Raycast(scene->world, &rays[i], NULL, &alone), SD_OK);
        CHECK(isSameHit(&alone, &hits[i]));
        sdPlacedShape probe = {sdShape_Capsule(0.2f, 0.1f), {rays[i].origin, sdQuat_Identity()}};
        sdVec3 way = rays[i].translation;
        CHECK_INT(sdWorld_ShapeCast(scene->world, &probe, way, NULL, &cast), SD_OK);
        CHECK_INT(sdWorld_FindNearest(scene->world, rays[i].origin, 4.0f, NULL, &nearest), SD_OK);
        const sdQueryHit* all[3] = {&alone, &cast, &nearest};
        for (int k = 0; k < 3; ++k) {
            hash = TestHash(hash, &all[k]->body, sizeof all[k]->body);
            hash = TestHash(hash, &all[k]->shape, sizeof all[k]->shape);
            hash = TestHash(hash, &all[k]->child, sizeof all[k]->child);
            hash = TestHash(hash, &all[k]->distance, sizeof all[k]->distance);
            hash = TestHash(hash, &all[k]->point, sizeof all[k]->point);
            hash = TestHash(hash, &all[k]->normal, sizeof all[k]->normal);
        }
    }
    return hash;
}

SD_TEST(query_batch_equals_single_with_any_threads) {
    uint64_t hashes[3];
    for (int i = 0; i < 3; ++i) {
        QueryScene scene;
        QueryScene_Init(&scene, (QuerySceneDef){.threadCount = 1 << i, .stepCount = 5});
        hashes[i] = hashAnswers(&scene);
        QueryScene_Free(&scene);
    }
    CHECK(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

SD_TEST(query_does_not_depend_on_the_broad_phase) {
    uint64_t first = 0;
    for (int kind = 0; kind < SD_BROADPHASE_KIND_COUNT; ++kind) {
        QueryScene scene;
        QueryScene_Init(&scene, (QuerySceneDef){.threadCount = 1, .kind = (sdBroadphaseKind)kind});
        uint64_t hash = hashAnswers(&scene);
        first = kind == 0 ? hash : first;
        CHECK(hash == first);
        for (int count = 0; count <= 1000; count += 1000) {
            CHECK_INT(sdWorld_PrepareQueries(scene.world, count), SD_OK);
            CHECK(hashAnswers(&scene) == first);
        }
        QueryScene_Free(&scene);
    }
}

SD_TEST(query_of_equally_near_shapes_takes_the_lowest_slot) {
    sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
    sdShapeDef box = TestWorld_BoxOf(0.5f);
    sdBodyId bodies[20];
    for (int i = 0; i < 20; ++i) {
        bodies[i] = TestWorld_AddDynamic(world, sdPos_Make(0.0, 1.0, 0.0), box);
    }
    for (int i = 0; i < 19; ++i) {
        sdRay ray = {{0.1, 3.0, 0.2}, {0.0f, -4.0f, 0.0f}};
        sdRay inside = {{0.1, 1.0, 0.2}, {0.0f, -4.0f, 0.0f}};
        sdRay point = {{0.1, 1.0, 0.2}, {0.0f, 0.0f, 0.0f}};
        sdPlacedShape probe = {sdShape_Sphere(0.5f), {ray.origin, sdQuat_Identity()}};
        sdQueryHit hit;
        CHECK_INT(sdWorld_Raycast(world, &ray, NULL, &hit), SD_OK);
        CHECK_INT(hit.body, bodies[i]);
        CHECK_NEAR(hit.distance, 1.5, 1e-6);
        CHECK_INT(sdWorld_Raycast(world, &inside, NULL, &hit), SD_OK);
        CHECK_INT(hit.body, bodies[i]);
        CHECK(hit.distance == 0.0 && hit.normal.y == 1.0f && hit.point.y == 1.0);
        CHECK_INT(sdWorld_Raycast(world, &point, NULL, &hit), SD_OK);
        CHECK_INT(hit.body, bodies[i]);
        CHECK_INT(sdWorld_ShapeCast(world, &probe, ray.translation, NULL, &hit), SD_OK);
        CHECK_INT(hit.body, bodies[i]);
        CHECK_INT(sdWorld_FindNearest(world, ray.origin, 10.0f, NULL, &hit), SD_OK);
        CHECK_INT(hit.body, bodies[i]);
        CHECK_INT(sdBody_Destroy(world, bodies[i]), SD_OK);
    }
    sdWorld_Destroy(world);
}

// ---- odd sizes ------------------------------------------------------------------------------

SD_TEST(query_of_sizes_without_size_and_huge_ones) {
    QueryScene scene;
    QueryScene_Init(&scene, querySceneDefs[0]);
    sdShape shapes[ZOO_NO_SIZE_COUNT + 2];
    int shapeCount = ShapeZoo_NoSize(shapes);
    shapes[shapeCount++] = sdShape_Sphere(1e6f);
    shapes[shapeCount++] = sdShape_Box(1e6f, 1e-3f, 1e6f);
    TestRandom random = TestRandom_Make(12);
    int hitCount = 0;
    for (int i = 0; i < 40 * shapeCount; ++i) {
        Question q = pickQuestion(&scene, &random, false);
        q.shape.shape = shapes[i % shapeCount];
        q.translation = sdScale(i % 3 == 0 ? 1e9f : 1.0f, q.translation);
        sdQueryHit hit, hits[QUERY_MAX_SHAPES];
        int count;
        CHECK_INT(ask(&scene, &q, &hit), SD_OK);
        CHECK(isFiniteHit(&hit));
        hitCount += hit.body != SD_NULL_BODY ? 1 : 0;
        CHECK_INT(
            sdWorld_OverlapAll(scene.world, &q.shape, &q.filter, hits, QUERY_MAX_SHAPES, &count),
            SD_OK);
        for (int k = 0; k < count; ++k) {
            CHECK(isFiniteHit(&hits[k]));
        }
        CHECK_INT(sdWorld_FindNearest(scene.world, q.shape.xf.p, 1e12f, NULL, &hit), SD_OK);
        CHECK(hit.body != SD_NULL_BODY && isFiniteHit(&hit));
    }
    CHECK(hitCount > 10 * shapeCount);
    QueryScene_Free(&scene);
}
