// SPDX-License-Identifier: MIT
// manifold_hulls_kernel.c - contact points of two hulls by faces of three or four sides.
//
// In:   a face of each hull, the normal.
// Out:  points on both, what touches what.
// Ref:  Sutherland, Hodgman, "Reentrant polygon clipping", CACM 1974.
// Note: manifold_points.c has the same for faces of any shape, and explains it. Here corners are
//       lanes (manifold_hulls_cut.h), and so are points, up to four. Every number is rounded as it
//       is there.

#include "narrow/manifold_hulls.h"

#include "geometry/hull_kernel.h"
#include "narrow/manifold_cache.h"
#include "narrow/manifold_hulls_cut.h"

/// How many times further than the bodies the axis of two edges may turn, over the sine between
/// them.
#define AXIS_TURNS 3.0

/// A plane as heights along the normal: base + slopes[0] u + slopes[1] v.
typedef struct Slope {
    double base, slopes[2];
} Slope;

SD_INLINE Slope slopeOf(const Face* face, sdVec3d normal, const sdVec3d across[2]) {
    sdVec3d corner = {face->corners.x[0], face->corners.y[0], face->corners.z[0]};
    double scale = 1.0 / sdDotD(face->normal, normal);
    return (Slope){
        scale * sdDotD(face->normal, corner),
        {-scale * sdDotD(face->normal, across[0]), -scale * sdDotD(face->normal, across[1])}};
}

SD_INLINE double heightAt(const Slope* slope, double u, double v) {
    return slope->base + u * slope->slopes[0] + v * slope->slopes[1];
}

// ---- result --------------------------------------------------------------------------------

/// As sdSupportFace_Touch. Whether a face is flat is chance, and a branch gone wrong costs more
/// than to look at its sides.
SD_INLINE int touchOf(const Face* face, sdVec3d n) {
    const double flat = SD_MANIFOLD_FLAT_TILT * SD_MANIFOLD_FLAT_TILT;
    sdVec3d turn = sdCrossD(face->normal, n);
    bool isFlat = sdDotD(turn, turn) <= flat;
    const Vec3x4* p = &face->corners;
    // lane 3 of a triangle goes from its first corner to that itself, and is no side
    Vec3x4 sides = {nextOf(p->x) - p->x, nextOf(p->y) - p->y, nextOf(p->z) - p->z};
    sdD4 along = dot(n, &sides), heights = dot(n, p);
    sdD4 squared = sides.x * sides.x + sides.y * sides.y + sides.z * sides.z;
    int steep = sdL4_MaskBits(sdD4_Less(splat(flat) * squared, along * along));
    // the first of the highest corners
    sdD4 highest = -sdD4_SplatMin(-heights);
    int best = __builtin_ctz((unsigned)(~sdL4_MaskBits(sdD4_Less(heights, highest)) & 15) | 16) & 3;
    int last = best > 0 ? best - 1 : face->count - 1;
    int isCorner = (steep >> best) & (steep >> last) & 1, flatBit = isFlat ? 1 : 0;
    // by bits, as compilers make a branch of a choice
    return (flatBit << 1) | ((1 - isCorner) & ~flatBit);
}

/// Three lanes of a vector, the fourth is 0.
SD_INLINE sdD4 lanesOf(sdVec3d a) {
    return join((sdD2){a.x, a.y}, (sdD2){a.z, 0.0});
}

/// What is known of two hulls that touch.
typedef struct Touch {
    Face a, b;
    const char *ownA, *ownB; ///< of the hulls; the faces may be copies
    sdVec3d normal;
    bool isNormalOfA, isNormalOfB; ///< known to be that of a face
    double size, limit, deepest;   ///< see sdPairContact
} Touch;

/// The square of a face's extent, measured from its first corner.
SD_INLINE double spreadOf(const Face* face) {
    const Vec3x4* p = &face->corners;
    Vec3x4 d = {p->x - SD_D4_LANE(p->x, 0), p->y - SD_D4_LANE(p->y, 0), p->z - SD_D4_LANE(p->z, 0)};
    return -sdD4_ReduceMin(-(d.x * d.x + d.y * d.y + d.z * d.z));
}

/// As sdPairContact_AddDeepest.
/// @return the point that it has become
SD_INLINE int addDeepest(const Touch* touch, const sdPairResult* result, const sdVec3d across[2],
                         const Slope* slopeA, sdFlatPoint* flat, int* count) {
    double nearest = DBL_MAX;
    int at = 0;
    for (int i = 0; i < *count; ++i) {
        sdVec3d foot = sdMulAddD(sdScaleD(flat[i].u, across[0]), flat[i].v, across[1]);
        double height = heightAt(slopeA, flat[i].u, flat[i].v);
        sdVec3d d = sdSubD(sdMulAddD(foot, height, touch->normal), result->pointA);
        double squared = sdDotD(d, d);
        at = squared < nearest ? i : at;
        nearest = squared < nearest ? squared : nearest;
    }
    double spreadA = sqrt(spreadOf(&touch->a)), spreadB = sqrt(spreadOf(&touch->b));
    double snap = SD_MANIFOLD_SNAP * (spreadA < spreadB ? spreadA : spreadB);
    bool isSnapped = nearest <= snap * snap;
    at = isSnapped ? at : (*count)++;
    flat[at].id = isSnapped ? flat[at].id : SD_MANIFOLD_WITNESS_ID;
    flat[at].u = sdDotD(across[0], result->pointA);
    flat[at].v = sdDotD(across[1], result->pointA);
    flat[at].separation = touch->deepest;
    return at;
}

/// What points are made of.
typedef struct Frame {
    sdVec3d across[2];
    Slope slopeA, slopeB;
} Frame;

/// Points of any number, one after the other; also those that are as good as one, and the deepest
/// that no corner has.
/// @param result with deepest points; NULL: they are not known
/// @return false when faces do not tell
SD_NOINLINE bool writeMany(const Touch* touch, Frame frame, const Corners* corners, uint64_t places,
                           int bits, const sdPairResult* result, float margin, sdPairCache* cache,
                           sdManifold* out) {
    double tie = SD_MANIFOLD_DEEPEST * touch->size, least = DBL_MAX;
    double highest = touch->limit, lowest = touch->deepest - tie;
    sdFlatPoint flat[MAX_CORNERS + 1];
    int count = 0;
    for (int place = 0; place < bits; place += 8) {
        int number = numberAt(places, place);
        double u = corners->places[number][0], v = corners->places[number][1];
        double separation = heightAt(&frame.slopeB, u, v) - heightAt(&frame.slopeA, u, v);
        // points that are as good as one become one, the deepest of them
        int at = sdFlatPoints_Find(flat, count, u, v, touch->size);
        if (at < count) {
            bool isDeeper = separation < flat[at].separation - tie;
            if (!isDeeper || separation > highest || separation < lowest) {
                continue;
            }
        }
        flat[at].u = u;
        flat[at].v = v;
        flat[at].separation = separation;
        flat[at].id = corners->ids[number];
        // what is deeper than the deepest point lies beside a sharp corner; without a branch, as
        // which points are within reach is chance
        bool isWanted = !((separation > highest) | (separation < lowest));
        least = (isWanted & (separation < least)) != 0 ? separation : least;
        count += (isWanted & (at == count)) != 0 ? 1 : 0;
    }
    int witness = SD_NULL_INDEX;
    if (!(least <= touch->deepest + tie)) {
        if (result == NULL) {
            return false;
        }
        witness = addDeepest(touch, result, frame.across, &frame.slopeA, flat, &count);
    }
    int chosen[SD_MANIFOLD_MAX_POINTS];
    out->pointCount = sdFlatPoints_Choose(flat, count, touch->size, cache, chosen);
    const sdD4 e = lanesOf(frame.across[0]), f = lanesOf(frame.across[1]);
    const sdD4 up = lanesOf(touch->normal);
    for (int i = 0; i < out->pointCount; ++i) {
        const sdFlatPoint* point = &flat[chosen[i]];
        sdManifoldPoint* to = &out->points[i];
        double heightA = heightAt(&frame.slopeA, point->u, point->v);
        double heightB = heightAt(&frame.slopeB, point->u, point->v);
        sdD4 foot = splat(point->u) * e + splat(point->v) * f;
        sdF4 pointA = sdF4_FromDoubles(foot + splat(heightA) * up);
        sdF4 pointB = sdF4_FromDoubles(foot + splat(heightB) * up);
        memcpy(&to->pointA, &pointA, sizeof to->pointA);
        memcpy(&to->pointB, &pointB, sizeof to->pointB);
        if (chosen[i] == witness) {
            to->pointA = sdVec3d_Round(result->pointA);
            to->pointB = sdVec3d_Round(result->pointB);
        }
        to->separation = sdMinF((float)point->separation, margin);
        to->id = sdManifold_UniqueId(out, i, point->id);
    }
    for (int i = out->pointCount; i < SD_MANIFOLD_MAX_POINTS; ++i) {
        out->points[i] = (sdManifoldPoint){.id = 0};
    }
    return true;
}

/// Up to four points.
typedef struct Points {
    sdD4 u, v;
    sdD4 heightsA, heightsB; ///< along the normal
    sdD4 separations;
    sdI4 ids;
} Points;

SD_INLINE sdD4 heightsAt(const Slope* slope, sdD4 u, sdD4 v) {
    return splat(slope->base) + u * splat(slope->slopes[0]) + v * splat(slope->slopes[1]);
}

/// @param places of four corners; what is beyond those that there are has the number of some corner
SD_INLINE void setPoints(Points* points, const Corners* corners, const Frame* frame,
                         uint64_t places) {
    int i = numberAt(places, 0), j = numberAt(places, 8);
    int k = numberAt(places, 16), l = numberAt(places, 24);
    sdD2 a = corners->places[i], b = corners->places[j];
    sdD2 c = corners->places[k], d = corners->places[l];
    points->u = join(__builtin_shufflevector(a, b, 0, 2), __builtin_shufflevector(c, d, 0, 2));
    points->v = join(__builtin_shufflevector(a, b, 1, 3), __builtin_shufflevector(c, d, 1, 3));
    points->ids = (sdI4){(int32_t)corners->ids[i], (int32_t)corners->ids[j],
                         (int32_t)corners->ids[k], (int32_t)corners->ids[l]};
    points->heightsA = heightsAt(&frame->slopeA, points->u, points->v);
    points->heightsB = heightsAt(&frame->slopeB, points->u, points->v);
    points->separations = points->heightsB - points->heightsA;
}

/// @param bits of those that there are
SD_INLINE sdL4 areWanted(const Points* points, const Touch* touch, int bits) {
    // what is deeper than the deepest point lies beside a sharp corner
    sdD4 lowest = splat(touch->deepest - SD_MANIFOLD_DEEPEST * touch->size);
    sdL4 isOut = sdD4_Less(splat(touch->limit), points->separations) |
                 sdD4_Less(points->separations, lowest);
    return ~isOut & sdD4_Less((sdD4){0.0, 8.0, 16.0, 24.0}, splat((double)bits));
}

/// Of a byte.
SD_INLINE int bitCountOf(int byte) {
    int pairs = byte - (byte >> 1 & 0x55), fours = (pairs & 0x33) + (pairs >> 2 & 0x33);
    return (fours + (fours >> 4)) & 15;
}

/// Places that are wanted.
/// @param wanted bits of them
/// @param bits of those that there are, in and out
SD_INLINE uint64_t pick(uint64_t places, int wanted, int* bits) {
    uint64_t picked = 0;
    int end = 0;
    for (int i = 0; i < 8; ++i) {
        uint64_t mask = (wanted >> i & 1) != 0 ? 255 : 0;
        picked |= (places >> (8 * i) & mask) << (end & 63);
        end += wanted >> i << 3 & 8;
    }
    *bits = end;
    return picked;
}

/// Lanes 2, 3, 0, 1.
SD_INLINE sdD4 oppositeOf(sdD4 a) {
    return __builtin_shufflevector(a, a, 2, 3, 0, 1);
}

/// Bit i: the point and another one are as good as one, or have the same name.
/// @param others of the same points
SD_INLINE int sameAs(const Points* points, const Points* others, double merge) {
    sdD4 du = points->u - others->u, dv = points->v - others->v;
    // not a number is near, too
    int isFar = sdL4_MaskBits(sdD4_Less(splat(merge), du * du + dv * dv));
    sdI4 isSame = points->ids == others->ids;
    return ~isFar | sdI4_MaskBits(isSame);
}

/// Whether each of some points is by itself.
/// @param all bits of those that there are
SD_INLINE bool areApart(const Points* points, int all, double size) {
    const double merge = SD_MANIFOLD_MERGE * size;
    Points next = {.u = nextOf(points->u), .v = nextOf(points->v)};
    Points opposite = {.u = oppositeOf(points->u), .v = oppositeOf(points->v)};
    next.ids = __builtin_shufflevector(points->ids, points->ids, 1, 2, 3, 0);
    opposite.ids = __builtin_shufflevector(points->ids, points->ids, 2, 3, 0, 1);
    int same = sameAs(points, &next, merge * merge) & all & (all >> 1 | all << 3);
    same |= sameAs(points, &opposite, merge * merge) & all & (all >> 2 | all << 2);
    return (same & 15) == 0;
}

SD_INLINE void storeRow(sdManifoldPoint* to, sdF4 first, sdF4 second) {
    memcpy(to, &first, sizeof first);
    memcpy(&to->pointB.y, &second, sizeof second);
}

/// Those of some points that are wanted, in order, and zero beyond them.
/// @param isWanted lanes of them
/// @return how many
SD_INLINE int storePoints(const Points* points, const sdVec3d across[2], sdVec3d n, sdL4 isWanted,
                          float margin, sdManifold* out) {
    sdVec3d e = across[0], f = across[1];
    sdD4 u = points->u, v = points->v, a = points->heightsA, b = points->heightsB;
    sdD4 x = u * splat(e.x) + v * splat(f.x), y = u * splat(e.y) + v * splat(f.y);
    sdD4 z = u * splat(e.z) + v * splat(f.z);
    sdF4 separation = sdF4_FromDoubles(points->separations);
    sdF4 most = {margin, margin, margin, margin};
    separation = sdF4_Select(separation < most, separation, most);
    sdF4 columns[8] = {sdF4_FromDoubles(x + a * splat(n.x)),
                       sdF4_FromDoubles(y + a * splat(n.y)),
                       sdF4_FromDoubles(z + a * splat(n.z)),
                       sdF4_FromDoubles(x + b * splat(n.x)),
                       sdF4_FromDoubles(y + b * splat(n.y)),
                       sdF4_FromDoubles(z + b * splat(n.z)),
                       separation,
                       (sdF4)points->ids};
    sdF4 rows[8];
    sdI4 mask = __builtin_convertvector(isWanted, sdI4);
    for (int i = 0; i < 8; ++i) {
        columns[i] = (sdF4)((sdI4)columns[i] & mask);
    }
    sdF4_Transpose(columns, rows);
    sdF4_Transpose(columns + 4, rows + 4);
    int wanted = sdL4_MaskBits(isWanted), count = 0;
    // without a branch, as which points are within reach is chance
    for (int i = 1; i < SD_MANIFOLD_MAX_POINTS; ++i) {
        storeRow(&out->points[i], (sdF4){0}, (sdF4){0});
    }
    for (int i = 0; i < SD_MANIFOLD_MAX_POINTS; ++i) {
        storeRow(&out->points[count], rows[i], rows[4 + i]);
        count += wanted >> i & 1;
    }
    return count;
}

/// As sdFlatPoints_Choose where there are no more points than are wanted.
SD_INLINE void keepIds(sdPairCache* cache, const sdManifold* manifold, int count) {
    sdI4 last, ids = {(int32_t)manifold->points[0].id, (int32_t)manifold->points[1].id,
                      (int32_t)manifold->points[2].id, (int32_t)manifold->points[3].id};
    memcpy(&last, cache->pointIds, sizeof last);
    sdI4 isKept = (sdI4){0, 1, 2, 3} < (sdI4){count, count, count, count};
    ids = (ids & isKept) | (last & ~isKept);
    memcpy(cache->pointIds, &ids, sizeof ids);
    cache->pointCount = (uint8_t)count;
}

SD_INLINE sdI4 loadBits(const char* from) {
    sdI4 r;
    memcpy(&r, from, sizeof r);
    return r;
}

/// Bits that differ in what a cache has of a face and in the face, in some lane.
SD_INLINE sdI4 differenceOf(const char* copy, const char* own) {
    // the last begins within the one before
    const size_t size = sizeof(sdI4), last = SD_CACHE_FACE_BYTES - size;
    return (loadBits(copy) ^ loadBits(own)) | (loadBits(copy + size) ^ loadBits(own + size)) |
           (loadBits(copy + 2 * size) ^ loadBits(own + 2 * size)) |
           (loadBits(copy + last) ^ loadBits(own + last));
}

/// Whether copies of faces are those of the hulls.
SD_INLINE bool areCopiesRight(const Touch* touch) {
    sdI4 difference =
        differenceOf(touch->a.data, touch->ownA) | differenceOf(touch->b.data, touch->ownB);
    return sdI4_MaskBits(difference == (sdI4){0}) == 15;
}

/// @param result with deepest points; NULL: they are not known
/// @return false when faces do not tell
SD_INLINE bool writeTouch(const Touch* touch, const sdPairResult* result, float margin,
                          sdPairCache* cache, sdManifold* out) {
    const Face *a = &touch->a, *b = &touch->b;
    sdVec3d n = touch->normal;
    Frame frame;
    sdManifold_SetAcross(n, frame.across);
    // what does not wait for the cuts comes before them: the processor does it while it waits to
    // know how many there are
    frame.slopeA = slopeOf(a, n, frame.across);
    frame.slopeB = slopeOf(b, n, frame.across);
    out->normal = sdVec3d_Round(n);
    out->kind = sdManifold_Kind(touch->isNormalOfA ? 2 : touchOf(a, n),
                                touch->isNormalOfB ? 2 : touchOf(b, sdScaleD(-1.0, n)));
    Corners corners;
    Left left;
    double tolerance = SD_MANIFOLD_RIM * touch->size * fabs(sdDotD(a->normal, n));
    if (!intersect(a, b, frame.across, tolerance, &corners, &left) || !areCopiesRight(touch)) {
        return false;
    }
    uint64_t places = left.places;
    int bits = left.bits;
    if (bits > 8 * SD_MANIFOLD_MAX_POINTS) {
        // many of them may be out of reach
        Points low, high;
        setPoints(&low, &corners, &frame, places);
        setPoints(&high, &corners, &frame, places >> 32);
        int wanted = sdL4_MaskBits(areWanted(&low, touch, 32)) |
                     sdL4_MaskBits(areWanted(&high, touch, bits - 32)) << 4;
        if (bitCountOf(wanted) <= SD_MANIFOLD_MAX_POINTS) {
            places = pick(places, wanted, &bits);
        }
    }
    if (bits <= 8 * SD_MANIFOLD_MAX_POINTS) {
        Points points;
        setPoints(&points, &corners, &frame, places);
        sdL4 isWanted = areWanted(&points, touch, bits);
        sdD4 deepest = splat(touch->deepest + SD_MANIFOLD_DEEPEST * touch->size);
        bool hasDeepest = sdL4_MaskBits(isWanted & ~sdD4_Less(deepest, points.separations)) != 0;
        if (hasDeepest && areApart(&points, sdL4_MaskBits(isWanted), touch->size)) {
            out->pointCount = storePoints(&points, frame.across, n, isWanted, margin, out);
            if (cache != NULL) {
                keepIds(cache, out, out->pointCount);
            }
            return true;
        }
    }
    return writeMany(touch, frame, &corners, left.places, left.bits, result, margin, cache, out);
}

bool SD_KERNEL(sdHulls_Touch)(const sdPairContact* contact, int faceA, int faceB,
                              const sdPairResult* result, float margin, sdPairCache* cache,
                              sdManifold* out) {
    const sdHull *hullA = contact->a->hull, *hullB = contact->b->hull;
    int firstA, firstB;
    int countA = sdHull_SideCount(hullA, faceA, &firstA);
    int countB = sdHull_SideCount(hullB, faceB, &firstB);
    if (countA > SD_HULLS_MAX_SIDES || countB > SD_HULLS_MAX_SIDES) {
        return false;
    }
    Touch touch;
    touch.ownA = (const char*)&hullA->corners[faceA];
    touch.ownB = (const char*)&hullB->corners[faceB];
    setFace(&touch.a, touch.ownA, firstA, countA);
    setFace(&touch.b, touch.ownB, firstB, countB);
    placeFace(&touch.b, &contact->pose);
    touch.normal = contact->normal;
    touch.isNormalOfA = touch.isNormalOfB = false;
    touch.size = contact->size;
    touch.limit = contact->limit;
    touch.deepest = contact->deepest;
    return writeTouch(&touch, result, margin, cache, out);
}

// ---- as before -----------------------------------------------------------------------------

/// One of the bodies, and what is remembered of it.
typedef struct Body {
    const sdHull* hull;
    int index; ///< of what makes the axis, if it is of this body
    int face;  ///< that it touches with
    int count; ///< of its sides
    int first; ///< of them
    int near;  ///< a vertex not far from the furthest
} Body;

/// @return false when its face has to be looked for, or has too many sides
SD_INLINE bool setBody(Body* body, const sdHull* hull, const uint16_t indices[4], bool isFace,
                       bool isEdge) {
    body->hull = hull;
    body->index = indices[0];
    body->face = isFace ? indices[0] : indices[1] - 1;
    body->near = indices[2];
    if (body->face < 0 || body->face >= hull->faceCount ||
        (isEdge && body->index >= hull->halfEdgeCount)) {
        return false;
    }
    body->count = sdHull_SideCount(hull, body->face, &body->first);
    // an edge that made the axis is a side of the face
    bool isSide = body->index >= body->first && body->index < body->first + body->count;
    return body->count <= SD_HULLS_MAX_SIDES && (!isEdge || isSide);
}

/// The vertex furthest along a direction of a body that does not make it.
SD_INLINE int furthestOf(Body* body, sdVec3d d) {
    const sdHull* hull = body->hull;
    sdVec3 rounded = sdVec3d_Round(d);
    if (hull->vertexCount <= SD_CACHE_FEW_VERTICES) {
        return SD_KERNEL(sdHullKernel_Scan)(hull->soa, hull->soaStride, rounded);
    }
    body->near = sdHull_SupportClimb(hull, rounded, body->near);
    return body->near;
}

/// That of last time, if directions have turned too little for another; what callers leave in a
/// cache may be anything.
SD_INLINE int steadyOf(Body* body, bool isSteady, sdVec3d d) {
    return isSteady && body->near < body->hull->vertexCount ? body->near : furthestOf(body, d);
}

/// The furthest of a body whose edge made the direction.
SD_NOINLINE int furthestOfEdge(Body* body, sdVec3d d) {
    sdHullEdge edge = sdHull_EdgeOf(body->hull, body->index);
    return sdHullEdge_IsFurthest(&edge, d) ? edge.origin : furthestOf(body, d);
}

/// In its own frame.
SD_INLINE sdVec3 cornerOf(const Face* face, int at) {
    const char* data = face->data + (size_t)at * sizeof(float);
    sdVec3 p;
    memcpy(&p.x, data + offsetof(sdHullCorners, x), sizeof p.x);
    memcpy(&p.y, data + offsetof(sdHullCorners, y), sizeof p.y);
    memcpy(&p.z, data + offsetof(sdHullCorners, z), sizeof p.z);
    return p;
}

/// Along the edge of a body, which is a side of its face.
SD_INLINE sdVec3d alongOf(const Body* body, const Face* face) {
    int from = body->index - body->first, to = from + 1 < body->count ? from + 1 : 0;
    return sdSubD(sdVec3d_From(cornerOf(face, to)), sdVec3d_From(cornerOf(face, from)));
}

/// Whether a vertex is a corner of a face, which looks along a direction.
/// @param face in its own frame
SD_INLINE bool isTouchedBy(const Face* face, sdVec3 vertex, sdVec3d d) {
    sdF4 x, y, z;
    memcpy(&x, face->data + offsetof(sdHullCorners, x), sizeof x);
    memcpy(&y, face->data + offsetof(sdHullCorners, y), sizeof y);
    memcpy(&z, face->data + offsetof(sdHullCorners, z), sizeof z);
    sdI4 isSame = (x == (sdF4){vertex.x, vertex.x, vertex.x, vertex.x}) &
                  (y == (sdF4){vertex.y, vertex.y, vertex.y, vertex.y}) &
                  (z == (sdF4){vertex.z, vertex.z, vertex.z, vertex.z});
    bool isCorner = sdI4_MaskBits(isSame) != 0;
    return isCorner & (sdDotD(face->normal, d) > SD_SUPPORT_FACE_COSINE);
}

SD_INLINE sdVec3d unitNormal(const Face* face) {
    return sdScaleD(1.0 / sdLengthD(face->normal), face->normal);
}

bool SD_KERNEL(sdHulls_Recall)(const sdHull* a, const sdHull* b, const sdTransform* xfAB,
                               float margin, sdPairCache* cache, sdManifold* out) {
    bool isFaceA = cache->featureType == SD_FEATURE_FACE_A;
    bool isFaceB = cache->featureType == SD_FEATURE_FACE_B, isEdges = !isFaceA && !isFaceB;
    Body bodyA, bodyB;
    if (!setBody(&bodyA, a, cache->indexA, isFaceA, isEdges) ||
        !setBody(&bodyB, b, cache->indexB, isFaceB, isEdges)) {
        return false;
    }
    Touch touch;
    uint32_t tag;
    memcpy(&tag, &cache->polytope, sizeof tag);
    touch.ownA = (const char*)&a->corners[bodyA.face];
    touch.ownB = (const char*)&b->corners[bodyB.face];
    bool hasCopies = tag == sdPairCache_FacesTag(bodyA.face, bodyB.face);
    __builtin_prefetch(touch.ownA);
    __builtin_prefetch(touch.ownB);
    setFace(&touch.a, hasCopies ? sdPairCache_Face(cache, false) : touch.ownA, bodyA.first,
            bodyA.count);
    setFace(&touch.b, hasCopies ? sdPairCache_Face(cache, true) : touch.ownB, bodyB.first,
            bodyB.count);
    bool isSmallerB = b->reach <= a->reach;
    double size = (double)(isSmallerB ? b->reach : a->reach);
    double turn = sdPairCache_Turn(cache, xfAB), steady = sdPairCache_Steady(cache, a, b);
    // numbers that are not finite have not moved little
    if (!(sdAbsF(sdDotQ(xfAB->q, xfAB->q) - 1.0f) < 1e-3f) ||
        !(2.0 * sdPairCache_Motion(cache, isSmallerB, size, xfAB, turn) <=
          SD_CACHE_MOTION * size)) {
        return false;
    }
    sdPose pose;
    sdPose_Set(&pose, *xfAB);
    sdVec3d n, inB;
    sdVec3 vertexA, vertexB;
    bool isTouched;
    if (isEdges) {
        sdVec3d u = alongOf(&bodyA, &touch.a), v = alongOf(&bodyB, &touch.b);
        sdVec3d cross = sdCrossD(u, sdPose_Rotate(&pose, v));
        double squared = sdDotD(cross, cross), lengths = sdDotD(u, u) * sdDotD(v, v);
        if (!(squared > SD_CACHE_PARALLEL * SD_CACHE_PARALLEL * lengths)) {
            return false;
        }
        double side = sdDotD(cross, sdVec3d_From(cache->axis)) < 0.0 ? -1.0 : 1.0;
        n = sdScaleD(side / sqrt(squared), cross);
        inB = sdPose_InvRotate(&pose, sdScaleD(-1.0, n));
        // the axis turns by up to 2 turns over the sine between the edges, in B's frame by one more
        bool isSteady = AXIS_TURNS * AXIS_TURNS * turn * turn * lengths < steady * steady * squared;
        vertexA = cornerOf(&touch.a, bodyA.index - bodyA.first);
        vertexB = cornerOf(&touch.b, bodyB.index - bodyB.first);
        if (!isSteady) {
            vertexA = a->vertices[furthestOfEdge(&bodyA, n)];
            vertexB = b->vertices[furthestOfEdge(&bodyB, inB)];
        }
        isTouched = isTouchedBy(&touch.a, vertexA, n) && isTouchedBy(&touch.b, vertexB, inB);
    } else if (isFaceA) {
        n = unitNormal(&touch.a);
        inB = sdPose_InvRotate(&pose, sdScaleD(-1.0, n));
        vertexA = cornerOf(&touch.a, 0);
        vertexB = b->vertices[steadyOf(&bodyB, turn < steady, inB)];
        isTouched = isTouchedBy(&touch.b, vertexB, inB);
    } else {
        n = sdScaleD(-1.0, sdPose_Rotate(&pose, unitNormal(&touch.b)));
        inB = sdPose_InvRotate(&pose, sdScaleD(-1.0, n));
        vertexA = a->vertices[steadyOf(&bodyA, turn < steady, n)];
        vertexB = cornerOf(&touch.b, 0);
        isTouched = isTouchedBy(&touch.a, vertexA, n);
    }
    placeFace(&touch.b, &pose);
    touch.normal = n;
    touch.isNormalOfA = isFaceA;
    touch.isNormalOfB = isFaceB;
    touch.size = size;
    touch.limit = sdManifold_Limit(margin, size, xfAB);
    touch.deepest = sdDotD(n, pose.offset) - sdDotD(n, sdVec3d_From(vertexA)) -
                    sdDotD(inB, sdVec3d_From(vertexB));
    // also when something is not a number
    if (!isTouched || !(touch.deepest <= touch.limit) ||
        !writeTouch(&touch, NULL, margin, cache, out)) {
        return false;
    }
    // not before: copies that are not right may lead anywhere
    cache->axis = sdVec3d_Round(n);
    cache->indexA[2] = (uint16_t)bodyA.near;
    cache->indexB[2] = (uint16_t)bodyB.near;
    return true;
}
