// SPDX-License-Identifier: MIT
// names.h - names that are found again, and the known word that was probably meant.

#ifndef SD_SCENEFILE_NAMES_H
#define SD_SCENEFILE_NAMES_H

#include "scenefile.h"

/// Names and a number for each. They are not copied.
typedef struct sdNames {
    sdAllocator allocator;
    const char** names; ///< in the order in which they were added
    int* values;
    int* slots; ///< of an open table: 0 for none, else 1 + place in `names`
    int count, capacity;
    int slotCount; ///< a power of two
} sdNames;

void sdNames_Init(sdNames* names, const sdAllocator* allocator);
void sdNames_Free(sdNames* names);

/// Forget all, keep the memory.
void sdNames_Clear(sdNames* names);

/// @return false when there is no memory; a name that is there already keeps its value
bool sdNames_Add(sdNames* names, const char* name, int value);

/// @return SD_NULL_INDEX when there is none of that name
int sdNames_Find(const sdNames* names, const char* name);

/// Of the first thousand names.
const char* sdNames_Nearest(const sdNames* names, const char* name);

#endif
