// SPDX-License-Identifier: MIT
// decompose.h - what the files of the convex decomposition share; decompose.c tells the story.

#ifndef SD_GEOMETRY_DECOMPOSE_H
#define SD_GEOMETRY_DECOMPOSE_H

#include "base/array.h"
#include "sudar/shapes.h"

SD_DEFINE_ARRAY(sdPointArray, sdVec3)
SD_DEFINE_ARRAY(sdPlaneArray, sdPlane)

// ---- cells (decompose_grid.c) --------------------------------------------------------------

typedef enum sdCellKind {
    SD_CELL_UNKNOWN,
    SD_CELL_SURFACE, ///< a triangle passes through it
    SD_CELL_CORE,    ///< all of it is inside
    SD_CELL_OUTSIDE  ///< all of it is outside
} sdCellKind;

/// Cubes over the box of a mesh. They only say what hangs together; no shape is taken from them.
typedef struct sdCellGrid {
    sdVec3 origin; ///< lower corner of cell (0, 0, 0)
    float size;
    int counts[3];
    int total;
    uint8_t* kinds;     ///< sdCellKind
    float* distances;   ///< of each centre to the solid where it was asked for, else FLT_MAX
    int32_t* labels;    ///< scratch of sdPart_Separate
    sdIntArray touched; ///< result of sdCellGrid_Rasterize
    sdIntArray stack;   ///< scratch of the flood fills
} sdCellGrid;

/// @param resolution cells along the longest side of the mesh's box
bool sdCellGrid_Build(sdCellGrid* grid, const sdAllocator* allocator, const sdMesh* mesh,
                      int resolution);
void sdCellGrid_Free(sdCellGrid* grid, const sdAllocator* allocator);

/// The cell of a point, the nearest one for points outside of the grid.
int sdCellGrid_Find(const sdCellGrid* grid, sdVec3 p);
sdVec3 sdCellGrid_Center(const sdCellGrid* grid, int cell);

/// Write all cells that a convex polygon touches to grid->touched; never none.
bool sdCellGrid_Rasterize(sdCellGrid* grid, const sdAllocator* allocator, const sdVec3* points,
                          const int32_t* indices, int count);

// ---- parts (decompose_part.c) --------------------------------------------------------------

/// The solid and everything that its parts share.
typedef struct sdSolid {
    const sdContext* context;
    sdContext quiet; ///< the same without words: flat slices are expected and not errors
    const sdMesh* mesh;
    sdMeshData data;
    float diagonal;  ///< of the mesh's box, m
    float epsilon;   ///< rounding of a point's distance from a plane, m
    float goal;      ///< concavity below which nothing is split, m
    float tolerance; ///< of measured concavities, m
    sdCellGrid grid;
    sdPointArray points; ///< the mesh's vertices, then those made by cutting
    sdIntArray marks;    ///< of each point: the last time that it was gathered
    int markSerial;
    sdPointArray scratch; ///< points for a hull
    sdIntArray homes;     ///< of each polygon: a cell that it touches
    sdIntArray loopOf;    ///< of each triangle: where its polygon begins in a part's loops, or -1
    sdIntArray queue;     ///< scratch of the walk over neighbouring triangles
} sdSolid;

#define SD_NEVER INT_MAX

/// One connected piece of the solid cut by planes. Its hull is exact: the extreme points of a
/// solid cut by planes are vertices of its cut surface and inside corners of the planes.
typedef struct sdPart {
    sdIntArray loops; ///< surface polygons: triangle, vertex count, vertices; and so on
    int polygonCount;
    sdPlaneArray cuts;    ///< the part is below all of them
    sdPointArray corners; ///< where three cuts meet inside the solid
    bool hasSiblings;     ///< other pieces lie between the same cuts, and corners may be theirs
    sdHull* hull;
    float concavity; ///< m; goal when it is below the goal
    bool isFinal;    ///< no plane was found that cuts it
    int born, died;  ///< the split that made it, the split that cut it or SD_NEVER
} sdPart;

SD_DEFINE_ARRAY(sdPartArray, sdPart)

sdResult sdSolid_Init(sdSolid* solid, const sdContext* context, const sdMesh* mesh,
                      const sdDecomposeDef* def);
void sdSolid_Free(sdSolid* solid);

/// Zero or less inside, positive outside, also where components of the mesh overlap.
/// @param reach the surface is known to be no further than this; FLT_MAX when nothing is known
float sdSolid_Distance(const sdSolid* solid, sdVec3 p, float reach);

/// The same at the centre of a cell, remembered; for cells full of solid only that it is inside.
float sdSolid_CellDistance(sdSolid* solid, int cell);

/// Bounds of the distance from what is known about the point's cell.
void sdSolid_BoundDistance(sdSolid* solid, sdVec3 p, float* low, float* high);

/// The greatest distance from a point of the hull to the solid: how far the hull bulges over it.
/// @param floor returned when nothing deeper is found
/// @param ceiling the search ends as soon as something deeper than this is found
/// @param slack the true value is at most this part of the result, or solid->tolerance, more
float sdSolid_Depth(sdSolid* solid, const sdHull* hull, float floor, float ceiling, float slack);

/// The whole solid, in as many parts as it has pieces that are a cell apart, unless these are more
/// than `limit`.
sdResult sdSolid_MakeParts(sdSolid* solid, int limit, sdPartArray* out);

/// Append the pieces of `part` on both sides of a plane, with hulls and concavities.
/// Pieces that are flat within rounding are left out.
/// @param limit the most pieces wanted; 2 keeps what is left on each side together
/// @param ceiling concavities over this are only known to be over it
sdResult sdPart_Cut(sdSolid* solid, const sdPart* part, sdPlane plane, int limit, float ceiling,
                    sdPartArray* out);

void sdPart_Free(sdSolid* solid, sdPart* part);
/// Free all but the hull.
void sdPart_Strip(sdSolid* solid, sdPart* part);
/// Free the parts from `first` on and cut the array there.
void sdPartArray_Shrink(sdPartArray* parts, sdSolid* solid, int first);

/// SD_ERROR_DEGENERATE without words for flat point sets.
sdResult sdSolid_MakeHull(sdSolid* solid, const sdVec3* points, int count, int maxVertexCount,
                          sdHull** out);

// ---- what hangs together (decompose_pieces.c) ----------------------------------------------

/// Append the pieces of `part` that are at least a cell apart, without hulls, or all of it as one
/// when these would be more than `limit`. Empties the part.
sdResult sdPart_Separate(sdSolid* solid, sdPart* part, int limit, sdPartArray* out);

// ---- where to cut (decompose_cut.c) --------------------------------------------------------

/// Find the best plane and append the pieces that it makes to `out`.
/// @return SD_OK also when no plane was found; nothing was appended then
sdResult sdPart_Split(sdSolid* solid, const sdPart* part, int limit, sdPartArray* out);

// ---- joining (decompose_merge.c) -----------------------------------------------------------

/// Join hulls while the hull of two bulges over the solid by no more than the goal, and, while
/// there are more than maxCount, the two that bulge least and by no more than `limit`.
/// @param limit FLT_MAX also joins hulls that are apart
/// @param hulls replaced and moved together
/// @param count in and out
sdResult sdSolid_MergeHulls(sdSolid* solid, float limit, int maxCount, sdHull** hulls, int* count);

// ---- few vertices (decompose_simplify.c) ---------------------------------------------------

/// Replace a hull of more than maxVertexCount vertices (0: no limit) by one around it.
sdResult sdSolid_SimplifyHull(sdSolid* solid, int maxVertexCount, sdHull** hull);

#endif
