// SPDX-License-Identifier: MIT
// continuous.h - bodies so fast that they would pass through others within a step.

#ifndef SD_DYNAMICS_CONTINUOUS_H
#define SD_DYNAMICS_CONTINUOUS_H

#include "dynamics/step.h"

/// Take memory, before anything moves.
/// @return false when memory is short
bool sdStep_PrepareContinuous(sdStep* step);

/// Find the thin bodies that contacts did not hold (sunk.c), before the ways are looked at.
void sdStep_FindSunk(sdStep* step);

/// Bring bodies that are deeper than they are thick in what does not give way back to where they
/// are not, after the ways: the last word of the step.
void sdStep_LiftSunk(sdStep* step);

/// Let fast bodies meet on their way what they would have passed through.
void sdStep_MeetOnTheWay(sdStep* step);

#endif
