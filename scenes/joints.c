// SPDX-License-Identifier: MIT
// joints.c - scenes of bodies that hang together: chains, a net, ragdolls.

#include "scene_parts.h"

static void stayAwake(sdWorldDef* def) {
    def->enableSleep = false;
}

// ---- chains --------------------------------------------------------------------------------

#define LINK_COUNT 20
#define LINK_LENGTH 0.2 // m, from joint to joint
#define LINK_RADIUS 0.04f

static void buildChains(sdSceneBuilder* builder) {
    sdQuat level = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), 1.57079633f);
    float half = 0.5f * (float)LINK_LENGTH - LINK_RADIUS;
    for (int c = 0; c < builder->size; ++c) {
        double z = 0.5 * (c - 0.5 * builder->size), y = 6.0;
        sdBodyId last = sdSceneBuilder_AddStatic(builder, sdPos_Make(-0.1, y, z), sdQuat_Identity(),
                                                 sdShape_Box(0.05f, 0.05f, 0.05f));
        for (int i = 0; i < LINK_COUNT; ++i) {
            sdBodyId next =
                sdSceneBuilder_AddDynamic(builder, sdPos_Make(LINK_LENGTH * (i + 0.5), y, z), level,
                                          sdShape_Capsule(half, LINK_RADIUS));
            sdJointDef def = sdJointDef_Make(SD_JOINT_BALL, last, next);
            sdSceneBuilder_Join(builder, &def, sdPos_Make(LINK_LENGTH * i, y, z),
                                sdV3(1.0f, 0.0f, 0.0f));
            last = next;
        }
    }
}

static bool checkChains(const sdSceneEnd* end) {
    float angle, error = sdSceneEnd_WorstError(end, &angle), lowest = 0.0f;
    for (int i = 0; i < end->bodyCount; ++i) {
        lowest = sdMinF(lowest, sdSceneEnd_GetMove(end, i).y);
    }
    return sdSceneEnd_Say(end, error < 1e-3f && lowest < -0.5f,
                          "joints are off by %.3f mm at most (1), the lowest link fell by %.2f m",
                          1e3 * (double)error, (double)-lowest);
}

const sdScene sdSceneChains = {
    .name = "chains",
    .title = "Chains let go level",
    .text = "Chains of 20 capsules on ball joints, held level at one end and let go.",
    .end = "no joint is off by 1 mm",
    .rows = "D12",
    .sizeName = "chains",
    .size = 100,
    .minSize = 1,
    .maxSize = 10000,
    .stepCount = 300,
    .dt = 1.0f / 60.0f,
    .eye = {30.0f, 14.0f, 30.0f},
    .target = {0.0f, 4.0f, 0.0f},
    .configure = stayAwake,
    .build = buildChains,
    .check = checkChains,
};

// ---- net -----------------------------------------------------------------------------------

#define KNOT_DISTANCE 0.4

static void buildGrid(sdSceneBuilder* builder) {
    int side = 2;
    // a square net of n knots a side has 2 n (n - 1) joints
    while (2 * side * (side - 1) < builder->size) {
        side += 1;
    }
    enum { MOST = 256 };
    sdBodyId before = SD_NULL_BODY, row[MOST];
    for (int z = 0; z < side && z < MOST; ++z) {
        for (int x = 0; x < side && x < MOST; ++x) {
            sdPos p = sdPos_Make(KNOT_DISTANCE * (x - 0.5 * (side - 1)), 10.0,
                                 KNOT_DISTANCE * (z - 0.5 * (side - 1)));
            bool isFixed = (x == 0 || x == side - 1) && (z == 0 || z == side - 1);
            sdBodyId knot = isFixed ? sdSceneBuilder_AddStatic(builder, p, sdQuat_Identity(),
                                                               sdShape_Sphere(0.1f))
                                    : sdSceneBuilder_AddDynamic(builder, p, sdQuat_Identity(),
                                                                sdShape_Sphere(0.1f));
            if (x > 0) {
                sdJointDef def = sdJointDef_Make(SD_JOINT_BALL, before, knot);
                sdSceneBuilder_Join(builder, &def, sdPos_Make(p.x - 0.5 * KNOT_DISTANCE, p.y, p.z),
                                    sdV3(1.0f, 0.0f, 0.0f));
            }
            if (z > 0) {
                sdJointDef def = sdJointDef_Make(SD_JOINT_BALL, row[x], knot);
                sdSceneBuilder_Join(builder, &def, sdPos_Make(p.x, p.y, p.z - 0.5 * KNOT_DISTANCE),
                                    sdV3(0.0f, 0.0f, 1.0f));
            }
            before = knot;
            row[x] = knot;
        }
    }
}

static bool checkGrid(const sdSceneEnd* end) {
    float angle, error = sdSceneEnd_WorstError(end, &angle), speed = sdSceneEnd_WorstSpeed(end);
    return sdSceneEnd_Say(end, error < 0.06f * (float)KNOT_DISTANCE && speed < 20.0f,
                          "joints are off by %.1f mm at most (24), fastest %.2f m/s (20)",
                          1e3 * (double)error, (double)speed);
}

const sdScene sdSceneJointGrid = {
    .name = "joint-grid",
    .title = "Net of ball joints",
    .text = "A square net of balls on ball joints, held by its corners.",
    .end = "it holds together",
    .rows = "D12",
    .sizeName = "joints",
    .size = 10000,
    .minSize = 4,
    .maxSize = 100000,
    .stepCount = 120,
    .dt = 1.0f / 60.0f,
    .eye = {20.0f, 20.0f, 30.0f},
    .target = {0.0f, 6.0f, 0.0f},
    .configure = stayAwake,
    .build = buildGrid,
    .check = checkGrid,
};

// ---- ragdolls ------------------------------------------------------------------------------

/// A part stands on its parent's joint, both measured from the hips, m.
typedef struct Part {
    int parent;
    float from[3], to[3]; ///< ends of the capsule's axis
    float radius;
    float joint[3];
    float cone; ///< rad; 0: a hinge about z from 0 to 2 rad, or back
} Part;

static const Part doll[] = {
    {-1, {0.0f, 0.0f, -0.08f}, {0.0f, 0.0f, 0.08f}, 0.1f, {0.0f, 0.0f, 0.0f}, 0.0f},
    {0, {0.0f, 0.2f, -0.05f}, {0.0f, 0.2f, 0.05f}, 0.1f, {0.0f, 0.1f, 0.0f}, 0.3f},
    {1, {0.0f, 0.42f, -0.1f}, {0.0f, 0.42f, 0.1f}, 0.11f, {0.0f, 0.3f, 0.0f}, 0.3f},
    {2, {0.0f, 0.68f, 0.0f}, {0.0f, 0.74f, 0.0f}, 0.09f, {0.0f, 0.56f, 0.0f}, 0.5f},
    {2, {0.0f, 0.46f, 0.28f}, {0.0f, 0.46f, 0.46f}, 0.05f, {0.0f, 0.46f, 0.22f}, 1.2f},
    {2, {0.0f, 0.46f, -0.28f}, {0.0f, 0.46f, -0.46f}, 0.05f, {0.0f, 0.46f, -0.22f}, 1.2f},
    {4, {0.0f, 0.46f, 0.57f}, {0.0f, 0.46f, 0.73f}, 0.045f, {0.0f, 0.46f, 0.515f}, 0.9f},
    {5, {0.0f, 0.46f, -0.57f}, {0.0f, 0.46f, -0.73f}, 0.045f, {0.0f, 0.46f, -0.515f}, 0.9f},
    {0, {0.0f, -0.18f, 0.1f}, {0.0f, -0.42f, 0.1f}, 0.07f, {0.0f, -0.1f, 0.1f}, 0.8f},
    {0, {0.0f, -0.18f, -0.1f}, {0.0f, -0.42f, -0.1f}, 0.07f, {0.0f, -0.1f, -0.1f}, 0.8f},
    {8, {0.0f, -0.56f, 0.1f}, {0.0f, -0.8f, 0.1f}, 0.06f, {0.0f, -0.49f, 0.1f}, 0.0f},
    {9, {0.0f, -0.56f, -0.1f}, {0.0f, -0.8f, -0.1f}, 0.06f, {0.0f, -0.49f, -0.1f}, 0.0f},
    {10, {0.0f, -0.92f, 0.1f}, {0.12f, -0.92f, 0.1f}, 0.045f, {0.0f, -0.86f, 0.1f}, 0.4f},
    {11, {0.0f, -0.92f, -0.1f}, {0.12f, -0.92f, -0.1f}, 0.045f, {0.0f, -0.86f, -0.1f}, 0.4f},
};

#define PART_COUNT ((int)(sizeof doll / sizeof doll[0]))

static sdVec3 vec(const float* v) {
    return sdV3(v[0], v[1], v[2]);
}

static void addDoll(sdSceneBuilder* builder, sdPos hips, sdQuat turn) {
    sdBodyId bodies[PART_COUNT];
    for (int i = 0; i < PART_COUNT; ++i) {
        const Part* part = &doll[i];
        sdVec3 way = sdSub(vec(part->to), vec(part->from));
        sdVec3 middle = sdScale(0.5f, sdAdd(vec(part->to), vec(part->from)));
        float length = sdLength(way);
        sdQuat along = sdQuat_Between(sdV3(0.0f, 1.0f, 0.0f), sdScale(1.0f / length, way));
        bodies[i] = sdSceneBuilder_AddDynamic(builder, sdPos_Add(hips, sdRotate(turn, middle)),
                                              sdMulQ(turn, along),
                                              sdShape_Capsule(0.5f * length, part->radius));
        if (part->parent < 0) {
            continue;
        }
        sdJointDef def = sdJointDef_Make(part->cone > 0.0f ? SD_JOINT_BALL : SD_JOINT_HINGE,
                                         bodies[part->parent], bodies[i]);
        sdVec3 axis = sdScale(1.0f / length, way);
        def.coneAngle = part->cone;
        def.axes[SD_AXIS_TURN_X].mode = SD_AXIS_LIMITED;
        def.axes[SD_AXIS_TURN_X].lower = -0.5f;
        def.axes[SD_AXIS_TURN_X].upper = 0.5f;
        if (def.type == SD_JOINT_HINGE) {
            // knees bend backwards only
            axis = sdV3(0.0f, 0.0f, 1.0f);
            def.axes[SD_AXIS_TURN_X].lower = -2.2f;
            def.axes[SD_AXIS_TURN_X].upper = 0.0f;
        }
        sdSceneBuilder_Join(builder, &def, sdPos_Add(hips, sdRotate(turn, vec(part->joint))),
                            sdRotate(turn, axis));
    }
}

#define HILL_CELLS 40
#define HILL_HEIGHT 0.25f

/// A hilly ground of triangles, as wide as `half` to each side.
static void addHills(sdSceneBuilder* builder, float half) {
    enum { SIDE = HILL_CELLS + 1 };
    static const int32_t corners[6][2] = {{0, 0}, {0, 1}, {1, 1}, {0, 0}, {1, 1}, {1, 0}};
    sdVec3 vertices[SIDE * SIDE];
    int32_t triangles[6 * HILL_CELLS * HILL_CELLS];
    int count = 0;
    float cell = half / (0.5f * HILL_CELLS);
    for (int i = 0; i < SIDE * SIDE; ++i) {
        int x = i % SIDE, z = i / SIDE;
        vertices[i] = sdV3(cell * ((float)x - 0.5f * HILL_CELLS),
                           sdSceneBuilder_Random(builder, 0.0f, HILL_HEIGHT),
                           cell * ((float)z - 0.5f * HILL_CELLS));
    }
    for (int i = 0; i < HILL_CELLS * HILL_CELLS; ++i) {
        for (int k = 0; k < 6; ++k) {
            int x = i % HILL_CELLS + corners[k][0], z = i / HILL_CELLS + corners[k][1];
            triangles[count++] = z * SIDE + x;
        }
    }
    sdMeshDef def = sdMeshDef_Default();
    def.data = (sdMeshData){.vertices = vertices,
                            .vertexCount = SIDE * SIDE,
                            .triangles = triangles,
                            .triangleCount = count / 3};
    sdMesh* mesh = NULL;
    if (builder->result == SD_OK) {
        builder->result = sdMesh_Create(builder->context, &def, &mesh);
    }
    if (builder->result == SD_OK) {
        sdSceneBuilder_AddStatic(builder, sdPos_Make(0.0, 0.0, 0.0), sdQuat_Identity(),
                                 sdShape_Mesh(mesh));
    }
    sdMesh_Release(mesh);
}

static void buildRagdolls(sdSceneBuilder* builder) {
    int side = 1;
    while (side * side * 4 < builder->size) {
        side += 1;
    }
    float half = 1.5f * (float)side + 4.0f;
    sdSceneBuilder_SetFriction(builder, 0.6f);
    addHills(builder, half);
    for (int i = 0; i < builder->size; ++i) {
        int x = i % side, z = i / side % side, y = i / (side * side);
        addDoll(
            builder,
            sdPos_Make(2.0 * (x - 0.5 * (side - 1)), 2.0 + 2.2 * y, 2.0 * (z - 0.5 * (side - 1))),
            sdSceneBuilder_RandomRotation(builder));
    }
}

static bool checkRagdolls(const sdSceneEnd* end) {
    float angle, error = sdSceneEnd_WorstError(end, &angle), lowest = 1.0f;
    for (int i = 1; i < end->bodyCount; ++i) {
        lowest = sdMinF(lowest, (float)sdSceneEnd_GetPose(end, i).p.y);
    }
    return sdSceneEnd_Say(end, error < 0.02f && angle < 0.2f && lowest > -0.2f,
                          "joints are off by %.2f mm (20) and %.2f degrees (11), the lowest part "
                          "is at %.2f m (-0.2)",
                          1e3 * (double)error, 57.29578 * (double)angle, (double)lowest);
}

const sdScene sdSceneRagdolls = {
    .name = "ragdolls",
    .title = "Ragdolls on hills",
    .text = "Ragdolls of 14 capsules, with cones, twists and knees, fall on a mesh of hills.",
    .end = "all hang together and none fell through",
    .rows = "D12",
    .sizeName = "ragdolls",
    .size = 100,
    .minSize = 1,
    .maxSize = 10000,
    .stepCount = 300,
    .dt = 1.0f / 60.0f,
    .eye = {8.0f, 7.0f, 14.0f},
    .target = {0.0f, 0.5f, 0.0f},
    .configure = NULL,
    .build = buildRagdolls,
    .check = checkRagdolls,
};
