// SPDX-License-Identifier: MIT
// model.c - procedural bodies by kind and size.
//
// In:   a kind and a size, or the counts and radii of an octahedron or a torus.
// Out:  a mesh: closed, manifold, oriented, without crossing or degenerate triangles.
// Ref:  S2 §12 for the ring, the post and the skull; S0 §7.2 for the octahedra.

#include "geometry/model.h"

typedef struct ModelEntry {
    const char* name;
    void (*add)(sdModelBuilder* builder);
} ModelEntry;

static const ModelEntry entries[SD_MODEL_COUNT] = {
    [SD_MODEL_BOX] = {"box", sdModel_AddBox},
    [SD_MODEL_SPHERE] = {"sphere", sdModel_AddSphere},
    [SD_MODEL_TORUS] = {"torus", sdModel_AddTorus},
    [SD_MODEL_RING] = {"ring", sdModel_AddRing},
    [SD_MODEL_POST] = {"post", sdModel_AddPost},
    [SD_MODEL_SKULL] = {"skull", sdModel_AddSkull},
    [SD_MODEL_BONE] = {"bone", sdModel_AddBone},
    [SD_MODEL_BOLT] = {"bolt", sdModel_AddBolt},
    [SD_MODEL_NUT] = {"nut", sdModel_AddNut},
    [SD_MODEL_CHAIN_LINK] = {"chain link", sdModel_AddChainLink},
    [SD_MODEL_STAR] = {"star", sdModel_AddStar},
    [SD_MODEL_BOWL] = {"bowl", sdModel_AddBowl},
    [SD_MODEL_TETRAPOD] = {"tetrapod", sdModel_AddTetrapod},
};

/// False for NaN as well.
static bool isSize(float size) {
    return size >= SD_MODEL_MIN_SIZE && size <= SD_MODEL_MAX_SIZE;
}

static sdVec3 identityMap(sdVec3 u) {
    return u;
}

const char* sdModel_Name(sdModelKind kind) {
    return (int)kind >= 0 && kind < SD_MODEL_COUNT ? entries[kind].name : NULL;
}

/// What the three public functions have in common at their start.
static sdResult beginModel(const sdContext* context, sdContext* resolved, sdMesh** out) {
    if (out != NULL) {
        *out = NULL;
    }
    return sdContext_Resolve(context, resolved);
}

sdResult sdModel_Create(const sdContext* context, sdModelKind kind, float size, sdMesh** out) {
    sdContext ctx;
    sdResult result = beginModel(context, &ctx, out);
    if (result != SD_OK) {
        return result;
    }
    if (out == NULL) {
        return sdFail(&ctx, SD_ERROR_INVALID_ARGUMENT, "sdModel_Create: out is NULL");
    }
    if ((int)kind < 0 || kind >= SD_MODEL_COUNT) {
        return sdFail(&ctx, SD_ERROR_INVALID_ARGUMENT,
                      "sdModel_Create: kind %d is not one of the %d models", (int)kind,
                      (int)SD_MODEL_COUNT);
    }
    if (!isSize(size)) {
        return sdFail(&ctx, SD_ERROR_INVALID_ARGUMENT,
                      "sdModel_Create: size %g is outside %g..%g m", (double)size,
                      (double)SD_MODEL_MIN_SIZE, (double)SD_MODEL_MAX_SIZE);
    }
    sdModelBuilder builder = {.context = &ctx};
    entries[kind].add(&builder);
    return sdModelBuilder_Finish(&builder, "sdModel_Create", size, out);
}

sdResult sdModel_CreateOctahedron(const sdContext* context, int triangleCount, float radius,
                                  sdMesh** out) {
    sdContext ctx;
    sdResult result = beginModel(context, &ctx, out);
    if (result != SD_OK) {
        return result;
    }
    if (out == NULL) {
        return sdFail(&ctx, SD_ERROR_INVALID_ARGUMENT, "sdModel_CreateOctahedron: out is NULL");
    }
    if (triangleCount < 8 || triangleCount > 80 || triangleCount % 2 != 0) {
        return sdFail(&ctx, SD_ERROR_INVALID_ARGUMENT,
                      "sdModel_CreateOctahedron: %d triangles; the count must be even, 8..80",
                      triangleCount);
    }
    if (!isSize(radius)) {
        return sdFail(&ctx, SD_ERROR_INVALID_ARGUMENT,
                      "sdModel_CreateOctahedron: radius %g is outside %g..%g m", (double)radius,
                      (double)SD_MODEL_MIN_SIZE, (double)SD_MODEL_MAX_SIZE);
    }
    sdModelBuilder builder = {.context = &ctx};
    sdModelMap map = {identityMap, NULL};
    sdModelBuilder_AddSphereMap(&builder, &map, triangleCount, triangleCount);
    for (int i = 0; i < builder.vertices.count; ++i) {
        builder.vertices.data[i] = sdScale(radius, builder.vertices.data[i]);
    }
    return sdModelBuilder_Finish(&builder, "sdModel_CreateOctahedron", 0.0f, out);
}

sdResult sdModel_CreateTorus(const sdContext* context, float majorRadius, float minorRadius,
                             int majorCount, int minorCount, sdMesh** out) {
    sdContext ctx;
    sdResult result = beginModel(context, &ctx, out);
    if (result != SD_OK) {
        return result;
    }
    if (out == NULL) {
        return sdFail(&ctx, SD_ERROR_INVALID_ARGUMENT, "sdModel_CreateTorus: out is NULL");
    }
    if (!isSize(majorRadius) || !isSize(minorRadius) || minorRadius >= majorRadius) {
        return sdFail(&ctx, SD_ERROR_INVALID_ARGUMENT,
                      "sdModel_CreateTorus: radii %g and %g; both must be in %g..%g m and the "
                      "minor one less than the major one",
                      (double)majorRadius, (double)minorRadius, (double)SD_MODEL_MIN_SIZE,
                      (double)SD_MODEL_MAX_SIZE);
    }
    if (majorCount < 3 || minorCount < 3) {
        return sdFail(&ctx, SD_ERROR_INVALID_ARGUMENT,
                      "sdModel_CreateTorus: %d x %d quads; at least 3 x 3 are needed", majorCount,
                      minorCount);
    }
    if (2 * (int64_t)majorCount * minorCount > SD_MESH_MAX_TRIANGLES) {
        return sdFail(&ctx, SD_ERROR_LIMIT,
                      "sdModel_CreateTorus: 2 x %d x %d triangles are more than %d", majorCount,
                      minorCount, SD_MESH_MAX_TRIANGLES);
    }
    sdModelBuilder builder = {.context = &ctx};
    sdModelBuilder_AddTorus(&builder, majorRadius, minorRadius, majorCount, minorCount);
    return sdModelBuilder_Finish(&builder, "sdModel_CreateTorus", 0.0f, out);
}
