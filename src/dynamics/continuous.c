// SPDX-License-Identifier: MIT
// continuous.c - bodies so fast that they would pass through others within a step (B16).
//
// In:   where the solver has brought the bodies, and how far that was.
// Out:  poses and velocities of those that met something on their way.
// Ref:  Mirtich, "Impulse-based dynamic simulation", 1996: impacts in the order of their times.
// Note: contacts see a little ahead, so most bodies need nothing of this: only those that have gone
//       further in the step than they are thick, and those that contacts could not hold (sunk.c).
//       Each of them is a flight: its way through the step
//       is looked at with the ways of all that is near it, turning included. The first impact of
//       all is taken, both bodies are brought to where they are at that time, get the impulses of
//       the impact and fly on for the rest of the step; their next impacts are found, and so on.
//       So nobody stops at the time of impact, two that are fast bounce off each other, and
//       restitution is exact. Nothing is kept from step to step. One after the other, but for the
//       first search, in an order that depends on times and slots only.
//
//       What is near is asked of the broad phase, for all that does not fly: it does not know how
//       far those go that do. Boxes of their ways are in lanes, and looked at eight at a time.
//       When two shapes meet is found in meeting.c.

#include "dynamics/continuous.h"

#include "base/sort.h"
#include "dynamics/agenda.h"
#include "dynamics/contact.h"
#include "dynamics/fixture.h"
#include "dynamics/island.h"
#include "dynamics/meeting.h"
#include "dynamics/pair.h"
#include "dynamics/way.h"
#include "dynamics/way_block.h"
#include "geometry/compound.h"

/// Hits of a fast body that there is room for before anything moves.
#define HITS_EACH 2
/// Flights per task of the first search.
#define FLIGHT_GRAIN 4
/// Cells of a side along which flights are sorted, and the part of them that is used: rounding does
/// not lead beyond.
#define CELL_COUNT 1024
#define CELL_SHARE 0.999f

/// The next impact of a flight.
typedef struct Impact {
    float time;
    int other; ///< body
    int fixture, otherFixture;
    bool isCore;
    sdImpactPoint point;
    int round; ///< in which it was looked for
} Impact;

struct sdContinuous {
    sdFlight* flights;
    Impact* impacts;    ///< of the flights
    sdWayBlock* blocks; ///< of their ways, eight in each
    sdWayBlock* tops;   ///< of the blocks, eight in each
    sdPos origin;       ///< of the boxes
    uint64_t* keys;     ///< by which flights are sorted
    int count;
    int* flightOf; ///< of each body; SD_NULL_INDEX: none
    int round;     ///< impacts so far
    int firstHit;  ///< of this part of the step
    int lostHits;  ///< that there was no room for
    sdAgenda agenda;
};

/// One way that is looked for impacts.
typedef struct Search {
    const sdStep* step;
    const sdFlight* flight;
    sdWay way;
    float now;
    Impact first; ///< so far
} Search;

// ---- what is on the way --------------------------------------------------------------------

/// Take an impact that comes before all others; of two at the same time, that of the lower slot.
static void meet(Search* search, const sdMeeting* meeting) {
    sdMeetingHit hit;
    if (!sdMeeting_Find(search->step->world, meeting, search->now, search->first.time, &hit) ||
        (hit.time == search->first.time && meeting->otherFixture >= search->first.otherFixture)) {
        return;
    }
    search->first = (Impact){
        .time = hit.time,
        .other = meeting->other->body,
        .fixture = meeting->fixture,
        .otherFixture = meeting->otherFixture,
        .isCore = hit.isCore,
        .point = hit.point,
    };
}

/// Look at all parts of the body that flies.
static void meetParts(Search* search, sdMeeting* meeting) {
    const sdWorld* world = search->step->world;
    const sdBody* body = &world->bodies.data[search->flight->body];
    for (int i = body->firstShape; i != SD_NULL_INDEX; i = world->fixtures.data[i].next) {
        const sdFixture* fixture = &world->fixtures.data[i];
        const sdShape* shape = &fixture->def.shape;
        if (fixture->def.isSensor || !sdWorld_MayMeet(world, i, meeting->otherFixture)) {
            continue;
        }
        meeting->fixture = i;
        meeting->local = sdFixture_ToCenter(body, fixture);
        if (sdShape_IsConvex(shape)) {
            meeting->part = shape;
            meet(search, meeting);
        }
        for (int j = 0; shape->type == SD_SHAPE_COMPOUND && j < shape->compound->childCount; ++j) {
            const sdCompoundChild* child = &shape->compound->children[j];
            meeting->part = &child->shape;
            meeting->local = sdMulXf(sdFixture_ToCenter(body, fixture), child->xf);
            meet(search, meeting);
        }
    }
}

/// The only shape of a body whose middle is that of the body.
static const sdShape* simpleShapeOf(const sdWorld* world, const sdBody* body) {
    if (body->shapeCount != 1) {
        return NULL;
    }
    const sdFixture* fixture = &world->fixtures.data[body->firstShape];
    sdVec3 offset = sdFixture_ToCenter(body, fixture).p;
    return sdLengthSquared(offset) == 0.0f ? &fixture->def.shape : NULL;
}

static bool isBall(const sdShape* shape) {
    return shape != NULL && shape->type == SD_SHAPE_SPHERE;
}

/// Whether a shape of a body may touch what another body is, or the ball about it.
/// @param simple shape of the other; NULL where it is not
static bool shapeMayTouch(const sdEncounter* encounter, float dt, bool isShapeOfA,
                          const sdFixture* fixture, const sdShape* simple) {
    const sdBody* body = isShapeOfA ? encounter->bodyA : encounter->bodyB;
    const sdBody* other = isShapeOfA ? encounter->bodyB : encounter->bodyA;
    const sdWay* way = isShapeOfA ? encounter->wayA : encounter->wayB;
    if (!way->isFlight && !sdBody_TurnsClearly(body, dt)) {
        return true;
    }
    sdTransform local = sdFixture_ToCenter(body, fixture);
    sdQuat q = *way->rotation;
    sdPassing passing = {
        .shape = &fixture->def.shape,
        .frame = sdTransform_Make(sdRotate(q, local.p), sdMulQ(q, local.q)),
        .turnWay = way->turnWay,
        .isPoseNow = way->isPoseNow,
        .center = isShapeOfA ? encounter->between : sdNeg(encounter->between),
        .motion = isShapeOfA ? encounter->motion : sdNeg(encounter->motion),
        .radius = isBall(simple) ? simple->sphere.radius : other->radius,
        .part = encounter->part,
        // what turns far is first looked at as a ball (meeting.c), and may touch later than now
        .isBall = isBall(simple) && !(isShapeOfA && way->turnsFar),
    };
    return sdPassing_MayTouch(&passing);
}

/// Whether a shape may touch the body that flies.
static bool mayTouch(const Search* search, const sdEncounter* encounter, const sdFixture* other) {
    const sdWorld* world = search->step->world;
    float dt = search->step->dt;
    const sdShape* a = simpleShapeOf(world, encounter->bodyA);
    const sdShape* b = simpleShapeOf(world, encounter->bodyB);
    if ((isBall(a) || !isBall(b)) && !shapeMayTouch(encounter, dt, false, other, a)) {
        return false;
    }
    // the core of one that is not simple may be outside of its shape
    return isBall(a) || a == NULL ||
           shapeMayTouch(encounter, dt, true, &world->fixtures.data[encounter->bodyA->firstShape],
                         b);
}

static void meetFixture(Search* search, int otherFixture) {
    const sdStep* step = search->step;
    const sdWorld* world = step->world;
    const sdContinuous* all = step->continuous;
    const sdBody* body = &world->bodies.data[search->flight->body];
    const sdFixture* other = &world->fixtures.data[otherFixture];
    const sdBody* otherBody = &world->bodies.data[other->body];
    // two that hang on joints would each be torn from its own: their contacts see them from a
    // radius off, and what slips through that is in front of them again with the next step
    if (other->body == search->flight->body || other->def.isSensor ||
        (sdBody_IsHeld(body) && sdBody_IsHeld(otherBody)) ||
        (body->type != SD_BODY_DYNAMIC && otherBody->type != SD_BODY_DYNAMIC)) {
        return;
    }
    int index = all->flightOf[other->body];
    const sdFlight* flight = index != SD_NULL_INDEX ? &all->flights[index] : NULL;
    sdWay way = flight != NULL ? sdWay_OfFlight(world, flight, search->now)
                               : sdWay_OfBody(step, other->body, search->now);
    sdEncounter encounter =
        sdEncounter_Make(body, &search->way, otherBody, &way, search->now, search->first.time);
    bool isEndless = other->def.shape.type == SD_SHAPE_HALF_SPACE;
    if (!sdEncounter_IsFast(&encounter) || (!isEndless && !(sdEncounter_MeetsBalls(&encounter) &&
                                                            mayTouch(search, &encounter, other)))) {
        return;
    }
    sdFlight plain;
    if (flight == NULL) {
        plain = sdFlight_Make(step, other->body);
        flight = &plain;
    }
    sdMeeting meeting = {.flight = search->flight,
                         .otherFixture = otherFixture,
                         .other = flight,
                         .otherLocal = sdFixture_ToCenter(otherBody, other)};
    meetParts(search, &meeting);
}

static bool visitProxy(void* arg, sdProxyId id, uint64_t userData) {
    (void)id;
    Search* search = (Search*)arg;
    int fixture = (int)userData;
    int body = search->step->world->fixtures.data[fixture].body;
    // the broad phase does not know how far those go that fly
    if (search->step->continuous->flightOf[body] == SD_NULL_INDEX) {
        meetFixture(search, fixture);
    }
    return true;
}

// ---- boxes of ways -------------------------------------------------------------------------

/// The box that a body stays in for a part of the rest of its way, from its centre.
static sdAABB boxOfWay(sdVec3 rest, float part, float radius) {
    sdVec3 motion = sdScale(part, rest), zero = {0.0f, 0.0f, 0.0f};
    sdVec3 reach = {radius + SD_MEETING_TARGET, radius + SD_MEETING_TARGET,
                    radius + SD_MEETING_TARGET};
    return (sdAABB){sdSub(sdMin(motion, zero), reach), sdAdd(sdMax(motion, zero), reach)};
}

/// The same from the origin of the boxes.
static sdAABB boxInLanes(const sdContinuous* all, sdPos from, sdVec3 rest, float part,
                         float radius) {
    sdVec3 center = sdPos_Sub(from, all->origin);
    sdAABB box = boxOfWay(rest, part, radius);
    box.lower = sdAdd(center, box.lower);
    box.upper = sdAdd(center, box.upper);
    sdVec3 most = sdMax(sdAbs(box.lower), sdAbs(box.upper));
    return sdAABB_Grow(box, SD_WAY_ROUNDING * sdMaxF(most.x, sdMaxF(most.y, most.z)));
}

/// A way as if it had come straight all the step.
static sdWayLine lineInLanes(const sdContinuous* all, const sdFlight* flight, float radius) {
    float rest = 1.0f - flight->time;
    sdVec3 motion = sdScale(rest > 0.0f ? 1.0f / rest : 0.0f, flight->translation);
    sdVec3 center = sdPos_Sub(flight->center, all->origin);
    return (sdWayLine){.start = sdMulAdd(center, -flight->time, motion),
                       .motion = motion,
                       .radius = radius + SD_MEETING_TARGET};
}

static sdVec3 leastOf(sdVec3x8 v) {
    return sdV3(sdF8_ReduceMin(v.x), sdF8_ReduceMin(v.y), sdF8_ReduceMin(v.z));
}

static sdVec3 mostOf(sdVec3x8 v) {
    return sdV3(sdF8_ReduceMax(v.x), sdF8_ReduceMax(v.y), sdF8_ReduceMax(v.z));
}

static void setBlock(const sdStep* step, int index) {
    const sdContinuous* all = step->continuous;
    const sdFlight* flight = &all->flights[index];
    float radius = step->world->bodies.data[flight->body].radius;
    sdAABB box = boxInLanes(all, flight->center, flight->translation, 1.0f, radius);
    sdWayBlock* block = &all->blocks[index / SD_LANES];
    sdVec3x8_SetLane(&block->lower, index % SD_LANES, box.lower);
    sdVec3x8_SetLane(&block->upper, index % SD_LANES, box.upper);
    sdWayLine line = lineInLanes(all, flight, radius);
    sdVec3x8_SetLane(&block->start, index % SD_LANES, line.start);
    sdVec3x8_SetLane(&block->motion, index % SD_LANES, line.motion);
    sdF8_SetLane(&block->radius, index % SD_LANES, radius);
    int above = index / SD_LANES;
    sdWayBlock* top = &all->tops[above / SD_LANES];
    sdVec3x8_SetLane(&top->lower, above % SD_LANES, leastOf(block->lower));
    sdVec3x8_SetLane(&top->upper, above % SD_LANES, mostOf(block->upper));
}

/// Boxes that are nowhere.
static void clearBlock(sdWayBlock* block) {
    for (int lane = 0; lane < SD_LANES; ++lane) {
        sdVec3x8_SetLane(&block->lower, lane, sdV3(FLT_MAX, FLT_MAX, FLT_MAX));
        sdVec3x8_SetLane(&block->upper, lane, sdV3(-FLT_MAX, -FLT_MAX, -FLT_MAX));
    }
}

/// Meet the bodies that fly.
/// @param first of them that counts
static void meetFlights(Search* search, int first) {
    const sdContinuous* all = search->step->continuous;
    const sdWorld* world = search->step->world;
    float radius = world->bodies.data[search->flight->body].radius;
    // only what comes before the first impact so far counts
    float part = (search->first.time - search->now) / (1.0f - search->now);
    sdWayLine line = lineInLanes(all, search->flight, radius);
    line.now = search->now;
    line.part = sdMinF(part + SD_PART_SLACK, 1.0f);
    line.box = boxInLanes(all, search->way.center, search->way.rest, line.part, radius);
    int perTop = SD_LANES * SD_LANES, blockCount = (all->count + SD_LANES - 1) / SD_LANES;
    for (int block = first / SD_LANES; block < blockCount;) {
        uint64_t mask;
        int start = SD_DISPATCH(sdWayBlock_FindNext)(all->tops, all->blocks, block, blockCount,
                                                     &line, &mask);
        for (; mask != 0; mask &= mask - 1) {
            const sdFlight* other = &all->flights[start + __builtin_ctzll(mask)];
            int shape = other != search->flight ? world->bodies.data[other->body].firstShape
                                                : SD_NULL_INDEX;
            for (; shape != SD_NULL_INDEX; shape = world->fixtures.data[shape].next) {
                meetFixture(search, shape);
            }
        }
        block = (start + perTop) / SD_LANES;
    }
}

/// Find the next impact of a flight.
static void searchAhead(const sdStep* step, int index, float now) {
    const sdContinuous* all = step->continuous;
    const sdWorld* world = step->world;
    const sdFlight* flight = &all->flights[index];
    Search search = {.step = step,
                     .flight = flight,
                     .way = sdWay_OfFlight(world, flight, now),
                     .now = now,
                     .first = {.time = SD_NEVER, .other = SD_NULL_INDEX}};
    bool isFlying = flight->impactCount < SD_MAX_IMPACTS && flight->time < 1.0f && now < 1.0f;
    // what was thrown off its way and is slow may be in the way of those that are fast; what is as
    // slow as itself is for contacts
    float way = sdLength(flight->translation) + search.way.turnWay;
    if (isFlying &&
        (flight->isWhirling || way > sdBody_GentleWay(&world->bodies.data[flight->body]))) {
        sdAABB box = boxOfWay(search.way.rest, 1.0f, world->bodies.data[flight->body].radius);
        sdWorldBox worldBox = sdWorldBox_FromLocal(search.way.center, box);
        sdBroadphase_QueryBox(world->broadphase, worldBox, 0xFFFFFFFFu, visitProxy, &search);
    }
    if (isFlying) {
        // at first one of two that meet is enough; from then on who was bent looks at all
        meetFlights(&search, all->round == 0 ? index : 0);
    }
    search.first.round = all->round;
    all->impacts[index] = search.first;
}

// ---- impacts -------------------------------------------------------------------------------

static int addFlight(sdStep* step, int body) {
    sdContinuous* all = step->continuous;
    int index = all->count++;
    all->flightOf[body] = index;
    all->flights[index] = sdFlight_Make(step, body);
    all->impacts[index] = (Impact){.time = SD_NEVER, .other = SD_NULL_INDEX};
    if (index == 0) {
        all->origin = all->flights[0].center;
    }
    if (index % SD_LANES == 0) {
        clearBlock(&all->blocks[index / SD_LANES]);
    }
    if (index % (SD_LANES * SD_LANES) == 0) {
        clearBlock(&all->tops[index / (SD_LANES * SD_LANES)]);
    }
    setBlock(step, index);
    return index;
}

/// The flight of a body that somebody meets; a static one has none.
static sdFlight* join(sdStep* step, int body, sdFlight* still) {
    sdContinuous* all = step->continuous;
    sdWorld* world = step->world;
    if (world->bodies.data[body].type == SD_BODY_STATIC) {
        *still = sdFlight_Make(step, body);
        return still;
    }
    if (all->flightOf[body] == SD_NULL_INDEX) {
        addFlight(step, body);
        sdWorld_WakeBody(world, body);
    }
    return &all->flights[all->flightOf[body]];
}

static bool isComing(const sdStep* step, int body) {
    const sdWorld* world = step->world;
    const sdReach* reach = &world->reaches.data[body];
    return sdLength(reach->ahead) + reach->turning > sdBody_SafeWay(&world->bodies.data[body]);
}

/// Hits of bodies that are fast already.
static int countHits(const sdStep* step) {
    int count = 0;
    for (int i = 0; i < step->bodyCount; ++i) {
        count += isComing(step, step->motions[i].body) ? HITS_EACH : 0;
    }
    return count;
}

/// m/s at which two come nearer.
/// @param a, b before the impact
static float approachOf(const Impact* impact, const sdImpactSide* a, const sdImpactSide* b) {
    sdVec3 rA = sdPos_Sub(impact->point.position, a->center);
    sdVec3 rB = sdPos_Sub(impact->point.position, b->center);
    sdVec3 va = sdAdd(a->velocity, sdCross(a->angularVelocity, rA));
    sdVec3 vb = sdAdd(b->velocity, sdCross(b->angularVelocity, rB));
    return sdMaxF(-sdDot(impact->point.normal, sdSub(vb, va)), 0.0f);
}

static void noteHit(sdStep* step, const Impact* impact, const sdFlight* flight, float speed,
                    float impulse) {
    sdWorld* world = step->world;
    int first = flight->impactCount > 0 ? step->continuous->firstHit : world->hits.count;
    sdHitEvent hit = {.point = impact->point.position,
                      .normal = impact->point.normal,
                      .speed = speed,
                      .impulse = impulse};
    const int fixtures[2] = {impact->fixture, impact->otherFixture};
    if (!sdWorld_NoteHitOnTheWay(world, flight->body, fixtures, first, hit)) {
        step->continuous->lostHits += 1;
    }
}

/// The velocity that a way is gone at. It is not quite that of the body: there gravity or the turn
/// has had no time yet.
static sdImpactSide sideOfWay(const sdStep* step, const sdFlight* flight, sdImpactSide side) {
    float rest = (1.0f - flight->time) * step->dt, perSecond = rest > 0.0f ? 1.0f / rest : 0.0f;
    side.velocity = sdScale(perSecond, flight->translation);
    side.angularVelocity = sdScale(perSecond, flight->turn);
    side.isWay = true;
    return side;
}

/// Ways of two that do not approach by their velocities, but by their ways: let these part.
/// Velocities stay, and so does their energy. In a corner ways part from one wall after the other,
/// each time from what is left of them: so they end along its edge, or at rest.
static void partWays(const sdStep* step, const Impact* impact, sdImpactSide* a, sdImpactSide* b) {
    float impulse;
    if (impact->isCore || !sdImpact_Solve(step->world, a, b, NULL, FLT_MAX, &impulse)) {
        sdImpact_Solve(step->world, a, b, &impact->point, FLT_MAX, &impulse);
    }
}

/// Let a flight and what it meets next bounce off each other.
static void takeImpact(sdStep* step, int index) {
    sdContinuous* all = step->continuous;
    Impact impact = all->impacts[index];
    sdFlight still;
    sdFlight* b = join(step, impact.other, &still);
    sdFlight* a = &all->flights[index];
    sdImpactSide sideA = sdFlight_At(step, a, impact.fixture, impact.time);
    sdImpactSide sideB = sdFlight_At(step, b, impact.otherFixture, impact.time);
    float bounceSpeed = sdStep_GetBounceSpeed(step), speed = approachOf(&impact, &sideA, &sideB);
    float impulse = 0.0f;
    bool isMet =
        !impact.isCore && sdImpact_Solve(step->world, &sideA, &sideB, NULL, bounceSpeed, &impulse);
    isMet =
        isMet || sdImpact_Solve(step->world, &sideA, &sideB, &impact.point, bounceSpeed, &impulse);
    noteHit(step, &impact, a, speed, impulse);
    sdImpactSide wayA = sideOfWay(step, a, sideA), wayB = sideOfWay(step, b, sideB);
    sdFlight_Bend(step, a, &sideA, impact.time);
    if (b != &still) {
        sdFlight_Bend(step, b, &sideB, impact.time);
    }
    if (!isMet) {
        partWays(step, &impact, &wayA, &wayB);
        sdFlight_SetWay(step, a, &sideA, &wayA);
        sdFlight_SetWay(step, b, &sideB, &wayB);
    }
    setBlock(step, index);
    if (b != &still) {
        setBlock(step, all->flightOf[b->body]);
    }
}

static void renewSearch(sdStep* step, int index, float now) {
    sdContinuous* all = step->continuous;
    if (all->impacts[index].round == all->round) {
        return;
    }
    searchAhead(step, index, now);
    sdAgenda_Set(&all->agenda, index, all->impacts[index].time, all->impacts[index].other);
}

/// Find the next impacts of a body that was thrown off its way, and of those who were to meet it.
static void renewSearches(sdStep* step, int body, float now) {
    sdContinuous* all = step->continuous;
    if (all->flightOf[body] == SD_NULL_INDEX) {
        return;
    }
    renewSearch(step, all->flightOf[body], now);
    int waiting = all->agenda.firstWaiting[body];
    while (waiting != SD_NULL_INDEX) {
        // whoever meets it again comes to the front of the list, behind us
        int next = all->agenda.next[waiting];
        renewSearch(step, waiting, now);
        waiting = next;
    }
}

// ---- the step ------------------------------------------------------------------------------

bool sdStep_PrepareContinuous(sdStep* step) {
    sdWorld* world = step->world;
    if (!world->def.enableContinuous) {
        return true;
    }
    size_t count = (size_t)world->bodies.count + 1;
    sdContinuous* all = sdArena_Alloc(&world->arena, 1, sizeof *all);
    if (all == NULL) {
        return false;
    }
    *all = (sdContinuous){
        .flights = sdArena_Alloc(&world->arena, count, sizeof *all->flights),
        .impacts = sdArena_Alloc(&world->arena, count, sizeof *all->impacts),
        .blocks = sdArena_Alloc(&world->arena, count / SD_LANES + 1, sizeof *all->blocks),
        .tops = sdArena_Alloc(&world->arena, count / (SD_LANES * SD_LANES) + 1, sizeof *all->tops),
        .flightOf = sdArena_Alloc(&world->arena, count, sizeof *all->flightOf),
        .keys = sdArena_Alloc(&world->arena, count, sizeof *all->keys),
    };
    step->continuous = all;
    step->flightHitCount = countHits(step);
    return all->flights != NULL && all->impacts != NULL && all->blocks != NULL &&
           all->tops != NULL && all->flightOf != NULL && all->keys != NULL &&
           sdAgenda_Alloc(&all->agenda, &world->arena, world->bodies.count);
}

static void searchRange(void* arg, int begin, int end, int worker) {
    (void)worker;
    const sdStep* step = (const sdStep*)arg;
    for (int i = begin; i < end; ++i) {
        searchAhead(step, i, 0.0f);
    }
}

static bool isFlying(const sdStep* step, int state) {
    const sdWorld* world = step->world;
    int body = step->motions[state].body;
    return step->motions[state].isWhirling || step->motions[state].isSunk ||
           step->motions[state].way > sdBody_SafeWay(&world->bodies.data[body]);
}

/// Two zeros between any two of ten bits.
static uint64_t spread(float part) {
    uint32_t bits = (uint32_t)(part * (float)CELL_COUNT);
    bits = (bits | bits << 16) & 0x030000FFu;
    bits = (bits | bits << 8) & 0x0300F00Fu;
    bits = (bits | bits << 4) & 0x030C30C3u;
    return (bits | bits << 2) & 0x09249249u;
}

/// Along a curve on which neighbours are near each other (Morton's): blocks of them are small then.
static void sortFlights(const sdStep* step, uint64_t* keys, int count) {
    const sdWorld* world = step->world;
    sdPos first = world->bodies.data[step->motions[keys[0]].body].center;
    sdAABB box = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    for (int i = 0; i < count; ++i) {
        sdVec3 p = sdPos_Sub(world->bodies.data[step->motions[keys[i]].body].center, first);
        box = (sdAABB){sdMin(box.lower, p), sdMax(box.upper, p)};
    }
    sdVec3 size = sdSub(box.upper, box.lower);
    float widest = sdMaxF(size.x, sdMaxF(size.y, size.z));
    float scale = widest > 0.0f ? CELL_SHARE / widest : 0.0f;
    for (int i = 0; i < count; ++i) {
        sdVec3 p = sdPos_Sub(world->bodies.data[step->motions[keys[i]].body].center, first);
        sdVec3 part = sdScale(scale, sdSub(p, box.lower));
        uint64_t code = spread(part.x) | spread(part.y) << 1 | spread(part.z) << 2;
        keys[i] |= code << 32;
    }
    sdSortKeys(keys, count);
}

static void listFlights(sdStep* step) {
    const sdWorld* world = step->world;
    sdContinuous* all = step->continuous;
    for (int i = 0; i < world->bodies.count; ++i) {
        all->flightOf[i] = SD_NULL_INDEX;
    }
    int count = 0;
    for (int i = 0; i < step->bodyCount; ++i) {
        if (isFlying(step, i)) {
            all->keys[count++] = (uint64_t)i;
        }
    }
    if (count > SD_LANES) {
        sortFlights(step, all->keys, count);
    }
    for (int i = 0; i < count; ++i) {
        addFlight(step, step->motions[(uint32_t)all->keys[i]].body);
    }
}

/// Find the first impacts of all flights.
static void searchAll(sdStep* step) {
    sdContinuous* all = step->continuous;
    const sdTaskSystem* tasks = &step->world->context.tasks;
    // the user's filter is asked by one thread only
    int grain = step->world->filterFcn == NULL ? FLIGHT_GRAIN : all->count + 1;
    tasks->parallelFor(tasks->user, searchRange, step, all->count, grain);
    sdAgenda_Clear(&all->agenda);
    for (int i = 0; i < all->count; ++i) {
        if (all->impacts[i].other != SD_NULL_INDEX) {
            sdAgenda_Set(&all->agenda, i, all->impacts[i].time, all->impacts[i].other);
        }
    }
}

/// Give the bodies that met something their poses.
static void land(sdStep* step) {
    sdWorld* world = step->world;
    const sdContinuous* all = step->continuous;
    for (int i = 0; i < all->count; ++i) {
        const sdFlight* flight = &all->flights[i];
        sdBody* body = &world->bodies.data[flight->body];
        if (flight->isBent) {
            sdPos center = sdPos_Add(flight->center, flight->translation);
            sdQuat rotation = sdFlight_RotationAt(flight, 1.0f);
            int state = sdStep_StateOf(step, flight->body);
            if (state != SD_NULL_INDEX) {
                sdBodyState* moved = &step->states[state];
                sdQuat turn = sdMulQ(rotation, sdConjugate(body->rotation));
                moved->displacement = sdAdd(moved->displacement, sdPos_Sub(center, body->center));
                moved->turn = sdNormalizeQ(sdMulQ(turn, moved->turn));
            }
            body->center = center;
            body->rotation = rotation;
            sdWorld_MoveFixtures(world, flight->body);
        }
    }
}

/// One impact after the other, until the step is over.
static void meetAll(sdStep* step) {
    sdContinuous* all = step->continuous;
    all->firstHit = step->world->hits.count;
    listFlights(step);
    searchAll(step);
    int limit = SD_MAX_IMPACTS * step->world->bodies.count;
    for (int i = 0; i < limit; ++i) {
        int first = sdAgenda_First(&all->agenda);
        float now = all->agenda.times[first];
        if (!(now < 1.0f)) {
            break;
        }
        int body = all->flights[first].body, other = all->impacts[first].other;
        all->round += 1;
        takeImpact(step, first);
        renewSearches(step, body, now);
        renewSearches(step, other, now);
    }
    land(step);
}

void sdStep_MeetOnTheWay(sdStep* step) {
    sdContinuous* all = step->continuous;
    if (all == NULL) {
        return;
    }
    sdStep_FindSunk(step);
    if (atomic_load_explicit(&step->hasFast, memory_order_relaxed) == 0) {
        return;
    }
    meetAll(step);
    sdStep_LiftSunk(step);
    if (all->lostHits > 0) {
        sdLog(&step->world->context, SD_LOG_WARNING,
              "sdWorld_Step: no memory to list %d hits of fast bodies; all else is right",
              all->lostHits);
    }
}
