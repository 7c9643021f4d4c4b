// SPDX-License-Identifier: MIT
// mesh_ray_kernel.c - segments through the tree, eight boxes and eight triangles at a time.
//
// In:   a tree, a segment made ready.
// Out:  the first triangle that is hit, or how many are. Never allocates.
// Ref:  Woop, Benthin, Wald, "Watertight ray/triangle intersection", JCGT 2013.
// Note: compiled twice, see simd.h.

#include "geometry/mesh_bvh_walk.h"

/// Boxes are thickened by this fraction of their furthest coordinate from the segment's start: a
/// few units in the last place, more than the view of the triangles inside can round by.
#define BOX_PAD 1e-6f

/// The segment enters boxes at *enter (at least 0). The mask holds the children that it meets
/// before `bound`.
SD_INLINE sdI8 clipToBoxes(const sdMeshBvhNode* node, const sdMeshRay* ray, float bound,
                           sdF8* enter) {
    sdF8 lower[3], upper[3];
    sdF8 size = sdF8_Zero();
    for (int i = 0; i < 3; ++i) {
        lower[i] = sdF8_Load(node->lower[i]) - sdF8_Splat(ray->origin[i]);
        upper[i] = sdF8_Load(node->upper[i]) - sdF8_Splat(ray->origin[i]);
        size = sdF8_Max(size, sdF8_Max(upper[i], -lower[i]));
    }
    sdF8 pad = size * sdF8_Splat(BOX_PAD);
    sdF8 first = sdF8_Zero();
    sdF8 last = sdF8_Splat(bound);
    for (int i = 0; i < 3; ++i) {
        sdF8 inverse = sdF8_Splat(ray->inverse[i]);
        sdF8 a = (lower[i] - pad) * inverse;
        sdF8 b = (upper[i] + pad) * inverse;
        first = sdF8_Max(first, sdF8_Min(a, b));
        last = sdF8_Min(last, sdF8_Max(a, b));
    }
    *enter = first;
    // the box of a child that is not there is the wrong way round
    return sdF8_LessEqual(first, last) & sdF8_LessEqual(lower[0], upper[0]);
}

/// A row of triangles as the segment sees it.
typedef struct View8 {
    sdF8 x[3], y[3], z[3]; ///< right, up, and depth as a fraction of the segment
    sdF8 weight[3];        ///< twice the areas that the eye spans with the opposite edges
} View8;

SD_INLINE View8 viewTriangles(const sdMeshBvhLeaf* leaf, const sdMeshRay* ray) {
    View8 view;
    for (int i = 0; i < 3; ++i) {
        sdF8 x = sdF8_Load(leaf->corner[i][ray->axis[0]]) - sdF8_Splat(ray->origin[ray->axis[0]]);
        sdF8 y = sdF8_Load(leaf->corner[i][ray->axis[1]]) - sdF8_Splat(ray->origin[ray->axis[1]]);
        sdF8 z = sdF8_Load(leaf->corner[i][ray->axis[2]]) - sdF8_Splat(ray->origin[ray->axis[2]]);
        view.x[i] = x - sdF8_Splat(ray->shear[0]) * z;
        view.y[i] = y - sdF8_Splat(ray->shear[1]) * z;
        view.z[i] = z * sdF8_Splat(ray->scale);
    }
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        int k = (i + 2) % 3;
        view.weight[i] = view.x[k] * view.y[j] - view.y[k] * view.x[j];
    }
    return view;
}

/// The triangles, edges included, that the line through the segment goes through. Rounding keeps
/// the order of two products or makes them equal, so that a weight has the right sign or is 0; and
/// the same edge seen from its other triangle has exactly the opposite weight. No line slips
/// through.
SD_INLINE sdI8 isMet(const View8* view) {
    sdF8 zero = sdF8_Zero();
    const sdF8* w = view->weight;
    return (sdF8_LessEqual(zero, w[0]) & sdF8_LessEqual(zero, w[1]) & sdF8_LessEqual(zero, w[2])) |
           (sdF8_LessEqual(w[0], zero) & sdF8_LessEqual(w[1], zero) & sdF8_LessEqual(w[2], zero));
}

/// Where on the segment; not a number for triangles that are seen from their edge.
SD_INLINE sdF8 fractionOf(const View8* view) {
    const sdF8* w = view->weight;
    return (w[0] * view->z[0] + w[1] * view->z[1] + w[2] * view->z[2]) / (w[0] + w[1] + w[2]);
}

SD_INLINE void hitLeaf(const sdMeshBvhLeaf* leaf, const sdMeshRay* ray, sdMeshBvhHit* hit) {
    View8 view = viewTriangles(leaf, ray);
    sdF8 fraction = fractionOf(&view);
    sdI8 isHit = isMet(&view) & sdF8_LessEqual(sdF8_Zero(), fraction) &
                 sdF8_LessEqual(fraction, sdF8_Splat(hit->fraction));
    for (unsigned lanes = (unsigned)sdI8_MaskBits(isHit); lanes != 0; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        bool isBetter = fraction[lane] < hit->fraction ||
                        (fraction[lane] == hit->fraction && leaf->triangle[lane] < hit->triangle);
        if (isBetter) {
            *hit = (sdMeshBvhHit){fraction[lane], leaf->triangle[lane]};
        }
    }
}

void SD_KERNEL(sdMeshBvh_FirstHit)(const sdMeshBvh* bvh, const sdMeshRay* ray, sdMeshBvhHit* hit) {
    Stack stack;
    stack.count = 0;
    int32_t child = 0;
    for (;;) {
        if (child >= 0) {
            sdF8 enter;
            sdI8 isWanted = clipToBoxes(bvh->nodes + child, ray, hit->fraction, &enter);
            pushChildren(&stack, child, enter, isWanted);
        } else {
            hitLeaf(bvh->leaves + ~child, ray, hit);
        }
        StackEntry entry;
        do {
            if (stack.count == 0) {
                return;
            }
            entry = popChild(&stack, bvh);
        } while (entry.distance > hit->fraction);
        child = entry.child;
    }
}

/// @return SD_NULL_INDEX when an edge or a corner is met
SD_INLINE int countInLeaf(const sdMeshBvhLeaf* leaf, const sdMeshRay* ray) {
    View8 view = viewTriangles(leaf, ray);
    sdF8 zero = sdF8_Zero();
    sdI8 isGrazed = sdF8_Equal(view.weight[0], zero) | sdF8_Equal(view.weight[1], zero) |
                    sdF8_Equal(view.weight[2], zero);
    sdI8 met = isMet(&view);
    if (sdI8_Any(met & isGrazed)) {
        return SD_NULL_INDEX;
    }
    sdF8 fraction = fractionOf(&view);
    met &= sdF8_LessEqual(zero, fraction) & sdF8_LessEqual(fraction, sdF8_Splat(1.0f));
    // lanes that repeat a triangle do not count
    unsigned lanes = (unsigned)sdI8_MaskBits(met);
    int count = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        count += lane == 0 || leaf->triangle[lane] != leaf->triangle[lane - 1] ? 1 : 0;
    }
    return count;
}

int SD_KERNEL(sdMeshBvh_CountCrossings)(const sdMeshBvh* bvh, const sdMeshRay* ray) {
    Stack stack;
    stack.count = 0;
    int32_t child = 0;
    int count = 0;
    for (;;) {
        if (child >= 0) {
            sdF8 enter;
            sdI8 isWanted = clipToBoxes(bvh->nodes + child, ray, 1.0f, &enter);
            pushChildren(&stack, child, enter, isWanted);
        } else {
            int added = countInLeaf(bvh->leaves + ~child, ray);
            if (added == SD_NULL_INDEX) {
                return SD_NULL_INDEX;
            }
            count += added;
        }
        if (stack.count == 0) {
            return count;
        }
        child = popChild(&stack, bvh).child;
    }
}
