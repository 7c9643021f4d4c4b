// SPDX-License-Identifier: MIT
// truth_free.c - bodies without contacts: a box in the air, a sleeping top, a pendulum.

#include "truth.h"

#include <math.h>
#include <stdio.h>

/// Angle between two rotations, rad.
static double angleBetween(sdQuat a, const double b[4]) {
    // the vector part of a b*, which small angles have to themselves
    double s = (double)a.s, x = (double)a.v.x, y = (double)a.v.y, z = (double)a.v.z;
    double v[3] = {x * b[3] - s * b[0] - y * b[2] + z * b[1],
                   y * b[3] - s * b[1] - z * b[0] + x * b[2],
                   z * b[3] - s * b[2] - x * b[1] + y * b[0]};
    double sine = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    return 2.0 * asin(fmin(sine, 1.0));
}

// ---- box in the air ------------------------------------------------------------------------
//
// S. Peters' benchmark of free bodies: 10 kg, 0.1 x 0.4 x 0.9 m, thrown and spun about its middle
// axis, which is not stable, so that it tumbles. Place: a parabola. Attitude: Euler's equations,
// integrated here in double; they give w_y = 0 at 1.1660, 4.1944 and 7.2228 s, as published
// (--check). Energy and angular momentum stay.

#define BOX_MASS 10.0
static const double boxSides[3] = {0.1, 0.4, 0.9}, boxVelocity[3] = {-2.0, 2.0, 8.0},
                    boxSpin[3] = {0.1, 5.0, 0.1};

static void buildFreeBox(sdSceneBuilder* builder) {
    sdBodyDef def = sdBodyDef_Default();
    def.velocity = sdV3((float)boxVelocity[0], (float)boxVelocity[1], (float)boxVelocity[2]);
    def.angularVelocity = sdV3((float)boxSpin[0], (float)boxSpin[1], (float)boxSpin[2]);
    sdVec3 half =
        sdV3(0.5f * (float)boxSides[0], 0.5f * (float)boxSides[1], 0.5f * (float)boxSides[2]);
    truth_AddBox(builder, &def, half, BOX_MASS);
}

static truthBody makeFreeBox(void) {
    truthBody body = {.q = {0.0, 0.0, 0.0, 1.0}, .m = BOX_MASS};
    for (int k = 0; k < 3; ++k) {
        double a = boxSides[(k + 1) % 3], b = boxSides[(k + 2) % 3];
        body.i[k] = BOX_MASS * (a * a + b * b) / 12.0;
        body.l[k] = body.i[k] * boxSpin[k];
    }
    return body;
}

/// Memory: 0 energy at the start, 1 .. 3 momentum at the start, 4 .. 7 worst errors.
static void watchFreeBox(truthRun* run) {
    sdMassProps props = truth_MassOf(run, 0);
    sdVec3 own = sdInvRotate(run->poses[0].q, run->angular[0]);
    sdVec3 l = sdRotate(run->poses[0].q, sdMulMV(props.inertia, own));
    double* m = run->memory;
    if (run->sampleCount == 0) {
        run->body = makeFreeBox();
        m[0] = truth_Energy(run);
        m[1] = (double)l.x, m[2] = (double)l.y, m[3] = (double)l.z;
        return;
    }
    truthBody_Advance(&run->body, run->time);
    double t = run->time;
    sdPos p = run->poses[0].p;
    double z = boxVelocity[2] * t + 0.5 * (double)run->test->gravity.z * t * t;
    double place = sqrt(truth_Square(p.x - boxVelocity[0] * t) +
                        truth_Square(p.y - boxVelocity[1] * t) + truth_Square(p.z - z));
    double off = sqrt(truth_Square((double)l.x - m[1]) + truth_Square((double)l.y - m[2]) +
                      truth_Square((double)l.z - m[3]));
    m[4] = fmax(m[4], angleBetween(run->poses[0].q, run->body.q));
    m[5] = fmax(m[5], fabs(truth_Energy(run) - m[0]) / m[0]);
    m[6] = fmax(m[6], off / sqrt(m[1] * m[1] + m[2] * m[2] + m[3] * m[3]));
    m[7] = fmax(m[7], place);
}

static void finishFreeBox(truthRun* run) {
    for (int k = 0; k < 4; ++k) {
        run->errors[k] = run->memory[4 + k];
    }
}

const truthTest truthFreeBox = {
    .name = "free-box",
    .title = "Box that tumbles in the air",
    .reference = "Euler's equations, integrated in double; a parabola; energy and momentum stay",
    .metrics = {{"attitude", "rad", 1e-5},
                {"energy", "share", 1e-6},
                {"angular momentum", "share", 1e-6},
                {"place", "m", 1e-5}},
    .seconds = 10.0,
    .rates = {30, 60, 120, 240, 480, 1000},
    .gravity = {0.0f, 0.0f, -9.8f},
    .build = buildFreeBox,
    .watch = watchFreeBox,
    .finish = finishFreeBox,
};

double truth_CheckFreeBox(void) {
    static const double zeros[] = {1.1660, 4.1944, 7.2228};
    truthBody body = makeFreeBox();
    double worst = 0.0, before = 1.0;
    int found = 0;
    for (int i = 1; i <= 80000 && found < 3; ++i) {
        truthBody_Advance(&body, 1e-4 * i);
        // about the body's own y: the part of L along it
        double axis[3], y[3] = {0.0, 1.0, 0.0};
        truthBody_Turn(&body, y, axis);
        double now = axis[0] * body.l[0] + axis[1] * body.l[1] + axis[2] * body.l[2];
        if (before * now < 0.0) {
            worst = fmax(worst, fabs(body.time - zeros[found]));
            found += 1;
        }
        before = now;
    }
    return found == 3 ? worst : INFINITY;
}

// ---- sleeping top --------------------------------------------------------------------------
//
// A disc on a massless axle that stands on its tip, spun about its axis of symmetry with 1.3 of the
// least spin at which it sleeps, w > 2 sqrt(I1 m g l) / I3 (I1 about the tip), and leaned by 0.1
// rad. Small leanings z = x + i y obey I1 z'' - i I3 w z' - m g l z = 0, whose roots are real just
// above that spin: it nods and goes round, and does not fall. The axis itself is compared with the
// equations of a body about a fixed point, integrated in double.

#define TOP_RADIUS 0.2
#define TOP_HALF_HEIGHT 0.02
#define TOP_ARM 0.2  // m from tip to centre
#define TOP_LEAN 0.1 // rad
#define TOP_SHARE 1.3

static double topSpin(double mass, double across, double along) {
    double about = across + mass * TOP_ARM * TOP_ARM;
    return TOP_SHARE * 2.0 * sqrt(about * mass * TRUTH_G * TOP_ARM) / along;
}

static void buildTop(sdSceneBuilder* builder) {
    // far below: it is only there to be hung on
    sdBodyId stand = sdSceneBuilder_AddStatic(builder, sdPos_Make(0.0, -1.0, 0.0),
                                              sdQuat_Identity(), sdShape_Sphere(0.05f));
    builder->density = 1000.0f;
    // of a cylinder: m r^2 / 2 along, m (3 r^2 + 4 h^2) / 12 across, h half of its height
    double m = 1000.0 * (double)SD_PI * TOP_RADIUS * TOP_RADIUS * 2.0 * TOP_HALF_HEIGHT;
    double along = 0.5 * m * TOP_RADIUS * TOP_RADIUS;
    double across =
        m * (3.0 * TOP_RADIUS * TOP_RADIUS + 4.0 * TOP_HALF_HEIGHT * TOP_HALF_HEIGHT) / 12.0;
    sdBodyDef def = sdBodyDef_Default();
    def.type = SD_BODY_DYNAMIC;
    def.rotation = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), (float)-TOP_LEAN);
    sdVec3 axis = sdRotate(def.rotation, sdV3(0.0f, 1.0f, 0.0f));
    def.position = sdPos_Add(sdPos_Make(0.0, 0.0, 0.0), sdScale((float)TOP_ARM, axis));
    def.angularVelocity = sdScale((float)topSpin(m, across, along), axis);
    sdBodyId top = sdSceneBuilder_Add(builder, &def,
                                      sdShape_Cylinder((float)TOP_HALF_HEIGHT, (float)TOP_RADIUS));
    sdJointDef joint = sdJointDef_Make(SD_JOINT_BALL, stand, top);
    sdSceneBuilder_Join(builder, &joint, sdPos_Make(0.0, 0.0, 0.0), sdV3(0.0f, 1.0f, 0.0f));
}

/// Memory: 0 energy at the start, 1 worst angle, 2 worst energy, 3 worst distance of tip.
static void watchTop(truthRun* run) {
    const int top = 1;
    double* m = run->memory;
    if (run->sampleCount == 0) {
        sdMassProps props = truth_MassOf(run, top);
        sdQuat q = run->poses[top].q;
        sdVec3 own = sdInvRotate(q, run->angular[top]);
        double arm = TOP_ARM * TOP_ARM * (double)props.mass;
        run->body = (truthBody){.q = {(double)q.v.x, (double)q.v.y, (double)q.v.z, (double)q.s},
                                .i = {(double)props.inertia.cx.x + arm, (double)props.inertia.cy.y,
                                      (double)props.inertia.cz.z + arm},
                                .m = (double)props.mass,
                                .r = {0.0, TOP_ARM, 0.0},
                                .g = {0.0, (double)run->test->gravity.y, 0.0}};
        double l[3] = {0.0, (double)own.y * (double)props.inertia.cy.y, 0.0};
        truthBody_Turn(&run->body, l, run->body.l);
        m[0] = truth_Energy(run);
        return;
    }
    truthBody_Advance(&run->body, run->time);
    double y[3] = {0.0, 1.0, 0.0}, axis[3];
    truthBody_Turn(&run->body, y, axis);
    sdVec3 a = sdRotate(run->poses[top].q, sdV3(0.0f, 1.0f, 0.0f));
    double chord = sqrt(truth_Square((double)a.x - axis[0]) + truth_Square((double)a.y - axis[1]) +
                        truth_Square((double)a.z - axis[2]));
    m[1] = fmax(m[1], 2.0 * asin(fmin(0.5 * chord, 1.0)));
    m[2] = fmax(m[2], fabs(truth_Energy(run) - m[0]) / m[0]);
    sdPos p = run->poses[top].p;
    m[3] = fmax(m[3], sqrt(truth_Square(p.x - TOP_ARM * (double)a.x) +
                           truth_Square(p.y - TOP_ARM * (double)a.y) +
                           truth_Square(p.z - TOP_ARM * (double)a.z)));
}

static void finishTop(truthRun* run) {
    for (int k = 0; k < 3; ++k) {
        run->errors[k] = run->memory[1 + k];
    }
}

const truthTest truthTop = {
    .name = "top",
    .title = "Sleeping top",
    .reference =
        "a body about a fixed point, integrated in double; spin 1.3 of the least that sleeps",
    .metrics = {{"axis", "rad", 1e-5}, {"energy", "share", 1e-6}, {"tip", "m", 1e-6}},
    .seconds = 5.0,
    .rates = {60, 120, 240, 480, 1000},
    .gravity = {0.0f, (float)-TRUTH_G, 0.0f},
    .build = buildTop,
    .watch = watchTop,
    .finish = finishTop,
};

// ---- pendulum ------------------------------------------------------------------------------
//
// Let go level, its period is 4 K(sin 45 degrees) sqrt(L/g) = 7.416299 sqrt(L/g), with the complete
// elliptic integral K(k), by the mean of 1 and cos 45 degrees: K = pi / (2 agm(1, sqrt(1 - k^2))).
// A ball of radius r on an arm d swings as a point at L = (I + m d^2) / (m d), I = 2/5 m r^2.

#define BOB_RADIUS 0.05
#define BOB_ARM 1.0

static void buildPendulum(sdSceneBuilder* builder) {
    sdBodyId stand = sdSceneBuilder_AddStatic(builder, sdPos_Make(0.0, 2.0, 0.0), sdQuat_Identity(),
                                              sdShape_Sphere(0.05f));
    sdBodyId bob = truth_AddBall(builder, sdPos_Make(BOB_ARM, 0.0, 0.0), BOB_RADIUS, 1.0,
                                 sdV3(0.0f, 0.0f, 0.0f));
    sdJointDef joint = sdJointDef_Make(SD_JOINT_HINGE, stand, bob);
    sdSceneBuilder_Join(builder, &joint, sdPos_Make(0.0, 0.0, 0.0), sdV3(0.0f, 0.0f, 1.0f));
}

static double pendulumPeriod(void) {
    double a = 1.0, b = sqrt(0.5);
    for (int i = 0; i < 6; ++i) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    double length = (0.4 * BOB_RADIUS * BOB_RADIUS + BOB_ARM * BOB_ARM) / BOB_ARM;
    return 2.0 * (double)SD_PI / a * sqrt(length / TRUTH_G);
}

/// Memory: 0 angle before, 1 time before, 2 crossings, 3 time of the first, 4 of the last, 5 energy
/// at the start, 6 worst energy, 7 worst length.
static void watchPendulum(truthRun* run) {
    sdPos p = run->poses[1].p;
    double* m = run->memory;
    double angle = atan2(p.x, -p.y); // from hanging
    if (run->sampleCount == 0) {
        m[5] = truth_Energy(run);
    } else if (m[0] * angle < 0.0 && fabs(angle) < 1.0) {
        // it is straight there: no force acts along its way
        double t = m[1] + (run->time - m[1]) * m[0] / (m[0] - angle);
        m[3] = m[2] == 0.0 ? t : m[3];
        m[4] = t;
        m[2] += 1.0;
    }
    m[0] = angle;
    m[1] = run->time;
    m[6] = fmax(m[6], fabs(truth_Energy(run) - m[5]) / (TRUTH_G * BOB_ARM));
    m[7] = fmax(m[7], fabs(sqrt(p.x * p.x + p.y * p.y + p.z * p.z) - BOB_ARM));
}

static void finishPendulum(truthRun* run) {
    const double* m = run->memory;
    double period = m[2] > 1.0 ? 2.0 * (m[4] - m[3]) / (m[2] - 1.0) : INFINITY;
    run->errors[0] = fabs(period / pendulumPeriod() - 1.0);
    run->errors[1] = m[6];
    run->errors[2] = m[7];
}

const truthTest truthPendulum = {
    .name = "pendulum",
    .title = "Pendulum let go level",
    .reference = "period 7.416299 sqrt(L/g), by the complete elliptic integral; energy stays",
    .metrics = {{"period", "share", 1e-6},
                {"energy", "share of m g L", 1e-6},
                {"length", "m", 1e-6}},
    .seconds = 20.0,
    .rates = {30, 60, 120, 240, 480, 1000},
    .gravity = {0.0f, (float)-TRUTH_G, 0.0f},
    .build = buildPendulum,
    .watch = watchPendulum,
    .finish = finishPendulum,
};
