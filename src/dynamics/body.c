// SPDX-License-Identifier: MIT
// body.c - bodies: made, read, pushed, weighed, destroyed.

#include "dynamics/world.h"

#include "dynamics/fixture.h"
#include "dynamics/island.h"
#include "dynamics/joint.h"

sdBodyDef sdBodyDef_Default(void) {
    return (sdBodyDef){
        .type = SD_BODY_STATIC,
        .rotation = sdQuat_Identity(),
        .gravityScale = 1.0f,
        .enableSleep = true,
        .isAwake = true,
    };
}

static bool isPosition(sdPos p) {
    return fabs(p.x) <= SD_MAX_COORDINATE && fabs(p.y) <= SD_MAX_COORDINATE &&
           fabs(p.z) <= SD_MAX_COORDINATE;
}

static bool isSpeed(sdVec3 v) {
    return sdVec3_IsFinite(v) && sdAbsF(v.x) <= SD_MAX_SPEED && sdAbsF(v.y) <= SD_MAX_SPEED &&
           sdAbsF(v.z) <= SD_MAX_SPEED;
}

static bool isScale(float scale) {
    return sdAbsF(scale) <= SD_MAX_SPEED;
}

const char* sdBodyDef_FindFault(const sdBodyDef* def) {
    if ((int)def->type < SD_BODY_STATIC || def->type > SD_BODY_DYNAMIC) {
        return "the type is not one of sdBodyType";
    }
    if (!isPosition(def->position)) {
        return "the position is not finite or beyond 1e12 m";
    }
    if (!sdQuat_IsUnit(def->rotation)) {
        return "the rotation is not a unit quaternion; start from sdBodyDef_Default()";
    }
    if (!isSpeed(def->velocity) || !isSpeed(def->angularVelocity)) {
        return "a velocity is not finite or beyond 1e9";
    }
    if (!(def->linearDamping >= 0.0f && def->angularDamping >= 0.0f) ||
        !sdIsFinite(def->linearDamping) || !sdIsFinite(def->angularDamping)) {
        return "a damping is negative or not finite";
    }
    if (!isScale(def->gravityScale)) {
        return "the gravity scale is not finite or beyond 1e9";
    }
    if ((def->locks & ~(uint32_t)SD_LOCK_ALL) != 0) {
        return "the locks have bits outside SD_LOCK_ALL";
    }
    return NULL;
}

sdResult sdBody_Create(sdWorld* world, const sdBodyDef* def, sdBodyId* out) {
    if (out != NULL) {
        *out = SD_NULL_BODY;
    }
    if (world == NULL || def == NULL || out == NULL) {
        return sdFail(world != NULL ? &world->context : NULL, SD_ERROR_INVALID_ARGUMENT,
                      "sdBody_Create: world, def and out must not be NULL");
    }
    sdResult result = sdWorld_CheckUnlocked(world, "sdBody_Create");
    if (result != SD_OK) {
        return result;
    }
    const char* fault = sdBodyDef_FindFault(def);
    if (fault != NULL) {
        return sdFail(&world->context, SD_ERROR_INVALID_ARGUMENT, "sdBody_Create: %s", fault);
    }
    const sdAllocator* allocator = &world->context.allocator;
    int needed = world->bodyPool.slotCount + 1;
    if (!sdBodyArray_Reserve(&world->bodies, allocator, needed) ||
        !sdReachArray_Reserve(&world->reaches, allocator, needed) ||
        !sdBitSet_Reserve(&world->awakeBodies, allocator, needed) ||
        !sdIntArray_Reserve(&world->flood, allocator, needed)) {
        return sdFailMemory(&world->context, "sdBody_Create", sizeof(sdBody));
    }
    result = sdIdPool_Alloc(&world->bodyPool, allocator, out);
    if (result != SD_OK) {
        return sdFail(&world->context, result, "sdBody_Create: no slot for another body");
    }
    int index = sdId_Index(*out);
    world->bodies.count = world->bodyPool.slotCount;
    world->reaches.count = world->bodies.count;
    world->reaches.data[index] = (sdReach){.turned = 0.0f};
    bool isStatic = def->type == SD_BODY_STATIC;
    world->bodies.data[index] = (sdBody){
        .center = def->position,
        .rotation = def->rotation,
        .velocity = isStatic ? sdV3(0.0f, 0.0f, 0.0f) : def->velocity,
        .angularVelocity = isStatic ? sdV3(0.0f, 0.0f, 0.0f) : def->angularVelocity,
        .linearDamping = def->linearDamping,
        .angularDamping = def->angularDamping,
        .gravityScale = def->gravityScale,
        .firstShape = SD_NULL_INDEX,
        .firstPair = SD_NULL_INDEX,
        .firstJoint = SD_NULL_INDEX,
        .awakeIndex = SD_NULL_INDEX,
        .locks = (uint8_t)def->locks,
        .type = (uint8_t)def->type,
        .enableSleep = def->enableSleep,
        .isBullet = def->isBullet,
        .userData = def->userData,
    };
    sdBody_UpdateMass(world, index);
    if (!isStatic && def->isAwake) {
        sdBitSet_Set(&world->awakeBodies, index);
    }
    return SD_OK;
}

sdBody* sdWorld_ChangeBody(sdWorld* world, sdBodyId id, const char* function, sdResult* result) {
    if (world == NULL) {
        *result = SD_ERROR_INVALID_ARGUMENT;
        return NULL;
    }
    *result = sdWorld_CheckUnlocked(world, function);
    sdBody* body = sdWorld_FindBody(world, id);
    if (*result == SD_OK && body == NULL) {
        *result = sdFail(&world->context, SD_ERROR_STALE_ID, "%s: body %08x is gone or never was",
                         function, (unsigned)id);
    }
    return *result == SD_OK ? body : NULL;
}

sdResult sdBody_Destroy(sdWorld* world, sdBodyId id) {
    sdResult result;
    sdBody* body = sdWorld_ChangeBody(world, id, "sdBody_Destroy", &result);
    if (body == NULL) {
        return result;
    }
    sdWorld_DropJointsOf(world, sdId_Index(id));
    while (body->firstShape != SD_NULL_INDEX) {
        sdWorld_RemoveFixture(world, body->firstShape);
    }
    sdBitSet_Clear(&world->awakeBodies, sdId_Index(id));
    sdIdPool_Release(&world->bodyPool, id);
    return SD_OK;
}

// ---- state ---------------------------------------------------------------------------------

bool sdBody_IsValid(const sdWorld* world, sdBodyId id) {
    return sdWorld_FindBody(world, id) != NULL;
}

sdBodyType sdBody_GetType(const sdWorld* world, sdBodyId id) {
    const sdBody* body = sdWorld_FindBody(world, id);
    return body != NULL ? (sdBodyType)body->type : SD_BODY_STATIC;
}

uint64_t sdBody_GetUserData(const sdWorld* world, sdBodyId id) {
    const sdBody* body = sdWorld_FindBody(world, id);
    return body != NULL ? body->userData : 0;
}

sdWorldTransform sdBody_GetTransform(const sdWorld* world, sdBodyId id) {
    const sdBody* body = sdWorld_FindBody(world, id);
    return body != NULL ? sdBody_Frame(body)
                        : (sdWorldTransform){{0.0, 0.0, 0.0}, sdQuat_Identity()};
}

sdPos sdBody_GetCenter(const sdWorld* world, sdBodyId id) {
    const sdBody* body = sdWorld_FindBody(world, id);
    return body != NULL ? body->center : sdPos_Make(0.0, 0.0, 0.0);
}

sdVec3 sdBody_GetVelocity(const sdWorld* world, sdBodyId id) {
    const sdBody* body = sdWorld_FindBody(world, id);
    return body != NULL ? body->velocity : sdV3(0.0f, 0.0f, 0.0f);
}

sdVec3 sdBody_GetAngularVelocity(const sdWorld* world, sdBodyId id) {
    const sdBody* body = sdWorld_FindBody(world, id);
    return body != NULL ? body->angularVelocity : sdV3(0.0f, 0.0f, 0.0f);
}

sdVec3 sdBody_GetVelocityAt(const sdWorld* world, sdBodyId id, sdPos point) {
    const sdBody* body = sdWorld_FindBody(world, id);
    if (body == NULL || !sdPos_IsFinite(point)) {
        return sdV3(0.0f, 0.0f, 0.0f);
    }
    sdVec3 r = sdPos_Sub(point, body->center);
    return sdAdd(body->velocity, sdCross(body->angularVelocity, r));
}

sdResult sdBody_SetTransform(sdWorld* world, sdBodyId id, sdPos position, sdQuat rotation) {
    sdResult result;
    sdBody* body = sdWorld_ChangeBody(world, id, "sdBody_SetTransform", &result);
    if (body == NULL) {
        return result;
    }
    if (!isPosition(position) || !sdQuat_IsUnit(rotation)) {
        return sdFail(&world->context, SD_ERROR_INVALID_ARGUMENT,
                      "sdBody_SetTransform: the position is not finite or beyond 1e12 m, or the "
                      "rotation is not a unit quaternion");
    }
    int index = sdId_Index(id);
    // what it rested against has to notice, and so has it where it arrives
    sdWorld_WakeNeighbours(world, index);
    sdWorld_WakeBody(world, index);
    body->center = sdPos_Add(position, sdRotate(rotation, body->localCenter));
    body->rotation = rotation;
    sdWorld_MoveFixtures(world, index);
    sdWorld_WakeAround(world, index);
    return SD_OK;
}

sdResult sdBody_SetVelocity(sdWorld* world, sdBodyId id, sdVec3 velocity, sdVec3 angular) {
    sdResult result;
    sdBody* body = sdWorld_ChangeBody(world, id, "sdBody_SetVelocity", &result);
    if (body == NULL) {
        return result;
    }
    if (!isSpeed(velocity) || !isSpeed(angular) || body->type == SD_BODY_STATIC) {
        return sdFail(&world->context, SD_ERROR_INVALID_ARGUMENT,
                      "sdBody_SetVelocity: a velocity is not finite or beyond 1e9, or the body is "
                      "static");
    }
    body->velocity = velocity;
    body->angularVelocity = angular;
    world->hasOldBoxes = true;
    sdWorld_WakeBody(world, sdId_Index(id));
    return SD_OK;
}

bool sdBody_IsAwake(const sdWorld* world, sdBodyId id) {
    return sdWorld_FindBody(world, id) != NULL &&
           sdBitSet_Test(&world->awakeBodies, sdId_Index(id));
}

sdResult sdBody_SetAwake(sdWorld* world, sdBodyId id, bool isAwake) {
    sdResult result;
    sdBody* body = sdWorld_ChangeBody(world, id, "sdBody_SetAwake", &result);
    if (body == NULL) {
        return result;
    }
    if (isAwake) {
        sdWorld_WakeBody(world, sdId_Index(id));
    } else {
        sdWorld_SleepIsland(world, sdId_Index(id));
    }
    return SD_OK;
}

sdResult sdBody_SetLocks(sdWorld* world, sdBodyId id, uint32_t locks) {
    sdResult result;
    sdBody* body = sdWorld_ChangeBody(world, id, "sdBody_SetLocks", &result);
    if (body == NULL) {
        return result;
    }
    if ((locks & ~(uint32_t)SD_LOCK_ALL) != 0) {
        return sdFail(&world->context, SD_ERROR_INVALID_ARGUMENT,
                      "sdBody_SetLocks: 0x%x has bits outside SD_LOCK_ALL", (unsigned)locks);
    }
    body->locks = (uint8_t)locks;
    sdWorld_WakeBody(world, sdId_Index(id));
    return SD_OK;
}

sdResult sdBody_SetDamping(sdWorld* world, sdBodyId id, float linear, float angular) {
    sdResult result;
    sdBody* body = sdWorld_ChangeBody(world, id, "sdBody_SetDamping", &result);
    if (body == NULL) {
        return result;
    }
    if (!(linear >= 0.0f && angular >= 0.0f) || !sdIsFinite(linear) || !sdIsFinite(angular)) {
        return sdFail(&world->context, SD_ERROR_INVALID_ARGUMENT,
                      "sdBody_SetDamping: a damping is negative or not finite");
    }
    body->linearDamping = linear;
    body->angularDamping = angular;
    return SD_OK;
}

sdResult sdBody_SetGravityScale(sdWorld* world, sdBodyId id, float scale) {
    sdResult result;
    sdBody* body = sdWorld_ChangeBody(world, id, "sdBody_SetGravityScale", &result);
    if (body == NULL) {
        return result;
    }
    if (!isScale(scale)) {
        return sdFail(&world->context, SD_ERROR_INVALID_ARGUMENT,
                      "sdBody_SetGravityScale: the scale is not finite or beyond 1e9");
    }
    body->gravityScale = scale;
    sdWorld_WakeBody(world, sdId_Index(id));
    return SD_OK;
}

// ---- forces --------------------------------------------------------------------------------

/// The body to push, awake; NULL with the reason in *result, or for one that takes no notice.
static sdBody* push(sdWorld* world, sdBodyId id, sdVec3 push, sdPos point, const char* function,
                    sdResult* result) {
    sdBody* body = sdWorld_ChangeBody(world, id, function, result);
    if (body == NULL) {
        return NULL;
    }
    if (!sdVec3_IsFinite(push) || !isPosition(point)) {
        *result = sdFail(&world->context, SD_ERROR_INVALID_ARGUMENT,
                         "%s: a number is not finite, or the point is beyond 1e12 m", function);
        return NULL;
    }
    if (body->type != SD_BODY_DYNAMIC) {
        return NULL;
    }
    sdWorld_WakeBody(world, sdId_Index(id));
    return body;
}

/// Add a force and a torque to those of the step.
static sdResult gather(sdWorld* world, sdBody* body, sdVec3 force, sdVec3 torque,
                       const char* function) {
    sdVec3 newForce = sdAdd(body->force, force), newTorque = sdAdd(body->torque, torque);
    if (!sdVec3_IsFinite(newForce) || !sdVec3_IsFinite(newTorque)) {
        return sdFail(&world->context, SD_ERROR_LIMIT,
                      "%s: the sum of forces or torques is too large for a float", function);
    }
    body->force = newForce;
    body->torque = newTorque;
    return SD_OK;
}

sdResult sdBody_ApplyForce(sdWorld* world, sdBodyId id, sdVec3 force, sdPos point) {
    sdResult result;
    sdBody* body = push(world, id, force, point, "sdBody_ApplyForce", &result);
    if (body != NULL) {
        sdVec3 torque = sdCross(sdPos_Sub(point, body->center), force);
        result = gather(world, body, force, torque, "sdBody_ApplyForce");
    }
    return result;
}

sdResult sdBody_ApplyForceToCenter(sdWorld* world, sdBodyId id, sdVec3 force) {
    sdResult result;
    sdPos anywhere = {0.0, 0.0, 0.0};
    sdBody* body = push(world, id, force, anywhere, "sdBody_ApplyForceToCenter", &result);
    if (body != NULL) {
        sdVec3 none = {0.0f, 0.0f, 0.0f};
        result = gather(world, body, force, none, "sdBody_ApplyForceToCenter");
    }
    return result;
}

sdResult sdBody_ApplyTorque(sdWorld* world, sdBodyId id, sdVec3 torque) {
    sdResult result;
    sdPos anywhere = {0.0, 0.0, 0.0};
    sdBody* body = push(world, id, torque, anywhere, "sdBody_ApplyTorque", &result);
    if (body != NULL) {
        sdVec3 none = {0.0f, 0.0f, 0.0f};
        result = gather(world, body, none, torque, "sdBody_ApplyTorque");
    }
    return result;
}

/// World inverse inertia times a vector.
static sdVec3 turn(const sdBody* body, sdVec3 angularImpulse) {
    sdVec3 local = sdInvRotate(body->rotation, angularImpulse);
    return sdRotate(body->rotation, sdMulMV(body->inverseInertia, local));
}

sdResult sdBody_ApplyImpulse(sdWorld* world, sdBodyId id, sdVec3 impulse, sdPos point) {
    sdResult result;
    sdBody* body = push(world, id, impulse, point, "sdBody_ApplyImpulse", &result);
    if (body != NULL) {
        sdVec3 r = sdPos_Sub(point, body->center);
        sdVec3 v = sdMulAdd(body->velocity, body->inverseMass, impulse);
        sdVec3 w = sdAdd(body->angularVelocity, turn(body, sdCross(r, impulse)));
        if (!isSpeed(v) || !isSpeed(w)) {
            return sdFail(&world->context, SD_ERROR_LIMIT,
                          "sdBody_ApplyImpulse: the body would be faster than 1e9");
        }
        body->velocity = v;
        body->angularVelocity = w;
        world->hasOldBoxes = true;
    }
    return result;
}

sdResult sdBody_ApplyAngularImpulse(sdWorld* world, sdBodyId id, sdVec3 impulse) {
    sdResult result;
    sdPos anywhere = {0.0, 0.0, 0.0};
    sdBody* body = push(world, id, impulse, anywhere, "sdBody_ApplyAngularImpulse", &result);
    if (body != NULL) {
        sdVec3 w = sdAdd(body->angularVelocity, turn(body, impulse));
        if (!isSpeed(w)) {
            return sdFail(&world->context, SD_ERROR_LIMIT,
                          "sdBody_ApplyAngularImpulse: the body would be faster than 1e9");
        }
        body->angularVelocity = w;
        world->hasOldBoxes = true;
    }
    return result;
}

// ---- mass ----------------------------------------------------------------------------------

sdMassProps sdBody_GetMass(const sdWorld* world, sdBodyId id) {
    const sdBody* body = sdWorld_FindBody(world, id);
    sdMassProps none = {0};
    return body != NULL && body->type == SD_BODY_DYNAMIC
               ? (sdMassProps){body->mass, body->localCenter, body->inertia}
               : none;
}

sdResult sdBody_SetMass(sdWorld* world, sdBodyId id, sdMassProps props) {
    sdResult result;
    sdBody* body = sdWorld_ChangeBody(world, id, "sdBody_SetMass", &result);
    if (body == NULL) {
        return result;
    }
    if (!sdMassProps_IsValid(props) || body->type != SD_BODY_DYNAMIC ||
        !sdMassProps_IsWithinLimits(props)) {
        return sdFail(&world->context, SD_ERROR_INVALID_ARGUMENT,
                      "sdBody_SetMass: not the mass of a solid (see sdMassProps_IsValid), or not "
                      "within 1e-24 .. 1e24 kg, or the body is not dynamic");
    }
    if (!(sdLength(props.center) <= (float)SD_MAX_COORDINATE)) {
        return sdFail(&world->context, SD_ERROR_INVALID_ARGUMENT,
                      "sdBody_SetMass: the centre of mass is further than 1e12 m from the body");
    }
    body->hasGivenMass = true;
    sdBody_TakeMass(body, props);
    // the radius is about the centre, which may have moved
    sdBody_UpdateMass(world, sdId_Index(id));
    sdWorld_WakeBody(world, sdId_Index(id));
    return SD_OK;
}

bool sdBody_HasGivenMass(const sdWorld* world, sdBodyId id) {
    const sdBody* body = sdWorld_FindBody(world, id);
    return body != NULL && body->hasGivenMass;
}

sdResult sdBody_ResetMass(sdWorld* world, sdBodyId id) {
    sdResult result;
    sdBody* body = sdWorld_ChangeBody(world, id, "sdBody_ResetMass", &result);
    if (body != NULL) {
        body->hasGivenMass = false;
        sdBody_UpdateMass(world, sdId_Index(id));
        sdWorld_WakeBody(world, sdId_Index(id));
    }
    return result;
}
