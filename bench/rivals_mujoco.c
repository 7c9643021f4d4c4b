// SPDX-License-Identifier: MIT
// rivals_mujoco.c - Debian's MuJoCo: Newton's method with its limit of 100 iterations, pyramidal
// cones, as it comes; the world goes to it as MJCF in memory.
//
// Its capsules and cylinders stand along z. It has no cones and takes meshes for their hulls. The
// friction of a pair is the larger one, which is the same here: all bodies of a scene have one.

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
    sdTransform* frames;
    sdWorldTransform* starts;
    int bodyCount;
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
    free(self->frames);
    free(self->starts);
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

static bool printBody(Text* text, Mujoco* self, const rivalWorldScene* scene, int index, int* next,
                      char* why) {
    rivalBody from;
    if (!rivalBody_Get(scene->world, scene->bodies[index], &from)) {
        snprintf(why, RIVAL_WHY_SIZE, "has too many shapes");
        return false;
    }
    self->frames[index] = from.frame;
    self->starts[index] = from.pose;
    bool isDynamic = from.type == SD_BODY_DYNAMIC;
    if (isDynamic) {
        self->bodies[index] = (*next)++;
        print(text, "<body");
        printPose(text, from.pose.p, from.pose.q);
        print(text,
              "><freejoint/><inertial pos=\"0 0 0\" mass=\"%.9g\" diaginertia=\"%.9g %.9g %.9g\"/>",
              (double)from.mass, (double)from.moments.x, (double)from.moments.y,
              (double)from.moments.z);
    }
    bool isReady = true;
    for (int i = 0; i < from.shapeCount && isReady; ++i) {
        sdTransform xf = from.shapeXf[i];
        sdPos origin = sdPos_Make(0.0, 0.0, 0.0);
        if (!isDynamic) {
            origin = from.pose.p;
            xf = sdMulXf(sdTransform_Make(sdV3(0.0f, 0.0f, 0.0f), from.pose.q), xf);
        }
        isReady = printGeom(text, from.shapes[i], origin, xf);
        if (!isReady) {
            snprintf(why, RIVAL_WHY_SIZE, "has no %s",
                     sdShapeType_Name(from.shapes[i]->shape.type));
        }
    }
    print(text, isDynamic ? "</body>\n" : "\n");
    return isReady;
}

static bool printWorld(Text* text, Mujoco* self, const rivalWorldScene* scene, char* why) {
    sdVec3 g = sdWorld_GetDef(scene->world).gravity;
    int points = POINTS_A_BODY * scene->bodyCount, next = 1;
    print(text,
          "<mujoco><option timestep=\"%.17g\" gravity=\"%g %g %g\"/><size nconmax=\"%d\" "
          "njmax=\"%d\"/><worldbody>\n",
          (double)scene->dt, (double)g.x, (double)g.y, (double)g.z, points, ROWS_A_POINT * points);
    for (int i = 0; i < scene->bodyCount; ++i) {
        if (!printBody(text, self, scene, i, &next, why)) {
            return false;
        }
    }
    print(text, "</worldbody></mujoco>\n");
    return true;
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
    if (sdWorld_GetJoints(scene->world, NULL, 0) > 0) {
        snprintf(why, RIVAL_WHY_SIZE, "joints are not handed to it here");
        return NULL;
    }
    Mujoco* self = calloc(1, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    errorText = why;
    mju_user_error = onError;
    mju_user_warning = onWarning;
    size_t count = (size_t)scene->bodyCount;
    self->bodies = calloc(count, sizeof *self->bodies);
    self->frames = calloc(count, sizeof *self->frames);
    self->starts = calloc(count, sizeof *self->starts);
    self->bodyCount = scene->bodyCount;
    Text text = {NULL, 0, 0};
    if (self->bodies != NULL && self->frames != NULL && self->starts != NULL &&
        printWorld(&text, self, scene, why)) {
        self->model = load(&text, why);
        self->data = self->model != NULL ? mj_makeData(self->model) : NULL;
    }
    free(text.data);
    if (self->data == NULL) {
        destroy(self);
        return NULL;
    }
    return self;
}

static void step(void* arg) {
    Mujoco* self = (Mujoco*)arg;
    mj_step(self->model, self->data);
}

static void getPoses(void* arg, sdWorldTransform* poses) {
    const Mujoco* self = (const Mujoco*)arg;
    for (int i = 0; i < self->bodyCount; ++i) {
        sdWorldTransform pose = self->starts[i];
        if (self->bodies[i] > 0) {
            // of a free body: position and rotation one after the other
            const mjtNum* x = self->data->qpos + 7 * (self->bodies[i] - 1);
            pose.p = sdPos_Make(x[0], x[1], x[2]);
            pose.q = (sdQuat){{(float)x[4], (float)x[5], (float)x[6]}, (float)x[3]};
        }
        poses[i] = rivalBody_ToOrigin(pose, self->frames[i]);
    }
}

const rivalEngine rivalMujocoWorld = {
    "MuJoCo", "Newton, at most 100 iterations, pyramidal cones", create, step, getPoses, NULL,
    destroy};
