// SPDX-License-Identifier: MIT
// test_mesh.c - building meshes: weld, drop, orient, edges, normals, samples.

#include "geometry/mesh.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

/// Corner k of the cube of half size 1: bits 0, 1, 2 of k choose x, y, z.
static const int32_t cubeTriangles[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                          2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};

static void makeCube(sdVec3 center, sdVec3 half, sdVec3 out[8]) {
    for (int k = 0; k < 8; ++k) {
        sdVec3 sign = sdV3((k & 1) != 0 ? 1.0f : -1.0f, (k & 2) != 0 ? 1.0f : -1.0f,
                           (k & 4) != 0 ? 1.0f : -1.0f);
        out[k] = sdAdd(center, sdMul(half, sign));
    }
}

SD_TEST(mesh_cube_is_a_solid) {
    TestContext test;
    TestContext_Init(&test);
    sdVec3 vertices[8];
    makeCube(sdV3(0.0f, 0.0f, 0.0f), sdV3(1.0f, 1.0f, 1.0f), vertices);
    sdMeshDef def = sdMeshDef_Default();
    def.data = (sdMeshData){vertices, 8, cubeTriangles, 12};
    sdMesh* mesh = NULL;
    REQUIRE(sdMesh_Create(&test.context, &def, &mesh) == SD_OK);
    const sdMeshReport* report = sdMesh_GetReport(mesh);
    CHECK_INT(report->vertexCount, 8);
    CHECK_INT(report->triangleCount, 12);
    CHECK_INT(report->edgeCount, 18);
    CHECK_INT(report->componentCount, 1);
    CHECK_INT(report->genus, 0);
    CHECK_INT(report->boundaryEdgeCount, 0);
    CHECK_INT(report->flippedTriangleCount, 0);
    CHECK(report->isClosed && report->isManifold && report->isOriented && report->isSolid);
    CHECK_NEAR(report->volume, 8.0, 1e-12);
    CHECK_NEAR(report->area, 24.0, 1e-12);
    sdMassProps mass;
    CHECK_INT(sdMesh_GetMass(mesh, 2.0f, &mass), SD_OK);
    CHECK_NEAR(mass.mass, 16.0, 1e-6);
    CHECK_NEAR(mass.inertia.cx.x, 16.0 * 8.0 / 12.0, 1e-5);
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
}
