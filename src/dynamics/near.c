// SPDX-License-Identifier: MIT
// near.c - which pairs of shapes are so near each other that they have contacts.
//
// In:   pairs of shapes whose fat boxes overlap, their boxes, how far bodies went and will go.
// Out:  a list of contacts, in the order of the pairs.
// Note: of a dozen pairs a body has in a heap, three have points. A pair that is known to be
//       further apart than its bodies can go is not looked at; others are, first by their boxes.
//       Spheres and capsules have a distance in closed form, eight pairs at a time: it is known
//       however large it is, so that they are left alone for longer.

#include "dynamics/contact.h"
#include "dynamics/round_pairs.h"

/// The margin, m, of bodies that turn too fast for more: contacts are for what overlaps already.
#define WHIRL_MARGIN 0.0f
/// Share of a radius up to which contacts of two that hang on joints look ahead.
#define HELD_PAIR_REACH 1.0f
/// By how much points of what hangs on joints may come nearer than their velocities say: a part of
/// the way that they may go at all in a step, and a part of the margin.
#define JOINTS_WAY 0.2f
#define JOINTS_MARGIN (0.25f * SD_SPECULATIVE_MARGIN)
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

float sdShapePair_GetIdleGap(const sdWorld* world, const sdShapePair* pair) {
    bool isSolved = (pair->flags & (SD_PAIR_MANY | SD_PAIR_SENSOR)) == 0 &&
                    world->def.solver == SD_SOLVER_SOFT && world->part == 0;
    if (!isSolved || !sdBody_IsHeld(&world->bodies.data[pair->bodyA]) ||
        !sdBody_IsHeld(&world->bodies.data[pair->bodyB])) {
        return FLT_MAX;
    }
    float ahead =
        sdReach_AheadBetween(&world->reaches.data[pair->bodyA], &world->reaches.data[pair->bodyB]);
    // what touches by its events is solved
    return sdMaxF(JOINTS_MARGIN + JOINTS_WAY * ahead, world->def.slop);
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
    // what was no further apart than that must be looked at, however little it has moved
    if (pair->distance > SD_SPECULATIVE_MARGIN) {
        pair->distance -= sdReach_MovedBetween(a, b);
        if (pair->distance > SD_SPECULATIVE_MARGIN + sdReach_AheadBetween(a, b)) {
            return has ? NEARNESS_SLEEPS : NEARNESS_NONE;
        }
    }
    double gap = gapOf(&world->boxes.data[pair->fixtureA], &world->boxes.data[pair->fixtureB]);
    // each box has half of the margin around its shape, but for small meshes
    float margin = (pair->flags & SD_PAIR_MANY) == 0 ? SD_SPECULATIVE_MARGIN : 0.0f;
    pair->distance = gap > 0.0 ? (float)gap + margin : 0.0f;
    return gap <= 0.0 ? (has ? NEARNESS_STAYS : NEARNESS_COMES)
                      : (has ? NEARNESS_GOES : NEARNESS_NONE);
}

/// Whether two shapes whose boxes have come to overlap have points: most have none, and shall not
/// take a contact's memory.
static bool hasPoints(const sdWorld* world, sdShapePair* pair, float dt) {
    sdApproach approach = sdShapePair_GetApproach(world, pair, dt);
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

/// Pairs of a block that are to be looked at more closely, by their places in the list.
typedef struct Found {
    int items[NEAR_BLOCK];
    int count;
} Found;

static void setRoundPair(const sdWorld* world, const sdShapePair* pair, sdRoundPairs* out,
                         int lane) {
    const sdBody* a = &world->bodies.data[pair->bodyA];
    const sdBody* b = &world->bodies.data[pair->bodyB];
    sdVec3 between = sdPos_Sub(b->center, a->center);
    sdRoundPairs_Set(out, lane, 0, a, &world->fixtures.data[pair->fixtureA]);
    sdRoundPairs_Set(out, lane, 1, b, &world->fixtures.data[pair->fixtureB]);
    out->between[0][lane] = between.x;
    out->between[1][lane] = between.y;
    out->between[2][lane] = between.z;
}

/// Leave out pairs of spheres and capsules that have no points within the margin, or whose points
/// are left alone in this step.
/// @param found those that are left are added
static void judgeRound(const NearTask* task, const Found* round, Found* found) {
    const sdWorld* world = task->world;
    for (int first = 0; first < round->count; first += SD_LANES) {
        int count = sdMinI(round->count - first, SD_LANES);
        sdRoundPairs pairs;
        sdRoundGaps gaps;
        for (int i = 0; i < SD_LANES; ++i) {
            // lanes that are left over repeat the last pair
            int item = round->items[first + sdMinI(i, count - 1)];
            setRoundPair(world, &world->pairs.data[world->pairList.data[item]], &pairs, i);
        }
        SD_DISPATCH(sdRoundPairs_Measure)(&pairs, &gaps);
        for (int i = 0; i < count; ++i) {
            int item = round->items[first + i];
            sdShapePair* pair = &world->pairs.data[world->pairList.data[item]];
            float ahead = sdReach_AheadBetween(&world->reaches.data[pair->bodyA],
                                               &world->reaches.data[pair->bodyB]);
            float gap = gaps.gap[i], unseen = sdShapePair_GetIdleGap(world, pair);
            bool isIdle = gap > unseen && gap + task->dt * gaps.parting[i] > unseen;
            if (gap > SD_SPECULATIVE_MARGIN + ahead || isIdle) {
                bool has = pair->contact != SD_NULL_INDEX;
                pair->distance = gap;
                task->nearness[item] = has ? NEARNESS_GOES : NEARNESS_NONE;
            } else if (task->nearness[item] == NEARNESS_COMES) {
                found->items[found->count++] = item;
            }
        }
    }
}

/// Judge pairs of the list by how far they were apart and by their boxes.
/// @param found, round receive those of which more must be known
static void judgeBlock(const NearTask* task, int first, int last, Found* found, Found* round) {
    const sdWorld* world = task->world;
    const int* pairs = world->pairList.data;
    // other algorithms are asked themselves
    bool hasRound = world->def.narrowphase == SD_NARROWPHASE_AUTO;
    for (int i = first; i < last; ++i) {
        if (i + LOOK_AHEAD_PAIRS < world->pairList.count) {
            prefetchBoxes(world, pairs[i + LOOK_AHEAD_PAIRS]);
        }
        sdShapePair* pair = &world->pairs.data[pairs[i]];
        Nearness nearness = judge(world, pair);
        task->nearness[i] = (uint8_t)nearness;
        bool isNear = nearness == NEARNESS_COMES || nearness == NEARNESS_STAYS;
        if (isNear && hasRound && (pair->flags & SD_PAIR_ROUND) != 0) {
            sdShapePair_Prefetch(world, pair);
            round->items[round->count++] = i;
        } else if (nearness == NEARNESS_COMES && (pair->flags & SD_PAIR_MANY) == 0) {
            sdShapePair_Prefetch(world, pair);
            found->items[found->count++] = i;
        }
    }
}

static void findNear(void* arg, int begin, int end, int worker) {
    (void)worker;
    const NearTask* task = (const NearTask*)arg;
    const sdWorld* world = task->world;
    for (int first = begin; first < end; first += NEAR_BLOCK) {
        Found found, round;
        found.count = round.count = 0;
        judgeBlock(task, first, sdMinI(first + NEAR_BLOCK, end), &found, &round);
        // by now what they are between has come
        judgeRound(task, &round, &found);
        for (int i = 0; i < found.count; ++i) {
            int item = found.items[i];
            if (!hasPoints(world, &world->pairs.data[world->pairList.data[item]], task->dt)) {
                task->nearness[item] = NEARNESS_NONE;
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
