// SPDX-License-Identifier: MIT
// test_hull_exact.c - the lattice on which hulls are built: sides of planes, removed vertices.

#include "geometry/hull_kernel.h"
#include "hull_check.h"

/// The sign of (b - a) x (c - a) . (p - a) by long multiplication in base 2^15.
static int referenceSide(const sdHullPoint q[4]) {
    int64_t d[3][3];
    for (int i = 0; i < 3; ++i) {
        d[i][0] = (int64_t)(q[i + 1].x - q[0].x);
        d[i][1] = (int64_t)(q[i + 1].y - q[0].y);
        d[i][2] = (int64_t)(q[i + 1].z - q[0].z);
    }
    int64_t digits[8] = {0};
    for (int term = 0; term < 6; ++term) {
        static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                         {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
        const int* o = orders[term];
        // two of the factors together have 54 bits, the third is taken digit by digit
        int64_t a = d[0][o[0]] * d[1][o[1]], b = d[2][o[2]];
        int64_t sign = ((a < 0) != (b < 0) ? -1 : 1) * (term < 3 ? 1 : -1);
        a = a < 0 ? -a : a;
        b = b < 0 ? -b : b;
        for (int i = 0; i < 4; ++i) {
            for (int k = 0; k < 2; ++k) {
                digits[i + k] += sign * ((a >> (15 * i)) & 32767) * ((b >> (15 * k)) & 32767);
            }
        }
    }
    int64_t carry = 0;
    bool isZero = true;
    for (int i = 0; i < 8; ++i) {
        int64_t value = digits[i] + carry;
        carry = (value - (((value % 32768) + 32768) % 32768)) / 32768;
        isZero = isZero && value - carry * 32768 == 0;
    }
    // the digits are not negative now, so the carry has the sign
    return carry < 0 ? -1 : (isZero && carry == 0 ? 0 : 1);
}

static sdHullPoint onLattice(TestRandom* random, int range) {
    int x = TestRandom_Int(random, 2 * range + 1) - range;
    int y = TestRandom_Int(random, 2 * range + 1) - range;
    int z = TestRandom_Int(random, 2 * range + 1) - range;
    return (sdHullPoint){x, y, z};
}

SD_TEST(hull_side_of_a_plane_is_exact) {
    TestRandom random = TestRandom_Make(14);
    const int full = 1 << SD_HULL_LATTICE_BITS;
    int counts[3] = {0};
    for (int round = 0; round < TestRounds(200000); ++round) {
        sdHullPoint q[4];
        int range = round % 8 == 0 ? full : 1 << TestRandom_Int(&random, SD_HULL_LATTICE_BITS);
        for (int i = 0; i < 4; ++i) {
            q[i] = onLattice(&random, range);
        }
        if (round % 4 != 0) {
            // next to the plane: the sum of two corners less the third, and a step aside
            q[0] = onLattice(&random, range / 4);
            q[1] = onLattice(&random, range / 4);
            q[2] = onLattice(&random, range / 4);
            sdHullPoint aside = onLattice(&random, round % 4 == 1 ? 0 : 1);
            q[3].x = q[1].x + q[2].x - q[0].x + aside.x;
            q[3].y = q[1].y + q[2].y - q[0].y + aside.y;
            q[3].z = q[1].z + q[2].z - q[0].z + aside.z;
        }
        const int32_t corners[3] = {0, 1, 2};
        sdHullBuild build = {.points = q};
        int side = sdHullBuild_Side(&build, corners, 3);
        CHECK_INT(side, referenceSide(q));
        counts[side + 1] += 1;
    }
    CHECK(counts[0] > 1000 && counts[1] > 1000 && counts[2] > 1000);
}

/// No vertex is above any face, exactly, and all edges have two sides.
static bool isExactHull(const sdHullBuild* build, const bool* isVertex) {
    for (int32_t f = 0; f < build->faces.count; ++f) {
        const sdHullFace* face = &build->faces.data[f];
        if (face->mark == SD_HULL_FREE) {
            continue;
        }
        for (int32_t e = 3 * f; e < 3 * f + 3; ++e) {
            int32_t twin = sdHullBuild_Twin(build, e);
            if (sdHullBuild_Twin(build, twin) != e || !isVertex[sdHullBuild_Origin(build, e)] ||
                sdHullBuild_Origin(build, twin) != sdHullBuild_Origin(build, sdHullBuild_Next(e))) {
                return false;
            }
        }
        for (int32_t p = 0; p < build->pointCount; ++p) {
            if (isVertex[p] && sdHullBuild_Side(build, face->vertex, p) > 0) {
                return false;
            }
        }
    }
    return true;
}

/// Vertices are removed one after the other until few are left; the rest must stay a hull.
static void checkRemoval(TestContext* test, const sdVec3* points, int count, TestRandom* random) {
    sdHullDef def = sdHullDef_Default();
    def.points = points;
    def.pointCount = count;
    sdAABB box = sdAABB_Empty();
    for (int i = 0; i < count; ++i) {
        box = sdAABB_AddPoint(box, points[i]);
    }
    sdHullBuild build;
    bool isVertex[100] = {false};
    bool isBuilt = sdHullBuild_Init(&build, &test->context, &def, box) == SD_OK &&
                   sdHullBuild_Quick(&build) == SD_OK;
    for (int32_t e = 0; isBuilt && e < 3 * build.faces.count; ++e) {
        if (build.faces.data[e / 3].mark != SD_HULL_FREE) {
            isVertex[sdHullBuild_Origin(&build, e)] = true;
        }
    }
    CHECK(!isBuilt || isExactHull(&build, isVertex));
    // any height will do
    build.tolerance *= 1e6;
    int start = isBuilt ? sdHullBuild_VertexCount(&build) : 0;
    for (int tries = 0; tries < start && sdHullBuild_VertexCount(&build) > 8; ++tries) {
        int32_t e;
        do {
            e = TestRandom_Int(random, 3 * build.faces.count);
        } while (build.faces.data[e / 3].mark == SD_HULL_FREE);
        int32_t vertex = sdHullBuild_Origin(&build, e);
        int before = sdHullBuild_VertexCount(&build);
        bool isRemoved;
        REQUIRE(sdHullBuild_RemoveVertex(&build, e, &isRemoved) == SD_OK);
        isVertex[vertex] = isVertex[vertex] && !isRemoved;
        CHECK_INT(sdHullBuild_VertexCount(&build), before - (isRemoved ? 1 : 0));
        CHECK(isRemoved || before < 12);
        CHECK(isExactHull(&build, isVertex));
    }
    sdHullBuild_Free(&build);
}

SD_TEST(hull_vertices_are_removed_exactly) {
    TestContext test;
    TestContext_Init(&test);
    TestRandom random = TestRandom_Make(15);
    sdVec3 points[100];
    const TestPoints kinds[] = {TEST_POINTS_SPHERE, TEST_POINTS_GRID, TEST_POINTS_CYLINDER,
                                TEST_POINTS_BOX_SURFACE, TEST_POINTS_LENS};
    for (int i = 0; i < TestRounds(60); ++i) {
        TestPoints_Fill(kinds[i % 5], &random, points, 100);
        checkRemoval(&test, points, 100, &random);
    }
    TestContext_Finish(&test);
}

/// New faces in the planes of old ones, against which the sum of the normals looks: few hulls have
/// any, of points on a grid.
SD_TEST(hull_vertices_of_grids_are_removed_exactly) {
    TestContext test;
    TestContext_Init(&test);
    TestRandom random = TestRandom_Make(18);
    sdVec3 points[100];
    for (int i = 0; i < TestRounds(60); ++i) {
        TestPoints_Fill(TEST_POINTS_GRID, &random, points, 100);
        checkRemoval(&test, points, 100, &random);
    }
    TestContext_Finish(&test);
}
