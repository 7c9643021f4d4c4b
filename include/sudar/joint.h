// SPDX-License-Identifier: MIT
// joint.h - what holds two bodies together: ball, hinge, slider, fixed, distance, motor, six axes.
//
//     sdJointDef def = sdJointDef_Make(SD_JOINT_HINGE, door, frame);
//     sdJointDef_Place(world, &def, sdPos_Make(0.0, 1.0, 0.0), sdV3(0.0f, 1.0f, 0.0f));
//     def.axes[SD_AXIS_TURN_X].mode = SD_AXIS_LIMITED;
//     def.axes[SD_AXIS_TURN_X].upper = 1.5f;
//     sdJointId joint;
//     sdJoint_Create(world, &def, &joint);
//
// A joint is a frame on each body. Where B's frame is in A's says how far it is along and about
// each of the six axes of A's frame; each axis is free, limited or locked, and may have a drive.
// Each kind of joint locks some axes and leaves the settings of the others to its user:
//
//     ball       locks moving; turning is the user's: twist about x, cone of x
//     hinge      turns about x
//     slider     moves along x
//     fixed      nothing
//     distance   x points from anchor to anchor: length between lower and upper
//     motor      all axes free, with springs that draw B's frame to A's
//     six        all axes are the user's
//
// Ids that are stale give SD_ERROR_STALE_ID from functions that return an sdResult and zeros from
// all others. Joints go with the bodies that they hold.

#ifndef SUDAR_JOINT_H
#define SUDAR_JOINT_H

#include "sudar/world.h"

SD_BEGIN_C

/// As sdBodyId.
typedef uint32_t sdJointId;
#define SD_NULL_JOINT 0u

typedef enum sdJointType {
    SD_JOINT_BALL,
    SD_JOINT_HINGE,
    SD_JOINT_SLIDER,
    SD_JOINT_FIXED,
    SD_JOINT_DISTANCE,
    SD_JOINT_MOTOR,
    SD_JOINT_SIX,
    SD_JOINT_TYPE_COUNT
} sdJointType;

/// Of A's frame, in the order of sdJointDef.axes.
typedef enum sdAxis {
    SD_AXIS_MOVE_X,
    SD_AXIS_MOVE_Y,
    SD_AXIS_MOVE_Z,
    SD_AXIS_TURN_X,
    SD_AXIS_TURN_Y,
    SD_AXIS_TURN_Z,
    SD_AXIS_COUNT
} sdAxis;

typedef enum sdAxisMode { SD_AXIS_FREE, SD_AXIS_LIMITED, SD_AXIS_LOCKED } sdAxisMode;

/// What acts along or about an axis that is not locked.
typedef enum sdDriveKind {
    SD_DRIVE_NONE,
    SD_DRIVE_MOTOR,   ///< to a speed
    SD_DRIVE_SPRING,  ///< to a place
    SD_DRIVE_FRICTION ///< to rest
} sdDriveKind;

/// One of the six axes. Metres and newtons for moving, radians and newton metres for turning.
typedef struct sdJointAxis {
    sdAxisMode mode;
    float lower, upper; ///< of SD_AXIS_LIMITED; angles within -pi .. pi
    sdDriveKind drive;
    float target;       ///< speed of a motor, place of a spring
    float maxForce;     ///< of the drive; FLT_MAX: whatever it takes
    float frequency;    ///< Hz, of a spring with the masses that it holds
    float dampingRatio; ///< of a spring; 1: as fast as it can without swinging
} sdJointAxis;

typedef struct sdJointDef {
    sdJointType type;
    sdBodyId bodyA, bodyB;
    sdTransform frameA, frameB; ///< in the bodies' frames, not beyond 1e12 m
    sdJointAxis axes[SD_AXIS_COUNT];
    float coneAngle;       ///< rad, most between both x axes; pi or more: no limit. Ball and six
    bool collideConnected; ///< whether the two bodies collide
    float maxForce;        ///< N; the joint breaks when it holds more; FLT_MAX: never
    float maxTorque;       ///< N m; the same
    uint64_t userData;
} sdJointDef;

/// With frames at the bodies' origins, locked axes locked and all others free, no drives; a
/// distance from 0 to FLT_MAX; springs of 5 Hz, damping ratio 1, on a motor; the bodies do not
/// collide, it never breaks.
SD_API sdJointDef sdJointDef_Make(sdJointType type, sdBodyId bodyA, sdBodyId bodyB);

/// Set both frames so that they coincide now: origin at `anchor`, x along `axis`.
/// @return SD_ERROR_STALE_ID, or SD_ERROR_INVALID_ARGUMENT when the axis has no direction
SD_API sdResult sdJointDef_Place(const sdWorld* world, sdJointDef* def, sdPos anchor, sdVec3 axis);

/// @param def copied
/// @param out receives the id; SD_NULL_JOINT on failure
/// @return SD_ERROR_STALE_ID for a body that is gone, SD_ERROR_INVALID_ARGUMENT for numbers that
///         are not finite or limits the wrong way round, for a joint of a body with itself, and
///         when neither body is dynamic (the log says which)
SD_API sdResult sdJoint_Create(sdWorld* world, const sdJointDef* def, sdJointId* out);
/// Wakes both bodies.
SD_API sdResult sdJoint_Destroy(sdWorld* world, sdJointId joint);

/// Whether the joint is still there: it goes with either body, and when it breaks.
SD_API bool sdJoint_IsValid(const sdWorld* world, sdJointId joint);
/// NULL for a stale id; borrowed until the world changes.
SD_API const sdJointDef* sdJoint_GetDef(const sdWorld* world, sdJointId joint);
/// Change limits and drives, for example the speed of a motor. Wakes both bodies.
/// @return as sdJoint_Create, and SD_ERROR_INVALID_ARGUMENT for an axis that the kind of joint
/// locks
SD_API sdResult sdJoint_SetAxis(sdWorld* world, sdJointId joint, sdAxis axis, sdJointAxis settings);

/// How far B's frame is along or about an axis of A's; the length, of a distance joint.
SD_API float sdJoint_GetPlace(const sdWorld* world, sdJointId joint, sdAxis axis);
/// How fast that changes.
SD_API float sdJoint_GetSpeed(const sdWorld* world, sdJointId joint, sdAxis axis);
/// Of the last step, that A puts on B at the anchor, in the world's axes: N and N m.
SD_API sdVec3 sdJoint_GetForce(const sdWorld* world, sdJointId joint);
SD_API sdVec3 sdJoint_GetTorque(const sdWorld* world, sdJointId joint);
/// How far axes that are locked are off, m and rad: the largest of each.
SD_API float sdJoint_GetError(const sdWorld* world, sdJointId joint, float* angle);

/// @return how many joints the body has; the first `capacity` are written
SD_API int sdBody_GetJoints(const sdWorld* world, sdBodyId body, sdJointId* out, int capacity);
/// Joints in order of their slots.
SD_API int sdWorld_GetJoints(const sdWorld* world, sdJointId* out, int capacity);

/// Joints that broke in the last step and are gone; borrowed until the next step.
/// @param count receives how many; must not be NULL
SD_API const sdJointId* sdWorld_GetBrokenJoints(const sdWorld* world, int* count);

SD_END_C

#endif
