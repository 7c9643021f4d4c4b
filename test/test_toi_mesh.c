// SPDX-License-Identifier: MIT
// test_toi_mesh.c - rays, casts and times of impact of meshes, compounds and half-spaces.

#include "mesh_support.h"
#include "narrow/collide_mesh.h"
#include "shape_zoo.h"
#include "support.h"

enum { RING, STAR, PARTS, FLOOR, BODY_COUNT };

typedef struct Bodies {
    ShapeZoo zoo;
    sdMesh* ring;
    sdMesh* star;
    sdCompound* parts;
    sdShape shapes[BODY_COUNT];
} Bodies;

static void Bodies_Init(Bodies* bodies) {
    ShapeZoo_Init(&bodies->zoo);
    const sdContext* context = &bodies->zoo.test.context;
    TestRandom random = TestRandom_Make(21);
    CHECK_INT(sdModel_Create(context, SD_MODEL_RING, 1.0f, &bodies->ring), SD_OK);
    CHECK_INT(sdModel_Create(context, SD_MODEL_STAR, 1.0f, &bodies->star), SD_OK);
    const sdCompoundChild children[3] = {
        {sdShape_Box(0.1f, 0.6f, 0.2f), TestRandom_Pose(&random, 0.5f)},
        {sdShape_Capsule(0.4f, 0.1f), TestRandom_Pose(&random, 0.5f)},
        {sdShape_Mesh(bodies->star), TestRandom_Pose(&random, 0.5f)},
    };
    CHECK_INT(sdCompound_Create(context, children, 3, &bodies->parts), SD_OK);
    bodies->shapes[RING] = sdShape_Mesh(bodies->ring);
    bodies->shapes[STAR] = sdShape_Mesh(bodies->star);
    bodies->shapes[PARTS] = sdShape_Compound(bodies->parts);
    bodies->shapes[FLOOR] = sdShape_HalfSpace();
}

static void Bodies_Free(Bodies* bodies) {
    sdCompound_Release(bodies->parts);
    sdMesh_Release(bodies->star);
    sdMesh_Release(bodies->ring);
    ShapeZoo_Free(&bodies->zoo);
}

static sdTransform relativeAt(const sdToiInput* input, double t) {
    return sdInvMulXf(sdSweep_Pose(&input->sweepA, (float)t),
                      sdSweep_Pose(&input->sweepB, (float)t));
}

static double depthAt(const sdToiInput* input, double t) {
    sdTransform xf = relativeAt(input, t);
    return (double)sdMeshPair_Separation(input->a, input->b, xf, true).separation;
}

static sdToiInput randomInput(TestRandom* random, const sdShape* a, const sdShape* b) {
    sdToiInput input = {.a = a, .b = b};
    sdSweep* sweeps[2] = {&input.sweepA, &input.sweepB};
    for (int i = 0; i < 2; ++i) {
        sweeps[i]->start = TestRandom_Pose(random, 2.0f);
        sweeps[i]->translation = TestRandom_InBox(random, 1.0f);
        sweeps[i]->rotation = TestRandom_InBox(random, 2.0f);
        sweeps[i]->center = TestRandom_InBox(random, 0.2f);
    }
    sdVec3 way = sdSub(input.sweepA.start.p, input.sweepB.start.p);
    sdVec3 met = sdAdd(input.sweepA.translation, way);
    input.sweepB.translation = sdAdd(met, TestRandom_InBox(random, 0.7f));
    return input;
}

typedef struct Tally {
    int hits, separated, overlapped, limits, late, early;
} Tally;

static void checkInput(const sdToiInput* input, Tally* tally) {
    sdToiResult r = sdTimeOfImpact(input);
    CHECK(r.status != SD_STATUS_INVALID);
    tally->limits += r.status == SD_STATUS_LIMIT ? 1 : 0;
    tally->hits += r.state == SD_TOI_HIT ? 1 : 0;
    tally->separated += r.state == SD_TOI_SEPARATED ? 1 : 0;
    tally->overlapped += r.state == SD_TOI_OVERLAPPED ? 1 : 0;
    if (r.state == SD_TOI_OVERLAPPED) {
        tally->early += depthAt(input, 0.0) > 1e-5 ? 1 : 0;
        return;
    }
    for (int i = 0; i < 30; ++i) {
        double t = (double)r.time * (double)i / 30.0;
        if (sdMeshPair_Overlap(input->a, input->b, relativeAt(input, t)).isOverlapping &&
            depthAt(input, t) < -1e-5) {
            tally->late += 1;
            break;
        }
    }
    if (r.state == SD_TOI_HIT) {
        CHECK_NEAR(sdLength(r.normal), 1.0, 1e-4);
        tally->early += depthAt(input, (double)r.time) > 2e-4 ? 1 : 0;
    }
}

static void printTally(const char* name, const Tally* tally) {
    sdTest_Print("%s: %d hits, %d separated, %d overlapped; %d late, %d early, %d at the limit",
                 name, tally->hits, tally->separated, tally->overlapped, tally->late, tally->early,
                 tally->limits);
    CHECK_INT(tally->late + tally->early + tally->limits, 0);
}

SD_TEST(toi_meshes_compounds_and_floors_are_never_late) {
    Bodies bodies;
    Bodies_Init(&bodies);
    TestRandom random = TestRandom_Make(22);
    int count = TestRounds(100);
    for (int kind = 0; kind < BODY_COUNT; ++kind) {
        Tally tally = {0};
        for (int i = 0; i < count; ++i) {
            sdShape convex = ShapeZoo_Pick(&bodies.zoo, &random);
            bool isFirst = i % 2 == 0;
            const sdShape* shape = &bodies.shapes[kind];
            sdToiInput input =
                randomInput(&random, isFirst ? shape : &convex, isFirst ? &convex : shape);
            if (kind == FLOOR && i % 4 < 2) {
                input.sweepA.rotation = isFirst ? sdV3(0.0f, 0.0f, 0.0f) : input.sweepA.rotation;
                input.sweepB.rotation = isFirst ? input.sweepB.rotation : sdV3(0.0f, 0.0f, 0.0f);
            }
            checkInput(&input, &tally);
        }
        printTally(sdShapeType_Name(bodies.shapes[kind].type), &tally);
        CHECK(tally.hits > count / 20);
    }
    Bodies_Free(&bodies);
}

SD_TEST(toi_of_two_bodies_that_are_not_convex) {
    Bodies bodies;
    Bodies_Init(&bodies);
    TestRandom random = TestRandom_Make(23);
    Tally tally = {0};
    for (int i = 0; i < TestRounds(60); ++i) {
        int a = TestRandom_Int(&random, BODY_COUNT), b = TestRandom_Int(&random, BODY_COUNT - 1);
        sdToiInput input = randomInput(&random, &bodies.shapes[a], &bodies.shapes[b]);
        checkInput(&input, &tally);
    }
    printTally("both", &tally);
    CHECK(tally.hits > TestRounds(10) / 2);
    sdToiInput floors = randomInput(&random, &bodies.shapes[FLOOR], &bodies.shapes[FLOOR]);
    CHECK_INT(sdTimeOfImpact(&floors).status, SD_STATUS_INVALID);
    Bodies_Free(&bodies);
}

SD_TEST(toi_other_methods_take_every_pair) {
    Bodies bodies;
    Bodies_Init(&bodies);
    TestRandom random = TestRandom_Make(24);
    int wrong = 0, limits = 0;
    for (int i = 0; i < 40; ++i) {
        sdShape ball = sdShape_Sphere(0.3f);
        sdToiInput input = randomInput(&random, &bodies.shapes[i % BODY_COUNT], &ball);
        sdToiResult exact = sdTimeOfImpact(&input);
        input.method = SD_TOI_SWEPT_VOLUME;
        sdToiResult swept = sdTimeOfImpact(&input);
        wrong += exact.state != SD_TOI_SEPARATED && swept.state == SD_TOI_SEPARATED ? 1 : 0;
        input.method = SD_TOI_BISECTION;
        sdToiResult bisected = sdTimeOfImpact(&input);
        limits += bisected.status == SD_STATUS_LIMIT ? 1 : 0;
        input.method = SD_TOI_SUBSTEPS;
        input.subStepCount = 200;
        sdToiResult stepped = sdTimeOfImpact(&input);
        const sdToiResult* others[2] = {&bisected, &stepped};
        for (int k = 0; k < 2; ++k) {
            if (others[k]->state == exact.state && exact.state != SD_TOI_HIT) {
                continue;
            }
            double t = (double)sdMinF(exact.time, others[k]->time);
            wrong += depthAt(&input, t) < 2e-4 || others[k]->status == SD_STATUS_LIMIT ? 0 : 1;
        }
    }
    sdTest_Print("%d wrong, %d at the limit of bisection", wrong, limits);
    CHECK_INT(wrong, 0);
    Bodies_Free(&bodies);
}

SD_TEST(toi_bullet_does_not_pass_the_wall_of_a_mesh) {
    Bodies bodies;
    Bodies_Init(&bodies);
    sdShape bullet = sdShape_Sphere(0.01f), rod = sdShape_Capsule(0.05f, 0.005f);
    TestRandom random = TestRandom_Make(25);
    int passed = 0;
    for (int i = 0; i < 200; ++i) {
        // through the star's middle at two kilometres a second and 60 steps
        sdVec3 way = sdScale(33.0f, TestRandom_OnSphere(&random));
        sdToiInput input = {.a = &bodies.shapes[STAR], .b = i % 2 == 0 ? &bullet : &rod};
        input.sweepA.start = sdTransform_Identity();
        input.sweepB.start = sdTransform_Make(sdScale(-0.5f, way), TestRandom_Rotation(&random));
        input.sweepB.translation = way;
        input.sweepB.rotation = TestRandom_InBox(&random, 50.0f);
        passed += sdTimeOfImpact(&input).state == SD_TOI_HIT ? 0 : 1;
    }
    CHECK_INT(passed, 0);
    Bodies_Free(&bodies);
}

/// A field of bumps: so many metres square, two triangles to a square metre.
static sdMesh* makeTerrain(const sdContext* context, int size) {
    TestMesh mesh = {0};
    TestRandom random = TestRandom_Make(27);
    int side = size + 1;
    for (int i = 0; i < side * side; ++i) {
        double height = (double)TestRandom_Float(&random, -0.2f, 0.2f);
        TestMesh_AddVertex(&mesh, i % side - 0.5 * size, height, i / side - 0.5 * size);
    }
    for (int i = 0; i < size * size; ++i) {
        int v = i / size * side + i % size;
        TestMesh_AddTriangle(&mesh, v, v + side, v + 1);
        TestMesh_AddTriangle(&mesh, v + 1, v + side, v + side + 1);
    }
    sdMeshDef def = TestMesh_Def(&mesh);
    sdMesh* terrain = TestMesh_Create(context, &def);
    TestMesh_Free(&mesh);
    return terrain;
}

SD_TEST(toi_long_way_over_a_large_mesh_costs_what_it_meets) {
    TestContext test;
    TestContext_Init(&test);
    int iterations[2] = {0};
    for (int k = 0; k < 2; ++k) {
        int size = k == 0 ? 60 : 240;
        sdMesh* terrain = makeTerrain(&test.context, size);
        REQUIRE(terrain != NULL);
        sdShape ground = sdShape_Mesh(terrain), box = sdShape_Box(0.2f, 0.1f, 0.3f);
        TestRandom random = TestRandom_Make(28);
        int hits = 0, late = 0;
        for (int i = 0; i < 60; ++i) {
            // slanting down over fifty metres, turning; half of them only skim the bumps
            sdToiInput input = {.a = &ground, .b = &box};
            input.sweepA.start = sdTransform_Identity();
            input.sweepB.start = TestRandom_Pose(&random, 2.0f);
            input.sweepB.start.p.x -= 25.0f;
            input.sweepB.start.p.y = 1.5f;
            input.sweepB.translation = sdV3(50.0f, i % 2 == 0 ? -2.5f : -0.9f, 0.0f);
            input.sweepB.rotation = TestRandom_InBox(&random, 6.0f);
            sdToiResult r = sdTimeOfImpact(&input);
            iterations[k] += r.iterations;
            hits += r.state == SD_TOI_HIT;
            CHECK(r.status != SD_STATUS_INVALID && r.status != SD_STATUS_LIMIT);
            for (int j = 0; j < 200; ++j) {
                double t = (double)r.time * (double)j / 200.0;
                late += sdMeshPair_Overlap(&ground, &box, relativeAt(&input, t)).isOverlapping;
            }
            late += r.state == SD_TOI_HIT && fabs(depthAt(&input, (double)r.time)) > 2e-4;
        }
        sdTest_Print("%d triangles: %d hits, %d late or early, %d iterations a sweep",
                     2 * size * size, hits, late, iterations[k] / 60);
        CHECK(hits >= 30);
        CHECK_INT(late, 0);
        sdMesh_Release(terrain);
    }
    // sixteen times as much mesh that is not met
    CHECK(iterations[1] < iterations[0] + iterations[0] / 4);
    TestContext_Finish(&test);
}

SD_TEST(ray_and_cast_take_every_shape) {
    Bodies bodies;
    Bodies_Init(&bodies);
    TestRandom random = TestRandom_Make(26);
    sdShape point = sdShape_Sphere(0.0f);
    int wrong = 0, hits = 0;
    for (int i = 0; i < 800; ++i) {
        const sdShape* shape = &bodies.shapes[i % BODY_COUNT];
        sdVec3 from = TestRandom_InBox(&random, 2.0f);
        sdVec3 way = sdSub(TestRandom_InBox(&random, 0.5f), from);
        sdRayHit ray = sdRaycast(shape, from, way);
        sdTransform xf = sdTransform_Make(from, sdQuat_Identity());
        sdCastHit cast = sdShapeCast(shape, &point, xf, way);
        CHECK(ray.status != SD_STATUS_INVALID && cast.status != SD_STATUS_INVALID);
        double error = (double)(sdAbsF(ray.fraction - cast.fraction) * sdLength(way));
        double slope = (double)sdAbsF(sdDot(cast.normal, sdNormalize(way)));
        hits += ray.isHit ? 1 : 0;
        wrong += ray.isHit && (!cast.isHit || error * slope > 5e-5) ? 1 : 0;
    }
    sdTest_Print("%d hits, %d wrong", hits, wrong);
    CHECK_INT(wrong, 0);
    CHECK(hits > 200);
    Bodies_Free(&bodies);
}
