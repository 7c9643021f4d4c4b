// SPDX-License-Identifier: MIT
// contact_concave.c - contacts of meshes that may move: how far to look, and what is remembered.
//
// In:   a pair, how its bodies move, its patches of the step before.
// Out:  manifolds, or how far apart the two are.
// Note: the margin goes by the size of the bodies, because they may be of a centimetre, and has all
//       that they can move within the step: points of many normals must be seen before they touch.

#include "dynamics/contact.h"

#include "narrow/collide_concave.h"

/// Part of a body's radius that the margin of a mesh that may move is at most.
#define CONCAVE_MARGIN 0.01f
/// Part of it up to which fast motion makes that more.
#define CONCAVE_REACH 16.0f
/// Shapes that did not touch are looked at a part of their radius further than the margin.
#define CONCAVE_LOOK_AHEAD 0.1f

/// What the pair's last answer was.
static sdMeetingMemory rememberPatches(const sdManyContact* contact) {
    sdMeetingMemory memory = {.normalCount = sdMinI(contact->patches.count, SD_TOUCH_MAX_PATCHES)};
    for (int i = 0; i < memory.normalCount; ++i) {
        const sdPatch* patch = &contact->patches.data[i].patch;
        memory.normals[i] = patch->normal;
        for (int j = 0; j < patch->pointCount; ++j) {
            int k = memory.pointCount++;
            memory.ids[k] = patch->points[j].id;
            memory.points[k] = patch->points[j].pointA;
            memory.separations[k] = contact->patches.data[i].found[j];
            memory.normalOf[k] = (uint8_t)i;
        }
    }
    return memory;
}

/// How B's shape moves against A's within the step, in A's frame.
static void findMotion(const sdWorld* world, const sdShapePair* pair, float dt,
                       sdMeetingMemory* memory) {
    const sdBody* a = &world->bodies.data[pair->bodyA];
    const sdBody* b = &world->bodies.data[pair->bodyB];
    sdTransform localA = sdFixture_ToCenter(a, &world->fixtures.data[pair->fixtureA]);
    sdTransform localB = sdFixture_ToCenter(b, &world->fixtures.data[pair->fixtureB]);
    sdVec3 armB = sdRotate(b->rotation, localB.p);
    sdVec3 armA = sdAdd(sdPos_Sub(b->center, a->center), armB);
    sdVec3 velocityA = sdAdd(a->velocity, sdCross(a->angularVelocity, armA));
    sdVec3 velocityB = sdAdd(b->velocity, sdCross(b->angularVelocity, armB));
    sdVec3 spin = sdSub(b->angularVelocity, a->angularVelocity);
    sdQuat turn = sdMulQ(a->rotation, localA.q);
    memory->motion = sdScale(dt, sdInvRotate(turn, sdSub(velocityB, velocityA)));
    memory->rotation = sdScale(dt, sdInvRotate(turn, spin));
}

int sdContact_CollideConcave(const sdWorld* world, const sdManyContact* contact, sdShapePair* pair,
                             const sdApproach* approach, float dt, sdManifold* out) {
    sdMeetingMemory memory = rememberPatches(contact);
    memory.change = sdMulXf(approach->xfAB, sdInvertXf(contact->pose));
    findMotion(world, pair, dt, &memory);
    // small bodies fall a good part of their size within a step
    float fall = sdLength(world->def.gravity) * dt * dt;
    memory.way = sdMinF(approach->way + fall, CONCAVE_REACH * approach->radius);
    float near = sdMinF(SD_SPECULATIVE_MARGIN, CONCAVE_MARGIN * approach->radius);
    float margin = near + memory.way;
    if (contact->patches.count == 0) {
        float reach = margin + CONCAVE_LOOK_AHEAD * approach->radius;
        float distance = sdConcave_Distance(approach->a, approach->b, approach->xfAB, reach);
        if (distance > margin) {
            // pairs are left alone while they are further apart than the margin of all others and
            // what they move: this one has another margin
            pair->distance = distance - near - fall + SD_SPECULATIVE_MARGIN;
            return 0;
        }
    }
    return sdConcave_Collide(approach->a, approach->b, approach->xfAB, margin, &memory, out,
                             SD_TOUCH_MAX_PATCHES);
}
