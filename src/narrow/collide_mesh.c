// SPDX-License-Identifier: MIT
// collide_mesh.c - overlap, distance and depth of meshes and compounds, piece by piece.
//
// In:   two shapes, at least one of them a mesh, compound or half-space; B's place in A.
// Out:  the answer of the two pieces that decide, in A's frame, with their indices.
// Note: a search looks for the nearest two pieces first and stops where it finds overlap; depth is
//       a second search, among the pieces whose boxes overlap. Never allocates.

#include "narrow/collide_mesh_pieces.h"
#include "narrow/half_space.h"

// ---- overlap -------------------------------------------------------------------------------

typedef struct OverlapSearch {
    sdPieceSearch base;
    sdOverlapResult result;
} OverlapSearch;

/// An iteration limit or bad numbers anywhere are worth more attention than success elsewhere.
static sdStatus worse(sdStatus a, sdStatus b) {
    return a > b ? a : b;
}

static float visitOverlap(void* arg, const sdPiecePair* pair) {
    OverlapSearch* search = arg;
    sdOverlapResult piece = sdOverlap(&pair->a, &pair->b, pair->xf, NULL);
    search->result.status = worse(search->result.status, piece.status);
    search->result.iterations += piece.iterations;
    search->result.isOverlapping = piece.isOverlapping;
    search->base.isTouching = piece.isOverlapping;
    return piece.isOverlapping ? SD_WALK_STOP : 0.0f;
}

static float visitInsideOverlap(void* arg, const sdPieceSearch* inside) {
    (void)inside;
    ((OverlapSearch*)arg)->result.isOverlapping = true;
    return SD_WALK_STOP;
}

sdOverlapResult sdMeshPair_Overlap(const sdShape* a, const sdShape* b, sdTransform xfAB) {
    OverlapSearch search = {.result.status = SD_STATUS_INVALID};
    if (sdHalfSpace_IsInPair(a, b)) {
        sdSeparation s = sdHalfSpace_Separation(a, b, xfAB, true);
        bool isValid = s.status != SD_STATUS_INVALID;
        return (sdOverlapResult){isValid && s.separation <= 0.0f, s.status, s.iterations};
    }
    if (!sdPieceSearch_Init(&search.base, a, b, xfAB)) {
        return search.result;
    }
    search.base.visit = visitOverlap;
    search.base.visitInside = visitInsideOverlap;
    search.base.arg = &search;
    search.base.bound = 0.0f;
    search.base.isNearest = true;
    search.result.status = SD_STATUS_TOLERANCE;
    sdPieceSearch_Run(&search.base);
    return search.result;
}

// ---- distance ------------------------------------------------------------------------------

typedef struct Best {
    sdPiecePair pair;
    bool isFound;
    double distance; ///< of the pieces
    double lowest;   ///< no two pieces are nearer than this
    bool isInside;   ///< one body is inside the other, however far from its surface
    sdSeparation inside;
    sdStatus status;
    int iterations;
} Best;

typedef struct DistanceSearch {
    sdPieceSearch base;
    Best best;
} DistanceSearch;

/// Equally near pieces: the smallest indices win, whatever the order in which they were found.
static bool isBefore(const sdPiecePair* a, const sdPiecePair* b) {
    return a->childA != b->childA ? a->childA < b->childA : a->childB < b->childB;
}

/// The next float that is not smaller.
static float roundUp(double a) {
    float rounded = (float)a;
    return (double)rounded < a ? nextafterf(rounded, FLT_MAX) : rounded;
}

static float visitDistance(void* arg, const sdPiecePair* pair) {
    DistanceSearch* search = arg;
    Best* best = &search->best;
    // pieces that are further apart than the best so far are left as soon as that is proved
    double limit = best->isFound ? best->distance : DBL_MAX;
    sdPairResult result;
    if (!sdPair_Separate(&pair->a, &pair->b, pair->xf, false, limit, NULL, &result)) {
        best->status = SD_STATUS_INVALID;
        return SD_WALK_STOP;
    }
    best->status = worse(best->status, result.status);
    best->iterations += result.iterations;
    double distance = result.separation > 0.0 ? result.separation : 0.0;
    double lower = distance - result.error;
    best->lowest = !best->isFound || lower < best->lowest ? lower : best->lowest;
    if (!best->isFound || distance < best->distance ||
        (distance == best->distance && isBefore(pair, &best->pair))) {
        best->pair = *pair;
        best->distance = distance;
        best->isFound = true;
        search->base.hasAxis = distance > 0.0;
        search->base.axis = sdVec3d_Round(result.normal);
    }
    search->base.isTouching = best->distance <= 0.0;
    return search->base.isTouching ? SD_WALK_STOP : roundUp(best->distance);
}

static float visitInsideDistance(void* arg, const sdPieceSearch* inside) {
    Best* best = &((DistanceSearch*)arg)->best;
    best->isInside = true;
    best->inside = (sdSeparation){.pointA = inside->insidePoint,
                                  .pointB = inside->insidePoint,
                                  .childA = inside->childA,
                                  .childB = inside->childB};
    return SD_WALK_STOP;
}

/// From the frame of a compound's child to that of the compound.
static sdSeparation moveSeparation(sdSeparation s, const sdPiecePair* pair) {
    s.childA = pair->childA;
    s.childB = pair->childB;
    if (pair->isAMoved) {
        s.normal = sdRotate(pair->xfA.q, s.normal);
        s.pointA = sdTransformPoint(pair->xfA, s.pointA);
        s.pointB = sdTransformPoint(pair->xfA, s.pointB);
    }
    return s;
}

/// Once more for the winners, with all that belongs to a result.
static sdSeparation separationOf(const Best* best) {
    const sdPiecePair* pair = &best->pair;
    sdSeparation s = moveSeparation(sdDistance(&pair->a, &pair->b, pair->xf, NULL), pair);
    s.status = worse(s.status, best->status);
    s.iterations += best->iterations;
    s.error = sdMaxF(s.error, s.separation - (float)best->lowest);
    return s;
}

/// Of pieces that just touch, which have a depth of nothing, but a direction.
static sdSeparation touchOf(const Best* best) {
    const sdPiecePair* pair = &best->pair;
    sdSeparation s = moveSeparation(sdPenetration(&pair->a, &pair->b, pair->xf, NULL), pair);
    s.separation = sdMinF(s.separation, 0.0f);
    s.status = worse(s.status, best->status);
    return s;
}

// ---- depth ---------------------------------------------------------------------------------

typedef struct DepthSearch {
    sdPieceSearch base;
    sdSeparation result;
    bool isFound;
    sdStatus status;
    int iterations;
} DepthSearch;

static void keepDeeper(DepthSearch* search, const sdSeparation* s) {
    const sdSeparation* best = &search->result;
    bool isBetter = !search->isFound || s->separation < best->separation;
    if (!isBetter && s->separation == best->separation) {
        isBetter = s->childA != best->childA ? s->childA < best->childA : s->childB < best->childB;
    }
    if (isBetter) {
        search->result = *s;
        search->isFound = true;
    }
}

static float visitDepth(void* arg, const sdPiecePair* pair) {
    DepthSearch* search = arg;
    // what cannot be the deepest matters only until it is known that something touches
    bool isDeepest = !search->isFound || pair->maxDepth > -(double)search->result.separation;
    if (!isDeepest && search->base.isTouching) {
        return 0.0f;
    }
    sdPairResult result;
    if (!sdPair_Separate(&pair->a, &pair->b, pair->xf, true, 0.0, NULL, &result)) {
        search->status = SD_STATUS_INVALID;
        return SD_WALK_STOP;
    }
    search->iterations += result.iterations;
    search->status = worse(search->status, result.status);
    if (result.separation <= 0.0) {
        search->base.isTouching = true;
        sdSeparation s = moveSeparation(sdPairResult_Round(&result, true), pair);
        keepDeeper(search, &s);
    }
    return 0.0f;
}

/// How far a shape reaches along a unit direction of its own frame.
static double reachAlong(const sdShape* shape, sdVec3 direction) {
    sdVec3d d = sdVec3d_From(direction);
    if (shape->type != SD_SHAPE_MESH) {
        return sdDotD(d, sdVec3d_From(sdShape_Support(shape, direction)));
    }
    sdMeshData data = sdMesh_GetData(shape->mesh);
    double reach = -DBL_MAX;
    for (int i = 0; i < data.vertexCount; ++i) {
        double along = sdDotD(d, sdVec3d_From(data.vertices[i]));
        reach = along > reach ? along : reach;
    }
    return reach;
}

/// One body is inside the other: out through the nearest point of the surface.
static float visitInsideDepth(void* arg, const sdPieceSearch* inside) {
    DepthSearch* search = arg;
    DistanceSearch nearest = {.base = *inside, .best.status = SD_STATUS_TOLERANCE};
    nearest.base.visit = visitDistance;
    nearest.base.visitInside = NULL;
    nearest.base.arg = &nearest;
    nearest.base.bound = SD_WALK_EVERYTHING;
    nearest.base.isNearest = true;
    sdPieceSearch_RunSimple(&nearest.base);
    sdSeparation s = separationOf(&nearest.best);
    if (s.status == SD_STATUS_INVALID) {
        return 0.0f;
    }
    if (!(s.separation > 0.0f)) {
        s = touchOf(&nearest.best);
        keepDeeper(search, &s);
        return 0.0f;
    }
    search->iterations += s.iterations;
    search->status = worse(search->status, s.status);
    // the way out is the way to the surface; both points are on the path of the inner body
    const sdPieceSearch* at = &nearest.base;
    bool isBInside = at->isBInside;
    sdVec3 way = isBInside ? sdNeg(s.normal) : s.normal;
    sdVec3 local = sdInvRotate(at->xfA.q, way);
    sdVec3 own = isBInside ? sdInvRotate(at->xf.q, local) : local;
    const sdShape* inner = isBInside ? at->b : at->a;
    double width = reachAlong(inner, own) + reachAlong(inner, sdNeg(own));
    s.separation = -(s.separation + (float)width);
    s.normal = sdNeg(s.normal);
    if (isBInside) {
        s.pointB = sdMulAdd(s.pointA, s.separation, s.normal);
    } else {
        s.pointA = sdMulAdd(s.pointB, -s.separation, s.normal);
    }
    keepDeeper(search, &s);
    return 0.0f;
}

static sdSeparation depthOf(const DistanceSearch* found) {
    DepthSearch search = {.base = found->base, .status = SD_STATUS_TOLERANCE};
    search.base.visit = visitDepth;
    search.base.visitInside = visitInsideDepth;
    search.base.arg = &search;
    search.base.bound = 0.0f;
    search.base.isNearest = true;
    sdPieceSearch_Run(&search.base);
    if (!search.isFound) {
        return found->best.isFound ? touchOf(&found->best) : sdSeparation_Invalid();
    }
    sdSeparation s = search.result;
    s.status = search.status;
    s.iterations = search.iterations + found->best.iterations;
    return s;
}

sdSeparation sdMeshPair_Separation(const sdShape* a, const sdShape* b, sdTransform xfAB,
                                   bool wantsDepth) {
    if (sdHalfSpace_IsInPair(a, b)) {
        return sdHalfSpace_Separation(a, b, xfAB, wantsDepth);
    }
    DistanceSearch search = {.best.status = SD_STATUS_TOLERANCE};
    if (!sdPieceSearch_Init(&search.base, a, b, xfAB)) {
        return sdSeparation_Invalid();
    }
    search.base.visit = visitDistance;
    search.base.visitInside = visitInsideDistance;
    search.base.arg = &search;
    search.base.bound = SD_WALK_EVERYTHING;
    search.base.isNearest = true;
    sdPieceSearch_Run(&search.base);
    const Best* best = &search.best;
    if (best->status == SD_STATUS_INVALID || !(best->isFound || best->isInside)) {
        return sdSeparation_Invalid();
    }
    bool isOverlapping = best->isInside || best->distance <= 0.0;
    if (isOverlapping && wantsDepth) {
        return depthOf(&search);
    }
    if (best->isInside) {
        sdSeparation s = best->inside;
        s.status = best->status;
        s.iterations = best->iterations;
        return s;
    }
    return separationOf(best);
}
