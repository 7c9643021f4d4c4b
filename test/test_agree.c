// SPDX-License-Identifier: MIT
// test_agree.c - GJK, EPA, SAT, V-Clip and the table of pairs on the same random pairs: against
// each other, against a sweep of directions, and against themselves with the pair swapped or moved.
//
// Each class of pairs has a counter of its own, for polyhedra and for all convex shapes.

#include "pair_trial.h"
#include "polyhedra.h"
#include "shape_zoo.h"

/// Pairs of a class under `make soak`.
#define FULL_COUNT 1000000
/// Disagreements that are printed in full.
#define PRINTED_COUNT 4
// ---- bodies --------------------------------------------------------------------------------

typedef enum PairClass { CLASS_GENERIC, CLASS_NEAR, CLASS_DEEP, CLASS_DEGENERATE } PairClass;

#define TWIN_COUNT (ZOO_HULL_COUNT + POLYHEDRA_HULL_COUNT)

typedef struct Bodies {
    ShapeZoo zoo;
    Polyhedra polyhedra;
    bool isPolyhedral; ///< boxes, triangles and hulls only
    sdTransform frame; ///< places the twins in the frames of the originals
    HullTwin twins[TWIN_COUNT];
} Bodies;

/// The same hull in another frame.
static sdHull* makeTwin(TestContext* test, const sdHull* hull, sdTransform frame) {
    sdVec3 moved[SWEEP_MAX_VERTICES];
    int count;
    const sdVec3* vertices = sdHull_GetVertices(hull, &count);
    for (int i = 0; i < count; ++i) {
        moved[i] = sdInvTransformPoint(frame, vertices[i]);
    }
    sdHullDef def = sdHullDef_Default();
    def.points = moved;
    def.pointCount = count;
    sdHull* twin = NULL;
    CHECK_INT(sdHull_Create(&test->context, &def, &twin), SD_OK);
    return twin;
}

static void Bodies_Init(Bodies* bodies, bool isPolyhedral) {
    ShapeZoo_Init(&bodies->zoo);
    Polyhedra_Init(&bodies->polyhedra);
    TestRandom random = TestRandom_Make(71);
    bodies->isPolyhedral = isPolyhedral;
    bodies->frame = TestRandom_Pose(&random, 0.5f);
    for (int i = 0; i < TWIN_COUNT; ++i) {
        bool isOfZoo = i < ZOO_HULL_COUNT;
        TestContext* test = isOfZoo ? &bodies->zoo.test : &bodies->polyhedra.test;
        const sdHull* hull =
            isOfZoo ? bodies->zoo.hulls[i] : bodies->polyhedra.hulls[i - ZOO_HULL_COUNT];
        bodies->twins[i] = (HullTwin){hull, makeTwin(test, hull, bodies->frame)};
    }
}

static void Bodies_Free(Bodies* bodies) {
    for (int i = 0; i < TWIN_COUNT; ++i) {
        sdHull_Release(bodies->twins[i].twin);
    }
    ShapeZoo_Free(&bodies->zoo);
    Polyhedra_Free(&bodies->polyhedra);
}

static sdShape pickOrdinary(const Bodies* bodies, TestRandom* random) {
    return bodies->isPolyhedral ? Polyhedra_Any(&bodies->polyhedra, random)
                                : ShapeZoo_Pick(&bodies->zoo, random);
}

/// Plates, needles of 1:1e5, rods and points.
static sdShape pickDegenerate(const Bodies* bodies, TestRandom* random) {
    const sdVec3 o = {0.0f, 0.0f, 0.0f};
    float a = TestRandom_Float(random, 0.1f, 1.0f), b = TestRandom_Float(random, 0.1f, 1.0f);
    sdVec3 p = TestRandom_InBall(random), q = TestRandom_InBall(random);
    switch (TestRandom_Int(random, bodies->isPolyhedral ? 9 : 16)) {
        case 0:
            return sdShape_Box(a, 0.0f, b);
        case 1:
            return sdShape_Box(1e-5f * a, a, 1e-5f * b);
        case 2:
            return sdShape_Box(0.0f, 0.0f, a);
        case 3:
            return sdShape_Box(0.0f, 0.0f, 0.0f);
        case 4:
            return sdShape_Triangle(p, p, p);
        case 5:
            return sdShape_Triangle(p, q, q);
        case 6:
            return sdShape_Triangle(p, q, sdLerp(p, q, a));
        case 7:
            return sdShape_Triangle(p, q,
                                    sdMulAdd(sdLerp(p, q, a), 1e-5f, TestRandom_InBall(random)));
        case 8: // flat to a thousandth
            return sdShape_Hull(bodies->polyhedra.hulls[2]);
        case 9:
            return sdShape_Sphere(0.0f);
        case 10:
            return sdShape_Capsule(a, TestRandom_Int(random, 2) == 0 ? 0.0f : 1e-5f * a);
        case 11:
            return sdShape_Cylinder(0.0f, a);
        case 12:
            return sdShape_Cylinder(a, TestRandom_Int(random, 2) == 0 ? 0.0f : 1e-5f * a);
        case 13:
            return sdShape_Cone(a, TestRandom_Int(random, 2) == 0 ? 0.0f : 1e-5f * a);
        case 14:
            return sdShape_Cone(0.0f, a);
        default:
            return sdShape_Triangle(o, sdScale(1e-5f, p), sdScale(1e-5f, q));
    }
}

static sdTransform pickPose(TestRandom* random, PairClass pairClass, const sdShape* a,
                            const sdShape* b) {
    switch (pairClass) {
        case CLASS_GENERIC:
            return TestRandom_Pose(random, 1.5f);
        case CLASS_NEAR:
            return Polyhedra_Pose(
                random, TestRandom_Int(random, 2) == 0 ? POSE_TOUCHING : POSE_ALIGNED, a, b);
        case CLASS_DEEP: {
            sdTransform xf = Polyhedra_Pose(random, POSE_DEEP, a, b);
            // a few in the very same place
            return TestRandom_Int(random, 50) == 0 ? sdTransform_Identity() : xf;
        }
        default: {
            sdTransform xf =
                Polyhedra_Pose(random, (PoseClass)TestRandom_Int(random, POSE_CLASS_COUNT), a, b);
            int far = TestRandom_Int(random, 50);
            xf.p = far == 0 ? sdScale(1e6f, TestRandom_OnSphere(random)) : xf.p;
            return far == 1 ? sdTransform_Identity() : xf;
        }
    }
}

// ---- classes -------------------------------------------------------------------------------

static void runClass(const char* name, PairClass pairClass, bool isPolyhedral) {
    Bodies bodies;
    Bodies_Init(&bodies, isPolyhedral);
    TestRandom random = TestRandom_Make(72 + (uint64_t)pairClass);
    Tally tally = {0};
    Trial trial = {.twins = bodies.twins, .twinCount = TWIN_COUNT, .twinFrame = bodies.frame};
    int count = TestCount(FULL_COUNT);
    for (int i = 0; i < count; ++i) {
        bool isOdd = pairClass == CLASS_DEGENERATE;
        trial.a =
            isOdd && i % 3 != 0 ? pickDegenerate(&bodies, &random) : pickOrdinary(&bodies, &random);
        trial.b =
            isOdd && i % 3 != 1 ? pickDegenerate(&bodies, &random) : pickOrdinary(&bodies, &random);
        trial.xf = pickPose(&random, pairClass, &trial.a, &trial.b);
        bool isRight = Trial_Run(&trial, &random);
        Tally_Add(&tally, &trial.faults);
        if (!isRight && tally.wrong <= PRINTED_COUNT) {
            Trial_Print(&trial);
        }
    }
    Tally_Print(&tally, name);
    CHECK_INT(tally.wrong, 0);
    Bodies_Free(&bodies);
}

SD_TEST(agree_polyhedra_generic) {
    runClass("polyhedra, generic", CLASS_GENERIC, true);
}

SD_TEST(agree_polyhedra_near_touching) {
    runClass("polyhedra, near touching", CLASS_NEAR, true);
}

SD_TEST(agree_polyhedra_deep) {
    runClass("polyhedra, deep", CLASS_DEEP, true);
}

SD_TEST(agree_polyhedra_degenerate) {
    runClass("polyhedra, degenerate", CLASS_DEGENERATE, true);
}

SD_TEST(agree_convex_generic) {
    runClass("convex, generic", CLASS_GENERIC, false);
}

SD_TEST(agree_convex_near_touching) {
    runClass("convex, near touching", CLASS_NEAR, false);
}

SD_TEST(agree_convex_deep) {
    runClass("convex, deep", CLASS_DEEP, false);
}

SD_TEST(agree_convex_degenerate) {
    runClass("convex, degenerate", CLASS_DEGENERATE, false);
}
