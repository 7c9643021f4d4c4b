// SPDX-License-Identifier: MIT
// pendulums.c - the joints of document S2 §12: a multiple pendulum, a rigid one, hinge and slider.

#include "scene_parts.h"

#include <math.h>

#define CUBE_HALF 0.2f // m
#define CUBE_PITCH 0.5 // m from middle to middle
#define HOOK_HALF 0.05f
#define HANG_HEIGHT 5.0

static sdBodyId addCube(sdSceneBuilder* builder, double x, double y, double z, sdQuat q) {
    return sdSceneBuilder_AddDynamic(builder, sdPos_Make(x, y, z), q,
                                     sdShape_Box(CUBE_HALF, CUBE_HALF, CUBE_HALF));
}

static sdBodyId addStill(sdSceneBuilder* builder, double x, sdQuat q, float half) {
    return sdSceneBuilder_AddStatic(builder, sdPos_Make(x, HANG_HEIGHT, 0.0), q,
                                    sdShape_Box(half, half, half));
}

/// Cubes in a level row, the first of which hangs from a hook.
static void addRow(sdSceneBuilder* builder, sdJointType first, sdJointType others) {
    sdBodyId last = addStill(builder, 0.0, sdQuat_Identity(), HOOK_HALF);
    for (int i = 0; i < builder->size; ++i) {
        sdBodyId next =
            addCube(builder, CUBE_PITCH * (i + 0.5), HANG_HEIGHT, 0.0, sdQuat_Identity());
        sdJointDef def = sdJointDef_Make(i == 0 ? first : others, last, next);
        sdSceneBuilder_Join(builder, &def, sdPos_Make(CUBE_PITCH * i, HANG_HEIGHT, 0.0),
                            sdV3(0.0f, 0.0f, 1.0f));
        last = next;
    }
}

/// Energy that has come or gone, over that which the row gives up when it falls by its own length.
static double energyError(const sdSceneEnd* end) {
    double fall = 0.0, g = (double)sdLength(sdWorld_GetDef(end->world).gravity);
    for (int i = 0; i < end->bodyCount; ++i) {
        fall +=
            g * CUBE_PITCH * end->size * (double)sdBody_GetMass(end->world, end->bodies[i]).mass;
    }
    return (sdSceneEnd_GetEnergy(end, false) - sdSceneEnd_GetEnergy(end, true)) / fall;
}

// ---- multiple pendulum (F10) ---------------------------------------------------------------

static void buildPendulum(sdSceneBuilder* builder) {
    addRow(builder, SD_JOINT_BALL, SD_JOINT_BALL);
}

static bool checkPendulum(const sdSceneEnd* end) {
    float error = sdSceneEnd_WorstError(end, NULL);
    double energy = energyError(end);
    // cubes that are not neighbours strike each other, and lose some
    return sdSceneEnd_Say(end, error < 1e-3f && energy < 0.01 && energy > -0.5,
                          "joints are off by %.4f mm at most (1), energy has changed by %.2f %% of "
                          "the fall (-50 to 1)",
                          1e3 * (double)error, 1e2 * energy);
}

const sdScene sdScenePendulum = {
    .name = "pendulum",
    .title = "Multiple pendulum",
    .text = "Cubes in a row, each held to the next at a point, are let go level.",
    .end = "no joint is off by 1 mm, it still swings, and has gained no energy",
    .rows = "F10 D12",
    .sizeName = "cubes",
    .size = 5,
    .minSize = 1,
    .maxSize = 50,
    .stepCount = 600,
    .dt = 1.0f / 60.0f,
    .eye = {0.8f, 4.4f, 6.0f},
    .target = {0.0f, 4.0f, 0.0f},
    .configure = NULL,
    .build = buildPendulum,
    .check = checkPendulum,
};

// ---- rigid pendulum (F11) ------------------------------------------------------------------

static void buildRigidPendulum(sdSceneBuilder* builder) {
    addRow(builder, SD_JOINT_HINGE, SD_JOINT_FIXED);
}

static bool checkRigidPendulum(const sdSceneEnd* end) {
    float angle, error = sdSceneEnd_WorstError(end, &angle);
    double energy = energyError(end);
    return sdSceneEnd_Say(end, error < 1e-3f && angle < 1e-3f && fabs(energy) < 0.05,
                          "joints are off by %.4f mm (1) and %.4f mrad (1) at most, energy has "
                          "changed by %.2f %% of the fall (5)",
                          1e3 * (double)error, 1e3 * (double)angle, 1e2 * energy);
}

const sdScene sdSceneRigidPendulum = {
    .name = "rigid-pendulum",
    .title = "Rigid pendulum",
    .text = "Cubes in a row, held to each other so that nothing is left free, swing on a hinge as "
            "one.",
    .end = "it is straight to 1 mm and 1 mrad a joint, and the energy is the same within 5 % of "
           "the fall",
    .rows = "F11 D12",
    .sizeName = "cubes",
    .size = 5,
    .minSize = 1,
    .maxSize = 50,
    .stepCount = 600,
    .dt = 1.0f / 60.0f,
    .eye = {0.8f, 4.4f, 6.0f},
    .target = {0.0f, 4.0f, 0.0f},
    .configure = NULL,
    .build = buildRigidPendulum,
    .check = checkRigidPendulum,
};

// ---- hinge and slider (F12) ----------------------------------------------------------------

enum { HINGE_STATIC, HINGE_CUBE, SLIDER_STATIC, SLIDER_CUBE };

#define SLIDER_ANGLE 0.5f  // rad below the level
#define SLIDER_LENGTH 2.0f // m

static void buildHingeSlider(sdSceneBuilder* builder) {
    // turns in front of the one that stays, about its middle
    sdVec3 axis = {0.0f, 0.0f, 1.0f};
    sdBodyId still = addStill(builder, -0.5, sdQuat_Identity(), CUBE_HALF);
    sdBodyId moving = addCube(builder, -0.5 - CUBE_PITCH, HANG_HEIGHT, 2.2 * (double)CUBE_HALF,
                              sdQuat_Identity());
    sdJointDef def = sdJointDef_Make(SD_JOINT_HINGE, still, moving);
    sdSceneBuilder_Join(builder, &def, sdPos_Make(-0.5, HANG_HEIGHT, 0.0), axis);

    sdQuat q = sdQuat_FromAxisAngle(axis, -SLIDER_ANGLE);
    sdVec3 way = sdRotate(q, sdV3(1.0f, 0.0f, 0.0f)), step = sdScale((float)CUBE_PITCH, way);
    still = addStill(builder, 0.5, q, CUBE_HALF);
    moving = addCube(builder, 0.5 + (double)step.x, HANG_HEIGHT + (double)step.y, 0.0, q);
    def = sdJointDef_Make(SD_JOINT_SLIDER, still, moving);
    def.axes[SD_AXIS_MOVE_X].mode = SD_AXIS_LIMITED;
    def.axes[SD_AXIS_MOVE_X].upper = SLIDER_LENGTH;
    sdSceneBuilder_Join(builder, &def, sdPos_Make(0.5, HANG_HEIGHT, 0.0), way);
}

static bool checkHingeSlider(const sdSceneEnd* end) {
    float angle, error = sdSceneEnd_WorstError(end, &angle);
    float slid = sdLength(sdSceneEnd_GetMove(end, SLIDER_CUBE));
    // the hinged cube never comes above where it was let go, and comes near to it
    sdVec3 move = sdSceneEnd_GetMove(end, HINGE_CUBE);
    return sdSceneEnd_Say(
        end,
        error < 1e-3f && angle < 1e-3f && sdAbsF(slid - SLIDER_LENGTH) < 1e-3f && move.y < 0.01f &&
            sdAbsF(move.z) < 1e-3f,
        "joints are off by %.4f mm (1) and %.4f mrad (1) at most, the slider went "
        "%.4f m (2), the hinged cube is %.3f m lower",
        1e3 * (double)error, 1e3 * (double)angle, (double)slid, (double)-move.y);
}

const sdScene sdSceneHingeSlider = {
    .name = "hinge-slider",
    .title = "Hinge and slider",
    .text =
        "A cube turns about one axis of a cube that stays, another slides down along one, to its "
        "limit.",
    .end = "neither joint is off by 1 mm or 1 mrad, and the slider is at its limit",
    .rows = "F12 D12",
    .sizeName = "pairs of joints",
    .size = 1,
    .minSize = 1,
    .maxSize = 1,
    .stepCount = 300,
    .dt = 1.0f / 60.0f,
    .eye = {1.0f, 5.2f, 4.4f},
    .target = {0.8f, 4.6f, 0.0f},
    .configure = NULL,
    .build = buildHingeSlider,
    .check = checkHingeSlider,
};
