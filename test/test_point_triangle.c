// SPDX-License-Identifier: MIT
// test_point_triangle.c - nearest point of a triangle against double precision and by definition.

#include "support.h"

#include <math.h>

typedef struct Vec3d {
    double x, y, z;
} Vec3d;

static Vec3d toDouble(sdVec3 a) {
    return (Vec3d){(double)a.x, (double)a.y, (double)a.z};
}

static Vec3d subD(Vec3d a, Vec3d b) {
    return (Vec3d){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double dotD(Vec3d a, Vec3d b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static Vec3d crossD(Vec3d a, Vec3d b) {
    return (Vec3d){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double segmentDistance(Vec3d p, Vec3d a, Vec3d b) {
    Vec3d ab = subD(b, a);
    Vec3d ap = subD(p, a);
    double length = dotD(ab, ab);
    double t = length > 0.0 ? fmin(fmax(dotD(ap, ab) / length, 0.0), 1.0) : 0.0;
    Vec3d r = {ap.x - t * ab.x, ap.y - t * ab.y, ap.z - t * ab.z};
    return sqrt(dotD(r, r));
}

/// By minimising over the face's plane and the three edges in double precision.
static double exactDistance(sdVec3 pf, sdVec3 af, sdVec3 bf, sdVec3 cf) {
    Vec3d p = toDouble(pf), a = toDouble(af), b = toDouble(bf), c = toDouble(cf);
    double d =
        fmin(segmentDistance(p, a, b), fmin(segmentDistance(p, b, c), segmentDistance(p, c, a)));
    Vec3d n = crossD(subD(b, a), subD(c, a));
    double nn = dotD(n, n);
    bool isInside = nn > 0.0 && dotD(n, crossD(subD(b, a), subD(p, a))) > 0.0 &&
                    dotD(n, crossD(subD(c, b), subD(p, b))) > 0.0 &&
                    dotD(n, crossD(subD(a, c), subD(p, c))) > 0.0;
    return isInside ? fmin(d, fabs(dotD(n, subD(p, a))) / sqrt(nn)) : d;
}

static float longest(sdVec3 p, sdVec3 a, sdVec3 b, sdVec3 c) {
    float l = sdMaxF(sdLength(sdSub(b, a)), sdLength(sdSub(c, a)));
    return sdMaxF(l, sdMaxF(sdLength(sdSub(p, a)), sdLength(sdSub(c, b))));
}

/// Errors are allowed of a few units in the last place of the largest difference that enters.
#define RELATIVE_ERROR 1e-6f

static void checkAgainstExact(sdVec3 p, sdVec3 a, sdVec3 b, sdVec3 c) {
    sdTrianglePoint q = sdClosestPointOnTriangle(p, a, b, c);
    float tolerance = RELATIVE_ERROR * longest(p, a, b, c);
    // the sum p + offset rounds by the size of the coordinates
    float rounding = 3e-7f * (sdLength(p) + sdLength(a));
    CHECK_NEAR(sqrtf(q.distanceSquared), exactDistance(p, a, b, c), tolerance);
    CHECK_NEAR(exactDistance(q.point, a, b, c), 0.0, tolerance + rounding);
    CHECK_NEAR(sdLength(sdSub(q.point, p)), sqrtf(q.distanceSquared), tolerance + rounding);
}

SD_TEST(point_triangle_matches_double_precision) {
    TestRandom random = TestRandom_Make(1);
    const float sizes[] = {1e-6f, 1e-3f, 1.0f, 1e3f, 1e6f};
    for (int i = 0; i < 100000; ++i) {
        float size = sizes[i % 5];
        sdVec3 offset = sdScale(i % 3 == 0 ? 10.0f * size : 0.0f, TestRandom_OnSphere(&random));
        sdVec3 a = sdAdd(offset, TestRandom_InBox(&random, size));
        sdVec3 b = sdAdd(offset, TestRandom_InBox(&random, size));
        sdVec3 c = sdAdd(offset, TestRandom_InBox(&random, size));
        float reach = i % 7 == 0 ? 1000.0f * size : 2.0f * size;
        checkAgainstExact(sdAdd(offset, TestRandom_InBox(&random, reach)), a, b, c);
    }
}

SD_TEST(point_triangle_needles_and_slivers) {
    TestRandom random = TestRandom_Make(2);
    for (int i = 0; i < 100000; ++i) {
        // widths down to one unit in the last place, and corners in a row
        float width = powf(10.0f, TestRandom_Float(&random, -8.0f, 0.0f));
        sdVec3 a = TestRandom_InBox(&random, 1.0f);
        sdVec3 b = TestRandom_InBox(&random, 1.0f);
        sdVec3 c = sdAdd(sdLerp(a, b, TestRandom_Float(&random, -0.5f, 1.5f)),
                         TestRandom_InBox(&random, width));
        sdVec3 p = TestRandom_InBox(&random, 2.0f);
        if (i % 2 == 0) {
            // close above the face, where an error along the needle would show most
            float s = TestRandom_Float(&random, 0.0f, 0.5f);
            float t = TestRandom_Float(&random, 0.0f, 0.5f);
            p = sdAdd(sdLerp(a, b, s), sdScale(t, sdSub(c, a)));
            p = sdAdd(p, TestRandom_InBox(&random, i % 4 == 0 ? 1e-3f : width));
        }
        sdTrianglePoint q = sdClosestPointOnTriangle(p, a, b, c);
        double exact = exactDistance(p, a, b, c);
        CHECK_NEAR(sqrtf(q.distanceSquared), exact, 3e-6);
        CHECK_NEAR(exactDistance(q.point, a, b, c), 0.0, 3e-6);
    }
}

SD_TEST(point_triangle_degenerate) {
    sdVec3 a = {1.0f, 2.0f, 3.0f};
    sdVec3 b = {3.0f, 2.0f, 3.0f};
    sdTrianglePoint q = sdClosestPointOnTriangle(sdV3(1.0f, 5.0f, 3.0f), a, a, a);
    CHECK_NEAR(q.distanceSquared, 9.0, 0.0);
    CHECK_INT(q.region, SD_REGION_VERTEX_A);
    CHECK(q.point.x == a.x && q.point.y == a.y && q.point.z == a.z);

    q = sdClosestPointOnTriangle(sdV3(2.0f, 5.0f, 3.0f), a, b, b);
    CHECK_NEAR(q.distanceSquared, 9.0, 0.0);
    CHECK_INT(q.region, SD_REGION_EDGE_AB);
    q = sdClosestPointOnTriangle(sdV3(2.0f, 5.0f, 3.0f), a, a, b);
    CHECK_NEAR(q.distanceSquared, 9.0, 0.0);
    CHECK(q.region == SD_REGION_EDGE_BC || q.region == SD_REGION_EDGE_CA);
    q = sdClosestPointOnTriangle(sdV3(9.0f, 2.0f, 3.0f), a, b, a);
    CHECK_NEAR(q.distanceSquared, 36.0, 0.0);
    CHECK_INT(q.region, SD_REGION_VERTEX_B);

    // three corners in a row, the middle one named last
    q = sdClosestPointOnTriangle(sdV3(1.5f, 5.0f, 3.0f), a, b, sdV3(2.0f, 2.0f, 3.0f));
    CHECK_NEAR(q.distanceSquared, 9.0, 0.0);
    CHECK_NEAR(q.point.x, 1.5, 1e-6);
}

SD_TEST(point_triangle_region_by_construction) {
    // walk away from a known feature, inside its Voronoi region, and find it again
    TestRandom random = TestRandom_Make(3);
    for (int i = 0; i < 20000; ++i) {
        sdVec3 v[3];
        sdVec3 n;
        do {
            for (int k = 0; k < 3; ++k) {
                v[k] = TestRandom_InBox(&random, 1.0f);
            }
            n = sdCross(sdSub(v[1], v[0]), sdSub(v[2], v[0]));
        } while (sdLength(n) < 0.1f);
        n = sdNormalize(n);
        float height = TestRandom_Float(&random, -2.0f, 2.0f);

        float s = TestRandom_Float(&random, 0.1f, 0.45f),
              t = TestRandom_Float(&random, 0.1f, 0.45f);
        sdVec3 foot =
            sdAdd(v[0], sdAdd(sdScale(s, sdSub(v[1], v[0])), sdScale(t, sdSub(v[2], v[0]))));
        sdTrianglePoint q = sdClosestPointOnTriangle(sdMulAdd(foot, height, n), v[0], v[1], v[2]);
        CHECK_INT(q.region, SD_REGION_FACE);
        CHECK_NEAR(sdLength(sdSub(q.point, foot)), 0.0, 1e-5);

        for (int k = 0; k < 3; ++k) {
            sdVec3 a = v[k], b = v[(k + 1) % 3], c = v[(k + 2) % 3];
            sdVec3 out = sdNormalize(sdCross(sdSub(b, a), n));
            foot = sdLerp(a, b, TestRandom_Float(&random, 0.1f, 0.9f));
            float away = TestRandom_Float(&random, 0.01f, 2.0f);
            q = sdClosestPointOnTriangle(sdMulAdd(sdMulAdd(foot, away, out), height, n), v[0], v[1],
                                         v[2]);
            CHECK_INT(q.region, SD_REGION_EDGE_AB + k);
            CHECK_NEAR(sdLength(sdSub(q.point, foot)), 0.0, 1e-5);

            // the outward bisector lies in the cone of the corner
            sdVec3 ab = sdNormalize(sdSub(b, a)), ac = sdNormalize(sdSub(c, a));
            sdVec3 bisector = sdNormalize(sdAdd(ab, ac));
            q = sdClosestPointOnTriangle(sdMulAdd(sdMulAdd(a, -away, bisector), height, n), v[0],
                                         v[1], v[2]);
            CHECK_INT(q.region, SD_REGION_VERTEX_A + k);
            CHECK(q.point.x == a.x && q.point.y == a.y && q.point.z == a.z);
        }
    }
}
