// SPDX-License-Identifier: MIT
// delta.c - see delta.h.
//
// A difference is a row of runs: two bytes, blocks that are equal; two bytes, blocks that are not;
// then these. A block has two bytes of tags, two bits a word, and the words' lower bytes.

#include "base/delta.h"

#include <stdbool.h>
#include <string.h>

#define WORDS 8
#define BLOCK (WORDS * sizeof(uint32_t))

/// Blocks of a run.
#define MOST_BLOCKS 65535

/// Bytes kept of a word, by its tag.
static const uint8_t kept[4] = {0, 2, 3, 4};
static const uint32_t masks[4] = {0, 0xFFFFu, 0xFFFFFFu, 0xFFFFFFFFu};

static size_t blocksOf(size_t size) {
    return (size + BLOCK - 1) / BLOCK;
}

size_t sdDelta_Bound(size_t size) {
    // a run for every block at worst, and a word is written whole before it is cut
    return blocksOf(size) * (4 + 2 + BLOCK) + SD_DELTA_SLACK;
}

static void put16(uint8_t* p, unsigned value) {
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
}

static unsigned get16(const uint8_t* p) {
    return p[0] | (unsigned)p[1] << 8;
}

/// Words of a block; zero beyond the end.
static void load(const void* data, size_t size, size_t offset, uint32_t words[WORDS]) {
    size_t left = offset < size ? size - offset : 0;
    if (left >= BLOCK) {
        memcpy(words, (const char*)data + offset, BLOCK);
        return;
    }
    memset(words, 0, BLOCK);
    if (left > 0) {
        memcpy(words, (const char*)data + offset, left);
    }
}

/// @return whether any word differs
static bool compare(const void* from, size_t fromSize, const void* to, size_t size, size_t offset,
                    uint32_t words[WORDS]) {
    uint32_t before[WORDS];
    uint32_t any = 0;
    // what `from` has beyond the end of `to` does not count
    load(from, fromSize < size ? fromSize : size, offset, before);
    load(to, size, offset, words);
    for (int i = 0; i < WORDS; ++i) {
        words[i] ^= before[i];
        any |= words[i];
    }
    return any != 0;
}

static uint8_t* putBlock(uint8_t* out, const uint32_t words[WORDS]) {
    uint8_t* tags = out;
    unsigned bits = 0;
    out += 2;
    for (int i = 0; i < WORDS; ++i) {
        uint32_t w = words[i];
        unsigned tag = (unsigned)(w != 0) + (unsigned)(w > 0xFFFFu) + (unsigned)(w > 0xFFFFFFu);
        bits |= tag << (2 * i);
        put16(out, w & 0xFFFFu);
        put16(out + 2, w >> 16);
        out += kept[tag];
    }
    put16(tags, bits);
    return out;
}

static const uint8_t* getBlock(const uint8_t* in, uint32_t words[WORDS]) {
    unsigned bits = get16(in);
    in += 2;
    for (int i = 0; i < WORDS; ++i) {
        unsigned tag = bits >> (2 * i) & 3;
        words[i] = (get16(in) | (uint32_t)get16(in + 2) << 16) & masks[tag];
        in += kept[tag];
    }
    return in;
}

size_t sdDelta_Encode(const void* from, size_t fromSize, const void* to, size_t size,
                      uint8_t* delta) {
    uint8_t* out = delta;
    size_t count = blocksOf(size);
    uint32_t words[WORDS];
    for (size_t i = 0; i < count;) {
        unsigned equal = 0, other = 0;
        bool differs = false;
        while (i < count && equal < MOST_BLOCKS &&
               !(differs = compare(from, fromSize, to, size, i * BLOCK, words))) {
            ++equal;
            ++i;
        }
        uint8_t* run = out;
        out += 4;
        while (differs && other < MOST_BLOCKS) {
            out = putBlock(out, words);
            ++other;
            ++i;
            differs = i < count && compare(from, fromSize, to, size, i * BLOCK, words);
        }
        put16(run, equal);
        put16(run + 2, other);
    }
    return (size_t)(out - delta);
}

size_t sdDelta_Decode(const void* from, size_t fromSize, void* to, size_t size,
                      const uint8_t* delta) {
    const uint8_t* in = delta;
    size_t count = blocksOf(size);
    for (size_t i = 0; i < count;) {
        size_t equal = get16(in), other = get16(in + 2);
        in += 4;
        for (size_t k = 0; k < equal + other; ++k, ++i) {
            size_t offset = i * BLOCK;
            uint32_t before[WORDS], words[WORDS] = {0};
            load(from, fromSize, offset, before);
            in = k >= equal ? getBlock(in, words) : in;
            for (int j = 0; j < WORDS; ++j) {
                words[j] ^= before[j];
            }
            memcpy((char*)to + offset, words, size - offset < BLOCK ? size - offset : BLOCK);
        }
    }
    return (size_t)(in - delta);
}
