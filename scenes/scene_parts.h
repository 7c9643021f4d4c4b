// SPDX-License-Identifier: MIT
// scene_parts.h - what the files of scenes share: a builder that remembers the first error, and the
// end of a scene beside its start.

#ifndef SD_SCENE_PARTS_H
#define SD_SCENE_PARTS_H

#include "scenes.h"

#include "sudar/concave.h"
#include "sudar/joint.h"
#include "sudar/models.h"

// ---- building ------------------------------------------------------------------------------

/// Passed from call to call. After a failure every further call does nothing.
struct sdSceneBuilder {
    sdWorld* world;
    const sdContext* context;
    int size;
    uint64_t random;
    float scale;         ///< 1 but in scenes that have it
    sdMaterial material; ///< of the shapes that are added next
    float density;       ///< kg/m³
    sdResult result;
};

/// Uniform in a .. b.
float sdSceneBuilder_Random(sdSceneBuilder* builder, float a, float b);
/// Any orientation, all equally likely.
sdQuat sdSceneBuilder_RandomRotation(sdSceneBuilder* builder);
void sdSceneBuilder_SetFriction(sdSceneBuilder* builder, float friction);

sdBodyId sdSceneBuilder_Add(sdSceneBuilder* builder, const sdBodyDef* def, sdShape shape);
sdBodyId sdSceneBuilder_AddStatic(sdSceneBuilder* builder, sdPos position, sdQuat rotation,
                                  sdShape shape);
sdBodyId sdSceneBuilder_AddDynamic(sdSceneBuilder* builder, sdPos position, sdQuat rotation,
                                   sdShape shape);
/// A static box whose upper face is y = 0, `half` m to each side.
void sdSceneBuilder_AddGround(sdSceneBuilder* builder, float half);
/// Six static walls, `wall` m thick, around the middle of the world, `half` m to each side of it.
void sdSceneBuilder_AddRoom(sdSceneBuilder* builder, float half, float wall);
/// With both frames at `anchor` and x along `axis`.
void sdSceneBuilder_Join(sdSceneBuilder* builder, const sdJointDef* def, sdPos anchor, sdVec3 axis);
/// NULL on failure. To be released once it is on its bodies.
sdConcave* sdSceneBuilder_MakeModel(sdSceneBuilder* builder, sdModelKind kind, float size);
/// A point for NULL: after a failure nothing is added anyway.
sdShape sdSceneBuilder_ShapeOf(const sdConcave* concave);
/// NULL on failure. To be released once it is on its bodies.
sdHull* sdSceneBuilder_MakeHull(sdSceneBuilder* builder, const sdVec3* points, int count);

// ---- checking ------------------------------------------------------------------------------

struct sdSceneEnd {
    int size;
    float scale;
    const sdWorld* world;        ///< as it is now
    const sdWorld* start;        ///< as it was built
    const sdBodyId* bodies;      ///< in the order in which they were added
    const sdBodyId* startBodies; ///< the same bodies of `start`
    int bodyCount;
    char* reason;
    int capacity;
};

sdWorldTransform sdSceneEnd_GetPose(const sdSceneEnd* end, int body);
bool sdSceneEnd_IsDynamic(const sdSceneEnd* end, int body);
/// From where the body's origin was to where it is.
sdVec3 sdSceneEnd_GetMove(const sdSceneEnd* end, int body);
/// Longest of these moves over all dynamic bodies.
float sdSceneEnd_WorstMove(const sdSceneEnd* end);
/// The same in the plane y = 0.
float sdSceneEnd_WorstShift(const sdSceneEnd* end);
/// m/s
float sdSceneEnd_WorstSpeed(const sdSceneEnd* end);
/// Over dynamic bodies, m/s.
float sdSceneEnd_MeanSpeed(const sdSceneEnd* end);
/// Dynamic bodies whose centres are below y = 0.
int sdSceneEnd_CountBelow(const sdSceneEnd* end);
/// Greatest ratio of depth to size over all pairs, measured on the meshes; 1 when there was no
/// memory for it.
float sdSceneEnd_WorstRatio(const sdSceneEnd* end);
/// Largest error of all joints, m; `angle` receives that of turning and may be NULL.
float sdSceneEnd_WorstError(const sdSceneEnd* end, float* angle);
/// Mean may be NULL; both over contact points that overlap, m, at the start of the last step.
float sdSceneEnd_WorstDepth(const sdSceneEnd* end, float* mean);
/// Kinetic and potential, of all dynamic bodies, J: now, or as it was built.
double sdSceneEnd_GetEnergy(const sdSceneEnd* end, bool isStart);
/// Whether all dynamic bodies are in the room, and their energy has changed by no more than
/// `share`; with a reason.
bool sdSceneEnd_SayOfRoom(const sdSceneEnd* end, float half, float share);

/// Write the reason.
/// @return `isTrue`
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool sdSceneEnd_Say(const sdSceneEnd* end, bool isTrue, const char* format, ...);

// ---- families ------------------------------------------------------------------------------

extern const sdScene sdScenePyramid, sdSceneTightPyramid, sdSceneTower, sdSceneHeavy,
    sdSceneCardHouse, sdSceneArch;
extern const sdScene sdScenePile, sdSceneWidePile, sdSceneRain, sdSceneSleepers;
extern const sdScene sdSceneDominoes, sdSceneDominoRing, sdSceneBilliards, sdSceneSlope;
extern const sdScene sdSceneOctahedra, sdSceneCubes, sdSceneSmallCubes, sdSceneMixedCubes;
extern const sdScene sdSceneSeesaw, sdScenePlank;
extern const sdScene sdScenePendulum, sdSceneRigidPendulum, sdSceneHingeSlider;
extern const sdScene sdSceneChains, sdSceneJointGrid, sdSceneRagdolls;
extern const sdScene sdSceneBullets;
extern const sdScene sdSceneRings, sdSceneRings500, sdSceneSkulls, sdSceneSkullChain,
    sdSceneBones500;
extern const sdScene sdSceneBowls, sdSceneHangingChain, sdSceneNut, sdSceneNutHolds;

#endif
