// SPDX-License-Identifier: MIT
// timer.c - see timer.h.

#define _POSIX_C_SOURCE 199309L

#include "base/timer.h"

#include <time.h>

uint64_t sdTimer_Now(void) {
    struct timespec t;
    if (clock_gettime(CLOCK_MONOTONIC, &t) != 0) {
        return 0;
    }
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

float sdTimer_LapMs(uint64_t* start) {
    uint64_t now = sdTimer_Now();
    float ms = (float)(1e-6 * (double)(now - *start));
    *start = now;
    return ms;
}

float sdTimer_ElapsedMs(uint64_t start) {
    return sdTimer_LapMs(&start);
}
