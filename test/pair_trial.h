// SPDX-License-Identifier: MIT
// pair_trial.h - all that is asked of the pair queries, for one pair of convex shapes.

#ifndef SD_TEST_PAIR_TRIAL_H
#define SD_TEST_PAIR_TRIAL_H

#include "direction_sweep.h"

/// What is wrong with the answers for a pair, or how many pairs have something wrong.
typedef struct Tally {
    int pairs, overlapping, wrong;
    int status;     ///< refused, or a normal that is not unit
    int separation; ///< algorithms disagree
    int sweep;      ///< a direction shows another separation
    int witness;    ///< not on the surfaces
    int swap;       ///< not the mirror image with A and B swapped
    int motion;     ///< not the same with the bodies described in other frames
} Tally;

/// Count a pair of which the faults are known.
void Tally_Add(Tally* tally, const Tally* pair);
/// "name: N pairs, D disagreements (...)"
void Tally_Print(const Tally* tally, const char* name);

/// A hull and the same one in another frame.
typedef struct HullTwin {
    const sdHull* hull;
    const sdHull* twin;
} HullTwin;

typedef struct Trial {
    sdShape a, b;
    sdTransform xf;
    // hulls without a twin are not moved
    const HullTwin* twins;
    int twinCount;
    sdTransform twinFrame; ///< places the twins in the frames of the originals

    Sweep sweep;
    double rounding;    ///< m
    sdSeparation found; ///< by sdPenetration
    Tally faults;       ///< of this pair
} Trial;

/// GJK, EPA and the table of pairs, for polyhedra V-Clip and SAT too: against each other, against
/// the sweep of directions, swapped and moved.
/// @return true when all is right
bool Trial_Run(Trial* trial, TestRandom* random);

/// Everything about it, so that it can be made into a test of its own.
void Trial_Print(const Trial* trial);

#endif
