// SPDX-License-Identifier: MIT
// snapshot.c - a world as a flat image, and back.
//
// In:   a world between steps.
// Out:  all that the next steps depend on, in the order of listParts: the one place that knows.
// Note: arrays go into the image as they are, but for those that have addresses: shapes with a
//       hull, mesh or compound, and contacts with many patches. Contacts are most of a world, and
//       most of a contact is room for points that are not there: that is left out. A restore
//       takes all memory first; after that nothing can fail. Contacts and the rest are copied at
//       the same time when there are threads: both are about as much.

#include "dynamics/snapshot.h"

#include "base/hash.h"
#include "broadphase/broadphase_image.h"
#include "dynamics/fixture.h"
#include "dynamics/world.h"

/// Parts that are looked at one by one; they come first.
enum { PART_FIXTURES, PART_OBJECTS, PART_HEADS, PART_MANY, PART_DEF };

/// The last part: of each contact in turn, what it has besides its head.
#define PART_DETAILS(list) ((list)->count - 1)
#define DETAIL_SIZE 4

/// A contact: its head, which is all when there are no points; what is before its points, its
/// points, and what is after them. One with many patches has its pose and those.
#define HEAD_SIZE offsetof(sdContact, pose)
#define POINTS_AT                                                                                  \
    (offsetof(sdContact, patch) + offsetof(sdPatch, manifold) + offsetof(sdManifold, points))
#define POINTS_SIZE (SD_MANIFOLD_MAX_POINTS * sizeof(sdManifoldPoint))
#define FRONT_SIZE (POINTS_AT - HEAD_SIZE)
#define BACK_AT (POINTS_AT + POINTS_SIZE)
#define BACK_SIZE (offsetof(sdContact, patch) + sizeof(sdPatch) - BACK_AT)
#define POSE_SIZE sizeof(sdTransform)
/// Most that a contact has besides its head, but for many patches.
#define MAX_BODY_SIZE (FRONT_SIZE + BACK_SIZE + POINTS_SIZE)

/// Contacts that are fetched before they are needed.
#define AHEAD 4

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

/// Everything. Whoever adds a field to a world that lives longer than a step adds it here.
/// @return the first part of the broad phase
static int listParts(sdWorld* world, sdImageList* list) {
    list->count = 0;
    SD_IMAGE_ARRAY(list, world->fixtures);
    sdImageList_Add(list, (sdImagePart){.name = "objects", .itemSize = (int)sizeof(ObjectMark)});
    sdImageList_Add(list, (sdImagePart){.name = "heads", .itemSize = (int)HEAD_SIZE});
    // there is one item when some contacts have many patches, so that not all need to be asked
    sdImageList_Add(list, (sdImagePart){.name = "many", .itemSize = DETAIL_SIZE});
    SD_IMAGE_VALUE(list, world->def);
    SD_IMAGE_ROOM(list, world->contacts);
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
    SD_IMAGE_ROOM(list, world->bodyList);
    SD_IMAGE_ROOM(list, world->pairList);
    SD_IMAGE_ROOM(list, world->flood);
    SD_IMAGE_SLOTS(list, world->contactPool);
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
    sdImageList_Add(list, (sdImagePart){.name = "details", .itemSize = DETAIL_SIZE});
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

/// Whether a contact has a patch of its own with points; what the head of one says when it has
/// many.
static bool hasOwnPatch(int patchCount, int manyCount) {
    return patchCount > 0 && manyCount == 0;
}

/// Write the patch of a contact.
/// @return the end of what was written
static char* packPatch(const sdContact* contact, char* out) {
    size_t size = (size_t)contact->patch.manifold.pointCount * sizeof(sdManifoldPoint);
    memcpy(out, (const char*)contact + HEAD_SIZE, FRONT_SIZE);
    memcpy(out + FRONT_SIZE, (const char*)contact + BACK_AT, BACK_SIZE);
    memcpy(out + FRONT_SIZE + BACK_SIZE, contact->patch.manifold.points, size);
    return out + FRONT_SIZE + BACK_SIZE + size;
}

static const char* unpackPatch(const char* from, sdContact* contact) {
    memcpy((char*)contact + HEAD_SIZE, from, FRONT_SIZE);
    memcpy((char*)contact + BACK_AT, from + FRONT_SIZE, BACK_SIZE);
    size_t size = (size_t)contact->patch.manifold.pointCount * sizeof(sdManifoldPoint);
    memcpy(contact->patch.manifold.points, from + FRONT_SIZE + BACK_SIZE, size);
    return from + FRONT_SIZE + BACK_SIZE + size;
}

/// How many patches a contact has beside its own: that stands in its head in the place of `many`.
static sdPatchArray* manyOf(char* head) {
    return (sdPatchArray*)(void*)(head + offsetof(sdContact, many));
}

static bool hasPieces(const sdWorld* world, const sdBody* body) {
    for (int i = body->firstShape; i != SD_NULL_INDEX; i = world->fixtures.data[i].next) {
        sdShapeType type = world->fixtures.data[i].def.shape.type;
        if (type == SD_SHAPE_MESH || type == SD_SHAPE_COMPOUND) {
            return true;
        }
    }
    return false;
}

/// No fewer bytes than the patches of contacts that have many take; without a look at each contact,
/// for there are many.
static size_t boundPatches(const sdWorld* world) {
    size_t size = 0;
    for (int i = 0; i < world->bodies.count; ++i) {
        const sdBody* body = &world->bodies.data[i];
        if (sdIdPool_GetId(&world->bodyPool, i) == SD_NULL_ID || !hasPieces(world, body)) {
            continue;
        }
        for (int edge = body->firstPair; edge != SD_NULL_INDEX;
             edge = world->pairs.data[edge >> 1].next[edge & 1]) {
            int contact = world->pairs.data[edge >> 1].contact;
            size += contact != SD_NULL_INDEX
                        ? (size_t)world->contacts.data[contact].patchCount * sizeof(sdPatch)
                        : 0;
        }
    }
    return size;
}

/// Fetch what comes next but few: a contact is many lines, of which those without points leave out
/// most, so that it is hard to foresee which.
static void prefetch(const void* item, size_t size) {
    for (size_t offset = 0; offset < size; offset += 64) {
        __builtin_prefetch((const char*)item + AHEAD * size + offset);
    }
}

/// @return bytes of the details
static size_t writeContacts(const sdWorld* world, char* head, char* details) {
    char* out = details;
    for (int i = 0; i < world->contacts.count; ++i, head += HEAD_SIZE) {
        if (!sdBitSet_Test(&world->contactPool.taken, i)) {
            memset(head, 0, HEAD_SIZE);
            continue;
        }
        const sdContact* contact = &world->contacts.data[i];
        prefetch(contact, sizeof *contact);
        int manyCount = contact->many.data != NULL ? contact->patchCount : 0;
        memcpy(head, contact, HEAD_SIZE);
        *manyOf(head) = (sdPatchArray){.count = manyCount};
        if (hasOwnPatch(contact->patchCount, manyCount)) {
            out = packPatch(contact, out);
        } else if (manyCount > 0) {
            memcpy(out, &contact->pose, POSE_SIZE);
            memcpy(out + POSE_SIZE, contact->many.data, (size_t)manyCount * sizeof(sdPatch));
            out += POSE_SIZE + (size_t)manyCount * sizeof(sdPatch);
        }
    }
    return (size_t)(out - details);
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

typedef struct SaveTask {
    const sdWorld* world;
    const sdImageList* list;
    char* image;
    size_t detailSize; ///< written
} SaveTask;

static void save(void* arg, int begin, int end, int worker) {
    (void)worker;
    SaveTask* task = (SaveTask*)arg;
    char* image = task->image;
    for (int i = begin; i < end; ++i) {
        if (i == 0) {
            task->detailSize =
                writeContacts(task->world, image + sdImage_Line(image, PART_HEADS)->offset,
                              image + sdImage_Line(image, PART_DETAILS(task->list))->offset);
        } else {
            sdImage_WriteParts(task->list, image);
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
    list.parts[PART_HEADS].used = world->contacts.count;
    size_t patchSize = boundPatches(world);
    size_t detailCount =
        ((size_t)world->contactPool.liveCount * MAX_BODY_SIZE + patchSize) / DETAIL_SIZE;
    if (detailCount > INT_MAX) {
        return sdFail(&world->context, SD_ERROR_LIMIT, "sdWorld_Save: more than 8 GB of contacts");
    }
    list.parts[PART_DETAILS(&list)].used = (int)detailCount;
    list.parts[PART_MANY].used = patchSize > 0 ? 1 : 0;
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
    SaveTask task = {world, &list, image, 0};
    world->context.tasks.parallelFor(world->context.tasks.user, save, &task, 2, 1);
    sdImage_Trim(&list, image, (int)(task.detailSize / DETAIL_SIZE));
    // marks are for readers elsewhere
    memset(image + sdImage_Line(image, PART_OBJECTS)->offset, 0,
           (size_t)objectCount * sizeof(ObjectMark));
    memset(image + sdImage_Line(image, PART_MANY)->offset, 0, patchSize > 0 ? DETAIL_SIZE : 0);
    snapshot->size = (size_t)sdImage_Head(image)->size;
    snapshot->isSealed = false;
    sdShape* fresh = objectCount > 0 ? objects->data + objects->count : NULL;
    writeFixtures(world, snapshot->image, fresh);
    sdSnapshot_TakeObjects(snapshot, fresh, objectCount);
    return SD_OK;
}

// ---- restore -------------------------------------------------------------------------------

/// Memory of the patches of each contact of the image: that of the contact in its slot, or new.
typedef struct Patches {
    sdPatchArray* arrays; ///< one a contact; the step's memory. NULL: nobody has any
    int count;
    // contacts that there are before
    sdBitSet taken; ///< slots, copied; the step's memory
    int slotCount;
} Patches;

static const sdPatchArray* manyIn(const void* image, int contact) {
    const char* heads = sdImage_Items(image, PART_HEADS);
    return (const sdPatchArray*)(const void*)(heads + (size_t)contact * HEAD_SIZE +
                                              offsetof(sdContact, many));
}

/// What the contact in a slot has, if there is one.
static sdPatchArray getMany(const sdWorld* world, const Patches* patches, int contact) {
    bool isLive = contact < patches->slotCount && sdBitSet_Test(&patches->taken, contact);
    return isLive ? world->contacts.data[contact].many : (sdPatchArray){0};
}

/// What the contact of the image in a slot gets.
static sdPatchArray getNewMany(const Patches* patches, int contact) {
    return patches->arrays != NULL ? patches->arrays[contact] : (sdPatchArray){0};
}

static void freePatches(const sdWorld* world, Patches* patches) {
    for (int i = 0; patches->arrays != NULL && i < patches->count; ++i) {
        if (patches->arrays[i].data != getMany(world, patches, i).data) {
            sdPatchArray_Free(&patches->arrays[i], &world->context.allocator);
        }
    }
}

static bool startPatches(sdWorld* world, const void* image, Patches* patches) {
    int count = sdImage_Line(image, PART_HEADS)->used;
    bool hasMany = sdImage_Line(image, PART_MANY)->used > 0;
    const sdBitSet* taken = &world->contactPool.taken;
    // one more than needed, so that nothing is of no size
    size_t wordCount = (size_t)taken->wordCount + 1;
    *patches = (Patches){
        .arrays =
            hasMany ? sdArena_Alloc(&world->arena, (size_t)count + 1, sizeof(sdPatchArray)) : NULL,
        .count = hasMany ? 0 : count,
        .taken = {sdArena_Alloc(&world->arena, wordCount, sizeof(uint64_t)), taken->wordCount},
        .slotCount = world->contacts.count,
    };
    if ((hasMany && patches->arrays == NULL) || patches->taken.words == NULL) {
        return false;
    }
    if (taken->wordCount > 0) {
        memcpy(patches->taken.words, taken->words, (wordCount - 1) * sizeof(uint64_t));
    }
    return true;
}

static bool reservePatches(sdWorld* world, const void* image, Patches* patches) {
    int count = sdImage_Line(image, PART_HEADS)->used;
    if (!startPatches(world, image, patches)) {
        return false;
    }
    for (int i = patches->count; i < count; ++i) {
        sdPatchArray array = {0};
        int needed = manyIn(image, i)->count;
        if (needed > 0) {
            sdPatchArray old = getMany(world, patches, i);
            array = needed <= old.capacity ? old : array;
        }
        if (!sdPatchArray_Reserve(&array, &world->context.allocator, needed)) {
            freePatches(world, patches);
            return false;
        }
        patches->arrays[patches->count++] = array;
    }
    return true;
}

/// There is room. Touches the contacts and nothing else.
static void readContacts(sdWorld* world, const void* image, int detailsPart,
                         const Patches* patches) {
    const char* head = sdImage_Items(image, PART_HEADS);
    const char* from = sdImage_Items(image, detailsPart);
    for (int i = 0; i < sdMaxI(patches->count, patches->slotCount); ++i, head += HEAD_SIZE) {
        sdPatchArray many = getMany(world, patches, i);
        if (many.data != NULL &&
            (i >= patches->count || many.data != getNewMany(patches, i).data)) {
            sdPatchArray_Free(&many, &world->context.allocator);
        }
        if (i >= patches->count) {
            continue;
        }
        sdContact* contact = &world->contacts.data[i];
        prefetch(contact, sizeof *contact);
        prefetch(head, HEAD_SIZE);
        memcpy(contact, head, HEAD_SIZE);
        size_t size = (size_t)contact->many.count * sizeof(sdPatch);
        contact->patch.manifold.pointCount = 0;
        if (hasOwnPatch(contact->patchCount, contact->many.count)) {
            from = unpackPatch(from, contact);
        }
        contact->many = getNewMany(patches, i);
        if (size > 0) {
            memcpy(&contact->pose, from, POSE_SIZE);
            memcpy(contact->many.data, from + POSE_SIZE, size);
            from += POSE_SIZE + size;
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
        if (i == 0) {
            readContacts(task->world, task->image, PART_DETAILS(task->list), task->patches);
        } else {
            sdImage_Read(task->list, task->image);
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
    world->context.tasks.parallelFor(world->context.tasks.user, readAll, &task, 2, 1);
    world->contacts.count = patches->count;
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

/// Bytes of the details of a contact, or -1 when there is something wrong with them.
/// @param size bytes that are left
static int64_t measureDetails(const char* head, const char* details, int64_t size) {
    int patchCount;
    sdPatchArray many;
    memcpy(&patchCount, head + offsetof(sdContact, patchCount), sizeof patchCount);
    memcpy(&many, head + offsetof(sdContact, many), sizeof many);
    if (many.count < 0 || !hasOwnPatch(patchCount, many.count)) {
        int64_t patches = many.count * (int64_t)sizeof(sdPatch);
        return many.count < 0 ? -1 : (many.count > 0 ? (int64_t)POSE_SIZE + patches : 0);
    }
    if (size < (int64_t)(FRONT_SIZE + BACK_SIZE)) {
        return -1;
    }
    int pointCount;
    size_t offset = offsetof(sdContact, patch) + offsetof(sdPatch, manifold) +
                    offsetof(sdManifold, pointCount) - BACK_AT;
    memcpy(&pointCount, details + FRONT_SIZE + offset, sizeof pointCount);
    return pointCount < 0 || pointCount > SD_MANIFOLD_MAX_POINTS
               ? -1
               : (int64_t)(FRONT_SIZE + BACK_SIZE + (size_t)pointCount * sizeof(sdManifoldPoint));
}

/// Whether the parts of an image agree with each other.
static bool isConsistent(const sdImageList* list, const void* image) {
    const sdFixture* fixtures = sdImage_Items(image, PART_FIXTURES);
    const char* head = sdImage_Items(image, PART_HEADS);
    const char* details = sdImage_Items(image, PART_DETAILS(list));
    int64_t objectCount = 0;
    int64_t left = (int64_t)sdImage_Line(image, PART_DETAILS(list))->used * DETAIL_SIZE;
    for (int i = 0; i < sdImage_Line(image, PART_FIXTURES)->used; ++i) {
        objectCount += hasObject(&fixtures[i].def.shape) ? 1 : 0;
    }
    for (int i = 0; i < sdImage_Line(image, PART_HEADS)->used; ++i, head += HEAD_SIZE) {
        int64_t size = measureDetails(head, details, left);
        if (size < 0 || size > left) {
            return false;
        }
        details += size;
        left -= size;
    }
    return objectCount == sdImage_Line(image, PART_OBJECTS)->used && left == 0;
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
    if (fault == NULL && !isConsistent(&list, image)) {
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
