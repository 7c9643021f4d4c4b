// SPDX-License-Identifier: MIT
// fixture.h - shapes on bodies: their boxes in the broad phase, the mass they give.

#ifndef SD_DYNAMICS_FIXTURE_H
#define SD_DYNAMICS_FIXTURE_H

#include "dynamics/world.h"
#include "geometry/shape.h"

/// Mass, centre and radius of a body from its shapes, unless its mass was given.
void sdBody_UpdateMass(sdWorld* world, int body);

/// Take mass and tensor; the body's frame stays where it is.
void sdBody_TakeMass(sdBody* body, sdMassProps props);

/// Take a shape off its body, with its contacts.
void sdWorld_RemoveFixture(sdWorld* world, int fixture);

/// Bring the boxes of a body that was moved to the broad phase.
void sdWorld_MoveFixtures(sdWorld* world, int body);

/// Make the shapes of a body those of one of another type: their proxies, masses and, from then on,
/// pairs. The body itself is not changed.
/// @return SD_ERROR_INVALID_ARGUMENT for shapes that do not fit, SD_ERROR_OUT_OF_MEMORY: nothing
///         has changed
sdResult sdWorld_RetypeFixtures(sdWorld* world, int body, sdBodyType type);

/// Let the broad phase see the shapes of a body or not, as the body says.
void sdWorld_ShowFixtures(sdWorld* world, int body);

/// What is wrong with a definition for a body of some type, or NULL.
const char* sdShapeDef_FindFault(const sdShapeDef* def, sdBodyType type);

/// Whether a mass can be solved with: SD_MIN_MASS .. SD_MAX_MASS, and moments that have an inverse.
bool sdMassProps_IsWithinLimits(sdMassProps props);

#endif
