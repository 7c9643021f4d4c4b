// SPDX-License-Identifier: MIT
// record_write.c - writing a recording: shapes first, then frame after frame.
//
// In:   a world, and the same world later.
// Out:  a file as record_format.h says.

// strnlen
#define _POSIX_C_SOURCE 200809L

#include "record_format.h"

#include "sudar/concave.h"
#include "sudar/joint.h"

/// Where frames of a group begin.
typedef struct Group {
    uint64_t offset;
    uint32_t firstFrame;
} Group;

struct sdRecorder {
    sdContext context;
    sdOutFile file;
    uint64_t offset; ///< bytes written
    sdBodyId* bodies;
    int bodyCount;
    sdRecordHistory history;
    sdRecordState* states; ///< of the present frame
    sdByteArray objects;   ///< sdShape: hulls, meshes, compounds that are written
    int objectCount;
    sdByteArray group; ///< frames that are not yet written
    int groupFrames;
    int frameCount;
    sdByteArray groups; ///< Group
    uint64_t hash;      ///< of all frames
};

static sdResult failMemory(const sdRecorder* r) {
    return sdRender_Fail(&r->context, SD_ERROR_OUT_OF_MEMORY, "no memory for a recording");
}

static void storeWord(uint8_t* bytes, uint32_t word) {
    for (int i = 0; i < 4; ++i) {
        bytes[i] = (uint8_t)(word >> (8 * i));
    }
}

// ---- chunks --------------------------------------------------------------------------------

static sdResult writeBytes(sdRecorder* r, const void* bytes, size_t size) {
    r->offset += size;
    return sdOutFile_Write(&r->file, bytes, size);
}

static sdResult writeChunk(sdRecorder* r, const char tag[4], const sdByteArray* content) {
    if (content->isBroken) {
        return failMemory(r);
    }
    if (content->count > UINT32_MAX) {
        return sdRender_Fail(&r->context, SD_ERROR_LIMIT, "more than a recording can hold");
    }
    uint8_t head[8], tail[4];
    memcpy(head, tag, 4);
    storeWord(head + 4, (uint32_t)content->count);
    uint32_t crc = sdCrc32(sdCrc32(0, head, 8), content->data, content->count);
    storeWord(tail, crc);
    writeBytes(r, head, 8);
    writeBytes(r, content->data, content->count);
    return writeBytes(r, tail, 4);
}

// ---- shapes --------------------------------------------------------------------------------

static void putVector(sdRecorder* r, sdByteArray* out, sdVec3 v) {
    sdPutFloat(out, &r->context, v.x);
    sdPutFloat(out, &r->context, v.y);
    sdPutFloat(out, &r->context, v.z);
}

static void putTransform(sdRecorder* r, sdByteArray* out, sdTransform xf) {
    putVector(r, out, xf.p);
    putVector(r, out, sdV3(xf.q.v.x, xf.q.v.y, xf.q.v.z));
    sdPutFloat(out, &r->context, xf.q.s);
}

static bool isSameObject(const sdShape* a, const sdShape* b) {
    return a->type == b->type && a->hull == b->hull && (a->concave != NULL) == (b->concave != NULL);
}

static bool isObject(const sdShape* shape) {
    return shape->type == SD_SHAPE_HULL || shape->type == SD_SHAPE_MESH ||
           shape->type == SD_SHAPE_COMPOUND;
}

/// SD_NULL_INDEX when it is not yet written.
static int findObject(const sdRecorder* r, const sdShape* shape) {
    const sdShape* all = (const sdShape*)(const void*)r->objects.data;
    for (int i = 0; i < r->objectCount; ++i) {
        if (isSameObject(&all[i], shape)) {
            return i;
        }
    }
    return SD_NULL_INDEX;
}

/// A shape by its numbers, or by the number of its hull, mesh or compound.
static void putShape(sdRecorder* r, sdByteArray* out, const sdShape* shape) {
    const sdContext* c = &r->context;
    sdPut(out, c, shape->type, 1);
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            sdPutFloat(out, c, shape->sphere.radius);
            break;
        case SD_SHAPE_CAPSULE:
            sdPutFloat(out, c, shape->capsule.halfLength);
            sdPutFloat(out, c, shape->capsule.radius);
            break;
        case SD_SHAPE_BOX:
            putVector(r, out, shape->box.halfExtents);
            break;
        case SD_SHAPE_CYLINDER:
            sdPutFloat(out, c, shape->cylinder.halfHeight);
            sdPutFloat(out, c, shape->cylinder.radius);
            break;
        case SD_SHAPE_CONE:
            sdPutFloat(out, c, shape->cone.halfHeight);
            sdPutFloat(out, c, shape->cone.radius);
            break;
        case SD_SHAPE_TRIANGLE:
            for (int i = 0; i < 3; ++i) {
                putVector(r, out, shape->triangle.vertices[i]);
            }
            break;
        case SD_SHAPE_HULL:
        case SD_SHAPE_MESH:
        case SD_SHAPE_COMPOUND:
            sdPut(out, c, (uint64_t)findObject(r, shape), 4);
            break;
        default:
            break;
    }
}

static void putMesh(sdRecorder* r, sdByteArray* out, const sdShape* shape) {
    const sdContext* c = &r->context;
    sdMeshData data = sdMesh_GetData(shape->mesh);
    sdPut(out, c, shape->concave != NULL, 1);
    sdPut(out, c, (uint64_t)data.vertexCount, 4);
    sdPut(out, c, (uint64_t)data.triangleCount, 4);
    for (int i = 0; i < data.vertexCount; ++i) {
        putVector(r, out, data.vertices[i]);
    }
    for (int i = 0; i < 3 * data.triangleCount; ++i) {
        sdPut(out, c, (uint64_t)data.triangles[i], 4);
    }
}

/// A hull, mesh or compound, after all that it is made of.
static void addObject(sdRecorder* r, sdByteArray* out, const sdShape* shape) {
    const sdContext* c = &r->context;
    if (!isObject(shape) || findObject(r, shape) >= 0) {
        return;
    }
    int count;
    if (shape->type == SD_SHAPE_COMPOUND) {
        const sdCompoundChild* children = sdCompound_GetChildren(shape->compound, &count);
        for (int i = 0; i < count; ++i) {
            // children are no compounds, so this goes no deeper
            addObject(r, out, &children[i].shape);
        }
        sdPut(out, c, shape->type, 1);
        sdPut(out, c, (uint64_t)count, 4);
        for (int i = 0; i < count; ++i) {
            putTransform(r, out, children[i].xf);
            putShape(r, out, &children[i].shape);
        }
    } else if (shape->type == SD_SHAPE_HULL) {
        const sdVec3* vertices = sdHull_GetVertices(shape->hull, &count);
        sdPut(out, c, shape->type, 1);
        sdPut(out, c, (uint64_t)count, 4);
        for (int i = 0; i < count; ++i) {
            putVector(r, out, vertices[i]);
        }
    } else {
        sdPut(out, c, shape->type, 1);
        putMesh(r, out, shape);
    }
    sdByteArray_Add(&r->objects, c, shape, sizeof *shape);
    r->objectCount += !r->objects.isBroken;
}

/// Call for every shape of every body, in their order.
/// @return false when there is no memory
static bool forEachShape(sdRecorder* r, const sdWorld* world, int body, sdByteArray* out,
                         void (*visit)(sdRecorder* r, sdByteArray* out, const sdShapeDef* def)) {
    int count = sdBody_GetShapes(world, r->bodies[body], NULL, 0);
    size_t size = (size_t)count * sizeof(sdShapeId);
    sdShapeId* shapes = sdOutput_Alloc(&r->context, size);
    if (shapes == NULL) {
        return false;
    }
    sdBody_GetShapes(world, r->bodies[body], shapes, count);
    for (int i = 0; i < count; ++i) {
        visit(r, out, sdShapeId_GetDef(world, shapes[i]));
    }
    sdOutput_Free(&r->context, shapes, size);
    return true;
}

static void visitObject(sdRecorder* r, sdByteArray* out, const sdShapeDef* def) {
    addObject(r, out, &def->shape);
}

static void visitShape(sdRecorder* r, sdByteArray* out, const sdShapeDef* def) {
    sdPut(out, &r->context, def->isSensor, 1);
    putTransform(r, out, def->xf);
    sdPutFloat(out, &r->context, def->density);
    putShape(r, out, &def->shape);
}

// ---- what does not change ------------------------------------------------------------------

static void putText(sdRecorder* r, sdByteArray* out, const char* text) {
    size_t length = strnlen(text, SD_RECORD_TEXT_SIZE - 1);
    sdPut(out, &r->context, length, 1);
    sdByteArray_Add(out, &r->context, text, length);
}

static sdResult writeHead(sdRecorder* r, const sdRecordInfo* info) {
    sdByteArray out = {0};
    putText(r, &out, info->name);
    putText(r, &out, info->title);
    sdPutDouble(&out, &r->context, info->dt);
    putVector(r, &out, info->eye);
    putVector(r, &out, info->target);
    sdPut(&out, &r->context, info->isExactLook, 1);
    sdResult result = writeChunk(r, "HEAD", &out);
    sdByteArray_Free(&out, &r->context);
    return result;
}

static sdResult writeBodies(sdRecorder* r, const sdWorld* world) {
    sdByteArray objects = {0}, bodies = {0};
    bool ok = true;
    for (int i = 0; i < r->bodyCount && ok; ++i) {
        ok = forEachShape(r, world, i, &objects, visitObject);
    }
    sdPut(&bodies, &r->context, (uint64_t)r->bodyCount, 4);
    for (int i = 0; i < r->bodyCount && ok; ++i) {
        sdBodyId body = r->bodies[i];
        sdWorldTransform xf = sdBody_GetTransform(world, body);
        sdPut(&bodies, &r->context, sdBody_GetType(world, body), 1);
        sdPutDouble(&bodies, &r->context, xf.p.x);
        sdPutDouble(&bodies, &r->context, xf.p.y);
        sdPutDouble(&bodies, &r->context, xf.p.z);
        putVector(r, &bodies, sdV3(xf.q.v.x, xf.q.v.y, xf.q.v.z));
        sdPutFloat(&bodies, &r->context, xf.q.s);
        sdPut(&bodies, &r->context, (uint64_t)sdBody_GetShapes(world, body, NULL, 0), 4);
        ok = forEachShape(r, world, i, &bodies, visitShape);
    }
    sdResult result = ok && !r->objects.isBroken ? SD_OK : failMemory(r);
    if (result == SD_OK) {
        result = writeChunk(r, "OBJS", &objects);
    }
    if (result == SD_OK) {
        result = writeChunk(r, "BODY", &bodies);
    }
    sdByteArray_Free(&objects, &r->context);
    sdByteArray_Free(&bodies, &r->context);
    return result;
}

static int findBody(const sdRecorder* r, sdBodyId body) {
    for (int i = 0; i < r->bodyCount; ++i) {
        if (r->bodies[i] == body) {
            return i;
        }
    }
    return 0;
}

static sdResult writeJoints(sdRecorder* r, const sdWorld* world) {
    int count = sdWorld_GetJoints(world, NULL, 0);
    size_t size = (size_t)count * sizeof(sdJointId);
    sdJointId* joints = sdOutput_Alloc(&r->context, size);
    if (joints == NULL) {
        return failMemory(r);
    }
    sdWorld_GetJoints(world, joints, count);
    sdByteArray out = {0};
    sdPut(&out, &r->context, (uint64_t)count, 4);
    for (int i = 0; i < count; ++i) {
        const sdJointDef* def = sdJoint_GetDef(world, joints[i]);
        sdPut(&out, &r->context, def->type, 1);
        sdPut(&out, &r->context, (uint64_t)findBody(r, def->bodyA), 4);
        sdPut(&out, &r->context, (uint64_t)findBody(r, def->bodyB), 4);
        putTransform(r, &out, def->frameA);
        putTransform(r, &out, def->frameB);
    }
    sdResult result = writeChunk(r, "JNTS", &out);
    sdByteArray_Free(&out, &r->context);
    sdOutput_Free(&r->context, joints, size);
    return result;
}

// ---- frames --------------------------------------------------------------------------------

static sdRecordState getState(const sdWorld* world, sdBodyId body) {
    sdWorldTransform xf = sdBody_GetTransform(world, body);
    sdVec3 v = sdBody_GetVelocity(world, body), w = sdBody_GetAngularVelocity(world, body);
    const double d[SD_RECORD_DOUBLES] = {xf.p.x, xf.p.y, xf.p.z};
    const float f[SD_RECORD_FLOATS] = {xf.q.v.x, xf.q.v.y, xf.q.v.z, xf.q.s, v.x,
                                       v.y,      v.z,      w.x,      w.y,    w.z};
    sdRecordState state = {.isAwake = sdBody_IsAwake(world, body)};
    memcpy(state.d, d, sizeof d);
    memcpy(state.f, f, sizeof f);
    return state;
}

static bool isSameState(const sdRecordState* a, const sdRecordState* b) {
    return memcmp(a->d, b->d, sizeof a->d) == 0 && memcmp(a->f, b->f, sizeof a->f) == 0;
}

static void putMask(sdRecorder* r, const bool* isSet) {
    for (int i = 0; i < r->bodyCount; i += 8) {
        uint8_t byte = 0;
        for (int k = 0; k < 8 && i + k < r->bodyCount; ++k) {
            byte |= (uint8_t)(isSet[i + k] ? 1 << k : 0);
        }
        sdPut(&r->group, &r->context, byte, 1);
    }
}

/// How a state differs from what its last two let expect.
static void putState(sdRecorder* r, int body) {
    const sdRecordState *now = &r->states[body], *last = &r->history.last[body],
                        *before = &r->history.before[body];
    for (int k = 0; k < SD_RECORD_DOUBLES; ++k) {
        uint64_t expected = 2 * last->d[k] - before->d[k];
        sdPutDifference(&r->group, &r->context, (int64_t)(now->d[k] - expected));
    }
    for (int k = 0; k < SD_RECORD_FLOATS; ++k) {
        uint32_t expected = 2 * last->f[k] - before->f[k];
        sdPutDifference(&r->group, &r->context, (int32_t)(now->f[k] - expected));
    }
}

static sdResult writeGroup(sdRecorder* r) {
    if (r->groupFrames == 0) {
        return SD_OK;
    }
    Group group = {r->offset, (uint32_t)(r->frameCount - r->groupFrames)};
    sdByteArray_Add(&r->groups, &r->context, &group, sizeof group);
    sdResult result = r->groups.isBroken ? failMemory(r) : writeChunk(r, "FRMS", &r->group);
    r->group.count = 0;
    r->groupFrames = 0;
    return result;
}

static void putFrame(sdRecorder* r, double time, bool* isSet) {
    uint8_t flags = 0;
    for (int i = 0; i < r->bodyCount; ++i) {
        flags |= isSameState(&r->states[i], &r->history.last[i]) ? 0 : SD_RECORD_CHANGED;
        flags |= r->states[i].isAwake == r->history.last[i].isAwake ? 0 : SD_RECORD_AWAKE;
    }
    sdPutDouble(&r->group, &r->context, time);
    sdPut(&r->group, &r->context, flags, 1);
    if (flags & SD_RECORD_AWAKE) {
        for (int i = 0; i < r->bodyCount; ++i) {
            isSet[i] = r->states[i].isAwake;
        }
        putMask(r, isSet);
    }
    if (flags & SD_RECORD_CHANGED) {
        for (int i = 0; i < r->bodyCount; ++i) {
            isSet[i] = !isSameState(&r->states[i], &r->history.last[i]);
        }
        putMask(r, isSet);
        for (int i = 0; i < r->bodyCount; ++i) {
            if (isSet[i]) {
                putState(r, i);
            }
        }
    }
}

sdResult sdRecorder_AddFrame(sdRecorder* r, const sdWorld* world, double time) {
    size_t stateSize = (size_t)r->bodyCount * sizeof *r->states;
    size_t size = (size_t)r->bodyCount * sizeof(bool);
    bool* isSet = sdOutput_Alloc(&r->context, size);
    if (isSet == NULL) {
        return failMemory(r);
    }
    // the first frame of a group is told from nothing
    if (r->groupFrames == 0) {
        memset(r->history.last, 0, stateSize);
        memset(r->history.before, 0, stateSize);
    }
    for (int i = 0; i < r->bodyCount; ++i) {
        r->states[i] = getState(world, r->bodies[i]);
    }
    putFrame(r, time, isSet);
    r->hash = sdRecord_HashFrame(r->hash, time, r->states, r->bodyCount);
    // after the first one nothing is known of how things move
    memcpy(r->history.before, r->groupFrames == 0 ? r->states : r->history.last, stateSize);
    memcpy(r->history.last, r->states, stateSize);
    sdOutput_Free(&r->context, isSet, size);
    ++r->frameCount;
    ++r->groupFrames;
    return r->groupFrames == SD_RECORD_GROUP ? writeGroup(r) : SD_OK;
}

// ---- public --------------------------------------------------------------------------------

static sdResult writeStart(sdRecorder* r, const sdWorld* world, const sdRecordInfo* info) {
    uint8_t header[SD_RECORD_HEADER_SIZE] = {0};
    memcpy(header, SD_RECORD_MAGIC, 8);
    storeWord(header + 8, SD_RECORD_VERSION);
    sdResult result = writeBytes(r, header, sizeof header);
    if (result == SD_OK) {
        result = writeHead(r, info);
    }
    if (result == SD_OK) {
        result = writeBodies(r, world);
    }
    return result == SD_OK ? writeJoints(r, world) : result;
}

sdResult sdRecorder_Create(const sdContext* context, const char* path, const sdWorld* world,
                           const sdRecordInfo* info, sdRecorder** out) {
    *out = NULL;
    sdContext ctx = sdRender_GetContext(context);
    sdRecorder* r = sdOutput_Alloc(&ctx, sizeof *r);
    if (r == NULL) {
        return sdRender_Fail(&ctx, SD_ERROR_OUT_OF_MEMORY, "no memory for a recording");
    }
    r->context = ctx;
    r->hash = SD_RECORD_HASH_START;
    r->bodyCount = sdWorld_GetBodies(world, NULL, 0);
    size_t count = (size_t)r->bodyCount;
    r->bodies = sdOutput_Alloc(&ctx, count * sizeof *r->bodies);
    r->states = sdOutput_Alloc(&ctx, count * sizeof *r->states);
    r->history.last = sdOutput_Alloc(&ctx, count * sizeof *r->states);
    r->history.before = sdOutput_Alloc(&ctx, count * sizeof *r->states);
    sdResult result = SD_OK;
    if (r->bodies == NULL || r->states == NULL || r->history.last == NULL ||
        r->history.before == NULL) {
        result = failMemory(r);
    } else {
        sdWorld_GetBodies(world, r->bodies, r->bodyCount);
        result = sdOutFile_Open(&ctx, path, &r->file);
    }
    if (result == SD_OK) {
        result = writeStart(r, world, info);
    }
    if (result != SD_OK) {
        sdRecorder_Destroy(r);
        return result;
    }
    *out = r;
    return SD_OK;
}

sdResult sdRecorder_Finish(sdRecorder* r, uint64_t hash) {
    sdResult result = writeGroup(r);
    uint64_t start = r->offset;
    sdByteArray index = {0};
    int groupCount = (int)(r->groups.count / sizeof(Group));
    const Group* groups = (const Group*)(const void*)r->groups.data;
    sdPut(&index, &r->context, (uint64_t)r->frameCount, 4);
    sdPut(&index, &r->context, hash, 8);
    sdPut(&index, &r->context, r->hash, 8);
    sdPut(&index, &r->context, (uint64_t)groupCount, 4);
    for (int i = 0; i < groupCount; ++i) {
        sdPut(&index, &r->context, groups[i].offset, 8);
        sdPut(&index, &r->context, groups[i].firstFrame, 4);
    }
    if (result == SD_OK) {
        result = writeChunk(r, "INDX", &index);
    }
    sdByteArray_Free(&index, &r->context);
    uint8_t tail[SD_RECORD_TAIL_SIZE];
    storeWord(tail, (uint32_t)start);
    storeWord(tail + 4, (uint32_t)(start >> 32));
    memcpy(tail + 8, SD_RECORD_END, 8);
    if (result == SD_OK) {
        result = writeBytes(r, tail, sizeof tail);
    }
    return result == SD_OK ? sdOutFile_Commit(&r->file) : result;
}

void sdRecorder_Destroy(sdRecorder* r) {
    if (r == NULL) {
        return;
    }
    sdContext ctx = r->context;
    size_t count = (size_t)r->bodyCount;
    sdOutFile_Close(&r->file);
    sdOutput_Free(&ctx, r->bodies, count * sizeof *r->bodies);
    sdOutput_Free(&ctx, r->states, count * sizeof *r->states);
    sdOutput_Free(&ctx, r->history.last, count * sizeof *r->states);
    sdOutput_Free(&ctx, r->history.before, count * sizeof *r->states);
    sdByteArray_Free(&r->objects, &ctx);
    sdByteArray_Free(&r->group, &ctx);
    sdByteArray_Free(&r->groups, &ctx);
    sdOutput_Free(&ctx, r, sizeof *r);
}
