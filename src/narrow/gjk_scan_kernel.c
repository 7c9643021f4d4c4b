// SPDX-License-Identifier: MIT
// gjk_scan_kernel.c - the quick way of GJK for bodies whose vertices are scanned: hulls, triangles.
//
// In:   a pair, a simplex of up to three points and the point after them.
// Out:  a better simplex and how good it is. Never allocates.
// Note: a chain of operations that wait for each other: the newest point decides which part of the
//       simplex is nearest, that gives a direction, the direction a vertex of each body, and those
//       the newest point. So whatever can be made ready for all parts is, before it is known which
//       of them is the nearest: directions in single precision and in the frame of each body.
//       Of hulls with many vertices it begins with points that are about the furthest, which are
//       looked up, and looks at all vertices when those get it no further.

#include "narrow/gjk_lanes.h"

/// Points that are looked up have to make the square of the distance less by this share, or all
/// vertices are looked at: a few times as long, but of more use; measured.
#define LEAST_GAIN 0.003

/// How vertices are looked for; known where the code is made.
typedef enum Search {
    SEARCH_SMALL, ///< both bodies have no more than SD_SCAN_AT_ONCE
    SEARCH_ALL,
    SEARCH_ROUGHLY ///< they are looked up as long as that leads anywhere, then all are looked at
} Search;

SD_INLINE int furthestOf(const sdConvex* convex, Search search, sdF8 x8, sdF8 y8, sdF8 z8) {
    if (search != SEARCH_SMALL) {
        return sdConvex_Scan(convex, x8, y8, z8);
    }
    sdReaches reaches;
    sdReaches_Set(&reaches, convex->x, convex->y, convex->z, convex->count, x8, y8, z8);
    return sdReaches_Furthest(&reaches);
}

/// Directions for all parts of a simplex, in lanes: x, y, z.
typedef struct Directions {
    sdF8 a[3]; ///< -v
    sdF8 b[3]; ///< v in B's frame
} Directions;

SD_INLINE sdF8 roundAll(sdD4 edges, sdD4 faces) {
    return sdF8_Join(__builtin_convertvector(edges, sdF4), __builtin_convertvector(faces, sdF4));
}

/// In single precision, as all that is asked of them is a vertex; see SD_TURN_ROUNDING.
SD_INLINE void setDirections(Directions* out, const sdF8 columns[3][3], const sdSimplexPart* part) {
    sdF8 x = roundAll(part->all[0][0], part->all[1][0]);
    sdF8 y = roundAll(part->all[0][1], part->all[1][1]);
    sdF8 z = roundAll(part->all[0][2], part->all[1][2]);
    out->a[0] = -x;
    out->a[1] = -y;
    out->a[2] = -z;
    for (int k = 0; k < 3; ++k) {
        out->b[k] = x * columns[k][0] + y * columns[k][1] + z * columns[k][2];
    }
}

SD_INLINE void setColumns(sdF8 out[3][3], const sdConvexPair* pair) {
    for (int k = 0; k < 3; ++k) {
        out[k][0] = sdF8_Splat((float)pair->columns[k].x);
        out[k][1] = sdF8_Splat((float)pair->columns[k].y);
        out[k][2] = sdF8_Splat((float)pair->columns[k].z);
    }
}

/// The lane that the last three bits name, in all lanes: as soon as they are known, without a way
/// through memory.
SD_INLINE sdF8 pick(sdF8 lanes, sdD4 least) {
#if defined(__AVX2__)
    __m256i number = _mm256_shuffle_epi32((__m256i)least, 0xA0);
    return (sdF8)_mm256_permutevar8x32_ps((__m256)lanes, number);
#else
    return sdF8_Splat(lanes[((sdL4)least)[0] & 7]);
#endif
}

/// Numbers of a vertex of each body, in one number.
typedef uint64_t Ids;

SD_INLINE Ids idsOf(int a, int b) {
    return (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
}

SD_INLINE int idOfA(Ids ids) {
    return (int)(ids >> 32);
}

SD_INLINE int idOfB(Ids ids) {
    return (int)(ids & UINT32_MAX);
}

SD_INLINE sdD4 vertexOf(const sdConvex* convex, int index) {
    return (sdD4){(double)convex->x[index], (double)convex->y[index], (double)convex->z[index],
                  0.0};
}

SD_INLINE sdD4 fourOf(sdVec3d v) {
    return (sdD4){v.x, v.y, v.z, 0.0};
}

/// As sdConvexPair_ToA.
SD_INLINE sdD4 toA(const sdConvexPair* pair, int index) {
    sdD4 x = sdD4_Splat((double)pair->b.x[index]), y = sdD4_Splat((double)pair->b.y[index]);
    sdD4 z = sdD4_Splat((double)pair->b.z[index]);
    return (fourOf(pair->offset) + x * fourOf(pair->columns[0])) +
           (y * fourOf(pair->columns[1]) + z * fourOf(pair->columns[2]));
}

/// Written where it stays: what is made of parts and then copied whole stalls the processor.
SD_INLINE void setPoint(const sdConvexPair* pair, Ids ids, const double w[3],
                        sdMinkowskiPoint* out) {
    const sdConvex* a = &pair->a;
    out->w.x = w[0];
    out->w.y = w[1];
    out->w.z = w[2];
    out->a.x = (double)a->x[idOfA(ids)];
    out->a.y = (double)a->y[idOfA(ids)];
    out->a.z = (double)a->z[idOfA(ids)];
    out->indexA = idOfA(ids);
    out->indexB = idOfB(ids);
}

/// Points of the lanes that are in a mask.
SD_INLINE int setPoints(const sdConvexPair* pair, const sdSimplexLanes* lanes, const Ids ids[3],
                        unsigned mask, sdSimplex* simplex) {
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        const double w[3] = {lanes->x[i], lanes->y[i], lanes->z[i]};
        setPoint(pair, ids[i], w, &simplex->points[count]);
        count += (int)(mask >> i) & 1;
    }
    return count;
}

/// The points that carry the part, and the newest one at its place.
SD_INLINE void setSimplex(const sdConvexPair* pair, const sdSimplexLanes* lanes, const Ids ids[3],
                          const sdSimplexPart* part, sdSimplex* simplex) {
    int place = sdPartPlaces[part->index][0], next = (part->index + 1) % SD_LANES_D % 3;
    double weights[3], weight = sdSimplexPart_Get(part, 3), weightNext = sdSimplexPart_Get(part, 4);
    weights[next] = weightNext;
    weights[part->index % SD_LANES_D % 3] = weight;
    weights[place] = 1.0 - weight - weightNext;
    unsigned mask = sdPartMasks[part->index] | 1u << place;
    simplex->count = setPoints(pair, lanes, ids, mask, simplex);
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        simplex->weights[count] = weights[i];
        count += (int)(mask >> i) & 1;
    }
}

/// A simplex and the point after it, which is in all lanes of x, y and z.
typedef struct Points {
    sdSimplexLanes lanes;
    sdD4 x, y, z;
    Ids ids[3], newest;
    int iterations; ///< that it took to get there
} Points;

/// One number of a point, in all lanes.
SD_INLINE sdD4 splat(sdD4 w, int axis) {
    return axis == 0   ? __builtin_shufflevector(w, w, 0, 0, 0, 0)
           : axis == 1 ? __builtin_shufflevector(w, w, 1, 1, 1, 1)
                       : __builtin_shufflevector(w, w, 2, 2, 2, 2);
}

SD_INLINE void loadPoints(Points* out, const sdSimplex* simplex) {
    const sdMinkowskiPoint *p = simplex->points, *q = p + (simplex->count > 1 ? 1 : 0);
    const sdMinkowskiPoint *r = p + (simplex->count > 2 ? 2 : 0), *first = p + simplex->count;
    out->lanes.x = (sdD4){p->w.x, q->w.x, r->w.x, p->w.x};
    out->lanes.y = (sdD4){p->w.y, q->w.y, r->w.y, p->w.y};
    out->lanes.z = (sdD4){p->w.z, q->w.z, r->w.z, p->w.z};
    out->ids[0] = idsOf(p->indexA, p->indexB);
    out->ids[1] = idsOf(q->indexA, q->indexB);
    out->ids[2] = idsOf(r->indexA, r->indexB);
    out->newest = idsOf(first->indexA, first->indexB);
    out->x = sdD4_Splat(first->w.x);
    out->y = sdD4_Splat(first->w.y);
    out->z = sdD4_Splat(first->w.z);
    out->iterations = 0;
}

/// Points by their vertices.
SD_INLINE void setFour(Points* out, const sdConvexPair* pair, const int at[4][2]) {
    sdD4 p = vertexOf(&pair->a, at[0][0]) - toA(pair, at[0][1]);
    sdD4 q = vertexOf(&pair->a, at[1][0]) - toA(pair, at[1][1]);
    sdD4 r = vertexOf(&pair->a, at[2][0]) - toA(pair, at[2][1]);
    sdD4 w = vertexOf(&pair->a, at[3][0]) - toA(pair, at[3][1]);
    out->lanes = (sdSimplexLanes){
        {p[0], q[0], r[0], p[0]}, {p[1], q[1], r[1], p[1]}, {p[2], q[2], r[2], p[2]}};
    out->ids[0] = idsOf(at[0][0], at[0][1]);
    out->ids[1] = idsOf(at[1][0], at[1][1]);
    out->ids[2] = idsOf(at[2][0], at[2][1]);
    out->newest = idsOf(at[3][0], at[3][1]);
    out->x = splat(w, 0);
    out->y = splat(w, 1);
    out->z = splat(w, 2);
    out->iterations = 0;
}

/// Support point along a direction.
SD_INLINE sdD4 support(const sdConvexPair* pair, Search search, const sdF8 columns[3][3], sdVec3d d,
                       Ids* ids) {
    sdF8 x = sdF8_Splat((float)d.x), y = sdF8_Splat((float)d.y), z = sdF8_Splat((float)d.z);
    sdF8 inB[3];
    for (int k = 0; k < 3; ++k) {
        inB[k] = -(x * columns[k][0] + y * columns[k][1] + z * columns[k][2]);
    }
    int a = furthestOf(&pair->a, search, x, y, z);
    int b = furthestOf(&pair->b, search, inB[0], inB[1], inB[2]);
    *ids = idsOf(a, b);
    return vertexOf(&pair->a, a) - toA(pair, b);
}

/// Cores that the first direction parts: from the nearest point of two to a third one. Often that
/// is one of the two, which proves it.
/// @param limit see sdGjk_IsBeyond
/// @param p, ids the second point
/// @return whether there is nothing left to do
SD_INLINE bool findThird(Points* out, const sdConvexPair* pair, Search search,
                         const sdF8 columns[3][3], double limit, sdVec3d p, Ids ids,
                         sdSimplex* simplex, sdGjkApproach* output) {
    sdVec3d u = simplex->points[0].w, toFirst = sdSubD(u, p);
    double t = -sdDotD(p, toFirst) / sdDotD(toFirst, toFirst);
    t = t > 0.0 ? (t < 1.0 ? t : 1.0) : 0.0;
    sdVec3d v = sdMulAddD(p, t, toFirst);
    sdD4 w = support(pair, search, columns, sdScaleD(-1.0, v), &out->newest);
    Ids first = idsOf(simplex->points[0].indexA, simplex->points[0].indexB);
    double squared = sdDotD(v, v), vw = sdDotD(v, sdV3d(w[0], w[1], w[2]));
    output->isProved =
        (squared - vw <= SD_GJK_RELATIVE_GAP * squared) | sdGjk_IsBeyond(vw, squared, limit);
    if (output->isProved) {
        const double second[3] = {p.x, p.y, p.z};
        int at = t > 0.0 ? 1 : 0;
        setPoint(pair, ids, second, &simplex->points[at]);
        simplex->weights[0] = t > 0.0 ? t : 1.0;
        simplex->weights[1] = 1.0 - t;
        simplex->count = at + (t < 1.0 ? 1 : 0);
        output->v = v;
        output->squared = squared;
        output->vw = vw;
        return true;
    }
    // what is missing is the first again
    out->lanes = (sdSimplexLanes){{u.x, p.x, u.x, u.x}, {u.y, p.y, u.y, u.y}, {u.z, p.z, u.z, u.z}};
    out->ids[0] = first;
    out->ids[1] = ids;
    out->ids[2] = first;
    out->x = splat(w, 0);
    out->y = splat(w, 1);
    out->z = splat(w, 2);
    out->iterations = 1;
    return false;
}

/// Points beside the first one.
/// @return whether there is nothing left to do
SD_INLINE bool findPoints(Points* out, const sdConvexPair* pair, Search search,
                          const sdF8 columns[3][3], double limit, sdVec3d start, sdSimplex* simplex,
                          sdGjkApproach* output) {
    sdVec3d u = simplex->points[0].w, beside = sdGjk_LookBeside(pair, start, u);
    sdD4 w = support(pair, search, columns, beside, &out->newest);
    if (sdGjk_IsParted(start, u)) {
        sdVec3d p = sdV3d(w[0], w[1], w[2]);
        return findThird(out, pair, search, columns, limit, p, out->newest, simplex, output);
    }
    sdVec3d side = sdGjk_ToTheSide(start, u, beside);
    sdD4 p = support(pair, search, columns, sdAddD(beside, side), &out->ids[1]);
    sdD4 q = support(pair, search, columns, sdSubD(beside, side), &out->ids[2]);
    out->lanes =
        (sdSimplexLanes){{u.x, p[0], q[0], u.x}, {u.y, p[1], q[1], u.y}, {u.z, p[2], q[2], u.z}};
    out->ids[0] = idsOf(simplex->points[0].indexA, simplex->points[0].indexB);
    out->x = splat(w, 0);
    out->y = splat(w, 1);
    out->z = splat(w, 2);
    out->iterations = 0;
    return false;
}

/// A point beside the first one, by vertices that are looked up.
SD_INLINE void lookBeside(Points* out, const sdConvexPair* pair, sdVec3d start,
                          const sdSimplex* simplex) {
    sdVec3d u = simplex->points[0].w, d = sdGjk_LookBeside(pair, start, u);
    int a = sdConvex_LookUp(&pair->a, (float)d.x, (float)d.y, (float)d.z);
    int b =
        sdConvex_LookUp(&pair->b, (float)-sdDotD(d, pair->columns[0]),
                        (float)-sdDotD(d, pair->columns[1]), (float)-sdDotD(d, pair->columns[2]));
    sdD4 w = vertexOf(&pair->a, a) - toA(pair, b);
    Ids first = idsOf(simplex->points[0].indexA, simplex->points[0].indexB);
    out->lanes = (sdSimplexLanes){sdD4_Splat(u.x), sdD4_Splat(u.y), sdD4_Splat(u.z)};
    out->ids[0] = first;
    out->ids[1] = first;
    out->ids[2] = first;
    out->newest = idsOf(a, b);
    out->x = splat(w, 0);
    out->y = splat(w, 1);
    out->z = splat(w, 2);
    out->iterations = 0;
}

/// The loop.
SD_INLINE void goOn(const Points* at, const sdConvexPair* pair, Search search,
                    const sdF8 columns[3][3], double limit, double stopBelow, double squared,
                    sdSimplex* simplex, sdGjkApproach* output) {
    double vw;
    sdSimplexLanes lanes = at->lanes;
    Ids ids[3] = {at->ids[0], at->ids[1], at->ids[2]}, newest = at->newest;
    sdD4 x = at->x, y = at->y, z = at->z;
    bool isProved, isEnd, isRough = search == SEARCH_ROUGHLY;
    int iterations = at->iterations;
    sdSimplexPart part;
    do {
        Directions directions;
        sdSimplexLanes_FindPart(&lanes, x, y, z, &part);
        setDirections(&directions, columns, &part);
        if ((part.index == SD_PART_INSIDE) | !(part.squared < squared) |
            (part.squared <= stopBelow * stopBelow)) {
            output->iterations = iterations;
            output->isProved = false;
            output->isInside = part.index == SD_PART_INSIDE && !part.isFlat;
            output->hasFurthest = false;
            if (output->isInside && output->verdictAbove < DBL_MAX) {
                return;
            }
            const double last[3] = {x[0], y[0], z[0]};
            int count = setPoints(pair, &lanes, ids, sdPartMasks[part.index], simplex);
            setPoint(pair, newest, last, &simplex->points[count]);
            simplex->count = count + 1;
            return;
        }
        sdSimplexLanes_Replace(&lanes, part.index, x, y, z);
        ids[sdPartPlaces[part.index][0]] = newest;
        ids[sdPartPlaces[part.index][1]] = newest;
        squared = part.squared;
        sdF8 ax = pick(directions.a[0], part.least), bx = pick(directions.b[0], part.least);
        sdF8 ay = pick(directions.a[1], part.least), by = pick(directions.b[1], part.least);
        sdF8 az = pick(directions.a[2], part.least), bz = pick(directions.b[2], part.least);
        iterations += 1;
        if (isRough) {
            int a = sdConvex_LookUp(&pair->a, ax[0], ay[0], az[0]);
            int b = sdConvex_LookUp(&pair->b, bx[0], by[0], bz[0]);
            sdD4 w = vertexOf(&pair->a, a) - toA(pair, b);
            vw = sdDotD(sdSimplexPart_V(&part), sdV3d(w[0], w[1], w[2]));
            isRough = squared - vw > LEAST_GAIN * squared;
            if (isRough) {
                newest = idsOf(a, b);
                x = splat(w, 0);
                y = splat(w, 1);
                z = splat(w, 2);
                // what is proved by such points is proved in the end, too
                isProved = false;
                isEnd = false;
                continue;
            }
        }
        int a = furthestOf(&pair->a, search, ax, ay, az);
        int b = furthestOf(&pair->b, search, bx, by, bz);
        sdD4 w = vertexOf(&pair->a, a) - toA(pair, b);
        x = splat(w, 0);
        y = splat(w, 1);
        z = splat(w, 2);
        vw = sdDotD(sdSimplexPart_V(&part), sdV3d(w[0], w[1], w[2]));
        isProved =
            (squared - vw <= SD_GJK_RELATIVE_GAP * squared) | sdGjk_IsBeyond(vw, squared, limit);
        newest = idsOf(a, b);
        bool isAmong = (ids[0] == newest) | (ids[1] == newest) | (ids[2] == newest);
        isEnd = isProved | isAmong;
    } while (!isEnd & (iterations < SD_GJK_QUICK_ITERATIONS));
    if (!isProved || squared <= output->verdictAbove) {
        setSimplex(pair, &lanes, ids, &part, simplex);
    }
    output->iterations = iterations;
    output->v = sdSimplexPart_V(&part);
    output->squared = squared;
    output->vw = vw;
    output->isProved = isProved;
    output->isInside = false;
    output->hasFurthest = !isProved;
    if (!isProved) {
        const double last[3] = {x[0], y[0], z[0]};
        setPoint(pair, newest, last, &output->furthest);
    }
}

SD_INLINE void approach(const sdConvexPair* pair, Search search, const sdVec3d* start,
                        double stopAbove, double stopBelow, double squared, sdSimplex* simplex,
                        sdGjkApproach* output) {
    sdF8 columns[3][3];
    Points at;
    double limit = stopAbove + pair->supportError;
    setColumns(columns, pair);
    if (start == NULL) {
        loadPoints(&at, simplex);
    } else if (search == SEARCH_ROUGHLY) {
        lookBeside(&at, pair, *start, simplex);
    } else if (findPoints(&at, pair, search, (const sdF8(*)[3])columns, limit, *start, simplex,
                          output)) {
        output->isInside = false;
        output->hasFurthest = false;
        output->iterations = 1;
        return;
    }
    goOn(&at, pair, search, (const sdF8(*)[3])columns, limit, stopBelow, squared, simplex, output);
}

// Each out of the way of the others.

SD_NOINLINE void approachRoughly(const sdConvexPair* pair, const sdVec3d* start, double stopAbove,
                                 double stopBelow, double squared, sdSimplex* simplex,
                                 sdGjkApproach* output) {
    approach(pair, SEARCH_ROUGHLY, start, stopAbove, stopBelow, squared, simplex, output);
}

SD_NOINLINE void approachByAll(const sdConvexPair* pair, const sdVec3d* start, double stopAbove,
                               double stopBelow, double squared, sdSimplex* simplex,
                               sdGjkApproach* output) {
    approach(pair, SEARCH_ALL, start, stopAbove, stopBelow, squared, simplex, output);
}

void SD_KERNEL(sdGjk_ApproachScanned)(const sdConvexPair* pair, const sdVec3d* start,
                                      double stopAbove, double stopBelow, double squared,
                                      sdSimplex* simplex, sdGjkApproach* output) {
    if (pair->a.count <= SD_SCAN_AT_ONCE && pair->b.count <= SD_SCAN_AT_ONCE) {
        approach(pair, SEARCH_SMALL, start, stopAbove, stopBelow, squared, simplex, output);
    } else if (start != NULL && sdConvexPair_HasCells(pair)) {
        approachRoughly(pair, start, stopAbove, stopBelow, squared, simplex, output);
    } else {
        approachByAll(pair, start, stopAbove, stopBelow, squared, simplex, output);
    }
}

void SD_KERNEL(sdGjk_ApproachFour)(const sdConvexPair* pair, const int start[4][2],
                                   sdSimplex* simplex, sdGjkApproach* output) {
    sdF8 columns[3][3];
    Points at;
    setColumns(columns, pair);
    setFour(&at, pair, start);
    goOn(&at, pair, SEARCH_SMALL, (const sdF8(*)[3])columns, pair->supportError, 0.0, DBL_MAX,
         simplex, output);
}
