// SPDX-License-Identifier: MIT
// support.c - see support.h.

#include "support.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void* countingAllocate(void* user, size_t size, size_t alignment) {
    TestContext* test = user;
    int number = test->allocationCount++;
    bool fails = test->failAt >= 0 &&
                 (number == test->failAt || (test->failAllAfter && number > test->failAt));
    // no test means to take more; a wrong size must not bring the machine down
    if (fails || (uint64_t)size > (uint64_t)1 << 33) {
        return NULL;
    }
    void* memory = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (memory != NULL) {
        // whoever reads memory before writing it shall notice
        memset(memory, 0xA5, size);
        test->liveCount += 1;
        test->liveBytes += (int64_t)size;
        test->peakBytes = test->liveBytes > test->peakBytes ? test->liveBytes : test->peakBytes;
    }
    return memory;
}

static void countingRelease(void* user, void* memory, size_t size) {
    TestContext* test = user;
    test->liveCount -= 1;
    test->liveBytes -= (int64_t)size;
    free(memory);
}

static void rememberLog(void* user, sdLogLevel level, const char* text) {
    TestContext* test = user;
    snprintf(test->lastText, sizeof test->lastText, "%s", text);
    if (level == SD_LOG_ERROR) {
        test->errorCount += 1;
        snprintf(test->lastError, sizeof test->lastError, "%s", text);
    }
}

void TestContext_Init(TestContext* test) {
    memset(test, 0, sizeof *test);
    test->failAt = -1;
    test->context = sdContext_Default();
    test->context.allocator = (sdAllocator){countingAllocate, countingRelease, test};
    test->context.logger = (sdLogger){rememberLog, test};
}

void TestContext_Finish(TestContext* test) {
    CHECK_INT(test->liveCount, 0);
    CHECK_INT(test->liveBytes, 0);
}

int TestContext_FailEach(TestAction* action, void* arg) {
    // more allocations than any single action makes: reaching it is a failure
    const int limit = 100000;
    for (int failAt = 0; failAt < limit; ++failAt) {
        TestContext test;
        TestContext_Init(&test);
        test.failAt = failAt;
        sdResult result = action(&test.context, arg);
        TestContext_Finish(&test);
        if (test.allocationCount <= failAt) {
            CHECK_INT(result, SD_OK);
            return test.allocationCount;
        }
        CHECK_INT(result, SD_ERROR_OUT_OF_MEMORY);
        CHECK(test.errorCount > 0);
    }
    CHECK_INT(limit, 0);
    return limit;
}

TestRandom TestRandom_Make(uint64_t seed) {
    TestRandom random = {seed * 2862933555777941757ull + 3037000493ull};
    TestRandom_Next(&random);
    return random;
}

uint32_t TestRandom_Next(TestRandom* random) {
    uint64_t old = random->state;
    random->state = old * 6364136223846793005ull + 1442695040888963407ull;
    uint32_t shifted = (uint32_t)(((old >> 18) ^ old) >> 27);
    uint32_t turn = (uint32_t)(old >> 59);
    return (shifted >> turn) | (shifted << ((32u - turn) & 31u));
}

int TestRandom_Int(TestRandom* random, int count) {
    return (int)(TestRandom_Next(random) % (uint32_t)count);
}

float TestRandom_Float(TestRandom* random, float a, float b) {
    return a + (b - a) * ((float)(TestRandom_Next(random) >> 8) * (1.0f / 16777216.0f));
}

sdVec3 TestRandom_InBox(TestRandom* random, float halfSize) {
    float x = TestRandom_Float(random, -halfSize, halfSize);
    float y = TestRandom_Float(random, -halfSize, halfSize);
    float z = TestRandom_Float(random, -halfSize, halfSize);
    return sdV3(x, y, z);
}

sdVec3 TestRandom_InBall(TestRandom* random) {
    sdVec3 p;
    do {
        p = TestRandom_InBox(random, 1.0f);
    } while (sdLengthSquared(p) > 1.0f);
    return p;
}

sdVec3 TestRandom_OnSphere(TestRandom* random) {
    sdVec3 p;
    do {
        p = TestRandom_InBall(random);
    } while (sdLengthSquared(p) < 0.01f);
    return sdNormalize(p);
}

sdQuat TestRandom_Rotation(TestRandom* random) {
    sdQuat q;
    float squared;
    do {
        q.v = TestRandom_InBox(random, 1.0f);
        q.s = TestRandom_Float(random, -1.0f, 1.0f);
        squared = sdDotQ(q, q);
    } while (squared > 1.0f || squared < 0.01f);
    return sdNormalizeQ(q);
}

sdTransform TestAt(float x, float y, float z) {
    return sdTransform_Make(sdV3(x, y, z), sdQuat_Identity());
}

uint64_t TestHash(uint64_t hash, const void* data, size_t size) {
    const unsigned char* bytes = data;
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ bytes[i]) * 1099511628211ull;
    }
    return hash;
}

float TestNaN(void) {
    volatile float zero = 0.0f;
    return zero / zero;
}

float TestInfinity(void) {
    volatile float zero = 0.0f;
    return 1.0f / zero;
}

// everything takes many times as long under sanitizers
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define USUAL_SCALE 0.1
#else
#define USUAL_SCALE 1.0
#endif
#define MAX_SCALE 1e6

static double exactScale(void) {
    const char* text = getenv("SD_TEST_SCALE");
    double scale = text != NULL ? strtod(text, NULL) : USUAL_SCALE;
    return scale > 0.0 && scale <= MAX_SCALE ? scale : USUAL_SCALE;
}

int TestScale(void) {
    return TestIsShort() ? 1 : (int)exactScale();
}

bool TestIsShort(void) {
    return exactScale() < 1.0;
}

int TestRounds(int usual) {
    double rounds = floor(usual * exactScale() + 0.5);
    return rounds < 1.0 ? 1 : rounds > INT_MAX ? INT_MAX : (int)rounds;
}

int TestCount(int full) {
    return TestRounds(full / 10);
}
