// SPDX-License-Identifier: MIT
// test_sat.c - separating axes against GJK and EPA, against all axes one by one, and by hand.

#include "narrow/sat.h"
#include "polyhedra.h"
#include "shape_zoo.h"

#include <string.h>

// ---- all axes, one by one ------------------------------------------------------------------

/// Every vertex projected, both ways along an axis of any length.
static double greatestAlong(const sdSatPair* pair, sdVec3d axis) {
    double length = sdLengthD(axis);
    if (length < 1e-12) {
        return -DBL_MAX;
    }
    double minA = DBL_MAX, maxA = -DBL_MAX, minB = DBL_MAX, maxB = -DBL_MAX;
    for (int i = 0; i < pair->a.vertexCount; ++i) {
        double d = sdDotD(axis, sdVec3d_From(pair->a.vertices[i]));
        minA = fmin(minA, d);
        maxA = fmax(maxA, d);
    }
    for (int i = 0; i < pair->b.vertexCount; ++i) {
        sdVec3d p = sdConvexPair_ToA(&pair->convex, sdVec3d_From(pair->b.vertices[i]));
        double d = sdDotD(axis, p);
        minB = fmin(minB, d);
        maxB = fmax(maxB, d);
    }
    return fmax(minB - maxA, minA - maxB) / length;
}

static sdVec3d turned(const sdSatPair* pair, sdVec3d v) {
    return sdSubD(sdConvexPair_ToA(&pair->convex, v), pair->convex.offset);
}

/// The greatest separation over all faces and all pairs of edges.
static double bruteForce(const sdSatPair* pair) {
    double best = -DBL_MAX;
    for (int f = 0; f < pair->a.faceCount; ++f) {
        best = fmax(best, greatestAlong(pair, sdVec3d_From(pair->a.planes[f].normal)));
    }
    for (int f = 0; f < pair->b.faceCount; ++f) {
        sdVec3d n = turned(pair, sdVec3d_From(pair->b.planes[f].normal));
        best = fmax(best, greatestAlong(pair, n));
    }
    for (int i = 0; i < pair->a.halfEdgeCount; ++i) {
        for (int j = 0; j < pair->b.halfEdgeCount; ++j) {
            if (i < pair->a.edges[i].twin && j < pair->b.edges[j].twin) {
                sdVec3d e = sdPolyhedron_EdgeVector(&pair->a, i);
                sdVec3d f = turned(pair, sdPolyhedron_EdgeVector(&pair->b, j));
                best = fmax(best, greatestAlong(pair, sdCrossD(e, f)));
            }
        }
    }
    return best;
}

// ---- against GJK and EPA -------------------------------------------------------------------

typedef struct Tally {
    int pairs, apart, deep;
    int wrongSign, wrongDepth, wrongBound, wrongAxis;
} Tally;

static void compare(Tally* tally, const sdShape* a, const sdShape* b, sdTransform xf,
                    const sdSatResult* s) {
    sdSeparation e = sdEpa_Penetration(a, b, xf, NULL);
    double size = ReachOf(a) + ReachOf(b) + (double)sdLength(xf.p);
    double error = (double)e.error + 3e-6 * size;
    double sat = (double)s->separation, epa = (double)e.separation;
    tally->pairs += 1;
    if (epa > error) {
        tally->apart += 1;
        tally->wrongSign += sat > 0.0 ? 0 : 1;
        tally->wrongBound += sat <= epa + error ? 0 : 1;
    } else if (epa < -error) {
        tally->deep += 1;
        tally->wrongSign += sat < 0.0 ? 0 : 1;
        tally->wrongDepth += fabs(sat - epa) <= error ? 0 : 1;
    }
    bool isUnit = sdAbsF(sdLength(s->axis) - 1.0f) < 1e-5f;
    tally->wrongAxis += isUnit && fabs(ExitDepth(a, b, xf, s->axis) + sat) <= error ? 0 : 1;
}

static void report(const Tally* tally) {
    sdTest_Print("%d pairs, %d apart, %d overlapping; wrong: sign %d, depth %d, bound %d, axis %d",
                 tally->pairs, tally->apart, tally->deep, tally->wrongSign, tally->wrongDepth,
                 tally->wrongBound, tally->wrongAxis);
    CHECK_INT(tally->wrongSign, 0);
    CHECK_INT(tally->wrongDepth, 0);
    CHECK_INT(tally->wrongBound, 0);
    CHECK_INT(tally->wrongAxis, 0);
}

SD_TEST(sat_agrees_with_gjk_and_epa) {
    Polyhedra polyhedra;
    Polyhedra_Init(&polyhedra);
    TestRandom random = TestRandom_Make(1);
    for (int c = 0; c < POSE_CLASS_COUNT; ++c) {
        Tally tally = {0};
        for (int i = 0; i < TestRounds(20000); ++i) {
            sdShape a = Polyhedra_Any(&polyhedra, &random), b = Polyhedra_Any(&polyhedra, &random);
            sdTransform xf = Polyhedra_Pose(&random, (PoseClass)c, &a, &b);
            sdSatResult s = sdSat_Test(&a, &b, xf, true, NULL);
            CHECK_INT(s.status, SD_STATUS_EXACT);
            compare(&tally, &a, &b, xf, &s);
        }
        report(&tally);
    }
    Polyhedra_Free(&polyhedra);
}

SD_TEST(sat_finds_what_all_axes_one_by_one_find) {
    Polyhedra polyhedra;
    Polyhedra_Init(&polyhedra);
    TestRandom random = TestRandom_Make(2);
    int wrong = 0, overlapping = 0, total = TestRounds(600);
    for (int i = 0; i < total; ++i) {
        sdShape a = Polyhedra_Any(&polyhedra, &random), b = Polyhedra_Any(&polyhedra, &random);
        sdTransform xf = Polyhedra_Pose(&random, (PoseClass)(i % POSE_CLASS_COUNT), &a, &b);
        sdSatPair pair;
        REQUIRE(sdSatPair_Init(&pair, &a, &b, xf));
        double best = bruteForce(&pair);
        sdFacet facet;
        sdSatPair_Search(&pair, true, &facet);
        double error = pair.tie + 1e-6 * pair.convex.scale;
        if (best <= 0.0) {
            overlapping += 1;
            wrong += fabs(facet.separation - best) <= error ? 0 : 1;
        } else {
            // pairs of edges that make no face of B - A can only show more of a gap
            wrong += facet.separation > -error ? 0 : 1;
        }
    }
    sdTest_Print("%d of %d overlapping, %d wrong", overlapping, total, wrong);
    CHECK_INT(wrong, 0);
    Polyhedra_Free(&polyhedra);
}

// ---- boxes ---------------------------------------------------------------------------------

static sdTransform boxPose(TestRandom* random, const sdShape* a, const sdShape* b) {
    return Polyhedra_Pose(random, (PoseClass)TestRandom_Int(random, POSE_CLASS_COUNT), a, b);
}

SD_TEST(sat_box_readable_and_expanded_agree) {
    TestRandom random = TestRandom_Make(3);
    int wrong = 0, features = 0, overlapping = 0, total = TestRounds(100000);
    for (int i = 0; i < total; ++i) {
        sdShape a = Polyhedra_Box(&random), b = Polyhedra_Box(&random);
        sdTransform xf = boxPose(&random, &a, &b);
        sdSatResult r = sdSatBox_Readable(a.box, b.box, xf);
        sdSatResult e = sdSatBox_Expanded(a.box, b.box, xf, NULL);
        sdSatResult f = sdSat_Test(&a, &b, xf, true, NULL);
        // an edge axis of edges that are parallel to a millionth has six digits less than double
        double error = 1e-9 * (ReachOf(&a) + ReachOf(&b)) + 1e-6 * (double)sdAbsF(r.separation);
        if ((double)r.separation > error) {
            // the spheres may show more of a gap than any of the axes
            bool isSphere = e.indexA == SD_NULL_INDEX && e.indexB == SD_NULL_INDEX;
            wrong += e.separation > 0.0f ? 0 : 1;
            wrong += isSphere || (double)e.separation <= (double)r.separation + error ? 0 : 1;
        } else {
            overlapping += 1;
            wrong += fabs((double)e.separation - (double)r.separation) <= error ? 0 : 1;
            features +=
                e.featureType != r.featureType || e.indexA != r.indexA || e.indexB != r.indexB ? 1
                                                                                               : 0;
        }
        wrong += fabs((double)f.separation - (double)r.separation) <= error ? 0 : 1;
    }
    sdTest_Print("%d of %d overlapping, %d wrong, %d by other features", overlapping, total, wrong,
                 features);
    CHECK_INT(wrong, 0);
    // only where rounding decides between equal axes
    CHECK(features < overlapping / 100);
}

static int halfEdgeFrom(const sdPolyhedron* body, int edge, sdVec3d ends[2]) {
    ends[0] = sdVec3d_From(body->vertices[body->edges[edge].origin]);
    ends[1] = sdVec3d_From(body->vertices[body->edges[body->edges[edge].twin].origin]);
    return edge;
}

/// The features of a result must lie where the bodies are furthest along the axis.
static bool areFeaturesRight(const sdShape* a, const sdShape* b, sdTransform xf,
                             const sdSatResult* s) {
    sdSatPair pair;
    if (!sdSatPair_Init(&pair, a, b, xf)) {
        return false;
    }
    sdVec3d n = sdVec3d_From(s->axis), ends[2];
    sdVec3 inB = sdInvRotate(xf.q, sdNeg(s->axis));
    double reachA = sdDotD(n, sdVec3d_From(sdShape_Support(a, s->axis)));
    double reachB = sdDotD(sdVec3d_From(inB), sdVec3d_From(sdShape_Support(b, inB)));
    const double tolerance = 1e-5;
    if (s->featureType == SD_FEATURE_FACE_A) {
        sdVec3 normal = pair.a.planes[s->indexA].normal;
        return s->indexB == SD_NULL_INDEX && sdLength(sdSub(normal, s->axis)) < 1e-5f;
    }
    if (s->featureType == SD_FEATURE_FACE_B) {
        sdVec3 normal = pair.b.planes[s->indexB].normal;
        return s->indexA == SD_NULL_INDEX && sdLength(sdSub(normal, inB)) < 1e-5f;
    }
    bool isRight = true;
    halfEdgeFrom(&pair.a, s->indexA, ends);
    for (int i = 0; i < 2; ++i) {
        isRight &= fabs(sdDotD(n, ends[i]) - reachA) < tolerance;
    }
    halfEdgeFrom(&pair.b, s->indexB, ends);
    for (int i = 0; i < 2; ++i) {
        isRight &= fabs(sdDotD(sdVec3d_From(inB), ends[i]) - reachB) < tolerance;
    }
    return isRight;
}

SD_TEST(sat_features_are_where_the_axis_touches) {
    TestRandom random = TestRandom_Make(4);
    int wrong = 0, kinds[3] = {0};
    for (int i = 0; i < 30000; ++i) {
        sdShape a = Polyhedra_Box(&random), b = Polyhedra_Box(&random);
        sdTransform xf = TestRandom_Pose(&random, 1.2f);
        sdSatResult s = sdSat_Test(&a, &b, xf, true, NULL);
        kinds[s.featureType] += 1;
        wrong += areFeaturesRight(&a, &b, xf, &s) ? 0 : 1;
        CHECK_INT(s.axisCount, 15);
    }
    sdTest_Print("%d by A, %d by B, %d by edges; %d wrong", kinds[0], kinds[1], kinds[2], wrong);
    CHECK_INT(wrong, 0);
    CHECK(kinds[0] > 1000 && kinds[1] > 1000 && kinds[2] > 1000);
}

SD_TEST(sat_box_tables_match_the_geometry_of_a_box) {
    sdShape box = sdShape_Box(1.0f, 2.0f, 3.0f);
    sdPolyhedron body;
    sdPolyhedronStorage storage;
    REQUIRE(sdPolyhedron_Init(&body, &storage, &box));
    for (int e = 0; e < body.halfEdgeCount; ++e) {
        const sdHalfEdge* edge = &body.edges[e];
        CHECK_INT(body.edges[edge->twin].twin, e);
        sdVec3d ends[2];
        halfEdgeFrom(&body, e, ends);
        sdVec3d d = sdSubD(ends[1], ends[0]), v = sdPolyhedron_EdgeVector(&body, e);
        CHECK_NEAR(sdLengthD(sdCrossD(d, v)), 0.0, 0.0);
        CHECK(sdDotD(d, v) > 0.0);
        // both faces contain it; the next half-edge turns left
        CHECK_NEAR(sdPlane_Distance(body.planes[edge->face], sdVec3d_Round(ends[0])), 0.0, 0.0);
        sdVec3d turn = sdCrossD(d, sdPolyhedron_EdgeVector(&body, edge->next));
        CHECK(sdDotD(turn, sdVec3d_From(body.planes[edge->face].normal)) > 0.0);
        // by an axis and a direction towards it
        int axis = d.x != 0.0 ? 0 : d.y != 0.0 ? 1 : 2;
        CHECK_INT(sdPolyhedron_BoxEdge(axis, sdAddD(ends[0], ends[1])), sdMinI(e, edge->twin));
    }
}

/// A box as a hull of its eight corners takes the other way through the code.
SD_TEST(sat_of_boxes_as_hulls_gives_the_same) {
    TestContext test;
    TestContext_Init(&test);
    TestRandom random = TestRandom_Make(5);
    int wrong = 0;
    for (int i = 0; i < 1000; ++i) {
        sdShape boxes[2], hulls[2];
        for (int k = 0; k < 2; ++k) {
            float x = TestRandom_Float(&random, 0.1f, 1.0f),
                  y = TestRandom_Float(&random, 0.1f, 1.0f);
            boxes[k] = sdShape_Box(x, y, TestRandom_Float(&random, 0.1f, 1.0f));
            sdPolyhedron body;
            sdPolyhedronStorage storage;
            REQUIRE(sdPolyhedron_Init(&body, &storage, &boxes[k]));
            sdHullDef def = sdHullDef_Default();
            def.points = body.vertices;
            def.pointCount = 8;
            sdHull* hull = NULL;
            REQUIRE(sdHull_Create(&test.context, &def, &hull) == SD_OK);
            hulls[k] = sdShape_Hull(hull);
        }
        for (int k = 0; k < 20; ++k) {
            sdTransform xf =
                Polyhedra_Pose(&random, (PoseClass)(k % POSE_CLASS_COUNT), &boxes[0], &boxes[1]);
            sdSatResult s = sdSat_Test(&boxes[0], &boxes[1], xf, true, NULL);
            sdSatResult t = sdSat_Test(&hulls[0], &hulls[1], xf, true, NULL);
            sdSatResult u = sdSat_Test(&boxes[0], &hulls[1], xf, true, NULL);
            // separated boxes: not all of the 15 axes are faces of the difference both ways
            bool isApart = s.separation > 1e-5f;
            wrong += isApart ? t.separation <= 0.0f : sdAbsF(s.separation - t.separation) > 5e-6f;
            wrong += isApart ? u.separation <= 0.0f : sdAbsF(s.separation - u.separation) > 5e-6f;
        }
        sdHull_Release(hulls[0].hull);
        sdHull_Release(hulls[1].hull);
    }
    sdTest_Print("%d of 20000 differ", wrong);
    CHECK_INT(wrong, 0);
    TestContext_Finish(&test);
}

// ---- invariance ----------------------------------------------------------------------------

static bool isClear(double separation, double size) {
    return fabs(separation) > 5e-6 * size;
}

SD_TEST(sat_swapped_arguments_mirror) {
    Polyhedra polyhedra;
    Polyhedra_Init(&polyhedra);
    TestRandom random = TestRandom_Make(6);
    int wrong = 0, total = TestRounds(20000);
    for (int i = 0; i < total; ++i) {
        sdShape a = Polyhedra_Any(&polyhedra, &random), b = Polyhedra_Any(&polyhedra, &random);
        sdTransform xf = Polyhedra_Pose(&random, (PoseClass)(i % POSE_CLASS_COUNT), &a, &b);
        sdSatResult s = sdSat_Test(&a, &b, xf, true, NULL);
        sdSatResult t = sdSat_Test(&b, &a, sdInvertXf(xf), true, NULL);
        double size = ReachOf(&a) + ReachOf(&b) + (double)sdLength(xf.p);
        double difference = fabs((double)s.separation - (double)t.separation);
        wrong += difference <= 5e-6 * size ? 0 : 1;
    }
    sdTest_Print("%d of %d differ", wrong, total);
    CHECK_INT(wrong, 0);
    Polyhedra_Free(&polyhedra);
}

static sdShape movedTriangle(const sdShape* shape, sdTransform xf, float scale) {
    sdShape moved = *shape;
    for (int i = 0; i < 3; ++i) {
        moved.triangle.vertices[i] =
            sdScale(scale, sdTransformPoint(xf, shape->triangle.vertices[i]));
    }
    return moved;
}

SD_TEST(sat_does_not_care_where_the_frames_are_nor_about_units) {
    TestRandom random = TestRandom_Make(7);
    int wrong = 0, clear = 0;
    static const float scales[5] = {1.0f, 1e-3f, 1e3f, 1e-6f, 1e6f};
    for (int i = 0; i < 20000; ++i) {
        sdShape a = Polyhedra_Triangle(&random), b = Polyhedra_Triangle(&random);
        sdTransform xf = Polyhedra_Pose(&random, (PoseClass)(i % POSE_CLASS_COUNT), &a, &b);
        sdTransform ta = TestRandom_Pose(&random, 1.0f), tb = TestRandom_Pose(&random, 1.0f);
        float scale = scales[i / 5 % 5];
        sdShape c = movedTriangle(&a, ta, scale), d = movedTriangle(&b, tb, scale);
        sdTransform moved = sdMulXf(ta, sdMulXf(xf, sdInvertXf(tb)));
        moved.p = sdScale(scale, moved.p);
        moved.q = sdNormalizeQ(moved.q);
        double s = (double)sdSat_Test(&a, &b, xf, true, NULL).separation;
        double t = (double)sdSat_Test(&c, &d, moved, true, NULL).separation / (double)scale;
        // moving rounds the corners, which turns thin triangles: the sign is what must stay
        double size = 4.0 + (double)sdLength(xf.p);
        clear += isClear(s, size) && s < 0.0 ? 1 : 0;
        wrong += isClear(s, size) && ((s > 0.0) != (t > 0.0)) ? 1 : 0;
    }
    sdTest_Print("%d clear overlaps, %d change", clear, wrong);
    CHECK_INT(wrong, 0);
    CHECK(clear > 100);
}

// ---- cache ---------------------------------------------------------------------------------

SD_TEST(sat_cache_changes_nothing_but_the_work) {
    Polyhedra polyhedra;
    Polyhedra_Init(&polyhedra);
    TestRandom random = TestRandom_Make(8);
    int wrong = 0;
    long cold = 0, warm = 0;
    for (int i = 0; i < TestRounds(1000); ++i) {
        sdShape a = Polyhedra_Any(&polyhedra, &random), b = Polyhedra_Any(&polyhedra, &random);
        sdTransform xf = Polyhedra_Pose(&random, (PoseClass)(i % POSE_CLASS_COUNT), &a, &b);
        sdVec3 step = TestRandom_InBox(&random, 0.05f);
        sdQuat turn = sdQuat_FromRotationVector(TestRandom_InBox(&random, 0.05f));
        sdPairCache cache = {0};
        for (int k = 0; k < 20; ++k) {
            sdSatResult s = sdSat_Test(&a, &b, xf, false, NULL);
            sdSatResult t = sdSat_Test(&a, &b, xf, false, &cache);
            double size = ReachOf(&a) + ReachOf(&b) + (double)sdLength(xf.p);
            // one axis may show a gap of rounding where another does not
            bool isTouching =
                !isClear((double)s.separation, size) || !isClear((double)t.separation, size);
            wrong += !isTouching && (s.separation > 0.0f) != (t.separation > 0.0f) ? 1 : 0;
            if (s.separation <= 0.0f) {
                wrong += sdAbsF(s.separation - t.separation) > 5e-6f * (float)size ? 1 : 0;
            } else {
                double error = (double)ExitDepth(&a, &b, xf, t.axis) + (double)t.separation;
                wrong += fabs(error) > 5e-6 * size ? 1 : 0;
                cold += s.axisCount;
                warm += t.axisCount;
            }
            xf.p = sdAdd(xf.p, step);
            xf.q = sdNormalizeQ(sdMulQ(turn, xf.q));
        }
    }
    sdTest_Print("%d differ; axes of separated pairs %ld cold, %ld warm", wrong, cold, warm);
    CHECK_INT(wrong, 0);
    CHECK(warm < cold);
    Polyhedra_Free(&polyhedra);
}

SD_TEST(sat_cache_of_another_pair_does_no_harm) {
    Polyhedra polyhedra;
    Polyhedra_Init(&polyhedra);
    TestRandom random = TestRandom_Make(9);
    int wrong = 0;
    sdPairCache cache = {0};
    for (int i = 0; i < 20000; ++i) {
        sdShape a = Polyhedra_Any(&polyhedra, &random), b = Polyhedra_Any(&polyhedra, &random);
        sdTransform xf = Polyhedra_Pose(&random, POSE_MIXED, &a, &b);
        if (i % 3 == 0) {
            sdGjk_Distance(&a, &b, xf, &cache);
        } else if (i % 7 == 0) {
            uint32_t noise[sizeof cache / 4];
            for (size_t k = 0; k < sizeof cache / 4; ++k) {
                noise[k] = TestRandom_Next(&random);
            }
            memcpy(&cache, noise, sizeof cache);
            cache.kind = (uint8_t)(i % 5);
            cache.count = 1;
        }
        bool s = sdSat_Test(&a, &b, xf, false, NULL).separation > 1e-5f;
        sdSatResult t = sdSat_Test(&a, &b, xf, false, &cache);
        wrong += s && t.separation <= 0.0f ? 1 : 0;
        wrong += t.status == SD_STATUS_EXACT ? 0 : 1;
    }
    CHECK_INT(wrong, 0);
    Polyhedra_Free(&polyhedra);
}

// ---- the axis on which overlap appeared last -----------------------------------------------

SD_TEST(sat_last_axis_is_the_one_of_approach) {
    sdShape box = sdShape_Box(1.0f, 1.0f, 1.0f);
    // fell 0.3 deep onto the rim: 0.1 sideways would part them
    sdTransform before = sdTransform_Make(sdV3(1.9f, 2.2f, 0.3f), sdQuat_Identity());
    sdTransform after = sdTransform_Make(sdV3(1.9f, 1.7f, 0.3f), sdQuat_Identity());
    sdSatResult least = sdSat_Test(&box, &box, after, true, NULL);
    CHECK_NEAR(least.separation, -0.1, 1e-6);
    CHECK_NEAR(least.axis.x, 1.0, 1e-6);
    sdSatResult last = sdSat_LastAxis(&box, &box, before, after);
    CHECK_NEAR(last.separation, -0.3, 1e-6);
    CHECK_NEAR(last.axis.y, 1.0, 1e-6);
    CHECK_INT(last.featureType, SD_FEATURE_FACE_A);
    CHECK_INT(last.indexA, 2);
    // overlapped before: the least overlap
    last = sdSat_LastAxis(&box, &box, after, after);
    CHECK_NEAR(last.separation, least.separation, 1e-6);
    // still apart
    last = sdSat_LastAxis(&box, &box, before, before);
    CHECK_NEAR(last.separation, 0.2, 1e-6);
    // two axes separated: the one that closed later
    before.p = sdV3(2.1f, 2.4f, 0.0f);
    after.p = sdV3(1.9f, 1.9f, 0.0f);
    last = sdSat_LastAxis(&box, &box, before, after);
    CHECK_NEAR(last.axis.y, 1.0, 1e-6);
    before.p.y = 2.05f;
    last = sdSat_LastAxis(&box, &box, before, after);
    CHECK_NEAR(last.axis.x, 1.0, 1e-6);
}

SD_TEST(sat_last_axis_agrees_with_moving_bodies) {
    Polyhedra polyhedra;
    Polyhedra_Init(&polyhedra);
    TestRandom random = TestRandom_Make(10);
    int wrong = 0, hits = 0;
    for (int i = 0; i < TestRounds(5000); ++i) {
        sdShape a = Polyhedra_Any(&polyhedra, &random), b = Polyhedra_Any(&polyhedra, &random);
        sdTransform after = Polyhedra_Pose(&random, POSE_MIXED, &a, &b), before = after;
        sdVec3 v = TestRandom_InBox(&random, 1.5f);
        before.p = sdSub(after.p, v);
        sdMovingResult m = sdMoving_Test(&a, &b, before, v, 1.0f);
        sdSatResult s = sdSat_LastAxis(&a, &b, before, after);
        double depth = ExitDepth(&a, &b, after, s.axis);
        wrong += fabs(depth + (double)s.separation) > 2e-5 ? 1 : 0;
        if (s.separation > -1e-4f || !m.isHit || m.first < 1e-3f) {
            continue;
        }
        hits += 1;
        // without rotation the gap closes at a constant rate, so this is the axis of first contact
        double rate = (double)sdDot(v, s.axis), gap = (double)s.separation - rate;
        wrong += fabs(-gap / rate - (double)m.first) > 1e-3 ? 1 : 0;
    }
    sdTest_Print("%d hits, %d wrong", hits, wrong);
    CHECK_INT(wrong, 0);
    CHECK(hits > TestRounds(500));
    Polyhedra_Free(&polyhedra);
}

// ---- projections ---------------------------------------------------------------------------

SD_TEST(sat_projections_by_scan_and_by_climbing_agree) {
    Polyhedra polyhedra;
    Polyhedra_Init(&polyhedra);
    TestRandom random = TestRandom_Make(11);
    int wrong = 0;
    for (int i = 0; i < 20000; ++i) {
        sdShape shape = Polyhedra_Any(&polyhedra, &random);
        sdVec3 d = sdScale(TestRandom_Float(&random, 0.1f, 10.0f), TestRandom_OnSphere(&random));
        float lower, upper, low, up;
        sdProject(&shape, d, SD_PROJECT_SCAN, &lower, &upper);
        sdProject(&shape, d, SD_PROJECT_CLIMB, &low, &up);
        sdPolyhedron body;
        sdPolyhedronStorage storage;
        REQUIRE(sdPolyhedron_Init(&body, &storage, &shape));
        double least = DBL_MAX, most = -DBL_MAX;
        for (int k = 0; k < body.vertexCount; ++k) {
            double x = sdDotD(sdVec3d_From(d), sdVec3d_From(body.vertices[k]));
            least = fmin(least, x);
            most = fmax(most, x);
        }
        double tolerance = 1e-6 * (double)sdLength(d);
        wrong += fabs((double)lower - least) > tolerance || fabs((double)upper - most) > tolerance;
        wrong += fabs((double)low - least) > tolerance || fabs((double)up - most) > tolerance;
    }
    CHECK_INT(wrong, 0);
    sdShape ball = sdShape_Sphere(2.0f);
    float lower, upper;
    sdProject(&ball, sdV3(0.0f, 3.0f, 0.0f), SD_PROJECT_SCAN, &lower, &upper);
    CHECK_NEAR(lower, -6.0, 1e-5);
    CHECK_NEAR(upper, 6.0, 1e-5);
    sdProject(&ball, sdV3(0.0f, TestNaN(), 0.0f), SD_PROJECT_SCAN, &lower, &upper);
    CHECK(lower == 0.0f && upper == 0.0f);
    sdProject(NULL, sdV3(0.0f, 1.0f, 0.0f), SD_PROJECT_SCAN, NULL, &upper);
    CHECK(upper == 0.0f);
    Polyhedra_Free(&polyhedra);
}

// ---- hard cases ----------------------------------------------------------------------------

static float satOf(const sdShape* a, const sdShape* b, sdVec3 p, sdQuat q) {
    return sdSat_Test(a, b, sdTransform_Make(p, q), true, NULL).separation;
}

SD_TEST(sat_touching_parallel_and_equal_bodies) {
    sdQuat same = sdQuat_Identity();
    sdShape box = sdShape_Box(0.5f, 0.25f, 1.0f);
    sdVec3 o = sdV3(0.0f, 0.0f, 0.0f);
    CHECK_NEAR(satOf(&box, &box, o, same), -0.5, 1e-6);
    CHECK(satOf(&box, &box, sdV3(0.0f, 0.5f, 0.0f), same) == 0.0f);
    CHECK(satOf(&box, &box, sdV3(1.0f, 0.5f, 0.0f), same) == 0.0f);
    CHECK(satOf(&box, &box, sdV3(1.0f, 0.5f, 2.0f), same) == 0.0f);
    CHECK(satOf(&box, &box, sdV3(1.0f, 0.5f, 2.001f), same) > 0.0f);
    // all edges parallel: nine axes are skipped, and neither part nor join the bodies
    sdSatResult s =
        sdSatBox_Expanded(box.box, box.box, sdTransform_Make(sdV3(0.1f, 0.4f, 0.2f), same), NULL);
    CHECK_NEAR(s.separation, -0.1, 1e-6);
    CHECK_INT(s.featureType, SD_FEATURE_FACE_A);
}

SD_TEST(sat_plates_needles_segments_and_points) {
    sdQuat same = sdQuat_Identity(), turned = sdQuat_FromAxisAngle(sdV3(0.0f, 1.0f, 0.0f), 0.7f);
    sdVec3 o = sdV3(0.0f, 0.0f, 0.0f);
    sdShape plate = sdShape_Box(1.0f, 0.0f, 1.0f), point = sdShape_Box(0.0f, 0.0f, 0.0f);
    CHECK(satOf(&plate, &plate, o, turned) == 0.0f);
    CHECK(satOf(&plate, &point, sdV3(0.5f, 0.0f, 0.5f), same) == 0.0f);
    CHECK_NEAR(satOf(&plate, &point, sdV3(3.0f, 0.0f, 0.5f), turned), 2.0, 1e-5);
    CHECK_NEAR(satOf(&point, &point, sdV3(0.0f, 0.0f, 2.0f), turned), 2.0, 1e-5);
    CHECK(satOf(&point, &point, o, turned) == 0.0f);
    // triangles in one plane, in parallel planes, and reduced to segments and points
    sdShape tri = sdShape_Triangle(o, sdV3(1.0f, 0.0f, 0.0f), sdV3(0.0f, 0.0f, 1.0f));
    CHECK_NEAR(satOf(&tri, &tri, o, same), 0.0, 1e-7);
    CHECK_NEAR(satOf(&tri, &tri, sdV3(0.6f, 0.0f, 0.6f), same), 0.2 / sqrt(2.0), 1e-6);
    CHECK_NEAR(satOf(&tri, &tri, sdV3(0.1f, 0.5f, 0.1f), same), 0.5, 1e-6);
    sdShape rod = sdShape_Triangle(o, sdV3(1.0f, 0.0f, 0.0f), sdV3(0.5f, 0.0f, 0.0f));
    CHECK_NEAR(satOf(&rod, &rod, sdV3(1.5f, 0.0f, 0.0f), same), 0.5, 1e-6);
    CHECK_NEAR(satOf(&rod, &rod, sdV3(0.5f, 0.0f, 0.0f), same), 0.0, 1e-6);
    CHECK_NEAR(satOf(&rod, &rod, sdV3(0.5f, 0.0f, 0.25f),
                     sdQuat_FromAxisAngle(sdV3(0.0f, 1.0f, 0.0f), -0.5f * SD_PI)),
               0.25, 1e-6);
    sdShape dot = sdShape_Triangle(o, o, o);
    CHECK_NEAR(satOf(&tri, &dot, sdV3(0.3f, 0.0f, 0.3f), same), 0.0, 1e-6);
    CHECK(satOf(&tri, &dot, sdV3(0.6f, 0.0f, 0.6f), same) > 0.1f);
    CHECK(satOf(&dot, &dot, sdV3(0.1f, -0.2f, 0.3f), turned) > 0.1f);
}

SD_TEST(sat_sizes_from_millimetres_to_kilometres_and_far_away) {
    sdShape ground = sdShape_Box(1000.0f, 1.0f, 1000.0f), grain = sdShape_Box(1e-3f, 1e-3f, 1e-3f);
    sdQuat same = sdQuat_Identity();
    CHECK_NEAR(satOf(&ground, &grain, sdV3(700.0f, 1.0005f, -300.0f), same), -5e-4, 1e-7);
    CHECK_NEAR(satOf(&ground, &grain, sdV3(700.0f, 1.0015f, -300.0f), same), 5e-4, 1e-7);
    sdShape needle = sdShape_Box(1000.0f, 0.01f, 0.01f);
    sdQuat across = sdQuat_FromAxisAngle(sdV3(0.0f, 1.0f, 0.0f), 0.5f);
    CHECK_NEAR(satOf(&needle, &needle, sdV3(0.0f, 0.015f, 0.0f), across), -0.005, 1e-7);
    CHECK_NEAR(satOf(&needle, &needle, sdV3(0.0f, 0.025f, 0.0f), across), 0.005, 1e-7);
    sdShape tri =
        sdShape_Triangle(sdV3(0.0f, 0.0f, 0.0f), sdV3(1.0f, 0.0f, 0.0f), sdV3(0.0f, 0.0f, 1.0f));
    CHECK_NEAR(satOf(&tri, &grain, sdV3(0.0f, 1e6f, 0.0f), same), 1e6, 0.1);
    CHECK(satOf(&ground, &ground, sdV3(1e6f, 0.0f, 1e6f), across) > 9e5f);
}

SD_TEST(sat_refuses_what_it_cannot_compute) {
    sdShape box = sdShape_Box(1.0f, 1.0f, 1.0f), ball = sdShape_Sphere(1.0f);
    sdShape tri =
        sdShape_Triangle(sdV3(0.0f, 0.0f, 0.0f), sdV3(1.0f, 0.0f, 0.0f), sdV3(0.0f, 0.0f, 1.0f));
    sdTransform xf = sdTransform_Identity();
    CHECK_INT(sdSat_Test(&box, &ball, xf, true, NULL).status, SD_STATUS_INVALID);
    CHECK_INT(sdSat_Test(NULL, &box, xf, true, NULL).status, SD_STATUS_INVALID);
    CHECK_INT(sdSat_LastAxis(&box, NULL, xf, xf).status, SD_STATUS_INVALID);
    for (int i = 0; i < 3; ++i) {
        sdTransform bad = xf;
        bad.p.z = i == 0 ? TestNaN() : i == 1 ? TestInfinity() : 0.0f;
        bad.q.s = i == 2 ? 0.5f : 1.0f;
        sdSatResult s = sdSat_Test(&box, &box, bad, true, NULL);
        CHECK_INT(s.status, SD_STATUS_INVALID);
        CHECK(s.separation == 0.0f && s.indexA == SD_NULL_INDEX && s.indexB == SD_NULL_INDEX);
        CHECK_INT(sdSat_Test(&tri, &box, bad, true, NULL).status, SD_STATUS_INVALID);
        CHECK_INT(sdSat_LastAxis(&tri, &box, xf, bad).status, SD_STATUS_INVALID);
        CHECK_INT(sdSatBox_Readable(box.box, box.box, bad).status, SD_STATUS_INVALID);
    }
    box.box.halfExtents.y = -1.0f;
    CHECK_INT(sdSatBox_Expanded(box.box, box.box, xf, NULL).status, SD_STATUS_INVALID);
    box.box.halfExtents.y = TestNaN();
    CHECK_INT(sdSatBox_Expanded(box.box, box.box, xf, NULL).status, SD_STATUS_INVALID);
    CHECK_INT(sdSat_Test(&box, &tri, xf, false, NULL).status, SD_STATUS_INVALID);
}
