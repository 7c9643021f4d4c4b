// SPDX-License-Identifier: MIT
// sunk.c - thin bodies that their contacts could not keep out of what does not give way (B16).
//
// In:   where the solver has brought the bodies, the points at which they touched.
// Out:  which of them are to be looked at on their way; where they are after it.
// Note: what is light and lies between the floor and something heavy that comes down on it gets
//       from each sweep the velocity that its last contact wants. At a ratio of masses of 16 it
//       goes into the floor at half the speed of the blow: a needle goes by ten times its
//       thickness in a step, after which it is nearer to the far side of a wall than to its own.
//       Few bodies are that thin, so only the contacts of those that went further than they are
//       thick are looked at, and most steps have none. What is pinched by several that are heavy,
//       or struck on its way, may still go in deeper than it is thick, a little in each step: all
//       of it is in the wall then, and what is ahead of it is the far side. So it is brought back.

#include "dynamics/coloring.h"
#include "dynamics/continuous.h"
#include "dynamics/fixture.h"
#include "dynamics/meeting.h"

/// How far a point of a body has moved.
/// @param r from the centre of mass, at the start of the step
static sdVec3 wayOfPoint(const sdStep* step, int state, sdVec3 r) {
    if (state == SD_NULL_INDEX) {
        return sdV3(0.0f, 0.0f, 0.0f);
    }
    const sdBodyState* moved = &step->states[state];
    return sdAdd(moved->displacement, sdSub(sdRotate(moved->turn, r), r));
}

/// The point of a patch that has gone in furthest.
typedef struct Sinking {
    sdVec3 normal; ///< A to B
    float by;      ///< m that it has come nearer since it touched
    float depth;   ///< m beyond a depth, or beyond that at which the step began
} Sinking;

static Sinking sinkingOf(const sdStep* step, const sdPatchInput* input, float depth) {
    Sinking sinking = {.normal = sdRotate(input->turn, input->normal)};
    for (int i = 0; i < (int)input->pointCount; ++i) {
        sdVec3 rA = sdAdd(input->offset, sdRotate(input->turn, input->points[i].middle));
        sdVec3 rB = sdSub(rA, input->between);
        sdVec3 wayA = wayOfPoint(step, input->stateA, rA);
        sdVec3 wayB = wayOfPoint(step, input->stateB, rB);
        float nearer = -sdDot(sinking.normal, sdSub(wayB, wayA));
        float gap = input->points[i].separation;
        sinking.by = sdMaxF(sinking.by, nearer - sdMaxF(gap, 0.0f));
        sinking.depth = sdMaxF(sinking.depth, nearer - gap - sdMaxF(depth, -gap));
    }
    return sinking;
}

/// The one body of a patch that is pushed, when the other does not give way, and its own joints
/// do not hold it; SD_NULL_INDEX otherwise.
static int pressedState(const sdStep* step, const sdPatchInput* input) {
    bool isPushedA = sdStep_IsPushed(step, input->stateA);
    int state = isPushedA ? input->stateA : input->stateB;
    bool isOne = isPushedA != sdStep_IsPushed(step, input->stateB);
    return isOne && !step->motions[state].hasJoints ? state : SD_NULL_INDEX;
}

static float wayOf(const sdBody* body, const sdBodyState* state) {
    return sdLength(state->displacement) + 2.0f * sdLength(state->turn.v) * body->radius;
}

void sdStep_FindSunk(sdStep* step) {
    if (atomic_load_explicit(&step->hasThin, memory_order_relaxed) == 0) {
        return;
    }
    for (int i = 0; i < step->patchCount; ++i) {
        int state = pressedState(step, &step->inputs[i]);
        if (state == SD_NULL_INDEX) {
            continue;
        }
        const sdBody* body = &step->world->bodies.data[step->motions[state].body];
        if (wayOf(body, &step->states[state]) > body->thinness &&
            sinkingOf(step, &step->inputs[i], 0.0f).by > sdBody_GentleWay(body)) {
            step->motions[state].isSunk = true;
            atomic_store_explicit(&step->hasFast, 1, memory_order_relaxed);
        }
    }
}

static void lift(sdStep* step, int state, sdVec3 up, float depth) {
    sdWorld* world = step->world;
    int index = step->motions[state].body;
    sdBody* body = &world->bodies.data[index];
    sdVec3 way = sdScale(depth, up);
    body->center = sdPos_Add(body->center, way);
    body->velocity = sdMulAdd(body->velocity, -sdMinF(sdDot(body->velocity, up), 0.0f), up);
    step->states[state].displacement = sdAdd(step->states[state].displacement, way);
    sdWorld_MoveFixtures(world, index);
}

void sdStep_LiftSunk(sdStep* step) {
    for (int i = 0; i < step->patchCount; ++i) {
        const sdPatchInput* input = &step->inputs[i];
        int state = pressedState(step, input);
        if (state == SD_NULL_INDEX) {
            continue;
        }
        const sdBody* body = &step->world->bodies.data[step->motions[state].body];
        float way = wayOf(body, &step->states[state]);
        // where a surface was near that is far now says nothing
        if (way > sdBody_GentleWay(body) && way <= sdBody_SeenWay(body)) {
            Sinking sinking = sinkingOf(step, input, body->thinness);
            sdVec3 up = state == input->stateB ? sinking.normal : sdNeg(sinking.normal);
            if (sinking.depth > 0.0f) {
                lift(step, state, up, sinking.depth);
            }
        }
    }
}
