// SPDX-License-Identifier: MIT
// near.c - which pairs of shapes are so near each other that they have contacts.
//
// In:   pairs of shapes whose fat boxes overlap, their boxes, how far bodies went and will go.
// Out:  a list of contacts, in the order of the pairs.
// Note: of a dozen pairs a body has in a heap, three have points. A pair that is known to be
//       further apart than its bodies can go is not looked at; others are, first by their boxes.

#include "dynamics/contact.h"

/// The margin, m, of bodies that turn too fast for more: contacts are for what overlaps already.
#define WHIRL_MARGIN 0.0f
/// Share of a radius up to which contacts of two that hang on joints look ahead.
#define HELD_PAIR_REACH 1.0f
/// m beyond the margin from which on there are no points within it, however things are rounded.
#define SURELY_APART 1e-4f
/// Pairs that a worker takes at a time.
#define PAIR_GRAIN 256
/// Pairs ahead of the one at hand whose boxes are asked for.
#define LOOK_AHEAD_PAIRS 12
/// Pairs that are judged in a row before those that come near are looked at.
#define NEAR_BLOCK 64

// ---- two shapes ----------------------------------------------------------------------------

sdApproach sdShapePair_GetApproach(const sdWorld* world, const sdShapePair* pair, float dt) {
    const sdFixture* a = &world->fixtures.data[pair->fixtureA];
    const sdFixture* b = &world->fixtures.data[pair->fixtureB];
    const sdBody* bodyA = &world->bodies.data[pair->bodyA];
    const sdBody* bodyB = &world->bodies.data[pair->bodyB];
    sdWorldTransform centerA = {bodyA->center, bodyA->rotation};
    sdWorldTransform centerB = {bodyB->center, bodyB->rotation};
    sdTransform between = sdWorldTransform_Relative(centerA, centerB);
    sdTransform localA = sdFixture_ToCenter(bodyA, a), localB = sdFixture_ToCenter(bodyB, b);
    // points that can come together within the step must be seen now
    float speed = sdLength(sdSub(bodyB->velocity, bodyA->velocity)) +
                  sdLength(bodyA->angularVelocity) * bodyA->radius +
                  sdLength(bodyB->angularVelocity) * bodyB->radius;
    float radius = sdMinF(bodyA->type == SD_BODY_STATIC ? bodyB->radius : bodyA->radius,
                          bodyB->type == SD_BODY_STATIC ? bodyA->radius : bodyB->radius);
    float reach = radius * sdMaxF(sdBody_GetReach(bodyA), sdBody_GetReach(bodyB));
    if (sdBody_IsHeld(bodyA) && sdBody_IsHeld(bodyB)) {
        // what is near now and then would only keep sets of joints from making their steps alone
        reach = HELD_PAIR_REACH * radius;
    }
    bool isWhirling = world->def.enableContinuous &&
                      (sdBody_IsWhirling(bodyA, dt) || sdBody_IsWhirling(bodyB, dt));
    return (sdApproach){
        .a = &a->def.shape,
        .b = &b->def.shape,
        .xfAB = sdInvMulXf(localA, sdMulXf(between, localB)),
        .margin = isWhirling ? WHIRL_MARGIN : SD_SPECULATIVE_MARGIN + sdMinF(speed * dt, reach),
        .way = speed * dt,
        .radius = radius,
    };
}

float sdManifold_GetDistance(const sdManifold* manifold, float margin) {
    float least = margin + SD_LOOK_AHEAD;
    for (int i = 0; i < manifold->pointCount; ++i) {
        least = sdMinF(least, manifold->points[i].separation);
    }
    return least > margin ? least : 0.0f;
}

// ---- near ----------------------------------------------------------------------------------

/// What becomes of a pair's contact.
typedef enum Nearness {
    NEARNESS_NONE,
    NEARNESS_SLEEPS, ///< there is one, without points, and there can be none in this step
    NEARNESS_STAYS,
    NEARNESS_COMES,
    NEARNESS_GOES
} Nearness;

typedef struct NearTask {
    const sdWorld* world;
    float dt;
    uint8_t* nearness; ///< of each pair of the list
} NearTask;

static bool isRound(const sdShape* shape) {
    return shape->type == SD_SHAPE_SPHERE || shape->type == SD_SHAPE_CAPSULE;
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

/// By how much two boxes are apart along the axis on which they are most; negative: they overlap.
static double gapOf(const sdWorldBox* a, const sdWorldBox* b) {
    double x = larger(a->lower.x - b->upper.x, b->lower.x - a->upper.x);
    double y = larger(a->lower.y - b->upper.y, b->lower.y - a->upper.y);
    double z = larger(a->lower.z - b->upper.z, b->lower.z - a->upper.z);
    return larger(x, larger(y, z));
}

static Nearness judge(const sdWorld* world, sdShapePair* pair) {
    const sdReach* a = &world->reaches.data[pair->bodyA];
    const sdReach* b = &world->reaches.data[pair->bodyB];
    bool has = pair->contact != SD_NULL_INDEX;
    pair->distance -= sdReach_MovedBetween(a, b);
    if (pair->distance > SD_SPECULATIVE_MARGIN + sdReach_AheadBetween(a, b)) {
        return has ? NEARNESS_SLEEPS : NEARNESS_NONE;
    }
    double gap = gapOf(&world->boxes.data[pair->fixtureA], &world->boxes.data[pair->fixtureB]);
    // each box has half of the margin around its shape, but for small meshes
    float margin = (pair->flags & SD_PAIR_MANY) == 0 ? SD_SPECULATIVE_MARGIN : 0.0f;
    pair->distance = gap > 0.0 ? (float)gap + margin : 0.0f;
    return gap <= 0.0 ? (has ? NEARNESS_STAYS : NEARNESS_COMES)
                      : (has ? NEARNESS_GOES : NEARNESS_NONE);
}

/// Whether two round shapes are further apart than contacts see. Their distance has a closed form:
/// it is known however large it is, so that they are left alone for longer.
static bool areApart(const sdWorld* world, sdShapePair* pair, const sdApproach* approach) {
    if (!isRound(approach->a) || !isRound(approach->b) ||
        world->def.narrowphase != SD_NARROWPHASE_AUTO) {
        return false;
    }
    sdSeparation apart = sdDistance(approach->a, approach->b, approach->xfAB, NULL);
    if (!(apart.separation > approach->margin + SURELY_APART)) {
        return false;
    }
    pair->distance = apart.separation;
    return true;
}

/// Whether two shapes whose boxes have come to overlap have points: most have none, and shall not
/// take a contact's memory.
static bool hasPoints(const sdWorld* world, sdShapePair* pair, float dt) {
    sdApproach approach = sdShapePair_GetApproach(world, pair, dt);
    if (areApart(world, pair, &approach)) {
        return false;
    }
    sdManifold manifold;
    sdApproach_Collide(world, &approach, NULL, &manifold);
    pair->distance = sdManifold_GetDistance(&manifold, approach.margin);
    return pair->distance <= 0.0f;
}

/// Ask for what judging a pair takes.
SD_PREFETCHING void prefetchBoxes(const sdWorld* world, int index) {
    const sdShapePair* pair = &world->pairs.data[index];
    sdPrefetch(&world->reaches.data[pair->bodyA], 1);
    sdPrefetch(&world->reaches.data[pair->bodyB], 1);
    sdPrefetch(&world->boxes.data[pair->fixtureA], sizeof(sdWorldBox));
    sdPrefetch(&world->boxes.data[pair->fixtureB], sizeof(sdWorldBox));
}

static void findNear(void* arg, int begin, int end, int worker) {
    (void)worker;
    const NearTask* task = (const NearTask*)arg;
    const sdWorld* world = task->world;
    const int* pairs = world->pairList.data;
    for (int first = begin; first < end; first += NEAR_BLOCK) {
        int last = sdMinI(first + NEAR_BLOCK, end), found[NEAR_BLOCK], foundCount = 0;
        for (int i = first; i < last; ++i) {
            if (i + LOOK_AHEAD_PAIRS < end) {
                prefetchBoxes(world, pairs[i + LOOK_AHEAD_PAIRS]);
            }
            sdShapePair* pair = &world->pairs.data[pairs[i]];
            task->nearness[i] = (uint8_t)judge(world, pair);
            if (task->nearness[i] == NEARNESS_COMES && (pair->flags & SD_PAIR_MANY) == 0) {
                sdShapePair_Prefetch(world, pair);
                found[foundCount++] = i;
            }
        }
        // by now what they are between has come
        for (int i = 0; i < foundCount; ++i) {
            if (!hasPoints(world, &world->pairs.data[pairs[found[i]]], task->dt)) {
                task->nearness[found[i]] = NEARNESS_NONE;
            }
        }
    }
}

static int countNear(const uint8_t* nearness, int pairCount) {
    int count = 0;
    for (int i = 0; i < pairCount; ++i) {
        count += nearness[i] > NEARNESS_SLEEPS ? 1 : 0;
    }
    return count;
}

sdResult sdStep_ListNear(sdStep* step) {
    sdWorld* world = step->world;
    int pairCount = world->pairList.count;
    uint8_t* nearness = sdArena_Alloc(&world->arena, (size_t)pairCount + 1, 1);
    if (nearness == NULL) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    NearTask task = {world, step->dt, nearness};
    const sdTaskSystem* tasks = &world->context.tasks;
    tasks->parallelFor(tasks->user, findNear, &task, pairCount, PAIR_GRAIN);
    size_t capacity = (size_t)countNear(nearness, pairCount) + 1;
    step->contacts = sdArena_Alloc(&world->arena, capacity, sizeof *step->contacts);
    if (step->contacts == NULL) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    step->contactCount = 0;
    for (int i = 0; i < pairCount; ++i) {
        if (nearness[i] <= NEARNESS_SLEEPS) {
            continue;
        }
        int pair = world->pairList.data[i];
        sdResult result =
            nearness[i] == NEARNESS_COMES ? sdWorld_CreateContact(world, pair) : SD_OK;
        if (result != SD_OK) {
            return result;
        }
        step->contacts[step->contactCount++] =
            (sdContactEntry){.pair = pair, .isGoing = nearness[i] == NEARNESS_GOES};
    }
    return SD_OK;
}
