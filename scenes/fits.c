// SPDX-License-Identifier: MIT
// fits.c - scenes of bodies that fit into each other: bowls, links of a chain, nut and bolt.
//
// Nothing but their shapes holds them. Lengths are those of scale 1, as in concave.c.

#include "scene_parts.h"

#define MOST_RATIO 0.02f // of a body's size: depth that is allowed at the end

static sdPos at(const sdSceneBuilder* builder, float x, float y, float z) {
    double s = (double)builder->scale;
    return sdPos_Make(s * (double)x, s * (double)y, s * (double)z);
}

static void addFloor(sdSceneBuilder* builder, float half) {
    float s = builder->scale;
    sdSceneBuilder_AddStatic(builder, at(builder, 0.0f, -1.0f, 0.0f), sdQuat_Identity(),
                             sdShape_Box(s * half, s * 1.0f, s * half));
}

static sdConcave* makeModel(sdSceneBuilder* builder, sdModelKind kind, float size) {
    return sdSceneBuilder_MakeModel(builder, kind, builder->scale * size);
}

// ---- bowls ---------------------------------------------------------------------------------

#define BOWL_RISE 0.271f   // m from bowl to bowl: a ball of 0.5 in a rim of 0.42
#define BOWL_GAP 0.1f      // m that each falls
#define BOWL_ERROR 0.01f   // m: of corners of the meshes, and some tilt
#define BOWL_BOTTOM 0.281f // m from its centre of mass down

static void buildBowls(sdSceneBuilder* builder) {
    addFloor(builder, 10.0f);
    sdConcave* bowl = makeModel(builder, SD_MODEL_BOWL, 1.0f);
    // the lowest would roll
    sdSceneBuilder_AddStatic(builder, at(builder, 0.0f, BOWL_BOTTOM, 0.0f), sdQuat_Identity(),
                             sdSceneBuilder_ShapeOf(bowl));
    for (int i = 1; i < builder->size; ++i) {
        float x = sdSceneBuilder_Random(builder, -0.01f, 0.01f);
        float z = sdSceneBuilder_Random(builder, -0.01f, 0.01f);
        float y = BOWL_BOTTOM + (BOWL_RISE + BOWL_GAP) * (float)i;
        sdQuat q = sdQuat_FromAxisAngle(sdV3(0.0f, 1.0f, 0.0f),
                                        sdSceneBuilder_Random(builder, 0.0f, 6.2831853f));
        sdSceneBuilder_AddDynamic(builder, at(builder, x, y, z), q, sdSceneBuilder_ShapeOf(bowl));
    }
    sdConcave_Release(bowl);
}

static bool checkBowls(const sdSceneEnd* end) {
    float worst = 0.0f, ratio = sdSceneEnd_WorstRatio(end);
    // the floor is body 0
    for (int i = 2; i < end->bodyCount; ++i) {
        sdVec3 d = sdPos_Sub(sdSceneEnd_GetPose(end, i).p, sdSceneEnd_GetPose(end, i - 1).p);
        worst = sdMaxF(worst, sdAbsF(sdLength(d) / end->scale - BOWL_RISE));
    }
    float speed = sdSceneEnd_WorstSpeed(end);
    return sdSceneEnd_Say(end, worst < BOWL_ERROR && ratio < MOST_RATIO && speed < 0.05f,
                          "bowls are off by %.1f mm (10), deepest %.2f %% of a bowl (2), fastest "
                          "%.1f mm/s (50)",
                          1e3 * (double)worst, 1e2 * (double)ratio, 1e3 * (double)speed);
}

const sdScene sdSceneBowls = {
    .name = "bowls",
    .title = "Bowls in bowls",
    .text = "Bowls are dropped into each other and stand as a stack.",
    .end = "each sits in the one below, at rest, within 1 cm of where it should",
    .rows = "",
    .sizeName = "bowls",
    .size = 12,
    .minSize = 2,
    .maxSize = 200,
    .stepCount = 360,
    .dt = 1.0f / 60.0f,
    .hasScale = true,
    .eye = {2.6f, 3.8f, 5.4f},
    .target = {0.0f, 1.65f, 0.0f},
    .configure = NULL,
    .build = buildBowls,
    .check = checkBowls,
};

// ---- chain ---------------------------------------------------------------------------------

#define LINK_PITCH 0.64f   // m from link to link when they touch
#define LINK_PLAY 0.01f    // m between them at the start
#define LINK_STRETCH 0.02f // of a link: further apart than that they are torn
#define WEIGHT_HALF 0.25f  // m
#define WEIGHT_DENSITY 5000.0f

/// Long side up, every second one turned by a quarter.
static sdQuat linkRotation(int index) {
    sdQuat up = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), 1.57079633f);
    sdQuat turn = sdQuat_FromAxisAngle(sdV3(0.0f, 1.0f, 0.0f), 1.57079633f);
    return index % 2 == 0 ? up : sdMulQ(turn, up);
}

static void addWeight(sdSceneBuilder* builder, sdBodyId link) {
    if (builder->result == SD_OK) {
        float h = builder->scale * WEIGHT_HALF;
        sdShapeDef def = sdShapeDef_Default(sdShape_Box(h, h, h));
        // the link's x is up
        def.xf.p = sdV3(-builder->scale * (0.45f + WEIGHT_HALF), 0.0f, 0.0f);
        def.density = WEIGHT_DENSITY;
        def.material = builder->material;
        builder->result = sdBody_AddShape(builder->world, link, &def, NULL);
    }
}

static void buildHangingChain(sdSceneBuilder* builder) {
    sdConcave* link = makeModel(builder, SD_MODEL_CHAIN_LINK, 1.0f);
    float pitch = LINK_PITCH - LINK_PLAY, top = 2.0f + pitch * (float)builder->size;
    sdSceneBuilder_AddStatic(builder, at(builder, 0.0f, top, 0.0f), linkRotation(0),
                             sdSceneBuilder_ShapeOf(link));
    sdBodyId last = SD_NULL_BODY;
    for (int i = 1; i <= builder->size; ++i) {
        last = sdSceneBuilder_AddDynamic(builder, at(builder, 0.0f, top - pitch * (float)i, 0.0f),
                                         linkRotation(i), sdSceneBuilder_ShapeOf(link));
    }
    addWeight(builder, last);
    sdConcave_Release(link);
}

static bool checkHangingChain(const sdSceneEnd* end) {
    float worst = 0.0f, ratio = sdSceneEnd_WorstRatio(end), speed = sdSceneEnd_WorstSpeed(end);
    for (int i = 1; i < end->bodyCount; ++i) {
        sdVec3 d = sdPos_Sub(sdSceneEnd_GetPose(end, i).p, sdSceneEnd_GetPose(end, i - 1).p);
        worst = sdMaxF(worst, sdAbsF(sdLength(d) / end->scale - LINK_PITCH));
    }
    return sdSceneEnd_Say(end, worst < LINK_STRETCH && ratio < MOST_RATIO && speed < 0.2f,
                          "links are off by %.1f mm (20), deepest %.2f %% of a link (2), fastest "
                          "%.1f mm/s (200)",
                          1e3 * (double)worst, 1e2 * (double)ratio, 1e3 * (double)speed);
}

const sdScene sdSceneHangingChain = {
    .name = "hanging-chain",
    .title = "Chain of links",
    .text = "Links hang in each other by their shapes alone, with a weight on the last.",
    .end = "no two links are 2 cm further apart than they can be, or in each other by 2 %",
    .rows = "",
    .sizeName = "links",
    .size = 12,
    .minSize = 1,
    .maxSize = 200,
    .stepCount = 600,
    .dt = 1.0f / 60.0f,
    .hasScale = true,
    .eye = {6.5f, 7.0f, 10.5f},
    .target = {0.0f, 5.6f, 0.0f},
    .configure = NULL,
    .build = buildHangingChain,
    .check = checkHangingChain,
};

// ---- nut and bolt --------------------------------------------------------------------------

#define BOLT_SIZE 1.0f
#define BOLT_BOTTOM 0.385f // m from its centre of mass down
#define BOLT_PITCH 1.2f    // m from bolt to bolt
#define THREAD_LEAD 0.2f   // m by which a turn lifts a nut
#define NUT_START 0.8f     // m above the floor
#define NUT_PLAY 0.006f    // m, up and down
#define NUT_ERROR 0.05f

static int boltsAlong(int size) {
    int side = 1;
    while (side * side < size) {
        ++side;
    }
    return side;
}

static void buildNuts(sdSceneBuilder* builder, float friction) {
    int side = boltsAlong(builder->size);
    addFloor(builder, BOLT_PITCH * (float)(side + 1));
    sdSceneBuilder_SetFriction(builder, friction);
    sdConcave* bolt = makeModel(builder, SD_MODEL_BOLT, BOLT_SIZE);
    sdConcave* nut = makeModel(builder, SD_MODEL_NUT, 0.5f * BOLT_SIZE);
    for (int i = 0; i < builder->size; ++i) {
        float x = BOLT_PITCH * ((float)(i % side) - 0.5f * (float)(side - 1));
        float z = BOLT_PITCH * ((float)(i / side) - 0.5f * (float)(side - 1));
        sdSceneBuilder_AddStatic(builder, at(builder, x, BOLT_BOTTOM, z), sdQuat_Identity(),
                                 sdSceneBuilder_ShapeOf(bolt));
        sdSceneBuilder_AddDynamic(builder, at(builder, x, NUT_START, z), sdQuat_Identity(),
                                  sdSceneBuilder_ShapeOf(nut));
    }
    sdConcave_Release(bolt);
    sdConcave_Release(nut);
}

static void buildNut(sdSceneBuilder* builder) {
    buildNuts(builder, 0.0f);
}

static void buildNutHolds(sdSceneBuilder* builder) {
    buildNuts(builder, 0.6f);
}

/// Turns about the vertical, -0.5 .. 0.5: whole ones are not in a pose.
static float turnsOf(sdQuat q) {
    float turns = sdAtan2(q.v.y, q.s) / SD_PI;
    return turns - (turns > 0.5f ? 1.0f : (turns < -0.5f ? -1.0f : 0.0f));
}

static bool checkNut(const sdSceneEnd* end) {
    float least = FLT_MAX, worst = 0.0f, ratio = sdSceneEnd_WorstRatio(end);
    for (int i = 0; i < end->bodyCount; ++i) {
        if (!sdSceneEnd_IsDynamic(end, i)) {
            continue;
        }
        // a right-handed thread: what sinks turns backwards
        float turns = sdSceneEnd_GetMove(end, i).y / end->scale / THREAD_LEAD;
        float off = turnsOf(sdSceneEnd_GetPose(end, i).q) - turns;
        while (off > 0.5f) {
            off -= 1.0f;
        }
        least = sdMinF(least, -turns);
        worst = sdMaxF(worst, sdAbsF(off) / sdMaxF(sdAbsF(turns), 0.01f));
    }
    return sdSceneEnd_Say(end,
                          least > 1.0f && least < 2.6f && worst < NUT_ERROR && ratio < MOST_RATIO,
                          "sunk by %.2f turns (1 to 2.6), turned otherwise by %.1f %% (5), "
                          "deepest %.2f %% of a nut (2)",
                          (double)least, 1e2 * (double)worst, 1e2 * (double)ratio);
}

static bool checkNutHolds(const sdSceneEnd* end) {
    float sunk = 0.0f, turned = 0.0f, ratio = sdSceneEnd_WorstRatio(end);
    for (int i = 0; i < end->bodyCount; ++i) {
        sunk = sdMaxF(sunk, sdLength(sdSceneEnd_GetMove(end, i)) / end->scale);
        turned = sdMaxF(turned, sdAbsF(turnsOf(sdSceneEnd_GetPose(end, i).q)));
    }
    return sdSceneEnd_Say(
        end, sunk < NUT_PLAY && turned < 0.01f && ratio < MOST_RATIO,
        "moved by %.2f mm (6), turned by %.2f degrees (3.6), deepest %.2f %% of a "
        "nut (2)",
        1e3 * (double)sunk, 360.0 * (double)turned, 1e2 * (double)ratio);
}

const sdScene sdSceneNut = {
    .name = "nut",
    .title = "Nut on a bolt",
    .text = "A nut without friction turns down the thread of a bolt by its own weight.",
    .end = "it has turned as its thread says, within 5 %, and is not in the bolt by 2 %",
    .rows = "",
    .sizeName = "bolts",
    .size = 1,
    .minSize = 1,
    .maxSize = 1000,
    .stepCount = 120,
    .dt = 1.0f / 60.0f,
    .hasScale = true,
    .eye = {1.0f, 1.5f, 1.9f},
    .target = {0.0f, 0.5f, 0.0f},
    .configure = NULL,
    .build = buildNut,
    .check = checkNut,
};

const sdScene sdSceneNutHolds = {
    .name = "nut-holds",
    .title = "Nut that holds by friction",
    .text = "The same nut with a friction of 0.6 stays where it is.",
    .end = "it has sunk by no more than the play of its thread, and not turned",
    .rows = "",
    .sizeName = "bolts",
    .size = 1,
    .minSize = 1,
    .maxSize = 1000,
    .stepCount = 300,
    .dt = 1.0f / 60.0f,
    .hasScale = true,
    .eye = {1.0f, 1.5f, 1.9f},
    .target = {0.0f, 0.5f, 0.0f},
    .configure = NULL,
    .build = buildNutHolds,
    .check = checkNutHolds,
};
