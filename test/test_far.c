// SPDX-License-Identifier: MIT
// test_far.c - sizes and distances from one end of the numbers to the other: every query answers
// with finite numbers and unit normals, or says that it does not.

#include "world_support.h"

#include "sudar/query.h"

#include <math.h>

#define ROUNDS 10000
/// m: decades of sizes and distances; the last ones are beyond what is answered.
#define LEAST_DECADE (-15.0f)
#define MOST_DECADE 13.0f
#define OBJECT_COUNT 4
#define BODY_COUNT 10

/// Hulls and meshes of several sizes.
typedef struct FarZoo {
    sdHull* hulls[OBJECT_COUNT];
    sdMesh* meshes[OBJECT_COUNT];
    sdCompound* compounds[OBJECT_COUNT];
} FarZoo;

static void FarZoo_Init(FarZoo* zoo) {
    static const float sizes[OBJECT_COUNT] = {1e-6f, 1.0f, 1e5f, 5e11f};
    static const int32_t triangles[] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                        2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    for (int i = 0; i < OBJECT_COUNT; ++i) {
        float s = sizes[i];
        sdVec3 points[] = {{s, 0.0f, 0.0f},  {-s, 0.0f, 0.0f}, {0.0f, s, 0.0f},
                           {0.0f, -s, 0.0f}, {0.0f, 0.0f, s},  {0.0f, 0.0f, -s}};
        sdHullDef hull = sdHullDef_Default();
        hull.points = points;
        hull.pointCount = 6;
        CHECK_INT(sdHull_Create(NULL, &hull, &zoo->hulls[i]), SD_OK);
        sdMeshDef mesh = sdMeshDef_Default();
        mesh.data = (sdMeshData){points, 6, triangles, 8};
        CHECK_INT(sdMesh_Create(NULL, &mesh, &zoo->meshes[i]), SD_OK);
        sdCompoundChild children[] = {{sdShape_Box(s, 0.5f * s, s), sdTransform_Identity()},
                                      {sdShape_Hull(zoo->hulls[i]), TestAt(s, 0.0f, 0.0f)}};
        CHECK_INT(sdCompound_Create(NULL, children, 2, &zoo->compounds[i]), SD_OK);
    }
}

static void FarZoo_Free(FarZoo* zoo) {
    for (int i = 0; i < OBJECT_COUNT; ++i) {
        sdHull_Release(zoo->hulls[i]);
        sdMesh_Release(zoo->meshes[i]);
        sdCompound_Release(zoo->compounds[i]);
    }
}

/// Of any decade, now and then nothing.
static float anySize(TestRandom* random) {
    float decade = TestRandom_Float(random, LEAST_DECADE, MOST_DECADE);
    return TestRandom_Int(random, 12) == 0 ? 0.0f : powf(10.0f, decade);
}

static sdVec3 anyWay(TestRandom* random) {
    return sdScale(anySize(random), TestRandom_OnSphere(random));
}

static sdShape anyConvex(const FarZoo* zoo, TestRandom* random) {
    float a = anySize(random), b = TestRandom_Int(random, 2) == 0 ? a : anySize(random);
    switch (TestRandom_Int(random, 7)) {
        case 0:
            return sdShape_Sphere(a);
        case 1:
            return sdShape_Capsule(a, b);
        case 2:
            return sdShape_Cylinder(a, b);
        case 3:
            return sdShape_Cone(a, b);
        case 4: {
            sdVec3 u = sdScale(a, TestRandom_OnSphere(random));
            sdVec3 v = sdScale(b, TestRandom_OnSphere(random));
            return sdShape_Triangle(u, v, sdScale(a, TestRandom_OnSphere(random)));
        }
        case 5:
            return sdShape_Hull(zoo->hulls[TestRandom_Int(random, OBJECT_COUNT)]);
        default:
            return sdShape_Box(a, b, anySize(random));
    }
}

static sdShape anyShape(const FarZoo* zoo, TestRandom* random) {
    switch (TestRandom_Int(random, 8)) {
        case 0:
            return sdShape_HalfSpace();
        case 1:
            return sdShape_Mesh(zoo->meshes[TestRandom_Int(random, OBJECT_COUNT)]);
        case 2:
            return sdShape_Compound(zoo->compounds[TestRandom_Int(random, OBJECT_COUNT)]);
        default:
            return anyConvex(zoo, random);
    }
}

static bool isUnit(sdVec3 v) {
    return fabsf(sdLength(v) - 1.0f) < 1e-3f;
}

/// Whether the fraction lies on the way and the rest are numbers.
static bool isHit(float fraction, sdVec3 point, sdVec3 normal) {
    return fraction >= 0.0f && fraction <= 1.0f && sdVec3_IsFinite(point) && isUnit(normal);
}

static bool castsAreNumbers(const sdShape* a, const sdShape* b, sdTransform xf, TestRandom* random,
                            int* hits) {
    sdVec3 way = TestRandom_Int(random, 2) == 0 ? sdScale(-2.0f, xf.p) : anyWay(random);
    sdRayHit ray = sdRaycast(a, xf.p, way);
    sdCastHit cast = sdShapeCast(a, b, xf, way);
    sdToiInput input = {.a = a, .b = b, .subStepCount = 4};
    input.sweepA.start = sdTransform_Identity();
    input.sweepB = (sdSweep){.start = xf, .translation = way, .rotation = anyWay(random)};
    input.method = (sdToiMethod)TestRandom_Int(random, 4);
    sdToiResult impact = sdTimeOfImpact(&input);
    bool isImpact = impact.state == SD_TOI_HIT || impact.state == SD_TOI_OVERLAPPED;
    // the swept volume says no more than that they may meet
    bool hasPoint = isImpact && input.method != SD_TOI_SWEPT_VOLUME;
    *hits += ray.isHit + cast.isHit + hasPoint;
    return CHECK(!ray.isHit || isHit(ray.fraction, ray.point, ray.normal)) &&
           CHECK(!cast.isHit || isHit(cast.fraction, cast.point, cast.normal)) &&
           CHECK(impact.time >= 0.0f && impact.time <= 1.0f) &&
           CHECK(!hasPoint || isHit(impact.time, impact.point, impact.normal));
}

SD_TEST(far_casts_of_any_size_give_numbers) {
    FarZoo zoo;
    FarZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(71);
    int hits = 0, rounds = TestRounds(ROUNDS);
    for (int i = 0; i < rounds; ++i) {
        sdShape a = anyShape(&zoo, &random), b = anyShape(&zoo, &random);
        sdTransform xf = {anyWay(&random), TestRandom_Rotation(&random)};
        if (!castsAreNumbers(&a, &b, xf, &random, &hits)) {
            sdTest_Print("round %d: shapes %d and %d, %g m apart", i, a.type, b.type,
                         (double)sdLength(xf.p));
            break;
        }
    }
    sdTest_Print("%d rounds, %d hits", rounds, hits);
    CHECK(hits > rounds / 4);
    FarZoo_Free(&zoo);
}

// ---- in a world ----------------------------------------------------------------------------

static sdPos anyPlace(TestRandom* random) {
    sdVec3 p = anyWay(random);
    return sdPos_Make((double)p.x, (double)p.y, (double)p.z);
}

static sdWorld* makeFarWorld(const sdContext* context, const FarZoo* zoo, TestRandom* random) {
    sdWorld* world = NULL;
    CHECK_INT(sdWorld_Create(context, NULL, &world), SD_OK);
    for (int i = 0; i < BODY_COUNT; ++i) {
        sdBodyDef def = sdBodyDef_Default();
        def.position = anyPlace(random);
        def.rotation = TestRandom_Rotation(random);
        sdShapeDef shape = sdShapeDef_Default(anyShape(zoo, random));
        sdBodyId body;
        // beyond the limits they are refused, with words
        if (sdBody_Create(world, &def, &body) == SD_OK) {
            sdBody_AddShape(world, body, &shape, NULL);
        }
    }
    return world;
}

static bool isWorldHit(sdResult result, const sdQueryHit* hit, int* hits) {
    bool isHit = result == SD_OK && hit->body != SD_NULL_BODY;
    *hits += isHit;
    // what a point is in has no direction to it
    return !isHit ||
           (hit->fraction >= 0.0f && hit->fraction <= 1.0f && isfinite(hit->distance) &&
            sdPos_IsFinite(hit->point) && (isUnit(hit->normal) || sdLength(hit->normal) == 0.0f));
}

static bool answersAreNumbers(const sdWorld* world, const FarZoo* zoo, TestRandom* random,
                              int* hits) {
    sdRay ray = {anyPlace(random), anyWay(random)};
    if (TestRandom_Int(random, 2) == 0) {
        ray.translation = sdPos_Sub(sdPos_Make(0.0, 0.0, 0.0), ray.origin);
    }
    sdPlacedShape placed = {.shape = anyConvex(zoo, random)};
    placed.xf = (sdWorldTransform){ray.origin, TestRandom_Rotation(random)};
    sdQueryHit hit, list[4];
    int count = 0;
    sdResult result = sdWorld_Raycast(world, &ray, NULL, &hit);
    bool isRight = CHECK(isWorldHit(result, &hit, hits));
    result = sdWorld_ShapeCast(world, &placed, ray.translation, NULL, &hit);
    isRight = isRight && CHECK(isWorldHit(result, &hit, hits));
    result = sdWorld_FindNearest(world, ray.origin, 1e12f, NULL, &hit);
    isRight = isRight && CHECK(isWorldHit(result, &hit, hits));
    result = sdWorld_OverlapAll(world, &placed, NULL, list, 4, &count);
    for (int i = 0; result == SD_OK && i < sdMinI(count, 4); ++i) {
        isRight = isRight && CHECK(isWorldHit(result, &list[i], hits));
    }
    return isRight;
}

SD_TEST(far_queries_of_a_world_give_numbers) {
    TestContext test;
    TestContext_Init(&test);
    FarZoo zoo;
    FarZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(72);
    int hits = 0, worlds = TestRounds(ROUNDS / 20);
    bool isRight = true;
    for (int i = 0; i < worlds && isRight; ++i) {
        sdWorld* world = makeFarWorld(&test.context, &zoo, &random);
        for (int k = 0; k < 20 && isRight; ++k) {
            isRight = answersAreNumbers(world, &zoo, &random, &hits);
        }
        sdWorld_Destroy(world);
    }
    sdTest_Print("%d worlds, %d hits", worlds, hits);
    CHECK(hits > worlds);
    FarZoo_Free(&zoo);
    TestContext_Finish(&test);
}
