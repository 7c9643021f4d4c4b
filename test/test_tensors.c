// SPDX-License-Identifier: MIT
// test_tensors.c - tensors of inertia of eight bodies, turned to the world.

#include "dynamics/integrate.h"
#include "support.h"

#include <math.h>

/// Turn the tensors of a box about its x axis, by eight angles.
static void turnAll(const double angles[SD_LANES], sdBodyMotion motions[SD_LANES],
                    sdTensorRows tensors[SD_LANES]) {
    sdBody bodies[SD_LANES];
    const sdBody* from[SD_LANES];
    sdBodyMotion* to[SD_LANES];
    sdTensorRows* rows[SD_LANES];
    for (int i = 0; i < SD_LANES; ++i) {
        bodies[i] = (sdBody){
            .rotation = {{(float)sin(0.5 * angles[i]), 0.0f, 0.0f}, (float)cos(0.5 * angles[i])},
            .inertia = sdMat33_Diagonal(1.0f, 2.0f, 4.0f),
            .inverseInertia = sdMat33_Diagonal(1.0f, 0.5f, 0.25f),
        };
        from[i] = &bodies[i];
        to[i] = &motions[i];
        rows[i] = &tensors[i];
    }
    SD_DISPATCH(sdTensors_Turn)(from, to, rows);
}

/// What is hardly turned has no products of inertia: they would be too small for floats, and some
/// processors take a hundred times as long to multiply by them.
SD_TEST(tensors_of_what_is_hardly_turned_have_no_tiny_products) {
    static const double angles[SD_LANES] = {0.0, 1e-40, 1e-30, -1e-20, 1e-12, 1e-8, -1e-3, 0.5};
    sdBodyMotion motions[SD_LANES];
    sdTensorRows tensors[SD_LANES];
    turnAll(angles, motions, tensors);
    for (int i = 0; i < SD_LANES; ++i) {
        // Iyz = (Iy - Iz) sin(a) cos(a)
        double product = -2.0 * sin(angles[i]) * cos(angles[i]);
        double inverse = 0.25 * sin(angles[i]) * cos(angles[i]);
        bool isTiny = fabs(angles[i]) < 1e-11;
        CHECK_NEAR(motions[i].inertia.cz.y, isTiny ? 0.0 : product, 1e-6 * fabs(product));
        CHECK_NEAR(motions[i].inverseInertia.cy.z, isTiny ? 0.0 : inverse, 1e-6 * fabs(inverse));
        CHECK(!isTiny || (motions[i].inertia.cz.y == 0.0f && tensors[i].yz == 0.0f));
        CHECK(tensors[i].xy == 0.0f && tensors[i].xz == 0.0f);
        CHECK_NEAR(motions[i].inertia.cx.x, 1.0, 1e-6);
    }
}
