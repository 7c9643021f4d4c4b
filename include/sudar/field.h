// SPDX-License-Identifier: MIT
// field.h - signed distance fields of closed meshes on a uniform grid.
//
// An sdField is immutable, one block, reference counted. Distances are negative inside. Near the
// surface they are stored at every grid point, in bricks of 4 x 4 x 4 cells; away from it, and
// where the surface is flat, only a coarse grid is kept, one point every four cells. The dense
// layout stores every grid point, for comparison and for very small fields.

#ifndef SUDAR_FIELD_H
#define SUDAR_FIELD_H

#include "sudar/bounds.h"
#include "sudar/mass.h"
#include "sudar/mesh.h"

SD_BEGIN_C

/// How inside is told from outside.
typedef enum sdFieldSign {
    SD_FIELD_SIGN_AUTO,          ///< pseudo-normals for clean solids, winding number otherwise and
                                 ///< where the two disagree
    SD_FIELD_SIGN_PSEUDO_NORMAL, ///< angle-weighted pseudo-normals (S2 §3.1)
    SD_FIELD_SIGN_PARITY,        ///< crossings of a ray
    SD_FIELD_SIGN_WINDING        ///< winding number above one half; tolerates small holes
} sdFieldSign;

typedef enum sdFieldLayout { SD_FIELD_SPARSE, SD_FIELD_DENSE } sdFieldLayout;

/// Cells along the longest side of the body's box.
#define SD_FIELD_MIN_RESOLUTION 4
#define SD_FIELD_MAX_RESOLUTION 1024
/// Cells that may be added on each side.
#define SD_FIELD_MAX_MARGIN 64

typedef struct sdFieldDef {
    int resolution;  ///< cells along the longest side; used when cellSize is 0
    float cellSize;  ///< metres; 0: from the resolution
    int marginCells; ///< cells added on each side of the body's box, 1 .. SD_FIELD_MAX_MARGIN
    sdFieldSign sign;
    sdFieldLayout layout;
} sdFieldDef;

/// 64 cells, margin 2, sign chosen from the mesh, sparse.
SD_API sdFieldDef sdFieldDef_Default(void);

typedef struct sdField sdField;

/// Built in parallel when the context has workers; same bits for any number of them.
/// The grid is rounded up to whole bricks, with the body in its middle.
/// @return SD_ERROR_BAD_MESH when the mesh has no inside (open, with a sign rule that needs it
///         closed; or the winding number finds no inside point), SD_ERROR_DEGENERATE when the body
///         is so thin that no grid point is inside, SD_ERROR_LIMIT when the grid would need more
///         than SD_FIELD_MAX_RESOLUTION cells a side, or cells are too small beside coordinates
SD_API sdResult sdField_Create(const sdContext* context, const sdMesh* mesh, const sdFieldDef* def,
                               sdField** out);
SD_API void sdField_Retain(const sdField* field);
SD_API void sdField_Release(const sdField* field);

typedef struct sdFieldInfo {
    sdVec3 origin;  ///< position of grid point (0, 0, 0)
    float cellSize; ///< metres
    int cells[3];
    sdFieldSign sign;     ///< the rule that was used
    sdFieldLayout layout; ///< as asked for
    int brickCount;       ///< stored bricks; 0 when dense
    size_t byteCount;     ///< memory of the whole object
    sdAABB bounds;        ///< of the grid
    float bandWidth;      ///< metres; farther from the surface only the coarse grid is sure
} sdFieldInfo;

/// What was built.
SD_API sdFieldInfo sdField_GetInfo(const sdField* field);

/// Which cell a point lies in.
/// @return false outside of the grid, with `cell` as it was
SD_API bool sdField_FindCell(const sdField* field, sdVec3 p, int cell[3]);

/// Distance at a grid point, 0 <= index <= cells; other indices are taken to the border. Where only
/// the coarse grid is kept, interpolated from it.
SD_API float sdField_GetGridValue(const sdField* field, int x, int y, int z);

/// Trilinear distance. Never fails: the result is finite for every point.
///
/// At a smooth surface the error is of second order in the cell; at an edge or corner, which is
/// rounded off, it is at most 0.4 cells. The sparse layout differs from the dense one, up to
/// bandWidth from the surface, by at most one cell divided by the number of cells along the longest
/// side, and an eighth of the distance. Farther away it may be off by up to 3.5 cells, most in the
/// middle between two surfaces, but never has the wrong sign. There are steps of that size where
/// bricks end, none between bricks.
///
/// Outside of the grid the result never exceeds the true distance but for the error at the border,
/// and is at least 0.7 of it. Points that are not finite count as 1e18 m away, and so do all when
/// there is no field.
SD_API float sdField_Sample(const sdField* field, sdVec3 p);

/// Distance and the gradient of the trilinear interpolation. Its length is 1 within half a cell
/// times the curvature; it is less at edges and between surfaces: normalise it for a normal.
/// @param gradient may be NULL
SD_API float sdField_SampleGradient(const sdField* field, sdVec3 p, sdVec3* gradient);

/// Many points at once, eight at a time, the fastest way. The same bits as one at a time.
/// @param distances room for `count`
/// @param gradients room for `count`, or NULL
SD_API void sdField_SampleMany(const sdField* field, const sdVec3* points, int count,
                               float* distances, sdVec3* gradients);

/// Mass properties by summing the inside part of every cell (S2 §4.5-4.6): converges to
/// sdMesh_GetMass as cells shrink (A3).
SD_API sdResult sdField_GetMass(const sdField* field, float density, sdMassProps* out);

// ---- files ---------------------------------------------------------------------------------

/// The field as bytes: versioned, checksummed, the same on every target.
/// @param data NULL to learn the size only
/// @param size in: room at `data`; out: bytes needed
/// @return SD_ERROR_LIMIT when the room is too small
SD_API sdResult sdField_Write(const sdField* field, void* data, size_t* size);

/// Every byte is checked before it is believed.
SD_API sdResult sdField_Read(const sdContext* context, const void* data, size_t size,
                             sdField** out);

/// To and from a file. A file is written under a temporary name and then renamed, so that no half
/// file is ever left under `path`.
SD_API sdResult sdField_Save(const sdContext* context, const sdField* field, const char* path);
SD_API sdResult sdField_Load(const sdContext* context, const char* path, sdField** out);

SD_END_C

#endif
