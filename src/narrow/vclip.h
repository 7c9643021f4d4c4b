// SPDX-License-Identifier: MIT
// vclip.h - nearest features of two polyhedra that are apart.

#ifndef SD_NARROW_VCLIP_H
#define SD_NARROW_VCLIP_H

#include "narrow/sat.h"

/// Whether no corners of a polyhedron coincide, or nearly so.
bool sdVClip_IsFor(const sdShape* shape);

/// @param pair of shapes that V-Clip is for
/// @param cache features of last time, and of this; may be NULL
/// @return false when they overlap, or the nearest points that were found could not be proved;
///         out->iterations tells how long it took
bool sdVClip_Separate(const sdSatPair* pair, sdPairCache* cache, sdPairResult* out);

#endif
