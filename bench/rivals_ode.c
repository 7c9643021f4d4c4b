// SPDX-License-Identifier: MIT
// rivals_ode.c - Debian's ODE, in double: dWorldQuickStep with its 20 iterations, a hash space, at
// most four contact points a pair.
//
// Its capsules and cylinders stand along z. It has no cones; hulls it has, but they do not meet
// each other well, and are left out.

#include "rivals_world.h"

#include "sudar/joint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define dDOUBLE
#include <ode/ode.h>

#define MAX_POINTS 4
#define BOUNCE_SPEED 0.1 // m/s, above which it bounces

typedef struct Ode {
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID* bodies; ///< NULL for static ones
    sdTransform* frames;
    sdWorldTransform* starts;
    int bodyCount;
    double dt;
} Ode;

static void destroy(void* arg) {
    Ode* self = (Ode*)arg;
    dJointGroupDestroy(self->contacts);
    dSpaceDestroy(self->space);
    dWorldDestroy(self->world);
    dCloseODE();
    free(self->bodies);
    free(self->frames);
    free(self->starts);
    free(self);
}

static void toOde(sdQuat q, dQuaternion out) {
    out[0] = (double)q.s;
    out[1] = (double)q.v.x;
    out[2] = (double)q.v.y;
    out[3] = (double)q.v.z;
}

/// NULL for what it lacks.
static dGeomID makeGeom(Ode* self, const sdShape* from) {
    switch (from->type) {
        case SD_SHAPE_SPHERE:
            return dCreateSphere(self->space, (double)from->sphere.radius);
        case SD_SHAPE_CAPSULE:
            return dCreateCapsule(self->space, (double)from->capsule.radius,
                                  2.0 * (double)from->capsule.halfLength);
        case SD_SHAPE_BOX:
            return dCreateBox(self->space, 2.0 * (double)from->box.halfExtents.x,
                              2.0 * (double)from->box.halfExtents.y,
                              2.0 * (double)from->box.halfExtents.z);
        case SD_SHAPE_CYLINDER:
            return dCreateCylinder(self->space, (double)from->cylinder.radius,
                                   2.0 * (double)from->cylinder.halfHeight);
        default:
            return NULL;
    }
}

static void placeGeom(dGeomID geom, dBodyID body, const sdWorldTransform* pose, sdTransform xf) {
    dQuaternion q;
    if (body == NULL) {
        sdPos p = sdPos_Add(pose->p, sdRotate(pose->q, xf.p));
        toOde(sdMulQ(pose->q, xf.q), q);
        dGeomSetPosition(geom, p.x, p.y, p.z);
        dGeomSetQuaternion(geom, q);
    } else {
        toOde(xf.q, q);
        dGeomSetBody(geom, body);
        dGeomSetOffsetPosition(geom, (double)xf.p.x, (double)xf.p.y, (double)xf.p.z);
        dGeomSetOffsetQuaternion(geom, q);
    }
}

static dBodyID makeBody(Ode* self, const rivalBody* from) {
    dBodyID body = dBodyCreate(self->world);
    dMass mass;
    dMassSetParameters(&mass, (double)from->mass, 0.0, 0.0, 0.0, (double)from->moments.x,
                       (double)from->moments.y, (double)from->moments.z, 0.0, 0.0, 0.0);
    dBodySetMass(body, &mass);
    dQuaternion q;
    toOde(from->pose.q, q);
    dBodySetPosition(body, from->pose.p.x, from->pose.p.y, from->pose.p.z);
    dBodySetQuaternion(body, q);
    dBodySetLinearVel(body, (double)from->velocity.x, (double)from->velocity.y,
                      (double)from->velocity.z);
    dBodySetAngularVel(body, (double)from->angularVelocity.x, (double)from->angularVelocity.y,
                       (double)from->angularVelocity.z);
    dBodySetAutoDisableFlag(body, 0);
    return body;
}

static bool addBody(Ode* self, const rivalWorldScene* scene, int index, char* why) {
    rivalBody from;
    if (!rivalBody_Get(scene->world, scene->bodies[index], &from)) {
        snprintf(why, RIVAL_WHY_SIZE, "has too many shapes");
        return false;
    }
    self->frames[index] = from.frame;
    self->starts[index] = from.pose;
    self->bodies[index] = from.type == SD_BODY_DYNAMIC ? makeBody(self, &from) : NULL;
    for (int i = 0; i < from.shapeCount; ++i) {
        const sdShape* shape = &from.shapes[i]->shape;
        dGeomID geom = makeGeom(self, shape);
        if (geom == NULL) {
            snprintf(why, RIVAL_WHY_SIZE, "no adapter for a %s", sdShapeType_Name(shape->type));
            return false;
        }
        bool isAlongZ = shape->type == SD_SHAPE_CAPSULE || shape->type == SD_SHAPE_CYLINDER;
        sdTransform xf = isAlongZ ? rivalAlongZ(from.shapeXf[i]) : from.shapeXf[i];
        placeGeom(geom, self->bodies[index], &from.pose, xf);
        dGeomSetData(geom, (void*)(uintptr_t)from.shapes[i]);
    }
    return true;
}

static void* create(const rivalWorldScene* scene, char* why) {
    if (sdWorld_GetJoints(scene->world, NULL, 0) > 0) {
        snprintf(why, RIVAL_WHY_SIZE, "joints are not handed to it here");
        return NULL;
    }
    Ode* self = calloc(1, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    size_t count = (size_t)scene->bodyCount;
    self->world = dWorldCreate();
    self->space = dHashSpaceCreate(NULL);
    self->contacts = dJointGroupCreate(0);
    self->bodies = calloc(count, sizeof *self->bodies);
    self->frames = calloc(count, sizeof *self->frames);
    self->starts = calloc(count, sizeof *self->starts);
    self->bodyCount = scene->bodyCount;
    self->dt = (double)scene->dt;
    sdVec3 gravity = sdWorld_GetDef(scene->world).gravity;
    dWorldSetGravity(self->world, (double)gravity.x, (double)gravity.y, (double)gravity.z);
    bool isReady = self->bodies != NULL && self->frames != NULL && self->starts != NULL;
    for (int i = 0; i < scene->bodyCount && isReady; ++i) {
        isReady = addBody(self, scene, i, why);
    }
    if (!isReady) {
        destroy(self);
        return NULL;
    }
    return self;
}

static void meet(void* arg, dGeomID a, dGeomID b) {
    Ode* self = (Ode*)arg;
    dBodyID bodyA = dGeomGetBody(a), bodyB = dGeomGetBody(b);
    if (bodyA == NULL && bodyB == NULL) {
        return;
    }
    const sdShapeDef *defA = dGeomGetData(a), *defB = dGeomGetData(b);
    dContact contacts[MAX_POINTS];
    int count = dCollide(a, b, MAX_POINTS, &contacts[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
        double restitution = (double)sdMaxF(defA->material.restitution, defB->material.restitution);
        contacts[i].surface =
            (dSurfaceParameters){// friction of a force, not a constant one
                                 .mode = dContactApprox1 | (restitution > 0.0 ? dContactBounce : 0),
                                 .mu = sqrt((double)defA->material.slidingFriction *
                                            (double)defB->material.slidingFriction),
                                 .bounce = restitution,
                                 .bounce_vel = BOUNCE_SPEED};
        dJointAttach(dJointCreateContact(self->world, self->contacts, &contacts[i]), bodyA, bodyB);
    }
}

static void step(void* arg) {
    Ode* self = (Ode*)arg;
    dSpaceCollide(self->space, self, meet);
    dWorldQuickStep(self->world, self->dt);
    dJointGroupEmpty(self->contacts);
}

static void getPoses(void* arg, sdWorldTransform* poses) {
    const Ode* self = (const Ode*)arg;
    for (int i = 0; i < self->bodyCount; ++i) {
        sdWorldTransform pose = self->starts[i];
        if (self->bodies[i] != NULL) {
            const dReal* p = dBodyGetPosition(self->bodies[i]);
            const dReal* q = dBodyGetQuaternion(self->bodies[i]);
            pose.p = sdPos_Make(p[0], p[1], p[2]);
            pose.q = (sdQuat){{(float)q[1], (float)q[2], (float)q[3]}, (float)q[0]};
        }
        poses[i] = rivalBody_ToOrigin(pose, self->frames[i]);
    }
}

const rivalEngine rivalOdeWorld = {
    "ODE",  "QuickStep, 20 iterations, hash space, 4 points a pair", create, step, getPoses, NULL,
    destroy};
