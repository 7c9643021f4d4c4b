// SPDX-License-Identifier: MIT
// mesh_build.h - the stages between a user's triangles and an sdMesh.
//
// check -> weld -> edges -> drop -> components -> orient -> analyze -> mesh. Each stage is a
// function of plain arrays, so that sdMesh_Inspect can use the same ones on triangles it must not
// change. A half-edge h = 3 t + k is the side of triangle t that starts at its corner k.

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

/// Union-find: the representative of i's set. A root is its own parent.
static inline int sdFindRoot(int32_t* parents, int i) {
    // halving the path as we go keeps all paths short
    while (parents[i] != i) {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    return i;
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
    int mostUses;  ///< of one edge
    void* block;
    size_t byteCount;
} sdEdgeTable;

sdResult sdEdgeTable_Build(const sdContext* context, const char* function, const sdMeshData* data,
                           sdEdgeTable* out);
void sdEdgeTable_Free(const sdAllocator* allocator, sdEdgeTable* table);

/// Fill neighbours, the edges of triangles, and the vertices and triangles of edges.
void sdMesh_LinkEdges(sdMesh* mesh, const sdEdgeTable* table);

// ---- drop.c --------------------------------------------------------------------------------

/// A triangle and the earlier ones on the same three vertices.
typedef enum sdDuplicateKind {
    SD_DUPLICATE_NONE,    ///< there is none
    SD_DUPLICATE_SAME,    ///< one that faces the same way
    SD_DUPLICATE_OPPOSITE ///< only ones that face the other way
} sdDuplicateKind;

/// @param kinds one sdDuplicateKind a triangle; collapsed triangles are SD_DUPLICATE_NONE
/// @param count receives how many are not
sdResult sdFindDuplicates(const sdContext* context, const char* function, const sdMeshData* data,
                          const sdEdgeTable* table, uint8_t* kinds, int* count);

/// Mark triangles without area, collapsed ones excepted, that have a side without neighbour.
/// Without the others the surface would have slits.
/// @param marks one a triangle: 1 to be dropped, 0 to stay
void sdMarkSlivers(const sdMeshData* data, const sdEdgeTable* table, uint8_t* marks);

/// Mark triangles that repeat an earlier one in the same sense, and those that repeat one in the
/// opposite sense where the surface is closed without them. That leaves sheets with two sides and
/// walls inside a solid, whose sides cancel, as they are.
sdResult sdMarkDuplicates(const sdContext* context, const char* function, const sdMeshData* data,
                          const sdEdgeTable* table, uint8_t* marks);

// ---- pseudo_normal.c -----------------------------------------------------------------------

/// Normals of faces, edges and vertices, and the angles at edges. Needs linked edges.
void sdMesh_ComputeNormals(sdMesh* mesh);

// ---- components.c --------------------------------------------------------------------------

/// A piece of surface connected through edges.
typedef struct sdMeshComponent {
    sdAABB box;
    double volume; ///< signed; of the cone over the surface when open
    double area;
    double largestArea; ///< of its triangles
    int firstTriangle;
    int largestTriangle;
    int triangleCount;
    int depth;       ///< closed components around it (0 unless closed itself)
    int winding;     ///< of them, those that face outward less those that face inward
    int outermost;   ///< the first of them that is at depth 0, or itself
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

/// 1 facing outward, -1 inward, 0 when the volume is too small to tell or the component is open.
int sdMeshComponent_Facing(const sdMeshComponent* component);

// ---- nesting.c -----------------------------------------------------------------------------

/// Fill depth, winding and outermost of the components.
sdResult sdMeshComponents_FindNesting(const sdContext* context, const char* function,
                                      const sdMeshData* data, sdMeshComponents* components);

// ---- inspect.c -----------------------------------------------------------------------------

/// Everything in the report that is true of the triangles, except self-intersections.
sdResult sdMeshData_Analyze(const sdContext* context, const char* function, const sdMeshData* data,
                            const sdEdgeTable* table, const sdMeshComponents* components,
                            sdMeshReport* report);

// ---- self_intersect.c ----------------------------------------------------------------------

/// Fill selfIntersectionCount and firstIntersection of the report.
sdResult sdMeshData_FindSelfIntersections(const sdContext* context, const sdMeshData* data,
                                          sdMeshReport* report);

/// Whether triangles a and b share more than touching points: no plane has them on its two sides
/// with an overlap of at most SD_TOUCH_DEPTH times the longest edge; coplanar triangles, when they
/// overlap by more than that in their plane. Triangles that share a vertex or an edge and no more
/// touch.
bool sdTriangles_Cross(const sdVec3d a[3], const sdVec3d b[3]);

/// Overlap of two triangles that counts as touching, as a part of their longest edge. Corners are
/// floats, so that a corner that was meant to lie on a face is off by about 1e-7 of its size.
#define SD_TOUCH_DEPTH 1e-6

// ---- orient.c ------------------------------------------------------------------------------

/// Flip triangles in place.
///  - In components whose neighbours disagree, patches connected through edges of two triangles
///    are made to agree, changing as few triangles as possible; patches that cannot be oriented
///    stay as they are. When the component is closed and plain, it then faces outward or, when it
///    lies inside an odd number of closed components, inward.
///  - A component that agrees with itself is left alone, except that an outermost closed one that
///    faces inward is turned around, together with all closed components inside it.
/// @param flipCount receives their number
sdResult sdOrientTriangles(const sdContext* context, const char* function, const sdMeshData* data,
                           const sdEdgeTable* table, const sdMeshComponents* components,
                           int32_t* triangles, int* flipCount);

#endif
