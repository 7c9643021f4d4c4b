// SPDX-License-Identifier: MIT
// view_motion.h - all steps so far as an animated glTF file, had again from the start, a slice of
// time after the other. web/page/motion.ts does the same in a page.

#ifndef SD_CLI_VIEW_MOTION_H
#define SD_CLI_VIEW_MOTION_H

#include "glb.h"
#include "view_simulation.h"

typedef struct CliMotion {
    bool isOn;
    int start; ///< where time stood, and is to stand again
    int every; ///< steps between frames
    sdGlbWriter* writer;
} CliMotion;

/// From the next work on.
void CliMotion_Begin(CliMotion* motion, const CliSimulation* simulation);
/// A cleared struct is allowed.
void CliMotion_End(CliMotion* motion);

/// A part of the work: first to the end, where all bodies are that ever came, then from the start.
/// @param title of the file
/// @param end when to stop, by Cli_Now
/// @param isDone receives whether the file is complete
sdResult CliMotion_Work(CliMotion* motion, CliSimulation* simulation, const char* title, double end,
                        bool* isDone);

#endif
