// SPDX-License-Identifier: MIT
// queries_check.c - who is right where two libraries differ.
//
// The separation of two convex bodies is the greatest, over all unit directions d, of
//     f(d) = least d·b - greatest d·a,
// negative when they overlap. So any direction proves a lower bound: bodies are at least that far
// apart, or no deeper than that. f is evaluated over all vertices, in double, without the library.

#include "bench.h"
#include "queries.h"

#include <stdio.h>

#define FLAG_TOLERANCE 2e-5  // m; bodies of 1 m may be called either when they are so near touching
#define VALUE_TOLERANCE 2e-4 // m; libccd's EPA stops at 1e-4
#define SEARCH_LIMIT 4       // differences searched for in a row; all are judged by both normals
#define SWEEP_COUNT 600
#define START_COUNT 6
#define ROUND_COUNT 90
#define TRY_COUNT 6

typedef struct Dir {
    double x, y, z;
} Dir;

typedef struct Bodies {
    const sdShape* a;
    const sdShape* b;
    sdTransform xf;
} Bodies;

static Bodies getBodies(const benchScene* scene, int frame, int pair) {
    return (Bodies){&scene->shapes[scene->scene.pairs[pair][0]],
                    &scene->shapes[scene->scene.pairs[pair][1]],
                    scene->poses[frame * scene->scene.pairCount + pair]};
}

static Dir unit(Dir d) {
    double length = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    return length > 0.0 ? (Dir){d.x / length, d.y / length, d.z / length} : (Dir){1.0, 0.0, 0.0};
}

/// Greatest d·p of a body in its own frame.
static double reach(const sdShape* shape, Dir d) {
    if (shape->type == SD_SHAPE_BOX) {
        sdVec3 h = shape->box.halfExtents;
        return fabs(d.x) * (double)h.x + fabs(d.y) * (double)h.y + fabs(d.z) * (double)h.z;
    }
    int count;
    const sdVec3* vertices = sdHull_GetVertices(shape->hull, &count);
    double most = -INFINITY;
    for (int i = 0; i < count; ++i) {
        sdVec3 v = vertices[i];
        double along = d.x * (double)v.x + d.y * (double)v.y + d.z * (double)v.z;
        most = along > most ? along : most;
    }
    return most;
}

/// Into the frame of a rotation; the quaternion is a unit within rounding, so divide by its length.
static Dir toLocal(sdQuat q, Dir d) {
    double x = (double)-q.v.x, y = (double)-q.v.y, z = (double)-q.v.z, w = (double)q.s;
    double scale = 2.0 / (x * x + y * y + z * z + w * w);
    Dir c = {y * d.z - z * d.y, z * d.x - x * d.z, x * d.y - y * d.x};
    return (Dir){d.x + scale * (w * c.x + y * c.z - z * c.y),
                 d.y + scale * (w * c.y + z * c.x - x * c.z),
                 d.z + scale * (w * c.z + x * c.y - y * c.x)};
}

static double evaluate(const Bodies* bodies, Dir d) {
    Dir back = {-d.x, -d.y, -d.z};
    sdVec3 p = bodies->xf.p;
    double offset = d.x * (double)p.x + d.y * (double)p.y + d.z * (double)p.z;
    return offset - reach(bodies->b, toLocal(bodies->xf.q, back)) - reach(bodies->a, d);
}

/// Of an answer's normal; -INFINITY when it has none.
static double evaluateNormal(const Bodies* bodies, const rivalAnswer* answer) {
    const float* n = answer->normal;
    Dir d = {(double)n[0], (double)n[1], (double)n[2]};
    bool isSet = d.x * d.x + d.y * d.y + d.z * d.z > 0.25;
    return isSet ? evaluate(bodies, unit(d)) : -(double)INFINITY;
}

/// Of the normal that Sudar has for the distance or depth of this pair: for answers that are only
/// yes or no. A bound like any other, whoever found it.
static double evaluateOwn(const Bodies* bodies) {
    sdVec3 n = sdPenetration(bodies->a, bodies->b, bodies->xf, NULL).normal;
    return evaluate(bodies, unit((Dir){(double)n.x, (double)n.y, (double)n.z}));
}

/// The k-th of evenly spread directions.
static Dir spread(int k) {
    double z = 1.0 - (2.0 * k + 1.0) / SWEEP_COUNT, r = sqrt(1.0 - z * z);
    double angle = 2.39996322972865332 * k;
    return (Dir){r * cos(angle), r * sin(angle), z};
}

/// Uphill from a direction by random steps that become shorter.
static double climb(const Bodies* bodies, Dir d, double best) {
    uint64_t state = 1;
    double size = 0.1;
    for (int round = 0; round < ROUND_COUNT; ++round) {
        bool isBetter = false;
        for (int i = 0; i < TRY_COUNT; ++i) {
            sdVec3 r = bench_RandomInBall(&state);
            Dir next = unit((Dir){d.x + size * (double)r.x, d.y + size * (double)r.y,
                                  d.z + size * (double)r.z});
            double value = evaluate(bodies, next);
            if (value > best) {
                best = value;
                d = next;
                isBetter = true;
            }
        }
        size *= isBetter ? 1.0 : 0.75;
    }
    return best;
}

/// The greatest f that a sweep and climbing from its best directions find.
static double search(const Bodies* bodies) {
    double values[START_COUNT];
    Dir starts[START_COUNT];
    int count = 0;
    for (int k = 0; k < SWEEP_COUNT; ++k) {
        Dir d = spread(k);
        double value = evaluate(bodies, d);
        if (count == START_COUNT && value <= values[count - 1]) {
            continue;
        }
        int at = count < START_COUNT ? count++ : count - 1;
        for (; at > 0 && values[at - 1] < value; --at) {
            values[at] = values[at - 1];
            starts[at] = starts[at - 1];
        }
        values[at] = value;
        starts[at] = d;
    }
    double best = -INFINITY;
    for (int i = 0; i < count; ++i) {
        double value = climb(bodies, starts[i], values[i]);
        best = value > best ? value : best;
    }
    return best;
}

// ---- differences ---------------------------------------------------------------------------

static bool isWrong(rivalQuery query, const rivalAnswer* answer, double truth) {
    bool isFlagWrong = fabs(truth) > FLAG_TOLERANCE && answer->isOverlapping != (truth <= 0.0);
    bool isAsked = query == RIVAL_DEPTH ? truth <= 0.0 : query == RIVAL_DISTANCE && truth > 0.0;
    return isFlagWrong || (isAsked && answer->isOverlapping == (truth <= 0.0) &&
                           fabs((double)answer->separation - truth) > VALUE_TOLERANCE);
}

static bool isDifferent(rivalQuery query, const rivalAnswer* own, const rivalAnswer* other,
                        float separation) {
    if (own->isOverlapping != other->isOverlapping) {
        return fabs((double)separation) > FLAG_TOLERANCE;
    }
    bool isAsked =
        query == RIVAL_DEPTH ? own->isOverlapping : query == RIVAL_DISTANCE && !own->isOverlapping;
    return isAsked && fabs((double)own->separation - (double)other->separation) > VALUE_TOLERANCE;
}

int benchCheck_Compare(const benchScene* scene, rivalQuery query, int frame, const char* name,
                       const rivalAnswer* own, const rivalAnswer* other) {
    int flags = 0, values = 0, failures = 0, ownWrong = 0, otherWrong = 0, searched = 0;
    double worst = 0.0;
    for (int i = 0; i < scene->scene.pairCount; ++i) {
        failures += other[i].isFailed ? 1 : 0;
        float separation = scene->separations[frame * scene->scene.pairCount + i];
        if (!isDifferent(query, &own[i], &other[i], separation)) {
            continue;
        }
        bool isFlag = own[i].isOverlapping != other[i].isOverlapping;
        flags += isFlag ? 1 : 0;
        values += isFlag ? 0 : 1;
        double off = fabs((double)own[i].separation - (double)other[i].separation);
        worst = !isFlag && off > worst ? off : worst;
        Bodies bodies = getBodies(scene, frame, i);
        double truth = fmax(evaluateNormal(&bodies, &own[i]), evaluateNormal(&bodies, &other[i]));
        truth = fmax(truth, query == RIVAL_OVERLAP ? evaluateOwn(&bodies) : truth);
        if (searched < SEARCH_LIMIT) {
            truth = fmax(truth, fmax(evaluateOwn(&bodies), search(&bodies)));
            ++searched;
        }
        ownWrong += isWrong(query, &own[i], truth) ? 1 : 0;
        otherWrong += isWrong(query, &other[i], truth) ? 1 : 0;
    }
    if (flags + values + failures > 0) {
        printf("    %s differs: overlap %d, value %d (by up to %.2g m), fails %d; wrong: "
               "%s %d, Sudar %d\n",
               name, flags, values, worst, failures, name, otherWrong, ownWrong);
    }
    return ownWrong;
}

int benchCheck_Own(const benchScene* scene, rivalQuery query, int frame, int stride,
                   const rivalAnswer* own) {
    int wrong = 0;
    for (int i = 0; i < scene->scene.pairCount; ++i) {
        Bodies bodies = getBodies(scene, frame, i);
        double truth = evaluateNormal(&bodies, &own[i]);
        bool isOut = own[i].isFailed;
        if (query == RIVAL_DEPTH || (query == RIVAL_DISTANCE && !own[i].isOverlapping)) {
            isOut = isOut || truth < (double)own[i].separation - VALUE_TOLERANCE;
        }
        if (i % stride == 0) {
            truth = fmax(truth, fmax(evaluateOwn(&bodies), search(&bodies)));
            isOut = isOut || isWrong(query, &own[i], truth);
        }
        wrong += isOut ? 1 : 0;
    }
    if (wrong > 0) {
        printf("    Sudar is wrong or fails in %d pairs\n", wrong);
    }
    return wrong;
}
