// SPDX-License-Identifier: MIT
// collide_box_write.h - contact points of two boxes, from the frame of a face to a manifold.

#ifndef SD_NARROW_COLLIDE_BOX_WRITE_H
#define SD_NARROW_COLLIDE_BOX_WRITE_H

#include "base/simd4.h"
#include "narrow/collide_box_lanes.h"

/// By what both boxes touch with: a corner, an edge or a face.
/// @param n,inB the unit normal in both frames
SD_INLINE sdContactKind sdBox_KindOf(sdF4 n, sdF4 inB) {
    // by which of them are no edge, and no face; what is no edge is no face
    enum {
        VV = SD_CONTACT_VERTEX_VERTEX,
        VE = SD_CONTACT_VERTEX_EDGE,
        VF = SD_CONTACT_VERTEX_FACE
    };
    enum { EE = SD_CONTACT_EDGE_EDGE, EF = SD_CONTACT_EDGE_FACE, FF = SD_CONTACT_FACE_FACE };
    static const uint8_t kinds[4][4] = {
        {FF, EF, EF, EE}, {EF, VF, EE, VE}, {EF, EE, VF, VE}, {EE, VE, VE, VV}};
    sdF4 a = n * n, b = inB * inB;
    // x, y and z of A and of B
    sdF4 xy = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    sdF4 z = __builtin_shufflevector(a, b, 2, 6, 2, 6);
    sdF4 y = __builtin_shufflevector(xy, xy, 2, 3, 2, 3);
    sdF4 most = sdF4_Max(sdF4_Max(xy, y), z), least = sdF4_Min(sdF4_Min(xy, y), z);
    const sdF4 flat = sdF4_Splat((float)(SD_MANIFOLD_FLAT_TILT * SD_MANIFOLD_FLAT_TILT));
    unsigned notEdge = (unsigned)sdI4_MaskBits(flat < least);
    unsigned notFace = (unsigned)sdI4_MaskBits(flat < xy + y + z - most);
    return (sdContactKind)kinds[notEdge & 3u][notFace & 3u];
}

/// Number of the first of some points; 0 when there are none.
SD_INLINE unsigned sdBoxPoints_First(unsigned bits) {
    return (unsigned)__builtin_ctz(bits | 1u << SD_BOX_CANDIDATES) % SD_BOX_CANDIDATES;
}

/// Places in the frame of A's face, one in each lane, in A's frame.
SD_INLINE void sdBoxFrame_TurnBack(const sdBoxFrame* frame, const sdF4 from[3], sdF4 out[3]) {
    sdI4 flip = sdI4_Splat(frame->flip[1]);
    sdF4 parts[5] = {from[0], (sdF4)((sdI4)from[1] ^ flip), (sdF4)((sdI4)from[2] ^ flip)};
    parts[3] = parts[0];
    parts[4] = parts[1];
    // x is one of them, y and z are those that come after it
    memcpy(out, &parts[frame->back[0]], 3 * sizeof *out);
}

/// Four points at once, those that are not there are zero.
/// @param onA,onB in the frame of A's face
SD_INLINE void sdBoxFrame_WriteFour(const sdBoxFrame* frame, const sdF4 onA[3], const sdF4 onB[3],
                                    sdF4 separation, sdI4 ids, int count, float margin,
                                    sdManifoldPoint out[4]) {
    static const int32_t isThere[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
    sdF4 a[3], b[3], rows[4], halves[2][4];
    sdI4 mask;
    memcpy(&mask, isThere + 4 - count, sizeof mask);
    sdBoxFrame_TurnBack(frame, onA, a);
    sdBoxFrame_TurnBack(frame, onB, b);
    for (int i = 0; i < 3; ++i) {
        rows[i] = sdF4_Keep(a[i], mask);
    }
    rows[3] = sdF4_Keep(b[0], mask);
    sdF4_Transpose(rows, halves[0]);
    rows[0] = sdF4_Keep(b[1], mask);
    rows[1] = sdF4_Keep(b[2], mask);
    rows[2] = sdF4_Keep(sdF4_Min(separation, sdF4_Splat(margin)), mask);
    rows[3] = (sdF4)(ids & mask);
    sdF4_Transpose(rows, halves[1]);
    _Static_assert(sizeof *out == 2 * sizeof mask, "a point is written as two vectors");
    for (int i = 0; i < 4; ++i) {
        memcpy((char*)&out[i], &halves[0][i], sizeof mask);
        memcpy((char*)&out[i] + sizeof mask, &halves[1][i], sizeof mask);
    }
}

#endif
