// SPDX-License-Identifier: MIT
// test_tritri.c - triangles against triangles by exact arithmetic; contacts; nearest points of
// segments.

#include "narrow/orient.h"
#include "support.h"

// ---- an oracle in whole numbers ------------------------------------------------------------
// Two convex bodies meet when the origin is in the convex hull of the differences of their corners,
// and then, by Carathéodory's theorem, in a point, segment, triangle or tetrahedron of these. All
// 255 of them are tried, in whole numbers.

typedef struct Whole {
    int64_t x, y, z;
} Whole;

static Whole subW(Whole a, Whole b) {
    return (Whole){a.x - b.x, a.y - b.y, a.z - b.z};
}

static Whole crossW(Whole a, Whole b) {
    return (Whole){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static int64_t dotW(Whole a, Whole b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static bool isZeroW(Whole a) {
    return a.x == 0 && a.y == 0 && a.z == 0;
}

static int64_t detW(Whole a, Whole b, Whole c) {
    return dotW(a, crossW(b, c));
}

static bool isOnSegmentW(Whole p, Whole q) {
    return isZeroW(crossW(p, q)) && dotW(p, q) <= 0;
}

static bool isInTriangleW(Whole p, Whole q, Whole r) {
    Whole n = crossW(subW(q, p), subW(r, p));
    return !isZeroW(n) && dotW(n, p) == 0 && dotW(n, crossW(p, q)) >= 0 &&
           dotW(n, crossW(q, r)) >= 0 && dotW(n, crossW(r, p)) >= 0;
}

static bool isInTetrahedronW(Whole p, Whole q, Whole r, Whole s) {
    int64_t volume = detW(subW(q, p), subW(r, p), subW(s, p));
    if (volume == 0) {
        return false;
    }
    int64_t sign = volume > 0 ? 1 : -1;
    // each corner in turn replaced by the origin
    return sign * detW(q, r, s) >= 0 && sign * detW(p, s, r) >= 0 && sign * detW(p, q, s) >= 0 &&
           sign * detW(p, r, q) >= 0;
}

static bool meetW(const Whole a[3], const Whole b[3]) {
    Whole d[9];
    for (int i = 0; i < 9; ++i) {
        d[i] = subW(a[i / 3], b[i % 3]);
    }
    for (int i = 0; i < 9; ++i) {
        if (isZeroW(d[i])) {
            return true;
        }
        for (int j = i + 1; j < 9; ++j) {
            if (isOnSegmentW(d[i], d[j])) {
                return true;
            }
            for (int k = j + 1; k < 9; ++k) {
                if (isInTriangleW(d[i], d[j], d[k])) {
                    return true;
                }
                for (int l = k + 1; l < 9; ++l) {
                    if (isInTetrahedronW(d[i], d[j], d[k], d[l])) {
                        return true;
                    }
                }
            }
        }
    }
    return false;
}

static bool areCoplanarW(const Whole a[3], const Whole b[3]) {
    const Whole p[6] = {a[0], a[1], a[2], b[0], b[1], b[2]};
    for (int i = 1; i < 6; ++i) {
        for (int j = i + 1; j < 6; ++j) {
            for (int k = j + 1; k < 6; ++k) {
                if (detW(subW(p[i], p[0]), subW(p[j], p[0]), subW(p[k], p[0])) != 0) {
                    return false;
                }
            }
        }
    }
    return true;
}

// ---- random triangles ----------------------------------------------------------------------

typedef struct Pair {
    Whole wholeA[3], wholeB[3];
    sdVec3 a[3], b[3];
} Pair;

static Whole randomWhole(TestRandom* random, int range) {
    int64_t x = TestRandom_Int(random, 2 * range + 1) - range;
    int64_t y = TestRandom_Int(random, 2 * range + 1) - range;
    int64_t z = TestRandom_Int(random, 2 * range + 1) - range;
    return (Whole){x, y, z};
}

static sdVec3 toFloat(Whole a) {
    return sdV3((float)a.x, (float)a.y, (float)a.z);
}

/// Small numbers, so that touching, flat and degenerate pairs are frequent; a seventh of them with
/// all corners in one plane, a seventh with common corners.
static Pair randomPair(TestRandom* random) {
    static const int ranges[7] = {4, 4, 3, 2, 1, 4, 4};
    int kind = TestRandom_Int(random, 7);
    Pair pair;
    for (int i = 0; i < 3; ++i) {
        pair.wholeA[i] = randomWhole(random, ranges[kind]);
        pair.wholeB[i] = randomWhole(random, ranges[kind]);
    }
    if (kind == 5) {
        int64_t u = TestRandom_Int(random, 3) - 1, v = TestRandom_Int(random, 3) - 1;
        for (int i = 0; i < 3; ++i) {
            pair.wholeA[i].z = u * pair.wholeA[i].x + v * pair.wholeA[i].y;
            pair.wholeB[i].z = u * pair.wholeB[i].x + v * pair.wholeB[i].y;
        }
    } else if (kind == 6) {
        for (int i = TestRandom_Int(random, 3); i < 3; ++i) {
            pair.wholeB[i] = pair.wholeA[TestRandom_Int(random, 3)];
        }
    }
    for (int i = 0; i < 3; ++i) {
        pair.a[i] = toFloat(pair.wholeA[i]);
        pair.b[i] = toFloat(pair.wholeB[i]);
    }
    return pair;
}

static float distanceTo(const sdVec3 t[3], sdVec3 p) {
    return sqrtf(sdClosestPointOnTriangle(p, t[0], t[1], t[2]).distanceSquared);
}

/// The segment's ends are on both triangles, and nothing beyond its ends is.
static bool isSegmentRight(const Pair* pair, const sdTriTriResult* result) {
    const sdVec3* s = result->segment;
    for (int i = 0; i < 2; ++i) {
        if (distanceTo(pair->a, s[i]) > 1e-5f || distanceTo(pair->b, s[i]) > 1e-5f) {
            return false;
        }
    }
    if (result->isCoplanar || sdLength(sdSub(s[1], s[0])) < 1e-3f) {
        return true;
    }
    sdVec3 step = sdScale(0.02f, sdNormalize(sdSub(s[1], s[0])));
    sdVec3 before = sdSub(s[0], step), after = sdAdd(s[1], step);
    return sdMaxF(distanceTo(pair->a, before), distanceTo(pair->b, before)) > 1e-4f &&
           sdMaxF(distanceTo(pair->a, after), distanceTo(pair->b, after)) > 1e-4f;
}

/// Both intervals cover the segment and their common part is not longer.
static bool areIntervalsRight(const sdTriTriResult* result) {
    const float* a = result->intervalA;
    const float* b = result->intervalB;
    float common = sdMinF(a[1], b[1]) - sdMaxF(a[0], b[0]);
    float length = sdLength(sdSub(result->segment[1], result->segment[0]));
    return a[0] <= a[1] && b[0] <= b[1] && sdAbsF(common - length) < 1e-5f;
}

SD_TEST(tritri_agrees_with_whole_numbers) {
    TestRandom random = TestRandom_Make(11);
    int count = TestCount(1000000);
    int meeting = 0, coplanar = 0, wrong = 0, wrongPlanes = 0, wrongSegments = 0;
    for (int i = 0; i < count; ++i) {
        Pair pair = randomPair(&random);
        sdTriTriResult result = sdTriTri_Test(pair.a, pair.b);
        bool isMeeting = meetW(pair.wholeA, pair.wholeB);
        wrong += result.isIntersecting != isMeeting ? 1 : 0;
        if (!isMeeting || !result.isIntersecting) {
            continue;
        }
        meeting += 1;
        coplanar += result.isCoplanar ? 1 : 0;
        wrongPlanes += result.isCoplanar != areCoplanarW(pair.wholeA, pair.wholeB) ? 1 : 0;
        wrongSegments += isSegmentRight(&pair, &result) ? 0 : 1;
        bool hasIntervals = result.intervalA[0] != 0.0f || result.intervalB[1] != 0.0f;
        wrongSegments += hasIntervals && !areIntervalsRight(&result) ? 1 : 0;
    }
    sdTest_Print(
        "whole numbers: %d pairs, %d disagreements (%d meet, %d of them in a plane; planes %d, "
        "segments %d)",
        count, wrong + wrongPlanes + wrongSegments, meeting, coplanar, wrongPlanes, wrongSegments);
    CHECK_INT(wrong, 0);
    CHECK_INT(wrongPlanes, 0);
    CHECK_INT(wrongSegments, 0);
    CHECK(meeting > count / 5 && coplanar > count / 20);
}

/// A regular affine map in whole numbers changes nothing about who meets whom, and its results are
/// exact floats with all of their 24 digits: rounding alone would get most touching pairs wrong.
SD_TEST(tritri_is_exact_for_long_numbers) {
    TestRandom random = TestRandom_Make(12);
    int count = TestCount(1000000), meeting = 0, wrong = 0;
    for (int i = 0; i < count; ++i) {
        Pair pair = randomPair(&random);
        int range = 1 << (4 + TestRandom_Int(&random, 15));
        Whole rows[3], offset = randomWhole(&random, 1 << 20);
        do {
            for (int k = 0; k < 3; ++k) {
                rows[k] = randomWhole(&random, range);
            }
        } while (detW(rows[0], rows[1], rows[2]) == 0);
        float scale = ldexpf(1.0f, TestRandom_Int(&random, 60) - 30);
        sdVec3 a[3], b[3];
        for (int k = 0; k < 3; ++k) {
            Whole p = pair.wholeA[k], q = pair.wholeB[k];
            a[k] = toFloat((Whole){dotW(rows[0], p) + offset.x, dotW(rows[1], p) + offset.y,
                                   dotW(rows[2], p) + offset.z});
            b[k] = toFloat((Whole){dotW(rows[0], q) + offset.x, dotW(rows[1], q) + offset.y,
                                   dotW(rows[2], q) + offset.z});
            a[k] = sdScale(scale, a[k]);
            b[k] = sdScale(scale, b[k]);
        }
        bool isMeeting = meetW(pair.wholeA, pair.wholeB);
        meeting += isMeeting ? 1 : 0;
        wrong += sdTriTri_Test(a, b).isIntersecting != isMeeting ? 1 : 0;
    }
    sdTest_Print("long numbers: %d pairs, %d disagreements (%d meet)", count, wrong, meeting);
    CHECK_INT(wrong, 0);
}

SD_TEST(tritri_order_of_triangles_and_corners_does_not_matter) {
    TestRandom random = TestRandom_Make(13);
    int wrong = 0;
    for (int i = 0; i < 20000; ++i) {
        Pair pair = randomPair(&random);
        for (int k = 0; k < 3; ++k) {
            pair.a[k] = sdAdd(pair.a[k], sdScale(0.3f, TestRandom_InBall(&random)));
        }
        sdTriTriResult r = sdTriTri_Test(pair.a, pair.b);
        sdTriTriResult swapped = sdTriTri_Test(pair.b, pair.a);
        sdVec3 turned[3] = {pair.a[2], pair.a[0], pair.a[1]};
        sdVec3 reversed[3] = {pair.b[1], pair.b[0], pair.b[2]};
        sdTriTriResult other = sdTriTri_Test(turned, reversed);
        wrong += r.isIntersecting != swapped.isIntersecting ? 1 : 0;
        wrong += r.isIntersecting != other.isIntersecting ? 1 : 0;
        if (r.isIntersecting && !r.isCoplanar) {
            // the line runs the other way
            wrong += sdLength(sdSub(r.segment[0], swapped.segment[1])) > 1e-5f ? 1 : 0;
            wrong += sdLength(sdSub(r.segment[0], other.segment[1])) > 1e-5f ? 1 : 0;
            wrong += sdAbsF((r.intervalA[1] - r.intervalA[0]) -
                            (swapped.intervalB[1] - swapped.intervalB[0])) > 1e-5f
                         ? 1
                         : 0;
        }
    }
    sdTest_Print("%d wrong", wrong);
    CHECK_INT(wrong, 0);
}

SD_TEST(tritri_gives_known_segments) {
    sdVec3 a[3] = {{0.0f, 0.0f, 0.0f}, {4.0f, 0.0f, 0.0f}, {0.0f, 4.0f, 0.0f}};
    sdVec3 b[3] = {{1.0f, 1.0f, -1.0f}, {1.0f, 1.0f, 1.0f}, {1.0f, -3.0f, 1.0f}};
    sdTriTriResult r = sdTriTri_Test(a, b);
    CHECK(r.isIntersecting && !r.isCoplanar);
    // x = 1, z = 0: A has y from 0 to 3, B from -1 to 1
    CHECK_NEAR(sdAbsF(r.segment[0].y - r.segment[1].y), 1.0, 1e-6);
    CHECK_NEAR(r.segment[0].x, 1.0, 1e-6);
    CHECK_NEAR(r.intervalA[1] - r.intervalA[0], 3.0, 1e-6);
    CHECK_NEAR(r.intervalB[1] - r.intervalB[0], 2.0, 1e-6);

    // in the plane of A: two of the points that they share
    sdVec3 c[3] = {{1.0f, 1.0f, 0.0f}, {9.0f, 1.0f, 0.0f}, {1.0f, 9.0f, 0.0f}};
    r = sdTriTri_Test(a, c);
    CHECK(r.isIntersecting && r.isCoplanar);
    CHECK_NEAR(sdLength(sdSub(r.segment[0], r.segment[1])), sqrt(8.0), 1e-6);

    // a corner on a face, a needle through it, and numbers that are none
    sdVec3 d[3] = {{1.0f, 1.0f, 0.0f}, {1.0f, 1.0f, 2.0f}, {2.0f, 1.0f, 2.0f}};
    r = sdTriTri_Test(a, d);
    CHECK(r.isIntersecting && r.segment[0].x == r.segment[1].x && r.segment[0].x == 1.0f);
    sdVec3 e[3] = {{1.0f, 1.0f, -1.0f}, {1.0f, 1.0f, 1.0f}, {1.0f, 1.0f, 1.0f}};
    r = sdTriTri_Test(a, e);
    CHECK(r.isIntersecting && !r.isCoplanar && r.segment[1].z == 0.0f);
    e[1].y = TestNaN();
    CHECK(!sdTriTri_Test(a, e).isIntersecting);
    CHECK(!sdTriTri_Test(NULL, e).isIntersecting);
}

SD_TEST(tritri_signs_of_orientation_are_exact) {
    // four points of a plane, moved by the smallest step of a float
    TestRandom random = TestRandom_Make(14);
    int wrong = 0;
    for (int i = 0; i < 20000; ++i) {
        int64_t scale = 1 << TestRandom_Int(&random, 16);
        Whole p[4], u = randomWhole(&random, 40), v = randomWhole(&random, 40);
        Whole o = randomWhole(&random, 1 << 20);
        for (int k = 0; k < 4; ++k) {
            int64_t s = TestRandom_Int(&random, 9) - 4, t = TestRandom_Int(&random, 9) - 4;
            p[k] = (Whole){o.x + scale * (s * u.x + t * v.x), o.y + scale * (s * u.y + t * v.y),
                           o.z + scale * (s * u.z + t * v.z)};
        }
        p[3].x += TestRandom_Int(&random, 3) - 1;
        p[3].z += TestRandom_Int(&random, 3) - 1;
        sdVec3d q[4];
        for (int k = 0; k < 4; ++k) {
            q[k] = sdVec3d_From(toFloat(p[k]));
        }
        // u and v are small enough for the determinant to fit
        Whole d01 = {(p[1].x - p[0].x) / scale, (p[1].y - p[0].y) / scale,
                     (p[1].z - p[0].z) / scale};
        Whole d02 = {(p[2].x - p[0].x) / scale, (p[2].y - p[0].y) / scale,
                     (p[2].z - p[0].z) / scale};
        int64_t exact = detW(d01, d02, subW(p[3], p[0]));
        double sign = sdOrient3d(q[0], q[1], q[2], q[3]);
        wrong += (sign > 0.0) != (exact > 0) || (sign < 0.0) != (exact < 0) ? 1 : 0;
    }
    sdTest_Print("%d wrong", wrong);
    CHECK_INT(wrong, 0);
}

// ---- contacts ------------------------------------------------------------------------------

static void checkContact(const sdSeparation* s) {
    CHECK_INT(s->status, SD_STATUS_EXACT);
    CHECK_NEAR(sdLength(s->normal), 1.0, 1e-5);
    sdVec3 b = sdMulAdd(s->pointA, s->separation, s->normal);
    CHECK_NEAR(sdLength(sdSub(b, s->pointB)), 0.0, 1e-5);
}

SD_TEST(tritri_contact_of_vertex_and_face) {
    // the floor is B's, seen from above; A's corner is 0.25 below it
    sdVec3 b[3] = {{-4.0f, 0.0f, -4.0f}, {0.0f, 0.0f, 4.0f}, {4.0f, 0.0f, -4.0f}};
    sdVec3 a[3] = {{0.0f, -0.25f, 0.0f}, {0.5f, 1.0f, 0.1f}, {-0.5f, 1.0f, 0.1f}};
    sdContactKind kind;
    sdSeparation s = sdTriTri_Contact(a, b, &kind);
    CHECK_INT(kind, SD_CONTACT_VERTEX_FACE);
    CHECK_NEAR(s.separation, -0.25, 1e-6);
    // from A, which is above, to B
    CHECK_NEAR(s.normal.y, -1.0, 1e-6);
    CHECK(s.pointA.y == -0.25f && s.pointB.y == 0.0f);
    checkContact(&s);
    s = sdTriTri_Contact(b, a, &kind);
    CHECK_INT(kind, SD_CONTACT_VERTEX_FACE);
    CHECK_NEAR(s.normal.y, 1.0, 1e-6);
    CHECK_NEAR(s.separation, -0.25, 1e-6);
    CHECK(s.pointB.y == -0.25f && s.pointA.y == 0.0f);
}

SD_TEST(tritri_contact_of_edges) {
    // roof-like: A's lower edge along x at height 0, B's upper edge along z at height 0.1
    sdVec3 a[3] = {{-2.0f, 0.0f, 0.0f}, {2.0f, 0.0f, 0.0f}, {0.0f, 3.0f, 0.0f}};
    sdVec3 b[3] = {{0.0f, 0.1f, 2.0f}, {0.0f, 0.1f, -2.0f}, {0.0f, -3.0f, 0.0f}};
    sdContactKind kind;
    sdSeparation s = sdTriTri_Contact(a, b, &kind);
    CHECK_INT(kind, SD_CONTACT_EDGE_EDGE);
    CHECK_NEAR(s.separation, -0.1, 1e-6);
    CHECK_NEAR(s.normal.y, -1.0, 1e-6);
    CHECK_NEAR(s.pointA.y, 0.0, 1e-6);
    CHECK_NEAR(s.pointB.y, 0.1, 1e-6);
    checkContact(&s);
    // apart: the distance
    for (int i = 0; i < 3; ++i) {
        b[i].y -= 0.6f;
    }
    s = sdTriTri_Contact(a, b, &kind);
    CHECK_INT(kind, SD_CONTACT_NONE);
    CHECK_NEAR(s.separation, 0.5, 1e-6);
    CHECK_NEAR(s.normal.y, -1.0, 1e-6);
    checkContact(&s);
    a[0].x = TestInfinity();
    s = sdTriTri_Contact(a, b, &kind);
    CHECK_INT(s.status, SD_STATUS_INVALID);
    CHECK_INT(kind, SD_CONTACT_NONE);
}

/// Parting B along the normal by the depth leaves nothing but touching.
SD_TEST(tritri_contact_parts_the_triangles) {
    TestRandom random = TestRandom_Make(15);
    int kinds[SD_CONTACT_FACE_FACE + 1] = {0};
    int stuck[SD_CONTACT_FACE_FACE + 1] = {0};
    int wrongSign = 0, wrongDistance = 0;
    for (int i = 0; i < 20000; ++i) {
        sdVec3 a[3], b[3], moved[3];
        for (int k = 0; k < 3; ++k) {
            a[k] = TestRandom_InBall(&random);
            b[k] = TestRandom_InBall(&random);
        }
        sdContactKind kind;
        sdSeparation s = sdTriTri_Contact(a, b, &kind);
        kinds[kind] += 1;
        checkContact(&s);
        bool isMeeting = sdTriTri_Test(a, b).isIntersecting;
        wrongSign += isMeeting != (s.separation <= 0.0f) ? 1 : 0;
        if (!isMeeting) {
            sdShape shapeA = sdShape_Triangle(a[0], a[1], a[2]);
            sdShape shapeB = sdShape_Triangle(b[0], b[1], b[2]);
            sdSeparation g = sdGjk_Distance(&shapeA, &shapeB, sdTransform_Identity(), NULL);
            wrongDistance += sdAbsF(g.separation - s.separation) > 1e-5f ? 1 : 0;
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            moved[k] = sdMulAdd(b[k], 1e-4f - s.separation, s.normal);
        }
        stuck[kind] += sdTriTri_Test(a, moved).isIntersecting ? 1 : 0;
        sdSeparation swapped = sdTriTri_Contact(b, a, NULL);
        CHECK_NEAR(swapped.separation, s.separation, 1e-5);
    }
    sdTest_Print("%d vertex-face, %d still meet; %d edge-edge, %d still meet; %d apart",
                 kinds[SD_CONTACT_VERTEX_FACE], stuck[SD_CONTACT_VERTEX_FACE],
                 kinds[SD_CONTACT_EDGE_EDGE], stuck[SD_CONTACT_EDGE_EDGE], kinds[SD_CONTACT_NONE]);
    CHECK_INT(stuck[SD_CONTACT_VERTEX_FACE], 0);
    CHECK_INT(stuck[SD_CONTACT_EDGE_EDGE], 0);
    CHECK_INT(wrongSign, 0);
    CHECK_INT(wrongDistance, 0);
    CHECK(kinds[SD_CONTACT_VERTEX_FACE] > 500 && kinds[SD_CONTACT_EDGE_EDGE] > 500);
}

SD_TEST(tritri_contact_of_flat_and_degenerate_pairs) {
    TestRandom random = TestRandom_Make(16);
    for (int i = 0; i < 20000; ++i) {
        Pair pair = randomPair(&random);
        sdContactKind kind;
        sdSeparation s = sdTriTri_Contact(pair.a, pair.b, &kind);
        checkContact(&s);
        CHECK(meetW(pair.wholeA, pair.wholeB) == (kind != SD_CONTACT_NONE));
        CHECK((kind == SD_CONTACT_NONE) == (s.separation > 0.0f));
    }
}

// ---- segments ------------------------------------------------------------------------------

/// The least squared distance by nested search: the function is convex in both fractions.
static double searchSegments(const sdVec3 p[4]) {
    double s0 = 0.0, s1 = 1.0, best = INFINITY;
    for (int i = 0; i < 80; ++i) {
        double value[2];
        for (int side = 0; side < 2; ++side) {
            double s = s0 + (s1 - s0) * (side == 0 ? 1.0 / 3.0 : 2.0 / 3.0);
            sdVec3d a =
                sdMulAddD(sdVec3d_From(p[0]), s, sdSubD(sdVec3d_From(p[1]), sdVec3d_From(p[0])));
            sdVec3d b0 = sdVec3d_From(p[2]), d = sdSubD(sdVec3d_From(p[3]), b0);
            double dd = sdDotD(d, d);
            double t = dd > 0.0 ? sdDotD(sdSubD(a, b0), d) / dd : 0.0;
            t = t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t);
            sdVec3d gap = sdSubD(a, sdMulAddD(b0, t, d));
            value[side] = sdDotD(gap, gap);
            best = value[side] < best ? value[side] : best;
        }
        if (value[0] < value[1]) {
            s1 = s1 - (s1 - s0) / 3.0;
        } else {
            s0 = s0 + (s1 - s0) / 3.0;
        }
    }
    return best;
}

SD_TEST(tritri_nearest_points_of_segments) {
    TestRandom random = TestRandom_Make(17);
    int wrong = 0, points = 0;
    for (int i = 0; i < 20000; ++i) {
        sdVec3 p[4];
        for (int k = 0; k < 4; ++k) {
            p[k] = i % 2 == 0 ? TestRandom_InBox(&random, 1.0f) : toFloat(randomWhole(&random, 2));
        }
        if (i % 7 == 0) {
            // nearly parallel
            sdVec3 tilt = sdScale(1e-5f, TestRandom_InBall(&random));
            p[3] = sdAdd(sdAdd(p[2], sdSub(p[1], p[0])), tilt);
        }
        float scale = ldexpf(1.0f, TestRandom_Int(&random, 41) - 20);
        for (int k = 0; k < 4; ++k) {
            p[k] = sdScale(scale, p[k]);
        }
        sdSegmentPoints r = sdClosestPointsOfSegments(p[0], p[1], p[2], p[3]);
        double exact = sqrt(searchSegments(p)) / (double)scale;
        double found = sqrt((double)r.distanceSquared) / (double)scale;
        wrong += fabs(found - exact) > 1e-6 ? 1 : 0;
        sdVec3 a = sdLerp(p[0], p[1], r.s), b = sdLerp(p[2], p[3], r.t);
        points += sdLength(sdSub(a, r.pointA)) > 1e-5f * scale ? 1 : 0;
        points += sdLength(sdSub(b, r.pointB)) > 1e-5f * scale ? 1 : 0;
        points += r.s < 0.0f || r.s > 1.0f || r.t < 0.0f || r.t > 1.0f ? 1 : 0;
    }
    sdTest_Print("%d wrong distances, %d wrong points", wrong, points);
    CHECK_INT(wrong, 0);
    CHECK_INT(points, 0);
    sdSegmentPoints r = sdClosestPointsOfSegments(sdV3(TestNaN(), 0.0f, 0.0f), sdV3(0, 0, 0),
                                                  sdV3(0, 0, 0), sdV3(1, 0, 0));
    CHECK(r.distanceSquared == 0.0f && r.s == 0.0f && r.pointB.x == 0.0f);
}
