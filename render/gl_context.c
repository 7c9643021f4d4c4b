// SPDX-License-Identifier: MIT
// gl_context.c - OpenGL ES 3 without a screen, through EGL.
//
// In:   nothing. Out: a context that draws into buffers of its own.
// Ref:  EGL_MESA_platform_surfaceless, EGL_KHR_surfaceless_context, EGL_KHR_no_config_context.
// Note: the display belongs to the process and is never terminated: other users of EGL in it may
//       hold the same one.

#include "gl.h"

#include "support.h"

#include <string.h>

static EGLDisplay getDisplay(void) {
    const char* extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    PFNEGLGETPLATFORMDISPLAYEXTPROC getPlatformDisplay =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    EGLDisplay display = EGL_NO_DISPLAY;
    if (extensions != NULL && strstr(extensions, "EGL_MESA_platform_surfaceless") != NULL &&
        getPlatformDisplay != NULL) {
        display = getPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, (void*)0, NULL);
    }
    return display != EGL_NO_DISPLAY ? display : eglGetDisplay(EGL_DEFAULT_DISPLAY);
}

sdResult sdGlContext_Create(const sdContext* context, sdGlContext* out) {
    *out = (sdGlContext){EGL_NO_DISPLAY, EGL_NO_CONTEXT};
    EGLDisplay display = getDisplay();
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL) ||
        !eglBindAPI(EGL_OPENGL_ES_API)) {
        return sdRender_Fail(context, SD_ERROR_IO,
                             "sdRenderer_Create: EGL finds nothing to draw with (error 0x%x); "
                             "install libegl-mesa0 and libgl1-mesa-dri",
                             (unsigned)eglGetError());
    }
    const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};
    out->display = display;
    out->context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
    if (out->context == EGL_NO_CONTEXT) {
        return sdRender_Fail(context, SD_ERROR_IO,
                             "sdRenderer_Create: EGL has no OpenGL ES 3 (error 0x%x)",
                             (unsigned)eglGetError());
    }
    return SD_OK;
}

void sdGlContext_Destroy(sdGlContext* gl) {
    if (gl->context != EGL_NO_CONTEXT) {
        eglDestroyContext(gl->display, gl->context);
        gl->context = EGL_NO_CONTEXT;
    }
}

bool sdGlContext_Enter(const sdGlContext* gl, sdGlScope* scope) {
    scope->display = eglGetCurrentDisplay();
    scope->draw = eglGetCurrentSurface(EGL_DRAW);
    scope->read = eglGetCurrentSurface(EGL_READ);
    scope->context = eglGetCurrentContext();
    return eglMakeCurrent(gl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, gl->context) == EGL_TRUE;
}

void sdGlContext_Leave(const sdGlContext* gl, const sdGlScope* scope) {
    if (scope->display != EGL_NO_DISPLAY) {
        eglMakeCurrent(scope->display, scope->draw, scope->read, scope->context);
    } else {
        eglMakeCurrent(gl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    }
}
