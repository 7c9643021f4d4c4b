// SPDX-License-Identifier: MIT
// settings.h - the settings of a world by name: --set key=value.

#ifndef SD_CLI_SETTINGS_H
#define SD_CLI_SETTINGS_H

#include "cli.h"

#include "sudar/world.h"

/// Change one setting. Says what is wrong.
/// @param text "subStepCount=4", "gravity=0,-1.62,0", "broadphase.kind=sap", "enableSleep=no"
CliExit CliSettings_Set(const char* command, sdWorldDef* def, const char* text);

/// The same with the key apart: for options that stand for a setting.
/// @param option as the user wrote it, for words
CliExit CliSettings_SetKey(const char* command, sdWorldDef* def, const char* key, const char* value,
                           const char* option);

/// All settings with what they mean and their values here, on stdout.
void CliSettings_Print(const sdWorldDef* def);

#endif
