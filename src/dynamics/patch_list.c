// SPDX-License-Identifier: MIT
// patch_list.c - the patches that take part in a step, and what their solver needs of them.
//
// In:   the step's contacts; bodies, shapes and materials.
// Out:  a list of patches, and for each all that the solver is to know of it in one piece.
// Note: the solver takes patches by colour, which is no order at all to memory. So it is here, in
//       the order of the contacts, that contacts, bodies and shapes are looked at.

#include "dynamics/contact.h"
#include "geometry/compound.h"

/// Contacts per task.
#define CONTACT_GRAIN 128
/// Part of the smaller body's radius that the slop is at most: a thousandth of its size.
#define SLOP_SHARE 2e-3f
/// Part of a normal that must be across the axis of a cylinder or cone for its round side to touch.
#define ROUND_SIDE 0.5f

// ---- round shapes --------------------------------------------------------------------------

/// How far below its surface a shape is round about a point or line, at a contact point: what is
/// round turns under its contact, so that the point of the core below it is followed from sub-step
/// to sub-step, not that of the surface.
/// @param p, n contact point and normal, in the shape's frame
static float roundingOf(const sdShape* shape, sdVec3 p, sdVec3 n) {
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            return shape->sphere.radius;
        case SD_SHAPE_CAPSULE:
            return shape->capsule.radius;
        case SD_SHAPE_CYLINDER:
        case SD_SHAPE_CONE: {
            // from the side along the normal to the axis; flat ends are not round
            float across = sqrtf(n.x * n.x + n.z * n.z);
            return across > ROUND_SIDE ? sqrtf(p.x * p.x + p.z * p.z) / across : 0.0f;
        }
        default:
            return 0.0f;
    }
}

/// The convex part of a fixture that a patch is on, and its pose in the fixture's frame.
static const sdShape* partOf(const sdFixture* fixture, const sdManyPatch* many, bool isA,
                             sdTransform* xf) {
    const sdShape* shape = &fixture->def.shape;
    *xf = sdTransform_Identity();
    if (shape->type == SD_SHAPE_COMPOUND) {
        int child = isA ? many->childA : many->childB;
        *xf = shape->compound->children[child].xf;
        shape = &shape->compound->children[child].shape;
    }
    return shape;
}

static bool isRound(const sdShape* shape) {
    return shape->type == SD_SHAPE_SPHERE || shape->type == SD_SHAPE_CAPSULE ||
           shape->type == SD_SHAPE_CYLINDER || shape->type == SD_SHAPE_CONE;
}

/// Whether how round a shape is depends on where it is touched.
static bool isUnevenlyRound(const sdFixture* fixture) {
    sdShapeType type = fixture->def.shape.type;
    return type == SD_SHAPE_CYLINDER || type == SD_SHAPE_CONE || type == SD_SHAPE_COMPOUND;
}

/// @param xfAB fixture B's frame in fixture A's
static void setRounding(const sdFixture* a, const sdFixture* b, sdTransform xfAB,
                        const sdPatch* patch, sdPatchInput* input) {
    sdTransform xfA, xfB;
    // who has children has many patches
    const sdManyPatch* many = (const sdManyPatch*)(const void*)patch;
    const sdShape *partA = partOf(a, many, true, &xfA), *partB = partOf(b, many, false, &xfB);
    xfB = sdMulXf(xfAB, xfB);
    for (int i = 0; i < patch->pointCount; ++i) {
        if (isRound(partA)) {
            sdVec3 n = sdInvRotate(xfA.q, patch->normal);
            sdVec3 p = sdInvTransformPoint(xfA, patch->points[i].pointA);
            input->points[i].roundA = roundingOf(partA, p, n);
        }
        if (isRound(partB)) {
            sdVec3 n = sdInvRotate(xfB.q, patch->normal);
            sdVec3 p = sdInvTransformPoint(xfB, sdPatch_GetPointB(patch, i));
            input->points[i].roundB = roundingOf(partB, p, n);
        }
    }
}

// ---- one patch -----------------------------------------------------------------------------

/// Small bodies would rest visibly deep in each other.
static float slopOf(const sdWorld* world, const sdBody* a, const sdBody* b) {
    float radiusA = a->type == SD_BODY_STATIC ? FLT_MAX : a->radius;
    float radiusB = b->type == SD_BODY_STATIC ? FLT_MAX : b->radius;
    return sdMinF(world->def.slop, SLOP_SHARE * sdMinF(radiusA, radiusB));
}

/// Bodies that turn far in a step bounce where they meet on their way, not where they were near to
/// something when it began.
static bool isWhirling(const sdStep* step, const sdActivePatch* active) {
    const sdWorld* world = step->world;
    return world->def.enableContinuous &&
           (sdBody_IsWhirling(&world->bodies.data[active->bodyA], step->dt) ||
            sdBody_IsWhirling(&world->bodies.data[active->bodyB], step->dt));
}

static void setMaterial(sdStep* step, const sdActivePatch* active, sdPatchInput* input) {
    const sdWorld* world = step->world;
    sdMaterial material = sdWorld_MixMaterials(world, &world->fixtures.data[active->fixtureA],
                                               &world->fixtures.data[active->fixtureB]);
    if (material.restitution > 0.0f && isWhirling(step, active)) {
        material.restitution = 0.0f;
    }
    input->staticFriction = material.staticFriction;
    input->slidingFriction = material.slidingFriction;
    input->rollingFriction = material.rollingFriction;
    input->spinFriction = material.spinFriction;
    input->restitution = material.restitution;
    input->fall = sdV3(0.0f, 0.0f, 0.0f);
    if (material.restitution > 0.0f) {
        atomic_store_explicit(&step->hasBouncing, 1, memory_order_relaxed);
        input->fall = sdSub(sdBody_GetFall(world, &world->bodies.data[active->bodyB]),
                            sdBody_GetFall(world, &world->bodies.data[active->bodyA]));
    }
}

static void setInput(sdStep* step, const sdActivePatch* active, sdPatchInput* input) {
    const sdWorld* world = step->world;
    const sdBody* bodyA = &world->bodies.data[active->bodyA];
    const sdBody* bodyB = &world->bodies.data[active->bodyB];
    const sdFixture* fixtureA = &world->fixtures.data[active->fixtureA];
    const sdFixture* fixtureB = &world->fixtures.data[active->fixtureB];
    const sdPatch* patch = active->patch;
    sdTransform local = sdFixture_ToCenter(bodyA, fixtureA);
    input->turn = sdMulQ(bodyA->rotation, local.q);
    input->offset = sdRotate(bodyA->rotation, local.p);
    input->pointCount = (float)patch->pointCount;
    input->between = sdPos_Sub(bodyB->center, bodyA->center);
    input->normal = patch->normal;
    input->friction = patch->friction;
    input->rolling = patch->rolling;
    input->stateA = active->stateA;
    input->stateB = active->stateB;
    input->slop = slopOf(world, bodyA, bodyB);
    setMaterial(step, active, input);
    sdVec3 nowhere = {0.0f, 0.0f, 0.0f};
    float roundA = roundingOf(&fixtureA->def.shape, nowhere, nowhere);
    float roundB = roundingOf(&fixtureB->def.shape, nowhere, nowhere);
    for (int i = 0; i < patch->pointCount; ++i) {
        const sdPatchPoint* from = &patch->points[i];
        input->points[i].middle = sdMulAdd(from->pointA, 0.5f * from->separation, patch->normal);
        input->points[i].separation = from->separation;
        input->points[i].impulse = from->impulse;
        input->points[i].roundA = roundA;
        input->points[i].roundB = roundB;
    }
    if (isUnevenlyRound(fixtureA) || isUnevenlyRound(fixtureB)) {
        sdWorldTransform centerA = {bodyA->center, bodyA->rotation};
        sdWorldTransform centerB = {bodyB->center, bodyB->rotation};
        sdTransform localB = sdMulXf(sdWorldTransform_Relative(centerA, centerB),
                                     sdFixture_ToCenter(bodyB, fixtureB));
        setRounding(fixtureA, fixtureB, sdInvMulXf(local, localB), patch, input);
    }
}

// ---- all patches ---------------------------------------------------------------------------

typedef struct ListTask {
    sdStep* step;
    const int* starts; ///< of each contact's patches
} ListTask;

static int stateOf(const sdBody* body) {
    return body->type != SD_BODY_STATIC ? body->awakeIndex : SD_NULL_INDEX;
}

static void listPatches(void* arg, int begin, int end, int worker) {
    (void)worker;
    const ListTask* task = (const ListTask*)arg;
    sdStep* step = task->step;
    const sdWorld* world = step->world;
    for (int i = begin; i < end; ++i) {
        sdStep_PrefetchContacts(step, i, end);
        const sdContactEntry* entry = &step->contacts[i];
        const sdShapePair* pair = &world->pairs.data[entry->pair];
        sdContact* contact = sdWorld_GetContact(world, pair);
        int place = task->starts[i];
        for (int j = 0; entry->solvedCount > 0 && j < entry->patchCount; ++j) {
            sdPatch* patch = sdContact_GetPatch(contact, pair, j);
            if (patch->pointCount == 0) {
                continue;
            }
            step->patches[place] = (sdActivePatch){
                .patch = patch,
                .bodyA = pair->bodyA,
                .bodyB = pair->bodyB,
                .fixtureA = pair->fixtureA,
                .fixtureB = pair->fixtureB,
                .stateA = stateOf(&world->bodies.data[pair->bodyA]),
                .stateB = stateOf(&world->bodies.data[pair->bodyB]),
                .pointCount = patch->pointCount,
                .isTouching = entry->isTouching,
            };
            setInput(step, &step->patches[place], &step->inputs[place]);
            if (patch->blowState != 0) {
                sdStep_RenewBlow(step, place);
            }
            place += 1;
        }
    }
}

/// Where the patches of each contact begin in the list.
/// @return how many there are
static int placePatches(const sdStep* step, int* starts) {
    int count = 0;
    for (int i = 0; i < step->contactCount; ++i) {
        starts[i] = count;
        count += step->contacts[i].solvedCount;
    }
    return count;
}

bool sdStep_ListPatches(sdStep* step) {
    sdArena* arena = &step->world->arena;
    const sdTaskSystem* tasks = &step->world->context.tasks;
    int* starts = sdArena_Alloc(arena, (size_t)step->contactCount + 1, sizeof *starts);
    if (starts == NULL) {
        return false;
    }
    step->patchCount = placePatches(step, starts);
    size_t count = (size_t)step->patchCount + 1;
    step->patches = sdArena_Alloc(arena, count, sizeof *step->patches);
    step->inputs = sdArena_Alloc(arena, count, sizeof *step->inputs);
    if (step->patches == NULL || step->inputs == NULL) {
        return false;
    }
    ListTask task = {step, starts};
    tasks->parallelFor(tasks->user, listPatches, &task, step->contactCount, CONTACT_GRAIN);
    return true;
}
