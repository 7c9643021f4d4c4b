// SPDX-License-Identifier: MIT
// world.h - a world of bodies that moves on in steps.
//
//     sdWorld* world;
//     sdWorld_Create(NULL, NULL, &world);
//     ... bodies and shapes: body.h
//     for (int i = 0; i < 600; ++i) {
//         sdWorld_Step(world, 1.0f / 60.0f);
//     }
//     sdWorld_Destroy(world);
//
// The same calls in the same order give the same bits, whatever the number of threads, compiler or
// processor. One thread at a time may change a world; any number may read it between changes.

#ifndef SUDAR_WORLD_H
#define SUDAR_WORLD_H

#include "sudar/body.h"
#include "sudar/broadphase.h"

SD_BEGIN_C

// ---- settings ------------------------------------------------------------------------------

/// How free motion is carried forward in time (D2).
typedef enum sdIntegrator {
    SD_INTEGRATOR_SEMI_IMPLICIT,  ///< velocity first, then position by the new velocity: default
    SD_INTEGRATOR_EXPLICIT_EULER, ///< position by the old velocity
    SD_INTEGRATOR_RK4,            ///< Runge and Kutta's fourth order, forces asked four times
    SD_INTEGRATOR_COUNT
} sdIntegrator;

/// What two values become where two materials meet.
typedef enum sdCombine {
    SD_COMBINE_GEOMETRIC_MEAN,
    SD_COMBINE_AVERAGE,
    SD_COMBINE_MINIMUM,
    SD_COMBINE_MAXIMUM,
    SD_COMBINE_PRODUCT,
    SD_COMBINE_COUNT
} sdCombine;

/// How contacts and joints are solved. Both solvers take the same bodies, materials and joints; a
/// world may be switched from one to the other between any two steps.
typedef enum sdSolver {
    SD_SOLVER_SOFT,    ///< sub-steps of rigid contacts with warm start: default
    SD_SOLVER_IMPULSE, ///< impulses at predicted positions, contact graph and shock propagation
    SD_SOLVER_COUNT
} sdSolver;

/// In which order the impulse solver makes a step (D7).
typedef enum sdImpulseOrder {
    /// Collisions, new velocities, contacts, new positions: what rests is never taken for an
    /// impact, without any threshold of speed.
    SD_ORDER_NEW,
    /// New velocities and positions, then collisions and contacts. What bounces never comes to
    /// rest; for comparison.
    SD_ORDER_ORDINARY,
    SD_ORDER_COUNT
} sdImpulseOrder;

/// When the impulse solver looks where bodies touch.
typedef enum sdImpulseDetection {
    SD_DETECT_EACH_PASS,    ///< between impulses, points are carried on by the change of velocity
    SD_DETECT_EACH_IMPULSE, ///< a pair is looked at again after each of its impulses: slow
    SD_DETECT_COUNT
} sdImpulseDetection;

/// How bodies get their new positions (D3).
typedef enum sdImpulseMotion {
    SD_MOTION_TOGETHER,
    /// One after the other in the order of their ids. One that would be in another where that
    /// stands now bounces off and stays where it was.
    SD_MOTION_ONE_BY_ONE,
    SD_MOTION_COUNT
} sdImpulseMotion;

/// How the impulse solver solves joints.
typedef enum sdImpulseJointing {
    /// All that hang together at once, in every pass: two or three are enough. Nets are too wide
    /// for that and are left to sweeps.
    SD_JOINTS_TOGETHER,
    SD_JOINTS_ONE_BY_ONE, ///< each disturbs its neighbours; passes make up for it, for comparison
    SD_JOINTING_COUNT
} sdImpulseJointing;

/// Settings of the impulse solver. A pass goes once over all pairs of bodies that touch.
typedef struct sdImpulseDef {
    sdImpulseOrder order;
    sdImpulseDetection detection;
    sdImpulseMotion motion;
    sdImpulseJointing joints;
    int collisionPassCount; ///< 0 .. 1000: how far an impact goes from body to body in a step
    int contactPassCount;   ///< 0 .. 1000: restitution goes up from just above -1 to 0 in them
    int jointPassCount;     ///< 1 .. 1000, at most: until the tolerance is met
    float jointTolerance;   ///< m by which joints may be apart
    uint32_t seed;          ///< of the order of pairs, which is another in every pass
    /// After the contact passes, stop bodies from the ground up, each on those below as if these
    /// were fixed.
    bool enableShock;
    /// Contact passes go from the ground up, along the contact graph; without it pairs come in any
    /// order, for comparison.
    bool enableGraph;
} sdImpulseDef;

/// The new order, 5 collision, 10 contact and 10 joint passes, joints together, contact graph and
/// shock propagation.
SD_API sdImpulseDef sdImpulseDef_Default(void);

typedef struct sdWorldDef {
    sdVec3 gravity; ///< m/s²
    sdSolver solver;
    int subStepCount; ///< of a step, 1 .. 64: more are more accurate, and cost as much more
    /// The same of bodies on which only joints act, half as many where more than four hang
    /// together and have neither limits nor drives; what is fast is followed in shorter ones.
    /// Others have subStepCount, or as many as this if that is more; twice as many while some set
    /// of joints is wide, as nets are, or some has limits or drives and only joints act on any.
    int jointSubStepCount;
    /// Whole steps, contacts included, that a step is divided into at most, 1 .. 64: bodies of
    /// meshes (concave.h) that are small against the way they fall or go in it need shorter ones.
    int maxPartCount;
    sdIntegrator integrator;
    sdBroadphaseDef broadphase;
    /// By which contacts of convex shapes are found, those of a compound included. Meshes are
    /// touched as surfaces or by their distance fields whatever is chosen, and queries and the ways
    /// of fast bodies keep to the fastest.
    sdNarrowphase narrowphase;
    sdCombine combineFriction; ///< static and sliding; of rolling and spin the larger counts
    sdCombine combineRestitution;

    // contacts
    float slop;     ///< m of overlap that resting contacts keep; a thousandth of the bodies' size
                    ///< for small ones
    float pushRate; ///< 1/s: share of a small overlap beyond it that goes in a second
    float maxPushSpeed; ///< m/s, at which overlaps are pushed apart at most
    bool enableDirect;  ///< solve islands that are slender (towers, arches) all at once, besides

    /// Look at what is too fast for contacts on its way through a step (see sdBodyDef.isBullet).
    bool enableContinuous;

    float hitSpeed; ///< m/s: what meets faster is told by a hit event

    sdImpulseDef impulse; ///< for SD_SOLVER_IMPULSE, which has no sub-steps

    // sleep
    bool enableSleep;
    float sleepSpeed; ///< m/s at the body's rim, below which it may fall asleep; half of its radius
                      ///< a second for small ones
    float sleepTime;  ///< s that all of an island must be slow; four times that above a tenth of
                      ///< the speed
} sdWorldDef;

/// Gravity -9.81 m/s² along y, the soft solver, 6 sub-steps (8 with joints), semi-implicit, the
/// fastest broad and narrow phase, geometric mean of friction, the larger restitution, continuous,
/// hits above 1 m/s, sleep after 0.5 s below 0.03 m/s.
SD_API sdWorldDef sdWorldDef_Default(void);

/// @param context hooks for memory, log and tasks; NULL for the default: one thread
/// @param def NULL for the default
SD_API sdResult sdWorld_Create(const sdContext* context, const sdWorldDef* def, sdWorld** out);
/// With everything in it. NULL is allowed.
SD_API void sdWorld_Destroy(sdWorld* world);

/// The settings, changed or not, as they are now.
SD_API sdWorldDef sdWorld_GetDef(const sdWorld* world);
/// A change of gravity wakes all bodies.
/// @return SD_ERROR_INVALID_ARGUMENT for what sdWorld_Create would refuse; nothing changes then
SD_API sdResult sdWorld_SetDef(sdWorld* world, const sdWorldDef* def);
/// The one setting that games change often, m/s².
SD_API sdResult sdWorld_SetGravity(sdWorld* world, sdVec3 gravity);

// ---- step ----------------------------------------------------------------------------------

/// Longest step, s.
#define SD_MAX_TIME_STEP 1.0f

/// Move on by dt seconds.
/// @param dt 0 < dt <= SD_MAX_TIME_STEP; shorter steps are more accurate, 1/60 is usual
/// @return SD_ERROR_INVALID_ARGUMENT for a dt out of range, SD_ERROR_OUT_OF_MEMORY: the world is as
///         it was before, or after some parts of the step (maxPartCount), and when it is stepped
///         again goes on from there, with the same result
SD_API sdResult sdWorld_Step(sdWorld* world, float dt);

/// Time since creation, the sum of all steps, s.
SD_API double sdWorld_GetTime(const sdWorld* world);

/// Of all positions, velocities and contact impulses: equal states have equal hashes.
SD_API uint64_t sdWorld_GetHash(const sdWorld* world);

// ---- callbacks -----------------------------------------------------------------------------

/// A moving body's state, as an integrator sees it.
typedef struct sdMotionState {
    sdPos center;
    sdQuat rotation;
    sdVec3 velocity;
    sdVec3 angularVelocity;
    double time; ///< since the world's creation
} sdMotionState;

/// Add what acts on a dynamic body in a given state, besides gravity. Called for every awake one in
/// every sub-step (four times by RK4), from any worker; it may read the world and nothing else.
/// @param force N, at the centre of mass; torque N m: both hold zero or what was applied already
typedef void sdForceFcn(void* user, const sdWorld* world, sdBodyId body, const sdMotionState* state,
                        sdVec3* force, sdVec3* torque);
SD_API void sdWorld_SetForceFcn(sdWorld* world, sdForceFcn* force, void* user);

/// Whether two shapes that their filters let meet do meet. Called once when their boxes meet.
typedef bool sdFilterFcn(void* user, const sdWorld* world, sdShapeId a, sdShapeId b);
SD_API void sdWorld_SetFilterFcn(sdWorld* world, sdFilterFcn* filter, void* user);

// ---- events --------------------------------------------------------------------------------

typedef struct sdContactEvent {
    sdShapeId shapeA, shapeB; ///< may be stale in end events: a shape is gone
} sdContactEvent;

/// Two shapes that met faster than sdWorldDef.hitSpeed, once for each impact: in the step in which
/// they were stopped or thrown back. What rests, rolls or slides does not hit. A body that is too
/// fast for contacts may have bounced off on its way: then they touched neither at the start of the
/// step nor at its end, and there is no other event.
typedef struct sdHitEvent {
    sdShapeId shapeA, shapeB;
    sdPos point;   ///< where they touched; of many points, in their middle
    sdVec3 normal; ///< unit, A to B
    float speed;   ///< m/s at which they came nearer along it
    float impulse; ///< N s that they gave each other along it: how hard it was
} sdHitEvent;

/// Of the last step, in an order that does not depend on threads; borrowed until the next step or
/// change of the world.
typedef struct sdWorldEvents {
    const sdContactEvent* begin; ///< pairs that touch and did not
    const sdContactEvent* end;   ///< pairs that touched and do not
    const sdContactEvent* sensorBegin;
    const sdContactEvent* sensorEnd; ///< A is the sensor
    const sdHitEvent* hits; ///< those at contacts, then those on the way, in the order of time
    int beginCount, endCount, sensorBeginCount, sensorEndCount, hitCount;
} sdWorldEvents;

/// What happened in the last step.
SD_API sdWorldEvents sdWorld_GetEvents(const sdWorld* world);

// ---- contacts ------------------------------------------------------------------------------

typedef enum sdPointState { SD_POINT_NEW, SD_POINT_KEPT } sdPointState;

typedef struct sdContactPoint {
    sdPos position;      ///< half-way between both surfaces
    float separation;    ///< along the normal, at the start of the last step
    float normalImpulse; ///< N s, of the whole step, bounces included: the mean force by its length
    sdVec3 tangentImpulse; ///< N s, this point's share of the manifold's friction in that time
    uint32_t id;
    sdPointState state; ///< points that were removed are those of the step before without a match
} sdContactPoint;

typedef struct sdContactInfo {
    sdShapeId shapeA, shapeB;
    sdVec3 normal; ///< unit, A to B
    sdContactPoint points[SD_MANIFOLD_MAX_POINTS];
    int pointCount;
    int removedCount; ///< points of the step before that are gone (D15)
    int childA, childB;
} sdContactInfo;

/// Contacts that had points in the last step, awake or asleep, in a fixed order.
/// @return how many there are; the first `capacity` are written
SD_API int sdWorld_GetContacts(const sdWorld* world, sdContactInfo* out, int capacity);

// ---- counts --------------------------------------------------------------------------------

typedef struct sdWorldStats {
    int bodyCount, awakeCount, shapeCount, jointCount;
    int pairCount;    ///< shapes whose fat boxes overlap
    int contactCount; ///< manifolds that were solved in the last step
    int pointCount;
    int islandCount;  ///< awake ones
    int slenderCount; ///< of them solved all at once
    int newtonCount;  ///< bodies times steps of Newton's method that this took
    int partCount;    ///< whole steps that the last one was divided into
    int colorCount;
    int lookCount;           ///< of the impulse solver: times that a pair of shapes was looked at
    int impulseCount;        ///< ... and impulses that it gave at contact points
    size_t byteCount;        ///< memory that the world holds
    size_t scratchByteCount; ///< besides: memory of a step, kept for the next one
    // milliseconds of the last step
    float pairMs, contactMs, islandMs, solveMs, refitMs, sleepMs, stepMs;
} sdWorldStats;

/// Of now, and of the last step.
SD_API sdWorldStats sdWorld_GetStats(const sdWorld* world);

/// J, of all dynamic bodies together.
typedef struct sdEnergy {
    double kinetic;   ///< of moving and of turning
    double potential; ///< in gravity, above the world's origin; not that of springs
} sdEnergy;

/// To see whether it is kept; not needed by a step.
SD_API sdEnergy sdWorld_GetEnergy(const sdWorld* world);

/// Bodies in order of their slots.
/// @return how many there are; the first `capacity` are written
SD_API int sdWorld_GetBodies(const sdWorld* world, sdBodyId* out, int capacity);

SD_END_C

#endif
