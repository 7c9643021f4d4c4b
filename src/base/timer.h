// SPDX-License-Identifier: MIT
// timer.h - a clock that never goes back, to measure with. Nothing that is simulated depends on it.

#ifndef SD_BASE_TIMER_H
#define SD_BASE_TIMER_H

#include <stdint.h>

/// Nanoseconds since some moment in the past; 0 where there is no clock.
uint64_t sdTimer_Now(void);

/// Milliseconds since `start`, and `start` becomes now: one timer measures stage after stage.
float sdTimer_LapMs(uint64_t* start);

/// Milliseconds since `start`.
float sdTimer_ElapsedMs(uint64_t start);

#endif
