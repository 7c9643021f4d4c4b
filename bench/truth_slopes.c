// SPDX-License-Identifier: MIT
// truth_slopes.c - friction: a plate pulled under balls, slopes, sliding that becomes rolling.

#include "truth.h"

#include <math.h>
#include <stdio.h>

#define DEGREE (3.14159265358979323846 / 180.0)

// ---- slopes --------------------------------------------------------------------------------

/// A slab that goes down along +x from `base`, its surface through there.
static sdQuat addSlope(sdSceneBuilder* builder, sdPos base, double angle) {
    sdQuat q = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), (float)-angle);
    sdSceneBuilder_AddStatic(builder, sdPos_Add(base, sdRotate(q, sdV3(10.0f, -0.5f, 0.0f))), q,
                             sdShape_Box(15.0f, 0.5f, 0.5f));
    return q;
}

/// Where a body is along the slope, from where it was.
static double wayDown(const truthRun* run, int body, sdQuat slope) {
    sdPos start = sdBody_GetTransform(run->scene->world, run->scene->bodies[body]).p;
    sdVec3 move = sdPos_Sub(run->poses[body].p, start);
    return (double)sdDot(move, sdRotate(slope, sdV3(1.0f, 0.0f, 0.0f)));
}

/// Of the static body before it.
static sdQuat slopeOf(const truthRun* run, int body) {
    return sdBody_GetTransform(run->scene->world, run->scene->bodies[body - 1]).q;
}

static void addOnSlope(sdSceneBuilder* builder, sdPos base, double angle, float speed) {
    sdQuat q = addSlope(builder, base, angle);
    sdBodyDef def = sdBodyDef_Default();
    def.position = sdPos_Add(base, sdRotate(q, sdV3(0.0f, 0.1f, 0.0f)));
    def.rotation = q;
    def.velocity = sdRotate(q, sdV3(speed, 0.0f, 0.0f));
    truth_AddBox(builder, &def, sdV3(0.2f, 0.1f, 0.2f), 10.0);
}

// ---- when it begins to slide ---------------------------------------------------------------
//
// Coulomb: a box stays where tan(angle) < mu and slides where it is more, with
// a = g (sin - mu cos). Pairs of slopes, as much flatter and steeper than the limit; a box has slid
// when it has gone more than half of what it slides on the steeper one.

#define THRESHOLD_MU 0.5
#define THRESHOLD_PAIRS 8
static const double offsets[THRESHOLD_PAIRS] = {0.02, 0.05, 0.1, 0.2,
                                                0.5,  1.0,  2.0, 5.0}; // degrees

static double thresholdAngle(int index) {
    double sign = index % 2 == 0 ? -1.0 : 1.0;
    return atan(THRESHOLD_MU) + sign * offsets[index / 2] * DEGREE;
}

static void buildThreshold(sdSceneBuilder* builder) {
    truth_SetMaterial(builder, THRESHOLD_MU, 0.0);
    for (int i = 0; i < 2 * THRESHOLD_PAIRS; ++i) {
        addOnSlope(builder, sdPos_Make(0.0, 0.0, 2.0 * i), thresholdAngle(i), 0.0f);
    }
}

static void finishThreshold(truthRun* run) {
    double worst = 0.0, t = run->time;
    for (int i = 0; i < 2 * THRESHOLD_PAIRS; ++i) {
        double steep = thresholdAngle(i | 1);
        double way = 0.5 * TRUTH_G * (sin(steep) - THRESHOLD_MU * cos(steep)) * t * t;
        bool slid = wayDown(run, 2 * i + 1, slopeOf(run, 2 * i + 1)) > 0.5 * way;
        if (slid != (i % 2 == 1)) {
            worst = fmax(worst, offsets[i / 2]);
        }
    }
    run->errors[0] = worst > 0.0 ? worst : 0.5 * offsets[0];
    if (worst == 0.0) {
        snprintf(run->note, sizeof run->note, "all of %d right", 2 * THRESHOLD_PAIRS);
    }
}

const truthTest truthThreshold = {
    .name = "slope-threshold",
    .title = "When a box on a slope begins to slide",
    .reference = "at tan(angle) = mu = 0.5; slopes 0.02 to 5 degrees flatter and steeper",
    .metrics = {{"angle", "degrees", 0.01}},
    .seconds = 3.0,
    .rates = {60, 120, 240, 1000},
    .gravity = {0.0f, (float)-TRUTH_G, 0.0f},
    .build = buildThreshold,
    .finish = finishThreshold,
};

// ---- how far it slides ---------------------------------------------------------------------
//
// 20 degrees, mu = 0.5, pushed down the slope with v = 1.25 m/s, g = 9.8: it is braked by
// a = g (mu cos - sin) = 1.252697 m/s², stops after v/a = 0.99785 s and v²/(2 a) = 0.623655 m, and
// stays there (tan 20 degrees = 0.364 < 0.5).

#define SLIDING_G 9.8
#define SLIDING_SPEED 1.25
#define SLIDING_ANGLE (20.0 * DEGREE)

static void buildSliding(sdSceneBuilder* builder) {
    truth_SetMaterial(builder, 0.5, 0.0);
    addOnSlope(builder, sdPos_Make(0.0, 0.0, 0.0), SLIDING_ANGLE, (float)SLIDING_SPEED);
}

/// Memory: 0 worst of all times, m: what is late and goes on too long may be right at some time.
static void watchSliding(truthRun* run) {
    double a = SLIDING_G * (0.5 * cos(SLIDING_ANGLE) - sin(SLIDING_ANGLE));
    double t = fmin(run->time, SLIDING_SPEED / a);
    double way = SLIDING_SPEED * t - 0.5 * a * t * t;
    run->memory[0] = fmax(run->memory[0], fabs(wayDown(run, 1, slopeOf(run, 1)) - way));
}

static void finishSliding(truthRun* run) {
    run->errors[0] = run->memory[0];
    run->errors[1] = (double)sdLength(run->velocities[1]);
}

const truthTest truthSliding = {
    .name = "slope-distance",
    .title = "How far a box slides down a slope",
    .reference = "20 degrees, mu 0.5, 1.25 m/s: stops after 0.99785 s and 0.623655 m",
    .metrics = {{"place", "m, worst of all times", 1e-5},
                {"speed 1 s after it stopped", "m/s", 1e-6}},
    .seconds = 2.0,
    .rates = {30, 60, 120, 240, 480, 1000},
    .gravity = {0.0f, (float)-SLIDING_G, 0.0f},
    .build = buildSliding,
    .watch = watchSliding,
    .finish = finishSliding,
};

// ---- ball on a slope -----------------------------------------------------------------------
//
// Rolling needs friction m g sin(angle) 2/7, there is mu m g cos: it slips if tan > 3.5 mu. Rolling
// it goes a = 5/7 g sin, slipping a = g (sin - mu cos). mu = 0.2: the limit is 35.0 degrees.

#define BALL_MU 0.2
static const double ballAngles[] = {10.0, 20.0, 30.0, 34.0, 36.0, 40.0, 50.0, 60.0};
#define BALL_COUNT ((int)(sizeof ballAngles / sizeof ballAngles[0]))

static void buildSphereSlope(sdSceneBuilder* builder) {
    truth_SetMaterial(builder, BALL_MU, 0.0);
    for (int i = 0; i < BALL_COUNT; ++i) {
        sdPos base = sdPos_Make(0.0, 0.0, 2.0 * i);
        sdQuat q = addSlope(builder, base, ballAngles[i] * DEGREE);
        truth_AddBall(builder, sdPos_Add(base, sdRotate(q, sdV3(0.0f, 0.25f, 0.0f))), 0.25, 10.0,
                      sdV3(0.0f, 0.0f, 0.0f));
    }
}

static void finishSphereSlope(truthRun* run) {
    double sum = 0.0, t = run->time;
    for (int i = 0; i < BALL_COUNT; ++i) {
        double angle = ballAngles[i] * DEGREE;
        bool slips = tan(angle) > 3.5 * BALL_MU;
        double a = TRUTH_G * (slips ? sin(angle) - BALL_MU * cos(angle) : sin(angle) * 5.0 / 7.0);
        double way = wayDown(run, 2 * i + 1, slopeOf(run, 2 * i + 1));
        sum += truth_Square(way / (0.5 * a * t * t) - 1.0);
    }
    run->errors[0] = sqrt(sum / BALL_COUNT);
}

const truthTest truthSphereSlope = {
    .name = "slope-ball",
    .title = "Balls that roll and slip down slopes",
    .reference = "slips where tan(angle) > 3.5 mu; 5/7 g sin rolling, g (sin - mu cos) slipping",
    .metrics = {{"distance", "share, root mean square", 1e-5}},
    .seconds = 1.0,
    .rates = {30, 60, 120, 240, 480, 1000},
    .gravity = {0.0f, (float)-TRUTH_G, 0.0f},
    .build = buildSphereSlope,
    .finish = finishSphereSlope,
};

// ---- from slipping to rolling --------------------------------------------------------------
//
// A ball is thrown along the floor without spin: v = v0 - mu g t, w r = 5/2 mu g t, until both are
// equal at t1 = 2 v0 / (7 mu g); then it rolls with 5/7 v0.

#define THROW_SPEED 5.0
#define THROW_MU 0.2

static void buildSlipRoll(sdSceneBuilder* builder) {
    truth_SetMaterial(builder, THROW_MU, 0.0);
    truth_AddGround(builder);
    truth_AddBall(builder, sdPos_Make(-10.0, 0.25, 0.0), 0.25, 10.0,
                  sdV3((float)THROW_SPEED, 0.0f, 0.0f));
}

static void finishSlipRoll(truthRun* run) {
    double t = run->time, mug = THROW_MU * TRUTH_G, t1 = 2.0 * THROW_SPEED / (7.0 * mug);
    double end = 5.0 / 7.0 * THROW_SPEED;
    double x = THROW_SPEED * t1 - 0.5 * mug * t1 * t1 + end * (t - t1);
    run->errors[0] = fabs((run->poses[1].p.x + 10.0) / x - 1.0);
    run->errors[1] = fabs((double)run->velocities[1].x / end - 1.0);
}

const truthTest truthSlipRoll = {
    .name = "slip-to-roll",
    .title = "Ball that slips, then rolls",
    .reference = "rolls with 5/7 of its speed from 2 v / (7 mu g) on",
    .metrics = {{"distance", "share", 1e-5}, {"speed in the end", "share", 1e-5}},
    .seconds = 2.0,
    .rates = {30, 60, 120, 240, 480, 1000},
    .gravity = {0.0f, (float)-TRUTH_G, 0.0f},
    .build = buildSlipRoll,
    .finish = finishSlipRoll,
};

// ---- plate pulled under balls --------------------------------------------------------------
//
// SimBenchmark's "rolling": a box of M = 10 kg on the ground (mu 0.4), 25 balls of m = 1 kg on it
// (mu 0.8), pulled with F = 150 N along the diagonal of the floor. Friction f drives each ball:
// a = f/m, its turning adds 5/2 f/m where it touches, so the box goes 7/2 as fast as the balls, and
//     F - 0.4 (M + 25 m) g - 25 m a = M 7/2 a:   a = 0.2110, of the box 0.7385 m/s²
// (f = 0.21 N, far below 0.8 m g: balls do not slip). Where friction is a pyramid, the diagonal
// holds more and nothing moves.

#define PULL 150.0
#define PLATE_MASS 10.0
#define BALLS_A_SIDE 5
#define PLATE 1 // bodies: ground, plate, balls

static void buildRolling(sdSceneBuilder* builder) {
    // of a pair: the geometric mean; 0.4 and 0.8
    truth_SetMaterial(builder, 0.4, 0.0);
    truth_AddGround(builder);
    sdBodyDef def = sdBodyDef_Default();
    def.position = sdPos_Make(0.0, 0.25, 0.0);
    truth_AddBox(builder, &def, sdV3(10.0f, 0.25f, 10.0f), PLATE_MASS);
    truth_SetMaterial(builder, 1.6, 0.0);
    for (int i = 0; i < BALLS_A_SIDE * BALLS_A_SIDE; ++i) {
        sdPos p = sdPos_Make(2.0 * (i % BALLS_A_SIDE) - 4.0, 1.0, 2.0 * (i / BALLS_A_SIDE) - 4.0);
        truth_AddBall(builder, p, 0.5, 1.0, sdV3(0.0f, 0.0f, 0.0f));
    }
}

static void forceRolling(truthRun* run) {
    float each = (float)(PULL / sqrt(2.0));
    run->engine->addForce(run->self, PLATE, sdV3(each, 0.0f, each));
}

/// Memory: 0, 1 sums of squared errors and of squared speeds.
static void watchRolling(truthRun* run) {
    int ballCount = BALLS_A_SIDE * BALLS_A_SIDE;
    double floorFriction = 0.4 * (PLATE_MASS + ballCount) * TRUTH_G;
    double a = (PULL - floorFriction) / (ballCount + 3.5 * PLATE_MASS);
    for (int i = 0; i <= ballCount; ++i) {
        double v = (i == 0 ? 3.5 : 1.0) * a * run->time / sqrt(2.0);
        sdVec3 is = run->velocities[PLATE + i];
        double share = i == 0 ? 1.0 : 1.0 / ballCount;
        run->memory[0] += share * (truth_Square((double)is.x - v) + truth_Square((double)is.y) +
                                   truth_Square((double)is.z - v));
        run->memory[1] += share * 2.0 * v * v;
    }
}

static void finishRolling(truthRun* run) {
    run->errors[0] = sqrt(run->memory[0] / run->memory[1]);
    if (fabs((double)run->velocities[PLATE].x) < 1e-3) {
        snprintf(run->note, sizeof run->note, "does not move");
    }
}

const truthTest truthRolling = {
    .name = "rolling",
    .title = "25 balls on a plate that is pulled",
    .reference = "SimBenchmark: plate 0.7385, balls 0.2110 m/s²",
    .metrics = {{"speeds", "share, root mean square", 1e-5}},
    .seconds = 4.0,
    .rates = {60, 120, 240, 480},
    .gravity = {0.0f, (float)-TRUTH_G, 0.0f},
    .build = buildRolling,
    .force = forceRolling,
    .watch = watchRolling,
    .finish = finishRolling,
};
