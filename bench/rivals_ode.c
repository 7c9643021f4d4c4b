// SPDX-License-Identifier: MIT
// rivals_ode.c - Debian's ODE, in double: dWorldQuickStep with its 20 iterations, a hash space, at
// most four contact points a pair, 32 where there is a mesh.
//
// Its capsules and cylinders stand along z. It has no cones, neither as shapes nor as limits of
// balls; hulls it has, but they do not meet each other well, and are left out.

#include "rivals_world.h"

#include "sudar/joint.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define dDOUBLE
#include <ode/ode.h>

#define MAX_POINTS 4
#define BOUNCE_SPEED 0.1 // m/s, above which it bounces
#define MAX_MESH_POINTS 32
#define MAX_MESHES 8

/// Triangles that bodies share, in ODE's numbers.
typedef struct OdeMesh {
    const sdMesh* from;
    dTriMeshDataID data;
    double* vertices;
} OdeMesh;

/// Where a mesh was in the step before: its collider wants to know.
typedef struct OdeTrail {
    dGeomID geom;
    dMatrix4 matrices[2];
} OdeTrail;

typedef struct Ode {
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID* bodies; ///< NULL for static ones
    sdTransform* frames;
    sdWorldTransform* starts;
    int bodyCount;
    double dt;
    OdeMesh meshes[MAX_MESHES];
    int meshCount;
    OdeTrail* trails;
    int trailCount, trailTurn;
} Ode;

static void destroy(void* arg) {
    Ode* self = (Ode*)arg;
    dJointGroupDestroy(self->contacts);
    dSpaceDestroy(self->space);
    dWorldDestroy(self->world);
    for (int i = 0; i < self->meshCount; ++i) {
        dGeomTriMeshDataDestroy(self->meshes[i].data);
        free(self->meshes[i].vertices);
    }
    dCloseODE();
    free(self->trails);
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

static OdeMesh* findMesh(Ode* self, const sdMesh* from) {
    for (int i = 0; i < self->meshCount; ++i) {
        if (self->meshes[i].from == from) {
            return &self->meshes[i];
        }
    }
    sdMeshData data = sdMesh_GetData(from);
    OdeMesh mesh = {.from = from, .vertices = calloc((size_t)data.vertexCount, 3 * sizeof(double))};
    if (mesh.vertices == NULL || self->meshCount == MAX_MESHES) {
        free(mesh.vertices);
        return NULL;
    }
    for (int i = 0; i < data.vertexCount; ++i) {
        mesh.vertices[3 * i] = (double)data.vertices[i].x;
        mesh.vertices[3 * i + 1] = (double)data.vertices[i].y;
        mesh.vertices[3 * i + 2] = (double)data.vertices[i].z;
    }
    mesh.data = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildDouble(mesh.data, mesh.vertices, 3 * sizeof(double), data.vertexCount,
                                data.triangles, 3 * data.triangleCount, 3 * sizeof(int32_t));
    self->meshes[self->meshCount] = mesh;
    return &self->meshes[self->meshCount++];
}

static dGeomID makeMesh(Ode* self, const sdMesh* from) {
    OdeMesh* mesh = findMesh(self, from);
    if (mesh == NULL) {
        return NULL;
    }
    dGeomID geom = dCreateTriMesh(self->space, mesh->data, NULL, NULL, NULL);
    self->trails[self->trailCount++] = (OdeTrail){.geom = geom};
    return geom;
}

static void leaveTrails(Ode* self) {
    self->trailTurn = 1 - self->trailTurn;
    for (int i = 0; i < self->trailCount; ++i) {
        OdeTrail* trail = &self->trails[i];
        const dReal* p = dGeomGetPosition(trail->geom);
        const dReal* r = dGeomGetRotation(trail->geom);
        dReal* m = trail->matrices[self->trailTurn];
        for (int row = 0; row < 3; ++row) {
            for (int column = 0; column < 3; ++column) {
                m[4 * row + column] = r[4 * row + column];
            }
            m[4 * row + 3] = 0.0;
            m[12 + row] = p[row];
        }
        m[15] = 1.0;
        // the other one: of the step before
        dGeomTriMeshSetLastTransform(trail->geom, trail->matrices[1 - self->trailTurn]);
    }
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
        case SD_SHAPE_MESH:
            return makeMesh(self, from->mesh);
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

/// It complains of meshes that lie on each other, thousands of times.
static void keepQuiet(int number, const char* text, va_list arguments) {
    (void)number;
    (void)text;
    (void)arguments;
}

/// Instead of a cone: two angles of swing, each limited to the cone's, and a twist.
static void limitBall(Ode* self, dBodyID a, dBodyID b, sdQuat frame, const sdJointDef* def) {
    static const int stops[3][2] = {{dParamLoStop1, dParamHiStop1},
                                    {dParamLoStop2, dParamHiStop2},
                                    {dParamLoStop3, dParamHiStop3}};
    const float most[3] = {def->coneAngle, def->coneAngle, def->axes[SD_AXIS_TURN_X].upper};
    sdVec3 along = sdRotate(frame, sdV3(1.0f, 0.0f, 0.0f));
    sdVec3 across = sdRotate(frame, sdV3(0.0f, 0.0f, 1.0f));
    dJointID motor = dJointCreateAMotor(self->world, NULL);
    dJointAttach(motor, a, b);
    dJointSetAMotorMode(motor, dAMotorEuler);
    dJointSetAMotorAxis(motor, 0, 1, (double)across.x, (double)across.y, (double)across.z);
    dJointSetAMotorAxis(motor, 2, 2, (double)along.x, (double)along.y, (double)along.z);
    for (int i = 0; i < 3; ++i) {
        dJointSetAMotorParam(motor, stops[i][0], (double)-most[i]);
        dJointSetAMotorParam(motor, stops[i][1], (double)most[i]);
    }
}

/// Balls, with and without a cone, and hinges.
static bool addJoint(Ode* self, const rivalWorldScene* scene, const sdJointDef* def) {
    dBodyID a = self->bodies[rivalScene_FindBody(scene, def->bodyA)];
    dBodyID b = self->bodies[rivalScene_FindBody(scene, def->bodyB)];
    sdWorldTransform poseA = sdBody_GetTransform(scene->world, def->bodyA);
    sdPos anchor = sdPos_Add(poseA.p, sdRotate(poseA.q, def->frameA.p));
    const sdJointAxis* turn = &def->axes[SD_AXIS_TURN_X];
    if (def->type == SD_JOINT_BALL) {
        dJointID joint = dJointCreateBall(self->world, NULL);
        dJointAttach(joint, a, b);
        dJointSetBallAnchor(joint, anchor.x, anchor.y, anchor.z);
        if (def->coneAngle < SD_PI) {
            limitBall(self, a, b, sdMulQ(poseA.q, def->frameA.q), def);
        }
        return true;
    }
    if (def->type != SD_JOINT_HINGE) {
        return false;
    }
    sdVec3 axis = sdRotate(sdMulQ(poseA.q, def->frameA.q), sdV3(1.0f, 0.0f, 0.0f));
    dJointID joint = dJointCreateHinge(self->world, NULL);
    dJointAttach(joint, a, b);
    dJointSetHingeAnchor(joint, anchor.x, anchor.y, anchor.z);
    // its angles are those of A against B
    dJointSetHingeAxis(joint, (double)-axis.x, (double)-axis.y, (double)-axis.z);
    if (turn->mode == SD_AXIS_LIMITED) {
        dJointSetHingeParam(joint, dParamLoStop, (double)turn->lower);
        dJointSetHingeParam(joint, dParamHiStop, (double)turn->upper);
    }
    return true;
}

static bool addJoints(Ode* self, const rivalWorldScene* scene, char* why) {
    int count = sdWorld_GetJoints(scene->world, NULL, 0);
    sdJointId* ids = calloc((size_t)count + 1, sizeof *ids);
    bool isReady = ids != NULL;
    if (isReady) {
        sdWorld_GetJoints(scene->world, ids, count);
    }
    for (int i = 0; i < count && isReady; ++i) {
        isReady = addJoint(self, scene, sdJoint_GetDef(scene->world, ids[i]));
        if (!isReady) {
            snprintf(why, RIVAL_WHY_SIZE, "has no such joint");
        }
    }
    free(ids);
    return isReady;
}

static void* create(const rivalWorldScene* scene, char* why) {
    Ode* self = calloc(1, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    dInitODE2(0);
    dSetMessageHandler(keepQuiet);
    dAllocateODEDataForThread(dAllocateMaskAll);
    size_t count = (size_t)scene->bodyCount;
    self->world = dWorldCreate();
    self->space = dHashSpaceCreate(NULL);
    self->contacts = dJointGroupCreate(0);
    self->bodies = calloc(count, sizeof *self->bodies);
    self->frames = calloc(count, sizeof *self->frames);
    self->starts = calloc(count, sizeof *self->starts);
    self->trails = calloc(count, sizeof *self->trails);
    self->bodyCount = scene->bodyCount;
    self->dt = (double)scene->dt;
    sdVec3 gravity = sdWorld_GetDef(scene->world).gravity;
    dWorldSetGravity(self->world, (double)gravity.x, (double)gravity.y, (double)gravity.z);
    bool isReady = self->bodies != NULL && self->frames != NULL && self->starts != NULL &&
                   self->trails != NULL;
    for (int i = 0; i < scene->bodyCount && isReady; ++i) {
        isReady = addBody(self, scene, i, why);
    }
    isReady = isReady && addJoints(self, scene, why);
    if (!isReady) {
        destroy(self);
        return NULL;
    }
    return self;
}

static void meet(void* arg, dGeomID a, dGeomID b) {
    Ode* self = (Ode*)arg;
    dBodyID bodyA = dGeomGetBody(a), bodyB = dGeomGetBody(b);
    if ((bodyA == NULL && bodyB == NULL) ||
        (bodyA != NULL && bodyB != NULL &&
         dAreConnectedExcluding(bodyA, bodyB, dJointTypeContact))) {
        return;
    }
    const sdShapeDef *defA = dGeomGetData(a), *defB = dGeomGetData(b);
    dContact contacts[MAX_MESH_POINTS];
    bool isMesh = dGeomGetClass(a) == dTriMeshClass || dGeomGetClass(b) == dTriMeshClass;
    int count =
        dCollide(a, b, isMesh ? MAX_MESH_POINTS : MAX_POINTS, &contacts[0].geom, sizeof(dContact));
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
    leaveTrails(self);
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

static void getVelocities(void* arg, sdVec3* velocities, sdVec3* angular) {
    const Ode* self = (const Ode*)arg;
    for (int i = 0; i < self->bodyCount; ++i) {
        velocities[i] = angular[i] = sdV3(0.0f, 0.0f, 0.0f);
        if (self->bodies[i] != NULL) {
            const dReal* v = dBodyGetLinearVel(self->bodies[i]);
            const dReal* w = dBodyGetAngularVel(self->bodies[i]);
            velocities[i] = sdV3((float)v[0], (float)v[1], (float)v[2]);
            angular[i] = sdV3((float)w[0], (float)w[1], (float)w[2]);
        }
    }
}

static void addForce(void* arg, int body, sdVec3 force) {
    dBodyAddForce(((Ode*)arg)->bodies[body], (double)force.x, (double)force.y, (double)force.z);
}

const rivalEngine rivalOdeWorld = {
    "ODE",
    "QuickStep, 20 iterations, hash space, 4 points a pair (32 of meshes), cones by AMotors",
    create,
    step,
    getPoses,
    NULL,
    destroy,
    getVelocities,
    addForce};
