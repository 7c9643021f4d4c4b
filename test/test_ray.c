// SPDX-License-Identifier: MIT
// test_ray.c - rays and shape casts, against steps by the distance and against each other.

#include "shape_zoo.h"
#include "support.h"

#include "math/vec3d.h"

/// The first point of a segment that is within `touch` of a shape, by steps as long as the distance
/// to it. -1: none.
static double marchRay(const sdShape* shape, sdVec3 origin, sdVec3 translation, double touch) {
    sdShape point = sdShape_Sphere(0.0f);
    double length = (double)sdLength(translation), t = 0.0;
    for (int i = 0; i < 10000; ++i) {
        sdTransform xf = sdTransform_Identity();
        xf.p = sdMulAdd(origin, (float)t, translation);
        double distance = (double)sdGjk_Distance(shape, &point, xf, NULL).separation;
        if (distance <= touch) {
            return t;
        }
        t += distance / length;
        if (t > 1.0) {
            return -1.0;
        }
    }
    return t;
}

SD_TEST(ray_agrees_with_steps_by_the_distance) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(3);
    int hits = 0, wrong = 0, count = TestRounds(3000);
    for (int i = 0; i < count; ++i) {
        sdShape shape = ShapeZoo_Make(&zoo, &random, (sdShapeType)(i % SD_SHAPE_HALF_SPACE));
        sdVec3 origin = TestRandom_InBox(&random, 3.0f);
        sdVec3 translation = sdSub(TestRandom_InBox(&random, 1.0f), origin);
        sdRayHit hit = sdRaycast(&shape, origin, translation);
        CHECK_INT(hit.status, SD_STATUS_EXACT);
        double march = marchRay(&shape, origin, translation, 1e-6);
        hits += hit.isHit ? 1 : 0;
        // whoever passes within the tolerance may count either way
        bool isNear = marchRay(&shape, origin, translation, 1e-4) >= 0.0;
        bool isSame = hit.isHit == (march >= 0.0);
        if (!isSame) {
            wrong += hit.isHit || march < 0.0 || !isNear ? 1 : 0;
            continue;
        }
        if (!hit.isHit) {
            continue;
        }
        double slope = (double)-sdDot(hit.normal, sdNormalize(translation));
        double error = fabs((double)hit.fraction - march) * (double)sdLength(translation);
        bool isRight = hit.fraction == 0.0f || error * slope < 2e-5 || error < 2e-5;
        isRight = isRight && slope > -1e-4 && fabs((double)sdLength(hit.normal) - 1.0) < 1e-5;
        sdVec3 at = sdMulAdd(origin, hit.fraction, translation);
        isRight = isRight && sdLength(sdSub(at, hit.point)) < 1e-5f;
        if (hit.fraction > 0.0f) {
            double off = TestSupportError(&shape, hit.point, hit.normal);
            isRight = isRight && (off < 2e-5 || shape.type == SD_SHAPE_TRIANGLE);
        }
        wrong += isRight ? 0 : 1;
    }
    sdTest_Print("%d rays, %d hits, %d wrong", count, hits, wrong);
    CHECK_INT(wrong, 0);
    CHECK(hits > count / 5);
    ShapeZoo_Free(&zoo);
}

SD_TEST(ray_from_inside_hits_at_once) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(4);
    int inside = 0, wrong = 0;
    for (int i = 0; i < 5000; ++i) {
        sdShape shape = ShapeZoo_Pick(&zoo, &random);
        sdVec3 origin = TestRandom_InBox(&random, 1.0f);
        sdShape grown = sdShape_Sphere(1e-4f);
        sdTransform xf = sdTransform_Make(origin, sdQuat_Identity());
        bool isInside = sdEpa_Penetration(&shape, &grown, xf, NULL).separation < -2e-4f;
        sdVec3 way = TestRandom_InBox(&random, 1.0f);
        sdRayHit hit = sdRaycast(&shape, origin, way);
        if (isInside) {
            inside += 1;
            bool isRight =
                hit.isHit && hit.fraction == 0.0f && sdDot(hit.normal, sdNormalize(way)) < -0.9999f;
            isRight = isRight && sdRaycast(&shape, origin, sdV3(0.0f, 0.0f, 0.0f)).isHit;
            wrong += isRight ? 0 : 1;
        }
    }
    sdTest_Print("%d from inside, %d wrong", inside, wrong);
    CHECK_INT(wrong, 0);
    CHECK(inside > 500);
    ShapeZoo_Free(&zoo);
}

SD_TEST(ray_meets_edges_corners_axes_and_points) {
    sdVec3 down = sdV3(0.0f, -4.0f, 0.0f);
    sdShape cone = sdShape_Cone(1.0f, 1.0f);
    sdRayHit hit = sdRaycast(&cone, sdV3(0.0f, 2.0f, 0.0f), down);
    CHECK(hit.isHit);
    CHECK_NEAR(hit.fraction, 0.25, 1e-6);
    CHECK_NEAR(sdLength(hit.normal), 1.0, 1e-6);
    hit = sdRaycast(&cone, sdV3(0.0f, -3.0f, 0.0f), sdNeg(down));
    CHECK_NEAR(hit.fraction, 0.5, 1e-6);
    CHECK_NEAR(hit.normal.y, -1.0, 1e-6);
    // along a generator of the slope, and past the apex on the nappe that is not there
    CHECK(sdRaycast(&cone, sdV3(-1.0f, 3.0f, 0.0f), sdV3(2.0f, -4.0f, 0.0f)).isHit);
    CHECK(!sdRaycast(&cone, sdV3(-1.0f, 2.0f, 0.0f), sdV3(3.0f, 0.0f, 0.0f)).isHit);

    sdShape box = sdShape_Box(1.0f, 1.0f, 1.0f);
    CHECK(sdRaycast(&box, sdV3(1.0f, 2.0f, 0.0f), down).isHit); // in the plane of a face
    CHECK(sdRaycast(&box, sdV3(1.0f, 2.0f, 1.0f), down).isHit); // along an edge
    CHECK(!sdRaycast(&box, sdV3(1.00001f, 2.0f, 0.0f), down).isHit);
    sdShape point = sdShape_Box(0.0f, 0.0f, 0.0f);
    CHECK_NEAR(sdRaycast(&point, sdV3(0.0f, 2.0f, 0.0f), down).fraction, 0.5, 1e-7);
    sdShape disc = sdShape_Cylinder(0.0f, 1.0f);
    CHECK_NEAR(sdRaycast(&disc, sdV3(0.5f, 2.0f, 0.0f), down).fraction, 0.5, 1e-7);
    sdShape flat = sdShape_Cone(0.0f, 1.0f);
    CHECK_NEAR(sdRaycast(&flat, sdV3(0.5f, 2.0f, 0.0f), down).fraction, 0.5, 1e-7);
    CHECK(!sdRaycast(&flat, sdV3(1.5f, 2.0f, 0.0f), down).isHit);

    sdShape triangle =
        sdShape_Triangle(sdV3(0.0f, 0.0f, 0.0f), sdV3(1.0f, 0.0f, 0.0f), sdV3(0.0f, 0.0f, 1.0f));
    CHECK(sdRaycast(&triangle, sdV3(0.5f, 2.0f, 0.0f), down).isHit);
    CHECK(sdRaycast(&triangle, sdV3(0.0f, 2.0f, 0.0f), down).isHit);
    CHECK(sdRaycast(&triangle, sdV3(0.2f, -2.0f, 0.2f), sdNeg(down)).isHit);
    CHECK(!sdRaycast(&triangle, sdV3(0.6f, 2.0f, 0.6f), down).isHit);
    hit = sdRaycast(&triangle, sdV3(-1.0f, 0.0f, 0.25f), sdV3(2.0f, 0.0f, 0.0f));
    CHECK(hit.isHit);
    CHECK_NEAR(hit.fraction, 0.5, 1e-7);
}

SD_TEST(ray_is_exact_for_small_and_far_shapes) {
    for (int e = -6; e <= 6; ++e) {
        float scale = e < 0 ? 1.0f : 1.0f;
        for (int k = 0; k < (e < 0 ? -e : e); ++k) {
            scale *= e < 0 ? 0.1f : 10.0f;
        }
        const sdShape shapes[] = {sdShape_Sphere(scale), sdShape_Capsule(scale, scale),
                                  sdShape_Cylinder(scale, scale), sdShape_Box(scale, scale, scale),
                                  sdShape_Cone(scale, scale)};
        for (int i = 0; i < 5; ++i) {
            // just inside and just outside the silhouette, from a million sizes away
            float far = 1e6f * scale, y = i == 4 ? -scale : 0.0f;
            sdVec3 way = sdV3(-2.0f * far, 0.0f, 0.0f);
            CHECK(sdRaycast(&shapes[i], sdV3(far, y, 0.999f * scale), way).isHit);
            CHECK(!sdRaycast(&shapes[i], sdV3(far, y, 1.001f * scale), way).isHit);
        }
    }
}

SD_TEST(ray_refuses_bad_input) {
    sdShape ball = sdShape_Sphere(1.0f), bad = sdShape_Sphere(-1.0f);
    sdVec3 zero = sdV3(0.0f, 0.0f, 0.0f), x = sdV3(1.0f, 0.0f, 0.0f);
    CHECK_INT(sdRaycast(NULL, zero, x).status, SD_STATUS_INVALID);
    CHECK_INT(sdRaycast(&bad, zero, x).status, SD_STATUS_INVALID);
    CHECK_INT(sdRaycast(&ball, sdV3(TestNaN(), 0.0f, 0.0f), x).status, SD_STATUS_INVALID);
    sdRayHit hit = sdRaycast(&ball, zero, sdV3(TestInfinity(), 0.0f, 0.0f));
    CHECK_INT(hit.status, SD_STATUS_INVALID);
    CHECK(!hit.isHit);
    CHECK(!sdRaycast(&ball, sdV3(2.0f, 0.0f, 0.0f), zero).isHit);
}

// ---- casts ---------------------------------------------------------------------------------

SD_TEST(cast_is_never_late_and_touches) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(5);
    int hits = 0, early = 0, late = 0, missed = 0, count = TestRounds(5000);
    for (int i = 0; i < count; ++i) {
        sdShape a = ShapeZoo_Pick(&zoo, &random), b = ShapeZoo_Pick(&zoo, &random);
        sdTransform xf = TestRandom_Pose(&random, 4.0f);
        sdVec3 way = sdSub(TestRandom_InBox(&random, 2.0f), xf.p);
        sdCastHit hit = sdShapeCast(&a, &b, xf, way);
        CHECK(hit.status != SD_STATUS_INVALID);
        float end = hit.isHit ? hit.fraction : 1.0f;
        for (int k = 0; k < 40; ++k) {
            sdTransform at = xf;
            at.p = sdMulAdd(xf.p, end * (float)k / 40.0f, way);
            // deeper than rounding: they met before
            if (end > 0.0f && sdEpa_Penetration(&a, &b, at, NULL).separation < -1e-5f) {
                late += hit.isHit ? 1 : 0;
                missed += hit.isHit ? 0 : 1;
                break;
            }
        }
        if (hit.isHit) {
            hits += 1;
            sdTransform at = xf;
            at.p = sdMulAdd(xf.p, hit.fraction, way);
            sdSeparation s = sdGjk_Distance(&a, &b, at, NULL);
            early += s.separation > 2e-5f ? 1 : 0;
            CHECK_NEAR(sdLength(hit.normal), 1.0, 1e-5);
            if (hit.fraction > 0.0f) {
                CHECK_NEAR(TestExitDepth(&a, &b, at, hit.normal), 0.0, 1e-4);
            }
        }
    }
    sdTest_Print("%d casts, %d hits, %d early, %d late, %d missed", count, hits, early, late,
                 missed);
    CHECK_INT(early + late + missed, 0);
    CHECK(hits > count / 4);
    ShapeZoo_Free(&zoo);
}

SD_TEST(cast_of_a_point_is_a_ray) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(6);
    sdShape point = sdShape_Sphere(0.0f);
    int wrong = 0, hits = 0;
    for (int i = 0; i < 3000; ++i) {
        sdShape a = ShapeZoo_Pick(&zoo, &random);
        sdVec3 from = TestRandom_InBox(&random, 3.0f);
        sdVec3 way = sdSub(TestRandom_InBox(&random, 1.0f), from);
        sdRayHit ray = sdRaycast(&a, from, way);
        sdCastHit cast = sdShapeCast(&a, &point, sdTransform_Make(from, sdQuat_Identity()), way);
        double slope = (double)sdAbsF(sdDot(cast.normal, sdNormalize(way)));
        double error = (double)(sdAbsF(ray.fraction - cast.fraction) * sdLength(way));
        if (ray.isHit) {
            hits += 1;
            wrong += cast.isHit && error * slope < 2e-5 ? 0 : 1;
        } else if (cast.isHit) {
            wrong += marchRay(&a, from, way, 2e-5) >= 0.0 ? 0 : 1;
        }
    }
    sdTest_Print("%d hits, %d wrong", hits, wrong);
    CHECK_INT(wrong, 0);
    CHECK(hits > 500);
    ShapeZoo_Free(&zoo);
}

SD_TEST(cast_agrees_with_moving_separating_axes) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(7);
    static const sdShapeType types[3] = {SD_SHAPE_BOX, SD_SHAPE_HULL, SD_SHAPE_TRIANGLE};
    int wrong = 0, hits = 0;
    for (int i = 0; i < 2000; ++i) {
        sdShape a = ShapeZoo_Make(&zoo, &random, types[TestRandom_Int(&random, 3)]);
        sdShape b = ShapeZoo_Make(&zoo, &random, types[TestRandom_Int(&random, 3)]);
        sdTransform xf = TestRandom_Pose(&random, 4.0f);
        sdVec3 way = sdSub(TestRandom_InBox(&random, 2.0f), xf.p);
        sdCastHit cast = sdShapeCast(&a, &b, xf, way);
        sdMovingResult moving = sdMoving_Test(&a, &b, xf, way, 1.0f);
        double slope = (double)sdAbsF(sdDot(cast.normal, way));
        double error = fabs((double)cast.fraction - (double)moving.first);
        if (moving.isHit && cast.isHit) {
            hits += 1;
            wrong += error * slope < 5e-5 || cast.fraction == 0.0f ? 0 : 1;
        } else if (moving.isHit != cast.isHit) {
            // only where they graze
            sdTransform at = xf;
            at.p = sdMulAdd(xf.p, moving.isHit ? moving.first : cast.fraction, way);
            wrong += sdGjk_Distance(&a, &b, at, NULL).separation < 5e-5f ? 0 : 1;
        }
    }
    sdTest_Print("%d hits, %d wrong", hits, wrong);
    CHECK_INT(wrong, 0);
    CHECK(hits > 400);
    ShapeZoo_Free(&zoo);
}

SD_TEST(cast_knows_the_spheres_closed_form) {
    sdShape ball = sdShape_Sphere(1.0f);
    for (int i = 0; i <= 20; ++i) {
        // past each other at heights from 0 to just more than two radii
        double height = 2.0 * (double)i / 20.0 + (i == 20 ? 1e-3 : 0.0);
        sdTransform xf = sdTransform_Make(sdV3(-5.0f, (float)height, 0.0f), sdQuat_Identity());
        sdCastHit hit = sdShapeCast(&ball, &ball, xf, sdV3(10.0f, 0.0f, 0.0f));
        CHECK(hit.isHit == (height < 2.0));
        if (hit.isHit) {
            double root = sqrt(4.0 - height * height);
            CHECK_NEAR(hit.fraction, (5.0 - root) / 10.0, 1e-6 / (root + 1e-3));
            CHECK_INT(hit.status, SD_STATUS_TOLERANCE);
        }
    }
    // a bullet from far away, a touching start, a start inside
    sdTransform far = sdTransform_Make(sdV3(-1e6f, 0.0f, 0.0f), sdQuat_Identity());
    sdCastHit hit = sdShapeCast(&ball, &ball, far, sdV3(2e6f, 0.0f, 0.0f));
    CHECK(hit.isHit);
    CHECK_NEAR(hit.fraction, 0.499999, 1e-7);
    CHECK_NEAR(hit.point.x, -1.0, 1e-4);
    sdTransform touching = sdTransform_Make(sdV3(2.0f, 0.0f, 0.0f), sdQuat_Identity());
    CHECK_NEAR(sdShapeCast(&ball, &ball, touching, sdV3(-1.0f, 0.0f, 0.0f)).fraction, 0.0, 0.0);
    sdTransform inside = sdTransform_Make(sdV3(0.5f, 0.0f, 0.0f), sdQuat_Identity());
    hit = sdShapeCast(&ball, &ball, inside, sdV3(0.0f, 9.0f, 0.0f));
    CHECK(hit.isHit && hit.fraction == 0.0f);
    CHECK_NEAR(hit.normal.x, 1.0, 1e-5);
    // leaving
    sdTransform apart = sdTransform_Make(sdV3(2.1f, 0.0f, 0.0f), sdQuat_Identity());
    CHECK(!sdShapeCast(&ball, &ball, apart, sdV3(1.0f, 0.0f, 0.0f)).isHit);
    apart.p.x = TestNaN();
    CHECK_INT(sdShapeCast(&ball, &ball, apart, sdV3(1.0f, 0.0f, 0.0f)).status, SD_STATUS_INVALID);
    CHECK_INT(sdShapeCast(&ball, NULL, inside, sdV3(1.0f, 0.0f, 0.0f)).status, SD_STATUS_INVALID);
}
