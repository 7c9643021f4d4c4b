// SPDX-License-Identifier: MIT
// snapshot_support.c - worlds that are stirred, for tests of going back in time.

#include "snapshot_support.h"

#include "sudar/query.h"
#include "sudar/snapshot.h"

#define MAX_BODIES 4096

// ---- shapes --------------------------------------------------------------------------------

/// A hull that nobody but the shape has a reference to.
static void addHull(sdWorld* world, sdBodyId body, TestRandom* random) {
    sdVec3 points[12];
    for (int i = 0; i < 12; ++i) {
        points[i] = sdScale(0.3f, TestRandom_OnSphere(random));
    }
    sdHullDef def = sdHullDef_Default();
    def.points = points;
    def.pointCount = 12;
    sdHull* hull = NULL;
    CHECK_INT(sdHull_Create(NULL, &def, &hull), SD_OK);
    sdShapeDef shape = sdShapeDef_Default(sdShape_Hull(hull));
    CHECK_INT(sdBody_AddShape(world, body, &shape, NULL), SD_OK);
    sdHull_Release(hull);
}

static void addCompound(sdWorld* world, sdBodyId body) {
    sdCompoundChild children[] = {
        {sdShape_Box(0.3f, 0.1f, 0.1f), TestAt(0.0f, 0.0f, 0.0f)},
        {sdShape_Sphere(0.2f), TestAt(0.3f, 0.0f, 0.0f)},
    };
    sdCompound* compound = NULL;
    CHECK_INT(sdCompound_Create(NULL, children, 2, &compound), SD_OK);
    sdShapeDef shape = sdShapeDef_Default(sdShape_Compound(compound));
    CHECK_INT(sdBody_AddShape(world, body, &shape, NULL), SD_OK);
    sdCompound_Release(compound);
}

static sdBodyId addBody(sdWorld* world, TestRandom* random, sdPos position) {
    sdBodyDef def = sdBodyDef_Default();
    def.type = SD_BODY_DYNAMIC;
    def.position = position;
    def.rotation = TestRandom_Rotation(random);
    sdBodyId body = SD_NULL_BODY;
    CHECK_INT(sdBody_Create(world, &def, &body), SD_OK);
    switch (TestRandom_Int(random, 3)) {
        case 0:
            addHull(world, body, random);
            break;
        case 1:
            addCompound(world, body);
            break;
        default: {
            sdShapeDef box = sdShapeDef_Default(sdShape_Box(0.2f, 0.15f, 0.25f));
            CHECK_INT(sdBody_AddShape(world, body, &box, NULL), SD_OK);
        }
    }
    return body;
}

static void addFloor(sdWorld* world) {
    enum { SIDE = 13 };
    sdVec3 vertices[SIDE * SIDE];
    int32_t triangles[(SIDE - 1) * (SIDE - 1) * 6];
    int count = 0;
    for (int i = 0; i < SIDE * SIDE; ++i) {
        int x = i % SIDE, z = i / SIDE;
        vertices[i] = sdV3((float)(x - 6), 0.05f * (float)((x * 5 + z * 3) % 4), (float)(z - 6));
    }
    for (int z = 0; z + 1 < SIDE; ++z) {
        for (int x = 0; x + 1 < SIDE; ++x) {
            int32_t a = z * SIDE + x, b = a + 1, c = a + SIDE, d = c + 1;
            const int32_t both[6] = {a, c, d, a, d, b};
            for (int k = 0; k < 6; ++k) {
                triangles[count++] = both[k];
            }
        }
    }
    sdMeshDef def = sdMeshDef_Default();
    def.data = (sdMeshData){vertices, SIDE * SIDE, triangles, count / 3};
    sdMesh* mesh = NULL;
    CHECK_INT(sdMesh_Create(NULL, &def, &mesh), SD_OK);
    TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), sdQuat_Identity(),
                      sdShapeDef_Default(sdShape_Mesh(mesh)));
    sdMesh_Release(mesh);
}

static void addChain(sdWorld* world) {
    sdBodyId last = TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(-2.0, 3.0, 0.0),
                                      sdQuat_Identity(), TestWorld_BoxOf(0.1f));
    for (int i = 0; i < 8; ++i) {
        double x = -2.0 + 0.4 * (i + 1);
        sdBodyId link = TestWorld_AddDynamic(world, sdPos_Make(x, 3.0, 0.0),
                                             sdShapeDef_Default(sdShape_Box(0.15f, 0.05f, 0.05f)));
        sdJointDef def = sdJointDef_Make(i == 4 ? SD_JOINT_HINGE : SD_JOINT_BALL, last, link);
        CHECK_INT(
            sdJointDef_Place(world, &def, sdPos_Make(x - 0.2, 3.0, 0.0), sdV3(0.0f, 0.0f, 1.0f)),
            SD_OK);
        def.maxForce = i == 6 ? 300.0f : def.maxForce;
        sdJointId joint;
        CHECK_INT(sdJoint_Create(world, &def, &joint), SD_OK);
        last = link;
    }
}

void TestYard_Build(sdWorld* world) {
    TestRandom random = TestRandom_Make(77);
    addFloor(world);
    addChain(world);
    sdShapeDef sensor = sdShapeDef_Default(sdShape_Box(1.0f, 1.0f, 1.0f));
    sensor.isSensor = true;
    TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.0, 1.0, 0.0), sdQuat_Identity(), sensor);
    for (int i = 0; i < 16; ++i) {
        addBody(world, &random, sdPos_Make(i % 4 - 1.5, 1.0 + i / 4, 0.3 * (i % 3)));
    }
}

// ---- stir ----------------------------------------------------------------------------------

static void change(sdWorld* world, sdBodyId body, TestRandom* random) {
    switch (TestRandom_Int(random, 7)) {
        case 0:
            sdBody_SetType(world, body,
                           sdBody_GetType(world, body) == SD_BODY_DYNAMIC ? SD_BODY_KINEMATIC
                                                                          : SD_BODY_DYNAMIC);
            break;
        case 1:
            sdBody_SetEnabled(world, body, !sdBody_IsEnabled(world, body));
            break;
        case 2:
            sdBody_SetAwake(world, body, !sdBody_IsAwake(world, body));
            break;
        case 3:
            sdWorld_SetGravity(world, sdV3(TestRandom_Float(random, -1.0f, 1.0f), -9.81f, 0.0f));
            break;
        case 4: {
            sdShapeId shape = SD_NULL_SHAPE;
            if (sdBody_GetShapes(world, body, &shape, 1) > 0) {
                sdShapeId_SetFilter(world, shape, sdFilter_Default());
            }
            break;
        }
        case 5: {
            sdJointId joint;
            if (sdWorld_GetJoints(world, &joint, 1) > 0) {
                sdJoint_Destroy(world, joint);
            }
            break;
        }
        default:
            sdBody_ApplyForceToCenter(world, body, TestRandom_InBox(random, 500.0f));
    }
}

void TestWorld_Stir(sdWorld* world, int step) {
    static sdBodyId bodies[MAX_BODIES];
    TestRandom random = TestRandom_Make(1000u + (uint64_t)step);
    int count = sdMinI(sdWorld_GetBodies(world, bodies, MAX_BODIES), MAX_BODIES);
    sdBodyId body = bodies[TestRandom_Int(&random, count)];
    bool isStatic = sdBody_GetType(world, body) == SD_BODY_STATIC;
    if (step % 3 == 0 && !isStatic) {
        sdVec3 kick = TestRandom_InBox(&random, 2.0f);
        sdBody_SetVelocity(world, body, kick, TestRandom_InBox(&random, 5.0f));
    }
    if (step % 4 == 1) {
        sdVec3 p = TestRandom_InBox(&random, 1.5f);
        addBody(world, &random, sdPos_Make((double)p.x, (double)p.y + 4.0, (double)p.z));
    }
    if (step % 4 == 3 && !isStatic) {
        CHECK_INT(sdBody_Destroy(world, body), SD_OK);
        return;
    }
    if (step % 5 == 2 && !isStatic) {
        change(world, body, &random);
    }
}

uint64_t TestWorld_Fingerprint(const sdWorld* world) {
    static sdBodyId bodies[MAX_BODIES];
    uint64_t hash = sdWorld_GetHash(world);
    int count = sdMinI(sdWorld_GetBodies(world, bodies, MAX_BODIES), MAX_BODIES);
    hash = TestHash(hash, bodies, (size_t)count * sizeof *bodies);
    for (int i = 0; i < count; ++i) {
        uint8_t isAwake = sdBody_IsAwake(world, bodies[i]) ? 1 : 0;
        hash = TestHash(hash, &isAwake, 1);
    }
    sdWorldEvents events = sdWorld_GetEvents(world);
    const sdContactEvent* lists[] = {events.begin, events.end, events.sensorBegin,
                                     events.sensorEnd};
    const int counts[] = {events.beginCount, events.endCount, events.sensorBeginCount,
                          events.sensorEndCount};
    for (int i = 0; i < 4; ++i) {
        hash = TestHash(hash, &counts[i], sizeof counts[i]);
        hash = TestHash(hash, lists[i], (size_t)counts[i] * sizeof *lists[i]);
    }
    hash = TestHash(hash, &events.hitCount, sizeof events.hitCount);
    hash = TestHash(hash, events.hits, (size_t)events.hitCount * sizeof *events.hits);
    int brokenCount;
    const sdJointId* broken = sdWorld_GetBrokenJoints(world, &brokenCount);
    hash = TestHash(hash, broken, (size_t)brokenCount * sizeof *broken);
    sdWorldStats stats = sdWorld_GetStats(world);
    const int numbers[] = {stats.pairCount, stats.contactCount, stats.islandCount, stats.shapeCount,
                           stats.jointCount};
    hash = TestHash(hash, numbers, sizeof numbers);
    double time = sdWorld_GetTime(world);
    return TestHash(hash, &time, sizeof time);
}

uint64_t TestWorld_StirredStep(sdWorld* world, int step) {
    TestWorld_Stir(world, step);
    CHECK_INT(sdWorld_Step(world, DT), SD_OK);
    return TestWorld_Fingerprint(world);
}

// ---- worlds from outside -------------------------------------------------------------------

static void checkContacts(const sdWorld* world) {
    static sdContactInfo contacts[MAX_BODIES];
    int count = sdMinI(sdWorld_GetContacts(world, contacts, MAX_BODIES), MAX_BODIES);
    for (int i = 0; i < count; ++i) {
        CHECK(sdVec3_IsFinite(contacts[i].normal));
        for (int k = 0; k < contacts[i].pointCount; ++k) {
            const sdContactPoint* point = &contacts[i].points[k];
            CHECK(sdPos_IsFinite(point->position) && sdIsFinite(point->separation) &&
                  sdIsFinite(point->normalImpulse) && sdVec3_IsFinite(point->tangentImpulse));
        }
    }
}

/// Step, and look whether all that can be read is finite.
static void stepFinitely(sdWorld* world) {
    static sdBodyId bodies[MAX_BODIES];
    static sdJointId joints[MAX_BODIES];
    CHECK_INT(sdWorld_Step(world, DT), SD_OK);
    int count = sdMinI(sdWorld_GetBodies(world, bodies, MAX_BODIES), MAX_BODIES);
    for (int i = 0; i < count; ++i) {
        sdWorldTransform xf = sdBody_GetTransform(world, bodies[i]);
        CHECK(sdPos_IsFinite(xf.p) && sdQuat_IsFinite(xf.q) &&
              sdVec3_IsFinite(sdBody_GetVelocity(world, bodies[i])) &&
              sdVec3_IsFinite(sdBody_GetAngularVelocity(world, bodies[i])));
    }
    count = sdMinI(sdWorld_GetJoints(world, joints, MAX_BODIES), MAX_BODIES);
    for (int i = 0; i < count; ++i) {
        CHECK(sdVec3_IsFinite(sdJoint_GetForce(world, joints[i])) &&
              sdVec3_IsFinite(sdJoint_GetTorque(world, joints[i])));
    }
    checkContacts(world);
}

static void ask(const sdWorld* world) {
    sdQueryHit hits[16];
    int count;
    sdRay ray = {.origin = sdPos_Make(0.3, 9.0, 0.2), .translation = sdV3(0.0f, -20.0f, 0.1f)};
    CHECK_INT(sdWorld_RaycastAll(world, &ray, NULL, hits, 16, &count), SD_OK);
    for (int i = 0; i < sdMinI(count, 16); ++i) {
        CHECK(sdPos_IsFinite(hits[i].point) && sdVec3_IsFinite(hits[i].normal));
    }
    sdWorldBox box = sdWorldBox_Make(sdPos_Make(-2.0, -1.0, -2.0), sdPos_Make(2.0, 3.0, 2.0));
    CHECK_INT(sdWorld_OverlapBoxAll(world, box, NULL, hits, 16, &count), SD_OK);
    CHECK_INT(sdWorld_FindNearest(world, sdPos_Make(0.0, 2.0, 0.0), 5.0f, NULL, hits), SD_OK);
}

/// What a world says of itself is taken, whatever it has come from.
static void sendBack(sdWorld* world) {
    static sdShape objects[MAX_BODIES];
    sdSnapshot *saved = NULL, *copy = NULL;
    CHECK_INT(sdSnapshot_Create(NULL, &saved), SD_OK);
    CHECK_INT(sdSnapshot_Create(NULL, &copy), SD_OK);
    CHECK_INT(sdWorld_Save(world, saved), SD_OK);
    uint64_t print = TestWorld_Fingerprint(world);
    size_t size;
    const void* bytes = sdSnapshot_GetBytes(saved, &size);
    int count = sdSnapshot_GetObjects(saved, objects, MAX_BODIES);
    CHECK_INT(sdSnapshot_SetBytes(copy, bytes, size, objects, count), SD_OK);
    stepFinitely(world);
    CHECK_INT(sdWorld_Restore(world, copy), SD_OK);
    CHECK(TestWorld_Fingerprint(world) == print);
    sdSnapshot_Destroy(saved);
    sdSnapshot_Destroy(copy);
}

void TestWorld_LiveOn(sdWorld* world) {
    static sdBodyId bodies[MAX_BODIES];
    TestRandom random = TestRandom_Make(5);
    ask(world);
    for (int i = 0; i < 3; ++i) {
        stepFinitely(world);
    }
    ask(world);
    sendBack(world);
    int count = sdMinI(sdWorld_GetBodies(world, bodies, MAX_BODIES), MAX_BODIES);
    for (int i = 0; i < count; i += 2) {
        CHECK_INT(sdBody_Destroy(world, bodies[i]), SD_OK);
    }
    for (int i = 0; i < 3; ++i) {
        addBody(world, &random, sdPos_Make(0.4 * i, 1.5, 0.0));
    }
    stepFinitely(world);
    sdJointId joint;
    while (sdWorld_GetJoints(world, &joint, 1) > 0) {
        CHECK_INT(sdJoint_Destroy(world, joint), SD_OK);
    }
    count = sdMinI(sdWorld_GetBodies(world, bodies, MAX_BODIES), MAX_BODIES);
    for (int i = 0; i < count; ++i) {
        CHECK_INT(sdBody_Destroy(world, bodies[i]), SD_OK);
    }
    stepFinitely(world);
    addBody(world, &random, sdPos_Make(0.0, 1.0, 0.0));
    stepFinitely(world);
}
