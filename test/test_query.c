// SPDX-License-Identifier: MIT
// Queries of a world against brute force: every shape by the stateless functions.

#include "mesh_support.h"
#include "shape_zoo.h"
#include "world_support.h"

#include "sudar/query.h"

#include <float.h>
#include <math.h>

#define SCENE_BODIES 64
#define MAX_SHAPES 160
#define REACH 8.0f // m, of the cube with the bodies

/// m by which answers may differ: shapes are placed by other roundings here.
#define TOLERANCE 1e-4
/// m by which a question is shifted to see whether its answer hangs on a hair.
#define SHIFT 2e-4

// ---- a scene with everything ---------------------------------------------------------------

typedef struct Target {
    sdBodyId body;
    sdShapeId shape;
    const sdShapeDef* def;
    sdPos p; ///< of the shape's frame
    sdQuat q;
} Target;

typedef struct Scene {
    TestContext test;
    ShapeZoo zoo;
    sdScheduler* scheduler;
    sdWorld* world;
    sdPos center;
    Target targets[MAX_SHAPES];
    int targetCount;
} Scene;

static sdMesh* makeTorus(const sdContext* context) {
    TestMesh torus = {0};
    TestMesh_AddTorus(&torus, 2.0, 0.7, 24, 12);
    sdMeshDef def = TestMesh_Def(&torus);
    sdMesh* mesh = TestMesh_Create(context, &def);
    TestMesh_Free(&torus);
    return mesh;
}

static sdCompound* makeCross(const Scene* scene, TestRandom* random) {
    sdCompoundChild children[3];
    for (int i = 0; i < 3; ++i) {
        children[i] =
            (sdCompoundChild){ShapeZoo_Pick(&scene->zoo, random), TestRandom_Pose(random, 1.0f)};
    }
    sdCompound* compound = NULL;
    CHECK_INT(sdCompound_Create(&scene->zoo.test.context, children, 3, &compound), SD_OK);
    return compound;
}

static void addShape(Scene* scene, TestRandom* random, sdBodyId body, sdShape shape) {
    sdShapeDef def = sdShapeDef_Default(shape);
    def.xf = TestRandom_Pose(random, 0.5f);
    def.isSensor = TestRandom_Int(random, 8) == 0;
    def.filter.category = 1u << TestRandom_Int(random, 3);
    def.filter.mask = TestRandom_Int(random, 4) == 0 ? 6u : 0xFFFFFFFFu;
    def.filter.group = TestRandom_Int(random, 6) == 0 ? -3 : 0;
    CHECK_INT(sdBody_AddShape(scene->world, body, &def, NULL), SD_OK);
}

static void addBody(Scene* scene, TestRandom* random, int index) {
    sdBodyDef def = sdBodyDef_Default();
    def.type = (sdBodyType)(index % 3);
    def.position = sdPos_Add(scene->center, TestRandom_InBox(random, REACH));
    def.rotation = TestRandom_Rotation(random);
    def.velocity = def.type == SD_BODY_STATIC ? sdV3(0, 0, 0) : TestRandom_InBox(random, 5.0f);
    sdBodyId body;
    CHECK_INT(sdBody_Create(scene->world, &def, &body), SD_OK);
    int count = 1 + TestRandom_Int(random, 2);
    for (int i = 0; i < count; ++i) {
        if (index % 8 == 5) {
            sdCompound* compound = makeCross(scene, random);
            addShape(scene, random, body, sdShape_Compound(compound));
            sdCompound_Release(compound);
        } else if (index % 24 == 3) {
            sdMesh* mesh = makeTorus(&scene->zoo.test.context);
            addShape(scene, random, body, sdShape_Mesh(mesh));
            sdMesh_Release(mesh);
        } else {
            addShape(scene, random, body, ShapeZoo_Pick(&scene->zoo, random));
        }
    }
    if (index % 16 == 15) {
        CHECK_INT(sdBody_SetEnabled(scene->world, body, false), SD_OK);
    }
}

static void addFloor(Scene* scene) {
    sdShapeDef def = sdShapeDef_Default(sdShape_HalfSpace());
    sdQuat tilt = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), 0.1f);
    sdPos p = sdPos_Add(scene->center, sdV3(0.0f, -0.7f * REACH, 0.0f));
    TestWorld_AddBody(scene->world, SD_BODY_STATIC, p, tilt, def);
}

/// Where all shapes are that a query may see.
static void listTargets(Scene* scene) {
    sdBodyId bodies[SCENE_BODIES + 1];
    int count = sdWorld_GetBodies(scene->world, bodies, SCENE_BODIES + 1);
    scene->targetCount = 0;
    for (int i = 0; i < count; ++i) {
        sdShapeId shapes[4];
        int shapeCount = sdBody_GetShapes(scene->world, bodies[i], shapes, 4);
        sdWorldTransform xf = sdBody_GetTransform(scene->world, bodies[i]);
        for (int k = 0; k < shapeCount && sdBody_IsEnabled(scene->world, bodies[i]); ++k) {
            const sdShapeDef* def = sdShapeId_GetDef(scene->world, shapes[k]);
            scene->targets[scene->targetCount++] =
                (Target){bodies[i], shapes[k], def, sdPos_Add(xf.p, sdRotate(xf.q, def->xf.p)),
                         sdMulQ(xf.q, def->xf.q)};
        }
    }
}

typedef struct SceneDef {
    sdPos center;
    sdBroadphaseKind kind;
    int threadCount;
    int stepCount;
    bool isPrepared;
} SceneDef;

static void Scene_Init(Scene* scene, SceneDef def) {
    TestContext_Init(&scene->test);
    ShapeZoo_Init(&scene->zoo);
    scene->scheduler = NULL;
    scene->center = def.center;
    sdContext context = scene->test.context;
    if (def.threadCount > 1) {
        CHECK_INT(sdScheduler_Create(&scene->zoo.test.context, def.threadCount, &scene->scheduler),
                  SD_OK);
        context.tasks = sdScheduler_GetTasks(scene->scheduler);
    }
    sdWorldDef worldDef = sdWorldDef_Default();
    worldDef.broadphase.kind = def.kind;
    CHECK_INT(sdWorld_Create(&context, &worldDef, &scene->world), SD_OK);
    TestRandom random = TestRandom_Make(4711);
    for (int i = 0; i < SCENE_BODIES; ++i) {
        addBody(scene, &random, i);
    }
    addFloor(scene);
    TestWorld_Run(scene->world, def.stepCount);
    if (def.isPrepared) {
        CHECK_INT(sdWorld_PrepareQueries(scene->world, 1000), SD_OK);
    }
    listTargets(scene);
}

static void Scene_Free(Scene* scene) {
    sdWorld_Destroy(scene->world);
    sdScheduler_Destroy(scene->scheduler);
    TestContext_Finish(&scene->test);
    ShapeZoo_Free(&scene->zoo);
}

static const SceneDef sceneDefs[3] = {
    {.center = {0.0, 0.0, 0.0}, .threadCount = 1, .stepCount = 3, .isPrepared = true},
    {.center = {1e7, -1e7, 1e7}, .threadCount = 1, .stepCount = 3},
    {.center = {3.0, 2.0, 1.0}, .threadCount = 1, .stepCount = 0},
};

// ---- brute force ---------------------------------------------------------------------------

static sdVec3 toLocal(const Target* target, sdPos p) {
    return sdInvRotate(target->q, sdPos_Sub(p, target->p));
}

static bool isSeen(const Target* target, const sdQueryFilter* filter) {
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
static double bruteOne(const Target* target, const Question* q) {
    sdVec3 from = toLocal(target, q->shape.xf.p), way = sdInvRotate(target->q, q->translation);
    if (q->isRay) {
        sdRayHit hit = sdRaycast(&target->def->shape, from, way);
        return hit.isHit ? (double)hit.fraction : 2.0;
    }
    sdTransform xf = {from, sdInvMulQ(target->q, q->shape.xf.q)};
    sdCastHit hit = sdShapeCast(&target->def->shape, &q->shape.shape, xf, way);
    return hit.isHit ? (double)hit.fraction : 2.0;
}

static double bruteNearest(const Scene* scene, const Question* q, int* count) {
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
static bool isOnEdge(const Scene* scene, const Question* question, double fraction) {
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

static sdQueryFilter pickFilter(const Scene* scene, TestRandom* random) {
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

static Question pickQuestion(const Scene* scene, TestRandom* random, bool isRay) {
    Question q = {.isRay = isRay, .filter = pickFilter(scene, random)};
    q.shape.shape = isRay ? sdShape_Sphere(0.0f) : ShapeZoo_Pick(&scene->zoo, random);
    q.shape.xf.p = sdPos_Add(scene->center, TestRandom_InBox(random, 1.2f * REACH));
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
static void checkHit(const Scene* scene, const Question* q, const sdQueryHit* hit) {
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

static sdResult ask(const Scene* scene, const Question* q, sdQueryHit* hit) {
    sdRay ray = rayOf(q);
    return q->isRay ? sdWorld_Raycast(scene->world, &ray, &q->filter, hit)
                    : sdWorld_ShapeCast(scene->world, &q->shape, q->translation, &q->filter, hit);
}

static int askAll(const Scene* scene, const Question* q, sdQueryHit* out, int capacity) {
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
static void checkList(const Scene* scene, const Question* q, const sdQueryHit* nearest,
                      int bruteCount, int* edgeCount) {
    sdQueryHit hits[MAX_SHAPES], few[2];
    int count = askAll(scene, q, hits, MAX_SHAPES);
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
        Scene scene;
        Scene_Init(&scene, sceneDefs[s]);
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
        Scene_Free(&scene);
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
static void checkOverlaps(const Scene* scene, const Question* q, const sdQueryHit* hits,
                          int count) {
    int found = 0;
    for (int i = 0; i < scene->targetCount; ++i) {
        const Target* target = &scene->targets[i];
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
        Scene scene;
        Scene_Init(&scene, sceneDefs[s]);
        TestRandom random = TestRandom_Make(7 + (uint64_t)s);
        for (int i = 0; i < (total + 2) / 3; ++i) {
            Question q = pickQuestion(&scene, &random, false);
            sdQueryHit hits[MAX_SHAPES];
            int count = 0;
            if (i % 2 == 0) {
                sdVec3 half = sdAbs(TestRandom_InBox(&random, 2.0f));
                q.shape.shape = sdShape_Box(half.x, half.y, half.z);
                q.shape.xf.q = sdQuat_Identity();
                sdWorldBox box = {sdPos_Add(q.shape.xf.p, sdNeg(half)),
                                  sdPos_Add(q.shape.xf.p, half)};
                CHECK_INT(
                    sdWorld_OverlapBoxAll(scene.world, box, &q.filter, hits, MAX_SHAPES, &count),
                    SD_OK);
            } else {
                CHECK_INT(
                    sdWorld_OverlapAll(scene.world, &q.shape, &q.filter, hits, MAX_SHAPES, &count),
                    SD_OK);
            }
            checkOverlaps(&scene, &q, hits, count);
            hitCount += count;
        }
        Scene_Free(&scene);
    }
    CHECK(hitCount > total / 4);
    sdTest_Print("%d boxes and shapes, %d overlaps", total, hitCount);
}

// ---- nearest -------------------------------------------------------------------------------

SD_TEST(query_nearest_agrees_with_brute_force) {
    int total = TestCount(100000), hitCount = 0;
    for (int s = 0; s < 3; ++s) {
        Scene scene;
        Scene_Init(&scene, sceneDefs[s]);
        TestRandom random = TestRandom_Make(70 + (uint64_t)s);
        sdShape point = sdShape_Sphere(0.0f);
        for (int i = 0; i < (total + 2) / 3; ++i) {
            Question q = pickQuestion(&scene, &random, true);
            float most = TestRandom_Float(&random, 0.0f, i % 4 == 0 ? 20.0f : 2.0f);
            double best = DBL_MAX;
            for (int k = 0; k < scene.targetCount; ++k) {
                const Target* target = &scene.targets[k];
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
        Scene_Free(&scene);
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
        Scene scene;
        double o = offsets[s];
        Scene_Init(&scene, (SceneDef){.center = {o, o, -o}, .threadCount = 1});
        TestRandom random = TestRandom_Make(5);
        for (int i = 0; i < COUNT; ++i) {
            Question q = pickQuestion(&scene, &random, i % 2 == 0);
            sdQueryHit* out = &hits[s][4 * i];
            sdQueryHit list[MAX_SHAPES];
            int count;
            CHECK_INT(ask(&scene, &q, &out[0]), SD_OK);
            CHECK_INT(sdWorld_FindNearest(scene.world, q.shape.xf.p, 3.0f, &q.filter, &out[1]),
                      SD_OK);
            CHECK_INT(
                sdWorld_OverlapAll(scene.world, &q.shape, &q.filter, list, MAX_SHAPES, &count),
                SD_OK);
            out[2] = out[3] = (sdQueryHit){0};
            out[2] = count > 0 ? list[0] : out[2];
        }
        for (int i = 0; i < 4 * COUNT; ++i) {
            sdPos* p = &hits[s][i].point;
            *p = sdPos_Make(p->x - o, p->y - o, p->z + o);
        }
        Scene_Free(&scene);
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
static uint64_t hashAnswers(const Scene* scene) {
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
        Scene scene;
        Scene_Init(&scene, (SceneDef){.threadCount = 1 << i, .stepCount = 5});
        hashes[i] = hashAnswers(&scene);
        Scene_Free(&scene);
    }
    CHECK(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

SD_TEST(query_does_not_depend_on_the_broad_phase) {
    uint64_t first = 0;
    for (int kind = 0; kind < SD_BROADPHASE_KIND_COUNT; ++kind) {
        Scene scene;
        Scene_Init(&scene, (SceneDef){.threadCount = 1, .kind = (sdBroadphaseKind)kind});
        uint64_t hash = hashAnswers(&scene);
        first = kind == 0 ? hash : first;
        CHECK(hash == first);
        for (int count = 0; count <= 1000; count += 1000) {
            CHECK_INT(sdWorld_PrepareQueries(scene.world, count), SD_OK);
            CHECK(hashAnswers(&scene) == first);
        }
        Scene_Free(&scene);
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

// ---- callbacks -----------------------------------------------------------------------------

typedef struct Walk {
    int count, stopAt;
    bool isClipping;
    double nearest;
} Walk;

static float walk(void* user, const sdQueryHit* hit, float maxFraction) {
    Walk* self = user;
    self->count += 1;
    self->nearest = hit->distance < self->nearest ? hit->distance : self->nearest;
    if (self->count == self->stopAt) {
        return 0.0f;
    }
    return self->isClipping ? hit->fraction : maxFraction;
}

SD_TEST(query_callbacks_stop_and_clip) {
    sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
    for (int i = 0; i < 50; ++i) {
        TestWorld_AddDynamic(world, sdPos_Make(2.0 * i, 0.0, 0.0), TestWorld_BoxOf(0.5f));
    }
    TestWorld_Run(world, 1);
    sdRay ray = {{-5.0, 0.0, 0.0}, {200.0f, 0.0f, 0.0f}};
    sdPlacedShape probe = {sdShape_Sphere(0.25f), {ray.origin, sdQuat_Identity()}};
    sdWorldBox all = {{-10.0, -1.0, -1.0}, {200.0, 1.0, 1.0}};
    Walk every = {.nearest = DBL_MAX}, two = {.stopAt = 2}, clip = {0, 0, true, DBL_MAX};
    CHECK_INT(sdWorld_RaycastEach(world, &ray, NULL, walk, &every), SD_OK);
    CHECK_INT(every.count, 50);
    CHECK_NEAR(every.nearest, 4.5, 1e-5);
    CHECK_INT(sdWorld_RaycastEach(world, &ray, NULL, walk, &two), SD_OK);
    CHECK_INT(two.count, 2);
    CHECK_INT(sdWorld_RaycastEach(world, &ray, NULL, walk, &clip), SD_OK);
    CHECK(clip.count < 10);
    CHECK_NEAR(clip.nearest, 4.5, 1e-5);
    every = (Walk){.nearest = DBL_MAX};
    CHECK_INT(sdWorld_ShapeCastEach(world, &probe, ray.translation, NULL, walk, &every), SD_OK);
    CHECK_INT(every.count, 50);
    CHECK_NEAR(every.nearest, 4.25, 1e-4);
    two = (Walk){.stopAt = 2};
    CHECK_INT(sdWorld_OverlapBoxEach(world, all, NULL, walk, &two), SD_OK);
    CHECK_INT(two.count, 2);
    every = (Walk){0};
    CHECK_INT(sdWorld_OverlapBoxEach(world, all, NULL, walk, &every), SD_OK);
    CHECK_INT(every.count, 50);
    sdWorld_Destroy(world);
}

// ---- bad input -----------------------------------------------------------------------------

static void checkNone(const sdQueryHit* hit) {
    CHECK(hit->body == SD_NULL_BODY && hit->shape == SD_NULL_SHAPE && hit->fraction == 1.0f &&
          hit->child == SD_NULL_INDEX && hit->distance == 0.0);
}

SD_TEST(query_refuses_bad_numbers_with_words) {
    Scene scene;
    Scene_Init(&scene, sceneDefs[0]);
    const sdWorld* world = scene.world;
    const float bad[5] = {TestNaN(), TestInfinity(), -TestInfinity(), FLT_MAX, 2e12f};
    for (int i = 0; i < 5; ++i) {
        for (int axis = 0; axis < 6; ++axis) {
            sdRay rays[2] = {{{0, 0, 0}, {1.0f, 0.0f, 0.0f}}, {{0, 0, 0}, {1.0f, 0.0f, 0.0f}}};
            double* origin = &rays[1].origin.x;
            float* way = &rays[1].translation.x;
            if (axis < 3) {
                origin[axis] = (double)bad[i];
            } else {
                way[axis - 3] = bad[i];
            }
            sdQueryHit hits[2] = {{.body = 7}, {.body = 7}};
            sdPlacedShape probe = {sdShape_Sphere(1.0f), {rays[1].origin, sdQuat_Identity()}};
            bool isAny = true;
            int count = 7;
            CHECK_INT(sdWorld_Raycast(world, &rays[1], NULL, hits), SD_ERROR_INVALID_ARGUMENT);
            CHECK_TEXT(scene.test.lastError, axis < 3 ? "origin" : "translation");
            checkNone(&hits[0]);
            CHECK_INT(sdWorld_RaycastAny(world, &rays[1], NULL, &isAny), SD_ERROR_INVALID_ARGUMENT);
            CHECK(!isAny);
            CHECK_INT(sdWorld_RaycastAll(world, &rays[1], NULL, hits, 2, &count),
                      SD_ERROR_INVALID_ARGUMENT);
            CHECK_INT(count, 0);
            CHECK_INT(sdWorld_RaycastMany(world, rays, 2, NULL, hits), SD_ERROR_INVALID_ARGUMENT);
            CHECK_TEXT(scene.test.lastError, "ray 1");
            checkNone(&hits[1]);
            CHECK_INT(sdWorld_ShapeCast(world, &probe, rays[1].translation, NULL, hits),
                      SD_ERROR_INVALID_ARGUMENT);
        }
        sdQueryHit hit;
        CHECK_INT(sdWorld_FindNearest(world, sdPos_Make((double)bad[i], 0, 0), 1.0f, NULL, &hit),
                  SD_ERROR_INVALID_ARGUMENT);
        CHECK_INT(sdWorld_FindNearest(world, sdPos_Make(0, 0, 0), bad[i], NULL, &hit),
                  SD_ERROR_INVALID_ARGUMENT);
        checkNone(&hit);
        int count = 7;
        sdWorldBox box = {{0, 0, 0}, {1.0, (double)bad[i], 1.0}};
        CHECK_INT(sdWorld_OverlapBoxAll(world, box, NULL, &hit, 1, &count),
                  SD_ERROR_INVALID_ARGUMENT);
        CHECK_INT(count, 0);
        sdPlacedShape probe = {sdShape_Sphere(bad[i]), {{0, 0, 0}, sdQuat_Identity()}};
        CHECK_INT(sdWorld_OverlapAll(world, &probe, NULL, &hit, 1, &count),
                  SD_ERROR_INVALID_ARGUMENT);
    }
    Scene_Free(&scene);
}

SD_TEST(query_refuses_bad_arguments_with_words) {
    Scene scene;
    Scene_Init(&scene, sceneDefs[0]);
    const sdWorld* world = scene.world;
    sdRay ray = {{0, 0, 0}, {1.0f, 0.0f, 0.0f}};
    sdQueryHit hit;
    int count;
    bool isAny;
    sdResult bad = SD_ERROR_INVALID_ARGUMENT;
    CHECK_INT(sdWorld_PrepareQueries(NULL, 1), bad);
    CHECK_INT(sdWorld_Raycast(NULL, &ray, NULL, &hit), bad);
    CHECK_INT(sdWorld_Raycast(world, NULL, NULL, &hit), bad);
    CHECK_INT(sdWorld_Raycast(world, &ray, NULL, NULL), bad);
    CHECK_INT(sdWorld_RaycastAny(world, &ray, NULL, NULL), bad);
    CHECK_INT(sdWorld_RaycastEach(world, &ray, NULL, NULL, NULL), bad);
    CHECK_INT(sdWorld_RaycastAll(world, &ray, NULL, NULL, 3, &count), bad);
    CHECK_INT(sdWorld_RaycastAll(world, &ray, NULL, &hit, -1, &count), bad);
    CHECK_INT(sdWorld_RaycastAll(world, &ray, NULL, &hit, 1, NULL), bad);
    CHECK_INT(sdWorld_RaycastAll(world, &ray, NULL, NULL, 0, &count), SD_OK);
    CHECK_INT(sdWorld_RaycastMany(world, NULL, 1, NULL, &hit), bad);
    CHECK_INT(sdWorld_RaycastMany(world, &ray, -1, NULL, &hit), bad);
    CHECK_INT(sdWorld_RaycastMany(world, NULL, 0, NULL, NULL), SD_OK);
    CHECK_INT(sdWorld_ShapeCast(world, NULL, ray.translation, NULL, &hit), bad);
    CHECK_INT(sdWorld_FindNearest(world, ray.origin, -1.0f, NULL, &hit), bad);
    sdWorldBox inverted = {{1.0, 0.0, 0.0}, {0.0, 1.0, 1.0}};
    CHECK_INT(sdWorld_OverlapBoxAll(world, inverted, NULL, &hit, 1, &count), bad);
    sdShape shapes[4] = {sdShape_Sphere(-1.0f), sdShape_HalfSpace(), sdShape_Mesh(NULL),
                         sdShape_Box(1.0f, -1.0f, 1.0f)};
    for (int i = 0; i < 4; ++i) {
        sdPlacedShape probe = {shapes[i], {{0, 0, 0}, sdQuat_Identity()}};
        CHECK_INT(sdWorld_ShapeCast(world, &probe, ray.translation, NULL, &hit), bad);
        CHECK_TEXT(scene.test.lastError, i == 1 ? "convex" : "not valid");
        CHECK_INT(sdWorld_OverlapAll(world, &probe, NULL, &hit, 1, &count), bad);
    }
    sdPlacedShape turned = {sdShape_Sphere(1.0f), {{0, 0, 0}, {{0, 0, 0}, 0.0f}}};
    CHECK_INT(sdWorld_ShapeCast(world, &turned, ray.translation, NULL, &hit), bad);
    sdQueryFilter filter = sdQueryFilter_Default();
    filter.ignoredCount = 3;
    CHECK_INT(sdWorld_Raycast(world, &ray, &filter, &hit), bad);
    CHECK_TEXT(scene.test.lastError, "ignores 3 bodies");
    filter.ignoredCount = -1;
    CHECK_INT(sdWorld_RaycastAny(world, &ray, &filter, &isAny), bad);
    CHECK_INT(sdWorld_RaycastMany(world, &ray, 1, &filter, &hit), bad);
    Scene_Free(&scene);
}

SD_TEST(query_of_sizes_without_size_and_huge_ones) {
    Scene scene;
    Scene_Init(&scene, sceneDefs[0]);
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
        sdQueryHit hit, hits[MAX_SHAPES];
        int count;
        CHECK_INT(ask(&scene, &q, &hit), SD_OK);
        CHECK(isFiniteHit(&hit));
        hitCount += hit.body != SD_NULL_BODY ? 1 : 0;
        CHECK_INT(sdWorld_OverlapAll(scene.world, &q.shape, &q.filter, hits, MAX_SHAPES, &count),
                  SD_OK);
        for (int k = 0; k < count; ++k) {
            CHECK(isFiniteHit(&hits[k]));
        }
        CHECK_INT(sdWorld_FindNearest(scene.world, q.shape.xf.p, 1e12f, NULL, &hit), SD_OK);
        CHECK(hit.body != SD_NULL_BODY && isFiniteHit(&hit));
    }
    CHECK(hitCount > 10 * shapeCount);
    Scene_Free(&scene);
}

static void askInStep(void* user, const sdWorld* world, sdBodyId body, const sdMotionState* state,
                      sdVec3* force, sdVec3* torque) {
    (void)body;
    (void)force;
    (void)torque;
    sdRay ray = {state->center, {0.0f, -1.0f, 0.0f}};
    sdQueryHit hit;
    *(sdResult*)user = sdWorld_Raycast(world, &ray, NULL, &hit);
    checkNone(&hit);
}

SD_TEST(query_during_a_step_is_refused) {
    TestContext test;
    TestContext_Init(&test);
    sdWorld* world;
    REQUIRE(sdWorld_Create(&test.context, NULL, &world) == SD_OK);
    TestWorld_AddDynamic(world, sdPos_Make(0, 0, 0), TestWorld_BoxOf(0.5f));
    sdResult result = SD_OK;
    sdWorld_SetForceFcn(world, askInStep, &result);
    CHECK_INT(sdWorld_Step(world, DT), SD_OK);
    CHECK_INT(result, SD_ERROR_LOCKED);
    CHECK_TEXT(test.lastError, "between steps");
    sdWorld_Destroy(world);
    TestContext_Finish(&test);
}

SD_TEST(query_sees_bodies_as_they_come_and_go) {
    sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
    sdRay ray = {{0.0, 5.0, 0.0}, {0.0f, -10.0f, 0.0f}};
    sdQueryHit hit;
    CHECK_INT(sdWorld_Raycast(world, &ray, NULL, &hit), SD_OK);
    checkNone(&hit);
    sdBodyId body = TestWorld_AddDynamic(world, sdPos_Make(0, 0, 0), TestWorld_BoxOf(0.5f));
    for (int i = 0; i < 2; ++i) {
        CHECK_INT(sdWorld_Raycast(world, &ray, NULL, &hit), SD_OK);
        CHECK(hit.body == body);
        CHECK_INT(sdBody_SetTransform(world, body, sdPos_Make(3, 0, 0), sdQuat_Identity()), SD_OK);
        CHECK_INT(sdWorld_Raycast(world, &ray, NULL, &hit), SD_OK);
        checkNone(&hit);
        CHECK_INT(sdBody_SetTransform(world, body, sdPos_Make(0, 0, 0), sdQuat_Identity()), SD_OK);
        CHECK_INT(sdBody_SetEnabled(world, body, false), SD_OK);
        CHECK_INT(sdWorld_Raycast(world, &ray, NULL, &hit), SD_OK);
        checkNone(&hit);
        CHECK_INT(sdBody_SetEnabled(world, body, true), SD_OK);
        TestWorld_Run(world, 1);
    }
    // a centre of mass far outside its shapes
    sdMassProps props = sdBody_GetMass(world, body);
    props.center = sdV3(0.0f, 40.0f, 0.0f);
    CHECK_INT(sdBody_SetMass(world, body, props), SD_OK);
    for (int i = 0; i < 2; ++i) {
        CHECK_INT(sdWorld_Raycast(world, &ray, NULL, &hit), SD_OK);
        CHECK(hit.body == body);
        CHECK_NEAR(hit.distance, 4.5, 1e-5);
        TestWorld_Run(world, 1);
    }
    CHECK_INT(sdBody_Destroy(world, body), SD_OK);
    CHECK_INT(sdWorld_Raycast(world, &ray, NULL, &hit), SD_OK);
    checkNone(&hit);
    sdWorld_Destroy(world);
}
