// SPDX-License-Identifier: MIT
// truth_run.c - bodies and measures that tests share, and the reference that is integrated.

#include "truth.h"

#include <math.h>
#include <string.h>

// ---- building ------------------------------------------------------------------------------

#define GROUND_HALF 50.0f // m
#define GROUND_THICKNESS 1.0f

void truth_AddGround(sdSceneBuilder* builder) {
    sdSceneBuilder_AddStatic(builder, sdPos_Make(0.0, (double)-GROUND_THICKNESS, 0.0),
                             sdQuat_Identity(),
                             sdShape_Box(GROUND_HALF, GROUND_THICKNESS, GROUND_HALF));
}

sdBodyId truth_AddBall(sdSceneBuilder* builder, sdPos position, double radius, double mass,
                       sdVec3 velocity) {
    sdBodyDef def = sdBodyDef_Default();
    def.type = SD_BODY_DYNAMIC;
    def.position = position;
    def.velocity = velocity;
    builder->density = (float)(mass / (4.0 / 3.0 * (double)SD_PI * radius * radius * radius));
    return sdSceneBuilder_Add(builder, &def, sdShape_Sphere((float)radius));
}

sdBodyId truth_AddBox(sdSceneBuilder* builder, const sdBodyDef* def, sdVec3 halfExtents,
                      double mass) {
    sdBodyDef dynamic = *def;
    dynamic.type = SD_BODY_DYNAMIC;
    builder->density = (float)mass / (8.0f * halfExtents.x * halfExtents.y * halfExtents.z);
    return sdSceneBuilder_Add(builder, &dynamic,
                              sdShape_Box(halfExtents.x, halfExtents.y, halfExtents.z));
}

void truth_SetMaterial(sdSceneBuilder* builder, double friction, double restitution) {
    sdSceneBuilder_SetFriction(builder, (float)friction);
    builder->material.restitution = (float)restitution;
}

// ---- measuring -----------------------------------------------------------------------------

double truth_Square(double x) {
    return x * x;
}

sdMassProps truth_MassOf(const truthRun* run, int body) {
    return sdBody_GetMass(run->scene->world, run->scene->bodies[body]);
}

double truth_Energy(const truthRun* run) {
    double energy = 0.0;
    for (int i = 0; i < run->scene->bodyCount; ++i) {
        sdMassProps props = truth_MassOf(run, i);
        if (props.mass <= 0.0f) {
            continue;
        }
        sdVec3 v = run->velocities[i], w = sdInvRotate(run->poses[i].q, run->angular[i]);
        sdPos center = sdPos_Add(run->poses[i].p, sdRotate(run->poses[i].q, props.center));
        sdVec3 g = run->test->gravity;
        double height = -((double)g.x * center.x + (double)g.y * center.y + (double)g.z * center.z);
        energy += 0.5 * (double)props.mass * (double)sdDot(v, v) +
                  0.5 * (double)sdDot(w, sdMulMV(props.inertia, w)) + (double)props.mass * height;
    }
    return energy;
}

// ---- a body about a point ------------------------------------------------------------------
//
// With the angular momentum L about the point, in the world's axes, and the rotation q:
//     dL/dt = (R r) x m g,    w = R I^-1 R^T L,    dq/dt = (w, 0) q / 2
// Nothing else acts; for a body that falls freely, r = 0 and the point is its centre.

#define REFERENCE_STEP 1e-4 // s; an error of its fourth power: 1e-12 rad and less

typedef struct Rates {
    double q[4], l[3];
} Rates;

static void turn(const double q[4], const double v[3], double sign, double out[3]) {
    // v + 2 s (u x v) + 2 u x (u x v), with -u for the way back
    double u[3] = {sign * q[0], sign * q[1], sign * q[2]};
    double c[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    double d[3] = {u[1] * c[2] - u[2] * c[1], u[2] * c[0] - u[0] * c[2], u[0] * c[1] - u[1] * c[0]};
    for (int k = 0; k < 3; ++k) {
        out[k] = v[k] + 2.0 * (q[3] * c[k] + d[k]);
    }
}

void truthBody_Turn(const truthBody* body, const double v[3], double out[3]) {
    turn(body->q, v, 1.0, out);
}

static Rates ratesOf(const truthBody* b, const double q[4], const double l[3]) {
    double own[3], w[3], arm[3];
    turn(q, l, -1.0, own);
    for (int k = 0; k < 3; ++k) {
        own[k] /= b->i[k];
    }
    turn(q, own, 1.0, w);
    turn(q, b->r, 1.0, arm);
    const double* g = b->g;
    Rates r = {{0.5 * (w[0] * q[3] + w[1] * q[2] - w[2] * q[1]),
                0.5 * (w[1] * q[3] + w[2] * q[0] - w[0] * q[2]),
                0.5 * (w[2] * q[3] + w[0] * q[1] - w[1] * q[0]),
                -0.5 * (w[0] * q[0] + w[1] * q[1] + w[2] * q[2])},
               {b->m * (arm[1] * g[2] - arm[2] * g[1]), b->m * (arm[2] * g[0] - arm[0] * g[2]),
                b->m * (arm[0] * g[1] - arm[1] * g[0])}};
    return r;
}

static Rates ratesAfter(const truthBody* b, const Rates* rates, double h) {
    double q[4], l[3];
    for (int k = 0; k < 4; ++k) {
        q[k] = b->q[k] + h * rates->q[k];
    }
    for (int k = 0; k < 3; ++k) {
        l[k] = b->l[k] + h * rates->l[k];
    }
    return ratesOf(b, q, l);
}

static void stepBody(truthBody* b, double h) {
    Rates k1 = ratesOf(b, b->q, b->l);
    Rates k2 = ratesAfter(b, &k1, 0.5 * h);
    Rates k3 = ratesAfter(b, &k2, 0.5 * h);
    Rates k4 = ratesAfter(b, &k3, h);
    double length = 0.0;
    for (int k = 0; k < 4; ++k) {
        b->q[k] += h / 6.0 * (k1.q[k] + 2.0 * k2.q[k] + 2.0 * k3.q[k] + k4.q[k]);
        length += b->q[k] * b->q[k];
    }
    for (int k = 0; k < 4; ++k) {
        b->q[k] /= sqrt(length);
    }
    for (int k = 0; k < 3; ++k) {
        b->l[k] += h / 6.0 * (k1.l[k] + 2.0 * k2.l[k] + 2.0 * k3.l[k] + k4.l[k]);
    }
}

void truthBody_Advance(truthBody* body, double time) {
    int count = (int)ceil((time - body->time) / REFERENCE_STEP - 1e-9);
    double h = count > 0 ? (time - body->time) / count : 0.0;
    for (int i = 0; i < count; ++i) {
        stepBody(body, h);
    }
    body->time = time;
}
