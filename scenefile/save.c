// SPDX-License-Identifier: MIT
// save.c - a world as a scene file.
//
// In:   a world, through the public headers.
// Out:  text that load.c reads back to the same bits.
// Note: hulls, meshes and compounds that bodies share stand once, under names; so do materials.

#include "number.h"
#include "scene_file.h"
#include "text_out.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Distinct materials that get a name; more are written where they are used.
#define MAX_MATERIALS 64
/// Meshes that are compared with the models of models.h.
#define MAX_COMPARED_MESHES 64

/// An object that shapes refer to.
typedef struct Shared {
    const void* object;
    sdShape shape; ///< of a mesh: type and mesh only
    bool isMesh;
} Shared;

typedef struct Saver {
    sdContext context;
    sdTextOut out;
    const sdWorld* world;
    sdList shared; ///< Shared, in the order in which they are needed
    int* slots;    ///< of an open table over them: 0 for none, else 1 + place
    int slotCount; ///< a power of two
    sdMaterial materials[MAX_MATERIALS];
    int materialCount;
    sdList ids;      ///< sdBodyId, in the order of their slots
    int* bodyPlaces; ///< by the slot of an id
    int bodyPlaceCount;
    sdResult result;
} Saver;

static void* allocate(Saver* s, size_t size) {
    void* memory =
        s->context.allocator.allocate(s->context.allocator.user, size > 0 ? size : 1, 16);
    if (memory == NULL) {
        s->result = SD_ERROR_OUT_OF_MEMORY;
    }
    return memory;
}

static void logNothing(void* user, sdLogLevel level, const char* text) {
    (void)user;
    (void)level;
    (void)text;
}

static void logText(const sdContext* context, sdLogLevel level, const char* text) {
    if (context->logger.log != NULL) {
        context->logger.log(context->logger.user, level, text);
    }
}

/// Say of how many something is true, if it is of any.
static void warn(const Saver* s, int count, const char* what) {
    char text[160];
    snprintf(text, sizeof text, "sdSceneFile_Write: %d %s", count, what);
    if (count > 0) {
        logText(&s->context, SD_LOG_WARNING, text);
    }
}

static void release(Saver* s, void* memory, size_t size) {
    if (memory != NULL) {
        s->context.allocator.release(s->context.allocator.user, memory, size > 0 ? size : 1);
    }
}

// ---- what is shared ------------------------------------------------------------------------

static int findSlot(const Saver* s, const void* object) {
    uint64_t key = (uint64_t)(uintptr_t)object * 0x9E3779B97F4A7C15u;
    uint32_t mask = (uint32_t)s->slotCount - 1, slot = (uint32_t)(key >> 32) & mask;
    const Shared* shared = (const Shared*)(void*)s->shared.data;
    while (s->slots[slot] != 0 && shared[s->slots[slot] - 1].object != object) {
        slot = (slot + 1) & mask;
    }
    return (int)slot;
}

static bool growSlots(Saver* s) {
    int old = s->slotCount;
    int* slots = s->slots;
    s->slotCount = old == 0 ? 64 : 2 * old;
    s->slots = allocate(s, (size_t)s->slotCount * sizeof *s->slots);
    if (s->slots == NULL) {
        s->slots = slots;
        s->slotCount = old;
        return false;
    }
    memset(s->slots, 0, (size_t)s->slotCount * sizeof *s->slots);
    const Shared* shared = (const Shared*)(void*)s->shared.data;
    for (int i = 0; i < s->shared.count; ++i) {
        s->slots[findSlot(s, shared[i].object)] = 1 + i;
    }
    release(s, slots, (size_t)old * sizeof *slots);
    return true;
}

/// Place of an object among the shared ones.
static int placeOf(const Saver* s, const void* object) {
    return s->slots[findSlot(s, object)] - 1;
}

static void share(Saver* s, const void* object, sdShape shape, bool isMesh) {
    if (2 * (s->shared.count + 1) > s->slotCount && !growSlots(s)) {
        return;
    }
    int slot = findSlot(s, object);
    if (s->slots[slot] == 0) {
        Shared* shared = sdList_Add(&s->shared, &s->context.allocator);
        if (shared == NULL) {
            s->result = SD_ERROR_OUT_OF_MEMORY;
            return;
        }
        *shared = (Shared){object, shape, isMesh};
        s->slots[slot] = s->shared.count;
    }
}

/// What a shape refers to, before itself.
static void shareShape(Saver* s, const sdShape* shape) {
    if (shape->type == SD_SHAPE_HULL) {
        share(s, shape->hull, *shape, false);
    } else if (shape->type == SD_SHAPE_MESH) {
        share(s, shape->mesh, sdShape_Mesh(shape->mesh), true);
        if (shape->concave != NULL) {
            share(s, shape->concave, *shape, false);
        }
    } else if (shape->type == SD_SHAPE_COMPOUND) {
        int count;
        const sdCompoundChild* children = sdCompound_GetChildren(shape->compound, &count);
        for (int i = 0; i < count; ++i) {
            // no compound in a compound, so no deeper
            shareShape(s, &children[i].shape);
        }
        share(s, shape->compound, *shape, false);
    }
}

static int findMaterial(const Saver* s, const sdMaterial* material) {
    for (int i = 0; i < s->materialCount; ++i) {
        if (memcmp(&s->materials[i], material, sizeof *material) == 0) {
            return i;
        }
    }
    return SD_NULL_INDEX;
}

static void shareMaterial(Saver* s, const sdMaterial* material) {
    sdMaterial usual = sdMaterial_Default();
    if (memcmp(&usual, material, sizeof usual) != 0 && s->materialCount < MAX_MATERIALS &&
        findMaterial(s, material) == SD_NULL_INDEX) {
        s->materials[s->materialCount++] = *material;
    }
}

/// Shapes of a body in the order in which they were added.
static sdShapeId* listShapes(Saver* s, sdBodyId body, int* count) {
    *count = sdBody_GetShapes(s->world, body, NULL, 0);
    sdShapeId* shapes = allocate(s, (size_t)*count * sizeof *shapes);
    if (shapes != NULL) {
        // the newest comes first
        sdBody_GetShapes(s->world, body, shapes, *count);
        for (int i = 0; i < *count / 2; ++i) {
            sdShapeId other = shapes[i];
            shapes[i] = shapes[*count - 1 - i];
            shapes[*count - 1 - i] = other;
        }
    }
    return shapes;
}

static void collect(Saver* s) {
    const sdBodyId* ids = (const sdBodyId*)(void*)s->ids.data;
    for (int i = 0; i < s->ids.count && s->result == SD_OK; ++i) {
        int count;
        sdShapeId* shapes = listShapes(s, ids[i], &count);
        for (int k = 0; shapes != NULL && k < count; ++k) {
            const sdShapeDef* def = sdShapeId_GetDef(s->world, shapes[k]);
            shareShape(s, &def->shape);
            shareMaterial(s, &def->material);
        }
        release(s, shapes, (size_t)count * sizeof *shapes);
    }
}

// ---- meshes --------------------------------------------------------------------------------

static bool areSame(sdMeshData a, sdMeshData b) {
    return a.vertexCount == b.vertexCount && a.triangleCount == b.triangleCount &&
           memcmp(a.vertices, b.vertices, (size_t)a.vertexCount * sizeof *a.vertices) == 0 &&
           memcmp(a.triangles, b.triangles, (size_t)a.triangleCount * 3 * sizeof *a.triangles) == 0;
}

/// Whether a mesh is a model of models.h, bit by bit.
static bool isModel(Saver* s, sdMeshData data, sdModelKind kind, float size) {
    sdContext quiet = s->context;
    quiet.logger = (sdLogger){.log = logNothing};
    sdMesh* model = NULL;
    sdResult result = sdModel_Create(&quiet, kind, size, &model);
    bool isSame = result == SD_OK && areSame(data, sdMesh_GetData(model));
    sdMesh_Release(model);
    s->result = result == SD_ERROR_OUT_OF_MEMORY ? result : s->result;
    return isSame;
}

static bool findModel(Saver* s, const sdMesh* mesh, sdMeshDoc* doc) {
    // as models.h has them, so that few are made in vain
    static const int triangleCounts[SD_MODEL_COUNT] = {12,   1280, 576, 216, 84,  2970, 1024,
                                                       2592, 840,  768, 40,  960, 960};
    sdMeshData data = sdMesh_GetData(mesh);
    sdAABB box = sdMesh_GetBounds(mesh);
    sdVec3 sides = sdSub(box.upper, box.lower);
    float longest = sdMaxF(sides.x, sdMaxF(sides.y, sides.z));
    // the size that was asked for has few digits and is near, within rounding
    float sizes[2] = {(float)sdNumber_Round((double)longest, 6), longest};
    for (int kind = 0; kind < SD_MODEL_COUNT; ++kind) {
        for (int i = 0; i < 2 && data.triangleCount == triangleCounts[kind]; ++i) {
            if (s->result == SD_OK && isModel(s, data, (sdModelKind)kind, sizes[i])) {
                doc->model = kind;
                doc->size = sizes[i];
                return true;
            }
        }
    }
    return false;
}

static void writeMesh(Saver* s, const sdMesh* mesh, bool isCompared) {
    sdTextOut* out = &s->out;
    sdMeshDoc doc = {.model = 0}, usual = {.model = -1};
    bool isFirst = true;
    if (isCompared && findModel(s, mesh, &doc)) {
        sdTextOut_Keys(out, sdMeshTable.variants[0], &doc, &usual, &isFirst);
        return;
    }
    sdMeshData data = sdMesh_GetData(mesh);
    sdTextOut_Put(out, "\n      \"vertices\": ");
    sdTextOut_Floats(out, &data.vertices[0].x, 3 * data.vertexCount);
    sdTextOut_Put(out, ",\n      \"triangles\": [");
    for (int i = 0; i < 3 * data.triangleCount; ++i) {
        sdTextOut_Print(out, "%s%d", i > 0 ? ", " : "", (int)data.triangles[i]);
    }
    sdTextOut_Put(out, "]");
}

// ---- shapes --------------------------------------------------------------------------------

static const sdTable* findVariant(const char* id) {
    const sdTable* found = NULL;
    for (int i = 0; i < sdShapeTable.variantCount; ++i) {
        found = strcmp(sdShapeTable.variants[i]->id, id) == 0 ? sdShapeTable.variants[i] : found;
    }
    return found;
}

static const char* idOf(const sdShape* shape) {
    static const char* const ids[SD_SHAPE_TYPE_COUNT] = {"sphere", "capsule",  "box",  "cylinder",
                                                         "cone",   "triangle", "hull", "half-space",
                                                         "mesh",   "compound"};
    return shape->concave != NULL ? "concave" : ids[shape->type];
}

static void writeShapeReference(Saver* s, const sdShape* shape);

static void writeChildren(Saver* s, const sdCompound* compound) {
    int count;
    const sdCompoundChild* children = sdCompound_GetChildren(compound, &count);
    const sdChildDoc usual = {.xf = sdTransform_Identity()};
    for (int i = 0; i < count; ++i) {
        bool isFirst = true;
        sdChildDoc doc = {.xf = children[i].xf};
        sdTextOut_Put(&s->out, i > 0 ? ",\n      {" : "\n      {");
        sdTextOut_Key(&s->out, "shape", &isFirst);
        writeShapeReference(s, &children[i].shape);
        sdTextOut_Keys(&s->out, &sdChildTable, &doc, &usual, &isFirst);
        sdTextOut_Put(&s->out, "}");
    }
}

/// The object itself.
static void writeShape(Saver* s, const sdShape* shape) {
    sdTextOut* out = &s->out;
    sdShapeDoc doc = {.shape = *shape}, usual = {.shape = sdShape_Sphere(0.0f)};
    usual.concave = sdConcaveDef_Default();
    doc.concave = shape->concave != NULL ? sdConcave_GetDef(shape->concave) : usual.concave;
    bool isFirst = true;
    sdTextOut_Put(out, "{");
    sdTextOut_Keys(out, findVariant(idOf(shape)), &doc, &usual, &isFirst);
    if (shape->type == SD_SHAPE_TRIANGLE) {
        sdTextOut_Key(out, "vertices", &isFirst);
        sdTextOut_Floats(out, &shape->triangle.vertices[0].x, 9);
    } else if (shape->type == SD_SHAPE_HULL) {
        int count;
        const sdVec3* points = sdHull_GetVertices(shape->hull, &count);
        sdTextOut_Key(out, "points", &isFirst);
        sdTextOut_Floats(out, &points[0].x, 3 * count);
    } else if (shape->type == SD_SHAPE_MESH) {
        sdTextOut_Key(out, "mesh", &isFirst);
        sdTextOut_Print(out, "\"mesh%d\"", placeOf(s, shape->mesh));
    } else if (shape->type == SD_SHAPE_COMPOUND) {
        sdTextOut_Key(out, "children", &isFirst);
        sdTextOut_Put(out, "[");
        writeChildren(s, shape->compound);
        sdTextOut_Put(out, "]");
    }
    sdTextOut_Put(out, "}");
}

/// A name where there is one.
static void writeShapeReference(Saver* s, const sdShape* shape) {
    const void* object = shape->type == SD_SHAPE_HULL       ? (const void*)shape->hull
                         : shape->type == SD_SHAPE_COMPOUND ? (const void*)shape->compound
                                                            : (const void*)shape->concave;
    if (object != NULL) {
        sdTextOut_Print(&s->out, "\"%s%d\"", idOf(shape), placeOf(s, object));
    } else {
        writeShape(s, shape);
    }
}

/// Whether a hull is the one that is built from its vertices.
static bool comesBack(Saver* s, const sdHull* hull) {
    sdContext quiet = s->context;
    quiet.logger = (sdLogger){.log = logNothing};
    sdHullDef def = sdHullDef_Default();
    def.points = sdHull_GetVertices(hull, &def.pointCount);
    sdHull* other = NULL;
    sdResult result = sdHull_Create(&quiet, &def, &other);
    int edges, faces, otherEdges, otherFaces;
    const sdHalfEdge *a = sdHull_GetEdges(hull, &edges), *b = NULL;
    const sdPlane *p = sdHull_GetPlanes(hull, &faces), *q = NULL;
    bool isSame = result == SD_OK;
    if (isSame) {
        b = sdHull_GetEdges(other, &otherEdges);
        q = sdHull_GetPlanes(other, &otherFaces);
        isSame = edges == otherEdges && faces == otherFaces &&
                 memcmp(a, b, (size_t)edges * sizeof *a) == 0 &&
                 memcmp(p, q, (size_t)faces * sizeof *p) == 0;
    }
    sdHull_Release(other);
    s->result = result == SD_ERROR_OUT_OF_MEMORY ? result : s->result;
    return isSame;
}

static void checkHulls(Saver* s) {
    const Shared* shared = (const Shared*)(void*)s->shared.data;
    int others = 0;
    for (int i = 0; i < s->shared.count && s->result == SD_OK; ++i) {
        others += !shared[i].isMesh && shared[i].shape.type == SD_SHAPE_HULL &&
                  !comesBack(s, shared[i].shape.hull);
    }
    warn(s, others,
         "hulls were built from more points than their vertices and will differ by rounding when "
         "they are read");
}

/// Meshes, or all other shapes that are shared.
static void writeShared(Saver* s, bool isMesh) {
    const Shared* shared = (const Shared*)(void*)s->shared.data;
    int count = 0;
    for (int i = 0; i < s->shared.count && s->result == SD_OK; ++i) {
        if (shared[i].isMesh != isMesh) {
            continue;
        }
        sdTextOut_Put(&s->out,
                      count == 0 ? (isMesh ? ",\n  \"meshes\": {" : ",\n  \"shapes\": {") : ",");
        sdTextOut_Print(&s->out, "\n    \"%s%d\": ", isMesh ? "mesh" : idOf(&shared[i].shape), i);
        if (isMesh) {
            sdTextOut_Put(&s->out, "{");
            writeMesh(s, shared[i].shape.mesh, count < MAX_COMPARED_MESHES);
            sdTextOut_Put(&s->out, "}");
        } else {
            writeShape(s, &shared[i].shape);
        }
        ++count;
    }
    sdTextOut_Put(&s->out, count > 0 ? "\n  }" : "");
}

static void writeMaterials(Saver* s) {
    const sdMaterial usual = sdMaterial_Default();
    for (int i = 0; i < s->materialCount; ++i) {
        bool isFirst = true;
        sdTextOut_Put(&s->out, i == 0 ? ",\n  \"materials\": {" : ",");
        sdTextOut_Print(&s->out, "\n    \"material%d\": {", i);
        sdTextOut_Keys(&s->out, &sdMaterialTable, &s->materials[i], &usual, &isFirst);
        sdTextOut_Put(&s->out, "}");
    }
    sdTextOut_Put(&s->out, s->materialCount > 0 ? "\n  }" : "");
}

// ---- bodies --------------------------------------------------------------------------------

static void writeMaterial(Saver* s, const sdMaterial* material, bool* isFirst) {
    const sdMaterial usual = sdMaterial_Default();
    int index = findMaterial(s, material);
    if (memcmp(&usual, material, sizeof usual) == 0) {
        return;
    }
    sdTextOut_Key(&s->out, "material", isFirst);
    if (index != SD_NULL_INDEX) {
        sdTextOut_Print(&s->out, "\"material%d\"", index);
    } else {
        bool isInnerFirst = true;
        sdTextOut_Put(&s->out, "{");
        sdTextOut_Keys(&s->out, &sdMaterialTable, material, &usual, &isInnerFirst);
        sdTextOut_Put(&s->out, "}");
    }
}

static void writeFixture(Saver* s, const sdShapeDef* def) {
    sdFixtureDoc doc = {.def = *def}, usual = {.def = sdShapeDef_Default(def->shape)};
    bool isFirst = true;
    sdTextOut_Put(&s->out, "{");
    sdTextOut_Key(&s->out, "shape", &isFirst);
    writeShapeReference(s, &def->shape);
    writeMaterial(s, &def->material, &isFirst);
    sdTextOut_Keys(&s->out, &sdFixtureTable, &doc, &usual, &isFirst);
    sdTextOut_Put(&s->out, "}");
}

/// Where the origin must be so that adding the offset gives the centre, to the bit.
static double originOf(double center, float offset) {
    double origin = center - (double)offset;
    double candidates[] = {origin, nextafter(origin, INFINITY), nextafter(origin, -INFINITY)};
    for (int i = 0; i < 3; ++i) {
        if (candidates[i] + (double)offset == center) {
            return candidates[i];
        }
    }
    return origin;
}

static void describeBody(const sdWorld* world, sdBodyId id, sdBodyDoc* doc) {
    sdWorldTransform pose = sdBody_GetTransform(world, id);
    sdMassProps mass = sdBody_GetMass(world, id);
    sdPos center = sdBody_GetCenter(world, id);
    sdVec3 offset = sdRotate(pose.q, mass.center);
    bool isShifted = offset.x != 0.0f || offset.y != 0.0f || offset.z != 0.0f;
    doc->def = (sdBodyDef){
        .type = sdBody_GetType(world, id),
        .position = isShifted
                        ? sdPos_Make(originOf(center.x, offset.x), originOf(center.y, offset.y),
                                     originOf(center.z, offset.z))
                        : pose.p,
        .rotation = pose.q,
        .velocity = sdBody_GetVelocity(world, id),
        .angularVelocity = sdBody_GetAngularVelocity(world, id),
        .linearDamping = sdBody_GetLinearDamping(world, id),
        .angularDamping = sdBody_GetAngularDamping(world, id),
        .gravityScale = sdBody_GetGravityScale(world, id),
        .locks = sdBody_GetLocks(world, id),
        .enableSleep = sdBody_IsSleepEnabled(world, id),
        .isAwake = sdBody_IsAwake(world, id) || sdBody_GetType(world, id) == SD_BODY_STATIC ||
                   !sdBody_IsEnabled(world, id),
        .isBullet = sdBody_IsBullet(world, id),
        .userData = sdBody_GetUserData(world, id),
    };
    doc->isEnabled = sdBody_IsEnabled(world, id);
    if (sdBody_HasGivenMass(world, id)) {
        doc->mass = mass;
    }
}

static void writeBody(Saver* s, sdBodyId id) {
    sdBodyDoc doc = {.name = NULL}, usual = {.def = sdBodyDef_Default(), .isEnabled = true};
    describeBody(s->world, id, &doc);
    bool isFirst = true;
    sdTextOut_Put(&s->out, "{");
    sdTextOut_Keys(&s->out, &sdBodyTable, &doc, &usual, &isFirst);
    int count;
    sdShapeId* shapes = listShapes(s, id, &count);
    for (int i = 0; shapes != NULL && i < count; ++i) {
        if (i == 0) {
            sdTextOut_Key(&s->out, "shapes", &isFirst);
        }
        sdTextOut_Put(&s->out, i == 0 ? "[" : ", ");
        writeFixture(s, sdShapeId_GetDef(s->world, shapes[i]));
    }
    sdTextOut_Put(&s->out, count > 0 ? "]}" : "}");
    release(s, shapes, (size_t)count * sizeof *shapes);
}

// ---- joints --------------------------------------------------------------------------------

/// The slot of an id.
static int slotOf(uint32_t id) {
    return (int)(id & 0xFFFFFFu);
}

/// What does nothing is not written, for a reader would ask what it is there for.
static void tidyAxis(sdJointAxis* axis, const sdJointAxis* usual) {
    if (axis->mode != SD_AXIS_LIMITED) {
        axis->lower = usual->lower;
        axis->upper = usual->upper;
    }
    if (axis->drive == SD_DRIVE_NONE) {
        axis->target = usual->target;
        axis->maxForce = usual->maxForce;
        axis->frequency = usual->frequency;
        axis->dampingRatio = usual->dampingRatio;
    }
}

static void writeJoint(Saver* s, const sdJointDef* def) {
    sdJointDoc doc = {.def = *def};
    sdJointDoc usual = {.def = sdJointDef_Make(def->type, 0, 0)};
    for (int i = 0; i < SD_AXIS_COUNT; ++i) {
        tidyAxis(&doc.def.axes[i], &usual.def.axes[i]);
    }
    bool isFirst = true;
    sdTextOut_Put(&s->out, "{");
    sdTextOut_Key(&s->out, "bodyA", &isFirst);
    sdTextOut_Print(&s->out, "%d", s->bodyPlaces[slotOf(def->bodyA)]);
    sdTextOut_Key(&s->out, "bodyB", &isFirst);
    sdTextOut_Print(&s->out, "%d", s->bodyPlaces[slotOf(def->bodyB)]);
    sdTextOut_Keys(&s->out, &sdJointTable, &doc, &usual, &isFirst);
    sdTextOut_Put(&s->out, "}");
}

/// Of a joint whose bodies have become static or kinematic there is nothing to hold, and no world
/// would make it.
static bool holdsSomething(const sdWorld* world, const sdJointDef* def) {
    return sdBody_GetType(world, def->bodyA) == SD_BODY_DYNAMIC ||
           sdBody_GetType(world, def->bodyB) == SD_BODY_DYNAMIC;
}

static void writeJoints(Saver* s) {
    int count = sdWorld_GetJoints(s->world, NULL, 0), written = 0;
    sdJointId* joints = allocate(s, (size_t)count * sizeof *joints);
    if (joints == NULL) {
        return;
    }
    sdWorld_GetJoints(s->world, joints, count);
    for (int i = 0; i < count; ++i) {
        const sdJointDef* def = sdJoint_GetDef(s->world, joints[i]);
        if (holdsSomething(s->world, def)) {
            sdTextOut_Put(&s->out, written++ == 0 ? ",\n  \"joints\": [\n    " : ",\n    ");
            writeJoint(s, def);
        }
    }
    sdTextOut_Put(&s->out, written > 0 ? "\n  ]" : "");
    warn(s, count - written, "joints are left out, of which neither body is dynamic any more");
    release(s, joints, (size_t)count * sizeof *joints);
}

// ---- the whole -----------------------------------------------------------------------------

static void writeLine(Saver* s, const char* key, const char* text) {
    if (text != NULL && text[0] != '\0') {
        sdTextOut_Print(&s->out, ",\n  \"%s\": ", key);
        sdTextOut_Text(&s->out, text);
    }
}

/// A part of the document that has its own key, unless all of it is usual.
static void writePart(Saver* s, const char* name, const sdSceneDoc* doc, const sdSceneDoc* usual) {
    const sdKey* key = &sdSceneTable.keys[sdTable_Find(&sdSceneTable, name)];
    const char *value = (const char*)doc + key->offset, *other = (const char*)usual + key->offset;
    if (!sdTable_IsUsual(key->table, value, other)) {
        bool isFirst = true;
        sdTextOut_Print(&s->out, ",\n  \"%s\": {", name);
        sdTextOut_Keys(&s->out, key->table, value, other, &isFirst);
        sdTextOut_Put(&s->out, "}");
    }
}

static void writeHead(Saver* s, const sdSceneInfo* info) {
    const sdSceneInfo usualInfo = sdSceneInfo_Default();
    sdSceneDoc usual = {.settings = sdWorldDef_Default()}, doc = usual;
    doc.settings = sdWorld_GetDef(s->world);
    doc.recording.dt = info->dt;
    doc.recording.steps = info->stepCount;
    usual.recording.dt = usualInfo.dt;
    usual.recording.steps = usualInfo.stepCount;
    if (info->hasCamera) {
        doc.camera.eye = info->eye;
        doc.camera.target = info->target;
    }
    sdTextOut_Put(&s->out, "{\n  \"sudar\": 1");
    writeLine(s, "name", info->name);
    writeLine(s, "title", info->title);
    writeLine(s, "text", info->text);
    writePart(s, "settings", &doc, &usual);
    writePart(s, "recording", &doc, &usual);
    writePart(s, "camera", &doc, &usual);
}

static bool listBodies(Saver* s) {
    int count = sdWorld_GetBodies(s->world, NULL, 0);
    for (int i = 0; i < count; ++i) {
        if (sdList_Add(&s->ids, &s->context.allocator) == NULL) {
            s->result = SD_ERROR_OUT_OF_MEMORY;
            return false;
        }
    }
    sdBodyId* ids = (sdBodyId*)(void*)s->ids.data;
    sdWorld_GetBodies(s->world, ids, count);
    s->bodyPlaceCount = count > 0 ? slotOf(ids[count - 1]) + 1 : 0;
    s->bodyPlaces = allocate(s, (size_t)s->bodyPlaceCount * sizeof *s->bodyPlaces);
    for (int i = 0; i < count && s->bodyPlaces != NULL; ++i) {
        s->bodyPlaces[slotOf(ids[i])] = i;
    }
    return s->bodyPlaces != NULL;
}

static void writeAll(Saver* s, const sdSceneInfo* info) {
    writeHead(s, info);
    writeMaterials(s);
    writeShared(s, true);
    writeShared(s, false);
    sdTextOut_Put(&s->out, ",\n  \"bodies\": [");
    const sdBodyId* ids = (const sdBodyId*)(void*)s->ids.data;
    for (int i = 0; i < s->ids.count && s->result == SD_OK; ++i) {
        sdTextOut_Put(&s->out, i > 0 ? ",\n    " : "\n    ");
        writeBody(s, ids[i]);
    }
    sdTextOut_Put(&s->out, s->ids.count > 0 ? "\n  ]" : "]");
    writeJoints(s);
    sdTextOut_Put(&s->out, "\n}\n");
}

sdResult sdSceneFile_Write(const sdContext* context, const sdWorld* world, const sdSceneInfo* info,
                           sdTextFcn* write, void* user) {
    if (world == NULL || write == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    const sdSceneInfo usual = sdSceneInfo_Default();
    Saver s = {.context = context != NULL ? *context : sdContext_Default(),
               .out = {.write = write, .user = user},
               .world = world,
               .shared = {.itemSize = sizeof(Shared)},
               .ids = {.itemSize = sizeof(sdBodyId)},
               .result = SD_OK};
    if (listBodies(&s)) {
        collect(&s);
    }
    if (s.result == SD_OK) {
        checkHulls(&s);
    }
    if (s.result == SD_OK) {
        writeAll(&s, info != NULL ? info : &usual);
    }
    if (s.result == SD_OK) {
        s.result = sdTextOut_Finish(&s.out);
    }
    if (s.result != SD_OK) {
        logText(&s.context, SD_LOG_ERROR,
                s.result == SD_ERROR_OUT_OF_MEMORY
                    ? "sdSceneFile_Write: there is no memory for it"
                    : "sdSceneFile_Write: the text could not be written");
    }
    sdList_Free(&s.shared, &s.context.allocator);
    sdList_Free(&s.ids, &s.context.allocator);
    release(&s, s.slots, (size_t)s.slotCount * sizeof *s.slots);
    release(&s, s.bodyPlaces, (size_t)s.bodyPlaceCount * sizeof *s.bodyPlaces);
    return s.result;
}

static bool writeToFile(void* user, const char* text, size_t length) {
    return fwrite(text, 1, length, user) == length;
}

sdResult sdSceneFile_Save(const sdContext* context, const sdWorld* world, const sdSceneInfo* info,
                          const char* path) {
    char name[4096];
    sdContext own = context != NULL ? *context : sdContext_Default();
    if (world == NULL || path == NULL ||
        snprintf(name, sizeof name, "%s.part", path) >= (int)sizeof name) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    FILE* stream = fopen(name, "wb");
    if (stream == NULL) {
        logText(&own, SD_LOG_ERROR,
                "sdSceneFile_Save: the file cannot be made; is its folder there?");
        return SD_ERROR_IO;
    }
    sdResult result = sdSceneFile_Write(context, world, info, writeToFile, stream);
    bool isWritten = fclose(stream) == 0;
    result = result == SD_OK && !isWritten ? SD_ERROR_IO : result;
    if (result == SD_OK && rename(name, path) != 0) {
        result = SD_ERROR_IO;
    }
    if (result != SD_OK) {
        remove(name);
    }
    return result;
}
