// SPDX-License-Identifier: MIT
// agenda.h - the next impacts of all flights of a step: which is first, and who waits for whom.
//
// Times are the leaves of a tournament: a change is carried up along one path. The flights that are
// to meet a body are in a list of that body, because they must be asked again when it is thrown off
// its way.

#ifndef SD_DYNAMICS_AGENDA_H
#define SD_DYNAMICS_AGENDA_H

#include "base/arena.h"

/// Beyond the end of the step: no impact.
#define SD_NEVER 2.0f

typedef struct sdAgenda {
    int leafCount; ///< a power of two
    float* times;  ///< of the flights' next impacts
    int* others;   ///< their bodies; SD_NULL_INDEX: none
    int* winners;  ///< of the matches, the last one at 1
    int* next;     ///< flight that waits for the same body
    int* previous;
    int* firstWaiting; ///< of each body
} sdAgenda;

/// @return false when memory is short
bool sdAgenda_Alloc(sdAgenda* agenda, sdArena* arena, int bodyCount);
/// No flights yet.
void sdAgenda_Clear(sdAgenda* agenda);
/// @param other SD_NULL_INDEX for no impact
void sdAgenda_Set(sdAgenda* agenda, int flight, float time, int other);

/// The flight whose impact is first; of several at the same time the lowest.
static inline int sdAgenda_First(const sdAgenda* agenda) {
    return agenda->winners[1];
}

#endif
