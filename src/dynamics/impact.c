// SPDX-License-Identifier: MIT
// impact.c - two bodies that meet at one moment: impulses at all points that touch.
//
// In:   poses and velocities of two bodies at the time of their impact.
// Out:  their velocities after it.
// Ref:  Moreau's law of impact: at every point that pushes, the speed of parting is the speed of
//       approach times the restitution; friction is within Coulomb's cone. By Gauss-Seidel.

#include "dynamics/impact.h"

#include "dynamics/contact.h"
#include "narrow/collide_surface.h"

/// Patches of a mesh or compound that count, and points of them.
#define MAX_PATCHES 8
#define MAX_POINTS (MAX_PATCHES * SD_MANIFOLD_MAX_POINTS)
/// Points that are further apart, m, do not take part: what lands flat lands on all of its points.
#define TOUCH_MARGIN 5e-4f
/// Sweeps over the points, and the change of an impulse, as a part of the largest, at which they
/// are over.
#define SWEEPS 24
#define DONE 1e-5f

typedef struct Point {
    sdVec3 rA, rB;  ///< from the centres
    sdVec3 normal;  ///< A to B
    sdVec3 before;  ///< velocity of B's point less that of A's
    float approach; ///< of it, speed of parting
    float bounce;   ///< and after
    float impulse;
    sdVec3 friction;
} Point;

typedef struct Impact {
    sdImpactSide* a;
    sdImpactSide* b;
    float massA, massB; ///< inverse
    sdMat33 inertiaA, inertiaB;
    float restitution, friction;
    int count;
    Point points[MAX_POINTS];
} Impact;

// ---- points --------------------------------------------------------------------------------

static void addPoint(Impact* impact, sdVec3 rA, sdVec3 normal) {
    sdVec3 rB = sdSub(rA, sdPos_Sub(impact->b->center, impact->a->center));
    impact->points[impact->count++] = (Point){.rA = rA, .rB = rB, .normal = normal};
}

/// All points of the shapes within the margin.
static void findPoints(const sdWorld* world, Impact* impact) {
    const sdImpactSide *a = impact->a, *b = impact->b;
    const sdFixture* fixtureA = &world->fixtures.data[a->fixture];
    const sdFixture* fixtureB = &world->fixtures.data[b->fixture];
    sdTransform localA = sdFixture_ToCenter(a->body, fixtureA);
    sdTransform localB = sdFixture_ToCenter(b->body, fixtureB);
    sdWorldTransform centerA = {a->center, a->rotation}, centerB = {b->center, b->rotation};
    sdTransform xf =
        sdInvMulXf(localA, sdMulXf(sdWorldTransform_Relative(centerA, centerB), localB));
    sdTransform frame = {sdRotate(a->rotation, localA.p), sdMulQ(a->rotation, localA.q)};
    const sdShape *shapeA = &fixtureA->def.shape, *shapeB = &fixtureB->def.shape;
    bool isPlain = (sdShape_IsConvex(shapeA) || shapeA->type == SD_SHAPE_HALF_SPACE) &&
                   (sdShape_IsConvex(shapeB) || shapeB->type == SD_SHAPE_HALF_SPACE);
    sdManifold manifolds[MAX_PATCHES];
    int count = 1, total;
    if (isPlain) {
        sdCollide(shapeA, shapeB, xf, TOUCH_MARGIN, NULL, &manifolds[0]);
    } else {
        count = sdSurface_Collide(SD_NARROWPHASE_AUTO, shapeA, shapeB, xf, TOUCH_MARGIN, manifolds,
                                  MAX_PATCHES, &total);
    }
    for (int i = 0; i < count; ++i) {
        sdVec3 normal = sdRotate(frame.q, manifolds[i].normal);
        for (int j = 0; j < manifolds[i].pointCount; ++j) {
            const sdManifoldPoint* point = &manifolds[i].points[j];
            sdVec3 middle = sdScale(0.5f, sdAdd(point->pointA, point->pointB));
            addPoint(impact, sdTransformPoint(frame, middle), normal);
        }
    }
}

// ---- impulses ------------------------------------------------------------------------------

/// Velocity of B's point less that of A's.
static sdVec3 relativeVelocity(const Impact* impact, const Point* point) {
    const sdImpactSide *a = impact->a, *b = impact->b;
    sdVec3 va = sdAdd(a->velocity, sdCross(a->angularVelocity, point->rA));
    sdVec3 vb = sdAdd(b->velocity, sdCross(b->angularVelocity, point->rB));
    return sdSub(vb, va);
}

static void push(Impact* impact, const Point* point, sdVec3 impulse) {
    sdImpactSide *a = impact->a, *b = impact->b;
    a->velocity = sdMulAdd(a->velocity, -impact->massA, impulse);
    b->velocity = sdMulAdd(b->velocity, impact->massB, impulse);
    a->angularVelocity =
        sdSub(a->angularVelocity, sdMulMV(impact->inertiaA, sdCross(point->rA, impulse)));
    b->angularVelocity =
        sdAdd(b->angularVelocity, sdMulMV(impact->inertiaB, sdCross(point->rB, impulse)));
}

/// Mass that a point has along a direction; 0 when it cannot be moved.
static float massAlong(const Impact* impact, const Point* point, sdVec3 direction) {
    sdVec3 armA = sdCross(point->rA, direction), armB = sdCross(point->rB, direction);
    float k = impact->massA + impact->massB + sdDot(armA, sdMulMV(impact->inertiaA, armA)) +
              sdDot(armB, sdMulMV(impact->inertiaB, armB));
    return k > 0.0f ? 1.0f / k : 0.0f;
}

/// @return by how much its impulse has changed
static float solveNormal(Impact* impact, Point* point) {
    sdVec3 n = point->normal;
    float speed = sdDot(n, relativeVelocity(impact, point));
    float next = point->impulse + (point->bounce - speed) * massAlong(impact, point, n);
    next = sdMaxF(next, 0.0f);
    float change = next - point->impulse;
    point->impulse = next;
    push(impact, point, sdScale(change, n));
    return sdAbsF(change);
}

static float solveFriction(Impact* impact, Point* point) {
    sdVec3 n = point->normal, v = relativeVelocity(impact, point);
    sdVec3 slip = sdMulAdd(v, -sdDot(n, v), n);
    float speed = sdLength(slip);
    if (!(speed > 0.0f) || impact->friction == 0.0f) {
        return 0.0f;
    }
    sdVec3 direction = sdScale(1.0f / speed, slip);
    float mass = massAlong(impact, point, direction);
    sdVec3 next = sdMulAdd(point->friction, -mass, slip);
    float limit = impact->friction * point->impulse, length = sdLength(next);
    next = length > limit ? sdScale(limit / length, next) : next;
    sdVec3 change = sdSub(next, point->friction);
    push(impact, point, change);
    point->friction = next;
    return sdLength(change);
}

/// Scale the impulses so that they do the work that they should: after a limited number of sweeps
/// they are those of a slightly softer impact. All of them p, speeds v before and u after, bounces
/// e v:  p . (u - e v) = 0.
static void settleEnergy(Impact* impact) {
    float wanted = 0.0f, given = 0.0f;
    for (int i = 0; i < impact->count; ++i) {
        const Point* point = &impact->points[i];
        float speed = sdDot(point->normal, relativeVelocity(impact, point));
        wanted += point->impulse * (point->bounce - point->approach);
        given += point->impulse * (speed - point->approach);
    }
    float more = given > 0.0f && wanted > 0.0f ? wanted / given - 1.0f : 0.0f;
    for (int i = 0; i < impact->count; ++i) {
        Point* point = &impact->points[i];
        push(impact, point, sdScale(more * point->impulse, point->normal));
        point->impulse += more * point->impulse;
    }
}

/// Scale all impulses down where they would give energy: with friction, a rod that turns may be
/// given some by a law of speeds alone. Of the impulses p and velocities v before and u after, that
/// is p . (v + u) / 2; of s p it is 0 at s = -2 p . v / (p . (u - v)).
/// Ref:  Kane, Levinson, "Dynamics: Theory and Applications", 1985, on such a pendulum.
static void limitEnergy(Impact* impact) {
    float before = 0.0f, change = 0.0f;
    for (int i = 0; i < impact->count; ++i) {
        const Point* point = &impact->points[i];
        sdVec3 impulse = sdMulAdd(point->friction, point->impulse, point->normal);
        sdVec3 after = relativeVelocity(impact, point);
        before += sdDot(impulse, point->before);
        change += sdDot(impulse, sdSub(after, point->before));
    }
    if (before + 0.5f * change <= 0.0f) {
        return;
    }
    // with 1 / (1 + e) of them nothing approaches any more
    float least = 1.0f / (1.0f + impact->restitution);
    float less = sdClampF(-2.0f * before / change, least, 1.0f) - 1.0f;
    for (int i = 0; i < impact->count; ++i) {
        Point* point = &impact->points[i];
        sdVec3 impulse = sdMulAdd(point->friction, point->impulse, point->normal);
        push(impact, point, sdScale(less, impulse));
        point->impulse += less * point->impulse;
        point->friction = sdMulAdd(point->friction, less, point->friction);
    }
}

/// The tensor of a needle that cannot be spun about its axis. Next to no impulse would spin it so
/// wildly that its corners, and not its ends, came down again at once.
static sdMat33 withoutSpin(const sdBody* body) {
    sdVec3 n = body->needleAxis;
    const sdMat33* m = &body->inverseInertia;
    float across = 0.5f * (m->cx.x + m->cy.y + m->cz.z - sdDot(n, sdMulMV(*m, n)));
    return (sdMat33){sdScale(across, sdMulAdd(sdV3(1.0f, 0.0f, 0.0f), -n.x, n)),
                     sdScale(across, sdMulAdd(sdV3(0.0f, 1.0f, 0.0f), -n.y, n)),
                     sdScale(across, sdMulAdd(sdV3(0.0f, 0.0f, 1.0f), -n.z, n))};
}

static void weigh(const sdImpactSide* side, float* mass, sdMat33* inertia) {
    bool isDynamic = side->body->type == SD_BODY_DYNAMIC;
    *mass = isDynamic ? side->body->inverseMass : 0.0f;
    *inertia = sdMat33_Diagonal(0.0f, 0.0f, 0.0f);
    if (isDynamic) {
        bool isStiff = side->isWay && sdBody_IsNeedle(side->body);
        *inertia = sdRotateInertia(side->rotation,
                                   isStiff ? withoutSpin(side->body) : side->body->inverseInertia);
    }
}

/// @return whether some point approaches
static bool approaches(Impact* impact, float bounceSpeed) {
    bool isAny = false;
    for (int i = 0; i < impact->count; ++i) {
        Point* point = &impact->points[i];
        point->before = relativeVelocity(impact, point);
        point->approach = sdDot(point->normal, point->before);
        // what parts already may be turned round by the push at other points: by as much, or an
        // elastic impact would give energy
        bool isSlow = point->approach <= 0.0f && point->approach >= -bounceSpeed;
        point->bounce = isSlow ? 0.0f : -impact->restitution * point->approach;
        isAny = isAny || point->approach < 0.0f;
    }
    return isAny;
}

bool sdImpact_Solve(const sdWorld* world, sdImpactSide* a, sdImpactSide* b,
                    const sdImpactPoint* only, float bounceSpeed, float* impulse) {
    *impulse = 0.0f;
    Impact impact = {.a = a, .b = b};
    sdMaterial mixed = sdWorld_MixMaterials(world, &world->fixtures.data[a->fixture],
                                            &world->fixtures.data[b->fixture]);
    impact.restitution = mixed.restitution;
    impact.friction = mixed.slidingFriction;
    weigh(a, &impact.massA, &impact.inertiaA);
    weigh(b, &impact.massB, &impact.inertiaB);
    if (only != NULL) {
        addPoint(&impact, sdPos_Sub(only->position, a->center), only->normal);
    } else {
        findPoints(world, &impact);
    }
    if (!approaches(&impact, bounceSpeed)) {
        return false;
    }
    bool isDone = false;
    for (int i = 0; i < SWEEPS && !isDone; ++i) {
        float most = 0.0f, change = 0.0f;
        for (int j = 0; j < impact.count; ++j) {
            Point* point = &impact.points[j];
            change = sdMaxF(change, solveNormal(&impact, point));
            change = sdMaxF(change, solveFriction(&impact, point));
            most = sdMaxF(most, point->impulse);
        }
        isDone = change <= DONE * most;
    }
    if (impact.friction == 0.0f) {
        settleEnergy(&impact);
    } else {
        limitEnergy(&impact);
    }
    for (int i = 0; i < impact.count; ++i) {
        *impulse += impact.points[i].impulse;
    }
    return true;
}
