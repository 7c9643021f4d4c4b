// SPDX-License-Identifier: MIT
// broadphase.c - proxies: their ids, fat boxes and filters; the choice of the kind.
//
// In:   boxes in double.
// Out:  fat boxes in float, and the slots that have changed, for pairs.c, query.c and the kinds.
// Note: a removed proxy that has pairs keeps its slot until they have been reported as lost, so
//       that removing costs nothing by itself and is dealt with for all at once.

#include "broadphase/broadphase.h"

#include "broadphase/tree.h"

/// A fat box is renewed when a side of it is further out than so many times its margin: once is
/// what a new one has, three times one that is grown ahead.
#define FAT_SLACK 4.0

/// ... and by this fraction of its coordinates, for the rounding to float.
#define FAT_ROUNDING 1e-6

/// Most bodies that a cell of an octree may be asked to hold: then it is brute force.
#define MOST_IN_A_CELL 1000000

/// A box is grown ahead by so many margins at most ...
#define MOST_AHEAD 2.0

/// ... unless it has jumped by more than so many, which says nothing about where it goes.
#define JUMP 4.0

/// Where its way is known, it is grown ahead by so many times that, and by so many margins at most.
/// With more, boxes are renewed less often, but have more pairs.
#define WAYS_AHEAD 2.5f
#define MOST_KNOWN_AHEAD 8.0f

static const sdBroadphaseOps* const kinds[SD_BROADPHASE_KIND_COUNT] = {
    [SD_BROADPHASE_TREE] = &sdTree_Ops,
    [SD_BROADPHASE_OCTREE] = &sdOctree_Ops,
    [SD_BROADPHASE_SAP] = &sdSap_Ops,
    [SD_BROADPHASE_BRUTE] = &sdBrute_Ops,
    [SD_BROADPHASE_ALL_PAIRS] = &sdAllPairs_Ops,
};

static bool isKind(sdBroadphaseKind kind) {
    return (int)kind >= 0 && kind < SD_BROADPHASE_KIND_COUNT;
}

const char* sdBroadphaseKind_Name(sdBroadphaseKind kind) {
    return isKind(kind) ? kinds[kind]->name : "unknown";
}

sdBroadphaseDef sdBroadphaseDef_Default(void) {
    return (sdBroadphaseDef){.kind = SD_BROADPHASE_TREE,
                             .margin = 0.05f,
                             .marginFraction = 0.125f,
                             .prediction = 1.0f,
                             .maxPairs = 1 << 22,
                             .octreeMaxDepth = 12,
                             .octreeSplitLimit = 12,
                             .octreeMergeLimit = 6,
                             .octreeMaxCopies = 4.0f,
                             .sapAxisCount = 3};
}

sdProxyDef sdProxyDef_Default(void) {
    return (sdProxyDef){.category = 1, .mask = 0xFFFFFFFFu};
}

// ---- boxes ---------------------------------------------------------------------------------

static bool isBox(const sdWorldBox* box) {
    // written so that NaN is refused
    const double most = SD_BROADPHASE_MAX_COORDINATE;
    const sdPos* l = &box->lower;
    const sdPos* u = &box->upper;
    return l->x >= -most && l->x <= u->x && u->x <= most && l->y >= -most && l->y <= u->y &&
           u->y <= most && l->z >= -most && l->z <= u->z && u->z <= most;
}

sdResult sdBroadphase_CheckBox(const sdBroadphase* broadphase, const char* function,
                               const sdWorldBox* box) {
    if (isBox(box)) {
        return SD_OK;
    }
    const sdPos* l = &box->lower;
    const sdPos* u = &box->upper;
    const char* fault = "reaches beyond 1e15 m";
    if (!sdPos_IsFinite(*l) || !sdPos_IsFinite(*u)) {
        fault = "is not finite";
    } else if (l->x > u->x || l->y > u->y || l->z > u->z) {
        fault = "is inverted";
    }
    return sdFail(&broadphase->context, SD_ERROR_INVALID_ARGUMENT,
                  "%s: the box (%g %g %g) to (%g %g %g) %s", function, l->x, l->y, l->z, u->x, u->y,
                  u->z, fault);
}

static inline double marginOf(const sdBroadphaseDef* def, const sdWorldBox* box) {
    double x = box->upper.x - box->lower.x;
    double y = box->upper.y - box->lower.y;
    double z = box->upper.z - box->lower.z;
    double longest = x > y ? x : y;
    double fraction = (double)def->marginFraction * (longest > z ? longest : z);
    return fraction < (double)def->margin ? fraction : (double)def->margin;
}

/// The smallest float that is not below a, for |a| of at most 1e15; without a call or a branch.
static inline float roundUp(double a) {
    union {
        float f;
        int32_t i;
    } nearest = {.f = (float)a};
    // the bits of floats are ordered as integers, downwards below zero; a zero that is below a is
    // never the negative one
    int32_t isBelow = (double)nearest.f < a;
    int32_t upwards = 1 - 2 * (nearest.i < 0);
    nearest.i += isBelow * upwards;
    return nearest.f;
}

static inline float roundDown(double a) {
    return -roundUp(-a);
}

static sdAABB fatten(const sdWorldBox* box, double m) {
    return (sdAABB){
        {roundDown(box->lower.x - m), roundDown(box->lower.y - m), roundDown(box->lower.z - m)},
        {roundUp(box->upper.x + m), roundUp(box->upper.y + m), roundUp(box->upper.z + m)}};
}

/// How far an interval that has left its old one is to be grown ahead.
static inline double guessAhead(const sdBroadphaseDef* def, double margin, float oldLower,
                                float oldUpper, double lower, double upper) {
    double way = 0.5 * (lower + upper) - 0.5 * ((double)oldLower + (double)oldUpper);
    double ahead = fabs(way) <= JUMP * margin ? (double)def->prediction * way : 0.0;
    double most = MOST_AHEAD * margin;
    return ahead > most ? most : (ahead < -most ? -most : ahead);
}

/// How far a box is to be grown ahead that goes a way again and again; not at all where it would
/// leave its fat box at once.
static inline sdVec3 scaleAhead(const sdBroadphaseDef* def, sdVec3 way, float margin) {
    float most = MOST_KNOWN_AHEAD * margin, factor = WAYS_AHEAD * def->prediction;
    float longest = sdMaxF(fabsf(way.x), sdMaxF(fabsf(way.y), fabsf(way.z)));
    // written so that what is not a number is no way
    bool isShort = longest <= most;
    return sdScale(isShort ? sdMinF(factor, most / sdMaxF(longest, FLT_MIN)) : 0.0f,
                   isShort ? way : sdV3(0.0f, 0.0f, 0.0f));
}

/// Sides of an interval with margins, of which the one behind is left as it goes.
static inline float lowerSide(double lower, double margin, double ahead) {
    return roundDown(lower - margin + (ahead < margin ? ahead : margin));
}

static inline float upperSide(double upper, double margin, double ahead) {
    return roundUp(upper + margin + (ahead > -margin ? ahead : -margin));
}

/// The fat box of one that goes ahead.
static inline sdAABB fattenMoving(const sdWorldBox* box, double m, sdPos ahead) {
    sdPos l = box->lower, u = box->upper;
    return (sdAABB){
        {lowerSide(l.x, m, ahead.x), lowerSide(l.y, m, ahead.y), lowerSide(l.z, m, ahead.z)},
        {upperSide(u.x, m, ahead.x), upperSide(u.y, m, ahead.y), upperSide(u.z, m, ahead.z)}};
}

/// How much further out than a box its fat box may be before it is renewed.
static inline float slackOf(const sdAABB* fat, double margin) {
    // signs are anyone's guess, so there must be no branch on them
    float x = sdMaxF(fabsf(fat->lower.x), fabsf(fat->upper.x));
    float y = sdMaxF(fabsf(fat->lower.y), fabsf(fat->upper.y));
    float z = sdMaxF(fabsf(fat->lower.z), fabsf(fat->upper.z));
    return (float)(FAT_SLACK * margin + FAT_ROUNDING * (double)sdMaxF(x, sdMaxF(y, z)));
}

// ---- slots ---------------------------------------------------------------------------------

static void setBit(sdBitSet* set, int* count, int slot) {
    *count += sdBitSet_Test(set, slot) ? 0 : 1;
    sdBitSet_Set(set, slot);
}

/// The slot's box, or whether it is there, has changed.
static void touch(sdBroadphase* broadphase, int slot) {
    setBit(&broadphase->changed, &broadphase->changedCount, slot);
    setBit(&broadphase->touched, &broadphase->touchedCount, slot);
}

static void setFilter(sdBroadphase* broadphase, int slot, uint32_t category, uint32_t mask) {
    const sdProxyDef standard = sdProxyDef_Default();
    bool isFiltered = category != standard.category || mask != standard.mask;
    broadphase->proxies[slot].category = category;
    broadphase->proxies[slot].mask = mask;
    broadphase->traits[slot] = (uint8_t)((broadphase->traits[slot] & SD_TRAIT_STATIC) |
                                         (isFiltered ? SD_TRAIT_FILTERED : 0));
}

static bool isLive(const sdBroadphase* broadphase, sdProxyId id) {
    int slot = sdProxyId_Slot(id);
    return id != SD_NULL_PROXY && slot < broadphase->ids.slotCount &&
           broadphase->fits[slot].id == id;
}

static sdResult failStale(const sdBroadphase* broadphase, const char* function, sdProxyId id) {
    return sdFail(&broadphase->context, SD_ERROR_STALE_ID,
                  "%s: proxy 0x%08x is not there; it was removed, or never added", function,
                  (unsigned)id);
}

static bool growTo(const sdAllocator* allocator, void* array, size_t itemSize, int* capacity,
                   int count) {
    if (count <= *capacity) {
        return true;
    }
    void* old;
    memcpy(&old, array, sizeof old);
    void* data = sdArray_Grow(allocator, old, itemSize, capacity, count);
    if (data != NULL) {
        memcpy(array, &data, sizeof data);
    }
    return data != NULL;
}

/// Make room for one slot more, so that adding a proxy cannot fail half-way.
static bool reserveSlot(sdBroadphase* bp) {
    const sdAllocator* allocator = &bp->context.allocator;
    int count = bp->ids.slotCount + 1;
    return growTo(allocator, &bp->boxes, sizeof(sdAABB), &bp->boxCapacity, count) &&
           growTo(allocator, &bp->proxies, sizeof(sdProxy), &bp->proxyCapacity, count) &&
           growTo(allocator, &bp->traits, 1, &bp->traitCapacity, count) &&
           growTo(allocator, &bp->loners, 1, &bp->lonerCapacity, count) &&
           growTo(allocator, &bp->fits, sizeof(sdFit), &bp->fitCapacity, count) &&
           sdPartners_ReserveSlots(&bp->partners, allocator, count) &&
           sdBitSet_Reserve(&bp->changed, allocator, count) &&
           sdBitSet_Reserve(&bp->touched, allocator, count);
}

// ---- life ----------------------------------------------------------------------------------

const char* sdBroadphaseDef_FindFault(const sdBroadphaseDef* def) {
    const char* fault = NULL;
    if (!isKind(def->kind)) {
        fault = "kind is not one of sdBroadphaseKind";
    } else if (!(def->margin >= 0.0f && def->margin <= 1e6f)) {
        fault = "margin must be 0 to 1e6 m";
    } else if (!(def->marginFraction >= 0.0f && def->marginFraction <= 1e6f)) {
        fault = "marginFraction must be 0 to 1e6";
    } else if (!(def->prediction >= 0.0f && def->prediction <= 1e6f)) {
        fault = "prediction must be 0 to 1e6";
    } else if (def->maxPairs < 1 || def->maxPairs > SD_BROADPHASE_MAX_PAIRS) {
        fault = "maxPairs must be 1 to SD_BROADPHASE_MAX_PAIRS";
    } else if ((int)def->treeBuilder < 0 || def->treeBuilder >= SD_TREE_BUILDER_COUNT) {
        fault = "treeBuilder is not one of sdTreeBuilder";
    } else if (def->octreeMaxDepth < 0 || def->octreeMaxDepth > SD_OCTREE_MAX_DEPTH) {
        fault = "octreeMaxDepth must be 0 to SD_OCTREE_MAX_DEPTH";
    } else if (def->octreeSplitLimit < 1 || def->octreeSplitLimit > MOST_IN_A_CELL) {
        fault = "octreeSplitLimit must be 1 to a million";
    } else if (def->octreeMergeLimit < 0 || def->octreeMergeLimit > def->octreeSplitLimit) {
        fault = "octreeMergeLimit must be 0 to octreeSplitLimit";
    } else if (!(def->octreeMaxCopies >= 1.0f && def->octreeMaxCopies <= 8.0f)) {
        fault = "octreeMaxCopies must be 1 to 8";
    } else if (def->sapAxisCount < 1 || def->sapAxisCount > 3) {
        fault = "sapAxisCount must be 1, 2 or 3";
    }
    return fault;
}

sdResult sdBroadphase_Create(const sdContext* context, const sdBroadphaseDef* def,
                             sdBroadphase** out) {
    const sdBroadphaseDef standard = sdBroadphaseDef_Default();
    def = def != NULL ? def : &standard;
    sdContext own;
    sdResult result = sdContext_Resolve(context, &own);
    if (out != NULL) {
        *out = NULL;
    }
    if (result != SD_OK) {
        return result;
    }
    if (out == NULL) {
        return sdFail(&own, SD_ERROR_INVALID_ARGUMENT, "sdBroadphase_Create: out is NULL");
    }
    const char* fault = sdBroadphaseDef_FindFault(def);
    if (fault != NULL) {
        return sdFail(&own, SD_ERROR_INVALID_ARGUMENT,
                      "sdBroadphase_Create: %s; start from sdBroadphaseDef_Default", fault);
    }
    sdBroadphase* bp = sdAllocZero(&own.allocator, sizeof(sdBroadphase));
    if (bp == NULL) {
        return sdFailMemory(&own, "sdBroadphase_Create", sizeof(sdBroadphase));
    }
    bp->context = own;
    bp->def = *def;
    bp->ops = kinds[def->kind];
    bp->sinks = sdAllocZero(&own.allocator, (size_t)own.tasks.workerCount * sizeof(sdPairSink));
    bp->state = bp->ops->stateSize > 0 ? sdAllocZero(&own.allocator, bp->ops->stateSize) : NULL;
    if (bp->sinks == NULL || (bp->ops->stateSize > 0 && bp->state == NULL)) {
        sdBroadphase_Destroy(bp);
        return sdFailMemory(&own, "sdBroadphase_Create", def->kind);
    }
    *out = bp;
    return SD_OK;
}

void sdBroadphase_Destroy(sdBroadphase* broadphase) {
    if (broadphase == NULL) {
        return;
    }
    sdBroadphase* bp = broadphase;
    sdContext context = bp->context;
    const sdAllocator* allocator = &context.allocator;
    if (bp->state != NULL) {
        bp->ops->clear(bp);
        sdFree(allocator, bp->state, bp->ops->stateSize);
    }
    for (int i = 0; bp->sinks != NULL && i < context.tasks.workerCount; ++i) {
        for (int k = 0; k < SD_PAIRS_COUNT; ++k) {
            sdKeyArray_Free(&bp->sinks[i].keys[k], allocator);
        }
    }
    sdFree(allocator, bp->sinks, (size_t)context.tasks.workerCount * sizeof(sdPairSink));
    sdFree(allocator, bp->boxes, (size_t)bp->boxCapacity * sizeof(sdAABB));
    sdFree(allocator, bp->proxies, (size_t)bp->proxyCapacity * sizeof(sdProxy));
    sdFree(allocator, bp->traits, (size_t)bp->traitCapacity);
    sdFree(allocator, bp->loners, (size_t)bp->lonerCapacity);
    sdFree(allocator, bp->fits, (size_t)bp->fitCapacity * sizeof(sdFit));
    sdBitSet_Free(&bp->changed, allocator);
    sdBitSet_Free(&bp->touched, allocator);
    sdIntArray_Free(&bp->order, allocator);
    sdPartners_Free(&bp->partners, allocator);
    for (int k = 0; k < SD_PAIRS_COUNT; ++k) {
        sdKeyArray_Free(&bp->keys[k], allocator);
    }
    sdKeyArray_Free(&bp->scratch, allocator);
    sdProxyPairArray_Free(&bp->newPairs, allocator);
    sdProxyPairArray_Free(&bp->lostPairs, allocator);
    sdIdPool_Free(&bp->ids, allocator);
    sdFree(allocator, bp, sizeof(sdBroadphase));
}

// ---- proxies -------------------------------------------------------------------------------

sdResult sdBroadphase_Add(sdBroadphase* broadphase, const sdProxyDef* def, sdProxyId* out) {
    if (out != NULL) {
        *out = SD_NULL_PROXY;
    }
    if (broadphase == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    if (def == NULL || out == NULL) {
        return sdFail(&broadphase->context, SD_ERROR_INVALID_ARGUMENT,
                      "sdBroadphase_Add: %s is NULL", def == NULL ? "def" : "out");
    }
    sdResult result = sdBroadphase_CheckBox(broadphase, "sdBroadphase_Add", &def->box);
    if (result != SD_OK) {
        return result;
    }
    uint32_t id = SD_NULL_ID;
    result = reserveSlot(broadphase)
                 ? sdIdPool_Alloc(&broadphase->ids, &broadphase->context.allocator, &id)
                 : SD_ERROR_OUT_OF_MEMORY;
    if (result == SD_ERROR_LIMIT) {
        return sdFail(&broadphase->context, result,
                      "sdBroadphase_Add: all %d slots are in use or worn out", SD_MAX_SLOTS);
    }
    if (result != SD_OK) {
        return sdFailMemory(&broadphase->context, "sdBroadphase_Add", sizeof(sdProxy));
    }
    int slot = sdId_Index(id);
    double margin = marginOf(&broadphase->def, &def->box);
    broadphase->boxes[slot] = fatten(&def->box, margin);
    broadphase->proxies[slot] = (sdProxy){.userData = def->userData};
    broadphase->traits[slot] = def->isStatic ? SD_TRAIT_STATIC : 0;
    broadphase->loners[slot] = 0;
    broadphase->fits[slot] = (sdFit){slackOf(broadphase->boxes + slot, margin), id};
    setFilter(broadphase, slot, def->category, def->mask);
    touch(broadphase, slot);
    *out = id;
    return SD_OK;
}

static void fattenProxy(sdBroadphase* broadphase, int slot, const sdWorldBox* box, double margin,
                        sdPos ahead) {
    sdAABB fat = fattenMoving(box, margin, ahead);
    broadphase->fits[slot].slack = slackOf(&fat, margin);
    broadphase->boxes[slot] = fat;
}

/// Give a proxy a new fat box.
static sdResult renew(sdBroadphase* broadphase, sdProxyId id, const sdWorldBox* box) {
    if (!isLive(broadphase, id)) {
        return failStale(broadphase, "sdBroadphase_Move", id);
    }
    if (!isBox(box)) {
        return sdBroadphase_CheckBox(broadphase, "sdBroadphase_Move", box);
    }
    const sdAABB* old = broadphase->boxes + sdProxyId_Slot(id);
    const sdBroadphaseDef* def = &broadphase->def;
    double m = marginOf(def, box);
    sdPos l = box->lower, u = box->upper;
    sdPos ahead = {guessAhead(def, m, old->lower.x, old->upper.x, l.x, u.x),
                   guessAhead(def, m, old->lower.y, old->upper.y, l.y, u.y),
                   guessAhead(def, m, old->lower.z, old->upper.z, l.z, u.z)};
    fattenProxy(broadphase, sdProxyId_Slot(id), box, m, ahead);
    touch(broadphase, sdProxyId_Slot(id));
    return SD_OK;
}

sdResult sdBroadphase_Move(sdBroadphase* broadphase, sdProxyId id, sdWorldBox box) {
    if (broadphase == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    return sdBroadphase_MoveMany(broadphase, &id, &box, 1);
}

sdResult sdBroadphase_MoveMany(sdBroadphase* broadphase, const sdProxyId* ids,
                               const sdWorldBox* boxes, int count) {
    if (broadphase == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    if (count < 0 || (count > 0 && (ids == NULL || boxes == NULL))) {
        return sdFail(&broadphase->context, SD_ERROR_INVALID_ARGUMENT,
                      "sdBroadphase_MoveMany: ids or boxes is NULL, or count is negative");
    }
    for (int i = 0; i < count; ++i) {
        i += SD_DISPATCH(sdBroadphase_CountFitting)(broadphase, ids + i, boxes + i, count - i);
        sdResult result = i < count ? renew(broadphase, ids[i], boxes + i) : SD_OK;
        if (result != SD_OK) {
            return result;
        }
    }
    return SD_OK;
}

bool sdBroadphase_NeedsMove(const sdBroadphase* broadphase, sdProxyId id, sdWorldBox box) {
    return broadphase == NULL ||
           SD_DISPATCH(sdBroadphase_CountFitting)(broadphase, &id, &box, 1) == 0;
}

bool sdBroadphase_Refit(sdBroadphase* broadphase, sdProxyId id, const sdWorldBox* box, sdVec3 way) {
    double margin = marginOf(&broadphase->def, box);
    sdVec3 ahead = scaleAhead(&broadphase->def, way, (float)margin);
    float most = sdMaxF(fabsf(ahead.x), sdMaxF(fabsf(ahead.y), fabsf(ahead.z)));
    if (SD_DISPATCH(sdBroadphase_FitsOnItsWay)(broadphase, id, box, most) ||
        !isLive(broadphase, id) || !isBox(box)) {
        return false;
    }
    fattenProxy(broadphase, sdProxyId_Slot(id), box, margin,
                sdPos_Make((double)ahead.x, (double)ahead.y, (double)ahead.z));
    return true;
}

void sdBroadphase_Touch(sdBroadphase* broadphase, sdProxyId id) {
    touch(broadphase, sdProxyId_Slot(id));
}

sdResult sdBroadphase_Remove(sdBroadphase* broadphase, sdProxyId id) {
    if (broadphase == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    if (!isLive(broadphase, id)) {
        return failStale(broadphase, "sdBroadphase_Remove", id);
    }
    int slot = sdProxyId_Slot(id);
    touch(broadphase, slot);
    broadphase->boxes[slot] = sdAABB_Empty();
    broadphase->fits[slot].id = SD_NULL_PROXY;
    if (broadphase->partners.lists[slot].count > 0) {
        broadphase->proxies[slot].isLeaving = true;
        broadphase->leavingCount += 1;
    } else {
        sdIdPool_Release(&broadphase->ids, id);
    }
    return SD_OK;
}

sdResult sdBroadphase_SetFilter(sdBroadphase* broadphase, sdProxyId id, uint32_t category,
                                uint32_t mask) {
    if (broadphase == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    if (!isLive(broadphase, id)) {
        return failStale(broadphase, "sdBroadphase_SetFilter", id);
    }
    int slot = sdProxyId_Slot(id);
    const sdProxy* proxy = broadphase->proxies + slot;
    if (proxy->category != category || proxy->mask != mask) {
        setFilter(broadphase, slot, category, mask);
        broadphase->haveFiltersChanged = true;
        setBit(&broadphase->touched, &broadphase->touchedCount, slot);
    }
    return SD_OK;
}

bool sdBroadphase_IsValidId(const sdBroadphase* broadphase, sdProxyId id) {
    return broadphase != NULL && isLive(broadphase, id);
}

int sdBroadphase_GetProxyCount(const sdBroadphase* broadphase) {
    return broadphase != NULL ? broadphase->ids.liveCount - broadphase->leavingCount : 0;
}

uint64_t sdBroadphase_GetUserData(const sdBroadphase* broadphase, sdProxyId id) {
    return sdBroadphase_IsValidId(broadphase, id) ? broadphase->proxies[sdProxyId_Slot(id)].userData
                                                  : 0;
}

sdAABB sdBroadphase_GetFatBox(const sdBroadphase* broadphase, sdProxyId id) {
    return sdBroadphase_IsValidId(broadphase, id) ? broadphase->boxes[sdProxyId_Slot(id)]
                                                  : sdAABB_Empty();
}

// ---- the kind ------------------------------------------------------------------------------

bool sdBroadphase_ListSlots(sdBroadphase* broadphase, const sdBitSet* set, int count) {
    sdIntArray* order = &broadphase->order;
    if (!sdIntArray_Reserve(order, &broadphase->context.allocator, count)) {
        return false;
    }
    int listed = 0;
    for (int i = 0; i < set->wordCount && listed < count; ++i) {
        for (uint64_t word = set->words[i]; word != 0 && listed < count; word &= word - 1) {
            order->data[listed++] = 64 * i + __builtin_ctzll(word);
        }
    }
    order->count = listed;
    return true;
}

/// The kind knows nothing any more, so everything is new to it.
static void forgetKind(sdBroadphase* bp) {
    bp->ops->clear(bp);
    sdBitSet_ClearAll(&bp->changed);
    bp->changedCount = 0;
    for (int slot = 0; slot < bp->ids.slotCount; ++slot) {
        setBit(&bp->changed, &bp->changedCount, slot);
    }
}

sdResult sdBroadphase_ApplyChanges(sdBroadphase* broadphase, const char* function) {
    sdBroadphase* bp = broadphase;
    if (bp->changedCount == 0) {
        return SD_OK;
    }
    if (!sdBroadphase_ListSlots(bp, &bp->changed, bp->changedCount)) {
        return sdFailMemory(&bp->context, function, (size_t)bp->changedCount * sizeof(int));
    }
    sdResult result = bp->ops->update(bp, bp->order.data, bp->order.count);
    if (result != SD_OK) {
        forgetKind(bp);
        return sdFail(&bp->context, result, "%s: no memory for the %s of %d proxies", function,
                      bp->ops->name, sdBroadphase_GetProxyCount(bp));
    }
    sdBitSet_ClearAll(&bp->changed);
    bp->changedCount = 0;
    return SD_OK;
}

sdResult sdBroadphase_Refresh(sdBroadphase* broadphase) {
    return broadphase != NULL ? sdBroadphase_ApplyChanges(broadphase, "sdBroadphase_Refresh")
                              : SD_ERROR_INVALID_ARGUMENT;
}

/// Let a new kind take in everything; the old one is given back when that fails.
static sdResult switchKind(sdBroadphase* bp, const sdBroadphaseOps* ops, void* state) {
    const sdBroadphaseOps* oldOps = bp->ops;
    void* oldState = bp->state;
    bp->ops = ops;
    bp->state = state;
    sdResult result = ops->update(bp, bp->order.data, bp->order.count);
    if (result != SD_OK) {
        ops->clear(bp);
        bp->ops = oldOps;
        bp->state = oldState;
        return result;
    }
    bp->ops = oldOps;
    bp->state = oldState;
    oldOps->clear(bp);
    sdFree(&bp->context.allocator, oldState, oldOps->stateSize);
    bp->ops = ops;
    bp->state = state;
    return SD_OK;
}

sdResult sdBroadphase_SetKind(sdBroadphase* broadphase, sdBroadphaseKind kind) {
    if (broadphase == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    sdBroadphase* bp = broadphase;
    if (!isKind(kind)) {
        return sdFail(&bp->context, SD_ERROR_INVALID_ARGUMENT,
                      "sdBroadphase_SetKind: %d is not one of sdBroadphaseKind", (int)kind);
    }
    const sdBroadphaseOps* ops = kinds[kind];
    if (ops == bp->ops) {
        return SD_OK;
    }
    bool changesPairs = ops->ignoresBoxes != bp->ops->ignoresBoxes;
    void* state = sdAllocZero(&bp->context.allocator, ops->stateSize);
    sdResult result = SD_ERROR_OUT_OF_MEMORY;
    if ((state != NULL || ops->stateSize == 0) &&
        sdBroadphase_ListSlots(bp, &bp->ids.taken, bp->ids.slotCount)) {
        result = switchKind(bp, ops, state);
    }
    if (result != SD_OK) {
        sdFree(&bp->context.allocator, state, ops->stateSize);
        return sdFailMemory(&bp->context, "sdBroadphase_SetKind", ops->stateSize);
    }
    bp->def.kind = kind;
    sdBitSet_ClearAll(&bp->changed);
    bp->changedCount = 0;
    for (int slot = 0; changesPairs && slot < bp->ids.slotCount; ++slot) {
        setBit(&bp->touched, &bp->touchedCount, slot);
    }
    return SD_OK;
}

sdResult sdBroadphase_Rebuild(sdBroadphase* broadphase, sdTreeBuilder builder) {
    if (broadphase == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    sdBroadphase* bp = broadphase;
    if (bp->ops != &sdTree_Ops || (int)builder < 0 || builder >= SD_TREE_BUILDER_COUNT) {
        return sdFail(&bp->context, SD_ERROR_INVALID_ARGUMENT,
                      "sdBroadphase_Rebuild: the kind is not SD_BROADPHASE_TREE, or %d is not one "
                      "of sdTreeBuilder",
                      (int)builder);
    }
    // after this all that is present has its place
    sdResult result = sdBroadphase_ApplyChanges(bp, "sdBroadphase_Rebuild");
    if (result != SD_OK) {
        return result;
    }
    result = sdTree_Build(bp, sdTree_Of(bp), builder);
    if (result != SD_OK) {
        forgetKind(bp);
        return sdFailMemory(&bp->context, "sdBroadphase_Rebuild",
                            (size_t)bp->ids.liveCount * sizeof(sdAABB));
    }
    return SD_OK;
}
