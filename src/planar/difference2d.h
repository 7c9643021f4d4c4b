// SPDX-License-Identifier: MIT
// difference2d.h - the Minkowski difference of two polygons, which answers every query in the
// plane.

#ifndef SD_PLANAR_DIFFERENCE2D_H
#define SD_PLANAR_DIFFERENCE2D_H

#include "geometry/bounds.h"
#include "sudar/planar.h"

/// Relative to the size of the difference. Positions in double are off by less.
#define SD_PLANAR_ROUNDING 1e-13

/// One polygon in A's frame, in double.
typedef struct sdCore2 {
    sdVec2d vertices[SD_POLYGON2_MAX_VERTICES];
    sdVec2d edges[SD_POLYGON2_MAX_VERTICES]; ///< from vertex i to i + 1
    int count;
    double radius;
} sdCore2;

#define SD_DIFFERENCE2_MAX (2 * SD_POLYGON2_MAX_VERTICES)

/// A - B: vertex k is A's vertex indexA[k] minus B's vertex indexB[k]; counter-clockwise. The
/// bodies overlap when the rounded difference contains the origin.
typedef struct sdDifference2 {
    sdCore2 a, b;
    sdVec2d vertices[SD_DIFFERENCE2_MAX];
    sdVec2d normals[SD_DIFFERENCE2_MAX]; ///< unit, outward; zero for a point
    double lengths[SD_DIFFERENCE2_MAX];
    uint8_t indexA[SD_DIFFERENCE2_MAX];
    uint8_t indexB[SD_DIFFERENCE2_MAX];
    bool isEdgeOfA[SD_DIFFERENCE2_MAX]; ///< of the edge from vertex k to k + 1
    int count;
    double radius; ///< of both together
    double size;   ///< greatest coordinate of anything here
} sdDifference2;

/// @return false for input that is not finite or not valid
bool sdDifference2_Make(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xfAB,
                        sdDifference2* out);

/// Where the boundary of the difference is nearest to the origin.
typedef struct sdNearest2 {
    double separation; ///< of the cores, without the radii
    sdVec2d normal;    ///< unit, A to B
    sdVec2d pointA;    ///< on the cores
    sdVec2d pointB;
    int edge;
    bool isVertex; ///< nearest is a corner of the difference, not the inside of an edge
} sdNearest2;

sdNearest2 sdDifference2_Nearest(const sdDifference2* difference);

/// The same for bodies that have come to touch by B moving at `velocity`: of several edges that
/// meet there, the one most against the motion.
sdNearest2 sdDifference2_NearestAhead(const sdDifference2* difference, sdVec2d velocity);

/// A point of both cores, when the separation of the cores is not positive.
sdVec2d sdDifference2_CommonPoint(const sdDifference2* difference);

/// When the origin, moving at `velocity`, enters and leaves the rounded difference.
/// @return false: never
bool sdDifference2_Ray(const sdDifference2* difference, sdVec2d velocity, double* enter,
                       double* leave);

/// The difference after B has moved.
void sdDifference2_Translate(sdDifference2* difference, sdVec2d translation);

/// Manifold and contact set from a difference.
int sdDifference2_Manifold(const sdDifference2* difference, const sdNearest2* nearest,
                           double margin, sdManifold2* out);
sdContactSet2 sdDifference2_ContactSet(const sdDifference2* difference, const sdNearest2* nearest);

static inline sdVec2d sdAdd2D(sdVec2d a, sdVec2d b) {
    return (sdVec2d){a.x + b.x, a.y + b.y};
}

static inline sdVec2d sdSub2D(sdVec2d a, sdVec2d b) {
    return (sdVec2d){a.x - b.x, a.y - b.y};
}

static inline sdVec2d sdMulAdd2D(sdVec2d a, double s, sdVec2d b) {
    return (sdVec2d){a.x + s * b.x, a.y + s * b.y};
}

static inline double sdDot2D(sdVec2d a, sdVec2d b) {
    return a.x * b.x + a.y * b.y;
}

static inline double sdCross2D(sdVec2d a, sdVec2d b) {
    return a.x * b.y - a.y * b.x;
}

static inline sdVec2d sdVec2d_From(sdVec2 a) {
    return (sdVec2d){(double)a.x, (double)a.y};
}

static inline sdVec2 sdVec2d_ToFloat(sdVec2d a) {
    return sdV2((float)a.x, (float)a.y);
}

#endif
