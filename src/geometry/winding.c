// SPDX-License-Identifier: MIT
// winding.c - how often a surface winds around a point: exactly, and fast through the tree.
//
// In:   triangles or their tree, a point.
// Out:  1 inside, 0 outside a closed surface; in between around an open one.
// Ref:  Van Oosterom, Strackee, "The solid angle of a plane triangle", 1983;
//       Barill et al., "Fast winding numbers for soups and clouds", SIGGRAPH 2018.

#include "geometry/mesh.h"
#include "math/trig.h"
#include "math/vec3d.h"

#define FOUR_PI 12.566370614359172954

/// A cluster counts as far beyond this many times its radius. The error of one dipole falls with
/// the cube of it; 3.5 keeps whole meshes within about 0.01.
#define FAR_RATIO 3.5f

/// Half of the solid angle of a triangle with corners a, b, c seen from the origin.
static double halfSolidAngle(sdVec3d a, sdVec3d b, sdVec3d c) {
    double la = sdLengthD(a);
    double lb = sdLengthD(b);
    double lc = sdLengthD(c);
    // the triple product from edges does not cancel for small triangles far away
    double y = sdDotD(a, sdCrossD(sdSubD(b, a), sdSubD(c, a)));
    double x = la * lb * lc + sdDotD(a, b) * lc + sdDotD(b, c) * la + sdDotD(c, a) * lb;
    return sdAtan2D(y, x);
}

double sdMesh_WindingNumber(const sdMesh* mesh, sdVec3 p) {
    if (mesh == NULL || !sdVec3_IsFinite(p)) {
        return 0.0;
    }
    sdVec3d origin = sdVec3d_From(p);
    double sum = 0.0;
    for (int i = 0; i < mesh->triangleCount; ++i) {
        const int32_t* t = mesh->triangles + 3 * (size_t)i;
        sum += halfSolidAngle(sdSubD(sdVec3d_From(mesh->vertices[t[0]]), origin),
                              sdSubD(sdVec3d_From(mesh->vertices[t[1]]), origin),
                              sdSubD(sdVec3d_From(mesh->vertices[t[2]]), origin));
    }
    return sum * (2.0 / FOUR_PI);
}

// ---- through the tree ----------------------------------------------------------------------

/// Area, sum of area times normal and sum of area times centre.
typedef struct Moments {
    double area;
    sdVec3d normal;
    sdVec3d center;
} Moments;

static void addLeaf(Moments* sum, const sdMeshBvhLeaf* leaf) {
    for (int lane = 0; lane < SD_LANES; ++lane) {
        if (lane > 0 && leaf->triangle[lane] == leaf->triangle[lane - 1]) {
            break;
        }
        sdVec3d a = sdVec3d_From(sdMeshBvhLeaf_GetCorner(leaf, lane, 0));
        sdVec3d b = sdVec3d_From(sdMeshBvhLeaf_GetCorner(leaf, lane, 1));
        sdVec3d c = sdVec3d_From(sdMeshBvhLeaf_GetCorner(leaf, lane, 2));
        sdVec3d normal = sdScaleD(0.5, sdCrossD(sdSubD(b, a), sdSubD(c, a)));
        double area = sdLengthD(normal);
        sum->area += area;
        sum->normal = sdAddD(sum->normal, normal);
        sum->center = sdMulAddD(sum->center, area / 3.0, sdAddD(sdAddD(a, b), c));
    }
}

static void addNode(Moments* sum, const sdMeshBvhNode* node, const sdMeshBvhDipoles* dipoles) {
    for (int lane = 0; lane < SD_LANES && node->child[lane] != SD_BVH_NO_CHILD; ++lane) {
        double area = (double)dipoles->area[lane];
        sdVec3 normal = {dipoles->normal[0][lane], dipoles->normal[1][lane],
                         dipoles->normal[2][lane]};
        sdVec3 center = {dipoles->center[0][lane], dipoles->center[1][lane],
                         dipoles->center[2][lane]};
        sum->area += area;
        sum->normal = sdAddD(sum->normal, sdVec3d_From(normal));
        sum->center = sdMulAddD(sum->center, area, sdVec3d_From(center));
    }
}

static void computeDipole(const sdMeshBvh* bvh, int nodeIndex, int lane) {
    const sdMeshBvhNode* node = bvh->nodes + nodeIndex;
    sdMeshBvhDipoles* out = bvh->dipoles + nodeIndex;
    int32_t child = node->child[lane];
    Moments sum = {0};
    if (child >= 0) {
        addNode(&sum, bvh->nodes + child, bvh->dipoles + child);
    } else if (child != SD_BVH_NO_CHILD) {
        addLeaf(&sum, bvh->leaves + ~child);
    }
    double center[3] = {sum.center.x, sum.center.y, sum.center.z};
    double normal[3] = {sum.normal.x, sum.normal.y, sum.normal.z};
    double radiusSquared = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        double lower = (double)node->lower[axis][lane];
        double upper = (double)node->upper[axis][lane];
        // triangles without area count nothing, wherever they are
        double c = sum.area > 0.0 ? center[axis] / sum.area : 0.5 * (lower + upper);
        double reach = c - lower > upper - c ? c - lower : upper - c;
        radiusSquared += reach * reach;
        out->center[axis][lane] = child != SD_BVH_NO_CHILD ? (float)c : 0.0f;
        out->normal[axis][lane] = (float)normal[axis];
    }
    out->area[lane] = (float)sum.area;
    double reachSquared = (double)(FAR_RATIO * FAR_RATIO) * radiusSquared;
    bool isFinite = child != SD_BVH_NO_CHILD && reachSquared < (double)FLT_MAX;
    out->reachSquared[lane] = isFinite ? (float)reachSquared : FLT_MAX;
}

void sdMeshBvh_ComputeDipoles(const sdMeshBvh* bvh, int node) {
    for (int lane = 0; lane < SD_LANES; ++lane) {
        computeDipole(bvh, node, lane);
    }
}

float sdMeshBvh_WindingNumber(const sdMeshBvh* bvh, sdVec3 p) {
    return (float)(SD_DISPATCH(sdMeshBvh_SumSolidAngles)(bvh, p) / FOUR_PI);
}

float sdMesh_WindingNumberFast(const sdMesh* mesh, sdVec3 p) {
    if (mesh == NULL || !sdVec3_IsFinite(p)) {
        return 0.0f;
    }
    // sizes that floats cannot hold the squares and products of go the slow way
    float number = sdMeshBvh_WindingNumber(&mesh->bvh, p);
    return sdIsFinite(number) ? number : (float)sdMesh_WindingNumber(mesh, p);
}
