// SPDX-License-Identifier: MIT
// progress.c - how far a long command is, on stderr: a bar with the time left on a terminal, a line
// a second elsewhere.

// clock_gettime, isatty, ioctl
#define _DEFAULT_SOURCE

#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/// s between two looks of a bar, and between two lines.
#define BAR_INTERVAL 0.1
#define LINE_INTERVAL 1.0

/// Characters of the widest bar, and of the words beside it.
#define MAX_BAR 40
#define WORDS_WIDTH 44

double Cli_Now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// "2:05" or "1:02:05"
static void formatTime(double seconds, char* text, size_t capacity) {
    long s = seconds < 359999.0 ? (long)(seconds + 0.5) : 359999;
    if (s >= 3600) {
        snprintf(text, capacity, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    } else {
        snprintf(text, capacity, "%ld:%02ld", s / 60, s % 60);
    }
}

static int terminalWidth(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static void drawBar(const CliProgress* p, double share, const char* left) {
    int width = terminalWidth() - WORDS_WIDTH;
    width = width > MAX_BAR ? MAX_BAR : (width < 4 ? 4 : width);
    char bar[MAX_BAR + 1];
    int full = (int)(share * width + 0.5);
    for (int i = 0; i < width; ++i) {
        bar[i] = i < full ? '#' : '.';
    }
    bar[width] = '\0';
    fprintf(stderr, "\r%.20s [%s] %3d%%, %s left \033[K", p->what, bar, (int)(100.0 * share), left);
    fflush(stderr);
}

void CliProgress_Start(CliProgress* p, const char* what, int64_t total, const char* unit,
                       bool isQuiet) {
    double now = Cli_Now();
    const char* terminal = getenv("TERM");
    *p = (CliProgress){.what = what,
                       .unit = unit,
                       .total = total > 0 ? total : 1,
                       .isQuiet = isQuiet,
                       .isTerminal = isatty(STDERR_FILENO) &&
                                     !(terminal != NULL && strcmp(terminal, "dumb") == 0),
                       .start = now,
                       .last = now};
}

void CliProgress_Update(CliProgress* p, int64_t done) {
    double now = Cli_Now();
    if (p->isQuiet || now - p->last < (p->isTerminal ? BAR_INTERVAL : LINE_INTERVAL) || done <= 0) {
        return;
    }
    p->last = now;
    p->isShown = true;
    double share = (double)done / (double)p->total;
    char left[32];
    formatTime((now - p->start) * (1.0 - share) / share, left, sizeof left);
    if (p->isTerminal) {
        drawBar(p, share, left);
    } else {
        fprintf(stderr, "%s: %lld of %lld %s, %d%%, %s left\n", p->what, (long long)done,
                (long long)p->total, p->unit, (int)(100.0 * share), left);
    }
}

void CliProgress_End(CliProgress* p) {
    if (p->isShown && p->isTerminal) {
        fprintf(stderr, "\r\033[K");
        fflush(stderr);
    }
    p->isShown = false;
}
