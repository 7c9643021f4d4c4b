// SPDX-License-Identifier: MIT
// first_load.h - what contacts of a stack carry that was just built.

#ifndef SD_DYNAMICS_FIRST_LOAD_H
#define SD_DYNAMICS_FIRST_LOAD_H

#include "dynamics/solver_soft.h"

/// Give contacts of islands that stand still and have no impulse yet their share of the weight
/// above, as a first guess. Nothing else changes.
/// @return false when memory is short
bool sdSoftSolver_GuessFirstLoads(sdSoftSolver* solver);

#endif
