// SPDX-License-Identifier: MIT
// joint_rows.h - what joints are made of: one to six equations for the bodies' velocities.
//
// A row is a function C of both poses that should be 0 (or not negative, at a limit), and its rate.
// With an axis u, arms rA and rB to the anchors, and d from A's anchor to B's, that is
//
//     turning about u    C' = u · (wB - wA)
//     moving along u     C' = u · (vB - vA) + (rB × u) · wB - ((rA + d) × u) · wA
//
// An impulse λ along it changes velocities by M⁻¹ Jᵀ λ, so λ = -(C' + bias) / (J M⁻¹ Jᵀ). Three
// rows that hold two anchors together are a block, solved at once. Each kind of joint has a file
// that says what its rows are.

#ifndef SD_DYNAMICS_JOINT_ROWS_H
#define SD_DYNAMICS_JOINT_ROWS_H

#include "sudar/joint.h"

/// A lock or limit and a drive for each axis, and a cone.
#define SD_JOINT_MAX_ROWS (2 * SD_AXIS_COUNT + 1)
#define SD_JOINT_CONE_ROW (2 * SD_AXIS_COUNT)

/// How a row gives: λ changes by -m (massScale C' + stiffness C) - impulseScale λ, with the row's
/// mass m. A spring of some frequency and damping, implicit in time.
typedef struct sdSoftness {
    float stiffness;    ///< 1/s: speed that C is worth
    float massScale;    ///< what C' is worth: 1 of a rigid row
    float impulseScale; ///< of the impulse so far, that is taken back
} sdSoftness;

sdSoftness sdSoftness_Make(float frequency, float dampingRatio, float h);
/// With the stiffness and the damping that it should have, if sub-steps are short enough to tell;
/// otherwise as above, which damps more.
sdSoftness sdSoftness_Spring(float frequency, float dampingRatio, float h);
/// Of rows that should not give at all: as stiff as is stable with steps of h.
sdSoftness sdSoftness_Rigid(float h);

typedef enum sdRowKind {
    SD_ROW_TURN, ///< about an axis of A
    SD_ROW_MOVE, ///< along an axis of A
    SD_ROW_LINE, ///< along the line from anchor to anchor
    SD_ROW_CONE  ///< between an axis of A and one of B
} sdRowKind;

/// Its numbers come first, in fours: eight rows are turned into lanes (sdJointRow8_Load).
typedef struct sdJointRow {
    sdVec3 axis;        ///< unit, at the start of the step; turns with A, or with the line
    float scale;        ///< of a cone: 1 over the sine of its angle
    sdVec3 other;       ///< of a cone: B's axis
    float error;        ///< C at the start of the step
    float target;       ///< C' that is wanted
    float lower, upper; ///< of the impulse, N s
    float range; ///< of a limit: from it to the other one, beyond which C must not be, either
    sdSoftness softness;
    int slot; ///< where its impulse is kept
    sdRowKind kind;
    bool isLimit; ///< C may be positive: then it must not reach 0 within a sub-step
    bool isUpper; ///< of two limits: its impulse is kept with the sign turned, so as to be nobody
                  ///< else's
    bool isSoft;  ///< a drive
    bool isSpring;
} sdJointRow;

typedef struct sdJointRows {
    // as it is now
    sdVec3 rA, rB;   ///< from the centres of mass to the anchors
    sdVec3 offset;   ///< from A's anchor to B's
    sdQuat frame;    ///< A's frame in the world
    sdQuat relative; ///< B's frame in A's, scalar not negative
    float h;

    bool hasBlock; ///< the anchors are held together
    int count;
    int lockCount; ///< rows that always hold: the first ones
    sdJointRow rows[SD_JOINT_MAX_ROWS];
} sdJointRows;

/// Sine of the angle between axes below which their common normal is not known.
#define SD_JOINT_SMALL_SINE 1e-4f
/// Range of what has one limit only, m or rad.
#define SD_JOINT_ENDLESS 1e9f
/// Share of what is beyond a limit that a sub-step takes back.
#define SD_JOINT_LIMIT_SHARE 0.3f
/// Of cosines: what is above that of a cone's angle by more is inside, however it is rounded.
#define SD_JOINT_SURELY_INSIDE 1e-4f
/// rad all the way round.
#define SD_JOINT_TURN 6.28318531f

/// What measures how far an axis is inside of a cone.
typedef struct sdJointCone {
    float scale; ///< 1 over the sine of its angle
    float cosine;
} sdJointCone;

sdJointCone sdJointCone_Make(float angle);
/// Of the row of a cone whose axes are not surely inside: where the cosine tells little, it becomes
/// one that turns them back.
void sdJointRow_LeaveCone(sdJointRow* row, sdQuat relative, float angle);

/// The axis i (0 .. 2) of A's frame, in the world.
sdVec3 sdJointRows_Axis(const sdJointRows* rows, int i);

/// Angle about axis i of A's frame that B's has turned, -pi .. pi, and how it changes with wB - wA.
float sdJointRows_Twist(const sdJointRows* rows, int i, sdVec3* direction);

/// Distance of the anchors, and its direction; along A's x axis if there is none.
float sdJointRows_Length(const sdJointRows* rows, sdVec3* direction);

/// Add the rows of an axis: what its settings say.
void sdJointRows_AddAxis(sdJointRows* rows, int axis, const sdJointAxis* settings);
/// Add what keeps B from moving along, or turning about, an axis.
void sdJointRows_AddLock(sdJointRows* rows, int axis);
void sdJointRows_AddCone(sdJointRows* rows, float angle);
/// Beyond a straight angle is nothing to be kept from.
bool sdCone_IsOpen(float angle);
void sdJointRows_AddDistance(sdJointRows* rows, const sdJointAxis* settings);

// ---- one file each -------------------------------------------------------------------------

void sdJointRows_Ball(sdJointRows* rows, const sdJointDef* def);
/// Whether it is a ball that nothing limits or drives: all that it has is its block.
bool sdJointDef_IsPlainBall(const sdJointDef* def);
void sdJointRows_Hinge(sdJointRows* rows, const sdJointDef* def);
void sdJointRows_Slider(sdJointRows* rows, const sdJointDef* def);
void sdJointRows_Fixed(sdJointRows* rows, const sdJointDef* def);
void sdJointRows_Distance(sdJointRows* rows, const sdJointDef* def);
void sdJointRows_Motor(sdJointRows* rows, const sdJointDef* def);
void sdJointRows_Six(sdJointRows* rows, const sdJointDef* def);

#endif
