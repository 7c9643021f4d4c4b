// SPDX-License-Identifier: MIT
// partners.c - see partners.h.

#include "broadphase/partners.h"

/// Blocks have at least 2^2 places.
#define SMALLEST_CLASS 2

/// Lists up to this long are looked through from the start, longer ones by halving.
#define SHORT_COUNT 16

static int slotOf(uint64_t key) {
    return (int)(key >> 32);
}

static int partnerOf(uint64_t key) {
    return (int)(uint32_t)key;
}

static int classFor(int64_t count) {
    int sizeClass = SMALLEST_CLASS;
    while ((int64_t)1 << sizeClass < count) {
        ++sizeClass;
    }
    return sizeClass;
}

/// End of the run of keys of one slot that begins at `begin`.
static int endOfRun(const uint64_t* keys, int begin, int count) {
    int end = begin + 1;
    while (end < count && slotOf(keys[end]) == slotOf(keys[begin])) {
        ++end;
    }
    return end;
}

// ---- blocks --------------------------------------------------------------------------------

static void releaseBlock(sdPartners* partners, int offset, int sizeClass) {
    if (sizeClass > 0) {
        partners->pool.data[offset] = partners->freeBlocks[sizeClass];
        partners->freeBlocks[sizeClass] = offset + 1;
    }
}

static bool takeBlock(sdPartners* partners, const sdAllocator* allocator, int sizeClass,
                      int32_t* offset) {
    int32_t first = partners->freeBlocks[sizeClass];
    if (first > 0) {
        *offset = first - 1;
        partners->freeBlocks[sizeClass] = partners->pool.data[*offset];
        return true;
    }
    int end = partners->pool.count;
    if (!sdIntArray_Resize(&partners->pool, allocator, (int64_t)end + ((int64_t)1 << sizeClass))) {
        return false;
    }
    *offset = end;
    return true;
}

/// Give a list a block of another size that holds what is in it.
static bool changeBlock(sdPartners* partners, const sdAllocator* allocator, int slot,
                        int sizeClass) {
    int32_t offset;
    if (!takeBlock(partners, allocator, sizeClass, &offset)) {
        return false;
    }
    sdPartnerList* list = partners->lists + slot;
    int32_t* pool = partners->pool.data;
    memcpy(pool + offset, pool + list->offset, (size_t)list->count * sizeof pool[0]);
    releaseBlock(partners, list->offset, list->sizeClass);
    list->offset = offset;
    list->sizeClass = sizeClass;
    return true;
}

// ---- one list ------------------------------------------------------------------------------

/// Merge a run of keys into a list that has the room, from the back.
static void mergeRun(sdPartners* partners, const uint64_t* keys, int count) {
    sdPartnerList* list = partners->lists + slotOf(keys[0]);
    int32_t* items = partners->pool.data + list->offset;
    int from = list->count - 1;
    int to = list->count + count - 1;
    for (int i = count - 1; i >= 0; --i) {
        int partner = partnerOf(keys[i]);
        while (from >= 0 && items[from] > partner) {
            items[to--] = items[from--];
        }
        items[to--] = partner;
    }
    list->count += count;
    list->reserved -= count;
}

static void removeRun(sdPartners* partners, const uint64_t* keys, int count) {
    sdPartnerList* list = partners->lists + slotOf(keys[0]);
    int32_t* items = partners->pool.data + list->offset;
    int kept = 0;
    int next = 0;
    for (int i = 0; i < list->count; ++i) {
        if (next < count && items[i] == partnerOf(keys[next])) {
            ++next;
        } else {
            items[kept++] = items[i];
        }
    }
    list->count = kept;
}

// ---- all lists -----------------------------------------------------------------------------

void sdPartners_Free(sdPartners* partners, const sdAllocator* allocator) {
    sdFree(allocator, partners->lists, (size_t)partners->listCapacity * sizeof(sdPartnerList));
    sdIntArray_Free(&partners->pool, allocator);
    *partners = (sdPartners){0};
}

bool sdPartners_ReserveSlots(sdPartners* partners, const sdAllocator* allocator, int count) {
    if (count > partners->listCapacity) {
        sdPartnerList* lists = sdArray_Grow(allocator, partners->lists, sizeof(sdPartnerList),
                                            &partners->listCapacity, count);
        if (lists == NULL) {
            return false;
        }
        partners->lists = lists;
    }
    for (; partners->listCount < count; ++partners->listCount) {
        partners->lists[partners->listCount] = (sdPartnerList){0};
    }
    return true;
}

bool sdPartners_Reserve(sdPartners* partners, const sdAllocator* allocator, const uint64_t* keys,
                        int count) {
    for (int begin = 0, end; begin < count; begin = end) {
        end = endOfRun(keys, begin, count);
        int slot = slotOf(keys[begin]);
        sdPartnerList* list = partners->lists + slot;
        list->reserved += end - begin;
        int64_t needed = (int64_t)list->count + list->reserved;
        bool fits = list->sizeClass > 0 && needed <= (int64_t)1 << list->sizeClass;
        if (!fits && !changeBlock(partners, allocator, slot, classFor(needed))) {
            // so that taking all promises back is right for this run and those not yet seen
            for (int i = end; i < count; ++i) {
                partners->lists[slotOf(keys[i])].reserved += 1;
            }
            return false;
        }
    }
    return true;
}

void sdPartners_Unreserve(sdPartners* partners, const uint64_t* keys, int count) {
    for (int i = 0; i < count; ++i) {
        partners->lists[slotOf(keys[i])].reserved -= 1;
    }
}

void sdPartners_Insert(sdPartners* partners, const uint64_t* keys, int count) {
    for (int begin = 0, end; begin < count; begin = end) {
        end = endOfRun(keys, begin, count);
        mergeRun(partners, keys + begin, end - begin);
    }
}

void sdPartners_Remove(sdPartners* partners, const uint64_t* keys, int count) {
    for (int begin = 0, end; begin < count; begin = end) {
        end = endOfRun(keys, begin, count);
        removeRun(partners, keys + begin, end - begin);
        sdPartners_Trim(partners, slotOf(keys[begin]));
    }
}

void sdPartners_Trim(sdPartners* partners, int slot) {
    sdPartnerList* list = partners->lists + slot;
    if (list->sizeClass > 0 && list->count == 0 && list->reserved == 0) {
        releaseBlock(partners, list->offset, list->sizeClass);
        list->offset = 0;
        list->sizeClass = 0;
    }
}

bool sdPartners_Contains(const sdPartners* partners, int slot, int partner) {
    const int32_t* items = sdPartners_Get(partners, slot);
    int begin = 0;
    int end = partners->lists[slot].count;
    while (end - begin > SHORT_COUNT) {
        int middle = begin + (end - begin) / 2;
        if ((items[middle] & ~SD_PARTNER_MARK) <= partner) {
            begin = middle;
        } else {
            end = middle;
        }
    }
    // to the end: where to stop is anyone's guess, and a list is often asked for several partners
    int isThere = 0;
    for (int i = begin; i < end; ++i) {
        isThere |= (items[i] & ~SD_PARTNER_MARK) == partner;
    }
    return isThere != 0;
}
