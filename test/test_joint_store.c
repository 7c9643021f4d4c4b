// SPDX-License-Identifier: MIT
// test_joint_store.c - what joints have given, in lanes, against their rows one by one.

#include "dynamics/solver_joint.h"
#include "support.h"

#include <string.h>

enum { MAX_ROWS = 4 };

/// Eight joints with some rows each.
typedef struct Sample {
    sdJointRow rows[SD_LANES][MAX_ROWS];
    float impulses[SD_LANES][MAX_ROWS];
    int counts[SD_LANES];
    sdJointBatch* batch;
} Sample;

/// As the joint's rows say: the definition.
static void findByRows(const Sample* sample, int lane, float h, sdVec3* force, sdVec3* torque) {
    const sdVec3x8* block = &sample->batch->impulse;
    *force = sdV3(block->x[lane], block->y[lane], block->z[lane]);
    *torque = sdV3(0.0f, 0.0f, 0.0f);
    for (int i = 0; i < sample->counts[lane]; ++i) {
        const sdJointRow* row = &sample->rows[lane][i];
        bool isCone = row->kind == SD_ROW_CONE;
        sdVec3 axis = isCone ? sdScale(row->scale, sdCross(row->other, row->axis)) : row->axis;
        sdVec3 impulse = sdScale(sample->impulses[lane][i], axis);
        sdVec3* to = row->kind == SD_ROW_TURN || isCone ? torque : force;
        *to = sdAdd(*to, impulse);
    }
    *force = sdScale(1.0f / h, *force);
    *torque = sdScale(1.0f / h, *torque);
}

static sdJointRow randomRow(TestRandom* random) {
    return (sdJointRow){
        .axis = TestRandom_OnSphere(random),
        .other = TestRandom_OnSphere(random),
        .scale = TestRandom_Float(random, 1.0f, 4.0f),
        .lower = -FLT_MAX,
        .upper = FLT_MAX,
        .kind = (sdRowKind)TestRandom_Int(random, 4),
    };
}

/// Rows, in lanes and as they are. Some impulses are zeros of either sign.
static void fill(Sample* sample, TestRandom* random) {
    static const int flags[] = {[SD_ROW_TURN] = SD_ROW_IS_USED,
                                [SD_ROW_MOVE] = SD_ROW_IS_USED | SD_ROW_IS_MOVE,
                                [SD_ROW_LINE] = SD_ROW_IS_USED | SD_ROW_IS_MOVE | SD_ROW_IS_LINE,
                                [SD_ROW_CONE] = SD_ROW_IS_USED | SD_ROW_IS_CONE};
    static const sdJointRow noRow;
    sdJointBatch* batch = sample->batch;
    for (int lane = 0; lane < SD_LANES; ++lane) {
        sample->counts[lane] = TestRandom_Int(random, batch->rowCount + 1);
        sdVec3 block = TestRandom_InBox(random, 10.0f);
        block.y = lane % 3 == 0 ? -0.0f : block.y;
        sdVec3x8_SetLane(&batch->impulse, lane, block);
        for (int i = 0; i < MAX_ROWS; ++i) {
            sample->rows[lane][i] = randomRow(random);
            float impulse = TestRandom_Float(random, -5.0f, 5.0f);
            sample->impulses[lane][i] = (lane + i) % 4 == 0 ? -0.0f : impulse;
        }
    }
    for (int i = 0; i < batch->rowCount; ++i) {
        sdRowSources from = {.impulseScale = 1.0f};
        for (int lane = 0; lane < SD_LANES; ++lane) {
            bool isThere = i < sample->counts[lane];
            const sdJointRow* row = isThere ? &sample->rows[lane][i] : &noRow;
            from.numbers[lane] = &row->axis.x;
            from.impulses[lane] = isThere ? sample->impulses[lane][i] : 0.0f;
            from.flags[lane] = isThere ? flags[row->kind] : 0;
        }
        SD_DISPATCH(sdJointRow8_Load)(&batch->rows[i], &from, &batch->offset);
    }
}

static bool isSame(sdVec3 v, float lanes[3][SD_LANES], int lane) {
    sdVec3 other = {lanes[0][lane], lanes[1][lane], lanes[2][lane]};
    return memcmp(&v, &other, sizeof v) == 0;
}

/// To the last bit, signs of zeros included: joints that are swept and joints of trees must not
/// differ, nor one kind of processor from another.
SD_TEST(joint_forces_in_lanes_are_those_of_the_rows) {
    TestRandom random = TestRandom_Make(71);
    Sample sample;
    sdAllocator allocator = sdContext_Default().allocator;
    size_t size = sdJointBatch_SizeOf(MAX_ROWS);
    sample.batch = sdAlloc(&allocator, size);
    const float h = 1.0f / 240.0f;
    for (int round = 0; round < 200 && CHECK(sample.batch != NULL); ++round) {
        sdJointBatch_Clear(sample.batch, round % (MAX_ROWS + 1));
        fill(&sample, &random);
        sdJointForces found;
        SD_DISPATCH(sdJointBatch_FindForces)(sample.batch, h, &found);
        for (int lane = 0; lane < SD_LANES; ++lane) {
            sdVec3 force, torque;
            findByRows(&sample, lane, h, &force, &torque);
            CHECK(isSame(force, found.force, lane));
            CHECK(isSame(torque, found.torque, lane));
            CHECK(sdIsFinite(found.sum[lane]));
        }
    }
    sdFree(&allocator, sample.batch, size);
}

/// An impulse that is none, anywhere in a joint, is seen in its lane alone.
SD_TEST(joint_forces_in_lanes_tell_what_is_not_finite) {
    TestRandom random = TestRandom_Make(72);
    Sample sample;
    sdAllocator allocator = sdContext_Default().allocator;
    size_t size = sdJointBatch_SizeOf(MAX_ROWS);
    sample.batch = sdAlloc(&allocator, size);
    for (int lane = 0; lane < SD_LANES && CHECK(sample.batch != NULL); ++lane) {
        sdJointBatch_Clear(sample.batch, MAX_ROWS);
        fill(&sample, &random);
        bool isInRow = lane % 2 == 0 && sample.counts[lane] > 0;
        float* at = isInRow ? (float*)(void*)&sample.batch->rows[0].impulse
                            : (float*)(void*)&sample.batch->impulse.z;
        at[lane] = lane < 4 ? NAN : INFINITY;
        sdJointForces found;
        SD_DISPATCH(sdJointBatch_FindForces)(sample.batch, 0.01f, &found);
        for (int i = 0; i < SD_LANES; ++i) {
            CHECK(sdIsFinite(found.sum[i]) == (i != lane));
        }
    }
    sdFree(&allocator, sample.batch, size);
}
