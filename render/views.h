// SPDX-License-Identifier: MIT
// views.h - what a picture explains besides the bodies: everything of sdDrawView that is drawn with
// points, lines and loose triangles, and the colours of islands.

#ifndef SD_RENDER_VIEWS_H
#define SD_RENDER_VIEWS_H

#include "collect.h"
#include "overlay.h"

typedef struct sdViews {
    sdContext context;
    sdOverlay overlay;
    // kept from picture to picture
    sdContactInfo* contacts;
    int contactCapacity;
    sdBodyId* bodies;
    int bodyCapacity;
    sdShapeId* shapes;
    int shapeCapacity;
    sdVec3* points;
    int pointCapacity;
    int* groups; ///< of bodies, by slot: union-find of islands
    int groupCapacity;
    int* levels; ///< of bodies, in their order
    int levelCapacity;
    struct sdViewBounds* bounds; ///< of shapes, of the present picture
    int boundsCount, boundsCapacity;
} sdViews;

/// Fill the overlay for a picture.
/// @return SD_ERROR_OUT_OF_MEMORY
sdResult sdViews_Fill(sdViews* views, const sdWorld* world, const sdView* view);
void sdViews_Free(sdViews* views);

/// Levels of the contact graph, in the order of bodies.
/// @param count receives one more than the highest
sdResult sdViews_FindLevels(sdViews* views, const sdWorld* world, const int** levels, int* count);

/// Find which bodies touch each other, directly or through others.
/// @param groups receives a number for each body's slot, the same for those of one island
/// @param count receives how many slots there are
sdResult sdViews_FindIslands(sdViews* views, const sdWorld* world, const int** groups, int* count);

#endif
