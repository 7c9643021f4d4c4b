// SPDX-License-Identifier: MIT
// test_sat.c - separating axes against GJK and EPA, against all axes one by one, and by hand.

#include "narrow/sat.h"
#include "polyhedra.h"

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
        for (int i = 0; i < 20000 * TestScale(); ++i) {
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
    int wrong = 0, overlapping = 0, total = 600 * TestScale();
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
    int wrong = 0, features = 0, overlapping = 0, total = 100000 * TestScale();
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
