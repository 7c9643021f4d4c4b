// SPDX-License-Identifier: MIT
// test_explain.c - steps of GJK, EPA, SAT and V-Clip that end where the library does, with words
// and marks that fit.

#include "explain.h"
#include "planar_support.h"
#include "polyhedra.h"
#include "shape_zoo.h"

/// Steps in single precision supports, bounds met to 1e-6 of the size of both.
#define CLOSE 2e-5

static sdExplanation* explain(const sdShape* a, const sdShape* b, sdTransform xf,
                              sdExplainMethod method) {
    sdExplanation* e = NULL;
    CHECK_INT(sdExplanation_Create(NULL, a, b, xf, method, &e), SD_OK);
    return e;
}

/// Words in every step, marks in most, numbers that are finite.
static void checkSteps(const sdExplanation* e) {
    int count = sdExplanation_GetStepCount(e);
    CHECK(count >= 2);
    for (int i = -1; i < count; ++i) {
        float marks[512 * SD_EXPLAIN_MARK_SIZE];
        int capacity = (int)(sizeof marks / sizeof *marks);
        int n = sdMinI(sdExplanation_GetMarks(e, i, marks, capacity), capacity);
        CHECK(n % SD_EXPLAIN_MARK_SIZE == 0);
        for (int k = 0; k < n; ++k) {
            CHECK(isfinite(marks[k]));
        }
        CHECK(i < 0 || sdExplanation_GetText(e, i)[0] != '\0');
    }
    CHECK_TEXT(sdExplanation_GetText(e, count - 1), "The library's own answer");
    CHECK(sdExplanation_GetText(e, count)[0] == '\0');
    CHECK_INT(sdExplanation_GetMarks(e, count, NULL, 0), 0);
}

SD_TEST(explain_gjk_and_epa_end_where_the_library_does) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(11);
    for (int i = 0; i < 300; ++i) {
        sdShape a = ShapeZoo_Pick(&zoo, &random), b = ShapeZoo_Pick(&zoo, &random);
        sdTransform xf = TestRandom_Pose(&random, 1.5f);
        sdSeparation answer = sdPenetration(&a, &b, xf, NULL);
        bool isDeep = answer.separation < -1e-3f;
        sdExplanation* e = explain(&a, &b, xf, isDeep ? SD_EXPLAIN_EPA : SD_EXPLAIN_GJK);
        // a bound of EPA between round bodies may need more than its steps
        double found = sdExplanation_GetFound(e);
        if (answer.separation > 1e-3f || !isnan(found)) {
            checkSteps(e);
            CHECK_NEAR(found, isDeep || answer.separation > 0.0f ? (double)answer.separation : 0.0,
                       CLOSE);
        }
        sdExplanation_Destroy(e);
    }
    ShapeZoo_Free(&zoo);
}

SD_TEST(explain_sat_and_vclip_end_where_the_library_does) {
    Polyhedra polyhedra;
    Polyhedra_Init(&polyhedra);
    TestRandom random = TestRandom_Make(12);
    int apartCount = 0;
    for (int i = 0; i < 200; ++i) {
        sdShape a = sdShape_Hull(polyhedra.hulls[TestRandom_Int(&random, 3)]);
        sdShape b = sdShape_Box(TestRandom_Float(&random, 0.1f, 1.0f), 0.3f, 0.5f);
        sdTransform xf = TestRandom_Pose(&random, 1.5f);
        sdSeparation answer = sdPenetration(&a, &b, xf, NULL);
        sdExplanation *sat = explain(&a, &b, xf, SD_EXPLAIN_SAT),
                      *vclip = explain(&a, &b, xf, SD_EXPLAIN_VCLIP);
        checkSteps(sat);
        checkSteps(vclip);
        double found = sdExplanation_GetFound(sat);
        if (answer.separation < 0.0f) {
            CHECK_NEAR(found, (double)answer.separation, CLOSE);
            CHECK_NEAR(sdExplanation_GetFound(vclip), 0.0, CLOSE);
        } else {
            CHECK(found <= (double)answer.separation + CLOSE && found > -CLOSE);
            CHECK_NEAR(sdExplanation_GetFound(vclip), (double)answer.separation, CLOSE);
            ++apartCount;
        }
        float ends[SD_EXPLAIN_INTERVAL_SIZE];
        CHECK_INT(sdExplanation_GetIntervals(sat, 1, ends, SD_EXPLAIN_INTERVAL_SIZE),
                  SD_EXPLAIN_INTERVAL_SIZE);
        CHECK(ends[0] < ends[1] && ends[2] < ends[3] &&
              fabsf(ends[4] - (ends[2] - ends[1])) < 1e-6f);
        sdExplanation_Destroy(sat);
        sdExplanation_Destroy(vclip);
    }
    CHECK(apartCount > 20 && apartCount < 180);
    Polyhedra_Free(&polyhedra);
}

SD_TEST(explain_in_the_plane) {
    TestRandom random = TestRandom_Make(13);
    for (int i = 0; i < 300; ++i) {
        sdPolygon2 a = Planar_Polygon(&random, 1.0f), b = Planar_Polygon(&random, 1.0f);
        sdTransform2 xf = Planar_Pose(&random, 2.0f);
        double distance = (double)sdDistance2(&a, &b, xf).separation;
        double answer = (double)sdPenetration2(&a, &b, xf).separation;
        sdExplanation *gjk = NULL, *sat = NULL;
        CHECK_INT(sdExplanation_CreatePlanar(NULL, &a, &b, xf, SD_EXPLAIN_GJK, &gjk), SD_OK);
        CHECK_INT(sdExplanation_CreatePlanar(NULL, &a, &b, xf, SD_EXPLAIN_SAT, &sat), SD_OK);
        checkSteps(gjk);
        CHECK_NEAR(sdExplanation_GetFound(gjk), distance, CLOSE);
        if (a.count > 2 && b.count > 2) {
            checkSteps(sat);
            double found = sdExplanation_GetFound(sat);
            CHECK(answer > 0.0 ? found <= answer + CLOSE : fabs(found - answer) < CLOSE);
        }
        sdExplanation_Destroy(gjk);
        sdExplanation_Destroy(sat);
    }
}

SD_TEST(explain_says_what_it_is_not_for) {
    sdShape plane = sdShape_HalfSpace(), ball = sdShape_Sphere(1.0f), box = sdShape_Box(1, 1, 1);
    sdExplanation* e = explain(&plane, &box, TestAt(0, 3, 0), SD_EXPLAIN_GJK);
    CHECK_INT(sdExplanation_GetStepCount(e), 1);
    CHECK_TEXT(sdExplanation_GetText(e, 0), "half-space");
    sdExplanation_Destroy(e);
    e = explain(&ball, &box, TestAt(0, 3, 0), SD_EXPLAIN_VCLIP);
    CHECK_TEXT(sdExplanation_GetText(e, 0), "boxes and hulls");
    CHECK(isnan(sdExplanation_GetFound(e)));
    sdExplanation_Destroy(e);
    e = explain(&box, &box, TestAt(0, 3, 0), SD_EXPLAIN_EPA);
    CHECK_TEXT(sdExplanation_GetText(e, sdExplanation_GetStepCount(e) - 1), "apart");
    sdExplanation_Destroy(e);
    CHECK_INT(sdExplanation_Create(NULL, &box, &box, TestAt((float)NAN, 0, 0), SD_EXPLAIN_GJK, &e),
              SD_ERROR_INVALID_ARGUMENT);
}

static sdResult explainIn(const sdContext* context, void* arg) {
    const sdShape* box = arg;
    sdExplanation* e = NULL;
    sdResult result =
        sdExplanation_Create(context, box, box, TestAt(0.4f, 0.3f, 0.2f), SD_EXPLAIN_EPA, &e);
    sdExplanation_Destroy(e);
    return result;
}

SD_TEST(explain_does_without_memory) {
    sdShape box = sdShape_Box(0.5f, 0.6f, 0.7f);
    CHECK(TestContext_FailEach(explainIn, &box) > 2);
}
