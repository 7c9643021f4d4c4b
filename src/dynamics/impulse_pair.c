// SPDX-License-Identifier: MIT
// impulse_pair.c - where bodies will touch at the end of the step, for the impulse solver.
//
// In:   the world's pairs and contacts, found at the start of the step; predicted poses.
// Out:  points with arms, normals and separations; in the end, impulses at the world's contacts.
// Ref:  S2 §6, equations (6.1) and (6.2).
// Note: the world's bodies stand at their predicted poses while pairs are looked at, in parallel,
//       and then go back. A pair whose bodies go so far that they might come out on the wrong side
//       of each other keeps the points of the start, which look ahead along the way.

#include "dynamics/contact.h"
#include "dynamics/solver_impulse.h"

/// Pairs per task.
#define PAIR_GRAIN 8
/// Part of the thinner body's half width that two bodies may move against each other in a step and
/// be looked at where they will be.
#define SAFE_PART 0.5f
/// Part of the smaller body's radius that the slop is at most, as with the other solver.
#define SLOP_SHARE 2e-3f
/// Points that a pair has room for at first.
#define FIRST_POINTS 4

// ---- list ----------------------------------------------------------------------------------

static int bodyOf(const sdImpulseSolver* solver, int slot) {
    int state = sdStep_StateOf(solver->step, slot);
    return state != SD_NULL_INDEX ? state : solver->ground;
}

/// How fast any point of any body is, and may be soon.
static float findTopSpeed(const sdImpulseSolver* solver) {
    const sdStep* step = solver->step;
    const sdWorld* world = step->world;
    float most = 0.0f;
    for (int i = 0; i < step->bodyCount; ++i) {
        const sdImpulseBody* body = &solver->bodies[i];
        sdVec3 v = sdAdd(body->velocity, body->ahead);
        sdVec3 w = sdAdd(body->angularVelocity, body->angularAhead);
        float radius = world->bodies.data[body->body].radius;
        most = sdMaxF(most, sdLength(v) + sdLength(w) * radius);
    }
    return most;
}

/// Whether two shapes could touch within the step, even if another gave all its speed to them.
static bool isCandidate(const sdImpulseSolver* solver, const sdShapePair* pair, float way) {
    int a = bodyOf(solver, pair->bodyA), b = bodyOf(solver, pair->bodyB);
    return (pair->flags & SD_PAIR_SENSOR) == 0 &&
           (sdImpulseBody_IsMovable(&solver->bodies[a]) ||
            sdImpulseBody_IsMovable(&solver->bodies[b])) &&
           (pair->contact != SD_NULL_INDEX || pair->distance <= SD_SPECULATIVE_MARGIN + way);
}

static float slopOf(const sdWorld* world, const sdBody* a, const sdBody* b) {
    float radiusA = a->type == SD_BODY_STATIC ? FLT_MAX : a->radius;
    float radiusB = b->type == SD_BODY_STATIC ? FLT_MAX : b->radius;
    return sdMinF(world->def.slop, SLOP_SHARE * sdMinF(radiusA, radiusB));
}

static sdImpulsePair describe(const sdImpulseSolver* solver, int index) {
    const sdWorld* world = solver->step->world;
    const sdShapePair* pair = &world->pairs.data[index];
    bool hasContact = pair->contact != SD_NULL_INDEX;
    int patchCount = hasContact ? sdContact_CountPatches(sdWorld_GetContact(world, pair), pair) : 0;
    return (sdImpulsePair){
        .index = index,
        .pair = *pair,
        .isMany = (pair->flags & SD_PAIR_MANY) != 0,
        .startDistance = hasContact ? 0.0f : pair->distance,
        .bodyA = bodyOf(solver, pair->bodyA),
        .bodyB = bodyOf(solver, pair->bodyB),
        .material = sdWorld_MixMaterials(world, &world->fixtures.data[pair->fixtureA],
                                         &world->fixtures.data[pair->fixtureB]),
        .slop = slopOf(world, &world->bodies.data[pair->bodyA], &world->bodies.data[pair->bodyB]),
        .recordCount = patchCount * SD_MANIFOLD_MAX_POINTS,
    };
}

/// The pair's own contact, as the world's is.
static bool copyContact(sdImpulseSolver* solver, sdImpulsePair* pair) {
    sdWorld* world = solver->step->world;
    const sdShapePair* from = &world->pairs.data[pair->index];
    size_t size = sdContactStore_GetSize(sdShapePair_GetStore(from));
    pair->contact = sdArena_Alloc(&world->arena, 1, size);
    if (pair->contact == NULL) {
        return false;
    }
    memset(pair->contact, 0, size);
    if (from->contact == SD_NULL_INDEX) {
        return true;
    }
    sdContact* contact = sdWorld_GetContact(world, from);
    if (!pair->isMany) {
        memcpy(pair->contact, contact, size);
        return true;
    }
    const sdManyContact* many = sdContact_GetMany(contact);
    sdManyContact* copy = sdContact_GetMany(pair->contact);
    copy->pose = many->pose;
    if (!sdManyPatchArray_Reserve(&copy->patches, &world->context.allocator, many->patches.count)) {
        return false;
    }
    copy->patches.count = many->patches.count;
    for (int i = 0; i < many->patches.count; ++i) {
        copy->patches.data[i] = many->patches.data[i];
    }
    return true;
}

static bool makePair(sdImpulseSolver* solver, sdImpulsePair* pair, int index) {
    *pair = describe(solver, index);
    sdArena* arena = &solver->step->world->arena;
    pair->records = sdArena_Alloc(arena, (size_t)pair->recordCount + 1, sizeof *pair->records);
    if (pair->records == NULL) {
        return false;
    }
    memset(pair->records, 0, (size_t)pair->recordCount * sizeof *pair->records);
    return copyContact(solver, pair);
}

bool sdImpulseSolver_ListPairs(sdImpulseSolver* solver) {
    sdWorld* world = solver->step->world;
    float way = 2.0f * solver->step->dt * findTopSpeed(solver);
    int count = 0;
    for (int i = 0; i < world->pairList.count; ++i) {
        const sdShapePair* pair = &world->pairs.data[world->pairList.data[i]];
        count += isCandidate(solver, pair, way) ? 1 : 0;
    }
    size_t room = (size_t)count + 1;
    solver->pairs = sdArena_Alloc(&world->arena, room, sizeof *solver->pairs);
    solver->keys = sdArena_Alloc(&world->arena, room, sizeof *solver->keys);
    solver->order = sdArena_Alloc(&world->arena, room, sizeof *solver->order);
    solver->sorted = sdArena_Alloc(&world->arena, room, sizeof *solver->sorted);
    if (solver->pairs == NULL || solver->keys == NULL || solver->order == NULL ||
        solver->sorted == NULL) {
        return false;
    }
    for (int i = 0; i < world->pairList.count; ++i) {
        int index = world->pairList.data[i];
        if (isCandidate(solver, &world->pairs.data[index], way)) {
            // counted before it is whole, so that what it has is given back
            sdImpulsePair* pair = &solver->pairs[solver->pairCount];
            solver->order[solver->pairCount] = solver->pairCount;
            solver->pairCount += 1;
            if (!makePair(solver, pair, index)) {
                return false;
            }
        }
    }
    return true;
}

void sdImpulseSolver_FreePairs(sdImpulseSolver* solver) {
    const sdAllocator* allocator = &solver->step->world->context.allocator;
    for (int i = 0; i < solver->pairCount; ++i) {
        sdImpulsePair* pair = &solver->pairs[i];
        if (pair->isMany && pair->contact != NULL) {
            sdManyPatchArray_Free(&sdContact_GetMany(pair->contact)->patches, allocator);
        }
    }
}

// ---- where bodies will be ------------------------------------------------------------------

static void moveAhead(const sdImpulseSolver* solver, int body) {
    const sdImpulseBody* from = &solver->bodies[body];
    if (body != solver->ground) {
        sdBody* to = &solver->step->world->bodies.data[from->body];
        to->center = from->nextCenter;
        to->rotation = from->nextRotation;
    }
}

/// The world's bodies stand where the step found them while nobody looks at pairs.
static void moveBack(const sdImpulseSolver* solver, int body) {
    const sdImpulseBody* from = &solver->bodies[body];
    if (body != solver->ground) {
        sdBody* to = &solver->step->world->bodies.data[from->body];
        to->center = from->startCenter;
        to->rotation = from->startRotation;
    }
}

/// How far any point of a body goes to where it will be.
static float wayOf(const sdImpulseSolver* solver, int body) {
    const sdImpulseBody* it = &solver->bodies[body];
    if (body == solver->ground) {
        return 0.0f;
    }
    sdQuat turn = sdMulQ(it->nextRotation, sdConjugate(it->startRotation));
    float radius = solver->step->world->bodies.data[it->body].radius;
    return sdLength(sdPos_Sub(it->nextCenter, it->startCenter)) + 2.0f * sdLength(turn.v) * radius;
}

/// Whether two bodies move against each other by so little that they cannot come out on another
/// side of each other than they went in.
static bool isSafe(const sdImpulseSolver* solver, const sdImpulsePair* pair, float way) {
    const sdWorld* world = solver->step->world;
    float thinness = sdMinF(world->bodies.data[pair->pair.bodyA].thinness,
                            world->bodies.data[pair->pair.bodyB].thinness);
    return way <= SD_SPECULATIVE_MARGIN + SAFE_PART * thinness;
}

/// Bring the pair's contact to the poses at which the world's bodies stand now.
/// @return false when memory is short
static bool collidePair(const sdImpulseSolver* solver, sdImpulsePair* pair) {
    float way = wayOf(solver, pair->bodyA) + wayOf(solver, pair->bodyB);
    pair->isAtStart = !isSafe(solver, pair, way);
    if (pair->isAtStart) {
        return true;
    }
    if (pair->startDistance > SD_SPECULATIVE_MARGIN + way) {
        if (pair->isMany) {
            sdContact_GetMany(pair->contact)->patches.count = 0;
        } else {
            pair->contact->patch.pointCount = 0;
        }
        return true;
    }
    return sdContact_Collide(solver->step->world, pair->contact, &pair->pair, 0.0f);
}

// ---- points --------------------------------------------------------------------------------

/// The contact that the pair's points come from; NULL: none.
static sdContact* sourceOf(const sdImpulseSolver* solver, const sdImpulsePair* pair) {
    const sdWorld* world = solver->step->world;
    const sdShapePair* own = &world->pairs.data[pair->index];
    if (!pair->isAtStart) {
        return pair->contact;
    }
    return own->contact != SD_NULL_INDEX ? sdWorld_GetContact(world, own) : NULL;
}

static sdWorldTransform poseOf(const sdImpulseSolver* solver, const sdImpulsePair* pair, int body,
                               int slot) {
    const sdImpulseBody* it = &solver->bodies[body];
    const sdBody* still = &solver->step->world->bodies.data[slot];
    if (body == solver->ground) {
        return (sdWorldTransform){still->center, still->rotation};
    }
    return pair->isAtStart ? (sdWorldTransform){it->startCenter, it->startRotation}
                           : (sdWorldTransform){it->nextCenter, it->nextRotation};
}

static int countPoints(const sdImpulseSolver* solver, const sdImpulsePair* pair) {
    sdContact* contact = sourceOf(solver, pair);
    int count = 0;
    for (int i = 0; contact != NULL && i < sdContact_CountPatches(contact, &pair->pair); ++i) {
        count += sdContact_GetPatch(contact, &pair->pair, i)->pointCount;
    }
    return count;
}

static bool reservePoints(sdImpulseSolver* solver, sdImpulsePair* pair) {
    int count = countPoints(solver, pair);
    if (count > pair->pointCapacity) {
        int room = sdMaxI(FIRST_POINTS, 2 * count);
        pair->points =
            sdArena_Alloc(&solver->step->world->arena, (size_t)room, sizeof *pair->points);
        pair->pointCapacity = pair->points != NULL ? room : 0;
    }
    return count <= pair->pointCapacity;
}

/// Separations are carried on linearly from here: `base` is what is left without the velocities.
static void setBase(const sdImpulseSolver* solver, const sdImpulsePair* pair, sdImpulsePoint* point,
                    float separation) {
    const sdImpulseBody* a = &solver->bodies[pair->bodyA];
    const sdImpulseBody* b = &solver->bodies[pair->bodyB];
    sdVec3 change = pair->isAtStart ? sdSub(sdImpulseBody_AheadAt(b, point->armB),
                                            sdImpulseBody_AheadAt(a, point->armA))
                                    : sdNeg(sdImpulsePoint_GetVelocity(point, a, b));
    point->base = separation + solver->horizon * sdDot(point->normal, change);
}

/// How wide the points are apart, for what holds against turning about the normal.
static void measureWidth(sdImpulsePair* pair) {
    sdVec3 sum = {0.0f, 0.0f, 0.0f};
    float width = 0.0f, share = 1.0f / (float)sdMaxI(pair->pointCount, 1);
    for (int i = 0; i < pair->pointCount; ++i) {
        sum = sdAdd(sum, pair->points[i].armA);
    }
    sdVec3 middle = sdScale(share, sum);
    for (int i = 0; i < pair->pointCount; ++i) {
        pair->points[i].side = sdSub(pair->points[i].armA, middle);
        width += sdLength(pair->points[i].side);
    }
    pair->load.width = share * width;
}

static void fillPoints(const sdImpulseSolver* solver, sdImpulsePair* pair) {
    const sdWorld* world = solver->step->world;
    sdContact* contact = sourceOf(solver, pair);
    const sdBody* bodyA = &world->bodies.data[pair->pair.bodyA];
    sdWorldTransform xfA = poseOf(solver, pair, pair->bodyA, pair->pair.bodyA);
    sdWorldTransform xfB = poseOf(solver, pair, pair->bodyB, pair->pair.bodyB);
    sdTransform local = sdFixture_ToCenter(bodyA, &world->fixtures.data[pair->pair.fixtureA]);
    sdTransform xf = sdMulXf(sdTransform_Make(sdV3(0.0f, 0.0f, 0.0f), xfA.q), local);
    sdVec3 between = sdPos_Sub(xfB.p, xfA.p);
    int patchCount = contact != NULL ? sdContact_CountPatches(contact, &pair->pair) : 0;
    pair->pointCount = 0;
    for (int i = 0; i < patchCount; ++i) {
        const sdPatch* patch = sdContact_GetPatch(contact, &pair->pair, i);
        sdVec3 normal = sdRotate(xf.q, patch->normal);
        for (int j = 0; j < patch->pointCount; ++j) {
            const sdPatchPoint* from = &patch->points[j];
            sdVec3 middle = sdMulAdd(from->pointA, 0.5f * from->separation, patch->normal);
            sdImpulsePoint* point = &pair->points[pair->pointCount++];
            point->normal = normal;
            point->armA = sdTransformPoint(xf, middle);
            point->armB = sdSub(point->armA, between);
            point->place = middle;
            point->id = from->id;
            point->record = SD_RECORD_UNKNOWN;
            point->pushed = 0.0f;
            point->isDone = point->isMerged = false;
            setBase(solver, pair, point, from->separation);
        }
    }
    measureWidth(pair);
}

// ---- detection -----------------------------------------------------------------------------

typedef struct DetectTask {
    sdImpulseSolver* solver;
    atomic_int hasFailed;
} DetectTask;

static void collideRange(void* arg, int begin, int end, int worker) {
    (void)worker;
    DetectTask* task = (DetectTask*)arg;
    for (int i = begin; i < end; ++i) {
        if (!collidePair(task->solver, &task->solver->pairs[i])) {
            atomic_store_explicit(&task->hasFailed, 1, memory_order_relaxed);
        }
    }
}

static void fillRange(void* arg, int begin, int end, int worker) {
    (void)worker;
    sdImpulseSolver* solver = (sdImpulseSolver*)arg;
    for (int i = begin; i < end; ++i) {
        fillPoints(solver, &solver->pairs[i]);
    }
}

void sdImpulseSolver_Detect(sdImpulseSolver* solver) {
    sdTeam* team = solver->step->team;
    DetectTask task = {.solver = solver};
    atomic_init(&task.hasFailed, 0);
    for (int i = 0; i < solver->ground; ++i) {
        sdImpulseBody_Predict(&solver->bodies[i], solver->horizon);
        moveAhead(solver, i);
    }
    sdTeam_For(team, collideRange, &task, solver->pairCount, PAIR_GRAIN);
    solver->lookCount += solver->pairCount;
    for (int i = 0; i < solver->ground; ++i) {
        moveBack(solver, i);
    }
    solver->hasFailed = solver->hasFailed || atomic_load(&task.hasFailed) != 0;
    for (int i = 0; i < solver->pairCount && !solver->hasFailed; ++i) {
        solver->hasFailed = !reservePoints(solver, &solver->pairs[i]);
    }
    if (!solver->hasFailed) {
        sdTeam_For(team, fillRange, solver, solver->pairCount, PAIR_GRAIN);
    }
}

void sdImpulseSolver_LookAtPair(sdImpulseSolver* solver, sdImpulsePair* pair) {
    moveAhead(solver, pair->bodyA);
    moveAhead(solver, pair->bodyB);
    bool isFound = collidePair(solver, pair);
    solver->lookCount += 1;
    moveBack(solver, pair->bodyA);
    moveBack(solver, pair->bodyB);
    solver->hasFailed = solver->hasFailed || !isFound || !reservePoints(solver, pair);
    if (!solver->hasFailed) {
        fillPoints(solver, pair);
    }
}

// ---- records -------------------------------------------------------------------------------

/// The point of the world's contact that stands for one of ours: of the same features, else the
/// nearest.
static int findRecord(const sdImpulseSolver* solver, const sdImpulsePair* pair,
                      const sdImpulsePoint* point) {
    const sdWorld* world = solver->step->world;
    const sdShapePair* own = &world->pairs.data[pair->index];
    if (own->contact == SD_NULL_INDEX) {
        return SD_NULL_INDEX;
    }
    sdContact* contact = sdWorld_GetContact(world, own);
    int nearest = SD_NULL_INDEX;
    float least = FLT_MAX;
    for (int i = 0; i < sdContact_CountPatches(contact, own); ++i) {
        const sdPatch* patch = sdContact_GetPatch(contact, own, i);
        for (int j = 0; j < patch->pointCount; ++j) {
            float distance = sdDistanceSquared(patch->points[j].pointA, point->place);
            bool isSame = patch->points[j].id == point->id;
            distance = isSame ? 0.0f : distance;
            if (distance < least) {
                least = distance;
                nearest = i * SD_MANIFOLD_MAX_POINTS + j;
            }
        }
    }
    return nearest;
}

void sdImpulseSolver_Note(sdImpulseSolver* solver, sdImpulsePair* pair, sdImpulsePoint* point,
                          const sdImpulseReaction* reaction) {
    if (point->record == SD_RECORD_UNKNOWN) {
        point->record = findRecord(solver, pair, point);
    }
    if (point->record != SD_NULL_INDEX) {
        sdImpulseRecord* record = &pair->records[point->record];
        record->normal += reaction->normal;
        record->friction =
            sdAdd(record->friction, sdMulAdd(reaction->push, -reaction->normal, point->normal));
        record->rolling = sdAdd(record->rolling, reaction->rolling);
    }
}

void sdImpulseSolver_StorePairs(sdImpulseSolver* solver) {
    const sdWorld* world = solver->step->world;
    // contacts have those of a sub-step besides, for whoever goes on from them
    float share = 1.0f / (float)world->def.subStepCount;
    bool isFirst = world->part == 0;
    for (int i = 0; i < solver->pairCount; ++i) {
        const sdImpulsePair* pair = &solver->pairs[i];
        const sdShapePair* own = &world->pairs.data[pair->index];
        int patchCount = pair->recordCount / SD_MANIFOLD_MAX_POINTS;
        for (int j = 0; j < patchCount; ++j) {
            sdPatch* patch = sdContact_GetPatch(sdWorld_GetContact(world, own), own, j);
            const sdImpulseRecord* records = &pair->records[j * SD_MANIFOLD_MAX_POINTS];
            sdVec3 none = {0.0f, 0.0f, 0.0f}, friction = none, rolling = none;
            float all = 0.0f;
            for (int k = 0; k < patch->pointCount; ++k) {
                // the pair never pulls, but friction that holds at one point may press less there
                // than other points did
                sdPatchPoint* point = &patch->points[k];
                float total = sdMaxF(records[k].normal, 0.0f);
                point->impulse = share * total;
                point->total = isFirst ? total : point->total + total;
                all += total;
                friction = sdAdd(friction, records[k].friction);
                rolling = sdAdd(rolling, records[k].rolling);
            }
            patch->friction = sdScale(share, friction);
            patch->rolling = sdScale(share, rolling);
            patch->frictionTotal = sdAdd(isFirst ? none : patch->frictionTotal, friction);
            sdPatch_NoteBlow(patch, all);
        }
    }
}
