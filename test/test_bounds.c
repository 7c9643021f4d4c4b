// SPDX-License-Identifier: MIT
// test_bounds.c - axis-aligned boxes, balls and k-DOPs against exact answers and brute force.

#include "geometry/bounds.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

#define KIND_COUNT 3
static const sdKdopKind kinds[KIND_COUNT] = {SD_KDOP_14, SD_KDOP_18, SD_KDOP_26};

// ---- point sets ----------------------------------------------------------------------------

typedef enum Cloud {
    CLOUD_BALL,
    CLOUD_SPHERE,
    CLOUD_CUBE,
    CLOUD_EQUAL,
    CLOUD_GRID,      ///< many points that are exactly on one sphere
    CLOUD_LINE,      ///< many duplicates
    CLOUD_DISC,      ///< flat
    CLOUD_CIRCLE,    ///< nearly one circle
    CLOUD_DUPLICATE, ///< eight corners of a cube, many times each
    CLOUD_NEEDLE,    ///< thousand times as long as thick
    CLOUD_COUNT
} Cloud;

static sdVec3 cloudPoint(Cloud cloud, TestRandom* random) {
    sdVec3 p = TestRandom_InBox(random, 1.0f);
    switch (cloud) {
        case CLOUD_BALL:
            return TestRandom_InBall(random);
        case CLOUD_SPHERE:
            return TestRandom_OnSphere(random);
        case CLOUD_EQUAL:
            return sdV3(0.3f, -0.7f, 0.1f);
        case CLOUD_GRID: {
            // 9 = 0 0 9 = 1 4 4, in any order and with any signs
            static const float squares[2][3] = {{0.0f, 0.0f, 3.0f}, {1.0f, 2.0f, 2.0f}};
            const float* s = squares[TestRandom_Int(random, 2)];
            int k = TestRandom_Int(random, 3);
            return sdV3(p.x < 0.0f ? -s[k] : s[k], p.y < 0.0f ? -s[(k + 1) % 3] : s[(k + 1) % 3],
                        p.z < 0.0f ? -s[(k + 2) % 3] : s[(k + 2) % 3]);
        }
        case CLOUD_LINE: {
            float t = (float)TestRandom_Int(random, 64);
            return sdV3(t, 2.0f * t, -t);
        }
        case CLOUD_DISC:
            return sdV3(p.x, p.y, 0.5f * p.x);
        case CLOUD_CIRCLE: {
            float angle = SD_PI * p.x;
            return sdV3(sdCos(angle), sdSin(angle), 0.0f);
        }
        case CLOUD_DUPLICATE:
            return sdV3(p.x < 0.0f ? -1.0f : 1.0f, p.y < 0.0f ? -1.0f : 1.0f,
                        p.z < 0.0f ? -1.0f : 1.0f);
        case CLOUD_NEEDLE:
            return sdV3(p.x, 1e-3f * p.y, 1e-3f * p.z);
        default:
            return p;
    }
}

static void makeCloud(Cloud cloud, uint64_t seed, float scale, float offset, sdVec3* points,
                      int count) {
    TestRandom random = TestRandom_Make(seed);
    for (int i = 0; i < count; ++i) {
        sdVec3 p = sdScale(scale, cloudPoint(cloud, &random));
        points[i] = sdAdd(p, sdV3(offset, -offset, 0.5f * offset));
    }
}

// ---- boxes ---------------------------------------------------------------------------------

SD_TEST(bounds_box_is_the_smallest) {
    // counts on both sides of the SIMD width
    sdVec3 points[70];
    for (int count = 1; count <= 70; ++count) {
        makeCloud(CLOUD_CUBE, (uint64_t)count, 3.0f, 1.0f, points, count);
        sdAABB box, expected = sdAABB_Empty();
        REQUIRE(sdAABB_Fit(points, count, &box) == SD_OK);
        for (int i = 0; i < count; ++i) {
            expected = sdAABB_AddPoint(expected, points[i]);
        }
        CHECK(memcmp(&box, &expected, sizeof box) == 0);
    }
}

SD_TEST(bounds_bad_points_are_refused) {
    sdVec3 points[40];
    const float bad[3] = {TestNaN(), TestInfinity(), -TestInfinity()};
    TestContext test;
    TestContext_Init(&test);
    sdAABB box = {{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}}, boxBefore = box;
    sdBall ball = {{1.0f, 2.0f, 3.0f}, 4.0f}, ballBefore = ball;
    sdKdop kdop = {.kind = SD_KDOP_18}, kdopBefore = kdop;
    for (int i = 0; i < 40 * 9; ++i) {
        makeCloud(CLOUD_CUBE, 1, 1.0f, 0.0f, points, 40);
        ((float*)points)[i / 9 * 3 + i % 3] = bad[i / 3 % 3];
        CHECK_INT(sdAABB_Fit(points, 40, &box), SD_ERROR_INVALID_ARGUMENT);
        CHECK_INT(sdBall_FitBox(points, 40, &ball), SD_ERROR_INVALID_ARGUMENT);
        CHECK_INT(sdBall_FitCentroid(points, 40, &ball), SD_ERROR_INVALID_ARGUMENT);
        CHECK_INT(sdBall_FitSmallest(&test.context, points, 40, &ball), SD_ERROR_INVALID_ARGUMENT);
        CHECK_INT(sdKdop_Fit(SD_KDOP_26, points, 40, &kdop), SD_ERROR_INVALID_ARGUMENT);
    }
    makeCloud(CLOUD_CUBE, 1, 1.0f, 0.0f, points, 40);
    for (int count = -1; count <= 0; ++count) {
        CHECK_INT(sdAABB_Fit(points, count, &box), SD_ERROR_INVALID_ARGUMENT);
        CHECK_INT(sdBall_FitBox(points, count, &ball), SD_ERROR_INVALID_ARGUMENT);
        CHECK_INT(sdBall_FitCentroid(points, count, &ball), SD_ERROR_INVALID_ARGUMENT);
        CHECK_INT(sdBall_FitSmallest(&test.context, points, count, &ball),
                  SD_ERROR_INVALID_ARGUMENT);
        CHECK_INT(sdKdop_Fit(SD_KDOP_14, points, count, &kdop), SD_ERROR_INVALID_ARGUMENT);
    }
    CHECK_INT(sdAABB_Fit(NULL, 1, &box), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdAABB_Fit(points, 1, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdBall_FitBox(NULL, 1, &ball), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdBall_FitBox(points, 1, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdBall_FitCentroid(NULL, 1, &ball), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdBall_FitCentroid(points, 1, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdBall_FitSmallest(&test.context, NULL, 1, &ball), SD_ERROR_INVALID_ARGUMENT);
    CHECK_TEXT(test.lastError, "sdBall_FitSmallest");
    CHECK_INT(sdBall_FitSmallest(&test.context, points, 1, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdKdop_Fit(SD_KDOP_26, NULL, 1, &kdop), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdKdop_Fit(SD_KDOP_26, points, 1, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdKdop_Fit((sdKdopKind)16, points, 1, &kdop), SD_ERROR_INVALID_ARGUMENT);
    // and nothing was written
    CHECK(memcmp(&box, &boxBefore, sizeof box) == 0);
    CHECK(memcmp(&ball, &ballBefore, sizeof ball) == 0);
    CHECK(memcmp(&kdop, &kdopBefore, sizeof kdop) == 0);
    TestContext_Finish(&test);
}

/// One coordinate of R p + t; long double where there is one wider than double.
static long double movedCoordinate(sdTransform xf, const sdAABB* box, int corner, int row) {
    long double x = xf.q.v.x, y = xf.q.v.y, z = xf.q.v.z, s = xf.q.s;
    long double m[3][3] = {
        {1 - 2 * (y * y + z * z), 2 * (x * y - s * z), 2 * (x * z + s * y)},
        {2 * (x * y + s * z), 1 - 2 * (x * x + z * z), 2 * (y * z - s * x)},
        {2 * (x * z - s * y), 2 * (y * z + s * x), 1 - 2 * (x * x + y * y)},
    };
    long double px = corner & 1 ? box->upper.x : box->lower.x;
    long double py = corner & 2 ? box->upper.y : box->lower.y;
    long double pz = corner & 4 ? box->upper.z : box->lower.z;
    return m[row][0] * px + m[row][1] * py + m[row][2] * pz + (long double)sdVec3_Get(xf.p, row);
}

SD_TEST(bounds_moved_box_holds_the_moved_corners) {
    TestRandom random = TestRandom_Make(11);
    for (int i = 0; i < 20000; ++i) {
        float scale = i % 3 == 0 ? 1e-6f : (i % 3 == 1 ? 1.0f : 1e6f);
        float offset = i % 5 == 0 ? 1e6f : scale;
        sdVec3 a = sdScale(scale, TestRandom_InBox(&random, 1.0f));
        sdVec3 b = sdScale(scale, TestRandom_InBox(&random, 1.0f));
        sdAABB box = {sdMin(a, b), sdMax(a, b)};
        sdTransform xf = {TestRandom_InBox(&random, offset), TestRandom_Rotation(&random)};
        sdAABB moved = sdAABB_Transform(xf, box);
        for (int row = 0; row < 3; ++row) {
            long double lower = 1e300L, upper = -1e300L;
            for (int corner = 0; corner < 8; ++corner) {
                long double c = movedCoordinate(xf, &box, corner, row);
                lower = c < lower ? c : lower;
                upper = c > upper ? c : upper;
            }
            float movedLower = sdVec3_Get(moved.lower, row),
                  movedUpper = sdVec3_Get(moved.upper, row);
            CHECK((long double)movedLower <= lower && (long double)movedUpper >= upper);
            // tight: the next float inwards is too small
            CHECK((long double)nextafterf(nextafterf(movedLower, 1e38f), 1e38f) >= lower);
            CHECK((long double)nextafterf(nextafterf(movedUpper, -1e38f), -1e38f) <= upper);
        }
    }
}

SD_TEST(bounds_moved_box_odd_input) {
    sdTransform xf = {{1.0f, 2.0f, 3.0f}, sdQuat_Identity()};
    sdAABB empty = sdAABB_Transform(xf, sdAABB_Empty());
    CHECK(!sdAABB_IsValid(empty) && empty.lower.x > empty.upper.x);
    // beyond the range of float: everything, never infinite
    sdAABB all = {{-FLT_MAX, -FLT_MAX, -FLT_MAX}, {FLT_MAX, FLT_MAX, FLT_MAX}};
    xf.q = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), 0.5f);
    sdAABB moved = sdAABB_Transform(xf, all);
    CHECK(memcmp(&moved, &all, sizeof all) == 0);
    sdAABB bad = {{0.0f, 0.0f, 0.0f}, {1.0f, TestNaN(), 1.0f}};
    moved = sdAABB_Transform(xf, bad);
    CHECK(memcmp(&moved, &all, sizeof all) == 0);
    // a quarter turn of the identity is exact
    sdAABB unit = {{0.0f, 0.0f, 0.0f}, {1.0f, 2.0f, 3.0f}};
    moved = sdAABB_Transform(sdTransform_Identity(), unit);
    CHECK(sdAABB_Contains(moved, unit) && moved.upper.z <= nextafterf(3.0f, 4.0f));
}

SD_TEST(bounds_boxes_touching_overlap) {
    sdAABB a = {{0.0f, 0.0f, 0.0f}, {1.0f, 1.0f, 1.0f}};
    sdAABB b = {{1.0f, 1.0f, 1.0f}, {2.0f, 2.0f, 2.0f}};
    CHECK(sdAABB_Overlaps(a, b) && sdAABB_Overlaps(b, a));
    b.lower.y = nextafterf(1.0f, 2.0f);
    CHECK(!sdAABB_Overlaps(a, b) && !sdAABB_Overlaps(b, a));
}

// ---- balls ---------------------------------------------------------------------------------

static int countOutside(sdBall ball, const sdVec3* points, int count) {
    int outside = 0;
    for (int i = 0; i < count; ++i) {
        outside += sdBall_ContainsPoint(ball, points[i]) ? 0 : 1;
    }
    return outside;
}

/// Centre of the sphere through points[0 .. count-1], by elimination on the normal equations.
static bool bruteCenter(const sdVec3* points, const int* index, int count, double center[3]) {
    double m[3][4], d[3][3];
    int n = count - 1;
    const float* o = &points[index[0]].x;
    for (int i = 0; i < n; ++i) {
        const float* p = &points[index[i + 1]].x;
        for (int k = 0; k < 3; ++k) {
            d[i][k] = (double)p[k] - (double)o[k];
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            m[i][j] = 2.0 * (d[i][0] * d[j][0] + d[i][1] * d[j][1] + d[i][2] * d[j][2]);
        }
        m[i][3] = 0.5 * m[i][i];
    }
    double largest = n > 0 ? m[0][0] : 0.0;
    for (int c = 0; c < n; ++c) {
        int pivot = c;
        for (int r = c + 1; r < n; ++r) {
            pivot = fabs(m[r][c]) > fabs(m[pivot][c]) ? r : pivot;
        }
        if (fabs(m[pivot][c]) <= 1e-12 * largest) {
            return false;
        }
        for (int k = 0; k < 4; ++k) {
            double t = m[c][k];
            m[c][k] = m[pivot][k];
            m[pivot][k] = t;
        }
        for (int r = 0; r < n; ++r) {
            double f = r == c ? 0.0 : m[r][c] / m[c][c];
            for (int k = 0; k < 4; ++k) {
                m[r][k] -= f * m[c][k];
            }
        }
    }
    for (int k = 0; k < 3; ++k) {
        center[k] = (double)o[k];
        for (int i = 0; i < n; ++i) {
            center[k] += m[i][3] / m[i][i] * d[i][k];
        }
    }
    return true;
}

/// The smallest radius over all supports of 1 to 4 points; each centre with what it needs.
static double bruteRadius(const sdVec3* points, int count) {
    double best = 1e300;
    int index[4];
    for (int code = 0; code < count * count * count * count; ++code) {
        int rest = code, size = 0;
        for (int k = 0; k < 4; ++k, rest /= count) {
            int i = rest % count;
            bool isNew = size == 0 || i > index[size - 1];
            bool isRepeat = size > 0 && i == index[size - 1];
            if (!isNew && !isRepeat) {
                size = 0;
                break;
            }
            if (isNew) {
                index[size++] = i;
            }
        }
        double c[3];
        if (size == 0 || !bruteCenter(points, index, size, c)) {
            continue;
        }
        double radius = 0.0;
        for (int i = 0; i < count; ++i) {
            double x = (double)points[i].x - c[0], y = (double)points[i].y - c[1],
                   z = (double)points[i].z - c[2];
            double r = sqrt(x * x + y * y + z * z);
            radius = r > radius ? r : radius;
        }
        best = radius < best ? radius : best;
    }
    return best;
}

/// Rounding of the centre to float, then of the radius.
static double ballTolerance(const sdVec3* points, int count, double radius) {
    double largest = 0.0;
    for (int i = 0; i < count; ++i) {
        sdVec3 a = sdAbs(points[i]);
        double c = (double)sdMaxF(a.x, sdMaxF(a.y, a.z));
        largest = c > largest ? c : largest;
    }
    return 1.2e-7 * (largest + radius) + 1e-44;
}

SD_TEST(bounds_smallest_ball_is_that_of_brute_force) {
    sdVec3 points[10], copy[10];
    const float scales[5] = {1.0f, 1e-6f, 1e6f, 1.0f, 100.0f};
    const float offsets[5] = {0.0f, 0.0f, 0.0f, 1e3f, 1e6f};
    for (int i = 0; i < 600; ++i) {
        int count = 1 + i % 10;
        int variant = i / 10 % 5;
        Cloud cloud = (Cloud)(i / 50 % CLOUD_COUNT);
        makeCloud(cloud, (uint64_t)i, scales[variant], offsets[variant], points, count);
        double expected = bruteRadius(points, count);
        sdBall ball;
        REQUIRE(sdBall_FitSmallest(NULL, points, count, &ball) == SD_OK);
        CHECK_INT(countOutside(ball, points, count), 0);
        CHECK_NEAR(ball.radius, expected, ballTolerance(points, count, expected));
        // both halves of the method on their own
        int passes = 1000;
        sdSphered pivot;
        CHECK(sdBall_Pivot(points, count, &passes, &pivot));
        CHECK_NEAR(sqrt(pivot.squared), expected, 1e-9 * expected + 1e-44);
        memcpy(copy, points, sizeof copy);
        sdSphered welzl = sdBall_Welzl(copy, count);
        CHECK_NEAR(sqrt(welzl.squared), expected, 1e-6 * expected + 1e-44);
    }
}

SD_TEST(bounds_welzl_and_pivoting_agree_on_many_points) {
    enum { COUNT = 3000 };
    static sdVec3 points[COUNT], copy[COUNT];
    for (int i = 0; i < 3 * CLOUD_COUNT; ++i) {
        makeCloud((Cloud)(i % CLOUD_COUNT), (uint64_t)i, 2.0f, i < CLOUD_COUNT ? 0.0f : 5.0f,
                  points, COUNT);
        int passes = 1000;
        sdSphered pivot;
        CHECK(sdBall_Pivot(points, COUNT, &passes, &pivot));
        memcpy(copy, points, sizeof copy);
        sdSphered welzl = sdBall_Welzl(copy, COUNT);
        CHECK_NEAR(sqrt(welzl.squared), sqrt(pivot.squared), 1e-9 * sqrt(pivot.squared));
        // the order of the points has no say
        for (int k = 0; k < COUNT; ++k) {
            copy[k] = points[COUNT - 1 - k];
        }
        sdBall a, b;
        CHECK_INT(sdBall_FitSmallest(NULL, points, COUNT, &a), SD_OK);
        CHECK_INT(sdBall_FitSmallest(NULL, copy, COUNT, &b), SD_OK);
        CHECK_NEAR(a.radius, b.radius, ballTolerance(points, COUNT, (double)a.radius));
        CHECK_INT(countOutside(a, points, COUNT), 0);
    }
}

SD_TEST(bounds_balls_by_box_and_mean_contain_and_are_tight) {
    enum { COUNT = 257 };
    static sdVec3 points[COUNT];
    for (int i = 0; i < 4 * CLOUD_COUNT; ++i) {
        float scale = i % 4 == 0 ? 1e-6f : (i % 4 == 1 ? 1e6f : 1.0f);
        float offset = i % 4 == 3 ? 1e6f : 0.0f;
        makeCloud((Cloud)(i / 4), (uint64_t)i, scale, offset, points, COUNT);
        sdBall balls[3];
        REQUIRE(sdBall_FitBox(points, COUNT, &balls[0]) == SD_OK);
        REQUIRE(sdBall_FitCentroid(points, COUNT, &balls[1]) == SD_OK);
        REQUIRE(sdBall_FitSmallest(NULL, points, COUNT, &balls[2]) == SD_OK);
        for (int k = 0; k < 3; ++k) {
            CHECK_INT(countOutside(balls[k], points, COUNT), 0);
            // with the next smaller radius some point is outside
            sdBall less = {balls[k].center, nextafterf(balls[k].radius, 0.0f)};
            CHECK(balls[k].radius == 0.0f || countOutside(less, points, COUNT) > 0);
            double slack = ballTolerance(points, COUNT, (double)balls[2].radius);
            CHECK((double)balls[2].radius <= (double)balls[k].radius + slack);
        }
    }
}

SD_TEST(bounds_smallest_ball_without_memory) {
    sdVec3 points[50];
    makeCloud(CLOUD_SPHERE, 5, 1.0f, 0.0f, points, 50);
    TestContext test;
    TestContext_Init(&test);
    sdBall ball, other;
    // pivoting needs none; with no pass at all Welzl's algorithm must have a copy
    CHECK_INT(sdBall_FitSmallest(&test.context, points, 50, &ball), SD_OK);
    CHECK_INT(test.allocationCount, 0);
    CHECK_INT(sdBall_FitInPasses(&test.context, points, 50, 0, &other), SD_OK);
    CHECK_INT(test.allocationCount, 1);
    CHECK_NEAR(ball.radius, other.radius, 1e-6);
    CHECK_INT(countOutside(other, points, 50), 0);
    test.failAt = test.allocationCount;
    CHECK_INT(sdBall_FitInPasses(&test.context, points, 50, 0, &other), SD_ERROR_OUT_OF_MEMORY);
    CHECK_TEXT(test.lastError, "no memory");
    TestContext_Finish(&test);
}

SD_TEST(bounds_balls_at_the_ends_of_float) {
    TestContext test;
    TestContext_Init(&test);
    sdVec3 tiny[2] = {{0.0f, 0.0f, 0.0f}, {1e-45f, 0.0f, 0.0f}};
    sdBall ball;
    REQUIRE(sdBall_FitSmallest(&test.context, tiny, 2, &ball) == SD_OK);
    CHECK_INT(countOutside(ball, tiny, 2), 0);
    CHECK(ball.radius <= 1.5e-45f);
    sdVec3 huge[2] = {{-3e38f, 0.0f, 0.0f}, {3e38f, 0.0f, 0.0f}};
    REQUIRE(sdBall_FitSmallest(&test.context, huge, 2, &ball) == SD_OK);
    CHECK_INT(countOutside(ball, huge, 2), 0);
    CHECK_NEAR((double)ball.radius, 3e38, 1e31);
    sdVec3 far[2] = {{-3e38f, -3e38f, 0.0f}, {3e38f, 3e38f, 0.0f}};
    CHECK_INT(sdBall_FitSmallest(&test.context, far, 2, &ball), SD_ERROR_LIMIT);
    CHECK_TEXT(test.lastError, "FLT_MAX");
    CHECK_INT(sdBall_FitBox(far, 2, &ball), SD_ERROR_LIMIT);
    CHECK_INT(sdBall_FitCentroid(far, 2, &ball), SD_ERROR_LIMIT);
    sdKdop kdop;
    CHECK_INT(sdKdop_Fit(SD_KDOP_26, far, 2, &kdop), SD_ERROR_LIMIT);
    TestContext_Finish(&test);
}

SD_TEST(bounds_ball_whose_root_rounds_down) {
    // the squared distance is 1 + 2^-52 and its root in double is 1
    sdVec3 points[2] = {{1.0f, 1.0f / 67108864.0f, 0.0f}, {-1.0f, -1.0f / 67108864.0f, 0.0f}};
    sdBall ball;
    REQUIRE(sdBall_FitBox(points, 2, &ball) == SD_OK);
    CHECK_INT(countOutside(ball, points, 2), 0);
    CHECK(ball.radius == nextafterf(1.0f, 2.0f));
}

SD_TEST(bounds_balls_overlap_and_unite) {
    sdBall a = {{0.0f, 0.0f, 0.0f}, 1.0f}, b = {{3.0f, 0.0f, 0.0f}, 2.0f};
    CHECK(sdBall_Overlaps(a, b) && sdBall_Overlaps(b, a));
    b.center.x = nextafterf(3.0f, 4.0f);
    CHECK(!sdBall_Overlaps(a, b) && !sdBall_Overlaps(b, a));
    CHECK_NEAR(sdBall_Volume(b), 33.510322, 1e-5);
    TestRandom random = TestRandom_Make(3);
    for (int i = 0; i < 20000; ++i) {
        a = (sdBall){TestRandom_InBox(&random, 1.0f), TestRandom_Float(&random, 0.0f, 1.0f)};
        b = (sdBall){TestRandom_InBox(&random, 1.0f), TestRandom_Float(&random, 0.0f, 1.0f)};
        sdBall u = sdBall_Union(a, b);
        sdVec3d d = sdSubD(sdVec3d_From(a.center), sdVec3d_From(b.center));
        double distance = sdLengthD(d), ra = (double)a.radius, rb = (double)b.radius;
        double exact = 0.5 * (distance + ra + rb);
        exact = exact > ra ? exact : ra;
        exact = exact > rb ? exact : rb;
        CHECK_NEAR(u.radius, exact, 4e-7);
        CHECK(sdBall_Overlaps(a, b) == (distance <= ra + rb));
        // points of either ball, on its surface too, are in the union
        sdVec3 p = sdMulAdd(a.center, a.radius, TestRandom_OnSphere(&random));
        sdVec3 q = sdMulAdd(b.center, b.radius, TestRandom_OnSphere(&random));
        CHECK(!sdBall_ContainsPoint(a, p) || sdBall_ContainsPoint(u, p));
        CHECK(!sdBall_ContainsPoint(b, q) || sdBall_ContainsPoint(u, q));
        sdBall self = sdBall_Union(a, a);
        CHECK(memcmp(&self, &a, sizeof a) == 0);
    }
}

// ---- k-DOPs --------------------------------------------------------------------------------

SD_TEST(bounds_kdop_directions) {
    for (int k = 0; k < KIND_COUNT; ++k) {
        int count;
        const sdVec3* d = sdKdop_GetDirections(kinds[k], &count);
        REQUIRE(d != NULL && count == (int)kinds[k] / 2);
        for (int i = 0; i < count; ++i) {
            for (int j = 0; j < i; ++j) {
                CHECK(sdLength(sdCross(d[i], d[j])) > 0.5f);
            }
        }
    }
    int count = 7;
    CHECK(sdKdop_GetDirections((sdKdopKind)0, &count) == NULL);
    CHECK_INT(count, 0);
    CHECK(sdKdop_GetDirections(SD_KDOP_14, NULL) != NULL);
}

SD_TEST(bounds_kdop_contains_its_points_and_is_tight) {
    enum { COUNT = 101 };
    sdVec3 points[COUNT];
    for (int i = 0; i < 9 * CLOUD_COUNT; ++i) {
        float scale = i % 3 == 0 ? 1e-6f : (i % 3 == 1 ? 1e6f : 1.0f);
        float offset = i % 2 == 0 ? 1e6f : 0.0f;
        int pointCount = i % 2 == 0 ? COUNT : 1 + i % 7;
        makeCloud((Cloud)(i / 9), (uint64_t)i, scale, offset, points, pointCount);
        sdKdop kdop;
        sdKdopKind kind = kinds[i / 3 % 3];
        REQUIRE(sdKdop_Fit(kind, points, pointCount, &kdop) == SD_OK);
        int slabs;
        const sdVec3* directions = sdKdop_GetDirections(kind, &slabs);
        for (int s = 0; s < slabs; ++s) {
            double lower = 1e300, upper = -1e300;
            for (int k = 0; k < pointCount; ++k) {
                double d = sdDotD(sdVec3d_From(directions[s]), sdVec3d_From(points[k]));
                lower = d < lower ? d : lower;
                upper = d > upper ? d : upper;
            }
            CHECK((double)kdop.lower[s] <= lower &&
                  (double)nextafterf(kdop.lower[s], 1e38f) > lower);
            CHECK((double)kdop.upper[s] >= upper &&
                  (double)nextafterf(kdop.upper[s], -1e38f) < upper);
        }
        for (int k = 0; k < pointCount; ++k) {
            CHECK(sdKdop_ContainsPoint(&kdop, points[k]));
        }
        CHECK(!sdKdop_ContainsPoint(&kdop, sdAdd(points[0], sdV3(9e6f, 0.0f, 0.0f))));
    }
}

SD_TEST(bounds_kdop_overlap_is_by_common_slabs) {
    sdVec3 points[2][12];
    TestRandom random = TestRandom_Make(77);
    int apart = 0, apartByMore = 0;
    for (int i = 0; i < 3000; ++i) {
        for (int side = 0; side < 2; ++side) {
            sdVec3 shift = sdScale(side == 0 ? 0.0f : 1.0f, TestRandom_InBox(&random, 2.5f));
            for (int k = 0; k < 12; ++k) {
                points[side][k] = sdAdd(shift, TestRandom_InBall(&random));
            }
        }
        bool overlaps[KIND_COUNT][KIND_COUNT];
        for (int ka = 0; ka < KIND_COUNT; ++ka) {
            for (int kb = 0; kb < KIND_COUNT; ++kb) {
                sdKdop a, b;
                REQUIRE(sdKdop_Fit(kinds[ka], points[0], 12, &a) == SD_OK);
                REQUIRE(sdKdop_Fit(kinds[kb], points[1], 12, &b) == SD_OK);
                // oracle: equal directions looked up by value
                int countA, countB;
                const sdVec3* da = sdKdop_GetDirections(kinds[ka], &countA);
                const sdVec3* db = sdKdop_GetDirections(kinds[kb], &countB);
                bool expected = true;
                for (int m = 0; m < countA; ++m) {
                    for (int n = 0; n < countB; ++n) {
                        if (memcmp(&da[m], &db[n], sizeof da[m]) == 0) {
                            expected =
                                expected && a.lower[m] <= b.upper[n] && b.lower[n] <= a.upper[m];
                        }
                    }
                }
                overlaps[ka][kb] = sdKdop_Overlaps(&a, &b);
                CHECK(overlaps[ka][kb] == expected);
                CHECK(sdKdop_Overlaps(&b, &a) == expected);
            }
        }
        // more slabs, fewer overlaps; different kinds share less
        CHECK(!overlaps[2][2] || (overlaps[0][0] && overlaps[1][1]));
        CHECK(!overlaps[0][0] || overlaps[0][1]);
        apart += overlaps[0][1] ? 0 : 1;
        apartByMore += overlaps[0][1] && !overlaps[2][2] ? 1 : 0;
    }
    CHECK(apart > 100 && apartByMore > 100);
    sdKdop a, b;
    REQUIRE(sdKdop_Fit(SD_KDOP_26, points[0], 1, &a) == SD_OK);
    REQUIRE(sdKdop_Fit(SD_KDOP_14, points[0], 2, &b) == SD_OK);
    CHECK(sdKdop_Overlaps(&a, &b));
    CHECK(!sdKdop_Overlaps(NULL, &b) && !sdKdop_Overlaps(&a, NULL));
    CHECK(!sdKdop_ContainsPoint(NULL, points[0][0]));
    a.kind = (sdKdopKind)5;
    CHECK(!sdKdop_Overlaps(&a, &b) && !sdKdop_ContainsPoint(&a, points[0][0]));
    CHECK_NEAR(sdKdop_Volume(&a), 0.0, 0.0);
    CHECK_NEAR(sdKdop_Volume(NULL), 0.0, 0.0);
}

SD_TEST(bounds_kdop_volume_of_known_bodies) {
    sdVec3 cube[8], octahedron[6] = {{1.0f, 0.0f, 0.0f},  {-1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f},
                                     {0.0f, -1.0f, 0.0f}, {0.0f, 0.0f, 1.0f},  {0.0f, 0.0f, -1.0f}};
    for (int i = 0; i < 8; ++i) {
        cube[i] = sdV3(i & 1 ? 3.0f : 1.0f, i & 2 ? 5.0f : 3.0f, i & 4 ? 7.0f : 5.0f);
    }
    const sdVec3 tetrahedron[4] = {
        {1.0f, 1.0f, 1.0f}, {1.0f, -1.0f, -1.0f}, {-1.0f, 1.0f, -1.0f}, {-1.0f, -1.0f, 1.0f}};
    const sdVec3 corner[4] = {
        {0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    for (int k = 0; k < KIND_COUNT; ++k) {
        sdKdop kdop;
        REQUIRE(sdKdop_Fit(kinds[k], cube, 8, &kdop) == SD_OK);
        CHECK_NEAR(sdKdop_Volume(&kdop), 8.0, 1e-6);
        REQUIRE(sdKdop_Fit(kinds[k], octahedron, 6, &kdop) == SD_OK);
        // the corner slabs are its faces; the edge slabs alone leave the rhombic dodecahedron
        CHECK_NEAR(sdKdop_Volume(&kdop), kinds[k] == SD_KDOP_18 ? 2.0 : 4.0 / 3.0, 1e-6);
        REQUIRE(sdKdop_Fit(kinds[k], tetrahedron, 4, &kdop) == SD_OK);
        // one side of each corner slab is a face, the other touches a corner; edge slabs touch
        // edges
        CHECK_NEAR(sdKdop_Volume(&kdop), kinds[k] == SD_KDOP_18 ? 8.0 : 8.0 / 3.0, 1e-6);
        // the middle of the box is outside; the edge slabs leave all with pairwise sums below 1
        REQUIRE(sdKdop_Fit(kinds[k], corner, 4, &kdop) == SD_OK);
        CHECK_NEAR(sdKdop_Volume(&kdop), kinds[k] == SD_KDOP_18 ? 0.25 : 1.0 / 6.0, 1e-6);
        REQUIRE(sdKdop_Fit(kinds[k], cube, 4, &kdop) == SD_OK);
        CHECK_NEAR(sdKdop_Volume(&kdop), 0.0, 1e-12);
        REQUIRE(sdKdop_Fit(kinds[k], cube, 1, &kdop) == SD_OK);
        CHECK_NEAR(sdKdop_Volume(&kdop), 0.0, 0.0);
    }
}

SD_TEST(bounds_kdop_volume_by_counting) {
    sdVec3 points[30];
    TestRandom random = TestRandom_Make(9);
    for (int i = 0; i < 6; ++i) {
        makeCloud(i % 2 == 0 ? CLOUD_BALL : CLOUD_CUBE, (uint64_t)i, 1.0f, 0.0f, points, 30);
        sdAABB box;
        REQUIRE(sdAABB_Fit(points, 30, &box) == SD_OK);
        sdKdop kdop;
        REQUIRE(sdKdop_Fit(kinds[i % 3], points, 30, &kdop) == SD_OK);
        int inside = 0;
        const int tries = 40000;
        for (int k = 0; k < tries; ++k) {
            sdVec3 p = sdV3(TestRandom_Float(&random, box.lower.x, box.upper.x),
                            TestRandom_Float(&random, box.lower.y, box.upper.y),
                            TestRandom_Float(&random, box.lower.z, box.upper.z));
            inside += sdKdop_ContainsPoint(&kdop, p) ? 1 : 0;
        }
        double expected = (double)sdAABB_Volume(box) * (double)inside / (double)tries;
        // four standard deviations
        CHECK_NEAR(sdKdop_Volume(&kdop), expected, 0.01 * (double)sdAABB_Volume(box));
    }
}

// ---- same bits -----------------------------------------------------------------------------

#if defined(SD_HAVE_AVX2_KERNELS)
SD_TEST(bounds_kernels_agree_at_both_levels) {
    sdVec3 points[45];
    for (int i = 0; i < 45 * CLOUD_COUNT && sdSimd_HasAvx2(); ++i) {
        int count = 1 + i % 45;
        makeCloud((Cloud)(i / 45), (uint64_t)i, 1.0f, 0.1f, points, count);
        sdAABB boxes[2];
        CHECK(sdPoints_Box_base(points, count, &boxes[0]));
        CHECK(sdPoints_Box_avx2(points, count, &boxes[1]));
        CHECK(memcmp(&boxes[0], &boxes[1], sizeof boxes[0]) == 0);
        sdVec3d center = sdV3d(0.1, 0.2, 0.3);
        double squared[2];
        int a = sdPoints_Farthest_base(points, count, center, &squared[0]);
        CHECK_INT(sdPoints_Farthest_avx2(points, count, center, &squared[1]), a);
        CHECK(squared[0] == squared[1]);
        // the first of equals, as a plain loop finds it
        int first = 0;
        for (int k = 1; k < count; ++k) {
            sdVec3d d = sdSubD(sdVec3d_From(points[k]), center);
            sdVec3d e = sdSubD(sdVec3d_From(points[first]), center);
            first = sdDotD(d, d) > sdDotD(e, e) ? k : first;
        }
        CHECK_INT(a, first);
        const sdVec3d axes[3] = {{0.6, 0.8, 0.0}, {-0.8, 0.6, 0.0}, {0.0, 0.0, 1.0}};
        double lower[2][SD_KDOP_MAX_SLABS], upper[2][SD_KDOP_MAX_SLABS];
        sdPoints_Project_base(points, count, center, axes, lower[0], upper[0]);
        sdPoints_Project_avx2(points, count, center, axes, lower[1], upper[1]);
        CHECK(memcmp(lower[0], lower[1], 3 * sizeof(double)) == 0);
        CHECK(memcmp(upper[0], upper[1], 3 * sizeof(double)) == 0);
        sdPoints_Slabs_base(points, count, lower[0], upper[0]);
        sdPoints_Slabs_avx2(points, count, lower[1], upper[1]);
        CHECK(memcmp(lower[0], lower[1], sizeof lower[0]) == 0);
        CHECK(memcmp(upper[0], upper[1], sizeof upper[0]) == 0);
    }
}
#endif

SD_TEST(bounds_same_bits_on_every_target) {
    enum { COUNT = 200 };
    sdVec3 points[COUNT];
    sdVec2 flat[COUNT], hull[COUNT];
    uint64_t hash = TEST_HASH_START;
    for (int i = 0; i < 2 * CLOUD_COUNT; ++i) {
        makeCloud((Cloud)(i % CLOUD_COUNT), (uint64_t)i, 3.0f, 0.7f, points, COUNT);
        sdBall ball;
        REQUIRE(sdBall_FitSmallest(NULL, points, COUNT, &ball) == SD_OK);
        hash = TestHash(hash, &ball, sizeof ball);
        REQUIRE(sdBall_FitCentroid(points, COUNT, &ball) == SD_OK);
        hash = TestHash(hash, &ball, sizeof ball);
        sdKdop kdop;
        REQUIRE(sdKdop_Fit(SD_KDOP_26, points, COUNT, &kdop) == SD_OK);
        float volume = sdKdop_Volume(&kdop);
        hash = TestHash(hash, &kdop, sizeof kdop);
        hash = TestHash(hash, &volume, sizeof volume);
        for (int k = 0; k < COUNT; ++k) {
            flat[k] = sdV2(points[k].x, points[k].z);
        }
        int hullCount;
        REQUIRE(sdHull2_Fit(NULL, flat, COUNT, hull, &hullCount) == SD_OK);
        hash = TestHash(hash, hull, (size_t)hullCount * sizeof *hull);
        sdOBB2 box;
        REQUIRE(sdOBB2_FitSmallest(NULL, flat, COUNT, &box) == SD_OK);
        hash = TestHash(hash, &box, sizeof box);
        sdAABB aabb = {sdV3(-1.0f, -2.0f, -3.0f), points[0]};
        aabb = (sdAABB){sdMin(aabb.lower, aabb.upper), sdMax(aabb.lower, aabb.upper)};
        sdAABB moved = sdAABB_Transform(
            (sdTransform){points[1], sdNormalizeQ((sdQuat){points[2], 1.0f})}, aabb);
        hash = TestHash(hash, &moved, sizeof moved);
    }
    CHECK_INT(hash, -251676883597682539);
}
