// SPDX-License-Identifier: MIT
// rivals_fcl.cpp - Debian's FCL: fcl::collide and fcl::distance with its default solver, over
// libccd; and its own solver ("indep"), the only one that can start from a cached guess, called
// directly, because fcl::distance does not pass guesses on.
//
// Boxes are fcl::Box (FCL meets two of them by separating axes and clipping), hulls fcl::Convex,
// which climbs from neighbour to neighbour. Results are reused, so that they need not allocate.

#include "rivals.h"

#include <fcl/fcl.h>
#include <fcl/narrowphase/detail/gjk_solver_indep.h>

#include <cmath>
#include <exception>
#include <memory>
#include <vector>

namespace {

using Vec = fcl::Vector3d;
using Pose = fcl::Transform3d;
using Solver = fcl::detail::GJKSolver_indep<double>;

struct Fcl {
    const rivalScene* scene;
    std::vector<std::unique_ptr<fcl::Boxd>> boxes;
    std::vector<std::unique_ptr<fcl::Convexd>> hulls;
    std::vector<const fcl::CollisionGeometryd*> geometries; ///< either of them
    std::vector<Pose, Eigen::aligned_allocator<Pose>> poses;
    std::vector<Vec> guesses;
    std::vector<fcl::ContactPointd> contacts;
};

void setNormal(rivalAnswer& answer, const Vec& normal) {
    for (int k = 0; k < 3; ++k) {
        answer.normal[k] = static_cast<float>(normal[k]);
    }
}

/// The public way.
struct Public {
    fcl::CollisionRequestd yesNo;
    fcl::CollisionRequestd contacts;
    fcl::DistanceRequestd nearest;
    fcl::CollisionResultd collision;
    fcl::DistanceResultd distance;

    explicit Public(rivalQuery query)
        : yesNo(), contacts(query == RIVAL_MANIFOLD ? 4 : 1, true), nearest(true) {
    }

    void ask(const fcl::CollisionGeometryd& a, const fcl::CollisionGeometryd& b, const Pose& pose,
             rivalQuery query, rivalAnswer& answer) {
        static const Pose identity = Pose::Identity();
        if (query == RIVAL_DISTANCE) {
            distance.clear();
            fcl::distance(&a, identity, &b, pose, nearest, distance);
            answer.isOverlapping = distance.min_distance <= 0.0;
            if (!answer.isOverlapping) {
                answer.separation = static_cast<float>(distance.min_distance);
                const Vec* p = distance.nearest_points;
                setNormal(answer, (p[1] - p[0]).normalized());
            }
            return;
        }
        collision.clear();
        fcl::collide(&a, identity, &b, pose, query == RIVAL_OVERLAP ? yesNo : contacts, collision);
        answer.isOverlapping = collision.isCollision();
        if (query == RIVAL_OVERLAP) {
            return;
        }
        answer.pointCount = static_cast<int>(collision.numContacts());
        double depth = 0.0;
        for (size_t i = 0; i < collision.numContacts(); ++i) {
            const fcl::Contactd& contact = collision.getContact(i);
            if (contact.penetration_depth >= depth) {
                depth = contact.penetration_depth;
                setNormal(answer, contact.normal);
            }
        }
        answer.separation = static_cast<float>(-depth);
    }
};

void runPublic(void* self, rivalQuery query, rivalRange range, bool isCached,
               rivalAnswer* answers) {
    (void)isCached;
    const Fcl& fcl = *static_cast<Fcl*>(self);
    const rivalScene& scene = *fcl.scene;
    Public interface(query);
    for (int i = range.first; i < range.end; ++i) {
        const size_t a = static_cast<size_t>(scene.pairs[i][0]);
        const size_t b = static_cast<size_t>(scene.pairs[i][1]);
        const Pose& pose = fcl.poses[static_cast<size_t>(range.frame * scene.pairCount + i)];
        rivalAnswer answer = {};
        try {
            interface.ask(*fcl.geometries[a], *fcl.geometries[b], pose, query, answer);
        } catch (const std::exception&) {
            answer = {};
            answer.isFailed = true;
        }
        answers[i] = answer;
    }
}

// ---- its own solver ------------------------------------------------------------------------

template <class Shape>
void ask(Fcl& self, const Solver& solver, const Shape& a, const Shape& b, const Pose& pose,
         rivalQuery query, rivalAnswer& answer) {
    static const Pose identity = Pose::Identity();
    if (query == RIVAL_OVERLAP) {
        answer.isOverlapping = solver.shapeIntersect(a, identity, b, pose);
    } else if (query == RIVAL_DISTANCE) {
        double distance = 0.0;
        Vec p = Vec::Zero(), q = Vec::Zero();
        answer.isOverlapping = !solver.shapeDistance(a, identity, b, pose, &distance, &p, &q);
        if (!answer.isOverlapping) {
            answer.separation = static_cast<float>(distance);
            setNormal(answer, (q - p).normalized());
        }
    } else {
        self.contacts.clear();
        answer.isOverlapping = solver.shapeIntersect(a, identity, b, pose, &self.contacts);
        answer.pointCount = static_cast<int>(self.contacts.size());
        double depth = 0.0;
        for (const fcl::ContactPointd& contact : self.contacts) {
            depth = std::abs(contact.penetration_depth); // this solver has it negative
            setNormal(answer, contact.normal);
        }
        answer.separation = static_cast<float>(-depth);
    }
}

template <class Shape>
void runAll(Fcl& self, const std::vector<std::unique_ptr<Shape>>& shapes, rivalQuery query,
            rivalRange range, bool isCached, rivalAnswer* answers) {
    const rivalScene& scene = *self.scene;
    Solver solver;
    solver.enableCachedGuess(isCached);
    for (int i = range.first; i < range.end; ++i) {
        const Shape& a = *shapes[static_cast<size_t>(scene.pairs[i][0])];
        const Shape& b = *shapes[static_cast<size_t>(scene.pairs[i][1])];
        const size_t pair = static_cast<size_t>(i);
        const Pose& pose = self.poses[static_cast<size_t>(range.frame * scene.pairCount) + pair];
        rivalAnswer answer = {};
        if (isCached) {
            solver.setCachedGuess(self.guesses[pair]);
        }
        try {
            ask(self, solver, a, b, pose, query, answer);
        } catch (const std::exception&) {
            answer = {};
            answer.isFailed = true;
        }
        if (isCached) {
            self.guesses[pair] = solver.getCachedGuess();
        }
        answers[i] = answer;
    }
}

void runIndep(void* self, rivalQuery query, rivalRange range, bool isCached, rivalAnswer* answers) {
    Fcl& fcl = *static_cast<Fcl*>(self);
    if (fcl.scene->isBox) {
        runAll(fcl, fcl.boxes, query, range, isCached, answers);
    } else {
        runAll(fcl, fcl.hulls, query, range, isCached, answers);
    }
}

std::unique_ptr<fcl::Convexd> makeHull(const rivalShape& shape) {
    auto vertices = std::make_shared<std::vector<Vec>>();
    auto faces = std::make_shared<std::vector<int>>();
    for (int i = 0; i < shape.vertexCount; ++i) {
        const float* v = &shape.vertices[3 * i];
        vertices->emplace_back(v[0], v[1], v[2]);
    }
    const int* from = shape.faces;
    for (int i = 0; i < shape.faceCount; ++i) {
        faces->insert(faces->end(), from, from + 1 + *from);
        from += 1 + *from;
    }
    return std::make_unique<fcl::Convexd>(vertices, shape.faceCount, faces);
}

void forget(void* self) {
    Fcl& fcl = *static_cast<Fcl*>(self);
    for (Vec& guess : fcl.guesses) {
        guess = Vec::UnitX();
    }
}

void* create(const rivalScene* scene) {
    auto fcl = std::make_unique<Fcl>();
    fcl->scene = scene;
    for (int i = 0; i < scene->shapeCount; ++i) {
        const rivalShape& shape = scene->shapes[i];
        if (scene->isBox) {
            const float* h = shape.halfExtents;
            fcl->boxes.push_back(std::make_unique<fcl::Boxd>(2.0 * h[0], 2.0 * h[1], 2.0 * h[2]));
            fcl->geometries.push_back(fcl->boxes.back().get());
        } else {
            fcl->hulls.push_back(makeHull(shape));
            fcl->geometries.push_back(fcl->hulls.back().get());
        }
    }
    for (int i = 0; i < scene->frameCount * scene->pairCount; ++i) {
        const rivalPose& from = scene->poses[i];
        const float* q = from.rotation;
        Pose pose = Pose::Identity();
        pose.linear() = Eigen::Quaterniond(q[3], q[0], q[1], q[2]).normalized().toRotationMatrix();
        pose.translation() = Vec(from.position[0], from.position[1], from.position[2]);
        fcl->poses.push_back(pose);
    }
    fcl->guesses.resize(static_cast<size_t>(scene->pairCount));
    forget(fcl.get());
    return fcl.release();
}

void destroy(void* self) {
    delete static_cast<Fcl*>(self);
}

/// Clipping only between boxes; libccd's GJK takes no guess.
bool can(rivalQuery query, bool isBox, bool isCached) {
    return !isCached && (query < RIVAL_MANIFOLD || (query == RIVAL_MANIFOLD && isBox));
}

/// Boxes overlap without GJK.
bool canIndep(rivalQuery query, bool isBox, bool isCached) {
    return isCached && (query == RIVAL_DISTANCE || (query < RIVAL_MANIFOLD && !isBox));
}

} // namespace

const rivalMethod rivalFcl = {"FCL", 3.0, can, create, destroy, forget, runPublic};
const rivalMethod rivalFclIndep = {"FCL indep", 3.0, canIndep, create, destroy, forget, runIndep};
