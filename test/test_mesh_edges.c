// SPDX-License-Identifier: MIT
// test_mesh_edges.c - edges, neighbours and pseudo-normals of meshes.

#include "geometry/mesh.h"
#include "mesh_support.h"

#include <string.h>

static const sdVec3 origin = {0.0f, 0.0f, 0.0f};

static sdMesh* create(const sdContext* context, const TestMesh* triangles, uint32_t repairs) {
    sdMeshDef def = TestMesh_Def(triangles);
    def.repairs = repairs;
    sdMesh* mesh = NULL;
    CHECK_INT(sdMesh_Create(context, &def, &mesh), SD_OK);
    return mesh;
}

/// What is kept of a side is what its edge says, if it has one.
static void checkSide(const sdMesh* mesh, const sdMeshEdge* edge, int triangle, int side) {
    bool isRim = edge == NULL || edge->triangles[1] == SD_NULL_INDEX;
    // 1 - cos x is x² / 2 of the angle within which normals are the same
    bool isOpen = isRim || (double)edge->cosAngle < 1.0 - 2e-6;
    int sides = mesh->sides[triangle] >> side;
    CHECK((sides >> SD_SIDES_OPEN & 1) == (isOpen ? 1 : 0));
    CHECK((sides >> SD_SIDES_SHARP_FRONT & 1) == (isOpen && (isRim || edge->isConvex) ? 1 : 0));
    CHECK((sides >> SD_SIDES_SHARP_BACK & 1) == (isOpen && (isRim || !edge->isConvex) ? 1 : 0));
}

/// What must hold of the edges of any mesh.
static void checkLinks(const sdMesh* mesh) {
    sdMeshData data = sdMesh_GetData(mesh);
    const int32_t* neighbors = sdMesh_GetNeighbors(mesh);
    int edgeCount = 0, sideCount = 0;
    const sdMeshEdge* edges = sdMesh_GetEdges(mesh, &edgeCount);
    for (int e = 0; e < edgeCount; ++e) {
        const sdMeshEdge* edge = &edges[e];
        CHECK(edge->triangles[0] >= 0 && edge->triangles[0] != edge->triangles[1]);
        CHECK(edge->cosAngle >= -1.0f && edge->cosAngle <= 1.0f);
        sideCount += edge->triangles[1] == SD_NULL_INDEX ? 1 : 2;
        for (int i = 0; i < 2 && edge->triangles[i] != SD_NULL_INDEX; ++i) {
            // exactly one side of the triangle is this edge
            int t = edge->triangles[i], found = 0;
            for (int k = 0; k < 3; ++k) {
                int a = data.triangles[3 * t + k], b = data.triangles[3 * t + (k + 1) % 3];
                bool forward = a == edge->vertices[0] && b == edge->vertices[1];
                bool backward = b == edge->vertices[0] && a == edge->vertices[1];
                CHECK(i == 1 || !backward);
                if (forward || backward) {
                    found += 1;
                    CHECK_INT(mesh->triangleEdges[3 * t + k], e);
                    CHECK_INT(neighbors[3 * t + k], edge->triangles[1 - i]);
                    checkSide(mesh, edge, t, k);
                }
            }
            CHECK_INT(found, 1);
        }
    }
    int collapsed = 0;
    for (int t = 0; t < data.triangleCount; ++t) {
        const int32_t* v = data.triangles + 3 * t;
        bool isCollapsed = v[0] == v[1] || v[1] == v[2] || v[2] == v[0];
        collapsed += isCollapsed;
        for (int k = 0; k < 3 && isCollapsed; ++k) {
            CHECK_INT(neighbors[3 * t + k], SD_NULL_INDEX);
            CHECK_INT(mesh->triangleEdges[3 * t + k], SD_NULL_INDEX);
            checkSide(mesh, NULL, t, k);
        }
    }
    CHECK_INT(sideCount, 3 * (data.triangleCount - collapsed));
}

/// How many triangles that are not collapsed have both vertices.
static int countUses(const TestMesh* mesh, int a, int b) {
    int count = 0;
    for (int t = 0; t < mesh->triangleCount; ++t) {
        const int32_t* v = mesh->triangles + 3 * t;
        bool hasA = v[0] == a || v[1] == a || v[2] == a, hasB = v[0] == b || v[1] == b || v[2] == b;
        count += hasA && hasB && v[0] != v[1] && v[1] != v[2] && v[2] != v[0];
    }
    return count;
}

SD_TEST(mesh_edges_of_random_triangles_match_brute_force) {
    TestRandom random = TestRandom_Make(77);
    for (int i = 0; i < 60; ++i) {
        TestContext test;
        TestContext_Init(&test);
        TestMesh soup = {0};
        // few vertices: edges of many triangles, repeated and collapsed triangles
        int vertexCount = 4 + TestRandom_Int(&random, 12);
        for (int v = 0; v < vertexCount; ++v) {
            sdVec3 p = TestRandom_InBox(&random, 1.0f);
            TestMesh_AddVertex(&soup, (double)p.x, (double)p.y, (double)p.z);
        }
        TestMesh_AddTriangle(&soup, 0, 1, 2);
        for (int t = 0; t < 30; ++t) {
            TestMesh_AddTriangle(&soup, TestRandom_Int(&random, vertexCount),
                                 TestRandom_Int(&random, vertexCount),
                                 TestRandom_Int(&random, vertexCount));
        }
        sdMesh* mesh = create(&test.context, &soup, 0);
        REQUIRE(mesh != NULL);
        checkLinks(mesh);
        int edgeCount = 0, boundaryCount = 0, branchCount = 0, listCount = 0;
        for (int a = 0; a < vertexCount; ++a) {
            for (int b = a + 1; b < vertexCount; ++b) {
                int uses = countUses(&soup, a, b);
                edgeCount += uses > 0;
                boundaryCount += uses == 1;
                branchCount += uses > 2;
                listCount += (uses + 1) / 2;
            }
        }
        CHECK_INT(sdMesh_GetReport(mesh)->edgeCount, edgeCount);
        CHECK_INT(sdMesh_GetReport(mesh)->boundaryEdgeCount, boundaryCount);
        CHECK_INT(sdMesh_GetReport(mesh)->nonManifoldEdgeCount, branchCount);
        CHECK_INT(mesh->edgeCount, listCount);
        sdMesh_Release(mesh);
        // repairs must leave something as sound
        mesh = create(&test.context, &soup, SD_MESH_REPAIR_ALL);
        REQUIRE(mesh != NULL);
        checkLinks(mesh);
        sdMesh_Release(mesh);
        TestMesh_Free(&soup);
        TestContext_Finish(&test);
    }
}

/// Three bricks around the z axis that meet in its edge only, each with vertices of its own.
static void makeBricksAroundEdge(TestMesh* mesh, int count) {
    for (int i = 0; i < count; ++i) {
        TestMesh brick = {0};
        TestMesh_AddBox(&brick, sdV3(0.5f, 0.5f, 0.0f), sdV3(0.5f, 0.5f, 1.0f));
        double angle = 2.0 * TEST_PI * i / count;
        // narrow enough to leave gaps: quarter turns become 60 degrees or less
        for (int v = 0; v < brick.vertexCount; ++v) {
            double x = (double)brick.vertices[v].x, y = (double)brick.vertices[v].y;
            double c = TestCos(angle), s = TestSin(angle), squeeze = 0.5 / count;
            double u = x + y, w = (x - y) * squeeze;
            TestMesh_AddVertex(mesh, c * u - s * w, s * u + c * w, (double)brick.vertices[v].z);
        }
        for (int t = 0; t < 12; ++t) {
            int base = 8 * i;
            // the squeeze mirrors the brick
            TestMesh_AddTriangle(mesh, base + brick.triangles[3 * t],
                                 base + brick.triangles[3 * t + 2],
                                 base + brick.triangles[3 * t + 1]);
        }
        TestMesh_Free(&brick);
    }
}

SD_TEST(mesh_neighbors_at_a_shared_edge_bound_the_same_solid) {
    TestRandom random = TestRandom_Make(3);
    for (int count = 2; count <= 7; ++count) {
        TestContext test;
        TestContext_Init(&test);
        TestMesh bricks = {0};
        makeBricksAroundEdge(&bricks, count);
        sdTransform xf = {TestRandom_InBox(&random, 2.0f), sdQuat_Identity()};
        TestMesh_Move(&bricks, 1.0f, xf);
        // exactly one line, whatever rounding did
        for (int i = 0; i < count; ++i) {
            for (int k = 0; k < 8; k += 4) {
                bricks.vertices[8 * i + k] = bricks.vertices[k];
            }
        }
        sdMesh* mesh = create(&test.context, &bricks, SD_MESH_REPAIR_ALL);
        REQUIRE(mesh != NULL);
        checkLinks(mesh);
        const sdMeshReport* report = sdMesh_GetReport(mesh);
        CHECK_INT(report->nonManifoldEdgeCount, 1);
        CHECK_INT(report->flippedTriangleCount, 0);
        CHECK(report->isSolid && !report->isManifold);
        for (int h = 0; h < 3 * mesh->triangleCount; ++h) {
            CHECK_INT(mesh->neighbors[h] / 12, h / 3 / 12);
        }
        sdMesh_Release(mesh);
        TestMesh_Free(&bricks);
        TestContext_Finish(&test);
    }
}

SD_TEST(mesh_neighbors_of_nested_wedges) {
    // wedges inside each other along one edge, the innermost first; then the outermost first
    for (int order = 0; order < 2; ++order) {
        TestContext test;
        TestContext_Init(&test);
        TestMesh wedges = {0};
        TestMesh_AddVertex(&wedges, 0.0, 0.0, 0.0);
        TestMesh_AddVertex(&wedges, 0.0, 0.0, 1.0);
        for (int i = 0; i < 4; ++i) {
            double half = 0.2 * (order == 0 ? i + 1 : 4 - i), length = 1.0 + i;
            int a =
                TestMesh_AddVertex(&wedges, length * TestCos(half), -length * TestSin(half), 0.5);
            int b =
                TestMesh_AddVertex(&wedges, length * TestCos(half), length * TestSin(half), 0.5);
            TestMesh_AddTriangle(&wedges, 1, 0, a);
            TestMesh_AddTriangle(&wedges, 0, 1, b);
            TestMesh_AddTriangle(&wedges, 0, b, a);
            TestMesh_AddTriangle(&wedges, 1, a, b);
        }
        sdMesh* mesh = create(&test.context, &wedges, SD_MESH_REPAIR_ALL);
        REQUIRE(mesh != NULL);
        checkLinks(mesh);
        CHECK_INT(sdMesh_GetReport(mesh)->nonManifoldEdgeCount, 1);
        CHECK_INT(sdMesh_GetReport(mesh)->misorientedEdgeCount, 0);
        for (int h = 0; h < 3 * mesh->triangleCount; ++h) {
            CHECK_INT(mesh->neighbors[h] / 4, h / 3 / 4);
        }
        sdMesh_Release(mesh);
        TestMesh_Free(&wedges);
        TestContext_Finish(&test);
    }
}

SD_TEST(mesh_edges_know_convex_from_concave) {
    TestContext test;
    TestContext_Init(&test);
    // the profile of an L, drawn along z
    static const double profile[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    static const int caps[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
    TestMesh ell = {0};
    for (int i = 0; i < 6; ++i) {
        TestMesh_AddVertex(&ell, profile[i][0], profile[i][1], 0.0);
        TestMesh_AddVertex(&ell, profile[i][0], profile[i][1], 1.0);
    }
    for (int i = 0; i < 6; ++i) {
        int a = 2 * i, b = 2 * ((i + 1) % 6);
        TestMesh_AddTriangle(&ell, a, b, b + 1);
        TestMesh_AddTriangle(&ell, a, b + 1, a + 1);
    }
    for (int i = 0; i < 4; ++i) {
        TestMesh_AddTriangle(&ell, 2 * caps[i][0], 2 * caps[i][2], 2 * caps[i][1]);
        TestMesh_AddTriangle(&ell, 2 * caps[i][0] + 1, 2 * caps[i][1] + 1, 2 * caps[i][2] + 1);
    }
    sdMesh* mesh = create(&test.context, &ell, SD_MESH_REPAIR_ALL);
    REQUIRE(mesh != NULL);
    CHECK(sdMesh_GetReport(mesh)->isSolid);
    CHECK_NEAR(sdMesh_GetReport(mesh)->volume, 3.0, 1e-12);
    int count = 0, convex = 0, concave = 0, flat = 0;
    const sdMeshEdge* edges = sdMesh_GetEdges(mesh, &count);
    for (int e = 0; e < count; ++e) {
        if (edges[e].cosAngle > 0.999f) {
            flat += 1;
        } else {
            CHECK_NEAR(edges[e].cosAngle, 0.0, 1e-6);
            convex += edges[e].isConvex;
            concave += !edges[e].isConvex;
        }
    }
    CHECK_INT(convex, 17);
    CHECK_INT(concave, 1);
    CHECK_INT(flat, count - 18);
    sdMesh_Release(mesh);
    TestMesh_Free(&ell);
    TestContext_Finish(&test);
}

// ---- pseudo-normals ------------------------------------------------------------------------

SD_TEST(mesh_pseudo_normals_of_a_box_point_outward) {
    TestContext test;
    TestContext_Init(&test);
    TestMesh box = {0};
    TestMesh_AddBox(&box, origin, sdV3(1.0f, 1.0f, 1.0f));
    sdMesh* mesh = create(&test.context, &box, SD_MESH_REPAIR_ALL);
    REQUIRE(mesh != NULL);
    for (int t = 0; t < 12; ++t) {
        for (int k = 0; k < 3; ++k) {
            // whatever the triangulation, the corner's normal is that of the corner
            sdVec3 corner = box.vertices[box.triangles[3 * t + k]];
            sdVec3 n = sdMesh_PseudoNormal(mesh, t, (sdTriangleRegion)(SD_REGION_VERTEX_A + k));
            CHECK_NEAR(sdLength(sdSub(n, sdNormalize(corner))), 0.0, 1e-6);
            // edges: the side's own normal inside a side, between both sides at its rim
            sdVec3 middle = sdLerp(corner, box.vertices[box.triangles[3 * t + (k + 1) % 3]], 0.5f);
            n = sdMesh_PseudoNormal(mesh, t, (sdTriangleRegion)(SD_REGION_EDGE_AB + k));
            CHECK_NEAR(sdLength(sdSub(n, sdNormalize(middle))), 0.0, 1e-6);
        }
    }
    sdVec3 zero = sdMesh_PseudoNormal(mesh, 12, SD_REGION_FACE);
    CHECK(zero.x == 0.0f && zero.y == 0.0f && zero.z == 0.0f);
    zero = sdMesh_PseudoNormal(mesh, -1, SD_REGION_FACE);
    CHECK(zero.x == 0.0f && zero.y == 0.0f && zero.z == 0.0f);
    zero = sdMesh_PseudoNormal(NULL, 0, SD_REGION_FACE);
    CHECK(zero.x == 0.0f && zero.y == 0.0f && zero.z == 0.0f);
    sdMesh_Release(mesh);
    TestMesh_Free(&box);
    TestContext_Finish(&test);
}

static sdTrianglePoint nearestOn(const sdMeshData* data, int t, sdVec3 p) {
    const int32_t* v = data->triangles + 3 * (size_t)t;
    return sdClosestPointOnTriangle(p, data->vertices[v[0]], data->vertices[v[1]],
                                    data->vertices[v[2]]);
}

/// Every triangle that is nearest, within rounding, must give the sign that winding gives.
/// @param onVertices is increased for every point that is nearest to a vertex, onEdges likewise
static int countWrongSigns(const sdMesh* mesh, sdVec3 p, int* onVertices, int* onEdges) {
    sdMeshData data = sdMesh_GetData(mesh);
    float best = FLT_MAX;
    for (int t = 0; t < data.triangleCount; ++t) {
        best = sdMinF(best, nearestOn(&data, t, p).distanceSquared);
    }
    bool isInside = sdMesh_WindingNumber(mesh, p) > 0.5;
    int wrong = 0;
    for (int t = 0; t < data.triangleCount && best > 1e-6f; ++t) {
        sdTrianglePoint point = nearestOn(&data, t, p);
        if (point.distanceSquared <= best * 1.000001f) {
            sdVec3 n = sdMesh_PseudoNormal(mesh, t, point.region);
            wrong += (sdDot(n, sdSub(p, point.point)) < 0.0f) != isInside;
            *onVertices += point.region >= SD_REGION_VERTEX_A;
            *onEdges += point.region >= SD_REGION_EDGE_AB && point.region <= SD_REGION_EDGE_CA;
        }
    }
    return wrong;
}

/// Random points around the mesh; features of all kinds must come up.
static void checkSigns(const sdMesh* mesh, TestRandom* random, int pointCount) {
    int wrong = 0, onVertices = 0, onEdges = 0;
    sdVec3 center = sdAABB_Center(sdMesh_GetBounds(mesh));
    sdVec3 half = sdAABB_HalfExtents(sdMesh_GetBounds(mesh));
    for (int i = 0; i < pointCount; ++i) {
        sdVec3 p = sdAdd(center, sdMul(half, TestRandom_InBox(random, 1.3f)));
        wrong += countWrongSigns(mesh, p, &onVertices, &onEdges);
    }
    CHECK_INT(wrong, 0);
    CHECK(onVertices > 0 && onEdges > 0);
}

static double spikyRadius(void* arg, sdVec3 direction) {
    (void)direction;
    return (double)TestRandom_Float(arg, 0.4f, 1.4f);
}

SD_TEST(mesh_pseudo_normals_tell_inside_from_outside) {
    TestRandom random = TestRandom_Make(41);
    for (int i = 0; i < 12; ++i) {
        TestContext test;
        TestContext_Init(&test);
        TestMesh star = {0};
        TestMesh_AddStar(&star, origin, 6, 7, spikyRadius, &random);
        sdMesh* mesh = create(&test.context, &star, SD_MESH_REPAIR_ALL);
        REQUIRE(mesh != NULL);
        CHECK(sdMesh_GetReport(mesh)->isSolid);
        checkSigns(mesh, &random, 300);
        sdMesh_Release(mesh);
        TestMesh_Free(&star);
        TestContext_Finish(&test);
    }
}

/// A cone along +z with its tip in `tip`, closed by a base of `sides` corners around it.
static void addCone(TestMesh* mesh, sdVec3 tip, double radius, double height, int sides) {
    int top = TestMesh_AddVertex(mesh, (double)tip.x, (double)tip.y, (double)tip.z);
    int base = TestMesh_AddVertex(mesh, (double)tip.x, (double)tip.y, (double)tip.z + height);
    for (int i = 0; i < sides; ++i) {
        double u = 2.0 * TEST_PI * i / sides;
        TestMesh_AddVertex(mesh, (double)tip.x + radius * TestCos(u),
                           (double)tip.y + radius * TestSin(u), (double)tip.z + height);
    }
    for (int i = 0; i < sides; ++i) {
        int a = base + 1 + i, b = base + 1 + (i + 1) % sides;
        TestMesh_AddTriangle(mesh, top, b, a);
        TestMesh_AddTriangle(mesh, base, a, b);
    }
}

/// A block with a pit in the shape of a cone, and a narrower cone that stands in it on its tip.
static void makePitAndSpike(TestMesh* mesh, double spikeRadius) {
    const int sides = 4;
    TestMesh_AddBox(mesh, origin, sdV3(2.0f, 2.0f, 1.0f));
    mesh->triangleCount = 10; // without the top: corners 4 5 7 6
    int tip = TestMesh_AddVertex(mesh, 0.0, 0.0, 0.0);
    static const int rim[4] = {5, 7, 6, 4};
    for (int i = 0; i < sides; ++i) {
        TestMesh_AddTriangle(mesh, tip, rim[i], rim[(i + 1) % sides]);
    }
    addCone(mesh, origin, spikeRadius, 2.0, 5);
}

/// A polygon, counter-clockwise and seen whole from its first corner, drawn along z.
static void addExtruded(TestMesh* mesh, const double (*profile)[2], int count) {
    int base = mesh->vertexCount;
    for (int i = 0; i < count; ++i) {
        TestMesh_AddVertex(mesh, profile[i][0], profile[i][1], -1.0);
        TestMesh_AddVertex(mesh, profile[i][0], profile[i][1], 1.0);
    }
    for (int i = 0; i < count; ++i) {
        int a = base + 2 * i, b = base + 2 * ((i + 1) % count);
        TestMesh_AddTriangle(mesh, a, b, b + 1);
        TestMesh_AddTriangle(mesh, a, b + 1, a + 1);
        if (i >= 1 && i + 1 < count) {
            TestMesh_AddTriangle(mesh, base, b, a);
            TestMesh_AddTriangle(mesh, base + 1, a + 1, b + 1);
        }
    }
}

/// A block with a groove, and a wedge that stands in it on its edge.
static void makeGrooveAndWedge(TestMesh* mesh) {
    static const double block[5][2] = {{0, 0}, {-2, 1}, {-2, -1}, {2, -1}, {2, 1}};
    static const double wedge[3][2] = {{0, 0}, {0.5, 1}, {-0.5, 1}};
    addExtruded(mesh, block, 5);
    addExtruded(mesh, wedge, 3);
}

SD_TEST(mesh_pseudo_normals_where_solids_touch) {
    TestRandom random = TestRandom_Make(42);
    for (int i = 0; i < 6; ++i) {
        TestContext test;
        TestContext_Init(&test);
        TestMesh mesh = {0};
        if (i < 2) {
            // a large and a small box, corner to corner or edge to edge
            TestMesh_AddBox(&mesh, origin, sdV3(1.0f, 1.0f, 1.0f));
            float z = i == 0 ? 1.25f : 0.0f, height = i == 0 ? 0.25f : 1.0f;
            TestMesh_AddBox(&mesh, sdV3(1.25f, 1.25f, z), sdV3(0.25f, 0.25f, height));
        } else if (i == 2) {
            makeBricksAroundEdge(&mesh, 3);
        } else if (i < 5) {
            makePitAndSpike(&mesh, i == 3 ? 0.2 : 1.0);
        } else {
            makeGrooveAndWedge(&mesh);
        }
        sdMesh* built = create(&test.context, &mesh, SD_MESH_REPAIR_ALL);
        REQUIRE(built != NULL);
        CHECK(sdMesh_GetReport(built)->isSolid && !sdMesh_GetReport(built)->isManifold);
        checkSigns(built, &random, 1000);
        if (i >= 3) {
            // below the pit or groove the inside is nearest to what both solids have in common
            int onVertices = 0, onEdges = 0;
            sdVec3 below = i < 5 ? sdV3(0.0f, 0.0f, -0.3f) : sdV3(0.0f, -0.3f, 0.0f);
            CHECK_INT(countWrongSigns(built, below, &onVertices, &onEdges), 0);
            CHECK_INT(onVertices, i < 5 ? 4 + 5 : 0);
            CHECK_INT(onEdges, i < 5 ? 0 : 4);
        }
        sdMesh_Release(built);
        TestMesh_Free(&mesh);
        TestContext_Finish(&test);
    }
}

SD_TEST(mesh_pseudo_normals_of_a_sheet) {
    // both sides of one triangle: edges face away from it
    TestContext test;
    TestContext_Init(&test);
    TestMesh sheet = {0};
    TestMesh_AddVertex(&sheet, 0.0, 0.0, 0.0);
    TestMesh_AddVertex(&sheet, 1.0, 0.0, 0.0);
    TestMesh_AddVertex(&sheet, 0.0, 1.0, 0.0);
    TestMesh_AddTriangle(&sheet, 0, 1, 2);
    TestMesh_AddTriangle(&sheet, 0, 2, 1);
    sdMesh* mesh = create(&test.context, &sheet, SD_MESH_REPAIR_ALL);
    REQUIRE(mesh != NULL);
    CHECK_INT(sdMesh_GetReport(mesh)->triangleCount, 2);
    sdVec3 n = sdMesh_PseudoNormal(mesh, 0, SD_REGION_EDGE_AB);
    CHECK_NEAR(sdLength(sdSub(n, sdV3(0.0f, -1.0f, 0.0f))), 0.0, 1e-6);
    n = sdMesh_PseudoNormal(mesh, 1, SD_REGION_EDGE_AB);
    CHECK_NEAR(sdLength(sdSub(n, sdV3(-1.0f, 0.0f, 0.0f))), 0.0, 1e-6);
    sdMesh_Release(mesh);
    TestMesh_Free(&sheet);
    TestContext_Finish(&test);
}

// ---- every scale, every target -------------------------------------------------------------

/// The counts of a report, which scale and place must not change.
static uint64_t hashCounts(sdMeshReport report) {
    report.area = 0.0;
    report.volume = 0.0;
    // field by field would be forgotten when one is added; there is no padding between ints
    return TestHash(TEST_HASH_START, &report, offsetof(sdMeshReport, area));
}

SD_TEST(mesh_is_the_same_at_every_scale) {
    static const struct {
        float scale;
        sdVec3 place;
    } cases[] = {
        {1.0f, {0.0f, 0.0f, 0.0f}},
        {9.5367431640625e-7f, {0.0f, 0.0f, 0.0f}},
        {1048576.0f, {0.0f, 0.0f, 0.0f}},
        {1.0f, {1048576.0f, -524288.0f, 2097152.0f}},
        {8.673617379884035e-19f, {0.0f, 0.0f, 0.0f}},
        {1.0e15f, {0.0f, 0.0f, 0.0f}},
    };
    uint64_t first = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        TestContext test;
        TestContext_Init(&test);
        // whole numbers, so that nothing rounds: a box with a cavity, a flap, a sliver, crossings
        TestMesh mesh = {0};
        TestMesh_AddBox(&mesh, origin, sdV3(8.0f, 8.0f, 8.0f));
        TestMesh_AddBox(&mesh, origin, sdV3(4.0f, 4.0f, 4.0f));
        TestMesh_FlipAll(&mesh, 12, 24);
        TestMesh_AddLoose(&mesh, sdV3(0.0f, 0.0f, 0.0f), sdV3(32.0f, 0.0f, 4.0f),
                          sdV3(32.0f, 16.0f, 0.0f));
        TestMesh_AddLoose(&mesh, sdV3(16.0f, 16.0f, 16.0f), sdV3(17.0f, 17.0f, 17.0f),
                          sdV3(18.0f, 18.0f, 18.0f));
        TestMesh_Move(&mesh, cases[i].scale, sdTransform_Make(cases[i].place, sdQuat_Identity()));
        sdMeshData data = TestMesh_Data(&mesh);
        sdMeshReport report;
        REQUIRE(sdMesh_Inspect(&test.context, &data, true, &report) == SD_OK);
        CHECK_INT(report.degenerateTriangleCount, 1);
        CHECK(report.selfIntersectionCount > 0);
        uint64_t hash = hashCounts(report);
        first = i == 0 ? hash : first;
        CHECK(hash == first);
        sdMesh* built = create(&test.context, &mesh, SD_MESH_REPAIR_ALL);
        REQUIRE(built != NULL);
        CHECK_INT(sdMesh_GetReport(built)->triangleCount, 25);
        sdMesh_Release(built);
        TestMesh_Free(&mesh);
        TestContext_Finish(&test);
    }
}

SD_TEST(mesh_has_the_same_bits_everywhere) {
    TestContext test;
    TestContext_Init(&test);
    TestRandom random = TestRandom_Make(99);
    TestMesh star = {0};
    TestMesh_AddStar(&star, origin, 20, 30, spikyRadius, &random);
    TestMesh_Unshare(&star);
    for (int t = 0; t < star.triangleCount; t += 3) {
        TestMesh_Flip(&star, t);
    }
    sdMesh* mesh = create(&test.context, &star, SD_MESH_REPAIR_ALL);
    REQUIRE(mesh != NULL);
    uint64_t hash = TEST_HASH_START;
    size_t v = (size_t)mesh->vertexCount, t = (size_t)mesh->triangleCount;
    size_t e = (size_t)mesh->edgeCount;
    hash = TestHash(hash, mesh->vertices, v * sizeof(sdVec3));
    hash = TestHash(hash, mesh->triangles, 3 * t * sizeof(int32_t));
    hash = TestHash(hash, mesh->neighbors, 3 * t * sizeof(int32_t));
    hash = TestHash(hash, mesh->faceNormals, t * sizeof(sdVec3));
    hash = TestHash(hash, mesh->edgeNormals, e * sizeof(sdVec3));
    hash = TestHash(hash, mesh->vertexNormals, v * sizeof(sdVec3));
    sdMassProps props;
    CHECK_INT(sdMesh_GetMass(mesh, 1000.0f, &props), SD_OK);
    hash = TestHash(hash, &props, sizeof props);
    // gcc, clang, with and without AVX2, wasm
    CHECK_INT(hash, 0xbd70c27e76a13dbcull);
    sdMesh_Release(mesh);
    TestMesh_Free(&star);
    TestContext_Finish(&test);
}
