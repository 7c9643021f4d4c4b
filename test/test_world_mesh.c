// SPDX-License-Identifier: MIT
// Bodies on meshes: inner edges are not felt, outer ones are.

#include "world_support.h"

#include "narrow/collide_surface.h"

#include <math.h>
#include <stdlib.h>

// ---- floors --------------------------------------------------------------------------------

#define MAX_VERTICES 60000
#define MAX_TRIANGLES 60000

/// Triangles as they are made.
typedef struct Soup {
    sdVec3* vertices;
    int32_t* triangles;
    int vertexCount, triangleCount;
} Soup;

static void Soup_Init(Soup* soup) {
    soup->vertices = malloc(MAX_VERTICES * sizeof *soup->vertices);
    soup->triangles = malloc(MAX_TRIANGLES * 3 * sizeof *soup->triangles);
    soup->vertexCount = 0;
    soup->triangleCount = 0;
}

static int32_t Soup_AddVertex(Soup* soup, sdVec3 v) {
    CHECK(soup->vertexCount < MAX_VERTICES);
    soup->vertices[soup->vertexCount] = v;
    return soup->vertexCount++;
}

static void Soup_AddTriangle(Soup* soup, int32_t a, int32_t b, int32_t c) {
    CHECK(soup->triangleCount < MAX_TRIANGLES);
    int32_t* t = soup->triangles + 3 * soup->triangleCount++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

/// With corners at the same place joined.
static sdMesh* Soup_Finish(Soup* soup) {
    sdMeshDef def = sdMeshDef_Default();
    def.data =
        (sdMeshData){soup->vertices, soup->vertexCount, soup->triangles, soup->triangleCount};
    sdMesh* mesh = NULL;
    CHECK_INT(sdMesh_Create(NULL, &def, &mesh), SD_OK);
    free(soup->vertices);
    free(soup->triangles);
    return mesh;
}

/// A rectangle of the plane y = 0, seen from above, as two triangles.
static void addRectangle(Soup* soup, float x0, float z0, float x1, float z1, bool isOtherWay) {
    int32_t a = Soup_AddVertex(soup, sdV3(x0, 0.0f, z0));
    int32_t b = Soup_AddVertex(soup, sdV3(x0, 0.0f, z1));
    int32_t c = Soup_AddVertex(soup, sdV3(x1, 0.0f, z1));
    int32_t d = Soup_AddVertex(soup, sdV3(x1, 0.0f, z0));
    if (isOtherWay) {
        Soup_AddTriangle(soup, a, b, d);
        Soup_AddTriangle(soup, b, c, d);
    } else {
        Soup_AddTriangle(soup, a, b, c);
        Soup_AddTriangle(soup, a, c, d);
    }
}

typedef enum FloorKind {
    FLOOR_GRID,
    FLOOR_RANDOM,    ///< corners moved about, diagonals either way
    FLOOR_SLIVERS,   ///< a thousand times as long as wide, along or across the way
    FLOOR_FANS,      ///< many triangles about one corner
    FLOOR_JUNCTIONS, ///< corners in the middle of others' sides
    FLOOR_FINE,      ///< triangles smaller than the body
    FLOOR_COUNT
} FloorKind;

static const char* const floorNames[FLOOR_COUNT] = {"grid", "random",    "slivers",
                                                    "fans", "junctions", "fine"};

/// x from -2 to `length`, z from -2 to 2.
static sdMesh* makeFloor(FloorKind kind, float length, float scale) {
    Soup soup;
    Soup_Init(&soup);
    TestRandom random = TestRandom_Make(77);
    const float cell = kind == FLOOR_FINE ? 0.21f : 0.7f;
    int columns = (int)((length + 2.0f) / cell) + 1, rows = (int)(4.0f / cell) + 1;
    if (kind == FLOOR_RANDOM) {
        for (int i = 0; i <= columns; ++i) {
            for (int j = 0; j <= rows; ++j) {
                float x = -2.0f + cell * ((float)i + TestRandom_Float(&random, -0.4f, 0.4f));
                float z = -2.0f + cell * ((float)j + TestRandom_Float(&random, -0.4f, 0.4f));
                Soup_AddVertex(&soup, sdV3(x, 0.0f, z));
            }
        }
    }
    for (int i = 0; i < columns; ++i) {
        for (int j = 0; j < rows; ++j) {
            float x0 = -2.0f + cell * (float)i, x1 = -2.0f + cell * (float)(i + 1);
            float z0 = -2.0f + cell * (float)j, z1 = -2.0f + cell * (float)(j + 1);
            bool isOtherWay = TestRandom_Int(&random, 2) == 1;
            int32_t a = i * (rows + 1) + j, b = a + 1, c = b + rows + 1, d = a + rows + 1;
            int parts;
            switch (kind) {
                case FLOOR_RANDOM:
                    // moved corners may turn one diagonal inside out, but not by this much
                    Soup_AddTriangle(&soup, a, b, c);
                    Soup_AddTriangle(&soup, a, c, d);
                    break;
                case FLOOR_SLIVERS:
                    if (j == 0) {
                        addRectangle(&soup, x0, -2.0f, x0 + 0.003f, 2.0f, isOtherWay);
                        addRectangle(&soup, x0 + 0.003f, -2.0f, x1, 0.001f, isOtherWay);
                        addRectangle(&soup, x0 + 0.003f, 0.001f, x1, 0.002f, isOtherWay);
                        addRectangle(&soup, x0 + 0.003f, 0.002f, x1, 2.0f, isOtherWay);
                    }
                    break;
                case FLOOR_FANS:
                    for (int k = 0; k < 12; ++k) {
                        float s = (float)k / 12.0f, t = (float)(k + 1) / 12.0f;
                        int32_t top = Soup_AddVertex(&soup, sdV3(x1, 0.0f, z0));
                        int32_t from = Soup_AddVertex(&soup, sdV3(x0, 0.0f, z0 + s * (z1 - z0)));
                        int32_t to = Soup_AddVertex(&soup, sdV3(x0, 0.0f, z0 + t * (z1 - z0)));
                        Soup_AddTriangle(&soup, top, from, to);
                    }
                    a = Soup_AddVertex(&soup, sdV3(x0, 0.0f, z1));
                    b = Soup_AddVertex(&soup, sdV3(x1, 0.0f, z1));
                    c = Soup_AddVertex(&soup, sdV3(x1, 0.0f, z0));
                    Soup_AddTriangle(&soup, a, b, c);
                    break;
                case FLOOR_JUNCTIONS:
                    parts = 1 + (i + j) % 4;
                    for (int k = 0; k < parts; ++k) {
                        float s = z0 + (z1 - z0) * (float)k / (float)parts;
                        float t = z0 + (z1 - z0) * (float)(k + 1) / (float)parts;
                        addRectangle(&soup, x0, s, x1, t, isOtherWay);
                    }
                    break;
                default:
                    addRectangle(&soup, x0, z0, x1, z1, isOtherWay);
            }
        }
    }
    for (int i = 0; i < soup.vertexCount; ++i) {
        soup.vertices[i] = sdScale(scale, soup.vertices[i]);
    }
    return Soup_Finish(&soup);
}

// ---- sliding -------------------------------------------------------------------------------

#define SLIDER_COUNT 7
static const char* const sliderNames[SLIDER_COUNT] = {"sphere",   "capsule", "box", "cylinder",
                                                      "standing", "cone",    "hull"};

/// A body, its height over the floor at rest and how it lies.
static sdShape makeSlider(int kind, float scale, sdHull* hull, float* height, sdQuat* rotation) {
    *height = 0.3f * scale;
    *rotation = sdQuat_Identity();
    sdQuat lying = sdQuat_FromAxisAngle(sdV3(1.0f, 0.0f, 0.0f), 0.5f * 3.14159265f);
    switch (kind) {
        case 0:
            return sdShape_Sphere(0.3f * scale);
        case 1:
            *rotation = lying;
            return sdShape_Capsule(0.4f * scale, 0.3f * scale);
        case 2:
            *rotation = sdQuat_FromAxisAngle(sdV3(0.0f, 1.0f, 0.0f), 0.3f);
            return sdShape_Box(0.4f * scale, 0.3f * scale, 0.35f * scale);
        case 3:
            *rotation = lying;
            return sdShape_Cylinder(0.4f * scale, 0.3f * scale);
        case 4:
            return sdShape_Cylinder(0.3f * scale, 0.4f * scale);
        case 5:
            return sdShape_Cone(0.3f * scale, 0.4f * scale);
        default:
            return sdShape_Hull(hull);
    }
}

/// A prism with nine sides, so that it lies flat.
static sdHull* makeHull(float scale) {
    sdVec3 points[18];
    for (int i = 0; i < 9; ++i) {
        double angle = 2.0 * 3.14159265358979 * i / 9.0;
        float x = 0.4f * scale * (float)cos(angle), z = 0.4f * scale * (float)sin(angle);
        points[2 * i] = sdV3(x, -0.3f * scale, z);
        points[2 * i + 1] = sdV3(0.8f * x, 0.3f * scale, 0.8f * z);
    }
    sdHullDef def = sdHullDef_Default();
    def.points = points;
    def.pointCount = 18;
    sdHull* hull = NULL;
    CHECK_INT(sdHull_Create(NULL, &def, &hull), SD_OK);
    return hull;
}

/// What a slide was like: worst over all steps once the body has settled.
typedef struct Slide {
    double rise;   ///< m/s, up or down
    double height; ///< m, off the start
    double aside;  ///< m/s
    double slowed; ///< m/s
    double spin;   ///< rad/s
} Slide;

/// @param mesh NULL for a half-space
static Slide slideOver(sdMesh* mesh, int kind, float speed, double seconds, float friction,
                       bool isMeshFirst, sdQuat turn, float scale) {
    sdWorldDef def = TestWorld_AwakeDef();
    def.gravity = sdRotate(turn, sdScale(scale, sdV3(0.0f, -9.81f, 0.0f)));
    // a cylinder of 12 m that rolls at 160 m/s over slivers hops by 5 mm with six
    def.subStepCount = kind == 3 ? 8 : def.subStepCount;
    sdWorld* world = TestWorld_Make(def);
    sdHull* hull = makeHull(scale);
    float height;
    sdQuat lying;
    sdShapeDef shape = sdShapeDef_Default(makeSlider(kind, scale, hull, &height, &lying));
    sdShapeDef ground = sdShapeDef_Default(mesh != NULL ? sdShape_Mesh(mesh) : sdShape_HalfSpace());
    shape.material = TestWorld_Friction(friction);
    ground.material = shape.material;
    sdVec3 at = sdRotate(turn, sdV3(0.0f, height, 0.0f));
    sdPos start = {(double)at.x, (double)at.y, (double)at.z}, origin = {0.0, 0.0, 0.0};
    sdQuat rotation = sdNormalizeQ(sdMulQ(turn, lying));
    sdBodyId body = SD_NULL_BODY;
    for (int i = 0; i < 2; ++i) {
        if ((i == 0) == isMeshFirst) {
            TestWorld_AddBody(world, SD_BODY_STATIC, origin, turn, ground);
        } else {
            body = TestWorld_AddBody(world, SD_BODY_DYNAMIC, start, rotation, shape);
        }
    }
    float roll = friction > 0.0f ? -speed / height : 0.0f;
    // what rolls about one axis only rolls straight on
    float aside = kind == 3 && friction > 0.0f ? 0.0f : 0.03f;
    sdVec3 v = sdRotate(turn, sdV3(speed, 0.0f, aside * speed));
    sdVec3 w = sdRotate(turn, sdV3(-aside * roll, 0.0f, roll));
    CHECK_INT(sdBody_SetVelocity(world, body, v, w), SD_OK);
    Slide slide = {0};
    int steps = (int)(seconds * 60.0);
    for (int i = 0; i < steps; ++i) {
        TestWorld_Run(world, 1);
        sdPos p = sdBody_GetCenter(world, body);
        sdVec3 now = sdInvRotate(turn, sdBody_GetVelocity(world, body));
        sdVec3 local = sdInvRotate(turn, sdV3((float)p.x, (float)p.y, (float)p.z));
        sdVec3 spin = sdSub(sdBody_GetAngularVelocity(world, body), w);
        if (i >= 20) {
            slide.rise = fmax(slide.rise, (double)fabsf(now.y));
            slide.height = fmax(slide.height, (double)fabsf(local.y - height));
            slide.aside = fmax(slide.aside, (double)fabsf(now.z - aside * speed));
            slide.slowed = fmax(slide.slowed, (double)fabsf(now.x - speed));
            slide.spin = fmax(slide.spin, (double)sdLength(spin));
        }
    }
    sdWorld_Destroy(world);
    sdHull_Release(hull);
    return slide;
}

static void checkSlide(const char* what, const char* floor, float speed, float scale, Slide plane,
                       Slide slide) {
    double unit = (double)scale;
    bool isSmooth = slide.rise <= plane.rise + 1e-3 * unit &&
                    slide.height <= plane.height + 1e-4 * unit &&
                    slide.aside <= plane.aside + 1e-3 * unit &&
                    slide.slowed <= plane.slowed + 1e-3 * unit && slide.spin <= plane.spin + 5e-3;
    if (!CHECK(isSmooth)) {
        sdTest_Print("%s on %s at %g m/s: rise %.5f (plane %.5f) m/s, height %.5f (%.5f) m, aside "
                     "%.5f (%.5f) m/s, slowed %.5f (%.5f) m/s, spin %.4f (%.4f)",
                     what, floor, (double)speed, slide.rise, plane.rise, slide.height, plane.height,
                     slide.aside, plane.aside, slide.slowed, plane.slowed, slide.spin, plane.spin);
    }
}

SD_TEST(world_mesh_bodies_slide_over_inner_edges_as_over_a_plane) {
    static const float speeds[] = {1.0f, 5.0f, 20.0f};
    sdQuat turn = sdQuat_Identity();
    Slide worst = {0};
    for (int floor = 0; floor < FLOOR_COUNT; ++floor) {
        sdMesh* mesh = makeFloor((FloorKind)floor, 45.0f, 1.0f);
        for (int kind = 0; kind < SLIDER_COUNT; ++kind) {
            for (int i = 0; i < 3; ++i) {
                float speed = speeds[i];
                Slide plane = slideOver(NULL, kind, speed, 2.0, 0.0f, true, turn, 1.0f);
                Slide slide = slideOver(mesh, kind, speed, 2.0, 0.0f, i % 2 == 0, turn, 1.0f);
                checkSlide(sliderNames[kind], floorNames[floor], speed, 1.0f, plane, slide);
                worst.rise = fmax(worst.rise, slide.rise);
                worst.slowed = fmax(worst.slowed, slide.slowed);
            }
        }
        sdMesh_Release(mesh);
    }
    sdTest_Print("worst rise %.6f m/s, worst loss of speed %.6f m/s", worst.rise, worst.slowed);
}

SD_TEST(world_mesh_bodies_roll_and_slide_on_turned_and_scaled_floors) {
    static const float scales[] = {0.05f, 20.0f};
    sdQuat turn = sdNormalizeQ(sdMulQ(sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), 0.7f),
                                      sdQuat_FromAxisAngle(sdV3(0.0f, 1.0f, 0.0f), 0.4f)));
    for (int floor = 0; floor < FLOOR_COUNT; ++floor) {
        for (int i = 0; i < 2; ++i) {
            float scale = scales[i], speed = 8.0f * scale;
            sdMesh* mesh = makeFloor((FloorKind)floor, 18.0f, scale);
            for (int kind = 0; kind < SLIDER_COUNT; ++kind) {
                // what is round across the way rolls
                bool isRolling = (kind == 0 || kind == 3) && floor % 2 == 0;
                float friction = isRolling ? 0.5f : 0.0f;
                bool isMeshFirst = (floor + kind) % 2 == 0;
                Slide plane = slideOver(NULL, kind, speed, 2.0, friction, isMeshFirst, turn, scale);
                Slide slide = slideOver(mesh, kind, speed, 2.0, friction, isMeshFirst, turn, scale);
                checkSlide(sliderNames[kind], floorNames[floor], speed, scale, plane, slide);
            }
            sdMesh_Release(mesh);
        }
    }
}

// ---- edges that stick out ------------------------------------------------------------------

/// The surface of a hull as triangles, each face as a fan about its middle.
static sdMesh* meshOfHull(const sdHull* hull) {
    Soup soup;
    Soup_Init(&soup);
    int vertexCount, edgeCount, faceCount;
    const sdVec3* vertices = sdHull_GetVertices(hull, &vertexCount);
    const sdHalfEdge* edges = sdHull_GetEdges(hull, &edgeCount);
    const int32_t* faceEdges = sdHull_GetFaceEdges(hull);
    sdHull_GetPlanes(hull, &faceCount);
    for (int i = 0; i < vertexCount; ++i) {
        Soup_AddVertex(&soup, vertices[i]);
    }
    for (int i = 0; i < faceCount; ++i) {
        sdVec3 middle = {0.0f, 0.0f, 0.0f};
        int count = 0, e = faceEdges[i];
        do {
            middle = sdAdd(middle, vertices[edges[e].origin]);
            count += 1;
            e = edges[e].next;
        } while (e != faceEdges[i]);
        int32_t top = Soup_AddVertex(&soup, sdScale(1.0f / (float)count, middle));
        do {
            Soup_AddTriangle(&soup, top, edges[e].origin, edges[edges[e].next].origin);
            e = edges[e].next;
        } while (e != faceEdges[i]);
    }
    sdMesh* mesh = Soup_Finish(&soup);
    CHECK(sdMesh_GetReport(mesh)->isSolid);
    return mesh;
}

/// A wedge whose ridge is an edge of 45 degrees, a box, or something with many corners.
static sdHull* makeBlock(int kind, TestRandom* random) {
    sdVec3 points[24];
    int count = 0;
    if (kind < 2) {
        for (int i = 0; i < 8; ++i) {
            float x = (i & 1) != 0 ? 0.5f : -0.5f, y = (i & 2) != 0 ? 0.4f : -0.4f;
            x = kind == 1 && y > 0.0f ? 0.5f : x;
            points[count++] = sdV3(x, y, (i & 4) != 0 ? 0.8f : -0.8f);
        }
    } else {
        for (; count < 24; ++count) {
            points[count] = sdScale(0.7f, TestRandom_OnSphere(random));
        }
    }
    sdHullDef def = sdHullDef_Default();
    def.points = points;
    def.pointCount = count;
    sdHull* hull = NULL;
    CHECK_INT(sdHull_Create(NULL, &def, &hull), SD_OK);
    return hull;
}

SD_TEST(world_mesh_is_touched_as_the_hull_that_it_is) {
    TestRandom random = TestRandom_Make(11);
    double worst = 0.0;
    for (int i = 0; i < 300; ++i) {
        sdHull* hull = makeBlock(i % 3, &random);
        sdHull* own = makeHull(0.5f);
        sdMesh* mesh = meshOfHull(hull);
        float height;
        sdQuat unused;
        sdShape body = makeSlider(i % SLIDER_COUNT, 0.5f, own, &height, &unused);
        sdShape solid = sdShape_Hull(hull), surface = sdShape_Mesh(mesh);
        sdTransform xf = {sdScale(3.0f, TestRandom_OnSphere(&random)),
                          TestRandom_Rotation(&random)};
        // from afar to a small gap or overlap
        sdSeparation far = sdDistance(&solid, &body, xf, NULL);
        float gap = TestRandom_Float(&random, -0.002f, 0.03f);
        xf.p = sdMulAdd(xf.p, gap - far.separation, far.normal);
        sdSeparation exact = sdPenetration(&solid, &body, xf, NULL);
        sdManifold manifolds[32];
        bool isSwapped = i % 2 == 1;
        const sdShape *a = isSwapped ? &body : &surface, *b = isSwapped ? &surface : &body;
        int count = sdSurface_Collide(SD_NARROWPHASE_AUTO, a, b, isSwapped ? sdInvertXf(xf) : xf,
                                      0.05f, manifolds, 32, NULL);
        float least = FLT_MAX;
        for (int k = 0; k < count; ++k) {
            for (int j = 0; j < manifolds[k].pointCount; ++j) {
                const sdManifoldPoint* point = &manifolds[k].points[j];
                least = sdMinF(least, point->separation);
                float along = sdDot(manifolds[k].normal, sdSub(point->pointB, point->pointA));
                CHECK_NEAR(along, point->separation, 2e-4);
            }
        }
        // each normal gives its own depth, so a small overlap may look a little deeper
        CHECK_NEAR(least, exact.separation, exact.separation > 0.0f ? 1e-4 : 1e-3);
        worst = fmax(worst, fabs((double)least - (double)exact.separation));
        sdMesh_Release(mesh);
        sdHull_Release(hull);
        sdHull_Release(own);
    }
    sdTest_Print("separations within %.2e m", worst);
}

/// Deepest that a body dropped onto a block sinks into it; the block as a hull or as a mesh.
static double sinkInto(const sdHull* hull, sdMesh* mesh, sdShape shape, sdVec3 from, sdQuat q) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    sdShape solid = sdShape_Hull((sdHull*)(uintptr_t)hull);
    TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), sdQuat_Identity(),
                      sdShapeDef_Default(mesh != NULL ? sdShape_Mesh(mesh) : solid));
    sdPos start = {(double)from.x, (double)from.y, (double)from.z};
    sdBodyId body = TestWorld_AddBody(world, SD_BODY_DYNAMIC, start, q, sdShapeDef_Default(shape));
    double worst = 0.0;
    for (int i = 0; i < 90; ++i) {
        TestWorld_Run(world, 1);
        sdWorldTransform at = sdBody_GetTransform(world, body);
        sdTransform xf = {sdV3((float)at.p.x, (float)at.p.y, (float)at.p.z), at.q};
        sdSeparation s = sdPenetration(&solid, &shape, xf, NULL);
        worst = fmax(worst, -(double)s.separation);
    }
    sdWorld_Destroy(world);
    return worst;
}

SD_TEST(world_mesh_bodies_do_not_sink_into_edges_that_stick_out) {
    TestRandom random = TestRandom_Make(12);
    sdHull* own = makeHull(0.5f);
    double worstMesh = 0.0, worstHull = 0.0;
    for (int i = 0; i < 60; ++i) {
        sdHull* hull = makeBlock(i % 3, &random);
        sdMesh* mesh = meshOfHull(hull);
        float height;
        sdQuat unused;
        sdShape body = makeSlider(i % SLIDER_COUNT, 0.5f, own, &height, &unused);
        // onto the ridge, or near it
        sdVec3 from = {0.5f + TestRandom_Float(&random, -0.25f, 0.15f), 0.9f,
                       TestRandom_Float(&random, -0.6f, 0.6f)};
        sdQuat q = TestRandom_Rotation(&random);
        worstMesh = fmax(worstMesh, sinkInto(hull, mesh, body, from, q));
        worstHull = fmax(worstHull, sinkInto(hull, NULL, body, from, q));
        sdMesh_Release(mesh);
        sdHull_Release(hull);
    }
    sdTest_Print("sank by %.2f mm into the mesh, by %.2f mm into the hull", worstMesh * 1e3,
                 worstHull * 1e3);
    CHECK(worstMesh < 2.0 * worstHull + 1e-3);
    sdHull_Release(own);
}

// ---- steps, valleys, bowls -----------------------------------------------------------------

/// A strip of floor along x, as long as z, that goes through the given corners of the plane z = 0.
static sdMesh* makeProfile(const sdVec2* corners, int count, int parts) {
    Soup soup;
    Soup_Init(&soup);
    for (int i = 0; i + 1 < count; ++i) {
        for (int k = 0; k < parts; ++k) {
            float z0 = -3.0f + 6.0f * (float)k / (float)parts;
            float z1 = -3.0f + 6.0f * (float)(k + 1) / (float)parts;
            int32_t a = Soup_AddVertex(&soup, sdV3(corners[i].x, corners[i].y, z0));
            int32_t b = Soup_AddVertex(&soup, sdV3(corners[i].x, corners[i].y, z1));
            int32_t c = Soup_AddVertex(&soup, sdV3(corners[i + 1].x, corners[i + 1].y, z1));
            int32_t d = Soup_AddVertex(&soup, sdV3(corners[i + 1].x, corners[i + 1].y, z0));
            Soup_AddTriangle(&soup, a, b, c);
            Soup_AddTriangle(&soup, a, c, d);
        }
    }
    return Soup_Finish(&soup);
}

static sdShapeDef smooth(sdShape shape) {
    sdShapeDef def = sdShapeDef_Default(shape);
    def.material = TestWorld_Friction(0.0f);
    return def;
}

SD_TEST(world_mesh_step_stops_a_box_and_lets_it_fall_off) {
    static const sdVec2 corners[] = {{-4.0f, 0.0f}, {1.0f, 0.0f}, {1.0f, 0.6f}, {6.0f, 0.6f}};
    sdMesh* mesh = makeProfile(corners, 4, 7);
    for (int i = 0; i < 2; ++i) {
        // from below against the step, from above over it
        bool isUp = i == 0;
        sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
        TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), sdQuat_Identity(),
                          smooth(sdShape_Mesh(mesh)));
        sdBodyId box =
            TestWorld_AddDynamic(world, sdPos_Make(isUp ? -1.0 : 3.0, isUp ? 0.25 : 0.85, 0.1),
                                 smooth(sdShape_Box(0.25f, 0.25f, 0.25f)));
        sdVec3 v = {isUp ? 2.0f : -2.0f, 0.0f, 0.0f};
        CHECK_INT(sdBody_SetVelocity(world, box, v, sdV3(0.0f, 0.0f, 0.0f)), SD_OK);
        double most = -10.0, rise = 0.0;
        for (int k = 0; k < 120; ++k) {
            TestWorld_Run(world, 1);
            most = fmax(most, sdBody_GetCenter(world, box).x);
            rise = fmax(rise, (double)sdBody_GetVelocity(world, box).y);
        }
        if (isUp) {
            CHECK(most > 0.745 && most < 0.755);
            CHECK_NEAR(sdBody_GetVelocity(world, box).x, 0.0, 0.05);
            CHECK(rise < 0.05);
        } else {
            sdPos p = sdBody_GetCenter(world, box);
            CHECK(p.x < 0.5 && p.y > 0.24 && p.y < 0.45);
        }
        sdWorld_Destroy(world);
    }
    sdMesh_Release(mesh);
}

SD_TEST(world_mesh_valley_holds_and_guides_bodies) {
    static const sdVec2 corners[] = {{-3.0f, 2.0f}, {0.0f, 0.0f}, {2.0f, 3.0f}};
    sdMesh* mesh = makeProfile(corners, 3, 9);
    sdHull* hull = makeHull(1.0f);
    for (int kind = 0; kind < 3; ++kind) {
        float height;
        sdQuat q;
        sdShape shape = makeSlider(kind, 1.0f, hull, &height, &q);
        sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
        TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), sdQuat_Identity(),
                          smooth(sdShape_Mesh(mesh)));
        sdBodyId body =
            TestWorld_AddBody(world, SD_BODY_DYNAMIC, sdPos_Make(0.0, 0.7, -1.5), q, smooth(shape));
        CHECK_INT(sdBody_SetDamping(world, body, 2.0f, 2.0f), SD_OK);
        TestWorld_Run(world, 240);
        CHECK_INT(sdBody_SetDamping(world, body, 0.0f, 0.0f), SD_OK);
        sdPos before = sdBody_GetCenter(world, body);
        sdVec3 v = {0.0f, 0.0f, 3.0f};
        CHECK_INT(sdBody_SetVelocity(world, body, v, sdV3(0.0f, 0.0f, 0.0f)), SD_OK);
        double worst = 0.0;
        for (int i = 0; i < 50; ++i) {
            TestWorld_Run(world, 1);
            sdVec3 now = sdBody_GetVelocity(world, body);
            worst = fmax(worst, (double)sdLength(sdSub(now, v)));
        }
        sdPos after = sdBody_GetCenter(world, body);
        sdTest_Print("%s: at %.4f, %.4f m; off by %.5f m/s along the valley", sliderNames[kind],
                     after.x, after.y, worst);
        CHECK(worst < 0.02);
        CHECK_NEAR(hypot(after.x - before.x, after.y - before.y), 0.0, 1e-3);
        if (kind == 0) {
            // the centre is a radius away from both walls
            sdVec2 walls[2] = {{2.0f / sqrtf(13.0f), 3.0f / sqrtf(13.0f)},
                               {-3.0f / sqrtf(13.0f), 2.0f / sqrtf(13.0f)}};
            for (int i = 0; i < 2; ++i) {
                double distance = (double)walls[i].x * after.x + (double)walls[i].y * after.y;
                CHECK_NEAR(distance, 0.3, 1e-3);
            }
        }
        sdWorld_Destroy(world);
    }
    sdHull_Release(hull);
    sdMesh_Release(mesh);
}

SD_TEST(world_mesh_box_settles_and_sleeps_as_on_a_plane) {
    sdMesh* mesh = makeFloor(FLOOR_FINE, 2.0f, 1.0f);
    double heights[2];
    int steps[2];
    for (int i = 0; i < 2; ++i) {
        sdWorld* world = TestWorld_Make(sdWorldDef_Default());
        TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), sdQuat_Identity(),
                          sdShapeDef_Default(i == 0 ? sdShape_HalfSpace() : sdShape_Mesh(mesh)));
        sdQuat q = sdQuat_FromAxisAngle(sdV3(0.6f, 0.0f, 0.8f), 0.4f);
        sdBodyId box = TestWorld_AddBody(world, SD_BODY_DYNAMIC, sdPos_Make(0.1, 0.8, 0.2), q,
                                         TestWorld_BoxOf(0.4f));
        steps[i] = 0;
        while (sdBody_IsAwake(world, box) && steps[i] < 600) {
            TestWorld_Run(world, 1);
            steps[i] += 1;
        }
        heights[i] = sdBody_GetCenter(world, box).y;
        CHECK_INT(sdWorld_GetStats(world).contactCount, 1);
        CHECK_INT(sdWorld_GetStats(world).awakeCount, 0);
        sdWorld_Destroy(world);
    }
    sdTest_Print("asleep after %d steps at %.5f m; on the mesh %d, %.5f m", steps[0], heights[0],
                 steps[1], heights[1]);
    CHECK(steps[1] < steps[0] + 60);
    CHECK_NEAR(heights[1], heights[0], 2e-4);
    sdMesh_Release(mesh);
}

SD_TEST(world_mesh_bowl_holds_bodies_of_every_shape) {
    sdMesh* mesh = NULL;
    REQUIRE(sdModel_Create(NULL, SD_MODEL_BOWL, 3.0f, &mesh) == SD_OK);
    sdAABB bounds = sdMesh_GetBounds(mesh);
    sdWorld* world = TestWorld_Make(sdWorldDef_Default());
    TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), sdQuat_Identity(),
                      sdShapeDef_Default(sdShape_Mesh(mesh)));
    sdHull* hull = makeHull(0.6f);
    sdBodyId bodies[SLIDER_COUNT];
    sdShape shapes[SLIDER_COUNT];
    sdShape surface = sdShape_Mesh(mesh);
    for (int i = 0; i < SLIDER_COUNT; ++i) {
        float height;
        sdQuat q;
        shapes[i] = makeSlider(i, 0.6f, hull, &height, &q);
        sdShapeDef def = sdShapeDef_Default(shapes[i]);
        def.material.rollingFriction = 0.02f;
        sdPos p = {0.1 * (i % 3), (double)bounds.upper.y + 0.5 * i, -0.1 * (i % 2)};
        bodies[i] = TestWorld_AddBody(world, SD_BODY_DYNAMIC, p, q, def);
    }
    TestWorld_Run(world, 600);
    for (int i = 0; i < SLIDER_COUNT; ++i) {
        sdWorldTransform at = sdBody_GetTransform(world, bodies[i]);
        sdVec3 p = {(float)at.p.x, (float)at.p.y, (float)at.p.z};
        CHECK(p.y > bounds.lower.y && p.y < bounds.upper.y + 0.5f);
        sdSeparation s = sdPenetration(&surface, &shapes[i], (sdTransform){p, at.q}, NULL);
        CHECK(s.separation > -5e-3f);
        CHECK(sdLength(sdBody_GetVelocity(world, bodies[i])) < 0.05f);
    }
    CHECK_INT(sdWorld_GetStats(world).awakeCount, 0);
    sdWorld_Destroy(world);
    sdHull_Release(hull);
    sdMesh_Release(mesh);
}

SD_TEST(world_mesh_solid_gives_back_what_it_swallowed) {
    sdMesh* mesh = NULL;
    REQUIRE(sdModel_Create(NULL, SD_MODEL_BOX, 4.0f, &mesh) == SD_OK);
    sdAABB bounds = sdMesh_GetBounds(mesh);
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), sdQuat_Identity(),
                      sdShapeDef_Default(sdShape_Mesh(mesh)));
    // the middle is under the top face by less than the half height
    double top = (double)bounds.upper.y;
    sdBodyId box =
        TestWorld_AddDynamic(world, sdPos_Make(0.3, top - 0.2, 0.2), TestWorld_BoxOf(0.4f));
    TestWorld_Run(world, 300);
    CHECK_NEAR(sdBody_GetCenter(world, box).y, top + 0.4, 5e-3);
    sdWorld_Destroy(world);
    sdMesh_Release(mesh);
}

SD_TEST(world_mesh_in_a_compound_has_no_inner_edges_either) {
    sdMesh* mesh = makeFloor(FLOOR_RANDOM, 20.0f, 1.0f);
    sdCompoundChild ground[2] = {{sdShape_Mesh(mesh), {{0.0f, -0.5f, 0.0f}, sdQuat_Identity()}},
                                 {sdShape_Sphere(0.1f), {{0.0f, 5.0f, 0.0f}, sdQuat_Identity()}}};
    sdCompoundChild sledge[2] = {
        {sdShape_Box(0.3f, 0.1f, 0.1f), {{0.0f, 0.0f, -0.3f}, sdQuat_Identity()}},
        {sdShape_Box(0.3f, 0.1f, 0.1f), {{0.0f, 0.0f, 0.3f}, sdQuat_Identity()}}};
    sdCompound *a = NULL, *b = NULL;
    REQUIRE(sdCompound_Create(NULL, ground, 2, &a) == SD_OK);
    REQUIRE(sdCompound_Create(NULL, sledge, 2, &b) == SD_OK);
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.5, 0.0), sdQuat_Identity(),
                      smooth(sdShape_Compound(a)));
    sdBodyId body =
        TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.1, 0.0), smooth(sdShape_Compound(b)));
    sdVec3 v = {10.0f, 0.0f, 0.0f};
    CHECK_INT(sdBody_SetVelocity(world, body, v, sdV3(0.0f, 0.0f, 0.0f)), SD_OK);
    for (int i = 0; i < 100; ++i) {
        TestWorld_Run(world, 1);
        CHECK_NEAR(sdLength(sdSub(sdBody_GetVelocity(world, body), v)), 0.0, i < 20 ? 0.02 : 1e-3);
    }
    CHECK_NEAR(sdBody_GetCenter(world, body).y, 0.1, 1e-3);
    sdWorld_Destroy(world);
    sdCompound_Release(a);
    sdCompound_Release(b);
    sdMesh_Release(mesh);
}
