// SPDX-License-Identifier: MIT
// mesh_zoo.c - see mesh_zoo.h.

#include "mesh_zoo.h"

void MeshZoo_Init(MeshZoo* zoo) {
    static const sdModelKind kinds[MESH_ZOO_COUNT] = {SD_MODEL_RING,  SD_MODEL_STAR, SD_MODEL_BOX,
                                                      SD_MODEL_SKULL, SD_MODEL_BOLT, SD_MODEL_BOWL};
    TestContext_Init(&zoo->test);
    const sdContext* context = &zoo->test.context;
    TestRandom random = TestRandom_Make(71);
    for (int i = 0; i < MESH_ZOO_COUNT; ++i) {
        CHECK_INT(sdModel_Create(context, kinds[i], 1.0f, &zoo->meshes[i]), SD_OK);
    }
    for (int i = 0; i < MESH_ZOO_HULLS; ++i) {
        sdVec3 points[32];
        int count = i == 0 ? 6 : 32;
        for (int k = 0; k < count; ++k) {
            points[k] = sdScale(0.4f, TestRandom_OnSphere(&random));
        }
        sdHullDef def = sdHullDef_Default();
        def.points = points;
        def.pointCount = count;
        CHECK_INT(sdHull_Create(context, &def, &zoo->hulls[i]), SD_OK);
    }
    sdCompoundChild children[6] = {
        {sdShape_Sphere(0.2f), TestRandom_Pose(&random, 0.5f)},
        {sdShape_Box(0.1f, 0.2f, 0.3f), TestRandom_Pose(&random, 0.5f)},
        {sdShape_Hull(zoo->hulls[0]), TestRandom_Pose(&random, 0.5f)},
        {sdShape_Capsule(0.3f, 0.1f), TestRandom_Pose(&random, 0.5f)},
        {sdShape_Cone(0.3f, 0.2f), TestRandom_Pose(&random, 0.5f)},
        {sdShape_Mesh(zoo->meshes[MESH_ZOO_STAR]), TestRandom_Pose(&random, 0.5f)},
    };
    CHECK_INT(sdCompound_Create(context, children, 5, &zoo->parts), SD_OK);
    CHECK_INT(sdCompound_Create(context, children + 3, 3, &zoo->meshed), SD_OK);
}

void MeshZoo_Free(MeshZoo* zoo) {
    for (int i = 0; i < MESH_ZOO_COUNT; ++i) {
        sdMesh_Release(zoo->meshes[i]);
    }
    for (int i = 0; i < MESH_ZOO_HULLS; ++i) {
        sdHull_Release(zoo->hulls[i]);
    }
    sdCompound_Release(zoo->parts);
    sdCompound_Release(zoo->meshed);
    TestContext_Finish(&zoo->test);
}

sdShape MeshZoo_PickConvex(const MeshZoo* zoo, TestRandom* random) {
    float a = TestRandom_Float(random, 0.02f, 0.3f), b = TestRandom_Float(random, 0.02f, 0.3f);
    switch (TestRandom_Int(random, 8)) {
        case 0:
            return sdShape_Sphere(a);
        case 1:
            return sdShape_Capsule(a, b);
        case 2:
            return sdShape_Box(a, b, 0.1f);
        case 3:
            return sdShape_Cylinder(a, b);
        case 4:
            return sdShape_Cone(a, b);
        case 5:
            return sdShape_Triangle(sdV3(a, 0.0f, b), sdV3(-b, a, 0.0f), sdV3(0.0f, -a, 0.1f));
        default:
            return sdShape_Hull(zoo->hulls[TestRandom_Int(random, MESH_ZOO_HULLS)]);
    }
}

sdShape MeshZoo_PickBody(const MeshZoo* zoo, TestRandom* random, bool isSmall) {
    int kind = TestRandom_Int(random, isSmall ? 5 : MESH_ZOO_COUNT + 2);
    if (isSmall && kind >= 3) {
        kind += MESH_ZOO_COUNT - 3;
    }
    if (kind == MESH_ZOO_COUNT) {
        return sdShape_Compound(zoo->parts);
    }
    if (kind == MESH_ZOO_COUNT + 1) {
        return sdShape_Compound(zoo->meshed);
    }
    return sdShape_Mesh(zoo->meshes[kind]);
}

static int meshSize(const sdMesh* mesh) {
    return sdMesh_GetData(mesh).triangleCount;
}

int TestPieces_Count(const sdShape* shape) {
    if (shape->type == SD_SHAPE_MESH) {
        return meshSize(shape->mesh);
    }
    if (shape->type != SD_SHAPE_COMPOUND) {
        return 1;
    }
    int childCount, count = 0;
    const sdCompoundChild* children = sdCompound_GetChildren(shape->compound, &childCount);
    for (int i = 0; i < childCount; ++i) {
        count += TestPieces_Count(&children[i].shape);
    }
    return count;
}

static sdShape triangleOf(const sdMesh* mesh, int t) {
    sdMeshData data = sdMesh_GetData(mesh);
    const int32_t* v = data.triangles + 3 * t;
    return sdShape_Triangle(data.vertices[v[0]], data.vertices[v[1]], data.vertices[v[2]]);
}

sdShape TestPieces_Get(const sdShape* shape, int index, sdTransform* xf, int* child) {
    *xf = sdTransform_Identity();
    *child = SD_NULL_INDEX;
    if (shape->type == SD_SHAPE_MESH) {
        *child = index;
        return triangleOf(shape->mesh, index);
    }
    if (shape->type != SD_SHAPE_COMPOUND) {
        return *shape;
    }
    int childCount;
    const sdCompoundChild* children = sdCompound_GetChildren(shape->compound, &childCount);
    int i = 0;
    while (index >= TestPieces_Count(&children[i].shape)) {
        index -= TestPieces_Count(&children[i].shape);
        i += 1;
    }
    sdTransform own;
    int inner;
    sdShape piece = TestPieces_Get(&children[i].shape, index, &own, &inner);
    *xf = children[i].xf;
    *child = i;
    return piece;
}
