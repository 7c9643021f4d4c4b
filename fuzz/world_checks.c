// SPDX-License-Identifier: MIT
// world_checks.c - what must be true of a world between any two calls. See world.h.

#include "world.h"

#include "sudar/debug.h"

#include <math.h>

/// Room for all that the calls make, and more.
#define MAX_COUNT 512
/// Contacts and joints of the last sub-step act on what was stopped at the limit before.
#define MAX_SPEED (2.0f * SD_MAX_SPEED)

static void checkBody(const sdWorld* world, sdBodyId body) {
    CHECK(sdBody_IsValid(world, body));
    sdWorldTransform xf = sdBody_GetTransform(world, body);
    CHECK(sdPos_IsFinite(xf.p) && sdPos_IsFinite(sdBody_GetCenter(world, body)));
    CHECK(fabsf(sdDotQ(xf.q, xf.q) - 1.0f) < 1e-3f);
    sdVec3 velocity = sdBody_GetVelocity(world, body);
    sdVec3 angular = sdBody_GetAngularVelocity(world, body);
    CHECK(sdVec3_IsFinite(velocity) && sdVec3_IsFinite(angular));
    CHECK(sdLength(velocity) <= MAX_SPEED);
    CHECK(sdLength(angular) <= MAX_SPEED);
    sdMassProps mass = sdBody_GetMass(world, body);
    CHECK(sdIsFinite(mass.mass) && mass.mass >= 0.0f);
    bool isDynamic = sdBody_GetType(world, body) == SD_BODY_DYNAMIC;
    CHECK(isDynamic == (mass.mass > 0.0f));
    CHECK(sdBody_GetType(world, body) != SD_BODY_STATIC || sdLength(velocity) == 0.0f);

    sdVec3 at = sdBody_GetVelocityAt(world, body, sdBody_GetCenter(world, body));
    sdVec3 down = {0.0f, -1.0f, 0.0f};
    CHECK(sdVec3_IsFinite(at) && sdVec3_IsFinite(sdBody_GetLocalPoint(world, body, xf.p)));
    CHECK(
        Fuzz_IsUnit(sdBody_GetWorldVector(world, body, sdBody_GetLocalVector(world, body, down))));

    sdShapeId shapes[MAX_COUNT];
    int count = sdBody_GetShapes(world, body, shapes, MAX_COUNT);
    CHECK(count <= MAX_COUNT);
    for (int i = 0; i < count; ++i) {
        sdAABB fat = sdShapeId_GetFatBox(world, shapes[i]);
        CHECK(fat.lower.x <= fat.upper.x && fat.lower.y <= fat.upper.y);
        CHECK(sdShapeId_IsValid(world, shapes[i]));
        CHECK(sdShapeId_GetBody(world, shapes[i]) == body);
        CHECK(sdShapeId_GetDef(world, shapes[i]) != NULL);
    }
}

static void checkJoint(const sdWorld* world, sdJointId joint) {
    CHECK(sdJoint_IsValid(world, joint));
    const sdJointDef* def = sdJoint_GetDef(world, joint);
    CHECK(def != NULL && sdBody_IsValid(world, def->bodyA) && sdBody_IsValid(world, def->bodyB));
    CHECK(sdVec3_IsFinite(sdJoint_GetForce(world, joint)));
    CHECK(sdVec3_IsFinite(sdJoint_GetTorque(world, joint)));
    float angle;
    CHECK(sdIsFinite(sdJoint_GetError(world, joint, &angle)) && sdIsFinite(angle));
    for (int i = 0; i < SD_AXIS_COUNT; ++i) {
        CHECK(sdIsFinite(sdJoint_GetPlace(world, joint, (sdAxis)i)));
        CHECK(sdIsFinite(sdJoint_GetSpeed(world, joint, (sdAxis)i)));
    }
}

static int checkContacts(const sdWorld* world) {
    static sdContactInfo contacts[MAX_COUNT];
    int count = sdWorld_GetContacts(world, contacts, MAX_COUNT);
    for (int i = 0; i < sdMinI(count, MAX_COUNT); ++i) {
        const sdContactInfo* c = &contacts[i];
        CHECK(sdShapeId_IsValid(world, c->shapeA) && sdShapeId_IsValid(world, c->shapeB));
        CHECK(Fuzz_IsUnit(c->normal));
        CHECK(c->pointCount > 0 && c->pointCount <= SD_MANIFOLD_MAX_POINTS);
        for (int k = 0; k < c->pointCount; ++k) {
            const sdContactPoint* p = &c->points[k];
            CHECK(sdPos_IsFinite(p->position) && sdIsFinite(p->separation));
            CHECK(sdIsFinite(p->normalImpulse) && p->normalImpulse >= 0.0f);
            CHECK(sdVec3_IsFinite(p->tangentImpulse));
        }
    }
    return count;
}

static void checkEvents(const sdWorld* world) {
    sdWorldEvents events = sdWorld_GetEvents(world);
    for (int i = 0; i < events.beginCount; ++i) {
        CHECK(events.begin[i].shapeA != events.begin[i].shapeB);
    }
    for (int i = 0; i < events.hitCount; ++i) {
        CHECK(Fuzz_IsUnit(events.hits[i].normal) && sdIsFinite(events.hits[i].speed));
        CHECK(sdIsFinite(events.hits[i].impulse) && events.hits[i].impulse >= 0.0f);
        CHECK(sdPos_IsFinite(events.hits[i].point));
    }
    int broken;
    const sdJointId* joints = sdWorld_GetBrokenJoints(world, &broken);
    for (int i = 0; i < broken; ++i) {
        CHECK(!sdJoint_IsValid(world, joints[i]));
    }
}

void FuzzWorld_Check(FuzzWorld* w) {
    const sdWorld* world = w->world;
    sdWorldStats stats = sdWorld_GetStats(world);
    sdBodyId bodies[MAX_COUNT];
    int count = sdWorld_GetBodies(world, bodies, MAX_COUNT), shapes = 0, awake = 0;
    CHECK_INT(count, stats.bodyCount);
    CHECK(count <= MAX_COUNT);
    for (int i = 0; i < count; ++i) {
        checkBody(world, bodies[i]);
        shapes += sdBody_GetShapes(world, bodies[i], NULL, 0);
        awake += sdBody_IsAwake(world, bodies[i]);
    }
    CHECK_INT(shapes, stats.shapeCount);
    sdJointId joints[MAX_COUNT];
    count = sdWorld_GetJoints(world, joints, MAX_COUNT);
    CHECK_INT(count, stats.jointCount);
    for (int i = 0; i < count; ++i) {
        checkJoint(world, joints[i]);
    }
    w->hash = FuzzHash_Int(FuzzHash_Int(w->hash, checkContacts(world)), awake);
    checkEvents(world);
    sdEnergy energy = sdWorld_GetEnergy(world);
    CHECK(isfinite(energy.kinetic) && isfinite(energy.potential) && energy.kinetic >= 0.0);
    int levels[MAX_COUNT];
    CHECK_INT(sdWorld_FindLevels(world, levels, MAX_COUNT), SD_OK);
}
