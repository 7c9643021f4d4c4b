// SPDX-License-Identifier: MIT
// snapshot_check.h - whether a world that came from outside is one.

#ifndef SD_DYNAMICS_SNAPSHOT_CHECK_H
#define SD_DYNAMICS_SNAPSHOT_CHECK_H

#include "dynamics/world.h"

/// A world as an image describes it.
typedef struct sdWorldView {
    const sdWorld* world;       ///< its arrays are those of the image; shapes have their objects
    const sdManyContact* heads; ///< contacts with many patches, without these
    int headCount;
    const sdManyPatch* patches; ///< one contact after the other
    int patchCount;
} sdWorldView;

/// Look at everything: no number of it, index or link can lead a world that takes it anywhere.
/// @return what does not agree, or NULL; *result receives SD_ERROR_BAD_FILE or
///         SD_ERROR_OUT_OF_MEMORY
const char* sdWorldView_FindFault(const sdWorldView* view, const sdAllocator* allocator,
                                  sdResult* result);

/// Of the parts below.
const char* sdWorldView_FindContactFault(const sdWorldView* view);

/// Whether a number of floats in a row are finite, and not larger than a limit.
static inline bool sdAreWithin(const void* floats, size_t count, float limit) {
    uint32_t most, size, largest = 0;
    memcpy(&most, &limit, sizeof most);
    for (size_t i = 0; i < count; ++i) {
        // without the sign, the bits of floats are in the order of integers
        memcpy(&size, (const char*)floats + i * sizeof size, sizeof size);
        size &= 0x7FFFFFFFu;
        largest = size > largest ? size : largest;
    }
    return largest <= most;
}

/// A bool is one byte, and any other value of it is anyone's guess.
static inline bool sdIsBool(const bool* value) {
    uint8_t byte;
    memcpy(&byte, value, 1);
    return byte <= 1;
}

#endif
