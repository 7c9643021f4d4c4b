// SPDX-License-Identifier: MIT
// mesh_support.c - see mesh_support.h.

#include "mesh_support.h"

#include "math/trig.h"

#include <stdlib.h>
#include <string.h>

double TestSin(double x) {
    double sine, cosine;
    sdSinCosD(x, &sine, &cosine);
    return sine;
}

double TestCos(double x) {
    double sine, cosine;
    sdSinCosD(x, &sine, &cosine);
    return cosine;
}

void TestMesh_Free(TestMesh* mesh) {
    free(mesh->vertices);
    free(mesh->triangles);
    *mesh = (TestMesh){0};
}

sdMeshData TestMesh_Data(const TestMesh* mesh) {
    return (sdMeshData){mesh->vertices, mesh->vertexCount, mesh->triangles, mesh->triangleCount};
}

sdMeshDef TestMesh_Def(const TestMesh* mesh) {
    sdMeshDef def = sdMeshDef_Default();
    def.data = TestMesh_Data(mesh);
    return def;
}

sdVec3 TestMesh_Corner(const TestMesh* mesh, int triangle, int corner) {
    return mesh->vertices[mesh->triangles[3 * triangle + corner]];
}

/// Room is doubled whenever the count is a power of two.
static void* growAt(void* memory, int count, size_t itemSize) {
    if (count != 0 && (count & (count - 1)) != 0) {
        return memory;
    }
    void* grown = realloc(memory, (count == 0 ? 1 : 2 * (size_t)count) * itemSize);
    if (grown == NULL) {
        abort();
    }
    return grown;
}

int TestMesh_AddVertex(TestMesh* mesh, double x, double y, double z) {
    mesh->vertices = growAt(mesh->vertices, mesh->vertexCount, sizeof(sdVec3));
    mesh->vertices[mesh->vertexCount] = sdV3((float)x, (float)y, (float)z);
    return mesh->vertexCount++;
}

void TestMesh_AddTriangle(TestMesh* mesh, int a, int b, int c) {
    mesh->triangles = growAt(mesh->triangles, mesh->triangleCount, 3 * sizeof(int32_t));
    int32_t* v = mesh->triangles + 3 * (size_t)mesh->triangleCount++;
    v[0] = a;
    v[1] = b;
    v[2] = c;
}

static int addPoint(TestMesh* mesh, sdVec3 p) {
    return TestMesh_AddVertex(mesh, (double)p.x, (double)p.y, (double)p.z);
}

void TestMesh_AddLoose(TestMesh* mesh, sdVec3 a, sdVec3 b, sdVec3 c) {
    int i = addPoint(mesh, a), j = addPoint(mesh, b), k = addPoint(mesh, c);
    TestMesh_AddTriangle(mesh, i, j, k);
}

void TestMesh_AddBox(TestMesh* mesh, sdVec3 center, sdVec3 half) {
    static const int corners[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                    2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    int base = mesh->vertexCount;
    for (int k = 0; k < 8; ++k) {
        sdVec3 sign = sdV3((k & 1) != 0 ? 1.0f : -1.0f, (k & 2) != 0 ? 1.0f : -1.0f,
                           (k & 4) != 0 ? 1.0f : -1.0f);
        addPoint(mesh, sdAdd(center, sdMul(half, sign)));
    }
    for (int t = 0; t < 12; ++t) {
        TestMesh_AddTriangle(mesh, base + corners[3 * t], base + corners[3 * t + 1],
                             base + corners[3 * t + 2]);
    }
}

void TestMesh_AddStar(TestMesh* mesh, sdVec3 center, int rings, int segments, TestRadius* radius,
                      void* arg) {
    int base = mesh->vertexCount;
    for (int i = 0; i <= rings; ++i) {
        double theta = TEST_PI * i / rings;
        for (int j = 0; j < (i == 0 || i == rings ? 1 : segments); ++j) {
            double phi = 2.0 * TEST_PI * j / segments;
            double dx = TestSin(theta) * TestCos(phi), dy = TestSin(theta) * TestSin(phi);
            double dz = TestCos(theta);
            double r = radius(arg, sdV3((float)dx, (float)dy, (float)dz));
            TestMesh_AddVertex(mesh, (double)center.x + r * dx, (double)center.y + r * dy,
                               (double)center.z + r * dz);
        }
    }
    int last = mesh->vertexCount - 1;
    for (int i = 0; i < rings; ++i) {
        for (int j = 0; j < segments; ++j) {
            int next = (j + 1) % segments;
            int upper = base + 1 + (i - 1) * segments, lower = base + 1 + i * segments;
            if (i == 0) {
                TestMesh_AddTriangle(mesh, base, lower + j, lower + next);
            } else if (i == rings - 1) {
                TestMesh_AddTriangle(mesh, upper + j, last, upper + next);
            } else {
                TestMesh_AddTriangle(mesh, upper + j, lower + j, lower + next);
                TestMesh_AddTriangle(mesh, upper + j, lower + next, upper + next);
            }
        }
    }
}

static double constantRadius(void* arg, sdVec3 direction) {
    (void)direction;
    return *(const double*)arg;
}

void TestMesh_AddBall(TestMesh* mesh, sdVec3 center, double radius, int rings, int segments) {
    TestMesh_AddStar(mesh, center, rings, segments, constantRadius, &radius);
}

/// x y z has eight extremes of 1 / sqrt(27).
static double hillyRadius(void* arg, sdVec3 direction) {
    const double peak = 5.196152422706632;
    double product = (double)direction.x * (double)direction.y * (double)direction.z;
    return 1.0 + *(const double*)arg * peak * product;
}

TestMesh TestMesh_Hills(int around, int down, double hills) {
    TestMesh mesh = {0};
    TestMesh_AddStar(&mesh, sdV3(0.0f, 0.0f, 0.0f), down, around, hillyRadius, &hills);
    return mesh;
}

TestMesh TestMesh_Soup(TestRandom* random, int count, float reach, float size, sdVec3 center) {
    TestMesh mesh = {0};
    for (int i = 0; i < count; ++i) {
        sdVec3 middle = sdAdd(center, TestRandom_InBox(random, reach));
        sdVec3 a = sdAdd(middle, TestRandom_InBox(random, size));
        sdVec3 b = sdAdd(middle, TestRandom_InBox(random, size));
        TestMesh_AddLoose(&mesh, a, b, sdAdd(middle, TestRandom_InBox(random, size)));
    }
    return mesh;
}

void TestMesh_AddTorus(TestMesh* mesh, double radius, double tube, int major, int minor) {
    int base = mesh->vertexCount;
    for (int i = 0; i < major; ++i) {
        double u = 2.0 * TEST_PI * i / major;
        for (int j = 0; j < minor; ++j) {
            double v = 2.0 * TEST_PI * j / minor;
            double r = radius + tube * TestCos(v);
            TestMesh_AddVertex(mesh, r * TestCos(u), r * TestSin(u), tube * TestSin(v));
        }
    }
    for (int i = 0; i < major; ++i) {
        for (int j = 0; j < minor; ++j) {
            int a = base + i * minor + j, b = base + (i + 1) % major * minor + j;
            int c = base + (i + 1) % major * minor + (j + 1) % minor;
            int d = base + i * minor + (j + 1) % minor;
            TestMesh_AddTriangle(mesh, a, b, c);
            TestMesh_AddTriangle(mesh, a, c, d);
        }
    }
}

void TestMesh_AddPrism(TestMesh* mesh, double radius, double height, int sides) {
    int base = mesh->vertexCount;
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < sides; ++i) {
            double u = 2.0 * TEST_PI * i / sides;
            TestMesh_AddVertex(mesh, radius * TestCos(u), radius * TestSin(u),
                               k == 0 ? -0.5 * height : 0.5 * height);
        }
    }
    for (int i = 0; i < sides; ++i) {
        int next = (i + 1) % sides;
        TestMesh_AddTriangle(mesh, base + i, base + next, base + sides + next);
        TestMesh_AddTriangle(mesh, base + i, base + sides + next, base + sides + i);
        if (i >= 1 && i + 1 < sides) {
            TestMesh_AddTriangle(mesh, base, base + i + 1, base + i);
            TestMesh_AddTriangle(mesh, base + sides, base + sides + i, base + sides + i + 1);
        }
    }
}

void TestMesh_Flip(TestMesh* mesh, int triangle) {
    int32_t* v = mesh->triangles + 3 * (size_t)triangle;
    int32_t second = v[1];
    v[1] = v[2];
    v[2] = second;
}

void TestMesh_FlipAll(TestMesh* mesh, int begin, int end) {
    for (int t = begin; t < end; ++t) {
        TestMesh_Flip(mesh, t);
    }
}

void TestMesh_Unshare(TestMesh* mesh) {
    TestMesh loose = {0};
    for (int t = 0; t < mesh->triangleCount; ++t) {
        const int32_t* v = mesh->triangles + 3 * (size_t)t;
        TestMesh_AddLoose(&loose, mesh->vertices[v[0]], mesh->vertices[v[1]], mesh->vertices[v[2]]);
    }
    TestMesh_Free(mesh);
    *mesh = loose;
}

void TestMesh_Move(TestMesh* mesh, float scale, sdTransform xf) {
    for (int i = 0; i < mesh->vertexCount; ++i) {
        mesh->vertices[i] = sdTransformPoint(xf, sdScale(scale, mesh->vertices[i]));
    }
}

sdMesh* TestMesh_Create(const sdContext* context, const sdMeshDef* def) {
    sdMesh* mesh = NULL;
    CHECK_INT(sdMesh_Create(context, def, &mesh), SD_OK);
    return mesh;
}

sdMesh* TestMesh_Build(const sdContext* context, const TestMesh* mesh) {
    sdMeshDef def = TestMesh_Def(mesh);
    return TestMesh_Create(context, &def);
}

sdMeshReport TestMesh_RepairedReport(const TestMesh* triangles) {
    TestContext test;
    TestContext_Init(&test);
    sdMeshDef def = TestMesh_Def(triangles);
    sdMesh* mesh = TestMesh_Create(&test.context, &def);
    sdMeshReport report = {0};
    if (mesh != NULL) {
        report = *sdMesh_GetReport(mesh);
    }
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
    return report;
}
