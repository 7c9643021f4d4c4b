// SPDX-License-Identifier: MIT
// island.c - bodies that touch each other sleep and wake together.
//
// Note: static and kinematic bodies do not conduct. Waking walks the touching contacts from body to
//       body. For sleep, the islands of the step come from union and find, where the root is the
//       lowest index: the result does not depend on the order of the contacts.

#include "dynamics/island.h"

#include "dynamics/contact.h"

static bool isMovingKinematic(const sdBody* body) {
    return body->type == SD_BODY_KINEMATIC && (sdLengthSquared(body->velocity) > 0.0f ||
                                               sdLengthSquared(body->angularVelocity) > 0.0f);
}

static bool isConducting(const sdContact* contact) {
    return (contact->flags & (SD_CONTACT_TOUCHING | SD_CONTACT_SENSOR)) == SD_CONTACT_TOUCHING;
}

/// Add a body to those to be visited, awake or asleep from now on.
static void enter(sdWorld* world, int index, bool isAwake) {
    sdBody* body = &world->bodies.data[index];
    if (body->type == SD_BODY_STATIC || sdBitSet_Test(&world->awakeBodies, index) == isAwake) {
        return;
    }
    if (isAwake) {
        sdBitSet_Set(&world->awakeBodies, index);
    } else {
        sdBitSet_Clear(&world->awakeBodies, index);
        // near to one that is awake, it stands still: its place in the list is somebody else's now
        body->awakeIndex = SD_NULL_INDEX;
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
        for (int edge = body->firstContact; edge != SD_NULL_INDEX;
             edge = world->contacts.data[edge >> 1].next[edge & 1]) {
            const sdContact* contact = &world->contacts.data[edge >> 1];
            int other = (edge & 1) == 0 ? contact->bodyB : contact->bodyA;
            if (isAwake) {
                sdBitSet_Set(&world->activeContacts, edge >> 1);
            } else if (!sdBitSet_Test(&world->awakeBodies, other)) {
                sdBitSet_Clear(&world->activeContacts, edge >> 1);
            }
            if (body->type == SD_BODY_DYNAMIC && isConducting(contact) &&
                world->bodies.data[other].type == SD_BODY_DYNAMIC) {
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
    for (int edge = world->bodies.data[body].firstContact; edge != SD_NULL_INDEX;
         edge = world->contacts.data[edge >> 1].next[edge & 1]) {
        const sdContact* contact = &world->contacts.data[edge >> 1];
        if (isConducting(contact)) {
            sdWorld_WakeBody(world, (edge & 1) == 0 ? contact->bodyB : contact->bodyA);
        }
    }
}

sdResult sdWorld_ListAwake(sdWorld* world) {
    const sdAllocator* allocator = &world->context.allocator;
    int bodyCount = sdBitSet_Count(&world->awakeBodies);
    int contactCount = sdBitSet_Count(&world->activeContacts);
    if (!sdIntArray_Resize(&world->bodyList, allocator, bodyCount) ||
        !sdIntArray_Resize(&world->contactList, allocator, contactCount)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    int count = 0;
    for (int i = sdBitSet_Next(&world->awakeBodies, 0); i != SD_NULL_INDEX;
         i = sdBitSet_Next(&world->awakeBodies, i + 1)) {
        world->bodies.data[i].awakeIndex = count;
        world->bodyList.data[count++] = i;
    }
    count = 0;
    for (int i = sdBitSet_Next(&world->activeContacts, 0); i != SD_NULL_INDEX;
         i = sdBitSet_Next(&world->activeContacts, i + 1)) {
        world->contactList.data[count++] = i;
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

int sdWorld_FindIslands(const sdWorld* world, int* islands) {
    int bodyCount = world->bodyList.count;
    for (int i = 0; i < bodyCount; ++i) {
        islands[i] = i;
    }
    for (int i = 0; i < world->contactList.count; ++i) {
        const sdContact* contact = &world->contacts.data[world->contactList.data[i]];
        const sdBody* a = &world->bodies.data[contact->bodyA];
        const sdBody* b = &world->bodies.data[contact->bodyB];
        if (isConducting(contact) && a->type == SD_BODY_DYNAMIC && b->type == SD_BODY_DYNAMIC) {
            int rootA = findRoot(islands, a->awakeIndex), rootB = findRoot(islands, b->awakeIndex);
            islands[sdMaxI(rootA, rootB)] = sdMinI(rootA, rootB);
        }
    }
    // parents come before their children
    int count = 0;
    for (int i = 0; i < bodyCount; ++i) {
        count += islands[i] == i ? 1 : 0;
        islands[i] = islands[islands[i]];
    }
    return count;
}

// ---- sleep ---------------------------------------------------------------------------------

static void updateSlowTimes(sdWorld* world, float dt) {
    const sdWorldDef* def = &world->def;
    for (int i = 0; i < world->bodyList.count; ++i) {
        sdBody* body = &world->bodies.data[world->bodyList.data[i]];
        float speed = sdLength(body->velocity) + body->radius * sdLength(body->angularVelocity);
        bool isSlow = speed < def->sleepSpeed && body->enableSleep && !isMovingKinematic(body);
        body->slowTime = isSlow ? body->slowTime + dt : 0.0f;
    }
    // what a moving kinematic body carries stays awake with it
    for (int i = 0; i < world->contactList.count; ++i) {
        const sdContact* contact = &world->contacts.data[world->contactList.data[i]];
        sdBody* a = &world->bodies.data[contact->bodyA];
        sdBody* b = &world->bodies.data[contact->bodyB];
        if (isConducting(contact) && (isMovingKinematic(a) || isMovingKinematic(b))) {
            a->slowTime = 0.0f;
            b->slowTime = 0.0f;
        }
    }
}

void sdWorld_UpdateSleep(sdWorld* world, const int* islands, float* slowTimes, float dt) {
    updateSlowTimes(world, dt);
    if (!world->def.enableSleep) {
        return;
    }
    for (int i = 0; i < world->bodyList.count; ++i) {
        slowTimes[i] = FLT_MAX;
    }
    for (int i = 0; i < world->bodyList.count; ++i) {
        float time = world->bodies.data[world->bodyList.data[i]].slowTime;
        slowTimes[islands[i]] = sdMinF(slowTimes[islands[i]], time);
    }
    for (int i = 0; i < world->bodyList.count; ++i) {
        if (slowTimes[islands[i]] >= world->def.sleepTime) {
            world->flood.count = 0;
            enter(world, world->bodyList.data[i], false);
        }
    }
    for (int i = 0; i < world->contactList.count; ++i) {
        const sdContact* contact = &world->contacts.data[world->contactList.data[i]];
        if (!sdBitSet_Test(&world->awakeBodies, contact->bodyA) &&
            !sdBitSet_Test(&world->awakeBodies, contact->bodyB)) {
            sdBitSet_Clear(&world->activeContacts, world->contactList.data[i]);
        }
    }
}
