// SPDX-License-Identifier: MIT
// view_bounds.h - bounding volumes of shapes, fitted once a picture.

#ifndef SD_RENDER_VIEW_BOUNDS_H
#define SD_RENDER_VIEW_BOUNDS_H

#include "views.h"

typedef struct sdViewBounds {
    sdShape shape;
    sdBall ball;
    sdOBB obb;
    sdHull* hull; ///< NULL: flat
} sdViewBounds;

/// The volumes of a shape in its own frame, those of `flags` only.
/// @return NULL when there is no memory
const sdViewBounds* sdViews_FindBounds(sdViews* views, const sdShape* shape, uint32_t flags);
void sdViews_ForgetBounds(sdViews* views);

/// The edges of the 14-DOP, whose directions are the world's, of a shape that is turned.
bool sdViews_AddKdop(sdViews* views, const sdViewBounds* bounds, sdTransform xfES,
                     const uint8_t color[4]);

#endif
