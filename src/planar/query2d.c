// SPDX-License-Identifier: MIT
// query2d.c - overlap, distance, penetration, ray, cast and moving bodies in the plane.
//
// In:   two polygons with radii, a pose, for some a velocity.
// Out:  results as in planar.h.
// Ref:  S3 §2.4, §3.
// Note: all are questions about the origin and the Minkowski difference; see difference2d.c.

#include "planar/difference2d.h"

/// Relative to the size. Bodies that leave each other within this path only touched.
#define PARTING 1e-9

/// Relative to the size. Accumulated rounding of positions in double, with room to spare.
#define POSITION_ERROR 1e-14

static float errorOf(const sdDifference2* d, double separation) {
    return (float)(0.5 * (double)FLT_EPSILON * fabs(separation) + POSITION_ERROR * d->size);
}

sdOverlapResult sdOverlap2(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xfAB) {
    sdDifference2 d;
    if (!sdDifference2_Make(a, b, xfAB, &d)) {
        return (sdOverlapResult){.status = SD_STATUS_INVALID};
    }
    double separation = sdDifference2_Nearest(&d).separation - d.radius;
    return (sdOverlapResult){separation <= 0.0, SD_STATUS_EXACT, d.count};
}

sdSeparation2 sdPenetration2(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xfAB) {
    sdSeparation2 out = {0};
    sdDifference2 d;
    if (!sdDifference2_Make(a, b, xfAB, &d)) {
        out.status = SD_STATUS_INVALID;
        return out;
    }
    sdNearest2 nearest = sdDifference2_Nearest(&d);
    double separation = nearest.separation - d.radius;
    out.separation = (float)separation;
    out.normal = sdVec2d_ToFloat(nearest.normal);
    out.pointA = sdVec2d_ToFloat(sdMulAdd2D(nearest.pointA, d.a.radius, nearest.normal));
    out.pointB = sdVec2d_ToFloat(sdMulAdd2D(nearest.pointB, -d.b.radius, nearest.normal));
    out.iterations = d.count;
    out.error = errorOf(&d, separation);
    return out;
}

sdSeparation2 sdDistance2(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xfAB) {
    sdSeparation2 out = sdPenetration2(a, b, xfAB);
    sdDifference2 d;
    if (out.status == SD_STATUS_INVALID || out.separation > 0.0f ||
        !sdDifference2_Make(a, b, xfAB, &d)) {
        return out;
    }
    sdNearest2 nearest = sdDifference2_Nearest(&d);
    sdVec2d common;
    if (nearest.separation <= 0.0) {
        common = sdDifference2_CommonPoint(&d);
    } else {
        // between the cores, nearer to the one with the smaller radius
        double part = nearest.separation * d.a.radius / d.radius;
        common = sdMulAdd2D(nearest.pointA, part, nearest.normal);
    }
    out.separation = 0.0f;
    out.pointA = sdVec2d_ToFloat(common);
    out.pointB = out.pointA;
    return out;
}

// ---- moving --------------------------------------------------------------------------------

typedef struct Motion {
    bool isHit;
    bool isStart; ///< they overlap or touch before moving
    double first, last;
    sdNearest2 nearest; ///< at the first time
} Motion;

/// @param maxTime on return `d` is as at the first time
static Motion move(sdDifference2* d, sdVec2d velocity, double maxTime) {
    Motion motion = {0};
    double enter, leave;
    if (!sdDifference2_Ray(d, velocity, &enter, &leave) || leave < 0.0 || enter > maxTime) {
        return motion;
    }
    motion.isHit = true;
    motion.isStart = enter <= 0.0;
    motion.first = motion.isStart ? 0.0 : enter;
    motion.last = leave;
    if (motion.isStart) {
        motion.nearest = sdDifference2_Nearest(d);
        double path = leave * sqrt(sdDot2D(velocity, velocity));
        bool isParting = sdDot2D(motion.nearest.normal, velocity) > 0.0;
        motion.isHit = !isParting || path > PARTING * d->size;
        return motion;
    }
    sdVec2d translation = {enter * velocity.x, enter * velocity.y};
    sdDifference2_Translate(d, translation);
    motion.nearest = sdDifference2_NearestAhead(d, velocity);
    return motion;
}

sdCastHit2 sdShapeCast2(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xfAB,
                        sdVec2 translation) {
    sdCastHit2 out = {0};
    sdDifference2 d;
    if (!sdVec2_IsFinite(translation) || !sdDifference2_Make(a, b, xfAB, &d)) {
        out.status = SD_STATUS_INVALID;
        return out;
    }
    out.iterations = d.count;
    out.fraction = 1.0f;
    Motion motion = move(&d, sdVec2d_From(translation), 1.0);
    if (motion.isHit) {
        const sdNearest2* nearest = &motion.nearest;
        out.isHit = true;
        out.fraction = (float)motion.first;
        out.normal = sdVec2d_ToFloat(nearest->normal);
        out.point = sdVec2d_ToFloat(sdMulAdd2D(nearest->pointA, d.a.radius, nearest->normal));
    }
    return out;
}

sdRayHit2 sdRaycast2(const sdPolygon2* shape, sdVec2 origin, sdVec2 translation) {
    sdRayHit2 out = {0};
    sdPolygon2 point = sdPolygon2_Circle(sdV2(0.0f, 0.0f), 0.0f);
    sdTransform2 xf = {origin, 1.0f, 0.0f};
    sdDifference2 d;
    if (!sdVec2_IsFinite(translation) || !sdDifference2_Make(shape, &point, xf, &d)) {
        out.status = SD_STATUS_INVALID;
        return out;
    }
    out.iterations = d.count;
    out.fraction = 1.0f;
    sdVec2d velocity = sdVec2d_From(translation);
    double enter, leave;
    if (!sdDifference2_Ray(&d, velocity, &enter, &leave) || leave < 0.0 || enter > 1.0) {
        return out;
    }
    out.isHit = true;
    if (enter <= 0.0) {
        double length = sqrt(sdDot2D(velocity, velocity));
        sdVec2d back = {-velocity.x / length, -velocity.y / length};
        out.normal = sdVec2d_ToFloat(length > 0.0 ? back : sdDifference2_Nearest(&d).normal);
        out.fraction = 0.0f;
        out.point = origin;
        return out;
    }
    sdDifference2_Translate(&d, (sdVec2d){enter * velocity.x, enter * velocity.y});
    out.fraction = (float)enter;
    out.normal = sdVec2d_ToFloat(sdDifference2_NearestAhead(&d, velocity).normal);
    out.point = sdVec2d_ToFloat(d.b.vertices[0]);
    return out;
}

sdMovingResult2 sdMoving2_Test(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xfAB,
                               sdVec2 velocity, float maxTime) {
    sdMovingResult2 out = {0};
    sdDifference2 d;
    if (!sdVec2_IsFinite(velocity) || !sdIsFinite(maxTime) || maxTime < 0.0f ||
        !sdDifference2_Make(a, b, xfAB, &d)) {
        out.status = SD_STATUS_INVALID;
        out.contact.status = SD_STATUS_INVALID;
        return out;
    }
    Motion motion = move(&d, sdVec2d_From(velocity), (double)maxTime);
    if (motion.isHit) {
        out.isHit = true;
        out.first = (float)motion.first;
        out.last = motion.last < (double)FLT_MAX ? (float)motion.last : FLT_MAX;
        out.normal = sdVec2d_ToFloat(motion.nearest.normal);
        out.contact = sdDifference2_ContactSet(&d, &motion.nearest);
    }
    return out;
}
