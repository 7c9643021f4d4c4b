// SPDX-License-Identifier: MIT
// scene_run.c - see scene_run.h.

#include "scene_run.h"

#include <math.h>

#define MAX_JOINTS 512

sdWorldDef LabScene_GetDocumentDef(const char* name) {
    sdWorldDef def = sdScene_GetWorldDef(sdScene_Find(name));
    sdImpulseDef passes = sdImpulseDef_Default();
    def.solver = SD_SOLVER_IMPULSE;
    def.impulse.collisionPassCount = passes.collisionPassCount;
    def.impulse.contactPassCount = passes.contactPassCount;
    def.impulse.jointPassCount = passes.jointPassCount;
    return def;
}

bool LabScene_Start(LabScene* run, Lab* lab, const char* name, const sdWorldDef* def, int size) {
    *run = (LabScene){.lab = lab, .scene = sdScene_Find(name), .options = {.size = size}};
    if (run->scene == NULL) {
        Lab_Fail(lab, "there is no scene %s", name);
        return false;
    }
    sdWorldDef own = sdScene_GetWorldDef(run->scene);
    if (!Lab_Check(lab, sdWorld_Create(NULL, def != NULL ? def : &own, &run->world), "a world") ||
        !Lab_Check(lab, sdScene_Build(run->scene, run->world, &run->options), name)) {
        LabScene_Stop(run);
        return false;
    }
    run->bodyCount = sdMinI(sdWorld_GetBodies(run->world, run->bodies, LAB_SCENE_MAX_BODIES),
                            LAB_SCENE_MAX_BODIES);
    return true;
}

bool LabScene_Step(LabScene* run, float dt) {
    if (run->world == NULL || !Lab_GoesOn(run->lab)) {
        return false;
    }
    double start = Lab_Now();
    bool isMade = Lab_Check(run->lab, sdWorld_Step(run->world, dt), "a step");
    run->seconds += Lab_Now() - start;
    sdWorldStats stats = sdWorld_GetStats(run->world);
    run->impulses += stats.impulseCount;
    run->looks += stats.lookCount;
    return isMade;
}

bool LabScene_Steps(LabScene* run, int count) {
    bool isMade = true;
    for (int i = 0; i < count && isMade; ++i) {
        isMade = LabScene_Step(run, run->scene->dt);
    }
    return isMade;
}

void LabScene_Stop(LabScene* run) {
    sdWorld_Destroy(run->world);
    run->world = NULL;
}

sdVec3 LabScene_GetVelocity(const LabScene* run, int body) {
    return sdBody_GetVelocity(run->world, run->bodies[body]);
}

sdPos LabScene_GetPosition(const LabScene* run, int body) {
    return sdBody_GetTransform(run->world, run->bodies[body]).p;
}

double LabScene_GetTilt(const LabScene* run, int body) {
    return (double)sdBody_GetWorldVector(run->world, run->bodies[body], sdV3(1.0f, 0.0f, 0.0f)).y;
}

double LabScene_GetJointError(const LabScene* run, double* angle) {
    sdJointId joints[MAX_JOINTS];
    int count = sdMinI(sdWorld_GetJoints(run->world, joints, MAX_JOINTS), MAX_JOINTS);
    double worst = 0.0, worstAngle = 0.0;
    for (int i = 0; i < count; ++i) {
        float turned;
        worst = fmax(worst, (double)sdJoint_GetError(run->world, joints[i], &turned));
        worstAngle = fmax(worstAngle, (double)turned);
    }
    if (angle != NULL) {
        *angle = worstAngle;
    }
    return worst;
}
