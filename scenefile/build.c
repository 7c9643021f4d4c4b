// SPDX-License-Identifier: MIT
// build.c - a scene file put into a world.
//
// Note: shapes move a body's centre of mass, and with it centre and velocity by rounding. What a
//       file says holds in the end, to the bit: where it does not, it is set again.

#include "scene_file.h"

#include <string.h>

/// What was done last, to tell where a world refused something.
typedef struct Progress {
    int node;
    const char* what;
} Progress;

/// Put right what shapes and mass have moved.
static sdResult settle(sdWorld* world, sdBodyId id, const sdFileBody* body) {
    const sdBodyDef* def = &body->doc.def;
    sdVec3 center = sdBody_GetMass(world, id).center;
    sdPos wanted = sdPos_Add(def->position, sdRotate(def->rotation, center));
    sdPos found = sdBody_GetCenter(world, id);
    sdResult result = SD_OK;
    // not as bytes: a zero may have lost its sign
    if (wanted.x != found.x || wanted.y != found.y || wanted.z != found.z) {
        result = sdBody_SetTransform(world, id, def->position, def->rotation);
    }
    sdVec3 velocity = sdBody_GetVelocity(world, id);
    if (result == SD_OK && def->type != SD_BODY_STATIC &&
        memcmp(&velocity, &def->velocity, sizeof velocity) != 0) {
        result = sdBody_SetVelocity(world, id, def->velocity, def->angularVelocity);
    }
    return result;
}

static sdResult addBody(const sdSceneFile* file, const sdFileBody* body, sdWorld* world,
                        sdBodyId* out, Progress* progress) {
    *progress = (Progress){body->node, "the body"};
    sdResult result = sdBody_Create(world, &body->doc.def, out);
    const sdFileFixture* fixtures = (const sdFileFixture*)(void*)file->fixtures.data;
    for (int i = 0; i < body->fixtureCount && result == SD_OK; ++i) {
        const sdFileFixture* fixture = &fixtures[body->firstFixture + i];
        *progress = (Progress){fixture->node, "the shape"};
        result = sdBody_AddShape(world, *out, &fixture->def, NULL);
    }
    if (result == SD_OK) {
        *progress = (Progress){body->node, "the body"};
    }
    if (result == SD_OK && body->hasMass) {
        result = sdBody_SetMass(world, *out, body->doc.mass);
    }
    if (result == SD_OK) {
        result = settle(world, *out, body);
    }
    if (result == SD_OK && !body->doc.isEnabled) {
        result = sdBody_SetEnabled(world, *out, false);
    }
    return result;
}

static sdResult addJoint(const sdFileJoint* joint, sdWorld* world, const sdBodyId* bodies,
                         Progress* progress) {
    *progress = (Progress){joint->node, "the joint"};
    sdJointDef def = joint->def;
    def.bodyA = bodies[joint->def.bodyA];
    def.bodyB = bodies[joint->def.bodyB];
    sdResult result =
        joint->hasAnchor ? sdJointDef_Place(world, &def, joint->anchor, joint->axis) : SD_OK;
    sdJointId id;
    return result == SD_OK ? sdJoint_Create(world, &def, &id) : result;
}

static sdResult build(const sdSceneFile* file, sdWorld* world, sdBodyId* ids, Progress* progress) {
    const sdFileBody* bodies = (const sdFileBody*)(void*)file->bodies.data;
    const sdFileJoint* joints = (const sdFileJoint*)(void*)file->joints.data;
    sdResult result = SD_OK;
    for (int i = 0; i < file->bodies.count && result == SD_OK; ++i) {
        result = addBody(file, &bodies[i], world, &ids[i], progress);
    }
    for (int i = 0; i < file->joints.count && result == SD_OK; ++i) {
        result = addJoint(&joints[i], world, ids, progress);
    }
    // joints wake what they hold
    for (int i = 0; i < file->bodies.count && result == SD_OK; ++i) {
        if (!bodies[i].doc.def.isAwake && sdBody_IsAwake(world, ids[i])) {
            result = sdBody_SetAwake(world, ids[i], false);
        }
    }
    return result;
}

sdResult sdSceneFile_Build(const sdSceneFile* file, sdWorld* world, sdBodyId* bodies) {
    if (file == NULL || world == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    const sdAllocator* allocator = &file->context.allocator;
    size_t size = (size_t)(file->bodies.count + 1) * sizeof(sdBodyId);
    sdBodyId* ids = bodies != NULL ? bodies : allocator->allocate(allocator->user, size, 16);
    if (ids == NULL) {
        if (file->context.logger.log != NULL) {
            file->context.logger.log(file->context.logger.user, SD_LOG_ERROR,
                                     "sdSceneFile_Build: there is no memory for it");
        }
        return SD_ERROR_OUT_OF_MEMORY;
    }
    Progress progress;
    sdResult result = build(file, world, ids, &progress);
    if (bodies == NULL) {
        allocator->release(allocator->user, ids, size);
    }
    return result;
}

bool sdLoader_TryBuild(sdLoader* loader) {
    sdSceneFile* file = loader->file;
    const sdAllocator* allocator = &file->context.allocator;
    size_t size = (size_t)(file->bodies.count + 1) * sizeof(sdBodyId);
    sdBodyId* ids = allocator->allocate(allocator->user, size, 16);
    sdWorld* world = NULL;
    int settings = sdJson_Find(&file->json, 0, "settings");
    Progress progress = {settings != SD_NULL_INDEX ? settings : 0, "the settings"};
    sdResult result = ids != NULL
                          ? sdWorld_Create(&loader->capture.context, &file->doc.settings, &world)
                          : SD_ERROR_OUT_OF_MEMORY;
    if (result == SD_OK) {
        result = build(file, world, ids, &progress);
    }
    sdWorld_Destroy(world);
    if (ids != NULL) {
        allocator->release(allocator->user, ids, size);
    }
    if (result == SD_ERROR_OUT_OF_MEMORY) {
        return sdSceneReader_FailMemory(&loader->reader);
    }
    return result == SD_OK || sdSceneReader_Fail(&loader->reader, progress.node, "%s: %s",
                                                 progress.what, sdCapture_Reason(&loader->capture));
}
