// SPDX-License-Identifier: MIT
// record_world.c - the bodies of a recording in a world again, to be looked at.
//
// In:   a recording.
// Out:  a world with the same bodies in the same order, which is shown frame by frame.

#include "record_read.h"

#include "sudar/concave.h"
#include "sudar/joint.h"

typedef struct Builder {
    const sdContext* context;
    sdWorld* world;
    sdShape* objects;
    int objectCount, objectCapacity;
    sdBodyId* bodies;
    sdResult result;
} Builder;

static sdVec3 getVector(sdByteReader* in) {
    float x = sdGetFloat(in), y = sdGetFloat(in), z = sdGetFloat(in);
    return sdV3(x, y, z);
}

static sdQuat getRotation(sdByteReader* in) {
    sdVec3 v = getVector(in);
    sdQuat q = {v, sdGetFloat(in)};
    return q;
}

static sdTransform getTransform(sdByteReader* in) {
    sdVec3 p = getVector(in);
    return sdTransform_Make(p, getRotation(in));
}

// ---- shapes --------------------------------------------------------------------------------

static sdShape getShape(const Builder* b, sdByteReader* in) {
    sdShapeType type = (sdShapeType)sdGet(in, 1);
    float x, y;
    switch (type) {
        case SD_SHAPE_SPHERE:
            return sdShape_Sphere(sdGetFloat(in));
        case SD_SHAPE_CAPSULE:
        case SD_SHAPE_CYLINDER:
        case SD_SHAPE_CONE:
            x = sdGetFloat(in);
            y = sdGetFloat(in);
            return type == SD_SHAPE_CAPSULE ? sdShape_Capsule(x, y)
                   : type == SD_SHAPE_CONE  ? sdShape_Cone(x, y)
                                            : sdShape_Cylinder(x, y);
        case SD_SHAPE_BOX: {
            sdVec3 h = getVector(in);
            return sdShape_Box(h.x, h.y, h.z);
        }
        case SD_SHAPE_TRIANGLE: {
            sdVec3 p = getVector(in), q = getVector(in);
            return sdShape_Triangle(p, q, getVector(in));
        }
        case SD_SHAPE_HALF_SPACE:
            return sdShape_HalfSpace();
        case SD_SHAPE_HULL:
        case SD_SHAPE_MESH:
        case SD_SHAPE_COMPOUND: {
            uint64_t index = sdGet(in, 4);
            if (in->isOk && index < (uint64_t)b->objectCount && b->objects[index].type == type) {
                return b->objects[index];
            }
            break;
        }
        default:
            break;
    }
    in->isOk = false;
    return sdShape_Sphere(0.0f);
}

static sdVec3* getPoints(Builder* b, sdByteReader* in, int count) {
    sdVec3* points = sdOutput_Alloc(b->context, (size_t)count * sizeof *points);
    for (int i = 0; i < count && points != NULL; ++i) {
        points[i] = getVector(in);
    }
    b->result = points != NULL ? b->result : SD_ERROR_OUT_OF_MEMORY;
    return points;
}

static void readHull(Builder* b, sdByteReader* in, sdShape* out) {
    int count = sdGetCount(in, 12);
    sdVec3* points = getPoints(b, in, count);
    if (points != NULL && in->isOk) {
        sdHullDef def = sdHullDef_Default();
        def.points = points;
        def.pointCount = count;
        sdHull* hull = NULL;
        b->result = sdHull_Create(b->context, &def, &hull);
        *out = sdShape_Hull(hull);
    }
    sdOutput_Free(b->context, points, (size_t)count * sizeof *points);
}

/// A mesh that may move has its field built again.
static void finishMesh(Builder* b, const sdMeshData* data, bool isConcave, sdShape* out) {
    sdMeshDef def = {.data = *data};
    sdMesh* mesh = NULL;
    sdConcave* concave = NULL;
    b->result = sdMesh_Create(b->context, &def, &mesh);
    if (b->result != SD_OK) {
        return;
    }
    if (isConcave) {
        sdConcaveDef own = sdConcaveDef_Default();
        b->result = sdConcave_Create(b->context, mesh, &own, &concave);
        sdMesh_Release(mesh);
        if (b->result == SD_OK) {
            *out = sdShape_Concave(concave);
        }
    } else {
        *out = sdShape_Mesh(mesh);
    }
}

static void readMesh(Builder* b, sdByteReader* in, sdShape* out) {
    bool isConcave = sdGet(in, 1) != 0;
    int vertexCount = sdGetCount(in, 12), triangleCount = sdGetCount(in, 12);
    // both together
    if ((uint64_t)vertexCount + (uint64_t)triangleCount > (in->size - in->at) / 12) {
        in->isOk = false;
        return;
    }
    sdVec3* points = getPoints(b, in, vertexCount);
    size_t size = 3 * (size_t)triangleCount * sizeof(int32_t);
    int32_t* triangles = sdOutput_Alloc(b->context, size);
    if (triangles == NULL) {
        b->result = SD_ERROR_OUT_OF_MEMORY;
    }
    for (int i = 0; i < 3 * triangleCount && triangles != NULL; ++i) {
        triangles[i] = (int32_t)sdGet(in, 4);
    }
    if (b->result == SD_OK && in->isOk) {
        sdMeshData data = {points, vertexCount, triangles, triangleCount};
        finishMesh(b, &data, isConcave, out);
    }
    sdOutput_Free(b->context, triangles, size);
    sdOutput_Free(b->context, points, (size_t)vertexCount * sizeof *points);
}

static void readCompound(Builder* b, sdByteReader* in, sdShape* out) {
    int count = sdGetCount(in, 29);
    size_t size = (size_t)count * sizeof(sdCompoundChild);
    sdCompoundChild* children = sdOutput_Alloc(b->context, size);
    for (int i = 0; i < count && children != NULL; ++i) {
        children[i].xf = getTransform(in);
        children[i].shape = getShape(b, in);
    }
    sdCompound* compound = NULL;
    if (children == NULL) {
        b->result = SD_ERROR_OUT_OF_MEMORY;
    } else if (in->isOk) {
        b->result = sdCompound_Create(b->context, children, count, &compound);
        *out = sdShape_Compound(compound);
    }
    sdOutput_Free(b->context, children, size);
}

static void readObjects(Builder* b, sdByteReader in) {
    // none is shorter than this
    b->objectCapacity = (int)(in.size / 5) + 1;
    b->objects = sdOutput_Alloc(b->context, (size_t)b->objectCapacity * sizeof *b->objects);
    if (b->objects == NULL) {
        b->result = SD_ERROR_OUT_OF_MEMORY;
    }
    while (b->result == SD_OK && in.at < in.size) {
        sdShape* out = &b->objects[b->objectCount];
        *out = sdShape_Sphere(0.0f);
        uint64_t type = sdGet(&in, 1);
        switch (type) {
            case SD_SHAPE_HULL:
                readHull(b, &in, out);
                break;
            case SD_SHAPE_MESH:
                readMesh(b, &in, out);
                break;
            case SD_SHAPE_COMPOUND:
                readCompound(b, &in, out);
                break;
            default:
                in.isOk = false;
                break;
        }
        if (!in.isOk) {
            b->result = b->result == SD_OK ? SD_ERROR_BAD_FILE : b->result;
        }
        b->objectCount += b->result == SD_OK;
    }
}

static void releaseObjects(Builder* b) {
    for (int i = 0; i < b->objectCount; ++i) {
        const sdShape* s = &b->objects[i];
        if (s->concave != NULL) {
            sdConcave_Release(s->concave);
        } else if (s->type == SD_SHAPE_HULL) {
            sdHull_Release(s->hull);
        } else if (s->type == SD_SHAPE_MESH) {
            sdMesh_Release(s->mesh);
        } else {
            sdCompound_Release(s->compound);
        }
    }
    sdOutput_Free(b->context, b->objects, (size_t)b->objectCapacity * sizeof *b->objects);
}

// ---- bodies --------------------------------------------------------------------------------

static void readBody(Builder* b, sdByteReader* in, sdBodyId* out) {
    sdBodyDef def = sdBodyDef_Default();
    def.type = (sdBodyType)sdGet(in, 1);
    double x = sdGetDouble(in), y = sdGetDouble(in), z = sdGetDouble(in);
    def.position = sdPos_Make(x, y, z);
    def.rotation = getRotation(in);
    b->result = sdBody_Create(b->world, &def, out);
    int count = sdGetCount(in, 34);
    for (int i = 0; i < count && b->result == SD_OK; ++i) {
        bool isSensor = sdGet(in, 1) != 0;
        sdTransform xf = getTransform(in);
        float density = sdGetFloat(in);
        sdShapeDef shape = sdShapeDef_Default(getShape(b, in));
        shape.isSensor = isSensor;
        shape.xf = xf;
        shape.density = density;
        b->result = in->isOk ? sdBody_AddShape(b->world, *out, &shape, NULL) : SD_ERROR_BAD_FILE;
    }
    b->result = b->result == SD_OK && !in->isOk ? SD_ERROR_BAD_FILE : b->result;
}

static void readJoints(Builder* b, sdByteReader in, int bodyCount) {
    int count = sdGetCount(&in, 65);
    for (int i = 0; i < count && b->result == SD_OK; ++i) {
        sdJointType type = (sdJointType)sdGet(&in, 1);
        uint64_t bodyA = sdGet(&in, 4), bodyB = sdGet(&in, 4);
        sdTransform frameA = getTransform(&in), frameB = getTransform(&in);
        if (!in.isOk || bodyA >= (uint64_t)bodyCount || bodyB >= (uint64_t)bodyCount) {
            b->result = SD_ERROR_BAD_FILE;
            return;
        }
        sdJointDef def = sdJointDef_Make(type, b->bodies[bodyA], b->bodies[bodyB]);
        def.frameA = frameA;
        def.frameB = frameB;
        sdJointId joint;
        b->result = sdJoint_Create(b->world, &def, &joint);
    }
}

sdResult sdRecording_CreateWorld(const sdRecording* r, const sdContext* context, sdWorld** out) {
    *out = NULL;
    sdContext ctx = sdRender_GetContext(context);
    Builder b = {.context = &ctx, .result = SD_OK};
    size_t size = (size_t)r->bodyCount * sizeof *b.bodies;
    b.bodies = sdOutput_Alloc(&ctx, size);
    b.result = b.bodies != NULL ? sdWorld_Create(&ctx, NULL, &b.world) : SD_ERROR_OUT_OF_MEMORY;
    if (b.result == SD_OK) {
        readObjects(&b, r->parts[SD_RECORD_PART_OBJECTS]);
    }
    sdByteReader in = r->parts[SD_RECORD_PART_BODIES];
    for (int i = 0; i < r->bodyCount && b.result == SD_OK; ++i) {
        readBody(&b, &in, &b.bodies[i]);
    }
    if (b.result == SD_OK) {
        readJoints(&b, r->parts[SD_RECORD_PART_JOINTS], r->bodyCount);
    }
    releaseObjects(&b);
    sdOutput_Free(&ctx, b.bodies, size);
    if (b.result != SD_OK) {
        sdWorld_Destroy(b.world);
        return sdRender_Fail(&ctx, b.result, "the bodies of the recording cannot be built: %s",
                             sdResult_Text(b.result));
    }
    *out = b.world;
    return SD_OK;
}

// ---- frames --------------------------------------------------------------------------------

static sdResult showBody(sdWorld* world, sdBodyId body, const sdRecordState* state) {
    double d[SD_RECORD_DOUBLES];
    float f[SD_RECORD_FLOATS];
    memcpy(d, state->d, sizeof d);
    memcpy(f, state->f, sizeof f);
    sdQuat q = {{f[0], f[1], f[2]}, f[3]};
    sdResult result = sdBody_SetTransform(world, body, sdPos_Make(d[0], d[1], d[2]), q);
    if (result == SD_OK && sdBody_GetType(world, body) != SD_BODY_STATIC) {
        result = sdBody_SetVelocity(world, body, sdV3(f[4], f[5], f[6]), sdV3(f[7], f[8], f[9]));
    }
    return result;
}

sdResult sdRecording_Show(sdRecording* r, int frame, sdWorld* world, double* time) {
    sdResult result = sdRecording_Seek(r, frame);
    if (result != SD_OK) {
        return result;
    }
    size_t size = (size_t)r->bodyCount * sizeof(sdBodyId);
    sdBodyId* bodies = sdOutput_Alloc(&r->context, size);
    if (bodies == NULL) {
        return sdRender_Fail(&r->context, SD_ERROR_OUT_OF_MEMORY, "no memory to show a frame");
    }
    if (sdWorld_GetBodies(world, bodies, r->bodyCount) != r->bodyCount) {
        result = sdRender_Fail(&r->context, SD_ERROR_INVALID_ARGUMENT,
                               "not the world of this recording");
    }
    for (int i = 0; i < r->bodyCount && result == SD_OK; ++i) {
        result = showBody(world, bodies[i], &r->states[i]);
    }
    // after all of them: moving one wakes others
    for (int i = 0; i < r->bodyCount && result == SD_OK; ++i) {
        if (!r->states[i].isAwake && sdBody_GetType(world, bodies[i]) != SD_BODY_STATIC) {
            result = sdBody_SetAwake(world, bodies[i], false);
        }
    }
    if (time != NULL) {
        *time = r->time;
    }
    sdOutput_Free(&r->context, bodies, size);
    return result;
}
