// SPDX-License-Identifier: MIT
// collide_box_faces_kernel.c - what faces of two boxes have in common, one pair at a time.
//
// In:   a rectangle and a parallelogram in its plane.
// Out:  corners of each inside of the other, and crossings of their sides, each with a name that
//       lasts. Never allocates.

#include "narrow/collide_box_faces.h"

#include "narrow/collide_box_lanes.h"

int SD_KERNEL(sdBoxFaces_Intersect)(const sdBoxFaces* f, double rim, double least, double limit,
                                    sdFlatPoint points[SD_BOX_CANDIDATES]) {
    sdBoxFaceLanes faces;
    sdBoxPoints all;
    faces.labelA = f->labelA;
    faces.labelB = f->labelB;
    faces.half = (sdD4){f->halfU, f->halfV, 0.0, 0.0};
    for (int i = 0; i < 3; ++i) {
        faces.middle[i] = sdD4_Splat(f->middle[i]);
        faces.u[i] = sdD4_Splat(f->u[i]);
        faces.v[i] = sdD4_Splat(f->v[i]);
    }
    sdBoxRange range = {sdD4_Splat(rim), sdD4_Splat(least), sdD4_Splat(limit), sdD4_Splat(least)};
    sdBoxPoints_Find(&all, &faces, &range);
    int count = 0;
    for (unsigned left = all.bits; left != 0; left &= left - 1) {
        int at = __builtin_ctz(left);
        points[count++] = (sdFlatPoint){all.u[at], all.v[at], all.separation[at], all.ids[at]};
    }
    return count;
}
