// SPDX-License-Identifier: MIT
// test_mass.c - moving, turning, adding, subtracting and checking mass properties.

#include "support.h"

/// A solid box of density 1.
static sdMassProps boxMass(sdVec3 half, sdVec3 center) {
    float mass = 8.0f * half.x * half.y * half.z;
    float x = half.x * half.x, y = half.y * half.y, z = half.z * half.z;
    sdMassProps r = {
        mass, center,
        sdMat33_Diagonal(mass * (y + z) / 3.0f, mass * (x + z) / 3.0f, mass * (x + y) / 3.0f)};
    return r;
}

static void checkVec(sdVec3 a, sdVec3 b, float tolerance) {
    CHECK_NEAR(a.x, b.x, tolerance);
    CHECK_NEAR(a.y, b.y, tolerance);
    CHECK_NEAR(a.z, b.z, tolerance);
}

static void checkMat(sdMat33 a, sdMat33 b, float tolerance) {
    checkVec(a.cx, b.cx, tolerance);
    checkVec(a.cy, b.cy, tolerance);
    checkVec(a.cz, b.cz, tolerance);
}

static float largest(sdMat33 m) {
    sdVec3 a = sdMax(sdMax(sdAbs(m.cx), sdAbs(m.cy)), sdAbs(m.cz));
    return sdMaxF(a.x, sdMaxF(a.y, a.z));
}

static void checkProps(sdMassProps a, sdMassProps b, float length) {
    CHECK_NEAR(a.mass, b.mass, 1e-6f * b.mass);
    checkVec(a.center, b.center, 1e-6f * length);
    checkMat(a.inertia, b.inertia, 2e-6f * largest(b.inertia));
}

/// The tensor of point masses, in double, by definition.
typedef struct Cloud {
    sdVec3 points[16];
    float masses[16];
    int count;
} Cloud;

static sdMassProps cloudMass(const Cloud* cloud) {
    double mass = 0.0, c[3] = {0.0}, t[3][3] = {{0.0}};
    for (int i = 0; i < cloud->count; ++i) {
        double m = (double)cloud->masses[i];
        mass += m;
        for (int a = 0; a < 3; ++a) {
            c[a] += m * (double)sdVec3_Get(cloud->points[i], a);
        }
    }
    for (int a = 0; a < 3; ++a) {
        c[a] /= mass;
    }
    for (int i = 0; i < cloud->count; ++i) {
        double m = (double)cloud->masses[i], d[3];
        for (int a = 0; a < 3; ++a) {
            d[a] = (double)sdVec3_Get(cloud->points[i], a) - c[a];
        }
        double squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b) {
                t[a][b] += m * ((a == b ? squared : 0.0) - d[a] * d[b]);
            }
        }
    }
    sdMassProps r;
    r.mass = (float)mass;
    r.center = sdV3((float)c[0], (float)c[1], (float)c[2]);
    r.inertia = sdMat33_Columns(sdV3((float)t[0][0], (float)t[1][0], (float)t[2][0]),
                                sdV3((float)t[0][1], (float)t[1][1], (float)t[2][1]),
                                sdV3((float)t[0][2], (float)t[1][2], (float)t[2][2]));
    return r;
}

static Cloud randomCloud(TestRandom* random, int count, sdVec3 around) {
    Cloud cloud = {.count = count};
    for (int i = 0; i < count; ++i) {
        cloud.points[i] = sdAdd(around, TestRandom_InBox(random, 1.0f));
        cloud.masses[i] = TestRandom_Float(random, 0.1f, 2.0f);
    }
    return cloud;
}

SD_TEST(mass_clouds_add_subtract_and_turn_as_their_points_do) {
    TestRandom random = TestRandom_Make(11);
    for (int trial = 0; trial < 200; ++trial) {
        Cloud a = randomCloud(&random, 7, TestRandom_InBox(&random, 3.0f));
        Cloud b = randomCloud(&random, 6, TestRandom_InBox(&random, 3.0f));
        Cloud both = a;
        for (int i = 0; i < b.count; ++i) {
            both.points[both.count] = b.points[i];
            both.masses[both.count++] = b.masses[i];
        }
        sdMassProps massA = cloudMass(&a), massB = cloudMass(&b), sum = cloudMass(&both);
        checkProps(sdMassProps_Add(massA, massB), sum, 4.0f);
        // removing loses digits: what is left is small beside what was there
        sdMassProps left = sdMassProps_Subtract(sum, massB);
        CHECK_NEAR(left.mass, massA.mass, 1e-6f * sum.mass);
        checkVec(left.center, massA.center, 1e-5f);
        checkMat(left.inertia, massA.inertia, 1e-5f * largest(sum.inertia));

        sdTransform xf = {TestRandom_InBox(&random, 2.0f), TestRandom_Rotation(&random)};
        Cloud turned = a;
        for (int i = 0; i < a.count; ++i) {
            turned.points[i] = sdTransformPoint(xf, a.points[i]);
        }
        checkProps(sdMassProps_Transform(massA, xf), cloudMass(&turned), 8.0f);
        CHECK(sdMassProps_IsValid(massA));
    }
}

SD_TEST(mass_two_half_boxes_are_one_box) {
    // far from the origin, where sums about the origin would lose everything
    const float scales[3] = {1e-5f, 1.0f, 1e5f};
    for (int i = 0; i < 3; ++i) {
        float s = scales[i];
        sdVec3 at = sdScale(s, sdV3(1024.0f, -512.0f, 256.0f));
        sdVec3 half = sdScale(s, sdV3(1.0f, 2.0f, 3.0f));
        sdVec3 shift = sdScale(s, sdV3(1.0f, 0.0f, 0.0f));
        sdMassProps left = boxMass(half, sdSub(at, shift));
        sdMassProps right = boxMass(half, sdAdd(at, shift));
        sdMassProps whole = boxMass(sdScale(s, sdV3(2.0f, 2.0f, 3.0f)), at);
        sdMassProps sum = sdMassProps_Add(left, right);
        CHECK_NEAR(sum.mass, whole.mass, 1e-6f * whole.mass);
        checkVec(sum.center, at, 1e-4f * s);
        checkMat(sum.inertia, whole.inertia, 1e-3f * largest(whole.inertia));
        CHECK(sdMassProps_IsValid(sum));
    }
}

SD_TEST(mass_about_a_point_follows_the_parallel_axes) {
    sdMassProps rod = boxMass(sdV3(0.01f, 1.0f, 0.01f), sdV3(0.0f, 5.0f, 0.0f));
    sdMat33 atEnd = sdMassProps_InertiaAbout(rod, sdV3(0.0f, 4.0f, 0.0f));
    // m l^2 / 3 about the end of a thin rod
    CHECK_NEAR(atEnd.cx.x, rod.mass * 4.0f / 3.0f, 1e-3f * rod.mass);
    CHECK_NEAR(atEnd.cy.y, rod.inertia.cy.y, 1e-6f * rod.mass);
    checkMat(sdMassProps_InertiaAbout(rod, rod.center), rod.inertia, 0.0f);
    sdMat33 off = sdMassProps_InertiaAbout(rod, sdV3(1.0f, 3.0f, -2.0f));
    // d = (-1, 2, 2)
    CHECK_NEAR(off.cy.x, 2.0f * rod.mass, 1e-5f * rod.mass);
    CHECK_NEAR(off.cz.x, 2.0f * rod.mass, 1e-5f * rod.mass);
    CHECK_NEAR(off.cz.y, -4.0f * rod.mass, 1e-5f * rod.mass);
}

SD_TEST(mass_principal_frame_makes_the_tensor_diagonal) {
    TestRandom random = TestRandom_Make(12);
    for (int trial = 0; trial < 200; ++trial) {
        sdMassProps box = boxMass(sdV3(0.5f, 1.0f, 2.0f), sdV3(0.0f, 0.0f, 0.0f));
        sdTransform xf = {TestRandom_InBox(&random, 5.0f), TestRandom_Rotation(&random)};
        sdVec3 moments;
        sdTransform frame = sdMassProps_PrincipalFrame(sdMassProps_Transform(box, xf), &moments);
        CHECK(sdTransform_IsValid(frame));
        checkVec(frame.p, xf.p, 0.0f);
        float size = box.inertia.cx.x;
        checkVec(moments, sdV3(box.inertia.cx.x, box.inertia.cy.y, box.inertia.cz.z), 1e-6f * size);
        sdMassProps back = sdMassProps_Transform(box, xf);
        back.inertia = sdRotateInertia(sdConjugate(frame.q), back.inertia);
        checkMat(back.inertia, sdMat33_Diagonal(moments.x, moments.y, moments.z), 2e-6f * size);
    }
}

SD_TEST(mass_what_no_solid_has_is_refused) {
    sdMassProps good = boxMass(sdV3(1.0f, 2.0f, 3.0f), sdV3(0.0f, 0.0f, 0.0f));
    CHECK(sdMassProps_IsValid(good));
    sdMassProps bad = good;
    bad.mass = 0.0f;
    CHECK(!sdMassProps_IsValid(bad));
    bad.mass = -1.0f;
    CHECK(!sdMassProps_IsValid(bad));
    bad.mass = TestNaN();
    CHECK(!sdMassProps_IsValid(bad));
    bad = good;
    bad.center.y = TestInfinity();
    CHECK(!sdMassProps_IsValid(bad));
    bad = good;
    bad.inertia.cz.z = TestNaN();
    CHECK(!sdMassProps_IsValid(bad));
    bad = good;
    bad.inertia.cx.y += 0.01f * good.inertia.cx.x;
    CHECK(!sdMassProps_IsValid(bad));
    bad = good;
    bad.inertia = sdMat33_Diagonal(1.0f, 1.0f, 2.1f);
    CHECK(!sdMassProps_IsValid(bad));
    bad.inertia = sdMat33_Diagonal(1.0f, 1.0f, 2.0f);
    CHECK(sdMassProps_IsValid(bad));
    bad.inertia = sdMat33_Diagonal(1.0f, 1.0f, 0.0f);
    CHECK(!sdMassProps_IsValid(bad));
    bad.inertia = sdMat33_Diagonal(1.0f, 1.0f, -0.1f);
    CHECK(!sdMassProps_IsValid(bad));
}

SD_TEST(mass_nothing_is_left_when_all_is_removed) {
    sdMassProps box = boxMass(sdV3(1.0f, 2.0f, 3.0f), sdV3(4.0f, 5.0f, 6.0f));
    sdMassProps none = sdMassProps_Subtract(box, box);
    CHECK_NEAR(none.mass, 0.0f, 0.0f);
    checkMat(none.inertia, sdMat33_Diagonal(0.0f, 0.0f, 0.0f), 0.0f);
    CHECK(!sdMassProps_IsValid(none));
    sdMassProps empty = {0};
    CHECK_NEAR(sdMassProps_Add(empty, empty).mass, 0.0f, 0.0f);
    checkProps(sdMassProps_Add(empty, box), box, 1.0f);
}
