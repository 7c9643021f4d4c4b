// SPDX-License-Identifier: MIT
// rivals_ccd.c - Debian's libccd: GJK, GJK + EPA, and Minkowski portal refinement (MPR).
//
// libccd leaves support functions to its user. Here: A stands still, so its support needs no
// rotation; B's rotation is a matrix that was made beforehand; vertices are doubles, as libccd's.
// The first direction is the one between the centres, which is faster than libccd's default.

#include "rivals.h"

#include <ccd/ccd.h>
#include <math.h>
#include <stdlib.h>

/// libccd has no limit of its own, and MPR can go on for ever.
#define MAX_ITERATIONS 100

typedef struct Shape {
    ccd_vec3_t halfExtents;
    ccd_vec3_t* vertices;
    ccd_vec3_t center;
    int vertexCount;
} Shape;

typedef struct Pose {
    double m[3][3];
    ccd_vec3_t position;
} Pose;

typedef struct Body {
    const Shape* shape;
    const Pose* pose;
} Body;

typedef struct Ccd {
    const rivalScene* scene;
    Shape* shapes;
    Pose* poses;
} Ccd;

static ccd_vec3_t boxCorner(const Shape* shape, const ccd_vec3_t* d) {
    const double* h = shape->halfExtents.v;
    ccd_vec3_t corner = {
        {copysign(h[0], d->v[0]), copysign(h[1], d->v[1]), copysign(h[2], d->v[2])}};
    return corner;
}

static ccd_vec3_t hullVertex(const Shape* shape, const ccd_vec3_t* d) {
    int best = 0;
    double most = -INFINITY;
    for (int i = 0; i < shape->vertexCount; ++i) {
        const double* v = shape->vertices[i].v;
        double along = v[0] * d->v[0] + v[1] * d->v[1] + v[2] * d->v[2];
        best = along > most ? i : best;
        most = along > most ? along : most;
    }
    return shape->vertices[best];
}

static ccd_vec3_t toLocal(const Pose* pose, const ccd_vec3_t* d) {
    ccd_vec3_t r;
    for (int i = 0; i < 3; ++i) {
        r.v[i] = pose->m[0][i] * d->v[0] + pose->m[1][i] * d->v[1] + pose->m[2][i] * d->v[2];
    }
    return r;
}

static ccd_vec3_t toWorld(const Pose* pose, const ccd_vec3_t* p) {
    ccd_vec3_t r;
    for (int i = 0; i < 3; ++i) {
        r.v[i] = pose->m[i][0] * p->v[0] + pose->m[i][1] * p->v[1] + pose->m[i][2] * p->v[2] +
                 pose->position.v[i];
    }
    return r;
}

static void supportBoxA(const void* object, const ccd_vec3_t* d, ccd_vec3_t* out) {
    *out = boxCorner(((const Body*)object)->shape, d);
}

static void supportBoxB(const void* object, const ccd_vec3_t* d, ccd_vec3_t* out) {
    const Body* body = object;
    ccd_vec3_t local = toLocal(body->pose, d);
    ccd_vec3_t corner = boxCorner(body->shape, &local);
    *out = toWorld(body->pose, &corner);
}

static void supportHullA(const void* object, const ccd_vec3_t* d, ccd_vec3_t* out) {
    *out = hullVertex(((const Body*)object)->shape, d);
}

static void supportHullB(const void* object, const ccd_vec3_t* d, ccd_vec3_t* out) {
    const Body* body = object;
    ccd_vec3_t local = toLocal(body->pose, d);
    ccd_vec3_t vertex = hullVertex(body->shape, &local);
    *out = toWorld(body->pose, &vertex);
}

static void centerA(const void* object, ccd_vec3_t* out) {
    *out = ((const Body*)object)->shape->center;
}

static void centerB(const void* object, ccd_vec3_t* out) {
    const Body* body = object;
    *out = toWorld(body->pose, &body->shape->center);
}

static void firstDirection(const void* a, const void* b, ccd_vec3_t* out) {
    ccd_vec3_t from;
    centerA(a, &from);
    centerB(b, out);
    ccdVec3Sub(out, &from);
}

static void setShape(Shape* shape, const rivalShape* from) {
    ccdVec3Set(&shape->halfExtents, (double)from->halfExtents[0], (double)from->halfExtents[1],
               (double)from->halfExtents[2]);
    ccdVec3Set(&shape->center, 0.0, 0.0, 0.0);
    shape->vertexCount = from->vertexCount;
    shape->vertices = calloc((size_t)from->vertexCount + 1, sizeof *shape->vertices);
    for (int i = 0; i < from->vertexCount && shape->vertices != NULL; ++i) {
        for (int k = 0; k < 3; ++k) {
            shape->vertices[i].v[k] = (double)from->vertices[3 * i + k];
            shape->center.v[k] += shape->vertices[i].v[k] / from->vertexCount;
        }
    }
}

static void setPose(Pose* pose, const rivalPose* from) {
    double x = (double)from->rotation[0], y = (double)from->rotation[1];
    double z = (double)from->rotation[2], w = (double)from->rotation[3];
    const double m[3][3] = {
        {1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)},
        {2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)},
        {2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)}};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            pose->m[i][k] = m[i][k];
        }
        pose->position.v[i] = (double)from->position[i];
    }
}

static void destroy(void* self) {
    Ccd* ccd = self;
    for (int i = 0; ccd != NULL && ccd->shapes != NULL && i < ccd->scene->shapeCount; ++i) {
        free(ccd->shapes[i].vertices);
    }
    if (ccd != NULL) {
        free(ccd->shapes);
        free(ccd->poses);
    }
    free(ccd);
}

static void* create(const rivalScene* scene) {
    Ccd* ccd = calloc(1, sizeof *ccd);
    if (ccd == NULL) {
        return NULL;
    }
    int poseCount = scene->frameCount * scene->pairCount;
    ccd->scene = scene;
    ccd->shapes = calloc((size_t)scene->shapeCount, sizeof *ccd->shapes);
    ccd->poses = calloc((size_t)poseCount, sizeof *ccd->poses);
    if (ccd->shapes == NULL || ccd->poses == NULL) {
        destroy(ccd);
        return NULL;
    }
    for (int i = 0; i < scene->shapeCount; ++i) {
        setShape(&ccd->shapes[i], &scene->shapes[i]);
    }
    for (int i = 0; i < poseCount; ++i) {
        setPose(&ccd->poses[i], &scene->poses[i]);
    }
    return ccd;
}

static void forget(void* self) {
    (void)self;
}

static bool can(rivalQuery query, bool isBox, bool isCached) {
    (void)isBox;
    return !isCached && (query == RIVAL_OVERLAP || query == RIVAL_DEPTH);
}

static void run(const Ccd* ccd, rivalQuery query, bool isMpr, rivalRange range,
                rivalAnswer* answers) {
    const rivalScene* scene = ccd->scene;
    ccd_t settings;
    CCD_INIT(&settings);
    settings.first_dir = firstDirection;
    settings.support1 = scene->isBox ? supportBoxA : supportHullA;
    settings.support2 = scene->isBox ? supportBoxB : supportHullB;
    settings.center1 = centerA;
    settings.center2 = centerB;
    settings.max_iterations = MAX_ITERATIONS;
    for (int i = range.first; i < range.end; ++i) {
        const Pose* pose = &ccd->poses[range.frame * scene->pairCount + i];
        Body a = {&ccd->shapes[scene->pairs[i][0]], NULL};
        Body b = {&ccd->shapes[scene->pairs[i][1]], pose};
        rivalAnswer answer = {0};
        if (query == RIVAL_OVERLAP) {
            answer.isOverlapping = isMpr ? ccdMPRIntersect(&a, &b, &settings) != 0
                                         : ccdGJKIntersect(&a, &b, &settings) != 0;
        } else {
            double depth = 0.0;
            ccd_vec3_t normal = {{0.0, 0.0, 0.0}}, point;
            int result = isMpr ? ccdMPRPenetration(&a, &b, &settings, &depth, &normal, &point)
                               : ccdGJKPenetration(&a, &b, &settings, &depth, &normal, &point);
            answer.isOverlapping = result == 0;
            answer.isFailed = result < -1;
            answer.separation = (float)-depth;
            for (int k = 0; k < 3; ++k) {
                answer.normal[k] = (float)normal.v[k];
            }
        }
        answers[i] = answer;
    }
}

static void runGjk(void* self, rivalQuery query, rivalRange range, bool isCached,
                   rivalAnswer* answers) {
    (void)isCached;
    run(self, query, false, range, answers);
}

static void runMpr(void* self, rivalQuery query, rivalRange range, bool isCached,
                   rivalAnswer* answers) {
    (void)isCached;
    run(self, query, true, range, answers);
}

const rivalMethod rivalCcdGjk = {"libccd GJK", 3.0, can, create, destroy, forget, runGjk};
const rivalMethod rivalCcdMpr = {"libccd MPR", 2.0, can, create, destroy, forget, runMpr};
