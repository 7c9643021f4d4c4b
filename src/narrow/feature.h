// SPDX-License-Identifier: MIT
// feature.h - where two polyhedra touch: point, segment or polygon.

#ifndef SD_NARROW_FEATURE_H
#define SD_NARROW_FEATURE_H

#include "narrow/sat.h"

/// Fraction of the bodies' size within which vertices, edges and faces count as touching: what
/// single precision leaves of a pose, with a little room.
#define SD_TOUCH_TOLERANCE 1e-5

/// The common points along an axis. Empty when the separation is beyond the tolerance.
void sdSatPair_ContactSet(const sdSatPair* pair, sdVec3d axis, sdContactSet* out);

/// The axis along which they overlap least, or are furthest apart.
sdVec3d sdSatPair_LeastOverlap(sdSatPair* pair);

#endif
