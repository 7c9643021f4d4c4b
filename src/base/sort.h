// SPDX-License-Identifier: MIT
// sort.h - sorting without allocation and without a worst case.

#ifndef SD_BASE_SORT_H
#define SD_BASE_SORT_H

#include <stdint.h>

/// Ascending; heap sort. Whoever sorts more than numbers packs them into the high bits of the keys
/// and an index into the low ones, which also makes the order of equals the order of the indices.
void sdSortKeys(uint64_t* keys, int count);

/// Ascending and stable by the bits `lowBit` .. `lowBit` + bitCount - 1 alone; radix sort, linear.
/// @param scratch room for `count` keys
void sdSortKeysByBits(uint64_t* keys, uint64_t* scratch, int count, int lowBit, int bitCount);

#endif
