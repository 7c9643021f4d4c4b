// SPDX-License-Identifier: MIT
// view_missing.c - stands in for view_server.c where libwebsockets is not there.

#include "view_server.h"

CliExit CliServer_Run(const CliServerDef* def) {
    (void)def;
    return Cli_Fail(CLI_FAILED, "view",
                    "this build cannot serve pages: install libwebsockets-dev and build again");
}
