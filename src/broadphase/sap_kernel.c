// SPDX-License-Identifier: MIT
// sap_kernel.c - the inner loop of sweep and prune: one box against all that the sweep is in.

#include "broadphase/sap.h"

bool SD_KERNEL(sdSap_Compare)(const sdBroadphase* broadphase, sdPairSink* sink,
                              const sdSapActive* active, int slot, const float lower[2],
                              const float upper[2]) {
    sdF8 l0 = sdF8_Splat(lower[0]), l1 = sdF8_Splat(lower[1]);
    sdF8 u0 = sdF8_Splat(upper[0]), u1 = sdF8_Splat(upper[1]);
    sink->testCount += active->count;
    for (int i = 0; i < active->count; i += SD_LANES) {
        sdI8 mask = sdF8_LessEqual(sdF8_Load(active->lower[0] + i), u0) &
                    sdF8_LessEqual(l0, sdF8_Load(active->upper[0] + i)) &
                    sdF8_LessEqual(sdF8_Load(active->lower[1] + i), u1) &
                    sdF8_LessEqual(l1, sdF8_Load(active->upper[1] + i));
        unsigned bits = (unsigned)sdI8_MaskBits(mask);
        // the last lanes are left over from others
        int left = active->count - i;
        bits &= left < SD_LANES ? (1u << left) - 1u : 0xFFu;
        for (; bits != 0; bits &= bits - 1) {
            if (!sdPairSink_Add(broadphase, sink, slot, active->slots[i + __builtin_ctz(bits)])) {
                return false;
            }
        }
    }
    return true;
}
