// SPDX-License-Identifier: MIT
// test_bounds2d.c - bounding volumes in the plane against exact arithmetic and brute force.

#include "geometry/bounds.h"
#include "support.h"

#include <string.h>

typedef enum Cloud2 {
    CLOUD_SQUARE,
    CLOUD_DISC,
    CLOUD_CIRCLE,
    CLOUD_GRID, ///< many on common lines, many equal
    CLOUD_LINE,
    CLOUD_NEARLY_LINE, ///< off a line by the last bit
    CLOUD_RAY,         ///< on a line, with differences of more bits than double has
    CLOUD_EQUAL,
    CLOUD_THIN,
    CLOUD_COUNT
} Cloud2;

static sdVec2 cloudPoint(Cloud2 cloud, TestRandom* random) {
    sdVec2 p = sdV2(TestRandom_Float(random, -1.0f, 1.0f), TestRandom_Float(random, -1.0f, 1.0f));
    switch (cloud) {
        case CLOUD_DISC: {
            sdVec3 q = TestRandom_InBall(random);
            return sdV2(q.x, q.y);
        }
        case CLOUD_CIRCLE:
            return sdV2(sdCos(SD_PI * p.x), sdSin(SD_PI * p.x));
        case CLOUD_GRID:
            return sdV2((float)TestRandom_Int(random, 5), (float)TestRandom_Int(random, 4));
        case CLOUD_LINE: {
            float t = (float)TestRandom_Int(random, 100);
            return sdV2(3.0f * t, 7.0f * t);
        }
        case CLOUD_NEARLY_LINE: {
            float y = p.x / 3.0f;
            return sdV2(p.x, p.y < -0.3f ? y : nextafterf(y, p.y));
        }
        case CLOUD_RAY: {
            float t = ldexpf((float)(1 + TestRandom_Int(random, 1 << 20)),
                             -20 - TestRandom_Int(random, 34));
            return sdV2(3.0f * t, 7.0f * t);
        }
        case CLOUD_EQUAL:
            return sdV2(0.1f, 0.2f);
        case CLOUD_THIN:
            return sdV2(p.x, p.x + 1e-4f * p.y);
        default:
            return p;
    }
}

static void makeCloud(Cloud2 cloud, uint64_t seed, float scale, float offset, sdVec2* points,
                      int count) {
    TestRandom random = TestRandom_Make(seed);
    for (int i = 0; i < count; ++i) {
        sdVec2 p = sdScale2(scale, cloudPoint(cloud, &random));
        points[i] = sdAdd2(p, sdV2(offset, -0.5f * offset));
    }
}

__extension__ typedef __int128 Wide;

/// Sign of twice the area of a, b, c, exact, for multiples of 2^-54 below 2^7.
static int exactTurn(sdVec2 a, sdVec2 b, sdVec2 c) {
    const double scale = 18014398509481984.0;
    Wide ax = (int64_t)((double)a.x * scale), ay = (int64_t)((double)a.y * scale);
    Wide bx = (int64_t)((double)b.x * scale), by = (int64_t)((double)b.y * scale);
    Wide cx = (int64_t)((double)c.x * scale), cy = (int64_t)((double)c.y * scale);
    Wide left = (bx - ax) * (cy - ay), right = (by - ay) * (cx - ax);
    return (left > right) - (left < right);
}

/// The exact hull's properties: every corner turns left, no point is right of any edge.
static void checkHull(const sdVec2* points, int count, const sdVec2* hull, int hullCount) {
    for (int i = 0; i < hullCount && hullCount > 2; ++i) {
        sdVec2 a = hull[i], b = hull[(i + 1) % hullCount], c = hull[(i + 2) % hullCount];
        CHECK_INT(exactTurn(a, b, c), 1);
        for (int k = 0; k < count; ++k) {
            CHECK(exactTurn(a, b, points[k]) >= 0);
        }
    }
    // and each corner is one of the points
    for (int i = 0; i < hullCount; ++i) {
        int found = 0;
        for (int k = 0; k < count; ++k) {
            found += hull[i].x == points[k].x && hull[i].y == points[k].y ? 1 : 0;
        }
        CHECK(found > 0);
    }
}

SD_TEST(bounds2d_hull_is_exact) {
    enum { COUNT = 60 };
    sdVec2 points[COUNT], hull[COUNT];
    for (int i = 0; i < 40 * CLOUD_COUNT; ++i) {
        Cloud2 cloud = (Cloud2)(i % CLOUD_COUNT);
        int count = 1 + i % COUNT;
        // the oracle's numbers end at 2^7 and at 2^-54
        makeCloud(cloud, (uint64_t)i, cloud == CLOUD_LINE ? 0.125f : 1.0f, 0.0f, points, count);
        for (int k = 0; k < count && cloud != CLOUD_RAY; ++k) {
            points[k].x = sdAbsF(points[k].x) < 1e-9f ? 0.0f : points[k].x;
            points[k].y = sdAbsF(points[k].y) < 1e-9f ? 0.0f : points[k].y;
        }
        int hullCount;
        REQUIRE(sdHull2_Fit(NULL, points, count, hull, &hullCount) == SD_OK);
        checkHull(points, count, hull, hullCount);
        if (cloud == CLOUD_EQUAL || count == 1) {
            CHECK_INT(hullCount, 1);
        }
        if ((cloud == CLOUD_LINE || cloud == CLOUD_RAY) && count > 10) {
            CHECK_INT(hullCount, 2);
        }
    }
}

SD_TEST(bounds2d_hull_of_a_grid_is_its_corners) {
    sdVec2 points[400], hull[400];
    for (int i = 0; i < 400; ++i) {
        points[i] = sdV2(0.1f * (float)(i % 20), 0.1f * (float)(i / 20));
    }
    int hullCount;
    REQUIRE(sdHull2_Fit(NULL, points, 400, hull, &hullCount) == SD_OK);
    CHECK_INT(hullCount, 4);
}

static double boxAreaAlong(const sdVec2* hull, int count, double x, double y) {
    double low[2] = {1e300, 1e300}, high[2] = {-1e300, -1e300};
    for (int i = 0; i < count; ++i) {
        double d[2] = {(double)hull[i].x * x + (double)hull[i].y * y,
                       (double)hull[i].y * x - (double)hull[i].x * y};
        for (int k = 0; k < 2; ++k) {
            low[k] = d[k] < low[k] ? d[k] : low[k];
            high[k] = d[k] > high[k] ? d[k] : high[k];
        }
    }
    return (high[0] - low[0]) * (high[1] - low[1]) / (x * x + y * y);
}

SD_TEST(bounds2d_calipers_find_the_smallest_box) {
    enum { COUNT = 80 };
    sdVec2 points[COUNT], hull[COUNT];
    for (int i = 0; i < 50 * CLOUD_COUNT; ++i) {
        Cloud2 cloud = (Cloud2)(i % CLOUD_COUNT);
        int count = 1 + (i * 7) % COUNT;
        makeCloud(cloud, (uint64_t)i, 1.0f, 0.0f, points, count);
        int hullCount;
        REQUIRE(sdHull2_Fit(NULL, points, count, hull, &hullCount) == SD_OK);
        double expected = hullCount > 2 ? 1e300 : 0.0;
        for (int k = 0; k < hullCount; ++k) {
            sdVec2 a = hull[k], b = hull[(k + 1) % hullCount];
            if (hullCount > 2) {
                double area = boxAreaAlong(hull, hullCount, (double)b.x - (double)a.x,
                                           (double)b.y - (double)a.y);
                expected = area < expected ? area : expected;
            }
        }
        sdVec2d axis;
        double size = cloud == CLOUD_LINE ? 1000.0 : 10.0;
        CHECK_NEAR(sdHull2_SmallestBox(hull, hullCount, &axis), expected, 1e-13 * size * size);
        CHECK_NEAR(axis.x * axis.x + axis.y * axis.y, 1.0, 1e-14);
        // no direction at all is better than the best edge
        for (int k = 0; k < 90; ++k) {
            float angle = 0.5f * SD_PI * (float)k / 90.0f;
            double area = boxAreaAlong(hull, hullCount, (double)sdCos(angle), (double)sdSin(angle));
            CHECK(area >= expected * (1.0 - 1e-12) - 1e-13 * size * size);
        }
        sdOBB2 box;
        REQUIRE(sdOBB2_FitSmallest(NULL, points, count, &box) == SD_OK);
        for (int k = 0; k < count; ++k) {
            CHECK(sdOBB2_ContainsPoint(box, points[k]));
        }
        double area = 4.0 * (double)box.halfExtents.x * (double)box.halfExtents.y;
        CHECK_NEAR(area, expected, 1e-6 * size * size);
        CHECK_NEAR(sdLength2(box.axis), 1.0, 1e-6);
    }
}

SD_TEST(bounds2d_fits_contain_at_every_scale) {
    enum { COUNT = 50 };
    sdVec2 points[COUNT];
    for (int i = 0; i < 12 * CLOUD_COUNT; ++i) {
        float scale = i % 3 == 0 ? 1e-6f : (i % 3 == 1 ? 1e6f : 1.0f);
        float offset = i % 4 == 3 ? 1e6f : 0.0f;
        makeCloud((Cloud2)(i / 12), (uint64_t)i, scale, offset, points, COUNT);
        sdAABB2 aabb;
        sdOBB2 obb;
        sdCircle2 circle;
        sdKdop2 kdop;
        REQUIRE(sdAABB2_Fit(points, COUNT, &aabb) == SD_OK);
        REQUIRE(sdOBB2_FitSmallest(NULL, points, COUNT, &obb) == SD_OK);
        REQUIRE(sdCircle2_FitSmallest(NULL, points, COUNT, &circle) == SD_OK);
        REQUIRE(sdKdop2_Fit(points, COUNT, &kdop) == SD_OK);
        int touch[4] = {0, 0, 0, 0};
        for (int k = 0; k < COUNT; ++k) {
            CHECK(sdAABB2_ContainsPoint(aabb, points[k]));
            CHECK(sdOBB2_ContainsPoint(obb, points[k]));
            CHECK(sdCircle2_ContainsPoint(circle, points[k]));
            CHECK(sdKdop2_ContainsPoint(&kdop, points[k]));
            double sum = (double)points[k].x + (double)points[k].y;
            double difference = (double)points[k].x - (double)points[k].y;
            touch[0] |= (double)nextafterf(kdop.lower[2], 1e38f) > sum;
            touch[1] |= (double)nextafterf(kdop.upper[2], -1e38f) < sum;
            touch[2] |= (double)nextafterf(kdop.lower[3], 1e38f) > difference;
            touch[3] |= (double)nextafterf(kdop.upper[3], -1e38f) < difference;
        }
        CHECK(touch[0] && touch[1] && touch[2] && touch[3]);
        CHECK(aabb.lower.x == kdop.lower[0] && aabb.upper.y == kdop.upper[1]);
        sdVec2 far = sdAdd2(points[0], sdV2(0.0f, 1e10f));
        CHECK(!sdAABB2_ContainsPoint(aabb, far) && !sdOBB2_ContainsPoint(obb, far));
        CHECK(!sdCircle2_ContainsPoint(circle, far) && !sdKdop2_ContainsPoint(&kdop, far));
    }
}

/// Smallest radius over the circles on all pairs and triples.
static double bruteCircle(const sdVec2* p, int count) {
    double best = count == 1 ? 0.0 : 1e300;
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < i; ++j) {
            for (int k = 0; k <= j; ++k) {
                double ax = (double)p[j].x - (double)p[i].x, ay = (double)p[j].y - (double)p[i].y;
                double bx = (double)p[k].x - (double)p[i].x, by = (double)p[k].y - (double)p[i].y;
                double cx = 0.5 * ax, cy = 0.5 * ay;
                if (k < j) {
                    double det = 2.0 * (ax * by - ay * bx);
                    if (det == 0.0) {
                        continue;
                    }
                    double a2 = ax * ax + ay * ay, b2 = bx * bx + by * by;
                    cx = (by * a2 - ay * b2) / det;
                    cy = (ax * b2 - bx * a2) / det;
                }
                double radius = 0.0;
                for (int n = 0; n < count; ++n) {
                    double x = (double)p[n].x - (double)p[i].x - cx;
                    double y = (double)p[n].y - (double)p[i].y - cy;
                    double r = sqrt(x * x + y * y);
                    radius = r > radius ? r : radius;
                }
                best = radius < best ? radius : best;
            }
        }
    }
    return best;
}

SD_TEST(bounds2d_smallest_circle_is_that_of_brute_force) {
    sdVec2 points[14];
    for (int i = 0; i < 60 * CLOUD_COUNT; ++i) {
        int count = 1 + i / CLOUD_COUNT % 14;
        makeCloud((Cloud2)(i % CLOUD_COUNT), (uint64_t)i, 1.0f, i % 3 == 0 ? 10.0f : 0.0f, points,
                  count);
        sdCircle2 circle;
        REQUIRE(sdCircle2_FitSmallest(NULL, points, count, &circle) == SD_OK);
        double expected = bruteCircle(points, count);
        CHECK_NEAR(circle.radius, expected, 2e-6 + 2e-7 * expected);
    }
}

/// Oracle: one box's outline cut by the sides of the other, in double; > 0 when they overlap by
/// some area, < 0 when a gap shows on some direction of a fine fan.
static double overlapArea(sdOBB2 a, sdOBB2 b) {
    double polygon[16][2], next[16][2];
    double ux = (double)a.axis.x, uy = (double)a.axis.y;
    int count = 4;
    for (int i = 0; i < 4; ++i) {
        double x = i == 0 || i == 3 ? (double)a.halfExtents.x : -(double)a.halfExtents.x;
        double y = i < 2 ? (double)a.halfExtents.y : -(double)a.halfExtents.y;
        polygon[i][0] = (double)a.center.x + x * ux - y * uy;
        polygon[i][1] = (double)a.center.y + x * uy + y * ux;
    }
    double vx = (double)b.axis.x, vy = (double)b.axis.y;
    for (int side = 0; side < 4; ++side) {
        double nx = side < 2 ? vx : -vy, ny = side < 2 ? vy : vx;
        double limit = side < 2 ? (double)b.halfExtents.x : (double)b.halfExtents.y;
        double sign = side % 2 == 0 ? 1.0 : -1.0;
        int nextCount = 0;
        for (int i = 0; i < count; ++i) {
            const double* p = polygon[i];
            const double* q = polygon[(i + 1) % count];
            double dp =
                sign * ((p[0] - (double)b.center.x) * nx + (p[1] - (double)b.center.y) * ny);
            double dq =
                sign * ((q[0] - (double)b.center.x) * nx + (q[1] - (double)b.center.y) * ny);
            if (dp <= limit) {
                next[nextCount][0] = p[0];
                next[nextCount++][1] = p[1];
            }
            if ((dp < limit) != (dq < limit)) {
                double t = (limit - dp) / (dq - dp);
                next[nextCount][0] = p[0] + t * (q[0] - p[0]);
                next[nextCount++][1] = p[1] + t * (q[1] - p[1]);
            }
        }
        memcpy(polygon, next, sizeof polygon);
        count = nextCount;
    }
    double area = 0.0;
    for (int i = 0; i < count; ++i) {
        int j = (i + 1) % count;
        area += 0.5 * (polygon[i][0] * polygon[j][1] - polygon[j][0] * polygon[i][1]);
    }
    return area;
}

static sdOBB2 randomBox(TestRandom* random, float reach) {
    float angle = TestRandom_Float(random, -SD_PI, SD_PI);
    sdOBB2 box;
    box.center =
        sdV2(TestRandom_Float(random, -reach, reach), TestRandom_Float(random, -reach, reach));
    box.axis = sdV2(sdCos(angle), sdSin(angle));
    box.halfExtents =
        sdV2(TestRandom_Float(random, 0.05f, 1.0f), TestRandom_Float(random, 0.05f, 1.0f));
    return box;
}

SD_TEST(bounds2d_boxes_overlap_as_by_clipping) {
    TestRandom random = TestRandom_Make(21);
    int overlapCount = 0, circleWrong = 0;
    const int tries = 20000;
    for (int i = 0; i < tries; ++i) {
        sdOBB2 a = randomBox(&random, 1.0f), b = randomBox(&random, 1.0f);
        bool overlaps = sdOBB2_Overlaps(a, b);
        CHECK(sdOBB2_Overlaps(b, a) == overlaps);
        double area = overlapArea(a, b);
        CHECK(area < 1e-12 || overlaps);
        // boxes said to overlap do so when both are 1e-5 larger
        sdOBB2 larger = a;
        larger.halfExtents = sdAdd2(a.halfExtents, sdV2(1e-5f, 1e-5f));
        CHECK(!overlaps || overlapArea(larger, b) > 0.0);
        overlapCount += overlaps ? 1 : 0;
        // centre distance against half diagonals is a test of circles, not of boxes (S3 5.2.2)
        float reach = sdLength2(a.halfExtents) + sdLength2(b.halfExtents);
        circleWrong += !overlaps && sdLength2(sdSub2(a.center, b.center)) < reach ? 1 : 0;
        // a common point is never in boxes that are apart
        sdVec2 p = sdAdd2(a.center, sdAdd2(sdScale2(a.halfExtents.x, a.axis),
                                           sdScale2(a.halfExtents.y, sdPerp2(a.axis))));
        CHECK(overlaps || !sdOBB2_ContainsPoint(a, p) || !sdOBB2_ContainsPoint(b, p));
    }
    CHECK(overlapCount > tries / 10 && overlapCount < tries * 9 / 10 && circleWrong > tries / 20);
    sdOBB2 a = {{0.0f, 0.0f}, {1.0f, 0.0f}, {1.0f, 1.0f}},
           b = {{2.0f, 2.0f}, {0.0f, 1.0f}, {1.0f, 1.0f}};
    CHECK(sdOBB2_Overlaps(a, b));
    b.center.x = nextafterf(2.0f, 3.0f);
    CHECK(!sdOBB2_Overlaps(a, b));
}

SD_TEST(bounds2d_overlaps_touch) {
    sdAABB2 a = {{0.0f, 0.0f}, {1.0f, 1.0f}}, b = {{1.0f, 1.0f}, {2.0f, 2.0f}};
    CHECK(sdAABB2_Overlaps(a, b) && sdAABB2_Overlaps(b, a));
    b.lower.x = nextafterf(1.0f, 2.0f);
    CHECK(!sdAABB2_Overlaps(a, b) && !sdAABB2_Overlaps(b, a));
    sdCircle2 c = {{0.0f, 0.0f}, 2.0f}, d = {{3.0f, 4.0f}, 3.0f};
    CHECK(sdCircle2_Overlaps(c, d));
    d.radius = nextafterf(3.0f, 0.0f);
    CHECK(!sdCircle2_Overlaps(c, d) && !sdCircle2_Overlaps(d, c));
    // apart only along a diagonal
    sdVec2 lower[3] = {{0.0f, 0.0f}, {1.0f, 0.0f}, {0.0f, 1.0f}};
    sdVec2 upper[3] = {{1.0f, 0.5f}, {1.0f, 1.0f}, {0.5f, 1.0f}};
    sdKdop2 e, f;
    REQUIRE(sdKdop2_Fit(lower, 3, &e) == SD_OK && sdKdop2_Fit(upper, 3, &f) == SD_OK);
    CHECK(!sdKdop2_Overlaps(&e, &f) && !sdKdop2_Overlaps(&f, &e));
    upper[0] = sdV2(0.5f, 0.5f);
    REQUIRE(sdKdop2_Fit(upper, 3, &f) == SD_OK);
    CHECK(sdKdop2_Overlaps(&e, &f));
    CHECK(!sdKdop2_Overlaps(NULL, &f) && !sdKdop2_Overlaps(&f, NULL));
    CHECK(!sdKdop2_ContainsPoint(NULL, lower[0]));
}

static sdResult hullAction(const sdContext* context, void* arg) {
    sdVec2 hull[3];
    int count;
    return sdHull2_Fit(context, arg, 3, hull, &count);
}

static sdResult circleAction(const sdContext* context, void* arg) {
    sdCircle2 circle;
    return sdCircle2_FitSmallest(context, arg, 3, &circle);
}

static sdResult boxAction(const sdContext* context, void* arg) {
    sdOBB2 box;
    return sdOBB2_FitSmallest(context, arg, 3, &box);
}

SD_TEST(bounds2d_without_memory) {
    sdVec2 points[3] = {{0.0f, 0.0f}, {1.0f, 0.0f}, {0.0f, 1.0f}};
    CHECK_INT(TestContext_FailEach(hullAction, points), 1);
    CHECK_INT(TestContext_FailEach(circleAction, points), 1);
    CHECK_INT(TestContext_FailEach(boxAction, points), 1);
}

SD_TEST(bounds2d_bad_input_is_refused) {
    TestContext test;
    TestContext_Init(&test);
    const sdContext* context = &test.context;
    sdVec2 points[3] = {{0.0f, 0.0f}, {1.0f, 0.0f}, {0.0f, 1.0f}}, hull[3];
    int count;
    sdAABB2 aabb;
    sdOBB2 obb;
    sdCircle2 circle;
    sdKdop2 kdop;
    const float bad[2] = {TestNaN(), TestInfinity()};
    for (int i = 0; i < 4; ++i) {
        sdVec2 wrong[3] = {points[0], points[1],
                           i % 2 ? sdV2(bad[i / 2], 0.0f) : sdV2(0.0f, bad[i / 2])};
        CHECK_INT(sdHull2_Fit(context, wrong, 3, hull, &count), SD_ERROR_INVALID_ARGUMENT);
        CHECK_INT(count, 0);
        CHECK_TEXT(test.lastError, "sdHull2_Fit");
        CHECK_INT(sdAABB2_Fit(wrong, 3, &aabb), SD_ERROR_INVALID_ARGUMENT);
        CHECK_INT(sdCircle2_FitSmallest(context, wrong, 3, &circle), SD_ERROR_INVALID_ARGUMENT);
        CHECK_INT(sdOBB2_FitSmallest(context, wrong, 3, &obb), SD_ERROR_INVALID_ARGUMENT);
        CHECK_INT(sdKdop2_Fit(wrong, 3, &kdop), SD_ERROR_INVALID_ARGUMENT);
    }
    CHECK_INT(sdHull2_Fit(context, NULL, 3, hull, &count), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdHull2_Fit(context, points, 0, hull, &count), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdHull2_Fit(context, points, 3, NULL, &count), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdHull2_Fit(context, points, 3, hull, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdAABB2_Fit(NULL, 3, &aabb), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdAABB2_Fit(points, -1, &aabb), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdAABB2_Fit(points, 3, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdCircle2_FitSmallest(context, NULL, 3, &circle), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdCircle2_FitSmallest(context, points, 0, &circle), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdCircle2_FitSmallest(context, points, 3, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdOBB2_FitSmallest(context, NULL, 3, &obb), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdOBB2_FitSmallest(context, points, 0, &obb), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdOBB2_FitSmallest(context, points, 3, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdKdop2_Fit(NULL, 3, &kdop), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdKdop2_Fit(points, 0, &kdop), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdKdop2_Fit(points, 3, NULL), SD_ERROR_INVALID_ARGUMENT);
    // the ends of float
    sdVec2 far[3] = {{-3e38f, -3e38f}, {3e38f, 3e38f}, {3e38f, -3e38f}};
    CHECK_INT(sdHull2_Fit(context, far, 3, hull, &count), SD_OK);
    CHECK_INT(count, 3);
    CHECK_INT(sdCircle2_FitSmallest(context, far, 3, &circle), SD_ERROR_LIMIT);
    CHECK_INT(sdKdop2_Fit(far, 3, &kdop), SD_ERROR_LIMIT);
    TestContext_Finish(&test);
}
