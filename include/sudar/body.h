// SPDX-License-Identifier: MIT
// body.h - bodies and the shapes on them.
//
//     sdBodyDef def = sdBodyDef_Default();
//     def.type = SD_BODY_DYNAMIC;
//     def.position = sdPos_Make(0.0, 2.0, 0.0);
//     sdBodyId body;
//     sdBody_Create(world, &def, &body);
//     sdShapeDef shape = sdShapeDef_Default(sdShape_Box(0.5f, 0.5f, 0.5f));
//     sdBody_AddShape(world, body, &shape, NULL);
//
// Ids that are stale give SD_ERROR_STALE_ID from functions that return an sdResult and zeros from
// all others. None of these functions may be called from a callback that runs during a step, except
// where the callback says so: they return SD_ERROR_LOCKED.

#ifndef SUDAR_BODY_H
#define SUDAR_BODY_H

#include "sudar/collide.h"

SD_BEGIN_C

typedef struct sdWorld sdWorld;

/// Scalars, 0 for none: the lower 24 bits are a slot, the upper 8 tell its users apart.
typedef uint32_t sdBodyId;
typedef uint32_t sdShapeId;

/// Limits. What would pass them by an argument is refused; a body that forces would drive beyond is
/// kept at the limit, and a warning is logged.
#define SD_MAX_SPEED 1e9f      ///< m/s, rad/s; also of gravity, m/s²
#define SD_MAX_COORDINATE 1e12 ///< m, of a body's position
#define SD_MIN_MASS 1e-24f     ///< kg
#define SD_MAX_MASS 1e24f

#define SD_NULL_BODY 0u
#define SD_NULL_SHAPE 0u

// ---- materials and filters -----------------------------------------------------------------

/// What a surface does to another. How those of two bodies are combined is a setting of the world.
typedef struct sdMaterial {
    float staticFriction;  ///< largest tangential force over normal force while nothing slides
    float slidingFriction; ///< the same while it does; not more than staticFriction
    float restitution;     ///< speed of parting over speed of approach, 0 .. 1
    float rollingFriction; ///< m: largest torque against rolling over normal force
    float spinFriction;    ///< m: the same about the normal, besides what a patch of contact gives
} sdMaterial;

/// Friction 0.6 and 0.6, restitution 0, no rolling or spin friction.
SD_API sdMaterial sdMaterial_Default(void);

/// Two shapes meet when their groups say so: the same positive group always, the same negative one
/// never; otherwise when each is in a category that the other's mask has.
typedef struct sdFilter {
    uint32_t category;
    uint32_t mask;
    int32_t group; ///< 0: none
} sdFilter;

/// Category 1, all bits, no group.
SD_API sdFilter sdFilter_Default(void);

// ---- bodies --------------------------------------------------------------------------------

typedef enum sdBodyType {
    SD_BODY_STATIC,    ///< never moves by itself
    SD_BODY_KINEMATIC, ///< moves at the velocity it was given, whatever it meets
    SD_BODY_DYNAMIC    ///< moves by forces and impulses
} sdBodyType;

/// Directions in which a body cannot move, in the world's axes.
typedef enum sdMotionLock {
    SD_LOCK_X = 1,
    SD_LOCK_Y = 2,
    SD_LOCK_Z = 4,
    SD_LOCK_ROTATION_X = 8,
    SD_LOCK_ROTATION_Y = 16,
    SD_LOCK_ROTATION_Z = 32,
    /// A body of the plane z = const.
    SD_LOCK_PLANAR = SD_LOCK_Z | SD_LOCK_ROTATION_X | SD_LOCK_ROTATION_Y,
    SD_LOCK_ALL = 63
} sdMotionLock;

typedef struct sdBodyDef {
    sdBodyType type;
    sdPos position; ///< of the body's origin
    sdQuat rotation;
    sdVec3 velocity;        ///< of the centre of mass, m/s
    sdVec3 angularVelocity; ///< rad/s, in the world's axes
    float linearDamping;    ///< 1/s: velocity decays as exp(-damping t)
    float angularDamping;   ///< 1/s
    float gravityScale;
    uint32_t locks; ///< of sdMotionLock
    bool enableSleep;
    bool isAwake; ///< at the start
    /// Look at everything on its way in every step, however slow it is. Without it, only steps in
    /// which a body goes further than about half of its least width are looked at so.
    bool isBullet;
    uint64_t userData;
} sdBodyDef;

/// A static body at the origin; gravity 1, no damping, may sleep, awake.
SD_API sdBodyDef sdBodyDef_Default(void);

/// @param def from sdBodyDef_Default(), changed; copied
/// @param out receives the id; SD_NULL_BODY on failure
/// @return SD_ERROR_INVALID_ARGUMENT for numbers that are not finite or out of range (the log says
///         which)
SD_API sdResult sdBody_Create(sdWorld* world, const sdBodyDef* def, sdBodyId* out);

/// With its shapes and contacts.
SD_API sdResult sdBody_Destroy(sdWorld* world, sdBodyId body);

/// Whether the body is still there.
SD_API bool sdBody_IsValid(const sdWorld* world, sdBodyId body);
SD_API sdBodyType sdBody_GetType(const sdWorld* world, sdBodyId body);
/// Contacts end and are found again. A mass that was given is forgotten when a body stops being
/// dynamic, its velocity when it becomes static.
/// @return SD_ERROR_INVALID_ARGUMENT for a mesh or half-space on a body that is to be dynamic
SD_API sdResult sdBody_SetType(sdWorld* world, sdBodyId body, sdBodyType type);
SD_API uint64_t sdBody_GetUserData(const sdWorld* world, sdBodyId body);
SD_API sdResult sdBody_SetUserData(sdWorld* world, sdBodyId body, uint64_t userData);

/// Of the body's origin.
SD_API sdWorldTransform sdBody_GetTransform(const sdWorld* world, sdBodyId body);
/// Teleports; velocities stay. Wakes the body and what it touched.
SD_API sdResult sdBody_SetTransform(sdWorld* world, sdBodyId body, sdPos position, sdQuat rotation);
SD_API sdPos sdBody_GetCenter(const sdWorld* world, sdBodyId body);

/// Points and directions of the body's frame in the world, and the other way round.
SD_API sdPos sdBody_GetWorldPoint(const sdWorld* world, sdBodyId body, sdVec3 local);
SD_API sdVec3 sdBody_GetLocalPoint(const sdWorld* world, sdBodyId body, sdPos point);
SD_API sdVec3 sdBody_GetWorldVector(const sdWorld* world, sdBodyId body, sdVec3 local);
SD_API sdVec3 sdBody_GetLocalVector(const sdWorld* world, sdBodyId body, sdVec3 vector);

/// Of the centre of mass.
SD_API sdVec3 sdBody_GetVelocity(const sdWorld* world, sdBodyId body);
SD_API sdVec3 sdBody_GetAngularVelocity(const sdWorld* world, sdBodyId body);
/// Wakes the body. Static bodies refuse.
SD_API sdResult sdBody_SetVelocity(sdWorld* world, sdBodyId body, sdVec3 velocity, sdVec3 angular);
/// Of the body's material point that is now at `point`: v + ω × r (D1).
SD_API sdVec3 sdBody_GetVelocityAt(const sdWorld* world, sdBodyId body, sdPos point);

// ---- forces --------------------------------------------------------------------------------
// They wake the body. Forces and torques act during the next step and are then forgotten. Bodies
// that are not dynamic take no notice.

SD_API sdResult sdBody_ApplyForce(sdWorld* world, sdBodyId body, sdVec3 force, sdPos point);
SD_API sdResult sdBody_ApplyForceToCenter(sdWorld* world, sdBodyId body, sdVec3 force);
SD_API sdResult sdBody_ApplyTorque(sdWorld* world, sdBodyId body, sdVec3 torque);
/// At once.
SD_API sdResult sdBody_ApplyImpulse(sdWorld* world, sdBodyId body, sdVec3 impulse, sdPos point);
SD_API sdResult sdBody_ApplyAngularImpulse(sdWorld* world, sdBodyId body, sdVec3 impulse);

// ---- mass ----------------------------------------------------------------------------------

/// Of the body, in its own frame; zero mass for bodies that are not dynamic.
SD_API sdMassProps sdBody_GetMass(const sdWorld* world, sdBodyId body);
/// Instead of that of the shapes. Kept until sdBody_ResetMass.
/// @return SD_ERROR_INVALID_ARGUMENT unless sdMassProps_IsValid, within 1e-24 .. 1e24 kg and with a
///         centre within 1e12 m
SD_API sdResult sdBody_SetMass(sdWorld* world, sdBodyId body, sdMassProps props);
/// Whether its mass is such a one.
SD_API bool sdBody_HasGivenMass(const sdWorld* world, sdBodyId body);
/// From shapes and densities. A dynamic body whose shapes have no mass weighs 1 kg and cannot turn.
SD_API sdResult sdBody_ResetMass(sdWorld* world, sdBodyId body);

// ---- state ---------------------------------------------------------------------------------

/// False also for static bodies.
SD_API bool sdBody_IsAwake(const sdWorld* world, sdBodyId body);
/// Sending a body to sleep sends all that it touches.
SD_API sdResult sdBody_SetAwake(sdWorld* world, sdBodyId body, bool isAwake);
/// Whether it may fall asleep by itself.
SD_API bool sdBody_IsSleepEnabled(const sdWorld* world, sdBodyId body);
SD_API sdResult sdBody_EnableSleep(sdWorld* world, sdBodyId body, bool isEnabled);
/// A body that is not enabled neither moves nor meets anything, and its joints hold nothing; it
/// keeps all it has.
SD_API bool sdBody_IsEnabled(const sdWorld* world, sdBodyId body);
SD_API sdResult sdBody_SetEnabled(sdWorld* world, sdBodyId body, bool isEnabled);
SD_API bool sdBody_IsBullet(const sdWorld* world, sdBodyId body);
SD_API sdResult sdBody_SetBullet(sdWorld* world, sdBodyId body, bool isBullet);
SD_API uint32_t sdBody_GetLocks(const sdWorld* world, sdBodyId body);
SD_API sdResult sdBody_SetLocks(sdWorld* world, sdBodyId body, uint32_t locks);
SD_API float sdBody_GetLinearDamping(const sdWorld* world, sdBodyId body);
SD_API float sdBody_GetAngularDamping(const sdWorld* world, sdBodyId body);
SD_API sdResult sdBody_SetDamping(sdWorld* world, sdBodyId body, float linear, float angular);
SD_API float sdBody_GetGravityScale(const sdWorld* world, sdBodyId body);
SD_API sdResult sdBody_SetGravityScale(sdWorld* world, sdBodyId body, float scale);

// ---- shapes --------------------------------------------------------------------------------

typedef struct sdShapeDef {
    sdShape shape;  ///< hulls, meshes and compounds in it are retained by the world
    sdTransform xf; ///< in the body's frame
    float density;  ///< kg/m³; 0: adds no mass
    sdMaterial material;
    sdFilter filter;
    bool isSensor; ///< reports what overlaps it, collides with nothing
    uint64_t userData;
} sdShapeDef;

/// At the body's origin, 1000 kg/m³, default material and filter.
SD_API sdShapeDef sdShapeDef_Default(sdShape shape);

/// Meshes and half-spaces belong on bodies that are not dynamic.
/// @param out may be NULL
/// @return SD_ERROR_INVALID_ARGUMENT for what is not valid or does not fit the body
SD_API sdResult sdBody_AddShape(sdWorld* world, sdBodyId body, const sdShapeDef* def,
                                sdShapeId* out);
SD_API sdResult sdShapeId_Remove(sdWorld* world, sdShapeId shape);

/// @return how many shapes the body has; the first `capacity` are written
SD_API int sdBody_GetShapes(const sdWorld* world, sdBodyId body, sdShapeId* out, int capacity);

/// Whether the shape is still there, on which body, and what was given with it.
SD_API bool sdShapeId_IsValid(const sdWorld* world, sdShapeId shape);
SD_API sdBodyId sdShapeId_GetBody(const sdWorld* world, sdShapeId shape);
SD_API uint64_t sdShapeId_GetUserData(const sdWorld* world, sdShapeId shape);
SD_API sdResult sdShapeId_SetUserData(sdWorld* world, sdShapeId shape, uint64_t userData);
/// NULL for a stale id; borrowed until the world changes.
SD_API const sdShapeDef* sdShapeId_GetDef(const sdWorld* world, sdShapeId shape);
SD_API sdResult sdShapeId_SetMaterial(sdWorld* world, sdShapeId shape, sdMaterial material);
SD_API sdResult sdShapeId_SetFilter(sdWorld* world, sdShapeId shape, sdFilter filter);

SD_END_C

#endif
