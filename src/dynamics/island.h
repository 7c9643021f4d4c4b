// SPDX-License-Identifier: MIT
// island.h - bodies that touch each other sleep and wake together.

#ifndef SD_DYNAMICS_ISLAND_H
#define SD_DYNAMICS_ISLAND_H

#include "dynamics/step.h"

/// Wake a body and all that it touches, directly or through others. Static bodies stay what they
/// are.
void sdWorld_WakeBody(sdWorld* world, int body);

/// Wake all bodies that a body touches or that are joined to it, for one that is about to be moved
/// or changed.
void sdWorld_WakeNeighbours(sdWorld* world, int body);
/// Wake what is where a static body's shapes are now: it has come there, or may be touched from now
/// on.
void sdWorld_WakeAround(sdWorld* world, int body);

/// Put a body and all that it touches, directly or through others, to sleep at once.
void sdWorld_SleepIsland(sdWorld* world, int body);

/// List who is awake, in the order of the slots.
sdResult sdWorld_ListAwake(sdWorld* world);

/// The islands of the step: for each body, the lowest index in its island.
/// @return how many there are
int sdStep_FindIslands(sdStep* step);
/// What joints alone connect of the bodies listed: for each, one of its island that is no higher.
void sdWorld_UniteJoined(const sdWorld* world, int* islands);

/// Let islands that have been slow for long enough fall asleep.
void sdStep_UpdateSleep(sdStep* step);

#endif
