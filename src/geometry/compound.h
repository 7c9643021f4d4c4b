// SPDX-License-Identifier: MIT
// compound.h - what an sdCompound is made of.

#ifndef SD_GEOMETRY_COMPOUND_H
#define SD_GEOMETRY_COMPOUND_H

#include "base/memory.h"
#include "sudar/shapes.h"

/// The struct opens the block; its children follow.
struct sdCompound {
    sdRefCount refCount;
    sdContext context;
    size_t byteCount;
    int childCount;
    sdCompoundChild* children;
    sdAABB bounds;
};

#endif
