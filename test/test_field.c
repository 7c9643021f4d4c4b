// SPDX-License-Identifier: MIT
// test_field.c - sampling of fields, and their grid, against bodies whose distance is a formula.

#include "field_shapes.h"
#include "support.h"

#include <string.h>

static bool sameBits(const void* a, const void* b, size_t size) {
    return memcmp(a, b, size) == 0;
}

/// Inside, outside, on grid points, far, infinite and not a number.
static int makePoints(const sdField* field, sdVec3* points, int capacity) {
    TestRandom random = TestRandom_Make(5);
    float nan = TestNaN(), inf = TestInfinity();
    const sdVec3 special[] = {{nan, 0.0f, 0.0f},  {0.0f, nan, nan},       {inf, 0.0f, 0.0f},
                              {-inf, inf, nan},   {1e30f, 0.0f, 0.0f},    {FLT_MAX, -FLT_MAX, 0.0f},
                              {0.0f, 0.0f, 0.0f}, {-0.0f, 1e-30f, 1e-45f}};
    int count = 0;
    for (size_t i = 0; i < sizeof special / sizeof special[0]; ++i) {
        points[count++] = special[i];
    }
    const int* cells = field->grid.cells;
    for (; count < capacity; ++count) {
        if (count % 4 == 0) {
            points[count] = sdFieldGrid_Point(&field->grid, TestRandom_Int(&random, cells[0] + 1),
                                              TestRandom_Int(&random, cells[1] + 1),
                                              TestRandom_Int(&random, cells[2] + 1));
        } else {
            points[count] = TestRandom_InBox(&random, count % 8 < 6 ? 0.55f : 2.0f);
        }
    }
    return count;
}

SD_TEST(field_one_and_many_samples_are_the_same_bits) {
    enum { COUNT = 4099 };
    static sdVec3 points[COUNT], gradients[COUNT];
    static float distances[COUNT], alone[COUNT];
    for (int layout = SD_FIELD_SPARSE; layout <= SD_FIELD_DENSE; ++layout) {
        for (int shape = 0; shape < FIELD_SHAPE_COUNT; ++shape) {
            sdField* field = FieldShape_Build(NULL, (FieldShape)shape, 24, (sdFieldLayout)layout);
            REQUIRE(field != NULL);
            int count = makePoints(field, points, COUNT);
            int wrong = 0;
            for (int level = 0; level < 2; ++level) {
#if defined(SD_HAVE_AVX2_KERNELS)
                if (level == 1 && sdSimd_HasAvx2()) {
                    sdField_SampleKernel_avx2(field, points, count, distances, gradients);
                    sdField_SampleKernel_avx2(field, points, count, alone, NULL);
                } else
#endif
                {
                    sdField_SampleKernel_base(field, points, count, distances, gradients);
                    sdField_SampleKernel_base(field, points, count, alone, NULL);
                }
                for (int i = 0; i < count; ++i) {
                    sdVec3 g;
                    float d = sdField_SampleGradient(field, points[i], &g);
                    float e = sdField_Sample(field, points[i]);
                    bool isFinite = sdIsFinite(d) && sdVec3_IsFinite(g);
                    wrong += isFinite && sameBits(&d, distances + i, sizeof d) &&
                                     sameBits(&d, &e, sizeof d) &&
                                     sameBits(&d, alone + i, sizeof d) &&
                                     sameBits(&g, gradients + i, sizeof g)
                                 ? 0
                                 : 1;
                }
            }
            CHECK_INT(wrong, 0);
            sdField_Release(field);
        }
    }
}

SD_TEST(field_many_samples_of_any_count) {
    sdField* field = FieldShape_Build(NULL, FIELD_TORUS, 16, SD_FIELD_SPARSE);
    REQUIRE(field != NULL);
    sdVec3 points[24], gradients[25];
    float distances[25];
    makePoints(field, points, 24);
    for (int count = 0; count <= 24; ++count) {
        for (int i = 0; i < 25; ++i) {
            distances[i] = -99.0f;
            gradients[i] = sdV3(-99.0f, -99.0f, -99.0f);
        }
        sdField_SampleMany(field, points, count, distances, gradients);
        // nothing is written behind the end
        CHECK(distances[count] == -99.0f && gradients[count].x == -99.0f);
        for (int i = 0; i < count; ++i) {
            CHECK(distances[i] == sdField_Sample(field, points[i]));
        }
    }
    sdField_SampleMany(field, points, -1, distances, NULL);
    sdField_Release(field);
}

// ---- values --------------------------------------------------------------------------------

/// Largest error, in cells, over random points within `reach` cells of the surface.
static double largestError(FieldShape shape, int resolution, sdFieldLayout layout, float reach) {
    sdField* field = FieldShape_Build(NULL, shape, resolution, layout);
    if (field == NULL) {
        return 1e30;
    }
    TestRandom random = TestRandom_Make(9);
    double largest = 0.0, h = (double)field->grid.cellSize;
    for (int count = 0; count < 20000;) {
        sdVec3 p = TestRandom_InBox(&random, 0.6f);
        double exact = FieldShape_Distance(shape, p);
        if (fabs(exact) < (double)reach * h) {
            double error = fabs((double)sdField_Sample(field, p) - exact) / h;
            largest = error > largest ? error : largest;
            ++count;
        }
    }
    sdField_Release(field);
    return largest;
}

SD_TEST(field_error_is_of_second_order_on_round_bodies) {
    for (int layout = SD_FIELD_SPARSE; layout <= SD_FIELD_DENSE; ++layout) {
        for (int shape = FIELD_SPHERE; shape <= FIELD_TORUS; shape += TestIsShort() ? 4 : 2) {
            double error[4];
            for (int i = 0; i < 4; ++i) {
                error[i] = largestError((FieldShape)shape, 16 << i, (sdFieldLayout)layout, 0.05f);
            }
            // errors are in cells, which are half as large from one to the next
            double order = 1.0 + log2(error[0] / error[3]) / 3.0;
            sdTest_Print("layout %d, shape %d: %.4f, %.4f, %.4f, %.4f cells, order %.2f", layout,
                         shape, error[0], error[1], error[2], error[3], order);
            CHECK(order > 1.85);
            CHECK(error[3] < 0.01);
        }
    }
}

SD_TEST(field_error_at_edges_is_part_of_a_cell) {
    for (int resolution = 16; resolution <= 64; resolution *= 2) {
        double error = largestError(FIELD_BOX, resolution, SD_FIELD_SPARSE, 0.5f);
        sdTest_Print("box, %d cells: %.3f cells", resolution, error);
        CHECK(error < 0.4);
    }
}

SD_TEST(field_sparse_is_dense_within_its_tolerance) {
    for (int shape = 0; shape < FIELD_SHAPE_COUNT; ++shape) {
        sdField* sparse = FieldShape_Build(NULL, (FieldShape)shape, 48, SD_FIELD_SPARSE);
        sdField* dense = FieldShape_Build(NULL, (FieldShape)shape, 48, SD_FIELD_DENSE);
        REQUIRE(sparse != NULL && dense != NULL);
        const int* cells = sparse->grid.cells;
        float h = sparse->grid.cellSize, band = sparse->bandWidth;
        float tolerance = h / (float)cells[0] + 2.0f * sparse->brickScale + dense->coarseScale;
        int wrong = 0, signs = 0;
        double worst = 0.0;
        for (int z = 0; z <= cells[2]; ++z) {
            for (int y = 0; y <= cells[1]; ++y) {
                for (int x = 0; x <= cells[0]; ++x) {
                    float a = sdField_GetGridValue(sparse, x, y, z);
                    float b = sdField_GetGridValue(dense, x, y, z);
                    float error = sdAbsF(a - b);
                    bool isNear = sdAbsF(b) <= band;
                    wrong += isNear && error > tolerance + 0.125f * sdAbsF(b) ? 1 : 0;
                    signs += sdAbsF(b) > 1.4f * tolerance && (a < 0.0f) != (b < 0.0f) ? 1 : 0;
                    worst = (double)error > worst ? (double)error : worst;
                }
            }
        }
        sdTest_Print("shape %d: %d bricks, largest difference anywhere %.2f cells", shape,
                     sparse->brickCount, worst / (double)h);
        CHECK_INT(wrong, 0);
        CHECK_INT(signs, 0);
        CHECK(worst < 3.47 * (double)h);
        sdField_Release(sparse);
        sdField_Release(dense);
    }
}

SD_TEST(field_gradient_is_unit_within_a_percent) {
    // A slope over a cell is off by up to 0.6 cells times the curvature, so radii must be 60 cells
    // or more; near the surface, and so away from the medial axis. The sparse layout may leave out
    // bricks where a surface is nearly flat, and has cells of four there.
    static const struct {
        FieldShape shape;
        sdFieldLayout layout;
        double allowed;
    } cases[4] = {{FIELD_SPHERE, SD_FIELD_DENSE, 0.01},
                  {FIELD_BOX, SD_FIELD_DENSE, 0.01},
                  {FIELD_SPHERE, SD_FIELD_SPARSE, 0.04},
                  {FIELD_BOX, SD_FIELD_SPARSE, 0.01}};
    for (int k = 0; k < 4; ++k) {
        sdField* field = FieldShape_Build(NULL, cases[k].shape, 128, cases[k].layout);
        REQUIRE(field != NULL);
        TestRandom random = TestRandom_Make(22);
        float h = field->grid.cellSize;
        int tested = 0, over = 0;
        double worst = 0.0;
        for (int i = 0; i < 200000; ++i) {
            sdVec3 p = TestRandom_InBox(&random, 0.55f), g, a = sdAbs(p);
            float d = sdField_SampleGradient(field, p, &g);
            bool isSmooth = cases[k].shape != FIELD_BOX || (a.x < 0.4f && a.y < 0.2f);
            if (sdAbsF(d) < h && isSmooth) {
                double off = fabs((double)sdLength(g) - 1.0);
                worst = fmax(worst, off);
                over += off > 0.01 ? 1 : 0;
                ++tested;
            }
        }
        sdTest_Print("shape %d, layout %d: %d points, off unit length by %.2f %% at most, %d by "
                     "more than 1 %%",
                     (int)cases[k].shape, (int)cases[k].layout, tested, 100.0 * worst, over);
        CHECK(worst <= cases[k].allowed);
        CHECK(tested > 1000);
        sdField_Release(field);
    }
}

SD_TEST(field_gradient_is_the_slope_and_unit) {
    for (int shape = 0; shape < FIELD_SHAPE_COUNT; ++shape) {
        sdField* field = FieldShape_Build(NULL, (FieldShape)shape, 64, SD_FIELD_SPARSE);
        REQUIRE(field != NULL);
        TestRandom random = TestRandom_Make(21);
        float h = field->grid.cellSize, step = 1e-3f * h;
        // a slope over a cell is off by half a cell times the curvature
        static const float radius[FIELD_SHAPE_COUNT] = {0.5f, 1e6f, 0.15f};
        float tolerance = 0.01f + 0.5f * h / radius[shape];
        int wrongSlope = 0, wrongLength = 0, tested = 0;
        double longest = 0.0;
        for (int i = 0; i < 20000; ++i) {
            sdVec3 p = TestRandom_InBox(&random, i % 4 == 0 ? 1.0f : 0.52f), g;
            float d = sdField_SampleGradient(field, p, &g);
            longest = fmax(longest, (double)sdLength(g));
            // the slope, unless the step leaves the cell
            sdVec3 q = sdMulAdd(p, step, TestRandom_OnSphere(&random));
            int cellP[3] = {-1, -1, -1}, cellQ[3] = {-1, -1, -1};
            bool isFound = sdField_FindCell(field, p, cellP) && sdField_FindCell(field, q, cellQ);
            float slope = sdDot(g, sdScale(1.0f / step, sdSub(q, p)));
            float measured = (sdField_Sample(field, q) - d) / step;
            if (isFound && memcmp(cellP, cellQ, sizeof cellP) == 0) {
                wrongSlope += sdAbsF(slope - measured) > 0.02f ? 1 : 0;
            }
            // the length, at the surface; of the box where no edge is near
            sdVec3 a = sdAbs(p);
            bool isSmooth = shape != FIELD_BOX || (a.x < 0.4f && a.y < 0.2f);
            if (sdAbsF(d) < 0.5f * h && isSmooth) {
                wrongLength += sdAbsF(sdLength(g) - 1.0f) > tolerance ? 1 : 0;
                ++tested;
            }
        }
        sdTest_Print("shape %d: %d points at the surface, longest gradient anywhere %.3f", shape,
                     tested, longest);
        CHECK_INT(wrongSlope, 0);
        CHECK_INT(wrongLength, 0);
        CHECK(tested > 100);
        // each component is a mean of slopes of at most 1
        CHECK(longest < 1.7321);
        sdField_Release(field);
    }
}

SD_TEST(field_outside_of_the_grid_is_a_lower_bound) {
    for (int shape = 0; shape < FIELD_SHAPE_COUNT; ++shape) {
        sdField* field = FieldShape_Build(NULL, (FieldShape)shape, 32, SD_FIELD_SPARSE);
        REQUIRE(field != NULL);
        TestRandom random = TestRandom_Make(33);
        double h = (double)field->grid.cellSize, over = 0.0, least = 1.0, jump = 0.0;
        for (int i = 0; i < 20000; ++i) {
            float reach = i % 2 == 0 ? 0.7f : 20.0f;
            sdVec3 p = TestRandom_InBox(&random, reach), g;
            int cell[3];
            if (sdField_FindCell(field, p, cell)) {
                continue;
            }
            double exact = FieldShape_Distance((FieldShape)shape, p);
            double d = (double)sdField_SampleGradient(field, p, &g);
            over = fmax(over, (d - exact) / h);
            least = fmin(least, d / exact);
            CHECK(sdLength(g) < 1.05f);
            // continuous where the grid ends
            sdVec3 size = sdScale(0.5f, sdSub(sdField_GetInfo(field).bounds.upper,
                                              sdField_GetInfo(field).bounds.lower));
            sdVec3 inner = sdMax(sdMin(p, sdScale(0.9999f, size)), sdScale(-0.9999f, size));
            sdVec3 outer = sdMax(sdMin(p, sdScale(1.0001f, size)), sdScale(-1.0001f, size));
            double a = (double)sdField_Sample(field, inner),
                   b = (double)sdField_Sample(field, outer);
            jump = fmax(jump, fabs(a - b) / h);
        }
        sdTest_Print("shape %d: above the distance by at most %.3f cells, at least %.3f of it, "
                     "jump %.4f cells",
                     shape, over, least, jump);
        CHECK(over < 0.35);
        CHECK(least > 0.7);
        CHECK(jump < 0.02);
        sdField_Release(field);
    }
}

SD_TEST(field_points_that_are_no_points_are_far_away) {
    sdField* field = FieldShape_Build(NULL, FIELD_BOX, 16, SD_FIELD_SPARSE);
    REQUIRE(field != NULL);
    float nan = TestNaN(), inf = TestInfinity();
    const sdVec3 points[] = {{nan, 0.0f, 0.0f}, {0.0f, nan, 0.0f},     {0.0f, 0.0f, nan},
                             {inf, 0.0f, 0.0f}, {0.0f, -inf, 0.0f},    {nan, nan, nan},
                             {inf, -inf, nan},  {FLT_MAX, 0.0f, 0.0f}, {0.0f, 0.0f, -FLT_MAX}};
    for (size_t i = 0; i < sizeof points / sizeof points[0]; ++i) {
        int cell[3] = {7, 7, 7};
        sdVec3 g;
        float d = sdField_SampleGradient(field, points[i], &g);
        CHECK(d >= SD_FIELD_FAR && d < 2.0f * SD_FIELD_FAR);
        CHECK_NEAR(sdLength(g), 1.0, 1e-5);
        CHECK(!sdField_FindCell(field, points[i], cell));
        CHECK(cell[0] == 7);
    }
    sdField_Release(field);
}

SD_TEST(field_that_is_not_there_is_far_away) {
    sdVec3 p = sdV3(0.0f, 0.0f, 0.0f), g = sdV3(1.0f, 1.0f, 1.0f);
    float d = 0.0f;
    int cell[3];
    CHECK(sdField_Sample(NULL, p) == SD_FIELD_FAR);
    sdField_SampleMany(NULL, &p, 1, &d, &g);
    CHECK(d == SD_FIELD_FAR && g.x == 0.0f);
    CHECK(!sdField_FindCell(NULL, p, cell));
    CHECK(sdField_GetGridValue(NULL, 0, 0, 0) == SD_FIELD_FAR);
    CHECK_INT(sdField_GetInfo(NULL).byteCount, 0);
}

SD_TEST(field_cells_and_grid_points) {
    sdField* field = FieldShape_Build(NULL, FIELD_TORUS, 32, SD_FIELD_SPARSE);
    REQUIRE(field != NULL);
    sdFieldInfo info = sdField_GetInfo(field);
    TestRandom random = TestRandom_Make(4);
    for (int i = 0; i < 2000; ++i) {
        sdVec3 p = TestRandom_InBox(&random, 0.6f);
        int cell[3] = {0, 0, 0};
        bool isFound = sdField_FindCell(field, p, cell);
        CHECK(isFound == sdAABB_ContainsPoint(info.bounds, p));
        for (int axis = 0; axis < 3 && isFound; ++axis) {
            float lower = sdVec3_Get(info.origin, axis) + (float)cell[axis] * info.cellSize;
            float slack = 1e-6f;
            CHECK(cell[axis] >= 0 && cell[axis] < info.cells[axis]);
            CHECK(sdVec3_Get(p, axis) >= lower - slack);
            CHECK(sdVec3_Get(p, axis) <= lower + info.cellSize + slack);
        }
    }
    // both corners belong to the grid; samples at grid points are their values
    int cell[3];
    CHECK(sdField_FindCell(field, info.bounds.lower, cell) && cell[0] == 0 && cell[2] == 0);
    CHECK(sdField_FindCell(field, info.bounds.upper, cell) && cell[1] == info.cells[1] - 1);
    for (int i = 0; i < 500; ++i) {
        int x = TestRandom_Int(&random, info.cells[0] + 1);
        int y = TestRandom_Int(&random, info.cells[1] + 1);
        int z = TestRandom_Int(&random, info.cells[2] + 1);
        sdVec3 p = sdFieldGrid_Point(&field->grid, x, y, z);
        CHECK_NEAR(sdField_GetGridValue(field, x, y, z), sdField_Sample(field, p), 1e-5);
    }
    // indices outside are those of the border
    CHECK(sdField_GetGridValue(field, -5, 0, 3) == sdField_GetGridValue(field, 0, 0, 3));
    CHECK(sdField_GetGridValue(field, 1 << 30, 2, 2) ==
          sdField_GetGridValue(field, info.cells[0], 2, 2));
    sdField_Release(field);
}

SD_TEST(field_references_are_counted) {
    TestContext test;
    TestContext_Init(&test);
    sdField* field = FieldShape_Build(&test.context, FIELD_BOX, 8, SD_FIELD_SPARSE);
    REQUIRE(field != NULL);
    sdField_Retain(field);
    sdField_Release(field);
    CHECK_INT(test.liveCount, 1);
    CHECK_INT(test.liveBytes, sdField_GetInfo(field).byteCount);
    CHECK(sdField_Sample(field, sdV3(0.0f, 0.0f, 0.0f)) < 0.0f);
    sdField_Release(field);
    sdField_Retain(NULL);
    sdField_Release(NULL);
    TestContext_Finish(&test);
}
