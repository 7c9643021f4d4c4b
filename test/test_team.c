// SPDX-License-Identifier: MIT
// test_team.c - short loops in a row: every item once, each loop after the one before.

#include "base/team.h"
#include "support.h"

#define ITEMS 500
#define LOOPS 300

/// Each loop adds its number to what the one before left, at another place of the same array: a
/// loop that began too early, or a part that ran twice, spoils the sums.
typedef struct Work {
    int64_t sums[ITEMS];
    int loop;
    int workerCount;
    int badWorkerCount;
} Work;

static void addLoop(void* arg, int begin, int end, int worker) {
    Work* work = arg;
    if (worker < 0 || worker >= work->workerCount) {
        work->badWorkerCount += 1;
    }
    for (int i = begin; i < end; ++i) {
        // items of one loop are neighbours of those of the next, so that threads swap them
        work->sums[(i + work->loop) % ITEMS] += work->loop + 1;
    }
}

static void lead(sdTeam* team, void* user) {
    Work* work = user;
    for (work->loop = 0; work->loop < LOOPS; ++work->loop) {
        // from none to all, in small and large parts
        int count = work->loop % 7 == 0 ? work->loop % 3 : ITEMS;
        sdTeam_For(team, addLoop, work, count, 1 + work->loop % 40);
    }
}

static void checkTeam(const sdTaskSystem* tasks) {
    static Work work, expected;
    work = (Work){.workerCount = tasks->workerCount};
    expected = work;
    sdTeam_Run(tasks, lead, &work);
    for (expected.loop = 0; expected.loop < LOOPS; ++expected.loop) {
        int count = expected.loop % 7 == 0 ? expected.loop % 3 : ITEMS;
        addLoop(&expected, 0, count, 0);
    }
    CHECK(work.badWorkerCount == 0);
    for (int i = 0; i < ITEMS; ++i) {
        CHECK(work.sums[i] == expected.sums[i]);
    }
}

SD_TEST(team_parallel_loops_come_one_after_the_other) {
    for (int workers = 1; workers <= 4; ++workers) {
        sdScheduler* scheduler;
        CHECK(sdScheduler_Create(NULL, workers, &scheduler) == SD_OK);
        sdTaskSystem tasks = sdScheduler_GetTasks(scheduler);
        for (int i = 0; i < 5; ++i) {
            checkTeam(&tasks);
        }
        sdScheduler_Destroy(scheduler);
    }
}

/// A task system that has one thread, and takes the last part first.
static void runBackwards(void* user, sdTaskFcn* task, void* arg, int count, int grain) {
    (void)user;
    (void)grain;
    for (int i = count - 1; i >= 0; --i) {
        task(arg, i, i + 1, i);
    }
}

SD_TEST(team_needs_nobody_but_its_leader) {
    sdTaskSystem tasks = {runBackwards, NULL, 4};
    checkTeam(&tasks);
    tasks = sdContext_Default().tasks;
    checkTeam(&tasks);
}
