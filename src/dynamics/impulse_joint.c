// SPDX-License-Identifier: MIT
// impulse_joint.c - see impulse_joint.h.
//
// In:   velocities and predicted poses of the impulse solver's bodies.
// Out:  velocities with which joints hold; forces at the joints.
// Ref:  S2 §9 and §10; Weinstein, Teran and Fedkiw, "Dynamic simulation of articulated rigid bodies
//       with contact and collision", 2006.

#include "dynamics/impulse_joint_rows.h"

/// m/s and rad/s, at which joints that were apart at the start of the step are drawn together.
#define MAX_PULL 4.0f

// ---- prepare -------------------------------------------------------------------------------

static void load(const sdImpulseJoints* joints, sdImpulseJoint* it) {
    sdJointView view;
    sdImpulseJoint_LookNow(joints, it, &view);
    sdLockSet_List(&it->start, &view, false);
    float most = MAX_PULL * joints->step->dt;
    for (int i = 0; i < it->start.count; ++i) {
        float error = it->start.errors[i];
        it->goals[i] = error - sdClampF(error, -most, most);
    }
    for (int i = it->start.count; i < SD_MAX_LOCKS; ++i) {
        it->goals[i] = 0.0f;
    }
    for (int i = view.rows.lockCount; i < view.rows.count; ++i) {
        it->startErrors[view.rows.rows[i].slot] = view.rows.rows[i].error;
    }
    it->armA = sdAdd(view.rows.rA, view.rows.offset);
    it->armB = view.rows.rB;
}

sdImpulseJoints* sdImpulseJoints_Prepare(sdStep* step, sdImpulseBody* bodies) {
    sdWorld* world = step->world;
    int count = 0;
    for (int i = sdBitSet_Next(&world->activeJoints, 0); i != SD_NULL_INDEX;
         i = sdBitSet_Next(&world->activeJoints, i + 1)) {
        count += 1;
    }
    sdImpulseJoints* joints = sdArena_Alloc(&world->arena, 1, sizeof *joints);
    sdImpulseJoint* list = sdArena_Alloc(&world->arena, (size_t)count + 1, sizeof *list);
    if (joints == NULL || list == NULL) {
        return NULL;
    }
    *joints = (sdImpulseJoints){
        .step = step, .bodies = bodies, .ground = step->bodyCount, .joints = list};
    for (int i = sdBitSet_Next(&world->activeJoints, 0); i != SD_NULL_INDEX;
         i = sdBitSet_Next(&world->activeJoints, i + 1)) {
        sdJoint* joint = &world->joints.data[i];
        int a = sdStep_StateOf(step, joint->bodyA), b = sdStep_StateOf(step, joint->bodyB);
        sdImpulseJoint* it = &list[joints->count++];
        memset(it, 0, sizeof *it);
        it->joint = joint;
        it->bodyA = a != SD_NULL_INDEX ? a : joints->ground;
        it->bodyB = b != SD_NULL_INDEX ? b : joints->ground;
        load(joints, it);
    }
    joints->sets = sdJointSets_Prepare(joints);
    return joints->sets != NULL ? joints : NULL;
}

// ---- one by one ----------------------------------------------------------------------------

/// (9.3), (9.5), (9.7), (9.11), (9.14), (9.15): one step of Newton's method for a joint alone, all
/// of its locked rows at once.
/// @return the largest error before it
static float solveLocks(sdImpulseJoints* joints, sdImpulseJoint* joint, bool isAhead) {
    double m[SD_MAX_LOCKS * SD_MAX_LOCKS], x[SD_MAX_LOCKS];
    sdLockSet set;
    float worst = sdImpulseJoint_FindErrors(joints, joint, isAhead, &set, x);
    const sdLockSet* along = isAhead ? &joint->start : &set;
    int n = set.count;
    for (int i = 0; i < n * n; ++i) {
        m[i] = sdImpulseJoint_Respond(joints, joint, &set.lines[i / n], &along->lines[i % n]);
    }
    sdSolveLocks(m, x, n);
    for (int i = 0; i < n; ++i) {
        sdImpulseJoint_Push(joints, joint, &along->lines[i], -(float)x[i]);
    }
    return worst;
}

static bool isOfLevel(const sdImpulseJoints* joints, const sdImpulseJoint* joint, int level) {
    int a = joints->bodies[joint->bodyA].level, b = joints->bodies[joint->bodyB].level;
    return level == SD_NULL_INDEX || sdMaxI(a, b) == level;
}

/// Limits and drives of a joint and, unless it is solved with others, its locks.
/// @return the largest error before it
static float solveJoint(sdImpulseJoints* joints, sdImpulseJoint* joint, bool isAhead,
                        bool isTogether) {
    if (!sdImpulseBody_IsMovable(&joints->bodies[joint->bodyA]) &&
        !sdImpulseBody_IsMovable(&joints->bodies[joint->bodyB])) {
        return 0.0f;
    }
    sdImpulseJoint_SolveOthers(joints, joint, isAhead);
    return isTogether && !joint->isWide ? 0.0f : solveLocks(joints, joint, isAhead);
}

/// @return the largest error before it
static float sweep(sdImpulseJoints* joints, int level, bool isAhead, bool isTogether) {
    float worst = 0.0f;
    for (int i = 0; i < joints->count; ++i) {
        // impulses go from joint to joint, to both sides
        int index = (joints->pass & 1) == 0 ? i : joints->count - 1 - i;
        sdImpulseJoint* joint = &joints->joints[index];
        if (isOfLevel(joints, joint, level)) {
            worst = sdMaxF(worst, solveJoint(joints, joint, isAhead, isTogether));
        }
    }
    joints->pass += 1;
    return worst;
}

static float solveAll(sdImpulseJoints* joints, bool isAhead) {
    float worst = sweep(joints, SD_NULL_INDEX, isAhead, true);
    return sdMaxF(worst, sdJointSets_Solve(joints, isAhead));
}

void sdImpulseJoints_StabilizeVelocities(sdImpulseJoints* joints) {
    const sdImpulseDef* def = &joints->step->world->def.impulse;
    float least = def->jointTolerance / joints->step->dt, worst = least;
    sdJointGuard_Start(joints);
    for (int i = 0; i < def->jointPassCount && worst >= least && joints->count > 0; ++i) {
        worst = solveAll(joints, false);
    }
    if (joints->isMoved) {
        sdJointGuard_LimitStep(joints);
    } else {
        sdJointGuard_LimitTurns(joints);
    }
}

/// One by one, or at the last level all together.
static void stabilize(sdImpulseJoints* joints, int level, bool isLast, bool isTogether) {
    bool isAhead = !joints->isMoved;
    if (joints->count == 0) {
        return;
    }
    sdJointGuard_Start(joints);
    if (!isTogether) {
        sweep(joints, level, isAhead, false);
    } else if (isLast && isAhead) {
        sdJointGuard_StartSearch(joints);
        solveAll(joints, true);
        sdJointGuard_Search(joints);
    } else if (isLast) {
        solveAll(joints, false);
    }
    sdJointGuard_LimitPlaces(joints);
}

void sdImpulseJoints_StabilizePositions(sdImpulseJoints* joints, int level, int levelCount) {
    bool isTogether = joints->step->world->def.impulse.joints == SD_JOINTS_TOGETHER;
    stabilize(joints, level, level + 1 == levelCount, isTogether);
}

void sdImpulseJoints_PropagateShock(sdImpulseJoints* joints, int level) {
    stabilize(joints, level, true, false);
}

void sdImpulseJoints_Move(sdImpulseJoints* joints) {
    joints->isMoved = true;
}

// ---- store ---------------------------------------------------------------------------------

void sdImpulseJoints_Store(sdImpulseJoints* joints) {
    float rate = 1.0f / joints->step->dt;
    for (int i = 0; i < joints->count; ++i) {
        sdJoint* joint = joints->joints[i].joint;
        joint->force = sdScale(rate, joints->joints[i].force);
        joint->torque = sdScale(rate, joints->joints[i].torque);
        if (!sdVec3_IsFinite(joint->force) || !sdVec3_IsFinite(joint->torque)) {
            joint->force = joint->torque = sdV3(0.0f, 0.0f, 0.0f);
        }
        // the other solver's first guess: none
        joint->blockImpulse = sdV3(0.0f, 0.0f, 0.0f);
        memset(joint->impulses, 0, sizeof joint->impulses);
    }
}
