// SPDX-License-Identifier: MIT
// broadphase_kernel.c - do boxes still fit into their fat boxes? Asked of every moving proxy in
// every step, so it must cost next to nothing.
//
// In:   ids, boxes in double, fat boxes in float.
// Out:  which need no new fat box.

#include "broadphase/broadphase.h"

SD_INLINE sdD4 loadFloats(const float* p) {
    sdF4 r;
    memcpy(&r, p, sizeof r);
    return __builtin_convertvector(r, sdD4);
}

/// A box is six numbers in a row, taken as two overlapping rows of four: (lx ly lz ux) and
/// (lz ux uy uz). NaN fits nowhere.
SD_INLINE bool fits(const sdAABB* fat, float slack, const sdWorldBox* box) {
    const int64_t minus = INT64_MIN;
    const sdL4 signs0 = {0, 0, 0, minus}, signs1 = {0, minus, minus, minus};
    const sdD4 zero = sdD4_Splat(0.0);
    const sdD4 most = sdD4_Splat((double)slack);
    sdD4 box0 = sdD4_Load(&box->lower.x);
    sdD4 box1 = sdD4_Load(&box->lower.z);
    // how far the fat box is further out, by sides
    sdD4 out0 = (sdD4)((sdL4)(box0 - loadFloats(&fat->lower.x)) ^ signs0);
    sdD4 out1 = (sdD4)((sdL4)(box1 - loadFloats(&fat->lower.z)) ^ signs1);
    sdL4 isInside = (out0 >= zero) & (out0 <= most) & (out1 >= zero) & (out1 <= most);
    sdL4 isUpright = __builtin_shufflevector(box0, box0, 0, 1, 2, 2) <=
                     __builtin_shufflevector(box1, box1, 1, 2, 3, 3);
    return sdI8_MaskBits((sdI8)(isInside & isUpright)) == 0xFF;
}

int SD_KERNEL(sdBroadphase_CountFitting)(const sdBroadphase* broadphase, const sdProxyId* ids,
                                         const sdWorldBox* boxes, int count) {
    int slotCount = broadphase->ids.slotCount;
    for (int i = 0; i < count; ++i) {
        int slot = sdProxyId_Slot(ids[i]);
        if (slot >= slotCount) {
            return i;
        }
        // where no proxy is, the fat box is empty, so that SD_NULL_PROXY does not fit either
        const sdFit* fit = broadphase->fits + slot;
        if (fit->id != ids[i] || !fits(broadphase->boxes + slot, fit->slack, boxes + i)) {
            return i;
        }
    }
    return count;
}

bool SD_KERNEL(sdBroadphase_FitsOnItsWay)(const sdBroadphase* broadphase, sdProxyId id,
                                          const sdWorldBox* box, float ahead) {
    int slot = sdProxyId_Slot(id);
    if (slot >= broadphase->ids.slotCount) {
        return false;
    }
    const sdFit* fit = broadphase->fits + slot;
    return fit->id == id && fits(broadphase->boxes + slot, fit->slack + ahead, box);
}
