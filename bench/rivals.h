// SPDX-License-Identifier: MIT
// rivals.h - other libraries behind one neutral description, so that bench_queries can ask all of
// them the same questions. Sudar itself is one of them.
//
// A scene has shapes of one kind, pairs of them, and poses of each pair in a few frames. A rival
// puts it into its own types beforehand (rivalCreate), so that only queries are timed.

#ifndef SD_BENCH_RIVALS_H
#define SD_BENCH_RIVALS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rivalQuery {
    RIVAL_OVERLAP,  ///< yes or no
    RIVAL_DISTANCE, ///< with nearest points
    RIVAL_DEPTH,    ///< with normal
    RIVAL_MANIFOLD, ///< with clipping: of boxes that overlap, of hulls within the margin
    RIVAL_NEAR,     ///< the same of boxes within the margin
    RIVAL_QUERY_COUNT
} rivalQuery;

/// Separations up to this get contact points, m; Bullet's own threshold, which it has for hulls. Of
/// boxes that are apart neither Bullet nor FCL has any.
#define RIVAL_MANIFOLD_MARGIN 0.02f

typedef struct rivalShape {
    float halfExtents[3]; ///< of a box
    int vertexCount;      ///< of a hull
    const float* vertices;
    int faceCount;
    const int* faces; ///< for each: how many corners, then their vertices, counter-clockwise
} rivalShape;

/// Of B in A's frame; the quaternion as x, y, z, w.
typedef struct rivalPose {
    float position[3];
    float rotation[4];
} rivalPose;

typedef struct rivalScene {
    bool isBox; ///< all of them, else all hulls
    int shapeCount;
    const rivalShape* shapes;
    int pairCount;
    const int (*pairs)[2]; ///< shapes
    int frameCount;
    const rivalPose* poses; ///< frame * pairCount + pair
    const void* origin;     ///< the same as Sudar has it; nobody else looks at it
} rivalScene;

typedef struct rivalAnswer {
    float separation; ///< negative: depth; 0 where overlap or distance is all that was asked
    float normal[3];  ///< A to B; zero where there is none
    int pointCount;   ///< of a manifold
    bool isOverlapping;
    bool isFailed; ///< the library says so, by status or exception
} rivalAnswer;

typedef void* rivalCreateFcn(const rivalScene* scene);
typedef void rivalDestroyFcn(void* self);
/// Forget what was learnt from earlier frames.
typedef void rivalForgetFcn(void* self);
/// Pairs of a frame.
typedef struct rivalRange {
    int frame;
    int first, end;
} rivalRange;

/// Cached: with what is remembered from the frame before.
typedef void rivalRunFcn(void* self, rivalQuery query, rivalRange range, bool isCached,
                         rivalAnswer* answers);
typedef bool rivalCanFcn(rivalQuery query, bool isBox, bool isCached);

typedef struct rivalMethod {
    const char* name;
    double wantedRatio; ///< how many times faster Sudar should be
    rivalCanFcn* can;
    rivalCreateFcn* create;
    rivalDestroyFcn* destroy;
    rivalForgetFcn* forget;
    rivalRunFcn* run;
} rivalMethod;

extern const rivalMethod rivalSudar;
extern const rivalMethod rivalCcdGjk;
extern const rivalMethod rivalCcdMpr;
extern const rivalMethod rivalFcl;
extern const rivalMethod rivalFclIndep;
extern const rivalMethod rivalBullet;

#ifdef __cplusplus
}
#endif

#endif
