// SPDX-License-Identifier: MIT
// view_graph.c - who hangs together with whom, and who stands on whom.
//
// In:   contacts and joints of a world.
// Out:  a number for each body.

#include "view_support.h"

#include "sudar/debug.h"

#include <stdlib.h>

static bool isDynamic(const sdViewBodies* b, int number) {
    return number >= 0 && sdBody_GetType(b->world, b->ids[number]) == SD_BODY_DYNAMIC;
}

// ---- groups --------------------------------------------------------------------------------

/// The lowest number of a group; the way there gets shorter each time it is gone.
static int findRoot(int32_t* parents, int number) {
    while (parents[number] != number) {
        parents[number] = parents[parents[number]];
        number = parents[number];
    }
    return number;
}

static void join(const sdViewBodies* b, int32_t* parents, int first, int second) {
    if (isDynamic(b, first) && isDynamic(b, second)) {
        int a = findRoot(parents, first), c = findRoot(parents, second);
        parents[sdMaxI(a, c)] = sdMinI(a, c);
    }
}

static void findGroups(const sdViewBodies* b, int32_t* parents) {
    for (int i = 0; i < b->count; ++i) {
        parents[i] = i;
    }
    for (int i = 0; i < b->contactCount; ++i) {
        join(b, parents, sdViewBodies_FindByShape(b, b->contacts[i].shapeA),
             sdViewBodies_FindByShape(b, b->contacts[i].shapeB));
    }
    for (int i = 0; i < b->jointCount; ++i) {
        const sdJointDef* def = sdJoint_GetDef(b->world, b->joints[i]);
        if (def != NULL) {
            join(b, parents, sdViewBodies_Find(b, def->bodyA), sdViewBodies_Find(b, def->bodyB));
        }
    }
    for (int i = 0; i < b->count; ++i) {
        parents[i] = findRoot(parents, i);
    }
}

// ---- public --------------------------------------------------------------------------------

int sdView_GetIslands(const sdWorld* world, int32_t* out, int capacity) {
    sdViewBodies bodies;
    if (!sdViewBodies_Open(&bodies, world)) {
        return 0;
    }
    int count = bodies.count;
    int32_t* groups = malloc(((size_t)count + 1) * sizeof *groups);
    if (groups != NULL) {
        findGroups(&bodies, groups);
        for (int i = 0; i < sdMinI(count, capacity); ++i) {
            out[i] = isDynamic(&bodies, i) ? groups[i] : SD_NULL_INDEX;
        }
    }
    free(groups);
    sdViewBodies_Close(&bodies);
    return groups != NULL ? count : 0;
}

int sdView_GetLevels(const sdWorld* world, int32_t* out, int capacity) {
    return sdWorld_FindLevels(world, out, capacity) == SD_OK ? sdWorld_GetBodies(world, NULL, 0)
                                                             : 0;
}
