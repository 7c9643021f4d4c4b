// SPDX-License-Identifier: MIT
// hull_merge.c - triangles that lie in one plane become one polygon.
//
// In:   triangles, exactly convex.
// Out:  polygons, flat and convex within the tolerance; no two neighbours lie in one plane within
//       the tolerance; vertices in the middle of a polygon or of a straight edge are gone.
// Note: regions grow from large triangles to small ones, so that the plane that decides is the one
//       that is known best. Since the solid is convex, its surface within a tolerance of a
//       supporting plane is a cap, so a region is a disk.

#include "geometry/hull.h"

#include <stdlib.h>

/// Regions are refitted and grown again until nothing changes; a second pass is rare, a third was
/// never seen to change anything.
#define MAX_PASSES 8

/// Repairs before merging is given up altogether, which keeps the triangles: right, if not pretty.
#define MAX_REPAIRS 16

/// Values of Merge.degree beside a count.
#define DEGREE_DROPPED (-1) ///< in the middle of a straight edge
#define DEGREE_KEPT 3       ///< at least

typedef struct Region {
    sdHullPlane plane;
    sdHullPoint area; ///< sum of the triangles' normals, each as long as twice its area
    double areaSum;   ///< sum of their lengths
    double moment;    ///< sum of normal · vertex: the offset of the sum of all planes
    int32_t root;     ///< first triangle of the region that this triangle belongs to
    int32_t next;     ///< next triangle of the region
    int32_t last;     ///< of a root: last triangle of its region
    int32_t outline;  ///< of a root: half-edges around the region
    bool isAlone;     ///< must not be merged
} Region;

typedef struct Merge {
    sdHullBuild* build;
    void* block;
    size_t blockSize;
    Region* regions; ///< by face
    int32_t* order;  ///< triangles beside a flat edge, the largest first
    int orderCount;
    int32_t* degree;  ///< by vertex: edges of polygons
    sdIntArray chain; ///< vertices between two corners
    sdIntArray stack;
} Merge;

static sdHullPoint subtract(sdHullPoint a, sdHullPoint b) {
    return (sdHullPoint){a.x - b.x, a.y - b.y, a.z - b.z};
}

static sdHullPoint cross(sdHullPoint a, sdHullPoint b) {
    return (sdHullPoint){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(sdHullPoint a, sdHullPoint b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static int32_t rootAcross(const Merge* merge, int32_t halfEdge) {
    return merge->regions[sdHullBuild_Twin(merge->build, halfEdge) / 3].root;
}

static bool isOutline(const Merge* merge, int32_t halfEdge) {
    return rootAcross(merge, halfEdge) != merge->regions[halfEdge / 3].root;
}

/// The next half-edge of the outline of the region to the left.
static int32_t nextOutline(const Merge* merge, int32_t halfEdge) {
    int32_t e = sdHullBuild_Next(halfEdge);
    while (!isOutline(merge, e)) {
        e = sdHullBuild_Next(sdHullBuild_Twin(merge->build, e));
    }
    return e;
}

// ---- growing regions -----------------------------------------------------------------------

static void startRegion(Merge* merge, int32_t face) {
    const sdHullBuild* build = merge->build;
    const sdHullFace* f = &build->faces.data[face];
    Region* region = &merge->regions[face];
    sdHullPoint a = build->points[f->vertex[0]];
    region->area =
        cross(subtract(build->points[f->vertex[1]], a), subtract(build->points[f->vertex[2]], a));
    region->areaSum = sqrt(dot(region->area, region->area));
    region->moment = dot(region->area, a);
    region->plane = f->plane;
    region->root = face;
    region->next = SD_NULL_INDEX;
    region->last = face;
}

/// One of the two triangles at the edge lies in the other's plane.
static bool isFlat(const Merge* merge, int32_t halfEdge) {
    const sdHullBuild* build = merge->build;
    int32_t twin = sdHullBuild_Twin(build, halfEdge);
    const sdHullFace* f = &build->faces.data[halfEdge / 3];
    const sdHullFace* g = &build->faces.data[twin / 3];
    sdHullPoint p = build->points[f->vertex[(halfEdge + 2) % 3]];
    sdHullPoint q = build->points[g->vertex[(twin + 2) % 3]];
    return sdHullPlane_Distance(&f->plane, q) >= -build->tolerance ||
           sdHullPlane_Distance(&g->plane, p) >= -build->tolerance;
}

typedef struct Seed {
    double area;
    int32_t face;
} Seed;

/// Every triangle of the region is within the tolerance of the plane.
static bool fits(const Merge* merge, int32_t root, const sdHullPlane* plane) {
    const sdHullBuild* build = merge->build;
    for (int32_t t = root; t != SD_NULL_INDEX; t = merge->regions[t].next) {
        for (int k = 0; k < 3; ++k) {
            sdHullPoint p = build->points[build->faces.data[t].vertex[k]];
            if (fabs(sdHullPlane_Distance(plane, p)) > build->tolerance) {
                return false;
            }
        }
    }
    return !merge->regions[root].isAlone;
}

static void absorb(Merge* merge, int32_t root, int32_t other) {
    Region* region = &merge->regions[root];
    const Region* added = &merge->regions[other];
    merge->regions[region->last].next = other;
    region->last = added->last;
    region->area.x += added->area.x;
    region->area.y += added->area.y;
    region->area.z += added->area.z;
    region->areaSum += added->areaSum;
    region->moment += added->moment;
    for (int32_t t = other; t != SD_NULL_INDEX; t = merge->regions[t].next) {
        merge->regions[t].root = root;
    }
}

/// Normal by area, offset halfway between the highest and the lowest vertex.
static void refit(Merge* merge, int32_t root) {
    const sdHullBuild* build = merge->build;
    Region* region = &merge->regions[root];
    double inverse = 1.0 / sqrt(dot(region->area, region->area));
    sdHullPlane plane = {region->area.x * inverse, region->area.y * inverse,
                         region->area.z * inverse, 0.0};
    double low = DBL_MAX, high = -DBL_MAX;
    for (int32_t t = root; t != SD_NULL_INDEX; t = merge->regions[t].next) {
        for (int k = 0; k < 3; ++k) {
            double d = sdHullPlane_Distance(&plane, build->points[build->faces.data[t].vertex[k]]);
            low = d < low ? d : low;
            high = d > high ? d : high;
        }
    }
    plane.offset = 0.5 * (low + high);
    region->plane = plane;
}

static bool growRegion(Merge* merge, int32_t root) {
    bool isGrown = false;
    const sdHullPlane plane = merge->regions[root].plane;
    for (int32_t t = root; t != SD_NULL_INDEX; t = merge->regions[t].next) {
        for (int k = 0; k < 3; ++k) {
            int32_t other = rootAcross(merge, 3 * t + k);
            if (other != root && fits(merge, other, &plane)) {
                absorb(merge, root, other);
                isGrown = true;
            }
        }
    }
    if (isGrown) {
        refit(merge, root);
    }
    return isGrown;
}

static int compareSeeds(const void* a, const void* b) {
    const Seed* s = a;
    const Seed* t = b;
    if (s->area != t->area) {
        return s->area > t->area ? -1 : 1;
    }
    return s->face < t->face ? -1 : 1;
}

static void growRegions(Merge* merge, Seed* seeds) {
    const sdHullBuild* build = merge->build;
    int count = 0;
    for (int32_t i = 0; i < build->faces.count; ++i) {
        if (build->faces.data[i].mark == SD_HULL_FREE) {
            continue;
        }
        startRegion(merge, i);
        if (!merge->regions[i].isAlone &&
            (isFlat(merge, 3 * i) || isFlat(merge, 3 * i + 1) || isFlat(merge, 3 * i + 2))) {
            seeds[count++] = (Seed){merge->regions[i].areaSum, i};
        }
    }
    // equal elements do not exist, so every sort gives the same order
    qsort(seeds, (size_t)count, sizeof(Seed), compareSeeds);
    bool isChanged = count > 0;
    for (int pass = 0; pass < MAX_PASSES && isChanged; ++pass) {
        isChanged = false;
        for (int i = 0; i < count; ++i) {
            int32_t face = seeds[i].face;
            if (merge->regions[face].root == face) {
                isChanged = growRegion(merge, face) || isChanged;
            }
        }
    }
}

// ---- straight edges ------------------------------------------------------------------------

static void countDegrees(Merge* merge) {
    const sdHullBuild* build = merge->build;
    memset(merge->degree, 0, (size_t)build->pointCount * sizeof(int32_t));
    for (int32_t i = 0; i < build->faces.count; ++i) {
        merge->regions[i].outline = 0;
    }
    for (int32_t i = 0; i < build->faces.count; ++i) {
        for (int k = 0; k < 3 && build->faces.data[i].mark != SD_HULL_FREE; ++k) {
            if (isOutline(merge, 3 * i + k)) {
                merge->degree[build->faces.data[i].vertex[k]] += 1;
                merge->regions[merge->regions[i].root].outline += 1;
            }
        }
    }
}

static double distanceToSegment(sdHullPoint p, sdHullPoint a, sdHullPoint b) {
    sdHullPoint ab = subtract(b, a), ap = subtract(p, a);
    double t = dot(ab, ap) / dot(ab, ab);
    t = t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t);
    sdHullPoint d = {ap.x - t * ab.x, ap.y - t * ab.y, ap.z - t * ab.z};
    return sqrt(dot(d, d));
}

/// Drop the vertices between two corners that are on a straight line within the tolerance (Douglas
/// and Peucker 1973). Room on the stack must have been reserved.
static void straightenChain(Merge* merge) {
    const sdHullPoint* points = merge->build->points;
    const int* chain = merge->chain.data;
    int top = 0;
    merge->stack.data[top++] = 0;
    merge->stack.data[top++] = merge->chain.count - 1;
    while (top > 0) {
        int end = merge->stack.data[--top];
        int begin = merge->stack.data[--top];
        double furthest = -1.0;
        int corner = begin;
        for (int i = begin + 1; i < end; ++i) {
            double d =
                distanceToSegment(points[chain[i]], points[chain[begin]], points[chain[end]]);
            if (d > furthest) {
                furthest = d;
                corner = i;
            }
        }
        if (furthest > merge->build->tolerance) {
            merge->degree[chain[corner]] = DEGREE_KEPT;
            merge->stack.data[top++] = begin;
            merge->stack.data[top++] = corner;
            merge->stack.data[top++] = corner;
            merge->stack.data[top++] = end;
            continue;
        }
        for (int i = begin + 1; i < end; ++i) {
            merge->degree[chain[i]] = DEGREE_DROPPED;
        }
    }
}

/// Chains start at corners, where three polygons or more meet.
static bool straightenEdges(Merge* merge) {
    const sdHullBuild* build = merge->build;
    const sdAllocator* allocator = &build->context->allocator;
    for (int32_t h = 0; h < 3 * build->faces.count; ++h) {
        if (build->faces.data[h / 3].mark == SD_HULL_FREE || !isOutline(merge, h) ||
            merge->degree[sdHullBuild_Origin(build, h)] < 3) {
            continue;
        }
        merge->chain.count = 0;
        int32_t e = h, vertex = sdHullBuild_Origin(build, h);
        bool isStored = sdIntArray_Push(&merge->chain, allocator, vertex);
        do {
            e = nextOutline(merge, e);
            vertex = sdHullBuild_Origin(build, e);
            isStored = isStored && sdIntArray_Push(&merge->chain, allocator, vertex);
        } while (isStored && merge->degree[vertex] == 2);
        if (!isStored ||
            !sdIntArray_Reserve(&merge->stack, allocator, 2 * (int64_t)merge->chain.count + 4)) {
            return false;
        }
        straightenChain(merge);
    }
    return true;
}

// ---- polygons ------------------------------------------------------------------------------

/// The corners of a region.
/// @return false when memory is short; *isGood tells whether they make a convex polygon
static bool addPolygon(Merge* merge, int32_t root, sdHullPolygons* out, bool* isGood) {
    const sdHullBuild* build = merge->build;
    const sdAllocator* allocator = &build->context->allocator;
    int32_t first = SD_NULL_INDEX;
    for (int32_t t = root; t != SD_NULL_INDEX && first < 0; t = merge->regions[t].next) {
        for (int k = 0; k < 3 && first < 0; ++k) {
            first = isOutline(merge, 3 * t + k) ? 3 * t + k : SD_NULL_INDEX;
        }
    }
    *isGood = first >= 0;
    int start = out->vertices.count, length = 0;
    for (int32_t e = first; *isGood && (e != first || length == 0);) {
        int32_t vertex = sdHullBuild_Origin(build, e);
        if (merge->degree[vertex] != DEGREE_DROPPED &&
            !sdIntArray_Push(&out->vertices, allocator, vertex)) {
            return false;
        }
        length += 1;
        e = nextOutline(merge, e);
    }
    // one loop around the region, and not a lens between two neighbours
    int count = out->vertices.count - start;
    *isGood = *isGood && length == merge->regions[root].outline && count >= 3;
    const sdHullPlane* plane = &merge->regions[root].plane;
    sdHullPoint normal = {plane->x, plane->y, plane->z};
    const int* v = out->vertices.data + start;
    for (int i = 0; *isGood && count > 3 && i < count; ++i) {
        sdHullPoint a = build->points[v[i]];
        sdHullPoint b = build->points[v[(i + 1) % count]];
        sdHullPoint ac = subtract(build->points[v[(i + 2) % count]], a);
        double turn = dot(normal, cross(subtract(b, a), ac));
        *isGood = turn >= -build->tolerance * sqrt(dot(ac, ac));
    }
    return true;
}

/// A point's distance from the sum of all planes of a region is the weighted sum of its distances
/// from them, which are known not to pass build->deviation.
static double deviationOf(const Merge* merge, int32_t root) {
    const Region* region = &merge->regions[root];
    double inverse = 1.0 / sqrt(dot(region->area, region->area));
    return region->areaSum * inverse * merge->build->deviation + region->moment * inverse -
           region->plane.offset;
}

static bool addPolygons(Merge* merge, sdHullPolygons* out, int* badCount) {
    const sdHullBuild* build = merge->build;
    const sdAllocator* allocator = &build->context->allocator;
    out->starts.count = out->vertices.count = out->planes.count = 0;
    out->deviation = 0.0;
    *badCount = 0;
    for (int32_t i = 0; i < build->faces.count; ++i) {
        if (build->faces.data[i].mark == SD_HULL_FREE || merge->regions[i].root != i) {
            continue;
        }
        bool isGood;
        if (!sdIntArray_Push(&out->starts, allocator, out->vertices.count) ||
            !sdHullPlaneArray_Push(&out->planes, allocator, merge->regions[i].plane) ||
            !addPolygon(merge, i, out, &isGood)) {
            return false;
        }
        double deviation = deviationOf(merge, i);
        out->deviation = deviation > out->deviation ? deviation : out->deviation;
        for (int32_t t = i; t != SD_NULL_INDEX && !isGood; t = merge->regions[t].next) {
            merge->regions[t].isAlone = true;
        }
        *badCount += isGood ? 0 : 1;
    }
    return sdIntArray_Push(&out->starts, allocator, out->vertices.count);
}

static sdResult mergeAll(Merge* merge, Seed* seeds, sdHullPolygons* out) {
    for (int repair = 0; repair <= MAX_REPAIRS; ++repair) {
        for (int32_t i = 0; repair == MAX_REPAIRS && i < merge->build->faces.count; ++i) {
            merge->regions[i].isAlone = true;
        }
        growRegions(merge, seeds);
        countDegrees(merge);
        int badCount = 0;
        if (!straightenEdges(merge) || !addPolygons(merge, out, &badCount)) {
            return sdFailMemory(merge->build->context, "sdHull_Create", merge->blockSize);
        }
        if (badCount == 0) {
            break;
        }
    }
    return SD_OK;
}

sdResult sdHullBuild_Merge(sdHullBuild* build, sdHullPolygons* out) {
    const sdAllocator* allocator = &build->context->allocator;
    sdBlockLayout layout = {0};
    size_t regions = sdBlockLayout_Add(&layout, (size_t)build->faces.count, sizeof(Region));
    size_t seeds = sdBlockLayout_Add(&layout, (size_t)build->faces.count, sizeof(Seed));
    size_t degree = sdBlockLayout_Add(&layout, (size_t)build->pointCount, sizeof(int32_t));
    char* block = layout.overflow ? NULL : sdAllocZero(allocator, layout.size);
    if (block == NULL) {
        return sdFailMemory(build->context, "sdHull_Create", layout.size);
    }
    Merge merge = {
        .build = build,
        .block = block,
        .blockSize = layout.size,
        .regions = (Region*)(block + regions),
        .degree = (int32_t*)(block + degree),
    };
    sdResult result = mergeAll(&merge, (Seed*)(block + seeds), out);
    sdIntArray_Free(&merge.chain, allocator);
    sdIntArray_Free(&merge.stack, allocator);
    sdFree(allocator, block, layout.size);
    return result;
}

void sdHullPolygons_Free(sdHullPolygons* polygons, const sdAllocator* allocator) {
    sdIntArray_Free(&polygons->starts, allocator);
    sdIntArray_Free(&polygons->vertices, allocator);
    sdHullPlaneArray_Free(&polygons->planes, allocator);
}
