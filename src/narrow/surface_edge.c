// SPDX-License-Identifier: MIT
// surface_edge.c - which edges and corners of a triangle a mesh can be touched with.
//
// In:   a triangle, a point of it and a normal.
// Out:  whether everything around the point stays below the plane across the normal.
// Note: where all around a corner is known from the neighbours these are asked; else all triangles
//       near the body, whether they share vertices or not.

#include "narrow/surface.h"

/// Of the vertices of a mesh, as a fraction of their coordinates.
#define ROUNDING 1e-7
/// Triangles around a vertex that are looked at one after the other.
#define MAX_FAN 64
/// Sine of the angle within which a direction is along a side.
#define SAME_WAY 1e-6

/// A triangle, for questions about a point that is on it. Nothing is of unit length: what is asked
/// needs no roots then.
typedef struct Slope {
    sdVec3d sides[3], outward[3]; ///< outward is as long as the side times the normal
    double sideSquared[3], normalSquared;
    uint32_t on; ///< sides that the point is on, as bits
} Slope;

/// Whether a > b sqrt(squared), for b >= 0.
static inline bool isMore(double a, double b, double squared) {
    return a > 0.0 && a * a > b * b * squared;
}

/// Whether a step from the point in a direction stays in the triangle.
static bool isInto(const Slope* slope, sdVec3d way) {
    double length = slope->normalSquared * sdDotD(way, way);
    for (int i = 0; i < 3; ++i) {
        if ((slope->on >> i & 1) != 0 &&
            isMore(sdDotD(slope->outward[i], way), SAME_WAY, slope->sideSquared[i] * length)) {
            return false;
        }
    }
    return true;
}

/// Whether a triangle that meets another at p rises from there above the plane across n.
static bool risesAbove(const sdSurfaceSearch* search, int index, sdVec3d p, sdVec3d n) {
    const double rising = 0.5 * SD_SURFACE_SAME_NORMAL, meeting = SD_SURFACE_MEETING * search->size;
    const int32_t* t = search->mesh->triangles + 3 * (size_t)index;
    sdVec3d to[3]; // from p to the corners
    double top = -DBL_MAX;
    for (int i = 0; i < 3; ++i) {
        to[i] = sdSubD(sdVec3d_From(search->mesh->vertices[t[i]]), p);
        double height = sdDotD(n, to[i]);
        top = height > top ? height : top;
    }
    if (!(top > 0.0)) {
        return false;
    }
    Slope slope = {.on = 0};
    slope.sides[0] = sdSubD(to[1], to[0]);
    slope.sides[1] = sdSubD(to[2], to[1]);
    slope.sides[2] = sdSubD(to[0], to[2]);
    sdVec3d normal = sdCrossD(slope.sides[0], slope.sides[1]);
    double squared = sdDotD(normal, normal);
    slope.normalSquared = squared;
    if (!(squared > 0.0) || isMore(fabs(sdDotD(normal, to[0])), meeting, squared)) {
        return false;
    }
    const double tolerance = ROUNDING * (search->size + fabs(p.x) + fabs(p.y) + fabs(p.z));
    for (int i = 0; i < 3; ++i) {
        sdVec3d side = slope.sides[i], outward = sdCrossD(side, normal);
        double inside = sdDotD(outward, to[i]), length = sdDotD(side, side) * squared;
        if (isMore(-inside, meeting, length)) {
            return false;
        }
        slope.outward[i] = outward;
        slope.sideSquared[i] = sdDotD(side, side);
        slope.on |= isMore(inside, tolerance, length) ? 0u : 1u << i;
    }
    // straight up its slope, or along a side where that leads out of it
    sdVec3d up = sdMulAddD(sdScaleD(squared, n), -sdDotD(n, normal), normal);
    if (!isMore(sdLengthD(up), rising, squared * squared)) {
        return false;
    }
    bool isRising = isInto(&slope, up);
    for (int i = 0; i < 3 && !isRising; ++i) {
        double along = sdDotD(n, slope.sides[i]);
        sdVec3d way = sdScaleD(copysign(1.0, along), slope.sides[i]);
        isRising = isMore(fabs(along), rising, slope.sideSquared[i]) && isInto(&slope, way);
    }
    return isRising;
}

/// The corners of a triangle that are highest along n, as bits.
static uint32_t highest(const sdSurfaceTriangle* triangle, sdVec3d n) {
    double heights[3], top = -DBL_MAX;
    int best = 0;
    for (int i = 0; i < 3; ++i) {
        heights[i] = sdDotD(n, triangle->corners[i]);
        best = heights[i] > top ? i : best;
        top = heights[i] > top ? heights[i] : top;
    }
    uint32_t bits = 1u << best;
    for (int i = 0; i < 3; ++i) {
        sdVec3d side = sdSubD(triangle->corners[i], triangle->corners[best]);
        bool isLower = isMore(top - heights[i], SD_SURFACE_SAME_NORMAL, sdDotD(side, side));
        bits |= isLower ? 0u : 1u << i;
    }
    return bits;
}

/// A point moved onto the edge or corner that it is meant to be on.
static sdVec3d onFeature(const sdSurfaceTriangle* triangle, uint32_t feature, sdVec3d p) {
    for (int i = 0; i < 3; ++i) {
        int next = i == 2 ? 0 : i + 1;
        sdVec3d from = triangle->corners[i], side = sdSubD(triangle->corners[next], from);
        if (feature == 1u << i) {
            return from;
        }
        if (feature == (1u << i | 1u << next)) {
            double t = sdDotD(sdSubD(p, from), side) / sdDotD(side, side);
            return sdMulAddD(from, t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t), side);
        }
    }
    return p;
}

/// Whether a normal points to the body's side of the surface.
static bool isOutward(const sdSurfaceSearch* search, const sdSurfaceTriangle* triangle,
                      uint32_t feature, sdVec3d n) {
    const sdMesh* mesh = search->mesh;
    if (search->side == 0.0) {
        return true;
    }
    const size_t first = 3 * (size_t)triangle->index;
    for (int i = 0; i < 3; ++i) {
        uint32_t edge = 1u << i | 1u << (i == 2 ? 0 : i + 1);
        int32_t name = mesh->triangleEdges[first + (size_t)i];
        if (feature == edge && name != SD_NULL_INDEX) {
            return search->side * sdDotD(n, sdVec3d_From(mesh->edgeNormals[name])) > 0.0;
        }
        if (feature == 1u << i) {
            sdVec3 normal = mesh->vertexNormals[mesh->triangles[first + (size_t)i]];
            return search->side * sdDotD(n, sdVec3d_From(normal)) > 0.0;
        }
    }
    return sdDotD(n, triangle->normal) > 0.0;
}

/// Whether a triangle around a corner rises above the plane across n.
/// @param isClosed receives whether all around the corner was seen
static bool fanRises(const sdSurfaceSearch* search, int index, int corner, sdVec3d p, sdVec3d n,
                     bool* isClosed) {
    const sdMesh* mesh = search->mesh;
    int32_t vertex = mesh->triangles[3 * (size_t)index + (size_t)corner];
    int at = index, side = corner;
    for (int i = 0; i < MAX_FAN; ++i) {
        at = mesh->neighbors[3 * (size_t)at + (size_t)side];
        *isClosed = at == index;
        if (at == index || at == SD_NULL_INDEX) {
            return false;
        }
        if (risesAbove(search, at, p, n)) {
            return true;
        }
        // on across the side that starts here
        const int32_t* t = mesh->triangles + 3 * (size_t)at;
        side = t[0] == vertex ? 0 : (t[1] == vertex ? 1 : 2);
    }
    *isClosed = false;
    return false;
}

bool sdSurfaceSearch_IsTouchable(const sdSurfaceSearch* search, const sdSurfaceTriangle* triangle,
                                 sdVec3d p, sdVec3d n) {
    const sdMesh* mesh = search->mesh;
    uint32_t feature = highest(triangle, n);
    if (!isOutward(search, triangle, feature, n)) {
        return false;
    }
    p = onFeature(triangle, feature, p);
    const int32_t* neighbors = mesh->neighbors + 3 * (size_t)triangle->index;
    bool isClosed = mesh->report.isManifold && mesh->report.isOriented;
    // first those that share all of the feature: where there is a slope, it is mostly theirs
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < 3; ++i) {
            uint32_t shared = feature & (1u << i | 1u << (i == 2 ? 0 : i + 1));
            if (shared == 0 || (shared == feature) != (pass == 0)) {
                continue;
            }
            if (neighbors[i] == SD_NULL_INDEX) {
                isClosed = false;
            } else if (risesAbove(search, neighbors[i], p, n)) {
                return false;
            }
        }
    }
    for (int i = 0; i < 3 && isClosed; ++i) {
        if (feature == 1u << i && fanRises(search, triangle->index, i, p, n, &isClosed)) {
            return false;
        }
    }
    // triangles that meet without sharing vertices
    for (int i = 0; i < search->chunkCount && !isClosed; ++i) {
        if (search->chunk[i] != triangle->index && risesAbove(search, search->chunk[i], p, n)) {
            return false;
        }
    }
    return true;
}
