// SPDX-License-Identifier: MIT
// contact.c - where shapes touch.
//
// In:   pairs of shapes that are near each other, poses of the bodies.
// Out:  for each contact up to one patch of points (many for meshes and compounds), with the
//       impulses of the step before on points that are still there; begin and end events.
// Note: a pair has a contact while there are points; those with many patches, while the boxes of
//       their shapes overlap. Contacts are found in parallel and published one after the other in
//       the order of their pairs' slots.

#include "dynamics/contact.h"

#include "dynamics/island.h"
#include "narrow/collide_concave.h"
#include "narrow/collide_surface.h"

/// Points of two steps that are nearer to each other, m, may be the same under another name.
#define MATCH_DISTANCE 0.05f
/// Cosine of the angle between normals of two steps beyond which a patch is a new one.
#define SAME_PATCH_COSINE 0.9f
/// Motion, m and as a share of the body's radius, up to which the points of a contact are kept.
#define KEEP_DISTANCE 1e-4f
#define KEEP_SHARE 1e-3f
/// The same for meshes that may move, as a share alone: their margin is larger than that.
#define CONCAVE_KEEP 3e-3f
/// Of contacts: one in so many can begin or end in a step before room for events is taken.
#define EVENT_SHARE 8
/// Contacts that a worker takes at a time.
#define CONTACT_GRAIN 32

// ---- materials -----------------------------------------------------------------------------

static float combine(sdCombine rule, float a, float b) {
    switch (rule) {
        case SD_COMBINE_AVERAGE:
            return 0.5f * (a + b);
        case SD_COMBINE_MINIMUM:
            return sdMinF(a, b);
        case SD_COMBINE_MAXIMUM:
            return sdMaxF(a, b);
        case SD_COMBINE_PRODUCT:
            return a * b;
        default:
            return sqrtf(a * b);
    }
}

sdMaterial sdWorld_MixMaterials(const sdWorld* world, const sdFixture* fixtureA,
                                const sdFixture* fixtureB) {
    const sdMaterial *a = &fixtureA->def.material, *b = &fixtureB->def.material;
    sdCombine rule = world->def.combineFriction;
    return (sdMaterial){
        .staticFriction = combine(rule, a->staticFriction, b->staticFriction),
        .slidingFriction = combine(rule, a->slidingFriction, b->slidingFriction),
        .restitution = combine(world->def.combineRestitution, a->restitution, b->restitution),
        // a smooth floor does not keep a rough ball from being stopped by its own deformation
        .rollingFriction = sdMaxF(a->rollingFriction, b->rollingFriction),
        .spinFriction = sdMaxF(a->spinFriction, b->spinFriction),
    };
}

// ---- create and destroy --------------------------------------------------------------------

/// Room for one more, and for its end, so that ending cannot fail.
static bool reserveContact(sdWorld* world, const sdShapePair* pair) {
    const sdAllocator* allocator = &world->context.allocator;
    sdContactStore store = sdShapePair_GetStore(pair);
    sdContactPool* pool = &world->contacts[store];
    bool isSensor = (pair->flags & SD_PAIR_SENSOR) != 0;
    sdContactEventArray* late = isSensor ? &world->lateSensorEnd : &world->lateEnd;
    int64_t contactCount = world->sensorContactCount;
    for (int i = 0; i < SD_STORE_COUNT && !isSensor; ++i) {
        contactCount += world->contacts[i].slots.liveCount;
    }
    if (!sdContactEventArray_Reserve(late, allocator, late->count + contactCount + 1) ||
        !sdSlotPool_Reserve(&pool->slots, allocator, 1)) {
        return false;
    }
    int64_t needed = (int64_t)pool->slots.slotCount + 1;
    if (needed > pool->capacity) {
        char* data = sdArray_Grow(allocator, pool->data, sdContactStore_GetSize(store),
                                  &pool->capacity, needed);
        pool->data = data != NULL ? data : pool->data;
        return data != NULL;
    }
    return true;
}

sdResult sdWorld_CreateContact(sdWorld* world, int index) {
    sdShapePair* pair = &world->pairs.data[index];
    if (!reserveContact(world, pair)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    sdContactStore store = sdShapePair_GetStore(pair);
    sdContactPool* pool = &world->contacts[store];
    pair->contact = sdSlotPool_Take(&pool->slots);
    pool->count = pool->slots.slotCount;
    sdContact* contact = sdWorld_GetContact(world, pair);
    memset(contact, 0, sdContactStore_GetSize(store));
    contact->pair = index;
    world->sensorContactCount += (pair->flags & SD_PAIR_SENSOR) != 0 ? 1 : 0;
    return SD_OK;
}

void sdWorld_DestroyContact(sdWorld* world, sdShapePair* pair) {
    sdContactStore store = sdShapePair_GetStore(pair);
    if (store == SD_STORE_MANY) {
        sdManyContact* contact = sdContact_GetMany(sdWorld_GetContact(world, pair));
        sdManyPatchArray_Free(&contact->patches, &world->context.allocator);
    }
    sdSlotPool_Release(&world->contacts[store].slots, pair->contact);
    world->sensorContactCount -= (pair->flags & SD_PAIR_SENSOR) != 0 ? 1 : 0;
    pair->contact = SD_NULL_INDEX;
}

/// The sensor comes first.
static sdContactEvent eventOf(const sdWorld* world, const sdShapePair* pair) {
    sdShapeId a = sdIdPool_GetId(&world->fixturePool, pair->fixtureA);
    sdShapeId b = sdIdPool_GetId(&world->fixturePool, pair->fixtureB);
    bool isSwapped = world->fixtures.data[pair->fixtureB].def.isSensor;
    return isSwapped ? (sdContactEvent){b, a} : (sdContactEvent){a, b};
}

void sdWorld_NoteEnd(sdWorld* world, const sdShapePair* pair) {
    bool isSensor = (pair->flags & SD_PAIR_SENSOR) != 0;
    sdContactEventArray* list = isSensor ? &world->lateSensorEnd : &world->lateEnd;
    list->data[list->count++] = eventOf(world, pair);
}

// ---- points and their impulses -------------------------------------------------------------

/// The old point that a new one continues: the one of the same features, else the nearest that is
/// left, for features change their names while bodies slide and tilt.
static int findOld(const sdManifoldPoint* point, const sdPatch* old, uint32_t free,
                   bool isByPlace) {
    float nearest = MATCH_DISTANCE * MATCH_DISTANCE;
    int best = SD_NULL_INDEX;
    for (int i = 0; i < old->pointCount; ++i) {
        if ((free >> i & 1) == 0) {
            continue;
        }
        if (!isByPlace && point->id == old->points[i].id) {
            return i;
        }
        float distance = sdDistanceSquared(point->pointA, old->points[i].pointA);
        if (isByPlace && distance < nearest) {
            nearest = distance;
            best = i;
        }
    }
    return best;
}

void sdWorld_ForgetImpulses(sdWorld* world, int body) {
    for (int edge = world->bodies.data[body].firstPair; edge != SD_NULL_INDEX;
         edge = world->pairs.data[edge >> 1].next[edge & 1]) {
        const sdShapePair* pair = &world->pairs.data[edge >> 1];
        sdContact* contact =
            pair->contact != SD_NULL_INDEX ? sdWorld_GetContact(world, pair) : NULL;
        int count = contact != NULL ? sdContact_CountPatches(contact, pair) : 0;
        for (int i = 0; i < count; ++i) {
            sdPatch_Forget(sdContact_GetPatch(contact, pair, i));
        }
    }
}

/// Put a new manifold into a patch. Its points take over the impulses of those that were there.
/// @param room points that the patch has room for
static void renew(sdPatch* patch, const sdManifold* manifold, int room) {
    float impulses[SD_MANIFOLD_MAX_POINTS] = {0.0f}, totals[SD_MANIFOLD_MAX_POINTS] = {0.0f};
    int count = sdMinI(manifold->pointCount, room);
    uint32_t free = (1u << patch->pointCount) - 1u, kept = 0;
    for (int pass = 0; pass < 2 && free != 0; ++pass) {
        for (int i = 0; i < count; ++i) {
            bool isMatched = (kept >> i & 1) != 0;
            int from =
                isMatched ? SD_NULL_INDEX : findOld(&manifold->points[i], patch, free, pass == 1);
            if (from != SD_NULL_INDEX) {
                impulses[i] = patch->points[from].impulse;
                totals[i] = patch->points[from].total;
                kept |= 1u << i;
                free &= ~(1u << from);
            }
        }
    }
    // in the parts of a step, what points that are gone were given goes to all
    for (uint32_t gone = free; gone != 0 && count > 0; gone &= gone - 1) {
        float total = patch->points[__builtin_ctz(gone)].total;
        for (int i = 0; i < count; ++i) {
            totals[i] += total / (float)count;
        }
    }
    patch->normal = manifold->normal;
    patch->pointCount = (uint8_t)count;
    patch->keptMask = (uint8_t)kept;
    patch->removedCount = (uint8_t)__builtin_popcount(free);
    // without a point that goes on there is no friction to go on with
    if (kept == 0) {
        patch->friction = sdV3(0.0f, 0.0f, 0.0f);
        patch->rolling = patch->friction;
    }
    for (int i = 0; i < count; ++i) {
        const sdManifoldPoint* point = &manifold->points[i];
        patch->points[i] =
            (sdPatchPoint){point->pointA, point->separation, point->id, impulses[i], totals[i]};
    }
}

/// What is not round keeps the points that touch.
static bool isFaceted(const sdShape* shape) {
    return shape->type == SD_SHAPE_BOX || shape->type == SD_SHAPE_HULL || shape->concave != NULL;
}

/// Whether two shapes that are not round have hardly moved since the points were found, so that
/// they are kept.
/// @param change how B has moved since, in A's frame
static bool isStill(const sdApproach* approach, const sdTransform* pose, sdTransform* change) {
    if (!isFaceted(approach->a) || !isFaceted(approach->b)) {
        return false;
    }
    *change = sdMulXf(approach->xfAB, sdInvertXf(*pose));
    sdVec3 moved = sdSub(approach->xfAB.p, pose->p);
    float way = sdLength(moved) + 2.0f * approach->radius * sdLength(change->q.v);
    bool isConcave = sdConcave_IsPair(approach->a, approach->b);
    return way < (isConcave ? CONCAVE_KEEP * approach->radius
                            : sdMinF(KEEP_DISTANCE, KEEP_SHARE * approach->radius));
}

/// Keep the points of a patch, at the separations that they have now.
/// @param found separations when they were found
static void keepPoints(sdPatch* patch, const float* found, const sdTransform* change) {
    for (int i = 0; i < patch->pointCount; ++i) {
        sdPatchPoint* point = &patch->points[i];
        sdVec3 foundB = sdMulAdd(point->pointA, found[i], patch->normal);
        sdVec3 pointB = sdTransformPoint(*change, foundB);
        point->separation = sdDot(patch->normal, sdSub(pointB, point->pointA));
    }
    patch->keptMask = (uint8_t)((1u << patch->pointCount) - 1u);
    patch->removedCount = 0;
}

static void noteFound(const sdManifold* manifold, float found[SD_MANIFOLD_MAX_POINTS]) {
    for (int i = 0; i < manifold->pointCount; ++i) {
        found[i] = manifold->points[i].separation;
    }
}

/// What the last search left, for the next.
static void recall(const sdFullContact* full, sdPairCache* cache) {
    const sdPairMemory* memory = &full->memory;
    const sdPatch* patch = &full->contact.patch;
    cache->axis = memory->axis;
    cache->count = memory->count;
    cache->kind = memory->kind;
    cache->featureType = memory->featureType;
    cache->isApart = false;
    cache->pointCount = patch->pointCount;
    cache->origin = memory->origin;
    cache->rotation = memory->rotation;
    cache->polytope.faceCount = 0;
    memcpy(cache->indexA, memory->indexA, sizeof cache->indexA);
    memcpy(cache->indexB, memory->indexB, sizeof cache->indexB);
    for (int i = 0; i < SD_MANIFOLD_MAX_POINTS; ++i) {
        cache->pointIds[i] = i < patch->pointCount ? patch->points[i].id : 0;
    }
}

static void remember(sdFullContact* full, const sdPairCache* cache) {
    sdPairMemory* memory = &full->memory;
    memory->axis = cache->axis;
    memory->origin = cache->origin;
    memory->rotation = cache->rotation;
    memory->count = cache->count;
    memory->kind = cache->kind;
    memory->featureType = cache->featureType;
    memcpy(memory->indexA, cache->indexA, sizeof cache->indexA);
    memcpy(memory->indexB, cache->indexB, sizeof cache->indexB);
}

/// Of two convex shapes, by whatever is remembered of the last time.
static void collideFull(const sdWorld* world, sdFullContact* full, const sdApproach* approach,
                        sdManifold* manifold) {
    sdPairCache cache;
    recall(full, &cache);
    sdApproach_Collide(world, approach, &cache, manifold);
    full->pose = approach->xfAB;
    noteFound(manifold, full->found);
    remember(full, &cache);
}

static void collideOne(const sdWorld* world, sdContact* contact, sdShapePair* pair, float dt) {
    sdApproach approach = sdShapePair_GetApproach(world, pair, dt);
    bool isSlim = (pair->flags & SD_PAIR_SLIM) != 0;
    sdFullContact* full = (sdFullContact*)(void*)contact;
    sdManifold manifold;
    sdTransform change;
    if (isSlim) {
        sdApproach_Collide(world, &approach, NULL, &manifold);
    } else if (contact->patch.pointCount > 0 && isStill(&approach, &full->pose, &change)) {
        keepPoints(&contact->patch, full->found, &change);
        return;
    } else {
        collideFull(world, full, &approach, &manifold);
    }
    pair->distance = sdManifold_GetDistance(&manifold, approach.margin);
    if (pair->distance > 0.0f) {
        manifold.pointCount = 0;
    }
    renew(&contact->patch, &manifold, isSlim ? SD_SLIM_POINTS : SD_MANIFOLD_MAX_POINTS);
}

/// The old patch that a new one continues: the one of the same children whose normal is nearest. A
/// triangle may have become another one while the body slid on.
static int findOldPatch(const sdManifold* manifold, const sdManyPatch* old, int oldCount,
                        bool isMeshA, bool isMeshB) {
    int best = SD_NULL_INDEX;
    float most = SAME_PATCH_COSINE;
    for (int i = 0; i < oldCount; ++i) {
        if ((isMeshA || old[i].childA == manifold->childA) &&
            (isMeshB || old[i].childB == manifold->childB)) {
            float cosine = sdDot(old[i].patch.normal, manifold->normal);
            best = cosine > most ? i : best;
            most = cosine > most ? cosine : most;
        }
    }
    return best;
}

/// @return false when memory is short; the contact is as it was
static bool collideMany(const sdWorld* world, sdManyContact* contact, sdShapePair* pair, float dt) {
    sdApproach approach = sdShapePair_GetApproach(world, pair, dt);
    int total, count, oldCount = contact->patches.count;
    sdTransform change;
    if (oldCount > 0 && isStill(&approach, &contact->pose, &change)) {
        for (int i = 0; i < oldCount; ++i) {
            keepPoints(&contact->patches.data[i].patch, contact->patches.data[i].found, &change);
        }
        return true;
    }
    sdManifold manifolds[SD_MAX_PATCHES];
    sdManyPatch old[SD_MAX_PATCHES];
    if (sdConcave_IsPair(approach.a, approach.b)) {
        count = total = sdContact_CollideConcave(world, contact, pair, &approach, dt, manifolds);
    } else {
        count = sdSurface_Collide(world->def.narrowphase, approach.a, approach.b, approach.xfAB,
                                  approach.margin, manifolds, SD_MAX_PATCHES, &total);
    }
    if (!sdManyPatchArray_Reserve(&contact->patches, &world->context.allocator, count)) {
        return false;
    }
    contact->pose = approach.xfAB;
    if (total > count) {
        sdLog(&world->context, SD_LOG_WARNING,
              "sdWorld_Step: two shapes touch in %d places; only the first %d are used", total,
              count);
    }
    for (int i = 0; i < oldCount; ++i) {
        old[i] = contact->patches.data[i];
    }
    contact->patches.count = count;
    bool isMeshA = approach.a->type == SD_SHAPE_MESH, isMeshB = approach.b->type == SD_SHAPE_MESH;
    for (int i = 0; i < count; ++i) {
        sdManyPatch* many = &contact->patches.data[i];
        int from = findOldPatch(&manifolds[i], old, oldCount, isMeshA, isMeshB);
        *many = from != SD_NULL_INDEX ? old[from] : (sdManyPatch){.childA = 0};
        renew(&many->patch, &manifolds[i], SD_MANIFOLD_MAX_POINTS);
        noteFound(&manifolds[i], many->found);
        many->childA = manifolds[i].childA;
        many->childB = manifolds[i].childB;
        if (from != SD_NULL_INDEX) {
            // its impulses go to one only
            old[from].patch.normal = sdV3(0.0f, 0.0f, 0.0f);
        }
    }
    return true;
}

bool sdContact_Collide(const sdWorld* world, sdContact* contact, sdShapePair* pair, float dt) {
    if ((pair->flags & SD_PAIR_MANY) != 0) {
        return collideMany(world, sdContact_GetMany(contact), pair, dt);
    }
    collideOne(world, contact, pair, dt);
    return true;
}

// ---- collide -------------------------------------------------------------------------------

/// Sensors and events care for overlap, not for points that are only near.
static bool hasTouch(sdContact* contact, const sdShapePair* pair, int patchCount, float slop) {
    for (int i = 0; i < patchCount; ++i) {
        const sdPatch* patch = sdContact_GetPatch(contact, pair, i);
        for (int j = 0; j < patch->pointCount; ++j) {
            if (patch->points[j].separation <= slop) {
                return true;
            }
        }
    }
    return false;
}

static bool isAsleep(const sdWorld* world, int body) {
    return !sdBitSet_Test(&world->awakeBodies, body) &&
           world->bodies.data[body].type != SD_BODY_STATIC;
}

sdPatchFrame sdPatchFrame_Make(const sdWorld* world, int bodyA, int bodyB, int fixtureA) {
    const sdBody *a = &world->bodies.data[bodyA], *b = &world->bodies.data[bodyB];
    sdTransform local = sdFixture_ToCenter(a, &world->fixtures.data[fixtureA]);
    sdTransform turn = sdTransform_Make(sdV3(0.0f, 0.0f, 0.0f), a->rotation);
    return (sdPatchFrame){a, b, sdMulXf(turn, local), sdPos_Sub(b->center, a->center)};
}

float sdPatchFrame_GetSpeed(const sdPatchFrame* frame, const sdPatch* patch, int point) {
    const sdBody *a = frame->a, *b = frame->b;
    sdVec3 rA = sdTransformPoint(frame->xf, patch->points[point].pointA);
    sdVec3 rB = sdSub(rA, frame->between);
    sdVec3 va = sdAdd(a->velocity, sdCross(a->angularVelocity, rA));
    sdVec3 vb = sdAdd(b->velocity, sdCross(b->angularVelocity, rB));
    return sdDot(sdRotate(frame->xf.q, patch->normal), sdSub(vb, va));
}

/// Whether points that are apart meet within dt at the bodies' velocities.
static bool willTouch(const sdWorld* world, sdContact* contact, const sdShapePair* pair, float dt) {
    sdPatchFrame frame = sdPatchFrame_Make(world, pair->bodyA, pair->bodyB, pair->fixtureA);
    for (int i = 0; i < sdContact_CountPatches(contact, pair); ++i) {
        const sdPatch* patch = sdContact_GetPatch(contact, pair, i);
        for (int j = 0; j < patch->pointCount; ++j) {
            float way = dt * sdPatchFrame_GetSpeed(&frame, patch, j);
            if (patch->points[j].separation + way < 0.0f) {
                return true;
            }
        }
    }
    return false;
}

typedef struct CollideTask {
    sdStep* step;
    atomic_int hasFailed;
} CollideTask;

/// Find the points of a contact, unless an attempt at this step has done so.
/// @return false when memory is short; the contact is as it was
static bool updateContact(const sdStep* step, const sdContactEntry* entry, sdContact* contact,
                          sdShapePair* pair) {
    const sdWorld* world = step->world;
    bool isMany = (pair->flags & SD_PAIR_MANY) != 0;
    bool isDone = contact->collided == world->attempt;
    contact->collided = world->attempt;
    if (entry->isGoing && isMany) {
        sdContact_GetMany(contact)->patches.count = 0;
    } else if (entry->isGoing) {
        contact->patch.pointCount = 0;
    } else if (!isDone && !sdContact_Collide(world, contact, pair, step->dt)) {
        contact->collided = 0;
        return false;
    }
    return true;
}

/// Whether points of two that hang on joints stay apart in this step.
static bool areIdle(const sdStep* step, sdContact* contact, const sdShapePair* pair) {
    const sdWorld* world = step->world;
    const sdPatch* patch = &contact->patch;
    float unseen = sdShapePair_GetIdleGap(world, pair);
    // of contacts with many patches there is none in this place
    if (unseen == FLT_MAX) {
        return false;
    }
    for (int i = 0; i < patch->pointCount; ++i) {
        if (patch->points[i].separation <= unseen) {
            return false;
        }
    }
    sdPatchFrame frame = sdPatchFrame_Make(world, pair->bodyA, pair->bodyB, pair->fixtureA);
    for (int i = 0; i < patch->pointCount; ++i) {
        float way = step->dt * sdPatchFrame_GetSpeed(&frame, patch, i);
        if (patch->points[i].separation + way <= unseen) {
            return false;
        }
    }
    return true;
}

/// Patches of a contact that are solved.
static int countSolved(const sdStep* step, sdContact* contact, const sdShapePair* pair,
                       int patchCount) {
    int count = 0;
    for (int i = 0; (pair->flags & SD_PAIR_SENSOR) == 0 && i < patchCount; ++i) {
        count += sdContact_GetPatch(contact, pair, i)->pointCount > 0 ? 1 : 0;
    }
    if (count > 0 && areIdle(step, contact, pair)) {
        sdPatch_Forget(&contact->patch);
        count = 0;
    }
    return count;
}

static void collideRange(void* arg, int begin, int end, int worker) {
    (void)worker;
    CollideTask* task = (CollideTask*)arg;
    const sdStep* step = task->step;
    const sdWorld* world = step->world;
    for (int i = begin; i < end; ++i) {
        sdStep_PrefetchContacts(step, i, end);
        sdContactEntry* entry = &task->step->contacts[i];
        sdShapePair* pair = &world->pairs.data[entry->pair];
        sdContact* contact = sdWorld_GetContact(world, pair);
        if (!updateContact(step, entry, contact, pair)) {
            atomic_store_explicit(&task->hasFailed, 1, memory_order_relaxed);
        }
        bool isSensor = (pair->flags & SD_PAIR_SENSOR) != 0;
        entry->patchCount = sdContact_CountPatches(contact, pair);
        entry->solvedCount = countSolved(step, contact, pair, entry->patchCount);
        entry->wasTouching = (pair->flags & SD_PAIR_TOUCHING) != 0;
        entry->isTouching =
            hasTouch(contact, pair, entry->patchCount, isSensor ? 0.0f : world->def.slop);
        // who touches one that is awake is awake, and so is who is about to be hit by one
        bool hasSleeper = isAsleep(world, pair->bodyA) || isAsleep(world, pair->bodyB);
        entry->isWaking = hasSleeper && !isSensor &&
                          (entry->isTouching || willTouch(world, contact, pair, step->dt));
        // the patches of many take long to come by; those are kept while the boxes overlap
        entry->isGoing =
            entry->isGoing || (entry->patchCount == 0 && (pair->flags & SD_PAIR_MANY) == 0);
    }
}

sdResult sdStep_CollideContacts(sdStep* step) {
    sdResult result = sdStep_ListNear(step);
    if (result != SD_OK) {
        return result;
    }
    CollideTask task = {.step = step};
    atomic_init(&task.hasFailed, 0);
    const sdTaskSystem* tasks = &step->world->context.tasks;
    tasks->parallelFor(tasks->user, collideRange, &task, step->contactCount, CONTACT_GRAIN);
    return atomic_load(&task.hasFailed) != 0 ? SD_ERROR_OUT_OF_MEMORY : SD_OK;
}

// ---- publish -------------------------------------------------------------------------------

/// Add events that came between steps, or parts of one.
static void moveEvents(sdContactEventArray* to, sdContactEventArray* from) {
    if (from->count > 0) {
        memcpy(to->data + to->count, from->data, (size_t)from->count * sizeof *from->data);
    }
    to->count += from->count;
    from->count = 0;
}

/// Whether the events that are listed are those of the step under way.
static bool areOfThisStep(const sdWorld* world) {
    return world->part > 0 || world->published == world->attempt;
}

static void wakeSleeper(sdWorld* world, int body) {
    if (!sdBitSet_Test(&world->awakeBodies, body)) {
        sdWorld_WakeBody(world, body);
    }
}

static void publish(sdWorld* world, const sdContactEntry* entry) {
    sdShapePair* pair = &world->pairs.data[entry->pair];
    bool isSensor = (pair->flags & SD_PAIR_SENSOR) != 0;
    if (entry->isTouching && !entry->wasTouching) {
        sdContactEventArray* list = isSensor ? &world->sensorBegin : &world->begin;
        list->data[list->count++] = eventOf(world, pair);
        pair->flags |= SD_PAIR_TOUCHING;
    } else if (!entry->isTouching && entry->wasTouching) {
        sdContactEventArray* list = isSensor ? &world->sensorEnd : &world->end;
        list->data[list->count++] = eventOf(world, pair);
        pair->flags &= ~(uint32_t)SD_PAIR_TOUCHING;
    }
    if (entry->isWaking) {
        wakeSleeper(world, pair->bodyA);
        wakeSleeper(world, pair->bodyB);
    }
}

/// Room for some more events than a step has, so that steps with a few more take none.
static bool reserveEvents(const sdWorld* world, sdContactEventArray* events, int contactCount,
                          int more) {
    // those of the last step are given up, those of an attempt at this one are not
    int64_t needed = (areOfThisStep(world) ? events->count : 0) + (int64_t)more;
    int64_t spare = contactCount / EVENT_SHARE;
    return sdContactEventArray_Reserve(events, &world->context.allocator,
                                       needed > spare ? needed : spare);
}

/// Room for the events of the step.
static bool reserveAllEvents(sdStep* step) {
    sdWorld* world = step->world;
    int begins[2] = {0}, ends[2] = {world->lateEnd.count, world->lateSensorEnd.count};
    for (int i = 0; i < step->contactCount; ++i) {
        const sdContactEntry* entry = &step->contacts[i];
        if (entry->isTouching != entry->wasTouching) {
            bool isSensor = (world->pairs.data[entry->pair].flags & SD_PAIR_SENSOR) != 0;
            begins[isSensor] += entry->isTouching ? 1 : 0;
            ends[isSensor] += entry->isTouching ? 0 : 1;
        }
    }
    return reserveEvents(world, &world->begin, step->contactCount, begins[0]) &&
           reserveEvents(world, &world->end, step->contactCount, ends[0]) &&
           reserveEvents(world, &world->sensorBegin, world->sensorContactCount, begins[1]) &&
           reserveEvents(world, &world->sensorEnd, world->sensorContactCount, ends[1]);
}

sdResult sdStep_PublishContacts(sdStep* step) {
    sdWorld* world = step->world;
    int count = step->contactCount;
    if (!reserveAllEvents(step)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    if (!areOfThisStep(world)) {
        world->begin.count = 0;
        world->end.count = 0;
        world->hits.count = 0;
        world->sensorBegin.count = 0;
        world->sensorEnd.count = 0;
    }
    if (world->published != world->attempt) {
        world->published = world->attempt;
        moveEvents(&world->end, &world->lateEnd);
        moveEvents(&world->sensorEnd, &world->lateSensorEnd);
    }
    step->contactCount = 0;
    for (int i = 0; i < count; ++i) {
        const sdContactEntry* entry = &step->contacts[i];
        if (entry->isTouching != entry->wasTouching || entry->isWaking) {
            publish(world, entry);
            step->hasWoken = step->hasWoken || entry->isWaking;
        }
        if (entry->isGoing) {
            sdWorld_DestroyContact(world, &world->pairs.data[entry->pair]);
        } else {
            step->contacts[step->contactCount++] = *entry;
        }
    }
    return SD_OK;
}

sdResult sdStep_ListContacts(sdStep* step) {
    sdWorld* world = step->world;
    size_t capacity = (size_t)world->pairList.count + 1;
    step->contacts = sdArena_Alloc(&world->arena, capacity, sizeof *step->contacts);
    if (step->contacts == NULL) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    step->contactCount = 0;
    for (int i = 0; i < world->pairList.count; ++i) {
        const sdShapePair* pair = &world->pairs.data[world->pairList.data[i]];
        if (pair->contact != SD_NULL_INDEX) {
            sdContact* contact = sdWorld_GetContact(world, pair);
            int patchCount = sdContact_CountPatches(contact, pair);
            step->contacts[step->contactCount++] = (sdContactEntry){
                .pair = world->pairList.data[i],
                .patchCount = patchCount,
                .solvedCount = countSolved(step, contact, pair, patchCount),
                .isTouching = (pair->flags & SD_PAIR_TOUCHING) != 0,
            };
        }
    }
    return SD_OK;
}
