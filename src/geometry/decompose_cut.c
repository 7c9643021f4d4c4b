// SPDX-License-Identifier: MIT
// decompose_cut.c - the plane by which a part is best cut in two.
//
// In:   a part, its hull, the solid.
// Out:  the pieces that the best plane makes.
// Note: two rounds. Many planes are judged quickly: the hull of each side is replaced by the
//       polytope of its extents along fixed directions, and the space between the part's hull and
//       the solid by sample points of known depth; what counts is which samples stay covered.
//       The few best planes are then tried for real.

#include "base/simd.h"
#include "geometry/decompose.h"
#include "geometry/mesh.h"

// Directions along which extents are taken: the 49 lines through primitive integer points with
// coordinates up to 2, some 18 degrees apart, in whole vectors of SD_LANES.
#define SD_CUT_DIRECTIONS 49
#define SD_CUT_VECTORS 7

// Planes of each family that are judged quickly.
#define SD_CUT_AXIS_PLANES 16 // along each axis of the mesh's frame
#define SD_CUT_OWN_PLANES 12  // along each principal axis of the part
#define SD_CUT_EDGES 12       // concave edges, three planes each
#define SD_CUT_PAIRED_EDGES 8 // of these, with planes through each two of them
#define SD_CUT_MAX_PLANES                                                                          \
    (3 * SD_CUT_AXIS_PLANES + 3 * SD_CUT_OWN_PLANES + 3 * SD_CUT_EDGES +                           \
     SD_CUT_PAIRED_EDGES * (SD_CUT_PAIRED_EDGES - 1))

// Planes that are tried for real.
#define SD_CUT_TRIALS 4

// Sample points in the hull's box, and polygons that are looked at: enough to rank planes.
#define SD_CUT_SAMPLES 600
#define SD_CUT_POLYGONS 4096

// A concave edge is worth cutting along when its faces turn by more than 11 degrees.
#define SD_CUT_MAX_COS 0.98f

// No slices thinner than this part of a cell.
#define SD_CUT_MIN_SLICE 0.5f

// Weights of a plane's score, which is a depth: the deepest bulge that is left, and then, much
// less, bulges of other pieces, the share of space that stays covered, the parts still to come and
// unequal sides. Balance must outweigh other pieces, or rings are peeled chip by chip and never
// opened.
#define SD_CUT_WEIGHT_OTHER 0.05f
#define SD_CUT_WEIGHT_COVERED 0.5f
#define SD_CUT_WEIGHT_COUNT 0.2f
#define SD_CUT_WEIGHT_BALANCE 0.1f

// Scores that differ by less than this part of the concavity are equal: symmetric bodies would
// otherwise be cut by the roundings of their coordinates.
#define SD_CUT_TIE 1e-3f

// Principal moments that differ by less than this part have no axes of their own.
#define SD_CUT_SAME_MOMENT 0.05f

// Extents of a set of points along the directions.
typedef struct Extents {
    sdF8 low[SD_CUT_VECTORS];
    sdF8 high[SD_CUT_VECTORS];
} Extents;

// A point and its coordinates along the directions.
typedef struct Probe {
    float along[SD_CUT_VECTORS * SD_LANES];
    sdVec3 point;
    float depth; ///< of a sample
} Probe;

// A polygon of the part: probes of its vertices, and what its side of a plane weighs.
typedef struct Facet {
    int first, count; ///< in CutSearch.corners
    sdVec3 center;
    float area;
} Facet;

typedef struct CutPlane {
    sdPlane plane;
    float score;
} CutPlane;

typedef struct ConcaveEdge {
    sdVec3 middle, direction;
    sdVec3 normals[2];
    float weight;
} ConcaveEdge;

SD_DEFINE_ARRAY(ProbeArray, Probe)
SD_DEFINE_ARRAY(FacetArray, Facet)

typedef struct CutSearch {
    sdSolid* solid;
    const sdPart* part;
    sdVec3 directions[SD_CUT_DIRECTIONS];
    ProbeArray vertices;
    ProbeArray samples;
    FacetArray facets;
    sdIntArray corners; ///< vertex probe of each polygon corner
    sdIntArray probeOf; ///< of each point of the solid: its probe
    double depthSum;    ///< of all samples
    float areaSum;
    float size; ///< diagonal of the part's box
    ConcaveEdge edges[SD_CUT_EDGES];
    int edgeCount;
    CutPlane planes[SD_CUT_MAX_PLANES];
    int planeCount;
} CutSearch;

// ---- probes --------------------------------------------------------------------------------

static void makeDirections(sdVec3 directions[SD_CUT_DIRECTIONS]) {
    int count = 0;
    for (int z = -2; z <= 2; ++z) {
        for (int y = -2; y <= 2; ++y) {
            for (int x = -2; x <= 2; ++x) {
                // one of each two opposite ones, and none that is twice another
                bool isUpper = z > 0 || (z == 0 && (y > 0 || (y == 0 && x > 0)));
                bool isOdd = (x & 1) || (y & 1) || (z & 1);
                if (isUpper && isOdd) {
                    directions[count++] = sdV3((float)x, (float)y, (float)z);
                }
            }
        }
    }
}

static Probe makeProbe(const CutSearch* search, sdVec3 point, float depth) {
    Probe probe = {.point = point, .depth = depth};
    for (int i = 0; i < SD_CUT_DIRECTIONS; ++i) {
        probe.along[i] = sdDot(search->directions[i], point);
    }
    return probe;
}

static Extents noExtents(void) {
    Extents e;
    for (int i = 0; i < SD_CUT_VECTORS; ++i) {
        e.low[i] = sdF8_Splat(FLT_MAX);
        e.high[i] = sdF8_Splat(-FLT_MAX);
    }
    return e;
}

static void addProbe(Extents* e, const Probe* probe) {
    for (int i = 0; i < SD_CUT_VECTORS; ++i) {
        sdF8 a = sdF8_Load(probe->along + SD_LANES * i);
        e->low[i] = sdF8_Min(e->low[i], a);
        e->high[i] = sdF8_Max(e->high[i], a);
    }
}

// The point at fraction t from a to b: coordinates along directions are linear.
static void addBetween(Extents* sides, const Probe* a, const Probe* b, float t) {
    for (int i = 0; i < SD_CUT_VECTORS; ++i) {
        sdF8 pa = sdF8_Load(a->along + SD_LANES * i);
        sdF8 pb = sdF8_Load(b->along + SD_LANES * i);
        sdF8 p = pa + sdF8_Splat(t) * (pb - pa);
        for (int side = 0; side < 2; ++side) {
            sides[side].low[i] = sdF8_Min(sides[side].low[i], p);
            sides[side].high[i] = sdF8_Max(sides[side].high[i], p);
        }
    }
}

static bool covers(const Extents* e, const Probe* probe) {
    for (int i = 0; i < SD_CUT_VECTORS; ++i) {
        sdF8 a = sdF8_Load(probe->along + SD_LANES * i);
        if (sdI8_Any((a < e->low[i]) | (a > e->high[i]))) {
            return false;
        }
    }
    return true;
}

static bool addVertexProbe(CutSearch* search, int vertex) {
    const sdAllocator* allocator = &search->solid->context->allocator;
    int* probe = &search->probeOf.data[vertex];
    if (*probe < 0) {
        *probe = search->vertices.count;
        Probe made = makeProbe(search, search->solid->points.data[vertex], 0.0f);
        if (!ProbeArray_Push(&search->vertices, allocator, made)) {
            return false;
        }
    }
    return sdIntArray_Push(&search->corners, allocator, *probe);
}

static bool addFacet(CutSearch* search, const int* loop) {
    const sdVec3* points = search->solid->points.data;
    Facet facet = {.first = search->corners.count, .count = loop[1]};
    sdVec3 normal = {0};
    for (int i = 0; i < loop[1]; ++i) {
        if (!addVertexProbe(search, loop[2 + i])) {
            return false;
        }
        facet.center = sdMulAdd(facet.center, 1.0f / (float)loop[1], points[loop[2 + i]]);
    }
    sdVec3 a = points[loop[2]];
    for (int i = 2; i < loop[1]; ++i) {
        sdVec3 ab = sdSub(points[loop[1 + i]], a), ac = sdSub(points[loop[2 + i]], a);
        normal = sdAdd(normal, sdCross(ab, ac));
    }
    facet.area = 0.5f * sdLength(normal);
    search->areaSum += facet.area;
    return FacetArray_Push(&search->facets, &search->solid->context->allocator, facet);
}

static bool addFacets(CutSearch* search) {
    const sdAllocator* allocator = &search->solid->context->allocator;
    const sdIntArray* loops = &search->part->loops;
    if (!sdIntArray_Resize(&search->probeOf, allocator, search->solid->points.count)) {
        return false;
    }
    for (int i = 0; i < search->probeOf.count; ++i) {
        search->probeOf.data[i] = SD_NULL_INDEX;
    }
    // never zero, so that shares of it are numbers
    search->areaSum = FLT_MIN;
    // of very many polygons every so manieth
    int stride = search->part->polygonCount / SD_CUT_POLYGONS + 1, polygon = 0;
    for (int at = 0; at < loops->count; at += 2 + loops->data[at + 1]) {
        if (polygon++ % stride == 0 && !addFacet(search, loops->data + at)) {
            return false;
        }
    }
    for (int i = 0; i < search->part->corners.count; ++i) {
        Probe probe = makeProbe(search, search->part->corners.data[i], 0.0f);
        if (!ProbeArray_Push(&search->vertices, allocator, probe)) {
            return false;
        }
    }
    return true;
}

// Points of the hull that are outside of the solid, on a grid as even as the box allows.
static bool addSamples(CutSearch* search) {
    const sdAllocator* allocator = &search->solid->context->allocator;
    sdAABB box = sdHull_GetBounds(search->part->hull);
    sdVec3 extent = sdSub(box.upper, box.lower);
    float longest = sdMaxF(extent.x, sdMaxF(extent.y, extent.z));
    sdVec3 ratio = sdMax(sdScale(1.0f / longest, extent), sdV3(0.02f, 0.02f, 0.02f));
    // the finest even spacing, found by trying, that does not exceed the number of samples
    int n[3] = {1, 1, 1};
    for (int along = 2; along <= SD_CUT_SAMPLES; ++along) {
        int x = (int)(ratio.x * (float)along) + 1, y = (int)(ratio.y * (float)along) + 1;
        int z = (int)(ratio.z * (float)along) + 1;
        if (x * y * z > SD_CUT_SAMPLES) {
            break;
        }
        n[0] = x;
        n[1] = y;
        n[2] = z;
    }
    for (int i = 0; i < n[0] * n[1] * n[2]; ++i) {
        sdVec3 at = {((float)(i % n[0]) + 0.5f) / (float)n[0],
                     ((float)(i / n[0] % n[1]) + 0.5f) / (float)n[1],
                     ((float)(i / (n[0] * n[1])) + 0.5f) / (float)n[2]};
        sdVec3 p = sdAdd(box.lower, sdMul(at, extent));
        if (!sdHull_Contains(search->part->hull, p, 0.0f)) {
            continue;
        }
        float depth = sdSolid_Distance(search->solid, p, FLT_MAX);
        if (depth > 0.0f) {
            search->depthSum += (double)depth;
            if (!ProbeArray_Push(&search->samples, allocator, makeProbe(search, p, depth))) {
                return false;
            }
        }
    }
    return true;
}

// ---- the quick score -----------------------------------------------------------------------

// Extents of the part on both sides of a plane.
static void measureSides(const CutSearch* search, sdPlane plane, Extents sides[2], float reach[2]) {
    for (int side = 0; side < 2; ++side) {
        sides[side] = noExtents();
        reach[side] = 0.0f;
    }
    for (int i = 0; i < search->vertices.count; ++i) {
        float d = sdPlane_Distance(plane, search->vertices.data[i].point);
        addProbe(&sides[d > 0.0f], &search->vertices.data[i]);
        reach[d > 0.0f] = sdMaxF(reach[d > 0.0f], sdAbsF(d));
    }
    for (int k = 0; k < search->facets.count; ++k) {
        const Facet* facet = &search->facets.data[k];
        const int* corners = search->corners.data + facet->first;
        const Probe* a = &search->vertices.data[corners[facet->count - 1]];
        float da = sdPlane_Distance(plane, a->point);
        for (int i = 0; i < facet->count; ++i) {
            const Probe* b = &search->vertices.data[corners[i]];
            float db = sdPlane_Distance(plane, b->point);
            if ((da > 0.0f) != (db > 0.0f)) {
                addBetween(sides, a, b, da / (da - db));
            }
            a = b;
            da = db;
        }
    }
}

static float imbalance(const CutSearch* search, sdPlane plane) {
    float difference = 0.0f;
    for (int i = 0; i < search->facets.count; ++i) {
        const Facet* facet = &search->facets.data[i];
        difference += sdPlane_Distance(plane, facet->center) > 0.0f ? facet->area : -facet->area;
    }
    return sdAbsF(difference) / search->areaSum;
}

// In metres; FLT_MAX for planes that only scrape the part.
static float scorePlane(const CutSearch* search, sdPlane plane) {
    Extents sides[2];
    float reach[2];
    measureSides(search, plane, sides, reach);
    if (sdMinF(reach[0], reach[1]) < SD_CUT_MIN_SLICE * search->solid->grid.size) {
        return FLT_MAX;
    }
    float depths[2] = {0.0f, 0.0f};
    double covered = 0.0;
    for (int i = 0; i < search->samples.count; ++i) {
        const Probe* sample = &search->samples.data[i];
        int side = sdPlane_Distance(plane, sample->point) > 0.0f;
        if (covers(&sides[side], sample)) {
            depths[side] = sdMaxF(depths[side], sample->depth);
            covered += (double)sample->depth;
        }
    }
    float share = search->depthSum > 0.0 ? (float)(covered / search->depthSum) : 0.0f;
    return sdMaxF(depths[0], depths[1]) + SD_CUT_WEIGHT_OTHER * sdMinF(depths[0], depths[1]) +
           SD_CUT_WEIGHT_COVERED * share * search->part->concavity +
           SD_CUT_WEIGHT_BALANCE * imbalance(search, plane) * search->part->concavity;
}

static void tryPlane(CutSearch* search, sdVec3 normal, sdVec3 point) {
    normal = sdNormalize(normal);
    if (sdLengthSquared(normal) == 0.0f || search->planeCount == SD_CUT_MAX_PLANES) {
        return;
    }
    sdPlane plane = {normal, sdDot(normal, point)};
    float score = scorePlane(search, plane);
    if (score < FLT_MAX) {
        search->planes[search->planeCount++] = (CutPlane){plane, score};
    }
}

// ---- where planes come from ----------------------------------------------------------------

static void tryAlong(CutSearch* search, sdVec3 axis, int count) {
    float low = FLT_MAX, high = -FLT_MAX;
    for (int i = 0; i < search->vertices.count; ++i) {
        float d = sdDot(axis, search->vertices.data[i].point);
        low = sdMinF(low, d);
        high = sdMaxF(high, d);
    }
    for (int i = 1; i <= count; ++i) {
        float offset = low + (high - low) * (float)i / (float)(count + 1);
        tryPlane(search, axis, sdScale(offset, axis));
    }
}

// Planes along the principal axes of the part's surface.
static void tryPrincipal(CutSearch* search) {
    sdVec3 mean = {0};
    for (int i = 0; i < search->facets.count; ++i) {
        const Facet* facet = &search->facets.data[i];
        mean = sdMulAdd(mean, facet->area / search->areaSum, facet->center);
    }
    sdMat33 covariance = sdMat33_Diagonal(0.0f, 0.0f, 0.0f);
    for (int i = 0; i < search->facets.count; ++i) {
        const Facet* facet = &search->facets.data[i];
        // in units of the part's size, so that tiny bodies do not underflow
        sdVec3 d = sdScale(1.0f / search->size, sdSub(facet->center, mean));
        sdVec3 w = sdScale(facet->area / search->areaSum, d);
        covariance = sdMat33_Add(
            covariance, sdMat33_Columns(sdScale(w.x, d), sdScale(w.y, d), sdScale(w.z, d)));
    }
    sdVec3 values;
    sdMat33 axes = sdMat33_Eigen(covariance, &values);
    float same = 1.0f - SD_CUT_SAME_MOMENT;
    bool xy = values.y > same * values.x, yz = values.z > same * values.y;
    if (!xy) {
        tryAlong(search, axes.cx, SD_CUT_OWN_PLANES);
    }
    if (!xy && !yz) {
        tryAlong(search, axes.cy, SD_CUT_OWN_PLANES);
    }
    if (!yz) {
        tryAlong(search, axes.cz, SD_CUT_OWN_PLANES);
    }
}

// Keep the edges of the greatest weight, heaviest first; of equal ones the earlier.
static void keepEdge(CutSearch* search, ConcaveEdge edge) {
    int at = search->edgeCount;
    while (at > 0 && search->edges[at - 1].weight < edge.weight * (1.0f - SD_CUT_TIE)) {
        --at;
    }
    if (at == SD_CUT_EDGES) {
        return;
    }
    search->edgeCount = sdMinI(search->edgeCount + 1, SD_CUT_EDGES);
    for (int i = search->edgeCount - 1; i > at; --i) {
        search->edges[i] = search->edges[i - 1];
    }
    search->edges[at] = edge;
}

// What is left of an edge between the part's cuts.
static bool clipSegment(const sdPlaneArray* cuts, sdVec3* a, sdVec3* b) {
    for (int i = 0; i < cuts->count; ++i) {
        float da = sdPlane_Distance(cuts->data[i], *a), db = sdPlane_Distance(cuts->data[i], *b);
        if (da >= 0.0f && db >= 0.0f) {
            return false;
        }
        if (da > 0.0f) {
            *a = sdLerp(*a, *b, da / (da - db));
        } else if (db > 0.0f) {
            *b = sdLerp(*a, *b, da / (da - db));
        }
    }
    return true;
}

// Concave edges weigh by how deep they lie in the hull, how long they are and how sharp.
static void considerEdge(CutSearch* search, const sdMeshEdge* edge) {
    const sdMesh* mesh = search->solid->mesh;
    sdVec3 a = mesh->vertices[edge->vertices[0]], b = mesh->vertices[edge->vertices[1]];
    if (edge->isConvex || edge->cosAngle > SD_CUT_MAX_COS || edge->triangles[1] < 0 ||
        !clipSegment(&search->part->cuts, &a, &b)) {
        return;
    }
    ConcaveEdge found;
    found.middle = sdScale(0.5f, sdAdd(a, b));
    found.direction = sdNormalize(sdSub(b, a));
    found.normals[0] = mesh->faceNormals[edge->triangles[0]];
    found.normals[1] = mesh->faceNormals[edge->triangles[1]];
    int planeCount;
    const sdPlane* planes = sdHull_GetPlanes(search->part->hull, &planeCount);
    float depth = FLT_MAX;
    for (int i = 0; i < planeCount; ++i) {
        depth = sdMinF(depth, -sdPlane_Distance(planes[i], found.middle));
    }
    found.weight = depth * sqrtf(sdLength(sdSub(b, a)) * (1.0f - edge->cosAngle));
    if (depth > 0.0f) {
        keepEdge(search, found);
    }
}

static void tryEdges(CutSearch* search) {
    const sdMesh* mesh = search->solid->mesh;
    const sdIntArray* loops = &search->part->loops;
    for (int at = 0; at < loops->count; at += 2 + loops->data[at + 1]) {
        int triangle = loops->data[at];
        for (int k = 0; k < 3; ++k) {
            int index = mesh->triangleEdges[3 * triangle + k];
            const sdMeshEdge* edge = &mesh->edges[index];
            // an edge between the cuts has both of its triangles here: take it from the first
            if (edge->triangles[0] == triangle) {
                considerEdge(search, edge);
            }
        }
    }
    for (int i = 0; i < search->edgeCount; ++i) {
        const ConcaveEdge* e = &search->edges[i];
        sdVec3 between = sdAdd(e->normals[0], e->normals[1]);
        tryPlane(search, e->normals[0], e->middle);
        tryPlane(search, e->normals[1], e->middle);
        tryPlane(search, sdCross(e->direction, between), e->middle);
        for (int j = 0; i < SD_CUT_PAIRED_EDGES && j < search->edgeCount; ++j) {
            if (j != i && j < SD_CUT_PAIRED_EDGES) {
                sdVec3 across = sdSub(search->edges[j].middle, e->middle);
                tryPlane(search, sdCross(e->direction, across), e->middle);
            }
        }
    }
}

// ---- the real score ------------------------------------------------------------------------

// Parts that a piece will still be cut into: a bent bar bulges by the square of its length. Whole
// numbers, so that planes are preferred that leave pieces just good enough.
static float estimateCount(const CutSearch* search, float concavity) {
    const float slack = 0.01f;
    return ceilf(sqrtf(concavity / search->solid->goal) - slack);
}

static float scorePieces(const CutSearch* search, sdPlane plane, const sdPart* pieces, int count) {
    float worst = 0.0f, sum = 0.0f, parts = 0.0f;
    for (int i = 0; i < count; ++i) {
        worst = sdMaxF(worst, pieces[i].concavity);
        sum += pieces[i].concavity;
        parts += estimateCount(search, pieces[i].concavity);
    }
    float share = parts / estimateCount(search, search->part->concavity);
    return worst + SD_CUT_WEIGHT_OTHER * (sum - worst) / (float)sdMaxI(count - 1, 1) +
           (SD_CUT_WEIGHT_COUNT * share + SD_CUT_WEIGHT_BALANCE * imbalance(search, plane)) *
               search->part->concavity;
}

// Take the best plane out that is left; false when there is none.
static bool takePlane(CutSearch* search, sdPlane* out) {
    int best = SD_NULL_INDEX;
    for (int i = 0; i < search->planeCount; ++i) {
        // of planes that rounding could swap the earlier is taken
        float better = SD_CUT_TIE * search->part->concavity;
        if (best < 0 || search->planes[i].score < search->planes[best].score - better) {
            best = i;
        }
    }
    if (best < 0) {
        return false;
    }
    *out = search->planes[best].plane;
    // and with it all that are nearly the same
    const float sameCos = 0.995f, sameOffset = 0.03f;
    sdVec3 middle = sdAABB_Center(sdHull_GetBounds(search->part->hull));
    int kept = 0;
    for (int i = 0; i < search->planeCount; ++i) {
        sdPlane other = search->planes[i].plane;
        float cosine = sdDot(other.normal, out->normal);
        float da = sdPlane_Distance(*out, middle), db = sdPlane_Distance(other, middle);
        float apart = sdAbsF(cosine > 0.0f ? da - db : da + db);
        if (sdAbsF(cosine) < sameCos || apart > sameOffset * search->size) {
            search->planes[kept++] = search->planes[i];
        }
    }
    search->planeCount = kept;
    return true;
}

static sdResult tryForReal(CutSearch* search, int limit, sdPartArray* out) {
    sdResult result = SD_OK;
    sdPartArray pieces = {0};
    float best = FLT_MAX;
    int first = out->count;
    sdPlane plane;
    for (int i = 0; i < SD_CUT_TRIALS && result == SD_OK && takePlane(search, &plane); ++i) {
        result = sdPart_Cut(search->solid, search->part, plane, limit, best, &pieces);
        if (result != SD_OK || pieces.count < 2) {
            sdPartArray_Shrink(&pieces, search->solid, 0);
            continue;
        }
        float score = scorePieces(search, plane, pieces.data, pieces.count);
        if (score < best - SD_CUT_TIE * search->part->concavity) {
            best = score;
            sdPartArray_Shrink(out, search->solid, first);
            bool fits = sdPartArray_Reserve(out, &search->solid->context->allocator,
                                            (int64_t)first + pieces.count);
            for (int k = 0; k < pieces.count && fits; ++k) {
                out->data[out->count++] = pieces.data[k];
            }
            pieces.count = fits ? 0 : pieces.count;
            result = fits ? SD_OK : SD_ERROR_OUT_OF_MEMORY;
        }
        sdPartArray_Shrink(&pieces, search->solid, 0);
    }
    sdPartArray_Free(&pieces, &search->solid->context->allocator);
    return result;
}

static void freeSearch(CutSearch* search) {
    const sdAllocator* allocator = &search->solid->context->allocator;
    ProbeArray_Free(&search->vertices, allocator);
    ProbeArray_Free(&search->samples, allocator);
    FacetArray_Free(&search->facets, allocator);
    sdIntArray_Free(&search->corners, allocator);
    sdIntArray_Free(&search->probeOf, allocator);
    sdFree(allocator, search, sizeof *search);
}

sdResult sdPart_Split(sdSolid* solid, const sdPart* part, int limit, sdPartArray* out) {
    CutSearch* search = sdAllocZero(&solid->context->allocator, sizeof *search);
    if (search == NULL) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    search->solid = solid;
    search->part = part;
    makeDirections(search->directions);
    sdAABB box = sdHull_GetBounds(part->hull);
    search->size = sdLength(sdSub(box.upper, box.lower));
    sdResult result = SD_ERROR_OUT_OF_MEMORY;
    if (addFacets(search) && addSamples(search)) {
        // planes through concave edges first: of equal ones the earlier is taken
        tryEdges(search);
        tryAlong(search, sdV3(1.0f, 0.0f, 0.0f), SD_CUT_AXIS_PLANES);
        tryAlong(search, sdV3(0.0f, 1.0f, 0.0f), SD_CUT_AXIS_PLANES);
        tryAlong(search, sdV3(0.0f, 0.0f, 1.0f), SD_CUT_AXIS_PLANES);
        tryPrincipal(search);
        result = tryForReal(search, limit, out);
    }
    freeSearch(search);
    return result;
}
