// SPDX-License-Identifier: MIT
// query_meet.c - how a ray, a moving shape or a point of the world meets one shape of a body.
//
// In:   a mover in double, a shape of a body.
// Out:  the hit in the world, its distance in double. Never allocates.
// Note: pair queries work in floats, in the frame of the shape. So the mover is first brought, in
//       double, to where it comes near the shape: a ray from 1000 km away starts beside it. A
//       half-space has no place of its own, so it is met right below the mover.

#include "dynamics/query.h"

/// By which the ball around a shape's box is enlarged: more than the rounding of everything in it.
#define BALL_SLACK 1e-5
/// Rounding of a sum in double, relative to its terms, and some room.
#define ROUNDING_D 1e-15
/// Part of the height over a half-space that is left for the pair query to go.
#define HEIGHT_LEFT 1e-3

// ---- movers --------------------------------------------------------------------------------

static void setWay(sdMover* mover, sdVec3 translation) {
    sdVec3d way = sdVec3d_From(translation);
    mover->length = sdLengthD(way);
    if (mover->length > 0.0) {
        mover->direction = sdScaleD(1.0 / mover->length, way);
    }
}

sdMover sdMover_Ray(const sdRay* ray) {
    sdMover mover = {.origin = ray->origin, .rotation = sdQuat_Identity()};
    setWay(&mover, ray->translation);
    return mover;
}

sdMover sdMover_Shape(const sdPlacedShape* placed, sdVec3 translation) {
    sdAABB box = sdShape_GetBounds(&placed->shape, sdTransform_Identity());
    sdVec3 corner = sdMax(sdAbs(box.lower), sdAbs(box.upper));
    sdMover mover = {.origin = placed->xf.p,
                     .rotation = sdNormalizeQ(placed->xf.q),
                     .shape = &placed->shape,
                     .radius = sdLengthD(sdVec3d_From(corner))};
    setWay(&mover, translation);
    return mover;
}

// ---- where they meet -----------------------------------------------------------------------

/// The part of the way on which mover and shape may touch.
typedef struct Meeting {
    double begin, end;      ///< m along the way
    sdWorldTransform frame; ///< of the shape
    sdVec3 place;           ///< of the mover at `begin`, in that frame
} Meeting;

static sdVec3d fromTo(sdPos a, sdPos b) {
    return sdV3d(b.x - a.x, b.y - a.y, b.z - a.z);
}

static sdPos pointOnWay(const sdMover* mover, double s) {
    const sdVec3d* d = &mover->direction;
    return sdPos_Make(mover->origin.x + s * d->x, mover->origin.y + s * d->y,
                      mover->origin.z + s * d->z);
}

static sdWorldTransform frameOf(const sdBody* body, const sdFixture* fixture) {
    sdVec3 offset = sdRotate(body->rotation, sdSub(fixture->def.xf.p, body->localCenter));
    return (sdWorldTransform){sdPos_Add(body->center, offset),
                              sdNormalizeQ(sdMulQ(body->rotation, fixture->def.xf.q))};
}

/// Near a ball around the shape's box.
static bool approachBox(const sdMover* mover, const sdWorldBox* box, Meeting* out) {
    sdVec3d size = fromTo(box->lower, box->upper);
    sdPos center = {box->lower.x + 0.5 * size.x, box->lower.y + 0.5 * size.y,
                    box->lower.z + 0.5 * size.z};
    sdVec3d to = fromTo(mover->origin, center);
    double middle = sdDotD(to, mover->direction);
    sdVec3d aside = sdMulAddD(to, -middle, mover->direction);
    double radius = (1.0 + BALL_SLACK) * (0.5 * sdLengthD(size) + mover->radius) +
                    ROUNDING_D * (fabs(middle) + mover->length);
    double rest = radius * radius - sdDotD(aside, aside);
    if (!(rest >= 0.0)) {
        return false;
    }
    double half = sqrt(rest);
    out->begin = middle - half > 0.0 ? middle - half : 0.0;
    out->end = middle + half < mover->length ? middle + half : mover->length;
    return out->begin <= out->end;
}

static bool approachHalfSpace(const sdMover* mover, Meeting* out) {
    // the frame's y axis, in double
    sdVec3d v = sdVec3d_From(out->frame.q.v);
    double s = (double)out->frame.q.s, n = 2.0 / (sdDotD(v, v) + s * s);
    sdVec3d up = {n * (v.x * v.y - s * v.z), 1.0 - n * (v.x * v.x + v.z * v.z),
                  n * (v.y * v.z + s * v.x)};
    double height = sdDotD(up, fromTo(out->frame.p, mover->origin));
    double slope = sdDotD(up, mover->direction);
    double near = 2.0 * mover->radius + HEIGHT_LEFT * fabs(height);
    out->begin = 0.0;
    out->end = mover->length;
    if (slope < 0.0) {
        double begin = (height - near) / -slope, end = (height + near) / -slope;
        out->begin = begin > 0.0 ? begin : 0.0;
        out->end = end > 0.0 && end < mover->length ? end : mover->length;
    } else if (height > near) {
        return false;
    }
    height += out->begin * slope;
    sdPos above = pointOnWay(mover, out->begin);
    out->frame.p =
        sdPos_Make(above.x - height * up.x, above.y - height * up.y, above.z - height * up.z);
    out->place = sdV3(0.0f, (float)height, 0.0f);
    return out->begin <= out->end;
}

static bool approach(const sdMover* mover, const sdWorld* world, int index, double limit,
                     Meeting* out) {
    const sdFixture* fixture = &world->fixtures.data[index];
    const sdBody* body = &world->bodies.data[fixture->body];
    if (fixture->def.shape.type == SD_SHAPE_HALF_SPACE) {
        out->frame = frameOf(body, fixture);
        return approachHalfSpace(mover, out) && out->begin <= limit;
    }
    if (!approachBox(mover, &world->boxes.data[index], out) || out->begin > limit) {
        return false;
    }
    out->frame = frameOf(body, fixture);
    sdVec3 place = sdPos_Sub(pointOnWay(mover, out->begin), out->frame.p);
    out->place = sdInvRotate(out->frame.q, place);
    return true;
}

static sdVec3 wayOf(const sdMover* mover, const Meeting* meeting) {
    sdVec3d way = sdScaleD(meeting->end - meeting->begin, mover->direction);
    return sdInvRotate(meeting->frame.q, sdVec3d_Round(way));
}

static sdTransform poseOf(const sdMover* mover, const Meeting* meeting) {
    return sdTransform_Make(meeting->place, sdInvMulQ(meeting->frame.q, mover->rotation));
}

static sdPos toWorld(const Meeting* meeting, sdVec3 point) {
    return sdPos_Add(meeting->frame.p, sdRotate(meeting->frame.q, point));
}

/// Distance and fraction, from the fraction of the part of the way that was looked at.
static bool setDistance(const sdMover* mover, const Meeting* meeting, float fraction, double limit,
                        sdQueryHit* hit) {
    hit->distance = meeting->begin + (double)fraction * (meeting->end - meeting->begin);
    hit->distance = hit->distance < mover->length ? hit->distance : mover->length;
    hit->fraction = mover->length > 0.0 ? (float)(hit->distance / mover->length) : 0.0f;
    return hit->distance <= limit;
}

// ---- hits ----------------------------------------------------------------------------------

bool sdMover_MeetAsRay(const sdMover* mover, const sdWorld* world, int fixture, double limit,
                       sdQueryHit* hit) {
    Meeting meeting;
    if (!approach(mover, world, fixture, limit, &meeting)) {
        return false;
    }
    const sdShape* shape = &world->fixtures.data[fixture].def.shape;
    sdRayHit found = sdRaycast(shape, meeting.place, wayOf(mover, &meeting));
    if (!found.isHit || !setDistance(mover, &meeting, found.fraction, limit, hit)) {
        return false;
    }
    hit->child = found.child;
    bool isAtStart = hit->distance == 0.0;
    hit->point = isAtStart ? mover->origin : toWorld(&meeting, found.point);
    hit->normal =
        mover->length > 0.0 ? sdRotate(meeting.frame.q, found.normal) : sdV3(0.0f, 1.0f, 0.0f);
    return true;
}

bool sdMover_MeetAsShape(const sdMover* mover, const sdWorld* world, int fixture, double limit,
                         sdQueryHit* hit) {
    Meeting meeting;
    if (!approach(mover, world, fixture, limit, &meeting)) {
        return false;
    }
    const sdShape* shape = &world->fixtures.data[fixture].def.shape;
    sdCastHit found =
        sdShapeCast(shape, mover->shape, poseOf(mover, &meeting), wayOf(mover, &meeting));
    if (!found.isHit || !setDistance(mover, &meeting, found.fraction, limit, hit)) {
        return false;
    }
    hit->child = found.childA;
    hit->point = toWorld(&meeting, found.point);
    hit->normal = sdRotate(meeting.frame.q, found.normal);
    return true;
}

bool sdMover_MeetAtRest(const sdMover* mover, const sdWorld* world, int fixture, double limit,
                        sdQueryHit* hit) {
    Meeting meeting;
    if (!approach(mover, world, fixture, limit, &meeting)) {
        return false;
    }
    const sdShape* shape = &world->fixtures.data[fixture].def.shape;
    sdTransform pose = poseOf(mover, &meeting);
    if (!sdOverlap(shape, mover->shape, pose, NULL).isOverlapping) {
        return false;
    }
    sdSeparation deep = sdPenetration(shape, mover->shape, pose, NULL);
    hit->child = deep.childA;
    hit->fraction = 0.0f;
    hit->distance = (double)sdMinF(deep.separation, 0.0f);
    hit->point = toWorld(&meeting, sdScale(0.5f, sdAdd(deep.pointA, deep.pointB)));
    hit->normal = sdRotate(meeting.frame.q, deep.normal);
    return true;
}

bool sdMover_MeetNearest(const sdMover* mover, const sdWorld* world, int fixture, double limit,
                         sdQueryHit* hit) {
    Meeting meeting;
    if (!approach(mover, world, fixture, limit, &meeting)) {
        return false;
    }
    const sdShape* shape = &world->fixtures.data[fixture].def.shape;
    sdShape point = sdShape_Sphere(0.0f);
    sdSeparation gap =
        sdDistance(shape, &point, sdTransform_Make(meeting.place, sdQuat_Identity()), NULL);
    if (gap.status == SD_STATUS_INVALID || !((double)gap.separation <= limit)) {
        return false;
    }
    bool isInside = gap.separation <= 0.0f;
    hit->child = gap.childA;
    hit->fraction = 0.0f;
    hit->distance = isInside ? 0.0 : (double)gap.separation;
    hit->point = isInside ? mover->origin : toWorld(&meeting, gap.pointA);
    hit->normal = isInside ? sdV3(0.0f, 0.0f, 0.0f) : sdRotate(meeting.frame.q, gap.normal);
    return true;
}
