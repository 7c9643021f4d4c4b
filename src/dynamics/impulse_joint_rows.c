// SPDX-License-Identifier: MIT
// impulse_joint_rows.c - see impulse_joint_rows.h.
//
// In:   poses and velocities of the impulse solver's bodies; the rows that both solvers share
//       (joint_rows.h).
// Out:  lines, errors, impulses; limits and drives.
// Ref:  S2 §9, equations (9.1) to (9.16).
// Note: S2 turns one freedom off by an angle between two axes that is kept (9.16). Here a locked
//       turn is 2 v_i = 0 of the quaternion (v, s) from frame to frame, as in the other solver: of
//       three it is (9.10), of two (9.13), and one does not drift with the angle of the step
//       before.

#include "dynamics/impulse_joint_rows.h"

#include "dynamics/free_motion.h"

/// Share of what is beyond a limit that a step takes back.
#define LIMIT_SHARE 0.2f
/// Of what a row about an axis would give if nothing were locked: less is rounding, whose square it
/// is.
#define LEAST_SHARE 1e-9

// ---- views ---------------------------------------------------------------------------------

typedef struct Pose {
    sdPos center;
    sdQuat rotation;
    sdVec3 angle;
} Pose;

/// How a body turns in the step: as it will when it is moved.
/// @return the angle, rad
static sdVec3 turnAhead(const sdStep* step, const sdBodyMotion* motion, sdVec3 w, sdQuat* turn) {
    bool isEven = motion->isRound || !motion->isDynamic ||
                  step->world->def.integrator != SD_INTEGRATOR_SEMI_IMPLICIT;
    if (!isEven && (motion->isNeedle || sdLength(w) * step->dt >= SD_EASY_TURN)) {
        sdBodyState state = {.angularVelocity = w, .turn = sdQuat_Identity()};
        sdBodyState_Turn(step, &state, motion, 0);
        *turn = state.turn;
        return sdQuat_ToRotationVector(state.turn);
    }
    if (!isEven) {
        // angular momentum is kept: its angular velocity half-way
        sdQuat half = sdQuat_FromRotationVector(sdScale(0.5f * step->dt, w));
        sdVec3 momentum = sdInvRotate(half, sdMulMV(motion->inertia, w));
        w = sdRotate(half, sdMulMV(motion->inverseInertia, momentum));
    }
    *turn = sdQuat_FromRotationVector(sdScale(step->dt, w));
    return sdScale(step->dt, w);
}

static Pose poseOf(const sdImpulseJoints* joints, int index, int slot, bool isAhead) {
    const sdBody* still = &joints->step->world->bodies.data[slot];
    const sdImpulseBody* body = &joints->bodies[index];
    Pose pose = {still->center, still->rotation, {0.0f, 0.0f, 0.0f}};
    if (index == joints->ground) {
        return pose;
    }
    pose.center = body->center;
    pose.rotation = body->rotation;
    if (isAhead) {
        // (6.2)
        float dt = joints->step->dt;
        sdVec3 v = sdAdd(body->velocity, body->ahead);
        sdVec3 w = sdAdd(body->angularVelocity, body->angularAhead);
        sdQuat turn;
        pose.angle = turnAhead(joints->step, &joints->step->motions[index], w, &turn);
        pose.center = sdPos_Add(body->center, sdScale(dt, v));
        pose.rotation = sdNormalizeQ(sdMulQ(turn, body->rotation));
    }
    return pose;
}

static void look(const sdImpulseJoints* joints, const sdImpulseJoint* joint, bool isAhead,
                 sdJointView* view) {
    Pose a = poseOf(joints, joint->bodyA, joint->joint->bodyA, isAhead);
    Pose b = poseOf(joints, joint->bodyB, joint->joint->bodyB, isAhead);
    sdJointPoses poses = {a.center, b.center, a.rotation, b.rotation};
    sdJoint_BuildRowsAt(joints->step->world, joint->joint, &poses, joints->step->dt, &view->rows);
    view->angleA = a.angle;
    view->angleB = b.angle;
}

void sdImpulseJoint_LookNow(const sdImpulseJoints* joints, const sdImpulseJoint* joint,
                            sdJointView* view) {
    look(joints, joint, false, view);
}

void sdImpulseJoint_LookAhead(const sdImpulseJoints* joints, const sdImpulseJoint* joint,
                              sdJointView* view) {
    look(joints, joint, true, view);
}

// ---- lines ---------------------------------------------------------------------------------

static sdImpulseLine lineOf(const sdJointRow* row, sdVec3 armA, sdVec3 armB) {
    sdImpulseLine line = {.a = row->axis, .b = row->axis};
    if (row->kind == SD_ROW_CONE) {
        line.a = line.b = sdScale(row->scale, sdCross(row->other, row->axis));
    } else if (row->kind != SD_ROW_TURN) {
        line = (sdImpulseLine){row->axis, sdCross(armA, row->axis), sdCross(armB, row->axis)};
    }
    return line;
}

/// The transposed left Jacobian of a turn: what multiplies dφ multiplies dω dt as this.
static sdVec3 pullBack(sdVec3 line, sdVec3 angle) {
    float square = sdLengthSquared(angle);
    // (1 - cos x) / x² and (x - sin x) / x³, for angles that a step can follow
    float c1 = 0.5f - square * (1.0f / 24.0f - square * (1.0f / 720.0f));
    float c2 = 1.0f / 6.0f - square * (1.0f / 120.0f - square * (1.0f / 5040.0f));
    sdVec3 once = sdCross(line, angle), twice = sdCross(once, angle);
    return sdAdd(line, sdAdd(sdScale(c1, once), sdScale(c2, twice)));
}

void sdLockSet_List(sdLockSet* set, const sdJointView* view, bool isAhead) {
    const sdVec3 axes[3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    const sdJointRows* rows = &view->rows;
    const float offset[3] = {rows->offset.x, rows->offset.y, rows->offset.z};
    sdVec3 common = sdAdd(rows->rA, rows->offset), armA = isAhead ? rows->rA : common;
    set->count = 0;
    // (9.1): all three translations
    for (int i = 0; i < 3 && rows->hasBlock; ++i) {
        set->lines[set->count] =
            (sdImpulseLine){axes[i], sdCross(armA, axes[i]), sdCross(rows->rB, axes[i])};
        set->errors[set->count++] = offset[i];
    }
    // one or two of them (9.5), rotations (9.10), (9.13), (9.16)
    for (int i = 0; i < rows->lockCount && set->count < SD_MAX_LOCKS; ++i) {
        const sdJointRow* row = &rows->rows[i];
        set->lines[set->count] = lineOf(row, common, rows->rB);
        set->errors[set->count++] = row->error;
    }
    for (int i = 0; i < set->count && isAhead; ++i) {
        set->lines[i].a = pullBack(set->lines[i].a, view->angleA);
        set->lines[i].b = pullBack(set->lines[i].b, view->angleB);
    }
}

// ---- impulses ------------------------------------------------------------------------------

// (9.4), (9.12)
float sdImpulseJoint_SpeedAlong(const sdImpulseJoints* joints, const sdImpulseJoint* joint,
                                const sdImpulseLine* line) {
    const sdImpulseBody* a = &joints->bodies[joint->bodyA];
    const sdImpulseBody* b = &joints->bodies[joint->bodyB];
    return sdDot(line->u, sdSub(b->velocity, a->velocity)) + sdDot(line->b, b->angularVelocity) -
           sdDot(line->a, a->angularVelocity);
}

// (7.17), (7.18), (9.8)
void sdImpulseJoint_Push(sdImpulseJoints* joints, sdImpulseJoint* joint, const sdImpulseLine* line,
                         float impulse) {
    sdImpulseBody* a = &joints->bodies[joint->bodyA];
    sdImpulseBody* b = &joints->bodies[joint->bodyB];
    sdVec3 j = sdScale(impulse, line->u);
    a->velocity = sdSub(a->velocity, sdMul(a->inverseMass, j));
    b->velocity = sdAdd(b->velocity, sdMul(b->inverseMass, j));
    sdImpulseBody_Twist(a, sdScale(-impulse, line->a));
    sdImpulseBody_Twist(b, sdScale(impulse, line->b));
    joint->force = sdAdd(joint->force, j);
    if (sdLengthSquared(line->u) == 0.0f) {
        joint->torque = sdMulAdd(joint->torque, impulse, line->b);
    }
}

// K_T of (9.3) and L_T of (9.9), between two lines
double sdImpulseJoint_Respond(const sdImpulseJoints* joints, const sdImpulseJoint* joint,
                              const sdImpulseLine* line, const sdImpulseLine* with) {
    const sdImpulseBody* a = &joints->bodies[joint->bodyA];
    const sdImpulseBody* b = &joints->bodies[joint->bodyB];
    sdVec3 masses = sdAdd(a->inverseMass, b->inverseMass);
    double response = (double)sdDot(line->u, sdMul(masses, with->u)) +
                      (double)sdDot(line->a, sdMulMV(a->inverseInertia, with->a)) +
                      (double)sdDot(line->b, sdMulMV(b->inverseInertia, with->b));
    return line == with && response <= sdImpulseJoint_LeastResponse(joints, joint, line) ? 0.0
                                                                                         : response;
}

double sdImpulseJoint_LeastResponse(const sdImpulseJoints* joints, const sdImpulseJoint* joint,
                                    const sdImpulseLine* line) {
    sdMat33 a = joints->bodies[joint->bodyA].inverseInertia;
    sdMat33 b = joints->bodies[joint->bodyB].inverseInertia;
    double whole = (double)((a.cx.x + a.cy.y + a.cz.z) * sdDot(line->a, line->a)) +
                   (double)((b.cx.x + b.cy.y + b.cz.z) * sdDot(line->b, line->b));
    return LEAST_SHARE * whole;
}

float sdImpulseJoint_FindErrors(const sdImpulseJoints* joints, const sdImpulseJoint* joint,
                                bool isAhead, sdLockSet* set, double* errors) {
    sdJointView view;
    double worst = 0.0;
    look(joints, joint, isAhead, &view);
    sdLockSet_List(set, &view, isAhead);
    for (int i = 0; i < set->count; ++i) {
        errors[i] = isAhead ? (double)(set->errors[i] - joint->goals[i]) / (double)joints->step->dt
                            : (double)sdImpulseJoint_SpeedAlong(joints, joint, &set->lines[i]);
        double size = errors[i] < 0.0 ? -errors[i] : errors[i];
        worst = size > worst ? size : worst;
    }
    return (float)worst;
}

void sdSolveLocks(double* m, double* x, int n) {
    double least[SD_MAX_LOCKS];
    for (int i = 0; i < n; ++i) {
        least[i] = SD_LEAST_PIVOT * m[i * n + i];
    }
    // the matrix is nearly symmetric and not negative: its diagonal needs no search for pivots
    for (int k = 0; k < n; ++k) {
        double pivot = m[k * n + k];
        m[k * n + k] = pivot > least[k] ? pivot : 0.0;
        for (int i = k + 1; i < n && m[k * n + k] > 0.0; ++i) {
            double factor = m[i * n + k] / pivot;
            for (int j = k + 1; j < n; ++j) {
                m[i * n + j] -= factor * m[k * n + j];
            }
            x[i] -= factor * x[k];
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        double sum = x[k];
        for (int j = k + 1; j < n; ++j) {
            sum -= m[k * n + j] * x[j];
        }
        x[k] = m[k * n + k] > 0.0 ? sum / m[k * n + k] : 0.0;
    }
}

// ---- limits and drives ---------------------------------------------------------------------

/// 1 / (k - kᵀ D⁻¹ k): of a row while the joint's locks hold.
static float heldMassOf(const sdImpulseJoints* joints, const sdImpulseJoint* joint,
                        const sdLockSet* locks, const sdImpulseLine* line) {
    double m[SD_MAX_LOCKS * SD_MAX_LOCKS], x[SD_MAX_LOCKS], k[SD_MAX_LOCKS];
    int n = locks->count;
    for (int i = 0; i < n; ++i) {
        k[i] = x[i] = sdImpulseJoint_Respond(joints, joint, &locks->lines[i], line);
        for (int j = 0; j < n; ++j) {
            m[i * n + j] =
                sdImpulseJoint_Respond(joints, joint, &locks->lines[i], &locks->lines[j]);
        }
    }
    sdSolveLocks(m, x, n);
    double own = sdImpulseJoint_Respond(joints, joint, line, line), held = own;
    for (int i = 0; i < n; ++i) {
        held -= k[i] * x[i];
    }
    return held > SD_LEAST_PIVOT * own ? (float)(1.0 / held) : 0.0f;
}

/// Add to the impulse of a row, within its bounds.
static void pushWithin(sdImpulseJoints* joints, sdImpulseJoint* joint, const sdJointRow* row,
                       const sdImpulseLine* line, float change, float lower, float upper) {
    float sign = row->isUpper ? -1.0f : 1.0f;
    float had = sign * joint->impulses[row->slot];
    float has = sdClampF(had + change, lower, upper);
    joint->impulses[row->slot] = sign * has;
    sdImpulseJoint_Push(joints, joint, line, has - had);
}

static void solveLimit(sdImpulseJoints* joints, sdImpulseJoint* joint, const sdJointRow* row,
                       const sdImpulseLine* line, float mass, bool isAhead) {
    float dt = joints->step->dt, wanted;
    if (isAhead) {
        float goal = (1.0f - LIMIT_SHARE) * sdMinF(joint->startErrors[row->slot], 0.0f);
        wanted = (goal - row->error) / dt;
    } else {
        // what is not reached within a step is nobody's business
        float speed = sdImpulseJoint_SpeedAlong(joints, joint, line);
        wanted = -speed - sdMaxF(row->error, 0.0f) / dt;
    }
    pushWithin(joints, joint, row, line, mass * wanted, 0.0f, FLT_MAX);
}

static void solveDrive(sdImpulseJoints* joints, sdImpulseJoint* joint, const sdJointRow* row,
                       const sdImpulseLine* line, float mass) {
    const sdSoftness* soft = &row->softness;
    float speed = sdImpulseJoint_SpeedAlong(joints, joint, line) - row->target;
    float error = joint->startErrors[row->slot], had = joint->impulses[row->slot];
    float change = -mass * (soft->massScale * speed + soft->stiffness * error);
    pushWithin(joints, joint, row, line, change - soft->impulseScale * had, row->lower, row->upper);
}

void sdImpulseJoint_SolveOthers(sdImpulseJoints* joints, sdImpulseJoint* joint, bool isAhead) {
    sdJointView view;
    sdLockSet locks;
    look(joints, joint, isAhead, &view);
    if (view.rows.count == view.rows.lockCount) {
        return;
    }
    sdLockSet_List(&locks, &view, false);
    for (int i = view.rows.lockCount; i < view.rows.count; ++i) {
        const sdJointRow* row = &view.rows.rows[i];
        // drives have done their part when the bodies have moved
        if (row->isSoft && joints->isMoved) {
            continue;
        }
        sdVec3 armA = joints->isMoved ? sdAdd(view.rows.rA, view.rows.offset) : joint->armA;
        sdImpulseLine line = lineOf(row, armA, joints->isMoved ? view.rows.rB : joint->armB);
        float mass = heldMassOf(joints, joint, joints->isMoved ? &locks : &joint->start, &line);
        if (row->isSoft) {
            solveDrive(joints, joint, row, &line, mass);
        } else {
            solveLimit(joints, joint, row, &line, mass, isAhead);
        }
    }
}
