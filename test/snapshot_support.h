// SPDX-License-Identifier: MIT
// snapshot_support.h - worlds that are stirred, for tests of going back in time.

#ifndef SD_TEST_SNAPSHOT_SUPPORT_H
#define SD_TEST_SNAPSHOT_SUPPORT_H

#include "world_support.h"

/// A chain of joints, one of them weak, a sensor, compounds, hulls and boxes on a floor of
/// triangles.
void TestYard_Build(sdWorld* world);

/// Do to a world whatever belongs before a step: push, add, remove, change. Depends on the world
/// and the number of the step only, so that a step that is made again comes out the same.
void TestWorld_Stir(sdWorld* world, int step);

/// Of all that can be seen of a world between steps.
uint64_t TestWorld_Fingerprint(const sdWorld* world);

/// Stir and step.
/// @return the fingerprint
uint64_t TestWorld_StirredStep(sdWorld* world, int step);

/// Do with a world that came from outside whatever one does with worlds: step, ask, save and
/// restore, destroy, create. All of it succeeds, and all numbers are finite.
void TestWorld_LiveOn(sdWorld* world);

#endif
