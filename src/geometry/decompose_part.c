// SPDX-License-Identifier: MIT
// decompose_part.c - pieces of a solid: clip by a plane, separate, hull.
//
// In:   a part and a plane.
// Out:  the connected pieces below and above the plane, each with its exact hull and concavity.
// Note: a cut needs no cap. An extreme point of a solid S cut by half-spaces lies on the surface of
//       S, and is then a vertex of a clipped triangle, or inside of S, and then where three of the
//       planes meet; anywhere else it could be moved both ways within the piece.

#include "geometry/decompose.h"

#include "geometry/mesh.h"

// Points within so many roundings (of the mesh's coordinates) of a plane count as on it: the
// plane's normal, its offset and the dot product are off by about one each.
#define SD_CUT_ROUNDINGS 8.0f

// Concavities are measured to within this part of a cell.
#define SD_DEPTH_TOLERANCE 0.25f

// ... or, where they only decide what to cut next, this part of themselves.
#define SD_DEPTH_SLACK 0.1f

void sdPart_Strip(sdSolid* solid, sdPart* part) {
    const sdAllocator* allocator = &solid->context->allocator;
    sdIntArray_Free(&part->loops, allocator);
    sdPlaneArray_Free(&part->cuts, allocator);
    sdPointArray_Free(&part->corners, allocator);
}

void sdPart_Free(sdSolid* solid, sdPart* part) {
    sdPart_Strip(solid, part);
    sdHull_Release(part->hull);
    *part = (sdPart){0};
}

void sdPartArray_Shrink(sdPartArray* parts, sdSolid* solid, int first) {
    for (int i = first; i < parts->count; ++i) {
        sdPart_Free(solid, &parts->data[i]);
    }
    parts->count = sdMinI(parts->count, first);
}

// ---- clipping ------------------------------------------------------------------------------

// A polygon while it is being cut in two.
typedef struct Clip {
    sdSolid* solid;
    sdPlane plane;
    sdPart* sides[2];  ///< below, above
    int starts[2];     ///< where the polygon began in each
    float extremes[2]; ///< how far it goes below and above
} Clip;

static bool pushVertex(Clip* clip, int side, int vertex) {
    return sdIntArray_Push(&clip->sides[side]->loops, &clip->solid->context->allocator, vertex);
}

// The point where the edge (a, b) crosses the plane, the same from both of its polygons.
static bool pushCrossing(Clip* clip, int a, int b, float da, float db) {
    if (a > b) {
        int i = a;
        a = b;
        b = i;
        float d = da;
        da = db;
        db = d;
    }
    sdPointArray* points = &clip->solid->points;
    sdVec3 p = sdLerp(points->data[a], points->data[b], da / (da - db));
    int vertex = points->count;
    return sdPointArray_Push(points, &clip->solid->context->allocator, p) &&
           pushVertex(clip, 0, vertex) && pushVertex(clip, 1, vertex);
}

static bool clipEdges(Clip* clip, const int32_t* vertices, int count) {
    float epsilon = clip->solid->epsilon;
    int a = vertices[count - 1];
    float da = sdPlane_Distance(clip->plane, clip->solid->points.data[a]);
    for (int i = 0; i < count; ++i) {
        int b = vertices[i];
        float db = sdPlane_Distance(clip->plane, clip->solid->points.data[b]);
        bool crosses = (da > epsilon && db < -epsilon) || (da < -epsilon && db > epsilon);
        if (crosses && !pushCrossing(clip, a, b, da, db)) {
            return false;
        }
        if (db <= epsilon && !pushVertex(clip, 0, b)) {
            return false;
        }
        if (db >= -epsilon && !pushVertex(clip, 1, b)) {
            return false;
        }
        clip->extremes[0] = sdMaxF(clip->extremes[0], -db);
        clip->extremes[1] = sdMaxF(clip->extremes[1], db);
        a = b;
        da = db;
    }
    return true;
}

// Keep or take back what was pushed for one side.
static void closePolygon(Clip* clip, int side, bool keep) {
    sdIntArray* loops = &clip->sides[side]->loops;
    int count = loops->count - clip->starts[side] - 2;
    if (keep && count >= 3) {
        loops->data[clip->starts[side] + 1] = count;
        clip->sides[side]->polygonCount++;
    } else {
        loops->count = clip->starts[side];
    }
}

static bool clipPolygon(Clip* clip, int triangle, const int32_t* vertices, int count) {
    for (int side = 0; side < 2; ++side) {
        clip->starts[side] = clip->sides[side]->loops.count;
        clip->extremes[side] = 0.0f;
        if (!pushVertex(clip, side, triangle) || !pushVertex(clip, side, 0)) {
            return false;
        }
    }
    if (!clipEdges(clip, vertices, count)) {
        return false;
    }
    // a polygon in the plane belongs to the side on which the solid is: behind it
    bool isFlat = sdMaxF(clip->extremes[0], clip->extremes[1]) <= clip->solid->epsilon;
    bool isLid = sdDot(clip->solid->mesh->faceNormals[triangle], clip->plane.normal) > 0.0f;
    closePolygon(clip, 0, isFlat ? isLid : clip->extremes[0] > clip->solid->epsilon);
    closePolygon(clip, 1, isFlat ? !isLid : clip->extremes[1] > clip->solid->epsilon);
    return true;
}

// ---- corners -------------------------------------------------------------------------------

static bool isBelowCuts(const sdSolid* solid, const sdPlaneArray* cuts, sdVec3 p) {
    for (int i = 0; i < cuts->count; ++i) {
        if (sdPlane_Distance(cuts->data[i], p) > solid->epsilon) {
            return false;
        }
    }
    return true;
}

// The point on three planes, relative to the mesh's centre so that nothing cancels.
static bool meetPlanes(sdPlane a, sdPlane b, sdPlane c, sdVec3* out) {
    // below this the planes are parallel to a line within a thousandth, and the point is far away
    const float minDeterminant = 1e-3f;
    sdVec3 bc = sdCross(b.normal, c.normal);
    float determinant = sdDot(a.normal, bc);
    if (sdAbsF(determinant) < minDeterminant) {
        return false;
    }
    sdVec3 sum = sdScale(a.offset, bc);
    sum = sdMulAdd(sum, b.offset, sdCross(c.normal, a.normal));
    sum = sdMulAdd(sum, c.offset, sdCross(a.normal, b.normal));
    *out = sdScale(1.0f / determinant, sum);
    return true;
}

static bool addCorners(const sdSolid* solid, const sdPart* part, Clip* clip) {
    const sdAllocator* allocator = &solid->context->allocator;
    for (int i = 0; i < part->corners.count; ++i) {
        sdVec3 p = part->corners.data[i];
        float d = sdPlane_Distance(clip->plane, p);
        if ((d <= solid->epsilon && !sdPointArray_Push(&clip->sides[0]->corners, allocator, p)) ||
            (d >= -solid->epsilon && !sdPointArray_Push(&clip->sides[1]->corners, allocator, p))) {
            return false;
        }
    }
    for (int i = 0; i < part->cuts.count; ++i) {
        for (int j = i + 1; j < part->cuts.count; ++j) {
            sdVec3 p;
            // a corner of another piece between the same cuts may pass; it is sorted out when the
            // pieces are separated
            if (meetPlanes(clip->plane, part->cuts.data[i], part->cuts.data[j], &p) &&
                isBelowCuts(solid, &part->cuts, p) &&
                sdHull_Contains(part->hull, p, solid->epsilon) &&
                sdMesh_WindingNumberFast(solid->mesh, p) > 0.5f) {
                if (!sdPointArray_Push(&clip->sides[0]->corners, allocator, p) ||
                    !sdPointArray_Push(&clip->sides[1]->corners, allocator, p)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool addCuts(const sdSolid* solid, const sdPart* part, Clip* clip) {
    const sdAllocator* allocator = &solid->context->allocator;
    for (int side = 0; side < 2; ++side) {
        sdPlaneArray* cuts = &clip->sides[side]->cuts;
        sdPlane own = clip->plane;
        if (side == 1) {
            own = (sdPlane){sdNeg(own.normal), -own.offset};
        }
        if (!sdPlaneArray_Reserve(cuts, allocator, (int64_t)part->cuts.count + 1)) {
            return false;
        }
        for (int i = 0; i < part->cuts.count; ++i) {
            cuts->data[cuts->count++] = part->cuts.data[i];
        }
        cuts->data[cuts->count++] = own;
    }
    return true;
}

static bool clipPart(sdSolid* solid, const sdPart* part, sdPlane plane, sdPart* below,
                     sdPart* above) {
    Clip clip = {.solid = solid, .plane = plane, .sides = {below, above}};
    below->hasSiblings = above->hasSiblings = part->hasSiblings;
    for (int at = 0; at < part->loops.count; at += 2 + part->loops.data[at + 1]) {
        const int* loop = part->loops.data + at;
        if (!clipPolygon(&clip, loop[0], loop + 2, loop[1])) {
            return false;
        }
    }
    return addCorners(solid, part, &clip) && addCuts(solid, part, &clip);
}

// ---- hulls ---------------------------------------------------------------------------------

sdResult sdSolid_MakeHull(sdSolid* solid, const sdVec3* points, int count, int maxVertexCount,
                          sdHull** out) {
    *out = NULL;
    if (count < 4) {
        return SD_ERROR_DEGENERATE;
    }
    sdHullDef def = sdHullDef_Default();
    def.points = points;
    def.pointCount = count;
    def.maxVertexCount = maxVertexCount;
    return sdHull_Create(&solid->quiet, &def, out);
}

// The points of a part, each once.
static bool gatherPoints(sdSolid* solid, const sdPart* part) {
    const sdAllocator* allocator = &solid->context->allocator;
    int old = solid->marks.count;
    if (!sdIntArray_Resize(&solid->marks, allocator, solid->points.count)) {
        return false;
    }
    for (int i = old; i < solid->marks.count; ++i) {
        solid->marks.data[i] = 0;
    }
    solid->markSerial++;
    solid->scratch.count = 0;
    for (int at = 0; at < part->loops.count; at += 2 + part->loops.data[at + 1]) {
        const int* loop = part->loops.data + at;
        for (int i = 0; i < loop[1]; ++i) {
            int vertex = loop[2 + i];
            if (solid->marks.data[vertex] != solid->markSerial) {
                solid->marks.data[vertex] = solid->markSerial;
                if (!sdPointArray_Push(&solid->scratch, allocator, solid->points.data[vertex])) {
                    return false;
                }
            }
        }
    }
    for (int i = 0; i < part->corners.count; ++i) {
        if (!sdPointArray_Push(&solid->scratch, allocator, part->corners.data[i])) {
            return false;
        }
    }
    return true;
}

static sdResult finishPart(sdSolid* solid, sdPart* part, float ceiling) {
    if (!gatherPoints(solid, part)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    sdResult result =
        sdSolid_MakeHull(solid, solid->scratch.data, solid->scratch.count, 0, &part->hull);
    if (result == SD_OK) {
        part->died = SD_NEVER;
        part->concavity = sdSolid_Depth(solid, part->hull, solid->goal, ceiling, SD_DEPTH_SLACK);
    }
    return result;
}

// ---- the whole -----------------------------------------------------------------------------

// Separate what is connected, give each piece its hull, and drop pieces without volume.
static sdResult finishSide(sdSolid* solid, sdPart* side, int limit, float ceiling,
                           sdPartArray* out) {
    int first = out->count;
    sdResult result = sdPart_Separate(solid, side, limit, out);
    int kept = first;
    for (int i = first; i < out->count; ++i) {
        sdPart* piece = &out->data[i];
        sdResult made = result == SD_OK ? finishPart(solid, piece, ceiling) : SD_ERROR_DEGENERATE;
        if (made == SD_OK) {
            out->data[kept++] = *piece;
        } else {
            sdPart_Free(solid, piece);
            result = made == SD_ERROR_DEGENERATE ? result : made;
        }
    }
    out->count = kept;
    return result;
}

sdResult sdPart_Cut(sdSolid* solid, const sdPart* part, sdPlane plane, int limit, float ceiling,
                    sdPartArray* out) {
    int first = out->count;
    sdPart sides[2] = {0};
    sdResult result = SD_ERROR_OUT_OF_MEMORY;
    if (clipPart(solid, part, plane, &sides[0], &sides[1])) {
        result = finishSide(solid, &sides[0], limit - 1, ceiling, out);
    }
    if (result == SD_OK) {
        result = finishSide(solid, &sides[1], limit - (out->count - first), ceiling, out);
    }
    sdPart_Free(solid, &sides[0]);
    sdPart_Free(solid, &sides[1]);
    if (result != SD_OK) {
        sdPartArray_Shrink(out, solid, first);
    }
    return result;
}

sdResult sdSolid_MakeParts(sdSolid* solid, int limit, sdPartArray* out) {
    const sdAllocator* allocator = &solid->context->allocator;
    sdPart whole = {0};
    bool isMade =
        sdIntArray_Reserve(&whole.loops, allocator, 5 * (int64_t)solid->data.triangleCount);
    for (int t = 0; t < solid->data.triangleCount && isMade; ++t) {
        const int32_t* vertices = solid->data.triangles + 3 * t;
        const int loop[5] = {t, 3, vertices[0], vertices[1], vertices[2]};
        memcpy(whole.loops.data + whole.loops.count, loop, sizeof loop);
        whole.loops.count += 5;
        whole.polygonCount++;
    }
    sdResult result =
        isMade ? finishSide(solid, &whole, limit, FLT_MAX, out) : SD_ERROR_OUT_OF_MEMORY;
    sdPart_Free(solid, &whole);
    return result;
}

static void keepQuiet(void* user, sdLogLevel level, const char* text) {
    (void)user;
    (void)level;
    (void)text;
}

sdResult sdSolid_Init(sdSolid* solid, const sdContext* context, const sdMesh* mesh,
                      const sdDecomposeDef* def) {
    const sdAllocator* allocator = &context->allocator;
    *solid = (sdSolid){.context = context, .quiet = *context, .mesh = mesh};
    solid->quiet.logger.log = keepQuiet;
    solid->data = sdMesh_GetData(mesh);
    sdAABB bounds = sdMesh_GetBounds(mesh);
    sdVec3 far = sdMax(sdAbs(bounds.lower), sdAbs(bounds.upper));
    solid->diagonal = sdLength(sdSub(bounds.upper, bounds.lower));
    solid->epsilon = SD_CUT_ROUNDINGS * FLT_EPSILON * sdMaxF(far.x, sdMaxF(far.y, far.z));
    if (!sdCellGrid_Build(&solid->grid, allocator, mesh, def->resolution) ||
        !sdPointArray_Resize(&solid->points, allocator, solid->data.vertexCount)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    if (!sdIntArray_Resize(&solid->loopOf, allocator, solid->data.triangleCount)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    for (int i = 0; i < solid->loopOf.count; ++i) {
        solid->loopOf.data[i] = SD_NULL_INDEX;
    }
    memcpy(solid->points.data, solid->data.vertices,
           (size_t)solid->data.vertexCount * sizeof(sdVec3));
    // depths below the tolerance of their measure cannot be told from none
    solid->tolerance = SD_DEPTH_TOLERANCE * solid->grid.size;
    solid->goal = sdMaxF(def->maxConcavity * solid->diagonal, solid->tolerance);
    return SD_OK;
}

void sdSolid_Free(sdSolid* solid) {
    const sdAllocator* allocator = &solid->context->allocator;
    sdCellGrid_Free(&solid->grid, allocator);
    sdPointArray_Free(&solid->points, allocator);
    sdIntArray_Free(&solid->marks, allocator);
    sdPointArray_Free(&solid->scratch, allocator);
    sdIntArray_Free(&solid->homes, allocator);
    sdIntArray_Free(&solid->loopOf, allocator);
    sdIntArray_Free(&solid->queue, allocator);
}
