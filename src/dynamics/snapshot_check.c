// SPDX-License-Identifier: MIT
// snapshot_check.c - whether a world that came from outside is one.
//
// In:   a world whose arrays are those of an image, made by anyone.
// Out:  what does not agree, in words.
// Note: in the order in which one thing can be looked at after the other: counts, then indices,
//       then links, then what they lead to; in linear time. What may be said of bodies, shapes and
//       joints is asked where they are made.

#include "dynamics/snapshot_check.h"

#include "broadphase/broadphase_image.h"
#include "dynamics/fixture.h"
#include "dynamics/joint.h"
#include "dynamics/pair.h"

/// Parts of a step, at most.
#define MAX_PARTS 64

/// Numbers that a step keeps for the next.
#define MAX_NUMBER 1e36f

/// m, of a body: the broad phase takes no shapes that are larger.
#define MAX_RADIUS 1e16f
/// kg, of a body with many shapes.
#define MAX_MASS 1e30f

/// By which a body may be further away than one that is made.
#define PAST_THE_END 4.0

static bool isLive(const sdIdPool* pool, int index) {
    return sdIdPool_GetId(pool, index) != SD_NULL_ID;
}

static bool isAwake(const sdWorld* world, int body) {
    return sdBitSet_Test(&world->awakeBodies, body);
}

// ---- counts --------------------------------------------------------------------------------

/// Whether an array has an item for each thing that is there; a slot that was taken and given back
/// at once may have none.
static bool hasAll(const sdIdPool* pool, int count) {
    if (!sdIdPool_IsSound(pool) || count > pool->slotCount) {
        return false;
    }
    for (int i = count; i < pool->slotCount; ++i) {
        if (isLive(pool, i)) {
            return false;
        }
    }
    return true;
}

static const char* faultOfCounts(const sdWorldView* view) {
    const sdWorld* world = view->world;
    int bodyCount = world->bodies.count, pairCount = world->pairs.count;
    if (!hasAll(&world->bodyPool, bodyCount) || world->reaches.count != bodyCount ||
        !sdBitSet_IsWithin(&world->awakeBodies, bodyCount)) {
        return "its bodies are not as many as their ids";
    }
    if (!hasAll(&world->fixturePool, world->fixtures.count) ||
        world->boxes.count != world->fixtures.count) {
        return "its shapes are not as many as their ids";
    }
    if (!hasAll(&world->jointPool, world->joints.count) ||
        !sdBitSet_IsWithin(&world->activeJoints, world->joints.count)) {
        return "its joints are not as many as their ids";
    }
    if (!sdSlotPool_IsSound(&world->pairPool) || world->pairPool.slotCount != pairCount ||
        pairCount > SD_MAX_PAIRS || !sdBitSet_IsWithin(&world->activePairs, pairCount)) {
        return "its pairs are not as many as their slots";
    }
    for (int i = 0; i < SD_STORE_COUNT; ++i) {
        const sdContactPool* pool = &world->contacts[i];
        int count = i == SD_STORE_MANY ? view->headCount : pool->count;
        if (!sdSlotPool_IsSound(&pool->slots) || pool->slots.slotCount != count) {
            return "its contacts are not as many as their slots";
        }
    }
    return NULL;
}

// ---- settings ------------------------------------------------------------------------------

static const char* faultOfSettings(const sdWorld* world) {
    const sdWorldDef* def = &world->def;
    if (!sdIsBool(&def->enableDirect) || !sdIsBool(&def->enableContinuous) ||
        !sdIsBool(&def->enableSleep) || !sdIsBool(&def->impulse.enableShock) ||
        !sdIsBool(&def->impulse.enableGraph) || !sdIsBool(&def->broadphase.enableTiming) ||
        !sdIsBool(&world->hasMissingPairs) || !sdIsBool(&world->hasOldBoxes) ||
        !sdIsBool(&world->hasFineJoints)) {
        return "a setting is neither true nor false";
    }
    const sdPos time = {world->time, 0.0, 0.0};
    if (!sdPos_IsFinite(time) || !(world->lastDt >= 0.0f && world->lastDt <= SD_MAX_TIME_STEP) ||
        !(world->attemptDt >= 0.0f && world->attemptDt <= SD_MAX_TIME_STEP) ||
        !(world->jointH >= 0.0f && world->jointH <= SD_MAX_TIME_STEP) || world->part < 0 ||
        world->part > MAX_PARTS || world->partCount < 0 || world->partCount > MAX_PARTS ||
        !(world->leastMeshRadius >= 0.0f) || !sdAreWithin(&world->stats.pairMs, 7, MAX_NUMBER)) {
        return "its time or a part of a step is not a number that can be";
    }
    const char* fault = sdWorldDef_FindFault(def);
    return fault == NULL ? sdBroadphaseDef_FindFault(&def->broadphase) : fault;
}

// ---- bodies --------------------------------------------------------------------------------

/// Whether a tensor of inertia has an inverse that can be solved with.
static bool isTensor(float mass, const sdMat33* m) {
    double xx = (double)m->cx.x, yy = (double)m->cy.y, zz = (double)m->cz.z;
    double xy = (double)m->cx.y * (double)m->cy.x, xz = (double)m->cx.z * (double)m->cz.x;
    double yz = (double)m->cy.z * (double)m->cz.y;
    double around = (double)m->cx.y * (double)m->cy.z * (double)m->cz.x +
                    (double)m->cx.z * (double)m->cy.x * (double)m->cz.y;
    double determinant = xx * (yy * zz - yz) - yy * xz - zz * xy + around;
    if (xx > 0.0 && xx * yy > xy && determinant > 0.0) {
        return true;
    }
    // of a needle, by rounding
    return sdMassProps_IsWithinLimits((sdMassProps){.mass = mass, .inertia = *m});
}

static bool hasMass(const sdBody* body) {
    const sdMat33 none = {0};
    bool hasTensor = memcmp(&body->inverseInertia, &none, sizeof none) != 0;
    if (body->type != SD_BODY_DYNAMIC) {
        return body->mass == 0.0f && body->inverseMass == 0.0f && !hasTensor;
    }
    if (!(body->mass >= SD_MIN_MASS && body->mass <= MAX_MASS) ||
        body->inverseMass != 1.0f / body->mass) {
        return false;
    }
    sdMat33 inverse = sdMat33_Inverse(body->inertia);
    return !hasTensor || (memcmp(&inverse, &body->inverseInertia, sizeof inverse) == 0 &&
                          isTensor(body->mass, &body->inertia));
}

static bool hasNumbers(const sdWorld* world, int index) {
    const sdBody* body = &world->bodies.data[index];
    size_t count = (offsetof(sdBody, firstShape) - offsetof(sdBody, inverseMass)) / sizeof(float);
    return sdAreWithin(&body->localCenter, 3, MAX_NUMBER) &&
           sdAreWithin(&body->inverseMass, count, FLT_MAX) && body->radius >= 0.0f &&
           body->radius <= MAX_RADIUS && body->thinness >= 0.0f && sdIsFinite(body->thinness) &&
           body->slowTime >= 0.0f && sdLengthSquared(body->needleAxis) < 1.1f &&
           world->reaches.data[index].turned >= 0.0f &&
           world->reaches.data[index].turning >= 0.0f &&
           sdAreWithin(&world->reaches.data[index], 8, FLT_MAX);
}

static const char* faultOfBody(const sdWorld* world, int index) {
    const sdBody* body = &world->bodies.data[index];
    // the last thing that happened to it may have left it beyond the end of the world
    sdPos center = {body->center.x / PAST_THE_END, body->center.y / PAST_THE_END,
                    body->center.z / PAST_THE_END};
    sdBodyDef def = {
        .type = (sdBodyType)body->type,
        .position = center,
        .rotation = body->rotation,
        .velocity = body->velocity,
        .angularVelocity = body->angularVelocity,
        .linearDamping = body->linearDamping,
        .angularDamping = body->angularDamping,
        .gravityScale = body->gravityScale,
        .locks = body->locks,
    };
    const char* fault = sdBodyDef_FindFault(&def);
    if (fault == NULL && (!hasNumbers(world, index) || !hasMass(body))) {
        fault = "a body has a mass, force or size that cannot be";
    }
    bool mayBeAwake = body->type != SD_BODY_STATIC && !body->isDisabled;
    if (fault == NULL &&
        (isAwake(world, index) ? !mayBeAwake : body->awakeIndex != SD_NULL_INDEX)) {
        fault = "a body that cannot be awake is";
    }
    return fault;
}

/// The shapes of a body, each of which names it and the next.
static const char* faultOfShapes(const sdWorld* world, int index, int* total) {
    const sdBody* body = &world->bodies.data[index];
    int count = 0;
    bool isMesh = false;
    int i = body->firstShape;
    while (i != SD_NULL_INDEX && count < body->shapeCount) {
        if (i < 0 || i >= world->fixtures.count || !isLive(&world->fixturePool, i) ||
            world->fixtures.data[i].body != index) {
            return "a body has a shape that is not its own";
        }
        isMesh = isMesh || world->fixtures.data[i].def.shape.concave != NULL;
        i = world->fixtures.data[i].next;
        count += 1;
    }
    *total += count;
    if (i != SD_NULL_INDEX || count != body->shapeCount ||
        body->isMesh != (isMesh && body->type == SD_BODY_DYNAMIC)) {
        return "the shapes of a body are not as many as it says";
    }
    return NULL;
}

static const char* faultOfBodies(const sdWorld* world) {
    int shapeCount = 0;
    for (int i = 0; i < world->bodies.count; ++i) {
        const char* fault = NULL;
        if (isLive(&world->bodyPool, i)) {
            fault = faultOfBody(world, i);
            fault = fault == NULL ? faultOfShapes(world, i, &shapeCount) : fault;
        } else if (isAwake(world, i)) {
            fault = "a body that is gone is awake";
        }
        if (fault != NULL) {
            return fault;
        }
    }
    // each of them names one body, whose list has it once
    return shapeCount == world->fixturePool.liveCount ? NULL : "a shape is on no body";
}

// ---- shapes --------------------------------------------------------------------------------

/// A shape has a proxy that has it, and so none that is another's.
static bool hasProxy(const sdWorld* world, int index) {
    const sdBroadphase* broadphase = world->broadphase;
    sdProxyId proxy = world->fixtures.data[index].proxy;
    return sdBroadphase_IsValidId(broadphase, proxy) &&
           sdBroadphase_GetUserData(broadphase, proxy) == (uint64_t)index;
}

/// Gaps between boxes must be numbers that floats have.
static bool isWorldBox(const sdWorldBox* box) {
    const double most = (double)MAX_NUMBER;
    return box->lower.x >= -most && box->lower.y >= -most && box->lower.z >= -most &&
           box->upper.x <= most && box->upper.y <= most && box->upper.z <= most &&
           box->lower.x <= box->upper.x && box->lower.y <= box->upper.y &&
           box->lower.z <= box->upper.z;
}

static bool isShapeMass(const sdMassProps* mass) {
    const sdMassProps none = {0};
    return memcmp(mass, &none, sizeof none) == 0 ||
           (sdAreWithin(mass, sizeof *mass / sizeof(float), FLT_MAX) && mass->mass > 0.0f &&
            isTensor(mass->mass, &mass->inertia));
}

/// Bodies, and what the shape is, have been looked at.
static bool isOfSize(const sdShapeDef* def) {
    if (def->shape.type == SD_SHAPE_HALF_SPACE) {
        return true;
    }
    sdAABB box = sdShape_GetBounds(&def->shape, def->xf);
    return sdAreWithin(&box, sizeof box / sizeof(float), MAX_RADIUS);
}

static const char* faultOfFixture(const sdWorld* world, int index) {
    const sdFixture* fixture = &world->fixtures.data[index];
    if (!sdIsBool(&fixture->def.isSensor) || !isShapeMass(&fixture->mass) ||
        !isWorldBox(&world->boxes.data[index])) {
        return "a shape has a mass or box that cannot be";
    }
    if (!hasProxy(world, index)) {
        return "a shape and its box in the broad phase do not agree";
    }
    sdBodyType type = (sdBodyType)world->bodies.data[fixture->body].type;
    const char* fault = sdShapeDef_FindFault(&fixture->def, type);
    return fault == NULL && !isOfSize(&fixture->def) ? "a shape is too large" : fault;
}

static const char* faultOfFixtures(const sdWorld* world) {
    for (int i = 0; i < world->fixtures.count; ++i) {
        const char* fault = isLive(&world->fixturePool, i) ? faultOfFixture(world, i) : NULL;
        if (fault != NULL) {
            return fault;
        }
    }
    // no two shapes have one proxy, so no proxy is left
    return world->fixturePool.liveCount == sdBroadphase_GetProxyCount(world->broadphase)
               ? NULL
               : "a box in the broad phase is of no shape";
}

// ---- joints --------------------------------------------------------------------------------

static bool isLiveBody(const sdWorld* world, int body, sdBodyId id) {
    return body >= 0 && id != SD_NULL_ID && sdIdPool_GetId(&world->bodyPool, body) == id;
}

/// Whether what takes part in the next step can.
static bool isRightlyActive(const sdWorld* world, int index) {
    const sdJoint* joint = &world->joints.data[index];
    const sdBody *a = &world->bodies.data[joint->bodyA], *b = &world->bodies.data[joint->bodyB];
    bool isAwakeA = isAwake(world, joint->bodyA), isAwakeB = isAwake(world, joint->bodyB);
    if (!sdBitSet_Test(&world->activeJoints, index)) {
        return joint->activeIndex == SD_NULL_INDEX || (!isAwakeA && !isAwakeB);
    }
    bool isBetweenDynamic = a->type == SD_BODY_DYNAMIC && b->type == SD_BODY_DYNAMIC;
    return !a->isDisabled && !b->isDisabled && (!isBetweenDynamic || (isAwakeA && isAwakeB));
}

static bool isConeOf(const sdJointCone* cone, float angle) {
    sdJointCone made = sdJointCone_Make(angle);
    return memcmp(cone, &made, sizeof made) == 0;
}

static const char* faultOfJoint(const sdWorld* world, int index) {
    const sdJoint* joint = &world->joints.data[index];
    if (!isLiveBody(world, joint->bodyA, joint->def.bodyA) ||
        !isLiveBody(world, joint->bodyB, joint->def.bodyB)) {
        return "a joint is on a body that is not there";
    }
    const char* fault = sdJointDef_FindFault(&joint->def);
    if (fault != NULL) {
        return fault;
    }
    if (!sdIsBool(&joint->isPlain) || !sdIsBool(&joint->isBreakable) ||
        !sdIsBool(&joint->def.collideConnected) ||
        joint->isPlain != sdJointDef_IsPlainBall(&joint->def) ||
        joint->isBreakable != sdJointDef_IsBreakable(&joint->def) ||
        !isConeOf(&joint->cone, joint->def.coneAngle)) {
        return "a joint is not of the kind that it says";
    }
    if (!sdAreWithin(&joint->blockImpulse, 9, MAX_NUMBER) ||
        !sdAreWithin(joint->impulses, SD_JOINT_MAX_ROWS, MAX_NUMBER)) {
        return "a joint has an impulse or force that is not finite";
    }
    return isRightlyActive(world, index) ? NULL : "a joint takes part in steps that cannot";
}

static const char* faultOfJoints(const sdWorld* world) {
    for (int i = 0; i < world->joints.count; ++i) {
        const char* fault = NULL;
        if (isLive(&world->jointPool, i)) {
            fault = faultOfJoint(world, i);
        } else if (sdBitSet_Test(&world->activeJoints, i)) {
            fault = "a joint that is gone takes part in steps";
        }
        if (fault != NULL) {
            return fault;
        }
    }
    return NULL;
}

/// The joints of a body, each of which names it, the next and the last.
static bool isJointList(const sdWorld* world, int index, int64_t* total) {
    const sdBody* body = &world->bodies.data[index];
    int count = 0, edge = body->firstJoint, last = SD_NULL_INDEX;
    while (edge != SD_NULL_INDEX && count < body->jointCount) {
        if (edge < 0 || !isLive(&world->jointPool, edge >> 1)) {
            return false;
        }
        const sdJoint* joint = &world->joints.data[edge >> 1];
        if (((edge & 1) == 0 ? joint->bodyA : joint->bodyB) != index ||
            joint->previous[edge & 1] != last) {
            return false;
        }
        last = edge;
        edge = joint->next[edge & 1];
        count += 1;
    }
    *total += count;
    return edge == SD_NULL_INDEX && count == body->jointCount;
}

/// The same of its pairs.
static bool isPairList(const sdWorld* world, int index, int64_t* total) {
    const sdBody* body = &world->bodies.data[index];
    int count = 0, edge = body->firstPair, last = SD_NULL_INDEX;
    while (edge != SD_NULL_INDEX && count < body->pairCount) {
        if (edge < 0 || edge >> 1 >= world->pairs.count ||
            !sdBitSet_Test(&world->pairPool.taken, edge >> 1)) {
            return false;
        }
        const sdShapePair* pair = &world->pairs.data[edge >> 1];
        if (((edge & 1) == 0 ? pair->bodyA : pair->bodyB) != index ||
            pair->previous[edge & 1] != last) {
            return false;
        }
        last = edge;
        edge = pair->next[edge & 1];
        count += 1;
    }
    *total += count;
    return edge == SD_NULL_INDEX && count == body->pairCount;
}

/// No list has anything twice, for its first has none before it and all others have one.
static const char* faultOfLists(const sdWorld* world) {
    int64_t joints = 0, pairs = 0;
    for (int i = 0; i < world->bodies.count; ++i) {
        if (isLive(&world->bodyPool, i) &&
            (!isJointList(world, i, &joints) || !isPairList(world, i, &pairs))) {
            return "the joints or pairs of a body do not lead from one to the next";
        }
    }
    return joints == 2 * (int64_t)world->jointPool.liveCount &&
                   pairs == 2 * (int64_t)world->pairPool.liveCount
               ? NULL
               : "a joint or pair is in no list of its body";
}

// ---- events --------------------------------------------------------------------------------

static const char* faultOfEvents(const sdWorld* world) {
    for (int i = 0; i < world->hits.count; ++i) {
        const sdHitEvent* hit = &world->hits.data[i];
        if (!sdPos_IsFinite(hit->point) || !sdAreWithin(&hit->normal, 5, MAX_NUMBER)) {
            return "a hit is not finite";
        }
    }
    // pairs that a step had no room for are taken by the next, if nothing has changed since
    const sdBroadphase* broadphase = world->broadphase;
    bool areDue = world->hasMissingPairs && world->missing == world->attempt;
    for (int i = 0; areDue && i < broadphase->newPairs.count; ++i) {
        if (!sdBroadphase_IsValidId(broadphase, broadphase->newPairs.data[i].a) ||
            !sdBroadphase_IsValidId(broadphase, broadphase->newPairs.data[i].b)) {
            return "a pair that is due is of no shapes";
        }
    }
    return NULL;
}

// ---- all -----------------------------------------------------------------------------------

static const char* faultOfAll(const sdWorldView* view, const sdAllocator* allocator,
                              sdResult* result) {
    const sdWorld* world = view->world;
    const char* fault = faultOfCounts(view);
    fault = fault == NULL ? faultOfSettings(world) : fault;
    fault = fault == NULL ? sdBroadphase_FindFault(world->broadphase, allocator, result) : fault;
    fault = fault == NULL ? faultOfBodies(world) : fault;
    fault = fault == NULL ? faultOfFixtures(world) : fault;
    fault = fault == NULL ? faultOfJoints(world) : fault;
    fault = fault == NULL ? sdWorldView_FindContactFault(view) : fault;
    fault = fault == NULL ? faultOfLists(world) : fault;
    return fault == NULL ? faultOfEvents(world) : fault;
}

const char* sdWorldView_FindFault(const sdWorldView* view, const sdAllocator* allocator,
                                  sdResult* result) {
    *result = SD_ERROR_BAD_FILE;
    const char* fault = faultOfAll(view, allocator, result);
    *result = fault != NULL ? *result : SD_OK;
    return fault;
}
