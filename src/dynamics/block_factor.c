// SPDX-License-Identifier: MIT
// block_factor.c - see block_factor.h.
//
// Note: a pivot that rounding has made negative becomes SMALLEST_PIVOT of what it was, so the
// factor
//       is always one of some positive matrix and a solution with it always a way downhill.

#include "dynamics/block_factor.h"

#include <math.h>
#include <string.h>

/// Share of a diagonal element that is left at least when rounding would take all of it.
#define SMALLEST_PIVOT 1e-6f

sdBlock* sdBlockFactor_GetBelow(const sdBlockFactor* factor, int row, int column) {
    const sdEliminated* pattern = &factor->pattern[column];
    int i = 0;
    while (i < pattern->neighbourCount - 1 && pattern->neighbours[i] != row) {
        i += 1;
    }
    return &factor->below[factor->firstBelow[column] + i];
}

void sdBlockFactor_Clear(sdBlockFactor* factor) {
    int last = factor->count - 1;
    int belowCount = factor->firstBelow[last] + factor->pattern[last].neighbourCount;
    memset(factor->diagonal, 0, (size_t)factor->count * sizeof *factor->diagonal);
    memset(factor->below, 0, (size_t)belowCount * sizeof *factor->below);
}

/// Lower triangle to its Cholesky factor, with inverse diagonal.
static void factorDiagonal(sdBlock d) {
    for (int j = 0; j < 6; ++j) {
        float pivot = d[j][j], least = SMALLEST_PIVOT * pivot;
        for (int k = 0; k < j; ++k) {
            pivot -= d[j][k] * d[j][k];
        }
        float inverse = 1.0f / sqrtf(pivot > least ? pivot : least);
        d[j][j] = inverse;
        for (int i = j + 1; i < 6; ++i) {
            float sum = d[i][j];
            for (int k = 0; k < j; ++k) {
                sum -= d[i][k] * d[j][k];
            }
            d[i][j] = sum * inverse;
        }
    }
}

/// m L⁻ᵀ
static void divide(sdBlock m, sdBlock d) {
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            float sum = m[i][j];
            for (int k = 0; k < j; ++k) {
                sum -= m[i][k] * d[j][k];
            }
            m[i][j] = sum * d[j][j];
        }
    }
}

/// m - a bᵀ
static void subtractProduct(sdBlock m, sdBlock a, sdBlock b) {
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            float sum = 0.0f;
            for (int k = 0; k < 6; ++k) {
                sum += a[i][k] * b[j][k];
            }
            m[i][j] -= sum;
        }
    }
}

void sdBlockFactor_Factor(sdBlockFactor* factor) {
    for (int c = 0; c < factor->count; ++c) {
        const sdEliminated* pattern = &factor->pattern[c];
        sdBlock* below = &factor->below[factor->firstBelow[c]];
        factorDiagonal(factor->diagonal[c]);
        for (int i = 0; i < pattern->neighbourCount; ++i) {
            divide(below[i], factor->diagonal[c]);
        }
        for (int i = 0; i < pattern->neighbourCount; ++i) {
            int row = pattern->neighbours[i];
            for (int j = 0; j < i; ++j) {
                int column = pattern->neighbours[j];
                sdBlock* to = sdBlockFactor_GetBelow(factor, row, column);
                subtractProduct(*to, below[i], below[j]);
            }
            subtractProduct(factor->diagonal[row], below[i], below[i]);
        }
    }
}

void sdBlockFactor_Solve(const sdBlockFactor* factor, sdBlockVec* x) {
    for (int c = 0; c < factor->count; ++c) {
        const sdEliminated* pattern = &factor->pattern[c];
        float(*d)[6] = factor->diagonal[c];
        for (int i = 0; i < 6; ++i) {
            float sum = x[c][i];
            for (int k = 0; k < i; ++k) {
                sum -= d[i][k] * x[c][k];
            }
            x[c][i] = sum * d[i][i];
        }
        for (int n = 0; n < pattern->neighbourCount; ++n) {
            float(*m)[6] = factor->below[factor->firstBelow[c] + n];
            float* to = x[pattern->neighbours[n]];
            for (int i = 0; i < 6; ++i) {
                for (int k = 0; k < 6; ++k) {
                    to[i] -= m[i][k] * x[c][k];
                }
            }
        }
    }
    for (int c = factor->count - 1; c >= 0; --c) {
        const sdEliminated* pattern = &factor->pattern[c];
        float(*d)[6] = factor->diagonal[c];
        for (int n = 0; n < pattern->neighbourCount; ++n) {
            float(*m)[6] = factor->below[factor->firstBelow[c] + n];
            const float* from = x[pattern->neighbours[n]];
            for (int i = 0; i < 6; ++i) {
                for (int k = 0; k < 6; ++k) {
                    x[c][k] -= m[i][k] * from[i];
                }
            }
        }
        for (int i = 5; i >= 0; --i) {
            float sum = x[c][i];
            for (int k = i + 1; k < 6; ++k) {
                sum -= d[k][i] * x[c][k];
            }
            x[c][i] = sum * d[i][i];
        }
    }
}
