// SPDX-License-Identifier: MIT
// rows.c - scenes of things in a row: dominoes, billiard balls, cubes of rising friction on a
// slope.

#include "scene_parts.h"

static void stayAwake(sdWorldDef* def) {
    def->enableSleep = false;
}

// ---- dominoes (F7) -------------------------------------------------------------------------

#define DOMINO_HALF_HEIGHT 0.5f // m, as all of these
#define DOMINO_HALF_WIDTH 0.25f
#define DOMINO_HALF_THICKNESS 0.06f
#define DOMINO_PITCH 0.45f
#define DOMINO_FRICTION 0.3f // they slide on each other; with much more they stall half-way
#define DOMINO_PUSH 1.5f     // rad/s, of the first one: it falls, but does not jump
#define WAVE_ANGLE 0.5f      // rad, to each side
#define WAVE_COUNT 24        // dominoes of a wave

static void useDominoes(sdSceneBuilder* builder, float half) {
    sdSceneBuilder_AddGround(builder, half);
    sdSceneBuilder_SetFriction(builder, DOMINO_FRICTION);
    builder->density = 600.0f;
}

/// One that will fall the way (cos heading, 0, -sin heading).
static void addDomino(sdSceneBuilder* builder, float x, float z, float heading, bool isPushed) {
    sdBodyDef def = sdBodyDef_Default();
    def.type = SD_BODY_DYNAMIC;
    def.position = sdPos_Make((double)x, (double)DOMINO_HALF_HEIGHT, (double)z);
    // its thickness, local x, points that way
    def.rotation = sdQuat_FromAxisAngle(sdV3(0.0f, 1.0f, 0.0f), heading);
    if (isPushed) {
        // about its lower edge: the axis is up x forward
        sdVec3 forward = {sdCos(heading), 0.0f, -sdSin(heading)};
        def.angularVelocity = sdScale(DOMINO_PUSH, sdCross(sdV3(0.0f, 1.0f, 0.0f), forward));
        def.velocity = sdScale(DOMINO_PUSH * DOMINO_HALF_HEIGHT, forward);
    }
    sdSceneBuilder_Add(builder, &def,
                       sdShape_Box(DOMINO_HALF_THICKNESS, DOMINO_HALF_HEIGHT, DOMINO_HALF_WIDTH));
}

/// In a row that winds.
static void buildDominoes(sdSceneBuilder* builder) {
    float half = 0.5f * DOMINO_PITCH * (float)builder->size, x = -half, z = 0.0f;
    useDominoes(builder, half + 10.0f);
    for (int i = 0; i < builder->size; ++i) {
        float heading = WAVE_ANGLE * sdSin(2.0f * SD_PI * (float)i / (float)WAVE_COUNT);
        addDomino(builder, x, z, heading, i == 0);
        x += DOMINO_PITCH * sdCos(heading);
        z -= DOMINO_PITCH * sdSin(heading);
    }
}

/// On a circle, each facing the next; the last falls on the first, so that all lean on each other
/// in a ring.
static void buildDominoRing(sdSceneBuilder* builder) {
    float radius = DOMINO_PITCH * (float)builder->size / (2.0f * SD_PI);
    useDominoes(builder, radius + 10.0f);
    for (int i = 0; i < builder->size; ++i) {
        float angle = 2.0f * SD_PI * (float)i / (float)builder->size;
        addDomino(builder, radius * sdCos(angle), -radius * sdSin(angle), angle + 0.5f * SD_PI,
                  i == 0);
    }
}

static bool checkDominoes(const sdSceneEnd* end) {
    int standing = 0;
    for (int i = 0; i < end->bodyCount; ++i) {
        sdVec3 up = sdRotate(sdSceneEnd_GetPose(end, i).q, sdV3(0.0f, 1.0f, 0.0f));
        // a domino that leans on the next is some 15 degrees from the ground
        standing += sdSceneEnd_IsDynamic(end, i) && up.y > 0.707f ? 1 : 0;
    }
    float speed = sdSceneEnd_WorstSpeed(end);
    return sdSceneEnd_Say(end, standing == 0 && speed < 0.05f,
                          "%d dominoes stand (0), fastest %.3f m/s (0.05)", standing,
                          (double)speed);
}

const sdScene sdSceneDominoes = {
    .name = "dominoes",
    .title = "Dominoes",
    .text = "Dominoes in a row that winds: the first is pushed, and each pushes the next.",
    .end = "all fell and rest",
    .rows = "F7",
    .sizeName = "dominoes",
    .size = 40,
    .minSize = 2,
    .maxSize = 10000,
    .stepCount = 1200,
    .dt = 1.0f / 60.0f,
    .eye = {3.0f, 7.0f, 12.0f},
    .target = {0.0f, 0.0f, -0.5f},
    .configure = NULL,
    .build = buildDominoes,
    .check = checkDominoes,
};

const sdScene sdSceneDominoRing = {
    .name = "domino-ring",
    .title = "Ring of dominoes",
    .text = "Dominoes in a ring: the first is pushed, the last falls on the first, and all lean on "
            "each other in a cycle.",
    .end = "all fell and rest",
    .rows = "F7 D10",
    .sizeName = "dominoes",
    .size = 60,
    .minSize = 12,
    .maxSize = 10000,
    .stepCount = 1200,
    .dt = 1.0f / 60.0f,
    .eye = {5.0f, 7.0f, 9.0f},
    .target = {0.0f, 0.0f, 0.0f},
    .configure = NULL,
    .build = buildDominoRing,
    .check = checkDominoes,
};

// ---- billiards (F6) ------------------------------------------------------------------------

#define BALL_RADIUS 0.1f             // m
#define BALL_SPEED 2.0f              // m/s, of the one that strikes
#define BALL_ROLLING_FRICTION 0.005f // m
#define BALL_FRICTION 0.05f          // smooth balls ...
#define TABLE_FRICTION 0.8f          // ... on cloth: 0.2 between the two

/// All balls of the row touch, so that the blow goes through it in one step. That takes impulses
/// that are passed on from ball to ball; solved all at once, all balls would move.
static void configureBilliards(sdWorldDef* def) {
    stayAwake(def);
    def->solver = SD_SOLVER_IMPULSE;
    def->impulse.collisionPassCount = 60;
}

static void buildBilliards(sdSceneBuilder* builder) {
    sdSceneBuilder_SetFriction(builder, TABLE_FRICTION);
    sdSceneBuilder_AddGround(builder, 30.0f);
    sdSceneBuilder_SetFriction(builder, BALL_FRICTION);
    builder->density = 1700.0f;
    builder->material.restitution = 1.0f;
    builder->material.rollingFriction = BALL_ROLLING_FRICTION;
    sdBodyDef def = sdBodyDef_Default();
    def.type = SD_BODY_DYNAMIC;
    for (int i = 0; i < builder->size; ++i) {
        def.position = sdPos_Make(2.0 * (double)BALL_RADIUS * i, (double)BALL_RADIUS, 0.0);
        sdSceneBuilder_Add(builder, &def, sdShape_Sphere(BALL_RADIUS));
    }
    // rolls towards the row
    def.position = sdPos_Make(-1.0, (double)BALL_RADIUS, 0.0);
    def.velocity = sdV3(BALL_SPEED, 0.0f, 0.0f);
    def.angularVelocity = sdV3(0.0f, 0.0f, -BALL_SPEED / BALL_RADIUS);
    sdSceneBuilder_Add(builder, &def, sdShape_Sphere(BALL_RADIUS));
}

static bool checkBilliards(const sdSceneEnd* end) {
    // body 0 is the table, the last one struck
    float last = sdSceneEnd_GetMove(end, end->bodyCount - 2).x, others = 0.0f, aside = 0.0f;
    for (int i = 1; i < end->bodyCount - 2; ++i) {
        others = sdMaxF(others, sdSceneEnd_GetMove(end, i).x);
    }
    for (int i = 1; i < end->bodyCount; ++i) {
        aside = sdMaxF(aside, sdAbsF(sdSceneEnd_GetMove(end, i).z));
    }
    float speed = sdSceneEnd_WorstSpeed(end);
    return sdSceneEnd_Say(end,
                          last > 1.0f && last > others + 0.5f && aside < 0.01f && speed < 0.01f,
                          "the last ball rolled %.2f m (more than 1), another %.2f m at most "
                          "(0.5 less), aside %.1f mm (10), fastest %.3f m/s (0.01)",
                          (double)last, (double)others, 1e3 * (double)aside, (double)speed);
}

const sdScene sdSceneBilliards = {
    .name = "billiards",
    .title = "Row of billiard balls",
    .text = "A ball strikes a row at one end, the one at the other end rolls away until rolling "
            "friction stops it.",
    .end = "the last ball rolled furthest, all lie still",
    .rows = "F6 D4 D6 D8",
    .sizeName = "balls in the row",
    .size = 12,
    .minSize = 2,
    .maxSize = 50,
    .stepCount = 900,
    .dt = 1.0f / 60.0f,
    .eye = {1.6f, 2.0f, 4.6f},
    .target = {1.9f, 0.0f, 0.0f},
    .configure = configureBilliards,
    .build = buildBilliards,
    .check = checkBilliards,
};

// ---- slope (F3) ----------------------------------------------------------------------------

#define SLOPE_SINE 0.4472136f // of the angle whose tangent is 1/2
#define SLOPE_COSINE 0.8944272f
#define SLOPE_STEP 0.1f // of friction from cube to cube
#define SLOPE_GRAVITY 9.81f

static void configureSlope(sdWorldDef* def) {
    stayAwake(def);
    def->combineFriction = SD_COMBINE_MINIMUM;
}

static float slopeFriction(int cube) {
    return SLOPE_STEP * (float)(cube + 1);
}

static void buildSlope(sdSceneBuilder* builder) {
    int count = builder->size;
    // half-angle formulas: no more than a square root
    float s = sqrtf(0.5f * (1.0f + SLOPE_COSINE));
    sdQuat q = {{0.0f, 0.0f, -SLOPE_SINE / (2.0f * s)}, s};
    q = sdNormalizeQ(q);
    sdVec3 up = sdRotate(q, sdV3(0.0f, 1.0f, 0.0f));
    float half = 2.0f * (float)count + 50.0f;
    sdSceneBuilder_SetFriction(builder, 100.0f);
    sdVec3 below = sdScale(-1.0f, up);
    sdSceneBuilder_AddStatic(builder, sdPos_Make((double)below.x, (double)below.y, (double)below.z),
                             q, sdShape_Box(half, 1.0f, half));
    builder->material.restitution = 1.0f;
    for (int i = 0; i < count; ++i) {
        sdSceneBuilder_SetFriction(builder, slopeFriction(i));
        sdVec3 p = sdScale(0.5f, up);
        sdSceneBuilder_AddDynamic(
            builder, sdPos_Make((double)p.x, (double)p.y, 1.5 * (i - 0.5 * (count - 1))), q,
            sdShape_Box(0.5f, 0.5f, 0.5f));
    }
}

/// Of the distance that a cube should have slid, and m beside it.
#define SLOPE_TOLERANCE 0.02f
#define SLOPE_HOP 0.01f

static bool checkSlope(const sdSceneEnd* end) {
    sdVec3 down = {SLOPE_COSINE, -SLOPE_SINE, 0.0f}, up = {SLOPE_SINE, SLOPE_COSINE, 0.0f};
    float time = (float)sdWorld_GetTime(end->world), worst = 0.0f, hop = 0.0f;
    for (int i = 1; i < end->bodyCount; ++i) {
        sdVec3 move = sdSceneEnd_GetMove(end, i);
        float drive = SLOPE_SINE - slopeFriction(i - 1) * SLOPE_COSINE;
        float wanted = 0.5f * SLOPE_GRAVITY * sdMaxF(drive, 0.0f) * time * time;
        float error = sdAbsF(sdDot(move, down) - wanted) / (SLOPE_TOLERANCE * wanted + SLOPE_HOP);
        // just on the threshold either is right
        worst = sdAbsF(drive) > 0.02f ? sdMaxF(worst, error) : worst;
        hop = sdMaxF(hop, sdAbsF(sdDot(move, up)));
    }
    return sdSceneEnd_Say(end, worst < 1.0f && hop < SLOPE_HOP,
                          "distances are wrong by %.0f %% of what is allowed (100), the highest "
                          "hop is %.2f mm (10)",
                          1e2 * (double)worst, 1e3 * (double)hop);
}

const sdScene sdSceneSlope = {
    .name = "slope",
    .title = "Cubes on a slope",
    .text = "Perfectly elastic cubes of rising friction on a slope of 1 in 2: those below 0.5 "
            "slide, the others stay, none hops.",
    .end = "each slid as far as Coulomb's law says, none left the slope by 1 cm",
    .rows = "F3 D5",
    .sizeName = "cubes",
    .size = 9,
    .minSize = 1,
    .maxSize = 50,
    .stepCount = 120,
    .dt = 1.0f / 60.0f,
    .eye = {10.0f, 8.0f, 16.0f},
    .target = {5.0f, -2.0f, 0.0f},
    .configure = configureSlope,
    .build = buildSlope,
    .check = checkSlope,
};
