// SPDX-License-Identifier: MIT
// hash.c - XXH64.
//
// Ref:  Collet, "xxHash fast digest algorithm", specification 0.1.1.

#include "base/hash.h"

#include <stdbool.h>
#include <string.h>

#define PRIME_1 0x9E3779B185EBCA87u
#define PRIME_2 0xC2B2AE3D27D4EB4Fu
#define PRIME_3 0x165667B19E3779F9u
#define PRIME_4 0x85EBCA77C2B2AE63u
#define PRIME_5 0x27D4EB2F165667C5u

/// Bytes that the four lanes take at a time.
#define STRIPE 32

static inline uint64_t rotate(uint64_t a, int bits) {
    return a << bits | a >> (64 - bits);
}

static inline uint32_t load32(const unsigned char* p, bool isWords) {
    uint32_t a;
    memcpy(&a, p, sizeof a);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return isWords ? a : __builtin_bswap32(a);
#else
    (void)isWords;
    return a;
#endif
}

/// The byte or word that comes first is the low one.
static inline uint64_t load64(const unsigned char* p, bool isWords) {
    return load32(p, isWords) | (uint64_t)load32(p + 4, isWords) << 32;
}

static inline uint64_t round64(uint64_t lane, uint64_t input) {
    return rotate(lane + input * PRIME_2, 31) * PRIME_1;
}

static inline uint64_t merge(uint64_t hash, uint64_t lane) {
    return (hash ^ round64(0, lane)) * PRIME_1 + PRIME_4;
}

static inline uint64_t hashOf(const unsigned char* p, size_t size, uint64_t seed, bool isWords) {
    const unsigned char* end = p + size;
    uint64_t hash = seed + PRIME_5;
    if (size >= STRIPE) {
        uint64_t lanes[4] = {seed + PRIME_1 + PRIME_2, seed + PRIME_2, seed, seed - PRIME_1};
        for (; end - p >= STRIPE; p += STRIPE) {
            for (int i = 0; i < 4; ++i) {
                lanes[i] = round64(lanes[i], load64(p + 8 * i, isWords));
            }
        }
        hash =
            rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) + rotate(lanes[3], 18);
        for (int i = 0; i < 4; ++i) {
            hash = merge(hash, lanes[i]);
        }
    }
    hash += (uint64_t)size;
    for (; end - p >= 8; p += 8) {
        hash = rotate(hash ^ round64(0, load64(p, isWords)), 27) * PRIME_1 + PRIME_4;
    }
    for (; end - p >= 4; p += 4) {
        hash = rotate(hash ^ load32(p, isWords) * PRIME_1, 23) * PRIME_2 + PRIME_3;
    }
    for (; p != end; ++p) {
        hash = rotate(hash ^ *p * PRIME_5, 11) * PRIME_1;
    }
    hash = (hash ^ hash >> 33) * PRIME_2;
    hash = (hash ^ hash >> 29) * PRIME_3;
    return hash ^ hash >> 32;
}

uint64_t sdHash_Bytes(const void* data, size_t size, uint64_t seed) {
    return hashOf(data, size, seed, false);
}

uint64_t sdHash_Words(const void* words, size_t count, uint64_t seed) {
    return hashOf(words, 4 * count, seed, true);
}
