// SPDX-License-Identifier: MIT
// world_time.c - bytes as steps, questions and ways back in time. See world.h.

#include "world.h"

#include <string.h>

#define MAX_HITS 16
#define MAX_OBJECTS 160

// ---- steps ---------------------------------------------------------------------------------

static float readStep(FuzzInput* in) {
    int choice = FuzzInput_Byte(in);
    return choice < 200   ? 1.0f / 60.0f
           : choice < 230 ? FuzzInput_Float(in, 1e-4f, 0.1f)
           : choice < 240 ? 1.0f
                          : FuzzInput_Float(in, -0.1f, 1.2f);
}

static bool isStep(float dt) {
    return dt > 0.0f && dt <= SD_MAX_TIME_STEP;
}

/// Nobody may change a world while it steps.
static bool filterOrChange(void* user, const sdWorld* world, sdShapeId a, sdShapeId b) {
    (void)user;
    sdWorld* changed = (sdWorld*)(uintptr_t)world;
    CHECK_INT(sdBody_Destroy(changed, sdShapeId_GetBody(world, a)), SD_ERROR_LOCKED);
    CHECK_INT(sdWorld_Step(changed, 0.01f), SD_ERROR_LOCKED);
    return (a + b) % 4 != 0;
}

static void pushUp(void* user, const sdWorld* world, sdBodyId body, const sdMotionState* state,
                   sdVec3* force, sdVec3* torque) {
    (void)user;
    (void)world;
    (void)body;
    force->y += state->center.y < 0.0 ? 100.0f : 0.0f;
    *torque = sdMulAdd(*torque, -0.01f, state->angularVelocity);
}

void FuzzWorld_Step(FuzzWorld* w) {
    int what = FuzzInput_Byte(&w->in);
    float dt = readStep(&w->in);
    if (what >= 240) {
        sdWorld_SetFilterFcn(w->world, what % 2 == 0 ? filterOrChange : NULL, NULL);
    } else if (what >= 220) {
        sdWorld_SetForceFcn(w->world, what % 2 == 0 ? pushUp : NULL, NULL);
    }
    int count = 1 + what % 4;
    for (int i = 0; i < count && w->stepCount < FUZZ_MAX_STEPS; ++i) {
        uint64_t before = sdWorld_GetHash(w->world);
        sdResult result = sdWorld_Step(w->world, dt);
        CHECK_INT(result, isStep(dt) ? SD_OK : SD_ERROR_INVALID_ARGUMENT);
        FuzzWorld_Note(w, result, before);
        w->hash = FuzzHash_Int(w->hash, (long long)sdWorld_GetHash(w->world));
        w->stepCount += 1;
        FuzzWorld_Check(w);
    }
}

// ---- questions -----------------------------------------------------------------------------

static void noteHit(FuzzWorld* w, const sdQueryHit* hit) {
    CHECK(hit->fraction >= 0.0f && hit->fraction <= 1.0f);
    CHECK(sdPos_IsFinite(hit->point) && sdVec3_IsFinite(hit->normal));
    CHECK((hit->body == SD_NULL_BODY) == (hit->shape == SD_NULL_SHAPE));
    CHECK(hit->body == SD_NULL_BODY || sdShapeId_GetBody(w->world, hit->shape) == hit->body);
    w->hash = FuzzHash_Int(w->hash, hit->shape);
    w->hash = FuzzHash_Float(FuzzHash_Float(w->hash, hit->fraction), (float)hit->distance);
}

static void noteHits(FuzzWorld* w, const sdQueryHit* hits, int count) {
    CHECK(count >= 0);
    w->hash = FuzzHash_Int(w->hash, count);
    for (int i = 0; i < sdMinI(count, MAX_HITS); ++i) {
        noteHit(w, &hits[i]);
        CHECK(i == 0 || hits[i - 1].distance <= hits[i].distance ||
              hits[i - 1].fraction <= hits[i].fraction);
    }
}

static void askRays(FuzzWorld* w, const sdQueryFilter* filter) {
    sdRay rays[3];
    for (int i = 0; i < 3; ++i) {
        rays[i].origin = FuzzInput_Pos(&w->in, 4.0);
        rays[i].translation = FuzzInput_Vec3(&w->in, 8.0f);
    }
    sdQueryHit hits[MAX_HITS], many[3];
    bool isHit = false;
    int count = 0;
    sdResult result = sdWorld_Raycast(w->world, &rays[0], filter, &hits[0]);
    w->hash = FuzzHash_Int(w->hash, result);
    noteHit(w, &hits[0]);
    CHECK_INT(sdWorld_RaycastAny(w->world, &rays[0], filter, &isHit), result);
    CHECK(isHit == (hits[0].body != SD_NULL_BODY));
    sdQueryHit first = hits[0];
    CHECK_INT(sdWorld_RaycastAll(w->world, &rays[0], filter, hits, MAX_HITS, &count), result);
    CHECK((count > 0) == isHit && (count == 0 || hits[0].shape == first.shape));
    noteHits(w, hits, count);
    result = sdWorld_RaycastMany(w->world, rays, 3, filter, many);
    CHECK(result != SD_OK || many[0].shape == first.shape);
    w->hash = FuzzHash_Int(w->hash, result);
}

static void askShapes(FuzzWorld* w, const sdQueryFilter* filter) {
    sdPlacedShape placed = {.shape = FuzzWorld_ReadConvex(&w->in)};
    placed.xf.p = FuzzInput_Pos(&w->in, 3.0);
    placed.xf.q = FuzzInput_Quat(&w->in);
    sdVec3 way = FuzzInput_Vec3(&w->in, 8.0f);
    sdQueryHit hits[MAX_HITS];
    int count = 0;
    sdResult result = sdWorld_ShapeCast(w->world, &placed, way, filter, &hits[0]);
    w->hash = FuzzHash_Int(w->hash, result);
    noteHit(w, &hits[0]);
    CHECK_INT(sdWorld_ShapeCastAll(w->world, &placed, way, filter, hits, MAX_HITS, &count), result);
    noteHits(w, hits, count);
    result = sdWorld_OverlapAll(w->world, &placed, filter, hits, MAX_HITS, &count);
    w->hash = FuzzHash_Int(w->hash, result);
    noteHits(w, hits, count);
}

static void askPlaces(FuzzWorld* w, const sdQueryFilter* filter) {
    sdPos p = FuzzInput_Pos(&w->in, 3.0);
    sdVec3 half = FuzzInput_Vec3(&w->in, 2.0f);
    sdQueryHit hits[MAX_HITS];
    int count = 0;
    sdWorldBox box = {sdPos_Add(p, sdNeg(half)), sdPos_Add(p, half)};
    sdResult result = sdWorld_OverlapBoxAll(w->world, box, filter, hits, MAX_HITS, &count);
    w->hash = FuzzHash_Int(w->hash, result);
    noteHits(w, hits, count);
    float reach = FuzzInput_Size(&w->in, 3.0f);
    result = sdWorld_FindNearest(w->world, p, reach, filter, &hits[0]);
    w->hash = FuzzHash_Int(w->hash, result);
    noteHit(w, &hits[0]);
}

void FuzzWorld_Ask(FuzzWorld* w) {
    uint64_t before = sdWorld_GetHash(w->world);
    int what = FuzzInput_Byte(&w->in);
    sdQueryFilter filter = sdQueryFilter_Default();
    sdBodyId ignored = FuzzWorld_ReadBody(w);
    filter.includeSensors = (what & 4) != 0;
    filter.ignored = &ignored;
    filter.ignoredCount = (what & 8) != 0;
    if (what & 16) {
        CHECK_INT(sdWorld_PrepareQueries(w->world, what), SD_OK);
    }
    if (what % 4 == 0) {
        askShapes(w, &filter);
    } else if (what % 4 == 1) {
        askPlaces(w, &filter);
    } else {
        askRays(w, &filter);
    }
    CHECK(sdWorld_GetHash(w->world) == before);
}

// ---- back in time --------------------------------------------------------------------------

void FuzzWorld_SaveOrRestore(FuzzWorld* w) {
    uint64_t before = sdWorld_GetHash(w->world);
    sdResult result;
    switch (FuzzInput_Int(&w->in, 4)) {
        case 0:
            result = sdWorld_Save(w->world, w->snapshot);
            w->hasSnapshot = true;
            CHECK_INT(result, SD_OK);
            break;
        case 1:
            result = sdWorld_Restore(w->world, w->snapshot);
            CHECK_INT(result, w->hasSnapshot ? SD_OK : SD_ERROR_INVALID_ARGUMENT);
            break;
        case 2:
            result = sdHistory_Record(w->history, w->world);
            CHECK_INT(result, SD_OK);
            break;
        default:
            result = sdHistory_Restore(w->history, w->world, FuzzInput_Int(&w->in, 5));
    }
    FuzzWorld_Note(w, result, before);
    FuzzWorld_Check(w);
}

static uint64_t runOn(sdWorld* world, int steps, float dt) {
    for (int i = 0; i < steps; ++i) {
        CHECK_INT(sdWorld_Step(world, dt), SD_OK);
    }
    return sdWorld_GetHash(world);
}

/// The same from the bytes of a snapshot, in a world of its own.
static void goOnElsewhere(FuzzWorld* w, sdSnapshot* saved, int steps, float dt, uint64_t expected) {
    size_t size;
    const void* bytes = sdSnapshot_GetBytes(saved, &size);
    static sdShape objects[MAX_OBJECTS];
    int count = sdSnapshot_GetObjects(saved, objects, MAX_OBJECTS);
    CHECK(bytes != NULL && count <= MAX_OBJECTS);
    sdSnapshot* copy = NULL;
    sdWorld* other = NULL;
    sdWorldDef def = sdWorld_GetDef(w->world);
    CHECK_INT(sdSnapshot_Create(&w->context, &copy), SD_OK);
    CHECK_INT(sdSnapshot_SetBytes(copy, bytes, size, objects, count), SD_OK);
    CHECK_INT(sdWorld_Create(&w->context, &def, &other), SD_OK);
    CHECK_INT(sdWorld_Restore(other, copy), SD_OK);
    CHECK(runOn(other, steps, dt) == expected);
    sdWorld_Destroy(other);
    sdSnapshot_Destroy(copy);
}

void FuzzWorld_StepTwice(FuzzWorld* w) {
    int what = FuzzInput_Byte(&w->in), steps = 1 + what % 3;
    float dt = 1.0f / 60.0f;
    if (w->stepCount + 2 * steps > FUZZ_MAX_STEPS) {
        return;
    }
    w->stepCount += 2 * steps;
    sdWorld_SetFilterFcn(w->world, NULL, NULL);
    sdWorld_SetForceFcn(w->world, NULL, NULL);
    sdSnapshot* saved = NULL;
    CHECK_INT(sdSnapshot_Create(&w->context, &saved), SD_OK);
    CHECK_INT(sdWorld_Save(w->world, saved), SD_OK);
    uint64_t before = sdWorld_GetHash(w->world);
    uint64_t after = runOn(w->world, steps, dt);
    CHECK_INT(sdWorld_Restore(w->world, saved), SD_OK);
    CHECK(sdWorld_GetHash(w->world) == before);
    FuzzWorld_Check(w);
    CHECK(runOn(w->world, steps, dt) == after);
    if (what % 4 == 0) {
        goOnElsewhere(w, saved, steps, dt, after);
    }
    sdSnapshot_Destroy(saved);
    w->hash = FuzzHash_Int(w->hash, (long long)after);
    FuzzWorld_Check(w);
}
