// SPDX-License-Identifier: MIT
// missing.c - the renderer of a build without EGL, OpenGL ES 3 or libpng: it says what to install.

#include "render.h"

#include "support.h"

bool sdRenderer_IsAvailable(void) {
    return false;
}

sdResult sdRenderer_Create(const sdContext* context, int width, int height, sdRenderer** out) {
    (void)width;
    (void)height;
    sdContext ctx = sdRender_GetContext(context);
    if (out != NULL) {
        *out = NULL;
    }
    return sdRender_Fail(&ctx, SD_ERROR_IO,
                         "this build cannot draw: install libegl-dev libgles-dev libegl-mesa0 "
                         "libgl1-mesa-dri libpng-dev (Debian's names), then configure and build "
                         "again");
}

void sdRenderer_Destroy(sdRenderer* renderer) {
    (void)renderer;
}

sdResult sdRenderer_Draw(sdRenderer* renderer, const sdWorld* world, const sdCamera* camera,
                         const sdDrawOptions* options) {
    (void)world;
    (void)camera;
    (void)options;
    return sdRenderer_Create(NULL, 0, 0, &renderer);
}

const uint8_t* sdRenderer_GetPixels(const sdRenderer* renderer, int* width, int* height) {
    (void)renderer;
    if (width != NULL) {
        *width = 0;
    }
    if (height != NULL) {
        *height = 0;
    }
    return NULL;
}

sdResult sdRenderer_WritePng(const sdRenderer* renderer, const char* path) {
    (void)renderer;
    (void)path;
    return sdRenderer_Create(NULL, 0, 0, NULL);
}
