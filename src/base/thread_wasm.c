// SPDX-License-Identifier: MIT
// thread_wasm.c - threads, locks and signals in WebAssembly, over its wait and notify.
//
// In:   Workers that call sdThread_Serve, each with a stack and thread-local data of its own.
// Out:  sdThread_Start hands one of them something to do.
// Note: a Worker whose code traps cannot tell us; JavaScript does so by sdThread_Fail, and whoever
//       waits for anything then traps as well, so that the call into the engine ends with an error
//       instead of never. That is why nobody waits for longer than a moment without looking.
// Note: locks are taken by comparing exchanges only: plain exchanges of V8's first compiler were
//       seen to let two threads in (Node 20).

#include "base/thread.h"

#if defined(SD_HAVE_THREADS) && defined(__wasm__)

/// ns between looks whether somebody has failed.
#define LOOK_NS ((int64_t)50000000)
/// Looks before a thread sleeps rather than spins; there is no way to give up the core for a
/// moment.
#define SPIN_COUNT 2000
/// ns of such a sleep.
#define NAP_NS ((int64_t)20000)

/// A Worker: waiting, or with something to do.
typedef struct Seat {
    _Alignas(64) atomic_int isBusy;
    void* (*run)(void*);
    void* arg;
} Seat;

static Seat seats[SD_MAX_WORKERS];
static atomic_int seatCount;
static atomic_int hasFailed;

/// A function of its own: values that the caller keeps over the instruction were seen to be lost
/// (Node 20).
static __attribute__((noinline)) void sleepOn(atomic_int* place, int value, int64_t ns) {
    __builtin_wasm_memory_atomic_wait32((int*)place, value, ns);
}

static void wait(atomic_int* place, int value, int64_t ns) {
    sleepOn(place, value, ns);
    if (atomic_load(&hasFailed) != 0) {
        __builtin_trap();
    }
}

static void notify(atomic_int* place, unsigned count) {
    __builtin_wasm_memory_atomic_notify((int*)place, count);
}

// ---- locks ---------------------------------------------------------------------------------

void sdMutex_Init(sdMutex* mutex) {
    atomic_init(&mutex->state, 0);
}

void sdMutex_Destroy(sdMutex* mutex) {
    (void)mutex;
}

static bool change(atomic_int* place, int from, int to) {
    return atomic_compare_exchange_strong(place, &from, to);
}

void sdMutex_Lock(sdMutex* mutex) {
    if (change(&mutex->state, 0, 1)) {
        return;
    }
    // from here on somebody may sleep, so whoever holds it must wake
    while (!change(&mutex->state, 0, 2)) {
        if (change(&mutex->state, 1, 2) || atomic_load(&mutex->state) == 2) {
            wait(&mutex->state, 2, LOOK_NS);
        }
    }
}

void sdMutex_Unlock(sdMutex* mutex) {
    if (change(&mutex->state, 1, 0)) {
        return;
    }
    atomic_store(&mutex->state, 0);
    notify(&mutex->state, 1);
}

// ---- signals -------------------------------------------------------------------------------

void sdSignal_Init(sdSignal* signal) {
    atomic_init(&signal->count, 0);
}

void sdSignal_Destroy(sdSignal* signal) {
    (void)signal;
}

void sdSignal_Wait(sdSignal* signal, sdMutex* mutex) {
    int count = atomic_load(&signal->count);
    sdMutex_Unlock(mutex);
    wait(&signal->count, count, LOOK_NS);
    sdMutex_Lock(mutex);
}

void sdSignal_WakeOne(sdSignal* signal) {
    atomic_fetch_add(&signal->count, 1);
    notify(&signal->count, 1);
}

void sdSignal_WakeAll(sdSignal* signal) {
    atomic_fetch_add(&signal->count, 1);
    notify(&signal->count, UINT32_MAX);
}

// ---- threads -------------------------------------------------------------------------------

bool sdThread_Start(sdThread* thread, void* (*run)(void*), void* arg) {
    for (int i = 0; i < atomic_load(&seatCount); ++i) {
        // only this thread starts others, so a free seat stays free
        if (atomic_load(&seats[i].isBusy) == 0) {
            thread->number = i;
            seats[i].run = run;
            seats[i].arg = arg;
            atomic_store(&seats[i].isBusy, 1);
            notify(&seats[i].isBusy, 1);
            return true;
        }
    }
    return false;
}

void sdThread_Join(sdThread* thread) {
    Seat* seat = &seats[thread->number];
    while (atomic_load(&seat->isBusy) != 0) {
        wait(&seat->isBusy, 1, LOOK_NS);
    }
}

int sdThread_CountProcessors(void) {
    return 1 + atomic_load(&seatCount);
}

void sdThread_Pause(int spins) {
    static atomic_int nobody;
    if (spins >= SPIN_COUNT) {
        wait(&nobody, 0, NAP_NS);
    }
}

// ---- for JavaScript ------------------------------------------------------------------------

void sdThread_Expect(int count) {
    atomic_store(&seatCount, count < SD_MAX_WORKERS ? count : SD_MAX_WORKERS);
}

void sdThread_Serve(int number) {
    Seat* seat = &seats[number];
    for (;;) {
        while (atomic_load(&seat->isBusy) == 0) {
            // endless waits are for those who have nothing to do; nobody waits for them
            sleepOn(&seat->isBusy, 0, -1);
        }
        seat->run(seat->arg);
        atomic_store(&seat->isBusy, 0);
        notify(&seat->isBusy, 1);
    }
}

void sdThread_Fail(void) {
    atomic_store(&hasFailed, 1);
}

#endif
