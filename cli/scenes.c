// SPDX-License-Identifier: MIT
// scenes.c - `sudar scenes`: what there is to run.

#include "cli.h"

#include "scenes.h"

static void printJson(const sdScene* scene, bool isFirst) {
    printf("%s{\"name\": ", isFirst ? "[" : ",\n ");
    CliJson_Text(stdout, scene->name);
    printf(", \"title\": ");
    CliJson_Text(stdout, scene->title);
    printf(", \"text\": ");
    CliJson_Text(stdout, scene->text);
    printf(", \"rows\": ");
    CliJson_Text(stdout, scene->rows);
    printf("}");
}

static void printText(const sdScene* scene) {
    printf("%s%-18s%s%s (%d %s)\n", Cli_Color(stdout, CLI_BOLD), scene->name,
           Cli_Color(stdout, CLI_PLAIN), scene->title, scene->size, scene->sizeName);
    printf("%18s%s%s%s%s\n", "", scene->text, scene->rows[0] != '\0' ? " [" : "", scene->rows,
           scene->rows[0] != '\0' ? "]" : "");
}

CliExit Cli_Scenes(int argc, char** argv) {
    bool asJson = false, onlyNames = false;
    const CliOption options[] = {
        {"--json", "", "a JSON list of objects: name, title, text, rows", CLI_FLAG, &asJson, 0, 0},
        {"--names", "", "the names alone", CLI_FLAG, &onlyNames, 0, 0},
    };
    const CliSyntax syntax = {
        .command = "scenes",
        .summary = "List the scenes that 'sudar run' knows: name, default size and what it counts, "
                   "a sentence\nabout each, and the rows of the list of features that it shows.",
        .options = options,
        .optionCount = (int)(sizeof options / sizeof options[0]),
    };
    const char* argument;
    CliExit code;
    if (!Cli_Parse(&syntax, argc, argv, &argument, &code)) {
        return code;
    }
    for (int i = 0; i < sdScene_GetCount(); ++i) {
        const sdScene* scene = sdScene_Get(i);
        if (asJson) {
            printJson(scene, i == 0);
        } else if (onlyNames) {
            printf("%s\n", scene->name);
        } else {
            printText(scene);
        }
    }
    if (asJson) {
        printf("]\n");
    }
    return CLI_OK;
}
