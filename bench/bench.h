// SPDX-License-Identifier: MIT
// bench.h - timing for the benchmarks. Machines are noisy: take the best of several runs, compare
// within one run, print ratios.

#ifndef SD_BENCH_H
#define SD_BENCH_H

#include "sudar/vecmath.h"

/// Seconds since some fixed point.
double bench_Now(void);
/// Seconds that this thread has had a processor for: other people's work is not in it.
double bench_ThreadTime(void);

typedef void benchFcn(void* arg);

/// Shortest time of one call in seconds, over at least `repeats` calls.
double bench_Best(benchFcn* run, void* arg, int repeats);

/// Two things timed in turns, so that both meet the same noise; shortest time of each.
void bench_Pair(benchFcn* runA, benchFcn* runB, void* arg, int repeats, double* a, double* b);

/// One line: what was measured of ours, the figure, the goal and whether it is met; also recorded.
/// The goal is an upper limit.
void bench_Row(const char* what, double value, const char* unit, double goal);

// ---- rows for the report -------------------------------------------------------------------
// Programs print for people; with BENCH_CSV=FILE in the environment they also append rows to it:
// group,row,engine,value,unit,spread,goal,note

/// Of the rows to come; a few words.
__attribute__((format(printf, 1, 2))) void bench_SetGroup(const char* format, ...);

typedef struct benchRecord {
    const char* row;
    const char* engine;
    double value; ///< not a number: there is none, and the note says why
    const char* unit;
    double spread; ///< between repeats, a share of the value; 0: not known
    bool hasGoal;
    double goal; ///< an upper limit
    const char* note;
} benchRecord;

void bench_Record(benchRecord record);
/// A value of one engine, without spread, goal and note.
void bench_RecordValue(const char* row, const char* engine, double value, const char* unit);

/// The same numbers in every run, -1 .. 1.
float bench_RandomFloat(uint64_t* state);
/// In the unit ball, not at its centre.
sdVec3 bench_RandomInBall(uint64_t* state);

/// Keep the optimiser from removing what computed this.
void bench_Use(const void* p);

#endif
