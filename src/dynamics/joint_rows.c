// SPDX-License-Identifier: MIT
// joint_rows.c - see joint_rows.h.
//
// Ref:  soft constraints as in Catto, "Soft Constraints", GDC 2011; S2 §10 for what joints remove.
// Note: with q the rotation from A's frame to B's, v and s its vector and scalar part, and w the
//       difference of angular velocities in A's frame: v' = ½ (s w + w × v), s' = -½ w · v.

#include "dynamics/joint_rows.h"

#include <float.h>

/// Damping ratio of rows that should not give, and sub-steps that their period has: a net under its
/// own weight stretches with the square of it. With 2.4 it shakes.
#define RIGID_DAMPING 2.0f
#define STEPS_PER_PERIOD 4.0f
/// Radians of a spring's swing in a sub-step, the more damped the fewer, that steps still resolve.
#define RESOLVED_TURN 0.5
/// Length, m, below which a direction is not known.
#define SMALL_LENGTH 1e-6f
/// rad outside of a cone beyond which it is no longer measured by the cosine.
#define FAR_SWING 0.3f
/// Nor where the cosine changes by less than this share of what it does at the limit: axes that
/// point away from each other would be thrown.
#define LEAST_SLOPE 0.8f
/// Sine of the narrowest cone.
#define SMALL_CONE 0.01f

sdSoftness sdSoftness_Make(float frequency, float dampingRatio, float h) {
    float omega = SD_JOINT_TURN * frequency;
    float a1 = 2.0f * dampingRatio + h * omega;
    float a2 = h * omega * a1;
    float a3 = 1.0f / (1.0f + a2);
    return (sdSoftness){h * omega * omega * a3, a2 * a3, a3};
}

sdSoftness sdSoftness_Rigid(float h) {
    return sdSoftness_Make(1.0f / (STEPS_PER_PERIOD * h), RIGID_DAMPING, h);
}

/// e to a small x.
static double exponential(double x) {
    double r = 1.0;
    for (int i = 12; i > 0; --i) {
        r = 1.0 + x * r / (double)i;
    }
    return r;
}

// Implicit steps of x'' = -k x - c x' have eigenvalues whose product is 1 / D, D = 1 + h c + h² k;
// what dies away as exp(-ζ ω t) has exp(-2 ζ ω h).
sdSoftness sdSoftness_Spring(float frequency, float dampingRatio, float h) {
    double turn = (double)(SD_JOINT_TURN * frequency * h), damping = (double)dampingRatio;
    if (!(turn * (1.0 + damping) < RESOLVED_TURN)) {
        return sdSoftness_Make(frequency, dampingRatio, h);
    }
    double shrink = exponential(-2.0 * damping * turn);
    return (sdSoftness){(float)(turn * turn * shrink) / h, (float)(1.0 - shrink), (float)shrink};
}

// ---- measures ------------------------------------------------------------------------------

static sdVec3 unitAxis(int i) {
    return sdV3(i == 0 ? 1.0f : 0.0f, i == 1 ? 1.0f : 0.0f, i == 2 ? 1.0f : 0.0f);
}

static float component(sdVec3 v, int i) {
    return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

sdVec3 sdJointRows_Axis(const sdJointRows* rows, int i) {
    return sdRotate(rows->frame, unitAxis(i));
}

// a = 2 atan2(v_i, s); a' = 2 (v_i' s - v_i s') / (s² + v_i²)
float sdJointRows_Twist(const sdJointRows* rows, int i, sdVec3* direction) {
    sdVec3 v = rows->relative.v, e = unitAxis(i);
    float s = rows->relative.s, c = component(v, i);
    float square = s * s + c * c;
    sdVec3 j = e;
    if (square > SD_JOINT_SMALL_SINE * SD_JOINT_SMALL_SINE) {
        j = sdAdd(sdScale(s * s, e), sdAdd(sdScale(s, sdCross(v, e)), sdScale(c, v)));
        j = sdScale(1.0f / square, j);
    }
    *direction = sdRotate(rows->frame, j);
    return 2.0f * sdAtan2(c, s);
}

/// Angle between both x axes.
static float swingOf(sdQuat relative) {
    sdVec3 x = sdRotate(relative, unitAxis(0));
    return sdAtan2(sdLength(sdCross(unitAxis(0), x)), x.x);
}

float sdJointRows_Length(const sdJointRows* rows, sdVec3* direction) {
    float length = sdLength(rows->offset);
    *direction =
        length > SMALL_LENGTH ? sdScale(1.0f / length, rows->offset) : sdJointRows_Axis(rows, 0);
    return length;
}

// ---- rows ----------------------------------------------------------------------------------

static sdJointRow* addRow(sdJointRows* rows, int slot) {
    sdJointRow* row = &rows->rows[rows->count++];
    *row = (sdJointRow){
        .lower = -FLT_MAX,
        .upper = FLT_MAX,
        .slot = slot,
    };
    return row;
}

/// Place along or about an axis, with its direction in the row.
static float measure(sdJointRow* row, const sdJointRows* rows, int axis) {
    if (axis < SD_AXIS_TURN_X) {
        row->kind = SD_ROW_MOVE;
        row->axis = sdJointRows_Axis(rows, axis);
        return sdDot(row->axis, rows->offset);
    }
    row->kind = SD_ROW_TURN;
    return sdJointRows_Twist(rows, axis - SD_AXIS_TURN_X, &row->axis);
}

/// A limit gives nothing; what it has given all the same goes bit by bit.
static void makeLimit(sdJointRow* row, float h) {
    row->isLimit = true;
    row->range = SD_JOINT_ENDLESS;
    row->lower = 0.0f;
    row->softness = (sdSoftness){SD_JOINT_LIMIT_SHARE / h, 1.0f, 0.0f};
}

/// A difference of angles, the short way round.
static float wrap(float angle) {
    return angle > 0.5f * SD_JOINT_TURN    ? angle - SD_JOINT_TURN
           : angle < -0.5f * SD_JOINT_TURN ? angle + SD_JOINT_TURN
                                           : angle;
}

/// Make a row of a place that must be within limits, for the nearer one.
static void setLimit(sdJointRow* row, float place, const sdJointAxis* settings, bool isAngle,
                     float h) {
    float above = place - settings->lower, below = settings->upper - place;
    // an angle beyond one limit may have less to go to the other, round the back
    if (isAngle && below < 0.0f) {
        above -= SD_JOINT_TURN;
    } else if (isAngle && above < 0.0f) {
        below -= SD_JOINT_TURN;
    }
    bool isBack = above < 0.0f && below < 0.0f;
    makeLimit(row, h);
    row->range = sdMinF(settings->upper - settings->lower, SD_JOINT_ENDLESS);
    row->error = above;
    if (isBack ? below > above : below < above) {
        row->error = below;
        row->axis = sdNeg(row->axis);
        row->isUpper = true;
    }
}

static void setDrive(sdJointRow* row, const sdJointAxis* settings, float place, bool isAngle,
                     float h) {
    float impulse = settings->maxForce < FLT_MAX ? settings->maxForce * h : FLT_MAX;
    row->lower = -impulse;
    row->upper = impulse;
    row->isSoft = true;
    row->softness = (sdSoftness){0.0f, 1.0f, 0.0f}; // rigid, as far as its force goes
    if (settings->drive == SD_DRIVE_MOTOR) {
        row->target = settings->target;
    } else if (settings->drive == SD_DRIVE_SPRING) {
        float error = place - settings->target;
        row->error = isAngle ? wrap(error) : error;
        row->softness = sdSoftness_Spring(settings->frequency, settings->dampingRatio, h);
        row->isSpring = true;
    }
}

// C = 2 v_i, C' = s w_i + (w × v)_i = w · (s e_i + v × e_i): right for any turn about other axes
static void setTurnLock(sdJointRow* row, const sdJointRows* rows, int i) {
    sdVec3 e = unitAxis(i), v = rows->relative.v;
    sdVec3 j = sdAdd(sdScale(rows->relative.s, e), sdCross(v, e));
    row->kind = SD_ROW_TURN;
    row->error = 2.0f * component(v, i);
    row->axis = sdRotate(rows->frame, j);
}

void sdJointRows_AddLock(sdJointRows* rows, int axis) {
    sdJointRow* row = addRow(rows, 2 * axis);
    row->softness = sdSoftness_Rigid(rows->h);
    if (axis < SD_AXIS_TURN_X) {
        row->error = measure(row, rows, axis);
    } else {
        setTurnLock(row, rows, axis - SD_AXIS_TURN_X);
    }
}

void sdJointRows_AddAxis(sdJointRows* rows, int axis, const sdJointAxis* settings) {
    // drives come first: what must hold has the last word
    if (settings->drive != SD_DRIVE_NONE && settings->mode != SD_AXIS_LOCKED) {
        sdJointRow* row = addRow(rows, 2 * axis + 1);
        float place = measure(row, rows, axis);
        setDrive(row, settings, place, axis >= SD_AXIS_TURN_X, rows->h);
    }
    if (settings->mode == SD_AXIS_LOCKED) {
        sdJointRows_AddLock(rows, axis);
    } else if (settings->mode == SD_AXIS_LIMITED) {
        sdJointRow* row = addRow(rows, 2 * axis);
        float place = measure(row, rows, axis);
        setLimit(row, place, settings, axis >= SD_AXIS_TURN_X, rows->h);
    }
}

bool sdCone_IsOpen(float angle) {
    return angle >= 0.5f * SD_JOINT_TURN;
}

sdJointCone sdJointCone_Make(float angle) {
    return (sdJointCone){1.0f / sdMaxF(sdSin(angle), SMALL_CONE), sdCos(angle)};
}

void sdJointRow_LeaveCone(sdJointRow* row, sdQuat relative, float angle) {
    sdVec3 normal = sdCross(row->other, row->axis);
    float swing = swingOf(relative);
    if (swing > angle + FAR_SWING ||
        (swing > angle && row->scale * sdLength(normal) < LEAST_SLOPE)) {
        // there the cosine does not tell how far it is: turn back about the common normal
        row->kind = SD_ROW_TURN;
        row->axis = sdLength(normal) > FLT_MIN ? sdNormalize(normal) : sdPerp(row->axis);
        row->error = angle - swing;
    }
}

// With the axes x of both frames: C = (xA · xB - cos α) / sin α, C' = (xB × xA) · (wB - wA) / sin
// α. Near the limit that is as good as α less the angle, and it follows axes that go round the
// cone.
void sdJointRows_AddCone(sdJointRows* rows, float angle) {
    if (sdCone_IsOpen(angle)) {
        return;
    }
    sdJointRow* row = addRow(rows, SD_JOINT_CONE_ROW);
    makeLimit(row, rows->h);
    row->kind = SD_ROW_CONE;
    row->axis = sdJointRows_Axis(rows, 0);
    row->other = sdRotate(rows->frame, sdRotate(rows->relative, unitAxis(0)));
    sdJointCone cone = sdJointCone_Make(angle);
    row->scale = cone.scale;
    float cosine = sdDot(row->axis, row->other);
    row->error = row->scale * (cosine - cone.cosine);
    if (!(cosine > cone.cosine + SD_JOINT_SURELY_INSIDE)) {
        sdJointRow_LeaveCone(row, rows->relative, angle);
    }
}

void sdJointRows_AddDistance(sdJointRows* rows, const sdJointAxis* settings) {
    sdVec3 direction;
    float length = sdJointRows_Length(rows, &direction);
    if (settings->drive != SD_DRIVE_NONE) {
        sdJointRow* row = addRow(rows, 1);
        row->kind = SD_ROW_LINE;
        row->axis = direction;
        setDrive(row, settings, length, false, rows->h);
    }
    if (settings->mode == SD_AXIS_FREE) {
        return;
    }
    sdJointRow* row = addRow(rows, 0);
    row->kind = SD_ROW_LINE;
    row->axis = direction;
    if (settings->upper > settings->lower) {
        setLimit(row, length, settings, false, rows->h);
    } else {
        row->softness = sdSoftness_Rigid(rows->h);
        row->error = length - settings->lower;
    }
}
