// SPDX-License-Identifier: MIT
// levers.c - scenes of planks that tip under cubes: a seesaw, a plank over an edge (S2 §12).

#include "scene_parts.h"

/// Of a body's x axis, with the plane.
static float tiltOf(const sdSceneEnd* end, int body) {
    return sdRotate(sdSceneEnd_GetPose(end, body).q, sdV3(1.0f, 0.0f, 0.0f)).y;
}

static double heightOf(const sdSceneEnd* end, int body) {
    return sdSceneEnd_GetPose(end, body).p.y;
}

static void addCube(sdSceneBuilder* builder, double x, double y, float half) {
    sdSceneBuilder_AddDynamic(builder, sdPos_Make(x, y, 0.0), sdQuat_Identity(),
                              sdShape_Box(half, half, half));
}

/// As document S2 has it: of two surfaces, the rougher one counts.
static void useRougher(sdWorldDef* def) {
    def->combineFriction = SD_COMBINE_MAXIMUM;
}

// ---- seesaw (F4) ---------------------------------------------------------------------------

enum { SEESAW_GROUND, SEESAW_WEDGE, SEESAW_PLANK, SEESAW_LIGHT, SEESAW_HEAVY };

#define WEDGE_HEIGHT 0.5f  // m
#define SEESAW_HALF 2.0f   // m, of the plank's length
#define SEESAW_THIN 0.05f  // m, half of its thickness
#define SEESAW_CUBE 0.25f  // m, half of a cube's side
#define SEESAW_PLACE 1.6   // m from the middle
#define HEAVY_DENSITY 4.0f // times the light one's

static void buildSeesaw(sdSceneBuilder* builder) {
    // a wedge with its edge up; a plank that does not slip on it
    const sdVec3 wedge[6] = {{-0.4f, 0.0f, -0.6f}, {0.4f, 0.0f, -0.6f}, {0.0f, WEDGE_HEIGHT, -0.6f},
                             {-0.4f, 0.0f, 0.6f},  {0.4f, 0.0f, 0.6f},  {0.0f, WEDGE_HEIGHT, 0.6f}};
    sdSceneBuilder_SetFriction(builder, 0.1f);
    sdSceneBuilder_AddGround(builder, 20.0f);
    sdSceneBuilder_SetFriction(builder, 2.0f);
    sdHull* hull = sdSceneBuilder_MakeHull(builder, wedge, 6);
    if (hull != NULL) {
        sdSceneBuilder_AddStatic(builder, sdPos_Make(0.0, 0.0, 0.0), sdQuat_Identity(),
                                 sdShape_Hull(hull));
    }
    sdHull_Release(hull);
    sdSceneBuilder_SetFriction(builder, 0.05f);
    double y = (double)(WEDGE_HEIGHT + SEESAW_THIN);
    builder->density = 500.0f;
    sdSceneBuilder_AddDynamic(builder, sdPos_Make(0.0, y, 0.0), sdQuat_Identity(),
                              sdShape_Box(SEESAW_HALF, SEESAW_THIN, 0.4f));
    y += (double)(SEESAW_THIN + SEESAW_CUBE);
    // the light one holds on, the heavy one slides
    sdSceneBuilder_SetFriction(builder, 1.0f);
    builder->density = 1000.0f;
    addCube(builder, -SEESAW_PLACE, y, SEESAW_CUBE);
    sdSceneBuilder_SetFriction(builder, 0.05f);
    builder->density *= HEAVY_DENSITY;
    addCube(builder, SEESAW_PLACE, y, SEESAW_CUBE);
}

static bool checkSeesaw(const sdSceneEnd* end) {
    float tilt = tiltOf(end, SEESAW_PLANK);
    double heavy = heightOf(end, SEESAW_HEAVY) - (double)SEESAW_CUBE;
    double away = sdSceneEnd_GetPose(end, SEESAW_HEAVY).p.x;
    return sdSceneEnd_Say(end, tilt > 0.1f && away > (double)SEESAW_HALF && heavy < 0.01,
                          "the heavy cube lies %.2f m from the middle (more than 2) at %.3f m "
                          "(0), then the light one tipped the plank back by %.2f (more than 0.1)",
                          away, heavy, (double)tilt);
}

const sdScene sdSceneSeesaw = {
    .name = "seesaw",
    .title = "Seesaw",
    .text =
        "A heavy cube pushes its end of a seesaw down and the light one up, slides off, and the "
        "light one tips it back.",
    .end = "the heavy cube is on the ground, and the plank is down on the other side",
    .rows = "F4 D11",
    .sizeName = "seesaws",
    .size = 1,
    .minSize = 1,
    .maxSize = 1,
    .stepCount = 480,
    .dt = 1.0f / 60.0f,
    .eye = {1.0f, 2.0f, 5.5f},
    .target = {0.5f, 0.4f, 0.0f},
    .configure = useRougher,
    .build = buildSeesaw,
    .check = checkSeesaw,
};

// ---- plank (F5) ----------------------------------------------------------------------------

enum { PLANK_GROUND, PLANK_PILLAR, PLANK_PLANK, PLANK_FIRST };

#define PILLAR_HEIGHT 2.0f // m
#define PILLAR_HALF 0.3f   // m, of its width; its edge is above x = 0
#define PLANK_HALF 2.0f    // m, of its length
#define PLANK_THIN 0.1f    // m, half of its thickness
#define PLANK_OVER 0.05    // m by which its middle is over the edge: it starts to topple
#define SMALL_HALF 0.2f    // m, half of a small cube's side
#define SMALL_PLACE -1.2
#define LARGE_HALF 0.4f
#define LARGE_PLACE 1.4
#define LARGE_FALL 5.0 // m

static void buildPlank(sdSceneBuilder* builder) {
    sdSceneBuilder_SetFriction(builder, 0.5f);
    sdSceneBuilder_AddGround(builder, 20.0f);
    sdSceneBuilder_AddStatic(
        builder, sdPos_Make(-(double)PILLAR_HALF, 0.5 * (double)PILLAR_HEIGHT, 0.0),
        sdQuat_Identity(), sdShape_Box(PILLAR_HALF, 0.5f * PILLAR_HEIGHT, 0.5f));
    double top = (double)(PILLAR_HEIGHT + 2.0f * PLANK_THIN);
    sdSceneBuilder_AddDynamic(builder, sdPos_Make(PLANK_OVER, top - (double)PLANK_THIN, 0.0),
                              sdQuat_Identity(), sdShape_Box(PLANK_HALF, PLANK_THIN, 0.5f));
    for (int i = 0; i < builder->size; ++i) {
        addCube(builder, SMALL_PLACE, top + 0.5 + 0.7 * i, SMALL_HALF);
    }
    addCube(builder, LARGE_PLACE, top + LARGE_FALL, LARGE_HALF);
}

static bool checkPlank(const sdSceneEnd* end) {
    double highest = 0.0;
    for (int i = PLANK_FIRST; i < end->bodyCount; ++i) {
        highest = sdMaxF((float)highest, (float)heightOf(end, i));
    }
    float tilt = -tiltOf(end, PLANK_PLANK);
    return sdSceneEnd_Say(end, highest < (double)PILLAR_HEIGHT && tilt > 0.3f,
                          "the highest cube is at %.2f m (below 2), the plank tips by %.2f (more "
                          "than 0.3)",
                          highest, (double)tilt);
}

const sdScene sdScenePlank = {
    .name = "plank",
    .title = "Plank over an edge",
    .text =
        "A plank starts to topple, cubes that pile up on its end hold it, and it goes down with "
        "them when a larger one comes.",
    .end = "the plank has toppled, and no cube is up there",
    .rows = "F5 D11",
    .sizeName = "small cubes",
    .size = 4,
    .minSize = 2,
    .maxSize = 6,
    .stepCount = 300,
    .dt = 1.0f / 60.0f,
    .eye = {2.5f, 3.5f, 8.0f},
    .target = {0.2f, 2.0f, 0.0f},
    .configure = NULL,
    .build = buildPlank,
    .check = checkPlank,
};
