// SPDX-License-Identifier: MIT
// simd_level.h - run kernels at their base level on a processor that can do more.

#ifndef SD_TEST_SIMD_LEVEL_H
#define SD_TEST_SIMD_LEVEL_H

#include <stdbool.h>

/// From now on SD_DISPATCH takes base kernels, or the best ones again.
/// @return whether that makes a difference here
bool TestSimd_ForceBase(bool isForced);

#endif
