// SPDX-License-Identifier: MIT
// direction_sweep.h - how far two convex bodies are apart, by trying directions.
//
// The separation of two convex bodies, negative where they overlap, is the greatest gap that any
// direction shows between them. So each direction is a witness against an answer that is too small,
// and the answer's own normal proves that it is not too large. Heights are closed forms in double
// here; nothing is taken from the library but the numbers that describe a shape.

#ifndef SD_TEST_DIRECTION_SWEEP_H
#define SD_TEST_DIRECTION_SWEEP_H

#include "math/vec3d.h"
#include "support.h"

#define SWEEP_MAX_VERTICES 256
/// Evenly spread over the sphere; the best of them is then followed downhill.
#define SWEEP_DIRECTION_COUNT 256

/// A convex body: the hull of some points, or a primitive.
typedef struct SweepBody {
    sdShape shape;
    int vertexCount; ///< of triangles and hulls
    double x[SWEEP_MAX_VERTICES], y[SWEEP_MAX_VERTICES], z[SWEEP_MAX_VERTICES];
} SweepBody;

typedef struct Sweep {
    SweepBody a, b;
    sdVec3d columns[3]; ///< B's axes in A's frame
    sdVec3d offset;     ///< B's origin
    double size;        ///< greatest coordinates of both, and their distance, m
    // heights of both bodies along the directions that are the same for every pair
    double heightA[SWEEP_DIRECTION_COUNT], heightB[SWEEP_DIRECTION_COUNT];
    double bestGap; ///< greatest that any direction showed
    sdVec3d bestDirection;
} Sweep;

void Sweep_Init(Sweep* sweep, const sdShape* a, const sdShape* b, sdTransform xf);

/// The gap along a direction of any length but zero; negative: how much they overlap on it.
double Sweep_Gap(const Sweep* sweep, sdVec3d direction);
double Sweep_GapAlong(const Sweep* sweep, sdVec3 direction);

/// Tries all directions, then others ever nearer to the best. Fills in the members above.
void Sweep_Run(Sweep* sweep);

/// How far a point is outside of A (of B), as far as the directions can tell; <= 0: inside.
double Sweep_OutsideA(const Sweep* sweep, sdVec3 point);
double Sweep_OutsideB(const Sweep* sweep, sdVec3 point);

/// How far a point is below the plane that touches A (B) from outside across a unit direction.
double Sweep_BelowA(const Sweep* sweep, sdVec3 point, sdVec3 direction);
double Sweep_BelowB(const Sweep* sweep, sdVec3 point, sdVec3 direction);

#endif
