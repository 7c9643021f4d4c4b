// SPDX-License-Identifier: MIT
// Impulses at one point: the collision matrix, restitution, friction, rolling; against finite
// differences, closed forms and the conservation laws.

#include "support.h"

#include "dynamics/impulse_contact.h"

#include <math.h>

/// A body of random mass and tensor, moving.
static sdImpulseBody randomBody(TestRandom* random) {
    sdImpulseBody body = {.body = 0};
    float m = expf(TestRandom_Float(random, -3.0f, 3.0f));
    float x = TestRandom_Float(random, 0.1f, 2.0f), y = TestRandom_Float(random, 0.1f, 2.0f);
    float z = TestRandom_Float(random, sdAbsF(x - y) + 0.05f, x + y);
    sdMat33 local = sdMat33_Diagonal(1.0f / (m * x), 1.0f / (m * y), 1.0f / (m * z));
    body.ownInverseMass = sdV3(1.0f / m, 1.0f / m, 1.0f / m);
    body.ownInverseInertia = sdRotateInertia(TestRandom_Rotation(random), local);
    sdImpulseBody_Release(&body);
    body.velocity = TestRandom_InBox(random, 5.0f);
    body.angularVelocity = TestRandom_InBox(random, 5.0f);
    return body;
}

/// An impulse that nothing went before.
static sdImpulseReaction react(const sdImpulsePoint* point, sdImpulseBody* a, sdImpulseBody* b,
                               const sdMaterial* material, float speed, float keep) {
    sdImpulseLoad none = {.normal = 0.0f};
    return sdImpulsePoint_React(point, a, b, material, (sdImpulseGoal){speed, keep}, &none);
}

/// Two that approach at a point between them.
static sdImpulsePoint randomMeeting(TestRandom* random, sdImpulseBody* a, sdImpulseBody* b) {
    *a = randomBody(random);
    *b = randomBody(random);
    if (TestRandom_Int(random, 4) == 0) {
        sdImpulseBody_Hold(a);
        a->velocity = a->angularVelocity = sdV3(0.0f, 0.0f, 0.0f);
    }
    sdImpulsePoint point = {.normal = TestRandom_OnSphere(random),
                            .armA = TestRandom_InBall(random),
                            .armB = TestRandom_InBall(random)};
    float un = sdDot(point.normal, sdImpulsePoint_GetVelocity(&point, a, b));
    b->velocity = sdMulAdd(b->velocity, un > 0.0f ? -2.0f * un : 0.0f, point.normal);
    return point;
}

static double energyOf(const sdImpulseBody* body) {
    sdMat33 inertia = sdMat33_Inverse(body->inverseInertia);
    sdVec3 w = body->angularVelocity;
    double m = body->inverseMass.x > 0.0f ? 1.0 / (double)body->inverseMass.x : 0.0;
    return 0.5 * m * (double)sdLengthSquared(body->velocity) +
           0.5 * (double)sdDot(w, sdMulMV(inertia, w));
}

static sdVec3 momentumOf(const sdImpulseBody* body) {
    float m = body->inverseMass.x > 0.0f ? 1.0f / body->inverseMass.x : 0.0f;
    return sdScale(m, body->velocity);
}

/// About the point, which is at `arm` from the centre.
static sdVec3 spinOf(const sdImpulseBody* body, sdVec3 arm) {
    sdMat33 inertia = sdMat33_Inverse(body->inverseInertia);
    return sdSub(sdMulMV(inertia, body->angularVelocity), sdCross(arm, momentumOf(body)));
}

SD_TEST(impulse_matrix_is_what_impulses_do) {
    TestRandom random = TestRandom_Make(1);
    for (int i = 0; i < TestRounds(1000); ++i) {
        sdImpulseBody body = randomBody(&random), pushed = body;
        sdVec3 r = TestRandom_InBox(&random, 2.0f), j = TestRandom_InBox(&random, 1.0f);
        sdMat33 k = sdImpulseBody_CollisionMatrix(&body, r);
        sdImpulseBody_Push(&pushed, r, j);
        sdVec3 change =
            sdSub(sdImpulseBody_VelocityAt(&pushed, r), sdImpulseBody_VelocityAt(&body, r));
        sdVec3 told = sdMulMV(k, j);
        CHECK_NEAR(sdLength(sdSub(change, told)), 0.0, 1e-5 * (1.0 + (double)sdLength(told)));
        // (7.8) is symmetric and positive
        CHECK_NEAR(k.cx.y, k.cy.x, 1e-5 * (double)sdAbsF(k.cx.x + k.cy.y));
        CHECK(sdDot(j, told) > 0.0f);
    }
}

SD_TEST(impulse_bounce_of_a_rod_is_the_closed_form) {
    // a rod of mass 2 and moment 0.5 falls flat on a post at x = 0.3 from its middle
    sdImpulseBody ground = {.body = SD_NULL_INDEX};
    for (int i = 0; i <= 4; ++i) {
        float e = 0.25f * (float)i;
        sdImpulseBody rod = {.velocity = {0.0f, -3.0f, 0.0f}};
        rod.ownInverseMass = sdV3(0.5f, 0.5f, 0.5f);
        rod.ownInverseInertia = sdMat33_Diagonal(2.0f, 2.0f, 2.0f);
        sdImpulseBody_Release(&rod);
        sdImpulsePoint point = {.normal = {0.0f, 1.0f, 0.0f}, .armB = {0.3f, 0.0f, 0.0f}};
        sdMaterial smooth = {.restitution = e};
        sdImpulseReaction reaction = react(&point, &ground, &rod, &smooth, e * 3.0f, 0.0f);
        // (7.15): j = (1 + e) u / (1/m + r²/I)
        double j = (1.0 + (double)e) * 3.0 / (0.5 + 0.09 * 2.0);
        CHECK_NEAR(reaction.normal, j, 1e-5);
        CHECK_NEAR(rod.velocity.y, -3.0 + 0.5 * j, 1e-5);
        CHECK_NEAR(rod.angularVelocity.z, 2.0 * 0.3 * j, 1e-5);
    }
}

SD_TEST(impulse_friction_holds_or_slides) {
    // a ball that slips on the floor: it sticks if μ (1 + e) u_n can take up 2/7 of the slip
    sdImpulseBody ground = {.body = SD_NULL_INDEX};
    for (int i = 0; i < 2; ++i) {
        sdImpulseBody ball = {.velocity = {3.5f, -1.0f, 0.0f}};
        ball.ownInverseMass = sdV3(1.0f, 1.0f, 1.0f);
        ball.ownInverseInertia = sdMat33_Diagonal(2.5f, 2.5f, 2.5f);
        sdImpulseBody_Release(&ball);
        sdImpulsePoint point = {.normal = {0.0f, 1.0f, 0.0f}, .armB = {0.0f, -1.0f, 0.0f}};
        sdMaterial material = {.staticFriction = i == 0 ? 1.01f : 0.99f, .slidingFriction = 0.5f};
        react(&point, &ground, &ball, &material, 0.0f, 0.0f);
        CHECK_NEAR(ball.velocity.x, i == 0 ? 2.5 : 3.0, 1e-5);
        CHECK_NEAR(ball.velocity.y, 0.0, 1e-6);
        float slip = sdImpulsePoint_GetVelocity(&point, &ground, &ball).x;
        CHECK_NEAR(slip, i == 0 ? 0.0 : 3.5 - 3.5 * 0.5, 1e-5);
    }
}

SD_TEST(impulse_rolling_limits_are_lengths) {
    // the angular impulse is at most the coefficient times that of the normal, and never turns the
    // spin round
    sdImpulseBody ground = {.body = SD_NULL_INDEX};
    for (int i = 0; i < 2; ++i) {
        sdImpulseBody ball = {.velocity = {0.0f, -2.0f, 0.0f},
                              .angularVelocity = {0.4f, 3.0f, 0.0f}};
        ball.ownInverseMass = sdV3(0.5f, 0.5f, 0.5f);
        ball.ownInverseInertia = sdMat33_Diagonal(4.0f, 4.0f, 4.0f);
        sdImpulseBody_Release(&ball);
        sdImpulsePoint point = {.normal = {0.0f, 1.0f, 0.0f}, .armB = {0.0f, -1.0f, 0.0f}};
        sdMaterial material = {.rollingFriction = i == 0 ? 0.01f : 1.0f,
                               .spinFriction = i == 0 ? 0.05f : 1.0f};
        sdImpulseReaction reaction = react(&point, &ground, &ball, &material, 0.0f, 0.0f);
        CHECK_NEAR(reaction.normal, 4.0, 1e-5);
        CHECK_NEAR(ball.angularVelocity.y, i == 0 ? 3.0 - 4.0 * 0.05 * 4.0 : 0.0, 1e-5);
        CHECK_NEAR(ball.angularVelocity.x, i == 0 ? 0.4 - 4.0 * 0.01 * 4.0 : 0.0, 1e-5);
    }
}

SD_TEST(impulse_keeps_momentum_and_never_adds_energy) {
    TestRandom random = TestRandom_Make(2);
    double worst = 0.0;
    int sharedCount = 0;
    for (int i = 0; i < TestRounds(20000); ++i) {
        sdImpulseBody a, b;
        sdImpulsePoint point = randomMeeting(&random, &a, &b);
        bool isHeld = a.inverseMass.x == 0.0f;
        sdMaterial material = {.staticFriction = TestRandom_Float(&random, 0.0f, 2.0f),
                               .restitution = TestRandom_Float(&random, 0.0f, 1.0f),
                               .rollingFriction = TestRandom_Float(&random, -0.2f, 0.2f),
                               .spinFriction = TestRandom_Float(&random, -0.2f, 0.2f)};
        material.slidingFriction = material.staticFriction * TestRandom_Float(&random, 0.0f, 1.0f);
        material.restitution = TestRandom_Int(&random, 4) == 0 ? 1.0f : material.restitution;
        float un = sdDot(point.normal, sdImpulsePoint_GetVelocity(&point, &a, &b));
        double before = energyOf(&a) + energyOf(&b);
        sdVec3 momentum = sdAdd(momentumOf(&a), momentumOf(&b));
        sdVec3 spin = sdAdd(spinOf(&a, point.armA), spinOf(&b, point.armB));
        float goal = -material.restitution * un;
        sdImpulseReaction reaction = react(&point, &a, &b, &material, goal, 0.0f);
        double after = energyOf(&a) + energyOf(&b);
        worst = fmax(worst, (after - before) / before);
        CHECK(reaction.normal >= 0.0f);
        sdVec3 u = sdImpulsePoint_GetVelocity(&point, &a, &b);
        if (material.rollingFriction <= 0.0f && material.spinFriction <= 0.0f) {
            CHECK_NEAR(sdDot(point.normal, u), goal, 2e-4 * (1.0 + (double)sdAbsF(un)));
            sharedCount += sdLength(u) > sdAbsF(goal) + 1e-3f ? 1 : 0;
        }
        // friction stays in its cone
        sdVec3 jt = sdMulAdd(reaction.push, -reaction.normal, point.normal);
        CHECK(sdLength(jt) <= 1.0001f * material.staticFriction * reaction.normal + 1e-6f);
        if (!isHeld) {
            sdVec3 left = sdSub(sdAdd(momentumOf(&a), momentumOf(&b)), momentum);
            sdVec3 turned = sdSub(sdAdd(spinOf(&a, point.armA), spinOf(&b, point.armB)), spin);
            double scale = 1.0 + (double)(sdLength(momentum) + sdLength(spin)) +
                           (double)sdLength(reaction.push);
            CHECK_NEAR(sdLength(left), 0.0, 1e-5 * scale);
            CHECK_NEAR(sdLength(turned), 0.0, 1e-4 * scale);
        }
    }
    sdTest_Print("energy grew by at most %.1e of itself; %d slid", worst, sharedCount);
    CHECK(worst < 1e-5);
    CHECK(sharedCount > 0);
}

SD_TEST(impulse_slows_down_by_the_share_asked_for) {
    // S2 §8.1: with e = -0.9 the approach, slip included, is slowed by a tenth
    TestRandom random = TestRandom_Make(3);
    for (int i = 0; i < TestRounds(1000); ++i) {
        sdImpulseBody a, b;
        sdImpulsePoint point = randomMeeting(&random, &a, &b);
        sdVec3 u = sdImpulsePoint_GetVelocity(&point, &a, &b);
        sdMaterial rough = {.staticFriction = 1e6f, .slidingFriction = 1e6f};
        float un = sdDot(point.normal, u);
        sdImpulseReaction reaction = react(&point, &a, &b, &rough, 0.9f * un, 0.9f);
        sdVec3 left = sdImpulsePoint_GetVelocity(&point, &a, &b);
        // unless sticking would pull
        if (reaction.normal > 1e-3f && sdDot(point.normal, reaction.push) > 0.0f) {
            CHECK(sdDot(point.normal, left) > 1.01f * un - 1e-4f);
        }
    }
}
