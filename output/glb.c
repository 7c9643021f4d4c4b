// SPDX-License-Identifier: MIT
// glb.c - a run as an animated glTF file.
//
// In:   a world, frame by frame.
// Out:  one binary file: JSON, then vertices, triangles and tracks.
// Ref:  glTF 2.0 specification, section 4 (GLB).
// Note: a track ends where its body comes to rest for good, and bodies that never move have none:
//       viewers hold the last key.

#include "glb.h"

#include "bytes.h"
#include "glb_parts.h"

#include <math.h>
#include <string.h>

#define GLB_MAGIC 0x46546C67u
#define GLB_JSON 0x4E4F534Au
#define GLB_BIN 0x004E4942u

/// A file's sizes are 32-bit numbers.
#define MAX_BYTES ((size_t)0xFFFFFF00u)

/// Translation and rotation of a body in a frame.
typedef struct Key {
    float t[3];
    float q[4];
} Key;

struct sdGlbWriter {
    sdGlbParts parts;
    sdBodyId* bodies;
    int bodyCount;
    sdByteArray times; ///< float
    sdByteArray keys;  ///< Key: frame by frame, body by body
    int frameCount;
    sdByteArray file; ///< when it was asked for
};

static sdResult failMemory(const sdGlbWriter* w) {
    return sdRender_Fail(&w->parts.context, SD_ERROR_OUT_OF_MEMORY, "no memory for an animation");
}

// ---- bodies --------------------------------------------------------------------------------

sdResult sdGlbWriter_Create(const sdContext* context, const sdWorld* world, const char* title,
                            sdGlbWriter** out) {
    *out = NULL;
    sdContext ctx = sdRender_GetContext(context);
    sdGlbWriter* w = sdOutput_Alloc(&ctx, sizeof *w);
    if (w == NULL) {
        return sdRender_Fail(&ctx, SD_ERROR_OUT_OF_MEMORY, "no memory for an animation");
    }
    w->parts.context = ctx;
    w->bodyCount = sdWorld_GetBodies(world, NULL, 0);
    w->bodies = sdOutput_Alloc(&ctx, (size_t)w->bodyCount * sizeof *w->bodies);
    sdResult result = w->bodies != NULL ? SD_OK : failMemory(w);
    if (result == SD_OK) {
        sdWorld_GetBodies(world, w->bodies, w->bodyCount);
        result = sdGlbParts_Build(&w->parts, world, w->bodies, w->bodyCount, title);
    }
    if (result != SD_OK) {
        sdGlbWriter_Destroy(w);
        return result;
    }
    *out = w;
    return SD_OK;
}

void sdGlbWriter_Destroy(sdGlbWriter* w) {
    if (w == NULL) {
        return;
    }
    sdContext ctx = w->parts.context;
    sdOutput_Free(&ctx, w->bodies, (size_t)w->bodyCount * sizeof *w->bodies);
    sdByteArray_Free(&w->times, &ctx);
    sdByteArray_Free(&w->keys, &ctx);
    sdByteArray_Free(&w->file, &ctx);
    sdGlbParts_Free(&w->parts);
    sdOutput_Free(&ctx, w, sizeof *w);
}

// ---- frames --------------------------------------------------------------------------------

static const Key* getKey(const sdGlbWriter* w, int frame, int body) {
    const Key* keys = (const Key*)(const void*)w->keys.data;
    return &keys[(size_t)frame * (size_t)w->bodyCount + (size_t)body];
}

sdResult sdGlbWriter_AddFrame(sdGlbWriter* w, const sdWorld* world, double time) {
    const sdContext* ctx = &w->parts.context;
    float t = (float)time;
    sdByteArray_Add(&w->times, ctx, &t, sizeof t);
    for (int i = 0; i < w->bodyCount; ++i) {
        const Key* last = w->frameCount > 0 ? getKey(w, w->frameCount - 1, i) : NULL;
        Key key = last != NULL ? *last : (Key){{NAN, NAN, NAN}, {0.0f, 0.0f, 0.0f, 1.0f}};
        if (sdBody_IsValid(world, w->bodies[i])) {
            sdWorldTransform xf = sdBody_GetTransform(world, w->bodies[i]);
            key = (Key){{(float)xf.p.x, (float)xf.p.y, (float)xf.p.z},
                        {xf.q.v.x, xf.q.v.y, xf.q.v.z, xf.q.s}};
        }
        // q and -q are one rotation: the nearer one makes the short way between two keys
        if (last != NULL) {
            float dot = 0.0f;
            for (int k = 0; k < 4; ++k) {
                dot += key.q[k] * last->q[k];
            }
            for (int k = 0; k < 4 && dot < 0.0f; ++k) {
                key.q[k] = -key.q[k];
            }
        }
        sdByteArray_Add(&w->keys, ctx, &key, sizeof key);
    }
    if (w->times.isBroken || w->keys.isBroken) {
        return failMemory(w);
    }
    if (w->keys.count > MAX_BYTES) {
        return sdRender_Fail(ctx, SD_ERROR_LIMIT,
                             "%d frames of %d bodies are more than a glTF file can hold; ask for "
                             "fewer frames a second",
                             w->frameCount + 1, w->bodyCount);
    }
    ++w->frameCount;
    return SD_OK;
}

/// Keys until it rests for good; 1: it never moves.
static int countKeys(const sdGlbWriter* w, int body) {
    int count = w->frameCount;
    while (count > 1 &&
           memcmp(getKey(w, count - 1, body), getKey(w, count - 2, body), sizeof(Key)) == 0) {
        --count;
    }
    return count;
}

// ---- tracks --------------------------------------------------------------------------------

/// The accessor of the first `count` times; made once each.
static int timeAccessor(sdGlbWriter* w, int* accessors, int view, int count) {
    if (accessors[count] == 0) {
        const float* times = (const float*)(const void*)w->times.data;
        accessors[count] = 1 + sdGlbParts_AddAccessor(&w->parts, view, SD_GLB_SCALARS, count,
                                                      &times[0], &times[count - 1]);
    }
    return accessors[count] - 1;
}

static void addTrack(sdGlbWriter* w, sdByteArray* samplers, sdByteArray* channels, int body,
                     int times, int count) {
    sdGlbParts* p = &w->parts;
    for (int part = 0; part < 2; ++part) {
        int view = sdGlbParts_BeginView(p, 0);
        for (int i = 0; i < count; ++i) {
            const Key* key = getKey(w, i, body);
            sdGlbParts_AddBytes(p, part == 0 ? key->t : key->q,
                                part == 0 ? sizeof key->t : sizeof key->q);
        }
        sdGlbParts_EndView(p);
        int values = sdGlbParts_AddAccessor(p, view, part == 0 ? SD_GLB_VECTORS : SD_GLB_ROTATIONS,
                                            count, NULL, NULL);
        bool isFirst = channels->count == 0;
        sdGlb_Print(p, samplers, "%s{\"input\":%d,\"output\":%d}", isFirst ? "" : ",", times,
                    values);
        sdGlb_Print(p, channels, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}",
                    isFirst ? "" : ",", p->samplerCount++, p->firstBodyNode + body,
                    part == 0 ? "translation" : "rotation");
    }
}

static sdResult addTracks(sdGlbWriter* w, sdByteArray* samplers, sdByteArray* channels) {
    sdGlbParts* p = &w->parts;
    size_t size = ((size_t)w->frameCount + 1) * sizeof(int);
    int* accessors = sdOutput_Alloc(&p->context, size);
    if (accessors == NULL) {
        return failMemory(w);
    }
    int view = -1;
    for (int i = 0; i < w->bodyCount; ++i) {
        int count = countKeys(w, i);
        if (count < 2) {
            continue;
        }
        if (view < 0) {
            view = sdGlbParts_BeginView(p, 0);
            sdGlbParts_AddBytes(p, w->times.data, w->times.count);
            sdGlbParts_EndView(p);
            // one of them goes on to the end, so that the whole lasts as long as the run
            count = w->frameCount;
        }
        addTrack(w, samplers, channels, i, timeAccessor(w, accessors, view, count), count);
    }
    sdOutput_Free(&p->context, accessors, size);
    return SD_OK;
}

// ---- file ----------------------------------------------------------------------------------

static void putChunks(const sdByteArray* json, const sdByteArray* bin, const sdContext* context,
                      sdByteArray* out) {
    size_t jsonSize = (json->count + 3) / 4 * 4, binSize = (bin->count + 3) / 4 * 4;
    uint32_t head[5] = {GLB_MAGIC, 2, (uint32_t)(28 + jsonSize + binSize), (uint32_t)jsonSize,
                        GLB_JSON};
    uint32_t middle[2] = {(uint32_t)binSize, GLB_BIN};
    sdByteArray_Add(out, context, head, sizeof head);
    sdByteArray_Add(out, context, json->data, json->count);
    sdByteArray_Add(out, context, "   ", jsonSize - json->count);
    sdByteArray_Add(out, context, middle, sizeof middle);
    sdByteArray_Add(out, context, bin->data, bin->count);
    sdByteArray_Add(out, context, "\0\0\0", binSize - bin->count);
}

/// A body that came later stands where it will come, one that is gone where it was last.
static void fillGaps(sdGlbWriter* w) {
    Key* keys = (Key*)(void*)w->keys.data;
    size_t row = (size_t)w->bodyCount;
    for (size_t i = row * (size_t)w->frameCount; i-- > 0;) {
        if (isnan(keys[i].t[0]) && i + row < row * (size_t)w->frameCount) {
            keys[i] = keys[i + row];
        }
    }
}

const sdContext* sdGlbWriter_GetContext(const sdGlbWriter* w) {
    return &w->parts.context;
}

sdResult sdGlbWriter_Finish(sdGlbWriter* w) {
    sdGlbParts* p = &w->parts;
    sdByteArray samplers = {0}, channels = {0}, json = {0};
    if (w->file.count > 0) {
        return SD_OK;
    }
    fillGaps(w);
    sdResult result = addTracks(w, &samplers, &channels);
    if (result == SD_OK) {
        sdGlbParts_PrintJson(p, &samplers, &channels, &json);
        if (samplers.isBroken || channels.isBroken || json.isBroken || p->isBroken ||
            p->bin.isBroken) {
            result = failMemory(w);
        } else if (p->bin.count > MAX_BYTES || json.count > MAX_BYTES - p->bin.count) {
            result = sdRender_Fail(&p->context, SD_ERROR_LIMIT,
                                   "the animation is more than a glTF file can hold");
        } else {
            putChunks(&json, &p->bin, &p->context, &w->file);
            result = w->file.isBroken ? failMemory(w) : SD_OK;
        }
    }
    sdByteArray_Free(&samplers, &p->context);
    sdByteArray_Free(&channels, &p->context);
    sdByteArray_Free(&json, &p->context);
    return result;
}

const void* sdGlbWriter_GetBytes(sdGlbWriter* w, size_t* size) {
    bool isWhole = sdGlbWriter_Finish(w) == SD_OK;
    *size = isWhole ? w->file.count : 0;
    return isWhole ? w->file.data : NULL;
}
