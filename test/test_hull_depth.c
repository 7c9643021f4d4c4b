// SPDX-License-Identifier: MIT
// test_hull_depth.c - depth of small hulls without iterations: against all axes, one by one, in
// double, against EPA, with the pair swapped or described anew, and where EPA must be asked.

#include "geometry/hull.h"
#include "narrow/hull_depth.h"
#include "shape_zoo.h"
#include "simd_level.h"

#include <stdio.h>

#define HULL_COUNT 24
/// Of single precision, relative to the size of bodies, where no error is given.
#define ROUNDING 2e-6

typedef struct Hulls {
    TestContext test;
    sdHull* hulls[HULL_COUNT];
    sdHull* twins[HULL_COUNT]; ///< the same in another frame
    sdTransform frame;         ///< places the twins in the frames of the others
} Hulls;

static sdHull* makeHull(TestContext* test, const sdVec3* points, int count, int maxVertexCount) {
    sdHullDef def = sdHullDef_Default();
    def.points = points;
    def.pointCount = count;
    def.maxVertexCount = maxVertexCount;
    sdHull* hull = NULL;
    CHECK_INT(sdHull_Create(&test->context, &def, &hull), SD_OK);
    return hull;
}

/// Balls of 4 to 32 vertices, boxes, prisms, lenses, needles, hulls that polygons were merged for,
/// and hulls cut short.
static int makePoints(TestRandom* random, int kind, sdVec3 points[200]) {
    sdVec3 axes = sdV3(TestRandom_Float(random, 0.4f, 1.0f), TestRandom_Float(random, 0.4f, 1.0f),
                       TestRandom_Float(random, 0.4f, 1.0f));
    axes.y *= kind == 3 ? 0.02f : 1.0f;
    axes = kind == 4 ? sdV3(0.02f, 1.0f, 0.03f) : axes;
    sdVec3 middle = TestRandom_InBox(random, 0.2f);
    int sides = 3 + TestRandom_Int(random, 12);
    int count = kind == 1
                    ? 8
                    : (kind == 2 ? 2 * sides : (kind == 6 ? 200 : 4 + TestRandom_Int(random, 29)));
    for (int i = 0; i < count; ++i) {
        sdVec3 p = TestRandom_OnSphere(random);
        if (kind == 1) {
            p = sdV3(i & 1 ? 1.0f : -1.0f, i & 2 ? 1.0f : -1.0f, i & 4 ? 1.0f : -1.0f);
        } else if (kind == 2) {
            float angle = 6.2831853f * (float)(i / 2) / (float)sides;
            p = sdV3(cosf(angle), i & 1 ? 1.0f : -1.0f, sinf(angle));
        } else if (kind == 5) {
            p = sdV3(roundf(2.0f * p.x), roundf(2.0f * p.y), roundf(2.0f * p.z));
        }
        points[i] = sdAdd(middle, sdMul(axes, p));
    }
    return count;
}

static void Hulls_Init(Hulls* hulls) {
    TestRandom random = TestRandom_Make(17);
    TestContext_Init(&hulls->test);
    hulls->frame = TestRandom_Pose(&random, 0.5f);
    for (int i = 0; i < HULL_COUNT; ++i) {
        sdVec3 points[200];
        int kind = i < 8 ? 0 : 1 + i % 6;
        int count = kind == 5 ? 0 : makePoints(&random, kind, points);
        // a lattice has many points in one plane; all of them, so that there is some volume
        for (int k = 0; kind == 5 && k < 27; ++k) {
            sdVec3 p = sdV3((float)(k % 3 - 1), (float)(k / 3 % 3 - 1), (float)(k / 9 - 1));
            points[count] = sdScale(0.5f, p);
            count += sdDot(p, p) < 3.0f ? 1 : 0;
        }
        hulls->hulls[i] = makeHull(&hulls->test, points, count, kind == 6 ? 20 : 0);
        const sdVec3* vertices = sdHull_GetVertices(hulls->hulls[i], &count);
        for (int k = 0; k < count; ++k) {
            points[k] = sdInvTransformPoint(hulls->frame, vertices[k]);
        }
        hulls->twins[i] = makeHull(&hulls->test, points, count, 0);
    }
}

static void Hulls_Free(Hulls* hulls) {
    for (int i = 0; i < HULL_COUNT; ++i) {
        sdHull_Release(hulls->hulls[i]);
        sdHull_Release(hulls->twins[i]);
    }
    TestContext_Finish(&hulls->test);
}

static sdShape pick(const Hulls* hulls, TestRandom* random) {
    return sdShape_Hull(hulls->hulls[TestRandom_Int(random, HULL_COUNT)]);
}

/// Anywhere, turned by quarters, in one place, or hardly in each other.
static sdTransform pickPose(const sdShape* a, const sdShape* b, TestRandom* random) {
    sdTransform xf = TestRandom_Pose(random, 0.9f);
    int way = TestRandom_Int(random, 8);
    if (way == 0) {
        xf.q = TestRandom_Int(random, 2) == 0 ? (sdQuat){{0.0f, 0.0f, 0.0f}, 1.0f}
                                              : (sdQuat){{0.0f, 0.70710678f, 0.0f}, 0.70710678f};
    } else if (way == 1) {
        xf.p = sdScale(0.05f, xf.p);
    } else if (way == 2) {
        sdPairCache cache = {.count = 0};
        sdSeparation s = sdPenetration(a, b, xf, &cache);
        float depth = TestRandom_Int(random, 2) == 0 ? 1e-3f : 2e-5f;
        xf.p = sdMulAdd(xf.p, -depth - s.separation, s.normal);
    }
    return xf;
}

// ---- all axes ------------------------------------------------------------------------------

typedef struct Cloud {
    const sdHull* hull;
    sdVec3d vertices[SD_HULL_SMALL];
} Cloud;

static void setCloud(Cloud* cloud, const sdHull* hull, const sdPose* pose) {
    cloud->hull = hull;
    for (int i = 0; i < hull->vertexCount; ++i) {
        sdVec3d p = sdVec3d_From(hull->vertices[i]);
        cloud->vertices[i] = pose != NULL ? sdPose_Point(pose, p) : p;
    }
}

/// How far the cloud reaches along n.
static double reachOf(const Cloud* cloud, sdVec3d n) {
    double most = -DBL_MAX;
    for (int i = 0; i < cloud->hull->vertexCount; ++i) {
        most = fmax(most, sdDotD(n, cloud->vertices[i]));
    }
    return most;
}

static double depthAlong(const Cloud* a, const Cloud* b, sdVec3d n) {
    return reachOf(a, n) + reachOf(b, sdScaleD(-1.0, n));
}

/// Both ways, unless it has no length to speak of.
static double leastAlong(const Cloud* a, const Cloud* b, sdVec3d n, double least) {
    double length = sdLengthD(n);
    if (length < 1e-9) {
        return least;
    }
    n = sdScaleD(1.0 / length, n);
    return fmin(least, fmin(depthAlong(a, b, n), depthAlong(a, b, sdScaleD(-1.0, n))));
}

static sdVec3d edgeOf(const Cloud* cloud, int e) {
    const sdHalfEdge* edges = cloud->hull->edges;
    return sdSubD(cloud->vertices[edges[edges[e].next].origin], cloud->vertices[edges[e].origin]);
}

static double leastOfFaces(const Cloud* a, const Cloud* b, const Cloud* own, double least) {
    for (int e = 0; e < own->hull->halfEdgeCount; ++e) {
        sdVec3d n = sdCrossD(edgeOf(own, e), edgeOf(own, own->hull->edges[e].next));
        least = leastAlong(a, b, n, least);
    }
    return least;
}

/// The least depth over the axes of all faces and all pairs of edges.
static double leastOfAll(const Cloud* a, const Cloud* b) {
    double least = leastOfFaces(a, b, a, leastOfFaces(a, b, b, DBL_MAX));
    for (int i = 0; i < a->hull->halfEdgeCount; ++i) {
        for (int j = 0; j < b->hull->halfEdgeCount; ++j) {
            if (i < a->hull->edges[i].twin && j < b->hull->edges[j].twin) {
                least = leastAlong(a, b, sdCrossD(edgeOf(a, i), edgeOf(b, j)), least);
            }
        }
    }
    return least;
}

// ---- one pair ------------------------------------------------------------------------------

typedef struct Counts {
    int overlapping, found; ///< pairs that are clearly in each other; of these, found
    int depth, normal, witness, verdict;
} Counts;

/// How far p is above the highest face.
static double above(const sdHull* hull, sdVec3d p) {
    double most = -DBL_MAX;
    for (int f = 0; f < hull->faceCount; ++f) {
        sdVec3d n = sdVec3d_From(hull->planes[f].normal);
        most = fmax(most, sdDotD(n, p) - (double)hull->planes[f].offset);
    }
    return most;
}

/// @param least by all axes
static void checkFound(const Cloud* a, const Cloud* b, const sdPose* pose, const sdEpaOutput* out,
                       double least, Counts* counts) {
    double own = depthAlong(a, b, out->normal), rounding = 1e-12;
    counts->depth += fabs(out->depth - least) > out->error + rounding ? 1 : 0;
    counts->depth += fabs(out->depth - own) > out->error + rounding ? 1 : 0;
    counts->normal += fabs(sdLengthD(out->normal) - 1.0) > 1e-12 ? 1 : 0;
    sdVec3d reached = sdMulAddD(out->pointA, -out->depth, out->normal);
    counts->witness += sdLengthD(sdSubD(reached, out->pointB)) > 1e-9 ? 1 : 0;
    counts->witness += above(a->hull, out->pointA) > out->error ? 1 : 0;
    counts->witness += above(b->hull, sdPose_InvPoint(pose, out->pointB)) > out->error ? 1 : 0;
    double beyondA = reachOf(a, out->normal) - sdDotD(out->normal, out->pointA);
    counts->witness += fabs(beyondA) > out->error ? 1 : 0;
}

static void checkPair(const sdShape* a, const sdShape* b, sdTransform xf, Counts* counts) {
    sdConvexPair pair;
    CHECK(sdConvexPair_Init(&pair, a, b, xf));
    sdPose pose;
    sdConvexPair_GetPose(&pair, &pose);
    Cloud cloudA, cloudB;
    setCloud(&cloudA, a->hull, NULL);
    setCloud(&cloudB, b->hull, &pose);
    double least = leastOfAll(&cloudA, &cloudB);
    sdEpaOutput out;
    sdDepthVerdict verdict = SD_DISPATCH(sdHulls_Depth)(&pair, NULL, &out);
    bool isClear = least > 1e-5 * pair.scale;
    counts->overlapping += isClear ? 1 : 0;
    counts->found += isClear && verdict == SD_DEPTH_FOUND ? 1 : 0;
    counts->verdict += verdict == SD_DEPTH_FOUND && least <= 0.0 ? 1 : 0;
    counts->verdict += verdict != SD_DEPTH_FOUND && verdict != SD_DEPTH_OPEN && isClear ? 1 : 0;
    if (verdict == SD_DEPTH_FOUND) {
        checkFound(&cloudA, &cloudB, &pose, &out, least, counts);
    }
}

SD_TEST(hull_depth_is_the_least_of_all_axes) {
    Hulls hulls;
    Hulls_Init(&hulls);
    TestRandom random = TestRandom_Make(18);
    Counts counts = {0};
    for (int i = 0; i < TestRounds(3000); ++i) {
        sdShape a = pick(&hulls, &random), b = pick(&hulls, &random);
        checkPair(&a, &b, pickPose(&a, &b, &random), &counts);
    }
    CHECK_INT(counts.depth, 0);
    CHECK_INT(counts.normal, 0);
    CHECK_INT(counts.witness, 0);
    CHECK_INT(counts.verdict, 0);
    printf("  %d overlap, of %d the depth was found\n", counts.overlapping, counts.found);
    // faces and edges that are parallel are EPA's
    CHECK(counts.found > counts.overlapping * 3 / 4);
    Hulls_Free(&hulls);
}

/// Points of both that are as far apart as a plane between the bodies shows that these are.
/// @param distance by GJK
static int countWrong(const sdShape* a, const sdShape* b, const sdConvexPair* pair,
                      const sdEpaOutput* out, const sdSeparation* distance) {
    sdPose pose;
    sdConvexPair_GetPose(pair, &pose);
    Cloud cloudA, cloudB;
    setCloud(&cloudA, a->hull, NULL);
    setCloud(&cloudB, b->hull, &pose);
    double own = depthAlong(&cloudA, &cloudB, out->normal);
    sdVec3d way = sdSubD(out->pointB, out->pointA);
    int wrong = fabs(out->depth - own) > out->error ? 1 : 0;
    wrong += fabs(sdLengthD(way) + out->depth) > 1e-9 ? 1 : 0;
    wrong += above(a->hull, out->pointA) > out->error ? 1 : 0;
    wrong += above(b->hull, sdPose_InvPoint(&pose, out->pointB)) > out->error ? 1 : 0;
    double error = out->error + (double)distance->error + 1e-6 * pair->scale;
    wrong += fabs(out->depth + (double)distance->separation) > error ? 1 : 0;
    return wrong;
}

SD_TEST(hull_depth_of_hulls_that_are_just_apart_is_their_distance) {
    Hulls hulls;
    Hulls_Init(&hulls);
    TestRandom random = TestRandom_Make(24);
    const float gaps[4] = {2e-5f, 1e-3f, 0.02f, 0.2f};
    int known[4] = {0}, wrong = 0, count = TestRounds(5000);
    for (int i = 0; i < 4 * count; ++i) {
        // balls: of others many are nearest at edges and corners
        sdShape a = sdShape_Hull(hulls.hulls[TestRandom_Int(&random, 8)]);
        sdShape b = sdShape_Hull(hulls.hulls[TestRandom_Int(&random, 8)]);
        sdTransform xf = TestRandom_Pose(&random, 0.9f);
        sdSeparation s = sdEpa_Penetration(&a, &b, xf, NULL);
        xf.p = sdMulAdd(xf.p, gaps[i % 4] - s.separation, s.normal);
        sdSeparation distance = sdGjk_Distance(&a, &b, xf, NULL);
        sdConvexPair pair;
        sdEpaOutput out;
        CHECK(sdConvexPair_Init(&pair, &a, &b, xf));
        int nearest[3][2];
        sdDepthVerdict verdict = SD_DISPATCH(sdHulls_Depth)(&pair, nearest, &out);
        for (int k = 0; k < 3 && verdict == SD_DEPTH_PARTED; ++k) {
            wrong += (unsigned)nearest[k][0] >= (unsigned)a.hull->vertexCount ? 1 : 0;
            wrong += (unsigned)nearest[k][1] >= (unsigned)b.hull->vertexCount ? 1 : 0;
        }
        known[i % 4] += verdict == SD_DEPTH_APART ? 1 : 0;
        wrong += verdict == SD_DEPTH_FOUND ? 1 : 0;
        wrong += verdict == SD_DEPTH_APART ? countWrong(&a, &b, &pair, &out, &distance) : 0;
        // what is given to users
        s = sdPenetration(&a, &b, xf, NULL);
        wrong += fabsf(s.separation - distance.separation) > s.error + distance.error ? 1 : 0;
        wrong += s.separation > 0.0f ? 0 : 1;
    }
    printf("  of %d known: %d, %d, %d, %d\n", count, known[0], known[1], known[2], known[3]);
    CHECK_INT(wrong, 0);
    CHECK(known[1] > count / 2);
    Hulls_Free(&hulls);
}

SD_TEST(hull_depth_is_that_of_epa) {
    Hulls hulls;
    Hulls_Init(&hulls);
    TestRandom random = TestRandom_Make(19);
    int differ = 0, once = 0;
    for (int i = 0; i < TestRounds(100000); ++i) {
        sdShape a = pick(&hulls, &random), b = pick(&hulls, &random);
        sdTransform xf = pickPose(&a, &b, &random);
        sdSeparation s = sdPenetration(&a, &b, xf, NULL), t = sdEpa_Penetration(&a, &b, xf, NULL);
        differ += fabsf(s.separation - t.separation) > s.error + t.error ? 1 : 0;
        differ += (s.separation < 0.0f) != (t.separation < 0.0f) &&
                          fabsf(t.separation) > s.error + t.error
                      ? 1
                      : 0;
        once += memcmp(&s.error, &t.error, sizeof s.error) != 0 ? 1 : 0;
    }
    CHECK_INT(differ, 0);
    // the two are not one
    CHECK(once > TestRounds(100000) / 4);
    Hulls_Free(&hulls);
}

/// By how much less the bodies overlap along some axes than they should at the least.
static int countLess(const sdShape* a, const sdShape* b, sdTransform xf, const sdSeparation* s,
                     TestRandom* random) {
    int count = 0;
    double least = -(double)s->separation - (double)s->error - 1e-5;
    for (int k = 0; k < 20; ++k) {
        count += TestExitDepth(a, b, xf, TestRandom_OnSphere(random)) < least ? 1 : 0;
    }
    return count;
}

SD_TEST(hull_depth_stands_in_for_what_is_too_much_to_remember) {
    Hulls hulls;
    Hulls_Init(&hulls);
    TestRandom random = TestRandom_Make(23);
    int forgotten = 0, asked = 0, wrong = 0, differ = 0;
    for (int i = 0; i < TestRounds(20000); ++i) {
        sdShape a = pick(&hulls, &random), b = pick(&hulls, &random);
        sdTransform xf = pickPose(&a, &b, &random);
        sdPairCache caches[2] = {{.count = 0}, {.count = 0}};
        sdVec3 step = TestRandom_InBox(&random, 0.02f);
        bool isForgotten = false;
        for (int k = 0; k < 4; ++k, xf.p = sdAdd(xf.p, step)) {
            sdSeparation s[2];
            for (int level = 0; level < 2; ++level) {
                TestSimd_ForceBase(level == 0);
                s[level] = sdPenetration(&a, &b, xf, &caches[level]);
            }
            differ += memcmp(&s[0].separation, &s[1].separation, sizeof s[0].separation) != 0 ||
                              memcmp(&s[0].normal, &s[1].normal, sizeof s[0].normal) != 0 ||
                              memcmp(&s[0].pointA, &s[1].pointA, sizeof s[0].pointA) != 0
                          ? 1
                          : 0;
            sdSeparation t = sdEpa_Penetration(&a, &b, xf, NULL);
            wrong += fabsf(s[1].separation - t.separation) > s[1].error + t.error ? 1 : 0;
            wrong += s[1].separation < 0.0f ? countLess(&a, &b, xf, &s[1], &random) : 0;
            asked += isForgotten && memcmp(&s[1].error, &t.error, sizeof t.error) != 0 ? 1 : 0;
            isForgotten = caches[1].polytope.vertexCount == SD_EPA_TOO_MANY;
            forgotten += isForgotten ? 1 : 0;
        }
    }
    printf("  %d times too much to remember, %d times asked without\n", forgotten, asked);
    CHECK_INT(wrong, 0);
    CHECK_INT(differ, 0);
    CHECK(asked > forgotten / 2);
    Hulls_Free(&hulls);
}

SD_TEST(hull_depth_is_the_same_swapped_and_moved) {
    Hulls hulls;
    Hulls_Init(&hulls);
    TestRandom random = TestRandom_Make(20);
    int swapped = 0, moved = 0;
    for (int i = 0; i < TestRounds(20000); ++i) {
        int which = TestRandom_Int(&random, HULL_COUNT);
        sdShape a = pick(&hulls, &random), b = sdShape_Hull(hulls.hulls[which]);
        sdTransform xf = pickPose(&a, &b, &random);
        sdSeparation s = sdPenetration(&a, &b, xf, NULL);
        sdSeparation t = sdPenetration(&b, &a, sdInvertXf(xf), NULL);
        float rounding = s.error + t.error + (float)ROUNDING;
        swapped += fabsf(s.separation - t.separation) > rounding ? 1 : 0;
        // of equally good normals either may be given
        double depth = TestExitDepth(&a, &b, xf, sdNeg(sdRotate(xf.q, t.normal)));
        swapped += fabs(depth + (double)t.separation) > (double)rounding ? 1 : 0;
        sdShape twin = sdShape_Hull(hulls.twins[which]);
        sdSeparation u = sdPenetration(&a, &twin, sdMulXf(xf, hulls.frame), NULL);
        moved += fabsf(s.separation - u.separation) > rounding + u.error ? 1 : 0;
        depth = TestExitDepth(&a, &b, xf, u.normal);
        moved += fabs(depth + (double)u.separation) > (double)(rounding + u.error) ? 1 : 0;
    }
    CHECK_INT(swapped, 0);
    CHECK_INT(moved, 0);
    Hulls_Free(&hulls);
}

SD_TEST(hull_depth_has_the_same_bits_at_both_levels) {
    Hulls hulls;
    Hulls_Init(&hulls);
    TestRandom random = TestRandom_Make(21);
    int differ = 0;
    for (int i = 0; i < TestRounds(20000); ++i) {
        sdShape a = pick(&hulls, &random), b = pick(&hulls, &random);
        sdTransform xf = pickPose(&a, &b, &random);
        uint64_t hashes[2];
        for (int level = 0; level < 2; ++level) {
            TestSimd_ForceBase(level == 0);
            sdSeparation s = sdPenetration(&a, &b, xf, NULL);
            const float numbers[] = {s.separation, s.error,    s.normal.x, s.normal.y,
                                     s.normal.z,   s.pointA.x, s.pointA.y, s.pointA.z,
                                     s.pointB.x,   s.pointB.y, s.pointB.z, (float)s.iterations};
            hashes[level] = TestHash(TEST_HASH_START, numbers, sizeof numbers);
        }
        differ += hashes[0] != hashes[1] ? 1 : 0;
    }
    CHECK_INT(differ, 0);
    Hulls_Free(&hulls);
}

// ---- what is not for it --------------------------------------------------------------------

static sdDepthVerdict verdictOf(const sdShape* a, const sdShape* b, sdTransform xf) {
    sdConvexPair pair;
    sdEpaOutput out;
    CHECK(sdConvexPair_Init(&pair, a, b, xf));
    return SD_DISPATCH(sdHulls_Depth)(&pair, NULL, &out);
}

SD_TEST(hull_depth_is_left_to_epa_where_it_must_be) {
    TestContext test;
    TestContext_Init(&test);
    TestRandom random = TestRandom_Make(22);
    sdVec3 points[200], corners[8];
    for (int i = 0; i < 200; ++i) {
        points[i] = TestRandom_OnSphere(&random);
    }
    for (int i = 0; i < 8; ++i) {
        corners[i] = sdV3(i & 1 ? 0.5f : -0.5f, i & 2 ? 0.5f : -0.5f, i & 4 ? 0.5f : -0.5f);
    }
    sdHull *large = makeHull(&test, points, 33, 0), *small = makeHull(&test, points, 32, 0);
    sdHull* cube = makeHull(&test, corners, 8, 0);
    sdShape many = sdShape_Hull(large), few = sdShape_Hull(small), box = sdShape_Hull(cube);
    sdShape sphere = sdShape_Sphere(0.5f);
    CHECK_INT(verdictOf(&few, &box, TestAt(0.6f, 0.1f, 0.2f)), SD_DEPTH_FOUND);
    // a corner of one is nearest to a face of the other, or to nothing but a corner
    CHECK_INT(verdictOf(&few, &box, TestAt(3.0f, 0.1f, 0.2f)), SD_DEPTH_APART);
    CHECK_INT(verdictOf(&few, &box, TestAt(3.0f, 3.0f, 3.0f)), SD_DEPTH_PARTED);
    CHECK_INT(verdictOf(&many, &box, TestAt(0.6f, 0.1f, 0.2f)), SD_DEPTH_OPEN);
    CHECK_INT(verdictOf(&box, &many, TestAt(0.6f, 0.1f, 0.2f)), SD_DEPTH_OPEN);
    CHECK_INT(verdictOf(&box, &sphere, TestAt(0.6f, 0.1f, 0.2f)), SD_DEPTH_OPEN);
    // cubes whose faces are parallel: no vertex of one is over the face of the other
    sdTransform across = {{0.2f, 0.9f, 0.2f}, {{0.0f, 0.38268343f, 0.0f}, 0.92387953f}};
    sdSeparation s = sdPenetration(&box, &box, across, NULL);
    CHECK_NEAR(s.separation, -0.1, 1e-6);
    CHECK_NEAR(s.normal.y, 1.0, 1e-6);
    CHECK_NEAR(s.pointA.y, 0.5, 1e-6);
    CHECK_NEAR(s.pointB.y, 0.4, 1e-6);
    sdHull_Release(large);
    sdHull_Release(small);
    sdHull_Release(cube);
    TestContext_Finish(&test);
}
