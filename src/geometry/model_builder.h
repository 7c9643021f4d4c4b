// SPDX-License-Identifier: MIT
// model_builder.h - growing triangle lists, and the few ways in which models are put together:
// rings and the bands between them, turned profiles, tubes, and maps of the unit sphere.

#ifndef SD_GEOMETRY_MODEL_BUILDER_H
#define SD_GEOMETRY_MODEL_BUILDER_H

#include "base/array.h"
#include "sudar/models.h"

SD_DEFINE_ARRAY(sdVec3Array, sdVec3)
SD_DEFINE_ARRAY(sdIndexArray, int32_t)

/// When memory runs short a builder says so once, at the end: from then on every call does nothing.
typedef struct sdModelBuilder {
    const sdContext* context;
    sdVec3Array vertices;
    sdIndexArray triangles; ///< 3 each
    bool isOutOfMemory;
} sdModelBuilder;

/// Consecutive vertices, right-handed about the direction in which the surface goes on.
typedef struct sdModelRing {
    int first;
    int count;
} sdModelRing;

/// A point of a profile that is turned about y.
typedef struct sdModelProfile {
    float radius;
    float height;
    int count; ///< vertices of its ring; 1 for a point on the axis
} sdModelProfile;

/// A model as an image of the unit sphere.
typedef struct sdModelMap {
    sdVec3 (*point)(sdVec3 u); ///< from a point of the sphere to a point of the model
    float (*detail)(sdVec3 p); ///< how finely the model is wanted around there; NULL: 1 everywhere
} sdModelMap;

/// Make the mesh and free the builder, whatever the result.
/// @param size longest side of the box, the centre of mass moved to the origin; 0: as it is
sdResult sdModelBuilder_Finish(sdModelBuilder* builder, const char* function, float size,
                               sdMesh** out);

int sdModelBuilder_AddVertex(sdModelBuilder* builder, sdVec3 p);
void sdModelBuilder_AddTriangle(sdModelBuilder* builder, int a, int b, int c);

/// A regular polygon around y that starts on the x axis.
sdModelRing sdModelBuilder_AddRing(sdModelBuilder* builder, sdModelProfile point);
/// The band between two rings, which may have different counts; a count of 1 closes to a point.
void sdModelBuilder_Bridge(sdModelBuilder* builder, sdModelRing from, sdModelRing to);
/// Close a convex ring with a zigzag of triangles, count - 2 of them.
/// @param isEnd the surface ends here; else it begins
void sdModelBuilder_Cap(sdModelBuilder* builder, sdModelRing ring, bool isEnd);
/// Rings for all points and the bands between them, the surface to the right of the profile.
void sdModelBuilder_Lathe(sdModelBuilder* builder, const sdModelProfile* profile, int count);

/// A circle of a tube that runs around y.
/// @param outward unit, horizontal, away from the middle of the tube's path
sdModelRing sdModelBuilder_AddTubeRing(sdModelBuilder* builder, sdVec3 center, sdVec3 outward,
                                       float radius, int count);
void sdModelBuilder_AddTorus(sdModelBuilder* builder, float majorRadius, float minorRadius,
                             int majorCount, int minorCount);

/// Icosahedron with every triangle cut into four `levels` times, on the unit sphere.
void sdModelBuilder_AddIcosphere(sdModelBuilder* builder, int levels);

/// The image of the unit sphere under a map. An octahedron's longest edges are split: up to
/// `evenCount` triangles by their length on the sphere, so that the map is seen everywhere, then up
/// to `triangleCount` by their length on the model, at last times its detail. Edges are flipped to
/// keep triangles well shaped. Both counts are even, 8 <= evenCount <= triangleCount.
void sdModelBuilder_AddSphereMap(sdModelBuilder* builder, const sdModelMap* map, int evenCount,
                                 int triangleCount);

#endif
