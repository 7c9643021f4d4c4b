// SPDX-License-Identifier: MIT
// collide_primitive.c - pairs that have a closed form: spheres against all primitives, capsules
// against each other and, unless they go through them, against triangles.
//
// In:   two shapes, B's pose in A's frame.
// Out:  nearest or deepest points, right up to rounding.
// Ref:  Ericson, "Real-Time Collision Detection", 2005, chapter 5.
// Note: a sphere is a point with a radius around it, so every form is that of a point and a solid:
//       outside, the nearest point; inside, the nearest point of the surface. Centres that coincide
//       have no direction of their own and get a fixed one.

#include "narrow/pair.h"
#include "narrow/segment.h"

/// Where a point stands to a solid, in the solid's frame.
typedef struct Nearest {
    double distance; ///< negative inside
    sdVec3d normal;  ///< unit, out of the solid
    sdVec3d point;   ///< of the surface
} Nearest;

/// Points nearer than this fraction of their coordinates and of the solid touch: the direction
/// between them is rounding only.
#define TOUCH 1e-12
/// The same of a triangle and a segment: nearer ones are left to an algorithm that knows depths.
#define NEARLY_TOUCH 1e-8

/// From the direction to a point that is not in the solid.
/// @param reach no coordinate of the solid is greater
/// @param fallback normal of a point that touches
static Nearest fromOutside(sdVec3d p, sdVec3d nearest, double reach, sdVec3d fallback) {
    sdVec3d d = sdSubD(p, nearest);
    double distance = sdLengthD(d), size = fabs(p.x) + fabs(p.y) + fabs(p.z) + reach;
    sdVec3d normal = distance > TOUCH * size ? sdScaleD(1.0 / distance, d) : fallback;
    return (Nearest){distance, normal, nearest};
}

static Nearest nearestOfPoint(sdVec3d p) {
    return fromOutside(p, sdV3d(0.0, 0.0, 0.0), 0.0, sdV3d(0.0, 1.0, 0.0));
}

static double clampD(double a, double lower, double upper) {
    return a < lower ? lower : (a > upper ? upper : a);
}

/// The segment on y.
static Nearest nearestOfSegment(sdVec3d p, double half) {
    return fromOutside(p, sdV3d(0.0, clampD(p.y, -half, half), 0.0), half, sdV3d(1.0, 0.0, 0.0));
}

static Nearest nearestOfBox(sdVec3d p, sdVec3d half) {
    double x = fabs(p.x) - half.x, y = fabs(p.y) - half.y, z = fabs(p.z) - half.z;
    // by the face that is nearest from inside
    bool isX = x >= y && x >= z, isY = !isX && y >= z;
    sdVec3d normal = isX   ? sdV3d(copysign(1.0, p.x), 0.0, 0.0)
                     : isY ? sdV3d(0.0, copysign(1.0, p.y), 0.0)
                           : sdV3d(0.0, 0.0, copysign(1.0, p.z));
    double height = isX ? x : isY ? y : z;
    if (height > 0.0) {
        sdVec3d nearest = sdV3d(clampD(p.x, -half.x, half.x), clampD(p.y, -half.y, half.y),
                                clampD(p.z, -half.z, half.z));
        return fromOutside(p, nearest, half.x + half.y + half.z, normal);
    }
    sdVec3d nearest = sdV3d(isX ? copysign(half.x, p.x) : p.x, isY ? copysign(half.y, p.y) : p.y,
                            isX || isY ? p.z : copysign(half.z, p.z));
    return (Nearest){height, normal, nearest};
}

/// Unit vector from the y axis to p; some direction for a point on the axis.
static sdVec3d radialOf(sdVec3d p, double radius) {
    return radius > 0.0 ? sdV3d(p.x / radius, 0.0, p.z / radius) : sdV3d(1.0, 0.0, 0.0);
}

static Nearest nearestOfCylinder(sdVec3d p, double half, double radius) {
    double r = sqrt(p.x * p.x + p.z * p.z);
    sdVec3d radial = radialOf(p, r);
    double aside = r - radius, above = fabs(p.y) - half;
    if (aside > 0.0 || above > 0.0) {
        sdVec3d nearest = sdScaleD(r < radius ? r : radius, radial);
        nearest.y = clampD(p.y, -half, half);
        return fromOutside(p, nearest, half + radius,
                           aside > above ? radial : sdV3d(0.0, copysign(1.0, p.y), 0.0));
    }
    if (aside > above) {
        sdVec3d nearest = sdScaleD(radius, radial);
        nearest.y = p.y;
        return (Nearest){aside, radial, nearest};
    }
    return (Nearest){above, sdV3d(0.0, copysign(1.0, p.y), 0.0),
                     sdV3d(p.x, copysign(half, p.y), p.z)};
}

/// In the half plane through the axis and p, with r across and y up, the cone is a triangle with
/// corners (0, -half), (radius, -half) and (0, half).
static Nearest nearestOfCone(sdVec3d p, double half, double radius) {
    double r = sqrt(p.x * p.x + p.z * p.z), height = 2.0 * half;
    sdVec3d radial = radialOf(p, r);
    double length = sqrt(height * height + radius * radius);
    sdVec3d slope = length > 0.0 ? sdScaleD(height / length, radial) : radial;
    slope.y = length > 0.0 ? radius / length : 0.0;
    bool isInside =
        fabs(p.y) <= half && r <= radius && r * height <= radius * (half - p.y) && length > 0.0;
    if (isInside) {
        double aside = (r * height + (p.y - half) * radius) / length, below = -half - p.y;
        return aside > below ? (Nearest){aside, slope, sdMulAddD(p, -aside, slope)}
                             : (Nearest){below, sdV3d(0.0, -1.0, 0.0), sdV3d(p.x, -half, p.z)};
    }
    // share of the slope from the rim to the apex
    double t =
        length > 0.0 ? ((radius - r) * radius + (p.y + half) * height) / (length * length) : 0.0;
    t = clampD(t, 0.0, 1.0);
    sdVec3d onSlope = sdScaleD((1.0 - t) * radius, radial);
    onSlope.y = -half + t * height;
    sdVec3d onBase = sdScaleD(r < radius ? r : radius, radial);
    onBase.y = -half;
    Nearest bySlope = fromOutside(p, onSlope, half + radius, slope);
    Nearest byBase = fromOutside(p, onBase, half + radius, sdV3d(0.0, -1.0, 0.0));
    return byBase.distance < bySlope.distance ? byBase : bySlope;
}

/// Triangles whose area is smaller, relative to their longest side squared, are segments or points:
/// the direction of their normal is rounding only.
#define NO_AREA 1e-12

static sdVec3d longestSide(const sdVec3d c[3]) {
    sdVec3d longest = sdSubD(c[1], c[0]);
    for (int i = 1; i < 3; ++i) {
        sdVec3d side = sdSubD(c[(i + 1) % 3], c[i]);
        longest = sdDotD(side, side) > sdDotD(longest, longest) ? side : longest;
    }
    return longest;
}

/// Some unit vector across a side, which may be zero.
static sdVec3d acrossSide(sdVec3d side) {
    double x = fabs(side.x), y = fabs(side.y), z = fabs(side.z);
    sdVec3d axis = x <= y && x <= z ? sdV3d(1.0, 0.0, 0.0)
                                    : (y <= z ? sdV3d(0.0, 1.0, 0.0) : sdV3d(0.0, 0.0, 1.0));
    sdVec3d d = sdCrossD(side, axis);
    double length = sdLengthD(d);
    return length > 0.0 ? sdScaleD(1.0 / length, d) : axis;
}

/// The nearest point of three edges and the inside, each of which is a point of the triangle:
/// rounding cannot give one that is off it.
static Nearest nearestOfTriangle(sdVec3d p, const sdVec3 corners[3]) {
    sdVec3d c[3] = {sdVec3d_From(corners[0]), sdVec3d_From(corners[1]), sdVec3d_From(corners[2])};
    sdVec3d n = sdCrossD(sdSubD(c[1], c[0]), sdSubD(c[2], c[0]));
    sdVec3d longest = longestSide(c);
    double area = sdLengthD(n);
    double reach = sdLengthD(longest);
    bool hasArea = area > NO_AREA * sdDotD(longest, longest);
    sdVec3d unit = hasArea ? sdScaleD(1.0 / area, n) : acrossSide(longest);
    Nearest best = {DBL_MAX, unit, c[0]};
    int insideCount = 0;
    for (int i = 0; i < 3; ++i) {
        sdVec3d from = c[i], edge = sdSubD(c[(i + 1) % 3], from);
        double squared = sdDotD(edge, edge);
        double t = squared > 0.0 ? clampD(sdDotD(sdSubD(p, from), edge) / squared, 0.0, 1.0) : 0.0;
        Nearest candidate = fromOutside(p, sdMulAddD(from, t, edge), reach, unit);
        best = candidate.distance < best.distance ? candidate : best;
        insideCount += sdDotD(n, sdCrossD(edge, sdSubD(p, from))) >= 0.0 ? 1 : 0;
    }
    double height = sdDotD(unit, sdSubD(p, c[0]));
    if (hasArea && insideCount == 3 && fabs(height) <= best.distance) {
        return (Nearest){fabs(height), height < 0.0 ? sdScaleD(-1.0, unit) : unit,
                         sdMulAddD(p, -height, unit)};
    }
    return best;
}

/// Rounding of capsules and spheres around their core.
static double radiusOf(const sdShape* shape) {
    return shape->type == SD_SHAPE_SPHERE
               ? (double)shape->sphere.radius
               : (shape->type == SD_SHAPE_CAPSULE ? (double)shape->capsule.radius : 0.0);
}

static Nearest nearestOf(const sdShape* shape, sdVec3d p) {
    switch (shape->type) {
        case SD_SHAPE_CAPSULE:
            return nearestOfSegment(p, (double)shape->capsule.halfLength);
        case SD_SHAPE_BOX:
            return nearestOfBox(p, sdVec3d_From(shape->box.halfExtents));
        case SD_SHAPE_CYLINDER:
            return nearestOfCylinder(p, (double)shape->cylinder.halfHeight,
                                     (double)shape->cylinder.radius);
        case SD_SHAPE_CONE:
            return nearestOfCone(p, (double)shape->cone.halfHeight, (double)shape->cone.radius);
        case SD_SHAPE_TRIANGLE:
            return nearestOfTriangle(p, shape->triangle.vertices);
        default:
            return nearestOfPoint(p);
    }
}

/// Give both cores their radii.
static void setResult(sdPairResult* out, const Nearest* nearest, double radiusA, double radiusB,
                      sdVec3d coreB) {
    out->separation = nearest->distance - radiusA - radiusB;
    out->normal = nearest->normal;
    out->pointA = sdMulAddD(nearest->point, radiusA, nearest->normal);
    out->pointB = sdMulAddD(coreB, -radiusB, nearest->normal);
    // between the cores, within the radius of each
    double d = nearest->distance > 0.0 ? nearest->distance : 0.0;
    double from = d > radiusB ? d - radiusB : 0.0, to = d < radiusA ? d : radiusA;
    out->common = sdMulAddD(d > 0.0 ? nearest->point : coreB, 0.5 * (from + to), nearest->normal);
    out->indexA = SD_NULL_INDEX;
    out->indexB = SD_NULL_INDEX;
    out->iterations = 1;
    out->status = SD_STATUS_EXACT;
    out->isDeep = false;
    double size = fabs(coreB.x) + fabs(coreB.y) + fabs(coreB.z) + fabs(nearest->point.x) +
                  fabs(nearest->point.y) + fabs(nearest->point.z) + radiusA + radiusB;
    out->error = sdPairResult_Rounding(size);
}

/// Parameters of the nearest points p + s u and q + t v, |s| <= a, |t| <= b; u and v are unit.
static void nearestOnSegments(sdVec3d q, sdVec3d v, double a, double b, double* s, double* t) {
    // A's segment is on y through the origin, so u·x is x.y
    double uv = v.y, uq = q.y, vq = sdDotD(v, q);
    // 1 - uv², without losing the digits of segments that are nearly parallel
    double crossing = v.x * v.x + v.z * v.z;
    *s = crossing > 0.0 ? clampD((uq - uv * vq) / crossing, -a, a) : 0.0;
    *t = *s * uv - vq;
    if (*t < -b || *t > b) {
        *t = clampD(*t, -b, b);
        *s = clampD(*t * uv + uq, -a, a);
    }
}

static void capsules(const sdShape* a, const sdShape* b, const sdPose* pose, sdPairResult* out) {
    double s, t;
    nearestOnSegments(pose->offset, pose->columns[1], (double)a->capsule.halfLength,
                      (double)b->capsule.halfLength, &s, &t);
    sdVec3d coreA = sdV3d(0.0, s, 0.0);
    sdVec3d coreB = sdMulAddD(pose->offset, t, pose->columns[1]);
    // segments that cross have only the direction across both
    sdVec3d across = sdCrossD(sdV3d(0.0, 1.0, 0.0), pose->columns[1]);
    double length = sdLengthD(across);
    across = length > 0.0 ? sdScaleD(1.0 / length, across) : sdV3d(1.0, 0.0, 0.0);
    double reach = (double)a->capsule.halfLength + (double)b->capsule.halfLength;
    Nearest nearest = fromOutside(coreB, coreA, reach, across);
    setResult(out, &nearest, (double)a->capsule.radius, (double)b->capsule.radius, coreB);
}

/// The sides of a triangle beyond which a point lies, as bits; 0: it is over the triangle.
/// @param n normal of any length
static uint32_t sidesBeyond(const sdVec3d c[3], sdVec3d n, sdVec3d p) {
    uint32_t sides = 0;
    for (int i = 0; i < 3; ++i) {
        sdVec3d edge = sdSubD(c[(i + 1) % 3], c[i]);
        bool isInside = sdDotD(n, sdCrossD(edge, sdSubD(p, c[i]))) >= 0.0;
        sides |= isInside ? 0u : 1u << i;
    }
    return sides;
}

/// A triangle and a segment beside it.
typedef struct BesideTriangle {
    sdVec3d corners[3];
    sdVec3d normal; ///< of any length
    sdVec3d unit;
    double heights[2]; ///< of the segment's ends
    uint32_t sides;    ///< that may be nearer than the face, as bits
} BesideTriangle;

/// The end of a segment that is nearest to the face, where that is over it. Sides that neither end
/// is beyond have no nearest point but their corners; where the lower end is over the face, nothing
/// is nearer.
/// @return false where the segment goes through the face
static bool nearestOfFace(BesideTriangle* beside, const sdVec3d ends[2], sdSegmentPointsD* best) {
    const double* heights = beside->heights;
    const sdVec3d* c = beside->corners;
    bool isCrossing = (heights[0] > 0.0) != (heights[1] > 0.0);
    if (isCrossing) {
        double t = heights[0] / (heights[0] - heights[1]);
        sdVec3d p = sdMulAddD(ends[0], t, sdSubD(ends[1], ends[0]));
        if (sidesBeyond(c, beside->normal, p) == 0) {
            return false;
        }
    }
    uint32_t beyond[2] = {sidesBeyond(c, beside->normal, ends[0]),
                          sidesBeyond(c, beside->normal, ends[1])};
    beside->sides = beyond[0] | beyond[1];
    for (int i = 0; i < 2; ++i) {
        double squared = heights[i] * heights[i];
        if (beyond[i] == 0 && squared < best->distanceSquared) {
            sdVec3d foot = sdMulAddD(ends[i], -heights[i], beside->unit);
            *best = (sdSegmentPointsD){foot, ends[i], 0.0, (double)i, squared};
        }
    }
    int lower = heights[1] * heights[1] < heights[0] * heights[0] ? 1 : 0;
    if (!isCrossing && beyond[lower] == 0) {
        beside->sides = 0;
    }
    return true;
}

/// The nearest points of a triangle and a segment: of one of its ends over the face, or of a side.
/// @param core receives that of the segment
/// @return false where they meet, or nearly so: there is no direction between them
static bool nearestOfTriangleToSegment(const sdVec3 corners[3], const sdVec3d ends[2],
                                       Nearest* nearest, sdVec3d* core) {
    BesideTriangle beside = {
        .corners = {sdVec3d_From(corners[0]), sdVec3d_From(corners[1]), sdVec3d_From(corners[2])},
        .sides = 7u};
    const sdVec3d* c = beside.corners;
    sdVec3d n = sdCrossD(sdSubD(c[1], c[0]), sdSubD(c[2], c[0])), longest = longestSide(c);
    double area = sdLengthD(n), side = sdDotD(longest, longest);
    sdSegmentPointsD best = {.distanceSquared = DBL_MAX};
    beside.normal = beside.unit = n;
    if (area > NO_AREA * side) {
        beside.unit = sdScaleD(1.0 / area, n);
        beside.heights[0] = sdDotD(beside.unit, sdSubD(ends[0], c[0]));
        beside.heights[1] = sdDotD(beside.unit, sdSubD(ends[1], c[0]));
        if (!nearestOfFace(&beside, ends, &best)) {
            return false;
        }
    }
    bool isFace = best.distanceSquared < DBL_MAX;
    for (int i = 0; i < 3; ++i) {
        if ((beside.sides >> i & 1) == 0) {
            continue;
        }
        sdSegmentPointsD points =
            sdClosestPointsOfSegmentsD(c[i], c[(i + 1) % 3], ends[0], ends[1]);
        isFace = isFace && best.distanceSquared <= points.distanceSquared;
        best = points.distanceSquared < best.distanceSquared ? points : best;
    }
    sdVec3d d = sdSubD(best.pointB, best.pointA);
    double distance = sqrt(best.distanceSquared);
    double size = sqrt(side) + sdLengthD(ends[0]) + sdLengthD(ends[1]);
    if (!(distance > NEARLY_TOUCH * size)) {
        return false;
    }
    bool isBelow = beside.heights[best.t > 0.5 ? 1 : 0] < 0.0;
    sdVec3d normal =
        isFace ? sdScaleD(isBelow ? -1.0 : 1.0, beside.unit) : sdScaleD(1.0 / distance, d);
    *nearest = (Nearest){distance, normal, best.pointA};
    *core = best.pointB;
    return true;
}

/// @param center, axis of the capsule, in the triangle's frame
static bool triangleAndCapsule(const sdShape* triangle, const sdShape* capsule, sdVec3d center,
                               sdVec3d axis, sdPairResult* out) {
    double half = (double)capsule->capsule.halfLength;
    sdVec3d ends[2] = {sdMulAddD(center, -half, axis), sdMulAddD(center, half, axis)}, core;
    Nearest nearest;
    if (!nearestOfTriangleToSegment(triangle->triangle.vertices, ends, &nearest, &core)) {
        return false;
    }
    setResult(out, &nearest, 0.0, (double)capsule->capsule.radius, core);
    return true;
}

/// Written so that NaN is refused.
static bool isSize(float size) {
    return size >= 0.0f && size <= SD_MAX_REACH;
}

static bool isPlace(sdVec3 p) {
    return sdAbsF(p.x) <= SD_MAX_REACH && sdAbsF(p.y) <= SD_MAX_REACH &&
           sdAbsF(p.z) <= SD_MAX_REACH;
}

static bool isUsable(const sdShape* shape) {
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            return isSize(shape->sphere.radius);
        case SD_SHAPE_CAPSULE:
            return isSize(shape->capsule.halfLength) && isSize(shape->capsule.radius);
        case SD_SHAPE_BOX:
            return isSize(shape->box.halfExtents.x) && isSize(shape->box.halfExtents.y) &&
                   isSize(shape->box.halfExtents.z);
        case SD_SHAPE_CYLINDER:
            return isSize(shape->cylinder.halfHeight) && isSize(shape->cylinder.radius);
        case SD_SHAPE_CONE:
            return isSize(shape->cone.halfHeight) && isSize(shape->cone.radius);
        case SD_SHAPE_TRIANGLE:
            return isPlace(shape->triangle.vertices[0]) && isPlace(shape->triangle.vertices[1]) &&
                   isPlace(shape->triangle.vertices[2]);
        default:
            return false;
    }
}

bool sdPrimitive_Separation(const sdShape* a, const sdShape* b, sdTransform xfAB,
                            sdPairResult* out) {
    if (!isUsable(a) || !isUsable(b) || !sdQuat_IsUnit(xfAB.q) || !isPlace(xfAB.p)) {
        return false;
    }
    sdPose pose;
    sdPose_Set(&pose, xfAB);
    if (b->type == SD_SHAPE_SPHERE) {
        Nearest nearest = nearestOf(a, pose.offset);
        setResult(out, &nearest, radiusOf(a), radiusOf(b), pose.offset);
    } else if (a->type == SD_SHAPE_SPHERE) {
        sdVec3d center = sdPose_InvPoint(&pose, sdV3d(0.0, 0.0, 0.0));
        Nearest nearest = nearestOf(b, center);
        setResult(out, &nearest, radiusOf(b), radiusOf(a), center);
        sdPairResult_Mirror(out, &pose);
    } else if (a->type == SD_SHAPE_CAPSULE && b->type == SD_SHAPE_CAPSULE) {
        capsules(a, b, &pose, out);
    } else if (a->type == SD_SHAPE_TRIANGLE && b->type == SD_SHAPE_CAPSULE) {
        return triangleAndCapsule(a, b, pose.offset, pose.columns[1], out);
    } else if (a->type == SD_SHAPE_CAPSULE && b->type == SD_SHAPE_TRIANGLE) {
        sdVec3d center = sdPose_InvPoint(&pose, sdV3d(0.0, 0.0, 0.0));
        sdVec3d axis = sdPose_InvRotate(&pose, sdV3d(0.0, 1.0, 0.0));
        if (!triangleAndCapsule(b, a, center, axis, out)) {
            return false;
        }
        sdPairResult_Mirror(out, &pose);
    } else {
        return false;
    }
    return true;
}
