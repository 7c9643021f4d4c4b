// SPDX-License-Identifier: MIT
// Spheres and capsules on meshes have a way of their own, which finds what that of all bodies
// finds.

#include "mesh_support.h"

#include "geometry/mesh.h"
#include "narrow/collide_surface.h"

#include <math.h>

#define MAX_PATCHES 64
#define MARGIN 0.02f
/// m
#define TOLERANCE 1e-6

typedef enum SurfaceKind {
    SURFACE_BOX,      ///< solid, sharp
    SURFACE_HILLS,    ///< solid, sharp and hollow
    SURFACE_UNJOINED, ///< the same, but no triangle knows its neighbours
    SURFACE_TORUS,    ///< solid, smooth
    SURFACE_FOLDS,    ///< open
    SURFACE_SHREDS,   ///< open and unjoined
    SURFACE_COUNT
} SurfaceKind;

#define FOLD_PARTS 7

/// A square of the plane y = 0 whose corners are moved up and down.
static void addFolds(TestMesh* mesh, TestRandom* random) {
    const int row = FOLD_PARTS + 1;
    float height = TestRandom_Float(random, 0.0f, 0.4f);
    for (int i = 0; i < row * row; ++i) {
        double x = 3.0 * ((double)(i / row) / FOLD_PARTS - 0.5);
        double z = 3.0 * ((double)(i % row) / FOLD_PARTS - 0.5);
        TestMesh_AddVertex(mesh, x, (double)TestRandom_Float(random, 0.0f, height), z);
    }
    for (int i = 0; i < FOLD_PARTS * FOLD_PARTS; ++i) {
        int at = i / FOLD_PARTS * row + i % FOLD_PARTS;
        TestMesh_AddTriangle(mesh, at, at + 1, at + row + 1);
        TestMesh_AddTriangle(mesh, at, at + row + 1, at + row);
    }
}

static sdMesh* makeSurface(SurfaceKind kind, TestRandom* random) {
    TestMesh mesh = {0};
    sdMeshDef def;
    if (kind == SURFACE_BOX) {
        TestMesh_AddBox(&mesh, sdV3(0.0f, 0.0f, 0.0f), sdV3(1.0f, 0.5f, 0.8f));
    } else if (kind == SURFACE_TORUS) {
        TestMesh_AddTorus(&mesh, 0.9, 0.3, 24, 12);
    } else if (kind == SURFACE_HILLS || kind == SURFACE_UNJOINED) {
        mesh = TestMesh_Hills(12, 6, 0.3);
    } else {
        addFolds(&mesh, random);
    }
    bool isJoined = kind != SURFACE_UNJOINED && kind != SURFACE_SHREDS;
    if (!isJoined) {
        TestMesh_Unshare(&mesh);
    }
    def = TestMesh_Def(&mesh);
    def.repairs = isJoined ? SD_MESH_REPAIR_ALL : 0;
    sdMesh* out = TestMesh_Create(NULL, &def);
    TestMesh_Free(&mesh);
    return out;
}

/// How far two patches are from being the same, m.
static double differenceOf(const sdManifold* a, const sdManifold* b) {
    if (a->pointCount != b->pointCount || a->kind != b->kind || a->childA != b->childA) {
        return DBL_MAX;
    }
    double worst = (double)sdLength(sdSub(a->normal, b->normal));
    for (int i = 0; i < a->pointCount; ++i) {
        const sdManifoldPoint *p = &a->points[i], *q = &b->points[i];
        worst = p->id == q->id ? worst : DBL_MAX;
        worst = fmax(worst, (double)sdLength(sdSub(p->pointA, q->pointA)));
        worst = fmax(worst, (double)sdLength(sdSub(p->pointB, q->pointB)));
        worst = fmax(worst, fabs((double)p->separation - (double)q->separation));
    }
    return worst;
}

/// A sphere or capsule at some place of a surface, on either side.
static sdShape placeBody(const sdMesh* mesh, TestRandom* random, sdTransform* xf) {
    int triangle = TestRandom_Int(random, mesh->triangleCount);
    const int32_t* t = mesh->triangles + 3 * (size_t)triangle;
    float u = TestRandom_Float(random, 0.0f, 1.0f), v = TestRandom_Float(random, 0.0f, 1.0f - u);
    sdVec3 a = mesh->vertices[t[0]], b = mesh->vertices[t[1]], c = mesh->vertices[t[2]];
    sdVec3 p = sdMulAdd(sdMulAdd(a, u, sdSub(b, a)), v, sdSub(c, a));
    float radius = TestRandom_Float(random, 0.02f, 0.2f);
    float half = TestRandom_Float(random, 0.0f, 0.3f);
    bool isBall = TestRandom_Int(random, 3) == 0;
    float reach = TestRandom_Float(random, 0.0f, 1.0f) * (isBall ? 0.0f : half);
    float height = TestRandom_Float(random, 0.8f * radius, radius + reach + 0.02f);
    float side = mesh->report.isSolid || TestRandom_Int(random, 2) == 0 ? 1.0f : -1.0f;
    *xf = (sdTransform){sdMulAdd(p, side * height, mesh->faceNormals[triangle]),
                        TestRandom_Rotation(random)};
    return isBall ? sdShape_Sphere(radius) : sdShape_Capsule(half, radius);
}

/// Where a body touches an edge at two points, the way of all bodies knows the nearest point as one
/// of them, and not between: a few in a million are taken for those of a face, or the other way
/// round. All others are the same to rounding.
SD_TEST(surface_round_bodies_touch_as_all_others_do) {
    TestRandom random = TestRandom_Make(31);
    static const char* const names[SURFACE_COUNT] = {"box",   "hills", "unjoined hills",
                                                     "torus", "folds", "shreds"};
    for (int kind = 0; kind < SURFACE_COUNT; ++kind) {
        int patchCount = 0, differentCount = 0;
        double worst = 0.0;
        sdMesh* mesh = NULL;
        for (int i = 0; i < TestRounds(20000); ++i) {
            if (i % 100 == 0) {
                sdMesh_Release(mesh);
                mesh = makeSurface((SurfaceKind)kind, &random);
            }
            sdTransform xf;
            sdShape body = placeBody(mesh, &random, &xf), surface = sdShape_Mesh(mesh);
            sdManifold own[MAX_PATCHES], any[MAX_PATCHES];
            int count = sdSurface_Collide(SD_NARROWPHASE_AUTO, &surface, &body, xf, MARGIN, own,
                                          MAX_PATCHES, NULL);
            int anyCount = sdSurface_CollideAny(&surface, &body, xf, MARGIN, any, MAX_PATCHES);
            patchCount += count;
            differentCount += count != anyCount ? 1 : 0;
            for (int k = 0; k < count && count == anyCount; ++k) {
                double difference = differenceOf(&own[k], &any[k]);
                differentCount += difference > TOLERANCE ? 1 : 0;
                worst = fmax(worst, difference <= TOLERANCE ? difference : 0.0);
            }
        }
        sdMesh_Release(mesh);
        sdTest_Print("%s: %d patches, within %.1e m; %d are others", names[kind], patchCount, worst,
                     differentCount);
        CHECK(patchCount > TestRounds(20000) / 2);
        CHECK(differentCount <= patchCount / 10000 + 1);
    }
}
