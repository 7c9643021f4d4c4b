// SPDX-License-Identifier: MIT
// delta.h - how one run of words differs from another, in few bytes.
//
// Words are compared by exclusive or. Blocks of eight that do not differ at all cost nothing, and
// of the others only the lower bytes are kept: numbers that changed a little agree in their upper
// ones. Made for images of a world, step after step.

#ifndef SD_BASE_DELTA_H
#define SD_BASE_DELTA_H

#include <stddef.h>
#include <stdint.h>

/// Bytes behind a difference that may be read, and do not matter.
#define SD_DELTA_SLACK 4

/// Most bytes that the difference of `size` bytes takes.
size_t sdDelta_Bound(size_t size);

/// Write how `to` differs from `from`. Beyond fromSize, `from` counts as zero.
/// @param size of `to`; sizes are multiples of 4
/// @return bytes written
size_t sdDelta_Encode(const void* from, size_t fromSize, const void* to, size_t size,
                      uint8_t* delta);

/// Make `to` from `from` and the difference.
/// @return bytes read
size_t sdDelta_Decode(const void* from, size_t fromSize, void* to, size_t size,
                      const uint8_t* delta);

#endif
