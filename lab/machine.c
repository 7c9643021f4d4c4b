// SPDX-License-Identifier: MIT
// machine.c - see machine.h.

// gmtime_r, sysconf, uname
#define _POSIX_C_SOURCE 200809L

#include "machine.h"

#include "commit.h" // made by cmake/Commit.cmake in every build

#include "sudar/base.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/// The value of the first line "key : value"; "" when there is none.
static void readKey(const char* path, const char* key, char* out, int capacity) {
    out[0] = '\0';
    FILE* file = fopen(path, "r");
    char line[512];
    while (file != NULL && out[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
        char* colon = strchr(line, ':');
        if (colon != NULL && strncmp(line, key, strlen(key)) == 0) {
            colon += 1 + strspn(colon + 1, " \t");
            snprintf(out, (size_t)capacity, "%.*s", (int)strcspn(colon, "\n"), colon);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

/// FNV-1a over the bytes of the running program; 0 where they cannot be read.
static uint64_t hashProgram(void) {
    uint64_t hash = 0;
    FILE* file = fopen("/proc/self/exe", "rb");
    uint8_t bytes[4096];
    size_t count;
    while (file != NULL && (count = fread(bytes, 1, sizeof bytes, file)) > 0) {
        hash = hash == 0 ? 14695981039346656037u : hash;
        for (size_t i = 0; i < count; ++i) {
            hash = (hash ^ bytes[i]) * 1099511628211u;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return hash;
}

LabMachine LabMachine_Look(void) {
    LabMachine m = {0};
    readKey("/proc/cpuinfo", "model name", m.processor, (int)sizeof m.processor);
    if (m.processor[0] == '\0') {
        snprintf(m.processor, sizeof m.processor, "unknown processor");
    }
    m.coreCount = (int)sysconf(_SC_NPROCESSORS_ONLN);
    double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    snprintf(m.memory, sizeof m.memory, "%.1f GiB", bytes / (1024.0 * 1024.0 * 1024.0));
    struct utsname u;
    if (uname(&u) == 0) {
        snprintf(m.system, sizeof m.system, "%.50s %.60s %.30s", u.sysname, u.release, u.machine);
    }
#if defined(__clang__)
    snprintf(m.compiler, sizeof m.compiler, "%.40s, %s", __VERSION__, SD_LAB_FLAGS);
#else
    snprintf(m.compiler, sizeof m.compiler, "gcc %.40s, %s", __VERSION__, SD_LAB_FLAGS);
#endif
    snprintf(m.commit, sizeof m.commit, "%s", SD_LAB_COMMIT);
    snprintf(m.program, sizeof m.program, "%016llx", (unsigned long long)hashProgram());
    sdVersion version = sdGetVersion();
    snprintf(m.version, sizeof m.version, "%d.%d.%d", version.major, version.minor, version.patch);
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts) != NULL) {
        strftime(m.date, sizeof m.date, "%Y-%m-%dT%H:%M:%SZ", &parts);
    }
    return m;
}
