// SPDX-License-Identifier: MIT
// decompose_pieces.c - which pieces of a cut solid hang together.
//
// In:   a part: surface polygons between planes.
// Out:  its connected pieces.
// Note: two polygons belong together when a chain of cells joins them: cells that polygons of the
//       part touch, and cells between its planes that are full of solid. Gaps narrower than a cell
//       are not seen, so that pieces are rather kept together than torn apart: the hull of a piece
//       that was torn would not cover all of it.

#include "geometry/decompose.h"

#include "geometry/mesh.h"

#define SD_LABEL_NONE (-1)
#define SD_LABEL_NEW 0

// A box of cells, both ends included.
typedef struct CellRange {
    int low[3], high[3];
} CellRange;

static void cellAt(const sdCellGrid* grid, int cell, int at[3]) {
    at[0] = cell % grid->counts[0];
    at[1] = (cell / grid->counts[0]) % grid->counts[1];
    at[2] = cell / (grid->counts[0] * grid->counts[1]);
}

static int cellIndex(const sdCellGrid* grid, int x, int y, int z) {
    return (z * grid->counts[1] + y) * grid->counts[0] + x;
}

// ---- by neighbouring triangles -------------------------------------------------------------

// Is some of the edge between two triangles below all cuts?
static bool edgeIsBetween(const sdSolid* solid, const sdPart* part, const sdMeshEdge* edge) {
    float low = 0.0f, high = 1.0f;
    sdVec3 a = solid->mesh->vertices[edge->vertices[0]];
    sdVec3 b = solid->mesh->vertices[edge->vertices[1]];
    for (int i = 0; i < part->cuts.count; ++i) {
        float da = sdPlane_Distance(part->cuts.data[i], a);
        float db = sdPlane_Distance(part->cuts.data[i], b);
        if (da > 0.0f && db > 0.0f) {
            return false;
        }
        if (da > 0.0f) {
            low = sdMaxF(low, da / (da - db));
        } else if (db > 0.0f) {
            high = sdMinF(high, da / (da - db));
        }
    }
    return low < high;
}

static sdResult walkSurface(sdSolid* solid, const sdPart* part, int* reached) {
    const sdAllocator* allocator = &solid->context->allocator;
    const sdMesh* mesh = solid->mesh;
    solid->queue.count = 0;
    *reached = 0;
    if (!sdIntArray_Push(&solid->queue, allocator, part->loops.data[0])) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    solid->loopOf.data[part->loops.data[0]] = SD_NULL_INDEX;
    while (solid->queue.count > 0) {
        int triangle = solid->queue.data[--solid->queue.count];
        ++*reached;
        for (int k = 0; k < 3; ++k) {
            int next = mesh->neighbors[3 * triangle + k];
            if (next >= 0 && solid->loopOf.data[next] >= 0 &&
                edgeIsBetween(solid, part, &mesh->edges[mesh->triangleEdges[3 * triangle + k]])) {
                solid->loopOf.data[next] = SD_NULL_INDEX;
                if (!sdIntArray_Push(&solid->queue, allocator, next)) {
                    return SD_ERROR_OUT_OF_MEMORY;
                }
            }
        }
    }
    return SD_OK;
}

// Can all polygons be reached from the first one over the surface? Then the part is one piece, and
// the cells need not be asked.
static sdResult surfaceIsOne(sdSolid* solid, const sdPart* part, bool* isOne) {
    for (int at = 0; at < part->loops.count; at += 2 + part->loops.data[at + 1]) {
        solid->loopOf.data[part->loops.data[at]] = at;
    }
    int reached = 0;
    sdResult result = part->polygonCount > 0 ? walkSurface(solid, part, &reached) : SD_OK;
    for (int at = 0; at < part->loops.count; at += 2 + part->loops.data[at + 1]) {
        solid->loopOf.data[part->loops.data[at]] = SD_NULL_INDEX;
    }
    *isOne = reached == part->polygonCount;
    return result;
}

// ---- by cells ------------------------------------------------------------------------------

static CellRange findRange(const sdSolid* solid, const sdPart* part) {
    sdAABB box = sdAABB_Empty();
    for (int at = 0; at < part->loops.count; at += 2 + part->loops.data[at + 1]) {
        const int* loop = part->loops.data + at;
        for (int i = 0; i < loop[1]; ++i) {
            box = sdAABB_AddPoint(box, solid->points.data[loop[2 + i]]);
        }
    }
    for (int i = 0; i < part->corners.count; ++i) {
        box = sdAABB_AddPoint(box, part->corners.data[i]);
    }
    // polygons touch cells a little beyond their points
    box = sdAABB_Grow(box, solid->grid.size);
    CellRange range;
    cellAt(&solid->grid, sdCellGrid_Find(&solid->grid, box.lower), range.low);
    cellAt(&solid->grid, sdCellGrid_Find(&solid->grid, box.upper), range.high);
    return range;
}

// Is there solid of this part in the cell? For cells that the surface crosses the centre is asked,
// moved below the cuts.
static bool cellIsPart(sdSolid* solid, const sdPart* part, int cell) {
    sdCellGrid* grid = &solid->grid;
    if (grid->kinds[cell] == SD_CELL_OUTSIDE) {
        return false;
    }
    sdVec3 center = sdCellGrid_Center(grid, cell), p = center;
    for (int i = 0; i < part->cuts.count; ++i) {
        sdPlane cut = part->cuts.data[i];
        sdVec3 n = sdAbs(cut.normal);
        if (sdPlane_Distance(cut, center) > 0.5f * grid->size * (n.x + n.y + n.z)) {
            return false;
        }
        float above = sdPlane_Distance(cut, p);
        p = above > 0.0f ? sdMulAdd(p, -above, cut.normal) : p;
    }
    if (grid->kinds[cell] == SD_CELL_CORE) {
        return true;
    }
    float depth = sdSolid_CellDistance(solid, cell);
    float moved = sdLength(sdSub(p, center));
    if (sdAbsF(depth) >= moved) {
        return depth < 0.0f;
    }
    return sdSolid_Distance(solid, p, sdAbsF(depth) + moved) < 0.0f;
}

static void labelSolid(sdSolid* solid, const sdPart* part, const CellRange* range) {
    const sdCellGrid* grid = &solid->grid;
    for (int z = range->low[2]; z <= range->high[2]; ++z) {
        for (int y = range->low[1]; y <= range->high[1]; ++y) {
            for (int x = range->low[0]; x <= range->high[0]; ++x) {
                int cell = cellIndex(grid, x, y, z);
                bool isPart = cellIsPart(solid, part, cell);
                grid->labels[cell] = isPart ? SD_LABEL_NEW : SD_LABEL_NONE;
            }
        }
    }
}

// Mark the cells that the part's polygons and corners touch, and remember one of each polygon.
static bool labelSurface(sdSolid* solid, const sdPart* part) {
    const sdAllocator* allocator = &solid->context->allocator;
    sdCellGrid* grid = &solid->grid;
    solid->homes.count = 0;
    for (int at = 0; at < part->loops.count; at += 2 + part->loops.data[at + 1]) {
        const int* loop = part->loops.data + at;
        if (!sdCellGrid_Rasterize(grid, allocator, solid->points.data, loop + 2, loop[1]) ||
            !sdIntArray_Push(&solid->homes, allocator, grid->touched.data[0])) {
            return false;
        }
        for (int i = 0; i < grid->touched.count; ++i) {
            grid->labels[grid->touched.data[i]] = SD_LABEL_NEW;
        }
    }
    for (int i = 0; i < part->corners.count; ++i) {
        grid->labels[sdCellGrid_Find(grid, part->corners.data[i])] = SD_LABEL_NEW;
    }
    return true;
}

// Spread a label to all new cells that hang together with `seed`, corners included.
static bool floodLabel(sdSolid* solid, const CellRange* range, int seed, int label) {
    const sdAllocator* allocator = &solid->context->allocator;
    sdCellGrid* grid = &solid->grid;
    grid->labels[seed] = label;
    grid->stack.count = 0;
    if (!sdIntArray_Push(&grid->stack, allocator, seed)) {
        return false;
    }
    while (grid->stack.count > 0) {
        int at[3];
        cellAt(grid, grid->stack.data[--grid->stack.count], at);
        int low[3], high[3];
        for (int k = 0; k < 3; ++k) {
            low[k] = sdMaxI(at[k] - 1, range->low[k]);
            high[k] = sdMinI(at[k] + 1, range->high[k]);
        }
        for (int z = low[2]; z <= high[2]; ++z) {
            for (int y = low[1]; y <= high[1]; ++y) {
                for (int x = low[0]; x <= high[0]; ++x) {
                    int next = cellIndex(grid, x, y, z);
                    if (grid->labels[next] == SD_LABEL_NEW) {
                        grid->labels[next] = label;
                        if (!sdIntArray_Push(&grid->stack, allocator, next)) {
                            return false;
                        }
                    }
                }
            }
        }
    }
    return true;
}

static bool copyLoop(sdSolid* solid, sdPart* piece, const int* loop) {
    const sdAllocator* allocator = &solid->context->allocator;
    int old = piece->loops.count, size = 2 + loop[1];
    if (!sdIntArray_Resize(&piece->loops, allocator, (int64_t)old + size)) {
        return false;
    }
    memcpy(piece->loops.data + old, loop, (size_t)size * sizeof(int));
    piece->polygonCount++;
    return true;
}

// Which piece a corner belongs to, from 1; less when it is that of a sibling.
static int labelOfCorner(const sdSolid* solid, sdVec3 corner) {
    return solid->grid.labels[sdCellGrid_Find(&solid->grid, corner)];
}

// Deal out polygons, corners and planes to the pieces, which are labelled from 1.
static bool dealOut(sdSolid* solid, const sdPart* part, sdPart* pieces, int count) {
    const sdAllocator* allocator = &solid->context->allocator;
    int polygon = 0;
    for (int at = 0; at < part->loops.count; at += 2 + part->loops.data[at + 1]) {
        int label = solid->grid.labels[solid->homes.data[polygon++]];
        if (!copyLoop(solid, &pieces[label - 1], part->loops.data + at)) {
            return false;
        }
    }
    for (int i = 0; i < part->corners.count; ++i) {
        sdVec3 p = part->corners.data[i];
        int label = labelOfCorner(solid, p);
        if (label > 0 && !sdPointArray_Push(&pieces[label - 1].corners, allocator, p)) {
            return false;
        }
    }
    for (int k = 0; k < count; ++k) {
        pieces[k].hasSiblings = true;
        if (!sdPlaneArray_Resize(&pieces[k].cuts, allocator, part->cuts.count)) {
            return false;
        }
        for (int i = 0; i < part->cuts.count; ++i) {
            pieces[k].cuts.data[i] = part->cuts.data[i];
        }
    }
    return true;
}

static void dropForeignCorners(const sdSolid* solid, sdPart* part) {
    int kept = 0;
    for (int i = 0; i < part->corners.count; ++i) {
        if (labelOfCorner(solid, part->corners.data[i]) > 0) {
            part->corners.data[kept++] = part->corners.data[i];
        }
    }
    part->corners.count = kept;
}

static sdResult keepWhole(sdSolid* solid, sdPart* part, sdPartArray* out) {
    if (!sdPartArray_Push(out, &solid->context->allocator, *part)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    *part = (sdPart){0};
    return SD_OK;
}

sdResult sdPart_Separate(sdSolid* solid, sdPart* part, int limit, sdPartArray* out) {
    const sdAllocator* allocator = &solid->context->allocator;
    if (part->polygonCount == 0 && part->corners.count == 0) {
        return SD_OK;
    }
    bool isOne;
    sdResult result = surfaceIsOne(solid, part, &isOne);
    if (result != SD_OK) {
        return result;
    }
    bool hasDoubtfulCorners = part->hasSiblings && part->corners.count > 0;
    if (part->polygonCount == 0 || (isOne && !hasDoubtfulCorners)) {
        return keepWhole(solid, part, out);
    }
    CellRange range = findRange(solid, part);
    labelSolid(solid, part, &range);
    if (!labelSurface(solid, part)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    int count = 0;
    for (int i = 0; i < solid->homes.count; ++i) {
        int home = solid->homes.data[i];
        if (solid->grid.labels[home] == SD_LABEL_NEW && !floodLabel(solid, &range, home, ++count)) {
            return SD_ERROR_OUT_OF_MEMORY;
        }
    }
    if (count <= 1 || count > limit) {
        dropForeignCorners(solid, part);
        return keepWhole(solid, part, out);
    }
    int first = out->count;
    if (!sdPartArray_Reserve(out, allocator, (int64_t)first + count)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        out->data[out->count++] = (sdPart){0};
    }
    if (!dealOut(solid, part, out->data + first, count)) {
        sdPartArray_Shrink(out, solid, first);
        return SD_ERROR_OUT_OF_MEMORY;
    }
    return SD_OK;
}
