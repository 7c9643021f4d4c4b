// SPDX-License-Identifier: MIT
// hull_merge.c - triangles that lie in one plane become one polygon.
//
// In:   triangles, exactly convex.
// Out:  polygons, flat and convex within the tolerance; no two neighbours lie in one plane within
//       the tolerance; vertices in the middle of a polygon or of a straight edge are gone.
// Note: regions grow from large triangles to small ones, so that the plane that decides is the one
//       that is known best. A vertex where the outline of a region turns inwards lies, seen along
//       the normal, between other vertices of the region, all within a tolerance of the plane; so
//       it sticks out by hardly more than that. It is removed from the hull, like the vertices in
//       the middle of edges and polygons, and merging starts again. In the end the triangles are
//       exactly the hull of the vertices that are left.

#include "geometry/hull.h"

#include <stdlib.h>

/// Regions are refitted and grown again until nothing changes; a third pass is rare.
#define MAX_PASSES 8

/// Times that merging starts again after vertices were removed; four were seen. Then all regions
/// stay triangles, which is right, if not pretty.
#define MAX_REPAIRS 16

/// Values of Merge.root beside a face.
#define ROOT_NEW (-1)   ///< a region of its own, whose Region is not filled in
#define ROOT_ALONE (-2) ///< must not be merged

typedef enum VertexState {
    VERTEX_NEW,
    VERTEX_CORNER,
    VERTEX_STRAIGHT, ///< between two polygons only
    VERTEX_DROPPED,  ///< and in the middle of their common edge, or inside a polygon
    VERTEX_REMOVED   ///< not part of the hull any more
} VertexState;

typedef struct Region {
    sdHullPlane plane;
    sdHullPoint area; ///< sum of the triangles' normals, each as long as twice its area
    double areaSum;   ///< sum of their lengths
    double moment;    ///< sum of normal . vertex: the offset of the sum of all planes
    int32_t next;     ///< of a triangle: the next one of the region
    int32_t last;     ///< of a root: last triangle
} Region;

typedef struct Seed {
    double area;
    int32_t face;
} Seed;

/// A vertex to be removed from the hull.
typedef struct Surplus {
    int32_t vertex; ///< SD_NULL_INDEX: there is none to blame
    int32_t root;   ///< region that it keeps from being a convex polygon; SD_NULL_INDEX: not needed
} Surplus;

SD_DEFINE_ARRAY(SurplusArray, Surplus)

typedef struct Merge {
    sdHullBuild* build;
    size_t blockSize; ///< of the six arrays below
    int32_t* root;    ///< by face: the triangle that names the region
    Region* regions;  ///< by face; filled in for triangles that touch a flat edge only
    Seed* seeds;      ///< those triangles, the largest first
    int32_t* sideOf;  ///< by half-edge: side of a polygon that starts with it
    int32_t* tails;   ///< by side: the last half-edge that it is made of
    uint8_t* state;   ///< by point: VertexState
    int seedCount;
    sdIntArray chain; ///< vertices from one corner to the next
    sdIntArray stack;
    SurplusArray surplus;
    bool isBad; ///< some regions are not convex polygons
} Merge;

static int32_t rootOf(const Merge* merge, int32_t face) {
    return merge->root[face] < 0 ? face : merge->root[face];
}

static bool isOutline(const Merge* merge, int32_t halfEdge) {
    int32_t across = sdHullBuild_Twin(merge->build, halfEdge) / 3;
    return rootOf(merge, across) != rootOf(merge, halfEdge / 3);
}

/// The next half-edge of the outline of the region to the left.
static int32_t nextOutline(const Merge* merge, int32_t halfEdge) {
    int32_t e = sdHullBuild_Next(halfEdge);
    while (!isOutline(merge, e)) {
        e = sdHullBuild_Next(sdHullBuild_Twin(merge->build, e));
    }
    return e;
}

static bool isMerged(const Merge* merge, int32_t face) {
    return merge->root[face] == face && merge->regions[face].next != SD_NULL_INDEX;
}

// ---- growing regions -----------------------------------------------------------------------

static void startRegion(Merge* merge, int32_t face) {
    const sdHullBuild* build = merge->build;
    const sdHullFace* f = &build->faces.data[face];
    Region* region = &merge->regions[face];
    sdHullPoint a = build->points[f->vertex[0]];
    region->area = sdHullPoint_Cross(sdHullPoint_Sub(build->points[f->vertex[1]], a),
                                     sdHullPoint_Sub(build->points[f->vertex[2]], a));
    region->areaSum = sqrt(sdHullPoint_Dot(region->area, region->area));
    region->moment = sdHullPoint_Dot(region->area, a);
    region->plane = f->plane;
    region->next = SD_NULL_INDEX;
    region->last = face;
    merge->root[face] = face;
}

/// Not on opposite sides of a thin blade.
static bool faceAlike(const sdHullPlane* a, const sdHullPlane* b) {
    return a->x * b->x + a->y * b->y + a->z * b->z > 0.0;
}

/// One of the two triangles at the edge lies in the other's plane.
static bool isFlat(const sdHullBuild* build, int32_t face, int k) {
    const sdHullFace* f = &build->faces.data[face];
    int32_t twin = f->twin[k];
    const sdHullFace* g = &build->faces.data[twin / 3];
    sdHullPoint p = build->points[f->vertex[(k + 2) % 3]];
    sdHullPoint q = build->points[g->vertex[(twin + 2) % 3]];
    return (sdHullPlane_Distance(&f->plane, q) >= -build->tolerance ||
            sdHullPlane_Distance(&g->plane, p) >= -build->tolerance) &&
           faceAlike(&f->plane, &g->plane);
}

/// Every triangle of the region is within the tolerance of the plane.
static bool fits(Merge* merge, int32_t root, const sdHullPlane* plane) {
    const sdHullBuild* build = merge->build;
    if (merge->root[root] == ROOT_ALONE) {
        return false;
    }
    if (merge->root[root] == ROOT_NEW) {
        startRegion(merge, root);
    }
    for (int32_t t = root; t != SD_NULL_INDEX; t = merge->regions[t].next) {
        for (int k = 0; k < 3; ++k) {
            sdHullPoint p = build->points[build->faces.data[t].vertex[k]];
            if (fabs(sdHullPlane_Distance(plane, p)) > build->tolerance) {
                return false;
            }
        }
    }
    return faceAlike(plane, &merge->regions[root].plane);
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
        merge->root[t] = root;
    }
}

/// Normal by area, offset halfway between the highest and the lowest vertex.
static void refit(Merge* merge, int32_t root) {
    const sdHullBuild* build = merge->build;
    Region* region = &merge->regions[root];
    double inverse = 1.0 / sqrt(sdHullPoint_Dot(region->area, region->area));
    sdHullPlane plane = {region->area.x * inverse, region->area.y * inverse,
                         region->area.z * inverse, 0.0};
    double low = DBL_MAX, high = -DBL_MAX;
    for (int32_t t = root; t != SD_NULL_INDEX; t = merge->regions[t].next) {
        for (int k = 0; k < 3; ++k) {
            sdHullPoint p = build->points[build->faces.data[t].vertex[k]];
            double d = sdHullPlane_Distance(&plane, p);
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
            int32_t other = rootOf(merge, merge->build->faces.data[t].twin[k] / 3);
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

static void seedTriangle(Merge* merge, int32_t face) {
    if (merge->root[face] == ROOT_NEW) {
        startRegion(merge, face);
        merge->seeds[merge->seedCount++] = (Seed){merge->regions[face].areaSum, face};
    }
}

static void growRegions(Merge* merge) {
    const sdHullBuild* build = merge->build;
    merge->seedCount = 0;
    for (int32_t i = 0; i < build->faces.count; ++i) {
        const sdHullFace* face = &build->faces.data[i];
        for (int k = 0; k < 3 && face->mark != SD_HULL_FREE; ++k) {
            if (3 * i + k < face->twin[k] && isFlat(build, i, k)) {
                seedTriangle(merge, i);
                seedTriangle(merge, face->twin[k] / 3);
            }
        }
    }
    // no two are equal, so that every sort gives the same order
    qsort(merge->seeds, (size_t)merge->seedCount, sizeof(Seed), compareSeeds);
    bool isChanged = true;
    for (int pass = 0; pass < MAX_PASSES && isChanged; ++pass) {
        isChanged = false;
        for (int i = 0; i < merge->seedCount; ++i) {
            int32_t face = merge->seeds[i].face;
            if (merge->root[face] == face) {
                isChanged = growRegion(merge, face) || isChanged;
            }
        }
    }
}

// ---- straight edges ------------------------------------------------------------------------

/// Remember a vertex that is to be removed.
/// @param root region that it spoils, or SD_NULL_INDEX
static bool addSurplus(Merge* merge, int32_t vertex, int32_t root) {
    merge->isBad = merge->isBad || root != SD_NULL_INDEX;
    return SurplusArray_Push(&merge->surplus, &merge->build->context->allocator,
                             (Surplus){vertex, root});
}

/// Edges of polygons at the vertex where the half-edge starts.
static int countDegree(const Merge* merge, int32_t halfEdge) {
    int degree = 0;
    int32_t e = halfEdge;
    do {
        degree += isOutline(merge, e) ? 1 : 0;
        e = sdHullBuild_Next(sdHullBuild_Twin(merge->build, e));
    } while (e != halfEdge);
    return degree;
}

/// Find out about the vertex where the half-edge starts.
static bool classify(Merge* merge, int32_t halfEdge) {
    int32_t vertex = sdHullBuild_Origin(merge->build, halfEdge);
    uint8_t* state = &merge->state[vertex];
    if (*state != VERTEX_NEW) {
        return true;
    }
    int degree = countDegree(merge, halfEdge);
    *state = degree > 2 ? VERTEX_CORNER : (degree == 2 ? VERTEX_STRAIGHT : VERTEX_DROPPED);
    return degree > 0 || addSurplus(merge, vertex, SD_NULL_INDEX);
}

static VertexState stateAt(const Merge* merge, int32_t halfEdge) {
    return (VertexState)merge->state[sdHullBuild_Origin(merge->build, halfEdge)];
}

static double distanceToSegment(sdHullPoint p, sdHullPoint a, sdHullPoint b) {
    sdHullPoint ab = sdHullPoint_Sub(b, a), ap = sdHullPoint_Sub(p, a);
    double t = sdHullPoint_Dot(ab, ap) / sdHullPoint_Dot(ab, ab);
    t = t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t);
    sdHullPoint d = {ap.x - t * ab.x, ap.y - t * ab.y, ap.z - t * ab.z};
    return sqrt(sdHullPoint_Dot(d, d));
}

/// Drop the vertices between two corners that are on a straight line within the tolerance (Douglas
/// and Peucker 1973). The others become corners: both polygons end there, as at the rim of a blade.
/// Room on the stack must have been reserved.
static bool straightenChain(Merge* merge) {
    const sdHullPoint* points = merge->build->points;
    const int* chain = merge->chain.data;
    int top = 0;
    merge->stack.data[top++] = 0;
    merge->stack.data[top++] = merge->chain.count - 1;
    while (top > 0) {
        int end = merge->stack.data[--top];
        int begin = merge->stack.data[--top];
        sdHullPoint a = points[chain[begin]], b = points[chain[end]];
        double furthest = -1.0;
        int corner = begin;
        for (int i = begin + 1; i < end; ++i) {
            double d = distanceToSegment(points[chain[i]], a, b);
            corner = d > furthest ? i : corner;
            furthest = d > furthest ? d : furthest;
        }
        if (furthest > merge->build->tolerance) {
            merge->state[chain[corner]] = VERTEX_CORNER;
            merge->stack.data[top++] = begin;
            merge->stack.data[top++] = corner;
            merge->stack.data[top++] = corner;
            merge->stack.data[top++] = end;
            continue;
        }
        for (int i = begin + 1; i < end; ++i) {
            merge->state[chain[i]] = VERTEX_DROPPED;
            if (!addSurplus(merge, chain[i], SD_NULL_INDEX)) {
                return false;
            }
        }
    }
    return true;
}

/// From a corner, along the outline to the next.
static bool straightenFrom(Merge* merge, int32_t halfEdge) {
    const sdHullBuild* build = merge->build;
    const sdAllocator* allocator = &build->context->allocator;
    merge->chain.count = 0;
    int32_t e = halfEdge;
    bool isStored = sdIntArray_Push(&merge->chain, allocator, sdHullBuild_Origin(build, e));
    do {
        e = nextOutline(merge, e);
        isStored = isStored &&
                   sdIntArray_Push(&merge->chain, allocator, sdHullBuild_Origin(build, e)) &&
                   classify(merge, e);
    } while (isStored && stateAt(merge, e) == VERTEX_STRAIGHT);
    return isStored &&
           sdIntArray_Reserve(&merge->stack, allocator, 2 * (int64_t)merge->chain.count + 4) &&
           straightenChain(merge);
}

/// Only at merged regions can a vertex be between two polygons or inside one.
static bool straightenEdges(Merge* merge) {
    merge->surplus.count = 0;
    merge->isBad = false;
    for (int i = 0; i < merge->seedCount; ++i) {
        int32_t face = merge->seeds[i].face;
        for (int32_t t = isMerged(merge, face) ? face : SD_NULL_INDEX; t != SD_NULL_INDEX;
             t = merge->regions[t].next) {
            for (int32_t e = 3 * t; e < 3 * t + 3; ++e) {
                if (!classify(merge, e) ||
                    (isOutline(merge, e) && stateAt(merge, e) == VERTEX_CORNER &&
                     !straightenFrom(merge, e))) {
                    return false;
                }
            }
        }
    }
    return true;
}

// ---- polygons ------------------------------------------------------------------------------

static int32_t findOutline(const Merge* merge, int32_t root) {
    for (int32_t t = root; t != SD_NULL_INDEX; t = merge->regions[t].next) {
        for (int32_t e = 3 * t; e < 3 * t + 3; ++e) {
            if (isOutline(merge, e)) {
                return e;
            }
        }
    }
    return SD_NULL_INDEX;
}

static int countOutline(const Merge* merge, int32_t root) {
    int count = 0;
    for (int32_t t = root; t != SD_NULL_INDEX; t = merge->regions[t].next) {
        for (int32_t e = 3 * t; e < 3 * t + 3; ++e) {
            count += isOutline(merge, e) ? 1 : 0;
        }
    }
    return count;
}

static void addSide(Merge* merge, int32_t halfEdge, sdHullPolygons* out) {
    sdHullSide side = {sdHullBuild_Origin(merge->build, halfEdge), halfEdge};
    merge->sideOf[halfEdge] = out->sides.count;
    merge->tails[out->sides.count] = halfEdge;
    out->sides.data[out->sides.count++] = side;
}

static bool isDropped(const Merge* merge, int32_t halfEdge) {
    return stateAt(merge, halfEdge) == VERTEX_DROPPED;
}

/// Sides of the region with this half-edge on its outline, from corner to corner.
/// @return half-edges passed
static int addSides(Merge* merge, int32_t first, sdHullPolygons* out) {
    while (isDropped(merge, first)) {
        first = nextOutline(merge, first);
    }
    int length = 0;
    int32_t e = first;
    do {
        if (isDropped(merge, e)) {
            merge->tails[out->sides.count - 1] = e;
        } else {
            addSide(merge, e, out);
        }
        length += 1;
        e = nextOutline(merge, e);
    } while (e != first);
    return length;
}

/// A lens between two straight edges: without the vertices on them it disappears.
static bool findLensFaults(Merge* merge, int32_t first) {
    int32_t e = first;
    do {
        if (isDropped(merge, e) &&
            !addSurplus(merge, sdHullBuild_Origin(merge->build, e), rootOf(merge, e / 3))) {
            return false;
        }
        e = nextOutline(merge, e);
    } while (e != first);
    return true;
}

/// Corners where the outline turns inwards.
static bool findTurnFaults(Merge* merge, const sdHullPlane* plane, const sdHullSide* sides,
                           int count) {
    const sdHullPoint* points = merge->build->points;
    const sdHullPoint normal = {plane->x, plane->y, plane->z};
    for (int i = 0; i < count; ++i) {
        const sdHullSide* middle = &sides[(i + 1) % count];
        sdHullPoint a = points[sides[i].vertex];
        sdHullPoint ab = sdHullPoint_Sub(points[middle->vertex], a);
        sdHullPoint ac = sdHullPoint_Sub(points[sides[(i + 2) % count].vertex], a);
        double turn = sdHullPoint_Dot(normal, sdHullPoint_Cross(ab, ac));
        if (turn < -merge->build->tolerance * sqrt(sdHullPoint_Dot(ac, ac)) &&
            !addSurplus(merge, middle->vertex, rootOf(merge, middle->twin / 3))) {
            return false;
        }
    }
    return true;
}

static bool addRegion(Merge* merge, int32_t root, sdHullPolygons* out) {
    int32_t first = findOutline(merge, root);
    int start = out->sides.count;
    int length = first != SD_NULL_INDEX ? addSides(merge, first, out) : 0;
    int count = out->sides.count - start;
    if (length == 0 || length != countOutline(merge, root)) {
        // a hole, which a cap of a convex solid does not have; no vertex to blame
        return addSurplus(merge, SD_NULL_INDEX, root);
    }
    if (count < 3) {
        return findLensFaults(merge, first);
    }
    return findTurnFaults(merge, &merge->regions[root].plane, out->sides.data + start, count);
}

static bool addTriangle(Merge* merge, int32_t face, sdHullPolygons* out) {
    int start = out->sides.count;
    for (int32_t e = 3 * face; e < 3 * face + 3; ++e) {
        if (!isDropped(merge, e)) {
            addSide(merge, e, out);
        }
    }
    return out->sides.count - start == 3 || findLensFaults(merge, 3 * face);
}

/// A point's distance from the sum of all planes of a region is the weighted sum of its distances
/// from them, which are known not to pass build->deviation.
static double deviationOf(const Merge* merge, int32_t root) {
    const Region* region = &merge->regions[root];
    double inverse = 1.0 / sqrt(sdHullPoint_Dot(region->area, region->area));
    return region->areaSum * inverse * merge->build->deviation + region->moment * inverse -
           region->plane.offset;
}

static bool reservePolygons(const sdHullBuild* build, sdHullPolygons* out) {
    const sdAllocator* allocator = &build->context->allocator;
    int64_t count = build->liveFaceCount;
    return sdIntArray_Reserve(&out->starts, allocator, count + 1) &&
           sdIntArray_Reserve(&out->faces, allocator, count) &&
           sdHullSideArray_Reserve(&out->sides, allocator, 3 * count);
}

static bool addPolygons(Merge* merge, sdHullPolygons* out) {
    const sdHullBuild* build = merge->build;
    out->starts.count = out->sides.count = out->faces.count = 0;
    out->deviation = build->deviation;
    for (int32_t i = 0; i < build->faces.count; ++i) {
        if (build->faces.data[i].mark == SD_HULL_FREE || rootOf(merge, i) != i) {
            continue;
        }
        out->starts.data[out->starts.count++] = out->sides.count;
        out->faces.data[out->faces.count++] = i;
        if (!isMerged(merge, i)) {
            if (!addTriangle(merge, i, out)) {
                return false;
            }
            continue;
        }
        if (!addRegion(merge, i, out)) {
            return false;
        }
        double deviation = deviationOf(merge, i);
        out->deviation = deviation > out->deviation ? deviation : out->deviation;
    }
    out->starts.data[out->starts.count++] = out->sides.count;
    return true;
}

/// The side across starts where this one ends. Planes of regions go to the triangles that name
/// them.
static void finish(Merge* merge, sdHullPolygons* out) {
    for (int i = 0; i < out->faces.count; ++i) {
        int32_t face = out->faces.data[i];
        if (isMerged(merge, face)) {
            merge->build->faces.data[face].plane = merge->regions[face].plane;
        }
    }
    for (int i = 0; i < out->sides.count; ++i) {
        int32_t twin = sdHullBuild_Twin(merge->build, merge->tails[i]);
        out->sides.data[i].twin = merge->sideOf[twin];
    }
}

// ---- repair --------------------------------------------------------------------------------

static void setAlone(Merge* merge, int32_t root) {
    bool isStarted = merge->root[root] >= 0;
    for (int32_t t = root; t != SD_NULL_INDEX;) {
        merge->root[t] = ROOT_ALONE;
        t = isStarted ? merge->regions[t].next : SD_NULL_INDEX;
    }
}

/// Remember a face at each of its corners.
static void markCorners(sdHullBuild* build, int32_t face) {
    for (int k = 0; k < 3; ++k) {
        build->pointFace[build->faces.data[face].vertex[k]] = face;
    }
}

static sdResult removeVertex(Merge* merge, int32_t vertex, bool* isRemoved) {
    sdHullBuild* build = merge->build;
    int32_t face = build->pointFace[vertex];
    const int32_t* corners = build->faces.data[face].vertex;
    int k = corners[0] == vertex ? 0 : (corners[1] == vertex ? 1 : 2);
    sdResult result = sdHullBuild_RemoveVertex(build, 3 * face + k, isRemoved);
    for (int i = 0; *isRemoved && i < build->created.count; ++i) {
        markCorners(build, build->created.data[i].face);
        merge->root[build->created.data[i].face] = ROOT_NEW;
    }
    merge->state[vertex] = *isRemoved ? VERTEX_REMOVED : merge->state[vertex];
    return result;
}

/// Remove what is surplus. Regions whose vertices cannot be removed stay triangles.
static sdResult repair(Merge* merge, int* removedCount) {
    sdHullBuild* build = merge->build;
    for (int32_t i = 0; i < build->faces.count; ++i) {
        if (build->faces.data[i].mark != SD_HULL_FREE) {
            markCorners(build, i);
        }
    }
    *removedCount = 0;
    for (int i = 0; i < merge->surplus.count; ++i) {
        Surplus surplus = merge->surplus.data[i];
        bool isRemoved = false;
        if (surplus.vertex != SD_NULL_INDEX) {
            if (merge->state[surplus.vertex] == VERTEX_REMOVED) {
                continue;
            }
            sdResult result = removeVertex(merge, surplus.vertex, &isRemoved);
            if (result != SD_OK) {
                return result;
            }
        }
        *removedCount += isRemoved ? 1 : 0;
        if (!isRemoved && surplus.root != SD_NULL_INDEX) {
            setAlone(merge, surplus.root);
        }
    }
    return *removedCount > 0 ? sdHullBuild_Settle(build) : SD_OK;
}

/// Forget all regions.
static void reset(Merge* merge, bool isAlone) {
    for (int32_t i = 0; i < merge->build->faces.count; ++i) {
        merge->root[i] = isAlone || merge->root[i] == ROOT_ALONE ? ROOT_ALONE : ROOT_NEW;
    }
    memset(merge->state, VERTEX_NEW, (size_t)merge->build->pointCount);
}

static sdResult mergeAll(Merge* merge, sdHullPolygons* out) {
    const sdContext* context = merge->build->context;
    for (int round = 0; round <= MAX_REPAIRS; ++round) {
        reset(merge, round == MAX_REPAIRS);
        growRegions(merge);
        if (!straightenEdges(merge) || !addPolygons(merge, out)) {
            return sdFailMemory(context, "sdHull_Create", merge->blockSize);
        }
        if (merge->surplus.count == 0) {
            break;
        }
        int removedCount;
        sdResult result = repair(merge, &removedCount);
        if (result != SD_OK) {
            return result;
        }
        // what cannot be removed is left out of the polygons
        if (!merge->isBad && removedCount == 0) {
            break;
        }
        if (round == MAX_REPAIRS - 1) {
            sdLog(context, SD_LOG_WARNING,
                  "sdHull_Create: faces in one plane could not be merged and stay triangles");
        }
    }
    out->isWhole = merge->surplus.count == 0;
    finish(merge, out);
    return SD_OK;
}

sdResult sdHullBuild_Merge(sdHullBuild* build, sdHullPolygons* out) {
    const sdAllocator* allocator = &build->context->allocator;
    size_t faceCount = (size_t)build->faces.count;
    sdBlockLayout layout = {0};
    size_t root = sdBlockLayout_Add(&layout, faceCount, sizeof(int32_t));
    size_t regions = sdBlockLayout_Add(&layout, faceCount, sizeof(Region));
    size_t seeds = sdBlockLayout_Add(&layout, faceCount, sizeof(Seed));
    size_t sideOf = sdBlockLayout_Add(&layout, 3 * faceCount, sizeof(int32_t));
    size_t tails = sdBlockLayout_Add(&layout, 3 * (size_t)build->liveFaceCount, sizeof(int32_t));
    size_t state = sdBlockLayout_Add(&layout, (size_t)build->pointCount, 1);
    char* block =
        layout.overflow || !reservePolygons(build, out) ? NULL : sdAlloc(allocator, layout.size);
    if (block == NULL) {
        return sdFailMemory(build->context, "sdHull_Create", layout.size);
    }
    Merge merge = {
        .build = build,
        .blockSize = layout.size,
        .root = (int32_t*)(block + root),
        .regions = (Region*)(block + regions),
        .seeds = (Seed*)(block + seeds),
        .sideOf = (int32_t*)(block + sideOf),
        .tails = (int32_t*)(block + tails),
        .state = (uint8_t*)(block + state),
    };
    memset(merge.root, 0, faceCount * sizeof(int32_t));
    sdResult result = mergeAll(&merge, out);
    sdIntArray_Free(&merge.chain, allocator);
    sdIntArray_Free(&merge.stack, allocator);
    SurplusArray_Free(&merge.surplus, allocator);
    sdFree(allocator, block, layout.size);
    return result;
}

void sdHullPolygons_Free(sdHullPolygons* polygons, const sdAllocator* allocator) {
    sdIntArray_Free(&polygons->starts, allocator);
    sdHullSideArray_Free(&polygons->sides, allocator);
    sdIntArray_Free(&polygons->faces, allocator);
}
