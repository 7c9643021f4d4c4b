// SPDX-License-Identifier: MIT
// stacks.c - scenes of things that stand on each other and must not move: pyramid, tower, a heavy
// box on a light one, a house of cards, an arch.
//
// They do not sleep: what is shown is how the solver holds them.

#include "scene_parts.h"

static void stayAwake(sdWorldDef* def) {
    def->enableSleep = false;
}

/// Of the body that was added last.
static sdVec3 moveOfTop(const sdSceneEnd* end) {
    return sdSceneEnd_GetMove(end, end->bodyCount - 1);
}

/// A box of 1 m that stands on the floor `row`.
static void addBox(sdSceneBuilder* builder, double x, int row) {
    sdSceneBuilder_AddDynamic(builder, sdPos_Make(x, 0.5 + row, 0.0), sdQuat_Identity(),
                              sdShape_Box(0.5f, 0.5f, 0.5f));
}

/// Of a column: how far the top sank and boxes drifted, both in m.
static bool checkColumn(const sdSceneEnd* end, float maxSag, float maxDrift) {
    float sag = -moveOfTop(end).y, drift = sdSceneEnd_WorstShift(end);
    return sdSceneEnd_Say(end, sag < maxSag && drift < maxDrift,
                          "the top sank by %.2f mm (%g), worst drift %.3f mm (%g)",
                          1e3 * (double)sag, 1e3 * (double)maxSag, 1e3 * (double)drift,
                          1e3 * (double)maxDrift);
}

// ---- pyramid -------------------------------------------------------------------------------

#define LOOSE_PITCH 1.05 // m from box to box: no box touches its neighbour in the row
#define TIGHT_PITCH 1.0  // each does, along a whole face, without pressure

static void addPyramid(sdSceneBuilder* builder, double pitch) {
    int base = builder->size;
    sdSceneBuilder_SetFriction(builder, 0.5f);
    sdSceneBuilder_AddGround(builder, 20.0f + (float)base);
    for (int row = 0; row < base; ++row) {
        for (int i = 0; i < base - row; ++i) {
            addBox(builder, pitch * (i - 0.5 * (base - row - 1)), row);
        }
    }
}

static void buildPyramid(sdSceneBuilder* builder) {
    addPyramid(builder, LOOSE_PITCH);
}

static void buildTightPyramid(sdSceneBuilder* builder) {
    addPyramid(builder, TIGHT_PITCH);
}

static bool checkPyramid(const sdSceneEnd* end) {
    float depth = sdSceneEnd_WorstDepth(end, NULL), shift = sdSceneEnd_WorstShift(end);
    float fall = -moveOfTop(end).y;
    return sdSceneEnd_Say(end, depth < 0.002f && shift < 0.01f && fall < 0.04f,
                          "worst penetration %.2f mm (2), worst shift %.1f mm (10), the top sank "
                          "by %.1f mm (40)",
                          1e3 * (double)depth, 1e3 * (double)shift, 1e3 * (double)fall);
}

const sdScene sdScenePyramid = {
    .name = "pyramid",
    .title = "Pyramid of boxes",
    .text = "A wall of 1 m boxes, each row one box shorter than the one below it.",
    .end = "no box moved sideways by 1 cm, none is deeper than 2 mm in another",
    .rows = "",
    .sizeName = "boxes along the base",
    .size = 40,
    .minSize = 1,
    .maxSize = 400,
    .stepCount = 3600,
    .dt = 1.0f / 60.0f,
    .eye = {24.0f, 26.0f, 62.0f},
    .target = {0.0f, 18.5f, 0.0f},
    .configure = stayAwake,
    .build = buildPyramid,
    .check = checkPyramid,
};

const sdScene sdSceneTightPyramid = {
    .name = "tight-pyramid",
    .title = "Tight pyramid",
    .text = "The pyramid with no gap between the boxes of a row, so that faces touch that carry "
            "nothing.",
    .end = "no box moved sideways by 1 cm, none is deeper than 2 mm in another",
    .rows = "",
    .sizeName = "boxes along the base",
    .size = 40,
    .minSize = 1,
    .maxSize = 400,
    .stepCount = 3600,
    .dt = 1.0f / 60.0f,
    .eye = {18.0f, 22.0f, 52.0f},
    .target = {0.0f, 16.0f, 0.0f},
    .configure = stayAwake,
    .build = buildTightPyramid,
    .check = checkPyramid,
};

// ---- tower ---------------------------------------------------------------------------------

static void buildTower(sdSceneBuilder* builder) {
    sdSceneBuilder_AddGround(builder, 50.0f);
    for (int i = 0; i < builder->size; ++i) {
        addBox(builder, 0.0, i);
    }
}

static bool checkTower(const sdSceneEnd* end) {
    return checkColumn(end, 0.02f, 0.001f);
}

const sdScene sdSceneTower = {
    .name = "tower",
    .title = "Tower",
    .text = "One hundred boxes of 1 m, one on the other.",
    .end = "the top sank by less than 2 cm, no box drifted by 1 mm",
    .rows = "",
    .sizeName = "boxes",
    .size = 100,
    .minSize = 1,
    .maxSize = 10000,
    .stepCount = 3600,
    .dt = 1.0f / 60.0f,
    .eye = {74.0f, 66.0f, 136.0f},
    .target = {0.0f, 49.0f, 0.0f},
    .configure = stayAwake,
    .build = buildTower,
    .check = checkTower,
};

// ---- heavy on light ------------------------------------------------------------------------

#define LIGHT_DENSITY 10.0f // kg/m³, of expanded foam; 10 000 times that is no real material

static void buildHeavy(sdSceneBuilder* builder) {
    sdSceneBuilder_AddGround(builder, 20.0f);
    builder->density = LIGHT_DENSITY;
    addBox(builder, 0.0, 0);
    builder->density = LIGHT_DENSITY * (float)builder->size;
    addBox(builder, 0.0, 1);
}

static bool checkHeavy(const sdSceneEnd* end) {
    return checkColumn(end, 0.005f, 0.005f);
}

const sdScene sdSceneHeavy = {
    .name = "heavy",
    .title = "Heavy on light",
    .text = "A box on one of a ten-thousandth of its mass.",
    .end = "the heavy box sank by less than 5 mm",
    .rows = "",
    .sizeName = "times the lower mass",
    .size = 10000,
    .minSize = 1,
    .maxSize = 1000000,
    .stepCount = 1200,
    .dt = 1.0f / 60.0f,
    .eye = {2.5f, 2.5f, 5.0f},
    .target = {0.0f, 1.0f, 0.0f},
    .configure = stayAwake,
    .build = buildHeavy,
    .check = checkHeavy,
};

// ---- house of cards ------------------------------------------------------------------------

#define CARD_LENGTH 1.0f     // m
#define CARD_WIDTH 0.6f      // m
#define CARD_THICKNESS 0.02f // m
#define CARD_ANGLE 0.42f     // rad from the vertical: 24 degrees, well inside friction
#define CARD_DENSITY 500.0f  // kg/m³
#define CARD_GAP 0.02f       // m between two cards that lie in a row

static void addCard(sdSceneBuilder* builder, double x, double y, float angle, float halfLength) {
    sdSceneBuilder_AddDynamic(builder, sdPos_Make(x, y, 0.0),
                              sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), angle),
                              sdShape_Box(halfLength, 0.5f * CARD_THICKNESS, 0.5f * CARD_WIDTH));
}

static void buildCardHouse(sdSceneBuilder* builder) {
    sdSceneBuilder_AddGround(builder, 20.0f);
    builder->density = CARD_DENSITY;
    float sine = sdSin(CARD_ANGLE), cosine = sdCos(CARD_ANGLE);
    // two cards lean on each other by their upper edges
    double wide = (double)(CARD_LENGTH * sine + CARD_THICKNESS * cosine);
    double high = (double)(CARD_LENGTH * cosine + CARD_THICKNESS * sine);
    double pitch = (double)(2.0f * (CARD_LENGTH * sine + CARD_THICKNESS));
    float upright = 0.5f * SD_PI;
    double y = 0.0;
    for (int storey = 0; storey < builder->size; ++storey) {
        int count = builder->size - storey;
        for (int i = 0; i < count; ++i) {
            double x = pitch * (i - 0.5 * (count - 1));
            addCard(builder, x - 0.5 * wide, y + 0.5 * high, upright - CARD_ANGLE,
                    0.5f * CARD_LENGTH);
            addCard(builder, x + 0.5 * wide, y + 0.5 * high, upright + CARD_ANGLE,
                    0.5f * CARD_LENGTH);
        }
        y += high;
        for (int i = 0; i < count - 1; ++i) {
            addCard(builder, pitch * (i - 0.5 * (count - 2)), y + 0.5 * (double)CARD_THICKNESS,
                    0.0f, 0.5f * ((float)pitch - CARD_GAP));
        }
        y += (double)CARD_THICKNESS;
    }
}

static bool checkStands(const sdSceneEnd* end) {
    float move = sdSceneEnd_WorstMove(end), speed = sdSceneEnd_WorstSpeed(end);
    return sdSceneEnd_Say(end, move < 0.02f && speed < 0.01f,
                          "worst move %.2f mm (20), fastest %.4f m/s (0.01)", 1e3 * (double)move,
                          (double)speed);
}

const sdScene sdSceneCardHouse = {
    .name = "card-house",
    .title = "House of cards",
    .text = "Cards that lean on each other, storey on storey, held by friction alone.",
    .end = "no card moved by 2 cm",
    .rows = "D5",
    .sizeName = "storeys",
    .size = 5,
    .minSize = 1,
    .maxSize = 50,
    .stepCount = 1200,
    .dt = 1.0f / 60.0f,
    .eye = {2.0f, 3.2f, 9.0f},
    .target = {0.0f, 2.2f, 0.0f},
    .configure = stayAwake,
    .build = buildCardHouse,
    .check = checkStands,
};

// ---- arch ----------------------------------------------------------------------------------

#define ARCH_INNER 5.0f // m
#define ARCH_OUTER 6.0f // m
#define ARCH_DEPTH 1.0f // m

/// A stone about its centre of mass, which lies on the axis of symmetry at `*radius`.
static sdHull* makeStone(sdSceneBuilder* builder, float halfAngle, float* radius) {
    sdVec3 corners[8];
    float sine = sdSin(halfAngle), cosine = sdCos(halfAngle);
    for (int i = 0; i < 8; ++i) {
        float r = (i & 1) != 0 ? ARCH_OUTER : ARCH_INNER;
        corners[i] = sdV3((i & 2) != 0 ? r * sine : -r * sine, r * cosine,
                          (i & 4) != 0 ? 0.5f * ARCH_DEPTH : -0.5f * ARCH_DEPTH);
    }
    // of the trapezium between both radii: centroid of its halves weighted by their areas
    float a = ARCH_OUTER - ARCH_INNER;
    float share = (ARCH_INNER + 2.0f * ARCH_OUTER) / (3.0f * (ARCH_INNER + ARCH_OUTER));
    *radius = cosine * (ARCH_INNER + a * share);
    for (int i = 0; i < 8; ++i) {
        corners[i].y -= *radius;
    }
    return sdSceneBuilder_MakeHull(builder, corners, 8);
}

static void buildArch(sdSceneBuilder* builder) {
    sdSceneBuilder_AddGround(builder, 20.0f);
    int count = builder->size;
    float halfAngle = 0.5f * SD_PI / (float)count, radius;
    sdHull* stone = makeStone(builder, halfAngle, &radius);
    for (int i = 0; i < count; ++i) {
        float angle = (float)(2 * i + 1 - count) * halfAngle;
        sdPos p = sdPos_Make((double)(radius * sdSin(angle)), (double)(radius * sdCos(angle)), 0.0);
        sdSceneBuilder_AddDynamic(builder, p, sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), -angle),
                                  sdShape_Hull(stone));
    }
    sdHull_Release(stone);
}

const sdScene sdSceneArch = {
    .name = "arch",
    .title = "Arch",
    .text = "A half circle of wedge-shaped stones without mortar.",
    .end = "no stone moved by 2 cm",
    .rows = "D5",
    .sizeName = "stones",
    .size = 25,
    .minSize = 5,
    .maxSize = 201,
    .stepCount = 1200,
    .dt = 1.0f / 60.0f,
    .eye = {4.0f, 5.0f, 15.0f},
    .target = {0.0f, 3.0f, 0.0f},
    .configure = stayAwake,
    .build = buildArch,
    .check = checkStands,
};
