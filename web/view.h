// SPDX-License-Identifier: MIT
// view.h - a world as flat arrays, for drawing.
//
// Lists are written as far as they fit, and the functions return how many numbers there are. Bodies
// are always in the order of sdWorld_GetBodies; "number" below is a body's place in that list.
// Positions are floats: what is drawn is near the camera.

#ifndef SD_WEB_VIEW_H
#define SD_WEB_VIEW_H

#include "explain.h"

SD_BEGIN_C

/// Of a body: place (3), rotation (x y z w), centre of mass (3), type, 1 when awake.
#define SD_VIEW_POSE_SIZE 12
int sdView_GetPoses(const sdWorld* world, float* out, int capacity);

/// Of a point: place (3), normal (3), separation, normal impulse, 0 new or 1 kept, numbers of both
/// bodies.
#define SD_VIEW_CONTACT_SIZE 11
int sdView_GetContacts(const sdWorld* world, float* out, int capacity);

/// Of a joint: kind, anchors on A (3) and B (3), x axis of A's frame (3), numbers of both bodies.
#define SD_VIEW_JOINT_SIZE 12
int sdView_GetJoints(const sdWorld* world, float* out, int capacity);

/// Of a body: lower and upper corner of the box around its shapes along the world's axes; all zero
/// for one without bounds.
#define SD_VIEW_BOX_SIZE 6
int sdView_GetBoxes(const sdWorld* world, float* out, int capacity);

/// Of a cell of the broad phase: lower and upper corner, depth. A sweep has intervals instead: of
/// every body that is not static, along each axis (the depth), beside all of them.
#define SD_VIEW_CELL_SIZE 7
int sdView_GetCells(const sdWorld* world, float* out, int capacity);

/// Of a body: which of the groups that touch or are joined it belongs to, told by the group's
/// lowest number; -1 for bodies that are not dynamic.
int sdView_GetIslands(const sdWorld* world, int32_t* out, int capacity);
/// Of a body: who stands on whom, as sdWorld_FindLevels tells it.
int sdView_GetLevels(const sdWorld* world, int32_t* out, int capacity);

/// Lines, two ends each: place (3) and colour (3, 0 .. 1). Volumes of bodies that are not static,
/// by bits of sdDrawView (fat boxes, spheres, OBBs, k-DOPs, hulls), and these:
#define SD_VIEW_INERTIA (1u << 24) ///< of each body, as the even box that turns like it
#define SD_VIEW_LIMITS (1u << 25)  ///< of joints: arcs, cones and ways, and where they are
#define SD_VIEW_LINE_SIZE 6
/// @param size m, of the figures of limits
int sdView_GetLines(const sdWorld* world, uint32_t views, float size, float* out, int capacity);

/// An algorithm between two bodies; marks are in the world's frame.
/// @return as sdExplanation_Create, and SD_ERROR_INVALID_ARGUMENT for a body without shapes
sdResult sdView_Explain(const sdContext* context, const sdWorld* world, sdBodyId a, sdBodyId b,
                        sdExplainMethod method, sdExplanation** out);

typedef struct sdViewFigures {
    double kinetic, potential; ///< J, of dynamic bodies; the latter is 0 at the world's origin
    float maxPenetration;      ///< m, of the last step
} sdViewFigures;

sdViewFigures sdView_GetFigures(const sdWorld* world);

/// Whether a shape is drawn as glass: a sensor, or a wall.
bool sdView_IsGlass(const sdWorld* world, sdShapeId shape);

/// The same for shapes that look the same in their own frames, glass or not.
uint32_t sdView_GetShapeKey(const sdWorld* world, sdShapeId shape);

/// FNV-1a of 32 bits.
uint32_t sdView_HashBytes(const void* bytes, size_t size);

/// Of a corner of a triangle, three in a row, in the body's frame: place (3), normal (3).
#define SD_VIEW_CORNER_SIZE 6
int sdView_GetTriangles(const sdWorld* world, sdShapeId shape, float* out, int capacity);

/// Points with which a mesh that may move can touch others: corners and middles of edges, in the
/// body's frame. None for other shapes.
int sdView_GetSamples(const sdWorld* world, sdShapeId shape, float* out, int capacity);

/// The distance field of a mesh that may move on a square through the middle of its box, across z:
/// origin (3) and step (1) of the grid in the body's frame, then cellCount x cellCount distances,
/// row by row along x. None for shapes without a field.
#define SD_VIEW_SLICE_HEAD 4
#define SD_VIEW_SLICE_MAX_CELLS 512
int sdView_GetFieldSlice(const sdWorld* world, sdShapeId shape, int cellCount, float* out,
                         int capacity);

SD_END_C

#endif
