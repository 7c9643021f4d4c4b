// SPDX-License-Identifier: MIT
// view_simulation.h - a world with a past that can be gone back to.
//
// The past is the world at some steps and all inputs: the world at any other step is had by going
// on from the step before it, with the same inputs, to the same bits. web/page/simulation.ts does
// the same in a page.

#ifndef SD_CLI_VIEW_SIMULATION_H
#define SD_CLI_VIEW_SIMULATION_H

#include "sudar/sudar.h"

#include "scenefile.h"

typedef enum CliInputKind {
    CLI_INPUT_SETTING,
    CLI_INPUT_MATERIAL,
    CLI_INPUT_THROW,
    CLI_INPUT_DRAG,
    CLI_INPUT_DROP
} CliInputKind;

/// What can be set of all bodies at once.
typedef enum CliMaterial { CLI_FRICTION, CLI_RESTITUTION } CliMaterial;

/// Beside the names of a world's settings, by CliMaterial; NULL at the end.
extern const char* const CliMaterialKeys[];

/// What changes the world besides time.
typedef struct CliInput {
    CliInputKind kind;
    int step; ///< before which it comes

    char key[SD_SETTING_KEY_SIZE], value[100]; ///< setting
    CliMaterial material;                      ///< of all bodies
    float amount;                              ///< of that
    sdPos place;                               ///< thrown from, dragged to, dropped at
    sdVec3 velocity;                           ///< thrown, m/s
    float size;                                ///< radius of what is thrown, length of what drops
    int body;                                  ///< dragged: number in the list of bodies
    sdVec3 local;                              ///< dragged: point on it
    const sdConcave* concave;                  ///< dropped; a reference is kept
    int count;                                 ///< dropped
} CliInput;

typedef struct CliMoment {
    int step;
    sdSnapshot* snapshot;
} CliMoment;

typedef struct CliSimulation {
    const sdContext* context;
    sdWorld* world;
    float dt;
    int step, lastStep; ///< the latter: up to which the past goes
    int revision;       ///< changes when bodies come or go
    CliMoment* moments;
    int momentCount, interval;
    CliInput* inputs; ///< in order
    int inputCount, inputCapacity;
    sdBodyId* bodies; ///< as sdWorld_GetBodies lists them
    int bodyCount;
} CliSimulation;

/// @param world with all bodies in it; is owned from now on, also on failure
/// @param context of the world; borrowed
sdResult CliSimulation_Open(CliSimulation* simulation, const sdContext* context, sdWorld* world,
                            float dt);
/// A cleared struct is allowed.
void CliSimulation_Close(CliSimulation* simulation);

/// One step. An input that is refused is forgotten.
sdResult CliSimulation_Advance(CliSimulation* simulation);

/// To the last moment that is kept and not later than a step; CliSimulation_Advance does the rest.
sdResult CliSimulation_Rewind(CliSimulation* simulation, int step);

/// All shapes of a body, to be freed.
/// @return NULL when memory is short
sdShapeId* CliSimulation_ListShapes(const CliSimulation* simulation, int body, int* count);

/// Of the first body that moves; 0 where there is none.
float CliSimulation_GetMaterial(const CliSimulation* simulation, CliMaterial material);
/// Of all bodies, at once.
sdResult CliSimulation_SetMaterial(CliSimulation* simulation, CliMaterial material, float amount);

/// Before the next step. What was to come after this one is forgotten.
/// @param input copied
sdResult CliSimulation_Add(CliSimulation* simulation, const CliInput* input);

#endif
