// SPDX-License-Identifier: MIT
// shapes.h - the shapes that bodies are made of: primitives, hulls, meshes, compounds.
//
// Primitives stand at the origin of their own frame; capsule, cylinder and cone along y.
// An sdShape is a small value; hulls, meshes and compounds in it are borrowed references.

#ifndef SUDAR_SHAPES_H
#define SUDAR_SHAPES_H

#include "sudar/bounds.h"
#include "sudar/hull.h"
#include "sudar/mass.h"
#include "sudar/mesh.h"

SD_BEGIN_C

typedef enum sdShapeType {
    SD_SHAPE_SPHERE,
    SD_SHAPE_CAPSULE,
    SD_SHAPE_BOX,
    SD_SHAPE_CYLINDER,
    SD_SHAPE_CONE,
    SD_SHAPE_TRIANGLE, ///< two-sided, no volume
    SD_SHAPE_HULL,
    SD_SHAPE_HALF_SPACE, ///< everything with y <= 0 of its own frame: a floor; no mass, no bounds
    SD_SHAPE_MESH,
    SD_SHAPE_COMPOUND,
    SD_SHAPE_TYPE_COUNT
} sdShapeType;

typedef struct sdSphere {
    float radius;
} sdSphere;

/// All points within `radius` of the segment from -halfLength to +halfLength on y.
typedef struct sdCapsule {
    float halfLength;
    float radius;
} sdCapsule;

typedef struct sdBox {
    sdVec3 halfExtents;
} sdBox;

typedef struct sdCylinder {
    float halfHeight;
    float radius;
} sdCylinder;

/// Apex at y = +halfHeight, base of `radius` at y = -halfHeight.
typedef struct sdCone {
    float halfHeight;
    float radius;
} sdCone;

typedef struct sdTriangle {
    sdVec3 vertices[3];
} sdTriangle;

typedef struct sdCompound sdCompound;
typedef struct sdConcave sdConcave;

typedef struct sdShape {
    sdShapeType type;
    union {
        sdSphere sphere;
        sdCapsule capsule;
        sdBox box;
        sdCylinder cylinder;
        sdCone cone;
        sdTriangle triangle;
        const sdHull* hull;
        const sdMesh* mesh;
        const sdCompound* compound;
    };
    const sdConcave* concave; ///< of a mesh that may move (concave.h); NULL for all others
} sdShape;

/// Shapes by their sizes, m; a size that is not valid is told by whoever is given the shape. Hulls,
/// meshes and compounds are borrowed.
SD_API sdShape sdShape_Sphere(float radius);
SD_API sdShape sdShape_Capsule(float halfLength, float radius);
SD_API sdShape sdShape_Box(float halfX, float halfY, float halfZ);
SD_API sdShape sdShape_Cylinder(float halfHeight, float radius);
SD_API sdShape sdShape_Cone(float halfHeight, float radius);
SD_API sdShape sdShape_Triangle(sdVec3 a, sdVec3 b, sdVec3 c);
SD_API sdShape sdShape_Hull(const sdHull* hull);
SD_API sdShape sdShape_HalfSpace(void);
SD_API sdShape sdShape_Mesh(const sdMesh* mesh);
SD_API sdShape sdShape_Compound(const sdCompound* compound);

/// "sphere", "capsule", ...; "unknown" outside the enumeration.
SD_API const char* sdShapeType_Name(sdShapeType type);

/// Sizes finite and not negative, references not NULL. A size of 0 is allowed (a point, a plate);
/// such a shape can collide but has no mass.
SD_API bool sdShape_IsValid(const sdShape* shape);

/// True for everything but meshes, compounds and half-spaces.
SD_API bool sdShape_IsConvex(const sdShape* shape);

/// Smallest box, in A, of a shape placed in A by xfAB, to within rounding. Meshes look at all of
/// their vertices. A half-space has the largest valid box, -FLT_MAX .. FLT_MAX, whose half extents
/// and area are infinite; a shape that is not valid has the empty box.
SD_API sdAABB sdShape_GetBounds(const sdShape* shape, sdTransform xfAB);

/// Closed forms (A4); hulls and meshes by surface integrals; compounds by the parallel-axis
/// theorem, children without volume left out, overlaps of children counted twice.
/// @param density kg/m³, positive
/// @return SD_ERROR_INVALID_ARGUMENT for a shape or density that is not valid; SD_ERROR_DEGENERATE
///         for shapes without volume (triangle, half-space, a size of 0); SD_ERROR_BAD_MESH for
///         meshes that are not solids; SD_ERROR_LIMIT when a float cannot hold mass or moments
SD_API sdResult sdShape_GetMass(const sdContext* context, const sdShape* shape, float density,
                                sdMassProps* out);

/// A furthest point of a convex shape along `direction`, which may have any length. The zero vector
/// and one that is not finite give some point of the shape; a shape that is not convex gives the
/// origin.
SD_API sdVec3 sdShape_Support(const sdShape* shape, sdVec3 direction);

/// Solid test: inside, or on the surface within 1e-6 of the shape's largest coordinate. Hulls by
/// the half-spaces of their faces, closed meshes by ray parity (A11); an open mesh has only its
/// surface. False for a point that is not finite and a shape that is not valid.
SD_API bool sdShape_ContainsPoint(const sdShape* shape, sdVec3 p);

// ---- compounds (A12) -----------------------------------------------------------------------

#define SD_COMPOUND_MAX_CHILDREN 1000000

typedef struct sdCompoundChild {
    sdShape shape; ///< not a compound, not a half-space
    sdTransform xf;
} sdCompoundChild;

/// Immutable, one block, reference counted; keeps references to the hulls and meshes of its
/// children.
/// @return SD_ERROR_INVALID_ARGUMENT for no children or one that is not valid (the log says which)
SD_API sdResult sdCompound_Create(const sdContext* context, const sdCompoundChild* children,
                                  int count, sdCompound** out);
SD_API void sdCompound_Retain(const sdCompound* compound);
/// Frees the compound with its last reference. NULL is allowed.
SD_API void sdCompound_Release(const sdCompound* compound);
SD_API const sdCompoundChild* sdCompound_GetChildren(const sdCompound* compound, int* count);
SD_API sdAABB sdCompound_GetBounds(const sdCompound* compound);

// ---- convex decomposition (A12) ------------------------------------------------------------

#define SD_DECOMPOSE_MAX_PARTS 1024
#define SD_DECOMPOSE_MIN_RESOLUTION 8
#define SD_DECOMPOSE_MAX_RESOLUTION 256

typedef struct sdDecomposeDef {
    int maxPartCount;       ///< 1 .. SD_DECOMPOSE_MAX_PARTS
    float maxConcavity;     ///< stop splitting below this depth, as a fraction of the diagonal
    int resolution;         ///< cells along the longest side, 8 .. 256: gaps narrower than a cell
                            ///< do not separate, and depths are measured within a quarter of one
    int maxHullVertexCount; ///< of each part; 0: no limit, else at least 4
} sdDecomposeDef;

/// 32 parts, 1 %, 64 cells, 64 vertices.
SD_API sdDecomposeDef sdDecomposeDef_Default(void);

/// Approximate convex decomposition of a closed mesh. The parts together cover the solid; they
/// bulge over it by no more than the concavity asked for, or as little as maxPartCount and
/// maxHullVertexCount allow. A convex mesh gives one part, its hull.
/// @param out a compound of hulls, identity transforms
/// @param concavity may be NULL; receives the greatest distance from a point of a part to the
///        solid, as a fraction of the diagonal of the mesh's box: the true one is at most a quarter
///        of a cell more
/// @return SD_ERROR_BAD_MESH when the mesh is not a solid; SD_ERROR_INVALID_ARGUMENT for settings
///         out of their ranges
SD_API sdResult sdMesh_Decompose(const sdContext* context, const sdMesh* mesh,
                                 const sdDecomposeDef* def, sdCompound** out, float* concavity);

SD_END_C

#endif
