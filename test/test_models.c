// SPDX-License-Identifier: MIT
// test_models.c - procedural models: counts, cleanliness, size, centre, shape.

#include "support.h"

#include <string.h>

static const struct {
    int triangleCount;
    int genus;
} expectations[SD_MODEL_COUNT] = {
    [SD_MODEL_BOX] = {12, 0},         [SD_MODEL_SPHERE] = {1280, 0}, [SD_MODEL_TORUS] = {576, 1},
    [SD_MODEL_RING] = {216, 1},       [SD_MODEL_POST] = {84, 0},     [SD_MODEL_SKULL] = {2970, 0},
    [SD_MODEL_BONE] = {1024, 0},      [SD_MODEL_BOLT] = {2592, 0},   [SD_MODEL_NUT] = {840, 1},
    [SD_MODEL_CHAIN_LINK] = {768, 1}, [SD_MODEL_STAR] = {40, 0},     [SD_MODEL_BOWL] = {960, 0},
    [SD_MODEL_TETRAPOD] = {960, 0},
};

static float longestSide(const sdMesh* mesh) {
    sdVec3 h = sdAABB_HalfExtents(sdMesh_GetBounds(mesh));
    return 2.0f * sdMaxF(h.x, sdMaxF(h.y, h.z));
}

/// Nothing that a user would have to repair, and nothing that was repaired.
static void checkClean(const sdContext* context, const sdMesh* mesh) {
    sdMeshData data = sdMesh_GetData(mesh);
    sdMeshReport report;
    REQUIRE(sdMesh_Inspect(context, &data, true, &report) == SD_OK);
    CHECK(report.isSolid && report.isClosed && report.isManifold && report.isOriented);
    CHECK_INT(report.componentCount, 1);
    CHECK_INT(report.degenerateTriangleCount, 0);
    CHECK_INT(report.duplicateTriangleCount, 0);
    CHECK_INT(report.unusedVertexCount, 0);
    CHECK_INT(report.selfIntersectionCount, 0);
    // Euler: V - E + F = 2 - 2 genus, E = 3/2 F
    CHECK_INT(data.vertexCount, data.triangleCount / 2 + 2 - 2 * report.genus);
}

SD_TEST(models_are_clean_solids_with_known_counts) {
    TestContext test;
    TestContext_Init(&test);
    for (int kind = 0; kind < SD_MODEL_COUNT; ++kind) {
        sdMesh* mesh = NULL;
        REQUIRE(sdModel_Create(&test.context, (sdModelKind)kind, 1.0f, &mesh) == SD_OK);
        const sdMeshReport* report = sdMesh_GetReport(mesh);
        CHECK_INT(report->triangleCount, expectations[kind].triangleCount);
        CHECK_INT(report->genus, expectations[kind].genus);
        checkClean(&test.context, mesh);
        sdMesh_Release(mesh);
    }
    TestContext_Finish(&test);
}

SD_TEST(models_have_size_and_centre_at_every_scale) {
    TestContext test;
    TestContext_Init(&test);
    static const float sizes[] = {SD_MODEL_MIN_SIZE, 0.037f, 1.0f, 250.0f, SD_MODEL_MAX_SIZE};
    for (int kind = 0; kind < SD_MODEL_COUNT; ++kind) {
        for (int i = 0; i < 5; ++i) {
            float size = sizes[i];
            sdMesh* mesh = NULL;
            REQUIRE(sdModel_Create(&test.context, (sdModelKind)kind, size, &mesh) == SD_OK);
            CHECK_NEAR(longestSide(mesh), size, 2e-7f * size);
            // with a density that keeps the mass near 1
            sdMassProps props;
            REQUIRE(sdMesh_GetMass(mesh, 1.0f / (size * size * size), &props) == SD_OK);
            CHECK_NEAR(sdLength(props.center), 0.0f, 1e-7f * size);
            const sdMeshReport* report = sdMesh_GetReport(mesh);
            CHECK_INT(report->triangleCount, expectations[kind].triangleCount);
            CHECK_INT(report->degenerateTriangleCount, 0);
            CHECK(report->isSolid);
            sdMesh_Release(mesh);
        }
    }
    TestContext_Finish(&test);
}

/// Sine of the smallest angle of all triangles.
static float sharpestCorner(const sdMesh* mesh) {
    sdMeshData data = sdMesh_GetData(mesh);
    float least = 1.0f;
    for (int i = 0; i < 3 * data.triangleCount; ++i) {
        int first = i - i % 3;
        sdVec3 a = data.vertices[data.triangles[i]];
        sdVec3 b = sdSub(data.vertices[data.triangles[first + (i + 1) % 3]], a);
        sdVec3 c = sdSub(data.vertices[data.triangles[first + (i + 2) % 3]], a);
        least = sdMinF(least, sdLength(sdCross(sdNormalize(b), sdNormalize(c))));
    }
    return least;
}

SD_TEST(models_have_neither_needles_nor_folds) {
    TestContext test;
    TestContext_Init(&test);
    for (int kind = 0; kind < SD_MODEL_COUNT; ++kind) {
        sdMesh* mesh = NULL;
        REQUIRE(sdModel_Create(&test.context, (sdModelKind)kind, 1.0f, &mesh) == SD_OK);
        // 6 degrees; the post's few triangles are as long as it is
        CHECK(sharpestCorner(mesh) > (kind == SD_MODEL_POST ? 0.02f : 0.1f));
        int edgeCount = 0;
        const sdMeshEdge* edges = sdMesh_GetEdges(mesh, &edgeCount);
        for (int i = 0; i < edgeCount; ++i) {
            // the sharpest: tips of the star, 41 degrees
            CHECK(edges[i].cosAngle > -0.8f);
        }
        sdMesh_Release(mesh);
    }
    TestContext_Finish(&test);
}

SD_TEST(models_have_names) {
    for (int kind = 0; kind < SD_MODEL_COUNT; ++kind) {
        const char* name = sdModel_Name((sdModelKind)kind);
        REQUIRE(name != NULL && name[0] != 0);
        for (int other = 0; other < kind; ++other) {
            CHECK(strcmp(name, sdModel_Name((sdModelKind)other)) != 0);
        }
    }
    CHECK(sdModel_Name(SD_MODEL_COUNT) == NULL);
    CHECK(sdModel_Name((sdModelKind)-1) == NULL);
}

SD_TEST(models_refuse_bad_input) {
    TestContext test;
    TestContext_Init(&test);
    const sdContext* context = &test.context;
    const float badSizes[] = {0.0f,  -1.0f, TestNaN(), TestInfinity(), -TestInfinity(),
                              9e-7f, 1.1e6f};
    for (int i = 0; i < 7; ++i) {
        sdMesh* mesh = (sdMesh*)&test;
        float size = badSizes[i];
        CHECK_INT(sdModel_Create(context, SD_MODEL_RING, size, &mesh), SD_ERROR_INVALID_ARGUMENT);
        CHECK(mesh == NULL);
        CHECK_TEXT(test.lastError, "size");
        mesh = (sdMesh*)&test;
        CHECK_INT(sdModel_CreateOctahedron(context, 8, size, &mesh), SD_ERROR_INVALID_ARGUMENT);
        CHECK(mesh == NULL);
        CHECK_INT(sdModel_CreateTorus(context, size, 0.1f, 8, 8, &mesh), SD_ERROR_INVALID_ARGUMENT);
        CHECK_INT(sdModel_CreateTorus(context, 1.0f, size, 8, 8, &mesh), SD_ERROR_INVALID_ARGUMENT);
        CHECK_TEXT(test.lastError, "radii");
    }
    sdMesh* mesh = (sdMesh*)&test;
    CHECK_INT(sdModel_Create(context, SD_MODEL_COUNT, 1.0f, &mesh), SD_ERROR_INVALID_ARGUMENT);
    CHECK_TEXT(test.lastError, "kind");
    CHECK(mesh == NULL);
    CHECK_INT(sdModel_Create(context, (sdModelKind)-1, 1.0f, &mesh), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdModel_Create(context, SD_MODEL_BOX, 1.0f, NULL), SD_ERROR_INVALID_ARGUMENT);
    static const int badCounts[] = {-8, 0, 6, 7, 9, 79, 81, 82, 1000};
    for (int i = 0; i < 9; ++i) {
        CHECK_INT(sdModel_CreateOctahedron(context, badCounts[i], 1.0f, &mesh),
                  SD_ERROR_INVALID_ARGUMENT);
        CHECK_TEXT(test.lastError, "even");
    }
    CHECK_INT(sdModel_CreateOctahedron(context, 8, 1.0f, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdModel_CreateTorus(context, 1.0f, 1.0f, 8, 8, &mesh), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdModel_CreateTorus(context, 1.0f, 0.5f, 2, 8, &mesh), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdModel_CreateTorus(context, 1.0f, 0.5f, 8, -3, &mesh), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdModel_CreateTorus(context, 1.0f, 0.5f, 100000, 100000, &mesh), SD_ERROR_LIMIT);
    CHECK_INT(sdModel_CreateTorus(context, 1.0f, 0.5f, 8, 8, NULL), SD_ERROR_INVALID_ARGUMENT);
    TestContext_Finish(&test);
}

SD_TEST(models_octahedra_are_convex_and_round) {
    TestContext test;
    TestContext_Init(&test);
    float lastVolume = 0.0f;
    for (int count = 8; count <= 80; count += 2) {
        const float radius = 2.5f;
        sdMesh* mesh = NULL;
        REQUIRE(sdModel_CreateOctahedron(&test.context, count, radius, &mesh) == SD_OK);
        checkClean(&test.context, mesh);
        sdMeshData data = sdMesh_GetData(mesh);
        CHECK_INT(data.triangleCount, count);
        for (int t = 0; t < count; ++t) {
            sdVec3 a = data.vertices[data.triangles[3 * t]];
            sdVec3 b = data.vertices[data.triangles[3 * t + 1]];
            sdVec3 c = data.vertices[data.triangles[3 * t + 2]];
            sdVec3 n = sdNormalize(sdCross(sdSub(b, a), sdSub(c, a)));
            for (int i = 0; i < data.vertexCount; ++i) {
                CHECK(sdDot(n, sdSub(data.vertices[i], a)) <= 1e-6f * radius);
            }
            // no needles: every height at least a quarter of the longest side
            float longest = sdMaxF(sdDistanceSquared(a, b),
                                   sdMaxF(sdDistanceSquared(b, c), sdDistanceSquared(c, a)));
            CHECK(sdLength(sdCross(sdSub(b, a), sdSub(c, a))) > 0.25f * longest);
        }
        for (int i = 0; i < data.vertexCount; ++i) {
            CHECK_NEAR(sdLength(data.vertices[i]), radius, 3e-7f * radius);
        }
        // every split brings it nearer to the ball
        CHECK((float)sdMesh_GetReport(mesh)->volume > lastVolume);
        lastVolume = (float)sdMesh_GetReport(mesh)->volume;
        sdMesh_Release(mesh);
    }
    TestContext_Finish(&test);
}

SD_TEST(models_torus_of_any_fineness) {
    TestContext test;
    TestContext_Init(&test);
    static const int counts[][2] = {{3, 3}, {3, 20}, {40, 3}, {64, 32}};
    for (int i = 0; i < 4; ++i) {
        sdMesh* mesh = NULL;
        REQUIRE(sdModel_CreateTorus(&test.context, 2.0f, 0.5f, counts[i][0], counts[i][1], &mesh) ==
                SD_OK);
        checkClean(&test.context, mesh);
        const sdMeshReport* report = sdMesh_GetReport(mesh);
        CHECK_INT(report->triangleCount, 2 * counts[i][0] * counts[i][1]);
        CHECK_INT(report->genus, 1);
        // 2 pi² R r², less what the chords cut off
        if (i == 3) {
            CHECK_NEAR(report->volume, 2.0 * 9.8696044 * 2.0 * 0.25, 0.1);
        }
        sdMesh_Release(mesh);
    }
    TestContext_Finish(&test);
}

// ---- models that go together ---------------------------------------------------------------

#define MAX_SAMPLES 60000

/// Least distance from the surface of `fixed` to samples of `mover` placed by xf; negative inside.
static float clearanceOneWay(const sdMesh* fixed, const sdMesh* mover, sdTransform xf) {
    static sdVec3 samples[MAX_SAMPLES];
    int count = sdMesh_CountSamples(mover, 3);
    CHECK(count <= MAX_SAMPLES);
    sdMesh_GetSamples(mover, 3, samples);
    sdAABB box = sdAABB_Grow(sdMesh_GetBounds(fixed), 0.05f);
    float least = FLT_MAX;
    for (int i = 0; i < count; ++i) {
        sdVec3 p = sdTransformPoint(xf, samples[i]);
        if (sdAABB_ContainsPoint(box, p)) {
            least = sdMinF(least, sdMesh_SignedDistance(fixed, p));
        }
    }
    return least;
}

static float clearance(const sdMesh* a, const sdMesh* b, sdTransform xfAB) {
    return sdMinF(clearanceOneWay(a, b, xfAB), clearanceOneWay(b, a, sdInvertXf(xfAB)));
}

static sdTransform turnedAboutY(float y, float angle) {
    return sdTransform_Make(sdV3(0.0f, y, 0.0f),
                            sdQuat_FromAxisAngle(sdV3(0.0f, 1.0f, 0.0f), angle));
}

SD_TEST(models_nut_turns_on_bolt) {
    TestContext test;
    TestContext_Init(&test);
    sdMesh *bolt = NULL, *nut = NULL;
    REQUIRE(sdModel_Create(&test.context, SD_MODEL_BOLT, 1.0f, &bolt) == SD_OK);
    REQUIRE(sdModel_Create(&test.context, SD_MODEL_NUT, 0.5f, &nut) == SD_OK);
    float bottom = sdMesh_GetBounds(bolt).lower.y;
    for (int i = 0; i <= 12; ++i) {
        // down from 0.9 to 0.3, by turns of a lead of 0.2
        float height = 0.9f - 0.05f * (float)i;
        float angle = 2.0f * SD_PI * height / 0.2f;
        CHECK(clearance(bolt, nut, turnedAboutY(bottom + height, angle)) > 0.002f);
    }
    // between: free to turn at any angle, as long as it rises with it
    CHECK(clearance(bolt, nut, turnedAboutY(bottom + 0.5f + 0.2f * 0.123f, 2.0f * SD_PI * 0.123f)) >
          0.002f);
    // half a pitch off, or turned without rising, it does not fit; nor does the other hand
    CHECK(clearance(bolt, nut, turnedAboutY(bottom + 0.55f, 0.0f)) < -0.01f);
    CHECK(clearance(bolt, nut, turnedAboutY(bottom + 0.5f, 0.5f * SD_PI)) < -0.01f);
    CHECK(clearance(bolt, nut, turnedAboutY(bottom + 0.525f, -0.25f * SD_PI)) < -0.01f);
    sdMesh_Release(bolt);
    sdMesh_Release(nut);
    TestContext_Finish(&test);
}

SD_TEST(models_ring_goes_over_post) {
    TestContext test;
    TestContext_Init(&test);
    sdMesh *post = NULL, *ring = NULL;
    REQUIRE(sdModel_Create(&test.context, SD_MODEL_POST, 4.0f, &post) == SD_OK);
    REQUIRE(sdModel_Create(&test.context, SD_MODEL_RING, 1.0f, &ring) == SD_OK);
    float foot = sdMesh_GetBounds(post).lower.y + 0.2f;
    CHECK(clearance(post, ring, turnedAboutY(foot + 0.1f, 0.3f)) > 0.0f);
    CHECK(clearance(post, ring, turnedAboutY(foot + 2.0f, 0.3f)) > 0.05f);
    // on the foot, and not through it
    CHECK(clearance(post, ring, turnedAboutY(foot + 0.05f, 0.3f)) < 0.0f);
    sdMesh_Release(post);
    sdMesh_Release(ring);
    TestContext_Finish(&test);
}

SD_TEST(models_chain_links_interlock) {
    TestContext test;
    TestContext_Init(&test);
    sdMesh* link = NULL;
    REQUIRE(sdModel_Create(&test.context, SD_MODEL_CHAIN_LINK, 1.0f, &link) == SD_OK);
    sdQuat quarter = sdQuat_FromAxisAngle(sdV3(1.0f, 0.0f, 0.0f), 0.5f * SD_PI);
    CHECK(clearance(link, link, sdTransform_Make(sdV3(0.62f, 0.0f, 0.0f), quarter)) > 0.005f);
    // pulled apart further than two thicknesses they would pass through each other
    CHECK(clearance(link, link, sdTransform_Make(sdV3(0.7f, 0.0f, 0.0f), quarter)) < 0.0f);
    sdMesh_Release(link);
    TestContext_Finish(&test);
}

SD_TEST(models_skull_is_hollow_and_open_below) {
    TestContext test;
    TestContext_Init(&test);
    sdMesh* skull = NULL;
    REQUIRE(sdModel_Create(&test.context, SD_MODEL_SKULL, 1.0f, &skull) == SD_OK);
    // from above: through the top of the head into the cavity
    sdVec3 above = sdV3(0.0f, 1.0f, -0.15f), down = sdV3(0.0f, -2.0f, 0.0f);
    sdMeshHit top = sdMesh_Raycast(skull, above, down);
    REQUIRE(top.triangle != SD_NULL_INDEX);
    CHECK(top.normal.y > 0.8f);
    sdMeshHit ceiling = sdMesh_Raycast(skull, sdAdd(top.point, sdV3(0.0f, -1e-3f, 0.0f)), down);
    REQUIRE(ceiling.triangle != SD_NULL_INDEX);
    CHECK(ceiling.normal.y < -0.8f);
    CHECK(top.point.y - ceiling.point.y > 0.04f);
    // and out through the opening without touching anything
    sdVec3 inside = sdAdd(ceiling.point, sdV3(0.0f, -0.2f, 0.0f));
    CHECK(!sdMesh_ContainsByParity(skull, inside));
    int exitCount = 0;
    TestRandom random = TestRandom_Make(3);
    for (int i = 0; i < 2000; ++i) {
        sdVec3 d = TestRandom_OnSphere(&random);
        bool isFree = sdMesh_Raycast(skull, inside, sdScale(3.0f, d)).triangle == SD_NULL_INDEX;
        CHECK(!isFree || d.y < -0.5f);
        exitCount += isFree;
    }
    CHECK(exitCount > 10 && exitCount < 200);
    sdMesh_Release(skull);
    TestContext_Finish(&test);
}

/// All bits of all models in one number. It changes with the models, but must not change from
/// compiler to compiler and from processor to processor.
SD_TEST(models_are_the_same_bits_everywhere) {
    TestContext test;
    TestContext_Init(&test);
    uint64_t hash = TEST_HASH_START;
    for (int kind = 0; kind < SD_MODEL_COUNT; ++kind) {
        sdMesh* mesh = NULL;
        REQUIRE(sdModel_Create(&test.context, (sdModelKind)kind, 1.0f, &mesh) == SD_OK);
        sdMeshData data = sdMesh_GetData(mesh);
        hash = TestHash(hash, data.vertices, (size_t)data.vertexCount * sizeof(sdVec3));
        hash = TestHash(hash, data.triangles, (size_t)data.triangleCount * 3 * sizeof(int32_t));
        sdMesh_Release(mesh);
    }
    CHECK_INT(hash, 0x46f7dcdba33041ceull);
    TestContext_Finish(&test);
}

static sdResult createModel(const sdContext* context, void* arg) {
    sdMesh* mesh = NULL;
    sdResult result = sdModel_Create(context, *(sdModelKind*)arg, 1.0f, &mesh);
    CHECK((mesh != NULL) == (result == SD_OK));
    sdMesh_Release(mesh);
    return result;
}

SD_TEST(models_survive_no_memory) {
    static const sdModelKind kinds[] = {SD_MODEL_SPHERE, SD_MODEL_RING, SD_MODEL_TETRAPOD,
                                        SD_MODEL_NUT, SD_MODEL_STAR};
    for (int i = 0; i < 5; ++i) {
        sdModelKind kind = kinds[i];
        TestContext_FailEach(createModel, &kind);
    }
}
