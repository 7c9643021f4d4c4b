// SPDX-License-Identifier: MIT
// trace.c - the list of steps that an explanation is: kept, and told.
//
// In:   steps and marks, in the order in which an algorithm makes them.
// Out:  words, and rows of numbers to draw.

#include "trace.h"

#include "support.h"

#include <stdarg.h>
#include <stdio.h>

#define TEXT_SIZE 400

typedef struct Mark {
    uint8_t count, role, space;
    sdVec3 corners[3];
} Mark;

typedef struct Step {
    char text[TEXT_SIZE];
    int firstMark, markCount;
    bool hasIntervals;
    float intervals[SD_EXPLAIN_INTERVAL_SIZE];
} Step;

struct sdExplanation {
    sdContext context;
    Step* steps;
    int stepCount, stepCapacity;
    Mark* marks;
    int markCount, markCapacity, sharedCount;
    sdTransform xfA;
    double found, answer;
    bool isBroken; ///< there was no memory
};

// ---- memory --------------------------------------------------------------------------------

static bool reserve(sdExplanation* e, void** array, int* capacity, int count, size_t itemSize) {
    e->isBroken |= !sdRender_Reserve(&e->context.allocator, array, capacity, count, itemSize);
    return !e->isBroken;
}

void sdExplanation_Destroy(sdExplanation* e) {
    if (e == NULL) {
        return;
    }
    sdAllocator a = e->context.allocator;
    sdRender_Free(&a, e->steps, (size_t)e->stepCapacity * sizeof *e->steps);
    sdRender_Free(&a, e->marks, (size_t)e->markCapacity * sizeof *e->marks);
    sdRender_Free(&a, e, sizeof *e);
}

// ---- steps ---------------------------------------------------------------------------------

void sdTrace_Step(sdExplanation* e, const char* format, ...) {
    if (!reserve(e, (void**)&e->steps, &e->stepCapacity, e->stepCount + 1, sizeof *e->steps)) {
        return;
    }
    Step* step = &e->steps[e->stepCount++];
    *step = (Step){.firstMark = e->markCount};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(step->text, sizeof step->text, format, arguments);
    va_end(arguments);
}

static void addMark(sdExplanation* e, Space space, sdMarkRole role, int count, Vec p, Vec q,
                    Vec r) {
    if (!reserve(e, (void**)&e->marks, &e->markCapacity, e->markCount + 1, sizeof *e->marks)) {
        return;
    }
    e->marks[e->markCount++] = (Mark){
        (uint8_t)count, (uint8_t)role, (uint8_t)space, {toFloats(p), toFloats(q), toFloats(r)}};
    if (e->stepCount == 0) {
        e->sharedCount = e->markCount;
    } else {
        e->steps[e->stepCount - 1].markCount += 1;
    }
}

void sdTrace_Point(sdExplanation* e, Space space, sdMarkRole role, Vec p) {
    addMark(e, space, role, 1, p, p, p);
}

void sdTrace_Line(sdExplanation* e, Space space, sdMarkRole role, Vec p, Vec q) {
    addMark(e, space, role, 2, p, q, q);
}

void sdTrace_Triangle(sdExplanation* e, Space space, sdMarkRole role, Vec p, Vec q, Vec r) {
    addMark(e, space, role, 3, p, q, r);
}

void sdTrace_Intervals(sdExplanation* e, double lowerA, double upperA, double lowerB, double upperB,
                       double best) {
    if (e->stepCount > 0) {
        Step* step = &e->steps[e->stepCount - 1];
        const double ends[SD_EXPLAIN_INTERVAL_SIZE] = {lowerA, upperA, lowerB, upperB, best};
        step->hasIntervals = true;
        for (int i = 0; i < SD_EXPLAIN_INTERVAL_SIZE; ++i) {
            step->intervals[i] = (float)ends[i];
        }
    }
}

void sdTrace_Conclude(sdExplanation* e, const Pair* pair, double found, bool wantsDepth,
                      const char* words) {
    Answer answer = sdExplain_Ask(pair, wantsDepth);
    e->found = found;
    e->answer = answer.separation;
    sdTrace_Step(e, "%s %.6g m. The library's own answer: %.6g m.", words, fabs(found),
                 fabs(answer.separation));
    sdTrace_Line(e, BETWEEN_BODIES, SD_MARK_ANSWER, answer.pointA, answer.pointB);
    sdTrace_Point(e, BETWEEN_BODIES, SD_MARK_ANSWER, answer.pointA);
    sdTrace_Point(e, BETWEEN_BODIES, SD_MARK_ANSWER, answer.pointB);
}

// ---- making --------------------------------------------------------------------------------

static const char touching[] = "How deep they are in each other GJK does not tell. Distance";

static sdExplanation* make(const sdContext* context) {
    sdContext ctx = sdRender_GetContext(context);
    sdExplanation* e = sdRender_Alloc(&ctx.allocator, sizeof *e);
    if (e != NULL) {
        *e = (sdExplanation){.context = ctx, .xfA = sdTransform_Identity()};
        e->found = e->answer = (double)NAN;
    }
    return e;
}

static sdResult failMemory(const sdContext* context) {
    sdContext ctx = sdRender_GetContext(context);
    return sdRender_Fail(&ctx, SD_ERROR_OUT_OF_MEMORY, "no memory for the steps of an explanation");
}

static sdResult failInput(const sdContext* context, const char* words) {
    sdContext ctx = sdRender_GetContext(context);
    return sdRender_Fail(&ctx, SD_ERROR_INVALID_ARGUMENT, "%s", words);
}

static sdResult finish(sdExplanation* e, sdExplanation** out) {
    if (e->isBroken) {
        sdContext ctx = e->context;
        sdExplanation_Destroy(e);
        return failMemory(&ctx);
    }
    *out = e;
    return SD_OK;
}

sdResult sdExplanation_Create(const sdContext* context, const sdShape* a, const sdShape* b,
                              sdTransform xfAB, sdExplainMethod method, sdExplanation** out) {
    *out = NULL;
    if (!sdTransform_IsValid(xfAB)) {
        return failInput(context, "sdExplanation_Create: xfAB is not a finite pose");
    }
    sdExplanation* e = make(context);
    if (e == NULL) {
        return failMemory(context);
    }
    bool isFinite = a->type != SD_SHAPE_HALF_SPACE && b->type != SD_SHAPE_HALF_SPACE;
    if (!sdShape_IsConvex(a) || !sdShape_IsConvex(b) || !isFinite) {
        sdTrace_Step(e, isFinite ? "A mesh is many triangles, each a body of its own to these "
                                   "algorithms: choose two convex bodies."
                                 : "A half-space needs no search: the support point against its "
                                   "normal is the nearest. Choose two bodies that end.");
        return finish(e, out);
    }
    Pair pair = sdExplain_MakePair(a, b, xfAB);
    if (method == SD_EXPLAIN_SAT) {
        sdExplain_Sat(e, &pair);
    } else if (method == SD_EXPLAIN_VCLIP) {
        sdExplain_Features(e, &pair);
    } else {
        sdExplain_Difference(e, &pair);
        bool isInside = sdExplain_Gjk(e, &pair);
        if (method == SD_EXPLAIN_GJK && isInside) {
            sdTrace_Conclude(e, &pair, 0.0, false, touching);
        } else if (method == SD_EXPLAIN_EPA && isInside) {
            sdExplain_Epa(e, &pair);
        } else if (method == SD_EXPLAIN_EPA) {
            sdTrace_Step(e, "The bodies are apart: EPA has nothing to do.");
        }
    }
    return finish(e, out);
}

sdResult sdExplanation_CreatePlanar(const sdContext* context, const sdPolygon2* a,
                                    const sdPolygon2* b, sdTransform2 xfAB, sdExplainMethod method,
                                    sdExplanation** out) {
    *out = NULL;
    if (!sdPolygon2_IsValid(a) || !sdPolygon2_IsValid(b)) {
        return failInput(context, "sdExplanation_CreatePlanar: a polygon is not valid");
    }
    sdExplanation* e = make(context);
    if (e == NULL) {
        return failMemory(context);
    }
    Pair pair = sdExplain_MakePlanarPair(a, b, xfAB);
    if (method == SD_EXPLAIN_SAT) {
        sdExplain_SatPlanar(e, &pair);
    } else if (method == SD_EXPLAIN_GJK) {
        sdExplain_Difference(e, &pair);
        if (sdExplain_Gjk(e, &pair)) {
            sdTrace_Conclude(e, &pair, 0.0, false, touching);
        }
    } else {
        sdTrace_Step(e, "In the plane there are GJK and SAT.");
    }
    return finish(e, out);
}

// ---- telling -------------------------------------------------------------------------------

void sdExplanation_Place(sdExplanation* e, sdTransform xfA) {
    e->xfA = xfA;
}

int sdExplanation_GetStepCount(const sdExplanation* e) {
    return e->stepCount;
}

const char* sdExplanation_GetText(const sdExplanation* e, int step) {
    return step >= 0 && step < e->stepCount ? e->steps[step].text : "";
}

double sdExplanation_GetFound(const sdExplanation* e) {
    return e->found;
}

double sdExplanation_GetAnswer(const sdExplanation* e) {
    return e->answer;
}

int sdExplanation_GetMarks(const sdExplanation* e, int step, float* out, int capacity) {
    if (step < -1 || step >= e->stepCount) {
        return 0;
    }
    int first = step < 0 ? 0 : e->steps[step].firstMark;
    int count = step < 0 ? e->sharedCount : e->steps[step].markCount;
    for (int i = 0; i < count && (i + 1) * SD_EXPLAIN_MARK_SIZE <= capacity; ++i) {
        const Mark* mark = &e->marks[first + i];
        float* row = &out[i * SD_EXPLAIN_MARK_SIZE];
        row[0] = (float)mark->count;
        row[1] = (float)mark->role;
        row[2] = (float)mark->space;
        for (int k = 0; k < 3; ++k) {
            sdVec3 p = mark->space == IN_DIFFERENCE ? sdRotate(e->xfA.q, mark->corners[k])
                                                    : sdTransformPoint(e->xfA, mark->corners[k]);
            row[3 + 3 * k] = p.x;
            row[4 + 3 * k] = p.y;
            row[5 + 3 * k] = p.z;
        }
    }
    return count * SD_EXPLAIN_MARK_SIZE;
}

int sdExplanation_GetIntervals(const sdExplanation* e, int step, float* out, int capacity) {
    if (step < 0 || step >= e->stepCount || !e->steps[step].hasIntervals) {
        return 0;
    }
    for (int i = 0; i < sdMinI(capacity, SD_EXPLAIN_INTERVAL_SIZE); ++i) {
        out[i] = e->steps[step].intervals[i];
    }
    return SD_EXPLAIN_INTERVAL_SIZE;
}
