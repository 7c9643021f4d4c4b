// SPDX-License-Identifier: MIT
// toi.h - two bodies in motion, as the methods for their time of impact see them.

#ifndef SD_NARROW_TOI_H
#define SD_NARROW_TOI_H

#include "narrow/gjk.h"

/// A body in motion: its centre on a line, its turn about an axis that stays.
typedef struct sdToiBody {
    sdPose start;
    sdVec3d local;    ///< centre in its own frame
    sdVec3d center;   ///< the same at time 0
    sdVec3d velocity; ///< of the centre
    sdVec3d spin;     ///< angular velocity
    sdVec3d axis;     ///< its direction
    double rate;      ///< its length
    double radius;    ///< no point of the body is further from the centre; of convex ones that
                      ///< are to be advanced: of the core, as a ball that turns stays where it is
} sdToiBody;

typedef enum sdToiKind {
    SD_TOI_CONVEX,
    SD_TOI_HALF_SPACE, ///< one of the two
    SD_TOI_PIECES      ///< a mesh or compound among them
} sdToiKind;

/// In B's frame: what is not above it is left out.
typedef struct sdToiPlane {
    sdVec3 normal;
    float offset;
} sdToiPlane;

typedef struct sdToi {
    const sdToiInput* input;
    const sdToiPlane* planes; ///< of sdToi_AdvanceBeyond; else NULL
    int planeCount;
    sdToiKind kind;
    sdToiBody a, b;
    sdConvexPair pair; ///< of convex bodies
    sdPairCache cache;
    double begin;     ///< they are known to be apart before this time
    double end;       ///< contacts after this time are not wanted
    double size;      ///< of both bodies
    double target;    ///< separation at which they touch
    double tolerance; ///< how exactly it is met
    sdPose poseA;     ///< at the time last looked at
    sdPairResult at;  ///< then, in A's frame
    sdVec3d normal;   ///< then, in the common frame
    int iterations;
    sdStatus status;
} sdToi;

/// Two convex bodies whose motions are set.
/// @return false when they are not valid
bool sdToi_SetConvex(sdToi* toi, const sdShape* a, const sdShape* b);

/// By the bodies' size, unless one is given.
void sdToi_SetTarget(sdToi* toi, float target);

/// How fast any two points of the bodies can come nearer, at most.
double sdToi_MaxSpeed(const sdToi* toi);

/// Separation at time t; sets poseA, at and normal.
double sdToi_Measure(sdToi* toi, double t, bool wantsDepth);

/// Conservative advancement of convex bodies, or of one and a half-space.
sdToiResult sdToi_Advance(sdToi* toi);

/// Conservative advancement piece by piece.
sdToiResult sdToi_AdvancePieces(sdToi* toi);

/// As sdTimeOfImpact of a convex body A with a mesh or compound B that it touches or overlaps at
/// the start: when it first meets a piece of B that is apart from it then and rises above all
/// planes, which stand for what it touches. Triangles are met along their own normals, for a body
/// that touches their neighbours sees them from the side.
sdToiResult sdToi_AdvanceBeyond(const sdToiInput* input, const sdToiPlane* planes, int planeCount);

/// No contact until toi->end.
sdToiResult sdToi_NoContact(const sdToi* toi);

/// Already at time 0.
sdToiResult sdToi_Overlapped(sdToi* toi);

/// Whether sdToi_AdvanceBall can be asked: A is a ball that no turn moves, B convex.
bool sdToi_IsBallPair(const sdToiInput* input);
/// As sdTimeOfImpact, and quicker.
sdToiResult sdToi_AdvanceBall(const sdToiInput* input);

#endif
