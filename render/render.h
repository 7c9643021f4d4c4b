// SPDX-License-Identifier: MIT
// render.h - pictures of a world, without a screen and without a graphics card.
//
//     sdRenderer* renderer;
//     sdRenderer_Create(NULL, 1280, 720, &renderer);
//     sdCamera camera;
//     sdCamera_Frame(NULL, world, sdV3(0.5f, 0.4f, 1.0f), 1280.0f / 720.0f, &camera);
//     sdRenderer_Draw(renderer, world, &camera, NULL);
//     sdRenderer_WritePng(renderer, "world.png");
//     sdRenderer_Destroy(renderer);
//
// It uses EGL and OpenGL ES 3, through Mesa's software where there is nothing else. One thread at a
// time may use a renderer. The world is only read. The same world, camera and options give the same
// bytes on the same machine.

#ifndef SD_RENDER_H
#define SD_RENDER_H

#include "sudar/world.h"

SD_BEGIN_C

// ---- camera --------------------------------------------------------------------------------

typedef struct sdCamera {
    sdPos eye;
    sdPos target;      ///< what is in the middle of the picture; another place than the eye
    sdVec3 up;         ///< any direction but that of the view
    float fieldOfView; ///< rad, from the lower to the upper rim, between 0.01 and 3
} sdCamera;

/// Up is y, 40 degrees from the lower to the upper rim.
sdCamera sdCamera_LookAt(sdPos eye, sdPos target);

/// So that all bodies that can move are in view, but for the few (one in fifty) that have strayed
/// furthest. A world without any is seen around its origin.
/// @param context of the memory that this takes for a while; NULL for the default
/// @param direction from the bodies to the eye, of any length
/// @param aspect width over height
/// @return SD_ERROR_OUT_OF_MEMORY; SD_ERROR_INVALID_ARGUMENT for no direction
sdResult sdCamera_Frame(const sdContext* context, const sdWorld* world, sdVec3 direction,
                        float aspect, sdCamera* out);

/// The same with room for where bodies land that fall from where they are: for films.
sdResult sdCamera_FrameFall(const sdContext* context, const sdWorld* world, sdVec3 direction,
                            float aspect, sdCamera* out);

/// Finite, with a direction, an upright and an angle.
bool sdCamera_IsValid(const sdCamera* camera);

// ---- pictures ------------------------------------------------------------------------------

/// What a picture shows, any of these together (E2).
typedef enum sdDrawView {
    SD_VIEW_SOLID = 1 << 0,
    SD_VIEW_SHADOWS = 1 << 1,   ///< of solids
    SD_VIEW_SLEEP = 1 << 2,     ///< solids that sleep are dimmed
    SD_VIEW_ISLANDS = 1 << 3,   ///< solids have the colours of their islands
    SD_VIEW_WIREFRAME = 1 << 4, ///< edges of all shapes
    SD_VIEW_SAMPLES = 1 << 5,   ///< points with which meshes touch others; corners
    SD_VIEW_FIELD = 1 << 6,     ///< a slice through distance fields: inside green, outside red
    SD_VIEW_BOXES = 1 << 7,     ///< along the axes of the world, of bodies that are not static, as
                                ///< are all bounding volumes
    SD_VIEW_FAT_BOXES = 1 << 8, ///< as the broad phase has them
    SD_VIEW_SPHERES = 1 << 9,   ///< smallest
    SD_VIEW_OBBS = 1 << 10,     ///< oriented boxes
    SD_VIEW_KDOPS = 1 << 11,    ///< of 14 sides
    SD_VIEW_HULLS = 1 << 12,
    SD_VIEW_CELLS = 1 << 13,    ///< of the broad phase: nodes of a tree, cells of an octree
    SD_VIEW_CONTACTS = 1 << 14, ///< points on top, new ones cyan, kept ones white; normals
    SD_VIEW_JOINTS = 1 << 15,   ///< anchors, arms, axes
    SD_VIEW_CENTERS = 1 << 16,  ///< of mass, with the principal axes
    SD_VIEW_LEVELS = 1 << 17,   ///< solids have the colours of their levels of the contact graph,
                                ///< from blue on the ground to red
    SD_VIEW_COUNT = 18
} sdDrawView;

/// "solid", "shadows" ... of view 1 << index; NULL after the last.
const char* sdDrawView_Name(int index);

typedef struct sdDrawOptions {
    uint32_t views;   ///< of sdDrawView
    bool showEdges;   ///< fine dark lines on solid boxes and hulls
    bool showSensors; ///< as glass
} sdDrawOptions;

/// Solids with shadows, dimmed while they sleep; edges, sensors.
sdDrawOptions sdDrawOptions_Default(void);

typedef struct sdRenderer sdRenderer;

/// False when this was built without EGL; then sdRenderer_Create says what to install.
bool sdRenderer_IsAvailable(void);

/// @param context hooks for memory and log; NULL for the default
/// @param width,height pixels, 1 .. what the driver can do (16384 with Mesa)
/// @return SD_ERROR_LIMIT for pictures that are too large, SD_ERROR_IO where OpenGL ES 3 cannot be
///         had (the log says why)
sdResult sdRenderer_Create(const sdContext* context, int width, int height, sdRenderer** out);
/// NULL is allowed.
void sdRenderer_Destroy(sdRenderer* renderer);

/// Draw all shapes of all bodies. Hulls and meshes that are drawn are kept, and retained, until a
/// picture without them is drawn.
/// @param options NULL for the default
/// @return SD_ERROR_INVALID_ARGUMENT for a camera that is not valid
sdResult sdRenderer_Draw(sdRenderer* renderer, const sdWorld* world, const sdCamera* camera,
                         const sdDrawOptions* options);

/// Of the last picture: four bytes a pixel (red, green, blue, 255), rows from top to bottom.
/// Borrowed until the next call; NULL before the first picture.
const uint8_t* sdRenderer_GetPixels(const sdRenderer* renderer, int* width, int* height);

/// Write the last picture. The file appears under its name only when it is complete.
/// @return SD_ERROR_IO when it cannot be written (the log says why); no part of it is left then
sdResult sdRenderer_WritePng(const sdRenderer* renderer, const char* path);

/// The colour of a body, 0 .. 255 each: pleasant, and not that of its neighbours.
void sdRenderer_GetColor(sdBodyType type, sdBodyId body, uint8_t rgb[3]);

SD_END_C

#endif
