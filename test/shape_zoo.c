// SPDX-License-Identifier: MIT
// shape_zoo.c - shapes of every convex kind for random pairs.

#include "shape_zoo.h"

#include <string.h>

void ShapeZoo_Init(ShapeZoo* zoo) {
    TestContext_Init(&zoo->test);
    TestRandom random = TestRandom_Make(17);
    static const int counts[ZOO_HULL_COUNT] = {4, 8, 16, 32, 64, 256};
    for (int h = 0; h < ZOO_HULL_COUNT; ++h) {
        sdVec3 points[256];
        for (int i = 0; i < counts[h]; ++i) {
            points[i] = TestRandom_OnSphere(&random);
        }
        sdHullDef def = sdHullDef_Default();
        def.points = points;
        def.pointCount = counts[h];
        CHECK_INT(sdHull_Create(&zoo->test.context, &def, &zoo->hulls[h]), SD_OK);
    }
}

void ShapeZoo_Free(ShapeZoo* zoo) {
    for (int h = 0; h < ZOO_HULL_COUNT; ++h) {
        sdHull_Release(zoo->hulls[h]);
    }
    TestContext_Finish(&zoo->test);
}

sdShape ShapeZoo_Make(const ShapeZoo* zoo, TestRandom* random, sdShapeType type) {
    float a = TestRandom_Float(random, 0.1f, 1.0f);
    float b = TestRandom_Float(random, 0.1f, 1.0f);
    float c = TestRandom_Float(random, 0.1f, 1.0f);
    switch (type) {
        case SD_SHAPE_CAPSULE:
            return sdShape_Capsule(a, b);
        case SD_SHAPE_BOX:
            return sdShape_Box(a, b, c);
        case SD_SHAPE_CYLINDER:
            return sdShape_Cylinder(a, b);
        case SD_SHAPE_CONE:
            return sdShape_Cone(a, b);
        case SD_SHAPE_TRIANGLE: {
            sdVec3 p = TestRandom_InBall(random), q = TestRandom_InBall(random);
            return sdShape_Triangle(p, q, TestRandom_InBall(random));
        }
        case SD_SHAPE_HULL:
            return sdShape_Hull(zoo->hulls[TestRandom_Int(random, ZOO_HULL_COUNT)]);
        default:
            return sdShape_Sphere(a);
    }
}

sdShape ShapeZoo_Pick(const ShapeZoo* zoo, TestRandom* random) {
    return ShapeZoo_Make(zoo, random, (sdShapeType)TestRandom_Int(random, SD_SHAPE_HULL + 1));
}

sdTransform TestRandom_Pose(TestRandom* random, float reach) {
    sdVec3 p = TestRandom_InBox(random, reach);
    return sdTransform_Make(p, TestRandom_Rotation(random));
}

double TestExitDepth(const sdShape* a, const sdShape* b, sdTransform xf, sdVec3 n) {
    sdVec3 pa = sdShape_Support(a, n);
    sdVec3 pb = sdTransformPoint(xf, sdShape_Support(b, sdInvRotate(xf.q, sdNeg(n))));
    return (double)sdDot(n, sdSub(pa, pb));
}

double TestSupportError(const sdShape* shape, sdVec3 p, sdVec3 n) {
    return fabs((double)sdDot(n, sdSub(sdShape_Support(shape, n), p)));
}

double TestOffSurface(const sdShape* shape, sdVec3 p) {
    if (shape->type == SD_SHAPE_HALF_SPACE) {
        return fabs((double)p.y);
    }
    sdShape point = sdShape_Sphere(0.0f);
    sdTransform xf = sdTransform_Make(p, sdQuat_Identity());
    return fabs((double)sdPenetration(shape, &point, xf, NULL).separation);
}

int ShapeZoo_NoSize(sdShape out[ZOO_NO_SIZE_COUNT]) {
    const sdVec3 o = {0.0f, 0.0f, 0.0f};
    const sdShape shapes[] = {sdShape_Sphere(0.0f),
                              sdShape_Capsule(0.0f, 0.0f),
                              sdShape_Capsule(1.0f, 0.0f),
                              sdShape_Box(0.0f, 0.0f, 0.0f),
                              sdShape_Box(1.0f, 0.0f, 0.0f),
                              sdShape_Box(1.0f, 0.0f, 1.0f),
                              sdShape_Box(1e-5f, 1.0f, 1e-5f),
                              sdShape_Cylinder(0.0f, 1.0f),
                              sdShape_Cylinder(1.0f, 0.0f),
                              sdShape_Cone(0.0f, 1.0f),
                              sdShape_Cone(1.0f, 0.0f),
                              sdShape_Cone(0.0f, 0.0f),
                              sdShape_Triangle(o, o, o),
                              sdShape_Triangle(o, sdV3(1.0f, 0.0f, 0.0f), o)};
    _Static_assert(sizeof shapes == ZOO_NO_SIZE_COUNT * sizeof shapes[0], "count");
    memcpy(out, shapes, sizeof shapes);
    return ZOO_NO_SIZE_COUNT;
}
