// SPDX-License-Identifier: MIT
// hash.h - 64-bit hashes that are the same on every machine.

#ifndef SD_BASE_HASH_H
#define SD_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/// XXH64 of a run of bytes: about 10 bytes a nanosecond, no cryptography. Hash several runs by
/// giving the result of one as the seed of the next.
uint64_t sdHash_Bytes(const void* data, size_t size, uint64_t seed);

/// Of 32-bit words (integers or floats) by value, so that machines of either byte order agree.
uint64_t sdHash_Words(const void* words, size_t count, uint64_t seed);

/// Spread a key over all 64 bits, one to one.
static inline uint64_t sdHash_Mix(uint64_t key) {
    // finalizer of MurmurHash3, constants by Stafford ("Mix13")
    key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9u;
    key = (key ^ (key >> 27)) * 0x94D049BB133111EBu;
    return key ^ (key >> 31);
}

#endif
