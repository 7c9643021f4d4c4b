// SPDX-License-Identifier: MIT
// truth.h - parts of bench_truth: motions whose outcome is known, in every engine.
//
// A test builds a scene, watches it and says how far it is from what must come out; the derivation
// of that stands beside the test. Each is run with several lengths of step in every engine, so that
// error stands against cost: that of a second of the motion.

#ifndef SD_BENCH_TRUTH_H
#define SD_BENCH_TRUTH_H

#include "world.h"

#include "scene_parts.h"

#define TRUTH_MAX_METRICS 4
#define TRUTH_MAX_RATES 6
#define TRUTH_MEMORY 48

typedef struct truthMetric {
    const char* name;
    const char* unit;
    /// Errors below this are equal: rounding of what engines tell, or steps of a scale.
    double floor;
} truthMetric;

/// A body that turns about a point of its own, in double: what engines are compared with.
typedef struct truthBody {
    double q[4];    ///< scalar last
    double l[3];    ///< angular momentum about the point, world
    double i[3];    ///< moments about it, body
    double m, r[3]; ///< mass and centre from the point, body: for the torque of gravity
    double g[3];
    double time;
} truthBody;

/// Move on to `time` by Runge's and Kutta's method in steps of at most 0.1 ms.
void truthBody_Advance(truthBody* body, double time);
/// A vector of the body, in the world.
void truthBody_Turn(const truthBody* body, const double v[3], double out[3]);

typedef struct truthTest truthTest;

/// One run of a test in an engine, as its functions see it.
typedef struct truthRun {
    const truthTest* test;
    const rivalWorldScene* scene;
    const rivalEngine* engine;
    void* self;
    double time, dt;
    int sampleCount; ///< the one of the start is not counted
    /// Now; of bodies in the order in which they were added.
    sdWorldTransform* poses;
    sdVec3 *velocities, *angular;
    // what a test keeps from sample to sample: zeros at first
    double memory[TRUTH_MEMORY];
    truthBody body;
    // outcome
    double errors[TRUTH_MAX_METRICS];
    char note[RIVAL_WHY_SIZE];
} truthRun;

struct truthTest {
    const char* name;      ///< lower case, words joined by hyphens
    const char* title;     ///< a few words
    const char* reference; ///< what must come out, and where that comes from: a sentence
    truthMetric metrics[TRUTH_MAX_METRICS];
    double seconds;             ///< of motion
    int rates[TRUTH_MAX_RATES]; ///< steps a second, up to the first 0
    bool isSampledByStep;       ///< else 60 times a second
    sdVec3 gravity;
    void (*build)(sdSceneBuilder* builder);
    /// What acts on bodies during the next step; NULL: nothing does.
    void (*force)(truthRun* run);
    /// At the start and at each sample.
    void (*watch)(truthRun* run);
    /// Fill in errors, and perhaps a note.
    void (*finish)(truthRun* run);
};

extern const truthTest truthRolling, truthThreshold, truthSliding, truthSphereSlope, truthSlipRoll;
extern const truthTest truthBouncing, truthGrid, truthElasticGrid, truthCradle;
extern const truthTest truthFreeBox, truthTop, truthPendulum;
extern const truthTest truthKapla, truthArch, truthDominoes, truthRod, truthScrew;

/// How far the times at which the box in the air turns back are from those published, s.
double truth_CheckFreeBox(void);
/// Thickness over mean radius below which an arch of so many wedges falls.
double truth_CriticalArch(int count);

// ---- building ------------------------------------------------------------------------------

#define TRUTH_G 9.81 // m/s²

/// A static box whose upper face is y = 0.
void truth_AddGround(sdSceneBuilder* builder);
/// A ball of the given mass.
sdBodyId truth_AddBall(sdSceneBuilder* builder, sdPos position, double radius, double mass,
                       sdVec3 velocity);
sdBodyId truth_AddBox(sdSceneBuilder* builder, const sdBodyDef* def, sdVec3 halfExtents,
                      double mass);
void truth_SetMaterial(sdSceneBuilder* builder, double friction, double restitution);

// ---- measuring -----------------------------------------------------------------------------

sdMassProps truth_MassOf(const truthRun* run, int body);
/// Kinetic and potential above y = 0 (along gravity), of all dynamic bodies, J.
double truth_Energy(const truthRun* run);
double truth_Square(double x);

#endif
