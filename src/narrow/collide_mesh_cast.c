// SPDX-License-Identifier: MIT
// collide_mesh_cast.c - rays and moving bodies against meshes, compounds and half-spaces.
//
// In:   a shape and a segment, or two shapes of which one moves without turning.
// Out:  the first hit, with the piece that is hit.
// Note: boxes that are met later than the best hit so far are left out. Never allocates.

#include "geometry/compound.h"
#include "geometry/mesh.h"
#include "narrow/collide_mesh_pieces.h"
#include "narrow/half_space.h"

// ---- rays ----------------------------------------------------------------------------------

static const sdRayHit noHit = {.fraction = 1.0f, .child = SD_NULL_INDEX};

/// Unit, and not along the ray.
static sdVec3 againstRay(sdVec3 normal, sdVec3 translation) {
    return sdDot(normal, translation) > 0.0f ? sdNeg(normal) : normal;
}

static sdRayHit raycastMesh(const sdShape* shape, sdVec3 origin, sdVec3 translation) {
    const sdMesh* mesh = shape->mesh;
    sdRayHit result = noHit;
    result.iterations = 1;
    if (sdShape_ContainsPoint(shape, origin)) {
        sdVec3 back = sdNormalize(sdNeg(translation));
        result.isHit = true;
        result.fraction = 0.0f;
        result.point = origin;
        result.normal = sdLengthSquared(back) > 0.0f ? back : sdV3(0.0f, 1.0f, 0.0f);
        result.child = sdMesh_ClosestPoint(mesh, origin, INFINITY).triangle;
        return result;
    }
    sdMeshHit hit = sdMesh_Raycast(mesh, origin, translation);
    if (hit.triangle != SD_NULL_INDEX) {
        result.isHit = true;
        result.fraction = hit.fraction;
        result.point = hit.point;
        result.normal = againstRay(hit.normal, translation);
        result.child = hit.triangle;
    }
    return result;
}

/// Does the segment meet a box before the best hit?
static bool mayHit(sdAABB box, sdVec3 origin, sdVec3 translation, float best) {
    double first = 0.0, last = (double)best;
    for (int i = 0; i < 3; ++i) {
        double o = (double)sdVec3_Get(origin, i), step = (double)sdVec3_Get(translation, i);
        double lower = (double)sdVec3_Get(box.lower, i) - o;
        double upper = (double)sdVec3_Get(box.upper, i) - o;
        if (step == 0.0) {
            last = lower > 0.0 || upper < 0.0 ? -1.0 : last;
            continue;
        }
        double enter = (step > 0.0 ? lower : upper) / step;
        double leave = (step > 0.0 ? upper : lower) / step;
        first = enter > first ? enter : first;
        last = leave < last ? leave : last;
    }
    return first <= last;
}

static sdRayHit raycastCompound(const sdCompound* compound, sdVec3 origin, sdVec3 translation,
                                sdConvexRaycast* raycast) {
    sdRayHit best = noHit;
    for (int i = 0; i < compound->childCount; ++i) {
        const sdCompoundChild* child = &compound->children[i];
        const sdShape* shape = &child->shape;
        if (!mayHit(sdPiece_GetBox(shape, child->xf), origin, translation, best.fraction)) {
            continue;
        }
        sdTransform xf = sdTransform_Make(child->xf.p, sdNormalizeQ(child->xf.q));
        sdVec3 from = sdInvTransformPoint(xf, origin), step = sdInvRotate(xf.q, translation);
        sdRayHit hit = shape->type == SD_SHAPE_MESH ? raycastMesh(shape, from, step)
                                                    : raycast(shape, from, step);
        best.status = hit.status > best.status ? hit.status : best.status;
        best.iterations += hit.iterations;
        if (hit.isHit && (!best.isHit || hit.fraction < best.fraction)) {
            best.isHit = true;
            best.fraction = hit.fraction;
            best.point = sdTransformPoint(xf, hit.point);
            best.normal = sdRotate(xf.q, hit.normal);
            best.child = i;
        }
    }
    return best;
}

sdRayHit sdMeshPair_Raycast(const sdShape* shape, sdVec3 origin, sdVec3 translation,
                            sdConvexRaycast* raycast) {
    sdRayHit invalid = {.child = SD_NULL_INDEX, .status = SD_STATUS_INVALID};
    if (!sdShape_IsValid(shape) || !sdVec3_IsFinite(origin) || !sdVec3_IsFinite(translation)) {
        return invalid;
    }
    switch (shape->type) {
        case SD_SHAPE_HALF_SPACE:
            return sdHalfSpace_Raycast(origin, translation);
        case SD_SHAPE_MESH:
            return raycastMesh(shape, origin, translation);
        case SD_SHAPE_COMPOUND: {
            sdRayHit hit = raycastCompound(shape->compound, origin, translation, raycast);
            return hit.status != SD_STATUS_INVALID ? hit : invalid;
        }
        default:
            return invalid;
    }
}

// ---- moving bodies -------------------------------------------------------------------------

typedef struct CastSearch {
    sdPieceSearch base;
    sdConvexCast* cast;
    sdCastHit best;
} CastSearch;

static float visitCast(void* arg, const sdPiecePair* pair) {
    CastSearch* search = arg;
    sdCastHit* best = &search->best;
    sdVec3 translation = search->base.translation;
    if (pair->isAMoved) {
        translation = sdInvRotate(pair->xfA.q, translation);
    }
    sdCastHit hit = search->cast(&pair->a, &pair->b, pair->xf, translation);
    best->status = hit.status > best->status ? hit.status : best->status;
    best->iterations += hit.iterations;
    if (hit.status == SD_STATUS_INVALID) {
        return SD_WALK_STOP;
    }
    // of pieces that are hit at the same time the one with the smallest indices
    bool isFirst = hit.isHit && (!best->isHit || hit.fraction < best->fraction);
    if (hit.isHit && best->isHit && hit.fraction == best->fraction) {
        isFirst = pair->childA != best->childA ? pair->childA < best->childA
                                               : pair->childB < best->childB;
    }
    if (isFirst) {
        best->isHit = true;
        best->fraction = hit.fraction;
        best->point = pair->isAMoved ? sdTransformPoint(pair->xfA, hit.point) : hit.point;
        best->normal = pair->isAMoved ? sdRotate(pair->xfA.q, hit.normal) : hit.normal;
        best->childA = pair->childA;
        best->childB = pair->childB;
    }
    search->base.isTouching = best->isHit && best->fraction <= 0.0f;
    return search->base.isTouching ? SD_WALK_STOP : best->fraction;
}

static float visitInsideCast(void* arg, const sdPieceSearch* inside) {
    (void)inside;
    sdCastHit* best = &((CastSearch*)arg)->best;
    best->isHit = true;
    best->fraction = 0.0f;
    return SD_WALK_STOP;
}

/// Overlap at the start: the way out of the depth.
static sdCastHit startHit(const sdShape* a, const sdShape* b, sdTransform xfAB, sdCastHit hit) {
    sdSeparation s = sdMeshPair_Separation(a, b, xfAB, true);
    hit.iterations += s.iterations;
    hit.status = s.status > hit.status ? s.status : hit.status;
    hit.normal = s.normal;
    hit.point = sdScale(0.5f, sdAdd(s.pointA, s.pointB));
    hit.childA = s.childA;
    hit.childB = s.childB;
    return hit;
}

sdCastHit sdMeshPair_Cast(const sdShape* a, const sdShape* b, sdTransform xfAB, sdVec3 translation,
                          sdConvexCast* cast) {
    sdCastHit invalid = {
        .childA = SD_NULL_INDEX, .childB = SD_NULL_INDEX, .status = SD_STATUS_INVALID};
    if (sdHalfSpace_IsInPair(a, b)) {
        return sdHalfSpace_Cast(a, b, xfAB, translation);
    }
    CastSearch search = {.cast = cast,
                         .best = {.fraction = 1.0f,
                                  .childA = SD_NULL_INDEX,
                                  .childB = SD_NULL_INDEX,
                                  .status = SD_STATUS_TOLERANCE}};
    if (!sdPieceSearch_Init(&search.base, a, b, xfAB) || !sdVec3_IsFinite(translation) ||
        !(sdLength(translation) <= SD_MAX_REACH)) {
        return invalid;
    }
    search.base.isMoving = true;
    search.base.translation = translation;
    search.base.bound = 1.0f;
    search.base.visit = visitCast;
    search.base.visitInside = visitInsideCast;
    search.base.arg = &search;
    sdPieceSearch_Run(&search.base);
    if (search.best.status == SD_STATUS_INVALID) {
        return invalid;
    }
    bool isStart = search.best.isHit && search.best.fraction <= 0.0f;
    return isStart ? startHit(a, b, xfAB, search.best) : search.best;
}
