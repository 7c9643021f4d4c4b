// SPDX-License-Identifier: MIT
// team.h - many short loops in a row, run by threads that stay together.
//
// A loop of the task system costs some microseconds to begin and to end. A solver has a hundred in
// a step, some of them shorter than that. A team is one loop of the task system, within which one
// thread leads: it brings loop after loop, and whoever else came helps. The leader waits for nobody
// but those who have taken a part, so a task system that runs everything on one thread is as good
// as any, and only slower.

#ifndef SD_BASE_TEAM_H
#define SD_BASE_TEAM_H

#include "base/memory.h"

typedef struct sdTeam sdTeam;

/// Call `lead(team, user)` on one thread and let the others help in its loops.
typedef void sdLeadFcn(sdTeam* team, void* user);
void sdTeam_Run(const sdTaskSystem* tasks, sdLeadFcn* lead, void* user);

/// From `lead`: run task over 0 .. count - 1, by several threads when there are more than `grain`.
/// What was written in a loop is visible when it returns.
void sdTeam_For(sdTeam* team, sdTaskFcn* task, void* arg, int count, int grain);

#endif
