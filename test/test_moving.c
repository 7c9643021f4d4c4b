// SPDX-License-Identifier: MIT
// test_moving.c - polyhedra at constant velocity against analytic times and against standing still.

#include "polyhedra.h"

// ---- analytic ------------------------------------------------------------------------------

/// Times at which two intervals of half lengths a + b overlap whose middles are p + v t apart.
static void overlapTimes(double p, double v, double reach, double* first, double* last) {
    if (v == 0.0) {
        *first = fabs(p) <= reach ? -DBL_MAX : DBL_MAX;
        *last = fabs(p) <= reach ? DBL_MAX : -DBL_MAX;
        return;
    }
    double s = (-reach - p) / v, t = (reach - p) / v;
    *first = fmin(s, t);
    *last = fmax(s, t);
}

SD_TEST(moving_aligned_boxes_meet_at_the_analytic_time) {
    TestRandom random = TestRandom_Make(1);
    int hits = 0, wrong = 0, total = TestRounds(20000);
    for (int i = 0; i < total; ++i) {
        sdShape a = Polyhedra_Box(&random), b = Polyhedra_Box(&random);
        sdVec3 p = TestRandom_InBox(&random, 2.5f), v = TestRandom_InBox(&random, 2.0f);
        v.x = TestRandom_Int(&random, 4) == 0 ? 0.0f : v.x;
        double first = 0.0, last = DBL_MAX;
        for (int k = 0; k < 3; ++k) {
            double reach =
                (double)sdVec3_Get(a.box.halfExtents, k) + (double)sdVec3_Get(b.box.halfExtents, k);
            double s, t;
            overlapTimes((double)sdVec3_Get(p, k), (double)sdVec3_Get(v, k), reach, &s, &t);
            first = fmax(first, s);
            last = fmin(last, t);
        }
        sdMovingResult r = sdMoving_Test(&a, &b, TestAt(p.x, p.y, p.z), v, 3.0f);
        // a graze within rounding may go either way
        if (fabs(first - last) < 1e-9 || fabs(first - 3.0) < 1e-6) {
            continue;
        }
        bool isHit = first <= last && first <= 3.0;
        wrong += r.isHit == isHit ? 0 : 1;
        if (isHit) {
            hits += 1;
            wrong += fabs((double)r.first - first) <= 1e-6 * (1.0 + first) ? 0 : 1;
            wrong +=
                last > 1e30 ? r.last != FLT_MAX : fabs((double)r.last - last) > 1e-6 * (1.0 + last);
        }
    }
    sdTest_Print("%d of %d hit, %d wrong", hits, total, wrong);
    CHECK_INT(wrong, 0);
    CHECK(hits > total / 20);
}

SD_TEST(moving_triangles_in_one_plane_meet) {
    // the tip of one runs against the side of the other
    sdShape a =
        sdShape_Triangle(sdV3(0.0f, 0.0f, 0.0f), sdV3(2.0f, 0.0f, 0.0f), sdV3(1.0f, 1.0f, 0.0f));
    sdShape b =
        sdShape_Triangle(sdV3(0.0f, 0.0f, 0.0f), sdV3(1.0f, 1.0f, 0.0f), sdV3(-1.0f, 1.0f, 0.0f));
    sdMovingResult r =
        sdMoving_Test(&a, &b, TestAt(1.0f, 4.0f, 0.0f), sdV3(0.0f, -2.0f, 0.0f), 10.0f);
    CHECK(r.isHit);
    CHECK_NEAR(r.first, 1.5, 1e-6);
    CHECK_INT(r.contact.pointCount, 1);
    CHECK_NEAR(r.contact.points[0].x, 1.0, 1e-5);
    CHECK_NEAR(r.contact.points[0].y, 1.0, 1e-5);
    CHECK_INT(r.contact.kind, SD_CONTACT_VERTEX_VERTEX);
    // past each other
    r = sdMoving_Test(&a, &b, TestAt(4.0f, 4.0f, 0.0f), sdV3(0.0f, -2.0f, 0.0f), 10.0f);
    CHECK(!r.isHit);
    // in a plane beside it
    r = sdMoving_Test(&a, &b, TestAt(1.0f, 4.0f, 1e-3f), sdV3(0.0f, -2.0f, 0.0f), 10.0f);
    CHECK(!r.isHit);
}

// ---- against bodies at rest ----------------------------------------------------------------

static double separationAt(const sdShape* a, const sdShape* b, sdTransform xf, sdVec3 v, double t) {
    xf.p = sdMulAdd(xf.p, (float)t, v);
    return (double)sdEpa_Penetration(a, b, xf, NULL).separation;
}

SD_TEST(moving_times_are_where_the_distance_vanishes) {
    Polyhedra polyhedra;
    Polyhedra_Init(&polyhedra);
    TestRandom random = TestRandom_Make(2);
    int hits = 0, misses = 0, atStart = 0, wrong = 0, total = TestRounds(3000);
    for (int i = 0; i < total; ++i) {
        sdShape a = Polyhedra_Any(&polyhedra, &random), b = Polyhedra_Any(&polyhedra, &random);
        sdTransform xf = Polyhedra_Pose(&random, POSE_FAR, &a, &b);
        // roughly at the other body
        sdVec3 aim = sdMulAdd(sdNeg(xf.p), 0.7f, TestRandom_InBall(&random));
        sdVec3 v = sdScale(TestRandom_Float(&random, 0.1f, 2.0f), aim);
        sdMovingResult r = sdMoving_Test(&a, &b, xf, v, 4.0f);
        double tolerance = 2e-5 * (1.0 + (double)sdLength(xf.p) + 4.0 * (double)sdLength(v));
        CHECK_INT(r.status, SD_STATUS_EXACT);
        if (!r.isHit) {
            misses += 1;
            for (int k = 0; k <= 40; ++k) {
                wrong += separationAt(&a, &b, xf, v, 0.1 * k) < -tolerance ? 1 : 0;
            }
            continue;
        }
        hits += 1;
        atStart += r.first == 0.0f ? 1 : 0;
        wrong += sdAbsF(sdLength(r.normal) - 1.0f) < 1e-5f ? 0 : 1;
        double atFirst = separationAt(&a, &b, xf, v, (double)r.first);
        wrong += atFirst > tolerance || (r.first > 0.0f && atFirst < -tolerance) ? 1 : 0;
        // apart before and after, together between
        for (int k = 1; k < 8; ++k) {
            double t = (double)r.first * (double)k / 8.0;
            wrong += separationAt(&a, &b, xf, v, t) < -tolerance && r.first > 0.0f ? 1 : 0;
            double last = fmin((double)r.last, 100.0);
            t = (double)r.first + (last - (double)r.first) * (double)k / 8.0;
            wrong += separationAt(&a, &b, xf, v, t) > tolerance ? 1 : 0;
        }
        if (r.last < 50.0f) {
            double atLast = separationAt(&a, &b, xf, v, (double)r.last);
            wrong += fabs(atLast) > tolerance * 10.0 ? 1 : 0;
        }
    }
    sdTest_Print("%d hits (%d at the start), %d misses, %d wrong", hits, atStart, misses, wrong);
    CHECK_INT(wrong, 0);
    CHECK(hits > total / 10 && misses > total / 10);
    Polyhedra_Free(&polyhedra);
}

// ---- contact sets --------------------------------------------------------------------------

SD_TEST(moving_contact_set_is_point_segment_or_polygon) {
    sdShape floor = sdShape_Box(5.0f, 1.0f, 5.0f), cube = sdShape_Box(0.5f, 0.5f, 0.5f);
    sdVec3 down = sdV3(0.0f, -1.0f, 0.0f);
    sdMovingResult r = sdMoving_Test(&floor, &cube, TestAt(0.3f, 3.5f, 0.2f), down, 10.0f);
    CHECK_NEAR(r.first, 2.0, 1e-6);
    CHECK_NEAR(r.last, 5.0, 1e-5);
    CHECK_NEAR(r.normal.y, 1.0, 1e-6);
    CHECK_INT(r.contact.pointCount, 4);
    CHECK_INT(r.contact.kind, SD_CONTACT_FACE_FACE);
    for (int i = 0; i < r.contact.pointCount; ++i) {
        CHECK_NEAR(r.contact.points[i].y, 1.0, 1e-5);
        CHECK_NEAR(sdAbsF(r.contact.points[i].x - 0.3f), 0.5, 1e-5);
    }
    // on an edge
    sdTransform xf = TestAt(0.0f, 4.0f, 0.0f);
    xf.q = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), 0.25f * SD_PI);
    r = sdMoving_Test(&floor, &cube, xf, down, 10.0f);
    CHECK_NEAR(r.first, 3.0 - 0.5 * sqrt(2.0), 1e-6);
    CHECK_INT(r.contact.pointCount, 2);
    CHECK_INT(r.contact.kind, SD_CONTACT_EDGE_FACE);
    CHECK_NEAR(sdLength(sdSub(r.contact.points[0], r.contact.points[1])), 1.0, 1e-5);
    // on a corner
    xf.q = sdQuat_Between(sdV3(1.0f, 1.0f, 1.0f), sdV3(0.0f, 1.0f, 0.0f));
    r = sdMoving_Test(&floor, &cube, xf, down, 10.0f);
    CHECK_NEAR(r.first, 3.0 - 0.5 * sqrt(3.0), 1e-6);
    CHECK_INT(r.contact.pointCount, 1);
    CHECK_INT(r.contact.kind, SD_CONTACT_VERTEX_FACE);
    CHECK_NEAR(sdLength(sdSub(r.contact.points[0], sdV3(0.0f, 1.0f, 0.0f))), 0.0, 1e-5);
}

// ---- special motions -----------------------------------------------------------------------

SD_TEST(moving_zero_velocity_is_the_test_at_rest) {
    sdShape box = sdShape_Box(1.0f, 1.0f, 1.0f);
    sdVec3 zero = sdV3(0.0f, 0.0f, 0.0f);
    sdMovingResult r = sdMoving_Test(&box, &box, TestAt(1.5f, 0.0f, 0.0f), zero, 1.0f);
    CHECK(r.isHit && r.first == 0.0f && r.last == FLT_MAX);
    CHECK_NEAR(r.normal.x, 1.0, 1e-6);
    CHECK(!sdMoving_Test(&box, &box, TestAt(2.5f, 0.0f, 0.0f), zero, 1.0f).isHit);
    CHECK(sdMoving_Test(&box, &box, TestAt(2.0f, 0.0f, 0.0f), zero, 1.0f).isHit);
}

SD_TEST(moving_overlap_at_the_start_and_sliding) {
    sdShape box = sdShape_Box(1.0f, 1.0f, 1.0f);
    sdMovingResult r =
        sdMoving_Test(&box, &box, TestAt(0.0f, 1.5f, 0.0f), sdV3(2.0f, 0.0f, 0.0f), 1.0f);
    CHECK(r.isHit && r.first == 0.0f);
    CHECK_NEAR(r.last, 1.0, 1e-6);
    CHECK_NEAR(r.normal.y, 1.0, 1e-6);
    CHECK_INT(r.contact.pointCount, 4);
    // along a touching face, then a little above it
    r = sdMoving_Test(&box, &box, TestAt(0.0f, 2.0f, 0.0f), sdV3(2.0f, 0.0f, 0.0f), 1.0f);
    CHECK(r.isHit && r.first == 0.0f);
    CHECK_NEAR(r.last, 1.0, 1e-6);
    r = sdMoving_Test(&box, &box, TestAt(-4.0f, 2.0f, 0.0f), sdV3(2.0f, 0.0f, 0.0f), 10.0f);
    CHECK(r.isHit);
    CHECK_NEAR(r.first, 1.0, 1e-6);
    CHECK_NEAR(r.last, 3.0, 1e-6);
    CHECK_INT(r.contact.kind, SD_CONTACT_EDGE_EDGE);
    CHECK(!sdMoving_Test(&box, &box, TestAt(-4.0f, 2.001f, 0.0f), sdV3(2.0f, 0.0f, 0.0f), 10.0f)
               .isHit);
    // too late, and away
    CHECK(
        !sdMoving_Test(&box, &box, TestAt(-4.0f, 0.0f, 0.0f), sdV3(2.0f, 0.0f, 0.0f), 0.9f).isHit);
    CHECK(
        !sdMoving_Test(&box, &box, TestAt(-4.0f, 0.0f, 0.0f), sdV3(-2.0f, 0.0f, 0.0f), 9.0f).isHit);
}

SD_TEST(moving_fast_and_far_bodies) {
    sdShape box = sdShape_Box(1.0f, 1.0f, 1.0f), pebble = sdShape_Box(1e-3f, 1e-3f, 1e-3f);
    sdMovingResult r =
        sdMoving_Test(&box, &pebble, TestAt(1e6f, 0.0f, 0.0f), sdV3(-1e6f, 0.0f, 0.0f), 2.0f);
    CHECK(r.isHit);
    CHECK_NEAR(r.first, 1.0 - 1.001e-6, 1e-7);
    CHECK_INT(r.contact.kind, SD_CONTACT_FACE_FACE);
    sdShape point = sdShape_Box(0.0f, 0.0f, 0.0f);
    r = sdMoving_Test(&box, &point, TestAt(3.0f, 0.5f, 0.0f), sdV3(-1.0f, 0.0f, 0.0f), 9.0f);
    CHECK_NEAR(r.first, 2.0, 1e-6);
    CHECK_NEAR(r.last, 4.0, 1e-6);
    CHECK_INT(r.contact.kind, SD_CONTACT_VERTEX_FACE);
}

SD_TEST(moving_refuses_what_is_not_finite) {
    sdShape box = sdShape_Box(1.0f, 1.0f, 1.0f), ball = sdShape_Sphere(1.0f);
    sdVec3 v = sdV3(1.0f, 0.0f, 0.0f);
    sdTransform xf = TestAt(3.0f, 0.0f, 0.0f);
    CHECK_INT(sdMoving_Test(&box, &ball, xf, v, 1.0f).status, SD_STATUS_INVALID);
    CHECK_INT(sdMoving_Test(NULL, &box, xf, v, 1.0f).status, SD_STATUS_INVALID);
    CHECK_INT(sdMoving_Test(&box, &box, xf, v, -1.0f).status, SD_STATUS_INVALID);
    CHECK_INT(sdMoving_Test(&box, &box, xf, v, TestNaN()).status, SD_STATUS_INVALID);
    CHECK_INT(sdMoving_Test(&box, &box, xf, sdV3(TestInfinity(), 0.0f, 0.0f), 1.0f).status,
              SD_STATUS_INVALID);
    xf.p.y = TestNaN();
    CHECK_INT(sdMoving_Test(&box, &box, xf, v, 1.0f).status, SD_STATUS_INVALID);
}
