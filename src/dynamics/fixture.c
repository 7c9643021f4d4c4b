// SPDX-License-Identifier: MIT
// fixture.c - shapes on bodies: their boxes in the broad phase, the mass they give.

#include "dynamics/fixture.h"

#include "dynamics/contact.h"
#include "dynamics/island.h"
#include "dynamics/meeting.h"
#include "dynamics/pair.h"

sdMaterial sdMaterial_Default(void) {
    return (sdMaterial){.staticFriction = 0.6f, .slidingFriction = 0.6f};
}

sdFilter sdFilter_Default(void) {
    return (sdFilter){.category = 1u, .mask = 0xFFFFFFFFu};
}

sdShapeDef sdShapeDef_Default(sdShape shape) {
    return (sdShapeDef){
        .shape = shape,
        .xf = sdTransform_Identity(),
        .density = 1000.0f,
        .material = sdMaterial_Default(),
        .filter = sdFilter_Default(),
    };
}

// ---- mass ----------------------------------------------------------------------------------

/// Moments of inertia that floats can invert, kg m².
#define MIN_MOMENT 1e-36f
#define MAX_MOMENT 1e36f

bool sdMassProps_IsWithinLimits(sdMassProps props) {
    sdVec3 moments;
    sdMat33_Eigen(props.inertia, &moments);
    return props.mass >= SD_MIN_MASS && props.mass <= SD_MAX_MASS && moments.z >= MIN_MOMENT &&
           moments.x <= MAX_MOMENT;
}

/// A body whose least moment of inertia is less than this part of the others is a needle.
#define NEEDLE_PART 0.01f

/// The axis of least inertia of a needle; zero for other bodies.
static sdVec3 findNeedleAxis(const sdBody* body) {
    const sdMat33* m = &body->inverseInertia;
    float most = sdMaxF(m->cx.x, sdMaxF(m->cy.y, m->cz.z));
    if (!(most > 0.0f)) {
        return sdV3(0.0f, 0.0f, 0.0f);
    }
    // of order 1, whatever the mass
    sdMat33 scaled = {sdScale(1.0f / most, m->cx), sdScale(1.0f / most, m->cy),
                      sdScale(1.0f / most, m->cz)};
    sdVec3 axis = most == m->cx.x ? scaled.cx : (most == m->cy.y ? scaled.cy : scaled.cz);
    // the inverse tensor of a needle turns everything towards its axis
    for (int i = 0; i < 3; ++i) {
        axis = sdNormalize(sdMulMV(scaled, axis));
    }
    float along = sdDot(axis, sdMulMV(body->inertia, axis));
    float across = 0.5f * (body->inertia.cx.x + body->inertia.cy.y + body->inertia.cz.z - along);
    return along > 0.0f && along < NEEDLE_PART * across ? axis : sdV3(0.0f, 0.0f, 0.0f);
}

void sdBody_TakeMass(sdBody* body, sdMassProps props) {
    // the frame stays, so the centre moves with the new local centre, and so does its velocity
    sdVec3 shift = sdRotate(body->rotation, sdSub(props.center, body->localCenter));
    body->center = sdPos_Add(body->center, shift);
    body->velocity = sdAdd(body->velocity, sdCross(body->angularVelocity, shift));
    body->localCenter = props.center;
    body->mass = props.mass;
    body->inverseMass = 1.0f / props.mass;
    body->inertia = props.inertia;
    body->inverseInertia = sdMat33_Inverse(props.inertia);
    body->needleAxis = findNeedleAxis(body);
}

static float radiusAbout(const sdFixture* fixture, sdVec3 center) {
    if (fixture->def.shape.type == SD_SHAPE_HALF_SPACE) {
        return 0.0f;
    }
    sdAABB box = sdShape_GetBounds(&fixture->def.shape, fixture->def.xf);
    sdVec3 reach = sdMax(sdAbs(sdSub(box.lower, center)), sdAbs(sdSub(box.upper, center)));
    return sdLength(reach);
}

void sdBody_UpdateMass(sdWorld* world, int index) {
    sdBody* body = &world->bodies.data[index];
    sdMassProps sum = {0};
    for (int i = body->firstShape; i != SD_NULL_INDEX; i = world->fixtures.data[i].next) {
        sum = sdMassProps_Add(sum, world->fixtures.data[i].mass);
    }
    if (body->type != SD_BODY_DYNAMIC) {
        body->mass = 0.0f;
        body->inverseMass = 0.0f;
    } else if (!body->hasGivenMass) {
        if (sum.mass > 0.0f) {
            sdBody_TakeMass(body, sum);
        } else {
            // it falls and can be pushed, but nothing can turn it
            body->mass = 1.0f;
            body->inverseMass = 1.0f;
            body->inertia = sdMat33_Diagonal(0.0f, 0.0f, 0.0f);
            body->inverseInertia = body->inertia;
        }
    }
    body->thinness = sdBody_FindThinness(world, body);
    body->radius = 0.0f;
    body->isMesh = false;
    for (int i = body->firstShape; i != SD_NULL_INDEX; i = world->fixtures.data[i].next) {
        float radius = radiusAbout(&world->fixtures.data[i], body->localCenter);
        body->radius = sdMaxF(body->radius, radius);
        body->isMesh = body->isMesh || (body->type == SD_BODY_DYNAMIC &&
                                        world->fixtures.data[i].def.shape.concave != NULL);
    }
    if (body->isMesh) {
        world->leastMeshRadius = sdMinF(world->leastMeshRadius, body->radius);
    }
}

// ---- boxes ---------------------------------------------------------------------------------

/// Half of what a half-space fills, which floats can still hold.
#define HALF_SPACE_REACH 1e14

/// Part of its radius by which the box of a mesh that may move is larger, if that is less.
#define CONCAVE_BOX_MARGIN 0.1f

sdWorldBox sdFixture_GetBox(const sdWorld* world, const sdBody* body, const sdFixture* fixture,
                            float dt) {
    if (fixture->def.shape.type == SD_SHAPE_HALF_SPACE) {
        sdPos reach = {HALF_SPACE_REACH, HALF_SPACE_REACH, HALF_SPACE_REACH};
        return sdWorldBox_Make(sdPos_Make(-reach.x, -reach.y, -reach.z), reach);
    }
    // relative to the centre, where floats are finest
    sdTransform xf = {sdSub(fixture->def.xf.p, body->localCenter), fixture->def.xf.q};
    sdTransform turn = {sdV3(0.0f, 0.0f, 0.0f), body->rotation};
    sdAABB box = sdShape_GetBounds(&fixture->def.shape, sdMulXf(turn, xf));
    float turned = dt * sdLength(body->angularVelocity) * body->radius;
    float reach = sdBody_GetReach(body) * body->radius;
    float margin = 0.5f * SD_SPECULATIVE_MARGIN;
    if (fixture->def.shape.concave != NULL) {
        // what a contact sees of it, and how far it falls
        float fall = sdLength(world->def.gravity) * dt * dt;
        margin = sdMinF(margin, CONCAVE_BOX_MARGIN * body->radius + fall);
    }
    box = sdAABB_Grow(box, margin + sdMinF(turned, reach));
    sdVec3 motion = sdScale(dt, body->velocity), zero = {0.0f, 0.0f, 0.0f};
    float way = sdLength(motion), most = sdBody_SeenWay(body);
    if (world->def.enableContinuous && way > most) {
        // what goes further is looked at on its way, for which this box is not asked
        motion = sdScale(most / way, motion);
    }
    box.lower = sdAdd(box.lower, sdMin(motion, zero));
    box.upper = sdAdd(box.upper, sdMax(motion, zero));
    return sdWorldBox_FromLocal(body->center, box);
}

void sdWorld_MoveFixtures(sdWorld* world, int index) {
    const sdBody* body = &world->bodies.data[index];
    for (int i = body->firstShape; i != SD_NULL_INDEX; i = world->fixtures.data[i].next) {
        const sdFixture* fixture = &world->fixtures.data[i];
        world->boxes.data[i] = sdFixture_GetBox(world, body, fixture, world->lastDt);
        sdBroadphase_Move(world->broadphase, fixture->proxy, world->boxes.data[i]);
    }
    sdWorld_ForgetDistances(world, index);
}

// ---- add and remove ------------------------------------------------------------------------

static bool isCoefficient(float a) {
    return a >= 0.0f && sdIsFinite(a);
}

static const char* faultOfMaterial(const sdMaterial* material) {
    if (!isCoefficient(material->staticFriction) || !isCoefficient(material->slidingFriction) ||
        !isCoefficient(material->rollingFriction) || !isCoefficient(material->spinFriction)) {
        return "a friction is negative or not finite";
    }
    if (material->slidingFriction > material->staticFriction) {
        return "sliding friction is larger than static friction";
    }
    if (!(material->restitution >= 0.0f && material->restitution <= 1.0f)) {
        return "the restitution is not within 0 .. 1";
    }
    return NULL;
}

static bool isForStatic(const sdShape* shape) {
    return (shape->type == SD_SHAPE_MESH && shape->concave == NULL) ||
           shape->type == SD_SHAPE_HALF_SPACE;
}

const char* sdShapeDef_FindFault(const sdShapeDef* def, sdBodyType type) {
    if (!sdShape_IsValid(&def->shape)) {
        return "the shape is not valid (see sdShape_IsValid)";
    }
    if (!sdTransform_IsValid(def->xf) || !(sdLength(def->xf.p) <= (float)SD_MAX_COORDINATE)) {
        return "the pose is not finite, beyond 1e12 m, or its rotation is not a unit quaternion";
    }
    if (!isCoefficient(def->density)) {
        return "the density is negative or not finite";
    }
    if (isForStatic(&def->shape) && type == SD_BODY_DYNAMIC) {
        return "plain meshes and half-spaces belong on static or kinematic bodies; "
               "sdConcave_Create "
               "makes a mesh that may move";
    }
    return faultOfMaterial(&def->material);
}

static sdProxyDef proxyDefOf(const sdWorld* world, const sdBody* body, const sdFixture* fixture,
                             int index) {
    const sdFilter* filter = &fixture->def.filter;
    // groups overrule categories, which the broad phase does not know
    bool hasGroup = filter->group != 0;
    uint32_t seen = body->isDisabled ? 0u : 0xFFFFFFFFu;
    return (sdProxyDef){
        .box = sdFixture_GetBox(world, body, fixture, 0.0f),
        .userData = (uint64_t)index,
        .category = (hasGroup ? 0xFFFFFFFFu : filter->category) & seen,
        .mask = (hasGroup ? 0xFFFFFFFFu : filter->mask) & seen,
        .isStatic = body->type == SD_BODY_STATIC,
    };
}

/// Mass of a shape on a dynamic body, in the body's frame; shapes without volume weigh nothing.
static sdResult weigh(const sdWorld* world, const sdBody* body, const sdShapeDef* def,
                      sdMassProps* out) {
    *out = (sdMassProps){0};
    if (body->type != SD_BODY_DYNAMIC || def->density == 0.0f || def->isSensor) {
        return SD_OK;
    }
    sdMassProps props;
    sdResult result = sdShape_GetMass(&world->context, &def->shape, def->density, &props);
    if (result == SD_ERROR_DEGENERATE) {
        return SD_OK;
    }
    if (result == SD_OK) {
        *out = sdMassProps_Transform(props, def->xf);
        if (!sdMassProps_IsWithinLimits(*out)) {
            *out = (sdMassProps){0};
            return sdFail(&world->context, SD_ERROR_INVALID_ARGUMENT,
                          "the mass of %g kg of a shape, or a moment of it, is not within "
                          "1e-24 .. 1e24 kg, 1e-36 .. 1e36 kg m²",
                          (double)props.mass);
        }
    }
    return result;
}

static bool isTouched(const sdWorld* world, const sdBody* body) {
    for (int edge = body->firstPair; edge != SD_NULL_INDEX;
         edge = world->pairs.data[edge >> 1].next[edge & 1]) {
        if ((world->pairs.data[edge >> 1].flags & SD_PAIR_TOUCHING) != 0) {
            return true;
        }
    }
    return body->jointCount > 0;
}

sdResult sdBody_AddShape(sdWorld* world, sdBodyId id, const sdShapeDef* def, sdShapeId* out) {
    if (out != NULL) {
        *out = SD_NULL_SHAPE;
    }
    if (world == NULL || def == NULL) {
        return sdFail(world != NULL ? &world->context : NULL, SD_ERROR_INVALID_ARGUMENT,
                      "sdBody_AddShape: world and def must not be NULL");
    }
    sdResult result = sdWorld_CheckUnlocked(world, "sdBody_AddShape");
    if (result != SD_OK) {
        return result;
    }
    sdBody* body = sdWorld_FindBody(world, id);
    if (body == NULL) {
        return sdFail(&world->context, SD_ERROR_STALE_ID,
                      "sdBody_AddShape: body %08x is gone or never was", (unsigned)id);
    }
    const char* fault = sdShapeDef_FindFault(def, (sdBodyType)body->type);
    if (fault != NULL) {
        return sdFail(&world->context, SD_ERROR_INVALID_ARGUMENT, "sdBody_AddShape: %s", fault);
    }
    sdFixture fixture = {.def = *def, .body = sdId_Index(id), .next = body->firstShape};
    result = weigh(world, body, def, &fixture.mass);
    if (result != SD_OK) {
        return result;
    }
    const sdAllocator* allocator = &world->context.allocator;
    int64_t needed = (int64_t)world->fixturePool.slotCount + 1;
    if (!sdFixtureArray_Reserve(&world->fixtures, allocator, needed) ||
        !sdWorldBoxArray_Reserve(&world->boxes, allocator, needed)) {
        return sdFailMemory(&world->context, "sdBody_AddShape", sizeof(sdFixture));
    }
    sdShapeId shapeId;
    result = sdIdPool_Alloc(&world->fixturePool, allocator, &shapeId);
    if (result != SD_OK) {
        return sdFail(&world->context, result, "sdBody_AddShape: no slot for another shape");
    }
    int index = sdId_Index(shapeId);
    sdProxyDef proxy = proxyDefOf(world, body, &fixture, index);
    result = sdBroadphase_Add(world->broadphase, &proxy, &fixture.proxy);
    if (result != SD_OK) {
        sdIdPool_Release(&world->fixturePool, shapeId);
        return result;
    }
    sdShape_Retain(&def->shape);
    world->fixtures.count = world->fixturePool.slotCount;
    world->fixtures.data[index] = fixture;
    world->boxes.count = world->fixtures.count;
    world->boxes.data[index] = proxy.box;
    world->hasOldBoxes = true;
    body->firstShape = index;
    body->shapeCount += 1;
    sdBody_UpdateMass(world, sdId_Index(id));
    // one that was made asleep stays so while nothing touches it
    if (isTouched(world, body)) {
        sdWorld_WakeBody(world, sdId_Index(id));
    }
    if (out != NULL) {
        *out = shapeId;
    }
    return SD_OK;
}

void sdWorld_RemoveFixture(sdWorld* world, int index) {
    sdFixture* fixture = &world->fixtures.data[index];
    sdBody* body = &world->bodies.data[fixture->body];
    sdWorld_DestroyPairsOf(world, index);
    int* link = &body->firstShape;
    while (*link != index) {
        link = &world->fixtures.data[*link].next;
    }
    *link = fixture->next;
    body->shapeCount -= 1;
    sdBroadphase_Remove(world->broadphase, fixture->proxy);
    sdShape_Release(&fixture->def.shape);
    sdIdPool_Release(&world->fixturePool, sdIdPool_GetId(&world->fixturePool, index));
}

// ---- another type --------------------------------------------------------------------------

/// What a fixture gets.
typedef struct Renewal {
    sdProxyId proxy;
    sdMassProps mass;
} Renewal;

static sdResult renew(sdWorld* world, const sdBody* body, int index, Renewal* out) {
    const sdFixture* fixture = &world->fixtures.data[index];
    if (body->type == SD_BODY_DYNAMIC && isForStatic(&fixture->def.shape)) {
        return sdFail(&world->context, SD_ERROR_INVALID_ARGUMENT,
                      "sdBody_SetType: plain meshes and half-spaces cannot be dynamic");
    }
    sdResult result = weigh(world, body, &fixture->def, &out->mass);
    if (result != SD_OK) {
        return result;
    }
    sdProxyDef def = proxyDefOf(world, body, fixture, index);
    return sdBroadphase_Add(world->broadphase, &def, &out->proxy);
}

sdResult sdWorld_RetypeFixtures(sdWorld* world, int index, sdBodyType type) {
    sdBody changed = world->bodies.data[index];
    changed.type = (uint8_t)type;
    Renewal* renewals =
        sdArena_Alloc(&world->arena, (size_t)changed.shapeCount + 1, sizeof *renewals);
    if (renewals == NULL) {
        return sdFailMemory(&world->context, "sdBody_SetType", sizeof *renewals);
    }
    int count = 0;
    sdResult result = SD_OK;
    for (int i = changed.firstShape; i != SD_NULL_INDEX && result == SD_OK;
         i = world->fixtures.data[i].next) {
        result = renew(world, &changed, i, &renewals[count]);
        count += result == SD_OK ? 1 : 0;
    }
    if (result != SD_OK) {
        while (count > 0) {
            sdBroadphase_Remove(world->broadphase, renewals[--count].proxy);
        }
    }
    for (int i = changed.firstShape, k = 0; k < count; i = world->fixtures.data[i].next, ++k) {
        sdFixture* fixture = &world->fixtures.data[i];
        sdWorld_DestroyPairsOf(world, i);
        sdBroadphase_Remove(world->broadphase, fixture->proxy);
        fixture->proxy = renewals[k].proxy;
        fixture->mass = renewals[k].mass;
    }
    sdArena_Reset(&world->arena);
    return result;
}

void sdWorld_ShowFixtures(sdWorld* world, int index) {
    const sdBody* body = &world->bodies.data[index];
    for (int i = body->firstShape; i != SD_NULL_INDEX; i = world->fixtures.data[i].next) {
        const sdFixture* fixture = &world->fixtures.data[i];
        sdProxyDef def = proxyDefOf(world, body, fixture, i);
        sdBroadphase_SetFilter(world->broadphase, fixture->proxy, def.category, def.mask);
        if (body->isDisabled) {
            sdWorld_DestroyPairsOf(world, i);
        }
    }
}

sdResult sdShapeId_Remove(sdWorld* world, sdShapeId id) {
    if (world == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    sdResult result = sdWorld_CheckUnlocked(world, "sdShapeId_Remove");
    if (result != SD_OK) {
        return result;
    }
    sdFixture* fixture = sdWorld_FindFixture(world, id);
    if (fixture == NULL) {
        return sdFail(&world->context, SD_ERROR_STALE_ID,
                      "sdShapeId_Remove: shape %08x is gone or never was", (unsigned)id);
    }
    int body = fixture->body;
    sdWorld_WakeNeighbours(world, body);
    sdWorld_RemoveFixture(world, sdId_Index(id));
    sdBody_UpdateMass(world, body);
    sdWorld_WakeBody(world, body);
    return SD_OK;
}

// ---- read and change -----------------------------------------------------------------------

int sdBody_GetShapes(const sdWorld* world, sdBodyId id, sdShapeId* out, int capacity) {
    const sdBody* body = sdWorld_FindBody(world, id);
    if (body == NULL) {
        return 0;
    }
    int count = 0;
    for (int i = body->firstShape; i != SD_NULL_INDEX; i = world->fixtures.data[i].next) {
        if (count < capacity && out != NULL) {
            out[count] = sdIdPool_GetId(&world->fixturePool, i);
        }
        count += 1;
    }
    return count;
}

bool sdShapeId_IsValid(const sdWorld* world, sdShapeId id) {
    return sdWorld_FindFixture(world, id) != NULL;
}

sdBodyId sdShapeId_GetBody(const sdWorld* world, sdShapeId id) {
    const sdFixture* fixture = sdWorld_FindFixture(world, id);
    return fixture != NULL ? sdIdPool_GetId(&world->bodyPool, fixture->body) : SD_NULL_BODY;
}

uint64_t sdShapeId_GetUserData(const sdWorld* world, sdShapeId id) {
    const sdFixture* fixture = sdWorld_FindFixture(world, id);
    return fixture != NULL ? fixture->def.userData : 0;
}

/// The shape behind an id that a caller may change, or NULL with the reason in *result.
static sdFixture* change(sdWorld* world, sdShapeId id, const char* function, sdResult* result) {
    if (world == NULL) {
        *result = SD_ERROR_INVALID_ARGUMENT;
        return NULL;
    }
    *result = sdWorld_CheckUnlocked(world, function);
    sdFixture* fixture = sdWorld_FindFixture(world, id);
    if (*result == SD_OK && fixture == NULL) {
        *result = sdFail(&world->context, SD_ERROR_STALE_ID, "%s: shape %08x is gone or never was",
                         function, (unsigned)id);
    }
    return *result == SD_OK ? fixture : NULL;
}

sdResult sdShapeId_SetUserData(sdWorld* world, sdShapeId id, uint64_t userData) {
    sdResult result;
    sdFixture* fixture = change(world, id, "sdShapeId_SetUserData", &result);
    if (fixture != NULL) {
        fixture->def.userData = userData;
    }
    return result;
}

const sdShapeDef* sdShapeId_GetDef(const sdWorld* world, sdShapeId id) {
    const sdFixture* fixture = sdWorld_FindFixture(world, id);
    return fixture != NULL ? &fixture->def : NULL;
}

sdResult sdShapeId_SetMaterial(sdWorld* world, sdShapeId id, sdMaterial material) {
    sdResult result;
    sdFixture* fixture = change(world, id, "sdShapeId_SetMaterial", &result);
    if (fixture == NULL) {
        return result;
    }
    const char* fault = faultOfMaterial(&material);
    if (fault != NULL) {
        return sdFail(&world->context, SD_ERROR_INVALID_ARGUMENT, "sdShapeId_SetMaterial: %s",
                      fault);
    }
    fixture->def.material = material;
    sdWorld_WakeBody(world, fixture->body);
    sdWorld_WakeNeighbours(world, fixture->body);
    return SD_OK;
}

sdResult sdShapeId_SetFilter(sdWorld* world, sdShapeId id, sdFilter filter) {
    sdResult result;
    sdFixture* fixture = change(world, id, "sdShapeId_SetFilter", &result);
    if (fixture == NULL) {
        return result;
    }
    // a new proxy, so that all of its pairs are asked about again
    sdFixture changed = *fixture;
    changed.def.filter = filter;
    sdProxyDef proxy =
        proxyDefOf(world, &world->bodies.data[fixture->body], &changed, sdId_Index(id));
    result = sdBroadphase_Add(world->broadphase, &proxy, &changed.proxy);
    if (result != SD_OK) {
        return result;
    }
    sdWorld_DestroyPairsOf(world, sdId_Index(id));
    sdBroadphase_Remove(world->broadphase, fixture->proxy);
    *fixture = changed;
    sdWorld_WakeBody(world, fixture->body);
    sdWorld_WakeAround(world, fixture->body);
    return SD_OK;
}
