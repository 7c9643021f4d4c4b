// SPDX-License-Identifier: MIT
// scene_run.h - a scene of the table (scenes.h) in a world of an experiment.

#ifndef SD_LAB_SCENE_RUN_H
#define SD_LAB_SCENE_RUN_H

#include "lab.h"
#include "scenes.h"

#define LAB_SCENE_MAX_BODIES 1024

typedef struct LabScene {
    Lab* lab;
    const sdScene* scene;
    sdSceneOptions options;
    sdWorld* world;                        ///< NULL: the run has failed
    sdBodyId bodies[LAB_SCENE_MAX_BODIES]; ///< in the order in which they were added
    int bodyCount;
    double seconds;         ///< of the processor, that steps have taken
    double impulses, looks; ///< of the impulse solver, in all steps
} LabScene;

/// The scene's own settings, with the impulse solver and as many passes as document S2 has: 5 of
/// collisions, 10 of contacts, 10 of joints.
sdWorldDef LabScene_GetDocumentDef(const char* name);

/// @param def NULL: the scene's own settings
/// @param size 0: the scene's own
/// @return whether there is a world
bool LabScene_Start(LabScene* run, Lab* lab, const char* name, const sdWorldDef* def, int size);
/// @return whether it was made: false after a failure, and when the user wants to stop
bool LabScene_Step(LabScene* run, float dt);
/// The same `count` times, by the scene's own length of a step.
bool LabScene_Steps(LabScene* run, int count);
void LabScene_Stop(LabScene* run);

sdVec3 LabScene_GetVelocity(const LabScene* run, int body);
sdPos LabScene_GetPosition(const LabScene* run, int body);
/// Sine of the angle that a body's x axis has with the ground.
double LabScene_GetTilt(const LabScene* run, int body);
/// Largest error of all joints, m; `angle` receives that of turning, rad, and may be NULL.
double LabScene_GetJointError(const LabScene* run, double* angle);

#endif
