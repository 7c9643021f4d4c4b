// SPDX-License-Identifier: MIT
// shape.h - references that shapes hold.

#ifndef SD_GEOMETRY_SHAPE_H
#define SD_GEOMETRY_SHAPE_H

#include "sudar/shapes.h"

/// References to the hull, mesh or compound of a shape, if it has one.
void sdShape_Retain(const sdShape* shape);
void sdShape_Release(const sdShape* shape);

#endif
