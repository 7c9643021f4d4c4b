// SPDX-License-Identifier: MIT
// rivals_bullet.cpp - Debian's Bullet: btGjkEpaSolver2 for overlap, distance and depth; the
// algorithms of its dispatcher (two boxes by separating axes, hulls by GJK and clipping) for
// manifolds.
//
// Shapes have no margin: the same bodies as everybody's. What Bullet remembers of a pair is the
// guess that its solver takes, and its persistent manifold.

#include "rivals.h"

#include <BulletCollision/CollisionDispatch/btCollisionObjectWrapper.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpa2.h>
#include <btBulletCollisionCommon.h>

#include <memory>
#include <vector>

namespace {

struct Bullet {
    const rivalScene* scene;
    std::vector<std::unique_ptr<btConvexInternalShape>> shapes;
    btAlignedObjectArray<btTransform> poses;
    btAlignedObjectArray<btVector3> guesses;

    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    std::vector<std::unique_ptr<btCollisionObject>> objectsA, objectsB; ///< by shape
    std::vector<btCollisionAlgorithm*> algorithms;                      ///< by pair
    std::vector<btPersistentManifold*> manifolds;                       ///< by pair

    ~Bullet() {
        for (btCollisionAlgorithm* algorithm : algorithms) {
            algorithm->~btCollisionAlgorithm();
            dispatcher.freeCollisionAlgorithm(algorithm);
        }
    }
};

void setNormal(rivalAnswer& answer, const btVector3& normal) {
    for (int k = 0; k < 3; ++k) {
        answer.normal[k] = normal[k];
    }
}

/// Its normals point from B to A.
void askSolver(const btConvexShape& a, const btConvexShape& b, const btTransform& pose,
               rivalQuery query, btVector3* guess, rivalAnswer& answer) {
    btGjkEpaSolver2::sResults result;
    const btTransform& identity = btTransform::getIdentity();
    bool isKnown = guess != nullptr && !guess->isZero();
    btVector3 start = isKnown ? *guess : -pose.getOrigin();
    if (query == RIVAL_DEPTH) {
        answer.isOverlapping = btGjkEpaSolver2::Penetration(&a, identity, &b, pose, start, result);
        if (answer.isOverlapping) {
            answer.separation = result.distance;
            setNormal(answer, -result.normal);
        }
        answer.isFailed = result.status == btGjkEpaSolver2::sResults::EPA_Failed;
    } else {
        answer.isOverlapping = !btGjkEpaSolver2::Distance(&a, identity, &b, pose, start, result);
        if (!answer.isOverlapping && query == RIVAL_DISTANCE) {
            answer.separation = result.distance;
            setNormal(answer, -result.normal);
        }
    }
    if (guess != nullptr) {
        btVector3 apart = result.witnesses[0] - result.witnesses[1];
        *guess = answer.isOverlapping || apart.fuzzyZero() ? start : apart;
    }
}

struct Wrapped : btCollisionObjectWrapper {
    explicit Wrapped(const btCollisionObject& object)
        : btCollisionObjectWrapper(nullptr, object.getCollisionShape(), &object,
                                   object.getWorldTransform(), -1, -1) {
    }
};

void collide(Bullet& self, int pair, const btTransform& pose, bool isCached, rivalAnswer& answer) {
    static const btDispatcherInfo info;
    const size_t index = static_cast<size_t>(pair);
    btCollisionObject& a = *self.objectsA[static_cast<size_t>(self.scene->pairs[pair][0])];
    btCollisionObject& b = *self.objectsB[static_cast<size_t>(self.scene->pairs[pair][1])];
    b.setWorldTransform(pose);
    btPersistentManifold& manifold = *self.manifolds[index];
    if (!isCached) {
        manifold.clearManifold();
    }
    Wrapped wrapA(a), wrapB(b);
    btManifoldResult result(&wrapA, &wrapB);
    self.algorithms[index]->processCollision(&wrapA, &wrapB, info, &result);
    answer.pointCount = manifold.getNumContacts();
    for (int i = 0; i < manifold.getNumContacts(); ++i) {
        const btManifoldPoint& point = manifold.getContactPoint(i);
        if (i == 0 || point.getDistance() < answer.separation) {
            answer.separation = point.getDistance();
            setNormal(answer, -point.m_normalWorldOnB);
        }
    }
    answer.isOverlapping = answer.pointCount > 0 && answer.separation <= 0.0f;
}

/// One algorithm for each pair, as in a world; some make their manifold when they first run.
void makeAlgorithms(Bullet& self) {
    for (int i = 0; i < self.scene->pairCount; ++i) {
        const btCollisionObject& a = *self.objectsA[static_cast<size_t>(self.scene->pairs[i][0])];
        const btCollisionObject& b = *self.objectsB[static_cast<size_t>(self.scene->pairs[i][1])];
        Wrapped wrapA(a), wrapB(b);
        btCollisionAlgorithm* algorithm =
            self.dispatcher.findAlgorithm(&wrapA, &wrapB, nullptr, BT_CONTACT_POINT_ALGORITHMS);
        btManifoldResult result(&wrapA, &wrapB);
        algorithm->processCollision(&wrapA, &wrapB, btDispatcherInfo(), &result);
        btManifoldArray manifolds;
        algorithm->getAllContactManifolds(manifolds);
        self.algorithms.push_back(algorithm);
        self.manifolds.push_back(manifolds[0]);
        manifolds[0]->clearManifold();
    }
}

void run(void* self, rivalQuery query, rivalRange range, bool isCached, rivalAnswer* answers) {
    Bullet& bullet = *static_cast<Bullet*>(self);
    const rivalScene& scene = *bullet.scene;
    if (query == RIVAL_MANIFOLD && bullet.algorithms.empty()) {
        makeAlgorithms(bullet);
    }
    for (int i = range.first; i < range.end; ++i) {
        const btTransform& pose = bullet.poses[range.frame * scene.pairCount + i];
        rivalAnswer answer = {};
        if (query == RIVAL_MANIFOLD) {
            collide(bullet, i, pose, isCached, answer);
        } else {
            const btConvexShape& a = *bullet.shapes[static_cast<size_t>(scene.pairs[i][0])];
            const btConvexShape& b = *bullet.shapes[static_cast<size_t>(scene.pairs[i][1])];
            askSolver(a, b, pose, query, isCached ? &bullet.guesses[i] : nullptr, answer);
        }
        answers[i] = answer;
    }
}

std::unique_ptr<btConvexInternalShape> makeShape(const rivalShape& from, bool isBox) {
    std::unique_ptr<btConvexInternalShape> shape;
    if (isBox) {
        const float* h = from.halfExtents;
        auto box = std::make_unique<btBoxShape>(btVector3(h[0], h[1], h[2]));
        box->setMargin(0.0f);
        shape = std::move(box);
    } else {
        auto hull = std::make_unique<btConvexHullShape>();
        for (int i = 0; i < from.vertexCount; ++i) {
            const float* v = &from.vertices[3 * i];
            hull->addPoint(btVector3(v[0], v[1], v[2]), false);
        }
        hull->recalcLocalAabb();
        hull->setMargin(0.0f);
        hull->initializePolyhedralFeatures(); // without them it has one contact point, not clipping
        shape = std::move(hull);
    }
    return shape;
}

void forget(void* self) {
    Bullet& bullet = *static_cast<Bullet*>(self);
    for (int i = 0; i < bullet.guesses.size(); ++i) {
        bullet.guesses[i].setZero();
    }
    for (btPersistentManifold* manifold : bullet.manifolds) {
        manifold->clearManifold();
    }
}

void* create(const rivalScene* scene) {
    auto bullet = std::make_unique<Bullet>();
    bullet->scene = scene;
    for (int i = 0; i < scene->shapeCount; ++i) {
        bullet->shapes.push_back(makeShape(scene->shapes[i], scene->isBox));
        for (auto* objects : {&bullet->objectsA, &bullet->objectsB}) {
            objects->push_back(std::make_unique<btCollisionObject>());
            objects->back()->setCollisionShape(bullet->shapes.back().get());
            objects->back()->setWorldTransform(btTransform::getIdentity());
        }
    }
    for (int i = 0; i < scene->frameCount * scene->pairCount; ++i) {
        const float* p = scene->poses[i].position;
        const float* q = scene->poses[i].rotation;
        bullet->poses.push_back(
            btTransform(btQuaternion(q[0], q[1], q[2], q[3]), btVector3(p[0], p[1], p[2])));
    }
    bullet->guesses.resize(scene->pairCount, btVector3(0.0f, 0.0f, 0.0f));
    return bullet.release();
}

void destroy(void* self) {
    delete static_cast<Bullet*>(self);
}

bool can(rivalQuery query, bool isBox, bool isCached) {
    (void)isBox, (void)isCached;
    return query != RIVAL_NEAR;
}

} // namespace

const rivalMethod rivalBullet = {"Bullet", 3.0, can, create, destroy, forget, run};
