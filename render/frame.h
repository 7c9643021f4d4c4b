// SPDX-License-Identifier: MIT
// frame.h - what the passes of one picture share: the view, and that of the light.

#ifndef SD_RENDER_FRAME_H
#define SD_RENDER_FRAME_H

#include "collect.h"
#include "matrix.h"

/// Side of the map of shadows, texels.
#define SD_SHADOW_SIZE 2048

typedef struct sdFrame {
    sdView view;
    sdVec3 right, up, back; ///< axes of the view
    float tanX, tanY;
    sdMat44 clipFromEye;
    sdMat44 shadowClipFromEye;
    sdVec3 light;      ///< unit, towards it
    float shadowTexel; ///< m, 0: no shadows
} sdFrame;

/// The view; no shadows yet.
/// @param options borrowed
sdFrame sdFrame_Make(const sdCamera* camera, int width, int height, const sdDrawOptions* options);

/// Radius of the ball about the origin that holds the triangles of an index.
typedef float sdRadiusFcn(const void* user, int mesh);

/// Look from the light at what can move: an orthogonal view, which stays the same while it moves
/// little, so that the rims of shadows do not flicker.
void sdFrame_FitShadow(sdFrame* frame, const sdDrawItem* items, int count, sdRadiusFcn* getRadius,
                       const void* user);

#endif
