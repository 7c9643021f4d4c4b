// SPDX-License-Identifier: MIT
// test_mesh_query.c - queries through the tree over a mesh's triangles, against brute force.

#include "geometry/mesh.h"
#include "math/vec3d.h"
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
        TestMesh mesh = makeSoup(&random, counts[k], 1.0f, 0.05f, sdV3(0.0f, 0.0f, 0.0f));
        sdMeshBvh bvh;
        REQUIRE(sdMeshBvh_Build(&test.context, &mesh.data, &bvh) == SD_OK);
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
        freeTestMesh(&mesh);
    }
    TestContext_Finish(&test);
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
    sdVec3 above = {0.25f, 0.25f, 3.0f};
    sdMeshBvh_ClosestPoints(&bvh, &above, 1, TestInfinity(), &q);
    CHECK_INT(q.triangle, 0);
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
    // squares overflow: nothing is found, nothing breaks
    sdVec3 tooFar = {1e25f, 0.0f, 0.0f};
    CHECK_INT(sdMeshBvh_ClosestPoint(&bvh, tooFar, TestInfinity()).triangle, SD_NULL_INDEX);
    sdMeshPoint many;
    sdMeshBvh_ClosestPoints(&bvh, &tooFar, 1, TestInfinity(), &many);
    CHECK_INT(many.triangle, SD_NULL_INDEX);
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

// ---- closed bodies -------------------------------------------------------------------------

static void addQuad(TestMesh* mesh, int* count, int a, int b, int c, int d) {
    const int corners[6] = {a, b, c, a, c, d};
    for (int i = 0; i < 6; ++i) {
        mesh->triangles[*count] = corners[i];
        *count += 1;
    }
}

/// A ball with hills: every ray from the centre leaves it once.
static TestMesh makeStar(int around, int down, float hills) {
    TestMesh mesh = makeTestMesh(around * (down - 1) + 2, 2 * around * (down - 1));
    for (int j = 1; j < down; ++j) {
        for (int i = 0; i < around; ++i) {
            float a = 2.0f * SD_PI * (float)i / (float)around;
            float b = SD_PI * (float)j / (float)down;
            float r = 1.0f + hills * sdSin(5.0f * a) * sdSin(4.0f * b);
            mesh.vertices[(j - 1) * around + i] =
                sdScale(r, sdV3(sdSin(b) * sdCos(a), sdSin(b) * sdSin(a), sdCos(b)));
        }
    }
    int north = mesh.data.vertexCount - 2, south = north + 1;
    mesh.vertices[north] = sdV3(0.0f, 0.0f, 1.0f);
    mesh.vertices[south] = sdV3(0.0f, 0.0f, -1.0f);
    int count = 0;
    for (int i = 0; i < around; ++i) {
        int n = (i + 1) % around;
        const int caps[6] = {north, i, n, south, (down - 2) * around + n, (down - 2) * around + i};
        memcpy(mesh.triangles + count, caps, sizeof caps);
        count += 6;
        for (int j = 0; j < down - 2; ++j) {
            addQuad(&mesh, &count, j * around + i, (j + 1) * around + i, (j + 1) * around + n,
                    j * around + n);
        }
    }
    return mesh;
}

static TestMesh makeTorus(int around, int across) {
    TestMesh mesh = makeTestMesh(around * across, 2 * around * across);
    int count = 0;
    for (int i = 0; i < around; ++i) {
        for (int j = 0; j < across; ++j) {
            float a = 2.0f * SD_PI * (float)i / (float)around;
            float b = 2.0f * SD_PI * (float)j / (float)across;
            float r = 1.0f + 0.4f * sdCos(b);
            mesh.vertices[i * across + j] = sdV3(r * sdCos(a), r * sdSin(a), 0.4f * sdSin(b));
            int n = (i + 1) % around, m = (j + 1) % across;
            addQuad(&mesh, &count, i * across + j, n * across + j, n * across + m, i * across + m);
        }
    }
    return mesh;
}

static sdMesh* createMesh(const sdContext* context, const TestMesh* data) {
    sdMeshDef def = sdMeshDef_Default();
    def.data = data->data;
    sdMesh* mesh = NULL;
    CHECK_INT(sdMesh_Create(context, &def, &mesh), SD_OK);
    return mesh;
}

static void checkInside(const sdMesh* mesh, sdVec3 p, bool withWinding) {
    float distance = sdMesh_SignedDistance(mesh, p);
    if (fabsf(distance) < 1e-5f) {
        return;
    }
    bool isInside = distance < 0.0f;
    CHECK_INT(sdMesh_ContainsByParity(mesh, p), isInside);
    if (withWinding) {
        double winding = sdMesh_WindingNumber(mesh, p);
        CHECK_NEAR(winding, isInside ? 1.0 : 0.0, 1e-9);
        CHECK_NEAR(sdMesh_WindingNumberFast(mesh, p), winding, 0.01);
    }
}

static void checkInsideTests(const TestMesh* data, uint64_t seed) {
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh = createMesh(&test.context, data);
    TestRandom random = TestRandom_Make(seed);
    for (int i = 0; i < 50000; ++i) {
        checkInside(mesh, TestRandom_InBox(&random, 1.5f), i % 50 == 0);
    }
    // rays that meet corners and edges, in the directions of the parity test among others
    const sdVec3 directions[] = {{0.0f, 0.0f, 1.0f},
                                 {1.0f, 0.0f, 0.0f},
                                 {0.0f, 1.0f, 0.0f},
                                 {0.5773f, 0.2113f, 0.7887f},
                                 {-0.3271f, 0.8731f, 0.3617f}};
    const sdMeshData view = sdMesh_GetData(mesh);
    for (int t = 0; t < view.triangleCount; ++t) {
        sdVec3 a = cornerOf(&view, t, 0), b = cornerOf(&view, t, 1);
        for (int k = 0; k < 5; ++k) {
            float s = TestRandom_Float(&random, 0.01f, 1.0f);
            checkInside(mesh, sdMulAdd(a, -s, directions[k]), false);
            checkInside(mesh, sdMulAdd(sdLerp(a, b, 0.5f), -s, directions[k]), false);
        }
    }
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
}

SD_TEST(mesh_query_inside_of_star) {
    TestMesh data = makeStar(24, 16, 0.25f);
    checkInsideTests(&data, 20);
    freeTestMesh(&data);
}

SD_TEST(mesh_query_inside_of_torus) {
    TestMesh data = makeTorus(32, 12);
    checkInsideTests(&data, 21);
    freeTestMesh(&data);
}

SD_TEST(mesh_query_inside_far_from_the_origin) {
    // coordinates are multiples of 1/16 here
    TestMesh data = makeStar(24, 16, 0.25f);
    sdVec3 center = {1e6f, -1e6f, 5e5f};
    for (int i = 0; i < data.data.vertexCount; ++i) {
        data.vertices[i] = sdMulAdd(center, 100.0f, data.vertices[i]);
    }
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh = createMesh(&test.context, &data);
    TestRandom random = TestRandom_Make(23);
    for (int i = 0; i < 3000; ++i) {
        sdVec3 p = sdAdd(center, TestRandom_InBox(&random, 150.0f));
        float distance = sdMesh_SignedDistance(mesh, p);
        if (fabsf(distance) > 0.05f) {
            bool isInside = sdMesh_WindingNumber(mesh, p) > 0.5;
            CHECK_INT(distance < 0.0f, isInside);
            CHECK_INT(sdMesh_ContainsByParity(mesh, p), isInside);
            CHECK_INT(sdMesh_WindingNumberFast(mesh, p) > 0.5f, isInside);
        }
    }
    sdMesh_Release(mesh);
    freeTestMesh(&data);
    TestContext_Finish(&test);
}

SD_TEST(mesh_query_inside_of_octahedron_on_a_grid) {
    // corners, edges and faces in common with the points and with rays along the axes
    TestMesh data = makeStar(4, 2, 0.0f);
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh = createMesh(&test.context, &data);
    for (int x = -16; x <= 16; ++x) {
        for (int y = -16; y <= 16; ++y) {
            for (int z = -16; z <= 16; ++z) {
                checkInside(mesh, sdV3((float)x / 16.0f, (float)y / 16.0f, (float)z / 16.0f), true);
            }
        }
    }
    sdMesh_Release(mesh);
    freeTestMesh(&data);
    TestContext_Finish(&test);
}

SD_TEST(mesh_query_winding_of_large_mesh) {
    TestMesh data = makeStar(100, 60, 0.25f);
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh = createMesh(&test.context, &data);
    TestRandom random = TestRandom_Make(22);
    double worst = 0.0;
    for (int i = 0; i < 1000; ++i) {
        // near the surface, where errors are largest, and anywhere
        sdVec3 p = TestRandom_InBox(&random, i % 5 == 0 ? 20.0f : 1.5f);
        if (i % 2 == 0) {
            int vertex = TestRandom_Int(&random, mesh->vertexCount);
            p = sdMulAdd(mesh->vertices[vertex], 0.03f, TestRandom_OnSphere(&random));
        }
        double exact = sdMesh_WindingNumber(mesh, p);
        double error = fabs((double)sdMesh_WindingNumberFast(mesh, p) - exact);
        CHECK(fabs(exact) < 1e-9 || fabs(exact - 1.0) < 1e-9);
        worst = error > worst ? error : worst;
    }
    CHECK(worst < 0.01);
    sdTest_Print("largest error of the fast winding number: %.4f", worst);
    sdMesh_Release(mesh);
    freeTestMesh(&data);
    TestContext_Finish(&test);
}

SD_TEST(mesh_query_winding_of_open_mesh) {
    // one triangle far away: its solid angle is area / distance²
    TestMesh data = makeTestMesh(3, 1);
    data.vertices[0] = sdV3(0.0f, 0.0f, 0.0f);
    data.vertices[1] = sdV3(1.0f, 0.0f, 0.0f);
    data.vertices[2] = sdV3(0.0f, 1.0f, 0.0f);
    for (int i = 0; i < 3; ++i) {
        data.triangles[i] = i;
    }
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh = createMesh(&test.context, &data);
    sdVec3 far = {0.3f, 0.3f, -1000.0f};
    double expected = 0.5 / 1e6 / (4.0 * 3.14159265358979);
    CHECK_NEAR(sdMesh_WindingNumber(mesh, far), expected, 1e-4 * expected);
    CHECK_NEAR(sdMesh_WindingNumberFast(mesh, far), expected, 1e-3 * expected);
    // just behind the face and just before it
    CHECK_NEAR(sdMesh_WindingNumber(mesh, sdV3(0.3f, 0.3f, -1e-6f)), 0.5, 1e-4);
    CHECK_NEAR(sdMesh_WindingNumberFast(mesh, sdV3(0.3f, 0.3f, 1e-6f)), -0.5, 1e-4);
    CHECK_NEAR(sdMesh_WindingNumber(mesh, sdV3(TestNaN(), 0.0f, 0.0f)), 0.0, 0.0);
    CHECK_NEAR(sdMesh_WindingNumberFast(mesh, sdV3(0.0f, TestInfinity(), 0.0f)), 0.0, 0.0);
    sdMesh_Release(mesh);
    freeTestMesh(&data);
    TestContext_Finish(&test);
}

// ---- segments ------------------------------------------------------------------------------

/// First hit by the definition, in double precision.
/// @param margin receives how far, as a fraction of the triangle, the decision was from changing
static int slowRaycast(const sdMeshData* data, sdVec3 origin, sdVec3 step, double* fraction,
                       double* margin) {
    sdVec3d o = sdVec3d_From(origin), d = sdVec3d_From(step);
    int best = SD_NULL_INDEX;
    *fraction = 1.0;
    *margin = 1.0;
    for (int i = 0; i < data->triangleCount; ++i) {
        sdVec3d a = sdVec3d_From(cornerOf(data, i, 0));
        sdVec3d ab = sdSubD(sdVec3d_From(cornerOf(data, i, 1)), a);
        sdVec3d ac = sdSubD(sdVec3d_From(cornerOf(data, i, 2)), a);
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
        TestMesh mesh = makeSoup(&random, 400, size, 0.2f * size, sdV3(0.0f, 0.0f, 0.0f));
        sdMeshBvh bvh;
        REQUIRE(sdMeshBvh_Build(&test.context, &mesh.data, &bvh) == SD_OK);
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
            int slow = slowRaycast(&mesh.data, origin, step, &exact, &margin);
            if (margin > 1e-4) {
                CHECK_INT(fast, slow);
                CHECK_NEAR(fraction, exact, 1e-5);
            }
            hitCount += fast != SD_NULL_INDEX;
        }
        sdMeshBvh_Free(&test.context.allocator, &bvh);
        freeTestMesh(&mesh);
    }
    CHECK(hitCount > 1000);
    TestContext_Finish(&test);
}

static void checkWatertight(const TestMesh* data, sdVec3 inside, float spread, uint64_t seed) {
    TestContext test;
    TestContext_Init(&test);
    sdMeshBvh bvh;
    REQUIRE(sdMeshBvh_Build(&test.context, &data->data, &bvh) == SD_OK);
    TestRandom random = TestRandom_Make(seed);
    for (int i = 0; i < 50000; ++i) {
        int t = TestRandom_Int(&random, data->data.triangleCount);
        sdVec3 a = cornerOf(&data->data, t, 0), b = cornerOf(&data->data, t, 1),
               c = cornerOf(&data->data, t, 2);
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
    TestMesh star = makeStar(40, 30, 0.2f);
    checkWatertight(&star, sdV3(0.0f, 0.0f, 0.0f), 0.5f, 31);
    freeTestMesh(&star);
    TestMesh diamond = makeStar(4, 2, 0.0f);
    checkWatertight(&diamond, sdV3(0.0f, 0.0f, 0.0f), 0.2f, 32);
    freeTestMesh(&diamond);
    // slivers: edges along the rays, needles at the poles
    TestMesh slivers = makeStar(1000, 3, 0.0f);
    checkWatertight(&slivers, sdV3(0.0f, 0.0f, 0.0f), 0.05f, 33);
    freeTestMesh(&slivers);
}

SD_TEST(mesh_query_raycast_details) {
    TestMesh data = makeStar(4, 2, 0.0f);
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh = createMesh(&test.context, &data);
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
    freeTestMesh(&data);
    TestContext_Finish(&test);
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
    TestMesh mesh = makeSoup(&random, count, 1.0f, 0.1f, sdV3(0.0f, 0.0f, 0.0f));
    sdMeshBvh bvh;
    REQUIRE(sdMeshBvh_Build(&test.context, &mesh.data, &bvh) == SD_OK);
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
            sdVec3 a = cornerOf(&mesh.data, t, 0), b = cornerOf(&mesh.data, t, 1),
                   c = cornerOf(&mesh.data, t, 2);
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
    freeTestMesh(&mesh);
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
    TestMesh mesh = makeSoup(&random, 30000, 1.0f, 0.02f, sdV3(0.0f, 0.0f, 0.0f));
    TestContext test;
    TestContext_Init(&test);
    sdMeshBvh a, b;
    REQUIRE(sdMeshBvh_Build(&test.context, &mesh.data, &a) == SD_OK);
    checkTree(&a, &mesh.data);
    sdScheduler* scheduler = NULL;
    REQUIRE(sdScheduler_Create(NULL, 4, &scheduler) == SD_OK);
    // the allocator of the test does not count from several threads at once
    sdContext contexts[2] = {test.context, sdContext_Default()};
    contexts[0].tasks = (sdTaskSystem){backwardsFor, NULL, 4};
    contexts[1].tasks = sdScheduler_GetTasks(scheduler);
    for (int i = 0; i < 2; ++i) {
        REQUIRE(sdMeshBvh_Build(&contexts[i], &mesh.data, &b) == SD_OK);
        CHECK_INT(a.nodeCount, b.nodeCount);
        CHECK_INT(a.leafCount, b.leafCount);
        CHECK(memcmp(a.nodes, b.nodes, (size_t)a.nodeCount * sizeof(sdMeshBvhNode)) == 0);
        CHECK(memcmp(a.dipoles, b.dipoles, (size_t)a.nodeCount * sizeof(sdMeshBvhDipoles)) == 0);
        CHECK(memcmp(a.leaves, b.leaves, (size_t)a.leafCount * sizeof(sdMeshBvhLeaf)) == 0);
        sdMeshBvh_Free(&contexts[i].allocator, &b);
    }
    sdScheduler_Destroy(scheduler);
    sdMeshBvh_Free(&test.context.allocator, &a);
    freeTestMesh(&mesh);
    TestContext_Finish(&test);
}

SD_TEST(mesh_query_gives_known_bits) {
    // one number for every compiler, target and kernel level
    TestMesh data = makeStar(24, 16, 0.25f);
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh = createMesh(&test.context, &data);
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
    CHECK_INT(hash, 17651291103393910953ull);
    sdMesh_Release(mesh);
    freeTestMesh(&data);
    TestContext_Finish(&test);
}

#if defined(SD_HAVE_AVX2_KERNELS)
SD_TEST(mesh_query_kernels_agree_to_the_bit) {
    if (!sdSimd_HasAvx2()) {
        return;
    }
    TestRandom random = TestRandom_Make(52);
    TestContext test;
    TestContext_Init(&test);
    TestMesh mesh = makeSoup(&random, 2000, 1.0f, 0.1f, sdV3(0.0f, 0.0f, 0.0f));
    sdMeshBvh bvh;
    REQUIRE(sdMeshBvh_Build(&test.context, &mesh.data, &bvh) == SD_OK);
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
    freeTestMesh(&mesh);
    TestContext_Finish(&test);
}
#endif
