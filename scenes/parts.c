// SPDX-License-Identifier: MIT
// parts.c - see scene_parts.h.

#include "scene_parts.h"

#include "mesh_depth.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

// ---- building ------------------------------------------------------------------------------

float sdSceneBuilder_Random(sdSceneBuilder* builder, float a, float b) {
    // Steele and Vigna's SplitMix64: any seed will do
    uint64_t z = (builder->random += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return a + (b - a) * ((float)(z >> 40) * (1.0f / 16777216.0f));
}

sdQuat sdSceneBuilder_RandomRotation(sdSceneBuilder* builder) {
    // a point of the ball in four dimensions has no preferred direction
    sdQuat q;
    float squared;
    int tries = 0;
    do {
        q.v.x = sdSceneBuilder_Random(builder, -1.0f, 1.0f);
        q.v.y = sdSceneBuilder_Random(builder, -1.0f, 1.0f);
        q.v.z = sdSceneBuilder_Random(builder, -1.0f, 1.0f);
        q.s = sdSceneBuilder_Random(builder, -1.0f, 1.0f);
        squared = sdDotQ(q, q);
    } while ((squared > 1.0f || squared < 0.01f) && ++tries < 100);
    return sdNormalizeQ(q);
}

void sdSceneBuilder_SetFriction(sdSceneBuilder* builder, float friction) {
    builder->material.staticFriction = friction;
    builder->material.slidingFriction = friction;
}

sdBodyId sdSceneBuilder_Add(sdSceneBuilder* builder, const sdBodyDef* def, sdShape shape) {
    sdBodyId body = SD_NULL_BODY;
    if (builder->result == SD_OK) {
        builder->result = sdBody_Create(builder->world, def, &body);
    }
    if (builder->result == SD_OK) {
        sdShapeDef shapeDef = sdShapeDef_Default(shape);
        shapeDef.material = builder->material;
        shapeDef.density = builder->density;
        builder->result = sdBody_AddShape(builder->world, body, &shapeDef, NULL);
    }
    return body;
}

static sdBodyId add(sdSceneBuilder* builder, sdBodyType type, sdPos position, sdQuat rotation,
                    sdShape shape) {
    sdBodyDef def = sdBodyDef_Default();
    def.type = type;
    def.position = position;
    def.rotation = rotation;
    return sdSceneBuilder_Add(builder, &def, shape);
}

sdBodyId sdSceneBuilder_AddStatic(sdSceneBuilder* builder, sdPos position, sdQuat rotation,
                                  sdShape shape) {
    return add(builder, SD_BODY_STATIC, position, rotation, shape);
}

sdBodyId sdSceneBuilder_AddDynamic(sdSceneBuilder* builder, sdPos position, sdQuat rotation,
                                   sdShape shape) {
    return add(builder, SD_BODY_DYNAMIC, position, rotation, shape);
}

void sdSceneBuilder_AddGround(sdSceneBuilder* builder, float half) {
    sdSceneBuilder_AddStatic(builder, sdPos_Make(0.0, -1.0, 0.0), sdQuat_Identity(),
                             sdShape_Box(half, 1.0f, half));
}

void sdSceneBuilder_AddRoom(sdSceneBuilder* builder, float half, float wall) {
    float thick = 0.5f * wall, wide = half + wall;
    double at = (double)(half + thick);
    for (int i = 0; i < 6; ++i) {
        double side = (i & 1) != 0 ? at : -at;
        int axis = i / 2;
        sdPos p = {axis == 0 ? side : 0.0, axis == 1 ? side : 0.0, axis == 2 ? side : 0.0};
        sdShape shape = sdShape_Box(axis == 0 ? thick : wide, axis == 1 ? thick : wide,
                                    axis == 2 ? thick : wide);
        sdSceneBuilder_AddStatic(builder, p, sdQuat_Identity(), shape);
    }
}

void sdSceneBuilder_Join(sdSceneBuilder* builder, const sdJointDef* def, sdPos anchor,
                         sdVec3 axis) {
    sdJointDef placed = *def;
    sdJointId id;
    if (builder->result == SD_OK) {
        builder->result = sdJointDef_Place(builder->world, &placed, anchor, axis);
    }
    if (builder->result == SD_OK) {
        builder->result = sdJoint_Create(builder->world, &placed, &id);
    }
}

sdHull* sdSceneBuilder_MakeHull(sdSceneBuilder* builder, const sdVec3* points, int count) {
    sdHull* hull = NULL;
    if (builder->result == SD_OK) {
        sdHullDef def = sdHullDef_Default();
        def.points = points;
        def.pointCount = count;
        builder->result = sdHull_Create(builder->context, &def, &hull);
    }
    return hull;
}

sdConcave* sdSceneBuilder_MakeModel(sdSceneBuilder* builder, sdModelKind kind, float size) {
    sdMesh* mesh = NULL;
    sdConcave* concave = NULL;
    if (builder->result == SD_OK) {
        builder->result = sdModel_Create(builder->context, kind, size, &mesh);
    }
    if (builder->result == SD_OK) {
        sdConcaveDef def = sdConcaveDef_Default();
        builder->result = sdConcave_Create(builder->context, mesh, &def, &concave);
    }
    sdMesh_Release(mesh);
    return concave;
}

sdShape sdSceneBuilder_ShapeOf(const sdConcave* concave) {
    return concave != NULL ? sdShape_Concave(concave) : sdShape_Sphere(0.0f);
}

// ---- checking ------------------------------------------------------------------------------

sdWorldTransform sdSceneEnd_GetPose(const sdSceneEnd* end, int body) {
    return sdBody_GetTransform(end->world, end->bodies[body]);
}

bool sdSceneEnd_IsDynamic(const sdSceneEnd* end, int body) {
    return sdBody_GetType(end->world, end->bodies[body]) == SD_BODY_DYNAMIC;
}

sdVec3 sdSceneEnd_GetMove(const sdSceneEnd* end, int body) {
    sdWorldTransform before = sdBody_GetTransform(end->start, end->startBodies[body]);
    return sdPos_Sub(sdSceneEnd_GetPose(end, body).p, before.p);
}

float sdSceneEnd_WorstMove(const sdSceneEnd* end) {
    float worst = 0.0f;
    for (int i = 0; i < end->bodyCount; ++i) {
        worst = sdMaxF(worst, sdLength(sdSceneEnd_GetMove(end, i)));
    }
    return worst;
}

float sdSceneEnd_WorstShift(const sdSceneEnd* end) {
    float worst = 0.0f;
    for (int i = 0; i < end->bodyCount; ++i) {
        sdVec3 move = sdSceneEnd_GetMove(end, i);
        worst = sdMaxF(worst, sdLength(sdV3(move.x, 0.0f, move.z)));
    }
    return worst;
}

float sdSceneEnd_WorstSpeed(const sdSceneEnd* end) {
    float worst = 0.0f;
    for (int i = 0; i < end->bodyCount; ++i) {
        worst = sdMaxF(worst, sdLength(sdBody_GetVelocity(end->world, end->bodies[i])));
    }
    return worst;
}

float sdSceneEnd_MeanSpeed(const sdSceneEnd* end) {
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < end->bodyCount; ++i) {
        if (sdSceneEnd_IsDynamic(end, i)) {
            sum += (double)sdLength(sdBody_GetVelocity(end->world, end->bodies[i]));
            ++count;
        }
    }
    return count > 0 ? (float)(sum / count) : 0.0f;
}

int sdSceneEnd_CountBelow(const sdSceneEnd* end) {
    int below = 0;
    for (int i = 0; i < end->bodyCount; ++i) {
        below += sdSceneEnd_IsDynamic(end, i) && sdSceneEnd_GetPose(end, i).p.y < 0.0 ? 1 : 0;
    }
    return below;
}

#define RATIO_TOLERANCE 0.004f // of a body's size: a fifth of what is allowed

float sdSceneEnd_WorstRatio(const sdSceneEnd* end) {
    sdWorldDepth depth;
    bool isKnown = sdMeshDepth_OfWorld(end->world, NULL, 1.0f, RATIO_TOLERANCE, &depth);
    return isKnown ? depth.ratio : 1.0f;
}

float sdSceneEnd_WorstError(const sdSceneEnd* end, float* angle) {
    float worst = 0.0f, worstAngle = 0.0f;
    for (int i = 0; i < end->bodyCount; ++i) {
        sdJointId joints[64];
        int count = sdMinI(sdBody_GetJoints(end->world, end->bodies[i], joints, 64), 64);
        for (int j = 0; j < count; ++j) {
            float turned;
            worst = sdMaxF(worst, sdJoint_GetError(end->world, joints[j], &turned));
            worstAngle = sdMaxF(worstAngle, turned);
        }
    }
    if (angle != NULL) {
        *angle = worstAngle;
    }
    return worst;
}

float sdSceneEnd_WorstDepth(const sdSceneEnd* end, float* mean) {
    float worst = 0.0f;
    double sum = 0.0;
    int points = 0;
    sdContext context = sdContext_Default();
    int count = sdWorld_GetContacts(end->world, NULL, 0);
    size_t size = (size_t)(count + 1) * sizeof(sdContactInfo);
    sdContactInfo* contacts = context.allocator.allocate(context.allocator.user, size, 16);
    count = contacts != NULL ? sdWorld_GetContacts(end->world, contacts, count) : 0;
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < contacts[i].pointCount; ++k) {
            float depth = -contacts[i].points[k].separation;
            if (depth > 0.0f) {
                worst = sdMaxF(worst, depth);
                sum += (double)depth;
                ++points;
            }
        }
    }
    if (contacts != NULL) {
        context.allocator.release(context.allocator.user, contacts, size);
    }
    if (mean != NULL) {
        *mean = points > 0 ? (float)(sum / points) : 0.0f;
    }
    return worst;
}

double sdSceneEnd_GetEnergy(const sdSceneEnd* end, bool isStart) {
    sdEnergy energy = sdWorld_GetEnergy(isStart ? end->start : end->world);
    return energy.kinetic + energy.potential;
}

bool sdSceneEnd_SayOfRoom(const sdSceneEnd* end, float half, float share) {
    int outside = 0;
    for (int i = 0; i < end->bodyCount; ++i) {
        sdPos p = sdSceneEnd_GetPose(end, i).p;
        double furthest = fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)));
        outside += sdSceneEnd_IsDynamic(end, i) && furthest > (double)half ? 1 : 0;
    }
    double energy = sdSceneEnd_GetEnergy(end, false) / sdSceneEnd_GetEnergy(end, true);
    return sdSceneEnd_Say(end, outside == 0 && fabs(energy - 1.0) < (double)share,
                          "%d bodies outside (0), energy %.4f of the first (%g to %g)", outside,
                          energy, 1.0 - (double)share, 1.0 + (double)share);
}

bool sdSceneEnd_Say(const sdSceneEnd* end, bool isTrue, const char* format, ...) {
    if (end->reason != NULL && end->capacity > 0) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(end->reason, (size_t)end->capacity, format, arguments);
        va_end(arguments);
    }
    return isTrue;
}
