// SPDX-License-Identifier: MIT
// mesh_support.h - triangles to test meshes with: boxes, balls, tori, prisms, and damage to them.

#ifndef SD_TEST_MESH_SUPPORT_H
#define SD_TEST_MESH_SUPPORT_H

#include "support.h"

/// Triangles that grow. A zeroed struct is empty; TestMesh_Free at the end.
typedef struct TestMesh {
    sdVec3* vertices;
    int32_t* triangles;
    int vertexCount;
    int triangleCount;
} TestMesh;

void TestMesh_Free(TestMesh* mesh);
sdMeshData TestMesh_Data(const TestMesh* mesh);
/// All repairs, weld distance 0.
sdMeshDef TestMesh_Def(const TestMesh* mesh);

sdVec3 TestMesh_Corner(const TestMesh* mesh, int triangle, int corner);

int TestMesh_AddVertex(TestMesh* mesh, double x, double y, double z);
void TestMesh_AddTriangle(TestMesh* mesh, int a, int b, int c);
/// A triangle with three new vertices.
void TestMesh_AddLoose(TestMesh* mesh, sdVec3 a, sdVec3 b, sdVec3 c);

// All of these are closed and face outward.
void TestMesh_AddBox(TestMesh* mesh, sdVec3 center, sdVec3 half);
/// 2 * segments * (rings - 1) triangles; `radius` is called with a unit direction.
typedef double TestRadius(void* arg, sdVec3 direction);
void TestMesh_AddStar(TestMesh* mesh, sdVec3 center, int rings, int segments, TestRadius* radius,
                      void* arg);
void TestMesh_AddBall(TestMesh* mesh, sdVec3 center, double radius, int rings, int segments);
/// Around z; 2 * major * minor triangles.
void TestMesh_AddTorus(TestMesh* mesh, double radius, double tube, int major, int minor);
/// Around z, from -height / 2 to height / 2; corners on the circle.
void TestMesh_AddPrism(TestMesh* mesh, double radius, double height, int sides);
/// A ball with hills around its middle, of that radius more or less than 1 at the most; without
/// them and with 4 around and 2 down an octahedron.
TestMesh TestMesh_Hills(int around, int down, double hills);

/// Separate triangles of the given size in a box of half size `reach` around `center`.
TestMesh TestMesh_Soup(TestRandom* random, int count, float reach, float size, sdVec3 center);

void TestMesh_Flip(TestMesh* mesh, int triangle);
void TestMesh_FlipAll(TestMesh* mesh, int begin, int end);
/// Give every triangle three vertices of its own.
void TestMesh_Unshare(TestMesh* mesh);
void TestMesh_Move(TestMesh* mesh, float scale, sdTransform xf);

/// A mesh, or NULL with a failed check.
sdMesh* TestMesh_Create(const sdContext* context, const sdMeshDef* def);
/// That of these triangles, with all repairs.
sdMesh* TestMesh_Build(const sdContext* context, const TestMesh* mesh);
/// The report of a mesh made with all repairs.
sdMeshReport TestMesh_RepairedReport(const TestMesh* mesh);

/// sin and cos in double, for shapes only.
double TestSin(double x);
double TestCos(double x);
#define TEST_PI 3.14159265358979323846

#endif
