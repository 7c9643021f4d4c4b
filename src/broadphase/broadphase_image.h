// SPDX-License-Identifier: MIT
// broadphase_image.h - a broad phase in a flat image, and the way back.
//
// What the kind has built (its tree, its cells) is not in the image: it never shows in pairs, which
// are sorted by slots. After reading, the kind is told of the boxes that are other than those it
// knows, as if they had moved. So an image suits every kind, and going back a few steps costs no
// more than stepping.

#ifndef SD_BROADPHASE_BROADPHASE_IMAGE_H
#define SD_BROADPHASE_BROADPHASE_IMAGE_H

#include "base/image.h"
#include "broadphase/broadphase.h"

/// List all that an image must hold.
/// @return the first part, for the calls below
int sdBroadphase_ListParts(sdBroadphase* broadphase, sdImageList* list);

/// Look at a broad phase whose arrays are those of an image from outside (sdImage_View).
/// @return what does not agree, or NULL; *result receives SD_ERROR_BAD_FILE or
///         SD_ERROR_OUT_OF_MEMORY
const char* sdBroadphase_FindFault(const sdBroadphase* broadphase, const sdAllocator* allocator,
                                   sdResult* result);

/// Of the settings that cannot be changed: fat boxes and limits depend on them.
uint64_t sdBroadphase_HashSettings(const sdBroadphase* broadphase);

/// After sdImage_Reserve and before sdImage_ReadPart, in this order. The first may run out of
/// memory (nothing has changed then), the second cannot.
bool sdBroadphase_ReserveImage(sdBroadphase* broadphase, const void* image, int firstPart);
void sdBroadphase_CompareImage(sdBroadphase* broadphase, const void* image, int firstPart);

/// After sdImage_ReadPart.
/// @param slotCount that there was before
void sdBroadphase_FinishImage(sdBroadphase* broadphase, int slotCount);

#endif
