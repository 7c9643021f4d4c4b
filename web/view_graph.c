// SPDX-License-Identifier: MIT
// view_graph.c - who hangs together with whom, and who is held by whom.
//
// In:   contacts and joints of a world.
// Out:  a number for each body.

#include "view_support.h"

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

// ---- levels --------------------------------------------------------------------------------

/// One more pass over the contacts.
/// @return whether anything was found
static bool spread(const sdViewBodies* b, int32_t* levels, int level) {
    bool isFound = false;
    for (int i = 0; i < b->contactCount; ++i) {
        int pair[2] = {sdViewBodies_FindByShape(b, b->contacts[i].shapeA),
                       sdViewBodies_FindByShape(b, b->contacts[i].shapeB)};
        for (int k = 0; k < 2 && pair[0] >= 0 && pair[1] >= 0; ++k) {
            if (levels[pair[k]] == level && levels[pair[1 - k]] < 0) {
                levels[pair[1 - k]] = level + 1;
                isFound = true;
            }
        }
    }
    return isFound;
}

static void findLevels(const sdViewBodies* b, int32_t* levels) {
    for (int i = 0; i < b->count; ++i) {
        levels[i] = isDynamic(b, i) ? -1 : 0;
    }
    for (int level = 0; level < b->count && spread(b, levels, level); ++level) {
    }
}

// ---- public --------------------------------------------------------------------------------

typedef void FillFcn(const sdViewBodies* b, int32_t* numbers);

static int getNumbers(const sdWorld* world, FillFcn* fill, bool onlyDynamic, int32_t* out,
                      int capacity) {
    sdViewBodies bodies;
    if (!sdViewBodies_Open(&bodies, world)) {
        return 0;
    }
    int count = bodies.count;
    int32_t* numbers = malloc(((size_t)count + 1) * sizeof *numbers);
    if (numbers != NULL) {
        fill(&bodies, numbers);
        for (int i = 0; i < sdMinI(count, capacity); ++i) {
            out[i] = onlyDynamic && !isDynamic(&bodies, i) ? SD_NULL_INDEX : numbers[i];
        }
    }
    free(numbers);
    sdViewBodies_Close(&bodies);
    return numbers != NULL ? count : 0;
}

int sdView_GetIslands(const sdWorld* world, int32_t* out, int capacity) {
    return getNumbers(world, findGroups, true, out, capacity);
}

int sdView_GetLevels(const sdWorld* world, int32_t* out, int capacity) {
    return getNumbers(world, findLevels, false, out, capacity);
}
