// SPDX-License-Identifier: MIT
// gjk_kernel.c - the GJK loop: the point of A - B that is nearest to the origin.
//
// In:   a pair of convex cores, a first direction or a remembered simplex.
// Out:  nearest point, simplex with weights, a proved lower bound of the distance, status.
// Ref:  Gilbert, Johnson, Keerthi 1988; van den Bergen, "A fast and robust GJK implementation",
//       1999; the nearest point of a simplex by Voronoi regions as in Ericson, "Real-time collision
//       detection", 2005, §5.1, §9.5. S0 §6.3 (with its support of the difference corrected).
// Note: in double throughout, which costs little in scalar code and removes the failures that GJK
//       is known for. Never allocates.

#include "narrow/gjk_lanes.h"

/// Cores nearer than this fraction of their size touch.
#define TOUCH 1e-9
/// Volume below which four points count as flat, relative to the product of edge and face area.
#define FLAT 1e-12

/// Squared sine of the angle between directions that have the same support point, but for less than
/// scanning in single precision costs anyway.
#define SAME_DIRECTION 1e-18

/// Nearest point of a simplex to the origin: which points carry it, with what weights.
typedef struct Nearest {
    double weights[4]; ///< of the points in the mask
    int mask;          ///< bit i: point i takes part
    double squared;    ///< |v|²
    sdVec3d v;
} Nearest;

SD_INLINE void setVertex(Nearest* r, const sdVec3d* w, int i) {
    r->mask = 1 << i;
    r->weights[i] = 1.0;
    r->v = w[i];
    r->squared = sdDotD(w[i], w[i]);
}

SD_INLINE void setEdge(Nearest* r, const sdVec3d* w, int i, int j, double t) {
    r->mask = (1 << i) | (1 << j);
    r->weights[i] = 1.0 - t;
    r->weights[j] = t;
    r->v = sdMulAddD(w[i], t, sdSubD(w[j], w[i]));
    r->squared = sdDotD(r->v, r->v);
}

static void onSegment(Nearest* r, const sdVec3d* w, int i, int j) {
    sdVec3d edge = sdSubD(w[j], w[i]);
    double along = -sdDotD(w[i], edge);
    double length = sdDotD(edge, edge);
    if (along <= 0.0) {
        setVertex(r, w, i);
    } else if (along >= length) {
        setVertex(r, w, j);
    } else {
        setEdge(r, w, i, j, along / length);
    }
}

/// The corners and edges of a triangle whose inside is not nearest.
/// @param wj weight of w[j], of which the sign counts; not all three are positive
static void onTriangleRim(Nearest* r, const sdVec3d* w, int i, int j, int k, double wj, double wk) {
    sdVec3d ab = sdSubD(w[j], w[i]), ac = sdSubD(w[k], w[i]);
    double d1 = -sdDotD(ab, w[i]), d2 = -sdDotD(ac, w[i]);
    double d3 = -sdDotD(ab, w[j]), d4 = -sdDotD(ac, w[j]);
    double d5 = -sdDotD(ab, w[k]), d6 = -sdDotD(ac, w[k]);
    if (d1 <= 0.0 && d2 <= 0.0) {
        setVertex(r, w, i);
    } else if (d3 >= 0.0 && d4 <= d3) {
        setVertex(r, w, j);
    } else if (d6 >= 0.0 && d5 <= d6) {
        setVertex(r, w, k);
    } else if (wk <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
        setEdge(r, w, i, j, d1 / (d1 - d3));
    } else if (wj <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
        setEdge(r, w, i, k, d2 / (d2 - d6));
    } else {
        onSegment(r, w, j, k);
    }
}

/// The seven Voronoi regions of a triangle, with the origin as the point.
static void onTriangle(Nearest* r, const sdVec3d* w, int i, int j, int k) {
    sdVec3d n = sdCrossD(sdSubD(w[j], w[i]), sdSubD(w[k], w[i]));
    double wi = sdDotD(n, sdCrossD(w[j], w[k]));
    double wj = sdDotD(n, sdCrossD(w[k], w[i]));
    double wk = sdDotD(n, sdCrossD(w[i], w[j]));
    // the inside of the face is the commonest, and its three signs are found without a branch
    if (!((wi > 0.0) & (wj > 0.0) & (wk > 0.0))) {
        onTriangleRim(r, w, i, j, k, wj, wk);
        return;
    }
    double s = 1.0 / (wi + wj + wk);
    r->mask = (1 << i) | (1 << j) | (1 << k);
    r->weights[i] = wi * s;
    r->weights[j] = wj * s;
    r->weights[k] = wk * s;
    // along the normal, not by the weights: those of thin triangles lose its direction
    r->v = sdScaleD(sdDotD(n, w[i]) / sdDotD(n, n), n);
    r->squared = sdDotD(r->v, r->v);
}

/// The origin is not on the inner side of the face (i j k), between it and the fourth point. Its
/// height over the face is a share of the fourth point's when it is inside of all faces; when four
/// points lie so close together that the sign of their volume is rounding, it is many times that.
static bool isOutside(const sdVec3d* w, int i, int j, int k, int fourth) {
    sdVec3d n = sdCrossD(sdSubD(w[j], w[i]), sdSubD(w[k], w[i]));
    sdVec3d toFourth = sdSubD(w[fourth], w[i]);
    double height = sdDotD(n, toFourth);
    double origin = -sdDotD(n, w[i]);
    bool isFlat = height * height <= FLAT * FLAT * sdDotD(n, n) * sdDotD(toFourth, toFourth);
    return isFlat || origin * height < 0.0 || fabs(origin) > fabs(height);
}

static void onTetrahedron(Nearest* r, const sdVec3d* w) {
    // point 3 is the newest and lies towards the origin from the other three, so the origin cannot
    // be behind their face
    static const int faces[3][4] = {{0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
    r->mask = 15;
    r->squared = 0.0;
    r->v = sdV3d(0.0, 0.0, 0.0);
    for (int f = 0; f < 3; ++f) {
        const int* face = faces[f];
        if (isOutside(w, face[0], face[1], face[2], face[3])) {
            Nearest other;
            onTriangle(&other, w, face[0], face[1], face[2]);
            if (r->mask == 15 || other.squared < r->squared) {
                *r = other;
            }
        }
    }
}

static void findNearest(Nearest* r, const sdSimplex* simplex) {
    sdVec3d w[4];
    for (int i = 0; i < simplex->count; ++i) {
        w[i] = simplex->points[i].w;
    }
    switch (simplex->count) {
        case 1:
            setVertex(r, w, 0);
            break;
        case 2:
            onSegment(r, w, 0, 1);
            break;
        case 3:
            onTriangle(r, w, 0, 1, 2);
            break;
        default:
            onTetrahedron(r, w);
    }
}

/// Drop the points that do not carry the nearest one.
SD_INLINE void reduce(sdSimplex* simplex, const Nearest* nearest) {
    int count = 0;
    for (int i = 0; i < simplex->count; ++i) {
        if (((nearest->mask >> i) & 1) != 0) {
            if (count != i) {
                simplex->points[count] = simplex->points[i];
            }
            simplex->weights[count] = nearest->weights[i];
            count += 1;
        }
    }
    simplex->count = count;
}

static bool contains(const sdSimplex* simplex, const sdMinkowskiPoint* point) {
    for (int i = 0; i < simplex->count; ++i) {
        const sdVec3d* w = &simplex->points[i].w;
        if (w->x == point->w.x && w->y == point->w.y && w->z == point->w.z) {
            return true;
        }
    }
    return false;
}

// ---- the quick way there -------------------------------------------------------------------
// What comes out is a better simplex for the careful loop below, nothing else.

static void setLanes(sdSimplexLanes* lanes, sdMinkowskiPoint points[3], const sdSimplex* simplex) {
    const sdMinkowskiPoint *p = simplex->points, *q = p + (simplex->count > 1 ? 1 : 0);
    const sdMinkowskiPoint* r = p + (simplex->count > 2 ? 2 : 0);
    points[0] = *p;
    points[1] = *q;
    points[2] = *r;
    lanes->x = (sdD4){p->w.x, q->w.x, r->w.x, p->w.x};
    lanes->y = (sdD4){p->w.y, q->w.y, r->w.y, p->w.y};
    lanes->z = (sdD4){p->w.z, q->w.z, r->w.z, p->w.z};
}

SD_INLINE bool isAmong(const sdSimplexLanes* lanes, sdVec3d w) {
    sdD4 x = lanes->x - sdD4_Splat(w.x), y = lanes->y - sdD4_Splat(w.y);
    sdD4 z = lanes->z - sdD4_Splat(w.z);
    int other = sdL4_MaskBits(sdD4_Less(sdD4_Splat(0.0), x * x + y * y + z * z));
    return (other & 7) != 7;
}

/// The points that carry the part, and the newest one at its place.
static void setSimplex(const sdMinkowskiPoint points[3], const sdSimplexPart* part,
                       sdSimplex* simplex) {
    unsigned mask = sdPartMasks[part->index];
    int place = sdPartPlaces[part->index][0], next = (part->index + 1) % SD_LANES_D % 3;
    double weights[3], weight = sdSimplexPart_Get(part, 3), weightNext = sdSimplexPart_Get(part, 4);
    weights[next] = weightNext;
    weights[part->index % SD_LANES_D % 3] = weight;
    weights[place] = 1.0 - weight - weightNext;
    mask |= 1u << place;
    simplex->count = 0;
    for (int i = 0; i < 3; ++i) {
        simplex->points[simplex->count] = points[i];
        simplex->weights[simplex->count] = weights[i];
        simplex->count += (int)(mask >> i) & 1;
    }
}

/// Go on from a simplex of up to three points and the point after them.
/// @param squared |v|² so far
static void approach(const sdConvexPair* pair, double stopAbove, double stopBelow, double squared,
                     sdSimplex* simplex, sdGjkApproach* output) {
    if (sdConvex_IsScanned(&pair->a) && sdConvex_IsScanned(&pair->b)) {
        SD_KERNEL(sdGjk_ApproachScanned)
        (pair, NULL, stopAbove, stopBelow, squared, simplex, output);
        return;
    }
    sdSimplexLanes lanes;
    sdSimplexPart part;
    sdMinkowskiPoint points[3], newest = simplex->points[simplex->count];
    double limit = stopAbove + pair->supportError, vw;
    bool isProved, isEnd;
    sdVec3d v;
    setLanes(&lanes, points, simplex);
    output->iterations = 0;
    do {
        sdD4 x = sdD4_Splat(newest.w.x), y = sdD4_Splat(newest.w.y), z = sdD4_Splat(newest.w.z);
        sdSimplexLanes_FindPart(&lanes, x, y, z, &part);
        if ((part.index == SD_PART_INSIDE) | !(part.squared < squared) |
            (part.squared <= stopBelow * stopBelow)) {
            int count = 0;
            for (int i = 0; i < 3; ++i) {
                simplex->points[count] = points[i];
                count += (sdPartMasks[part.index] >> i) & 1;
            }
            simplex->points[count] = newest;
            simplex->count = count + 1;
            output->isProved = false;
            output->isInside = part.index == SD_PART_INSIDE && !part.isFlat;
            output->hasFurthest = false;
            return;
        }
        sdSimplexLanes_Replace(&lanes, part.index, x, y, z);
        points[sdPartPlaces[part.index][0]] = newest;
        points[sdPartPlaces[part.index][1]] = newest;
        squared = part.squared;
        v = sdSimplexPart_V(&part);
        newest = sdConvexPair_Support(pair, sdScaleD(-1.0, v));
        vw = sdDotD(v, newest.w);
        isProved =
            (squared - vw <= SD_GJK_RELATIVE_GAP * squared) | sdGjk_IsBeyond(vw, squared, limit);
        isEnd = isProved | isAmong(&lanes, newest.w);
        output->iterations += 1;
    } while (!isEnd & (output->iterations < SD_GJK_QUICK_ITERATIONS));
    setSimplex(points, &part, simplex);
    output->v = v;
    output->squared = squared;
    output->vw = vw;
    output->furthest = newest;
    output->isProved = isProved;
    output->isInside = false;
    output->hasFurthest = true;
}

// ---- the careful loop ----------------------------------------------------------------------

/// The support point of almost the same direction will do.
SD_INLINE bool isKnown(const sdGjkApproach* known, const Nearest* nearest) {
    sdVec3d off = sdSubD(known->v, nearest->v);
    return known->hasFurthest & (sdDotD(off, off) <= SAME_DIRECTION * nearest->squared);
}

static void setOutput(const sdConvexPair* pair, sdVec3d v, double squared, double vw,
                      int iterations, sdGjkOutput* output) {
    double distance = sqrt(squared);
    double bound = distance > 0.0 ? vw / distance - pair->supportError : 0.0;
    output->v = v;
    output->distance = output->isOverlapping ? 0.0 : distance;
    output->lowerBound = output->isOverlapping || bound < 0.0 ? 0.0 : bound;
    output->iterations = iterations;
    output->status = SD_STATUS_TOLERANCE;
}

/// There is nothing left to be careful about.
static bool isEnough(const sdConvexPair* pair, const sdGjkApproach* quick) {
    double touch = TOUCH * pair->scale;
    return quick->isInside || (quick->isProved && quick->squared > touch * touch);
}

static void setQuick(const sdConvexPair* pair, const sdGjkApproach* quick, int iterations,
                     sdGjkOutput* output) {
    output->isOverlapping = quick->isInside;
    if (quick->isInside) {
        setOutput(pair, sdV3d(0.0, 0.0, 0.0), 0.0, 0.0, iterations, output);
    } else {
        setOutput(pair, quick->v, quick->squared, quick->vw, iterations, output);
    }
}

/// From a simplex that is not empty.
/// @param stopBelow stop as soon as the distance is proved to be not greater
static void iterate(const sdConvexPair* pair, double stopAbove, double stopBelow,
                    const sdGjkApproach* known, sdGjkOutput* output) {
    sdSimplex* simplex = &output->simplex;
    sdGjkApproach quick = *known;
    Nearest nearest;
    findNearest(&nearest, simplex);
    reduce(simplex, &nearest);

    double touch = TOUCH * pair->scale;
    double vw = 0.0;
    output->isOverlapping = false;
    int iteration = 0;
    for (; iteration < SD_GJK_MAX_ITERATIONS; ++iteration) {
        if (simplex->count == 4 || nearest.squared <= touch * touch) {
            output->isOverlapping = true;
            break;
        }
        if (nearest.squared <= stopBelow * stopBelow) {
            break;
        }
        sdMinkowskiPoint* newest = &simplex->points[simplex->count];
        if (isKnown(&quick, &nearest)) {
            *newest = quick.furthest;
        } else {
            *newest = sdConvexPair_Support(pair, sdScaleD(-1.0, nearest.v));
        }

        // |v|·distance >= v·w for every support point w
        vw = sdDotD(nearest.v, newest->w);
        bool isConverged = nearest.squared - vw <= SD_GJK_RELATIVE_GAP * nearest.squared;
        if (isConverged || sdGjk_IsBeyond(vw, nearest.squared, stopAbove + pair->supportError) ||
            contains(simplex, newest)) {
            break;
        }
        if (quick.iterations == 0) {
            approach(pair, stopAbove, stopBelow, nearest.squared, simplex, &quick);
            if (isEnough(pair, &quick)) {
                setQuick(pair, &quick, iteration + quick.iterations + 1, output);
                return;
            }
            iteration += quick.iterations - (quick.hasFurthest ? 1 : 0);
            findNearest(&nearest, simplex);
            reduce(simplex, &nearest);
            continue;
        }
        simplex->count += 1;
        Nearest next;
        findNearest(&next, simplex);
        // where rounding leaves nothing to gain, what there is, is the answer
        if (!(next.squared < nearest.squared) && next.mask != 15) {
            simplex->count -= 1;
            break;
        }
        reduce(simplex, &next);
        nearest = next;
        quick.hasFurthest = false;
    }
    setOutput(pair, nearest.v, nearest.squared, vw, iteration + 1, output);
    output->status = iteration < SD_GJK_MAX_ITERATIONS ? SD_STATUS_TOLERANCE : SD_STATUS_LIMIT;
}

static const sdGjkApproach none = {.verdictAbove = DBL_MAX};

/// Support points beside the first one. For smooth bodies one will do, right where that is.
static void startBeside(const sdConvexPair* pair, sdVec3d start, sdSimplex* simplex) {
    sdMinkowskiPoint* p = simplex->points;
    bool isSmooth = p->indexA < 0 || p->indexB < 0;
    sdVec3d beside = isSmooth ? sdScaleD(-1.0, p->w) : sdGjk_LookBeside(pair, start, p->w);
    simplex->count = 1;
    if (!isSmooth && !sdGjk_IsParted(start, p->w)) {
        sdVec3d side = sdGjk_ToTheSide(start, p->w, beside);
        p[1] = sdConvexPair_Support(pair, sdAddD(beside, side));
        p[2] = sdConvexPair_Support(pair, sdSubD(beside, side));
        simplex->count = 3;
    }
    p[simplex->count] = sdConvexPair_Support(pair, beside);
}

/// From one support point.
/// @param start its direction
/// @param isVerdict nobody will ask for the simplex
static void run(const sdConvexPair* pair, sdVec3d start, double stopAbove, double stopBelow,
                bool isVerdict, sdGjkOutput* output) {
    sdGjkApproach quick;
    double touch = TOUCH * pair->scale;
    // what touches goes to the careful loop
    quick.verdictAbove = isVerdict ? touch * touch : DBL_MAX;
    if (sdConvex_IsScanned(&pair->a) && sdConvex_IsScanned(&pair->b)) {
        SD_KERNEL(sdGjk_ApproachScanned)
        (pair, &start, stopAbove, stopBelow, DBL_MAX, &output->simplex, &quick);
    } else {
        startBeside(pair, start, &output->simplex);
        approach(pair, stopAbove, stopBelow, DBL_MAX, &output->simplex, &quick);
    }
    if (isEnough(pair, &quick)) {
        setQuick(pair, &quick, quick.iterations + 1, output);
        return;
    }
    iterate(pair, stopAbove, stopBelow, &quick, output);
    output->iterations += quick.iterations;
}

/// Point of A - B by vertices of both.
static sdMinkowskiPoint pointOf(const sdConvexPair* pair, const int at[2]) {
    const sdConvex *a = &pair->a, *b = &pair->b;
    int i = at[0], j = at[1];
    sdVec3d onA = sdV3d((double)a->x[i], (double)a->y[i], (double)a->z[i]);
    sdVec3d onB = sdV3d((double)b->x[j], (double)b->y[j], (double)b->z[j]);
    return (sdMinkowskiPoint){sdSubD(onA, sdConvexPair_ToA(pair, onB)), onA, i, j};
}

/// Of bodies that nothing is known of: a point of A - B that is about the furthest will do, where
/// it can be looked up.
SD_INLINE sdMinkowskiPoint firstPoint(const sdConvexPair* pair, sdVec3d d) {
    if (!sdConvexPair_HasCells(pair)) {
        return sdConvexPair_Support(pair, d);
    }
    sdVec3d inB = sdV3d(-sdDotD(d, pair->columns[0]), -sdDotD(d, pair->columns[1]),
                        -sdDotD(d, pair->columns[2]));
    int at[2] = {sdConvex_LookUp(&pair->a, (float)d.x, (float)d.y, (float)d.z),
                 sdConvex_LookUp(&pair->b, (float)inB.x, (float)inB.y, (float)inB.z)};
    return pointOf(pair, at);
}

void SD_KERNEL(sdGjk_Run)(const sdConvexPair* pair, const sdVec3d* start, double stopAbove,
                          const sdVec3d* middle, double inner, sdGjkOutput* output) {
    sdSimplex* simplex = &output->simplex;
    if (simplex->count > 1) {
        iterate(pair, stopAbove, 0.0, &none, output);
        return;
    }
    if (simplex->count == 0) {
        simplex->points[0] = firstPoint(pair, *start);
    }
    if (inner > 0.0 && !sdGjk_IsParted(*start, simplex->points[0].w) &&
        sdGjk_UseCone(pair, middle, inner, simplex)) {
        output->isOverlapping = true;
        setOutput(pair, sdV3d(0.0, 0.0, 0.0), 0.0, 0.0, 1, output);
        return;
    }
    run(pair, *start, stopAbove, 0.0, false, output);
}

bool SD_KERNEL(sdGjk_RunApart)(const sdConvexPair* pair, const sdVec3d* axis, double limit,
                               sdGjkOutput* output) {
    sdMinkowskiPoint point = sdConvexPair_Support(pair, *axis);
    double squared = sdDotD(*axis, *axis), vw = -sdDotD(*axis, point.w);
    if (!sdGjk_IsBeyond(vw, squared, limit + pair->supportError)) {
        return false;
    }
    double distance = vw / sqrt(squared) - pair->supportError;
    output->simplex.points[0] = point;
    output->simplex.weights[0] = 1.0;
    output->simplex.count = 1;
    output->v = sdScaleD(-distance / sqrt(squared), *axis);
    output->distance = distance;
    output->lowerBound = distance;
    output->isOverlapping = false;
    output->status = SD_STATUS_TOLERANCE;
    output->iterations = 1;
    return true;
}

bool SD_KERNEL(sdGjk_RunFour)(const sdConvexPair* pair, const int start[4][2],
                              sdGjkOutput* output) {
    double touch = TOUCH * pair->scale;
    sdGjkApproach quick;
    quick.verdictAbove = touch * touch;
    SD_KERNEL(sdGjk_ApproachFour)(pair, start, &output->simplex, &quick);
    if (isEnough(pair, &quick)) {
        setQuick(pair, &quick, quick.iterations + 1, output);
    } else {
        iterate(pair, 0.0, 0.0, &quick, output);
        output->iterations += quick.iterations;
    }
    return output->isOverlapping;
}

bool SD_KERNEL(sdGjk_RunOverlap)(const sdConvexPair* pair, const sdVec3d* axis,
                                 const int nearest[2], const sdVec3d* middle, double inner,
                                 bool isVerdict, sdGjkOutput* output) {
    sdSimplex* simplex = &output->simplex;
    double radii = (double)pair->a.radius + (double)pair->b.radius;
    bool isAsked = nearest[0] != SD_NULL_INDEX;
    sdMinkowskiPoint point = isAsked ? pointOf(pair, nearest) : sdConvexPair_Support(pair, *axis);
    output->status = SD_STATUS_TOLERANCE;
    output->iterations = 1;
    if (!isAsked &&
        sdGjk_IsBeyond(-sdDotD(*axis, point.w), sdDotD(*axis, *axis), radii + pair->supportError)) {
        output->v = sdScaleD(-1.0, *axis);
        return false;
    }
    if (sdGjk_IsInCone(*middle, inner, point.w)) {
        output->v = sdV3d(0.0, 0.0, 0.0);
        return true;
    }
    if (simplex->count > 0) {
        iterate(pair, radii, radii, &none, output);
    } else {
        simplex->points[0] = point;
        run(pair, *axis, radii, radii, isVerdict, output);
    }
    output->iterations += 1;
    return output->isOverlapping || output->distance <= radii;
}
