// SPDX-License-Identifier: MIT
// test_joint_limbs.c - rows of eight limbs at once, against those of joints one by one.

#include "dynamics/joint.h"
#include "dynamics/solver_joint.h"
#include "support.h"

#include <string.h>

enum { MAX_ROWS = 3, ROUNDS = 400 };

/// Eight joints of a kind between bodies anywhere, as a world has them.
typedef struct Sample {
    sdWorld world;
    sdBody bodies[2 * SD_LANES];
    sdJoint joints[SD_LANES];
    bool isHinge;
} Sample;

static sdTransform randomFrame(TestRandom* random) {
    return sdTransform_Make(TestRandom_InBox(random, 0.5f), TestRandom_Rotation(random));
}

/// A turn of B's frame in A's: small, large, or exactly none.
static sdQuat randomTurn(TestRandom* random) {
    sdQuat any = TestRandom_Rotation(random), none = sdQuat_Identity();
    float share = TestRandom_Float(random, 0.0f, 1.0f);
    int kind = TestRandom_Int(random, 4);
    sdQuat near = {sdScale(0.2f * share, any.v), 1.0f};
    return kind == 0 ? any : kind == 1 ? none : sdNormalizeQ(near);
}

/// Some impulses are kept with one sign, some with the other, some are none.
static void setJoint(sdJoint* joint, TestRandom* random, bool isHinge) {
    sdJointDef* def = &joint->def;
    def->type = isHinge ? SD_JOINT_HINGE : SD_JOINT_BALL;
    def->frameA = randomFrame(random);
    def->frameB = randomFrame(random);
    float a = TestRandom_Float(random, -3.1f, 3.1f), b = TestRandom_Float(random, -3.1f, 3.1f);
    def->axes[SD_AXIS_TURN_X] =
        (sdJointAxis){.mode = SD_AXIS_LIMITED, .lower = sdMinF(a, b), .upper = sdMaxF(a, b)};
    def->coneAngle = isHinge ? 0.0f : TestRandom_Float(random, 0.0f, 3.1f);
    joint->cone = sdJointCone_Make(def->coneAngle);
    joint->blockImpulse = TestRandom_InBox(random, 3.0f);
    for (int i = 0; i < SD_JOINT_MAX_ROWS; ++i) {
        bool isNone = TestRandom_Int(random, 3) == 0;
        joint->impulses[i] = isNone ? 0.0f : TestRandom_Float(random, -2.0f, 2.0f);
    }
}

static void fill(Sample* sample, TestRandom* random, bool isHinge) {
    memset(sample, 0, sizeof *sample);
    sample->isHinge = isHinge;
    sample->world.bodies.data = sample->bodies;
    for (int i = 0; i < SD_LANES; ++i) {
        sdBody *a = &sample->bodies[2 * i], *b = a + 1;
        sdJoint* joint = &sample->joints[i];
        setJoint(joint, random, isHinge);
        joint->bodyA = 2 * i;
        joint->bodyB = 2 * i + 1;
        a->rotation = TestRandom_Rotation(random);
        // as far apart as joints hold them, or not
        sdQuat frame = sdMulQ(a->rotation, joint->def.frameA.q);
        sdQuat other = sdMulQ(frame, randomTurn(random));
        b->rotation = sdNormalizeQ(sdMulQ(other, sdConjugate(joint->def.frameB.q)));
        a->localCenter = TestRandom_InBox(random, 0.1f);
        b->localCenter = TestRandom_InBox(random, 0.1f);
        sdVec3 between = TestRandom_InBox(random, 1.0f);
        a->center = sdPos_Make(1000.0, -2.0, 30.0);
        b->center = sdPos_Add(a->center, between);
    }
}

/// By the rows of each joint: as they are defined.
static void loadByRows(const Sample* sample, float h, float impulseScale, sdJointBatch* batch) {
    static const int kinds[] = {
        [SD_ROW_TURN] = SD_ROW_IS_USED, [SD_ROW_CONE] = SD_ROW_IS_USED | SD_ROW_IS_CONE};
    sdJointRows rows[SD_LANES];
    sdJointSources from = {.impulseScale = impulseScale};
    for (int i = 0; i < SD_LANES; ++i) {
        const sdJoint* joint = &sample->joints[i];
        sdJoint_BuildRows(&sample->world, joint, h, &rows[i]);
        from.arms[i] = &rows[i].rA.x;
        from.impulses[i] = &joint->blockImpulse.x;
        from.hasBlock[i] = 1.0f;
    }
    SD_DISPATCH(sdJointBatch_LoadArms)(batch, &from);
    for (int r = 0; r < batch->rowCount; ++r) {
        sdRowSources sources = {.impulseScale = impulseScale};
        for (int i = 0; i < SD_LANES; ++i) {
            const sdJointRow* row = &rows[i].rows[r];
            sources.numbers[i] = &row->axis.x;
            sources.impulses[i] = sample->joints[i].impulses[row->slot];
            sources.flags[i] = kinds[row->kind] | (row->isLimit ? SD_ROW_IS_LIMIT : 0) |
                               (row->isUpper ? SD_ROW_IS_UPPER : 0);
            batch->rows[r].slots[i] = (int8_t)(row->slot | (row->isUpper ? SD_ROW_KEPT_TURNED : 0));
        }
        SD_DISPATCH(sdJointRow8_Load)(&batch->rows[r], &sources, &batch->offset);
    }
}

static sdLimbSources sourcesOf(const Sample* sample, float h, float impulseScale) {
    sdLimbSources from = {.h = h,
                          .impulseScale = impulseScale,
                          .rigid = sdSoftness_Rigid(h),
                          .isHinge = sample->isHinge};
    for (int i = 0; i < SD_LANES; ++i) {
        from.joints[i] = &sample->joints[i];
        from.bodiesA[i] = &sample->bodies[2 * i];
        from.bodiesB[i] = &sample->bodies[2 * i + 1];
        sdVec3 between = sdPos_Sub(from.bodiesB[i]->center, from.bodiesA[i]->center);
        from.between[0][i] = between.x;
        from.between[1][i] = between.y;
        from.between[2][i] = between.z;
    }
    return from;
}

static sdJointBatch* makeBatch(const sdAllocator* allocator, int rowCount) {
    size_t size = sdJointBatch_SizeOf(MAX_ROWS);
    sdJointBatch* batch = sdAlloc(allocator, size);
    if (batch != NULL) {
        memset(batch, 0, size);
        sdJointBatch_Clear(batch, rowCount);
    }
    return batch;
}

/// Joints of both kinds, inside of their limits and far outside: batches are the same to the last
/// bit, and so they are at both levels of instructions.
SD_TEST(joint_limbs_in_lanes_have_the_rows_of_joints) {
    TestRandom random = TestRandom_Make(81);
    sdAllocator allocator = sdContext_Default().allocator;
    static Sample sample;
    int leftCount = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        bool isHinge = round % 2 == 0;
        int rowCount = isHinge ? 3 : 2;
        size_t size = sdJointBatch_SizeOf(MAX_ROWS);
        sdJointBatch* expected = makeBatch(&allocator, rowCount);
        sdJointBatch* found = makeBatch(&allocator, rowCount);
        if (!CHECK(expected != NULL && found != NULL)) {
            sdFree(&allocator, expected, size);
            sdFree(&allocator, found, size);
            return;
        }
        fill(&sample, &random, isHinge);
        sdLimbSources from = sourcesOf(&sample, 1.0f / 240.0f, 0.5f);
        loadByRows(&sample, from.h, from.impulseScale, expected);
        SD_DISPATCH(sdJointBatch_LoadLimbs)(found, &from);
        CHECK(memcmp(expected, found, size) == 0);
        for (int i = 0; i < SD_LANES && !isHinge; ++i) {
            leftCount += expected->rows[1].isCone[i] == 0.0f ? 1 : 0;
        }
        sdJointBatch_LoadLimbs_base(found, &from);
        CHECK(memcmp(expected, found, size) == 0);
        sdFree(&allocator, expected, size);
        sdFree(&allocator, found, size);
    }
    // some have left their cones so far that they turn back
    CHECK(leftCount > ROUNDS / 4);
}
