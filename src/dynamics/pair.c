// SPDX-License-Identifier: MIT
// pair.c - pairs of shapes that are near each other.
//
// In:   pairs of the broad phase, filters.
// Out:  a list of pairs at every body; contacts of pairs that are lost end.

#include "dynamics/pair.h"

#include "dynamics/contact.h"
#include "dynamics/island.h"
#include "dynamics/joint.h"

/// New or lost pairs that are looked at together.
#define CHANGE_BLOCK 64

// ---- filters -------------------------------------------------------------------------------

static bool mayMeet(const sdFilter* a, const sdFilter* b) {
    if (a->group != 0 && a->group == b->group) {
        return a->group > 0;
    }
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

bool sdShapePair_IsPossible(const sdWorld* world, const sdFixture* a, const sdFixture* b) {
    bool isSensor = a->def.isSensor != b->def.isSensor;
    bool hasDynamic = world->bodies.data[a->body].type == SD_BODY_DYNAMIC ||
                      world->bodies.data[b->body].type == SD_BODY_DYNAMIC;
    return a->body != b->body && !(a->def.isSensor && b->def.isSensor) && (hasDynamic || isSensor);
}

static bool shouldCollide(const sdWorld* world, int indexA, int indexB) {
    const sdFixture* a = &world->fixtures.data[indexA];
    const sdFixture* b = &world->fixtures.data[indexB];
    if (!sdShapePair_IsPossible(world, a, b) || !mayMeet(&a->def.filter, &b->def.filter) ||
        sdWorld_AreJoined(world, a->body, b->body)) {
        return false;
    }
    return world->filterFcn == NULL ||
           world->filterFcn(world->filterUser, world, sdIdPool_GetId(&world->fixturePool, indexA),
                            sdIdPool_GetId(&world->fixturePool, indexB));
}

// ---- lists of the bodies -------------------------------------------------------------------

static void link(sdWorld* world, int index, int side) {
    sdShapePair* pair = &world->pairs.data[index];
    sdBody* body = &world->bodies.data[side == 0 ? pair->bodyA : pair->bodyB];
    int edge = index << 1 | side;
    pair->previous[side] = SD_NULL_INDEX;
    pair->next[side] = body->firstPair;
    if (body->firstPair != SD_NULL_INDEX) {
        world->pairs.data[body->firstPair >> 1].previous[body->firstPair & 1] = edge;
    }
    body->firstPair = edge;
    body->pairCount += 1;
}

static void unlink(sdWorld* world, int index, int side) {
    sdShapePair* pair = &world->pairs.data[index];
    sdBody* body = &world->bodies.data[side == 0 ? pair->bodyA : pair->bodyB];
    int previous = pair->previous[side], next = pair->next[side];
    if (previous != SD_NULL_INDEX) {
        world->pairs.data[previous >> 1].next[previous & 1] = next;
    } else {
        body->firstPair = next;
    }
    if (next != SD_NULL_INDEX) {
        world->pairs.data[next >> 1].previous[next & 1] = previous;
    }
    body->pairCount -= 1;
}

// ---- create and destroy --------------------------------------------------------------------

static bool hasPieces(const sdFixture* fixture) {
    return fixture->def.shape.type == SD_SHAPE_MESH || fixture->def.shape.type == SD_SHAPE_COMPOUND;
}

static bool isRound(const sdShape* shape) {
    return shape->type == SD_SHAPE_SPHERE || shape->type == SD_SHAPE_CAPSULE;
}

/// Whether two shapes touch in few points that are found at once, without memory: spheres and
/// capsules with each other and with a half-space, spheres with boxes.
static bool isSlim(const sdShape* a, const sdShape* b) {
    bool isBallA = a->type == SD_SHAPE_SPHERE, isBallB = b->type == SD_SHAPE_SPHERE;
    bool isRoundA = isRound(a), isRoundB = isRound(b);
    return (isRoundA && (isRoundB || b->type == SD_SHAPE_HALF_SPACE)) ||
           (isRoundB && a->type == SD_SHAPE_HALF_SPACE) || (isBallA && b->type == SD_SHAPE_BOX) ||
           (isBallB && a->type == SD_SHAPE_BOX);
}

uint32_t sdShapePair_FindFlags(const sdFixture* a, const sdFixture* b) {
    return (a->def.isSensor || b->def.isSensor ? SD_PAIR_SENSOR : 0u) |
           (hasPieces(a) || hasPieces(b) ? SD_PAIR_MANY : 0u) |
           (isSlim(&a->def.shape, &b->def.shape) ? SD_PAIR_SLIM : 0u) |
           (isRound(&a->def.shape) && isRound(&b->def.shape) ? SD_PAIR_ROUND : 0u);
}

static sdResult reservePairs(sdWorld* world, int count) {
    const sdAllocator* allocator = &world->context.allocator;
    int64_t needed = (int64_t)world->pairPool.slotCount + count;
    if (needed > SD_MAX_PAIRS) {
        return SD_ERROR_LIMIT;
    }
    bool isThere = sdShapePairArray_Reserve(&world->pairs, allocator, needed) &&
                   sdBitSet_Reserve(&world->activePairs, allocator, (int)needed) &&
                   sdSlotPool_Reserve(&world->pairPool, allocator, count);
    return isThere ? SD_OK : SD_ERROR_OUT_OF_MEMORY;
}

/// There must be room.
static void createPair(sdWorld* world, int fixtureA, int fixtureB) {
    const sdFixture* a = &world->fixtures.data[fixtureA];
    const sdFixture* b = &world->fixtures.data[fixtureB];
    int index = sdSlotPool_Take(&world->pairPool);
    world->pairs.count = world->pairPool.slotCount;
    world->pairs.data[index] = (sdShapePair){
        .fixtureA = fixtureA,
        .fixtureB = fixtureB,
        .bodyA = a->body,
        .bodyB = b->body,
        .contact = SD_NULL_INDEX,
        .flags = sdShapePair_FindFlags(a, b),
    };
    link(world, index, 0);
    link(world, index, 1);
    if (sdBitSet_Test(&world->awakeBodies, a->body) ||
        sdBitSet_Test(&world->awakeBodies, b->body)) {
        sdBitSet_Set(&world->activePairs, index);
    }
}

static void destroyPair(sdWorld* world, int index) {
    sdShapePair* pair = &world->pairs.data[index];
    sdShapePair old = *pair;
    if (pair->contact != SD_NULL_INDEX) {
        if ((pair->flags & SD_PAIR_TOUCHING) != 0) {
            sdWorld_NoteEnd(world, pair);
        }
        sdWorld_DestroyContact(world, pair);
    }
    unlink(world, index, 0);
    unlink(world, index, 1);
    sdBitSet_Clear(&world->activePairs, index);
    sdSlotPool_Release(&world->pairPool, index);
    if ((old.flags & (SD_PAIR_TOUCHING | SD_PAIR_SENSOR)) == SD_PAIR_TOUCHING) {
        sdWorld_WakeBody(world, old.bodyA);
        sdWorld_WakeBody(world, old.bodyB);
    }
}

void sdWorld_DestroyPairsOf(sdWorld* world, int fixture) {
    int edge = world->bodies.data[world->fixtures.data[fixture].body].firstPair;
    while (edge != SD_NULL_INDEX) {
        const sdShapePair* pair = &world->pairs.data[edge >> 1];
        int next = pair->next[edge & 1];
        if (pair->fixtureA == fixture || pair->fixtureB == fixture) {
            destroyPair(world, edge >> 1);
        }
        edge = next;
    }
}

void sdWorld_ForgetDistances(sdWorld* world, int body) {
    for (int edge = world->bodies.data[body].firstPair; edge != SD_NULL_INDEX;
         edge = world->pairs.data[edge >> 1].next[edge & 1]) {
        world->pairs.data[edge >> 1].distance = 0.0f;
    }
}

void sdWorld_StopReach(sdWorld* world, int body) {
    world->reaches.data[body] = (sdReach){.turned = 0.0f};
    sdWorld_ForgetDistances(world, body);
}

/// Where to begin the search for a pair: the floor has thousands, what lies on it a few.
static int firstEdge(const sdWorld* world, int fixtureA, int fixtureB) {
    const sdBody* a = &world->bodies.data[world->fixtures.data[fixtureA].body];
    const sdBody* b = &world->bodies.data[world->fixtures.data[fixtureB].body];
    return a->pairCount < b->pairCount ? a->firstPair : b->firstPair;
}

static int findPair(const sdWorld* world, int fixtureA, int fixtureB) {
    for (int edge = firstEdge(world, fixtureA, fixtureB); edge != SD_NULL_INDEX;
         edge = world->pairs.data[edge >> 1].next[edge & 1]) {
        const sdShapePair* pair = &world->pairs.data[edge >> 1];
        if (pair->fixtureA == fixtureA && pair->fixtureB == fixtureB) {
            return edge >> 1;
        }
    }
    return SD_NULL_INDEX;
}

bool sdWorld_MayMeet(const sdWorld* world, int fixtureA, int fixtureB) {
    int a = sdMinI(fixtureA, fixtureB), b = sdMaxI(fixtureA, fixtureB);
    const sdFixture* first = &world->fixtures.data[a];
    const sdFixture* second = &world->fixtures.data[b];
    // of those that are near each other, filters were asked already
    if (sdBroadphase_HasPair(world->broadphase, first->proxy, second->proxy)) {
        return findPair(world, a, b) != SD_NULL_INDEX;
    }
    return shouldCollide(world, a, b);
}

/// What two shapes of a change of pairs are, and how far the search for their pair has come.
typedef struct Change {
    int fixtureA, fixtureB; ///< the smaller slot first; SD_NULL_INDEX: one is gone
    int edge;
} Change;

/// Ask for what is known of a shape, but for the shape itself.
SD_PREFETCHING void prefetchFixture(const sdWorld* world, int fixture) {
    const sdFixture* at = &world->fixtures.data[fixture];
    sdPrefetch(&at->def.filter, sizeof *at - offsetof(sdFixture, def.filter));
}

SD_PREFETCHING void prefetchBody(const sdWorld* world, int fixture) {
    sdPrefetch(&world->bodies.data[world->fixtures.data[fixture].body], sizeof(sdBody));
}

/// Ask for the neighbours in the lists of a body.
SD_PREFETCHING void prefetchLists(const sdWorld* world, int fixture) {
    const sdBody* body = &world->bodies.data[world->fixtures.data[fixture].body];
    if (body->firstPair != SD_NULL_INDEX) {
        sdPrefetch(&world->pairs.data[body->firstPair >> 1], sizeof(sdShapePair));
    }
    if (body->firstJoint != SD_NULL_INDEX) {
        const sdJoint* joint = &world->joints.data[body->firstJoint >> 1];
        sdPrefetch(joint, 1);
        sdPrefetch(joint->next, sizeof joint->next);
    }
}

/// Read a few changes, and ask for all that they will touch. In a large world each of these is a
/// way to memory; so they are all gone at once.
static void readChanges(const sdWorld* world, const sdProxyPair* pairs, int count, Change* out) {
    const sdBroadphase* broadphase = world->broadphase;
    for (int i = 0; i < count; ++i) {
        bool areThere = sdBroadphase_IsValidId(broadphase, pairs[i].a) &&
                        sdBroadphase_IsValidId(broadphase, pairs[i].b);
        int a = areThere ? (int)sdBroadphase_GetUserData(broadphase, pairs[i].a) : SD_NULL_INDEX;
        int b = areThere ? (int)sdBroadphase_GetUserData(broadphase, pairs[i].b) : SD_NULL_INDEX;
        out[i] = (Change){sdMinI(a, b), sdMaxI(a, b), SD_NULL_INDEX};
        if (areThere) {
            prefetchFixture(world, a);
            prefetchFixture(world, b);
        }
    }
    for (int stage = 0; stage < 2; ++stage) {
        for (int i = 0; i < count; ++i) {
            if (out[i].fixtureA == SD_NULL_INDEX) {
                continue;
            }
            if (stage == 0) {
                prefetchBody(world, out[i].fixtureA);
                prefetchBody(world, out[i].fixtureB);
            } else {
                prefetchLists(world, out[i].fixtureA);
                prefetchLists(world, out[i].fixtureB);
            }
        }
    }
}

/// Find the pairs of some changes, one link of each list after the other, so that nobody waits.
/// Afterwards `edge` is one of the pair, or SD_NULL_INDEX.
static void findEdges(const sdWorld* world, Change* changes, int count) {
    int leftCount = 0, left[CHANGE_BLOCK];
    for (int i = 0; i < count; ++i) {
        if (changes[i].fixtureA != SD_NULL_INDEX) {
            changes[i].edge = firstEdge(world, changes[i].fixtureA, changes[i].fixtureB);
            left[leftCount] = i;
            leftCount += changes[i].edge != SD_NULL_INDEX ? 1 : 0;
        }
    }
    while (leftCount > 0) {
        int keptCount = 0;
        for (int k = 0; k < leftCount; ++k) {
            Change* change = &changes[left[k]];
            const sdShapePair* pair = &world->pairs.data[change->edge >> 1];
            if (pair->fixtureA != change->fixtureA || pair->fixtureB != change->fixtureB) {
                change->edge = pair->next[change->edge & 1];
                if (change->edge != SD_NULL_INDEX) {
                    sdPrefetch(&world->pairs.data[change->edge >> 1], sizeof(sdShapePair));
                    left[keptCount++] = left[k];
                }
            }
        }
        leftCount = keptCount;
    }
}

static void losePairs(sdWorld* world, const sdPairChanges* changes) {
    for (int first = 0; first < changes->lostCount; first += CHANGE_BLOCK) {
        int count = sdMinI(changes->lostCount - first, CHANGE_BLOCK);
        Change lost[CHANGE_BLOCK];
        // shapes that were removed have taken their pairs with them
        readChanges(world, changes->lostPairs + first, count, lost);
        findEdges(world, lost, count);
        for (int i = 0; i < count; ++i) {
            if (lost[i].edge != SD_NULL_INDEX) {
                destroyPair(world, lost[i].edge >> 1);
            }
        }
    }
}

/// All of them or none.
/// @param isAny some of them may be there already
static sdResult takePairs(sdWorld* world, const sdProxyPair* pairs, int count, bool isAny) {
    sdResult result = reservePairs(world, count);
    for (int first = 0; first < count && result == SD_OK; first += CHANGE_BLOCK) {
        Change taken[CHANGE_BLOCK];
        int blockCount = sdMinI(count - first, CHANGE_BLOCK);
        readChanges(world, pairs + first, blockCount, taken);
        for (int i = 0; i < blockCount; ++i) {
            int a = taken[i].fixtureA, b = taken[i].fixtureB;
            bool isThere = a == SD_NULL_INDEX || (isAny && findPair(world, a, b) != SD_NULL_INDEX);
            if (!isThere && shouldCollide(world, a, b)) {
                createPair(world, a, b);
            }
        }
    }
    return result;
}

/// After a step without room for new pairs, and changes since: whatever is missing.
static sdResult takeMissing(sdWorld* world) {
    int count = sdBroadphase_GetPairCount(world->broadphase);
    sdProxyPair* pairs = sdArena_Alloc(&world->arena, (size_t)count + 1, sizeof *pairs);
    if (pairs == NULL) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    sdBroadphase_GetPairs(world->broadphase, pairs, count);
    return takePairs(world, pairs, count, true);
}

sdResult sdWorld_UpdatePairs(sdWorld* world) {
    bool isSame = world->hasMissingPairs && world->missing == world->attempt;
    if (!isSame) {
        sdResult result = sdBroadphase_UpdatePairs(world->broadphase, &world->changes);
        if (result != SD_OK) {
            return result;
        }
        losePairs(world, &world->changes);
    }
    sdResult result = world->hasMissingPairs && !isSame ? takeMissing(world)
                                                        : takePairs(world, world->changes.newPairs,
                                                                    world->changes.newCount, false);
    world->hasMissingPairs = result != SD_OK;
    world->missing = world->attempt;
    return result;
}

// ---- pairs of two bodies -------------------------------------------------------------------

void sdWorld_DestroyPairsBetween(sdWorld* world, int bodyA, int bodyB) {
    const sdBody* a = &world->bodies.data[bodyA];
    const sdBody* b = &world->bodies.data[bodyB];
    int edge = a->pairCount < b->pairCount ? a->firstPair : b->firstPair;
    int other = a->pairCount < b->pairCount ? bodyB : bodyA;
    while (edge != SD_NULL_INDEX) {
        const sdShapePair* pair = &world->pairs.data[edge >> 1];
        int next = pair->next[edge & 1];
        if (((edge & 1) == 0 ? pair->bodyB : pair->bodyA) == other) {
            destroyPair(world, edge >> 1);
        }
        edge = next;
    }
}

bool sdWorld_ReservePairsBetween(sdWorld* world, int bodyA, int bodyB) {
    const sdAllocator* allocator = &world->context.allocator;
    int64_t most = (int64_t)world->bodies.data[bodyA].shapeCount *
                   (int64_t)world->bodies.data[bodyB].shapeCount;
    int64_t needed = (int64_t)world->pairPool.slotCount + most;
    return needed <= SD_MAX_PAIRS && sdShapePairArray_Reserve(&world->pairs, allocator, needed) &&
           sdBitSet_Reserve(&world->activePairs, allocator, (int)needed) &&
           sdBitSet_Reserve(&world->pairPool.taken, allocator, (int)needed);
}

void sdWorld_CreatePairsBetween(sdWorld* world, int bodyA, int bodyB) {
    // the filter is asked here, too, when a joint goes between two steps
    bool wasLocked = world->isLocked;
    world->isLocked = true;
    for (int i = world->bodies.data[bodyA].firstShape; i != SD_NULL_INDEX;
         i = world->fixtures.data[i].next) {
        for (int j = world->bodies.data[bodyB].firstShape; j != SD_NULL_INDEX;
             j = world->fixtures.data[j].next) {
            int a = sdMinI(i, j), b = sdMaxI(i, j);
            bool isKnown = sdBroadphase_HasPair(world->broadphase, world->fixtures.data[a].proxy,
                                                world->fixtures.data[b].proxy);
            if (isKnown && findPair(world, a, b) == SD_NULL_INDEX && shouldCollide(world, a, b)) {
                // there is room for it
                createPair(world, a, b);
            }
        }
    }
    world->isLocked = wasLocked;
}
