// SPDX-License-Identifier: MIT
// near.c - which pairs of shapes are so near each other that they have contacts.
//
// In:   pairs of shapes whose fat boxes overlap, their boxes, how far bodies went and will go.
// Out:  a list of contacts, in the order of the pairs.
// Note: of a dozen pairs a body has in a heap, three have points. A pair that is known to be
//       further apart than its bodies can go is not looked at; others are, first by their boxes.
//       Where bodies go far in a step, nearly all are, and nearly all of them are apart: then boxes
//       in floats come first, which are found in caches near by.
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
/// Shapes whose rough boxes a worker makes at a time.
#define ROUGH_GRAIN 512
/// By which rough boxes are larger, of their coordinates: two roundings, and some more.
#define ROUGH_ROUNDING (2.0f * FLT_EPSILON)

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

/// A box that another one is in, in floats: its lower corner, and its upper one with the sign
/// turned, so that both are rounded down, and two boxes are compared by sums.
typedef struct RoughBox {
    sdF4 lower, upper; ///< with a zero in the last place
} RoughBox;

typedef struct NearTask {
    const sdWorld* world;
    float dt;
    uint8_t* nearness; ///< of each pair of the list
    RoughBox* rough;   ///< of each shape; NULL: not made
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

static float roundDown(double x) {
    float rounded = (float)x;
    return rounded - (ROUGH_ROUNDING * sdAbsF(rounded) + FLT_MIN);
}

static void makeRough(void* arg, int begin, int end, int worker) {
    (void)worker;
    const NearTask* task = (const NearTask*)arg;
    for (int i = begin; i < end; ++i) {
        sdPos l = task->world->boxes.data[i].lower, u = task->world->boxes.data[i].upper;
        task->rough[i].lower = (sdF4){roundDown(l.x), roundDown(l.y), roundDown(l.z), 0.0f};
        task->rough[i].upper = (sdF4){roundDown(-u.x), roundDown(-u.y), roundDown(-u.z), 0.0f};
    }
}

/// Whether two boxes are apart for certain: the sign of a sum is that of the exact one.
static bool areApart(const RoughBox* a, const RoughBox* b) {
    sdF8 gaps = sdF8_Join(a->lower + b->upper, b->lower + a->upper);
    return sdI8_Any(sdF8_Less(sdF8_Zero(), gaps));
}

/// Whether rough boxes of all shapes pay: there are as many pairs, and their bodies go so far in a
/// step that what was known of their distances is of no use.
static bool shouldRough(const sdWorld* world) {
    double way = 0.0;
    if (world->pairList.count < world->fixtures.count) {
        return false;
    }
    for (int i = 0; i < world->bodyList.count; ++i) {
        const sdReach* reach = &world->reaches.data[world->bodyList.data[i]];
        sdVec3 ahead = sdAbs(reach->ahead);
        way += (double)(ahead.x + ahead.y + ahead.z + reach->turning);
    }
    return way > (double)SD_SPECULATIVE_MARGIN * (double)world->bodyList.count;
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

/// Whether a pair without a contact does not get one, as most, by a look at its rough boxes.
static bool isPlainlyApart(const NearTask* task, sdShapePair* pair) {
    if (pair->contact != SD_NULL_INDEX ||
        !areApart(&task->rough[pair->fixtureA], &task->rough[pair->fixtureB])) {
        return false;
    }
    // how far its bodies went was not looked at
    pair->distance = 0.0f;
    return true;
}

/// Ask for what judging a pair takes.
SD_PREFETCHING void prefetchBoxes(const sdWorld* world, const sdShapePair* pair) {
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

/// Whether two that hang on joints are left alone in this step.
/// @param way m by which they part in it
static bool areIdle(const sdWorld* world, const sdShapePair* pair, float gap, float way) {
    float unseen = sdShapePair_GetIdleGap(world, pair);
    return gap > unseen && gap + way > unseen;
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
            float gap = gaps.gap[i];
            if (gap > SD_SPECULATIVE_MARGIN + ahead ||
                areIdle(world, pair, gap, task->dt * gaps.parting[i])) {
                bool has = pair->contact != SD_NULL_INDEX;
                pair->distance = gap;
                task->nearness[item] = has ? NEARNESS_GOES : NEARNESS_NONE;
            } else if (task->nearness[item] == NEARNESS_COMES) {
                found->items[found->count++] = item;
            }
        }
    }
}

/// What is found out about a block of pairs.
typedef struct Block {
    Found found, round; ///< of which more must be known
} Block;

/// Judge a pair by how far it was apart and by its boxes.
static void judgeItem(const NearTask* task, int item, Block* block) {
    const sdWorld* world = task->world;
    sdShapePair* pair = &world->pairs.data[world->pairList.data[item]];
    Nearness nearness = judge(world, pair);
    task->nearness[item] = (uint8_t)nearness;
    bool isNear = nearness == NEARNESS_COMES || nearness == NEARNESS_STAYS;
    // other algorithms are asked themselves
    if (isNear && (pair->flags & SD_PAIR_ROUND) != 0 &&
        world->def.narrowphase == SD_NARROWPHASE_AUTO) {
        sdShapePair_Prefetch(world, pair);
        block->round.items[block->round.count++] = item;
    } else if (nearness == NEARNESS_COMES && (pair->flags & SD_PAIR_MANY) == 0) {
        sdShapePair_Prefetch(world, pair);
        block->found.items[block->found.count++] = item;
    }
}

static void judgeAll(const NearTask* task, int first, int last, Block* block) {
    const sdWorld* world = task->world;
    for (int i = first; i < last; ++i) {
        if (i + LOOK_AHEAD_PAIRS < world->pairList.count) {
            int ahead = world->pairList.data[i + LOOK_AHEAD_PAIRS];
            prefetchBoxes(world, &world->pairs.data[ahead]);
        }
        judgeItem(task, i, block);
    }
}

/// The same, with a look at rough boxes before.
static void judgeRoughly(const NearTask* task, int first, int last, Block* block) {
    const sdWorld* world = task->world;
    Found left;
    left.count = 0;
    for (int i = first; i < last; ++i) {
        if (i + LOOK_AHEAD_PAIRS < world->pairList.count) {
            const sdShapePair* ahead =
                &world->pairs.data[world->pairList.data[i + LOOK_AHEAD_PAIRS]];
            sdPrefetch(&task->rough[ahead->fixtureA], 1);
            sdPrefetch(&task->rough[ahead->fixtureB], 1);
        }
        sdShapePair* pair = &world->pairs.data[world->pairList.data[i]];
        task->nearness[i] = NEARNESS_NONE;
        if (!isPlainlyApart(task, pair)) {
            prefetchBoxes(world, pair);
            left.items[left.count++] = i;
        }
    }
    for (int i = 0; i < left.count; ++i) {
        judgeItem(task, left.items[i], block);
    }
}

static void findNear(void* arg, int begin, int end, int worker) {
    (void)worker;
    const NearTask* task = (const NearTask*)arg;
    const sdWorld* world = task->world;
    for (int first = begin; first < end; first += NEAR_BLOCK) {
        int last = sdMinI(first + NEAR_BLOCK, end);
        Block block;
        block.found.count = block.round.count = 0;
        if (task->rough != NULL) {
            judgeRoughly(task, first, last, &block);
        } else {
            judgeAll(task, first, last, &block);
        }
        // by now what they are between has come
        judgeRound(task, &block.round, &block.found);
        for (int i = 0; i < block.found.count; ++i) {
            int item = block.found.items[i];
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
    NearTask task = {world, step->dt, nearness, NULL};
    const sdTaskSystem* tasks = &world->context.tasks;
    if (shouldRough(world)) {
        size_t count = (size_t)world->fixtures.count + 1;
        task.rough = sdArena_Alloc(&world->arena, count, sizeof *task.rough);
        if (task.rough == NULL) {
            return SD_ERROR_OUT_OF_MEMORY;
        }
        tasks->parallelFor(tasks->user, makeRough, &task, world->fixtures.count, ROUGH_GRAIN);
    }
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
