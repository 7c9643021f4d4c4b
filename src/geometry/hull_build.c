// SPDX-License-Identifier: MIT
// hull_build.c - points on a lattice, the first tetrahedron, and adding a point to a hull.
//
// In:   finite points.
// Out:  triangles that are exactly the boundary of the convex hull of the points added so far.
// Ref:  S0 §6.1.2 (volume of a tetrahedron as the test of visibility; the horizon).
// Note: S0 (6.3) writes the points as (x, y, y), and with its rows and columns a point on the
//       positive side of a counter-clockwise triangle gives a negative determinant. Here a point
//       sees a face when the volume over it is positive.

#include "geometry/hull.h"

/// As in qhull: rounding of a distance between a point and a plane through three points, where
/// coordinates carry float rounding. Times FLT_EPSILON and the sum of the box's half extents.
#define TOLERANCE_FACTOR 3.0

/// Thinner sets count as flat: with so few tolerances between bottom and top, side faces could not
/// be told from rounding.
#define FLAT_FACTOR 4.0

/// Where exact integers are split in two: sums of three products of parts fit in 63 bits.
#define SPLIT ((int64_t)1 << 27)

static sdHullPoint subtract(sdHullPoint a, sdHullPoint b) {
    return (sdHullPoint){a.x - b.x, a.y - b.y, a.z - b.z};
}

static sdHullPoint cross(sdHullPoint a, sdHullPoint b) {
    return (sdHullPoint){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(sdHullPoint a, sdHullPoint b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// ---- lattice -------------------------------------------------------------------------------

static int32_t roundToLattice(double x) {
    return (int32_t)(x < 0.0 ? x - 0.5 : x + 0.5);
}

static sdAABB findBox(const sdHullDef* def) {
    sdAABB box = sdAABB_Empty();
    for (int i = 0; i < def->pointCount; ++i) {
        box = sdAABB_AddPoint(box, def->points[i]);
    }
    return box;
}

static void placeOnLattice(sdHullBuild* build, const sdAABB* box) {
    const double lower[3] = {box->lower.x, box->lower.y, box->lower.z};
    const double upper[3] = {box->upper.x, box->upper.y, box->upper.z};
    double sum = 0.0, largest = 0.0;
    for (int i = 0; i < 3; ++i) {
        double half = 0.5 * (upper[i] - lower[i]);
        build->center[i] = 0.5 * (upper[i] + lower[i]);
        sum += half;
        largest = half > largest ? half : largest;
    }
    int exponent;
    frexp(largest, &exponent);
    build->step = ldexp(1.0, exponent - SD_HULL_LATTICE_BITS);
    build->tolerance = TOLERANCE_FACTOR * (double)FLT_EPSILON * sum / build->step;
    const double scale = ldexp(1.0, SD_HULL_LATTICE_BITS - exponent);
    for (int i = 0; i < build->pointCount; ++i) {
        sdVec3 p = build->input[i];
        build->points[i].x = roundToLattice(((double)p.x - build->center[0]) * scale);
        build->points[i].y = roundToLattice(((double)p.y - build->center[1]) * scale);
        build->points[i].z = roundToLattice(((double)p.z - build->center[2]) * scale);
        build->nextPoint[i] = SD_NULL_INDEX;
    }
}

static sdResult allocateBlock(sdHullBuild* build) {
    sdBlockLayout layout = {0};
    size_t count = (size_t)build->pointCount;
    size_t points = sdBlockLayout_Add(&layout, count, sizeof(sdHullPoint));
    size_t nextPoint = sdBlockLayout_Add(&layout, count, sizeof(int32_t));
    size_t fanFace = sdBlockLayout_Add(&layout, count, sizeof(int32_t));
    char* block = layout.overflow ? NULL : sdAlloc(&build->context->allocator, layout.size);
    if (block == NULL) {
        return sdFailMemory(build->context, "sdHull_Create", layout.size);
    }
    build->block = block;
    build->blockSize = layout.size;
    build->points = (sdHullPoint*)(block + points);
    build->nextPoint = (int32_t*)(block + nextPoint);
    build->fanFace = (int32_t*)(block + fanFace);
    return SD_OK;
}

sdResult sdHullBuild_Init(sdHullBuild* build, const sdContext* context, const sdHullDef* def) {
    *build = (sdHullBuild){
        .context = context,
        .input = def->points,
        .pointCount = def->pointCount,
        .maxVertexCount = def->maxVertexCount > 0 ? def->maxVertexCount : INT_MAX,
        .firstFree = SD_NULL_INDEX,
    };
    sdAABB box = findBox(def);
    sdVec3 low = box.lower, high = box.upper;
    if (low.x == high.x && low.y == high.y && low.z == high.z) {
        return sdFail(context, SD_ERROR_DEGENERATE,
                      "sdHull_Create: all %d points are equal; a hull needs four that are not in "
                      "one plane",
                      def->pointCount);
    }
    sdResult result = allocateBlock(build);
    if (result == SD_OK) {
        placeOnLattice(build, &box);
    }
    return result;
}

void sdHullBuild_Free(sdHullBuild* build) {
    const sdAllocator* allocator = &build->context->allocator;
    sdFree(allocator, build->block, build->blockSize);
    sdHullFaceArray_Free(&build->faces, allocator);
    sdIntArray_Free(&build->visible, allocator);
    sdHullHorizonArray_Free(&build->horizon, allocator);
    sdIntArray_Free(&build->orphans, allocator);
    sdIntArray_Free(&build->created, allocator);
}

// ---- faces ---------------------------------------------------------------------------------

/// The sign of normal · d, where the normal's parts are whole and below 2^53, d's below 2^26.
static int exactSign(sdHullPoint normal, sdHullPoint d) {
    const double parts[3] = {normal.x, normal.y, normal.z};
    const int64_t to[3] = {(int64_t)d.x, (int64_t)d.y, (int64_t)d.z};
    int64_t high = 0, low = 0;
    for (int i = 0; i < 3; ++i) {
        int64_t n = (int64_t)parts[i];
        int64_t top = n / SPLIT;
        high += top * to[i];
        low += (n - top * SPLIT) * to[i];
    }
    high += low / SPLIT;
    low %= SPLIT;
    return high != 0 ? (high > 0 ? 1 : -1) : (low > 0) - (low < 0);
}

bool sdHullBuild_Sees(const sdHullBuild* build, int32_t point, const sdHullFace* face) {
    sdHullPoint p = build->points[point];
    double distance = sdHullPlane_Distance(&face->plane, p);
    if (distance > SD_HULL_SURE_DISTANCE || distance < -SD_HULL_SURE_DISTANCE) {
        return distance > 0.0;
    }
    sdHullPoint a = build->points[face->vertex[0]];
    sdHullPoint ab = subtract(build->points[face->vertex[1]], a);
    sdHullPoint ac = subtract(build->points[face->vertex[2]], a);
    return exactSign(cross(ab, ac), subtract(p, a)) > 0;
}

/// Room must have been reserved. Triangles are never degenerate: a point that sees a face strictly
/// is not on the line of any of its edges.
static int32_t addFace(sdHullBuild* build, int32_t v0, int32_t v1, int32_t v2) {
    int32_t index = build->firstFree;
    if (index != SD_NULL_INDEX) {
        build->firstFree = build->faces.data[index].vertex[0];
    } else {
        index = build->faces.count++;
    }
    build->liveFaceCount += 1;
    build->created.data[build->created.count++] = index;

    sdHullPoint a = build->points[v0];
    sdHullPoint n = cross(subtract(build->points[v1], a), subtract(build->points[v2], a));
    double inverse = 1.0 / sqrt(dot(n, n));
    sdHullFace* face = &build->faces.data[index];
    face->plane = (sdHullPlane){n.x * inverse, n.y * inverse, n.z * inverse, 0.0};
    face->plane.offset = sdHullPlane_Distance(&face->plane, a);
    face->vertex[0] = v0;
    face->vertex[1] = v1;
    face->vertex[2] = v2;
    face->firstPoint = SD_NULL_INDEX;
    face->farPoint = SD_NULL_INDEX;
    face->farDistance = 0.0;
    face->mark = 0;
    return index;
}

static void freeFace(sdHullBuild* build, int32_t index) {
    sdHullFace* face = &build->faces.data[index];
    face->mark = SD_HULL_FREE;
    face->vertex[0] = build->firstFree;
    build->firstFree = index;
    build->liveFaceCount -= 1;
}

/// Room for what one more point can need. A hull of v points has 2 v - 4 triangles.
static sdResult reserve(sdHullBuild* build) {
    const sdAllocator* allocator = &build->context->allocator;
    int64_t faces = (int64_t)build->liveFaceCount + 4;
    // a face is on the stack once for each of its edges at most
    if (!sdHullFaceArray_Reserve(&build->faces, allocator, faces) ||
        !sdIntArray_Reserve(&build->visible, allocator, faces) ||
        !sdHullHorizonArray_Reserve(&build->horizon, allocator, faces) ||
        !sdIntArray_Reserve(&build->created, allocator, faces) ||
        !sdIntArray_Reserve(&build->orphans, allocator, build->pointCount)) {
        return sdFailMemory(build->context, "sdHull_Create", sizeof(sdHullFace) * (size_t)faces);
    }
    return SD_OK;
}

// ---- first tetrahedron ---------------------------------------------------------------------

/// The two of the box's six supporting points that are furthest apart.
static void findLongestPair(const sdHullBuild* build, int32_t pair[2]) {
    int32_t extremes[6] = {0};
    for (int32_t i = 1; i < build->pointCount; ++i) {
        const sdHullPoint* p = build->points;
        extremes[0] = p[i].x < p[extremes[0]].x ? i : extremes[0];
        extremes[1] = p[i].x > p[extremes[1]].x ? i : extremes[1];
        extremes[2] = p[i].y < p[extremes[2]].y ? i : extremes[2];
        extremes[3] = p[i].y > p[extremes[3]].y ? i : extremes[3];
        extremes[4] = p[i].z < p[extremes[4]].z ? i : extremes[4];
        extremes[5] = p[i].z > p[extremes[5]].z ? i : extremes[5];
    }
    double best = -1.0;
    for (int i = 0; i < 6; ++i) {
        for (int j = i + 1; j < 6; ++j) {
            sdHullPoint d = subtract(build->points[extremes[j]], build->points[extremes[i]]);
            if (dot(d, d) > best) {
                best = dot(d, d);
                pair[0] = extremes[i];
                pair[1] = extremes[j];
            }
        }
    }
}

/// @return distance of the point furthest from the line
static double findFurthestFromLine(const sdHullBuild* build, int32_t a, int32_t b, int32_t* out) {
    sdHullPoint origin = build->points[a];
    sdHullPoint along = subtract(build->points[b], origin);
    double best = -1.0;
    for (int32_t i = 0; i < build->pointCount; ++i) {
        sdHullPoint area = cross(along, subtract(build->points[i], origin));
        double squared = dot(area, area);
        if (squared > best) {
            best = squared;
            *out = i;
        }
    }
    return sqrt(best / dot(along, along));
}

/// @return signed distance of the point furthest from the plane
static double findFurthestFromPlane(const sdHullBuild* build, const int32_t c[3], int32_t* out) {
    sdHullPoint a = build->points[c[0]];
    sdHullPoint n = cross(subtract(build->points[c[1]], a), subtract(build->points[c[2]], a));
    double best = 0.0;
    *out = c[0];
    for (int32_t i = 0; i < build->pointCount; ++i) {
        double volume = dot(n, subtract(build->points[i], a));
        if (fabs(volume) > fabs(best)) {
            best = volume;
            *out = i;
        }
    }
    return best / sqrt(dot(n, n));
}

static void linkTwins(sdHullBuild* build, int32_t a, int32_t b) {
    build->faces.data[a / 3].twin[a % 3] = b;
    build->faces.data[b / 3].twin[b % 3] = a;
}

sdResult sdHullBuild_AddTetrahedron(sdHullBuild* build) {
    int32_t c[4] = {0};
    findLongestPair(build, c);
    double width = findFurthestFromLine(build, c[0], c[1], &c[2]);
    if (width <= FLAT_FACTOR * build->tolerance) {
        return sdFail(build->context, SD_ERROR_DEGENERATE,
                      "sdHull_Create: all %d points are on a line within rounding (%g m); a hull "
                      "needs four that are not in one plane",
                      build->pointCount, width * build->step);
    }
    double height = findFurthestFromPlane(build, c, &c[3]);
    if (fabs(height) <= FLAT_FACTOR * build->tolerance) {
        return sdFail(build->context, SD_ERROR_DEGENERATE,
                      "sdHull_Create: all %d points are in a plane within rounding (%g m); a hull "
                      "needs four that are not in one plane",
                      build->pointCount, fabs(height) * build->step);
    }
    sdResult result = reserve(build);
    if (result != SD_OK) {
        return result;
    }
    // the fourth corner must not see the first face
    if (height > 0.0) {
        int32_t swap = c[1];
        c[1] = c[2];
        c[2] = swap;
    }
    build->created.count = 0;
    int32_t base = addFace(build, c[0], c[1], c[2]);
    int32_t side[3];
    for (int i = 0; i < 3; ++i) {
        side[i] = addFace(build, c[(i + 1) % 3], c[i], c[3]);
        linkTwins(build, 3 * base + i, 3 * side[i]);
    }
    for (int i = 0; i < 3; ++i) {
        linkTwins(build, 3 * side[i] + 1, 3 * side[(i + 2) % 3] + 2);
    }
    return SD_OK;
}

// ---- one more point ------------------------------------------------------------------------

/// True when the face was not known to be seen before. Its mark is 2 m when the m-th point sees it,
/// 2 m + 1 when not.
static bool looksAt(sdHullBuild* build, int32_t point, int32_t index) {
    sdHullFace* face = &build->faces.data[index];
    if (face->mark >> 1 == build->mark) {
        return false;
    }
    bool isSeen = sdHullBuild_Sees(build, point, face);
    face->mark = 2 * build->mark + (isSeen ? 0 : 1);
    return isSeen;
}

/// Flood the faces that the point sees, from one of them, into `visible`.
static void findVisible(sdHullBuild* build, int32_t point, int32_t first) {
    build->mark += 1;
    build->visible.count = 1;
    build->visible.data[0] = first;
    build->faces.data[first].mark = 2 * build->mark;
    for (int i = 0; i < build->visible.count; ++i) {
        for (int k = 0; k < 3; ++k) {
            int32_t next = build->faces.data[build->visible.data[i]].twin[k] / 3;
            if (looksAt(build, point, next)) {
                build->visible.data[build->visible.count++] = next;
            }
        }
    }
}

/// Remove the visible faces, keeping their outline and their points.
static void openHole(sdHullBuild* build, int32_t point) {
    build->horizon.count = 0;
    build->orphans.count = 0;
    for (int i = 0; i < build->visible.count; ++i) {
        const sdHullFace* face = &build->faces.data[build->visible.data[i]];
        for (int k = 0; k < 3; ++k) {
            if (build->faces.data[face->twin[k] / 3].mark == 2 * build->mark + 1) {
                build->horizon.data[build->horizon.count++] = (sdHullHorizon){
                    face->vertex[k], face->vertex[k == 2 ? 0 : k + 1], face->twin[k]};
            }
        }
        for (int32_t p = face->firstPoint; p != SD_NULL_INDEX; p = build->nextPoint[p]) {
            if (p != point) {
                build->orphans.data[build->orphans.count++] = p;
            }
        }
    }
    for (int i = 0; i < build->visible.count; ++i) {
        freeFace(build, build->visible.data[i]);
    }
}

/// Close the hole by triangles between the point and the horizon, which is one simple loop.
static void closeHole(sdHullBuild* build, int32_t point) {
    build->created.count = 0;
    for (int i = 0; i < build->horizon.count; ++i) {
        sdHullHorizon edge = build->horizon.data[i];
        int32_t face = addFace(build, edge.from, edge.to, point);
        linkTwins(build, 3 * face, edge.twin);
        build->fanFace[edge.from] = face;
    }
    for (int i = 0; i < build->horizon.count; ++i) {
        sdHullHorizon edge = build->horizon.data[i];
        linkTwins(build, 3 * build->fanFace[edge.from] + 1, 3 * build->fanFace[edge.to] + 2);
    }
}

sdResult sdHullBuild_AddPoint(sdHullBuild* build, int32_t point, int32_t face) {
    sdResult result = reserve(build);
    if (result != SD_OK) {
        return result;
    }
    findVisible(build, point, face);
    openHole(build, point);
    closeHole(build, point);
    return SD_OK;
}

double sdHullBuild_Height(sdHullBuild* build, int32_t point, int32_t face, int32_t* furthest) {
    findVisible(build, point, face);
    double best = -1.0;
    for (int i = 0; i < build->visible.count; ++i) {
        int32_t index = build->visible.data[i];
        double distance =
            sdHullPlane_Distance(&build->faces.data[index].plane, build->points[point]);
        if (distance > best) {
            best = distance;
            *furthest = index;
        }
    }
    return best;
}
