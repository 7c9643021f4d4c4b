// SPDX-License-Identifier: MIT
// render.c - pictures of a world.
//
// In:   a world, a camera, options.
// Out:  pixels: sky, bodies with shadows, glass, points and lines, in this order.
// Note: everything is relative to the eye. Items are sorted by their triangles, so that each kind
//       of triangles is drawn once for all of its instances. Samples of pixels are averaged when
//       the picture is copied to a plain buffer, from which it is read.

#include "render.h"

#include "collect.h"
#include "frame.h"
#include "gl.h"
#include "png_file.h"
#include "support.h"
#include "views.h"

#include <stdlib.h>
#include <string.h>

/// Samples a pixel.
#define SAMPLE_COUNT 4

/// Fog begins at this many distances to the target.
#define FOG_START 4.0f

/// Pixels across a point, and across a small one.
#define POINT_PIXELS 7.0f
#define DOT_PIXELS 4.0f

/// Items of the same triangles and group, one after the other.
typedef struct Batch {
    int first, count;
} Batch;

struct sdRenderer {
    sdContext context;
    sdGlContext gl;
    int width, height;
    uint8_t* pixels;
    bool hasPicture;

    GLuint programs[SD_PROGRAM_COUNT];
    sdGlMesh units[SD_UNIT_COUNT];
    sdGlCache cache; ///< its meshes are numbered after the units
    GLuint samples, sampleColor, sampleDepth;
    GLuint plain, plainColor;
    GLuint shadow, shadowMap;
    GLuint instanceBuffer, overlayArray, overlayBuffer, emptyArray;

    // of the present picture
    sdCollector collector;
    sdInstance* instances; ///< sorted by batch
    int instanceCapacity;
    Batch* batches; ///< (group, mesh)
    int batchCapacity;
    int meshCount;
    sdViews views;
};

// ---- creation ------------------------------------------------------------------------------

static sdResult createUnits(sdRenderer* r) {
    const sdShape round[] = {sdShape_Sphere(1.0f), sdShape_Capsule(1.0f, 1.0f),
                             sdShape_Cylinder(1.0f, 1.0f), sdShape_Cone(1.0f, 1.0f)};
    const int first[] = {SD_UNIT_SPHERE, SD_UNIT_CAPSULE, SD_UNIT_CYLINDER, SD_UNIT_CONE};
    const float rounding[] = {1.0f, 1.0f, 0.0f, 0.0f};

    sdShape box = sdShape_Box(1.0f, 1.0f, 1.0f), plane = sdShape_HalfSpace();
    sdResult result = sdGlMesh_Create(&r->context, &box, 4, 0.0f, &r->units[SD_UNIT_BOX]);
    if (result == SD_OK) {
        result = sdGlMesh_Create(&r->context, &plane, 4, 0.0f, &r->units[SD_UNIT_PLANE]);
    }
    for (int i = 0; i < 4 && result == SD_OK; ++i) {
        for (int k = 0; k < SD_DETAIL_COUNT && result == SD_OK; ++k) {
            result = sdGlMesh_Create(&r->context, &round[i], sdDetails[k].segmentCount, rounding[i],
                                     &r->units[first[i] + k]);
        }
    }
    return result;
}

static GLuint createStorage(GLenum format, int samples, int width, int height) {
    GLuint buffer;
    glGenRenderbuffers(1, &buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
    return buffer;
}

static void createShadowMap(sdRenderer* r) {
    glGenTextures(1, &r->shadowMap);
    glBindTexture(GL_TEXTURE_2D, r->shadowMap);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_DEPTH_COMPONENT24, SD_SHADOW_SIZE, SD_SHADOW_SIZE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    glGenFramebuffers(1, &r->shadow);
    glBindFramebuffer(GL_FRAMEBUFFER, r->shadow);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, r->shadowMap, 0);
}

static sdResult createTargets(sdRenderer* r) {
    GLint limit = 0, viewport[2] = {0, 0}, samples = 1;
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &limit);
    glGetIntegerv(GL_MAX_VIEWPORT_DIMS, viewport);
    glGetIntegerv(GL_MAX_SAMPLES, &samples);
    samples = samples < SAMPLE_COUNT ? samples : SAMPLE_COUNT;
    limit = sdMinI(limit, sdMinI(viewport[0], viewport[1]));
    if (r->width > limit || r->height > limit) {
        return sdRender_Fail(&r->context, SD_ERROR_LIMIT,
                             "sdRenderer_Create: %d x %d pixels, but at most %d x %d can be drawn "
                             "here",
                             r->width, r->height, limit, limit);
    }
    r->sampleColor = createStorage(GL_RGBA8, samples, r->width, r->height);
    r->sampleDepth = createStorage(GL_DEPTH_COMPONENT24, samples, r->width, r->height);
    glGenFramebuffers(1, &r->samples);
    glBindFramebuffer(GL_FRAMEBUFFER, r->samples);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                              r->sampleColor);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, r->sampleDepth);
    GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);

    r->plainColor = createStorage(GL_RGBA8, 0, r->width, r->height);
    glGenFramebuffers(1, &r->plain);
    glBindFramebuffer(GL_FRAMEBUFFER, r->plain);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, r->plainColor);
    createShadowMap(r);
    if (status != GL_FRAMEBUFFER_COMPLETE ||
        glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE ||
        glGetError() == GL_OUT_OF_MEMORY) {
        return sdRender_Fail(&r->context, SD_ERROR_LIMIT,
                             "sdRenderer_Create: the driver has no buffers for %d x %d pixels",
                             r->width, r->height);
    }
    return SD_OK;
}

static void createOverlay(sdRenderer* r) {
    glGenBuffers(1, &r->instanceBuffer);
    glGenVertexArrays(1, &r->emptyArray);
    glGenVertexArrays(1, &r->overlayArray);
    glGenBuffers(1, &r->overlayBuffer);
    glBindVertexArray(r->overlayArray);
    glBindBuffer(GL_ARRAY_BUFFER, r->overlayBuffer);
    glEnableVertexAttribArray(SD_ATTRIBUTE_CORE);
    glEnableVertexAttribArray(SD_ATTRIBUTE_COLOR);
    glVertexAttribPointer(SD_ATTRIBUTE_CORE, 3, GL_FLOAT, GL_FALSE, sizeof(sdOverlayVertex),
                          (const void*)offsetof(sdOverlayVertex, position));
    glVertexAttribPointer(SD_ATTRIBUTE_COLOR, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(sdOverlayVertex),
                          (const void*)offsetof(sdOverlayVertex, color));
    glBindVertexArray(0);
}

static sdResult createAll(sdRenderer* r) {
    sdResult result = createTargets(r);
    for (int i = 0; i < SD_PROGRAM_COUNT && result == SD_OK; ++i) {
        result = sdProgram_Create(&r->context, (sdProgramKind)i, &r->programs[i]);
    }
    createOverlay(r);
    return result == SD_OK ? createUnits(r) : result;
}

static size_t pixelSize(const sdRenderer* r) {
    return (size_t)r->width * (size_t)r->height * 4;
}

// ---- sorting -------------------------------------------------------------------------------

static int findCached(void* user, const sdShape* shape) {
    sdRenderer* r = user;
    int index = sdGlCache_Find(&r->cache, shape);
    return index < 0 ? index : SD_UNIT_COUNT + index;
}

static const sdGlMesh* getMesh(const sdRenderer* r, int index) {
    return index < SD_UNIT_COUNT ? &r->units[index]
                                 : sdGlCache_Get(&r->cache, index - SD_UNIT_COUNT);
}

static float getRadius(const void* user, int mesh) {
    return getMesh(user, mesh)->radius;
}

static int compareItems(const void* a, const void* b) {
    const sdDrawItem *x = a, *y = b;
    if (x->group != y->group) {
        return x->group < y->group ? -1 : 1;
    }
    if (x->mesh != y->mesh) {
        return x->mesh < y->mesh ? -1 : 1;
    }
    return (x->distance > y->distance) - (x->distance < y->distance);
}

/// Collected items to instances, sorted by group and triangles; the nearest first, so that little
/// is drawn that is hidden later.
static bool sortItems(sdRenderer* r) {
    sdCollector* c = &r->collector;
    r->meshCount = SD_UNIT_COUNT + r->cache.count;
    int batchCount = r->meshCount * SD_GROUP_COUNT;
    if (!sdRender_Reserve(&r->context.allocator, (void**)&r->batches, &r->batchCapacity, batchCount,
                          sizeof *r->batches) ||
        !sdRender_Reserve(&r->context.allocator, (void**)&r->instances, &r->instanceCapacity,
                          c->itemCount, sizeof *r->instances)) {
        return false;
    }
    memset(r->batches, 0, (size_t)batchCount * sizeof *r->batches);
    if (c->itemCount > 0) {
        qsort(c->items, (size_t)c->itemCount, sizeof *c->items, compareItems);
    }
    for (int i = 0; i < c->itemCount; ++i) {
        Batch* batch = &r->batches[(int)c->items[i].group * r->meshCount + c->items[i].mesh];
        batch->first = batch->count == 0 ? i : batch->first;
        ++batch->count;
        r->instances[i] = c->items[i].instance;
    }
    return true;
}

// ---- passes --------------------------------------------------------------------------------

static GLint uniform(const sdRenderer* r, sdProgramKind kind, const char* name) {
    return glGetUniformLocation(r->programs[kind], name);
}

static void bindInstances(const sdRenderer* r, int first) {
    const GLsizei stride = sizeof(sdInstance);
    size_t base = (size_t)first * sizeof(sdInstance);
    glBindBuffer(GL_ARRAY_BUFFER, r->instanceBuffer);
    glVertexAttribPointer(SD_ATTRIBUTE_ROTATION, 4, GL_FLOAT, GL_FALSE, stride,
                          (const void*)(base + offsetof(sdInstance, rotation)));
    glVertexAttribPointer(SD_ATTRIBUTE_PLACE, 4, GL_FLOAT, GL_FALSE, stride,
                          (const void*)(base + offsetof(sdInstance, position)));
    glVertexAttribPointer(SD_ATTRIBUTE_SCALE, 4, GL_FLOAT, GL_FALSE, stride,
                          (const void*)(base + offsetof(sdInstance, scale)));
    glVertexAttribPointer(SD_ATTRIBUTE_COLOR, 4, GL_UNSIGNED_BYTE, GL_TRUE, stride,
                          (const void*)(base + offsetof(sdInstance, color)));
}

static void drawGroup(const sdRenderer* r, sdDrawGroup group) {
    for (int i = 0; i < r->meshCount; ++i) {
        const Batch* batch = &r->batches[(int)group * r->meshCount + i];
        const sdGlMesh* mesh = getMesh(r, i);
        if (batch->count == 0) {
            continue;
        }
        if (mesh->isClosed) {
            glEnable(GL_CULL_FACE);
        } else {
            glDisable(GL_CULL_FACE);
        }
        glBindVertexArray(mesh->array);
        bindInstances(r, batch->first);
        glDrawElementsInstanced(GL_TRIANGLES, mesh->indexCount, GL_UNSIGNED_INT, NULL,
                                batch->count);
    }
    glBindVertexArray(0);
    glDisable(GL_CULL_FACE);
}

static void drawShadows(const sdRenderer* r, const sdFrame* f) {
    glBindFramebuffer(GL_FRAMEBUFFER, r->shadow);
    glViewport(0, 0, SD_SHADOW_SIZE, SD_SHADOW_SIZE);
    glEnable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
    glClear(GL_DEPTH_BUFFER_BIT);
    if (f->shadowTexel > 0.0f) {
        glUseProgram(r->programs[SD_PROGRAM_SHADOW]);
        glUniformMatrix4fv(uniform(r, SD_PROGRAM_SHADOW, "clipFromEye"), 1, GL_FALSE,
                           f->shadowClipFromEye.m);
        // floors would only fill the map; a slope is pushed back by what it rises in a texel
        glEnable(GL_POLYGON_OFFSET_FILL);
        glPolygonOffset(1.5f, 2.0f);
        drawGroup(r, SD_GROUP_OPAQUE);
        glDisable(GL_POLYGON_OFFSET_FILL);
    }
}

static void drawSky(const sdRenderer* r, const sdFrame* f) {
    glBindFramebuffer(GL_FRAMEBUFFER, r->samples);
    glViewport(0, 0, r->width, r->height);
    glClear(GL_DEPTH_BUFFER_BIT);
    glDisable(GL_DEPTH_TEST);
    glUseProgram(r->programs[SD_PROGRAM_SKY]);
    sdVec3 right = sdScale(f->tanX, f->right), up = sdScale(f->tanY, f->up), ahead = sdNeg(f->back);
    glUniform3fv(uniform(r, SD_PROGRAM_SKY, "corner"), 1, &ahead.x);
    glUniform3fv(uniform(r, SD_PROGRAM_SKY, "right"), 1, &right.x);
    glUniform3fv(uniform(r, SD_PROGRAM_SKY, "up"), 1, &up.x);
    glBindVertexArray(r->emptyArray);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

/// Make the program for bodies, floors or glass the current one, with all that it wants to know.
static void useProgram(const sdRenderer* r, const sdFrame* f, sdProgramKind kind) {
    // from -1 .. 1 to the coordinates of a texture, 0 .. 1
    sdMat44 half = sdMat44_FromRows(sdV3(0.5f, 0.0f, 0.0f), sdV3(0.0f, 0.5f, 0.0f),
                                    sdV3(0.0f, 0.0f, 0.5f), sdV3(0.5f, 0.5f, 0.5f));
    sdMat44 shadow = sdMat44_Mul(half, f->shadowClipFromEye);
    glUseProgram(r->programs[kind]);
    glUniformMatrix4fv(uniform(r, kind, "clipFromEye"), 1, GL_FALSE, f->clipFromEye.m);
    glUniformMatrix4fv(uniform(r, kind, "shadowFromEye"), 1, GL_FALSE, shadow.m);
    glUniform3fv(uniform(r, kind, "light"), 1, &f->light.x);
    glUniform1f(uniform(r, kind, "shadowTexel"), f->shadowTexel);
    glUniform1f(uniform(r, kind, "pixel"), 1.0f / f->view.pixelsPerSlope);
    glUniform1f(uniform(r, kind, "gridCell"), f->view.gridCell);
    glUniform1f(uniform(r, kind, "fogStart"), FOG_START * f->view.distance);
    glUniform1i(uniform(r, kind, "shadowMap"), 0);
}

static void drawBodies(const sdRenderer* r, const sdFrame* f) {
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, r->shadowMap);
    glEnable(GL_DEPTH_TEST);
    useProgram(r, f, SD_PROGRAM_BODY);
    drawGroup(r, SD_GROUP_OPAQUE);
    useProgram(r, f, SD_PROGRAM_FLOOR);
    drawGroup(r, SD_GROUP_FLOOR);

    glDepthMask(GL_FALSE);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    useProgram(r, f, SD_PROGRAM_GLASS);
    drawGroup(r, SD_GROUP_GLASS);
    glDisable(GL_BLEND);
    glDepthMask(GL_TRUE);
}

// ---- overlay -------------------------------------------------------------------------------

static void drawOverlay(const sdRenderer* r, const sdFrame* f) {
    static const struct {
        sdOverlayKind kind;
        GLenum mode;
        bool isHidden; ///< by what is nearer
    } passes[] = {{SD_OVERLAY_TRIANGLES, GL_TRIANGLES, true},
                  {SD_OVERLAY_LINES, GL_LINES, true},
                  {SD_OVERLAY_DOTS, GL_POINTS, true},
                  {SD_OVERLAY_TOP_LINES, GL_LINES, false},
                  {SD_OVERLAY_POINTS, GL_POINTS, false}};
    const sdProgramKind kind = SD_PROGRAM_OVERLAY;
    glUseProgram(r->programs[kind]);
    glUniformMatrix4fv(uniform(r, kind, "clipFromEye"), 1, GL_FALSE, f->clipFromEye.m);
    glBindVertexArray(r->overlayArray);
    glBindBuffer(GL_ARRAY_BUFFER, r->overlayBuffer);
    for (int i = 0; i < SD_OVERLAY_COUNT; ++i) {
        const sdOverlay* o = &r->views.overlay;
        int count = o->count[passes[i].kind];
        if (count == 0) {
            continue;
        }
        if (passes[i].isHidden) {
            glEnable(GL_DEPTH_TEST);
        } else {
            glDisable(GL_DEPTH_TEST);
        }
        glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((size_t)count * sizeof(sdOverlayVertex)),
                     o->vertices[passes[i].kind], GL_STREAM_DRAW);
        glUniform1f(uniform(r, kind, "pointSize"),
                    passes[i].kind == SD_OVERLAY_DOTS ? DOT_PIXELS : POINT_PIXELS);
        glUniform1i(uniform(r, kind, "isPoint"), passes[i].mode == GL_POINTS);
        glDrawArrays(passes[i].mode, 0, count);
    }
    glBindVertexArray(0);
}

// ---- picture -------------------------------------------------------------------------------

/// Average the samples and read the picture, whose rows OpenGL counts from below.
static void readPixels(sdRenderer* r) {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, r->samples);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, r->plain);
    glBlitFramebuffer(0, 0, r->width, r->height, 0, 0, r->width, r->height, GL_COLOR_BUFFER_BIT,
                      GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, r->plain);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    size_t stride = (size_t)r->width * 4;
    glReadPixels(0, 0, r->width, r->height, GL_RGBA, GL_UNSIGNED_BYTE, r->pixels);
    for (int y = 0; y < r->height / 2; ++y) {
        uint8_t* a = &r->pixels[(size_t)y * stride];
        uint8_t* b = &r->pixels[(size_t)(r->height - 1 - y) * stride];
        for (size_t i = 0; i < stride; ++i) {
            uint8_t kept = a[i];
            a[i] = b[i];
            b[i] = kept;
        }
    }
}

static sdResult drawAll(sdRenderer* r, const sdWorld* world, const sdCamera* camera,
                        const sdDrawOptions* options) {
    sdFrame f = sdFrame_Make(camera, r->width, r->height, options);
    bool ok = !(options->views & SD_VIEW_ISLANDS) ||
              sdViews_FindIslands(&r->views, world, &f.view.islands, &f.view.slotCount) == SD_OK;
    if (ok && (options->views & SD_VIEW_LEVELS)) {
        ok = sdViews_FindLevels(&r->views, world, &f.view.levels, &f.view.levelCount) == SD_OK;
    }
    if (!ok || sdViews_Fill(&r->views, world, &f.view) != SD_OK ||
        sdCollector_Collect(&r->collector, world, &f.view) != SD_OK || !sortItems(r)) {
        return sdRender_Fail(&r->context, SD_ERROR_OUT_OF_MEMORY,
                             "sdRenderer_Draw: no memory for %d bodies",
                             sdWorld_GetBodies(world, NULL, 0));
    }
    sdFrame_FitShadow(&f, r->collector.items, r->collector.itemCount, getRadius, r);
    glBindBuffer(GL_ARRAY_BUFFER, r->instanceBuffer);
    glBufferData(GL_ARRAY_BUFFER,
                 (GLsizeiptr)((size_t)r->collector.itemCount * sizeof *r->instances), r->instances,
                 GL_STREAM_DRAW);
    drawShadows(r, &f);
    drawSky(r, &f);
    drawBodies(r, &f);
    drawOverlay(r, &f);
    readPixels(r);
    r->hasPicture = true;
    return SD_OK;
}

// ---- public --------------------------------------------------------------------------------

bool sdRenderer_IsAvailable(void) {
    return true;
}

sdResult sdRenderer_Create(const sdContext* context, int width, int height, sdRenderer** out) {
    sdContext ctx = sdRender_GetContext(context);
    if (out == NULL || width < 1 || height < 1) {
        return sdRender_Fail(&ctx, SD_ERROR_INVALID_ARGUMENT,
                             "sdRenderer_Create: out is NULL, or %d x %d pixels are too few", width,
                             height);
    }
    *out = NULL;
    sdRenderer* r = sdRender_Alloc(&ctx.allocator, sizeof *r);
    if (r == NULL) {
        return sdRender_Fail(&ctx, SD_ERROR_OUT_OF_MEMORY, "sdRenderer_Create: no memory");
    }
    r->context = ctx;
    r->width = width;
    r->height = height;
    r->cache.context = ctx;
    r->collector.allocator = ctx.allocator;
    r->collector.findMesh = findCached;
    r->collector.user = r;
    r->views.context = ctx;
    r->views.overlay.allocator = ctx.allocator;

    sdGlScope scope;
    sdResult result = sdGlContext_Create(&ctx, &r->gl);
    if (result == SD_OK && !sdGlContext_Enter(&r->gl, &scope)) {
        result = sdRender_Fail(&ctx, SD_ERROR_IO,
                               "sdRenderer_Create: EGL refuses its own context (error 0x%x)",
                               (unsigned)eglGetError());
    } else if (result == SD_OK) {
        result = createAll(r);
        sdGlContext_Leave(&r->gl, &scope);
    }
    if (result == SD_OK) {
        r->pixels = sdRender_Alloc(&ctx.allocator, pixelSize(r));
        if (r->pixels == NULL) {
            result =
                sdRender_Fail(&ctx, SD_ERROR_OUT_OF_MEMORY,
                              "sdRenderer_Create: no memory for %d x %d pixels", width, height);
        }
    }
    if (result != SD_OK) {
        sdRenderer_Destroy(r);
        return result;
    }
    *out = r;
    return SD_OK;
}

void sdRenderer_Destroy(sdRenderer* r) {
    if (r == NULL) {
        return;
    }
    sdGlScope scope;
    const sdAllocator* allocator = &r->context.allocator;
    // hulls and meshes are released even where the driver is gone
    bool isCurrent = r->gl.context != EGL_NO_CONTEXT && sdGlContext_Enter(&r->gl, &scope);
    sdGlCache_Free(&r->cache);
    if (isCurrent) {
        sdGlContext_Leave(&r->gl, &scope);
    }
    // the rest of what the driver holds goes with its context
    sdGlContext_Destroy(&r->gl);
    sdCollector_Free(&r->collector);
    sdRender_Free(allocator, r->instances, (size_t)r->instanceCapacity * sizeof *r->instances);
    sdRender_Free(allocator, r->batches, (size_t)r->batchCapacity * sizeof *r->batches);
    sdViews_Free(&r->views);
    sdRender_Free(allocator, r->pixels, pixelSize(r));
    sdAllocator last = *allocator;
    sdRender_Free(&last, r, sizeof *r);
}

sdResult sdRenderer_Draw(sdRenderer* r, const sdWorld* world, const sdCamera* camera,
                         const sdDrawOptions* options) {
    if (r == NULL || world == NULL || camera == NULL) {
        sdContext ctx = sdContext_Default();
        return sdRender_Fail(r != NULL ? &r->context : &ctx, SD_ERROR_INVALID_ARGUMENT,
                             "sdRenderer_Draw: a renderer, a world and a camera are needed");
    }
    if (!sdCamera_IsValid(camera)) {
        return sdRender_Fail(&r->context, SD_ERROR_INVALID_ARGUMENT,
                             "sdRenderer_Draw: the camera needs finite numbers, another target "
                             "than its eye, an upright across the view and an angle of 0.01 .. 3");
    }
    sdDrawOptions own = options != NULL ? *options : sdDrawOptions_Default();
    sdGlScope scope;
    if (!sdGlContext_Enter(&r->gl, &scope)) {
        return sdRender_Fail(&r->context, SD_ERROR_IO,
                             "sdRenderer_Draw: EGL refuses its own context (error 0x%x)",
                             (unsigned)eglGetError());
    }
    sdResult result = drawAll(r, world, camera, &own);
    sdGlCache_EndPicture(&r->cache);
    sdGlContext_Leave(&r->gl, &scope);
    return result;
}

const uint8_t* sdRenderer_GetPixels(const sdRenderer* r, int* width, int* height) {
    bool isThere = r != NULL && r->hasPicture;
    if (width != NULL) {
        *width = isThere ? r->width : 0;
    }
    if (height != NULL) {
        *height = isThere ? r->height : 0;
    }
    return isThere ? r->pixels : NULL;
}

sdResult sdRenderer_WritePng(const sdRenderer* r, const char* path) {
    if (r == NULL || path == NULL || !r->hasPicture) {
        sdContext ctx = sdContext_Default();
        return sdRender_Fail(r != NULL ? &r->context : &ctx, SD_ERROR_INVALID_ARGUMENT,
                             "sdRenderer_WritePng: a renderer, a picture drawn by it and a path "
                             "are needed");
    }
    return sdWritePng(&r->context, path, r->pixels, r->width, r->height);
}
