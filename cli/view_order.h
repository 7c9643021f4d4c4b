// SPDX-License-Identifier: MIT
// view_order.h - what a page of `sudar view` asks to be opened, and the world that it gets.

#ifndef SD_CLI_VIEW_ORDER_H
#define SD_CLI_VIEW_ORDER_H

#include "view_frame.h"

/// Of steps and numbers of messages.
#define CLI_MAX_STEP 1000000000

/// Why something was refused; empty: for a reason that the result tells.
typedef struct CliReason {
    char text[480];
} CliReason;

typedef struct CliOrder {
    const char* name;
    sdSceneOptions options;
    const char *fileName, *fileText; ///< NULL: none
    int settings;                    ///< node
    int at, number;
} CliOrder;

/// Texts are borrowed from the message.
/// @return false for one with a fault
bool CliOrder_Read(CliHeard* heard, CliOrder* out);

/// One setting of a page's object, put into the settings of a world and told as an input.
/// @param node its value
sdResult CliOrder_ReadSetting(const sdJson* json, int node, sdWorldDef* def, CliInput* out,
                              CliReason* reason);

/// What worlds are made from.
typedef struct CliStock {
    sdContext context;
    const CliSubject* subject; ///< of the command; borrowed
    sdWorldDef def;            ///< its settings
} CliStock;

/// A world, and what a page is told of it.
typedef struct CliSource {
    CliSceneInfo info;
    const sdScene* scene;
    const sdSceneFile* file;
    sdSceneFile* own; ///< a file that the page sent, to which `info` points
    sdWorldDef def;
    sdWorld* world;
} CliSource;

/// @param json in which the order's settings are
/// @param out to be closed, also on failure; who takes its world clears that
sdResult CliSource_Open(CliSource* out, const CliStock* stock, const CliOrder* order,
                        const sdJson* json, CliReason* reason);
void CliSource_Close(CliSource* source);

#endif
