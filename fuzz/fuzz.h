// SPDX-License-Identifier: MIT
// fuzz.h - what fuzz targets share: bytes read as numbers, seeds, and checks that end the program.
//
// A target takes any bytes and must come back: no crash, no hang, no leak, every CHECK true. It is
// built twice: with driver.c, which runs anywhere (also as WebAssembly) and mutates seeds in an
// order that only depends on a number, and with libfuzzer.c for clang's libFuzzer, which sees what
// code an input reaches. Checks, memory that is counted and random numbers are those of the tests
// (test/support.h); a check that fails ends the program here.

#ifndef SD_FUZZ_H
#define SD_FUZZ_H

#include "support.h"

// ---- targets -------------------------------------------------------------------------------

typedef struct FuzzSeeds FuzzSeeds;
/// Copies the bytes.
void FuzzSeeds_Add(FuzzSeeds* seeds, const void* bytes, size_t size);
/// A text, in which ' stands for ".
void FuzzSeeds_AddText(FuzzSeeds* seeds, const char* text);

typedef struct FuzzTarget {
    const char* name;
    /// @return a hash of the results: the same for every build
    uint64_t (*run)(const uint8_t* bytes, size_t size);
    /// Inputs to begin with, which reach far.
    void (*addSeeds)(FuzzSeeds* seeds);
    size_t maxSize;           ///< of inputs, bytes
    const char* const* words; ///< that mean something in a text, ended by NULL; NULL: not a text
} FuzzTarget;

/// Each program has one.
extern const FuzzTarget fuzzTarget;

// ---- bytes as numbers ----------------------------------------------------------------------

/// Never reads beyond the end: what is not there is zero.
typedef struct FuzzInput {
    const uint8_t* bytes;
    size_t size, at;
    int wildness; ///< of 256 numbers, so many are wild ones: huge, tiny, not finite
} FuzzInput;

FuzzInput FuzzInput_Make(const uint8_t* bytes, size_t size);
bool FuzzInput_IsAtEnd(const FuzzInput* in);
uint8_t FuzzInput_Byte(FuzzInput* in);
bool FuzzInput_Bool(FuzzInput* in);
/// 0 .. count - 1, at most 65536.
int FuzzInput_Int(FuzzInput* in, int count);
uint32_t FuzzInput_Word(FuzzInput* in);
/// Between a and b, or wild.
float FuzzInput_Float(FuzzInput* in, float a, float b);
/// Many sizes, 1e-3 .. 1e3 times the usual one, most of them near it; or wild.
float FuzzInput_Size(FuzzInput* in, float usual);
sdVec3 FuzzInput_Vec3(FuzzInput* in, float reach);
sdPos FuzzInput_Pos(FuzzInput* in, double reach);
/// A unit one, some of them along the axes; or wild.
sdQuat FuzzInput_Quat(FuzzInput* in);
sdTransform FuzzInput_Transform(FuzzInput* in, float reach);
/// The rest of the input.
const uint8_t* FuzzInput_Rest(FuzzInput* in, size_t* size);

// ---- hashes --------------------------------------------------------------------------------

/// Continue a hash. Numbers that are not a number count as one and the same.
uint64_t FuzzHash_Float(uint64_t hash, float value);
uint64_t FuzzHash_Vec3(uint64_t hash, sdVec3 value);
uint64_t FuzzHash_Int(uint64_t hash, long long value);

bool Fuzz_IsUnit(sdVec3 v);

/// Print words of targets, not only those of failures.
extern bool fuzzIsLoud;

#endif
