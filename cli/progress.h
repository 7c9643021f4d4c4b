// SPDX-License-Identifier: MIT
// progress.h - how far a long command is: a bar on a terminal, a line a second elsewhere.

#ifndef SD_CLI_PROGRESS_H
#define SD_CLI_PROGRESS_H

#include "cli.h"

typedef struct CliProgress {
    const char* what; ///< "rings"
    const char* unit; ///< of the parts: "steps"
    int64_t total;    ///< parts of the work
    bool isQuiet;
    bool isTerminal; ///< of stderr
    bool isShown;
    double start, last; ///< s
} CliProgress;

/// s, from some time on, never backwards.
double Cli_Now(void);

void CliProgress_Start(CliProgress* progress, const char* what, int64_t total, const char* unit,
                       bool isQuiet);
/// So many parts are done. Cheap when nothing is to be shown yet.
void CliProgress_Update(CliProgress* progress, int64_t done);
/// Take the bar away.
void CliProgress_End(CliProgress* progress);

#endif
