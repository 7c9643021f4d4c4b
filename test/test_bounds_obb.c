// SPDX-License-Identifier: MIT
// test_bounds_obb.c - oriented boxes: overlap against clipping, fits against searches.

#include "geometry/bounds.h"
#include "sudar/hull.h"
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

// ---- fits ----------------------------------------------------------------------------------

typedef enum Body {
    BODY_BOX,
    BODY_BALL,
    BODY_SPHERE,
    BODY_ELLIPSOID,
    BODY_NEEDLE,
    BODY_PLATE, ///< thin, not flat
    BODY_COUNT
} Body;

static void makeBody(Body body, uint64_t seed, sdVec3* points, int count) {
    TestRandom random = TestRandom_Make(seed);
    sdQuat q = TestRandom_Rotation(&random);
    for (int i = 0; i < count; ++i) {
        sdVec3 p = TestRandom_OnSphere(&random);
        p = body == BODY_BOX ? TestRandom_InBox(&random, 1.0f) : p;
        p = body == BODY_BALL ? TestRandom_InBall(&random) : p;
        p = body == BODY_ELLIPSOID ? sdMul(p, sdV3(4.0f, 1.0f, 0.5f)) : p;
        p = body == BODY_NEEDLE ? sdMul(p, sdV3(1.0f, 1e-3f, 1e-3f)) : p;
        p = body == BODY_PLATE ? sdMul(p, sdV3(1.0f, 0.8f, 1e-4f)) : p;
        points[i] = sdRotate(q, p);
    }
}

static double volumeAlong(const sdVec3* points, int count, sdQuat q) {
    sdMat33 m = sdQuat_ToMatrix(q);
    sdVec3d axes[3] = {sdVec3d_From(m.cx), sdVec3d_From(m.cy), sdVec3d_From(m.cz)};
    double volume = 1.0;
    for (int k = 0; k < 3; ++k) {
        double low = 1e300, high = -1e300;
        for (int i = 0; i < count; ++i) {
            double d = sdDotD(axes[k], sdVec3d_From(points[i]));
            low = d < low ? d : low;
            high = d > high ? d : high;
        }
        volume *= high - low;
    }
    return volume;
}

/// Random rotations, each improved by random turns that get smaller.
static double searchedVolume(const sdVec3* points, int count, int starts, TestRandom* random) {
    double best = 1e300;
    for (int s = 0; s < starts; ++s) {
        sdQuat q = TestRandom_Rotation(random);
        double volume = volumeAlong(points, count, q);
        for (float step = 0.5f; step > 1e-4f;) {
            bool isBetter = false;
            for (int k = 0; k < 12; ++k) {
                sdQuat turn = {TestRandom_InBox(random, step), 1.0f};
                sdQuat other = sdNormalizeQ(sdMulQ(sdNormalizeQ(turn), q));
                double v = volumeAlong(points, count, other);
                if (v < volume) {
                    volume = v;
                    q = other;
                    isBetter = true;
                }
            }
            step = isBetter ? step : 0.5f * step;
        }
        best = volume < best ? volume : best;
    }
    return best;
}

static void checkBox(const sdOBB* box, const sdVec3* points, int count) {
    for (int i = 0; i < count; ++i) {
        CHECK(sdOBB_ContainsPoint(box, points[i]));
    }
    // axes are a rotation
    sdMat33 m = sdMulMM(sdMat33_Transpose(box->axes), box->axes);
    CHECK_NEAR(sdLength(sdSub(m.cx, sdV3(1.0f, 0.0f, 0.0f))), 0.0, 4e-7);
    CHECK_NEAR(sdLength(sdSub(m.cy, sdV3(0.0f, 1.0f, 0.0f))), 0.0, 4e-7);
    CHECK_NEAR(sdLength(sdSub(m.cz, sdV3(0.0f, 0.0f, 1.0f))), 0.0, 4e-7);
    CHECK(sdMat33_Determinant(box->axes) > 0.9f);
    // and every side is reached
    for (int axis = 0; axis < 3; ++axis) {
        sdVec3 half = box->halfExtents;
        float* h = axis == 0 ? &half.x : (axis == 1 ? &half.y : &half.z);
        *h = nextafterf(*h, -1.0f);
        sdOBB less = {box->center, box->axes, half};
        int outside = 0;
        for (int i = 0; i < count; ++i) {
            outside += sdOBB_ContainsPoint(&less, points[i]) ? 0 : 1;
        }
        CHECK(outside > 0);
    }
}

SD_TEST(bounds_obb_smallest_is_near_a_fine_search) {
    sdVec3 points[40];
    TestRandom random = TestRandom_Make(41);
    double worst = 0.0;
    const int counts[4] = {5, 7, 12, 40};
    for (int i = 0; i < 16 * BODY_COUNT; ++i) {
        // few vertices have the boxes that are hardest to find
        int count = counts[i % 16 == 0 ? 3 : i % 3];
        makeBody((Body)(i / 16), (uint64_t)i, points, count);
        sdOBB box;
        REQUIRE(sdOBB_FitSmallest(NULL, points, count, &box) == SD_OK);
        checkBox(&box, points, count);
        double searched = searchedVolume(points, count, 10, &random);
        double ratio = (double)sdOBB_Volume(&box) / searched;
        worst = ratio > worst ? ratio : worst;
        // the rounding of centre and axes counts where a side is short
        CHECK(ratio < 1.01);
    }
    sdTest_Print("largest volume against a fine search: %.4f", worst);
}

SD_TEST(bounds_obb_of_turned_boxes_is_exact) {
    TestRandom random = TestRandom_Make(42);
    for (int i = 0; i < 60; ++i) {
        sdOBB box = randomBox(&random, i % 2 == 0 ? 0.0f : 5.0f);
        float scale = i % 3 == 0 ? 1e-6f : (i % 3 == 1 ? 1e6f : 1.0f);
        box.center = sdScale(scale, box.center);
        box.halfExtents = sdScale(scale, sdAdd(box.halfExtents, sdV3(0.1f, 0.1f, 0.1f)));
        sdVec3 points[60];
        sdOBB_GetCorners(&box, points);
        // points inside change neither box
        for (int k = 8; k < 60; ++k) {
            sdVec3 t = sdMul(TestRandom_InBox(&random, 0.9f), box.halfExtents);
            t.x = sdAbsF(t.x);
            points[k] = sdAdd(box.center, sdMulMV(box.axes, t));
        }
        double volume = (double)sdOBB_Volume(&box);
        for (int k = 0; k < 2; ++k) {
            sdOBB found;
            sdResult result = k == 0 ? sdOBB_FitSmallest(NULL, points, 60, &found)
                                     : sdOBB_FitCovariance(NULL, points, 60, &found);
            REQUIRE(result == SD_OK);
            checkBox(&found, points, 60);
            CHECK_NEAR(sdOBB_Volume(&found), volume, (k == 0 ? 2e-5 : 2e-4) * volume);
        }
    }
}

SD_TEST(bounds_obb_covariance_ignores_points_inside) {
    enum { COUNT = 3000 };
    static sdVec3 points[COUNT];
    makeBody(BODY_ELLIPSOID, 3, points, 200);
    sdOBB a, b;
    REQUIRE(sdOBB_FitCovariance(NULL, points, 200, &a) == SD_OK);
    // a dense lump off the middle would pull the axes of plain covariance over
    for (int i = 200; i < COUNT; ++i) {
        points[i] = sdMulAdd(sdScale(0.3f, points[0]), 0.3f, points[i % 200]);
    }
    REQUIRE(sdOBB_FitCovariance(NULL, points, COUNT, &b) == SD_OK);
    CHECK_NEAR(sdOBB_Volume(&a), sdOBB_Volume(&b), 1e-5);
    CHECK_NEAR(sdAbsF(sdDot(a.axes.cx, b.axes.cx)), 1.0, 1e-6);
}

SD_TEST(bounds_obb_of_flat_thin_and_single_points) {
    TestRandom random = TestRandom_Make(43);
    for (int i = 0; i < 90; ++i) {
        // 1: a point; 2: a line; 3: a plane; with many duplicates
        int dimension = 1 + i % 3;
        bool isTurned = i / 3 % 2 == 1;
        float scale = i / 6 % 3 == 0 ? 1e-6f : (i / 6 % 3 == 1 ? 1e6f : 1.0f);
        sdQuat q = isTurned ? TestRandom_Rotation(&random) : sdQuat_Identity();
        sdVec3 points[30];
        int count = i < 6 ? 1 + i % 2 : 30;
        for (int k = 0; k < count; ++k) {
            sdVec3 p = TestRandom_InBox(&random, 1.0f);
            p = sdV3(0.5f, dimension > 1 ? p.y : 0.25f, dimension > 2 ? p.z : -0.125f);
            p = k > 25 ? points[k - 25] : sdScale(scale, sdRotate(q, p));
            points[k] = p;
        }
        for (int method = 0; method < 2; ++method) {
            sdOBB box;
            sdResult result = method == 0 ? sdOBB_FitSmallest(NULL, points, count, &box)
                                          : sdOBB_FitCovariance(NULL, points, count, &box);
            REQUIRE(result == SD_OK);
            checkBox(&box, points, count);
            float sizes[3] = {box.halfExtents.x, box.halfExtents.y, box.halfExtents.z};
            int zeroCount = 0;
            for (int k = 0; k < 3; ++k) {
                zeroCount += sizes[k] <= (isTurned ? 4e-7f * scale : 0.0f) ? 1 : 0;
            }
            CHECK(zeroCount >= 4 - dimension);
        }
    }
}

SD_TEST(bounds_obb_of_many_points_ends_in_time) {
    enum { COUNT = 3000 };
    static sdVec3 points[COUNT];
    makeBody(BODY_SPHERE, 7, points, COUNT);
    sdOBB box;
    REQUIRE(sdOBB_FitSmallest(NULL, points, COUNT, &box) == SD_OK);
    CHECK(sdOBB_Volume(&box) > 7.5f && sdOBB_Volume(&box) < 8.0f);
}

static sdResult smallestAction(const sdContext* context, void* arg) {
    sdOBB box;
    return sdOBB_FitSmallest(context, arg, 8, &box);
}

static sdResult covarianceAction(const sdContext* context, void* arg) {
    sdOBB box;
    return sdOBB_FitCovariance(context, arg, 8, &box);
}

SD_TEST(bounds_obb_without_memory) {
    sdVec3 points[8];
    makeBody(BODY_BOX, 1, points, 8);
    CHECK(TestContext_FailEach(smallestAction, points) > 1);
    CHECK(TestContext_FailEach(covarianceAction, points) > 0);
    for (int i = 0; i < 8; ++i) {
        points[i].z = 0.0f;
    }
    CHECK(TestContext_FailEach(smallestAction, points) > 0);
    CHECK(TestContext_FailEach(covarianceAction, points) > 0);
}

SD_TEST(bounds_obb_bad_input_is_refused) {
    TestContext test;
    TestContext_Init(&test);
    sdVec3 points[4] = {
        {0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    sdOBB box;
    for (int method = 0; method < 2; ++method) {
        sdResult (*fit)(const sdContext*, const sdVec3*, int, sdOBB*) =
            method == 0 ? sdOBB_FitSmallest : sdOBB_FitCovariance;
        CHECK_INT(fit(&test.context, NULL, 4, &box), SD_ERROR_INVALID_ARGUMENT);
        CHECK_INT(fit(&test.context, points, 0, &box), SD_ERROR_INVALID_ARGUMENT);
        CHECK_INT(fit(&test.context, points, -4, &box), SD_ERROR_INVALID_ARGUMENT);
        CHECK_INT(fit(&test.context, points, 4, NULL), SD_ERROR_INVALID_ARGUMENT);
        CHECK_TEXT(test.lastError, method == 0 ? "sdOBB_FitSmallest" : "sdOBB_FitCovariance");
        points[2].y = TestNaN();
        CHECK_INT(fit(&test.context, points, 4, &box), SD_ERROR_INVALID_ARGUMENT);
        points[2].y = -TestInfinity();
        CHECK_INT(fit(&test.context, points, 4, &box), SD_ERROR_INVALID_ARGUMENT);
        points[2].y = 1.0f;
        // flat points are no error and leave no word in the log
        int errorCount = test.errorCount;
        CHECK_INT(fit(&test.context, points, 3, &box), SD_OK);
        CHECK_INT(test.errorCount, errorCount);
        // the ends of float: a box, or a refusal with a reason
        sdVec3 far[4], near[4];
        for (int i = 0; i < 4; ++i) {
            far[i] = sdScale(3e38f, sdSub(points[i], sdScale(0.5f, points[(i + 1) % 4])));
            near[i] = sdScale(1e-44f, points[i]);
        }
        sdResult result = fit(&test.context, far, 4, &box);
        CHECK(result == SD_ERROR_LIMIT || result == SD_OK);
        if (result == SD_OK) {
            checkBox(&box, far, 4);
        }
        CHECK_INT(fit(&test.context, near, 4, &box), SD_OK);
        checkBox(&box, near, 4);
    }
    TestContext_Finish(&test);
}

// ---- how tight -----------------------------------------------------------------------------

/// What the hull of some points and each volume around them hold.
typedef struct Volumes {
    double ballBox, ballMean, ballSmallest, aabb, obbCovariance, obbSmallest, kdop14, kdop18,
        kdop26;
    double hull;
} Volumes;

static bool measure(const sdVec3* points, int count, Volumes* v) {
    sdBall balls[3];
    sdAABB aabb;
    sdOBB obbs[2];
    sdKdop kdops[3];
    sdHullDef def = sdHullDef_Default();
    def.points = points;
    def.pointCount = count;
    sdHull* hull = NULL;
    bool ok = sdBall_FitBox(points, count, &balls[0]) == SD_OK &&
              sdBall_FitCentroid(points, count, &balls[1]) == SD_OK &&
              sdBall_FitSmallest(NULL, points, count, &balls[2]) == SD_OK &&
              sdAABB_Fit(points, count, &aabb) == SD_OK &&
              sdOBB_FitCovariance(NULL, points, count, &obbs[0]) == SD_OK &&
              sdOBB_FitSmallest(NULL, points, count, &obbs[1]) == SD_OK &&
              sdKdop_Fit(SD_KDOP_14, points, count, &kdops[0]) == SD_OK &&
              sdKdop_Fit(SD_KDOP_18, points, count, &kdops[1]) == SD_OK &&
              sdKdop_Fit(SD_KDOP_26, points, count, &kdops[2]) == SD_OK &&
              sdHull_Create(NULL, &def, &hull) == SD_OK;
    if (!ok) {
        return false;
    }
    sdMassProps mass;
    sdHull_GetMass(hull, 1.0f, &mass);
    sdHull_Release(hull);
    *v = (Volumes){(double)sdBall_Volume(balls[0]),  (double)sdBall_Volume(balls[1]),
                   (double)sdBall_Volume(balls[2]),  (double)sdAABB_Volume(aabb),
                   (double)sdOBB_Volume(&obbs[0]),   (double)sdOBB_Volume(&obbs[1]),
                   (double)sdKdop_Volume(&kdops[0]), (double)sdKdop_Volume(&kdops[1]),
                   (double)sdKdop_Volume(&kdops[2]), (double)mass.mass};
    return true;
}

SD_TEST(bounds_tightness_compared) {
    enum { COUNT = 300 };
    static sdVec3 points[COUNT];
    static const char* const names[4] = {"random hull", "long ellipsoid", "box turned 45 degrees",
                                         "needle"};
    sdTest_Print("volume by volume of the hull  ball: box mean smallest  aabb  obb: cov smallest  "
                 "dop: 14 18 26");
    for (int i = 0; i < 4; ++i) {
        int count = COUNT;
        makeBody(i == 0 ? BODY_BALL : (i == 1 ? BODY_ELLIPSOID : BODY_NEEDLE), (uint64_t)i, points,
                 count);
        if (i == 2) {
            sdQuat q = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), 0.25f * SD_PI);
            sdOBB box = {{0.0f, 0.0f, 0.0f}, sdQuat_ToMatrix(q), {1.0f, 1.0f, 1.0f}};
            sdOBB_GetCorners(&box, points);
            count = 8;
        }
        Volumes v = {0};
        REQUIRE(measure(points, count, &v));
        sdTest_Print("%-22s %6.2f %6.2f %6.2f   %6.2f   %6.2f %6.2f   %6.2f %6.2f %6.2f", names[i],
                     v.ballBox / v.hull, v.ballMean / v.hull, v.ballSmallest / v.hull,
                     v.aabb / v.hull, v.obbCovariance / v.hull, v.obbSmallest / v.hull,
                     v.kdop14 / v.hull, v.kdop18 / v.hull, v.kdop26 / v.hull);
        const double more = 1.0 + 1e-5;
        CHECK(v.ballSmallest <= more * v.ballBox && v.ballSmallest <= more * v.ballMean);
        CHECK(v.obbCovariance <= more * v.aabb && v.obbSmallest <= more * v.obbCovariance);
        CHECK(v.kdop14 <= more * v.aabb && v.kdop18 <= more * v.aabb);
        CHECK(v.kdop26 <= more * v.kdop14 && v.kdop26 <= more * v.kdop18);
        CHECK(v.hull <= more * v.kdop26 && v.hull <= more * v.obbSmallest &&
              v.hull <= more * v.ballSmallest);
        if (i == 2) {
            CHECK_NEAR(v.obbSmallest, 8.0, 1e-5);
            CHECK_NEAR(v.aabb, 16.0, 1e-4);
            // the edge slabs fit it exactly
            CHECK_NEAR(v.kdop18, 8.0, 1e-5);
        }
    }
}
