// SPDX-License-Identifier: MIT
// epa_kernel.c - penetration depth of two overlapping convex cores.
//
// In:   terminal simplex of GJK, which contains the origin, and the pair's support function.
// Out:  depth, normal A->B, witness points, how much smaller the true depth may be. Never
// allocates. Ref:  van den Bergen, "Proximity Queries and Penetration Depth Computation", GDC 2001.
// Note: a polytope inside of A - B grows where it is nearest to the origin. Its nearest face bounds
//       the depth from below, the support point over it from above; it stops when the two meet, at
//       SD_EPA_MAX_VERTICES, or when rounding would break the mesh. Flat and touching bodies have
//       depth 0 and the normal of their common plane.

#include "narrow/epa_polytope.h"
#include "narrow/hull_depth.h"

/// Gap between both bounds, relative to the size of the pair, at which the depth is found.
#define TOLERANCE 1e-7
/// A - B thinner than this fraction of its size is flat.
#define FLAT 1e-10
/// Share of a face by which the foot of the origin may miss it and still be on its edge.
#define ON_EDGE 1e-9

/// Squared distances of faces in one plane differ by less than this fraction.
#define SAME_PLANE 1e-9
/// Odd, and its bits are spread.
#define CHECK 0x9E3779B97F4A7C15u

/// Squared cosine between faces that are level with each other: far from that of those that are
/// not, as flat ones are found out by their depth.
#define LEVEL 0.99
/// Bodies that overlap by less than this fraction of their size may be asked for a common point.
#define SHALLOW 1e-6
/// Depth along the axis, relative to the size of the pair, from which supports around it are likely
/// to have the origin between them.
#define DEEP 0.06
/// The same where hulls may be asked without iterations, which say sooner that they do not overlap.
#define DEEP_HULLS 0.05
/// Hulls whose middles are nearer than this, on the way from where balls in them touch to where
/// balls about them do, overlap but for very few: they are asked without looking along the axis.
#define NEAR_MIDDLES 0.2
/// Where the first supports around the axis are: cosine and sine of their angle from it. Sixty
/// degrees: the nearest face is likely to be within them.
#define RING_HEIGHT 0.7071067811865476
#define RING_RADIUS 0.7071067811865476

static sdVec3d normalOf(sdVec3d a, sdVec3d b, sdVec3d c) {
    return sdCrossD(sdSubD(b, a), sdSubD(c, a));
}

// ---- support -------------------------------------------------------------------------------

SD_INLINE sdD4 fourOf(sdVec3d v) {
    return (sdD4){v.x, v.y, v.z, 0.0};
}

static void setVertex(sdEpaVertex* out, const sdMinkowskiPoint* point) {
    out->w = fourOf(point->w);
    out->a = fourOf(point->a);
    out->indexA = point->indexA;
    out->indexB = point->indexB;
}

static void setColumns(sdPolytope* polytope, const sdConvexPair* pair) {
    for (int k = 0; k < 3; ++k) {
        sdD4_Store(polytope->columns[k], fourOf(pair->columns[k]));
        const float c[3] = {(float)pair->columns[k].x, (float)pair->columns[k].y,
                            (float)pair->columns[k].z};
        for (int i = 0; i < 3; ++i) {
            polytope->turn[k][i] = (sdF4){c[i], c[i], c[i], c[i]};
        }
    }
    sdD4_Store(polytope->offset, fourOf(pair->offset));
}

static bool areScanned(const sdConvexPair* pair) {
    return sdConvex_IsScanned(&pair->a) && sdConvex_IsScanned(&pair->b);
}

/// The difference of two vertices.
SD_INLINE void subtract(const sdConvexPair* pair, const sdPolytope* polytope, int i, int j,
                        sdEpaVertex* out) {
    const sdConvex *a = &pair->a, *b = &pair->b;
    sdD4 x = sdD4_Splat((double)b->x[j]), y = sdD4_Splat((double)b->y[j]);
    sdD4 z = sdD4_Splat((double)b->z[j]);
    out->a = (sdD4){(double)a->x[i], (double)a->y[i], (double)a->z[i], 0.0};
    // as sdConvexPair_ToA
    out->w = out->a - ((sdD4_Load(polytope->offset) + x * sdD4_Load(polytope->columns[0])) +
                       (y * sdD4_Load(polytope->columns[1]) + z * sdD4_Load(polytope->columns[2])));
    out->indexA = i;
    out->indexB = j;
}

/// Where a face looks, of bodies whose vertices are scanned. Directions are ready in both frames.
SD_INLINE void scan(const sdConvexPair* pair, const sdPolytope* polytope, unsigned face,
                    sdEpaVertex* out) {
    int i = sdConvex_ScanVertices(&pair->a, polytope->inA[0][face], polytope->inA[1][face],
                                  polytope->inA[2][face]);
    int j = sdConvex_ScanVertices(&pair->b, polytope->inB[0][face], polytope->inB[1][face],
                                  polytope->inB[2][face]);
    subtract(pair, polytope, i, j, out);
}

/// The same of any bodies.
SD_INLINE void support(const sdConvexPair* pair, const sdPolytope* polytope, unsigned face,
                       sdVec3d d, sdEpaVertex* out) {
    if (areScanned(pair)) {
        scan(pair, polytope, face, out);
    } else {
        sdMinkowskiPoint point = sdConvexPair_Support(pair, d);
        setVertex(out, &point);
    }
}

// ---- the first tetrahedron -----------------------------------------------------------------

/// A point of A - B that is off the point points[0].
static bool growToSegment(const sdConvexPair* pair, sdSimplex* simplex, double flat) {
    for (int i = 0; i < 6; ++i) {
        double sign = i % 2 == 0 ? 1.0 : -1.0;
        sdVec3d d =
            sdV3d(i / 2 == 0 ? sign : 0.0, i / 2 == 1 ? sign : 0.0, i / 2 == 2 ? sign : 0.0);
        sdMinkowskiPoint point = sdConvexPair_Support(pair, d);
        if (sdLengthD(sdSubD(point.w, simplex->points[0].w)) > flat) {
            simplex->points[simplex->count++] = point;
            return true;
        }
    }
    return false;
}

/// Some unit vector at right angles to a.
static sdVec3d anyNormal(sdVec3d a) {
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    sdVec3d axis = x <= y && x <= z ? sdV3d(1.0, 0.0, 0.0)
                                    : (y <= z ? sdV3d(0.0, 1.0, 0.0) : sdV3d(0.0, 0.0, 1.0));
    sdVec3d n = sdCrossD(a, axis);
    return sdScaleD(1.0 / sdLengthD(n), n);
}

/// A point that is off the line through the first two.
static bool growToTriangle(const sdConvexPair* pair, sdSimplex* simplex, double flat,
                           sdVec3d* normal) {
    sdVec3d edge = sdSubD(simplex->points[1].w, simplex->points[0].w);
    edge = sdScaleD(1.0 / sdLengthD(edge), edge);
    sdVec3d u = anyNormal(edge), v = sdCrossD(edge, u);
    const sdVec3d directions[4] = {u, v, sdScaleD(-1.0, u), sdScaleD(-1.0, v)};
    *normal = u;
    for (int i = 0; i < 4; ++i) {
        sdMinkowskiPoint point = sdConvexPair_Support(pair, directions[i]);
        sdVec3d off = sdCrossD(edge, sdSubD(point.w, simplex->points[0].w));
        if (sdLengthD(off) > flat) {
            simplex->points[simplex->count++] = point;
            return true;
        }
    }
    return false;
}

/// A point that is off the plane through the first three.
static bool growToTetrahedron(const sdConvexPair* pair, sdSimplex* simplex, double flat,
                              sdVec3d* normal) {
    const sdMinkowskiPoint* p = simplex->points;
    sdVec3d n = normalOf(p[0].w, p[1].w, p[2].w);
    double length = sdLengthD(n);
    n = length > 0.0 ? sdScaleD(1.0 / length, n) : anyNormal(sdSubD(p[1].w, p[0].w));
    *normal = n;
    for (int i = 0; i < 2; ++i) {
        sdMinkowskiPoint point = sdConvexPair_Support(pair, sdScaleD(i == 0 ? 1.0 : -1.0, n));
        if (fabs(sdDotD(n, sdSubD(point.w, p[0].w))) > flat) {
            simplex->points[simplex->count++] = point;
            return true;
        }
    }
    return false;
}

/// Keep the two points of three that are furthest apart.
static void keepLongestEdge(sdSimplex* simplex) {
    sdMinkowskiPoint* p = simplex->points;
    sdVec3d a = sdSubD(p[1].w, p[0].w), b = sdSubD(p[2].w, p[1].w), c = sdSubD(p[0].w, p[2].w);
    double aa = sdDotD(a, a), bb = sdDotD(b, b), cc = sdDotD(c, c);
    if (bb > aa && bb >= cc) {
        p[0] = p[2];
    } else if (cc > aa) {
        p[1] = p[2];
    }
    simplex->count = 2;
}

/// Drop points until those that are left span a tetrahedron, a triangle, an edge, that rounding
/// could not have made.
static void dropFlat(sdSimplex* simplex, double flat, double sliver) {
    const sdMinkowskiPoint* p = simplex->points;
    if (simplex->count >= 3) {
        sdVec3d n = normalOf(p[0].w, p[1].w, p[2].w);
        bool isSliver = !(sdDotD(n, n) > sliver);
        if (simplex->count == 4) {
            double volume = fabs(sdDotD(n, sdSubD(p[3].w, p[0].w)));
            simplex->count = !isSliver && volume > flat * sdLengthD(n) ? 4 : 3;
        }
        if (isSliver) {
            keepLongestEdge(simplex);
        }
    }
    if (simplex->count == 2 && !(sdLengthD(sdSubD(p[1].w, p[0].w)) > flat)) {
        simplex->count = 1;
    }
}

/// @return false when A - B is flat; *normal is then at right angles to it
static bool growSimplex(const sdConvexPair* pair, sdSimplex* simplex, double flat,
                        sdVec3d* normal) {
    double scale = pair->scale;
    dropFlat(simplex, flat, SD_EPA_SLIVER * scale * scale * scale * scale);
    *normal = sdV3d(0.0, 1.0, 0.0);
    if (simplex->count == 1 && !growToSegment(pair, simplex, flat)) {
        return false;
    }
    if (simplex->count == 2 && !growToTriangle(pair, simplex, flat, normal)) {
        return false;
    }
    return simplex->count == 4 || growToTetrahedron(pair, simplex, flat, normal);
}

static void startTetrahedron(sdPolytope* polytope, const sdConvexPair* pair,
                             const sdSimplex* simplex) {
    static const uint8_t origins[16] = {0, 1, 2, 0, 0, 3, 1, 0, 1, 3, 2, 1, 2, 3, 0, 2};
    static const uint16_t twins[16] = {6, 10, 14, 0, 13, 8, 0, 0, 5, 12, 1, 0, 9, 4, 2, 0};
    static const unsigned corners[3][4] = {{0, 0, 1, 2}, {1, 3, 3, 3}, {2, 1, 2, 0}};
    const sdMinkowskiPoint* p = simplex->points;
    sdVec3d n = normalOf(p[0].w, p[1].w, p[2].w);
    bool isInward = sdDotD(n, sdSubD(p[3].w, p[0].w)) > 0.0;
    const int order[4] = {0, isInward ? 2 : 1, isInward ? 1 : 2, 3};
    sdPolytope_Clear(polytope, pair->scale);
    setColumns(polytope, pair);
    for (int i = 0; i < 4; ++i) {
        sdEpaVertex vertex;
        setVertex(&vertex, &p[order[i]]);
        sdPolytope_SetVertex(polytope, i, &vertex);
    }
    polytope->vertexCount = 4;
    sdPolytope_SetFirst(polytope, 1, origins, twins);
    sdD4 i[3], j[3], k[3];
    sdPolytope_Gather(polytope, corners[0], i);
    sdPolytope_Gather(polytope, corners[1], j);
    sdPolytope_Gather(polytope, corners[2], k);
    polytope->least = sdD4_ReduceMin(sdPolytope_SetFour(polytope, 0, SD_LANES_D, i, j, k));
}

/// Support points on a ring around an axis, and against it. The directions stand where those of the
/// first faces will.
static void findRing(sdPolytope* polytope, const sdConvexPair* pair, sdVec3d direction) {
    const sdD4 alongU = {RING_RADIUS, 0.0, -RING_RADIUS, 0.0};
    const sdD4 alongV = {0.0, RING_RADIUS, 0.0, -RING_RADIUS}, height = sdD4_Splat(RING_HEIGHT);
    sdVec3d axis = sdScaleD(1.0 / sdLengthD(direction), direction);
    // Duff et al., "Building an orthonormal basis, revisited", JCGT 2017
    double sign = copysign(1.0, axis.z), a = -1.0 / (sign + axis.z), b = axis.x * axis.y * a;
    sdVec3d u = sdV3d(1.0 + sign * axis.x * axis.x * a, sign * b, -sign * axis.x);
    sdVec3d v = sdV3d(b, sign + axis.y * axis.y * a, -axis.y);
    sdD4 x = sdD4_Splat(axis.x), y = sdD4_Splat(axis.y), z = sdD4_Splat(axis.z);
    sdPolytope_SetDirections(polytope, 0,
                             height * x + sdD4_Splat(u.x) * alongU + sdD4_Splat(v.x) * alongV,
                             height * y + sdD4_Splat(u.y) * alongU + sdD4_Splat(v.y) * alongV,
                             height * z + sdD4_Splat(u.z) * alongU + sdD4_Splat(v.z) * alongV);
    sdPolytope_SetDirections(polytope, SD_LANES_D, -x, -y, -z);
    for (int i = 0; i < SD_LANES_D + 1; ++i) {
        sdEpaVertex vertex;
        sdVec3d d = sdV3d((double)polytope->inA[0][i], (double)polytope->inA[1][i],
                          (double)polytope->inA[2][i]);
        support(pair, polytope, (unsigned)i, d, &vertex);
        sdPolytope_SetVertex(polytope, i + 1, &vertex);
    }
}

/// The same vertex in all lanes, or the next ones on a ring.
SD_INLINE void rotate(sdD4 out[3], const sdD4 a[3]) {
    for (int k = 0; k < 3; ++k) {
        out[k] = __builtin_shufflevector(a[k], a[k], 1, 2, 3, 0);
    }
}

/// An octahedron: vertex 0 is along the axis, 1 to 4 are on a ring around it, 5 is against it.
/// @param top the point along the axis
/// @return false when it is not convex or not around the origin
static bool startOctahedron(sdPolytope* polytope, const sdConvexPair* pair, sdVec3d direction,
                            const sdMinkowskiPoint* top) {
    static const uint8_t origins[32] = {0, 1, 2, 0, 0, 2, 3, 0, 0, 3, 4, 0, 0, 4, 1, 0,
                                        5, 2, 1, 5, 5, 3, 2, 5, 5, 4, 3, 5, 5, 1, 4, 5};
    static const uint16_t twins[32] = {14, 17, 4,  0, 2,  21, 8,  0, 6,  25, 12, 0, 10, 29, 0,  0,
                                       22, 1,  28, 0, 26, 5,  16, 0, 30, 9,  20, 0, 18, 13, 24, 0};
    static const unsigned corners[3][4] = {{0, 0, 0, 0}, {1, 2, 3, 4}, {5, 5, 5, 5}};
    sdEpaVertex vertex;
    sdPolytope_Clear(polytope, pair->scale);
    setColumns(polytope, pair);
    setVertex(&vertex, top);
    sdPolytope_SetVertex(polytope, 0, &vertex);
    findRing(polytope, pair, direction);
    sdPolytope_SetFirst(polytope, 2, origins, twins);
    polytope->vertexCount = 6;
    sdD4 up[3], ring[3], next[3], second[3], third[3], down[3];
    sdPolytope_Gather(polytope, corners[0], up);
    sdPolytope_Gather(polytope, corners[1], ring);
    sdPolytope_Gather(polytope, corners[2], down);
    rotate(next, ring);
    rotate(second, next);
    rotate(third, second);
    sdD4 keys = sdPolytope_SetFour(polytope, 0, SD_LANES_D, up, ring, next);
    keys = sdD4_Min(keys, sdPolytope_SetFour(polytope, SD_LANES_D, SD_LANES_D, down, next, ring));
    polytope->least = sdD4_ReduceMin(keys);
    // no corner may see a face that it is not of; slivers seem to be seen by all
    sdL4 isSeen = sdPolytope_LookAtFour(polytope, 0, second) |
                  sdPolytope_LookAtFour(polytope, 0, third) |
                  sdPolytope_LookAtFour(polytope, 0, down);
    isSeen |= sdPolytope_LookAtFour(polytope, SD_LANES_D, second) |
              sdPolytope_LookAtFour(polytope, SD_LANES_D, third) |
              sdPolytope_LookAtFour(polytope, SD_LANES_D, up);
    return sdL4_MaskBits(isSeen) == 0 && polytope->least > 0.0;
}

// ---- result --------------------------------------------------------------------------------

/// The face has a direction, and it is not that of n.
static bool bendsAway(const sdPolytope* polytope, unsigned face, sdVec3d n) {
    sdVec3d normal = sdPolytope_Normal(polytope, face);
    double along = sdDotD(normal, n), squared = sdDotD(normal, normal);
    bool isSliver = !(squared > polytope->sliver);
    return !isSliver && (along <= 0.0 || along * along < LEVEL * squared);
}

/// Whether the ray from the origin along n goes through a face.
/// @param weights of its corners, at that place
/// @param leave the edge beyond which the ray is furthest
static bool isPierced(const sdPolytope* polytope, unsigned face, sdVec3d n, double weights[3],
                      unsigned* leave) {
    const uint8_t* origins = &polytope->origins[4 * face];
    sdVec3d a = sdPolytope_Vertex(polytope, origins[0]),
            b = sdPolytope_Vertex(polytope, origins[1]);
    sdVec3d c = sdPolytope_Vertex(polytope, origins[2]);
    weights[2] = sdDotD(n, sdCrossD(a, b));
    weights[0] = sdDotD(n, sdCrossD(b, c));
    weights[1] = sdDotD(n, sdCrossD(c, a));
    unsigned edge = weights[2] < weights[0] ? 0 : 1;
    edge = weights[1] < weights[edge == 0 ? 2 : 0] ? 2 : edge;
    double least = edge == 0 ? weights[2] : (edge == 1 ? weights[0] : weights[1]);
    *leave = edge;
    return least >= -ON_EDGE * (weights[0] + weights[1] + weights[2]);
}

/// Walk from a face to the one that the ray from the origin along n leaves by: of coplanar faces,
/// which are equally near, only one holds the foot of the origin.
/// @param weights of its corners, at that place
/// @return that face
static unsigned findPierced(const sdPolytope* polytope, unsigned start, sdVec3d n,
                            double weights[3]) {
    unsigned at = start;
    // no face is met twice, unless rounding turns the walk in a circle
    for (int step = 0; step < SD_EPA_MAX_FACES; ++step) {
        unsigned leave;
        if (isPierced(polytope, at, n, weights, &leave)) {
            break;
        }
        unsigned next = polytope->twins[4 * at + leave] / 4u;
        // the foot is beyond the last of these faces by rounding only
        if (bendsAway(polytope, next, n)) {
            break;
        }
        at = next;
    }
    return at;
}

/// @param face that the normal goes through
/// @param weights of its corners there; negative ones are rounding
static void setWitnesses(const sdPolytope* polytope, unsigned face, double weights[3],
                         sdEpaOutput* output) {
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        weights[i] = weights[i] > 0.0 ? weights[i] : 0.0;
        sum += weights[i];
    }
    sdVec3d pointA = sdV3d(0.0, 0.0, 0.0);
    for (int i = 0; i < 3; ++i) {
        double share = sum > 0.0 ? weights[i] / sum : (i == 0 ? 1.0 : 0.0);
        const double* a = polytope->a[polytope->origins[4 * face + (unsigned)i]];
        pointA = sdMulAddD(pointA, share, sdV3d(a[0], a[1], a[2]));
    }
    output->pointA = pointA;
    output->pointB = sdMulAddD(pointA, -output->depth, output->normal);
    output->indexA = polytope->indexA[polytope->origins[4 * face]];
    output->indexB = polytope->indexB[polytope->origins[4 * face]];
}

static bool hasVertex(const sdPolytope* polytope, unsigned face, sdD4 w) {
    const uint8_t* origins = &polytope->origins[4 * face];
    unsigned isOther = 15;
    for (int i = 0; i < 3; ++i) {
        sdD4 v = sdD4_Load(polytope->w[origins[i]]);
        // bits: which lanes differ, either way
        unsigned differs = (unsigned)sdL4_MaskBits(sdD4_Less(v, w) | sdD4_Less(w, v));
        isOther = differs == 0 ? 0 : isOther;
    }
    return isOther == 0;
}

static void setFlat(const sdSimplex* simplex, sdVec3d normal, double flat, sdEpaOutput* output) {
    output->depth = 0.0;
    output->error = flat;
    output->normal = normal;
    output->pointA = sdGjk_CommonPoint(simplex);
    output->pointB = output->pointA;
    output->indexA = simplex->points[0].indexA;
    output->indexB = simplex->points[0].indexB;
    output->status = SD_STATUS_TOLERANCE;
    output->iterations = 1;
}

/// Cores so small beside the rounding radii that no face of them has a direction: of the six along
/// the axes, that of the least depth.
static void setByAxes(const sdConvexPair* pair, sdEpaOutput* output) {
    output->depth = DBL_MAX;
    for (int i = 0; i < 6; ++i) {
        double sign = i < 3 ? 1.0 : -1.0;
        sdVec3d n = {i % 3 == 0 ? sign : 0.0, i % 3 == 1 ? sign : 0.0, i % 3 == 2 ? sign : 0.0};
        sdMinkowskiPoint point = sdConvexPair_Support(pair, n);
        double depth = fmax(sdDotD(n, point.w), 0.0);
        if (depth < output->depth) {
            output->depth = depth;
            output->normal = n;
            output->pointA = point.a;
            output->pointB = sdMulAddD(point.a, -depth, n);
            output->indexA = point.indexA;
            output->indexB = point.indexB;
        }
    }
    output->error = output->depth + pair->supportError;
}

/// All but the witnesses.
/// @param inverse of the length of the face's normal
static void setDepth(const sdConvexPair* pair, const sdPolytope* polytope, unsigned face,
                     double lower, double inverse, sdEpaOutput* output) {
    output->depth = output->depth > 0.0 ? output->depth : 0.0;
    output->error = (output->depth > lower ? output->depth - lower : 0.0) + pair->supportError;
    output->normal = sdScaleD(inverse, sdPolytope_Normal(polytope, face));
}

/// Grow until the nearest face is one of A - B.
static void search(const sdConvexPair* pair, sdPolytope* polytope, sdEpaOutput* output) {
    double lower = 0.0, inverse = 0.0, least = polytope->least;
    unsigned last = 0;
    output->depth = 0.0;
    output->status = SD_STATUS_LIMIT;
    output->iterations = 0;
    while (least < DBL_MAX) {
        last = sdPolytope_FaceOf(least);
        sdVec3d normal = sdPolytope_Normal(polytope, last);
        inverse = 1.0 / sdLengthD(normal);
        double bound = least > 0.0 ? sqrt(least) : 0.0;
        lower = bound > lower ? bound : lower;
        // every direction's support value is a depth that parts the bodies
        sdEpaVertex vertex;
        support(pair, polytope, last, normal, &vertex);
        output->depth = sdDotD(normal, sdV3d(vertex.w[0], vertex.w[1], vertex.w[2])) * inverse;
        output->iterations += 1;
        bool isOld = hasVertex(polytope, last, vertex.w);
        if (isOld | (output->depth - lower <= TOLERANCE * pair->scale)) {
            output->status = SD_STATUS_TOLERANCE;
            break;
        }
        if (polytope->vertexCount == SD_EPA_MAX_VERTICES ||
            !sdPolytope_Expand(polytope, last, &vertex, &least)) {
            break;
        }
    }
    if (inverse == 0.0) {
        setByAxes(pair, output);
        return;
    }
    double weights[3];
    setDepth(pair, polytope, last, lower, inverse, output);
    unsigned face = findPierced(polytope, last, output->normal, weights);
    setWitnesses(polytope, face, weights, output);
}

// ---- memory --------------------------------------------------------------------------------

/// So that nothing else is taken for a closed mesh.
static uint32_t checkOf(const sdPairPolytope* memory) {
    enum { WORDS = (sizeof *memory - sizeof memory->check) / sizeof(uint64_t) };
    uint64_t words[WORDS], sum = 0;
    _Static_assert(sizeof words + sizeof memory->check == sizeof *memory, "all is summed up");
    memcpy(words, &memory->vertexCount, sizeof words);
    for (uint64_t i = 0; i < WORDS; ++i) {
        sum += words[i] * (CHECK * (2 * i + 1));
    }
    return (uint32_t)(sum >> 32);
}

/// Faces that are there and their vertices, of hulls of up to 256. What is too much to remember is
/// marked so.
static void remember(const sdPolytope* polytope, sdPairPolytope* memory) {
    enum { UNKNOWN = 255 };
    uint8_t places[SD_EPA_MAX_VERTICES];
    int vertexCount = 0, faceCount = 0;
    memset(places, UNKNOWN, sizeof places);
    memory->vertexCount = SD_EPA_TOO_MANY;
    for (int f = 0; f < polytope->top; ++f) {
        // of slots that are free
        if (polytope->levels[f] == DBL_MAX) {
            continue;
        }
        for (int i = 0; i < 3; ++i) {
            unsigned v = polytope->origins[4 * f + i];
            int a = polytope->indexA[v], b = polytope->indexB[v];
            bool isNew = places[v] == UNKNOWN;
            if (faceCount == SD_PAIR_POLYTOPE_FACES || (unsigned)a > UINT8_MAX ||
                (unsigned)b > UINT8_MAX || (isNew && vertexCount == SD_PAIR_POLYTOPE_VERTICES)) {
                return;
            }
            if (isNew) {
                memory->vertices[vertexCount][0] = (uint8_t)a;
                memory->vertices[vertexCount][1] = (uint8_t)b;
                places[v] = (uint8_t)vertexCount++;
            }
            memory->faces[i][faceCount] = places[v];
        }
        ++faceCount;
    }
    // groups are filled with what is there already
    for (; faceCount % SD_LANES_D != 0; ++faceCount) {
        for (int i = 0; i < 3; ++i) {
            memory->faces[i][faceCount] = memory->faces[i][0];
        }
    }
    memory->vertexCount = (uint8_t)vertexCount;
    memory->faceCount = (uint8_t)faceCount;
    memory->check = checkOf(memory);
}

/// Which vertices are corner i of four faces.
SD_INLINE void cornersOf(const sdPairPolytope* memory, int i, unsigned first,
                         unsigned out[SD_LANES_D]) {
    uint32_t all;
    memcpy(&all, &memory->faces[i][first], sizeof all);
    for (int lane = 0; lane < SD_LANES_D; ++lane) {
        out[lane] = (all >> SD_EPA_PLACE(lane, 8)) % SD_PAIR_POLYTOPE_VERTICES;
    }
}

/// The same mesh at the present pose, as far as it takes to ask for its nearest face.
/// @return the least key; negative or 0 also when it is none of these bodies'
static double restore(const sdConvexPair* pair, const sdPairPolytope* memory,
                      sdPolytope* polytope) {
    double scale = pair->scale;
    polytope->sliver = SD_EPA_SLIVER * scale * scale * scale * scale;
    setColumns(polytope, pair);
    for (int i = 0; i < memory->vertexCount; ++i) {
        sdEpaVertex vertex;
        int a = memory->vertices[i][0], b = memory->vertices[i][1];
        if (a >= pair->a.count || b >= pair->b.count) {
            return 0.0;
        }
        subtract(pair, polytope, a, b, &vertex);
        sdPolytope_SetVertex(polytope, i, &vertex);
    }
    sdD4 keys = sdD4_Splat(DBL_MAX);
    for (unsigned first = 0; first < memory->faceCount; first += SD_LANES_D) {
        sdD4 corners[3][3];
        for (int i = 0; i < 3; ++i) {
            unsigned at[SD_LANES_D];
            cornersOf(memory, i, first, at);
            sdPolytope_Gather(polytope, at, corners[i]);
        }
        sdEpaFour four = sdPolytope_FindFour(polytope, first, corners[0], corners[1], corners[2]);
        sdPolytope_StoreFour(polytope, first, &four);
        keys = sdD4_Min(keys, four.key);
    }
    return sdD4_ReduceMin(keys);
}

/// The vertices furthest along a face that was restored.
static void scanRestored(const sdConvexPair* pair, sdPolytope* polytope, unsigned face,
                         sdEpaVertex* out) {
    unsigned first = face / SD_LANES_D * SD_LANES_D;
    sdPolytope_SetDirections(polytope, first, sdD4_Load(&polytope->normalX[first]),
                             sdD4_Load(&polytope->normalY[first]),
                             sdD4_Load(&polytope->normalZ[first]));
    scan(pair, polytope, face, out);
}

/// Of faces as near as the nearest, that which the normal goes through.
static bool findSamePierced(const sdPairPolytope* memory, sdPolytope* polytope, double least,
                            sdVec3d n, unsigned* face, double weights[3]) {
    for (unsigned f = 0; f < memory->faceCount; ++f) {
        unsigned leave, at[3];
        if (!(polytope->keys[f] <= least * (1.0 + SAME_PLANE)) || bendsAway(polytope, f, n)) {
            continue;
        }
        for (int i = 0; i < 3; ++i) {
            at[i] = memory->faces[i][f] % SD_PAIR_POLYTOPE_VERTICES;
        }
        sdPolytope_SetOrigins(polytope, f, at[0], at[1], at[2]);
        if (isPierced(polytope, f, n, weights, &leave)) {
            *face = f;
            return true;
        }
    }
    return false;
}

bool SD_KERNEL(sdEpa_Recall)(const sdConvexPair* pair, const sdPairPolytope* memory,
                             sdEpaOutput* output) {
    if (!areScanned(pair) || memory->check != checkOf(memory) ||
        memory->vertexCount > SD_PAIR_POLYTOPE_VERTICES ||
        memory->faceCount > SD_PAIR_POLYTOPE_FACES) {
        return false;
    }
    sdPolytope polytope;
    double least = restore(pair, memory, &polytope);
    // a closed mesh whose faces all have the origin inside is around it, convex or not: every way
    // out goes through a face, and is as long as that is far
    if (!(least > 0.0 && least < DBL_MAX)) {
        return false;
    }
    unsigned last = sdPolytope_FaceOf(least), face;
    sdVec3d normal = sdPolytope_Normal(&polytope, last);
    double inverse = 1.0 / sdLengthD(normal), lower = sqrt(least), weights[3];
    sdEpaVertex vertex;
    scanRestored(pair, &polytope, last, &vertex);
    output->depth = sdDotD(normal, sdV3d(vertex.w[0], vertex.w[1], vertex.w[2])) * inverse;
    output->iterations = 1;
    output->status = SD_STATUS_TOLERANCE;
    if (output->depth - lower > TOLERANCE * pair->scale ||
        !(output->depth > SHALLOW * pair->scale)) {
        return false;
    }
    setDepth(pair, &polytope, last, lower, inverse, output);
    if (!findSamePierced(memory, &polytope, least, output->normal, &face, weights)) {
        return false;
    }
    setWitnesses(&polytope, face, weights, output);
    sdSimd_Leave();
    return true;
}

// ---- from the start ------------------------------------------------------------------------

/// @param memory see sdEpa_Run
static void searchAndNote(const sdConvexPair* pair, sdPolytope* polytope, sdPairPolytope* memory,
                          sdEpaOutput* output) {
    search(pair, polytope, output);
    sdSimd_Leave();
    if (memory != NULL) {
        memory->faceCount = 0;
        memory->vertexCount = 0;
        if (areScanned(pair) && output->status == SD_STATUS_TOLERANCE) {
            remember(polytope, memory);
        }
    }
}

void SD_KERNEL(sdEpa_Run)(const sdConvexPair* pair, const sdSimplex* start, sdPairPolytope* memory,
                          sdEpaOutput* output) {
    sdSimplex simplex = *start;
    double flat = FLAT * pair->scale;
    sdVec3d flatNormal;
    if (!growSimplex(pair, &simplex, flat, &flatNormal)) {
        setFlat(start, flatNormal, flat, output);
        return;
    }
    sdPolytope polytope;
    startTetrahedron(&polytope, pair, &simplex);
    searchAndNote(pair, &polytope, memory, output);
}

static bool areMiddlesNear(const sdConvexPair* pair, const sdEpaStart* start) {
    double outer = (double)pair->a.outer + (double)pair->b.outer;
    double reach = start->inner + NEAR_MIDDLES * (outer - start->inner);
    return sdDotD(start->middle, start->middle) < reach * reach;
}

bool SD_KERNEL(sdEpa_RunDeep)(const sdConvexPair* pair, const sdEpaStart* start, sdSimplex* simplex,
                              sdPairPolytope* memory, sdEpaOutput* output) {
    bool isFirst = start->isOnce && areMiddlesNear(pair, start);
    sdDepthVerdict verdict = isFirst ? SD_KERNEL(sdHulls_Depth)(pair, NULL, output) : SD_DEPTH_OPEN;
    if (verdict == SD_DEPTH_FOUND) {
        return true;
    }
    sdPolytope polytope;
    sdVec3d axis = start->axis;
    simplex->points[0] = sdConvexPair_Support(pair, axis);
    simplex->count = 1;
    // smooth bodies are solved to a tolerance, where another axis would lead to another normal
    bool isSmooth = simplex->points[0].indexA < 0 || simplex->points[0].indexB < 0;
    double along = sdDotD(axis, simplex->points[0].w);
    bool areHulls = start->isOnce && pair->a.hull != NULL && pair->b.hull != NULL;
    double deep = (areHulls ? DEEP_HULLS : DEEP) * pair->scale * sdLengthD(axis);
    if (isSmooth ||
        (along <= deep && !sdGjk_UseCone(pair, &start->middle, start->inner, simplex))) {
        simplex->count = 1;
        return false;
    }
    verdict = start->isOnce && !isFirst ? SD_KERNEL(sdHulls_Depth)(pair, NULL, output) : verdict;
    if (verdict == SD_DEPTH_FOUND) {
        return true;
    }
    if (verdict != SD_DEPTH_OPEN || !startOctahedron(&polytope, pair, axis, &simplex->points[0])) {
        simplex->count = 1;
        return false;
    }
    searchAndNote(pair, &polytope, memory, output);
    // what a better start may still solve; and a common point is known from the cone only
    bool isSolved = output->status == SD_STATUS_TOLERANCE &&
                    (simplex->count == 2 || output->depth > SHALLOW * pair->scale);
    simplex->count = isSolved ? simplex->count : 1;
    return isSolved;
}
