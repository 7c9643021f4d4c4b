// SPDX-License-Identifier: MIT
// image.h - a flat copy of things that lie in many arrays, and the way back.
//
// Whoever owns the arrays lists them once, as parts. The list serves to measure, to write, to make
// room and to read, so that what is listed cannot be forgotten in one of them. An image is a head,
// a table with a line for each part, and the parts one after the other; it has no addresses.
//
// Reading never fails half-way: sdImage_Reserve takes all memory that is needed, which nobody sees,
// and sdImage_ReadPart cannot fail.

#ifndef SD_BASE_IMAGE_H
#define SD_BASE_IMAGE_H

#include "base/memory.h"

/// Changes whenever the meaning of a part does. Sizes and names of parts look after themselves.
#define SD_IMAGE_VERSION 8u

#define SD_IMAGE_MAX_PARTS 96

/// Items in memory that grows, or a value.
typedef struct sdImagePart {
    const char* name;
    void* items;   ///< address of the pointer to the items; of a value: its own. NULL: the owner
                   ///< writes and reads them himself
    int* capacity; ///< items that there is room for; NULL: a value
    int* count;    ///< items in use, set when read; NULL: somebody else knows
    int used;      ///< items that are written
    int itemSize;  ///< bytes
    bool isBitSet; ///< items beyond those in use are zero
} sdImagePart;

typedef struct sdImageList {
    sdImagePart parts[SD_IMAGE_MAX_PARTS];
    int count;
} sdImageList;

typedef struct sdImageHead {
    uint64_t magic;
    uint32_t version;
    uint32_t partCount;
    uint64_t layout;   ///< hash of the names and sizes of all parts
    uint64_t settings; ///< of the owner, which have to be the same where it is read
    uint64_t size;     ///< of the image, bytes
    uint64_t checksum; ///< of the image with 0 in this place; 0: not sealed
} sdImageHead;

/// A line of the table.
typedef struct sdImageLine {
    uint64_t offset; ///< of the part, bytes from the head; a multiple of 8
    int32_t used;
    int32_t room; ///< items that its owner had room for
} sdImageLine;

#define SD_IMAGE_VALUE(list, value) sdImageList_AddValue((list), #value, &(value), sizeof(value))

/// Of SD_DEFINE_ARRAY.
#define SD_IMAGE_ARRAY(list, array)                                                                \
    sdImageList_Add((list), (sdImagePart){.name = #array,                                          \
                                          .items = &(array).data,                                  \
                                          .capacity = &(array).capacity,                           \
                                          .count = &(array).count,                                 \
                                          .used = (array).count,                                   \
                                          .itemSize = (int)sizeof *(array).data})

/// The same, of which only the room counts: what is in it lasts no longer than a step, or its owner
/// writes and reads it himself.
#define SD_IMAGE_ROOM(list, array)                                                                 \
    sdImageList_Add((list), (sdImagePart){.name = #array,                                          \
                                          .items = &(array).data,                                  \
                                          .capacity = &(array).capacity,                           \
                                          .count = &(array).count,                                 \
                                          .itemSize = (int)sizeof *(array).data})

#define SD_IMAGE_BITS(list, set)                                                                   \
    sdImageList_Add((list), (sdImagePart){.name = #set,                                            \
                                          .items = &(set).words,                                   \
                                          .capacity = &(set).wordCount,                            \
                                          .used = (set).wordCount,                                 \
                                          .itemSize = (int)sizeof *(set).words,                    \
                                          .isBitSet = true})

#define SD_IMAGE_SLOTS(list, pool)                                                                 \
    SD_IMAGE_BITS(list, (pool).taken), SD_IMAGE_VALUE(list, (pool).slotCount),                     \
        SD_IMAGE_VALUE(list, (pool).liveCount), SD_IMAGE_VALUE(list, (pool).firstFree)

#define SD_IMAGE_IDS(list, pool)                                                                   \
    SD_IMAGE_SLOTS(list, pool),                                                                    \
        sdImageList_Add((list), (sdImagePart){.name = #pool,                                       \
                                              .items = &(pool).generations,                        \
                                              .capacity = &(pool).capacity,                        \
                                              .used = (pool).slotCount,                            \
                                              .itemSize = 1})

/// @return the part's index
int sdImageList_Add(sdImageList* list, sdImagePart part);
int sdImageList_AddValue(sdImageList* list, const char* name, void* value, size_t size);

/// Bytes that the image of a list takes.
size_t sdImage_Measure(const sdImageList* list);

/// Head and table, then the parts but for those that their owner writes himself; these in any
/// order, by any thread.
/// @param image room for as many bytes, aligned as memory of sdAlloc
void sdImage_WriteTable(const sdImageList* list, uint64_t settings, void* image);
void sdImage_WritePart(const sdImageList* list, void* image, int part);

/// Fill in the checksum, before the image leaves the program.
void sdImage_Seal(void* image);

/// Look at bytes that came from outside.
/// @param list of any owner of the kind
/// @return what is wrong, or NULL; *result receives SD_ERROR_VERSION or SD_ERROR_BAD_FILE
const char* sdImage_Check(const sdImageList* list, const void* image, size_t size,
                          sdResult* result);

/// Let an owner's arrays be those in an image that is whole, to look at them: nothing is copied but
/// values, and nothing may be changed.
void sdImage_View(const sdImageList* list, const void* image);

/// Rooms are hints. Those of an image from outside are cut to what is used when all together would
/// take far more memory than the image.
void sdImage_LimitRooms(const sdImageList* list, void* image);

/// Have room for at least so many items of a part.
/// @param items as they were listed
void sdImage_RaiseRoom(const sdImageList* list, void* image, const void* items, int room);

/// Make room for what is in an image.
/// @return false when memory is short; there may be more room, and nothing else has changed
bool sdImage_Reserve(const sdImageList* list, const void* image, const sdAllocator* allocator);

/// Take a part from an image, for which there is room; in any order, by any thread.
void sdImage_ReadPart(const sdImageList* list, const void* image, int part);

static inline const sdImageHead* sdImage_Head(const void* image) {
    return (const sdImageHead*)image;
}

static inline const sdImageLine* sdImage_Line(const void* image, int part) {
    return (const sdImageLine*)(const void*)(sdImage_Head(image) + 1) + part;
}

/// The items of a part, in the image.
static inline const void* sdImage_Items(const void* image, int part) {
    return (const char*)image + sdImage_Line(image, part)->offset;
}

#endif
