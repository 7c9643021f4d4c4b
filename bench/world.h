// SPDX-License-Identifier: MIT
// world.h - parts of bench_world.

#ifndef SD_BENCH_WORLD_H
#define SD_BENCH_WORLD_H

#include "rivals_world.h"

#define BENCH_MAX_STEPS 1000

typedef enum benchOutcome {
    BENCH_FINISHED,
    BENCH_TOO_SLOW, ///< the time was up after some steps
    BENCH_FAILED    ///< it cannot, ended by itself, or had to be ended
} benchOutcome;

/// What came of a scene in an engine. Lies in memory that is shared with the process that ran it.
typedef struct benchRun {
    benchOutcome outcome;
    char why[RIVAL_WHY_SIZE];
    bool isRefused;                ///< it lacks something
    int stepCount;                 ///< done
    int firstMeasured;             ///< of these; 0 when the time was up before that step
    float wallMs[BENCH_MAX_STEPS]; ///< of each step
    float cpuMs[BENCH_MAX_STEPS];  ///< of the thread that calls
    sdWorldStats stats;            ///< of ours: times are means over the measured steps
    bool hasPoses;
    sdWorldTransform poses[]; ///< at the end
} benchRun;

/// In a process of its own, so that engines may crash, hang or take all memory. To be freed by
/// bench_FreeRun.
/// @return NULL when the system has neither memory nor processes left
benchRun* bench_RunWorld(const rivalEngine* engine, const rivalWorldScene* scene, int stepCount,
                         int firstMeasured, double limitSeconds);
void bench_FreeRun(benchRun* run, const rivalWorldScene* scene);

/// Call `run` in a process of its own with a limit of memory, which is ended when it is not back
/// by then. Results reach the caller in memory of bench_ShareMemory.
/// @return false when the system has no processes left
bool bench_RunApart(void (*run)(void* arg), void* arg, double limitSeconds);
/// Zeros that processes share; NULL when there is no memory.
void* bench_ShareMemory(size_t size);
void bench_UnshareMemory(void* memory, size_t size);

static inline int bench_CountMeasured(const benchRun* run) {
    return run->stepCount - run->firstMeasured;
}
/// Of a step: mean processor time for one thread, mean time by the clock for several.
double bench_StepMs(const benchRun* run, int threadCount);
/// The same as a part of another's with one thread, over the steps that were measured of both:
/// steps take longer once bodies have landed, and one whose time was up has made the first ones
/// only.
/// @return 0 when one has none
double bench_StepRatio(const benchRun* run, int threadCount, const benchRun* other);

/// Of every step the shorter time of two runs of the same. Engines do the same again in the same
/// step, so what a step took longer is the machine's: others on its caches, a slower clock.
void bench_KeepLeast(benchRun* run, const benchRun* again);

/// Between fifths of the measured steps: standard deviation over the mean.
double bench_StepSpread(const benchRun* run);
/// A row without a value: "not supported: ..." or "failed: ...".
void bench_RecordFailure(const char* row, const char* engine, const char* unit,
                         const benchRun* run);

// ---- scenes --------------------------------------------------------------------------------

/// One of the table in scenes/.
/// @return false when there is no memory
bool bench_OpenScene(const char* name, int size, rivalWorldScene* scene);
/// One whose settings, `build`, `source` and dt are given: adds its world and bodies.
bool bench_BuildScene(rivalWorldScene* scene);
void bench_CloseScene(rivalWorldScene* scene);

// ---- quality -------------------------------------------------------------------------------

typedef struct benchQuality {
    bool isFinite;
    int overlapCount; ///< pairs of shapes
    double worstMm, meanMm;
    double shiftMm; ///< sideways, of the body that moved most
    int jointCount;
    double gapMm; ///< between the anchors of the worst joint
} benchQuality;

/// Of final poses, the same way for every engine: sdPenetration of every pair.
bool bench_MeasureQuality(const rivalWorldScene* scene, const sdWorldTransform* poses,
                          benchQuality* out);

// ---- rays ----------------------------------------------------------------------------------

void bench_Rays(bool isQuick);

// ---- bullets -------------------------------------------------------------------------------

void bench_Bullets(bool isQuick);

// ---- what only ours is asked ---------------------------------------------------------------

void bench_Sleepers(bool isQuick);
void bench_Memory(void);
void bench_Growth(bool isQuick);
void bench_Snapshots(bool isQuick);

#endif
