// SPDX-License-Identifier: MIT
// sap.h - sweep and prune: the ends of all boxes along one to three axes, kept sorted.

#ifndef SD_BROADPHASE_SAP_H
#define SD_BROADPHASE_SAP_H

#include "base/simd.h"
#include "broadphase/broadphase.h"

/// Boxes that a sweep is in, by what tells them apart beyond the axis of the sweep: eight abreast.
/// The arrays have room for SD_LANES more.
typedef struct sdSapActive {
    float* lower[2];
    float* upper[2];
    int32_t* slots;
    int count;
} sdSapActive;

/// Report a box's pairs with those that a sweep is in.
/// @return false to stop
SD_DECLARE_KERNEL(bool, sdSap_Compare,
                  (const sdBroadphase* broadphase, sdPairSink* sink, const sdSapActive* active,
                   int slot, const float lower[2], const float upper[2]));

#endif
