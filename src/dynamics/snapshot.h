// SPDX-License-Identifier: MIT
// snapshot.h - what a snapshot is made of, for the history.

#ifndef SD_DYNAMICS_SNAPSHOT_H
#define SD_DYNAMICS_SNAPSHOT_H

#include "base/array.h"
#include "base/image.h"
#include "sudar/snapshot.h"

SD_DEFINE_ARRAY(sdShapeArray, sdShape)

/// An image of a world (base/image.h), and references to what it cannot hold.
struct sdSnapshot {
    sdContext context;
    void* image;
    size_t size;     ///< bytes of the image; 0: empty
    size_t capacity; ///< bytes
    bool isSealed;   ///< what is only for readers elsewhere is in the image
    sdShapeArray objects;
};

/// Have memory for an image; what is there stays.
bool sdSnapshot_Reserve(sdSnapshot* snapshot, size_t size);

/// Take references instead of those that it has. There is room.
void sdSnapshot_TakeObjects(sdSnapshot* snapshot, const sdShape* objects, int count);

/// Where the parts of an image end.
static inline size_t sdSnapshot_EndOfPart(const void* image, int part) {
    const sdImageHead* head = sdImage_Head(image);
    return (size_t)(part + 1 < (int)head->partCount ? sdImage_Line(image, part + 1)->offset
                                                    : head->size);
}

#endif
