// SPDX-License-Identifier: MIT
// settings.c - the settings of a world by name, as `--set key=value` gives them. The names are
// those of scene files.

#include "settings.h"

#include "scenefile.h"

#include <stdio.h>
#include <string.h>

CliExit CliSettings_SetKey(const char* command, sdWorldDef* def, const char* key, const char* value,
                           const char* option) {
    sdFault fault;
    sdResult result = sdSetting_Set(def, key, value, &fault);
    bool isUnknown = result == SD_ERROR_INVALID_ARGUMENT && strchr(fault.text, '?') == NULL;
    return result == SD_OK ? CLI_OK
                           : Cli_Fail(CLI_USAGE, command, "%s: %s%s", option,
                                      fault.text[0] != '\0' ? fault.text : sdResult_Text(result),
                                      isUnknown ? "; 'sudar help settings' lists them" : "");
}

CliExit CliSettings_Set(const char* command, sdWorldDef* def, const char* text) {
    const char* equals = strchr(text, '=');
    char key[SD_SETTING_KEY_SIZE];
    if (equals == NULL || equals == text || (size_t)(equals - text) >= sizeof key) {
        return Cli_Fail(CLI_USAGE, command,
                        "--set wants key=value, not '%s'; 'sudar help settings' lists the keys",
                        text);
    }
    memcpy(key, text, (size_t)(equals - text));
    key[equals - text] = '\0';
    return CliSettings_SetKey(command, def, key, equals + 1, "--set");
}

void CliSettings_Print(const sdWorldDef* def) {
    printf("Settings of a world, for --set key=value, and what they are unless a scene says "
           "otherwise:\n\n");
    sdSetting setting;
    for (int i = 0; sdSetting_Get(def, i, &setting); ++i) {
        printf("  %-28s%-16s%s\n", setting.key, setting.value, setting.text);
        printf("  %-44s%s\n", "", setting.wanted);
    }
}
