// SPDX-License-Identifier: MIT
// collide_mesh_pieces.c - goes through the pieces of two bodies that may be near each other.
//
// In:   two shapes, a bound and a visitor.
// Out:  calls of the visitor with two convex pieces at a time, and once for each two simple shapes
//       of which one is inside the other.
// Note: compounds have no tree: each child of A is held against the box of all of B, and those that
//       are near against each child of B.

#include "narrow/collide_mesh_pieces.h"

#include "geometry/compound.h"
#include "geometry/mesh.h"
#include "math/vec3d.h"

/// Boxes of turned shapes are rounded by a few units in the last place of their furthest
/// coordinate.
#define BOX_ROUNDING 1e-6f

// ---- boxes ---------------------------------------------------------------------------------

static float reachOf(sdAABB box) {
    sdVec3 far = sdMax(sdAbs(box.lower), sdAbs(box.upper));
    return sdMaxF(far.x, sdMaxF(far.y, far.z));
}

sdAABB sdPiece_GetBox(const sdShape* shape, sdTransform xf) {
    switch (shape->type) {
        case SD_SHAPE_MESH:
            return sdAABB_Transform(xf, shape->mesh->bounds);
        case SD_SHAPE_COMPOUND: {
            sdAABB box = shape->compound->bounds;
            return sdAABB_Transform(xf, sdAABB_Grow(box, BOX_ROUNDING * reachOf(box)));
        }
        default: {
            sdAABB box = sdShape_GetBounds(shape, xf);
            return sdAABB_Grow(box, BOX_ROUNDING * reachOf(box));
        }
    }
}

/// Distance of two boxes, or the fraction of a translation of the second at which they meet;
/// FLT_MAX when they do not.
static float measureBoxes(sdAABB a, sdAABB b, bool isMoving, sdVec3 translation) {
    double sum = 0.0, first = 0.0, last = 1.0;
    for (int i = 0; i < 3; ++i) {
        double from = (double)sdVec3_Get(a.lower, i) - (double)sdVec3_Get(b.upper, i);
        double to = (double)sdVec3_Get(a.upper, i) - (double)sdVec3_Get(b.lower, i);
        double gap = from > 0.0 ? from : (to < 0.0 ? -to : 0.0);
        sum += gap * gap;
        double step = (double)sdVec3_Get(translation, i);
        if (step == 0.0) {
            last = gap > 0.0 ? -1.0 : last;
            continue;
        }
        double t0 = (step > 0.0 ? from : to) / step;
        double t1 = (step > 0.0 ? to : from) / step;
        first = t0 > first ? t0 : first;
        last = t1 < last ? t1 : last;
    }
    if (isMoving) {
        return first <= last ? (float)(first * (1.0 - (double)BOX_ROUNDING)) : FLT_MAX;
    }
    return (float)(sqrt(sum) * (1.0 - (double)BOX_ROUNDING));
}

// ---- two simple shapes ---------------------------------------------------------------------

static sdPiecePair pairOf(const sdPieceSearch* search) {
    return (sdPiecePair){.a = *search->a,
                         .b = *search->b,
                         .xf = search->xf,
                         .xfA = search->xfA,
                         .isAMoved = search->isAMoved,
                         .childA = search->childA,
                         .childB = search->childB,
                         .subA = SD_NULL_INDEX,
                         .subB = SD_NULL_INDEX};
}

static sdShape triangleOf(const sdMeshBvhLeaf* leaf, int lane) {
    return sdShape_Triangle(sdMeshBvhLeaf_GetCorner(leaf, lane, 0),
                            sdMeshBvhLeaf_GetCorner(leaf, lane, 1),
                            sdMeshBvhLeaf_GetCorner(leaf, lane, 2));
}

/// A triangle has its own index unless its mesh is a compound's child.
static void nameTriangle(int* child, int* sub, const sdMeshBvhLeaf* leaf, int lane) {
    if (*child == SD_NULL_INDEX) {
        *child = leaf->triangle[lane];
    } else {
        *sub = leaf->triangle[lane];
    }
}

static float visitPair(sdPieceSearch* search, const sdPiecePair* pair) {
    search->bound = search->visit(search->arg, pair);
    return search->bound;
}

static float visitTriangleOfA(void* arg, const sdMeshBvhLeaf* leaf, int lane) {
    sdPieceSearch* search = arg;
    sdPiecePair pair = pairOf(search);
    pair.a = triangleOf(leaf, lane);
    nameTriangle(&pair.childA, &pair.subA, leaf, lane);
    return visitPair(search, &pair);
}

static float visitTriangleOfB(void* arg, const sdMeshBvhLeaf* leaf, int lane) {
    sdPieceSearch* search = arg;
    sdPiecePair pair = pairOf(search);
    pair.b = triangleOf(leaf, lane);
    nameTriangle(&pair.childB, &pair.subB, leaf, lane);
    return visitPair(search, &pair);
}

static float visitTriangles(void* arg, const sdMeshBvhLeaf* leafA, int laneA,
                            const sdMeshBvhLeaf* leafB, int laneB) {
    sdPieceSearch* search = arg;
    sdPiecePair pair = pairOf(search);
    pair.a = triangleOf(leafA, laneA);
    pair.b = triangleOf(leafB, laneB);
    nameTriangle(&pair.childA, &pair.subA, leafA, laneA);
    nameTriangle(&pair.childB, &pair.subB, leafB, laneB);
    return visitPair(search, &pair);
}

/// Translation of b in a's frame.
static sdVec3 localTranslation(const sdPieceSearch* search) {
    return search->isAMoved ? sdInvRotate(search->xfA.q, search->translation) : search->translation;
}

static void walkMeshA(sdPieceSearch* search, sdVec3 translation) {
    float drift = BOX_ROUNDING * sdLength(translation);
    sdMeshBoxWalk walk = {.bvh = &search->a->mesh->bvh,
                          .box = sdAABB_Grow(sdPiece_GetBox(search->b, search->xf), drift),
                          .isMoving = search->isMoving,
                          .translation = translation,
                          .bound = search->bound,
                          .visit = visitTriangleOfA,
                          .arg = search};
    SD_DISPATCH(sdMeshBoxWalk_Run)(&walk);
}

/// Seen from B, it is A that moves, the other way.
static void walkMeshB(sdPieceSearch* search, sdVec3 translation) {
    float drift = BOX_ROUNDING * sdLength(translation);
    sdMeshBoxWalk walk = {.bvh = &search->b->mesh->bvh,
                          .box =
                              sdAABB_Grow(sdPiece_GetBox(search->a, sdInvertXf(search->xf)), drift),
                          .isMoving = search->isMoving,
                          .translation = sdNeg(sdInvRotate(search->xf.q, translation)),
                          .bound = search->bound,
                          .visit = visitTriangleOfB,
                          .arg = search};
    SD_DISPATCH(sdMeshBoxWalk_Run)(&walk);
}

static void walkMeshes(sdPieceSearch* search, sdVec3 translation) {
    sdMeshPairWalk walk = {.a = &search->a->mesh->bvh,
                           .b = &search->b->mesh->bvh,
                           .boundsA = search->a->mesh->bounds,
                           .boundsB = search->b->mesh->bounds,
                           .xfAB = search->xf,
                           .isMoving = search->isMoving,
                           .translation = translation,
                           .bound = search->bound,
                           .visit = visitTriangles,
                           .arg = search};
    SD_DISPATCH(sdMeshPairWalk_Run)(&walk);
}

static void walkConvex(sdPieceSearch* search, sdVec3 translation) {
    sdAABB a = sdPiece_GetBox(search->a, sdTransform_Identity());
    sdAABB b = sdPiece_GetBox(search->b, search->xf);
    if (measureBoxes(a, b, search->isMoving, translation) <= search->bound) {
        sdPiecePair pair = pairOf(search);
        visitPair(search, &pair);
    }
}

/// The triangles of a mesh that are low enough over a half-space.
static void walkPlane(sdPieceSearch* search) {
    bool isPlaneA = search->a->type == SD_SHAPE_HALF_SPACE;
    const sdMesh* mesh = (isPlaneA ? search->b : search->a)->mesh;
    sdVec3 up = sdV3(0.0f, 1.0f, 0.0f), p = search->xf.p;
    sdVec3 normal = isPlaneA ? sdInvRotate(search->xf.q, up) : sdRotate(search->xf.q, up);
    float size = reachOf(mesh->bounds) + sdLength(p) + search->bound;
    sdMeshPlaneWalk walk = {.bvh = &mesh->bvh,
                            .normal = normal,
                            .offset = isPlaneA ? -p.y : sdDot(normal, p),
                            .slack = BOX_ROUNDING * size,
                            .bound = search->bound,
                            .visit = isPlaneA ? visitTriangleOfB : visitTriangleOfA,
                            .arg = search};
    sdMeshPlaneWalk_Run(&walk);
}

// ---- one inside the other ------------------------------------------------------------------

static sdVec3 somePoint(const sdShape* shape) {
    return sdShape_Support(shape, sdV3(1.0f, 0.0f, 0.0f));
}

/// A shape that touches no triangle of a closed mesh is inside it with all of its points or with
/// none. A mesh of several components is looked at vertex by vertex: each may be inside or not.
static bool isInside(const sdMesh* mesh, const sdShape* inner, sdTransform xf, sdVec3* point) {
    if (!mesh->report.isClosed) {
        return false;
    }
    int count = 1;
    if (inner->type == SD_SHAPE_MESH && inner->mesh->report.componentCount > 1) {
        count = inner->mesh->vertexCount;
    }
    for (int i = 0; i < count; ++i) {
        sdVec3 own = inner->type == SD_SHAPE_MESH ? inner->mesh->vertices[i] : somePoint(inner);
        *point = sdTransformPoint(xf, own);
        if (sdMesh_ContainsByParity(mesh, *point)) {
            return true;
        }
    }
    return false;
}

static bool isAMesh(const sdShape* shape) {
    return shape->type == SD_SHAPE_MESH;
}

static void findInside(sdPieceSearch* search) {
    sdVec3 point;
    bool isFound = false;
    if (isAMesh(search->a) && isInside(search->a->mesh, search->b, search->xf, &point)) {
        isFound = true;
        search->isBInside = true;
    } else if (isAMesh(search->b) &&
               isInside(search->b->mesh, search->a, sdInvertXf(search->xf), &point)) {
        isFound = true;
        search->isBInside = false;
        point = sdTransformPoint(search->xf, point);
    }
    if (isFound) {
        search->insidePoint = search->isAMoved ? sdTransformPoint(search->xfA, point) : point;
        search->bound = search->visitInside(search->arg, search);
    }
}

void sdPieceSearch_RunSimple(sdPieceSearch* search) {
    sdVec3 translation = localTranslation(search);
    bool isPlane = search->a->type == SD_SHAPE_HALF_SPACE || search->b->type == SD_SHAPE_HALF_SPACE;
    search->isTouching = false;
    if (isPlane && (isAMesh(search->a) || isAMesh(search->b))) {
        walkPlane(search);
    } else if (isAMesh(search->a) && isAMesh(search->b)) {
        walkMeshes(search, translation);
    } else if (isAMesh(search->a)) {
        walkMeshA(search, translation);
    } else if (isAMesh(search->b)) {
        walkMeshB(search, translation);
    } else {
        walkConvex(search, translation);
    }
    if (search->visitInside != NULL && !search->isTouching && search->bound >= 0.0f) {
        findInside(search);
    }
}

// ---- children ------------------------------------------------------------------------------

static int childCountOf(const sdShape* shape) {
    return shape->type == SD_SHAPE_COMPOUND ? shape->compound->childCount : 1;
}

static void runChildrenOfB(sdPieceSearch* search, sdTransform xfAB) {
    const sdShape* whole = search->wholeB;
    if (whole->type != SD_SHAPE_COMPOUND) {
        search->b = whole;
        search->xf = xfAB;
        search->childB = SD_NULL_INDEX;
        sdPieceSearch_RunSimple(search);
        return;
    }
    for (int i = 0; i < whole->compound->childCount && search->bound >= 0.0f; ++i) {
        const sdCompoundChild* child = &whole->compound->children[i];
        search->b = &child->shape;
        search->xf = sdMulXf(xfAB, child->xf);
        search->xf.q = sdNormalizeQ(search->xf.q);
        search->childB = i;
        sdPieceSearch_RunSimple(search);
    }
}

void sdPieceSearch_Run(sdPieceSearch* search) {
    const sdShape* whole = search->wholeA;
    sdTransform identity = sdTransform_Identity();
    if (whole->type != SD_SHAPE_COMPOUND) {
        search->a = whole;
        search->xfA = identity;
        search->isAMoved = false;
        search->childA = SD_NULL_INDEX;
        runChildrenOfB(search, search->xfAB);
        return;
    }
    sdAABB boxB = sdPiece_GetBox(search->wholeB, search->xfAB);
    for (int i = 0; i < childCountOf(whole) && search->bound >= 0.0f; ++i) {
        const sdCompoundChild* child = &whole->compound->children[i];
        sdAABB boxA = sdPiece_GetBox(&child->shape, child->xf);
        if (measureBoxes(boxA, boxB, search->isMoving, search->translation) > search->bound) {
            continue;
        }
        search->a = &child->shape;
        search->xfA = child->xf;
        search->xfA.q = sdNormalizeQ(search->xfA.q);
        search->isAMoved = true;
        search->childA = i;
        runChildrenOfB(search, sdInvMulXf(search->xfA, search->xfAB));
    }
}

// ---- start ---------------------------------------------------------------------------------

static bool isUsable(const sdShape* shape) {
    if (!sdShape_IsValid(shape)) {
        return false;
    }
    switch (shape->type) {
        case SD_SHAPE_HALF_SPACE:
            return true;
        case SD_SHAPE_MESH:
            return reachOf(shape->mesh->bounds) <= SD_MAX_REACH;
        case SD_SHAPE_COMPOUND:
            return reachOf(shape->compound->bounds) <= SD_MAX_REACH;
        case SD_SHAPE_HULL:
            return reachOf(sdHull_GetBounds(shape->hull)) <= SD_MAX_REACH;
        default:
            return reachOf(sdShape_GetBounds(shape, sdTransform_Identity())) <= SD_MAX_REACH;
    }
}

bool sdPieceSearch_Init(sdPieceSearch* search, const sdShape* a, const sdShape* b,
                        sdTransform xfAB) {
    if (!isUsable(a) || !isUsable(b) || !sdTransform_IsValid(xfAB) ||
        !(sdLength(xfAB.p) <= SD_MAX_REACH)) {
        return false;
    }
    if (a->type == SD_SHAPE_HALF_SPACE && b->type == SD_SHAPE_HALF_SPACE) {
        return false;
    }
    *search = (sdPieceSearch){.wholeA = a, .wholeB = b};
    search->xfAB = sdTransform_Make(xfAB.p, sdNormalizeQ(xfAB.q));
    return true;
}
