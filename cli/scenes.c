// SPDX-License-Identifier: MIT
// scenes.c - `sudar scenes`: what there is to run.

#include "cli.h"

#include "scenes.h"

#include <stdio.h>

CliExit Cli_Scenes(int argc, char** argv) {
    const CliSyntax syntax = {
        .command = "scenes",
        .summary = "List the scenes that 'sudar run' knows: name, default size and what it counts, "
                   "and a\nsentence about each.",
    };
    const char* argument;
    CliExit code;
    if (!Cli_Parse(&syntax, argc, argv, &argument, &code)) {
        return code;
    }
    for (int i = 0; i < sdScene_GetCount(); ++i) {
        const sdScene* scene = sdScene_Get(i);
        printf("%-12s%s (%d %s)\n            %s\n", scene->name, scene->title, scene->size,
               scene->sizeName, scene->text);
    }
    return CLI_OK;
}
