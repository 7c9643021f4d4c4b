// SPDX-License-Identifier: MIT
// flat.h - demonstrations in the plane (E5): shapes of planar.h that move about a room.
//
// What is drawn are pieces: convex shapes, one or more of which move together. Rows of numbers are
// those of view.h, with z = 0, so that a page draws a plane as it draws a world.

#ifndef SD_WEB_FLAT_H
#define SD_WEB_FLAT_H

#include "explain.h"

SD_BEGIN_C

typedef struct sdFlatScene {
    const char *name, *title, *text, *sizeName;
    int size, minSize, maxSize;
    float dt;
    float halfWidth, halfHeight; ///< of what is to be seen, m
} sdFlatScene;

int sdFlatScene_GetCount(void);
/// NULL for an index that is not there.
const sdFlatScene* sdFlatScene_Get(int index);

typedef struct sdFlat sdFlat;

/// @param size 0: the scene's own
/// @return SD_ERROR_OUT_OF_MEMORY; SD_ERROR_INVALID_ARGUMENT for a scene or size that is not there
sdResult sdFlat_Create(const sdContext* context, int scene, int size, sdFlat** out);
/// NULL is allowed.
void sdFlat_Destroy(sdFlat* flat);

void sdFlat_Step(sdFlat* flat);

/// All that changes with time: to be given back by sdFlat_SetState.
int sdFlat_GetState(const sdFlat* flat, float* out, int capacity);
/// @return SD_ERROR_INVALID_ARGUMENT for another number of values than sdFlat_GetState gave
sdResult sdFlat_SetState(sdFlat* flat, const float* values, int count);
uint32_t sdFlat_GetHash(const sdFlat* flat);

int sdFlat_GetPieceCount(const sdFlat* flat);
/// The same for pieces that look the same.
uint32_t sdFlat_GetShapeKey(const sdFlat* flat, int piece);
int sdFlat_GetTriangles(const sdFlat* flat, int piece, float* out, int capacity);
int sdFlat_GetPoses(const sdFlat* flat, float* out, int capacity);
int sdFlat_GetContacts(const sdFlat* flat, float* out, int capacity);
/// Outlines of all pieces and the rim of the room, as sdView_GetLines gives lines.
int sdFlat_GetLines(const sdFlat* flat, float* out, int capacity);
int sdFlat_GetBoxes(const sdFlat* flat, float* out, int capacity);

typedef struct sdFlatFigures {
    int hitCount;      ///< of bullets that look ahead
    int passCount;     ///< walls that such bullets have passed: none
    int blindHitCount; ///< of bullets that look only where they have come to
    int blindPassCount;
    float maxPenetration; ///< m
} sdFlatFigures;

sdFlatFigures sdFlat_GetFigures(const sdFlat* flat);

/// The movable piece at a place; -1: none.
int sdFlat_Pick(const sdFlat* flat, float x, float y);

/// Move a piece, with all that move with it, so that a point of it comes to a place; it rests
/// there.
void sdFlat_Pull(sdFlat* flat, int piece, float localX, float localY, float x, float y);

/// @return SD_ERROR_INVALID_ARGUMENT for a piece that is not there
sdResult sdFlat_Explain(const sdContext* context, const sdFlat* flat, int a, int b,
                        sdExplainMethod method, sdExplanation** out);

SD_END_C

#endif
