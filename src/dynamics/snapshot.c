// SPDX-License-Identifier: MIT
// snapshot.c - a world as a flat image, and back.
//
// In:   a world between steps.
// Out:  all that the next steps depend on, in the order of listParts: the one place that knows.
// Note: arrays go into the image as they are, but for those that have addresses: shapes with a
//       hull, mesh or compound, and contacts with many patches. A restore takes all memory first;
//       after that nothing can fail. Threads share the parts.

#include "dynamics/snapshot.h"

#include "base/hash.h"
#include "broadphase/broadphase_image.h"
#include "dynamics/fixture.h"
#include "dynamics/snapshot_check.h"

/// Parts that are looked at one by one; they come first.
enum { PART_FIXTURES, PART_OBJECTS, PART_HEADS, PART_DEF };

/// The last part: the patches of contacts with many, one contact after the other.
#define PART_PATCHES(list) ((list)->count - 1)

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

static int countObjects(const sdWorld* world) {
    int count = 0;
    for (int i = 0; i < world->fixtures.count; ++i) {
        bool isLive = sdIdPool_GetId(&world->fixturePool, i) != SD_NULL_ID;
        count += isLive && hasObject(&world->fixtures.data[i].def.shape) ? 1 : 0;
    }
    return count;
}

static void listContacts(sdImageList* list, sdContactPool* pool, sdContactStore store) {
    static const char* const names[SD_STORE_COUNT] = {"slim", "full", "many"};
    sdImageList_Add(list, (sdImagePart){.name = names[store],
                                        .items = &pool->data,
                                        .capacity = &pool->capacity,
                                        .count = &pool->count,
                                        // of those with addresses, only the room
                                        .used = store != SD_STORE_MANY ? pool->count : 0,
                                        .itemSize = (int)sdContactStore_GetSize(store)});
    SD_IMAGE_SLOTS(list, pool->slots);
}

/// Everything. Whoever adds a field to a world that lives longer than a step adds it here.
/// @return the first part of the broad phase
static int listParts(sdWorld* world, sdImageList* list) {
    list->count = 0;
    SD_IMAGE_ARRAY(list, world->fixtures);
    sdImageList_Add(list, (sdImagePart){.name = "objects", .itemSize = (int)sizeof(ObjectMark)});
    sdImageList_Add(list, (sdImagePart){.name = "heads", .itemSize = (int)sizeof(sdManyContact)});
    SD_IMAGE_VALUE(list, world->def);
    SD_IMAGE_VALUE(list, world->time);
    SD_IMAGE_VALUE(list, world->attempt);
    SD_IMAGE_VALUE(list, world->attemptDt);
    SD_IMAGE_VALUE(list, world->part);
    SD_IMAGE_VALUE(list, world->partCount);
    SD_IMAGE_VALUE(list, world->leastMeshRadius);
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
    SD_IMAGE_VALUE(list, world->hasFineJoints);
    SD_IMAGE_VALUE(list, world->jointH);
    SD_IMAGE_SLOTS(list, world->pairPool);
    SD_IMAGE_ARRAY(list, world->pairs);
    SD_IMAGE_BITS(list, world->awakeBodies);
    SD_IMAGE_BITS(list, world->activePairs);
    SD_IMAGE_BITS(list, world->activeJoints);
    SD_IMAGE_ROOM(list, world->bodyList);
    SD_IMAGE_ROOM(list, world->pairList);
    SD_IMAGE_ROOM(list, world->flood);
    for (int i = 0; i < SD_STORE_COUNT; ++i) {
        listContacts(list, &world->contacts[i], (sdContactStore)i);
    }
    SD_IMAGE_VALUE(list, world->sensorContactCount);
    SD_IMAGE_ARRAY(list, world->begin);
    SD_IMAGE_ARRAY(list, world->end);
    SD_IMAGE_ARRAY(list, world->sensorBegin);
    SD_IMAGE_ARRAY(list, world->sensorEnd);
    SD_IMAGE_ARRAY(list, world->lateEnd);
    SD_IMAGE_ARRAY(list, world->lateSensorEnd);
    SD_IMAGE_ARRAY(list, world->hits);
    SD_IMAGE_ARRAY(list, world->broken);
    SD_IMAGE_VALUE(list, world->stats);
    // not: context, isLocked, callbacks, arena; `changes` is made from the broad phase's lists
    int first = sdBroadphase_ListParts(world->broadphase, list);
    sdImageList_Add(list, (sdImagePart){.name = "patches", .itemSize = (int)sizeof(sdManyPatch)});
    return first;
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

static int64_t countPatches(const sdWorld* world) {
    const sdContactPool* pool = &world->contacts[SD_STORE_MANY];
    int64_t count = 0;
    for (int i = 0; i < pool->count; ++i) {
        count += sdBitSet_Test(&pool->slots.taken, i)
                     ? sdContactPool_GetMany(pool, i)->patches.count
                     : 0;
    }
    return count;
}

/// Contacts with many patches, which have addresses.
static void writeContacts(const sdWorld* world, sdManyContact* head, sdManyPatch* patches) {
    const sdContactPool* pool = &world->contacts[SD_STORE_MANY];
    for (int i = 0; i < pool->count; ++i) {
        memset(&head[i], 0, sizeof head[i]);
        if (!sdBitSet_Test(&pool->slots.taken, i)) {
            continue;
        }
        const sdManyContact* contact = sdContactPool_GetMany(pool, i);
        int count = contact->patches.count;
        head[i].pair = contact->pair;
        head[i].collided = contact->collided;
        head[i].pose = contact->pose;
        head[i].patches.count = count;
        if (count > 0) {
            memcpy(patches, contact->patches.data, (size_t)count * sizeof *patches);
            patches += count;
        }
    }
}

/// Take the addresses out of the shapes. Those of slots that are free have nothing to say at all.
/// @param fixtures of the world, in an image
/// @param objects receives them; may be NULL
static void removeObjects(const sdWorld* world, sdFixture* fixtures, sdShape* objects) {
    for (int i = 0; i < world->fixtures.count; ++i) {
        if (sdIdPool_GetId(&world->fixturePool, i) == SD_NULL_ID) {
            memset(&fixtures[i], 0, sizeof fixtures[i]);
        } else if (hasObject(&fixtures[i].def.shape)) {
            if (objects != NULL) {
                *objects++ = fixtures[i].def.shape;
            }
            sdShapeType type = fixtures[i].def.shape.type;
            memset(&fixtures[i].def.shape, 0, sizeof fixtures[i].def.shape);
            fixtures[i].def.shape.type = type;
        }
    }
}

typedef struct SaveTask {
    const sdWorld* world;
    const sdImageList* list;
    char* image;
} SaveTask;

static void save(void* arg, int begin, int end, int worker) {
    (void)worker;
    SaveTask* task = (SaveTask*)arg;
    char* image = task->image;
    for (int i = begin; i < end; ++i) {
        if (i < task->list->count) {
            sdImage_WritePart(task->list, image, i);
        } else {
            char* heads = image + sdImage_Line(image, PART_HEADS)->offset;
            char* patches = image + sdImage_Line(image, PART_PATCHES(task->list))->offset;
            writeContacts(task->world, (sdManyContact*)(void*)heads, (sdManyPatch*)(void*)patches);
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
    list.parts[PART_OBJECTS].used = objectCount;
    list.parts[PART_HEADS].used = world->contacts[SD_STORE_MANY].count;
    int64_t patchCount = countPatches(world);
    if (patchCount > INT_MAX) {
        return sdFail(&world->context, SD_ERROR_LIMIT,
                      "sdWorld_Save: more than 2147483647 patches of contacts");
    }
    list.parts[PART_PATCHES(&list)].used = (int)patchCount;
    size_t size = sdImage_Measure(&list);
    // twice the room, so that the new ones can be held beside the old ones
    sdShapeArray* objects = &snapshot->objects;
    if (!sdShapeArray_Reserve(objects, &snapshot->context.allocator,
                              (int64_t)objects->count + objectCount) ||
        !sdSnapshot_Reserve(snapshot, size)) {
        return sdFailMemory(&snapshot->context, "sdWorld_Save", size);
    }
    char* image = snapshot->image;
    sdImage_WriteTable(&list, settingsOf(world), image);
    SaveTask task = {world, &list, image};
    world->context.tasks.parallelFor(world->context.tasks.user, save, &task, list.count + 1, 1);
    // marks are for readers elsewhere
    memset(image + sdImage_Line(image, PART_OBJECTS)->offset, 0,
           (size_t)objectCount * sizeof(ObjectMark));
    snapshot->size = (size_t)sdImage_Head(image)->size;
    snapshot->isSealed = false;
    sdShape* fresh = objectCount > 0 ? objects->data + objects->count : NULL;
    removeObjects(world, (sdFixture*)sdImage_Items(image, PART_FIXTURES), fresh);
    sdSnapshot_TakeObjects(snapshot, fresh, objectCount);
    return SD_OK;
}

// ---- restore -------------------------------------------------------------------------------

/// Memory of the patches of each contact of the image: that of the contact in its slot, or new.
typedef struct Patches {
    sdManyPatchArray* arrays; ///< one a contact; the step's memory
    int count;
    // contacts that there are before
    sdBitSet taken; ///< slots, copied; the step's memory
    int slotCount;
} Patches;

static const sdManyContact* manyIn(const void* image, int contact) {
    return (const sdManyContact*)sdImage_Items(image, PART_HEADS) + contact;
}

/// What the contact in a slot has, if there is one.
static sdManyPatchArray getMany(const sdWorld* world, const Patches* patches, int contact) {
    bool isLive = contact < patches->slotCount && sdBitSet_Test(&patches->taken, contact);
    return isLive ? sdContactPool_GetMany(&world->contacts[SD_STORE_MANY], contact)->patches
                  : (sdManyPatchArray){0};
}

static void freePatches(const sdWorld* world, Patches* patches) {
    for (int i = 0; i < patches->count; ++i) {
        if (patches->arrays[i].data != getMany(world, patches, i).data) {
            sdManyPatchArray_Free(&patches->arrays[i], &world->context.allocator);
        }
    }
}

static bool startPatches(sdWorld* world, int count, Patches* patches) {
    const sdBitSet* taken = &world->contacts[SD_STORE_MANY].slots.taken;
    // one more than needed, so that nothing is of no size
    size_t wordCount = (size_t)taken->wordCount + 1;
    *patches = (Patches){
        .arrays = sdArena_Alloc(&world->arena, (size_t)count + 1, sizeof(sdManyPatchArray)),
        .taken = {sdArena_Alloc(&world->arena, wordCount, sizeof(uint64_t)), taken->wordCount},
        .slotCount = world->contacts[SD_STORE_MANY].count,
    };
    if (patches->arrays == NULL || patches->taken.words == NULL) {
        return false;
    }
    if (taken->wordCount > 0) {
        memcpy(patches->taken.words, taken->words, (wordCount - 1) * sizeof(uint64_t));
    }
    return true;
}

static bool reservePatches(sdWorld* world, const void* image, Patches* patches) {
    int count = sdImage_Line(image, PART_HEADS)->used;
    if (!startPatches(world, count, patches)) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        sdManyPatchArray array = {0};
        int needed = manyIn(image, i)->patches.count;
        if (needed > 0) {
            sdManyPatchArray old = getMany(world, patches, i);
            array = needed <= old.capacity ? old : array;
        }
        if (!sdManyPatchArray_Reserve(&array, &world->context.allocator, needed)) {
            freePatches(world, patches);
            return false;
        }
        patches->arrays[patches->count++] = array;
    }
    return true;
}

/// There is room. Touches the contacts with many patches and nothing else.
static void readContacts(sdWorld* world, const void* image, int patchesPart,
                         const Patches* patches) {
    const sdManyPatch* from = sdImage_Items(image, patchesPart);
    for (int i = 0; i < sdMaxI(patches->count, patches->slotCount); ++i) {
        sdManyPatchArray many = getMany(world, patches, i);
        if (many.data != NULL && (i >= patches->count || many.data != patches->arrays[i].data)) {
            sdManyPatchArray_Free(&many, &world->context.allocator);
        }
        if (i >= patches->count) {
            continue;
        }
        sdManyContact* contact = sdContactPool_GetMany(&world->contacts[SD_STORE_MANY], i);
        *contact = *manyIn(image, i);
        int count = contact->patches.count;
        contact->patches = patches->arrays[i];
        contact->patches.count = count;
        if (count > 0) {
            memcpy(contact->patches.data, from, (size_t)count * sizeof *from);
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

typedef struct RestoreTask {
    sdWorld* world;
    const sdImageList* list;
    const void* image;
    const Patches* patches;
} RestoreTask;

static void readAll(void* arg, int begin, int end, int worker) {
    (void)worker;
    const RestoreTask* task = (const RestoreTask*)arg;
    for (int i = begin; i < end; ++i) {
        if (i < task->list->count) {
            sdImage_ReadPart(task->list, task->image, i);
        } else {
            readContacts(task->world, task->image, PART_PATCHES(task->list), task->patches);
        }
    }
}

static void restore(sdWorld* world, const sdImageList* list, const sdSnapshot* snapshot,
                    int firstOfBroadphase, const Patches* patches) {
    const void* image = snapshot->image;
    sdBroadphase* broadphase = world->broadphase;
    int slotCount = broadphase->ids.slotCount;
    sdBroadphase_CompareImage(broadphase, image, firstOfBroadphase);
    changeReferences(world, snapshot);
    RestoreTask task = {world, list, image, patches};
    world->context.tasks.parallelFor(world->context.tasks.user, readAll, &task, list->count + 1, 1);
    world->contacts[SD_STORE_MANY].count = patches->count;
    readFixtures(world, snapshot);
    world->jointPlan = NULL;
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
    // a mesh that may move is not one that may not
    mark.type =
        (uint32_t)shape->type + (shape->concave != NULL ? (uint32_t)SD_SHAPE_TYPE_COUNT : 0u);
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

/// The shapes that have an object, each with its own.
/// @return false when they are not as many as the objects, or one is on a slot that is free
static bool giveObjects(sdWorld* view, const sdShape* objects, int objectCount) {
    int count = 0;
    for (int i = 0; i < view->fixtures.count; ++i) {
        sdShape* shape = &view->fixtures.data[i].def.shape;
        bool isLive = sdIdPool_GetId(&view->fixturePool, i) != SD_NULL_ID;
        if (!hasObject(shape)) {
            // addresses are nobody's to say
            if (shape->concave != NULL) {
                return false;
            }
            continue;
        }
        if (!isLive || count == objectCount) {
            return false;
        }
        *shape = objects[count++];
    }
    return count == objectCount;
}

/// Have the room that a step takes for granted, and not much more.
static void setRooms(const sdImageList* list, void* image, const sdWorld* view, int headCount) {
    int contactCount = 1;
    for (int i = 0; i < SD_STORE_COUNT; ++i) {
        contactCount += view->contacts[i].slots.liveCount;
    }
    sdImage_LimitRooms(list, image);
    sdImage_RaiseRoom(list, image, &view->flood.data, view->bodies.count);
    sdImage_RaiseRoom(list, image, &view->broken.data, view->broken.count + view->joints.count);
    sdImage_RaiseRoom(list, image, &view->lateEnd.data, view->lateEnd.count + contactCount);
    sdImage_RaiseRoom(list, image, &view->lateSensorEnd.data,
                      view->lateSensorEnd.count + contactCount);
    sdImage_RaiseRoom(list, image, &view->contacts[SD_STORE_MANY].data, headCount);
}

/// Bytes and objects from outside.
typedef struct Offer {
    void* image; ///< a copy, which gets the rooms that it needs
    size_t size;
    const sdShape* objects;
    int objectCount;
} Offer;

/// Look at an image whose table and objects are right.
static const char* faultOfContents(const sdContext* context, const sdImageList* list, sdWorld* view,
                                   Offer* offer, sdResult* result) {
    sdImage_View(list, offer->image);
    *result = SD_ERROR_BAD_FILE;
    if (!sdIdPool_IsSound(&view->fixturePool) ||
        !giveObjects(view, offer->objects, offer->objectCount)) {
        return "its shapes do not agree with their objects";
    }
    sdWorldView world = {
        .world = view,
        .heads = sdImage_Items(offer->image, PART_HEADS),
        .headCount = sdImage_Line(offer->image, PART_HEADS)->used,
        .patches = sdImage_Items(offer->image, PART_PATCHES(list)),
        .patchCount = sdImage_Line(offer->image, PART_PATCHES(list))->used,
    };
    const char* fault = sdWorldView_FindFault(&world, &context->allocator, result);
    if (fault == NULL) {
        removeObjects(view, view->fixtures.data, NULL);
        setRooms(list, offer->image, view, world.headCount);
    }
    return fault;
}

/// @return what is wrong with an offer, and in *result of which kind it is
static const char* faultOf(const sdContext* context, Offer* offer, sdResult* result) {
    // an empty world serves to say what an image is made of, and then to look into it
    sdBroadphase broadphase = {0};
    sdWorld view = {.broadphase = &broadphase};
    sdImageList list;
    listParts(&view, &list);
    const char* fault = sdImage_Check(&list, offer->image, offer->size, result);
    if (fault == NULL) {
        fault = faultOfObjects(offer->image, offer->objects, offer->objectCount);
        *result = fault == NULL ? SD_OK : SD_ERROR_INVALID_ARGUMENT;
    }
    return fault == NULL ? faultOfContents(context, &list, &view, offer, result) : fault;
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
    Offer offer = {image, size, objects, objectCount};
    const char* fault = faultOf(context, &offer, &result);
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
    // rooms, and what is of no use, may have changed
    snapshot->isSealed = false;
    sdSnapshot_TakeObjects(snapshot, objects, objectCount);
    return SD_OK;
}
