// SPDX-License-Identifier: MIT
// epa.h - penetration of two overlapping cores, from GJK's last simplex.

#ifndef SD_NARROW_EPA_H
#define SD_NARROW_EPA_H

#include "narrow/gjk.h"

/// Vertices of the growing polytope. Polytopes with a few hundred vertices need about 40; smooth
/// shapes stop at the tolerance, or here with the error that is left.
#define SD_EPA_MAX_VERTICES 128
/// A closed triangle mesh has 2 V - 4 faces. They come in groups that are not always full, and new
/// ones are made before those go that they replace.
#define SD_EPA_MAX_FACES (6 * SD_EPA_MAX_VERTICES)

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

/// Vertices of a memory without faces: it took more than can be remembered.
#define SD_EPA_TOO_MANY UINT8_MAX

/// @param memory where to note what proved the depth, or that nothing did; may be NULL
SD_DECLARE_KERNEL(void, sdEpa_Run,
                  (const sdConvexPair* pair, const sdSimplex* simplex, sdPairPolytope* memory,
                   sdEpaOutput* output));

/// Where to begin when nothing is known of the pair but its shapes.
typedef struct sdEpaStart {
    sdVec3d axis;   ///< guess of the normal, A to B, of any length
    sdVec3d middle; ///< of a ball in A - B
    double inner;   ///< its radius
    bool isOnce;    ///< hulls may be asked in another way, which leaves nothing for the memory
} sdEpaStart;

/// The same without GJK before it, for polytopes that overlap by so much that support points around
/// an axis are likely to have the origin between them, which proves it.
/// @param simplex two points between which the origin lies, by the ball, or only the support point
/// along the axis when the bodies are deeper than a common point is asked for, or on failure. Hulls
/// that were asked in another way, and are as deep, may leave it as it was
/// @param memory as of sdEpa_Run
/// @return false when this is not for these bodies
SD_DECLARE_KERNEL(bool, sdEpa_RunDeep,
                  (const sdConvexPair* pair, const sdEpaStart* start, sdSimplex* simplex,
                   sdPairPolytope* memory, sdEpaOutput* output));

/// The same by what proved the depth in an earlier query, at another pose.
/// @return false when it does not prove it any more, or the bodies hardly overlap
SD_DECLARE_KERNEL(bool, sdEpa_Recall,
                  (const sdConvexPair* pair, const sdPairPolytope* memory, sdEpaOutput* output));

#endif
