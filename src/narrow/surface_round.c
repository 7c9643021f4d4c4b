// SPDX-License-Identifier: MIT
// surface_round.c - where a sphere or capsule touches a mesh.
//
// In:   a segment with a radius around it, all triangles in its box.
// Out:  the points that collide_surface.c finds for any body, with a fraction of the work.
// Note: heights of the segment's ends over a triangle's plane and beyond its sides tell nearly all:
//       what is too far, what lies over the face, and which sides the nearest point can be on. An
//       open surface has the segment on one side, unless that goes through it: the side is that of
//       the nearest point, where it is not at a rim.

#include "narrow/surface.h"

#include "base/simd.h"
#include "narrow/segment.h"

/// Triangles near a body at once; with more, it is asked as any other.
#define MAX_NEAR 32
/// Squares of distances that are compared with that of the reach are right to this fraction.
#define ROUNDING 1e-9
/// Triangles whose area is smaller, relative to their longest side squared, have no normal.
#define NO_AREA 1e-12
/// Points nearer than this fraction of coordinates and sizes touch: the direction between them is
/// not known. As for sdPrimitive_Separation.
#define NEARLY_TOUCH 1e-8
/// Sine of the angle to the surface from which on it is clear on which side a point is.
#define CLEAR_SIDE 1e-4
/// Of the radius, by which points that a capsule shows to a plane are beside its axis: one that
/// lies leans by a sine of 0.1 at the most.
#define ASIDE 0.11
/// Triangles around a vertex that are looked at one after the other.
#define MAX_FAN 64

/// What of a triangle is nearest: its face, 0; a side, 1 .. 3; a corner, 4 .. 6.
typedef int Feature;

typedef enum NearState {
    NEAR_UNKNOWN, ///< not looked at
    NEAR_APART,   ///< nearest points are set
    NEAR_TOUCHES, ///< there is no direction between them
    NEAR_THIN     ///< the triangle has no area to speak of
} NearState;

/// A triangle and the body's core, a segment. Pairs of numbers are those of its two ends.
typedef struct NearTriangle {
    sdSurfaceTriangle triangle; ///< with its normal by its own order of corners, at first
    double perLength[3];        ///< 1 / length of the sides
    sdD2 heights;               ///< along that normal
    sdD2 beyond[3];             ///< the sides
    NearState state;
    Feature feature;
    double squared;          ///< distance
    sdVec3d own, core, away; ///< nearest points; direction from the first to the other
} NearTriangle;

typedef struct RoundSearch {
    sdSurfaceSearch* search;
    sdD2 x, y, z;  ///< of the core
    double extent; ///< of the ends' coordinates
    double reach;
    bool isSolid;
    int count;
    NearTriangle near[MAX_NEAR];
    uint8_t order[MAX_NEAR]; ///< of their indices
} RoundSearch;

// ---- which triangles are near --------------------------------------------------------------

static inline sdD2 dotWith(sdVec3d a, sdD2 x, sdD2 y, sdD2 z) {
    return (sdD2){a.x, a.x} * x + (sdD2){a.y, a.y} * y + (sdD2){a.z, a.z} * z;
}

/// Whether two numbers are beyond a limit, given as its square.
static inline bool areBeyond(sdD2 a, double squared) {
    double least = a[0] < a[1] ? a[0] : a[1];
    return least > 0.0 && least * least > squared;
}

/// @return whether the triangle may be touched; all is set then but the sides
static bool isNear(const RoundSearch* round, int index, NearTriangle* near) {
    const sdMesh* mesh = round->search->mesh;
    const int32_t* t = mesh->triangles + 3 * (size_t)index;
    sdVec3d c[3] = {sdVec3d_From(mesh->vertices[t[0]]), sdVec3d_From(mesh->vertices[t[1]]),
                    sdVec3d_From(mesh->vertices[t[2]])};
    sdVec3d u = sdSubD(c[1], c[0]), v = sdSubD(c[2], c[0]), n = sdCrossD(u, v);
    sdD2 x = round->x - c[0].x, y = round->y - c[0].y, z = round->z - c[0].z;
    const double limit = round->reach * round->reach * (1.0 + ROUNDING);
    double squared = sdDotD(n, n);
    sdD2 heights = dotWith(n, x, y, z);
    if (!(squared > 0.0) || areBeyond(heights, limit * squared) ||
        (!round->isSolid && areBeyond(-heights, limit * squared))) {
        return false;
    }
    // whoever is behind a face of a solid is to know it
    bool isFront = heights[0] > 0.0 && heights[1] > 0.0;
    bool isBack = heights[0] < 0.0 && heights[1] < 0.0, isOutside = !round->isSolid || isFront;
    double least = fabs(heights[0]) < fabs(heights[1]) ? heights[0] : heights[1];
    // what is left of the reach at that height, times the length of the normal squared
    double left = limit * squared - (isFront || isBack ? least * least : 0.0);
    // across the sides, as long as they are times the normal; of all three the sum is zero
    sdD2 first = dotWith(sdCrossD(u, n), x, y, z), last = dotWith(sdCrossD(n, v), x, y, z);
    sdD2 second = -first - last - squared;
    sdVec3d w = sdSubD(c[2], c[1]);
    double uu = sdDotD(u, u), vv = sdDotD(v, v), ww = sdDotD(w, w);
    if (isOutside && (areBeyond(first, left * uu) || areBeyond(second, left * ww) ||
                      areBeyond(last, left * vv))) {
        return false;
    }
    double area = sqrt(squared), perArea = 1.0 / area, longest = uu > vv ? uu : vv;
    sdSurfaceTriangle* triangle = &near->triangle;
    triangle->index = index;
    triangle->normal = sdScaleD(perArea, n);
    for (int i = 0; i < 3; ++i) {
        triangle->corners[i] = c[i];
    }
    near->heights = dotWith(triangle->normal, x, y, z);
    near->perLength[0] = 1.0 / sqrt(uu);
    near->perLength[1] = 1.0 / sqrt(ww);
    near->perLength[2] = 1.0 / sqrt(vv);
    near->beyond[0] = perArea * near->perLength[0] * first;
    near->beyond[1] = perArea * near->perLength[1] * second;
    near->beyond[2] = perArea * near->perLength[2] * last;
    near->state = area > NO_AREA * (longest > ww ? longest : ww) ? NEAR_UNKNOWN : NEAR_THIN;
    return true;
}

static void setSides(NearTriangle* near) {
    sdSurfaceTriangle* triangle = &near->triangle;
    const sdVec3d* c = triangle->corners;
    for (int i = 0; i < 3; ++i) {
        sdVec3d side = sdSubD(c[i == 2 ? 0 : i + 1], c[i]);
        triangle->outward[i] = sdScaleD(near->perLength[i], sdCrossD(side, triangle->normal));
    }
}

/// In the order of the mesh, so that points are found in the same order from step to step.
/// @return false when there are too many
static bool listNear(RoundSearch* round) {
    const sdSurfaceSearch* search = round->search;
    round->count = 0;
    for (int i = 0; i < search->chunkCount; ++i) {
        int index = search->chunk[i], at = round->count;
        if (at == MAX_NEAR) {
            return false;
        }
        if (isNear(round, index, &round->near[at])) {
            int j = round->count++;
            for (; j > 0 && round->near[round->order[j - 1]].triangle.index > index; --j) {
                round->order[j] = round->order[j - 1];
            }
            round->order[j] = (uint8_t)at;
        }
    }
    return true;
}

// ---- nearest points ------------------------------------------------------------------------

/// The sides beyond which an end lies, as bits; 0: it is over the triangle.
static uint32_t sidesBeyond(const NearTriangle* near, int end) {
    return (near->beyond[0][end] > 0.0 ? 1u : 0u) | (near->beyond[1][end] > 0.0 ? 2u : 0u) |
           (near->beyond[2][end] > 0.0 ? 4u : 0u);
}

/// Whether the segment goes through the face.
static bool goesThrough(const NearTriangle* near) {
    sdD2 heights = near->heights;
    if ((heights[0] > 0.0) == (heights[1] > 0.0)) {
        return false;
    }
    double t = heights[0] / (heights[0] - heights[1]);
    for (int i = 0; i < 3; ++i) {
        sdD2 beyond = near->beyond[i];
        if (beyond[0] + t * (beyond[1] - beyond[0]) > 0.0) {
            return false;
        }
    }
    return true;
}

/// The ends of the core that are over the face.
/// @return sides that may be nearer, as bits
static uint32_t findOverFace(NearTriangle* near, const sdVec3d ends[2]) {
    sdD2 heights = near->heights;
    uint32_t beyond[2] = {sidesBeyond(near, 0), sidesBeyond(near, 1)};
    int lower = heights[1] * heights[1] < heights[0] * heights[0] ? 1 : 0;
    near->squared = DBL_MAX;
    near->feature = 0;
    for (int i = 0; i < 2; ++i) {
        double squared = heights[i] * heights[i];
        if (beyond[i] == 0 && squared < near->squared) {
            sdVec3d n = near->triangle.normal;
            near->squared = squared;
            near->own = sdMulAddD(ends[i], -heights[i], n);
            near->core = ends[i];
            near->away = heights[i] < 0.0 ? sdScaleD(-1.0, n) : n;
        }
    }
    // nothing is nearer than the lower end
    bool isCrossing = (heights[0] > 0.0) != (heights[1] > 0.0);
    return !isCrossing && beyond[lower] == 0 ? 0u : beyond[0] | beyond[1];
}

/// The nearest points, as sdPrimitive_Separation finds them.
static void findNearest(const RoundSearch* round, NearTriangle* near) {
    const sdVec3d *c = near->triangle.corners, *ends = round->search->ends;
    if (near->state != NEAR_UNKNOWN) {
        return;
    }
    near->state = NEAR_TOUCHES;
    if (goesThrough(near)) {
        return;
    }
    uint32_t sides = findOverFace(near, ends);
    for (int i = 0; i < 3; ++i) {
        if ((sides >> i & 1) == 0) {
            continue;
        }
        int next = i == 2 ? 0 : i + 1;
        sdSegmentPointsD points = sdClosestPointsOfSegmentsD(c[i], c[next], ends[0], ends[1]);
        if (points.distanceSquared < near->squared) {
            near->squared = points.distanceSquared;
            near->own = points.pointA;
            near->core = points.pointB;
            near->feature = points.s <= 0.0 ? 4 + i : (points.s >= 1.0 ? 4 + next : 1 + i);
        }
    }
    double distance = sqrt(near->squared);
    // sizes are those of the longest side and of the coordinates
    const double* perLength = near->perLength;
    double least = perLength[0] < perLength[1] ? perLength[0] : perLength[1];
    least = perLength[2] < least ? perLength[2] : least;
    if (!((distance - NEARLY_TOUCH * round->extent) * least > NEARLY_TOUCH)) {
        return;
    }
    near->state = NEAR_APART;
    if (near->feature != 0) {
        near->away = sdScaleD(1.0 / distance, sdSubD(near->core, near->own));
    }
}

// ---- the side of an open surface -----------------------------------------------------------

/// Whether triangles go all around a corner.
static bool isSurrounded(const sdMesh* mesh, int index, int corner) {
    int32_t vertex = mesh->triangles[3 * (size_t)index + (size_t)corner];
    int at = index, side = corner;
    for (int i = 0; i < MAX_FAN; ++i) {
        at = mesh->neighbors[3 * (size_t)at + (size_t)side];
        if (at == index || at == SD_NULL_INDEX) {
            return at == index;
        }
        const int32_t* t = mesh->triangles + 3 * (size_t)at;
        side = t[0] == vertex ? 0 : (t[1] == vertex ? 1 : 2);
    }
    return false;
}

/// The side of the surface on which the core is, by its nearest point; 0: not known.
static double sideAt(const sdMesh* mesh, const NearTriangle* near) {
    const size_t first = 3 * (size_t)near->triangle.index;
    if (near->feature == 0) {
        return sdDotD(near->away, near->triangle.normal) > 0.0 ? 1.0 : -1.0;
    }
    sdVec3 normal;
    if (near->feature < 4) {
        size_t side = first + (size_t)(near->feature - 1);
        if (mesh->neighbors[side] == SD_NULL_INDEX || mesh->triangleEdges[side] == SD_NULL_INDEX) {
            return 0.0;
        }
        normal = mesh->edgeNormals[mesh->triangleEdges[side]];
    } else {
        int corner = near->feature - 4;
        if (!isSurrounded(mesh, near->triangle.index, corner)) {
            return 0.0;
        }
        normal = mesh->vertexNormals[mesh->triangles[first + (size_t)corner]];
    }
    double height = sdDotD(near->away, sdVec3d_From(normal));
    return fabs(height) > CLEAR_SIDE ? copysign(1.0, height) : 0.0;
}

/// At least the square of the distance of a triangle from the core.
static double gapOf(const NearTriangle* near) {
    double h0 = near->heights[0], h1 = near->heights[1], least = h0 < h1 ? h0 : h1;
    double most = h0 > h1 ? h0 : h1, up = least > 0.0 ? least : (most < 0.0 ? most : 0.0);
    double aside = 0.0;
    for (int i = 0; i < 3; ++i) {
        double b0 = near->beyond[i][0], b1 = near->beyond[i][1], beyond = b0 < b1 ? b0 : b1;
        aside = beyond > aside ? beyond : aside;
    }
    return (up * up + aside * aside) * (1.0 - ROUNDING);
}

/// The side on which the core is of all triangles near it; so it is at its nearest point, which
/// some of them share. 0: not of all on the same.
static double commonSide(const RoundSearch* round) {
    double least = DBL_MAX, most = -DBL_MAX, clear = CLEAR_SIDE * round->search->radius;
    for (int i = 0; i < round->count; ++i) {
        double h0 = round->near[i].heights[0], h1 = round->near[i].heights[1];
        double lower = h0 < h1 ? h0 : h1, upper = h0 < h1 ? h1 : h0;
        least = lower < least ? lower : least;
        most = upper > most ? upper : most;
        if (round->near[i].state == NEAR_THIN) {
            return 0.0;
        }
    }
    return least > clear ? 1.0 : (most < -clear ? -1.0 : 0.0);
}

/// The same by the nearest point; 0: not known.
static double sideOfCore(RoundSearch* round) {
    const NearTriangle* nearest = &round->near[0];
    double least = DBL_MAX;
    for (int i = 0; i < round->count; ++i) {
        NearTriangle* near = &round->near[i];
        if (near->state != NEAR_THIN && gapOf(near) > least) {
            continue;
        }
        findNearest(round, near);
        if (near->state != NEAR_APART) {
            return 0.0;
        }
        nearest = near->squared < least ? near : nearest;
        least = near->squared < least ? near->squared : least;
    }
    return sideAt(round->search->mesh, nearest);
}

static void setSide(RoundSearch* round) {
    sdSurfaceSearch* search = round->search;
    bool isOpen = !round->isSolid && search->mesh->report.isOriented;
    search->side = isOpen ? commonSide(round) : 0.0;
    if (isOpen && search->mesh->report.isManifold && search->side == 0.0) {
        search->side = sideOfCore(round);
    }
    if (search->side == 0.0) {
        sdSurfaceSearch_SetNormals(search);
        search->side = sdSurfaceSearch_FindSide(search);
    }
    search->hasSide = true;
}

// ---- points --------------------------------------------------------------------------------

/// The points of a triangle whose edge or corner is touched.
static void addNearest(sdSurfaceSearch* search, const NearTriangle* near, double separation,
                       sdVec3d n) {
    const int32_t* t = search->mesh->triangles + 3 * (size_t)near->triangle.index;
    const sdVec3* vertices = search->mesh->vertices;
    sdShape plate = sdShape_Triangle(vertices[t[0]], vertices[t[1]], vertices[t[2]]);
    sdPairResult result = {
        .separation = separation,
        .normal = near->away,
        .pointA = near->own,
        .pointB = sdMulAddD(near->core, -search->radius, near->away),
        .indexA = SD_NULL_INDEX,
        .indexB = SD_NULL_INDEX,
        .iterations = 1,
        .status = SD_STATUS_EXACT,
    };
    sdManifold manifold;
    if (sdManifold_MakeAt(&plate, search->body, &search->xf, search->margin, &result, &manifold) >
        0) {
        sdSurfaceSearch_AddManifold(search, &near->triangle, &manifold, n);
    }
}

/// What is over a triangle.
/// @param sides as for sdSurfaceSearch_AddFace
static void addFace(const RoundSearch* round, const NearTriangle* near, uint32_t sides) {
    sdSurfaceSearch* search = round->search;
    const double rim = SD_MANIFOLD_RIM * search->size, far = rim + ASIDE * search->radius;
    for (int i = 0; i < 3; ++i) {
        if (near->beyond[i][0] > far && near->beyond[i][1] > far) {
            return;
        }
    }
    sdSurfaceSearch_AddFace(search, &near->triangle, sides, rim);
}

static void addByNearest(const RoundSearch* round, NearTriangle* near, bool isInFront) {
    sdSurfaceSearch* search = round->search;
    sdSurfaceTriangle* triangle = &near->triangle;
    double separation = sqrt(near->squared) - search->radius;
    if (!(separation <= search->limit)) {
        return;
    }
    sdVec3d n = sdVec3d_From(sdVec3d_Round(near->away));
    sdVec3d p = sdVec3d_From(sdVec3d_Round(near->own));
    sdSurfaceSharp left = sdSurfaceSearch_AddSharp(search, triangle, p, n, isInFront);
    if (left == SD_SURFACE_NEAREST) {
        addNearest(search, near, separation, n);
    } else if (left == SD_SURFACE_HOLLOW) {
        addFace(round, near, triangle->open & ~triangle->sharp);
    }
}

/// As sdSurfaceSearch_AddTriangle.
static void addTriangle(const RoundSearch* round, NearTriangle* near) {
    sdSurfaceSearch* search = round->search;
    sdSurfaceTriangle* triangle = &near->triangle;
    double middle = 0.5 * (near->heights[0] + near->heights[1]);
    bool isFront = (search->side != 0.0 ? search->side : middle) >= 0.0;
    double sign = isFront ? 1.0 : -1.0;
    double h0 = sign * near->heights[0], h1 = sign * near->heights[1];
    int lower = h1 <= h0 ? 1 : 0;
    double lowest = (lower == 1 ? h1 : h0) - search->radius;
    if (lowest > search->limit) {
        return;
    }
    bool isShallow = lowest >= -SD_SURFACE_SHALLOW * search->size;
    double front = round->isSolid ? -SD_SURFACE_SUNK * search->size : 0.0;
    bool isInFront = isShallow || sign * middle > front;
    for (int i = 0; i < 3 && isInFront; ++i) {
        if (near->beyond[i][0] > round->reach && near->beyond[i][1] > round->reach) {
            return;
        }
    }
    setSides(near);
    sdSurfaceTriangle_Classify(triangle, search->mesh, isFront);
    bool isSharp = triangle->sharp != 0 && !(isShallow && sidesBeyond(near, lower) == 0);
    if (isSharp) {
        findNearest(round, near);
    }
    if (near->state == NEAR_THIN || (isSharp && near->state == NEAR_TOUCHES)) {
        sdSurfaceSearch_AddTriangle(search, triangle->index, triangle->normal);
        return;
    }
    triangle->normal = isFront ? triangle->normal : sdScaleD(-1.0, triangle->normal);
    if (isSharp) {
        addByNearest(round, near, isInFront);
    } else if (isInFront) {
        addFace(round, near, triangle->open);
    } else {
        search->isBehind = true;
    }
}

bool sdSurfaceSearch_AddRound(sdSurfaceSearch* search) {
    RoundSearch round;
    round.search = search;
    round.reach = search->limit + search->radius;
    const sdVec3d* ends = search->ends;
    round.x = (sdD2){ends[0].x, ends[1].x};
    round.y = (sdD2){ends[0].y, ends[1].y};
    round.z = (sdD2){ends[0].z, ends[1].z};
    round.extent = sdLengthD(ends[0]) + sdLengthD(ends[1]);
    round.isSolid = search->mesh->report.isSolid;
    if (!listNear(&round)) {
        return false;
    }
    if (round.count > 0) {
        setSide(&round);
    }
    for (int i = 0; i < round.count; ++i) {
        addTriangle(&round, &round.near[round.order[i]]);
    }
    return true;
}
