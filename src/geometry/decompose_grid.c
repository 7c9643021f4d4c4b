// SPDX-License-Identifier: MIT
// decompose_grid.c - cells over a solid: which are crossed by its surface, inside, outside.
//
// In:   a closed mesh and the number of cells along its longest side.
// Out:  the kind of every cell; the cells that a convex polygon touches.
// Ref:  Schwarz and Seidel, "Fast parallel surface and solid voxelization on GPUs", 2010
//       (separating axes of a convex polygon and a cube).
// Note: conservative: whatever touches a cell within rounding is counted.

#include "geometry/decompose.h"

// Cells around the mesh's box. Not a whole number, so that faces of the box, where models like to
// have flat surfaces, fall into the middle of cells.
#define SD_GRID_MARGIN 1.5f

// What counts as touching, in cells: far over the rounding of the tests below (some 1e-5 for
// 256 cells) and far below what would join pieces that are apart.
#define SD_GRID_SLACK 1e-3f

sdVec3 sdCellGrid_Center(const sdCellGrid* grid, int cell) {
    int x = cell % grid->counts[0];
    int y = (cell / grid->counts[0]) % grid->counts[1];
    int z = cell / (grid->counts[0] * grid->counts[1]);
    sdVec3 p = {(float)x + 0.5f, (float)y + 0.5f, (float)z + 0.5f};
    return sdMulAdd(grid->origin, grid->size, p);
}

// A convex polygon in units of cells, read through its indices.
typedef struct Polygon {
    const sdVec3* points;
    const int32_t* indices;
    int count;
    sdVec3 origin;
    float scale;
    sdVec3 normal; ///< not normalised
} Polygon;

static sdVec3 polygonPoint(const Polygon* polygon, int i) {
    return sdScale(polygon->scale, sdSub(polygon->points[polygon->indices[i]], polygon->origin));
}

static sdVec3 polygonNormal(const Polygon* polygon) {
    sdVec3 normal = {0};
    sdVec3 a = polygonPoint(polygon, 0);
    sdVec3 ab = sdSub(polygonPoint(polygon, 1), a);
    for (int i = 2; i < polygon->count; ++i) {
        sdVec3 ac = sdSub(polygonPoint(polygon, i), a);
        normal = sdAdd(normal, sdCross(ab, ac));
        ab = ac;
    }
    return normal;
}

// Seen along `axis`, does the unit square of the cell centred at c reach inside of every edge?
static bool overlapsAlong(const Polygon* polygon, int axis, sdVec3 c) {
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    float sign = sdVec3_Get(polygon->normal, axis) >= 0.0f ? 1.0f : -1.0f;
    float cu = sdVec3_Get(c, u), cv = sdVec3_Get(c, v);
    sdVec3 a = polygonPoint(polygon, polygon->count - 1);
    for (int i = 0; i < polygon->count; ++i) {
        sdVec3 b = polygonPoint(polygon, i);
        float eu = sdVec3_Get(b, u) - sdVec3_Get(a, u), ev = sdVec3_Get(b, v) - sdVec3_Get(a, v);
        // (-ev, eu) points to the left of the edge: inwards
        float inside = sign * (eu * (cv - sdVec3_Get(a, v)) - ev * (cu - sdVec3_Get(a, u)));
        float reach = (0.5f + SD_GRID_SLACK) * (sdAbsF(eu) + sdAbsF(ev));
        if (inside + reach < 0.0f) {
            return false;
        }
        a = b;
    }
    return true;
}

static int dominantAxis(sdVec3 normal) {
    sdVec3 a = sdAbs(normal);
    return a.x >= a.y && a.x >= a.z ? 0 : (a.y >= a.z ? 1 : 2);
}

static int clampCell(float x, int count) {
    return x <= 0.0f ? 0 : (x >= (float)count ? count - 1 : sdMinI((int)x, count - 1));
}

int sdCellGrid_Find(const sdCellGrid* grid, sdVec3 p) {
    sdVec3 q = sdScale(1.0f / grid->size, sdSub(p, grid->origin));
    int x = clampCell(q.x, grid->counts[0]);
    int y = clampCell(q.y, grid->counts[1]);
    int z = clampCell(q.z, grid->counts[2]);
    return (z * grid->counts[1] + y) * grid->counts[0] + x;
}

// Cells in one column along the dominant axis w: the plane of the polygon bounds w.
static bool rasterizeColumn(sdCellGrid* grid, const sdAllocator* allocator, const Polygon* polygon,
                            const int range[3][2], const int uv[2]) {
    int w = dominantAxis(polygon->normal), u = (w + 1) % 3, v = (w + 2) % 3;
    sdVec3 a = polygonPoint(polygon, 0);
    float nu = sdVec3_Get(polygon->normal, u), nv = sdVec3_Get(polygon->normal, v);
    float nw = sdVec3_Get(polygon->normal, w);
    float cu = (float)uv[0] + 0.5f - sdVec3_Get(a, u), cv = (float)uv[1] + 0.5f - sdVec3_Get(a, v);
    float center = sdVec3_Get(a, w), reach = 1.0f;
    if (nw != 0.0f) {
        center -= (nu * cu + nv * cv) / nw;
        reach = (0.5f + SD_GRID_SLACK) * (sdAbsF(nu / nw) + sdAbsF(nv / nw)) + SD_GRID_SLACK;
    }
    int low = sdMaxI(range[w][0], clampCell(center - reach, grid->counts[w]));
    int high = sdMinI(range[w][1], clampCell(center + reach, grid->counts[w]));
    for (int i = low; i <= high; ++i) {
        float c[3];
        int cell[3];
        cell[u] = uv[0];
        cell[v] = uv[1];
        cell[w] = i;
        for (int k = 0; k < 3; ++k) {
            c[k] = (float)cell[k] + 0.5f;
        }
        sdVec3 middle = {c[0], c[1], c[2]};
        if (overlapsAlong(polygon, 0, middle) && overlapsAlong(polygon, 1, middle) &&
            overlapsAlong(polygon, 2, middle)) {
            int index = (cell[2] * grid->counts[1] + cell[1]) * grid->counts[0] + cell[0];
            if (!sdIntArray_Push(&grid->touched, allocator, index)) {
                return false;
            }
        }
    }
    return true;
}

bool sdCellGrid_Rasterize(sdCellGrid* grid, const sdAllocator* allocator, const sdVec3* points,
                          const int32_t* indices, int count) {
    Polygon polygon = {.points = points, .indices = indices, .count = count};
    polygon.origin = grid->origin;
    polygon.scale = 1.0f / grid->size;
    polygon.normal = polygonNormal(&polygon);
    sdAABB box = sdAABB_Empty();
    for (int i = 0; i < count; ++i) {
        box = sdAABB_AddPoint(box, polygonPoint(&polygon, i));
    }
    box = sdAABB_Grow(box, SD_GRID_SLACK);
    int range[3][2];
    for (int k = 0; k < 3; ++k) {
        range[k][0] = clampCell(sdVec3_Get(box.lower, k), grid->counts[k]);
        range[k][1] = clampCell(sdVec3_Get(box.upper, k), grid->counts[k]);
    }
    int w = dominantAxis(polygon.normal), u = (w + 1) % 3, v = (w + 2) % 3;
    grid->touched.count = 0;
    for (int j = range[v][0]; j <= range[v][1]; ++j) {
        for (int i = range[u][0]; i <= range[u][1]; ++i) {
            int uv[2] = {i, j};
            if (!rasterizeColumn(grid, allocator, &polygon, (const int(*)[2])range, uv)) {
                return false;
            }
        }
    }
    if (grid->touched.count == 0) {
        return sdIntArray_Push(&grid->touched, allocator,
                               sdCellGrid_Find(grid, points[indices[0]]));
    }
    return true;
}

// Give all unknown cells that hang together with `seed` through faces the same kind.
static bool floodKind(sdCellGrid* grid, const sdAllocator* allocator, int seed, uint8_t kind) {
    int steps[3] = {1, grid->counts[0], grid->counts[0] * grid->counts[1]};
    grid->stack.count = 0;
    grid->kinds[seed] = kind;
    if (!sdIntArray_Push(&grid->stack, allocator, seed)) {
        return false;
    }
    while (grid->stack.count > 0) {
        int cell = grid->stack.data[--grid->stack.count];
        for (int k = 0; k < 3; ++k) {
            int at = (cell / steps[k]) % grid->counts[k];
            for (int side = -1; side <= 1; side += 2) {
                int next = cell + side * steps[k];
                if (at + side < 0 || at + side >= grid->counts[k] ||
                    grid->kinds[next] != SD_CELL_UNKNOWN) {
                    continue;
                }
                grid->kinds[next] = kind;
                if (!sdIntArray_Push(&grid->stack, allocator, next)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool classifyCells(sdCellGrid* grid, const sdAllocator* allocator, const sdMesh* mesh) {
    sdMeshData data = sdMesh_GetData(mesh);
    for (int t = 0; t < data.triangleCount; ++t) {
        if (!sdCellGrid_Rasterize(grid, allocator, data.vertices, data.triangles + 3 * t, 3)) {
            return false;
        }
        for (int i = 0; i < grid->touched.count; ++i) {
            grid->kinds[grid->touched.data[i]] = SD_CELL_SURFACE;
        }
    }
    // a region that no triangle crosses is inside or outside as a whole: one question answers it
    for (int cell = 0; cell < grid->total; ++cell) {
        if (grid->kinds[cell] == SD_CELL_UNKNOWN) {
            bool inside = sdMesh_WindingNumberFast(mesh, sdCellGrid_Center(grid, cell)) > 0.5f;
            uint8_t kind = inside ? SD_CELL_CORE : SD_CELL_OUTSIDE;
            if (!floodKind(grid, allocator, cell, kind)) {
                return false;
            }
        }
    }
    return true;
}

bool sdCellGrid_Build(sdCellGrid* grid, const sdAllocator* allocator, const sdMesh* mesh,
                      int resolution) {
    sdAABB bounds = sdMesh_GetBounds(mesh);
    sdVec3 extent = sdSub(bounds.upper, bounds.lower);
    *grid = (sdCellGrid){0};
    grid->size = sdMaxF(extent.x, sdMaxF(extent.y, extent.z)) / (float)resolution;
    grid->origin = sdAABB_Grow(bounds, SD_GRID_MARGIN * grid->size).lower;
    grid->total = 1;
    for (int k = 0; k < 3; ++k) {
        float cells = sdVec3_Get(extent, k) / grid->size;
        grid->counts[k] = (int)(cells + 2.0f * SD_GRID_MARGIN) + 1;
        grid->total *= grid->counts[k];
    }
    grid->kinds = sdAllocZero(allocator, (size_t)grid->total);
    grid->labels = sdAllocArray(allocator, (size_t)grid->total, sizeof(int32_t));
    grid->distances = sdAllocArray(allocator, (size_t)grid->total, sizeof(float));
    if (grid->kinds == NULL || grid->labels == NULL || grid->distances == NULL) {
        return false;
    }
    for (int i = 0; i < grid->total; ++i) {
        grid->distances[i] = FLT_MAX;
    }
    return classifyCells(grid, allocator, mesh);
}

void sdCellGrid_Free(sdCellGrid* grid, const sdAllocator* allocator) {
    sdFree(allocator, grid->kinds, (size_t)grid->total);
    sdFree(allocator, grid->labels, (size_t)grid->total * sizeof(int32_t));
    sdFree(allocator, grid->distances, (size_t)grid->total * sizeof(float));
    sdIntArray_Free(&grid->touched, allocator);
    sdIntArray_Free(&grid->stack, allocator);
    *grid = (sdCellGrid){0};
}
