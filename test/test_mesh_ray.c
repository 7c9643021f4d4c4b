// SPDX-License-Identifier: MIT
// test_mesh_ray.c - segments against a mesh's triangles: brute force, watertight edges, details.

#include "geometry/mesh.h"
#include "math/vec3d.h"
#include "mesh_support.h"

/// First hit by the definition, in double precision.
/// @param margin receives how far, as a fraction of the triangle, the decision was from changing
static int slowRaycast(const TestMesh* data, sdVec3 origin, sdVec3 step, double* fraction,
                       double* margin) {
    sdVec3d o = sdVec3d_From(origin), d = sdVec3d_From(step);
    int best = SD_NULL_INDEX;
    *fraction = 1.0;
    *margin = 1.0;
    for (int i = 0; i < data->triangleCount; ++i) {
        sdVec3d a = sdVec3d_From(TestMesh_Corner(data, i, 0));
        sdVec3d ab = sdSubD(sdVec3d_From(TestMesh_Corner(data, i, 1)), a);
        sdVec3d ac = sdSubD(sdVec3d_From(TestMesh_Corner(data, i, 2)), a);
        sdVec3d n = sdCrossD(ab, ac);
        double det = sdDotD(n, d);
        sdVec3d oa = sdSubD(a, o);
        sdVec3d e = sdCrossD(d, oa);
        double t = sdDotD(n, oa) / det;
        double v = -sdDotD(ac, e) / det;
        double w = sdDotD(ab, e) / det;
        double inside = fmin(fmin(v, w), fmin(1.0 - v - w, fmin(t, 1.0 - t)));
        if (det != 0.0) {
            *margin = fmin(*margin, fabs(inside));
        }
        if (det != 0.0 && inside >= 0.0 && t <= *fraction) {
            *fraction = t;
            best = i;
        }
    }
    return best;
}

SD_TEST(mesh_query_raycast_matches_brute_force) {
    TestRandom random = TestRandom_Make(30);
    TestContext test;
    TestContext_Init(&test);
    const float scales[] = {1e-6f, 1.0f, 1e6f};
    int hitCount = 0;
    for (int k = 0; k < 3; ++k) {
        float size = scales[k];
        TestMesh mesh = TestMesh_Soup(&random, 400, size, 0.2f * size, sdV3(0.0f, 0.0f, 0.0f));
        sdMeshBvh bvh;
        sdMeshData data = TestMesh_Data(&mesh);
        REQUIRE(sdMeshBvh_Build(&test.context, &data, &bvh) == SD_OK);
        for (int i = 0; i < 2000; ++i) {
            sdVec3 origin = TestRandom_InBox(&random, (i % 4 == 0 ? 20.0f : 2.0f) * size);
            sdVec3 step = sdSub(TestRandom_InBox(&random, size), origin);
            if (i % 5 == 0) {
                step =
                    sdScale(3.0f * size, i % 2 ? sdV3(0.0f, 1.0f, 0.0f) : sdV3(0.0f, 0.0f, -1.0f));
            }
            float fraction;
            double exact, margin;
            int fast = sdMeshBvh_Raycast(&bvh, origin, step, &fraction);
            int slow = slowRaycast(&mesh, origin, step, &exact, &margin);
            if (margin > 1e-4) {
                CHECK_INT(fast, slow);
                CHECK_NEAR(fraction, exact, 1e-5);
            }
            hitCount += fast != SD_NULL_INDEX;
        }
        sdMeshBvh_Free(&test.context.allocator, &bvh);
        TestMesh_Free(&mesh);
    }
    CHECK(hitCount > 1000);
    TestContext_Finish(&test);
}

static void checkWatertight(const TestMesh* data, sdVec3 inside, float spread, uint64_t seed) {
    TestContext test;
    TestContext_Init(&test);
    sdMeshBvh bvh;
    sdMeshData view = TestMesh_Data(data);
    REQUIRE(sdMeshBvh_Build(&test.context, &view, &bvh) == SD_OK);
    TestRandom random = TestRandom_Make(seed);
    for (int i = 0; i < 50000; ++i) {
        int t = TestRandom_Int(&random, data->triangleCount);
        sdVec3 a = TestMesh_Corner(data, t, 0), b = TestMesh_Corner(data, t, 1),
               c = TestMesh_Corner(data, t, 2);
        sdVec3 targets[4] = {a, sdLerp(a, b, 0.5f), sdLerp(a, b, TestRandom_Float(&random, 0, 1)),
                             sdScale(1.0f / 3.0f, sdAdd(a, sdAdd(b, c)))};
        sdVec3 origin = sdAdd(inside, TestRandom_InBox(&random, spread));
        // lengths that round, and directions along which coordinates are in common
        float length = TestRandom_Float(&random, 3.0f, 100.0f);
        sdVec3 step = sdScale(length, sdSub(targets[i % 4], origin));
        if (i % 16 < 4) {
            origin = inside;
            step = sdScale(i % 3 == 0 ? 4.0f : length, sdSub(targets[i % 4], origin));
        }
        float fraction;
        int hit = sdMeshBvh_Raycast(&bvh, origin, step, &fraction);
        CHECK(hit != SD_NULL_INDEX);
        CHECK(fraction * sdLength(step) < 3.0f);
    }
    sdMeshBvh_Free(&test.context.allocator, &bvh);
    TestContext_Finish(&test);
}

SD_TEST(mesh_query_raycast_is_watertight) {
    TestMesh star = TestMesh_Hills(40, 30, 0.2);
    checkWatertight(&star, sdV3(0.0f, 0.0f, 0.0f), 0.5f, 31);
    TestMesh_Free(&star);
    TestMesh diamond = TestMesh_Hills(4, 2, 0.0);
    checkWatertight(&diamond, sdV3(0.0f, 0.0f, 0.0f), 0.2f, 32);
    TestMesh_Free(&diamond);
    // slivers: edges along the rays, needles at the poles
    TestMesh slivers = TestMesh_Hills(1000, 3, 0.0);
    checkWatertight(&slivers, sdV3(0.0f, 0.0f, 0.0f), 0.05f, 33);
    TestMesh_Free(&slivers);
}

SD_TEST(mesh_query_raycast_details) {
    TestMesh data = TestMesh_Hills(4, 2, 0.0);
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh = TestMesh_Build(&test.context, &data);
    sdMeshHit hit = sdMesh_Raycast(mesh, sdV3(0.25f, 0.25f, 2.0f), sdV3(0.0f, 0.0f, -2.0f));
    REQUIRE(hit.triangle != SD_NULL_INDEX);
    CHECK_NEAR(hit.fraction, 0.75, 1e-6);
    CHECK_NEAR(hit.point.z, 0.5, 1e-6);
    CHECK_NEAR(hit.normal.x, 0.57735, 1e-4);
    CHECK_NEAR(hit.normal.z, 0.57735, 1e-4);
    // from inside the back is hit, and the normal still points outwards
    hit = sdMesh_Raycast(mesh, sdV3(0.25f, 0.25f, 0.0f), sdV3(0.0f, 0.0f, 4.0f));
    CHECK_NEAR(hit.fraction, 0.125, 1e-6);
    CHECK_NEAR(hit.normal.z, 0.57735, 1e-4);
    // too short, beside, no length, no number, no mesh
    CHECK_INT(sdMesh_Raycast(mesh, sdV3(0.2f, 0.2f, 2.0f), sdV3(0.0f, 0.0f, -1.0f)).triangle, -1);
    CHECK_INT(sdMesh_Raycast(mesh, sdV3(2.0f, 0.2f, 2.0f), sdV3(0.0f, 0.0f, -9.0f)).triangle, -1);
    CHECK_INT(sdMesh_Raycast(mesh, sdV3(0.0f, 0.0f, 0.0f), sdV3(0.0f, 0.0f, 0.0f)).triangle, -1);
    CHECK_INT(sdMesh_Raycast(mesh, sdV3(0.0f, TestNaN(), 0.0f), sdV3(0.0f, 9.0f, 0.0f)).triangle,
              -1);
    CHECK_INT(
        sdMesh_Raycast(mesh, sdV3(0.0f, 0.0f, 0.0f), sdV3(0.0f, TestInfinity(), 0.0f)).triangle,
        -1);
    CHECK_INT(sdMesh_Raycast(NULL, sdV3(0.0f, 0.0f, 0.0f), sdV3(0.0f, 9.0f, 0.0f)).triangle, -1);
    CHECK_INT(sdMesh_ClosestPoint(NULL, sdV3(0.0f, 0.0f, 0.0f), 1.0f).triangle, -1);
    sdVec3 above = {0.0f, 0.0f, 2.0f};
    sdMeshPoint points[2] = {{{0.0f, 0.0f, 0.0f}, 0.0f, 7, SD_REGION_FACE}};
    sdMesh_ClosestPoints(NULL, &above, 1, 1.0f, points);
    CHECK_INT(points[0].triangle, -1);
    sdMesh_ClosestPoints(mesh, &above, 1, 1.0f, points);
    CHECK(points[0].triangle >= 0 && points[0].distance == 1.0f);
    CHECK(points[0].region >= SD_REGION_VERTEX_A);
    CHECK(!sdMesh_ContainsByParity(NULL, sdV3(0.0f, 0.0f, 0.0f)));
    CHECK(!sdMesh_ContainsByParity(mesh, sdV3(TestNaN(), 0.0f, 0.0f)));
    CHECK(sdMesh_SignedDistance(mesh, sdV3(TestNaN(), 0.0f, 0.0f)) == FLT_MAX);
    sdMesh_Release(mesh);
    TestMesh_Free(&data);
    TestContext_Finish(&test);
}
