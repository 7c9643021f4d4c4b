// SPDX-License-Identifier: MIT
// rivals_chipmunk.c - Debian's Chipmunk: bodies of a plane z = const, with its 10 iterations.
//
// Its friction of a pair is the product of both, ours the geometric mean: it gets square roots.
// It gets the mass and the moment about z that a body has in space. Circles and boxes.

#include "rivals_planar.h"

#include <chipmunk/chipmunk.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Chipmunk {
    cpSpace* space;
    cpBody** bodies;
    cpShape** shapes;
    cpConstraint** joints;
    sdWorldTransform* starts;
    int bodyCount, jointCount;
    double dt;
} Chipmunk;

static void destroy(void* arg) {
    Chipmunk* self = (Chipmunk*)arg;
    for (int i = 0; i < self->jointCount && self->joints != NULL; ++i) {
        if (self->joints[i] != NULL) {
            cpSpaceRemoveConstraint(self->space, self->joints[i]);
            cpConstraintFree(self->joints[i]);
        }
    }
    for (int i = 0; i < self->bodyCount && self->shapes != NULL && self->bodies != NULL; ++i) {
        if (self->shapes[i] != NULL) {
            cpSpaceRemoveShape(self->space, self->shapes[i]);
            cpShapeFree(self->shapes[i]);
        }
        if (self->bodies[i] != NULL) {
            cpSpaceRemoveBody(self->space, self->bodies[i]);
            cpBodyFree(self->bodies[i]);
        }
    }
    cpSpaceFree(self->space);
    free(self->bodies);
    free(self->shapes);
    free(self->joints);
    free(self->starts);
    free(self);
}

static bool addBody(Chipmunk* self, const rivalBody* from, int index) {
    bool isDynamic = from->type == SD_BODY_DYNAMIC;
    const sdShapeDef* def = from->shapes[0];
    if (from->shapeCount != 1 || !rivalTransform_IsIdentity(from->shapeXf[0]) ||
        (def->shape.type != SD_SHAPE_SPHERE && def->shape.type != SD_SHAPE_BOX)) {
        return false;
    }
    cpBody* body =
        isDynamic ? cpBodyNew((double)from->mass, (double)from->moments.z) : cpBodyNewStatic();
    cpBodySetPosition(body, cpv(from->pose.p.x, from->pose.p.y));
    cpBodySetAngle(body, (double)rivalPlanar_GetAngle(from->pose.q));
    cpBodySetVelocity(body, cpv((double)from->velocity.x, (double)from->velocity.y));
    cpBodySetAngularVelocity(body, (double)from->angularVelocity.z);
    self->bodies[index] = cpSpaceAddBody(self->space, body);
    const sdShape* s = &def->shape;
    cpShape* shape = s->type == SD_SHAPE_SPHERE
                         ? cpCircleShapeNew(body, (double)s->sphere.radius, cpvzero)
                         : cpBoxShapeNew(body, 2.0 * (double)s->box.halfExtents.x,
                                         2.0 * (double)s->box.halfExtents.y, 0.0);
    cpShapeSetFriction(shape, sqrt((double)def->material.slidingFriction));
    cpShapeSetElasticity(shape, (double)def->material.restitution);
    self->shapes[index] = cpSpaceAddShape(self->space, shape);
    self->starts[index] = from->pose;
    return true;
}

static bool addJoint(Chipmunk* self, const rivalWorldScene* scene, const sdJointDef* def,
                     int index) {
    if (def->type != SD_JOINT_HINGE) {
        return false;
    }
    cpBody* a = self->bodies[rivalScene_FindBody(scene, def->bodyA)];
    cpBody* b = self->bodies[rivalScene_FindBody(scene, def->bodyB)];
    cpConstraint* joint =
        cpPivotJointNew2(a, b, cpv((double)def->frameA.p.x, (double)def->frameA.p.y),
                         cpv((double)def->frameB.p.x, (double)def->frameB.p.y));
    cpConstraintSetCollideBodies(joint, def->collideConnected);
    self->joints[index] = cpSpaceAddConstraint(self->space, joint);
    return true;
}

static bool fill(Chipmunk* self, const rivalWorldScene* scene, char* why) {
    for (int i = 0; i < scene->bodyCount; ++i) {
        rivalBody body;
        if (!rivalBody_Get(scene->world, scene->bodies[i], &body) || !addBody(self, &body, i)) {
            snprintf(why, RIVAL_WHY_SIZE, "has no such shape");
            return false;
        }
    }
    sdJointId* ids = calloc((size_t)self->jointCount + 1, sizeof *ids);
    bool isReady = ids != NULL;
    if (isReady) {
        sdWorld_GetJoints(scene->world, ids, self->jointCount);
    }
    for (int i = 0; i < self->jointCount && isReady; ++i) {
        isReady = addJoint(self, scene, sdJoint_GetDef(scene->world, ids[i]), i);
        if (!isReady) {
            snprintf(why, RIVAL_WHY_SIZE, "has no such joint");
        }
    }
    free(ids);
    return isReady;
}

static void* create(const rivalWorldScene* scene, char* why) {
    Chipmunk* self = calloc(1, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    sdVec3 gravity = sdWorld_GetDef(scene->world).gravity;
    self->space = cpSpaceNew();
    cpSpaceSetGravity(self->space, cpv((double)gravity.x, (double)gravity.y));
    self->dt = (double)scene->dt;
    self->bodyCount = scene->bodyCount;
    self->jointCount = sdWorld_GetJoints(scene->world, NULL, 0);
    size_t count = (size_t)scene->bodyCount;
    self->bodies = calloc(count, sizeof *self->bodies);
    self->shapes = calloc(count, sizeof *self->shapes);
    self->starts = calloc(count, sizeof *self->starts);
    self->joints = calloc((size_t)self->jointCount + 1, sizeof *self->joints);
    if (self->bodies == NULL || self->shapes == NULL || self->starts == NULL ||
        self->joints == NULL || !fill(self, scene, why)) {
        destroy(self);
        return NULL;
    }
    return self;
}

static void step(void* arg) {
    Chipmunk* self = (Chipmunk*)arg;
    cpSpaceStep(self->space, self->dt);
}

static void getPoses(void* arg, sdWorldTransform* poses) {
    const Chipmunk* self = (const Chipmunk*)arg;
    for (int i = 0; i < self->bodyCount; ++i) {
        cpVect p = cpBodyGetPosition(self->bodies[i]);
        poses[i] =
            rivalPlanar_MakePose(self->starts[i], p.x, p.y, (float)cpBodyGetAngle(self->bodies[i]));
    }
}

const rivalEngine rivalChipmunk = {"Chipmunk", "10 iterations", create, step, getPoses,
                                   NULL,       destroy,         NULL,   NULL};
