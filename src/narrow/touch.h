// SPDX-License-Identifier: MIT
// touch.h - where corners and edges of one body are near another, by the other's distance.
//
// A body is asked for its signed distance at points: by its field, by a closed form, or by the
// nearest point of its triangles. The other one shows it the points and edges with which it can
// touch. Both ways together find where any two bodies touch, convex or not.

#ifndef SD_NARROW_TOUCH_H
#define SD_NARROW_TOUCH_H

#include "geometry/sample_tree.h"
#include "sudar/concave.h"

/// Touches of a pair at most; of more the deepest are kept.
#define SD_MAX_TOUCHES 384

/// What is asked for its distance, in its own frame.
typedef struct sdTouchTarget {
    const sdShape* shape;
    const sdField* field; ///< NULL: by the shape
    bool isSurface;       ///< a mesh whose inside is not known: it has a skin on both sides
    float skin;           ///< m
} sdTouchTarget;

typedef struct sdTouch {
    sdVec3 point;   ///< of the sample
    sdVec3 normal;  ///< unit, away from the target; zero deep inside where there is no nearest side
    float distance; ///< from the target's surface; negative inside
    uint32_t id;    ///< of the sample
} sdTouch;

typedef struct sdTouchList {
    int count;
    int lostCount; ///< there was no room for
    sdTouch items[SD_MAX_TOUCHES];
} sdTouchList;

/// One body's samples against the other.
typedef struct sdTouchQuery {
    sdTouchTarget target;
    sdMat33 turn; ///< from the samples' frame to the target's
    sdVec3 shift;
    float radius; ///< of the samples: they are balls and capsules
    float margin; ///< touches up to this distance are wanted
    float slack;  ///< by which a distance may be too large far from the surface
    float reach;  ///< depth up to which triangles are looked for
} sdTouchQuery;

/// Find the samples that touch. Point and normal are in the target's frame, the ids those of the
/// samples, 2 * id for corners and 2 * id + 1 for edges. A tree without levels is taken as a list.
SD_DECLARE_KERNEL(void, sdTouchQuery_Find,
                  (const sdTouchQuery* query, const sdSampleTree* tree, sdTouchList* out));

#endif
