// SPDX-License-Identifier: MIT
// models.h - procedural bodies with known triangle counts, for scenes, tests and first steps.
//
// Every model is a clean solid: closed, manifold, oriented, no degenerate or crossing triangles,
// the same bits on every target.

#ifndef SUDAR_MODELS_H
#define SUDAR_MODELS_H

#include "sudar/mesh.h"

SD_BEGIN_C

/// Sizes and radii outside of these, in metres, are refused.
#define SD_MODEL_MIN_SIZE 1e-6f
#define SD_MODEL_MAX_SIZE 1e6f

/// Sides and radii are given for size 1. Models that are round stand about y.
typedef enum sdModelKind {
    SD_MODEL_BOX,        ///< 12 triangles
    SD_MODEL_SPHERE,     ///< subdivided icosahedron, 1280 triangles
    SD_MODEL_TORUS,      ///< 24 x 12 quads, radii 0.35 and 0.15, 576 triangles
    SD_MODEL_RING,       ///< the document's ring: 18 x 6 quads, hole 0.55 wide, 216 triangles
    SD_MODEL_POST,       ///< the document's post on its foot: 0.11 to 0.08 thick, 84 triangles
    SD_MODEL_SKULL,      ///< the document's: eye sockets, a cavity open below, 2970 triangles
    SD_MODEL_BONE,       ///< shaft along x with two knuckles at each end, 1024 triangles
    SD_MODEL_BOLT,       ///< hexagonal head below, thread above, 2592 triangles
    SD_MODEL_NUT,        ///< fits a bolt of twice its size, 840 triangles
    SD_MODEL_CHAIN_LINK, ///< stadium along x, 0.18 thick, opening 0.2 wide, 768 triangles
    SD_MODEL_STAR,       ///< five-pointed, thick in the middle, 40 triangles
    SD_MODEL_BOWL,       ///< half shell, open above, wall 0.08 thick, 960 triangles
    SD_MODEL_TETRAPOD,   ///< one leg up, three down, 960 triangles
    SD_MODEL_COUNT
} sdModelKind;

// The thread of bolt and nut is right-handed and has two starts, so that both are symmetric about
// y and a turn lifts a nut by a fifth of the bolt's size. A nut that is not turned fits where its
// centre is a multiple of a tenth of the bolt's size above the bolt's lowest point, 0.3 .. 0.9.

/// "box", "ring", ...; NULL outside the enumeration.
SD_API const char* sdModel_Name(sdModelKind kind);

/// A model of the given size: the longest side of its box, in metres. Its centre of mass is at the
/// origin.
/// @return SD_ERROR_INVALID_ARGUMENT for an unknown kind or a size outside of the limits above
SD_API sdResult sdModel_Create(const sdContext* context, sdModelKind kind, float size,
                               sdMesh** out);

/// An octahedron whose longest edges are split until there are exactly `triangleCount`, 8 ..
/// 80 and even, its vertices on a sphere of the given radius about the origin (scene F1). Convex.
SD_API sdResult sdModel_CreateOctahedron(const sdContext* context, int triangleCount, float radius,
                                         sdMesh** out);

/// A torus about y of any fineness: 2 * majorCount * minorCount triangles.
SD_API sdResult sdModel_CreateTorus(const sdContext* context, float majorRadius, float minorRadius,
                                    int majorCount, int minorCount, sdMesh** out);

SD_END_C

#endif
