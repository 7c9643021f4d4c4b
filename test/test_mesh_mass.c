// SPDX-License-Identifier: MIT
// test_mesh_mass.c - mass, centre and inertia of meshes against closed forms and invariants.

#include "mesh_support.h"

#include <math.h>
#include <string.h>

/// Create a mesh and take its mass; zero when that fails.
static sdMassProps massOf(const TestMesh* triangles, float density) {
    TestContext test;
    TestContext_Init(&test);
    sdMassProps props = {0};
    sdMeshDef def = TestMesh_Def(triangles);
    sdMesh* mesh = NULL;
    if (CHECK_INT(sdMesh_Create(&test.context, &def, &mesh), SD_OK)) {
        CHECK_INT(sdMesh_GetMass(mesh, density, &props), SD_OK);
        CHECK(sdMassProps_IsValid(props));
    }
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
    return props;
}

static float largestMoment(sdMassProps props) {
    return sdMaxF(props.inertia.cx.x, sdMaxF(props.inertia.cy.y, props.inertia.cz.z));
}

/// Equal to `relative` of the mass, of `size` and of the largest moment.
static void checkNear(sdMassProps a, sdMassProps b, double relative, double size) {
    CHECK_NEAR(a.mass, b.mass, relative * (double)b.mass);
    CHECK_NEAR(sdLength(sdSub(a.center, b.center)), 0.0, relative * size);
    double tolerance = relative * (double)largestMoment(b);
    const sdVec3 ca[3] = {a.inertia.cx, a.inertia.cy, a.inertia.cz};
    const sdVec3 cb[3] = {b.inertia.cx, b.inertia.cy, b.inertia.cz};
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(ca[i].x, cb[i].x, tolerance);
        CHECK_NEAR(ca[i].y, cb[i].y, tolerance);
        CHECK_NEAR(ca[i].z, cb[i].z, tolerance);
    }
}

SD_TEST(mesh_mass_of_boxes) {
    const float scales[] = {1e-6f, 1e-3f, 1.0f, 1e3f, 1e6f};
    for (int i = 0; i < 5; ++i) {
        float s = scales[i];
        TestMesh box = {0};
        sdVec3 half = sdScale(s, sdV3(1.0f, 2.0f, 0.25f));
        sdVec3 center = sdScale(s, sdV3(3.0f, -7.0f, 5.0f));
        TestMesh_AddBox(&box, center, half);
        float m = 8.0f * half.x * half.y * half.z * 700.0f;
        sdVec3 d = sdScale(2.0f, half);
        sdMassProps exact = {m, center,
                             sdMat33_Diagonal(m / 12.0f * (d.y * d.y + d.z * d.z),
                                              m / 12.0f * (d.z * d.z + d.x * d.x),
                                              m / 12.0f * (d.x * d.x + d.y * d.y))};
        checkNear(massOf(&box, 700.0f), exact, 1e-5, (double)s);
        TestMesh_Free(&box);
    }
}

SD_TEST(mesh_mass_of_small_box_far_away) {
    // corners that floats hold exactly, so that nothing but the integral can be wrong
    TestMesh box = {0};
    sdVec3 center = sdV3(1048576.0f, -524288.0f, 262144.0f), half = sdV3(0.5f, 1.0f, 2.0f);
    TestMesh_AddBox(&box, center, half);
    sdMassProps exact = {
        8.0f, center,
        sdMat33_Diagonal(8.0f / 12.0f * 20.0f, 8.0f / 12.0f * 17.0f, 8.0f / 12.0f * 5.0f)};
    checkNear(massOf(&box, 1.0f), exact, 1e-6, 1.0);
    TestMesh_Free(&box);
}

SD_TEST(mesh_mass_of_tetrahedron) {
    // the corner (0, 0, 0), (a, 0, 0), (0, b, 0), (0, 0, c): about its centre of mass,
    // Ixx = 3 m (b² + c²) / 80 and Ixy = m a b / 80 (the tensor has +m a b / 80 there)
    const double a = 1.5, b = 0.5, c = 3.0, density = 12.0;
    TestMesh tetra = {0};
    TestMesh_AddVertex(&tetra, 0.0, 0.0, 0.0);
    TestMesh_AddVertex(&tetra, a, 0.0, 0.0);
    TestMesh_AddVertex(&tetra, 0.0, b, 0.0);
    TestMesh_AddVertex(&tetra, 0.0, 0.0, c);
    TestMesh_AddTriangle(&tetra, 0, 2, 1);
    TestMesh_AddTriangle(&tetra, 0, 1, 3);
    TestMesh_AddTriangle(&tetra, 0, 3, 2);
    TestMesh_AddTriangle(&tetra, 1, 2, 3);
    double m = density * a * b * c / 6.0;
    float xy = (float)(m * a * b / 80.0), yz = (float)(m * b * c / 80.0);
    float zx = (float)(m * c * a / 80.0);
    sdMassProps exact = {(float)m, sdV3((float)(a / 4.0), (float)(b / 4.0), (float)(c / 4.0)),
                         sdMat33_Columns(sdV3((float)(3.0 * m * (b * b + c * c) / 80.0), xy, zx),
                                         sdV3(xy, (float)(3.0 * m * (c * c + a * a) / 80.0), yz),
                                         sdV3(zx, yz, (float)(3.0 * m * (a * a + b * b) / 80.0)))};
    checkNear(massOf(&tetra, (float)density), exact, 1e-6, 1.0);
    TestMesh_Free(&tetra);
}

SD_TEST(mesh_mass_of_prisms) {
    for (int sides = 3; sides <= 96; sides *= 2) {
        // area n/2 R² sin(2π/n); polar second moment A R² (2 + cos(2π/n)) / 6, halved about x and y
        const double radius = 0.7, height = 2.5, density = 1000.0;
        double angle = 2.0 * TEST_PI / sides;
        double area = 0.5 * sides * radius * radius * TestSin(angle);
        double m = density * area * height;
        double polar = m * radius * radius * (2.0 + TestCos(angle)) / 6.0;
        double across = 0.5 * polar + m * height * height / 12.0;
        TestMesh prism = {0};
        TestMesh_AddPrism(&prism, radius, height, sides);
        sdMassProps exact = {(float)m, sdV3(0.0f, 0.0f, 0.0f),
                             sdMat33_Diagonal((float)across, (float)across, (float)polar)};
        checkNear(massOf(&prism, (float)density), exact, 1e-5, radius);
        TestMesh_Free(&prism);
    }
}

SD_TEST(mesh_mass_of_torus_converges_at_second_order) {
    // smooth torus: V = 2π² R r², Izz = m (R² + 3/4 r²), Ixx = m (R²/2 + 5/8 r²)
    const double big = 1.0, tube = 0.4;
    double volume = 2.0 * TEST_PI * TEST_PI * big * tube * tube;
    double izz = volume * (big * big + 0.75 * tube * tube);
    double ixx = volume * (0.5 * big * big + 0.625 * tube * tube);
    double errors[4][3];
    for (int i = 0; i < 4; ++i) {
        TestMesh torus = {0};
        TestMesh_AddTorus(&torus, big, tube, 24 << i, 12 << i);
        sdMassProps props = massOf(&torus, 1.0f);
        errors[i][0] = (volume - (double)props.mass) / volume;
        errors[i][1] = (izz - (double)props.inertia.cz.z) / izz;
        errors[i][2] = (ixx - (double)props.inertia.cx.x) / ixx;
        CHECK_NEAR(props.inertia.cx.x, props.inertia.cy.y, 1e-5 * ixx);
        TestMesh_Free(&torus);
    }
    static const char* const names[] = {"mass", "Izz", "Ixx"};
    for (int k = 0; k < 3; ++k) {
        // slope of log2(error) against log2(cells), by least squares over the four levels
        double slope = 0.0;
        for (int i = 0; i < 4; ++i) {
            slope -= (i - 1.5) * log2(errors[i][k]) / 5.0;
        }
        sdTest_Print("torus %s: relative error %.2e .. %.2e, order %.3f", names[k], errors[0][k],
                     errors[3][k], slope);
        CHECK_NEAR(slope, 2.0, 0.02);
    }
}

typedef struct Bumps {
    sdVec3 directions[6];
    double heights[6];
} Bumps;

static double bumpyRadius(void* arg, sdVec3 direction) {
    const Bumps* bumps = arg;
    double r = 1.0;
    for (int i = 0; i < 6; ++i) {
        double c = (double)sdDot(direction, bumps->directions[i]);
        r += bumps->heights[i] * c * c * c;
    }
    return r;
}

static void addBumpyStar(TestMesh* mesh, TestRandom* random) {
    Bumps bumps;
    for (int i = 0; i < 6; ++i) {
        bumps.directions[i] = TestRandom_OnSphere(random);
        bumps.heights[i] = (double)TestRandom_Float(random, -0.15f, 0.15f);
    }
    TestMesh_AddStar(mesh, sdV3(0.0f, 0.0f, 0.0f), 12, 17, bumpyRadius, &bumps);
}

SD_TEST(mesh_mass_moves_and_turns_with_the_mesh) {
    TestRandom random = TestRandom_Make(21);
    for (int i = 0; i < 20; ++i) {
        TestMesh star = {0};
        addBumpyStar(&star, &random);
        sdMassProps before = massOf(&star, 3.0f);
        sdTransform xf = {TestRandom_InBox(&random, 4.0f), TestRandom_Rotation(&random)};
        TestMesh_Move(&star, 1.0f, xf);
        checkNear(massOf(&star, 3.0f), sdMassProps_Transform(before, xf), 3e-6, 4.0);
        TestMesh_Free(&star);
    }
}

SD_TEST(mesh_mass_adds_by_the_parallel_axis_theorem) {
    TestRandom random = TestRandom_Make(22);
    for (int i = 0; i < 20; ++i) {
        TestMesh a = {0}, b = {0};
        addBumpyStar(&a, &random);
        addBumpyStar(&b, &random);
        sdTransform away = {sdV3(5.0f, TestRandom_Float(&random, -3.0f, 3.0f), -2.0f),
                            TestRandom_Rotation(&random)};
        TestMesh_Move(&b, 0.7f, away);
        sdMassProps sum = sdMassProps_Add(massOf(&a, 2.0f), massOf(&b, 2.0f));
        // both in one mesh
        int base = a.vertexCount;
        for (int v = 0; v < b.vertexCount; ++v) {
            TestMesh_AddVertex(&a, (double)b.vertices[v].x, (double)b.vertices[v].y,
                               (double)b.vertices[v].z);
        }
        for (int t = 0; t < b.triangleCount; ++t) {
            TestMesh_AddTriangle(&a, base + b.triangles[3 * t], base + b.triangles[3 * t + 1],
                                 base + b.triangles[3 * t + 2]);
        }
        checkNear(massOf(&a, 2.0f), sum, 3e-6, 5.0);
        TestMesh_Free(&a);
        TestMesh_Free(&b);
    }
}

SD_TEST(mesh_mass_of_hollow_ball_is_the_difference) {
    TestMesh outer = {0}, inner = {0}, hollow = {0};
    TestMesh_AddBall(&outer, sdV3(0.0f, 0.0f, 0.0f), 1.0, 16, 24);
    TestMesh_AddBall(&inner, sdV3(0.1f, 0.2f, 0.0f), 0.6, 12, 18);
    TestMesh_AddBall(&hollow, sdV3(0.0f, 0.0f, 0.0f), 1.0, 16, 24);
    int begin = hollow.triangleCount;
    TestMesh_AddBall(&hollow, sdV3(0.1f, 0.2f, 0.0f), 0.6, 12, 18);
    TestMesh_FlipAll(&hollow, begin, hollow.triangleCount);
    sdMassProps difference = sdMassProps_Subtract(massOf(&outer, 5.0f), massOf(&inner, 5.0f));
    checkNear(massOf(&hollow, 5.0f), difference, 3e-6, 1.0);
    TestMesh_Free(&outer);
    TestMesh_Free(&inner);
    TestMesh_Free(&hollow);
}

SD_TEST(mesh_mass_refuses_what_is_no_solid) {
    TestContext test;
    TestContext_Init(&test);
    TestMesh box = {0};
    TestMesh_AddBox(&box, sdV3(0.0f, 0.0f, 0.0f), sdV3(1.0f, 1.0f, 1.0f));
    sdMeshDef def = TestMesh_Def(&box);
    sdMesh* mesh = NULL;
    REQUIRE(sdMesh_Create(&test.context, &def, &mesh) == SD_OK);
    sdMassProps props;
    const float bad[] = {0.0f, -1.0f, TestNaN(), TestInfinity()};
    for (int i = 0; i < 4; ++i) {
        CHECK_INT(sdMesh_GetMass(mesh, bad[i], &props), SD_ERROR_INVALID_ARGUMENT);
        CHECK_TEXT(test.lastError, "density");
        CHECK(props.mass == 0.0f);
    }
    CHECK_INT(sdMesh_GetMass(mesh, 1.0f, NULL), SD_ERROR_INVALID_ARGUMENT);
    // 8e38 kg is more than a float holds
    CHECK_INT(sdMesh_GetMass(mesh, 1e38f, &props), SD_ERROR_LIMIT);
    sdMesh_Release(mesh);

    def.data.triangleCount = 11;
    REQUIRE(sdMesh_Create(&test.context, &def, &mesh) == SD_OK);
    CHECK_INT(sdMesh_GetMass(mesh, 1.0f, &props), SD_ERROR_BAD_MESH);
    CHECK_TEXT(test.lastError, "3 boundary edges");
    sdMesh_Release(mesh);
    TestMesh_Free(&box);
    TestContext_Finish(&test);
}

/// Sheets: a ball's is 2/3 m r², a plate's m (a² + b²) / 12; open ones have one, too.
SD_TEST(mesh_mass_of_shells) {
    TestContext test;
    TestContext_Init(&test);
    TestMesh triangles = {0};
    TestMesh_AddBall(&triangles, sdV3(5.0f, -3.0f, 2.0f), 0.5, 64, 128);
    sdMesh* ball = TestMesh_Build(&test.context, &triangles);
    TestMesh_Free(&triangles);
    sdMassProps props;
    CHECK_INT(sdMesh_GetShellMass(ball, 1000.0f, 0.01f, &props), SD_OK);
    double mass = 1000.0 * 0.01 * 4.0 * 3.14159265358979 * 0.25;
    CHECK_NEAR(props.mass, mass, 2e-3 * mass);
    CHECK_NEAR(props.center.x, 5.0, 1e-5);
    CHECK_NEAR(props.center.y, -3.0, 1e-5);
    CHECK_NEAR(props.inertia.cx.x, mass / 6.0, 4e-3 * mass / 6.0);
    CHECK_NEAR(props.inertia.cz.z, mass / 6.0, 4e-3 * mass / 6.0);
    CHECK_INT(sdMesh_GetShellMass(ball, 1000.0f, 0.0f, &props), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdMesh_GetShellMass(ball, -1.0f, 0.1f, &props), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdMesh_GetShellMass(ball, 1.0f, 0.1f, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdMesh_GetShellMass(NULL, 1.0f, 0.1f, &props), SD_ERROR_INVALID_ARGUMENT);
    sdMesh_Release(ball);
    // 2 x 1 m, of two triangles
    TestMesh_AddLoose(&triangles, sdV3(0, 0, 0), sdV3(2, 0, 0), sdV3(2, 1, 0));
    TestMesh_AddLoose(&triangles, sdV3(0, 0, 0), sdV3(2, 1, 0), sdV3(0, 1, 0));
    sdMesh* plate = TestMesh_Build(&test.context, &triangles);
    TestMesh_Free(&triangles);
    CHECK_INT(sdMesh_GetShellMass(plate, 500.0f, 0.004f, &props), SD_OK);
    CHECK_NEAR(props.mass, 4.0, 1e-5);
    CHECK_NEAR(props.center.x, 1.0, 1e-6);
    CHECK_NEAR(props.center.y, 0.5, 1e-6);
    CHECK_NEAR(props.inertia.cx.x, 4.0 / 12.0, 1e-5);
    CHECK_NEAR(props.inertia.cy.y, 4.0 * 4.0 / 12.0, 1e-5);
    CHECK_NEAR(props.inertia.cz.z, 4.0 * 5.0 / 12.0, 1e-5);
    sdMesh_Release(plate);
    TestContext_Finish(&test);
}
