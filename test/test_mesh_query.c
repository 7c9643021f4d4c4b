// SPDX-License-Identifier: MIT
// test_mesh_query.c - queries through the tree over a mesh's triangles, against brute force.

#include "geometry/mesh.h"
#include "mesh_support.h"

#include <stdlib.h>
#include <string.h>

static sdResult buildTree(const sdContext* context, const TestMesh* mesh, sdMeshBvh* out) {
    sdMeshData data = TestMesh_Data(mesh);
    return sdMeshBvh_Build(context, &data, out);
}

static sdMeshPoint bruteForce(const TestMesh* data, sdVec3 p, float maxDistance) {
    sdMeshPoint best = {p, 0.0f, SD_NULL_INDEX, SD_REGION_FACE};
    float bestSquared = maxDistance * maxDistance;
    for (int i = 0; i < data->triangleCount; ++i) {
        sdTrianglePoint q =
            sdClosestPointOnTriangle(p, TestMesh_Corner(data, i, 0), TestMesh_Corner(data, i, 1),
                                     TestMesh_Corner(data, i, 2));
        if (q.distanceSquared < bestSquared ||
            (q.distanceSquared == bestSquared && best.triangle == SD_NULL_INDEX)) {
            bestSquared = q.distanceSquared;
            best = (sdMeshPoint){q.point, sqrtf(q.distanceSquared), i, q.region};
        }
    }
    return best;
}

static void checkTree(const sdMeshBvh* bvh, const TestMesh* data) {
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
                    sdVec3 w = TestMesh_Corner(data, leaf->triangle[k], corner);
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
static void checkClosest(const TestMesh* data, const sdMeshBvh* bvh, sdVec3 p, float size,
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
        sdTrianglePoint own = sdClosestPointOnTriangle(p, TestMesh_Corner(data, fast.triangle, 0),
                                                       TestMesh_Corner(data, fast.triangle, 1),
                                                       TestMesh_Corner(data, fast.triangle, 2));
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
    CHECK_INT(buildTree(&test.context, mesh, &bvh), SD_OK);
    checkTree(&bvh, mesh);
    float size = sdLength(center) + reach;
    for (int i = 0; i < queryCount; ++i) {
        float far = i % 4 == 0 ? 1e3f : 2.0f;
        sdVec3 p = sdAdd(center, TestRandom_InBox(random, far * reach));
        float bound = i % 3 == 0 ? TestInfinity() : (i % 3 == 1 ? 0.3f * reach : FLT_MAX);
        checkClosest(mesh, &bvh, p, size, bound);
        int v = TestRandom_Int(random, mesh->vertexCount);
        checkClosest(mesh, &bvh, mesh->vertices[v], size, bound);
    }
    sdMeshBvh_Free(&test.context.allocator, &bvh);
    TestContext_Finish(&test);
}

SD_TEST(mesh_query_closest_point_matches_brute_force) {
    TestRandom random = TestRandom_Make(10);
    const int counts[] = {1, 2, 7, 8, 9, 64, 65, 500, 3000};
    sdVec3 zero = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i < 9; ++i) {
        TestMesh mesh = TestMesh_Soup(&random, counts[i], 1.0f, 0.1f, zero);
        checkMesh(&mesh, &random, zero, 1.0f, 300);
        TestMesh_Free(&mesh);
    }
    // needles that reach through the whole
    TestMesh needles = TestMesh_Soup(&random, 1000, 0.01f, 1.0f, zero);
    checkMesh(&needles, &random, zero, 1.0f, 300);
    TestMesh_Free(&needles);
}

SD_TEST(mesh_query_closest_point_at_all_scales) {
    TestRandom random = TestRandom_Make(11);
    const float sizes[] = {1e-6f, 1e-3f, 1e3f, 1e6f};
    for (int i = 0; i < 4; ++i) {
        sdVec3 zero = {0.0f, 0.0f, 0.0f};
        TestMesh mesh = TestMesh_Soup(&random, 700, sizes[i], 0.1f * sizes[i], zero);
        checkMesh(&mesh, &random, zero, sizes[i], 300);
        TestMesh_Free(&mesh);
    }
    sdVec3 far = {1e6f, -1e6f, 1e6f};
    TestMesh mesh = TestMesh_Soup(&random, 700, 10.0f, 1.0f, far);
    checkMesh(&mesh, &random, far, 10.0f, 300);
    TestMesh_Free(&mesh);
}

/// Rows and blocks of neighbours, jumps, one bad point, a rest of fewer than eight.
static int makeWalk(TestRandom* random, sdVec3* points) {
    int count = 0;
    for (int k = 0; k < 40; ++k) {
        sdVec3 start = TestRandom_InBox(random, 1.5f);
        float step = k % 4 == 0 ? 0.3f : 0.02f;
        for (int i = 0; i < 24; ++i) {
            sdVec3 offset = k % 2 ? sdV3((float)i, 0.0f, 0.0f)
                                  : sdV3((float)(i & 1), (float)(i >> 1 & 1), (float)(i >> 2));
            points[count++] = sdMulAdd(start, step, offset);
        }
    }
    points[100].y = TestNaN();
    return count - 3;
}

SD_TEST(mesh_query_many_closest_points_match_single_ones) {
    TestRandom random = TestRandom_Make(14);
    TestContext test;
    TestContext_Init(&test);
    const int counts[] = {1, 8, 200, 5000};
    for (int k = 0; k < 4; ++k) {
        TestMesh mesh = TestMesh_Soup(&random, counts[k], 1.0f, 0.05f, sdV3(0.0f, 0.0f, 0.0f));
        sdMeshBvh bvh;
        REQUIRE(buildTree(&test.context, &mesh, &bvh) == SD_OK);
        static sdVec3 points[1000];
        static sdMeshPoint many[1000];
        int count = makeWalk(&random, points);
        const float bounds[] = {TestInfinity(), 0.2f, 0.0f, -1.0f};
        for (int b = 0; b < 4; ++b) {
            sdMeshBvh_ClosestPoints(&bvh, points, count, bounds[b], many);
            for (int i = 0; i < count; ++i) {
                sdMeshPoint one = sdMeshBvh_ClosestPoint(&bvh, points[i], bounds[b]);
                CHECK_INT(many[i].triangle, one.triangle);
                CHECK_INT(many[i].region, one.region);
                CHECK(many[i].distance == one.distance);
                CHECK(memcmp(&many[i].point, &one.point, sizeof one.point) == 0);
            }
        }
        sdMeshBvh_ClosestPoints(&bvh, points, 0, 1.0f, NULL);
        sdMeshBvh_Free(&test.context.allocator, &bvh);
        TestMesh_Free(&mesh);
    }
    TestContext_Finish(&test);
}

SD_TEST(mesh_query_tree_of_equal_triangles) {
    // nothing separates them: halves, no deep tree, no endless loop
    const int count = 100000;
    TestMesh mesh = {0};
    TestMesh_AddLoose(&mesh, sdV3(0.0f, 0.0f, 0.0f), sdV3(1.0f, 0.0f, 0.0f),
                      sdV3(0.0f, 1.0f, 0.0f));
    while (mesh.triangleCount < count) {
        TestMesh_AddTriangle(&mesh, 0, 1, 2);
    }
    TestContext test;
    TestContext_Init(&test);
    sdMeshBvh bvh;
    REQUIRE(buildTree(&test.context, &mesh, &bvh) == SD_OK);
    checkTree(&bvh, &mesh);
    CHECK(bvh.leafCount < count / 4);
    sdMeshPoint q = sdMeshBvh_ClosestPoint(&bvh, sdV3(0.25f, 0.25f, 3.0f), TestInfinity());
    CHECK_INT(q.triangle, 0);
    CHECK_NEAR(q.distance, 3.0, 0.0);
    sdVec3 above = {0.25f, 0.25f, 3.0f};
    sdMeshBvh_ClosestPoints(&bvh, &above, 1, TestInfinity(), &q);
    CHECK_INT(q.triangle, 0);
    sdMeshBvh_Free(&test.context.allocator, &bvh);

    // all three corners of each in one point, the points on a line
    for (int i = 0; i < 3 * count; ++i) {
        mesh.triangles[i] = i % 6 < 3 ? 0 : 1;
    }
    REQUIRE(buildTree(&test.context, &mesh, &bvh) == SD_OK);
    checkTree(&bvh, &mesh);
    q = sdMeshBvh_ClosestPoint(&bvh, sdV3(0.9f, 0.0f, 0.0f), TestInfinity());
    CHECK_INT(q.triangle, 1);
    sdMeshBvh_Free(&test.context.allocator, &bvh);
    TestMesh_Free(&mesh);
    TestContext_Finish(&test);
}

SD_TEST(mesh_query_closest_point_of_bad_input) {
    TestRandom random = TestRandom_Make(12);
    TestMesh mesh = TestMesh_Soup(&random, 100, 1.0f, 0.1f, sdV3(0.0f, 0.0f, 0.0f));
    TestContext test;
    TestContext_Init(&test);
    sdMeshBvh bvh;
    REQUIRE(buildTree(&test.context, &mesh, &bvh) == SD_OK);
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
    // squares overflow: nothing is found, nothing breaks
    sdVec3 tooFar = {1e25f, 0.0f, 0.0f};
    CHECK_INT(sdMeshBvh_ClosestPoint(&bvh, tooFar, TestInfinity()).triangle, SD_NULL_INDEX);
    sdMeshPoint many;
    sdMeshBvh_ClosestPoints(&bvh, &tooFar, 1, TestInfinity(), &many);
    CHECK_INT(many.triangle, SD_NULL_INDEX);
    // no distance is allowed, and none is needed
    CHECK(sdMeshBvh_ClosestPoint(&bvh, mesh.vertices[17], 0.0f).triangle == 5);
    sdMeshBvh_Free(&test.context.allocator, &bvh);
    TestMesh_Free(&mesh);
    TestContext_Finish(&test);
}

static sdResult buildAndFree(const sdContext* context, void* arg) {
    sdMeshBvh bvh;
    sdResult result = buildTree(context, arg, &bvh);
    CHECK_INT(result == SD_OK, bvh.nodes != NULL);
    sdMeshBvh_Free(&context->allocator, &bvh);
    return result;
}

SD_TEST(mesh_query_tree_survives_no_memory) {
    TestRandom random = TestRandom_Make(13);
    // more than one task's worth
    TestMesh mesh = TestMesh_Soup(&random, 5000, 1.0f, 0.01f, sdV3(0.0f, 0.0f, 0.0f));
    CHECK(TestContext_FailEach(buildAndFree, &mesh) > 3);
    TestMesh_Free(&mesh);
}

// ---- boxes ---------------------------------------------------------------------------------

typedef struct Visits {
    int* seen;
    int count;
    int limit;
} Visits;

static bool visit(void* arg, int triangle) {
    Visits* visits = arg;
    visits->seen[triangle] += 1;
    visits->count += 1;
    return visits->count < visits->limit;
}

SD_TEST(mesh_query_box_matches_brute_force) {
    TestRandom random = TestRandom_Make(40);
    TestContext test;
    TestContext_Init(&test);
    const int count = 1500;
    TestMesh mesh = TestMesh_Soup(&random, count, 1.0f, 0.1f, sdV3(0.0f, 0.0f, 0.0f));
    sdMeshBvh bvh;
    REQUIRE(buildTree(&test.context, &mesh, &bvh) == SD_OK);
    int* seen = malloc((size_t)count * sizeof(int));
    for (int i = 0; i < 500; ++i) {
        sdVec3 p = TestRandom_InBox(&random, 1.2f), q = TestRandom_InBox(&random, 1.2f);
        sdAABB box = {sdMin(p, q), sdMax(p, q)};
        if (i % 3 == 0) {
            // touching counts: a corner of some triangle is the whole box
            box.lower = box.upper = mesh.vertices[TestRandom_Int(&random, 3 * count)];
        }
        memset(seen, 0, (size_t)count * sizeof(int));
        Visits visits = {seen, 0, INT32_MAX};
        sdMeshBvh_VisitBox(&bvh, box, visit, &visits);
        for (int t = 0; t < count; ++t) {
            sdVec3 a = TestMesh_Corner(&mesh, t, 0), b = TestMesh_Corner(&mesh, t, 1),
                   c = TestMesh_Corner(&mesh, t, 2);
            sdAABB own = {sdMin(sdMin(a, b), c), sdMax(sdMax(a, b), c)};
            CHECK_INT(seen[t], sdAABB_Overlaps(own, box));
        }
    }
    sdAABB all = {{-9.0f, -9.0f, -9.0f}, {9.0f, 9.0f, 9.0f}};
    Visits some = {seen, 0, 17};
    sdMeshBvh_VisitBox(&bvh, all, visit, &some);
    CHECK_INT(some.count, 17);
    Visits none = {seen, 0, INT32_MAX};
    sdMeshBvh_VisitBox(&bvh, sdAABB_Empty(), visit, &none);
    all.lower.y = TestNaN();
    sdMeshBvh_VisitBox(&bvh, all, visit, &none);
    CHECK_INT(none.count, 0);
    free(seen);
    sdMeshBvh_Free(&test.context.allocator, &bvh);
    TestMesh_Free(&mesh);
    TestContext_Finish(&test);
}

// ---- the same bits -------------------------------------------------------------------------

/// Runs the items one by one from the last to the first.
static void backwardsFor(void* user, sdTaskFcn* task, void* arg, int count, int grain) {
    (void)user;
    (void)grain;
    for (int i = count - 1; i >= 0; --i) {
        task(arg, i, i + 1, i % 4);
    }
}

SD_TEST(mesh_query_tree_does_not_depend_on_workers) {
    TestRandom random = TestRandom_Make(50);
    TestMesh mesh = TestMesh_Soup(&random, 30000, 1.0f, 0.02f, sdV3(0.0f, 0.0f, 0.0f));
    TestContext test;
    TestContext_Init(&test);
    sdMeshBvh a, b;
    REQUIRE(buildTree(&test.context, &mesh, &a) == SD_OK);
    checkTree(&a, &mesh);
    sdScheduler* scheduler = NULL;
    REQUIRE(sdScheduler_Create(NULL, 4, &scheduler) == SD_OK);
    // the allocator of the test does not count from several threads at once
    sdContext contexts[2] = {test.context, sdContext_Default()};
    contexts[0].tasks = (sdTaskSystem){backwardsFor, NULL, 4};
    contexts[1].tasks = sdScheduler_GetTasks(scheduler);
    for (int i = 0; i < 2; ++i) {
        REQUIRE(buildTree(&contexts[i], &mesh, &b) == SD_OK);
        CHECK_INT(a.nodeCount, b.nodeCount);
        CHECK_INT(a.leafCount, b.leafCount);
        CHECK(memcmp(a.nodes, b.nodes, (size_t)a.nodeCount * sizeof(sdMeshBvhNode)) == 0);
        CHECK(memcmp(a.dipoles, b.dipoles, (size_t)a.nodeCount * sizeof(sdMeshBvhDipoles)) == 0);
        CHECK(memcmp(a.leaves, b.leaves, (size_t)a.leafCount * sizeof(sdMeshBvhLeaf)) == 0);
        sdMeshBvh_Free(&contexts[i].allocator, &b);
    }
    sdScheduler_Destroy(scheduler);
    sdMeshBvh_Free(&test.context.allocator, &a);
    TestMesh_Free(&mesh);
    TestContext_Finish(&test);
}

SD_TEST(mesh_query_gives_known_bits) {
    // one number for every compiler, target and kernel level
    TestMesh data = TestMesh_Hills(24, 16, 0.25);
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh = TestMesh_Build(&test.context, &data);
    TestRandom random = TestRandom_Make(51);
    uint64_t hash = TEST_HASH_START;
    for (int i = 0; i < 2000; ++i) {
        sdVec3 p = TestRandom_InBox(&random, 1.5f);
        sdMeshPoint q = sdMesh_ClosestPoint(mesh, p, TestInfinity());
        float winding = sdMesh_WindingNumberFast(mesh, p);
        sdMeshHit hit = sdMesh_Raycast(mesh, p, sdScale(-2.0f, p));
        hash = TestHash(hash, &q.point, sizeof q.point);
        hash = TestHash(hash, &q.distance, sizeof q.distance);
        hash = TestHash(hash, &q.triangle, sizeof q.triangle);
        hash = TestHash(hash, &winding, sizeof winding);
        hash = TestHash(hash, &hit.fraction, sizeof hit.fraction);
        hash = TestHash(hash, &hit.triangle, sizeof hit.triangle);
    }
    CHECK_INT(hash, 848324928580021128ull);
    sdMesh_Release(mesh);
    TestMesh_Free(&data);
    TestContext_Finish(&test);
}

#if defined(SD_HAVE_AVX2_KERNELS)
#define SOUP_COUNT 2000

static void checkBox(const sdMeshBvh* bvh, sdVec3 p) {
    static int seen[2][SOUP_COUNT];
    memset(seen, 0, sizeof seen);
    Visits visits[2] = {{seen[0], 0, INT32_MAX}, {seen[1], 0, INT32_MAX}};
    sdAABB box = sdAABB_Grow((sdAABB){p, p}, 0.3f);
    sdMeshBvh_Visit_base(bvh, &box, visit, &visits[0]);
    sdMeshBvh_Visit_avx2(bvh, &box, visit, &visits[1]);
    CHECK(memcmp(seen[0], seen[1], sizeof seen[0]) == 0);
}

SD_TEST(mesh_query_kernels_agree_to_the_bit) {
    if (!sdSimd_HasAvx2()) {
        return;
    }
    TestRandom random = TestRandom_Make(52);
    TestContext test;
    TestContext_Init(&test);
    TestMesh mesh = TestMesh_Soup(&random, SOUP_COUNT, 1.0f, 0.1f, sdV3(0.0f, 0.0f, 0.0f));
    sdMeshBvh bvh;
    REQUIRE(buildTree(&test.context, &mesh, &bvh) == SD_OK);
    for (int i = 0; i < 5000; ++i) {
        sdVec3 p = TestRandom_InBox(&random, 2.0f);
        sdMeshBvhNearest n[2];
        memset(n, 0, sizeof n);
        n[0].distanceSquared = n[1].distanceSquared = i % 2 ? 0.01f : FLT_MAX;
        n[0].triangle = n[1].triangle = INT32_MAX;
        sdMeshBvh_Nearest_base(&bvh, p, &n[0]);
        sdMeshBvh_Nearest_avx2(&bvh, p, &n[1]);
        CHECK(memcmp(&n[0], &n[1], sizeof n[0]) == 0);

        sdVec3 points[SD_LANES];
        sdMeshBvhNearest rows[2][SD_LANES];
        memset(rows, 0, sizeof rows);
        for (int k = 0; k < SD_LANES; ++k) {
            points[k] = sdAdd(p, TestRandom_InBox(&random, 0.1f));
            rows[0][k].distanceSquared = rows[1][k].distanceSquared = FLT_MAX;
        }
        checkBox(&bvh, p);
        sdMeshBvh_NearestOfEight_base(&bvh, points, i % 3 - 1, rows[0]);
        sdMeshBvh_NearestOfEight_avx2(&bvh, points, i % 3 - 1, rows[1]);
        CHECK(memcmp(rows[0], rows[1], sizeof rows[0]) == 0);

        sdMeshRay ray;
        CHECK(sdMeshRay_Make(p, TestRandom_InBox(&random, 3.0f), &ray));
        sdMeshBvhHit hits[2] = {{1.0f, INT32_MAX}, {1.0f, INT32_MAX}};
        sdMeshBvh_FirstHit_base(&bvh, &ray, &hits[0]);
        sdMeshBvh_FirstHit_avx2(&bvh, &ray, &hits[1]);
        CHECK(memcmp(&hits[0], &hits[1], sizeof hits[0]) == 0);
        CHECK_INT(sdMeshBvh_CountCrossings_base(&bvh, &ray),
                  sdMeshBvh_CountCrossings_avx2(&bvh, &ray));
        double windings[2] = {sdMeshBvh_SumSolidAngles_base(&bvh, p),
                              sdMeshBvh_SumSolidAngles_avx2(&bvh, p)};
        CHECK(memcmp(&windings[0], &windings[1], sizeof windings[0]) == 0);
    }
    sdMeshBvh_Free(&test.context.allocator, &bvh);
    TestMesh_Free(&mesh);
    TestContext_Finish(&test);
}
#endif
