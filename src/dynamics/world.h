// SPDX-License-Identifier: MIT
// world.h - what a world is made of, inside. Grouped by the stage of the step that writes it.
//
// Bodies, shapes, pairs and contacts live in slots and are named by slot inside the library. Which
// of them are awake is a bit set over the slots, listed anew in every step: the order of all work
// is that of the slots, so it does not depend on how the world came to its state. What sleeps is in
// no list and costs nothing.

#ifndef SD_DYNAMICS_WORLD_H
#define SD_DYNAMICS_WORLD_H

#include "base/arena.h"
#include "base/array.h"
#include "base/id_pool.h"
#include "base/slot_pool.h"
#include "dynamics/joint_rows.h"

/// m by which boxes are grown so that contacts are seen before they touch.
#define SD_SPECULATIVE_MARGIN 0.02f
/// Share of a body's radius up to which fast motion makes that more.
#define SD_SPECULATIVE_REACH 0.25f
#define SD_HELD_REACH 2.0f ///< the same of what hangs on joints

/// rad that a body turns in a step, beyond which contacts do not look ahead for it.
#define SD_WHIRL_ANGLE 0.25f

/// A body. Its frame stands at `center` + its rotation of -localCenter. Four cache lines: what is
/// asked of both bodies of every contact is on the first two.
typedef struct sdBody {
    sdPos center; ///< of mass
    sdQuat rotation;
    sdVec3 localCenter; ///< of mass, in the body's frame
    sdVec3 velocity;

    sdVec3 angularVelocity;
    float radius;   ///< no point of its shapes is further from the centre
    float thinness; ///< half of the least width of its shapes
    int awakeIndex; ///< in the step's list; SD_NULL_INDEX when it is asleep or static
    int jointCount;
    float gravityScale;
    uint8_t type;
    uint8_t locks;
    bool enableSleep : 1;
    bool isDisabled : 1; ///< neither moves nor meets anything
    bool hasGivenMass : 1;
    bool isBullet : 1; ///< always looked at on its way
    bool isMesh : 1;   ///< moves, and one of its shapes is a mesh
    float inverseMass;
    float linearDamping, angularDamping;
    sdVec3 force; ///< applied since the last step

    sdVec3 torque;
    float slowTime; ///< s since it was last faster than the speed of sleep
    float mass;
    sdMat33 inertia, inverseInertia; ///< in the body's frame, about the centre
    sdVec3 needleAxis; ///< of a body that is all length, in its frame; zero for others
    int firstShape, shapeCount;
    int firstPair; ///< edge: pair << 1 | side
    int pairCount;
    int firstJoint; ///< edge: joint << 1 | side
    uint64_t userData;
} sdBody;

/// A shape on a body.
typedef struct sdFixture {
    sdShapeDef def;
    sdMassProps mass; ///< in the body's frame; zero on bodies that are not dynamic
    int body;
    int next; ///< on the same body
    sdProxyId proxy;
} sdFixture;

/// A point of a patch. That on B is `separation` along the normal from that on A.
typedef struct sdPatchPoint {
    sdVec3 pointA; ///< in shape A's frame
    float separation;
    uint32_t id;
    float impulse; ///< N s, along the normal, of the last sub-step
    float total;   ///< of the whole step
} sdPatchPoint;

/// What is known of a blow.
typedef enum sdBlowState {
    SD_BLOW_FAST = 1, ///< points came nearer fast at the start of the step
    SD_BLOW_TOLD = 2, ///< there has been a hit event
    SD_BLOW_STEP = 4, ///< times the steps that it has taken so far, in the bits from here on
} sdBlowState;

/// What a contact keeps of one manifold from step to step.
typedef struct sdPatch {
    sdVec3 normal;        ///< in shape A's frame
    sdVec3 friction;      ///< N s, tangential, in the world, of the last sub-step
    sdVec3 rolling;       ///< N m s, about tangential axes and (spin) the normal, in the world
    sdVec3 frictionTotal; ///< N s, of the whole step
    float blowSpeed;   ///< m/s at which bodies came that a blow is stopping, from its first step on
    float blowImpulse; ///< N s that it has given so far
    uint8_t pointCount;
    uint8_t keptMask;                            ///< points that were there in the step before
    uint8_t removedCount;                        ///< points of the step before that are gone
    uint8_t blowState;                           ///< of sdBlowState
    sdPatchPoint points[SD_MANIFOLD_MAX_POINTS]; ///< slim contacts have room for fewer
} sdPatch;

/// One of many, and the triangles or children that it is between.
typedef struct sdManyPatch {
    sdPatch patch; ///< first, so that who knows that there are many finds the rest
    int childA, childB;
    float found[SD_MANIFOLD_MAX_POINTS]; ///< separations when the points were found
} sdManyPatch;

SD_DEFINE_ARRAY(sdManyPatchArray, sdManyPatch)

typedef enum sdShapePairFlag {
    SD_PAIR_SENSOR = 1,
    SD_PAIR_TOUCHING = 2,
    SD_PAIR_MANY = 4,   ///< with a mesh or compound: its contact is an sdManyContact
    SD_PAIR_SLIM = 8,   ///< of round shapes: its contact is an sdContact without the last points
    SD_PAIR_ROUND = 16, ///< of two spheres or capsules
} sdShapePairFlag;

/// Two shapes whose fat boxes overlap and that may meet. Small, for most of them are just near:
/// what a contact needs comes when the shapes' own boxes overlap.
typedef struct sdShapePair {
    int fixtureA, fixtureB;
    int bodyA, bodyB;
    int next[2], previous[2]; ///< edges of bodyA's and bodyB's lists
    int contact;              ///< SD_NULL_INDEX: none
    uint32_t flags;
    float distance; ///< the shapes are no nearer to each other; 0: not known
} sdShapePair;

/// How far a body goes: its centre, and how much further any of its points, rounded up. Pairs that
/// are further apart than their bodies can come nearer in a step need not be looked at. What sleeps
/// or is static has none.
typedef struct sdReach {
    sdVec3 moved; ///< in the last step
    float turned;
    sdVec3 ahead; ///< in the next, at its velocity
    float turning;
} sdReach;

/// What two shapes have in common that are about to touch, or do. There are three kinds, each with
/// its own pool, because there are many contacts and most of them need little: those of round
/// shapes, with two points at most and nothing to remember; those of any two convex shapes; and
/// those that have many patches. They begin alike. All are of whole or half cache lines.
typedef struct sdContact {
    int pair;
    uint32_t collided; ///< attempt at a step in which its points were found
    sdPatch patch;     ///< the only one; not there when there are many
} sdContact;

/// Points that slim contacts have room for.
#define SD_SLIM_POINTS 2

/// What is remembered of the search for points: an sdPairCache without the names of the points,
/// which the patch has.
typedef struct sdPairMemory {
    sdVec3 axis, origin;
    sdQuat rotation;
    uint16_t indexA[4], indexB[4];
    uint8_t count, kind, featureType;
} sdPairMemory;

typedef struct sdFullContact {
    sdContact contact;
    sdTransform pose;                    ///< of shape B in A's frame when the patch was found
    float found[SD_MANIFOLD_MAX_POINTS]; ///< separations at that time
    sdPairMemory memory;
} sdFullContact;

typedef struct sdManyContact {
    int pair;
    uint32_t collided;
    sdManyPatchArray patches;
    sdTransform pose; ///< of shape B in A's frame when the patches were found
} sdManyContact;

typedef enum sdContactStore {
    SD_STORE_SLIM,
    SD_STORE_FULL,
    SD_STORE_MANY,
    SD_STORE_COUNT
} sdContactStore;

/// Contacts of one kind.
typedef struct sdContactPool {
    char* data;
    int count; ///< slots ever used
    int capacity;
    sdSlotPool slots;
} sdContactPool;

/// What holds two bodies together. A step goes over all joints several times: all that it asks of a
/// plain one is on the first two cache lines.
typedef struct sdJoint {
    int bodyA, bodyB;
    int activeIndex;          ///< in the step's list; SD_NULL_INDEX: both bodies sleep
    bool isPlain;             ///< a ball that nothing limits or drives: all it has is its block
    bool isBreakable;         ///< some force breaks it
    sdVec3 blockImpulse;      ///< N s, of the last sub-step, in the world
    sdVec3 force, torque;     ///< of the last step, on B at the anchor
    sdJointDef def;           ///< frames first
    int next[2], previous[2]; ///< edges of bodyA's and bodyB's lists
    sdJointCone cone;         ///< of its angle; not set where that is none
    float pads[4];            ///< so that what follows is on one cache line
    float impulses[SD_JOINT_MAX_ROWS]; ///< N s and N m s, by slot
    float morePads[3];                 ///< to whole cache lines
} sdJoint;

_Static_assert(sizeof(sdJoint) % 64 == 0, "joints are of whole cache lines");
_Static_assert(offsetof(sdJoint, impulses) % 64 == 0, "impulses begin one");

SD_DEFINE_ARRAY(sdJointArray, sdJoint)
SD_DEFINE_ARRAY(sdBodyArray, sdBody)
SD_DEFINE_ARRAY(sdFixtureArray, sdFixture)
SD_DEFINE_ARRAY(sdShapePairArray, sdShapePair)
SD_DEFINE_ARRAY(sdWorldBoxArray, sdWorldBox)
SD_DEFINE_ARRAY(sdReachArray, sdReach)
SD_DEFINE_ARRAY(sdContactEventArray, sdContactEvent)
SD_DEFINE_ARRAY(sdHitEventArray, sdHitEvent)

typedef struct sdJointPlan sdJointPlan;

struct sdWorld {
    sdContext context;
    sdWorldDef def;
    double time;
    bool isLocked; ///< a step is under way

    // a step that found no memory and is made again goes on where it stopped, unless something has
    // changed since, so that it comes out the same
    uint32_t attempt;     ///< goes up with every step that is made, and every change
    float attemptDt;      ///< length of the step under way
    int part, partCount;  ///< of the step under way; 0: between steps
    uint32_t published;   ///< attempt that has noted its events
    bool hasMissingPairs; ///< there was no room for new pairs
    uint32_t missing;     ///< attempt in which that was so
    sdPairChanges changes;

    sdForceFcn* forceFcn;
    void* forceUser;
    sdFilterFcn* filterFcn;
    void* filterUser;

    // written by the user's calls
    sdIdPool bodyPool, fixturePool, jointPool;
    sdJointArray joints;
    sdBodyArray bodies;
    sdReachArray reaches; ///< of the bodies
    sdFixtureArray fixtures;
    sdWorldBoxArray boxes; ///< of the fixtures, where they will be during the next step
    sdBroadphase* broadphase;
    float lastDt;          ///< for which the boxes were made
    float leastMeshRadius; ///< of bodies that were ever here
    bool hasOldBoxes;      ///< velocities were changed since
    bool hasFineJoints;    ///< joints of the last step called for short sub-steps: see step.c
    float jointH;          ///< s in which the impulses of joints act: a sub-step of the last step

    // written by the update of pairs
    sdSlotPool pairPool;
    sdShapePairArray pairs;

    // who is awake: changed by the user, by contacts and by sleep
    sdBitSet awakeBodies; ///< dynamic and kinematic
    sdBitSet activePairs; ///< with at least one body awake
    sdBitSet activeJoints;
    sdIntArray bodyList; ///< of the step
    sdIntArray pairList;
    sdIntArray flood; ///< bodies to be visited; has room for all

    // written by the update of contacts
    sdContactPool contacts[SD_STORE_COUNT];
    int sensorContactCount;
    sdContactEventArray begin, end, sensorBegin, sensorEnd;
    sdContactEventArray lateEnd, lateSensorEnd; ///< of contacts that ended between steps

    sdHitEventArray hits; ///< on the ways of fast bodies, of the last step
    sdIntArray broken;    ///< ids of joints, of the last step; has room for all

    sdArena arena; ///< of the step, empty again at its end
    // how joints are solved: kept while the same ones are active (joint_plan.h, which says who
    // drops it)
    sdArena planArena;
    sdJointPlan* jointPlan; ///< NULL: none yet
    sdWorldStats stats;
};

// ---- helpers for all -----------------------------------------------------------------------

/// Whoever is about to change the world asks first.
/// @return SD_ERROR_LOCKED, with a reason, while a step is under way
sdResult sdWorld_CheckUnlocked(sdWorld* world, const char* function);

/// What is wrong with a definition, or NULL.
const char* sdWorldDef_FindFault(const sdWorldDef* def);
const char* sdBodyDef_FindFault(const sdBodyDef* def);

static inline sdBody* sdWorld_FindBody(const sdWorld* world, sdBodyId id) {
    return world != NULL && sdIdPool_IsLive(&world->bodyPool, id)
               ? &world->bodies.data[sdId_Index(id)]
               : NULL;
}

static inline sdFixture* sdWorld_FindFixture(const sdWorld* world, sdShapeId id) {
    return world != NULL && sdIdPool_IsLive(&world->fixturePool, id)
               ? &world->fixtures.data[sdId_Index(id)]
               : NULL;
}

/// The body behind an id that a caller may change, or NULL with the reason in *result.
sdBody* sdWorld_ChangeBody(sdWorld* world, sdBodyId id, const char* function, sdResult* result);

static inline sdContactStore sdShapePair_GetStore(const sdShapePair* pair) {
    bool isMany = (pair->flags & SD_PAIR_MANY) != 0, isSlim = (pair->flags & SD_PAIR_SLIM) != 0;
    return isMany ? SD_STORE_MANY : (isSlim ? SD_STORE_SLIM : SD_STORE_FULL);
}

/// Bytes of a contact: so many that none lies on more cache lines than must be.
static inline size_t sdContactStore_GetSize(sdContactStore store) {
    size_t size = store == SD_STORE_MANY   ? sizeof(sdManyContact)
                  : store == SD_STORE_FULL ? sizeof(sdFullContact)
                                           : offsetof(sdContact, patch.points[SD_SLIM_POINTS]);
    return (size + 31) & ~(size_t)31;
}

/// A slot of the pool of contacts with many patches.
static inline sdManyContact* sdContactPool_GetMany(const sdContactPool* pool, int slot) {
    return (sdManyContact*)(void*)(pool->data +
                                   (size_t)slot * sdContactStore_GetSize(SD_STORE_MANY));
}

/// The contact of a pair that has one.
static inline sdContact* sdWorld_GetContact(const sdWorld* world, const sdShapePair* pair) {
    sdContactStore store = sdShapePair_GetStore(pair);
    size_t offset = (size_t)pair->contact * sdContactStore_GetSize(store);
    return (sdContact*)(void*)(world->contacts[store].data + offset);
}

/// Ask for what most stages read of a body or shape.
SD_PREFETCHING void sdWorld_PrefetchBody(const sdWorld* world, int body) {
    sdPrefetch(&world->bodies.data[body], offsetof(sdBody, torque));
}

SD_PREFETCHING void sdWorld_PrefetchFixture(const sdWorld* world, int fixture) {
    sdPrefetch(&world->fixtures.data[fixture], offsetof(sdShapeDef, filter) + SD_ALIGNMENT);
}

/// The body's frame in the world.
static inline sdWorldTransform sdBody_Frame(const sdBody* body) {
    sdVec3 offset = sdRotate(body->rotation, body->localCenter);
    return (sdWorldTransform){sdPos_Add(body->center, sdNeg(offset)), body->rotation};
}

/// Share of the way of a body by which floats may be off when ways are added and compared.
#define SD_WAY_ERROR 1e-5f

/// How far any point of a body went, at most.
static inline float sdReach_GetWay(const sdReach* reach) {
    return sdLength(reach->moved) + reach->turned;
}

/// By how much two bodies may have come nearer to each other, and may in the next step.
static inline float sdReach_MovedBetween(const sdReach* a, const sdReach* b) {
    return sdLength(sdSub(b->moved, a->moved)) + a->turned + b->turned;
}
static inline float sdReach_AheadBetween(const sdReach* a, const sdReach* b) {
    return sdLength(sdSub(b->ahead, a->ahead)) + a->turning + b->turning;
}

/// What hangs on joints cannot stop alone on its way without tearing at them: contacts see it from
/// further off instead, and only its core is looked at.
static inline bool sdBody_IsHeld(const sdBody* body) {
    return body->jointCount > 0 && !body->isBullet;
}

/// The part of a body's radius from which contacts see it come.
static inline float sdBody_GetReach(const sdBody* body) {
    return sdBody_IsHeld(body) ? SD_HELD_REACH : SD_SPECULATIVE_REACH;
}

/// How far it may go in a step so that contacts see in time what it meets.
static inline float sdBody_SeenWay(const sdBody* body) {
    float part = sdBody_IsHeld(body) ? SD_HELD_REACH * body->radius : 0.0f;
    return SD_SPECULATIVE_MARGIN + sdMaxF(body->thinness, part);
}

/// How far a body may go in a step before it is looked at on its way.
static inline float sdBody_SafeWay(const sdBody* body) {
    return body->isBullet ? 0.0f : sdBody_SeenWay(body);
}

/// A needle turns about its angular momentum, and about its own axis.
static inline bool sdBody_IsNeedle(const sdBody* body) {
    return sdLengthSquared(body->needleAxis) > 0.0f;
}

/// rad that a body turns within dt, but for the spin of a needle about its axis, which moves
/// nothing.
static inline float sdBody_SwingIn(const sdBody* body, float dt) {
    sdVec3 w = body->angularVelocity, axis = sdRotate(body->rotation, body->needleAxis);
    return dt * sdLength(sdMulAdd(w, -sdDot(axis, w), axis));
}

/// Whether a body goes further in a step than contacts see, at its velocity.
static inline bool sdBody_IsFast(const sdBody* body, float dt) {
    return dt * sdLength(body->velocity) + sdBody_SwingIn(body, dt) * body->radius >
           sdBody_SafeWay(body);
}

/// Whether a body turns so far in a step that where it is near something now says little about
/// where it will touch: it is looked at on its way instead.
static inline bool sdBody_IsWhirling(const sdBody* body, float dt) {
    // joints and contacts hold what hangs on others together
    if (body->jointCount > 0 || dt * sdLength(body->angularVelocity) <= SD_WHIRL_ANGLE) {
        return false;
    }
    // what is nearly a ball shows the same face however it turns
    float turned = sdBody_SwingIn(body, dt), uneven = body->radius - body->thinness;
    return turned > SD_WHIRL_ANGLE && turned * uneven > body->thinness && sdBody_IsFast(body, dt);
}

/// The box of a shape, and of where it will be within dt at its velocity, as far as contacts see.
sdWorldBox sdFixture_GetBox(const sdWorld* world, const sdBody* body, const sdFixture* fixture,
                            float dt);

#endif
