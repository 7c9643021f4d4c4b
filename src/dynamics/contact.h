// SPDX-License-Identifier: MIT
// contact.h - where shapes touch.

#ifndef SD_DYNAMICS_CONTACT_H
#define SD_DYNAMICS_CONTACT_H

#include "dynamics/step.h"

/// Find where the pairs of the list touch. In parallel; makes and changes contacts only.
/// @return SD_ERROR_OUT_OF_MEMORY: some contacts are as they were
sdResult sdStep_CollideContacts(sdStep* step);

/// Note what began and ended, in the order of the pairs, and wake what was touched.
sdResult sdStep_PublishContacts(sdStep* step);

/// List the contacts of all active pairs anew: there are more of them since something woke.
sdResult sdStep_ListContacts(sdStep* step);

/// What two materials become where they meet, into the contact.
void sdWorld_MixMaterials(const sdWorld* world, int fixtureA, int fixtureB, sdContact* contact);

/// Combine the materials of all contacts of a body anew.
void sdWorld_RefreshMaterials(sdWorld* world, int body);

/// An end event for the next step, of a pair that is touching and about to go.
void sdWorld_NoteEnd(sdWorld* world, const sdShapePair* pair);
void sdWorld_DestroyContact(sdWorld* world, int contact);

/// The patches of a contact.
static inline sdPatch* sdContact_GetPatches(sdContact* contact, const sdShapePair* pair) {
    return (pair->flags & SD_PAIR_MANY) != 0 ? contact->many.data : &contact->patch;
}

/// Shape A's frame in its body's, with the origin at the centre of mass.
static inline sdTransform sdFixture_ToCenter(const sdBody* body, const sdFixture* fixture) {
    return sdTransform_Make(sdSub(fixture->def.xf.p, body->localCenter), fixture->def.xf.q);
}

#endif
