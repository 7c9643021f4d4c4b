// SPDX-License-Identifier: MIT
// piles.c - scenes of many bodies that fall and come to rest: pile, wide pile, rain on a mesh; and
// a field of boxes that sleep.

#include "scene_parts.h"

static void stayAwake(sdWorldDef* def) {
    def->enableSleep = false;
}

// ---- pile ----------------------------------------------------------------------------------

#define PILE_PITCH 0.78f // m from body to body at the start: no two touch, however turned
#define PILE_FRICTION 0.5f
#define WALL_THICKNESS 2.0f  // m
#define PILE_HALF_WIDTH 6.0f // m
#define PILE_MARGIN 0.05f    // m beyond the walls, where a body's centre never is

/// A box of 12 x 12 m (or so): floor, four walls, open above.
static void addWalls(sdSceneBuilder* builder, float half, float height) {
    double wall = (double)(half + 0.5f * WALL_THICKNESS);
    float thick = 0.5f * WALL_THICKNESS, wide = half + WALL_THICKNESS;
    sdQuat q = sdQuat_Identity();
    sdSceneBuilder_AddGround(builder, wide);
    for (int side = -1; side <= 1; side += 2) {
        sdSceneBuilder_AddStatic(builder, sdPos_Make(side * wall, 0.5 * (double)height, 0.0), q,
                                 sdShape_Box(thick, 0.5f * height, wide));
        sdSceneBuilder_AddStatic(builder, sdPos_Make(0.0, 0.5 * (double)height, side * wall), q,
                                 sdShape_Box(half, 0.5f * height, thick));
    }
}

/// About 0.5 m: a box, a sphere or a capsule.
static sdShape makePiece(sdSceneBuilder* builder, int kind) {
    if (kind == 1) {
        return sdShape_Sphere(sdSceneBuilder_Random(builder, 0.2f, 0.3f));
    }
    if (kind == 2) {
        float halfLength = sdSceneBuilder_Random(builder, 0.1f, 0.2f);
        return sdShape_Capsule(halfLength, sdSceneBuilder_Random(builder, 0.12f, 0.18f));
    }
    float x = sdSceneBuilder_Random(builder, 0.17f, 0.27f);
    float y = sdSceneBuilder_Random(builder, 0.17f, 0.27f);
    return sdShape_Box(x, y, sdSceneBuilder_Random(builder, 0.17f, 0.27f));
}

/// Layers of bodies that do not touch yet, turned at random.
static void addPieces(sdSceneBuilder* builder, float half) {
    // half a pitch is left free along the walls
    int side = (int)(2.0f * half / PILE_PITCH);
    float first = -0.5f * PILE_PITCH * (float)(side - 1);
    for (int i = 0; i < builder->size; ++i) {
        int layer = i / (side * side), cell = i % (side * side);
        float jitter = 0.02f;
        float x = first + PILE_PITCH * (float)(cell % side) +
                  sdSceneBuilder_Random(builder, -jitter, jitter);
        float z = first + PILE_PITCH * (float)(cell / side) +
                  sdSceneBuilder_Random(builder, -jitter, jitter);
        float y = 0.5f + (PILE_PITCH + 2.0f * jitter) * (float)layer;
        sdQuat q = sdSceneBuilder_RandomRotation(builder);
        sdShape piece = makePiece(builder, i % 3);
        sdSceneBuilder_AddDynamic(builder, sdPos_Make((double)x, (double)y, (double)z), q, piece);
    }
}

static void buildPile(sdSceneBuilder* builder) {
    sdSceneBuilder_SetFriction(builder, PILE_FRICTION);
    // as high as the bodies at the start, and some
    int side = (int)(2.0f * PILE_HALF_WIDTH / PILE_PITCH);
    float height = 4.0f + (float)(builder->size / (side * side) + 1);
    addWalls(builder, PILE_HALF_WIDTH, height);
    addPieces(builder, PILE_HALF_WIDTH);
}

static bool checkPileWithin(const sdSceneEnd* end, float half) {
    int outside = 0;
    for (int i = 0; i < end->bodyCount; ++i) {
        sdPos p = sdSceneEnd_GetPose(end, i).p;
        double limit = (double)(half + PILE_MARGIN);
        bool isInside = p.x > -limit && p.x < limit && p.z > -limit && p.z < limit && p.y > 0.0;
        outside += sdSceneEnd_IsDynamic(end, i) && !isInside ? 1 : 0;
    }
    float mean, worst = sdSceneEnd_WorstDepth(end, &mean);
    return sdSceneEnd_Say(end, outside == 0 && mean < 0.002f && worst < 0.02f,
                          "%d bodies outside (0), mean penetration %.2f mm (2), worst %.1f mm (20)",
                          outside, 1e3 * (double)mean, 1e3 * (double)worst);
}

static bool checkPile(const sdSceneEnd* end) {
    return checkPileWithin(end, PILE_HALF_WIDTH);
}

const sdScene sdScenePile = {
    .name = "pile",
    .title = "Pile in a box",
    .text = "Boxes, spheres and capsules of half a metre, dropped into a box of 12 x 12 m.",
    .end = "all are inside, overlaps are 2 mm on average and 2 cm at most",
    .rows = "",
    .sizeName = "bodies",
    .size = 4000,
    .minSize = 1,
    .maxSize = 100000,
    .stepCount = 600,
    .dt = 1.0f / 60.0f,
    .eye = {14.0f, 17.0f, 20.0f},
    .target = {0.0f, 3.0f, 0.0f},
    .configure = stayAwake,
    .build = buildPile,
    .check = checkPile,
};

// ---- wide pile -----------------------------------------------------------------------------

#define WIDE_LAYERS 5 // of bodies at the start

/// So wide that there are just so many layers.
static float wideHalf(int size) {
    float perLayer = (float)size / (float)WIDE_LAYERS;
    return sdMaxF(0.5f * PILE_PITCH * (sqrtf(perLayer) + 1.0f), 1.0f);
}

static void buildWidePile(sdSceneBuilder* builder) {
    sdSceneBuilder_SetFriction(builder, PILE_FRICTION);
    float half = wideHalf(builder->size);
    addWalls(builder, half, 10.0f);
    addPieces(builder, half);
}

static bool checkWidePile(const sdSceneEnd* end) {
    return checkPileWithin(end, wideHalf(end->size));
}

const sdScene sdSceneWidePile = {
    .name = "wide-pile",
    .title = "Wide pile",
    .text = "The bodies of the pile, five deep in a box as wide as it takes: for growth with their "
            "number.",
    .end = "all are inside, overlaps are 2 mm on average and 2 cm at most",
    .rows = "",
    .sizeName = "bodies",
    .size = 10000,
    .minSize = 1,
    .maxSize = 1000000,
    .stepCount = 300,
    .dt = 1.0f / 60.0f,
    .eye = {24.0f, 20.0f, 30.0f},
    .target = {0.0f, 0.0f, 0.0f},
    .configure = stayAwake,
    .build = buildWidePile,
    .check = checkWidePile,
};

// ---- rain ----------------------------------------------------------------------------------

#define TERRAIN_CELLS 64
#define TERRAIN_CELL 0.75f // m
#define RAIN_PITCH 1.1f    // m
#define RAIN_SIDE 20       // bodies along a side of a layer
#define RAIN_KINDS 6
#define STONE_COUNT 8 // different hulls

/// A bowl with bumps.
static float terrainHeight(float x, float z) {
    float bumps = 0.45f * sdSin(1.1f * x + 0.4f) * sdSin(0.9f * z) + 0.2f * sdSin(2.3f * x + z);
    return 0.012f * (x * x + z * z) + bumps;
}

enum {
    TERRAIN_SIDE = TERRAIN_CELLS + 1,
    TERRAIN_VERTICES = TERRAIN_SIDE * TERRAIN_SIDE,
    TERRAIN_TRIANGLES = 2 * TERRAIN_CELLS * TERRAIN_CELLS
};

typedef struct Terrain {
    sdVec3 vertices[TERRAIN_VERTICES];
    int32_t triangles[3 * TERRAIN_TRIANGLES];
} Terrain;

static void fillTerrain(Terrain* terrain) {
    static const int32_t corners[6][2] = {{0, 0}, {0, 1}, {1, 1}, {0, 0}, {1, 1}, {1, 0}};
    float first = -0.5f * TERRAIN_CELL * (float)TERRAIN_CELLS;
    for (int i = 0; i < TERRAIN_VERTICES; ++i) {
        float x = first + TERRAIN_CELL * (float)(i % TERRAIN_SIDE);
        float z = first + TERRAIN_CELL * (float)(i / TERRAIN_SIDE);
        terrain->vertices[i] = sdV3(x, terrainHeight(x, z), z);
    }
    for (int cell = 0; cell < TERRAIN_CELLS * TERRAIN_CELLS; ++cell) {
        int32_t origin = (cell / TERRAIN_CELLS) * TERRAIN_SIDE + cell % TERRAIN_CELLS;
        for (int k = 0; k < 6; ++k) {
            terrain->triangles[6 * cell + k] =
                origin + corners[k][0] + TERRAIN_SIDE * corners[k][1];
        }
    }
}

static sdMesh* makeTerrain(sdSceneBuilder* builder) {
    // too large for the stacks of small systems
    sdContext context = builder->context != NULL ? *builder->context : sdContext_Default();
    sdAllocator memory = context.allocator;
    Terrain* terrain = memory.allocate(memory.user, sizeof *terrain, sizeof(int32_t));
    if (terrain == NULL) {
        context.logger.log(context.logger.user, SD_LOG_ERROR, "rain: no memory for its ground");
        builder->result = SD_ERROR_OUT_OF_MEMORY;
        return NULL;
    }
    fillTerrain(terrain);
    sdMeshDef def = sdMeshDef_Default();
    def.data = (sdMeshData){.vertices = terrain->vertices,
                            .vertexCount = TERRAIN_VERTICES,
                            .triangles = terrain->triangles,
                            .triangleCount = TERRAIN_TRIANGLES};
    sdMesh* mesh = NULL;
    builder->result = sdMesh_Create(builder->context, &def, &mesh);
    memory.release(memory.user, terrain, sizeof *terrain);
    return mesh;
}

/// Twelve corners on a ball, bent out of every symmetry.
static sdHull* makeStone(sdSceneBuilder* builder) {
    sdVec3 points[12];
    for (int i = 0; i < 12; ++i) {
        sdQuat q = sdSceneBuilder_RandomRotation(builder);
        float radius = sdSceneBuilder_Random(builder, 0.25f, 0.35f);
        points[i] = sdScale(radius, sdRotate(q, sdV3(1.0f, 0.0f, 0.0f)));
    }
    return sdSceneBuilder_MakeHull(builder, points, 12);
}

static sdShape makeDrop(sdSceneBuilder* builder, int kind, const sdHull* stone) {
    float a = sdSceneBuilder_Random(builder, 0.18f, 0.28f);
    float b = sdSceneBuilder_Random(builder, 0.15f, 0.25f);
    switch (kind) {
        case 0:
            return sdShape_Sphere(a);
        case 1:
            return sdShape_Capsule(a, b);
        case 2:
            return sdShape_Box(a, b, sdSceneBuilder_Random(builder, 0.15f, 0.3f));
        case 3:
            return sdShape_Cylinder(b, a);
        case 4:
            return sdShape_Cone(a, b);
        default:
            return sdShape_Hull(stone);
    }
}

static void buildRain(sdSceneBuilder* builder) {
    sdSceneBuilder_SetFriction(builder, 0.6f);
    sdMesh* terrain = makeTerrain(builder);
    sdSceneBuilder_AddStatic(builder, sdPos_Make(0.0, 0.0, 0.0), sdQuat_Identity(),
                             sdShape_Mesh(terrain));
    sdMesh_Release(terrain);

    sdHull* stones[STONE_COUNT];
    for (int i = 0; i < STONE_COUNT; ++i) {
        stones[i] = makeStone(builder);
    }
    float first = -0.5f * RAIN_PITCH * (float)(RAIN_SIDE - 1);
    for (int i = 0; i < builder->size; ++i) {
        int layer = i / (RAIN_SIDE * RAIN_SIDE), cell = i % (RAIN_SIDE * RAIN_SIDE);
        float x = first + RAIN_PITCH * (float)(cell % RAIN_SIDE);
        float z = first + RAIN_PITCH * (float)(cell / RAIN_SIDE);
        // above the rim's height at the corners of a layer
        float y = 4.5f + RAIN_PITCH * (float)layer;
        sdQuat q = sdSceneBuilder_RandomRotation(builder);
        sdShape drop = makeDrop(builder, i % RAIN_KINDS, stones[(i / RAIN_KINDS) % STONE_COUNT]);
        sdSceneBuilder_AddDynamic(builder, sdPos_Make((double)x, (double)y, (double)z), q, drop);
    }
    for (int i = 0; i < STONE_COUNT; ++i) {
        sdHull_Release(stones[i]);
    }
}

#define RAIN_BELOW 0.1f // m: centres are above the ground, but triangles cut the crests of bumps

static bool checkRain(const sdSceneEnd* end) {
    int below = 0;
    for (int i = 0; i < end->bodyCount; ++i) {
        sdPos p = sdSceneEnd_GetPose(end, i).p;
        float ground = terrainHeight((float)p.x, (float)p.z);
        below += sdSceneEnd_IsDynamic(end, i) && (float)p.y < ground - RAIN_BELOW ? 1 : 0;
    }
    float mean, worst = sdSceneEnd_WorstDepth(end, &mean);
    return sdSceneEnd_Say(end, below == 0 && mean < 0.002f && worst < 0.02f,
                          "%d bodies below the ground (0), mean penetration %.2f mm (2), worst "
                          "%.1f mm (20)",
                          below, 1e3 * (double)mean, 1e3 * (double)worst);
}

const sdScene sdSceneRain = {
    .name = "rain",
    .title = "Rain on a mesh",
    .text = "Convex bodies of every kind fall on bumpy ground of 8 192 triangles.",
    .end = "none fell through, overlaps are 2 mm on average and 2 cm at most",
    .rows = "",
    .sizeName = "bodies",
    .size = 1200,
    .minSize = 1,
    .maxSize = 50000,
    .stepCount = 600,
    .dt = 1.0f / 60.0f,
    .eye = {18.0f, 16.0f, 26.0f},
    .target = {0.0f, 0.0f, 0.0f},
    .configure = stayAwake,
    .build = buildRain,
    .check = checkRain,
};

// ---- sleepers ------------------------------------------------------------------------------

#define SLEEPER_PITCH 1.5 // m

static void buildSleepers(sdSceneBuilder* builder) {
    int side = 1;
    while (side * side < builder->size) {
        ++side;
    }
    sdSceneBuilder_AddGround(builder, (float)(SLEEPER_PITCH * (0.5 * side + 2.0)));
    sdBodyDef def = sdBodyDef_Default();
    def.type = SD_BODY_DYNAMIC;
    for (int i = 0; i < builder->size; ++i) {
        def.position = sdPos_Make(SLEEPER_PITCH * (i % side - 0.5 * (side - 1)), 0.5,
                                  SLEEPER_PITCH * (i / side - 0.5 * (side - 1)));
        sdBodyId body = sdSceneBuilder_Add(builder, &def, sdShape_Box(0.5f, 0.5f, 0.5f));
        if (builder->result == SD_OK) {
            // a shape wakes the body that it is put on
            builder->result = sdBody_SetAwake(builder->world, body, false);
        }
    }
}

static bool checkSleepers(const sdSceneEnd* end) {
    int awake = sdWorld_GetStats(end->world).awakeCount;
    float move = sdSceneEnd_WorstMove(end);
    return sdSceneEnd_Say(end, awake == 0 && move < 0.001f,
                          "%d bodies are awake (0), worst move %.3f mm (1)", awake,
                          1e3 * (double)move);
}

const sdScene sdSceneSleepers = {
    .name = "sleepers",
    .title = "Sleeping boxes",
    .text = "A hundred thousand boxes that rest on the ground and sleep from the start.",
    .end = "all sleep, none moved by 1 mm",
    .rows = "",
    .sizeName = "boxes",
    .size = 100000,
    .minSize = 1,
    .maxSize = 1000000,
    .stepCount = 120,
    .dt = 1.0f / 60.0f,
    .eye = {60.0f, 50.0f, 90.0f},
    .target = {0.0f, 0.0f, 0.0f},
    .configure = NULL,
    .build = buildSleepers,
    .check = checkSleepers,
};
