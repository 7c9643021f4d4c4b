// SPDX-License-Identifier: MIT
// test_hull_qhull.c - hulls against libqhull, which works in double and merges by its own rules.

#if defined(SD_TEST_QHULL)

#include "hull_check.h"

#include <libqhull_r/qhull_ra.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define SETS_PER_KIND 60
#else
#define SETS_PER_KIND 700
#endif

enum { MAX_COUNT = 200 };

/// m: thickness below which the library calls sets of some metres flat.
#define FLAT 1e-5

typedef struct Reference {
    bool isFlat; ///< qhull refused
    double volume, area;
    int vertexCount, facetCount;
    sdVec3 vertices[MAX_COUNT];
    double facets[4 * 4 * MAX_COUNT]; ///< normal, offset
} Reference;

static void runQhull(const sdVec3* points, int count, Reference* out) {
    coordT coordinates[3 * MAX_COUNT];
    for (int i = 0; i < count; ++i) {
        coordinates[3 * i] = (double)points[i].x;
        coordinates[3 * i + 1] = (double)points[i].y;
        coordinates[3 * i + 2] = (double)points[i].z;
    }
    qhT qhData;
    qhT* qh = &qhData;
    FILE* silence = tmpfile();
    char options[] = "qhull Pp";
    qh_zero(qh, silence);
    out->isFlat = qh_new_qhull(qh, 3, count, coordinates, 0, options, NULL, silence) != 0;
    out->vertexCount = out->facetCount = 0;
    if (!out->isFlat) {
        vertexT* vertex;
        facetT* facet;
        qh_getarea(qh, qh->facet_list);
        out->volume = qh->totvol;
        out->area = qh->totarea;
        FORALLvertices {
            out->vertices[out->vertexCount++] = points[qh_pointid(qh, vertex->point)];
        }
        FORALLfacets {
            double* plane = &out->facets[4 * out->facetCount++];
            memcpy(plane, facet->normal, 3 * sizeof(double));
            plane[3] = facet->offset;
        }
    }
    int shortLeft, totalLeft;
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &shortLeft, &totalLeft);
    fclose(silence);
}

static bool isAmong(sdVec3 p, const sdVec3* vertices, int count) {
    for (int i = 0; i < count; ++i) {
        if (p.x == vertices[i].x && p.y == vertices[i].y && p.z == vertices[i].z) {
            return true;
        }
    }
    return false;
}

/// Vertices of either hull that the other does not have.
static int countDifferences(const sdVec3* a, int aCount, const sdVec3* b, int bCount) {
    int count = 0;
    for (int i = 0; i < aCount; ++i) {
        count += isAmong(a[i], b, bCount) ? 0 : 1;
    }
    for (int i = 0; i < bCount; ++i) {
        count += isAmong(b[i], a, aCount) ? 0 : 1;
    }
    return count;
}

/// A vertex that qhull does not have must lie on its surface within the tolerance.
static bool isOnSurface(const Reference* reference, sdVec3 p, double tolerance) {
    double most = -1e300;
    for (int i = 0; i < reference->facetCount; ++i) {
        const double* f = &reference->facets[4 * i];
        double d = f[0] * (double)p.x + f[1] * (double)p.y + f[2] * (double)p.z + f[3];
        most = d > most ? d : most;
    }
    return fabs(most) <= tolerance;
}

typedef struct Tally {
    int disagreements, flat, otherVertices, otherMethods;
} Tally;

static void disagree(Tally* tally, TestPoints kind, int set, int count, const char* why) {
    if (tally->disagreements++ < 5) {
        sdTest_Print("%s, set %d of %d points: %s", TestPoints_Name(kind), set, count, why);
    }
}

/// Points on a sphere or in a ball, not too many, are vertices or not beyond doubt, and so are
/// those on a grid of whole numbers.
static bool isClear(TestPoints kind) {
    return kind == TEST_POINTS_SPHERE || kind == TEST_POINTS_BALL || kind == TEST_POINTS_GRID ||
           kind == TEST_POINTS_DUPLICATES;
}

static const char* compare(TestPoints kind, const sdHull* hull, const Reference* reference,
                           Tally* tally) {
    int vertexCount, faceCount;
    const sdVec3* vertices = sdHull_GetVertices(hull, &vertexCount);
    double tolerance = (double)sdHull_GetTolerance(hull);
    sdHull_GetPlanes(hull, &faceCount);
    if (fabs(TestHull_Volume(hull) - reference->volume) > tolerance * reference->area) {
        return "volumes differ";
    }
    int differences =
        countDifferences(vertices, vertexCount, reference->vertices, reference->vertexCount);
    tally->otherVertices += differences > 0 ? 1 : 0;
    if (differences > 0 && isClear(kind)) {
        return "vertices differ";
    }
    if (kind == TEST_POINTS_GRID && faceCount != reference->facetCount) {
        return "faces differ";
    }
    for (int i = 0; i < vertexCount; ++i) {
        if (!isOnSurface(reference, vertices[i], tolerance)) {
            return "a vertex is not on qhull's surface";
        }
    }
    if (TestHull_Outside(hull, reference->vertices, reference->vertexCount) > tolerance) {
        return "a vertex of qhull is outside";
    }
    return NULL;
}

static void testSet(TestContext* test, TestPoints kind, int set, TestRandom* random, Tally* tally) {
    static Reference reference;
    sdVec3 points[MAX_COUNT];
    int count = 4 + TestRandom_Int(random, MAX_COUNT - 3);
    TestPoints_Fill(kind, random, points, count);
    runQhull(points, count, &reference);
    sdHull* hulls[2] = {NULL, NULL};
    for (int method = 0; method < 2; ++method) {
        sdHullDef def = sdHullDef_Default();
        def.points = points;
        def.pointCount = count;
        def.method = (sdHullMethod)method;
        sdResult result = sdHull_Create(&test->context, &def, &hulls[method]);
        // what is flat in float may have some thickness in double
        bool isThin = reference.isFlat || reference.volume < FLAT * reference.area;
        if (result == SD_OK ? reference.isFlat : !isThin) {
            disagree(tally, kind, set, count, "one finds no volume");
        }
        tally->flat += result != SD_OK ? 1 : 0;
        if (result != SD_OK || reference.isFlat) {
            continue;
        }
        const char* fault = TestHull_FindFault(hulls[method], points, count);
        fault = fault != NULL ? fault : compare(kind, hulls[method], &reference, tally);
        if (fault != NULL) {
            disagree(tally, kind, set, count, fault);
        }
    }
    if (hulls[0] != NULL && hulls[1] != NULL) {
        int vertexCounts[2], faceCounts[2];
        const sdVec3* a = sdHull_GetVertices(hulls[0], &vertexCounts[0]);
        const sdVec3* b = sdHull_GetVertices(hulls[1], &vertexCounts[1]);
        sdHull_GetPlanes(hulls[0], &faceCounts[0]);
        sdHull_GetPlanes(hulls[1], &faceCounts[1]);
        bool isSame = countDifferences(a, vertexCounts[0], b, vertexCounts[1]) == 0 &&
                      faceCounts[0] == faceCounts[1];
        tally->otherMethods += isSame ? 0 : 1;
        if (!isSame && isClear(kind)) {
            disagree(tally, kind, set, count, "quickhull and incremental differ");
        }
    }
    sdHull_Release(hulls[0]);
    sdHull_Release(hulls[1]);
}

SD_TEST(hull_agrees_with_qhull) {
    TestContext test;
    TestContext_Init(&test);
    for (int k = 0; k < TEST_POINTS_COUNT; ++k) {
        TestPoints kind = (TestPoints)k;
        TestRandom random = TestRandom_Make(100 + (uint64_t)k);
        Tally tally = {0};
        for (int i = 0; i < SETS_PER_KIND; ++i) {
            testSet(&test, kind, i, &random, &tally);
        }
        sdTest_Print("%s: %d sets, %d disagreements, %d flat, %d hulls with other vertices "
                     "within the tolerance, %d differ by method",
                     TestPoints_Name(kind), SETS_PER_KIND, tally.disagreements, tally.flat,
                     tally.otherVertices, tally.otherMethods);
        CHECK_INT(tally.disagreements, 0);
    }
    TestContext_Finish(&test);
}

#else

typedef int HullQhullIsOff;

#endif
