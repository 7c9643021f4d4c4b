// SPDX-License-Identifier: MIT
// options.c - the words after a sub-command: read, checked, explained.
//
// In:   a table of options and the words.
// Out:  values in their places, or one line that says what is wrong and what would be right.

#include "cli.h"

#include "scenefile.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Column at which the words about an option begin.
#define HELP_COLUMN 32

// ---- words ---------------------------------------------------------------------------------

CliExit Cli_Fail(CliExit code, const char* command, const char* format, ...) {
    fprintf(stderr, "%ssudar%s%s:%s ", Cli_Color(stderr, CLI_RED), command != NULL ? " " : "",
            command != NULL ? command : "", Cli_Color(stderr, CLI_PLAIN));
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return code;
}

// ---- values --------------------------------------------------------------------------------

static bool readInt(const char* text, double min, double max, int* out) {
    char* end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || (double)value < min || (double)value > max) {
        return false;
    }
    *out = (int)value;
    return true;
}

static bool readSeed(const char* text, uint64_t* out) {
    char* end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 0);
    // strtoull takes a minus sign
    if (end == text || *end != '\0' || errno != 0 || strchr(text, '-') != NULL) {
        return false;
    }
    *out = value;
    return true;
}

/// Not finite is not a number here.
static bool readNumber(const char* text, char** end, double* out) {
    errno = 0;
    *out = strtod(text, end);
    return *end != text && errno == 0 && isfinite(*out);
}

static bool readNumbers(const char* text, int count, double* out) {
    char* end = (char*)text;
    for (int i = 0; i < count; ++i) {
        const char* start = end;
        if (!readNumber(start, &end, &out[i])) {
            return false;
        }
        if (*end != (i + 1 < count ? ',' : '\0')) {
            return false;
        }
        ++end;
    }
    return true;
}

static CliExit failValue(const CliSyntax* syntax, const CliOption* option, const char* text) {
    switch (option->kind) {
        case CLI_INT:
            return Cli_Fail(CLI_USAGE, syntax->command,
                            "%s wants a whole number from %.0f to %.0f, not '%s'", option->name,
                            option->min, option->max, text);
        case CLI_SEED:
            return Cli_Fail(CLI_USAGE, syntax->command,
                            "%s wants a whole number from 0 to 2^64 - 1, not '%s'", option->name,
                            text);
        case CLI_NUMBERS:
            return Cli_Fail(CLI_USAGE, syntax->command,
                            "%s wants %.0f numbers separated by commas, %s, not '%s'", option->name,
                            option->max, option->values, text);
        default:
            return Cli_Fail(CLI_USAGE, syntax->command, "%s wants a number from %g to %g, not '%s'",
                            option->name, option->min, option->max, text);
    }
}

static CliExit addToList(const CliSyntax* syntax, CliList* list, const char* name,
                         const char* text) {
    if (list->count == CLI_MAX_LIST) {
        return Cli_Fail(CLI_USAGE, syntax->command, "%s can be given %d times at most", name,
                        CLI_MAX_LIST);
    }
    list->items[list->count++] = text;
    return CLI_OK;
}

static CliExit setValue(const CliSyntax* syntax, const CliOption* option, const char* text) {
    char* end;
    double number = 0.0;
    bool ok = true;
    switch (option->kind) {
        case CLI_FLAG:
            *(bool*)option->target = true;
            break;
        case CLI_INT:
            ok = readInt(text, option->min, option->max, option->target);
            break;
        case CLI_SEED:
            ok = readSeed(text, option->target);
            break;
        case CLI_NUMBER:
            ok = readNumber(text, &end, &number) && *end == '\0' && number >= option->min &&
                 number <= option->max;
            *(double*)option->target = number;
            break;
        case CLI_NUMBERS:
            ok = readNumbers(text, (int)option->max, option->target);
            break;
        case CLI_TEXT:
            *(const char**)option->target = text;
            break;
        case CLI_LIST:
            return addToList(syntax, option->target, option->name, text);
    }
    return ok ? CLI_OK : failValue(syntax, option, text);
}

// ---- options -------------------------------------------------------------------------------

static const char* getOptionName(const void* user, int i) {
    const CliSyntax* syntax = user;
    return i < syntax->optionCount ? syntax->options[i].name
                                   : (i == syntax->optionCount ? "--help" : NULL);
}

static const CliOption* findOption(const CliSyntax* syntax, const char* name, size_t length) {
    for (int i = 0; i < syntax->optionCount; ++i) {
        const char* own = syntax->options[i].name;
        if (strlen(own) == length && memcmp(own, name, length) == 0) {
            return &syntax->options[i];
        }
    }
    return NULL;
}

static CliExit failUnknown(const CliSyntax* syntax, const char* word) {
    const char* nearest = sdNearestWord(word, getOptionName, syntax);
    return nearest != NULL
               ? Cli_Fail(CLI_USAGE, syntax->command, "unknown option '%s'; did you mean '%s'?",
                          word, nearest)
               : Cli_Fail(CLI_USAGE, syntax->command, "unknown option '%s'; see 'sudar %s --help'",
                          word, syntax->command);
}

/// One option at argv[*index]; moves on over its values.
static CliExit parseOption(const CliSyntax* syntax, int argc, char** argv, int* index) {
    const char* word = argv[*index];
    const char* equals = strchr(word, '=');
    size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
    const CliOption* option = findOption(syntax, word, length);
    if (option == NULL) {
        return failUnknown(syntax, word);
    }
    if (option->kind == CLI_FLAG && equals != NULL) {
        return Cli_Fail(CLI_USAGE, syntax->command, "%s takes no value", option->name);
    }
    const char* value = NULL;
    if (equals != NULL) {
        value = equals + 1;
    } else if (option->kind != CLI_FLAG) {
        if (*index + 1 >= argc) {
            return Cli_Fail(CLI_USAGE, syntax->command, "%s wants %s after it", option->name,
                            option->values);
        }
        value = argv[++*index];
    }
    return setValue(syntax, option, value);
}

static void listOptions(const CliSyntax* syntax) {
    for (int i = 0; i < syntax->optionCount; ++i) {
        const CliOption* option = &syntax->options[i];
        printf("%s\t%s\t%s\n", option->name, option->values, option->help);
    }
    printf("--help\t\tthis text\n");
}

bool Cli_Parse(const CliSyntax* syntax, int argc, char** argv, const char** argument,
               CliExit* code) {
    *argument = NULL;
    *code = CLI_OK;
    if (argc == 2 && strcmp(argv[1], CLI_LIST_OPTIONS) == 0) {
        listOptions(syntax);
        return false;
    }
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            Cli_PrintHelp(syntax);
            return false;
        }
    }
    for (int i = 1; i < argc && *code == CLI_OK; ++i) {
        if (argv[i][0] == '-' && argv[i][1] != '\0') {
            *code = parseOption(syntax, argc, argv, &i);
        } else if (syntax->argument == NULL) {
            *code = Cli_Fail(CLI_USAGE, syntax->command, "takes no '%s'", argv[i]);
        } else if (syntax->words != NULL) {
            *code = addToList(syntax, syntax->words, syntax->argument, argv[i]);
        } else if (*argument != NULL && syntax->second != NULL && *syntax->secondTarget == NULL) {
            *syntax->secondTarget = argv[i];
        } else if (*argument != NULL) {
            *code = Cli_Fail(CLI_USAGE, syntax->command, "one %s at a time: '%s' or '%s'?",
                             syntax->argument, *argument, argv[i]);
        } else {
            *argument = argv[i];
        }
    }
    return *code == CLI_OK;
}

void Cli_PrintHelp(const CliSyntax* syntax) {
    printf("usage: sudar %s%s%s%s%s%s [options]\n\n%s\n\noptions:\n", syntax->command,
           syntax->argument != NULL ? " " : "", syntax->argument != NULL ? syntax->argument : "",
           syntax->words != NULL ? "..." : "", syntax->second != NULL ? " " : "",
           syntax->second != NULL ? syntax->second : "", syntax->summary);
    for (int i = 0; i < syntax->optionCount; ++i) {
        const CliOption* option = &syntax->options[i];
        int width = printf("  %s %s", option->name, option->values);
        // what is too long has a line of its own
        if (width >= HELP_COLUMN) {
            printf("\n");
            width = 0;
        }
        printf("%*s%s\n", HELP_COLUMN - width, "", option->help);
    }
    printf("  --help%*s%s\n", HELP_COLUMN - 8, "", "this text");
    if (syntax->notes != NULL) {
        printf("\n%s\n", syntax->notes);
    }
}
