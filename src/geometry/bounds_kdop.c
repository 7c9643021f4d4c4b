// SPDX-License-Identifier: MIT
// bounds_kdop.c - k-DOPs with 14, 18 and 26 half-spaces: fit, overlap, volume.
//
// In:   points.
// Out:  ranges along fixed directions, rounded outwards from double.
// Ref:  Klosowski et al., "Efficient collision detection using bounding volume hierarchies of
//       k-DOPs", 1998.

#include "geometry/bounds.h"

#define AXIS_SLABS 3
#define CORNER_SLABS 4
#define EDGE_SLABS 6

/// A face starts as a square and is cut by each of the other half-spaces, which adds at most one
/// corner each.
#define FACE_CORNERS_MAX (4 + SD_KDOP_26)

/// Half a side of that square, in diagonals of the box. No face reaches further than one from
/// anywhere in the box.
#define FACE_START 2.0

typedef struct HalfSpace {
    sdVec3d normal; ///< unit
    double offset;
} HalfSpace;

typedef struct Polygon {
    sdVec3d corners[FACE_CORNERS_MAX];
    int count;
} Polygon;

/// The axes, the corners and the edges of a cube; half of each, as a slab has two sides.
static const sdVec3 directions14or26[SD_KDOP_MAX_SLABS] = {
    {1.0f, 0.0f, 0.0f},  {0.0f, 1.0f, 0.0f},  {0.0f, 0.0f, 1.0f},   {1.0f, 1.0f, 1.0f},
    {1.0f, 1.0f, -1.0f}, {1.0f, -1.0f, 1.0f}, {1.0f, -1.0f, -1.0f}, {1.0f, 1.0f, 0.0f},
    {1.0f, -1.0f, 0.0f}, {1.0f, 0.0f, 1.0f},  {1.0f, 0.0f, -1.0f},  {0.0f, 1.0f, 1.0f},
    {0.0f, 1.0f, -1.0f},
};

static const sdVec3 directions18[AXIS_SLABS + EDGE_SLABS] = {
    {1.0f, 0.0f, 0.0f},  {0.0f, 1.0f, 0.0f},  {0.0f, 0.0f, 1.0f},
    {1.0f, 1.0f, 0.0f},  {1.0f, -1.0f, 0.0f}, {1.0f, 0.0f, 1.0f},
    {1.0f, 0.0f, -1.0f}, {0.0f, 1.0f, 1.0f},  {0.0f, 1.0f, -1.0f},
};

static bool hasCorners(sdKdopKind kind) {
    return kind == SD_KDOP_14 || kind == SD_KDOP_26;
}

static bool hasEdges(sdKdopKind kind) {
    return kind == SD_KDOP_18 || kind == SD_KDOP_26;
}

static bool isKind(sdKdopKind kind) {
    return hasCorners(kind) || hasEdges(kind);
}

/// Where the edges' slabs start.
static int firstEdge(sdKdopKind kind) {
    return hasCorners(kind) ? AXIS_SLABS + CORNER_SLABS : AXIS_SLABS;
}

/// What sdPoints_Slabs computes, for one point.
static double along(sdVec3 direction, sdVec3 p) {
    return sdDotD(sdVec3d_From(direction), sdVec3d_From(p));
}

static bool runOverlaps(const sdKdop* a, int firstA, const sdKdop* b, int firstB, int count) {
    for (int i = 0; i < count; ++i) {
        if (a->lower[firstA + i] > b->upper[firstB + i] ||
            b->lower[firstB + i] > a->upper[firstA + i]) {
            return false;
        }
    }
    return true;
}

// ---- volume --------------------------------------------------------------------------------

/// Sutherland-Hodgman: what is left of a convex polygon in a half-space.
static void clip(Polygon* polygon, HalfSpace space) {
    Polygon r = {.count = 0};
    for (int i = 0; i < polygon->count; ++i) {
        sdVec3d a = polygon->corners[i];
        sdVec3d b = polygon->corners[i + 1 < polygon->count ? i + 1 : 0];
        double da = sdDotD(space.normal, a) - space.offset;
        double db = sdDotD(space.normal, b) - space.offset;
        if (da <= 0.0 && r.count < FACE_CORNERS_MAX) {
            r.corners[r.count++] = a;
        }
        if (((da < 0.0 && db > 0.0) || (da > 0.0 && db < 0.0)) && r.count < FACE_CORNERS_MAX) {
            r.corners[r.count++] = sdMulAddD(a, da / (da - db), sdSubD(b, a));
        }
    }
    *polygon = r;
}

static double areaOf(const Polygon* polygon) {
    sdVec3d sum = {0};
    for (int i = 2; i < polygon->count; ++i) {
        sdVec3d a = sdSubD(polygon->corners[i - 1], polygon->corners[0]);
        sdVec3d b = sdSubD(polygon->corners[i], polygon->corners[0]);
        sum = sdAddD(sum, sdCrossD(a, b));
    }
    return 0.5 * sdLengthD(sum);
}

/// The square of side 2 `size` on a plane, around the point of the plane nearest to the origin.
static Polygon squareOn(HalfSpace space, double size) {
    sdVec3d n = space.normal;
    bool isNearX = fabs(n.x) > 0.5;
    sdVec3d u = sdCrossD(n, isNearX ? sdV3d(0.0, 1.0, 0.0) : sdV3d(1.0, 0.0, 0.0));
    u = sdScaleD(size / sdLengthD(u), u);
    sdVec3d v = sdCrossD(n, u);
    sdVec3d center = sdScaleD(space.offset, n);
    Polygon r = {.count = 4};
    r.corners[0] = sdAddD(center, sdAddD(u, v));
    r.corners[1] = sdAddD(center, sdSubD(v, u));
    r.corners[2] = sdSubD(center, sdAddD(u, v));
    r.corners[3] = sdAddD(center, sdSubD(u, v));
    return r;
}

/// Both sides of each slab, seen from the middle of the box, which keeps offsets small.
static int halfSpacesOf(const sdKdop* kdop, HalfSpace spaces[SD_KDOP_26]) {
    int count;
    const sdVec3* directions = sdKdop_GetDirections(kdop->kind, &count);
    double middle[AXIS_SLABS];
    for (int i = 0; i < AXIS_SLABS; ++i) {
        middle[i] = 0.5 * ((double)kdop->lower[i] + (double)kdop->upper[i]);
    }
    sdVec3d origin = sdV3d(middle[0], middle[1], middle[2]);
    for (int i = 0; i < count; ++i) {
        sdVec3d d = sdVec3d_From(directions[i]);
        double length = sdLengthD(d), shift = sdDotD(d, origin);
        sdVec3d n = sdScaleD(1.0 / length, d);
        spaces[2 * i] = (HalfSpace){n, ((double)kdop->upper[i] - shift) / length};
        spaces[2 * i + 1] =
            (HalfSpace){sdScaleD(-1.0, n), (shift - (double)kdop->lower[i]) / length};
    }
    return 2 * count;
}

// ---- public --------------------------------------------------------------------------------

const sdVec3* sdKdop_GetDirections(sdKdopKind kind, int* count) {
    if (count != NULL) {
        *count = isKind(kind) ? (int)kind / 2 : 0;
    }
    if (!isKind(kind)) {
        return NULL;
    }
    return kind == SD_KDOP_18 ? directions18 : directions14or26;
}

sdResult sdKdop_Fit(sdKdopKind kind, const sdVec3* points, int count, sdKdop* out) {
    sdAABB box;
    if (!isKind(kind) || out == NULL || sdAABB_Fit(points, count, &box) != SD_OK) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    double lower[SD_KDOP_MAX_SLABS], upper[SD_KDOP_MAX_SLABS];
    SD_DISPATCH(sdPoints_Slabs)(points, count, lower, upper);
    sdKdop kdop = {.kind = kind};
    for (int i = 0; i < (int)kind / 2; ++i) {
        bool isEdge = i >= firstEdge(kind);
        int from = isEdge ? AXIS_SLABS + CORNER_SLABS + i - firstEdge(kind) : i;
        kdop.lower[i] = sdRoundDown(lower[from]);
        kdop.upper[i] = sdRoundUp(upper[from]);
        if (!sdIsFinite(kdop.lower[i]) || !sdIsFinite(kdop.upper[i])) {
            return SD_ERROR_LIMIT;
        }
    }
    *out = kdop;
    return SD_OK;
}

bool sdKdop_Overlaps(const sdKdop* a, const sdKdop* b) {
    if (a == NULL || b == NULL || !isKind(a->kind) || !isKind(b->kind)) {
        return false;
    }
    bool overlaps = runOverlaps(a, 0, b, 0, AXIS_SLABS);
    if (overlaps && hasCorners(a->kind) && hasCorners(b->kind)) {
        overlaps = runOverlaps(a, AXIS_SLABS, b, AXIS_SLABS, CORNER_SLABS);
    }
    if (overlaps && hasEdges(a->kind) && hasEdges(b->kind)) {
        overlaps = runOverlaps(a, firstEdge(a->kind), b, firstEdge(b->kind), EDGE_SLABS);
    }
    return overlaps;
}

bool sdKdop_ContainsPoint(const sdKdop* kdop, sdVec3 p) {
    int count;
    const sdVec3* directions = kdop != NULL ? sdKdop_GetDirections(kdop->kind, &count) : NULL;
    if (directions == NULL) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        double d = along(directions[i], p);
        if (!((double)kdop->lower[i] <= d && d <= (double)kdop->upper[i])) {
            return false;
        }
    }
    return true;
}

float sdKdop_Volume(const sdKdop* kdop) {
    if (kdop == NULL || !isKind(kdop->kind)) {
        return 0.0f;
    }
    HalfSpace spaces[SD_KDOP_26];
    int count = halfSpacesOf(kdop, spaces);
    sdVec3d size = sdV3d((double)kdop->upper[0] - (double)kdop->lower[0],
                         (double)kdop->upper[1] - (double)kdop->lower[1],
                         (double)kdop->upper[2] - (double)kdop->lower[2]);
    double start = FACE_START * sdLengthD(size);
    // cones over the faces, by the divergence theorem: V = 1/3 sum of offset times area
    double volume = 0.0;
    for (int i = 0; i < count; ++i) {
        Polygon face = squareOn(spaces[i], start);
        for (int j = 0; j < count && face.count > 0; ++j) {
            if (j != i) {
                clip(&face, spaces[j]);
            }
        }
        volume += spaces[i].offset * areaOf(&face) / 3.0;
    }
    return (float)volume;
}
