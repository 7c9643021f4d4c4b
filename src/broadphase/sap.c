// SPDX-License-Identifier: MIT
// sap.c - sweep and prune along one, two or three axes.
//
// In:   slots whose boxes are new, other or gone.
// Out:  ends of intervals, sorted; pairs found by a sweep along the axis on which fewest overlap.
// Ref:  S3 §5.3.1; Baraff, "Dynamic Simulation of Non-Penetrating Rigid Bodies", 1992.
// Note: ends are in order but for those that have moved, so insertion sort puts them right in
// little
//       more than linear time. When many are new or have gone far, it gives up and all are sorted
//       by their digits, which is linear. The order is total, so it does not depend on which of the
//       two has made it.

#include "broadphase/sap.h"

#include "base/sort.h"
#include "geometry/bounds.h"

/// Insertion sort gives up when it has moved each end so often, on average: about what sorting by
/// digits costs.
#define MOST_MOVES 16

/// It is not tried when one slot in so many has changed.
#define MANY_CHANGES 4

/// Longest intervals are taken for longer by this fraction, for the rounding of differences.
#define LENGTH_SLACK 1e-6

/// An end: its place, sortable as an integer; then whether it is an upper one, so that boxes that
/// touch overlap; then its slot.
#define PLACE_SHIFT 32
#define UPPER_BIT ((uint64_t)1 << 31)
#define SORTED_BITS 33

typedef struct Axis {
    sdKeyArray ends;
    float longest;    ///< no interval is longer
    int64_t overlaps; ///< pairs of intervals that overlap, along this axis alone
} Axis;

typedef struct Sap {
    Axis axes[3];
    sdKeyArray scratch;
    sdBitSet known; ///< slots that have ends
    sdBitSet moved; ///< slots whose ends the present update moves or drops
    int knownCount;
    int sweepAxis;

    // used in sweeps
    sdSapActive active[2]; ///< boxes that were not touched, and those that were
    float* lanes;          ///< memory of both
    int32_t* places;       ///< of each slot, in one of them
    int capacity;          ///< of slots
} Sap;

static Sap* sapOf(const sdBroadphase* broadphase) {
    return broadphase->state;
}

static int slotOf(uint64_t end) {
    return (int)(end & (UPPER_BIT - 1));
}

static bool isUpper(uint64_t end) {
    return (end & UPPER_BIT) != 0;
}

static uint64_t makeEnd(float place, int slot, bool upper) {
    // the two zeros are one place
    place += 0.0f;
    uint32_t bits;
    memcpy(&bits, &place, sizeof bits);
    bits = (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
    return (uint64_t)bits << PLACE_SHIFT | (upper ? UPPER_BIT : 0) | (uint64_t)slot;
}

static uint64_t endOf(const sdBroadphase* bp, int axis, int slot, bool upper) {
    const sdAABB* box = bp->boxes + slot;
    return makeEnd(sdVec3_Get(upper ? box->upper : box->lower, axis), slot, upper);
}

// ---- sorting -------------------------------------------------------------------------------

/// @return false when there would be too many moves
static bool insertionSort(sdKeyArray* ends) {
    int64_t left = (int64_t)MOST_MOVES * ends->count;
    uint64_t* data = ends->data;
    for (int i = 1; i < ends->count; ++i) {
        uint64_t end = data[i];
        int j = i;
        for (; j > 0 && data[j - 1] > end; --j) {
            data[j] = data[j - 1];
        }
        data[j] = end;
        left -= i - j;
        if (left < 0) {
            return false;
        }
    }
    return true;
}

static float longer(float longest, const sdAABB* box, int axis) {
    double length = (double)sdVec3_Get(box->upper, axis) - (double)sdVec3_Get(box->lower, axis);
    return sdMaxF(longest, sdRoundUp((1.0 + LENGTH_SLACK) * length));
}

/// All ends anew. Those of equal places come out in the order of their slots, as they go in.
static void digitSort(const sdBroadphase* bp, Sap* sap, int axis) {
    Axis* a = sap->axes + axis;
    sdKeyArray* ends = &a->ends;
    ends->count = 0;
    a->longest = 0.0f;
    for (int slot = sdBitSet_Next(&sap->known, 0); slot != SD_NULL_INDEX;
         slot = sdBitSet_Next(&sap->known, slot + 1)) {
        ends->data[ends->count++] = endOf(bp, axis, slot, false);
        ends->data[ends->count++] = endOf(bp, axis, slot, true);
        a->longest = longer(a->longest, bp->boxes + slot, axis);
    }
    sdSortKeysByBits(ends->data, sap->scratch.data, ends->count, PLACE_SHIFT - 1, SORTED_BITS);
}

/// Ends of moved slots to where their boxes are now; those that are gone are dropped, new ones come
/// last.
static void moveEnds(const sdBroadphase* bp, Sap* sap, int axis, const int* changed, int count) {
    Axis* a = sap->axes + axis;
    sdKeyArray* ends = &a->ends;
    int kept = 0;
    for (int i = 0; i < ends->count; ++i) {
        uint64_t end = ends->data[i];
        int slot = slotOf(end);
        if (!sdBitSet_Test(&sap->moved, slot)) {
            ends->data[kept++] = end;
        } else if (sdBitSet_Test(&sap->known, slot)) {
            ends->data[kept++] = endOf(bp, axis, slot, isUpper(end));
        }
    }
    ends->count = kept;
    for (int i = 0; i < count; ++i) {
        int slot = changed[i];
        if (!sdBitSet_Test(&sap->known, slot)) {
            continue;
        }
        a->longest = longer(a->longest, bp->boxes + slot, axis);
        if (!sdBitSet_Test(&sap->moved, slot)) {
            ends->data[ends->count++] = endOf(bp, axis, slot, false);
            ends->data[ends->count++] = endOf(bp, axis, slot, true);
        }
    }
}

static void countOverlaps(Axis* axis) {
    int64_t active = 0;
    axis->overlaps = 0;
    for (int i = 0; i < axis->ends.count; ++i) {
        bool ends = isUpper(axis->ends.data[i]);
        axis->overlaps += ends ? 0 : active;
        active += ends ? -1 : 1;
    }
}

// ---- the update ----------------------------------------------------------------------------

static void freeSweep(Sap* sap, const sdAllocator* allocator) {
    size_t lanes = (size_t)sap->capacity + SD_LANES;
    sdFree(allocator, sap->lanes, 10 * lanes * sizeof(float));
    sdFree(allocator, sap->places, (size_t)sap->capacity * sizeof(int32_t));
    sap->lanes = NULL;
    sap->places = NULL;
    sap->capacity = 0;
}

/// Room for all slots in what a sweep uses.
static bool reserveSweep(Sap* sap, const sdAllocator* allocator, int slotCount) {
    if (slotCount <= sap->capacity) {
        return true;
    }
    freeSweep(sap, allocator);
    sap->capacity = slotCount + slotCount / 2;
    size_t lanes = (size_t)sap->capacity + SD_LANES;
    sap->places = sdAllocArray(allocator, (size_t)sap->capacity, sizeof(int32_t));
    sap->lanes = sdAllocZero(allocator, 10 * lanes * sizeof(float));
    if (sap->places == NULL || sap->lanes == NULL) {
        freeSweep(sap, allocator);
        return false;
    }
    for (int i = 0; i < 2; ++i) {
        float* first = sap->lanes + (size_t)(5 * i) * lanes;
        sap->active[i] = (sdSapActive){.lower = {first, first + lanes},
                                       .upper = {first + 2 * lanes, first + 3 * lanes},
                                       .slots = (int32_t*)(void*)(first + 4 * lanes)};
    }
    return true;
}

static bool reserve(const sdBroadphase* bp, Sap* sap) {
    const sdAllocator* allocator = &bp->context.allocator;
    int slotCount = bp->ids.slotCount;
    int64_t endCount = 2 * (int64_t)slotCount;
    bool isReady = sdBitSet_Reserve(&sap->known, allocator, slotCount) &&
                   sdBitSet_Reserve(&sap->moved, allocator, slotCount) &&
                   sdKeyArray_Reserve(&sap->scratch, allocator, endCount) &&
                   reserveSweep(sap, allocator, slotCount);
    for (int axis = 0; axis < bp->def.sapAxisCount && isReady; ++axis) {
        isReady = sdKeyArray_Reserve(&sap->axes[axis].ends, allocator, endCount);
    }
    return isReady;
}

static sdResult update(sdBroadphase* broadphase, const int* changed, int count) {
    Sap* sap = sapOf(broadphase);
    if (!reserve(broadphase, sap)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        int slot = changed[i];
        if (sdBitSet_Test(&sap->known, slot)) {
            sdBitSet_Set(&sap->moved, slot);
            sdBitSet_Clear(&sap->known, slot);
            sap->knownCount -= 1;
        }
        if (sdBroadphase_IsPresent(broadphase, slot)) {
            sdBitSet_Set(&sap->known, slot);
            sap->knownCount += 1;
        }
    }
    bool areMany = (int64_t)count * MANY_CHANGES > (int64_t)sap->knownCount;
    sap->sweepAxis = 0;
    for (int axis = 0; axis < broadphase->def.sapAxisCount; ++axis) {
        Axis* a = sap->axes + axis;
        if (!areMany) {
            moveEnds(broadphase, sap, axis, changed, count);
        }
        if (areMany || !insertionSort(&a->ends)) {
            digitSort(broadphase, sap, axis);
        }
        countOverlaps(a);
        sap->sweepAxis = a->overlaps < sap->axes[sap->sweepAxis].overlaps ? axis : sap->sweepAxis;
    }
    for (int i = 0; i < count; ++i) {
        sdBitSet_Clear(&sap->moved, changed[i]);
    }
    return SD_OK;
}

// ---- the sweep -----------------------------------------------------------------------------

/// What a sweep compares: the sides of a box along the other two axes.
typedef struct Sides {
    float lower[2], upper[2];
} Sides;

static Sides sidesOf(const sdAABB* box, int sweepAxis) {
    int p = (sweepAxis + 1) % 3, q = (sweepAxis + 2) % 3;
    return (Sides){{sdVec3_Get(box->lower, p), sdVec3_Get(box->lower, q)},
                   {sdVec3_Get(box->upper, p), sdVec3_Get(box->upper, q)}};
}

static void enter(Sap* sap, sdSapActive* active, int slot, const Sides* sides) {
    int place = active->count++;
    for (int k = 0; k < 2; ++k) {
        active->lower[k][place] = sides->lower[k];
        active->upper[k][place] = sides->upper[k];
    }
    active->slots[place] = slot;
    sap->places[slot] = place;
}

/// The last one takes the place of one that leaves.
static void leave(Sap* sap, sdSapActive* active, int slot) {
    int place = sap->places[slot];
    int last = --active->count;
    for (int k = 0; k < 2; ++k) {
        active->lower[k][place] = active->lower[k][last];
        active->upper[k][place] = active->upper[k][last];
    }
    active->slots[place] = active->slots[last];
    sap->places[active->slots[place]] = place;
}

/// Boxes that were not touched are compared only with those that were.
static void findPairs(sdBroadphase* broadphase, const int* touched, int count) {
    (void)touched;
    Sap* sap = sapOf(broadphase);
    sdPairSink* sink = broadphase->sinks;
    const sdKeyArray* ends = &sap->axes[sap->sweepAxis].ends;
    sap->active[0].count = 0;
    sap->active[1].count = 0;
    bool goesOn = count > 0;
    for (int i = 0; i < ends->count && goesOn; ++i) {
        int slot = slotOf(ends->data[i]);
        bool isTouched = sdBitSet_Test(&broadphase->touched, slot);
        if (isUpper(ends->data[i])) {
            leave(sap, &sap->active[isTouched], slot);
            continue;
        }
        Sides sides = sidesOf(broadphase->boxes + slot, sap->sweepAxis);
        goesOn = SD_DISPATCH(sdSap_Compare)(broadphase, sink, &sap->active[1], slot, sides.lower,
                                            sides.upper) &&
                 (!isTouched || SD_DISPATCH(sdSap_Compare)(broadphase, sink, &sap->active[0], slot,
                                                           sides.lower, sides.upper));
        enter(sap, &sap->active[isTouched], slot, &sides);
    }
}

// ---- queries -------------------------------------------------------------------------------

/// How many ends come before one.
static int rankOf(const sdKeyArray* ends, uint64_t end) {
    int begin = 0, stop = ends->count;
    while (begin < stop) {
        int middle = begin + (stop - begin) / 2;
        if (ends->data[middle] < end) {
            begin = middle + 1;
        } else {
            stop = middle;
        }
    }
    return begin;
}

/// Ends among which are the lower ones of all intervals that overlap a box's.
typedef struct Range {
    int axis;
    int begin, end;
} Range;

/// Along the axis with the fewest.
static Range findRange(const sdBroadphase* bp, const sdAABB* box) {
    const Sap* sap = sapOf(bp);
    Range best = {0, 0, 0};
    for (int axis = 0; axis < bp->def.sapAxisCount; ++axis) {
        const Axis* a = sap->axes + axis;
        float first = sdRoundDown((double)sdVec3_Get(box->lower, axis) - (double)a->longest);
        uint64_t last = makeEnd(sdVec3_Get(box->upper, axis), 0, true);
        Range range = {axis, rankOf(&a->ends, makeEnd(first, 0, false)), rankOf(&a->ends, last)};
        best = axis == 0 || range.end - range.begin < best.end - best.begin ? range : best;
    }
    return best;
}

static void queryBox(const sdBroadphase* broadphase, const sdBoxQuery* query) {
    Range range = findRange(broadphase, &query->box);
    const sdKeyArray* ends = &sapOf(broadphase)->axes[range.axis].ends;
    for (int i = range.begin; i < range.end; ++i) {
        int slot = slotOf(ends->data[i]);
        if (!isUpper(ends->data[i]) && sdAABB_Overlaps(broadphase->boxes[slot], query->box) &&
            !sdBoxQuery_Visit(query, slot)) {
            return;
        }
    }
}

static void cast(const sdBroadphase* broadphase, sdCastQuery* query) {
    Range range = findRange(broadphase, &query->swept);
    const sdKeyArray* ends = &sapOf(broadphase)->axes[range.axis].ends;
    // nearer ones first, more or less
    bool isBackwards = query->translation[range.axis] < 0.0;
    for (int k = range.begin; k < range.end; ++k) {
        uint64_t end = ends->data[isBackwards ? range.end - 1 - (k - range.begin) : k];
        if (!isUpper(end) && sdAABB_Overlaps(broadphase->boxes[slotOf(end)], query->swept) &&
            !sdCastQuery_Visit(query, slotOf(end))) {
            return;
        }
    }
}

// ---- what there is -------------------------------------------------------------------------

static void getStats(const sdBroadphase* broadphase, sdBroadphaseStats* stats) {
    const Sap* sap = sapOf(broadphase);
    stats->byteCount += sizeof *sap + (size_t)sap->scratch.capacity * sizeof(uint64_t) +
                        (size_t)sap->capacity * 11 * sizeof(float);
    for (int axis = 0; axis < 3; ++axis) {
        stats->cellCount += sap->axes[axis].ends.count;
        stats->byteCount += (size_t)sap->axes[axis].ends.capacity * sizeof(uint64_t);
    }
}

static void visitCells(const sdBroadphase* broadphase, sdCellFcn* visit, void* arg) {
    // it has none
    (void)broadphase;
    (void)visit;
    (void)arg;
}

static const char* checkAxis(const sdBroadphase* bp, int axis) {
    const Sap* sap = sapOf(bp);
    const sdKeyArray* ends = &sap->axes[axis].ends;
    if (ends->count != 2 * sap->knownCount) {
        return "the number of ends is wrong";
    }
    for (int i = 0; i < ends->count; ++i) {
        uint64_t end = ends->data[i];
        int slot = slotOf(end);
        if (i > 0 && ends->data[i - 1] >= end) {
            return "the ends are not sorted";
        }
        if (!sdBitSet_Test(&sap->known, slot)) {
            return "there is an end of something that is not there";
        }
        if (sdBitSet_Test(&bp->changed, slot)) {
            continue;
        }
        if (end != endOf(bp, axis, slot, isUpper(end))) {
            return "an end is not where its box ends";
        }
        if (longer(0.0f, bp->boxes + slot, axis) > sap->axes[axis].longest) {
            return "there is a longer interval than the longest";
        }
    }
    return NULL;
}

static const char* validate(const sdBroadphase* broadphase) {
    const Sap* sap = sapOf(broadphase);
    const char* fault = sdBitSet_Count(&sap->known) == sap->knownCount
                            ? NULL
                            : "the number of known slots is wrong";
    for (int axis = 0; axis < broadphase->def.sapAxisCount && fault == NULL; ++axis) {
        fault = checkAxis(broadphase, axis);
    }
    return fault == NULL && sdBitSet_Count(&sap->moved) > 0 ? "a slot is still marked" : fault;
}

static void clear(sdBroadphase* broadphase) {
    Sap* sap = sapOf(broadphase);
    const sdAllocator* allocator = &broadphase->context.allocator;
    for (int axis = 0; axis < 3; ++axis) {
        sdKeyArray_Free(&sap->axes[axis].ends, allocator);
    }
    sdKeyArray_Free(&sap->scratch, allocator);
    sdBitSet_Free(&sap->known, allocator);
    sdBitSet_Free(&sap->moved, allocator);
    freeSweep(sap, allocator);
    *sap = (Sap){0};
}

const sdBroadphaseOps sdSap_Ops = {.name = "sap",
                                   .stateSize = sizeof(Sap),
                                   .update = update,
                                   .findPairs = findPairs,
                                   .queryBox = queryBox,
                                   .cast = cast,
                                   .getStats = getStats,
                                   .visitCells = visitCells,
                                   .validate = validate,
                                   .clear = clear};
