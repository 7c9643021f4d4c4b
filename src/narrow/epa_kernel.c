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

#include "narrow/epa.h"

/// Gap between both bounds, relative to the size of the pair, at which the depth is found.
#define TOLERANCE 1e-7
/// A - B thinner than this fraction of its size is flat.
#define FLAT 1e-10
/// Height over a face, relative to the size, from which a point can see it.
#define VISIBLE 1e-14
/// Squared normals below this, relative to the fourth power of the size, have no direction.
#define SLIVER 1e-28
/// Share of a face by which the foot of the origin may miss it and still be on its edge.
#define ON_EDGE 1e-9
/// Keys are single precision, to be searched eight at a time; what that may cost the lower bound.
#define KEY_ROUNDING 1.2e-7

/// One edge of one face: vertices[edge] and the next.
typedef struct Side {
    int16_t face;
    int16_t edge;
} Side;

typedef struct Face {
    sdVec3d normal; ///< outward, not unit: directions need no length
    double offset;  ///< dot(normal, any of the vertices)
    double squared; ///< |normal|²
    int16_t vertices[3];
    Side across[3]; ///< the same edges on the neighbouring faces
    bool isVisible;
    bool isSliver; ///< has no normal of its own
} Face;

typedef struct Polytope {
    sdMinkowskiPoint points[SD_EPA_MAX_VERTICES];
    Face faces[SD_EPA_MAX_FACES];
    float keys[SD_EPA_MAX_FACES]; ///< squared distance, signed; FLT_MAX for slivers and free slots
    int16_t freeFaces[SD_EPA_MAX_FACES];
    int freeCount;
    int top; ///< slots ever used
    int pointCount;
    double sliver; ///< squared normals below this are rounding only
} Polytope;

static sdVec3d normalOf(sdVec3d a, sdVec3d b, sdVec3d c) {
    return sdCrossD(sdSubD(b, a), sdSubD(c, a));
}

/// @return the slot, or SD_NULL_INDEX when all are taken
static int addFace(Polytope* polytope, int i, int j, int k) {
    int slot = SD_NULL_INDEX;
    if (polytope->freeCount > 0) {
        slot = polytope->freeFaces[--polytope->freeCount];
    } else if (polytope->top < SD_EPA_MAX_FACES) {
        slot = polytope->top++;
    } else {
        return SD_NULL_INDEX;
    }
    Face* face = &polytope->faces[slot];
    sdVec3d a = polytope->points[i].w;
    sdVec3d n = normalOf(a, polytope->points[j].w, polytope->points[k].w);
    face->vertices[0] = (int16_t)i;
    face->vertices[1] = (int16_t)j;
    face->vertices[2] = (int16_t)k;
    face->normal = n;
    face->offset = sdDotD(n, a);
    face->squared = sdDotD(n, n);
    face->isVisible = false;
    face->isSliver = !(face->squared > polytope->sliver);
    float key = (float)(face->offset * fabs(face->offset) / face->squared);
    polytope->keys[slot] = face->isSliver ? FLT_MAX : key;
    return slot;
}

static void removeFace(Polytope* polytope, int slot) {
    polytope->keys[slot] = FLT_MAX;
    polytope->freeFaces[polytope->freeCount++] = (int16_t)slot;
}

static int nearestFace(const Polytope* polytope) {
    sdF8 best = sdF8_Load(polytope->keys);
    sdI8 bestAt = sdI8_Splat(0);
    for (int i = SD_LANES; i < polytope->top; i += SD_LANES) {
        sdF8 key = sdF8_Load(polytope->keys + i);
        bestAt = sdI8_Select(sdF8_Less(key, best), sdI8_Splat(i), bestAt);
        best = sdF8_Min(key, best);
    }
    float least = sdF8_ReduceMin(best);
    if (!(least < FLT_MAX)) {
        return SD_NULL_INDEX;
    }
    int lane = __builtin_ctz((unsigned)sdI8_MaskBits(sdF8_Equal(best, sdF8_Splat(least))));
    return bestAt[lane] + lane;
}

SD_INLINE bool sees(sdVec3d w, const Face* face, double visible) {
    double height = sdDotD(face->normal, w) - face->offset;
    bool isAbove = (height > 0.0) & (height * height > visible * visible * face->squared);
    return isAbove | face->isSliver;
}

/// Find the faces that the new point sees, and the edges around them, one after the other, on the
/// faces that stay.
/// @return the number of edges
static int findHorizon(Polytope* polytope, int start, sdVec3d w, double visible, Side* horizon,
                       int16_t* seen, int* seenCount) {
    static const int16_t turn[5] = {0, 1, 2, 0, 1};
    Side stack[SD_EPA_MAX_FACES + 3];
    Face* first = &polytope->faces[start];
    first->isVisible = true;
    seen[0] = (int16_t)start;
    stack[0] = first->across[2];
    stack[1] = first->across[1];
    stack[2] = first->across[0];
    int depth = 3, count = 1, edgeCount = 0;
    // each face is opened once and leaves one side more than it took
    while (depth > 0) {
        Side side = stack[--depth];
        Face* face = &polytope->faces[side.face];
        if (face->isVisible) {
            continue;
        }
        if (sees(w, face, visible)) {
            face->isVisible = true;
            seen[count++] = side.face;
            stack[depth++] = face->across[turn[side.edge + 2]];
            stack[depth++] = face->across[turn[side.edge + 1]];
        } else {
            horizon[edgeCount++] = side;
        }
    }
    *seenCount = count;
    return edgeCount;
}

SD_INLINE int sideFrom(const Polytope* polytope, Side side) {
    return polytope->faces[side.face].vertices[side.edge];
}

SD_INLINE int sideTo(const Polytope* polytope, Side side) {
    return polytope->faces[side.face].vertices[side.edge == 2 ? 0 : side.edge + 1];
}

/// Seen from outside, the sides follow each other clockwise and close.
static bool isLoop(const Polytope* polytope, const Side* horizon, int count) {
    bool isClosed = count >= 3;
    for (int i = 0; i < count; ++i) {
        const Side next = horizon[i + 1 == count ? 0 : i + 1];
        isClosed &= sideFrom(polytope, horizon[i]) == sideTo(polytope, next);
    }
    return isClosed;
}

/// Replace what the new point sees by a cone over the horizon.
/// @return false when rounding would break the mesh, which must not be used any more
static bool expand(Polytope* polytope, int start, const sdMinkowskiPoint* point, double visible) {
    Side horizon[SD_EPA_MAX_FACES];
    int16_t seen[SD_EPA_MAX_FACES];
    int seenCount;
    int count = findHorizon(polytope, start, point->w, visible, horizon, seen, &seenCount);
    // the new mesh has seenCount fewer and count more faces
    bool fits = polytope->top + count - polytope->freeCount - seenCount <= SD_EPA_MAX_FACES;
    if (!fits || !isLoop(polytope, horizon, count)) {
        return false;
    }
    for (int i = 0; i < seenCount; ++i) {
        removeFace(polytope, seen[i]);
    }
    int apex = polytope->pointCount++;
    polytope->points[apex] = *point;
    int first = SD_NULL_INDEX, last = SD_NULL_INDEX;
    for (int i = 0; i < count; ++i) {
        Side side = horizon[i];
        int made = addFace(polytope, sideTo(polytope, side), sideFrom(polytope, side), apex);
        polytope->faces[made].across[0] = side;
        polytope->faces[side.face].across[side.edge] = (Side){(int16_t)made, 0};
        if (last == SD_NULL_INDEX) {
            first = made;
        } else {
            polytope->faces[made].across[2] = (Side){(int16_t)last, 1};
            polytope->faces[last].across[1] = (Side){(int16_t)made, 2};
        }
        last = made;
    }
    polytope->faces[first].across[2] = (Side){(int16_t)last, 1};
    polytope->faces[last].across[1] = (Side){(int16_t)first, 2};
    return true;
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

/// @return false when A - B is flat; *normal is then at right angles to it
static bool growSimplex(const sdConvexPair* pair, sdSimplex* simplex, double flat,
                        sdVec3d* normal) {
    if (simplex->count == 4) {
        const sdMinkowskiPoint* p = simplex->points;
        sdVec3d n = normalOf(p[0].w, p[1].w, p[2].w);
        double volume = fabs(sdDotD(n, sdSubD(p[3].w, p[0].w)));
        // a flat one carries no more than its first face
        simplex->count = volume > flat * sdLengthD(n) ? 4 : 3;
    }
    *normal = sdV3d(0.0, 1.0, 0.0);
    if (simplex->count == 1 && !growToSegment(pair, simplex, flat)) {
        return false;
    }
    if (simplex->count == 2 && !growToTriangle(pair, simplex, flat, normal)) {
        return false;
    }
    return simplex->count == 4 || growToTetrahedron(pair, simplex, flat, normal);
}

static void startPolytope(Polytope* polytope, const sdSimplex* simplex, double scale) {
    static const int faces[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const Side across[4][3] = {{{1, 2}, {2, 2}, {3, 2}},
                                      {{3, 1}, {2, 0}, {0, 0}},
                                      {{1, 1}, {3, 0}, {0, 1}},
                                      {{2, 1}, {1, 0}, {0, 2}}};
    memcpy(polytope->points, simplex->points, sizeof simplex->points);
    const sdMinkowskiPoint* p = polytope->points;
    sdVec3d n = normalOf(p[0].w, p[1].w, p[2].w);
    if (sdDotD(n, sdSubD(p[3].w, p[0].w)) > 0.0) {
        sdMinkowskiPoint swap = polytope->points[1];
        polytope->points[1] = polytope->points[2];
        polytope->points[2] = swap;
    }
    polytope->sliver = SLIVER * scale * scale * scale * scale;
    polytope->pointCount = 4;
    polytope->freeCount = 0;
    polytope->top = 0;
    for (int i = 0; i < SD_EPA_MAX_FACES; ++i) {
        polytope->keys[i] = FLT_MAX;
    }
    for (int f = 0; f < 4; ++f) {
        addFace(polytope, faces[f][0], faces[f][1], faces[f][2]);
        memcpy(polytope->faces[f].across, across[f], sizeof across[f]);
    }
}

// ---- result --------------------------------------------------------------------------------

/// Walk from a face to the one that the ray from the origin along n leaves by: of coplanar faces,
/// which are equally near, only one holds the foot of the origin.
/// @param weights of its corners, at that place
/// @return that face
static int findPierced(const Polytope* polytope, int start, sdVec3d n, double weights[3]) {
    int at = start;
    // no face is met twice, unless rounding turns the walk in a circle
    for (int step = 0; step < SD_EPA_MAX_FACES; ++step) {
        const Face* face = &polytope->faces[at];
        sdVec3d a = polytope->points[face->vertices[0]].w;
        sdVec3d b = polytope->points[face->vertices[1]].w;
        sdVec3d c = polytope->points[face->vertices[2]].w;
        weights[2] = sdDotD(n, sdCrossD(a, b));
        weights[0] = sdDotD(n, sdCrossD(b, c));
        weights[1] = sdDotD(n, sdCrossD(c, a));
        int leave = weights[2] < weights[0] ? 0 : 1;
        leave = weights[1] < weights[leave == 0 ? 2 : 0] ? 2 : leave;
        double least = leave == 0 ? weights[2] : (leave == 1 ? weights[0] : weights[1]);
        if (least >= -ON_EDGE * (weights[0] + weights[1] + weights[2])) {
            break;
        }
        at = face->across[leave].face;
    }
    return at;
}

static void setWitnesses(const Polytope* polytope, int nearest, sdEpaOutput* output) {
    const sdMinkowskiPoint* p = polytope->points;
    double weights[3];
    const Face* face = &polytope->faces[findPierced(polytope, nearest, output->normal, weights)];
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        weights[i] = weights[i] > 0.0 ? weights[i] : 0.0;
        sum += weights[i];
    }
    sdVec3d pointA = sdV3d(0.0, 0.0, 0.0);
    for (int i = 0; i < 3; ++i) {
        double share = sum > 0.0 ? weights[i] / sum : (i == 0 ? 1.0 : 0.0);
        pointA = sdMulAddD(pointA, share, p[face->vertices[i]].a);
    }
    output->pointA = pointA;
    output->pointB = sdMulAddD(pointA, -output->depth, output->normal);
    output->indexA = p[face->vertices[0]].indexA;
    output->indexB = p[face->vertices[0]].indexB;
}

static bool hasVertex(const Polytope* polytope, const Face* face, const sdMinkowskiPoint* point) {
    for (int i = 0; i < 3; ++i) {
        sdVec3d w = polytope->points[face->vertices[i]].w;
        if (w.x == point->w.x && w.y == point->w.y && w.z == point->w.z) {
            return true;
        }
    }
    return false;
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

void SD_KERNEL(sdEpa_Run)(const sdConvexPair* pair, const sdSimplex* start, sdEpaOutput* output) {
    sdSimplex simplex = *start;
    double flat = FLAT * pair->scale;
    sdVec3d flatNormal;
    if (!growSimplex(pair, &simplex, flat, &flatNormal)) {
        setFlat(start, flatNormal, flat, output);
        return;
    }
    Polytope polytope;
    startPolytope(&polytope, &simplex, pair->scale);

    double lower = 0.0, inverse = 0.0;
    int last = 0;
    output->depth = 0.0;
    output->status = SD_STATUS_LIMIT;
    output->iterations = 0;
    for (;;) {
        int nearest = nearestFace(&polytope);
        if (nearest == SD_NULL_INDEX) {
            break;
        }
        output->iterations += 1;
        last = nearest;
        const Face* face = &polytope.faces[nearest];
        inverse = 1.0 / sqrt(face->squared);
        double bound = face->offset * inverse * (1.0 - KEY_ROUNDING);
        lower = bound > lower ? bound : lower;
        // every direction's support value is a depth that parts the bodies
        sdMinkowskiPoint point = sdConvexPair_Support(pair, face->normal);
        output->depth = sdDotD(face->normal, point.w) * inverse;
        if (output->depth - lower <= TOLERANCE * pair->scale ||
            hasVertex(&polytope, face, &point)) {
            output->status = SD_STATUS_TOLERANCE;
            break;
        }
        if (polytope.pointCount == SD_EPA_MAX_VERTICES ||
            !expand(&polytope, nearest, &point, VISIBLE * pair->scale)) {
            break;
        }
    }
    output->depth = output->depth > 0.0 ? output->depth : 0.0;
    output->error = (output->depth > lower ? output->depth - lower : 0.0) + pair->supportError;
    output->normal = sdScaleD(inverse, polytope.faces[last].normal);
    setWitnesses(&polytope, last, output);
}
