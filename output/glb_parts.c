// SPDX-License-Identifier: MIT
// glb_parts.c - the parts of a glTF file: bodies as nodes, their shapes as meshes.
//
// In:   a world.
// Out:  lists of JSON objects, and the bytes that they speak of.
// Note: balls, boxes, cylinders and cones are scaled from unit ones, so that all of them share four
//       meshes; hulls, meshes and capsules have their own, shared by bodies with the same.

#include "glb_parts.h"

#include "render.h"
#include "tessellate.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/// Around what is round.
#define SEGMENTS 24

/// m: half the side of the square that stands for a half-space.
#define PLANE_EXTENT 50.0f

/// A static box that stands upright and is thinner than these shares of its longest side and of the
/// other is a wall, drawn as glass: what it holds is behind it.
#define WALL_SHARE 0.3f
#define WALL_SHARE_OTHER 0.7f
#define WALL_SLOPE 0.3f

#define GL_VERTICES 34962
#define GL_INDICES 34963

// ---- text ----------------------------------------------------------------------------------

void sdGlb_Print(sdGlbParts* p, sdByteArray* text, const char* format, ...) {
    char buffer[1024];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    sdByteArray_Add(text, &p->context, buffer, (size_t)length);
    p->isBroken = p->isBroken || text->isBroken;
}

static void printText(sdGlbParts* p, sdByteArray* out, const char* text) {
    sdGlb_Print(p, out, "\"");
    for (const char* c = text; *c != '\0'; ++c) {
        unsigned char u = (unsigned char)*c;
        if (u == '"' || u == '\\') {
            sdGlb_Print(p, out, "\\%c", u);
        } else if (u < 0x20) {
            sdGlb_Print(p, out, "\\u%04x", u);
        } else {
            sdByteArray_Add(out, &p->context, c, 1);
        }
    }
    sdGlb_Print(p, out, "\"");
}

static const char* comma(int count) {
    return count > 0 ? "," : "";
}

// ---- buffers -------------------------------------------------------------------------------

int sdGlbParts_BeginView(sdGlbParts* p, int target) {
    p->viewStart = p->bin.count;
    p->viewTarget = target;
    return p->viewCount;
}

void sdGlbParts_AddBytes(sdGlbParts* p, const void* bytes, size_t size) {
    sdByteArray_Add(&p->bin, &p->context, bytes, size);
}

void sdGlbParts_EndView(sdGlbParts* p) {
    sdGlb_Print(p, &p->views, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu",
                comma(p->viewCount++), p->viewStart, p->bin.count - p->viewStart);
    if (p->viewTarget != 0) {
        sdGlb_Print(p, &p->views, ",\"target\":%d", p->viewTarget);
    }
    sdGlb_Print(p, &p->views, "}");
}

static void printFloats(sdGlbParts* p, sdByteArray* text, const char* name, const float* values,
                        int count) {
    sdGlb_Print(p, text, ",\"%s\":[", name);
    for (int i = 0; i < count; ++i) {
        sdGlb_Print(p, text, "%s%.9g", comma(i), (double)values[i]);
    }
    sdGlb_Print(p, text, "]");
}

int sdGlbParts_AddAccessor(sdGlbParts* p, int view, sdGlbElement element, int count,
                           const float* lower, const float* upper) {
    static const struct {
        const char* name;
        int size, component;
    } kinds[] = {{"SCALAR", 1, 5126}, {"VEC3", 3, 5126}, {"VEC4", 4, 5126}, {"SCALAR", 1, 5125}};
    sdGlb_Print(
        p, &p->accessors, "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,\"type\":\"%s\"",
        comma(p->accessorCount), view, kinds[element].component, count, kinds[element].name);
    if (lower != NULL) {
        printFloats(p, &p->accessors, "min", lower, kinds[element].size);
        printFloats(p, &p->accessors, "max", upper, kinds[element].size);
    }
    sdGlb_Print(p, &p->accessors, "}");
    return p->accessorCount++;
}

// ---- meshes --------------------------------------------------------------------------------

static bool isSameShape(const sdShape* a, const sdShape* b) {
    if (a->type != b->type) {
        return false;
    }
    switch (a->type) {
        case SD_SHAPE_HULL:
            return a->hull == b->hull;
        case SD_SHAPE_MESH:
            return a->mesh == b->mesh;
        case SD_SHAPE_CAPSULE:
            return a->capsule.radius == b->capsule.radius &&
                   a->capsule.halfLength == b->capsule.halfLength;
        case SD_SHAPE_TRIANGLE:
            return memcmp(&a->triangle, &b->triangle, sizeof a->triangle) == 0;
        default:
            return true;
    }
}

/// The shape that others are scaled from; `scale` receives by what.
static sdShape unitOf(const sdShape* shape, sdVec3* scale) {
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            *scale = sdV3(shape->sphere.radius, shape->sphere.radius, shape->sphere.radius);
            return sdShape_Sphere(1.0f);
        case SD_SHAPE_BOX:
            *scale = shape->box.halfExtents;
            return sdShape_Box(1.0f, 1.0f, 1.0f);
        case SD_SHAPE_CYLINDER:
            *scale =
                sdV3(shape->cylinder.radius, shape->cylinder.halfHeight, shape->cylinder.radius);
            return sdShape_Cylinder(1.0f, 1.0f);
        case SD_SHAPE_CONE:
            *scale = sdV3(shape->cone.radius, shape->cone.halfHeight, shape->cone.radius);
            return sdShape_Cone(1.0f, 1.0f);
        default:
            *scale = sdV3(1.0f, 1.0f, 1.0f);
            return *shape;
    }
}

static void addTriangles(sdGlbParts* p, const sdTessellation* t, sdGlbGeometry* out) {
    sdAABB box = sdAABB_Empty();
    int view = sdGlbParts_BeginView(p, GL_VERTICES);
    for (int i = 0; i < t->vertexCount; ++i) {
        box = sdAABB_AddPoint(box, t->vertices[i].position);
        sdGlbParts_AddBytes(p, &t->vertices[i].position, sizeof(sdVec3));
    }
    sdGlbParts_EndView(p);
    const float lower[3] = {box.lower.x, box.lower.y, box.lower.z};
    const float upper[3] = {box.upper.x, box.upper.y, box.upper.z};
    out->position = sdGlbParts_AddAccessor(p, view, SD_GLB_VECTORS, t->vertexCount, lower, upper);

    view = sdGlbParts_BeginView(p, GL_VERTICES);
    for (int i = 0; i < t->vertexCount; ++i) {
        sdVec3 n = sdNormalize(t->vertices[i].normal);
        sdGlbParts_AddBytes(p, &n, sizeof n);
    }
    sdGlbParts_EndView(p);
    out->normal = sdGlbParts_AddAccessor(p, view, SD_GLB_VECTORS, t->vertexCount, NULL, NULL);

    view = sdGlbParts_BeginView(p, GL_INDICES);
    sdGlbParts_AddBytes(p, t->indices, (size_t)t->indexCount * sizeof *t->indices);
    sdGlbParts_EndView(p);
    out->index = sdGlbParts_AddAccessor(p, view, SD_GLB_INDICES, t->indexCount, NULL, NULL);
}

/// @return index, or SD_NULL_INDEX when it cannot be had
static int findGeometry(sdGlbParts* p, const sdShape* shape) {
    const sdGlbGeometry* all = (const sdGlbGeometry*)(const void*)p->geometryList.data;
    for (int i = 0; i < p->geometryCount; ++i) {
        if (isSameShape(&all[i].shape, shape)) {
            return i;
        }
    }
    sdGlbGeometry own = {.shape = *shape};
    sdTessellationDef def = sdTessellationDef_Default();
    def.segmentCount = SEGMENTS;
    def.halfSpaceExtent = PLANE_EXTENT;
    sdTessellation t;
    if (sdTessellate(&p->context, shape, &def, &t) != SD_OK) {
        return SD_NULL_INDEX;
    }
    addTriangles(p, &t, &own);
    sdTessellation_Free(&t);
    sdByteArray_Add(&p->geometryList, &p->context, &own, sizeof own);
    return p->geometryList.isBroken ? SD_NULL_INDEX : p->geometryCount++;
}

static int findMaterial(sdGlbParts* p, const uint8_t color[4]) {
    const sdGlbMaterial* all = (const sdGlbMaterial*)(const void*)p->materialList.data;
    for (int i = 0; i < p->materialCount; ++i) {
        if (memcmp(all[i].color, color, 4) == 0) {
            return i;
        }
    }
    sdGlbMaterial own;
    memcpy(own.color, color, 4);
    sdByteArray_Add(&p->materialList, &p->context, &own, sizeof own);
    return p->materialList.isBroken ? SD_NULL_INDEX : p->materialCount++;
}

static int findMesh(sdGlbParts* p, const sdShape* shape, const uint8_t color[4]) {
    sdGlbMesh own = {findGeometry(p, shape), findMaterial(p, color)};
    if (own.geometry < 0 || own.material < 0) {
        return SD_NULL_INDEX;
    }
    const sdGlbMesh* all = (const sdGlbMesh*)(const void*)p->meshList.data;
    for (int i = 0; i < p->meshCount; ++i) {
        if (all[i].geometry == own.geometry && all[i].material == own.material) {
            return i;
        }
    }
    sdByteArray_Add(&p->meshList, &p->context, &own, sizeof own);
    return p->meshList.isBroken ? SD_NULL_INDEX : p->meshCount++;
}

// ---- nodes ---------------------------------------------------------------------------------

static void printPose(sdGlbParts* p, sdByteArray* text, const float t[3], sdQuat q) {
    const float rotation[4] = {q.v.x, q.v.y, q.v.z, q.s};
    printFloats(p, text, "translation", t, 3);
    printFloats(p, text, "rotation", rotation, 4);
}

bool sdGlb_IsWall(sdBodyType type, const sdShape* shape, sdQuat q) {
    if (type != SD_BODY_STATIC || shape->type != SD_SHAPE_BOX) {
        return false;
    }
    sdVec3 h = shape->box.halfExtents;
    sdVec3 thin = h.x <= h.y && h.x <= h.z
                      ? sdV3(1.0f, 0.0f, 0.0f)
                      : (h.y <= h.z ? sdV3(0.0f, 1.0f, 0.0f) : sdV3(0.0f, 0.0f, 1.0f));
    float least = sdDot(thin, h);
    float most = sdMaxF(h.x, sdMaxF(h.y, h.z)), other = h.x + h.y + h.z - least - most;
    return least < WALL_SHARE * most && least < WALL_SHARE_OTHER * other &&
           sdAbsF(sdRotate(q, thin).y) < WALL_SLOPE;
}

typedef struct BodyLook {
    sdBodyType type;
    sdWorldTransform xf;
    uint8_t color[4];
} BodyLook;

/// A shape as a node of its own, below its body's.
static bool addShapeNode(sdGlbParts* p, const BodyLook* look, const sdShape* shape, sdTransform xf,
                         bool isSensor) {
    uint8_t color[4];
    memcpy(color, look->color, 4);
    if (isSensor || sdGlb_IsWall(look->type, shape, sdMulQ(look->xf.q, xf.q))) {
        color[3] = 64;
    }
    sdVec3 scale;
    sdShape unit = unitOf(shape, &scale);
    int mesh = findMesh(p, &unit, color);
    if (mesh < 0) {
        return false;
    }
    const float t[3] = {xf.p.x, xf.p.y, xf.p.z}, s[3] = {scale.x, scale.y, scale.z};
    sdGlb_Print(p, &p->nodes, "%s{\"mesh\":%d", comma(p->nodeCount++), mesh);
    printPose(p, &p->nodes, t, xf.q);
    if (scale.x != 1.0f || scale.y != 1.0f || scale.z != 1.0f) {
        printFloats(p, &p->nodes, "scale", s, 3);
    }
    sdGlb_Print(p, &p->nodes, "}");
    return true;
}

static bool addShapeNodes(sdGlbParts* p, const BodyLook* look, const sdShapeDef* def) {
    if (def->shape.type != SD_SHAPE_COMPOUND) {
        return addShapeNode(p, look, &def->shape, def->xf, def->isSensor);
    }
    int count;
    const sdCompoundChild* children = sdCompound_GetChildren(def->shape.compound, &count);
    for (int i = 0; i < count; ++i) {
        if (!addShapeNode(p, look, &children[i].shape, sdMulXf(def->xf, children[i].xf),
                          def->isSensor)) {
            return false;
        }
    }
    return true;
}

/// Nodes of all shapes of a body; `text` receives the body's own, which stands after all of them.
static bool addBody(sdGlbParts* p, const sdWorld* world, sdBodyId body, int number,
                    sdByteArray* text) {
    BodyLook look = {sdBody_GetType(world, body), sdBody_GetTransform(world, body), {0, 0, 0, 255}};
    sdRenderer_GetColor(look.type, body, look.color);
    int first = p->nodeCount, count = sdBody_GetShapes(world, body, NULL, 0);
    size_t size = (size_t)count * sizeof(sdShapeId);
    sdShapeId* shapes = sdOutput_Alloc(&p->context, size);
    bool ok = shapes != NULL;
    if (ok) {
        sdBody_GetShapes(world, body, shapes, count);
    }
    for (int i = 0; i < count && ok; ++i) {
        ok = addShapeNodes(p, &look, sdShapeId_GetDef(world, shapes[i]));
    }
    sdOutput_Free(&p->context, shapes, size);

    const float t[3] = {(float)look.xf.p.x, (float)look.xf.p.y, (float)look.xf.p.z};
    sdGlb_Print(p, text, "%s{\"name\":\"body %d\"", comma(number), number);
    printPose(p, text, t, look.xf.q);
    for (int i = first; i < p->nodeCount; ++i) {
        sdGlb_Print(p, text, "%s%d", i == first ? ",\"children\":[" : ",", i);
    }
    sdGlb_Print(p, text, "%s}", p->nodeCount > first ? "]" : "");
    return ok;
}

sdResult sdGlbParts_Build(sdGlbParts* p, const sdWorld* world, const sdBodyId* bodies, int count,
                          const char* title) {
    p->title = title;
    bool ok = true;
    for (int i = 0; i < count && ok; ++i) {
        ok = addBody(p, world, bodies[i], i, &p->roots);
    }
    p->firstBodyNode = p->nodeCount;
    p->nodeCount += count;
    return ok && !p->isBroken ? SD_OK
                              : sdRender_Fail(&p->context, SD_ERROR_OUT_OF_MEMORY,
                                              "no memory for an animation of %d bodies", count);
}

void sdGlbParts_Free(sdGlbParts* p) {
    sdByteArray* arrays[] = {&p->bin,   &p->views,        &p->accessors,    &p->nodes,
                             &p->roots, &p->geometryList, &p->materialList, &p->meshList};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        sdByteArray_Free(arrays[i], &p->context);
    }
}

// ---- JSON ----------------------------------------------------------------------------------

static void addList(sdGlbParts* p, sdByteArray* json, const char* name, const sdByteArray* list) {
    if (list->count > 0) {
        sdGlb_Print(p, json, ",\n\"%s\":[", name);
        sdByteArray_Add(json, &p->context, list->data, list->count);
        sdGlb_Print(p, json, "]");
    }
}

static void printMaterials(sdGlbParts* p, sdByteArray* json) {
    const sdGlbMaterial* all = (const sdGlbMaterial*)(const void*)p->materialList.data;
    for (int i = 0; i < p->materialCount; ++i) {
        // the square is near enough to what sRGB means as light
        double c[4];
        for (int k = 0; k < 4; ++k) {
            double v = all[i].color[k] / 255.0;
            c[k] = k < 3 ? v * v : v;
        }
        sdGlb_Print(p, json,
                    "%s{\"pbrMetallicRoughness\":{\"baseColorFactor\":[%.4f,%.4f,%.4f,%.4f],"
                    "\"metallicFactor\":0,\"roughnessFactor\":0.7}%s}",
                    i > 0 ? "," : ",\n\"materials\":[", c[0], c[1], c[2], c[3],
                    all[i].color[3] < 255 ? ",\"alphaMode\":\"BLEND\"" : "");
    }
    sdGlb_Print(p, json, "%s", p->materialCount > 0 ? "]" : "");
}

static void printMeshes(sdGlbParts* p, sdByteArray* json) {
    const sdGlbMesh* all = (const sdGlbMesh*)(const void*)p->meshList.data;
    const sdGlbGeometry* geometries = (const sdGlbGeometry*)(const void*)p->geometryList.data;
    for (int i = 0; i < p->meshCount; ++i) {
        const sdGlbGeometry* g = &geometries[all[i].geometry];
        sdGlb_Print(p, json,
                    "%s{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d},"
                    "\"indices\":%d,\"material\":%d}]}",
                    i > 0 ? "," : ",\n\"meshes\":[", g->position, g->normal, g->index,
                    all[i].material);
    }
    sdGlb_Print(p, json, "%s", p->meshCount > 0 ? "]" : "");
}

void sdGlbParts_PrintJson(sdGlbParts* p, const sdByteArray* samplers, const sdByteArray* channels,
                          sdByteArray* json) {
    sdVersion v = sdGetVersion();
    sdGlb_Print(p, json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"sudar %d.%d.%d\"}",
                v.major, v.minor, v.patch);
    sdGlb_Print(p, json, ",\n\"scene\":0,\"scenes\":[{\"name\":");
    printText(p, json, p->title);
    for (int i = p->firstBodyNode; i < p->nodeCount; ++i) {
        sdGlb_Print(p, json, "%s%d", i == p->firstBodyNode ? ",\"nodes\":[" : ",", i);
    }
    sdGlb_Print(p, json, "%s}]", p->nodeCount > p->firstBodyNode ? "]" : "");
    if (p->nodeCount > 0) {
        sdGlb_Print(p, json, ",\n\"nodes\":[");
        sdByteArray_Add(json, &p->context, p->nodes.data, p->nodes.count);
        sdGlb_Print(p, json, "%s", p->nodes.count > 0 && p->roots.count > 0 ? "," : "");
        sdByteArray_Add(json, &p->context, p->roots.data, p->roots.count);
        sdGlb_Print(p, json, "]");
    }
    printMeshes(p, json);
    printMaterials(p, json);
    addList(p, json, "accessors", &p->accessors);
    addList(p, json, "bufferViews", &p->views);
    if (p->bin.count > 0) {
        sdGlb_Print(p, json, ",\n\"buffers\":[{\"byteLength\":%zu}]", p->bin.count);
    }
    if (channels->count > 0) {
        sdGlb_Print(p, json, ",\n\"animations\":[{\"name\":\"motion\"");
        addList(p, json, "samplers", samplers);
        addList(p, json, "channels", channels);
        sdGlb_Print(p, json, "}]");
    }
    sdGlb_Print(p, json, "}");
}
