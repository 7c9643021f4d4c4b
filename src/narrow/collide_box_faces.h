// SPDX-License-Identifier: MIT
// collide_box_faces.h - what faces of two boxes have in common.

#ifndef SD_NARROW_COLLIDE_BOX_FACES_H
#define SD_NARROW_COLLIDE_BOX_FACES_H

#include "narrow/collide_box_axes.h"
#include "narrow/manifold.h"

/// Corners of B's face, where its sides come in and leave A's, and corners of A's face.
#define SD_BOX_CANDIDATES 16

/// Faces of both boxes that look at each other, in the plane of A's face. The numbers of sides and
/// corners are those of sdSupportFace_Find.
typedef struct sdBoxFaces {
    int axisA, uA, vA;   ///< of A's face, and the two in its plane
    double sideA;        ///< 1 or -1
    double halfU, halfV; ///< A's face
    int labelA, labelB;
    /// Of B's face, projected along the normal: middle, and half sides; the third number is the
    /// separation along the normal
    double middle[3], u[3], v[3];
} sdBoxFaces;

/// Into the plane of A's face along the normal.
/// @param d a direction or, with the height of the plane taken off, a place
/// @param scale 1 over the cosine between the normal and that of the face
SD_INLINE void sdBoxFaces_Project(const sdBoxFaces* faces, const double n[3], double scale,
                                  const double d[3], double away, double out[3]) {
    double separation = (faces->sideA * d[faces->axisA] - away) * scale;
    out[0] = d[faces->uA] - separation * n[faces->uA];
    out[1] = faces->sideA * (d[faces->vA] - separation * n[faces->vA]);
    out[2] = separation;
}

/// The faces that look along a normal.
SD_INLINE void sdBoxFaces_Set(sdBoxFaces* faces, const sdBoxPair* pair, sdVec3d normal,
                              sdVec3d normalInB) {
    const double n[3] = {normal.x, normal.y, normal.z};
    int axis = sdLargestAxis(normal);
    faces->axisA = axis;
    faces->uA = axis == 2 ? 0 : axis + 1;
    faces->vA = axis == 0 ? 2 : axis - 1;
    faces->sideA = copysign(1.0, n[axis]);
    faces->labelA = 4 * (2 * axis + (n[axis] < 0.0 ? 1 : 0));
    faces->halfU = pair->a[faces->uA];
    faces->halfV = pair->a[faces->vA];

    const double against[3] = {-normalInB.x, -normalInB.y, -normalInB.z};
    int axisB = sdLargestAxis(normalInB);
    int uB = axisB == 2 ? 0 : axisB + 1, vB = axisB == 0 ? 2 : axisB - 1;
    double sideB = copysign(1.0, against[axisB]), scale = 1.0 / fabs(n[axis]);
    faces->labelB = 4 * (2 * axisB + (against[axisB] < 0.0 ? 1 : 0));
    double middle[3], u[3], v[3];
    for (int k = 0; k < 3; ++k) {
        middle[k] = pair->t[k] + sideB * pair->b[axisB] * pair->r[axisB][k];
        u[k] = pair->b[uB] * pair->r[uB][k];
        v[k] = sideB * pair->b[vB] * pair->r[vB][k];
    }
    sdBoxFaces_Project(faces, n, scale, middle, pair->a[axis], faces->middle);
    sdBoxFaces_Project(faces, n, scale, u, 0.0, faces->u);
    sdBoxFaces_Project(faces, n, scale, v, 0.0, faces->v);
}

/// A point of both faces, on A.
SD_INLINE sdVec3d sdBoxFaces_Place(const sdBoxFaces* f, const sdBoxPair* pair,
                                   const sdFlatPoint* point) {
    double p[3];
    p[f->axisA] = f->sideA * pair->a[f->axisA];
    p[f->uA] = point->u;
    p[f->vA] = f->sideA * point->v;
    return sdV3d(p[0], p[1], p[2]);
}

/// Corners of what A's rectangle and B's parallelogram have in common.
/// @param rim corners that stick out by no more count as inside, m
/// @param least,limit separations of the points that are wanted, m
/// @return how many
SD_DECLARE_KERNEL(int, sdBoxFaces_Intersect,
                  (const sdBoxFaces* f, double rim, double least, double limit,
                   sdFlatPoint points[SD_BOX_CANDIDATES]));

#endif
