// SPDX-License-Identifier: MIT
// explain.h - algorithms between two bodies, step by step: what happens in words, and what to draw.
//
//     sdExplanation* e;
//     sdExplanation_Create(NULL, &a, &b, xfAB, SD_EXPLAIN_GJK, &e);
//     for (int i = 0; i < sdExplanation_GetStepCount(e); ++i) {
//         puts(sdExplanation_GetText(e, i));
//     }
//     sdExplanation_Destroy(e);
//
// GJK, EPA and SAT are written to be read, in double precision and over the library's supports,
// faces and edges: not the code that answers a query, but the same steps to the same answer, which
// the last step compares with the library's own. V-Clip's steps are those of sdVClip_Distance.

#ifndef SD_EXPLAIN_H
#define SD_EXPLAIN_H

#include "sudar/sudar.h"

SD_BEGIN_C

typedef enum sdExplainMethod {
    SD_EXPLAIN_GJK,
    SD_EXPLAIN_EPA,
    SD_EXPLAIN_SAT,
    SD_EXPLAIN_VCLIP
} sdExplainMethod;

/// What a mark stands for.
typedef enum sdMarkRole {
    SD_MARK_DIFFERENCE, ///< edges of A - B
    SD_MARK_SIMPLEX,    ///< of GJK, or the polytope of EPA
    SD_MARK_NEAREST,    ///< the point nearest to the origin, the nearest face, the way there
    SD_MARK_SUPPORT,    ///< a support point that is new
    SD_MARK_LEAVING,    ///< faces that make way for it
    SD_MARK_A,          ///< a feature or point of A
    SD_MARK_B,
    SD_MARK_REGION, ///< sides of a Voronoi region
    SD_MARK_AXIS,   ///< of SAT
    SD_MARK_ANSWER  ///< between the points that the library found
} sdMarkRole;

typedef struct sdExplanation sdExplanation;

/// Two convex shapes. What has no such algorithm is explained by one step that says why.
/// @param context hooks for memory and log; NULL for the default
/// @return SD_ERROR_OUT_OF_MEMORY; SD_ERROR_INVALID_ARGUMENT for poses or shapes that are not valid
sdResult sdExplanation_Create(const sdContext* context, const sdShape* a, const sdShape* b,
                              sdTransform xfAB, sdExplainMethod method, sdExplanation** out);

/// In the plane, by GJK or SAT.
sdResult sdExplanation_CreatePlanar(const sdContext* context, const sdPolygon2* a,
                                    const sdPolygon2* b, sdTransform2 xfAB, sdExplainMethod method,
                                    sdExplanation** out);

/// NULL is allowed.
void sdExplanation_Destroy(sdExplanation* explanation);

/// Where A is: marks are told in the frame that it is in. Without it, in A's.
void sdExplanation_Place(sdExplanation* explanation, sdTransform xfA);

/// At least one.
int sdExplanation_GetStepCount(const sdExplanation* explanation);

/// What happens in a step: a sentence or two. Borrowed; "" for a step that is not there.
const char* sdExplanation_GetText(const sdExplanation* explanation, int step);

/// Separation as the steps found it, and as the library says; m, negative for depth. Both are NaN
/// where the method does not apply, the former also where it ended early.
double sdExplanation_GetFound(const sdExplanation* explanation);
double sdExplanation_GetAnswer(const sdExplanation* explanation);

/// Of a mark: number of its corners (1 point, 2 line, 3 triangle), role, 1 when it is in the space
/// of A - B (whose origin is the origin) or 0 between the bodies, three corners (9).
#define SD_EXPLAIN_MARK_SIZE 12
/// @param step -1: marks that all steps share
/// @return how many numbers there are; written as far as they fit
int sdExplanation_GetMarks(const sdExplanation* explanation, int step, float* out, int capacity);

/// Of a step of SAT: lower and upper end of A's interval, of B's, and the best separation so far.
#define SD_EXPLAIN_INTERVAL_SIZE 5
int sdExplanation_GetIntervals(const sdExplanation* explanation, int step, float* out,
                               int capacity);

SD_END_C

#endif
