// SPDX-License-Identifier: MIT
// joint_tree_solve.h - eight slender sets of joints at a time: places and velocities. For kernels.
//
// Ref:  Andersen, "RATTLE", 1983; sets that take turns with contacts have a symplectic Euler step
//       for forces.
// Note: a ball joint of a chain takes some 2 500 instructions a sub-step, eight at once, of which
//       1 400 are arithmetic and the others move vectors to and from memory.

#ifndef SD_DYNAMICS_JOINT_TREE_SOLVE_H
#define SD_DYNAMICS_JOINT_TREE_SOLVE_H

#include "dynamics/joint_tree_sweeps.h"

/// rad of a sub-step beyond which places are solved once more, and twice: each time takes the error
/// down by about the angle.
#define WIDE_TURN 0.05f
#define VERY_WIDE_TURN 0.2f
/// The same as the first for one joint alone.
#define NARROW_TURN 0.01f
/// Share of an error that goes in a sub-step while contacts that are not known to the set act on
/// it, too, and of one that nobody sees: those would be pushed back as hard. A heap of joined
/// skulls shook by 20 mm/s when small errors went at once, by 6 with 0.2, and rests with 0.1.
#define SHARED_PULL 0.5f
#define GENTLE_PULL 0.1f
/// rad of an error that is small; m: slop of the group.
#define SMALL_TURN 2e-3f
/// (ω h)² / 2 of a link under load, for the same, and parts for that: more is left to stiffness.
#define PART_SWING 0.25f
#define STIFF_SWING 0.5f
/// (ω h)² of the fastest swing that sub-steps follow well; from 4 on they blow it up.
#define RESOLVED_STIFFNESS 1.0f
/// By which a pull may grow until it is looked at again.
#define RESERVE 2.0f
/// rad/s, m/s by which a sweep changes what a limit does, from which on limits and locks are solved
/// again: a limit that is hit knows nothing of what locks will do, nor of other limits. Times at
/// most, of sets that are alone and of those that contacts push about in the next sub-step, too.
#define HIT_SPEED 0.2f
#define MAX_SWEEPS 4
#define MAX_TOUCHED_SWEEPS 2
/// Share of its energy that a set of joints may gain in a step by what steps cannot follow.
#define ENERGY_GAIN 0.01f
/// The same of velocities in the middle of a part, which are those of chords.
#define MIDDLE_GAIN 0.5f

// ---- light links under load ----------------------------------------------------------------

/// Lanes in which one joint holds one body to what cannot be pushed. A pendulum swings about its
/// anchor, however small it is: nothing pulls at another end of it.
SD_INLINE sdI8 findPendulums(const sdTreeGroup* group) {
    const sdTreeNode* node = &group->plan->nodes[0];
    sdF8 zero = sdF8_Zero(), massA = group->bodies[node->bodyA].mass;
    sdI8 isHung = sdF8_LessEqual(sdF8_Min(massA, group->bodies[node->bodyB].mass), zero);
    return group->isAlone && group->plan->nodeCount == 1 ? isHung : sdF8_Less(zero, zero);
}

/// A force f at an arm r pulls it in line with a stiffness of (f · r) (1 - n nᵀ), n along r.
SD_INLINE void addStiffness(sdTreeBody* body, sdVec3x8 r, sdVec3x8 impulse, float h) {
    sdF8 zero = sdF8_Zero(), square = sdVec3x8_Dot(r, r);
    sdF8 pull = sdF8_Max(sdF8_Splat(RESERVE * h) * sdVec3x8_Dot(impulse, r), zero);
    // along a thin link a little, too, so that floats can tell its inverse
    sdF8 share = pull * sdF8_InverseOf(square) * sdF8_Splat(-0.99f);
    sdSym3x8* m = &body->stiffness;
    m->xx += pull + share * r.x * r.x;
    m->xy += share * r.x * r.y;
    m->xz += share * r.x * r.z;
    m->yy += pull + share * r.y * r.y;
    m->yz += share * r.y * r.z;
    m->zz += pull + share * r.z * r.z;
}

SD_INLINE void findStiffness(const sdTreeGroup* group, float h) {
    const sdTreePlan* plan = group->plan;
    for (int i = 0; i < plan->bodyCount; ++i) {
        memset(&group->bodies[i].stiffness, 0, sizeof group->bodies[i].stiffness);
    }
    sdI8 isPendulum = findPendulums(group);
    for (int n = 0; n < plan->nodeCount; ++n) {
        const sdTreeNode* node = &plan->nodes[n];
        sdVec3x8 pull = sdVec3x8_Select(isPendulum, zeroVec(), group->batches[n]->impulse);
        sdVec3x8 back = sdVec3x8_Scale(sdF8_Splat(-1.0f), pull);
        addStiffness(&group->bodies[node->bodyA], group->poses[n].rA, back, h);
        addStiffness(&group->bodies[node->bodyB], group->poses[n].rB, pull, h);
    }
}

/// I + h² K, implicit in time, as joints see it: a light link between heavy weights swings faster
/// than sub-steps can follow, and would shake itself to pieces.
/// Ref: Andrews, Teichmann, Kry: Geometric Stiffness for Real-time Constrained Multibody Dynamics,
///      2017.
SD_INLINE void stiffen(sdTreeBody* body) {
    sdSym3x8 t = body->momentNow;
    const sdSym3x8* k = &body->stiffness;
    sdF8 one = sdF8_Splat(1.0f), zero = sdF8_Zero(), resolved = sdF8_Splat(RESOLVED_STIFFNESS);
    // shares of the trace, so that a long thin link is judged by its length
    sdF8 limit = resolved * (t.xx + t.yy + t.zz), trace = k->xx + k->yy + k->zz;
    // what nothing can turn stays so
    sdI8 isStiff = sdF8_Less(limit, trace) & sdF8_Less(zero, limit) & ~(sdI8)body->isLocked;
    body->isStiff = (sdF8)isStiff;
    sdF8 share = sdF8_Select(isStiff, one - limit / sdF8_Select(isStiff, trace, one), zero);
    sdF8 m[9] = {t.xx + share * k->xx,
                 zero,
                 zero,
                 t.xy + share * k->xy,
                 t.yy + share * k->yy,
                 zero,
                 t.xz + share * k->xz,
                 t.yz + share * k->yz,
                 t.zz + share * k->zz};
    invertBlock(m);
    sdSym3x8* out = &body->inertia;
    out->xx = sdF8_Select(isStiff, m[0], out->xx);
    out->xy = sdF8_Select(isStiff, m[3], out->xy);
    out->xz = sdF8_Select(isStiff, m[6], out->xz);
    out->yy = sdF8_Select(isStiff, m[4], out->yy);
    out->yz = sdF8_Select(isStiff, m[7], out->yz);
    out->zz = sdF8_Select(isStiff, m[8], out->zz);
}

/// What its stiffness takes of the angular velocity of a light link: M v = (M + h² K) v'. Joints
/// give back what it shares with its neighbours.
SD_INLINE void slowStiff(const sdTreeGroup* group) {
    for (int i = 0; group->isStiff && i < group->plan->bodyCount; ++i) {
        sdTreeBody* body = &group->bodies[i];
        sdVec3x8 w = body->now.angularVelocity;
        sdVec3x8 slow = sdSym3x8_Mul(&body->inertia, sdSym3x8_Mul(&body->momentNow, w));
        body->now.angularVelocity = sdVec3x8_Select((sdI8)body->isStiff, slow, w);
    }
}

/// How far links swing under the pull at their ends in a sub-step: (ω h)² / 2 is about h λ r / I.
SD_NOINLINE float findSwing(const sdTreeGroup* group, float h) {
    sdF8 stiffest = sdF8_Zero();
    for (int n = 0; n < group->plan->nodeCount; ++n) {
        const sdTreeNode* node = &group->plan->nodes[n];
        const sdJointBatch* batch = group->batches[n];
        sdVec3x8 impulse = batch->impulse;
        sdF8 lightA = group->bodies[node->bodyA].lightness;
        sdF8 lightB = group->bodies[node->bodyB].lightness;
        sdF8 swingA = lightA * lightA * sdVec3x8_Dot(batch->rA, batch->rA);
        sdF8 swingB = lightB * lightB * sdVec3x8_Dot(batch->rB, batch->rB);
        sdF8 swing = sdVec3x8_Dot(impulse, impulse) * sdF8_Max(swingA, swingB);
        stiffest = sdF8_Max(swing, stiffest);
    }
    stiffest = sdF8_Select(findPendulums(group), sdF8_Zero(), stiffest);
    return h * sqrtf(sdF8_ReduceMax(stiffest));
}

/// Matrix and factor, with the points that hold now.
/// @param isNew arms are, too, so what limits and drives do there is found as well, as it is when
///              other points hold
SD_NOINLINE void assemble(const sdTreeGroup* group, float h, bool isNew) {
    const sdTreePlan* plan = group->plan;
    for (int i = 0; i < plan->bodyCount; ++i) {
        holdBody(&group->bodies[i]);
    }
    for (int n = 0; n < plan->nodeCount; ++n) {
        const sdTreeNode* node = &plan->nodes[n];
        for (int b = 0; b < node->blockCount; ++b) {
            loadBlock(group, node->firstBlock + b);
        }
        if ((isNew || group->hasGrips) &&
            group->batches[n]->rowCount > group->batches[n]->lockCount) {
            prepareSweeps(group, n, h);
        }
    }
    memset(group->below, 0, (size_t)plan->belowCount * 9 * sizeof *group->below);
    for (int i = 0; i < plan->couplingCount; ++i) {
        const sdTreeCoupling* c = &plan->couplings[i];
        addProduct(group, c->row, c->column, c->rowIsB, c->columnIsB,
                   group->below + (size_t)c->below * 9);
    }
    factor(group);
}

/// Arms where bodies are now, and what their impulses do with the tensors there.
SD_NOINLINE void followArms(const sdTreeGroup* group, float h) {
    const sdTreePlan* plan = group->plan;
    const sdTreeGroup* next = group->next;
    for (int n = 0; n < plan->nodeCount; ++n) {
        findPose(group, n);
        if (next != NULL && n < next->plan->nodeCount) {
            sdPrefetch(next->batches[n], sdJointBatch_SizeOf(next->rowCounts[n]));
        }
    }
    if (group->isStiff) {
        findStiffness(group, h);
    }
    for (int i = 0; group->isStiff && i < plan->bodyCount; ++i) {
        stiffen(&group->bodies[i]);
    }
    for (int b = 0; b < plan->blockCount; ++b) {
        prepareBlock(group, b);
    }
    for (int n = 0; group->hasSweeps && n < plan->nodeCount; ++n) {
        aimRows(group, n);
    }
}

/// The same with the factor that follows from them.
SD_NOINLINE void follow(const sdTreeGroup* group, float h) {
    followArms(group, h);
    assemble(group, h, true);
}

// ---- solve ---------------------------------------------------------------------------------

/// r turned by an angle, less r: to the fourth order, as wide angles need.
SD_INLINE sdVec3x8 sweptBy(sdVec3x8 angle, sdVec3x8 r) {
    // sin(x) / x and (1 - cos(x)) / x²
    sdF8 square = sdVec3x8_Dot(angle, angle);
    sdF8 f =
        sdF8_Splat(1.0f) - square * (sdF8_Splat(1.0f / 6.0f) - square * sdF8_Splat(1.0f / 120.0f));
    sdF8 g =
        sdF8_Splat(0.5f) - square * (sdF8_Splat(1.0f / 24.0f) - square * sdF8_Splat(1.0f / 720.0f));
    sdVec3x8 first = sdVec3x8_Cross(angle, r), second = sdVec3x8_Cross(angle, first);
    return sdVec3x8_MulAdd(sdVec3x8_Scale(f, first), g, second);
}

/// What is left of an error after a sub-step.
/// @param small what is taken out gently; 0: nothing acts on the set that it does not know
/// @param most that goes
SD_INLINE sdF8 leftOf(sdF8 error, sdF8 small, sdF8 most) {
    sdF8 zero = sdF8_Zero(), slow = sdF8_Clamp(error, zero - small, small), fast = error - slow;
    fast = sdF8_Select(sdF8_Less(zero, small), sdF8_Splat(SHARED_PULL) * fast, fast);
    sdF8 taken = fast + sdF8_Splat(GENTLE_PULL) * slow;
    return error - sdF8_Clamp(taken, zero - most, most);
}

/// By how much the rows beside the anchors will be off at the end of the sub-step.
SD_INLINE void loadRowErrors(const sdTreeGroup* group, int b, sdVec3x8 way, float h) {
    const sdTreeBlock* block = &group->plan->blocks[b];
    const sdTreeNode* node = &group->plan->nodes[block->node];
    const sdJointBatch* batch = group->batches[block->node];
    const sdJointPose* pose = &group->poses[block->node];
    const sdTreeBody *bodyA = &group->bodies[node->bodyA], *bodyB = &group->bodies[node->bodyB];
    sdF8 rate = sdF8_Splat(-1.0f / h), limit = sdF8_Splat(SD_JOINT_MAX_PUSH * h);
    sdF8 smallMove = sdF8_Splat(group->slop);
    sdF8 smallTurn = sdF8_Splat(group->slop > 0.0f ? SMALL_TURN : 0.0f);
    sdVec3x8 angleA = bodyA->angle, angleB = bodyB->angle;
    // exp(-a) exp(b) is exp(b - a - a × b / 2) to the second order
    sdVec3x8 turn = sdVec3x8_Sub(angleB, angleA);
    turn = sdVec3x8_MulAdd(turn, sdF8_Splat(-0.5f), sdVec3x8_Cross(angleA, angleB));
    sdVec3x8 end = sdVec3x8_Add(pose->offset, way);
    for (int i = 0; i < 3 && block->firstRow + i < batch->lockCount; ++i) {
        const sdJointRow8* row = &batch->rows[block->firstRow + i];
        sdJointJacobian j = sdJointLanes_GetJacobian(batch, row, pose, &bodyA->now, &bodyB->now);
        sdF8 place = sdJointLanes_GetPlace(row, &j, pose, &bodyA->now, &bodyB->now);
        sdVec3x8 axis = sdVec3x8_Add(j.axis, sweptBy(angleA, j.axis));
        sdF8 length = row->scale * sdF8_Sqrt(sdVec3x8_Dot(end, end));
        sdF8 moved = sdF8_Select((sdI8)row->isLine, length, sdVec3x8_Dot(axis, end)) + row->error;
        sdF8 turned = place + sdVec3x8_Dot(j.axis, turn);
        sdF8 next = sdF8_Select((sdI8)row->isMove, moved, turned);
        sdF8 left = leftOf(place, sdF8_Select((sdI8)row->isMove, smallMove, smallTurn), limit);
        group->matrices[b].vector[i] = rate * row->isUsed * (next - left);
    }
}

/// By how much the locked rows of a joint will be off at the end of the sub-step, as things move
/// now: arms turn on circles, not along tangents. Without that, links that whip would leave each
/// other, and to pull them back would cost energy.
SD_INLINE void loadErrors(const sdTreeGroup* group, int n, float h) {
    const sdTreeNode* node = &group->plan->nodes[n];
    const sdJointPose* pose = &group->poses[n];
    const sdTreeBody *a = &group->bodies[node->bodyA], *b = &group->bodies[node->bodyB];
    sdF8 step = sdF8_Splat(h), rate = sdF8_Splat(-1.0f / h),
         limit = sdF8_Splat(SD_JOINT_MAX_PUSH * h), slop = sdF8_Splat(group->slop);
    sdVec3x8 way = sdVec3x8_Scale(step, sdVec3x8_Sub(b->now.velocity, a->now.velocity));
    way = sdVec3x8_Add(way, sdVec3x8_Sub(sweptBy(b->angle, pose->rB), sweptBy(a->angle, pose->rA)));
    for (int i = 0; i < node->blockCount; ++i) {
        int block = node->firstBlock + i;
        sdF8* x = group->matrices[block].vector;
        if (group->plan->blocks[block].firstRow == SD_NULL_INDEX) {
            x[0] = rate * (pose->offset.x + way.x - leftOf(pose->offset.x, slop, limit));
            x[1] = rate * (pose->offset.y + way.y - leftOf(pose->offset.y, slop, limit));
            x[2] = rate * (pose->offset.z + way.z - leftOf(pose->offset.z, slop, limit));
        } else {
            x[0] = x[1] = x[2] = sdF8_Zero();
            loadRowErrors(group, block, way, h);
        }
    }
}

/// How fast the locked rows of a joint move, with the sign turned.
SD_INLINE void loadSpeeds(const sdTreeGroup* group, int n) {
    const sdTreeNode* node = &group->plan->nodes[n];
    const sdJointPose* pose = &group->poses[n];
    const sdBodyLanes *a = &group->bodies[node->bodyA].now, *b = &group->bodies[node->bodyB].now;
    sdVec3x8 apart = sdVec3x8_Sub(a->velocity, b->velocity);
    for (int i = 0; i < node->blockCount; ++i) {
        int block = node->firstBlock + i;
        sdF8* x = group->matrices[block].vector;
        if (group->plan->blocks[block].firstRow == SD_NULL_INDEX) {
            sdVec3x8 speed = sdVec3x8_Add(apart, sdVec3x8_Cross(a->angularVelocity, pose->rA));
            speed = sdVec3x8_Sub(speed, sdVec3x8_Cross(b->angularVelocity, pose->rB));
            x[0] = speed.x;
            x[1] = speed.y;
            x[2] = speed.z;
            continue;
        }
        const sdTreeRows* rows = &group->rows[block];
        for (int r = 0; r < 3; ++r) {
            x[r] = sdVec3x8_Dot(rows->linear[r], apart) +
                   sdVec3x8_Dot(rows->angularA[r], a->angularVelocity) -
                   sdVec3x8_Dot(rows->angularB[r], b->angularVelocity);
        }
    }
}

/// Where the impulses of a block are.
SD_INLINE void getImpulses(const sdTreeGroup* group, int b, sdF8* out[3]) {
    const sdTreeBlock* block = &group->plan->blocks[b];
    sdJointBatch* batch = group->batches[block->node];
    for (int i = 0; i < 3; ++i) {
        int r = block->firstRow + i;
        out[i] = block->firstRow == SD_NULL_INDEX
                     ? (i == 0   ? &batch->impulse.x
                        : i == 1 ? &batch->impulse.y
                                 : &batch->impulse.z)
                     : (r < batch->lockCount ? &batch->rows[r].impulse : NULL);
    }
}

/// What gives in proportion to what it holds shares out what is held twice.
SD_INLINE void giveWay(const sdTreeGroup* group, int b) {
    sdF8* impulses[3];
    getImpulses(group, b, impulses);
    for (int i = 0; i < 3; ++i) {
        if (impulses[i] != NULL) {
            group->matrices[b].vector[i] -= group->matrices[b].gives[i] * *impulses[i];
        }
    }
}

/// Give the bodies of a block impulses of x.
SD_INLINE void pushBlock(const sdTreeGroup* group, int b, const sdF8* x) {
    const sdTreeBlock* block = &group->plan->blocks[b];
    const sdTreeNode* node = &group->plan->nodes[block->node];
    const sdTreeMatrix* matrix = &group->matrices[b];
    sdTreeBody *bodyA = &group->bodies[node->bodyA], *bodyB = &group->bodies[node->bodyB];
    sdVec3x8 impulse = {x[0], x[1], x[2]};
    if (block->firstRow != SD_NULL_INDEX) {
        const sdVec3x8* linear = group->rows[b].linear;
        impulse = sdVec3x8_MulAdd(sdVec3x8_Scale(x[0], linear[0]), x[1], linear[1]);
        impulse = sdVec3x8_MulAdd(impulse, x[2], linear[2]);
    }
    sdVec3x8 spinA =
        sdVec3x8_MulAdd(sdVec3x8_Scale(x[0], matrix->turnA[0]), x[1], matrix->turnA[1]);
    sdVec3x8 spinB =
        sdVec3x8_MulAdd(sdVec3x8_Scale(x[0], matrix->turnB[0]), x[1], matrix->turnB[1]);
    spinA = sdVec3x8_MulAdd(spinA, x[2], matrix->turnA[2]);
    spinB = sdVec3x8_MulAdd(spinB, x[2], matrix->turnB[2]);
    sdBodyLanes *a = &bodyA->now, *c = &bodyB->now;
    a->velocity = sdVec3x8_MulAdd(a->velocity, sdF8_Zero() - bodyA->mass, impulse);
    a->angularVelocity = sdVec3x8_Sub(a->angularVelocity, spinA);
    c->velocity = sdVec3x8_MulAdd(c->velocity, bodyB->mass, impulse);
    c->angularVelocity = sdVec3x8_Add(c->angularVelocity, spinB);
}

/// Solve the locks for what has been loaded.
SD_NOINLINE void solveLocks(const sdTreeGroup* group) {
    const sdTreePlan* plan = group->plan;
    for (int b = 0; b < plan->blockCount; ++b) {
        giveWay(group, b);
    }
    substitute(group);
    for (int b = 0; b < plan->blockCount; ++b) {
        const sdF8* x = group->matrices[b].vector;
        sdF8* impulses[3];
        getImpulses(group, b, impulses);
        for (int i = 0; i < 3; ++i) {
            if (impulses[i] != NULL) {
                *impulses[i] += x[i];
            }
        }
        pushBlock(group, b, x);
    }
    respondAll(group);
}

/// @return whether a limit is hit, or left, at speed
SD_INLINE bool sweepNode(const sdTreeGroup* group, int n, float h, bool isBiased) {
    const sdTreeNode* node = &group->plan->nodes[n];
    sdJointBatch* batch = group->batches[n];
    sdBodyLanes *a = &group->bodies[node->bodyA].now, *b = &group->bodies[node->bodyB].now;
    sdJointKick sum = batch->applied;
    sdF8 small = sdF8_Splat(HIT_SPEED);
    sdI8 isHit = sdF8_Less(small, small);
    for (int i = batch->rowCount - 1; i >= batch->lockCount; --i) {
        sdJointRow8* row = &batch->rows[i];
        if (!row->isIdle) {
            sdF8 change = row->isAimed ? solveAim(row, &group->aims[n][i], h, isBiased, a, b)
                                       : sdJointLanes_SolveRow(batch, row, &group->poses[n], h,
                                                               isBiased, a, b, &sum);
            isHit |= (sdI8)row->isLimit & sdF8_Less(small * row->mass, sdF8_Abs(change));
        }
    }
    return sdI8_Any(isHit);
}

SD_INLINE bool sweep(const sdTreeGroup* group, float h, bool isBiased) {
    bool isHit = false;
    for (int n = 0; group->hasSweeps && n < group->plan->nodeCount; ++n) {
        if (group->batches[n]->rowCount > group->batches[n]->lockCount) {
            isHit = sweepNode(group, n, h, isBiased) || isHit;
        }
    }
    if (group->hasSweeps) {
        respondAll(group);
    }
    return isHit;
}

/// Farthest that a body turns in a sub-step, rad.
SD_INLINE float findTurn(const sdTreeGroup* group, float h) {
    sdF8 fastest = sdF8_Zero();
    for (int i = 0; i < group->plan->bodyCount; ++i) {
        sdVec3x8 w = group->bodies[i].now.angularVelocity;
        fastest = sdF8_Max(sdVec3x8_Dot(w, w), fastest);
    }
    return h * sqrtf(sdF8_ReduceMax(fastest));
}

/// Velocities with which locked rows stay as they are.
SD_NOINLINE void lockSpeeds(const sdTreeGroup* group) {
    for (int n = 0; n < group->plan->nodeCount; ++n) {
        loadSpeeds(group, n);
    }
    solveLocks(group);
}

SD_INLINE int countSweeps(const sdTreeGroup* group) {
    return group->isAlone ? MAX_SWEEPS : MAX_TOUCHED_SWEEPS;
}

/// Velocities with which joints will be together at the end of the sub-step.
SD_NOINLINE void solvePlaces(const sdTreeGroup* group, float h) {
    const sdTreePlan* plan = group->plan;
    bool isHit = group->hasSweeps;
    int count = 1, most = countSweeps(group);
    for (int k = 0; k < count || (isHit && k < most); ++k) {
        isHit = isHit && sweep(group, h, true);
        // a limit that stops a long arm spins a light body up until locks hold it: places are
        // sought from where it will be then
        if ((isHit || (k == 0 && group->hasSweeps)) && findTurn(group, h) > WIDE_TURN) {
            lockSpeeds(group);
        }
        sdF8 widest = sdF8_Zero();
        for (int i = 0; i < plan->bodyCount; ++i) {
            sdTreeBody* body = &group->bodies[i];
            findAngle(body, h);
            body->angle = cutAngle(body->angle);
            widest = sdF8_Max(sdVec3x8_Dot(body->angle, body->angle), widest);
        }
        for (int n = 0; n < plan->nodeCount; ++n) {
            loadErrors(group, n, h);
        }
        solveLocks(group);
        if (k == 0) {
            float square = sdF8_ReduceMax(widest);
            // one joint takes little, and a pendulum shall not stretch
            float wide = group->isAlone && plan->nodeCount == 1 ? NARROW_TURN : WIDE_TURN;
            count = square > MAX_TURN * MAX_TURN * 0.99f       ? 1
                    : square > VERY_WIDE_TURN * VERY_WIDE_TURN ? 3
                    : square > wide * wide                     ? 2
                                                               : 1;
        }
    }
}

/// Velocities with which joints stay together.
SD_NOINLINE void solveSpeeds(const sdTreeGroup* group, float h) {
    bool isHit = true;
    for (int k = 0; isHit && k < countSweeps(group); ++k) {
        isHit = sweep(group, h, false);
        lockSpeeds(group);
    }
}

SD_INLINE void scaleImpulses(const sdTreeGroup* group, float scale) {
    for (int n = 0; n < group->plan->nodeCount; ++n) {
        sdJointBatch* batch = group->batches[n];
        batch->impulse = sdVec3x8_Scale(sdF8_Splat(scale), batch->impulse);
        for (int i = 0; i < batch->rowCount; ++i) {
            batch->rows[i].impulse *= sdF8_Splat(scale);
        }
    }
}

/// Give bodies the impulses that joints have, times a scale.
SD_INLINE void pushAgain(const sdTreeGroup* group, float scale) {
    const sdTreePlan* plan = group->plan;
    if (scale != 1.0f) {
        scaleImpulses(group, scale);
    }
    for (int b = 0; b < plan->blockCount; ++b) {
        sdF8 *impulses[3], x[3];
        getImpulses(group, b, impulses);
        for (int i = 0; i < 3; ++i) {
            x[i] = impulses[i] != NULL ? *impulses[i] : sdF8_Zero();
        }
        pushBlock(group, b, x);
    }
    for (int n = 0; group->hasSweeps && n < plan->nodeCount; ++n) {
        const sdTreeNode* node = &plan->nodes[n];
        const sdJointBatch* batch = group->batches[n];
        sdBodyLanes *a = &group->bodies[node->bodyA].now, *b = &group->bodies[node->bodyB].now;
        for (int i = batch->lockCount; i < batch->rowCount; ++i) {
            if (!batch->rows[i].isIdle && batch->rows[i].isAimed) {
                pushAim(&group->aims[n][i], batch->rows[i].impulse, a, b);
            } else if (!batch->rows[i].isIdle) {
                sdJointJacobian j = jacobianOf(group, n, i);
                sdJointLanes_PushRow(batch, &j, batch->rows[i].impulse, a, b);
            }
        }
    }
}

// ---- limits of speed and energy ------------------------------------------------------------

/// What is faster than series and solutions can follow is slowed down.
SD_INLINE void limitSpeeds(sdTreeBody* body, float h) {
    float fastest = MAX_TURN / h;
    sdBodyLanes* now = &body->now;
    sdF8 v = sdVec3x8_Dot(now->velocity, now->velocity);
    sdF8 w = sdVec3x8_Dot(now->angularVelocity, now->angularVelocity);
    sdF8 limitV = sdF8_Splat(SD_MAX_SPEED * SD_MAX_SPEED), limitW = sdF8_Splat(fastest * fastest);
    if (sdI8_Any(sdF8_Less(limitV, v) | sdF8_Less(limitW, w))) {
        sdF8 scaleV = sdF8_Sqrt(limitV / sdF8_Max(v, limitV));
        sdF8 scaleW = sdF8_Sqrt(limitW / sdF8_Max(w, limitW));
        now->velocity = sdVec3x8_Scale(scaleV, now->velocity);
        now->angularVelocity = sdVec3x8_Scale(scaleW, now->angularVelocity);
    }
}

/// Energy of motion of each set, and what gravity and forces have given it since the step began.
SD_NOINLINE sdF8 findEnergy(const sdTreeGroup* group, float h, sdF8* work) {
    sdF8 sum = sdF8_Zero();
    *work = sdF8_Zero();
    for (int i = 0; i < group->plan->bodyCount; ++i) {
        const sdTreeBody* body = &group->bodies[i];
        const sdBodyLanes* now = &body->now;
        sdVec3x8 momentum = sdSym3x8_Mul(&body->momentNow, now->angularVelocity);
        sdF8 mass = sdF8_InverseOf(body->mass);
        sum += mass * sdVec3x8_Dot(now->velocity, now->velocity) +
               sdVec3x8_Dot(momentum, now->angularVelocity);
        *work += mass * sdVec3x8_Dot(body->gain, now->displacement);
    }
    *work *= sdF8_Splat(1.0f / h);
    return sdF8_Splat(0.5f) * sum;
}

/// Energy of motion of each set if it went at some speed.
SD_INLINE sdF8 energyAt(const sdTreeGroup* group, float speed) {
    sdF8 mass = sdF8_Zero();
    for (int i = 0; i < group->plan->bodyCount; ++i) {
        mass += sdF8_InverseOf(group->bodies[i].mass);
    }
    return sdF8_Splat(0.5f * speed * speed) * mass;
}

/// The energy that a set may have on its way through a sub-step. One that was torn apart, farther
/// than a sub-step may draw it, needs what lifts it: it has none, and would hang in the air.
SD_NOINLINE sdF8 leaveToDraw(const sdTreeGroup* group, float h, sdF8 most) {
    sdF8 farthest = sdF8_Zero(), limit = sdF8_Splat(SD_JOINT_MAX_PUSH * h);
    for (int n = 0; n < group->plan->nodeCount; ++n) {
        if (group->batches[n]->hasBlock) {
            sdVec3x8 offset = group->poses[n].offset;
            farthest = sdF8_Max(sdVec3x8_Dot(offset, offset), farthest);
        }
    }
    sdI8 isTorn = sdF8_Less(limit * limit, farthest);
    if (!sdI8_Any(isTorn)) {
        return most;
    }
    sdF8 drawn = sdF8_Max(most, energyAt(group, SD_JOINT_MAX_PUSH));
    return sdF8_Select(isTorn, drawn, most);
}

/// What is stiff beyond measure, as a chain under a load that is thrown up, may gain energy. Slowed
/// down as a whole it has none, and joints still fit.
SD_NOINLINE void slowTo(const sdTreeGroup* group, sdF8 energy, sdF8 most) {
    sdI8 isMore = sdF8_Less(most, energy);
    if (!sdI8_Any(isMore)) {
        return;
    }
    sdF8 one = sdF8_Splat(1.0f), zero = sdF8_Zero();
    sdF8 scale = sdF8_Sqrt(sdF8_Max(most, zero) / sdF8_Select(isMore, energy, one));
    scale = sdF8_Select(isMore, scale, one);
    for (int i = 0; i < group->plan->bodyCount; ++i) {
        sdBodyLanes* now = &group->bodies[i].now;
        now->velocity = sdVec3x8_Scale(scale, now->velocity);
        now->angularVelocity = sdVec3x8_Scale(scale, now->angularVelocity);
    }
}

#endif
