// SPDX-License-Identifier: MIT
// fuzz_mesh.c - any triangles: looked at, repaired, built, asked; fields, decompositions and bodies
// that may move are made of some.

#include "fuzz.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MAX_VERTICES 64
#define MAX_TRIANGLES 128
#define MAX_QUESTIONS 8

typedef struct Triangles {
    sdVec3 vertices[MAX_VERTICES];
    int32_t triangles[3 * MAX_TRIANGLES];
    int vertexCount, triangleCount;
} Triangles;

/// A closed body to begin with, so that not all of them are soups.
static void readModel(FuzzInput* in, Triangles* t) {
    static const sdModelKind kinds[] = {SD_MODEL_BOX, SD_MODEL_STAR, SD_MODEL_POST};
    sdMesh* mesh = NULL;
    if (FuzzInput_Bool(in)) {
        CHECK_INT(sdModel_CreateOctahedron(NULL, 8 + 2 * FuzzInput_Int(in, 20), 1.0f, &mesh),
                  SD_OK);
    } else {
        CHECK_INT(sdModel_Create(NULL, kinds[FuzzInput_Int(in, 3)], 1.0f, &mesh), SD_OK);
    }
    sdMeshData data = sdMesh_GetData(mesh);
    t->vertexCount = sdMinI(data.vertexCount, MAX_VERTICES);
    t->triangleCount = sdMinI(data.triangleCount, MAX_TRIANGLES);
    memcpy(t->vertices, data.vertices, (size_t)t->vertexCount * sizeof(sdVec3));
    memcpy(t->triangles, data.triangles, (size_t)t->triangleCount * 3 * sizeof(int32_t));
    sdMesh_Release(mesh);
}

static void readTriangles(FuzzInput* in, Triangles* t) {
    memset(t, 0, sizeof *t);
    if (FuzzInput_Int(in, 4) > 0) {
        readModel(in, t);
    } else {
        t->vertexCount = FuzzInput_Int(in, MAX_VERTICES);
        for (int i = 0; i < t->vertexCount; ++i) {
            t->vertices[i] = FuzzInput_Vec3(in, 1.0f);
        }
    }
    float scale = FuzzInput_Size(in, 1.0f);
    for (int i = 0; i < t->vertexCount; ++i) {
        t->vertices[i] = sdScale(scale, t->vertices[i]);
    }
    // the rest of the input changes single things
    for (int round = 0; !FuzzInput_IsAtEnd(in) && round < 200; ++round) {
        int i = FuzzInput_Int(in, sdMaxI(t->triangleCount, 1));
        int v = FuzzInput_Int(in, t->vertexCount + 1) - (FuzzInput_Int(in, 64) == 0 ? 2 : 0);
        switch (FuzzInput_Int(in, 6)) {
            case 0:
                t->triangles[3 * i + FuzzInput_Int(in, 3)] = v;
                break;
            case 1:
                v = FuzzInput_Int(in, MAX_VERTICES);
                t->vertices[v] = FuzzInput_Vec3(in, scale);
                break;
            case 2:
                t->triangleCount -= t->triangleCount > 0;
                break;
            case 3:
                v = FuzzInput_Int(in, MAX_VERTICES);
                t->vertices[v] = t->vertices[FuzzInput_Int(in, MAX_VERTICES)];
                break;
            default:
                if (t->triangleCount < MAX_TRIANGLES) {
                    int32_t* corners = &t->triangles[3 * t->triangleCount++];
                    corners[0] = FuzzInput_Int(in, t->vertexCount + 1);
                    corners[1] = FuzzInput_Int(in, t->vertexCount + 1);
                    corners[2] = v;
                }
        }
    }
}

// ---- what must hold ------------------------------------------------------------------------

static bool countTriangle(void* arg, int triangle) {
    CHECK(triangle >= 0);
    *(int*)arg += 1;
    return true;
}

static uint64_t lookAtParts(uint64_t hash, const sdMesh* mesh) {
    sdMeshData data = sdMesh_GetData(mesh);
    const sdMeshReport* report = sdMesh_GetReport(mesh);
    CHECK(data.triangleCount > 0 && data.vertexCount > 0);
    CHECK(report->triangleCount == data.triangleCount && report->vertexCount == data.vertexCount);
    for (int i = 0; i < 3 * data.triangleCount; ++i) {
        CHECK(data.triangles[i] >= 0 && data.triangles[i] < data.vertexCount);
        int neighbor = sdMesh_GetNeighbors(mesh)[i];
        CHECK(neighbor >= SD_NULL_INDEX && neighbor < data.triangleCount);
        hash = FuzzHash_Int(hash, data.triangles[i]);
    }
    int edgeCount;
    const sdMeshEdge* edges = sdMesh_GetEdges(mesh, &edgeCount);
    for (int i = 0; i < edgeCount; ++i) {
        CHECK(edges[i].triangles[0] >= 0 && edges[i].triangles[0] < data.triangleCount);
        CHECK(edges[i].triangles[1] < data.triangleCount && sdIsFinite(edges[i].cosAngle));
        CHECK(edges[i].vertices[0] >= 0 && edges[i].vertices[0] < data.vertexCount);
    }
    int found = 0;
    sdMesh_QueryBox(mesh, sdMesh_GetBounds(mesh), countTriangle, &found);
    CHECK_INT(found, data.triangleCount);
    char words[64];
    CHECK(sdMeshReport_Describe(report, words, (int)sizeof words) > 0);
    return hash;
}

/// The nearest point by looking at all triangles.
static float nearestByForce(const sdMesh* mesh, sdVec3 p) {
    sdMeshData data = sdMesh_GetData(mesh);
    float best = TestInfinity();
    for (int i = 0; i < data.triangleCount; ++i) {
        const int32_t* c = &data.triangles[3 * i];
        sdTrianglePoint point = sdClosestPointOnTriangle(p, data.vertices[c[0]],
                                                         data.vertices[c[1]], data.vertices[c[2]]);
        best = sdMinF(best, point.distanceSquared);
    }
    return sqrtf(best);
}

static uint64_t ask(uint64_t hash, const sdMesh* mesh, FuzzInput* in) {
    sdAABB box = sdMesh_GetBounds(mesh);
    float reach = sdMaxF(sdLength(box.lower), sdLength(box.upper));
    bool isUsual = reach > 1e-6f && reach < 1e6f;
    for (int i = 0; i < MAX_QUESTIONS; ++i) {
        sdVec3 p = FuzzInput_Vec3(in, isUsual ? 2.0f * reach : 1.0f);
        sdMeshPoint nearest = sdMesh_ClosestPoint(mesh, p, TestInfinity());
        CHECK(nearest.triangle < sdMesh_GetData(mesh).triangleCount && nearest.distance >= 0.0f);
        if (isUsual && sdVec3_IsFinite(p) && sdLength(p) < 4.0f * reach) {
            CHECK_NEAR(nearest.distance, nearestByForce(mesh, p), 1e-5f * reach);
        }
        hash = FuzzHash_Float(hash, nearest.distance);
        hash = FuzzHash_Int(hash, sdMesh_ContainsByParity(mesh, p));
        sdMeshHit hit = sdMesh_Raycast(mesh, p, FuzzInput_Vec3(in, 4.0f * reach));
        CHECK(hit.triangle == SD_NULL_INDEX || (hit.fraction >= 0.0f && hit.fraction <= 1.0f));
        hash = FuzzHash_Int(hash, hit.triangle);
        CHECK(!isnan(sdMesh_SignedDistance(mesh, p)));
        CHECK(!isnan(sdMesh_WindingNumberFast(mesh, p)));
    }
    sdMassProps mass;
    sdResult result = sdMesh_GetMass(mesh, 1.0f, &mass);
    CHECK(result != SD_OK || (sdIsFinite(mass.mass) && mass.mass >= 0.0f));
    hash = FuzzHash_Int(hash, result);
    result = sdMesh_GetShellMass(mesh, 1.0f, 0.01f, &mass);
    CHECK(result != SD_OK || sdIsFinite(mass.mass));
    return FuzzHash_Int(hash, result);
}

// ---- what is made of a mesh ----------------------------------------------------------------

static uint64_t makeField(uint64_t hash, const sdContext* context, const sdMesh* mesh,
                          FuzzInput* in) {
    sdFieldDef def = sdFieldDef_Default();
    def.resolution = FuzzInput_Int(in, 20);
    def.marginCells = FuzzInput_Int(in, 6);
    def.cellSize = FuzzInput_Int(in, 8) == 0 ? FuzzInput_Size(in, 0.1f) : 0.0f;
    def.sign = (sdFieldSign)FuzzInput_Int(in, 5);
    def.layout = (sdFieldLayout)FuzzInput_Int(in, 3);
    sdAABB box = sdMesh_GetBounds(mesh);
    // a thousand cells a side are right, and take minutes
    if (def.cellSize > 0.0f && sdLength(sdSub(box.upper, box.lower)) / def.cellSize > 40.0f) {
        def.cellSize = 0.0f;
    }
    sdField* field = NULL;
    sdResult result = sdField_Create(context, mesh, &def, &field);
    CHECK((result == SD_OK) == (field != NULL));
    hash = FuzzHash_Int(hash, result);
    for (int i = 0; field != NULL && i < MAX_QUESTIONS; ++i) {
        float distance = sdField_Sample(field, FuzzInput_Vec3(in, 2.0f));
        CHECK(sdIsFinite(distance));
        hash = FuzzHash_Float(hash, distance);
    }
    sdField_Release(field);
    return hash;
}

static uint64_t makeParts(uint64_t hash, const sdContext* context, const sdMesh* mesh,
                          FuzzInput* in) {
    sdDecomposeDef def = sdDecomposeDef_Default();
    def.maxPartCount = FuzzInput_Int(in, 8);
    def.resolution = 7 + FuzzInput_Int(in, 12);
    def.maxConcavity = FuzzInput_Float(in, 0.0f, 0.2f);
    sdCompound* parts = NULL;
    float concavity = -1.0f;
    sdResult result = sdMesh_Decompose(context, mesh, &def, &parts, &concavity);
    CHECK((result == SD_OK) == (parts != NULL));
    if (parts != NULL) {
        int count;
        sdCompound_GetChildren(parts, &count);
        CHECK(count >= 1 && count <= def.maxPartCount && concavity >= 0.0f);
        hash = FuzzHash_Int(hash, count);
        sdCompound_Release(parts);
    }
    return FuzzHash_Int(hash, result);
}

static uint64_t makeConcave(uint64_t hash, const sdContext* context, const sdMesh* mesh,
                            FuzzInput* in) {
    sdConcaveDef def = sdConcaveDef_Default();
    def.route = (sdConcaveRoute)FuzzInput_Int(in, 4);
    def.field.resolution = FuzzInput_Int(in, 16);
    def.field.resolution = def.field.resolution == 0 ? 8 : def.field.resolution;
    sdConcave* concave = NULL;
    sdResult result = sdConcave_Create(context, mesh, &def, &concave);
    CHECK((result == SD_OK) == (concave != NULL));
    if (concave != NULL) {
        sdConcaveInfo info = sdConcave_GetInfo(concave);
        CHECK(info.route != SD_CONCAVE_AUTO && info.reason != NULL && sdIsFinite(info.wall));
        hash = FuzzHash_Int(hash, info.vertexCount);
        sdConcave_Release(concave);
    }
    return FuzzHash_Int(hash, result);
}

static uint64_t run(const uint8_t* bytes, size_t size) {
    FuzzInput in = FuzzInput_Make(bytes, size);
    in.wildness = FuzzInput_Byte(&in) % 4 * 4;
    uint32_t repairs = FuzzInput_Byte(&in) & 31u;
    int more = FuzzInput_Byte(&in);
    float weld = FuzzInput_Int(&in, 4) == 0 ? FuzzInput_Size(&in, 0.1f) : 0.0f;
    FuzzInput questions = in;
    Triangles t;
    readTriangles(&in, &t);
    TestContext test;
    TestContext_Init(&test);
    sdMeshDef def = sdMeshDef_Default();
    def.data = (sdMeshData){t.vertices, t.vertexCount, t.triangles, t.triangleCount};
    def.repairs = repairs;
    def.weldDistance = weld;
    sdMeshReport report;
    uint64_t hash = TEST_HASH_START;
    hash = FuzzHash_Int(
        hash, sdMesh_Inspect(&test.context, &def.data, FuzzInput_Bool(&questions), &report));
    sdMesh* mesh = NULL;
    sdResult result = sdMesh_Create(&test.context, &def, &mesh);
    CHECK((result == SD_OK) == (mesh != NULL));
    CHECK(mesh != NULL || test.lastError[0] != '\0');
    hash = FuzzHash_Int(hash, result);
    if (mesh != NULL) {
        hash = lookAtParts(hash, mesh);
        hash = ask(hash, mesh, &questions);
        hash = more % 4 == 1 ? makeField(hash, &test.context, mesh, &questions) : hash;
        hash = more % 8 == 2 ? makeParts(hash, &test.context, mesh, &questions) : hash;
        hash = more % 4 == 3 ? makeConcave(hash, &test.context, mesh, &questions) : hash;
        sdMesh_Release(mesh);
    }
    TestContext_Finish(&test);
    return hash;
}

static void addSeeds(FuzzSeeds* seeds) {
    for (int i = 0; i < 16; ++i) {
        // wildness, repairs, what is made of it, no welding, a model, its kind, size, some changes
        const uint8_t bytes[] = {0,
                                 15,
                                 (uint8_t)i,
                                 1,
                                 1,
                                 (uint8_t)(i / 4),
                                 (uint8_t)(i / 2),
                                 0,
                                 128,
                                 3,
                                 5,
                                 2,
                                 7,
                                 1,
                                 1,
                                 9,
                                 9,
                                 90,
                                 2,
                                 200,
                                 100};
        FuzzSeeds_Add(seeds, bytes, i < 8 ? 9 : sizeof bytes);
    }
}

const FuzzTarget fuzzTarget = {"mesh", run, addSeeds, 1024, NULL};
