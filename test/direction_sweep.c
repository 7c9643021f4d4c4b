// SPDX-License-Identifier: MIT
// direction_sweep.c - see direction_sweep.h.

#include "direction_sweep.h"

/// Halvings of the angle while following the best direction: 0.2 rad to 1e-7.
#define FOLLOW_COUNT 21

// ---- heights -------------------------------------------------------------------------------

static void setVertices(SweepBody* body, const sdVec3* vertices, int count) {
    REQUIRE(count <= SWEEP_MAX_VERTICES);
    body->vertexCount = count;
    for (int i = 0; i < count; ++i) {
        body->x[i] = (double)vertices[i].x;
        body->y[i] = (double)vertices[i].y;
        body->z[i] = (double)vertices[i].z;
    }
}

static void setBody(SweepBody* body, const sdShape* shape) {
    body->shape = *shape;
    body->vertexCount = 0;
    if (shape->type == SD_SHAPE_TRIANGLE) {
        setVertices(body, shape->triangle.vertices, 3);
    } else if (shape->type == SD_SHAPE_HULL) {
        int count;
        const sdVec3* vertices = sdHull_GetVertices(shape->hull, &count);
        setVertices(body, vertices, count);
    }
}

/// max n·x over the body, which is in its own frame; n is unit.
static double heightOf(const SweepBody* body, sdVec3d n) {
    const sdShape* shape = &body->shape;
    double across = sqrt(n.x * n.x + n.z * n.z);
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            return (double)shape->sphere.radius;
        case SD_SHAPE_CAPSULE:
            return fabs(n.y) * (double)shape->capsule.halfLength + (double)shape->capsule.radius;
        case SD_SHAPE_BOX: {
            sdVec3d h = sdVec3d_From(shape->box.halfExtents);
            return fabs(n.x) * h.x + fabs(n.y) * h.y + fabs(n.z) * h.z;
        }
        case SD_SHAPE_CYLINDER:
            return fabs(n.y) * (double)shape->cylinder.halfHeight +
                   across * (double)shape->cylinder.radius;
        case SD_SHAPE_CONE: {
            double tip = n.y * (double)shape->cone.halfHeight;
            return fmax(tip, across * (double)shape->cone.radius - tip);
        }
        default: {
            double most = -DBL_MAX;
            for (int i = 0; i < body->vertexCount; ++i) {
                double h = n.x * body->x[i] + n.y * body->y[i] + n.z * body->z[i];
                most = h > most ? h : most;
            }
            return most;
        }
    }
}

static sdVec3d toB(const Sweep* sweep, sdVec3d v) {
    const sdVec3d* c = sweep->columns;
    return sdV3d(sdDotD(v, c[0]), sdDotD(v, c[1]), sdDotD(v, c[2]));
}

/// max n·x over B, for n in A's frame and x from B's origin.
static double heightOfB(const Sweep* sweep, sdVec3d n) {
    return heightOf(&sweep->b, toB(sweep, n));
}

static sdVec3d unit(sdVec3d v) {
    return sdScaleD(1.0 / sdLengthD(v), v);
}

// ---- poses ---------------------------------------------------------------------------------

static double reachOf(const SweepBody* body) {
    double most = 0.0;
    for (int i = 0; i < 6; ++i) {
        double s = i < 3 ? 1.0 : -1.0;
        sdVec3d n = sdV3d(i % 3 == 0 ? s : 0.0, i % 3 == 1 ? s : 0.0, i % 3 == 2 ? s : 0.0);
        most = fmax(most, fabs(heightOf(body, n)));
    }
    return most;
}

/// The quaternion as it is, of unit length only within rounding, made a rotation.
static void setColumns(sdVec3d columns[3], sdQuat q) {
    double x = (double)q.v.x, y = (double)q.v.y, z = (double)q.v.z, w = (double)q.s;
    double s = 2.0 / (x * x + y * y + z * z + w * w);
    columns[0] = sdV3d(1.0 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y));
    columns[1] = sdV3d(s * (x * y - w * z), 1.0 - s * (x * x + z * z), s * (y * z + w * x));
    columns[2] = sdV3d(s * (x * z + w * y), s * (y * z - w * x), 1.0 - s * (x * x + y * y));
}

void Sweep_Init(Sweep* sweep, const sdShape* a, const sdShape* b, sdTransform xf) {
    setBody(&sweep->a, a);
    setBody(&sweep->b, b);
    setColumns(sweep->columns, xf.q);
    sweep->offset = sdVec3d_From(xf.p);
    sweep->size = reachOf(&sweep->a) + reachOf(&sweep->b) + sdLengthD(sweep->offset);
    sweep->bestGap = -DBL_MAX;
}

double Sweep_Gap(const Sweep* sweep, sdVec3d direction) {
    sdVec3d n = unit(direction);
    return sdDotD(n, sweep->offset) - heightOfB(sweep, sdScaleD(-1.0, n)) - heightOf(&sweep->a, n);
}

double Sweep_GapAlong(const Sweep* sweep, sdVec3 direction) {
    return Sweep_Gap(sweep, sdVec3d_From(direction));
}

// ---- directions ----------------------------------------------------------------------------

/// A spiral from pole to pole; the opposite of each direction is another one of them.
static const sdVec3d* directions(void) {
    static sdVec3d table[SWEEP_DIRECTION_COUNT];
    static bool isMade;
    for (int i = 0; i < SWEEP_DIRECTION_COUNT / 2 && !isMade; ++i) {
        double y = 1.0 - (2.0 * i + 1.0) / SWEEP_DIRECTION_COUNT, r = sqrt(1.0 - y * y);
        float turn = 2.399963f * (float)i;
        table[i] = unit(sdV3d(r * (double)sdCos(turn), y, r * (double)sdSin(turn)));
        table[i + SWEEP_DIRECTION_COUNT / 2] = sdScaleD(-1.0, table[i]);
    }
    isMade = true;
    return table;
}

static void keepBest(Sweep* sweep, sdVec3d n, double gap) {
    if (gap > sweep->bestGap) {
        sweep->bestGap = gap;
        sweep->bestDirection = n;
    }
}

/// Eight directions around the best one at an angle, which is halved.
static void follow(Sweep* sweep) {
    double angle = 0.2;
    for (int k = 0; k < FOLLOW_COUNT; ++k) {
        sdVec3d n = sweep->bestDirection;
        sdVec3d side = fabs(n.x) < 0.6 ? sdV3d(1.0, 0.0, 0.0) : sdV3d(0.0, 1.0, 0.0);
        sdVec3d u = unit(sdCrossD(n, side)), v = sdCrossD(n, u);
        for (int i = 0; i < 8; ++i) {
            static const double x[8] = {1, 0, -1, 0, 0.7, -0.7, -0.7, 0.7};
            static const double y[8] = {0, 1, 0, -1, 0.7, 0.7, -0.7, -0.7};
            sdVec3d d = sdMulAddD(sdMulAddD(n, angle * x[i], u), angle * y[i], v);
            keepBest(sweep, unit(d), Sweep_Gap(sweep, d));
        }
        angle *= 0.5;
    }
}

void Sweep_Run(Sweep* sweep) {
    const sdVec3d* table = directions();
    const int half = SWEEP_DIRECTION_COUNT / 2;
    for (int i = 0; i < SWEEP_DIRECTION_COUNT; ++i) {
        sweep->heightA[i] = heightOf(&sweep->a, table[i]);
        sweep->heightB[i] = heightOfB(sweep, table[i]);
    }
    for (int i = 0; i < SWEEP_DIRECTION_COUNT; ++i) {
        double opposite = sweep->heightB[i < half ? i + half : i - half];
        double gap = sdDotD(table[i], sweep->offset) - opposite - sweep->heightA[i];
        keepBest(sweep, table[i], gap);
    }
    follow(sweep);
}

// ---- points --------------------------------------------------------------------------------

static double outside(const double* heights, sdVec3d p) {
    const sdVec3d* table = directions();
    double most = -DBL_MAX;
    for (int i = 0; i < SWEEP_DIRECTION_COUNT; ++i) {
        double h = sdDotD(table[i], p) - heights[i];
        most = h > most ? h : most;
    }
    return most;
}

double Sweep_OutsideA(const Sweep* sweep, sdVec3 point) {
    return outside(sweep->heightA, sdVec3d_From(point));
}

double Sweep_OutsideB(const Sweep* sweep, sdVec3 point) {
    return outside(sweep->heightB, sdSubD(sdVec3d_From(point), sweep->offset));
}

double Sweep_BelowA(const Sweep* sweep, sdVec3 point, sdVec3 direction) {
    sdVec3d n = unit(sdVec3d_From(direction));
    return heightOf(&sweep->a, n) - sdDotD(n, sdVec3d_From(point));
}

double Sweep_BelowB(const Sweep* sweep, sdVec3 point, sdVec3 direction) {
    sdVec3d n = unit(sdVec3d_From(direction));
    return heightOfB(sweep, n) - sdDotD(n, sdSubD(sdVec3d_From(point), sweep->offset));
}
