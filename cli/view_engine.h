// SPDX-License-Identifier: MIT
// view_engine.h - the engine behind one page of `sudar view`: hears messages, makes steps, has
// messages to be sent. It knows nothing of sockets; web/page/worker.ts is the same in a page.

#ifndef SD_CLI_VIEW_ENGINE_H
#define SD_CLI_VIEW_ENGINE_H

#include "view_frame.h"

typedef struct CliEngine CliEngine;

/// @param subject what the command was asked to show; borrowed
/// @param def its settings
/// @param tasks threads that engines share
/// @return NULL when there is no memory
CliEngine* CliEngine_Create(const CliSubject* subject, const sdWorldDef* def, sdTaskSystem tasks);
void CliEngine_Destroy(CliEngine* engine);

/// What the page says. Errors become messages.
/// @return false for what is no message: the page is not to be heard any more
bool CliEngine_Hear(CliEngine* engine, const char* text, size_t size);

/// Say that something is wrong.
void CliEngine_Say(CliEngine* engine, const char* text);

/// Make the steps that are due, as far as they fit in a slice of time.
/// @return s until there is something to do again; INFINITY: not before the page says something
double CliEngine_Work(CliEngine* engine);

/// The next message to be sent, owned by the caller; NULL for none.
CliMessage* CliEngine_Take(CliEngine* engine);
bool CliEngine_HasMessages(const CliEngine* engine);

#endif
