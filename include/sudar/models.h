// SPDX-License-Identifier: MIT
// models.h - procedural bodies with known triangle counts, for scenes, tests and first steps.
//
// Every model is a clean solid: closed, manifold, oriented, no degenerate triangles.

#ifndef SUDAR_MODELS_H
#define SUDAR_MODELS_H

#include "sudar/mesh.h"

SD_BEGIN_C

/// Sizes and radii outside of these, in metres, are refused.
#define SD_MODEL_MIN_SIZE 1e-6f
#define SD_MODEL_MAX_SIZE 1e6f

typedef enum sdModelKind {
    SD_MODEL_BOX,        ///< 12 triangles
    SD_MODEL_SPHERE,     ///< subdivided icosahedron, 1280 triangles
    SD_MODEL_TORUS,      ///< 24 x 12 quads, 576 triangles
    SD_MODEL_RING,       ///< the document's ring: 216 triangles
    SD_MODEL_POST,       ///< the document's post on its foot: 84 triangles
    SD_MODEL_SKULL,      ///< concave, with eye sockets and a cavity: 2970 triangles
    SD_MODEL_BONE,       ///< shaft with two knuckles at each end
    SD_MODEL_BOLT,       ///< hexagonal head, threaded shaft
    SD_MODEL_NUT,        ///< fits the bolt
    SD_MODEL_CHAIN_LINK, ///< stadium-shaped link
    SD_MODEL_STAR,       ///< five-pointed, thick
    SD_MODEL_BOWL,       ///< open half shell with a wall
    SD_MODEL_TETRAPOD,   ///< four legs
    SD_MODEL_COUNT
} sdModelKind;

/// "box", "ring", ...; NULL outside the enumeration.
SD_API const char* sdModel_Name(sdModelKind kind);

/// A model of the given size: the longest side of its box, in metres. Its centre of mass is at the
/// origin.
SD_API sdResult sdModel_Create(const sdContext* context, sdModelKind kind, float size,
                               sdMesh** out);

/// An octahedron whose longest triangles are split until there are exactly `triangleCount`, 8 ..
/// 80 and even, its vertices on a sphere of the given radius (scene F1).
SD_API sdResult sdModel_CreateOctahedron(const sdContext* context, int triangleCount, float radius,
                                         sdMesh** out);

/// A torus of any fineness: 2 * major * minor triangles.
SD_API sdResult sdModel_CreateTorus(const sdContext* context, float majorRadius, float minorRadius,
                                    int majorCount, int minorCount, sdMesh** out);

SD_END_C

#endif
