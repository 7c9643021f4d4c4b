// SPDX-License-Identifier: MIT
// import_text.c - see import_text.h.

// fileno, ftruncate
#define _POSIX_C_SOURCE 200809L

#include "import_text.h"

#include "scene_text.h"

#include <stdio.h>
#include <unistd.h>

/// Importers read files by their names: this one has no name but that of its handle.
static FILE* scratch;

uint64_t FuzzImport_Run(bool (*read)(CliImport* import), const uint8_t* bytes, size_t size) {
    if (scratch == NULL) {
        scratch = tmpfile();
        CHECK(scratch != NULL);
    }
    rewind(scratch);
    CHECK(ftruncate(fileno(scratch), 0) == 0);
    CHECK(fwrite(bytes, 1, size, scratch) == size && fflush(scratch) == 0);
    char path[64];
    snprintf(path, sizeof path, "/dev/fd/%d", fileno(scratch));
    CliImport import = {.path = path};
    bool isRead = read(&import);
    CHECK(isRead == !import.hasFailed);
    CHECK(isRead || import.fault[0] != '\0');
    uint64_t hash = FuzzHash_Int(TEST_HASH_START, isRead);
    if (isRead) {
        hash = FuzzSceneText_Run(hash, import.out.data, import.out.length);
    }
    CliImport_Free(&import);
    return hash;
}
