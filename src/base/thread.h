// SPDX-License-Identifier: MIT
// thread.h - threads, locks and signals between them: those of the system, or, in WebAssembly,
// Workers that were started beforehand.
//
// A Worker can only be started by JavaScript, and only while no code of ours runs. So a program in
// WebAssembly has as many threads as it was given when it was loaded: each waits for something to
// do, and goes back to waiting when that is done.

#ifndef SD_BASE_THREAD_H
#define SD_BASE_THREAD_H

#include "base/memory.h"

// WebAssembly has threads only when it is asked for them
#if !defined(__wasm__) || defined(_REENTRANT)
#define SD_HAVE_THREADS 1

#include <stdatomic.h>

#if defined(__wasm__)

/// 0 free, 1 held, 2 held and waited for.
typedef struct sdMutex {
    atomic_int state;
} sdMutex;

/// Counts what was signalled, so that nobody sleeps over it.
typedef struct sdSignal {
    atomic_int count;
} sdSignal;

typedef struct sdThread {
    int number; ///< of the Worker
} sdThread;

#else

#include <pthread.h>

typedef struct sdMutex {
    pthread_mutex_t mutex;
} sdMutex;

typedef struct sdSignal {
    pthread_cond_t condition;
} sdSignal;

typedef struct sdThread {
    pthread_t handle;
} sdThread;

#endif

void sdMutex_Init(sdMutex* mutex);
void sdMutex_Destroy(sdMutex* mutex);
void sdMutex_Lock(sdMutex* mutex);
void sdMutex_Unlock(sdMutex* mutex);

void sdSignal_Init(sdSignal* signal);
void sdSignal_Destroy(sdSignal* signal);
/// Leave the mutex, sleep until somebody signals, take the mutex again. May also wake for nothing.
void sdSignal_Wait(sdSignal* signal, sdMutex* mutex);
/// The mutex is held.
void sdSignal_WakeOne(sdSignal* signal);
void sdSignal_WakeAll(sdSignal* signal);

/// @return false when there is no thread to be had
bool sdThread_Start(sdThread* thread, void* (*run)(void*), void* arg);
/// Wait until it has returned.
void sdThread_Join(sdThread* thread);

/// Threads that can run at the same time.
int sdThread_CountProcessors(void);

/// Give way to others for a moment while waiting for what they do.
/// @param spins how often that was done already; long waits give up the core
void sdThread_Pause(int spins);

#if defined(__wasm__)
/// For JavaScript: how many Workers there will be.
void sdThread_Expect(int count);
/// A Worker becomes a thread and never returns.
/// @param number 0, 1, ...
void sdThread_Serve(int number);
/// The code of a Worker trapped: nobody is to wait for it.
void sdThread_Fail(void);
#endif

#endif

#endif
