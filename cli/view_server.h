// SPDX-License-Identifier: MIT
// view_server.h - the page and its stream on this machine: HTTP and WebSocket on 127.0.0.1.
//
// Everything lies under a token in the address, which nobody can guess; without it there is nothing
// to be had. A stream is taken up only for a page of the same address. view_missing.c stands in
// where libwebsockets is not there.

#ifndef SD_CLI_VIEW_SERVER_H
#define SD_CLI_VIEW_SERVER_H

#include "view_engine.h"

typedef struct CliServerDef {
    const char* page; ///< folder
    int port;         ///< the first that is tried
    bool isPortGiven; ///< then no other is tried
    const CliSubject* subject;
    const sdWorldDef* def;
    sdTaskSystem tasks;
    /// Called once, when pages can be opened.
    void (*announce)(const void* user, int port, const char* token);
    const void* user;
} CliServerDef;

/// Serve until Ctrl-C. Says what is wrong.
CliExit CliServer_Run(const CliServerDef* def);

#endif
