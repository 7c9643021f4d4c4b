// SPDX-License-Identifier: MIT
// overlay.h - points, lines and triangles of one colour each, drawn after bodies.

#ifndef SD_RENDER_OVERLAY_H
#define SD_RENDER_OVERLAY_H

#include "render.h"

/// Share of its distance by which a line is nearer to the eye than it was given.
#define SD_OVERLAY_NEARER 0.003f

/// As the vertex shader reads it.
typedef struct sdOverlayVertex {
    sdVec3 position; ///< relative to the eye
    uint8_t color[4];
} sdOverlayVertex;

typedef enum sdOverlayKind {
    SD_OVERLAY_TRIANGLES, ///< hidden by what is nearer, as are lines
    SD_OVERLAY_LINES,
    SD_OVERLAY_DOTS,      ///< small points
    SD_OVERLAY_TOP_LINES, ///< on top of everything, as are points
    SD_OVERLAY_POINTS,
    SD_OVERLAY_COUNT
} sdOverlayKind;

typedef struct sdOverlay {
    sdAllocator allocator;
    sdOverlayVertex* vertices[SD_OVERLAY_COUNT];
    int count[SD_OVERLAY_COUNT], capacity[SD_OVERLAY_COUNT];
    bool isBroken; ///< there was no memory
} sdOverlay;

void sdOverlay_Clear(sdOverlay* overlay);
void sdOverlay_Free(sdOverlay* overlay);

void sdOverlay_AddVertex(sdOverlay* overlay, sdOverlayKind kind, sdVec3 p, const uint8_t color[4]);
void sdOverlay_AddLine(sdOverlay* overlay, sdOverlayKind kind, sdVec3 a, sdVec3 b,
                       const uint8_t color[4]);
/// The twelve edges of a box in a frame.
void sdOverlay_AddBox(sdOverlay* overlay, sdTransform xfEB, sdVec3 center, sdVec3 half,
                      const uint8_t color[4]);
/// About the y axis of a frame.
void sdOverlay_AddCircle(sdOverlay* overlay, sdTransform xfEB, float y, float radius,
                         const uint8_t color[4]);
/// Three great circles.
void sdOverlay_AddBall(sdOverlay* overlay, sdTransform xfEB, sdVec3 center, float radius,
                       const uint8_t color[4]);
void sdOverlay_AddHull(sdOverlay* overlay, sdTransform xfEB, const sdHull* hull,
                       const uint8_t color[4]);
/// The edges of any shape; outlines of what is round.
void sdOverlay_AddShape(sdOverlay* overlay, sdTransform xfEB, const sdShape* shape,
                        const uint8_t color[4]);

#endif
