// SPDX-License-Identifier: MIT
// agenda.c - the next impacts of all flights of a step: which is first, and who waits for whom.
//
// In:   times and bodies of the flights' next impacts, as they are found.
// Out:  the first of them. Only takes memory from the step's arena.

#include "dynamics/agenda.h"

bool sdAgenda_Alloc(sdAgenda* agenda, sdArena* arena, int bodyCount) {
    int leafCount = 2;
    while (leafCount < bodyCount) {
        leafCount *= 2;
    }
    size_t leaves = (size_t)leafCount;
    *agenda = (sdAgenda){
        .leafCount = leafCount,
        .times = sdArena_Alloc(arena, leaves, sizeof *agenda->times),
        .others = sdArena_Alloc(arena, leaves, sizeof *agenda->others),
        .winners = sdArena_Alloc(arena, leaves, sizeof *agenda->winners),
        .next = sdArena_Alloc(arena, leaves, sizeof *agenda->next),
        .previous = sdArena_Alloc(arena, leaves, sizeof *agenda->previous),
        .firstWaiting = sdArena_Alloc(arena, leaves, sizeof *agenda->firstWaiting),
    };
    return agenda->times != NULL && agenda->others != NULL && agenda->winners != NULL &&
           agenda->next != NULL && agenda->previous != NULL && agenda->firstWaiting != NULL;
}

void sdAgenda_Clear(sdAgenda* agenda) {
    for (int i = 0; i < agenda->leafCount; ++i) {
        agenda->times[i] = SD_NEVER;
        agenda->others[i] = SD_NULL_INDEX;
        agenda->firstWaiting[i] = SD_NULL_INDEX;
    }
    // of equals the lowest wins: the first leaf below each match
    for (int i = agenda->leafCount - 1; i > 0; --i) {
        agenda->winners[i] =
            2 * i >= agenda->leafCount ? 2 * i - agenda->leafCount : agenda->winners[2 * i];
    }
}

static void play(sdAgenda* agenda, int flight) {
    const float* times = agenda->times;
    int match = (agenda->leafCount + flight) / 2;
    int left = flight & ~1, right = left + 1;
    while (match > 0) {
        agenda->winners[match] = times[right] < times[left] ? right : left;
        int pair = match & ~1;
        match /= 2;
        if (match > 0) {
            left = agenda->winners[pair];
            right = agenda->winners[pair + 1];
        }
    }
}

static void unlink(sdAgenda* agenda, int flight) {
    int other = agenda->others[flight];
    if (other == SD_NULL_INDEX) {
        return;
    }
    int next = agenda->next[flight], previous = agenda->previous[flight];
    if (previous != SD_NULL_INDEX) {
        agenda->next[previous] = next;
    } else {
        agenda->firstWaiting[other] = next;
    }
    if (next != SD_NULL_INDEX) {
        agenda->previous[next] = previous;
    }
}

void sdAgenda_Set(sdAgenda* agenda, int flight, float time, int other) {
    unlink(agenda, flight);
    agenda->times[flight] = time;
    agenda->others[flight] = other;
    if (other != SD_NULL_INDEX) {
        int first = agenda->firstWaiting[other];
        agenda->next[flight] = first;
        agenda->previous[flight] = SD_NULL_INDEX;
        if (first != SD_NULL_INDEX) {
            agenda->previous[first] = flight;
        }
        agenda->firstWaiting[other] = flight;
    }
    play(agenda, flight);
}
