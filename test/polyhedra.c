// SPDX-License-Identifier: MIT
// polyhedra.c - see polyhedra.h.

#include "polyhedra.h"

void Polyhedra_Init(Polyhedra* polyhedra) {
    TestContext_Init(&polyhedra->test);
    TestRandom random = TestRandom_Make(23);
    static const int counts[POLYHEDRA_HULL_COUNT] = {4, 7, 12, 32, 60};
    // a needle and a lens among them
    static const float thickness[POLYHEDRA_HULL_COUNT] = {1.0f, 1.0f, 1e-3f, 1.0f, 0.05f};
    for (int h = 0; h < POLYHEDRA_HULL_COUNT; ++h) {
        sdVec3 points[64];
        for (int i = 0; i < counts[h]; ++i) {
            points[i] = TestRandom_OnSphere(&random);
            points[i].y *= thickness[h];
        }
        sdHullDef def = sdHullDef_Default();
        def.points = points;
        def.pointCount = counts[h];
        CHECK_INT(sdHull_Create(&polyhedra->test.context, &def, &polyhedra->hulls[h]), SD_OK);
    }
}

void Polyhedra_Free(Polyhedra* polyhedra) {
    for (int h = 0; h < POLYHEDRA_HULL_COUNT; ++h) {
        sdHull_Release(polyhedra->hulls[h]);
    }
    TestContext_Finish(&polyhedra->test);
}

/// Mostly ordinary, sometimes without extent.
static float extent(TestRandom* random) {
    switch (TestRandom_Int(random, 12)) {
        case 0:
            return 0.0f;
        case 1:
            return 1e-5f;
        default:
            return TestRandom_Float(random, 0.1f, 1.0f);
    }
}

sdShape Polyhedra_Box(TestRandom* random) {
    float x = extent(random), y = extent(random), z = extent(random);
    return sdShape_Box(x, y, z);
}

sdShape Polyhedra_Triangle(TestRandom* random) {
    sdVec3 a = TestRandom_InBall(random), b = TestRandom_InBall(random);
    sdVec3 c = TestRandom_InBall(random);
    switch (TestRandom_Int(random, 10)) {
        case 0: // a needle
            return sdShape_Triangle(a, b, sdMulAdd(sdLerp(a, b, 0.3f), 1e-5f, c));
        case 1: // a segment
            return sdShape_Triangle(a, b, b);
        case 2: // a point
            return sdShape_Triangle(a, a, a);
        default:
            return sdShape_Triangle(a, b, c);
    }
}

sdShape Polyhedra_Any(const Polyhedra* polyhedra, TestRandom* random) {
    switch (TestRandom_Int(random, 3)) {
        case 0:
            return Polyhedra_Box(random);
        case 1:
            return Polyhedra_Triangle(random);
        default:
            return sdShape_Hull(polyhedra->hulls[TestRandom_Int(random, POLYHEDRA_HULL_COUNT)]);
    }
}

double ReachOf(const sdShape* shape) {
    sdAABB box = sdShape_GetBounds(shape, sdTransform_Identity());
    return (double)sdLength(sdMax(sdAbs(box.lower), sdAbs(box.upper)));
}

/// Rotations as bodies at rest have them: quarter turns, with or without a little tilt.
static sdQuat nearlyAligned(TestRandom* random) {
    static const float tilts[5] = {0.0f, 1e-7f, 1e-5f, 1e-3f, 1e-2f};
    sdVec3 axis = sdV3(0.0f, 0.0f, 0.0f);
    int k = TestRandom_Int(random, 3);
    axis = sdV3(k == 0 ? 1.0f : 0.0f, k == 1 ? 1.0f : 0.0f, k == 2 ? 1.0f : 0.0f);
    sdQuat turn = sdQuat_FromAxisAngle(axis, 0.5f * SD_PI * (float)TestRandom_Int(random, 4));
    float angle = tilts[TestRandom_Int(random, 5)];
    sdVec3 tilt = sdScale(angle, TestRandom_InBall(random));
    return sdNormalizeQ(sdMulQ(sdQuat_FromRotationVector(tilt), turn));
}

sdTransform Polyhedra_Pose(TestRandom* random, PoseClass poseClass, const sdShape* a,
                           const sdShape* b) {
    static const float reach[POSE_CLASS_COUNT] = {3.0f, 1.2f, 0.2f, 1.5f, 1.0f};
    sdVec3 p = TestRandom_InBox(random, reach[poseClass]);
    sdQuat q = poseClass == POSE_ALIGNED ? nearlyAligned(random) : TestRandom_Rotation(random);
    sdTransform xf = sdTransform_Make(p, q);
    if (poseClass != POSE_TOUCHING && poseClass != POSE_ALIGNED) {
        return xf;
    }
    sdSeparation s = sdEpa_Penetration(a, b, xf, NULL);
    static const float gaps[5] = {0.0f, 1e-6f, -1e-6f, 1e-3f, -1e-3f};
    float gap = gaps[TestRandom_Int(random, 5)];
    xf.p = sdMulAdd(xf.p, gap - s.separation, s.normal);
    return xf;
}

double ExitDepth(const sdShape* a, const sdShape* b, sdTransform xf, sdVec3 n) {
    sdVec3d pa = sdVec3d_From(sdShape_Support(a, n));
    sdVec3 q = sdShape_Support(b, sdInvRotate(xf.q, sdNeg(n)));
    sdVec3d pb = sdVec3d_From(sdTransformPoint(xf, q));
    return sdDotD(sdVec3d_From(n), sdSubD(pa, pb));
}
