// SPDX-License-Identifier: MIT
// hull.c - convex hulls: creation, access, point inside, mass.
//
// In:   points (sdHull_Create).
// Out:  one immutable block with vertices, half-edges and planes.
// Ref:  Barber et al. 1996 for the hull; Eberly, "Polyhedral mass properties", 2002.

#include "geometry/hull.h"

/// More points would need half-edge indices beyond 31 bits.
#define MAX_POINTS (1 << 27)

/// Larger coordinates would overflow in the distance between a point and a plane.
#define MAX_COORDINATE 1e18f
/// Offsets of planes, and how far points are from them, would be lost among the smallest floats.
#define MIN_EXTENT 1e-30f

/// Squared cosine of half the angle between normals, see sdHull.arcStretch: far above rounding.
#define LEAST_HALF_ANGLE 1e-4f

sdHullDef sdHullDef_Default(void) {
    return (sdHullDef){.method = SD_HULL_QUICK};
}

// ---- assembly ------------------------------------------------------------------------------

static sdHull* allocateHull(const sdContext* context, int vertexCount, int halfEdgeCount,
                            int faceCount, int neighborCount) {
    sdBlockLayout layout = {0};
    size_t v = (size_t)vertexCount, e = (size_t)halfEdgeCount, f = (size_t)faceCount;
    int stride = (vertexCount + 7) / 8 * 8;
    sdBlockLayout_Add(&layout, 1, sizeof(sdHull));
    size_t vertices = sdBlockLayout_Add(&layout, v, sizeof(sdVec3));
    size_t vertexEdges = sdBlockLayout_Add(&layout, v, sizeof(int32_t));
    size_t edges = sdBlockLayout_Add(&layout, e, sizeof(sdHalfEdge));
    size_t planes = sdBlockLayout_Add(&layout, f, sizeof(sdPlane));
    size_t corners = sdBlockLayout_Add(&layout, f, sizeof(sdHullCorners));
    size_t faceEdges = sdBlockLayout_Add(&layout, f, sizeof(int32_t));
    size_t soa = sdBlockLayout_Add(&layout, 3 * (size_t)stride, sizeof(float));
    bool isSmall = vertexCount <= SD_HULL_SMALL;
    int planeStride = isSmall ? (faceCount + 7) / 8 * 8 : 0;
    size_t planeSoa = sdBlockLayout_Add(&layout, 4 * (size_t)planeStride, sizeof(float));
    size_t sideFaces = sdBlockLayout_Add(&layout, isSmall ? f : 0, sizeof(uint64_t));
    size_t sideEnds = sdBlockLayout_Add(&layout, isSmall ? 2 * (size_t)halfEdgeCount : 0, 1);
    size_t starts = sdBlockLayout_Add(&layout, v + 1, sizeof(int32_t));
    size_t neighbors = sdBlockLayout_Add(&layout, (size_t)neighborCount, sizeof(int32_t));
    bool hasCells = vertexCount > SD_HULL_CELLS_ABOVE;
    size_t cells = sdBlockLayout_Add(&layout, hasCells ? SD_HULL_CELL_COUNT : 0, sizeof(uint16_t));
    char* block = layout.overflow ? NULL : sdAlloc(&context->allocator, layout.size);
    if (block == NULL) {
        sdFailMemory(context, "sdHull_Create", layout.size);
        return NULL;
    }
    sdHull* hull = (sdHull*)block;
    sdRefCount_Init(&hull->refCount);
    hull->context = *context;
    hull->byteCount = layout.size;
    hull->vertexCount = vertexCount;
    hull->halfEdgeCount = halfEdgeCount;
    hull->faceCount = faceCount;
    hull->vertices = (sdVec3*)(block + vertices);
    hull->vertexEdges = (int32_t*)(block + vertexEdges);
    hull->edges = (sdHalfEdge*)(block + edges);
    hull->planes = (sdPlane*)(block + planes);
    hull->corners = (sdHullCorners*)(block + corners);
    hull->faceEdges = (int32_t*)(block + faceEdges);
    hull->soa = (float*)(block + soa);
    hull->soaStride = stride;
    hull->planeSoa = isSmall ? (float*)(block + planeSoa) : NULL;
    hull->planeStride = planeStride;
    hull->sideFaces = isSmall ? (uint64_t*)(block + sideFaces) : NULL;
    hull->sideEnds = isSmall ? (uint8_t(*)[2])(block + sideEnds) : NULL;
    hull->neighborStarts = (int32_t*)(block + starts);
    hull->neighbors = (int32_t*)(block + neighbors);
    hull->cells = hasCells ? (uint16_t*)(block + cells) : NULL;
    return hull;
}

/// Number the input points that are vertices, in their order.
/// @param numbers by input point; SD_NULL_INDEX for those that are not
static int numberVertices(const sdHullPolygons* polygons, int32_t* numbers, int pointCount) {
    for (int i = 0; i < pointCount; ++i) {
        numbers[i] = SD_NULL_INDEX;
    }
    for (int i = 0; i < polygons->sides.count; ++i) {
        numbers[polygons->sides.data[i].vertex] = 0;
    }
    int count = 0;
    for (int i = 0; i < pointCount; ++i) {
        numbers[i] = numbers[i] == SD_NULL_INDEX ? SD_NULL_INDEX : count++;
    }
    return count;
}

static void setVertices(sdHull* hull, const sdHullBuild* build, const int32_t* numbers) {
    hull->bounds = sdAABB_Empty();
    double sum[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < build->pointCount; ++i) {
        if (numbers[i] != SD_NULL_INDEX) {
            hull->vertices[numbers[i]] = build->input[i];
            hull->bounds = sdAABB_AddPoint(hull->bounds, build->input[i]);
            sum[0] += (double)build->input[i].x;
            sum[1] += (double)build->input[i].y;
            sum[2] += (double)build->input[i].z;
        }
    }
    hull->half = sdMax(sdAbs(hull->bounds.lower), sdAbs(hull->bounds.upper));
    hull->reach = sdLength(hull->half);
    double count = (double)hull->vertexCount;
    hull->center = sdV3((float)(sum[0] / count), (float)(sum[1] / count), (float)(sum[2] / count));
    for (int i = 0; i < hull->soaStride; ++i) {
        sdVec3 p = hull->vertices[i < hull->vertexCount ? i : 0];
        hull->soa[i] = p.x;
        hull->soa[hull->soaStride + i] = p.y;
        hull->soa[2 * hull->soaStride + i] = p.z;
    }
}

static void setEdges(sdHull* hull, const sdHullPolygons* polygons, const int32_t* numbers) {
    for (int f = 0; f < hull->faceCount; ++f) {
        int begin = polygons->starts.data[f], end = polygons->starts.data[f + 1];
        hull->faceEdges[f] = begin;
        for (int e = begin; e < end; ++e) {
            hull->edges[e] = (sdHalfEdge){
                .origin = numbers[polygons->sides.data[e].vertex],
                .twin = polygons->sides.data[e].twin,
                .next = e + 1 < end ? e + 1 : begin,
                .face = f,
            };
        }
    }
    // from the back, so that each vertex gets its lowest half-edge
    for (int e = hull->halfEdgeCount - 1; e >= 0; --e) {
        hull->vertexEdges[hull->edges[e].origin] = e;
    }
}

/// The edge with this index that support walks may take: of the triangles, or of the polygons where
/// the triangles have vertices that the polygons lack.
/// @return false when there is none
static bool findStep(const sdHull* hull, const sdHullBuild* build, const sdHullPolygons* polygons,
                     int index, int32_t step[2]) {
    if (!polygons->isWhole) {
        step[0] = hull->edges[index].origin;
        step[1] = hull->edges[hull->edges[index].next].origin;
        return true;
    }
    const sdHullFace* face = &build->faces.data[index / 3];
    if (face->mark == SD_HULL_FREE) {
        return false;
    }
    const int32_t* numbers = build->nextPoint;
    step[0] = numbers[face->vertex[index % 3]];
    step[1] = numbers[face->vertex[(index + 1) % 3]];
    return true;
}

static void setNeighbors(sdHull* hull, const sdHullBuild* build, const sdHullPolygons* polygons) {
    int32_t* starts = hull->neighborStarts;
    int limit = polygons->isWhole ? 3 * build->faces.count : hull->halfEdgeCount;
    int32_t step[2];
    memset(starts, 0, ((size_t)hull->vertexCount + 1) * sizeof(int32_t));
    for (int i = 0; i < limit; ++i) {
        if (findStep(hull, build, polygons, i, step)) {
            starts[step[0] + 1] += 1;
        }
    }
    for (int v = 0; v < hull->vertexCount; ++v) {
        starts[v + 1] += starts[v];
    }
    int32_t count = starts[hull->vertexCount];
    for (int i = limit - 1; i >= 0; --i) {
        if (findStep(hull, build, polygons, i, step)) {
            hull->neighbors[--starts[step[0] + 1]] = step[1];
        }
    }
    // each start has moved down to where its vertex begins
    memmove(starts, starts + 1, (size_t)hull->vertexCount * sizeof(int32_t));
    starts[hull->vertexCount] = count;
}

/// Planes in float, and how far points lie outside of these planes at most.
static void setPlanes(sdHull* hull, const sdHullBuild* build, const sdHullPolygons* polygons) {
    const double* center = build->center;
    sdVec3 lower = hull->bounds.lower, upper = hull->bounds.upper;
    double dx = (double)upper.x - (double)lower.x, dy = (double)upper.y - (double)lower.y;
    double dz = (double)upper.z - (double)lower.z;
    double diagonal = sqrt(dx * dx + dy * dy + dz * dz);
    double worst = 0.0;
    for (int f = 0; f < hull->faceCount; ++f) {
        sdHullPlane plane = build->faces.data[polygons->faces.data[f]].plane;
        sdVec3 n = sdV3((float)plane.x, (float)plane.y, (float)plane.z);
        double ex = (double)n.x - plane.x, ey = (double)n.y - plane.y, ez = (double)n.z - plane.z;
        double x = 0.0, y = 0.0, z = 0.0;
        int begin = polygons->starts.data[f], end = polygons->starts.data[f + 1];
        for (int i = begin; i < end; ++i) {
            sdHullPoint p = build->points[polygons->sides.data[i].vertex];
            x += p.x;
            y += p.y;
            z += p.z;
        }
        // the rounded normal turns the plane a little: about the middle of the polygon
        double scale = build->step / (double)(end - begin);
        double offset = plane.offset * build->step + (ex * x + ey * y + ez * z) * scale +
                        (double)n.x * center[0] + (double)n.y * center[1] + (double)n.z * center[2];
        hull->planes[f] = (sdPlane){n, (float)offset};
        double error = sqrt(ex * ex + ey * ey + ez * ez) * diagonal +
                       fabs((double)hull->planes[f].offset - offset);
        worst = error > worst ? error : worst;
    }
    // Polygons are flat and convex within build->tolerance. Points lie up to half a step on each
    // axis from where the lattice has them.
    double steps = polygons->deviation > build->tolerance ? polygons->deviation : build->tolerance;
    double tolerance = worst + (steps + 1.0) * build->step;
    // triangles of the lattice are exact
    bool isMerged = polygons->faces.count != build->liveFaceCount;
    double flatness = worst + ((isMerged ? build->tolerance : 0.0) + 1.0) * build->step;
    hull->tolerance = (float)(tolerance * (1.0 + (double)FLT_EPSILON));
    hull->flatness = (float)(flatness * (1.0 + (double)FLT_EPSILON));
}

/// After planes.
static void setCorners(sdHull* hull) {
    for (int f = 0; f < hull->faceCount; ++f) {
        sdHullCorners* corners = &hull->corners[f];
        int e = hull->faceEdges[f];
        for (int i = 0; i < 4; ++i) {
            sdVec3 p = hull->vertices[hull->edges[e].origin];
            corners->x[i] = p.x;
            corners->y[i] = p.y;
            corners->z[i] = p.z;
            e = hull->edges[e].next;
        }
        corners->plane = hull->planes[f];
    }
}

static void setEnds(sdHull* hull, int at, int e) {
    hull->sideEnds[at][0] = (uint8_t)hull->edges[e].origin;
    hull->sideEnds[at][1] = (uint8_t)hull->edges[hull->edges[e].next].origin;
}

/// Of faces that share more than one edge, the first counts.
static void setSideEnds(sdHull* hull) {
    for (int e = 0; e < hull->halfEdgeCount; ++e) {
        setEnds(hull, e, e);
    }
    for (int f = 0; f < hull->faceCount; ++f) {
        int start = hull->faceEdges[f], at = start;
        int end = f + 1 < hull->faceCount ? hull->faceEdges[f + 1] : hull->halfEdgeCount;
        for (uint64_t bits = hull->sideFaces[f]; bits != 0; bits &= bits - 1, ++at) {
            int e = start, g = __builtin_ctzll(bits);
            while (e < end - 1 && hull->edges[hull->edges[e].twin].face != g) {
                ++e;
            }
            setEnds(hull, at, e);
        }
    }
}

/// What small hulls have beside their planes.
static void setColumns(sdHull* hull) {
    int stride = hull->planeStride;
    for (int i = 0; i < stride; ++i) {
        sdPlane plane = hull->planes[i < hull->faceCount ? i : 0];
        hull->planeSoa[i] = plane.normal.x;
        hull->planeSoa[stride + i] = plane.normal.y;
        hull->planeSoa[2 * stride + i] = plane.normal.z;
        hull->planeSoa[3 * stride + i] = plane.offset;
    }
    float least = 1.0f;
    memset(hull->sideFaces, 0, (size_t)hull->faceCount * sizeof hull->sideFaces[0]);
    for (int e = 0; e < hull->halfEdgeCount; ++e) {
        int f = hull->edges[e].face, g = hull->edges[hull->edges[e].twin].face;
        hull->sideFaces[f] |= (uint64_t)1 << g;
        least = sdMinF(least, sdDot(hull->planes[f].normal, hull->planes[g].normal));
    }
    setSideEnds(hull);
    // cos²(a / 2) = (1 + cos a) / 2; normals that are nearly opposite leave no bound
    float squared = 0.5f * (1.0f + least) - 4.0f * FLT_EPSILON;
    hull->arcStretch = squared > LEAST_HALF_ANGLE ? 1.0f / sqrtf(squared) : INFINITY;
}

/// Balls about the centre, for tests that need no more. Vertices and planes differ by no more than
/// the tolerance, in either direction.
static void setBalls(sdHull* hull) {
    double x = (double)hull->center.x, y = (double)hull->center.y, z = (double)hull->center.z;
    double inner = DBL_MAX, outer = 0.0;
    for (int f = 0; f < hull->faceCount; ++f) {
        sdPlane plane = hull->planes[f];
        double depth = (double)plane.offset - (double)plane.normal.x * x -
                       (double)plane.normal.y * y - (double)plane.normal.z * z;
        inner = depth < inner ? depth : inner;
    }
    for (int v = 0; v < hull->vertexCount; ++v) {
        double dx = (double)hull->vertices[v].x - x, dy = (double)hull->vertices[v].y - y;
        double dz = (double)hull->vertices[v].z - z;
        double squared = dx * dx + dy * dy + dz * dz;
        outer = squared > outer ? squared : outer;
    }
    // normals are unit but for their rounding
    double rounding = 4.0 * (double)FLT_EPSILON;
    inner = inner * (1.0 - rounding) - 2.0 * (double)hull->tolerance;
    hull->innerRadius = inner > 0.0 ? (float)inner : 0.0f;
    hull->outerRadius = (float)(sqrt(outer) * (1.0 + rounding));
}

static sdResult assemble(const sdHullBuild* build, const sdHullPolygons* polygons, sdHull** out) {
    const sdContext* context = build->context;
    int faceCount = polygons->faces.count;
    if (faceCount < 4) {
        return sdFail(context, SD_ERROR_DEGENERATE,
                      "sdHull_Create: all %d points are in a plane within rounding; a hull needs "
                      "four that are not",
                      build->pointCount);
    }
    // by input point; the lists of points are not needed any more
    int32_t* numbers = build->nextPoint;
    int vertexCount = numberVertices(polygons, numbers, build->pointCount);
    int stepCount = polygons->isWhole ? 3 * build->liveFaceCount : polygons->sides.count;
    sdHull* hull = allocateHull(context, vertexCount, polygons->sides.count, faceCount, stepCount);
    if (hull == NULL) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    setVertices(hull, build, numbers);
    setEdges(hull, polygons, numbers);
    setNeighbors(hull, build, polygons);
    setPlanes(hull, build, polygons);
    setCorners(hull);
    setBalls(hull);
    if (hull->planeSoa != NULL) {
        setColumns(hull);
    }
    if (hull->cells != NULL) {
        sdHull_FillCells(hull, build->pointFace, build->orphans);
    }
    *out = hull;
    return SD_OK;
}

// ---- creation ------------------------------------------------------------------------------

static sdResult checkDef(const sdContext* context, const sdHullDef* def) {
    if (def == NULL || def->points == NULL || def->pointCount <= 0) {
        return sdFail(context, SD_ERROR_INVALID_ARGUMENT,
                      "sdHull_Create: there are no points; set points and pointCount");
    }
    if (def->method != SD_HULL_QUICK && def->method != SD_HULL_INCREMENTAL) {
        return sdFail(context, SD_ERROR_INVALID_ARGUMENT, "sdHull_Create: method %d is unknown",
                      (int)def->method);
    }
    if (def->maxVertexCount != 0 && def->maxVertexCount < 4) {
        return sdFail(
            context, SD_ERROR_INVALID_ARGUMENT,
            "sdHull_Create: maxVertexCount is %d; it must be 0 for no limit or at least 4",
            def->maxVertexCount);
    }
    if (def->pointCount > MAX_POINTS) {
        return sdFail(context, SD_ERROR_LIMIT, "sdHull_Create: %d points; at most %d are possible",
                      def->pointCount, MAX_POINTS);
    }
    return SD_OK;
}

static sdResult failAtPoint(const sdContext* context, const sdHullDef* def) {
    int i = 0;
    while (i < def->pointCount - 1 && sdVec3_IsFinite(def->points[i])) {
        ++i;
    }
    return sdFail(context, SD_ERROR_INVALID_ARGUMENT, "sdHull_Create: point %d of %d is not finite",
                  i, def->pointCount);
}

static sdResult findBox(const sdContext* context, const sdHullDef* def, sdAABB* out) {
    sdAABB box = sdAABB_Empty();
    // x - x is 0 for finite numbers and NaN for all others
    float probe = 0.0f;
    for (int i = 0; i < def->pointCount; ++i) {
        sdVec3 p = def->points[i];
        box = sdAABB_AddPoint(box, p);
        probe += (p.x - p.x) + (p.y - p.y) + (p.z - p.z);
    }
    if (probe != 0.0f) {
        return failAtPoint(context, def);
    }
    sdVec3 far = sdMax(sdAbs(box.lower), sdAbs(box.upper));
    if (far.x > MAX_COORDINATE || far.y > MAX_COORDINATE || far.z > MAX_COORDINATE) {
        return sdFail(context, SD_ERROR_LIMIT,
                      "sdHull_Create: a point is further than %g m from the origin",
                      (double)MAX_COORDINATE);
    }
    sdVec3 extent = sdSub(box.upper, box.lower);
    float largest = sdMaxF(extent.x, sdMaxF(extent.y, extent.z));
    if (largest > 0.0f && largest < MIN_EXTENT) {
        return sdFail(context, SD_ERROR_LIMIT,
                      "sdHull_Create: all points are within %g m; use larger units",
                      (double)MIN_EXTENT);
    }
    *out = box;
    return SD_OK;
}

sdResult sdHull_Create(const sdContext* context, const sdHullDef* def, sdHull** out) {
    if (out != NULL) {
        *out = NULL;
    }
    sdContext own;
    sdResult result = sdContext_Resolve(context, &own);
    if (result != SD_OK) {
        return result;
    }
    if (out == NULL) {
        return sdFail(&own, SD_ERROR_INVALID_ARGUMENT, "sdHull_Create: out is NULL");
    }
    result = checkDef(&own, def);
    if (result != SD_OK) {
        return result;
    }
    sdAABB box;
    result = findBox(&own, def, &box);
    if (result != SD_OK) {
        return result;
    }
    sdHullBuild build;
    sdHullPolygons polygons = {0};
    result = sdHullBuild_Init(&build, &own, def, box);
    if (result == SD_OK) {
        result = def->method == SD_HULL_QUICK ? sdHullBuild_Quick(&build)
                                              : sdHullBuild_Incremental(&build);
    }
    if (result == SD_OK) {
        result = sdHullBuild_Merge(&build, &polygons);
    }
    if (result == SD_OK) {
        result = assemble(&build, &polygons, out);
    }
    sdHullPolygons_Free(&polygons, &own.allocator);
    sdHullBuild_Free(&build);
    return result;
}

void sdHull_Retain(const sdHull* hull) {
    if (hull != NULL) {
        sdRefCount_Retain(&((sdHull*)(uintptr_t)hull)->refCount);
    }
}

void sdHull_Release(const sdHull* hull) {
    if (hull == NULL) {
        return;
    }
    sdHull* own = (sdHull*)(uintptr_t)hull;
    if (sdRefCount_Release(&own->refCount)) {
        sdAllocator allocator = own->context.allocator;
        sdFree(&allocator, own, own->byteCount);
    }
}

// ---- access --------------------------------------------------------------------------------

const sdVec3* sdHull_GetVertices(const sdHull* hull, int* count) {
    if (count != NULL) {
        *count = hull->vertexCount;
    }
    return hull->vertices;
}

const int32_t* sdHull_GetVertexEdges(const sdHull* hull) {
    return hull->vertexEdges;
}

const sdHalfEdge* sdHull_GetEdges(const sdHull* hull, int* halfEdgeCount) {
    if (halfEdgeCount != NULL) {
        *halfEdgeCount = hull->halfEdgeCount;
    }
    return hull->edges;
}

const sdPlane* sdHull_GetPlanes(const sdHull* hull, int* faceCount) {
    if (faceCount != NULL) {
        *faceCount = hull->faceCount;
    }
    return hull->planes;
}

const int32_t* sdHull_GetFaceEdges(const sdHull* hull) {
    return hull->faceEdges;
}

sdAABB sdHull_GetBounds(const sdHull* hull) {
    return hull->bounds;
}

size_t sdHull_GetByteCount(const sdHull* hull) {
    return hull->byteCount;
}

float sdHull_GetTolerance(const sdHull* hull) {
    return hull->tolerance;
}

bool sdHull_Contains(const sdHull* hull, sdVec3 p, float margin) {
    for (int f = 0; f < hull->faceCount; ++f) {
        const sdPlane* plane = &hull->planes[f];
        // in double, as far from the origin the terms nearly cancel
        double distance = (double)plane->normal.x * (double)p.x +
                          (double)plane->normal.y * (double)p.y +
                          (double)plane->normal.z * (double)p.z - (double)plane->offset;
        // written so that NaN is outside
        if (!(distance <= (double)margin)) {
            return false;
        }
    }
    return true;
}

// ---- mass ----------------------------------------------------------------------------------

/// Integrals over the solid, about a point inside.
typedef struct Integrals {
    double volume;
    double first[3];    ///< of x, y, z
    double second[3];   ///< of x², y², z²
    double products[3]; ///< of yz, zx, xy
} Integrals;

/// Tetrahedron between the origin and a triangle: with s the sum of the corners, the mean of x y is
/// (s_x s_y + the corners' products) / 20.
static void addTetrahedron(Integrals* sum, const double a[3], const double b[3],
                           const double c[3]) {
    double volume = (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                     a[2] * (b[0] * c[1] - b[1] * c[0])) /
                    6.0;
    double s[3] = {a[0] + b[0] + c[0], a[1] + b[1] + c[1], a[2] + b[2] + c[2]};
    sum->volume += volume;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        sum->first[i] += volume * s[i] / 4.0;
        sum->second[i] += volume * (s[i] * s[i] + a[i] * a[i] + b[i] * b[i] + c[i] * c[i]) / 20.0;
        sum->products[i] += volume * (s[j] * s[k] + a[j] * a[k] + b[j] * b[k] + c[j] * c[k]) / 20.0;
    }
}

static void relativeTo(const double center[3], sdVec3 p, double out[3]) {
    out[0] = (double)p.x - center[0];
    out[1] = (double)p.y - center[1];
    out[2] = (double)p.z - center[2];
}

static Integrals integrate(const sdHull* hull, const double center[3]) {
    Integrals sum = {0};
    for (int f = 0; f < hull->faceCount; ++f) {
        int32_t first = hull->faceEdges[f];
        double a[3], b[3], c[3];
        relativeTo(center, hull->vertices[hull->edges[first].origin], a);
        int32_t e = hull->edges[first].next;
        relativeTo(center, hull->vertices[hull->edges[e].origin], b);
        for (e = hull->edges[e].next; e != first; e = hull->edges[e].next) {
            relativeTo(center, hull->vertices[hull->edges[e].origin], c);
            addTetrahedron(&sum, a, b, c);
            memcpy(b, c, sizeof b);
        }
    }
    return sum;
}

void sdHull_GetMass(const sdHull* hull, float density, sdMassProps* out) {
    sdVec3 lower = hull->bounds.lower, upper = hull->bounds.upper;
    const double center[3] = {0.5 * ((double)lower.x + (double)upper.x),
                              0.5 * ((double)lower.y + (double)upper.y),
                              0.5 * ((double)lower.z + (double)upper.z)};
    Integrals sum = integrate(hull, center);
    double mass = (double)density * sum.volume;
    // moved to the centre of mass by the parallel-axis theorem
    double c[3], square[3], product[3];
    for (int i = 0; i < 3; ++i) {
        c[i] = sum.first[i] / sum.volume;
    }
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        square[i] = (double)density * (sum.second[i] - sum.volume * c[i] * c[i]);
        product[i] = -(double)density * (sum.products[i] - sum.volume * c[j] * c[k]);
    }
    float xy = (float)product[2], yz = (float)product[0], zx = (float)product[1];
    out->mass = (float)mass;
    out->center =
        sdV3((float)(center[0] + c[0]), (float)(center[1] + c[1]), (float)(center[2] + c[2]));
    out->inertia = sdMat33_Columns(sdV3((float)(square[1] + square[2]), xy, zx),
                                   sdV3(xy, (float)(square[2] + square[0]), yz),
                                   sdV3(zx, yz, (float)(square[0] + square[1])));
}
