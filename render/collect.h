// SPDX-License-Identifier: MIT
// collect.h - what is to be drawn: every shape of a world as an instance of some triangles.

#ifndef SD_RENDER_COLLECT_H
#define SD_RENDER_COLLECT_H

#include "render.h"

/// How the surface of an instance is drawn.
typedef enum sdSurface {
    SD_SURFACE_PLAIN,
    SD_SURFACE_BOX_EDGES, ///< lines along the edges of a unit box, found from the coordinates
    SD_SURFACE_RIMS,      ///< lines where the edge distance of a vertex says so
    SD_SURFACE_CHECKERED  ///< squares in the shape's own frame
} sdSurface;

/// As the vertex shader reads it. Every shape is a scaled core, and a ball rolled over it: a vertex
/// stands at core * scale + radius * normal. So capsules of all sizes share their triangles.
typedef struct sdInstance {
    sdQuat rotation;
    sdVec3 position; ///< relative to the eye
    float radius;
    sdVec3 scale;
    float surface; ///< of sdSurface
    uint8_t color[4];
} sdInstance;

/// Levels of fineness of what is round.
#define SD_DETAIL_COUNT 4

/// Triangles that every renderer has, at all levels of fineness where they are round.
typedef enum sdUnitMesh {
    SD_UNIT_BOX,
    SD_UNIT_PLANE,
    SD_UNIT_SPHERE,
    SD_UNIT_CAPSULE = SD_UNIT_SPHERE + SD_DETAIL_COUNT,
    SD_UNIT_CYLINDER = SD_UNIT_CAPSULE + SD_DETAIL_COUNT,
    SD_UNIT_CONE = SD_UNIT_CYLINDER + SD_DETAIL_COUNT,
    SD_UNIT_COUNT = SD_UNIT_CONE + SD_DETAIL_COUNT
} sdUnitMesh;

/// Corners around at each level, and the radius in pixels up to which it looks round: a circle of
/// n corners and radius r is r (1 - cos(pi / n)) off at most, which stays below half a pixel.
static const struct {
    int segmentCount;
    float pixels;
} sdDetails[SD_DETAIL_COUNT] = {{4, 2.0f}, {12, 14.7f}, {24, 58.0f}, {48, FLT_MAX}};

typedef enum sdDrawGroup {
    SD_GROUP_OPAQUE,
    SD_GROUP_FLOOR, ///< after what stands on it and hides it
    SD_GROUP_GLASS, ///< sensors and walls: drawn last, without shadow
    SD_GROUP_COUNT
} sdDrawGroup;

/// One shape to be drawn.
typedef struct sdDrawItem {
    sdInstance instance;
    int mesh; ///< index of triangles: an sdUnitMesh, or what sdMeshFcn gave
    sdDrawGroup group;
    float distance; ///< from the eye, squared
    bool isMovable;
} sdDrawItem;

/// Where the triangles of hulls, meshes and loose triangles are.
/// @return index, or a negative number when there is no memory for them
typedef int sdMeshFcn(void* user, const sdShape* shape);

typedef struct sdCollector {
    sdAllocator allocator;
    sdMeshFcn* findMesh;
    void* user;
    sdDrawItem* items;
    int itemCount, itemCapacity;
    sdBodyId* bodies;
    int bodyCapacity;
    sdShapeId* shapes;
    int shapeCapacity;
} sdCollector;

/// What the shapes are seen through.
typedef struct sdView {
    sdPos eye;
    float distance;       ///< from the eye to the target, m
    float pixelsPerSlope; ///< pixels of a thing that is as large as it is far away
    float gridCell;       ///< m, side of a square of the floor
    const sdDrawOptions* options;
    const int* islands; ///< by slot of a body, SD_VIEW_ISLANDS; may be NULL
    int slotCount;
    const int* levels; ///< in the order of bodies, SD_VIEW_LEVELS; may be NULL
    int levelCount;
} sdView;

/// Fill `items` with all shapes of the world.
/// @return SD_ERROR_OUT_OF_MEMORY
sdResult sdCollector_Collect(sdCollector* collector, const sdWorld* world, const sdView* view);
void sdCollector_Free(sdCollector* collector);

#endif
