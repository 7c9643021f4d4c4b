// SPDX-License-Identifier: MIT
// world_calls.c - bytes as calls that build and change a world. See world.h.

#include "world.h"

#include <float.h>
#include <string.h>

// ---- ids -----------------------------------------------------------------------------------

static void addId(FuzzIds* ids, uint32_t id) {
    ids->ids[ids->next] = id;
    ids->next = (ids->next + 1) % FUZZ_MAX_IDS;
    ids->count = sdMinI(ids->count + 1, FUZZ_MAX_IDS);
}

/// Mostly one that there was; seldom one made up.
static uint32_t readId(FuzzInput* in, const FuzzIds* ids) {
    int choice = FuzzInput_Byte(in);
    if (choice >= 250 || ids->count == 0) {
        return choice % 2 == 0 ? 0u : FuzzInput_Word(in);
    }
    return ids->ids[choice % ids->count];
}

sdBodyId FuzzWorld_ReadBody(FuzzWorld* w) {
    return readId(&w->in, &w->bodies);
}

sdShapeId FuzzWorld_ReadShape(FuzzWorld* w) {
    return readId(&w->in, &w->shapes);
}

sdJointId FuzzWorld_ReadJoint(FuzzWorld* w) {
    return readId(&w->in, &w->joints);
}

void FuzzWorld_Note(FuzzWorld* w, sdResult result, uint64_t before) {
    CHECK(result >= SD_OK && result < SD_RESULT_COUNT);
    CHECK(result != SD_ERROR_OUT_OF_MEMORY);
    CHECK(result == SD_OK || sdWorld_GetHash(w->world) == before);
    w->hash = FuzzHash_Int(w->hash, result);
}

// ---- settings ------------------------------------------------------------------------------

static void readImpulse(FuzzInput* in, sdImpulseDef* def) {
    def->order = (sdImpulseOrder)FuzzInput_Int(in, SD_ORDER_COUNT);
    def->detection = (sdImpulseDetection)FuzzInput_Int(in, SD_DETECT_COUNT);
    def->motion = (sdImpulseMotion)FuzzInput_Int(in, SD_MOTION_COUNT);
    def->joints = (sdImpulseJointing)FuzzInput_Int(in, SD_JOINTING_COUNT);
    def->collisionPassCount = FuzzInput_Int(in, 8);
    def->contactPassCount = FuzzInput_Int(in, 12);
    def->jointPassCount = FuzzInput_Int(in, 12);
    def->jointTolerance = FuzzInput_Size(in, 1e-4f);
    def->seed = FuzzInput_Byte(in);
    def->enableShock = FuzzInput_Bool(in);
}

static void readSettings(FuzzInput* in, sdWorldDef* def) {
    int what = FuzzInput_Byte(in);
    def->solver = (what & 1) ? SD_SOLVER_IMPULSE : SD_SOLVER_SOFT;
    def->narrowphase =
        (what & 128) ? (sdNarrowphase)(what / 2 % SD_NARROWPHASE_COUNT) : SD_NARROWPHASE_AUTO;
    if (what & 2) {
        def->gravity = FuzzInput_Vec3(in, 20.0f);
    }
    if (what & 4) {
        // the most that is allowed would take long
        def->subStepCount = FuzzInput_Int(in, 10);
        def->jointSubStepCount = FuzzInput_Int(in, 10);
        def->maxPartCount = FuzzInput_Int(in, 4);
        def->integrator = (sdIntegrator)FuzzInput_Int(in, SD_INTEGRATOR_COUNT + 1);
    }
    if (what & 8) {
        def->combineFriction = (sdCombine)FuzzInput_Int(in, SD_COMBINE_COUNT);
        def->combineRestitution = (sdCombine)FuzzInput_Int(in, SD_COMBINE_COUNT);
        def->slop = FuzzInput_Size(in, 5e-4f);
        def->pushRate = FuzzInput_Size(in, 10.0f);
        def->maxPushSpeed = FuzzInput_Size(in, 3.0f);
    }
    if (what & 16) {
        readImpulse(in, &def->impulse);
    }
    if (what & 32) {
        def->enableContinuous = FuzzInput_Bool(in);
        def->enableDirect = FuzzInput_Bool(in);
        def->hitSpeed = FuzzInput_Size(in, 3.0f);
        def->enableSleep = FuzzInput_Bool(in);
        def->sleepSpeed = FuzzInput_Size(in, 0.3f);
        def->sleepTime = FuzzInput_Float(in, 0.0f, 0.2f);
    }
    if (what & 64) {
        def->broadphase.kind = (sdBroadphaseKind)FuzzInput_Int(in, SD_BROADPHASE_KIND_COUNT);
    }
}

void FuzzWorld_Create(FuzzWorld* w) {
    sdWorldDef def = sdWorldDef_Default();
    readSettings(&w->in, &def);
    if (sdWorld_Create(&w->context, &def, &w->world) != SD_OK) {
        CHECK(w->world == NULL);
        CHECK_INT(sdWorld_Create(&w->context, NULL, &w->world), SD_OK);
    }
    CHECK_INT(sdSnapshot_Create(&w->context, &w->snapshot), SD_OK);
    CHECK_INT(sdHistory_Create(&w->context, 4, &w->history), SD_OK);
}

void FuzzWorld_Destroy(FuzzWorld* w) {
    sdHistory_Destroy(w->history);
    sdSnapshot_Destroy(w->snapshot);
    sdWorld_Destroy(w->world);
}

static void setSettings(FuzzWorld* w) {
    sdWorldDef def = sdWorld_GetDef(w->world);
    readSettings(&w->in, &def);
    uint64_t before = sdWorld_GetHash(w->world);
    FuzzWorld_Note(w, sdWorld_SetDef(w->world, &def), before);
}

// ---- bodies --------------------------------------------------------------------------------

static void addShape(FuzzWorld* w, sdBodyId body) {
    sdShapeDef def = FuzzWorld_ReadShapeDef(&w->in);
    if (sdWorld_GetStats(w->world).shapeCount >= FUZZ_MAX_SHAPES) {
        return;
    }
    uint64_t before = sdWorld_GetHash(w->world);
    sdShapeId shape = SD_NULL_SHAPE;
    sdResult result = sdBody_AddShape(w->world, body, &def, &shape);
    FuzzWorld_Note(w, result, before);
    CHECK((result == SD_OK) == (shape != SD_NULL_SHAPE));
    if (result == SD_OK) {
        CHECK(sdShapeId_GetBody(w->world, shape) == body);
        addId(&w->shapes, shape);
    }
}

static void createBody(FuzzWorld* w) {
    FuzzInput* in = &w->in;
    sdBodyDef def = sdBodyDef_Default();
    int what = FuzzInput_Byte(in);
    def.type = (what & 3) == 0   ? SD_BODY_STATIC
               : (what & 3) == 1 ? SD_BODY_KINEMATIC
                                 : SD_BODY_DYNAMIC;
    def.position = FuzzInput_Pos(in, 3.0);
    if (what & 4) {
        def.rotation = FuzzInput_Quat(in);
    }
    if (what & 8) {
        def.velocity = FuzzInput_Vec3(in, 30.0f);
        def.angularVelocity = FuzzInput_Vec3(in, 30.0f);
    }
    if (what & 16) {
        def.linearDamping = FuzzInput_Float(in, 0.0f, 2.0f);
        def.angularDamping = FuzzInput_Float(in, 0.0f, 2.0f);
        def.gravityScale = FuzzInput_Float(in, -1.0f, 2.0f);
        def.locks = FuzzInput_Byte(in) & SD_LOCK_ALL;
    }
    def.isBullet = (what & 96) == 96;
    def.isAwake = (what & 144) != 144;
    if (sdWorld_GetStats(w->world).bodyCount >= FUZZ_MAX_BODIES) {
        return;
    }
    uint64_t before = sdWorld_GetHash(w->world);
    sdBodyId body = SD_NULL_BODY;
    sdResult result = sdBody_Create(w->world, &def, &body);
    FuzzWorld_Note(w, result, before);
    CHECK((result == SD_OK) == sdBody_IsValid(w->world, body));
    if (result == SD_OK) {
        addId(&w->bodies, body);
        addShape(w, body);
    }
}

static void destroySomething(FuzzWorld* w) {
    uint64_t before = sdWorld_GetHash(w->world);
    int what = FuzzInput_Int(&w->in, 3);
    if (what == 0) {
        sdBodyId body = FuzzWorld_ReadBody(w);
        FuzzWorld_Note(w, sdBody_Destroy(w->world, body), before);
        CHECK(!sdBody_IsValid(w->world, body));
    } else if (what == 1) {
        sdShapeId shape = FuzzWorld_ReadShape(w);
        FuzzWorld_Note(w, sdShapeId_Remove(w->world, shape), before);
        CHECK(!sdShapeId_IsValid(w->world, shape));
    } else {
        sdJointId joint = FuzzWorld_ReadJoint(w);
        FuzzWorld_Note(w, sdJoint_Destroy(w->world, joint), before);
        CHECK(!sdJoint_IsValid(w->world, joint));
    }
}

static void moveBody(FuzzWorld* w) {
    FuzzInput* in = &w->in;
    sdBodyId body = FuzzWorld_ReadBody(w);
    uint64_t before = sdWorld_GetHash(w->world);
    sdResult result;
    switch (FuzzInput_Int(in, 7)) {
        case 0: {
            sdPos p = FuzzInput_Pos(in, 4.0);
            result = sdBody_SetTransform(w->world, body, p, FuzzInput_Quat(in));
            break;
        }
        case 1: {
            sdVec3 v = FuzzInput_Vec3(in, 50.0f);
            result = sdBody_SetVelocity(w->world, body, v, FuzzInput_Vec3(in, 50.0f));
            break;
        }
        case 2: {
            sdVec3 force = FuzzInput_Vec3(in, 1e4f);
            result = sdBody_ApplyForce(w->world, body, force, FuzzInput_Pos(in, 4.0));
            break;
        }
        case 3:
            result = sdBody_ApplyForceToCenter(w->world, body, FuzzInput_Vec3(in, 1e4f));
            break;
        case 4:
            result = sdBody_ApplyTorque(w->world, body, FuzzInput_Vec3(in, 1e3f));
            break;
        case 5: {
            sdVec3 impulse = FuzzInput_Vec3(in, 1e3f);
            result = sdBody_ApplyImpulse(w->world, body, impulse, FuzzInput_Pos(in, 4.0));
            break;
        }
        default:
            result = sdBody_ApplyAngularImpulse(w->world, body, FuzzInput_Vec3(in, 1e2f));
    }
    FuzzWorld_Note(w, result, before);
}

static sdMassProps readMass(FuzzInput* in) {
    sdMassProps mass;
    memset(&mass, 0, sizeof mass);
    mass.mass = FuzzInput_Size(in, 10.0f);
    mass.center = FuzzInput_Vec3(in, 0.3f);
    float x = FuzzInput_Size(in, 1.0f), y = FuzzInput_Bool(in) ? x : FuzzInput_Size(in, 1.0f);
    mass.inertia = sdMat33_Diagonal(x, y, y);
    return mass;
}

static void changeBody(FuzzWorld* w) {
    FuzzInput* in = &w->in;
    sdBodyId body = FuzzWorld_ReadBody(w);
    uint64_t before = sdWorld_GetHash(w->world);
    sdResult result;
    switch (FuzzInput_Int(in, 10)) {
        case 0:
            result = sdBody_SetType(w->world, body, (sdBodyType)FuzzInput_Int(in, 4));
            break;
        case 1:
            result = sdBody_SetMass(w->world, body, readMass(in));
            break;
        case 2:
            result = sdBody_ResetMass(w->world, body);
            break;
        case 3:
            result = sdBody_SetAwake(w->world, body, FuzzInput_Bool(in));
            break;
        case 4:
            result = sdBody_EnableSleep(w->world, body, FuzzInput_Bool(in));
            break;
        case 5:
            result = sdBody_SetEnabled(w->world, body, FuzzInput_Int(in, 3) == 0);
            break;
        case 6:
            result = sdBody_SetBullet(w->world, body, FuzzInput_Bool(in));
            break;
        case 7:
            result = sdBody_SetLocks(w->world, body, FuzzInput_Byte(in));
            break;
        case 8: {
            float linear = FuzzInput_Float(in, 0.0f, 5.0f);
            result = sdBody_SetDamping(w->world, body, linear, FuzzInput_Float(in, 0.0f, 5.0f));
            break;
        }
        default:
            result = sdBody_SetGravityScale(w->world, body, FuzzInput_Float(in, -2.0f, 2.0f));
    }
    FuzzWorld_Note(w, result, before);
}

static void changeShape(FuzzWorld* w) {
    sdShapeId shape = FuzzWorld_ReadShape(w);
    sdShapeDef def = FuzzWorld_ReadShapeDef(&w->in);
    uint64_t before = sdWorld_GetHash(w->world);
    FuzzWorld_Note(w,
                   FuzzInput_Bool(&w->in) ? sdShapeId_SetMaterial(w->world, shape, def.material)
                                          : sdShapeId_SetFilter(w->world, shape, def.filter),
                   before);
}

// ---- joints --------------------------------------------------------------------------------

static sdJointAxis readAxis(FuzzInput* in) {
    sdJointAxis axis = {.mode = (sdAxisMode)FuzzInput_Int(in, 3), .maxForce = FLT_MAX};
    axis.lower = FuzzInput_Float(in, -2.0f, 0.5f);
    axis.upper = FuzzInput_Float(in, -0.5f, 2.0f);
    axis.drive = (sdDriveKind)FuzzInput_Int(in, 4);
    axis.target = FuzzInput_Float(in, -3.0f, 3.0f);
    axis.maxForce = FuzzInput_Bool(in) ? FLT_MAX : FuzzInput_Size(in, 100.0f);
    axis.frequency = FuzzInput_Size(in, 5.0f);
    axis.dampingRatio = FuzzInput_Float(in, 0.0f, 2.0f);
    return axis;
}

static void createJoint(FuzzWorld* w) {
    FuzzInput* in = &w->in;
    sdBodyId a = FuzzWorld_ReadBody(w), b = FuzzWorld_ReadBody(w);
    sdJointDef def = sdJointDef_Make((sdJointType)FuzzInput_Int(in, SD_JOINT_TYPE_COUNT), a, b);
    int what = FuzzInput_Byte(in);
    if (what & 1) {
        sdPos anchor = FuzzInput_Pos(in, 3.0);
        w->hash = FuzzHash_Int(w->hash,
                               sdJointDef_Place(w->world, &def, anchor, FuzzInput_Vec3(in, 1.0f)));
    } else {
        def.frameA = FuzzInput_Transform(in, 1.0f);
        def.frameB = FuzzInput_Transform(in, 1.0f);
    }
    for (int i = 0; i < SD_AXIS_COUNT; ++i) {
        // most kinds lock some of them and refuse
        if ((what & 2) && FuzzInput_Int(in, 3) == 0 && def.axes[i].mode != SD_AXIS_LOCKED) {
            def.axes[i] = readAxis(in);
        }
    }
    if (what & 4) {
        def.coneAngle = FuzzInput_Float(in, 0.0f, 3.2f);
    }
    if (what & 8) {
        def.maxForce = FuzzInput_Size(in, 1000.0f);
        def.maxTorque = FuzzInput_Size(in, 1000.0f);
    }
    def.collideConnected = (what & 16) != 0;
    if (sdWorld_GetStats(w->world).jointCount >= FUZZ_MAX_JOINTS) {
        return;
    }
    uint64_t before = sdWorld_GetHash(w->world);
    sdJointId joint = SD_NULL_JOINT;
    sdResult result = sdJoint_Create(w->world, &def, &joint);
    FuzzWorld_Note(w, result, before);
    CHECK((result == SD_OK) == sdJoint_IsValid(w->world, joint));
    if (result == SD_OK) {
        addId(&w->joints, joint);
    }
}

static void changeJoint(FuzzWorld* w) {
    sdJointId joint = FuzzWorld_ReadJoint(w);
    sdAxis axis = (sdAxis)FuzzInput_Int(&w->in, SD_AXIS_COUNT + 1);
    sdJointAxis settings = readAxis(&w->in);
    uint64_t before = sdWorld_GetHash(w->world);
    FuzzWorld_Note(w, sdJoint_SetAxis(w->world, joint, axis, settings), before);
}

// ---- all calls -----------------------------------------------------------------------------

typedef void CallFcn(FuzzWorld* w);

static void addShapeSomewhere(FuzzWorld* w) {
    addShape(w, FuzzWorld_ReadBody(w));
}

void FuzzWorld_Call(FuzzWorld* w) {
    static CallFcn* const calls[] = {createBody,         createBody,
                                     createBody,         createBody,
                                     createJoint,        createJoint,
                                     FuzzWorld_Step,     FuzzWorld_Step,
                                     FuzzWorld_Step,     FuzzWorld_Step,
                                     destroySomething,   moveBody,
                                     moveBody,           changeBody,
                                     changeBody,         changeShape,
                                     changeJoint,        setSettings,
                                     addShapeSomewhere,  FuzzWorld_Ask,
                                     FuzzWorld_Ask,      FuzzWorld_SaveOrRestore,
                                     FuzzWorld_StepTwice};
    calls[FuzzInput_Int(&w->in, (int)(sizeof calls / sizeof calls[0]))](w);
}
