// SPDX-License-Identifier: MIT
// vclip.c - nearest features of two polyhedra by Voronoi regions, from the last pair of features.
//
// In:   two of box, hull, triangle; a pose; a cache that may hold the last pair of features.
// Out:  distance and nearest points; the answer of EPA when they overlap. Never allocates.
// Ref:  S4; B. Mirtich, "V-Clip: fast and robust polyhedral collision detection", ACM Transactions
//       on Graphics 17 (1998).
// Note: Two features hold the nearest points when each point lies in the Voronoi region of the
//       other's feature. As long as it does not, the feature across a violated side of the region
//       is nearer and takes its place. Everything happens in the frame of the body whose regions
//       are looked at, so that its sides need no transform. Rounding can lead in a circle of
//       features that are equally near: the circle is noticed, and one of them is as good as
//       another. In the end the support points along the normal prove the distance; what they do
//       not prove is left to GJK.

#include "narrow/vclip.h"

#include "narrow/gjk.h"
#include "narrow/segment.h"

/// What sdPairCache.kind holds when V-Clip wrote it.
#define CACHE_VCLIP 4

/// Steps after which the search gives up. The longest walk in 167 000 queries, over hulls of up to
/// 256 vertices and from features chosen at random, took 86.
#define MAX_STEPS 400

/// Twice the area of a triangle over the square of its longest side below which its sides are too
/// close to each other for their regions to be told apart. GJK takes such triangles, and boxes
/// that have no extent in some direction, whose corners coincide.
#define THIN_TRIANGLE 1e-6

/// As sdHullFeature.
typedef enum FeatureType { VERTEX, EDGE, FACE } FeatureType;

typedef struct Feature {
    FeatureType type;
    int index; ///< vertex, half-edge or face
} Feature;

typedef enum Step { STEP_MOVED, STEP_NEAREST, STEP_OVERLAP } Step;

typedef struct Walk {
    const sdPolyhedron* bodies[2];
    sdPose pose; ///< of body 1 in the frame of body 0
    Feature features[2];
} Walk;

// ---- geometry of one body ------------------------------------------------------------------

static sdVec3d vertexAt(const sdPolyhedron* body, int vertex) {
    return sdVec3d_From(body->vertices[vertex]);
}

static sdVec3d tailOf(const sdPolyhedron* body, int edge) {
    return vertexAt(body, body->edges[edge].origin);
}

static sdVec3d headOf(const sdPolyhedron* body, int edge) {
    return tailOf(body, body->edges[edge].twin);
}

static sdVec3d normalOf(const sdPolyhedron* body, int face) {
    return sdVec3d_From(body->planes[face].normal);
}

static double heightOver(const sdPolyhedron* body, int face, sdVec3d p) {
    return sdDotD(normalOf(body, face), p) - (double)body->planes[face].offset;
}

/// Beyond an edge of a face, seen from the face: > 0 belongs to the edge, < 0 to the face.
static double beyondEdge(const sdPolyhedron* body, int edge, sdVec3d p) {
    sdVec3d tail = tailOf(body, edge), along = sdSubD(headOf(body, edge), tail);
    sdVec3d outward = sdCrossD(along, normalOf(body, body->edges[edge].face));
    return sdDotD(outward, sdSubD(p, tail));
}

/// The next half-edge that starts at the same vertex.
static int nextAround(const sdPolyhedron* body, int edge) {
    return body->edges[body->edges[edge].twin].next;
}

// ---- geometry of both ----------------------------------------------------------------------

/// A point of the other body in the frame of body k.
static sdVec3d toFrame(const Walk* walk, int k, sdVec3d p) {
    return k == 0 ? sdPose_Point(&walk->pose, p) : sdPose_InvPoint(&walk->pose, p);
}

/// A direction of body k in the frame of the other.
static sdVec3d directionFrom(const Walk* walk, int k, sdVec3d d) {
    return k == 0 ? sdPose_InvRotate(&walk->pose, d) : sdPose_Rotate(&walk->pose, d);
}

typedef struct Segment {
    sdVec3d tail, head;
} Segment;

/// The edge of the other body's feature in the frame of body k.
static Segment edgeInFrame(const Walk* walk, int k) {
    const sdPolyhedron* other = walk->bodies[1 - k];
    int edge = walk->features[1 - k].index;
    return (Segment){toFrame(walk, k, tailOf(other, edge)), toFrame(walk, k, headOf(other, edge))};
}

static sdVec3d pointAt(const Segment* segment, double t) {
    return sdMulAddD(segment->tail, t, sdSubD(segment->head, segment->tail));
}

static Step moveTo(Walk* walk, int k, FeatureType type, int index) {
    walk->features[k] = (Feature){type, index};
    return STEP_MOVED;
}

// ---- clipping an edge by a region ----------------------------------------------------------

#define NO_FEATURE ((Feature){VERTEX, SD_NULL_INDEX})

/// The part of a segment that is in a region, and across which side it leaves.
typedef struct Span {
    double lower, upper; ///< fractions; empty when lower > upper
    Feature atLower;     ///< across the side that cut it there; index SD_NULL_INDEX: none
    Feature atUpper;
    Feature across; ///< across a side that has all of it on its outer side
} Span;

static Span wholeSpan(void) {
    return (Span){0.0, 1.0, NO_FEATURE, NO_FEATURE, NO_FEATURE};
}

/// @param tail,head how far the ends are inside; negative outside
/// @return false when nothing is left
static bool clip(Span* span, double tail, double head, Feature across) {
    if (tail < 0.0 && head < 0.0) {
        span->across = across;
        return false;
    }
    if (tail < 0.0) {
        double t = tail / (tail - head);
        if (t > span->lower) {
            span->lower = t;
            span->atLower = across;
        }
    } else if (head < 0.0) {
        double t = tail / (tail - head);
        if (t < span->upper) {
            span->upper = t;
            span->atUpper = across;
        }
    }
    return span->lower <= span->upper;
}

/// How the distance from a vertex or face changes along a segment: only the sign counts.
static double slopeAt(const sdPolyhedron* body, Feature from, const Segment* segment, double t) {
    sdVec3d p = pointAt(segment, t), along = sdSubD(segment->head, segment->tail);
    if (from.type == VERTEX) {
        return sdDotD(along, sdSubD(p, vertexAt(body, from.index)));
    }
    double slope = sdDotD(along, normalOf(body, from.index));
    return heightOver(body, from.index, p) < 0.0 ? -slope : slope;
}

/// Whether the nearest point of a clipped segment is outside, and across which side.
/// @param from measure distances from this, or, with index SD_NULL_INDEX, from what is across
static bool leaves(const sdPolyhedron* body, const Span* span, const Segment* segment, Feature from,
                   Feature* out) {
    bool isFromSide = from.index == SD_NULL_INDEX;
    if (span->across.index != SD_NULL_INDEX) {
        *out = span->across;
        return true;
    }
    if (span->atLower.index != SD_NULL_INDEX &&
        slopeAt(body, isFromSide ? span->atLower : from, segment, span->lower) > 0.0) {
        *out = span->atLower;
        return true;
    }
    if (span->atUpper.index != SD_NULL_INDEX &&
        slopeAt(body, isFromSide ? span->atUpper : from, segment, span->upper) < 0.0) {
        *out = span->atUpper;
        return true;
    }
    return false;
}

// ---- states --------------------------------------------------------------------------------

static Step stepVertexVertex(Walk* walk) {
    for (int k = 0; k < 2; ++k) {
        const sdPolyhedron* body = walk->bodies[k];
        sdVec3d v = vertexAt(body, walk->features[k].index);
        sdVec3d p = toFrame(walk, k, vertexAt(walk->bodies[1 - k], walk->features[1 - k].index));
        sdVec3d d = sdSubD(p, v);
        int first = body->vertexEdges[walk->features[k].index], edge = first, best = SD_NULL_INDEX;
        double most = 0.0;
        do {
            sdVec3d along = sdSubD(headOf(body, edge), v);
            double reach = sdDotD(along, d), squared = sdDotD(along, along);
            // of several edges the one that is most nearly on the way
            if (reach > 0.0 && reach * reach > most * squared) {
                most = reach * reach / squared;
                best = edge;
            }
            edge = nextAround(body, edge);
        } while (edge != first);
        if (best != SD_NULL_INDEX) {
            return moveTo(walk, k, EDGE, best);
        }
    }
    return STEP_NEAREST;
}

/// @param k the body whose edge it is
static Step stepVertexEdge(Walk* walk, int k) {
    const sdPolyhedron* body = walk->bodies[k];
    const sdPolyhedron* other = walk->bodies[1 - k];
    int edge = walk->features[k].index, twin = body->edges[edge].twin;
    int vertex = walk->features[1 - k].index;
    sdVec3d tail = tailOf(body, edge), head = headOf(body, edge);
    sdVec3d along = sdSubD(head, tail), p = toFrame(walk, k, vertexAt(other, vertex));
    if (sdDotD(along, sdSubD(p, tail)) < 0.0) {
        return moveTo(walk, k, VERTEX, body->edges[edge].origin);
    }
    if (sdDotD(along, sdSubD(p, head)) > 0.0) {
        return moveTo(walk, k, VERTEX, body->edges[twin].origin);
    }
    if (beyondEdge(body, edge, p) < 0.0) {
        return moveTo(walk, k, FACE, body->edges[edge].face);
    }
    if (beyondEdge(body, twin, p) < 0.0) {
        return moveTo(walk, k, FACE, body->edges[twin].face);
    }
    // the edge by the vertex's region
    Segment segment = edgeInFrame(walk, 1 - k);
    Span span = wholeSpan();
    sdVec3d v = vertexAt(other, vertex);
    int first = other->vertexEdges[vertex], side = first;
    bool isLeft = true;
    do {
        sdVec3d away = sdSubD(v, headOf(other, side));
        isLeft = clip(&span, sdDotD(away, sdSubD(segment.tail, v)),
                      sdDotD(away, sdSubD(segment.head, v)), (Feature){EDGE, side});
        side = nextAround(other, side);
    } while (isLeft && side != first);
    Feature nearer;
    if (leaves(other, &span, &segment, (Feature){VERTEX, vertex}, &nearer)) {
        return moveTo(walk, 1 - k, nearer.type, nearer.index);
    }
    return STEP_NEAREST;
}

static Step stepEdgeEdge(Walk* walk) {
    for (int k = 0; k < 2; ++k) {
        const sdPolyhedron* body = walk->bodies[k];
        const sdHalfEdge* edges = body->edges;
        int edge = walk->features[k].index, twin = edges[edge].twin;
        Segment segment = edgeInFrame(walk, k);
        sdVec3d tail = tailOf(body, edge), head = headOf(body, edge), along = sdSubD(head, tail);
        Span span = wholeSpan();
        Feature nearer;
        // its ends first: distances from the faces hold between them only
        bool isLeft =
            clip(&span, sdDotD(along, sdSubD(segment.tail, tail)),
                 sdDotD(along, sdSubD(segment.head, tail)),
                 (Feature){VERTEX, edges[edge].origin}) &&
            clip(&span, sdDotD(along, sdSubD(head, segment.tail)),
                 sdDotD(along, sdSubD(head, segment.head)), (Feature){VERTEX, edges[twin].origin});
        if (leaves(body, &span, &segment, NO_FEATURE, &nearer)) {
            return moveTo(walk, k, nearer.type, nearer.index);
        }
        isLeft =
            isLeft && clip(&span, beyondEdge(body, edge, segment.tail),
                           beyondEdge(body, edge, segment.head), (Feature){FACE, edges[edge].face});
        isLeft =
            isLeft && clip(&span, beyondEdge(body, twin, segment.tail),
                           beyondEdge(body, twin, segment.head), (Feature){FACE, edges[twin].face});
        if (leaves(body, &span, &segment, NO_FEATURE, &nearer)) {
            return moveTo(walk, k, nearer.type, nearer.index);
        }
    }
    return STEP_NEAREST;
}

/// A vertex below a face is in its region without being near it: go to the face that it is furthest
/// above.
static Step escapeLocalMinimum(Walk* walk, int k, sdVec3d p) {
    const sdPolyhedron* body = walk->bodies[k];
    int best = SD_NULL_INDEX;
    double most = 0.0;
    for (int face = 0; face < body->faceCount; ++face) {
        double height = heightOver(body, face, p);
        if (height > most) {
            most = height;
            best = face;
        }
    }
    return best == SD_NULL_INDEX ? STEP_OVERLAP : moveTo(walk, k, FACE, best);
}

/// @param k the body whose face it is
static Step stepVertexFace(Walk* walk, int k) {
    const sdPolyhedron* body = walk->bodies[k];
    const sdPolyhedron* other = walk->bodies[1 - k];
    int face = walk->features[k].index, vertex = walk->features[1 - k].index;
    sdVec3d v = vertexAt(other, vertex), p = toFrame(walk, k, v);
    int first = body->faceEdges[face], edge = first, furthest = SD_NULL_INDEX;
    double most = 0.0;
    do {
        double beyond = beyondEdge(body, edge, p);
        if (beyond > most) {
            most = beyond;
            furthest = edge;
        }
        edge = body->edges[edge].next;
    } while (edge != first);
    if (furthest != SD_NULL_INDEX) {
        return moveTo(walk, k, EDGE, furthest);
    }
    double height = heightOver(body, face, p);
    if (height == 0.0) {
        return STEP_OVERLAP;
    }
    // an edge that leads from the vertex towards the face
    sdVec3d down = directionFrom(walk, k, normalOf(body, face));
    down = height > 0.0 ? sdScaleD(-1.0, down) : down;
    first = other->vertexEdges[vertex];
    edge = first;
    do {
        if (sdDotD(down, sdSubD(headOf(other, edge), v)) > 0.0) {
            return moveTo(walk, 1 - k, EDGE, edge);
        }
        edge = nextAround(other, edge);
    } while (edge != first);
    return height > 0.0 ? STEP_NEAREST : escapeLocalMinimum(walk, k, p);
}

/// The edge of a face that is nearest to a segment.
static int nearestEdge(const sdPolyhedron* body, int face, const Segment* segment) {
    int first = body->faceEdges[face], edge = first, best = first;
    double least = DBL_MAX;
    do {
        sdSegmentPointsD points = sdClosestPointsOfSegmentsD(
            segment->tail, segment->head, tailOf(body, edge), headOf(body, edge));
        if (points.distanceSquared < least) {
            least = points.distanceSquared;
            best = edge;
        }
        edge = body->edges[edge].next;
    } while (edge != first);
    return best;
}

/// @param k the body whose face it is
static Step stepEdgeFace(Walk* walk, int k) {
    const sdPolyhedron* body = walk->bodies[k];
    const sdHalfEdge* otherEdges = walk->bodies[1 - k]->edges;
    int face = walk->features[k].index, otherEdge = walk->features[1 - k].index;
    Segment segment = edgeInFrame(walk, k);
    Span span = wholeSpan();
    int first = body->faceEdges[face], edge = first;
    do {
        if (!clip(&span, -beyondEdge(body, edge, segment.tail),
                  -beyondEdge(body, edge, segment.head), (Feature){EDGE, edge})) {
            return moveTo(walk, k, EDGE, nearestEdge(body, face, &segment));
        }
        edge = body->edges[edge].next;
    } while (edge != first);
    double lower = heightOver(body, face, pointAt(&segment, span.lower));
    double upper = heightOver(body, face, pointAt(&segment, span.upper));
    if (lower * upper <= 0.0) {
        return STEP_OVERLAP;
    }
    // the height is linear: the nearest point is an end of what was left
    bool isLower = slopeAt(body, (Feature){FACE, face}, &segment, span.lower) >= 0.0;
    Feature cutBy = isLower ? span.atLower : span.atUpper;
    if (cutBy.index != SD_NULL_INDEX) {
        return moveTo(walk, k, EDGE, cutBy.index);
    }
    int end = isLower ? otherEdge : otherEdges[otherEdge].twin;
    return moveTo(walk, 1 - k, VERTEX, otherEdges[end].origin);
}

static Step takeStep(Walk* walk) {
    FeatureType a = walk->features[0].type, b = walk->features[1].type;
    int higher = a > b ? 0 : 1;
    FeatureType most = walk->features[higher].type, least = walk->features[1 - higher].type;
    if (most == VERTEX) {
        return stepVertexVertex(walk);
    }
    if (most == EDGE) {
        return least == VERTEX ? stepVertexEdge(walk, higher) : stepEdgeEdge(walk);
    }
    return least == VERTEX ? stepVertexFace(walk, higher) : stepEdgeFace(walk, higher);
}

static bool areSame(const Feature a[2], const Feature b[2]) {
    return a[0].type == b[0].type && a[0].index == b[0].index && a[1].type == b[1].type &&
           a[1].index == b[1].index;
}

/// The pairs of features that a search came by.
typedef struct Trace {
    sdFeaturePair* pairs;
    int count, capacity;
} Trace;

static void remember(Trace* trace, const Feature f[2]) {
    if (trace->count < trace->capacity) {
        trace->pairs[trace->count] = (sdFeaturePair){(sdHullFeature)f[0].type, f[0].index,
                                                     (sdHullFeature)f[1].type, f[1].index};
    }
    trace->count += 1;
}

/// @param trace may be NULL
/// @return STEP_MOVED when it came to no end
static Step search(Walk* walk, Trace* trace, int* steps) {
    Feature mark[2] = {walk->features[0], walk->features[1]};
    int nextMark = 1;
    for (*steps = 0; *steps < MAX_STEPS;) {
        if (trace != NULL) {
            remember(trace, walk->features);
        }
        Step step = takeStep(walk);
        *steps += 1;
        if (step != STEP_MOVED) {
            return step;
        }
        // back at a pair where it has been: a circle, found by marks further and further apart
        if (areSame(walk->features, mark)) {
            return STEP_NEAREST;
        }
        if (*steps == nextMark) {
            mark[0] = walk->features[0];
            mark[1] = walk->features[1];
            nextMark *= 2;
        }
    }
    return STEP_MOVED;
}

// ---- start and memory ----------------------------------------------------------------------

static int countOf(const sdPolyhedron* body, FeatureType type) {
    return type == VERTEX ? body->vertexCount
                          : (type == EDGE ? body->halfEdgeCount : body->faceCount);
}

/// An index takes two of the cache's numbers: hulls may have more than 65536 half-edges.
static int unpackIndex(const uint16_t index[2]) {
    return (int)((uint32_t)index[0] | (uint32_t)index[1] << 16);
}

static void packIndex(int index, uint16_t out[2]) {
    out[0] = (uint16_t)((uint32_t)index & 0xffffu);
    out[1] = (uint16_t)((uint32_t)index >> 16);
}

static bool recall(Walk* walk, const sdPairCache* cache) {
    if (cache == NULL || cache->kind != CACHE_VCLIP || cache->count != 2) {
        return false;
    }
    int types[2] = {cache->featureType & 3, cache->featureType >> 2};
    int indices[2] = {unpackIndex(cache->indexA), unpackIndex(cache->indexB)};
    for (int k = 0; k < 2; ++k) {
        if (types[k] > FACE || indices[k] < 0 ||
            indices[k] >= countOf(walk->bodies[k], (FeatureType)types[k])) {
            return false;
        }
        walk->features[k] = (Feature){(FeatureType)types[k], indices[k]};
    }
    return true;
}

static void store(const Walk* walk, sdVec3 axis, sdPairCache* cache) {
    if (cache == NULL) {
        return;
    }
    cache->axis = axis;
    cache->kind = CACHE_VCLIP;
    cache->count = 2;
    cache->featureType = (uint8_t)((int)walk->features[0].type | (int)walk->features[1].type << 2);
    packIndex(walk->features[0].index, cache->indexA);
    packIndex(walk->features[1].index, cache->indexB);
}

/// From the vertices that are furthest towards the other body.
static void startCold(Walk* walk, const sdConvexPair* pair) {
    sdVec3d middleB = sdConvexPair_ToA(pair, sdVec3d_From(pair->b.inside));
    sdMinkowskiPoint point =
        sdConvexPair_Support(pair, sdSubD(middleB, sdVec3d_From(pair->a.inside)));
    int indices[2] = {point.indexA, point.indexB};
    for (int k = 0; k < 2; ++k) {
        // the scan may pick a copy that pads the arrays; any vertex will do
        bool isVertex = indices[k] >= 0 && indices[k] < walk->bodies[k]->vertexCount;
        walk->features[k] = (Feature){VERTEX, isVertex ? indices[k] : 0};
    }
}

// ---- result --------------------------------------------------------------------------------

/// Nearest points of a feature of each body in A's frame; each point is its own when a vertex.
static Segment featureSegment(const Walk* walk, int k) {
    const sdPolyhedron* body = walk->bodies[k];
    Feature feature = walk->features[k];
    Segment s;
    s.tail = feature.type == VERTEX ? vertexAt(body, feature.index) : tailOf(body, feature.index);
    s.head = feature.type == VERTEX ? s.tail : headOf(body, feature.index);
    if (k == 1) {
        s.tail = toFrame(walk, 0, s.tail);
        s.head = toFrame(walk, 0, s.head);
    }
    return s;
}

/// Of where a foot is across an edge of its face, relative to the distance of the two, as the walk
/// finds it for faces that are only slivers.
#define FOOT_ROUNDING 1e-6

/// The foot of a point on a face's plane is within the face: the walk's regions of a sliver may
/// be rounding only.
static bool isOnFace(const sdPolyhedron* body, int face, sdVec3d foot, double separation) {
    int first = body->faceEdges[face], edge = first;
    sdVec3d n = normalOf(body, face);
    do {
        sdVec3d tail = tailOf(body, edge), along = sdSubD(headOf(body, edge), tail);
        sdVec3d outward = sdCrossD(along, n);
        double tolerance = FOOT_ROUNDING * (sdLengthD(along) + separation);
        if (sdDotD(outward, sdSubD(foot, tail)) > tolerance * sdLengthD(outward)) {
            return false;
        }
        edge = body->edges[edge].next;
    } while (edge != first);
    return true;
}

/// Nearest points of a face of body k and a vertex.
/// @return false when they are not
static bool setFromFace(const Walk* walk, int k, sdPairResult* out) {
    const sdPolyhedron* body = walk->bodies[k];
    int face = walk->features[k].index;
    sdVec3d v = vertexAt(walk->bodies[1 - k], walk->features[1 - k].index);
    sdVec3d n = normalOf(body, face), p = toFrame(walk, k, v);
    double length = sdLengthD(n);
    out->separation = heightOver(body, face, p) / length;
    n = sdScaleD(1.0 / length, n);
    sdVec3d foot = sdMulAddD(p, -out->separation, n);
    out->pointA = k == 0 ? foot : v;
    out->pointB = k == 0 ? p : toFrame(walk, 0, foot);
    out->normal = k == 0 ? n : sdScaleD(-1.0, directionFrom(walk, 1, n));
    return out->separation > 0.0 && isOnFace(body, face, foot, out->separation);
}

/// @return false when the features touch, or are not of a kind that is nearest
static bool setNearest(const Walk* walk, sdPairResult* out) {
    for (int k = 0; k < 2; ++k) {
        if (walk->features[k].type == FACE) {
            if (walk->features[1 - k].type != VERTEX) {
                return false;
            }
            return setFromFace(walk, k, out);
        }
    }
    Segment a = featureSegment(walk, 0), b = featureSegment(walk, 1);
    sdSegmentPointsD points = sdClosestPointsOfSegmentsD(a.tail, a.head, b.tail, b.head);
    out->pointA = points.pointA;
    out->pointB = points.pointB;
    sdVec3d d = sdSubD(points.pointB, points.pointA);
    out->separation = sdLengthD(d);
    if (!(out->separation > 0.0)) {
        return false;
    }
    out->normal = sdScaleD(1.0 / out->separation, d);
    return true;
}

/// The gap along the normal is a lower bound of the distance, the points are an upper one.
/// @return whether the bodies are proved to be apart, and the distance within the tolerance
static bool prove(const sdConvexPair* pair, sdPairResult* out) {
    double gap = SD_DISPATCH(sdSat_Along)(pair, out->normal);
    double size = pair->scale > out->separation ? pair->scale : out->separation;
    double error = fabs(out->separation - gap) + pair->supportError;
    out->error = error + sdPairResult_Rounding(pair->scale + sdLengthD(pair->offset));
    return gap > 0.0 && error <= (double)SD_QUERY_TOLERANCE * size;
}

bool sdVClip_IsFor(const sdShape* shape) {
    if (shape->type == SD_SHAPE_BOX) {
        sdVec3 half = shape->box.halfExtents;
        return half.x != 0.0f && half.y != 0.0f && half.z != 0.0f;
    }
    if (shape->type == SD_SHAPE_TRIANGLE) {
        const sdVec3* v = shape->triangle.vertices;
        sdVec3d p = sdVec3d_From(v[0]), q = sdVec3d_From(v[1]), r = sdVec3d_From(v[2]);
        sdVec3d u = sdSubD(q, p), w = sdSubD(r, p), o = sdSubD(r, q);
        double longest = fmax(sdDotD(u, u), fmax(sdDotD(w, w), sdDotD(o, o)));
        return sdLengthD(sdCrossD(u, w)) > THIN_TRIANGLE * longest;
    }
    return true;
}

bool sdVClip_Separate(const sdSatPair* pair, sdPairCache* cache, sdPairResult* out) {
    Walk walk = {.bodies = {&pair->a, &pair->b}};
    sdConvexPair_GetPose(&pair->convex, &walk.pose);
    if (!recall(&walk, cache)) {
        startCold(&walk, &pair->convex);
    }
    Step step = search(&walk, NULL, &out->iterations);
    bool isApart = step == STEP_NEAREST && setNearest(&walk, out) && prove(&pair->convex, out);
    store(&walk, isApart ? sdVec3d_Round(out->normal) : sdV3(0.0f, 0.0f, 0.0f), cache);
    out->status = SD_STATUS_TOLERANCE;
    out->common = out->pointA;
    out->indexA = out->indexB = SD_NULL_INDEX;
    out->isDeep = false;
    return isApart;
}

sdSeparation sdVClip_Distance(const sdShape* a, const sdShape* b, sdTransform xfAB,
                              sdPairCache* cache) {
    sdSatPair pair;
    if (!sdSatPair_Init(&pair, a, b, xfAB)) {
        return sdSeparation_Invalid();
    }
    sdPairResult result = {.iterations = 0};
    bool isForGjk = !sdVClip_IsFor(a) || !sdVClip_IsFor(b);
    if (isForGjk || !sdVClip_Separate(&pair, cache, &result)) {
        // overlap, no end, or no proof; the features stay in the cache
        int steps = result.iterations;
        sdGjk_Separate(&pair.convex, true, DBL_MAX, isForGjk ? cache : NULL, &result);
        result.iterations += steps;
    }
    return sdPairResult_Round(&result, true);
}

int sdVClip_Trace(const sdShape* a, const sdShape* b, sdTransform xfAB, sdFeaturePair* out,
                  int capacity) {
    sdSatPair pair;
    if (!sdSatPair_Init(&pair, a, b, xfAB) || !sdVClip_IsFor(a) || !sdVClip_IsFor(b)) {
        return 0;
    }
    Walk walk = {.bodies = {&pair.a, &pair.b}};
    Trace trace = {out, 0, capacity};
    int steps;
    sdConvexPair_GetPose(&pair.convex, &walk.pose);
    startCold(&walk, &pair.convex);
    search(&walk, &trace, &steps);
    return trace.count;
}
