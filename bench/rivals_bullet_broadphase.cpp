// SPDX-License-Identifier: MIT
// rivals_bullet_broadphase.cpp - Debian's Bullet: btDbvtBroadphase and btAxisSweep3, used as its
// world uses them: setAabb for every body, then calculateOverlappingPairs.
//
// New and lost pairs come through the callback that ghost objects use. btDbvtBroadphase grows boxes
// that leave their leaf by gDbvtMargin, and drops a part of the pairs that are none any more in
// each step; btAxisSweep3 has no margin.

#include "rivals_broadphase.h"

#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <btBulletCollisionCommon.h>

#include <memory>
#include <vector>

namespace {

struct Listener : btOverlappingPairCallback {
    long long added = 0, lost = 0;

    btBroadphasePair* addOverlappingPair(btBroadphaseProxy*, btBroadphaseProxy*) override {
        ++added;
        return nullptr;
    }
    void* removeOverlappingPair(btBroadphaseProxy*, btBroadphaseProxy*, btDispatcher*) override {
        ++lost;
        return nullptr;
    }
    void removeOverlappingPairsContainingProxy(btBroadphaseProxy*, btDispatcher*) override {
    }
};

struct Phase {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    Listener listener;
    std::unique_ptr<btBroadphaseInterface> broadphase;
    std::vector<btBroadphaseProxy*> proxies;

    ~Phase() {
        broadphase->getOverlappingPairCache()->setInternalGhostPairCallback(nullptr);
        // one by one takes minutes where there are many
        if (dynamic_cast<btDbvtBroadphase*>(broadphase.get()) != nullptr) {
            for (btBroadphaseProxy* proxy : proxies) {
                broadphase->destroyProxy(proxy, &dispatcher);
            }
        }
    }
};

const float* boxOf(const rivalBoxes* boxes, int i) {
    return boxes->floats + 8 * i;
}

void step(void* self, const rivalBoxes* boxes, rivalCounts* counts) {
    Phase& phase = *static_cast<Phase*>(self);
    gDbvtMargin = boxes->margin;
    phase.listener.added = 0;
    phase.listener.lost = 0;
    for (int i = 0; i < boxes->count; ++i) {
        const float* b = boxOf(boxes, i);
        phase.broadphase->setAabb(phase.proxies[static_cast<size_t>(i)],
                                  btVector3(b[0], b[1], b[2]), btVector3(b[4], b[5], b[6]),
                                  &phase.dispatcher);
    }
    phase.broadphase->calculateOverlappingPairs(&phase.dispatcher);
    if (counts != nullptr) {
        counts->pairs = phase.broadphase->getOverlappingPairCache()->getNumOverlappingPairs();
        counts->added = phase.listener.added;
        counts->lost = phase.listener.lost;
    }
}

void* fill(std::unique_ptr<Phase> phase, const rivalBoxes* boxes) {
    phase->broadphase->getOverlappingPairCache()->setInternalGhostPairCallback(&phase->listener);
    for (int i = 0; i < boxes->count; ++i) {
        const float* b = boxOf(boxes, i);
        phase->proxies.push_back(phase->broadphase->createProxy(
            btVector3(b[0], b[1], b[2]), btVector3(b[4], b[5], b[6]), BOX_SHAPE_PROXYTYPE, nullptr,
            btBroadphaseProxy::DefaultFilter, btBroadphaseProxy::AllFilter, &phase->dispatcher));
    }
    phase->broadphase->calculateOverlappingPairs(&phase->dispatcher);
    return phase.release();
}

void* createDbvt(const rivalBoxes* boxes) {
    auto phase = std::make_unique<Phase>();
    phase->broadphase = std::make_unique<btDbvtBroadphase>();
    return fill(std::move(phase), boxes);
}

void* createSweep(const rivalBoxes* boxes) {
    auto phase = std::make_unique<Phase>();
    const float h = boxes->worldHalfExtent;
    const btVector3 lower(-h, -h, -h), upper(h, h, h);
    // without the tree that it keeps beside its axes for rays only
    if (boxes->count < 16384) {
        phase->broadphase = std::make_unique<btAxisSweep3>(
            lower, upper, static_cast<unsigned short>(boxes->count + 1), nullptr, true);
    } else {
        phase->broadphase = std::make_unique<bt32BitAxisSweep3>(
            lower, upper, static_cast<unsigned>(boxes->count + 1), nullptr, true);
    }
    return fill(std::move(phase), boxes);
}

void destroy(void* self) {
    delete static_cast<Phase*>(self);
}

} // namespace

const rivalPhase rivalBulletDbvt = {"btDbvt", createDbvt, step, destroy};
const rivalPhase rivalBulletSweep = {"btSweep", createSweep, step, destroy};
