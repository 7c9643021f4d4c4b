// SPDX-License-Identifier: MIT
// query.c - questions by box, ray and moving box.
//
// In:   a box or a cast, in double.
// Out:  proxies, to a callback as they are found or as a sorted list. Never allocates.
// Note: the kind is asked for what it knows; slots that have changed since it was told are looked
//       at one by one. Every answer passes the same test here, so all kinds give the same ones.

#include "broadphase/broadphase.h"
#include "geometry/bounds.h"

/// Error, relative to the coordinates, of the sums and quotients of sdCastQuery_Meets: five
/// roundings of 2^-53 and some room.
#define CAST_ROUNDING 1e-15

// ---- single slots --------------------------------------------------------------------------

static bool isWanted(const sdBroadphase* bp, int slot, uint32_t mask) {
    return sdBroadphase_IsPresent(bp, slot) && (bp->proxies[slot].category & mask) != 0;
}

/// Of the slots that the kind was not told of.
static int firstChanged(const sdBroadphase* bp) {
    return bp->changedCount > 0 ? sdBitSet_Next(&bp->changed, 0) : SD_NULL_INDEX;
}

static bool tellOfBox(const sdBoxQuery* query, int slot) {
    const sdBroadphase* bp = query->broadphase;
    return query->visit(query->arg, sdIdPool_GetId(&bp->ids, slot), bp->proxies[slot].userData);
}

bool sdBoxQuery_Visit(const sdBoxQuery* query, int slot) {
    const sdBroadphase* bp = query->broadphase;
    return !isWanted(bp, slot, query->mask) || sdBitSet_Test(&bp->changed, slot) ||
           tellOfBox(query, slot);
}

/// Narrow the part of the way on which two intervals overlap. The moving one is lower .. upper.
static bool clipAxis(double lower, double upper, double translation, double boxLower,
                     double boxUpper, double* enter, double* leave) {
    double pad = CAST_ROUNDING * (fabs(lower) + fabs(upper) + fabs(boxLower) + fabs(boxUpper));
    double first = boxLower - upper - pad;
    double last = boxUpper - lower + pad;
    if (translation == 0.0) {
        return first <= 0.0 && last >= 0.0;
    }
    double a = (translation > 0.0 ? first : last) / translation;
    double b = (translation > 0.0 ? last : first) / translation;
    *enter = a > *enter ? a : *enter;
    *leave = b < *leave ? b : *leave;
    return *enter <= *leave;
}

bool sdCastQuery_Meets(const sdCastQuery* query, sdAABB box, double* fraction) {
    double enter = 0.0;
    double leave = (double)query->maxFraction;
    const double* l = query->lower;
    const double* u = query->upper;
    const double* t = query->translation;
    bool meets =
        clipAxis(l[0], u[0], t[0], (double)box.lower.x, (double)box.upper.x, &enter, &leave) &&
        clipAxis(l[1], u[1], t[1], (double)box.lower.y, (double)box.upper.y, &enter, &leave) &&
        clipAxis(l[2], u[2], t[2], (double)box.lower.z, (double)box.upper.z, &enter, &leave);
    *fraction = enter;
    return meets;
}

static bool tellOfCast(sdCastQuery* query, int slot) {
    const sdBroadphase* bp = query->broadphase;
    double fraction;
    if (!isWanted(bp, slot, query->mask) || !sdCastQuery_Meets(query, bp->boxes[slot], &fraction)) {
        return true;
    }
    float wanted = query->visit(query->arg, sdIdPool_GetId(&bp->ids, slot),
                                bp->proxies[slot].userData, query->maxFraction);
    // NaN stops as well
    query->maxFraction = wanted < query->maxFraction ? wanted : query->maxFraction;
    return wanted > 0.0f;
}

bool sdCastQuery_Visit(sdCastQuery* query, int slot) {
    return sdBitSet_Test(&query->broadphase->changed, slot) || tellOfCast(query, slot);
}

// ---- to a callback -------------------------------------------------------------------------

/// Passes answers on, and remembers that the user does not want any more.
typedef struct BoxGate {
    sdProxyFcn* visit;
    void* arg;
    bool isStopped;
} BoxGate;

static bool passBox(void* arg, sdProxyId id, uint64_t userData) {
    BoxGate* gate = arg;
    gate->isStopped = !gate->visit(gate->arg, id, userData);
    return !gate->isStopped;
}

sdResult sdBroadphase_QueryBox(const sdBroadphase* broadphase, sdWorldBox box, uint32_t mask,
                               sdProxyFcn* visit, void* arg) {
    if (broadphase == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    const sdBroadphase* bp = broadphase;
    if (visit == NULL) {
        return sdFail(&bp->context, SD_ERROR_INVALID_ARGUMENT,
                      "sdBroadphase_QueryBox: visit is NULL");
    }
    sdResult result = sdBroadphase_CheckBox(bp, "sdBroadphase_QueryBox", &box);
    if (result != SD_OK) {
        return result;
    }
    sdAABB rounded = {
        {sdRoundDown(box.lower.x), sdRoundDown(box.lower.y), sdRoundDown(box.lower.z)},
        {sdRoundUp(box.upper.x), sdRoundUp(box.upper.y), sdRoundUp(box.upper.z)}};
    BoxGate gate = {visit, arg, false};
    sdBoxQuery query = {bp, rounded, mask, passBox, &gate};
    bp->ops->queryBox(bp, &query);
    for (int slot = firstChanged(bp); !gate.isStopped && slot != SD_NULL_INDEX;
         slot = sdBitSet_Next(&bp->changed, slot + 1)) {
        if (isWanted(bp, slot, mask) && sdAABB_Overlaps(bp->boxes[slot], rounded)) {
            tellOfBox(&query, slot);
        }
    }
    return SD_OK;
}

/// Around the whole way of a box along one axis.
static void sweepAxis(const sdCastQuery* query, int axis, float* lower, float* upper) {
    double way = query->translation[axis] * (double)query->maxFraction;
    double l = query->lower[axis] + (way < 0.0 ? way : 0.0);
    double u = query->upper[axis] + (way > 0.0 ? way : 0.0);
    double pad = CAST_ROUNDING * (fabs(l) + fabs(u) + fabs(way));
    *lower = sdRoundDown(l - pad);
    *upper = sdRoundUp(u + pad);
}

static sdResult checkCast(const sdBroadphase* bp, const sdBoxCast* cast, sdProxyCastFcn* visit) {
    const char* fault = NULL;
    if (cast == NULL || visit == NULL) {
        fault = "cast or visit is NULL";
    } else if (!sdVec3_IsFinite(cast->translation) ||
               !(sdAbsF(cast->translation.x) <= (float)SD_BROADPHASE_MAX_COORDINATE &&
                 sdAbsF(cast->translation.y) <= (float)SD_BROADPHASE_MAX_COORDINATE &&
                 sdAbsF(cast->translation.z) <= (float)SD_BROADPHASE_MAX_COORDINATE)) {
        fault = "the translation is not finite or beyond 1e15 m";
    } else if (!(cast->maxFraction >= 0.0f && cast->maxFraction <= 1.0f)) {
        fault = "maxFraction must be 0 to 1";
    }
    if (fault != NULL) {
        return sdFail(&bp->context, SD_ERROR_INVALID_ARGUMENT, "sdBroadphase_Cast: %s", fault);
    }
    return sdBroadphase_CheckBox(bp, "sdBroadphase_Cast", &cast->box);
}

/// As BoxGate.
typedef struct CastGate {
    sdProxyCastFcn* visit;
    void* arg;
    bool isStopped;
} CastGate;

static float passCast(void* arg, sdProxyId id, uint64_t userData, float maxFraction) {
    CastGate* gate = arg;
    float wanted = gate->visit(gate->arg, id, userData, maxFraction);
    gate->isStopped = !(wanted > 0.0f);
    return wanted;
}

sdResult sdBroadphase_Cast(const sdBroadphase* broadphase, const sdBoxCast* cast,
                           sdProxyCastFcn* visit, void* arg) {
    if (broadphase == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    const sdBroadphase* bp = broadphase;
    sdResult result = checkCast(bp, cast, visit);
    if (result != SD_OK) {
        return result;
    }
    CastGate gate = {visit, arg, false};
    const sdWorldBox* box = &cast->box;
    sdCastQuery query = {
        .broadphase = bp,
        .lower = {box->lower.x, box->lower.y, box->lower.z},
        .upper = {box->upper.x, box->upper.y, box->upper.z},
        .translation = {(double)cast->translation.x, (double)cast->translation.y,
                        (double)cast->translation.z},
        .maxFraction = cast->maxFraction,
        .mask = cast->mask,
        .visit = passCast,
        .arg = &gate,
    };
    sweepAxis(&query, 0, &query.swept.lower.x, &query.swept.upper.x);
    sweepAxis(&query, 1, &query.swept.lower.y, &query.swept.upper.y);
    sweepAxis(&query, 2, &query.swept.lower.z, &query.swept.upper.z);
    bp->ops->cast(bp, &query);
    for (int slot = firstChanged(bp); !gate.isStopped && slot != SD_NULL_INDEX;
         slot = sdBitSet_Next(&bp->changed, slot + 1)) {
        tellOfCast(&query, slot);
    }
    return SD_OK;
}

// ---- to a list -----------------------------------------------------------------------------

/// The ids of the lowest slots so far; when the list is full, as a heap with the highest on top.
typedef struct IdList {
    sdProxyId* ids;
    int capacity;
    int total;
} IdList;

static void siftDown(sdProxyId* heap, int root, int count, sdProxyId id) {
    for (int child = 2 * root + 1; child < count; child = 2 * root + 1) {
        child += child + 1 < count && sdProxyId_Slot(heap[child]) < sdProxyId_Slot(heap[child + 1]);
        if (sdProxyId_Slot(heap[child]) <= sdProxyId_Slot(id)) {
            break;
        }
        heap[root] = heap[child];
        root = child;
    }
    heap[root] = id;
}

static void makeHeap(sdProxyId* ids, int count) {
    for (int i = count / 2 - 1; i >= 0; --i) {
        siftDown(ids, i, count, ids[i]);
    }
}

static void addToList(IdList* list, sdProxyId id) {
    if (list->total < list->capacity) {
        list->ids[list->total] = id;
        if (list->total == list->capacity - 1) {
            makeHeap(list->ids, list->capacity);
        }
    } else if (list->capacity > 0 && sdProxyId_Slot(id) < sdProxyId_Slot(list->ids[0])) {
        siftDown(list->ids, 0, list->capacity, id);
    }
    list->total += 1;
}

static void sortList(IdList* list) {
    int count = sdMinI(list->total, list->capacity);
    makeHeap(list->ids, count);
    for (int i = count - 1; i > 0; --i) {
        sdProxyId last = list->ids[i];
        list->ids[i] = list->ids[0];
        siftDown(list->ids, 0, i, last);
    }
}

static bool listBox(void* arg, sdProxyId id, uint64_t userData) {
    (void)userData;
    addToList(arg, id);
    return true;
}

static float listCast(void* arg, sdProxyId id, uint64_t userData, float maxFraction) {
    (void)userData;
    addToList(arg, id);
    // a cast of no length goes on as well
    return maxFraction > 0.0f ? maxFraction : 1.0f;
}

static sdResult checkList(const sdBroadphase* broadphase, const char* function,
                          const sdProxyId* out, int capacity, int* count) {
    if (count != NULL) {
        *count = 0;
    }
    if (broadphase == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    if (count == NULL || capacity < 0 || (out == NULL && capacity > 0)) {
        return sdFail(&broadphase->context, SD_ERROR_INVALID_ARGUMENT,
                      "%s: out or count is NULL, or capacity is negative", function);
    }
    return SD_OK;
}

sdResult sdBroadphase_FindInBox(const sdBroadphase* broadphase, sdWorldBox box, uint32_t mask,
                                sdProxyId* out, int capacity, int* count) {
    sdResult result = checkList(broadphase, "sdBroadphase_FindInBox", out, capacity, count);
    if (result != SD_OK) {
        return result;
    }
    IdList list = {out, capacity, 0};
    result = sdBroadphase_QueryBox(broadphase, box, mask, listBox, &list);
    if (result == SD_OK) {
        sortList(&list);
        *count = list.total;
    }
    return result;
}

sdResult sdBroadphase_FindOnCast(const sdBroadphase* broadphase, const sdBoxCast* cast,
                                 sdProxyId* out, int capacity, int* count) {
    sdResult result = checkList(broadphase, "sdBroadphase_FindOnCast", out, capacity, count);
    if (result != SD_OK) {
        return result;
    }
    IdList list = {out, capacity, 0};
    result = sdBroadphase_Cast(broadphase, cast, listCast, &list);
    if (result == SD_OK) {
        sortList(&list);
        *count = list.total;
    }
    return result;
}

void sdBroadphase_VisitCells(const sdBroadphase* broadphase, sdCellFcn* visit, void* arg) {
    if (broadphase != NULL && visit != NULL) {
        broadphase->ops->visitCells(broadphase, visit, arg);
    }
}
