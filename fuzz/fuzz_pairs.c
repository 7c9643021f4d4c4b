// SPDX-License-Identifier: MIT
// fuzz_pairs.c - two shapes: all algorithms agree, swapped and moved pairs too, and every query
// keeps the contract of collide.h, whatever the numbers.

#include "fuzz.h"

#include "pair_trial.h"
#include "shape_zoo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_MANIFOLDS 32
/// Random numbers of the frames in which a pair is described anew.
#define MOTION_SEED 5
/// Sizes and distances, m, for which the tests promise that all algorithms agree.
#define MIN_SIZE 1e-3f
#define MAX_SIZE 1e3f

typedef struct Zoo {
    ShapeZoo convex;
    sdMesh* meshes[2];
    sdConcave* concave;
    sdCompound* compound;
    bool isMade;
} Zoo;

static Zoo zoo;

static void makeZoo(void) {
    if (zoo.isMade) {
        return;
    }
    ShapeZoo_Init(&zoo.convex);
    CHECK_INT(sdModel_Create(NULL, SD_MODEL_STAR, 1.0f, &zoo.meshes[0]), SD_OK);
    CHECK_INT(sdModel_Create(NULL, SD_MODEL_RING, 1.0f, &zoo.meshes[1]), SD_OK);
    sdConcaveDef def = sdConcaveDef_Default();
    def.field.resolution = 24;
    CHECK_INT(sdConcave_Create(NULL, zoo.meshes[1], &def, &zoo.concave), SD_OK);
    sdCompoundChild children[] = {{sdShape_Box(0.3f, 0.1f, 0.1f), sdTransform_Identity()},
                                  {sdShape_Sphere(0.2f), TestAt(0.3f, 0.0f, 0.0f)},
                                  {sdShape_Mesh(zoo.meshes[0]), TestAt(0.0f, 0.5f, 0.0f)}};
    CHECK_INT(sdCompound_Create(NULL, children, 3, &zoo.compound), SD_OK);
    zoo.isMade = true;
}

static sdShape readConvex(FuzzInput* in) {
    float a = FuzzInput_Size(in, 0.5f), b = FuzzInput_Bool(in) ? a : FuzzInput_Size(in, 0.5f);
    switch (FuzzInput_Int(in, 8)) {
        case 0:
            return sdShape_Sphere(a);
        case 1:
            return sdShape_Capsule(a, FuzzInput_Int(in, 8) == 0 ? 0.0f : b);
        case 2:
            return sdShape_Cylinder(a, b);
        case 3:
            return sdShape_Cone(a, b);
        case 4: {
            sdVec3 p = FuzzInput_Vec3(in, a), q = FuzzInput_Vec3(in, a);
            return sdShape_Triangle(p, q, FuzzInput_Vec3(in, a));
        }
        case 5:
            return sdShape_Hull(zoo.convex.hulls[FuzzInput_Int(in, ZOO_HULL_COUNT)]);
        default:
            return sdShape_Box(a, b, FuzzInput_Int(in, 8) == 0 ? 0.0f : FuzzInput_Size(in, 0.5f));
    }
}

static sdShape readAny(FuzzInput* in) {
    switch (FuzzInput_Int(in, 12)) {
        case 0:
            return sdShape_HalfSpace();
        case 1:
            return sdShape_Mesh(zoo.meshes[FuzzInput_Int(in, 2)]);
        case 2:
            return sdShape_Concave(zoo.concave);
        case 3:
            return sdShape_Compound(zoo.compound);
        default:
            return readConvex(in);
    }
}

static bool isUsual(const sdShape* shape) {
    sdAABB box = sdShape_GetBounds(shape, sdTransform_Identity());
    float size = sdLength(sdSub(box.upper, box.lower));
    return shape->type == SD_SHAPE_HALF_SPACE || (size > MIN_SIZE && size < MAX_SIZE);
}

// ---- the contract of collide.h -------------------------------------------------------------

static uint64_t checkSeparation(uint64_t hash, const sdSeparation* s, bool isDistance) {
    CHECK(s->status <= SD_STATUS_INVALID && sdIsFinite(s->separation));
    CHECK(sdVec3_IsFinite(s->normal) && sdVec3_IsFinite(s->pointA) && sdVec3_IsFinite(s->pointB));
    CHECK(s->status == SD_STATUS_INVALID || isDistance || Fuzz_IsUnit(s->normal));
    // bodies that overlap have a distance of 0 and no normal
    CHECK(s->separation == 0.0f || Fuzz_IsUnit(s->normal));
    CHECK(s->status == SD_STATUS_INVALID || s->error >= 0.0f);
    CHECK(s->status != SD_STATUS_INVALID || s->separation == 0.0f);
    hash = FuzzHash_Float(FuzzHash_Int(hash, s->status), s->separation);
    return FuzzHash_Vec3(FuzzHash_Vec3(hash, s->normal), s->pointA);
}

static uint64_t checkManifold(uint64_t hash, const sdManifold* m, float margin) {
    CHECK(m->pointCount >= 0 && m->pointCount <= SD_MANIFOLD_MAX_POINTS);
    hash = FuzzHash_Int(hash, m->pointCount);
    if (m->pointCount == 0) {
        return hash;
    }
    CHECK(Fuzz_IsUnit(m->normal));
    for (int i = 0; i < m->pointCount; ++i) {
        const sdManifoldPoint* p = &m->points[i];
        CHECK(sdVec3_IsFinite(p->pointA) && sdVec3_IsFinite(p->pointB));
        CHECK(sdIsFinite(p->separation));
        // a rounding of coordinates more than asked for
        float slack = 1e-4f * (1.0f + sdLength(p->pointA) + margin);
        CHECK(p->separation <= margin + slack);
        for (int k = 0; k < i; ++k) {
            CHECK(m->points[k].id != p->id);
        }
        hash = FuzzHash_Float(hash, p->separation);
    }
    return FuzzHash_Vec3(hash, m->normal);
}

static uint64_t checkMotion(uint64_t hash, const sdShape* a, const sdShape* b, sdTransform xf,
                            FuzzInput* in) {
    sdVec3 way = FuzzInput_Vec3(in, 4.0f);
    sdRayHit ray = sdRaycast(a, xf.p, way);
    CHECK(!ray.isHit || (ray.fraction >= 0.0f && ray.fraction <= 1.0f));
    CHECK(!ray.isHit || (Fuzz_IsUnit(ray.normal) && sdVec3_IsFinite(ray.point)));
    sdCastHit cast = sdShapeCast(a, b, xf, way);
    CHECK(!cast.isHit || (cast.fraction >= 0.0f && cast.fraction <= 1.0f));
    CHECK(!cast.isHit || (Fuzz_IsUnit(cast.normal) && sdVec3_IsFinite(cast.point)));
    sdToiInput toi = {.a = a, .b = b, .subStepCount = 4};
    toi.sweepA = (sdSweep){
        {0.0f, 0.0f, 0.0f}, sdTransform_Identity(), {0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    toi.sweepB = (sdSweep){{0.0f, 0.0f, 0.0f}, xf, way, FuzzInput_Vec3(in, 6.0f)};
    toi.method = (sdToiMethod)FuzzInput_Int(in, 4);
    sdToiResult impact = sdTimeOfImpact(&toi);
    CHECK(impact.time >= 0.0f && impact.time <= 1.0f);
    CHECK(sdVec3_IsFinite(impact.point) && sdVec3_IsFinite(impact.normal));
    hash = FuzzHash_Float(FuzzHash_Int(hash, ray.isHit), ray.fraction);
    hash = FuzzHash_Float(FuzzHash_Int(hash, cast.isHit), cast.fraction);
    return FuzzHash_Float(FuzzHash_Int(hash, impact.state), impact.time);
}

static uint64_t checkContract(const sdShape* a, const sdShape* b, sdTransform xf, FuzzInput* in) {
    uint64_t hash = TEST_HASH_START;
    float margin = FuzzInput_Float(in, 0.0f, 0.2f);
    sdSeparation d = sdDistance(a, b, xf, NULL), p = sdPenetration(a, b, xf, NULL);
    hash = checkSeparation(checkSeparation(hash, &d, true), &p, false);
    CHECK(d.separation >= 0.0f);
    sdOverlapResult overlap = sdOverlap(a, b, xf, NULL);
    hash = FuzzHash_Int(hash, overlap.isOverlapping);
    // a cache of another pair, or of none, changes nothing that counts
    sdPairCache cache = {0};
    for (int i = 0; i < 3; ++i) {
        sdManifold manifold;
        int count = sdCollide(a, b, xf, margin, &cache, &manifold);
        CHECK_INT(count, manifold.pointCount);
        hash = checkManifold(hash, &manifold, margin);
        xf.p = sdAdd(xf.p, FuzzInput_Vec3(in, 0.01f));
    }
    static sdManifold many[MAX_MANIFOLDS];
    int total = -1, written = sdCollideMany(a, b, xf, margin, many, MAX_MANIFOLDS, &total);
    CHECK(written >= 0 && written <= MAX_MANIFOLDS && total >= written);
    for (int i = 0; i < written; ++i) {
        hash = checkManifold(hash, &many[i], margin);
    }
    return checkMotion(hash, a, b, xf, in);
}

// ---- all algorithms ------------------------------------------------------------------------

static uint64_t run(const uint8_t* bytes, size_t size) {
    makeZoo();
    FuzzInput in = FuzzInput_Make(bytes, size);
    int mode = FuzzInput_Byte(&in) % 8;
    in.wildness = mode == 0 ? 16 : 0;
    sdShape a = mode < 4 ? readAny(&in) : readConvex(&in);
    sdShape b = mode < 4 ? readAny(&in) : readConvex(&in);
    sdTransform xf = FuzzInput_Transform(&in, mode % 2 == 0 ? 2.0f : 0.5f);
    uint64_t hash = checkContract(&a, &b, xf, &in);
    bool isTrial = sdShape_IsConvex(&a) && sdShape_IsConvex(&b) && sdShape_IsValid(&a) &&
                   sdShape_IsValid(&b) && sdTransform_IsValid(xf) && isUsual(&a) && isUsual(&b) &&
                   sdLength(xf.p) < MAX_SIZE;
    if (isTrial) {
        TestRandom random = TestRandom_Make(MOTION_SEED);
        Trial trial = {.a = a, .b = b, .xf = xf};
        bool isRight = Trial_Run(&trial, &random);
        if (!isRight) {
            fuzzIsLoud = true;
            Trial_Print(&trial);
        }
        CHECK(isRight);
    }
    return hash;
}

static void addSeeds(FuzzSeeds* seeds) {
    makeZoo();
    TestRandom random = TestRandom_Make(3);
    for (int i = 0; i < 48; ++i) {
        uint8_t bytes[64];
        for (int k = 0; k < (int)sizeof bytes; ++k) {
            bytes[k] = (uint8_t)TestRandom_Next(&random);
        }
        bytes[0] = (uint8_t)i;
        FuzzSeeds_Add(seeds, bytes, sizeof bytes);
    }
}

const FuzzTarget fuzzTarget = {"pairs", run, addSeeds, 128, NULL};
