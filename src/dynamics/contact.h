// SPDX-License-Identifier: MIT
// contact.h - where shapes touch.

#ifndef SD_DYNAMICS_CONTACT_H
#define SD_DYNAMICS_CONTACT_H

#include "dynamics/step.h"

/// Patches that a contact of a mesh or compound has at most.
#define SD_MAX_PATCHES 256

/// Find where the pairs of the list touch. In parallel; makes and changes contacts only.
/// @return SD_ERROR_OUT_OF_MEMORY: some contacts are as they were
sdResult sdStep_CollideContacts(sdStep* step);

/// Note what began and ended, in the order of the pairs, and wake what was touched.
sdResult sdStep_PublishContacts(sdStep* step);

/// List the contacts of all active pairs anew: there are more of them since something woke.
sdResult sdStep_ListContacts(sdStep* step);

/// Find the points of a contact where its bodies stand now.
/// @param pair of the contact, or a copy; told how far apart the two are when there are none
/// @param dt for which to look ahead at the bodies' velocities
/// @return false when memory is short; the contact is as it was
bool sdContact_Collide(const sdWorld* world, sdContact* contact, sdShapePair* pair, float dt);

/// What two materials become where they meet.
sdMaterial sdWorld_MixMaterials(const sdWorld* world, const sdFixture* a, const sdFixture* b);

/// The contacts of a body begin anew: what was about them is gone.
void sdWorld_ForgetImpulses(sdWorld* world, int body);

/// An end event for the next step, of a pair that is touching and about to go.
void sdWorld_NoteEnd(sdWorld* world, const sdShapePair* pair);
/// @return SD_ERROR_OUT_OF_MEMORY: the pair has none
sdResult sdWorld_CreateContact(sdWorld* world, int pair);
void sdWorld_DestroyContact(sdWorld* world, sdShapePair* pair);

static inline sdManyContact* sdContact_GetMany(sdContact* contact) {
    return (sdManyContact*)(void*)contact;
}

/// How many patches a contact has, with or without points.
static inline int sdContact_CountPatches(sdContact* contact, const sdShapePair* pair) {
    bool isMany = (pair->flags & SD_PAIR_MANY) != 0;
    return isMany ? sdContact_GetMany(contact)->patches.count : contact->patch.pointCount > 0;
}

static inline sdPatch* sdContact_GetPatch(sdContact* contact, const sdShapePair* pair, int index) {
    bool isMany = (pair->flags & SD_PAIR_MANY) != 0;
    return isMany ? &sdContact_GetMany(contact)->patches.data[index].patch : &contact->patch;
}

/// It begins anew: what was about it is gone.
static inline void sdPatch_Forget(sdPatch* patch) {
    for (int i = 0; i < patch->pointCount; ++i) {
        patch->points[i].impulse = patch->points[i].total = 0.0f;
    }
    patch->friction = patch->rolling = patch->frictionTotal = sdV3(0.0f, 0.0f, 0.0f);
    patch->blowSpeed = patch->blowImpulse = 0.0f;
    patch->blowState = 0;
}

/// A blow that the steps so far have not ended.
static inline bool sdPatch_IsUnderBlow(const sdPatch* patch) {
    return patch->blowImpulse > 0.0f && (patch->blowState & SD_BLOW_TOLD) == 0;
}

/// Add what a step gave to the blow that is under way, or forget it: it is over, or they have not
/// met yet.
static inline void sdPatch_NoteBlow(sdPatch* patch, float impulse) {
    if (patch->blowState == 0) {
        return;
    }
    bool isFast = (patch->blowState & SD_BLOW_FAST) != 0;
    if (isFast && (impulse > 0.0f || sdPatch_IsUnderBlow(patch))) {
        patch->blowImpulse += impulse;
        patch->blowState = (uint8_t)(patch->blowState + SD_BLOW_STEP);
    } else {
        patch->blowSpeed = patch->blowImpulse = 0.0f;
        patch->blowState = 0;
    }
}

/// Two bodies, and shape A's frame, from A's centre of mass.
typedef struct sdPatchFrame {
    const sdBody *a, *b;
    sdTransform xf;
    sdVec3 between; ///< from A's centre to B's
} sdPatchFrame;

/// Where the bodies stand now, with their velocities.
sdPatchFrame sdPatchFrame_Make(const sdWorld* world, int bodyA, int bodyB, int fixtureA);
/// m/s at which the bodies part at a point of a patch.
float sdPatchFrame_GetSpeed(const sdPatchFrame* frame, const sdPatch* patch, int point);

/// In shape A's frame.
static inline sdVec3 sdPatch_GetPointB(const sdPatch* patch, int index) {
    const sdPatchPoint* point = &patch->points[index];
    return sdMulAdd(point->pointA, point->separation, patch->normal);
}

/// Shape A's frame in its body's, with the origin at the centre of mass.
static inline sdTransform sdFixture_ToCenter(const sdBody* body, const sdFixture* fixture) {
    return sdTransform_Make(sdSub(fixture->def.xf.p, body->localCenter), fixture->def.xf.q);
}

/// What pulls a body, as an acceleration.
static inline sdVec3 sdBody_GetFall(const sdWorld* world, const sdBody* body) {
    float scale = body->type == SD_BODY_DYNAMIC ? body->gravityScale : 0.0f;
    return sdScale(scale, world->def.gravity);
}

/// Contacts ahead of the one at hand for which is asked: for their pairs, for all that they are
/// between, and for their patches, where there are many.
#define SD_PAIRS_AHEAD 24
#define SD_CONTACTS_AHEAD 14
#define SD_PATCHES_AHEAD 8

/// Ask for what a pair is between.
SD_PREFETCHING void sdShapePair_Prefetch(const sdWorld* world, const sdShapePair* pair) {
    sdWorld_PrefetchBody(world, pair->bodyA);
    sdWorld_PrefetchBody(world, pair->bodyB);
    sdWorld_PrefetchFixture(world, pair->fixtureA);
    sdWorld_PrefetchFixture(world, pair->fixtureB);
}

SD_PREFETCHING void sdStep_PrefetchContacts(const sdStep* step, int index, int end) {
    const sdWorld* world = step->world;
    if (index + SD_PAIRS_AHEAD < end) {
        sdPrefetch(&world->pairs.data[step->contacts[index + SD_PAIRS_AHEAD].pair], 1);
    }
    if (index + SD_CONTACTS_AHEAD < end) {
        const sdShapePair* pair =
            &world->pairs.data[step->contacts[index + SD_CONTACTS_AHEAD].pair];
        sdPrefetch(sdWorld_GetContact(world, pair),
                   sdContactStore_GetSize(sdShapePair_GetStore(pair)));
        sdShapePair_Prefetch(world, pair);
    }
    if (index + SD_PATCHES_AHEAD < end) {
        const sdShapePair* pair = &world->pairs.data[step->contacts[index + SD_PATCHES_AHEAD].pair];
        if ((pair->flags & SD_PAIR_MANY) != 0) {
            sdPrefetch(sdContact_GetMany(sdWorld_GetContact(world, pair))->patches.data,
                       sizeof(sdManyPatch));
        }
    }
}

/// What two shapes are to each other at the start of a step.
typedef struct sdApproach {
    const sdShape* a;
    const sdShape* b;
    sdTransform xfAB;
    float margin;
    float way;    ///< m by which points can come nearer within the step
    float radius; ///< of the smaller body that moves
} sdApproach;

// ---- near.c --------------------------------------------------------------------------------

/// Further than the margin, m, that shapes are looked at: they are left alone until they have come
/// that much nearer.
#define SD_LOOK_AHEAD 0.02f

/// List the contacts of the active pairs that are near, and make those that are missing.
sdResult sdStep_ListNear(sdStep* step);

sdApproach sdShapePair_GetApproach(const sdWorld* world, const sdShapePair* pair, float dt);

/// Points of two that hang on joints are seen from far off, and one such point would keep a set of
/// joints from making its step alone. So they are left alone where they stay apart in this step.
/// @return m that they must stay apart for that, by their velocities; FLT_MAX: none are left alone
float sdShapePair_GetIdleGap(const sdWorld* world, const sdShapePair* pair);

/// Where two convex shapes touch, by the algorithm that the world is set to.
/// @param cache may be NULL
static inline void sdApproach_Collide(const sdWorld* world, const sdApproach* approach,
                                      sdPairCache* cache, sdManifold* out) {
    float margin = approach->margin + SD_LOOK_AHEAD;
    if (world->def.narrowphase == SD_NARROWPHASE_AUTO) {
        sdCollide(approach->a, approach->b, approach->xfAB, margin, cache, out);
    } else {
        sdCollideBy(world->def.narrowphase, approach->a, approach->b, approach->xfAB, margin, cache,
                    out);
    }
}

/// Points that are further apart than the margin are of no use now, but tell for how long.
/// @return a distance that the shapes have at least; 0 when there are points within the margin
float sdManifold_GetDistance(const sdManifold* manifold, float margin);

// ---- contact_concave.c ---------------------------------------------------------------------

/// Where a pair of which one at least is a mesh that may move touches. Notes how far apart the two
/// are when they do not.
/// @param out room for SD_TOUCH_MAX_PATCHES
int sdContact_CollideConcave(const sdWorld* world, const sdManyContact* contact, sdShapePair* pair,
                             const sdApproach* approach, float dt, sdManifold* out);

#endif
