// SPDX-License-Identifier: MIT
// concave.h - triangle meshes that may move: what dynamic bodies of any shape are made of.
//
// An sdConcave is a mesh with all that contacts with it need: a signed distance field, and the
// corners and edges with which it can touch others, in a tree of spheres. It is built once a shape;
// immutable, reference counted, and shared by any number of bodies, worlds and threads.
//
//     sdConcaveDef def = sdConcaveDef_Default();
//     sdConcave* skull;
//     sdConcave_Create(&context, mesh, &def, &skull);
//     sdShapeDef shape = sdShapeDef_Default(sdShape_Concave(skull));
//
// Nothing is replaced by its hull. Where a mesh has no inside, or walls too thin for a field of the
// size that is allowed, its triangles themselves collide, and sdConcave_GetInfo says so and why.

#ifndef SUDAR_CONCAVE_H
#define SUDAR_CONCAVE_H

#include "sudar/field.h"
#include "sudar/shapes.h"

SD_BEGIN_C

/// What a body collides with.
typedef enum sdConcaveRoute {
    SD_CONCAVE_AUTO,     ///< the field where there can be one, triangles otherwise
    SD_CONCAVE_FIELD,    ///< the field, or creation fails with the reason
    SD_CONCAVE_TRIANGLES ///< the surface alone, half a per cent of its size thick on both sides,
                         ///< which is its mass, too, where it has no inside; it keeps others off
                         ///< only while nothing has passed it
} sdConcaveRoute;

/// Cells that the thinnest wall has when the resolution is chosen from the mesh.
#define SD_CONCAVE_WALL_CELLS 3
/// Range from which it is then chosen.
#define SD_CONCAVE_MIN_RESOLUTION 24
#define SD_CONCAVE_MAX_RESOLUTION 192

typedef struct sdConcaveDef {
    sdConcaveRoute route;
    sdFieldDef field; ///< resolution and cellSize both 0: chosen so that the thinnest wall has
                      ///< SD_CONCAVE_WALL_CELLS cells
} sdConcaveDef;

/// The route and the resolution chosen from the mesh.
SD_API sdConcaveDef sdConcaveDef_Default(void);

typedef struct sdConcave sdConcave;

/// Keeps a reference to the mesh. The field is built in parallel when the context has workers.
/// @return SD_ERROR_BAD_MESH or SD_ERROR_DEGENERATE when a field was asked for and there can be
///         none; SD_ERROR_INVALID_ARGUMENT for settings out of their ranges
SD_API sdResult sdConcave_Create(const sdContext* context, const sdMesh* mesh,
                                 const sdConcaveDef* def, sdConcave** out);

/// The same with a field that was built before, by sdField_Create or sdField_Load, from the same
/// mesh. Keeps a reference to it.
/// @return SD_ERROR_INVALID_ARGUMENT when the field's grid does not hold the mesh
SD_API sdResult sdConcave_CreateWithField(const sdContext* context, const sdMesh* mesh,
                                          const sdField* field, sdConcave** out);

/// One more reference, to be released.
SD_API void sdConcave_Retain(const sdConcave* concave);
/// Frees it with its last reference. NULL is allowed.
SD_API void sdConcave_Release(const sdConcave* concave);

typedef struct sdConcaveInfo {
    sdConcaveRoute route; ///< the one taken: never SD_CONCAVE_AUTO
    const char* reason;   ///< why, in words
    float wall;           ///< thickness of the thinnest walls, m; 0 for a mesh without inside
    int vertexCount;      ///< corners that can touch others
    int edgeCount;        ///< edges that can
    size_t byteCount;     ///< of everything but the mesh
} sdConcaveInfo;

/// What was built, and why so.
SD_API sdConcaveInfo sdConcave_GetInfo(const sdConcave* concave);
/// The settings that it was made with; of one that was given its field, those that make one of the
/// same cells.
SD_API sdConcaveDef sdConcave_GetDef(const sdConcave* concave);
/// Borrowed.
SD_API const sdMesh* sdConcave_GetMesh(const sdConcave* concave);
/// Borrowed; NULL on the route of triangles.
SD_API const sdField* sdConcave_GetField(const sdConcave* concave);

/// The mesh as a shape that may be on any body, dynamic ones included. Its type is SD_SHAPE_MESH:
/// every query sees the mesh; contacts of worlds see field and samples as well.
SD_API sdShape sdShape_Concave(const sdConcave* concave);

SD_END_C

#endif
