// SPDX-License-Identifier: MIT
// simd_level.c - see simd_level.h.

#include "simd_level.h"

#include "base/simd.h"

#if defined(SD_HAVE_AVX2_KERNELS)

/// What __builtin_cpu_supports looks at: libgcc keeps it for both compilers. The library asks at
/// every call, so that it has no state of its own that a test could set.
struct TestCpuModel {
    unsigned int vendor, type, subtype, features[1];
};
extern struct TestCpuModel __cpu_model __attribute__((visibility("hidden")));

#define FEATURE_AVX2 (1u << 10)

bool TestSimd_ForceBase(bool isForced) {
    static bool isRead, hasAvx2;
    if (!isRead) {
        hasAvx2 = sdSimd_HasAvx2();
        isRead = true;
    }
    __cpu_model.features[0] &= ~FEATURE_AVX2;
    __cpu_model.features[0] |= hasAvx2 && !isForced ? FEATURE_AVX2 : 0u;
    __asm__ volatile("" : : : "memory"); // the built-in function reads it under another name
    return hasAvx2 && sdSimd_HasAvx2() == !isForced;
}

#else

bool TestSimd_ForceBase(bool isForced) {
    (void)isForced;
    return false;
}

#endif
