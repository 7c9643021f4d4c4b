// SPDX-License-Identifier: MIT
// test_agree.c - GJK, EPA, SAT, V-Clip and the table of pairs on the same random pairs: against
// each other, against a sweep of directions, and against themselves with the pair swapped or moved.
//
// Each class of pairs has a counter of its own, for polyhedra and for all convex shapes.

#include "direction_sweep.h"
#include "polyhedra.h"
#include "shape_zoo.h"

/// Pairs of a class under `make soak`.
#define FULL_COUNT 1000000
/// Single precision of points, poses and normals, as a part of sizes and distances.
#define ROUNDING (8.0 * (double)FLT_EPSILON)
/// The same after a pose was inverted or composed of three.
#define MOVED_ROUNDING (24.0 * (double)FLT_EPSILON)

/// Of so many pairs one may still be wrong: GJK's direction between bodies that touch to 1e-8, and
/// EPA's witnesses of bodies without volume.
#define KNOWN_SHARE 25000

// ---- bodies --------------------------------------------------------------------------------

typedef enum PairClass { CLASS_GENERIC, CLASS_NEAR, CLASS_DEEP, CLASS_DEGENERATE } PairClass;

typedef struct Bodies {
    ShapeZoo zoo;
    Polyhedra polyhedra;
    bool isPolyhedral; ///< boxes, triangles and hulls only
    sdTransform frame; ///< places the twins in the frames of the originals
    sdHull* zooTwins[ZOO_HULL_COUNT];
    sdHull* twins[POLYHEDRA_HULL_COUNT];
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
    for (int i = 0; i < ZOO_HULL_COUNT; ++i) {
        bodies->zooTwins[i] = makeTwin(&bodies->zoo.test, bodies->zoo.hulls[i], bodies->frame);
    }
    for (int i = 0; i < POLYHEDRA_HULL_COUNT; ++i) {
        bodies->twins[i] =
            makeTwin(&bodies->polyhedra.test, bodies->polyhedra.hulls[i], bodies->frame);
    }
}

static void Bodies_Free(Bodies* bodies) {
    for (int i = 0; i < ZOO_HULL_COUNT; ++i) {
        sdHull_Release(bodies->zooTwins[i]);
    }
    for (int i = 0; i < POLYHEDRA_HULL_COUNT; ++i) {
        sdHull_Release(bodies->twins[i]);
    }
    ShapeZoo_Free(&bodies->zoo);
    Polyhedra_Free(&bodies->polyhedra);
}

static const sdHull* twinOf(const Bodies* bodies, const sdHull* hull) {
    for (int i = 0; i < ZOO_HULL_COUNT; ++i) {
        if (bodies->zoo.hulls[i] == hull) {
            return bodies->zooTwins[i];
        }
    }
    for (int i = 0; i < POLYHEDRA_HULL_COUNT; ++i) {
        if (bodies->polyhedra.hulls[i] == hull) {
            return bodies->twins[i];
        }
    }
    return NULL;
}

/// The same body described in another frame.
/// @param frame receives the place of that frame in the old one
static sdShape describeAnew(const Bodies* bodies, const sdShape* shape, TestRandom* random,
                            sdTransform* frame) {
    float angle = TestRandom_Float(random, -SD_PI, SD_PI);
    sdQuat aboutY = sdQuat_FromAxisAngle(sdV3(0.0f, 1.0f, 0.0f), angle);
    sdQuat cycle = {{0.5f, 0.5f, 0.5f}, 0.5f}; // x to y to z to x
    *frame = sdTransform_Identity();
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            frame->q = TestRandom_Rotation(random);
            return *shape;
        case SD_SHAPE_BOX: {
            sdVec3 h = shape->box.halfExtents;
            frame->q = cycle;
            return sdShape_Box(h.y, h.z, h.x);
        }
        case SD_SHAPE_TRIANGLE: {
            const sdVec3* v = shape->triangle.vertices;
            *frame = TestRandom_Pose(random, 0.5f);
            return sdShape_Triangle(sdInvTransformPoint(*frame, v[1]),
                                    sdInvTransformPoint(*frame, v[2]),
                                    sdInvTransformPoint(*frame, v[0]));
        }
        case SD_SHAPE_HULL:
            *frame = bodies->frame;
            return sdShape_Hull(twinOf(bodies, shape->hull));
        default:
            frame->q = aboutY;
            return *shape;
    }
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

// ---- one pair ------------------------------------------------------------------------------

/// Pairs with something wrong, by what it is.
typedef struct Tally {
    int pairs, overlapping, wrong;
    int status, separation, sweep, witness, swap, motion;
} Tally;

typedef struct Trial {
    const Bodies* bodies;
    sdShape a, b;
    sdTransform xf;
    Sweep sweep;
    double rounding; ///< m
    Tally faults;    ///< of this pair
} Trial;

/// Its own normal shows the gap, no direction shows more, and the witnesses are on the surfaces.
static void checkProof(Trial* trial, const sdSeparation* s) {
    const Sweep* sweep = &trial->sweep;
    Tally* faults = &trial->faults;
    double error = (double)s->error + trial->rounding, separation = (double)s->separation;
    bool isUnit = fabs((double)sdLength(s->normal) - 1.0) < 1e-6;
    faults->status += s->status == SD_STATUS_INVALID || !isUnit;
    faults->sweep += fabs(Sweep_GapAlong(sweep, s->normal) - separation) > error;
    faults->sweep += sweep->bestGap > separation + error;
    sdVec3d a = sdVec3d_From(s->pointA), b = sdVec3d_From(s->pointB);
    sdVec3d reached = sdMulAddD(a, separation, sdVec3d_From(s->normal));
    faults->witness += sdLengthD(sdSubD(reached, b)) > error;
    faults->witness += Sweep_OutsideA(sweep, s->pointA) > error;
    faults->witness += Sweep_OutsideB(sweep, s->pointB) > error;
    faults->witness += fabs(Sweep_BelowA(sweep, s->pointA, s->normal)) > error;
    faults->witness += fabs(Sweep_BelowB(sweep, s->pointB, sdNeg(s->normal))) > error;
}

/// Two answers, each within its error.
static bool agree(const sdSeparation* s, const sdSeparation* t, double rounding) {
    return fabs((double)s->separation - (double)t->separation) <=
           (double)s->error + (double)t->error + rounding;
}

static void checkDistance(Trial* trial, const sdSeparation* d, const sdSeparation* s) {
    Tally* faults = &trial->faults;
    double error = (double)s->error + (double)d->error + trial->rounding;
    double expected = fmax((double)s->separation, 0.0);
    faults->separation += fabs((double)d->separation - expected) > error;
    faults->witness += Sweep_OutsideA(&trial->sweep, d->pointA) > error;
    faults->witness += Sweep_OutsideB(&trial->sweep, d->pointB) > error;
}

static void checkOverlap(Trial* trial, sdOverlapResult overlap, const sdSeparation* s) {
    bool isClear = fabs((double)s->separation) > (double)s->error + trial->rounding;
    trial->faults.status += overlap.status == SD_STATUS_INVALID;
    trial->faults.separation += isClear && overlap.isOverlapping != (s->separation < 0.0f);
}

/// Where they overlap, the depth; where they are apart, a gap that is no greater than the distance.
static void checkSat(Trial* trial, const sdSatResult* sat, const sdSeparation* s) {
    Tally* faults = &trial->faults;
    double error = (double)s->error + trial->rounding;
    double separation = (double)s->separation, own = (double)sat->separation;
    faults->status += sat->status != SD_STATUS_EXACT;
    faults->sweep += fabs(Sweep_GapAlong(&trial->sweep, sat->axis) - own) > trial->rounding;
    faults->separation += own > separation + error;
    faults->separation += separation > error && own <= 0.0;
    faults->separation += separation < -error && own < separation - error;
}

static void checkSwap(Trial* trial, const sdSeparation* s) {
    double rounding = MOVED_ROUNDING * trial->sweep.size;
    sdSeparation t = sdPenetration(&trial->b, &trial->a, sdInvertXf(trial->xf), NULL);
    trial->faults.swap += !agree(s, &t, rounding);
    // of equally good normals either may be given
    sdVec3 normal = sdNeg(sdRotate(trial->xf.q, t.normal));
    double gap = Sweep_GapAlong(&trial->sweep, normal);
    trial->faults.swap += fabs(gap - (double)t.separation) > (double)t.error + rounding;
}

static void checkMotion(Trial* trial, const sdSeparation* s, TestRandom* random) {
    sdTransform frameA, frameB;
    sdShape a = describeAnew(trial->bodies, &trial->a, random, &frameA);
    sdShape b = describeAnew(trial->bodies, &trial->b, random, &frameB);
    sdTransform xf = sdInvMulXf(frameA, sdMulXf(trial->xf, frameB));
    xf.q = sdNormalizeQ(xf.q);
    double away = (double)sdLength(frameA.p) + (double)sdLength(frameB.p);
    double rounding = MOVED_ROUNDING * (trial->sweep.size + away);
    sdSeparation t = sdPenetration(&a, &b, xf, NULL);
    trial->faults.motion += !agree(s, &t, rounding);
    double gap = Sweep_GapAlong(&trial->sweep, sdRotate(frameA.q, t.normal));
    trial->faults.motion += fabs(gap - (double)t.separation) > (double)t.error + rounding;
}

static void tryPair(Trial* trial, TestRandom* random) {
    const sdShape *a = &trial->a, *b = &trial->b;
    sdTransform xf = trial->xf;
    Sweep_Init(&trial->sweep, a, b, xf);
    Sweep_Run(&trial->sweep);
    trial->rounding = ROUNDING * trial->sweep.size;
    trial->faults = (Tally){0};
    sdSeparation epa = sdEpa_Penetration(a, b, xf, NULL), table = sdPenetration(a, b, xf, NULL);
    sdSeparation gjk = sdGjk_Distance(a, b, xf, NULL), distance = sdDistance(a, b, xf, NULL);
    checkProof(trial, &epa);
    checkProof(trial, &table);
    trial->faults.separation += !agree(&epa, &table, trial->rounding);
    checkDistance(trial, &gjk, &epa);
    checkDistance(trial, &distance, &epa);
    checkOverlap(trial, sdGjk_Overlap(a, b, xf, NULL), &epa);
    checkOverlap(trial, sdOverlap(a, b, xf, NULL), &epa);
    if (trial->bodies->isPolyhedral) {
        sdSeparation vclip = sdVClip_Distance(a, b, xf, NULL);
        checkProof(trial, &vclip);
        trial->faults.separation += !agree(&epa, &vclip, trial->rounding);
        sdSatResult sat = sdSat_Test(a, b, xf, true, NULL);
        checkSat(trial, &sat, &epa);
    }
    checkSwap(trial, &table);
    checkMotion(trial, &table, random);
    trial->faults.overlapping = epa.separation < 0.0f;
}

/// The first few in full, so that they can be made into tests of their own.
#define PRINTED_COUNT 4

static void printShape(const sdShape* shape) {
    const float* f = &shape->sphere.radius;
    int count = shape->type == SD_SHAPE_TRIANGLE ? 9 : shape->type == SD_SHAPE_BOX ? 3 : 2;
    if (shape->type == SD_SHAPE_HULL) {
        sdHull_GetVertices(shape->hull, &count);
        sdTest_Print("    hull of %d vertices", count);
        return;
    }
    sdTest_Print("    %s", sdShapeType_Name(shape->type));
    for (int i = 0; i < count; ++i) {
        sdTest_Print("        %.9g", (double)f[i]);
    }
}

static void printSeparation(const char* name, const Trial* trial, const sdSeparation* s) {
    const Sweep* sweep = &trial->sweep;
    sdTest_Print(
        "    %s: %.9g within %.3g, normal %.7f %.7f %.7f; gap along it %.9g; A %.3g outside, "
        "%.3g below, B %.3g, %.3g; status %d",
        name, (double)s->separation, (double)s->error, (double)s->normal.x, (double)s->normal.y,
        (double)s->normal.z, Sweep_GapAlong(sweep, s->normal), Sweep_OutsideA(sweep, s->pointA),
        Sweep_BelowA(sweep, s->pointA, s->normal), Sweep_OutsideB(sweep, s->pointB),
        Sweep_BelowB(sweep, s->pointB, sdNeg(s->normal)), (int)s->status);
}

static void printTrial(const Trial* trial) {
    const sdShape *a = &trial->a, *b = &trial->b;
    sdTransform xf = trial->xf;
    const Tally* f = &trial->faults;
    sdTest_Print("  status %d, separation %d, sweep %d, witness %d, swap %d, motion %d:", f->status,
                 f->separation, f->sweep, f->witness, f->swap, f->motion);
    printShape(a);
    printShape(b);
    sdTest_Print("    p %.9g %.9g %.9g  q %.9g %.9g %.9g %.9g", (double)xf.p.x, (double)xf.p.y,
                 (double)xf.p.z, (double)xf.q.v.x, (double)xf.q.v.y, (double)xf.q.v.z,
                 (double)xf.q.s);
    sdTest_Print("    best gap of the sweep %.9g, rounding %.3g", trial->sweep.bestGap,
                 trial->rounding);
    sdSeparation epa = sdEpa_Penetration(a, b, xf, NULL), table = sdPenetration(a, b, xf, NULL);
    sdSeparation gjk = sdGjk_Distance(a, b, xf, NULL);
    printSeparation("EPA", trial, &epa);
    printSeparation("table", trial, &table);
    printSeparation("GJK", trial, &gjk);
    if (trial->bodies->isPolyhedral) {
        sdSeparation vclip = sdVClip_Distance(a, b, xf, NULL);
        printSeparation("V-Clip", trial, &vclip);
        sdTest_Print("    SAT: %.9g", (double)sdSat_Test(a, b, xf, true, NULL).separation);
    }
    sdSeparation swapped = sdPenetration(b, a, sdInvertXf(xf), NULL);
    sdTest_Print("    swapped: %.9g within %.3g", (double)swapped.separation,
                 (double)swapped.error);
}

// ---- classes -------------------------------------------------------------------------------

static void add(Tally* tally, const Tally* one) {
    int sum = one->status + one->separation + one->sweep + one->witness + one->swap + one->motion;
    tally->pairs += 1;
    tally->overlapping += one->overlapping;
    tally->wrong += sum > 0;
    tally->status += one->status > 0;
    tally->separation += one->separation > 0;
    tally->sweep += one->sweep > 0;
    tally->witness += one->witness > 0;
    tally->swap += one->swap > 0;
    tally->motion += one->motion > 0;
}

static void runClass(const char* name, PairClass pairClass, bool isPolyhedral) {
    Bodies bodies;
    Bodies_Init(&bodies, isPolyhedral);
    TestRandom random = TestRandom_Make(72 + (uint64_t)pairClass);
    Tally tally = {0};
    Trial trial = {.bodies = &bodies};
    int count = TestCount(FULL_COUNT);
    for (int i = 0; i < count; ++i) {
        bool isOdd = pairClass == CLASS_DEGENERATE;
        trial.a =
            isOdd && i % 3 != 0 ? pickDegenerate(&bodies, &random) : pickOrdinary(&bodies, &random);
        trial.b =
            isOdd && i % 3 != 1 ? pickDegenerate(&bodies, &random) : pickOrdinary(&bodies, &random);
        int before = tally.wrong;
        trial.xf = pickPose(&random, pairClass, &trial.a, &trial.b);
        tryPair(&trial, &random);
        add(&tally, &trial.faults);
        if (tally.wrong > before && tally.wrong <= PRINTED_COUNT) {
            printTrial(&trial);
        }
    }
    sdTest_Print("%s: %d pairs, %d disagreements (%d overlapping; status %d, separation %d, "
                 "sweep %d, witness %d, swap %d, motion %d)",
                 name, tally.pairs, tally.wrong, tally.overlapping, tally.status, tally.separation,
                 tally.sweep, tally.witness, tally.swap, tally.motion);
    CHECK(tally.wrong <= count / KNOWN_SHARE);
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
