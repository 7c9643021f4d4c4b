// SPDX-License-Identifier: MIT
// query_batch.c - many rays at once.
//
// In:   rays, a filter.
// Out:  the nearest hit of each, in the order of the rays. Never allocates.
// Note: rays do not know of each other, so their hits depend neither on how they are shared out
//       nor on the number of workers.

#include "dynamics/query.h"

/// Rays per task: some 50 µs of work.
#define RAY_GRAIN 64

typedef struct RayTask {
    const sdWorld* world;
    const sdRay* rays;
    const sdQueryFilter* filter;
    sdQueryHit* out;
} RayTask;

static void castRays(void* arg, int begin, int end, int worker) {
    (void)worker;
    const RayTask* task = arg;
    for (int i = begin; i < end; ++i) {
        sdWorld_RaycastNearest(task->world, &task->rays[i], task->filter, &task->out[i]);
    }
}

static sdResult checkRays(const sdWorld* world, const sdRay* rays, int count) {
    for (int i = 0; i < count; ++i) {
        const char* fault = sdRay_Fault(&rays[i]);
        if (fault != NULL) {
            return sdFail(&world->context, SD_ERROR_INVALID_ARGUMENT,
                          "sdWorld_RaycastMany: ray %d: %s", i, fault);
        }
    }
    return SD_OK;
}

static sdResult checkBatch(const sdWorld* world, const sdRay* rays, int count,
                           const sdQueryFilter* filter, const sdQueryHit* out) {
    sdResult result = sdQuery_CheckFilter(world, "sdWorld_RaycastMany", filter);
    if (result != SD_OK) {
        return result;
    }
    if (count < 0 || (count > 0 && (rays == NULL || out == NULL))) {
        return sdFail(&world->context, SD_ERROR_INVALID_ARGUMENT,
                      "sdWorld_RaycastMany: rays or out is NULL, or the count is negative");
    }
    return checkRays(world, rays, count);
}

sdResult sdWorld_RaycastMany(const sdWorld* world, const sdRay* rays, int count,
                             const sdQueryFilter* filter, sdQueryHit* out) {
    sdResult result = checkBatch(world, rays, count, filter, out);
    if (result != SD_OK) {
        for (int i = 0; out != NULL && i < count; ++i) {
            out[i] = sdQueryHit_None();
        }
    } else if (count > 0) {
        RayTask task = {world, rays, filter, out};
        const sdTaskSystem* tasks = &world->context.tasks;
        tasks->parallelFor(tasks->user, castRays, &task, count, RAY_GRAIN);
    }
    return result;
}
