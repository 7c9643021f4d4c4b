// SPDX-License-Identifier: MIT
// test_feature.c - contact sets of touching polyhedra, and the clipper behind
// them.

#include "narrow/clip.h"
#include "polyhedra.h"

static sdQuat about(float x, float y, float z, float angle) {
    return sdQuat_FromAxisAngle(sdV3(x, y, z), angle);
}

/// A corner up, or an edge along z up.
static sdQuat cornerUp(void) {
    return sdQuat_Between(sdV3(1.0f, 1.0f, 1.0f), sdV3(0.0f, 1.0f, 0.0f));
}

static sdQuat edgeUp(void) {
    return about(0.0f, 0.0f, 1.0f, 0.25f * SD_PI);
}

typedef struct Expected {
    sdContactKind kind;
    int pointCount;
    sdVec3 middle;
} Expected;

static void checkSet(const sdShape* a, const sdShape* b, sdTransform xf, Expected expected) {
    sdContactSet set = sdSat_ContactSet(a, b, xf);
    CHECK_INT(set.status, SD_STATUS_EXACT);
    CHECK_INT(set.kind, expected.kind);
    CHECK_INT(set.pointCount, expected.pointCount);
    sdVec3 sum = sdV3(0.0f, 0.0f, 0.0f);
    for (int i = 0; i < set.pointCount; ++i) {
        sum = sdMulAdd(sum, 1.0f / (float)set.pointCount, set.points[i]);
    }
    CHECK_NEAR(sdLength(sdSub(sum, expected.middle)), 0.0, 3e-5);
    // the same seen from B
    sdContactSet mirror = sdSat_ContactSet(b, a, sdInvertXf(xf));
    CHECK_INT(mirror.kind, expected.kind);
    CHECK_INT(mirror.pointCount, expected.pointCount);
    // where a face touches there is one normal, either way for bodies without thickness
    bool isFace = set.kind == SD_CONTACT_VERTEX_FACE || set.kind >= SD_CONTACT_EDGE_FACE;
    sdVec3 normal = sdRotate(xf.q, mirror.normal);
    CHECK(!isFace || sdAbsF(sdDot(set.normal, normal)) > 0.999999f);
}

// ---- the kinds, one by one -----------------------------------------------------------------

SD_TEST(feature_faces_edges_and_corners_of_cubes) {
    sdShape cube = sdShape_Box(1.0f, 1.0f, 1.0f);
    const float edge = sqrtf(2.0f), corner = sqrtf(3.0f);
    const sdVec3 top = sdV3(0.0f, 1.0f, 0.0f);

    sdTransform xf = TestAt(0.0f, 2.0f, 0.0f);
    checkSet(&cube, &cube, xf, (Expected){SD_CONTACT_FACE_FACE, 4, top});
    xf.q = about(0.0f, 1.0f, 0.0f, 0.25f * SD_PI);
    checkSet(&cube, &cube, xf, (Expected){SD_CONTACT_FACE_FACE, 8, top});

    // a face on an edge, on a corner
    xf = sdTransform_Make(sdV3(0.0f, 1.0f + edge, 0.0f), edgeUp());
    checkSet(&cube, &cube, xf, (Expected){SD_CONTACT_EDGE_FACE, 2, top});
    xf = sdTransform_Make(sdV3(0.2f, 1.0f + corner, 0.1f), cornerUp());
    checkSet(&cube, &cube, xf, (Expected){SD_CONTACT_VERTEX_FACE, 1, sdV3(0.2f, 1.0f, 0.1f)});
}

SD_TEST(feature_edges_cross_or_lie_along_each_other) {
    sdShape cube = sdShape_Box(1.0f, 1.0f, 1.0f);
    const float edge = sqrtf(2.0f);
    // a roof above, turned a quarter about y, on a roof below
    sdQuat roof = edgeUp();
    sdQuat across = sdMulQ(about(0.0f, 1.0f, 0.0f, 0.5f * SD_PI), roof);
    sdVec3 up = sdInvRotate(roof, sdV3(0.0f, 2.0f * edge, 0.0f));
    sdTransform xf = sdTransform_Make(up, sdMulQ(sdConjugate(roof), across));
    checkSet(&cube, &cube, xf, (Expected){SD_CONTACT_EDGE_EDGE, 1, sdScale(0.5f, up)});
    // the same direction, half a length along
    sdVec3 shifted = sdAdd(up, sdV3(0.0f, 0.0f, 1.0f));
    xf = sdTransform_Make(shifted, sdQuat_Identity());
    sdContactSet set = sdSat_ContactSet(&cube, &cube, xf);
    CHECK_INT(set.kind, SD_CONTACT_EDGE_EDGE);
    CHECK_INT(set.pointCount, 2);
    CHECK_NEAR(sdLength(sdSub(set.points[0], set.points[1])), 1.0, 1e-5);
}

SD_TEST(feature_boxes_side_by_side_share_an_edge_or_a_corner) {
    sdShape cube = sdShape_Box(1.0f, 1.0f, 1.0f);
    checkSet(&cube, &cube, TestAt(2.0f, 2.0f, 0.5f),
             (Expected){SD_CONTACT_EDGE_EDGE, 2, sdV3(1.0f, 1.0f, 0.25f)});
    checkSet(&cube, &cube, TestAt(2.0f, 2.0f, 2.0f),
             (Expected){SD_CONTACT_VERTEX_VERTEX, 1, sdV3(1.0f, 1.0f, 1.0f)});
    // a corner that stands on an edge
    sdTransform xf = sdTransform_Make(sdV3(1.0f, 1.0f + sqrtf(3.0f), 0.3f), cornerUp());
    checkSet(&cube, &cube, xf, (Expected){SD_CONTACT_VERTEX_EDGE, 1, sdV3(1.0f, 1.0f, 0.3f)});
}

SD_TEST(feature_plates_needles_and_points) {
    sdShape plate = sdShape_Box(1.0f, 0.0f, 1.0f), needle = sdShape_Box(1.0f, 0.0f, 0.0f);
    sdShape point = sdShape_Box(0.0f, 0.0f, 0.0f);
    sdVec3 o = sdV3(0.0f, 0.0f, 0.0f);
    checkSet(&plate, &plate, TestAt(0.5f, 0.0f, 0.5f),
             (Expected){SD_CONTACT_FACE_FACE, 4, sdV3(0.25f, 0.0f, 0.25f)});
    checkSet(&plate, &point, TestAt(0.5f, 0.0f, 0.5f),
             (Expected){SD_CONTACT_VERTEX_FACE, 1, sdV3(0.5f, 0.0f, 0.5f)});
    checkSet(&plate, &needle, sdTransform_Make(o, about(0.0f, 1.0f, 0.0f, 0.3f)),
             (Expected){SD_CONTACT_EDGE_FACE, 2, o});
    sdContactSet set = sdSat_ContactSet(&point, &point, sdTransform_Identity());
    CHECK_INT(set.kind, SD_CONTACT_VERTEX_VERTEX);
    CHECK_INT(set.pointCount, 1);
    set = sdSat_ContactSet(&needle, &needle, sdTransform_Make(o, about(0.0f, 1.0f, 0.0f, 0.3f)));
    CHECK_INT(set.kind, SD_CONTACT_EDGE_EDGE);
    CHECK_INT(set.pointCount, 1);
}

SD_TEST(feature_small_body_on_a_large_one) {
    sdShape ground = sdShape_Box(1000.0f, 1.0f, 1000.0f),
            pebble = sdShape_Box(0.002f, 0.001f, 0.002f);
    sdContactSet set = sdSat_ContactSet(&ground, &pebble, TestAt(500.0f, 1.001f, 3.0f));
    CHECK_INT(set.kind, SD_CONTACT_FACE_FACE);
    CHECK_INT(set.pointCount, 4);
}

SD_TEST(feature_bodies_apart_have_no_common_points) {
    sdShape cube = sdShape_Box(1.0f, 1.0f, 1.0f), ball = sdShape_Sphere(1.0f);
    sdContactSet set = sdSat_ContactSet(&cube, &cube, TestAt(0.0f, 2.001f, 0.0f));
    CHECK_INT(set.pointCount, 0);
    CHECK_INT(set.kind, SD_CONTACT_NONE);
    CHECK_INT(set.status, SD_STATUS_EXACT);
    CHECK_INT(sdSat_ContactSet(&cube, &ball, TestAt(0.0f, 2.0f, 0.0f)).status, SD_STATUS_INVALID);
    CHECK_INT(sdSat_ContactSet(&cube, &cube, TestAt(0.0f, TestNaN(), 0.0f)).status,
              SD_STATUS_INVALID);
}

// ---- polygons by brute force ---------------------------------------------------------------

/// A rectangle in the plane of x and z, turned about y.
typedef struct Flat {
    double halfX, halfZ, x, z, angle;
} Flat;

/// How far outside of the rectangle a point is; negative inside.
static double outside(const Flat* f, double x, double z) {
    double c = (double)sdCos((float)f->angle), s = (double)sdSin((float)f->angle);
    double u = c * (x - f->x) - s * (z - f->z), v = s * (x - f->x) + c * (z - f->z);
    return fmax(fabs(u) - f->halfX, fabs(v) - f->halfZ);
}

/// Area that both rectangles cover, by a grid.
static double commonArea(const Flat* a, const Flat* b, double half) {
    const int n = 150;
    int inside = 0;
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
            double x = half * (2.0 * (i + 0.5) / n - 1.0), z = half * (2.0 * (k + 0.5) / n - 1.0);
            inside += outside(a, x, z) <= 0.0 && outside(b, x, z) <= 0.0 ? 1 : 0;
        }
    }
    return 4.0 * half * half * (double)inside / (double)(n * n);
}

static double polygonArea(const sdContactSet* set) {
    double area = 0.0;
    for (int i = 0; i < set->pointCount; ++i) {
        sdVec3 p = set->points[i], q = set->points[(i + 1) % set->pointCount];
        area += 0.5 * ((double)p.z * (double)q.x - (double)p.x * (double)q.z);
    }
    return fabs(area);
}

SD_TEST(feature_polygon_of_turned_faces_covers_their_common_area) {
    TestRandom random = TestRandom_Make(5);
    int wrong = 0, polygons = 0;
    for (int i = 0; i < 200; ++i) {
        float ax = TestRandom_Float(&random, 0.2f, 1.0f),
              az = TestRandom_Float(&random, 0.2f, 1.0f);
        float bx = TestRandom_Float(&random, 0.2f, 1.0f),
              bz = TestRandom_Float(&random, 0.2f, 1.0f);
        float angle = TestRandom_Float(&random, 0.0f, 6.0f);
        float x = TestRandom_Float(&random, -1.0f, 1.0f),
              z = TestRandom_Float(&random, -1.0f, 1.0f);
        sdShape a = sdShape_Box(ax, 1.0f, az), b = sdShape_Box(bx, 1.0f, bz);
        sdTransform xf = sdTransform_Make(sdV3(x, 1.9999f, z), about(0.0f, 1.0f, 0.0f, angle));
        Flat fa = {(double)ax, (double)az, 0.0, 0.0, 0.0};
        Flat fb = {(double)bx, (double)bz, (double)x, (double)z, (double)angle};
        double area = commonArea(&fa, &fb, 1.0);
        sdContactSet set = sdSat_ContactSet(&a, &b, xf);
        if (area < 0.01) {
            continue;
        }
        polygons += 1;
        wrong += set.kind == SD_CONTACT_FACE_FACE && set.pointCount >= 3 ? 0 : 1;
        wrong += fabs(polygonArea(&set) - area) < 0.03 ? 0 : 1;
        for (int k = 0; k < set.pointCount; ++k) {
            double px = (double)set.points[k].x, pz = (double)set.points[k].z;
            // every corner on the rim of one rectangle and inside of the other
            double u = outside(&fa, px, pz), v = outside(&fb, px, pz);
            wrong += fabs(fmax(u, v)) < 5e-5 ? 0 : 1;
        }
    }
    sdTest_Print("%d polygons, %d wrong", polygons, wrong);
    CHECK_INT(wrong, 0);
    CHECK(polygons > 50);
}

// ---- limits --------------------------------------------------------------------------------

static sdHull* makeCoin(TestContext* test, int corners, float radius) {
    sdVec3 points[512];
    for (int i = 0; i < corners; ++i) {
        float angle = 2.0f * SD_PI * (float)i / (float)corners;
        float x = radius * sdCos(angle), z = radius * sdSin(angle);
        points[2 * i] = sdV3(x, 0.1f, z);
        points[2 * i + 1] = sdV3(x, -0.1f, z);
    }
    sdHullDef def = sdHullDef_Default();
    def.points = points;
    def.pointCount = 2 * corners;
    sdHull* hull = NULL;
    CHECK_INT(sdHull_Create(&test->context, &def, &hull), SD_OK);
    return hull;
}

SD_TEST(feature_coins_of_many_corners_are_cut_with_notice) {
    TestContext test;
    TestContext_Init(&test);
    static const int corners[4] = {20, 60, 90, 250};
    for (int i = 0; i < 4; ++i) {
        sdHull* a = makeCoin(&test, corners[i], 1.0f);
        sdHull* b = makeCoin(&test, 250, 0.99f);
        sdShape sa = sdShape_Hull(a), sb = sdShape_Hull(b);
        sdTransform xf = sdTransform_Make(sdV3(0.1f, 0.2f, 0.0f), about(0.0f, 1.0f, 0.0f, 0.1f));
        sdContactSet set = sdSat_ContactSet(&sa, &sb, xf);
        CHECK_INT(set.status, SD_STATUS_LIMIT);
        CHECK_INT(set.kind, SD_CONTACT_FACE_FACE);
        CHECK(set.pointCount >= 16 && set.pointCount <= SD_CONTACT_SET_MAX_POINTS);
        for (int k = 0; k < set.pointCount; ++k) {
            sdVec3 p = set.points[k];
            CHECK(sdHull_Contains(a, p, 1e-4f));
            CHECK(sdHull_Contains(b, sdInvTransformPoint(xf, p), 1e-4f));
        }
        // circles of 1 and 0.99 whose middles are 0.1 apart
        CHECK_NEAR(polygonArea(&set), 2.93, 0.12);
        sdHull_Release(a);
        sdHull_Release(b);
    }
    TestContext_Finish(&test);
}

// ---- random touching bodies ----------------------------------------------------------------

/// How far a point is outside of a shape, by many planes.
static double outsideOf(const sdShape* shape, sdVec3 p) {
    sdShape point = sdShape_Box(0.0f, 0.0f, 0.0f);
    return (double)sdGjk_Distance(shape, &point, sdTransform_Make(p, sdQuat_Identity()), NULL)
        .separation;
}

SD_TEST(feature_points_of_touching_bodies_are_on_both) {
    Polyhedra polyhedra;
    Polyhedra_Init(&polyhedra);
    TestRandom random = TestRandom_Make(6);
    int counts[SD_CONTACT_FACE_FACE + 1] = {0}, wrong = 0, total = TestRounds(5000);
    for (int i = 0; i < total; ++i) {
        sdShape a = Polyhedra_Any(&polyhedra, &random), b = Polyhedra_Any(&polyhedra, &random);
        PoseClass poseClass = i % 2 == 0 ? POSE_TOUCHING : POSE_ALIGNED;
        sdTransform xf = Polyhedra_Pose(&random, poseClass, &a, &b);
        sdContactSet set = sdSat_ContactSet(&a, &b, xf);
        double depth = -(double)sdSat_Test(&a, &b, xf, true, NULL).separation;
        double size = ReachOf(&a) + ReachOf(&b) + (double)sdLength(xf.p);
        double tolerance = 5e-5 * size + fmax(depth, 0.0);
        counts[set.kind] += 1;
        wrong += set.pointCount == 0 && depth > 0.0 ? 1 : 0;
        for (int k = 0; k < set.pointCount; ++k) {
            sdVec3 p = set.points[k];
            wrong += outsideOf(&a, p) > tolerance ? 1 : 0;
            wrong += outsideOf(&b, sdInvTransformPoint(xf, p)) > tolerance ? 1 : 0;
        }
    }
    sdTest_Print("none %d, vv %d, ve %d, vf %d, ee %d, ef %d, ff %d; %d wrong", counts[0],
                 counts[1], counts[2], counts[3], counts[4], counts[5], counts[6], wrong);
    CHECK_INT(wrong, 0);
    Polyhedra_Free(&polyhedra);
}

SD_TEST(feature_needle_touches_a_face_at_its_tip) {
    // several axes are equally good here, and along some of them the box has a distant corner first
    sdShape needle = sdShape_Box(1e-5f, 0.12075f, 1e-5f),
            box = sdShape_Box(0.40249f, 0.331426f, 0.609907f);
    sdQuat q = {{-0.00385667f, 0.0021524f, 0.70627f}, 0.707929f};
    sdTransform xf = sdTransform_Make(sdV3(-0.329649f, 0.521035f, -0.352951f), sdNormalizeQ(q));
    sdContactSet set = sdSat_ContactSet(&needle, &box, xf);
    REQUIRE(set.pointCount >= 1);
    for (int i = 0; i < set.pointCount; ++i) {
        CHECK_NEAR(sdLength(sdSub(set.points[i], sdV3(0.0f, 0.12075f, 0.0f))), 0.0, 1e-4);
    }
}

SD_TEST(feature_point_in_the_tip_of_a_needle_touches_it) {
    // 1:1e5, and the point is inside by 1e-7: GJK can stop at the needle's middle, 1e-5 away
    sdVec3 p = sdV3(-0.207640886f, 0.0327119827f, 0.0787754059f);
    sdShape point = sdShape_Triangle(p, p, p), needle = sdShape_Box(1e-5f, 0.965753853f, 1e-5f);
    sdQuat q = {{0.555618227f, 0.344523847f, -0.118122242f}, 0.747421384f};
    sdTransform xf = sdTransform_Make(sdV3(-0.747908235f, -0.309823036f, -0.644730628f), q);
    sdContactSet set = sdSat_ContactSet(&point, &needle, xf);
    CHECK_INT(set.pointCount, 1);
    CHECK_NEAR(sdLength(sdSub(set.points[0], p)), 0.0, 2e-5);
    CHECK(set.kind != SD_CONTACT_NONE);
}

// ---- the clipper ---------------------------------------------------------------------------

SD_TEST(feature_clip_labels_say_what_made_a_corner) {
    sdShape box = sdShape_Box(1.0f, 1.0f, 1.0f);
    sdSatPair pair;
    REQUIRE(sdSatPair_Init(&pair, &box, &box, TestAt(0.5f, 2.0f, 0.0f)));
    // B's bottom over A's top
    sdClipPolygon polygon, top;
    sdClip_SetFace(&top, &pair, true, 2);
    sdClip_SetFace(&polygon, &pair, false, 3);
    CHECK_INT(polygon.count, 4);
    for (int i = 0; i < 4; ++i) {
        CHECK_INT(pair.b.edges[polygon.points[i].out].face, 3);
        CHECK_INT(pair.b.edges[polygon.points[i].in].next, polygon.points[i].out);
    }
    sdClip_BySides(&polygon, &top, sdV3d(0.0, 1.0, 0.0), 1e-9);
    CHECK_INT(polygon.count, 4);
    int cuts = 0;
    for (int i = 0; i < polygon.count; ++i) {
        const sdClipPoint* p = &polygon.points[i];
        CHECK(p->p.x >= -0.5 && p->p.x <= 1.0);
        // sides follow each other
        CHECK_INT(p->out, polygon.points[(i + 1) % polygon.count].in);
        if (p->out < 0) {
            cuts += 1;
            // by A's half-edge on the side +x of its top
            CHECK_INT(pair.a.edges[pair.a.edges[~p->out].twin].face, 0);
        }
    }
    CHECK_INT(cuts, 1);
    // nothing is left
    sdClip_ByPlane(&polygon, sdV3d(1.0, 0.0, 0.0), -5.0, 0.0, 0);
    CHECK_INT(polygon.count, 0);
}
