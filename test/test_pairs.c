// SPDX-License-Identifier: MIT
// test_pairs.c - overlap, distance and penetration by the table of pairs: the contract that holds
// for any two shapes, and closed forms against GJK and EPA.

#include "shape_zoo.h"

/// Types that the contract is tested for.
#define TYPE_COUNT (SD_SHAPE_HULL + 1)

/// Single precision, for bodies of about 1 m that are a few metres apart.
#define ROUNDING 2e-5

typedef struct Faults {
    int status, overlap, normal, witness, surface, swap, motion, depth, common;
} Faults;

static int sum(const Faults* f) {
    return f->status + f->overlap + f->normal + f->witness + f->surface + f->swap + f->motion +
           f->depth + f->common;
}

static void printFaults(const char* name, int count, const Faults* f) {
    sdTest_Print("%s: %d pairs; status %d overlap %d normal %d witness %d surface %d swap %d "
                 "motion %d depth %d common %d",
                 name, count, f->status, f->overlap, f->normal, f->witness, f->surface, f->swap,
                 f->motion, f->depth, f->common);
    CHECK_INT(sum(f), 0);
}

/// A point of a shape is on no side outside of it: tried along many directions.
static bool isIn(const sdShape* shape, sdVec3 p, TestRandom* random) {
    for (int i = 0; i < 20; ++i) {
        sdVec3 n = TestRandom_OnSphere(random);
        if (sdDot(n, sdSub(p, sdShape_Support(shape, n))) > (float)ROUNDING) {
            return false;
        }
    }
    return true;
}

static void checkSeparation(const sdShape* a, const sdShape* b, sdTransform xf,
                            const sdSeparation* s, Faults* faults) {
    bool isKnown = s->status == SD_STATUS_EXACT || s->status == SD_STATUS_TOLERANCE ||
                   s->status == SD_STATUS_LIMIT;
    faults->status += isKnown ? 0 : 1;
    faults->normal += fabs((double)sdLength(s->normal) - 1.0) > 1e-6 ? 1 : 0;
    sdVec3 reached = sdMulAdd(s->pointA, s->separation, s->normal);
    faults->witness += (double)sdLength(sdSub(reached, s->pointB)) > ROUNDING ? 1 : 0;
    // the planes through the witnesses across the normal touch both bodies from outside, which
    // proves a distance, and gives a depth that parts them
    double error = (double)s->error + ROUNDING;
    sdVec3 normalB = sdInvRotate(xf.q, sdNeg(s->normal));
    sdVec3 pointB = sdInvTransformPoint(xf, s->pointB);
    faults->surface += TestSupportError(a, s->pointA, s->normal) > error ? 1 : 0;
    faults->surface += TestSupportError(b, pointB, normalB) > error ? 1 : 0;
    // and they are points of the bodies, not only of those planes
    faults->surface += TestOffSurface(a, s->pointA) > error ? 1 : 0;
    faults->surface += TestOffSurface(b, pointB) > error ? 1 : 0;
}

static void checkMirror(const sdShape* a, const sdShape* b, sdTransform xf, const sdSeparation* s,
                        Faults* faults) {
    sdSeparation t = sdPenetration(b, a, sdInvertXf(xf), NULL);
    double error = (double)s->error + (double)t.error + ROUNDING;
    faults->swap += fabs((double)(s->separation - t.separation)) > error ? 1 : 0;
    // of two equally good normals either may be given: then both must part the bodies
    sdVec3 n = sdNeg(sdRotate(xf.q, t.normal));
    faults->swap += TestExitDepth(a, b, xf, n) > -(double)s->separation + error ? 1 : 0;
}

/// A's frame turned and moved: everything comes along.
static void checkMotion(const sdShape* a, const sdShape* b, sdTransform xf, const sdSeparation* s,
                        TestRandom* random, Faults* faults) {
    // B turned about its own centre by a symmetry that all primitives share: none but the identity,
    // so the pair is moved by going through another frame instead
    sdTransform frame = TestRandom_Pose(random, 2.0f);
    sdTransform there = sdInvMulXf(frame, sdMulXf(frame, xf));
    there.q = sdNormalizeQ(there.q);
    sdSeparation t = sdPenetration(a, b, there, NULL);
    double error = (double)s->error + (double)t.error + ROUNDING;
    faults->motion += fabs((double)(s->separation - t.separation)) > error ? 1 : 0;
}

static void checkOverlap(const sdShape* a, const sdShape* b, sdTransform xf, const sdSeparation* s,
                         TestRandom* random, Faults* faults) {
    sdOverlapResult overlap = sdOverlap(a, b, xf, NULL);
    faults->status += overlap.status == SD_STATUS_INVALID ? 1 : 0;
    bool isClear = sdAbsF(s->separation) > s->error;
    faults->overlap += isClear && overlap.isOverlapping != (s->separation < 0.0f) ? 1 : 0;

    sdSeparation d = sdDistance(a, b, xf, NULL);
    if (s->separation > s->error) {
        double error = (double)s->error + (double)d.error;
        faults->depth += fabs((double)(s->separation - d.separation)) > error ? 1 : 0;
    } else if (s->separation < -s->error) {
        faults->depth += d.separation != 0.0f ? 1 : 0;
        faults->common += sdLength(sdSub(d.pointA, d.pointB)) > 0.0f ? 1 : 0;
        faults->common += isIn(a, d.pointA, random) ? 0 : 1;
        faults->common += isIn(b, sdInvTransformPoint(xf, d.pointA), random) ? 0 : 1;
    }
}

SD_TEST(pairs_keep_the_contract_for_every_two_types) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(1);
    Faults faults = {0};
    int count = 0, overlapping = 0;
    int rounds = TestRounds(2000);
    for (int round = 0; round < rounds; ++round) {
        for (int types = 0; types < TYPE_COUNT * TYPE_COUNT; ++types) {
            sdShape a = ShapeZoo_Make(&zoo, &random, (sdShapeType)(types / TYPE_COUNT));
            sdShape b = ShapeZoo_Make(&zoo, &random, (sdShapeType)(types % TYPE_COUNT));
            sdTransform xf = TestRandom_Pose(&random, 1.2f);
            sdSeparation s = sdPenetration(&a, &b, xf, NULL);
            checkSeparation(&a, &b, xf, &s, &faults);
            checkOverlap(&a, &b, xf, &s, &random, &faults);
            checkMirror(&a, &b, xf, &s, &faults);
            checkMotion(&a, &b, xf, &s, &random, &faults);
            overlapping += s.separation < 0.0f ? 1 : 0;
            count += 1;
        }
    }
    printFaults("random", count, &faults);
    CHECK(overlapping > count / 5 && overlapping < count - count / 5);
    ShapeZoo_Free(&zoo);
}

/// The least exit depth over directions at random and around the answer.
static double leastExit(const sdShape* a, const sdShape* b, sdTransform xf, sdVec3 normal,
                        TestRandom* random) {
    double least = DBL_MAX;
    for (int i = 0; i < 300; ++i) {
        sdVec3 n = TestRandom_OnSphere(random);
        float mix = i < 150 ? 0.0f : (i < 225 ? 10.0f : 100.0f);
        double depth = TestExitDepth(a, b, xf, sdNormalize(sdMulAdd(n, mix, normal)));
        least = depth < least ? depth : least;
    }
    return least;
}

SD_TEST(pairs_depth_is_least_over_a_sweep_of_directions) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(2);
    int overlapping = 0, tooDeep = 0;
    for (int round = 0; round < TestRounds(100); ++round) {
        for (int types = 0; types < TYPE_COUNT * TYPE_COUNT; ++types) {
            sdShape a = ShapeZoo_Make(&zoo, &random, (sdShapeType)(types / TYPE_COUNT));
            sdShape b = ShapeZoo_Make(&zoo, &random, (sdShapeType)(types % TYPE_COUNT));
            sdTransform xf = TestRandom_Pose(&random, 0.7f);
            sdSeparation s = sdPenetration(&a, &b, xf, NULL);
            if (s.separation < 0.0f) {
                overlapping += 1;
                double least = leastExit(&a, &b, xf, s.normal, &random);
                double depth = -(double)s.separation;
                tooDeep += least < depth - (double)s.error - ROUNDING ? 1 : 0;
            }
        }
    }
    sdTest_Print("%d overlapping, %d too deep", overlapping, tooDeep);
    CHECK_INT(tooDeep, 0);
    ShapeZoo_Free(&zoo);
}

SD_TEST(pairs_closed_forms_agree_with_gjk_and_epa) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(3);
    int wrong = 0, exact = 0;
    for (int i = 0; i < TestRounds(20000); ++i) {
        sdShape a = ShapeZoo_Pick(&zoo, &random), b = ShapeZoo_Pick(&zoo, &random);
        a = i % 2 == 0 ? ShapeZoo_Make(&zoo, &random, SD_SHAPE_SPHERE) : a;
        sdTransform xf = TestRandom_Pose(&random, 1.0f);
        sdSeparation s = sdPenetration(&a, &b, xf, NULL);
        sdSeparation t = sdEpa_Penetration(&a, &b, xf, NULL);
        exact += s.status == SD_STATUS_EXACT ? 1 : 0;
        wrong += sdAbsF(s.separation - t.separation) > s.error + t.error + 1e-6f ? 1 : 0;
    }
    sdTest_Print("%d closed forms, %d disagree", exact, wrong);
    CHECK(exact > TestRounds(8000));
    CHECK_INT(wrong, 0);
    ShapeZoo_Free(&zoo);
}

// ---- named cases ---------------------------------------------------------------------------

SD_TEST(pairs_concentric_spheres_and_crossing_capsules_have_a_normal) {
    sdShape sphere = sdShape_Sphere(0.5f), capsule = sdShape_Capsule(1.0f, 0.25f);
    sdSeparation s = sdPenetration(&sphere, &sphere, TestAt(0.0f, 0.0f, 0.0f), NULL);
    CHECK_NEAR(s.separation, -1.0, 1e-6);
    CHECK_NEAR(sdLength(s.normal), 1.0, 1e-6);
    CHECK_INT(s.status, SD_STATUS_EXACT);

    sdTransform crossed = sdTransform_Identity();
    crossed.q = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), 0.5f * SD_PI);
    s = sdPenetration(&capsule, &capsule, crossed, NULL);
    CHECK_NEAR(s.separation, -0.5, 1e-6);
    CHECK_NEAR(sdAbsF(s.normal.z), 1.0, 1e-6);
    s = sdPenetration(&capsule, &capsule, TestAt(0.0f, 0.5f, 0.0f), NULL);
    CHECK_NEAR(s.separation, -0.5, 1e-6);
    CHECK_NEAR(s.normal.y, 0.0, 1e-6);
    s = sdPenetration(&sphere, &capsule, TestAt(0.0f, -0.5f, 0.0f), NULL);
    CHECK_NEAR(s.separation, -0.75, 1e-6);
    CHECK_NEAR(s.normal.y, 0.0, 1e-6);
}

SD_TEST(pairs_sphere_leaves_solids_by_the_nearest_side) {
    sdShape sphere = sdShape_Sphere(0.1f);
    sdShape cylinder = sdShape_Cylinder(1.0f, 0.5f), cone = sdShape_Cone(1.0f, 1.0f);
    sdSeparation s = sdPenetration(&cylinder, &sphere, TestAt(0.0f, 0.8f, 0.0f), NULL);
    CHECK_NEAR(s.separation, -0.3, 1e-6);
    CHECK_NEAR(s.normal.y, 1.0, 1e-6);
    s = sdPenetration(&cylinder, &sphere, TestAt(0.4f, 0.5f, 0.0f), NULL);
    CHECK_NEAR(s.separation, -0.2, 1e-6);
    CHECK_NEAR(s.normal.x, 1.0, 1e-6);
    s = sdPenetration(&cone, &sphere, TestAt(0.0f, -0.9f, 0.0f), NULL);
    CHECK_NEAR(s.separation, -0.2, 1e-6);
    CHECK_NEAR(s.normal.y, -1.0, 1e-6);
    // the slope falls 2 over 1, so its normal is (2, 1) / sqrt(5)
    s = sdPenetration(&cone, &sphere, TestAt(0.0f, 0.5f, 0.0f), NULL);
    CHECK_NEAR(s.normal.y, 0.4472136, 1e-6);
    CHECK_NEAR(s.separation, -0.5 * 0.4472136 - 0.1, 1e-6);
    s = sdPenetration(&sphere, &cone, TestAt(0.0f, -2.5f, 0.0f), NULL);
    CHECK_NEAR(s.separation, 1.4, 1e-6);
    CHECK_NEAR(s.normal.y, -1.0, 1e-6);
}

SD_TEST(pairs_shapes_of_no_size_still_answer) {
    const sdVec3 o = {0.0f, 0.0f, 0.0f};
    sdShape shapes[ZOO_NO_SIZE_COUNT];
    const int count = ShapeZoo_NoSize(shapes);
    TestRandom random = TestRandom_Make(4);
    Faults faults = {0};
    int pairs = 0;
    for (int i = 0; i < count * count; ++i) {
        for (int k = 0; k < TestRounds(24); ++k) {
            const sdShape *a = &shapes[i / count], *b = &shapes[i % count];
            sdTransform xf = TestRandom_Pose(&random, 1.0f);
            xf.p = k % 4 == 0 ? o : (k % 4 == 1 ? sdV3(0.0f, xf.p.y, 0.0f) : xf.p);
            xf.q = k % 3 == 0 ? sdQuat_Identity() : xf.q;
            sdSeparation s = sdPenetration(a, b, xf, NULL);
            checkSeparation(a, b, xf, &s, &faults);
            checkOverlap(a, b, xf, &s, &random, &faults);
            checkMirror(a, b, xf, &s, &faults);
            pairs += 1;
        }
    }
    printFaults("no size", pairs, &faults);
}

SD_TEST(pairs_far_apart_small_and_large) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(5);
    int wrong = 0, count = 0;
    for (int i = 0; i < 4900; ++i) {
        sdShape a = ShapeZoo_Pick(&zoo, &random), b = ShapeZoo_Pick(&zoo, &random);
        sdTransform xf = TestRandom_Pose(&random, 1.0f);
        sdVec3 d = TestRandom_OnSphere(&random);
        xf.p = sdScale(1e6f, d);
        sdSeparation s = sdDistance(&a, &b, xf, NULL);
        wrong += sdAbsF(s.separation - 1e6f) > 4.0f || s.status == SD_STATUS_INVALID ? 1 : 0;
        wrong += sdLength(sdSub(s.normal, d)) > 1e-5f ? 1 : 0;
        wrong += sdOverlap(&a, &b, xf, NULL).isOverlapping ? 1 : 0;
        count += 1;
    }
    sdTest_Print("%d pairs a million metres apart, %d wrong", count, wrong);
    CHECK_INT(wrong, 0);
    ShapeZoo_Free(&zoo);
}

SD_TEST(pairs_sizes_scale) {
    TestRandom random = TestRandom_Make(6);
    int wrong = 0;
    for (int i = 0; i < 3000; ++i) {
        float scale = i % 3 == 0 ? 1e-3f : (i % 3 == 1 ? 1e3f : 1e-2f);
        sdVec3 h =
            sdV3(TestRandom_Float(&random, 0.1f, 1.0f), TestRandom_Float(&random, 0.1f, 1.0f),
                 TestRandom_Float(&random, 0.1f, 1.0f));
        sdShape a = sdShape_Box(h.x, h.y, h.z), b = sdShape_Cylinder(h.y, h.z);
        sdShape c = sdShape_Box(scale * h.x, scale * h.y, scale * h.z);
        sdShape d = sdShape_Cylinder(scale * h.y, scale * h.z);
        sdTransform xf = TestRandom_Pose(&random, 1.0f), small = xf;
        small.p = sdScale(scale, xf.p);
        sdSeparation s = sdPenetration(&a, &b, xf, NULL), t = sdPenetration(&c, &d, small, NULL);
        float error = s.error + t.error / scale + 1e-5f;
        wrong += sdAbsF(s.separation - t.separation / scale) > error ? 1 : 0;
        wrong += t.error > 1e-4f * scale ? 1 : 0;
    }
    sdTest_Print("%d of 3000 differ", wrong);
    CHECK_INT(wrong, 0);
}

SD_TEST(pairs_bad_input_is_refused) {
    sdShape box = sdShape_Box(1.0f, 1.0f, 1.0f), sphere = sdShape_Sphere(1.0f);
    sdShape bad = sdShape_Sphere(TestNaN()), huge = sdShape_Sphere(1e30f);
    sdShape unknown = box;
    unknown.type = SD_SHAPE_TYPE_COUNT;
    const sdShape* shapes[] = {NULL, &bad, &huge, &unknown};
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 2; ++k) {
            const sdShape* other = k == 0 ? &box : &sphere;
            CHECK_INT(sdOverlap(shapes[i], other, TestAt(0, 0, 0), NULL).status, SD_STATUS_INVALID);
            CHECK_INT(sdDistance(other, shapes[i], TestAt(0, 0, 0), NULL).status,
                      SD_STATUS_INVALID);
            CHECK_INT(sdPenetration(shapes[i], other, TestAt(0, 0, 0), NULL).status,
                      SD_STATUS_INVALID);
        }
    }
    const sdShape* good[] = {&box, &sphere};
    for (int i = 0; i < 4; ++i) {
        const sdShape *a = good[i / 2], *b = good[i % 2];
        sdTransform xf = TestAt(TestNaN(), 0.0f, 0.0f);
        CHECK_INT(sdPenetration(a, b, xf, NULL).status, SD_STATUS_INVALID);
        CHECK_INT(sdOverlap(a, b, xf, NULL).status, SD_STATUS_INVALID);
        CHECK_NEAR(sdPenetration(a, b, xf, NULL).separation, 0.0, 0.0);
        xf = TestAt(0.0f, 0.0f, 0.0f);
        xf.q.s = 2.0f;
        CHECK_INT(sdDistance(a, b, xf, NULL).status, SD_STATUS_INVALID);
        CHECK_INT(sdOverlap(a, b, xf, NULL).status, SD_STATUS_INVALID);
    }
}
