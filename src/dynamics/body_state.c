// SPDX-License-Identifier: MIT
// body_state.c - what kind of body it is, whether it takes part, and its small settings.

#include "dynamics/fixture.h"
#include "dynamics/island.h"
#include "dynamics/joint.h"
#include "dynamics/pair.h"

// ---- type and taking part ------------------------------------------------------------------

static void stopBeingDynamic(sdBody* body) {
    body->hasGivenMass = false;
    body->inertia = sdMat33_Diagonal(0.0f, 0.0f, 0.0f);
    body->inverseInertia = body->inertia;
    body->force = sdV3(0.0f, 0.0f, 0.0f);
    body->torque = body->force;
}

static void rest(sdWorld* world, int index) {
    sdBody* body = &world->bodies.data[index];
    sdBitSet_Clear(&world->awakeBodies, index);
    body->awakeIndex = SD_NULL_INDEX;
    sdWorld_StopReach(world, index);
}

sdResult sdBody_SetType(sdWorld* world, sdBodyId id, sdBodyType type) {
    sdResult result;
    sdBody* body = sdWorld_ChangeBody(world, id, "sdBody_SetType", &result);
    if (body == NULL) {
        return result;
    }
    if ((int)type < SD_BODY_STATIC || type > SD_BODY_DYNAMIC) {
        return sdFail(&world->context, SD_ERROR_INVALID_ARGUMENT,
                      "sdBody_SetType: %d is not one of sdBodyType", (int)type);
    }
    if (body->type == (uint8_t)type) {
        return SD_OK;
    }
    int index = sdId_Index(id);
    result = sdWorld_RetypeFixtures(world, index, type);
    if (result != SD_OK) {
        return result;
    }
    body->type = (uint8_t)type;
    world->jointPlan = NULL;
    if (type != SD_BODY_DYNAMIC) {
        stopBeingDynamic(body);
    }
    if (type == SD_BODY_STATIC) {
        body->velocity = sdV3(0.0f, 0.0f, 0.0f);
        body->angularVelocity = body->velocity;
        rest(world, index);
    }
    sdBody_UpdateMass(world, index);
    sdWorld_MoveFixtures(world, index);
    world->hasOldBoxes = true;
    // one that is awake already must wake what hangs on it: it has not been part of their island
    sdBitSet_Clear(&world->awakeBodies, index);
    sdWorld_WakeBody(world, index);
    return SD_OK;
}

bool sdBody_IsEnabled(const sdWorld* world, sdBodyId id) {
    const sdBody* body = sdWorld_FindBody(world, id);
    return body != NULL && !body->isDisabled;
}

sdResult sdBody_SetEnabled(sdWorld* world, sdBodyId id, bool isEnabled) {
    sdResult result;
    sdBody* body = sdWorld_ChangeBody(world, id, "sdBody_SetEnabled", &result);
    if (body == NULL || body->isDisabled != isEnabled) {
        return result;
    }
    int index = sdId_Index(id);
    body->isDisabled = !isEnabled;
    sdWorld_ShowFixtures(world, index);
    if (isEnabled) {
        world->hasOldBoxes = true;
        sdWorld_WakeBody(world, index);
        sdWorld_WakeAround(world, index);
    } else {
        rest(world, index);
    }
    sdWorld_EnableJointsOf(world, index, isEnabled);
    return SD_OK;
}

// ---- small settings ------------------------------------------------------------------------

sdResult sdBody_SetUserData(sdWorld* world, sdBodyId id, uint64_t userData) {
    sdResult result;
    sdBody* body = sdWorld_ChangeBody(world, id, "sdBody_SetUserData", &result);
    if (body != NULL) {
        body->userData = userData;
    }
    return result;
}

bool sdBody_IsSleepEnabled(const sdWorld* world, sdBodyId id) {
    const sdBody* body = sdWorld_FindBody(world, id);
    return body != NULL && body->enableSleep;
}

sdResult sdBody_EnableSleep(sdWorld* world, sdBodyId id, bool isEnabled) {
    sdResult result;
    sdBody* body = sdWorld_ChangeBody(world, id, "sdBody_EnableSleep", &result);
    if (body != NULL) {
        body->enableSleep = isEnabled;
        if (!isEnabled) {
            sdWorld_WakeBody(world, sdId_Index(id));
        }
    }
    return result;
}

bool sdBody_IsBullet(const sdWorld* world, sdBodyId id) {
    const sdBody* body = sdWorld_FindBody(world, id);
    return body != NULL && body->isBullet;
}

sdResult sdBody_SetBullet(sdWorld* world, sdBodyId id, bool isBullet) {
    sdResult result;
    sdBody* body = sdWorld_ChangeBody(world, id, "sdBody_SetBullet", &result);
    if (body != NULL) {
        body->isBullet = isBullet;
    }
    return result;
}

uint32_t sdBody_GetLocks(const sdWorld* world, sdBodyId id) {
    const sdBody* body = sdWorld_FindBody(world, id);
    return body != NULL ? body->locks : 0u;
}

float sdBody_GetLinearDamping(const sdWorld* world, sdBodyId id) {
    const sdBody* body = sdWorld_FindBody(world, id);
    return body != NULL ? body->linearDamping : 0.0f;
}

float sdBody_GetAngularDamping(const sdWorld* world, sdBodyId id) {
    const sdBody* body = sdWorld_FindBody(world, id);
    return body != NULL ? body->angularDamping : 0.0f;
}

float sdBody_GetGravityScale(const sdWorld* world, sdBodyId id) {
    const sdBody* body = sdWorld_FindBody(world, id);
    return body != NULL ? body->gravityScale : 0.0f;
}

// ---- points and directions -----------------------------------------------------------------

sdPos sdBody_GetWorldPoint(const sdWorld* world, sdBodyId id, sdVec3 local) {
    const sdBody* body = sdWorld_FindBody(world, id);
    if (body == NULL) {
        return sdPos_Make(0.0, 0.0, 0.0);
    }
    return sdPos_Add(body->center, sdRotate(body->rotation, sdSub(local, body->localCenter)));
}

sdVec3 sdBody_GetLocalPoint(const sdWorld* world, sdBodyId id, sdPos point) {
    const sdBody* body = sdWorld_FindBody(world, id);
    if (body == NULL) {
        return sdV3(0.0f, 0.0f, 0.0f);
    }
    sdVec3 offset = sdInvRotate(body->rotation, sdPos_Sub(point, body->center));
    return sdAdd(offset, body->localCenter);
}

sdVec3 sdBody_GetWorldVector(const sdWorld* world, sdBodyId id, sdVec3 local) {
    const sdBody* body = sdWorld_FindBody(world, id);
    return body != NULL ? sdRotate(body->rotation, local) : sdV3(0.0f, 0.0f, 0.0f);
}

sdVec3 sdBody_GetLocalVector(const sdWorld* world, sdBodyId id, sdVec3 vector) {
    const sdBody* body = sdWorld_FindBody(world, id);
    return body != NULL ? sdInvRotate(body->rotation, vector) : sdV3(0.0f, 0.0f, 0.0f);
}
