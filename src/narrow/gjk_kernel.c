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

#include "narrow/gjk.h"

/// The gap between |v|² and its bound, relative to |v|², at which v counts as converged: the
/// direction is then right to about 1e-5.
#define RELATIVE_GAP 1e-10
/// Cores nearer than this fraction of their size touch.
#define TOUCH 1e-9
/// Volume below which four points count as flat, relative to the product of edge and face area.
#define FLAT 1e-12
/// The same where the careful loop is asked: far from rounding.
#define NEARLY_FLAT 1e-6

/// Points that are added without care before the careful loop looks at what has come out.
#define QUICK_ITERATIONS 32
/// Squared sine of the angle between directions that have the same support point, but for less than
/// scanning in single precision costs anyway.
#define SAME_DIRECTION 1e-18

/// Tangent of the angle between the first direction and those around it; measured.
#define AROUND 0.5
/// How much of the first direction stays in the second, when the first has shown a gap; measured.
#define STEADY 1.25

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

/// v·w / |v| - error > limit, without a root. The limit is not negative.
SD_INLINE bool isBeyond(double vw, double squared, double limit) {
    return vw > 0.0 && vw * vw > limit * limit * squared;
}

// ---- the quick way there -------------------------------------------------------------------
// Which part of the simplex is nearest is chance, and a branch gone wrong costs as much as finding
// all parts. So edges and faces at the newest point are looked at together, one in each lane. What
// comes out is a better simplex for the careful loop below, nothing else.

/// Up to three points in lanes; those that are missing repeat another one. Lane i of column k holds
/// point i + k.
typedef struct Lanes {
    sdD4 x0, y0, z0, x1, y1, z1, x2, y2, z2;
    sdMinkowskiPoint points[3];
} Lanes;

/// Which part is nearest: 0 .. 2: the edge from the newest point to point i; 3: the newest point;
/// 4 .. 6: the face with points i and i + 1; 7: the inside of all four points.
typedef struct Part {
    int index;
    sdVec3d v;
    double squared;
    double weight, weightNext; ///< of point i, and of the one after it on a face
    bool isFlat;               ///< all four points are so near to a plane that inside is not sure
} Part;

#define PART_INSIDE 7

/// Bit i: point i carries the part.
static const uint8_t partMasks[8] = {1, 2, 4, 0, 3, 6, 5, 7};

/// Places of points that do not carry the part.
static const uint8_t partPlaces[7][2] = {{1, 2}, {0, 2}, {0, 1}, {0, 1}, {2, 2}, {0, 0}, {1, 1}};

#define ON (-1LL)
/// Lanes of the points that carry a part, which is not the inside, in columns 0 .. 2.
static const int64_t partLanes[7][3][4] = {
    {{ON, 0, 0, 0}, {0, 0, ON, 0}, {0, ON, 0, 0}},
    {{0, ON, 0, 0}, {ON, 0, 0, 0}, {0, 0, ON, 0}},
    {{0, 0, ON, 0}, {0, ON, 0, 0}, {ON, 0, 0, 0}},
    {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}},
    {{ON, ON, 0, 0}, {ON, 0, ON, 0}, {0, ON, ON, 0}},
    {{0, ON, ON, 0}, {ON, ON, 0, 0}, {ON, 0, ON, 0}},
    {{ON, 0, ON, 0}, {0, ON, ON, 0}, {ON, ON, 0, 0}},
};

SD_INLINE sdL4 loadLanes(const int64_t* p) {
    sdL4 r;
    memcpy(&r, p, sizeof r);
    return r;
}

/// Put the newest point in the place of those that do not carry the part.
SD_INLINE void replaceOthers(Lanes* lanes, int part, const sdMinkowskiPoint* newest) {
    sdD4 x = sdD4_Splat(newest->w.x), y = sdD4_Splat(newest->w.y), z = sdD4_Splat(newest->w.z);
    sdL4 kept0 = loadLanes(partLanes[part][0]), kept1 = loadLanes(partLanes[part][1]);
    sdL4 kept2 = loadLanes(partLanes[part][2]);
    lanes->x0 = sdD4_Select(kept0, lanes->x0, x);
    lanes->y0 = sdD4_Select(kept0, lanes->y0, y);
    lanes->z0 = sdD4_Select(kept0, lanes->z0, z);
    lanes->x1 = sdD4_Select(kept1, lanes->x1, x);
    lanes->y1 = sdD4_Select(kept1, lanes->y1, y);
    lanes->z1 = sdD4_Select(kept1, lanes->z1, z);
    lanes->x2 = sdD4_Select(kept2, lanes->x2, x);
    lanes->y2 = sdD4_Select(kept2, lanes->y2, y);
    lanes->z2 = sdD4_Select(kept2, lanes->z2, z);
    // every place from which a later part may take it: of equal lanes the lowest counts
    lanes->points[partPlaces[part][0]] = *newest;
    lanes->points[partPlaces[part][1]] = *newest;
}

/// The part of the simplex, among those at the newest point d, that is nearest to the origin.
SD_INLINE void findPart(const Lanes* lanes, sdVec3d d, Part* part) {
    const sdD4 dx = sdD4_Splat(d.x), dy = sdD4_Splat(d.y), dz = sdD4_Splat(d.z);
    const sdD4 zero = sdD4_Splat(0.0), one = sdD4_Splat(1.0), far = sdD4_Splat(DBL_MAX);
    // edges from d to a point, to the next, and to the one after
    sdD4 ex = lanes->x0 - dx, ey = lanes->y0 - dy, ez = lanes->z0 - dz;
    sdD4 fx = lanes->x1 - dx, fy = lanes->y1 - dy, fz = lanes->z1 - dz;
    sdD4 gx = lanes->x2 - dx, gy = lanes->y2 - dy, gz = lanes->z2 - dz;
    sdD4 nx = ey * fz - ez * fy, ny = ez * fx - ex * fz, nz = ex * fy - ey * fx;
    // e x d and f x d
    sdD4 cx = ey * dz - ez * dy, cy = ez * dx - ex * dz, cz = ex * dy - ey * dx;
    sdD4 hx = fy * dz - fz * dy, hy = fz * dx - fx * dz, hz = fx * dy - fy * dx;

    sdD4 ee = ex * ex + ey * ey + ez * ez, along = -(ex * dx + ey * dy + ez * dz);
    sdD4 inverseE = one / ee, t = along * inverseE;
    sdD4 edge = (cx * cx + cy * cy + cz * cz) * inverseE;
    sdL4 isOnEdge = sdD4_Less(zero, along) & sdD4_Less(along, ee);

    sdD4 nn = nx * nx + ny * ny + nz * nz, nd = nx * dx + ny * dy + nz * dz;
    sdD4 share = nx * hx + ny * hy + nz * hz, shareNext = -(nx * cx + ny * cy + nz * cz);
    sdD4 inverseF = one / nn, s = nd * inverseF;
    sdL4 isOnFace =
        sdD4_Less(zero, share) & sdD4_Less(zero, shareNext) & sdD4_Less(share + shareNext, nn);

    // inside when the fourth corners' shares of the volume are positive and leave some
    double volume = nx[0] * gx[0] + ny[0] * gy[0] + nz[0] * gz[0];
    sdD4 shares = nd * sdD4_Splat(-volume);
    int isPositive = sdL4_MaskBits(sdD4_Less(zero, shares)) & 7;
    bool isInside = (isPositive == 7) & (shares[0] + shares[1] + shares[2] < volume * volume);

    double gg = gx[0] * gx[0] + gy[0] * gy[0] + gz[0] * gz[0];
    part->isFlat = !(volume * volume > NEARLY_FLAT * NEARLY_FLAT * nn[0] * gg);

    const sdL4 last = {0, 0, 0, ON};
    sdD4 squaredE = sdD4_Select(last, sdD4_Splat(sdDotD(d, d)), sdD4_Select(isOnEdge, edge, far));
    sdD4 squaredF = sdD4_Select(last, far, sdD4_Select(isOnFace, nd * s, far));
    t = sdD4_Select(last, zero, t);
    const sdD4 v[2][5] = {{dx + t * ex, dy + t * ey, dz + t * ez, t, zero},
                          {s * nx, s * ny, s * nz, share * inverseF, shareNext * inverseF}};
    part->squared = sdD4_ReduceMin(sdD4_Min(squaredE, squaredF));
    const sdD4 least = sdD4_Splat(part->squared);
    int more = sdL4_MaskBits(sdD4_Less(least, squaredE)) | sdL4_MaskBits(sdD4_Less(least, squaredF))
                                                               << SD_LANES_D;
    int index = __builtin_ctz(~(unsigned)more) & PART_INSIDE;
    int set = index / SD_LANES_D, lane = index % SD_LANES_D;
    part->v = sdV3d(v[set][0][lane], v[set][1][lane], v[set][2][lane]);
    part->weight = v[set][3][lane];
    part->weightNext = v[set][4][lane];
    part->index = isInside ? PART_INSIDE : index;
}
#undef ON

/// What the quick way has found beside the simplex.
typedef struct Approach {
    sdMinkowskiPoint furthest; ///< along -v
    sdVec3d v;
    double squared; ///< |v|²
    double vw;      ///< v · furthest
    bool isProved;  ///< the furthest point proves that v is the nearest, or far enough
    bool isInside;  ///< the simplex contains the origin
    bool hasFurthest;
    int iterations;
} Approach;

static void setLanes(Lanes* lanes, const sdSimplex* simplex) {
    const sdMinkowskiPoint *p = simplex->points, *q = p + (simplex->count > 1 ? 1 : 0);
    const sdMinkowskiPoint* r = p + (simplex->count > 2 ? 2 : 0);
    lanes->points[0] = *p;
    lanes->points[1] = *q;
    lanes->points[2] = *r;
    lanes->x0 = (sdD4){p->w.x, q->w.x, r->w.x, p->w.x};
    lanes->y0 = (sdD4){p->w.y, q->w.y, r->w.y, p->w.y};
    lanes->z0 = (sdD4){p->w.z, q->w.z, r->w.z, p->w.z};
    lanes->x1 = (sdD4){q->w.x, r->w.x, p->w.x, p->w.x};
    lanes->y1 = (sdD4){q->w.y, r->w.y, p->w.y, p->w.y};
    lanes->z1 = (sdD4){q->w.z, r->w.z, p->w.z, p->w.z};
    lanes->x2 = (sdD4){r->w.x, p->w.x, q->w.x, p->w.x};
    lanes->y2 = (sdD4){r->w.y, p->w.y, q->w.y, p->w.y};
    lanes->z2 = (sdD4){r->w.z, p->w.z, q->w.z, p->w.z};
}

SD_INLINE bool isAmong(const Lanes* lanes, sdVec3d w) {
    sdD4 x = lanes->x0 - sdD4_Splat(w.x), y = lanes->y0 - sdD4_Splat(w.y);
    sdD4 z = lanes->z0 - sdD4_Splat(w.z);
    int other = sdL4_MaskBits(sdD4_Less(sdD4_Splat(0.0), x * x + y * y + z * z));
    return (other & 7) != 7;
}

/// The points that carry the part, and the newest one at its place.
static void setSimplex(const Lanes* lanes, const Part* part, sdSimplex* simplex) {
    unsigned mask = partMasks[part->index];
    int place = partPlaces[part->index][0], next = (part->index + 1) % SD_LANES_D % 3;
    double weights[3];
    weights[next] = part->weightNext;
    weights[part->index % SD_LANES_D % 3] = part->weight;
    weights[place] = 1.0 - part->weight - part->weightNext;
    mask |= 1u << place;
    simplex->count = 0;
    for (int i = 0; i < 3; ++i) {
        simplex->points[simplex->count] = lanes->points[i];
        simplex->weights[simplex->count] = weights[i];
        simplex->count += (int)(mask >> i) & 1;
    }
}

/// Go on from a simplex of up to three points and the point after them.
/// @param squared |v|² so far
static void approach(const sdConvexPair* pair, double stopAbove, double stopBelow, double squared,
                     sdSimplex* simplex, Approach* output) {
    Lanes lanes;
    Part part;
    sdMinkowskiPoint newest = simplex->points[simplex->count];
    double limit = stopAbove + pair->supportError, vw;
    bool isProved, isEnd;
    setLanes(&lanes, simplex);
    output->iterations = 0;
    do {
        findPart(&lanes, newest.w, &part);
        if ((part.index == PART_INSIDE) | !(part.squared < squared) |
            (part.squared <= stopBelow * stopBelow)) {
            int count = 0;
            for (int i = 0; i < 3; ++i) {
                simplex->points[count] = lanes.points[i];
                count += (partMasks[part.index] >> i) & 1;
            }
            simplex->points[count] = newest;
            simplex->count = count + 1;
            output->isProved = false;
            output->isInside = part.index == PART_INSIDE && !part.isFlat;
            output->hasFurthest = false;
            return;
        }
        replaceOthers(&lanes, part.index, &newest);
        squared = part.squared;
        newest = sdConvexPair_Support(pair, sdScaleD(-1.0, part.v));
        vw = sdDotD(part.v, newest.w);
        isProved = (squared - vw <= RELATIVE_GAP * squared) | isBeyond(vw, squared, limit);
        isEnd = isProved | isAmong(&lanes, newest.w);
        output->iterations += 1;
    } while (!isEnd & (output->iterations < QUICK_ITERATIONS));
    setSimplex(&lanes, &part, simplex);
    output->v = part.v;
    output->squared = squared;
    output->vw = vw;
    output->furthest = newest;
    output->isProved = isProved;
    output->isInside = false;
    output->hasFurthest = true;
}

// ---- the careful loop ----------------------------------------------------------------------

/// The support point of almost the same direction will do.
SD_INLINE bool isKnown(const Approach* known, const Nearest* nearest) {
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
static bool isEnough(const sdConvexPair* pair, const Approach* quick) {
    double touch = TOUCH * pair->scale;
    return quick->isInside || (quick->isProved && quick->squared > touch * touch);
}

static void setQuick(const sdConvexPair* pair, const Approach* quick, int iterations,
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
                    const Approach* known, sdGjkOutput* output) {
    sdSimplex* simplex = &output->simplex;
    Approach quick = *known;
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
        bool isConverged = nearest.squared - vw <= RELATIVE_GAP * nearest.squared;
        if (isConverged || isBeyond(vw, nearest.squared, stopAbove + pair->supportError) ||
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

static const Approach none = {.isProved = false, .hasFurthest = false, .iterations = 0};

/// From a simplex of up to three points and the point after them.
static void run(const sdConvexPair* pair, double stopAbove, double stopBelow, sdGjkOutput* output) {
    Approach quick;
    approach(pair, stopAbove, stopBelow, DBL_MAX, &output->simplex, &quick);
    if (isEnough(pair, &quick)) {
        setQuick(pair, &quick, quick.iterations + 1, output);
        return;
    }
    iterate(pair, stopAbove, stopBelow, &quick, output);
    output->iterations += quick.iterations;
}

/// A second support point, between the first direction and the way to its point, which is often too
/// far to the side.
static void startBeside(const sdConvexPair* pair, sdVec3d start, double steady,
                        sdSimplex* simplex) {
    sdVec3d w = simplex->points[0].w;
    double share = steady * sqrt(sdDotD(w, w) / sdDotD(start, start));
    simplex->points[1] = sdConvexPair_Support(pair, sdSubD(sdScaleD(share, start), w));
    simplex->count = 1;
}

/// Support points in three directions around one, whose own is the first point: they do not wait
/// for each other, and a simplex of four is worth three iterations that do.
static void startAround(const sdConvexPair* pair, sdVec3d start, sdSimplex* simplex) {
    sdVec3d n = sdScaleD(1.0 / sdLengthD(start), start);
    // two directions at right angles to n, without a branch
    double sign = copysign(1.0, n.z), f = -1.0 / (sign + n.z), g = n.x * n.y * f;
    sdVec3d u = sdV3d(1.0 + sign * n.x * n.x * f, sign * g, -sign * n.x);
    sdVec3d v = sdV3d(g, sign + n.y * n.y * f, -n.y);
    sdMinkowskiPoint first = simplex->points[0];
    sdVec3d back = sdMulAddD(n, -0.5 * AROUND, u);
    const double side = 0.8660254037844386 * AROUND;
    simplex->points[0] = sdConvexPair_Support(pair, sdMulAddD(n, AROUND, u));
    simplex->points[1] = sdConvexPair_Support(pair, sdMulAddD(back, side, v));
    simplex->points[2] = sdConvexPair_Support(pair, sdMulAddD(back, -side, v));
    simplex->points[3] = first;
    simplex->count = 3;
}

void SD_KERNEL(sdGjk_Run)(const sdConvexPair* pair, const sdVec3d* start, double stopAbove,
                          const sdVec3d* middle, double inner, sdGjkOutput* output) {
    sdSimplex* simplex = &output->simplex;
    if (simplex->count > 1) {
        iterate(pair, stopAbove, 0.0, &none, output);
        return;
    }
    if (simplex->count == 0) {
        simplex->points[0] = sdConvexPair_Support(pair, *start);
    }
    if (inner > 0.0 && sdGjk_UseCone(pair, middle, inner, simplex)) {
        output->isOverlapping = true;
        setOutput(pair, sdV3d(0.0, 0.0, 0.0), 0.0, 0.0, 1, output);
        return;
    }
    // points of smooth bodies are best where the last one says
    bool isSmooth = simplex->points[0].indexA < 0 || simplex->points[0].indexB < 0;
    if (isSmooth || sdDotD(*start, simplex->points[0].w) < 0.0) {
        startBeside(pair, *start, isSmooth ? 0.0 : STEADY, simplex);
    } else {
        startAround(pair, *start, simplex);
    }
    run(pair, stopAbove, 0.0, output);
}

bool SD_KERNEL(sdGjk_RunApart)(const sdConvexPair* pair, const sdVec3d* axis, double limit,
                               sdGjkOutput* output) {
    sdMinkowskiPoint point = sdConvexPair_Support(pair, *axis);
    double squared = sdDotD(*axis, *axis), vw = -sdDotD(*axis, point.w);
    if (!isBeyond(vw, squared, limit + pair->supportError)) {
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

bool SD_KERNEL(sdGjk_RunOverlap)(const sdConvexPair* pair, const sdVec3d* axis,
                                 const sdVec3d* middle, double inner, sdGjkOutput* output) {
    sdSimplex* simplex = &output->simplex;
    double radii = (double)pair->a.radius + (double)pair->b.radius;
    sdMinkowskiPoint point = sdConvexPair_Support(pair, *axis);
    output->status = SD_STATUS_TOLERANCE;
    output->iterations = 1;
    if (isBeyond(-sdDotD(*axis, point.w), sdDotD(*axis, *axis), radii + pair->supportError)) {
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
        startAround(pair, *axis, simplex);
        run(pair, radii, radii, output);
    }
    output->iterations += 1;
    return output->isOverlapping || output->distance <= radii;
}
