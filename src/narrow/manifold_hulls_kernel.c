// SPDX-License-Identifier: MIT
// manifold_hulls_kernel.c - contact points of two hulls by faces of three or four sides.
//
// In:   a face of each hull, the normal.
// Out:  points on both, what touches what.
// Ref:  Sutherland, Hodgman, "Reentrant polygon clipping", CACM 1974.
// Note: manifold_points.c has the same for faces of any shape, and explains it. Here corners are
//       lanes, and those of what is left of a face stay where they are: what changes with every cut
//       is a word that has their numbers in order. Every number is rounded as it is there.

#include "narrow/manifold_hulls.h"

#include "geometry/hull_kernel.h"
#include "narrow/manifold_cache.h"

/// Corners of B, and two for each side of A.
#define MAX_CORNERS (3 * SD_HULLS_MAX_SIDES)
/// How many times further than the bodies the axis of two edges may turn, over the sine between
/// them.
#define AXIS_TURNS 3.0

typedef struct Vec3x4 {
    sdD4 x, y, z;
} Vec3x4;

/// A face in A's frame.
typedef struct Face {
    int count; ///< of sides
    int first; ///< half-edge
    int32_t vertices[SD_HULLS_MAX_SIDES];
    sdVec3d normal;
    Vec3x4 corners; ///< where there are three, the first is there again
} Face;

// Without wide registers compilers make vectors of single numbers in memory, and wait for them when
// they read them by halves.

SD_INLINE sdD4 splat(double a) {
#if defined(__AVX2__)
    return sdD4_Splat(a);
#else
    sdD4Halves r = {.half = {{a, a}, {a, a}}};
    return r.whole;
#endif
}

/// Lanes 1, 2, 3, 0.
SD_INLINE sdD4 nextOf(sdD4 a) {
#if defined(__AVX2__)
    return __builtin_shufflevector(a, a, 1, 2, 3, 0);
#else
    sdD4Halves u = {.whole = a}, r;
    r.half[0] = __builtin_shufflevector(u.half[0], u.half[1], 1, 2);
    r.half[1] = __builtin_shufflevector(u.half[1], u.half[0], 1, 2);
    return r.whole;
#endif
}

/// Lanes last, 0, 1, 2.
SD_INLINE sdD4 previousOf(sdD4 a, bool isLast3) {
#if defined(__AVX2__)
    sdD4 three = __builtin_shufflevector(a, a, 2, 0, 1, 2);
    return isLast3 ? __builtin_shufflevector(a, a, 3, 0, 1, 2) : three;
#else
    sdD4Halves u = {.whole = a}, r;
    double last = isLast3 ? u.half[1][1] : u.half[1][0];
    r.half[0] = (sdD2){last, u.half[0][0]};
    r.half[1] = __builtin_shufflevector(u.half[0], u.half[1], 1, 2);
    return r.whole;
#endif
}

SD_INLINE sdD4 dot(sdVec3d a, const Vec3x4* b) {
    return splat(a.x) * b->x + splat(a.y) * b->y + splat(a.z) * b->z;
}

/// A vertex and whatever follows it: behind vertices there is more in the block of a hull.
SD_INLINE sdF4 loadVertex(const sdHull* hull, int vertex) {
    sdF4 v;
    memcpy(&v, &hull->vertices[vertex], sizeof v);
    return v;
}

SD_INLINE void setFace(Face* out, const sdHull* hull, int face, int first, int count) {
    const sdHalfEdge* sides = &hull->edges[first];
    out->vertices[0] = sides[0].origin;
    out->vertices[1] = sides[1].origin;
    out->vertices[2] = sides[2].origin;
    out->vertices[3] = sides[count > 3 ? 3 : 0].origin;
    sdF4 a = loadVertex(hull, out->vertices[0]), b = loadVertex(hull, out->vertices[1]);
    sdF4 c = loadVertex(hull, out->vertices[2]), d = loadVertex(hull, out->vertices[3]);
    sdF4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    sdF4 cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    sdF4 abZ = __builtin_shufflevector(a, b, 2, 6, 2, 6);
    sdF4 cdZ = __builtin_shufflevector(c, d, 2, 6, 2, 6);
    out->corners.x = sdD4_FromFloats(__builtin_shufflevector(ab, cd, 0, 1, 4, 5));
    out->corners.y = sdD4_FromFloats(__builtin_shufflevector(ab, cd, 2, 3, 6, 7));
    out->corners.z = sdD4_FromFloats(__builtin_shufflevector(abZ, cdZ, 0, 1, 4, 5));
    out->normal = sdVec3d_From(hull->planes[face].normal);
    out->count = count;
    out->first = first;
}

/// Of B, into A's frame.
SD_INLINE void placeFace(Face* face, const sdPose* pose) {
    Vec3x4 p = face->corners;
    sdVec3d i = pose->columns[0], j = pose->columns[1], k = pose->columns[2];
    face->corners.x =
        splat(pose->offset.x) + (p.x * splat(i.x) + p.y * splat(j.x) + p.z * splat(k.x));
    face->corners.y =
        splat(pose->offset.y) + (p.x * splat(i.y) + p.y * splat(j.y) + p.z * splat(k.y));
    face->corners.z =
        splat(pose->offset.z) + (p.x * splat(i.z) + p.y * splat(j.z) + p.z * splat(k.z));
    face->normal = sdPose_Rotate(pose, face->normal);
}

// ---- what they have in common --------------------------------------------------------------

/// The sides of A as seen along the normal; the fourth of a triangle has no length.
typedef struct Sides {
    sdD4 u, v, du, dv;
    sdD4 slack; ///< corners that stick out by no more are inside
    sdD4 least; ///< those that stick out by no more are so with any slack
    int first;  ///< half-edge
} Sides;

/// Corners as seen along the normal, by their numbers: those of B, then those that cuts have made.
typedef struct Corners {
    double u[MAX_CORNERS], v[MAX_CORNERS];
    int32_t in[MAX_CORNERS], out[MAX_CORNERS];       ///< labels, see sdClipPoint
    double heights[MAX_CORNERS][SD_HULLS_MAX_SIDES]; ///< over the sides of A; inside at most 0
} Corners;

/// Which of them are left. Nobody has its address for long, so that it is in registers.
typedef struct Left {
    uint64_t places; ///< for each that is left, in order: four bits of its number, four of sides
                     ///< that it is outside of
    int bits;        ///< of places that are taken
    sdL4 isOnRim;    ///< of some the slack has decided
} Left;

SD_INLINE void setSides(Sides* sides, const Face* face, const sdVec3d across[2], double tolerance) {
    sdD4 u = dot(across[0], &face->corners), v = dot(across[1], &face->corners);
    sides->u = u;
    sides->v = v;
    sides->du = nextOf(u) - u;
    sides->dv = nextOf(v) - v;
    // between the length and 1.5 times that; a side without length cuts nothing
    sides->slack = splat(tolerance) * (sdD4_Abs(sides->du) + sdD4_Abs(sides->dv));
    sides->least = splat(0.5 * SD_MANIFOLD_LEAST_RIM) * sides->slack;
    sides->first = face->first;
}

/// The slack that sharp corners leave, see manifold_points.c.
/// @return false when there are none
SD_INLINE bool sharpenSides(Sides* sides, double tolerance, bool isQuad) {
    sdD4 lengths = sdD4_Abs(sides->du) + sdD4_Abs(sides->dv);
    sdD4 u = previousOf(sides->du, isQuad), v = previousOf(sides->dv, isQuad);
    sdD4 turn = splat(2.0) * (u * sides->dv - v * sides->du);
    sdD4 along = u * sides->du + v * sides->dv;
    // where a side has no length, nothing is along it
    sdD4 sine = sdD4_Select(sdD4_Less(along, splat(0.0)),
                            turn / (previousOf(lengths, isQuad) * lengths), splat(1.0));
    double least = sdD4_ReduceMin(sine);
    if (!(least < 1.0)) {
        return false;
    }
    least = least > SD_MANIFOLD_LEAST_RIM ? least : SD_MANIFOLD_LEAST_RIM;
    sides->slack = splat(tolerance * least) * lengths;
    return true;
}

/// @return what is in its place, see Corners
SD_INLINE uint64_t setCorner(Corners* corners, const Sides* sides, int at, double u, double v,
                             Left* left) {
    sdD4 heights = (splat(u) - sides->u) * sides->dv - (splat(v) - sides->v) * sides->du;
    sdL4 isOut = sdD4_Less(sides->slack, heights);
    left->isOnRim |= sdD4_Less(sides->least, heights) & ~isOut;
    corners->u[at] = u;
    corners->v[at] = v;
    sdD4_Store(corners->heights[at], sdD4_Select(isOut, heights, sdD4_Min(heights, splat(0.0))));
    return (uint64_t)(at | (sdL4_MaskBits(isOut) << 4));
}

/// Where a side of B crosses one of A.
/// @param i, j numbers of the corners that it joins; one of them is outside
SD_INLINE uint64_t setCrossing(Corners* corners, const Sides* sides, int side, int at, int i, int j,
                               Left* left) {
    double heightI = corners->heights[i][side], heightJ = corners->heights[j][side];
    double t = heightI / (heightI - heightJ);
    return setCorner(corners, sides, at, corners->u[i] + t * (corners->u[j] - corners->u[i]),
                     corners->v[i] + t * (corners->v[j] - corners->v[i]), left);
}

/// The number of the corner at a place.
SD_INLINE int numberAt(uint64_t places, int place) {
    return (int)(places >> place) & 15;
}

/// Those before a place.
SD_INLINE uint64_t placesBelow(uint64_t places, int end) {
    return places & ((UINT64_C(1) << end) - 1);
}

/// Keep what is left of a side. Places are counted in bits here.
/// @return false when the polygon is bent
SD_INLINE bool cutBySide(Corners* corners, const Sides* sides, int side, Left* left) {
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t places = left->places;
    int end = left->bits, highest = end - 8;
    uint64_t all = placesBelow(ones, end), outside = (places >> (4 + side)) & all;
    if (outside == 0 || outside == all) {
        left->bits = outside == 0 ? end : 0;
        return true;
    }
    uint64_t firsts = outside & ~((outside << 8) | (outside >> highest));
    uint64_t lasts = outside & ~((outside >> 8) | (outside << highest));
    if ((firsts & (firsts - 1)) != 0) {
        return false;
    }
    // those from first to last go; i is the one before them and j the one behind
    int first = __builtin_ctzll(firsts), last = __builtin_ctzll(lasts);
    int i = first > 0 ? first - 8 : highest, j = last < highest ? last + 8 : 0;
    int atI = numberAt(places, i), atFirst = numberAt(places, first);
    int atLast = numberAt(places, last), atJ = numberAt(places, j);
    int leaving = SD_HULLS_MAX_SIDES + 2 * side, coming = leaving + 1,
        label = ~(sides->first + side);
    uint64_t leave = setCrossing(corners, sides, side, leaving, atI, atFirst, left);
    uint64_t come = setCrossing(corners, sides, side, coming, atLast, atJ, left);
    corners->in[leaving] = corners->out[atI];
    corners->out[leaving] = label;
    corners->in[coming] = label;
    corners->out[coming] = corners->out[atLast];
    // a corner on the side is where they cross
    bool isLeaving = corners->heights[atI][side] * corners->heights[atFirst][side] < 0.0;
    bool isComing = corners->heights[atLast][side] * corners->heights[atJ][side] < 0.0;
    int leavingBits = isLeaving ? 8 : 0, comingBits = isComing ? 8 : 0;
    leave = isLeaving ? leave : 0;
    come = isComing ? come : 0;
    // where the first of all goes, what is left begins where B's side comes in and ends where it
    // leaves: both ways, as it is chance which one it is
    bool isFirst = (first == 0) | (first > last);
    int length = i + 8 - j, place = first + leavingBits + comingBits;
    uint64_t kept = placesBelow(places >> j, length & 63);
    uint64_t around = come | (kept << comingBits) | (leave << ((comingBits + length) & 63));
    // those behind may be none, and a word is not shifted by all its bits
    uint64_t behind = placesBelow(places, end) >> last >> 8;
    uint64_t between = placesBelow(places, first) | (leave << first) |
                       (come << ((first + leavingBits) & 63)) | (behind << (place & 63));
    uint64_t mask = isFirst ? ~UINT64_C(0) : 0;
    left->places = (around & mask) | (between & ~mask);
    left->bits = isFirst ? comingBits + length + leavingBits : place + highest - last;
    return true;
}

/// The part of B's face that lies inside of A's sides.
/// @return false when rounding has bent it
SD_INLINE bool cutBySides(Corners* corners, const Sides* sides, const Face* b,
                          const sdVec3d across[2], Left* left) {
    sdD4 u = dot(across[0], &b->corners), v = dot(across[1], &b->corners);
    uint64_t places = 0;
    left->isOnRim = (sdL4){0};
    for (int i = 0; i < SD_HULLS_MAX_SIDES; ++i) {
        places |= setCorner(corners, sides, i, u[i], v[i], left) << (8 * i);
        corners->in[i] = b->first + i - 1;
        corners->out[i] = b->first + i;
    }
    corners->in[0] = b->first + b->count - 1;
    left->places = places;
    left->bits = 8 * b->count;
    // what a cut has made is outside of no side that all corners were inside of
    unsigned cutting =
        (unsigned)((places >> 4) | (places >> 12) | (places >> 20) | (places >> 28)) & 15;
    for (; cutting != 0; cutting &= cutting - 1) {
        if (!cutBySide(corners, sides, __builtin_ctz(cutting), left)) {
            return false;
        }
    }
    return true;
}

/// The same where something is on the rim of a face with sharp corners.
SD_NOINLINE bool intersectSharp(const Face* a, const Face* b, const sdVec3d across[2],
                                double tolerance, Corners* corners, Left* left) {
    Sides sides;
    setSides(&sides, a, across, tolerance);
    return !sharpenSides(&sides, tolerance, a->count > 3) ||
           cutBySides(corners, &sides, b, across, left);
}

/// The part of B's face that lies inside of A's. How sharp that is, few have to know.
/// @return false when rounding has bent it
SD_INLINE bool intersect(const Face* a, const Face* b, const sdVec3d across[2], double tolerance,
                         Corners* corners, Left* left) {
    Sides sides;
    setSides(&sides, a, across, tolerance);
    if (!cutBySides(corners, &sides, b, across, left)) {
        return false;
    }
    if (sdL4_MaskBits(left->isOnRim) == 0) {
        return true;
    }
    Left sharp = *left;
    bool isWhole = intersectSharp(a, b, across, tolerance, corners, &sharp);
    *left = sharp;
    return isWhole;
}

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
    sdD4Halves r = {.half = {{a.x, a.y}, {a.z, 0.0}}};
    return r.whole;
}

/// What is known of two hulls that touch.
typedef struct Touch {
    Face a, b;
    sdVec3d normal;
    double size, limit, deepest; ///< see sdPairContact
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

/// @param result with deepest points; NULL: they are not known
/// @return false when faces do not tell
SD_INLINE bool writeTouch(const Touch* touch, const sdPairResult* result, float margin,
                          sdPairCache* cache, sdManifold* out) {
    const Face *a = &touch->a, *b = &touch->b;
    sdVec3d n = touch->normal, across[2];
    sdManifold_SetAcross(n, across);
    // what does not wait for the cuts comes before them: the processor does it while it waits to
    // know how many there are
    Slope slopeA = slopeOf(a, n, across), slopeB = slopeOf(b, n, across);
    out->normal = sdVec3d_Round(n);
    out->kind = sdManifold_Kind(touchOf(a, n), touchOf(b, sdScaleD(-1.0, n)));
    Corners corners;
    Left left;
    double tolerance = SD_MANIFOLD_RIM * touch->size * fabs(sdDotD(a->normal, n));
    if (!intersect(a, b, across, tolerance, &corners, &left)) {
        return false;
    }
    double tie = SD_MANIFOLD_DEEPEST * touch->size, least = DBL_MAX;
    double highest = touch->limit, lowest = touch->deepest - tie;
    sdFlatPoint flat[MAX_CORNERS + 1];
    int count = 0;
    for (int place = 0; place < left.bits; place += 8) {
        int number = numberAt(left.places, place);
        double u = corners.u[number], v = corners.v[number];
        double separation = heightAt(&slopeB, u, v) - heightAt(&slopeA, u, v);
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
        flat[at].id = sdManifold_Id(corners.in[number], corners.out[number]);
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
        witness = addDeepest(touch, result, across, &slopeA, flat, &count);
    }
    int chosen[SD_MANIFOLD_MAX_POINTS];
    out->pointCount = sdFlatPoints_Choose(flat, count, touch->size, cache, chosen);
    const sdD4 e = lanesOf(across[0]), f = lanesOf(across[1]), up = lanesOf(n);
    for (int i = 0; i < out->pointCount; ++i) {
        const sdFlatPoint* point = &flat[chosen[i]];
        sdManifoldPoint* to = &out->points[i];
        double heightA = heightAt(&slopeA, point->u, point->v);
        double heightB = heightAt(&slopeB, point->u, point->v);
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
    return true;
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
    setFace(&touch.a, hullA, faceA, firstA, countA);
    setFace(&touch.b, hullB, faceB, firstB, countB);
    placeFace(&touch.b, &contact->pose);
    touch.normal = contact->normal;
    touch.size = contact->size;
    touch.limit = contact->limit;
    touch.deepest = contact->deepest;
    return writeTouch(&touch, result, margin, cache, out);
}

// ---- as before -----------------------------------------------------------------------------

/// One of the bodies, and what is remembered of it.
typedef struct Body {
    const sdHull* hull;
    int index;      ///< of what makes the axis, if it is of this body
    int face;       ///< that it touches with
    int count;      ///< of its sides
    int first;      ///< of them
    uint16_t* near; ///< a vertex not far from the furthest
} Body;

/// @return false when its face has to be looked for, or has too many sides
SD_INLINE bool setBody(Body* body, const sdHull* hull, uint16_t indices[4], bool isFace,
                       bool isEdge) {
    body->hull = hull;
    body->index = indices[0];
    body->face = isFace ? indices[0] : indices[1] - 1;
    body->near = &indices[2];
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
SD_INLINE int furthestOf(const Body* body, sdVec3d d) {
    const sdHull* hull = body->hull;
    sdVec3 rounded = sdVec3d_Round(d);
    if (hull->vertexCount <= SD_CACHE_FEW_VERTICES) {
        return SD_KERNEL(sdHullKernel_Scan)(hull->soa, hull->soaStride, rounded);
    }
    int vertex = sdHull_SupportClimb(hull, rounded, *body->near);
    *body->near = (uint16_t)vertex;
    return vertex;
}

/// That of last time, if directions have turned too little for another; what callers leave in a
/// cache may be anything.
SD_INLINE int steadyOf(const Body* body, bool isSteady, sdVec3d d) {
    return isSteady && *body->near < body->hull->vertexCount ? *body->near : furthestOf(body, d);
}

/// The furthest of a body whose edge made the direction.
SD_NOINLINE int furthestOfEdge(const Body* body, sdVec3d d) {
    sdHullEdge edge = sdHull_EdgeOf(body->hull, body->index);
    return sdHullEdge_IsFurthest(&edge, d) ? edge.origin : furthestOf(body, d);
}

/// Along the edge of a body, which is a side of its face.
SD_INLINE sdVec3d alongOf(const Body* body, const Face* face) {
    const sdVec3* vertices = body->hull->vertices;
    int from = body->index - body->first, to = from + 1 < body->count ? from + 1 : 0;
    return sdSubD(sdVec3d_From(vertices[face->vertices[to]]),
                  sdVec3d_From(vertices[face->vertices[from]]));
}

/// Whether a vertex is a corner of a face, which looks along a direction.
SD_INLINE bool isTouchedBy(const Face* face, int vertex, sdVec3d d) {
    const int32_t* v = face->vertices;
    bool isCorner = (v[0] == vertex) | (v[1] == vertex) | (v[2] == vertex) | (v[3] == vertex);
    return isCorner & (sdDotD(face->normal, d) > SD_SUPPORT_FACE_COSINE);
}

SD_INLINE double heightOf(const sdHull* hull, int vertex, sdVec3d d) {
    return sdDotD(d, sdVec3d_From(hull->vertices[vertex]));
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
    setFace(&touch.a, a, bodyA.face, bodyA.first, bodyA.count);
    setFace(&touch.b, b, bodyB.face, bodyB.first, bodyB.count);
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
    int vertexA, vertexB;
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
        vertexA = a->edges[bodyA.index].origin;
        vertexB = b->edges[bodyB.index].origin;
        if (!isSteady) {
            vertexA = furthestOfEdge(&bodyA, n);
            vertexB = furthestOfEdge(&bodyB, inB);
        }
        isTouched = isTouchedBy(&touch.a, vertexA, n) && isTouchedBy(&touch.b, vertexB, inB);
    } else if (isFaceA) {
        n = unitNormal(&touch.a);
        inB = sdPose_InvRotate(&pose, sdScaleD(-1.0, n));
        vertexA = touch.a.vertices[0];
        vertexB = steadyOf(&bodyB, turn < steady, inB);
        isTouched = isTouchedBy(&touch.b, vertexB, inB);
    } else {
        n = sdScaleD(-1.0, sdPose_Rotate(&pose, unitNormal(&touch.b)));
        inB = sdPose_InvRotate(&pose, sdScaleD(-1.0, n));
        vertexA = steadyOf(&bodyA, turn < steady, n);
        vertexB = touch.b.vertices[0];
        isTouched = isTouchedBy(&touch.a, vertexA, n);
    }
    placeFace(&touch.b, &pose);
    touch.normal = n;
    touch.size = size;
    touch.limit = sdManifold_Limit(margin, size, xfAB);
    touch.deepest = sdDotD(n, pose.offset) - heightOf(a, vertexA, n) - heightOf(b, vertexB, inB);
    // also when something is not a number
    if (!isTouched || !(touch.deepest <= touch.limit) ||
        !writeTouch(&touch, NULL, margin, cache, out)) {
        return false;
    }
    cache->axis = sdVec3d_Round(n);
    return true;
}
