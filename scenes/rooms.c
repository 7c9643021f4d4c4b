// SPDX-License-Identifier: MIT
// rooms.c - scenes of bodies that fly about in a closed room without gravity, on which documents
// measure detection: two octahedra (S0 §7.2), cubes of several sizes (S1 §5).

#include "scene_parts.h"

static void floatAwake(sdWorldDef* def) {
    def->gravity = sdV3(0.0f, 0.0f, 0.0f);
    def->enableSleep = false;
}

static sdVec3 randomVector(sdSceneBuilder* builder, float length) {
    return sdScale(length,
                   sdRotate(sdSceneBuilder_RandomRotation(builder), sdV3(1.0f, 0.0f, 0.0f)));
}

static void useElastic(sdSceneBuilder* builder) {
    sdSceneBuilder_SetFriction(builder, 0.0f);
    builder->material.restitution = 1.0f;
}

// ---- octahedra (F1) ------------------------------------------------------------------------

#define OCTAHEDRON_ROOM 1.0f   // m, half of its side
#define OCTAHEDRON_WALL 0.2f   // m
#define OCTAHEDRON_SHARE 0.005 // of the room's volume that each of the two has
#define OCTAHEDRON_SPEED 2.0f  // m/s, and rad/s of its turning
#define MAX_TRIANGLES 80

static double cubeRoot(double x) {
    double r = 1.0;
    for (int i = 0; i < 60; ++i) {
        r = (2.0 * r + x / (r * r)) / 3.0; // Newton's way
    }
    return r;
}

/// Of so many triangles, with its share of the room's volume.
static sdHull* makeOctahedron(sdSceneBuilder* builder) {
    sdMesh* mesh = NULL;
    sdMassProps unit = {.mass = 1.0f};
    if (builder->result == SD_OK) {
        builder->result =
            sdModel_CreateOctahedron(builder->context, builder->size & ~1, 1.0f, &mesh);
    }
    if (builder->result == SD_OK) {
        builder->result = sdMesh_GetMass(mesh, 1.0f, &unit);
    }
    if (builder->result != SD_OK) {
        sdMesh_Release(mesh);
        return NULL;
    }
    double side = 2.0 * (double)OCTAHEDRON_ROOM;
    float radius = (float)cubeRoot(OCTAHEDRON_SHARE * side * side * side / (double)unit.mass);
    sdMeshData data = sdMesh_GetData(mesh);
    sdVec3 points[MAX_TRIANGLES / 2 + 2];
    for (int i = 0; i < data.vertexCount; ++i) {
        points[i] = sdScale(radius, data.vertices[i]);
    }
    sdHull* hull = sdSceneBuilder_MakeHull(builder, points, data.vertexCount);
    sdMesh_Release(mesh);
    return hull;
}

static void buildOctahedra(sdSceneBuilder* builder) {
    useElastic(builder);
    sdSceneBuilder_AddRoom(builder, OCTAHEDRON_ROOM, OCTAHEDRON_WALL);
    sdHull* hull = makeOctahedron(builder);
    for (int i = 0; i < 2 && hull != NULL; ++i) {
        sdBodyDef def = sdBodyDef_Default();
        def.type = SD_BODY_DYNAMIC;
        def.position = sdPos_Make(i == 0 ? -0.5 : 0.5, 0.0, 0.0);
        def.rotation = sdSceneBuilder_RandomRotation(builder);
        def.velocity = randomVector(builder, OCTAHEDRON_SPEED);
        def.angularVelocity = randomVector(builder, OCTAHEDRON_SPEED);
        sdSceneBuilder_Add(builder, &def, sdShape_Hull(hull));
    }
    sdHull_Release(hull);
}

static bool checkOctahedra(const sdSceneEnd* end) {
    return sdSceneEnd_SayOfRoom(end, OCTAHEDRON_ROOM, 0.02f);
}

const sdScene sdSceneOctahedra = {
    .name = "octahedra",
    .title = "Two octahedra",
    .text = "Two octahedra, a hundredth of the room together, fly and turn in it for ever; with "
            "more triangles they are rounder.",
    .end = "both are in the room, and the energy is the same within 2 %",
    .rows = "F1",
    .sizeName = "triangles of each, an even number",
    .size = 8,
    .minSize = 8,
    .maxSize = MAX_TRIANGLES,
    .stepCount = 10000,
    .dt = 0.002f,
    .eye = {1.6f, 1.3f, 3.2f},
    .target = {0.0f, 0.0f, 0.0f},
    .configure = floatAwake,
    .build = buildOctahedra,
    .check = checkOctahedra,
};

// ---- cubes (F2) ----------------------------------------------------------------------------

#define CUBE_ROOM 10.0f // m, half of its side
#define CUBE_WALL 1.0f  // m
#define CUBE_SPEED 2.0f // m/s
#define MAX_CUBES 500
#define MAX_TRIES 10000 // of a place that is free; even the last of the largest finds one in five

/// At places where no two balls around them overlap.
static void addCubes(sdSceneBuilder* builder, float least, float most) {
    sdVec3 centers[MAX_CUBES];
    float radii[MAX_CUBES];
    useElastic(builder);
    sdSceneBuilder_AddRoom(builder, CUBE_ROOM, CUBE_WALL);
    for (int i = 0; i < builder->size; ++i) {
        float side = sdSceneBuilder_Random(builder, least, most);
        radii[i] = 0.5f * 1.7320508f * side;
        bool isFree = false;
        for (int tries = 0; tries < MAX_TRIES && !isFree; ++tries) {
            float most1 = CUBE_ROOM - radii[i];
            centers[i].x = sdSceneBuilder_Random(builder, -most1, most1);
            centers[i].y = sdSceneBuilder_Random(builder, -most1, most1);
            centers[i].z = sdSceneBuilder_Random(builder, -most1, most1);
            isFree = true;
            for (int j = 0; j < i && isFree; ++j) {
                isFree = sdLength(sdSub(centers[i], centers[j])) > radii[i] + radii[j];
            }
        }
        sdBodyDef def = sdBodyDef_Default();
        def.type = SD_BODY_DYNAMIC;
        def.position = sdPos_Make((double)centers[i].x, (double)centers[i].y, (double)centers[i].z);
        def.rotation = sdSceneBuilder_RandomRotation(builder);
        def.velocity = randomVector(builder, CUBE_SPEED);
        def.angularVelocity = randomVector(builder, CUBE_SPEED);
        sdSceneBuilder_Add(builder, &def, sdShape_Box(0.5f * side, 0.5f * side, 0.5f * side));
    }
}

static void buildCubes(sdSceneBuilder* builder) {
    addCubes(builder, 1.0f, 1.0f);
}

static void buildSmallCubes(sdSceneBuilder* builder) {
    addCubes(builder, 0.1f, 0.1f);
}

static void buildMixedCubes(sdSceneBuilder* builder) {
    addCubes(builder, 0.05f, 1.0f);
}

static bool checkCubes(const sdSceneEnd* end) {
    return sdSceneEnd_SayOfRoom(end, CUBE_ROOM, 0.02f);
}

#define CUBE_SCENE                                                                                 \
    .end = "nobody has left the room, and the energy is the same within 2 %", .rows = "F2",        \
    .sizeName = "cubes", .size = 500, .minSize = 1, .maxSize = MAX_CUBES, .stepCount = 600,        \
    .dt = 1.0f / 60.0f, .eye = {16.0f, 12.0f, 26.0f}, .target = {0.0f, 0.0f, 0.0f},                \
    .configure = floatAwake, .check = checkCubes

const sdScene sdSceneCubes = {
    .name = "cubes",
    .title = "Cubes in a room",
    .text = "Elastic cubes of 1 m fly about in a room of 20 m.",
    .build = buildCubes,
    CUBE_SCENE,
};

const sdScene sdSceneSmallCubes = {
    .name = "small-cubes",
    .title = "Small cubes in a room",
    .text = "Elastic cubes of 10 cm fly about in a room of 20 m.",
    .build = buildSmallCubes,
    CUBE_SCENE,
};

const sdScene sdSceneMixedCubes = {
    .name = "mixed-cubes",
    .title = "Cubes of all sizes in a room",
    .text = "Elastic cubes of 5 cm to 1 m fly about in a room of 20 m.",
    .build = buildMixedCubes,
    CUBE_SCENE,
};
