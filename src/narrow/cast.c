// SPDX-License-Identifier: MIT
// cast.c - when a body that moves without turning first touches another.
//
// In:   two shapes, B's place in A, the translation of B.
// Out:  the fraction of the way at which they touch, where, and the normal. Never late.
// Note: the distance of convex bodies is a convex function of the way, and its slope is known: the
//       part of the translation along the normal. Newton's steps from the start approach the first
//       root from the near side and never pass it; they end where there is no root as soon as the
//       slope is not negative. Never allocates.

#include "narrow/collide_mesh.h"
#include "narrow/gjk.h"

/// Newton's steps: 5 are usual. Bodies that just touch in passing halve the gap with each step, and
/// 60 halvings are more than the digits of a double.
#define MAX_STEPS 64
/// Bodies nearer than this part of their size touch. A tenth of what queries promise, which leaves
/// the rest to GJK and rounding.
#define TOUCH (0.1 * (double)SD_QUERY_TOLERANCE)
/// Steps go as far as the gap is proved to be, and at least by this part of what it seems to be.
#define MIN_STEP 0.5

/// The next float that is not greater.
static float roundDown(double a) {
    float rounded = (float)a;
    return (double)rounded > a ? nextafterf(rounded, -FLT_MAX) : rounded;
}

static sdCastHit invalidHit(void) {
    return (sdCastHit){
        .childA = SD_NULL_INDEX, .childB = SD_NULL_INDEX, .status = SD_STATUS_INVALID};
}

/// Overlap at the start: the way out.
static sdCastHit castFromInside(const sdConvexPair* pair, int iterations) {
    sdPairResult deep;
    sdGjk_Separate(pair, true, DBL_MAX, NULL, &deep);
    sdVec3d middle = sdScaleD(0.5, sdAddD(deep.pointA, deep.pointB));
    return (sdCastHit){.isHit = true,
                       .point = sdVec3d_Round(middle),
                       .normal = sdVec3d_Round(deep.normal),
                       .childA = SD_NULL_INDEX,
                       .childB = SD_NULL_INDEX,
                       .status = deep.status,
                       .iterations = iterations + deep.iterations};
}

static sdCastHit castConvex(const sdShape* a, const sdShape* b, sdTransform xfAB,
                            sdVec3 translation) {
    sdConvexPair pair;
    if (!sdConvexPair_Init(&pair, a, b, xfAB)) {
        return invalidHit();
    }
    sdCastHit hit = {.fraction = 1.0f, .childA = SD_NULL_INDEX, .childB = SD_NULL_INDEX};
    hit.status = SD_STATUS_TOLERANCE;
    sdVec3d way = sdVec3d_From(translation), start = pair.offset;
    double touch = TOUCH * pair.scale;
    sdPairCache cache = {.count = 0};
    sdPairResult at = {.separation = 0.0};
    double fraction = 0.0;
    for (int step = 0; step < MAX_STEPS; ++step) {
        pair.offset = sdMulAddD(start, fraction, way);
        sdGjk_Separate(&pair, false, DBL_MAX, &cache, &at);
        hit.iterations += at.iterations;
        double slope = sdDotD(at.normal, way);
        bool isParting = step == 0 && at.separation > 0.0 && slope >= 0.0;
        if (at.separation <= touch && !isParting) {
            break;
        }
        double gap = at.separation - at.error;
        gap = gap > MIN_STEP * at.separation ? gap : MIN_STEP * at.separation;
        double next = slope < 0.0 ? fraction - gap / slope : 2.0;
        if (next > 1.0) {
            return hit;
        }
        fraction = next;
        hit.status = step + 1 < MAX_STEPS ? SD_STATUS_TOLERANCE : SD_STATUS_LIMIT;
    }
    if (fraction == 0.0 && at.separation <= 0.0) {
        return castFromInside(&pair, hit.iterations);
    }
    hit.isHit = true;
    hit.fraction = sdMaxF(roundDown(fraction), 0.0f);
    hit.point = sdVec3d_Round(sdScaleD(0.5, sdAddD(at.pointA, at.pointB)));
    hit.normal = sdVec3d_Round(at.normal);
    return hit;
}

sdCastHit sdShapeCast(const sdShape* a, const sdShape* b, sdTransform xfAB, sdVec3 translation) {
    if (!sdVec3_IsFinite(translation) || !(sdLength(translation) <= SD_MAX_REACH)) {
        return invalidHit();
    }
    return sdShape_IsConvex(a) && sdShape_IsConvex(b)
               ? castConvex(a, b, xfAB, translation)
               : sdMeshPair_Cast(a, b, xfAB, translation, castConvex);
}
