// SPDX-License-Identifier: MIT
// test_tessellate.c - triangles of shapes, as they are drawn.

#include "hull_check.h"

#include "tessellate.h"

/// Volume under the triangles; checks that each faces the way its normals do.
static double volumeOf(const sdTessellation* t) {
    double sum = 0.0;
    int wrongCount = 0;
    for (int i = 0; i < t->indexCount; i += 3) {
        const sdTessellationVertex *a = &t->vertices[t->indices[i]],
                                   *b = &t->vertices[t->indices[i + 1]],
                                   *c = &t->vertices[t->indices[i + 2]];
        sdVec3 across = sdCross(sdSub(b->position, a->position), sdSub(c->position, a->position));
        const sdTessellationVertex* all[3] = {a, b, c};
        for (int k = 0; k < 3; ++k) {
            wrongCount += sdAbsF(sdLength(all[k]->normal) - 1.0f) > 1e-5f;
            wrongCount += !(sdDot(across, all[k]->normal) > 0.0f);
        }
        sum += (double)sdDot(a->position, sdCross(b->position, c->position)) / 6.0;
    }
    CHECK_INT(wrongCount, 0);
    return sum;
}

static bool isSamePlace(sdVec3 a, sdVec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/// Every edge has its other side: the same two places the other way round.
static bool isClosed(const sdTessellation* t) {
    for (int i = 0; i < t->indexCount; ++i) {
        int next = i - i % 3 + (i + 1) % 3;
        sdVec3 a = t->vertices[t->indices[i]].position, b = t->vertices[t->indices[next]].position;
        bool found = false;
        for (int k = 0; k < t->indexCount && !found; ++k) {
            int after = k - k % 3 + (k + 1) % 3;
            sdVec3 c = t->vertices[t->indices[k]].position;
            sdVec3 d = t->vertices[t->indices[after]].position;
            found = isSamePlace(a, d) && isSamePlace(b, c);
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

static void checkVolume(sdShape shape, double tolerance) {
    sdTessellationDef def = sdTessellationDef_Default();
    def.segmentCount = 128;
    sdTessellation t;
    REQUIRE(sdTessellate(NULL, &shape, &def, &t) == SD_OK);
    sdMassProps mass;
    REQUIRE(sdShape_GetMass(NULL, &shape, 1.0f, &mass) == SD_OK);
    double volume = volumeOf(&t);
    if (!CHECK_NEAR(volume / (double)mass.mass, 1.0, tolerance)) {
        sdTest_Print("%s", sdShapeType_Name(shape.type));
    }
    sdTessellation_Free(&t);
}

SD_TEST(render_triangles_enclose_the_volume) {
    // 128 corners: an area of 2 pi² / 3 / 128² less than the circle's, twice that for balls
    checkVolume(sdShape_Sphere(0.7f), 1.5e-3);
    checkVolume(sdShape_Capsule(0.4f, 0.3f), 1.5e-3);
    checkVolume(sdShape_Box(0.2f, 0.5f, 0.9f), 1e-5);
    checkVolume(sdShape_Cylinder(0.6f, 0.2f), 1e-3);
    checkVolume(sdShape_Cone(0.6f, 0.2f), 1e-3);
    sdHull* hull = TestHull_OnSphere(40);
    checkVolume(sdShape_Hull(hull), 1e-5);
    sdMesh* mesh = NULL;
    REQUIRE(sdModel_Create(NULL, SD_MODEL_TORUS, 1.0f, &mesh) == SD_OK);
    checkVolume(sdShape_Mesh(mesh), 1e-5);

    // far enough from each other for the volumes to add up
    sdCompoundChild children[2] = {
        {sdShape_Hull(hull), TestAt(3.0f, 0.0f, 1.0f)},
        {sdShape_Box(0.5f, 0.2f, 0.1f),
         {{-2.0f, 0.5f, 0.0f}, sdQuat_FromAxisAngle(sdV3(0.0f, 0.6f, 0.8f), 1.0f)}}};
    sdCompound* compound = NULL;
    REQUIRE(sdCompound_Create(NULL, children, 2, &compound) == SD_OK);
    checkVolume(sdShape_Compound(compound), 1e-5);
    sdCompound_Release(compound);
    sdMesh_Release(mesh);
    sdHull_Release(hull);
}

SD_TEST(render_triangles_are_closed) {
    sdHull* hull = TestHull_OnSphere(12);
    const sdShape shapes[] = {sdShape_Sphere(1.0f),          sdShape_Capsule(0.5f, 0.3f),
                              sdShape_Box(0.1f, 1.0f, 2.0f), sdShape_Cylinder(0.5f, 0.4f),
                              sdShape_Cone(0.5f, 0.4f),      sdShape_Hull(hull)};
    const int segmentCounts[] = {4, 5, 8, 14};
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < 4; ++k) {
            sdTessellationDef def = sdTessellationDef_Default();
            def.segmentCount = segmentCounts[k];
            sdTessellation t;
            REQUIRE(sdTessellate(NULL, &shapes[i], &def, &t) == SD_OK);
            if (!CHECK(isClosed(&t))) {
                sdTest_Print("%s, %d segments", sdShapeType_Name(shapes[i].type), segmentCounts[k]);
            }
            sdTessellation_Free(&t);
        }
    }
    sdHull_Release(hull);
}

SD_TEST(render_meshes_are_smooth_between_creases) {
    sdMesh *box = NULL, *ball = NULL;
    REQUIRE(sdModel_Create(NULL, SD_MODEL_BOX, 1.0f, &box) == SD_OK);
    REQUIRE(sdModel_Create(NULL, SD_MODEL_SPHERE, 1.0f, &ball) == SD_OK);
    sdShape shape = sdShape_Mesh(box);
    sdTessellation t;
    REQUIRE(sdTessellate(NULL, &shape, NULL, &t) == SD_OK);
    // three normals at each of eight corners
    CHECK_INT(t.vertexCount, 24);
    sdTessellation_Free(&t);

    shape = sdShape_Mesh(ball);
    REQUIRE(sdTessellate(NULL, &shape, NULL, &t) == SD_OK);
    CHECK_INT(t.vertexCount, sdMesh_GetData(ball).vertexCount);
    for (int i = 0; i < t.vertexCount; ++i) {
        CHECK(sdDot(t.vertices[i].normal, sdNormalize(t.vertices[i].position)) > 0.999f);
    }
    sdTessellation_Free(&t);
    sdMesh_Release(box);
    sdMesh_Release(ball);
}

SD_TEST(render_hull_faces_know_their_rims) {
    sdVec3 corners[8];
    for (int i = 0; i < 8; ++i) {
        corners[i] = sdV3(i & 1 ? 1.0f : -1.0f, i & 2 ? 2.0f : -2.0f, i & 4 ? 3.0f : -3.0f);
    }
    sdHullDef def = sdHullDef_Default();
    def.points = corners;
    def.pointCount = 8;
    sdHull* hull = NULL;
    REQUIRE(sdHull_Create(NULL, &def, &hull) == SD_OK);
    sdShape shape = sdShape_Hull(hull);
    sdTessellation t;
    REQUIRE(sdTessellate(NULL, &shape, NULL, &t) == SD_OK);
    // at every vertex the distance to the nearest edge line of its fan: half sides in the middle
    for (int i = 0; i < t.vertexCount; ++i) {
        sdVec3 p = sdAbs(t.vertices[i].position);
        bool isCorner = p.x == 1.0f && p.y == 2.0f && p.z == 3.0f;
        float edge = t.vertices[i].edge;
        CHECK(isCorner ? edge == 0.0f
                       : sdAbsF(edge - 1.0f) < 1e-6f || sdAbsF(edge - 2.0f) < 1e-6f ||
                             sdAbsF(edge - 3.0f) < 1e-6f);
    }
    sdTessellation_Free(&t);
    sdHull_Release(hull);
}

static sdResult tessellateAction(const sdContext* context, void* arg) {
    sdTessellation t;
    sdResult result = sdTessellate(context, arg, NULL, &t);
    CHECK(result == SD_OK || t.vertices == NULL);
    sdTessellation_Free(&t);
    return result;
}

SD_TEST(render_triangles_survive_lack_of_memory) {
    sdMesh* mesh = NULL;
    REQUIRE(sdModel_Create(NULL, SD_MODEL_STAR, 1.0f, &mesh) == SD_OK);
    sdCompoundChild children[2] = {{sdShape_Sphere(1.0f), TestAt(3.0f, 0.0f, 1.0f)},
                                   {sdShape_Mesh(mesh), TestAt(0.0f, 0.0f, 0.0f)}};
    sdCompound* compound = NULL;
    REQUIRE(sdCompound_Create(NULL, children, 2, &compound) == SD_OK);
    sdShape shape = sdShape_Compound(compound);
    CHECK(TestContext_FailEach(tessellateAction, &shape) >= 5);
    sdCompound_Release(compound);
    sdMesh_Release(mesh);
}

SD_TEST(render_triangles_refuse_bad_input) {
    TestContext test;
    TestContext_Init(&test);
    sdTessellation t;
    sdShape good = sdShape_Sphere(1.0f), bad = sdShape_Sphere(-1.0f);
    sdTessellationDef def = sdTessellationDef_Default();
    CHECK_INT(sdTessellate(&test.context, &bad, NULL, &t), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdTessellate(&test.context, NULL, NULL, &t), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdTessellate(&test.context, &good, NULL, NULL), SD_ERROR_INVALID_ARGUMENT);
    def.segmentCount = 3;
    CHECK_INT(sdTessellate(&test.context, &good, &def, &t), SD_ERROR_INVALID_ARGUMENT);
    CHECK_TEXT(test.lastError, "segmentCount 3 (4 .. 1024)");
    def.segmentCount = 100000;
    CHECK_INT(sdTessellate(&test.context, &good, &def, &t), SD_ERROR_INVALID_ARGUMENT);
    def = sdTessellationDef_Default();
    def.halfSpaceExtent = TestNaN();
    CHECK_INT(sdTessellate(&test.context, &good, &def, &t), SD_ERROR_INVALID_ARGUMENT);
    sdTessellation_Free(NULL);
    TestContext_Finish(&test);
}
