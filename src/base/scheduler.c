// SPDX-License-Identifier: MIT
// scheduler.c - a pool of threads that runs loops in parallel.
//
// In:   loops, from any thread, also from inside loops.
// Out:  every item is run once; what was written in a loop is visible when it returns.
// Note: each worker has a share of a loop, of neighbouring parts, and takes those of others when it
//       is through: from step to step it mostly finds what it has written itself.
//       The pool runs one loop at a time; others run on the thread that brings them. What keeps
//       worker indices apart is the seat: a thread runs a part only while it sits on a seat, and
//       the number of the seat is the worker index. Pool threads leave their seat after each part,
//       so that a thread with a loop of its own need not wait long for one.

#include "base/thread.h"

#if !defined(SD_HAVE_THREADS)

struct sdScheduler {
    sdContext context;
    int workerCount;
};

static sdResult startThreads(sdScheduler* scheduler) {
    scheduler->workerCount = 1;
    return SD_OK;
}

static void stopThreads(sdScheduler* scheduler) {
    (void)scheduler;
}

static int processorCount(void) {
    return 1;
}

static void parallelFor(void* user, sdTaskFcn* task, void* arg, int count, int grain) {
    (void)user;
    (void)grain;
    if (count > 0) {
        task(arg, 0, count, 0);
    }
}

#else

/// Parts per worker: enough for the last ones to end together, few enough to cost nothing.
#define PARTS_PER_WORKER 8

/// Looks at a flag before a thread goes to sleep, some 200 microseconds: what comes between two
/// loops of a step is shorter than that, and waking a thread takes up to 50.
#define SPIN_COUNT 8000

/// Fields of the gate: threads inside the loop, whether more may enter, and the loop's number.
#define GATE_INSIDE 0x7FFFFFFFu
#define GATE_OPEN 0x80000000u
#define GATE_NEXT ((uint64_t)1 << 32)

/// Who sits on a seat: nobody, a thread by the address of its `mark`, or one who is still on the
/// way to the seat that was kept for it.
#define SEAT_FREE ((uintptr_t)0)
#define SEAT_KEPT ((uintptr_t)1)

/// On a cache line of its own.
typedef struct Seat {
    _Alignas(64) atomic_uintptr_t sitter;
} Seat;

/// The parts of a loop that a worker begins with, on a cache line of its own.
typedef struct Share {
    _Alignas(64) atomic_int next;
    int end;
} Share;

/// A thread with a loop of its own that found no free seat.
typedef struct Waiter {
    struct Waiter* next;
    int seat; ///< SD_NULL_INDEX as long as there is none
} Waiter;

typedef struct Thread {
    sdScheduler* scheduler;
    sdThread handle;
    int seat;
} Thread;

struct sdScheduler {
    sdContext context;
    int workerCount;
    int spinCount;
    int threadCount;
    Thread threads[SD_MAX_WORKERS];
    Seat seats[SD_MAX_WORKERS];

    // the loop that the pool runs: written by its owner while nobody is inside the gate
    atomic_bool isBusy; ///< has an owner
    sdTaskFcn* task;
    void* arg;
    int count;
    int partSize;
    int partCount;
    Share shares[SD_MAX_WORKERS];
    _Alignas(64) atomic_uint_least64_t gate;

    // sleep
    sdMutex mutex;
    sdSignal opened;         ///< for pool threads: the gate is open, or it is time to quit
    sdSignal emptied;        ///< for the owner: nobody is inside the gate
    sdSignal seated;         ///< for waiters: a seat was kept for one of them
    atomic_int sleeperCount; ///< pool threads that sleep or are about to
    atomic_int waiterCount;
    Waiter* waiters; ///< first come, first served
    atomic_bool isQuitting;
};

/// Its address tells threads apart.
static _Thread_local char mark;

static uintptr_t thisThread(void) {
    return (uintptr_t)&mark;
}

// ---- seats -----------------------------------------------------------------------------------

static bool trySit(sdScheduler* scheduler, int seat) {
    uintptr_t expected = SEAT_FREE;
    return atomic_compare_exchange_strong(&scheduler->seats[seat].sitter, &expected, thisThread());
}

static int findFreeSeat(sdScheduler* scheduler) {
    for (int i = 0; i < scheduler->workerCount; ++i) {
        if (trySit(scheduler, i)) {
            return i;
        }
    }
    return SD_NULL_INDEX;
}

/// The seat that this thread has, if it is inside a loop already.
static int findOwnSeat(sdScheduler* scheduler) {
    for (int i = 0; i < scheduler->workerCount; ++i) {
        // only this thread could have written its mark, so no order is needed
        if (atomic_load_explicit(&scheduler->seats[i].sitter, memory_order_relaxed) ==
            thisThread()) {
            return i;
        }
    }
    return SD_NULL_INDEX;
}

static void removeWaiter(sdScheduler* scheduler, Waiter* waiter) {
    Waiter** place = &scheduler->waiters;
    while (*place != waiter) {
        place = &(*place)->next;
    }
    *place = waiter->next;
    atomic_fetch_sub(&scheduler->waiterCount, 1);
}

static int waitForSeat(sdScheduler* scheduler) {
    Waiter self = {NULL, SD_NULL_INDEX};
    sdMutex_Lock(&scheduler->mutex);
    Waiter** last = &scheduler->waiters;
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = &self;
    // whoever leaves a seat from here on sees the count; whoever did so before is seen below
    atomic_fetch_add(&scheduler->waiterCount, 1);
    int seat = findFreeSeat(scheduler);
    if (seat != SD_NULL_INDEX) {
        removeWaiter(scheduler, &self);
    } else {
        while (self.seat == SD_NULL_INDEX) {
            sdSignal_Wait(&scheduler->seated, &scheduler->mutex);
        }
        seat = self.seat;
        atomic_store(&scheduler->seats[seat].sitter, thisThread());
    }
    sdMutex_Unlock(&scheduler->mutex);
    return seat;
}

static void leaveSeat(sdScheduler* scheduler, int seat) {
    atomic_uintptr_t* sitter = &scheduler->seats[seat].sitter;
    atomic_store(sitter, SEAT_FREE);
    if (atomic_load(&scheduler->waiterCount) == 0) {
        return;
    }
    sdMutex_Lock(&scheduler->mutex);
    uintptr_t expected = SEAT_FREE;
    Waiter* first = scheduler->waiters;
    if (first != NULL && atomic_compare_exchange_strong(sitter, &expected, SEAT_KEPT)) {
        removeWaiter(scheduler, first);
        first->seat = seat;
        sdSignal_WakeAll(&scheduler->seated);
    }
    sdMutex_Unlock(&scheduler->mutex);
}

// ---- the pool's loop -------------------------------------------------------------------------

/// @return a part of a share; SD_NULL_INDEX: there is none
static int takePart(Share* share) {
    if (atomic_load_explicit(&share->next, memory_order_relaxed) >= share->end) {
        return SD_NULL_INDEX;
    }
    int part = atomic_fetch_add_explicit(&share->next, 1, memory_order_relaxed);
    return part < share->end ? part : SD_NULL_INDEX;
}

/// Run a part of the worker's own share, or of what another has left of its.
/// @return false when all parts have been taken
static bool runPart(sdScheduler* scheduler, int worker) {
    int part = takePart(&scheduler->shares[worker]);
    for (int i = 1; part == SD_NULL_INDEX && i < scheduler->workerCount; ++i) {
        part = takePart(&scheduler->shares[(worker + i) % scheduler->workerCount]);
    }
    if (part == SD_NULL_INDEX) {
        return false;
    }
    int begin = part * scheduler->partSize;
    int left = scheduler->count - begin;
    int end = begin + (left < scheduler->partSize ? left : scheduler->partSize);
    scheduler->task(scheduler->arg, begin, end, worker);
    return true;
}

/// Enter the gate if it is open, help as long as there are parts and the seat is free, leave.
static void help(sdScheduler* scheduler, int seat) {
    if (atomic_fetch_add(&scheduler->gate, 1) & GATE_OPEN) {
        bool hasMore = true;
        while (hasMore && trySit(scheduler, seat)) {
            hasMore = runPart(scheduler, seat);
            leaveSeat(scheduler, seat);
        }
    }
    uint64_t before = atomic_fetch_sub(&scheduler->gate, 1);
    if ((before & (GATE_INSIDE | GATE_OPEN)) == 1) {
        // the last one out of a closed gate; the owner may be asleep
        sdMutex_Lock(&scheduler->mutex);
        sdSignal_WakeOne(&scheduler->emptied);
        sdMutex_Unlock(&scheduler->mutex);
    }
}

/// The gate is open for a loop other than `seen`.
static bool hasNews(sdScheduler* scheduler, uint32_t seen) {
    uint64_t gate = atomic_load(&scheduler->gate);
    return (gate & GATE_OPEN) != 0 && (uint32_t)(gate >> 32) != seen;
}

/// @return the number of the loop; the one before when it is time to quit
static uint32_t waitForNews(sdScheduler* scheduler, uint32_t seen) {
    for (int i = 0; i < scheduler->spinCount; ++i) {
        if (hasNews(scheduler, seen)) {
            return (uint32_t)(atomic_load(&scheduler->gate) >> 32);
        }
        sdThread_Pause(0);
    }
    sdMutex_Lock(&scheduler->mutex);
    // whoever opens the gate from here on sees the count; whoever did so before is seen below
    atomic_fetch_add(&scheduler->sleeperCount, 1);
    while (!hasNews(scheduler, seen) && !atomic_load(&scheduler->isQuitting)) {
        sdSignal_Wait(&scheduler->opened, &scheduler->mutex);
    }
    atomic_fetch_sub(&scheduler->sleeperCount, 1);
    sdMutex_Unlock(&scheduler->mutex);
    return (uint32_t)(atomic_load(&scheduler->gate) >> 32);
}

static void* runThread(void* arg) {
    Thread* self = arg;
    sdScheduler* scheduler = self->scheduler;
    uint32_t seen = 0;
    while (!atomic_load(&scheduler->isQuitting)) {
        seen = waitForNews(scheduler, seen);
        help(scheduler, self->seat);
    }
    return NULL;
}

static void openGate(sdScheduler* scheduler) {
    atomic_fetch_add(&scheduler->gate, GATE_NEXT + GATE_OPEN);
    int sleepers = atomic_load(&scheduler->sleeperCount);
    if (sleepers > 0) {
        int wanted = scheduler->partCount - 1;
        sdMutex_Lock(&scheduler->mutex);
        for (int i = 0; i < sleepers && i < wanted; ++i) {
            sdSignal_WakeOne(&scheduler->opened);
        }
        sdMutex_Unlock(&scheduler->mutex);
    }
}

/// Close the gate and wait until all who helped have left.
static void closeGate(sdScheduler* scheduler) {
    uint64_t gate = atomic_fetch_sub(&scheduler->gate, GATE_OPEN);
    for (int i = 0; i < scheduler->spinCount && (gate & GATE_INSIDE) != 0; ++i) {
        sdThread_Pause(0);
        gate = atomic_load(&scheduler->gate);
    }
    if ((gate & GATE_INSIDE) != 0) {
        sdMutex_Lock(&scheduler->mutex);
        while ((atomic_load(&scheduler->gate) & GATE_INSIDE) != 0) {
            sdSignal_Wait(&scheduler->emptied, &scheduler->mutex);
        }
        sdMutex_Unlock(&scheduler->mutex);
    }
}

/// Cut the loop into parts and run them with the pool.
static void runTogether(sdScheduler* scheduler, sdTaskFcn* task, void* arg, int count, int grain,
                        int worker) {
    int even = count / (scheduler->workerCount * PARTS_PER_WORKER);
    scheduler->task = task;
    scheduler->arg = arg;
    scheduler->count = count;
    scheduler->partSize = grain > even ? grain : even;
    scheduler->partCount = (count - 1) / scheduler->partSize + 1;
    for (int i = 0; i < scheduler->workerCount; ++i) {
        int64_t parts = scheduler->partCount;
        scheduler->shares[i].end = (int)((i + 1) * parts / scheduler->workerCount);
        atomic_store_explicit(&scheduler->shares[i].next, (int)(i * parts / scheduler->workerCount),
                              memory_order_relaxed);
    }
    openGate(scheduler);
    bool hasMore = true;
    while (hasMore) {
        hasMore = runPart(scheduler, worker);
    }
    closeGate(scheduler);
}

static void parallelFor(void* user, sdTaskFcn* task, void* arg, int count, int grain) {
    sdScheduler* scheduler = user;
    if (count <= 0) {
        return;
    }
    grain = grain < 1 ? 1 : grain;
    int worker = findOwnSeat(scheduler);
    bool isNested = worker != SD_NULL_INDEX;
    if (!isNested) {
        worker = findFreeSeat(scheduler);
        worker = worker != SD_NULL_INDEX ? worker : waitForSeat(scheduler);
    }
    bool isLong = count > grain && scheduler->workerCount > 1, isBusy = false;
    if (isLong && atomic_compare_exchange_strong(&scheduler->isBusy, &isBusy, true)) {
        runTogether(scheduler, task, arg, count, grain, worker);
        atomic_store(&scheduler->isBusy, false);
    } else {
        task(arg, 0, count, worker);
    }
    if (!isNested) {
        leaveSeat(scheduler, worker);
    }
}

// ---- life ------------------------------------------------------------------------------------

static int processorCount(void) {
    return sdThread_CountProcessors();
}

static void stopThreads(sdScheduler* scheduler) {
    sdMutex_Lock(&scheduler->mutex);
    atomic_store(&scheduler->isQuitting, true);
    sdSignal_WakeAll(&scheduler->opened);
    sdMutex_Unlock(&scheduler->mutex);
    for (int i = 0; i < scheduler->threadCount; ++i) {
        sdThread_Join(&scheduler->threads[i].handle);
    }
    sdMutex_Destroy(&scheduler->mutex);
    sdSignal_Destroy(&scheduler->opened);
    sdSignal_Destroy(&scheduler->emptied);
    sdSignal_Destroy(&scheduler->seated);
}

/// The block is zero. The calling thread is a worker too, so one thread less is made.
static sdResult startThreads(sdScheduler* scheduler) {
    sdMutex_Init(&scheduler->mutex);
    sdSignal_Init(&scheduler->opened);
    sdSignal_Init(&scheduler->emptied);
    sdSignal_Init(&scheduler->seated);
    // more threads than processors would only take time from each other
    scheduler->spinCount = scheduler->workerCount <= processorCount() ? SPIN_COUNT : 0;
    for (int i = 0; i < scheduler->workerCount - 1; ++i) {
        Thread* thread = &scheduler->threads[i];
        thread->scheduler = scheduler;
        thread->seat = i + 1;
        if (!sdThread_Start(&thread->handle, runThread, thread)) {
            stopThreads(scheduler);
            return sdFail(&scheduler->context, SD_ERROR_LIMIT,
                          "sdScheduler_Create: the system refused thread %d of %d; ask for fewer "
                          "workers",
                          i + 1, scheduler->workerCount - 1);
        }
        scheduler->threadCount += 1;
    }
    return SD_OK;
}

#endif

sdResult sdScheduler_Create(const sdContext* context, int workerCount, sdScheduler** out) {
    sdContext own;
    sdResult result = sdContext_Resolve(context, &own);
    if (out == NULL) {
        return result != SD_OK ? result
                               : sdFail(&own, SD_ERROR_INVALID_ARGUMENT,
                                        "sdScheduler_Create: there is nowhere to put the result");
    }
    *out = NULL;
    if (result != SD_OK) {
        return result;
    }
    if (workerCount < 0 || workerCount > SD_MAX_WORKERS) {
        return sdFail(&own, SD_ERROR_INVALID_ARGUMENT,
                      "sdScheduler_Create: workerCount is %d, it must be in 0 .. %d", workerCount,
                      SD_MAX_WORKERS);
    }
    sdScheduler* scheduler = sdAllocZero(&own.allocator, sizeof *scheduler);
    if (scheduler == NULL) {
        return sdFailMemory(&own, "sdScheduler_Create", sizeof *scheduler);
    }
    scheduler->context = own;
    scheduler->workerCount = workerCount != 0 ? workerCount : processorCount();
    result = startThreads(scheduler);
    if (result != SD_OK) {
        sdFree(&own.allocator, scheduler, sizeof *scheduler);
        return result;
    }
    *out = scheduler;
    return SD_OK;
}

void sdScheduler_Destroy(sdScheduler* scheduler) {
    if (scheduler != NULL) {
        stopThreads(scheduler);
        sdAllocator allocator = scheduler->context.allocator;
        sdFree(&allocator, scheduler, sizeof *scheduler);
    }
}

sdTaskSystem sdScheduler_GetTasks(sdScheduler* scheduler) {
    if (scheduler == NULL) {
        return sdContext_Default().tasks;
    }
    return (sdTaskSystem){parallelFor, scheduler, scheduler->workerCount};
}
