// SPDX-License-Identifier: MIT
// joint.c - joints of the world: made, changed, asked, broken.
//
// Note: a joint conducts sleep like a contact. One that keeps its bodies from colliding ends their
//       pairs; when it goes, the pairs are made anew, for the broad phase will not report them
//       again.

#include "dynamics/joint.h"

#include "dynamics/contact.h"
#include "dynamics/island.h"
#include "dynamics/joint_plan.h"
#include "dynamics/pair.h"

#include <float.h>

#define PI 3.14159265f
/// Springs of a motor joint, Hz.
#define MOTOR_FREQUENCY 5.0f

// ---- definition ----------------------------------------------------------------------------

/// Axes that a kind of joint leaves to its user, as bits.
static uint32_t userAxes(sdJointType type) {
    switch (type) {
        case SD_JOINT_BALL:
            return 7u << SD_AXIS_TURN_X;
        case SD_JOINT_HINGE:
            return 1u << SD_AXIS_TURN_X;
        case SD_JOINT_SLIDER:
        case SD_JOINT_DISTANCE:
            return 1u << SD_AXIS_MOVE_X;
        case SD_JOINT_FIXED:
            return 0u;
        default:
            return 63u;
    }
}

sdJointDef sdJointDef_Make(sdJointType type, sdBodyId bodyA, sdBodyId bodyB) {
    sdJointDef def = {
        .type = type,
        .bodyA = bodyA,
        .bodyB = bodyB,
        .frameA = sdTransform_Identity(),
        .frameB = sdTransform_Identity(),
        .coneAngle = PI,
        .maxForce = FLT_MAX,
        .maxTorque = FLT_MAX,
    };
    for (int i = 0; i < SD_AXIS_COUNT; ++i) {
        bool isUsers = (userAxes(type) >> i & 1) != 0 || type == SD_JOINT_DISTANCE;
        def.axes[i] = (sdJointAxis){.mode = isUsers ? SD_AXIS_FREE : SD_AXIS_LOCKED,
                                    .maxForce = FLT_MAX,
                                    .frequency = MOTOR_FREQUENCY,
                                    .dampingRatio = 1.0f};
        def.axes[i].drive = type == SD_JOINT_MOTOR ? SD_DRIVE_SPRING : SD_DRIVE_NONE;
    }
    if (type == SD_JOINT_DISTANCE) {
        def.axes[SD_AXIS_MOVE_X].mode = SD_AXIS_LIMITED;
        def.axes[SD_AXIS_MOVE_X].upper = FLT_MAX;
    }
    return def;
}

sdResult sdJointDef_Place(const sdWorld* world, sdJointDef* def, sdPos anchor, sdVec3 axis) {
    if (world == NULL || def == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    const sdBody* bodies[2] = {sdWorld_FindBody(world, def->bodyA),
                               sdWorld_FindBody(world, def->bodyB)};
    if (bodies[0] == NULL || bodies[1] == NULL) {
        return sdFail(&world->context, SD_ERROR_STALE_ID, "sdJointDef_Place: a body is gone");
    }
    float length = sdLength(axis);
    if (!sdPos_IsFinite(anchor) || !sdIsFinite(length) || !(length > 0.0f)) {
        return sdFail(&world->context, SD_ERROR_INVALID_ARGUMENT,
                      "sdJointDef_Place: the anchor is not finite, or the axis has no direction");
    }
    sdQuat turn = sdQuat_Between(sdV3(1.0f, 0.0f, 0.0f), sdScale(1.0f / length, axis));
    sdTransform* frames[2] = {&def->frameA, &def->frameB};
    for (int i = 0; i < 2; ++i) {
        sdWorldTransform body = sdBody_Frame(bodies[i]);
        frames[i]->p = sdInvRotate(body.q, sdPos_Sub(anchor, body.p));
        frames[i]->q = sdNormalizeQ(sdInvMulQ(body.q, turn));
    }
    return SD_OK;
}

/// What is wrong with an axis, or NULL.
static const char* faultOfAxis(const sdJointAxis* axis, bool isAngle) {
    if ((unsigned)axis->mode > SD_AXIS_LOCKED || (unsigned)axis->drive > SD_DRIVE_FRICTION) {
        return "the mode or drive of an axis is unknown";
    }
    if (axis->mode == SD_AXIS_LIMITED) {
        if (!(axis->lower <= axis->upper)) {
            return "a lower limit is above the upper one, or not a number";
        }
        if (isAngle && !(axis->lower >= -PI - 1e-6f && axis->upper <= PI + 1e-6f)) {
            return "the limits of an angle are not within -pi .. pi";
        }
    }
    if (axis->drive != SD_DRIVE_NONE && (!sdIsFinite(axis->target) || !(axis->maxForce >= 0.0f))) {
        return "the target of a drive is not finite, or its force is negative or not a number";
    }
    if (axis->drive == SD_DRIVE_SPRING &&
        (!(axis->frequency >= 0.0f && axis->dampingRatio >= 0.0f) || !sdIsFinite(axis->frequency) ||
         !sdIsFinite(axis->dampingRatio))) {
        return "the frequency or damping of a spring is negative or not finite";
    }
    return NULL;
}

const char* sdJointDef_FindFault(const sdJointDef* def) {
    if ((unsigned)def->type >= SD_JOINT_TYPE_COUNT) {
        return "the type is unknown";
    }
    if (def->bodyA == def->bodyB) {
        return "it would join a body with itself";
    }
    if (!sdTransform_IsValid(def->frameA) || !sdTransform_IsValid(def->frameB) ||
        !(sdLength(def->frameA.p) <= (float)SD_MAX_COORDINATE) ||
        !(sdLength(def->frameB.p) <= (float)SD_MAX_COORDINATE)) {
        return "a frame is not finite, beyond 1e12 m, or its rotation is not of unit length";
    }
    if (!(def->coneAngle >= 0.0f) || !(def->maxForce >= 0.0f) || !(def->maxTorque >= 0.0f)) {
        return "the cone's angle or the largest force or torque is negative or not a number";
    }
    for (int i = 0; i < SD_AXIS_COUNT; ++i) {
        bool isUsed = (userAxes(def->type) >> i & 1) != 0;
        const char* fault = isUsed ? faultOfAxis(&def->axes[i], i >= SD_AXIS_TURN_X) : NULL;
        if (fault != NULL) {
            return fault;
        }
    }
    if (def->type == SD_JOINT_DISTANCE && def->axes[0].mode == SD_AXIS_LOCKED) {
        return "a rod is a distance with equal limits, not a locked axis";
    }
    return NULL;
}

/// The same, with what its bodies must be.
static const char* faultOf(const sdWorld* world, const sdJointDef* def) {
    const sdBody* a = sdWorld_FindBody(world, def->bodyA);
    const sdBody* b = sdWorld_FindBody(world, def->bodyB);
    if (a->type != SD_BODY_DYNAMIC && b->type != SD_BODY_DYNAMIC) {
        return "neither body is dynamic";
    }
    return sdJointDef_FindFault(def);
}

// ---- lists of the bodies -------------------------------------------------------------------

static void link(sdWorld* world, int index, int side) {
    sdJoint* joint = &world->joints.data[index];
    sdBody* body = &world->bodies.data[side == 0 ? joint->bodyA : joint->bodyB];
    joint->previous[side] = SD_NULL_INDEX;
    joint->next[side] = body->firstJoint;
    if (body->firstJoint != SD_NULL_INDEX) {
        world->joints.data[body->firstJoint >> 1].previous[body->firstJoint & 1] =
            index << 1 | side;
    }
    body->firstJoint = index << 1 | side;
    body->jointCount += 1;
    world->jointPlan = NULL;
}

static void unlink(sdWorld* world, int index, int side) {
    sdJoint* joint = &world->joints.data[index];
    sdBody* body = &world->bodies.data[side == 0 ? joint->bodyA : joint->bodyB];
    int previous = joint->previous[side], next = joint->next[side];
    if (previous != SD_NULL_INDEX) {
        world->joints.data[previous >> 1].next[previous & 1] = next;
    } else {
        body->firstJoint = next;
    }
    if (next != SD_NULL_INDEX) {
        world->joints.data[next >> 1].previous[next & 1] = previous;
    }
    body->jointCount -= 1;
    world->jointPlan = NULL;
}

bool sdWorld_AreJoined(const sdWorld* world, int bodyA, int bodyB) {
    const sdBody* a = &world->bodies.data[bodyA];
    const sdBody* b = &world->bodies.data[bodyB];
    const sdBody* body = a->jointCount < b->jointCount ? a : b;
    int other = body == a ? bodyB : bodyA;
    for (int edge = body->firstJoint; edge != SD_NULL_INDEX;
         edge = world->joints.data[edge >> 1].next[edge & 1]) {
        const sdJoint* joint = &world->joints.data[edge >> 1];
        int far = (edge & 1) == 0 ? joint->bodyB : joint->bodyA;
        if (far == other && !joint->def.collideConnected) {
            return true;
        }
    }
    return false;
}

// ---- create and destroy --------------------------------------------------------------------

/// Take part in the next step, unless one of its bodies does not.
static void activate(sdWorld* world, int index) {
    const sdJoint* joint = &world->joints.data[index];
    if (world->bodies.data[joint->bodyA].isDisabled ||
        world->bodies.data[joint->bodyB].isDisabled) {
        return;
    }
    sdBitSet_Set(&world->activeJoints, index);
    sdWorld_WakeBody(world, joint->bodyA);
    sdWorld_WakeBody(world, joint->bodyB);
}

bool sdJointDef_IsBreakable(const sdJointDef* def) {
    return def->maxForce < FLT_MAX || def->maxTorque < FLT_MAX;
}

static void setDef(sdJoint* joint, const sdJointDef* def) {
    joint->def = *def;
    joint->isPlain = sdJointDef_IsPlainBall(def);
    joint->isBreakable = sdJointDef_IsBreakable(def);
    joint->cone = sdJointCone_Make(def->coneAngle);
    if (joint->isPlain) {
        memset(joint->impulses, 0, sizeof joint->impulses);
    }
}

sdResult sdJoint_Create(sdWorld* world, const sdJointDef* def, sdJointId* out) {
    if (out != NULL) {
        *out = SD_NULL_JOINT;
    }
    if (world == NULL || def == NULL || out == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    sdResult result = sdWorld_CheckUnlocked(world, "sdJoint_Create");
    if (result != SD_OK) {
        return result;
    }
    if (sdWorld_FindBody(world, def->bodyA) == NULL ||
        sdWorld_FindBody(world, def->bodyB) == NULL) {
        return sdFail(&world->context, SD_ERROR_STALE_ID,
                      "sdJoint_Create: body %08x or %08x is gone or never was",
                      (unsigned)def->bodyA, (unsigned)def->bodyB);
    }
    const char* fault = faultOf(world, def);
    if (fault != NULL) {
        return sdFail(&world->context, SD_ERROR_INVALID_ARGUMENT,
                      "sdJoint_Create: %s; start from sdJointDef_Make()", fault);
    }
    const sdAllocator* allocator = &world->context.allocator;
    int needed = world->jointPool.slotCount + 1;
    if (!sdJointArray_Reserve(&world->joints, allocator, needed) ||
        !sdBitSet_Reserve(&world->activeJoints, allocator, needed) ||
        !sdIntArray_Reserve(&world->broken, allocator, needed)) {
        return sdFailMemory(&world->context, "sdJoint_Create", sizeof(sdJoint));
    }
    result = sdIdPool_Alloc(&world->jointPool, allocator, out);
    if (result != SD_OK) {
        return sdFail(&world->context, result, "sdJoint_Create: no slot for another joint");
    }
    int index = sdId_Index(*out);
    world->joints.count = world->jointPool.slotCount;
    world->joints.data[index] = (sdJoint){.bodyA = sdId_Index(def->bodyA),
                                          .bodyB = sdId_Index(def->bodyB),
                                          .activeIndex = SD_NULL_INDEX};
    setDef(&world->joints.data[index], def);
    link(world, index, 0);
    link(world, index, 1);
    if (!def->collideConnected) {
        sdWorld_DestroyPairsBetween(world, sdId_Index(def->bodyA), sdId_Index(def->bodyB));
    }
    activate(world, index);
    return SD_OK;
}

static void drop(sdWorld* world, int index) {
    unlink(world, index, 0);
    unlink(world, index, 1);
    sdBitSet_Clear(&world->activeJoints, index);
    sdIdPool_Release(&world->jointPool, sdIdPool_GetId(&world->jointPool, index));
}

void sdWorld_DropJointsOf(sdWorld* world, int body) {
    while (world->bodies.data[body].firstJoint != SD_NULL_INDEX) {
        int edge = world->bodies.data[body].firstJoint;
        const sdJoint* joint = &world->joints.data[edge >> 1];
        int other = (edge & 1) == 0 ? joint->bodyB : joint->bodyA;
        drop(world, edge >> 1);
        sdWorld_WakeBody(world, other);
    }
}

void sdJoint_Forget(sdJoint* joint) {
    memset(joint->impulses, 0, sizeof joint->impulses);
    joint->blockImpulse = sdV3(0.0f, 0.0f, 0.0f);
    joint->force = joint->blockImpulse;
    joint->torque = joint->blockImpulse;
}

void sdWorld_EnableJointsOf(sdWorld* world, int body, bool isEnabled) {
    for (int edge = world->bodies.data[body].firstJoint; edge != SD_NULL_INDEX;
         edge = world->joints.data[edge >> 1].next[edge & 1]) {
        sdJoint* joint = &world->joints.data[edge >> 1];
        if (isEnabled) {
            activate(world, edge >> 1);
        } else {
            sdBitSet_Clear(&world->activeJoints, edge >> 1);
            joint->activeIndex = SD_NULL_INDEX;
            sdJoint_Forget(joint);
            sdWorld_WakeBody(world, (edge & 1) == 0 ? joint->bodyB : joint->bodyA);
        }
    }
}

/// @return SD_ERROR_OUT_OF_MEMORY: the joint is still there
static sdResult destroy(sdWorld* world, int index) {
    const sdJoint* joint = &world->joints.data[index];
    int bodyA = joint->bodyA, bodyB = joint->bodyB;
    if (!sdWorld_ReservePairsBetween(world, bodyA, bodyB)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    drop(world, index);
    sdWorld_CreatePairsBetween(world, bodyA, bodyB);
    sdWorld_WakeBody(world, bodyA);
    sdWorld_WakeBody(world, bodyB);
    return SD_OK;
}

static sdJoint* change(sdWorld* world, sdJointId id, const char* function, sdResult* result) {
    if (world == NULL) {
        *result = SD_ERROR_INVALID_ARGUMENT;
        return NULL;
    }
    *result = sdWorld_CheckUnlocked(world, function);
    if (*result == SD_OK && !sdJoint_IsValid(world, id)) {
        *result = sdFail(&world->context, SD_ERROR_STALE_ID, "%s: joint %08x is gone or never was",
                         function, (unsigned)id);
    }
    return *result == SD_OK ? &world->joints.data[sdId_Index(id)] : NULL;
}

sdResult sdJoint_Destroy(sdWorld* world, sdJointId id) {
    sdResult result;
    if (change(world, id, "sdJoint_Destroy", &result) == NULL) {
        return result;
    }
    result = destroy(world, sdId_Index(id));
    return result == SD_OK ? result : sdFailMemory(&world->context, "sdJoint_Destroy", 0);
}

void sdWorld_BreakJoints(sdWorld* world) {
    world->broken.count = world->part > 0 ? world->broken.count : 0;
    const sdJointPlan* plan = sdWorld_GetJointPlan(world);
    if (plan != NULL && !plan->hasBreakable) {
        return;
    }
    for (int i = sdBitSet_Next(&world->activeJoints, 0); i != SD_NULL_INDEX;
         i = sdBitSet_Next(&world->activeJoints, i + 1)) {
        const sdJoint* joint = &world->joints.data[i];
        bool isBroken = joint->isBreakable && (sdLength(joint->force) > joint->def.maxForce ||
                                               sdLength(joint->torque) > joint->def.maxTorque);
        int id = isBroken ? (int)sdIdPool_GetId(&world->jointPool, i) : 0;
        int bodies[2] = {joint->bodyA, joint->bodyB};
        // when memory is short it breaks in the next step
        if (isBroken && destroy(world, i) == SD_OK) {
            // What it has pressed its bodies against pushes back with a force that nothing holds
            // any more: millions of newtons between a floor and a kinematic body.
            for (int k = 0; k < 2; ++k) {
                if (world->bodies.data[bodies[k]].type == SD_BODY_DYNAMIC) {
                    sdWorld_ForgetImpulses(world, bodies[k]);
                }
            }
            world->broken.data[world->broken.count++] = id;
        }
    }
}

// ---- rows ----------------------------------------------------------------------------------

static void measureAnchors(const sdWorld* world, const sdJoint* joint, const sdJointPoses* at,
                           sdJointRows* rows) {
    const sdBody* a = &world->bodies.data[joint->bodyA];
    const sdBody* b = &world->bodies.data[joint->bodyB];
    rows->rA = sdRotate(at->rotationA, sdSub(joint->def.frameA.p, a->localCenter));
    rows->rB = sdRotate(at->rotationB, sdSub(joint->def.frameB.p, b->localCenter));
    sdVec3 between = sdPos_Sub(at->centerB, at->centerA);
    rows->offset = sdAdd(between, sdSub(rows->rB, rows->rA));
}

static void measureAt(const sdWorld* world, const sdJoint* joint, const sdJointPoses* at,
                      sdJointRows* rows) {
    measureAnchors(world, joint, at, rows);
    rows->frame = sdMulQ(at->rotationA, joint->def.frameA.q);
    rows->relative =
        sdNormalizeQ(sdInvMulQ(rows->frame, sdMulQ(at->rotationB, joint->def.frameB.q)));
    if (rows->relative.s < 0.0f) {
        rows->relative = (sdQuat){sdNeg(rows->relative.v), -rows->relative.s};
    }
}

static sdJointPoses posesOf(const sdWorld* world, const sdJoint* joint) {
    const sdBody* a = &world->bodies.data[joint->bodyA];
    const sdBody* b = &world->bodies.data[joint->bodyB];
    return (sdJointPoses){a->center, b->center, a->rotation, b->rotation};
}

sdVec3 sdJoint_GetOffset(const sdWorld* world, const sdJoint* joint) {
    sdJointPoses poses = posesOf(world, joint);
    sdJointRows rows;
    measureAnchors(world, joint, &poses, &rows);
    return rows.offset;
}

static void measure(const sdWorld* world, const sdJoint* joint, sdJointRows* rows) {
    sdJointPoses poses = posesOf(world, joint);
    measureAt(world, joint, &poses, rows);
}

/// Rows that always hold come first.
static void sortLocks(sdJointRows* rows) {
    rows->lockCount = 0;
    for (int i = 0; i < rows->count; ++i) {
        sdJointRow row = rows->rows[i];
        if (!row.isLimit && !row.isSoft) {
            rows->rows[i] = rows->rows[rows->lockCount];
            rows->rows[rows->lockCount++] = row;
        }
    }
}

void sdJoint_BuildRowsAt(const sdWorld* world, const sdJoint* joint, const sdJointPoses* poses,
                         float h, sdJointRows* rows) {
    static void (*const builders[])(sdJointRows*, const sdJointDef*) = {
        [SD_JOINT_BALL] = sdJointRows_Ball,         [SD_JOINT_HINGE] = sdJointRows_Hinge,
        [SD_JOINT_SLIDER] = sdJointRows_Slider,     [SD_JOINT_FIXED] = sdJointRows_Fixed,
        [SD_JOINT_DISTANCE] = sdJointRows_Distance, [SD_JOINT_MOTOR] = sdJointRows_Motor,
        [SD_JOINT_SIX] = sdJointRows_Six,
    };
    rows->h = h;
    rows->hasBlock = false;
    rows->count = 0;
    if (joint->isPlain) {
        // the most frequent ones have no use for frames
        measureAnchors(world, joint, poses, rows);
        rows->hasBlock = true;
        rows->lockCount = 0;
        return;
    }
    measureAt(world, joint, poses, rows);
    builders[joint->def.type](rows, &joint->def);
    sortLocks(rows);
}

void sdJoint_BuildRows(const sdWorld* world, const sdJoint* joint, float h, sdJointRows* rows) {
    sdJointPoses poses = posesOf(world, joint);
    sdJoint_BuildRowsAt(world, joint, &poses, h, rows);
}

// ---- ask and change ------------------------------------------------------------------------

static const sdJoint* find(const sdWorld* world, sdJointId id) {
    return sdJoint_IsValid(world, id) ? &world->joints.data[sdId_Index(id)] : NULL;
}

bool sdJoint_IsValid(const sdWorld* world, sdJointId id) {
    return world != NULL && sdIdPool_IsLive(&world->jointPool, id);
}

const sdJointDef* sdJoint_GetDef(const sdWorld* world, sdJointId id) {
    const sdJoint* joint = find(world, id);
    return joint != NULL ? &joint->def : NULL;
}

sdResult sdJoint_SetAxis(sdWorld* world, sdJointId id, sdAxis axis, sdJointAxis settings) {
    sdResult result;
    sdJoint* joint = change(world, id, "sdJoint_SetAxis", &result);
    if (joint == NULL) {
        return result;
    }
    bool isUsers = (unsigned)axis < SD_AXIS_COUNT && (userAxes(joint->def.type) >> axis & 1) != 0;
    sdJointDef def = joint->def;
    if (isUsers) {
        def.axes[axis] = settings;
    }
    const char* fault = isUsers ? faultOf(world, &def) : "this kind of joint locks the axis";
    if (fault != NULL) {
        return sdFail(&world->context, SD_ERROR_INVALID_ARGUMENT, "sdJoint_SetAxis: %s", fault);
    }
    setDef(joint, &def);
    world->jointPlan = NULL;
    sdWorld_WakeBody(world, joint->bodyA);
    sdWorld_WakeBody(world, joint->bodyB);
    return SD_OK;
}

/// Place along or about an axis, and the direction that it is measured in.
static float placeOf(const sdWorld* world, const sdJoint* joint, sdAxis axis, sdJointRows* rows,
                     sdVec3* direction) {
    measure(world, joint, rows);
    if (joint->def.type == SD_JOINT_DISTANCE && axis == SD_AXIS_MOVE_X) {
        return sdJointRows_Length(rows, direction);
    }
    if (axis < SD_AXIS_TURN_X) {
        *direction = sdJointRows_Axis(rows, (int)axis);
        return sdDot(*direction, rows->offset);
    }
    return sdJointRows_Twist(rows, (int)axis - SD_AXIS_TURN_X, direction);
}

float sdJoint_GetPlace(const sdWorld* world, sdJointId id, sdAxis axis) {
    const sdJoint* joint = find(world, id);
    sdJointRows rows;
    sdVec3 direction;
    return joint != NULL && (unsigned)axis < SD_AXIS_COUNT
               ? placeOf(world, joint, axis, &rows, &direction)
               : 0.0f;
}

float sdJoint_GetSpeed(const sdWorld* world, sdJointId id, sdAxis axis) {
    const sdJoint* joint = find(world, id);
    if (joint == NULL || (unsigned)axis >= SD_AXIS_COUNT) {
        return 0.0f;
    }
    sdJointRows rows;
    sdVec3 d;
    placeOf(world, joint, axis, &rows, &d);
    const sdBody* a = &world->bodies.data[joint->bodyA];
    const sdBody* b = &world->bodies.data[joint->bodyB];
    if (axis >= SD_AXIS_TURN_X) {
        return sdDot(d, sdSub(b->angularVelocity, a->angularVelocity));
    }
    sdVec3 armA = sdAdd(rows.rA, rows.offset);
    sdVec3 va = sdAdd(a->velocity, sdCross(a->angularVelocity, armA));
    sdVec3 vb = sdAdd(b->velocity, sdCross(b->angularVelocity, rows.rB));
    return sdDot(d, sdSub(vb, va));
}

sdVec3 sdJoint_GetForce(const sdWorld* world, sdJointId id) {
    const sdJoint* joint = find(world, id);
    return joint != NULL ? joint->force : sdV3(0.0f, 0.0f, 0.0f);
}

sdVec3 sdJoint_GetTorque(const sdWorld* world, sdJointId id) {
    const sdJoint* joint = find(world, id);
    return joint != NULL ? joint->torque : sdV3(0.0f, 0.0f, 0.0f);
}

float sdJoint_GetError(const sdWorld* world, sdJointId id, float* angle) {
    const sdJoint* joint = find(world, id);
    float worstAngle = 0.0f, worst = 0.0f;
    if (joint != NULL) {
        sdJointRows rows;
        sdJoint_BuildRows(world, joint, 1.0f, &rows);
        worst = rows.hasBlock ? sdLength(rows.offset) : 0.0f;
        for (int i = 0; i < rows.count; ++i) {
            const sdJointRow* row = &rows.rows[i];
            float error = row->isSoft ? 0.0f : row->isLimit ? -row->error : sdAbsF(row->error);
            bool isAngle = row->kind == SD_ROW_TURN || row->kind == SD_ROW_CONE;
            worstAngle = isAngle ? sdMaxF(worstAngle, error) : worstAngle;
            worst = isAngle ? worst : sdMaxF(worst, error);
        }
    }
    if (angle != NULL) {
        *angle = worstAngle;
    }
    return worst;
}

int sdBody_GetJoints(const sdWorld* world, sdBodyId id, sdJointId* out, int capacity) {
    const sdBody* body = sdWorld_FindBody(world, id);
    int count = 0;
    for (int edge = body != NULL ? body->firstJoint : SD_NULL_INDEX; edge != SD_NULL_INDEX;
         edge = world->joints.data[edge >> 1].next[edge & 1]) {
        if (count < capacity && out != NULL) {
            out[count] = sdIdPool_GetId(&world->jointPool, edge >> 1);
        }
        count += 1;
    }
    return count;
}

int sdWorld_GetJoints(const sdWorld* world, sdJointId* out, int capacity) {
    int count = 0;
    for (int i = 0; world != NULL && i < world->joints.count; ++i) {
        sdJointId id = sdIdPool_GetId(&world->jointPool, i);
        if (id != SD_NULL_ID) {
            if (count < capacity && out != NULL) {
                out[count] = id;
            }
            count += 1;
        }
    }
    return count;
}

const sdJointId* sdWorld_GetBrokenJoints(const sdWorld* world, int* count) {
    *count = world != NULL ? world->broken.count : 0;
    return world != NULL ? (const sdJointId*)world->broken.data : NULL;
}
