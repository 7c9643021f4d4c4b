// SPDX-License-Identifier: MIT
// test_manifold_cache.c - contact points with a cache against fresh ones, over sequences of small
// motions.

#include "narrow/manifold_cache.h"
#include "narrow/manifold_hulls.h"
#include "narrow/manifold_kernel.h"
#include "shape_zoo.h"

#include <limits.h>
#include <string.h>

#define STEP_COUNT 16
#define MARGIN 0.02f

/// Single precision and the rim tolerance, for bodies of about 1 m.
#define ROUNDING 4e-5
/// What the contract of sdPairCache allows, as a fraction of the smaller body's size.
#define STATED 0.01
/// Share of the smaller body by which the deepest of more than four points may be missed: 1e-3 of
/// radius and half the height, when it is round.
#define KEPT 1.5e-3

typedef struct Faults {
    int lost, ghost, deep, shallow, normal, surface, points, ids, freshIds;
} Faults;

typedef struct Sequence {
    sdShape a, b;
    double size; ///< of the smaller body
    sdTransform xf;
    sdPairCache cache;
    sdManifold last, lastFresh;
} Sequence;

static double deepestOf(const sdManifold* m) {
    float deepest = FLT_MAX;
    for (int i = 0; i < m->pointCount; ++i) {
        deepest = sdMinF(deepest, m->points[i].separation);
    }
    return (double)deepest;
}

static double reachOf(const sdShape* shape) {
    sdAABB box = sdShape_GetBounds(shape, sdTransform_Identity());
    return (double)sdLength(sdMax(sdAbs(box.lower), sdAbs(box.upper)));
}

static bool hasId(const sdManifold* m, uint32_t id) {
    for (int i = 0; i < m->pointCount; ++i) {
        if (m->points[i].id == id) {
            return true;
        }
    }
    return false;
}

/// A corner that meets an edge or a corner is one point, by either of their features.
static int missingIds(const sdManifold* m, const sdManifold* n) {
    if (m->pointCount <= 1 && n->pointCount <= 1) {
        return 0;
    }
    int missing = 0;
    for (int i = 0; i < m->pointCount; ++i) {
        missing += hasId(n, m->points[i].id) ? 0 : 1;
    }
    return missing;
}

/// Two bodies that overlap a little or deeply, are up to the margin apart, or lie on each other.
static bool start(Sequence* s, const ShapeZoo* zoo, TestRandom* random, sdShapeType typeA,
                  sdShapeType typeB) {
    s->a = ShapeZoo_Make(zoo, random, typeA);
    s->b = ShapeZoo_Make(zoo, random, typeB);
    double reachA = reachOf(&s->a), reachB = reachOf(&s->b);
    s->size = reachA < reachB ? reachA : reachB;
    s->xf = TestRandom_Pose(random, 3.0f);
    if (TestRandom_Int(random, 2) == 0) {
        static const float quarter[3] = {0.0f, 0.5f * SD_PI, SD_PI};
        s->xf.q = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), quarter[TestRandom_Int(random, 3)]);
        s->xf.p = TestRandom_InBox(random, 0.2f);
        s->xf.p.y = 4.0f;
    }
    sdSeparation d = sdDistance(&s->a, &s->b, s->xf, NULL);
    if (!(d.separation > 0.0f)) {
        return false;
    }
    float depth = (float)s->size * (TestRandom_Int(random, 4) == 0 ? 0.5f : 0.05f);
    float overlap = TestRandom_Float(random, -0.5f * MARGIN, depth);
    s->xf.p = sdMulAdd(s->xf.p, -d.separation - overlap, d.normal);
    s->cache = (sdPairCache){.count = 0};
    s->last.pointCount = 0;
    s->lastFresh.pointCount = 0;
    return true;
}

static void checkStep(Sequence* s, float motion, Faults* faults) {
    sdManifold m, fresh;
    sdCollide(&s->a, &s->b, s->xf, MARGIN, &s->cache, &m);
    sdCollide(&s->a, &s->b, s->xf, MARGIN, NULL, &fresh);
    sdSeparation exact = sdPenetration(&s->a, &s->b, s->xf, NULL);
    double error = (double)exact.error + ROUNDING, separation = (double)exact.separation;
    faults->lost += m.pointCount == 0 && separation < (double)MARGIN - error ? 1 : 0;
    faults->ghost += m.pointCount > 0 && separation > (double)MARGIN + error ? 1 : 0;
    if (m.pointCount == 0) {
        s->last.pointCount = 0;
        s->lastFresh.pointCount = 0;
        return;
    }
    double deepest = deepestOf(&m);
    // of more than four points those of last time stay while the deepest is about as deep
    double kept = s->cache.pointCount == SD_MANIFOLD_MAX_POINTS ? KEPT * s->size : 0.0;
    faults->shallow += deepest > separation + error + kept ? 1 : 0;
    // a depth that is negative by less than what is stated is a gap that may be missed
    double allowed = separation < STATED * s->size ? STATED * s->size : 0.0;
    faults->deep += deepest < separation - error - allowed ? 1 : 0;
    faults->normal += fabs((double)sdLength(m.normal) - 1.0) > 1e-6 ? 1 : 0;
    faults->normal +=
        fabs(TestExitDepth(&s->a, &s->b, s->xf, m.normal) + deepest) > error + kept + 1e-5 ? 1 : 0;
    // two edges that are not quite parallel share a line only nearly
    double off = m.kind == SD_CONTACT_EDGE_EDGE ? error + 1e-4 * s->size : error;
    for (int i = 0; i < m.pointCount; ++i) {
        sdVec3 pointB = sdInvTransformPoint(s->xf, m.points[i].pointB);
        faults->surface += TestOffSurface(&s->a, m.points[i].pointA) > off ? 1 : 0;
        faults->surface += TestOffSurface(&s->b, pointB) > off ? 1 : 0;
    }
    // along the same normal there are the same points
    bool isSameAxis = sdLength(sdSub(m.normal, fresh.normal)) < 1e-6f;
    faults->points += isSameAxis && m.pointCount != fresh.pointCount ? 1 : 0;
    faults->ids += motion < 1e-4f && s->last.pointCount > 0 ? missingIds(&s->last, &m) : 0;
    faults->freshIds +=
        motion < 1e-4f && s->lastFresh.pointCount > 0 ? missingIds(&s->lastFresh, &fresh) : 0;
    s->last = m;
    s->lastFresh = fresh;
}

static void runSequences(sdShapeType typeA, sdShapeType typeB, uint64_t seed, int count) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(seed);
    Faults faults = {0};
    int steps = 0;
    for (int i = 0; i < TestRounds(count); ++i) {
        Sequence s;
        if (!start(&s, &zoo, &random, typeA, typeB)) {
            continue;
        }
        static const float motions[5] = {1e-6f, 1e-5f, 1e-3f, 5e-3f, 3e-2f};
        float motion = motions[i % 5];
        for (int step = 0; step < STEP_COUNT; ++step) {
            checkStep(&s, motion, &faults);
            s.xf.p = sdAdd(s.xf.p, TestRandom_InBox(&random, motion));
            sdQuat turn = sdQuat_FromRotationVector(TestRandom_InBox(&random, motion));
            s.xf.q = sdNormalizeQ(sdMulQ(turn, s.xf.q));
            steps += 1;
        }
    }
    sdTest_Print(
        "%d steps; lost %d ghost %d deep %d shallow %d normal %d surface %d points %d, ids "
        "changed %d (%d without a cache)",
        steps, faults.lost, faults.ghost, faults.deep, faults.shallow, faults.normal,
        faults.surface, faults.points, faults.ids, faults.freshIds);
    CHECK_INT(faults.lost + faults.ghost + faults.deep + faults.shallow + faults.normal +
                  faults.surface,
              0);
    // points at the margin or at the merging distance come and go
    CHECK(faults.points * 200 <= steps);
    CHECK(faults.ids * 100 <= steps);
    CHECK((faults.ids - faults.freshIds) * 1000 <= steps);
    ShapeZoo_Free(&zoo);
}

SD_TEST(manifold_cache_of_boxes) {
    runSequences(SD_SHAPE_BOX, SD_SHAPE_BOX, 1, 1500);
}

SD_TEST(manifold_cache_of_hulls) {
    runSequences(SD_SHAPE_HULL, SD_SHAPE_HULL, 2, 1000);
    runSequences(SD_SHAPE_BOX, SD_SHAPE_HULL, 3, 1000);
    runSequences(SD_SHAPE_HULL, SD_SHAPE_BOX, 4, 1000);
}

SD_TEST(manifold_cache_of_capsules) {
    runSequences(SD_SHAPE_CAPSULE, SD_SHAPE_BOX, 5, 1000);
    runSequences(SD_SHAPE_HULL, SD_SHAPE_CAPSULE, 6, 1000);
    runSequences(SD_SHAPE_CAPSULE, SD_SHAPE_CAPSULE, 7, 500);
    runSequences(SD_SHAPE_CAPSULE, SD_SHAPE_CYLINDER, 8, 500);
}

SD_TEST(manifold_cache_of_cylinders_and_cones) {
    runSequences(SD_SHAPE_CYLINDER, SD_SHAPE_BOX, 9, 1000);
    runSequences(SD_SHAPE_CYLINDER, SD_SHAPE_CYLINDER, 10, 500);
    runSequences(SD_SHAPE_CONE, SD_SHAPE_BOX, 11, 500);
    runSequences(SD_SHAPE_CONE, SD_SHAPE_HULL, 12, 500);
    runSequences(SD_SHAPE_CYLINDER, SD_SHAPE_CONE, 13, 500);
}

SD_TEST(manifold_cache_of_spheres_and_triangles) {
    runSequences(SD_SHAPE_SPHERE, SD_SHAPE_HULL, 14, 500);
    runSequences(SD_SHAPE_TRIANGLE, SD_SHAPE_BOX, 15, 500);
    runSequences(SD_SHAPE_TRIANGLE, SD_SHAPE_HULL, 16, 500);
}

SD_TEST(manifold_cache_of_anything_is_harmless) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(17);
    Faults faults = {0};
    for (int i = 0; i < TestRounds(20000); ++i) {
        Sequence s;
        sdShape a = ShapeZoo_Pick(&zoo, &random), b = ShapeZoo_Pick(&zoo, &random);
        if (!start(&s, &zoo, &random, a.type, b.type)) {
            continue;
        }
        // bytes at random, or a cache of another pair
        uint32_t words[sizeof s.cache / sizeof(uint32_t)];
        for (size_t k = 0; k < sizeof words / sizeof words[0]; ++k) {
            words[k] = TestRandom_Next(&random);
        }
        memcpy(&s.cache, words, sizeof s.cache);
        s.cache.kind = (uint8_t)TestRandom_Int(&random, 7);
        s.cache.isApart = TestRandom_Int(&random, 2) == 0;
        s.cache.axis = i % 2 == 0 ? TestRandom_OnSphere(&random) : s.cache.axis;
        s.cache.indexA[0] = (uint16_t)(i % 3 == 0 ? s.cache.indexA[0] : s.cache.indexA[0] % 16);
        s.cache.indexB[0] = (uint16_t)(i % 3 == 0 ? s.cache.indexB[0] : s.cache.indexB[0] % 16);
        s.cache.indexA[1] = (uint16_t)(s.cache.indexA[1] % 64);
        s.cache.indexB[1] = (uint16_t)(s.cache.indexB[1] % 64);
        s.cache.featureType = (uint8_t)(s.cache.featureType % 5);
        checkStep(&s, 1.0f, &faults);
    }
    sdTest_Print("lost %d ghost %d deep %d shallow %d normal %d surface %d", faults.lost,
                 faults.ghost, faults.deep, faults.shallow, faults.normal, faults.surface);
    CHECK_INT(faults.lost + faults.ghost + faults.deep + faults.shallow + faults.normal +
                  faults.surface,
              0);
    ShapeZoo_Free(&zoo);
}

/// An axis so short that gaps along it have no digits parts nothing.
SD_TEST(manifold_cache_with_an_axis_of_no_length_is_harmless) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(18);
    int lost = 0, count = 0;
    for (int i = 0; i < TestRounds(3000); ++i) {
        Sequence s;
        if (!start(&s, &zoo, &random, SD_SHAPE_HULL, SD_SHAPE_HULL)) {
            continue;
        }
        bool isOverlapping = sdPenetration(&s.a, &s.b, s.xf, NULL).separation < 0.0f;
        for (float length = 1e-45f; isOverlapping && length < 1e-10f; length *= 31.0f) {
            sdManifold manifold;
            sdVec3 axis = sdScale(length, TestRandom_OnSphere(&random));
            s.cache = (sdPairCache){.axis = axis, .kind = 1, .count = 1, .isApart = true};
            lost += sdCollide(&s.a, &s.b, s.xf, MARGIN, &s.cache, &manifold) == 0 ? 1 : 0;
            lost += !sdOverlap(&s.a, &s.b, s.xf, &s.cache).isOverlapping ? 1 : 0;
            count += 1;
        }
    }
    CHECK(count > 1000);
    CHECK_INT(lost, 0);
    ShapeZoo_Free(&zoo);
}

/// Vertices of hulls that face each other along an axis, and that no other does so more.
static bool areFurthest(const sdHull* a, const sdHull* b, sdTransform xf, sdVec3 axis,
                        const int nearest[2]) {
    if (nearest[0] == SD_NULL_INDEX && nearest[1] == SD_NULL_INDEX) {
        return true;
    }
    int countA, countB;
    const sdVec3 *verticesA = sdHull_GetVertices(a, &countA), *verticesB;
    verticesB = sdHull_GetVertices(b, &countB);
    if (nearest[0] < 0 || nearest[0] >= countA || nearest[1] < 0 || nearest[1] >= countB) {
        return false;
    }
    sdVec3 back = sdNeg(sdInvRotate(xf.q, axis));
    float mostA = sdDot(axis, verticesA[sdHull_SupportScan(a, axis)]);
    float mostB = sdDot(back, verticesB[sdHull_SupportScan(b, back)]);
    float tolerance = 1e-5f * sdLength(axis) * (a->reach + b->reach);
    return sdDot(axis, verticesA[nearest[0]]) >= mostA - tolerance &&
           sdDot(back, verticesB[nearest[1]]) >= mostB - tolerance;
}

SD_TEST(manifold_cache_tells_hulls_apart_only_where_they_are) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(18);
    int wrong = 0, levels = 0, apart = 0, overlapping = 0, known = 0, count = TestRounds(20000);
    for (int i = 0; i < count; ++i) {
        int nearest[2] = {INT_MAX, INT_MAX}, base[2] = {INT_MAX, INT_MAX};
        sdShape a = ShapeZoo_Make(&zoo, &random, SD_SHAPE_HULL);
        sdShape b = ShapeZoo_Make(&zoo, &random, SD_SHAPE_HULL);
        sdTransform xf = TestRandom_Pose(&random, 2.0f);
        sdSeparation d = sdDistance(&a, &b, xf, NULL);
        sdVec3 axis = i % 2 == 0 && d.separation > 0.0f ? d.normal : TestRandom_OnSphere(&random);
        float margin = TestRandom_Float(&random, 0.0f, 2.0f) * sdMaxF(d.separation, 0.0f);
        // an axis of any length, or none
        axis = sdScale(TestRandom_Float(&random, 0.1f, 10.0f), axis);
        const sdVec3* by = i % 3 == 0 ? NULL : &axis;
        sdHullVerdict verdict =
            SD_DISPATCH(sdHulls_Judge)(a.hull, b.hull, &xf, by, margin, nearest);
        levels += verdict != sdHulls_Judge_base(a.hull, b.hull, &xf, by, margin, base);
        levels += nearest[0] != base[0] || nearest[1] != base[1] ? 1 : 0;
        wrong += by != NULL && !areFurthest(a.hull, b.hull, xf, axis, nearest) ? 1 : 0;
        known += nearest[0] != SD_NULL_INDEX ? 1 : 0;
        wrong += verdict == SD_HULLS_APART && d.separation <= margin ? 1 : 0;
        wrong += verdict == SD_HULLS_OVERLAPPING && d.separation > 0.0f ? 1 : 0;
        apart += verdict == SD_HULLS_APART ? 1 : 0;
        overlapping += verdict == SD_HULLS_OVERLAPPING ? 1 : 0;
    }
    sdTest_Print("%d of %d apart, %d overlapping; wrong %d, levels %d", apart, count, overlapping,
                 wrong, levels);
    CHECK_INT(wrong + levels, 0);
    CHECK(apart > count / 10 && overlapping > count / 100 && known > count / 10);
    ShapeZoo_Free(&zoo);
}

static sdHull* makeHull(const sdVec3* points, int count) {
    sdHullDef def = sdHullDef_Default();
    sdHull* hull = NULL;
    def.points = points;
    def.pointCount = count;
    CHECK_INT(sdHull_Create(NULL, &def, &hull), SD_OK);
    return hull;
}

/// A box, a wedge with triangles and four-sided faces, and a frustum of six sides, as hulls.
static void makeHulls(sdHull* out[3]) {
    sdVec3 box[8], wedge[6], frustum[12];
    for (int i = 0; i < 8; ++i) {
        box[i] = sdV3((i & 1) != 0 ? 0.5f : -0.5f, (i & 2) != 0 ? 0.4f : -0.4f,
                      (i & 4) != 0 ? 0.3f : -0.3f);
    }
    for (int i = 0; i < 6; ++i) {
        float z = i < 3 ? 0.6f : -0.6f;
        wedge[i] = sdV3(i % 3 == 1 ? 0.7f : -0.3f, i % 3 == 2 ? 0.5f : -0.3f, z);
    }
    for (int i = 0; i < 12; ++i) {
        float angle = (float)(i % 6) * SD_PI / 3.0f, r = i < 6 ? 0.6f : 0.4f;
        frustum[i] = sdV3(r * sdCos(angle), i < 6 ? -0.3f : 0.3f, r * sdSin(angle));
    }
    out[0] = makeHull(box, 8);
    out[1] = makeHull(wedge, 6);
    out[2] = makeHull(frustum, 12);
}

static bool areSameManifolds(const sdManifold* m, const sdManifold* n) {
    return m->pointCount == n->pointCount && m->kind == n->kind &&
           memcmp(&m->normal, &n->normal, sizeof m->normal) == 0 &&
           memcmp(m->points, n->points, (size_t)m->pointCount * sizeof m->points[0]) == 0;
}

/// Whether faces in lanes are what the way of all shapes gives.
/// @param result NULL: without deepest points
static bool areFacesSame(sdPairContact* contact, const int faces[2], const sdPairResult* result,
                         int* asked) {
    sdManifold own, base, others;
    sdPairCache caches[3] = {{.count = 0}, {.count = 0}, {.count = 0}};
    bool isOwn =
        SD_DISPATCH(sdHulls_Touch)(contact, faces[0], faces[1], result, 0.05f, &caches[0], &own);
    bool isBase = sdHulls_Touch_base(contact, faces[0], faces[1], result, 0.05f, &caches[1], &base);
    sdSupportFace_SetHullFace(&contact->faceA, contact->a->hull, faces[0], NULL);
    sdSupportFace_SetHullFace(&contact->faceB, contact->b->hull, faces[1], &contact->pose);
    sdPairContact_AddPoints(contact);
    bool hasDeepest = sdPairContact_HasDeepest(contact);
    if (result != NULL) {
        sdPairContact_AddDeepest(contact, result->pointA, result->pointB);
    }
    if (!isOwn) {
        bool isLarge = contact->faceA.polygon.count > SD_HULLS_MAX_SIDES ||
                       contact->faceB.polygon.count > SD_HULLS_MAX_SIDES;
        *asked += isLarge ? 0 : 1;
        // only what rounding has bent is left to the other way, as long as the deepest is known
        return !isBase && (isLarge || result != NULL || !hasDeepest);
    }
    sdPairContact_Write(contact, 0.05f, &caches[2], &others);
    others.kind =
        sdManifold_Kind(sdSupportFace_Touch(&contact->faceA, contact->normal),
                        sdSupportFace_Touch(&contact->faceB, sdScaleD(-1.0, contact->normal)));
    return isBase && areSameManifolds(&own, &base) && areSameManifolds(&own, &others) &&
           memcmp(caches[0].pointIds, caches[2].pointIds, sizeof caches[0].pointIds) == 0;
}

SD_TEST(manifold_cache_has_the_same_bits_for_faces_in_lanes) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    sdHull* hulls[3];
    makeHulls(hulls);
    TestRandom random = TestRandom_Make(41);
    int wrong = 0, asked = 0, count = TestRounds(30000), pairs = 0;
    static sdPairContact contact;
    for (int i = 0; i < count; ++i) {
        sdShape shapes[2];
        for (int k = 0; k < 2; ++k) {
            shapes[k] = i % 2 == 0 ? ShapeZoo_Make(&zoo, &random, SD_SHAPE_HULL)
                                   : sdShape_Hull(hulls[TestRandom_Int(&random, 3)]);
        }
        sdTransform xf = TestRandom_Pose(&random, 1.0f);
        // faces that lie on each other, too, and corners on corners
        if (i % 3 == 0) {
            xf.q = sdQuat_FromAxisAngle(sdV3(0.0f, 1.0f, 0.0f), i % 9 == 0 ? 0.0f : 0.3f);
            xf.p = i % 6 == 0 ? sdV3(0.0f, xf.p.y, 0.0f) : xf.p;
        }
        sdPairResult result;
        if (!sdPair_Separate(&shapes[0], &shapes[1], xf, true, DBL_MAX, NULL, &result)) {
            continue;
        }
        contact.a = &shapes[0];
        contact.b = &shapes[1];
        contact.size = fmin((double)shapes[0].hull->reach, (double)shapes[1].hull->reach);
        contact.limit = sdManifold_Limit(0.05f, contact.size, &xf);
        contact.deepest = result.separation;
        contact.normal = result.normal;
        sdPose_Set(&contact.pose, xf);
        sdVec3d inB = sdPose_InvRotate(&contact.pose, sdScaleD(-1.0, result.normal));
        int faces[2] = {sdSupportFace_OfHull(shapes[0].hull, result.normal, result.indexA),
                        sdSupportFace_OfHull(shapes[1].hull, inB, result.indexB)};
        if (faces[0] != SD_NULL_INDEX && faces[1] != SD_NULL_INDEX) {
            pairs += 1;
            wrong += areFacesSame(&contact, faces, &result, &asked) ? 0 : 1;
            int unused = 0;
            wrong += areFacesSame(&contact, faces, NULL, &unused) ? 0 : 1;
        }
    }
    sdTest_Print("%d pairs, %d differ, %d left to the other way", pairs, wrong, asked);
    CHECK_INT(wrong, 0);
    CHECK(pairs > count / 2 && asked * 1000 <= pairs);
    for (int k = 0; k < 3; ++k) {
        sdHull_Release(hulls[k]);
    }
    ShapeZoo_Free(&zoo);
}

/// What is asked of two hulls that touched, by its own way and by that of all shapes.
static int compareRecall(const Sequence* s, int* ownCount) {
    static sdPairContact contact;
    sdPairCache caches[3] = {s->cache, s->cache, s->cache};
    sdManifold own, base, others = {.pointCount = 0};
    bool isOwn =
        SD_DISPATCH(sdHulls_Recall)(s->a.hull, s->b.hull, &s->xf, MARGIN, &caches[0], &own);
    bool isBase = sdHulls_Recall_base(s->a.hull, s->b.hull, &s->xf, MARGIN, &caches[1], &base);
    contact.a = &s->a;
    contact.b = &s->b;
    contact.reachA = (double)s->a.hull->reach;
    contact.reachB = (double)s->b.hull->reach;
    contact.size = fmin(contact.reachA, contact.reachB);
    contact.limit = sdManifold_Limit(MARGIN, contact.size, &s->xf);
    *ownCount += isOwn ? 1 : 0;
    if (!isOwn) {
        return isBase ? 1 : 0;
    }
    if (sdPairContact_Recall(&contact, &s->xf, &caches[2]) != SD_CACHE_CONTACT) {
        return 1;
    }
    sdPairContact_Write(&contact, MARGIN, &caches[2], &others);
    others.kind =
        sdManifold_Kind(sdSupportFace_Touch(&contact.faceA, contact.normal),
                        sdSupportFace_Touch(&contact.faceB, sdScaleD(-1.0, contact.normal)));
    bool isSame = isBase && areSameManifolds(&own, &base) && areSameManifolds(&own, &others) &&
                  memcmp(&caches[0], &caches[1], sizeof caches[0]) == 0 &&
                  memcmp(&caches[0], &caches[2], sizeof caches[0]) == 0;
    return isSame ? 0 : 1;
}

SD_TEST(manifold_cache_has_the_same_bits_for_hulls_that_touched) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(42);
    int wrong = 0, own = 0, steps = 0, steady = 0;
    for (int i = 0; i < TestRounds(2000); ++i) {
        Sequence s;
        if (!start(&s, &zoo, &random, SD_SHAPE_HULL, SD_SHAPE_HULL)) {
            continue;
        }
        for (int step = 0; step < STEP_COUNT; ++step) {
            sdManifold m;
            float motion = i % 2 == 0 ? 1e-4f : 2e-3f;
            if (s.cache.kind == SD_CACHE_FEATURES) {
                double turn = sdPairCache_Turn(&s.cache, &s.xf);
                steady += turn < sdPairCache_Steady(&s.cache, s.a.hull, s.b.hull) ? 1 : 0;
                wrong += compareRecall(&s, &own);
                steps += 1;
            }
            sdCollide(&s.a, &s.b, s.xf, MARGIN, &s.cache, &m);
            s.xf.p = sdAdd(s.xf.p, TestRandom_InBox(&random, motion));
            sdQuat turn = sdQuat_FromRotationVector(TestRandom_InBox(&random, motion));
            s.xf.q = sdNormalizeQ(sdMulQ(turn, s.xf.q));
        }
    }
    sdTest_Print("%d steps, %d by faces in lanes, %d steady, %d differ", steps, own, steady, wrong);
    CHECK_INT(wrong, 0);
    CHECK(own > steps / 2);
    CHECK(steady > steps / 4);
    ShapeZoo_Free(&zoo);
}

/// What is remembered of vertices that touched counts for the hulls that it is of.
SD_TEST(manifold_cache_of_other_hulls_has_the_same_bits) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(43);
    int wrong = 0, own = 0, steady = 0, count = 0;
    for (int i = 0; i < TestRounds(10000); ++i) {
        Sequence s;
        sdManifold m;
        if (!start(&s, &zoo, &random, SD_SHAPE_HULL, SD_SHAPE_HULL)) {
            continue;
        }
        sdCollide(&s.a, &s.b, s.xf, MARGIN, &s.cache, &m);
        if (s.cache.kind != SD_CACHE_FEATURES) {
            continue;
        }
        sdShape* other = i % 2 == 0 ? &s.a : &s.b;
        const sdHull* last = other->hull;
        *other = ShapeZoo_Make(&zoo, &random, SD_SHAPE_HULL);
        if (other->hull != last) {
            steady += sdPairCache_Steady(&s.cache, s.a.hull, s.b.hull) > 0.0 ? 1 : 0;
            wrong += compareRecall(&s, &own);
            count += 1;
        }
    }
    sdTest_Print("%d pairs, %d by faces in lanes, %d steady, %d differ", count, own, steady, wrong);
    CHECK_INT(wrong, 0);
    CHECK(count > 1000);
    CHECK(steady * 1000 <= count);
    ShapeZoo_Free(&zoo);
}

/// Vertices that no hull has are none, even where the check of a cache fits.
SD_TEST(manifold_cache_with_vertices_that_are_not_there_has_the_same_points) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(44);
    int wrong = 0, count = 0;
    for (int i = 0; i < TestRounds(2000); ++i) {
        Sequence s;
        sdManifold right, forged;
        if (!start(&s, &zoo, &random, SD_SHAPE_HULL, SD_SHAPE_HULL)) {
            continue;
        }
        sdCollide(&s.a, &s.b, s.xf, MARGIN, &s.cache, &right);
        sdPairCache cache = s.cache;
        if (cache.kind != SD_CACHE_FEATURES) {
            continue;
        }
        cache.indexA[2] = cache.indexB[2] = cache.indexA[3] = UINT16_MAX;
        cache.indexB[3] = sdPairCache_Check(&cache, s.a.hull, s.b.hull);
        sdCollide(&s.a, &s.b, s.xf, MARGIN, &s.cache, &right);
        sdCollide(&s.a, &s.b, s.xf, MARGIN, &cache, &forged);
        wrong += areSameManifolds(&right, &forged) ? 0 : 1;
        count += 1;
    }
    sdTest_Print("%d caches, %d differ", count, wrong);
    CHECK_INT(wrong, 0);
    CHECK(count > 100);
    ShapeZoo_Free(&zoo);
}

/// Copies of faces that are not those of the hulls are noticed, and without them hulls are asked.
SD_TEST(manifold_cache_with_copies_of_other_faces_has_the_same_points) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(45);
    int wrong = 0, taken = 0, refused = 0, count = 0;
    for (int i = 0; i < TestRounds(4000); ++i) {
        Sequence s;
        sdManifold right, m;
        if (!start(&s, &zoo, &random, SD_SHAPE_HULL, SD_SHAPE_HULL)) {
            continue;
        }
        sdCollide(&s.a, &s.b, s.xf, MARGIN, &s.cache, &right);
        s.xf.p = sdAdd(s.xf.p, TestRandom_InBox(&random, 1e-4f));
        const sdHull *a = s.a.hull, *b = s.b.hull;
        sdPairCache caches[3] = {s.cache, s.cache, s.cache};
        if (s.cache.kind != SD_CACHE_FEATURES ||
            !SD_DISPATCH(sdHulls_Recall)(a, b, &s.xf, MARGIN, &caches[0], &right)) {
            continue;
        }
        // a bit that is another, in any of the numbers, or no copies at all
        bool isForged = i % 4 != 0;
        char* copies = (char*)&s.cache.polytope;
        if (isForged) {
            int bit = TestRandom_Int(&random, (int)(2 * SD_CACHE_FACE_BYTES * 8));
            copies[sizeof(uint32_t) + (size_t)bit / 8] ^= (char)(1 << bit % 8);
        } else {
            memset(copies, 0, sizeof s.cache.polytope);
        }
        caches[1] = caches[2] = s.cache;
        bool isTaken = SD_DISPATCH(sdHulls_Recall)(a, b, &s.xf, MARGIN, &caches[1], &m);
        wrong += isTaken != sdHulls_Recall_base(a, b, &s.xf, MARGIN, &caches[2], &m) ? 1 : 0;
        taken += isTaken && !isForged ? 1 : 0;
        refused += isForged && !isTaken ? 1 : 0;
        wrong += isForged == isTaken ? 1 : 0;
        sdCollide(&s.a, &s.b, s.xf, MARGIN, &s.cache, &m);
        wrong += areSameManifolds(&right, &m) ? 0 : 1;
        // and has the right ones again
        wrong += isForged && memcmp(&s.cache, &caches[0], sizeof s.cache) != 0 ? 1 : 0;
        count += 1;
    }
    sdTest_Print("%d caches, %d refused, %d without copies, %d wrong", count, refused, taken,
                 wrong);
    CHECK_INT(wrong, 0);
    CHECK(refused > count / 2 && taken > count / 8 && count > 100);
    ShapeZoo_Free(&zoo);
}

/// Spheres and capsules have a way of their own when nothing is remembered of them: with a cache,
/// which takes the way of all others, they touch in the same point.
SD_TEST(manifold_cache_is_nothing_to_spheres_and_capsules) {
    TestRandom random = TestRandom_Make(31);
    const float lengths[4] = {0.0f, 1e-6f, 0.3f, 0.5f};
    int touchingCount = 0, alongCount = 0;
    for (int i = 0; i < 40000; ++i) {
        sdShape shapes[2];
        for (int k = 0; k < 2; ++k) {
            float length = lengths[TestRandom_Int(&random, 4)];
            float radius = TestRandom_Int(&random, 10) == 0 ? 0.0f : 0.2f;
            shapes[k] = TestRandom_Int(&random, 4) == 0 ? sdShape_Sphere(radius)
                                                        : sdShape_Capsule(length, radius);
        }
        sdTransform xf = TestRandom_Pose(&random, 0.6f);
        if (i % 4 == 0) {
            // at right angles and in line, and in each other's middle
            xf.q = sdQuat_FromAxisAngle(sdV3(1.0f, 0.0f, 0.0f), i % 8 == 0 ? 0.5f * SD_PI : 0.0f);
            xf.p = i % 16 == 0 ? sdV3(0.0f, 0.0f, 0.0f) : sdV3(xf.p.x, 0.0f, 0.0f);
        }
        sdPairCache cache = {.kind = 0};
        sdManifold own, others;
        int count = sdCollide(&shapes[0], &shapes[1], xf, 0.05f, NULL, &own);
        CHECK_INT(sdCollide(&shapes[0], &shapes[1], xf, 0.05f, &cache, &others), count);
        CHECK_INT(own.status, others.status);
        CHECK_INT(own.kind, others.kind);
        CHECK(memcmp(&own.normal, &others.normal, sizeof own.normal) == 0);
        for (int k = 0; k < count; ++k) {
            CHECK(memcmp(&own.points[k], &others.points[k], sizeof own.points[k]) == 0);
        }
        touchingCount += count > 0 ? 1 : 0;
        alongCount += own.kind == SD_CONTACT_EDGE_EDGE ? 1 : 0;
    }
    sdTest_Print("%d touch, %d of them along both", touchingCount, alongCount);
    CHECK(touchingCount > 5000 && alongCount > 500);
}
