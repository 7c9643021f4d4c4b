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

/// Finite, with a direction, an upright and an angle.
bool sdCamera_IsValid(const sdCamera* camera);

// ---- pictures ------------------------------------------------------------------------------

typedef struct sdDrawOptions {
    bool enableShadows;
    bool showEdges;    ///< fine dark lines on boxes and hulls
    bool showContacts; ///< points on top of everything, new ones cyan, kept ones white; normals
    bool showSensors;  ///< as glass
    bool dimSleeping;
} sdDrawOptions;

/// Everything but contacts.
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
