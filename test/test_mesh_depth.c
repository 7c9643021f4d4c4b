// SPDX-License-Identifier: MIT
// The yardstick of penetration (scenes/mesh_depth.h): boxes, balls and rings with known depths.

#include "mesh_support.h"

#include "mesh_depth.h"
#include "world_support.h"

#include "sudar/models.h"

#define TOLERANCE 1e-4f

static float depthOf(const sdMesh* a, const sdMesh* b, sdTransform xfAB) {
    sdShape shapeA = sdShape_Mesh(a), shapeB = sdShape_Mesh(b);
    float depth = sdMeshDepth_OfPair(&shapeA, &shapeB, xfAB, 0.0f, TOLERANCE, NULL);
    // a pair is as deep as itself, the other way round
    float back = sdMeshDepth_OfPair(&shapeB, &shapeA, sdInvertXf(xfAB), 0.0f, TOLERANCE, NULL);
    CHECK_NEAR(depth, back, 2.0f * TOLERANCE);
    return depth;
}

SD_TEST(meshdepth_of_boxes) {
    sdMesh* box = NULL;
    REQUIRE(sdModel_Create(NULL, SD_MODEL_BOX, 1.0f, &box) == SD_OK);
    // face in face: no corner of either is inside the other, corners of the smaller contact are
    CHECK_NEAR(depthOf(box, box, TestAt(0.3f, 0.95f, 0.2f)), 0.05f, TOLERANCE);
    CHECK_NEAR(depthOf(box, box, TestAt(0.3f, 1.05f, 0.2f)), 0.0f, 0.0f);
    // a corner, upside down
    sdQuat onCorner =
        sdQuat_Between(sdV3(0.57735027f, 0.57735027f, 0.57735027f), sdV3(0.0f, -1.0f, 0.0f));
    float reach = 0.5f + 0.8660254f;
    sdTransform xf = sdTransform_Make(sdV3(0.0f, reach - 0.1f, 0.0f), onCorner);
    CHECK_NEAR(depthOf(box, box, xf), 0.1f, TOLERANCE);
    // two edges crosswise, no corner anywhere near: only points inside of edges are deep. Along
    // (1, 1, 0) / sqrt(2) the wedges overlap by d; the middle of each edge is d / sqrt(2) from both
    // faces of the other
    sdQuat eighth = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), 0.78539816f);
    sdQuat quarter = sdQuat_FromAxisAngle(sdV3(0.0f, 1.0f, 0.0f), 1.57079633f);
    sdTransform lower = sdTransform_Make(sdV3(0.0f, 0.0f, 0.0f), eighth);
    sdTransform upper =
        sdTransform_Make(sdV3(0.0f, 1.41421356f - 0.06f, 0.0f), sdMulQ(quarter, eighth));
    CHECK_NEAR(depthOf(box, box, sdInvMulXf(lower, upper)), 0.06f * 0.70710678f, 2.0f * TOLERANCE);
    sdMesh_Release(box);
}

SD_TEST(meshdepth_of_balls) {
    sdMesh* ball = NULL;
    REQUIRE(sdModel_Create(NULL, SD_MODEL_SPHERE, 1.0f, &ball) == SD_OK);
    TestRandom random = TestRandom_Make(7);
    for (int i = 0; i < 8; ++i) {
        float depth = TestRandom_Float(&random, 0.02f, 0.4f);
        sdTransform xf = sdTransform_Make(sdScale(1.0f - depth, TestRandom_OnSphere(&random)),
                                          TestRandom_Rotation(&random));
        // polyhedra: up to 0.3 % of the radius smaller than balls
        CHECK_NEAR(depthOf(ball, ball, xf), depth, 0.004f);
    }
    sdMesh_Release(ball);
}

/// Two links of a chain whose tubes cross by a known depth.
SD_TEST(meshdepth_of_rings_in_each_other) {
    const float major = 0.4f, minor = 0.1f;
    sdMesh* ring = NULL;
    REQUIRE(sdModel_CreateTorus(NULL, major, minor, 96, 48, &ring) == SD_OK);
    sdQuat quarter = sdQuat_FromAxisAngle(sdV3(1.0f, 0.0f, 0.0f), 1.57079633f);
    // linked: each middle is on the other's middle line, nothing touches
    CHECK_NEAR(depthOf(ring, ring, sdTransform_Make(sdV3(major, 0.0f, 0.0f), quarter)), 0.0f, 0.0f);
    // drawn apart until the inner sides overlap by 0.04
    float apart = 2.0f * major - 2.0f * minor + 0.04f;
    sdTransform xf = sdTransform_Make(sdV3(apart, 0.0f, 0.0f), quarter);
    // a point of one inner side is nearest to the other's, which bends away from it both ways
    CHECK_NEAR(depthOf(ring, ring, xf), 0.04f, 0.003f);
    sdMesh_Release(ring);
}

/// Random pairs against samples that are thrown at the surfaces.
SD_TEST(meshdepth_is_no_less_than_samples_say) {
    sdMesh *skull = NULL, *bone = NULL;
    REQUIRE(sdModel_Create(NULL, SD_MODEL_SKULL, 1.0f, &skull) == SD_OK);
    REQUIRE(sdModel_Create(NULL, SD_MODEL_BONE, 1.0f, &bone) == SD_OK);
    TestRandom random = TestRandom_Make(11);
    sdMeshData data = sdMesh_GetData(bone);
    int deepCount = 0;
    for (int i = 0; i < 10; ++i) {
        sdTransform xf =
            sdTransform_Make(TestRandom_InBox(&random, 0.5f), TestRandom_Rotation(&random));
        float depth = depthOf(skull, bone, xf), sampled = 0.0f;
        for (int k = 0; k < 1000; ++k) {
            const int32_t* t = &data.triangles[3 * TestRandom_Int(&random, data.triangleCount)];
            float u = TestRandom_Float(&random, 0.0f, 1.0f);
            float v = TestRandom_Float(&random, 0.0f, 1.0f - u);
            sdVec3 a = data.vertices[t[0]];
            sdVec3 p = sdMulAdd(sdMulAdd(a, u, sdSub(data.vertices[t[1]], a)), v,
                                sdSub(data.vertices[t[2]], a));
            sampled = sdMaxF(sampled, -sdMesh_SignedDistance(skull, sdTransformPoint(xf, p)));
        }
        CHECK(depth >= sampled - TOLERANCE);
        deepCount += depth > 0.01f ? 1 : 0;
    }
    CHECK(deepCount >= 3);
    sdMesh_Release(skull);
    sdMesh_Release(bone);
}

SD_TEST(meshdepth_of_a_world) {
    sdMesh* box = NULL;
    REQUIRE(sdModel_Create(NULL, SD_MODEL_BOX, 1.0f, &box) == SD_OK);
    sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
    REQUIRE(world != NULL);
    TestWorld_AddFloor(world, TestWorld_Friction(0.5f));
    sdShapeDef solid = sdShapeDef_Default(sdShape_Mesh(box));
    sdQuat q = sdQuat_Identity();
    sdBodyId fixed = TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(3.0, 0.2, 0.0), q, solid);
    sdBodyId small = TestWorld_AddDynamic(world, sdPos_Make(3.0, 0.85, 0.3), TestWorld_BoxOf(0.2f));
    TestWorld_AddDynamic(world, sdPos_Make(-3.0, 0.45, 0.0), TestWorld_BoxOf(0.5f));
    TestWorld_AddDynamic(world, sdPos_Make(-3.0, 2.0, 0.0),
                         sdShapeDef_Default(sdShape_Sphere(1.2f)));
    sdWorldDepth depth;
    REQUIRE(sdMeshDepth_OfWorld(world, NULL, 0.02f, 1e-3f, &depth));
    // 5 cm of 1 m in the floor, 5 cm of 40 cm in the fixed box
    CHECK_NEAR(depth.depth, 0.05f, 1e-3f);
    CHECK_NEAR(depth.ratio, 0.125f, 2e-3f);
    CHECK(depth.bodyA == fixed && depth.bodyB == small);
    CHECK_INT(depth.deepCount, 2);
    // two with the sphere: floor and box are below it
    CHECK_INT(depth.unknownCount, 2);
    sdWorld_Destroy(world);
    sdMesh_Release(box);
}
