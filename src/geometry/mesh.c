// SPDX-License-Identifier: MIT
// mesh.c - from a user's triangles to an immutable mesh.
//
// In:   an sdMeshDef.
// Out:  an sdMesh: one block, and the tree of boxes in another.
// Note: the order of triangles and vertices is kept, less what is dropped.

#include "geometry/mesh_build.h"

#include <string.h>

/// Triangles and vertices while they are being repaired.
typedef struct MeshDraft {
    sdVec3* vertices;
    int32_t* triangles;
    int32_t* map;   ///< one a vertex: what stands for it
    uint8_t* marks; ///< one a triangle
    int vertexCount;
    int triangleCount;
    char* block;
    size_t byteCount;
} MeshDraft;

static sdMeshData draftData(const MeshDraft* draft) {
    return (sdMeshData){draft->vertices, draft->vertexCount, draft->triangles,
                        draft->triangleCount};
}

static sdResult createDraft(const sdContext* context, const char* function, const sdMeshData* data,
                            MeshDraft* out) {
    size_t vertexCount = (size_t)data->vertexCount, triangleCount = (size_t)data->triangleCount;
    sdBlockLayout layout = {0};
    size_t verticesAt = sdBlockLayout_Add(&layout, vertexCount, sizeof(sdVec3));
    size_t trianglesAt = sdBlockLayout_Add(&layout, triangleCount, 3 * sizeof(int32_t));
    size_t mapAt = sdBlockLayout_Add(&layout, vertexCount, sizeof(int32_t));
    size_t marksAt = sdBlockLayout_Add(&layout, triangleCount, 1);
    char* block = layout.overflow ? NULL : sdAlloc(&context->allocator, layout.size);
    if (block == NULL) {
        return sdFailMemory(context, function, layout.size);
    }
    *out = (MeshDraft){
        .vertices = (sdVec3*)(block + verticesAt),
        .triangles = (int32_t*)(block + trianglesAt),
        .map = (int32_t*)(block + mapAt),
        .marks = (uint8_t*)(block + marksAt),
        .vertexCount = data->vertexCount,
        .triangleCount = data->triangleCount,
        .block = block,
        .byteCount = layout.size,
    };
    memcpy(out->vertices, data->vertices, vertexCount * sizeof(sdVec3));
    memcpy(out->triangles, data->triangles, triangleCount * 3 * sizeof(int32_t));
    return SD_OK;
}

// ---- repairs -------------------------------------------------------------------------------

static sdResult weldDraft(const sdContext* context, const char* function, float distance,
                          MeshDraft* draft, sdMeshReport* report) {
    sdResult result = sdWeldVertices(context, function, draft->vertices, draft->vertexCount,
                                     distance, draft->map);
    if (result != SD_OK) {
        return result;
    }
    for (int i = 0; i < draft->vertexCount; ++i) {
        report->weldedVertexCount += draft->map[i] != i;
    }
    for (size_t h = 0; h < 3 * (size_t)draft->triangleCount; ++h) {
        draft->triangles[h] = draft->map[draft->triangles[h]];
    }
    return SD_OK;
}

/// Remove marked triangles.
/// @return how many
static int dropMarked(MeshDraft* draft) {
    int kept = 0;
    for (int t = 0; t < draft->triangleCount; ++t) {
        if (draft->marks[t] == 0) {
            memmove(draft->triangles + 3 * (size_t)kept, draft->triangles + 3 * (size_t)t,
                    3 * sizeof(int32_t));
            kept += 1;
        }
    }
    int dropped = draft->triangleCount - kept;
    draft->triangleCount = kept;
    return dropped;
}

static void dropCollapsed(MeshDraft* draft, sdMeshReport* report) {
    for (int t = 0; t < draft->triangleCount; ++t) {
        draft->marks[t] = sdTriangle_IsCollapsed(draft->triangles + 3 * (size_t)t);
    }
    report->droppedDegenerateCount += dropMarked(draft);
}

static bool hasArea(const MeshDraft* draft) {
    for (int t = 0; t < draft->triangleCount; ++t) {
        if (!sdTriangle_IsDegenerate(draft->vertices, draft->triangles + 3 * (size_t)t)) {
            return true;
        }
    }
    return false;
}

/// Remove vertices that no triangle uses; the others keep their order.
static void dropUnusedVertices(MeshDraft* draft, sdMeshReport* report) {
    memset(draft->map, 0, (size_t)draft->vertexCount * sizeof(int32_t));
    size_t cornerCount = 3 * (size_t)draft->triangleCount;
    for (size_t h = 0; h < cornerCount; ++h) {
        draft->map[draft->triangles[h]] = 1;
    }
    int kept = 0;
    for (int i = 0; i < draft->vertexCount; ++i) {
        if (draft->map[i] != 0) {
            draft->vertices[kept] = draft->vertices[i];
            draft->map[i] = kept++;
        }
    }
    for (size_t h = 0; h < cornerCount; ++h) {
        draft->triangles[h] = draft->map[draft->triangles[h]];
    }
    // joined vertices were counted as such
    report->droppedVertexCount = draft->vertexCount - kept - report->weldedVertexCount;
    draft->vertexCount = kept;
}

/// What can be repaired without knowing neighbours.
static sdResult repairCorners(const sdContext* context, const char* function, const sdMeshDef* def,
                              MeshDraft* draft, sdMeshReport* report) {
    sdResult result = SD_OK;
    if ((def->repairs & SD_MESH_WELD) != 0) {
        result = weldDraft(context, function, def->weldDistance, draft, report);
    }
    if (result == SD_OK && (def->repairs & SD_MESH_DROP_DEGENERATE) != 0) {
        dropCollapsed(draft, report);
    }
    if (result == SD_OK && !hasArea(draft)) {
        return sdFail(context, SD_ERROR_DEGENERATE,
                      "%s: all %d triangles have two equal vertices or no area", function,
                      def->data.triangleCount);
    }
    return result;
}

/// Drop what is marked; edges are found again when that is anything.
/// @param droppedCount is added to
static sdResult dropAndRelink(const sdContext* context, const char* function, MeshDraft* draft,
                              sdEdgeTable* table, int* droppedCount) {
    int dropped = dropMarked(draft);
    *droppedCount += dropped;
    if (dropped == 0) {
        return SD_OK;
    }
    sdEdgeTable_Free(&context->allocator, table);
    sdMeshData data = draftData(draft);
    return sdEdgeTable_Build(context, function, &data, table);
}

/// What depends on neighbours.
static sdResult dropTriangles(const sdContext* context, const char* function, const sdMeshDef* def,
                              MeshDraft* draft, sdEdgeTable* table, sdMeshReport* report) {
    sdResult result = SD_OK;
    if ((def->repairs & SD_MESH_DROP_DEGENERATE) != 0) {
        sdMeshData data = draftData(draft);
        sdMarkSlivers(&data, table, draft->marks);
        result = dropAndRelink(context, function, draft, table, &report->droppedDegenerateCount);
    }
    if (result == SD_OK && (def->repairs & SD_MESH_DROP_DUPLICATE) != 0) {
        sdMeshData data = draftData(draft);
        result = sdMarkDuplicates(context, function, &data, table, draft->marks);
        if (result == SD_OK) {
            result = dropAndRelink(context, function, draft, table, &report->droppedDuplicateCount);
        }
    }
    // half-edges stay what they are when vertices are renumbered in order
    if (result == SD_OK && (def->repairs & SD_MESH_WELD) != 0) {
        dropUnusedVertices(draft, report);
    }
    return result;
}

// ---- building ------------------------------------------------------------------------------

static sdResult allocateMesh(const sdContext* context, const char* function, const MeshDraft* draft,
                             int edgeCount, sdMesh** out) {
    size_t vertexCount = (size_t)draft->vertexCount, triangleCount = (size_t)draft->triangleCount;
    sdBlockLayout layout = {0};
    sdBlockLayout_Add(&layout, 1, sizeof(sdMesh));
    size_t verticesAt = sdBlockLayout_Add(&layout, vertexCount, sizeof(sdVec3));
    size_t trianglesAt = sdBlockLayout_Add(&layout, triangleCount, 3 * sizeof(int32_t));
    size_t neighborsAt = sdBlockLayout_Add(&layout, triangleCount, 3 * sizeof(int32_t));
    size_t triangleEdgesAt = sdBlockLayout_Add(&layout, triangleCount, 3 * sizeof(int32_t));
    size_t edgesAt = sdBlockLayout_Add(&layout, (size_t)edgeCount, sizeof(sdMeshEdge));
    size_t faceNormalsAt = sdBlockLayout_Add(&layout, triangleCount, sizeof(sdVec3));
    size_t edgeNormalsAt = sdBlockLayout_Add(&layout, (size_t)edgeCount, sizeof(sdVec3));
    size_t vertexNormalsAt = sdBlockLayout_Add(&layout, vertexCount, sizeof(sdVec3));
    size_t sidesAt = sdBlockLayout_Add(&layout, triangleCount, sizeof(uint16_t));
    char* block = layout.overflow ? NULL : sdAlloc(&context->allocator, layout.size);
    if (block == NULL) {
        return sdFailMemory(context, function, layout.size);
    }
    sdMesh* mesh = (sdMesh*)block;
    memset(mesh, 0, sizeof *mesh);
    sdRefCount_Init(&mesh->refCount);
    mesh->context = *context;
    mesh->byteCount = layout.size;
    mesh->vertexCount = draft->vertexCount;
    mesh->triangleCount = draft->triangleCount;
    mesh->edgeCount = edgeCount;
    mesh->vertices = (sdVec3*)(block + verticesAt);
    mesh->triangles = (int32_t*)(block + trianglesAt);
    mesh->neighbors = (int32_t*)(block + neighborsAt);
    mesh->triangleEdges = (int32_t*)(block + triangleEdgesAt);
    mesh->edges = (sdMeshEdge*)(block + edgesAt);
    mesh->faceNormals = (sdVec3*)(block + faceNormalsAt);
    mesh->edgeNormals = (sdVec3*)(block + edgeNormalsAt);
    mesh->vertexNormals = (sdVec3*)(block + vertexNormalsAt);
    mesh->sides = (uint16_t*)(void*)(block + sidesAt);
    *out = mesh;
    return SD_OK;
}

static sdResult buildMesh(const sdContext* context, const char* function, const MeshDraft* draft,
                          const sdEdgeTable* table, const sdMeshReport* report, sdMesh** out) {
    sdMesh* mesh = NULL;
    sdResult result = allocateMesh(context, function, draft, table->pairCount, &mesh);
    if (result != SD_OK) {
        return result;
    }
    memcpy(mesh->vertices, draft->vertices, (size_t)draft->vertexCount * sizeof(sdVec3));
    memcpy(mesh->triangles, draft->triangles, (size_t)draft->triangleCount * 3 * sizeof(int32_t));
    mesh->report = *report;
    mesh->bounds = sdAABB_Empty();
    for (size_t h = 0; h < 3 * (size_t)mesh->triangleCount; ++h) {
        mesh->bounds = sdAABB_AddPoint(mesh->bounds, mesh->vertices[mesh->triangles[h]]);
    }
    sdMesh_LinkEdges(mesh, table);
    sdMesh_ComputeNormals(mesh);
    sdMeshData data = sdMesh_GetData(mesh);
    result = sdMeshBvh_Build(context, &data, &mesh->bvh);
    if (result != SD_OK) {
        sdFree(&context->allocator, mesh, mesh->byteCount);
        return result;
    }
    *out = mesh;
    return SD_OK;
}

/// Edges and pieces of a draft: computed, used, and computed again when triangles were flipped.
typedef struct DraftTopology {
    sdEdgeTable table;
    sdMeshComponents components;
} DraftTopology;

static void freeTopology(const sdContext* context, DraftTopology* topology) {
    sdEdgeTable_Free(&context->allocator, &topology->table);
    sdMeshComponents_Free(&context->allocator, &topology->components);
}

static sdResult findTopology(const sdContext* context, const char* function, const sdMeshDef* def,
                             MeshDraft* draft, sdMeshReport* report, DraftTopology* out) {
    sdMeshData data = draftData(draft);
    sdResult result = sdEdgeTable_Build(context, function, &data, &out->table);
    if (result == SD_OK) {
        result = dropTriangles(context, function, def, draft, &out->table, report);
    }
    if (result == SD_OK) {
        data = draftData(draft);
        result = sdMeshComponents_Build(context, function, &data, &out->table, &out->components);
    }
    return result;
}

static sdResult orientDraft(const sdContext* context, const char* function, MeshDraft* draft,
                            DraftTopology* topology, sdMeshReport* report) {
    sdMeshData data = draftData(draft);
    sdResult result =
        sdOrientTriangles(context, function, &data, &topology->table, &topology->components,
                          draft->triangles, &report->flippedTriangleCount);
    if (result == SD_OK && report->flippedTriangleCount > 0) {
        // half-edges have changed places
        freeTopology(context, topology);
        result = sdEdgeTable_Build(context, function, &data, &topology->table);
        if (result == SD_OK) {
            result = sdMeshComponents_Build(context, function, &data, &topology->table,
                                            &topology->components);
        }
    }
    return result;
}

static sdResult createFromDraft(const sdContext* context, const char* function,
                                const sdMeshDef* def, MeshDraft* draft, sdMesh** out) {
    sdMeshReport report = {0};
    sdResult result = repairCorners(context, function, def, draft, &report);
    if (result != SD_OK) {
        return result;
    }
    DraftTopology topology = {0};
    result = findTopology(context, function, def, draft, &report, &topology);
    if (result == SD_OK && (def->repairs & SD_MESH_ORIENT) != 0) {
        result = orientDraft(context, function, draft, &topology, &report);
    }
    if (result == SD_OK) {
        sdMeshData data = draftData(draft);
        result = sdMeshData_Analyze(context, function, &data, &topology.table, &topology.components,
                                    &report);
    }
    if (result == SD_OK) {
        result = buildMesh(context, function, draft, &topology.table, &report, out);
    }
    freeTopology(context, &topology);
    return result;
}

static void logRepairs(const sdContext* context, const char* function, const sdMeshReport* report) {
    if (report->weldedVertexCount + report->droppedVertexCount + report->droppedDegenerateCount +
            report->droppedDuplicateCount + report->flippedTriangleCount >
        0) {
        sdLog(context, SD_LOG_INFO,
              "%s: joined %d vertices, dropped %d unused ones, dropped %d triangles without area "
              "and %d repeated ones, turned %d around",
              function, report->weldedVertexCount, report->droppedVertexCount,
              report->droppedDegenerateCount, report->droppedDuplicateCount,
              report->flippedTriangleCount);
    }
}

static sdResult checkDef(const sdContext* context, const char* function, const sdMeshDef* def) {
    if ((def->repairs & ~(uint32_t)SD_MESH_REPAIR_ALL) != 0) {
        return sdFail(context, SD_ERROR_INVALID_ARGUMENT,
                      "%s: repairs 0x%x has bits outside SD_MESH_REPAIR_ALL (0x%x)", function,
                      (unsigned)def->repairs, (unsigned)SD_MESH_REPAIR_ALL);
    }
    if (!(def->weldDistance >= 0.0f) || !sdIsFinite(def->weldDistance)) {
        return sdFail(context, SD_ERROR_INVALID_ARGUMENT,
                      "%s: weldDistance %g must be finite and not negative", function,
                      (double)def->weldDistance);
    }
    return sdMeshData_Check(context, function, &def->data);
}

sdMeshDef sdMeshDef_Default(void) {
    return (sdMeshDef){.repairs = SD_MESH_REPAIR_ALL};
}

sdResult sdMesh_Create(const sdContext* context, const sdMeshDef* def, sdMesh** out) {
    static const char* const function = "sdMesh_Create";
    sdContext resolved;
    if (out != NULL) {
        *out = NULL;
    }
    sdResult result = sdContext_Resolve(context, &resolved);
    if (result != SD_OK) {
        return result;
    }
    if (def == NULL || out == NULL) {
        return sdFail(&resolved, SD_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", function,
                      def == NULL ? "def" : "out");
    }
    result = checkDef(&resolved, function, def);
    MeshDraft draft = {0};
    if (result == SD_OK) {
        result = createDraft(&resolved, function, &def->data, &draft);
    }
    if (result == SD_OK) {
        result = createFromDraft(&resolved, function, def, &draft, out);
    }
    if (result == SD_OK) {
        logRepairs(&resolved, function, &(*out)->report);
    }
    sdFree(&resolved.allocator, draft.block, draft.byteCount);
    return result;
}

void sdMesh_Retain(const sdMesh* mesh) {
    if (mesh != NULL) {
        // the count is the one part of a shared mesh that changes
        sdRefCount_Retain((sdRefCount*)&mesh->refCount);
    }
}

void sdMesh_Release(const sdMesh* mesh) {
    if (mesh != NULL && sdRefCount_Release((sdRefCount*)&mesh->refCount)) {
        sdMesh* last = (sdMesh*)mesh;
        sdAllocator allocator = last->context.allocator;
        sdMeshBvh_Free(&allocator, &last->bvh);
        sdFree(&allocator, last, last->byteCount);
    }
}

// A missing mesh is an empty one.

const sdMeshReport* sdMesh_GetReport(const sdMesh* mesh) {
    return mesh != NULL ? &mesh->report : NULL;
}

sdMeshData sdMesh_GetData(const sdMesh* mesh) {
    if (mesh == NULL) {
        return (sdMeshData){0};
    }
    return (sdMeshData){mesh->vertices, mesh->vertexCount, mesh->triangles, mesh->triangleCount};
}

sdAABB sdMesh_GetBounds(const sdMesh* mesh) {
    return mesh != NULL ? mesh->bounds : sdAABB_Empty();
}

size_t sdMesh_GetByteCount(const sdMesh* mesh) {
    return mesh != NULL ? mesh->byteCount + mesh->bvh.byteCount : 0;
}

const sdMeshEdge* sdMesh_GetEdges(const sdMesh* mesh, int* count) {
    if (count != NULL) {
        *count = mesh != NULL ? mesh->edgeCount : 0;
    }
    return mesh != NULL ? mesh->edges : NULL;
}

const int32_t* sdMesh_GetNeighbors(const sdMesh* mesh) {
    return mesh != NULL ? mesh->neighbors : NULL;
}
