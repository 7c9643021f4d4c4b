// SPDX-License-Identifier: MIT
// cli.h - what the sub-commands of `sudar` share: exit codes, options, words.
//
// Results go to stdout, errors to stderr. A sub-command takes its own name and what follows it, and
// returns an exit code.

#ifndef SD_CLI_H
#define SD_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__GNUC__)
#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLI_PRINTF(text, first)
#endif

typedef enum CliExit {
    CLI_OK = 0,
    CLI_FAILED = 1,   ///< asked for rightly, but could not be done: a file, memory, a driver
    CLI_USAGE = 2,    ///< not asked for rightly
    CLI_NOT_SO = 3,   ///< done, but what must be true is not
    CLI_STOPPED = 130 ///< by Ctrl-C; what was done until then is written
} CliExit;

// ---- sub-commands --------------------------------------------------------------------------

typedef CliExit CliCommandFcn(int argc, char** argv);

typedef struct CliCommand {
    const char* name;
    const char* summary;
    CliCommandFcn* run;
} CliCommand;

/// The i-th sub-command; NULL after the last.
const CliCommand* Cli_GetCommand(int i);

CliExit Cli_Completion(int argc, char** argv);
CliExit Cli_Run(int argc, char** argv);
CliExit Cli_Replay(int argc, char** argv);
CliExit Cli_Render(int argc, char** argv);
CliExit Cli_View(int argc, char** argv);
CliExit Cli_Scenes(int argc, char** argv);
CliExit Cli_Scene(int argc, char** argv);
CliExit Cli_Mesh(int argc, char** argv);
CliExit Cli_Collide(int argc, char** argv);
CliExit Cli_Lab(int argc, char** argv);
CliExit Cli_Sweep(int argc, char** argv);

// ---- options -------------------------------------------------------------------------------

typedef enum CliKind {
    CLI_FLAG,    ///< bool: no value
    CLI_INT,     ///< int
    CLI_SEED,    ///< uint64_t
    CLI_NUMBER,  ///< double
    CLI_NUMBERS, ///< double[max], separated by commas, all of them
    CLI_TEXT,    ///< const char*
    CLI_LIST     ///< CliList: a text, any number of times
} CliKind;

#define CLI_MAX_LIST 64

typedef struct CliList {
    const char* items[CLI_MAX_LIST];
    int count;
} CliList;

typedef struct CliOption {
    const char* name;   ///< "--size"
    const char* values; ///< as shown in the help: "N"
    const char* help;
    CliKind kind;
    void* target;
    double min, max; ///< of numbers
} CliOption;

/// What a sub-command takes, which is also its help.
typedef struct CliSyntax {
    const char* command;  ///< "run"
    const char* argument; ///< what is not an option, "SCENE"; NULL: none
    const char* second;   ///< a second such word; NULL: none
    const char** secondTarget;
    CliList* words;      ///< instead: any number of such words; NULL: not so
    const char* summary; ///< a sentence or two
    const char* notes;   ///< at the end of the help, may be NULL
    const CliOption* options;
    int optionCount;
} CliSyntax;

/// Put the values of options where they belong; `--name value` and `--name=value` are the same.
/// Says what is wrong.
/// @param argument receives the one word that is not an option, or NULL
/// @return false when there is nothing more to do: *code is what to return
bool Cli_Parse(const CliSyntax* syntax, int argc, char** argv, const char** argument,
               CliExit* code);

/// As the only word: the options as lines of name, values and help, for shells.
#define CLI_LIST_OPTIONS "--list-options"

void Cli_PrintHelp(const CliSyntax* syntax);

// ---- interruption --------------------------------------------------------------------------

/// From now on, Ctrl-C and an asked-for end are noted instead of ending the program at once; the
/// second time they do.
void Cli_CatchSignals(void);
bool Cli_IsStopped(void);

// ---- JSON and colours ----------------------------------------------------------------------

/// A text in quotes, with what JSON does not allow in one written otherwise.
void CliJson_Text(FILE* file, const char* text);
/// A number; null when it is not finite.
void CliJson_Number(FILE* file, double number);

typedef enum CliColor { CLI_PLAIN, CLI_BOLD, CLI_RED, CLI_GREEN } CliColor;

/// What switches to a colour; nothing unless the file is a terminal and NO_COLOR is not set.
const char* Cli_Color(FILE* file, CliColor color);

/// A number of things in words: "1 body", "2 bodies".
typedef struct CliCount {
    char text[48];
} CliCount;

CliCount Cli_Count(int count, const char* one, const char* many);

// ---- words ---------------------------------------------------------------------------------

/// "sudar COMMAND: ..." on stderr.
/// @param command may be NULL
/// @return `code`
CliExit Cli_Fail(CliExit code, const char* command, const char* format, ...) CLI_PRINTF(3, 4);

#endif
