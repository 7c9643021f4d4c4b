// SPDX-License-Identifier: MIT
// toi_ball.c - when a ball first touches a convex body: most bullets are balls.
//
// In:   a ball about the centre of its sweep, which so has no turn; a convex body that may turn.
// Out:  as sdTimeOfImpact: the time at which their separation is down to the target.
// Ref:  Mirtich, "Impulse-based dynamic simulation", 1996, conservative advancement.
// Note: distances of a point have closed forms (collide_primitive.c), and the gap along their
//       normal shrinks by no more than the approach along it and the turn of the other: against a
//       face that does not turn that is exact, and the second step is the last. Never allocates.

#include "narrow/toi.h"

/// Steps after which it is left to the general method; 2 to 5 are usual.
#define MAX_STEPS 48
/// How exactly the target is met, as a part of it.
#define MEET 0.25f

bool sdToi_IsBallPair(const sdToiInput* input) {
    return input->a->type == SD_SHAPE_SPHERE && sdShape_IsConvex(input->b) &&
           input->method == SD_TOI_CONSERVATIVE && input->target > 0.0f &&
           sdLengthSquared(input->sweepA.center) == 0.0f;
}

static sdTransform poseAt(const sdSweep* sweep, float t) {
    return sdLengthSquared(sweep->rotation) > 0.0f
               ? sdSweep_Pose(sweep, t)
               : sdTransform_Make(sdMulAdd(sweep->start.p, t, sweep->translation), sweep->start.q);
}

/// No point of the body is further from the centre of its sweep.
static float radiusOf(const sdShape* shape, sdVec3 center) {
    sdAABB box = sdShape_GetBounds(shape, sdTransform_Identity());
    return sdLength(sdMax(sdAbs(sdSub(box.lower, center)), sdAbs(sdSub(box.upper, center))));
}

sdToiResult sdToi_AdvanceBall(const sdToiInput* input) {
    const sdSweep *a = &input->sweepA, *b = &input->sweepB;
    sdVec3 approach = sdSub(b->translation, a->translation);
    bool turns = sdLengthSquared(b->rotation) > 0.0f;
    float radius = turns ? radiusOf(input->b, b->center) : 0.0f;
    float t = 0.0f, reach = (1.0f + MEET) * input->target;
    for (int i = 0; i < MAX_STEPS; ++i) {
        sdTransform poseB = poseAt(b, t);
        sdVec3 center = sdMulAdd(a->start.p, t, a->translation);
        sdTransform xf = {sdInvTransformPoint(poseB, center), sdQuat_Identity()};
        sdSeparation at = sdDistance(input->b, input->a, xf, NULL);
        if (at.status == SD_STATUS_INVALID) {
            break;
        }
        sdVec3 out = sdRotate(poseB.q, at.normal);
        if (at.separation <= reach) {
            bool isInside = at.separation <= 0.0f && t == 0.0f;
            sdVec3 middle = sdScale(0.5f, sdAdd(at.pointA, at.pointB));
            return (sdToiResult){.state = isInside ? SD_TOI_OVERLAPPED : SD_TOI_HIT,
                                 .time = t,
                                 .point = sdTransformPoint(poseB, middle),
                                 .normal = sdNeg(out),
                                 .status = SD_STATUS_TOLERANCE,
                                 .iterations = i + 1,
                                 .error = FLT_EPSILON};
        }
        float speed = sdDot(approach, out);
        speed += turns ? sdLength(sdCross(b->rotation, out)) * radius : 0.0f;
        float rest = (1.0f - t) * speed, gap = at.separation - input->target;
        if (rest <= gap) {
            return (sdToiResult){.time = 1.0f,
                                 .status = SD_STATUS_TOLERANCE,
                                 .iterations = i + 1,
                                 .error = FLT_EPSILON};
        }
        t += gap / speed;
    }
    return sdTimeOfImpact(input);
}
