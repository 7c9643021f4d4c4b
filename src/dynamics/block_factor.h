// SPDX-License-Identifier: MIT
// block_factor.h - Cholesky factor of a symmetric matrix of 6 x 6 blocks with a slender pattern.
//
// A block row belongs to a body, its six numbers to velocity and angular velocity. Blocks are
// stored by rows. Costs 216 multiplications for each pair of neighbours of an eliminated body (at
// most 21), to solve 36 for each neighbour, twice.

#ifndef SD_DYNAMICS_BLOCK_FACTOR_H
#define SD_DYNAMICS_BLOCK_FACTOR_H

#include "dynamics/elimination.h"

typedef float sdBlock[6][6];
typedef float sdBlockVec[6];

/// All arrays in the order of elimination.
typedef struct sdBlockFactor {
    int count;
    const sdEliminated* pattern;
    const int* firstBelow; ///< of each column: where its blocks below the diagonal begin
    sdBlock* diagonal;     ///< lower triangles; once factored with inverse diagonals
    sdBlock* below;        ///< [firstBelow[c] + i]: row neighbours[i], column c
} sdBlockFactor;

/// The block of two positions; row > column, and they are neighbours.
sdBlock* sdBlockFactor_GetBelow(const sdBlockFactor* factor, int row, int column);

void sdBlockFactor_Clear(sdBlockFactor* factor);

/// In place.
void sdBlockFactor_Factor(sdBlockFactor* factor);

/// x becomes the solution.
void sdBlockFactor_Solve(const sdBlockFactor* factor, sdBlockVec* x);

#endif
