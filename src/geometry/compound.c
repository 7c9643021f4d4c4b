// SPDX-License-Identifier: MIT
// compound.c - several shapes as one.
//
// In:   children, each a shape and its place in the compound.
// Out:  one immutable block, reference counted, that keeps the children's hulls and meshes alive.

#include "geometry/compound.h"

#include "geometry/shape.h"

#include <string.h>

static sdResult checkChild(const sdContext* context, const sdCompoundChild* child, int index) {
    sdShapeType type = child->shape.type;
    if (type == SD_SHAPE_COMPOUND || type == SD_SHAPE_HALF_SPACE) {
        return sdFail(context, SD_ERROR_INVALID_ARGUMENT,
                      "sdCompound_Create: child %d is a %s; give a compound's children one by one, "
                      "and a half-space a body of its own",
                      index, sdShapeType_Name(type));
    }
    if (!sdShape_IsValid(&child->shape)) {
        return sdFail(context, SD_ERROR_INVALID_ARGUMENT,
                      "sdCompound_Create: child %d (%s) has a size that is negative or not finite, "
                      "or refers to nothing",
                      index, sdShapeType_Name(type));
    }
    if (!sdTransform_IsValid(child->xf)) {
        return sdFail(context, SD_ERROR_INVALID_ARGUMENT,
                      "sdCompound_Create: the transform of child %d is not finite or its rotation "
                      "is not of unit length",
                      index);
    }
    if (!sdAABB_IsValid(sdShape_GetBounds(&child->shape, child->xf))) {
        return sdFail(context, SD_ERROR_LIMIT,
                      "sdCompound_Create: child %d reaches beyond the range of a float", index);
    }
    return SD_OK;
}

static sdResult checkChildren(const sdContext* context, const sdCompoundChild* children,
                              int count) {
    if (children == NULL || count < 1 || count > SD_COMPOUND_MAX_CHILDREN) {
        return sdFail(context, SD_ERROR_INVALID_ARGUMENT,
                      "sdCompound_Create: %d children at %s; give 1..%d", count,
                      children == NULL ? "NULL" : "an address", SD_COMPOUND_MAX_CHILDREN);
    }
    for (int i = 0; i < count; ++i) {
        sdResult result = checkChild(context, &children[i], i);
        if (result != SD_OK) {
            return result;
        }
    }
    return SD_OK;
}

sdResult sdCompound_Create(const sdContext* context, const sdCompoundChild* children, int count,
                           sdCompound** out) {
    if (out != NULL) {
        *out = NULL;
    }
    sdContext ctx;
    sdResult result = sdContext_Resolve(context, &ctx);
    if (result != SD_OK) {
        return result;
    }
    if (out == NULL) {
        return sdFail(&ctx, SD_ERROR_INVALID_ARGUMENT, "sdCompound_Create: out is NULL");
    }
    result = checkChildren(&ctx, children, count);
    if (result != SD_OK) {
        return result;
    }
    sdBlockLayout layout = {0};
    sdBlockLayout_Add(&layout, 1, sizeof(sdCompound));
    size_t childrenAt = sdBlockLayout_Add(&layout, (size_t)count, sizeof(sdCompoundChild));
    sdCompound* compound = sdAlloc(&ctx.allocator, layout.size);
    if (compound == NULL) {
        return sdFailMemory(&ctx, "sdCompound_Create", layout.size);
    }
    sdRefCount_Init(&compound->refCount);
    compound->context = ctx;
    compound->byteCount = layout.size;
    compound->childCount = count;
    compound->children = (sdCompoundChild*)((char*)compound + childrenAt);
    memcpy(compound->children, children, (size_t)count * sizeof(sdCompoundChild));
    compound->bounds = sdAABB_Empty();
    for (int i = 0; i < count; ++i) {
        sdShape_Retain(&children[i].shape);
        sdAABB box = sdShape_GetBounds(&children[i].shape, children[i].xf);
        compound->bounds = sdAABB_Union(compound->bounds, box);
    }
    *out = compound;
    return SD_OK;
}

void sdCompound_Retain(const sdCompound* compound) {
    if (compound != NULL) {
        // the count is the one part of a shared compound that changes
        sdRefCount_Retain((sdRefCount*)&compound->refCount);
    }
}

void sdCompound_Release(const sdCompound* compound) {
    if (compound != NULL && sdRefCount_Release((sdRefCount*)&compound->refCount)) {
        sdCompound* last = (sdCompound*)compound;
        sdAllocator allocator = last->context.allocator;
        for (int i = 0; i < last->childCount; ++i) {
            sdShape_Release(&last->children[i].shape);
        }
        sdFree(&allocator, last, last->byteCount);
    }
}

const sdCompoundChild* sdCompound_GetChildren(const sdCompound* compound, int* count) {
    if (count != NULL) {
        *count = compound->childCount;
    }
    return compound->children;
}

sdAABB sdCompound_GetBounds(const sdCompound* compound) {
    return compound->bounds;
}
