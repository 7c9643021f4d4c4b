// SPDX-License-Identifier: MIT
// test_vclip.c - V-Clip against GJK and EPA, its own proof by support points, and its memory.

#include "polyhedra.h"
#include "shape_zoo.h"

/// Both say what the true separation is, each within its error.
static bool agree(const sdSeparation* s, const sdSeparation* t, double size) {
    double rounding = 4.0 * (double)FLT_EPSILON * size;
    return fabs((double)s->separation - (double)t->separation) <=
           (double)s->error + (double)t->error + rounding;
}

/// Normal, witnesses and the gap along the normal fit the separation.
static bool isConsistent(const sdShape* a, const sdShape* b, sdTransform xf, const sdSeparation* s,
                         double size) {
    double tolerance = (double)s->error + 1e-6 * size;
    sdVec3 across = sdSub(sdMulAdd(s->pointA, s->separation, s->normal), s->pointB);
    double gap = -ExitDepth(a, b, xf, s->normal);
    sdVec3 inB = sdInvTransformPoint(xf, s->pointB);
    return fabs((double)sdLength(s->normal) - 1.0) < 1e-5 &&
           (double)sdLength(across) <= tolerance &&
           fabs(gap - (double)s->separation) <= tolerance &&
           fabs(TestSupportError(a, s->pointA, s->normal)) <= tolerance &&
           fabs(TestSupportError(b, inB, sdInvRotate(xf.q, sdNeg(s->normal)))) <= tolerance;
}

static double sizeOf(const sdShape* a, const sdShape* b, sdTransform xf) {
    return ReachOf(a) + ReachOf(b) + (double)sdLength(xf.p);
}

/// Features are remembered: it did not leave the pair to GJK for want of extent.
static bool hasFeatures(const sdPairCache* cache) {
    return cache->kind == 4 && cache->count == 2;
}

typedef struct Tally {
    int apart;      ///< with features
    int unproved;   ///< of these, where it had to ask GJK
    int degenerate; ///< apart, but without features
    int limits, disagree, inconsistent;
} Tally;

static void compare(const sdShape* a, const sdShape* b, sdTransform xf, Tally* tally) {
    sdPairCache cache = {0};
    sdSeparation s = sdVClip_Distance(a, b, xf, &cache);
    sdSeparation t = sdEpa_Penetration(a, b, xf, NULL);
    double size = sizeOf(a, b, xf);
    bool isApart = t.separation > t.error, isByFeatures = hasFeatures(&cache);
    tally->apart += isApart && isByFeatures ? 1 : 0;
    tally->unproved += isApart && isByFeatures && sdLengthSquared(cache.axis) == 0.0f ? 1 : 0;
    tally->degenerate += isApart && !isByFeatures ? 1 : 0;
    tally->limits += s.status == SD_STATUS_LIMIT ? 1 : 0;
    tally->disagree += s.status == SD_STATUS_INVALID || !agree(&s, &t, size) ? 1 : 0;
    tally->inconsistent += isConsistent(a, b, xf, &s, size) ? 0 : 1;
}

SD_TEST(vclip_agrees_with_gjk_and_epa) {
    static const char* const names[POSE_CLASS_COUNT] = {"far", "mixed", "deep", "touching",
                                                        "aligned"};
    Polyhedra polyhedra;
    Polyhedra_Init(&polyhedra);
    TestRandom random = TestRandom_Make(41);
    for (int c = 0; c < POSE_CLASS_COUNT; ++c) {
        Tally tally = {0};
        int count = TestRounds(16000);
        for (int i = 0; i < count; ++i) {
            sdShape a = Polyhedra_Any(&polyhedra, &random);
            sdShape b = Polyhedra_Any(&polyhedra, &random);
            compare(&a, &b, Polyhedra_Pose(&random, (PoseClass)c, &a, &b), &tally);
        }
        sdTest_Print("%8s: %d pairs, %d apart of which %d unproved, %d apart and degenerate, "
                     "%d at the limit, %d disagree, %d inconsistent",
                     names[c], count, tally.apart, tally.unproved, tally.degenerate, tally.limits,
                     tally.disagree, tally.inconsistent);
        CHECK(tally.unproved <= tally.apart / 1000);
        CHECK_INT(tally.disagree, 0);
        CHECK_INT(tally.inconsistent, 0);
    }
    Polyhedra_Free(&polyhedra);
}

SD_TEST(vclip_of_hulls_of_4_to_256_vertices) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(42);
    Tally tally = {0};
    int count = TestRounds(20000);
    for (int i = 0; i < count; ++i) {
        sdShape a = sdShape_Hull(zoo.hulls[i % ZOO_HULL_COUNT]);
        sdShape b = sdShape_Hull(zoo.hulls[TestRandom_Int(&random, ZOO_HULL_COUNT)]);
        compare(&a, &b, TestRandom_Pose(&random, 2.5f), &tally);
    }
    sdTest_Print("%d pairs, %d apart of which %d unproved, %d disagree, %d inconsistent", count,
                 tally.apart, tally.unproved, tally.disagree, tally.inconsistent);
    CHECK_INT(tally.disagree, 0);
    CHECK_INT(tally.inconsistent, 0);
    CHECK(tally.unproved <= tally.apart / 1000);
    ShapeZoo_Free(&zoo);
}

SD_TEST(vclip_of_any_size_and_distance) {
    TestRandom random = TestRandom_Make(43);
    Tally tally = {0};
    for (int i = 0; i < 5000; ++i) {
        static const float sizes[4] = {1e-3f, 1.0f, 30.0f, 1e3f};
        static const float distances[3] = {2.0f, 10.0f, 1e6f};
        float size = sizes[i % 4];
        sdVec3 h = sdScale(size, sdAdd(TestRandom_InBox(&random, 0.4f), sdV3(0.5f, 0.5f, 0.5f)));
        sdShape a = sdShape_Box(h.x, h.y, h.z);
        sdShape b = i % 2 == 0 ? sdShape_Box(h.y, h.z * 1e-5f, h.x)
                               : sdShape_Triangle(sdV3(0.0f, 0.0f, 0.0f), sdV3(h.x, 0.0f, h.z),
                                                  sdV3(0.0f, h.y, h.z));
        sdVec3 p = sdScale(size * distances[i % 3], TestRandom_InBall(&random));
        sdQuat q = i % 5 == 0 ? sdQuat_Identity() : TestRandom_Rotation(&random);
        sdTransform xf = sdTransform_Make(p, q);
        compare(&a, &b, xf, &tally);
    }
    sdTest_Print("%d apart of which %d unproved, %d disagree, %d inconsistent", tally.apart,
                 tally.unproved, tally.disagree, tally.inconsistent);
    CHECK(tally.unproved <= tally.apart / 1000);
    CHECK_INT(tally.disagree, 0);
    CHECK_INT(tally.inconsistent, 0);
}

SD_TEST(vclip_of_known_pairs) {
    sdShape box = sdShape_Box(1.0f, 1.0f, 1.0f);
    sdTransform xf = sdTransform_Identity();
    // the same place: out through any face
    CHECK_NEAR(sdVClip_Distance(&box, &box, xf, NULL).separation, -2.0, 1e-5);
    // face to face, edge to edge, corner to corner
    xf.p = sdV3(3.0f, 0.25f, 0.0f);
    sdSeparation s = sdVClip_Distance(&box, &box, xf, NULL);
    CHECK_NEAR(s.separation, 1.0, 1e-6);
    CHECK_NEAR(s.normal.x, 1.0, 1e-6);
    xf.p = sdV3(3.0f, 3.0f, 0.0f);
    CHECK_NEAR(sdVClip_Distance(&box, &box, xf, NULL).separation, sqrt(2.0), 1e-6);
    xf.p = sdV3(-3.0f, 3.0f, 3.0f);
    CHECK_NEAR(sdVClip_Distance(&box, &box, xf, NULL).separation, sqrt(3.0), 1e-6);
    // touching
    xf.p = sdV3(2.0f, 0.0f, 0.0f);
    CHECK_NEAR(sdVClip_Distance(&box, &box, xf, NULL).separation, 0.0, 1e-5);
    // one inside the other
    sdShape small = sdShape_Box(0.1f, 0.1f, 0.1f);
    xf.p = sdV3(0.5f, 0.0f, 0.0f);
    s = sdVClip_Distance(&box, &small, xf, NULL);
    CHECK_NEAR(s.separation, -0.6, 1e-5);
    CHECK_NEAR(s.normal.x, 1.0, 1e-5);
}

SD_TEST(vclip_foot_on_a_sliver_is_on_it) {
    // B is a triangle of 1:1e5; the vertex of A is in the region of its face by rounding only
    sdShape a = sdShape_Triangle(sdV3(-0.388930321f, -0.781832695f, -0.117371798f),
                                 sdV3(0.309450388f, -0.267056346f, 0.288441658f),
                                 sdV3(0.266852498f, -0.167361021f, 0.301356316f));
    sdShape b = sdShape_Triangle(sdV3(0.0797946453f, 0.323535204f, 0.828060985f),
                                 sdV3(0.753078699f, -0.154656887f, -0.479531646f),
                                 sdV3(0.281773329f, 0.180081472f, 0.435781896f));
    sdQuat q = {{-0.690631568f, 0.49296695f, 0.519378483f}, -0.101279959f};
    sdTransform xf = sdTransform_Make(sdV3(0.860205352f, -0.0926551223f, 0.53450489f), q);
    CHECK_NEAR(sdVClip_Distance(&a, &b, xf, NULL).separation, 0.00100002182, 1e-6);
}

SD_TEST(vclip_swapped_arguments_mirror) {
    Polyhedra polyhedra;
    Polyhedra_Init(&polyhedra);
    TestRandom random = TestRandom_Make(44);
    int wrong = 0;
    for (int i = 0; i < 20000; ++i) {
        sdShape a = Polyhedra_Any(&polyhedra, &random);
        sdShape b = Polyhedra_Any(&polyhedra, &random);
        sdTransform xf = Polyhedra_Pose(&random, (PoseClass)(i % POSE_CLASS_COUNT), &a, &b);
        sdSeparation s = sdVClip_Distance(&a, &b, xf, NULL);
        sdSeparation t = sdVClip_Distance(&b, &a, sdInvertXf(xf), NULL);
        // inverting the pose rounds it
        wrong += agree(&s, &t, sizeOf(&a, &b, xf)) ? 0 : 1;
        if (s.separation > 0.1f) {
            sdVec3 mirrored = sdNeg(sdRotate(xf.q, t.normal));
            wrong += sdLength(sdSub(mirrored, s.normal)) > 1e-2f ? 1 : 0;
        }
    }
    sdTest_Print("%d of 20000 differ", wrong);
    CHECK_INT(wrong, 0);
    Polyhedra_Free(&polyhedra);
}

SD_TEST(vclip_starts_from_the_last_features) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(45);
    long long warm = 0, cold = 0, queries = 0;
    int wrong = 0;
    for (int i = 0; i < 200; ++i) {
        sdShape a = sdShape_Hull(zoo.hulls[i % ZOO_HULL_COUNT]);
        sdShape b = i % 3 == 0 ? ShapeZoo_Make(&zoo, &random, SD_SHAPE_BOX)
                               : sdShape_Hull(zoo.hulls[TestRandom_Int(&random, ZOO_HULL_COUNT)]);
        sdTransform xf = TestRandom_Pose(&random, 3.0f);
        sdVec3 velocity = sdScale(0.01f, TestRandom_InBall(&random));
        sdQuat turn = sdQuat_FromRotationVector(sdScale(0.02f, TestRandom_InBall(&random)));
        sdPairCache cache = {0};
        for (int k = 0; k < 100; ++k) {
            sdSeparation s = sdVClip_Distance(&a, &b, xf, &cache);
            sdSeparation t = sdVClip_Distance(&a, &b, xf, NULL);
            wrong += agree(&s, &t, sizeOf(&a, &b, xf)) ? 0 : 1;
            if (s.separation > 0.0f && k > 0) {
                warm += s.iterations;
                cold += t.iterations;
                queries += 1;
            }
            xf.p = sdAdd(xf.p, velocity);
            xf.q = sdNormalizeQ(sdMulQ(turn, xf.q));
        }
    }
    sdTest_Print("%.2f steps warm, %.2f cold, in %lld queries; %d differ",
                 (double)warm / (double)queries, (double)cold / (double)queries, queries, wrong);
    CHECK_INT(wrong, 0);
    CHECK(warm * 2 < cold);
    ShapeZoo_Free(&zoo);
}

SD_TEST(vclip_any_memory_is_harmless) {
    Polyhedra polyhedra;
    Polyhedra_Init(&polyhedra);
    TestRandom random = TestRandom_Make(46);
    int wrong = 0, unproved = 0;
    for (int i = 0; i < 20000; ++i) {
        sdShape a = Polyhedra_Any(&polyhedra, &random);
        sdShape b = Polyhedra_Any(&polyhedra, &random);
        sdTransform xf = Polyhedra_Pose(&random, (PoseClass)(i % POSE_CLASS_COUNT), &a, &b);
        // mostly features that exist, of any kind, however far from the nearest
        sdPairCache cache = {.count = 2, .kind = 4};
        cache.featureType = (uint8_t)TestRandom_Int(&random, 16);
        cache.indexA[0] = (uint16_t)TestRandom_Int(&random, 8);
        cache.indexB[0] = (uint16_t)TestRandom_Int(&random, i % 10 == 0 ? 65536 : 8);
        cache.indexB[1] = (uint16_t)(i % 20 == 0 ? TestRandom_Int(&random, 65536) : 0);
        sdSeparation s = sdVClip_Distance(&a, &b, xf, &cache);
        sdSeparation t = sdEpa_Penetration(&a, &b, xf, NULL);
        wrong += agree(&s, &t, sizeOf(&a, &b, xf)) ? 0 : 1;
        bool isUnproved = hasFeatures(&cache) && sdLengthSquared(cache.axis) == 0.0f;
        unproved += isUnproved && t.separation > t.error ? 1 : 0;
    }
    sdTest_Print("%d of 20000 differ, %d unproved", wrong, unproved);
    CHECK_INT(wrong, 0);
    CHECK(unproved <= 20);
    Polyhedra_Free(&polyhedra);
}

SD_TEST(vclip_refuses_what_it_cannot_do) {
    sdShape box = sdShape_Box(1.0f, 1.0f, 1.0f), sphere = sdShape_Sphere(1.0f);
    sdTransform xf = sdTransform_Identity();
    CHECK_INT(sdVClip_Distance(&box, &sphere, xf, NULL).status, SD_STATUS_INVALID);
    CHECK_INT(sdVClip_Distance(&sphere, &box, xf, NULL).status, SD_STATUS_INVALID);
    CHECK_INT(sdVClip_Distance(NULL, &box, xf, NULL).status, SD_STATUS_INVALID);
    CHECK_INT(sdVClip_Distance(&box, NULL, xf, NULL).status, SD_STATUS_INVALID);
    xf.p.y = TestNaN();
    sdSeparation s = sdVClip_Distance(&box, &box, xf, NULL);
    CHECK_INT(s.status, SD_STATUS_INVALID);
    CHECK(s.separation == 0.0f && s.error == 0.0f && s.iterations == 0);
}
