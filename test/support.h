// SPDX-License-Identifier: MIT
// support.h - what tests share: a context that counts, fails and remembers; random numbers.

#ifndef SD_TEST_SUPPORT_H
#define SD_TEST_SUPPORT_H

#include "harness.h"
#include "sudar/sudar.h"

/// A context for tests. Usage:
///     TestContext test;
///     TestContext_Init(&test);
///     ... sdMesh_Create(&test.context, ...)
///     TestContext_Finish(&test);   // checks that everything was freed
/// The struct must stay where it is while its context is used.
typedef struct TestContext {
    sdContext context;
    int allocationCount; ///< so far
    int64_t liveCount;   ///< allocations not yet freed
    int64_t liveBytes;   ///< by the sizes given when freeing, so that wrong sizes are found
    int64_t peakBytes;
    int failAt;           ///< the allocation with this number (from 0) fails; -1: none
    bool failAllAfter;    ///< ... and all that follow
    int errorCount;       ///< texts of level error
    char lastText[1024];  ///< newest log text of any level
    char lastError[1024]; ///< newest error text
} TestContext;

void TestContext_Init(TestContext* test);
void TestContext_Finish(TestContext* test);

/// Run `action` with its first, second, third ... allocation failing until one run succeeds;
/// checks that each failing run returns SD_ERROR_OUT_OF_MEMORY and leaks nothing.
/// @return the number of allocations that a successful run makes
typedef sdResult TestAction(const sdContext* context, void* arg);
int TestContext_FailEach(TestAction* action, void* arg);

/// PCG32: the same numbers everywhere.
typedef struct TestRandom {
    uint64_t state;
} TestRandom;

TestRandom TestRandom_Make(uint64_t seed);
uint32_t TestRandom_Next(TestRandom* random);
int TestRandom_Int(TestRandom* random, int count);            ///< 0 .. count - 1
float TestRandom_Float(TestRandom* random, float a, float b); ///< a <= x < b
sdVec3 TestRandom_InBox(TestRandom* random, float halfSize);
sdVec3 TestRandom_OnSphere(TestRandom* random); ///< unit
sdVec3 TestRandom_InBall(TestRandom* random);
sdQuat TestRandom_Rotation(TestRandom* random);

/// Not turned.
sdTransform TestAt(float x, float y, float z);

/// FNV-1a over bytes, to compare long computations by one number.
uint64_t TestHash(uint64_t hash, const void* data, size_t size);
#define TEST_HASH_START 14695981039346656037ull

/// How many times as long random tests run: the environment variable SD_TEST_SCALE, or 1, or 0.1
/// under sanitizers. `make test` runs the second compiler and WebAssembly at 0.2, `make soak`
/// at 10. This is whole and at least 1; TestRounds knows the fractions.
int TestScale(void);
/// Whether the scale is below 1, so that what seldom happens may not have happened.
bool TestIsShort(void);
/// The number of rounds of a random test: `usual` times the scale, at least 1.
int TestRounds(int usual);
/// A tenth of the count that is claimed, times the scale: so `make soak` runs all of it.
int TestCount(int full);

/// A number that is not finite, made without the compiler noticing.
float TestNaN(void);
float TestInfinity(void);

#endif
