// SPDX-License-Identifier: MIT
// gl_mesh.c - triangles on the card's side, and those of hulls and meshes kept between pictures.
//
// In:   shapes.
// Out:  vertex arrays ready to draw; instances are bound by who draws them.
// Note: a kept hull or mesh is retained, so its address cannot come to mean another one.

#include "gl.h"

#include "support.h"
#include "tessellate.h"

#include <string.h>

// ---- one -----------------------------------------------------------------------------------

static void upload(const sdGlVertex* vertices, const sdTessellation* t, sdGlMesh* out) {
    glGenVertexArrays(1, &out->array);
    glGenBuffers(1, &out->vertices);
    glGenBuffers(1, &out->indices);
    glBindVertexArray(out->array);
    glBindBuffer(GL_ARRAY_BUFFER, out->vertices);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((size_t)t->vertexCount * sizeof *vertices), vertices,
                 GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, out->indices);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)((size_t)t->indexCount * sizeof *t->indices),
                 t->indices, GL_STATIC_DRAW);

    const GLsizei stride = sizeof *vertices;
    glVertexAttribPointer(SD_ATTRIBUTE_CORE, 3, GL_FLOAT, GL_FALSE, stride,
                          (const void*)offsetof(sdGlVertex, core));
    glVertexAttribPointer(SD_ATTRIBUTE_NORMAL, 3, GL_FLOAT, GL_FALSE, stride,
                          (const void*)offsetof(sdGlVertex, normal));
    glVertexAttribPointer(SD_ATTRIBUTE_EDGE, 1, GL_FLOAT, GL_FALSE, stride,
                          (const void*)offsetof(sdGlVertex, edge));
    for (int i = SD_ATTRIBUTE_CORE; i <= SD_ATTRIBUTE_COLOR; ++i) {
        glEnableVertexAttribArray((GLuint)i);
        glVertexAttribDivisor((GLuint)i, i >= SD_ATTRIBUTE_ROTATION ? 1 : 0);
    }
    glBindVertexArray(0);
}

/// Seen only from outside: back faces need not be drawn.
static bool isClosed(const sdShape* shape) {
    return shape->type == SD_SHAPE_MESH ? sdMesh_GetReport(shape->mesh)->isSolid
                                        : shape->type != SD_SHAPE_TRIANGLE;
}

sdResult sdGlMesh_Create(const sdContext* context, const sdShape* shape, int segmentCount,
                         float rounding, sdGlMesh* out) {
    *out = (sdGlMesh){0};
    sdTessellationDef def = sdTessellationDef_Default();
    def.segmentCount = segmentCount;
    def.halfSpaceExtent = 1.0f;
    sdTessellation t;
    sdResult result = sdTessellate(context, shape, &def, &t);
    if (result != SD_OK) {
        return result;
    }
    size_t size = ((size_t)t.vertexCount + 1) * sizeof(sdGlVertex);
    sdGlVertex* vertices = sdRender_Alloc(&context->allocator, size);
    if (vertices == NULL) {
        sdTessellation_Free(&t);
        return sdRender_Fail(context, SD_ERROR_OUT_OF_MEMORY,
                             "sdRenderer_Draw: no memory for %d vertices", t.vertexCount);
    }
    for (int i = 0; i < t.vertexCount; ++i) {
        const sdTessellationVertex* v = &t.vertices[i];
        vertices[i].core = sdMulAdd(v->position, -rounding, v->normal);
        vertices[i].normal = v->normal;
        vertices[i].edge = v->edge;
        out->radius = sdMaxF(out->radius, sdLength(vertices[i].core));
    }
    out->indexCount = t.indexCount;
    out->isClosed = isClosed(shape);
    upload(vertices, &t, out);
    sdRender_Free(&context->allocator, vertices, size);
    sdTessellation_Free(&t);
    return SD_OK;
}

void sdGlMesh_Destroy(sdGlMesh* mesh) {
    glDeleteVertexArrays(1, &mesh->array);
    glDeleteBuffers(1, &mesh->vertices);
    glDeleteBuffers(1, &mesh->indices);
    *mesh = (sdGlMesh){0};
}

// ---- many ----------------------------------------------------------------------------------

typedef struct sdGlCacheEntry {
    sdShape shape; ///< a hull or mesh in it is retained
    sdGlMesh mesh;
    uint32_t picture; ///< the last one that used it
} sdGlCacheEntry;

static bool isSame(const sdShape* a, const sdShape* b) {
    if (a->type != b->type) {
        return false;
    }
    switch (a->type) {
        case SD_SHAPE_HULL:
            return a->hull == b->hull;
        case SD_SHAPE_MESH:
            return a->mesh == b->mesh;
        default:
            return memcmp(&a->triangle, &b->triangle, sizeof a->triangle) == 0;
    }
}

static uint32_t hashShape(const sdShape* shape) {
    const void* key = &shape->triangle;
    size_t size = sizeof shape->triangle;
    if (shape->type == SD_SHAPE_HULL || shape->type == SD_SHAPE_MESH) {
        key = shape->type == SD_SHAPE_HULL ? (const void*)&shape->hull : (const void*)&shape->mesh;
        size = sizeof shape->hull;
    }
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ ((const uint8_t*)key)[i]) * 16777619u;
    }
    return hash;
}

/// The slot where the shape is or would be. There is always a free one.
static int findSlot(const sdGlCache* cache, const sdShape* shape) {
    int slot = (int)(hashShape(shape) & (uint32_t)(cache->slotCount - 1));
    while (cache->slots[slot] != SD_NULL_INDEX &&
           !isSame(&cache->entries[cache->slots[slot]].shape, shape)) {
        slot = (slot + 1) & (cache->slotCount - 1);
    }
    return slot;
}

static void fillSlots(sdGlCache* cache) {
    for (int i = 0; i < cache->slotCount; ++i) {
        cache->slots[i] = SD_NULL_INDEX;
    }
    for (int i = 0; i < cache->count; ++i) {
        cache->slots[findSlot(cache, &cache->entries[i].shape)] = i;
    }
}

/// Room for one more, the slots at most half full.
static bool makeRoom(sdGlCache* cache) {
    if (2 * (cache->count + 1) > cache->slotCount) {
        int slotCount = sdMaxI(64, 2 * cache->slotCount);
        int* slots = sdRender_Alloc(&cache->context.allocator, (size_t)slotCount * sizeof *slots);
        if (slots == NULL) {
            return false;
        }
        sdRender_Free(&cache->context.allocator, cache->slots,
                      (size_t)cache->slotCount * sizeof *cache->slots);
        cache->slots = slots;
        cache->slotCount = slotCount;
        fillSlots(cache);
    }
    return sdRender_Reserve(&cache->context.allocator, (void**)&cache->entries, &cache->capacity,
                            cache->count + 1, sizeof *cache->entries);
}

int sdGlCache_Find(sdGlCache* cache, const sdShape* shape) {
    if (!makeRoom(cache)) {
        return -1;
    }
    int slot = findSlot(cache, shape);
    if (cache->slots[slot] == SD_NULL_INDEX) {
        sdGlCacheEntry entry = {.shape = *shape};
        if (sdGlMesh_Create(&cache->context, shape, 4, 0.0f, &entry.mesh) != SD_OK) {
            return -1;
        }
        if (shape->type == SD_SHAPE_HULL) {
            sdHull_Retain(shape->hull);
        } else if (shape->type == SD_SHAPE_MESH) {
            sdMesh_Retain(shape->mesh);
        }
        cache->slots[slot] = cache->count;
        cache->entries[cache->count++] = entry;
    }
    cache->entries[cache->slots[slot]].picture = cache->picture;
    return cache->slots[slot];
}

const sdGlMesh* sdGlCache_Get(const sdGlCache* cache, int index) {
    return &cache->entries[index].mesh;
}

static void destroyEntry(sdGlCacheEntry* entry) {
    sdGlMesh_Destroy(&entry->mesh);
    if (entry->shape.type == SD_SHAPE_HULL) {
        sdHull_Release(entry->shape.hull);
    } else if (entry->shape.type == SD_SHAPE_MESH) {
        sdMesh_Release(entry->shape.mesh);
    }
}

void sdGlCache_EndPicture(sdGlCache* cache) {
    int kept = 0;
    for (int i = 0; i < cache->count; ++i) {
        if (cache->entries[i].picture == cache->picture) {
            cache->entries[kept++] = cache->entries[i];
        } else {
            destroyEntry(&cache->entries[i]);
        }
    }
    if (kept < cache->count) {
        cache->count = kept;
        fillSlots(cache);
    }
    ++cache->picture;
}

void sdGlCache_Free(sdGlCache* cache) {
    for (int i = 0; i < cache->count; ++i) {
        destroyEntry(&cache->entries[i]);
    }
    sdRender_Free(&cache->context.allocator, cache->entries,
                  (size_t)cache->capacity * sizeof *cache->entries);
    sdRender_Free(&cache->context.allocator, cache->slots,
                  (size_t)cache->slotCount * sizeof *cache->slots);
    cache->count = cache->capacity = cache->slotCount = 0;
    cache->entries = NULL;
    cache->slots = NULL;
}
