// SPDX-License-Identifier: MIT
// concave.c - meshes that may move: field, corners and edges in one immutable object.
//
// In:   a mesh, settings.
// Out:  one block, reference counted, that keeps mesh, field and hull alive.
// Note: corners and edges count only where the solid bulges: what is hollow cannot be the first to
//       touch. An edge whose middle can hardly be deeper in another body than its ends is left to
//       these; so a fine mesh touches by its corners, a coarse one by its edges as well.

#include "geometry/concave.h"

#include "geometry/mesh.h"
#include "geometry/shape.h"

#include <math.h>
#include <stdio.h>

/// Cosine of the angle between faces, 0.1 degrees, within which an edge is flat.
#define FLAT_COSINE 0.9999985f
/// Half the length of an edge times the sine of half its angle, as a part of the mesh's diagonal:
/// the middle of an edge is at most that much deeper than its ends on a body that is not sharper.
#define EDGE_PART 0.002f
/// Part of the mesh's longest side by which the field may be off on average in the middles of
/// triangles before a finer one is built: threads and other small features need it.
#define MOST_ERROR 0.0005f
/// Triangles that are looked at for that.
#define MAX_CHECKS 4096
/// Thickness on each side of a surface that has no inside, as a part of its size.
#define SKIN_PART 0.005f
/// Cells that a wall must have for a field at all.
#define LEAST_WALL_CELLS 1.5f

sdConcaveDef sdConcaveDef_Default(void) {
    sdConcaveDef def = {.route = SD_CONCAVE_AUTO, .field = sdFieldDef_Default()};
    def.field.resolution = 0;
    return def;
}

// ---- samples -------------------------------------------------------------------------------

/// Edges that stick out; those of what has no inside do so on one side or the other.
static bool isSharp(const sdMesh* mesh, const sdMeshEdge* edge) {
    bool isBoundary = edge->triangles[1] == SD_NULL_INDEX;
    bool isOut = edge->isConvex || !mesh->report.isSolid;
    return isBoundary || (isOut && edge->cosAngle < FLAT_COSINE);
}

/// Whether an edge alone can be deeper than its ends.
static bool isNeeded(const sdMesh* mesh, const sdMeshEdge* edge, float least) {
    if (!isSharp(mesh, edge)) {
        return false;
    }
    sdVec3 a = mesh->vertices[edge->vertices[0]], b = mesh->vertices[edge->vertices[1]];
    bool isBoundary = edge->triangles[1] == SD_NULL_INDEX;
    float sine = isBoundary ? 1.0f : sqrtf(sdMaxF(0.5f - 0.5f * edge->cosAngle, 0.0f));
    return 0.5f * sdLength(sdSub(b, a)) * sine > least;
}

/// What is gathered before the object is made.
typedef struct Draft {
    sdContext context;
    const sdMesh* mesh;
    float least; ///< m, by which an edge must be able to matter
    uint8_t* isCorner;
    int cornerCount, edgeCount;
    sdSample* samples; ///< of one tree at a time
    uint64_t* keys;
    int room;
} Draft;

static void freeDraft(Draft* draft) {
    const sdAllocator* allocator = &draft->context.allocator;
    sdFree(allocator, draft->isCorner, (size_t)draft->mesh->vertexCount);
    sdFree(allocator, draft->samples, (size_t)draft->room * sizeof *draft->samples);
    sdFree(allocator, draft->keys, (size_t)draft->room * sizeof *draft->keys);
}

/// Find out what will be samples.
static sdResult beginDraft(Draft* draft) {
    const sdMesh* mesh = draft->mesh;
    const sdAllocator* allocator = &draft->context.allocator;
    draft->least = EDGE_PART * sdLength(sdSub(mesh->bounds.upper, mesh->bounds.lower));
    draft->isCorner = sdAllocZero(allocator, (size_t)mesh->vertexCount);
    if (draft->isCorner == NULL) {
        return sdFailMemory(&draft->context, "sdConcave_Create", (size_t)mesh->vertexCount);
    }
    for (int i = 0; i < mesh->edgeCount; ++i) {
        const sdMeshEdge* edge = &mesh->edges[i];
        if (isSharp(mesh, edge)) {
            draft->isCorner[edge->vertices[0]] = 1;
            draft->isCorner[edge->vertices[1]] = 1;
        }
        draft->edgeCount += isNeeded(mesh, edge, draft->least);
    }
    for (int i = 0; i < mesh->vertexCount; ++i) {
        draft->cornerCount += draft->isCorner[i];
    }
    draft->room = sdMaxI(sdMaxI(draft->cornerCount, draft->edgeCount), 1);
    draft->samples = sdAllocArray(allocator, (size_t)draft->room, sizeof *draft->samples);
    draft->keys = sdAllocArray(allocator, (size_t)draft->room, sizeof *draft->keys);
    if (draft->samples == NULL || draft->keys == NULL) {
        return sdFailMemory(&draft->context, "sdConcave_Create",
                            (size_t)draft->room * sizeof *draft->samples);
    }
    return SD_OK;
}

static void plantTrees(const Draft* draft, sdConcave* concave) {
    const sdMesh* mesh = draft->mesh;
    int count = 0;
    for (int i = 0; i < mesh->vertexCount; ++i) {
        if (draft->isCorner[i] != 0) {
            draft->samples[count++] = (sdSample){.middle = mesh->vertices[i], .id = i};
        }
    }
    sdSampleTree_Build(&concave->corners, draft->samples, draft->keys);
    count = 0;
    for (int i = 0; i < mesh->edgeCount; ++i) {
        const sdMeshEdge* edge = &mesh->edges[i];
        if (isNeeded(mesh, edge, draft->least)) {
            sdVec3 a = mesh->vertices[edge->vertices[0]], b = mesh->vertices[edge->vertices[1]];
            draft->samples[count++] = (sdSample){
                .middle = sdScale(0.5f, sdAdd(a, b)),
                .half = sdScale(0.5f, sdSub(b, a)),
                .id = i,
            };
        }
    }
    sdSampleTree_Build(&concave->edges, draft->samples, draft->keys);
}

// ---- making --------------------------------------------------------------------------------

static void logNothing(void* user, sdLogLevel level, const char* text) {
    (void)user;
    (void)level;
    (void)text;
}

/// The hull only serves for the box: a flat mesh has none, without a word.
static sdResult makeHull(const sdContext* context, const sdMesh* mesh, sdHull** out) {
    sdContext quiet = *context;
    quiet.logger = (sdLogger){.log = logNothing};
    sdHullDef def = sdHullDef_Default();
    def.points = mesh->vertices;
    def.pointCount = mesh->vertexCount;
    sdResult result = sdHull_Create(&quiet, &def, out);
    return result == SD_ERROR_OUT_OF_MEMORY
               ? sdFail(context, result, "sdConcave_Create: no memory for the hull of the mesh")
               : SD_OK;
}

/// All in one block, without references yet.
static sdResult makeBlock(const Draft* draft, sdConcave** out) {
    const sdContext* context = &draft->context;
    sdSampleTree corners, edges;
    sdSampleTree_Plan(&corners, draft->cornerCount, false);
    sdSampleTree_Plan(&edges, draft->edgeCount, true);
    sdBlockLayout layout = {0};
    sdBlockLayout_Add(&layout, 1, sizeof(sdConcave));
    size_t at[4] = {
        sdBlockLayout_Add(&layout, (size_t)corners.groupCount, sizeof(sdSampleGroup)),
        sdBlockLayout_Add(&layout, (size_t)corners.sphereCount, sizeof(sdSphereGroup)),
        sdBlockLayout_Add(&layout, (size_t)edges.groupCount, sizeof(sdSampleGroup)),
        sdBlockLayout_Add(&layout, (size_t)edges.sphereCount, sizeof(sdSphereGroup)),
    };
    char* block = layout.overflow ? NULL : sdAlloc(&context->allocator, layout.size);
    if (block == NULL) {
        return sdFailMemory(context, "sdConcave_Create", layout.size);
    }
    corners.groups = (sdSampleGroup*)(void*)(block + at[0]);
    corners.spheres = (sdSphereGroup*)(void*)(block + at[1]);
    edges.groups = (sdSampleGroup*)(void*)(block + at[2]);
    edges.spheres = (sdSphereGroup*)(void*)(block + at[3]);
    *out = (sdConcave*)(void*)block;
    **out = (sdConcave){
        .context = *context,
        .byteCount = layout.size,
        .mesh = draft->mesh,
        .corners = corners,
        .edges = edges,
    };
    sdRefCount_Init(&(*out)->refCount);
    return SD_OK;
}

/// The object itself, with a reference to the mesh; takes over that to the field.
static sdResult assemble(const sdContext* context, const sdMesh* mesh, const sdField* field,
                         float wall, sdConcave** out) {
    Draft draft = {.context = *context, .mesh = mesh};
    sdHull* hull = NULL;
    sdResult result = makeHull(context, mesh, &hull);
    result = result == SD_OK ? beginDraft(&draft) : result;
    result = result == SD_OK ? makeBlock(&draft, out) : result;
    if (result == SD_OK) {
        sdConcave* concave = *out;
        concave->field = field;
        concave->hull = hull;
        concave->wall = wall;
        plantTrees(&draft, concave);
        sdMesh_Retain(mesh);
    } else {
        sdHull_Release(hull);
    }
    freeDraft(&draft);
    return result;
}

// ---- route ---------------------------------------------------------------------------------

/// Settings of a field that resolves the walls.
/// @return NULL, or why there is none
static const char* planField(const sdMesh* mesh, float wall, sdFieldDef* def) {
    sdVec3 size = sdSub(mesh->bounds.upper, mesh->bounds.lower);
    float longest = sdMaxF(size.x, sdMaxF(size.y, size.z));
    if (!(wall > 0.0f)) {
        return "nothing in it has an inside";
    }
    if (def->resolution == 0 && !(def->cellSize > 0.0f)) {
        float cells = ceilf((float)SD_CONCAVE_WALL_CELLS * longest / wall);
        cells = sdMinF(cells, (float)SD_CONCAVE_MAX_RESOLUTION);
        def->resolution = sdMaxI((int)cells, SD_CONCAVE_MIN_RESOLUTION);
    }
    float cell = def->cellSize > 0.0f ? def->cellSize : longest / (float)def->resolution;
    return wall < LEAST_WALL_CELLS * cell ? "its walls are too thin for a field of this resolution"
                                          : NULL;
}

/// How far the field's surface is from the mesh's in the middles of triangles, on average, m.
static float findError(const sdMesh* mesh, const sdField* field) {
    int step = (mesh->triangleCount + MAX_CHECKS - 1) / MAX_CHECKS;
    double sum = 0.0, area = 0.0;
    for (int i = 0; i < mesh->triangleCount; i += step) {
        const int32_t* t = mesh->triangles + 3 * (size_t)i;
        sdVec3 a = mesh->vertices[t[0]], b = mesh->vertices[t[1]], c = mesh->vertices[t[2]];
        double own = (double)sdLength(sdCross(sdSub(b, a), sdSub(c, a)));
        sdVec3 middle = sdScale(1.0f / 3.0f, sdAdd(a, sdAdd(b, c)));
        sum += own * fabs((double)sdField_Sample(field, middle));
        area += own;
    }
    return area > 0.0 ? (float)(sum / area) : 0.0f;
}

/// A field that is as fine as the mesh asks for, unless its resolution was given.
static sdResult refineField(const sdContext* context, const sdMesh* mesh, const sdFieldDef* asked,
                            sdFieldDef* def, sdField** field) {
    sdResult result = sdField_Create(context, mesh, def, field);
    bool isGiven = asked->resolution != 0 || asked->cellSize > 0.0f;
    sdVec3 size = sdSub(mesh->bounds.upper, mesh->bounds.lower);
    float most = MOST_ERROR * sdMaxF(size.x, sdMaxF(size.y, size.z));
    while (result == SD_OK && !isGiven && def->resolution < SD_CONCAVE_MAX_RESOLUTION &&
           findError(mesh, *field) > most) {
        sdField_Release(*field);
        *field = NULL;
        def->resolution = sdMinI(def->resolution + def->resolution / 2, SD_CONCAVE_MAX_RESOLUTION);
        result = sdField_Create(context, mesh, def, field);
    }
    return result;
}

/// @return SD_OK also without a field, when the route may be the triangles: then the reason is set
static sdResult makeField(const sdContext* context, const sdMesh* mesh, const sdConcaveDef* def,
                          float wall, sdField** field, const char** reason) {
    sdFieldDef fieldDef = def->field;
    const sdMeshReport* report = &mesh->report;
    if (def->route == SD_CONCAVE_TRIANGLES) {
        *reason = "triangles were asked for";
        return SD_OK;
    }
    *reason = !report->isClosed ? "the mesh is open: it has no inside" : NULL;
    *reason = *reason == NULL ? planField(mesh, wall, &fieldDef) : *reason;
    if (*reason != NULL) {
        return def->route == SD_CONCAVE_AUTO
                   ? SD_OK
                   : sdFail(context, SD_ERROR_BAD_MESH,
                            "sdConcave_Create: there can be no field, for %s", *reason);
    }
    sdResult result = refineField(context, mesh, &def->field, &fieldDef, field);
    if (def->route == SD_CONCAVE_AUTO &&
        (result == SD_ERROR_BAD_MESH || result == SD_ERROR_DEGENERATE)) {
        *reason = "no field could be built of it (see the log)";
        return SD_OK;
    }
    return result;
}

static sdResult checkDef(const sdContext* context, const sdConcaveDef* def) {
    if ((int)def->route < 0 || def->route > SD_CONCAVE_TRIANGLES) {
        return sdFail(context, SD_ERROR_INVALID_ARGUMENT, "sdConcave_Create: unknown route %d",
                      (int)def->route);
    }
    if (def->field.resolution < 0 || !(def->field.cellSize >= 0.0f)) {
        return sdFail(
            context, SD_ERROR_INVALID_ARGUMENT,
            "sdConcave_Create: resolution %d, cells of %g m; give 0 for both to have them "
            "chosen from the mesh",
            def->field.resolution, (double)def->field.cellSize);
    }
    return SD_OK;
}

static sdResult checkArguments(const sdContext* context, const void* mesh, const void* def,
                               sdConcave** out) {
    if (mesh == NULL || def == NULL || out == NULL) {
        return sdFail(context, SD_ERROR_INVALID_ARGUMENT, "sdConcave_Create: %s is NULL",
                      mesh == NULL ? "the mesh" : (def == NULL ? "def or field" : "out"));
    }
    return SD_OK;
}

sdResult sdConcave_Create(const sdContext* context, const sdMesh* mesh, const sdConcaveDef* def,
                          sdConcave** out) {
    if (out != NULL) {
        *out = NULL;
    }
    sdContext ctx;
    sdResult result = sdContext_Resolve(context, &ctx);
    result = result == SD_OK ? checkArguments(&ctx, mesh, def, out) : result;
    result = result == SD_OK ? checkDef(&ctx, def) : result;
    if (result != SD_OK) {
        return result;
    }
    float wall = 0.0f;
    sdField* field = NULL;
    const char* reason = NULL;
    if (mesh->report.isClosed) {
        result = sdMesh_FindWall(&ctx, mesh, &wall);
    }
    if (result == SD_OK) {
        result = makeField(&ctx, mesh, def, wall, &field, &reason);
    }
    if (result == SD_OK) {
        result = assemble(&ctx, mesh, field, wall, out);
    }
    if (result != SD_OK) {
        sdField_Release(field);
        return result;
    }
    (*out)->def = *def;
    if (field == NULL) {
        snprintf((*out)->reason, sizeof(*out)->reason, "triangles: %s", reason);
        sdLog(&ctx, SD_LOG_WARNING, "sdConcave_Create: its triangles will collide, not a field: %s",
              reason);
    } else {
        sdFieldInfo info = sdField_GetInfo(field);
        snprintf((*out)->reason, sizeof(*out)->reason,
                 "field: cells of %.3g m, the thinnest walls have %.1f", (double)info.cellSize,
                 (double)(wall / info.cellSize));
    }
    return SD_OK;
}

/// Settings of a field that has these cells.
static sdConcaveDef describeField(const sdMesh* mesh, const sdFieldInfo* info) {
    sdVec3 size = sdSub(mesh->bounds.upper, mesh->bounds.lower);
    float sides[3] = {size.x, size.y, size.z};
    int margin = SD_FIELD_MAX_MARGIN;
    for (int i = 0; i < 3; ++i) {
        // what is left on each side; grids are rounded up, so that the least is what was asked for
        float left = (float)info->cells[i] - sides[i] / info->cellSize;
        margin = sdMinI(margin, (int)(0.5f * left));
    }
    return (sdConcaveDef){
        .route = SD_CONCAVE_FIELD,
        .field = {.cellSize = info->cellSize,
                  .marginCells = sdMaxI(margin, 1),
                  .sign = info->sign,
                  .layout = info->layout},
    };
}

sdResult sdConcave_CreateWithField(const sdContext* context, const sdMesh* mesh,
                                   const sdField* field, sdConcave** out) {
    if (out != NULL) {
        *out = NULL;
    }
    sdContext ctx;
    sdResult result = sdContext_Resolve(context, &ctx);
    result = result == SD_OK ? checkArguments(&ctx, mesh, field, out) : result;
    if (result != SD_OK) {
        return result;
    }
    sdFieldInfo info = sdField_GetInfo(field);
    if (!sdAABB_Contains(info.bounds, mesh->bounds)) {
        return sdFail(
            &ctx, SD_ERROR_INVALID_ARGUMENT,
            "sdConcave_CreateWithField: the mesh is not inside of the field's grid; build "
            "the field from the same mesh");
    }
    float wall = 0.0f;
    result = sdMesh_FindWall(&ctx, mesh, &wall);
    result = result == SD_OK ? assemble(&ctx, mesh, field, wall, out) : result;
    if (result == SD_OK) {
        sdField_Retain(field);
        (*out)->def = describeField(mesh, &info);
        snprintf((*out)->reason, sizeof(*out)->reason, "field: given");
    }
    return result;
}

void sdConcave_Retain(const sdConcave* concave) {
    if (concave != NULL) {
        // the count is the one part of a shared object that changes
        sdRefCount_Retain((sdRefCount*)&concave->refCount);
    }
}

void sdConcave_Release(const sdConcave* concave) {
    if (concave != NULL && sdRefCount_Release((sdRefCount*)&concave->refCount)) {
        sdConcave* last = (sdConcave*)concave;
        sdAllocator allocator = last->context.allocator;
        sdMesh_Release(last->mesh);
        sdField_Release(last->field);
        sdHull_Release(last->hull);
        sdFree(&allocator, last, last->byteCount);
    }
}

// ---- asking --------------------------------------------------------------------------------

float sdConcave_GetSkin(const sdConcave* concave) {
    sdAABB box = sdMesh_GetBounds(concave->mesh);
    return SKIN_PART * sdLength(sdSub(box.upper, box.lower));
}

sdConcaveDef sdConcave_GetDef(const sdConcave* concave) {
    return concave != NULL ? concave->def : sdConcaveDef_Default();
}

sdConcaveInfo sdConcave_GetInfo(const sdConcave* concave) {
    if (concave == NULL) {
        return (sdConcaveInfo){.reason = "there is none"};
    }
    size_t bytes = concave->byteCount;
    bytes += concave->field != NULL ? sdField_GetInfo(concave->field).byteCount : 0;
    bytes += concave->hull != NULL ? sdHull_GetByteCount(concave->hull) : 0;
    return (sdConcaveInfo){
        .route = concave->field != NULL ? SD_CONCAVE_FIELD : SD_CONCAVE_TRIANGLES,
        .reason = concave->reason,
        .wall = concave->wall,
        .vertexCount = concave->corners.count,
        .edgeCount = concave->edges.count,
        .byteCount = bytes,
    };
}

const sdMesh* sdConcave_GetMesh(const sdConcave* concave) {
    return concave != NULL ? concave->mesh : NULL;
}

const sdField* sdConcave_GetField(const sdConcave* concave) {
    return concave != NULL ? concave->field : NULL;
}

sdShape sdShape_Concave(const sdConcave* concave) {
    return (sdShape){
        .type = SD_SHAPE_MESH,
        .mesh = concave != NULL ? concave->mesh : NULL,
        .concave = concave,
    };
}
