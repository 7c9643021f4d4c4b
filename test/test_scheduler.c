// SPDX-License-Identifier: MIT
// test_scheduler.c - the pool of threads: every item once, worker indices apart, nested and shared.

#define _POSIX_C_SOURCE 199309L

#include "base/timer.h"
#include "support.h"

#include <stdatomic.h>
#include <string.h>

#if !defined(__wasm__)
#define HAVE_THREADS 1
#include <pthread.h>
#include <sched.h>
#include <time.h>
#endif

#define MAX_ITEMS 20000

static void makeWay(void) {
#if defined(HAVE_THREADS)
    sched_yield();
#endif
}

#if defined(HAVE_THREADS)
static void sleepOneMs(void) {
    struct timespec ms = {0, 1000000};
    nanosleep(&ms, NULL);
}
#endif

/// What several loops share: who is at work under each index. TSan watches `scratch`.
typedef struct Workers {
    atomic_int depth[SD_MAX_WORKERS];
    atomic_int collisionCount; ///< calls that found their index in use by another thread
    int64_t scratch[SD_MAX_WORKERS];
    int count;
} Workers;

static void enterWorker(Workers* workers, int worker, int depth) {
    if (worker < 0 || worker >= workers->count ||
        atomic_fetch_add(&workers->depth[worker], 1) != depth) {
        atomic_fetch_add(&workers->collisionCount, 1);
    }
    workers->scratch[worker] += 1;
}

static void leaveWorker(Workers* workers, int worker) {
    workers->scratch[worker] += 1;
    atomic_fetch_sub(&workers->depth[worker], 1);
}

typedef struct Loop {
    Workers* workers;
    const sdTaskSystem* tasks;
    int count;
    int grain;
    bool isSlow; ///< parts make way for other threads, so that they overlap on any machine
    atomic_int shortPartCount; ///< parts below the grain that are not the last
    uint8_t visits[MAX_ITEMS]; ///< not atomic: no item belongs to two parts
} Loop;

static void visitItems(void* arg, int begin, int end, int worker) {
    Loop* loop = arg;
    enterWorker(loop->workers, worker, 0);
    if (end - begin < loop->grain && end != loop->count) {
        atomic_fetch_add(&loop->shortPartCount, 1);
    }
    for (int i = begin; i < end; ++i) {
        loop->visits[i] += 1;
    }
    if (loop->isSlow) {
        makeWay();
    }
    leaveWorker(loop->workers, worker);
}

static void runLoop(Loop* loop, int count, int grain) {
    memset(loop->visits, 0, sizeof loop->visits);
    loop->count = count;
    loop->grain = grain;
    loop->tasks->parallelFor(loop->tasks->user, visitItems, loop, count, grain);
}

/// Every item below `count` was visited once, no other.
static bool isComplete(const Loop* loop) {
    for (int i = 0; i < MAX_ITEMS; ++i) {
        if (loop->visits[i] != (i < loop->count ? 1 : 0)) {
            return false;
        }
    }
    return true;
}

SD_TEST(scheduler_runs_every_item_once) {
    static Loop loop;
    const int workerCounts[] = {1, 2, 3, 4, 9};
    const int counts[] = {0, 1, 2, 7, 64, 1000, MAX_ITEMS};
    const int grains[] = {0, 1, 3, 64, 5000, 1000000};
    for (int w = 0; w < 5; ++w) {
        TestContext test;
        TestContext_Init(&test);
        sdScheduler* scheduler;
        REQUIRE(sdScheduler_Create(&test.context, workerCounts[w], &scheduler) == SD_OK);
        sdTaskSystem tasks = sdScheduler_GetTasks(scheduler);
        Workers workers = {.count = tasks.workerCount};
        loop.workers = &workers;
        loop.tasks = &tasks;
        for (int c = 0; c < 7; ++c) {
            for (int g = 0; g < 6; ++g) {
                runLoop(&loop, counts[c], grains[g]);
                CHECK(isComplete(&loop));
            }
        }
        runLoop(&loop, -5, 1);
        CHECK_INT(atomic_load(&loop.shortPartCount), 0);
        CHECK_INT(atomic_load(&workers.collisionCount), 0);
        sdScheduler_Destroy(scheduler);
        TestContext_Finish(&test);
    }
}

SD_TEST(scheduler_short_loops_in_quick_succession) {
    // where a thread that comes late to one loop could disturb the next
    static Loop loop;
    sdScheduler* scheduler;
    REQUIRE(sdScheduler_Create(NULL, 3, &scheduler) == SD_OK);
    sdTaskSystem tasks = sdScheduler_GetTasks(scheduler);
    Workers workers = {.count = tasks.workerCount};
    loop.workers = &workers;
    loop.tasks = &tasks;
    for (int round = 0; round < 300; ++round) {
        for (int count = 2; count < 12; ++count) {
            loop.count = count;
            loop.grain = 1;
            memset(loop.visits, 0, 16);
            tasks.parallelFor(tasks.user, visitItems, &loop, count, 1);
            int sum = 0;
            for (int i = 0; i < 16; ++i) {
                sum += loop.visits[i] == 1 ? 1 : 1000 * loop.visits[i];
            }
            CHECK_INT(sum, count);
        }
    }
    CHECK_INT(atomic_load(&workers.collisionCount), 0);
    sdScheduler_Destroy(scheduler);
}

#if defined(HAVE_THREADS)

/// Wait until all three have come, or give up after some seconds.
static void meetOthers(void* arg, int begin, int end, int worker) {
    atomic_int* arrivedCount = arg;
    (void)worker;
    atomic_fetch_add(arrivedCount, end - begin);
    for (int i = 0; i < 5000 && atomic_load(arrivedCount) < 3; ++i) {
        sleepOneMs();
    }
}

SD_TEST(scheduler_workers_run_at_the_same_time) {
    sdScheduler* scheduler;
    REQUIRE(sdScheduler_Create(NULL, 3, &scheduler) == SD_OK);
    sdTaskSystem tasks = sdScheduler_GetTasks(scheduler);
    for (int round = 0; round < 5; ++round) {
        // long enough for the pool to fall asleep
        sleepOneMs();
        atomic_int arrivedCount = 0;
        uint64_t start = sdTimer_Now();
        tasks.parallelFor(tasks.user, meetOthers, &arrivedCount, 3, 1);
        CHECK_INT(atomic_load(&arrivedCount), 3);
        CHECK(sdTimer_ElapsedMs(start) < 4000.0f);
    }
    sdScheduler_Destroy(scheduler);
}

/// The thread that brings the loop waits for a helper to begin; the helper takes its time.
typedef struct Race {
    pthread_t owner;
    atomic_bool hasHelper;
    bool isDone[2]; ///< not atomic: the end of the loop must make it visible
} Race;

static void finishLate(void* arg, int begin, int end, int worker) {
    Race* race = arg;
    (void)worker;
    if (pthread_equal(pthread_self(), race->owner)) {
        for (int i = 0; i < 5000 && !atomic_load(&race->hasHelper); ++i) {
            sleepOneMs();
        }
    } else {
        atomic_store(&race->hasHelper, true);
        sleepOneMs();
        sleepOneMs();
    }
    for (int i = begin; i < end; ++i) {
        race->isDone[i] = true;
    }
}

SD_TEST(scheduler_loops_end_with_their_slowest_part) {
    sdScheduler* scheduler;
    REQUIRE(sdScheduler_Create(NULL, 2, &scheduler) == SD_OK);
    sdTaskSystem tasks = sdScheduler_GetTasks(scheduler);
    for (int round = 0; round < 5; ++round) {
        Race race = {.owner = pthread_self()};
        tasks.parallelFor(tasks.user, finishLate, &race, 2, 1);
        CHECK(atomic_load(&race.hasHelper) && race.isDone[0] && race.isDone[1]);
    }
    sdScheduler_Destroy(scheduler);
}

#endif

// ---- nested ----------------------------------------------------------------------------------

typedef struct Outer {
    Workers* workers;
    const sdTaskSystem* tasks;
    int innerCount;
    int currentWorker[64]; ///< of the outer item
    atomic_int innerVisits[64];
    atomic_int strayCount; ///< inner calls of a busy pool under another index
} Outer;

typedef struct Inner {
    Outer* outer;
    int item;
    int worker;
} Inner;

static void runInner(void* arg, int begin, int end, int worker) {
    Inner* inner = arg;
    Outer* outer = inner->outer;
    bool isSame = worker == inner->worker;
    enterWorker(outer->workers, worker, isSame ? 1 : 0);
    atomic_fetch_add(&outer->innerVisits[inner->item], end - begin);
    atomic_fetch_add(&outer->strayCount, isSame ? 0 : 1);
    leaveWorker(outer->workers, worker);
}

static void runOuter(void* arg, int begin, int end, int worker) {
    Outer* outer = arg;
    enterWorker(outer->workers, worker, 0);
    for (int i = begin; i < end; ++i) {
        Inner inner = {outer, i, worker};
        outer->tasks->parallelFor(outer->tasks->user, runInner, &inner, outer->innerCount, 1);
    }
    leaveWorker(outer->workers, worker);
}

SD_TEST(scheduler_nested_loops_keep_their_worker) {
    sdScheduler* scheduler;
    REQUIRE(sdScheduler_Create(NULL, 4, &scheduler) == SD_OK);
    sdTaskSystem tasks = sdScheduler_GetTasks(scheduler);
    Workers workers = {.count = tasks.workerCount};
    for (int round = 0; round < 20; ++round) {
        Outer outer = {.workers = &workers, .tasks = &tasks, .innerCount = 100};
        tasks.parallelFor(tasks.user, runOuter, &outer, 64, 1);
        for (int i = 0; i < 64; ++i) {
            CHECK_INT(atomic_load(&outer.innerVisits[i]), 100);
        }
        CHECK_INT(atomic_load(&outer.strayCount), 0);
    }
    // an outer loop of one part leaves the pool to the inner one, which may use all workers
    Outer outer = {.workers = &workers, .tasks = &tasks, .innerCount = 5000};
    tasks.parallelFor(tasks.user, runOuter, &outer, 1, 1);
    CHECK_INT(atomic_load(&outer.innerVisits[0]), 5000);
    CHECK_INT(atomic_load(&workers.collisionCount), 0);
    sdScheduler_Destroy(scheduler);
}

// ---- shared ----------------------------------------------------------------------------------

#if defined(HAVE_THREADS)

typedef struct Guest {
    pthread_t thread;
    Loop loop;
    int roundCount;
    int incompleteCount;
} Guest;

static void* runGuest(void* arg) {
    Guest* guest = arg;
    for (int round = 0; round < guest->roundCount; ++round) {
        runLoop(&guest->loop, 50 + 37 * (round % 50), 1 + round % 9);
        guest->incompleteCount += isComplete(&guest->loop) ? 0 : 1;
    }
    return NULL;
}

SD_TEST(scheduler_several_threads_share_it) {
    static Guest guests[4];
    for (int workerCount = 1; workerCount <= 4; ++workerCount) {
        sdScheduler* scheduler;
        REQUIRE(sdScheduler_Create(NULL, workerCount, &scheduler) == SD_OK);
        sdTaskSystem tasks = sdScheduler_GetTasks(scheduler);
        Workers workers = {.count = tasks.workerCount};
        memset(guests, 0, sizeof guests);
        for (int i = 0; i < 4; ++i) {
            guests[i].loop.workers = &workers;
            guests[i].loop.tasks = &tasks;
            guests[i].loop.isSlow = true;
            guests[i].roundCount = 200;
            REQUIRE(pthread_create(&guests[i].thread, NULL, runGuest, &guests[i]) == 0);
        }
        for (int i = 0; i < 4; ++i) {
            pthread_join(guests[i].thread, NULL);
            CHECK_INT(guests[i].incompleteCount, 0);
            CHECK_INT(atomic_load(&guests[i].loop.shortPartCount), 0);
        }
        CHECK_INT(atomic_load(&workers.collisionCount), 0);
        sdScheduler_Destroy(scheduler);
    }
}

/// A loop that goes slowly until a guest has been served.
typedef struct Host {
    const sdTaskSystem* tasks;
    atomic_bool hasBegun;
    atomic_bool isServed;
} Host;

static void waitForGuest(void* arg, int begin, int end, int worker) {
    Host* host = arg;
    (void)begin;
    (void)end;
    (void)worker;
    atomic_store(&host->hasBegun, true);
    // long enough for the guest to get a processor on a busy machine
    for (int i = 0; i < 10 && !atomic_load(&host->isServed); ++i) {
        sleepOneMs();
    }
}

static void beServed(void* arg, int begin, int end, int worker) {
    Host* host = arg;
    (void)begin;
    (void)end;
    (void)worker;
    atomic_store(&host->isServed, true);
}

static void* runShortGuest(void* arg) {
    Host* host = arg;
    while (!atomic_load(&host->hasBegun)) {
        sched_yield();
    }
    host->tasks->parallelFor(host->tasks->user, beServed, host, 1, 1);
    return NULL;
}

SD_TEST(scheduler_long_loops_do_not_lock_others_out) {
    sdScheduler* scheduler;
    REQUIRE(sdScheduler_Create(NULL, 2, &scheduler) == SD_OK);
    sdTaskSystem tasks = sdScheduler_GetTasks(scheduler);
    int servedCount = 0;
    for (int round = 0; round < 10; ++round) {
        Host host = {.tasks = &tasks};
        pthread_t thread;
        REQUIRE(pthread_create(&thread, NULL, runShortGuest, &host) == 0);
        tasks.parallelFor(tasks.user, waitForGuest, &host, 32, 1);
        servedCount += atomic_load(&host.isServed) ? 1 : 0;
        pthread_join(thread, NULL);
        CHECK(atomic_load(&host.isServed));
    }
    // the guest comes after the first of 16 parts; half of the times allows for a busy machine
    CHECK(servedCount >= 5);
    sdScheduler_Destroy(scheduler);
}

#endif

// ---- life ------------------------------------------------------------------------------------

static sdResult createAndDestroy(const sdContext* context, void* arg) {
    (void)arg;
    sdScheduler* scheduler;
    sdResult result = sdScheduler_Create(context, 2, &scheduler);
    CHECK(result == SD_OK || scheduler == NULL);
    sdScheduler_Destroy(scheduler);
    return result;
}

SD_TEST(scheduler_refuses_bad_counts_and_survives_no_memory) {
    TestContext test;
    TestContext_Init(&test);
    sdScheduler* scheduler;
    CHECK_INT(sdScheduler_Create(&test.context, -1, &scheduler), SD_ERROR_INVALID_ARGUMENT);
    CHECK(scheduler == NULL);
    CHECK_TEXT(test.lastError, "workerCount is -1");
    CHECK_INT(sdScheduler_Create(&test.context, SD_MAX_WORKERS + 1, &scheduler),
              SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdScheduler_Create(&test.context, 1, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdScheduler_Create(&test.context, 0, &scheduler), SD_OK);
    CHECK(sdScheduler_GetTasks(scheduler).workerCount >= 1);
    sdScheduler_Destroy(scheduler);
    sdScheduler_Destroy(NULL);
    CHECK_INT(sdScheduler_GetTasks(NULL).workerCount, 1);
    TestContext_Finish(&test);
    CHECK_INT(TestContext_FailEach(createAndDestroy, NULL), 1);
}

SD_TEST(scheduler_as_many_workers_as_allowed) {
    static Loop loop;
    sdScheduler* scheduler;
    REQUIRE(sdScheduler_Create(NULL, SD_MAX_WORKERS, &scheduler) == SD_OK);
    sdTaskSystem tasks = sdScheduler_GetTasks(scheduler);
    sdContext context = sdContext_Default();
    context.tasks = tasks;
    Workers workers = {.count = tasks.workerCount};
    loop.workers = &workers;
    loop.tasks = &context.tasks;
    runLoop(&loop, MAX_ITEMS, 1);
    CHECK(isComplete(&loop));
    CHECK_INT(atomic_load(&workers.collisionCount), 0);
    sdScheduler_Destroy(scheduler);
}
