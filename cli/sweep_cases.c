// SPDX-License-Identifier: MIT
// sweep_cases.c - the cases of a sweep: all combinations of lists, or a random sample.
//
//     subStepCount=2,4,8            a list
//     gravity=0,-9.81,0|0,-1.62,0   a list of what has commas
//     slop=1e-4..1e-2               any number between, for samples
//     slop=1e-4..1e-2:log           the same, as many in each decade
//     seed=1..1000                  any whole number: both ends are written as such

#include "sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- reading -------------------------------------------------------------------------------

/// All of a text as a number.
static bool readNumber(const char* text, size_t length, double* out) {
    char copy[SWEEP_VALUE_SIZE], *end;
    if (length == 0 || length >= sizeof copy) {
        return false;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    *out = strtod(copy, &end);
    return *end == '\0' && isfinite(*out);
}

/// "from..to" or "from..to:log".
static bool readRange(SweepAxis* axis) {
    const char* dots = strstr(axis->text, "..");
    const char* end = strchr(axis->text, ':');
    axis->isLog = end != NULL && strcmp(end, ":log") == 0;
    if (end != NULL && !axis->isLog) {
        return false;
    }
    size_t length = end != NULL ? (size_t)(end - axis->text) : strlen(axis->text);
    axis->isWhole = strspn(axis->text, "+-0123456789.") >= length &&
                    memchr(axis->text, '.', (size_t)(dots - axis->text)) == NULL &&
                    memchr(dots + 2, '.', length - (size_t)(dots + 2 - axis->text)) == NULL;
    return readNumber(axis->text, (size_t)(dots - axis->text), &axis->lower) &&
           readNumber(dots + 2, length - (size_t)(dots + 2 - axis->text), &axis->upper) &&
           axis->lower <= axis->upper && (!axis->isLog || axis->lower > 0.0);
}

static CliExit readAxis(const char* word, SweepAxis* axis) {
    const char* equals = strchr(word, '=');
    if (equals == NULL || equals == word || (size_t)(equals - word) >= sizeof axis->key ||
        equals[1] == '\0') {
        return Cli_Fail(CLI_USAGE, "sweep",
                        "--vary wants key=value,value,... or key=from..to, not '%s'", word);
    }
    *axis = (SweepAxis){.text = equals + 1};
    memcpy(axis->key, word, (size_t)(equals - word));
    if (strstr(axis->text, "..") != NULL) {
        axis->isRange = true;
        if (!readRange(axis)) {
            return Cli_Fail(CLI_USAGE, "sweep",
                            "--vary %s: a range is from..to, the smaller number first (and above 0 "
                            "with :log), not '%s'",
                            axis->key, axis->text);
        }
        return CLI_OK;
    }
    axis->separator = strchr(axis->text, '|') != NULL ? '|' : ',';
    axis->valueCount = 1;
    for (const char* c = axis->text; *c != '\0'; ++c) {
        axis->valueCount += *c == axis->separator;
    }
    return axis->valueCount <= SWEEP_MAX_VALUES
               ? CLI_OK
               : Cli_Fail(CLI_USAGE, "sweep", "--vary %s has %d values; at most %d are possible",
                          axis->key, axis->valueCount, SWEEP_MAX_VALUES);
}

/// The i-th value of a list; false when it is empty or too long.
static bool copyValue(const SweepAxis* axis, int i, char* out) {
    const char* from = axis->text;
    while (i > 0) {
        i -= *from++ == axis->separator;
    }
    const char* end = strchr(from, axis->separator);
    size_t length = end != NULL ? (size_t)(end - from) : strlen(from);
    if (length == 0 || length >= SWEEP_VALUE_SIZE) {
        return false;
    }
    memcpy(out, from, length);
    out[length] = '\0';
    return true;
}

static CliExit checkAxis(const SweepCases* cases, int index) {
    const SweepAxis* axis = &cases->axes[index];
    if (axis->isRange && cases->sampleCount == 0) {
        return Cli_Fail(CLI_USAGE, "sweep",
                        "--vary %s is a range: say how many --samples to take of it", axis->key);
    }
    for (int i = 0; i < index; ++i) {
        if (strcmp(cases->axes[i].key, axis->key) == 0) {
            return Cli_Fail(CLI_USAGE, "sweep", "--vary %s is there twice", axis->key);
        }
    }
    char value[SWEEP_VALUE_SIZE];
    for (int i = 0; i < axis->valueCount; ++i) {
        if (!copyValue(axis, i, value)) {
            return Cli_Fail(CLI_USAGE, "sweep",
                            "--vary %s: value %d is empty or longer than %d letters", axis->key,
                            i + 1, SWEEP_VALUE_SIZE - 1);
        }
    }
    return CLI_OK;
}

CliExit SweepCases_Parse(const CliList* words, int sampleCount, uint64_t seed, SweepCases* out) {
    *out = (SweepCases){.sampleCount = sampleCount, .seed = seed};
    if (words->count == 0) {
        return Cli_Fail(CLI_USAGE, "sweep", "what is to vary? --vary key=value,value,...");
    }
    if (words->count > SWEEP_MAX_AXES) {
        return Cli_Fail(CLI_USAGE, "sweep", "--vary at most %d times", SWEEP_MAX_AXES);
    }
    double product = 1.0;
    for (int i = 0; i < words->count; ++i) {
        CliExit code = readAxis(words->items[i], &out->axes[i]);
        if (code == CLI_OK) {
            code = checkAxis(out, i);
        }
        if (code != CLI_OK) {
            return code;
        }
        product *= out->axes[i].valueCount;
    }
    out->axisCount = words->count;
    double count = sampleCount > 0 ? (double)sampleCount : product;
    if (count > SWEEP_MAX_CASES) {
        return Cli_Fail(CLI_USAGE, "sweep", "%.0f cases; at most %d are possible", count,
                        SWEEP_MAX_CASES);
    }
    out->count = (int)count;
    return CLI_OK;
}

// ---- values --------------------------------------------------------------------------------

/// A number of 64 bits for each case and axis (splitmix64), the same in every process.
static uint64_t mix(uint64_t seed, int caseIndex, int axis) {
    uint64_t x =
        seed + 0x9e3779b97f4a7c15u * ((uint64_t)caseIndex * SWEEP_MAX_AXES + (uint64_t)axis + 1);
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

void SweepCases_GetValue(const SweepCases* cases, int caseIndex, int axis, char* out) {
    const SweepAxis* a = &cases->axes[axis];
    if (cases->sampleCount > 0) {
        uint64_t random = mix(cases->seed, caseIndex, axis);
        double share = (double)(random >> 11) * 0x1p-53;
        if (!a->isRange) {
            copyValue(a, (int)(share * a->valueCount), out);
            return;
        }
        double value = a->isLog ? a->lower * pow(a->upper / a->lower, share)
                                : a->lower + share * (a->upper - a->lower);
        if (a->isWhole) {
            // each of them as likely
            double span = a->upper - a->lower + 1.0;
            value = a->isLog ? floor(value) : a->lower + floor(share * span);
            snprintf(out, SWEEP_VALUE_SIZE, "%.0f", value);
            return;
        }
        snprintf(out, SWEEP_VALUE_SIZE, "%.9g", value);
        return;
    }
    // the last axis varies fastest
    int index = caseIndex;
    for (int i = cases->axisCount - 1; i > axis; --i) {
        index /= cases->axes[i].valueCount;
    }
    copyValue(a, index % a->valueCount, out);
}
