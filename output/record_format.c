// SPDX-License-Identifier: MIT
// record_format.c - checksums and hashes of recordings.
//
// Ref:  CRC-32 as in ISO 3309; FNV-1a, 64 bits.

#include "record_format.h"

uint32_t sdCrc32(uint32_t crc, const void* bytes, size_t size) {
    // four bits at a time: a table that fits a line of cache and needs no set-up
    static const uint32_t table[16] = {0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC,
                                       0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
                                       0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
                                       0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};
    const uint8_t* p = bytes;
    crc = ~crc;
    for (size_t i = 0; i < size; ++i) {
        crc = table[(crc ^ p[i]) & 15] ^ (crc >> 4);
        crc = table[(crc ^ (uint32_t)(p[i] >> 4)) & 15] ^ (crc >> 4);
    }
    return ~crc;
}

static uint64_t hashBits(uint64_t hash, uint64_t bits) {
    return (hash ^ bits) * UINT64_C(1099511628211);
}

uint64_t sdRecord_HashFrame(uint64_t hash, double time, const sdRecordState* states, int count) {
    uint64_t bits;
    memcpy(&bits, &time, sizeof bits);
    hash = hashBits(hash, bits);
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < SD_RECORD_DOUBLES; ++k) {
            hash = hashBits(hash, states[i].d[k]);
        }
        for (int k = 0; k < SD_RECORD_FLOATS; ++k) {
            hash = hashBits(hash, states[i].f[k]);
        }
        hash = hashBits(hash, states[i].isAwake);
    }
    return hash;
}
