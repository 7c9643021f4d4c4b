// SPDX-License-Identifier: MIT
// queries.c - Sudar's pair queries beside libccd, FCL and Bullet: one core, one run, same poses.
//
// bench_queries [--quick] [TEXT]    TEXT: only rows that have it, as in "boxes, touching"
// A row is one question about 10 000 pairs, in blocks. Everybody answers each block in turns,
// several times; the shortest time of each counts. "kept": each pair's cache is kept from frame to
// frame, by those who have one; the others stand there with their time without. From frame to frame
// bodies move by 5 mm and 5 mrad, in rows of manifolds, which are for contacts that last, by 0.1 mm
// and 0.1 mrad. Depth is not asked of separated bodies: that is the distance (Sudar) or plain
// overlap (the others). Contact points of boxes are asked of those that overlap, as nobody else has
// them of boxes that are apart; Sudar's of boxes up to 2 cm apart have a row of their own. Before
// each block everybody answers some others untimed (warmUp says why).

#include "queries.h"
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define METHOD_COUNT 6
#define BLOCK_PAIRS 1000 // fewer would be timed with what the others left in the processor's caches
#define BLOCK_COUNT 10
#define WARM_SECONDS 4e-4 // before each block; see warmUp
#define WARM_PAIRS 50
#define OWN_CHECKS 25     // pairs of a row that are searched
#define PAGE 4096u        // bytes
#define STACK_PLACE 3072u // in a page; see runOnStack

static const rivalMethod* const methods[METHOD_COUNT] = {&rivalSudar, &rivalCcdGjk,   &rivalCcdMpr,
                                                         &rivalFcl,   &rivalFclIndep, &rivalBullet};

static const char* const kindNames[KIND_COUNT] = {"boxes", "hulls 32", "hulls 256"};
static const char* const caseNames[CASE_COUNT] = {"separated", "touching", "overlapping"};
static const char* const queryNames[RIVAL_QUERY_COUNT] = {"overlap", "distance", "depth",
                                                          "manifold", "manifold within 2 cm"};

typedef struct Row {
    const benchScene* scene;
    rivalQuery query;
    bool isCached;
    int frame;               ///< whose answers are checked
    double ns[METHOD_COUNT]; ///< 0: not asked
} Row;

typedef struct Bench {
    const char* filter; ///< "": everything
    int headCount;      ///< kinds whose head is printed
    int pairCount, blockCount;
    int minRounds, maxRounds;
    double rowSeconds;    ///< rounds are added until then
    double methodSeconds; ///< who has used up so much takes no part in further rounds
    void* selves[METHOD_COUNT];
    rivalAnswer* answers[METHOD_COUNT];
    double best[METHOD_COUNT][BLOCK_COUNT]; ///< s, of the row at hand
    double spent[METHOD_COUNT];
    int rowCount, ratioMissed, goalCount, goalMissed, ownWrong;
} Bench;

/// Goals in ns, by kind; 0: none.
static double goalOf(const Row* row) {
    static const double overlap[KIND_COUNT] = {100, 120, 300};
    static const double distance[KIND_COUNT] = {180, 350, 700};
    static const double depth[KIND_COUNT] = {300, 750, 3500};
    static const double apart[KIND_COUNT] = {45, 50, 60};
    static const double touching[KIND_COUNT] = {250, 250, 300};
    benchKind kind = row->scene->kind;
    benchCase which = row->scene->which;
    if (row->query >= RIVAL_MANIFOLD) {
        double goal = which == CASE_SEPARATED ? apart[kind] : touching[kind];
        return row->isCached ? goal : 0.0;
    }
    if (row->isCached || which == CASE_TOUCHING) {
        return 0.0;
    }
    switch (row->query) {
        case RIVAL_OVERLAP:
            return overlap[kind];
        case RIVAL_DISTANCE:
            return which == CASE_SEPARATED ? distance[kind] : 0.0;
        default:
            return depth[kind];
    }
}

/// To and fro through the frames, a small motion each time.
static int frameOf(int round) {
    int k = round % (2 * FRAME_COUNT - 2);
    return k < FRAME_COUNT ? k : 2 * FRAME_COUNT - 2 - k;
}

/// Answer other pairs for a while, untimed. Processors switch the upper halves of their wide
/// registers off when nobody has used them for about 0.7 ms, and take 0.1 to 0.3 ms to have them
/// back at full speed: who uses them would be timed by how long the others before took.
static void warmUp(Bench* bench, const Row* row, int i, int block, int frame) {
    int other = (block + 1) % bench->blockCount * BLOCK_PAIRS;
    double start = bench_ThreadTime();
    for (int k = 0; k < BLOCK_PAIRS && bench_ThreadTime() - start < WARM_SECONDS; k += WARM_PAIRS) {
        rivalRange range = {frame, other + k, other + k + WARM_PAIRS};
        methods[i]->run(bench->selves[i], row->query, range, false, bench->answers[i]);
    }
}

/// Everybody's stack begins at the same place of a page, with room below. Where it begins otherwise
/// is drawn when the program is started, and who writes across the end of a page waits: in every
/// tenth run or so the shortest queries took up to 8 ns longer, others' too.
static __attribute__((noinline)) void runOnStack(const rivalMethod* method, void* self,
                                                 const Row* row, rivalRange range,
                                                 rivalAnswer* answers) {
    size_t above = ((size_t)__builtin_frame_address(0) - STACK_PLACE) % PAGE;
    volatile char* room = __builtin_alloca(above + 1);
    room[0] = 0;
    method->run(self, row->query, range, row->isCached, answers);
    room[above] = 0;
}

/// One method and one block: keep the shorter time. The first round only warms caches, those of the
/// processor and those of the pairs.
static void runBlock(Bench* bench, Row* row, int i, int block, int round) {
    const rivalMethod* method = methods[i];
    int frame = row->isCached ? frameOf(round) : 0;
    rivalRange range = {frame, block * BLOCK_PAIRS, (block + 1) * BLOCK_PAIRS};
    warmUp(bench, row, i, block, frame);
    double before = bench_ThreadTime();
    runOnStack(method, bench->selves[i], row, range, bench->answers[i]);
    double time = bench_ThreadTime() - before;
    bench->spent[i] += time;
    double* best = &bench->best[i][block];
    *best = round <= 1 || time < *best ? time : *best;
}

static void measure(Bench* bench, Row* row) {
    bool isAsked[METHOD_COUNT];
    for (int i = 0; i < METHOD_COUNT; ++i) {
        isAsked[i] = methods[i]->can(row->query, row->scene->scene.isBox, row->isCached);
        methods[i]->forget(bench->selves[i]);
        bench->spent[i] = 0.0;
    }
    double start = bench_ThreadTime();
    for (int round = 0; round <= bench->maxRounds; ++round) {
        bool isOver = bench_ThreadTime() - start > bench->rowSeconds;
        if (round > bench->minRounds && isOver) {
            break;
        }
        for (int block = 0; block < bench->blockCount; ++block) {
            for (int i = 0; i < METHOD_COUNT; ++i) {
                // the slowest need not be known so well
                if (isAsked[i] && (round < 2 || bench->spent[i] < bench->methodSeconds)) {
                    runBlock(bench, row, i, block, round);
                }
            }
        }
    }
    for (int i = 0; i < METHOD_COUNT; ++i) {
        double sum = 0.0;
        for (int block = 0; block < bench->blockCount; ++block) {
            sum += bench->best[i][block];
        }
        row->ns[i] = isAsked[i] ? 1e9 * sum / bench->pairCount : row->ns[i];
    }
}

/// Once more, for the answers; cached ones with what the frame before left.
static void answer(Bench* bench, const Row* row, int i) {
    methods[i]->forget(bench->selves[i]);
    for (int frame = row->isCached ? FRAME_COUNT - 2 : 0; frame <= row->frame; ++frame) {
        rivalRange range = {frame, 0, bench->pairCount};
        methods[i]->run(bench->selves[i], row->query, range, row->isCached, bench->answers[i]);
    }
}

/// Who has fewer points has had less to do.
static void printPoints(const Bench* bench, const Row* row) {
    printf("    points a pair:");
    for (int i = 0; i < METHOD_COUNT; ++i) {
        if (methods[i]->can(row->query, row->scene->scene.isBox, row->isCached)) {
            int count = 0;
            for (int k = 0; k < bench->pairCount; ++k) {
                count += bench->answers[i][k].pointCount;
            }
            printf(" %s %.2f", methods[i]->name, (double)count / bench->pairCount);
        }
    }
    printf("\n");
}

static void check(Bench* bench, const Row* row) {
    int stride = bench->pairCount / OWN_CHECKS;
    answer(bench, row, 0);
    bench->ownWrong +=
        benchCheck_Own(row->scene, row->query, row->frame, stride, bench->answers[0]);
    for (int i = 1; i < METHOD_COUNT; ++i) {
        if (methods[i]->can(row->query, row->scene->scene.isBox, row->isCached)) {
            answer(bench, row, i);
            bench->ownWrong +=
                benchCheck_Compare(row->scene, row->query, row->frame, methods[i]->name,
                                   bench->answers[0], bench->answers[i]);
        }
    }
    if (row->query >= RIVAL_MANIFOLD) {
        printPoints(bench, row);
    }
}

static void printHead(benchKind kind) {
    printf("\n%-39s %8s %8s        ", kindNames[kind], "Sudar ns", "goal");
    for (int i = 1; i < METHOD_COUNT; ++i) {
        printf(" %15s", methods[i]->name);
    }
    printf("  ratios\n");
}

static void recordRow(const Row* row, double goal) {
    char text[64];
    bench_SetGroup("queries, %s", kindNames[row->scene->kind]);
    snprintf(text, sizeof text, "%s, %s%s", caseNames[row->scene->which], queryNames[row->query],
             row->isCached ? ", kept" : "");
    for (int i = 0; i < METHOD_COUNT; ++i) {
        bool isAsked = row->ns[i] > 0.0;
        bench_Record((benchRecord){.row = text,
                                   .engine = methods[i]->name,
                                   .value = isAsked ? row->ns[i] : NAN,
                                   .unit = "ns",
                                   .hasGoal = i == 0 && goal > 0.0,
                                   .goal = goal,
                                   .note = isAsked ? "" : "not supported: has no such query"});
    }
}

static void printRow(Bench* bench, const Row* row) {
    char text[64];
    snprintf(text, sizeof text, "  %s, %s%s", caseNames[row->scene->which], queryNames[row->query],
             row->isCached ? ", kept" : "");
    printf("%-39s %8.1f ", text, row->ns[0]);
    double goal = goalOf(row);
    if (goal > 0.0) {
        bool isMet = row->ns[0] <= goal;
        printf("%8.0f %-7s", goal, isMet ? "met" : "NOT MET");
        ++bench->goalCount;
        bench->goalMissed += isMet ? 0 : 1;
    } else {
        printf("%8s        ", "-");
    }
    bool isMissed = false, isAlone = true;
    for (int i = 1; i < METHOD_COUNT; ++i) {
        double ratio = row->ns[i] / row->ns[0];
        if (row->ns[i] > 0.0) {
            isAlone = false;
            printf(" %8.0f %5.1fx", row->ns[i], ratio);
            isMissed = isMissed || ratio < methods[i]->wantedRatio;
        } else {
            printf(" %15s", "-");
        }
    }
    printf("  %s\n", isMissed ? "NOT MET" : (isAlone ? "-" : "met"));
    recordRow(row, goal);
    bench->rowCount += isAlone ? 0 : 1;
    bench->ratioMissed += isMissed ? 1 : 0;
    fflush(stdout);
}

static bool isWanted(const Bench* bench, benchKind kind, benchCase which, rivalQuery query) {
    char text[64];
    snprintf(text, sizeof text, "%s, %s, %s", kindNames[kind], caseNames[which], queryNames[query]);
    // the others answer it by plain overlap, Sudar by the distance
    bool isOdd = query == RIVAL_DEPTH && which == CASE_SEPARATED;
    // those of boxes further apart are as quick as without a margin
    isOdd = isOdd || (query == RIVAL_NEAR && (kind != KIND_BOX || which == CASE_SEPARATED));
    return !isOdd && strstr(text, bench->filter) != NULL;
}

static void benchQuery(Bench* bench, const benchScene* scene, rivalQuery query) {
    Row cold = {.scene = scene, .query = query};
    measure(bench, &cold);
    printRow(bench, &cold);
    check(bench, &cold);
    Row kept = {.scene = scene, .query = query, .isCached = true, .frame = FRAME_COUNT - 1};
    memcpy(kept.ns, cold.ns, sizeof kept.ns);
    measure(bench, &kept);
    printRow(bench, &kept);
    check(bench, &kept);
}

/// Manifolds of bodies that rest, or all else of bodies that move.
static bool benchMotion(Bench* bench, benchKind kind, benchCase which, bool isResting) {
    int first = isResting ? RIVAL_MANIFOLD : 0,
        end = isResting ? RIVAL_QUERY_COUNT : RIVAL_MANIFOLD;
    bool isAnyWanted = false;
    for (int query = first; query < end; ++query) {
        isAnyWanted = isAnyWanted || isWanted(bench, kind, which, (rivalQuery)query);
    }
    if (!isAnyWanted) {
        return true;
    }
    if (bench->headCount <= (int)kind) {
        printHead(kind);
        bench->headCount = (int)kind + 1;
    }
    benchScene scene;
    if (!benchScene_Create(kind, which, isResting, bench->pairCount, &scene)) {
        return false;
    }
    bool isReady = true;
    for (int i = 0; i < METHOD_COUNT; ++i) {
        bench->selves[i] = methods[i]->create(&scene.scene);
        isReady = isReady && bench->selves[i] != NULL;
    }
    for (int query = first; query < end && isReady; ++query) {
        if (isWanted(bench, kind, which, (rivalQuery)query)) {
            benchQuery(bench, &scene, (rivalQuery)query);
        }
    }
    for (int i = 0; i < METHOD_COUNT; ++i) {
        if (bench->selves[i] != NULL) {
            methods[i]->destroy(bench->selves[i]);
        }
    }
    benchScene_Destroy(&scene);
    return isReady;
}

int main(int argc, char** argv) {
    bool isQuick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    int textAt = isQuick ? 2 : 1;
    if (argc > textAt + 1 || (argc > textAt && argv[textAt][0] == '-')) {
        fprintf(stderr, "usage: bench_queries [--quick] [TEXT]\n");
        return 2;
    }
    Bench bench = {.filter = argc > textAt ? argv[textAt] : "",
                   .pairCount = isQuick ? BLOCK_PAIRS : BLOCK_COUNT * BLOCK_PAIRS,
                   .blockCount = isQuick ? 1 : BLOCK_COUNT,
                   .minRounds = 3,
                   .maxRounds = 40,
                   .rowSeconds = isQuick ? 0.05 : 0.3,
                   .methodSeconds = 0.1};
    bool isReady = true;
    for (int i = 0; i < METHOD_COUNT; ++i) {
        bench.answers[i] = calloc((size_t)bench.pairCount, sizeof *bench.answers[i]);
        isReady = isReady && bench.answers[i] != NULL;
    }
    for (int kind = 0; kind < KIND_COUNT && isReady; ++kind) {
        for (int which = 0; which < CASE_COUNT && isReady; ++which) {
            isReady = benchMotion(&bench, (benchKind)kind, (benchCase)which, false) &&
                      benchMotion(&bench, (benchKind)kind, (benchCase)which, true);
        }
    }
    if (!isReady) {
        fprintf(stderr, "bench_queries: out of memory\n");
    }
    printf("\n%d rows: %d miss a ratio (3x; 2x for MPR); %d of %d goals missed; Sudar wrong: %d\n",
           bench.rowCount, bench.ratioMissed, bench.goalMissed, bench.goalCount, bench.ownWrong);
    for (int i = 0; i < METHOD_COUNT; ++i) {
        free(bench.answers[i]);
    }
    if (bench.filter[0] == '\0') {
        bench_Support(isQuick);
    }
    return isReady ? 0 : 1;
}
