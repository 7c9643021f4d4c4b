// SPDX-License-Identifier: MIT
// hello.c - a first look: make a body, ask what it is, weigh it, measure distances to it.
//
// It is also a test: it returns 1 when anything is not as it says.

#include <sudar/sudar.h>

#include <stdio.h>

/// Steel, kg/m³.
#define DENSITY 7850.0f

static int fail(const char* what, sdResult result) {
    fprintf(stderr, "%s: %s\n", what, sdResult_Text(result));
    return 1;
}

static void describe(const sdMesh* mesh) {
    const sdMeshReport* report = sdMesh_GetReport(mesh);
    char words[1024];
    sdMeshReport_Describe(report, words, sizeof words);
    printf("A ring of genus %d:\n%s", report->genus, words);
}

int main(void) {
    // NULL stands for the default context: malloc, messages to stderr, one thread
    sdMesh* ring = NULL;
    sdResult result = sdModel_Create(NULL, SD_MODEL_RING, 0.1f, &ring);
    if (result != SD_OK) {
        return fail("sdModel_Create", result);
    }
    describe(ring);

    sdMassProps mass;
    result = sdMesh_GetMass(ring, DENSITY, &mass);
    if (result != SD_OK) {
        return fail("sdMesh_GetMass", result);
    }
    printf("In steel it weighs %.1f g.\n", 1000.0 * (double)mass.mass);

    // a signed distance field answers for any point how far the surface is, and on which side
    sdField* field = NULL;
    sdFieldDef def = sdFieldDef_Default();
    result = sdField_Create(NULL, ring, &def, &field);
    if (result != SD_OK) {
        return fail("sdField_Create", result);
    }
    sdVec3 points[2] = {{0.0f, 0.0f, 0.0f}, sdMesh_GetData(ring).vertices[0]};
    float distances[2];
    sdField_SampleMany(field, points, 2, distances, NULL);
    printf("Its centre is %.1f mm away from the surface: rings have holes.\n",
           1000.0 * (double)distances[0]);
    sdFieldInfo info = sdField_GetInfo(field);
    printf("The field of %d x %d x %d cells takes %zu KB.\n", info.cells[0], info.cells[1],
           info.cells[2], info.byteCount / 1024);

    bool isRight = distances[0] > 0.01f && sdAbsF(distances[1]) < info.cellSize;
    sdField_Release(field);
    sdMesh_Release(ring);
    return isRight ? 0 : 1;
}
