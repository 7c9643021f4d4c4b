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
#include "narrow/support_face.h"

/// Boxes of turned shapes are rounded by a few units in the last place of their furthest
/// coordinate.
#define BOX_ROUNDING 1e-6f

// ---- boxes ---------------------------------------------------------------------------------

static float reachOf(sdAABB box) {
    sdVec3 far = sdMax(sdAbs(box.lower), sdAbs(box.upper));
    return sdMaxF(far.x, sdMaxF(far.y, far.z));
}

/// The largest coordinate of a shape in its own frame; 0 for a half-space.
static float ownReach(const sdShape* shape) {
    switch (shape->type) {
        case SD_SHAPE_HALF_SPACE:
            return 0.0f;
        case SD_SHAPE_MESH:
            return reachOf(shape->mesh->bounds);
        case SD_SHAPE_COMPOUND:
            return reachOf(shape->compound->bounds);
        case SD_SHAPE_HULL:
            return reachOf(sdHull_GetBounds(shape->hull));
        case SD_SHAPE_SPHERE:
            return shape->sphere.radius;
        case SD_SHAPE_CAPSULE:
            return shape->capsule.radius + shape->capsule.halfLength;
        default:
            return reachOf(sdShape_GetBounds(shape, sdTransform_Identity()));
    }
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

// ---- planes of triangles -------------------------------------------------------------------

/// How two pieces lie along one direction.
typedef struct Gap {
    double distance; ///< they are at least this far apart; not negative
    double depth;    ///< moving by this much along the direction, one way or the other, parts them
} Gap;

/// The heights that a shape takes along the direction d of its own frame.
static void rangeAlong(const sdShape* shape, sdVec3d d, double* lower, double* upper) {
    if (shape->type == SD_SHAPE_TRIANGLE) {
        const sdVec3* v = shape->triangle.vertices;
        double h0 = sdDotD(d, sdVec3d_From(v[0]));
        double h1 = sdDotD(d, sdVec3d_From(v[1]));
        double h2 = sdDotD(d, sdVec3d_From(v[2]));
        *lower = h0 < h1 ? (h0 < h2 ? h0 : h2) : (h1 < h2 ? h1 : h2);
        *upper = h0 > h1 ? (h0 > h2 ? h0 : h2) : (h1 > h2 ? h1 : h2);
    } else {
        *lower = -sdSupport_Height(shape, sdScaleD(-1.0, d));
        *upper = sdSupport_Height(shape, d);
    }
}

/// Narrow what is known by the plane of a triangle.
static void useFace(Gap* gap, const sdShape* triangle, const sdShape* other, const sdPose* pose,
                    bool isTriangleOfA) {
    const sdVec3* v = triangle->triangle.vertices;
    sdVec3d origin = sdVec3d_From(v[0]);
    sdVec3d n = sdCrossD(sdSubD(sdVec3d_From(v[1]), origin), sdSubD(sdVec3d_From(v[2]), origin));
    double length = sdLengthD(n);
    if (!(length > 0.0)) {
        return;
    }
    n = sdScaleD(1.0 / length, n);
    // the plane in the frame of the other piece
    sdVec3d local;
    double offset = sdDotD(n, origin);
    if (isTriangleOfA) {
        local = sdPose_InvRotate(pose, n);
        offset -= sdDotD(n, pose->offset);
    } else {
        local = sdPose_Rotate(pose, n);
        offset += sdDotD(local, pose->offset);
    }
    double lower, upper;
    rangeAlong(other, local, &lower, &upper);
    double above = lower - offset, below = offset - upper;
    double distance = above > below ? above : below;
    gap->distance = distance > gap->distance ? distance : gap->distance;
    gap->depth = -distance < gap->depth ? -distance : gap->depth;
}

/// @return false when they are proved to be further apart than the bound
static bool isNear(const sdPieceSearch* search, const sdShape* a, const sdShape* b,
                   double* maxDepth) {
    Gap gap = {0.0, DBL_MAX};
    double limit = (double)search->bound + (double)search->slack;
    if (a->type == SD_SHAPE_TRIANGLE && b->type != SD_SHAPE_HALF_SPACE) {
        useFace(&gap, a, b, &search->pose, true);
    }
    if (gap.distance <= limit && b->type == SD_SHAPE_TRIANGLE && a->type != SD_SHAPE_HALF_SPACE) {
        useFace(&gap, b, a, &search->pose, false);
    }
    *maxDepth = gap.depth;
    return gap.distance <= limit;
}

// ---- two simple shapes ---------------------------------------------------------------------

static sdShape triangleOf(const sdMesh* mesh, int index) {
    const int32_t* t = mesh->triangles + 3 * (size_t)index;
    return sdShape_Triangle(mesh->vertices[t[0]], mesh->vertices[t[1]], mesh->vertices[t[2]]);
}

/// A triangle is named by its own index unless its mesh is a compound's child.
static void nameTriangle(int child, int triangle, int* name, int* sub) {
    *name = child != SD_NULL_INDEX ? child : triangle;
    *sub = child != SD_NULL_INDEX ? triangle : SD_NULL_INDEX;
}

static bool isAMesh(const sdShape* shape) {
    return shape->type == SD_SHAPE_MESH;
}

/// The axis as the walk of one mesh wants it: seen from that mesh.
static void turnAxis(sdPieceSearch* search) {
    sdWalkAxis* axis = &search->walkAxis;
    axis->isSet = search->hasAxis;
    axis->normal = search->axis;
    bool isMeshA = isAMesh(search->a), isMeshB = isAMesh(search->b);
    if (!search->hasAxis || isMeshA == isMeshB) {
        return;
    }
    sdVec3d n = sdVec3d_From(search->axis);
    sdVec3d local = sdPose_InvRotate(&search->pose, n);
    double reach = sdDotD(n, search->pose.offset);
    if (isMeshA) {
        reach -= sdSupport_Height(search->b, sdScaleD(-1.0, local));
    } else {
        axis->normal = sdVec3d_Round(sdScaleD(-1.0, local));
        reach -= sdSupport_Height(search->a, n);
    }
    axis->reach = (float)reach - search->slack;
}

/// Two pieces of the simple shapes.
/// @param indexA, indexB triangle of a mesh; else SD_NULL_INDEX
static float visitPieces(sdPieceSearch* search, int indexA, int indexB) {
    sdPiecePair pair;
    pair.a = indexA != SD_NULL_INDEX ? triangleOf(search->a->mesh, indexA) : *search->a;
    pair.b = indexB != SD_NULL_INDEX ? triangleOf(search->b->mesh, indexB) : *search->b;
    pair.maxDepth = DBL_MAX;
    if (!search->isMoving && !isNear(search, &pair.a, &pair.b, &pair.maxDepth)) {
        return search->bound;
    }
    pair.xf = search->xf;
    pair.xfA = search->xfA;
    pair.isAMoved = search->isAMoved;
    nameTriangle(search->childA, indexA, &pair.childA, &pair.subA);
    nameTriangle(search->childB, indexB, &pair.childB, &pair.subB);
    search->bound = search->visit(search->arg, &pair);
    turnAxis(search);
    return search->bound;
}

static float visitLaneOfA(void* arg, const sdMeshBvhLeaf* leaf, int lane) {
    return visitPieces(arg, leaf->triangle[lane], SD_NULL_INDEX);
}

static float visitLaneOfB(void* arg, const sdMeshBvhLeaf* leaf, int lane) {
    return visitPieces(arg, SD_NULL_INDEX, leaf->triangle[lane]);
}

static float visitLanes(void* arg, const sdMeshBvhLeaf* leafA, int laneA,
                        const sdMeshBvhLeaf* leafB, int laneB) {
    return visitPieces(arg, leafA->triangle[laneA], leafB->triangle[laneB]);
}

/// Translation of b in a's frame.
static sdVec3 localTranslation(const sdPieceSearch* search) {
    return search->isAMoved ? sdInvRotate(search->xfA.q, search->translation) : search->translation;
}

/// A mesh and a convex shape: the triangle that is nearest to a sphere's centre is the nearest and
/// the deepest one; for others the one that is nearest to their middle is a good start.
/// @return whether it was all that is wanted
static bool visitNearest(sdPieceSearch* search) {
    bool isMeshA = isAMesh(search->a);
    const sdMesh* mesh = (isMeshA ? search->a : search->b)->mesh;
    const sdShape* other = isMeshA ? search->b : search->a;
    sdTransform xf = isMeshA ? search->xf : sdInvertXf(search->xf);
    bool isSphere = other->type == SD_SHAPE_SPHERE;
    if (!isSphere && search->bound < SD_WALK_EVERYTHING) {
        return false;
    }
    sdVec3 center = isSphere ? xf.p : sdAABB_Center(sdPiece_GetBox(other, xf));
    float limit = isSphere ? search->bound + other->sphere.radius + search->slack : FLT_MAX;
    sdMeshPoint nearest = sdMeshBvh_ClosestPoint(&mesh->bvh, center, limit);
    if (nearest.triangle != SD_NULL_INDEX) {
        visitPieces(search, isMeshA ? nearest.triangle : SD_NULL_INDEX,
                    isMeshA ? SD_NULL_INDEX : nearest.triangle);
    }
    return isSphere;
}

/// Two meshes: from the middle of B to A and from there to B.
static void visitNearestOfMeshes(sdPieceSearch* search) {
    const sdMesh *a = search->a->mesh, *b = search->b->mesh;
    sdVec3 middle = sdTransformPoint(search->xf, sdAABB_Center(b->bounds));
    sdMeshPoint onA = sdMeshBvh_ClosestPoint(&a->bvh, middle, FLT_MAX);
    sdVec3 local = sdInvTransformPoint(search->xf, onA.point);
    sdMeshPoint onB = sdMeshBvh_ClosestPoint(&b->bvh, local, FLT_MAX);
    if (onA.triangle != SD_NULL_INDEX && onB.triangle != SD_NULL_INDEX) {
        visitPieces(search, onA.triangle, onB.triangle);
    }
}

static void walkMesh(sdPieceSearch* search, sdVec3 translation) {
    if (search->isNearest && visitNearest(search)) {
        return;
    }
    bool isMeshA = isAMesh(search->a);
    const sdShape* other = isMeshA ? search->b : search->a;
    sdTransform xf = isMeshA ? search->xf : sdInvertXf(search->xf);
    // seen from B, it is A that moves, the other way
    sdVec3 way = isMeshA ? translation : sdNeg(sdInvRotate(search->xf.q, translation));
    float drift = BOX_ROUNDING * sdLength(translation);
    sdMeshBoxWalk walk = {.bvh = &(isMeshA ? search->a : search->b)->mesh->bvh,
                          .box = sdAABB_Grow(sdPiece_GetBox(other, xf), drift),
                          .isMoving = search->isMoving,
                          .translation = way,
                          .axis = &search->walkAxis,
                          .bound = search->bound,
                          .visit = isMeshA ? visitLaneOfA : visitLaneOfB,
                          .arg = search};
    SD_DISPATCH(sdMeshBoxWalk_Run)(&walk);
}

static void walkMeshes(sdPieceSearch* search, sdVec3 translation) {
    if (search->isNearest && search->bound >= SD_WALK_EVERYTHING) {
        visitNearestOfMeshes(search);
    }
    sdMeshPairWalk walk = {.a = &search->a->mesh->bvh,
                           .b = &search->b->mesh->bvh,
                           .boundsA = search->a->mesh->bounds,
                           .boundsB = search->b->mesh->bounds,
                           .xfAB = search->xf,
                           .isMoving = search->isMoving,
                           .translation = translation,
                           .axis = &search->walkAxis,
                           .bound = search->bound,
                           .visit = visitLanes,
                           .arg = search};
    SD_DISPATCH(sdMeshPairWalk_Run)(&walk);
}

static void walkConvex(sdPieceSearch* search, sdVec3 translation) {
    sdAABB a = sdPiece_GetBox(search->a, sdTransform_Identity());
    sdAABB b = sdPiece_GetBox(search->b, search->xf);
    if (measureBoxes(a, b, search->isMoving, translation) <= search->bound) {
        visitPieces(search, SD_NULL_INDEX, SD_NULL_INDEX);
    }
}

/// The triangles of a mesh that are low enough over a half-space.
static void walkPlane(sdPieceSearch* search) {
    bool isPlaneA = search->a->type == SD_SHAPE_HALF_SPACE;
    const sdMesh* mesh = (isPlaneA ? search->b : search->a)->mesh;
    sdVec3 up = sdV3(0.0f, 1.0f, 0.0f), p = search->xf.p;
    sdVec3 normal = isPlaneA ? sdInvRotate(search->xf.q, up) : sdRotate(search->xf.q, up);
    sdMeshPlaneWalk walk = {.bvh = &mesh->bvh,
                            .normal = normal,
                            .offset = isPlaneA ? -p.y : sdDot(normal, p),
                            .slack = search->slack + BOX_ROUNDING * search->bound,
                            .bound = search->bound,
                            .visit = isPlaneA ? visitLaneOfB : visitLaneOfA,
                            .arg = search};
    sdMeshPlaneWalk_Run(&walk);
}

// ---- one inside the other ------------------------------------------------------------------

/// Well inside a convex shape: a corner that touches a surface may be on either side of it.
static sdVec3 somePoint(const sdShape* shape) {
    sdVec3 sum = sdV3(0.0f, 0.0f, 0.0f);
    for (int i = 0; i < 6; ++i) {
        float sign = i < 3 ? 1.0f : -1.0f;
        sdVec3 d =
            sdV3(i % 3 == 0 ? sign : 0.0f, i % 3 == 1 ? sign : 0.0f, i % 3 == 2 ? sign : 0.0f);
        sum = sdAdd(sum, sdShape_Support(shape, d));
    }
    return sdScale(1.0f / 6.0f, sum);
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

/// What all pairs of pieces of two simple shapes share.
static void prepare(sdPieceSearch* search) {
    search->isTouching = false;
    search->hasAxis = false;
    search->walkAxis.isSet = false;
    sdPose_Set(&search->pose, search->xf);
    float size = ownReach(search->a) + ownReach(search->b) + sdLength(search->xf.p);
    search->slack = BOX_ROUNDING * size;
}

void sdPieceSearch_RunSimple(sdPieceSearch* search) {
    sdVec3 translation = localTranslation(search);
    bool isPlane = search->a->type == SD_SHAPE_HALF_SPACE || search->b->type == SD_SHAPE_HALF_SPACE;
    bool isMeshA = isAMesh(search->a), isMeshB = isAMesh(search->b);
    prepare(search);
    if (isPlane && (isMeshA || isMeshB)) {
        walkPlane(search);
    } else if (isMeshA && isMeshB) {
        walkMeshes(search, translation);
    } else if (isMeshA || isMeshB) {
        walkMesh(search, translation);
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
    return sdShape_IsValid(shape) && ownReach(shape) <= SD_MAX_REACH;
}

bool sdPieces_AreValid(const sdShape* a, const sdShape* b, sdTransform xfAB) {
    return isUsable(a) && isUsable(b) && sdTransform_IsValid(xfAB) &&
           sdLength(xfAB.p) <= SD_MAX_REACH &&
           !(a->type == SD_SHAPE_HALF_SPACE && b->type == SD_SHAPE_HALF_SPACE);
}

bool sdPieceSearch_Init(sdPieceSearch* search, const sdShape* a, const sdShape* b,
                        sdTransform xfAB) {
    if (!sdPieces_AreValid(a, b, xfAB)) {
        return false;
    }
    *search = (sdPieceSearch){.wholeA = a, .wholeB = b};
    search->xfAB = sdTransform_Make(xfAB.p, sdNormalizeQ(xfAB.q));
    return true;
}
