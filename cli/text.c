// SPDX-License-Identifier: MIT
// text.c - JSON and colours on their way out; signals on their way in.

// isatty, fileno, sigaction
#define _POSIX_C_SOURCE 200809L

#include "cli.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

void CliJson_Text(FILE* file, const char* text) {
    fputc('"', file);
    for (const unsigned char* c = (const unsigned char*)text; *c != '\0'; ++c) {
        if (*c == '"' || *c == '\\') {
            fprintf(file, "\\%c", *c);
        } else if (*c < 0x20) {
            fprintf(file, "\\u%04x", *c);
        } else {
            fputc(*c, file);
        }
    }
    fputc('"', file);
}

void CliJson_Number(FILE* file, double number) {
    if (isfinite(number)) {
        fprintf(file, "%.9g", number);
    } else {
        fputs("null", file);
    }
}

const char* Cli_Color(FILE* file, CliColor color) {
    static const char* const codes[] = {"\033[0m", "\033[1m", "\033[1;31m", "\033[1;32m"};
    const char* no = getenv("NO_COLOR");
    return (no == NULL || *no == '\0') && isatty(fileno(file)) ? codes[color] : "";
}

CliCount Cli_Count(int count, const char* one, const char* many) {
    CliCount out;
    snprintf(out.text, sizeof out.text, "%d %s", count, count == 1 ? one : many);
    return out;
}

static volatile sig_atomic_t isStopped;

static void noteSignal(int number) {
    (void)number;
    isStopped = 1;
}

void Cli_CatchSignals(void) {
    struct sigaction action = {.sa_handler = noteSignal, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool Cli_IsStopped(void) {
    return isStopped != 0;
}
