// SPDX-License-Identifier: MIT
// queries_scene.c - shapes and poses of bench_queries: the same in every run.
//
// Orientations are random, places are random in a ball and kept when they suit the case. Between
// frames a body moves as at 0.3 m/s and 0.3 rad/s with 60 frames a second, or, where manifolds are
// asked for, as bodies do that rest: 0.1 mm and 0.1 mrad. Touching ones are put back into touch.

#include "bench.h"
#include "queries.h"

#include <stdlib.h>

#define SHAPE_COUNT 100
#define BOX_LEAST 0.3f  // half extents and half axes, m
#define HULL_LEAST 0.5f // a ball, more or less
#define MOST 1.0f
#define CLEARANCE 0.05f    // of separated and overlapping bodies, m; more than they move
#define FURTHEST 1.0f      // separation, m
#define TOUCH 1e-3f        // touching: -TOUCH .. TOUCH, m
#define MOVING_STEP 0.005f // m and rad a frame
#define RESTING_STEP 1e-4f // the same of resting bodies

static float randomIn(uint64_t* state, float lower, float upper) {
    return lower + (upper - lower) * 0.5f * (bench_RandomFloat(state) + 1.0f);
}

static sdVec3 randomExtents(uint64_t* state, float least) {
    float x = randomIn(state, least, MOST), y = randomIn(state, least, MOST);
    return sdV3(x, y, randomIn(state, least, MOST));
}

static sdHull* makeHull(uint64_t* state, int vertexCount) {
    sdVec3 points[256];
    sdVec3 axes = randomExtents(state, HULL_LEAST);
    for (int i = 0; i < vertexCount; ++i) {
        points[i] = sdMul(axes, sdNormalize(bench_RandomInBall(state)));
    }
    sdHullDef def = sdHullDef_Default();
    def.points = points;
    def.pointCount = vertexCount;
    sdHull* hull = NULL;
    return sdHull_Create(NULL, &def, &hull) == SD_OK ? hull : NULL;
}

/// Corners of each face, in the form of rivalShape.
static int* listFaces(const sdHull* hull, int* faceCount) {
    int edgeCount;
    const sdHalfEdge* edges = sdHull_GetEdges(hull, &edgeCount);
    const int32_t* faceEdges = sdHull_GetFaceEdges(hull);
    sdHull_GetPlanes(hull, faceCount);
    int* faces = malloc((size_t)(edgeCount + *faceCount) * sizeof *faces);
    int at = 0;
    for (int i = 0; i < *faceCount && faces != NULL; ++i) {
        int count = at++;
        faces[count] = 0;
        int edge = faceEdges[i];
        do {
            faces[at++] = edges[edge].origin;
            ++faces[count];
            edge = edges[edge].next;
        } while (edge != faceEdges[i]);
    }
    return faces;
}

static bool makeShape(benchKind kind, uint64_t* state, sdShape* shape, rivalShape* rival) {
    if (kind == KIND_BOX) {
        sdVec3 h = randomExtents(state, BOX_LEAST);
        *shape = sdShape_Box(h.x, h.y, h.z);
        *rival = (rivalShape){.halfExtents = {h.x, h.y, h.z}};
        return true;
    }
    sdHull* hull = makeHull(state, kind == KIND_HULL_32 ? 32 : 256);
    if (hull == NULL) {
        return false;
    }
    *shape = sdShape_Hull(hull);
    *rival = (rivalShape){0};
    rival->vertices = &sdHull_GetVertices(hull, &rival->vertexCount)->x;
    rival->faces = listFaces(hull, &rival->faceCount);
    return rival->faces != NULL;
}

static sdTransform randomPose(uint64_t* state) {
    sdVec3 p = sdScale(3.0f, bench_RandomInBall(state));
    sdQuat q = {bench_RandomInBall(state), bench_RandomFloat(state)};
    return sdTransform_Make(p, sdNormalizeQ(q));
}

/// Move B along the normal until it has this separation.
static sdTransform setSeparation(const sdShape* a, const sdShape* b, sdTransform xf, float wanted) {
    sdSeparation now = sdPenetration(a, b, xf, NULL);
    xf.p = sdMulAdd(xf.p, wanted - now.separation, now.normal);
    return xf;
}

static bool isSuited(benchCase which, float separation) {
    switch (which) {
        case CASE_SEPARATED:
            return separation > CLEARANCE && separation < FURTHEST;
        case CASE_OVERLAPPING:
            return separation < -CLEARANCE;
        default:
            return separation < FURTHEST;
    }
}

static void makePoses(benchScene* scene, int pair, uint64_t* state) {
    const sdShape* a = &scene->shapes[scene->scene.pairs[pair][0]];
    const sdShape* b = &scene->shapes[scene->scene.pairs[pair][1]];
    sdTransform xf;
    do {
        xf = randomPose(state);
    } while (!isSuited(scene->which, sdPenetration(a, b, xf, NULL).separation));
    float gap = TOUCH * bench_RandomFloat(state);
    sdVec3 step = sdScale(scene->step, sdNormalize(bench_RandomInBall(state)));
    sdVec3 turn = sdScale(scene->step, sdNormalize(bench_RandomInBall(state)));
    for (int frame = 0; frame < FRAME_COUNT; ++frame) {
        if (scene->which == CASE_TOUCHING) {
            xf = setSeparation(a, b, xf, gap);
        }
        int at = frame * scene->scene.pairCount + pair;
        scene->poses[at] = xf;
        scene->separations[at] = sdPenetration(a, b, xf, NULL).separation;
        xf.p = sdAdd(xf.p, step);
        xf.q = sdNormalizeQ(sdMulQ(sdQuat_FromRotationVector(turn), xf.q));
    }
}

/// The same poses for the others.
static void copyPoses(const benchScene* scene, rivalPose* poses) {
    for (int i = 0; i < FRAME_COUNT * scene->scene.pairCount; ++i) {
        sdTransform xf = scene->poses[i];
        poses[i] = (rivalPose){{xf.p.x, xf.p.y, xf.p.z}, {xf.q.v.x, xf.q.v.y, xf.q.v.z, xf.q.s}};
    }
}

void benchScene_Destroy(benchScene* scene) {
    for (int i = 0; i < scene->scene.shapeCount; ++i) {
        if (scene->shapes[i].type == SD_SHAPE_HULL) {
            sdHull_Release(scene->shapes[i].hull);
        }
        free((void*)scene->scene.shapes[i].faces);
    }
    free(scene->shapes);
    free(scene->poses);
    free(scene->separations);
    free((void*)scene->scene.shapes);
    free((void*)scene->scene.pairs);
    free((void*)scene->scene.poses);
}

bool benchScene_Create(benchKind kind, benchCase which, bool isResting, int pairCount,
                       benchScene* out) {
    uint64_t state = 1 + (uint64_t)kind * CASE_COUNT + (uint64_t)which;
    size_t poseCount = (size_t)pairCount * FRAME_COUNT;
    rivalShape* shapes = calloc(SHAPE_COUNT, sizeof *shapes);
    int(*pairs)[2] = calloc((size_t)pairCount, sizeof *pairs);
    rivalPose* poses = calloc(poseCount, sizeof *poses);
    *out =
        (benchScene){.kind = kind, .which = which, .step = isResting ? RESTING_STEP : MOVING_STEP};
    out->scene = (rivalScene){.isBox = kind == KIND_BOX,
                              .shapes = shapes,
                              .pairCount = pairCount,
                              .pairs = (const int(*)[2])pairs,
                              .frameCount = FRAME_COUNT,
                              .poses = poses,
                              .origin = out};
    out->shapes = calloc(SHAPE_COUNT, sizeof *out->shapes);
    out->poses = calloc(poseCount, sizeof *out->poses);
    out->separations = calloc(poseCount, sizeof *out->separations);
    bool isMade = shapes != NULL && pairs != NULL && poses != NULL && out->shapes != NULL &&
                  out->poses != NULL && out->separations != NULL;
    for (int i = 0; i < SHAPE_COUNT && isMade; ++i) {
        isMade = makeShape(kind, &state, &out->shapes[i], &shapes[i]);
        out->scene.shapeCount = i + 1;
    }
    for (int i = 0; i < pairCount && isMade; ++i) {
        pairs[i][0] = (int)randomIn(&state, 0.0f, (float)SHAPE_COUNT - 0.5f);
        pairs[i][1] = (int)randomIn(&state, 0.0f, (float)SHAPE_COUNT - 0.5f);
        makePoses(out, i, &state);
    }
    if (!isMade) {
        benchScene_Destroy(out);
        return false;
    }
    copyPoses(out, poses);
    return true;
}
