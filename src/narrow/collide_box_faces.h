// SPDX-License-Identifier: MIT
// collide_box_faces.h - what faces of two boxes have in common.

#ifndef SD_NARROW_COLLIDE_BOX_FACES_H
#define SD_NARROW_COLLIDE_BOX_FACES_H

#include "base/simd.h"
#include "narrow/manifold.h"

/// Four corners of each face, two crossings of each side of B's, and room for one more.
#define SD_BOX_MAX_POINTS 17

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

/// Corners of what A's rectangle and B's parallelogram have in common.
/// @param rim corners that stick out by no more count as inside, m
/// @param least,limit separations of the points that are wanted, m
/// @return how many
SD_DECLARE_KERNEL(int, sdBoxFaces_Intersect,
                  (const sdBoxFaces* f, double rim, double least, double limit,
                   sdFlatPoint points[SD_BOX_MAX_POINTS]));

#endif
