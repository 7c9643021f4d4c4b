// SPDX-License-Identifier: MIT
// round_pairs.h - how far apart spheres and capsules are, eight pairs at a time.

#ifndef SD_DYNAMICS_ROUND_PAIRS_H
#define SD_DYNAMICS_ROUND_PAIRS_H

#include "dynamics/body_lanes.h"

/// Eight pairs of spheres and capsules. What is asked of bodies and shapes is read where it lies.
typedef struct sdRoundPairs {
    const sdBody* bodies[2][SD_LANES];
    const sdTransform* places[2][SD_LANES]; ///< of the shapes, in their bodies' frames
    float between[3][SD_LANES];             ///< from A's centre of mass to B's
    float halfLength[2][SD_LANES];          ///< 0 for spheres
    float radius[2][SD_LANES];
} sdRoundPairs;

typedef struct sdRoundGaps {
    float gap[SD_LANES];     ///< m; the shapes are no nearer to each other
    float parting[SD_LANES]; ///< m/s at which their nearest points do; -FLT_MAX: they lie beside
                             ///< each other, where there are two
} sdRoundGaps;

/// Set one side of a pair. `between` is left to the caller.
static inline void sdRoundPairs_Set(sdRoundPairs* pairs, int lane, int side, const sdBody* body,
                                    const sdFixture* fixture) {
    const sdShape* shape = &fixture->def.shape;
    bool isBall = shape->type == SD_SHAPE_SPHERE;
    pairs->bodies[side][lane] = body;
    pairs->places[side][lane] = &fixture->def.xf;
    pairs->halfLength[side][lane] = isBall ? 0.0f : shape->capsule.halfLength;
    pairs->radius[side][lane] = isBall ? shape->sphere.radius : shape->capsule.radius;
}

SD_DECLARE_KERNEL(void, sdRoundPairs_Measure, (const sdRoundPairs* pairs, sdRoundGaps* out));

#endif
