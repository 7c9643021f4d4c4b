// SPDX-License-Identifier: MIT
// model_builder.c - rings, bands, turned profiles and tubes; centre and size.
//
// In:   profiles and rings of vertices.
// Out:  triangle lists, counter-clockwise seen from outside, and the mesh made of them.
// Note: running short of memory is remembered and reported by sdModelBuilder_Finish.

#include "geometry/model_builder.h"

#include "math/vec3d.h"

int sdModelBuilder_AddVertex(sdModelBuilder* builder, sdVec3 p) {
    builder->isOutOfMemory = builder->isOutOfMemory ||
                             !sdVec3Array_Push(&builder->vertices, &builder->context->allocator, p);
    return builder->isOutOfMemory ? 0 : builder->vertices.count - 1;
}

void sdModelBuilder_AddTriangle(sdModelBuilder* builder, int a, int b, int c) {
    const sdAllocator* allocator = &builder->context->allocator;
    sdIndexArray* triangles = &builder->triangles;
    if (builder->isOutOfMemory ||
        !sdIndexArray_Reserve(triangles, allocator, (int64_t)triangles->count + 3)) {
        builder->isOutOfMemory = true;
        return;
    }
    triangles->data[triangles->count++] = a;
    triangles->data[triangles->count++] = b;
    triangles->data[triangles->count++] = c;
}

sdModelRing sdModelBuilder_AddRing(sdModelBuilder* builder, sdModelProfile point) {
    sdModelRing ring = {builder->vertices.count, point.count};
    if (point.count == 1) {
        sdModelBuilder_AddVertex(builder, sdV3(0.0f, point.height, 0.0f));
        return ring;
    }
    for (int i = 0; i < point.count; ++i) {
        float angle = 2.0f * SD_PI * (float)i / (float)point.count;
        sdModelBuilder_AddVertex(
            builder, sdV3(point.radius * sdCos(angle), point.height, -point.radius * sdSin(angle)));
    }
    return ring;
}

static int ringVertex(sdModelRing ring, int i) {
    return ring.first + i % ring.count;
}

void sdModelBuilder_Bridge(sdModelBuilder* builder, sdModelRing from, sdModelRing to) {
    if (builder->isOutOfMemory) {
        return;
    }
    const sdVec3* p = builder->vertices.data;
    int fromEnd = from.count == 1 ? 0 : from.count;
    int toEnd = to.count == 1 ? 0 : to.count;
    for (int i = 0, j = 0; i < fromEnd || j < toEnd;) {
        int a = ringVertex(from, i), b = ringVertex(from, i + 1);
        int c = ringVertex(to, j), d = ringVertex(to, j + 1);
        // keep pace along both rings, by the middles of their sides, so that a corner is joined to
        // what lies on both sides of it; side by side, take the shorter diagonal
        int64_t ahead = (int64_t)(2 * i + 1) * to.count - (int64_t)(2 * j + 1) * from.count;
        bool isShorter = sdDistanceSquared(p[b], p[c]) <= sdDistanceSquared(p[a], p[d]);
        if (j == toEnd || (i < fromEnd && (ahead < 0 || (ahead == 0 && isShorter)))) {
            sdModelBuilder_AddTriangle(builder, a, b, c);
            ++i;
        } else {
            sdModelBuilder_AddTriangle(builder, a, d, c);
            ++j;
        }
        p = builder->vertices.data;
    }
}

void sdModelBuilder_Cap(sdModelBuilder* builder, sdModelRing ring, bool isEnd) {
    // i and j close in on each other from both sides
    int i = 0, j = ring.count - 1;
    for (int k = 0; k < ring.count - 2; ++k) {
        bool isLow = k % 2 == 0;
        int a = ring.first + i, b = ring.first + j;
        int c = ring.first + (isLow ? i + 1 : j - 1);
        if (isEnd) {
            sdModelBuilder_AddTriangle(builder, a, c, b);
        } else {
            sdModelBuilder_AddTriangle(builder, a, b, c);
        }
        i += isLow ? 1 : 0;
        j -= isLow ? 0 : 1;
    }
}

void sdModelBuilder_Lathe(sdModelBuilder* builder, const sdModelProfile* profile, int count) {
    sdModelRing last = sdModelBuilder_AddRing(builder, profile[0]);
    for (int k = 1; k < count; ++k) {
        sdModelRing ring = sdModelBuilder_AddRing(builder, profile[k]);
        sdModelBuilder_Bridge(builder, last, ring);
        last = ring;
    }
}

sdModelRing sdModelBuilder_AddTubeRing(sdModelBuilder* builder, sdVec3 center, sdVec3 outward,
                                       float radius, int count) {
    sdModelRing ring = {builder->vertices.count, count};
    for (int i = 0; i < count; ++i) {
        float angle = 2.0f * SD_PI * (float)i / (float)count;
        sdVec3 p = sdMulAdd(center, radius * sdCos(angle), outward);
        p.y -= radius * sdSin(angle);
        sdModelBuilder_AddVertex(builder, p);
    }
    return ring;
}

void sdModelBuilder_AddTorus(sdModelBuilder* builder, float majorRadius, float minorRadius,
                             int majorCount, int minorCount) {
    sdModelRing first = {0}, last = {0};
    for (int k = 0; k < majorCount; ++k) {
        float angle = 2.0f * SD_PI * (float)k / (float)majorCount;
        sdVec3 outward = sdV3(sdCos(angle), 0.0f, -sdSin(angle));
        sdModelRing ring = sdModelBuilder_AddTubeRing(builder, sdScale(majorRadius, outward),
                                                      outward, minorRadius, minorCount);
        if (k == 0) {
            first = ring;
        } else {
            sdModelBuilder_Bridge(builder, last, ring);
        }
        last = ring;
    }
    sdModelBuilder_Bridge(builder, last, first);
}

/// Centre of mass by the tetrahedra that the triangles span with a point of the model.
static sdVec3d centerOfMass(const sdModelBuilder* builder) {
    const sdVec3* vertices = builder->vertices.data;
    const int32_t* t = builder->triangles.data;
    sdVec3d apex = sdVec3d_From(vertices[0]);
    sdVec3d sum = {0.0, 0.0, 0.0};
    double volume = 0.0;
    for (int k = 0; k < builder->triangles.count; k += 3) {
        sdVec3d a = sdSubD(sdVec3d_From(vertices[t[k]]), apex);
        sdVec3d b = sdSubD(sdVec3d_From(vertices[t[k + 1]]), apex);
        sdVec3d c = sdSubD(sdVec3d_From(vertices[t[k + 2]]), apex);
        double v = sdDotD(a, sdCrossD(b, c));
        volume += v;
        sum = sdMulAddD(sum, v, sdAddD(a, sdAddD(b, c)));
    }
    return sdMulAddD(apex, 0.25 / volume, sum);
}

static void centerAndScale(sdModelBuilder* builder, float size) {
    sdAABB box = sdAABB_Empty();
    for (int i = 0; i < builder->vertices.count; ++i) {
        box = sdAABB_AddPoint(box, builder->vertices.data[i]);
    }
    sdVec3d sides = sdSubD(sdVec3d_From(box.upper), sdVec3d_From(box.lower));
    double longest = sides.x > sides.y ? sides.x : sides.y;
    longest = longest > sides.z ? longest : sides.z;
    double scale = (double)size / longest;
    sdVec3d center = centerOfMass(builder);
    for (int i = 0; i < builder->vertices.count; ++i) {
        sdVec3* p = &builder->vertices.data[i];
        *p = sdVec3d_Round(sdScaleD(scale, sdSubD(sdVec3d_From(*p), center)));
    }
}

sdResult sdModelBuilder_Finish(sdModelBuilder* builder, const char* function, float size,
                               sdMesh** out) {
    sdResult result;
    if (builder->isOutOfMemory) {
        result = sdFail(builder->context, SD_ERROR_OUT_OF_MEMORY, "%s: no memory for the triangles",
                        function);
    } else {
        if (size > 0.0f) {
            centerAndScale(builder, size);
        }
        sdMeshDef def = sdMeshDef_Default();
        def.data = (sdMeshData){builder->vertices.data, builder->vertices.count,
                                builder->triangles.data, builder->triangles.count / 3};
        // models are clean: a repair would hide a fault
        def.repairs = 0;
        result = sdMesh_Create(builder->context, &def, out);
    }
    sdVec3Array_Free(&builder->vertices, &builder->context->allocator);
    sdIndexArray_Free(&builder->triangles, &builder->context->allocator);
    return result;
}
