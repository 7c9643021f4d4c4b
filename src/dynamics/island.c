// SPDX-License-Identifier: MIT
// island.c - bodies that touch each other sleep and wake together.
//
// Note: static and kinematic bodies do not conduct. Waking walks the touching contacts from body to
//       body. For sleep, the islands of the step come from union and find, where the root is the
//       lowest index: the result does not depend on the order of the contacts.

#include "dynamics/island.h"

#include "dynamics/joint_plan.h"
#include "dynamics/pair.h"

/// 1/s: what moves by more than this share of its radius in a second is not slow, however small.
#define SLOW_RATE 0.5f
/// Share of sleepSpeed below which a body is at rest. Time at speeds between counts as so much:
/// a sway that does not end does not keep the world awake, but one that ends is seen to its end.
#define CALM_SHARE 0.1f
#define RESTLESS_RATE 0.25f
/// What a way that a body with joints was drawn counts, of one at the same speed: joints that hold
/// a load give and take a little for ever.
#define DRAWN_SHARE 0.25f

static bool isMovingKinematic(const sdBody* body) {
    return body->type == SD_BODY_KINEMATIC && (sdLengthSquared(body->velocity) > 0.0f ||
                                               sdLengthSquared(body->angularVelocity) > 0.0f);
}

static bool isConducting(const sdShapePair* pair) {
    return (pair->flags & (SD_PAIR_TOUCHING | SD_PAIR_SENSOR)) == SD_PAIR_TOUCHING;
}

/// Add a body to those to be visited, awake or asleep from now on.
static void enter(sdWorld* world, int index, bool isAwake) {
    sdBody* body = &world->bodies.data[index];
    if (body->type == SD_BODY_STATIC || body->isDisabled ||
        sdBitSet_Test(&world->awakeBodies, index) == isAwake) {
        return;
    }
    if (isAwake) {
        sdBitSet_Set(&world->awakeBodies, index);
    } else {
        sdBitSet_Clear(&world->awakeBodies, index);
        // near to one that is awake, it stands still: its place in the list is somebody else's now
        body->awakeIndex = SD_NULL_INDEX;
        sdWorld_StopReach(world, index);
        body->velocity = sdV3(0.0f, 0.0f, 0.0f);
        body->angularVelocity = body->velocity;
        body->force = body->velocity;
        body->torque = body->velocity;
    }
    body->slowTime = 0.0f;
    world->flood.data[world->flood.count++] = index;
}

static void flood(sdWorld* world, int start, bool isAwake) {
    world->flood.count = 0;
    enter(world, start, isAwake);
    while (world->flood.count > 0) {
        int index = world->flood.data[--world->flood.count];
        const sdBody* body = &world->bodies.data[index];
        for (int edge = body->firstPair; edge != SD_NULL_INDEX;
             edge = world->pairs.data[edge >> 1].next[edge & 1]) {
            const sdShapePair* pair = &world->pairs.data[edge >> 1];
            int other = (edge & 1) == 0 ? pair->bodyB : pair->bodyA;
            if (isAwake) {
                sdBitSet_Set(&world->activePairs, edge >> 1);
            } else if (!sdBitSet_Test(&world->awakeBodies, other)) {
                sdBitSet_Clear(&world->activePairs, edge >> 1);
            }
            if (body->type == SD_BODY_DYNAMIC && isConducting(pair) &&
                world->bodies.data[other].type == SD_BODY_DYNAMIC) {
                enter(world, other, isAwake);
            }
        }
        for (int edge = body->firstJoint; edge != SD_NULL_INDEX;
             edge = world->joints.data[edge >> 1].next[edge & 1]) {
            const sdJoint* joint = &world->joints.data[edge >> 1];
            int other = (edge & 1) == 0 ? joint->bodyB : joint->bodyA;
            if (isAwake && !world->bodies.data[other].isDisabled) {
                sdBitSet_Set(&world->activeJoints, edge >> 1);
            } else if (!sdBitSet_Test(&world->awakeBodies, other)) {
                sdBitSet_Clear(&world->activeJoints, edge >> 1);
            }
            // one that begins to move by itself wakes what hangs on it
            bool isConductor =
                body->type == SD_BODY_DYNAMIC || (isAwake && body->type == SD_BODY_KINEMATIC);
            if (isConductor && world->bodies.data[other].type == SD_BODY_DYNAMIC) {
                enter(world, other, isAwake);
            }
        }
    }
}

void sdWorld_WakeBody(sdWorld* world, int body) {
    world->bodies.data[body].slowTime = 0.0f;
    flood(world, body, true);
}

void sdWorld_SleepIsland(sdWorld* world, int body) {
    flood(world, body, false);
}

void sdWorld_WakeNeighbours(sdWorld* world, int body) {
    for (int edge = world->bodies.data[body].firstPair; edge != SD_NULL_INDEX;
         edge = world->pairs.data[edge >> 1].next[edge & 1]) {
        const sdShapePair* pair = &world->pairs.data[edge >> 1];
        if (isConducting(pair)) {
            sdWorld_WakeBody(world, (edge & 1) == 0 ? pair->bodyB : pair->bodyA);
        }
    }
    for (int edge = world->bodies.data[body].firstJoint; edge != SD_NULL_INDEX;
         edge = world->joints.data[edge >> 1].next[edge & 1]) {
        const sdJoint* joint = &world->joints.data[edge >> 1];
        sdWorld_WakeBody(world, (edge & 1) == 0 ? joint->bodyB : joint->bodyA);
    }
}

static bool wakeOwner(void* arg, sdProxyId id, uint64_t fixture) {
    (void)id;
    sdWorld* world = (sdWorld*)arg;
    int body = world->fixtures.data[fixture].body;
    if (world->bodies.data[body].type == SD_BODY_DYNAMIC) {
        sdWorld_WakeBody(world, body);
    }
    return true;
}

void sdWorld_WakeAround(sdWorld* world, int index) {
    const sdBody* body = &world->bodies.data[index];
    if (body->type != SD_BODY_STATIC) {
        return;
    }
    for (int i = body->firstShape; i != SD_NULL_INDEX; i = world->fixtures.data[i].next) {
        sdBroadphase_QueryBox(world->broadphase, world->boxes.data[i], UINT32_MAX, wakeOwner,
                              world);
    }
}

sdResult sdWorld_ListAwake(sdWorld* world) {
    const sdAllocator* allocator = &world->context.allocator;
    int bodyCount = sdBitSet_Count(&world->awakeBodies);
    int pairCount = sdBitSet_Count(&world->activePairs);
    if (!sdIntArray_Resize(&world->bodyList, allocator, bodyCount) ||
        !sdIntArray_Resize(&world->pairList, allocator, pairCount)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    int count = 0;
    for (int i = sdBitSet_Next(&world->awakeBodies, 0); i != SD_NULL_INDEX;
         i = sdBitSet_Next(&world->awakeBodies, i + 1)) {
        world->bodies.data[i].awakeIndex = count;
        world->bodyList.data[count++] = i;
    }
    count = 0;
    for (int i = sdBitSet_Next(&world->activePairs, 0); i != SD_NULL_INDEX;
         i = sdBitSet_Next(&world->activePairs, i + 1)) {
        world->pairList.data[count++] = i;
    }
    return SD_OK;
}

// ---- islands of the step -------------------------------------------------------------------

static int findRoot(int* parents, int i) {
    while (parents[i] != i) {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    return i;
}

static void unite(int* islands, int a, int b) {
    int rootA = findRoot(islands, a), rootB = findRoot(islands, b);
    islands[sdMaxI(rootA, rootB)] = sdMinI(rootA, rootB);
}

void sdWorld_UniteJoined(const sdWorld* world, int* islands) {
    for (int i = 0; i < world->bodyList.count; ++i) {
        islands[i] = i;
    }
    for (int i = sdBitSet_Next(&world->activeJoints, 0); i != SD_NULL_INDEX;
         i = sdBitSet_Next(&world->activeJoints, i + 1)) {
        const sdBody* a = &world->bodies.data[world->joints.data[i].bodyA];
        const sdBody* b = &world->bodies.data[world->joints.data[i].bodyB];
        if (a->type == SD_BODY_DYNAMIC && b->type == SD_BODY_DYNAMIC) {
            unite(islands, a->awakeIndex, b->awakeIndex);
        }
    }
}

int sdStep_FindIslands(sdStep* step) {
    int* islands = step->islands;
    const sdJointPlan* plan = sdWorld_GetJointPlan(step->world);
    if (plan != NULL) {
        memcpy(islands, plan->islands, (size_t)step->bodyCount * sizeof *islands);
    } else {
        sdWorld_UniteJoined(step->world, islands);
    }
    for (int i = 0; i < step->patchCount; ++i) {
        const sdActivePatch* patch = &step->patches[i];
        if (patch->isTouching && patch->stateA >= 0 && patch->stateB >= 0 &&
            step->motions[patch->stateA].isDynamic && step->motions[patch->stateB].isDynamic) {
            unite(islands, patch->stateA, patch->stateB);
        }
    }
    // parents come before their children
    int count = 0;
    for (int i = 0; i < step->bodyCount; ++i) {
        count += islands[i] == i ? 1 : 0;
        islands[i] = islands[islands[i]];
    }
    return count;
}

// ---- sleep ---------------------------------------------------------------------------------

static void updateSlowTimes(sdStep* step) {
    sdWorld* world = step->world;
    const sdWorldDef* def = &world->def;
    bool hasCarrier = false;
    for (int i = 0; i < step->bodyCount; ++i) {
        sdBody* body = &world->bodies.data[world->bodyList.data[i]];
        float speed = sdLength(body->velocity) + body->radius * sdLength(body->angularVelocity);
        // joints that were torn apart draw bodies together and leave them no velocity
        float moved = step->motions[i].way;
        speed = body->jointCount > 0 ? sdMaxF(speed, DRAWN_SHARE * moved / step->dt) : speed;
        bool isCarrier = isMovingKinematic(body);
        // those without a shape have no radius
        float least = body->radius > 0.0f ? SLOW_RATE * body->radius : FLT_MAX;
        float slow = sdMinF(def->sleepSpeed, least);
        bool isSlow = speed < slow && body->enableSleep && !isCarrier;
        // what still sways may come to rest by itself
        float time = speed < CALM_SHARE * slow ? step->dt : RESTLESS_RATE * step->dt;
        body->slowTime = isSlow ? body->slowTime + time : 0.0f;
        hasCarrier = hasCarrier || isCarrier;
    }
    // what a moving kinematic body carries stays awake with it
    for (int i = 0; hasCarrier && i < step->patchCount; ++i) {
        const sdActivePatch* patch = &step->patches[i];
        sdBody* a = &world->bodies.data[patch->bodyA];
        sdBody* b = &world->bodies.data[patch->bodyB];
        if (patch->isTouching && (isMovingKinematic(a) || isMovingKinematic(b))) {
            a->slowTime = 0.0f;
            b->slowTime = 0.0f;
        }
    }
    for (int i = hasCarrier ? sdBitSet_Next(&world->activeJoints, 0) : SD_NULL_INDEX;
         i != SD_NULL_INDEX; i = sdBitSet_Next(&world->activeJoints, i + 1)) {
        sdBody* a = &world->bodies.data[world->joints.data[i].bodyA];
        sdBody* b = &world->bodies.data[world->joints.data[i].bodyB];
        if (isMovingKinematic(a) || isMovingKinematic(b)) {
            a->slowTime = 0.0f;
            b->slowTime = 0.0f;
        }
    }
}

/// Take the pairs and joints of a body that fell asleep, and that nobody awake shares, out of the
/// step.
static void rest(sdWorld* world, int index) {
    for (int edge = world->bodies.data[index].firstJoint; edge != SD_NULL_INDEX;
         edge = world->joints.data[edge >> 1].next[edge & 1]) {
        const sdJoint* joint = &world->joints.data[edge >> 1];
        int other = (edge & 1) == 0 ? joint->bodyB : joint->bodyA;
        if (!sdBitSet_Test(&world->awakeBodies, other)) {
            sdBitSet_Clear(&world->activeJoints, edge >> 1);
        }
    }
    for (int edge = world->bodies.data[index].firstPair; edge != SD_NULL_INDEX;
         edge = world->pairs.data[edge >> 1].next[edge & 1]) {
        const sdShapePair* pair = &world->pairs.data[edge >> 1];
        int other = (edge & 1) == 0 ? pair->bodyB : pair->bodyA;
        if (!sdBitSet_Test(&world->awakeBodies, other)) {
            sdBitSet_Clear(&world->activePairs, edge >> 1);
        }
    }
}

void sdStep_UpdateSleep(sdStep* step) {
    sdWorld* world = step->world;
    const int* bodies = world->bodyList.data;
    updateSlowTimes(step);
    if (!world->def.enableSleep) {
        return;
    }
    float* slowTimes = step->slowTimes; // of islands, at their roots
    for (int i = 0; i < step->bodyCount; ++i) {
        slowTimes[i] = FLT_MAX;
    }
    for (int i = 0; i < step->bodyCount; ++i) {
        float* time = &slowTimes[step->islands[i]];
        *time = sdMinF(*time, world->bodies.data[bodies[i]].slowTime);
    }
    for (int i = 0; i < step->bodyCount; ++i) {
        if (slowTimes[step->islands[i]] >= world->def.sleepTime) {
            world->flood.count = 0;
            enter(world, bodies[i], false);
        }
    }
    for (int i = 0; i < step->bodyCount; ++i) {
        if (slowTimes[step->islands[i]] >= world->def.sleepTime) {
            rest(world, bodies[i]);
        }
    }
}
