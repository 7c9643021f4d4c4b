// SPDX-License-Identifier: MIT
// query.c - questions to a world: rays, moving shapes, overlaps, nearest points.
//
// In:   a world between steps, a question, a filter.
// Out:  hits, to a callback as they are found, as a sorted list, or the first alone. Never
//       allocates, changes nothing.
// Note: the broad phase offers shapes by their fat boxes, the filter and query_meet.c decide. The
//       nearest of many hits is that of the least distance, in double, and then of the lowest slot:
//       the order in which shapes are offered does not matter.

#include "dynamics/query.h"

/// By which a fraction that has been rounded to float is enlarged, so that hits at the same
/// distance are seen.
#define FRACTION_SLACK 1e-6f
/// The search for the nearest shape begins with this part of the distance allowed: 4^-8.
#define FIRST_REACH (1.0 / 65536.0)
/// And goes on with so many times as much.
#define REACH_GROWTH 4.0
/// A new tree takes some 30 ns a shape and saves about 400 ns a ray: shapes for each query to come
/// up to which it is worth building.
#define SHAPES_A_QUERY 8

// ---- filters -------------------------------------------------------------------------------

sdQueryFilter sdQueryFilter_Default(void) {
    return (sdQueryFilter){.category = 0xFFFFFFFFu, .mask = 0xFFFFFFFFu};
}

static bool isSeen(const sdWorld* world, const sdQueryFilter* filter, int index) {
    const sdFixture* fixture = &world->fixtures.data[index];
    const sdShapeDef* def = &fixture->def;
    if ((def->filter.category & filter->mask) == 0 || (def->filter.mask & filter->category) == 0 ||
        (def->isSensor && !filter->includeSensors)) {
        return false;
    }
    if (filter->ignoredCount == 0 && filter->accept == NULL) {
        return true;
    }
    sdBodyId body = sdIdPool_GetId(&world->bodyPool, fixture->body);
    for (int i = 0; i < filter->ignoredCount; ++i) {
        if (filter->ignored[i] == body) {
            return false;
        }
    }
    return filter->accept == NULL ||
           filter->accept(filter->user, body, sdIdPool_GetId(&world->fixturePool, index));
}

// ---- checks --------------------------------------------------------------------------------

static bool isInRange(sdPos p) {
    return sdPos_IsFinite(p) && fabs(p.x) <= SD_MAX_COORDINATE && fabs(p.y) <= SD_MAX_COORDINATE &&
           fabs(p.z) <= SD_MAX_COORDINATE;
}

static const char* faultOfWay(sdVec3 translation) {
    return sdVec3_IsFinite(translation) && sdLengthD(sdVec3d_From(translation)) <= SD_MAX_COORDINATE
               ? NULL
               : "the translation is not finite or longer than 1e12 m; an endless ray is one that "
                 "is long enough";
}

const char* sdRay_Fault(const sdRay* ray) {
    return isInRange(ray->origin) ? faultOfWay(ray->translation)
                                  : "the origin is not finite or beyond 1e12 m";
}

static const char* faultOfShape(const sdPlacedShape* placed) {
    if (!sdShape_IsValid(&placed->shape)) {
        return "the shape is not valid (see sdShape_IsValid)";
    }
    if (!sdShape_IsConvex(&placed->shape)) {
        return "the shape must be convex: ask for the parts of a mesh or compound one by one";
    }
    if (!isInRange(placed->xf.p) || !sdQuat_IsUnit(placed->xf.q)) {
        return "the pose is not finite, beyond 1e12 m, or its rotation is not a unit quaternion";
    }
    sdAABB box = sdShape_GetBounds(&placed->shape, sdTransform_Identity());
    float size = sdLength(sdMax(sdAbs(box.lower), sdAbs(box.upper)));
    return size <= (float)SD_MAX_COORDINATE ? NULL : "the shape is larger than 1e12 m";
}

sdResult sdQuery_CheckFilter(const sdWorld* world, const char* function,
                             const sdQueryFilter* filter) {
    if (world == NULL) {
        return sdFail(NULL, SD_ERROR_INVALID_ARGUMENT, "%s: world must not be NULL", function);
    }
    if (world->isLocked) {
        return sdFail(&world->context, SD_ERROR_LOCKED,
                      "%s: a step is under way; queries are answered between steps", function);
    }
    if (filter != NULL &&
        (filter->ignoredCount < 0 || (filter->ignored == NULL && filter->ignoredCount > 0))) {
        return sdFail(&world->context, SD_ERROR_INVALID_ARGUMENT,
                      "%s: the filter ignores %d bodies, but has no list of them", function,
                      filter->ignoredCount);
    }
    return SD_OK;
}

static sdResult check(const sdWorld* world, const char* function, const sdQueryFilter* filter,
                      const char* fault) {
    sdResult result = sdQuery_CheckFilter(world, function, filter);
    if (result == SD_OK && fault != NULL) {
        result = sdFail(&world->context, SD_ERROR_INVALID_ARGUMENT, "%s: %s", function, fault);
    }
    return result;
}

sdResult sdWorld_PrepareQueries(sdWorld* world, int queryCount) {
    sdResult result = check(world, "sdWorld_PrepareQueries", NULL, NULL);
    if (result != SD_OK) {
        return result;
    }
    sdBroadphase* broadphase = world->broadphase;
    bool isWorthIt = world->def.broadphase.kind == SD_BROADPHASE_TREE &&
                     queryCount > sdBroadphase_GetProxyCount(broadphase) / SHAPES_A_QUERY;
    return isWorthIt ? sdBroadphase_Rebuild(broadphase, SD_TREE_HILBERT)
                     : sdBroadphase_Refresh(broadphase);
}

// ---- searches ------------------------------------------------------------------------------

typedef struct Search {
    const sdWorld* world;
    sdQueryFilter filter;
    sdMover mover;
    sdMeetFcn* meet;
    sdQueryHitFcn* visit;
    void* user;
    float maxFraction;
    double limit; ///< m: hits that are further away are not wanted
} Search;

static Search makeSearch(const sdWorld* world, const sdQueryFilter* filter, sdMover mover,
                         sdMeetFcn* meet) {
    return (Search){.world = world,
                    .filter = filter != NULL ? *filter : sdQueryFilter_Default(),
                    .mover = mover,
                    .meet = meet,
                    .maxFraction = 1.0f,
                    .limit = mover.length};
}

/// @return false for a shape that is filtered out or not met
static bool meetShape(const Search* search, int fixture, sdQueryHit* hit) {
    const sdWorld* world = search->world;
    if (!isSeen(world, &search->filter, fixture) ||
        !search->meet(&search->mover, world, fixture, search->limit, hit)) {
        return false;
    }
    hit->body = sdIdPool_GetId(&world->bodyPool, world->fixtures.data[fixture].body);
    hit->shape = sdIdPool_GetId(&world->fixturePool, fixture);
    return true;
}

/// Look at a shape, and tell the user of a hit.
/// @return false to stop
static bool tryShape(Search* search, int fixture) {
    sdQueryHit hit;
    if (!meetShape(search, fixture, &hit)) {
        return true;
    }
    float wanted = search->visit(search->user, &hit, search->maxFraction);
    if (wanted < search->maxFraction) {
        search->maxFraction = wanted;
        search->limit = (double)(wanted * (1.0f + FRACTION_SLACK)) * search->mover.length;
    }
    // NaN stops as well
    return wanted > 0.0f;
}

static float visitOnWay(void* arg, sdProxyId id, uint64_t userData, float maxFraction) {
    (void)id;
    (void)maxFraction;
    Search* search = arg;
    if (!tryShape(search, (int)userData)) {
        return 0.0f;
    }
    // never 0, which would stop: others may be hit at the very start as well
    return sdMaxF(sdMinF(search->maxFraction * (1.0f + FRACTION_SLACK), 1.0f), FLT_MIN);
}

static void runAlongWay(Search* search, sdWorldBox box, sdVec3 translation) {
    sdBoxCast cast = {box, translation, 1.0f, search->filter.mask};
    // what it could refuse has been checked
    sdBroadphase_Cast(search->world->broadphase, &cast, visitOnWay, search);
}

static bool visitInBox(void* arg, sdProxyId id, uint64_t userData) {
    (void)id;
    return tryShape(arg, (int)userData);
}

static sdWorldBox boxOf(const sdPlacedShape* placed) {
    sdTransform turn = {sdV3(0.0f, 0.0f, 0.0f), sdNormalizeQ(placed->xf.q)};
    return sdWorldBox_FromLocal(placed->xf.p, sdShape_GetBounds(&placed->shape, turn));
}

// ---- what is done with hits ----------------------------------------------------------------

static float keepNearest(void* user, const sdQueryHit* hit, float maxFraction) {
    sdQueryHit* best = user;
    if (best->shape == SD_NULL_SHAPE || sdQueryHit_IsBefore(hit, best)) {
        *best = *hit;
    }
    return sdMaxF(sdMinF(hit->fraction, maxFraction), FLT_MIN);
}

static float noteAny(void* user, const sdQueryHit* hit, float maxFraction) {
    (void)hit;
    (void)maxFraction;
    *(bool*)user = true;
    return 0.0f;
}

/// The nearest hits so far; when the list is full, as a heap with the furthest on top.
typedef struct HitList {
    sdQueryHit* hits;
    int capacity;
    int total;
} HitList;

static void siftDown(sdQueryHit* heap, int root, int count, sdQueryHit hit) {
    for (int child = 2 * root + 1; child < count; child = 2 * root + 1) {
        child += child + 1 < count && sdQueryHit_IsBefore(&heap[child], &heap[child + 1]) ? 1 : 0;
        if (!sdQueryHit_IsBefore(&hit, &heap[child])) {
            break;
        }
        heap[root] = heap[child];
        root = child;
    }
    heap[root] = hit;
}

static void makeHeap(sdQueryHit* hits, int count) {
    for (int i = count / 2 - 1; i >= 0; --i) {
        siftDown(hits, i, count, hits[i]);
    }
}

static float addToList(void* user, const sdQueryHit* hit, float maxFraction) {
    HitList* list = user;
    if (list->total < list->capacity) {
        list->hits[list->total] = *hit;
        if (list->total == list->capacity - 1) {
            makeHeap(list->hits, list->capacity);
        }
    } else if (list->capacity > 0 && sdQueryHit_IsBefore(hit, &list->hits[0])) {
        siftDown(list->hits, 0, list->capacity, *hit);
    }
    list->total += 1;
    return maxFraction;
}

static void sortList(HitList* list) {
    int count = sdMinI(list->total, list->capacity);
    makeHeap(list->hits, count);
    for (int i = count - 1; i > 0; --i) {
        sdQueryHit last = list->hits[i];
        list->hits[i] = list->hits[0];
        siftDown(list->hits, 0, i, last);
    }
}

static const char* faultOfList(const sdQueryHit* out, int capacity, const int* count) {
    return count != NULL && capacity >= 0 && (out != NULL || capacity == 0)
               ? NULL
               : "out or count is NULL, or the capacity is negative";
}

// ---- rays ----------------------------------------------------------------------------------

static void castRay(const sdWorld* world, const sdRay* ray, const sdQueryFilter* filter,
                    sdQueryHitFcn* visit, void* user) {
    Search search = makeSearch(world, filter, sdMover_Ray(ray), sdMover_MeetAsRay);
    search.visit = visit;
    search.user = user;
    runAlongWay(&search, sdWorldBox_Make(ray->origin, ray->origin), ray->translation);
}

void sdWorld_RaycastNearest(const sdWorld* world, const sdRay* ray, const sdQueryFilter* filter,
                            sdQueryHit* out) {
    *out = sdQueryHit_None();
    castRay(world, ray, filter, keepNearest, out);
}

/// What is wrong with a ray and where its answer goes, or NULL.
static const char* faultOfRay(const sdRay* ray, bool hasOut) {
    return ray == NULL || !hasOut ? "ray, and where its answer goes, must not be NULL"
                                  : sdRay_Fault(ray);
}

sdResult sdWorld_Raycast(const sdWorld* world, const sdRay* ray, const sdQueryFilter* filter,
                         sdQueryHit* out) {
    if (out != NULL) {
        *out = sdQueryHit_None();
    }
    sdResult result = check(world, "sdWorld_Raycast", filter, faultOfRay(ray, out != NULL));
    if (result == SD_OK) {
        castRay(world, ray, filter, keepNearest, out);
    }
    return result;
}

sdResult sdWorld_RaycastAny(const sdWorld* world, const sdRay* ray, const sdQueryFilter* filter,
                            bool* out) {
    if (out != NULL) {
        *out = false;
    }
    sdResult result = check(world, "sdWorld_RaycastAny", filter, faultOfRay(ray, out != NULL));
    if (result == SD_OK) {
        castRay(world, ray, filter, noteAny, out);
    }
    return result;
}

sdResult sdWorld_RaycastEach(const sdWorld* world, const sdRay* ray, const sdQueryFilter* filter,
                             sdQueryHitFcn* visit, void* user) {
    sdResult result = check(world, "sdWorld_RaycastEach", filter, faultOfRay(ray, visit != NULL));
    if (result == SD_OK) {
        castRay(world, ray, filter, visit, user);
    }
    return result;
}

sdResult sdWorld_RaycastAll(const sdWorld* world, const sdRay* ray, const sdQueryFilter* filter,
                            sdQueryHit* out, int capacity, int* count) {
    if (count != NULL) {
        *count = 0;
    }
    const char* fault = faultOfList(out, capacity, count);
    sdResult result =
        check(world, "sdWorld_RaycastAll", filter, fault != NULL ? fault : faultOfRay(ray, true));
    if (result == SD_OK) {
        HitList list = {out, capacity, 0};
        castRay(world, ray, filter, addToList, &list);
        sortList(&list);
        *count = list.total;
    }
    return result;
}

// ---- moving shapes -------------------------------------------------------------------------

static void castShape(const sdWorld* world, const sdPlacedShape* placed, sdVec3 translation,
                      const sdQueryFilter* filter, sdQueryHitFcn* visit, void* user) {
    Search search =
        makeSearch(world, filter, sdMover_Shape(placed, translation), sdMover_MeetAsShape);
    search.visit = visit;
    search.user = user;
    runAlongWay(&search, boxOf(placed), translation);
}

static const char* faultOfCast(const sdPlacedShape* placed, sdVec3 translation, bool hasOut) {
    if (placed == NULL || !hasOut) {
        return "shape, and where its answer goes, must not be NULL";
    }
    const char* fault = faultOfShape(placed);
    return fault != NULL ? fault : faultOfWay(translation);
}

sdResult sdWorld_ShapeCast(const sdWorld* world, const sdPlacedShape* shape, sdVec3 translation,
                           const sdQueryFilter* filter, sdQueryHit* out) {
    if (out != NULL) {
        *out = sdQueryHit_None();
    }
    sdResult result =
        check(world, "sdWorld_ShapeCast", filter, faultOfCast(shape, translation, out != NULL));
    if (result == SD_OK) {
        castShape(world, shape, translation, filter, keepNearest, out);
    }
    return result;
}

sdResult sdWorld_ShapeCastEach(const sdWorld* world, const sdPlacedShape* shape, sdVec3 translation,
                               const sdQueryFilter* filter, sdQueryHitFcn* visit, void* user) {
    sdResult result = check(world, "sdWorld_ShapeCastEach", filter,
                            faultOfCast(shape, translation, visit != NULL));
    if (result == SD_OK) {
        castShape(world, shape, translation, filter, visit, user);
    }
    return result;
}

sdResult sdWorld_ShapeCastAll(const sdWorld* world, const sdPlacedShape* shape, sdVec3 translation,
                              const sdQueryFilter* filter, sdQueryHit* out, int capacity,
                              int* count) {
    if (count != NULL) {
        *count = 0;
    }
    const char* fault = faultOfList(out, capacity, count);
    sdResult result = check(world, "sdWorld_ShapeCastAll", filter,
                            fault != NULL ? fault : faultOfCast(shape, translation, true));
    if (result == SD_OK) {
        HitList list = {out, capacity, 0};
        castShape(world, shape, translation, filter, addToList, &list);
        sortList(&list);
        *count = list.total;
    }
    return result;
}

// ---- overlaps ------------------------------------------------------------------------------

static sdResult overlapEach(const sdWorld* world, const char* function, const sdPlacedShape* placed,
                            const sdQueryFilter* filter, sdQueryHitFcn* visit, void* user) {
    sdVec3 stay = {0.0f, 0.0f, 0.0f};
    sdResult result = check(world, function, filter, faultOfCast(placed, stay, visit != NULL));
    if (result == SD_OK) {
        Search search = makeSearch(world, filter, sdMover_Shape(placed, stay), sdMover_MeetAtRest);
        search.visit = visit;
        search.user = user;
        sdBroadphase_QueryBox(world->broadphase, boxOf(placed), search.filter.mask, visitInBox,
                              &search);
    }
    return result;
}

static sdResult overlapAll(const sdWorld* world, const char* function, const sdPlacedShape* placed,
                           const sdQueryFilter* filter, HitList list, int* count) {
    if (count != NULL) {
        *count = 0;
    }
    sdResult result = check(world, function, filter, faultOfList(list.hits, list.capacity, count));
    if (result == SD_OK) {
        result = overlapEach(world, function, placed, filter, addToList, &list);
    }
    if (result == SD_OK) {
        sortList(&list);
        *count = list.total;
    }
    return result;
}

sdResult sdWorld_OverlapEach(const sdWorld* world, const sdPlacedShape* shape,
                             const sdQueryFilter* filter, sdQueryHitFcn* visit, void* user) {
    return overlapEach(world, "sdWorld_OverlapEach", shape, filter, visit, user);
}

sdResult sdWorld_OverlapAll(const sdWorld* world, const sdPlacedShape* shape,
                            const sdQueryFilter* filter, sdQueryHit* out, int capacity,
                            int* count) {
    HitList list = {out, capacity, 0};
    return overlapAll(world, "sdWorld_OverlapAll", shape, filter, list, count);
}

/// A valid box of the world as a shape.
static sdPlacedShape placeBox(sdWorldBox box) {
    sdVec3d size = {box.upper.x - box.lower.x, box.upper.y - box.lower.y,
                    box.upper.z - box.lower.z};
    sdPos center = {box.lower.x + 0.5 * size.x, box.lower.y + 0.5 * size.y,
                    box.lower.z + 0.5 * size.z};
    sdVec3 half = sdVec3d_Round(sdScaleD(0.5, size));
    return (sdPlacedShape){sdShape_Box(half.x, half.y, half.z), {center, sdQuat_Identity()}};
}

static const char* faultOfBox(sdWorldBox box) {
    bool isValid = isInRange(box.lower) && isInRange(box.upper) && box.lower.x <= box.upper.x &&
                   box.lower.y <= box.upper.y && box.lower.z <= box.upper.z;
    return isValid ? NULL : "the box is inverted, not finite or beyond 1e12 m";
}

sdResult sdWorld_OverlapBoxEach(const sdWorld* world, sdWorldBox box, const sdQueryFilter* filter,
                                sdQueryHitFcn* visit, void* user) {
    const char* function = "sdWorld_OverlapBoxEach";
    sdResult result = check(world, function, filter, faultOfBox(box));
    if (result != SD_OK) {
        return result;
    }
    sdPlacedShape placed = placeBox(box);
    return overlapEach(world, function, &placed, filter, visit, user);
}

sdResult sdWorld_OverlapBoxAll(const sdWorld* world, sdWorldBox box, const sdQueryFilter* filter,
                               sdQueryHit* out, int capacity, int* count) {
    if (count != NULL) {
        *count = 0;
    }
    const char* function = "sdWorld_OverlapBoxAll";
    sdResult result = check(world, function, filter, faultOfBox(box));
    if (result != SD_OK) {
        return result;
    }
    sdPlacedShape placed = placeBox(box);
    HitList list = {out, capacity, 0};
    return overlapAll(world, function, &placed, filter, list, count);
}

// ---- nearest -------------------------------------------------------------------------------

/// Look at a shape, and keep it when it is nearer than the best so far.
static bool visitNear(void* arg, sdProxyId id, uint64_t userData) {
    (void)id;
    Search* search = arg;
    sdQueryHit* best = search->user;
    sdQueryHit hit;
    if (meetShape(search, (int)userData, &hit) &&
        (best->shape == SD_NULL_SHAPE || sdQueryHit_IsBefore(&hit, best))) {
        *best = hit;
        search->limit = hit.distance;
        search->mover.radius = hit.distance;
    }
    return true;
}

sdResult sdWorld_FindNearest(const sdWorld* world, sdPos point, float maxDistance,
                             const sdQueryFilter* filter, sdQueryHit* out) {
    if (out != NULL) {
        *out = sdQueryHit_None();
    }
    const char* fault = NULL;
    if (out == NULL) {
        fault = "out must not be NULL";
    } else if (!isInRange(point)) {
        fault = "the point is not finite or beyond 1e12 m";
    } else if (!(maxDistance >= 0.0f && maxDistance <= (float)SD_MAX_COORDINATE)) {
        fault = "the distance must be 0 to 1e12 m";
    }
    sdResult result = check(world, "sdWorld_FindNearest", filter, fault);
    if (result != SD_OK) {
        return result;
    }
    double most = (double)maxDistance;
    sdMover mover = {.origin = point, .rotation = sdQuat_Identity(), .radius = most};
    Search search = makeSearch(world, filter, mover, sdMover_MeetNearest);
    search.user = out;
    search.limit = most;
    // boxes that grow until they have all that is as near as the best
    double reach = FIRST_REACH * most;
    for (bool isDone = false; !isDone; reach *= REACH_GROWTH) {
        reach = reach < search.limit ? reach : search.limit;
        sdWorldBox box = {{point.x - reach, point.y - reach, point.z - reach},
                          {point.x + reach, point.y + reach, point.z + reach}};
        sdBroadphase_QueryBox(world->broadphase, box, search.filter.mask, visitNear, &search);
        isDone = reach >= search.limit;
    }
    return SD_OK;
}
