// SPDX-License-Identifier: MIT
// broadphase.c - our broad phases beside Bullet's: one core, one run, same boxes.
//
// bench_broadphase [--quick | --long]
// A figure is the mean time of a step: telling all boxes, finding pairs, taking what is new and
// what is lost. All get each step's boxes in turns. Ours and btDbvtBroadphase keep fat boxes of the
// same margin and pairs of those; btAxisSweep3 ("btSweep") has pairs of the boxes themselves, fewer
// ones. Ratios are Bullet's time over that of the tree, our default.
// --long: bt32BitAxisSweep3 takes part with 100 000 bodies, too; only to fill it takes minutes.

#include "broadphase.h"
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TREE, OCTREE, SAP, BRUTE, DBVT, SWEEP, METHOD_COUNT, OWN_COUNT = 4 };

static const rivalPhase* const methods[METHOD_COUNT] = {
    &rivalTree, &rivalOctree, &rivalSap, &rivalBrute, &rivalBulletDbvt, &rivalBulletSweep};

static const char* const layoutNames[LAYOUT_COUNT] = {
    "uniform",        "clustered",      "one huge, tiny ones",
    "side 1.0 in 20", "side 0.1 in 20", "side 0..1 in 20"};
static const char* const motionNames[MOTION_COUNT] = {"at rest", "slow", "teleports"};

#define WANTED_RATIO 3.0
#define NOISE 1.1         // figures closer than this are equal
#define NOISE_MS 0.002    // ... or than this
#define GOAL_COUNT 100000 // slow bodies ...
#define GOAL_MS 8.0       // ... and the time that they may take
#define MOST_BRUTE 10000  // bodies
#define MOST_SWEEP 16384
#define SIZE_COUNT 3
#define TURN_COUNT 7       // a prime, not less than METHOD_COUNT: any stride reaches all
#define METHOD_SECONDS 0.5 // who has used up so much in steps of a row takes no further part

typedef struct Row {
    benchLayout layout;
    benchMotion motion;
    int count;
    double ms[METHOD_COUNT];          ///< of a step; 0: took no part
    double worstMs;                   ///< slowest step of the tree
    rivalCounts counts[METHOD_COUNT]; ///< after its last step
    int steps[METHOD_COUNT];
} Row;

typedef struct Bench {
    bool isQuick, isLong;
    double clockSeconds; ///< that reading the clock takes, which counts beside small scenes
    int rowCount, ownMissed, rivalMissed, missingPairs;
} Bench;

static bool takesPart(const Bench* bench, int method, int count) {
    return (method != BRUTE || count <= MOST_BRUTE) &&
           (method != SWEEP || count <= MOST_SWEEP || bench->isLong);
}

/// Steps that are not measured, until slow bodies leave their fat boxes at any time, and that are.
static void countSteps(const Bench* bench, const Row* row, int* warm, int* timed) {
    bool isSlow = row->motion == MOTION_SLOW;
    // steps of a microsecond need many for a steady mean
    *timed = row->count >= 100000 ? 6 : row->count >= 10000 ? 12 : row->count >= 1000 ? 60 : 600;
    *warm = isSlow ? (row->count >= 100000 ? 9 : 15) : 1;
    if (bench->isQuick) {
        *timed = (*timed + 2) / 3;
        *warm = isSlow ? 9 : 1;
    }
}

static double timeClock(void) {
    double best = 1.0;
    for (int i = 0; i < 10000; ++i) {
        double start = bench_ThreadTime();
        best = fmin(best, bench_ThreadTime() - start);
    }
    return best;
}

static bool measure(const Bench* bench, Row* row) {
    benchBodies bodies;
    if (!benchBodies_Create(row->layout, row->motion, row->count, &bodies)) {
        return false;
    }
    void* selves[METHOD_COUNT] = {NULL};
    bool isReady = true;
    for (int i = 0; i < METHOD_COUNT; ++i) {
        if (takesPart(bench, i, row->count)) {
            selves[i] = methods[i]->create(&bodies.boxes);
            isReady = isReady && selves[i] != NULL;
        }
    }
    int warm, timed;
    countSteps(bench, row, &warm, &timed);
    double spent[METHOD_COUNT] = {0.0};
    int counted[METHOD_COUNT] = {0};
    for (int step = 0; step < warm + timed && isReady; ++step) {
        benchBodies_Step(&bodies);
        // who is first, or comes after one that fills the caches, pays for it: so all follow each
        // other equally often
        int stride = 1 + step % (TURN_COUNT - 1);
        for (int k = 0; k < TURN_COUNT; ++k) {
            int i = (step + k * stride) % TURN_COUNT;
            if (i >= METHOD_COUNT || selves[i] == NULL ||
                (spent[i] > METHOD_SECONDS && i != TREE)) {
                continue;
            }
            double start = bench_ThreadTime();
            methods[i]->step(selves[i], &bodies.boxes, &row->counts[i]);
            row->steps[i] = step;
            double seconds = bench_ThreadTime() - start - bench->clockSeconds;
            // of the slowest one step is enough, be it the first where all are alike
            bool isEnough = row->motion == MOTION_TELEPORT && seconds > METHOD_SECONDS;
            if (step >= warm || isEnough) {
                spent[i] += seconds;
                row->ms[i] += 1e3 * seconds;
                counted[i] += 1;
                row->worstMs = i == TREE ? fmax(row->worstMs, 1e3 * seconds) : row->worstMs;
            }
        }
    }
    for (int i = 0; i < METHOD_COUNT; ++i) {
        row->ms[i] /= counted[i] > 0 ? counted[i] : 1;
        if (selves[i] != NULL) {
            methods[i]->destroy(selves[i]);
        }
    }
    benchBodies_Destroy(&bodies);
    return isReady;
}

static void printHead(void) {
    printf("\n%-31s", "ms a step");
    for (int i = 0; i < METHOD_COUNT; ++i) {
        printf(i < DBVT ? " %9s" : " %9s  ratio", methods[i]->name);
    }
    printf("  %8s %8s %8s  worst  best of ours, %gx Bullet\n", "pairs", "btDbvt", "btSweep",
           WANTED_RATIO);
}

/// Our default and Bullet's; our other kinds are for comparison of kinds.
static void recordRow(const Row* row) {
    char text[96];
    bench_SetGroup("broad phase, %s", layoutNames[row->layout]);
    snprintf(text, sizeof text, "%d boxes, %s", row->count, motionNames[row->motion]);
    bench_RecordValue(text, "Sudar", row->ms[TREE], "ms");
    for (int i = DBVT; i < METHOD_COUNT; ++i) {
        bool isIn = row->ms[i] > 0.0;
        bench_Record((benchRecord){.row = text,
                                   .engine = methods[i]->name,
                                   .value = isIn ? row->ms[i] : NAN,
                                   .unit = "ms",
                                   .note = isIn ? "" : "left out: takes minutes to fill"});
    }
}

static void printRow(Bench* bench, const Row* row) {
    printf("%-20s %-9s%7d", layoutNames[row->layout], motionNames[row->motion], row->count);
    bool isBest = true, isFast = true;
    for (int i = 0; i < METHOD_COUNT; ++i) {
        if (row->ms[i] <= 0.0) {
            printf(i < DBVT ? " %9s" : " %9s       ", "-");
            continue;
        }
        double ratio = row->ms[i] / row->ms[TREE];
        if (i < DBVT) {
            printf(" %9.4f", row->ms[i]);
            isBest = isBest && row->ms[TREE] <= NOISE * row->ms[i] + NOISE_MS;
        } else {
            printf(" %9.4f %5.1fx", row->ms[i], ratio);
            isFast = isFast && ratio >= WANTED_RATIO;
        }
    }
    // all kinds of ours have the same pairs
    bool isSame = true;
    for (int i = 1; i < OWN_COUNT; ++i) {
        isSame = isSame && (row->steps[i] != row->steps[TREE] ||
                            row->counts[i].pairs == row->counts[TREE].pairs);
    }
    printf("  %8lld %8lld %8lld %6.2f  %s, %s%s\n", row->counts[TREE].pairs,
           row->counts[DBVT].pairs, row->counts[SWEEP].pairs, row->worstMs, isBest ? "yes" : "NO",
           isFast ? "yes" : "NO", isSame ? "" : "  PAIRS DIFFER");
    fflush(stdout);
    recordRow(row);
    ++bench->rowCount;
    bench->ownMissed += isBest ? 0 : 1;
    bench->rivalMissed += isFast ? 0 : 1;
    bench->missingPairs += isSame ? 0 : 1;
}

/// Exponent of time against number, by least squares of logarithms.
static double fitExponent(const Row rows[SIZE_COUNT], int method) {
    double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    for (int i = 0; i < SIZE_COUNT; ++i) {
        if (rows[i].ms[method] > 0.0) {
            double x = log((double)rows[i].count), y = log(rows[i].ms[method]);
            n += 1.0;
            sx += x;
            sy += y;
            sxx += x * x;
            sxy += x * y;
        }
    }
    double spread = n * sxx - sx * sx;
    return n >= 2.0 && spread > 0.0 ? (n * sxy - sx * sy) / spread : 0.0;
}

static void printExponents(const Row rows[SIZE_COUNT]) {
    printf("%-20s %-9s%7s", layoutNames[rows->layout], motionNames[rows->motion], "n^");
    char text[96];
    snprintf(text, sizeof text, "exponent of growth, %s", motionNames[rows->motion]);
    bench_SetGroup("broad phase, %s", layoutNames[rows->layout]);
    for (int i = 0; i < METHOD_COUNT; ++i) {
        double exponent = fitExponent(rows, i);
        printf(i < DBVT ? " %9.2f" : " %9.2f       ", exponent);
        if ((i == TREE || i >= DBVT) && exponent != 0.0) {
            bench_RecordValue(text, i == TREE ? "Sudar" : methods[i]->name, exponent, "");
        }
    }
    printf("\n");
}

static bool benchLayoutOf(Bench* bench, benchLayout layout) {
    static const int sizes[SIZE_COUNT] = {1000, 10000, 100000};
    static Row all[MOTION_COUNT][SIZE_COUNT];
    memset(all, 0, sizeof all);
    printHead();
    for (int motion = 0; motion < MOTION_COUNT; ++motion) {
        for (int size = 0; size < SIZE_COUNT - (bench->isQuick ? 1 : 0); ++size) {
            Row* row = &all[motion][size];
            row->layout = layout;
            row->motion = (benchMotion)motion;
            row->count = sizes[size];
            if (!measure(bench, row)) {
                return false;
            }
            printRow(bench, row);
        }
    }
    for (int motion = 0; motion < MOTION_COUNT; ++motion) {
        printExponents(all[motion]);
    }
    const Row* goal = &all[MOTION_SLOW][SIZE_COUNT - 1];
    if (goal->count == GOAL_COUNT) {
        char text[64];
        snprintf(text, sizeof text, "100 000 slow bodies, %s", layoutNames[layout]);
        bench_Row(text, goal->ms[TREE], "ms", GOAL_MS);
    }
    return true;
}

static bool benchDocument(Bench* bench) {
    static const int sizes[3] = {100, 300, 500};
    printHead();
    for (int layout = LAYOUT_S1_LARGE; layout <= LAYOUT_S1_RANDOM; ++layout) {
        for (int i = 0; i < 3; ++i) {
            Row row = {.layout = (benchLayout)layout, .motion = MOTION_SLOW, .count = sizes[i]};
            if (!measure(bench, &row)) {
                return false;
            }
            printRow(bench, &row);
        }
    }
    return true;
}

int main(int argc, char** argv) {
    Bench bench = {.isQuick = argc == 2 && strcmp(argv[1], "--quick") == 0,
                   .isLong = argc == 2 && strcmp(argv[1], "--long") == 0,
                   .clockSeconds = timeClock()};
    if (argc > 1 && !bench.isQuick && !bench.isLong) {
        fprintf(stderr, "usage: bench_broadphase [--quick | --long]\n");
        return 2;
    }
    double start = bench_Now();
    printf("Broad phases, one core; Bullet's get the same boxes in the same steps. The clock's own "
           "%.0f ns are taken off.\n",
           1e9 * bench.clockSeconds);
    bool isReady = benchDocument(&bench) && benchLayoutOf(&bench, LAYOUT_UNIFORM) &&
                   benchLayoutOf(&bench, LAYOUT_CLUSTERED) && benchLayoutOf(&bench, LAYOUT_HUGE);
    if (!isReady) {
        fprintf(stderr, "bench_broadphase: out of memory\n");
        return 1;
    }
    bench_BroadphaseSettings(bench.isQuick);
    printf("\n%d rows: in %d the default is slower than another of ours, in %d less than %g times "
           "faster than one of Bullet's, in %d ours differ; %.0f s\n",
           bench.rowCount, bench.ownMissed, bench.rivalMissed, WANTED_RATIO, bench.missingPairs,
           bench_Now() - start);
    return bench.missingPairs > 0 ? 1 : 0;
}
