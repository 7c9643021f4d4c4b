// SPDX-License-Identifier: MIT
// libfuzzer.c - a target as clang's libFuzzer wants it.

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    if (size <= fuzzTarget.maxSize) {
        fuzzTarget.run(bytes, size);
    }
    return 0;
}
