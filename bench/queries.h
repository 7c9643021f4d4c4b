// SPDX-License-Identifier: MIT
// queries.h - parts of bench_queries.

#ifndef SD_BENCH_QUERIES_H
#define SD_BENCH_QUERIES_H

#include "rivals.h"
#include "sudar/sudar.h"

#define FRAME_COUNT 4

typedef enum benchKind { KIND_BOX, KIND_HULL_32, KIND_HULL_256, KIND_COUNT } benchKind;
typedef enum benchCase { CASE_SEPARATED, CASE_TOUCHING, CASE_OVERLAPPING, CASE_COUNT } benchCase;

/// What all are asked about, and who is right. Poses are found with sdPenetration, answers are
/// checked without it.
typedef struct benchScene {
    benchKind kind;
    benchCase which;
    float step; ///< motion from frame to frame, m and rad
    rivalScene scene;
    sdShape* shapes;
    sdTransform* poses; ///< frame * pairCount + pair
    float* separations; ///< the same order
} benchScene;

/// @param isResting bodies move much less from frame to frame; the first frame is the same
/// @return false when memory ran out
bool benchScene_Create(benchKind kind, benchCase which, bool isResting, int pairCount,
                       benchScene* out);
void benchScene_Destroy(benchScene* scene);

/// Answers of Sudar and of another compared, pair by pair; where they differ, a search over
/// directions that uses neither decides. Prints a line when there is something to say.
/// @return how often Sudar was wrong
int benchCheck_Compare(const benchScene* scene, rivalQuery query, int frame, const char* name,
                       const rivalAnswer* own, const rivalAnswer* other);

/// Sudar's own answers against that search, for every `stride`-th pair.
/// @return how often it was wrong
int benchCheck_Own(const benchScene* scene, rivalQuery query, int frame, int stride,
                   const rivalAnswer* own);

/// Scan against climbing, by number of vertices (B5).
void bench_Support(bool isQuick);

#endif
