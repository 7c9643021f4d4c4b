// SPDX-License-Identifier: MIT
// world_shapes.c - shapes for the world that bytes make calls to. See world.h.

#include "world.h"

#define HULL_COUNT 4
#define MESH_COUNT 3
#define CONCAVE_COUNT 3

static sdHull* hulls[HULL_COUNT];
static sdMesh* meshes[MESH_COUNT];
static sdConcave* concaves[CONCAVE_COUNT];
static sdCompound* compound;

static void makeHulls(void) {
    TestRandom random = TestRandom_Make(4);
    for (int i = 0; i < HULL_COUNT; ++i) {
        sdVec3 points[32];
        int count = 4 + 9 * i;
        for (int k = 0; k < count; ++k) {
            points[k] = sdScale(0.4f, TestRandom_OnSphere(&random));
        }
        sdHullDef def = sdHullDef_Default();
        def.points = points;
        def.pointCount = count;
        CHECK_INT(sdHull_Create(NULL, &def, &hulls[i]), SD_OK);
    }
}

static void makeAll(void) {
    if (compound != NULL) {
        return;
    }
    makeHulls();
    // a floor with hills, a body, and one with a hole
    static const sdModelKind kinds[MESH_COUNT] = {SD_MODEL_POST, SD_MODEL_STAR, SD_MODEL_RING};
    for (int i = 0; i < MESH_COUNT; ++i) {
        CHECK_INT(sdModel_Create(NULL, kinds[i], i == 0 ? 4.0f : 1.0f, &meshes[i]), SD_OK);
    }
    for (int i = 0; i < CONCAVE_COUNT; ++i) {
        sdConcaveDef def = sdConcaveDef_Default();
        def.field.resolution = 16;
        def.route = i == 2 ? SD_CONCAVE_TRIANGLES : SD_CONCAVE_AUTO;
        CHECK_INT(sdConcave_Create(NULL, meshes[1 + i % 2], &def, &concaves[i]), SD_OK);
    }
    sdCompoundChild children[] = {{sdShape_Box(0.3f, 0.1f, 0.1f), sdTransform_Identity()},
                                  {sdShape_Sphere(0.2f), TestAt(0.3f, 0.0f, 0.0f)},
                                  {sdShape_Hull(hulls[0]), TestAt(-0.3f, 0.2f, 0.0f)}};
    CHECK_INT(sdCompound_Create(NULL, children, 3, &compound), SD_OK);
}

sdShape FuzzWorld_ReadConvex(FuzzInput* in) {
    makeAll();
    switch (FuzzInput_Int(in, 8)) {
        case 0:
            return sdShape_Sphere(FuzzInput_Size(in, 0.3f));
        case 1: {
            float length = FuzzInput_Size(in, 0.3f);
            return sdShape_Capsule(length, FuzzInput_Size(in, 0.2f));
        }
        case 2: {
            float height = FuzzInput_Size(in, 0.3f);
            return sdShape_Cylinder(height, FuzzInput_Size(in, 0.3f));
        }
        case 3: {
            float height = FuzzInput_Size(in, 0.3f);
            return sdShape_Cone(height, FuzzInput_Size(in, 0.3f));
        }
        case 4: {
            sdVec3 a = FuzzInput_Vec3(in, 1.0f), b = FuzzInput_Vec3(in, 1.0f);
            return sdShape_Triangle(a, b, FuzzInput_Vec3(in, 1.0f));
        }
        case 5:
            return sdShape_Hull(hulls[FuzzInput_Int(in, HULL_COUNT)]);
        default: {
            float x = FuzzInput_Size(in, 0.3f), y = FuzzInput_Size(in, 0.3f);
            return sdShape_Box(x, y, FuzzInput_Size(in, 0.3f));
        }
    }
}

sdShape FuzzWorld_ReadAnyShape(FuzzInput* in) {
    makeAll();
    switch (FuzzInput_Int(in, 14)) {
        case 0:
            return sdShape_HalfSpace();
        case 1:
            return sdShape_Mesh(meshes[FuzzInput_Int(in, MESH_COUNT)]);
        case 2:
        case 3:
            return sdShape_Concave(concaves[FuzzInput_Int(in, CONCAVE_COUNT)]);
        case 4:
            return sdShape_Compound(compound);
        default:
            return FuzzWorld_ReadConvex(in);
    }
}

sdShapeDef FuzzWorld_ReadShapeDef(FuzzInput* in) {
    sdShapeDef def = sdShapeDef_Default(FuzzWorld_ReadAnyShape(in));
    int what = FuzzInput_Byte(in);
    if (what & 1) {
        def.xf = FuzzInput_Transform(in, 1.0f);
    }
    if (what & 2) {
        def.density = FuzzInput_Size(in, 1000.0f);
    }
    if (what & 4) {
        def.material.staticFriction = FuzzInput_Float(in, 0.0f, 1.5f);
        def.material.slidingFriction = def.material.staticFriction * 0.9f;
        def.material.restitution = FuzzInput_Float(in, 0.0f, 1.0f);
        def.material.rollingFriction = FuzzInput_Float(in, 0.0f, 0.1f);
        def.material.spinFriction = FuzzInput_Float(in, 0.0f, 0.1f);
    }
    def.isSensor = (what & 24) == 24;
    if ((what & 96) == 96) {
        def.filter.category = FuzzInput_Byte(in);
        def.filter.mask = FuzzInput_Byte(in) | 1u;
        def.filter.group = FuzzInput_Int(in, 5) - 2;
    }
    return def;
}
