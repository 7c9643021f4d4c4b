// SPDX-License-Identifier: MIT
// epa_start.h - support points for EPA, and the polytopes that it begins with. For kernels.
//
// In:   the pair's support function; a simplex of GJK, or an axis along which bodies are deep.
// Out:  a tetrahedron or an octahedron around the origin, or the normal of a flat A - B.

#ifndef SD_NARROW_EPA_START_H
#define SD_NARROW_EPA_START_H

#include "narrow/epa_polytope.h"

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

#endif
