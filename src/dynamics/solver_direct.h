// SPDX-License-Identifier: MIT
// solver_direct.h - exact contact forces in slender islands: towers, arches, card houses.
//
// Sweeps carry a load one contact further each time, so the load of a tower of n bodies takes n²
// sweeps to arrive. In a slender island (elimination.h) all contacts are solved at once instead,
// before each sweep of a sub-step, at a cost that grows with n. The sweep that follows has the last
// word, so whatever is special about a contact need only be known to the sweeps.
//
// Sought are velocities v near the present ones v0 and impulses λ near the present ones λ0: the
// augmented Lagrangian's
//
//     λ(v) = project(λ0 - ρ (J v + b)),    M (v - v0) = Jᵀ (λ(v) - λ0)
//
// by Newton's method, in the space of bodies: H = M + Σ ρ JᵀJ over rows that hold, factored by 6 x
// 6 blocks. The result's impulses are feasible; velocities are taken from them, so that momentum is
// exact, and the step is shortened if it would not lower the contacts' energy.

#ifndef SD_DYNAMICS_SOLVER_DIRECT_H
#define SD_DYNAMICS_SOLVER_DIRECT_H

#include "dynamics/slender.h"

/// Find the slender islands of a step.
/// @return NULL when memory is short
sdDirectSolver* sdDirectSolver_Prepare(sdStep* step, sdSoftSolver* soft);

/// Bring velocities and impulses of the slender islands to where they belong, as far as contacts
/// are within reach of it. In parallel; the same for any number of workers.
void sdDirectSolver_Solve(sdDirectSolver* solver, int subStep, bool isBiased);

/// Steps of Newton's method that it took, times bodies of the island.
int sdDirectSolver_CountSteps(const sdDirectSolver* solver);

#endif
