// SPDX-License-Identifier: MIT
// harness.c - runs the registered tests, by name or pattern.

#include "harness.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/// Failures of one test that are printed; the rest is counted.
#define MAX_PRINTED 20

static sdTestCase* firstCase;
static int failureCount;

void sdTest_Register(sdTestCase* testCase) {
    // sorted by name, so that the order does not depend on the linker
    sdTestCase** place = &firstCase;
    while (*place != NULL && strcmp((*place)->name, testCase->name) < 0) {
        place = &(*place)->next;
    }
    testCase->next = *place;
    *place = testCase;
}

static bool beginFailure(const char* file, int line) {
    failureCount += 1;
    if (failureCount <= MAX_PRINTED) {
        printf("  %s:%d: ", file, line);
    } else if (failureCount == MAX_PRINTED + 1) {
        printf("  (further failures of this test are only counted)\n");
    }
    return failureCount <= MAX_PRINTED;
}

bool sdTest_Check(bool ok, const char* file, int line, const char* text) {
    if (!ok && beginFailure(file, line)) {
        printf("failed: %s\n", text);
    }
    return ok;
}

bool sdTest_CheckNear(double a, double b, double tolerance, const char* file, int line,
                      const char* text) {
    bool ok = a == b || fabs(a - b) <= tolerance;
    if (!ok && beginFailure(file, line)) {
        printf("failed: %s: %.9g and %.9g differ by %.3g, allowed are %.3g\n", text, a, b,
               fabs(a - b), tolerance);
    }
    return ok;
}

bool sdTest_CheckInt(long long a, long long b, const char* file, int line, const char* text) {
    bool ok = a == b;
    if (!ok && beginFailure(file, line)) {
        printf("failed: %s: %lld and %lld\n", text, a, b);
    }
    return ok;
}

bool sdTest_CheckText(const char* text, const char* part, const char* file, int line) {
    bool ok = strstr(text, part) != NULL;
    if (!ok && beginFailure(file, line)) {
        printf("failed: \"%s\" does not contain \"%s\"\n", text, part);
    }
    return ok;
}

void sdTest_Print(const char* format, ...) {
    va_list args;
    va_start(args, format);
    printf("  ");
    vprintf(format, args);
    printf("\n");
    va_end(args);
}

/// '*' stands for any run of characters.
static bool matches(const char* pattern, const char* name) {
    if (*pattern == '*') {
        return matches(pattern + 1, name) || (*name != 0 && matches(pattern, name + 1));
    }
    return *pattern == *name && (*pattern == 0 || matches(pattern + 1, name + 1));
}

static bool isWanted(const char* name, int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        if (matches(argv[i], name)) {
            return true;
        }
    }
    return argc == 1;
}

int main(int argc, char** argv) {
    // what a test said before a crash is not lost
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    bool isList = argc == 2 && strcmp(argv[1], "--list") == 0;
    int passed = 0, failed = 0;
    for (sdTestCase* test = firstCase; test != NULL; test = test->next) {
        if (isList) {
            printf("%s\n", test->name);
            continue;
        }
        if (!isWanted(test->name, argc, argv)) {
            continue;
        }
        failureCount = 0;
        test->run();
        printf("%s %s\n", failureCount == 0 ? "ok    " : "FAILED", test->name);
        passed += failureCount == 0 ? 1 : 0;
        failed += failureCount == 0 ? 0 : 1;
    }
    if (isList) {
        return 0;
    }
    if (passed + failed == 0) {
        printf("no test has a name like that; --list shows all\n");
        return 2;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
