// SPDX-License-Identifier: MIT
// load.c - a scene file from its text to something that can be built.
//
// In:   text.
// Out:  an sdSceneFile that has been built once to see that it can be; or place and reason.

#include "scene_file.h"

#include <stdio.h>
#include <string.h>

#define VERSION 1

// ---- lists ---------------------------------------------------------------------------------

void* sdList_Add(sdList* list, const sdAllocator* allocator) {
    if (list->count == list->capacity) {
        int capacity = list->capacity == 0 ? 16 : 2 * list->capacity;
        char* data = allocator->allocate(allocator->user, (size_t)capacity * list->itemSize, 16);
        if (data == NULL) {
            return NULL;
        }
        if (list->data != NULL) {
            memcpy(data, list->data, (size_t)list->count * list->itemSize);
            allocator->release(allocator->user, list->data,
                               (size_t)list->capacity * list->itemSize);
        }
        list->data = data;
        list->capacity = capacity;
    }
    return list->data + (size_t)list->count++ * list->itemSize;
}

void sdList_Free(sdList* list, const sdAllocator* allocator) {
    if (list->data != NULL) {
        allocator->release(allocator->user, list->data, (size_t)list->capacity * list->itemSize);
    }
    *list = (sdList){.itemSize = list->itemSize};
}

// ---- words of the library ------------------------------------------------------------------

static void keepText(void* user, sdLogLevel level, const char* text) {
    sdCapture* capture = user;
    if (level == SD_LOG_ERROR) {
        snprintf(capture->text, sizeof capture->text, "%s", text);
    }
}

void sdCapture_Init(sdCapture* capture, const sdContext* context) {
    capture->context = *context;
    capture->context.logger = (sdLogger){keepText, capture};
    capture->text[0] = '\0';
}

const char* sdCapture_Reason(sdCapture* capture) {
    char* advice = strstr(capture->text, "; start from sd");
    if (advice != NULL) {
        *advice = '\0';
    }
    const char* colon = strstr(capture->text, ": ");
    return strncmp(capture->text, "sd", 2) == 0 && colon != NULL ? colon + 2 : capture->text;
}

// ---- parts of the document -----------------------------------------------------------------

static const sdJsonNode* at(const sdLoader* loader, int node) {
    return &loader->reader.json->nodes[node];
}

static int firstOf(const sdLoader* loader, int node) {
    return node != SD_NULL_INDEX ? at(loader, node)->firstChild : SD_NULL_INDEX;
}

static bool readRoot(sdLoader* loader) {
    sdSceneFile* file = loader->file;
    sdSceneInfo usual = sdSceneInfo_Default();
    sdSceneDoc* doc = &file->doc;
    *doc = (sdSceneDoc){.name = "",
                        .title = "",
                        .text = "",
                        .settings = sdWorldDef_Default(),
                        .materials = SD_NULL_INDEX,
                        .meshes = SD_NULL_INDEX,
                        .shapes = SD_NULL_INDEX,
                        .bodies = SD_NULL_INDEX,
                        .joints = SD_NULL_INDEX};
    doc->recording.dt = usual.dt;
    doc->recording.steps = usual.stepCount;
    // another version explains everything else that looks wrong, so it comes first
    int version = sdJson_Find(&file->json, 0, "sudar");
    if (version != SD_NULL_INDEX && at(loader, version)->type == SD_JSON_NUMBER &&
        at(loader, version)->number > VERSION) {
        sdSceneReader_Fail(&loader->reader, version,
                           "this is version %g of the format, and this program reads version %d",
                           at(loader, version)->number, VERSION);
        loader->reader.result = SD_ERROR_VERSION;
        return false;
    }
    uint64_t given;
    if (!sdSceneReader_Object(&loader->reader, 0, &sdSceneTable, doc, &given)) {
        return false;
    }
    file->info = (sdSceneInfo){
        .name = doc->name,
        .title = doc->title,
        .text = doc->text,
        .dt = doc->recording.dt,
        .stepCount = doc->recording.steps,
        .hasCamera = (given >> sdTable_Find(&sdSceneTable, "camera") & 1) != 0,
        .eye = doc->camera.eye,
        .target = doc->camera.target,
    };
    return !file->info.hasCamera || sdLength(sdSub(doc->camera.eye, doc->camera.target)) > 0.0f ||
           sdSceneReader_Fail(&loader->reader, sdJson_Find(&file->json, 0, "camera"),
                              "eye and target of the camera are the same place");
}

/// A material that is only said to be slippery slides as easily.
static bool readMaterialObject(sdLoader* loader, int node, sdMaterial* out) {
    uint64_t given;
    if (!sdSceneReader_Object(&loader->reader, node, &sdMaterialTable, out, &given)) {
        return false;
    }
    if ((given >> sdTable_Find(&sdMaterialTable, "slidingFriction") & 1) == 0) {
        out->slidingFriction = sdMinF(out->slidingFriction, out->staticFriction);
    }
    return true;
}

static bool readMaterials(sdLoader* loader) {
    sdSceneFile* file = loader->file;
    for (int child = firstOf(loader, file->doc.materials); child != SD_NULL_INDEX;
         child = at(loader, child)->next) {
        sdMaterial material = sdMaterial_Default();
        if (!readMaterialObject(loader, child, &material)) {
            return false;
        }
        sdMaterial* place = sdList_Add(&file->materials, &file->context.allocator);
        if (place == NULL || !sdNames_Add(&file->materialNames, sdJson_Key(&file->json, child),
                                          file->materials.count - 1)) {
            return sdSceneReader_FailMemory(&loader->reader);
        }
        *place = material;
    }
    return true;
}

static bool readMaterial(sdLoader* loader, int node, sdMaterial* out) {
    sdSceneFile* file = loader->file;
    if (at(loader, node)->type == SD_JSON_OBJECT) {
        return readMaterialObject(loader, node, out);
    }
    const char* name = sdJson_Text(&file->json, node);
    int index = sdNames_Find(&file->materialNames, name);
    if (index == SD_NULL_INDEX) {
        const char* nearest = sdNames_Nearest(&file->materialNames, name);
        return nearest != NULL
                   ? sdSceneReader_Fail(&loader->reader, node,
                                        "there is no material '%s'; did you mean '%s'?", name,
                                        nearest)
                   : sdSceneReader_Fail(&loader->reader, node,
                                        "there is no material '%s'; give it in 'materials', or "
                                        "write it here as an object",
                                        name);
    }
    *out = ((sdMaterial*)(void*)file->materials.data)[index];
    return true;
}

static bool readFixture(sdLoader* loader, int node, bool isDynamic) {
    sdSceneFile* file = loader->file;
    sdFixtureDoc doc = {.shape = SD_NULL_INDEX, .material = SD_NULL_INDEX};
    doc.def = sdShapeDef_Default(sdShape_Sphere(0.0f));
    if (!sdSceneReader_Object(&loader->reader, node, &sdFixtureTable, &doc, NULL) ||
        !sdLoader_ReadShape(loader, doc.shape, &doc.def.shape) ||
        (doc.material != SD_NULL_INDEX && !readMaterial(loader, doc.material, &doc.def.material))) {
        return false;
    }
    const sdShape* shape = &doc.def.shape;
    if (isDynamic && shape->type == SD_SHAPE_HALF_SPACE) {
        return sdSceneReader_Fail(&loader->reader, doc.shape,
                                  "a half-space cannot be on a dynamic body; make it static");
    }
    if (isDynamic && shape->type == SD_SHAPE_MESH && shape->concave == NULL) {
        return sdSceneReader_Fail(&loader->reader, doc.shape,
                                  "a plain mesh cannot be on a dynamic body; the type 'concave' "
                                  "makes one that may move");
    }
    sdFileFixture* fixture = sdList_Add(&file->fixtures, &file->context.allocator);
    if (fixture == NULL) {
        return sdSceneReader_FailMemory(&loader->reader);
    }
    *fixture = (sdFileFixture){doc.def, node};
    return true;
}

static bool readBody(sdLoader* loader, int node) {
    sdSceneFile* file = loader->file;
    sdFileBody body = {.node = node, .firstFixture = file->fixtures.count};
    body.doc.def = sdBodyDef_Default();
    body.doc.isEnabled = true;
    body.doc.shapes = SD_NULL_INDEX;
    uint64_t given;
    if (!sdSceneReader_Object(&loader->reader, node, &sdBodyTable, &body.doc, &given)) {
        return false;
    }
    body.hasMass = (given >> sdTable_Find(&sdBodyTable, "mass") & 1) != 0;
    for (int child = firstOf(loader, body.doc.shapes); child != SD_NULL_INDEX;
         child = at(loader, child)->next) {
        if (!readFixture(loader, child, body.doc.def.type == SD_BODY_DYNAMIC)) {
            return false;
        }
    }
    body.fixtureCount = file->fixtures.count - body.firstFixture;
    const char* name = body.doc.name;
    int first = name != NULL ? sdNames_Find(&file->bodyNames, name) : SD_NULL_INDEX;
    if (first != SD_NULL_INDEX) {
        return sdSceneReader_Fail(&loader->reader, sdJson_Find(&file->json, node, "name"),
                                  "two bodies have the name '%s'; give one of them another", name);
    }
    sdFileBody* place = sdList_Add(&file->bodies, &file->context.allocator);
    if (place == NULL ||
        (name != NULL && !sdNames_Add(&file->bodyNames, name, file->bodies.count - 1))) {
        return sdSceneReader_FailMemory(&loader->reader);
    }
    *place = body;
    return true;
}

// ---- joints --------------------------------------------------------------------------------

static bool findBody(sdLoader* loader, int node, uint32_t* out) {
    sdSceneFile* file = loader->file;
    const sdJsonNode* value = at(loader, node);
    if (value->type == SD_JSON_NUMBER) {
        bool isGood = value->number >= 0.0 && value->number < (double)file->bodies.count &&
                      (double)(int)value->number == value->number;
        *out = isGood ? (uint32_t)value->number : 0;
        return isGood || sdSceneReader_Fail(&loader->reader, node,
                                            "there is no body %s; they are counted from 0 to %d",
                                            sdJson_Text(&file->json, node), file->bodies.count - 1);
    }
    const char* name = sdJson_Text(&file->json, node);
    int index = sdNames_Find(&file->bodyNames, name);
    if (index == SD_NULL_INDEX) {
        const char* nearest = sdNames_Nearest(&file->bodyNames, name);
        return nearest != NULL
                   ? sdSceneReader_Fail(&loader->reader, node,
                                        "there is no body '%s'; did you mean '%s'?", name, nearest)
                   : sdSceneReader_Fail(&loader->reader, node,
                                        "there is no body '%s'; give one this 'name'", name);
    }
    *out = (uint32_t)index;
    return true;
}

/// Numbers that would be given in vain are a mistake.
static bool checkAxis(sdLoader* loader, int node, const sdJointAxis* axis) {
    static const struct {
        const char* key;
        bool isLimit;
    } keys[] = {{"lower", true},     {"upper", true},      {"target", false},
                {"maxForce", false}, {"frequency", false}, {"dampingRatio", false}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
        int value = sdJson_Find(loader->reader.json, node, keys[i].key);
        bool isInVain =
            keys[i].isLimit ? axis->mode != SD_AXIS_LIMITED : axis->drive == SD_DRIVE_NONE;
        if (value != SD_NULL_INDEX && isInVain) {
            return sdSceneReader_Fail(
                &loader->reader, value, "'%s' does nothing here; add %s", keys[i].key,
                keys[i].isLimit ? "\"mode\": \"limited\"" : "a 'drive': motor, spring or friction");
        }
    }
    return true;
}

static bool checkAxes(sdLoader* loader, int node, const sdJointAxis* axes) {
    static const char* const names[SD_AXIS_COUNT] = {"moveX", "moveY", "moveZ",
                                                     "turnX", "turnY", "turnZ"};
    for (int i = 0; i < SD_AXIS_COUNT && node != SD_NULL_INDEX; ++i) {
        int axis = sdJson_Find(loader->reader.json, node, names[i]);
        if (axis != SD_NULL_INDEX && !checkAxis(loader, axis, &axes[i])) {
            return false;
        }
    }
    return true;
}

/// Either frames, or an anchor.
static bool checkFrames(sdLoader* loader, int node, bool hasAnchor) {
    const sdJson* json = loader->reader.json;
    int frame = sdJson_Find(json, node, "frameA");
    frame = frame != SD_NULL_INDEX ? frame : sdJson_Find(json, node, "frameB");
    if (hasAnchor && frame != SD_NULL_INDEX) {
        return sdSceneReader_Fail(&loader->reader, frame,
                                  "frames are in the way of 'anchor'; give one or the other");
    }
    int axis = sdJson_Find(json, node, "axis");
    return hasAnchor || axis == SD_NULL_INDEX ||
           sdSceneReader_Fail(&loader->reader, axis, "'axis' does nothing without 'anchor'");
}

static bool readJoint(sdLoader* loader, int node) {
    sdSceneFile* file = loader->file;
    sdJointDoc doc = {.bodyA = SD_NULL_INDEX, .bodyB = SD_NULL_INDEX, .axis = {1.0f, 0.0f, 0.0f}};
    // once for the kind, which decides what is usual, and once for what differs
    doc.def = sdJointDef_Make(SD_JOINT_BALL, 0, 0);
    uint64_t given;
    if (!sdSceneReader_Object(&loader->reader, node, &sdJointTable, &doc, &given)) {
        return false;
    }
    doc.def = sdJointDef_Make(doc.def.type, 0, 0);
    sdSceneReader_Object(&loader->reader, node, &sdJointTable, &doc, &given);
    sdFileJoint joint = {.def = doc.def,
                         .anchor = doc.anchor,
                         .axis = doc.axis,
                         .node = node,
                         .hasAnchor = (given >> sdTable_Find(&sdJointTable, "anchor") & 1) != 0};
    if (!findBody(loader, doc.bodyA, &joint.def.bodyA) ||
        !findBody(loader, doc.bodyB, &joint.def.bodyB) ||
        !checkFrames(loader, node, joint.hasAnchor) ||
        !checkAxes(loader, sdJson_Find(&file->json, node, "axes"), doc.def.axes)) {
        return false;
    }
    sdFileJoint* place = sdList_Add(&file->joints, &file->context.allocator);
    if (place == NULL) {
        return sdSceneReader_FailMemory(&loader->reader);
    }
    *place = joint;
    return true;
}

// ---- the whole -----------------------------------------------------------------------------

static bool readAll(sdLoader* loader) {
    sdSceneFile* file = loader->file;
    if (!readRoot(loader) || !readMaterials(loader) || !sdLoader_ReadMeshes(loader) ||
        !sdLoader_ReadShapes(loader)) {
        return false;
    }
    for (int child = firstOf(loader, file->doc.bodies); child != SD_NULL_INDEX;
         child = at(loader, child)->next) {
        if (!readBody(loader, child)) {
            return false;
        }
    }
    for (int child = firstOf(loader, file->doc.joints); child != SD_NULL_INDEX;
         child = at(loader, child)->next) {
        if (!readJoint(loader, child)) {
            return false;
        }
    }
    return sdLoader_TryBuild(loader);
}

static sdSceneFile* makeFile(const sdContext* context) {
    sdSceneFile* file = context->allocator.allocate(context->allocator.user, sizeof *file, 16);
    if (file != NULL) {
        *file = (sdSceneFile){.context = *context,
                              .owned = {.itemSize = sizeof(sdOwned)},
                              .materials = {.itemSize = sizeof(sdMaterial)},
                              .meshes = {.itemSize = sizeof(sdMesh*)},
                              .shapes = {.itemSize = sizeof(sdShape)},
                              .bodies = {.itemSize = sizeof(sdFileBody)},
                              .fixtures = {.itemSize = sizeof(sdFileFixture)},
                              .joints = {.itemSize = sizeof(sdFileJoint)}};
        file->json.context = *context;
        sdNames_Init(&file->materialNames, &context->allocator);
        sdNames_Init(&file->meshNames, &context->allocator);
        sdNames_Init(&file->shapeNames, &context->allocator);
        sdNames_Init(&file->bodyNames, &context->allocator);
    }
    return file;
}

static void logFault(const sdContext* context, const char* path, const sdFault* fault) {
    char text[1024];
    sdFault_Describe(fault, path, text, sizeof text);
    if (context->logger.log != NULL) {
        context->logger.log(context->logger.user, SD_LOG_ERROR, text);
    }
}

sdResult sdSceneFile_Parse(const sdContext* context, const char* path, const char* text,
                           size_t length, const sdMeshReader* reader, sdSceneFile** out,
                           sdFault* fault) {
    sdContext own = context != NULL ? *context : sdContext_Default();
    sdFault unseen;
    sdFault* seen = fault != NULL ? fault : &unseen;
    *seen = (sdFault){.line = 0};
    if (out != NULL) {
        *out = NULL;
    }
    if (path == NULL || text == NULL || out == NULL) {
        snprintf(seen->text, sizeof seen->text, "path, text and out must not be NULL");
        return SD_ERROR_INVALID_ARGUMENT;
    }
    sdSceneFile* file = makeFile(&own);
    sdResult result =
        file != NULL ? sdJson_Read(&own, text, length, &file->json, seen) : SD_ERROR_OUT_OF_MEMORY;
    if (result == SD_OK) {
        sdLoader loader = {
            .reader = {&file->json, seen, SD_OK}, .file = file, .path = path, .meshReader = reader};
        sdCapture_Init(&loader.capture, &own);
        readAll(&loader);
        result = loader.reader.result;
    }
    if (result != SD_OK) {
        sdSceneFile_Destroy(file);
        if (fault == NULL) {
            logFault(&own, path, seen);
        }
        return result;
    }
    *out = file;
    return SD_OK;
}

void sdSceneFile_Destroy(sdSceneFile* file) {
    if (file == NULL) {
        return;
    }
    const sdOwned* owned = (const sdOwned*)(void*)file->owned.data;
    for (int i = 0; i < file->owned.count; ++i) {
        const sdShape* shape = &owned[i].shape;
        if (shape->type == SD_SHAPE_HULL) {
            sdHull_Release(shape->hull);
        } else if (shape->type == SD_SHAPE_COMPOUND) {
            sdCompound_Release(shape->compound);
        } else if (owned[i].isMesh) {
            sdMesh_Release(shape->mesh);
        } else {
            sdConcave_Release(shape->concave);
        }
    }
    sdAllocator allocator = file->context.allocator;
    sdList* lists[] = {&file->owned,  &file->materials, &file->meshes, &file->shapes,
                       &file->bodies, &file->fixtures,  &file->joints};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; ++i) {
        sdList_Free(lists[i], &allocator);
    }
    sdNames_Free(&file->materialNames);
    sdNames_Free(&file->meshNames);
    sdNames_Free(&file->shapeNames);
    sdNames_Free(&file->bodyNames);
    sdJson_Free(&file->json);
    allocator.release(allocator.user, file, sizeof *file);
}

// ---- files ---------------------------------------------------------------------------------

/// The whole of a file.
static sdResult readFile(const sdContext* context, const char* path, char** out, size_t* size,
                         sdFault* fault) {
    FILE* stream = fopen(path, "rb");
    long length = -1;
    if (stream != NULL && fseek(stream, 0, SEEK_END) == 0) {
        length = ftell(stream);
    }
    if (length < 0 || length > SD_JSON_MAX_SIZE || fseek(stream, 0, SEEK_SET) != 0) {
        snprintf(fault->text, sizeof fault->text,
                 stream == NULL ? "there is no such file, or it may not be read"
                                : "it is a folder, or larger than 1 GiB");
        if (stream != NULL) {
            fclose(stream);
        }
        return SD_ERROR_IO;
    }
    *size = (size_t)length;
    *out = context->allocator.allocate(context->allocator.user, *size + 1, 16);
    size_t got = *out != NULL ? fread(*out, 1, *size, stream) : 0;
    fclose(stream);
    if (*out == NULL) {
        snprintf(fault->text, sizeof fault->text, "there is no memory for it");
        return SD_ERROR_OUT_OF_MEMORY;
    }
    if (got != *size) {
        context->allocator.release(context->allocator.user, *out, *size + 1);
        snprintf(fault->text, sizeof fault->text, "it cannot be read to its end");
        return SD_ERROR_IO;
    }
    return SD_OK;
}

sdResult sdSceneFile_Load(const sdContext* context, const char* path, const sdMeshReader* reader,
                          sdSceneFile** out, sdFault* fault) {
    sdContext own = context != NULL ? *context : sdContext_Default();
    sdFault unseen = {.line = 0};
    char* text = NULL;
    size_t size = 0;
    if (out != NULL) {
        *out = NULL;
    }
    if (path == NULL || out == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    if (fault != NULL) {
        *fault = unseen;
    }
    sdResult result = readFile(&own, path, &text, &size, fault != NULL ? fault : &unseen);
    if (result != SD_OK) {
        if (fault == NULL) {
            logFault(&own, path, &unseen);
        }
        return result;
    }
    result = sdSceneFile_Parse(&own, path, text, size, reader, out, fault);
    own.allocator.release(own.allocator.user, text, size + 1);
    return result;
}

int sdFault_Describe(const sdFault* fault, const char* file, char* out, size_t size) {
    return fault->line > 0
               ? snprintf(out, size, "%s:%d:%d: %s", file, fault->line, fault->column, fault->text)
               : snprintf(out, size, "%s: %s", file, fault->text);
}

// ---- asking --------------------------------------------------------------------------------

sdSceneInfo sdSceneInfo_Default(void) {
    return (sdSceneInfo){.name = "", .title = "", .text = "", .dt = 1.0f / 60.0f, .stepCount = 600};
}

const sdSceneInfo* sdSceneFile_GetInfo(const sdSceneFile* file) {
    return &file->info;
}

const sdWorldDef* sdSceneFile_GetWorldDef(const sdSceneFile* file) {
    return &file->doc.settings;
}

int sdSceneFile_GetBodyCount(const sdSceneFile* file) {
    return file->bodies.count;
}

int sdSceneFile_GetJointCount(const sdSceneFile* file) {
    return file->joints.count;
}

int sdSceneFile_FindBody(const sdSceneFile* file, const char* name) {
    return sdNames_Find(&file->bodyNames, name);
}
