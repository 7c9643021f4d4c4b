// SPDX-License-Identifier: MIT
// test_bounds_obb.c - oriented boxes: overlap against clipping, fits against searches.

#include "geometry/bounds.h"
#include "support.h"

#include <string.h>

static sdOBB randomBox(TestRandom* random, float reach) {
    sdOBB box;
    box.center = TestRandom_InBox(random, reach);
    box.axes = sdQuat_ToMatrix(TestRandom_Rotation(random));
    box.halfExtents =
        sdV3(TestRandom_Float(random, 0.02f, 1.0f), TestRandom_Float(random, 0.02f, 1.0f),
             TestRandom_Float(random, 0.02f, 1.0f));
    return box;
}

// ---- oracle: faces of one box cut by the other ----------------------------------------------

typedef struct Polygon {
    sdVec3d p[16];
    int count;
} Polygon;

static sdVec3d axisOf(const sdOBB* box, int axis) {
    return sdVec3d_From(axis == 0 ? box->axes.cx : (axis == 1 ? box->axes.cy : box->axes.cz));
}

static Polygon clipped(const Polygon* polygon, sdVec3d n, double limit) {
    Polygon r = {.count = 0};
    for (int i = 0; i < polygon->count; ++i) {
        sdVec3d a = polygon->p[i], b = polygon->p[(i + 1) % polygon->count];
        double da = sdDotD(n, a) - limit, db = sdDotD(n, b) - limit;
        if (da <= 0.0) {
            r.p[r.count++] = a;
        }
        if ((da < 0.0) != (db < 0.0)) {
            r.p[r.count++] = sdMulAddD(a, da / (da - db), sdSubD(b, a));
        }
    }
    return r;
}

/// Does a face of `a`, or the centre of `a`, reach into `b` grown by `margin`?
static bool reachesInto(const sdOBB* a, const sdOBB* b, double margin) {
    sdVec3d cb = sdVec3d_From(b->center);
    for (int face = 0; face < 7; ++face) {
        Polygon polygon = {.count = 0};
        sdVec3d c = sdVec3d_From(a->center);
        int axis = face / 2;
        for (int i = 0; i < 4 && face < 6; ++i) {
            double u = i == 0 || i == 3 ? 1.0 : -1.0, v = i < 2 ? 1.0 : -1.0;
            double w = face % 2 == 0 ? 1.0 : -1.0;
            sdVec3d p = sdMulAddD(c, w * (double)sdVec3_Get(a->halfExtents, axis), axisOf(a, axis));
            int s = (axis + 1) % 3, t = (axis + 2) % 3;
            p = sdMulAddD(p, u * (double)sdVec3_Get(a->halfExtents, s), axisOf(a, s));
            polygon.p[polygon.count++] =
                sdMulAddD(p, v * (double)sdVec3_Get(a->halfExtents, t), axisOf(a, t));
        }
        if (face == 6) {
            polygon = (Polygon){.p = {c}, .count = 1};
        }
        for (int side = 0; side < 6 && polygon.count > 0; ++side) {
            sdVec3d n = sdScaleD(side % 2 == 0 ? 1.0 : -1.0, axisOf(b, side / 2));
            double half = (double)sdVec3_Get(b->halfExtents, side / 2);
            polygon = clipped(&polygon, n, sdDotD(n, cb) + half + margin);
        }
        if (polygon.count > 0) {
            return true;
        }
    }
    return false;
}

static bool oracleOverlaps(const sdOBB* a, const sdOBB* b, double margin) {
    return reachesInto(a, b, margin) || reachesInto(b, a, margin);
}

static void checkPair(const sdOBB* a, const sdOBB* b, double size, int* overlapCount) {
    bool overlaps = sdOBB_Overlaps(a, b);
    CHECK(sdOBB_Overlaps(b, a) == overlaps);
    CHECK(overlaps || !oracleOverlaps(a, b, 0.0));
    CHECK(!overlaps || oracleOverlaps(a, b, 1e-5 * size));
    *overlapCount += overlaps ? 1 : 0;
}

SD_TEST(bounds_obb_overlap_as_by_clipping) {
    TestRandom random = TestRandom_Make(31);
    const int tries = 20000;
    int overlapCount = 0;
    for (int i = 0; i < tries; ++i) {
        sdOBB a = randomBox(&random, 1.0f), b = randomBox(&random, 1.0f);
        checkPair(&a, &b, 1.0, &overlapCount);
    }
    CHECK(overlapCount > tries / 10 && overlapCount < tries * 9 / 10);
}

SD_TEST(bounds_obb_overlap_with_parallel_edges) {
    TestRandom random = TestRandom_Make(32);
    const int tries = 20000;
    int overlapCount = 0;
    for (int i = 0; i < tries; ++i) {
        sdOBB a = randomBox(&random, 1.0f), b = randomBox(&random, 1.0f);
        // the same axes, also in another order, and turned by a hair about one of them
        sdMat33 m = a.axes;
        b.axes = i % 3 == 0 ? m : sdMat33_Columns(m.cy, m.cz, m.cx);
        if (i % 2 == 0) {
            float hair = i % 4 == 0 ? 1e-7f : 1e-4f;
            sdQuat turn = sdQuat_FromAxisAngle(sdNormalize(m.cx), hair);
            b.axes = sdMulMM(sdQuat_ToMatrix(turn), b.axes);
        }
        checkPair(&a, &b, 1.0, &overlapCount);
    }
    CHECK(overlapCount > tries / 10 && overlapCount < tries * 9 / 10);
}

SD_TEST(bounds_obb_overlap_of_plates_needles_and_points) {
    TestRandom random = TestRandom_Make(33);
    const int tries = 20000;
    int overlapCount = 0;
    for (int i = 0; i < tries; ++i) {
        sdOBB a = randomBox(&random, 0.3f), b = randomBox(&random, 0.3f);
        float* flat = i % 2 == 0 ? &a.halfExtents.x : &b.halfExtents.y;
        flat[0] = 0.0f;
        if (i % 3 == 0) {
            flat[1] = 0.0f;
        }
        if (i % 7 == 0) {
            b.halfExtents = sdV3(0.0f, 0.0f, 0.0f);
        }
        float scale = i % 5 == 0 ? 1e-6f : (i % 5 == 1 ? 1e6f : 1.0f);
        a.center = sdScale(scale, a.center);
        b.center = sdScale(scale, b.center);
        a.halfExtents = sdScale(scale, a.halfExtents);
        b.halfExtents = sdScale(scale, b.halfExtents);
        checkPair(&a, &b, (double)scale, &overlapCount);
    }
    CHECK(overlapCount > tries / 20 && overlapCount < tries * 19 / 20);
}

SD_TEST(bounds_obb_that_share_a_point_overlap) {
    TestRandom random = TestRandom_Make(34);
    int shared = 0;
    for (int i = 0; i < 20000; ++i) {
        // corner to corner within rounding
        sdOBB a = randomBox(&random, 1.0f), b = randomBox(&random, 1.0f);
        sdVec3 cornersA[8], cornersB[8];
        sdOBB_GetCorners(&a, cornersA);
        sdOBB_GetCorners(&b, cornersB);
        int corner = TestRandom_Int(&random, 8);
        b.center = sdAdd(b.center, sdSub(cornersA[corner], cornersB[TestRandom_Int(&random, 8)]));
        sdVec3 p = cornersA[corner];
        bool isShared = sdOBB_ContainsPoint(&a, p) && sdOBB_ContainsPoint(&b, p);
        CHECK(!isShared || sdOBB_Overlaps(&a, &b));
        shared += isShared ? 1 : 0;
    }
    CHECK(shared > 100);
}

SD_TEST(bounds_obb_touching_overlap) {
    sdOBB a = {{0.0f, 0.0f, 0.0f}, sdMat33_Identity(), {1.0f, 1.0f, 1.0f}};
    sdOBB b = {{2.0f, 2.0f, 2.0f}, sdMat33_Identity(), {1.0f, 1.0f, 1.0f}};
    CHECK(sdOBB_Overlaps(&a, &b));
    b.center.z = nextafterf(2.0f, 3.0f);
    CHECK(!sdOBB_Overlaps(&a, &b) && !sdOBB_Overlaps(&b, &a));
    CHECK(!sdOBB_Overlaps(NULL, &b) && !sdOBB_Overlaps(&a, NULL));
    CHECK(!sdOBB_ContainsPoint(NULL, a.center));
    CHECK_NEAR(sdOBB_Volume(&a), 8.0, 0.0);
    CHECK_NEAR(sdOBB_Volume(NULL), 0.0, 0.0);
    sdVec3 corners[8];
    sdOBB_GetCorners(&b, corners);
    CHECK(corners[0].x == 1.0f && corners[1].x == 3.0f && corners[2].y == 3.0f);
    sdOBB_GetCorners(NULL, corners);
    sdOBB_GetCorners(&b, NULL);
}
