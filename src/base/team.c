// SPDX-License-Identifier: MIT
// team.c - many short loops in a row, run by threads that stay together.
//
// In:   loops, one after the other, from the leader.
// Out:  every item is run once; what was written in a loop is visible when it returns.
// Note: all that a helper must know to take a part is in one word: which loop it is, how many parts
//       it has, and the next one. A part that was taken keeps its loop open, so what describes the
//       loop stands still for as long as anyone looks at it.

#include "base/team.h"

#include "base/thread.h"

#include <stdatomic.h>

/// Bits of the word for the next part and for the number of parts; the rest counts loops.
#define PART_BITS 20
#define PART_MASK (((uint64_t)1 << PART_BITS) - 1)
/// Loop number after the last.
#define FINISHED (((uint64_t)1 << (64 - 2 * PART_BITS)) - 1)

/// Parts per worker: enough for the last ones to end together.
#define PARTS_PER_WORKER 4

struct sdTeam {
    sdLeadFcn* lead;
    void* user;
    int workerCount;
    int leader; ///< worker
    atomic_bool hasLeader;
    uint64_t loop; ///< number of the last one, the leader's own count

    // the loop: written by the leader when no part of the one before is left
    sdTaskFcn* task;
    void* arg;
    int count, partSize;

    _Alignas(64) atomic_uint_least64_t word;
    _Alignas(64) atomic_int doneCount; ///< parts
};

static uint64_t nextOf(uint64_t word) {
    return word & PART_MASK;
}

static uint64_t partsOf(uint64_t word) {
    return word >> PART_BITS & PART_MASK;
}

static uint64_t loopOf(uint64_t word) {
    return word >> (2 * PART_BITS);
}

static uint64_t makeWord(uint64_t loop, uint64_t parts) {
    return loop << (2 * PART_BITS) | parts << PART_BITS;
}

/// Wait a little; longer when it has been long already.
static void pauseBriefly(int spins) {
#if defined(SD_HAVE_THREADS)
    sdThread_Pause(spins);
#else
    (void)spins;
#endif
}

/// Take a part of the loop that is open, and run it.
/// @return false when there is none
static bool takePart(sdTeam* team, int worker) {
    uint64_t word = atomic_load_explicit(&team->word, memory_order_relaxed);
    if (nextOf(word) >= partsOf(word)) {
        return false;
    }
    word = atomic_fetch_add_explicit(&team->word, 1, memory_order_acquire);
    if (nextOf(word) >= partsOf(word)) {
        return false;
    }
    int begin = (int)nextOf(word) * team->partSize;
    int left = team->count - begin;
    team->task(team->arg, begin, begin + (left < team->partSize ? left : team->partSize), worker);
    atomic_fetch_add_explicit(&team->doneCount, 1, memory_order_release);
    return true;
}

static void help(sdTeam* team, int worker) {
    int spins = 0;
    while (loopOf(atomic_load_explicit(&team->word, memory_order_acquire)) != FINISHED) {
        if (takePart(team, worker)) {
            spins = 0;
        } else {
            pauseBriefly(spins++);
        }
    }
}

/// The first who comes leads.
static void join(void* arg, int begin, int end, int worker) {
    (void)begin;
    (void)end;
    sdTeam* team = arg;
    bool hasLeader = false;
    if (!atomic_compare_exchange_strong(&team->hasLeader, &hasLeader, true)) {
        help(team, worker);
    } else {
        team->leader = worker;
        team->lead(team, team->user);
        atomic_store_explicit(&team->word, makeWord(FINISHED, 0), memory_order_release);
    }
}

void sdTeam_Run(const sdTaskSystem* tasks, sdLeadFcn* lead, void* user) {
    sdTeam team = {.lead = lead, .user = user, .workerCount = tasks->workerCount};
    atomic_init(&team.hasLeader, false);
    atomic_init(&team.word, makeWord(0, 0));
    atomic_init(&team.doneCount, 0);
    tasks->parallelFor(tasks->user, join, &team, tasks->workerCount, 1);
}

void sdTeam_For(sdTeam* team, sdTaskFcn* task, void* arg, int count, int grain) {
    int even = count / (team->workerCount * PARTS_PER_WORKER);
    int partSize = grain > even ? grain : even;
    int partCount = count > 0 ? (count - 1) / partSize + 1 : 0;
    if (partCount <= 1 || team->workerCount == 1) {
        if (count > 0) {
            task(arg, 0, count, team->leader);
        }
        return;
    }
    team->task = task;
    team->arg = arg;
    team->count = count;
    team->partSize = partSize;
    atomic_store_explicit(&team->doneCount, 0, memory_order_relaxed);
    team->loop = (team->loop + 1) % FINISHED;
    atomic_store_explicit(&team->word, makeWord(team->loop, (uint64_t)partCount),
                          memory_order_release);
    while (takePart(team, team->leader)) {
    }
    for (int spins = 0; atomic_load_explicit(&team->doneCount, memory_order_acquire) < partCount;) {
        pauseBriefly(spins++);
    }
}
