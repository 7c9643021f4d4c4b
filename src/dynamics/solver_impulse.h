// SPDX-License-Identifier: MIT
// solver_impulse.h - what the parts of the impulse solver share (D7-D13; docs/computation.md).
//
// A pair of shapes has a contact of its own here, a copy of the world's, because it is looked at
// where the bodies will be, many times a step, with other velocities each time. The world's is that
// of the start of the step, as with the other solver: events, sensors and whoever lists contacts
// see no difference. What the passes did to a pair is noted at its points in the end.

#ifndef SD_DYNAMICS_SOLVER_IMPULSE_H
#define SD_DYNAMICS_SOLVER_IMPULSE_H

#include "dynamics/contact_graph.h"
#include "dynamics/impulse_contact.h"
#include "dynamics/impulse_joint.h"

/// What acted at one point of the world's contact in the step, N s and N m s.
typedef struct sdImpulseRecord {
    float normal;
    sdVec3 friction, rolling;
} sdImpulseRecord;

/// Two shapes that may touch within the step.
typedef struct sdImpulsePair {
    int index;           ///< of the world's pair
    sdShapePair pair;    ///< a copy of it
    sdContact* contact;  ///< a copy of the world's: where the bodies will be
    bool isMany;         ///< the copy has memory of its own
    bool isAtStart;      ///< the bodies go so far that the points are those of the start
    float startDistance; ///< at the start of the step they were no nearer; 0: not known
    int bodyA, bodyB;    ///< of the solver
    int level;           ///< of the higher one
    sdMaterial material;
    float slop;
    sdImpulseLoad load; ///< of the contact passes and the shock
    bool isSlipping;    ///< it slid before gravity acted: sliding friction counts in contact passes
    sdImpulsePoint* points;
    int pointCount, pointCapacity;
    sdImpulseRecord* records; ///< SD_MANIFOLD_MAX_POINTS for each patch of the world's contact
    int recordCount;
} sdImpulsePair;

typedef struct sdImpulseSolver {
    sdStep* step;
    const sdImpulseDef* def;
    sdImpulseBody* bodies; ///< by state; the one after them stands for all that does not move
    int ground;            ///< its index
    sdImpulsePair* pairs;
    int pairCount;
    uint64_t* keys;   ///< by which pairs are shuffled
    int* order;       ///< of the pairs, in this pass
    int* sorted;      ///< the same by levels
    int* levelStarts; ///< in `sorted`, and the end
    int levelCount;
    sdImpulseJoints* joints;
    float horizon;   ///< s that positions are predicted ahead: the step, or none
    uint64_t random; ///< state of the shuffling
    int lookCount;   ///< pairs looked at
    int impulseCount;
    bool hasFailed; ///< memory was short; nothing of the world has moved
} sdImpulseSolver;

/// Which impulses a pass gives.
typedef struct sdImpulsePass {
    bool isCollision;  ///< with the materials' restitution; else with the one below
    float restitution; ///< -1 < e <= 0: what approaches is slowed down to -e of its speed
    bool isSettling;   ///< what was pushed too far is pulled back
} sdImpulsePass;

// ---- impulse_pair.c ------------------------------------------------------------------------

/// List the pairs that may touch within the step.
/// @return false when memory is short
bool sdImpulseSolver_ListPairs(sdImpulseSolver* solver);
/// Give back what the pairs hold besides the arena.
void sdImpulseSolver_FreePairs(sdImpulseSolver* solver);
/// Find where all pairs will touch at the end of the step.
void sdImpulseSolver_Detect(sdImpulseSolver* solver);
/// Find where one touches with its bodies at `nextCenter` and `nextRotation`.
void sdImpulseSolver_LookAtPair(sdImpulseSolver* solver, sdImpulsePair* pair);
/// Remember what acted at a point.
void sdImpulseSolver_Note(sdImpulseSolver* solver, sdImpulsePair* pair, sdImpulsePoint* point,
                          const sdImpulseReaction* reaction);
/// Note at the world's contacts what acted at them.
void sdImpulseSolver_StorePairs(sdImpulseSolver* solver);

// ---- impulse_pass.c ------------------------------------------------------------------------

/// Another order of the pairs (D8).
void sdImpulseSolver_Shuffle(sdImpulseSolver* solver);
/// Push the points of a pair apart, the deepest first, each at most once.
/// @return how many were pushed
int sdImpulseSolver_SolvePair(sdImpulseSolver* solver, sdImpulsePair* pair, sdImpulsePass pass);

// ---- shock.c -------------------------------------------------------------------------------

/// Find who stands on whom, and sort the pairs by that.
void sdImpulseSolver_FindLevels(sdImpulseSolver* solver);
/// Pairs by levels, in the order of this pass within each.
void sdImpulseSolver_SortByLevel(sdImpulseSolver* solver);
/// The pairs of a level, over and over while there is anything to push.
void sdImpulseSolver_SolveLevel(sdImpulseSolver* solver, int level, sdImpulsePass pass,
                                int sweepCount);
/// Stop bodies from the ground up (D11).
void sdImpulseSolver_PropagateShock(sdImpulseSolver* solver);

// ---- impulse_motion.c ----------------------------------------------------------------------

/// Take the bodies of a step whose lanes are filled.
/// @return false when memory is short
bool sdImpulseSolver_LoadBodies(sdImpulseSolver* solver);
/// Find what forces will give in the step, without giving it.
void sdImpulseSolver_LookAhead(sdImpulseSolver* solver);
/// New velocities.
void sdImpulseSolver_Accelerate(sdImpulseSolver* solver);
/// New positions (D3).
void sdImpulseSolver_Move(sdImpulseSolver* solver);
/// Give velocities and poses to the world.
void sdImpulseSolver_StoreBodies(sdImpulseSolver* solver);

// ---- solver_impulse.c ----------------------------------------------------------------------

/// Solve and move all bodies of a step that was started.
/// @return false when memory is short; the world is as it was
bool sdStep_SolveByImpulses(sdStep* step);

#endif
