// SPDX-License-Identifier: MIT
// team.c - many short loops in a row, run by threads that stay together.
//
// In:   loops, one after the other, from the leader.
// Out:  every item is run once; what was written in a loop is visible when it returns.
// Note: each worker has a share of the loop, of neighbouring parts, and helps others when it is
//       through. So in a row of loops over the same items a processor mostly finds what it has
//       written itself. All that must be known to take a part is in one word: which loop it is,
//       where the share ends, and the next part. A part that was taken keeps its loop open, so what
//       describes the loop stands still for as long as anyone looks at it.

#include "base/team.h"

#include "base/thread.h"

#include <stdatomic.h>

/// Bits of the word for the next part and for the end of the share; the rest counts loops.
#define PART_BITS 20
#define PART_MASK (((uint64_t)1 << PART_BITS) - 1)
/// Bytes that processors fetch together: two cache lines.
#define SHARE_SIZE 128
/// Loop number after the last.
#define FINISHED (((uint64_t)1 << (64 - 2 * PART_BITS)) - 1)

/// Parts per worker: enough for the last ones to end together.
#define PARTS_PER_WORKER 4

/// The parts that a worker begins with, and all that it must know to run them, in one piece: each
/// cache line that another processor has written takes longer to come than a part may take.
typedef struct Share {
    _Alignas(SHARE_SIZE) atomic_uint_least64_t word;
    sdTaskFcn* task;
    void* arg;
    int count, partSize;
} Share;

struct sdTeam {
    sdLeadFcn* lead;
    void* user;
    int workerCount;
    int leader; ///< worker
    atomic_bool hasLeader;
    uint64_t loop;                             ///< number of the last one, the leader's own count
    _Alignas(SHARE_SIZE) atomic_int doneCount; ///< parts
    Share shares[SD_MAX_WORKERS];
};

static uint64_t nextOf(uint64_t word) {
    return word & PART_MASK;
}

static uint64_t endOf(uint64_t word) {
    return word >> PART_BITS & PART_MASK;
}

static uint64_t loopOf(uint64_t word) {
    return word >> (2 * PART_BITS);
}

static uint64_t makeWord(uint64_t loop, uint64_t end, uint64_t next) {
    return loop << (2 * PART_BITS) | end << PART_BITS | next;
}

/// Wait a little; longer when it has been long already.
static void pauseBriefly(int spins) {
#if defined(SD_HAVE_THREADS)
    sdThread_Pause(spins);
#else
    (void)spins;
#endif
}

/// Take a part of a share, and run it.
/// @return false when there is none
static bool takePart(Share* share, int worker) {
    uint64_t word = atomic_load_explicit(&share->word, memory_order_relaxed);
    if (nextOf(word) >= endOf(word)) {
        return false;
    }
    word = atomic_fetch_add_explicit(&share->word, 1, memory_order_acquire);
    if (nextOf(word) >= endOf(word)) {
        return false;
    }
    int begin = (int)nextOf(word) * share->partSize;
    int left = share->count - begin;
    share->task(share->arg, begin, begin + (left < share->partSize ? left : share->partSize),
                worker);
    return true;
}

/// All of one's own share, then what others have left of theirs.
/// @return whether there was anything
static bool takeParts(sdTeam* team, int worker) {
    int count = 0;
    for (int i = 0; i < team->workerCount; ++i) {
        int at = worker + i < team->workerCount ? worker + i : worker + i - team->workerCount;
        while (takePart(&team->shares[at], worker)) {
            count += 1;
        }
    }
    if (count > 0) {
        atomic_fetch_add_explicit(&team->doneCount, count, memory_order_release);
    }
    return count > 0;
}

static void help(sdTeam* team, int worker) {
    int spins = 0;
    while (loopOf(atomic_load_explicit(&team->shares[worker].word, memory_order_acquire)) !=
           FINISHED) {
        if (takeParts(team, worker)) {
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
        for (int i = 0; i < team->workerCount; ++i) {
            atomic_store_explicit(&team->shares[i].word, makeWord(FINISHED, 0, 0),
                                  memory_order_release);
        }
    }
}

void sdTeam_Run(const sdTaskSystem* tasks, sdLeadFcn* lead, void* user) {
    sdTeam team = {.lead = lead, .user = user, .workerCount = tasks->workerCount};
    atomic_init(&team.hasLeader, false);
    for (int i = 0; i < team.workerCount; ++i) {
        atomic_init(&team.shares[i].word, makeWord(0, 0, 0));
    }
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
    atomic_store_explicit(&team->doneCount, 0, memory_order_relaxed);
    team->loop = (team->loop + 1) % FINISHED;
    for (int i = 0; i < team->workerCount; ++i) {
        uint64_t begin = (uint64_t)i * (uint64_t)partCount / (uint64_t)team->workerCount;
        uint64_t end = (uint64_t)(i + 1) * (uint64_t)partCount / (uint64_t)team->workerCount;
        Share* share = &team->shares[i];
        share->task = task;
        share->arg = arg;
        share->count = count;
        share->partSize = partSize;
        atomic_store_explicit(&share->word, makeWord(team->loop, end, begin), memory_order_release);
    }
    takeParts(team, team->leader);
    for (int spins = 0; atomic_load_explicit(&team->doneCount, memory_order_acquire) < partCount;) {
        pauseBriefly(spins++);
    }
}
