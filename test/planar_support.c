// SPDX-License-Identifier: MIT
// planar_support.c - see planar_support.h.

#include "planar_support.h"

sdVec2 TestRandom_InBox2(TestRandom* random, float halfSize) {
    float x = TestRandom_Float(random, -halfSize, halfSize);
    float y = TestRandom_Float(random, -halfSize, halfSize);
    return sdV2(x, y);
}

sdPolygon2 Planar_Polygon(TestRandom* random, float size) {
    sdVec2 points[12];
    int count = 3 + TestRandom_Int(random, 10);
    for (int i = 0; i < count; ++i) {
        points[i] = TestRandom_InBox2(random, size);
    }
    sdPolygon2 out;
    CHECK(sdPolygon2_Make(NULL, points, count, 0.0f, &out) == SD_OK);
    return out;
}

sdPolygon2 Planar_Shape(TestRandom* random) {
    sdVec2 a = TestRandom_InBox2(random, 1.0f), b = TestRandom_InBox2(random, 1.0f);
    switch (TestRandom_Int(random, 7)) {
        case 0:
            return sdPolygon2_Circle(a, TestRandom_Float(random, 0.0f, 1.0f));
        case 1:
            return sdPolygon2_Circle(a, 0.0f);
        case 2:
            return sdPolygon2_Capsule(a, b, TestRandom_Float(random, 0.0f, 0.5f));
        case 3:
            return sdPolygon2_Segment(a, b);
        case 4:
            return sdPolygon2_Box(sdV2(sdAbsF(a.x), sdAbsF(a.y)));
        case 5:
            return sdPolygon2_Box(sdV2(1.0f, 1e-5f));
        default:
            return Planar_Polygon(random, 1.0f);
    }
}

sdTransform2 Planar_Pose(TestRandom* random, float reach) {
    sdVec2 p = TestRandom_InBox2(random, reach);
    int turn = TestRandom_Int(random, 4);
    float angle = turn == 0 ? 0.5f * SD_PI * (float)TestRandom_Int(random, 4)
                            : TestRandom_Float(random, -SD_PI, SD_PI);
    return sdTransform2_Make(p, angle);
}

typedef struct Point {
    double x, y;
} Point;

static Point placed(sdTransform2 xf, sdVec2 v) {
    double length = sqrt((double)xf.c * (double)xf.c + (double)xf.s * (double)xf.s);
    double c = (double)xf.c / length, s = (double)xf.s / length;
    return (Point){c * (double)v.x - s * (double)v.y + (double)xf.p.x,
                   s * (double)v.x + c * (double)v.y + (double)xf.p.y};
}

static double crossOf(Point a, Point b, Point c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static double toSegment(Point p, Point a, Point b) {
    double ex = b.x - a.x, ey = b.y - a.y, square = ex * ex + ey * ey;
    double t = square > 0.0 ? ((p.x - a.x) * ex + (p.y - a.y) * ey) / square : 0.0;
    t = t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t);
    double dx = a.x + t * ex - p.x, dy = a.y + t * ey - p.y;
    return sqrt(dx * dx + dy * dy);
}

static bool isInside(Point p, const Point* v, int count) {
    for (int i = 0; i < count; ++i) {
        if (crossOf(v[i], v[(i + 1) % count], p) < 0.0) {
            return false;
        }
    }
    return count >= 3;
}

double Planar_CoreDistance(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xf) {
    Point va[16], vb[16];
    for (int i = 0; i < a->count; ++i) {
        va[i] = placed(sdTransform2_Identity(), a->vertices[i]);
    }
    for (int j = 0; j < b->count; ++j) {
        vb[j] = placed(xf, b->vertices[j]);
    }
    if (isInside(vb[0], va, a->count) || isInside(va[0], vb, b->count)) {
        return 0.0;
    }
    double best = DBL_MAX;
    for (int i = 0; i < a->count; ++i) {
        Point a0 = va[i], a1 = va[(i + 1) % a->count];
        for (int j = 0; j < b->count; ++j) {
            Point b0 = vb[j], b1 = vb[(j + 1) % b->count];
            best = fmin(best, fmin(toSegment(a0, b0, b1), toSegment(b0, a0, a1)));
            if (crossOf(a0, a1, b0) * crossOf(a0, a1, b1) < 0.0 &&
                crossOf(b0, b1, a0) * crossOf(b0, b1, a1) < 0.0) {
                return 0.0;
            }
        }
    }
    return best;
}

double Planar_GapOf(const sdPolygon2* shape, sdTransform2 xf, sdVec2 p) {
    sdPolygon2 point = sdPolygon2_Circle(p, 0.0f);
    return Planar_CoreDistance(&point, shape, xf) - (double)shape->radius;
}

static double heightOf(const sdPolygon2* shape, sdTransform2 xf, Point n) {
    double most = -DBL_MAX;
    for (int i = 0; i < shape->count; ++i) {
        Point p = placed(xf, shape->vertices[i]);
        most = fmax(most, n.x * p.x + n.y * p.y);
    }
    return most + (double)shape->radius;
}

static double gapAlong(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xf, Point n) {
    double length = sqrt(n.x * n.x + n.y * n.y);
    Point unit = {n.x / length, n.y / length}, back = {-unit.x, -unit.y};
    return -heightOf(b, xf, back) - heightOf(a, sdTransform2_Identity(), unit);
}

double Planar_GapAlong(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xf, sdVec2 n) {
    return gapAlong(a, b, xf, (Point){(double)n.x, (double)n.y});
}

/// The greatest gap along the normals of one body's edges, either way.
static double gapByEdges(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xf, bool isOfA) {
    const sdPolygon2* body = isOfA ? a : b;
    sdTransform2 place = isOfA ? sdTransform2_Identity() : xf;
    double most = -DBL_MAX;
    for (int i = 0; i < body->count && body->count > 1; ++i) {
        Point p = placed(place, body->vertices[i]);
        Point q = placed(place, body->vertices[(i + 1) % body->count]);
        Point n = {q.y - p.y, p.x - q.x}, back = {p.y - q.y, q.x - p.x};
        most = fmax(most, fmax(gapAlong(a, b, xf, n), gapAlong(a, b, xf, back)));
    }
    return most;
}

double Planar_Separation(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xf) {
    double radii = (double)a->radius + (double)b->radius;
    double core = Planar_CoreDistance(a, b, xf);
    if (core > 0.0 || (a->count == 1 && b->count == 1)) {
        return core - radii;
    }
    return fmax(gapByEdges(a, b, xf, true), gapByEdges(a, b, xf, false));
}
