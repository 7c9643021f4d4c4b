// SPDX-License-Identifier: MIT
// model_refine.c - models that are images of the sphere: subdivision and refinement.
//
// In:   a map from the unit sphere and the wanted number of triangles.
// Out:  exactly that many triangles; every split of an edge adds two.
// Ref:  Rivara, "Algorithms for refining triangular grids suitable for adaptive and multigrid
//       techniques", 1984: halving longest edges keeps angles away from 0.

#include "geometry/model_builder.h"

/// Side ratio of the three rectangles on whose corners an icosahedron stands.
#define GOLDEN_RATIO 1.618033988749895f

/// Edges that wait for a look; more than these are left as they are, which is valid too.
#define MAX_WAITING 64
/// Flips after one split. Each one makes the triangles better, but nothing proves on a curved
/// surface that this ends.
#define MAX_FLIPS 256
/// By how much, as a sine or cosine, a flip must better the angles.
#define FLIP_THRESHOLD 1e-4f

/// Least ratio of height to longest side of a triangle that a flip makes, on the sphere. Without it
/// three points of one arc could become a triangle, and its middle be found again and again.
#define MIN_FLATNESS 0.02f

/// What the length of an edge is taken of.
typedef enum Measure { ON_SPHERE, ON_MODEL, BY_DETAIL } Measure;

/// Half-edge h runs from corner h of the triangle list to the next corner of the same triangle.
typedef struct Refinement {
    sdModelBuilder* builder;
    const sdModelMap* map;
    sdVec3* domain; ///< the point of the sphere behind each vertex
    int32_t* twins; ///< of each half-edge
    float* lengths; ///< of each half-edge, as measured
    Measure measure;
} Refinement;

// ---- subdivision ---------------------------------------------------------------------------

/// The vertex halfway between a and b, made when it is asked for first. Its neighbours are kept in
/// `ends`, two for each vertex from `firstNew` on.
static int midpoint(sdModelBuilder* builder, sdIndexArray* ends, int firstNew, int a, int b) {
    int low = sdMinI(a, b), high = sdMaxI(a, b);
    for (int k = 0; k < ends->count; k += 2) {
        if (ends->data[k] == low && ends->data[k + 1] == high) {
            return firstNew + k / 2;
        }
    }
    const sdAllocator* allocator = &builder->context->allocator;
    if (!sdIndexArray_Push(ends, allocator, low) || !sdIndexArray_Push(ends, allocator, high)) {
        builder->isOutOfMemory = true;
        return 0;
    }
    const sdVec3* v = builder->vertices.data;
    return sdModelBuilder_AddVertex(builder, sdNormalize(sdAdd(v[a], v[b])));
}

static void subdivide(sdModelBuilder* builder) {
    sdIndexArray ends = {0};
    int firstNew = builder->vertices.count;
    int count = builder->triangles.count;
    for (int k = 0; k < count && !builder->isOutOfMemory; k += 3) {
        const int32_t* t = builder->triangles.data + k;
        int a = t[0], b = t[1], c = t[2];
        int ab = midpoint(builder, &ends, firstNew, a, b);
        int bc = midpoint(builder, &ends, firstNew, b, c);
        int ca = midpoint(builder, &ends, firstNew, c, a);
        sdModelBuilder_AddTriangle(builder, a, ab, ca);
        sdModelBuilder_AddTriangle(builder, b, bc, ab);
        sdModelBuilder_AddTriangle(builder, c, ca, bc);
        int32_t* middle = builder->triangles.data + k;
        middle[0] = ab;
        middle[1] = bc;
        middle[2] = ca;
    }
    sdIndexArray_Free(&ends, &builder->context->allocator);
}

void sdModelBuilder_AddIcosphere(sdModelBuilder* builder, int levels) {
    static const float corners[12][3] = {
        {-1, GOLDEN_RATIO, 0}, {1, GOLDEN_RATIO, 0}, {-1, -GOLDEN_RATIO, 0}, {1, -GOLDEN_RATIO, 0},
        {0, -1, GOLDEN_RATIO}, {0, 1, GOLDEN_RATIO}, {0, -1, -GOLDEN_RATIO}, {0, 1, -GOLDEN_RATIO},
        {GOLDEN_RATIO, 0, -1}, {GOLDEN_RATIO, 0, 1}, {-GOLDEN_RATIO, 0, -1}, {-GOLDEN_RATIO, 0, 1}};
    static const int faces[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                     {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                     {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                     {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    for (int i = 0; i < 12; ++i) {
        sdVec3 p = sdV3(corners[i][0], corners[i][1], corners[i][2]);
        sdModelBuilder_AddVertex(builder, sdNormalize(p));
    }
    for (int i = 0; i < 20; ++i) {
        sdModelBuilder_AddTriangle(builder, faces[i][0], faces[i][1], faces[i][2]);
    }
    for (int level = 0; level < levels && !builder->isOutOfMemory; ++level) {
        subdivide(builder);
    }
}

// ---- half-edges ----------------------------------------------------------------------------

static int nextOf(int h) {
    return h % 3 == 2 ? h - 2 : h + 1;
}

static int previousOf(int h) {
    return h % 3 == 0 ? h + 2 : h - 1;
}

static int originOf(const Refinement* r, int h) {
    return r->builder->triangles.data[h];
}

/// Where a vertex is on the surface that is being measured.
static sdVec3 placeOf(const Refinement* r, int vertex) {
    return r->measure == ON_SPHERE ? r->domain[vertex] : r->builder->vertices.data[vertex];
}

static void setTwins(Refinement* r, int h, int g) {
    r->twins[h] = g;
    r->twins[g] = h;
}

/// Over the image of its middle, so that an edge across a pit counts the way down and up again.
static float lengthOnModel(const Refinement* r, int a, int b) {
    sdVec3 middle = r->map->point(sdNormalize(sdAdd(r->domain[a], r->domain[b])));
    sdVec3 p = r->builder->vertices.data[a], q = r->builder->vertices.data[b];
    float detail =
        r->measure == BY_DETAIL && r->map->detail != NULL ? r->map->detail(middle) : 1.0f;
    return detail * (sdLength(sdSub(p, middle)) + sdLength(sdSub(q, middle)));
}

static void measureEdge(Refinement* r, int h) {
    int a = originOf(r, h), b = originOf(r, nextOf(h));
    float length = r->measure == ON_SPHERE ? sdLength(sdSub(r->domain[a], r->domain[b]))
                                           : lengthOnModel(r, a, b);
    r->lengths[h] = length;
    r->lengths[r->twins[h]] = length;
}

// ---- flips ---------------------------------------------------------------------------------

/// Cosine and sine of the angle at c, both times the lengths of its sides.
static sdVec2 angleAt(sdVec3 a, sdVec3 c, sdVec3 b) {
    sdVec3 ca = sdSub(a, c), cb = sdSub(b, c);
    return sdV2(sdDot(ca, cb), sdLength(sdCross(ca, cb)));
}

/// Counter-clockwise on the sphere, and not too thin there.
static bool isFairOnSphere(const Refinement* r, int ia, int ib, int ic) {
    sdVec3 a = r->domain[ia], b = r->domain[ib], c = r->domain[ic];
    float longest =
        sdMaxF(sdDistanceSquared(a, b), sdMaxF(sdDistanceSquared(b, c), sdDistanceSquared(c, a)));
    return sdDot(a, sdCross(sdSub(b, a), sdSub(c, a))) > MIN_FLATNESS * longest;
}

static bool areNeighbors(const Refinement* r, int h, int vertex) {
    // once around the origin of h; no vertex has more edges than there are
    int g = h;
    for (int i = 0; i < r->builder->triangles.count; ++i) {
        if (originOf(r, nextOf(g)) == vertex) {
            return true;
        }
        g = r->twins[previousOf(g)];
        if (g == h) {
            break;
        }
    }
    return false;
}

/// Cosine of the angle between two normals of any length.
static float cosineOf(sdVec3 a, sdVec3 b) {
    return sdDot(sdNormalize(a), sdNormalize(b));
}

/// A sharp fold is worth a flip that makes it less sharp. Elsewhere the rule is Delaunay's: the
/// angles opposite of the edge are together more than 180 degrees, and no fold comes of it.
static bool isBetterFlipped(sdVec3 a, sdVec3 b, sdVec3 c, sdVec3 d) {
    sdVec3 oldC = sdCross(sdSub(b, a), sdSub(c, a)), oldD = sdCross(sdSub(a, b), sdSub(d, b));
    sdVec3 newA = sdCross(sdSub(c, d), sdSub(a, d)), newB = sdCross(sdSub(d, c), sdSub(b, c));
    float oldCosine = cosineOf(oldC, oldD), newCosine = cosineOf(newA, newB);
    if (oldCosine < 0.0f) {
        return newCosine > oldCosine + FLIP_THRESHOLD;
    }
    sdVec2 atC = angleAt(a, c, b), atD = angleAt(b, d, a);
    float scale = sdLength2(atC) * sdLength2(atD);
    sdVec3 normal = sdAdd(oldC, oldD);
    return atC.x * atD.y + atC.y * atD.x < -FLIP_THRESHOLD * scale && newCosine > 0.0f &&
           sdDot(normal, newA) > 0.0f && sdDot(normal, newB) > 0.0f;
}

static bool wantsFlip(const Refinement* r, int h) {
    int g = r->twins[h];
    int a = originOf(r, h), b = originOf(r, g);
    int c = originOf(r, previousOf(h)), d = originOf(r, previousOf(g));
    return isBetterFlipped(placeOf(r, a), placeOf(r, b), placeOf(r, c), placeOf(r, d)) &&
           isFairOnSphere(r, c, a, d) && isFairOnSphere(r, d, b, c) &&
           !areNeighbors(r, previousOf(h), d);
}

/// Edge a b between the triangles a b c and b a d becomes edge d c.
static void flip(Refinement* r, int h) {
    int g = r->twins[h];
    int bc = r->twins[nextOf(h)], ca = r->twins[previousOf(h)];
    int ad = r->twins[nextOf(g)], db = r->twins[previousOf(g)];
    int32_t* t = r->builder->triangles.data;
    int a = t[h], b = t[g], c = t[previousOf(h)], d = t[previousOf(g)];
    t[h] = d;
    t[nextOf(h)] = c;
    t[previousOf(h)] = a;
    t[g] = c;
    t[nextOf(g)] = d;
    t[previousOf(g)] = b;
    setTwins(r, nextOf(h), ca);
    setTwins(r, previousOf(h), ad);
    setTwins(r, nextOf(g), db);
    setTwins(r, previousOf(g), bc);
    int sides[4] = {nextOf(h), previousOf(h), nextOf(g), previousOf(g)};
    for (int i = 0; i < 4; ++i) {
        r->lengths[sides[i]] = r->lengths[r->twins[sides[i]]];
    }
    measureEdge(r, h);
}

static void flipAround(Refinement* r, const int* edges, int count) {
    int waiting[MAX_WAITING];
    memcpy(waiting, edges, (size_t)count * sizeof(int));
    for (int flips = 0; count > 0 && flips < MAX_FLIPS;) {
        int h = waiting[--count];
        if (!wantsFlip(r, h)) {
            continue;
        }
        int g = r->twins[h];
        flip(r, h);
        ++flips;
        int around[4] = {nextOf(h), previousOf(h), nextOf(g), previousOf(g)};
        for (int i = 0; i < 4 && count < MAX_WAITING; ++i) {
            waiting[count++] = around[i];
        }
    }
}

// ---- refinement ----------------------------------------------------------------------------

static int addMappedVertex(Refinement* r, sdVec3 u) {
    int index = sdModelBuilder_AddVertex(r->builder, r->map->point(u));
    r->domain[index] = u;
    return index;
}

static int longestEdge(const Refinement* r) {
    int longest = 0;
    for (int h = 1; h < r->builder->triangles.count; ++h) {
        longest = r->lengths[h] > r->lengths[longest] ? h : longest;
    }
    return longest;
}

/// The triangles a b c and b a d become a m c, m b c, b m d and m a d.
static void splitLongestEdge(Refinement* r) {
    sdModelBuilder* builder = r->builder;
    int h = longestEdge(r), g = r->twins[h];
    int a = originOf(r, h), b = originOf(r, g);
    int c = originOf(r, previousOf(h)), d = originOf(r, previousOf(g));
    int bc = r->twins[nextOf(h)], ad = r->twins[nextOf(g)];
    int m = addMappedVertex(r, sdNormalize(sdAdd(r->domain[a], r->domain[b])));
    int k = builder->triangles.count, l = k + 3;
    sdModelBuilder_AddTriangle(builder, m, b, c);
    sdModelBuilder_AddTriangle(builder, m, a, d);
    builder->triangles.data[nextOf(h)] = m;
    builder->triangles.data[nextOf(g)] = m;
    setTwins(r, h, l);
    setTwins(r, g, k);
    setTwins(r, nextOf(h), k + 2);
    setTwins(r, nextOf(g), l + 2);
    setTwins(r, k + 1, bc);
    setTwins(r, l + 1, ad);
    int newEdges[4] = {h, g, nextOf(h), nextOf(g)};
    for (int i = 0; i < 4; ++i) {
        measureEdge(r, newEdges[i]);
    }
    r->lengths[k + 1] = r->lengths[bc];
    r->lengths[l + 1] = r->lengths[ad];
    int around[4] = {previousOf(h), previousOf(g), k + 1, l + 1};
    flipAround(r, around, 4);
}

static void addOctahedron(Refinement* r) {
    static const float corners[6][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                        {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    static const int faces[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                    {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    for (int i = 0; i < 6; ++i) {
        addMappedVertex(r, sdV3(corners[i][0], corners[i][1], corners[i][2]));
    }
    for (int i = 0; i < 8; ++i) {
        sdModelBuilder_AddTriangle(r->builder, faces[i][0], faces[i][1], faces[i][2]);
    }
    for (int h = 0; h < 24; ++h) {
        for (int g = 0; g < h; ++g) {
            if (originOf(r, g) == originOf(r, nextOf(h)) &&
                originOf(r, h) == originOf(r, nextOf(g))) {
                setTwins(r, h, g);
            }
        }
    }
}

static void splitUntil(Refinement* r, Measure measure, int triangleCount) {
    r->measure = measure;
    for (int h = 0; h < r->builder->triangles.count; ++h) {
        if (h < r->twins[h]) {
            measureEdge(r, h);
        }
    }
    for (int h = 0; h < r->builder->triangles.count; ++h) {
        flipAround(r, &h, 1);
    }
    while (r->builder->triangles.count < 3 * triangleCount) {
        splitLongestEdge(r);
    }
}

void sdModelBuilder_AddSphereMap(sdModelBuilder* builder, const sdModelMap* map, int evenCount,
                                 int triangleCount) {
    // Euler: V = T / 2 + 2. All memory at once, so that nothing can fail half way.
    const sdAllocator* allocator = &builder->context->allocator;
    size_t vertexCount = (size_t)triangleCount / 2 + 2, edgeCount = 3 * (size_t)triangleCount;
    Refinement r = {.builder = builder, .map = map};
    sdBlockLayout layout = {0};
    size_t domainAt = sdBlockLayout_Add(&layout, vertexCount, sizeof(sdVec3));
    size_t twinsAt = sdBlockLayout_Add(&layout, edgeCount, sizeof(int32_t));
    size_t lengthsAt = sdBlockLayout_Add(&layout, edgeCount, sizeof(float));
    char* block = sdAlloc(allocator, layout.size);
    if (block != NULL && sdVec3Array_Reserve(&builder->vertices, allocator, (int64_t)vertexCount) &&
        sdIndexArray_Reserve(&builder->triangles, allocator, (int64_t)edgeCount)) {
        r.domain = (sdVec3*)(block + domainAt);
        r.twins = (int32_t*)(block + twinsAt);
        r.lengths = (float*)(block + lengthsAt);
        addOctahedron(&r);
        splitUntil(&r, ON_SPHERE, evenCount);
        // detail means something only where edges are short against the distances it varies on
        splitUntil(&r, ON_MODEL, sdMaxI(evenCount, triangleCount / 2));
        splitUntil(&r, BY_DETAIL, triangleCount);
    } else {
        builder->isOutOfMemory = true;
    }
    sdFree(allocator, block, layout.size);
}
