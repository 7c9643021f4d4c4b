// SPDX-License-Identifier: MIT
// sort.h - sorting without memory and without a worst case.

#ifndef SD_BASE_SORT_H
#define SD_BASE_SORT_H

#include <stdint.h>

/// Ascending; heap sort. Whoever sorts more than numbers packs them into the high bits of the keys
/// and an index into the low ones, which also makes the order of equals the order of the indices.
void sdSortKeys(uint64_t* keys, int count);

#endif
