// SPDX-License-Identifier: MIT
// test_shapes.c - shapes: support, boxes, mass, points inside, compounds.

#include "support.h"

#include <string.h>

#define PI 3.14159265358979323846

/// What every test goes through: one of each convex kind, in odd proportions.
typedef struct Zoo {
    TestContext test;
    sdHull* hull;
    sdMesh* mesh;
    sdShape shapes[7]; ///< indexed by type, sphere .. hull
} Zoo;

static void Zoo_Init(Zoo* zoo, float scale) {
    TestContext_Init(&zoo->test);
    TestRandom random = TestRandom_Make(5);
    sdVec3 points[40];
    for (int i = 0; i < 40; ++i) {
        sdVec3 p = sdMul(TestRandom_OnSphere(&random), sdV3(1.0f, 0.5f, 1.5f));
        points[i] = sdScale(scale, sdAdd(p, sdV3(0.2f, 0.1f, -0.3f)));
    }
    sdHullDef def = sdHullDef_Default();
    def.points = points;
    def.pointCount = 40;
    zoo->hull = NULL;
    CHECK_INT(sdHull_Create(&zoo->test.context, &def, &zoo->hull), SD_OK);
    zoo->mesh = NULL;
    CHECK_INT(sdModel_CreateTorus(&zoo->test.context, scale, 0.4f * scale, 24, 12, &zoo->mesh),
              SD_OK);
    zoo->shapes[SD_SHAPE_SPHERE] = sdShape_Sphere(0.7f * scale);
    zoo->shapes[SD_SHAPE_CAPSULE] = sdShape_Capsule(0.9f * scale, 0.3f * scale);
    zoo->shapes[SD_SHAPE_BOX] = sdShape_Box(0.5f * scale, 1.1f * scale, 0.2f * scale);
    zoo->shapes[SD_SHAPE_CYLINDER] = sdShape_Cylinder(0.4f * scale, 0.8f * scale);
    zoo->shapes[SD_SHAPE_CONE] = sdShape_Cone(0.6f * scale, 0.5f * scale);
    zoo->shapes[SD_SHAPE_TRIANGLE] = sdShape_Triangle(sdScale(scale, sdV3(1.0f, 0.2f, -0.1f)),
                                                      sdScale(scale, sdV3(-0.5f, 0.9f, 0.3f)),
                                                      sdScale(scale, sdV3(0.1f, -0.7f, 0.8f)));
    zoo->shapes[SD_SHAPE_HULL] = sdShape_Hull(zoo->hull);
}

static void Zoo_Finish(Zoo* zoo) {
    sdHull_Release(zoo->hull);
    sdMesh_Release(zoo->mesh);
    TestContext_Finish(&zoo->test);
}

static sdTransform randomTransform(TestRandom* random, float reach) {
    return sdTransform_Make(TestRandom_InBox(random, reach), TestRandom_Rotation(random));
}

// ---- names and checks ----------------------------------------------------------------------

SD_TEST(shapes_have_names) {
    for (int a = 0; a < SD_SHAPE_TYPE_COUNT; ++a) {
        for (int b = 0; b < a; ++b) {
            CHECK(strcmp(sdShapeType_Name((sdShapeType)a), sdShapeType_Name((sdShapeType)b)) != 0);
        }
        CHECK(strcmp(sdShapeType_Name((sdShapeType)a), "unknown") != 0);
    }
    CHECK_TEXT(sdShapeType_Name(SD_SHAPE_CONE), "cone");
    CHECK_TEXT(sdShapeType_Name(SD_SHAPE_TYPE_COUNT), "unknown");
    CHECK_TEXT(sdShapeType_Name((sdShapeType)-1), "unknown");
}

SD_TEST(shapes_validity) {
    Zoo zoo;
    Zoo_Init(&zoo, 1.0f);
    for (int type = 0; type <= SD_SHAPE_HULL; ++type) {
        CHECK(sdShape_IsValid(&zoo.shapes[type]));
        CHECK(sdShape_IsConvex(&zoo.shapes[type]));
        CHECK_INT(zoo.shapes[type].type, type);
    }
    const float bad[] = {-1.0f, TestNaN(), TestInfinity(), -TestInfinity()};
    for (int i = 0; i < 4; ++i) {
        float b = bad[i];
        const sdShape shapes[] = {
            sdShape_Sphere(b),          sdShape_Capsule(b, 1.0f),   sdShape_Capsule(1.0f, b),
            sdShape_Box(b, 1.0f, 1.0f), sdShape_Box(1.0f, b, 1.0f), sdShape_Box(1.0f, 1.0f, b),
            sdShape_Cylinder(b, 1.0f),  sdShape_Cylinder(1.0f, b),  sdShape_Cone(b, 1.0f),
            sdShape_Cone(1.0f, b),
        };
        for (int k = 0; k < 10; ++k) {
            CHECK(!sdShape_IsValid(&shapes[k]));
            sdMassProps props;
            CHECK_INT(sdShape_GetMass(&zoo.test.context, &shapes[k], 1.0f, &props),
                      SD_ERROR_INVALID_ARGUMENT);
            CHECK_TEXT(zoo.test.lastError, sdShapeType_Name(shapes[k].type));
            CHECK(!sdAABB_IsValid(sdShape_GetBounds(&shapes[k], sdTransform_Identity())));
            CHECK(!sdShape_ContainsPoint(&shapes[k], sdV3(0.0f, 0.0f, 0.0f)));
            CHECK(sdVec3_IsFinite(sdShape_Support(&shapes[k], sdV3(1.0f, 2.0f, 3.0f))));
        }
    }
    sdVec3 o = sdV3(0.0f, 0.0f, 0.0f);
    const sdShape more[] = {sdShape_Triangle(o, sdV3(TestNaN(), 0.0f, 0.0f), o),
                            sdShape_Hull(NULL),
                            sdShape_Mesh(NULL),
                            sdShape_Compound(NULL),
                            {.type = SD_SHAPE_TYPE_COUNT},
                            {.type = (sdShapeType)-3}};
    for (int k = 0; k < 6; ++k) {
        CHECK(!sdShape_IsValid(&more[k]));
        CHECK(!sdAABB_IsValid(sdShape_GetBounds(&more[k], sdTransform_Identity())));
        CHECK(!sdShape_ContainsPoint(&more[k], o));
    }
    CHECK(!sdShape_IsValid(NULL));
    CHECK(!sdShape_IsConvex(NULL));
    CHECK(!sdShape_IsConvex(&more[5]));
    // points and plates are allowed
    sdShape flat = sdShape_Box(1.0f, 0.0f, 1.0f), point = sdShape_Sphere(0.0f);
    CHECK(sdShape_IsValid(&flat) && sdShape_IsValid(&point));
    sdShape floor = sdShape_HalfSpace(), mesh = sdShape_Mesh(zoo.mesh);
    CHECK(sdShape_IsValid(&floor) && !sdShape_IsConvex(&floor));
    CHECK(sdShape_IsValid(&mesh) && !sdShape_IsConvex(&mesh));
    Zoo_Finish(&zoo);
}

// ---- support -------------------------------------------------------------------------------

/// Support function by its own closed form: the largest dot product with a unit vector.
static double supportValue(const sdShape* shape, sdVec3 d) {
    double x = fabs((double)d.x), y = fabs((double)d.y), z = fabs((double)d.z);
    double level = sqrt(x * x + z * z);
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            return (double)shape->sphere.radius;
        case SD_SHAPE_CAPSULE:
            return (double)shape->capsule.halfLength * y + (double)shape->capsule.radius;
        case SD_SHAPE_BOX:
            return (double)shape->box.halfExtents.x * x + (double)shape->box.halfExtents.y * y +
                   (double)shape->box.halfExtents.z * z;
        case SD_SHAPE_CYLINDER:
            return (double)shape->cylinder.halfHeight * y + (double)shape->cylinder.radius * level;
        case SD_SHAPE_CONE: {
            double apex = (double)shape->cone.halfHeight * (double)d.y;
            double rim = (double)shape->cone.radius * level - apex;
            return apex > rim ? apex : rim;
        }
        default: {
            int count = 3;
            const sdVec3* points = shape->triangle.vertices;
            if (shape->type == SD_SHAPE_HULL) {
                points = sdHull_GetVertices(shape->hull, &count);
            }
            double best = -INFINITY;
            for (int i = 0; i < count; ++i) {
                double along = (double)d.x * (double)points[i].x +
                               (double)d.y * (double)points[i].y +
                               (double)d.z * (double)points[i].z;
                best = along > best ? along : best;
            }
            return best;
        }
    }
}

static double dotD(sdVec3 a, sdVec3 b) {
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

SD_TEST(shapes_support_is_furthest) {
    static const float scales[] = {3e-6f, 1.0f, 1e6f};
    for (int s = 0; s < 3; ++s) {
        Zoo zoo;
        Zoo_Init(&zoo, scales[s]);
        TestRandom random = TestRandom_Make(11);
        for (int i = 0; i < 300; ++i) {
            sdVec3 d = TestRandom_OnSphere(&random);
            // now and then along axes and in their planes
            d = i % 7 == 0 ? sdNormalize(sdV3(d.x, 0.0f, d.z)) : d;
            d = i % 11 == 0 ? sdV3(0.0f, d.y < 0.0f ? -1.0f : 1.0f, 0.0f) : d;
            for (int type = 0; type <= SD_SHAPE_HULL; ++type) {
                const sdShape* shape = &zoo.shapes[type];
                sdVec3 p = sdShape_Support(shape, d);
                CHECK_NEAR(dotD(p, d), supportValue(shape, d), 3e-7f * scales[s]);
                // in the shape: no direction finds it outside
                sdVec3 other = TestRandom_OnSphere(&random);
                CHECK(dotD(p, other) <= supportValue(shape, other) + 3e-7 * (double)scales[s]);
                // the length of the direction does not matter
                sdVec3 tiny = sdShape_Support(shape, sdScale(1e-25f, d));
                sdVec3 huge = sdShape_Support(shape, sdScale(1e25f, d));
                CHECK_NEAR(dotD(tiny, d), dotD(p, d), 3e-7f * scales[s]);
                CHECK_NEAR(dotD(huge, d), dotD(p, d), 3e-7f * scales[s]);
            }
        }
        Zoo_Finish(&zoo);
    }
}

SD_TEST(shapes_support_without_direction) {
    Zoo zoo;
    Zoo_Init(&zoo, 1.0f);
    const sdVec3 directions[] = {{0.0f, 0.0f, 0.0f},
                                 {TestNaN(), 0.0f, 0.0f},
                                 {1.0f, TestInfinity(), TestNaN()},
                                 {0.0f, 0.0f, -TestInfinity()}};
    for (int type = 0; type <= SD_SHAPE_HULL; ++type) {
        for (int i = 0; i < 4; ++i) {
            sdVec3 p = sdShape_Support(&zoo.shapes[type], directions[i]);
            CHECK(sdShape_ContainsPoint(&zoo.shapes[type], p));
        }
    }
    sdShape mesh = sdShape_Mesh(zoo.mesh), floor = sdShape_HalfSpace();
    CHECK(sdLength(sdShape_Support(&mesh, sdV3(1.0f, 2.0f, 3.0f))) == 0.0f);
    CHECK(sdLength(sdShape_Support(&floor, sdV3(1.0f, 2.0f, 3.0f))) == 0.0f);
    CHECK(sdLength(sdShape_Support(NULL, sdV3(1.0f, 2.0f, 3.0f))) == 0.0f);
    Zoo_Finish(&zoo);
}

// ---- boxes ---------------------------------------------------------------------------------

static void checkBox(sdAABB box, sdAABB expected, float tolerance) {
    CHECK_NEAR(box.lower.x, expected.lower.x, tolerance);
    CHECK_NEAR(box.lower.y, expected.lower.y, tolerance);
    CHECK_NEAR(box.lower.z, expected.lower.z, tolerance);
    CHECK_NEAR(box.upper.x, expected.upper.x, tolerance);
    CHECK_NEAR(box.upper.y, expected.upper.y, tolerance);
    CHECK_NEAR(box.upper.z, expected.upper.z, tolerance);
}

static sdAABB vertexBox(const sdVec3* points, int count, sdTransform xf) {
    sdAABB box = sdAABB_Empty();
    for (int i = 0; i < count; ++i) {
        box = sdAABB_AddPoint(box, sdTransformPoint(xf, points[i]));
    }
    return box;
}

/// The closed forms against furthest points along the axes: tight on all six sides.
SD_TEST(shapes_bounds_touch_on_all_sides) {
    static const float scales[] = {3e-6f, 1.0f, 1e6f};
    for (int s = 0; s < 3; ++s) {
        float scale = scales[s];
        Zoo zoo;
        Zoo_Init(&zoo, scale);
        TestRandom random = TestRandom_Make(12);
        for (int i = 0; i < 100; ++i) {
            sdTransform xf = randomTransform(&random, 2.0f * scale);
            xf.q = i == 0 ? sdQuat_Identity() : xf.q;
            for (int type = 0; type <= SD_SHAPE_HULL; ++type) {
                const sdShape* shape = &zoo.shapes[type];
                sdAABB expected;
                float* sides = &expected.lower.x;
                for (int k = 0; k < 6; ++k) {
                    float sign = k < 3 ? -1.0f : 1.0f;
                    sdVec3 axis = sdV3(k % 3 == 0 ? sign : 0.0f, k % 3 == 1 ? sign : 0.0f,
                                       k % 3 == 2 ? sign : 0.0f);
                    double reach = supportValue(shape, sdInvRotate(xf.q, axis));
                    sides[k] = (float)((double)sdDot(axis, xf.p) + reach) * sign;
                }
                checkBox(sdShape_GetBounds(shape, xf), expected, 2e-6f * scale);
            }
            sdShape mesh = sdShape_Mesh(zoo.mesh);
            sdMeshData data = sdMesh_GetData(zoo.mesh);
            checkBox(sdShape_GetBounds(&mesh, xf), vertexBox(data.vertices, data.vertexCount, xf),
                     0.0f);
        }
        Zoo_Finish(&zoo);
    }
}

SD_TEST(shapes_bounds_of_half_space_are_all_of_space) {
    sdShape floor = sdShape_HalfSpace();
    sdAABB box = sdShape_GetBounds(&floor, sdTransform_Identity());
    CHECK(sdAABB_IsValid(box));
    CHECK(sdAABB_ContainsPoint(box, sdV3(FLT_MAX, -FLT_MAX, FLT_MAX)));
    CHECK(sdAABB_Overlaps(box, (sdAABB){{1e30f, 1e30f, 1e30f}, {2e30f, 2e30f, 2e30f}}));
}

// ---- mass ----------------------------------------------------------------------------------

static void checkMass(sdMassProps a, sdMassProps b, float size, float tolerance) {
    CHECK_NEAR(a.mass, b.mass, tolerance * b.mass);
    CHECK_NEAR(sdLength(sdSub(a.center, b.center)), 0.0f, tolerance * size);
    const float* x = &a.inertia.cx.x;
    const float* y = &b.inertia.cx.x;
    float largest = sdMaxF(b.inertia.cx.x, sdMaxF(b.inertia.cy.y, b.inertia.cz.z));
    for (int i = 0; i < 9; ++i) {
        CHECK_NEAR(x[i], y[i], tolerance * largest);
    }
}

/// Radius of a body that is round about y, in units of the scale 1 zoo.
static double profile(const sdShape* shape, double y) {
    switch (shape->type) {
        case SD_SHAPE_SPHERE: {
            double r = (double)shape->sphere.radius;
            return sqrt(fmax(r * r - y * y, 0.0));
        }
        case SD_SHAPE_CAPSULE: {
            double r = (double)shape->capsule.radius;
            double over = fmax(fabs(y) - (double)shape->capsule.halfLength, 0.0);
            return sqrt(fmax(r * r - over * over, 0.0));
        }
        case SD_SHAPE_CYLINDER:
            return (double)shape->cylinder.radius;
        default:
            return (double)shape->cone.radius * 0.5 * (1.0 - y / (double)shape->cone.halfHeight);
    }
}

/// By slices: midpoint rule over discs, which have m = pi r², I = m r² / 2 and m r² / 4.
static sdMassProps sliced(const sdShape* shape, double density) {
    sdAABB box = sdShape_GetBounds(shape, sdTransform_Identity());
    double y0 = (double)box.lower.y, y1 = (double)box.upper.y;
    const int count = 20000;
    double m = 0.0, my = 0.0, about = 0.0, across = 0.0;
    for (int i = 0; i < count; ++i) {
        double y = y0 + (y1 - y0) * (i + 0.5) / count;
        double r = profile(shape, y);
        double slice = density * PI * r * r * (y1 - y0) / count;
        m += slice;
        my += slice * y;
        about += 0.5 * slice * r * r;
        across += slice * (0.25 * r * r + y * y);
    }
    across -= my * my / m;
    sdMassProps props = {(float)m, sdV3(0.0f, (float)(my / m), 0.0f),
                         sdMat33_Diagonal((float)across, (float)about, (float)across)};
    return props;
}

SD_TEST(shapes_mass_of_round_bodies_by_slices) {
    Zoo zoo;
    Zoo_Init(&zoo, 1.0f);
    static const sdShapeType types[] = {SD_SHAPE_SPHERE, SD_SHAPE_CAPSULE, SD_SHAPE_CYLINDER,
                                        SD_SHAPE_CONE};
    for (int i = 0; i < 4; ++i) {
        sdMassProps props;
        REQUIRE(sdShape_GetMass(NULL, &zoo.shapes[types[i]], 250.0f, &props) == SD_OK);
        checkMass(props, sliced(&zoo.shapes[types[i]], 250.0), 1.0f, 1e-6f);
        CHECK(sdMassProps_IsValid(props));
    }
    Zoo_Finish(&zoo);
}

SD_TEST(shapes_mass_of_fine_mesh_is_that_of_sphere) {
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh = NULL;
    REQUIRE(sdModel_Create(&test.context, SD_MODEL_SPHERE, 3.0f, &mesh) == SD_OK);
    sdShape fine = sdShape_Mesh(mesh), sphere = sdShape_Sphere(1.5f);
    sdMassProps a, b;
    REQUIRE(sdShape_GetMass(&test.context, &fine, 7.0f, &a) == SD_OK);
    REQUIRE(sdShape_GetMass(&test.context, &sphere, 7.0f, &b) == SD_OK);
    checkMass(a, b, 1.5f, 0.015f);
    // the mesh is inside the sphere
    CHECK(a.mass < b.mass);
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
}

/// A box in four ways: closed form, hull, mesh, eight smaller boxes.
SD_TEST(shapes_mass_of_a_box_in_four_ways) {
    static const float scales[] = {3e-6f, 1.0f, 1e6f};
    for (int s = 0; s < 3; ++s) {
        TestContext test;
        TestContext_Init(&test);
        float size = scales[s], density = 3.0f / (size * size * size);
        sdMesh* mesh = NULL;
        REQUIRE(sdModel_Create(&test.context, SD_MODEL_BOX, size, &mesh) == SD_OK);
        sdMeshData data = sdMesh_GetData(mesh);
        sdHullDef def = sdHullDef_Default();
        def.points = data.vertices;
        def.pointCount = data.vertexCount;
        sdHull* hull = NULL;
        REQUIRE(sdHull_Create(&test.context, &def, &hull) == SD_OK);
        sdCompoundChild children[8];
        TestRandom random = TestRandom_Make(4);
        sdTransform place = randomTransform(&random, size);
        for (int i = 0; i < 8; ++i) {
            float h = 0.25f * size;
            sdVec3 p = sdV3(i & 1 ? h : -h, i & 2 ? h : -h, i & 4 ? h : -h);
            children[i].shape = sdShape_Box(h, h, h);
            children[i].xf = sdMulXf(place, sdTransform_Make(p, sdQuat_Identity()));
        }
        sdCompound* compound = NULL;
        REQUIRE(sdCompound_Create(&test.context, children, 8, &compound) == SD_OK);
        const sdShape shapes[] = {sdShape_Box(0.5f * size, 0.5f * size, 0.5f * size),
                                  sdShape_Hull(hull), sdShape_Mesh(mesh),
                                  sdShape_Compound(compound)};
        sdMassProps props[4];
        for (int i = 0; i < 4; ++i) {
            REQUIRE(sdShape_GetMass(&test.context, &shapes[i], density, &props[i]) == SD_OK);
        }
        CHECK_NEAR(props[0].mass, 3.0f, 1e-6f);
        CHECK_NEAR(props[0].inertia.cx.x, 0.5f * size * size, 1e-6f * size * size);
        checkMass(props[1], props[0], size, 1e-6f);
        checkMass(props[2], props[0], size, 1e-6f);
        checkMass(props[3], sdMassProps_Transform(props[0], place), size, 2e-6f);
        sdCompound_Release(compound);
        sdHull_Release(hull);
        sdMesh_Release(mesh);
        TestContext_Finish(&test);
    }
}

/// A capsule without its cylinder is a ball cut in two; put together, a sphere when it is short.
SD_TEST(shapes_mass_limits_agree) {
    sdShape capsule = sdShape_Capsule(0.0f, 0.8f), sphere = sdShape_Sphere(0.8f);
    sdMassProps a, b;
    REQUIRE(sdShape_GetMass(NULL, &capsule, 2.0f, &a) == SD_OK);
    REQUIRE(sdShape_GetMass(NULL, &sphere, 2.0f, &b) == SD_OK);
    checkMass(a, b, 1.0f, 1e-7f);
    // twice the density, twice the mass; half the size, a 32nd of the moments
    REQUIRE(sdShape_GetMass(NULL, &sphere, 4.0f, &a) == SD_OK);
    CHECK_NEAR(a.mass, 2.0f * b.mass, 1e-6f * a.mass);
    sdShape half = sdShape_Sphere(0.4f);
    REQUIRE(sdShape_GetMass(NULL, &half, 2.0f, &a) == SD_OK);
    CHECK_NEAR(32.0f * a.inertia.cz.z, b.inertia.cz.z, 1e-6f * b.inertia.cz.z);
}

SD_TEST(shapes_mass_refuses_with_reasons) {
    Zoo zoo;
    Zoo_Init(&zoo, 1.0f);
    const sdContext* context = &zoo.test.context;
    sdMassProps props;
    const sdShape flat[] = {
        sdShape_Sphere(0.0f),         sdShape_Capsule(1.0f, 0.0f), sdShape_Box(1.0f, 0.0f, 1.0f),
        sdShape_Cylinder(0.0f, 1.0f), sdShape_Cone(1.0f, 0.0f),    zoo.shapes[SD_SHAPE_TRIANGLE],
        sdShape_HalfSpace()};
    for (int i = 0; i < 7; ++i) {
        CHECK_INT(sdShape_GetMass(context, &flat[i], 1.0f, &props), SD_ERROR_DEGENERATE);
        CHECK_TEXT(zoo.test.lastError, sdShapeType_Name(flat[i].type));
        CHECK(props.mass == 0.0f);
    }
    const float densities[] = {0.0f, -1.0f, TestNaN(), TestInfinity()};
    for (int i = 0; i < 4; ++i) {
        CHECK_INT(sdShape_GetMass(context, &zoo.shapes[0], densities[i], &props),
                  SD_ERROR_INVALID_ARGUMENT);
        CHECK_TEXT(zoo.test.lastError, "density");
    }
    CHECK_INT(sdShape_GetMass(context, NULL, 1.0f, &props), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdShape_GetMass(context, &zoo.shapes[0], 1.0f, NULL), SD_ERROR_INVALID_ARGUMENT);
    // beyond what a float holds
    sdShape huge = sdShape_Sphere(1e20f), tiny = sdShape_Sphere(1e-20f);
    CHECK_INT(sdShape_GetMass(context, &huge, 1000.0f, &props), SD_ERROR_LIMIT);
    CHECK_INT(sdShape_GetMass(context, &tiny, 1000.0f, &props), SD_ERROR_LIMIT);
    CHECK_TEXT(zoo.test.lastError, "range of a float");
    // an open mesh has no inside
    sdMeshData data = sdMesh_GetData(zoo.mesh);
    sdMeshDef def = sdMeshDef_Default();
    def.data = data;
    def.data.triangleCount -= 1;
    sdMesh* open = NULL;
    REQUIRE(sdMesh_Create(context, &def, &open) == SD_OK);
    sdShape shape = sdShape_Mesh(open);
    CHECK_INT(sdShape_GetMass(context, &shape, 1.0f, &props), SD_ERROR_BAD_MESH);
    sdCompoundChild children[2] = {{zoo.shapes[0], sdTransform_Identity()},
                                   {shape, sdTransform_Identity()}};
    sdCompound* compound = NULL;
    REQUIRE(sdCompound_Create(context, children, 2, &compound) == SD_OK);
    sdMesh_Release(open);
    sdShape both = sdShape_Compound(compound);
    CHECK_INT(sdShape_GetMass(context, &both, 1.0f, &props), SD_ERROR_BAD_MESH);
    sdCompound_Release(compound);
    Zoo_Finish(&zoo);
}

// ---- points inside -------------------------------------------------------------------------

/// A convex shape contains a point if no direction separates them. Many directions find nearly all
/// points outside; those found must be outside, and points made from the inside must be in.
SD_TEST(shapes_contain_what_no_direction_separates) {
    static const float scales[] = {3e-6f, 1.0f, 1e6f};
    for (int s = 0; s < 3; ++s) {
        float scale = scales[s];
        Zoo zoo;
        Zoo_Init(&zoo, scale);
        TestRandom random = TestRandom_Make(21);
        for (int type = 0; type <= SD_SHAPE_HULL; ++type) {
            const sdShape* shape = &zoo.shapes[type];
            int insideCount = 0;
            for (int i = 0; i < 300; ++i) {
                sdVec3 p = TestRandom_InBox(&random, 1.2f * scale);
                bool isInside = sdShape_ContainsPoint(shape, p);
                double gap = -INFINITY;
                for (int k = 0; k < 400; ++k) {
                    sdVec3 d = TestRandom_OnSphere(&random);
                    double over = dotD(p, d) - supportValue(shape, d);
                    gap = over > gap ? over : gap;
                }
                CHECK(!(isInside && gap > 1e-6 * (double)scale));
                // few directions are looked at, so only clear cases count
                CHECK(isInside || gap > -0.15 * (double)scale);
                insideCount += isInside;
                // between two points of the shape
                sdVec3 a = sdShape_Support(shape, TestRandom_OnSphere(&random));
                sdVec3 b = sdShape_Support(shape, TestRandom_OnSphere(&random));
                sdVec3 c = sdShape_Support(shape, TestRandom_OnSphere(&random));
                sdVec3 middle = sdLerp(a, sdScale(0.5f, sdAdd(b, c)), 0.5f);
                CHECK(type == SD_SHAPE_TRIANGLE || sdShape_ContainsPoint(shape, middle));
            }
            CHECK((insideCount > 0) == (type != SD_SHAPE_TRIANGLE));
        }
        // on a triangle
        const sdVec3* v = zoo.shapes[SD_SHAPE_TRIANGLE].triangle.vertices;
        sdVec3 on = sdLerp(v[0], sdLerp(v[1], v[2], 0.3f), 0.6f);
        sdVec3 n = sdNormalize(sdCross(sdScale(1.0f / scale, sdSub(v[1], v[0])),
                                       sdScale(1.0f / scale, sdSub(v[2], v[0]))));
        CHECK(sdShape_ContainsPoint(&zoo.shapes[SD_SHAPE_TRIANGLE], on));
        CHECK(
            !sdShape_ContainsPoint(&zoo.shapes[SD_SHAPE_TRIANGLE], sdMulAdd(on, 1e-4f * scale, n)));
        Zoo_Finish(&zoo);
    }
}

SD_TEST(shapes_contain_points_of_a_mesh) {
    Zoo zoo;
    Zoo_Init(&zoo, 1.0f);
    sdShape torus = sdShape_Mesh(zoo.mesh);
    TestRandom random = TestRandom_Make(22);
    int insideCount = 0;
    for (int i = 0; i < 2000; ++i) {
        sdVec3 p = TestRandom_InBox(&random, 1.5f);
        float around = sdLength2(sdV2(p.x, p.z)) - 1.0f;
        float distance = sdLength2(sdV2(around, p.y)) - 0.4f;
        // outside of the torus, or inside by more than the chords cut off
        if (distance > 0.0f) {
            CHECK(!sdShape_ContainsPoint(&torus, p));
        } else if (distance < -0.03f) {
            CHECK(sdShape_ContainsPoint(&torus, p));
            ++insideCount;
        }
    }
    CHECK(insideCount > 100);
    sdMeshData data = sdMesh_GetData(zoo.mesh);
    for (int i = 0; i < data.vertexCount; ++i) {
        CHECK(sdShape_ContainsPoint(&torus, data.vertices[i]));
    }
    // without one triangle only the surface is left
    sdMeshDef def = sdMeshDef_Default();
    def.data = data;
    def.data.triangleCount -= 1;
    sdMesh* open = NULL;
    REQUIRE(sdMesh_Create(&zoo.test.context, &def, &open) == SD_OK);
    sdShape skin = sdShape_Mesh(open);
    CHECK(sdShape_ContainsPoint(&torus, sdV3(1.0f, 0.0f, 0.0f)));
    CHECK(!sdShape_ContainsPoint(&skin, sdV3(1.0f, 0.0f, 0.0f)));
    CHECK(sdShape_ContainsPoint(&skin, data.vertices[5]));
    sdMesh_Release(open);
    Zoo_Finish(&zoo);
}

SD_TEST(shapes_contain_nothing_that_is_not_finite) {
    Zoo zoo;
    Zoo_Init(&zoo, 1.0f);
    sdCompoundChild child = {zoo.shapes[SD_SHAPE_BOX], sdTransform_Identity()};
    sdCompound* compound = NULL;
    REQUIRE(sdCompound_Create(&zoo.test.context, &child, 1, &compound) == SD_OK);
    sdShape shapes[SD_SHAPE_TYPE_COUNT];
    memcpy(shapes, zoo.shapes, sizeof zoo.shapes);
    shapes[SD_SHAPE_HALF_SPACE] = sdShape_HalfSpace();
    shapes[SD_SHAPE_MESH] = sdShape_Mesh(zoo.mesh);
    shapes[SD_SHAPE_COMPOUND] = sdShape_Compound(compound);
    for (int type = 0; type < SD_SHAPE_TYPE_COUNT; ++type) {
        CHECK(!sdShape_ContainsPoint(&shapes[type], sdV3(TestNaN(), 0.0f, 0.0f)));
        CHECK(!sdShape_ContainsPoint(&shapes[type], sdV3(0.0f, -TestInfinity(), 0.0f)));
    }
    CHECK(sdShape_ContainsPoint(&shapes[SD_SHAPE_HALF_SPACE], sdV3(5.0f, 0.0f, 1.0f)));
    CHECK(sdShape_ContainsPoint(&shapes[SD_SHAPE_HALF_SPACE], sdV3(5.0f, -7.0f, 1.0f)));
    CHECK(!sdShape_ContainsPoint(&shapes[SD_SHAPE_HALF_SPACE], sdV3(5.0f, 1e-30f, 1.0f)));
    // a plate of no height is its disc
    sdShape disc = sdShape_Cone(0.0f, 1.0f);
    CHECK(sdShape_ContainsPoint(&disc, sdV3(0.9f, 0.0f, 0.0f)));
    CHECK(!sdShape_ContainsPoint(&disc, sdV3(1.1f, 0.0f, 0.0f)));
    CHECK(!sdShape_ContainsPoint(&disc, sdV3(0.0f, 1e-5f, 0.0f)));
    sdCompound_Release(compound);
    Zoo_Finish(&zoo);
}

// ---- compounds -----------------------------------------------------------------------------

SD_TEST(shapes_compound_keeps_its_children) {
    Zoo zoo;
    Zoo_Init(&zoo, 1.0f);
    TestRandom random = TestRandom_Make(31);
    sdCompoundChild children[8];
    for (int i = 0; i < 7; ++i) {
        children[i] = (sdCompoundChild){zoo.shapes[i], randomTransform(&random, 3.0f)};
    }
    children[7] = (sdCompoundChild){sdShape_Mesh(zoo.mesh), randomTransform(&random, 3.0f)};
    sdCompound* compound = NULL;
    REQUIRE(sdCompound_Create(&zoo.test.context, children, 8, &compound) == SD_OK);
    // the compound's own references keep hull and mesh alive
    int64_t liveCount = zoo.test.liveCount;
    sdHull_Release(zoo.hull);
    sdMesh_Release(zoo.mesh);
    CHECK_INT(zoo.test.liveCount, liveCount);
    zoo.hull = NULL;
    zoo.mesh = NULL;
    sdCompound_Retain(compound);
    sdCompound_Release(compound);
    sdCompound_Retain(NULL);
    sdCompound_Release(NULL);
    int count = 0;
    const sdCompoundChild* kept = sdCompound_GetChildren(compound, &count);
    REQUIRE(count == 8);
    sdShape shape = sdShape_Compound(compound);
    for (int trial = 0; trial < 50; ++trial) {
        sdTransform xf = trial == 0 ? sdTransform_Identity() : randomTransform(&random, 5.0f);
        sdAABB expected = sdAABB_Empty();
        for (int i = 0; i < count; ++i) {
            CHECK(memcmp(&kept[i].xf, &children[i].xf, sizeof(sdTransform)) == 0);
            sdAABB box = sdShape_GetBounds(&kept[i].shape, sdMulXf(xf, kept[i].xf));
            expected = sdAABB_Union(expected, box);
        }
        checkBox(sdShape_GetBounds(&shape, xf), expected, 0.0f);
        if (trial == 0) {
            checkBox(sdCompound_GetBounds(compound), expected, 1e-6f);
        }
    }
    // inside one of them
    for (int i = 0; i < 1000; ++i) {
        sdVec3 p = TestRandom_InBox(&random, 4.0f);
        bool isInside = false;
        for (int k = 0; k < count; ++k) {
            sdVec3 local = sdInvTransformPoint(kept[k].xf, p);
            isInside = isInside || sdShape_ContainsPoint(&kept[k].shape, local);
        }
        CHECK(sdShape_ContainsPoint(&shape, p) == isInside);
    }
    // the triangle adds no mass, all others add theirs
    float mass = 0.0f;
    for (int i = 0; i < count; ++i) {
        sdMassProps props;
        if (kept[i].shape.type != SD_SHAPE_TRIANGLE) {
            REQUIRE(sdShape_GetMass(NULL, &kept[i].shape, 2.0f, &props) == SD_OK);
            mass += props.mass;
        }
    }
    sdMassProps props;
    REQUIRE(sdShape_GetMass(&zoo.test.context, &shape, 2.0f, &props) == SD_OK);
    CHECK_NEAR(props.mass, mass, 1e-5f * mass);
    CHECK(sdMassProps_IsValid(props));
    sdCompound_Release(compound);
    Zoo_Finish(&zoo);
}

SD_TEST(shapes_compound_refuses_bad_children) {
    Zoo zoo;
    Zoo_Init(&zoo, 1.0f);
    const sdContext* context = &zoo.test.context;
    sdCompoundChild good = {zoo.shapes[SD_SHAPE_BOX], sdTransform_Identity()};
    sdCompound* compound = (sdCompound*)&zoo;
    CHECK_INT(sdCompound_Create(context, NULL, 1, &compound), SD_ERROR_INVALID_ARGUMENT);
    CHECK(compound == NULL);
    CHECK_INT(sdCompound_Create(context, &good, 0, &compound), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdCompound_Create(context, &good, -1, &compound), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdCompound_Create(context, &good, SD_COMPOUND_MAX_CHILDREN + 1, &compound),
              SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdCompound_Create(context, &good, 1, NULL), SD_ERROR_INVALID_ARGUMENT);
    REQUIRE(sdCompound_Create(context, &good, 1, &compound) == SD_OK);
    sdCompoundChild bad[] = {good, good, good, good, good, good};
    bad[0].shape = sdShape_HalfSpace();
    bad[1].shape = sdShape_Compound(compound);
    bad[2].shape = sdShape_Mesh(NULL);
    bad[3].shape = sdShape_Sphere(TestNaN());
    bad[4].xf.q.s = 2.0f;
    bad[5].xf.p.y = TestInfinity();
    for (int i = 0; i < 6; ++i) {
        sdCompoundChild children[3] = {
            {zoo.shapes[SD_SHAPE_HULL], sdTransform_Identity()}, bad[i], good};
        sdCompound* other = (sdCompound*)&zoo;
        CHECK_INT(sdCompound_Create(context, children, 3, &other), SD_ERROR_INVALID_ARGUMENT);
        CHECK(other == NULL);
        CHECK_TEXT(zoo.test.lastError, "child 1");
    }
    // together they would reach beyond the largest float
    sdCompoundChild far = good;
    far.shape = sdShape_Sphere(3e38f);
    far.xf.p.x = 3e38f;
    sdCompound* other = NULL;
    CHECK_INT(sdCompound_Create(context, &far, 1, &other), SD_ERROR_LIMIT);
    sdCompound_Release(compound);
    Zoo_Finish(&zoo);
}

static sdResult createCompound(const sdContext* context, void* arg) {
    const Zoo* zoo = arg;
    sdCompoundChild children[2] = {{zoo->shapes[SD_SHAPE_HULL], sdTransform_Identity()},
                                   {sdShape_Mesh(zoo->mesh), sdTransform_Identity()}};
    sdCompound* compound = NULL;
    sdResult result = sdCompound_Create(context, children, 2, &compound);
    CHECK((compound != NULL) == (result == SD_OK));
    sdCompound_Release(compound);
    return result;
}

SD_TEST(shapes_compound_survives_no_memory) {
    Zoo zoo;
    Zoo_Init(&zoo, 1.0f);
    CHECK_INT(TestContext_FailEach(createCompound, &zoo), 1);
    Zoo_Finish(&zoo);
}
