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

/// From a simplex that is not empty.
/// @param stopBelow stop as soon as the distance is proved to be not greater
static void iterate(const sdConvexPair* pair, double stopAbove, double stopBelow,
                    sdGjkOutput* output) {
    sdSimplex* simplex = &output->simplex;
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
        *newest = sdConvexPair_Support(pair, sdScaleD(-1.0, nearest.v));

        // |v|·distance >= v·w for every support point w
        vw = sdDotD(nearest.v, newest->w);
        bool isConverged = nearest.squared - vw <= RELATIVE_GAP * nearest.squared;
        if (isConverged || isBeyond(vw, nearest.squared, stopAbove + pair->supportError) ||
            contains(simplex, newest)) {
            break;
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
    }
    double distance = sqrt(nearest.squared);
    double bound = distance > 0.0 ? vw / distance - pair->supportError : 0.0;
    output->status = iteration < SD_GJK_MAX_ITERATIONS ? SD_STATUS_TOLERANCE : SD_STATUS_LIMIT;
    output->v = nearest.v;
    output->distance = output->isOverlapping ? 0.0 : distance;
    output->lowerBound = output->isOverlapping || bound < 0.0 ? 0.0 : bound;
    output->iterations = iteration + 1;
}

void SD_KERNEL(sdGjk_Run)(const sdConvexPair* pair, sdVec3d start, double stopAbove,
                          sdGjkOutput* output) {
    sdSimplex* simplex = &output->simplex;
    if (simplex->count == 0) {
        simplex->points[0] = sdConvexPair_Support(pair, start);
        simplex->count = 1;
    }
    iterate(pair, stopAbove, 0.0, output);
}

/// The origin is in the cone between a point and a ball, beyond the ball's middle. With e the
/// origin and u the point, seen from that middle, the sine of the cone's half angle is r / |u|.
SD_INLINE bool isInCone(sdVec3d middle, double radius, sdVec3d point) {
    sdVec3d u = sdSubD(point, middle);
    double ee = sdDotD(middle, middle), eu = -sdDotD(middle, u), uu = sdDotD(u, u);
    double rr = radius * radius;
    // the distance from the axis, squared, against the tangent times the distance from the point
    bool isNarrow = (ee * uu - eu * eu) * (uu - rr) <= (uu - eu) * (uu - eu) * rr;
    // a ball without size is no room to be in
    return isNarrow & (rr > 0.0) & (eu >= rr) & (eu <= uu);
}

bool SD_KERNEL(sdGjk_RunOverlap)(const sdConvexPair* pair, sdVec3d axis, sdVec3d middle,
                                 double inner, sdGjkOutput* output) {
    sdSimplex* simplex = &output->simplex;
    double radii = (double)pair->a.radius + (double)pair->b.radius;
    sdMinkowskiPoint point = sdConvexPair_Support(pair, axis);
    output->status = SD_STATUS_TOLERANCE;
    output->iterations = 1;
    if (isBeyond(-sdDotD(axis, point.w), sdDotD(axis, axis), radii + pair->supportError)) {
        output->v = sdScaleD(-1.0, axis);
        return false;
    }
    if (isInCone(middle, inner, point.w)) {
        output->v = sdV3d(0.0, 0.0, 0.0);
        return true;
    }
    if (simplex->count == 0) {
        sdVec3d inside = sdVec3d_From(pair->a.inside);
        simplex->points[0] = (sdMinkowskiPoint){middle, inside, SD_NULL_INDEX, SD_NULL_INDEX};
        simplex->points[1] = point;
        simplex->count = 2;
    }
    iterate(pair, radii, radii, output);
    output->iterations += 1;
    return output->isOverlapping || output->distance <= radii;
}
