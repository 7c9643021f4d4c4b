// SPDX-License-Identifier: MIT
// image.c - see image.h.

#include "base/image.h"

#include "base/array.h"
#include "base/hash.h"

/// "sudarimg", read as a number: a machine of the other byte order finds something else.
#define MAGIC 0x676D697261647573u

/// Bytes of a page, of a line of the cache, and that are fetched ahead.
#define PAGE 4096u
#define LINE 64u
#define AHEAD 1024u

/// Bytes that its owner may have room for: so many times the image, and so many more.
#define MOST_ROOM 4u
#define MORE_ROOM (1u << 20)

/// Of parts within an image.
#define PART_ALIGNMENT 8u

int sdImageList_Add(sdImageList* list, sdImagePart part) {
    // the list is the same for all worlds: one test that saves one shows whether it has the room
    if (list->count < SD_IMAGE_MAX_PARTS) {
        list->parts[list->count++] = part;
    }
    return list->count - 1;
}

int sdImageList_AddValue(sdImageList* list, const char* name, void* value, size_t size) {
    return sdImageList_Add(
        list, (sdImagePart){.name = name, .items = value, .used = 1, .itemSize = (int)size});
}

// ---- places --------------------------------------------------------------------------------

static size_t sizeOf(const sdImagePart* part, int count) {
    return (size_t)count * (size_t)part->itemSize;
}

static size_t align(size_t size) {
    return (size + PART_ALIGNMENT - 1) & ~(size_t)(PART_ALIGNMENT - 1);
}

static size_t tableEnd(const sdImageList* list) {
    return sizeof(sdImageHead) + (size_t)list->count * sizeof(sdImageLine);
}

static uint64_t layoutOf(const sdImageList* list) {
    uint64_t hash = SD_IMAGE_VERSION;
    for (int i = 0; i < list->count; ++i) {
        const sdImagePart* part = &list->parts[i];
        hash = sdHash_Bytes(part->name, strlen(part->name), hash);
        hash = sdHash_Mix(hash + (uint64_t)part->itemSize);
    }
    return hash;
}

/// The pointer behind a part that has one.
static void* getItems(const sdImagePart* part) {
    void* items;
    memcpy(&items, part->items, sizeof items);
    return items;
}

static void setItems(const sdImagePart* part, void* items) {
    memcpy(part->items, &items, sizeof items);
}

size_t sdImage_Measure(const sdImageList* list) {
    size_t size = tableEnd(list);
    for (int i = 0; i < list->count; ++i) {
        size += align(sizeOf(&list->parts[i], list->parts[i].used));
    }
    return size;
}

// ---- copy ----------------------------------------------------------------------------------

/// Processors do not look beyond the end of a page: the first lines of the next one are fetched
/// while this one is copied.
static void copy(void* to, const void* from, size_t size) {
    char* target = to;
    const char* source = from;
    while (size > PAGE) {
        for (size_t line = 0; line < AHEAD; line += LINE) {
            __builtin_prefetch(source + PAGE + line);
            __builtin_prefetch(target + PAGE + line, 1);
        }
        memcpy(target, source, PAGE);
        target += PAGE;
        source += PAGE;
        size -= PAGE;
    }
    memcpy(target, source, size);
}

// ---- write ---------------------------------------------------------------------------------

static void writePart(const sdImagePart* part, char* to) {
    size_t size = sizeOf(part, part->used);
    if (part->items != NULL && size > 0) {
        copy(to, part->capacity != NULL ? getItems(part) : part->items, size);
    }
    memset(to + size, 0, align(size) - size);
}

void sdImage_WriteTable(const sdImageList* list, uint64_t settings, void* image) {
    sdImageHead head = {
        .magic = MAGIC,
        .version = SD_IMAGE_VERSION,
        .partCount = (uint32_t)list->count,
        .layout = layoutOf(list),
        .settings = settings,
        .size = sdImage_Measure(list),
    };
    memcpy(image, &head, sizeof head);
    size_t offset = tableEnd(list);
    for (int i = 0; i < list->count; ++i) {
        const sdImagePart* part = &list->parts[i];
        int room = part->capacity != NULL ? *part->capacity : part->used;
        sdImageLine line = {offset, part->used, room};
        memcpy((char*)image + sizeof head + (size_t)i * sizeof line, &line, sizeof line);
        offset += align(sizeOf(part, part->used));
    }
}

void sdImage_WritePart(const sdImageList* list, void* image, int part) {
    writePart(&list->parts[part], (char*)image + sdImage_Line(image, part)->offset);
}

// ---- check ---------------------------------------------------------------------------------

/// Never 0, which says that there is none.
static uint64_t checksumOf(const void* image) {
    sdImageHead head;
    memcpy(&head, image, sizeof head);
    head.checksum = 0;
    uint64_t hash = sdHash_Bytes(&head, sizeof head, SD_IMAGE_VERSION);
    hash = sdHash_Bytes((const char*)image + sizeof head, (size_t)head.size - sizeof head, hash);
    return hash != 0 ? hash : 1;
}

void sdImage_Seal(void* image) {
    uint64_t checksum = checksumOf(image);
    memcpy((char*)image + offsetof(sdImageHead, checksum), &checksum, sizeof checksum);
}

static bool isTable(const sdImageList* list, const void* image, size_t size) {
    size_t offset = tableEnd(list);
    for (int i = 0; i < list->count; ++i) {
        const sdImagePart* part = &list->parts[i];
        const sdImageLine* line = sdImage_Line(image, i);
        bool isValue = part->items != NULL && part->capacity == NULL;
        if (line->offset != offset || line->used < 0 || line->room < line->used ||
            (isValue && line->used != 1) ||
            (size_t)line->used > (size - offset) / (size_t)part->itemSize) {
            return false;
        }
        offset += align(sizeOf(part, line->used));
        if (offset > size) {
            return false;
        }
    }
    return offset == size;
}

const char* sdImage_Check(const sdImageList* list, const void* image, size_t size,
                          sdResult* result) {
    sdImageHead head;
    *result = SD_ERROR_BAD_FILE;
    if (size < sizeof head) {
        return "it is cut short: there is not even a head";
    }
    memcpy(&head, image, sizeof head);
    if (head.magic != MAGIC) {
        return "it is no snapshot, or one of a machine with another order of bytes";
    }
    if (head.version != SD_IMAGE_VERSION || head.layout != layoutOf(list) ||
        head.partCount != (uint32_t)list->count) {
        *result = SD_ERROR_VERSION;
        return "it was made by another version or build of the library";
    }
    if (head.size != size || size < tableEnd(list)) {
        return "it is cut short or has something after its end";
    }
    if (head.checksum != checksumOf(image) || !isTable(list, image, size)) {
        return "it was altered: the checksum does not agree";
    }
    *result = SD_OK;
    return NULL;
}

// ---- look ----------------------------------------------------------------------------------

void sdImage_View(const sdImageList* list, const void* image) {
    for (int i = 0; i < list->count; ++i) {
        const sdImagePart* part = &list->parts[i];
        int used = sdImage_Line(image, i)->used;
        if (part->capacity != NULL) {
            setItems(part, (char*)image + sdImage_Line(image, i)->offset);
            *part->capacity = used;
        } else if (part->items != NULL) {
            memcpy(part->items, sdImage_Items(image, i), (size_t)part->itemSize);
        }
        if (part->count != NULL) {
            *part->count = used;
        }
    }
}

static void setRoom(void* image, int part, int room) {
    ((sdImageLine*)sdImage_Line(image, part))->room = room;
}

void sdImage_LimitRooms(const sdImageList* list, void* image) {
    uint64_t total = 0, most = MOST_ROOM * sdImage_Head(image)->size + MORE_ROOM;
    for (int i = 0; i < list->count; ++i) {
        total += sizeOf(&list->parts[i], sdImage_Line(image, i)->room);
    }
    for (int i = 0; total > most && i < list->count; ++i) {
        setRoom(image, i, sdImage_Line(image, i)->used);
    }
}

void sdImage_RaiseRoom(const sdImageList* list, void* image, const void* items, int room) {
    int part = 0;
    while (part + 1 < list->count && list->parts[part].items != items) {
        ++part;
    }
    if (sdImage_Line(image, part)->room < room) {
        setRoom(image, part, room);
    }
}

// ---- read ----------------------------------------------------------------------------------

bool sdImage_Reserve(const sdImageList* list, const void* image, const sdAllocator* allocator) {
    for (int i = 0; i < list->count; ++i) {
        const sdImagePart* part = &list->parts[i];
        int room = sdImage_Line(image, i)->room;
        if (part->capacity == NULL || room <= *part->capacity) {
            continue;
        }
        int before = *part->capacity;
        void* items =
            sdArray_Grow(allocator, getItems(part), (size_t)part->itemSize, part->capacity, room);
        if (items == NULL) {
            return false;
        }
        setItems(part, items);
        if (part->isBitSet) {
            memset((char*)items + sizeOf(part, before), 0, sizeOf(part, *part->capacity - before));
        }
    }
    return true;
}

void sdImage_ReadPart(const sdImageList* list, const void* image, int index) {
    const sdImagePart* part = &list->parts[index];
    int used = sdImage_Line(image, index)->used;
    char* items = part->capacity != NULL ? getItems(part) : part->items;
    if (items != NULL && used > 0) {
        copy(items, sdImage_Items(image, index), sizeOf(part, used));
    }
    if (items != NULL && part->isBitSet) {
        memset(items + sizeOf(part, used), 0, sizeOf(part, *part->capacity - used));
    }
    if (part->count != NULL) {
        *part->count = used;
    }
}
