// SPDX-License-Identifier: MIT
// matrix.h - 4 x 4 matrices by columns, as OpenGL takes them.

#ifndef SD_RENDER_MATRIX_H
#define SD_RENDER_MATRIX_H

#include "sudar/vecmath.h"

typedef struct sdMat44 {
    float m[16];
} sdMat44;

/// Three axes as rows and what is added to each: x' = dot(right, x) + t.x ...
static inline sdMat44 sdMat44_FromRows(sdVec3 x, sdVec3 y, sdVec3 z, sdVec3 t) {
    sdMat44 r = {
        {x.x, y.x, z.x, 0.0f, x.y, y.y, z.y, 0.0f, x.z, y.z, z.z, 0.0f, t.x, t.y, t.z, 1.0f}};
    return r;
}

/// Looking along -z.
static inline sdMat44 sdMat44_Perspective(float tanX, float tanY, float near, float far) {
    sdMat44 r = {{0.0f}};
    r.m[0] = 1.0f / tanX;
    r.m[5] = 1.0f / tanY;
    r.m[10] = (far + near) / (near - far);
    r.m[11] = -1.0f;
    r.m[14] = 2.0f * far * near / (near - far);
    return r;
}

static inline sdMat44 sdMat44_Mul(sdMat44 a, sdMat44 b) {
    sdMat44 r;
    for (int column = 0; column < 4; ++column) {
        for (int row = 0; row < 4; ++row) {
            float sum = 0.0f;
            for (int k = 0; k < 4; ++k) {
                sum += a.m[4 * k + row] * b.m[4 * column + k];
            }
            r.m[4 * column + row] = sum;
        }
    }
    return r;
}

#endif
