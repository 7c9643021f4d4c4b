// SPDX-License-Identifier: MIT
// snapshot_check_contacts.c - whether pairs and contacts that came from outside are such.
//
// In:   a world whose bodies and shapes have been looked at.
// Out:  what does not agree, in words.
// Note: what contacts remember of the search for points is what anyone may give to sdCollide, which
//       looks at it itself; it only has to be finite.

#include "dynamics/snapshot_check.h"

#include "dynamics/contact.h"
#include "dynamics/pair.h"
#include "geometry/compound.h"

/// Numbers that a step keeps for the next.
#define MAX_NUMBER 1e36f
/// By which the square of a normal's length may be off.
#define NORMAL_TOLERANCE 0.01f

// ---- patches -------------------------------------------------------------------------------

/// @param room points that there is room for
static bool isPatch(const sdPatch* patch, int room) {
    // normal, friction, rolling, all friction, speed and impulse of a blow
    if (patch->pointCount > room || !sdAreWithin(&patch->normal, 14, MAX_NUMBER)) {
        return false;
    }
    for (int i = 0; i < patch->pointCount; ++i) {
        const sdPatchPoint* point = &patch->points[i];
        if (!sdAreWithin(&point->pointA, 4, MAX_NUMBER) ||
            !sdAreWithin(&point->impulse, 2, MAX_NUMBER)) {
            return false;
        }
    }
    return patch->pointCount == 0 ||
           sdAbsF(sdLengthSquared(patch->normal) - 1.0f) < NORMAL_TOLERANCE;
}

/// What only contacts of any two convex shapes have.
static bool isFull(const sdFullContact* full) {
    // pose and found, then the memory's axis, origin and rotation
    return sdAreWithin(&full->pose, 7 + SD_MANIFOLD_MAX_POINTS, MAX_NUMBER) &&
           sdAreWithin(&full->memory.axis, 10, MAX_NUMBER);
}

static bool areContacts(const sdContactPool* pool, sdContactStore store) {
    int room = store == SD_STORE_SLIM ? SD_SLIM_POINTS : SD_MANIFOLD_MAX_POINTS;
    for (int i = 0; i < pool->count; ++i) {
        const sdContact* contact =
            (const sdContact*)(const void*)(pool->data + (size_t)i * sdContactStore_GetSize(store));
        if (sdBitSet_Test(&pool->slots.taken, i) &&
            (!isPatch(&contact->patch, room) ||
             (store == SD_STORE_FULL && !isFull((const sdFullContact*)(const void*)contact)))) {
            return false;
        }
    }
    return true;
}

/// Whether a patch names a part of a shape that there is.
static bool isChild(const sdFixture* fixture, int child) {
    const sdShape* shape = &fixture->def.shape;
    int count = 0;
    if (shape->type == SD_SHAPE_COMPOUND) {
        sdCompound_GetChildren(shape->compound, &count);
        return child >= 0 && child < count;
    }
    count = shape->type == SD_SHAPE_MESH ? sdMesh_GetData(shape->mesh).triangleCount : 0;
    return child >= SD_NULL_INDEX && child < count;
}

static bool isManyPatch(const sdWorld* world, const sdShapePair* pair, const sdManyPatch* many) {
    return isPatch(&many->patch, SD_MANIFOLD_MAX_POINTS) &&
           sdAreWithin(many->found, SD_MANIFOLD_MAX_POINTS, MAX_NUMBER) &&
           isChild(&world->fixtures.data[pair->fixtureA], many->childA) &&
           isChild(&world->fixtures.data[pair->fixtureB], many->childB);
}

/// Contacts with many patches, whose pairs have been looked at.
static bool areMany(const sdWorldView* view) {
    const sdWorld* world = view->world;
    const sdManyPatch *patch = view->patches, *end = patch + view->patchCount;
    for (int i = 0; i < view->headCount; ++i) {
        const sdManyContact* head = &view->heads[i];
        int count = head->patches.count;
        bool isLive = sdBitSet_Test(&world->contacts[SD_STORE_MANY].slots.taken, i);
        if (count < 0 || count > (isLive ? SD_MAX_PATCHES : 0) || count > end - patch ||
            (isLive && !sdAreWithin(&head->pose, 7, MAX_NUMBER))) {
            return false;
        }
        for (int k = 0; k < count; ++k, ++patch) {
            if (!isManyPatch(world, &world->pairs.data[head->pair], patch)) {
                return false;
            }
        }
    }
    return patch == end;
}

// ---- pairs ---------------------------------------------------------------------------------

static bool isFixture(const sdWorld* world, int index) {
    return index >= 0 && sdIdPool_GetId(&world->fixturePool, index) != SD_NULL_ID;
}

static bool isPair(const sdWorld* world, const sdShapePair* pair) {
    if (!isFixture(world, pair->fixtureA) || !isFixture(world, pair->fixtureB) ||
        pair->fixtureA >= pair->fixtureB) {
        return false;
    }
    const sdFixture* a = &world->fixtures.data[pair->fixtureA];
    const sdFixture* b = &world->fixtures.data[pair->fixtureB];
    return pair->bodyA == a->body && pair->bodyB == b->body && sdIsFinite(pair->distance) &&
           sdShapePair_IsPossible(world, a, b) &&
           (pair->flags & ~(uint32_t)SD_PAIR_TOUCHING) == sdShapePair_FindFlags(a, b);
}

/// The pair that the contact in a slot says that it is of, or SD_NULL_INDEX.
static int pairOf(const sdWorldView* view, sdContactStore store, int slot) {
    const sdContactPool* pool = &view->world->contacts[store];
    if (slot < 0 || slot >= pool->slots.slotCount || !sdBitSet_Test(&pool->slots.taken, slot)) {
        return SD_NULL_INDEX;
    }
    const char* contact = pool->data + (size_t)slot * sdContactStore_GetSize(store);
    return store == SD_STORE_MANY ? view->heads[slot].pair
                                  : ((const sdContact*)(const void*)contact)->pair;
}

/// Whether the contact of a pair is its own, and one is there if the pair says that it touches.
static bool hasOwnContact(const sdWorldView* view, int index, int counts[SD_STORE_COUNT]) {
    const sdShapePair* pair = &view->world->pairs.data[index];
    if (pair->contact == SD_NULL_INDEX) {
        return (pair->flags & SD_PAIR_TOUCHING) == 0;
    }
    sdContactStore store = sdShapePair_GetStore(pair);
    counts[store] += 1;
    return pairOf(view, store, pair->contact) == index;
}

static bool isRightlyActive(const sdWorld* world, int index) {
    const sdShapePair* pair = &world->pairs.data[index];
    return !sdBitSet_Test(&world->activePairs, index) ||
           sdBitSet_Test(&world->awakeBodies, pair->bodyA) ||
           sdBitSet_Test(&world->awakeBodies, pair->bodyB);
}

static const char* faultOfPairs(const sdWorldView* view) {
    const sdWorld* world = view->world;
    int counts[SD_STORE_COUNT] = {0}, sensorCount = 0;
    for (int i = 0; i < world->pairs.count; ++i) {
        const sdShapePair* pair = &world->pairs.data[i];
        if (!sdBitSet_Test(&world->pairPool.taken, i)) {
            if (sdBitSet_Test(&world->activePairs, i)) {
                return "a pair that is gone takes part in steps";
            }
            continue;
        }
        if (!isPair(world, pair) || !isRightlyActive(world, i)) {
            return "a pair does not agree with its shapes";
        }
        if (!hasOwnContact(view, i, counts)) {
            return "a pair has a contact that is not its own";
        }
        bool isSensor = (pair->flags & SD_PAIR_SENSOR) != 0;
        sensorCount += isSensor && pair->contact != SD_NULL_INDEX ? 1 : 0;
    }
    // each of them names one pair, which has it
    bool areAll = sensorCount == world->sensorContactCount;
    for (int i = 0; i < SD_STORE_COUNT; ++i) {
        areAll = areAll && counts[i] == world->contacts[i].slots.liveCount;
    }
    return areAll ? NULL : "a contact is of no pair";
}

const char* sdWorldView_FindContactFault(const sdWorldView* view) {
    const sdWorld* world = view->world;
    const char* fault = faultOfPairs(view);
    if (fault != NULL) {
        return fault;
    }
    return areContacts(&world->contacts[SD_STORE_SLIM], SD_STORE_SLIM) &&
                   areContacts(&world->contacts[SD_STORE_FULL], SD_STORE_FULL) && areMany(view)
               ? NULL
               : "the points of a contact are not finite or not as many as can be";
}
