// SPDX-License-Identifier: MIT
// rivals_world.h - other engines behind one description, so that bench_world can run the same scene
// in each. Adapters read a world that was built by scenes/ through the public API.

#ifndef SD_BENCH_RIVALS_WORLD_H
#define SD_BENCH_RIVALS_WORLD_H

#include "scenes.h"

#include "sudar/query.h"

SD_BEGIN_C

typedef struct rivalWorldScene rivalWorldScene;

struct rivalWorldScene {
    sdWorldDef def; ///< sleep off
    /// Put the scene's bodies into a new world; also called by the engine that is ours.
    sdResult (*build)(const rivalWorldScene* scene, sdWorld* world);
    const void* source;   ///< that `build` makes it from
    int size;             ///< of the source, where it has sizes
    int threadCount;      ///< that ours may use
    const sdWorld* world; ///< at its start
    const sdBodyId* bodies;
    int bodyCount;
    float dt;
};

#define RIVAL_WHY_SIZE 128

typedef struct rivalEngine {
    const char* name;
    const char* settings; ///< what its defaults are, and what was changed
    /// @param why receives RIVAL_WHY_SIZE characters at most: what it lacks
    /// @return NULL when it cannot
    void* (*create)(const rivalWorldScene* scene, char* why);
    void (*step)(void* self);
    /// Of every body's origin, in the order of the scene's bodies.
    void (*getPoses)(void* self, sdWorldTransform* poses);
    /// Of ours; NULL for others.
    void (*getStats)(void* self, sdWorldStats* stats);
    void (*destroy)(void* self);
    /// Of every body's centre of mass, and of turning, in the world's axes. Both may be NULL where
    /// an engine is not asked for it.
    void (*getVelocities)(void* self, sdVec3* velocities, sdVec3* angular);
    /// On the centre of mass of a dynamic body, for the next step.
    void (*addForce)(void* self, int body, sdVec3 force);
} rivalEngine;

extern const rivalEngine rivalSudarWorld;
extern const rivalEngine rivalBulletWorld;
extern const rivalEngine rivalOdeWorld;
extern const rivalEngine rivalMujocoWorld;

/// Fractions of the nearest hits of rays in a world of rivalBulletWorld; 1: no hit.
void rivalBullet_Raycast(void* self, const sdRay* rays, int count, float* fractions);

// ---- bodies as most engines want them --------------------------------------------------------

#define RIVAL_MAX_SHAPES 4

typedef struct rivalBody {
    sdBodyType type;
    sdWorldTransform pose; ///< of the frame below
    sdVec3 velocity, angularVelocity;
    bool isBullet;
    float mass;
    sdVec3 moments;
    /// Principal axes at the centre of mass, in the body; the identity for bodies without mass.
    sdTransform frame;
    int shapeCount;
    const sdShapeDef* shapes[RIVAL_MAX_SHAPES];
    sdTransform shapeXf[RIVAL_MAX_SHAPES]; ///< in that frame
} rivalBody;

/// @return false when it has more shapes than fit, or none
bool rivalBody_Get(const sdWorld* world, sdBodyId id, rivalBody* out);

/// Which of the scene's bodies it is.
int rivalScene_FindBody(const rivalWorldScene* scene, sdBodyId id);

/// Pose of the body's origin from that of the frame.
sdWorldTransform rivalBody_ToOrigin(sdWorldTransform framePose, sdTransform frame);

/// Where capsules and cylinders of an engine stand along z: the same as ours along y.
sdTransform rivalAlongZ(sdTransform alongY);

bool rivalTransform_IsIdentity(sdTransform xf);

SD_END_C

#endif
