// SPDX-License-Identifier: MIT
// hit.c - how hard shapes met: an event for each impact, at contacts and on the way.
//
// In:   patches whose points come nearer fast when a step begins, what they were given in it, and
//       velocities at its end; impacts on the way of fast bodies.
// Out:  hit events.
// Note: a step may only slow down what the next one stops, for contacts see a sub-step further than
//       it is long; and what lands on others stops bit by bit. So speed and impulse of a blow are
//       kept at its patch from step to step, and it is told once, when its speed is gone, or soon.
//       From then on it lasts until nothing comes nearer fast: what is pinched is not hit anew.

#include "dynamics/contact.h"

/// Part of its speed that a blow has left when it is over, and steps after which it is told anyway.
#define SPEED_LEFT 0.01f
#define MAX_STEPS 4
/// Part of a hit that any of its points has in where it was.
#define LEAST_SHARE 1e-6f
/// m/s, of which floats can hold the square. Bodies are kept to less, but not their points: what is
/// far from its centre of mass and spins has faster ones.
#define MOST_SPEED 1e18f

// ---- before the bodies move ----------------------------------------------------------------

void sdStep_MarkFast(sdStep* step, int index, float speed) {
    const sdWorld* world = step->world;
    sdActivePatch* active = &step->patches[index];
    const sdPatchInput* input = &step->inputs[index];
    sdPatch* patch = active->patch;
    float gap = FLT_MAX;
    speed = sdMinF(speed, MOST_SPEED);
    for (int i = 0; i < patch->pointCount; ++i) {
        gap = sdMinF(gap, sdMaxF(patch->points[i].separation, 0.0f));
    }
    // what they gain on the way: v² = v0² + 2 g d
    sdVec3 fall = sdSub(sdBody_GetFall(world, &world->bodies.data[active->bodyB]),
                        sdBody_GetFall(world, &world->bodies.data[active->bodyA]));
    float gain = sdMaxF(-sdDot(sdRotate(input->turn, input->normal), fall), 0.0f);
    patch->blowSpeed = sdMaxF(patch->blowSpeed, sqrtf(speed * speed + 2.0f * gain * gap));
    patch->blowState |= SD_BLOW_FAST;
    active->isFast = true;
    atomic_store_explicit(&step->hasHits, 1, memory_order_relaxed);
}

void sdStep_RenewBlow(sdStep* step, int index) {
    sdPatch* patch = step->patches[index].patch;
    patch->blowState &= (uint8_t) ~(uint32_t)SD_BLOW_FAST;
    if (sdPatch_IsUnderBlow(patch)) {
        sdStep_MarkFast(step, index, 0.0f);
    } else if (patch->blowState == 0) {
        patch->blowSpeed = 0.0f;
    }
}

/// m/s at which the fastest point comes nearer.
/// @param isPushed look only at those that were given something
static float findApproach(const sdWorld* world, const sdActivePatch* active, bool isPushed) {
    sdPatchFrame frame = sdPatchFrame_Make(world, active->bodyA, active->bodyB, active->fixtureA);
    const sdPatch* patch = active->patch;
    float most = 0.0f;
    for (int i = 0; i < patch->pointCount; ++i) {
        if (!isPushed || patch->points[i].total > 0.0f) {
            most = sdMaxF(most, -sdPatchFrame_GetSpeed(&frame, patch, i));
        }
    }
    return most;
}

void sdStep_MarkAllFast(sdStep* step) {
    for (int i = 0; i < step->patchCount; ++i) {
        float speed = findApproach(step->world, &step->patches[i], false);
        if (speed > step->world->def.hitSpeed) {
            sdStep_MarkFast(step, i, speed);
        }
    }
}

static bool isOfSamePair(const sdActivePatch* a, const sdActivePatch* b) {
    return a->fixtureA == b->fixtureA && a->fixtureB == b->fixtureB;
}

bool sdStep_ReserveHits(sdStep* step) {
    sdWorld* world = step->world;
    int64_t count = (int64_t)world->hits.count + step->flightHitCount;
    bool hasHits = atomic_load_explicit(&step->hasHits, memory_order_relaxed) != 0;
    for (int i = 0; hasHits && i < step->patchCount; ++i) {
        count += step->patches[i].isFast ? 1 : 0;
    }
    return sdHitEventArray_Reserve(&world->hits, &world->context.allocator, count);
}

// ---- after that ----------------------------------------------------------------------------

static void add(sdWorld* world, sdHitEvent hit) {
    sdHitEvent* to = &world->hits.data[world->hits.count++];
    // also what is between the fields: snapshots are compared
    memset(to, 0, sizeof *to);
    to->shapeA = hit.shapeA;
    to->shapeB = hit.shapeB;
    to->point = hit.point;
    to->normal = hit.normal;
    to->speed = hit.speed;
    to->impulse = hit.impulse;
}

static void addHit(sdWorld* world, const sdActivePatch* active, float impulse) {
    const sdPatch* patch = active->patch;
    sdPatchFrame frame = sdPatchFrame_Make(world, active->bodyA, active->bodyB, active->fixtureA);
    sdVec3 sum = {0.0f, 0.0f, 0.0f};
    float weight = 0.0f;
    for (int i = 0; i < patch->pointCount; ++i) {
        // a blow of the step before may be over without that anything was given in this one
        float share = sdMaxF(patch->points[i].total / impulse, LEAST_SHARE);
        sum = sdMulAdd(sum, share, patch->points[i].pointA);
        weight += share;
    }
    sdVec3 point = sdTransformPoint(frame.xf, sdScale(1.0f / weight, sum));
    add(world, (sdHitEvent){
                   .shapeA = sdIdPool_GetId(&world->fixturePool, active->fixtureA),
                   .shapeB = sdIdPool_GetId(&world->fixturePool, active->fixtureB),
                   .point = sdPos_Add(frame.a->center, point),
                   .normal = sdRotate(frame.xf.q, patch->normal),
                   .speed = patch->blowSpeed,
                   .impulse = impulse,
               });
}

/// Otherwise nothing was given: they have not met yet.
static bool isStruck(const sdActivePatch* active) {
    return active->isFast && active->patch->blowImpulse > 0.0f;
}

/// Whether a blow has stopped its bodies, at the points where it was, or lasts too long.
static bool isOver(const sdWorld* world, const sdActivePatch* active) {
    const sdPatch* patch = active->patch;
    return patch->blowState >= MAX_STEPS * SD_BLOW_STEP ||
           findApproach(world, active, true) < SPEED_LEFT * patch->blowSpeed;
}

/// All patches of two shapes are one hit, where it is fastest.
static void noteHit(sdWorld* world, const sdActivePatch* patches, int count) {
    const sdActivePatch* fastest = NULL;
    float impulse = 0.0f;
    bool isTold = false;
    for (int i = 0; i < count; ++i) {
        const sdPatch* patch = patches[i].patch;
        if (isStruck(&patches[i])) {
            impulse += patch->blowImpulse;
            isTold = isTold || (patch->blowState & SD_BLOW_TOLD) != 0;
            fastest = fastest == NULL || patch->blowSpeed > fastest->patch->blowSpeed ? &patches[i]
                                                                                      : fastest;
        }
    }
    if (fastest == NULL || (!isTold && !isOver(world, fastest))) {
        return;
    }
    if (!isTold) {
        addHit(world, fastest, impulse);
    }
    for (int i = 0; i < count; ++i) {
        patches[i].patch->blowState |= isStruck(&patches[i]) ? SD_BLOW_TOLD : 0;
    }
}

void sdStep_NoteHits(sdStep* step) {
    if (atomic_load_explicit(&step->hasHits, memory_order_relaxed) == 0) {
        return;
    }
    for (int i = 0, end; i < step->patchCount; i = end) {
        const sdActivePatch* first = &step->patches[i];
        end = i + 1;
        if (!first->isFast) {
            continue;
        }
        while (end < step->patchCount && isOfSamePair(first, &step->patches[end])) {
            end += 1;
        }
        noteHit(step->world, first, end - i);
    }
}

// ---- on the way ----------------------------------------------------------------------------

/// Whether the contact of two shapes has told of their hit.
static bool isTold(const sdWorld* world, const sdShapePair* pair) {
    sdContact* contact = pair->contact != SD_NULL_INDEX ? sdWorld_GetContact(world, pair) : NULL;
    int count = contact != NULL ? sdContact_CountPatches(contact, pair) : 0;
    bool isHit = false;
    for (int i = 0; i < count && !isHit; ++i) {
        isHit = (sdContact_GetPatch(contact, pair, i)->blowState & SD_BLOW_TOLD) != 0;
    }
    return isHit;
}

/// Whether two touched when the step began, or their contact has told of the hit: what drives them
/// against each other now is no new one.
static bool areTogether(const sdWorld* world, int body, const int fixtures[2]) {
    for (int edge = world->bodies.data[body].firstPair; edge != SD_NULL_INDEX;
         edge = world->pairs.data[edge >> 1].next[edge & 1]) {
        const sdShapePair* pair = &world->pairs.data[edge >> 1];
        if ((pair->fixtureA == fixtures[0] && pair->fixtureB == fixtures[1]) ||
            (pair->fixtureB == fixtures[0] && pair->fixtureA == fixtures[1])) {
            return (pair->flags & SD_PAIR_TOUCHING) != 0 || isTold(world, pair);
        }
    }
    return false;
}

static sdHitEvent* findHit(const sdWorld* world, int first, sdShapeId a, sdShapeId b) {
    for (int i = world->hits.count - 1; i >= first; --i) {
        sdHitEvent* hit = &world->hits.data[i];
        if ((hit->shapeA == a && hit->shapeB == b) || (hit->shapeA == b && hit->shapeB == a)) {
            return hit;
        }
    }
    return NULL;
}

bool sdWorld_NoteHitOnTheWay(sdWorld* world, int body, const int fixtures[2], int first,
                             sdHitEvent hit) {
    if (!(hit.speed > world->def.hitSpeed) || areTogether(world, body, fixtures)) {
        return true;
    }
    hit.shapeA = sdIdPool_GetId(&world->fixturePool, fixtures[0]);
    hit.shapeB = sdIdPool_GetId(&world->fixturePool, fixtures[1]);
    sdHitEvent* old = findHit(world, first, hit.shapeA, hit.shapeB);
    if (old != NULL) {
        old->speed = sdMaxF(old->speed, hit.speed);
        old->impulse += hit.impulse;
        return true;
    }
    // bodies have moved: a step cannot be taken back for want of a place to note this
    if (!sdHitEventArray_Reserve(&world->hits, &world->context.allocator,
                                 (int64_t)world->hits.count + 1)) {
        return false;
    }
    add(world, hit);
    return true;
}
