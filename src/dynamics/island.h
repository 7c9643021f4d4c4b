// SPDX-License-Identifier: MIT
// island.h - bodies that touch each other sleep and wake together.

#ifndef SD_DYNAMICS_ISLAND_H
#define SD_DYNAMICS_ISLAND_H

#include "dynamics/world.h"

/// Wake a body and all that it touches, directly or through others. Static bodies stay what they
/// are.
void sdWorld_WakeBody(sdWorld* world, int body);

/// Wake all bodies that a body touches, for one that is about to be moved or removed.
void sdWorld_WakeNeighbours(sdWorld* world, int body);

/// Put a body and all that it touches, directly or through others, to sleep at once.
void sdWorld_SleepIsland(sdWorld* world, int body);

/// List who is awake, in the order of the slots.
sdResult sdWorld_ListAwake(sdWorld* world);

/// The islands of awake bodies: for each of the list, the lowest of the list in its island.
/// @param islands room for all of the list
/// @return how many there are
int sdWorld_FindIslands(const sdWorld* world, int* islands);

/// Let islands that have been slow for long enough fall asleep.
/// @param slowTimes scratch, room for all of the list
void sdWorld_UpdateSleep(sdWorld* world, const int* islands, float* slowTimes, float dt);

#endif
