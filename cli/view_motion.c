// SPDX-License-Identifier: MIT
// view_motion.c - see view_motion.h.

#include "view_motion.h"

#include "progress.h"

#include <math.h>

#define FRAMES_PER_SECOND 30.0f

void CliMotion_Begin(CliMotion* m, const CliSimulation* s) {
    CliMotion_End(m);
    float every = roundf(1.0f / (FRAMES_PER_SECOND * s->dt));
    *m = (CliMotion){.isOn = true, .start = s->step, .every = every > 1.0f ? (int)every : 1};
}

void CliMotion_End(CliMotion* m) {
    sdGlbWriter_Destroy(m->writer);
    *m = (CliMotion){0};
}

static sdResult addFrame(CliMotion* m, const CliSimulation* s) {
    return sdGlbWriter_AddFrame(m->writer, s->world, sdWorld_GetTime(s->world));
}

/// With the bodies that there are now, the first frame being that of the start.
static sdResult beginFile(CliMotion* m, CliSimulation* s, const char* title) {
    sdResult result = sdGlbWriter_Create(s->context, s->world, title, &m->writer);
    result = result == SD_OK ? CliSimulation_Rewind(s, 0) : result;
    return result == SD_OK ? addFrame(m, s) : result;
}

sdResult CliMotion_Work(CliMotion* m, CliSimulation* s, const char* title, double end,
                        bool* isDone) {
    sdResult result = SD_OK;
    while (result == SD_OK && s->step < s->lastStep && Cli_Now() < end) {
        result = CliSimulation_Advance(s);
        bool isFrame = s->step % m->every == 0 || s->step == s->lastStep;
        if (result == SD_OK && m->writer != NULL && isFrame) {
            result = addFrame(m, s);
        }
    }
    bool isAtEnd = result == SD_OK && s->step >= s->lastStep;
    *isDone = isAtEnd && m->writer != NULL;
    return isAtEnd && m->writer == NULL ? beginFile(m, s, title) : result;
}
