// SPDX-License-Identifier: MIT
// joint_grip_lanes.h - contacts that hold bodies of slender sets, eight at a time. For kernels.

#ifndef SD_DYNAMICS_JOINT_GRIP_LANES_H
#define SD_DYNAMICS_JOINT_GRIP_LANES_H

#include "dynamics/joint_lanes.h"
#include "dynamics/joint_tree.h"

/// How much a grip gives, of its inverse mass: floats must tell it from a lock that a joint adds.
#define GRIP_SOFTNESS 1e-3f
/// m/s that a body may be off when a contact that was to hold it would have had to pull.
#define PULL_SPEED 0.01f

SD_INLINE void loadGrip(sdTreeGrip* grip) {
    float impulses[SD_LANES];
    for (int i = 0; i < SD_LANES; ++i) {
        impulses[i] = grip->impulses[i] != NULL ? *grip->impulses[i] : 0.0f;
    }
    grip->impulse = sdF8_Load(impulses);
}

/// Commit what a point took; it pushes, and never pulls.
SD_INLINE void storeGrip(const sdTreeGrip* grip) {
    sdF8 next = sdF8_Max(grip->impulse + grip->change, sdF8_Zero());
    for (int i = 0; i < SD_LANES; ++i) {
        if ((grip->held >> i & 1) != 0) {
            *grip->impulses[i] = next[i];
        }
    }
}

/// Points that push now hold.
SD_INLINE void chooseGrips(const sdTreeGroup* group) {
    for (int i = 0; group->hasGrips && i < group->plan->bodyCount; ++i) {
        const sdTreeBody* body = &group->bodies[i];
        for (int g = 0; g < body->gripCount; ++g) {
            sdTreeGrip* grip = &body->grips[g];
            loadGrip(grip);
            grip->held = (uint8_t)sdI8_MaskBits(sdF8_Less(sdF8_Zero(), grip->impulse));
        }
    }
}

/// What is left of M⁻¹ by the points that push.
SD_INLINE void holdBody(sdTreeBody* body) {
    sdF8 zero = sdF8_Zero(), one = sdF8_Splat(1.0f);
    body->isHeld = false;
    for (int g = 0; g < body->gripCount; ++g) {
        sdTreeGrip* grip = &body->grips[g];
        float held[SD_LANES];
        body->isHeld = body->isHeld || grip->held != 0;
        if (grip->held == 0) {
            memset(&grip->whirl, 0, sizeof grip->whirl);
            memset(&grip->inverseRoot, 0, sizeof grip->inverseRoot);
            memset(&grip->move, 0, sizeof grip->move);
            memset(&grip->turn, 0, sizeof grip->turn);
            for (int k = 0; k < g; ++k) {
                body->grips[k].couplings[g] = zero;
            }
            continue;
        }
        for (int i = 0; i < SD_LANES; ++i) {
            held[i] = (grip->held >> i & 1) != 0 ? 1.0f : 0.0f;
        }
        sdVec3x8 move = sdVec3x8_Scale(body->mass, grip->normal);
        sdVec3x8 turn = sdSym3x8_Mul(&body->inertia, grip->spin);
        grip->whirl = turn;
        grip->whole = sdVec3x8_Dot(grip->normal, move) + sdVec3x8_Dot(grip->spin, turn);
        for (int k = 0; k < g; ++k) {
            sdTreeGrip* before = &body->grips[k];
            sdF8 s =
                sdVec3x8_Dot(before->move, grip->normal) + sdVec3x8_Dot(before->turn, grip->spin);
            move = sdVec3x8_MulAdd(move, zero - s, before->move);
            turn = sdVec3x8_MulAdd(turn, zero - s, before->turn);
            before->couplings[g] = s;
        }
        sdF8 left = sdVec3x8_Dot(grip->normal, move) + sdVec3x8_Dot(grip->spin, turn);
        left = sdF8_Max(left, zero) + sdF8_Splat(GRIP_SOFTNESS) * grip->whole;
        sdI8 isHeld = sdF8_Less(zero, sdF8_Load(held)) & sdF8_Less(zero, left);
        sdF8 root = sdF8_Sqrt(sdF8_Select(isHeld, left, one));
        grip->inverseRoot = sdF8_Select(isHeld, one / root, zero);
        grip->move = sdVec3x8_Scale(grip->inverseRoot, move);
        grip->turn = sdVec3x8_Scale(grip->inverseRoot, turn);
    }
}

/// Let the points that hold a body take what joints have given it since it was marked.
SD_INLINE void respond(sdTreeBody* body) {
    sdBodyLanes* now = &body->now;
    sdVec3x8 dv = sdVec3x8_Sub(now->velocity, body->heldVelocity);
    sdVec3x8 dw = sdVec3x8_Sub(now->angularVelocity, body->heldSpin);
    sdF8 zero = sdF8_Zero(), parts[SD_MAX_GRIPS], changes[SD_MAX_GRIPS];
    for (int g = 0; g < body->gripCount; ++g) {
        const sdTreeGrip* grip = &body->grips[g];
        parts[g] =
            grip->inverseRoot * (sdVec3x8_Dot(grip->normal, dv) + sdVec3x8_Dot(grip->spin, dw));
        dv = sdVec3x8_MulAdd(dv, zero - parts[g], grip->move);
        dw = sdVec3x8_MulAdd(dw, zero - parts[g], grip->turn);
    }
    for (int g = body->gripCount - 1; g >= 0; --g) {
        sdTreeGrip* grip = &body->grips[g];
        sdF8 sum = parts[g];
        for (int k = g + 1; k < body->gripCount; ++k) {
            sum += grip->couplings[k] * changes[k];
        }
        changes[g] = zero - sum * grip->inverseRoot;
        grip->change += changes[g];
        sdVec3x8 velocity = sdVec3x8_Scale(changes[g] * body->mass, grip->normal);
        sdVec3x8 spin = sdVec3x8_Scale(changes[g], grip->whirl);
        now->velocity = sdVec3x8_Add(now->velocity, velocity);
        now->angularVelocity = sdVec3x8_Add(now->angularVelocity, spin);
        // contacts gave it, not joints
        body->givenVelocity = sdVec3x8_Sub(body->givenVelocity, velocity);
        body->givenSpin = sdVec3x8_Sub(body->givenSpin, spin);
    }
    body->heldVelocity = now->velocity;
    body->heldSpin = now->angularVelocity;
}

SD_INLINE void respondAll(const sdTreeGroup* group) {
    for (int i = 0; group->hasGrips && i < group->plan->bodyCount; ++i) {
        if (group->bodies[i].isHeld) {
            respond(&group->bodies[i]);
        }
    }
}

// ---- trying --------------------------------------------------------------------------------

/// Keep the impulses of joints, which a solution that does not hold must give back.
SD_INLINE void saveImpulses(const sdTreeGroup* group) {
    sdF8* saved = group->saved;
    for (int n = 0; n < group->plan->nodeCount; ++n) {
        const sdJointBatch* batch = group->batches[n];
        *saved++ = batch->impulse.x;
        *saved++ = batch->impulse.y;
        *saved++ = batch->impulse.z;
        for (int i = 0; i < batch->rowCount; ++i) {
            *saved++ = batch->rows[i].impulse;
        }
    }
}

SD_INLINE void restoreImpulses(const sdTreeGroup* group, sdI8 lanes) {
    const sdF8* saved = group->saved;
    for (int n = 0; n < group->plan->nodeCount; ++n) {
        sdJointBatch* batch = group->batches[n];
        batch->impulse.x = sdF8_Select(lanes, *saved++, batch->impulse.x);
        batch->impulse.y = sdF8_Select(lanes, *saved++, batch->impulse.y);
        batch->impulse.z = sdF8_Select(lanes, *saved++, batch->impulse.z);
        for (int i = 0; i < batch->rowCount; ++i) {
            batch->rows[i].impulse = sdF8_Select(lanes, *saved++, batch->rows[i].impulse);
        }
    }
}

/// Begin a solution that may have to be taken back.
SD_INLINE void markStart(const sdTreeGroup* group) {
    for (int i = 0; i < group->plan->bodyCount; ++i) {
        sdTreeBody* body = &group->bodies[i];
        body->heldVelocity = body->startVelocity = body->now.velocity;
        body->heldSpin = body->startSpin = body->now.angularVelocity;
        body->startGivenVelocity = body->givenVelocity;
        body->startGivenSpin = body->givenSpin;
        for (int g = 0; g < body->gripCount; ++g) {
            body->grips[g].change = sdF8_Zero();
        }
    }
    saveImpulses(group);
}

SD_INLINE void takeBack(const sdTreeGroup* group, sdI8 lanes) {
    for (int i = 0; i < group->plan->bodyCount; ++i) {
        sdTreeBody* body = &group->bodies[i];
        sdBodyLanes* now = &body->now;
        now->velocity = sdVec3x8_Select(lanes, body->startVelocity, now->velocity);
        now->angularVelocity = sdVec3x8_Select(lanes, body->startSpin, now->angularVelocity);
        body->heldVelocity = now->velocity;
        body->heldSpin = now->angularVelocity;
        body->givenVelocity = sdVec3x8_Select(lanes, body->startGivenVelocity, body->givenVelocity);
        body->givenSpin = sdVec3x8_Select(lanes, body->startGivenSpin, body->givenSpin);
        for (int g = 0; g < body->gripCount; ++g) {
            sdTreeGrip* grip = &body->grips[g];
            grip->change = sdF8_Select(lanes, sdF8_Zero(), grip->change);
        }
    }
    restoreImpulses(group, lanes);
}

/// Contacts of some lanes hold nothing in this solution.
SD_INLINE void letGo(const sdTreeGroup* group, uint32_t lanes) {
    for (int i = 0; i < group->plan->bodyCount; ++i) {
        for (int g = 0; g < group->bodies[i].gripCount; ++g) {
            group->bodies[i].grips[g].held &= (uint8_t)~lanes;
        }
    }
}

/// Release points that would have to pull.
/// @return whether there are such
SD_INLINE bool releaseGrips(const sdTreeGroup* group, bool isLast) {
    bool isPulled = false;
    for (int i = 0; i < group->plan->bodyCount; ++i) {
        const sdTreeBody* body = &group->bodies[i];
        for (int g = 0; g < body->gripCount; ++g) {
            sdTreeGrip* grip = &body->grips[g];
            sdF8 next = (grip->impulse + grip->change) * grip->whole;
            uint8_t pulled =
                (uint8_t)sdI8_MaskBits(sdF8_Less(next, sdF8_Splat(-PULL_SPEED))) & grip->held;
            isPulled = isPulled || pulled != 0;
            grip->held &= (uint8_t)~pulled;
        }
    }
    if (isPulled && isLast) {
        letGo(group, 0xFF);
    }
    return isPulled;
}

/// Contacts start anew in some lanes: they will not get what they gave in the sub-step before.
SD_INLINE void forgetGrips(const sdTreeGroup* group, uint32_t lanes) {
    for (int i = 0; i < group->plan->bodyCount; ++i) {
        for (int g = 0; g < group->bodies[i].gripCount * SD_LANES; ++g) {
            const sdTreeGrip* grip = &group->bodies[i].grips[g / SD_LANES];
            int lane = g % SD_LANES;
            if ((lanes >> lane & 1) != 0 && grip->impulses[lane] != NULL) {
                sdSoftBatch* batch = grip->batches[lane];
                *grip->impulses[lane] = 0.0f;
                sdF8_SetLane(&batch->friction1, grip->lanes[lane], 0.0f);
                sdF8_SetLane(&batch->friction2, grip->lanes[lane], 0.0f);
                sdF8_SetLane(&batch->twist, grip->lanes[lane], 0.0f);
                sdVec3x8_SetLane(&batch->rolling, grip->lanes[lane], sdV3(0.0f, 0.0f, 0.0f));
            }
        }
    }
}

SD_INLINE void storeGrips(const sdTreeGroup* group) {
    for (int i = 0; i < group->plan->bodyCount; ++i) {
        for (int g = 0; g < group->bodies[i].gripCount; ++g) {
            storeGrip(&group->bodies[i].grips[g]);
        }
    }
}

#endif
