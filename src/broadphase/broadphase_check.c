// SPDX-License-Identifier: MIT
// broadphase_check.c - whether a broad phase that came from outside is one.
//
// In:   a broad phase whose arrays are those of an image, made by anyone.
// Out:  what does not agree, in words.
// Note: in the order in which one thing can be looked at after the other; in linear time. That a
//       pair stands in both lists is seen without a search: whoever goes through all lists in order
//       meets the lower partners of a slot in the order of its own list.

#include "broadphase/broadphase_image.h"

/// Blocks of partners have 2^2 places at least, and lie at multiples of it.
#define SMALLEST_CLASS 2
#define LARGEST_CLASS 30

/// m, of fat boxes.
#define MAX_COORDINATE 2e15f

// ---- slots ---------------------------------------------------------------------------------

static bool isBox(const sdAABB* box) {
    // written so that NaN is refused
    const sdVec3 *l = &box->lower, *u = &box->upper;
    return l->x >= -MAX_COORDINATE && l->x <= u->x && u->x <= MAX_COORDINATE &&
           l->y >= -MAX_COORDINATE && l->y <= u->y && u->y <= MAX_COORDINATE &&
           l->z >= -MAX_COORDINATE && l->z <= u->z && u->z <= MAX_COORDINATE;
}

static bool isSlot(const sdBroadphase* bp, int slot) {
    sdProxyId id = sdIdPool_GetId(&bp->ids, slot);
    bool isPresent = bp->fits[slot].id != SD_NULL_PROXY;
    if (bp->traits[slot] > (SD_TRAIT_STATIC | SD_TRAIT_FILTERED) || bp->loners[slot] != 0) {
        return false;
    }
    if (isPresent) {
        return bp->fits[slot].id == id && bp->fits[slot].slack >= 0.0f &&
               sdIsFinite(bp->fits[slot].slack) && isBox(bp->boxes + slot);
    }
    const sdAABB none = sdAABB_Empty();
    return memcmp(bp->boxes + slot, &none, sizeof none) == 0 &&
           (id == SD_NULL_PROXY || sdBitSet_Test(&bp->touched, slot));
}

static bool areSlots(const sdBroadphase* bp) {
    int leavingCount = 0;
    for (int slot = 0; slot < bp->ids.slotCount; ++slot) {
        bool isThere = bp->fits[slot].id != SD_NULL_PROXY;
        bool shouldLeave = !isThere && sdIdPool_GetId(&bp->ids, slot) != SD_NULL_PROXY;
        uint8_t isLeaving;
        memcpy(&isLeaving, &bp->proxies[slot].isLeaving, 1);
        if (!isSlot(bp, slot) || isLeaving != (shouldLeave ? 1 : 0)) {
            return false;
        }
        leavingCount += isLeaving;
    }
    return leavingCount == bp->leavingCount;
}

// ---- partners ------------------------------------------------------------------------------

/// Mark the places of a block, none of which may be marked already.
static bool takeBlock(const sdPartners* partners, uint64_t* marks, int64_t offset, int sizeClass) {
    int64_t size = (int64_t)1 << sizeClass;
    if (offset < 0 || offset % (1 << SMALLEST_CLASS) != 0 || offset + size > partners->pool.count) {
        return false;
    }
    for (int64_t i = offset >> SMALLEST_CLASS; i < (offset + size) >> SMALLEST_CLASS; ++i) {
        uint64_t bit = (uint64_t)1 << (i & 63);
        if ((marks[i >> 6] & bit) != 0) {
            return false;
        }
        marks[i >> 6] |= bit;
    }
    return true;
}

static bool isList(const sdPartners* partners, const sdPartnerList* list, uint64_t* marks) {
    if (list->sizeClass == 0) {
        return list->offset == 0 && list->count == 0 && list->reserved == 0;
    }
    return list->sizeClass >= SMALLEST_CLASS && list->sizeClass <= LARGEST_CLASS &&
           list->reserved == 0 && list->count >= 0 &&
           list->count <= (int64_t)1 << list->sizeClass &&
           takeBlock(partners, marks, list->offset, list->sizeClass);
}

/// No two lists, or blocks that are free, share a place.
static bool areBlocks(const sdBroadphase* bp, uint64_t* marks) {
    const sdPartners* partners = &bp->partners;
    for (int i = 0; i < partners->listCount; ++i) {
        if (!isList(partners, &partners->lists[i], marks) ||
            (partners->lists[i].count > 0 && sdIdPool_GetId(&bp->ids, i) == SD_NULL_ID)) {
            return false;
        }
    }
    for (int k = 0; k < SD_PARTNER_CLASS_COUNT; ++k) {
        bool isClass = k >= SMALLEST_CLASS && k <= LARGEST_CLASS;
        // a block that comes twice is marked already
        for (int32_t next = partners->freeBlocks[k]; next != 0;
             next = partners->pool.data[next - 1]) {
            if (!isClass || !takeBlock(partners, marks, (int64_t)next - 1, k)) {
                return false;
            }
        }
    }
    return true;
}

/// Every list is sorted, and a pair stands in both lists.
/// @param seen of each slot, how many lower partners have come; zeroed
static bool arePairs(const sdBroadphase* bp, int* seen) {
    int64_t count = 0;
    for (int slot = 0; slot < bp->ids.slotCount; ++slot) {
        const sdPartnerList* list = bp->partners.lists + slot;
        const int32_t* partners = sdPartners_Get(&bp->partners, slot);
        int lowerCount = seen[slot];
        if (lowerCount < list->count && partners[lowerCount] <= slot) {
            return false;
        }
        int last = slot;
        for (int i = lowerCount; i < list->count; ++i) {
            int partner = partners[i];
            if (partner <= last || partner >= bp->ids.slotCount) {
                return false;
            }
            int place = seen[partner]++;
            if (place >= bp->partners.lists[partner].count ||
                sdPartners_Get(&bp->partners, partner)[place] != slot) {
                return false;
            }
            last = partner;
        }
        count += list->count;
    }
    return count == 2 * (int64_t)bp->pairCount;
}

static const char* faultOfPartners(const sdBroadphase* bp, const sdAllocator* allocator,
                                   sdResult* result) {
    size_t wordCount = ((size_t)bp->partners.pool.count >> (SMALLEST_CLASS + 6)) + 1;
    size_t size = wordCount * sizeof(uint64_t) + (size_t)bp->ids.slotCount * sizeof(int);
    uint64_t* marks = sdAllocZero(allocator, size);
    if (marks == NULL) {
        *result = SD_ERROR_OUT_OF_MEMORY;
        return "no memory to look at its pairs";
    }
    const char* fault = NULL;
    if (!areBlocks(bp, marks)) {
        fault = "its lists of partners overlap or lie outside their memory";
    } else if (!arePairs(bp, (int*)(void*)(marks + wordCount))) {
        fault = "its pairs of boxes do not agree with each other";
    }
    sdFree(allocator, marks, size);
    return fault;
}

// ---- all -----------------------------------------------------------------------------------

const char* sdBroadphase_FindFault(const sdBroadphase* broadphase, const sdAllocator* allocator,
                                   sdResult* result) {
    const sdBroadphase* bp = broadphase;
    int count = bp->ids.slotCount;
    uint8_t haveFiltersChanged;
    memcpy(&haveFiltersChanged, &bp->haveFiltersChanged, 1);
    *result = SD_ERROR_BAD_FILE;
    if (!sdIdPool_IsSound(&bp->ids)) {
        return "its ids of boxes do not agree with each other";
    }
    if (bp->boxCapacity != count || bp->proxyCapacity != count || bp->traitCapacity != count ||
        bp->lonerCapacity != count || bp->fitCapacity != count || bp->partners.listCount < count) {
        return "its boxes are not as many as their ids";
    }
    if (!sdBitSet_IsWithin(&bp->touched, count) ||
        sdBitSet_Count(&bp->touched) != bp->touchedCount || haveFiltersChanged > 1 ||
        !areSlots(bp)) {
        return "a box is not finite, or not where its id says";
    }
    return faultOfPartners(bp, allocator, result);
}
