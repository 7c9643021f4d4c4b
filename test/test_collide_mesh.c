// SPDX-License-Identifier: MIT
// test_collide_mesh.c - pairs with meshes, compounds and half-spaces against brute force over all
// pieces, closed forms, and themselves turned around.

#include "narrow/collide_mesh.h"
#include "support.h"

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
    bool isWrong = sdAbsF(brute.separation - depth.separation) > 2e-5f;
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
    for (int i = 0; i < 400; ++i) {
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
    CHECK(tally.apart > 100 && tally.overlapping > 50 && tally.inside > 0);
    Zoo_Free(&zoo);
}

SD_TEST(collide_mesh_pairs_agree_with_brute_force) {
    Zoo zoo;
    Zoo_Init(&zoo);
    TestRandom random = TestRandom_Make(2);
    Tally tally = {0};
    for (int i = 0; i < 60; ++i) {
        sdShape a = Zoo_PickBody(&zoo, &random, true), b = Zoo_PickBody(&zoo, &random, true);
        checkPair(&a, &b, randomPose(&random, i % 2 == 0 ? 0.5f : 1.2f), &tally);
    }
    sdTest_Print("%d apart, %d overlapping, %d inside, %d wrong", tally.apart, tally.overlapping,
                 tally.inside, tally.wrong);
    CHECK_INT(tally.wrong, 0);
    CHECK(tally.apart > 15 && tally.overlapping > 15);
    Zoo_Free(&zoo);
}
