// SPDX-License-Identifier: MIT
// test_collide_mesh.c - pairs with meshes, compounds and half-spaces against brute force over all
// pieces, closed forms, and themselves turned around.

#include "mesh_zoo.h"

#include "geometry/mesh.h"
#include "narrow/collide_mesh.h"
#include "narrow/collide_surface.h"

#include <string.h>

// ---- brute force ---------------------------------------------------------------------------

/// Over all pairs of pieces. Knows nothing of bodies inside each other.
static sdSeparation bruteSeparation(const sdShape* a, const sdShape* b, sdTransform xfAB) {
    sdSeparation best = {.separation = FLT_MAX};
    int countA = TestPieces_Count(a), countB = TestPieces_Count(b);
    for (int i = 0; i < countA; ++i) {
        sdTransform xfA;
        int childA;
        sdShape pieceA = TestPieces_Get(a, i, &xfA, &childA);
        for (int k = 0; k < countB; ++k) {
            sdTransform xfB;
            int childB;
            sdShape pieceB = TestPieces_Get(b, k, &xfB, &childB);
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
        sdShape piece = TestPieces_Get(a, s->childA, &xf, &child);
        CHECK(isOnSurface(&piece, s->pointA, 2e-5f));
    }
    if (b->type == SD_SHAPE_MESH) {
        sdShape piece = TestPieces_Get(b, s->childB, &xf, &child);
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
    MeshZoo zoo;
    MeshZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(1);
    Tally tally = {0};
    for (int i = 0; i < TestRounds(400); ++i) {
        sdShape a = MeshZoo_PickBody(&zoo, &random, false), b = MeshZoo_PickConvex(&zoo, &random);
        sdTransform xf = TestRandom_Pose(&random, i % 2 == 0 ? 0.6f : 1.2f);
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
    CHECK(tally.inside > 0 || TestIsShort());
    MeshZoo_Free(&zoo);
}

SD_TEST(collide_mesh_pairs_agree_with_brute_force) {
    MeshZoo zoo;
    MeshZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(2);
    Tally tally = {0};
    for (int i = 0; i < TestRounds(60); ++i) {
        sdShape a = MeshZoo_PickBody(&zoo, &random, true),
                b = MeshZoo_PickBody(&zoo, &random, true);
        checkPair(&a, &b, TestRandom_Pose(&random, i % 2 == 0 ? 0.5f : 1.2f), &tally);
    }
    sdTest_Print("%d apart, %d overlapping, %d inside, %d wrong", tally.apart, tally.overlapping,
                 tally.inside, tally.wrong);
    CHECK_INT(tally.wrong, 0);
    CHECK((tally.apart > 15 && tally.overlapping > 15) || TestIsShort());
    MeshZoo_Free(&zoo);
}

// ---- special poses -------------------------------------------------------------------------

/// Bodies that touch, lie inside each other or are the same, where the answer is known.
SD_TEST(collide_mesh_known_poses) {
    MeshZoo zoo;
    MeshZoo_Init(&zoo);
    sdShape box = sdShape_Mesh(zoo.meshes[MESH_ZOO_BOX]);
    sdShape ring = sdShape_Mesh(zoo.meshes[MESH_ZOO_RING]);
    sdShape bowl = sdShape_Mesh(zoo.meshes[MESH_ZOO_BOWL]);
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
    MeshZoo_Free(&zoo);
}

/// A mesh of two boxes, one inside the other body, is noticed by its inner part.
SD_TEST(collide_mesh_looks_at_every_component) {
    MeshZoo zoo;
    MeshZoo_Init(&zoo);
    sdMeshData data = sdMesh_GetData(zoo.meshes[MESH_ZOO_BOX]);
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
    sdShape a = sdShape_Mesh(zoo.meshes[MESH_ZOO_BOX]), b = sdShape_Mesh(two);
    CHECK(sdMeshPair_Overlap(&a, &b, sdTransform_Identity()).isOverlapping);
    CHECK(sdMeshPair_Overlap(&b, &a, sdTransform_Identity()).isOverlapping);
    CHECK(sdMeshPair_Separation(&b, &a, sdTransform_Identity(), true).separation < 0.0f);
    sdTransform aside = sdTransform_Make(sdV3(-2.0f, 0.0f, 0.0f), sdQuat_Identity());
    CHECK(!sdMeshPair_Overlap(&a, &b, aside).isOverlapping);
    sdMesh_Release(two);
    MeshZoo_Free(&zoo);
}

SD_TEST(collide_mesh_refuses_bad_numbers) {
    MeshZoo zoo;
    MeshZoo_Init(&zoo);
    sdShape ring = sdShape_Mesh(zoo.meshes[MESH_ZOO_RING]), none = sdShape_Mesh(NULL);
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
    MeshZoo_Free(&zoo);
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
        sdTransform xf = TestRandom_Pose(&random, 0.7f);
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
    int count = TestPieces_Count(shape);
    for (int i = 0; i < count; ++i) {
        sdTransform xf;
        int child;
        sdShape piece = TestPieces_Get(shape, i, &xf, &child);
        sdTransform whole = sdMulXf(xfHX, xf);
        sdVec3 down = sdInvRotate(whole.q, sdV3(0.0f, -1.0f, 0.0f));
        double y = (double)sdTransformPoint(whole, sdShape_Support(&piece, down)).y;
        lowest = y < lowest ? y : lowest;
    }
    return lowest;
}

SD_TEST(collide_mesh_half_space_is_the_lowest_point) {
    MeshZoo zoo;
    MeshZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(6);
    sdShape floor = sdShape_HalfSpace();
    int wrong = 0, apart = 0;
    for (int i = 0; i < 600; ++i) {
        sdShape x =
            i % 2 == 0 ? MeshZoo_PickConvex(&zoo, &random) : MeshZoo_PickBody(&zoo, &random, false);
        sdTransform xf = TestRandom_Pose(&random, 1.0f);
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
    MeshZoo_Free(&zoo);
}

// ---- open surfaces -------------------------------------------------------------------------

#define FOLD_PARTS 6

/// A square of the plane y = 0 whose corners are moved about: open, and in folds.
static sdMesh* makeFolds(float side, float folds, TestRandom* random) {
    const int row = FOLD_PARTS + 1;
    sdVec3 vertices[(FOLD_PARTS + 1) * (FOLD_PARTS + 1)];
    int32_t triangles[6 * FOLD_PARTS * FOLD_PARTS];
    int count = 0;
    for (int i = 0; i < row * row; ++i) {
        float x = side * ((float)(i / row) / (float)FOLD_PARTS - 0.5f);
        float z = side * ((float)(i % row) / (float)FOLD_PARTS - 0.5f);
        vertices[i] = sdMulAdd(sdV3(x, 0.0f, z), folds, TestRandom_OnSphere(random));
    }
    for (int i = 0; i < FOLD_PARTS * FOLD_PARTS; ++i) {
        int32_t at = i / FOLD_PARTS * row + i % FOLD_PARTS;
        const int32_t corners[6] = {at, at + 1, at + row + 1, at, at + row + 1, at + row};
        memcpy(triangles + count, corners, sizeof corners);
        count += 6;
    }
    sdMeshDef def = sdMeshDef_Default();
    def.data = (sdMeshData){vertices, row * row, triangles, count / 3};
    sdMesh* mesh = NULL;
    CHECK_INT(sdMesh_Create(NULL, &def, &mesh), SD_OK);
    return mesh;
}

/// The height of a point over the surface at its nearest point.
/// @param isRim receives whether that is where the surface ends
static float heightOver(const sdMesh* mesh, sdVec3 p, bool* isRim) {
    sdMeshPoint nearest = sdMesh_ClosestPoint(mesh, p, FLT_MAX);
    *isRim = false;
    for (int i = 0; i < mesh->edgeCount; ++i) {
        const sdMeshEdge* edge = &mesh->edges[i];
        sdSegmentPoints points = sdClosestPointsOfSegments(mesh->vertices[edge->vertices[0]],
                                                           mesh->vertices[edge->vertices[1]],
                                                           nearest.point, nearest.point);
        bool isOn = points.distanceSquared < 1e-10f;
        *isRim = *isRim || (isOn && edge->triangles[1] == SD_NULL_INDEX);
    }
    sdVec3 up = sdMesh_PseudoNormal(mesh, nearest.triangle, nearest.region);
    return sdDot(up, sdSub(p, nearest.point));
}

/// The height of a capsule over the surface: that of the point of its axis that is nearest to it,
/// unless the axis goes through it or is nearest to a rim; then that of its middle.
static float heightOfCapsule(const sdMesh* mesh, float half, sdTransform xf, bool* isMiddle) {
    sdShape axis = sdShape_Capsule(half, 0.0f);
    sdSeparation best = {.separation = FLT_MAX};
    for (int i = 0; i < mesh->triangleCount; ++i) {
        const int32_t* t = mesh->triangles + 3 * (size_t)i;
        sdShape plate =
            sdShape_Triangle(mesh->vertices[t[0]], mesh->vertices[t[1]], mesh->vertices[t[2]]);
        sdSeparation s = sdDistance(&plate, &axis, xf, NULL);
        best = s.separation < best.separation ? s : best;
    }
    float height = best.separation > 1e-6f ? heightOver(mesh, best.pointB, isMiddle) : 0.0f;
    *isMiddle = *isMiddle || best.separation <= 1e-6f;
    bool isRim;
    return *isMiddle ? heightOver(mesh, xf.p, &isRim) : height;
}

/// A surface pushes bodies to the side on which they are, by its nearest point, whatever it knows
/// without asking for that.
SD_TEST(collide_mesh_open_surface_pushes_to_the_side_of_the_body) {
    TestRandom random = TestRandom_Make(23);
    int counts[2] = {0}, wrongCount = 0, middleCount = 0;
    for (int i = 0; i < 10000; ++i) {
        sdMesh* mesh = makeFolds(3.0f, TestRandom_Float(&random, 0.0f, 1.0f), &random);
        // what stands upright has a slim box, and what is nearest to its middle may be beside it
        bool isUpright = i % 2 == 0;
        float half = TestRandom_Float(&random, 0.0f, 0.5f);
        sdShape body = sdShape_Capsule(half, 0.02f), surface = sdShape_Mesh(mesh);
        sdTransform xf = {sdScale(1.2f, TestRandom_InBall(&random)),
                          isUpright ? sdQuat_Identity() : TestRandom_Rotation(&random)};
        sdManifold manifolds[32];
        int count =
            sdSurface_Collide(SD_NARROWPHASE_AUTO, &surface, &body, xf, 0.02f, manifolds, 32, NULL);
        sdMeshPoint nearest = sdMesh_ClosestPoint(mesh, xf.p, 0.5f);
        if (nearest.triangle == SD_NULL_INDEX) {
            count = 0;
        }
        bool isMiddle = false;
        float height = count > 0 ? heightOfCapsule(mesh, half, xf, &isMiddle) : 0.0f;
        for (int k = 0; k < count; ++k) {
            const int32_t* t = mesh->triangles + 3 * (size_t)manifolds[k].childA;
            sdVec3 a = mesh->vertices[t[0]], b = mesh->vertices[t[1]], c = mesh->vertices[t[2]];
            sdVec3 normal = sdNormalize(sdCross(sdSub(b, a), sdSub(c, a)));
            float facing = sdDot(manifolds[k].normal, normal);
            // of faces: edges have normals of their own, a few of which are those of a face
            if (sdAbsF(facing) > 0.9999f && sdAbsF(height) > 1e-4f) {
                wrongCount += (facing > 0.0f) != (height > 0.0f) ? 1 : 0;
                counts[height > 0.0f] += 1;
                middleCount += isMiddle ? 1 : 0;
            }
        }
        sdMesh_Release(mesh);
    }
    sdTest_Print("%d faces from below, %d from above, %d by the middle, %d from the wrong side",
                 counts[0], counts[1], middleCount, wrongCount);
    CHECK(counts[0] > 300 && counts[1] > 300 && middleCount > 300 && wrongCount == 0);
}
