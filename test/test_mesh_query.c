// SPDX-License-Identifier: MIT
// test_mesh_query.c - queries through the tree over a mesh's triangles, against brute force.

#include "geometry/mesh_bvh.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

/// A mesh that a test owns.
typedef struct TestMesh {
    sdMeshData data;
    sdVec3* vertices;
    int32_t* triangles;
} TestMesh;

static TestMesh makeTestMesh(int vertexCount, int triangleCount) {
    TestMesh mesh = {0};
    mesh.vertices = malloc((size_t)vertexCount * sizeof(sdVec3));
    mesh.triangles = malloc(3 * (size_t)triangleCount * sizeof(int32_t));
    mesh.data = (sdMeshData){mesh.vertices, vertexCount, mesh.triangles, triangleCount};
    return mesh;
}

static void freeTestMesh(TestMesh* mesh) {
    free(mesh->vertices);
    free(mesh->triangles);
}

/// Separate triangles of the given size in a box of half size `reach` around `center`.
static TestMesh makeSoup(TestRandom* random, int count, float reach, float size, sdVec3 center) {
    TestMesh mesh = makeTestMesh(3 * count, count);
    for (int i = 0; i < count; ++i) {
        sdVec3 middle = sdAdd(center, TestRandom_InBox(random, reach));
        for (int k = 0; k < 3; ++k) {
            mesh.vertices[3 * i + k] = sdAdd(middle, TestRandom_InBox(random, size));
            mesh.triangles[3 * i + k] = 3 * i + k;
        }
    }
    return mesh;
}

static sdVec3 cornerOf(const sdMeshData* data, int triangle, int corner) {
    return data->vertices[data->triangles[3 * triangle + corner]];
}

static sdMeshPoint bruteForce(const sdMeshData* data, sdVec3 p, float maxDistance) {
    sdMeshPoint best = {p, 0.0f, SD_NULL_INDEX, SD_REGION_FACE};
    float bestSquared = maxDistance * maxDistance;
    for (int i = 0; i < data->triangleCount; ++i) {
        sdTrianglePoint q = sdClosestPointOnTriangle(p, cornerOf(data, i, 0), cornerOf(data, i, 1),
                                                     cornerOf(data, i, 2));
        if (q.distanceSquared < bestSquared ||
            (q.distanceSquared == bestSquared && best.triangle == SD_NULL_INDEX)) {
            bestSquared = q.distanceSquared;
            best = (sdMeshPoint){q.point, sqrtf(q.distanceSquared), i, q.region};
        }
    }
    return best;
}

static void checkTree(const sdMeshBvh* bvh, const sdMeshData* data) {
    // every triangle is in one leaf, inside all the boxes above it
    int* seen = calloc((size_t)data->triangleCount + 1, sizeof(int));
    int* parents = calloc((size_t)bvh->nodeCount, sizeof(int));
    int leafCount = 0;
    for (int i = 0; i < bvh->nodeCount; ++i) {
        const sdMeshBvhNode* node = bvh->nodes + i;
        for (int lane = 0; lane < SD_LANES; ++lane) {
            int child = node->child[lane];
            if (child == SD_BVH_NO_CHILD) {
                continue;
            }
            if (child >= 0) {
                const sdMeshBvhNode* below = bvh->nodes + child;
                parents[child] += 1;
                for (int k = 0; k < SD_LANES && below->child[k] != SD_BVH_NO_CHILD; ++k) {
                    for (int axis = 0; axis < 3; ++axis) {
                        CHECK(below->lower[axis][k] >= node->lower[axis][lane]);
                        CHECK(below->upper[axis][k] <= node->upper[axis][lane]);
                    }
                }
                continue;
            }
            const sdMeshBvhLeaf* leaf = bvh->leaves + ~child;
            leafCount += 1;
            for (int k = 0; k < SD_LANES; ++k) {
                seen[leaf->triangle[k]] += k == 0 || leaf->triangle[k] != leaf->triangle[k - 1];
                for (int corner = 0; corner < 3; ++corner) {
                    sdVec3 v = sdMeshBvhLeaf_GetCorner(leaf, k, corner);
                    sdVec3 w = cornerOf(data, leaf->triangle[k], corner);
                    CHECK(memcmp(&v, &w, sizeof v) == 0);
                    CHECK(v.x >= node->lower[0][lane] && v.x <= node->upper[0][lane]);
                    CHECK(v.y >= node->lower[1][lane] && v.y <= node->upper[1][lane]);
                    CHECK(v.z >= node->lower[2][lane] && v.z <= node->upper[2][lane]);
                }
            }
        }
    }
    CHECK_INT(leafCount, bvh->leafCount);
    for (int i = 1; i < bvh->nodeCount; ++i) {
        CHECK_INT(parents[i], 1);
    }
    for (int i = 0; i < data->triangleCount; ++i) {
        CHECK_INT(seen[i], 1);
    }
    free(seen);
    free(parents);
}

/// @param size of the coordinates, for the tolerance
static void checkClosest(const sdMeshData* data, const sdMeshBvh* bvh, sdVec3 p, float size,
                         float maxDistance) {
    sdMeshPoint fast = sdMeshBvh_ClosestPoint(bvh, p, maxDistance);
    sdMeshPoint slow = bruteForce(data, p, maxDistance);
    // rounding can choose another triangle that is as near
    float tolerance = 1e-6f * (size + slow.distance);
    bool isAtBound = fabsf(slow.distance - maxDistance) < tolerance;
    if (!isAtBound) {
        CHECK_INT(fast.triangle == SD_NULL_INDEX, slow.triangle == SD_NULL_INDEX);
    }
    CHECK_NEAR(fast.distance, slow.distance, tolerance);
    if (fast.triangle != SD_NULL_INDEX) {
        sdTrianglePoint own = sdClosestPointOnTriangle(p, cornerOf(data, fast.triangle, 0),
                                                       cornerOf(data, fast.triangle, 1),
                                                       cornerOf(data, fast.triangle, 2));
        CHECK(memcmp(&own.point, &fast.point, sizeof own.point) == 0);
        CHECK_INT(own.region, fast.region);
        // eight abreast and one alone agree to the bit
        CHECK(sqrtf(own.distanceSquared) == fast.distance);
    }
}

static void checkMesh(const TestMesh* mesh, TestRandom* random, sdVec3 center, float reach,
                      int queryCount) {
    TestContext test;
    TestContext_Init(&test);
    sdMeshBvh bvh;
    CHECK_INT(sdMeshBvh_Build(&test.context, &mesh->data, &bvh), SD_OK);
    checkTree(&bvh, &mesh->data);
    float size = sdLength(center) + reach;
    for (int i = 0; i < queryCount; ++i) {
        float far = i % 4 == 0 ? 1e3f : 2.0f;
        sdVec3 p = sdAdd(center, TestRandom_InBox(random, far * reach));
        float bound = i % 3 == 0 ? TestInfinity() : (i % 3 == 1 ? 0.3f * reach : FLT_MAX);
        checkClosest(&mesh->data, &bvh, p, size, bound);
        int v = TestRandom_Int(random, mesh->data.vertexCount);
        checkClosest(&mesh->data, &bvh, mesh->vertices[v], size, bound);
    }
    sdMeshBvh_Free(&test.context.allocator, &bvh);
    TestContext_Finish(&test);
}

SD_TEST(mesh_query_closest_point_matches_brute_force) {
    TestRandom random = TestRandom_Make(10);
    const int counts[] = {1, 2, 7, 8, 9, 64, 65, 500, 3000};
    sdVec3 zero = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i < 9; ++i) {
        TestMesh mesh = makeSoup(&random, counts[i], 1.0f, 0.1f, zero);
        checkMesh(&mesh, &random, zero, 1.0f, 300);
        freeTestMesh(&mesh);
    }
    // needles that reach through the whole
    TestMesh needles = makeSoup(&random, 1000, 0.01f, 1.0f, zero);
    checkMesh(&needles, &random, zero, 1.0f, 300);
    freeTestMesh(&needles);
}

SD_TEST(mesh_query_closest_point_at_all_scales) {
    TestRandom random = TestRandom_Make(11);
    const float sizes[] = {1e-6f, 1e-3f, 1e3f, 1e6f};
    for (int i = 0; i < 4; ++i) {
        sdVec3 zero = {0.0f, 0.0f, 0.0f};
        TestMesh mesh = makeSoup(&random, 700, sizes[i], 0.1f * sizes[i], zero);
        checkMesh(&mesh, &random, zero, sizes[i], 300);
        freeTestMesh(&mesh);
    }
    sdVec3 far = {1e6f, -1e6f, 1e6f};
    TestMesh mesh = makeSoup(&random, 700, 10.0f, 1.0f, far);
    checkMesh(&mesh, &random, far, 10.0f, 300);
    freeTestMesh(&mesh);
}

SD_TEST(mesh_query_tree_of_equal_triangles) {
    // nothing separates them: halves, no deep tree, no endless loop
    const int count = 100000;
    TestMesh mesh = makeTestMesh(3, count);
    mesh.vertices[0] = sdV3(0.0f, 0.0f, 0.0f);
    mesh.vertices[1] = sdV3(1.0f, 0.0f, 0.0f);
    mesh.vertices[2] = sdV3(0.0f, 1.0f, 0.0f);
    for (int i = 0; i < 3 * count; ++i) {
        mesh.triangles[i] = i % 3;
    }
    TestContext test;
    TestContext_Init(&test);
    sdMeshBvh bvh;
    REQUIRE(sdMeshBvh_Build(&test.context, &mesh.data, &bvh) == SD_OK);
    checkTree(&bvh, &mesh.data);
    CHECK(bvh.leafCount < count / 4);
    sdMeshPoint q = sdMeshBvh_ClosestPoint(&bvh, sdV3(0.25f, 0.25f, 3.0f), TestInfinity());
    CHECK_INT(q.triangle, 0);
    CHECK_NEAR(q.distance, 3.0, 0.0);
    sdMeshBvh_Free(&test.context.allocator, &bvh);

    // all three corners of each in one point, the points on a line
    for (int i = 0; i < 3 * count; ++i) {
        mesh.triangles[i] = i % 6 < 3 ? 0 : 1;
    }
    REQUIRE(sdMeshBvh_Build(&test.context, &mesh.data, &bvh) == SD_OK);
    checkTree(&bvh, &mesh.data);
    q = sdMeshBvh_ClosestPoint(&bvh, sdV3(0.9f, 0.0f, 0.0f), TestInfinity());
    CHECK_INT(q.triangle, 1);
    sdMeshBvh_Free(&test.context.allocator, &bvh);
    freeTestMesh(&mesh);
    TestContext_Finish(&test);
}

SD_TEST(mesh_query_closest_point_of_bad_input) {
    TestRandom random = TestRandom_Make(12);
    TestMesh mesh = makeSoup(&random, 100, 1.0f, 0.1f, sdV3(0.0f, 0.0f, 0.0f));
    TestContext test;
    TestContext_Init(&test);
    sdMeshBvh bvh;
    REQUIRE(sdMeshBvh_Build(&test.context, &mesh.data, &bvh) == SD_OK);
    sdVec3 zero = {0.0f, 0.0f, 0.0f};
    float bad[] = {TestNaN(), TestInfinity(), -TestInfinity()};
    for (int i = 0; i < 3; ++i) {
        sdVec3 p = {0.0f, bad[i], 0.0f};
        CHECK_INT(sdMeshBvh_ClosestPoint(&bvh, p, TestInfinity()).triangle, SD_NULL_INDEX);
    }
    CHECK_INT(sdMeshBvh_ClosestPoint(&bvh, zero, TestNaN()).triangle, SD_NULL_INDEX);
    CHECK_INT(sdMeshBvh_ClosestPoint(&bvh, zero, -1.0f).triangle, SD_NULL_INDEX);
    CHECK_INT(sdMeshBvh_ClosestPoint(&bvh, sdV3(9.0f, 0.0f, 0.0f), 7.0f).triangle, SD_NULL_INDEX);
    CHECK(sdMeshBvh_ClosestPoint(&bvh, sdV3(1e6f, 1e6f, 1e6f), TestInfinity()).triangle >= 0);
    CHECK(sdMeshBvh_ClosestPoint(&bvh, sdV3(1e18f, 0.0f, 0.0f), FLT_MAX).triangle >= 0);
    // no distance is allowed, and none is needed
    CHECK(sdMeshBvh_ClosestPoint(&bvh, mesh.vertices[17], 0.0f).triangle == 5);
    sdMeshBvh_Free(&test.context.allocator, &bvh);
    freeTestMesh(&mesh);
    TestContext_Finish(&test);
}

static sdResult buildAndFree(const sdContext* context, void* arg) {
    sdMeshBvh bvh;
    sdResult result = sdMeshBvh_Build(context, &((TestMesh*)arg)->data, &bvh);
    CHECK_INT(result == SD_OK, bvh.nodes != NULL);
    sdMeshBvh_Free(&context->allocator, &bvh);
    return result;
}

SD_TEST(mesh_query_tree_survives_no_memory) {
    TestRandom random = TestRandom_Make(13);
    // more than one task's worth
    TestMesh mesh = makeSoup(&random, 5000, 1.0f, 0.01f, sdV3(0.0f, 0.0f, 0.0f));
    CHECK(TestContext_FailEach(buildAndFree, &mesh) > 3);
    freeTestMesh(&mesh);
}
