// SPDX-License-Identifier: MIT
// impulse_joint_guard.c - joints of the impulse solver give no energy that is not there.
//
// In:   velocities before and after joints were solved.
// Out:  the same, or as much of the change as is allowed.
// Note: where a body turns by a radian in a step, or passes are not enough for a net, impulses that
//       should hold joints together would throw what hangs on them away. Energy is measured for all
//       that hangs together; along the change it is a parabola, so that the allowed share of it has
//       a closed form.

#include "dynamics/impulse_joint_rows.h"

/// Share of its energy that a set may gain when places are stabilised: velocities after that are
/// those of chords, which differ a little from those of arcs.
#define CHORD_SHARE 0.1
/// m/s that joints which are apart may give to bodies at rest, to come together.
#define PULL_SPEED 0.5
/// Share of its energy that joints may give to a set in a step in the end.
#define STEP_SHARE 0.01
/// Newton's method may go too far: then a quarter of its way is tried, and so on.
#define MAX_TRIES 4
#define NEXT_TRY 0.25f
/// rad that a body may turn in a step: Newton's method follows no more in a few iterations.
#define MAX_ANGLE 0.5f

/// Energies of a set, J.
typedef struct Energy {
    double before, cross, change; ///< E(s) = before + s cross + s² change
    double slack;
    double gain;   ///< by joints in this step
    bool isDriven; ///< it hangs on what moves by itself
    bool isHeld;   ///< it hangs on what stands
    double mass;
    double momentum[3];
    float fastest;               ///< rad/s
    float errorBefore, errorNow; ///< as sdImpulseJoint_FindErrors
    float share;                 ///< of a change that was too far
    float scale;                 ///< of its motion, the same for all
} Energy;

struct sdJointGuard {
    int* sets;                              ///< of each body; SD_NULL_INDEX: none
    sdVec3 *velocities, *angularVelocities; ///< before a pass
    sdVec3 *newVelocities, *newAngularVelocities;
    Energy* energies;
    int setCount;
};

sdJointGuard* sdJointGuard_Prepare(sdImpulseJoints* joints, const int* setOfJoint, int setCount) {
    sdArena* arena = &joints->step->world->arena;
    size_t count = (size_t)joints->ground + 1;
    sdJointGuard* guard = sdArena_Alloc(arena, 1, sizeof *guard);
    int* sets = sdArena_Alloc(arena, count, sizeof *sets);
    sdVec3* velocities = sdArena_Alloc(arena, 4 * count, sizeof *velocities);
    Energy* energies = sdArena_Alloc(arena, (size_t)setCount + 1, sizeof *energies);
    if (guard == NULL || sets == NULL || velocities == NULL || energies == NULL) {
        return NULL;
    }
    *guard = (sdJointGuard){
        sets,     velocities, velocities + count, velocities + 2 * count, velocities + 3 * count,
        energies, setCount};
    memset(energies, 0, ((size_t)setCount + 1) * sizeof *energies);
    for (size_t i = 0; i < count; ++i) {
        sets[i] = SD_NULL_INDEX;
    }
    for (int i = 0; i < joints->count; ++i) {
        int bodies[2] = {joints->joints[i].bodyA, joints->joints[i].bodyB};
        for (int k = 0; k < 2; ++k) {
            if (bodies[k] == joints->ground) {
                energies[setOfJoint[i]].isHeld = true;
                continue;
            }
            if (joints->step->motions[bodies[k]].isDynamic) {
                sets[bodies[k]] = joints->joints[i].set = setOfJoint[i];
            } else {
                energies[setOfJoint[i]].isDriven = true;
            }
        }
    }
    return guard;
}

static double productOf(const sdImpulseJoints* joints, int index, sdVec3 v1, sdVec3 w1, sdVec3 v2,
                        sdVec3 w2) {
    const sdImpulseBody* body = &joints->bodies[index];
    const sdBody* own = &joints->step->world->bodies.data[body->body];
    sdVec3 a = sdInvRotate(body->rotation, w1), b = sdInvRotate(body->rotation, w2);
    return 0.5 * (double)own->mass * (double)sdDot(v1, v2) +
           0.5 * (double)sdDot(a, sdMulMV(own->inertia, b));
}

void sdJointGuard_Start(sdImpulseJoints* joints) {
    sdJointGuard* guard = joints->guard;
    for (int i = 0; i < joints->ground; ++i) {
        guard->velocities[i] = joints->bodies[i].velocity;
        guard->angularVelocities[i] = joints->bodies[i].angularVelocity;
    }
    for (int i = 0; i < joints->count; ++i) {
        joints->joints[i].forceBefore = joints->joints[i].force;
        joints->joints[i].torqueBefore = joints->joints[i].torque;
    }
}

/// Largest errors of the sets that are solved together, at the end of the step.
static void findErrors(sdImpulseJoints* joints) {
    sdJointGuard* guard = joints->guard;
    for (int i = 0; i < guard->setCount; ++i) {
        guard->energies[i].errorNow = 0.0f;
    }
    for (int i = 0; i < joints->count; ++i) {
        const sdImpulseJoint* joint = &joints->joints[i];
        Energy* energy = &guard->energies[joint->set];
        sdLockSet set;
        double errors[SD_MAX_LOCKS];
        if (!joint->isWide) {
            float error = sdImpulseJoint_FindErrors(joints, joint, true, &set, errors);
            // what is not a number is as bad as can be
            energy->errorNow = sdMaxF(energy->errorNow, error <= FLT_MAX ? error : FLT_MAX);
        }
    }
}

void sdJointGuard_StartSearch(sdImpulseJoints* joints) {
    sdJointGuard* guard = joints->guard;
    findErrors(joints);
    for (int i = 0; i < guard->setCount; ++i) {
        guard->energies[i].errorBefore = guard->energies[i].errorNow;
    }
}

void sdJointGuard_Search(sdImpulseJoints* joints) {
    sdJointGuard* guard = joints->guard;
    for (int i = 0; i < joints->ground; ++i) {
        guard->newVelocities[i] = joints->bodies[i].velocity;
        guard->newAngularVelocities[i] = joints->bodies[i].angularVelocity;
    }
    for (int i = 0; i < guard->setCount; ++i) {
        guard->energies[i].share = 1.0f;
    }
    bool isFar = true;
    for (int tries = 0; tries < MAX_TRIES && isFar; ++tries) {
        isFar = false;
        findErrors(joints);
        for (int i = 0; i < guard->setCount; ++i) {
            Energy* energy = &guard->energies[i];
            if (energy->errorNow > energy->errorBefore) {
                energy->share = tries + 1 < MAX_TRIES ? NEXT_TRY * energy->share : 0.0f;
                isFar = true;
            }
        }
        for (int i = 0; i < joints->ground && isFar; ++i) {
            float share =
                guard->sets[i] != SD_NULL_INDEX ? guard->energies[guard->sets[i]].share : 1.0f;
            if (share < 1.0f) {
                sdVec3 v = guard->velocities[i], w = guard->angularVelocities[i];
                joints->bodies[i].velocity =
                    share > 0.0f ? sdLerp(v, guard->newVelocities[i], share) : v;
                joints->bodies[i].angularVelocity =
                    share > 0.0f ? sdLerp(w, guard->newAngularVelocities[i], share) : w;
            }
        }
    }
}

static void measure(sdImpulseJoints* joints) {
    sdJointGuard* guard = joints->guard;
    for (int i = 0; i < guard->setCount; ++i) {
        Energy* energy = &guard->energies[i];
        energy->before = energy->cross = energy->change = energy->slack = 0.0;
    }
    for (int i = 0; i < joints->ground; ++i) {
        if (guard->sets[i] == SD_NULL_INDEX) {
            continue;
        }
        const sdImpulseBody* body = &joints->bodies[i];
        Energy* energy = &guard->energies[guard->sets[i]];
        sdVec3 v = guard->velocities[i], w = guard->angularVelocities[i];
        sdVec3 dv = sdSub(body->velocity, v), dw = sdSub(body->angularVelocity, w);
        energy->before += productOf(joints, i, v, w, v, w);
        energy->cross += 2.0 * productOf(joints, i, v, w, dv, dw);
        energy->change += productOf(joints, i, dv, dw, dv, dw);
        energy->slack += 0.5 * (double)joints->step->world->bodies.data[body->body].mass *
                         PULL_SPEED * PULL_SPEED;
    }
}

/// The largest share of a change that gives no more than is allowed.
static double shareOf(const Energy* energy, double allowed) {
    double gain = energy->cross + energy->change;
    if (gain <= allowed || energy->isDriven) {
        return 1.0;
    }
    if (!(energy->change < DBL_MAX)) {
        return 0.0; // not a number, or as good as none
    }
    double b = energy->cross, root = sqrt(b * b + 4.0 * energy->change * allowed);
    return energy->change > 0.0 ? (root - b) / (2.0 * energy->change) : 0.0;
}

void sdJointGuard_LimitPlaces(sdImpulseJoints* joints) {
    sdJointGuard* guard = joints->guard;
    measure(joints);
    for (int i = 0; i < guard->setCount; ++i) {
        Energy* energy = &guard->energies[i];
        double share = shareOf(energy, CHORD_SHARE * energy->before + energy->slack);
        energy->gain += share * (energy->cross + share * energy->change);
        energy->slack = share;
    }
    for (int i = 0; i < joints->ground; ++i) {
        int set = guard->sets[i];
        float share = set != SD_NULL_INDEX ? (float)guard->energies[set].slack : 1.0f;
        sdImpulseBody* body = &joints->bodies[i];
        if (share < 1.0f) {
            bool isFull = share > 0.0f;
            sdVec3 v = guard->velocities[i], w = guard->angularVelocities[i];
            body->velocity = isFull ? sdLerp(v, body->velocity, share) : v;
            body->angularVelocity = isFull ? sdLerp(w, body->angularVelocity, share) : w;
        }
    }
    for (int i = 0; i < joints->count; ++i) {
        sdImpulseJoint* joint = &joints->joints[i];
        int set = guard->sets[joint->bodyA == joints->ground ? joint->bodyB : joint->bodyA];
        float share = set != SD_NULL_INDEX ? (float)guard->energies[set].slack : 1.0f;
        if (share < 1.0f) {
            bool isFull = share > 0.0f;
            joint->force =
                isFull ? sdLerp(joint->forceBefore, joint->force, share) : joint->forceBefore;
            joint->torque =
                isFull ? sdLerp(joint->torqueBefore, joint->torque, share) : joint->torqueBefore;
        }
    }
}

/// Slow down sets, each as a whole: about their common motion, if they are free, so that joints
/// still hold and momentum is kept.
static void slowDown(sdImpulseJoints* joints) {
    sdJointGuard* guard = joints->guard;
    for (int i = 0; i < joints->ground; ++i) {
        const Energy* energy =
            guard->sets[i] != SD_NULL_INDEX ? &guard->energies[guard->sets[i]] : NULL;
        if (energy == NULL || energy->scale >= 1.0f) {
            continue;
        }
        sdImpulseBody* body = &joints->bodies[i];
        double rate = energy->isHeld ? 0.0 : 1.0 / energy->mass;
        sdVec3 common =
            sdV3((float)(rate * energy->momentum[0]), (float)(rate * energy->momentum[1]),
                 (float)(rate * energy->momentum[2]));
        body->velocity = sdMulAdd(common, energy->scale, sdSub(body->velocity, common));
        body->angularVelocity = sdScale(energy->scale, body->angularVelocity);
    }
}

static void findMotions(sdImpulseJoints* joints) {
    sdJointGuard* guard = joints->guard;
    for (int i = 0; i < guard->setCount; ++i) {
        Energy* energy = &guard->energies[i];
        energy->mass = energy->momentum[0] = energy->momentum[1] = energy->momentum[2] = 0.0;
        energy->fastest = 0.0f;
        energy->scale = 1.0f;
    }
    for (int i = 0; i < joints->ground; ++i) {
        if (guard->sets[i] != SD_NULL_INDEX) {
            const sdImpulseBody* body = &joints->bodies[i];
            Energy* energy = &guard->energies[guard->sets[i]];
            double mass = (double)joints->step->world->bodies.data[body->body].mass;
            energy->mass += mass;
            energy->momentum[0] += mass * (double)body->velocity.x;
            energy->momentum[1] += mass * (double)body->velocity.y;
            energy->momentum[2] += mass * (double)body->velocity.z;
            energy->fastest = sdMaxF(energy->fastest, sdLength(body->angularVelocity));
        }
    }
}

void sdJointGuard_LimitTurns(sdImpulseJoints* joints) {
    sdJointGuard* guard = joints->guard;
    findMotions(joints);
    for (int i = 0; i < guard->setCount; ++i) {
        Energy* energy = &guard->energies[i];
        float angle = energy->fastest * joints->step->dt;
        energy->scale = angle > MAX_ANGLE && !energy->isDriven ? MAX_ANGLE / angle : 1.0f;
    }
    slowDown(joints);
}

void sdJointGuard_LimitStep(sdImpulseJoints* joints) {
    sdJointGuard* guard = joints->guard;
    measure(joints);
    findMotions(joints);
    for (int i = 0; i < guard->setCount; ++i) {
        Energy* energy = &guard->energies[i];
        energy->gain += energy->cross + energy->change;
        double now = energy->before + energy->cross + energy->change;
        double most = now - energy->gain + STEP_SHARE * now;
        if (energy->gain > STEP_SHARE * now && now > 0.0 && !energy->isDriven) {
            energy->scale = (float)sqrt(most > 0.0 ? most / now : 0.0);
        }
    }
    slowDown(joints);
}
