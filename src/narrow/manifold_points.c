// SPDX-License-Identifier: MIT
// manifold_points.c - which four of many contact points a solver gets.
//
// In:   points as seen along the normal.
// Out:  the deepest one and those that span most area with it.
// Ref:  Gregorius, "Robust contact creation for physics simulations", GDC 2015.

#include "narrow/manifold.h"

static int findDeepest(const sdFlatPoint* points, int count, double tie) {
    int best = 0;
    for (int i = 1; i < count; ++i) {
        best = points[i].separation < points[best].separation - tie ? i : best;
    }
    return best;
}

static int findFarthest(const sdFlatPoint* points, int count, int from) {
    double most = -1.0;
    int best = from;
    for (int i = 0; i < count; ++i) {
        double u = points[i].u - points[from].u, v = points[i].v - points[from].v;
        double squared = u * u + v * v;
        bool isFarther = squared > most * (1.0 + SD_MANIFOLD_TIE);
        most = isFarther ? squared : most;
        best = isFarther ? i : best;
    }
    return best;
}

/// Twice the area of a triangle, positive when it turns left.
static inline double areaOf(const sdFlatPoint* a, const sdFlatPoint* b, const sdFlatPoint* c) {
    return (b->u - a->u) * (c->v - a->v) - (b->v - a->v) * (c->u - a->u);
}

/// The point that makes the largest triangle with a segment.
/// @return SD_NULL_INDEX when all are on its line
static int findAside(const sdFlatPoint* points, int count, int i, int j) {
    double most = 0.0;
    int best = SD_NULL_INDEX;
    for (int p = 0; p < count; ++p) {
        double area = fabs(areaOf(&points[i], &points[j], &points[p]));
        bool isMore = area > most * (1.0 + SD_MANIFOLD_TIE);
        most = isMore ? area : most;
        best = isMore ? p : best;
    }
    return best;
}

/// The point that adds most area to a triangle.
/// @return SD_NULL_INDEX when there is none outside of it
static int findOutside(const sdFlatPoint* points, int count, int i, int j, int k) {
    double most = 0.0, turn = areaOf(&points[i], &points[j], &points[k]) > 0.0 ? -1.0 : 1.0;
    int best = SD_NULL_INDEX;
    for (int p = 0; p < count; ++p) {
        double first = turn * areaOf(&points[i], &points[j], &points[p]);
        double second = turn * areaOf(&points[j], &points[k], &points[p]);
        double third = turn * areaOf(&points[k], &points[i], &points[p]);
        double area = first > second ? first : second;
        area = area > third ? area : third;
        bool isMore = area > most * (1.0 + SD_MANIFOLD_TIE);
        most = isMore ? area : most;
        best = isMore ? p : best;
    }
    return best;
}

int sdFlatPoints_Choose(const sdFlatPoint* points, int count, double size,
                        int chosen[SD_MANIFOLD_MAX_POINTS]) {
    if (count <= SD_MANIFOLD_MAX_POINTS) {
        for (int i = 0; i < count; ++i) {
            chosen[i] = i;
        }
        return count;
    }
    int chosenCount = 2;
    chosen[0] = findDeepest(points, count, SD_MANIFOLD_DEEPEST * size);
    chosen[1] = findFarthest(points, count, chosen[0]);
    int third = findAside(points, count, chosen[0], chosen[1]);
    if (third != SD_NULL_INDEX) {
        chosen[chosenCount++] = third;
        int fourth = findOutside(points, count, chosen[0], chosen[1], third);
        if (fourth != SD_NULL_INDEX) {
            chosen[chosenCount++] = fourth;
        }
    }
    for (int i = 1; i < chosenCount; ++i) {
        for (int j = i; j > 0 && chosen[j] < chosen[j - 1]; --j) {
            int swap = chosen[j];
            chosen[j] = chosen[j - 1];
            chosen[j - 1] = swap;
        }
    }
    return chosenCount;
}
