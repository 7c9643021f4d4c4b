// SPDX-License-Identifier: MIT
// Stacks: what stands must stand, for a minute at full scale (`make soak`), a tenth of it usually.

#include "world_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_BODIES 1100
#define MAX_CONTACTS 8000

// ---- scenes --------------------------------------------------------------------------------

/// A world and what is watched in it.
typedef struct Stack {
    sdWorld* world;
    float friction;
    int count; ///< dynamic bodies
    sdBodyId bodies[MAX_BODIES];
    sdPos starts[MAX_BODIES];
    sdContactInfo contacts[MAX_CONTACTS];
} Stack;

static sdBodyId addBody(Stack* stack, sdBodyType type, sdPos position, sdQuat rotation,
                        sdShape shape, float density) {
    sdShapeDef shapeDef = sdShapeDef_Default(shape);
    shapeDef.density = density;
    shapeDef.material.staticFriction = stack->friction;
    shapeDef.material.slidingFriction = stack->friction;
    sdBodyId body = TestWorld_AddBody(stack->world, type, position, rotation, shapeDef);
    if (type == SD_BODY_DYNAMIC && stack->count < MAX_BODIES) {
        stack->starts[stack->count] = sdBody_GetCenter(stack->world, body);
        stack->bodies[stack->count++] = body;
    }
    return body;
}

static void addBox(Stack* stack, double x, double y, double z, float half, float density) {
    addBody(stack, SD_BODY_DYNAMIC, sdPos_Make(x, y, z), sdQuat_Identity(),
            sdShape_Box(half, half, half), density);
}

static Stack* makeStackIn(const sdContext* context, sdWorldDef def, float friction) {
    Stack* stack = calloc(1, sizeof *stack);
    stack->friction = friction;
    CHECK_INT(sdWorld_Create(context, &def, &stack->world), SD_OK);
    addBody(stack, SD_BODY_STATIC, sdPos_Make(0.0, -5.0, 0.0), sdQuat_Identity(),
            sdShape_Box(100.0f, 5.0f, 100.0f), 0.0f);
    return stack;
}

static Stack* makeStack(sdWorldDef def, float friction) {
    return makeStackIn(NULL, def, friction);
}

static void freeStack(Stack* stack) {
    sdWorld_Destroy(stack->world);
    free(stack);
}

/// Boxes of a metre on each other, each off the middle by at most `offset`.
static Stack* makeTower(int count, float offset) {
    Stack* stack = makeStack(TestWorld_AwakeDef(), 0.6f);
    TestRandom random = TestRandom_Make(11);
    for (int i = 0; i < count; ++i) {
        double x = (double)TestRandom_Float(&random, -offset, offset);
        double z = (double)TestRandom_Float(&random, -offset, offset);
        addBox(stack, x, 0.5 + i, z, 0.5f, 1000.0f);
    }
    return stack;
}

/// A heavy box on a tower of light ones.
static Stack* makeHeavy(float ratio, int lightCount) {
    Stack* stack = makeStack(TestWorld_AwakeDef(), 0.6f);
    for (int i = 0; i <= lightCount; ++i) {
        addBox(stack, 0.0, 0.5 + i, 0.0, 0.5f, i < lightCount ? 100.0f : 100.0f * ratio);
    }
    return stack;
}

static Stack* makePyramid(int base) {
    Stack* stack = makeStack(TestWorld_AwakeDef(), 0.5f);
    for (int row = 0; row < base; ++row) {
        for (int i = 0; i < base - row; ++i) {
            addBox(stack, (i - 0.5 * (base - row - 1)) * 1.05, 0.5 + row, 0.0, 0.5f, 1000.0f);
        }
    }
    return stack;
}

/// A round arch of wedges between radii of 5 and 6 m.
static Stack* makeArch(int count) {
    Stack* stack = makeStack(TestWorld_AwakeDef(), 0.6f);
    double pi = acos(-1.0), turn = pi / count;
    sdVec3 points[8];
    for (int i = 0; i < 8; ++i) {
        double radius = (i & 1) != 0 ? 6.0 : 5.0, side = (i & 2) != 0 ? 0.5 : -0.5;
        points[i] = sdV3((float)(radius * 2.0 * side * sin(0.5 * turn)),
                         (float)(radius * cos(0.5 * turn)), (i & 4) != 0 ? 0.5f : -0.5f);
    }
    sdHullDef def = sdHullDef_Default();
    def.points = points;
    def.pointCount = 8;
    sdHull* stone = NULL;
    CHECK_INT(sdHull_Create(NULL, &def, &stone), SD_OK);
    for (int i = 0; i < count; ++i) {
        float angle = (float)((i + 0.5) * turn - 0.5 * pi);
        addBody(stack, SD_BODY_DYNAMIC, sdPos_Make(0.0, 0.0, 0.0),
                sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), -angle), sdShape_Hull(stone), 1000.0f);
    }
    sdHull_Release(stone);
    return stack;
}

/// Cards of 1 m by 0.6 m leaning against each other in pairs, storey on storey.
static Stack* makeCards(int storeys) {
    Stack* stack = makeStack(TestWorld_AwakeDef(), 0.6f);
    double angle = 0.42, thick = 0.02, y = 0.0;
    double height = cos(angle) + thick * sin(angle), half = sin(angle);
    double pitch = 2.0 * (half + thick), lean = 0.5 * (half + thick * cos(angle));
    sdShape card = sdShape_Box(0.01f, 0.5f, 0.3f);
    sdShape plate = sdShape_Box((float)(0.5 * pitch) - 0.01f, 0.01f, 0.3f);
    for (int storey = 0; storey < storeys; ++storey) {
        int pairs = storeys - storey;
        for (int i = 0; i < 2 * pairs; ++i) {
            double side = (i & 1) != 0 ? 1.0 : -1.0, x = (i / 2 - 0.5 * (pairs - 1)) * pitch;
            sdQuat turn = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), (float)(side * angle));
            addBody(stack, SD_BODY_DYNAMIC, sdPos_Make(x + side * lean, y + 0.5 * height, 0.0),
                    turn, card, 500.0f);
        }
        y += height;
        for (int i = 0; i < pairs - 1; ++i) {
            addBody(stack, SD_BODY_DYNAMIC,
                    sdPos_Make((i - 0.5 * (pairs - 2)) * pitch, y + 0.5 * thick, 0.0),
                    sdQuat_Identity(), plate, 500.0f);
        }
        y += thick;
    }
    return stack;
}

/// Boxes of all sizes and turns that fall into a square pit, `side` of them along each wall.
static Stack* makePile(int count, int side, bool enableSleep) {
    sdWorldDef def = sdWorldDef_Default();
    def.enableSleep = enableSleep;
    Stack* stack = makeStack(def, 0.5f);
    // no two touch at the start, however turned
    double pitch = 0.8, half = 0.5 * pitch * side;
    for (int i = 0; i < 4; ++i) {
        double at = (i & 1) != 0 ? half + 0.5 : -half - 0.5;
        float thick = 0.5f, wide = (float)half + 1.0f;
        bool isX = i < 2;
        addBody(stack, SD_BODY_STATIC, sdPos_Make(isX ? at : 0.0, 10.0, isX ? 0.0 : at),
                sdQuat_Identity(), sdShape_Box(isX ? thick : wide, 20.0f, isX ? wide : thick),
                0.0f);
    }
    TestRandom random = TestRandom_Make(17);
    for (int i = 0; i < count; ++i) {
        double x = pitch * (i % side + 0.5) - half, z = pitch * (i / side % side + 0.5) - half;
        float a = TestRandom_Float(&random, 0.15f, 0.27f);
        float b = TestRandom_Float(&random, 0.15f, 0.27f);
        float c = TestRandom_Float(&random, 0.15f, 0.27f);
        addBody(stack, SD_BODY_DYNAMIC, sdPos_Make(x, 0.5 + pitch * (i / (side * side)), z),
                TestRandom_Rotation(&random), sdShape_Box(a, b, c), 1000.0f);
    }
    return stack;
}

// ---- figures -------------------------------------------------------------------------------

typedef struct Figures {
    double sag;   ///< m by which the highest body sank at the end
    double drift; ///< m, largest way along the ground of any body
    double worst; ///< penetration after the first second, m
    double end, mean;
    double speed; ///< of the fastest body at the end
    double stepMs;
} Figures;

static double findPenetration(Stack* stack, double* mean) {
    int count = sdWorld_GetContacts(stack->world, stack->contacts, MAX_CONTACTS), points = 0;
    double worst = 0.0, sum = 0.0;
    CHECK(count <= MAX_CONTACTS);
    for (int i = 0; i < count && i < MAX_CONTACTS; ++i) {
        for (int j = 0; j < stack->contacts[i].pointCount; ++j) {
            double depth = -(double)stack->contacts[i].points[j].separation;
            worst = fmax(worst, depth);
            sum += fmax(depth, 0.0);
            points += depth > 0.0 ? 1 : 0;
        }
    }
    *mean = points > 0 ? sum / points : 0.0;
    return worst;
}

static Figures watch(const char* name, Stack* stack, int steps) {
    Figures figures = {0};
    double time = 0.0;
    for (int i = 0; i < steps; ++i) {
        CHECK_INT(sdWorld_Step(stack->world, DT), SD_OK);
        time += (double)sdWorld_GetStats(stack->world).stepMs;
        figures.end = findPenetration(stack, &figures.mean);
        figures.worst = i >= 60 ? fmax(figures.worst, figures.end) : 0.0;
    }
    int top = 0;
    for (int i = 0; i < stack->count; ++i) {
        sdPos p = sdBody_GetCenter(stack->world, stack->bodies[i]), q = stack->starts[i];
        figures.drift = fmax(figures.drift, hypot(p.x - q.x, p.z - q.z));
        top = q.y > stack->starts[top].y ? i : top;
        sdVec3 v = sdBody_GetVelocity(stack->world, stack->bodies[i]);
        figures.speed = fmax(figures.speed, (double)sdLength(v));
    }
    figures.sag = stack->starts[top].y - sdBody_GetCenter(stack->world, stack->bodies[top]).y;
    figures.stepMs = time / steps;
    sdTest_Print("%s, %.0f s: top sank by %.2f mm, drift %.3f mm, worst penetration %.2f mm, at "
                 "the end %.2f mm, mean %.3f mm, %.1e m/s; %.2f ms a step",
                 name, steps / 60.0, 1e3 * figures.sag, 1e3 * figures.drift, 1e3 * figures.worst,
                 1e3 * figures.end, 1e3 * figures.mean, figures.speed, figures.stepMs);
    return figures;
}

/// Steps of a test that lasts a minute at full scale.
static int minute(void) {
    return TestCount(3600);
}

// ---- slender -------------------------------------------------------------------------------

SD_TEST(stack_tower_of_100_stands) {
    Stack* stack = makeTower(100, 0.0f);
    Figures figures = watch("tower of 100", stack, minute());
    CHECK(figures.sag < 0.02);
    CHECK(figures.drift < 1e-3);
    freeStack(stack);
}

SD_TEST(stack_tower_of_40_with_offsets_stands) {
    Stack* stack = makeTower(40, 0.1f);
    Figures figures = watch("tower of 40, offsets of 10 cm", stack, minute());
    CHECK(figures.sag < 0.02);
    CHECK(figures.drift < 2e-3);
    freeStack(stack);
}

SD_TEST(stack_heavy_box_on_a_light_one) {
    for (float ratio = 100.0f; ratio < 2e4f; ratio *= 10.0f) {
        Stack* stack = makeHeavy(ratio, 1);
        char name[32];
        snprintf(name, sizeof name, "1 : %g", (double)ratio);
        Figures figures = watch(name, stack, minute());
        CHECK(figures.sag < 0.005);
        freeStack(stack);
    }
}

SD_TEST(stack_heavy_box_on_ten_light_ones) {
    for (float ratio = 10.0f; ratio < 2e3f; ratio *= 10.0f) {
        Stack* stack = makeHeavy(ratio, 10);
        char name[32];
        snprintf(name, sizeof name, "%g on ten", (double)ratio);
        Figures figures = watch(name, stack, minute());
        CHECK(figures.sag < 0.005);
        freeStack(stack);
    }
}

SD_TEST(stack_arch_of_25_stones_stands) {
    Stack* stack = makeArch(25);
    Figures figures = watch("arch of 25", stack, minute());
    CHECK(figures.sag < 0.01);
    freeStack(stack);
}

SD_TEST(stack_house_of_cards_stands) {
    Stack* stack = makeCards(5);
    Figures figures = watch("cards, 5 storeys", stack, minute());
    CHECK(figures.sag < 0.01);
    freeStack(stack);
}

// ---- what must not stand -------------------------------------------------------------------

SD_TEST(stack_overhang_falls) {
    Stack* stack = makeStack(TestWorld_AwakeDef(), 0.6f);
    for (int i = 0; i < 4; ++i) {
        addBox(stack, 0.3 * i, 0.5 + i, 0.0, 0.5f, 1000.0f);
    }
    Figures figures = watch("overhang", stack, 180);
    CHECK(figures.sag > 1.0);
    freeStack(stack);
}

SD_TEST(stack_seesaw_tips_to_the_heavy_side) {
    Stack* stack = makeStack(TestWorld_AwakeDef(), 0.6f);
    addBody(stack, SD_BODY_STATIC, sdPos_Make(0.0, 0.25, 0.0), sdQuat_Identity(),
            sdShape_Box(0.05f, 0.25f, 0.5f), 0.0f);
    addBody(stack, SD_BODY_DYNAMIC, sdPos_Make(0.0, 0.55, 0.0), sdQuat_Identity(),
            sdShape_Box(2.0f, 0.05f, 0.5f), 200.0f);
    addBox(stack, 1.7, 0.8, 0.0, 0.2f, 1000.0f);
    addBox(stack, -1.7, 0.7, 0.0, 0.1f, 1000.0f);
    watch("seesaw", stack, 180);
    double heavy = sdBody_GetCenter(stack->world, stack->bodies[1]).y;
    double light = sdBody_GetCenter(stack->world, stack->bodies[2]).y;
    CHECK(heavy < 0.45 && light > 0.9);
    freeStack(stack);
}

/// How far the lowest and the highest of ten boxes come on a slope in two seconds.
static void slideTower(double tangent, double* low, double* high) {
    Stack* stack = makeStack(TestWorld_AwakeDef(), 0.5f);
    sdQuat tilt = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), (float)-atan(tangent));
    addBody(stack, SD_BODY_STATIC, sdPos_Make(0.0, 60.0, 0.0), tilt, sdShape_Box(40.0f, 0.5f, 5.0f),
            0.0f);
    for (int i = 0; i < 10; ++i) {
        sdVec3 p = sdRotate(tilt, sdV3(0.0f, 0.75f + 0.5f * (float)i, 0.0f));
        addBody(stack, SD_BODY_DYNAMIC, sdPos_Make((double)p.x, 60.0 + (double)p.y, 0.0), tilt,
                sdShape_Box(5.0f, 0.25f, 2.0f), 1000.0f);
    }
    for (int i = 0; i < 120; ++i) {
        CHECK_INT(sdWorld_Step(stack->world, DT), SD_OK);
    }
    sdPos p = sdBody_GetCenter(stack->world, stack->bodies[0]), p0 = stack->starts[0];
    sdPos q = sdBody_GetCenter(stack->world, stack->bodies[9]), q0 = stack->starts[9];
    *low = hypot(p.x - p0.x, p.y - p0.y);
    *high = hypot(q.x - q0.x, q.y - q0.y);
    freeStack(stack);
}

SD_TEST(stack_on_a_slope_slips_when_the_tangent_exceeds_friction) {
    static const double tangents[] = {0.45, 0.495, 0.505, 0.55};
    for (int i = 0; i < 4; ++i) {
        double angle = atan(tangents[i]), low, high;
        double exact = fmax(0.0, 2.0 * 9.81 * (sin(angle) - 0.5 * cos(angle)));
        slideTower(tangents[i], &low, &high);
        sdTest_Print("tangent %.3f, friction 0.5: the lowest of ten came %.4f m, the highest "
                     "%.4f m, of %.4f m",
                     tangents[i], low, high, exact);
        // as if friction were known to 0.2 %
        CHECK_NEAR(low, exact, 0.02 * exact + 0.01);
        CHECK(high > 0.98 * exact - 0.01);
    }
}

SD_TEST(stack_row_that_is_hit_keeps_its_momentum) {
    Stack* stack = makeStack(TestWorld_AwakeDef(), 0.0f);
    for (int i = 0; i < 11; ++i) {
        addBox(stack, i == 10 ? -2.0 : i, 0.5, 0.0, 0.5f, 1000.0f);
    }
    sdVec3 v = {5.0f, 0.0f, 0.0f}, zero = {0.0f, 0.0f, 0.0f};
    CHECK_INT(sdBody_SetVelocity(stack->world, stack->bodies[10], v, zero), SD_OK);
    watch("row of ten", stack, 180);
    double sum = 0.0, energy = 0.0;
    for (int i = 0; i < 11; ++i) {
        double speed = (double)sdBody_GetVelocity(stack->world, stack->bodies[i]).x;
        sum += speed;
        energy += 0.5 * speed * speed;
    }
    CHECK_NEAR(sum, 5.0, 1e-4);
    // at least what is left when all move together
    CHECK(energy > 12.5 / 11.0 - 1e-4 && energy < 12.5);
    freeStack(stack);
}

// ---- how it is done ------------------------------------------------------------------------

SD_TEST(stack_only_slender_islands_are_solved_at_once) {
    Stack* stack = makeTower(8, 0.0f);
    CHECK_INT(sdWorld_Step(stack->world, DT), SD_OK);
    CHECK_INT(sdWorld_GetStats(stack->world).slenderCount, 1);
    // the same tower without it
    sdWorldDef def = sdWorld_GetDef(stack->world);
    def.enableDirect = false;
    CHECK_INT(sdWorld_SetDef(stack->world, &def), SD_OK);
    CHECK_INT(sdWorld_Step(stack->world, DT), SD_OK);
    CHECK_INT(sdWorld_GetStats(stack->world).slenderCount, 0);
    freeStack(stack);
    // a box by itself, and a wall
    stack = makeTower(1, 0.0f);
    CHECK_INT(sdWorld_Step(stack->world, DT), SD_OK);
    CHECK_INT(sdWorld_GetStats(stack->world).slenderCount, 0);
    freeStack(stack);
    stack = makePyramid(30);
    CHECK_INT(sdWorld_Step(stack->world, DT), SD_OK);
    CHECK_INT(sdWorld_GetStats(stack->world).slenderCount, 0);
    freeStack(stack);
}

/// Towers that stand, lean and fall, in one world.
static uint64_t hashOfTowers(const sdContext* context) {
    Stack* stack = makeStackIn(context, TestWorld_AwakeDef(), 0.6f);
    for (int i = 0; i < 96; ++i) {
        double lean = 0.01 * (i / 12) * (i / 12) * (i % 12);
        addBox(stack, 5.0 * (i / 12) + lean, 0.5 + i % 12, 0.0, 0.5f, i % 5 == 0 ? 9e3f : 1e3f);
    }
    for (int i = 0; i < 120; ++i) {
        CHECK_INT(sdWorld_Step(stack->world, DT), SD_OK);
    }
    CHECK(sdWorld_GetStats(stack->world).slenderCount > 4);
    uint64_t hash = sdWorld_GetHash(stack->world);
    freeStack(stack);
    return hash;
}

SD_TEST(stack_large_island_that_slips_does_not_hold_up_the_step) {
    Stack* stack = makeStack(TestWorld_AwakeDef(), 0.6f);
    for (int i = 0; i < 1000; ++i) {
        addBox(stack, 0.55 * (i % 10) + 0.03 * (i % 7), 0.3 + 0.55 * (i / 100),
               0.55 * (i / 10 % 10) + 0.02 * (i % 5), 0.25f, 1000.0f);
    }
    int most = 0, solvedCount = 0;
    for (int i = 0; i < 45; ++i) {
        CHECK_INT(sdWorld_Step(stack->world, DT), SD_OK);
        sdWorldStats stats = sdWorld_GetStats(stack->world);
        most = sdMaxI(most, stats.newtonCount);
        solvedCount += stats.slenderCount > 0 ? 1 : 0;
    }
    double mean, worst = findPenetration(stack, &mean);
    sdTest_Print("1000 boxes in columns that lean: solved at once in %d steps, by %d bodies times "
                 "Newton's steps at "
                 "most; worst penetration %.2f mm",
                 solvedCount, most, 1e3 * worst);
    CHECK(solvedCount > 0);
    CHECK(most < 50000); // 96 000 without a limit
    CHECK(worst < 0.01);
    freeStack(stack);
}

/// Columns of ten boxes in a row, which lean on each other and slip.
/// @param most Newton's steps of the dearest step, a body
/// @return J of the last step
static double runLeaningRow(int count, bool enableDirect, double* most) {
    sdWorldDef def = TestWorld_AwakeDef();
    def.enableDirect = enableDirect;
    Stack* stack = makeStack(def, 0.4f);
    int columns = count / 10, newton = 0;
    for (int i = 0; i < count; ++i) {
        addBox(stack, 0.55 * (i % columns) + 0.03 * (i % 7), 0.3 + 0.55 * (i / columns),
               0.02 * (i % 5), 0.25f, 1000.0f);
    }
    for (int i = 0; i < 240; ++i) {
        CHECK_INT(sdWorld_Step(stack->world, DT), SD_OK);
        newton = sdMaxI(newton, sdWorld_GetStats(stack->world).newtonCount);
    }
    *most = (double)newton / count;
    double energy = sdWorld_GetEnergy(stack->world).kinetic;
    freeStack(stack);
    return energy;
}

SD_TEST(stack_island_that_slips_is_not_solved_over_and_over) {
    for (int count = 30; count <= 120; count += 90) {
        double most, none, energy = runLeaningRow(count, true, &most);
        double swept = runLeaningRow(count, false, &none);
        sdTest_Print("%d boxes that lean: %.0f of Newton's steps at most, %.2g J at the end, %.2g "
                     "by sweeps alone",
                     count, most, energy, swept);
        CHECK(most > 1.0 && none == 0.0);
        CHECK(most < 48.0); // 96 when each solve of a step goes on for as long as it may
        CHECK(energy < 0.1 * swept);
    }
}

SD_TEST(stack_parallel_steps_give_the_same_bits) {
    uint64_t expected = hashOfTowers(NULL);
    for (int workers = 2; workers <= 4; workers *= 2) {
        sdScheduler* scheduler = NULL;
        REQUIRE(sdScheduler_Create(NULL, workers, &scheduler) == SD_OK);
        sdContext context = sdContext_Default();
        context.tasks = sdScheduler_GetTasks(scheduler);
        CHECK(hashOfTowers(&context) == expected);
        sdScheduler_Destroy(scheduler);
    }
    sdTest_Print("hash %016llx", (unsigned long long)expected);
}

static sdResult buildTower(const sdContext* context, void* arg) {
    (void)arg;
    sdWorld* world;
    sdResult result = sdWorld_Create(context, NULL, &world);
    if (result != SD_OK) {
        return result;
    }
    sdBodyDef def = sdBodyDef_Default();
    sdShapeDef shape = sdShapeDef_Default(sdShape_Box(0.5f, 0.5f, 0.5f));
    for (int i = 0; i < 10 && result == SD_OK; ++i) {
        sdBodyId body;
        def.type = i == 0 ? SD_BODY_STATIC : SD_BODY_DYNAMIC;
        def.position = sdPos_Make(0.0, 1.0 * i, 0.0);
        result = sdBody_Create(world, &def, &body);
        result = result == SD_OK ? sdBody_AddShape(world, body, &shape, NULL) : result;
    }
    for (int i = 0; i < 3 && result == SD_OK; ++i) {
        result = sdWorld_Step(world, DT);
        CHECK(result != SD_OK || sdWorld_GetStats(world).slenderCount == 1);
        // one that failed can be made again, now that there is memory
        CHECK(result == SD_OK || sdWorld_Step(world, DT) == SD_OK);
    }
    sdWorld_Destroy(world);
    return result;
}

SD_TEST(stack_survives_every_failing_allocation) {
    int count = TestContext_FailEach(buildTower, NULL);
    sdTest_Print("%d allocations", count);
}

SD_TEST(stack_warm_steps_allocate_nothing) {
    TestContext test;
    TestContext_Init(&test);
    Stack* stack = makeStackIn(&test.context, TestWorld_AwakeDef(), 0.6f);
    for (int i = 0; i < 20; ++i) {
        addBox(stack, 0.0, 0.5 + i, 0.0, 0.5f, 1000.0f);
    }
    for (int i = 0; i < 30; ++i) {
        CHECK_INT(sdWorld_Step(stack->world, DT), SD_OK);
    }
    int before = test.allocationCount;
    for (int i = 0; i < 30; ++i) {
        CHECK_INT(sdWorld_Step(stack->world, DT), SD_OK);
    }
    CHECK_INT(test.allocationCount, before);
    freeStack(stack);
    TestContext_Finish(&test);
}

/// More touch the tray than there are colours: those that are left over are held like all others.
SD_TEST(stack_tray_carries_a_hundred_boxes) {
    Stack* stack = makeStack(TestWorld_AwakeDef(), 0.6f);
    addBody(stack, SD_BODY_DYNAMIC, sdPos_Make(0.0, 0.1, 0.0), sdQuat_Identity(),
            sdShape_Box(6.0f, 0.1f, 6.0f), 1000.0f);
    for (int i = 0; i < 100; ++i) {
        addBox(stack, i % 10 - 4.5, 0.4, i / 10 - 4.5, 0.2f, 1000.0f);
    }
    TestWorld_Run(stack->world, 120);
    double weight = 0.0, load = 0.0;
    for (int i = 0; i < stack->count; ++i) {
        sdPos center = sdBody_GetCenter(stack->world, stack->bodies[i]);
        CHECK_NEAR(sdLength(sdPos_Sub(center, stack->starts[i])), 0.0f, 2e-3f);
        weight += GRAVITY * (double)sdBody_GetMass(stack->world, stack->bodies[i]).mass;
    }
    int count = sdWorld_GetContacts(stack->world, stack->contacts, MAX_CONTACTS);
    for (int i = 0; i < count; ++i) {
        const sdContactInfo* contact = &stack->contacts[i];
        sdBodyId above = sdShapeId_GetBody(stack->world, contact->shapeB);
        for (int k = 0; above == stack->bodies[0] && k < contact->pointCount; ++k) {
            load += (double)contact->points[k].normalImpulse / (double)DT;
        }
    }
    CHECK_NEAR((float)(load / weight), 1.0f, 0.01f);
    freeStack(stack);
}

SD_TEST(stack_contacts_report_the_load) {
    Stack* stack = makeTower(20, 0.0f);
    for (int i = 0; i < 120; ++i) {
        CHECK_INT(sdWorld_Step(stack->world, DT), SD_OK);
    }
    int count = sdWorld_GetContacts(stack->world, stack->contacts, MAX_CONTACTS);
    CHECK_INT(count, 20);
    double weight = 9810.0 * (double)DT, floorLoad = 0.0, sum = 0.0;
    for (int i = 0; i < count; ++i) {
        double load = 0.0;
        for (int j = 0; j < stack->contacts[i].pointCount; ++j) {
            load += (double)stack->contacts[i].points[j].normalImpulse;
        }
        floorLoad = fmax(floorLoad, load);
        sum += load;
    }
    // 1 + 2 + ... + 20 boxes of a tonne
    CHECK_NEAR(floorLoad, 20.0 * weight, 1e-3 * 20.0 * weight);
    CHECK_NEAR(sum, 210.0 * weight, 1e-3 * 210.0 * weight);
    freeStack(stack);
}

// ---- wide ----------------------------------------------------------------------------------

SD_TEST(stack_pyramid_of_base_40_stands) {
    Stack* stack = makePyramid(40);
    Figures figures = watch("pyramid of 40", stack, TestCount(1200));
    CHECK(figures.worst < 0.002);
    CHECK(figures.drift < 0.01);
    freeStack(stack);
}

SD_TEST(stack_pile_of_500_settles) {
    Stack* stack = makePile(500, 8, false);
    watch("pile of 500, falling", stack, 300);
    Figures figures = watch("pile of 500", stack, TestCount(600));
    CHECK(figures.end < 0.02);
    CHECK(figures.mean < 0.002);
    freeStack(stack);
}

/// Whether hardly one body in a hundred goes faster than those that may fall asleep.
static bool isSettled(const Stack* stack) {
    float most = sdWorld_GetDef(stack->world).sleepSpeed;
    int fast = 0;
    for (int i = 0; i < stack->count; ++i) {
        fast += sdLength(sdBody_GetVelocity(stack->world, stack->bodies[i])) > most ? 1 : 0;
    }
    return 100 * fast <= stack->count;
}

SD_TEST(stack_pile_of_1000_sleeps_and_does_not_wake) {
    Stack* stack = makePile(1000, 15, true);
    int steps = 0, settled = 0;
    while (steps < 1200 && (steps < 60 || sdWorld_GetStats(stack->world).awakeCount > 0)) {
        CHECK_INT(sdWorld_Step(stack->world, DT), SD_OK);
        steps += 1;
        settled = settled == 0 && steps > 60 && isSettled(stack) ? steps : settled;
    }
    double mean, worst = findPenetration(stack, &mean);
    CHECK(steps - settled <= 600);
    sdTest_Print("pile of 1000: settled after %.1f s, asleep after %.1f s, worst penetration %.2f "
                 "mm, mean %.3f mm",
                 settled / 60.0, steps / 60.0, 1e3 * worst, 1e3 * mean);
    CHECK_INT(sdWorld_GetStats(stack->world).awakeCount, 0);
    for (int i = 0; i < 300; ++i) {
        CHECK_INT(sdWorld_Step(stack->world, DT), SD_OK);
    }
    CHECK_INT(sdWorld_GetStats(stack->world).awakeCount, 0);
    freeStack(stack);
}
