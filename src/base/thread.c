// SPDX-License-Identifier: MIT
// thread.c - threads, locks and signals of the system (POSIX).

#include "base/thread.h"

#if defined(SD_HAVE_THREADS) && !defined(__wasm__)

#include <sched.h>
#include <unistd.h>

/// Looks before a thread offers its core to others.
#define SPIN_COUNT 2000

void sdMutex_Init(sdMutex* mutex) {
    pthread_mutex_init(&mutex->mutex, NULL);
}

void sdMutex_Destroy(sdMutex* mutex) {
    pthread_mutex_destroy(&mutex->mutex);
}

void sdMutex_Lock(sdMutex* mutex) {
    pthread_mutex_lock(&mutex->mutex);
}

void sdMutex_Unlock(sdMutex* mutex) {
    pthread_mutex_unlock(&mutex->mutex);
}

void sdSignal_Init(sdSignal* signal) {
    pthread_cond_init(&signal->condition, NULL);
}

void sdSignal_Destroy(sdSignal* signal) {
    pthread_cond_destroy(&signal->condition);
}

void sdSignal_Wait(sdSignal* signal, sdMutex* mutex) {
    pthread_cond_wait(&signal->condition, &mutex->mutex);
}

void sdSignal_WakeOne(sdSignal* signal) {
    pthread_cond_signal(&signal->condition);
}

void sdSignal_WakeAll(sdSignal* signal) {
    pthread_cond_broadcast(&signal->condition);
}

bool sdThread_Start(sdThread* thread, void* (*run)(void*), void* arg) {
    return pthread_create(&thread->handle, NULL, run, arg) == 0;
}

void sdThread_Join(sdThread* thread) {
    pthread_join(thread->handle, NULL);
}

int sdThread_CountProcessors(void) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (count > SD_MAX_WORKERS ? SD_MAX_WORKERS : (int)count);
}

void sdThread_Pause(int spins) {
    if (spins >= SPIN_COUNT) {
        sched_yield();
        return;
    }
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
