// SPDX-License-Identifier: MIT
// decompose.c - approximate convex decomposition of a closed mesh (A12, S3 §6.4).
//
// In:   a closed mesh; how deep the parts may bulge over it, how many parts there may be.
// Out:  a compound of hulls that together cover the solid, and how deep they bulge.
//
// The solid is cut by planes, best first: the part that bulges most is cut next.
//   1. The solid is laid into cells (decompose_grid.c), which tell what hangs together.
//   2. A part is a connected piece of the solid between planes: its triangles, clipped, and the
//      inside corners of its planes. That gives its exact hull, so that flat faces stay flat and
//      parts meet without gaps (decompose_part.c, decompose_pieces.c).
//   3. A part's concavity is the greatest distance of a point of its hull to the solid: how far
//      something can be held off by solid that is not there (decompose_depth.c).
//   4. Planes through concave edges and along axes are compared by how deep, and how much, the
//      hulls of both sides would still bulge (decompose_cut.c).
//   5. When all parts are within the concavity wanted, or there are more than enough,
//      neighbours are joined again where that costs nothing (decompose_merge.c); of too many parts
//      the last splits are taken back.
//   6. Hulls of too many vertices give way to simpler ones around them (decompose_simplify.c), and
//      the result is measured.
//
// Ref:  Mamou and Ghorbel, "A simple and efficient approach for 3D mesh approximate convex
//       decomposition", 2009 (V-HACD); Wei et al. 2022 (CoACD); Chazelle, "Convex partitions of
//       polyhedra", 1984 (planes through concave edges).
// Note: coverage is exact within rounding, whatever the concavity: every cut leaves each point of
//       the solid on one of its sides, and every later step only grows hulls.

#include "geometry/decompose.h"

#include "geometry/mesh.h"

// Parts that are made before joining, over those wanted: a part of their number, and some more.
// Twice as many were measured to give nothing better.
#define SD_DECOMPOSE_SURPLUS 0.5f
#define SD_DECOMPOSE_EXTRA 8

// A hull whose volume is the mesh's within this part is the mesh.
#define SD_DECOMPOSE_SAME_VOLUME 1e-6

typedef struct HullSet {
    sdHull** hulls;
    int count;
} HullSet;

sdDecomposeDef sdDecomposeDef_Default(void) {
    return (sdDecomposeDef){
        .maxPartCount = 32, .maxConcavity = 0.01f, .resolution = 64, .maxHullVertexCount = 64};
}

static int partLimit(const sdDecomposeDef* def) {
    int surplus = (int)(SD_DECOMPOSE_SURPLUS * (float)def->maxPartCount) + SD_DECOMPOSE_EXTRA;
    return def->maxPartCount + surplus;
}

static sdResult checkDef(const sdContext* context, const sdDecomposeDef* def) {
    const sdResult bad = SD_ERROR_INVALID_ARGUMENT;
    if (def->maxPartCount < 1 || def->maxPartCount > SD_DECOMPOSE_MAX_PARTS) {
        return sdFail(context, bad, "sdMesh_Decompose: maxPartCount is %d, must be 1 to %d",
                      def->maxPartCount, SD_DECOMPOSE_MAX_PARTS);
    }
    if (!(def->maxConcavity >= 0.0f && def->maxConcavity <= 1.0f)) {
        return sdFail(context, bad,
                      "sdMesh_Decompose: maxConcavity is %g, must be 0 to 1 (a part of the "
                      "diagonal, 0.01 by default)",
                      (double)def->maxConcavity);
    }
    if (def->resolution < SD_DECOMPOSE_MIN_RESOLUTION ||
        def->resolution > SD_DECOMPOSE_MAX_RESOLUTION) {
        return sdFail(context, bad, "sdMesh_Decompose: resolution is %d, must be %d to %d",
                      def->resolution, SD_DECOMPOSE_MIN_RESOLUTION, SD_DECOMPOSE_MAX_RESOLUTION);
    }
    if (def->maxHullVertexCount != 0 && def->maxHullVertexCount < 4) {
        return sdFail(context, bad,
                      "sdMesh_Decompose: maxHullVertexCount is %d, must be 0 (no limit) or at "
                      "least 4",
                      def->maxHullVertexCount);
    }
    return SD_OK;
}

static sdResult checkMesh(const sdContext* context, const sdMesh* mesh) {
    const sdMeshReport* report = sdMesh_GetReport(mesh);
    if (report->isSolid) {
        return SD_OK;
    }
    if (!report->isClosed) {
        return sdFail(context, SD_ERROR_BAD_MESH,
                      "sdMesh_Decompose: the mesh is open (%d edges have only one triangle, the "
                      "first joins vertices %d and %d) and has no inside; close its holes first",
                      report->boundaryEdgeCount, report->firstBoundaryEdge[0],
                      report->firstBoundaryEdge[1]);
    }
    return sdFail(context, SD_ERROR_BAD_MESH,
                  "sdMesh_Decompose: the mesh has no inside (%d edges whose triangles disagree, "
                  "volume %g); create it with SD_MESH_ORIENT",
                  report->misorientedEdgeCount, report->volume);
}

// Is the part there after so many splits?
static bool isAlive(const sdPart* part, int split) {
    return part->born <= split && split < part->died;
}

static int countAlive(const sdPartArray* parts, int split) {
    int count = 0;
    for (int i = 0; i < parts->count; ++i) {
        count += isAlive(&parts->data[i], split) ? 1 : 0;
    }
    return count;
}

// The part that bulges most and can be cut, or SD_NULL_INDEX.
static int findWorst(const sdSolid* solid, const sdPartArray* parts) {
    int worst = SD_NULL_INDEX;
    for (int i = 0; i < parts->count; ++i) {
        const sdPart* part = &parts->data[i];
        if (part->died == SD_NEVER && !part->isFinal && part->concavity > solid->goal &&
            (worst < 0 || part->concavity > parts->data[worst].concavity)) {
            worst = i;
        }
    }
    return worst;
}

// Cut the worst part until all are good, or there are `limit`, or nothing helps. Parts that were
// cut are kept, so that the solid can be had as it was after any number of splits.
static sdResult splitParts(sdSolid* solid, sdPartArray* parts, int limit, int* splitCount) {
    int liveCount = parts->count;
    *splitCount = 0;
    while (liveCount < limit) {
        int worst = findWorst(solid, parts);
        if (worst < 0) {
            break;
        }
        int first = parts->count;
        // a copy: the array may move while pieces are added to it
        sdPart part = parts->data[worst];
        sdResult result = sdPart_Split(solid, &part, limit - liveCount + 1, parts);
        if (result != SD_OK) {
            return result;
        }
        if (parts->count == first) {
            parts->data[worst].isFinal = true;
            continue;
        }
        parts->data[worst].died = ++*splitCount;
        sdPart_Strip(solid, &parts->data[worst]);
        for (int i = first; i < parts->count; ++i) {
            parts->data[i].born = *splitCount;
        }
        liveCount += parts->count - first - 1;
    }
    return SD_OK;
}

static void releaseHulls(HullSet* set) {
    for (int i = 0; i < set->count; ++i) {
        sdHull_Release(set->hulls[i]);
    }
    set->count = 0;
}

// The hulls after so many splits, joined to maxCount if that makes none worse than the worst.
static sdResult joinAfter(sdSolid* solid, const sdPartArray* parts, int split, int maxCount,
                          HullSet* out) {
    out->count = 0;
    float worst = solid->goal;
    for (int i = 0; i < parts->count; ++i) {
        const sdPart* part = &parts->data[i];
        if (isAlive(part, split)) {
            worst = sdMaxF(worst, part->concavity);
            sdHull_Retain(part->hull);
            out->hulls[out->count++] = part->hull;
        }
    }
    // a solid that comes in more pieces must be joined at any price
    float limit = split == 0 ? FLT_MAX : worst;
    return sdSolid_MergeHulls(solid, limit, maxCount, out->hulls, &out->count);
}

// More splits bulge less, but must be joined to no more than maxCount parts: find by bisection
// how many splits that allows.
static sdResult joinParts(sdSolid* solid, const sdPartArray* parts, int splitCount, int maxCount,
                          HullSet sets[2]) {
    int low = 0, high = splitCount;
    // all splits are tried first when they reach the goal, else it is more than can be joined
    bool isGood = findWorst(solid, parts) < 0;
    while (low < splitCount && countAlive(parts, low + 1) <= maxCount) {
        ++low;
    }
    // this many splits need no joining
    sdResult result = joinAfter(solid, parts, low, maxCount, &sets[0]);
    for (int middle = isGood ? high : (low + high + 1) / 2; low < high && result == SD_OK;
         middle = (low + high + 1) / 2) {
        result = joinAfter(solid, parts, middle, maxCount, &sets[1]);
        if (result == SD_OK && sets[1].count <= maxCount) {
            low = middle;
            HullSet other = sets[0];
            sets[0] = sets[1];
            sets[1] = other;
        } else {
            high = middle - 1;
        }
        releaseHulls(&sets[1]);
    }
    return result;
}

// The depth of the deepest part, as a fraction of the diagonal.
static float measureHulls(sdSolid* solid, const HullSet* set) {
    sdMassProps props;
    sdHull_GetMass(set->hulls[0], 1.0f, &props);
    double volume = sdMesh_GetReport(solid->mesh)->volume;
    if (set->count == 1 && fabs((double)props.mass - volume) < SD_DECOMPOSE_SAME_VOLUME * volume) {
        return 0.0f;
    }
    float depth = 0.0f;
    for (int i = 0; i < set->count; ++i) {
        depth = sdSolid_Depth(solid, set->hulls[i], depth, FLT_MAX, 0.0f);
    }
    return depth > solid->epsilon ? depth / solid->diagonal : 0.0f;
}

static sdResult makeCompound(const sdSolid* solid, const HullSet* set, sdCompound** out) {
    const sdAllocator* allocator = &solid->context->allocator;
    size_t size = (size_t)set->count * sizeof(sdCompoundChild);
    sdCompoundChild* children = sdAlloc(allocator, size);
    if (children == NULL) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    for (int i = 0; i < set->count; ++i) {
        children[i] = (sdCompoundChild){sdShape_Hull(set->hulls[i]), sdTransform_Identity()};
    }
    sdResult result = sdCompound_Create(solid->context, children, set->count, out);
    sdFree(allocator, children, size);
    return result;
}

// Two sets of hulls: one is kept while the other is tried.
static sdResult makeHulls(sdSolid* solid, const sdDecomposeDef* def, HullSet sets[2]) {
    // parts wanted, and those that are joined again; one part needs no split
    int limit = def->maxPartCount == 1 ? 1 : partLimit(def);
    sdPartArray parts = {0};
    int splitCount;
    sdResult result = sdSolid_MakeParts(solid, limit, &parts);
    if (result == SD_OK) {
        result = splitParts(solid, &parts, limit, &splitCount);
    }
    if (result == SD_OK) {
        result = joinParts(solid, &parts, splitCount, def->maxPartCount, sets);
    }
    for (int i = 0; i < sets[0].count && result == SD_OK; ++i) {
        result = sdSolid_SimplifyHull(solid, def->maxHullVertexCount, &sets[0].hulls[i]);
    }
    sdPartArray_Shrink(&parts, solid, 0);
    sdPartArray_Free(&parts, &solid->context->allocator);
    return result;
}

static sdResult decompose(sdSolid* solid, const sdDecomposeDef* def, sdCompound** out,
                          float* concavity) {
    const sdAllocator* allocator = &solid->context->allocator;
    size_t capacity = (size_t)partLimit(def);
    sdHull** slots = sdAllocArray(allocator, 2 * capacity, sizeof(sdHull*));
    if (slots == NULL) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    HullSet sets[2] = {{slots, 0}, {slots + capacity, 0}};
    sdResult result = makeHulls(solid, def, sets);
    if (result == SD_OK && sets[0].count == 0) {
        result = sdFail(solid->context, SD_ERROR_DEGENERATE,
                        "sdMesh_Decompose: the mesh is flat within rounding");
    } else if (result == SD_OK) {
        result = makeCompound(solid, &sets[0], out);
    }
    if (result == SD_OK && concavity != NULL) {
        *concavity = measureHulls(solid, &sets[0]);
    }
    releaseHulls(&sets[0]);
    releaseHulls(&sets[1]);
    sdFree(allocator, slots, 2 * capacity * sizeof(sdHull*));
    return result;
}

sdResult sdMesh_Decompose(const sdContext* userContext, const sdMesh* mesh,
                          const sdDecomposeDef* def, sdCompound** out, float* concavity) {
    if (out != NULL) {
        *out = NULL;
    }
    sdContext context;
    sdResult result = sdContext_Resolve(userContext, &context);
    if (result != SD_OK) {
        return result;
    }
    if (mesh == NULL || def == NULL || out == NULL) {
        return sdFail(&context, SD_ERROR_INVALID_ARGUMENT,
                      "sdMesh_Decompose: mesh, def and out must not be NULL");
    }
    if ((result = checkDef(&context, def)) != SD_OK ||
        (result = checkMesh(&context, mesh)) != SD_OK) {
        return result;
    }
    sdSolid solid;
    result = sdSolid_Init(&solid, &context, mesh, def);
    if (result == SD_OK) {
        result = decompose(&solid, def, out, concavity);
    }
    if (result == SD_ERROR_OUT_OF_MEMORY) {
        sdFail(&context, result,
               "sdMesh_Decompose: memory ran out; a lower resolution or fewer parts need less");
    }
    sdSolid_Free(&solid);
    return result;
}
