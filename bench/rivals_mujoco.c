// SPDX-License-Identifier: MIT
// rivals_mujoco.c - Debian's MuJoCo: Newton's method with its limit of 100 iterations, pyramidal
// cones, as it comes; the world goes to it as MJCF in memory.
//
// Its capsules and cylinders stand along z. It has no cones, no restitution, and takes meshes for
// their hulls. The friction of a pair is the larger one. Balls and hinges are what it is made for:
// bodies that hang on them have no other freedoms, as long as they hang together as trees.

#define _POSIX_C_SOURCE 200809L

#include "rivals_world.h"

#include "sudar/joint.h"

#include <mujoco/mujoco.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define POINTS_A_BODY 8 // for which it has to take memory beforehand
#define ROWS_A_POINT 4

typedef struct Mujoco {
    mjModel* model;
    mjData* data;
    int* bodies; ///< in the model; 0 for static ones
    rivalBody* sources;
    int* parents;              ///< body that it hangs on, -1 for none
    const sdJointDef** joints; ///< by which it does
    int bodyCount, nextBody;
} Mujoco;

typedef struct Text {
    char* data;
    size_t length, capacity;
} Text;

__attribute__((format(printf, 2, 3))) static void print(Text* text, const char* format, ...) {
    if (text->capacity - text->length < 1024) {
        size_t capacity = 2 * text->capacity + 65536;
        char* data = realloc(text->data, capacity);
        if (data == NULL) {
            return;
        }
        text->data = data;
        text->capacity = capacity;
    }
    va_list arguments;
    va_start(arguments, format);
    int length =
        vsnprintf(text->data + text->length, text->capacity - text->length, format, arguments);
    va_end(arguments);
    text->length += length > 0 ? (size_t)length : 0;
}

static void destroy(void* arg) {
    Mujoco* self = (Mujoco*)arg;
    mj_deleteData(self->data);
    mj_deleteModel(self->model);
    free(self->bodies);
    free(self->sources);
    free(self->parents);
    free(self->joints);
    free(self);
}

static void printPose(Text* text, sdPos p, sdQuat q) {
    print(text, " pos=\"%.17g %.17g %.17g\" quat=\"%.9g %.9g %.9g %.9g\"", p.x, p.y, p.z,
          (double)q.s, (double)q.v.x, (double)q.v.y, (double)q.v.z);
}

/// False for what it lacks.
static bool printGeom(Text* text, const sdShapeDef* def, sdPos p, sdTransform xf) {
    const sdShape* shape = &def->shape;
    bool isAlongZ = shape->type == SD_SHAPE_CAPSULE || shape->type == SD_SHAPE_CYLINDER;
    sdTransform own = isAlongZ ? rivalAlongZ(xf) : xf;
    print(text, "<geom friction=\"%.9g 0.005 0.0001\"", (double)def->material.slidingFriction);
    printPose(text, sdPos_Add(p, own.p), own.q);
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            print(text, " type=\"sphere\" size=\"%.9g\"/>", (double)shape->sphere.radius);
            return true;
        case SD_SHAPE_CAPSULE:
            print(text, " type=\"capsule\" size=\"%.9g %.9g\"/>", (double)shape->capsule.radius,
                  (double)shape->capsule.halfLength);
            return true;
        case SD_SHAPE_CYLINDER:
            print(text, " type=\"cylinder\" size=\"%.9g %.9g\"/>", (double)shape->cylinder.radius,
                  (double)shape->cylinder.halfHeight);
            return true;
        case SD_SHAPE_BOX:
            print(text, " type=\"box\" size=\"%.9g %.9g %.9g\"/>", (double)shape->box.halfExtents.x,
                  (double)shape->box.halfExtents.y, (double)shape->box.halfExtents.z);
            return true;
        default:
            return false;
    }
}

static sdTransform toFrame(const rivalBody* body, const rivalBody* parent) {
    sdVec3 p = sdPos_Sub(body->pose.p, parent->pose.p);
    return sdTransform_Make(sdInvRotate(parent->pose.q, p),
                            sdInvMulQ(parent->pose.q, body->pose.q));
}

static void printJoint(Text* text, const Mujoco* self, int index, const rivalWorldScene* scene) {
    const sdJointDef* def = self->joints[index];
    if (def == NULL) {
        print(text, "<freejoint/>");
        return;
    }
    const rivalBody* body = &self->sources[index];
    bool isB = def->bodyB == scene->bodies[index];
    sdTransform frame = sdInvMulXf(body->frame, isB ? def->frameB : def->frameA);
    print(text, "<joint type=\"%s\" pos=\"%.9g %.9g %.9g\"",
          def->type == SD_JOINT_BALL ? "ball" : "hinge", (double)frame.p.x, (double)frame.p.y,
          (double)frame.p.z);
    if (def->type == SD_JOINT_HINGE) {
        sdVec3 axis = sdRotate(frame.q, sdV3(isB ? 1.0f : -1.0f, 0.0f, 0.0f));
        print(text, " axis=\"%.9g %.9g %.9g\"", (double)axis.x, (double)axis.y, (double)axis.z);
        const sdJointAxis* turn = &def->axes[SD_AXIS_TURN_X];
        if (turn->mode == SD_AXIS_LIMITED) {
            print(text, " limited=\"true\" range=\"%.9g %.9g\"", (double)turn->lower * 57.2957795,
                  (double)turn->upper * 57.2957795);
        }
    }
    print(text, "/>");
}

/// With all that hangs on it.
static bool printBody(Text* text, Mujoco* self, const rivalWorldScene* scene, int index,
                      char* why) {
    const rivalBody* from = &self->sources[index];
    bool isDynamic = from->type == SD_BODY_DYNAMIC;
    int parent = self->parents[index];
    if (isDynamic) {
        self->bodies[index] = self->nextBody++;
        print(text, "<body");
        if (parent >= 0 && self->sources[parent].type == SD_BODY_DYNAMIC) {
            sdTransform xf = toFrame(from, &self->sources[parent]);
            printPose(text, sdPos_Add(sdPos_Make(0.0, 0.0, 0.0), xf.p), xf.q);
        } else {
            printPose(text, from->pose.p, from->pose.q);
        }
        print(text, ">");
        printJoint(text, self, index, scene);
        print(text, "<inertial pos=\"0 0 0\" mass=\"%.9g\" diaginertia=\"%.9g %.9g %.9g\"/>",
              (double)from->mass, (double)from->moments.x, (double)from->moments.y,
              (double)from->moments.z);
    }
    for (int i = 0; i < from->shapeCount; ++i) {
        sdTransform xf = from->shapeXf[i];
        sdPos origin = sdPos_Make(0.0, 0.0, 0.0);
        if (!isDynamic) {
            origin = from->pose.p;
            xf = sdMulXf(sdTransform_Make(sdV3(0.0f, 0.0f, 0.0f), from->pose.q), xf);
        }
        if (from->shapes[i]->material.restitution > 0.0f) {
            snprintf(why, RIVAL_WHY_SIZE, "has no restitution");
            return false;
        }
        if (!printGeom(text, from->shapes[i], origin, xf)) {
            snprintf(why, RIVAL_WHY_SIZE, "has no %s that keeps its form",
                     sdShapeType_Name(from->shapes[i]->shape.type));
            return false;
        }
    }
    for (int i = 0; i < scene->bodyCount && isDynamic; ++i) {
        if (self->parents[i] == index && !printBody(text, self, scene, i, why)) {
            return false;
        }
    }
    print(text, isDynamic ? "</body>\n" : "\n");
    return true;
}

/// Who hangs on whom: B on A, or A on a static B.
static bool findParents(Mujoco* self, const rivalWorldScene* scene, char* why) {
    int count = sdWorld_GetJoints(scene->world, NULL, 0);
    sdJointId* ids = calloc((size_t)count + 1, sizeof *ids);
    if (ids == NULL) {
        return false;
    }
    sdWorld_GetJoints(scene->world, ids, count);
    bool isReady = true;
    for (int i = 0; i < count && isReady; ++i) {
        const sdJointDef* def = sdJoint_GetDef(scene->world, ids[i]);
        int a = rivalScene_FindBody(scene, def->bodyA), b = rivalScene_FindBody(scene, def->bodyB);
        bool isSwapped = self->sources[b].type != SD_BODY_DYNAMIC;
        int child = isSwapped ? a : b;
        isReady =
            (def->type == SD_JOINT_BALL && def->coneAngle >= 3.14f) || def->type == SD_JOINT_HINGE;
        if (!isReady) {
            snprintf(why, RIVAL_WHY_SIZE, "has no such joint");
        } else if (self->joints[child] != NULL) {
            snprintf(why, RIVAL_WHY_SIZE, "joints that close loops are not handed to it here");
            isReady = false;
        }
        self->joints[child] = def;
        self->parents[child] = isSwapped ? b : a;
    }
    free(ids);
    return isReady;
}

static bool printWorld(Text* text, Mujoco* self, const rivalWorldScene* scene, char* why) {
    sdVec3 g = sdWorld_GetDef(scene->world).gravity;
    int points = POINTS_A_BODY * scene->bodyCount;
    self->nextBody = 1;
    for (int i = 0; i < scene->bodyCount; ++i) {
        self->parents[i] = -1;
        if (!rivalBody_Get(scene->world, scene->bodies[i], &self->sources[i])) {
            snprintf(why, RIVAL_WHY_SIZE, "has too many shapes");
            return false;
        }
    }
    if (!findParents(self, scene, why)) {
        return false;
    }
    print(text,
          "<mujoco><option timestep=\"%.17g\" gravity=\"%g %g %g\"/><size nconmax=\"%d\" "
          "njmax=\"%d\"/><worldbody>\n",
          (double)scene->dt, (double)g.x, (double)g.y, (double)g.z, points, ROWS_A_POINT * points);
    for (int i = 0; i < scene->bodyCount; ++i) {
        int parent = self->parents[i];
        bool hangs = parent >= 0 && self->sources[parent].type == SD_BODY_DYNAMIC;
        if (!hangs && !printBody(text, self, scene, i, why)) {
            return false;
        }
    }
    print(text, "</worldbody></mujoco>\n");
    return true;
}

/// Of free bodies and those that hang on what stands.
static void setVelocities(Mujoco* self) {
    for (int i = 0; i < self->bodyCount; ++i) {
        const rivalBody* from = &self->sources[i];
        int parent = self->parents[i];
        if (self->bodies[i] == 0 ||
            (parent >= 0 && self->sources[parent].type == SD_BODY_DYNAMIC)) {
            continue;
        }
        int joint = self->model->body_jntadr[self->bodies[i]];
        mjtNum* qvel = self->data->qvel + self->model->jnt_dofadr[joint];
        // of turning: in the body's axes
        sdVec3 w = sdInvRotate(from->pose.q, from->angularVelocity);
        if (self->model->jnt_type[joint] == mjJNT_FREE) {
            mjtNum v[6] = {(double)from->velocity.x,
                           (double)from->velocity.y,
                           (double)from->velocity.z,
                           (double)w.x,
                           (double)w.y,
                           (double)w.z};
            mju_copy(qvel, v, 6);
        } else if (self->model->jnt_type[joint] == mjJNT_BALL) {
            mjtNum v[3] = {(double)w.x, (double)w.y, (double)w.z};
            mju_copy(qvel, v, 3);
        } else {
            const mjtNum* axis = self->model->jnt_axis + 3 * joint;
            qvel[0] = axis[0] * (double)w.x + axis[1] * (double)w.y + axis[2] * (double)w.z;
        }
    }
}

static mjModel* load(const Text* text, char* why) {
    static mjVFS files; // two million bytes of names
    char error[1000] = "";
    mj_defaultVFS(&files);
    if (mj_makeEmptyFileVFS(&files, "scene.xml", (int)text->length) != 0) {
        return NULL;
    }
    memcpy(files.filedata[0], text->data, text->length);
    mjModel* model = mj_loadXML("scene.xml", &files, error, sizeof error);
    mj_deleteVFS(&files);
    if (model == NULL) {
        bool isMemory = strstr(error, "could not create mjData") != NULL;
        snprintf(why, RIVAL_WHY_SIZE, "%.80s%s", error,
                 isMemory ? ": its dense matrices do not fit into 4 GiB" : "");
    }
    return model;
}

/// Its errors end the program, and so does this, with words.
static char* errorText;

static void onError(const char* text) {
    snprintf(errorText, RIVAL_WHY_SIZE, "%.120s", text);
    _exit(EXIT_FAILURE);
}

static void onWarning(const char* text) {
    (void)text;
}

static void* create(const rivalWorldScene* scene, char* why) {
    Mujoco* self = calloc(1, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    errorText = why;
    mju_user_error = onError;
    mju_user_warning = onWarning;
    size_t count = (size_t)scene->bodyCount;
    self->bodies = calloc(count, sizeof *self->bodies);
    self->sources = calloc(count, sizeof *self->sources);
    self->parents = calloc(count, sizeof *self->parents);
    self->joints = (const sdJointDef**)calloc(count, sizeof *self->joints);
    self->bodyCount = scene->bodyCount;
    Text text = {NULL, 0, 0};
    if (self->bodies != NULL && self->sources != NULL && self->parents != NULL &&
        self->joints != NULL && printWorld(&text, self, scene, why)) {
        self->model = load(&text, why);
        self->data = self->model != NULL ? mj_makeData(self->model) : NULL;
    }
    free(text.data);
    if (self->data == NULL) {
        destroy(self);
        return NULL;
    }
    setVelocities(self);
    return self;
}

static void step(void* arg) {
    Mujoco* self = (Mujoco*)arg;
    mj_step(self->model, self->data);
    mju_zero(self->data->xfrc_applied, 6 * self->model->nbody);
}

static void getPoses(void* arg, sdWorldTransform* poses) {
    const Mujoco* self = (const Mujoco*)arg;
    // a step leaves the poses of its start
    mj_kinematics(self->model, self->data);
    for (int i = 0; i < self->bodyCount; ++i) {
        sdWorldTransform pose = self->sources[i].pose;
        if (self->bodies[i] > 0) {
            const mjtNum* p = self->data->xpos + 3 * self->bodies[i];
            const mjtNum* q = self->data->xquat + 4 * self->bodies[i];
            pose.p = sdPos_Make(p[0], p[1], p[2]);
            pose.q = (sdQuat){{(float)q[1], (float)q[2], (float)q[3]}, (float)q[0]};
        }
        poses[i] = rivalBody_ToOrigin(pose, self->sources[i].frame);
    }
}

static void getVelocities(void* arg, sdVec3* velocities, sdVec3* angular) {
    const Mujoco* self = (const Mujoco*)arg;
    mj_kinematics(self->model, self->data);
    mj_comPos(self->model, self->data);
    mj_comVel(self->model, self->data);
    for (int i = 0; i < self->bodyCount; ++i) {
        mjtNum v[6] = {0.0};
        if (self->bodies[i] > 0) {
            // turning first
            mj_objectVelocity(self->model, self->data, mjOBJ_BODY, self->bodies[i], v, 0);
        }
        angular[i] = sdV3((float)v[0], (float)v[1], (float)v[2]);
        velocities[i] = sdV3((float)v[3], (float)v[4], (float)v[5]);
    }
}

static void addForce(void* arg, int body, sdVec3 force) {
    Mujoco* self = (Mujoco*)arg;
    mjtNum* f = self->data->xfrc_applied + 6 * self->bodies[body];
    f[0] += (double)force.x;
    f[1] += (double)force.y;
    f[2] += (double)force.z;
}

const rivalEngine rivalMujocoWorld = {"MuJoCo", "Newton, at most 100 iterations, pyramidal cones",
                                      create,   step,
                                      getPoses, NULL,
                                      destroy,  getVelocities,
                                      addForce};
