// SPDX-License-Identifier: MIT
// contact.c - where shapes touch.
//
// In:   pairs of shapes that are near each other, poses of the bodies.
// Out:  for each contact up to one patch of points (many for meshes and compounds), with the
//       impulses of the step before on points that are still there; begin and end events.
// Note: a pair has a contact while the boxes of its shapes overlap. Contacts are found in parallel
//       and published one after the other in the order of their pairs' slots.

#include "dynamics/contact.h"

#include "dynamics/island.h"
#include "narrow/collide_concave.h"
#include "narrow/collide_surface.h"

/// Patches that a contact of a mesh or compound has at most.
#define MAX_PATCHES 256
/// Points of two steps that are nearer to each other, m, may be the same under another name.
#define MATCH_DISTANCE 0.05f
/// Cosine of the angle between normals of two steps beyond which a patch is a new one.
#define SAME_PATCH_COSINE 0.9f
/// Further than the margin, m, that shapes are looked at: they are left alone until they have come
/// that much nearer.
#define LOOK_AHEAD 0.02f
/// The margin, m, of bodies that turn too fast for more: contacts are for what overlaps already.
#define WHIRL_MARGIN 0.0f
/// Motion, m and as a share of the body's radius, up to which the points of a contact are kept.
#define KEEP_DISTANCE 1e-4f
#define KEEP_SHARE 1e-3f
/// Pairs and contacts that a worker takes at a time.
#define PAIR_GRAIN 512
#define CONTACT_GRAIN 32

// ---- materials -----------------------------------------------------------------------------

static float combine(sdCombine rule, float a, float b) {
    switch (rule) {
        case SD_COMBINE_AVERAGE:
            return 0.5f * (a + b);
        case SD_COMBINE_MINIMUM:
            return sdMinF(a, b);
        case SD_COMBINE_MAXIMUM:
            return sdMaxF(a, b);
        case SD_COMBINE_PRODUCT:
            return a * b;
        default:
            return sqrtf(a * b);
    }
}

void sdWorld_MixMaterials(const sdWorld* world, int fixtureA, int fixtureB, sdContact* contact) {
    const sdMaterial* a = &world->fixtures.data[fixtureA].def.material;
    const sdMaterial* b = &world->fixtures.data[fixtureB].def.material;
    sdCombine rule = world->def.combineFriction;
    contact->staticFriction = combine(rule, a->staticFriction, b->staticFriction);
    contact->slidingFriction = combine(rule, a->slidingFriction, b->slidingFriction);
    // a smooth floor does not keep a rough ball from being stopped by its own deformation
    contact->rollingFriction = sdMaxF(a->rollingFriction, b->rollingFriction);
    contact->spinFriction = sdMaxF(a->spinFriction, b->spinFriction);
    contact->restitution = combine(world->def.combineRestitution, a->restitution, b->restitution);
}

static void mixMaterials(const sdWorld* world, sdContact* contact) {
    const sdShapePair* pair = &world->pairs.data[contact->pair];
    sdWorld_MixMaterials(world, pair->fixtureA, pair->fixtureB, contact);
}

void sdWorld_RefreshMaterials(sdWorld* world, int body) {
    for (int edge = world->bodies.data[body].firstPair; edge != SD_NULL_INDEX;
         edge = world->pairs.data[edge >> 1].next[edge & 1]) {
        int contact = world->pairs.data[edge >> 1].contact;
        if (contact != SD_NULL_INDEX) {
            mixMaterials(world, &world->contacts.data[contact]);
        }
    }
}

// ---- create and destroy --------------------------------------------------------------------

static sdResult createContact(sdWorld* world, int pair) {
    const sdAllocator* allocator = &world->context.allocator;
    int64_t needed = (int64_t)world->contactPool.slotCount + 1;
    // room for its end, so that ending cannot fail
    if (!sdContactArray_Reserve(&world->contacts, allocator, needed) ||
        !sdSlotPool_Reserve(&world->contactPool, allocator, 1) ||
        !sdContactEventArray_Reserve(&world->lateEnd, allocator, world->lateEnd.count + needed) ||
        !sdContactEventArray_Reserve(&world->lateSensorEnd, allocator,
                                     world->lateSensorEnd.count + needed)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    int index = sdSlotPool_Take(&world->contactPool);
    world->contacts.count = world->contactPool.slotCount;
    world->contacts.data[index] = (sdContact){.pair = pair};
    world->pairs.data[pair].contact = index;
    mixMaterials(world, &world->contacts.data[index]);
    return SD_OK;
}

void sdWorld_DestroyContact(sdWorld* world, int index) {
    sdContact* contact = &world->contacts.data[index];
    sdPatchArray_Free(&contact->many, &world->context.allocator);
    world->pairs.data[contact->pair].contact = SD_NULL_INDEX;
    sdSlotPool_Release(&world->contactPool, index);
}

/// The sensor comes first.
static sdContactEvent eventOf(const sdWorld* world, const sdShapePair* pair) {
    sdShapeId a = sdIdPool_GetId(&world->fixturePool, pair->fixtureA);
    sdShapeId b = sdIdPool_GetId(&world->fixturePool, pair->fixtureB);
    bool isSwapped = world->fixtures.data[pair->fixtureB].def.isSensor;
    return isSwapped ? (sdContactEvent){b, a} : (sdContactEvent){a, b};
}

void sdWorld_NoteEnd(sdWorld* world, const sdShapePair* pair) {
    bool isSensor = (pair->flags & SD_PAIR_SENSOR) != 0;
    sdContactEventArray* list = isSensor ? &world->lateSensorEnd : &world->lateEnd;
    list->data[list->count++] = eventOf(world, pair);
}

// ---- points and their impulses -------------------------------------------------------------

/// The old point that a new one continues: the one of the same features, else the nearest that is
/// left, for features change their names while bodies slide and tilt.
static int findOld(const sdManifoldPoint* point, const sdManifold* old, uint32_t free,
                   bool isByPlace) {
    float nearest = MATCH_DISTANCE * MATCH_DISTANCE;
    int best = SD_NULL_INDEX;
    for (int i = 0; i < old->pointCount; ++i) {
        if ((free >> i & 1) == 0) {
            continue;
        }
        if (!isByPlace && point->id == old->points[i].id) {
            return i;
        }
        float distance = sdDistanceSquared(point->pointA, old->points[i].pointA);
        if (isByPlace && distance < nearest) {
            nearest = distance;
            best = i;
        }
    }
    return best;
}

static void copyManifold(sdManifold* to, const sdManifold* from) {
    to->normal = from->normal;
    to->pointCount = from->pointCount;
    to->kind = from->kind;
    to->childA = from->childA;
    to->childB = from->childB;
    to->status = from->status;
    to->iterations = from->iterations;
    memcpy(to->points, from->points, (size_t)from->pointCount * sizeof *from->points);
}

/// Put a new manifold into a patch. Its points take over the impulses of those that were there.
static void renew(sdPatch* patch, const sdManifold* manifold) {
    float impulses[SD_MANIFOLD_MAX_POINTS] = {0.0f};
    uint32_t free = (1u << patch->manifold.pointCount) - 1u, kept = 0;
    for (int pass = 0; pass < 2 && free != 0; ++pass) {
        for (int i = 0; i < manifold->pointCount; ++i) {
            bool isMatched = (kept >> i & 1) != 0;
            int from = isMatched ? SD_NULL_INDEX
                                 : findOld(&manifold->points[i], &patch->manifold, free, pass == 1);
            if (from != SD_NULL_INDEX) {
                impulses[i] = patch->normalImpulses[from];
                kept |= 1u << i;
                free &= ~(1u << from);
            }
        }
    }
    memcpy(patch->normalImpulses, impulses, sizeof impulses);
    patch->keptMask = (uint8_t)kept;
    patch->removedCount = (uint8_t)__builtin_popcount(free);
    // without a point that goes on there is no friction to go on with
    if (kept == 0) {
        patch->friction = sdV3(0.0f, 0.0f, 0.0f);
        patch->rolling = patch->friction;
    }
    copyManifold(&patch->manifold, manifold);
}

/// What two shapes are to each other at the start of a step.
typedef struct Approach {
    const sdShape* a;
    const sdShape* b;
    sdTransform xfAB;
    float margin;
    float way;    ///< m by which points can come nearer within the step
    float radius; ///< of the smaller body that moves
} Approach;

static Approach approachOf(const sdWorld* world, const sdShapePair* pair, float dt) {
    const sdFixture* a = &world->fixtures.data[pair->fixtureA];
    const sdFixture* b = &world->fixtures.data[pair->fixtureB];
    const sdBody* bodyA = &world->bodies.data[pair->bodyA];
    const sdBody* bodyB = &world->bodies.data[pair->bodyB];
    sdWorldTransform centerA = {bodyA->center, bodyA->rotation};
    sdWorldTransform centerB = {bodyB->center, bodyB->rotation};
    sdTransform between = sdWorldTransform_Relative(centerA, centerB);
    sdTransform localA = sdFixture_ToCenter(bodyA, a), localB = sdFixture_ToCenter(bodyB, b);
    // points that can come together within the step must be seen now
    float speed = sdLength(sdSub(bodyB->velocity, bodyA->velocity)) +
                  sdLength(bodyA->angularVelocity) * bodyA->radius +
                  sdLength(bodyB->angularVelocity) * bodyB->radius;
    float reach = SD_SPECULATIVE_REACH *
                  sdMinF(bodyA->type == SD_BODY_STATIC ? bodyB->radius : bodyA->radius,
                         bodyB->type == SD_BODY_STATIC ? bodyA->radius : bodyB->radius);
    bool isWhirling = world->def.enableContinuous &&
                      (sdBody_IsWhirling(bodyA, dt) || sdBody_IsWhirling(bodyB, dt));
    return (Approach){
        .a = &a->def.shape,
        .b = &b->def.shape,
        .xfAB = sdInvMulXf(localA, sdMulXf(between, localB)),
        .margin = isWhirling ? WHIRL_MARGIN : SD_SPECULATIVE_MARGIN + sdMinF(speed * dt, reach),
        .way = speed * dt,
        .radius = reach / SD_SPECULATIVE_REACH,
    };
}

/// Points that are further apart than the margin are of no use now, but tell for how long.
/// @return a distance that the shapes have at least; 0 when there are points within the margin
static float distanceOf(const sdManifold* manifold, float margin) {
    float least = margin + LOOK_AHEAD;
    for (int i = 0; i < manifold->pointCount; ++i) {
        least = sdMinF(least, manifold->points[i].separation);
    }
    return least > margin ? least : 0.0f;
}

/// What is not round keeps the points that touch.
static bool isFaceted(const sdShape* shape) {
    return shape->type == SD_SHAPE_BOX || shape->type == SD_SHAPE_HULL || shape->concave != NULL;
}

/// Keep the points of a contact that has hardly moved since they were found, at the separations
/// that they have now.
/// @return false when they must be found anew
static bool keepPoints(sdContact* contact, const sdShapePair* pair, const Approach* approach) {
    if (contact->patchCount == 0 || !isFaceted(approach->a) || !isFaceted(approach->b)) {
        return false;
    }
    sdTransform change = sdMulXf(approach->xfAB, sdInvertXf(contact->pose));
    sdVec3 moved = sdSub(approach->xfAB.p, contact->pose.p);
    float way = sdLength(moved) + 2.0f * approach->radius * sdLength(change.q.v);
    if (!(way < sdMinF(KEEP_DISTANCE, KEEP_SHARE * approach->radius))) {
        return false;
    }
    sdPatch* patches = sdContact_GetPatches(contact, pair);
    for (int i = 0; i < contact->patchCount; ++i) {
        sdManifold* manifold = &patches[i].manifold;
        for (int j = 0; j < manifold->pointCount; ++j) {
            sdManifoldPoint* point = &manifold->points[j];
            sdVec3 pointB = sdTransformPoint(change, point->pointB);
            point->separation = sdDot(manifold->normal, sdSub(pointB, point->pointA));
        }
        patches[i].keptMask = (uint8_t)((1u << manifold->pointCount) - 1u);
        patches[i].removedCount = 0;
    }
    return true;
}

static void collideOne(const sdWorld* world, sdContact* contact, sdShapePair* pair, float dt) {
    Approach approach = approachOf(world, pair, dt);
    sdManifold manifold;
    if (keepPoints(contact, pair, &approach)) {
        return;
    }
    contact->pose = approach.xfAB;
    sdCollide(approach.a, approach.b, approach.xfAB, approach.margin + LOOK_AHEAD, &contact->cache,
              &manifold);
    pair->distance = distanceOf(&manifold, approach.margin);
    if (pair->distance > 0.0f) {
        manifold.pointCount = 0;
    }
    contact->patchCount = manifold.pointCount > 0;
    renew(&contact->patch, &manifold);
}

/// The old patch that a new one continues: the one of the same children whose normal is nearest. A
/// triangle may have become another one while the body slid on.
static int findOldPatch(const sdManifold* manifold, const sdPatch* old, int oldCount, bool isMeshA,
                        bool isMeshB) {
    int best = SD_NULL_INDEX;
    float most = SAME_PATCH_COSINE;
    for (int i = 0; i < oldCount; ++i) {
        const sdManifold* before = &old[i].manifold;
        if ((isMeshA || before->childA == manifold->childA) &&
            (isMeshB || before->childB == manifold->childB)) {
            float cosine = sdDot(before->normal, manifold->normal);
            best = cosine > most ? i : best;
            most = cosine > most ? cosine : most;
        }
    }
    return best;
}

/// Part of a body's radius that the margin of a mesh that may move is at most.
#define CONCAVE_MARGIN 0.015f
/// Part of it up to which fast motion makes that more.
#define CONCAVE_REACH 2.0f

/// What the pair's last answer was.
static sdMeetingMemory rememberPatches(const sdContact* contact) {
    sdMeetingMemory memory = {.normalCount = sdMinI(contact->patchCount, SD_TOUCH_MAX_PATCHES)};
    for (int i = 0; i < memory.normalCount; ++i) {
        const sdManifold* manifold = &contact->many.data[i].manifold;
        memory.normals[i] = manifold->normal;
        for (int j = 0; j < manifold->pointCount; ++j) {
            int k = memory.pointCount++;
            memory.ids[k] = manifold->points[j].id;
            memory.points[k] = manifold->points[j].pointA;
            memory.normalOf[k] = (uint8_t)i;
        }
    }
    return memory;
}

/// Shapes that did not touch are looked at a part of their radius further than the margin.
#define CONCAVE_LOOK_AHEAD 0.1f

/// How B's shape moves against A's within the step, in A's frame.
static void findMotion(const sdWorld* world, const sdShapePair* pair, float dt,
                       sdMeetingMemory* memory) {
    const sdBody* a = &world->bodies.data[pair->bodyA];
    const sdBody* b = &world->bodies.data[pair->bodyB];
    sdTransform localA = sdFixture_ToCenter(a, &world->fixtures.data[pair->fixtureA]);
    sdTransform localB = sdFixture_ToCenter(b, &world->fixtures.data[pair->fixtureB]);
    sdVec3 armB = sdRotate(b->rotation, localB.p);
    sdVec3 armA = sdAdd(sdPos_Sub(b->center, a->center), armB);
    sdVec3 velocityA = sdAdd(a->velocity, sdCross(a->angularVelocity, armA));
    sdVec3 velocityB = sdAdd(b->velocity, sdCross(b->angularVelocity, armB));
    sdVec3 spin = sdSub(b->angularVelocity, a->angularVelocity);
    sdQuat turn = sdMulQ(a->rotation, localA.q);
    memory->motion = sdScale(dt, sdInvRotate(turn, sdSub(velocityB, velocityA)));
    memory->rotation = sdScale(dt, sdInvRotate(turn, spin));
}

static int collideConcave(const sdWorld* world, const sdContact* contact, sdShapePair* pair,
                          const Approach* approach, float dt, sdManifold* out) {
    sdMeetingMemory memory = rememberPatches(contact);
    findMotion(world, pair, dt, &memory);
    memory.way = sdMinF(approach->way, CONCAVE_REACH * approach->radius);
    float margin = sdMinF(SD_SPECULATIVE_MARGIN, CONCAVE_MARGIN * approach->radius) + memory.way;
    float reach = SD_SPECULATIVE_MARGIN + CONCAVE_LOOK_AHEAD * approach->radius;
    if (contact->patchCount == 0 && reach > margin) {
        float distance = sdConcave_Distance(approach->a, approach->b, approach->xfAB, reach);
        if (distance > margin) {
            pair->distance = distance;
            return 0;
        }
    }
    return sdConcave_Collide(approach->a, approach->b, approach->xfAB, margin, &memory, out,
                             SD_TOUCH_MAX_PATCHES);
}

/// @return false when memory is short; the contact is as it was
static bool collideMany(const sdWorld* world, sdContact* contact, sdShapePair* pair, float dt) {
    Approach approach = approachOf(world, pair, dt);
    if (keepPoints(contact, pair, &approach)) {
        return true;
    }
    contact->pose = approach.xfAB;
    sdManifold manifolds[MAX_PATCHES];
    sdPatch old[MAX_PATCHES];
    int total, oldCount = contact->patchCount;
    int count;
    if (sdConcave_IsPair(approach.a, approach.b)) {
        count = total = collideConcave(world, contact, pair, &approach, dt, manifolds);
    } else {
        count = sdSurface_Collide(approach.a, approach.b, approach.xfAB, approach.margin, manifolds,
                                  MAX_PATCHES, &total);
    }
    if (!sdPatchArray_Reserve(&contact->many, &world->context.allocator, count)) {
        return false;
    }
    if (total > count) {
        sdLog(&world->context, SD_LOG_WARNING,
              "sdWorld_Step: two shapes touch in %d places; only the first %d are used", total,
              count);
    }
    for (int i = 0; i < oldCount; ++i) {
        old[i] = contact->many.data[i];
    }
    contact->patchCount = count;
    bool isMeshA = approach.a->type == SD_SHAPE_MESH, isMeshB = approach.b->type == SD_SHAPE_MESH;
    for (int i = 0; i < count; ++i) {
        sdPatch* patch = &contact->many.data[i];
        int from = findOldPatch(&manifolds[i], old, oldCount, isMeshA, isMeshB);
        *patch = from != SD_NULL_INDEX ? old[from] : (sdPatch){.keptMask = 0};
        renew(patch, &manifolds[i]);
        if (from != SD_NULL_INDEX) {
            // its impulses go to one only
            old[from].manifold.normal = sdV3(0.0f, 0.0f, 0.0f);
        }
    }
    return true;
}

// ---- near ----------------------------------------------------------------------------------

/// What becomes of a pair's contact.
typedef enum Nearness {
    NEARNESS_NONE,
    NEARNESS_SLEEPS, ///< there is one, without points, and there can be none in this step
    NEARNESS_STAYS,
    NEARNESS_COMES,
    NEARNESS_GOES
} Nearness;

typedef struct NearTask {
    const sdWorld* world;
    uint8_t* nearness; ///< of each pair of the list
} NearTask;

static double larger(double a, double b) {
    return a > b ? a : b;
}

/// By how much two boxes are apart along the axis on which they are most; negative: they overlap.
static double gapOf(const sdWorldBox* a, const sdWorldBox* b) {
    double x = larger(a->lower.x - b->upper.x, b->lower.x - a->upper.x);
    double y = larger(a->lower.y - b->upper.y, b->lower.y - a->upper.y);
    double z = larger(a->lower.z - b->upper.z, b->lower.z - a->upper.z);
    return larger(x, larger(y, z));
}

static Nearness judge(const sdWorld* world, sdShapePair* pair) {
    const sdReach* a = &world->reaches.data[pair->bodyA];
    const sdReach* b = &world->reaches.data[pair->bodyB];
    bool has = pair->contact != SD_NULL_INDEX;
    pair->distance -= a->moved + b->moved;
    if (pair->distance > SD_SPECULATIVE_MARGIN + a->ahead + b->ahead) {
        return has ? NEARNESS_SLEEPS : NEARNESS_NONE;
    }
    double gap = gapOf(&world->boxes.data[pair->fixtureA], &world->boxes.data[pair->fixtureB]);
    // each box has half of the margin around its shape
    pair->distance = gap > 0.0 ? (float)gap + SD_SPECULATIVE_MARGIN : 0.0f;
    return gap <= 0.0 ? (has ? NEARNESS_STAYS : NEARNESS_COMES)
                      : (has ? NEARNESS_GOES : NEARNESS_NONE);
}

static void findNear(void* arg, int begin, int end, int worker) {
    (void)worker;
    const NearTask* task = (const NearTask*)arg;
    const sdWorld* world = task->world;
    for (int i = begin; i < end; ++i) {
        sdShapePair* pair = &world->pairs.data[world->pairList.data[i]];
        task->nearness[i] = (uint8_t)judge(world, pair);
    }
}

/// List the contacts of the pairs of the list, and make those that are missing.
static sdResult listNear(sdStep* step) {
    sdWorld* world = step->world;
    int pairCount = world->pairList.count;
    uint8_t* nearness = sdArena_Alloc(&world->arena, (size_t)pairCount + 1, 1);
    step->contacts = sdArena_Alloc(&world->arena, (size_t)pairCount + 1, sizeof *step->contacts);
    if (nearness == NULL || step->contacts == NULL) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    NearTask task = {world, nearness};
    const sdTaskSystem* tasks = &world->context.tasks;
    tasks->parallelFor(tasks->user, findNear, &task, pairCount, PAIR_GRAIN);
    step->contactCount = 0;
    for (int i = 0; i < pairCount; ++i) {
        if (nearness[i] <= NEARNESS_SLEEPS) {
            continue;
        }
        int pair = world->pairList.data[i];
        sdResult result = nearness[i] == NEARNESS_COMES ? createContact(world, pair) : SD_OK;
        if (result != SD_OK) {
            return result;
        }
        step->contacts[step->contactCount++] =
            (sdContactEntry){.pair = pair,
                             .contact = world->pairs.data[pair].contact,
                             .isGoing = nearness[i] == NEARNESS_GOES};
    }
    return SD_OK;
}

// ---- collide -------------------------------------------------------------------------------

/// Sensors and events care for overlap, not for points that are only near.
static bool hasTouch(const sdPatch* patches, int count, float slop) {
    for (int i = 0; i < count; ++i) {
        const sdManifold* manifold = &patches[i].manifold;
        for (int j = 0; j < manifold->pointCount; ++j) {
            if (manifold->points[j].separation <= slop) {
                return true;
            }
        }
    }
    return false;
}

static bool isAsleep(const sdWorld* world, int body) {
    return !sdBitSet_Test(&world->awakeBodies, body) &&
           world->bodies.data[body].type != SD_BODY_STATIC;
}

/// Whether points that are apart meet within dt at the bodies' velocities.
static bool willTouch(const sdWorld* world, sdContact* contact, const sdShapePair* pair, float dt) {
    const sdBody* a = &world->bodies.data[pair->bodyA];
    const sdBody* b = &world->bodies.data[pair->bodyB];
    sdTransform local = sdFixture_ToCenter(a, &world->fixtures.data[pair->fixtureA]);
    sdTransform xf = sdMulXf(sdTransform_Make(sdV3(0.0f, 0.0f, 0.0f), a->rotation), local);
    sdVec3 between = sdPos_Sub(b->center, a->center);
    const sdPatch* patches = sdContact_GetPatches(contact, pair);
    for (int i = 0; i < contact->patchCount; ++i) {
        const sdManifold* manifold = &patches[i].manifold;
        sdVec3 n = sdRotate(xf.q, manifold->normal);
        for (int j = 0; j < manifold->pointCount; ++j) {
            sdVec3 rA = sdTransformPoint(xf, manifold->points[j].pointA), rB = sdSub(rA, between);
            sdVec3 va = sdAdd(a->velocity, sdCross(a->angularVelocity, rA));
            sdVec3 vb = sdAdd(b->velocity, sdCross(b->angularVelocity, rB));
            if (manifold->points[j].separation + dt * sdDot(n, sdSub(vb, va)) < 0.0f) {
                return true;
            }
        }
    }
    return false;
}

typedef struct CollideTask {
    sdStep* step;
    atomic_int hasFailed;
} CollideTask;

static void collideRange(void* arg, int begin, int end, int worker) {
    (void)worker;
    CollideTask* task = (CollideTask*)arg;
    const sdWorld* world = task->step->world;
    float dt = task->step->dt;
    for (int i = begin; i < end; ++i) {
        sdContactEntry* entry = &task->step->contacts[i];
        sdContact* contact = &world->contacts.data[entry->contact];
        sdShapePair* pair = &world->pairs.data[entry->pair];
        bool isDone = contact->collided == world->attempt;
        contact->collided = world->attempt;
        if (entry->isGoing) {
            contact->patchCount = 0;
            contact->patch.manifold.pointCount = 0;
        } else if ((pair->flags & SD_PAIR_MANY) == 0 && !isDone) {
            collideOne(world, contact, pair, dt);
        } else if (!isDone && !collideMany(world, contact, pair, dt)) {
            contact->collided = 0;
            atomic_store_explicit(&task->hasFailed, 1, memory_order_relaxed);
        }
        bool isSensor = (pair->flags & SD_PAIR_SENSOR) != 0;
        entry->patchCount = contact->patchCount;
        entry->wasTouching = (pair->flags & SD_PAIR_TOUCHING) != 0;
        entry->isTouching = hasTouch(sdContact_GetPatches(contact, pair), contact->patchCount,
                                     isSensor ? 0.0f : world->def.slop);
        // who touches one that is awake is awake, and so is who is about to be hit by one
        bool hasSleeper = isAsleep(world, pair->bodyA) || isAsleep(world, pair->bodyB);
        entry->isWaking =
            hasSleeper && !isSensor && (entry->isTouching || willTouch(world, contact, pair, dt));
    }
}

sdResult sdStep_CollideContacts(sdStep* step) {
    sdResult result = listNear(step);
    if (result != SD_OK) {
        return result;
    }
    CollideTask task = {.step = step};
    atomic_init(&task.hasFailed, 0);
    const sdTaskSystem* tasks = &step->world->context.tasks;
    tasks->parallelFor(tasks->user, collideRange, &task, step->contactCount, CONTACT_GRAIN);
    return atomic_load(&task.hasFailed) != 0 ? SD_ERROR_OUT_OF_MEMORY : SD_OK;
}

// ---- publish -------------------------------------------------------------------------------

static void moveEvents(sdContactEventArray* to, sdContactEventArray* from) {
    if (from->count > 0) {
        memcpy(to->data, from->data, (size_t)from->count * sizeof *from->data);
    }
    to->count = from->count;
    from->count = 0;
}

static void wakeSleeper(sdWorld* world, int body) {
    if (!sdBitSet_Test(&world->awakeBodies, body)) {
        sdWorld_WakeBody(world, body);
    }
}

static void publish(sdWorld* world, const sdContactEntry* entry) {
    sdShapePair* pair = &world->pairs.data[world->contacts.data[entry->contact].pair];
    bool isSensor = (pair->flags & SD_PAIR_SENSOR) != 0;
    if (entry->isTouching && !entry->wasTouching) {
        sdContactEventArray* list = isSensor ? &world->sensorBegin : &world->begin;
        list->data[list->count++] = eventOf(world, pair);
        pair->flags |= SD_PAIR_TOUCHING;
    } else if (!entry->isTouching && entry->wasTouching) {
        sdContactEventArray* list = isSensor ? &world->sensorEnd : &world->end;
        list->data[list->count++] = eventOf(world, pair);
        pair->flags &= ~(uint32_t)SD_PAIR_TOUCHING;
    }
    if (entry->isWaking) {
        wakeSleeper(world, pair->bodyA);
        wakeSleeper(world, pair->bodyB);
    }
}

sdResult sdStep_PublishContacts(sdStep* step) {
    sdWorld* world = step->world;
    const sdAllocator* allocator = &world->context.allocator;
    int count = step->contactCount;
    if (!sdContactEventArray_Reserve(&world->begin, allocator, count + 1) ||
        !sdContactEventArray_Reserve(&world->end, allocator, count + world->lateEnd.count + 1) ||
        !sdContactEventArray_Reserve(&world->sensorBegin, allocator, count + 1) ||
        !sdContactEventArray_Reserve(&world->sensorEnd, allocator,
                                     count + world->lateSensorEnd.count + 1)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    if (world->published != world->attempt) {
        world->published = world->attempt;
        world->begin.count = 0;
        world->hits.count = 0;
        world->sensorBegin.count = 0;
        moveEvents(&world->end, &world->lateEnd);
        moveEvents(&world->sensorEnd, &world->lateSensorEnd);
    }
    step->contactCount = 0;
    for (int i = 0; i < count; ++i) {
        const sdContactEntry* entry = &step->contacts[i];
        if (entry->isTouching != entry->wasTouching || entry->isWaking) {
            publish(world, entry);
            step->hasWoken = step->hasWoken || entry->isWaking;
        }
        if (entry->isGoing) {
            sdWorld_DestroyContact(world, entry->contact);
        } else {
            step->contacts[step->contactCount++] = *entry;
        }
    }
    return SD_OK;
}

sdResult sdStep_ListContacts(sdStep* step) {
    sdWorld* world = step->world;
    size_t capacity = (size_t)world->pairList.count + 1;
    step->contacts = sdArena_Alloc(&world->arena, capacity, sizeof *step->contacts);
    if (step->contacts == NULL) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    step->contactCount = 0;
    for (int i = 0; i < world->pairList.count; ++i) {
        const sdShapePair* pair = &world->pairs.data[world->pairList.data[i]];
        if (pair->contact != SD_NULL_INDEX) {
            step->contacts[step->contactCount++] = (sdContactEntry){
                .pair = world->pairList.data[i],
                .contact = pair->contact,
                .patchCount = world->contacts.data[pair->contact].patchCount,
                .isTouching = (pair->flags & SD_PAIR_TOUCHING) != 0,
            };
        }
    }
    return SD_OK;
}
