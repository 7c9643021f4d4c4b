// SPDX-License-Identifier: MIT
// sat_kernel.c - the faces of the difference of two polyhedra, visited one by one.
//
// In:   two polyhedra, a limit of separation below which nothing is of interest.
// Out:  calls of the visitor with axes, features and separations. Never allocates.
// Ref:  Gregorius, "The Separating Axis Test between Convex Polyhedra", GDC 2013 (arcs on the
//       sphere of normals).
// Note: three things keep it fast. A point of B that is known to be deep under a face of A bounds
//       the separation on that face, so most faces are passed over without looking for the deepest
//       point; eight such points are kept for each body. If one of them is deep under both faces
//       at an edge, no axis between their normals is better: most edges drop out. And the arcs of
//       eight edges at a time are tested for crossing.
//       Single precision only picks vertices and candidates; what is visited is evaluated in double
//       with the support points of both bodies, so that no axis separates that does not.

#include "narrow/sat.h"

#define BLOCK 64

/// Relative to the bodies' size. Triangles that lie in one plane touch along their normal, whatever
/// their distance in it: below this depth they may, and the axes in their planes are looked at.
#define FLAT_DEPTH 1e-5

/// One of the two bodies, with points of the other in its frame.
typedef struct Side {
    const sdPolyhedron* body;
    sdVec3x8 witnesses;
    int nextLane;
    bool isA;
} Side;

typedef struct Walk {
    sdFacetWalk* out;
    const sdSatPair* pair;
    Side a, b;
    double slack; ///< of bounds by witnesses in single precision, m
} Walk;

/// Edges of B in A's frame.
typedef struct EdgeBlock {
    float edge[3][BLOCK];
    float left[3][BLOCK];  ///< normal of the half-edge's face
    float right[3][BLOCK]; ///< normal of its twin's face
    int32_t index[BLOCK];
    int count;
} EdgeBlock;

// ---- frames and support --------------------------------------------------------------------

SD_INLINE sdVec3d toA(const sdConvexPair* pair, sdVec3d v) {
    sdVec3d r = sdScaleD(v.x, pair->columns[0]);
    r = sdMulAddD(r, v.y, pair->columns[1]);
    return sdMulAddD(r, v.z, pair->columns[2]);
}

SD_INLINE sdVec3d toB(const sdConvexPair* pair, sdVec3d v) {
    return sdV3d(sdDotD(v, pair->columns[0]), sdDotD(v, pair->columns[1]),
                 sdDotD(v, pair->columns[2]));
}

SD_INLINE sdVec3d unit(sdVec3d v) {
    return sdScaleD(1.0 / sdLengthD(v), v);
}

/// Support points of both along an axis, and the gap between them.
SD_INLINE double alongAxis(const sdConvexPair* pair, sdVec3d axis, sdVec3d* pointA,
                           sdVec3d* pointB) {
    int index;
    *pointA = sdConvexPair_SupportA(pair, axis, &index);
    *pointB = sdConvexPair_SupportB(pair, sdScaleD(-1.0, axis), &index);
    return sdDotD(axis, sdSubD(*pointB, *pointA));
}

double SD_KERNEL(sdSat_Along)(const sdConvexPair* pair, sdVec3d axis) {
    sdVec3d pointA, pointB;
    return alongAxis(pair, axis, &pointA, &pointB);
}

// ---- witnesses -----------------------------------------------------------------------------

SD_INLINE void setLane(sdVec3x8* points, int lane, sdVec3d p) {
    points->x[lane] = (float)p.x;
    points->y[lane] = (float)p.y;
    points->z[lane] = (float)p.z;
}

/// Remember support points, given in A's frame.
static void remember(Walk* walk, sdVec3d pointA, sdVec3d pointB) {
    const sdConvexPair* pair = &walk->pair->convex;
    setLane(&walk->a.witnesses, walk->a.nextLane, pointB);
    setLane(&walk->b.witnesses, walk->b.nextLane, toB(pair, sdSubD(pointA, pair->offset)));
    walk->a.nextLane = (walk->a.nextLane + 1) % SD_LANES;
    walk->b.nextLane = (walk->b.nextLane + 1) % SD_LANES;
}

SD_INLINE sdF8 distances(const sdPlane* plane, const sdVec3x8* points) {
    return sdF8_Splat(plane->normal.x) * points->x + sdF8_Splat(plane->normal.y) * points->y +
           sdF8_Splat(plane->normal.z) * points->z - sdF8_Splat(plane->offset);
}

/// The other body reaches at least this deep under the face.
SD_INLINE double faceBound(const Side* side, int face) {
    return (double)sdF8_ReduceMin(distances(&side->body->planes[face], &side->witnesses));
}

/// The same for all axes between the normals of an edge's faces. When n = (α n₁ + β n₂) / |...| and
/// a point lies at u₁, u₂ <= u <= 0 under the faces, it lies at (α u₁ + β u₂) / |...| <= u on n, as
/// |α n₁ + β n₂| <= α + β.
SD_INLINE double edgeBound(const Side* side, int edge) {
    const sdHalfEdge* edges = side->body->edges;
    const sdPlane* planes = side->body->planes;
    sdF8 u1 = distances(&planes[edges[edge].face], &side->witnesses);
    sdF8 u2 = distances(&planes[edges[edges[edge].twin].face], &side->witnesses);
    return (double)sdF8_ReduceMin(sdF8_Max(u1, u2));
}

/// What a facet of a later group must exceed, see sdSat_Walk.
SD_INLINE double laterLimit(const Walk* walk) {
    double limit = walk->out->limit, raised = limit + walk->pair->tie;
    return limit <= 0.0 && raised > 0.0 ? 0.0 : raised;
}

// ---- faces ---------------------------------------------------------------------------------

static sdVec3d faceAxis(const Walk* walk, const Side* side, int face) {
    sdVec3d n = unit(sdVec3d_From(side->body->planes[face].normal));
    return side->isA ? n : sdScaleD(-1.0, toA(&walk->pair->convex, n));
}

static bool visitFace(Walk* walk, const Side* side, int face) {
    sdVec3d pointA, pointB;
    sdFacet facet = {.axis = faceAxis(walk, side, face),
                     .type = side->isA ? SD_FEATURE_FACE_A : SD_FEATURE_FACE_B,
                     .indexA = side->isA ? face : SD_NULL_INDEX,
                     .indexB = side->isA ? SD_NULL_INDEX : face};
    facet.separation = alongAxis(&walk->pair->convex, facet.axis, &pointA, &pointB);
    walk->out->axisCount += 1;
    remember(walk, pointA, pointB);
    double limit = side->isA ? walk->out->limit : laterLimit(walk);
    return facet.separation > limit ? walk->out->visit(walk->out->user, &facet, &walk->out->limit)
                                    : true;
}

/// The face over which the middle of the other body is highest.
static int likelyFace(const Side* side, sdVec3d middle) {
    int best = 0;
    double highest = -DBL_MAX;
    for (int f = 0; f < side->body->faceCount; ++f) {
        const sdPlane* plane = &side->body->planes[f];
        double height = (double)plane->normal.x * middle.x + (double)plane->normal.y * middle.y +
                        (double)plane->normal.z * middle.z - (double)plane->offset;
        best = height > highest ? f : best;
        highest = height > highest ? height : highest;
    }
    return best;
}

static bool visitFaces(Walk* walk, Side* side, int done) {
    for (int f = 0; f < side->body->faceCount; ++f) {
        double limit = side->isA ? walk->out->limit : laterLimit(walk);
        if (f != done && faceBound(side, f) + walk->slack > limit && !visitFace(walk, side, f)) {
            return false;
        }
    }
    return true;
}

// ---- edge pairs ----------------------------------------------------------------------------

static bool isEdgeOfInterest(const Walk* walk, const Side* side, int edge) {
    // each edge once, by the lower of its half-edges
    if (edge > side->body->edges[edge].twin) {
        return false;
    }
    // the normals of a triangle are opposite: every axis across its edge lies between them
    if (side->body->type == SD_SHAPE_TRIANGLE) {
        return true;
    }
    double limit = laterLimit(walk);
    return edgeBound(side, edge) + walk->slack > (limit < 0.0 ? limit : 0.0);
}

static void setBlockVector(float to[3][BLOCK], int at, sdVec3d v) {
    to[0][at] = (float)v.x;
    to[1][at] = (float)v.y;
    to[2][at] = (float)v.z;
}

/// Take the edges of B from `edge` on that are of interest, as many as fit.
/// @return the edge at which to go on
static int fillBlock(const Walk* walk, EdgeBlock* block, int edge) {
    const sdConvexPair* pair = &walk->pair->convex;
    const sdPolyhedron* body = walk->b.body;
    block->count = 0;
    for (; edge < body->halfEdgeCount && block->count < BLOCK; ++edge) {
        if (!isEdgeOfInterest(walk, &walk->b, edge)) {
            continue;
        }
        int at = block->count++;
        sdVec3 left = body->planes[body->edges[edge].face].normal;
        sdVec3 right = body->planes[body->edges[body->edges[edge].twin].face].normal;
        block->index[at] = edge;
        setBlockVector(block->edge, at, toA(pair, sdPolyhedron_EdgeVector(body, edge)));
        setBlockVector(block->left, at, toA(pair, sdVec3d_From(left)));
        setBlockVector(block->right, at, toA(pair, sdVec3d_From(right)));
    }
    // edges of length zero cross nothing
    for (int at = block->count; at % SD_LANES != 0; ++at) {
        setBlockVector(block->edge, at, sdV3d(0.0, 0.0, 0.0));
        setBlockVector(block->left, at, sdV3d(0.0, 0.0, 0.0));
        setBlockVector(block->right, at, sdV3d(0.0, 0.0, 0.0));
    }
    return edge;
}

SD_INLINE sdVec3x8 loadBlock(const float from[3][BLOCK], int at) {
    return (sdVec3x8){sdF8_Load(from[0] + at), sdF8_Load(from[1] + at), sdF8_Load(from[2] + at)};
}

/// Bit i: the arc of A's edge crosses the one of edge `at + i`, turned over. With e_A running along
/// the face a (the other is b), e_B along c (the other is d), the axis ±e_A × e_B lies on A's arc
/// when e_B·a and e_B·b have opposite signs, on the other when e_A·c and e_A·d have, and on the
/// same side of the sphere when e_B·a and e_A·c agree.
SD_INLINE int crossings(const EdgeBlock* block, int at, const sdVec3x8* edge, const sdVec3x8* left,
                        const sdVec3x8* right) {
    const sdF8 zero = sdF8_Zero();
    sdVec3x8 other = loadBlock(block->edge, at);
    sdF8 a = sdVec3x8_Dot(other, *left), b = sdVec3x8_Dot(other, *right);
    sdF8 c = sdVec3x8_Dot(*edge, loadBlock(block->left, at));
    sdF8 d = sdVec3x8_Dot(*edge, loadBlock(block->right, at));
    sdI8 mask = sdF8_Less(a * b, zero) & sdF8_Less(c * d, zero) & sdF8_Less(zero, a * c);
    return sdI8_MaskBits(mask);
}

static bool visitEdges(Walk* walk, int edgeA, int edgeB) {
    const sdConvexPair* pair = &walk->pair->convex;
    const sdPolyhedron *a = walk->a.body, *b = walk->b.body;
    sdVec3d eA = sdPolyhedron_EdgeVector(a, edgeA);
    sdVec3d eB = toA(pair, sdPolyhedron_EdgeVector(b, edgeB));
    sdVec3d n = sdCrossD(eA, eB);
    double squared = sdDotD(n, n);
    if (squared <= SD_SAT_PARALLEL * SD_SAT_PARALLEL * sdDotD(eA, eA) * sdDotD(eB, eB)) {
        return true;
    }
    double sign = sdDotD(eB, sdVec3d_From(a->planes[a->edges[edgeA].face].normal));
    n = sdScaleD((sign < 0.0 ? -1.0 : 1.0) / sqrt(squared), n);
    // points of both edges are at most as far out as the support points
    sdVec3d pointA = sdVec3d_From(a->vertices[a->edges[edgeA].origin]);
    sdVec3d pointB = sdConvexPair_ToA(pair, sdVec3d_From(b->vertices[b->edges[edgeB].origin]));
    double limit = laterLimit(walk);
    if (sdDotD(n, sdSubD(pointB, pointA)) <= limit) {
        return true;
    }
    sdFacet facet = {.axis = n, .type = SD_FEATURE_EDGE_EDGE, .indexA = edgeA, .indexB = edgeB};
    facet.separation = alongAxis(pair, n, &pointA, &pointB);
    walk->out->axisCount += 1;
    return facet.separation > limit ? walk->out->visit(walk->out->user, &facet, &walk->out->limit)
                                    : true;
}

static bool visitBlock(Walk* walk, const EdgeBlock* block) {
    const sdPolyhedron* body = walk->a.body;
    for (int edge = 0; edge < body->halfEdgeCount; ++edge) {
        if (!isEdgeOfInterest(walk, &walk->a, edge)) {
            continue;
        }
        const sdHalfEdge* half = &body->edges[edge];
        sdVec3x8 vector = sdVec3x8_Splat(sdVec3d_Round(sdPolyhedron_EdgeVector(body, edge)));
        sdVec3x8 left = sdVec3x8_Splat(body->planes[half->face].normal);
        sdVec3x8 right = sdVec3x8_Splat(body->planes[body->edges[half->twin].face].normal);
        for (int at = 0; at < block->count; at += SD_LANES) {
            unsigned bits = (unsigned)crossings(block, at, &vector, &left, &right);
            for (; bits != 0; bits &= bits - 1) {
                if (!visitEdges(walk, edge, block->index[at + __builtin_ctz(bits)])) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool visitEdgePairs(Walk* walk) {
    EdgeBlock block;
    for (int edge = 0; edge < walk->b.body->halfEdgeCount;) {
        edge = fillBlock(walk, &block, edge);
        if (!visitBlock(walk, &block)) {
            return false;
        }
    }
    return true;
}

// ---- triangles as prisms -------------------------------------------------------------------

/// Directions of the edges and of the additional faces of a prism without thickness. A box has its
/// edges only; a hull has none here, for it has volume of its own.
typedef struct Prism {
    sdVec3d edges[5];
    int indices[5]; ///< half-edge, or SD_NULL_INDEX for those across the triangle
    int edgeCount;
    sdVec3d faces[4];
    int faceCount;
} Prism;

static void addEdge(Prism* prism, sdVec3d e, int index) {
    double length = sdLengthD(e);
    if (length > 0.0) {
        prism->indices[prism->edgeCount] = index;
        prism->edges[prism->edgeCount++] = sdScaleD(1.0 / length, e);
    }
}

/// In the body's own frame.
static void setPrism(Prism* prism, const sdPolyhedron* body) {
    prism->edgeCount = 0;
    prism->faceCount = 0;
    if (body->type == SD_SHAPE_HULL) {
        return;
    }
    static const int boxEdges[3] = {9, 2, 1};
    for (int i = 0; i < 3; ++i) {
        int index = body->type == SD_SHAPE_BOX ? boxEdges[i] : i;
        addEdge(prism, sdPolyhedron_EdgeVector(body, index), index);
    }
    if (body->type == SD_SHAPE_BOX) {
        return;
    }
    sdVec3d n = unit(sdVec3d_From(body->planes[0].normal));
    for (int i = 0; i < prism->edgeCount; ++i) {
        prism->faces[prism->faceCount++] = sdCrossD(prism->edges[i], n);
    }
    // what a triangle needs that is only a segment or a point
    sdVec3d e =
        prism->edgeCount > 0 ? prism->edges[0] : sdVec3d_From(sdPerp(body->planes[0].normal));
    prism->faces[prism->faceCount++] = e;
    addEdge(prism, n, SD_NULL_INDEX);
    addEdge(prism, sdCrossD(n, e), SD_NULL_INDEX);
}

static void turnPrism(Prism* prism, const sdConvexPair* pair) {
    for (int i = 0; i < prism->edgeCount; ++i) {
        prism->edges[i] = toA(pair, prism->edges[i]);
    }
    for (int i = 0; i < prism->faceCount; ++i) {
        prism->faces[i] = toA(pair, prism->faces[i]);
    }
}

static bool visitBothWays(Walk* walk, sdVec3d axis, int indexA, int indexB) {
    for (int sign = 1; sign >= -1; sign -= 2) {
        sdVec3d pointA, pointB;
        sdFacet facet = {.axis = sdScaleD((double)sign, axis),
                         .type = SD_FEATURE_EDGE_EDGE,
                         .indexA = indexA,
                         .indexB = indexB};
        facet.separation = alongAxis(&walk->pair->convex, facet.axis, &pointA, &pointB);
        walk->out->axisCount += 1;
        if (facet.separation > laterLimit(walk) &&
            !walk->out->visit(walk->out->user, &facet, &walk->out->limit)) {
            return false;
        }
    }
    return true;
}

static bool visitPrismEdges(Walk* walk, const Prism* a, const Prism* b) {
    for (int i = 0; i < a->edgeCount; ++i) {
        for (int j = 0; j < b->edgeCount; ++j) {
            // pairs of proper edges were visited before
            bool isNew = a->indices[i] == SD_NULL_INDEX || b->indices[j] == SD_NULL_INDEX;
            sdVec3d n = sdCrossD(a->edges[i], b->edges[j]);
            double length = sdLengthD(n);
            if (isNew && length > SD_SAT_PARALLEL &&
                !visitBothWays(walk, sdScaleD(1.0 / length, n), a->indices[i], b->indices[j])) {
                return false;
            }
        }
    }
    return true;
}

static bool visitPrisms(Walk* walk) {
    Prism a, b;
    setPrism(&a, walk->a.body);
    setPrism(&b, walk->b.body);
    turnPrism(&b, &walk->pair->convex);
    for (int i = 0; i < a.faceCount; ++i) {
        if (!visitBothWays(walk, a.faces[i], a.indices[i], SD_NULL_INDEX)) {
            return false;
        }
    }
    for (int j = 0; j < b.faceCount; ++j) {
        if (!visitBothWays(walk, b.faces[j], SD_NULL_INDEX, b.indices[j])) {
            return false;
        }
    }
    return visitPrismEdges(walk, &a, &b);
}

// ---- all -----------------------------------------------------------------------------------

static void initWalk(Walk* walk, sdFacetWalk* out) {
    const sdConvexPair* pair = &out->pair->convex;
    walk->out = out;
    walk->pair = out->pair;
    walk->a = (Side){.body = &out->pair->a, .isA = true};
    walk->b = (Side){.body = &out->pair->b, .isA = false};
    walk->slack = SD_SUPPORT_ROUNDING * (pair->scale + sdLengthD(pair->offset));
    out->axisCount = 0;
}

/// The middles of the bodies are the first points that are known of them.
static void placeMiddles(Walk* walk, sdVec3d* middleA, sdVec3d* middleB) {
    const sdConvexPair* pair = &walk->pair->convex;
    sdVec3d a = sdVec3d_From(walk->a.body->center);
    *middleB = sdConvexPair_ToA(pair, sdVec3d_From(walk->b.body->center));
    *middleA = toB(pair, sdSubD(a, pair->offset));
    walk->a.witnesses = sdVec3x8_Splat(sdVec3d_Round(*middleB));
    walk->b.witnesses = sdVec3x8_Splat(sdVec3d_Round(*middleA));
}

bool SD_KERNEL(sdSat_Walk)(sdFacetWalk* out) {
    Walk walk;
    sdVec3d middleA, middleB;
    initWalk(&walk, out);
    placeMiddles(&walk, &middleA, &middleB);
    // the likely ones first: often they separate, and else they set a good limit
    int firstA = likelyFace(&walk.a, middleB), firstB = likelyFace(&walk.b, middleA);
    if (!visitFace(&walk, &walk.a, firstA) || !visitFace(&walk, &walk.b, firstB) ||
        !visitFaces(&walk, &walk.a, firstA) || !visitFaces(&walk, &walk.b, firstB) ||
        !visitEdgePairs(&walk)) {
        return false;
    }
    bool isFlat = walk.a.body->type == SD_SHAPE_TRIANGLE || walk.b.body->type == SD_SHAPE_TRIANGLE;
    bool isShallow = out->limit == -DBL_MAX || out->limit > -FLAT_DEPTH * out->pair->convex.scale;
    return isFlat && isShallow ? visitPrisms(&walk) : true;
}
