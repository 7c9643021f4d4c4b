// SPDX-License-Identifier: MIT
// manifold_hulls.h - contact points of two hulls by faces of three or four sides.

#ifndef SD_NARROW_MANIFOLD_HULLS_H
#define SD_NARROW_MANIFOLD_HULLS_H

#include "base/simd.h"
#include "geometry/hull.h"
#include "narrow/manifold.h"

/// Faces with more sides have no lanes.
#define SD_HULLS_MAX_SIDES 4

/// Half-edges of a face follow each other.
/// @param first of them
static inline int sdHull_SideCount(const sdHull* hull, int face, int* first) {
    // where all are triangles there is no need to look, and to wait
    if (hull->halfEdgeCount == 3 * hull->faceCount) {
        *first = 3 * face;
        return 3;
    }
    *first = hull->faceEdges[face];
    int end = face + 1 < hull->faceCount ? hull->faceEdges[face + 1] : hull->halfEdgeCount;
    return end - *first;
}

/// What sdPairContact_AddPoints, sdPairContact_AddDeepest and sdPairContact_Write give for two such
/// faces, bit by bit.
/// @param contact hulls, pose, normal, size, limit and deepest are set
/// @param result with the deepest points; NULL: they are not known
/// @return false when these have to be asked: faces have more sides, their common points do not
/// have the deepest one and it is not known, or rounding has bent what is left of them
SD_DECLARE_KERNEL(bool, sdHulls_Touch,
                  (const sdPairContact* contact, int faceA, int faceB, const sdPairResult* result,
                   float margin, sdPairCache* cache, sdManifold* out));

/// What sdPairContact_Recall and sdPairContact_Write give for two hulls that touch by such faces,
/// in less time.
/// @param margin finite, not negative
/// @param cache of kind SD_CACHE_FEATURES
/// @return false when sdPairContact_Recall has to be asked; also when they are apart
SD_DECLARE_KERNEL(bool, sdHulls_Recall,
                  (const sdHull* a, const sdHull* b, const sdTransform* xfAB, float margin,
                   sdPairCache* cache, sdManifold* out));

#endif
