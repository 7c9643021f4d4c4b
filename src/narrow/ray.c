// SPDX-License-Identifier: MIT
// ray.c - where a segment enters a shape: closed forms.
//
// In:   a shape, a segment in its frame.
// Out:  first common point and the normal there; at once when the segment starts inside.
// Note: a convex solid meets a line in one interval. Each shape gives that interval, in metres from
//       the point of the line nearest to the shape's origin: so a small shape far away is as exact
//       as one nearby. In double. Never allocates.

#include "geometry/hull.h"
#include "narrow/collide_mesh.h"
#include "narrow/pair.h"

/// A line: base + s * direction.
typedef struct Line {
    sdVec3d base; ///< of all its points the nearest to the frame's origin
    sdVec3d direction;
} Line;

/// The part of a line inside a solid. Empty when leave < enter.
typedef struct Interval {
    double enter, leave;
    sdVec3d normal; ///< of the surface at `enter`
} Interval;

static const Interval everything = {-DBL_MAX, DBL_MAX, {0.0, 0.0, 0.0}};
static const Interval nothing = {DBL_MAX, -DBL_MAX, {0.0, 0.0, 0.0}};

static sdVec3d pointAt(const Line* line, double s) {
    return sdMulAddD(line->base, s, line->direction);
}

/// Keep what is below a plane: height and slope of the line over it.
static void clip(Interval* part, double height, double slope, sdVec3d normal) {
    if (slope < 0.0) {
        double s = -height / slope;
        if (s > part->enter) {
            part->enter = s;
            part->normal = normal;
        }
    } else if (slope > 0.0) {
        double s = -height / slope;
        part->leave = s < part->leave ? s : part->leave;
    } else if (height > 0.0) {
        *part = nothing;
    }
}

/// Keep -half <= coordinate <= half.
static void clipSlab(Interval* part, double base, double direction, double half, sdVec3d axis) {
    clip(part, base - half, direction, axis);
    clip(part, -base - half, -direction, sdScaleD(-1.0, axis));
}

/// Where two coordinates of the line are in a circle about the origin.
static bool cutCircle(double px, double pz, double dx, double dz, double radius, double* first,
                      double* last) {
    double dd = dx * dx + dz * dz;
    if (dd == 0.0) {
        *first = -DBL_MAX;
        *last = DBL_MAX;
        return px * px + pz * pz <= radius * radius;
    }
    // from the point nearest to the axis, so that nothing cancels
    double middle = -(px * dx + pz * dz) / dd;
    double x = px + middle * dx, z = pz + middle * dz;
    double rest = radius * radius - (x * x + z * z);
    if (rest < 0.0) {
        return false;
    }
    double half = sqrt(rest / dd);
    *first = middle - half;
    *last = middle + half;
    return true;
}

static sdVec3d unitOr(sdVec3d v, sdVec3d otherwise) {
    double length = sdLengthD(v);
    return length > 0.0 ? sdScaleD(1.0 / length, v) : otherwise;
}

// ---- round shapes --------------------------------------------------------------------------

static Interval cutSphere(const Line* line, sdVec3d center, double radius) {
    sdVec3d base = sdSubD(line->base, center);
    double middle = -sdDotD(base, line->direction);
    sdVec3d nearest = sdMulAddD(base, middle, line->direction);
    double rest = radius * radius - sdDotD(nearest, nearest);
    if (rest < 0.0) {
        return nothing;
    }
    double half = sqrt(rest);
    sdVec3d out = sdMulAddD(nearest, -half, line->direction);
    return (Interval){middle - half, middle + half, unitOr(out, sdScaleD(-1.0, line->direction))};
}

/// The side of a cylinder about y, without ends.
static Interval cutSide(const Line* line, double radius) {
    sdVec3d p = line->base, d = line->direction;
    Interval part = everything;
    if (!cutCircle(p.x, p.z, d.x, d.z, radius, &part.enter, &part.leave)) {
        return nothing;
    }
    if (part.enter > -DBL_MAX) {
        sdVec3d at = pointAt(line, part.enter);
        part.normal = unitOr(sdV3d(at.x, 0.0, at.z), unitOr(sdV3d(-d.x, 0.0, -d.z), part.normal));
    }
    return part;
}

static Interval cutCylinder(const Line* line, sdCylinder cylinder) {
    Interval part = cutSide(line, (double)cylinder.radius);
    clipSlab(&part, line->base.y, line->direction.y, (double)cylinder.halfHeight,
             sdV3d(0.0, 1.0, 0.0));
    return part;
}

static Interval join(Interval a, Interval b) {
    if (a.leave < a.enter || b.leave < b.enter) {
        return a.leave < a.enter ? b : a;
    }
    Interval first = a.enter <= b.enter ? a : b;
    first.leave = a.leave > b.leave ? a.leave : b.leave;
    return first;
}

/// Two balls and the cylinder between them: together convex, so their intervals join.
static Interval cutCapsule(const Line* line, sdCapsule capsule) {
    double h = (double)capsule.halfLength, r = (double)capsule.radius;
    sdCylinder middle = {capsule.halfLength, capsule.radius};
    Interval part = cutCylinder(line, middle);
    part = join(part, cutSphere(line, sdV3d(0.0, h, 0.0), r));
    return join(part, cutSphere(line, sdV3d(0.0, -h, 0.0), r));
}

/// Normal of a cone's slope at a point of it.
static sdVec3d slopeNormal(sdCone cone, sdVec3d at, sdVec3d direction) {
    sdVec3d side = unitOr(sdV3d(at.x, 0.0, at.z), sdV3d(0.0, 0.0, 0.0));
    sdVec3d n = sdScaleD(2.0 * (double)cone.halfHeight, side);
    n.y = (double)cone.radius;
    return unitOr(n, sdScaleD(-1.0, direction));
}

/// Points below the apex with 2 h |side| <= r depth, where depth is counted from the apex.
static Interval cutSlope(const Line* line, sdCone cone) {
    double h2 = 2.0 * (double)cone.halfHeight, r = (double)cone.radius;
    sdVec3d p = line->base, d = line->direction;
    double depth = (double)cone.halfHeight - p.y;
    double a = h2 * h2 * (d.x * d.x + d.z * d.z) - r * r * d.y * d.y;
    double b = h2 * h2 * (p.x * d.x + p.z * d.z) + r * r * depth * d.y;
    double c = h2 * h2 * (p.x * p.x + p.z * p.z) - r * r * depth * depth;
    // the discriminant without its largest terms, which cancel
    double cross = p.x * d.z - p.z * d.x;
    double ex = depth * d.x + p.x * d.y, ez = depth * d.z + p.z * d.y;
    double rest = h2 * h2 * (r * r * (ex * ex + ez * ez) - h2 * h2 * cross * cross);
    Interval part = everything;
    if (a == 0.0) {
        clip(&part, c, 2.0 * b, sdV3d(0.0, 0.0, 0.0));
    } else if (a > 0.0) {
        if (rest < 0.0) {
            return nothing;
        }
        double root = sqrt(rest);
        double q = b > 0.0 ? -(b + root) : root - b;
        double s0 = q / a, s1 = q != 0.0 ? c / q : 0.0;
        part.enter = s0 < s1 ? s0 : s1;
        part.leave = s0 < s1 ? s1 : s0;
    } else {
        // a line steeper than the slope: out of the cone through its base side, far away
        double root = sqrt(rest > 0.0 ? rest : 0.0);
        double q = b > 0.0 ? -(b + root) : root - b;
        double s0 = q / a, s1 = q != 0.0 ? c / q : 0.0;
        if (d.y < 0.0) {
            part.enter = s0 > s1 ? s0 : s1;
        } else {
            part.leave = s0 < s1 ? s0 : s1;
        }
    }
    if (part.enter > -DBL_MAX && part.enter < DBL_MAX) {
        part.normal = slopeNormal(cone, pointAt(line, part.enter), d);
    }
    return part;
}

/// The slope of the cone, below its apex and above its base. A cone without height is a disc.
static Interval cutCone(const Line* line, sdCone cone) {
    double h = (double)cone.halfHeight;
    Interval part = h > 0.0 ? cutSlope(line, cone) : cutSide(line, (double)cone.radius);
    clipSlab(&part, line->base.y, line->direction.y, h, sdV3d(0.0, 1.0, 0.0));
    return part;
}

// ---- flat shapes ---------------------------------------------------------------------------

static Interval cutBox(const Line* line, sdBox box) {
    sdVec3d p = line->base, d = line->direction;
    Interval part = everything;
    clipSlab(&part, p.x, d.x, (double)box.halfExtents.x, sdV3d(1.0, 0.0, 0.0));
    clipSlab(&part, p.y, d.y, (double)box.halfExtents.y, sdV3d(0.0, 1.0, 0.0));
    clipSlab(&part, p.z, d.z, (double)box.halfExtents.z, sdV3d(0.0, 0.0, 1.0));
    return part;
}

static Interval cutHull(const Line* line, const sdHull* hull) {
    Interval part = everything;
    int entered = SD_NULL_INDEX;
    for (int f = 0; f < hull->faceCount; ++f) {
        sdVec3d n = sdVec3d_From(hull->planes[f].normal);
        double enter = part.enter;
        clip(&part, sdDotD(n, line->base) - (double)hull->planes[f].offset,
             sdDotD(n, line->direction), n);
        entered = part.enter > enter ? f : entered;
        if (part.leave < part.enter) {
            return nothing;
        }
    }
    if (entered != SD_NULL_INDEX) {
        part.normal = unitOr(part.normal, part.normal);
    }
    return part;
}

/// A triangle is the plate between its three sides. One without area is not hit.
static Interval cutTriangle(const Line* line, const sdTriangle* triangle) {
    sdVec3d v[3];
    for (int i = 0; i < 3; ++i) {
        v[i] = sdVec3d_From(triangle->vertices[i]);
    }
    sdVec3d normal = sdCrossD(sdSubD(v[1], v[0]), sdSubD(v[2], v[0]));
    if (!(sdDotD(normal, normal) > 0.0)) {
        return nothing;
    }
    normal = unitOr(normal, normal);
    Interval part = everything;
    clipSlab(&part, sdDotD(normal, sdSubD(line->base, v[0])), sdDotD(normal, line->direction), 0.0,
             normal);
    for (int i = 0; i < 3; ++i) {
        sdVec3d out = sdCrossD(sdSubD(v[(i + 1) % 3], v[i]), normal);
        out = unitOr(out, out);
        // the interval is one point unless the ray lies in the plane: on a side it counts as inside
        double height = sdDotD(out, sdSubD(line->base, v[i]));
        double slope = sdDotD(out, line->direction);
        if (part.enter == part.leave) {
            double size = sdLengthD(line->base) + sdLengthD(v[i]);
            if (height + slope * part.enter > (double)FLT_EPSILON * 1e-6 * size) {
                return nothing;
            }
        } else {
            clip(&part, height, slope, out);
        }
    }
    return part;
}

// ---- all -----------------------------------------------------------------------------------

static Interval cut(const sdShape* shape, const Line* line) {
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            return cutSphere(line, sdV3d(0.0, 0.0, 0.0), (double)shape->sphere.radius);
        case SD_SHAPE_CAPSULE:
            return cutCapsule(line, shape->capsule);
        case SD_SHAPE_BOX:
            return cutBox(line, shape->box);
        case SD_SHAPE_CYLINDER:
            return cutCylinder(line, shape->cylinder);
        case SD_SHAPE_CONE:
            return cutCone(line, shape->cone);
        case SD_SHAPE_TRIANGLE:
            return cutTriangle(line, &shape->triangle);
        default:
            return cutHull(line, shape->hull);
    }
}

static sdRayHit startHit(sdVec3 origin, sdVec3d back) {
    return (sdRayHit){.isHit = true,
                      .point = origin,
                      .normal = sdVec3d_Round(back),
                      .child = SD_NULL_INDEX,
                      .iterations = 1};
}

static sdRayHit raycastConvex(const sdShape* shape, sdVec3 origin, sdVec3 translation) {
    sdVec3d from = sdVec3d_From(origin), way = sdVec3d_From(translation);
    double length = sdLengthD(way);
    sdRayHit miss = {.fraction = 1.0f, .child = SD_NULL_INDEX, .iterations = 1};
    if (length == 0.0) {
        bool isInside = sdShape_ContainsPoint(shape, origin);
        return isInside ? startHit(origin, sdV3d(0.0, 1.0, 0.0)) : miss;
    }
    sdVec3d direction = sdScaleD(1.0 / length, way);
    double start = sdDotD(from, direction);
    Line line = {sdMulAddD(from, -start, direction), direction};
    Interval part = cut(shape, &line);
    // leave < enter: nothing; else the segment from start to start + length may reach it
    if (part.leave < part.enter || part.leave < start || part.enter > start + length) {
        return miss;
    }
    if (part.enter <= start) {
        return startHit(origin, sdScaleD(-1.0, direction));
    }
    sdRayHit hit = miss;
    hit.isHit = true;
    hit.fraction = sdMinF((float)((part.enter - start) / length), 1.0f);
    hit.point = sdVec3d_Round(pointAt(&line, part.enter));
    hit.normal = sdVec3d_Round(part.normal);
    return hit;
}

sdRayHit sdRaycast(const sdShape* shape, sdVec3 origin, sdVec3 translation) {
    bool isValid =
        sdShape_IsValid(shape) && sdVec3_IsFinite(origin) && sdVec3_IsFinite(translation);
    if (!isValid) {
        return (sdRayHit){.child = SD_NULL_INDEX, .status = SD_STATUS_INVALID};
    }
    return sdShape_IsConvex(shape) ? raycastConvex(shape, origin, translation)
                                   : sdMeshPair_Raycast(shape, origin, translation, raycastConvex);
}
