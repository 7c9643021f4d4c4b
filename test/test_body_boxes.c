// SPDX-License-Identifier: MIT
// test_body_boxes.c - boxes of eight bodies at a time against those of one.

#include "dynamics/body_boxes.h"
#include "support.h"

#define BODY_COUNT 300

static sdShape makeShape(TestRandom* random) {
    float a = TestRandom_Float(random, 0.05f, 1.0f), b = TestRandom_Float(random, 0.05f, 1.0f);
    switch (TestRandom_Int(random, 5)) {
        case 0:
            return sdShape_Sphere(a);
        case 1:
        case 2:
            return sdShape_Capsule(a, b);
        case 3:
            return sdShape_Cylinder(a, b);
        default:
            return sdShape_Box(a, b, 0.1f);
    }
}

/// Anywhere, from slow to faster than contacts can see; some hang on joints, some have two shapes.
static void addBody(sdWorld* world, TestRandom* random, sdBodyId* last) {
    sdBodyDef def = sdBodyDef_Default();
    float far = TestRandom_Int(random, 4) == 0 ? 1e7f : 50.0f;
    float speed = TestRandom_Float(random, 0.0f, 1.0f);
    speed = 300.0f * speed * speed * speed;
    def.type = SD_BODY_DYNAMIC;
    def.position = sdPos_Add(sdPos_Make(0.0, 0.0, 0.0), TestRandom_InBox(random, far));
    def.rotation = TestRandom_Rotation(random);
    def.velocity = sdScale(speed, TestRandom_OnSphere(random));
    def.angularVelocity = sdScale(speed, TestRandom_InBall(random));
    def.isBullet = TestRandom_Int(random, 8) == 0;
    sdBodyId body;
    REQUIRE(sdBody_Create(world, &def, &body) == SD_OK);
    for (int count = TestRandom_Int(random, 6) == 0 ? 2 : 1; count > 0; --count) {
        sdShapeDef shape = sdShapeDef_Default(makeShape(random));
        shape.xf = sdTransform_Make(TestRandom_InBox(random, 0.5f), TestRandom_Rotation(random));
        REQUIRE(sdBody_AddShape(world, body, &shape, NULL) == SD_OK);
    }
    if (*last != SD_NULL_BODY && TestRandom_Int(random, 3) == 0) {
        sdJointDef joint = sdJointDef_Make(SD_JOINT_MOTOR, *last, body);
        sdJointId id;
        REQUIRE(sdJoint_Create(world, &joint, &id) == SD_OK);
    }
    *last = body;
}

static bool areSame(const sdWorldBox* a, const sdWorldBox* b) {
    return a->lower.x == b->lower.x && a->lower.y == b->lower.y && a->lower.z == b->lower.z &&
           a->upper.x == b->upper.x && a->upper.y == b->upper.y && a->upper.z == b->upper.z;
}

SD_TEST(body_boxes_of_eight_are_those_of_one) {
    TestRandom random = TestRandom_Make(77);
    int laneCount = 0, wrongCount = 0;
    for (int k = 0; k < 4; ++k) {
        sdWorldDef def = sdWorldDef_Default();
        def.enableContinuous = k % 2 == 0;
        sdWorld* world = NULL;
        REQUIRE(sdWorld_Create(NULL, &def, &world) == SD_OK);
        sdBodyId last = SD_NULL_BODY;
        for (int i = 0; i < BODY_COUNT; ++i) {
            addBody(world, &random, &last);
        }
        for (int step = 0; step < 3; ++step) {
            REQUIRE(sdWorld_Step(world, 1.0f / 60.0f) == SD_OK);
            for (int i = 0; i < world->bodyList.count; ++i) {
                int index = world->bodyList.data[i];
                const sdBody* body = &world->bodies.data[index];
                laneCount += sdBodyBoxes_IsFor(world, index) ? 1 : 0;
                for (int j = body->firstShape; j != SD_NULL_INDEX;
                     j = world->fixtures.data[j].next) {
                    sdWorldBox box =
                        sdFixture_GetBox(world, body, &world->fixtures.data[j], world->lastDt);
                    wrongCount += areSame(&box, &world->boxes.data[j]) ? 0 : 1;
                }
            }
        }
        sdWorld_Destroy(world);
    }
    sdTest_Print("%d boxes, %d differ", laneCount, wrongCount);
    CHECK(laneCount > 4 * 3 * BODY_COUNT / 2);
    CHECK_INT(wrongCount, 0);
}
