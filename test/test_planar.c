// SPDX-License-Identifier: MIT
// test_planar.c - the plane: separating axes, distance and casts against each other, against brute
// force over vertices and edges, and by hand.

#include "planar_support.h"

#include <string.h>

SD_TEST(planar_distance_is_brute_force) {
    TestRandom random = TestRandom_Make(1);
    int wrong = 0, offSurface = 0, overlaps = 0, notCommon = 0;
    int pairs = TestRounds(20000);
    for (int i = 0; i < pairs; ++i) {
        sdPolygon2 a = Planar_Shape(&random), b = Planar_Shape(&random);
        sdTransform2 xf = Planar_Pose(&random, 2.5f);
        double radius = (double)a.radius + (double)b.radius;
        double core = Planar_CoreDistance(&a, &b, xf), right = fmax(core - radius, 0.0);
        sdSeparation2 d = sdDistance2(&a, &b, xf);
        sdOverlapResult o = sdOverlap2(&a, &b, xf);
        bool isNear = fabs(core - radius) < 1e-9;
        wrong += fabs((double)d.separation - right) > 1e-6 || d.status != SD_STATUS_EXACT;
        wrong += !isNear && o.isOverlapping != (core - radius <= 0.0);
        wrong += fabs((double)sdLength2(d.normal) - 1.0) > 1e-6;
        double gapA = Planar_GapOf(&a, sdTransform2_Identity(), d.pointA),
               gapB = Planar_GapOf(&b, xf, d.pointB);
        if (d.separation > 0.0f) {
            sdVec2 end = sdMulAdd2(d.pointA, d.separation, d.normal);
            offSurface += fabs(gapA) > 1e-6 || fabs(gapB) > 1e-6;
            offSurface += (double)sdLength2(sdSub2(end, d.pointB)) > 1e-6;
        } else {
            overlaps += 1;
            notCommon += gapA > 1e-6 || gapB > 1e-6;
        }
    }
    sdTest_Print("%d pairs, %d overlap: %d wrong, %d off the surface, %d not common", pairs,
                 overlaps, wrong, offSurface, notCommon);
    CHECK_INT(wrong + offSurface + notCommon, 0);
}

SD_TEST(planar_separating_axes_agree) {
    TestRandom random = TestRandom_Make(2);
    int wrong = 0, overlaps = 0, pairs = TestRounds(20000);
    for (int i = 0; i < pairs; ++i) {
        sdPolygon2 a = Planar_Polygon(&random, 1.0f), b = Planar_Polygon(&random, 1.0f);
        sdTransform2 xf = Planar_Pose(&random, 2.0f);
        sdSatResult2 full = sdSat2_Test(&a, &b, xf, true), plain = sdSat2_Test(&a, &b, xf, false);
        sdSatResult2 side = sdSat2_WhichSide(&a, &b, xf);
        sdSeparation2 p = sdPenetration2(&a, &b, xf);
        bool isOverlapping = sdOverlap2(&a, &b, xf).isOverlapping;
        wrong += full.isOverlapping != isOverlapping || plain.isOverlapping != isOverlapping;
        wrong += side.isOverlapping != isOverlapping;
        wrong += full.axisCount != a.count + b.count;
        wrong += isOverlapping ? sdAbsF(full.separation - p.separation) > 1e-6f
                               : full.separation > p.separation + 1e-6f;
        overlaps += isOverlapping;
    }
    sdTest_Print("%d pairs, %d overlap: %d disagree", pairs, overlaps, wrong);
    CHECK_INT(wrong, 0);
    sdPolygon2 box = sdPolygon2_Box(sdV2(1.0f, 1.0f)), dot = sdPolygon2_Circle(sdV2(0, 0), 1.0f);
    CHECK(sdSat2_Test(&box, &dot, sdTransform2_Identity(), true).status == SD_STATUS_INVALID);
    CHECK(sdSat2_WhichSide(&dot, &box, sdTransform2_Identity()).status == SD_STATUS_INVALID);
}

SD_TEST(planar_depth_parts_the_bodies) {
    TestRandom random = TestRandom_Make(3);
    int wrong = 0, tooFar = 0, pairs = TestRounds(20000);
    for (int i = 0; i < pairs; ++i) {
        sdPolygon2 a = Planar_Shape(&random), b = Planar_Shape(&random);
        sdTransform2 xf = Planar_Pose(&random, 1.0f);
        sdSeparation2 p = sdPenetration2(&a, &b, xf);
        double radius = (double)a.radius + (double)b.radius;
        sdTransform2 moved = xf;
        moved.p = sdMulAdd2(xf.p, -p.separation, p.normal);
        wrong += fabs((double)sdPenetration2(&a, &b, moved).separation) > 1e-5;
        // no direction does it in less
        float angle = TestRandom_Float(&random, -SD_PI, SD_PI);
        if (p.separation < -1e-4f) {
            moved.p = sdMulAdd2(xf.p, -0.999f * p.separation, sdV2(sdCos(angle), sdSin(angle)));
            tooFar += Planar_CoreDistance(&a, &b, moved) > radius;
        }
        // B's view
        sdSeparation2 q = sdPenetration2(&b, &a, sdTransform2_Inverse(xf));
        wrong += sdAbsF(q.separation - p.separation) > 2e-6f;
        if (p.separation > 1e-3f) {
            sdVec2 turned = sdTransform2_Vector(xf, q.normal);
            wrong += sdLength2(sdAdd2(turned, p.normal)) > 1e-3f;
        }
    }
    sdTest_Print("%d pairs: %d wrong, %d depths too great", pairs, wrong, tooFar);
    CHECK_INT(wrong + tooFar, 0);
}

SD_TEST(planar_cast_meets_at_its_time) {
    TestRandom random = TestRandom_Make(4);
    int wrong = 0, hits = 0, missed = 0, pairs = TestRounds(10000);
    for (int i = 0; i < pairs; ++i) {
        sdPolygon2 a = Planar_Shape(&random), b = Planar_Shape(&random);
        sdTransform2 xf = Planar_Pose(&random, 4.0f), at = xf;
        sdVec2 v = TestRandom_InBox2(&random, 6.0f);
        sdCastHit2 hit = sdShapeCast2(&a, &b, xf, v);
        sdMovingResult2 move = sdMoving2_Test(&a, &b, xf, v, 1.0f);
        wrong += move.isHit != hit.isHit || (hit.isHit && move.first != hit.fraction);
        double radius = (double)a.radius + (double)b.radius;
        for (int k = 0; k <= 20; ++k) { // nothing before the first time, nothing after the last
            float t = (float)k / 20.0f;
            at.p = sdMulAdd2(xf.p, t, v);
            double gap = Planar_CoreDistance(&a, &b, at) - radius;
            bool isBetween = hit.isHit && t >= move.first && t <= move.last;
            missed += isBetween ? gap > 2e-6 : gap < -2e-6 && t < 1.0f;
        }
        if (hit.isHit && hit.fraction > 0.0f) {
            hits += 1;
            at.p = sdMulAdd2(xf.p, hit.fraction, v);
            wrong += fabs(Planar_CoreDistance(&a, &b, at) - radius) > 3e-6;
            wrong += sdDot2(hit.normal, v) > 1e-4f;
            wrong += fabs(Planar_GapOf(&a, sdTransform2_Identity(), hit.point)) > 3e-6 + 1e-6;
            wrong += Planar_GapOf(&b, at, hit.point) > 3e-6;
            wrong += move.contact.pointCount < 1 || move.last < move.first;
        }
    }
    sdTest_Print("%d casts, %d hits on the way: %d wrong, %d missed", pairs, hits, wrong, missed);
    CHECK_INT(wrong + missed, 0);
}

SD_TEST(planar_moving_by_hand) {
    sdPolygon2 box = sdPolygon2_Box(sdV2(1.0f, 1.0f));
    sdTransform2 xf = sdTransform2_Make(sdV2(5.0f, 0.5f), 0.0f);
    sdMovingResult2 m = sdMoving2_Test(&box, &box, xf, sdV2(-2.0f, 0.0f), 10.0f);
    CHECK(m.isHit);
    CHECK_NEAR(m.first, 1.5, 1e-6);
    CHECK_NEAR(m.last, 3.5, 1e-6);
    CHECK_NEAR(m.normal.x, 1.0, 1e-6);
    CHECK_INT(m.contact.pointCount, 2);
    CHECK(m.contact.kind == SD_CONTACT_EDGE_EDGE);
    CHECK_NEAR(sdAbsF(m.contact.points[0].y - m.contact.points[1].y), 1.5, 1e-6);
    CHECK_NEAR(m.contact.points[0].x, 1.0, 1e-6);
    CHECK(!sdMoving2_Test(&box, &box, xf, sdV2(-2.0f, 0.0f), 1.0f).isHit);
    CHECK(!sdMoving2_Test(&box, &box, xf, sdV2(2.0f, 0.0f), 10.0f).isHit);
    // a corner first: contact is a point
    xf = sdTransform2_Make(sdV2(4.0f, 0.25f), 0.25f * SD_PI);
    m = sdMoving2_Test(&box, &box, xf, sdV2(-1.0f, 0.0f), 10.0f);
    CHECK_NEAR(m.first, 3.0 - sqrt(2.0), 1e-6);
    CHECK_INT(m.contact.pointCount, 1);
    CHECK(m.contact.kind == SD_CONTACT_VERTEX_EDGE);
    CHECK_NEAR(m.contact.points[0].y, 0.25, 1e-6);
    // at rest and overlapping: for ever; touching and moving apart: never
    xf = sdTransform2_Identity();
    m = sdMoving2_Test(&box, &box, xf, sdV2(0.0f, 0.0f), 1.0f);
    CHECK(m.isHit && m.first == 0.0f && m.last == FLT_MAX);
    xf.p = sdV2(2.0f, 0.0f);
    CHECK(!sdShapeCast2(&box, &box, xf, sdV2(1.0f, 0.0f)).isHit);
    CHECK(sdShapeCast2(&box, &box, xf, sdV2(-1.0f, 0.0f)).isHit);
}

SD_TEST(planar_manifold_by_hand) {
    sdPolygon2 box = sdPolygon2_Box(sdV2(1.0f, 1.0f)), round = sdPolygon2_Circle(sdV2(0, 0), 0.5f);
    sdManifold2 m;
    for (int i = 0; i < 3; ++i) { // overlapping, touching, apart: always the whole edge
        float gap = 0.01f * (float)(i - 1);
        CHECK_INT(
            sdCollide2(&box, &box, sdTransform2_Make(sdV2(0.0f, 2.0f + gap), 0.0f), 0.02f, &m), 2);
        CHECK_NEAR(m.normal.y, 1.0, 1e-6);
        CHECK_NEAR(m.points[0].separation, gap, 1e-6);
        CHECK_NEAR(m.points[1].separation, gap, 1e-6);
        CHECK_NEAR(sdAbsF(m.points[0].pointA.x - m.points[1].pointA.x), 2.0, 1e-6);
        CHECK(m.points[0].id != m.points[1].id);
        CHECK(m.kind == SD_CONTACT_EDGE_EDGE);
    }
    CHECK_INT(sdCollide2(&box, &box, sdTransform2_Make(sdV2(0.0f, 2.1f), 0.0f), 0.02f, &m), 0);
    CHECK_INT(sdCollide2(&box, &round, sdTransform2_Make(sdV2(0.3f, 1.4f), 0.0f), 0.0f, &m), 1);
    CHECK_NEAR(m.points[0].separation, -0.1, 1e-6);
    CHECK(m.kind == SD_CONTACT_VERTEX_EDGE);
    CHECK_INT(sdCollide2(&round, &round, sdTransform2_Make(sdV2(0.5f, 0.75f), 0.0f), 0.0f, &m), 1);
    CHECK(m.kind == SD_CONTACT_VERTEX_VERTEX);
    sdContactSet2 set = sdContactSet2_Find(&box, &box, sdTransform2_Make(sdV2(2.0f, 2.0f), 0.0f));
    CHECK_INT(set.pointCount, 1);
    CHECK_NEAR(set.points[0].x, 1.0, 1e-6);
    CHECK_NEAR(set.points[0].y, 1.0, 1e-6);
    CHECK_INT(sdContactSet2_Find(&box, &box, sdTransform2_Make(sdV2(3.0f, 0.0f), 0)).pointCount, 0);
}

SD_TEST(planar_manifold_holds_the_deepest_point) {
    TestRandom random = TestRandom_Make(5);
    int wrong = 0, points = 0, pairs = TestRounds(20000);
    for (int i = 0; i < pairs; ++i) {
        sdPolygon2 a = Planar_Shape(&random), b = Planar_Shape(&random);
        sdTransform2 xf = Planar_Pose(&random, 1.5f);
        sdSeparation2 p = sdPenetration2(&a, &b, xf);
        sdManifold2 m;
        int count = sdCollide2(&a, &b, xf, 0.1f, &m);
        points += count;
        wrong += (count > 0) != (p.separation <= 0.1f);
        float least = FLT_MAX;
        for (int k = 0; k < count; ++k) {
            const sdManifoldPoint2* q = &m.points[k];
            sdVec2 end = sdMulAdd2(q->pointA, q->separation, m.normal);
            least = sdMinF(least, q->separation);
            wrong += sdLength2(sdSub2(end, q->pointB)) > 2e-6f;
            wrong += Planar_GapOf(&a, sdTransform2_Identity(), q->pointA) > 2e-6;
            wrong += Planar_GapOf(&b, xf, q->pointB) > 2e-6;
        }
        wrong += count > 0 && sdAbsF(least - p.separation) > 2e-6f;
    }
    sdTest_Print("%d pairs, %d points: %d wrong", pairs, points, wrong);
    CHECK_INT(wrong, 0);
}

/// Capsules at right angles, the end of one over the end of the other: whether an end is beside the
/// other edge is rounding, and must not cost the end that is in.
SD_TEST(planar_manifold_of_capsules_end_over_end) {
    const float angles[] = {1.57079633f, -1.57079633f, 4.71238898f, -4.71238898f};
    const float margins[] = {0.0f, 0.1f, 0.3f};
    sdPolygon2 capsule = sdPolygon2_Capsule(sdV2(-0.5f, 0.0f), sdV2(0.5f, 0.0f), 0.25f);
    for (int i = 0; i < 4 * 3 * 2; ++i) {
        sdVec2 p = sdV2(i / 12 == 0 ? 0.5f : -0.5f, 0.75f);
        sdTransform2 xf = sdTransform2_Make(p, angles[i % 4]);
        sdManifold2 m;
        int count = sdCollide2(&capsule, &capsule, xf, margins[i / 4 % 3], &m);
        float least = FLT_MAX;
        for (int k = 0; k < count; ++k) {
            least = sdMinF(least, m.points[k].separation);
        }
        CHECK_NEAR(least, -0.25f, 1e-6f);
    }
}

SD_TEST(planar_ray_by_hand) {
    sdPolygon2 box = sdPolygon2_Box(sdV2(1.0f, 2.0f)), round = sdPolygon2_Circle(sdV2(1, 0), 0.5f);
    sdRayHit2 hit = sdRaycast2(&box, sdV2(-3.0f, 1.0f), sdV2(4.0f, 0.0f));
    CHECK(hit.isHit);
    CHECK_NEAR(hit.fraction, 0.5, 1e-6);
    CHECK_NEAR(hit.normal.x, -1.0, 1e-6);
    CHECK_NEAR(hit.point.x, -1.0, 1e-6);
    CHECK(!sdRaycast2(&box, sdV2(-3.0f, 2.5f), sdV2(4.0f, 0.0f)).isHit);
    CHECK(!sdRaycast2(&box, sdV2(-3.0f, 1.0f), sdV2(1.5f, 0.0f)).isHit);
    hit = sdRaycast2(&box, sdV2(0.5f, 0.5f), sdV2(0.0f, 3.0f));
    CHECK(hit.isHit && hit.fraction == 0.0f && hit.normal.y == -1.0f);
    CHECK(sdRaycast2(&box, sdV2(1.0f, 2.0f), sdV2(0.0f, 0.0f)).isHit);
    hit = sdRaycast2(&round, sdV2(1.0f, 5.0f), sdV2(0.0f, -9.0f));
    CHECK(hit.isHit);
    CHECK_NEAR(hit.fraction, 0.5, 1e-6);
    CHECK_NEAR(hit.normal.y, 1.0, 1e-6);
    sdPolygon2 line = sdPolygon2_Segment(sdV2(0.0f, -1.0f), sdV2(0.0f, 1.0f));
    CHECK_NEAR(sdRaycast2(&line, sdV2(-1.0f, 0.0f), sdV2(2.0f, 0.0f)).fraction, 0.5, 1e-6);
    CHECK_NEAR(sdRaycast2(&line, sdV2(0.0f, 3.0f), sdV2(0.0f, -4.0f)).fraction, 0.5, 1e-6);
}

SD_TEST(planar_projection_search_is_scan) {
    TestRandom random = TestRandom_Make(6);
    static sdVec2 points[2000], hull[2000];
    int wrong = 0, tests = 0, most = 0;
    for (int n = 1; n <= 1000; n = n < 12 ? n + 1 : 3 * n) {
        for (int i = 0; i < n; ++i) {
            float angle = TestRandom_Float(&random, -SD_PI, SD_PI);
            points[i] = sdV2(100.0f * sdCos(angle), 3.0f * sdSin(angle));
        }
        int count;
        REQUIRE(sdHull2_Fit(NULL, points, n, hull, &count) == SD_OK);
        for (int i = 0; i < 2000; ++i) {
            sdVec2 d = TestRandom_InBox2(&random, 1.0f);
            d = i < count ? sdPerp2(sdSub2(hull[(i + 1) % count], hull[i])) : d;
            sdProjection2 scan = sdProject2(hull, count, d, SD_PROJECT2_SCAN);
            sdProjection2 search = sdProject2(hull, count, d, SD_PROJECT2_SEARCH);
            double tiny = 1e-12 * (scan.upper - scan.lower);
            wrong += fabs(scan.upper - search.upper) > tiny;
            wrong += fabs(scan.lower - search.lower) > tiny;
            CHECK_INT(scan.lookCount, 2 * count);
            most = sdMaxI(most, search.lookCount);
            tests += 1;
        }
    }
    sdTest_Print("%d projections: %d disagree; %d vertices looked at, at most", tests, wrong, most);
    CHECK_INT(wrong, 0);
    // for each end three at the start and three of each of ten halvings
    CHECK(most <= 2 * (3 + 3 * 10));
}

SD_TEST(planar_polygons_are_checked) {
    TestContext test;
    TestContext_Init(&test);
    sdVec2 square[5] = {{0, 0}, {1, 1}, {1, 0}, {0, 1}, {0.5f, 0.5f}}, many[65];
    sdPolygon2 p;
    CHECK(sdPolygon2_Make(&test.context, square, 5, 0.25f, &p) == SD_OK);
    CHECK_INT(p.count, 4);
    CHECK(sdPolygon2_IsValid(&p));
    p.normals[2].x += 0.1f;
    CHECK(!sdPolygon2_IsValid(&p));
    for (int i = 0; i < 65; ++i) {
        many[i] = sdV2(sdCos(0.09f * (float)i), sdSin(0.09f * (float)i));
    }
    CHECK(sdPolygon2_Make(&test.context, many, 17, 0.0f, &p) == SD_ERROR_LIMIT);
    CHECK(sdPolygon2_Make(&test.context, many, 65, 0.0f, &p) == SD_ERROR_INVALID_ARGUMENT);
    CHECK(sdPolygon2_Make(&test.context, many, 0, 0.0f, &p) == SD_ERROR_INVALID_ARGUMENT);
    CHECK(sdPolygon2_Make(&test.context, many, 3, -1.0f, &p) == SD_ERROR_INVALID_ARGUMENT);
    CHECK(sdPolygon2_Make(&test.context, NULL, 3, 0.0f, &p) == SD_ERROR_INVALID_ARGUMENT);
    many[1].y = TestNaN();
    CHECK(sdPolygon2_Make(&test.context, many, 3, 0.0f, &p) == SD_ERROR_INVALID_ARGUMENT);
    CHECK_TEXT(test.lastError, "point 1");
    p = sdPolygon2_Box(sdV2(0.0f, 0.0f));
    CHECK(p.count == 1 && sdPolygon2_IsValid(&p));
    p = sdPolygon2_Box(sdV2(1.0f, 0.0f));
    CHECK(p.count == 2 && sdPolygon2_IsValid(&p));
    p = sdPolygon2_Box(sdV2(1.0f, 2.0f));
    CHECK(sdPolygon2_IsValid(&p));
    TestContext_Finish(&test);
}

SD_TEST(planar_not_finite_is_invalid) {
    sdPolygon2 box = sdPolygon2_Box(sdV2(1.0f, 1.0f)),
               bad = sdPolygon2_Circle(sdV2(0, 0), TestNaN());
    sdTransform2 xf = sdTransform2_Identity(), badXf = xf;
    badXf.p.y = TestNaN();
    sdVec2 v = sdV2(1.0f, 0.0f), badV = sdV2(TestInfinity(), 0.0f);
    sdManifold2 m;
    for (int i = 0; i < 3; ++i) {
        const sdPolygon2* a = i == 0 ? &bad : (i == 1 ? NULL : &box);
        sdTransform2 pose = i == 2 ? badXf : xf;
        CHECK(sdOverlap2(a, &box, pose).status == SD_STATUS_INVALID);
        CHECK(sdDistance2(a, &box, pose).status == SD_STATUS_INVALID);
        CHECK(sdPenetration2(&box, i == 2 ? &box : a, pose).status == SD_STATUS_INVALID);
        CHECK(sdCollide2(a, &box, pose, 0.0f, &m) == 0 && m.status == SD_STATUS_INVALID);
        CHECK(sdContactSet2_Find(a, &box, pose).status == SD_STATUS_INVALID);
        CHECK(sdShapeCast2(a, &box, pose, v).status == SD_STATUS_INVALID);
        CHECK(sdMoving2_Test(a, &box, pose, v, 1.0f).status == SD_STATUS_INVALID);
        CHECK(sdSat2_Test(a, &box, pose, true).status == SD_STATUS_INVALID);
        CHECK(sdSat2_WhichSide(a, &box, pose).status == SD_STATUS_INVALID);
    }
    CHECK(sdRaycast2(&box, v, badV).status == SD_STATUS_INVALID);
    CHECK(sdShapeCast2(&box, &box, xf, badV).status == SD_STATUS_INVALID);
    CHECK(sdMoving2_Test(&box, &box, xf, v, TestNaN()).status == SD_STATUS_INVALID);
}
