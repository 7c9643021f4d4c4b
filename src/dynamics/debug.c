// SPDX-License-Identifier: MIT
// debug.c - what a viewer wants to draw.
//
// Note: levels are those of the graph that the impulse solver goes up along (shock.c), with edges
//       from where bodies touch now rather than from where they would.

#include "sudar/debug.h"

#include "dynamics/contact_graph.h"
#include "dynamics/world.h"
#include "geometry/concave.h"

void sdWorld_VisitCells(const sdWorld* world, sdCellFcn* visit, void* arg) {
    if (world != NULL && visit != NULL) {
        sdBroadphase_VisitCells(world->broadphase, visit, arg);
    }
}

sdAABB sdShapeId_GetFatBox(const sdWorld* world, sdShapeId shape) {
    const sdFixture* fixture = sdWorld_FindFixture(world, shape);
    return fixture != NULL ? sdBroadphase_GetFatBox(world->broadphase, fixture->proxy)
                           : sdAABB_Empty();
}

/// @return how many there are now
static int addSamples(const sdSampleTree* tree, sdVec3* out, int count, int capacity) {
    for (int i = 0; i < tree->groupCount; ++i) {
        const sdSampleGroup* group = &tree->groups[i];
        for (int k = 0; k < SD_LANES && group->id[k] != SD_NULL_INDEX; ++k, ++count) {
            if (count < capacity) {
                out[count] = sdV3(group->x[k], group->y[k], group->z[k]);
            }
        }
    }
    return count;
}

int sdConcave_GetSamples(const sdConcave* concave, sdVec3* out, int capacity) {
    if (concave == NULL) {
        return 0;
    }
    int count = addSamples(&concave->corners, out, 0, capacity);
    return addSamples(&concave->edges, out, count, capacity);
}

// ---- levels --------------------------------------------------------------------------------

/// Share of gravity that must be towards another body for one to rest on it.
#define LEAST_PRESS 1e-3f

/// Two for each contact, between slots; the ground has the number after the last slot.
static int listEdges(const sdWorld* world, const sdContactInfo* contacts, int count,
                     sdSupportEdge* edges) {
    int edgeCount = 0, ground = world->bodies.count;
    sdVec3 down = sdNormalize(world->def.gravity);
    for (int i = 0; i < count; ++i) {
        int a = sdWorld_FindFixture(world, contacts[i].shapeA)->body;
        int b = sdWorld_FindFixture(world, contacts[i].shapeB)->body;
        bool isMovableA = world->bodies.data[a].type == SD_BODY_DYNAMIC;
        bool isMovableB = world->bodies.data[b].type == SD_BODY_DYNAMIC;
        float press = sdDot(contacts[i].normal, down);
        if (press > LEAST_PRESS && isMovableA) {
            edges[edgeCount++] = (sdSupportEdge){a, isMovableB ? b : ground};
        } else if (press < -LEAST_PRESS && isMovableB) {
            edges[edgeCount++] = (sdSupportEdge){b, isMovableA ? a : ground};
        }
    }
    return edgeCount;
}

sdResult sdWorld_FindLevels(const sdWorld* world, int* levels, int capacity) {
    if (world == NULL || (levels == NULL && capacity > 0)) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    sdArena arena;
    sdArena_Init(&arena, &world->context.allocator);
    int count = sdWorld_GetContacts(world, NULL, 0), slotCount = world->bodies.count;
    int bodyCount = sdWorld_GetBodies(world, NULL, 0);
    sdContactInfo* contacts = sdArena_Alloc(&arena, (size_t)count + 1, sizeof *contacts);
    sdSupportEdge* edges = sdArena_Alloc(&arena, (size_t)count + 1, sizeof *edges);
    sdBodyId* ids = sdArena_Alloc(&arena, (size_t)bodyCount + 1, sizeof *ids);
    sdContactGraph graph;
    bool ok = contacts != NULL && edges != NULL && ids != NULL;
    if (ok) {
        sdWorld_GetContacts(world, contacts, count);
        sdWorld_GetBodies(world, ids, bodyCount);
        int edgeCount = listEdges(world, contacts, count, edges);
        ok = sdContactGraph_Build(&graph, &arena, slotCount + 1, slotCount, edges, edgeCount);
    }
    for (int i = 0; ok && i < sdMinI(bodyCount, capacity); ++i) {
        int slot = sdId_Index(ids[i]);
        bool isMovable = world->bodies.data[slot].type == SD_BODY_DYNAMIC;
        levels[i] = isMovable ? graph.levels[slot] : 0;
    }
    sdArena_Free(&arena);
    return ok ? SD_OK
              : sdFail(&world->context, SD_ERROR_OUT_OF_MEMORY,
                       "sdWorld_FindLevels: no memory for %d contacts", count);
}
