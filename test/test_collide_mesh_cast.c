// SPDX-License-Identifier: MIT
// test_collide_mesh_cast.c - rays, moving bodies and manifolds with meshes, compounds and
// half-spaces against brute force over all pieces.

#include "mesh_zoo.h"
#include "narrow/collide_mesh.h"

#include <string.h>

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
    for (int i = 0, countA = TestPieces_Count(a); i < countA; ++i) {
        sdTransform xfA, xfB;
        int childA, childB;
        sdShape pieceA = TestPieces_Get(a, i, &xfA, &childA);
        for (int k = 0, countB = TestPieces_Count(b); k < countB; ++k) {
            sdShape pieceB = TestPieces_Get(b, k, &xfB, &childB);
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
    MeshZoo zoo;
    MeshZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(7);
    int hits = 0, starts = 0, wrong = 0;
    for (int i = 0; i < TestRounds(120); ++i) {
        bool isSmall = i % 4 == 0;
        sdShape a = MeshZoo_PickBody(&zoo, &random, true);
        sdShape b =
            isSmall ? sdShape_Mesh(zoo.meshes[MESH_ZOO_STAR]) : MeshZoo_PickConvex(&zoo, &random);
        bool isSwapped = i % 3 == 0;
        const sdShape* first = isSwapped ? &b : &a;
        const sdShape* second = isSwapped ? &a : &b;
        sdTransform xf = TestRandom_Pose(&random, 1.5f);
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
    CHECK(hits > 40 || TestIsShort());
    MeshZoo_Free(&zoo);
}

SD_TEST(collide_mesh_rays) {
    MeshZoo zoo;
    MeshZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(8);
    int hits = 0, insides = 0, wrong = 0;
    for (int i = 0; i < 300; ++i) {
        sdShape shape = MeshZoo_PickBody(&zoo, &random, false);
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

    sdShape ring = sdShape_Mesh(zoo.meshes[MESH_ZOO_RING]);
    sdVec3 nan = sdV3(TestNaN(), 0.0f, 0.0f), zero = sdV3(0.0f, 0.0f, 0.0f);
    CHECK_INT(sdMeshPair_Raycast(&ring, nan, zero, slowRaycast).status, SD_STATUS_INVALID);
    CHECK_INT(sdMeshPair_Raycast(&ring, zero, nan, slowRaycast).status, SD_STATUS_INVALID);
    CHECK_INT(sdMeshPair_Raycast(NULL, zero, zero, slowRaycast).status, SD_STATUS_INVALID);
    CHECK(!sdMeshPair_Raycast(&ring, zero, zero, slowRaycast).isHit);
    MeshZoo_Free(&zoo);
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
    for (int i = 0, countA = TestPieces_Count(a); i < countA; ++i) {
        sdTransform xfA, xfB;
        int childA, childB;
        sdShape pieceA = TestPieces_Get(a, i, &xfA, &childA);
        for (int k = 0, countB = TestPieces_Count(b); k < countB; ++k) {
            sdShape pieceB = TestPieces_Get(b, k, &xfB, &childB);
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
    MeshZoo zoo;
    MeshZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(9);
    sdShape floor = sdShape_HalfSpace();
    int all = 0, missing = 0, wrongTotals = 0, unordered = 0;
    for (int i = 0; i < TestRounds(60); ++i) {
        sdShape a = MeshZoo_PickBody(&zoo, &random, true);
        sdShape b =
            i % 3 == 0 ? MeshZoo_PickBody(&zoo, &random, true) : MeshZoo_PickConvex(&zoo, &random);
        b = i % 10 == 9 ? floor : b;
        const sdShape* first = i % 2 == 0 ? &a : &b;
        const sdShape* second = i % 2 == 0 ? &b : &a;
        sdTransform xf = TestRandom_Pose(&random, 0.5f);
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
    CHECK(all > 500 || TestIsShort());
    MeshZoo_Free(&zoo);
}

SD_TEST(collide_mesh_manifolds_fit_into_the_room_that_is_given) {
    MeshZoo zoo;
    MeshZoo_Init(&zoo);
    sdShape ring = sdShape_Mesh(zoo.meshes[MESH_ZOO_RING]), meshed = sdShape_Compound(zoo.meshed);
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
    MeshZoo_Free(&zoo);
}

/// A cube that rests on a floor of triangles touches each of those under it, with normals that are
/// all up, whether it touches exactly or not quite.
SD_TEST(collide_mesh_box_on_a_floor) {
    MeshZoo zoo;
    MeshZoo_Init(&zoo);
    sdShape floor = sdShape_Mesh(zoo.meshes[MESH_ZOO_BOX]), cube = sdShape_Box(0.2f, 0.2f, 0.2f);
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
    MeshZoo_Free(&zoo);
}
