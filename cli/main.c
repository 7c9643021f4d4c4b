// SPDX-License-Identifier: MIT
// main.c - the command `sudar`: finds the sub-command and hands over to it.

#include "cli.h"

#include "picture.h"
#include "settings.h"

#include "scenefile.h"

#include <signal.h>
#include <string.h>

static const CliCommand commands[] = {
    {"run", "simulate a scene, print figures, write pictures, video, animation", Cli_Run},
    {"sweep", "one scene with many settings, in parallel, as one table", Cli_Sweep},
    {"replay", "a recording to pictures, video, animation or table", Cli_Replay},
    {"render", "one picture of a scene or recording, with any view", Cli_Render},
    {"view", "show a scene in a browser, simulated by this command", Cli_View},
    {"scenes", "list the scenes", Cli_Scenes},
    {"completion", "what makes bash, zsh or fish finish words", Cli_Completion},
    {"scene", "check, convert and import scene files", Cli_Scene},
    {"mesh", "is a mesh fit to simulate? Repair it, cut it into convex parts", Cli_Mesh},
    {"collide", "ask anything of two shapes", Cli_Collide},
    {"lab", "the experiments of the documents, as a report with plots", Cli_Lab},
};
#define COMMAND_COUNT ((int)(sizeof commands / sizeof commands[0]))

const CliCommand* Cli_GetCommand(int i) {
    return i >= 0 && i < COMMAND_COUNT ? &commands[i] : NULL;
}

static const char* getCommandName(const void* user, int i) {
    (void)user;
    return i < COMMAND_COUNT ? commands[i].name : (i == COMMAND_COUNT ? "help" : NULL);
}

static const CliCommand* findCommand(const char* name) {
    for (int i = 0; i < COMMAND_COUNT; ++i) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static void printHelp(FILE* file) {
    fprintf(file, "usage: sudar COMMAND [options]\n\n"
                  "Rigid-body collision and dynamics for bodies of any shape.\n\ncommands:\n");
    for (int i = 0; i < COMMAND_COUNT; ++i) {
        fprintf(file, "  %-12s%s\n", commands[i].name, commands[i].summary);
    }
    fprintf(file, "  %-12s%s\n\n", "help",
            "this text; 'sudar help COMMAND' for one command, 'sudar help settings' for --set");
    fprintf(file, "options:\n  --version  version of the library, and whether this build can "
                  "draw\n\nfor example:\n  sudar run pyramid --size 10 --time 2 --png "
                  "pyramid.png\n");
}

static CliExit failUnknown(const char* word) {
    const char* nearest = sdNearestWord(word, getCommandName, NULL);
    return nearest != NULL
               ? Cli_Fail(CLI_USAGE, NULL, "unknown command '%s'; did you mean '%s'?", word,
                          nearest)
               : Cli_Fail(CLI_USAGE, NULL, "unknown command '%s'; see 'sudar help'", word);
}

static CliExit help(int argc, char** argv) {
    if (argc < 2) {
        printHelp(stdout);
        return CLI_OK;
    }
    if (strcmp(argv[1], "settings") == 0) {
        sdWorldDef def = sdWorldDef_Default();
        CliSettings_Print(&def);
        return CLI_OK;
    }
    if (strcmp(argv[1], "views") == 0) {
        Cli_PrintViews();
        return CLI_OK;
    }
    const CliCommand* command = findCommand(argv[1]);
    if (command == NULL) {
        return failUnknown(argv[1]);
    }
    char option[] = "--help";
    char* words[] = {argv[1], option, NULL};
    return command->run(2, words);
}

static CliExit printVersion(void) {
    sdVersion version = sdGetVersion();
    printf("sudar %d.%d.%d (%s)\n", version.major, version.minor, version.patch,
           sdRenderer_IsAvailable() ? "with pictures" : "without pictures");
    return CLI_OK;
}

static CliExit dispatch(int argc, char** argv) {
    if (argc < 2) {
        printHelp(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        return printVersion();
    }
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
        strcmp(argv[1], "-h") == 0) {
        return help(argc - 1, argv + 1);
    }
    const CliCommand* command = findCommand(argv[1]);
    return command != NULL ? command->run(argc - 1, argv + 1) : failUnknown(argv[1]);
}

int main(int argc, char** argv) {
    // a reader that goes away is an error like any other
    signal(SIGPIPE, SIG_IGN);
    CliExit code = dispatch(argc, argv);
    // a full disk or a closed pipe shows only here
    if (fflush(stdout) != 0 && code == CLI_OK) {
        code = Cli_Fail(CLI_FAILED, NULL, "cannot write to standard output");
    }
    return (int)code;
}
