// SPDX-License-Identifier: MIT
// sat.h - separating axes: two boxes, and any two polyhedra.

#ifndef SD_NARROW_SAT_H
#define SD_NARROW_SAT_H

#include "narrow/convex.h"
#include "narrow/polyhedron.h"

/// What sdPairCache.kind holds when SAT wrote it: of two boxes, of other polyhedra.
#define SD_CACHE_SAT_BOX 2
#define SD_CACHE_SAT 3

/// Sine of the angle between two edges. At smaller angles they count as parallel: the direction of
/// their cross product is then known to no better than 1e-10 in double, and leaving the axis out
/// costs no more than this fraction of the bodies' size.
#define SD_SAT_PARALLEL 1e-6

/// Fraction of the smaller body's size by which an edge pair must beat a face, and a face of B one
/// of A, when the bodies overlap: parallel faces otherwise change their kind of contact from step
/// to step by rounding.
#define SD_SAT_TIE 1e-6

// ---- any two polyhedra ---------------------------------------------------------------------
// The difference B - A of two polyhedra is a polyhedron: its faces come from the faces of A, the
// faces of B, and those pairs of edges whose arcs on the sphere of normals cross. The origin is
// inside when the bodies overlap. Each face is an axis, and no other axis is needed: the greatest
// separation over the faces is minus the depth, and is positive exactly when the bodies are apart.
// A triangle counts as a prism of no thickness, so that its sides have faces, too.

typedef struct sdSatPair {
    sdConvexPair convex; ///< for support points
    sdPolyhedron a, b;
    sdPolyhedronStorage storageA, storageB;
    double tie; ///< see SD_SAT_TIE, m
} sdSatPair;

/// @return false for other shapes, invalid ones, and numbers that are not finite
bool sdSatPair_Init(sdSatPair* pair, const sdShape* a, const sdShape* b, sdTransform xfAB);

/// A face of B - A.
typedef struct sdFacet {
    double separation;
    sdVec3d axis; ///< unit, A to B
    sdFeatureType type;
    int indexA, indexB; ///< of an edge pair, SD_NULL_INDEX for an edge that a triangle gets from
                        ///< being a prism
} sdFacet;

/// @param limit may be raised: facets whose separation is not greater are passed over from now on
/// @return false to stop
typedef bool sdFacetFcn(void* user, const sdFacet* facet, double* limit);

typedef struct sdFacetWalk {
    const sdSatPair* pair;
    double limit; ///< -DBL_MAX: visit all
    sdFacetFcn* visit;
    void* user;
    int axisCount; ///< out: axes on which the bodies were projected
} sdFacetWalk;

/// Visit the faces of B - A: of A, of B, edge pairs. A face of B or an edge pair is passed over,
/// too, when it is above the limit by less than the tie of the pair, unless it alone separates.
/// @return false when the visitor stopped it
SD_DECLARE_KERNEL(bool, sdSat_Walk, (sdFacetWalk * walk));

/// Separation along a unit axis by the support points of both.
SD_DECLARE_KERNEL(double, sdSat_Along, (const sdConvexPair* pair, sdVec3d axis));

/// The axis of a pair of features at the pair's present pose, unit.
/// @param like a direction on whose side it is
/// @return false for parallel edges and for features that the bodies do not have
bool sdSatPair_Axis(const sdSatPair* pair, const sdFacet* features, sdVec3d like, sdVec3d* axis);

/// The facet of the greatest separation, or the first that separates.
/// @return axes tested
int sdSatPair_Search(const sdSatPair* pair, bool isFull, sdFacet* best);

// ---- two boxes -----------------------------------------------------------------------------

/// @param isFull all axes, also when one separates
/// @param cache may be NULL
sdSatResult sdSatBox_Run(sdVec3 halfA, sdVec3 halfB, sdTransform xfAB, bool isFull,
                         sdPairCache* cache);

#endif
