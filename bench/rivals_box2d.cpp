// SPDX-License-Identifier: MIT
// rivals_box2d.cpp - Debian's Box2D: bodies of a plane z = const, with 8 velocity and 3 position
// iterations, as its manual says.
//
// It gets the mass and the moment about z that a body has in space. Circles and boxes.

#include "rivals_planar.h"

#include <box2d/box2d.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

struct Box2d {
    b2World world;
    std::vector<b2Body*> bodies;
    std::vector<sdWorldTransform> starts;
    float dt = 0.0f;

    explicit Box2d(sdVec3 gravity) : world(b2Vec2(gravity.x, gravity.y)) {
    }
};

bool addShape(b2Body* body, const sdShapeDef& def) {
    b2CircleShape circle;
    b2PolygonShape polygon;
    b2FixtureDef fixture;
    fixture.friction = def.material.slidingFriction;
    fixture.restitution = def.material.restitution;
    fixture.density = 1.0f;
    if (def.shape.type == SD_SHAPE_SPHERE) {
        circle.m_radius = def.shape.sphere.radius;
        fixture.shape = &circle;
    } else if (def.shape.type == SD_SHAPE_BOX) {
        polygon.SetAsBox(def.shape.box.halfExtents.x, def.shape.box.halfExtents.y);
        fixture.shape = &polygon;
    } else {
        return false;
    }
    body->CreateFixture(&fixture);
    return true;
}

bool addBody(Box2d& self, const rivalBody& from) {
    b2BodyDef def;
    def.type = from.type == SD_BODY_DYNAMIC ? b2_dynamicBody : b2_staticBody;
    def.position.Set(float(from.pose.p.x), float(from.pose.p.y));
    def.angle = rivalPlanar_GetAngle(from.pose.q);
    def.linearVelocity.Set(from.velocity.x, from.velocity.y);
    def.angularVelocity = from.angularVelocity.z;
    b2Body* body = self.world.CreateBody(&def);
    if (!rivalTransform_IsIdentity(from.shapeXf[0]) || from.shapeCount != 1 ||
        !addShape(body, *from.shapes[0])) {
        return false;
    }
    if (from.type == SD_BODY_DYNAMIC) {
        b2MassData mass;
        mass.mass = from.mass;
        mass.center.SetZero();
        mass.I = from.moments.z;
        body->SetMassData(&mass);
    }
    self.bodies.push_back(body);
    self.starts.push_back(from.pose);
    return true;
}

bool addJoint(Box2d& self, const rivalWorldScene* scene, const sdJointDef& def) {
    if (def.type != SD_JOINT_HINGE) {
        return false;
    }
    size_t a = static_cast<size_t>(rivalScene_FindBody(scene, def.bodyA));
    size_t b = static_cast<size_t>(rivalScene_FindBody(scene, def.bodyB));
    b2RevoluteJointDef joint;
    joint.bodyA = self.bodies[a];
    joint.bodyB = self.bodies[b];
    joint.localAnchorA.Set(def.frameA.p.x, def.frameA.p.y);
    joint.localAnchorB.Set(def.frameB.p.x, def.frameB.p.y);
    joint.collideConnected = def.collideConnected;
    self.world.CreateJoint(&joint);
    return true;
}

void* create(const rivalWorldScene* scene, char* why) {
    auto self = std::make_unique<Box2d>(sdWorld_GetDef(scene->world).gravity);
    self->dt = scene->dt;
    self->world.SetAllowSleeping(false);
    for (int i = 0; i < scene->bodyCount; ++i) {
        rivalBody body;
        if (!rivalBody_Get(scene->world, scene->bodies[i], &body) || !addBody(*self, body)) {
            std::snprintf(why, RIVAL_WHY_SIZE, "has no such shape");
            return nullptr;
        }
    }
    std::vector<sdJointId> ids(static_cast<size_t>(sdWorld_GetJoints(scene->world, nullptr, 0)));
    sdWorld_GetJoints(scene->world, ids.data(), static_cast<int>(ids.size()));
    for (sdJointId id : ids) {
        if (!addJoint(*self, scene, *sdJoint_GetDef(scene->world, id))) {
            std::snprintf(why, RIVAL_WHY_SIZE, "has no such joint");
            return nullptr;
        }
    }
    return self.release();
}

void step(void* self) {
    Box2d& box2d = *static_cast<Box2d*>(self);
    box2d.world.Step(box2d.dt, 8, 3);
}

void getPoses(void* self, sdWorldTransform* poses) {
    const Box2d& box2d = *static_cast<Box2d*>(self);
    for (size_t i = 0; i < box2d.bodies.size(); ++i) {
        b2Vec2 p = box2d.bodies[i]->GetPosition();
        poses[i] = rivalPlanar_MakePose(box2d.starts[i], double(p.x), double(p.y),
                                        box2d.bodies[i]->GetAngle());
    }
}

void destroy(void* self) {
    delete static_cast<Box2d*>(self);
}

} // namespace

const rivalEngine rivalBox2d = {"Box2D",  "8 velocity and 3 position iterations",
                                create,   step,
                                getPoses, nullptr,
                                destroy,  nullptr,
                                nullptr};
