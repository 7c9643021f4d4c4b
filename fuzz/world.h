// SPDX-License-Identifier: MIT
// world.h - a world that bytes make calls to.
//
// Each call is a byte that says which, and the bytes of its arguments. Ids are taken from the last
// ones that there were, many of which are stale; some are made up. Every result goes into a hash,
// which must be the same for any number of threads, and for any build.

#ifndef SD_FUZZ_WORLD_H
#define SD_FUZZ_WORLD_H

#include "fuzz.h"

#include "sudar/query.h"
#include "sudar/snapshot.h"

#define FUZZ_MAX_IDS 40
#define FUZZ_MAX_CALLS 160
#define FUZZ_MAX_STEPS 40
#define FUZZ_MAX_BODIES 40
#define FUZZ_MAX_SHAPES 80
#define FUZZ_MAX_JOINTS 40

/// The newest ids of a kind; the oldest makes room.
typedef struct FuzzIds {
    uint32_t ids[FUZZ_MAX_IDS];
    int count, next;
} FuzzIds;

typedef struct FuzzWorld {
    FuzzInput in;
    sdContext context;
    sdWorld* world;
    sdSnapshot* snapshot;
    bool hasSnapshot;
    sdHistory* history;
    FuzzIds bodies, shapes, joints;
    int stepCount;
    uint64_t hash;
} FuzzWorld;

// ---- calls (world_calls.c) -----------------------------------------------------------------

/// Make a world as the input says; always succeeds, with the usual settings if need be.
void FuzzWorld_Create(FuzzWorld* w);
void FuzzWorld_Destroy(FuzzWorld* w);
/// The next call of the input.
void FuzzWorld_Call(FuzzWorld* w);

/// Put a result into the hash. A call that was refused must have changed nothing.
void FuzzWorld_Note(FuzzWorld* w, sdResult result, uint64_t before);
sdBodyId FuzzWorld_ReadBody(FuzzWorld* w);
sdShapeId FuzzWorld_ReadShape(FuzzWorld* w);
sdJointId FuzzWorld_ReadJoint(FuzzWorld* w);

// ---- questions and time (world_time.c) ------------------------------------------------------

void FuzzWorld_Step(FuzzWorld* w);
void FuzzWorld_Ask(FuzzWorld* w);
void FuzzWorld_SaveOrRestore(FuzzWorld* w);
/// Save, step, restore, step: the same. In another world from bytes: the same.
void FuzzWorld_StepTwice(FuzzWorld* w);

// ---- shapes (world_shapes.c) ---------------------------------------------------------------

/// Any shape; hulls and meshes are made once a process and are never freed.
sdShape FuzzWorld_ReadAnyShape(FuzzInput* in);
/// A convex one, for queries.
sdShape FuzzWorld_ReadConvex(FuzzInput* in);
sdShapeDef FuzzWorld_ReadShapeDef(FuzzInput* in);

// ---- checks (world_checks.c) ---------------------------------------------------------------

/// All that must be true between any two calls.
void FuzzWorld_Check(FuzzWorld* w);

#endif
