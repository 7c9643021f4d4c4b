// SPDX-License-Identifier: MIT
// contact.c - pairs of shapes that are near each other, and where they touch.
//
// In:   pairs of the broad phase, poses of the bodies.
// Out:  for each contact up to one patch of points (many for meshes and compounds), with the
//       impulses of the step before on points that are still there; begin and end events.
// Note: contacts are found in parallel and published one after the other in the order of their
//       slots.

#include "dynamics/contact.h"

#include "dynamics/island.h"

/// Patches that a contact of a mesh or compound has at most.
#define MAX_PATCHES 256
/// Points of two steps that are nearer to each other, m, may be the same under another name.
#define MATCH_DISTANCE 0.05f
/// Contacts that a worker takes at a time.
#define CONTACT_GRAIN 32

// ---- create and destroy --------------------------------------------------------------------

static bool mayMeet(const sdFilter* a, const sdFilter* b) {
    if (a->group != 0 && a->group == b->group) {
        return a->group > 0;
    }
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

static bool shouldCollide(const sdWorld* world, int indexA, int indexB) {
    const sdFixture* a = &world->fixtures.data[indexA];
    const sdFixture* b = &world->fixtures.data[indexB];
    const sdBody* bodyA = &world->bodies.data[a->body];
    const sdBody* bodyB = &world->bodies.data[b->body];
    bool isSensor = a->def.isSensor != b->def.isSensor;
    bool hasDynamic = bodyA->type == SD_BODY_DYNAMIC || bodyB->type == SD_BODY_DYNAMIC;
    if (a->body == b->body || (a->def.isSensor && b->def.isSensor) || !(hasDynamic || isSensor) ||
        !mayMeet(&a->def.filter, &b->def.filter)) {
        return false;
    }
    return world->filterFcn == NULL ||
           world->filterFcn(world->filterUser, world, sdIdPool_GetId(&world->fixturePool, indexA),
                            sdIdPool_GetId(&world->fixturePool, indexB));
}

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

static void mixMaterials(const sdWorld* world, sdContact* contact) {
    const sdMaterial* a = &world->fixtures.data[contact->fixtureA].def.material;
    const sdMaterial* b = &world->fixtures.data[contact->fixtureB].def.material;
    sdCombine rule = world->def.combineFriction;
    contact->staticFriction = combine(rule, a->staticFriction, b->staticFriction);
    contact->slidingFriction = combine(rule, a->slidingFriction, b->slidingFriction);
    // a smooth floor does not keep a rough ball from being stopped by its own deformation
    contact->rollingFriction = sdMaxF(a->rollingFriction, b->rollingFriction);
    contact->spinFriction = sdMaxF(a->spinFriction, b->spinFriction);
    contact->restitution = combine(world->def.combineRestitution, a->restitution, b->restitution);
}

void sdWorld_RefreshMaterials(sdWorld* world, int body) {
    for (int edge = world->bodies.data[body].firstContact; edge != SD_NULL_INDEX;
         edge = world->contacts.data[edge >> 1].next[edge & 1]) {
        mixMaterials(world, &world->contacts.data[edge >> 1]);
    }
}

static void link(sdWorld* world, int index, int side) {
    sdContact* contact = &world->contacts.data[index];
    sdBody* body = &world->bodies.data[side == 0 ? contact->bodyA : contact->bodyB];
    int edge = index << 1 | side;
    contact->previous[side] = SD_NULL_INDEX;
    contact->next[side] = body->firstContact;
    if (body->firstContact != SD_NULL_INDEX) {
        world->contacts.data[body->firstContact >> 1].previous[body->firstContact & 1] = edge;
    }
    body->firstContact = edge;
    body->contactCount += 1;
}

static void unlink(sdWorld* world, int index, int side) {
    sdContact* contact = &world->contacts.data[index];
    sdBody* body = &world->bodies.data[side == 0 ? contact->bodyA : contact->bodyB];
    int previous = contact->previous[side], next = contact->next[side];
    if (previous != SD_NULL_INDEX) {
        world->contacts.data[previous >> 1].next[previous & 1] = next;
    } else {
        body->firstContact = next;
    }
    if (next != SD_NULL_INDEX) {
        world->contacts.data[next >> 1].previous[next & 1] = previous;
    }
    body->contactCount -= 1;
}

static bool hasPieces(const sdFixture* fixture) {
    return fixture->def.shape.type == SD_SHAPE_MESH || fixture->def.shape.type == SD_SHAPE_COMPOUND;
}

static sdResult createContact(sdWorld* world, int fixtureA, int fixtureB) {
    const sdAllocator* allocator = &world->context.allocator;
    int64_t needed = (int64_t)world->contactPool.slotCount + 1;
    // room for its end, so that ending cannot fail
    if (!sdContactArray_Reserve(&world->contacts, allocator, needed) ||
        !sdBitSet_Reserve(&world->activeContacts, allocator, (int)needed) ||
        !sdContactEventArray_Reserve(&world->lateEnd, allocator, world->lateEnd.count + needed) ||
        !sdContactEventArray_Reserve(&world->lateSensorEnd, allocator,
                                     world->lateSensorEnd.count + needed)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    uint32_t id;
    sdResult result = sdIdPool_Alloc(&world->contactPool, allocator, &id);
    if (result != SD_OK) {
        return result;
    }
    const sdFixture* a = &world->fixtures.data[fixtureA];
    const sdFixture* b = &world->fixtures.data[fixtureB];
    int index = sdId_Index(id);
    world->contacts.count = world->contactPool.slotCount;
    sdContact* contact = &world->contacts.data[index];
    *contact =
        (sdContact){.fixtureA = fixtureA, .fixtureB = fixtureB, .bodyA = a->body, .bodyB = b->body};
    contact->flags = (a->def.isSensor || b->def.isSensor ? SD_CONTACT_SENSOR : 0u) |
                     (hasPieces(a) || hasPieces(b) ? SD_CONTACT_MANY : 0u);
    mixMaterials(world, contact);
    link(world, index, 0);
    link(world, index, 1);
    if (sdBitSet_Test(&world->awakeBodies, contact->bodyA) ||
        sdBitSet_Test(&world->awakeBodies, contact->bodyB)) {
        sdBitSet_Set(&world->activeContacts, index);
    }
    return SD_OK;
}

/// The sensor comes first.
static sdContactEvent eventOf(const sdWorld* world, const sdContact* contact) {
    sdShapeId a = sdIdPool_GetId(&world->fixturePool, contact->fixtureA);
    sdShapeId b = sdIdPool_GetId(&world->fixturePool, contact->fixtureB);
    bool isSwapped = world->fixtures.data[contact->fixtureB].def.isSensor;
    return isSwapped ? (sdContactEvent){b, a} : (sdContactEvent){a, b};
}

void sdWorld_DestroyContact(sdWorld* world, int index) {
    sdContact* contact = &world->contacts.data[index];
    bool wasTouching = (contact->flags & SD_CONTACT_TOUCHING) != 0;
    int bodyA = contact->bodyA, bodyB = contact->bodyB;
    if (wasTouching) {
        bool isSensor = (contact->flags & SD_CONTACT_SENSOR) != 0;
        sdContactEventArray* list = isSensor ? &world->lateSensorEnd : &world->lateEnd;
        list->data[list->count++] = eventOf(world, contact);
    }
    unlink(world, index, 0);
    unlink(world, index, 1);
    sdPatchArray_Free(&contact->many, &world->context.allocator);
    sdBitSet_Clear(&world->activeContacts, index);
    sdIdPool_Release(&world->contactPool, sdIdPool_GetId(&world->contactPool, index));
    if (wasTouching && (contact->flags & SD_CONTACT_SENSOR) == 0) {
        sdWorld_WakeBody(world, bodyA);
        sdWorld_WakeBody(world, bodyB);
    }
}

void sdWorld_DestroyContactsOf(sdWorld* world, int fixture) {
    int edge = world->bodies.data[world->fixtures.data[fixture].body].firstContact;
    while (edge != SD_NULL_INDEX) {
        const sdContact* contact = &world->contacts.data[edge >> 1];
        int next = contact->next[edge & 1];
        if (contact->fixtureA == fixture || contact->fixtureB == fixture) {
            sdWorld_DestroyContact(world, edge >> 1);
        }
        edge = next;
    }
}

static int findContact(const sdWorld* world, int fixtureA, int fixtureB) {
    const sdBody* a = &world->bodies.data[world->fixtures.data[fixtureA].body];
    const sdBody* b = &world->bodies.data[world->fixtures.data[fixtureB].body];
    // the floor has thousands, what lies on it a few
    const sdBody* body = a->contactCount < b->contactCount ? a : b;
    for (int edge = body->firstContact; edge != SD_NULL_INDEX;
         edge = world->contacts.data[edge >> 1].next[edge & 1]) {
        const sdContact* contact = &world->contacts.data[edge >> 1];
        if (contact->fixtureA == fixtureA && contact->fixtureB == fixtureB) {
            return edge >> 1;
        }
    }
    return SD_NULL_INDEX;
}

sdResult sdWorld_UpdatePairs(sdWorld* world) {
    sdPairChanges changes;
    sdResult result = sdBroadphase_UpdatePairs(world->broadphase, &changes);
    if (result != SD_OK) {
        return result;
    }
    const sdBroadphase* broadphase = world->broadphase;
    for (int i = 0; i < changes.lostCount; ++i) {
        sdProxyPair pair = changes.lostPairs[i];
        // shapes that were removed have taken their contacts with them
        if (sdBroadphase_IsValidId(broadphase, pair.a) &&
            sdBroadphase_IsValidId(broadphase, pair.b)) {
            int a = (int)sdBroadphase_GetUserData(broadphase, pair.a);
            int b = (int)sdBroadphase_GetUserData(broadphase, pair.b);
            int contact = findContact(world, sdMinI(a, b), sdMaxI(a, b));
            if (contact != SD_NULL_INDEX) {
                sdWorld_DestroyContact(world, contact);
            }
        }
    }
    for (int i = 0; i < changes.newCount && result == SD_OK; ++i) {
        int a = (int)sdBroadphase_GetUserData(broadphase, changes.newPairs[i].a);
        int b = (int)sdBroadphase_GetUserData(broadphase, changes.newPairs[i].b);
        if (shouldCollide(world, sdMinI(a, b), sdMaxI(a, b))) {
            result = createContact(world, sdMinI(a, b), sdMaxI(a, b));
        }
    }
    return result;
}

// ---- collide -------------------------------------------------------------------------------

/// The old point that a new one continues: the one of the same features, else the nearest that is
/// left, for features change their names while bodies slide and tilt.
static int findOld(const sdManifoldPoint* point, const sdManifold* old, uint32_t free,
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

/// Give the points of a new patch the impulses of those that were there before.
static void inherit(sdPatch* patch, const sdPatch* old) {
    uint32_t free = (1u << old->manifold.pointCount) - 1u;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < patch->manifold.pointCount; ++i) {
            bool isMatched = (patch->keptMask >> i & 1) != 0;
            int from = isMatched
                           ? SD_NULL_INDEX
                           : findOld(&patch->manifold.points[i], &old->manifold, free, pass == 1);
            if (from != SD_NULL_INDEX) {
                patch->normalImpulses[i] = old->normalImpulses[from];
                patch->keptMask |= (uint8_t)(1u << i);
                free &= ~(1u << from);
            }
        }
    }
    patch->removedCount = (uint8_t)__builtin_popcount(free);
    // without a point that goes on there is no friction to go on with
    if (patch->keptMask != 0) {
        patch->friction = old->friction;
        patch->rolling = old->rolling;
    }
}

/// What two shapes are to each other at the start of a step.
typedef struct Approach {
    const sdShape* a;
    const sdShape* b;
    sdTransform xfAB;
    float margin;
} Approach;

static Approach approachOf(const sdWorld* world, const sdContact* contact, float dt) {
    const sdFixture* a = &world->fixtures.data[contact->fixtureA];
    const sdFixture* b = &world->fixtures.data[contact->fixtureB];
    const sdBody* bodyA = &world->bodies.data[contact->bodyA];
    const sdBody* bodyB = &world->bodies.data[contact->bodyB];
    sdWorldTransform centerA = {bodyA->center, bodyA->rotation};
    sdWorldTransform centerB = {bodyB->center, bodyB->rotation};
    sdTransform between = sdWorldTransform_Relative(centerA, centerB);
    sdTransform localA = sdFixture_ToCenter(bodyA, a), localB = sdFixture_ToCenter(bodyB, b);
    // points that can come together within the step must be seen now
    float speed = sdLength(sdSub(bodyB->velocity, bodyA->velocity)) +
                  sdLength(bodyA->angularVelocity) * bodyA->radius +
                  sdLength(bodyB->angularVelocity) * bodyB->radius;
    float reach = 0.25f * sdMinF(bodyA->type == SD_BODY_STATIC ? bodyB->radius : bodyA->radius,
                                 bodyB->type == SD_BODY_STATIC ? bodyA->radius : bodyB->radius);
    return (Approach){
        .a = &a->def.shape,
        .b = &b->def.shape,
        .xfAB = sdInvMulXf(localA, sdMulXf(between, localB)),
        .margin = SD_SPECULATIVE_MARGIN + sdMinF(speed * dt, reach),
    };
}

static void collideOne(const sdWorld* world, sdContact* contact, float dt) {
    Approach approach = approachOf(world, contact, dt);
    sdPatch old = contact->patch;
    contact->patch = (sdPatch){0};
    contact->patchCount = sdCollide(approach.a, approach.b, approach.xfAB, approach.margin,
                                    &contact->cache, &contact->patch.manifold) > 0;
    inherit(&contact->patch, &old);
}

/// Whether the children of a come before those of b.
static bool isBefore(const sdManifold* a, const sdManifold* b) {
    return a->childA < b->childA || (a->childA == b->childA && a->childB < b->childB);
}

/// @return false when memory is short; the contact is as it was
static bool collideMany(const sdWorld* world, sdContact* contact, float dt) {
    Approach approach = approachOf(world, contact, dt);
    sdManifold manifolds[MAX_PATCHES];
    sdPatch old[MAX_PATCHES];
    int total, oldCount = contact->patchCount;
    int count = sdCollideMany(approach.a, approach.b, approach.xfAB, approach.margin, manifolds,
                              MAX_PATCHES, &total);
    if (!sdPatchArray_Reserve(&contact->many, &world->context.allocator, count)) {
        return false;
    }
    if (total > count) {
        sdLog(&world->context, SD_LOG_WARNING,
              "sdWorld_Step: two shapes touch in %d places; only the first %d are used", total,
              count);
    }
    for (int i = 0; i < oldCount; ++i) {
        old[i] = contact->many.data[i];
    }
    contact->patchCount = count;
    // both lists are in the order of the children
    for (int i = 0, j = 0; i < count; ++i) {
        sdPatch* patch = &contact->many.data[i];
        *patch = (sdPatch){.manifold = manifolds[i]};
        while (j < oldCount && isBefore(&old[j].manifold, &manifolds[i])) {
            j += 1;
        }
        if (j < oldCount && !isBefore(&manifolds[i], &old[j].manifold)) {
            inherit(patch, &old[j]);
        }
    }
    return true;
}

typedef struct CollideTask {
    sdWorld* world;
    float dt;
    atomic_int hasFailed;
} CollideTask;

static void collideRange(void* arg, int begin, int end, int worker) {
    (void)worker;
    CollideTask* task = (CollideTask*)arg;
    sdWorld* world = task->world;
    for (int i = begin; i < end; ++i) {
        sdContact* contact = &world->contacts.data[world->contactList.data[i]];
        if ((contact->flags & SD_CONTACT_MANY) == 0) {
            collideOne(world, contact, task->dt);
        } else if (!collideMany(world, contact, task->dt)) {
            atomic_store_explicit(&task->hasFailed, 1, memory_order_relaxed);
        }
    }
}

sdResult sdWorld_CollideContacts(sdWorld* world, float dt) {
    CollideTask task = {.world = world, .dt = dt};
    atomic_init(&task.hasFailed, 0);
    const sdTaskSystem* tasks = &world->context.tasks;
    if (world->contactList.count > 0) {
        tasks->parallelFor(tasks->user, collideRange, &task, world->contactList.count,
                           CONTACT_GRAIN);
    }
    return atomic_load(&task.hasFailed) != 0 ? SD_ERROR_OUT_OF_MEMORY : SD_OK;
}

// ---- publish -------------------------------------------------------------------------------

/// Sensors and events care for overlap, not for points that are only near.
static bool isTouching(sdContact* contact, float slop) {
    const sdPatch* patches = sdContact_GetPatches(contact);
    for (int i = 0; i < contact->patchCount; ++i) {
        const sdManifold* manifold = &patches[i].manifold;
        for (int j = 0; j < manifold->pointCount; ++j) {
            if (manifold->points[j].separation <= slop) {
                return true;
            }
        }
    }
    return false;
}

static void moveEvents(sdContactEventArray* to, sdContactEventArray* from) {
    memcpy(to->data, from->data, (size_t)from->count * sizeof *from->data);
    to->count = from->count;
    from->count = 0;
}

static void wakeSleeper(sdWorld* world, int body) {
    if (!sdBitSet_Test(&world->awakeBodies, body)) {
        sdWorld_WakeBody(world, body);
    }
}

sdResult sdWorld_PublishContacts(sdWorld* world) {
    const sdAllocator* allocator = &world->context.allocator;
    int count = world->contactList.count;
    if (!sdContactEventArray_Reserve(&world->begin, allocator, count + 1) ||
        !sdContactEventArray_Reserve(&world->end, allocator, count + world->lateEnd.count + 1) ||
        !sdContactEventArray_Reserve(&world->sensorBegin, allocator, count + 1) ||
        !sdContactEventArray_Reserve(&world->sensorEnd, allocator,
                                     count + world->lateSensorEnd.count + 1)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    world->begin.count = 0;
    world->sensorBegin.count = 0;
    if (world->lateEnd.count > 0) {
        moveEvents(&world->end, &world->lateEnd);
    } else {
        world->end.count = 0;
    }
    if (world->lateSensorEnd.count > 0) {
        moveEvents(&world->sensorEnd, &world->lateSensorEnd);
    } else {
        world->sensorEnd.count = 0;
    }
    for (int i = 0; i < count; ++i) {
        int index = world->contactList.data[i];
        sdContact* contact = &world->contacts.data[index];
        bool isSensor = (contact->flags & SD_CONTACT_SENSOR) != 0;
        bool was = (contact->flags & SD_CONTACT_TOUCHING) != 0;
        bool is = isTouching(contact, isSensor ? 0.0f : world->def.slop);
        if (is && !was) {
            sdContactEventArray* list = isSensor ? &world->sensorBegin : &world->begin;
            list->data[list->count++] = eventOf(world, contact);
            contact->flags |= SD_CONTACT_TOUCHING;
        } else if (was && !is) {
            sdContactEventArray* list = isSensor ? &world->sensorEnd : &world->end;
            list->data[list->count++] = eventOf(world, contact);
            contact->flags &= ~(uint32_t)SD_CONTACT_TOUCHING;
        }
        if (is && !isSensor) {
            // who touches one that is awake is awake
            wakeSleeper(world, contact->bodyA);
            wakeSleeper(world, contact->bodyB);
        }
    }
    return SD_OK;
}
