// SPDX-License-Identifier: MIT
// contact.h - pairs of shapes that are near each other, and where they touch.

#ifndef SD_DYNAMICS_CONTACT_H
#define SD_DYNAMICS_CONTACT_H

#include "dynamics/world.h"

/// Take new pairs from the broad phase and give up lost ones.
sdResult sdWorld_UpdatePairs(sdWorld* world);

/// Find where the active contacts of the list touch. In parallel; changes nothing but contacts.
/// @return SD_ERROR_OUT_OF_MEMORY: some contacts are as they were
sdResult sdWorld_CollideContacts(sdWorld* world, float dt);

/// Note what began and ended, in order, and wake what was touched.
sdResult sdWorld_PublishContacts(sdWorld* world);

/// Combine the materials of all contacts of a body anew.
void sdWorld_RefreshMaterials(sdWorld* world, int body);

/// When it was touching, its bodies wake and an end event is noted for the next step.
void sdWorld_DestroyContact(sdWorld* world, int contact);
void sdWorld_DestroyContactsOf(sdWorld* world, int fixture);

/// The patches of a contact.
static inline sdPatch* sdContact_GetPatches(sdContact* contact) {
    return (contact->flags & SD_CONTACT_MANY) != 0 ? contact->many.data : &contact->patch;
}

/// Shape A's frame in its body's, with the origin at the centre of mass.
static inline sdTransform sdFixture_ToCenter(const sdBody* body, const sdFixture* fixture) {
    return sdTransform_Make(sdSub(fixture->def.xf.p, body->localCenter), fixture->def.xf.q);
}

#endif
