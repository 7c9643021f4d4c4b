// SPDX-License-Identifier: MIT
// view_support.c - bodies, contacts and joints of a world, listed.

#include "view_support.h"

#include <stdlib.h>

/// Shapes of a body that are looked at.
#define MAX_SHAPES 256

static int slotOf(uint32_t id) {
    return (int)(id & 0x00FFFFFFu);
}

bool sdViewBodies_Open(sdViewBodies* b, const sdWorld* world) {
    *b = (sdViewBodies){.world = world};
    b->count = sdWorld_GetBodies(world, NULL, 0);
    b->contactCount = sdWorld_GetContacts(world, NULL, 0);
    b->jointCount = sdWorld_GetJoints(world, NULL, 0);
    b->ids = malloc(((size_t)b->count + 1) * sizeof *b->ids);
    b->contacts = malloc(((size_t)b->contactCount + 1) * sizeof *b->contacts);
    b->joints = malloc(((size_t)b->jointCount + 1) * sizeof *b->joints);
    if (b->ids != NULL && b->contacts != NULL && b->joints != NULL) {
        sdWorld_GetBodies(world, b->ids, b->count);
        sdWorld_GetContacts(world, b->contacts, b->contactCount);
        sdWorld_GetJoints(world, b->joints, b->jointCount);
        for (int i = 0; i < b->count; ++i) {
            b->slotCount = sdMaxI(b->slotCount, slotOf(b->ids[i]) + 1);
        }
        b->numbers = malloc(((size_t)b->slotCount + 1) * sizeof *b->numbers);
    }
    if (b->numbers == NULL) {
        sdViewBodies_Close(b);
        return false;
    }
    for (int i = 0; i < b->slotCount; ++i) {
        b->numbers[i] = SD_NULL_INDEX;
    }
    for (int i = 0; i < b->count; ++i) {
        b->numbers[slotOf(b->ids[i])] = i;
    }
    return true;
}

void sdViewBodies_Close(sdViewBodies* b) {
    free(b->ids);
    free(b->contacts);
    free(b->joints);
    free(b->numbers);
    *b = (sdViewBodies){0};
}

int sdViewBodies_Find(const sdViewBodies* b, sdBodyId body) {
    int slot = slotOf(body);
    return body != SD_NULL_BODY && slot < b->slotCount ? b->numbers[slot] : SD_NULL_INDEX;
}

int sdViewBodies_FindByShape(const sdViewBodies* b, sdShapeId shape) {
    return sdViewBodies_Find(b, sdShapeId_GetBody(b->world, shape));
}

bool sdViewBodies_GetBox(const sdViewBodies* b, int number, sdAABB* out) {
    sdShapeId shapes[MAX_SHAPES];
    int count = sdBody_GetShapes(b->world, b->ids[number], shapes, MAX_SHAPES);
    sdWorldTransform pose = sdBody_GetTransform(b->world, b->ids[number]);
    sdTransform body = {sdV3((float)pose.p.x, (float)pose.p.y, (float)pose.p.z), pose.q};
    *out = sdAABB_Empty();
    for (int i = 0; i < sdMinI(count, MAX_SHAPES); ++i) {
        const sdShapeDef* def = sdShapeId_GetDef(b->world, shapes[i]);
        if (def == NULL || def->shape.type == SD_SHAPE_HALF_SPACE) {
            return false;
        }
        sdAABB box = sdShape_GetBounds(&def->shape, sdMulXf(body, def->xf));
        *out = sdAABB_Union(*out, box);
    }
    return count > 0;
}
