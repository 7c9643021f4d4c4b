// SPDX-License-Identifier: MIT
// harness.h - a small test bed that also runs as WebAssembly.
//
//     SD_TEST(mesh_volume_of_cube) {
//         ...
//         CHECK_NEAR(volume, 8.0, 1e-6);
//     }
//
// A test registers itself. `sudar_test --list` names them all, `sudar_test 'mesh_*'` runs some.
// A failed CHECK is printed with both values and the test goes on; REQUIRE leaves the test.

#ifndef SD_TEST_HARNESS_H
#define SD_TEST_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void sdTestFcn(void);

typedef struct sdTestCase {
    const char* name;
    sdTestFcn* run;
    struct sdTestCase* next;
} sdTestCase;

void sdTest_Register(sdTestCase* testCase);
bool sdTest_Check(bool ok, const char* file, int line, const char* text);
bool sdTest_CheckNear(double a, double b, double tolerance, const char* file, int line,
                      const char* text);
bool sdTest_CheckInt(long long a, long long b, const char* file, int line, const char* text);
bool sdTest_CheckText(const char* text, const char* part, const char* file, int line);

/// A line of output that belongs to the running test: measured figures, counters.
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void sdTest_Print(const char* format, ...);

#define SD_TEST(testName)                                                                          \
    static void testName(void);                                                                    \
    static sdTestCase testName##_case = {#testName, testName, NULL};                               \
    __attribute__((constructor)) static void testName##_register(void) {                           \
        sdTest_Register(&testName##_case);                                                         \
    }                                                                                              \
    static void testName(void)

#define CHECK(condition) sdTest_Check((condition), __FILE__, __LINE__, #condition)
/// |a - b| <= tolerance; fails for NaN.
#define CHECK_NEAR(a, b, tolerance)                                                                \
    sdTest_CheckNear((double)(a), (double)(b), (double)(tolerance), __FILE__, __LINE__, #a " ~ " #b)
#define CHECK_INT(a, b)                                                                            \
    sdTest_CheckInt((long long)(a), (long long)(b), __FILE__, __LINE__, #a " == " #b)
/// `part` occurs in `text`.
#define CHECK_TEXT(text, part) sdTest_CheckText((text), (part), __FILE__, __LINE__)
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!CHECK(condition)) {                                                                   \
            return;                                                                                \
        }                                                                                          \
    } while (0)

#endif
