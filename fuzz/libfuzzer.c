// SPDX-License-Identifier: MIT
// libfuzzer.c - a target as clang's libFuzzer wants it. Seeds come as files, which the driver of
// the same target has written.

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    if (size <= fuzzTarget.maxSize) {
        fuzzTarget.run(bytes, size);
    }
    return 0;
}

void FuzzSeeds_Add(FuzzSeeds* seeds, const void* bytes, size_t size) {
    (void)seeds;
    (void)bytes;
    (void)size;
}

void FuzzSeeds_AddText(FuzzSeeds* seeds, const char* text) {
    (void)seeds;
    (void)text;
}
