// SPDX-License-Identifier: MIT
// test_manifold.c - contact manifolds: the contract for any two shapes, bodies at rest, and the
// cases in which other libraries are known to fail.

#include "hull_check.h"
#include "shape_zoo.h"

#define TYPE_COUNT (SD_SHAPE_HULL + 1)

/// Single precision and the rim tolerance, for bodies of about 1 m.
#define ROUNDING 4e-5
/// Share of the smaller body by which the deepest of more than four points may be missed where
/// those of last time stay: 1e-3 of radius and half the height, when it is round.
#define KEPT 1.5e-3
/// Of unit normals that are as good as the same.
#define SAME_NORMAL 1e-4f

typedef struct Faults {
    int status, count, normal, surface, separation, deepest, ids, kind, swap;
} Faults;

static int sumOf(const Faults* f) {
    return f->status + f->count + f->normal + f->surface + f->separation + f->deepest + f->ids +
           f->kind + f->swap;
}

static void printFaults(const char* name, int count, const Faults* f) {
    sdTest_Print("%s: %d pairs; status %d count %d normal %d surface %d separation %d deepest %d "
                 "ids %d kind %d swap %d",
                 name, count, f->status, f->count, f->normal, f->surface, f->separation, f->deepest,
                 f->ids, f->kind, f->swap);
    CHECK_INT(sumOf(f), 0);
}

static float deepestOf(const sdManifold* m) {
    float deepest = FLT_MAX;
    for (int i = 0; i < m->pointCount; ++i) {
        deepest = sdMinF(deepest, m->points[i].separation);
    }
    return deepest;
}

static void checkPoints(const sdShape* a, const sdShape* b, sdTransform xf, float margin,
                        const sdManifold* m, double error, Faults* faults) {
    for (int i = 0; i < m->pointCount; ++i) {
        const sdManifoldPoint* p = &m->points[i];
        faults->surface += TestOffSurface(a, p->pointA) > error ? 1 : 0;
        faults->surface += TestOffSurface(b, sdInvTransformPoint(xf, p->pointB)) > error ? 1 : 0;
        double along = (double)sdDot(m->normal, sdSub(p->pointB, p->pointA));
        faults->separation += fabs(along - (double)p->separation) > ROUNDING ? 1 : 0;
        faults->separation += p->separation > margin ? 1 : 0;
        for (int j = 0; j < i; ++j) {
            faults->ids += m->points[j].id == p->id ? 1 : 0;
        }
    }
}

static double reachOf(const sdShape* shape) {
    sdAABB box = sdShape_GetBounds(shape, sdTransform_Identity());
    return (double)sdLength(sdMax(sdAbs(box.lower), sdAbs(box.upper)));
}

/// @param cache that was asked with, if something was remembered; NULL otherwise
static void checkManifold(const sdShape* a, const sdShape* b, sdTransform xf, float margin,
                          const sdPairCache* cache, const sdManifold* m, Faults* faults) {
    sdSeparation s = sdPenetration(a, b, xf, NULL);
    faults->status += m->status == SD_STATUS_INVALID ? 1 : 0;
    double error = (double)s.error + ROUNDING;
    bool isNear = (double)s.separation < (double)margin - error;
    bool isFar = (double)s.separation > (double)margin + error;
    faults->count += m->pointCount < 0 || m->pointCount > SD_MANIFOLD_MAX_POINTS ? 1 : 0;
    faults->count += (isNear && m->pointCount == 0) || (isFar && m->pointCount != 0) ? 1 : 0;
    if (m->pointCount == 0) {
        return;
    }
    faults->kind += m->kind == SD_CONTACT_NONE ? 1 : 0;
    faults->normal += fabs((double)sdLength(m->normal) - 1.0) > 1e-6 ? 1 : 0;
    // of more than four points those of last time stay while the deepest is about as deep
    bool isKept = cache != NULL && cache->pointCount == SD_MANIFOLD_MAX_POINTS;
    double kept = isKept ? KEPT * fmin(reachOf(a), reachOf(b)) : 0.0;
    double missed = (double)(deepestOf(m) - s.separation);
    faults->deepest += missed > error + kept || missed < -error ? 1 : 0;
    // the normal parts the bodies
    if (a->type != SD_SHAPE_HALF_SPACE && b->type != SD_SHAPE_HALF_SPACE) {
        faults->normal +=
            fabs(TestExitDepth(a, b, xf, m->normal) + (double)s.separation) > error ? 1 : 0;
    }
    checkPoints(a, b, xf, margin, m, error, faults);
}

static void checkSwap(sdNarrowphase narrowphase, const sdShape* a, const sdShape* b, sdTransform xf,
                      float margin, const sdManifold* m, Faults* faults) {
    sdManifold t;
    sdCollideBy(narrowphase, b, a, sdInvertXf(xf), margin, NULL, &t);
    if (m->pointCount == 0 || t.pointCount == 0) {
        bool isAtMargin = sdAbsF(deepestOf(m->pointCount > 0 ? m : &t) - margin) < (float)ROUNDING;
        faults->swap += m->pointCount != t.pointCount && !isAtMargin ? 1 : 0;
        return;
    }
    faults->swap += fabs((double)(deepestOf(m) - deepestOf(&t))) > ROUNDING ? 1 : 0;
    // of normals that are equally good either may be given, and what is flat along one is not along
    // the other
    sdVec3 normal = sdNeg(sdRotate(xf.q, t.normal));
    bool isSameNormal = sdLength(sdSub(normal, m->normal)) < SAME_NORMAL;
    faults->swap += isSameNormal && m->kind != t.kind ? 1 : 0;
}

/// Pairs of every two types, and again after they have moved by a part of their size, with what was
/// remembered of them.
static void checkEveryTwoTypes(sdNarrowphase narrowphase, int rounds) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(1);
    Faults faults = {0};
    int count = 0, points = 0;
    for (int round = 0; round < rounds; ++round) {
        for (int types = 0; types < TYPE_COUNT * TYPE_COUNT; ++types) {
            sdShape a = ShapeZoo_Make(&zoo, &random, (sdShapeType)(types / TYPE_COUNT));
            sdShape b = ShapeZoo_Make(&zoo, &random, (sdShapeType)(types % TYPE_COUNT));
            sdTransform xf = TestRandom_Pose(&random, 1.2f);
            float margin = round % 3 == 0 ? 0.0f : (round % 3 == 1 ? 0.02f : 0.5f);
            sdManifold m;
            sdPairCache cache = {.count = 0};
            bool isAuto = narrowphase == SD_NARROWPHASE_AUTO;
            points += sdCollideBy(narrowphase, &a, &b, xf, margin, isAuto ? NULL : &cache, &m);
            checkManifold(&a, &b, xf, margin, NULL, &m, &faults);
            if (round % 4 == 0) {
                checkSwap(narrowphase, &a, &b, xf, margin, &m, &faults);
            }
            // sdCollide with its memory has tests of its own
            if (!isAuto) {
                xf.p = sdAdd(xf.p, TestRandom_InBox(&random, 0.05f));
                points += sdCollideBy(narrowphase, &a, &b, xf, margin, &cache, &m);
                checkManifold(&a, &b, xf, margin, &cache, &m, &faults);
            }
            count += 1;
        }
    }
    sdTest_Print("%d points", points);
    printFaults(sdNarrowphase_Name(narrowphase), count, &faults);
    ShapeZoo_Free(&zoo);
}

SD_TEST(manifold_keeps_the_contract_for_every_two_types) {
    checkEveryTwoTypes(SD_NARROWPHASE_AUTO, TestRounds(2000));
}

SD_TEST(manifold_by_every_algorithm_keeps_the_contract) {
    for (int i = SD_NARROWPHASE_AUTO + 1; i < SD_NARROWPHASE_COUNT; ++i) {
        checkEveryTwoTypes((sdNarrowphase)i, TestRounds(400));
    }
}

SD_TEST(manifold_on_a_half_space_keeps_the_contract) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(2);
    Faults faults = {0};
    sdShape floor = sdShape_HalfSpace();
    int count = 0;
    for (int i = 0; i < TestRounds(7000); ++i) {
        sdShape a = ShapeZoo_Pick(&zoo, &random);
        sdTransform xf = TestRandom_Pose(&random, 1.0f);
        sdManifold m;
        sdCollide(&floor, &a, xf, 0.02f, NULL, &m);
        checkManifold(&floor, &a, xf, 0.02f, NULL, &m, &faults);
        checkSwap(SD_NARROWPHASE_AUTO, &floor, &a, xf, 0.02f, &m, &faults);
        sdCollide(&a, &floor, xf, 0.02f, NULL, &m);
        checkManifold(&a, &floor, xf, 0.02f, NULL, &m, &faults);
        count += 2;
    }
    printFaults("half-space", count, &faults);
    ShapeZoo_Free(&zoo);
}

static bool hasSameIds(const sdManifold* a, const sdManifold* b) {
    if (a->pointCount != b->pointCount) {
        return false;
    }
    for (int i = 0; i < a->pointCount; ++i) {
        bool isFound = false;
        for (int j = 0; j < b->pointCount; ++j) {
            isFound = isFound || a->points[i].id == b->points[j].id;
        }
        if (!isFound) {
            return false;
        }
    }
    return true;
}

SD_TEST(manifold_ids_stay_while_the_pose_moves_a_little) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(3);
    int touching = 0, changed = 0;
    for (int i = 0; i < TestRounds(20000); ++i) {
        sdShape a = ShapeZoo_Pick(&zoo, &random), b = ShapeZoo_Pick(&zoo, &random);
        sdTransform xf = TestRandom_Pose(&random, 1.0f), moved = xf;
        moved.p = sdAdd(xf.p, TestRandom_InBox(&random, 1e-5f));
        moved.q = sdMulQ(sdQuat_FromRotationVector(TestRandom_InBox(&random, 1e-5f)), xf.q);
        sdManifold m, n;
        if (sdCollide(&a, &b, xf, 0.02f, NULL, &m) > 0) {
            touching += 1;
            sdCollide(&a, &b, moved, 0.02f, NULL, &n);
            changed += hasSameIds(&m, &n) ? 0 : 1;
        }
    }
    sdTest_Print("%d touching, ids changed in %d", touching, changed);
    CHECK(touching > TestRounds(5000));
    // features do change now and then where they meet
    CHECK(changed * 200 < touching);
    ShapeZoo_Free(&zoo);
}

/// Rims of two sides that meet at a sharp corner reach far beyond it: in the first pair, with a
/// corner of 3 degrees just inside of an edge of the box, a point was 0.22 mm beside the triangle.
SD_TEST(manifold_points_lie_on_faces_with_sharp_corners) {
    sdShape needle = sdShape_Triangle(sdV3(0.972561717f, 0.180132747f, 0.107881308f),
                                      sdV3(0.0189545155f, 0.143545628f, -0.406163216f),
                                      sdV3(-0.29174161f, 0.116194725f, -0.482287407f));
    sdShape box = sdShape_Box(0.800166667f, 0.370878249f, 0.594226658f);
    sdManifold m;
    Faults faults = {0};
    sdTransform xf = TestAt(0.17259109f, 0.544736862f, 0.116644785f);
    CHECK(sdCollide(&needle, &box, xf, 0.02f, NULL, &m) > 0);
    checkManifold(&needle, &box, xf, 0.02f, NULL, &m, &faults);
    printFaults("needle", 1, &faults);
    faults = (Faults){0};
    // and as hulls, with the corner inside by more and more
    const sdVec3 wedge[4] = {
        {0.0f, 0.0f, 0.0f}, {-0.8f, 0.0f, 0.02f}, {-0.8f, 0.0f, -0.02f}, {-0.4f, -0.5f, 0.0f}};
    sdVec3 corners[8];
    for (int i = 0; i < 8; ++i) {
        corners[i] =
            sdV3(i % 2 == 0 ? -0.5f : 0.5f, (i / 2) % 2 == 0 ? -0.5f : 0.5f, i < 4 ? -0.5f : 0.5f);
    }
    TestContext test;
    TestContext_Init(&test);
    sdHull* hulls[2] = {TestHull_Make(&test, wedge, 4, SD_HULL_QUICK),
                        TestHull_Make(&test, corners, 8, SD_HULL_QUICK)};
    sdShape shapes[2] = {sdShape_Hull(hulls[0]), sdShape_Hull(hulls[1])};
    for (int i = 0; i < 60; ++i) {
        xf = TestAt(1e-5f * (float)i - 0.5f, 0.5f - 1e-3f, 0.0f);
        CHECK(sdCollide(&shapes[0], &shapes[1], xf, 0.02f, NULL, &m) > 0);
        checkManifold(&shapes[0], &shapes[1], xf, 0.02f, NULL, &m, &faults);
        checkSwap(SD_NARROWPHASE_AUTO, &shapes[0], &shapes[1], xf, 0.02f, &m, &faults);
    }
    printFaults("hulls", 60, &faults);
    sdHull_Release(hulls[0]);
    sdHull_Release(hulls[1]);
    TestContext_Finish(&test);
}

// ---- bodies at rest ------------------------------------------------------------------------

static sdTransform turned(sdVec3 p, sdVec3 axis, float angle) {
    return sdTransform_Make(p, sdQuat_FromAxisAngle(axis, angle));
}

/// Area of the convex polygon of points seen from above.
static float areaOf(const sdManifold* m) {
    // by all triangles of four points the hull is half the sum, and of three it is the sum
    float sum = 0.0f;
    for (int i = 0; i < m->pointCount; ++i) {
        for (int j = i + 1; j < m->pointCount; ++j) {
            for (int k = j + 1; k < m->pointCount; ++k) {
                sdVec3 u = sdSub(m->points[j].pointA, m->points[i].pointA);
                sdVec3 v = sdSub(m->points[k].pointA, m->points[i].pointA);
                sum += 0.5f * sdAbsF(sdDot(m->normal, sdCross(u, v)));
            }
        }
    }
    return m->pointCount == 4 ? 0.5f * sum : sum;
}

static void checkAtRest(const sdShape* a, const sdShape* b, sdTransform xf, int pointCount,
                        float separation, sdContactKind kind) {
    sdManifold m;
    Faults faults = {0};
    CHECK_INT(sdCollide(a, b, xf, 0.01f, NULL, &m), pointCount);
    checkManifold(a, b, xf, 0.01f, NULL, &m, &faults);
    checkSwap(SD_NARROWPHASE_AUTO, a, b, xf, 0.01f, &m, &faults);
    CHECK_INT(sumOf(&faults), 0);
    CHECK_INT(m.kind, kind);
    CHECK_NEAR(m.normal.y, 1.0, 1e-5);
    for (int i = 0; i < m.pointCount; ++i) {
        CHECK_NEAR(m.points[i].separation, separation, 1e-5);
    }
}

SD_TEST(manifold_box_on_box_spans_the_overlap) {
    sdShape floor = sdShape_Box(5.0f, 0.5f, 5.0f), cube = sdShape_Box(0.5f, 0.5f, 0.5f);
    sdManifold m;
    static const float gaps[4] = {-0.01f, -1e-6f, 0.0f, 0.005f};
    for (int i = 0; i < 4; ++i) {
        checkAtRest(&floor, &cube, TestAt(0.3f, 1.0f + gaps[i], -0.2f), 4, gaps[i],
                    SD_CONTACT_FACE_FACE);
        // half over the edge of another
        checkAtRest(&cube, &cube, TestAt(0.5f, 1.0f + gaps[i], 0.25f), 4, gaps[i],
                    SD_CONTACT_FACE_FACE);
        sdCollide(&cube, &cube, TestAt(0.5f, 1.0f + gaps[i], 0.25f), 0.01f, NULL, &m);
        CHECK_NEAR(areaOf(&m), 0.5 * 0.75, 1e-5);
    }
    // an octagon: four corners that span most of it
    sdCollide(&cube, &cube, turned(sdV3(0.0f, 1.0f, 0.0f), sdV3(0.0f, 1.0f, 0.0f), 0.25f * SD_PI),
              0.01f, NULL, &m);
    CHECK_INT(m.pointCount, 4);
    CHECK(areaOf(&m) > 0.55f);
}

SD_TEST(manifold_cylinder_stands_on_four_points_and_lies_on_two) {
    sdShape floor = sdShape_Box(5.0f, 0.5f, 5.0f), cylinder = sdShape_Cylinder(1.0f, 0.5f);
    sdShape plane = sdShape_HalfSpace();
    sdVec3 z = sdV3(0.0f, 0.0f, 1.0f);
    static const float gaps[3] = {-0.01f, 0.0f, 0.005f};
    for (int i = 0; i < 3; ++i) {
        checkAtRest(&floor, &cylinder, TestAt(0.3f, 1.5f + gaps[i], -0.2f), 4, gaps[i],
                    SD_CONTACT_FACE_FACE);
        checkAtRest(&plane, &cylinder, TestAt(0.3f, 1.0f + gaps[i], -0.2f), 4, gaps[i],
                    SD_CONTACT_FACE_FACE);
        sdManifold m;
        sdCollide(&floor, &cylinder, TestAt(0.3f, 1.5f + gaps[i], -0.2f), 0.01f, NULL, &m);
        // a square in the rim
        CHECK_NEAR(areaOf(&m), 2.0 * 0.25, 1e-5);
        checkAtRest(&floor, &cylinder, turned(sdV3(0.3f, 1.0f + gaps[i], 0.0f), z, 0.5f * SD_PI), 2,
                    gaps[i], SD_CONTACT_EDGE_FACE);
        checkAtRest(&plane, &cylinder, turned(sdV3(0.3f, 0.5f + gaps[i], 0.0f), z, 0.5f * SD_PI), 2,
                    gaps[i], SD_CONTACT_EDGE_FACE);
    }
    // two of them, crossed and side by side
    sdManifold m;
    sdTransform above = turned(sdV3(0.99f, 0.1f, 0.0f), sdV3(1.0f, 0.0f, 0.0f), 0.5f * SD_PI);
    CHECK_INT(sdCollide(&cylinder, &cylinder, above, 0.01f, NULL, &m), 1);
    CHECK_INT(m.kind, SD_CONTACT_EDGE_EDGE);
    CHECK_NEAR(m.normal.x, 1.0, 1e-4);
    CHECK_INT(sdCollide(&cylinder, &cylinder, TestAt(0.99f, 0.5f, 0.0f), 0.01f, NULL, &m), 2);
    CHECK_NEAR(m.normal.x, 1.0, 1e-5);
    CHECK_NEAR(sdLength(sdSub(m.points[0].pointA, m.points[1].pointA)), 1.5, 1e-4);
}

SD_TEST(manifold_cone_stands_on_its_rim_and_lies_on_its_slope) {
    sdShape floor = sdShape_Box(5.0f, 0.5f, 5.0f), cone = sdShape_Cone(1.0f, 0.5f);
    sdVec3 z = sdV3(0.0f, 0.0f, 1.0f);
    static const float gaps[3] = {-0.01f, 0.0f, 0.005f};
    for (int i = 0; i < 3; ++i) {
        checkAtRest(&floor, &cone, TestAt(0.3f, 1.5f + gaps[i], -0.2f), 4, gaps[i],
                    SD_CONTACT_FACE_FACE);
        // its slope is at atan(1 / 4) to the axis; turned by that beyond lying
        float tilt = sdAtan2(0.5f, 2.0f);
        sdTransform xf = turned(sdV3(0.0f, 0.0f, 0.0f), z, 0.5f * SD_PI + tilt);
        sdVec3 lowest = sdTransformPoint(xf, sdV3(0.0f, 1.0f, 0.0f));
        xf.p.y = 0.5f - lowest.y + gaps[i];
        checkAtRest(&floor, &cone, xf, 2, gaps[i], SD_CONTACT_EDGE_FACE);
    }
    // on its apex
    checkAtRest(&floor, &cone, turned(sdV3(0.0f, 1.5f, 0.0f), z, SD_PI), 1, 0.0f,
                SD_CONTACT_VERTEX_FACE);
}

SD_TEST(manifold_capsule_lies_on_two_points) {
    sdShape floor = sdShape_Box(5.0f, 0.5f, 5.0f), capsule = sdShape_Capsule(1.0f, 0.25f);
    sdShape plane = sdShape_HalfSpace();
    sdVec3 z = sdV3(0.0f, 0.0f, 1.0f);
    static const float gaps[3] = {-0.01f, 0.0f, 0.005f};
    for (int i = 0; i < 3; ++i) {
        sdTransform lying = turned(sdV3(0.3f, 0.75f + gaps[i], 0.0f), z, 0.5f * SD_PI);
        checkAtRest(&floor, &capsule, lying, 2, gaps[i], SD_CONTACT_EDGE_FACE);
        lying.p.y = 0.25f + gaps[i];
        checkAtRest(&plane, &capsule, lying, 2, gaps[i], SD_CONTACT_EDGE_FACE);
        checkAtRest(&floor, &capsule, TestAt(0.0f, 1.75f + gaps[i], 0.0f), 1, gaps[i],
                    SD_CONTACT_VERTEX_FACE);
        // half over the edge: one end and where the edge is
        lying.p = sdV3(5.0f, 0.75f + gaps[i], 0.0f);
        checkAtRest(&floor, &capsule, lying, 2, gaps[i], SD_CONTACT_EDGE_FACE);
    }
    sdManifold m;
    CHECK_INT(sdCollide(&capsule, &capsule, TestAt(0.5f, 0.5f, 0.0f), 0.01f, NULL, &m), 2);
    CHECK_NEAR(sdLength(sdSub(m.points[0].pointA, m.points[1].pointA)), 1.5, 1e-5);
    CHECK_INT(m.kind, SD_CONTACT_EDGE_EDGE);
}

SD_TEST(manifold_six_kinds) {
    sdShape cube = sdShape_Box(0.5f, 0.5f, 0.5f);
    sdVec3 x = sdV3(1.0f, 0.0f, 0.0f), y = sdV3(0.0f, 1.0f, 0.0f), z = sdV3(0.0f, 0.0f, 1.0f);
    const float edge = 0.70710678f, corner = 0.8660254f, gap = 0.001f;
    sdManifold m;
    sdCollide(&cube, &cube, TestAt(0.1f, 1.0f, 0.2f), 0.01f, NULL, &m);
    CHECK_INT(m.kind, SD_CONTACT_FACE_FACE);
    sdTransform onEdge = turned(sdV3(0.0f, 0.5f + edge + gap, 0.0f), x, 0.25f * SD_PI);
    CHECK_INT(sdCollide(&cube, &cube, onEdge, 0.01f, NULL, &m), 2);
    CHECK_INT(m.kind, SD_CONTACT_EDGE_FACE);
    // the diagonal upright
    sdQuat diagonal = sdQuat_Between(sdV3(1.0f, 1.0f, 1.0f), y);
    sdTransform onCorner = sdTransform_Make(sdV3(0.0f, 0.5f + corner + gap, 0.0f), diagonal);
    CHECK_INT(sdCollide(&cube, &cube, onCorner, 0.01f, NULL, &m), 1);
    CHECK_INT(m.kind, SD_CONTACT_VERTEX_FACE);
    // edges of both upright, one along x and one along z; then a corner on the edge; two corners
    sdTransform edgeUp = turned(sdV3(0.0f, 0.0f, 0.0f), x, 0.25f * SD_PI);
    sdTransform over = turned(sdV3(0.0f, 2.0f * edge + gap, 0.0f), z, 0.25f * SD_PI);
    CHECK_INT(sdCollide(&cube, &cube, sdInvMulXf(edgeUp, over), 0.01f, NULL, &m), 1);
    CHECK_INT(m.kind, SD_CONTACT_EDGE_EDGE);
    over = sdTransform_Make(sdV3(0.0f, edge + corner + gap, 0.0f), diagonal);
    CHECK_INT(sdCollide(&cube, &cube, sdInvMulXf(edgeUp, over), 0.01f, NULL, &m), 1);
    CHECK_INT(m.kind, SD_CONTACT_VERTEX_EDGE);
    sdTransform cornerUp = sdTransform_Make(sdV3(0.0f, 0.0f, 0.0f), diagonal);
    over.p.y = 2.0f * corner + gap;
    CHECK_INT(sdCollide(&cube, &cube, sdInvMulXf(cornerUp, over), 0.01f, NULL, &m), 1);
    CHECK_INT(m.kind, SD_CONTACT_VERTEX_VERTEX);
}

// ---- known failures of others --------------------------------------------------------------

SD_TEST(manifold_two_stacked_unit_cubes) {
    // libccd: NaN
    sdShape cube = sdShape_Box(0.5f, 0.5f, 0.5f);
    checkAtRest(&cube, &cube, TestAt(0.0f, 1.0f, 0.0f), 4, 0.0f, SD_CONTACT_FACE_FACE);
    checkAtRest(&cube, &cube, TestAt(0.0f, 0.999f, 0.0f), 4, -0.001f, SD_CONTACT_FACE_FACE);
}

SD_TEST(manifold_nearly_coplanar_faces_drop_no_points) {
    // many: contacts come and go when faces are nearly but not exactly parallel
    sdShape cube = sdShape_Box(0.5f, 0.5f, 0.5f), floor = sdShape_Box(3.0f, 0.5f, 3.0f);
    TestRandom random = TestRandom_Make(4);
    int wrong = 0, flipped = 0, count = 0;
    for (float angle = 1e-7f; angle < 1.1e-2f; angle *= 1.5f) {
        for (int k = 0; k < 40; ++k) {
            sdVec3 axis = k == 0   ? sdV3(0.0f, 1.0f, 0.0f)
                          : k == 1 ? sdV3(1.0f, 0.0f, 0.0f)
                                   : TestRandom_OnSphere(&random);
            sdTransform xf = turned(sdV3(0.1f, 1.0f, 0.05f), axis, angle);
            static const float gaps[3] = {-0.002f, 0.0f, 0.002f};
            xf.p.y += gaps[k % 3];
            sdManifold m;
            // tilted faces have all corners within the margin
            sdCollide(k % 2 == 0 ? &floor : &cube, &cube, xf, 0.02f, NULL, &m);
            wrong += m.pointCount == 4 ? 0 : 1;
            flipped += m.normal.y < 0.99f ? 1 : 0;
            // and without one, at least the lower edge when they overlap
            sdCollide(&floor, &cube, xf, 0.0f, NULL, &m);
            bool isDeep = k % 3 == 0 && angle < 1e-3f;
            wrong += isDeep && m.pointCount != 4 ? 1 : 0;
            count += 1;
        }
    }
    sdTest_Print("%d poses, %d wrong, %d flipped", count, wrong, flipped);
    CHECK_INT(wrong, 0);
    CHECK_INT(flipped, 0);
}

SD_TEST(manifold_boxes_nearly_touching_with_a_tiny_turn) {
    // FCL: an exception
    TestRandom random = TestRandom_Make(5);
    Faults faults = {0};
    int count = 0;
    for (int i = 0; i < 3000; ++i) {
        sdShape a = sdShape_Box(0.5f, 0.25f, 1.0f), b = sdShape_Box(0.5f, 0.5f, 0.5f);
        float angle = 1e-8f * (float)(1 << (i % 24));
        sdTransform xf =
            turned(TestRandom_InBox(&random, 0.6f), TestRandom_OnSphere(&random), angle);
        int axis = i % 3;
        float gap = 1e-7f * (float)(TestRandom_Int(&random, 9) - 4);
        xf.p.x = axis == 0 ? 1.0f + gap : xf.p.x;
        xf.p.y = axis == 1 ? 0.75f + gap : xf.p.y;
        xf.p.z = axis == 2 ? -1.5f - gap : xf.p.z;
        sdManifold m;
        sdCollide(&a, &b, xf, 0.01f, NULL, &m);
        checkManifold(&a, &b, xf, 0.01f, NULL, &m, &faults);
        count += 1;
    }
    printFaults("tiny turn", count, &faults);
}

SD_TEST(manifold_shallow_overlap_never_flips_the_normal) {
    // EPA of others on touching shapes: the wrong direction
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(6);
    int flipped = 0, count = 0;
    for (int i = 0; i < TestRounds(20000); ++i) {
        sdShape a = ShapeZoo_Pick(&zoo, &random), b = ShapeZoo_Pick(&zoo, &random);
        sdTransform xf = TestRandom_Pose(&random, 3.0f);
        sdSeparation s = sdDistance(&a, &b, xf, NULL);
        if (s.separation <= 0.01f) {
            continue;
        }
        // moved together until they overlap by a hair, or just do not
        float overlap = (i % 2 == 0 ? 1.0f : -1.0f) * 1e-7f * (float)(1 << (i % 14));
        xf.p = sdMulAdd(xf.p, -s.separation - overlap, s.normal);
        sdManifold m;
        sdCollide(&a, &b, xf, 0.01f, NULL, &m);
        // no other direction may part them with less, and none is nearer
        double exit = TestExitDepth(&a, &b, xf, m.normal);
        flipped += m.pointCount == 0 || exit > (double)overlap + ROUNDING ? 1 : 0;
        flipped += fabs((double)deepestOf(&m) + exit) > ROUNDING ? 1 : 0;
        count += 1;
    }
    sdTest_Print("%d touching pairs, %d flipped", count, flipped);
    CHECK_INT(flipped, 0);
    ShapeZoo_Free(&zoo);
}

SD_TEST(manifold_shapes_of_no_size) {
    const sdVec3 o = {0.0f, 0.0f, 0.0f};
    sdShape shapes[ZOO_NO_SIZE_COUNT];
    const int count = ShapeZoo_NoSize(shapes);
    TestRandom random = TestRandom_Make(7);
    Faults faults = {0};
    int pairs = 0;
    for (int i = 0; i < count * count; ++i) {
        for (int k = 0; k < TestRounds(12); ++k) {
            const sdShape *a = &shapes[i / count], *b = &shapes[i % count];
            sdTransform xf = TestRandom_Pose(&random, 1.0f);
            xf.p = k % 4 == 0 ? o : (k % 4 == 1 ? sdV3(0.0f, xf.p.y, 0.0f) : xf.p);
            xf.q = k % 3 == 0 ? sdQuat_Identity() : xf.q;
            for (int by = 0; by < SD_NARROWPHASE_COUNT; ++by) {
                sdManifold m;
                sdCollideBy((sdNarrowphase)by, a, b, xf, 0.1f, NULL, &m);
                checkManifold(a, b, xf, 0.1f, NULL, &m, &faults);
            }
            pairs += 1;
        }
    }
    printFaults("no size", pairs, &faults);
}

SD_TEST(manifold_by_an_algorithm_that_is_not_there_is_refused) {
    sdShape box = sdShape_Box(0.5f, 0.5f, 0.5f);
    const int bad[] = {-1, SD_NARROWPHASE_COUNT, 1000};
    for (int i = 0; i < 3; ++i) {
        sdManifold m;
        CHECK_INT(sdCollideBy((sdNarrowphase)bad[i], &box, &box, TestAt(0.0f, 0.9f, 0.0f), 0.0f,
                              NULL, &m),
                  0);
        CHECK_INT(m.status, SD_STATUS_INVALID);
        CHECK_TEXT(sdNarrowphase_Name((sdNarrowphase)bad[i]), "unknown");
    }
}

SD_TEST(manifold_bad_input_is_refused) {
    sdShape box = sdShape_Box(1.0f, 1.0f, 1.0f), plane = sdShape_HalfSpace();
    sdShape bad = sdShape_Box(1.0f, TestNaN(), 1.0f);
    sdManifold m;
    CHECK_INT(sdCollide(&box, &box, TestAt(0, 0, 0), 0.0f, NULL, NULL), 0);
    struct {
        const sdShape *a, *b;
        sdTransform xf;
        float margin;
    } cases[] = {{NULL, &box, TestAt(0, 0, 0), 0.0f},
                 {&box, NULL, TestAt(0, 0, 0), 0.0f},
                 {&bad, &box, TestAt(0, 0, 0), 0.0f},
                 {&plane, &bad, TestAt(0, 0, 0), 0.0f},
                 {&plane, &plane, TestAt(0, 0, 0), 0.0f},
                 {&box, &box, TestAt(TestNaN(), 0, 0), 0.0f},
                 {&plane, &box, TestAt(TestInfinity(), 0, 0), 0.0f},
                 {&box, &box, TestAt(0, 0, 0), -1.0f},
                 {&box, &box, TestAt(0, 0, 0), TestNaN()}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        for (int by = 0; by < SD_NARROWPHASE_COUNT; ++by) {
            m.pointCount = 7;
            CHECK_INT(sdCollideBy((sdNarrowphase)by, cases[i].a, cases[i].b, cases[i].xf,
                                  cases[i].margin, NULL, &m),
                      0);
            CHECK_INT(m.pointCount, 0);
            CHECK_INT(m.status, SD_STATUS_INVALID);
        }
    }
}

/// Capsules beside each other touch at both ends of what they have in common, whichever way they
/// are twisted a little: with one point between them they would rock on it for ever.
SD_TEST(manifold_of_capsules_side_by_side_has_both_ends) {
    sdShape a = sdShape_Capsule(0.25f, 0.2f), b = sdShape_Capsule(0.3f, 0.15f);
    for (int i = -5; i <= 5; ++i) {
        sdQuat turn = sdQuat_FromAxisAngle(sdV3(1.0f, 0.0f, 0.0f), 0.05f * (float)i);
        sdManifold manifold;
        int count = sdCollide(&a, &b, sdTransform_Make(sdV3(0.34f, 0.1f, 0.01f), turn), 0.02f, NULL,
                              &manifold);
        CHECK(count >= 2);
        float lowest = 1.0f, highest = -1.0f;
        for (int j = 0; j < count; ++j) {
            lowest = sdMinF(lowest, manifold.points[j].pointA.y);
            highest = sdMaxF(highest, manifold.points[j].pointA.y);
        }
        // the deepest one may stand for an end that is near it
        CHECK(highest - lowest > 0.3f);
    }
}
