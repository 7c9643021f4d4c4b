// SPDX-License-Identifier: MIT
// mesh.h - triangle meshes: build, inspect, repair, measure, query.
//
// An sdMesh is immutable, one block of memory, reference counted, and may be shared between
// bodies, worlds and threads. It keeps the triangles in the order in which they were given (less
// those that were dropped), with edges, neighbours, pseudo-normals and a tree of boxes.
// Triangles are counter-clockwise seen from outside.

#ifndef SUDAR_MESH_H
#define SUDAR_MESH_H

#include "sudar/bounds.h"
#include "sudar/mass.h"

SD_BEGIN_C

/// Limits that keep every index in 32 bits.
#define SD_MESH_MAX_TRIANGLES 100000000
#define SD_MESH_MAX_VERTICES 100000000

/// Triangles as a user has them. Borrowed: the library only reads them during the call.
typedef struct sdMeshData {
    const sdVec3* vertices;
    int vertexCount;
    const int32_t* triangles; ///< three vertex indices each
    int triangleCount;
} sdMeshData;

/// Repairs that never change the solid. Each one made is counted in the report and logged.
typedef enum sdMeshRepair {
    /// Join vertices at most weldDistance apart; drop unused ones. Vertices are taken in order and
    /// joined to the earliest one kept so far that is near enough, so none moves farther than the
    /// distance, and a chain of near vertices does not shrink to a point.
    SD_MESH_WELD = 1,
    /// Remove triangles with two equal vertices, and those without area that no closed surface
    /// needs: one that has neighbours on all three sides stays, for without it there is a slit.
    SD_MESH_DROP_DEGENERATE = 2,
    /// Of triangles with the same three vertices keep the first. Two that face opposite ways both
    /// stay unless the surface is closed without the second: they may be the two sides of a sheet,
    /// or of a wall inside a solid.
    SD_MESH_DROP_DUPLICATE = 4,
    /// Flip triangles so that neighbours agree. Closed surfaces that had to be repaired then face
    /// outward, or inward when inside an odd number of others (a cavity). Ones that agreed already
    /// are flipped only when it is certain that they are inside out: a surface inside no other, of
    /// negative volume, together with the ones inside it.
    SD_MESH_ORIENT = 8,
    SD_MESH_REPAIR_ALL = 15
} sdMeshRepair;

typedef struct sdMeshDef {
    sdMeshData data;
    uint32_t repairs;   ///< sdMeshRepair flags
    float weldDistance; ///< 0: only vertices at the same position are joined
} sdMeshDef;

/// All repairs, weld distance 0. `data` is to be filled in.
SD_API sdMeshDef sdMeshDef_Default(void);

/// What is true of a mesh, and what was done to it.
typedef struct sdMeshReport {
    int vertexCount;
    int triangleCount;
    int edgeCount;      ///< pairs of vertices joined by a triangle's side
    int componentCount; ///< pieces connected through edges
    int genus; ///< handles, all components together; -1 unless closed, manifold and oriented

    int boundaryEdgeCount;       ///< edges of one triangle: holes
    int nonManifoldEdgeCount;    ///< edges of three or more triangles
    int nonManifoldVertexCount;  ///< vertices where several fans of triangles meet
    int misorientedEdgeCount;    ///< edges that both neighbours run along in the same direction
    int degenerateTriangleCount; ///< two equal vertices or no area
    int duplicateTriangleCount;  ///< same three vertices as an earlier one
    int selfIntersectionCount;   ///< pairs of triangles that cross; -1 when not looked for
    int invertedComponentCount;  ///< closed components of negative volume that are no cavities
    int nestedComponentCount;    ///< closed components inside another one and facing as it does
    int unusedVertexCount;       ///< vertices that no triangle uses
    int firstBoundaryEdge[2];    ///< vertices of one such edge, to show it; SD_NULL_INDEX: none
    int firstNonManifoldEdge[2]; ///< the same
    int firstMisorientedEdge[2]; ///< the same
    int firstDegenerateTriangle; ///< or SD_NULL_INDEX
    int firstIntersection[2];    ///< two triangles, or SD_NULL_INDEX

    double area;   ///< m²
    double volume; ///< m³, signed; meaningful when closed

    bool isClosed;   ///< every edge has an even number of triangles
    bool isManifold; ///< every edge has at most two triangles, every vertex one fan
    bool isOriented; ///< neighbours agree
    bool isSolid;    ///< closed, oriented, positive volume, no inverted component: has an inside

    int weldedVertexCount; ///< repairs made by sdMesh_Create
    int droppedVertexCount;
    int droppedDegenerateCount;
    int droppedDuplicateCount;
    int flippedTriangleCount;
} sdMeshReport;

/// The report in words: one line a finding, what it means and what to do; "no faults found" at
/// best. Cut at the capacity, always terminated.
/// @return the length of the whole text, as snprintf does
SD_API int sdMeshReport_Describe(const sdMeshReport* report, char* text, int capacity);

/// Look at triangles without changing or keeping them.
/// @param findSelfIntersections also test triangles against each other, through a tree. Counted, up
///        to a million pairs, is what shares more than points where it touches: crossings and
///        overlaps in a plane deeper than 1e-6 of the longer triangle's longest edge.
/// @return SD_ERROR_INVALID_ARGUMENT for empty arrays, numbers not finite, indices out of range
SD_API sdResult sdMesh_Inspect(const sdContext* context, const sdMeshData* data,
                               bool findSelfIntersections, sdMeshReport* report);

typedef struct sdMesh sdMesh;

/// Repair as asked for, then build. Open and non-manifold meshes are allowed: the report says so,
/// and what needs a solid (mass, field) will refuse them with a reason.
/// @return SD_ERROR_INVALID_ARGUMENT as sdMesh_Inspect; SD_ERROR_DEGENERATE when no triangle is
/// left
SD_API sdResult sdMesh_Create(const sdContext* context, const sdMeshDef* def, sdMesh** out);

/// One more reference, to be released.
SD_API void sdMesh_Retain(const sdMesh* mesh);
/// Frees the mesh with its last reference. NULL is allowed.
SD_API void sdMesh_Release(const sdMesh* mesh);

/// Borrowed views, valid as long as the mesh. What was found and done while building
/// (selfIntersectionCount is -1: sdMesh_Inspect looks for them).
SD_API const sdMeshReport* sdMesh_GetReport(const sdMesh* mesh);
SD_API sdMeshData sdMesh_GetData(const sdMesh* mesh);
SD_API sdAABB sdMesh_GetBounds(const sdMesh* mesh);
SD_API size_t sdMesh_GetByteCount(const sdMesh* mesh);

/// An edge and what meets there.
typedef struct sdMeshEdge {
    int vertices[2];  ///< in the direction in which triangles[0] runs along it
    int triangles[2]; ///< SD_NULL_INDEX for the second at a boundary
    float cosAngle;   ///< between the two face normals: 1 flat, -1 folded back; 1 at a boundary
    bool isConvex;    ///< the solid bulges here; true at a boundary
} sdMeshEdge;

/// An edge of three or more triangles appears several times: once for every two triangles that
/// bound the same wedge of the solid, found by going around the edge, and once for one left over.
SD_API const sdMeshEdge* sdMesh_GetEdges(const sdMesh* mesh, int* count);

/// For triangle t, the neighbours across its edges (v0 v1), (v1 v2), (v2 v0); SD_NULL_INDEX at a
/// boundary.
SD_API const int32_t* sdMesh_GetNeighbors(const sdMesh* mesh);

// ---- mass (A2) -----------------------------------------------------------------------------

/// Of the solid inside a closed mesh, by the divergence theorem: surface integrals, exact for the
/// polyhedron.
/// @param density kg/m³
/// @return SD_ERROR_BAD_MESH when the mesh is not a solid
SD_API sdResult sdMesh_GetMass(const sdMesh* mesh, float density, sdMassProps* out);

/// Of the surface itself, open or not, as a sheet of that thickness.
/// @param thickness m, small against the mesh
SD_API sdResult sdMesh_GetShellMass(const sdMesh* mesh, float density, float thickness,
                                    sdMassProps* out);

// ---- points, triangles (A9, A11) -----------------------------------------------------------

/// Which of the seven Voronoi regions of a triangle a point falls into.
typedef enum sdTriangleRegion {
    SD_REGION_FACE,
    SD_REGION_EDGE_AB,
    SD_REGION_EDGE_BC,
    SD_REGION_EDGE_CA,
    SD_REGION_VERTEX_A,
    SD_REGION_VERTEX_B,
    SD_REGION_VERTEX_C
} sdTriangleRegion;

typedef struct sdTrianglePoint {
    sdVec3 point; ///< the nearest point of the triangle
    float distanceSquared;
    sdTriangleRegion region;
} sdTrianglePoint;

/// Nearest point of triangle abc. Degenerate triangles are treated as the segment or point that
/// they are.
SD_API sdTrianglePoint sdClosestPointOnTriangle(sdVec3 p, sdVec3 a, sdVec3 b, sdVec3 c);

typedef struct sdMeshPoint {
    sdVec3 point;
    float distance; ///< never negative
    int triangle;   ///< SD_NULL_INDEX when nothing is within the maximum distance
    sdTriangleRegion region;
} sdMeshPoint;

/// Nearest point of the surface, through the tree.
/// Of triangles at the same distance the one with the smallest index is taken.
/// @param maxDistance nothing beyond is looked at; may be infinite. A good bound saves time.
/// @return triangle SD_NULL_INDEX also for a point that is not finite or further than 1e18 m away
SD_API sdMeshPoint sdMesh_ClosestPoint(const sdMesh* mesh, sdVec3 p, float maxDistance);

/// The same for many points. Eight at a time share their way through the tree: two to three times
/// faster when points that follow each other lie near each other, as in blocks of a grid.
/// @param out room for `count`
SD_API void sdMesh_ClosestPoints(const sdMesh* mesh, const sdVec3* points, int count,
                                 float maxDistance, sdMeshPoint* out);

/// Angle-weighted pseudo-normal of the feature on which the nearest point lies, not normalised
/// beyond unit length: its dot product with (p - nearest) has the sign of the distance (A8).
SD_API sdVec3 sdMesh_PseudoNormal(const sdMesh* mesh, int triangle, sdTriangleRegion region);

/// Negative inside. The sign is right for closed, oriented meshes. FLT_MAX for a point that is not
/// finite.
SD_API float sdMesh_SignedDistance(const sdMesh* mesh, sdVec3 p);

/// Inside by ray parity: the number of crossings of a ray is odd. Rays that graze an edge or
/// vertex are thrown away and cast again in another fixed direction. Points on the surface may
/// count either way.
SD_API bool sdMesh_ContainsByParity(const sdMesh* mesh, sdVec3 p);

/// How often the surface winds around p: 1 inside, 0 outside, in between for open meshes.
/// Exact sum over all triangles (slow; an oracle).
SD_API double sdMesh_WindingNumber(const sdMesh* mesh, sdVec3 p);

/// The same within about 0.01 through the tree, far clusters taken as dipoles
/// (Barill et al., "Fast winding numbers for soups and clouds", 2018).
SD_API float sdMesh_WindingNumberFast(const sdMesh* mesh, sdVec3 p);

typedef struct sdMeshHit {
    float fraction; ///< of the ray's length
    sdVec3 point;
    sdVec3 normal; ///< unit, of the triangle's front
    int triangle;  ///< SD_NULL_INDEX for a miss
} sdMeshHit;

/// First triangle, front or back, on the segment from `origin` to `origin + translation`.
/// Watertight: no segment slips between triangles that share an edge. A segment without length
/// hits nothing.
SD_API sdMeshHit sdMesh_Raycast(const sdMesh* mesh, sdVec3 origin, sdVec3 translation);

/// Triangles whose boxes overlap `box`: for own narrow phases.
/// @param visit returns false to stop
typedef bool sdTriangleFcn(void* arg, int triangle);
SD_API void sdMesh_QueryBox(const sdMesh* mesh, sdAABB box, sdTriangleFcn* visit, void* arg);

// ---- surface samples (A10) -----------------------------------------------------------------

/// Vertices first, then `pointsPerEdge` evenly spaced inner points on each edge, edge by edge as in
/// sdMesh_GetEdges.
/// @return 0 for a negative `pointsPerEdge` and for more points than an int can count
SD_API int sdMesh_CountSamples(const sdMesh* mesh, int pointsPerEdge);
/// @param out room for sdMesh_CountSamples points
SD_API void sdMesh_GetSamples(const sdMesh* mesh, int pointsPerEdge, sdVec3* out);

SD_END_C

#endif
