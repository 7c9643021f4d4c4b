// SPDX-License-Identifier: MIT
// truth_stacks.c - what stands and what falls: Kapla tower, arches, dominoes; a rod that jams, a
// nut on its thread.

#include "truth.h"

#include <math.h>
#include <stdio.h>

// ---- Kapla tower ---------------------------------------------------------------------------
//
// SimBenchmark's "building": eight storeys of nine loose blocks of 10 kg: four of 0.25 m across, on
// whose ends five of 0.2 m lie along, end to end where there are three, 0.05 m thick and 0.1 m high
// all of them. It stands: what a block carries is above what carries it, nothing pushes sideways.
// The outer blocks across are carried on the inner half of their thickness, and are loaded there.
// What a block has moved is an error; a tower whose top block has sunk by more than a
// storey's half has collapsed.

#define STOREYS 8
#define BLOCK_LONG 0.2
#define BLOCK_ACROSS 0.25
#define BLOCK_HEIGHT 0.1
#define BLOCK_SHORT 0.05

static void addBlock(sdSceneBuilder* builder, double x, double y, double z, bool isAlong) {
    sdBodyDef def = sdBodyDef_Default();
    def.position = sdPos_Make(x, y, z);
    double x2 = isAlong ? BLOCK_LONG : BLOCK_SHORT, z2 = isAlong ? BLOCK_SHORT : BLOCK_ACROSS;
    sdVec3 half = sdV3(0.5f * (float)x2, 0.5f * (float)BLOCK_HEIGHT, 0.5f * (float)z2);
    truth_AddBox(builder, &def, half, 10.0);
}

static void buildKapla(sdSceneBuilder* builder) {
    truth_SetMaterial(builder, 0.8, 0.0);
    truth_AddGround(builder);
    for (int i = 0; i < STOREYS; ++i) {
        double y = 2.0 * BLOCK_HEIGHT * i + 0.5 * BLOCK_HEIGHT, half = 0.5 * BLOCK_LONG;
        for (int k = 0; k < 4; ++k) {
            addBlock(builder, BLOCK_LONG * k, y, 0.0, false);
        }
        y += BLOCK_HEIGHT;
        for (int k = 0; k < 2; ++k) {
            addBlock(builder, 2.0 * BLOCK_LONG * k + half, y, -half, true);
        }
        for (int k = 0; k < 3; ++k) {
            addBlock(builder, BLOCK_LONG * k + half, y, half, true);
        }
    }
}

static sdVec3 moveOf(const truthRun* run, int body) {
    sdPos start = sdBody_GetTransform(run->scene->world, run->scene->bodies[body]).p;
    return sdPos_Sub(run->poses[body].p, start);
}

/// Memory: 0 when the top had sunk.
static void watchKapla(truthRun* run) {
    int top = run->scene->bodyCount - 1;
    if (run->memory[0] == 0.0 && moveOf(run, top).y < -0.5f * (float)BLOCK_HEIGHT) {
        run->memory[0] = run->time;
    }
}

static void finishKapla(truthRun* run) {
    double worst = 0.0;
    for (int i = 1; i < run->scene->bodyCount; ++i) {
        worst = fmax(worst, (double)sdLength(moveOf(run, i)));
    }
    run->errors[0] = worst;
    if (run->memory[0] > 0.0) {
        snprintf(run->note, sizeof run->note, "collapsed after %.1f s", run->memory[0]);
    }
}

const truthTest truthKapla = {
    .name = "kapla",
    .title = "Kapla tower",
    .reference = "SimBenchmark: 72 loose blocks stand where they are",
    .metrics = {{"block that moved most", "m", 1e-4}},
    .seconds = 20.0,
    .rates = {60, 100, 240},
    .gravity = {0.0f, (float)-TRUTH_G, 0.0f},
    .build = buildKapla,
    .watch = watchKapla,
    .finish = finishKapla,
};

// ---- arches --------------------------------------------------------------------------------
//
// A half circle of wedges without mortar stands if a line of thrust fits into it: for infinitely
// many of them if thickness over mean radius > 0.1075 (Milankovitch). For wedges of a number it is
// found here: by symmetry the thrust at the crown is level, H at the height y. From there to a
// joint at the angle p from the crown there is a weight W with its middle at x, and the thrust
// crosses the joint at the radius
//     r = (H y + W x) / (H cos p + W sin p),     which must be between inner and outer.
// For a given H that bounds M = H y from below and above, linearly in H; the gap between the bounds
// is concave in H, so its largest value is found by bisection of a bracket.

#define WEDGES 27
#define MEAN_RADIUS 5.0 // m
#define ARCH_PAIRS 6
static const double shares[ARCH_PAIRS] = {0.005, 0.01, 0.02, 0.04, 0.08, 0.16};

static double thrustGap(int count, double inner, double outer, double h) {
    double alpha = 0.5 * (double)SD_PI / count, tangent = tan(alpha);
    double low = inner * cos(alpha), high = outer * cos(alpha);
    // of half of the keystone, then stone by stone; unit weight
    double w = tangent * (high * high - low * low) / 2.0;
    double moment = tangent * tangent * (high * high * high - low * low * low) / 6.0;
    double full = 2.0 * w;
    double center = 2.0 / 3.0 * (high * high * high - low * low * low) / (high * high - low * low);
    double least = -INFINITY, most = INFINITY;
    for (int j = 0; 2 * j + 1 <= count; ++j) {
        double p = (2 * j + 1) * alpha, along = h * cos(p) + w * sin(p);
        least = fmax(least, inner * along - moment);
        most = fmin(most, outer * along - moment);
        w += full;
        moment += full * center * sin(2.0 * (j + 1) * alpha);
    }
    return most - least;
}

double truth_CriticalArch(int count) {
    double thin = 0.0, thick = 0.5;
    for (int i = 0; i < 60; ++i) {
        double t = 0.5 * (thin + thick), a = 0.0, b = 2.0;
        for (int k = 0; k < 200; ++k) {
            double h1 = a + (b - a) / 3.0, h2 = b - (b - a) / 3.0;
            bool isRight = thrustGap(count, 1.0 - 0.5 * t, 1.0 + 0.5 * t, h1) <
                           thrustGap(count, 1.0 - 0.5 * t, 1.0 + 0.5 * t, h2);
            a = isRight ? h1 : a;
            b = isRight ? b : h2;
        }
        bool stands = thrustGap(count, 1.0 - 0.5 * t, 1.0 + 0.5 * t, 0.5 * (a + b)) >= 0.0;
        thin = stands ? thin : t;
        thick = stands ? t : thick;
    }
    return thick;
}

static double archRatio(int index) {
    return truth_CriticalArch(WEDGES) * (1.0 + (index % 2 == 0 ? -1.0 : 1.0) * shares[index / 2]);
}

static void addArch(sdSceneBuilder* builder, double ratio, double z) {
    double alpha = 0.5 * (double)SD_PI / WEDGES;
    double radii[2] = {MEAN_RADIUS * (1.0 - 0.5 * ratio), MEAN_RADIUS * (1.0 + 0.5 * ratio)};
    double low = radii[0] * cos(alpha), high = radii[1] * cos(alpha);
    double center = 2.0 / 3.0 * (high * high * high - low * low * low) / (high * high - low * low);
    sdVec3 corners[8];
    for (int i = 0; i < 8; ++i) {
        double r = radii[i & 1];
        corners[i] = sdV3((float)((i & 2) != 0 ? r * sin(alpha) : -r * sin(alpha)),
                          (float)(r * cos(alpha) - center), (i & 4) != 0 ? 0.5f : -0.5f);
    }
    sdHull* wedge = sdSceneBuilder_MakeHull(builder, corners, 8);
    builder->density = 1000.0f;
    for (int i = 0; i < WEDGES; ++i) {
        double angle = (2 * i + 1 - WEDGES) * alpha;
        sdSceneBuilder_AddDynamic(builder, sdPos_Make(center * sin(angle), center * cos(angle), z),
                                  sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), (float)-angle),
                                  sdShape_Hull(wedge));
    }
    sdHull_Release(wedge);
}

static void buildArch(sdSceneBuilder* builder) {
    // no wedge may slide
    truth_SetMaterial(builder, 1.0, 0.0);
    truth_AddGround(builder);
    for (int i = 0; i < 2 * ARCH_PAIRS; ++i) {
        addArch(builder, archRatio(i), 2.0 * i);
    }
}

static void finishArch(truthRun* run) {
    double worst = 0.0, wrong = 0.0;
    for (int i = 0; i < 2 * ARCH_PAIRS; ++i) {
        int keystone = 1 + i * WEDGES + WEDGES / 2;
        bool fell = (double)moveOf(run, keystone).y < -0.25 * archRatio(i) * MEAN_RADIUS;
        if (fell != (i % 2 == 0)) {
            worst = fmax(worst, shares[i / 2]);
            wrong += 1.0;
        }
    }
    run->errors[0] = worst > 0.0 ? worst : 0.5 * shares[0];
    snprintf(run->note, sizeof run->note, "%.0f of %d wrong", wrong, 2 * ARCH_PAIRS);
}

const truthTest truthArch = {
    .name = "arch",
    .title = "Arches that stand or fall",
    .reference = "by the line of thrust: 0.1075 of the radius for infinitely many wedges; here 27",
    .metrics = {{"thickness", "share", 0.0025}},
    .seconds = 8.0,
    .rates = {60, 120, 240},
    .gravity = {0.0f, (float)-TRUTH_G, 0.0f},
    .build = buildArch,
    .finish = finishArch,
};

// ---- dominoes ------------------------------------------------------------------------------
//
// Rigid bodies with Coulomb's friction know no length of their own: a row that is four times as
// large does the same in twice the time (sqrt(h/g)). So the wave runs twice as fast along the large
// row; whatever else is seen comes from slop and steps.

#define DOMINO_COUNT 20
#define FIRST_TIMED 5
#define LAST_TIMED 17
static const double dominoHeights[2] = {0.25, 1.0};

static void buildDominoes(sdSceneBuilder* builder) {
    truth_SetMaterial(builder, 0.5, 0.0);
    truth_AddGround(builder);
    for (int row = 0; row < 2; ++row) {
        double h = dominoHeights[row];
        for (int i = 0; i < DOMINO_COUNT; ++i) {
            sdBodyDef def = sdBodyDef_Default();
            def.position = sdPos_Make(0.5 * h * i, 0.5 * h, 3.0 * row);
            if (i == 0) {
                // about its lower edge ahead, (0.05, -0.5) h from the middle
                double w = 1.5 * sqrt(TRUTH_G / h);
                def.angularVelocity = sdV3(0.0f, 0.0f, (float)-w);
                def.velocity = sdV3((float)(0.5 * h * w), (float)(0.05 * h * w), 0.0f);
            }
            sdVec3 half = sdV3(0.05f * (float)h, 0.5f * (float)h, 0.2f * (float)h);
            truth_AddBox(builder, &def, half, 8.0 * h * h * h);
        }
    }
}

/// Memory: for each row 4 numbers: angles before of the two timed ones, times when they leaned.
static void watchDominoes(truthRun* run) {
    static const int timed[2] = {FIRST_TIMED, LAST_TIMED};
    const double limit = 0.2; // rad
    for (int k = 0; k < 4; ++k) {
        int body = 1 + k / 2 * DOMINO_COUNT + timed[k % 2];
        sdQuat q = run->poses[body].q;
        double angle = -2.0 * atan2((double)q.v.z, (double)q.s);
        double before = run->memory[2 * k];
        if (run->memory[2 * k + 1] == 0.0 && angle > limit && run->sampleCount > 0) {
            run->memory[2 * k + 1] = run->time - run->dt * (angle - limit) / (angle - before);
        }
        run->memory[2 * k] = angle;
    }
}

static void finishDominoes(truthRun* run) {
    const double* m = run->memory;
    if (m[3] == 0.0 || m[7] == 0.0) {
        run->errors[0] = INFINITY;
        snprintf(run->note, sizeof run->note, "the wave stopped");
        return;
    }
    run->errors[0] = fabs(2.0 * (m[3] - m[1]) / (m[7] - m[5]) - 1.0);
}

const truthTest truthDominoes = {
    .name = "dominoes",
    .title = "Waves along two rows of dominoes",
    .reference = "a row four times as large takes twice the time: no other length in it",
    .metrics = {{"ratio of times", "share", 1e-4}},
    .seconds = 4.0,
    .rates = {60, 120, 240, 480, 1000},
    .isSampledByStep = true,
    .gravity = {0.0f, (float)-TRUTH_G, 0.0f},
    .build = buildDominoes,
    .watch = watchDominoes,
    .finish = finishDominoes,
};

// ---- Painleve's rod ------------------------------------------------------------------------
//
// A rod pushed along the floor with its tip ahead, at the angle p. A normal force N at the tip with
// friction mu N against the motion lifts it by N/m (1 + 3 cos² p - 3 mu sin p cos p): below zero if
// mu > (1 + 3 cos² p) / (3 sin p cos p), least 4/3 at tan p = 2. Then no finite force keeps the tip
// out of the floor, but a finite impulse does, which stops the tip. Impulses of contacts only take
// energy away: what is gained is an error, and so is what the tip sinks in.

#define ROD_HALF 0.5
#define ROD_RADIUS 0.01f
#define ROD_MU 2.0
#define ROD_SPEED 3.0f

static void buildRod(sdSceneBuilder* builder) {
    truth_SetMaterial(builder, ROD_MU, 0.0);
    truth_AddGround(builder);
    double p = atan(2.0);
    sdBodyDef def = sdBodyDef_Default();
    def.type = SD_BODY_DYNAMIC;
    def.position = sdPos_Make(0.0, ROD_HALF * sin(p) + (double)ROD_RADIUS, 0.0);
    // along y at first; its lower end is ahead, at +x
    def.rotation = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), (float)(0.5 * (double)SD_PI - p));
    def.velocity = sdV3(ROD_SPEED, 0.0f, 0.0f);
    builder->density = 1000.0f;
    sdSceneBuilder_Add(builder, &def, sdShape_Capsule((float)ROD_HALF, ROD_RADIUS));
}

/// Memory: 0 energy at the start, 1 largest gain, 2 deepest.
static void watchRod(truthRun* run) {
    double *m = run->memory, energy = truth_Energy(run);
    if (run->sampleCount == 0) {
        m[0] = energy;
    }
    m[1] = fmax(m[1], energy / m[0] - 1.0);
    sdVec3 half = sdRotate(run->poses[1].q, sdV3(0.0f, (float)ROD_HALF, 0.0f));
    double lowest = run->poses[1].p.y - fabs((double)half.y) - (double)ROD_RADIUS;
    m[2] = fmax(m[2], -lowest);
}

static void finishRod(truthRun* run) {
    run->errors[0] = run->memory[1];
    run->errors[1] = run->memory[2];
}

const truthTest truthRod = {
    .name = "painleve-rod",
    .title = "Rod that jams (Painleve)",
    .reference = "mu = 2 > 4/3: a finite impulse stops the tip; energy is never gained",
    .metrics = {{"energy gained", "share", 1e-5}, {"deepest", "m", 1e-4}},
    .seconds = 2.0,
    .rates = {60, 120, 240, 480, 1000},
    .isSampledByStep = true,
    .gravity = {0.0f, (float)-TRUTH_G, 0.0f},
    .build = buildRod,
    .watch = watchRod,
    .finish = finishRod,
};

// ---- nut on a thread -----------------------------------------------------------------------
//
// Without friction, a nut that sinks by s turns by 2 pi s / p, p its lead. Energy:
// m g s = (m + (2 pi/p)² I) v² / 2, so a = g / (1 + (2 pi/p)² I/m). Measured by the second
// difference of its height, once it has come to rest on the thread.

#define LEAD 0.2 // m, of a bolt of 1 m
#define NUT 1

static void buildScrew(sdSceneBuilder* builder) {
    truth_SetMaterial(builder, 0.0, 0.0);
    builder->density = 1000.0f;
    sdConcave* bolt = sdSceneBuilder_MakeModel(builder, SD_MODEL_BOLT, 1.0f);
    sdConcave* nut = sdSceneBuilder_MakeModel(builder, SD_MODEL_NUT, 0.5f);
    sdSceneBuilder_AddStatic(builder, sdPos_Make(0.0, 0.385, 0.0), sdQuat_Identity(),
                             sdSceneBuilder_ShapeOf(bolt));
    sdSceneBuilder_AddDynamic(builder, sdPos_Make(0.0, 0.8, 0.0), sdQuat_Identity(),
                              sdSceneBuilder_ShapeOf(nut));
    sdConcave_Release(bolt);
    sdConcave_Release(nut);
}

/// Memory: heights after 0.5, 1 and 1.5 s.
static void watchScrew(truthRun* run) {
    for (int k = 0; k < 3; ++k) {
        if (fabs(run->time - 0.5 * (k + 1)) < 0.5 * run->dt) {
            run->memory[k] = run->poses[NUT].p.y;
        }
    }
}

static void finishScrew(truthRun* run) {
    sdMassProps props = truth_MassOf(run, NUT);
    double turn = 2.0 * (double)SD_PI / LEAD;
    double a = TRUTH_G / (1.0 + turn * turn * (double)props.inertia.cy.y / (double)props.mass);
    const double* m = run->memory;
    double is = -(m[2] - 2.0 * m[1] + m[0]) / 0.25;
    run->errors[0] = fabs(is / a - 1.0);
    snprintf(run->note, sizeof run->note, "%.4f of %.4f m/s2", is, a);
}

const truthTest truthScrew = {
    .name = "screw",
    .title = "Nut on a bolt, without friction",
    .reference = "a = g / (1 + (2 pi/p)^2 I/m), by energy",
    .metrics = {{"acceleration", "share", 1e-4}},
    .seconds = 1.55,
    .rates = {60, 120, 240},
    .isSampledByStep = true,
    .gravity = {0.0f, (float)-TRUTH_G, 0.0f},
    .build = buildScrew,
    .watch = watchScrew,
    .finish = finishScrew,
};
