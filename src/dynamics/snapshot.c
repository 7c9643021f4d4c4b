// SPDX-License-Identifier: MIT
// snapshot.c - a world as a flat image, and back.
//
// In:   a world between steps.
// Out:  all that the next steps depend on, in the order of listParts: the one place that knows.
// Note: arrays go into the image as they are. Only what has addresses needs a second look:
//       contacts with many patches, and shapes with a hull, mesh or compound. A restore takes all
//       memory first; after that nothing can fail.

#include "dynamics/snapshot.h"

#include "base/hash.h"
#include "broadphase/broadphase_image.h"
#include "dynamics/fixture.h"
#include "dynamics/world.h"

/// Parts that are looked at one by one; they come first.
enum { PART_FIXTURES, PART_CONTACTS, PART_PATCHES, PART_OBJECTS, PART_DEF };

/// What a hull, mesh or compound must have so that a reader takes it for the same.
typedef struct ObjectMark {
    uint32_t type;
    uint32_t vertexCount;
    uint32_t faceCount; ///< triangles of a mesh, children of a compound
    sdAABB bounds;
} ObjectMark;

// ---- what belongs to a world ---------------------------------------------------------------

static bool hasObject(const sdShape* shape) {
    return shape->type == SD_SHAPE_HULL || shape->type == SD_SHAPE_MESH ||
           shape->type == SD_SHAPE_COMPOUND;
}

static int countPatches(const sdWorld* world) {
    int count = 0;
    for (int i = 0; i < world->contacts.count; ++i) {
        const sdContact* contact = &world->contacts.data[i];
        bool isLive = sdBitSet_Test(&world->contactPool.taken, i);
        count += isLive && contact->many.data != NULL ? contact->patchCount : 0;
    }
    return count;
}

static int countObjects(const sdWorld* world) {
    int count = 0;
    for (int i = 0; i < world->fixtures.count; ++i) {
        bool isLive = sdIdPool_GetId(&world->fixturePool, i) != SD_NULL_ID;
        count += isLive && hasObject(&world->fixtures.data[i].def.shape) ? 1 : 0;
    }
    return count;
}

/// Everything. Whoever adds a field to a world that lives longer than a step adds it here.
/// @return the first part of the broad phase
static int listParts(sdWorld* world, sdImageList* list) {
    list->count = 0;
    SD_IMAGE_ARRAY(list, world->fixtures);
    SD_IMAGE_ARRAY(list, world->contacts);
    sdImageList_Add(list, (sdImagePart){.name = "patches", .itemSize = (int)sizeof(sdPatch)});
    sdImageList_Add(list, (sdImagePart){.name = "objects", .itemSize = (int)sizeof(ObjectMark)});
    SD_IMAGE_VALUE(list, world->def);
    SD_IMAGE_VALUE(list, world->time);
    SD_IMAGE_VALUE(list, world->attempt);
    SD_IMAGE_VALUE(list, world->attemptDt);
    SD_IMAGE_VALUE(list, world->published);
    SD_IMAGE_VALUE(list, world->hasMissingPairs);
    SD_IMAGE_VALUE(list, world->missing);
    SD_IMAGE_IDS(list, world->bodyPool);
    SD_IMAGE_IDS(list, world->fixturePool);
    SD_IMAGE_IDS(list, world->jointPool);
    SD_IMAGE_ARRAY(list, world->joints);
    SD_IMAGE_ARRAY(list, world->bodies);
    SD_IMAGE_ARRAY(list, world->reaches);
    SD_IMAGE_ARRAY(list, world->boxes);
    SD_IMAGE_VALUE(list, world->lastDt);
    SD_IMAGE_VALUE(list, world->hasOldBoxes);
    SD_IMAGE_SLOTS(list, world->pairPool);
    SD_IMAGE_ARRAY(list, world->pairs);
    SD_IMAGE_BITS(list, world->awakeBodies);
    SD_IMAGE_BITS(list, world->activePairs);
    SD_IMAGE_BITS(list, world->activeJoints);
    SD_IMAGE_ARRAY(list, world->bodyList);
    SD_IMAGE_ARRAY(list, world->pairList);
    SD_IMAGE_ARRAY(list, world->flood);
    SD_IMAGE_SLOTS(list, world->contactPool);
    SD_IMAGE_ARRAY(list, world->begin);
    SD_IMAGE_ARRAY(list, world->end);
    SD_IMAGE_ARRAY(list, world->sensorBegin);
    SD_IMAGE_ARRAY(list, world->sensorEnd);
    SD_IMAGE_ARRAY(list, world->lateEnd);
    SD_IMAGE_ARRAY(list, world->lateSensorEnd);
    SD_IMAGE_ARRAY(list, world->broken);
    SD_IMAGE_VALUE(list, world->stats);
    // not: context, isLocked, callbacks, arena; `changes` is made from the broad phase's lists
    return sdBroadphase_ListParts(world->broadphase, list);
}

// ---- snapshots -----------------------------------------------------------------------------

sdResult sdSnapshot_Create(const sdContext* context, sdSnapshot** out) {
    if (out != NULL) {
        *out = NULL;
    }
    sdContext own;
    sdResult result = sdContext_Resolve(context, &own);
    if (result != SD_OK) {
        return result;
    }
    if (out == NULL) {
        return sdFail(&own, SD_ERROR_INVALID_ARGUMENT, "sdSnapshot_Create: out must not be NULL");
    }
    sdSnapshot* snapshot = sdAllocZero(&own.allocator, sizeof *snapshot);
    if (snapshot == NULL) {
        return sdFailMemory(&own, "sdSnapshot_Create", sizeof *snapshot);
    }
    snapshot->context = own;
    *out = snapshot;
    return SD_OK;
}

void sdSnapshot_Destroy(sdSnapshot* snapshot) {
    if (snapshot == NULL) {
        return;
    }
    sdContext context = snapshot->context;
    sdSnapshot_TakeObjects(snapshot, NULL, 0);
    sdShapeArray_Free(&snapshot->objects, &context.allocator);
    sdFree(&context.allocator, snapshot->image, snapshot->capacity);
    sdFree(&context.allocator, snapshot, sizeof *snapshot);
}

bool sdSnapshot_Reserve(sdSnapshot* snapshot, size_t size) {
    if (size <= snapshot->capacity) {
        return true;
    }
    // worlds grow little by little
    size_t capacity = size + size / 8;
    void* image = sdAlloc(&snapshot->context.allocator, capacity);
    if (image == NULL) {
        return false;
    }
    if (snapshot->size > 0) {
        memcpy(image, snapshot->image, snapshot->size);
    }
    sdFree(&snapshot->context.allocator, snapshot->image, snapshot->capacity);
    snapshot->image = image;
    snapshot->capacity = capacity;
    return true;
}

void sdSnapshot_TakeObjects(sdSnapshot* snapshot, const sdShape* objects, int count) {
    sdShapeArray* own = &snapshot->objects;
    for (int i = 0; i < count; ++i) {
        sdShape_Retain(&objects[i]);
    }
    for (int i = 0; i < own->count; ++i) {
        sdShape_Release(&own->data[i]);
    }
    if (count > 0) {
        // the new ones may lie behind the old ones
        memmove(own->data, objects, (size_t)count * sizeof *objects);
    }
    own->count = count;
}

// ---- save ----------------------------------------------------------------------------------

/// Append the patches of meshes and compounds, and say in each contact how many there are.
static void writePatches(const sdWorld* world, void* image) {
    sdContact* contacts = (sdContact*)sdImage_Items(image, PART_CONTACTS);
    sdPatch* patches = (sdPatch*)sdImage_Items(image, PART_PATCHES);
    for (int i = 0; i < world->contacts.count; ++i) {
        const sdPatchArray* many = &world->contacts.data[i].many;
        bool isLive = sdBitSet_Test(&world->contactPool.taken, i);
        int count = isLive && many->data != NULL ? contacts[i].patchCount : 0;
        contacts[i].many = (sdPatchArray){.count = count};
        if (count > 0) {
            memcpy(patches, many->data, (size_t)count * sizeof *patches);
            patches += count;
        }
    }
}

/// Take the addresses out of the shapes. Those of slots that are free have nothing to say at all.
static void writeFixtures(const sdWorld* world, void* image, sdShape* objects) {
    sdFixture* fixtures = (sdFixture*)sdImage_Items(image, PART_FIXTURES);
    for (int i = 0; i < world->fixtures.count; ++i) {
        if (sdIdPool_GetId(&world->fixturePool, i) == SD_NULL_ID) {
            memset(&fixtures[i], 0, sizeof fixtures[i]);
        } else if (hasObject(&fixtures[i].def.shape)) {
            *objects++ = fixtures[i].def.shape;
            sdShapeType type = fixtures[i].def.shape.type;
            memset(&fixtures[i].def.shape, 0, sizeof fixtures[i].def.shape);
            fixtures[i].def.shape.type = type;
        }
    }
}

static uint64_t settingsOf(const sdWorld* world) {
    return sdBroadphase_HashSettings(world->broadphase);
}

sdResult sdWorld_Save(const sdWorld* world, sdSnapshot* snapshot) {
    if (world == NULL || snapshot == NULL) {
        return sdFail(world != NULL ? &world->context : NULL, SD_ERROR_INVALID_ARGUMENT,
                      "sdWorld_Save: world and snapshot must not be NULL");
    }
    if (world->isLocked) {
        return sdFail(&world->context, SD_ERROR_LOCKED,
                      "sdWorld_Save: not during a step; save before or after it");
    }
    sdImageList list;
    // nothing is written through the list here
    listParts((sdWorld*)world, &list);
    int objectCount = countObjects(world);
    list.parts[PART_PATCHES].used = countPatches(world);
    list.parts[PART_OBJECTS].used = objectCount;
    size_t size = sdImage_Measure(&list);
    // twice the room, so that the new ones can be held beside the old ones
    sdShapeArray* objects = &snapshot->objects;
    if (!sdShapeArray_Reserve(objects, &snapshot->context.allocator,
                              (int64_t)objects->count + objectCount) ||
        !sdSnapshot_Reserve(snapshot, size)) {
        return sdFailMemory(&snapshot->context, "sdWorld_Save", size);
    }
    sdImage_Write(&list, settingsOf(world), snapshot->image);
    snapshot->size = size;
    snapshot->isSealed = false;
    writePatches(world, snapshot->image);
    sdShape* fresh = objectCount > 0 ? objects->data + objects->count : NULL;
    writeFixtures(world, snapshot->image, fresh);
    sdSnapshot_TakeObjects(snapshot, fresh, objectCount);
    return SD_OK;
}

// ---- restore -------------------------------------------------------------------------------

/// Memory of the patches of each contact of the image: that of the contact in its slot, or new.
typedef struct Patches {
    sdPatchArray* arrays; ///< one a contact; the step's memory
    int count;
} Patches;

static bool isOwn(const sdWorld* world, int contact, const sdPatchArray* array) {
    return contact < world->contacts.count && sdBitSet_Test(&world->contactPool.taken, contact) &&
           world->contacts.data[contact].many.data == array->data;
}

static void freePatches(const sdWorld* world, Patches* patches) {
    for (int i = 0; i < patches->count; ++i) {
        if (!isOwn(world, i, &patches->arrays[i])) {
            sdPatchArray_Free(&patches->arrays[i], &world->context.allocator);
        }
    }
}

static bool reservePatches(sdWorld* world, const void* image, Patches* patches) {
    const sdContact* contacts = sdImage_Items(image, PART_CONTACTS);
    int count = sdImage_Line(image, PART_CONTACTS)->used;
    *patches = (Patches){sdArena_Alloc(&world->arena, (size_t)count + 1, sizeof(sdPatchArray)), 0};
    for (int i = 0; patches->arrays != NULL && i < count; ++i) {
        bool isLive = i < world->contacts.count && sdBitSet_Test(&world->contactPool.taken, i);
        sdPatchArray array = isLive ? world->contacts.data[i].many : (sdPatchArray){0};
        int needed = contacts[i].many.count;
        array = needed == 0 || needed > array.capacity ? (sdPatchArray){0} : array;
        if (!sdPatchArray_Reserve(&array, &world->context.allocator, needed)) {
            freePatches(world, patches);
            return false;
        }
        patches->arrays[patches->count++] = array;
    }
    return patches->arrays != NULL;
}

/// Before the contacts are overwritten: give up patches that are not used again.
static void releasePatches(sdWorld* world, const Patches* patches) {
    for (int i = sdBitSet_Next(&world->contactPool.taken, 0); i != SD_NULL_INDEX;
         i = sdBitSet_Next(&world->contactPool.taken, i + 1)) {
        sdPatchArray* many = &world->contacts.data[i].many;
        if (i >= patches->count || patches->arrays[i].data != many->data) {
            sdPatchArray_Free(many, &world->context.allocator);
        }
    }
}

static void readPatches(sdWorld* world, const void* image, const Patches* patches) {
    const sdPatch* from = sdImage_Items(image, PART_PATCHES);
    for (int i = 0; i < world->contacts.count; ++i) {
        sdContact* contact = &world->contacts.data[i];
        int count = contact->many.count;
        contact->many = patches->arrays[i];
        if (count > 0) {
            memcpy(contact->many.data, from, (size_t)count * sizeof *from);
            from += count;
        }
    }
}

/// Before the fixtures are overwritten: references of the world change to those of the image.
static void changeReferences(sdWorld* world, const sdSnapshot* snapshot) {
    for (int i = 0; i < snapshot->objects.count; ++i) {
        sdShape_Retain(&snapshot->objects.data[i]);
    }
    for (int i = 0; i < world->fixtures.count; ++i) {
        if (sdIdPool_GetId(&world->fixturePool, i) != SD_NULL_ID) {
            sdShape_Release(&world->fixtures.data[i].def.shape);
        }
    }
}

static void readFixtures(sdWorld* world, const sdSnapshot* snapshot) {
    const sdShape* object = snapshot->objects.data;
    for (int i = 0; i < world->fixtures.count; ++i) {
        sdShape* shape = &world->fixtures.data[i].def.shape;
        if (hasObject(shape)) {
            *shape = *object++;
        }
    }
}

/// All that may fail. Nothing that can be seen has changed when it does.
static bool prepareRestore(sdWorld* world, const sdImageList* list, const void* image,
                           int firstOfBroadphase, Patches* patches) {
    if (!sdImage_Reserve(list, image, &world->context.allocator) ||
        !sdBroadphase_ReserveImage(world->broadphase, image, firstOfBroadphase) ||
        !reservePatches(world, image, patches)) {
        return false;
    }
    sdWorldDef def;
    memcpy(&def, sdImage_Items(image, PART_DEF), sizeof def);
    if (sdBroadphase_SetKind(world->broadphase, def.broadphase.kind) != SD_OK) {
        freePatches(world, patches);
        return false;
    }
    return true;
}

static void restore(sdWorld* world, const sdImageList* list, const sdSnapshot* snapshot,
                    int firstOfBroadphase, const Patches* patches) {
    const void* image = snapshot->image;
    sdBroadphase* broadphase = world->broadphase;
    int slotCount = broadphase->ids.slotCount;
    sdBroadphase_CompareImage(broadphase, image, firstOfBroadphase);
    changeReferences(world, snapshot);
    releasePatches(world, patches);
    sdImage_Read(list, image);
    readPatches(world, image, patches);
    readFixtures(world, snapshot);
    sdBroadphase_FinishImage(broadphase, slotCount);
    world->changes = (sdPairChanges){broadphase->newPairs.data, broadphase->lostPairs.data,
                                     broadphase->newPairs.count, broadphase->lostPairs.count};
}

sdResult sdWorld_Restore(sdWorld* world, const sdSnapshot* snapshot) {
    if (world == NULL || snapshot == NULL) {
        return sdFail(world != NULL ? &world->context : NULL, SD_ERROR_INVALID_ARGUMENT,
                      "sdWorld_Restore: world and snapshot must not be NULL");
    }
    if (world->isLocked) {
        return sdFail(&world->context, SD_ERROR_LOCKED,
                      "sdWorld_Restore: not during a step; restore before or after it");
    }
    if (snapshot->size == 0) {
        return sdFail(&world->context, SD_ERROR_INVALID_ARGUMENT,
                      "sdWorld_Restore: the snapshot is empty; call sdWorld_Save first");
    }
    if (sdImage_Head(snapshot->image)->settings != settingsOf(world)) {
        return sdFail(&world->context, SD_ERROR_INVALID_ARGUMENT,
                      "sdWorld_Restore: the snapshot is of a world with other margins or limits "
                      "of the broad phase; make this one with the same sdBroadphaseDef");
    }
    sdImageList list;
    Patches patches;
    int first = listParts(world, &list);
    bool isPrepared = prepareRestore(world, &list, snapshot->image, first, &patches);
    if (isPrepared) {
        restore(world, &list, snapshot, first, &patches);
    }
    sdArena_Reset(&world->arena);
    return isPrepared ? SD_OK : sdFailMemory(&world->context, "sdWorld_Restore", snapshot->size);
}

// ---- bytes ---------------------------------------------------------------------------------

static ObjectMark markOf(const sdShape* shape) {
    ObjectMark mark;
    memset(&mark, 0, sizeof mark);
    mark.type = (uint32_t)shape->type;
    int vertices = 0, faces = 0;
    if (shape->type == SD_SHAPE_HULL) {
        sdHull_GetVertices(shape->hull, &vertices);
        sdHull_GetPlanes(shape->hull, &faces);
        mark.bounds = sdHull_GetBounds(shape->hull);
    } else if (shape->type == SD_SHAPE_MESH) {
        sdMeshData data = sdMesh_GetData(shape->mesh);
        vertices = data.vertexCount;
        faces = data.triangleCount;
        mark.bounds = sdMesh_GetBounds(shape->mesh);
    } else {
        sdCompound_GetChildren(shape->compound, &faces);
        mark.bounds = sdCompound_GetBounds(shape->compound);
    }
    mark.vertexCount = (uint32_t)vertices;
    mark.faceCount = (uint32_t)faces;
    return mark;
}

const void* sdSnapshot_GetBytes(sdSnapshot* snapshot, size_t* size) {
    if (size != NULL) {
        *size = snapshot != NULL ? snapshot->size : 0;
    }
    if (snapshot == NULL || snapshot->size == 0) {
        return NULL;
    }
    if (!snapshot->isSealed) {
        ObjectMark* marks = (ObjectMark*)sdImage_Items(snapshot->image, PART_OBJECTS);
        for (int i = 0; i < snapshot->objects.count; ++i) {
            marks[i] = markOf(&snapshot->objects.data[i]);
        }
        sdImage_Seal(snapshot->image);
        snapshot->isSealed = true;
    }
    return snapshot->image;
}

int sdSnapshot_GetObjects(const sdSnapshot* snapshot, sdShape* out, int capacity) {
    int count = snapshot != NULL ? snapshot->objects.count : 0;
    for (int i = 0; out != NULL && i < sdMinI(count, capacity); ++i) {
        out[i] = snapshot->objects.data[i];
    }
    return count;
}

static const char* faultOfObjects(const void* image, const sdShape* objects, int count) {
    if (count < 0 || (count > 0 && objects == NULL) ||
        count != sdImage_Line(image, PART_OBJECTS)->used) {
        return "there must be as many objects as sdSnapshot_GetObjects gave";
    }
    const ObjectMark* marks = sdImage_Items(image, PART_OBJECTS);
    for (int i = 0; i < count; ++i) {
        if (!hasObject(&objects[i]) || !sdShape_IsValid(&objects[i])) {
            return "an object is not a hull, mesh or compound";
        }
        ObjectMark mark = markOf(&objects[i]);
        if (memcmp(&mark, &marks[i], sizeof mark) != 0) {
            return "an object is not the one that was there; keep to the order of "
                   "sdSnapshot_GetObjects";
        }
    }
    return NULL;
}

/// Whether the parts of an image agree with each other.
static bool isConsistent(const void* image) {
    const sdFixture* fixtures = sdImage_Items(image, PART_FIXTURES);
    const sdContact* contacts = sdImage_Items(image, PART_CONTACTS);
    int64_t objectCount = 0, patchCount = 0;
    for (int i = 0; i < sdImage_Line(image, PART_FIXTURES)->used; ++i) {
        objectCount += hasObject(&fixtures[i].def.shape) ? 1 : 0;
    }
    for (int i = 0; i < sdImage_Line(image, PART_CONTACTS)->used; ++i) {
        if (contacts[i].many.count < 0) {
            return false;
        }
        patchCount += contacts[i].many.count;
    }
    return objectCount == sdImage_Line(image, PART_OBJECTS)->used &&
           patchCount == sdImage_Line(image, PART_PATCHES)->used;
}

/// @return what is wrong with bytes or objects from outside, and in *result of which kind it is
static const char* faultOf(const void* image, size_t size, const sdShape* objects, int objectCount,
                           sdResult* result) {
    // an empty world serves to say what an image is made of
    sdBroadphase broadphase = {0};
    sdWorld world = {.broadphase = &broadphase};
    sdImageList list;
    listParts(&world, &list);
    const char* fault = sdImage_Check(&list, image, size, result);
    if (fault == NULL && !isConsistent(image)) {
        *result = SD_ERROR_BAD_FILE;
        fault = "its parts do not agree with each other";
    }
    if (fault == NULL) {
        fault = faultOfObjects(image, objects, objectCount);
        *result = fault == NULL ? SD_OK : SD_ERROR_INVALID_ARGUMENT;
    }
    return fault;
}

sdResult sdSnapshot_SetBytes(sdSnapshot* snapshot, const void* bytes, size_t size,
                             const sdShape* objects, int objectCount) {
    if (snapshot == NULL || bytes == NULL || size == 0) {
        return sdFail(snapshot != NULL ? &snapshot->context : NULL, SD_ERROR_INVALID_ARGUMENT,
                      "sdSnapshot_SetBytes: snapshot and bytes must not be NULL or empty");
    }
    const sdContext* context = &snapshot->context;
    void* image = sdAlloc(&context->allocator, size);
    if (image == NULL) {
        return sdFailMemory(context, "sdSnapshot_SetBytes", size);
    }
    // aligned, which what was given need not be
    memcpy(image, bytes, size);
    sdResult result;
    const char* fault = faultOf(image, size, objects, objectCount, &result);
    if (fault != NULL) {
        sdFail(context, result, "sdSnapshot_SetBytes: %s", fault);
    } else if (!sdShapeArray_Reserve(&snapshot->objects, &context->allocator, objectCount)) {
        result = sdFailMemory(context, "sdSnapshot_SetBytes", sizeof *objects);
    }
    if (result != SD_OK) {
        sdFree(&context->allocator, image, size);
        return result;
    }
    sdFree(&context->allocator, snapshot->image, snapshot->capacity);
    snapshot->image = image;
    snapshot->capacity = snapshot->size = size;
    snapshot->isSealed = true;
    sdSnapshot_TakeObjects(snapshot, objects, objectCount);
    return SD_OK;
}
