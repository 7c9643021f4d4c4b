// SPDX-License-Identifier: MIT
// collide_surface.c - where a convex body touches a mesh, without the mesh's inner edges.
//
// In:   two shapes, one of them (or a child of it) a mesh; a margin.
// Out:  patches of contact points by normal, as manifolds in A's frame.
// Note: a triangle whose edges are all inside of a flat or hollow surface can only be touched by
//       its face: the corners of what the body shows to it, as far as they are over the triangle,
//       are all its points. Only at edges that stick out the nearest features are searched for, and
//       their normal counts when no triangle around rises above the plane across it; if one does,
//       the contact belongs to that one, and this triangle gives what its face gives. Never
//       allocates.

#include "narrow/collide_surface.h"

#include "geometry/compound.h"
#include "narrow/collide_mesh_pieces.h"
#include "narrow/surface.h"

/// Points beside a triangle by this fraction of the body's size are over it where two faces are
/// nearly one: a few times the angle between normals that are the same.
#define NEARLY_OVER (4.0 * SD_SURFACE_SAME_NORMAL)
/// Points further away than the margin, as a fraction of the body's size, that still count: as for
/// sdCollide.
#define MARGIN_TOLERANCE 1e-6
/// Times the size of a body and the margin within which the surface that it touches is nearest.
#define REACH 2.0f
/// Boxes of turned bodies are rounded by a few units in the last place of their furthest
/// coordinate.
#define BOX_ROUNDING 1e-6f
/// Distance of a body's middle from a triangle's plane, as a fraction of its size, from which on it
/// is clear on which side it is.
#define CLEAR_SIDE 1e-4

// ---- triangles -----------------------------------------------------------------------------

sdVec3d sdSurface_NormalOf(const sdMesh* mesh, int index) {
    const int32_t* t = mesh->triangles + 3 * (size_t)index;
    sdVec3d c[3];
    for (int i = 0; i < 3; ++i) {
        c[i] = sdVec3d_From(mesh->vertices[t[i]]);
    }
    sdVec3d n = sdCrossD(sdSubD(c[1], c[0]), sdSubD(c[2], c[0]));
    double length = sdLengthD(n);
    return length > 0.0 ? sdScaleD(1.0 / length, n) : sdV3d(0.0, 0.0, 0.0);
}

/// Its plane, seen from the body.
/// @param n its normal
static bool startTriangle(const sdSurfaceSearch* search, int index, sdVec3d n,
                          sdSurfaceTriangle* out) {
    const int32_t* t = search->mesh->triangles + 3 * (size_t)index;
    for (int i = 0; i < 3; ++i) {
        out->corners[i] = sdVec3d_From(search->mesh->vertices[t[i]]);
    }
    double facing =
        search->side != 0.0 ? search->side : sdDotD(n, sdSubD(search->center, out->corners[0]));
    out->index = index;
    out->normal = facing >= 0.0 ? n : sdScaleD(-1.0, n);
    return facing >= 0.0;
}

/// Its sides.
static void setSides(sdVec3d n, sdSurfaceTriangle* out) {
    const sdVec3d* c = out->corners;
    for (int i = 0; i < 3; ++i) {
        sdVec3d side = sdSubD(c[i == 2 ? 0 : i + 1], c[i]);
        out->outward[i] = sdScaleD(1.0 / sdLengthD(side), sdCrossD(side, n));
    }
}

/// Whether a round body is beyond a side by more than it reaches.
static bool isBeyond(const sdSurfaceSearch* search, const sdSurfaceTriangle* triangle) {
    double reach = search->limit + search->radius;
    for (int i = 0; i < 3 && search->isRound; ++i) {
        sdVec3d outward = triangle->outward[i], corner = triangle->corners[i];
        if (sdDotD(outward, sdSubD(search->ends[0], corner)) > reach &&
            sdDotD(outward, sdSubD(search->ends[1], corner)) > reach) {
            return true;
        }
    }
    return false;
}

// ---- edges that stick out ------------------------------------------------------------------

void sdSurfaceSearch_AddManifold(sdSurfaceSearch* search, const sdSurfaceTriangle* triangle,
                                 const sdManifold* manifold, sdVec3d normal) {
    for (int i = 0; i < manifold->pointCount; ++i) {
        const sdManifoldPoint* from = &manifold->points[i];
        sdSurfacePoint point = {
            .onMesh = sdVec3d_From(from->pointA),
            .onBody = sdVec3d_From(from->pointB),
            .id = from->id ^ ((uint32_t)(triangle->index + 1) * 0x9E3779B1u),
            .triangle = triangle->index,
        };
        point.separation = sdDotD(normal, sdSubD(point.onBody, point.onMesh));
        sdSurfacePatches_Add(&search->patches, normal, manifold->kind, &point);
    }
}

/// @param sides that are asked about, as bits
static bool isOnSide(const sdSurfaceSearch* search, const sdSurfaceTriangle* triangle, sdVec3d p,
                     uint32_t sides) {
    bool isOn = false;
    for (int i = 0; i < 3; ++i) {
        double height = sdDotD(triangle->outward[i], sdSubD(p, triangle->corners[i]));
        isOn = isOn || ((sides >> i & 1) != 0 && height >= -SD_SURFACE_MEETING * search->size);
    }
    return isOn;
}

/// Where a triangle and the body are nearest, or deepest in each other.
typedef struct Nearest {
    sdVec3d normal, point; ///< of the triangle
    bool hasManifold;      ///< else there are no points yet
} Nearest;

/// @return false when they are further apart than the margin
static bool findNearest(const sdSurfaceSearch* search, const sdShape* plate, Nearest* out,
                        sdManifold* manifold) {
    const sdShape* body = search->body;
    sdPairResult result;
    // what is round has a closed form, and mostly needs no more
    if (search->isRound && sdPrimitive_Separation(plate, body, search->xf, &result)) {
        *out = (Nearest){sdVec3d_From(sdVec3d_Round(result.normal)),
                         sdVec3d_From(sdVec3d_Round(result.pointA)), false};
        return result.separation <= search->limit;
    }
    if (sdCollide(plate, body, search->xf, search->margin, NULL, manifold) == 0) {
        return false;
    }
    int deepest = 0;
    for (int i = 1; i < manifold->pointCount; ++i) {
        bool isDeeper = manifold->points[i].separation < manifold->points[deepest].separation;
        deepest = isDeeper ? i : deepest;
    }
    *out = (Nearest){sdVec3d_From(manifold->normal), sdVec3d_From(manifold->points[deepest].pointA),
                     true};
    return true;
}

sdSurfaceSharp sdSurfaceSearch_AddSharp(sdSurfaceSearch* search, const sdSurfaceTriangle* triangle,
                                        sdVec3d p, sdVec3d n, bool isInFront) {
    sdVec3d turn = sdSubD(n, triangle->normal);
    bool isFace = sdDotD(turn, turn) <= SD_SURFACE_SAME_NORMAL * SD_SURFACE_SAME_NORMAL;
    // what touches inside of a triangle touches its face, however well the normal is known
    if (isFace || (isInFront && !isOnSide(search, triangle, p, 7u))) {
        const double rim = SD_MANIFOLD_RIM * search->size;
        // between the normals of two faces that are nearly one, no point is over either
        if (!sdSurfaceSearch_AddFace(search, triangle, triangle->open, rim) &&
            isOnSide(search, triangle, p, triangle->sharp)) {
            double wide = NEARLY_OVER * search->size;
            sdSurfaceSearch_AddFace(search, triangle, triangle->open, wide);
        }
        return SD_SURFACE_DONE;
    }
    if (sdSurfaceSearch_IsTouchable(search, triangle, p, n)) {
        return SD_SURFACE_NEAREST;
    }
    search->isBehind = search->isBehind || !isInFront;
    return isInFront ? SD_SURFACE_HOLLOW : SD_SURFACE_DONE;
}

/// A triangle with a side that sticks out: by its nearest features.
static void addByNearest(sdSurfaceSearch* search, const sdSurfaceTriangle* triangle,
                         bool isInFront) {
    const int32_t* t = search->mesh->triangles + 3 * (size_t)triangle->index;
    const sdVec3* vertices = search->mesh->vertices;
    sdShape plate = sdShape_Triangle(vertices[t[0]], vertices[t[1]], vertices[t[2]]);
    sdManifold manifold;
    Nearest nearest;
    if (!findNearest(search, &plate, &nearest, &manifold)) {
        return;
    }
    sdSurfaceSharp left =
        sdSurfaceSearch_AddSharp(search, triangle, nearest.point, nearest.normal, isInFront);
    if (left == SD_SURFACE_NEAREST &&
        (nearest.hasManifold ||
         sdCollide(&plate, search->body, search->xf, search->margin, NULL, &manifold) > 0)) {
        sdSurfaceSearch_AddManifold(search, triangle, &manifold, nearest.normal);
    } else if (left == SD_SURFACE_HOLLOW) {
        // whoever is nearer has what touches the sides that stick out
        sdSurfaceSearch_AddFace(search, triangle, triangle->open & ~triangle->sharp,
                                SD_MANIFOLD_RIM * search->size);
    }
}

// ---- all triangles -------------------------------------------------------------------------

void sdSurfaceSearch_AddTriangle(sdSurfaceSearch* search, int index, sdVec3d n) {
    sdSurfaceTriangle triangle;
    if (sdDotD(n, n) == 0.0) {
        return;
    }
    bool isFront = startTriangle(search, index, n, &triangle);
    sdSurfaceSearch_Look(search, triangle.normal);
    double lowest = sdSurfaceTriangle_Height(&triangle, search->view.lowest);
    if (lowest > search->limit) {
        return;
    }
    bool isShallow = lowest >= -SD_SURFACE_SHALLOW * search->size;
    double front = search->mesh->report.isSolid ? -SD_SURFACE_SUNK * search->size : 0.0;
    bool isInFront = isShallow || sdSurfaceTriangle_Height(&triangle, search->center) > front;
    setSides(n, &triangle);
    if (isInFront && isBeyond(search, &triangle)) {
        return;
    }
    sdSurfaceTriangle_Classify(&triangle, search->mesh, isFront);
    if (triangle.sharp != 0 &&
        !(isShallow && sdSurfaceTriangle_IsUnder(&triangle, search->view.lowest, 0.0))) {
        addByNearest(search, &triangle, isInFront);
    } else if (isInFront) {
        sdSurfaceSearch_AddFace(search, &triangle, triangle.open, SD_MANIFOLD_RIM * search->size);
    } else {
        search->isBehind = true;
    }
}

/// Shell sort.
static void sortChunk(int* chunk, int count) {
    for (int gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11) {
        for (int i = gap; i < count; ++i) {
            int item = chunk[i], j = i;
            for (; j >= gap && chunk[j - gap] > item; j -= gap) {
                chunk[j] = chunk[j - gap];
            }
            chunk[j] = item;
        }
    }
}

/// The side on which the body's middle is of all triangles around it, where one of them is so near
/// below the middle that no other triangle is nearer: it must be one of these, and so must all that
/// share its nearest point.
/// @return 0: not known
static double commonSide(const sdSurfaceSearch* search) {
    double nearest = DBL_MAX, sign = 0.0, clear = CLEAR_SIDE * search->size;
    for (int i = 0; i < search->chunkCount; ++i) {
        const int32_t* t = search->mesh->triangles + 3 * (size_t)search->chunk[i];
        sdVec3d n = search->normals[i], c[3];
        for (int k = 0; k < 3; ++k) {
            c[k] = sdVec3d_From(search->mesh->vertices[t[k]]);
        }
        double height = sdDotD(n, sdSubD(search->center, c[0]));
        if (fabs(height) <= clear || height * sign < 0.0) {
            return 0.0;
        }
        sign = copysign(1.0, height);
        bool isUnder = fabs(height) < nearest;
        for (int k = 0; k < 3 && isUnder; ++k) {
            sdVec3d side = sdSubD(c[k == 2 ? 0 : k + 1], c[k]);
            isUnder = sdDotD(sdCrossD(side, n), sdSubD(search->center, c[k])) <= 0.0;
        }
        nearest = isUnder ? fabs(height) : nearest;
    }
    return nearest < search->room ? sign : 0.0;
}

void sdSurfaceSearch_SetNormals(sdSurfaceSearch* search) {
    for (int i = 0; i < search->chunkCount; ++i) {
        search->normals[i] = sdSurface_NormalOf(search->mesh, search->chunk[i]);
    }
}

double sdSurfaceSearch_FindSide(const sdSurfaceSearch* search) {
    const sdMesh* mesh = search->mesh;
    if (mesh->report.isSolid || !mesh->report.isOriented) {
        return mesh->report.isSolid ? 1.0 : 0.0;
    }
    double common = search->isWhole ? commonSide(search) : 0.0;
    if (common != 0.0) {
        return common;
    }
    sdVec3 center = sdVec3d_Round(search->center);
    float reach = REACH * ((float)search->size + search->margin);
    sdMeshPoint nearest = sdMeshBvh_ClosestPoint(&mesh->bvh, center, reach);
    if (nearest.triangle == SD_NULL_INDEX) {
        return 0.0;
    }
    sdVec3 normal = sdMesh_PseudoNormal(mesh, nearest.triangle, nearest.region);
    return sdDot(normal, sdSub(center, nearest.point)) >= 0.0f ? 1.0 : -1.0;
}

static void flush(sdSurfaceSearch* search) {
    if (search->chunkCount == 0 ||
        (search->isRound && search->isWhole && sdSurfaceSearch_AddRound(search))) {
        return;
    }
    sortChunk(search->chunk, search->chunkCount);
    sdSurfaceSearch_SetNormals(search);
    if (!search->hasSide) {
        search->side = sdSurfaceSearch_FindSide(search);
        search->hasSide = true;
    }
    for (int i = 0; i < search->chunkCount; ++i) {
        sdSurfaceSearch_AddTriangle(search, search->chunk[i], search->normals[i]);
    }
    search->chunkCount = 0;
}

static bool collect(void* arg, int triangle) {
    sdSurfaceSearch* search = arg;
    if (search->chunkCount == SD_SURFACE_CHUNK) {
        search->isWhole = false;
        flush(search);
    }
    search->chunk[search->chunkCount++] = triangle;
    return true;
}

/// Whether some face holds the body: it is not only near others.
static bool isHeld(const sdSurfacePatches* patches) {
    for (int i = 0; i < patches->count; ++i) {
        for (int j = 0; j < patches->items[i].count; ++j) {
            if (patches->items[i].points[j].separation < 0.0) {
                return true;
            }
        }
    }
    return false;
}

/// Out of a solid that has swallowed the body's middle.
static void pushOut(sdSurfaceSearch* search) {
    sdVec3 center = sdVec3d_Round(search->center);
    sdMeshPoint nearest = sdMeshBvh_ClosestPoint(&search->mesh->bvh, center, FLT_MAX);
    sdVec3d way = sdSubD(sdVec3d_From(nearest.point), search->center);
    double distance = sdLengthD(way);
    if (nearest.triangle == SD_NULL_INDEX || !(distance > 0.0) ||
        !sdMesh_ContainsByParity(search->mesh, center)) {
        return;
    }
    sdVec3d n = sdScaleD(1.0 / distance, way);
    sdSurfaceSearch_Look(search, n);
    // through the middle, so that nothing turns
    double depth = sdDotD(n, sdSubD(sdVec3d_From(nearest.point), search->view.lowest));
    sdVec3d onMesh = sdVec3d_From(nearest.point);
    sdSurfacePoint point = {onMesh,           sdMulAddD(onMesh, -depth, n),
                            -depth,           SD_MANIFOLD_WITNESS_ID,
                            nearest.triangle, false};
    sdSurfacePatches_Add(&search->patches, n, SD_CONTACT_VERTEX_FACE, &point);
}

/// How far all points are from p, at least, that are not in a box around it.
static double roomAround(sdAABB box, sdVec3d p) {
    sdVec3d lower = sdSubD(p, sdVec3d_From(box.lower)), upper = sdSubD(sdVec3d_From(box.upper), p);
    double x = lower.x < upper.x ? lower.x : upper.x, y = lower.y < upper.y ? lower.y : upper.y;
    double z = lower.z < upper.z ? lower.z : upper.z, least = x < y ? x : y;
    return least < z ? least : z;
}

/// Where a body is and how large.
/// @return its box
static sdAABB placeBody(sdSurfaceSearch* search) {
    sdAABB own = sdShape_GetBounds(search->body, sdTransform_Identity());
    search->center = sdPose_Point(&search->pose, sdVec3d_From(sdAABB_Center(own)));
    search->size = 0.5 * (double)sdLength(sdSub(own.upper, own.lower));
    return sdPiece_GetBox(search->body, search->xf);
}

/// The same of a sphere or capsule, and its core.
static sdAABB placeRound(sdSurfaceSearch* search) {
    const sdShape* body = search->body;
    bool isBall = body->type == SD_SHAPE_SPHERE;
    float radius = isBall ? body->sphere.radius : body->capsule.radius;
    float half = isBall ? 0.0f : body->capsule.halfLength;
    sdVec3d axis = sdScaleD((double)half, search->pose.columns[1]);
    search->radius = (double)radius;
    search->center = search->pose.offset;
    search->size = (double)sdLength(sdV3(radius, radius + half, radius));
    search->ends[0] = sdSubD(search->center, axis);
    search->ends[1] = sdAddD(search->center, axis);
    sdVec3 p = search->xf.p, reach = sdAbs(sdVec3d_Round(axis));
    reach = sdAdd(reach, sdV3(radius, radius, radius));
    float far = sdMaxF(sdAbsF(p.x), sdMaxF(sdAbsF(p.y), sdAbsF(p.z))) + radius + half;
    return sdAABB_Grow((sdAABB){sdSub(p, reach), sdAdd(p, reach)}, BOX_ROUNDING * far);
}

/// Number by number, as it was written: in larger pieces it would wait until all of it has arrived.
static void copy(sdTransform* to, const sdTransform* from) {
    to->p.x = from->p.x;
    to->p.y = from->p.y;
    to->p.z = from->p.z;
    to->q.v.x = from->q.v.x;
    to->q.v.y = from->q.v.y;
    to->q.v.z = from->q.v.z;
    to->q.s = from->q.s;
}

/// @param xf of the body in the mesh's frame
/// @param isAny spheres and capsules are bodies as all others
static void findPatches(sdSurfaceSearch* search, const sdMesh* mesh, const sdShape* body,
                        const sdTransform* xf, float margin, bool isAny) {
    search->mesh = mesh;
    search->body = body;
    copy(&search->xf, xf);
    sdPose_Set(&search->pose, *xf);
    search->isRound = (body->type == SD_SHAPE_SPHERE || body->type == SD_SHAPE_CAPSULE) && !isAny;
    sdAABB box = search->isRound ? placeRound(search) : placeBody(search);
    search->margin = margin;
    search->limit = (double)margin + MARGIN_TOLERANCE * search->size;
    search->chunkCount = 0;
    search->isWhole = true;
    search->hasSide = false;
    search->isBehind = false;
    search->hasView = false;
    search->patches.size = search->size;
    search->patches.count = 0;
    search->patches.lostCount = 0;
    float slack = (float)(2.0 * MARGIN_TOLERANCE * search->size);
    box = sdAABB_Grow(box, margin + slack);
    search->room = roomAround(box, search->center);
    sdMeshBvh_VisitBox(&mesh->bvh, box, collect, search);
    flush(search);
    if (search->isBehind && mesh->report.isSolid && !isHeld(&search->patches)) {
        pushOut(search);
    }
}

// ---- children ------------------------------------------------------------------------------

typedef struct Output {
    sdManifold* manifolds;
    int capacity, count, total;
    float margin;
    bool isAny; ///< spheres and capsules are bodies as all others
} Output;

static int childCountOf(const sdShape* shape) {
    return shape->type == SD_SHAPE_COMPOUND ? shape->compound->childCount : 1;
}

static const sdShape* childOf(const sdShape* shape, int index, sdTransform* xf) {
    if (shape->type != SD_SHAPE_COMPOUND) {
        *xf = sdTransform_Identity();
        return shape;
    }
    *xf = shape->compound->children[index].xf;
    xf->q = sdNormalizeQ(xf->q);
    return &shape->compound->children[index].shape;
}

/// Room for one more; NULL when there is none, but it counts.
static sdManifold* nextOf(Output* output) {
    output->total += 1;
    return output->count < output->capacity ? &output->manifolds[output->count++] : NULL;
}

/// From the frame of A's child to that of A.
static void place(sdManifold* manifold, sdTransform xfA) {
    manifold->normal = sdRotate(xfA.q, manifold->normal);
    for (int i = 0; i < manifold->pointCount; ++i) {
        sdManifoldPoint* point = &manifold->points[i];
        point->pointA = sdTransformPoint(xfA, point->pointA);
        point->pointB = sdTransformPoint(xfA, point->pointB);
    }
}

/// The mesh was A; make it B.
static void turnRound(sdManifold* manifold, sdTransform xf) {
    manifold->normal = sdNeg(sdInvRotate(xf.q, manifold->normal));
    for (int i = 0; i < manifold->pointCount; ++i) {
        sdManifoldPoint* point = &manifold->points[i];
        sdVec3 onMesh = point->pointA;
        point->pointA = sdInvTransformPoint(xf, point->pointB);
        point->pointB = sdInvTransformPoint(xf, onMesh);
    }
}

/// @param a, b one is a mesh, the other convex
/// @param xfA of a's frame in A's; NULL: it is that
/// @param childA, childB of compounds, or SD_NULL_INDEX
static void collideMesh(Output* output, const sdShape* a, const sdShape* b, const sdTransform* xf,
                        const sdTransform* xfA, int childA, int childB) {
    sdSurfaceSearch search;
    bool isMeshA = a->type == SD_SHAPE_MESH;
    sdTransform turned;
    if (!isMeshA) {
        turned = sdInvertXf(*xf);
    }
    const sdTransform* inMesh = isMeshA ? xf : &turned;
    findPatches(&search, (isMeshA ? a : b)->mesh, isMeshA ? b : a, inMesh, output->margin,
                output->isAny);
    for (int i = 0; i < search.patches.count; ++i) {
        sdManifold* manifold = nextOf(output);
        int triangle = SD_NULL_INDEX;
        if (manifold == NULL) {
            continue;
        }
        sdSurfacePatch_Write(&search.patches.items[i], search.size, output->margin, manifold,
                             &triangle);
        if (!isMeshA) {
            turnRound(manifold, *inMesh);
        }
        if (xfA != NULL) {
            place(manifold, *xfA);
        }
        manifold->childA = childA == SD_NULL_INDEX && isMeshA ? triangle : childA;
        manifold->childB = childB == SD_NULL_INDEX && !isMeshA ? triangle : childB;
    }
    output->total += search.patches.lostCount;
}

/// @return false for pairs that are left to sdCollideMany
static bool hasSurface(const sdShape* a, const sdShape* b) {
    int meshCount = 0, planeCount = 0;
    if ((a->type == SD_SHAPE_MESH && sdShape_IsConvex(b)) ||
        (b->type == SD_SHAPE_MESH && sdShape_IsConvex(a))) {
        return true;
    }
    for (int side = 0; side < 2; ++side) {
        const sdShape* shape = side == 0 ? a : b;
        bool hasMesh = false;
        for (int i = 0; i < childCountOf(shape); ++i) {
            sdTransform xf;
            sdShapeType type = childOf(shape, i, &xf)->type;
            hasMesh = hasMesh || type == SD_SHAPE_MESH;
            planeCount += type == SD_SHAPE_HALF_SPACE;
        }
        meshCount += hasMesh;
    }
    return meshCount == 1 && planeCount == 0;
}

/// Of compounds, or of shapes that are neither a mesh nor convex.
static void collideChildren(Output* output, sdNarrowphase narrowphase, const sdShape* a,
                            const sdShape* b, sdTransform xfAB) {
    for (int i = 0; i < childCountOf(a); ++i) {
        sdTransform xfA, xfB;
        const sdShape* childA = childOf(a, i, &xfA);
        sdAABB boxA = sdAABB_Grow(sdPiece_GetBox(childA, xfA), output->margin);
        for (int j = 0; j < childCountOf(b); ++j) {
            const sdShape* childB = childOf(b, j, &xfB);
            sdTransform inA = sdMulXf(xfAB, xfB);
            int nameA = a->type == SD_SHAPE_COMPOUND ? i : SD_NULL_INDEX;
            int nameB = b->type == SD_SHAPE_COMPOUND ? j : SD_NULL_INDEX;
            if (!sdAABB_Overlaps(boxA, sdPiece_GetBox(childB, inA))) {
                continue;
            }
            sdTransform xf = sdInvMulXf(xfA, inA);
            xf.q = sdNormalizeQ(xf.q);
            sdManifold manifold;
            if (childA->type == SD_SHAPE_MESH || childB->type == SD_SHAPE_MESH) {
                collideMesh(output, childA, childB, &xf, &xfA, nameA, nameB);
            } else if (sdCollideBy(narrowphase, childA, childB, xf, output->margin, NULL,
                                   &manifold) > 0) {
                sdManifold* to = nextOf(output);
                if (to != NULL) {
                    *to = manifold;
                    place(to, xfA);
                    to->childA = nameA;
                    to->childB = nameB;
                }
            }
        }
    }
}

/// @param pair A, then B
static int collide(sdNarrowphase narrowphase, const sdShape* const pair[2], sdTransform xfAB,
                   Output* output, int* total) {
    const sdShape *a = pair[0], *b = pair[1];
    if (!(output->margin >= 0.0f && output->margin <= SD_MAX_REACH) ||
        !sdPieces_AreValid(a, b, xfAB) || !hasSurface(a, b)) {
        return sdMeshPair_CollideMany(narrowphase, a, b, xfAB, output->margin, output->manifolds,
                                      output->capacity, total);
    }
    xfAB.q = sdNormalizeQ(xfAB.q);
    if (a->type == SD_SHAPE_COMPOUND || b->type == SD_SHAPE_COMPOUND) {
        collideChildren(output, narrowphase, a, b, xfAB);
    } else {
        // once more, as for children
        xfAB.q = sdNormalizeQ(xfAB.q);
        collideMesh(output, a, b, &xfAB, NULL, SD_NULL_INDEX, SD_NULL_INDEX);
    }
    if (total != NULL) {
        *total = output->total;
    }
    return output->count;
}

int sdSurface_Collide(sdNarrowphase narrowphase, const sdShape* a, const sdShape* b,
                      sdTransform xfAB, float margin, sdManifold* out, int capacity, int* total) {
    Output output = {out, out != NULL && capacity > 0 ? capacity : 0, 0, 0, margin, false};
    return collide(narrowphase, (const sdShape* const[2]){a, b}, xfAB, &output, total);
}

int sdSurface_CollideAny(const sdShape* a, const sdShape* b, sdTransform xfAB, float margin,
                         sdManifold* out, int capacity) {
    Output output = {out, out != NULL && capacity > 0 ? capacity : 0, 0, 0, margin, true};
    return collide(SD_NARROWPHASE_AUTO, (const sdShape* const[2]){a, b}, xfAB, &output, NULL);
}
