// SPDX-License-Identifier: MIT
// manifold_reduce.c - which of many contact points a solver gets.
//
// In:   points in the plane across the normal, how deep they are, and which ones were given last.
// Out:  four of them that span most, the deepest always among them.
// Ref:  Gregorius, "Robust contact creation for physics simulations", GDC 2015.

#include "narrow/manifold.h"

/// Share of the best four points' area that those of last time must span to be kept.
#define KEPT_SPAN 0.8

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

/// Unless one of the chosen points is as deep as the deepest, the one nearest to that gives way.
static void keepDeepest(const sdFlatPoint* points, int deepest, double tie, int* chosen,
                        int chosenCount) {
    double nearest = DBL_MAX, least = DBL_MAX;
    int at = 0;
    for (int i = 0; i < chosenCount; ++i) {
        const sdFlatPoint* point = &points[chosen[i]];
        double u = point->u - points[deepest].u, v = point->v - points[deepest].v;
        double squared = u * u + v * v;
        at = squared < nearest ? i : at;
        nearest = squared < nearest ? squared : nearest;
        least = point->separation < least ? point->separation : least;
    }
    if (least > points[deepest].separation + tie) {
        chosen[at] = deepest;
    }
}

/// The four that span most of more than four, or fewer when they span no area.
static int chooseSpan(const sdFlatPoint* points, int count, double size, int* chosen) {
    // among points that are about as deep the first is taken, so that a body that rocks a little
    // keeps its points; the deepest takes the place of one of them only if it must
    int chosenCount = 2;
    int deepest = findDeepest(points, count, SD_MANIFOLD_DEEPEST * size);
    chosen[0] = findDeepest(points, count, SD_MANIFOLD_ROCKING * size);
    chosen[1] = findFarthest(points, count, chosen[0]);
    int third = findAside(points, count, chosen[0], chosen[1]);
    if (third != SD_NULL_INDEX) {
        chosen[chosenCount++] = third;
        int fourth = findOutside(points, count, chosen[0], chosen[1], third);
        if (fourth != SD_NULL_INDEX) {
            chosen[chosenCount++] = fourth;
        }
    }
    keepDeepest(points, deepest, SD_MANIFOLD_DEEPEST * size, chosen, chosenCount);
    return chosenCount;
}

/// Add the point that is farthest from those already chosen.
static void addFarthest(const sdFlatPoint* points, int count, int* chosen, int chosenCount) {
    double most = -1.0;
    for (int i = 0; i < count; ++i) {
        double nearest = DBL_MAX;
        for (int j = 0; j < chosenCount; ++j) {
            double u = points[i].u - points[chosen[j]].u, v = points[i].v - points[chosen[j]].v;
            double squared = u * u + v * v;
            nearest = squared < nearest ? squared : nearest;
        }
        bool isFarther = nearest > most * (1.0 + SD_MANIFOLD_TIE);
        most = isFarther ? nearest : most;
        chosen[chosenCount] = isFarther ? i : chosen[chosenCount];
    }
}

/// Points that may carry something come before those that are clearly open, whatever they span: to
/// drop one that carries a load is a kick.
static int chooseAnew(const sdFlatPoint* points, int count, double size, int* chosen) {
    sdFlatPoint closed[SD_MANIFOLD_MAX_CANDIDATES];
    int indices[SD_MANIFOLD_MAX_CANDIDATES], closedCount = 0;
    double deepest = points[findDeepest(points, count, 0.0)].separation;
    double limit = (deepest > 0.0 ? deepest : 0.0) + SD_MANIFOLD_OPEN * size;
    for (int i = 0; i < count; ++i) {
        closed[closedCount] = points[i];
        indices[closedCount] = i;
        closedCount += points[i].separation < limit ? 1 : 0;
    }
    int chosenCount = closedCount;
    if (closedCount > SD_MANIFOLD_MAX_POINTS) {
        chosenCount = chooseSpan(closed, closedCount, size, chosen);
        for (int i = 0; i < chosenCount; ++i) {
            chosen[i] = indices[chosen[i]];
        }
    } else {
        memcpy(chosen, indices, (size_t)closedCount * sizeof *chosen);
        for (; chosenCount < SD_MANIFOLD_MAX_POINTS; ++chosenCount) {
            addFarthest(points, count, chosen, chosenCount);
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

/// Those that were chosen last time, in order; points come in the order of their polygon.
/// @return whether all four are still there
static bool findLast(const sdFlatPoint* points, int count, const sdPairCache* cache, int* last) {
    // what callers leave in a cache may be anything
    int found = 0, lastCount = sdMinI(cache->pointCount, SD_MANIFOLD_MAX_POINTS);
    for (int i = 0; i < count && found < SD_MANIFOLD_MAX_POINTS; ++i) {
        bool isLast = false;
        for (int j = 0; j < lastCount; ++j) {
            isLast = isLast || points[i].id == cache->pointIds[j];
        }
        last[found] = i;
        found += isLast ? 1 : 0;
    }
    return found == SD_MANIFOLD_MAX_POINTS;
}

static double spanOf(const sdFlatPoint* points, const int* chosen) {
    return fabs(areaOf(&points[chosen[0]], &points[chosen[1]], &points[chosen[2]])) +
           fabs(areaOf(&points[chosen[0]], &points[chosen[2]], &points[chosen[3]]));
}

static double depthOf(const sdFlatPoint* points, const int* chosen) {
    double least = points[chosen[0]].separation;
    for (int i = 1; i < SD_MANIFOLD_MAX_POINTS; ++i) {
        double separation = points[chosen[i]].separation;
        least = separation < least ? separation : least;
    }
    return least;
}

/// Whether points of last time are about as good as those chosen now: a load that they carry would
/// have to find its way to others.
static bool areAsGood(const sdFlatPoint* points, const int* last, const int* chosen, double size) {
    // where bodies lie flat, what spans most is always the same, and crossings of sides that all
    // but coincide wander
    double range = 0.0;
    for (int i = 1; i < SD_MANIFOLD_MAX_POINTS; ++i) {
        double difference = fabs(points[chosen[i]].separation - points[chosen[0]].separation);
        range = difference > range ? difference : range;
    }
    return range > SD_MANIFOLD_DEEPEST * size &&
           spanOf(points, last) > KEPT_SPAN * spanOf(points, chosen) &&
           depthOf(points, last) < depthOf(points, chosen) + SD_MANIFOLD_ROCKING * size;
}

int sdFlatPoints_Choose(const sdFlatPoint* points, int count, double size, sdPairCache* cache,
                        int chosen[SD_MANIFOLD_MAX_POINTS]) {
    int chosenCount = sdMinI(count, SD_MANIFOLD_MAX_POINTS);
    for (int i = 0; i < chosenCount; ++i) {
        chosen[i] = i;
    }
    if (count > SD_MANIFOLD_MAX_POINTS) {
        int last[SD_MANIFOLD_MAX_POINTS];
        chosenCount = chooseAnew(points, count, size, chosen);
        if (cache != NULL && chosenCount == SD_MANIFOLD_MAX_POINTS &&
            findLast(points, count, cache, last) && areAsGood(points, last, chosen, size)) {
            memcpy(chosen, last, sizeof last);
        }
    }
    if (cache != NULL) {
        cache->pointCount = (uint8_t)chosenCount;
        for (int i = 0; i < chosenCount; ++i) {
            cache->pointIds[i] = points[chosen[i]].id;
        }
    }
    return chosenCount;
}
