// SPDX-License-Identifier: MIT
// debug.h - what a viewer wants to draw and no one else needs to know.
//
// Everything here is read; nothing changes the world. Bodies, shapes, contacts and joints have
// their own headers: what touches what, who sleeps and where forces act is told there.

#ifndef SUDAR_DEBUG_H
#define SUDAR_DEBUG_H

#include "sudar/concave.h"
#include "sudar/world.h"

SD_BEGIN_C

/// The cells or nodes of the world's broad phase, as of its last step.
SD_API void sdWorld_VisitCells(const sdWorld* world, sdCellFcn* visit, void* arg);

/// The box by which the broad phase knows a shape: grown by a margin and ahead of its motion. Empty
/// for a stale id.
SD_API sdAABB sdShapeId_GetFatBox(const sdWorld* world, sdShapeId shape);

/// Who stands on whom (D10), from the contacts of the last step: 0 for what does not move, 1 for
/// what stands on that or on nothing, 2 for what stands on those; what supports each other in a
/// circle has one level.
/// @param levels receives those of the first `capacity` bodies of sdWorld_GetBodies
/// @return SD_ERROR_OUT_OF_MEMORY, SD_ERROR_INVALID_ARGUMENT for NULL
SD_API sdResult sdWorld_FindLevels(const sdWorld* world, int* levels, int capacity);

/// The points with which a mesh that may move touches others: corners, and the middles of edges
/// along which it looks for the deepest point.
/// @return how many there are; the first `capacity` are written
SD_API int sdConcave_GetSamples(const sdConcave* concave, sdVec3* out, int capacity);

SD_END_C

#endif
