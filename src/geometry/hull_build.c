// SPDX-License-Identifier: MIT
// hull_build.c - points on a lattice, the first tetrahedron, and adding a point to a hull.
//
// In:   finite points.
// Out:  triangles that are exactly the boundary of the convex hull of the points added so far.
// Ref:  S0 §6.1.2 (volume of a tetrahedron as the test of visibility; the horizon).
// Note: S0 (6.3) writes the points as (x, y, y), its determinant is six times the volume, and with
//       its rows and columns a point on the positive side of a counter-clockwise triangle gives a
//       negative one. Here a point sees a face when the volume over it is positive.

#include "geometry/hull.h"
#include "geometry/hull_kernel.h"

/// As in qhull: rounding of a distance between a point and a plane through three points, where
/// coordinates carry float rounding. Times FLT_EPSILON and the sum of the box's half extents.
#define TOLERANCE_FACTOR 3.0

/// Thinner sets count as flat: with so few tolerances between bottom and top, side faces could not
/// be told from rounding.
#define FLAT_FACTOR 4.0

/// Steps. Computed distances above it have the right sign: coordinates have 25 bits, so rounding of
/// the four terms of a distance is below 2^-23.
#define SURE_DISTANCE (1.0 / 1048576.0)

/// Faces that room is made for at first: what a small hull needs.
#define FIRST_CAPACITY 64

/// Orphans whose distances are computed together.
#define ORPHAN_BATCH 64

/// Twice as much and one must fit into an int32.
#define MAX_MARK (INT32_MAX / 2 - 1)

/// Where exact integers are split in two: sums of three products of parts fit in 63 bits.
#define SPLIT ((int64_t)1 << 27)

// ---- lattice -------------------------------------------------------------------------------

/// To the nearest whole number, for numbers far below 2^51.
static double roundToWhole(double x) {
    const double shift = 6755399441055744.0; // 1.5 * 2^52: no bits are left for a fraction
    return (x + shift) - shift;
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
        build->points[i].x = roundToWhole(((double)p.x - build->center[0]) * scale);
        build->points[i].y = roundToWhole(((double)p.y - build->center[1]) * scale);
        build->points[i].z = roundToWhole(((double)p.z - build->center[2]) * scale);
        build->nextPoint[i] = SD_NULL_INDEX;
    }
}

static sdResult allocateBlock(sdHullBuild* build) {
    sdBlockLayout layout = {0};
    size_t count = (size_t)build->pointCount;
    size_t points = sdBlockLayout_Add(&layout, count, sizeof(sdHullPoint));
    size_t nextPoint = sdBlockLayout_Add(&layout, count, sizeof(int32_t));
    size_t pointFace = sdBlockLayout_Add(&layout, count, sizeof(int32_t));
    size_t orphans = sdBlockLayout_Add(&layout, count, sizeof(int32_t));
    char* block = layout.overflow ? NULL : sdAlloc(&build->context->allocator, layout.size);
    if (block == NULL) {
        return sdFailMemory(build->context, "sdHull_Create", layout.size);
    }
    build->block = block;
    build->blockSize = layout.size;
    build->points = (sdHullPoint*)(block + points);
    build->nextPoint = (int32_t*)(block + nextPoint);
    build->pointFace = (int32_t*)(block + pointFace);
    build->orphans = (int32_t*)(block + orphans);
    return SD_OK;
}

sdResult sdHullBuild_Init(sdHullBuild* build, const sdContext* context, const sdHullDef* def,
                          sdAABB box) {
    *build = (sdHullBuild){
        .context = context,
        .input = def->points,
        .pointCount = def->pointCount,
        .maxVertexCount = def->maxVertexCount > 0 ? def->maxVertexCount : INT_MAX,
        .firstFree = SD_NULL_INDEX,
    };
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
    sdHullCreatedArray_Free(&build->created, allocator);
    sdHullPlaneArray_Free(&build->planes, allocator);
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

int sdHullBuild_Side(const sdHullBuild* build, const int32_t corners[3], int32_t p) {
    sdHullPoint a = build->points[corners[0]];
    sdHullPoint ab = sdHullPoint_Sub(build->points[corners[1]], a);
    sdHullPoint ac = sdHullPoint_Sub(build->points[corners[2]], a);
    return exactSign(sdHullPoint_Cross(ab, ac), sdHullPoint_Sub(build->points[p], a));
}

/// Strictly above the face's plane, without error.
static bool sees(const sdHullBuild* build, int32_t point, const sdHullFace* face) {
    double distance = sdHullPlane_Distance(&face->plane, build->points[point]);
    if (distance > SURE_DISTANCE || distance < -SURE_DISTANCE) {
        return distance > 0.0;
    }
    return sdHullBuild_Side(build, face->vertex, point) > 0;
}

int32_t sdHullBuild_AddFace(sdHullBuild* build, int32_t v0, int32_t v1, int32_t v2) {
    int32_t index = build->firstFree;
    if (index != SD_NULL_INDEX) {
        build->firstFree = build->faces.data[index].vertex[0];
    } else {
        index = build->faces.count++;
    }
    sdHullPoint a = build->points[v0];
    sdHullPoint n = sdHullPoint_Cross(sdHullPoint_Sub(build->points[v1], a),
                                      sdHullPoint_Sub(build->points[v2], a));
    double inverse = 1.0 / sqrt(sdHullPoint_Dot(n, n));
    sdHullFace* face = &build->faces.data[index];
    face->plane = (sdHullPlane){n.x * inverse, n.y * inverse, n.z * inverse, 0.0};
    face->plane.offset = sdHullPlane_Distance(&face->plane, a);
    face->vertex[0] = v0;
    face->vertex[1] = v1;
    face->vertex[2] = v2;
    face->firstPoint = SD_NULL_INDEX;
    face->mark = 0;
    build->liveFaceCount += 1;
    build->created.data[build->created.count++] = (sdHullCreated){0.0, index};
    build->planes.data[build->planes.count++] = face->plane;
    return index;
}

void sdHullBuild_RemoveFace(sdHullBuild* build, int32_t index) {
    sdHullFace* face = &build->faces.data[index];
    for (int32_t p = face->firstPoint; p != SD_NULL_INDEX; p = build->nextPoint[p]) {
        build->orphans[build->orphanCount++] = p;
    }
    face->mark = SD_HULL_FREE;
    face->vertex[0] = build->firstFree;
    build->firstFree = index;
    build->liveFaceCount -= 1;
}

sdResult sdHullBuild_Reserve(sdHullBuild* build, int removedCount, int addedCount) {
    const sdAllocator* allocator = &build->context->allocator;
    int64_t slots = (int64_t)build->liveFaceCount - removedCount + addedCount;
    // twice as much each time: faces are the bulk, and moving them costs more than room
    slots = slots <= build->faces.capacity ? slots : sdMaxI(FIRST_CAPACITY, (int)(2 * slots));
    if (!sdHullFaceArray_Reserve(&build->faces, allocator, slots) ||
        !sdHullHorizonArray_Reserve(&build->horizon, allocator, addedCount) ||
        !sdHullCreatedArray_Reserve(&build->created, allocator, addedCount) ||
        !sdHullPlaneArray_Reserve(&build->planes, allocator, addedCount)) {
        return sdFailMemory(build->context, "sdHull_Create", sizeof(sdHullFace) * (size_t)slots);
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
            sdHullPoint d = sdHullPoint_Sub(build->points[extremes[j]], build->points[extremes[i]]);
            if (sdHullPoint_Dot(d, d) > best) {
                best = sdHullPoint_Dot(d, d);
                pair[0] = extremes[i];
                pair[1] = extremes[j];
            }
        }
    }
}

/// @return distance of the point furthest from the line
static double findFurthestFromLine(const sdHullBuild* build, int32_t a, int32_t b, int32_t* out) {
    sdHullPoint origin = build->points[a];
    sdHullPoint along = sdHullPoint_Sub(build->points[b], origin);
    double best = -1.0;
    for (int32_t i = 0; i < build->pointCount; ++i) {
        sdHullPoint area = sdHullPoint_Cross(along, sdHullPoint_Sub(build->points[i], origin));
        double squared = sdHullPoint_Dot(area, area);
        if (squared > best) {
            best = squared;
            *out = i;
        }
    }
    return sqrt(best / sdHullPoint_Dot(along, along));
}

/// @return signed distance of the point furthest from the plane
static double findFurthestFromPlane(const sdHullBuild* build, const int32_t c[3], int32_t* out) {
    sdHullPoint a = build->points[c[0]];
    sdHullPoint n = sdHullPoint_Cross(sdHullPoint_Sub(build->points[c[1]], a),
                                      sdHullPoint_Sub(build->points[c[2]], a));
    double best = 0.0;
    *out = c[0];
    for (int32_t i = 0; i < build->pointCount; ++i) {
        double volume = sdHullPoint_Dot(n, sdHullPoint_Sub(build->points[i], a));
        if (fabs(volume) > fabs(best)) {
            best = volume;
            *out = i;
        }
    }
    return best / sqrt(sdHullPoint_Dot(n, n));
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
    sdResult result = sdHullBuild_Reserve(build, 0, 4);
    if (result != SD_OK) {
        return result;
    }
    // the fourth corner must not see the first face
    if (height > 0.0) {
        int32_t swap = c[1];
        c[1] = c[2];
        c[2] = swap;
    }
    build->created.count = build->planes.count = 0;
    int32_t base = sdHullBuild_AddFace(build, c[0], c[1], c[2]);
    int32_t side[3];
    for (int i = 0; i < 3; ++i) {
        side[i] = sdHullBuild_AddFace(build, c[(i + 1) % 3], c[i], c[3]);
        sdHullBuild_Link(build, 3 * base + i, 3 * side[i]);
    }
    for (int i = 0; i < 3; ++i) {
        sdHullBuild_Link(build, 3 * side[i] + 1, 3 * side[(i + 2) % 3] + 2);
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
    bool isSeen = sees(build, point, face);
    face->mark = 2 * build->mark + (isSeen ? 0 : 1);
    return isSeen;
}

static void resetMarks(sdHullBuild* build) {
    for (int32_t i = 0; i < build->faces.count; ++i) {
        sdHullFace* face = &build->faces.data[i];
        face->mark = face->mark == SD_HULL_FREE ? SD_HULL_FREE : 0;
    }
    build->mark = 0;
}

/// Flood the faces that the point sees, from one of them, into `visible`.
static sdResult findVisible(sdHullBuild* build, int32_t point, int32_t first) {
    if (build->mark >= MAX_MARK) {
        resetMarks(build);
    }
    build->mark += 1;
    build->visible.count = 0;
    build->faces.data[first].mark = 2 * build->mark;
    bool isStored = sdIntArray_Push(&build->visible, &build->context->allocator, first);
    for (int i = 0; i < build->visible.count; ++i) {
        for (int k = 0; k < 3; ++k) {
            int32_t next = build->faces.data[build->visible.data[i]].twin[k] / 3;
            if (looksAt(build, point, next)) {
                isStored =
                    isStored && sdIntArray_Push(&build->visible, &build->context->allocator, next);
            }
        }
    }
    return isStored ? SD_OK
                    : sdFailMemory(build->context, "sdHull_Create",
                                   sizeof(int) * (size_t)build->visible.count);
}

/// Remove the visible faces, keeping their outline and their points.
static void openHole(sdHullBuild* build) {
    build->horizon.count = 0;
    build->orphanCount = 0;
    for (int i = 0; i < build->visible.count; ++i) {
        const sdHullFace* face = &build->faces.data[build->visible.data[i]];
        for (int k = 0; k < 3; ++k) {
            if (build->faces.data[face->twin[k] / 3].mark == 2 * build->mark + 1) {
                build->horizon.data[build->horizon.count++] = (sdHullHorizon){
                    face->vertex[k], face->vertex[k == 2 ? 0 : k + 1], face->twin[k]};
            }
        }
    }
    for (int i = 0; i < build->visible.count; ++i) {
        sdHullBuild_RemoveFace(build, build->visible.data[i]);
    }
}

/// Close the hole by triangles between the point and the horizon, which is one simple loop. None of
/// them is degenerate: a point that sees a face strictly is not on the line of any of its edges.
static void closeHole(sdHullBuild* build, int32_t point) {
    build->created.count = build->planes.count = 0;
    for (int i = 0; i < build->horizon.count; ++i) {
        sdHullHorizon edge = build->horizon.data[i];
        int32_t face = sdHullBuild_AddFace(build, edge.from, edge.to, point);
        sdHullBuild_Link(build, 3 * face, edge.twin);
        build->pointFace[edge.from] = face;
    }
    for (int i = 0; i < build->horizon.count; ++i) {
        sdHullHorizon edge = build->horizon.data[i];
        sdHullBuild_Link(build, 3 * build->pointFace[edge.from] + 1,
                         3 * build->pointFace[edge.to] + 2);
    }
}

sdResult sdHullBuild_AddPoint(sdHullBuild* build, int32_t point, int32_t face) {
    sdResult result = findVisible(build, point, face);
    if (result == SD_OK) {
        // a disk of triangles has at most two edges more than faces
        result = sdHullBuild_Reserve(build, build->visible.count, build->visible.count + 2);
    }
    if (result != SD_OK) {
        return result;
    }
    openHole(build);
    closeHole(build, point);
    return SD_OK;
}

// ---- points above faces --------------------------------------------------------------------

void sdHullBuild_Give(sdHullBuild* build, int32_t point, int32_t face, bool isFurthest) {
    int32_t* first = &build->faces.data[face].firstPoint;
    // furthest or not, the list keeps its head if the new one is not furthest
    int32_t* place = isFurthest || *first == SD_NULL_INDEX ? first : &build->nextPoint[*first];
    build->nextPoint[point] = *place;
    *place = point;
}

/// Whether the orphan sees any of the new faces, when its distance from the furthest is so small
/// that its sign may be wrong.
static int findSeen(const sdHullBuild* build, int32_t point) {
    for (int i = 0; i < build->created.count; ++i) {
        if (sees(build, point, &build->faces.data[build->created.data[i].face])) {
            return i;
        }
    }
    return SD_NULL_INDEX;
}

void sdHullBuild_Partition(sdHullBuild* build) {
    double distances[ORPHAN_BATCH];
    int32_t nearest[ORPHAN_BATCH];
    for (int begin = 0; begin < build->orphanCount; begin += ORPHAN_BATCH) {
        int count = sdMinI(ORPHAN_BATCH, build->orphanCount - begin);
        const int32_t* orphans = build->orphans + begin;
        SD_DISPATCH(sdHullKernel_Furthest)
        (build->points, orphans, count, build->planes.data, build->planes.count, nearest,
         distances);
        for (int i = 0; i < count; ++i) {
            int k = distances[i] > SURE_DISTANCE    ? nearest[i]
                    : distances[i] > -SURE_DISTANCE ? findSeen(build, orphans[i])
                                                    : SD_NULL_INDEX;
            if (k == SD_NULL_INDEX) {
                continue;
            }
            sdHullCreated* created = &build->created.data[k];
            bool isFurthest = distances[i] > created->reach;
            created->reach = isFurthest ? distances[i] : created->reach;
            sdHullBuild_Give(build, orphans[i], created->face, isFurthest);
        }
    }
}

/// Largest distance of the point from the planes of the faces that it sees, found by walking from
/// one that it sees.
static sdResult findHeight(sdHullBuild* build, int32_t point, int32_t* face, double* height) {
    sdResult result = findVisible(build, point, *face);
    *height = -DBL_MAX;
    for (int i = 0; i < build->visible.count; ++i) {
        int32_t index = build->visible.data[i];
        double d = sdHullPlane_Distance(&build->faces.data[index].plane, build->points[point]);
        if (d > *height) {
            *height = d;
            *face = index;
        }
    }
    return result;
}

sdResult sdHullBuild_Settle(sdHullBuild* build) {
    build->orphanCount = 0;
    for (int32_t i = 0; i < build->faces.count; ++i) {
        sdHullFace* face = &build->faces.data[i];
        if (face->mark == SD_HULL_FREE) {
            continue;
        }
        for (int32_t p = face->firstPoint; p != SD_NULL_INDEX; p = build->nextPoint[p]) {
            build->orphans[build->orphanCount++] = p;
            build->pointFace[p] = i;
        }
        face->firstPoint = SD_NULL_INDEX;
    }
    build->deviation = 0.0;
    for (int i = 0; i < build->orphanCount; ++i) {
        int32_t point = build->orphans[i];
        int32_t face = build->pointFace[point];
        double height;
        sdResult result = findHeight(build, point, &face, &height);
        if (result != SD_OK) {
            return result;
        }
        build->deviation = height > build->deviation ? height : build->deviation;
        const sdHullFace* f = &build->faces.data[face];
        bool isFurthest = f->firstPoint == SD_NULL_INDEX ||
                          height > sdHullPlane_Distance(&f->plane, build->points[f->firstPoint]);
        sdHullBuild_Give(build, point, face, isFurthest);
    }
    return SD_OK;
}
