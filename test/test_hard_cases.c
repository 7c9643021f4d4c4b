// SPDX-License-Identifier: MIT
// test_hard_cases.c - pairs on which other libraries are known to fail, and the cases that every
// pair query finds hard: by name, through every algorithm that takes them, swapped and moved.

#include "pair_trial.h"
#include "shape_zoo.h"

static sdTransform turned(sdTransform xf, sdVec3 axis, float angle) {
    return sdTransform_Make(xf.p, sdQuat_FromAxisAngle(axis, angle));
}

/// Everything is asked; a fault is printed in full.
/// @return what sdPenetration gives
static sdSeparation ask(const sdShape* a, const sdShape* b, sdTransform xf) {
    TestRandom random = TestRandom_Make(5);
    Trial trial = {.a = *a, .b = *b, .xf = xf};
    if (!CHECK(Trial_Run(&trial, &random))) {
        Trial_Print(&trial);
    }
    return trial.found;
}

/// The same with an answer that is known.
static void expect(const sdShape* a, const sdShape* b, sdTransform xf, double separation,
                   sdVec3 normal) {
    sdSeparation s = ask(a, b, xf);
    double size = 1.0 + (double)sdLength(xf.p);
    CHECK_NEAR(s.separation, separation, 2e-6 * size);
    CHECK_NEAR(sdLength(sdSub(s.normal, normal)), 0.0, 1e-4);
}

static const sdVec3 X = {1.0f, 0.0f, 0.0f}, Y = {0.0f, 1.0f, 0.0f}, Z = {0.0f, 0.0f, 1.0f};

// ---- known failures of others --------------------------------------------------------------

SD_TEST(hard_two_stacked_unit_cubes) {
    // libccd: NaN
    sdShape cube = sdShape_Box(0.5f, 0.5f, 0.5f);
    static const float gaps[7] = {0.0f, 1e-7f, -1e-7f, 1e-5f, -1e-5f, 1e-3f, -1e-3f};
    for (int i = 0; i < 7; ++i) {
        float height = 1.0f + gaps[i];
        expect(&cube, &cube, TestAt(0.0f, height, 0.0f), (double)(height - 1.0f), Y);
        expect(&cube, &cube, TestAt(0.0f, 0.0f, -height), (double)(height - 1.0f), sdNeg(Z));
        expect(&cube, &cube, turned(TestAt(height, 0.0f, 0.0f), X, 0.5f), (double)(height - 1.0f),
               X);
    }
}

/// The rotation whose matrix has these rows, which are unit only as far as they were printed.
static sdQuat fromRows(const double m[9]) {
    double s = 0.5 * sqrt(fmax(1.0 + m[0] + m[4] + m[8], 0.0));
    double x = 0.5 * sqrt(fmax(1.0 + m[0] - m[4] - m[8], 0.0));
    double y = 0.5 * sqrt(fmax(1.0 - m[0] + m[4] - m[8], 0.0));
    double z = 0.5 * sqrt(fmax(1.0 - m[0] - m[4] + m[8], 0.0));
    x = copysign(x, m[7] - m[5]);
    y = copysign(y, m[2] - m[6]);
    z = copysign(z, m[3] - m[1]);
    return sdNormalizeQ((sdQuat){{(float)x, (float)y, (float)z}, (float)s});
}

SD_TEST(hard_boxes_and_cylinder_that_fcl_throws_for) {
    // fcl issues 388, 395 and 391: "nearest feature being edge", "triangle size is zero",
    // "expandPolytope"; sizes and poses as reported
    sdShape a = sdShape_Box(0.015f, 0.06f, 0.05f), b = sdShape_Box(0.0125f, 0.175f, 0.9225f);
    const double turn388[9] = {-3.06e-8, -1.0,      -2.889e-8, 1.0, -3.06e-8,
                               6.473e-8, -6.473e-8, -2.889e-8, 1.0};
    const double quarter[9] = {0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0};
    sdTransform xa = {sdV3(0.6349998f, -0.48500002f, 1.0778146f), fromRows(turn388)};
    sdTransform xb = {sdV3(0.8f, -0.4575f, 1.0225f), fromRows(quarter)};
    sdSeparation s = ask(&a, &b, sdInvMulXf(xa, xb));
    CHECK_NEAR(s.separation, 0.0, 0.02);

    sdShape plate = sdShape_Box(0.23f, 0.24f, 0.005f);
    sdShape brick = sdShape_Box(0.0247605f, 0.073f, 0.03625f);
    const double turn395[9] = {0.10758262, -0.66248819, -0.74130654, 0.22682185, -0.70961404,
                               0.66708302, -0.96797615, -0.23991106, 0.07392465};
    sdTransform xp = TestAt(-0.721f, -0.772f, 0.81f);
    sdTransform xr = {sdV3(-0.42677133f, -0.76596851f, 0.80746731f), fromRows(turn395)};
    ask(&plate, &brick, sdInvMulXf(xp, xr));

    // their cylinders stand on z
    sdShape cylinder = sdShape_Cylinder(0.325f, 0.03f), sphere = sdShape_Sphere(0.055f);
    sdTransform xc = turned(TestAt(0.6f, 0.0f, 0.325f), X, 0.5f * SD_PI);
    s = ask(&cylinder, &sphere, sdInvMulXf(xc, TestAt(0.5419794f, -0.0621175f, 0.6016237f)));
    double axis = sqrt((0.6 - 0.5419794) * (0.6 - 0.5419794) + 0.0621175 * 0.0621175);
    CHECK_NEAR(s.separation, axis - 0.03 - 0.055, 1e-6);
}

SD_TEST(hard_epa_of_touching_shapes_keeps_the_direction) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(81);
    int wrong = 0, count = TestCount(20000), touching = 0;
    for (int i = 0; i < count; ++i) {
        sdShape a = ShapeZoo_Pick(&zoo, &random), b = ShapeZoo_Pick(&zoo, &random);
        sdTransform xf = TestRandom_Pose(&random, 3.0f);
        sdSeparation s = sdDistance(&a, &b, xf, NULL);
        if (s.separation < 0.05f) {
            continue;
        }
        // moved together along the normal, which therefore is the normal of the touch
        touching += 1;
        float overlap = 1e-6f * (float)(i % 3 - 1);
        xf.p = sdMulAdd(xf.p, -s.separation - overlap, s.normal);
        sdSeparation t = sdEpa_Penetration(&a, &b, xf, NULL);
        Sweep sweep;
        Sweep_Init(&sweep, &a, &b, xf);
        double error = (double)s.error + (double)t.error + 2e-6;
        wrong += fabs((double)t.separation + (double)overlap) > error;
        wrong += Sweep_GapAlong(&sweep, t.normal) < -(double)overlap - error;
    }
    sdTest_Print("touching: %d pairs, %d disagreements", touching, wrong);
    CHECK_INT(wrong, 0);
    CHECK(touching > count / 4);
    ShapeZoo_Free(&zoo);
}

SD_TEST(hard_nearly_coplanar_faces_keep_their_four_points) {
    // tilts at which the two faces are parallel to rounding only, and lie over each other askew
    sdShape cube = sdShape_Box(0.5f, 0.5f, 0.5f), slab = sdShape_Box(2.0f, 0.1f, 1.0f);
    int wrong = 0, count = 0;
    for (float tilt = 1e-8f; tilt < 3e-3f; tilt *= 2.0f) {
        for (int k = 0; k < 24; ++k) {
            float angle = (float)k * (SD_PI / 12.0f);
            sdVec3 axis = sdV3(sdCos(angle), 0.0f, sdSin(angle));
            sdQuat q = sdMulQ(sdQuat_FromAxisAngle(axis, tilt), sdQuat_FromAxisAngle(Y, angle));
            sdTransform xf = {sdV3(0.2f, 0.6f - 0.001f, 0.1f), sdNormalizeQ(q)};
            sdManifold m;
            wrong += sdCollide(&slab, &cube, xf, 0.01f, NULL, &m) != 4 || m.normal.y < 0.999f;
            wrong += sdCollide(&cube, &slab, sdInvertXf(xf), 0.01f, NULL, &m) != 4;
            count += 1;
        }
    }
    sdTest_Print("nearly coplanar: %d pairs, %d disagreements", count, wrong);
    CHECK_INT(wrong, 0);
}

SD_TEST(hard_shallow_overlap_keeps_the_normal) {
    // a slab that is thinner than what lies on it is wide: the other way out is never shorter
    sdShape slab = sdShape_Box(1.0f, 0.01f, 1.0f), cube = sdShape_Box(0.5f, 0.5f, 0.5f);
    sdShape cone = sdShape_Cone(0.5f, 0.3f), cylinder = sdShape_Cylinder(0.5f, 0.3f);
    sdShape capsule = sdShape_Capsule(0.25f, 0.25f);
    const sdShape* bodies[4] = {&cube, &cone, &cylinder, &capsule};
    for (int i = 0; i < 4; ++i) {
        for (float depth = 1e-7f; depth < 0.009f; depth *= 4.0f) {
            float height = 0.51f - depth;
            expect(&slab, bodies[i], TestAt(0.3f, height, -0.2f), (double)(height - 0.51f), Y);
            expect(bodies[i], &slab, TestAt(0.3f, -height, -0.2f), (double)(height - 0.51f),
                   sdNeg(Y));
        }
    }
}

// ---- hard cases ----------------------------------------------------------------------------

SD_TEST(hard_touching_faces_edges_and_vertices) {
    sdShape cube = sdShape_Box(0.5f, 0.5f, 0.5f);
    const float edge = 0.70710678f, corner = 0.8660254f;
    sdQuat diagonal = sdQuat_Between(sdV3(1.0f, 1.0f, 1.0f), Y);
    expect(&cube, &cube, TestAt(0.25f, 1.0f, -0.75f), 0.0, Y);
    expect(&cube, &cube, turned(TestAt(0.0f, 0.5f + edge, 0.0f), X, 0.25f * SD_PI), 0.0, Y);
    expect(&cube, &cube, sdTransform_Make(sdV3(0.1f, 0.5f + corner, 0.2f), diagonal), 0.0, Y);
    // an edge in common, a corner in common: any direction between the faces parts them
    CHECK_NEAR(ask(&cube, &cube, TestAt(1.0f, 1.0f, 0.0f)).separation, 0.0, 1e-6);
    CHECK_NEAR(ask(&cube, &cube, TestAt(1.0f, 1.0f, 1.0f)).separation, 0.0, 1e-6);
    // edge on edge, crossed
    sdTransform edgeUp = turned(TestAt(0.0f, 0.0f, 0.0f), X, 0.25f * SD_PI);
    sdTransform over = turned(TestAt(0.0f, 2.0f * edge, 0.0f), Z, 0.25f * SD_PI);
    CHECK_NEAR(ask(&cube, &cube, sdInvMulXf(edgeUp, over)).separation, 0.0, 2e-6);
}

SD_TEST(hard_identical_bodies_at_the_same_place) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    const sdShape shapes[] = {sdShape_Sphere(0.5f),          sdShape_Capsule(0.5f, 0.2f),
                              sdShape_Box(0.5f, 0.2f, 0.3f), sdShape_Cylinder(0.5f, 0.3f),
                              sdShape_Cone(0.5f, 0.3f),      sdShape_Triangle(X, Y, Z),
                              sdShape_Hull(zoo.hulls[1]),    sdShape_Hull(zoo.hulls[5])};
    static const double depths[5] = {1.0, 0.4, 0.4, 0.6, 0.0};
    for (int i = 0; i < 8; ++i) {
        sdSeparation s = ask(&shapes[i], &shapes[i], sdTransform_Identity());
        if (i < 4) {
            CHECK_NEAR(s.separation, -depths[i], 1e-6 + (double)s.error);
            CHECK(s.error < 1e-2f);
        }
        CHECK(s.separation <= 1e-6f);
        ask(&shapes[i], &shapes[i], turned(TestAt(0.0f, 0.0f, 0.0f), Y, 1e-7f));
        ask(&shapes[i], &shapes[i], turned(TestAt(0.0f, 0.0f, 0.0f), Y, SD_PI));
        ask(&shapes[i], &shapes[i], TestAt(0.0f, 1e-7f, 0.0f));
    }
    ShapeZoo_Free(&zoo);
}

SD_TEST(hard_parallel_edges) {
    sdShape bar = sdShape_Box(1.0f, 0.1f, 0.1f), roof = sdShape_Box(1.0f, 0.2f, 0.2f);
    static const float angles[6] = {0.0f, 1e-8f, 1e-7f, 1e-6f, 1e-5f, 1e-4f};
    const float reach = 1.41421356f * 0.3f;
    for (int i = 0; i < 6; ++i) {
        // both on edge, one along the other, with a little twist
        sdTransform a = turned(TestAt(0.0f, 0.0f, 0.0f), X, 0.25f * SD_PI);
        for (int k = -1; k <= 1; ++k) {
            float gap = 0.01f * (float)k;
            sdQuat q = sdMulQ(sdQuat_FromAxisAngle(Y, angles[i]), a.q);
            sdTransform b = {sdV3(0.3f, reach + gap, 0.0f), sdNormalizeQ(q)};
            sdSeparation s = ask(&bar, &roof, sdInvMulXf(a, b));
            CHECK(k > 0 ? s.separation > 0.005f : s.separation < 1e-5f);
        }
    }
}

SD_TEST(hard_needles_plates_and_points) {
    const sdVec3 o = {0.0f, 0.0f, 0.0f};
    sdShape needle = sdShape_Box(1.0f, 1e-5f, 1e-5f), plate = sdShape_Box(1.0f, 0.0f, 1.0f);
    sdShape point = sdShape_Box(0.0f, 0.0f, 0.0f), cube = sdShape_Box(0.5f, 0.5f, 0.5f);
    sdShape sliver = sdShape_Triangle(o, X, sdV3(0.5f, 1e-5f, 0.0f));
    sdShape rod = sdShape_Capsule(1.0f, 1e-5f), disc = sdShape_Cylinder(0.0f, 1.0f);
    const sdShape* thin[7] = {&needle, &plate, &point, &sliver, &rod, &disc, &cube};
    static const sdVec3 places[7] = {{0.0f, 0.0f, 0.0f}, {0.3f, 0.0f, 0.2f},   {0.0f, 1e-5f, 0.0f},
                                     {1.0f, 0.0f, 0.0f}, {0.0f, 2e-5f, 1e-5f}, {0.5f, 0.5f, 0.5f},
                                     {2.0f, 0.1f, 0.0f}};
    static const float angles[4] = {0.0f, 1e-6f, 0.3f, 0.5f * SD_PI};
    const sdVec3 axes[3] = {X, Y, Z};
    for (int i = 0; i < 7 * 7 * 7; ++i) {
        for (int k = 0; k < 12; ++k) {
            sdTransform xf = {places[i % 7], sdQuat_FromAxisAngle(axes[k / 4], angles[k % 4])};
            ask(thin[i / 7 % 7], thin[i / 49], xf);
        }
    }
    expect(&plate, &plate, TestAt(0.3f, 0.25f, 0.2f), 0.25, Y);
    expect(&plate, &point, TestAt(0.3f, -1e-3f, 0.2f), 1e-3, sdNeg(Y));
    expect(&needle, &needle, turned(TestAt(0.0f, 5e-5f, 0.0f), Y, 0.5f), 3e-5, Y);
    CHECK_NEAR(ask(&point, &point, TestAt(0.0f, 0.0f, 0.0f)).separation, 0.0, 0.0);
}

SD_TEST(hard_bodies_a_million_metres_apart) {
    sdShape cube = sdShape_Box(0.5f, 0.5f, 0.5f), cone = sdShape_Cone(0.5f, 0.3f);
    sdShape needle = sdShape_Capsule(1.0f, 1e-5f);
    const sdShape* bodies[3] = {&cube, &cone, &needle};
    for (int i = 0; i < 9; ++i) {
        sdSeparation s = ask(bodies[i / 3], bodies[i % 3], TestAt(1e6f, 0.0f, 0.0f));
        CHECK_NEAR(s.separation, 1e6, 2.0);
        CHECK_NEAR(s.normal.x, 1.0, 1e-6);
        ask(bodies[i / 3], bodies[i % 3], turned(TestAt(6e5f, -8e5f, 1.0f), Z, 1.0f));
        CHECK(
            !sdOverlap(bodies[i / 3], bodies[i % 3], TestAt(0.0f, 1e6f, 0.0f), NULL).isOverlapping);
    }
}

SD_TEST(hard_one_inside_the_other) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    sdShape room = sdShape_Box(10.0f, 12.0f, 14.0f), ball = sdShape_Sphere(0.1f);
    sdShape cube = sdShape_Box(0.1f, 0.1f, 0.1f), hull = sdShape_Hull(zoo.hulls[3]);
    sdShape barrel = sdShape_Cylinder(12.0f, 10.0f);
    expect(&room, &cube, TestAt(3.0f, 0.0f, 0.0f), -7.1, X);
    expect(&room, &ball, TestAt(0.0f, 0.0f, -13.0f), -1.1, sdNeg(Z));
    expect(&cube, &room, TestAt(3.0f, 0.0f, 0.0f), -7.1, X);
    expect(&barrel, &cube, TestAt(0.0f, 11.0f, 0.0f), -1.1, Y);
    sdSeparation s = ask(&room, &hull, turned(TestAt(4.0f, 0.0f, 0.0f), Y, 0.3f));
    CHECK(s.separation < -6.0f && s.separation > -7.1f);
    // in the very middle all sides of the narrowest pair are as near
    s = ask(&room, &cube, TestAt(0.0f, 0.0f, 0.0f));
    CHECK_NEAR(s.separation, -10.1, 2e-5);
    CHECK_NEAR(sdAbsF(s.normal.x), 1.0, 1e-5);
    ShapeZoo_Free(&zoo);
}

SD_TEST(hard_poses_that_are_not_numbers) {
    const sdVec3 o = {0.0f, 0.0f, 0.0f};
    const sdShape shapes[] = {sdShape_Sphere(0.5f),     sdShape_Capsule(0.5f, 0.2f),
                              sdShape_Box(1, 1, 1),     sdShape_Cylinder(0.5f, 0.3f),
                              sdShape_Cone(0.5f, 0.3f), sdShape_Triangle(o, X, Y)};
    int wrong = 0;
    for (int i = 0; i < 36 * 9; ++i) {
        const sdShape *a = &shapes[i / 9 / 6], *b = &shapes[i / 9 % 6];
        sdTransform xf = sdTransform_Identity();
        float* numbers[7] = {&xf.p.x, &xf.p.y, &xf.p.z, &xf.q.v.x, &xf.q.v.y, &xf.q.v.z, &xf.q.s};
        if (i % 9 < 7) {
            *numbers[i % 9] = i % 2 == 0 ? TestNaN() : -TestInfinity();
        } else {
            xf.q.s = i % 9 == 7 ? 0.0f : 3.0f; // not a rotation
        }
        sdManifold m;
        sdSeparation s = sdPenetration(a, b, xf, NULL), d = sdDistance(a, b, xf, NULL);
        wrong += s.status != SD_STATUS_INVALID || s.separation != 0.0f || s.normal.x != 0.0f;
        wrong += d.status != SD_STATUS_INVALID;
        wrong += sdOverlap(a, b, xf, NULL).status != SD_STATUS_INVALID;
        wrong += sdEpa_Penetration(a, b, xf, NULL).status != SD_STATUS_INVALID;
        wrong += sdGjk_Distance(a, b, xf, NULL).status != SD_STATUS_INVALID;
        wrong += sdVClip_Distance(a, b, xf, NULL).status != SD_STATUS_INVALID;
        wrong += sdSat_Test(a, b, xf, true, NULL).status != SD_STATUS_INVALID;
        wrong += sdShapeCast(a, b, xf, X).status != SD_STATUS_INVALID;
        wrong += sdCollide(a, b, xf, 0.1f, NULL, &m) != 0 || m.status != SD_STATUS_INVALID;
    }
    CHECK_INT(wrong, 0);
}
