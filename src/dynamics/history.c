// SPDX-License-Identifier: MIT
// history.c - the last steps of a world, as one snapshot and how each one before it differs.
//
// Differences go backwards, from the newer to the older: the newest, from which most ways start, is
// there as it is, and the oldest can be forgotten without touching another. Parts of images are
// compared with each other, so that a list that has grown does not shift all that comes after it.

#include "dynamics/snapshot.h"

#include "base/delta.h"
#include "dynamics/fixture.h"

/// One that is not the newest.
typedef struct Frame {
    uint8_t* delta;   ///< from the image of the next
    size_t deltaSize; ///< with SD_DELTA_SLACK
    size_t imageSize;
    sdShapeArray objects; ///< references of its own
} Frame;

struct sdHistory {
    sdContext context;
    sdSnapshot* newest;
    sdSnapshot* other; ///< to work with
    uint8_t* scratch;
    size_t scratchSize;
    Frame* frames; ///< a ring
    int capacity;  ///< of the ring
    int first;     ///< the oldest
    int count;     ///< of frames, without the newest
    size_t byteCount;
};

// ---- differences of images -----------------------------------------------------------------

/// Head and table, which are of one size in all images.
static size_t headSize(const void* image) {
    return (size_t)sdImage_Line(image, 0)->offset;
}

static size_t partSize(const void* image, int part) {
    return sdSnapshot_EndOfPart(image, part) - (size_t)sdImage_Line(image, part)->offset;
}

static size_t encode(const void* from, const void* to, uint8_t* delta) {
    size_t head = headSize(to);
    size_t size = sdDelta_Encode(from, head, to, head, delta);
    for (int i = 0; i < (int)sdImage_Head(to)->partCount; ++i) {
        size += sdDelta_Encode(sdImage_Items(from, i), partSize(from, i), sdImage_Items(to, i),
                               partSize(to, i), delta + size);
    }
    return size;
}

static void decode(const void* from, void* to, const uint8_t* delta) {
    size_t head = headSize(from);
    // then the table says where the parts of the other image are
    delta += sdDelta_Decode(from, head, to, head, delta);
    for (int i = 0; i < (int)sdImage_Head(from)->partCount; ++i) {
        delta += sdDelta_Decode(sdImage_Items(from, i), partSize(from, i),
                                (char*)to + sdImage_Line(to, i)->offset, partSize(to, i), delta);
    }
}

/// Most bytes of a difference of images.
static size_t boundOf(const void* to) {
    size_t size = sdDelta_Bound(headSize(to));
    for (int i = 0; i < (int)sdImage_Head(to)->partCount; ++i) {
        size += sdDelta_Bound(partSize(to, i));
    }
    return size;
}

// ---- frames --------------------------------------------------------------------------------

static Frame* frameAt(const sdHistory* history, int index) {
    return &history->frames[(history->first + index) % history->capacity];
}

static size_t bytesOf(const Frame* frame) {
    return frame->deltaSize + (size_t)frame->objects.capacity * sizeof(sdShape);
}

static void dropFrame(sdHistory* history, Frame* frame) {
    const sdAllocator* allocator = &history->context.allocator;
    history->byteCount -= bytesOf(frame);
    for (int i = 0; i < frame->objects.count; ++i) {
        sdShape_Release(&frame->objects.data[i]);
    }
    sdShapeArray_Free(&frame->objects, allocator);
    sdFree(allocator, frame->delta, frame->deltaSize);
    *frame = (Frame){0};
}

static bool reserveScratch(sdHistory* history, size_t size) {
    if (size <= history->scratchSize) {
        return true;
    }
    const sdAllocator* allocator = &history->context.allocator;
    uint8_t* scratch = sdAlloc(allocator, size + size / 8);
    if (scratch == NULL) {
        return false;
    }
    sdFree(allocator, history->scratch, history->scratchSize);
    history->scratch = scratch;
    history->scratchSize = size + size / 8;
    return true;
}

/// How to come back from `other`, which is newer, to the newest.
static bool makeFrame(sdHistory* history, Frame* frame) {
    const sdAllocator* allocator = &history->context.allocator;
    const sdSnapshot* newest = history->newest;
    int objectCount = newest->objects.count;
    *frame = (Frame){.imageSize = newest->size};
    if (!reserveScratch(history, boundOf(newest->image)) ||
        !sdShapeArray_Resize(&frame->objects, allocator, objectCount)) {
        return false;
    }
    size_t size = encode(history->other->image, newest->image, history->scratch);
    frame->deltaSize = size + SD_DELTA_SLACK;
    frame->delta = sdAlloc(allocator, frame->deltaSize);
    if (frame->delta == NULL) {
        sdShapeArray_Free(&frame->objects, allocator);
        return false;
    }
    memcpy(frame->delta, history->scratch, size);
    memset(frame->delta + size, 0, SD_DELTA_SLACK);
    for (int i = 0; i < objectCount; ++i) {
        frame->objects.data[i] = newest->objects.data[i];
        sdShape_Retain(&frame->objects.data[i]);
    }
    return true;
}

static void swap(sdHistory* history) {
    sdSnapshot* newest = history->newest;
    history->newest = history->other;
    history->other = newest;
}

// ---- public --------------------------------------------------------------------------------

sdResult sdHistory_Create(const sdContext* context, int capacity, sdHistory** out) {
    if (out != NULL) {
        *out = NULL;
    }
    sdContext own;
    sdResult result = sdContext_Resolve(context, &own);
    if (result != SD_OK) {
        return result;
    }
    if (out == NULL || capacity < 1 || capacity > SD_HISTORY_MAX_COUNT) {
        return sdFail(&own, SD_ERROR_INVALID_ARGUMENT,
                      "sdHistory_Create: out is NULL, or a capacity of %d is not within 1 .. %d",
                      capacity, SD_HISTORY_MAX_COUNT);
    }
    sdHistory* history = sdAllocZero(&own.allocator, sizeof *history);
    if (history == NULL) {
        return sdFailMemory(&own, "sdHistory_Create", sizeof *history);
    }
    history->context = own;
    history->capacity = capacity;
    history->frames = sdAllocZero(&own.allocator, (size_t)capacity * sizeof(Frame));
    result = history->frames != NULL ? sdSnapshot_Create(&own, &history->newest)
                                     : sdFailMemory(&own, "sdHistory_Create", sizeof(Frame));
    if (result == SD_OK) {
        result = sdSnapshot_Create(&own, &history->other);
    }
    if (result != SD_OK) {
        sdHistory_Destroy(history);
        return result;
    }
    *out = history;
    return SD_OK;
}

void sdHistory_Destroy(sdHistory* history) {
    if (history == NULL) {
        return;
    }
    sdContext context = history->context;
    for (int i = 0; i < history->count; ++i) {
        dropFrame(history, frameAt(history, i));
    }
    sdSnapshot_Destroy(history->newest);
    sdSnapshot_Destroy(history->other);
    sdFree(&context.allocator, history->scratch, history->scratchSize);
    sdFree(&context.allocator, history->frames, (size_t)history->capacity * sizeof(Frame));
    sdFree(&context.allocator, history, sizeof *history);
}

sdResult sdHistory_Record(sdHistory* history, const sdWorld* world) {
    if (history == NULL) {
        return sdFail(world != NULL ? &world->context : NULL, SD_ERROR_INVALID_ARGUMENT,
                      "sdHistory_Record: history must not be NULL");
    }
    sdResult result = sdWorld_Save(world, history->other);
    if (result != SD_OK) {
        return result;
    }
    if (history->newest->size > 0 && history->capacity > 1) {
        Frame frame;
        if (!makeFrame(history, &frame)) {
            return sdFailMemory(&history->context, "sdHistory_Record", history->newest->size);
        }
        if (history->count == history->capacity - 1) {
            dropFrame(history, frameAt(history, 0));
            history->first = (history->first + 1) % history->capacity;
            history->count -= 1;
        }
        history->byteCount += bytesOf(&frame);
        *frameAt(history, history->count++) = frame;
    }
    swap(history);
    return SD_OK;
}

/// Make `other` what was recorded so many snapshots before the newest.
static bool decodeTo(sdHistory* history, int back) {
    sdSnapshot* other = history->other;
    size_t most = history->newest->size;
    for (int i = 1; i <= back; ++i) {
        size_t size = frameAt(history, history->count - i)->imageSize;
        most = size > most ? size : most;
    }
    const Frame* last = frameAt(history, history->count - back);
    // the scratch memory holds every second image
    if (!sdSnapshot_Reserve(other, most) || !reserveScratch(history, most) ||
        !sdShapeArray_Reserve(&other->objects, &history->context.allocator, last->objects.count)) {
        return false;
    }
    const void* from = history->newest->image;
    for (int i = 1; i <= back; ++i) {
        // the last one must come to lie in the snapshot
        void* to = (back - i) % 2 == 0 ? other->image : (void*)history->scratch;
        decode(from, to, frameAt(history, history->count - i)->delta);
        from = to;
    }
    other->size = last->imageSize;
    other->isSealed = false;
    sdSnapshot_TakeObjects(other, last->objects.data, last->objects.count);
    return true;
}

sdResult sdHistory_Restore(sdHistory* history, sdWorld* world, int back) {
    if (history == NULL || world == NULL) {
        return sdFail(world != NULL ? &world->context : NULL, SD_ERROR_INVALID_ARGUMENT,
                      "sdHistory_Restore: history and world must not be NULL");
    }
    if (back < 0 || back >= sdHistory_GetCount(history)) {
        return sdFail(&history->context, SD_ERROR_INVALID_ARGUMENT,
                      "sdHistory_Restore: %d back from the newest, but there are %d snapshots",
                      back, sdHistory_GetCount(history));
    }
    if (back == 0) {
        return sdWorld_Restore(world, history->newest);
    }
    if (!decodeTo(history, back)) {
        return sdFailMemory(&history->context, "sdHistory_Restore", history->newest->size);
    }
    sdResult result = sdWorld_Restore(world, history->other);
    if (result != SD_OK) {
        return result;
    }
    for (int i = 0; i < back; ++i) {
        dropFrame(history, frameAt(history, --history->count));
    }
    swap(history);
    return SD_OK;
}

int sdHistory_GetCount(const sdHistory* history) {
    return history != NULL && history->newest->size > 0 ? history->count + 1 : 0;
}

size_t sdHistory_GetByteCount(const sdHistory* history) {
    if (history == NULL) {
        return 0;
    }
    return sizeof *history + (size_t)history->capacity * sizeof(Frame) + history->byteCount +
           history->newest->capacity + history->other->capacity + history->scratchSize;
}
