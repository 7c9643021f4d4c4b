// SPDX-License-Identifier: MIT
// pairs.c - which pairs are new, which are lost, which there are.
//
// In:   touched slots; the pairs that the kind finds around them.
// Out:  changes, sorted by slots; the lists of partners brought up to date.
// Note: a pair can only be lost when one of its two was touched, so the lists of touched slots tell
//       what is lost without asking the kind. Everything that can fail comes before the first
//       change: a failed update leaves the pairs as they were and the touched slots touched.

#include "base/sort.h"
#include "base/timer.h"
#include "broadphase/broadphase.h"

/// Touched slots that a task takes at once, at least.
#define LOST_GRAIN 256

/// With more slots than this, what is needed next may not be in a cache near by.
#define MANY_SLOTS 8192

/// Up to this many keys are sorted by comparing.
#define FEW_KEYS 128

static int slotA(uint64_t key) {
    return (int)(key >> 32);
}

static int slotB(uint64_t key) {
    return (int)(uint32_t)key;
}

// ---- keys ----------------------------------------------------------------------------------

static bool isSorted(const sdKeyArray* keys) {
    for (int i = 1; i < keys->count; ++i) {
        if (keys->data[i - 1] > keys->data[i]) {
            return false;
        }
    }
    return true;
}

static int bitsOf(int count) {
    int bits = 1;
    while (bits < 31 && count >> bits != 0) {
        ++bits;
    }
    return bits;
}

/// By both slots, or by the upper one alone, equals staying in order. scratch has the room.
static void sortKeys(sdBroadphase* bp, sdKeyArray* keys, bool byUpperOnly) {
    if (isSorted(keys)) {
        return;
    }
    if (keys->count <= FEW_KEYS) {
        sdSortKeys(keys->data, keys->count);
        return;
    }
    int bits = bitsOf(bp->ids.slotCount);
    if (!byUpperOnly) {
        sdSortKeysByBits(keys->data, bp->scratch.data, keys->count, 0, bits);
    }
    sdSortKeysByBits(keys->data, bp->scratch.data, keys->count, 32, bits);
}

static void dropDoubles(sdKeyArray* keys) {
    int kept = 0;
    for (int i = 0; i < keys->count; ++i) {
        if (kept == 0 || keys->data[i] != keys->data[kept - 1]) {
            keys->data[kept++] = keys->data[i];
        }
    }
    keys->count = kept;
}

static void push(const sdBroadphase* bp, sdPairSink* sink, sdPairList list, uint64_t key) {
    if (!sdKeyArray_Push(&sink->keys[list], &bp->context.allocator, key)) {
        sink->result = SD_ERROR_OUT_OF_MEMORY;
    }
}

bool sdPairSink_Add(const sdBroadphase* broadphase, sdPairSink* sink, int a, int b) {
    if (a == b || sdBroadphase_IsKnown(broadphase, a, b) ||
        !sdBroadphase_MayMeet(broadphase, a, b)) {
        return sink->result == SD_OK;
    }
    if (sink->keys[SD_PAIRS_NEW].count >= sink->limit) {
        sink->result = SD_ERROR_LIMIT;
        return false;
    }
    push(broadphase, sink, SD_PAIRS_NEW, sdPairKey((uint32_t)a, (uint32_t)b));
    return sink->result == SD_OK;
}

/// Join what the workers found and sort it.
static bool gather(sdBroadphase* bp, sdPairList list) {
    sdKeyArray* out = &bp->keys[list];
    int64_t total = 0;
    for (int i = 0; i < bp->context.tasks.workerCount; ++i) {
        total += bp->sinks[i].keys[list].count;
    }
    if (!sdKeyArray_Reserve(out, &bp->context.allocator, total) ||
        !sdKeyArray_Reserve(&bp->scratch, &bp->context.allocator, total)) {
        return false;
    }
    out->count = 0;
    for (int i = 0; i < bp->context.tasks.workerCount; ++i) {
        const sdKeyArray* keys = &bp->sinks[i].keys[list];
        if (keys->count > 0) {
            memcpy(out->data + out->count, keys->data, (size_t)keys->count * sizeof keys->data[0]);
        }
        out->count += keys->count;
    }
    sortKeys(bp, out, false);
    return true;
}

static sdResult resultOfSinks(const sdBroadphase* bp) {
    sdResult result = SD_OK;
    for (int i = 0; i < bp->context.tasks.workerCount; ++i) {
        // short memory may have hidden that there is a limit, not the other way round
        result =
            bp->sinks[i].result == SD_ERROR_LIMIT || result == SD_OK ? bp->sinks[i].result : result;
    }
    return result;
}

static void resetSinks(sdBroadphase* bp) {
    for (int i = 0; i < bp->context.tasks.workerCount; ++i) {
        sdPairSink* sink = bp->sinks + i;
        for (int k = 0; k < SD_PAIRS_COUNT; ++k) {
            sink->keys[k].count = 0;
        }
        sink->testCount = 0;
        sink->result = SD_OK;
    }
}

// ---- lost pairs ----------------------------------------------------------------------------

/// Without a branch for each side: which one keeps two boxes apart is anyone's guess.
static bool doOverlap(const sdAABB* a, const sdAABB* b) {
    // six numbers in a row, taken as (lx ly lz ux) and (lz ux uy uz)
    sdF4 lowerA, upperA, lowerB, upperB;
    memcpy(&lowerA, &a->lower.x, sizeof lowerA);
    memcpy(&upperA, &a->lower.z, sizeof upperA);
    memcpy(&lowerB, &b->lower.x, sizeof lowerB);
    memcpy(&upperB, &b->lower.z, sizeof upperB);
    upperA = __builtin_shufflevector(upperA, upperA, 1, 2, 3, 3);
    upperB = __builtin_shufflevector(upperB, upperB, 1, 2, 3, 3);
    sdI8 isIn = sdF8_LessEqual(sdF8_Join(lowerA, lowerB), sdF8_Join(upperB, upperA));
    return (sdI8_MaskBits(isIn) & 0x77) == 0x77;
}

static bool isStillPair(const sdBroadphase* bp, int a, int b) {
    // where no proxy is, the box is empty
    bool isNear = bp->ops->ignoresBoxes
                      ? sdBroadphase_IsPresent(bp, a) && sdBroadphase_IsPresent(bp, b)
                      : doOverlap(bp->boxes + a, bp->boxes + b);
    return isNear && (!bp->haveFiltersChanged || sdBroadphase_MayMeet(bp, a, b));
}

/// Mark the partners that a touched slot has lost.
static void markLost(sdBroadphase* bp, sdPairSink* sink, int slot) {
    int32_t* partners = sdPartners_Get(&bp->partners, slot);
    int count = bp->partners.lists[slot].count;
    int lostCount = 0;
    sdKeyArray* lost = &sink->keys[SD_PAIRS_LOST];
    if (!sdKeyArray_Reserve(lost, &bp->context.allocator, (int64_t)lost->count + count)) {
        sink->result = SD_ERROR_OUT_OF_MEMORY;
        return;
    }
    for (int i = 0; i < count; ++i) {
        int partner = partners[i];
        if (isStillPair(bp, slot, partner)) {
            continue;
        }
        partners[i] = partner | SD_PARTNER_MARK;
        ++lostCount;
        // a partner that is touched marks its own list
        bool isOwn = sdBitSet_Test(&bp->touched, partner);
        lost->data[lost->count] = sdPairKey((uint32_t)slot, (uint32_t)partner);
        lost->count += !isOwn | (slot < partner);
        if (!isOwn) {
            push(bp, sink, SD_PAIRS_REMOVALS, (uint64_t)partner << 32 | (uint32_t)slot);
        }
    }
    bp->loners[slot] = lostCount == count ? 1 : 0;
}

/// What slots further on will need, fetched ahead: they lie anywhere in memory.
static void prefetchPartners(const sdBroadphase* bp, int i, int end) {
    if (i + 16 < end) {
        __builtin_prefetch(bp->partners.lists + bp->order.data[i + 16]);
    }
    if (i + 8 < end) {
        __builtin_prefetch(sdPartners_Get(&bp->partners, bp->order.data[i + 8]));
    }
    if (i + 4 < end) {
        int slot = bp->order.data[i + 4];
        const int32_t* partners = sdPartners_Get(&bp->partners, slot);
        int count = sdMinI(bp->partners.lists[slot].count, 8);
        for (int k = 0; k < count; ++k) {
            __builtin_prefetch(bp->boxes + partners[k]);
        }
    }
}

static void lostTask(void* arg, int begin, int end, int worker) {
    sdBroadphase* bp = arg;
    bool areMany = bp->ids.slotCount > MANY_SLOTS;
    for (int i = begin; i < end; ++i) {
        if (areMany) {
            prefetchPartners(bp, i, end);
        }
        markLost(bp, bp->sinks + worker, bp->order.data[i]);
    }
}

/// Take the marks away again, or, with `commit`, what they mark.
static void settleMarks(sdBroadphase* bp, bool commit) {
    for (int k = 0; k < bp->order.count; ++k) {
        int slot = bp->order.data[k];
        sdPartnerList* list = bp->partners.lists + slot;
        int32_t* partners = sdPartners_Get(&bp->partners, slot);
        int count = commit && bp->loners[slot] != 0 ? 0 : list->count;
        int kept = 0;
        for (int i = 0; i < count; ++i) {
            int partner = partners[i];
            partners[kept] = partner & ~SD_PARTNER_MARK;
            kept += partner >= 0 || !commit ? 1 : 0;
        }
        list->count = kept;
        bp->loners[slot] = 0;
        sdPartners_Trim(&bp->partners, slot);
    }
}

// ---- the update ----------------------------------------------------------------------------

static sdResult findLost(sdBroadphase* bp) {
    const sdTaskSystem* tasks = &bp->context.tasks;
    tasks->parallelFor(tasks->user, lostTask, bp, bp->order.count, LOST_GRAIN);
    sdResult result = resultOfSinks(bp);
    if (result == SD_OK && (!gather(bp, SD_PAIRS_LOST) || !gather(bp, SD_PAIRS_REMOVALS))) {
        result = SD_ERROR_OUT_OF_MEMORY;
    }
    return result;
}

static sdResult findNew(sdBroadphase* bp) {
    // those that are gone have nothing to find: they go to the end
    int* order = bp->order.data;
    int count = 0;
    for (int i = 0; i < bp->order.count; ++i) {
        int slot = order[i];
        if (sdBroadphase_IsPresent(bp, slot)) {
            order[i] = order[count];
            order[count++] = slot;
        }
    }
    int64_t room = (int64_t)bp->def.maxPairs - bp->pairCount + bp->keys[SD_PAIRS_LOST].count;
    for (int i = 0; i < bp->context.tasks.workerCount; ++i) {
        // a kind may report a pair twice
        bp->sinks[i].limit = 2 * room;
    }
    bp->ops->findPairs(bp, bp->order.data, count);
    sdResult result = resultOfSinks(bp);
    if (result == SD_OK && !gather(bp, SD_PAIRS_NEW)) {
        result = SD_ERROR_OUT_OF_MEMORY;
    }
    if (result == SD_OK) {
        dropDoubles(&bp->keys[SD_PAIRS_NEW]);
        result = bp->keys[SD_PAIRS_NEW].count > room ? SD_ERROR_LIMIT : SD_OK;
    }
    return result;
}

/// newKeys with the slots changed over, sorted, in the sink's array, which is not used any more.
static sdKeyArray* transposeNew(sdBroadphase* bp) {
    sdKeyArray* turned = &bp->sinks[0].keys[SD_PAIRS_NEW];
    if (!sdKeyArray_Resize(turned, &bp->context.allocator, bp->keys[SD_PAIRS_NEW].count)) {
        return NULL;
    }
    for (int i = 0; i < bp->keys[SD_PAIRS_NEW].count; ++i) {
        turned->data[i] =
            bp->keys[SD_PAIRS_NEW].data[i] << 32 | bp->keys[SD_PAIRS_NEW].data[i] >> 32;
    }
    sortKeys(bp, turned, true);
    return turned;
}

/// Of a proxy that is leaving as well.
static sdProxyId idOf(const sdBroadphase* bp, int slot) {
    sdProxyId id = bp->fits[slot].id;
    return id != SD_NULL_PROXY ? id : sdIdPool_GetId(&bp->ids, slot);
}

static void writePairs(const sdBroadphase* bp, const sdKeyArray* keys, sdProxyPairArray* out) {
    for (int i = 0; i < keys->count; ++i) {
        out->data[i].a = idOf(bp, slotA(keys->data[i]));
        out->data[i].b = idOf(bp, slotB(keys->data[i]));
    }
    out->count = keys->count;
}

static void releaseLeaving(sdBroadphase* bp) {
    for (int slot = sdBitSet_Next(&bp->touched, 0); bp->leavingCount > 0 && slot != SD_NULL_INDEX;
         slot = sdBitSet_Next(&bp->touched, slot + 1)) {
        if (sdBitSet_Test(&bp->ids.taken, slot) && bp->proxies[slot].isLeaving) {
            bp->proxies[slot].isLeaving = false;
            sdIdPool_Release(&bp->ids, sdIdPool_GetId(&bp->ids, slot));
            bp->leavingCount -= 1;
        }
    }
}

/// All that still may fail, then what may not.
static sdResult commit(sdBroadphase* bp) {
    const sdAllocator* allocator = &bp->context.allocator;
    const sdKeyArray* turned = transposeNew(bp);
    if (turned == NULL ||
        !sdProxyPairArray_Reserve(&bp->newPairs, allocator, bp->keys[SD_PAIRS_NEW].count) ||
        !sdProxyPairArray_Reserve(&bp->lostPairs, allocator, bp->keys[SD_PAIRS_LOST].count)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    const sdKeyArray* keys = &bp->keys[SD_PAIRS_NEW];
    if (!sdPartners_Reserve(&bp->partners, allocator, keys->data, keys->count)) {
        sdPartners_Unreserve(&bp->partners, keys->data, keys->count);
        return SD_ERROR_OUT_OF_MEMORY;
    }
    if (!sdPartners_Reserve(&bp->partners, allocator, turned->data, turned->count)) {
        sdPartners_Unreserve(&bp->partners, keys->data, keys->count);
        sdPartners_Unreserve(&bp->partners, turned->data, turned->count);
        return SD_ERROR_OUT_OF_MEMORY;
    }
    settleMarks(bp, true);
    sdPartners_Remove(&bp->partners, bp->keys[SD_PAIRS_REMOVALS].data,
                      bp->keys[SD_PAIRS_REMOVALS].count);
    sdPartners_Insert(&bp->partners, keys->data, keys->count);
    sdPartners_Insert(&bp->partners, turned->data, turned->count);
    writePairs(bp, keys, &bp->newPairs);
    writePairs(bp, &bp->keys[SD_PAIRS_LOST], &bp->lostPairs);
    bp->pairCount += keys->count - bp->keys[SD_PAIRS_LOST].count;
    releaseLeaving(bp);
    sdBitSet_ClearAll(&bp->touched);
    bp->touchedCount = 0;
    bp->haveFiltersChanged = false;
    return SD_OK;
}

/// The timer, or 0 when nobody wants to know.
static uint64_t startTimer(const sdBroadphase* bp) {
    return bp->def.enableTiming ? sdTimer_Now() : 0;
}

static float lap(const sdBroadphase* bp, uint64_t* time) {
    return bp->def.enableTiming ? sdTimer_LapMs(time) : 0.0f;
}

static sdResult updateTouched(sdBroadphase* bp) {
    sdBroadphaseStats* stats = &bp->stats;
    uint64_t time = startTimer(bp);
    if (!sdBroadphase_ListSlots(bp, &bp->touched, bp->touchedCount)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    resetSinks(bp);
    sdResult result = findLost(bp);
    if (result == SD_OK) {
        result = findNew(bp);
    }
    for (int i = 0; i < bp->context.tasks.workerCount; ++i) {
        stats->testCount += bp->sinks[i].testCount;
    }
    stats->findMs = lap(bp, &time);
    if (result == SD_OK) {
        result = commit(bp);
    }
    if (result != SD_OK) {
        settleMarks(bp, false);
    }
    stats->commitMs = lap(bp, &time);
    return result;
}

sdResult sdBroadphase_UpdatePairs(sdBroadphase* broadphase, sdPairChanges* changes) {
    if (changes != NULL) {
        *changes = (sdPairChanges){0};
    }
    if (broadphase == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    sdBroadphase* bp = broadphase;
    bp->stats = (sdBroadphaseStats){.touchedCount = bp->touchedCount};
    bp->newPairs.count = 0;
    bp->lostPairs.count = 0;
    uint64_t time = startTimer(bp);
    sdResult result = sdBroadphase_ApplyChanges(bp, "sdBroadphase_UpdatePairs");
    bp->stats.refreshMs = lap(bp, &time);
    if (result != SD_OK) {
        return result;
    }
    result = bp->touchedCount > 0 ? updateTouched(bp) : SD_OK;
    if (result == SD_ERROR_LIMIT) {
        return sdFail(
            &bp->context, result,
            "sdBroadphase_UpdatePairs: more than maxPairs = %d pairs; spread the proxies, "
            "filter them, or allow more",
            bp->def.maxPairs);
    }
    if (result != SD_OK) {
        return sdFailMemory(&bp->context, "sdBroadphase_UpdatePairs",
                            (size_t)bp->touchedCount * sizeof(uint64_t));
    }
    bp->stats.newCount = bp->newPairs.count;
    bp->stats.lostCount = bp->lostPairs.count;
    if (changes != NULL) {
        *changes = (sdPairChanges){bp->newPairs.data, bp->lostPairs.data, bp->newPairs.count,
                                   bp->lostPairs.count};
    }
    return SD_OK;
}

// ---- what there is -------------------------------------------------------------------------

int sdBroadphase_GetPairCount(const sdBroadphase* broadphase) {
    return broadphase != NULL ? broadphase->pairCount : 0;
}

bool sdBroadphase_HasPair(const sdBroadphase* broadphase, sdProxyId a, sdProxyId b) {
    return broadphase != NULL && sdIdPool_IsLive(&broadphase->ids, a) &&
           sdIdPool_IsLive(&broadphase->ids, b) && sdId_Index(a) < broadphase->partners.listCount &&
           sdPartners_Contains(&broadphase->partners, sdId_Index(a), sdId_Index(b));
}

int sdBroadphase_GetPairs(const sdBroadphase* broadphase, sdProxyPair* out, int capacity) {
    if (broadphase == NULL || out == NULL) {
        return sdBroadphase_GetPairCount(broadphase);
    }
    int count = 0;
    for (int slot = 0; slot < broadphase->partners.listCount && count < capacity; ++slot) {
        const int32_t* partners = sdPartners_Get(&broadphase->partners, slot);
        int partnerCount = broadphase->partners.lists[slot].count;
        for (int i = 0; i < partnerCount && count < capacity; ++i) {
            if (partners[i] > slot) {
                out[count].a = sdIdPool_GetId(&broadphase->ids, slot);
                out[count].b = sdIdPool_GetId(&broadphase->ids, partners[i]);
                ++count;
            }
        }
    }
    return broadphase->pairCount;
}

int sdBroadphase_GetPartners(const sdBroadphase* broadphase, sdProxyId id, sdProxyId* out,
                             int capacity) {
    if (!sdBroadphase_IsValidId(broadphase, id)) {
        return 0;
    }
    int slot = sdProxyId_Slot(id);
    const int32_t* partners = sdPartners_Get(&broadphase->partners, slot);
    int count = broadphase->partners.lists[slot].count;
    for (int i = 0; out != NULL && i < sdMinI(count, capacity); ++i) {
        out[i] = sdIdPool_GetId(&broadphase->ids, partners[i]);
    }
    return count;
}

sdBroadphaseStats sdBroadphase_GetStats(const sdBroadphase* broadphase) {
    if (broadphase == NULL) {
        return (sdBroadphaseStats){.kindName = "unknown"};
    }
    const sdBroadphase* bp = broadphase;
    sdBroadphaseStats stats = bp->stats;
    stats.kindName = bp->ops->name;
    stats.proxyCount = sdBroadphase_GetProxyCount(bp);
    stats.pairCount = bp->pairCount;
    stats.byteCount = sizeof *bp + (size_t)bp->boxCapacity * sizeof(sdAABB) +
                      (size_t)bp->proxyCapacity * sizeof(sdProxy) +
                      (size_t)bp->partners.listCapacity * sizeof(sdPartnerList) +
                      (size_t)bp->partners.pool.capacity * sizeof(int);
    bp->ops->getStats(bp, &stats);
    return stats;
}

// ---- checks --------------------------------------------------------------------------------

static const char* checkPartners(const sdBroadphase* bp) {
    int64_t count = 0;
    for (int slot = 0; slot < bp->ids.slotCount; ++slot) {
        const sdPartnerList* list = bp->partners.lists + slot;
        const int32_t* partners = sdPartners_Get(&bp->partners, slot);
        if (list->reserved != 0) {
            return "a place in a list of partners is still promised";
        }
        if (list->count > 0 && !sdBitSet_Test(&bp->ids.taken, slot)) {
            return "a slot without a proxy has partners";
        }
        for (int i = 0; i < list->count; ++i) {
            if (partners[i] < 0 || partners[i] >= bp->ids.slotCount || partners[i] == slot) {
                return "a partner is no slot";
            }
            if (i > 0 && partners[i - 1] >= partners[i]) {
                return "a list of partners is not sorted";
            }
            if (!sdPartners_Contains(&bp->partners, partners[i], slot)) {
                return "a partner does not know of it";
            }
            bool isDue =
                sdBitSet_Test(&bp->touched, slot) || sdBitSet_Test(&bp->touched, partners[i]);
            if (!isDue && !isStillPair(bp, slot, partners[i])) {
                return "a pair that is none any more was not touched";
            }
        }
        count += list->count;
    }
    return count == 2 * (int64_t)bp->pairCount ? NULL : "the number of pairs is wrong";
}

bool sdBroadphase_Validate(const sdBroadphase* broadphase) {
    if (broadphase == NULL) {
        return false;
    }
    const sdBroadphase* bp = broadphase;
    const char* fault = checkPartners(bp);
    if (fault == NULL && (sdBitSet_Count(&bp->touched) != bp->touchedCount ||
                          sdBitSet_Count(&bp->changed) != bp->changedCount)) {
        fault = "the number of touched or changed slots is wrong";
    }
    if (fault == NULL) {
        fault = bp->ops->validate(bp);
    }
    if (fault != NULL) {
        sdLog(&bp->context, SD_LOG_ERROR, "sdBroadphase_Validate: %s: %s", bp->ops->name, fault);
    }
    return fault == NULL;
}
