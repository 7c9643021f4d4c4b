// SPDX-License-Identifier: MIT
// simd.c - which kernels this processor can run.

#include "base/simd.h"

#if defined(SD_HAVE_AVX2_KERNELS)
bool sdSimd_HasAvx2(void) {
    return __builtin_cpu_supports("avx2") != 0;
}
#endif
