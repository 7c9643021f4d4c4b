// SPDX-License-Identifier: MIT
// support_face.h - the part of a shape's surface that looks along a direction: what it touches
// another body with.

#ifndef SD_NARROW_SUPPORT_FACE_H
#define SD_NARROW_SUPPORT_FACE_H

#include "narrow/clip.h"

/// Polygon, segment or point, in A's frame. Round surfaces give the segment that touches a plane,
/// or an octagon in a flat end; a point is left to whoever knows where the bodies touch.
typedef struct sdSupportFace {
    sdClipPolygon polygon; ///< counter-clockwise around the normal; sides carry labels that last
    sdVec3d normal;        ///< of a polygon: unit, outward
    int index; ///< of a polygon: which face of the shape it is; SD_NULL_INDEX for a triangle
} sdSupportFace;

/// Cosine of the angle between direction and face normal below which a face is seen too obliquely
/// to be touched: its nearest edge or corner is.
#define SD_SUPPORT_FACE_COSINE 0.1

/// Sine of the tilt up to which a capsule touches along its length.
#define SD_SUPPORT_CAPSULE_TILT 0.1
/// Labels of the sides of round shapes start here.
#define SD_SUPPORT_LABEL_SIDE 16

/// @param direction unit, in the shape's frame
/// @param vertex a furthest one of a hull along the direction; SD_NULL_INDEX: not known
/// @param pose of the shape in A's frame; NULL for A itself
void sdSupportFace_Find(sdSupportFace* face, const sdShape* shape, sdVec3d direction, int vertex,
                        const sdPose* pose);

/// The face of a hull that sdSupportFace_Find gives; SD_NULL_INDEX: an edge or a corner.
int sdSupportFace_OfHull(const sdHull* hull, sdVec3d direction, int vertex);

/// A face of a hull.
void sdSupportFace_SetHullFace(sdSupportFace* face, const sdHull* hull, int index,
                               const sdPose* pose);

/// The greatest dot product of a convex shape's points and d, in the shape's frame.
double sdSupport_Height(const sdShape* shape, sdVec3d d);

/// A point where that is reached.
/// @param d unit
sdVec3d sdSupport_Point(const sdShape* shape, sdVec3d d);

#endif
