// SPDX-License-Identifier: MIT
// load_shapes.c - meshes and shapes of a scene file.
//
// Note: what the library might refuse is made twice: first with a log of our own, so that the words
//       of the refusal can be told with their place, and then for good with the user's, of which
//       the object keeps a copy. Distance fields take long and are refused only when they are asked
//       for, so those that are not are made once.

#include "scene_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_PATH 4096

static const sdJsonNode* at(const sdLoader* loader, int node) {
    return &loader->reader.json->nodes[node];
}

static void* allocate(const sdLoader* loader, size_t size) {
    const sdAllocator* allocator = &loader->file->context.allocator;
    return allocator->allocate(allocator->user, size > 0 ? size : 1, 16);
}

static void release(const sdLoader* loader, void* memory, size_t size) {
    const sdAllocator* allocator = &loader->file->context.allocator;
    if (memory != NULL) {
        allocator->release(allocator->user, memory, size > 0 ? size : 1);
    }
}

/// The library's refusal, at a value.
static bool failAt(sdLoader* loader, int node, const char* what, sdResult result) {
    return result == SD_ERROR_OUT_OF_MEMORY
               ? sdSceneReader_FailMemory(&loader->reader)
               : sdSceneReader_Fail(&loader->reader, node, "%s: %s", what,
                                    sdCapture_Reason(&loader->capture));
}

/// Hand over a reference to the file.
static bool own(sdLoader* loader, sdShape shape, bool isMesh) {
    sdOwned* owned = sdList_Add(&loader->file->owned, &loader->file->context.allocator);
    if (owned == NULL) {
        if (shape.type == SD_SHAPE_HULL) {
            sdHull_Release(shape.hull);
        } else if (shape.type == SD_SHAPE_COMPOUND) {
            sdCompound_Release(shape.compound);
        } else if (shape.concave != NULL) {
            sdConcave_Release(shape.concave);
        } else if (isMesh) {
            sdMesh_Release(shape.mesh);
        }
        return sdSceneReader_FailMemory(&loader->reader);
    }
    *owned = (sdOwned){shape, isMesh};
    return true;
}

/// Tell what a name stands for.
/// @return SD_NULL_INDEX after a fault
static int findName(sdLoader* loader, int node, const sdNames* names, const char* kind) {
    const char* name = sdJson_Text(loader->reader.json, node);
    int index = sdNames_Find(names, name);
    if (index == SD_NULL_INDEX) {
        const char* nearest = sdNames_Nearest(names, name);
        if (nearest != NULL) {
            sdSceneReader_Fail(&loader->reader, node, "there is no %s '%s'; did you mean '%s'?",
                               kind, name, nearest);
        } else {
            sdSceneReader_Fail(&loader->reader, node,
                               "there is no %s '%s' up to here; names must be given before they "
                               "are used",
                               kind, name);
        }
    }
    return index;
}

// ---- numbers -------------------------------------------------------------------------------

/// A flat list of points; `count` receives how many. To be released by the caller.
static sdVec3* readPoints(sdLoader* loader, int node, const char* name, int* count) {
    const sdKey key = {.name = name, .min = -1e18, .max = 1e18, .unit = SD_UNIT_LENGTH};
    int numbers = at(loader, node)->childCount;
    if (numbers == 0 || numbers % 3 != 0) {
        sdSceneReader_Fail(&loader->reader, node,
                           "'%s' wants x, y and z of each point, not %d numbers", name, numbers);
        return NULL;
    }
    float* out = allocate(loader, (size_t)numbers * sizeof(float));
    if (out == NULL) {
        sdSceneReader_FailMemory(&loader->reader);
        return NULL;
    }
    int i = 0;
    for (int child = at(loader, node)->firstChild; child != SD_NULL_INDEX;
         child = at(loader, child)->next) {
        double value;
        if (!sdSceneReader_Number(&loader->reader, child, &key, &value)) {
            release(loader, out, (size_t)numbers * sizeof(float));
            return NULL;
        }
        out[i++] = (float)value;
    }
    *count = numbers / 3;
    return (sdVec3*)(void*)out;
}

/// Three vertices for each triangle.
static int32_t* readTriangles(sdLoader* loader, int node, int vertexCount, int* count) {
    int numbers = at(loader, node)->childCount;
    if (numbers == 0 || numbers % 3 != 0) {
        sdSceneReader_Fail(&loader->reader, node,
                           "'triangles' wants three vertices for each, not %d numbers", numbers);
        return NULL;
    }
    int32_t* out = allocate(loader, (size_t)numbers * sizeof *out);
    if (out == NULL) {
        sdSceneReader_FailMemory(&loader->reader);
        return NULL;
    }
    int i = 0;
    for (int child = at(loader, node)->firstChild; child != SD_NULL_INDEX;
         child = at(loader, child)->next) {
        const sdJsonNode* value = at(loader, child);
        if (value->type != SD_JSON_NUMBER || floor(value->number) != value->number ||
            value->number < 0.0 || value->number >= (double)vertexCount) {
            sdSceneReader_Fail(&loader->reader, child,
                               "a vertex of a triangle is a whole number from 0 to %d",
                               vertexCount - 1);
            release(loader, out, (size_t)numbers * sizeof *out);
            return NULL;
        }
        out[i++] = (int32_t)value->number;
    }
    *count = numbers / 3;
    return out;
}

// ---- meshes --------------------------------------------------------------------------------

static bool makeInlineMesh(sdLoader* loader, int node, const sdMeshDoc* doc, sdMesh** out) {
    sdMeshDef def = sdMeshDef_Default();
    def.repairs = doc->repairs;
    def.weldDistance = doc->weldDistance;
    sdVec3* vertices = readPoints(loader, doc->vertices, "vertices", &def.data.vertexCount);
    if (vertices == NULL) {
        return false;
    }
    int32_t* triangles =
        readTriangles(loader, doc->triangles, def.data.vertexCount, &def.data.triangleCount);
    bool ok = triangles != NULL;
    if (ok) {
        def.data.vertices = vertices;
        def.data.triangles = triangles;
        sdMesh* trial = NULL;
        sdResult result = sdMesh_Create(&loader->capture.context, &def, &trial);
        sdMesh_Release(trial);
        result = result == SD_OK ? sdMesh_Create(&loader->file->context, &def, out) : result;
        ok = result == SD_OK || failAt(loader, node, "the mesh cannot be made", result);
    }
    release(loader, triangles, (size_t)def.data.triangleCount * 3 * sizeof *triangles);
    release(loader, vertices, (size_t)def.data.vertexCount * sizeof *vertices);
    return ok;
}

/// Seen from the folder of the scene file.
static bool joinPath(sdLoader* loader, int node, const char* path, char* out) {
    const char* slash = strrchr(loader->path, '/');
    int folder = path[0] == '/' || slash == NULL ? 0 : (int)(slash - loader->path) + 1;
    int length = snprintf(out, MAX_PATH, "%.*s%s", folder, loader->path, path);
    return (path[0] != '\0' && length < MAX_PATH) ||
           sdSceneReader_Fail(&loader->reader, node, "'path' is not the name of a file");
}

static bool makeFileMesh(sdLoader* loader, int node, const sdMeshDoc* doc, sdMesh** out) {
    char path[MAX_PATH], reason[256] = "";
    node = sdJson_Find(loader->reader.json, node, "path");
    if (!joinPath(loader, node, doc->path, path)) {
        return false;
    }
    if (loader->meshReader == NULL || loader->meshReader->read == NULL) {
        return sdSceneReader_Fail(&loader->reader, node,
                                  "meshes by path cannot be read here; give vertices and "
                                  "triangles, or a model");
    }
    sdMeshDef def = sdMeshDef_Default();
    def.repairs = doc->repairs;
    def.weldDistance = doc->weldDistance;
    sdResult result = loader->meshReader->read(loader->meshReader->user, &loader->file->context,
                                               path, &def, doc->scale, out, reason, sizeof reason);
    if (result == SD_ERROR_OUT_OF_MEMORY) {
        return sdSceneReader_FailMemory(&loader->reader);
    }
    return result == SD_OK ||
           sdSceneReader_Fail(&loader->reader, node, "%s: %s", path,
                              reason[0] != '\0' ? reason : sdResult_Text(result));
}

/// A mesh that the file owns.
static bool makeMesh(sdLoader* loader, int node, const sdMesh** out) {
    sdMeshDoc doc = {.scale = 1.0f, .vertices = SD_NULL_INDEX, .triangles = SD_NULL_INDEX};
    const sdTable* table;
    if (!sdSceneReader_Variant(&loader->reader, node, &sdMeshTable, &table)) {
        return false;
    }
    bool isModel = table == sdMeshTable.variants[0], isFile = table == sdMeshTable.variants[1];
    doc.repairs = isFile ? SD_MESH_REPAIR_ALL : 0;
    if (!sdSceneReader_Object(&loader->reader, node, table, &doc, NULL)) {
        return false;
    }
    sdMesh* mesh = NULL;
    bool ok;
    if (isModel) {
        sdResult result =
            sdModel_Create(&loader->file->context, (sdModelKind)doc.model, doc.size, &mesh);
        ok = result == SD_OK || failAt(loader, node, "the model cannot be made", result);
    } else {
        ok = isFile ? makeFileMesh(loader, node, &doc, &mesh)
                    : makeInlineMesh(loader, node, &doc, &mesh);
    }
    *out = mesh;
    return ok && own(loader, (sdShape){.type = SD_SHAPE_MESH, .mesh = mesh}, true);
}

static bool readMesh(sdLoader* loader, int node, const sdMesh** out) {
    if (at(loader, node)->type == SD_JSON_OBJECT) {
        return makeMesh(loader, node, out);
    }
    int index = findName(loader, node, &loader->file->meshNames, "mesh");
    if (index != SD_NULL_INDEX) {
        *out = ((const sdMesh**)(void*)loader->file->meshes.data)[index];
    }
    return index != SD_NULL_INDEX;
}

bool sdLoader_ReadMeshes(sdLoader* loader) {
    sdSceneFile* file = loader->file;
    int child = file->doc.meshes != SD_NULL_INDEX ? at(loader, file->doc.meshes)->firstChild
                                                  : SD_NULL_INDEX;
    for (; child != SD_NULL_INDEX; child = at(loader, child)->next) {
        const sdMesh* mesh = NULL;
        if (!makeMesh(loader, child, &mesh)) {
            return false;
        }
        const sdMesh** place = sdList_Add(&file->meshes, &file->context.allocator);
        if (place == NULL || !sdNames_Add(&file->meshNames, sdJson_Key(&file->json, child),
                                          file->meshes.count - 1)) {
            return sdSceneReader_FailMemory(&loader->reader);
        }
        *place = mesh;
    }
    return true;
}

// ---- shapes --------------------------------------------------------------------------------

static bool makeTriangle(sdLoader* loader, const sdShapeDoc* doc, sdShape* out) {
    int count = 0;
    sdVec3* v = readPoints(loader, doc->vertices, "vertices", &count);
    bool ok = v != NULL &&
              (count == 3 || sdSceneReader_Fail(&loader->reader, doc->vertices,
                                                "a triangle has nine numbers, not %d", 3 * count));
    if (ok) {
        *out = sdShape_Triangle(v[0], v[1], v[2]);
    }
    release(loader, v, (size_t)count * sizeof *v);
    return ok;
}

/// Times that a hull is built from its own vertices at the most; once was always enough.
#define MAX_REBUILDS 4

/// The hull that is built from the vertices alone, which are what is written of it. So what was
/// read from a file, is written and is read again is the same, bit by bit.
/// @param hull replaced
static sdResult rebuildHull(const sdContext* context, sdHull** hull) {
    sdResult result = SD_OK;
    int before = 0;
    for (int i = 0; i < MAX_REBUILDS && result == SD_OK; ++i) {
        sdHullDef def = sdHullDef_Default();
        def.points = sdHull_GetVertices(*hull, &def.pointCount);
        if (def.pointCount == before) {
            break;
        }
        before = def.pointCount;
        sdHull* next = NULL;
        result = sdHull_Create(context, &def, &next);
        if (result == SD_OK) {
            sdHull_Release(*hull);
            *hull = next;
        }
    }
    return result;
}

static bool makeHull(sdLoader* loader, int node, const sdShapeDoc* doc, sdShape* out) {
    if ((doc->points == SD_NULL_INDEX) == (doc->mesh == SD_NULL_INDEX)) {
        return sdSceneReader_Fail(&loader->reader, node,
                                  "a hull wants 'points' or 'mesh', one of "
                                  "them");
    }
    sdHullDef def = sdHullDef_Default();
    def.method = doc->method;
    def.maxVertexCount = doc->maxVertexCount;
    sdVec3* points = NULL;
    if (doc->points != SD_NULL_INDEX) {
        points = readPoints(loader, doc->points, "points", &def.pointCount);
        def.points = points;
        if (points == NULL) {
            return false;
        }
    } else {
        const sdMesh* mesh = NULL;
        if (!readMesh(loader, doc->mesh, &mesh)) {
            return false;
        }
        sdMeshData data = sdMesh_GetData(mesh);
        def.points = data.vertices;
        def.pointCount = data.vertexCount;
    }
    sdHull *trial = NULL, *hull = NULL;
    sdResult result = sdHull_Create(&loader->capture.context, &def, &trial);
    sdHull_Release(trial);
    result = result == SD_OK ? sdHull_Create(&loader->file->context, &def, &hull) : result;
    result = result == SD_OK ? rebuildHull(&loader->file->context, &hull) : result;
    release(loader, points, points != NULL ? (size_t)def.pointCount * sizeof *points : 0);
    *out = sdShape_Hull(hull);
    if (result != SD_OK) {
        sdHull_Release(hull);
    }
    return result == SD_OK ? own(loader, *out, false)
                           : failAt(loader, node, "the hull cannot be made", result);
}

static bool makeConcave(sdLoader* loader, int node, const sdShapeDoc* doc, sdShape* out) {
    const sdMesh* mesh = NULL;
    if (!readMesh(loader, doc->mesh, &mesh)) {
        return false;
    }
    const sdConcaveDef usual = sdConcaveDef_Default();
    sdConcave *trial = NULL, *concave = NULL;
    sdResult result = SD_OK;
    if (memcmp(&usual, &doc->concave, sizeof usual) != 0) {
        result = sdConcave_Create(&loader->capture.context, mesh, &doc->concave, &trial);
        sdConcave_Release(trial);
    }
    if (result == SD_OK) {
        result = sdConcave_Create(&loader->file->context, mesh, &doc->concave, &concave);
    }
    if (result != SD_OK) {
        return failAt(loader, node, "the shape cannot be made", result);
    }
    *out = sdShape_Concave(concave);
    return own(loader, *out, false);
}

/// A compound of hulls that come back to the bit.
static sdResult rebuildParts(sdLoader* loader, sdCompound** compound) {
    int count;
    const sdCompoundChild* parts = sdCompound_GetChildren(*compound, &count);
    size_t size = (size_t)count * sizeof(sdCompoundChild);
    sdCompoundChild* children = allocate(loader, size);
    if (children == NULL) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    sdResult result = SD_OK;
    int made = 0;
    for (; made < count && result == SD_OK; ++made) {
        sdHull* hull = (sdHull*)(uintptr_t)parts[made].shape.hull;
        sdHull_Retain(hull);
        result = rebuildHull(&loader->file->context, &hull);
        children[made] = (sdCompoundChild){sdShape_Hull(hull), parts[made].xf};
    }
    sdCompound* rebuilt = NULL;
    if (result == SD_OK) {
        result = sdCompound_Create(&loader->file->context, children, count, &rebuilt);
    }
    for (int i = 0; i < made; ++i) {
        sdHull_Release(children[i].shape.hull);
    }
    release(loader, children, size);
    if (result == SD_OK) {
        sdCompound_Release(*compound);
        *compound = rebuilt;
    }
    return result;
}

static bool makeParts(sdLoader* loader, int node, const sdShapeDoc* doc, sdShape* out) {
    const sdMesh* mesh = NULL;
    if (!readMesh(loader, doc->mesh, &mesh)) {
        return false;
    }
    sdCompound *trial = NULL, *compound = NULL;
    sdResult result =
        sdMesh_Decompose(&loader->capture.context, mesh, &doc->decompose, &trial, NULL);
    sdCompound_Release(trial);
    if (result == SD_OK) {
        result = sdMesh_Decompose(&loader->file->context, mesh, &doc->decompose, &compound, NULL);
    }
    if (result == SD_OK) {
        result = rebuildParts(loader, &compound);
    }
    if (result != SD_OK) {
        sdCompound_Release(compound);
        return failAt(loader, node, "the parts cannot be made", result);
    }
    *out = sdShape_Compound(compound);
    return own(loader, *out, false);
}

static bool makeShape(sdLoader* loader, int node, bool isChild, sdShape* out);

static bool readShape(sdLoader* loader, int node, bool isChild, sdShape* out) {
    if (at(loader, node)->type == SD_JSON_OBJECT) {
        return makeShape(loader, node, isChild, out);
    }
    int index = findName(loader, node, &loader->file->shapeNames, "shape");
    if (index != SD_NULL_INDEX) {
        *out = ((sdShape*)(void*)loader->file->shapes.data)[index];
    }
    return index != SD_NULL_INDEX;
}

static bool readChild(sdLoader* loader, int node, sdCompoundChild* out) {
    sdChildDoc doc = {.shape = SD_NULL_INDEX, .xf = sdTransform_Identity()};
    if (!sdSceneReader_Object(&loader->reader, node, &sdChildTable, &doc, NULL) ||
        !readShape(loader, doc.shape, true, &out->shape)) {
        return false;
    }
    out->xf = doc.xf;
    return (out->shape.type != SD_SHAPE_COMPOUND && out->shape.type != SD_SHAPE_HALF_SPACE) ||
           sdSceneReader_Fail(&loader->reader, doc.shape,
                              "a child of a compound cannot be a %s; put its shapes here",
                              sdShapeType_Name(out->shape.type));
}

static bool makeCompound(sdLoader* loader, int node, const sdShapeDoc* doc, sdShape* out) {
    int count = at(loader, doc->children)->childCount, i = 0;
    size_t size = (size_t)count * sizeof(sdCompoundChild);
    sdCompoundChild* children = allocate(loader, size);
    if (children == NULL) {
        return sdSceneReader_FailMemory(&loader->reader);
    }
    bool ok = true;
    for (int child = at(loader, doc->children)->firstChild; child != SD_NULL_INDEX && ok;
         child = at(loader, child)->next) {
        ok = readChild(loader, child, &children[i++]);
    }
    sdResult result = SD_OK;
    sdCompound *trial = NULL, *compound = NULL;
    if (ok) {
        result = sdCompound_Create(&loader->capture.context, children, count, &trial);
        sdCompound_Release(trial);
    }
    if (ok && result == SD_OK) {
        result = sdCompound_Create(&loader->file->context, children, count, &compound);
    }
    release(loader, children, size);
    if (!ok || result != SD_OK) {
        return ok ? failAt(loader, node, "the compound cannot be made", result) : false;
    }
    *out = sdShape_Compound(compound);
    return own(loader, *out, false);
}

/// @param isChild of a compound, which ends what stands in each other
static bool makeShape(sdLoader* loader, int node, bool isChild, sdShape* out) {
    sdShapeDoc doc;
    // also what lies between, for comparing as bytes
    memset(&doc, 0, sizeof doc);
    doc.vertices = doc.points = doc.mesh = doc.children = SD_NULL_INDEX;
    doc.concave = sdConcaveDef_Default();
    doc.decompose = sdDecomposeDef_Default();
    const sdTable* table;
    if (!sdSceneReader_Variant(&loader->reader, node, &sdShapeTable, &table) ||
        !sdSceneReader_Object(&loader->reader, node, table, &doc, NULL)) {
        return false;
    }
    static const struct {
        const char* id;
        sdShapeType type;
    } simple[] = {{"sphere", SD_SHAPE_SPHERE}, {"capsule", SD_SHAPE_CAPSULE},
                  {"box", SD_SHAPE_BOX},       {"cylinder", SD_SHAPE_CYLINDER},
                  {"cone", SD_SHAPE_CONE},     {"half-space", SD_SHAPE_HALF_SPACE}};
    for (size_t i = 0; i < sizeof simple / sizeof simple[0]; ++i) {
        if (strcmp(simple[i].id, table->id) == 0) {
            *out = doc.shape;
            out->type = simple[i].type;
            return true;
        }
    }
    if (strcmp(table->id, "triangle") == 0) {
        return makeTriangle(loader, &doc, out);
    }
    if (strcmp(table->id, "hull") == 0) {
        return makeHull(loader, node, &doc, out);
    }
    if (strcmp(table->id, "concave") == 0) {
        return makeConcave(loader, node, &doc, out);
    }
    if (strcmp(table->id, "mesh") == 0) {
        const sdMesh* mesh = NULL;
        bool ok = readMesh(loader, doc.mesh, &mesh);
        *out = (sdShape){.type = SD_SHAPE_MESH, .mesh = mesh};
        return ok;
    }
    if (isChild) {
        return sdSceneReader_Fail(&loader->reader, node,
                                  "a child of a compound cannot be a compound; put its shapes "
                                  "here");
    }
    return strcmp(table->id, "compound") == 0 ? makeCompound(loader, node, &doc, out)
                                              : makeParts(loader, node, &doc, out);
}

bool sdLoader_ReadShape(sdLoader* loader, int node, sdShape* out) {
    return readShape(loader, node, false, out);
}

bool sdLoader_ReadShapes(sdLoader* loader) {
    sdSceneFile* file = loader->file;
    int child = file->doc.shapes != SD_NULL_INDEX ? at(loader, file->doc.shapes)->firstChild
                                                  : SD_NULL_INDEX;
    for (; child != SD_NULL_INDEX; child = at(loader, child)->next) {
        sdShape shape;
        if (!makeShape(loader, child, false, &shape)) {
            return false;
        }
        sdShape* place = sdList_Add(&file->shapes, &file->context.allocator);
        if (place == NULL || !sdNames_Add(&file->shapeNames, sdJson_Key(&file->json, child),
                                          file->shapes.count - 1)) {
            return sdSceneReader_FailMemory(&loader->reader);
        }
        *place = shape;
    }
    return true;
}
