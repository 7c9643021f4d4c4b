// SPDX-License-Identifier: MIT
// mesh_zoo.h - bodies that are not convex, and the convex pieces that they consist of.

#ifndef SD_TEST_MESH_ZOO_H
#define SD_TEST_MESH_ZOO_H

#include "shape_zoo.h"

#define MESH_ZOO_COUNT 6
#define MESH_ZOO_HULLS 2

/// Bodies of every kind that is not convex, and some convex ones. Made once a test.
typedef struct MeshZoo {
    TestContext test;
    sdMesh* meshes[MESH_ZOO_COUNT];
    sdHull* hulls[MESH_ZOO_HULLS];
    sdCompound* parts;  ///< a handful of convex shapes
    sdCompound* meshed; ///< a mesh beside convex shapes
} MeshZoo;

enum { MESH_ZOO_RING, MESH_ZOO_STAR, MESH_ZOO_BOX, MESH_ZOO_SKULL, MESH_ZOO_BOLT, MESH_ZOO_BOWL };

void MeshZoo_Init(MeshZoo* zoo);
void MeshZoo_Free(MeshZoo* zoo);
sdShape MeshZoo_PickConvex(const MeshZoo* zoo, TestRandom* random);
/// A mesh or compound; 'small' for what brute force tries all pairs of.
sdShape MeshZoo_PickBody(const MeshZoo* zoo, TestRandom* random, bool isSmall);

/// Triangles and convex shapes, those of compounds and of meshes in them.
int TestPieces_Count(const sdShape* shape);
/// @param xf    receives the frame of the piece in that of the shape
/// @param child receives the index that manifolds have for it
sdShape TestPieces_Get(const sdShape* shape, int index, sdTransform* xf, int* child);

#endif
