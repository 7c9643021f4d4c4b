// SPDX-License-Identifier: MIT
// rivals_bullet_world.cpp - Debian's Bullet: btDiscreteDynamicsWorld as it comes.
//
// Its friction of a pair is the product of both, ours the geometric mean: it gets square roots.
// Boxes, cylinders and capsules keep its margin, which is inside; hulls, cones and meshes, where it
// comes on top, have a small one, so that bodies are as large as everybody's. Meshes that may move
// are of its GImpact, shared by bodies as our fields are.

#include "rivals_world.h"

#include "sudar/joint.h"

#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <vector>

namespace {

constexpr float OUTER_MARGIN = 0.005f; // m

struct Bullet {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::vector<std::unique_ptr<btTriangleMesh>> meshes;
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::map<const sdMesh*, btCollisionShape*> moving; ///< meshes that may move
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<sdTransform> frames;
    std::vector<std::unique_ptr<btTypedConstraint>> joints;
    float dt = 0.0f;

    ~Bullet() {
        for (auto& joint : joints) {
            world.removeConstraint(joint.get());
        }
        for (auto& body : bodies) {
            world.removeRigidBody(body.get());
        }
    }

    template <class Shape> Shape* keep(std::unique_ptr<Shape> shape) {
        Shape* r = shape.get();
        shapes.push_back(std::move(shape));
        return r;
    }
};

btVector3 toBullet(sdVec3 v) {
    return {v.x, v.y, v.z};
}

btQuaternion toBullet(sdQuat q) {
    return {q.v.x, q.v.y, q.v.z, q.s};
}

btTransform toBullet(sdTransform xf) {
    return btTransform(toBullet(xf.q), toBullet(xf.p));
}

btCollisionShape* makeHull(Bullet& self, const sdHull* from, sdTransform xf) {
    auto hull = std::make_unique<btConvexHullShape>();
    int count = 0;
    const sdVec3* vertices = sdHull_GetVertices(from, &count);
    for (int i = 0; i < count; ++i) {
        hull->addPoint(toBullet(sdTransformPoint(xf, vertices[i])), false);
    }
    hull->recalcLocalAabb();
    hull->setMargin(OUTER_MARGIN);
    return self.keep(std::move(hull));
}

std::unique_ptr<btTriangleMesh> makeTriangles(const sdMesh* from, sdTransform xf) {
    auto mesh = std::make_unique<btTriangleMesh>();
    sdMeshData data = sdMesh_GetData(from);
    for (int i = 0; i < data.triangleCount; ++i) {
        btVector3 corners[3];
        for (int k = 0; k < 3; ++k) {
            corners[k] = toBullet(sdTransformPoint(xf, data.vertices[data.triangles[3 * i + k]]));
        }
        mesh->addTriangle(corners[0], corners[1], corners[2]);
    }
    return mesh;
}

btCollisionShape* makeMovingMesh(Bullet& self, const sdMesh* from, sdTransform xf) {
    btCollisionShape*& known = self.moving[from];
    if (known == nullptr) {
        auto mesh = makeTriangles(from, xf);
        auto shape = std::make_unique<btGImpactMeshShape>(mesh.get());
        shape->setMargin(OUTER_MARGIN);
        shape->updateBound();
        self.meshes.push_back(std::move(mesh));
        known = self.keep(std::move(shape));
    }
    return known;
}

btCollisionShape* makeMesh(Bullet& self, const sdMesh* from) {
    auto mesh = makeTriangles(from, sdTransform_Identity());
    auto shape = std::make_unique<btBvhTriangleMeshShape>(mesh.get(), true);
    shape->setMargin(OUTER_MARGIN);
    self.meshes.push_back(std::move(mesh));
    return self.keep(std::move(shape));
}

/// NULL for what it lacks.
btCollisionShape* makePrimitive(Bullet& self, const sdShape& from) {
    switch (from.type) {
        case SD_SHAPE_SPHERE:
            return self.keep(std::make_unique<btSphereShape>(from.sphere.radius));
        case SD_SHAPE_CAPSULE:
            return self.keep(std::make_unique<btCapsuleShape>(from.capsule.radius,
                                                              2.0f * from.capsule.halfLength));
        case SD_SHAPE_BOX:
            return self.keep(std::make_unique<btBoxShape>(toBullet(from.box.halfExtents)));
        case SD_SHAPE_CYLINDER:
            return self.keep(std::make_unique<btCylinderShape>(
                btVector3(from.cylinder.radius, from.cylinder.halfHeight, from.cylinder.radius)));
        case SD_SHAPE_CONE: {
            btConeShape* cone = self.keep(
                std::make_unique<btConeShape>(from.cone.radius, 2.0f * from.cone.halfHeight));
            cone->setMargin(OUTER_MARGIN);
            return cone;
        }
        case SD_SHAPE_MESH:
            return makeMesh(self, from.mesh);
        default:
            return nullptr;
    }
}

btCollisionShape* makeShape(Bullet& self, const rivalBody& body) {
    const sdShape& first = body.shapes[0]->shape;
    if (body.shapeCount == 1 && first.type == SD_SHAPE_HULL) {
        return makeHull(self, first.hull, body.shapeXf[0]);
    }
    if (body.shapeCount == 1 && first.concave != nullptr) {
        return makeMovingMesh(self, first.mesh, body.shapeXf[0]);
    }
    if (body.shapeCount == 1 && rivalTransform_IsIdentity(body.shapeXf[0])) {
        return makePrimitive(self, first);
    }
    btCompoundShape* compound = self.keep(std::make_unique<btCompoundShape>());
    for (int i = 0; i < body.shapeCount; ++i) {
        const sdShape& from = body.shapes[i]->shape;
        bool isHull = from.type == SD_SHAPE_HULL;
        btCollisionShape* child =
            isHull ? makeHull(self, from.hull, sdTransform_Identity()) : makePrimitive(self, from);
        if (child == nullptr) {
            return nullptr;
        }
        compound->addChildShape(toBullet(body.shapeXf[i]), child);
    }
    return compound;
}

void addBody(Bullet& self, const rivalBody& body, btCollisionShape* shape) {
    bool isDynamic = body.type == SD_BODY_DYNAMIC;
    btRigidBody::btRigidBodyConstructionInfo info(isDynamic ? body.mass : 0.0f, nullptr, shape,
                                                  isDynamic ? toBullet(body.moments)
                                                            : btVector3(0.0f, 0.0f, 0.0f));
    sdVec3 p = sdPos_Sub(body.pose.p, sdPos_Make(0.0, 0.0, 0.0));
    info.m_startWorldTransform = btTransform(toBullet(body.pose.q), toBullet(p));
    info.m_friction = std::sqrt(body.shapes[0]->material.slidingFriction);
    info.m_restitution = body.shapes[0]->material.restitution;
    auto rigid = std::make_unique<btRigidBody>(info);
    rigid->setLinearVelocity(toBullet(body.velocity));
    rigid->setAngularVelocity(toBullet(body.angularVelocity));
    if (isDynamic) {
        rigid->setActivationState(DISABLE_DEACTIVATION);
    }
    if (body.isBullet) {
        // what its manual and examples say: a ball inside of the body, once it goes as far as that
        btVector3 center;
        float radius = 0.0f;
        shape->getBoundingSphere(center, radius);
        rigid->setCcdMotionThreshold(radius);
        rigid->setCcdSweptSphereRadius(0.8f * radius);
    }
    self.world.addRigidBody(rigid.get());
    self.bodies.push_back(std::move(rigid));
    self.frames.push_back(body.frame);
}

/// Balls with and without cones, and hinges.
bool addJoint(Bullet& self, const rivalWorldScene* scene, const sdJointDef& def) {
    size_t a = static_cast<size_t>(rivalScene_FindBody(scene, def.bodyA));
    size_t b = static_cast<size_t>(rivalScene_FindBody(scene, def.bodyB));
    sdTransform frameA = sdInvMulXf(self.frames[a], def.frameA);
    sdTransform frameB = sdInvMulXf(self.frames[b], def.frameB);
    const sdJointAxis& turn = def.axes[SD_AXIS_TURN_X];
    std::unique_ptr<btTypedConstraint> joint;
    if (def.type == SD_JOINT_BALL && def.coneAngle < 3.14f) {
        auto cone = std::make_unique<btConeTwistConstraint>(*self.bodies[a], *self.bodies[b],
                                                            toBullet(frameA), toBullet(frameB));
        cone->setLimit(def.coneAngle, def.coneAngle, turn.upper);
        joint = std::move(cone);
    } else if (def.type == SD_JOINT_BALL) {
        joint = std::make_unique<btPoint2PointConstraint>(*self.bodies[a], *self.bodies[b],
                                                          toBullet(frameA.p), toBullet(frameB.p));
    } else if (def.type == SD_JOINT_HINGE) {
        // its hinges turn about z
        sdQuat toX = sdQuat_Between(sdV3(0.0f, 0.0f, 1.0f), sdV3(1.0f, 0.0f, 0.0f));
        frameA.q = sdMulQ(frameA.q, toX);
        frameB.q = sdMulQ(frameB.q, toX);
        auto hinge = std::make_unique<btHingeConstraint>(*self.bodies[a], *self.bodies[b],
                                                         toBullet(frameA), toBullet(frameB));
        if (turn.mode == SD_AXIS_LIMITED) {
            hinge->setLimit(turn.lower, turn.upper);
        }
        joint = std::move(hinge);
    } else {
        return false;
    }
    self.world.addConstraint(joint.get(), !def.collideConnected);
    self.joints.push_back(std::move(joint));
    return true;
}

void* create(const rivalWorldScene* scene, char* why) {
    auto self = std::make_unique<Bullet>();
    self->dt = scene->dt;
    btGImpactCollisionAlgorithm::registerAlgorithm(&self->dispatcher);
    self->world.setGravity(toBullet(sdWorld_GetDef(scene->world).gravity));
    for (int i = 0; i < scene->bodyCount; ++i) {
        rivalBody body;
        btCollisionShape* shape = nullptr;
        if (rivalBody_Get(scene->world, scene->bodies[i], &body)) {
            shape = makeShape(*self, body);
        }
        if (shape == nullptr) {
            std::snprintf(why, RIVAL_WHY_SIZE, "has no such shape");
            return nullptr;
        }
        addBody(*self, body, shape);
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
    Bullet& bullet = *static_cast<Bullet*>(self);
    bullet.world.stepSimulation(bullet.dt, 0);
}

void getPoses(void* self, sdWorldTransform* poses) {
    const Bullet& bullet = *static_cast<Bullet*>(self);
    for (size_t i = 0; i < bullet.bodies.size(); ++i) {
        const btTransform& xf = bullet.bodies[i]->getWorldTransform();
        const btVector3& p = xf.getOrigin();
        btQuaternion q = xf.getRotation();
        sdWorldTransform pose = {{p.x(), p.y(), p.z()}, {{q.x(), q.y(), q.z()}, q.w()}};
        poses[i] = rivalBody_ToOrigin(pose, bullet.frames[i]);
    }
}

void getVelocities(void* self, sdVec3* velocities, sdVec3* angular) {
    const Bullet& bullet = *static_cast<Bullet*>(self);
    for (size_t i = 0; i < bullet.bodies.size(); ++i) {
        const btVector3& v = bullet.bodies[i]->getLinearVelocity();
        const btVector3& w = bullet.bodies[i]->getAngularVelocity();
        velocities[i] = sdV3(float(v.x()), float(v.y()), float(v.z()));
        angular[i] = sdV3(float(w.x()), float(w.y()), float(w.z()));
    }
}

void addForce(void* self, int body, sdVec3 force) {
    static_cast<Bullet*>(self)->bodies[static_cast<size_t>(body)]->applyCentralForce(
        toBullet(force));
}

void destroy(void* self) {
    delete static_cast<Bullet*>(self);
}

} // namespace

const rivalEngine rivalBulletWorld = {"Bullet", "10 iterations, btDbvtBroadphase",
                                      create,   step,
                                      getPoses, nullptr,
                                      destroy,  getVelocities,
                                      addForce};

void rivalBullet_Raycast(void* self, const sdRay* rays, int count, float* fractions) {
    Bullet& bullet = *static_cast<Bullet*>(self);
    // as good a tree as it can make
    bullet.broadphase.optimize();
    for (int i = 0; i < count; ++i) {
        sdVec3 origin = sdPos_Sub(rays[i].origin, sdPos_Make(0.0, 0.0, 0.0));
        btVector3 from = toBullet(origin), to = toBullet(sdAdd(origin, rays[i].translation));
        btCollisionWorld::ClosestRayResultCallback nearest(from, to);
        bullet.world.rayTest(from, to, nearest);
        fractions[i] = nearest.hasHit() ? nearest.m_closestHitFraction : 1.0f;
    }
}
