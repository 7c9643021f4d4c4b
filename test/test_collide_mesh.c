// SPDX-License-Identifier: MIT
// test_collide_mesh.c - pairs with meshes, compounds and half-spaces against brute force over all
// pieces, closed forms, and themselves turned around.

#include "narrow/collide_mesh.h"
#include "support.h"

#include <string.h>

/// Bodies of every kind that is not convex, and some convex ones. Made once a test.
#define MESH_COUNT 6
#define HULL_COUNT 2

typedef struct Zoo {
    TestContext test;
    sdMesh* meshes[MESH_COUNT];
    sdHull* hulls[HULL_COUNT];
    sdCompound* parts;  ///< a handful of convex shapes
    sdCompound* meshed; ///< a mesh beside convex shapes
} Zoo;

enum { RING, STAR, BOX, SKULL, BOLT, BOWL };

static sdTransform randomPose(TestRandom* random, float reach) {
    sdVec3 p = TestRandom_InBox(random, reach);
    return sdTransform_Make(p, TestRandom_Rotation(random));
}

static void Zoo_Init(Zoo* zoo) {
    static const sdModelKind kinds[MESH_COUNT] = {SD_MODEL_RING,  SD_MODEL_STAR, SD_MODEL_BOX,
                                                  SD_MODEL_SKULL, SD_MODEL_BOLT, SD_MODEL_BOWL};
    TestContext_Init(&zoo->test);
    const sdContext* context = &zoo->test.context;
    TestRandom random = TestRandom_Make(71);
    for (int i = 0; i < MESH_COUNT; ++i) {
        CHECK_INT(sdModel_Create(context, kinds[i], 1.0f, &zoo->meshes[i]), SD_OK);
    }
    for (int i = 0; i < HULL_COUNT; ++i) {
        sdVec3 points[32];
        int count = i == 0 ? 6 : 32;
        for (int k = 0; k < count; ++k) {
            points[k] = sdScale(0.4f, TestRandom_OnSphere(&random));
        }
        sdHullDef def = sdHullDef_Default();
        def.points = points;
        def.pointCount = count;
        CHECK_INT(sdHull_Create(context, &def, &zoo->hulls[i]), SD_OK);
    }
    sdCompoundChild children[6] = {
        {sdShape_Sphere(0.2f), randomPose(&random, 0.5f)},
        {sdShape_Box(0.1f, 0.2f, 0.3f), randomPose(&random, 0.5f)},
        {sdShape_Hull(zoo->hulls[0]), randomPose(&random, 0.5f)},
        {sdShape_Capsule(0.3f, 0.1f), randomPose(&random, 0.5f)},
        {sdShape_Cone(0.3f, 0.2f), randomPose(&random, 0.5f)},
        {sdShape_Mesh(zoo->meshes[STAR]), randomPose(&random, 0.5f)},
    };
    CHECK_INT(sdCompound_Create(context, children, 5, &zoo->parts), SD_OK);
    CHECK_INT(sdCompound_Create(context, children + 3, 3, &zoo->meshed), SD_OK);
}

static void Zoo_Free(Zoo* zoo) {
    for (int i = 0; i < MESH_COUNT; ++i) {
        sdMesh_Release(zoo->meshes[i]);
    }
    for (int i = 0; i < HULL_COUNT; ++i) {
        sdHull_Release(zoo->hulls[i]);
    }
    sdCompound_Release(zoo->parts);
    sdCompound_Release(zoo->meshed);
    TestContext_Finish(&zoo->test);
}

static sdShape Zoo_PickConvex(const Zoo* zoo, TestRandom* random) {
    float a = TestRandom_Float(random, 0.02f, 0.3f), b = TestRandom_Float(random, 0.02f, 0.3f);
    switch (TestRandom_Int(random, 8)) {
        case 0:
            return sdShape_Sphere(a);
        case 1:
            return sdShape_Capsule(a, b);
        case 2:
            return sdShape_Box(a, b, 0.1f);
        case 3:
            return sdShape_Cylinder(a, b);
        case 4:
            return sdShape_Cone(a, b);
        case 5:
            return sdShape_Triangle(sdV3(a, 0.0f, b), sdV3(-b, a, 0.0f), sdV3(0.0f, -a, 0.1f));
        default:
            return sdShape_Hull(zoo->hulls[TestRandom_Int(random, HULL_COUNT)]);
    }
}

/// A mesh or compound.
static sdShape Zoo_PickBody(const Zoo* zoo, TestRandom* random, bool isSmall) {
    int kind = TestRandom_Int(random, isSmall ? 5 : MESH_COUNT + 2);
    if (isSmall && kind >= 3) {
        kind += MESH_COUNT - 3;
    }
    if (kind == MESH_COUNT) {
        return sdShape_Compound(zoo->parts);
    }
    if (kind == MESH_COUNT + 1) {
        return sdShape_Compound(zoo->meshed);
    }
    return sdShape_Mesh(zoo->meshes[kind]);
}

// ---- brute force ---------------------------------------------------------------------------

static int meshSize(const sdMesh* mesh) {
    return sdMesh_GetData(mesh).triangleCount;
}

static int countPieces(const sdShape* shape) {
    if (shape->type == SD_SHAPE_MESH) {
        return meshSize(shape->mesh);
    }
    if (shape->type != SD_SHAPE_COMPOUND) {
        return 1;
    }
    int childCount, count = 0;
    const sdCompoundChild* children = sdCompound_GetChildren(shape->compound, &childCount);
    for (int i = 0; i < childCount; ++i) {
        count += countPieces(&children[i].shape);
    }
    return count;
}

static sdShape triangleOf(const sdMesh* mesh, int t) {
    sdMeshData data = sdMesh_GetData(mesh);
    const int32_t* v = data.triangles + 3 * t;
    return sdShape_Triangle(data.vertices[v[0]], data.vertices[v[1]], data.vertices[v[2]]);
}

static sdShape getPiece(const sdShape* shape, int index, sdTransform* xf, int* child) {
    *xf = sdTransform_Identity();
    *child = SD_NULL_INDEX;
    if (shape->type == SD_SHAPE_MESH) {
        *child = index;
        return triangleOf(shape->mesh, index);
    }
    if (shape->type != SD_SHAPE_COMPOUND) {
        return *shape;
    }
    int childCount;
    const sdCompoundChild* children = sdCompound_GetChildren(shape->compound, &childCount);
    int i = 0;
    while (index >= countPieces(&children[i].shape)) {
        index -= countPieces(&children[i].shape);
        i += 1;
    }
    sdTransform own;
    int inner;
    sdShape piece = getPiece(&children[i].shape, index, &own, &inner);
    *xf = children[i].xf;
    *child = i;
    return piece;
}

/// Over all pairs of pieces. Knows nothing of bodies inside each other.
static sdSeparation bruteSeparation(const sdShape* a, const sdShape* b, sdTransform xfAB) {
    sdSeparation best = {.separation = FLT_MAX};
    int countA = countPieces(a), countB = countPieces(b);
    for (int i = 0; i < countA; ++i) {
        sdTransform xfA;
        int childA;
        sdShape pieceA = getPiece(a, i, &xfA, &childA);
        for (int k = 0; k < countB; ++k) {
            sdTransform xfB;
            int childB;
            sdShape pieceB = getPiece(b, k, &xfB, &childB);
            sdTransform xf = sdInvMulXf(xfA, sdMulXf(xfAB, xfB));
            sdSeparation s = sdGjk_Distance(&pieceA, &pieceB, xf, NULL);
            if (s.separation <= 0.0f) {
                s = sdEpa_Penetration(&pieceA, &pieceB, xf, NULL);
            }
            if (s.separation < best.separation) {
                best = s;
                best.childA = childA;
                best.childB = childB;
            }
        }
    }
    return best;
}

static bool isOnSurface(const sdShape* piece, sdVec3 p, float tolerance) {
    sdShape point = sdShape_Sphere(0.0f);
    sdTransform xf = sdTransform_Make(p, sdQuat_Identity());
    return sdGjk_Distance(piece, &point, xf, NULL).separation <= tolerance;
}

/// What every result promises, whatever the pair.
static void checkSeparation(const sdSeparation* s, float tolerance) {
    CHECK(s->status != SD_STATUS_INVALID);
    CHECK(s->iterations > 0);
    CHECK(s->error >= 0.0f && s->error < 1e-4f);
    CHECK_NEAR(sdLength(s->normal), 1.0, 1e-5);
    sdVec3 b = sdMulAdd(s->pointA, s->separation, s->normal);
    CHECK_NEAR(sdLength(sdSub(b, s->pointB)), 0.0, tolerance);
}

/// A point of the piece that a result names, of A (in A's frame) or of B (in A's frame as well).
static void checkPoints(const sdShape* a, const sdShape* b, sdTransform xfAB,
                        const sdSeparation* s) {
    sdTransform xf;
    int child;
    if (a->type == SD_SHAPE_MESH) {
        sdShape piece = getPiece(a, s->childA, &xf, &child);
        CHECK(isOnSurface(&piece, s->pointA, 2e-5f));
    }
    if (b->type == SD_SHAPE_MESH) {
        sdShape piece = getPiece(b, s->childB, &xf, &child);
        CHECK(isOnSurface(&piece, sdInvTransformPoint(xfAB, s->pointB), 2e-5f));
    }
}

typedef struct Tally {
    int apart, overlapping, inside, wrong;
} Tally;

/// One pair by all queries, against brute force and against itself turned around.
static void checkPair(const sdShape* a, const sdShape* b, sdTransform xfAB, Tally* tally) {
    sdSeparation brute = bruteSeparation(a, b, xfAB);
    sdOverlapResult overlap = sdMeshPair_Overlap(a, b, xfAB);
    sdSeparation distance = sdMeshPair_Separation(a, b, xfAB, false);
    sdSeparation depth = sdMeshPair_Separation(a, b, xfAB, true);
    sdSeparation mirrored = sdMeshPair_Separation(b, a, sdInvertXf(xfAB), true);
    CHECK_NEAR(mirrored.separation, depth.separation, 1e-5);
    CHECK(overlap.isOverlapping == (distance.separation <= 0.0f));
    CHECK(overlap.isOverlapping == (depth.separation <= 0.0f));
    checkSeparation(&depth, 2e-5f);
    bool isInside = overlap.isOverlapping && brute.separation > 0.0f;
    if (isInside) {
        tally->inside += 1;
        CHECK(depth.separation < -brute.separation);
        return;
    }
    tally->apart += brute.separation > 0.0f ? 1 : 0;
    tally->overlapping += brute.separation > 0.0f ? 0 : 1;
    // of a compound another child may be inside without touching, and deeper
    bool mayHide = a->type == SD_SHAPE_COMPOUND || b->type == SD_SHAPE_COMPOUND;
    bool isDeeper = depth.separation < 0.0f && depth.separation < brute.separation && mayHide;
    bool isWrong = sdAbsF(brute.separation - depth.separation) > 2e-5f && !isDeeper;
    isWrong = isWrong || (brute.separation > 0.0f) != (distance.separation > 0.0f);
    isWrong = isWrong || (distance.separation > 0.0f &&
                          sdAbsF(brute.separation - distance.separation) > 2e-5f);
    tally->wrong += isWrong ? 1 : 0;
    if (depth.separation > 0.0f) {
        checkPoints(a, b, xfAB, &depth);
    }
}

SD_TEST(collide_mesh_and_convex_agree_with_brute_force) {
    Zoo zoo;
    Zoo_Init(&zoo);
    TestRandom random = TestRandom_Make(1);
    Tally tally = {0};
    for (int i = 0; i < TestRounds(400); ++i) {
        sdShape a = Zoo_PickBody(&zoo, &random, false), b = Zoo_PickConvex(&zoo, &random);
        sdTransform xf = randomPose(&random, i % 2 == 0 ? 0.6f : 1.2f);
        if (i % 3 == 0) {
            checkPair(&a, &b, xf, &tally);
        } else {
            checkPair(&b, &a, xf, &tally);
        }
    }
    sdTest_Print("%d apart, %d overlapping, %d inside, %d wrong", tally.apart, tally.overlapping,
                 tally.inside, tally.wrong);
    CHECK_INT(tally.wrong, 0);
    CHECK(tally.apart > TestRounds(100) && tally.overlapping > TestRounds(50));
    CHECK(tally.inside > 0 || TestScale() < 1.0);
    Zoo_Free(&zoo);
}

SD_TEST(collide_mesh_pairs_agree_with_brute_force) {
    Zoo zoo;
    Zoo_Init(&zoo);
    TestRandom random = TestRandom_Make(2);
    Tally tally = {0};
    for (int i = 0; i < TestRounds(60); ++i) {
        sdShape a = Zoo_PickBody(&zoo, &random, true), b = Zoo_PickBody(&zoo, &random, true);
        checkPair(&a, &b, randomPose(&random, i % 2 == 0 ? 0.5f : 1.2f), &tally);
    }
    sdTest_Print("%d apart, %d overlapping, %d inside, %d wrong", tally.apart, tally.overlapping,
                 tally.inside, tally.wrong);
    CHECK_INT(tally.wrong, 0);
    CHECK((tally.apart > 15 && tally.overlapping > 15) || TestScale() < 1.0);
    Zoo_Free(&zoo);
}

// ---- special poses -------------------------------------------------------------------------

/// Bodies that touch, lie inside each other or are the same, where the answer is known.
SD_TEST(collide_mesh_known_poses) {
    Zoo zoo;
    Zoo_Init(&zoo);
    sdShape box = sdShape_Mesh(zoo.meshes[BOX]);
    sdShape ring = sdShape_Mesh(zoo.meshes[RING]);
    sdShape bowl = sdShape_Mesh(zoo.meshes[BOWL]);
    sdShape ball = sdShape_Sphere(0.1f), cube = sdShape_Box(0.5f, 0.5f, 0.5f);
    sdTransform at = sdTransform_Identity();

    // in the middle of a cube of side 1: out by 0.5 and the ball's 0.2 is 0.6
    sdSeparation s = sdMeshPair_Separation(&box, &ball, at, true);
    CHECK_NEAR(s.separation, -0.6, 1e-5);
    CHECK(sdMeshPair_Overlap(&box, &ball, at).isOverlapping);
    CHECK(sdMeshPair_Separation(&box, &ball, at, false).separation == 0.0f);
    at.p.x = 0.3f;
    s = sdMeshPair_Separation(&box, &ball, at, true);
    CHECK_NEAR(s.separation, -0.3, 1e-5);
    CHECK_NEAR(s.normal.x, 1.0, 1e-5);
    CHECK_NEAR(s.pointA.x, 0.5, 1e-5);
    CHECK_NEAR(s.pointB.x, 0.2, 1e-5);
    s = sdMeshPair_Separation(&ball, &box, sdInvertXf(at), true);
    CHECK_NEAR(s.separation, -0.3, 1e-5);
    CHECK_NEAR(s.normal.x, -1.0, 1e-5);
    CHECK_NEAR(s.pointA.x, -0.1, 1e-5);
    CHECK_NEAR(s.pointB.x, 0.2, 1e-5);

    // touching from outside, and in the hole of the ring
    at.p.x = 0.6f;
    CHECK_NEAR(sdMeshPair_Separation(&box, &ball, at, true).separation, 0.0, 1e-6);
    s = sdMeshPair_Separation(&ring, &ball, sdTransform_Identity(), true);
    CHECK(s.separation > 0.15f && s.separation < 0.2f);
    CHECK(!sdMeshPair_Overlap(&ring, &ball, sdTransform_Identity()).isOverlapping);
    // a bowl holds a ball without touching it
    s = sdMeshPair_Separation(&bowl, &ball, sdTransform_Make(sdV3(0.0f, 0.2f, 0.0f), at.q), true);
    CHECK(s.separation > 0.0f);

    // the same body twice, and a cube of the same size face to face
    at.p = sdV3(0.0f, 0.0f, 0.0f);
    CHECK(sdMeshPair_Overlap(&ring, &ring, at).isOverlapping);
    CHECK(sdMeshPair_Separation(&ring, &ring, at, true).separation <= 0.0f);
    at.p.y = 1.0f;
    CHECK(sdMeshPair_Overlap(&box, &cube, at).isOverlapping);
    CHECK(sdMeshPair_Overlap(&box, &box, at).isOverlapping);
    CHECK_NEAR(sdMeshPair_Separation(&box, &box, at, true).separation, 0.0, 1e-6);
    at.p.y = 1.5f;
    s = sdMeshPair_Separation(&box, &box, at, true);
    CHECK_NEAR(s.separation, 0.5, 1e-6);
    CHECK_NEAR(s.normal.y, 1.0, 1e-6);

    // far away
    at.p = sdV3(1e6f, 0.0f, 0.0f);
    s = sdMeshPair_Separation(&ring, &box, at, true);
    CHECK_NEAR(s.separation, 1e6, 2.0);
    CHECK(s.childA >= 0 && s.childB >= 0 && s.status != SD_STATUS_INVALID);
    Zoo_Free(&zoo);
}

/// A mesh of two boxes, one inside the other body, is noticed by its inner part.
SD_TEST(collide_mesh_looks_at_every_component) {
    Zoo zoo;
    Zoo_Init(&zoo);
    sdMeshData data = sdMesh_GetData(zoo.meshes[BOX]);
    sdVec3 vertices[16];
    int32_t triangles[72];
    REQUIRE(data.vertexCount == 8 && data.triangleCount == 12);
    for (int i = 0; i < 16; ++i) {
        vertices[i] = sdScale(0.1f, data.vertices[i % 8]);
        vertices[i].x += i < 8 ? 5.0f : 0.0f;
    }
    for (int i = 0; i < 72; ++i) {
        triangles[i] = data.triangles[i % 36] + (i < 36 ? 0 : 8);
    }
    sdMeshDef def = sdMeshDef_Default();
    def.data = (sdMeshData){vertices, 16, triangles, 24};
    sdMesh* two = NULL;
    REQUIRE(sdMesh_Create(&zoo.test.context, &def, &two) == SD_OK);
    sdShape a = sdShape_Mesh(zoo.meshes[BOX]), b = sdShape_Mesh(two);
    CHECK(sdMeshPair_Overlap(&a, &b, sdTransform_Identity()).isOverlapping);
    CHECK(sdMeshPair_Overlap(&b, &a, sdTransform_Identity()).isOverlapping);
    CHECK(sdMeshPair_Separation(&b, &a, sdTransform_Identity(), true).separation < 0.0f);
    sdTransform aside = sdTransform_Make(sdV3(-2.0f, 0.0f, 0.0f), sdQuat_Identity());
    CHECK(!sdMeshPair_Overlap(&a, &b, aside).isOverlapping);
    sdMesh_Release(two);
    Zoo_Free(&zoo);
}

SD_TEST(collide_mesh_refuses_bad_numbers) {
    Zoo zoo;
    Zoo_Init(&zoo);
    sdShape ring = sdShape_Mesh(zoo.meshes[RING]), none = sdShape_Mesh(NULL);
    sdShape bad = sdShape_Sphere(TestNaN()), floor = sdShape_HalfSpace();
    sdShape ball = sdShape_Sphere(0.1f);
    sdTransform ok = sdTransform_Identity(), nan = ok, unit = ok;
    nan.p.y = TestNaN();
    unit.q.s = 2.0f;
    const sdShape* as[6] = {&ring, &ring, &none, &ring, &floor, &floor};
    const sdShape* bs[6] = {&ball, &ring, &ball, &bad, &ring, &floor};
    sdTransform xfs[6] = {nan, unit, ok, ok, nan, ok};
    for (int i = 0; i < 6; ++i) {
        sdSeparation s = sdMeshPair_Separation(as[i], bs[i], xfs[i], true);
        CHECK_INT(s.status, SD_STATUS_INVALID);
        CHECK(s.separation == 0.0f && s.normal.x == 0.0f && s.pointA.y == 0.0f);
        sdOverlapResult o = sdMeshPair_Overlap(as[i], bs[i], xfs[i]);
        CHECK(o.status == SD_STATUS_INVALID && !o.isOverlapping);
    }
    CHECK_INT(sdMeshPair_Separation(NULL, &ring, ok, true).status, SD_STATUS_INVALID);
    CHECK_INT(sdMeshPair_Separation(&ring, NULL, ok, true).status, SD_STATUS_INVALID);
    Zoo_Free(&zoo);
}

/// Bodies of a millimetre and of a kilometre are as right as those of a metre.
SD_TEST(collide_mesh_at_all_sizes) {
    TestContext test;
    TestContext_Init(&test);
    TestRandom random = TestRandom_Make(5);
    static const float sizes[3] = {1e-3f, 1.0f, 1e3f};
    sdMesh* meshes[3][2];
    for (int k = 0; k < 3; ++k) {
        REQUIRE(sdModel_Create(&test.context, SD_MODEL_RING, sizes[k], &meshes[k][0]) == SD_OK);
        REQUIRE(sdModel_Create(&test.context, SD_MODEL_STAR, sizes[k], &meshes[k][1]) == SD_OK);
    }
    int wrong = 0;
    for (int i = 0; i < 200; ++i) {
        sdTransform xf = randomPose(&random, 0.7f);
        double results[3];
        for (int k = 0; k < 3; ++k) {
            sdShape a = sdShape_Mesh(meshes[k][0]), b = sdShape_Mesh(meshes[k][1]);
            sdTransform scaled = sdTransform_Make(sdScale(sizes[k], xf.p), xf.q);
            sdSeparation s = sdMeshPair_Separation(&a, &b, scaled, true);
            results[k] = (double)s.separation / (double)sizes[k];
        }
        wrong += fabs(results[0] - results[1]) > 1e-5 || fabs(results[2] - results[1]) > 1e-5;
    }
    sdTest_Print("%d wrong", wrong);
    CHECK_INT(wrong, 0);
    for (int k = 0; k < 3; ++k) {
        sdMesh_Release(meshes[k][0]);
        sdMesh_Release(meshes[k][1]);
    }
    TestContext_Finish(&test);
}

// ---- half-spaces ---------------------------------------------------------------------------

/// All vertices of a piece, or its furthest point: the height of its lowest one over the plane of
/// the frame H.
static double lowestHeight(const sdShape* shape, sdTransform xfHX) {
    double lowest = DBL_MAX;
    int count = countPieces(shape);
    for (int i = 0; i < count; ++i) {
        sdTransform xf;
        int child;
        sdShape piece = getPiece(shape, i, &xf, &child);
        sdTransform whole = sdMulXf(xfHX, xf);
        sdVec3 down = sdInvRotate(whole.q, sdV3(0.0f, -1.0f, 0.0f));
        double y = (double)sdTransformPoint(whole, sdShape_Support(&piece, down)).y;
        lowest = y < lowest ? y : lowest;
    }
    return lowest;
}

SD_TEST(collide_mesh_half_space_is_the_lowest_point) {
    Zoo zoo;
    Zoo_Init(&zoo);
    TestRandom random = TestRandom_Make(6);
    sdShape floor = sdShape_HalfSpace();
    int wrong = 0, apart = 0;
    for (int i = 0; i < 600; ++i) {
        sdShape x = i % 2 == 0 ? Zoo_PickConvex(&zoo, &random) : Zoo_PickBody(&zoo, &random, false);
        sdTransform xf = randomPose(&random, 1.0f);
        double height = lowestHeight(&x, xf);
        sdSeparation s = sdMeshPair_Separation(&floor, &x, xf, true);
        CHECK_INT(s.status, SD_STATUS_EXACT);
        wrong += fabs((double)s.separation - height) > 2e-6 ? 1 : 0;
        CHECK(s.normal.y == 1.0f && s.pointA.y == 0.0f);
        CHECK_NEAR(s.pointB.y, height, 2e-6);
        checkSeparation(&s, 1e-6f);
        // the other way round, in the other frame
        sdSeparation t = sdMeshPair_Separation(&x, &floor, sdInvertXf(xf), true);
        checkSeparation(&t, 2e-6f);
        wrong += fabs((double)t.separation - height) > 2e-6 ? 1 : 0;
        CHECK_NEAR(sdTransformPoint(xf, t.pointA).y, height, 4e-6);
        CHECK_NEAR(sdTransformPoint(xf, t.pointB).y, 0.0, 4e-6);
        CHECK_NEAR(sdRotate(xf.q, t.normal).y, -1.0, 1e-6);
        CHECK_INT(t.childA, s.childB);
        bool isApart = height > 0.0;
        apart += isApart ? 1 : 0;
        CHECK(sdMeshPair_Overlap(&floor, &x, xf).isOverlapping == !isApart);
        float distance = sdMeshPair_Separation(&x, &floor, sdInvertXf(xf), false).separation;
        CHECK((distance > 0.0f) == isApart);
    }
    sdTest_Print("%d apart, %d wrong", apart, wrong);
    CHECK_INT(wrong, 0);
    CHECK(apart > 50);
    Zoo_Free(&zoo);
}

// ---- rays and casts ------------------------------------------------------------------------

/// By conservative advancement: slow, plain, and the same for brute force and walk.
static sdCastHit slowCast(const sdShape* a, const sdShape* b, sdTransform xf, sdVec3 translation) {
    sdCastHit hit = {.fraction = 1.0f, .status = SD_STATUS_TOLERANCE, .iterations = 1};
    double t = 0.0;
    for (int i = 0; i < 200; ++i) {
        sdTransform now = sdTransform_Make(sdMulAdd(xf.p, (float)t, translation), xf.q);
        sdSeparation s = sdGjk_Distance(a, b, now, NULL);
        hit.iterations += 1;
        if (s.status == SD_STATUS_INVALID) {
            hit.status = SD_STATUS_INVALID;
            return hit;
        }
        if (s.separation <= 1e-6f) {
            hit.isHit = true;
            hit.fraction = (float)t;
            hit.point = s.pointA;
            return hit;
        }
        hit.normal = s.normal;
        double speed = -(double)sdDot(s.normal, translation);
        t += speed > 0.0 ? (double)s.separation / speed : 2.0;
        if (t > 1.0) {
            return hit;
        }
    }
    hit.isHit = true;
    hit.fraction = (float)t;
    return hit;
}

static sdRayHit slowRaycast(const sdShape* shape, sdVec3 origin, sdVec3 translation) {
    sdShape point = sdShape_Sphere(0.0f);
    sdTransform xf = sdTransform_Make(origin, sdQuat_Identity());
    sdCastHit hit = slowCast(shape, &point, xf, translation);
    bool isInside = hit.isHit && hit.fraction == 0.0f;
    return (sdRayHit){.isHit = hit.isHit,
                      .fraction = hit.fraction,
                      .point = hit.point,
                      .normal = isInside ? sdNormalize(sdNeg(translation)) : hit.normal,
                      .child = SD_NULL_INDEX,
                      .status = hit.status,
                      .iterations = hit.iterations};
}

static sdCastHit bruteCast(const sdShape* a, const sdShape* b, sdTransform xfAB, sdVec3 step) {
    sdCastHit best = {.fraction = 1.0f};
    for (int i = 0, countA = countPieces(a); i < countA; ++i) {
        sdTransform xfA, xfB;
        int childA, childB;
        sdShape pieceA = getPiece(a, i, &xfA, &childA);
        for (int k = 0, countB = countPieces(b); k < countB; ++k) {
            sdShape pieceB = getPiece(b, k, &xfB, &childB);
            sdTransform xf = sdInvMulXf(xfA, sdMulXf(xfAB, xfB));
            sdCastHit hit = slowCast(&pieceA, &pieceB, xf, sdInvRotate(xfA.q, step));
            if (hit.isHit && (!best.isHit || hit.fraction < best.fraction)) {
                best = hit;
            }
        }
    }
    return best;
}

SD_TEST(collide_mesh_casts_agree_with_brute_force) {
    Zoo zoo;
    Zoo_Init(&zoo);
    TestRandom random = TestRandom_Make(7);
    int hits = 0, starts = 0, wrong = 0;
    for (int i = 0; i < TestRounds(120); ++i) {
        bool isSmall = i % 4 == 0;
        sdShape a = Zoo_PickBody(&zoo, &random, true);
        sdShape b = isSmall ? sdShape_Mesh(zoo.meshes[STAR]) : Zoo_PickConvex(&zoo, &random);
        bool isSwapped = i % 3 == 0;
        const sdShape* first = isSwapped ? &b : &a;
        const sdShape* second = isSwapped ? &a : &b;
        sdTransform xf = randomPose(&random, 1.5f);
        sdVec3 step = sdSub(TestRandom_InBox(&random, 0.8f), xf.p);
        step = i % 5 == 0 ? sdV3(0.0f, step.y, 0.0f) : step;
        sdCastHit brute = bruteCast(first, second, xf, step);
        sdCastHit hit = sdMeshPair_Cast(first, second, xf, step, slowCast);
        CHECK(hit.status != SD_STATUS_INVALID);
        bool isStart = sdMeshPair_Overlap(first, second, xf).isOverlapping;
        if (isStart) {
            starts += 1;
            CHECK(hit.isHit && hit.fraction == 0.0f);
            CHECK_NEAR(sdLength(hit.normal), 1.0, 1e-5);
            continue;
        }
        hits += brute.isHit ? 1 : 0;
        wrong += hit.isHit != brute.isHit || sdAbsF(hit.fraction - brute.fraction) > 1e-5f ? 1 : 0;
        if (hit.isHit) {
            // they touch there, at the point that is given
            sdTransform then = sdTransform_Make(sdMulAdd(xf.p, hit.fraction, step), xf.q);
            sdSeparation s = sdMeshPair_Separation(first, second, then, true);
            CHECK(sdAbsF(s.separation) < 1e-4f);
            sdShape point = sdShape_Sphere(0.0f);
            sdTransform at = sdTransform_Make(hit.point, sdQuat_Identity());
            float gap = first->type < SD_SHAPE_HALF_SPACE
                            ? sdGjk_Distance(first, &point, at, NULL).separation
                            : sdMeshPair_Separation(first, &point, at, false).separation;
            CHECK(gap < 1e-4f);
        }
    }
    sdTest_Print("%d hits, %d overlap at the start, %d wrong", hits, starts, wrong);
    CHECK_INT(wrong, 0);
    CHECK(hits > 40 || TestScale() < 1.0);
    Zoo_Free(&zoo);
}

SD_TEST(collide_mesh_rays) {
    Zoo zoo;
    Zoo_Init(&zoo);
    TestRandom random = TestRandom_Make(8);
    int hits = 0, insides = 0, wrong = 0;
    for (int i = 0; i < 300; ++i) {
        sdShape shape = Zoo_PickBody(&zoo, &random, false);
        sdVec3 origin = TestRandom_InBox(&random, 1.0f);
        sdVec3 step = sdScale(2.0f, sdSub(TestRandom_InBox(&random, 0.4f), origin));
        step = i % 5 == 0 ? sdV3(0.0f, 0.0f, -1.5f) : step;
        sdRayHit hit = sdMeshPair_Raycast(&shape, origin, step, slowRaycast);
        if (sdShape_ContainsPoint(&shape, origin)) {
            insides += 1;
            CHECK(hit.isHit && hit.fraction == 0.0f && sdDot(hit.normal, step) < 0.0f);
            continue;
        }
        sdShape point = sdShape_Sphere(0.0f);
        sdTransform at = sdTransform_Make(origin, sdQuat_Identity());
        sdCastHit brute = bruteCast(&shape, &point, at, step);
        hits += hit.isHit ? 1 : 0;
        wrong += hit.isHit != brute.isHit ? 1 : 0;
        if (hit.isHit && brute.isHit) {
            wrong += sdAbsF(hit.fraction - brute.fraction) > 1e-5f ? 1 : 0;
            CHECK_NEAR(sdLength(sdSub(hit.point, sdMulAdd(origin, hit.fraction, step))), 0.0, 1e-5);
            CHECK(sdDot(hit.normal, step) < 1e-6f && hit.child >= 0);
        }
    }
    sdTest_Print("%d hits, %d start inside, %d wrong", hits, insides, wrong);
    CHECK_INT(wrong, 0);
    CHECK(hits > 50 && insides > 5);

    sdShape ring = sdShape_Mesh(zoo.meshes[RING]);
    sdVec3 nan = sdV3(TestNaN(), 0.0f, 0.0f), zero = sdV3(0.0f, 0.0f, 0.0f);
    CHECK_INT(sdMeshPair_Raycast(&ring, nan, zero, slowRaycast).status, SD_STATUS_INVALID);
    CHECK_INT(sdMeshPair_Raycast(&ring, zero, nan, slowRaycast).status, SD_STATUS_INVALID);
    CHECK_INT(sdMeshPair_Raycast(NULL, zero, zero, slowRaycast).status, SD_STATUS_INVALID);
    CHECK(!sdMeshPair_Raycast(&ring, zero, zero, slowRaycast).isHit);
    Zoo_Free(&zoo);
}

SD_TEST(collide_mesh_half_space_rays_and_casts) {
    sdShape floor = sdShape_HalfSpace(), ball = sdShape_Sphere(0.25f);
    sdRayHit ray =
        sdMeshPair_Raycast(&floor, sdV3(1.0f, 2.0f, 0.0f), sdV3(0.0f, -8.0f, 4.0f), slowRaycast);
    CHECK(ray.isHit && ray.fraction == 0.25f && ray.point.z == 1.0f && ray.normal.y == 1.0f);
    CHECK_INT(ray.status, SD_STATUS_EXACT);
    ray = sdMeshPair_Raycast(&floor, sdV3(1.0f, 2.0f, 0.0f), sdV3(0.0f, -1.9f, 0.0f), slowRaycast);
    CHECK(!ray.isHit);
    ray = sdMeshPair_Raycast(&floor, sdV3(1.0f, -2.0f, 0.0f), sdV3(3.0f, 0.0f, 0.0f), slowRaycast);
    CHECK(ray.isHit && ray.fraction == 0.0f && ray.normal.x == -1.0f);

    sdTransform at = sdTransform_Make(sdV3(0.0f, 1.25f, 0.0f), sdQuat_Identity());
    sdCastHit hit = sdMeshPair_Cast(&floor, &ball, at, sdV3(4.0f, -2.0f, 0.0f), slowCast);
    CHECK(hit.isHit && hit.fraction == 0.5f && hit.normal.y == 1.0f);
    CHECK_NEAR(hit.point.x, 2.0, 1e-6);
    CHECK_NEAR(hit.point.y, 0.0, 1e-6);
    // the floor comes up to the ball
    hit = sdMeshPair_Cast(&ball, &floor, sdInvertXf(at), sdV3(0.0f, 2.0f, 0.0f), slowCast);
    CHECK(hit.isHit && hit.fraction == 0.5f && hit.normal.y == -1.0f);
    CHECK_NEAR(hit.point.y, -0.25, 1e-6);
    hit = sdMeshPair_Cast(&floor, &ball, at, sdV3(4.0f, -0.9f, 0.0f), slowCast);
    CHECK(!hit.isHit);
    at.p.y = 0.1f;
    hit = sdMeshPair_Cast(&floor, &ball, at, sdV3(0.0f, 1.0f, 0.0f), slowCast);
    CHECK(hit.isHit && hit.fraction == 0.0f);
}

// ---- manifolds -----------------------------------------------------------------------------

#define MANY 4096

static float deepestOf(const sdManifold* m) {
    float deepest = FLT_MAX;
    for (int i = 0; i < m->pointCount; ++i) {
        deepest = sdMinF(deepest, m->points[i].separation);
    }
    return deepest;
}

/// The poses of pieces are rounded in another order, so that points at the margin and features that
/// are equally good may differ.
static bool isSameManifold(const sdManifold* m, const sdManifold* other) {
    return m->childA == other->childA && m->childB == other->childB &&
           sdLength(sdSub(m->normal, other->normal)) < 5e-3f &&
           sdAbsF(deepestOf(m) - deepestOf(other)) < 1e-5f;
}

/// Every two pieces, one by one.
/// @return how many manifolds there are that the walk did not find
static int findMissing(const sdShape* a, const sdShape* b, sdTransform xfAB, float margin,
                       const sdManifold* found, int count, int* total) {
    int missing = 0;
    *total = 0;
    for (int i = 0, countA = countPieces(a); i < countA; ++i) {
        sdTransform xfA, xfB;
        int childA, childB;
        sdShape pieceA = getPiece(a, i, &xfA, &childA);
        for (int k = 0, countB = countPieces(b); k < countB; ++k) {
            sdShape pieceB = getPiece(b, k, &xfB, &childB);
            sdTransform xf = sdInvMulXf(xfA, sdMulXf(xfAB, xfB));
            sdManifold m;
            if (sdCollide(&pieceA, &pieceB, xf, margin, NULL, &m) == 0) {
                continue;
            }
            *total += 1;
            m.childA = childA;
            m.childB = childB;
            m.normal = sdRotate(xfA.q, m.normal);
            for (int p = 0; p < m.pointCount; ++p) {
                m.points[p].pointA = sdTransformPoint(xfA, m.points[p].pointA);
            }
            bool isFound = false;
            for (int f = 0; f < count && !isFound; ++f) {
                isFound = isSameManifold(&found[f], &m);
            }
            missing += isFound ? 0 : 1;
        }
    }
    return missing;
}

static sdManifold manifolds[MANY];

SD_TEST(collide_mesh_manifolds_agree_with_brute_force) {
    Zoo zoo;
    Zoo_Init(&zoo);
    TestRandom random = TestRandom_Make(9);
    sdShape floor = sdShape_HalfSpace();
    int all = 0, missing = 0, wrongTotals = 0, unordered = 0;
    for (int i = 0; i < TestRounds(60); ++i) {
        sdShape a = Zoo_PickBody(&zoo, &random, true);
        sdShape b = i % 3 == 0 ? Zoo_PickBody(&zoo, &random, true) : Zoo_PickConvex(&zoo, &random);
        b = i % 10 == 9 ? floor : b;
        const sdShape* first = i % 2 == 0 ? &a : &b;
        const sdShape* second = i % 2 == 0 ? &b : &a;
        sdTransform xf = randomPose(&random, 0.5f);
        float margin = i % 4 == 0 ? 0.05f : 0.0f;
        int total = 0, expected;
        int count = sdCollideMany(first, second, xf, margin, manifolds, MANY, &total);
        CHECK_INT(count, total);
        missing += findMissing(first, second, xf, margin, manifolds, count, &expected);
        wrongTotals += total != expected ? 1 : 0;
        all += total;
        for (int k = 1; k < count; ++k) {
            const sdManifold *m = &manifolds[k - 1], *n = &manifolds[k];
            bool isOrdered =
                m->childA != n->childA ? m->childA < n->childA : m->childB <= n->childB;
            unordered += isOrdered ? 0 : 1;
        }
    }
    sdTest_Print("%d manifolds, %d missing, %d wrong totals, %d out of order", all, missing,
                 wrongTotals, unordered);
    CHECK_INT(missing, 0);
    CHECK_INT(wrongTotals, 0);
    CHECK_INT(unordered, 0);
    CHECK(all > 500 || TestScale() < 1.0);
    Zoo_Free(&zoo);
}

SD_TEST(collide_mesh_manifolds_fit_into_the_room_that_is_given) {
    Zoo zoo;
    Zoo_Init(&zoo);
    sdShape ring = sdShape_Mesh(zoo.meshes[RING]), meshed = sdShape_Compound(zoo.meshed);
    sdTransform xf = sdTransform_Make(sdV3(0.3f, 0.1f, 0.0f), sdQuat_Identity());
    int total = 0;
    int count = sdCollideMany(&ring, &meshed, xf, 0.02f, manifolds, MANY, &total);
    REQUIRE(count == total && total > 20);
    static sdManifold some[MANY];
    for (int capacity = 0; capacity <= total; capacity += 7) {
        int again = -1;
        CHECK_INT(sdCollideMany(&ring, &meshed, xf, 0.02f, some, capacity, &again), capacity);
        CHECK_INT(again, total);
        for (int i = 0; i < capacity; ++i) {
            CHECK(memcmp(&some[i], &manifolds[i], sizeof some[i]) == 0);
        }
    }
    // triangles of the star, which is a child, are told apart by their points
    int same = 0;
    for (int i = 1; i < count; ++i) {
        const sdManifold *m = &manifolds[i - 1], *n = &manifolds[i];
        bool isPair = m->childA == n->childA && m->childB == n->childB;
        same += isPair && m->points[0].id == n->points[0].id ? 1 : 0;
    }
    CHECK_INT(same, 0);
    CHECK_INT(sdCollideMany(&ring, &meshed, xf, 0.02f, NULL, 5, &total), 0);
    CHECK_INT(total, count);
    CHECK_INT(sdCollideMany(&ring, &meshed, xf, 0.02f, some, MANY, NULL), count);
    // bad numbers
    CHECK_INT(sdCollideMany(&ring, &meshed, xf, -1.0f, some, MANY, &total), 0);
    CHECK_INT(total, 0);
    CHECK_INT(sdCollideMany(&ring, &meshed, xf, TestNaN(), some, MANY, &total), 0);
    CHECK_INT(sdCollideMany(&ring, NULL, xf, 0.0f, some, MANY, &total), 0);
    xf.q.s = TestInfinity();
    CHECK_INT(sdCollideMany(&ring, &meshed, xf, 0.0f, some, MANY, &total), 0);
    CHECK_INT(total, 0);
    Zoo_Free(&zoo);
}

/// A cube that rests on a floor of triangles touches each of those under it, with normals that are
/// all up, whether it touches exactly or not quite.
SD_TEST(collide_mesh_box_on_a_floor) {
    Zoo zoo;
    Zoo_Init(&zoo);
    sdShape floor = sdShape_Mesh(zoo.meshes[BOX]), cube = sdShape_Box(0.2f, 0.2f, 0.2f);
    for (int i = 0; i < 3; ++i) {
        float gap = i == 0 ? 0.0f : (i == 1 ? -1e-3f : 3e-8f);
        sdTransform xf = sdTransform_Make(sdV3(0.05f, 0.7f + gap, 0.1f), sdQuat_Identity());
        int total = 0, count = sdCollideMany(&floor, &cube, xf, 0.0f, manifolds, MANY, &total);
        int pointCount = 0;
        CHECK_INT(count, 2);
        for (int k = 0; k < count; ++k) {
            CHECK_NEAR(manifolds[k].normal.y, 1.0, 1e-5);
            pointCount += manifolds[k].pointCount;
            for (int p = 0; p < manifolds[k].pointCount; ++p) {
                CHECK_NEAR(manifolds[k].points[p].separation, gap, 1e-6);
            }
        }
        CHECK(pointCount >= 6);
    }
    Zoo_Free(&zoo);
}
