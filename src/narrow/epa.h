// SPDX-License-Identifier: MIT
// epa.h - penetration of two overlapping cores, from GJK's last simplex.

#ifndef SD_NARROW_EPA_H
#define SD_NARROW_EPA_H

#include "narrow/gjk.h"

/// Vertices of the growing polytope. Polytopes with a few hundred vertices need about 40; smooth
/// shapes stop at the tolerance, or here with the error that is left.
#define SD_EPA_MAX_VERTICES 128
/// A closed triangle mesh has 2 V - 4 faces; as many again may be made before those go that they
/// replace.
#define SD_EPA_MAX_FACES (4 * SD_EPA_MAX_VERTICES)

typedef struct sdEpaOutput {
    double depth;   ///< of the cores: moving B by this along the normal parts them
    double error;   ///< the least depth over all directions is at most this much smaller
    sdVec3d normal; ///< unit, A to B
    sdVec3d pointA; ///< deepest points, in A's frame
    sdVec3d pointB;
    int indexA, indexB; ///< furthest vertices along the normal, or SD_NULL_INDEX
    int iterations;
    sdStatus status;
} sdEpaOutput;

SD_DECLARE_KERNEL(void, sdEpa_Run,
                  (const sdConvexPair* pair, const sdSimplex* simplex, sdEpaOutput* output));

#endif
