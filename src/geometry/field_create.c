// SPDX-License-Identifier: MIT
// field_create.c - a field from a mesh: checks, where the grid lies, which sign rule.
//
// In:   a mesh, open or closed, and what is wanted.
// Out:  a field, or a reason why there can be none.

#include "geometry/field_sign.h"

#include <math.h>

/// Cells of bodies whose size is meant to be a whole number of them may come out a little more
/// than that number by rounding: this part of a cell is not worth another cell.
#define CELL_SLACK 1e-3f

/// The grid's inset is made smaller by this part, so that rounding does not make it too large.
#define INSET_SLACK 1e-3f

/// A cell must be this many times the spacing of floats at the body's farthest coordinate, so that
/// grid points lie where they should within a few per cent of a cell.
#define MIN_FLOATS_PER_CELL 16.0f

static sdResult checkDef(const sdContext* context, const sdFieldDef* def) {
    const char* what = NULL;
    if (!sdIsFinite(def->cellSize) || def->cellSize < 0.0f) {
        what = "cellSize must be finite and not negative";
    } else if (def->cellSize == 0.0f && (def->resolution < SD_FIELD_MIN_RESOLUTION ||
                                         def->resolution > SD_FIELD_MAX_RESOLUTION)) {
        what = "resolution must be 4 .. 1024 when cellSize is 0";
    } else if (def->marginCells < 1 || def->marginCells > SD_FIELD_MAX_MARGIN) {
        what = "marginCells must be 1 .. 64";
    } else if (def->sign < SD_FIELD_SIGN_AUTO || def->sign > SD_FIELD_SIGN_WINDING) {
        what = "sign is not an sdFieldSign";
    } else if (def->layout != SD_FIELD_SPARSE && def->layout != SD_FIELD_DENSE) {
        what = "layout is not an sdFieldLayout";
    }
    return what == NULL ? SD_OK
                        : sdFail(context, SD_ERROR_INVALID_ARGUMENT,
                                 "sdField_Create: %s; start from sdFieldDef_Default()", what);
}

static sdResult checkScale(const sdContext* context, sdAABB bounds, float cellSize) {
    if (!(cellSize >= SD_FIELD_MIN_CELL_SIZE && cellSize <= SD_FIELD_MAX_CELL_SIZE)) {
        return sdFail(context, SD_ERROR_LIMIT,
                      "sdField_Create: cells of %g m, but %g .. %g m are allowed; scale the mesh",
                      (double)cellSize, (double)SD_FIELD_MIN_CELL_SIZE,
                      (double)SD_FIELD_MAX_CELL_SIZE);
    }
    sdVec3 far = sdMax(sdAbs(bounds.lower), sdAbs(bounds.upper));
    float farthest = sdMaxF(far.x, sdMaxF(far.y, far.z));
    if (cellSize < MIN_FLOATS_PER_CELL * FLT_EPSILON * farthest) {
        return sdFail(context, SD_ERROR_LIMIT,
                      "sdField_Create: cells of %g m are too small beside coordinates of %g m; "
                      "move the mesh to the origin or use larger cells",
                      (double)cellSize, (double)farthest);
    }
    return SD_OK;
}

/// Whole bricks, with the body in the middle.
static sdResult placeGrid(const sdContext* context, sdAABB bounds, const sdFieldDef* def,
                          sdFieldGrid* grid) {
    sdVec3 size = sdSub(bounds.upper, bounds.lower);
    float longest = sdMaxF(size.x, sdMaxF(size.y, size.z));
    float cellSize = def->cellSize > 0.0f ? def->cellSize : longest / (float)def->resolution;
    sdResult result = checkScale(context, bounds, cellSize);
    if (result != SD_OK) {
        return result;
    }
    if (longest / cellSize > (float)SD_FIELD_MAX_RESOLUTION + CELL_SLACK) {
        return sdFail(
            context, SD_ERROR_LIMIT,
            "sdField_Create: %g cells along the longest side, but at most %d are allowed; "
            "use cells of at least %g m",
            (double)(longest / cellSize), SD_FIELD_MAX_RESOLUTION,
            (double)(longest / (float)SD_FIELD_MAX_RESOLUTION));
    }
    float inset[3];
    for (int axis = 0; axis < 3; ++axis) {
        float extent = sdVec3_Get(size, axis);
        int cells = (int)ceilf(extent / cellSize - CELL_SLACK) + 2 * def->marginCells;
        grid->cells[axis] = (cells + SD_FIELD_BRICK_CELLS - 1) & ~(SD_FIELD_BRICK_CELLS - 1);
        float space = 0.5f * ((float)grid->cells[axis] * cellSize - extent);
        inset[axis] = space * (1.0f - INSET_SLACK);
    }
    sdVec3 half = sdV3((float)grid->cells[0], (float)grid->cells[1], (float)grid->cells[2]);
    grid->cellSize = cellSize;
    grid->origin = sdMulAdd(sdAABB_Center(bounds), -0.5f * cellSize, half);
    grid->inset = sdV3(inset[0], inset[1], inset[2]);
    return SD_OK;
}

static const char* signName(sdFieldSign sign) {
    static const char* const names[] = {"auto", "pseudo-normals", "ray parity", "winding number"};
    return names[sign];
}

/// @return SD_ERROR_BAD_MESH when the rule that was asked for needs more than the mesh has
static sdResult checkRule(const sdContext* context, const sdMeshReport* report, sdFieldSign sign) {
    bool isEnough = true;
    if (sign == SD_FIELD_SIGN_PSEUDO_NORMAL) {
        isEnough = report->isClosed && report->isOriented && report->isSolid;
    } else if (sign == SD_FIELD_SIGN_PARITY) {
        isEnough = report->isClosed;
    }
    return isEnough ? SD_OK
                    : sdFail(context, SD_ERROR_BAD_MESH,
                             "sdField_Create: signs by %s need a closed%s mesh, but this one has "
                             "%d boundary edges and %d edges with neighbours turned against each "
                             "other; repair it or use SD_FIELD_SIGN_WINDING",
                             signName(sign), sign == SD_FIELD_SIGN_PARITY ? "" : ", oriented",
                             report->boundaryEdgeCount, report->misorientedEdgeCount);
}

static sdResult buildWithRule(const sdContext* context, const sdMesh* mesh, const sdFieldGrid* grid,
                              sdFieldLayout layout, sdFieldSign sign, sdField** out) {
    sdFieldMesh mesher = {mesh, sdMesh_GetBounds(mesh), sign};
    sdFieldSource source = {sdFieldMesh_Evaluate, &mesher};
    sdResult result = sdField_Build(context, grid, layout, &source, out);
    if (result == SD_OK) {
        (*out)->sign = sign;
    }
    return result;
}

static sdResult buildAuto(const sdContext* context, const sdMesh* mesh, const sdFieldGrid* grid,
                          sdFieldLayout layout, sdField** out) {
    const sdMeshReport* report = sdMesh_GetReport(mesh);
    const char* reason = "the mesh is not a clean solid";
    if (report->isSolid && report->isManifold) {
        sdResult result =
            buildWithRule(context, mesh, grid, layout, SD_FIELD_SIGN_PSEUDO_NORMAL, out);
        if (result != SD_OK || sdFieldMesh_AgreesWithWinding(mesh, *out)) {
            return result;
        }
        sdField_Release(*out);
        reason = "parts of the mesh cross each other";
    }
    sdLog(context, SD_LOG_INFO, "sdField_Create: signs by winding number, because %s", reason);
    return buildWithRule(context, mesh, grid, layout, SD_FIELD_SIGN_WINDING, out);
}

/// A field without an inside is of no use to anybody, so it is not returned.
static sdResult checkInside(const sdContext* context, const sdMesh* mesh, sdField** out) {
    if (sdField_HasInside(*out)) {
        return SD_OK;
    }
    double cellSize = (double)(*out)->grid.cellSize;
    sdField_Release(*out);
    *out = NULL;
    const sdMeshReport* report = sdMesh_GetReport(mesh);
    if (report->isSolid) {
        return sdFail(context, SD_ERROR_DEGENERATE,
                      "sdField_Create: no grid point is inside; the body is thinner than a cell of "
                      "%g m: use smaller cells",
                      cellSize);
    }
    return sdFail(context, SD_ERROR_BAD_MESH,
                  "sdField_Create: the mesh winds around no grid point by more than one half, so "
                  "it has no inside: %s",
                  report->isClosed ? "turn its triangles outwards with SD_MESH_ORIENT"
                                   : "close its holes");
}

sdResult sdField_Create(const sdContext* context, const sdMesh* mesh, const sdFieldDef* def,
                        sdField** out) {
    sdContext own;
    if (out != NULL) {
        *out = NULL;
    }
    sdResult result = sdContext_Resolve(context, &own);
    if (result != SD_OK) {
        return result;
    }
    if (mesh == NULL || def == NULL || out == NULL) {
        return sdFail(&own, SD_ERROR_INVALID_ARGUMENT,
                      "sdField_Create: mesh, def and out must not be NULL");
    }
    sdFieldGrid grid;
    result = checkDef(&own, def);
    result = result != SD_OK ? result : checkRule(&own, sdMesh_GetReport(mesh), def->sign);
    result = result != SD_OK ? result : placeGrid(&own, sdMesh_GetBounds(mesh), def, &grid);
    if (result != SD_OK) {
        return result;
    }
    sdField* field;
    result = def->sign == SD_FIELD_SIGN_AUTO
                 ? buildAuto(&own, mesh, &grid, def->layout, &field)
                 : buildWithRule(&own, mesh, &grid, def->layout, def->sign, &field);
    result = result != SD_OK ? result : checkInside(&own, mesh, &field);
    if (result != SD_OK) {
        return result;
    }
    sdLog(&own, SD_LOG_INFO,
          "sdField_Create: %d x %d x %d cells of %g m, %d bricks, %zu bytes, signs by %s",
          grid.cells[0], grid.cells[1], grid.cells[2], (double)grid.cellSize, field->brickCount,
          field->byteCount, signName(field->sign));
    *out = field;
    return SD_OK;
}
