// SPDX-License-Identifier: MIT
// surface_patch.c - contact points of one body with many triangles, gathered by normal.

#include "narrow/surface_patch.h"

/// Least separation of a patch.
static double deepestOf(const sdSurfacePatch* patch) {
    double least = DBL_MAX;
    for (int i = 0; i < patch->count; ++i) {
        least = patch->points[i].separation < least ? patch->points[i].separation : least;
    }
    return least;
}

/// Whether p is between two others, on the line through them or above it.
static bool isBetween(const sdSurfacePoint* p, const sdSurfacePoint* a, const sdSurfacePoint* b,
                      double size) {
    sdVec3d line = sdSubD(b->onMesh, a->onMesh), to = sdSubD(p->onMesh, a->onMesh);
    double squared = sdDotD(line, line), t = sdDotD(to, line) / squared;
    if (!(t > 0.0 && t < 1.0)) {
        return false;
    }
    const double merge = SD_MANIFOLD_MERGE * size;
    sdVec3d off = sdMulAddD(to, -t, line);
    double level = a->separation + t * (b->separation - a->separation);
    return sdDotD(off, off) <= merge * merge && p->separation >= level - SD_MANIFOLD_DEEPEST * size;
}

/// The body's own points come first, for of points that are as good the first is taken.
static void sortPoints(sdSurfacePatch* patch) {
    for (int i = 1; i < patch->count; ++i) {
        sdSurfacePoint point = patch->points[i];
        int j = i;
        for (; j > 0 && !point.isCrossing && patch->points[j - 1].isCrossing; --j) {
            patch->points[j] = patch->points[j - 1];
        }
        patch->points[j] = point;
    }
}

/// Points where the body's outline crosses a side are left out when they lie on a line between
/// others: they come and go while the body slides.
static void dropBetween(sdSurfacePatch* patch, double size) {
    int count = patch->count;
    for (int i = patch->count - 1; i >= 0 && count > 2; --i) {
        bool isSpare = false;
        for (int j = 0; j < count && patch->points[i].isCrossing && !isSpare; ++j) {
            for (int k = j + 1; k < count && !isSpare && j != i; ++k) {
                isSpare = k != i &&
                          isBetween(&patch->points[i], &patch->points[j], &patch->points[k], size);
            }
        }
        if (isSpare) {
            for (int j = i; j + 1 < count; ++j) {
                patch->points[j] = patch->points[j + 1];
            }
            count -= 1;
        }
    }
    patch->count = count;
}

/// Leave the best four.
static void reduce(sdSurfacePatch* patch, double size) {
    sortPoints(patch);
    dropBetween(patch, size);
    // all of so few are taken, in their order
    if (patch->count <= SD_MANIFOLD_MAX_POINTS) {
        return;
    }
    // two directions across the normal (Duff et al., JCGT 2017)
    sdVec3d n = patch->normal;
    double sign = copysign(1.0, n.z), a = -1.0 / (sign + n.z), b = n.x * n.y * a;
    sdVec3d across = sdV3d(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x);
    sdVec3d along = sdV3d(b, sign + n.y * n.y * a, -n.y);
    sdFlatPoint flat[SD_SURFACE_MAX_POINTS];
    for (int i = 0; i < patch->count; ++i) {
        const sdSurfacePoint* point = &patch->points[i];
        flat[i] = (sdFlatPoint){sdDotD(across, point->onMesh), sdDotD(along, point->onMesh),
                                point->separation, point->id};
    }
    int chosen[SD_MANIFOLD_MAX_POINTS];
    int count = sdFlatPoints_Choose(flat, patch->count, size, NULL, chosen);
    for (int i = 0; i < count; ++i) {
        // in order, so that none is overwritten before it is taken
        patch->points[i] = patch->points[chosen[i]];
    }
    patch->count = count;
}

/// A patch for a new normal; NULL when all others are nearer.
static sdSurfacePatch* makePatch(sdSurfacePatches* patches, double separation) {
    if (patches->count < SD_SURFACE_MAX_PATCHES) {
        return &patches->items[patches->count++];
    }
    sdSurfacePatch* farthest = &patches->items[0];
    double most = deepestOf(farthest);
    for (int i = 1; i < patches->count; ++i) {
        double deepest = deepestOf(&patches->items[i]);
        farthest = deepest > most ? &patches->items[i] : farthest;
        most = deepest > most ? deepest : most;
    }
    patches->lostCount += 1;
    return separation < most ? farthest : NULL;
}

static sdSurfacePatch* findPatch(sdSurfacePatches* patches, sdVec3d normal) {
    const double same = SD_SURFACE_SAME_NORMAL * SD_SURFACE_SAME_NORMAL;
    for (int i = 0; i < patches->count; ++i) {
        sdVec3d turn = sdSubD(normal, patches->items[i].normal);
        if (sdDotD(turn, turn) <= same) {
            return &patches->items[i];
        }
    }
    return NULL;
}

void sdSurfacePatches_Add(sdSurfacePatches* patches, sdVec3d normal, sdContactKind kind,
                          const sdSurfacePoint* point) {
    sdSurfacePatch* patch = findPatch(patches, normal);
    if (patch == NULL) {
        patch = makePatch(patches, point->separation);
        if (patch == NULL) {
            return;
        }
        patch->normal = normal;
        patch->kind = kind;
        patch->count = 0;
    }
    patch->kind = kind > patch->kind ? kind : patch->kind;
    const double merge = SD_MANIFOLD_MERGE * patches->size;
    for (int i = 0; i < patch->count; ++i) {
        sdVec3d d = sdSubD(point->onBody, patch->points[i].onBody);
        if (sdDotD(d, d) <= merge * merge) {
            bool isDeeper = point->separation <
                            patch->points[i].separation - SD_MANIFOLD_DEEPEST * patches->size;
            patch->points[i] = isDeeper ? *point : patch->points[i];
            return;
        }
    }
    if (patch->count == SD_SURFACE_MAX_POINTS) {
        reduce(patch, patches->size);
    }
    patch->points[patch->count++] = *point;
}

void sdSurfacePatch_Write(sdSurfacePatch* patch, double size, float margin, sdManifold* out,
                          int* triangle) {
    reduce(patch, size);
    *out = (sdManifold){
        .normal = sdVec3d_Round(patch->normal),
        .pointCount = patch->count,
        .kind = patch->kind,
        .childA = SD_NULL_INDEX,
        .childB = SD_NULL_INDEX,
        .status = SD_STATUS_TOLERANCE,
        .iterations = 1,
    };
    double deepest = DBL_MAX;
    for (int i = 0; i < patch->count; ++i) {
        const sdSurfacePoint* point = &patch->points[i];
        uint32_t id = point->id;
        for (int j = 0; j < i; ++j) {
            // names must differ; this bounded search ends because there are at most four
            if (out->points[j].id == id) {
                id += 0x00010001u;
                j = -1;
            }
        }
        out->points[i] = (sdManifoldPoint){
            .pointA = sdVec3d_Round(point->onMesh),
            .pointB = sdVec3d_Round(point->onBody),
            .separation = sdMinF((float)point->separation, margin),
            .id = id,
        };
        if (point->separation < deepest) {
            deepest = point->separation;
            *triangle = point->triangle;
        }
    }
}
