// SPDX-License-Identifier: MIT
// mesh_build.h - the stages between a user's triangles and an sdMesh.
//
// check -> weld -> drop -> edges -> components -> orient -> mesh. Each stage is a function of
// plain arrays, so that sdMesh_Inspect can use the same ones on triangles it must not change.
// A half-edge h = 3 t + k is the side of triangle t that starts at its corner k.

#ifndef SD_GEOMETRY_MESH_BUILD_H
#define SD_GEOMETRY_MESH_BUILD_H

#include "base/memory.h"
#include "geometry/mesh.h"
#include "math/vec3d.h"

// ---- small things that every stage needs ---------------------------------------------------

/// The half-edge that follows h in its triangle.
static inline int sdHalfEdge_Next(int h) {
    return h % 3 == 2 ? h - 2 : h + 1;
}

/// The corner of h's triangle that h does not touch, as an index into the triangle array.
static inline int sdHalfEdge_Opposite(int h) {
    return h % 3 == 0 ? h + 2 : h - 1;
}

/// Towards the vertex with the larger number. The two triangles of a well oriented edge differ.
static inline bool sdHalfEdge_IsForward(const int32_t* triangles, int h) {
    return triangles[h] < triangles[sdHalfEdge_Next(h)];
}

/// Two of the three indices are equal: the triangle has no edges and no neighbours.
static inline bool sdTriangle_IsCollapsed(const int32_t* v) {
    return v[0] == v[1] || v[1] == v[2] || v[2] == v[0];
}

/// Collapsed, or two corners at the same place, or so thin that it has no normal.
bool sdTriangle_IsDegenerate(const sdVec3* vertices, const int32_t* v);

/// Twice the area times the normal.
static inline sdVec3d sdTriangle_Cross(const sdVec3* vertices, const int32_t* v) {
    sdVec3d a = sdVec3d_From(vertices[v[0]]);
    return sdCrossD(sdSubD(sdVec3d_From(vertices[v[1]]), a),
                    sdSubD(sdVec3d_From(vertices[v[2]]), a));
}

/// What sdMesh_Inspect and sdMesh_Create refuse, with the reason.
sdResult sdMeshData_Check(const sdContext* context, const char* function, const sdMeshData* data);

// ---- weld.c --------------------------------------------------------------------------------

/// map[i] is the vertex that stands for vertex i: i itself or an earlier one. Vertices are taken
/// in order; each is joined to the earliest kept vertex at most `distance` away, or is kept. So no
/// vertex moves farther than `distance`, kept vertices are farther apart than that, and a chain of
/// near vertices does not shrink to a point (the relation is not transitive).
/// @return SD_ERROR_OUT_OF_MEMORY or SD_OK
sdResult sdWeldVertices(const sdContext* context, const char* function, const sdVec3* vertices,
                        int count, float distance, int32_t* map);

/// Marks triangles that have the same vertices, in the same sense, as an earlier one. Collapsed
/// ones are left out.
/// @param isDuplicate one byte a triangle
sdResult sdFindDuplicateTriangles(const sdContext* context, const char* function,
                                  const int32_t* triangles, int triangleCount, uint8_t* isDuplicate,
                                  int* count);

// ---- adjacency.c ---------------------------------------------------------------------------

/// The half-edges of all triangles, gathered by edge (a pair of vertices). The uses of an edge
/// stand in pairs of neighbours: (0 1), (2 3), ... and perhaps a single one at the end. Edges with
/// one or two uses are plain. Of three or more, those are paired that bound the same wedge of the
/// solid, found by going around the edge. Collapsed triangles have no part in this.
typedef struct sdEdgeTable {
    int32_t* uses;   ///< half-edges
    int32_t* starts; ///< of each edge in `uses`, and the end of the last
    int useCount;
    int edgeCount;
    int pairCount; ///< pairs and single ones
    void* block;
    size_t byteCount;
} sdEdgeTable;

sdResult sdEdgeTable_Build(const sdContext* context, const char* function, const sdMeshData* data,
                           sdEdgeTable* out);
void sdEdgeTable_Free(const sdAllocator* allocator, sdEdgeTable* table);

/// Fill neighbours, edges and the edges of triangles of a mesh whose vertices, triangles and face
/// normals are there.
void sdMesh_LinkEdges(sdMesh* mesh, const sdEdgeTable* table);

/// Normals of faces, unit or zero for degenerate triangles.
void sdMesh_ComputeFaceNormals(sdMesh* mesh);
/// Normals of edges and vertices, from those of faces. Needs linked edges.
void sdMesh_ComputePseudoNormals(sdMesh* mesh);

// ---- components.c --------------------------------------------------------------------------

/// A piece of surface connected through edges.
typedef struct sdMeshComponent {
    sdAABB box;
    double volume; ///< signed; of the cone over the surface when open
    int firstTriangle;
    int triangleCount;
    int depth;       ///< closed components around it
    bool isClosed;   ///< every edge has an even number of triangles
    bool isOriented; ///< ... half of them in each direction (one each way, or less, when open)
    bool isPlain;    ///< every edge has at most two triangles
} sdMeshComponent;

typedef struct sdMeshComponents {
    sdMeshComponent* items; ///< in the order of their first triangles
    int32_t* ofTriangle;
    int count;
    int triangleCount;
} sdMeshComponents;

sdResult sdMeshComponents_Build(const sdContext* context, const char* function,
                                const sdMeshData* data, const sdEdgeTable* table,
                                sdMeshComponents* out);
void sdMeshComponents_Free(const sdAllocator* allocator, sdMeshComponents* components);

// ---- inspect.c -----------------------------------------------------------------------------

/// Everything in the report that is true of the triangles, except self-intersections.
sdResult sdMeshData_Analyze(const sdContext* context, const char* function, const sdMeshData* data,
                            const sdEdgeTable* table, const sdMeshComponents* components,
                            sdMeshReport* report);

// ---- orient.c ------------------------------------------------------------------------------

/// Flip triangles in place.
/// @param flipCount receives their number
sdResult sdOrientTriangles(const sdContext* context, const char* function, const sdMeshData* data,
                           const sdEdgeTable* table, const sdMeshComponents* components,
                           int32_t* triangles, int* flipCount);

#endif
