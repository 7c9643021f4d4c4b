// SPDX-License-Identifier: MIT
// impulse_pass.c - one pair in one pass: its points pushed apart, the deepest first (D8, D9).
//
// In:   points of a pair, velocities of its bodies.
// Out:  velocities with which they part, or are slowed down.
// Ref:  S2 §6 (collisions) and §8.1 (contacts).
// Note: S2 stops what will touch where it is now, so that bodies come to rest above the ground by
//       up to g dt². Here a contact leaves the speed that just closes the gap; the next step finds
//       the two touching. The same goes for collisions without restitution. What overlaps already
//       is parted slowly, as with the other solver.

#include "dynamics/solver_impulse.h"

#include "base/hash.h"
#include "base/sort.h"

/// Points act as one if their speeds differ by no more than this share, and the cosine of the angle
/// between their normals is above that.
#define EQUAL_SPEED 1e-2f
#define EQUAL_COSINE 0.9999f
/// m/s of slip that is left where friction holds.
#define LEAST_SLIP 1e-6f
/// Points of a pair that are remembered as done when it is looked at after every impulse.
#define MAX_DONE 64
/// Increment of Weyl's sequence, of which the random numbers are hashes.
#define WEYL 0x9E3779B97F4A7C15u

void sdImpulseSolver_Shuffle(sdImpulseSolver* solver) {
    solver->random += WEYL;
    // each pair draws for itself, so that it does not matter which others are listed
    for (int i = 0; i < solver->pairCount; ++i) {
        uint64_t drawn = sdHash_Mix(solver->random ^ (uint64_t)solver->pairs[i].index << 32);
        solver->keys[i] = (drawn & 0xFFFFFFFF00000000u) | (uint32_t)i;
    }
    sdSortKeys(solver->keys, solver->pairCount);
    for (int i = 0; i < solver->pairCount; ++i) {
        solver->order[i] = (int)(uint32_t)solver->keys[i];
    }
}

/// Speed along the normal of points that just touch at the end of the step.
static float findTouchingSpeed(const sdImpulseSolver* solver, const sdImpulsePoint* point) {
    return solver->horizon > 0.0f && point->base > 0.0f ? -point->base / solver->horizon : 0.0f;
}

/// Speed at which an overlap is parted; in the ordinary order bodies are in each other before they
/// are stopped, so that it must go within a step.
static float findPartingSpeed(const sdImpulseSolver* solver, const sdImpulsePair* pair,
                              const sdImpulsePoint* point) {
    const sdWorldDef* def = &solver->step->world->def;
    float rate = solver->horizon > 0.0f ? def->pushRate : 1.0f / solver->step->dt;
    float excess = sdMaxF(-point->base - pair->slop, 0.0f);
    return sdMinF(rate * excess, def->maxPushSpeed);
}

/// @param u velocity of the point now
/// @return whether an impulse is needed for the goal
static bool findGoal(const sdImpulseSolver* solver, const sdImpulsePair* pair,
                     const sdImpulsePoint* point, sdImpulsePass pass, sdVec3 u,
                     sdImpulseGoal* goal) {
    float touching = findTouchingSpeed(solver, point), un = sdDot(point->normal, u);
    if (pass.isCollision) {
        // (7.14)
        float e = pair->material.restitution;
        *goal = (sdImpulseGoal){e > 0.0f ? -e * un : touching, 0.0f};
        bool isNeeded = un < sdMinF(goal->speed, 0.0f);
        if (solver->horizon == 0.0f && e > 0.0f) {
            // S2 §5: in the ordinary order what is in another already gets a little more
            goal->speed += findPartingSpeed(solver, pair, point);
        }
        return isNeeded;
    }
    if (solver->horizon == 0.0f && un >= 0.0f && pair->material.restitution > 0.0f) {
        return false; // S2 §5: what bounced off just now is no contact, and falls on again
    }
    // S2 §8.1 with e < 0: u' = -e u. Slip is slowed down by the same share, for friction that had
    // to hold all of it with a part of the pressure would slide.
    float speed = touching + findPartingSpeed(solver, pair, point);
    float keep = -pass.restitution;
    *goal = (sdImpulseGoal){speed + keep * (un - speed), keep};
    if (un - speed > LEAST_SLIP && pass.isSettling && point->pushed > 0.0f) {
        return true;
    }
    if (un >= speed && keep == 0.0f && pair->load.normal > 0.0f) {
        // pressed on each other already: what is left of the slip goes by friction alone
        goal->speed = un;
        return sdLengthSquared(sdMulAdd(u, -un, point->normal)) > LEAST_SLIP * LEAST_SLIP;
    }
    return un < speed;
}

/// The deepest point that is not done; those that have parted are from now on.
static sdImpulsePoint* findDeepest(const sdImpulseSolver* solver, sdImpulsePair* pair,
                                   sdImpulsePass pass, sdImpulseGoal* goal) {
    const sdImpulseBody* a = &solver->bodies[pair->bodyA];
    const sdImpulseBody* b = &solver->bodies[pair->bodyB];
    sdImpulsePoint* deepest = NULL;
    float least = FLT_MAX;
    for (int i = 0; i < pair->pointCount; ++i) {
        sdImpulsePoint* point = &pair->points[i];
        if (point->isDone) {
            continue;
        }
        sdVec3 u = sdImpulsePoint_GetVelocity(point, a, b);
        float separation = point->base + solver->horizon * sdDot(point->normal, u);
        sdImpulseGoal own;
        bool isNeeded = separation < (pass.isCollision ? 0.0f : pair->slop) &&
                        findGoal(solver, pair, point, pass, u, &own);
        point->isDone = !isNeeded;
        if (isNeeded && separation < least) {
            least = separation;
            deepest = point;
            *goal = own;
        }
    }
    return deepest;
}

/// Points that are as deep as the deepest and as fast meet at once: what lands flat bounces without
/// turning. They act as one, at their middle.
static sdImpulsePoint mergeEqual(const sdImpulseSolver* solver, sdImpulsePair* pair,
                                 const sdImpulsePoint* deepest) {
    const sdImpulseBody* a = &solver->bodies[pair->bodyA];
    const sdImpulseBody* b = &solver->bodies[pair->bodyB];
    float speed = sdDot(deepest->normal, sdImpulsePoint_GetVelocity(deepest, a, b));
    sdImpulsePoint sum = *deepest;
    float count = 1.0f;
    for (int i = 0; i < pair->pointCount; ++i) {
        sdImpulsePoint* point = &pair->points[i];
        float own = sdDot(point->normal, sdImpulsePoint_GetVelocity(point, a, b));
        if (point != deepest && !point->isDone && sdAbsF(own - speed) <= -EQUAL_SPEED * speed &&
            sdDot(point->normal, deepest->normal) > EQUAL_COSINE &&
            sdAbsF(point->base - deepest->base) <= pair->slop) {
            sum.armA = sdAdd(sum.armA, point->armA);
            sum.armB = sdAdd(sum.armB, point->armB);
            point->isMerged = true;
            count += 1.0f;
        }
    }
    sum.armA = sdScale(1.0f / count, sum.armA);
    sum.armB = sdScale(1.0f / count, sum.armB);
    return sum;
}

/// Look at a pair again, and remember which of its points were done.
static void renew(sdImpulseSolver* solver, sdImpulsePair* pair) {
    uint32_t done[MAX_DONE];
    int doneCount = 0;
    for (int i = 0; i < pair->pointCount && doneCount < MAX_DONE; ++i) {
        if (pair->points[i].isDone) {
            done[doneCount++] = pair->points[i].id;
        }
    }
    sdImpulseBody_Predict(&solver->bodies[pair->bodyA], solver->horizon);
    sdImpulseBody_Predict(&solver->bodies[pair->bodyB], solver->horizon);
    sdImpulseSolver_LookAtPair(solver, pair);
    for (int i = 0; i < pair->pointCount; ++i) {
        for (int j = 0; j < doneCount; ++j) {
            pair->points[i].isDone = pair->points[i].isDone || pair->points[i].id == done[j];
        }
    }
}

/// The materials of a pair, with the one coefficient of friction that counts in contact passes.
static sdMaterial materialOf(const sdImpulsePair* pair, sdImpulsePass pass) {
    sdMaterial material = pair->material;
    if (!pass.isCollision) {
        float friction = pair->isSlipping ? material.slidingFriction : material.staticFriction;
        material.staticFriction = material.slidingFriction = friction;
    }
    return material;
}

static sdImpulseReaction pushPoint(sdImpulseSolver* solver, sdImpulsePair* pair,
                                   sdImpulsePoint* point, sdImpulsePass pass, sdImpulseGoal goal) {
    sdImpulseBody* a = &solver->bodies[pair->bodyA];
    sdImpulseBody* b = &solver->bodies[pair->bodyB];
    sdMaterial material = materialOf(pair, pass);
    if (pass.isCollision) {
        sdImpulseLoad none = {.normal = 0.0f};
        // the ordinary order is there to show what happens without such care
        sdImpulsePoint merged =
            solver->def->order == SD_ORDER_NEW ? mergeEqual(solver, pair, point) : *point;
        return sdImpulsePoint_React(&merged, a, b, &material, goal, &none);
    }
    float un = sdDot(point->normal, sdImpulsePoint_GetVelocity(point, a, b));
    if (pass.isSettling && un > goal.speed) {
        return sdImpulsePoint_PullBack(point, a, b, goal.speed, &pair->load);
    }
    return sdImpulsePoint_React(point, a, b, &material, goal, &pair->load);
}

/// Remember what acted at a point, and at those that acted with it as one.
static void notePush(sdImpulseSolver* solver, sdImpulsePair* pair, sdImpulsePoint* point,
                     const sdImpulseReaction* reaction) {
    float count = 0.0f;
    point->isMerged = true;
    for (int i = 0; i < pair->pointCount; ++i) {
        count += pair->points[i].isMerged ? 1.0f : 0.0f;
    }
    float share = 1.0f / count;
    sdImpulseReaction part = {sdScale(share, reaction->push), share * reaction->normal,
                              sdScale(share, reaction->rolling)};
    for (int i = 0; i < pair->pointCount; ++i) {
        if (pair->points[i].isMerged) {
            sdImpulseSolver_Note(solver, pair, &pair->points[i], &part);
            pair->points[i].isMerged = false;
        }
    }
    point->pushed += reaction->normal;
}

int sdImpulseSolver_SolvePair(sdImpulseSolver* solver, sdImpulsePair* pair, sdImpulsePass pass) {
    if (!sdImpulseBody_IsMovable(&solver->bodies[pair->bodyA]) &&
        !sdImpulseBody_IsMovable(&solver->bodies[pair->bodyB])) {
        return 0;
    }
    for (int i = 0; i < pair->pointCount; ++i) {
        pair->points[i].isDone = false;
    }
    int limit = pair->pointCount, count = 0;
    while (count < limit && !solver->hasFailed) {
        sdImpulseGoal goal;
        sdImpulsePoint* point = findDeepest(solver, pair, pass, &goal);
        if (point == NULL) {
            break;
        }
        sdImpulseReaction reaction = pushPoint(solver, pair, point, pass, goal);
        notePush(solver, pair, point, &reaction);
        point->isDone = true;
        count += 1;
        solver->impulseCount += 1;
        if (solver->def->detection == SD_DETECT_EACH_IMPULSE) {
            renew(solver, pair);
        }
    }
    return count;
}
