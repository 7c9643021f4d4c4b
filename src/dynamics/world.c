// SPDX-License-Identifier: MIT
// world.c - a world: made, set, read, hashed, destroyed.

#include "dynamics/world.h"

#include "base/hash.h"
#include "dynamics/contact.h"
#include "dynamics/fixture.h"
#include "dynamics/island.h"

#define MAX_SUB_STEPS 64
#define MAX_PARTS 64
#define MAX_PASSES 1000

sdImpulseDef sdImpulseDef_Default(void) {
    return (sdImpulseDef){
        .order = SD_ORDER_NEW,
        .detection = SD_DETECT_EACH_PASS,
        .motion = SD_MOTION_TOGETHER,
        .joints = SD_JOINTS_TOGETHER,
        .collisionPassCount = 5,
        .contactPassCount = 10,
        .jointPassCount = 10,
        .jointTolerance = 1e-6f,
        .seed = 1,
        .enableShock = true,
        .enableGraph = true,
    };
}

sdWorldDef sdWorldDef_Default(void) {
    return (sdWorldDef){
        .gravity = {0.0f, -9.81f, 0.0f},
        .solver = SD_SOLVER_SOFT,
        .subStepCount = 6,
        .jointSubStepCount = 4,
        .maxPartCount = 16,
        .integrator = SD_INTEGRATOR_SEMI_IMPLICIT,
        .broadphase = sdBroadphaseDef_Default(),
        .narrowphase = SD_NARROWPHASE_AUTO,
        .combineFriction = SD_COMBINE_GEOMETRIC_MEAN,
        .combineRestitution = SD_COMBINE_MAXIMUM,
        .slop = 0.0005f,
        .pushRate = 1.0f,
        .maxPushSpeed = 0.5f,
        .enableDirect = true,
        .enableContinuous = true,
        .hitSpeed = 1.0f,
        .impulse = sdImpulseDef_Default(),
        .enableSleep = true,
        .sleepSpeed = 0.03f,
        .sleepTime = 0.5f,
    };
}

static bool isPositive(float a) {
    return a > 0.0f && a <= SD_MAX_SPEED;
}

static bool isWithin(int a, int lower, int upper) {
    return a >= lower && a <= upper;
}

static const char* faultOfImpulse(const sdImpulseDef* def) {
    if ((int)def->order < 0 || def->order >= SD_ORDER_COUNT || (int)def->detection < 0 ||
        def->detection >= SD_DETECT_COUNT || (int)def->motion < 0 ||
        def->motion >= SD_MOTION_COUNT || (int)def->joints < 0 ||
        def->joints >= SD_JOINTING_COUNT) {
        return "impulse.order, detection, motion or joints is not one of its enumeration";
    }
    if (!isWithin(def->collisionPassCount, 0, MAX_PASSES) ||
        !isWithin(def->contactPassCount, 0, MAX_PASSES)) {
        return "impulse.collisionPassCount or contactPassCount is not within 0 .. 1000";
    }
    if (!isWithin(def->jointPassCount, 1, MAX_PASSES)) {
        return "impulse.jointPassCount is not within 1 .. 1000";
    }
    if (!isPositive(def->jointTolerance)) {
        return "impulse.jointTolerance is not positive, or beyond 1e9 m";
    }
    return NULL;
}

const char* sdWorldDef_FindFault(const sdWorldDef* def) {
    if (!(sdLength(def->gravity) <= SD_MAX_SPEED)) {
        return "gravity is not finite or beyond 1e9 m/s²";
    }
    if (def->subStepCount < 1 || def->subStepCount > MAX_SUB_STEPS || def->jointSubStepCount < 1 ||
        def->jointSubStepCount > MAX_SUB_STEPS) {
        return "subStepCount or jointSubStepCount is not within 1 .. 64";
    }
    if (def->maxPartCount < 1 || def->maxPartCount > MAX_PARTS) {
        return "maxPartCount is not within 1 .. 64";
    }
    if ((int)def->solver < 0 || def->solver >= SD_SOLVER_COUNT) {
        return "solver is not one of its enumeration";
    }
    if ((int)def->narrowphase < 0 || def->narrowphase >= SD_NARROWPHASE_COUNT) {
        return "narrowphase is not one of its enumeration";
    }
    if ((int)def->integrator < 0 || def->integrator >= SD_INTEGRATOR_COUNT ||
        (int)def->combineFriction < 0 || def->combineFriction >= SD_COMBINE_COUNT ||
        (int)def->combineRestitution < 0 || def->combineRestitution >= SD_COMBINE_COUNT) {
        return "integrator or combine rule is not one of its enumeration";
    }
    if (!isPositive(def->pushRate) || !isPositive(def->maxPushSpeed) || !isPositive(def->slop)) {
        return "a setting of the contacts is not positive, or beyond 1e9";
    }
    if (!(def->hitSpeed >= 0.0f) || !sdIsFinite(def->hitSpeed)) {
        return "hitSpeed is negative or not finite";
    }
    if (!(def->sleepSpeed >= 0.0f && def->sleepTime >= 0.0f) || !sdIsFinite(def->sleepSpeed) ||
        !sdIsFinite(def->sleepTime)) {
        return "sleepSpeed or sleepTime is negative or not finite";
    }
    return faultOfImpulse(&def->impulse);
}

sdResult sdWorld_CheckUnlocked(sdWorld* world, const char* function) {
    if (world->isLocked) {
        return sdFail(&world->context, SD_ERROR_LOCKED,
                      "%s: not during a step; note it down and do it after", function);
    }
    world->attempt += 1;
    return SD_OK;
}

sdResult sdWorld_Create(const sdContext* context, const sdWorldDef* def, sdWorld** out) {
    if (out != NULL) {
        *out = NULL;
    }
    sdContext resolved;
    sdResult result = sdContext_Resolve(context, &resolved);
    if (result != SD_OK) {
        return result;
    }
    if (out == NULL) {
        return sdFail(&resolved, SD_ERROR_INVALID_ARGUMENT, "sdWorld_Create: out must not be NULL");
    }
    sdWorldDef settings = def != NULL ? *def : sdWorldDef_Default();
    const char* fault = sdWorldDef_FindFault(&settings);
    if (fault != NULL) {
        return sdFail(&resolved, SD_ERROR_INVALID_ARGUMENT,
                      "sdWorld_Create: %s; start from sdWorldDef_Default()", fault);
    }
    sdWorld* world = sdAllocZero(&resolved.allocator, sizeof *world);
    if (world == NULL) {
        return sdFailMemory(&resolved, "sdWorld_Create", sizeof *world);
    }
    world->context = resolved;
    world->def = settings;
    world->attempt = 1;
    world->leastMeshRadius = FLT_MAX;
    sdArena_Init(&world->arena, &world->context.allocator);
    sdArena_Init(&world->planArena, &world->context.allocator);
    result = sdBroadphase_Create(&world->context, &settings.broadphase, &world->broadphase);
    if (result != SD_OK) {
        sdFree(&resolved.allocator, world, sizeof *world);
        return result;
    }
    *out = world;
    return SD_OK;
}

void sdWorld_Destroy(sdWorld* world) {
    if (world == NULL) {
        return;
    }
    sdContext context = world->context;
    const sdAllocator* allocator = &context.allocator;
    for (int i = 0; i < world->bodies.count; ++i) {
        while (sdIdPool_GetId(&world->bodyPool, i) != SD_NULL_ID &&
               world->bodies.data[i].firstShape != SD_NULL_INDEX) {
            sdWorld_RemoveFixture(world, world->bodies.data[i].firstShape);
        }
    }
    sdBroadphase_Destroy(world->broadphase);
    sdIdPool_Free(&world->bodyPool, allocator);
    sdIdPool_Free(&world->fixturePool, allocator);
    sdIdPool_Free(&world->jointPool, allocator);
    sdJointArray_Free(&world->joints, allocator);
    sdBitSet_Free(&world->activeJoints, allocator);
    sdIntArray_Free(&world->broken, allocator);
    sdSlotPool_Free(&world->pairPool, allocator);
    sdBodyArray_Free(&world->bodies, allocator);
    sdReachArray_Free(&world->reaches, allocator);
    sdFixtureArray_Free(&world->fixtures, allocator);
    sdWorldBoxArray_Free(&world->boxes, allocator);
    sdShapePairArray_Free(&world->pairs, allocator);
    for (int i = 0; i < SD_STORE_COUNT; ++i) {
        sdContactPool* pool = &world->contacts[i];
        sdSlotPool_Free(&pool->slots, allocator);
        sdFree(allocator, pool->data,
               (size_t)pool->capacity * sdContactStore_GetSize((sdContactStore)i));
    }
    sdBitSet_Free(&world->awakeBodies, allocator);
    sdBitSet_Free(&world->activePairs, allocator);
    sdIntArray_Free(&world->bodyList, allocator);
    sdIntArray_Free(&world->pairList, allocator);
    sdIntArray_Free(&world->flood, allocator);
    sdContactEventArray* events[] = {&world->begin,     &world->end,     &world->sensorBegin,
                                     &world->sensorEnd, &world->lateEnd, &world->lateSensorEnd};
    for (size_t i = 0; i < sizeof events / sizeof events[0]; ++i) {
        sdContactEventArray_Free(events[i], allocator);
    }
    sdHitEventArray_Free(&world->hits, allocator);
    sdArena_Free(&world->arena);
    sdArena_Free(&world->planArena);
    sdFree(allocator, world, sizeof *world);
}

sdWorldDef sdWorld_GetDef(const sdWorld* world) {
    return world != NULL ? world->def : sdWorldDef_Default();
}

sdResult sdWorld_SetDef(sdWorld* world, const sdWorldDef* def) {
    if (world == NULL || def == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    sdResult result = sdWorld_CheckUnlocked(world, "sdWorld_SetDef");
    if (result != SD_OK) {
        return result;
    }
    const char* fault = sdWorldDef_FindFault(def);
    if (fault != NULL) {
        return sdFail(&world->context, SD_ERROR_INVALID_ARGUMENT, "sdWorld_SetDef: %s", fault);
    }
    if (def->broadphase.kind != world->def.broadphase.kind) {
        result = sdBroadphase_SetKind(world->broadphase, def->broadphase.kind);
        if (result != SD_OK) {
            return result;
        }
    }
    bool hasNewGravity = sdDistanceSquared(def->gravity, world->def.gravity) > 0.0f;
    // other margins and limits of the broad phase are those it was made with
    sdBroadphaseDef broadphase = world->def.broadphase;
    broadphase.kind = def->broadphase.kind;
    world->def = *def;
    world->def.broadphase = broadphase;
    for (int i = 0; i < world->bodies.count; ++i) {
        if (sdIdPool_GetId(&world->bodyPool, i) == SD_NULL_ID) {
            continue;
        }
        if (hasNewGravity) {
            sdWorld_WakeBody(world, i);
        }
    }
    return SD_OK;
}

sdResult sdWorld_SetGravity(sdWorld* world, sdVec3 gravity) {
    sdWorldDef def = sdWorld_GetDef(world);
    def.gravity = gravity;
    return sdWorld_SetDef(world, &def);
}

double sdWorld_GetTime(const sdWorld* world) {
    return world != NULL ? world->time : 0.0;
}

void sdWorld_SetForceFcn(sdWorld* world, sdForceFcn* force, void* user) {
    if (world != NULL && !world->isLocked) {
        world->forceFcn = force;
        world->forceUser = user;
    }
}

void sdWorld_SetFilterFcn(sdWorld* world, sdFilterFcn* filter, void* user) {
    if (world != NULL && !world->isLocked) {
        world->filterFcn = filter;
        world->filterUser = user;
    }
}

// ---- read ----------------------------------------------------------------------------------

sdWorldEvents sdWorld_GetEvents(const sdWorld* world) {
    sdWorldEvents none = {0};
    if (world == NULL) {
        return none;
    }
    return (sdWorldEvents){
        .begin = world->begin.data,
        .end = world->end.data,
        .sensorBegin = world->sensorBegin.data,
        .sensorEnd = world->sensorEnd.data,
        .hits = world->hits.data,
        .beginCount = world->begin.count,
        .endCount = world->end.count,
        .sensorBeginCount = world->sensorBegin.count,
        .sensorEndCount = world->sensorEnd.count,
        .hitCount = world->hits.count,
    };
}

/// The first pair from a slot on that has a contact, or SD_NULL_INDEX.
static int findContact(const sdWorld* world, int slot) {
    int i = sdBitSet_Next(&world->pairPool.taken, slot);
    while (i != SD_NULL_INDEX && world->pairs.data[i].contact == SD_NULL_INDEX) {
        i = sdBitSet_Next(&world->pairPool.taken, i + 1);
    }
    return i;
}

/// Where the points of a patch are in the world.
static void describePatch(const sdWorld* world, const sdShapePair* pair, const sdPatch* patch,
                          sdContactInfo* out) {
    const sdBody* body = &world->bodies.data[pair->bodyA];
    sdTransform local = sdFixture_ToCenter(body, &world->fixtures.data[pair->fixtureA]);
    sdTransform turn = {sdV3(0.0f, 0.0f, 0.0f), body->rotation};
    sdTransform xf = sdMulXf(turn, local);
    bool isMany = (pair->flags & SD_PAIR_MANY) != 0;
    const sdManyPatch* many = (const sdManyPatch*)(const void*)patch;
    *out = (sdContactInfo){
        .shapeA = sdIdPool_GetId(&world->fixturePool, pair->fixtureA),
        .shapeB = sdIdPool_GetId(&world->fixturePool, pair->fixtureB),
        .normal = sdRotate(xf.q, patch->normal),
        .pointCount = patch->pointCount,
        .removedCount = patch->removedCount,
        .childA = isMany ? many->childA : SD_NULL_INDEX,
        .childB = isMany ? many->childB : SD_NULL_INDEX,
    };
    float sum = 0.0f;
    for (int i = 0; i < patch->pointCount; ++i) {
        sum += patch->points[i].total;
    }
    for (int i = 0; i < patch->pointCount; ++i) {
        const sdPatchPoint* point = &patch->points[i];
        sdVec3 middle = sdMulAdd(point->pointA, 0.5f * point->separation, patch->normal);
        float share = sum > 0.0f ? point->total / sum : 1.0f / (float)patch->pointCount;
        out->points[i] = (sdContactPoint){
            .position = sdPos_Add(body->center, sdTransformPoint(xf, middle)),
            .separation = point->separation,
            .normalImpulse = point->total,
            .tangentImpulse = sdScale(share, patch->frictionTotal),
            .id = point->id,
            .state = (patch->keptMask >> i & 1) != 0 ? SD_POINT_KEPT : SD_POINT_NEW,
        };
    }
}

int sdWorld_GetContacts(const sdWorld* world, sdContactInfo* out, int capacity) {
    int count = 0;
    for (int i = world != NULL ? findContact(world, 0) : SD_NULL_INDEX; i != SD_NULL_INDEX;
         i = findContact(world, i + 1)) {
        const sdShapePair* pair = &world->pairs.data[i];
        sdContact* contact = sdWorld_GetContact(world, pair);
        for (int j = 0; j < sdContact_CountPatches(contact, pair); ++j) {
            const sdPatch* patch = sdContact_GetPatch(contact, pair, j);
            if (patch->pointCount > 0) {
                if (count < capacity && out != NULL) {
                    describePatch(world, pair, patch, &out[count]);
                }
                count += 1;
            }
        }
    }
    return count;
}

int sdWorld_GetBodies(const sdWorld* world, sdBodyId* out, int capacity) {
    int count = 0;
    for (int i = 0; world != NULL && i < world->bodies.count; ++i) {
        sdBodyId id = sdIdPool_GetId(&world->bodyPool, i);
        if (id != SD_NULL_ID) {
            if (count < capacity && out != NULL) {
                out[count] = id;
            }
            count += 1;
        }
    }
    return count;
}

static double dotOf(sdVec3 a, sdVec3 b) {
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

sdEnergy sdWorld_GetEnergy(const sdWorld* world) {
    sdEnergy energy = {0.0, 0.0};
    for (int i = 0; world != NULL && i < world->bodies.count; ++i) {
        const sdBody* body = &world->bodies.data[i];
        if (sdIdPool_GetId(&world->bodyPool, i) == SD_NULL_ID || body->type != SD_BODY_DYNAMIC) {
            continue;
        }
        sdVec3 w = sdInvRotate(body->rotation, body->angularVelocity), g = world->def.gravity;
        double mass = (double)body->mass, weight = mass * (double)body->gravityScale;
        energy.kinetic += 0.5 * (mass * dotOf(body->velocity, body->velocity) +
                                 dotOf(w, sdMulMV(body->inertia, w)));
        energy.potential -= weight * ((double)g.x * body->center.x + (double)g.y * body->center.y +
                                      (double)g.z * body->center.z);
    }
    return energy;
}

static size_t byteCount(const sdWorld* world) {
    size_t size = sizeof *world + (size_t)world->bodies.capacity * sizeof(sdBody) +
                  (size_t)world->fixtures.capacity * sizeof(sdFixture) +
                  (size_t)world->reaches.capacity * sizeof(sdReach) +
                  (size_t)world->boxes.capacity * sizeof(sdWorldBox) +
                  (size_t)world->pairs.capacity * sizeof(sdShapePair) +
                  (size_t)world->joints.capacity * sizeof(sdJoint) +
                  (size_t)(world->bodyList.capacity + world->pairList.capacity +
                           world->flood.capacity + world->broken.capacity) *
                      sizeof(int) +
                  sdBroadphase_GetStats(world->broadphase).byteCount;
    for (int i = 0; i < SD_STORE_COUNT; ++i) {
        const sdContactPool* pool = &world->contacts[i];
        size += (size_t)pool->capacity * sdContactStore_GetSize((sdContactStore)i);
        for (int j = 0; i == SD_STORE_MANY && j < pool->count; ++j) {
            const sdManyContact* many = sdContactPool_GetMany(pool, j);
            bool isLive = sdBitSet_Test(&pool->slots.taken, j);
            size += isLive ? (size_t)many->patches.capacity * sizeof(sdManyPatch) : 0;
        }
    }
    const sdContactEventArray* events[] = {&world->begin,       &world->end,
                                           &world->sensorBegin, &world->sensorEnd,
                                           &world->lateEnd,     &world->lateSensorEnd};
    for (size_t i = 0; i < sizeof events / sizeof events[0]; ++i) {
        size += (size_t)events[i]->capacity * sizeof(sdContactEvent);
    }
    return size + (size_t)world->hits.capacity * sizeof *world->hits.data;
}

sdWorldStats sdWorld_GetStats(const sdWorld* world) {
    if (world == NULL) {
        return (sdWorldStats){0};
    }
    sdWorldStats stats = world->stats;
    stats.bodyCount = world->bodyPool.liveCount;
    stats.shapeCount = world->fixturePool.liveCount;
    stats.jointCount = world->jointPool.liveCount;
    stats.awakeCount = sdBitSet_Count(&world->awakeBodies);
    stats.pairCount = sdBroadphase_GetPairCount(world->broadphase);
    stats.byteCount = byteCount(world);
    stats.scratchByteCount = sdArena_GetCapacity(&world->arena);
    return stats;
}

// ---- hash ----------------------------------------------------------------------------------

uint64_t sdWorld_GetHash(const sdWorld* world) {
    uint64_t hash = 0;
    for (int i = 0; world != NULL && i < world->bodies.count; ++i) {
        const sdBody* body = &world->bodies.data[i];
        if (sdIdPool_GetId(&world->bodyPool, i) == SD_NULL_ID) {
            continue;
        }
        uint64_t center[3];
        memcpy(center, &body->center, sizeof center);
        uint32_t words[6];
        for (int k = 0; k < 3; ++k) {
            words[2 * k] = (uint32_t)center[k];
            words[2 * k + 1] = (uint32_t)(center[k] >> 32);
        }
        hash = sdHash_Words(words, 6, hash + (uint64_t)i);
        hash = sdHash_Words(&body->rotation, 4, hash);
        hash = sdHash_Words(&body->velocity, 3, hash);
        hash = sdHash_Words(&body->angularVelocity, 3, hash);
    }
    for (int i = world != NULL ? findContact(world, 0) : SD_NULL_INDEX; i != SD_NULL_INDEX;
         i = findContact(world, i + 1)) {
        const sdShapePair* pair = &world->pairs.data[i];
        sdContact* contact = sdWorld_GetContact(world, pair);
        for (int j = 0; j < sdContact_CountPatches(contact, pair); ++j) {
            const sdPatch* patch = sdContact_GetPatch(contact, pair, j);
            for (int k = 0; k < patch->pointCount; ++k) {
                hash = sdHash_Words(&patch->points[k].impulse, 1, hash);
            }
            hash = sdHash_Words(&patch->friction, 3, hash);
            hash = sdHash_Words(&patch->rolling, 3, hash);
        }
    }
    for (int i = 0; world != NULL && i < world->joints.count; ++i) {
        const sdJoint* joint = &world->joints.data[i];
        if (sdIdPool_GetId(&world->jointPool, i) != SD_NULL_ID) {
            hash = sdHash_Words(&joint->blockImpulse, 3, hash);
            hash = sdHash_Words(joint->impulses, SD_JOINT_MAX_ROWS, hash);
        }
    }
    return hash;
}
