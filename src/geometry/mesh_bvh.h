// SPDX-License-Identifier: MIT
// mesh_bvh.h - a tree of boxes, eight children a node, over the triangles of a mesh.
//
// Boxes and triangles stand eight abreast, so that one node or one leaf is one pass of SIMD. The
// tree is made once, by binned surface-area splits, and never changed. It copies the corners of
// the triangles into its leaves: a query touches nothing but the tree.

#ifndef SD_GEOMETRY_MESH_BVH_H
#define SD_GEOMETRY_MESH_BVH_H

#include "base/memory.h"
#include "base/simd.h"
#include "sudar/mesh.h"

/// Levels of nodes below which a query's stack cannot overflow. The builder splits by area down to
/// SD_BVH_AREA_DEPTH and by halves from there: 8 ways a level, so 9 levels more for 1e8 triangles.
#define SD_BVH_AREA_DEPTH 24
#define SD_BVH_MAX_DEPTH 34
#define SD_BVH_STACK_SIZE (7 * SD_BVH_MAX_DEPTH + 8)

/// A child that does not exist. Its box is empty: lower = +infinity, upper = -infinity.
#define SD_BVH_NO_CHILD INT32_MIN

typedef struct sdMeshBvhNode {
    float lower[3][SD_LANES];
    float upper[3][SD_LANES];
    int32_t child[SD_LANES]; ///< a node, or ~leaf, or SD_BVH_NO_CHILD in the last places
} sdMeshBvhNode;

typedef struct sdMeshBvhLeaf {
    float corner[3][3][SD_LANES]; ///< corner, axis, lane
    int32_t triangle[SD_LANES];   ///< ascending; lanes left over repeat the last triangle
} sdMeshBvhLeaf;

/// What each child of a node looks like from afar, for winding numbers: a sum of little areas with
/// their normals, seen in one place.
typedef struct sdMeshBvhDipoles {
    float center[3][SD_LANES];    ///< of the area
    float normal[3][SD_LANES];    ///< sum of area times unit normal, m²
    float area[SD_LANES];         ///< m²
    float reachSquared[SD_LANES]; ///< afar is beyond this distance from the centre
} sdMeshBvhDipoles;

typedef struct sdMeshBvh {
    sdMeshBvhNode* nodes;      ///< opens the block that holds all of it; the root comes first
    sdMeshBvhDipoles* dipoles; ///< one a node
    sdMeshBvhLeaf* leaves;
    int nodeCount;
    int leafCount;
    size_t byteCount;
} sdMeshBvh;

/// Vertices and indices must have been checked. Same tree for any number of workers.
sdResult sdMeshBvh_Build(const sdContext* context, const sdMeshData* data, sdMeshBvh* out);
void sdMeshBvh_Free(const sdAllocator* allocator, sdMeshBvh* bvh);

/// Nearest point of the triangles; triangle SD_NULL_INDEX when none is within maxDistance or p is
/// not finite. Of triangles at the same distance the one with the smallest index is taken. A good
/// upper bound makes the query much faster; one taken from a neighbouring query must be rounded up.
sdMeshPoint sdMeshBvh_ClosestPoint(const sdMeshBvh* bvh, sdVec3 p, float maxDistance);

/// The same for many points, best in an order in which neighbours follow each other: eight at a
/// time share their way through the tree, which is several times faster.
void sdMeshBvh_ClosestPoints(const sdMeshBvh* bvh, const sdVec3* points, int count,
                             float maxDistance, sdMeshPoint* out);

/// Triangles whose boxes overlap `box`, touching included, until `visit` returns false.
void sdMeshBvh_VisitBox(const sdMeshBvh* bvh, sdAABB box, sdTriangleFcn* visit, void* arg);

/// First triangle, front or back, on the segment; triangle SD_NULL_INDEX for none. Watertight: no
/// segment slips between triangles that share an edge.
/// @param fraction receives where on the segment, 0 .. 1
int sdMeshBvh_Raycast(const sdMeshBvh* bvh, sdVec3 origin, sdVec3 translation, float* fraction);

/// Winding number of the triangles around a finite p, far clusters as dipoles.
float sdMeshBvh_WindingNumber(const sdMeshBvh* bvh, sdVec3 p);

/// Fill in one node's dipoles; those of the nodes below must be there.
void sdMeshBvh_ComputeDipoles(const sdMeshBvh* bvh, int node);

/// Corner 0, 1 or 2 of a triangle in a leaf.
static inline sdVec3 sdMeshBvhLeaf_GetCorner(const sdMeshBvhLeaf* leaf, int lane, int corner) {
    return sdV3(leaf->corner[corner][0][lane], leaf->corner[corner][1][lane],
                leaf->corner[corner][2][lane]);
}

// ---- kernels (mesh_bvh_kernel.c) -----------------------------------------------------------

/// The best triangle so far.
typedef struct sdMeshBvhNearest {
    float distanceSquared; ///< in: only triangles at most this far count
    int32_t triangle;      ///< in: INT32_MAX
    int32_t leaf;
    int32_t lane;
    sdVec3 offset; ///< from p to the nearest point
    sdTriangleRegion region;
} sdMeshBvhNearest;

SD_DECLARE_KERNEL(void, sdMeshBvh_Nearest,
                  (const sdMeshBvh* bvh, sdVec3 p, sdMeshBvhNearest* nearest));

/// The same for eight points that are near each other, together.
/// @param seed leaf * 8 + lane of a triangle to start with, or SD_NULL_INDEX
/// @param nearest `triangle` need not be set
SD_DECLARE_KERNEL(void, sdMeshBvh_NearestOfEight,
                  (const sdMeshBvh* bvh, const sdVec3 points[SD_LANES], int seed,
                   sdMeshBvhNearest nearest[SD_LANES]));

/// As sdMeshBvh_VisitBox.
SD_DECLARE_KERNEL(void, sdMeshBvh_Visit,
                  (const sdMeshBvh* bvh, const sdAABB* box, sdTriangleFcn* visit, void* arg));

/// A segment, made ready. Seen along its longest axis, sheared so that it runs straight away from
/// the eye, it hits a triangle when the origin of that view lies inside.
typedef struct sdMeshRay {
    float origin[3];
    float inverse[3]; ///< of the translation; large where that is 0
    int axis[3];      ///< right, up and depth of the view
    float shear[2];   ///< right and up per depth
    float scale;      ///< fraction of the segment per depth
} sdMeshRay;

/// @return false when the numbers are not finite or the segment has no length
bool sdMeshRay_Make(sdVec3 origin, sdVec3 translation, sdMeshRay* out);

typedef struct sdMeshBvhHit {
    float fraction;   ///< in: only hits up to here count
    int32_t triangle; ///< in: INT32_MAX
} sdMeshBvhHit;

SD_DECLARE_KERNEL(void, sdMeshBvh_FirstHit,
                  (const sdMeshBvh* bvh, const sdMeshRay* ray, sdMeshBvhHit* hit));

/// Triangles that the segment goes through.
/// @return SD_NULL_INDEX when it goes exactly through an edge or a corner, as the view sees it
SD_DECLARE_KERNEL(int, sdMeshBvh_CountCrossings, (const sdMeshBvh* bvh, const sdMeshRay* ray));

SD_DECLARE_KERNEL(double, sdMeshBvh_SumSolidAngles, (const sdMeshBvh* bvh, sdVec3 p));

#endif
