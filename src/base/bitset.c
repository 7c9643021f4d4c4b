// SPDX-License-Identifier: MIT
// bitset.c - see bitset.h.

#include "base/bitset.h"

#include <limits.h>
#include <string.h>

/// So that the number of bits is an int.
#define MAX_WORDS (INT_MAX / 64)

static size_t byteCount(int wordCount) {
    return (size_t)wordCount * sizeof(uint64_t);
}

bool sdBitSet_Reserve(sdBitSet* set, const sdAllocator* allocator, int count) {
    int needed = count / 64 + (count % 64 > 0 ? 1 : 0);
    if (needed <= set->wordCount) {
        return true;
    }
    if (needed > MAX_WORDS) {
        return false;
    }
    int grown = set->wordCount <= MAX_WORDS / 2 ? 2 * set->wordCount : MAX_WORDS;
    grown = grown < needed ? needed : grown;
    uint64_t* words = sdAllocArray(allocator, (size_t)grown, sizeof(uint64_t));
    if (words == NULL) {
        return false;
    }
    if (set->wordCount > 0) {
        memcpy(words, set->words, byteCount(set->wordCount));
    }
    memset(words + set->wordCount, 0, byteCount(grown - set->wordCount));
    sdBitSet_Free(set, allocator);
    set->words = words;
    set->wordCount = grown;
    return true;
}

void sdBitSet_Free(sdBitSet* set, const sdAllocator* allocator) {
    sdFree(allocator, set->words, byteCount(set->wordCount));
    *set = (sdBitSet){0};
}

void sdBitSet_ClearAll(sdBitSet* set) {
    if (set->wordCount > 0) {
        memset(set->words, 0, byteCount(set->wordCount));
    }
}

int sdBitSet_Count(const sdBitSet* set) {
    int count = 0;
    for (int i = 0; i < set->wordCount; ++i) {
        count += __builtin_popcountll(set->words[i]);
    }
    return count;
}

bool sdBitSet_IsWithin(const sdBitSet* set, int count) {
    return count >= 0 && count / 64 + (count % 64 > 0 ? 1 : 0) <= set->wordCount &&
           sdBitSet_Next(set, count) == SD_NULL_INDEX;
}

/// The first bit >= from that is set in words[i] ^ flip, or SD_NULL_INDEX.
static int firstFrom(const sdBitSet* set, int from, uint64_t flip) {
    int i = from >> 6;
    if (i >= set->wordCount) {
        return SD_NULL_INDEX;
    }
    uint64_t word = (set->words[i] ^ flip) & ~(uint64_t)0 << (from & 63);
    while (word == 0) {
        if (++i == set->wordCount) {
            return SD_NULL_INDEX;
        }
        word = set->words[i] ^ flip;
    }
    return i * 64 + __builtin_ctzll(word);
}

int sdBitSet_Next(const sdBitSet* set, int from) {
    return firstFrom(set, from, 0);
}

int sdBitSet_NextAbsent(const sdBitSet* set, int from) {
    int absent = firstFrom(set, from, ~(uint64_t)0);
    int end = set->wordCount * 64;
    return absent != SD_NULL_INDEX ? absent : (from > end ? from : end);
}

void sdBitSet_Unite(sdBitSet* a, const sdBitSet* b) {
    int count = a->wordCount < b->wordCount ? a->wordCount : b->wordCount;
    for (int i = 0; i < count; ++i) {
        a->words[i] |= b->words[i];
    }
}
