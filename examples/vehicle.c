// SPDX-License-Identifier: MIT
// vehicle.c - a car on four wheels that are rays: each feels the ground below and pushes the body.
//
// It is also a test: it returns 1 when the car does not stand on its springs as it should, does not
// drive straight and turn, tips over or does not stop.

#include <sudar/sudar.h>

#include <stdio.h>

#define CHECKED(call)                                                                              \
    do {                                                                                           \
        sdResult result_ = (call);                                                                 \
        if (result_ != SD_OK) {                                                                    \
            fprintf(stderr, "%s: %s\n", #call, sdResult_Text(result_));                            \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

#define STEP (1.0f / 60.0f)
#define MASS 1200.0f   // kg
#define REACH 0.7f     // m, from where a wheel hangs to the ground, with no load
#define STIFFNESS 4e4f // N/m, of a wheel
#define DAMPING 3e3f   // N s/m
#define GRIP 0.9f      // largest force along the ground over that across it
#define ENGINE 1500.0f // N, of a wheel
#define BRAKE 3000.0f

typedef struct Wheel {
    sdVec3 hub; ///< in the car
    bool isSteered;
    float load; ///< N, now
} Wheel;

typedef struct Car {
    sdBodyId body;
    Wheel wheels[4];
    float steering; ///< rad, to the left
    float drive;    ///< N, of a wheel; less than 0: brake
} Car;

/// Push the car at a wheel: spring and damper across the ground, grip along it.
static sdResult pushWheel(sdWorld* world, const Car* car, Wheel* wheel) {
    sdPos hub = sdBody_GetWorldPoint(world, car->body, wheel->hub);
    sdVec3 up = sdBody_GetWorldVector(world, car->body, sdV3(0.0f, 1.0f, 0.0f));
    sdQueryFilter filter = sdQueryFilter_Default();
    filter.ignored = &car->body;
    filter.ignoredCount = 1;
    sdRay ray = {hub, sdScale(-REACH, up)};
    sdQueryHit hit;
    sdResult result = sdWorld_Raycast(world, &ray, &filter, &hit);
    wheel->load = 0.0f;
    if (result != SD_OK || hit.body == SD_NULL_BODY) {
        return result;
    }
    sdVec3 v = sdBody_GetVelocityAt(world, car->body, hit.point);
    float pressed = REACH * (1.0f - hit.fraction);
    wheel->load = sdMaxF(0.0f, STIFFNESS * pressed - DAMPING * sdDot(v, up));

    float angle = wheel->isSteered ? car->steering : 0.0f;
    sdVec3 heading = sdV3(sdCos(angle), 0.0f, -sdSin(angle));
    sdVec3 forward = sdBody_GetWorldVector(world, car->body, heading);
    forward = sdNormalize(sdMulAdd(forward, -sdDot(forward, hit.normal), hit.normal));
    sdVec3 side = sdCross(forward, hit.normal);
    // a quarter of the car at each wheel: what stops it from slipping sideways in a step
    float slip = -0.25f * MASS / STEP * 0.5f * sdDot(v, side);
    float speed = sdDot(v, forward), along = car->drive;
    if (along < 0.0f) {
        along = sdClampF(-0.25f * MASS / STEP * speed, -BRAKE, BRAKE);
    }
    sdVec3 grip = sdAdd(sdScale(along, forward), sdScale(slip, side));
    float most = GRIP * wheel->load, asked = sdLength(grip);
    grip = sdScale(asked > most ? most / asked : 1.0f, grip);
    return sdBody_ApplyForce(world, car->body, sdMulAdd(grip, wheel->load, hit.normal), hit.point);
}

static sdResult drive(sdWorld* world, Car* car, int steps) {
    sdResult result = SD_OK;
    for (int i = 0; i < steps && result == SD_OK; ++i) {
        for (int w = 0; w < 4 && result == SD_OK; ++w) {
            result = pushWheel(world, car, &car->wheels[w]);
        }
        result = result == SD_OK ? sdWorld_Step(world, STEP) : result;
    }
    return result;
}

static sdResult addCar(sdWorld* world, Car* car) {
    sdBodyDef def = sdBodyDef_Default();
    def.type = SD_BODY_DYNAMIC;
    def.position = sdPos_Make(0.0, 1.0, 0.0);
    // wheels push it by hand
    def.enableSleep = false;
    sdResult result = sdBody_Create(world, &def, &car->body);
    sdShapeDef shape = sdShapeDef_Default(sdShape_Box(2.0f, 0.3f, 0.9f));
    shape.density = MASS / (8.0f * 2.0f * 0.3f * 0.9f);
    for (int i = 0; i < 4; ++i) {
        float x = i < 2 ? 1.4f : -1.4f, z = i % 2 == 0 ? 0.8f : -0.8f;
        car->wheels[i] = (Wheel){.hub = {x, 0.0f, z}, .isSteered = i < 2};
    }
    return result == SD_OK ? sdBody_AddShape(world, car->body, &shape, NULL) : result;
}

int main(void) {
    sdWorld* world = NULL;
    CHECKED(sdWorld_Create(NULL, NULL, &world));
    sdBodyDef groundDef = sdBodyDef_Default();
    sdBodyId ground;
    groundDef.position = sdPos_Make(0.0, -1.0, 0.0);
    CHECKED(sdBody_Create(world, &groundDef, &ground));
    sdShapeDef floor = sdShapeDef_Default(sdShape_Box(500.0f, 1.0f, 500.0f));
    CHECKED(sdBody_AddShape(world, ground, &floor, NULL));
    Car car = {0};
    CHECKED(addCar(world, &car));

    CHECKED(drive(world, &car, 120));
    float sunk = REACH - (float)sdBody_GetCenter(world, car.body).y;
    float expected = 0.25f * MASS * 9.81f / STIFFNESS;
    printf("It stands %.1f mm deep in its springs, %.1f mm expected.\n", 1e3 * (double)sunk,
           1e3 * (double)expected);
    bool isRight = sdAbsF(sunk - expected) < 0.002f;

    car.drive = ENGINE;
    CHECKED(drive(world, &car, 180));
    sdVec3 v = sdBody_GetVelocity(world, car.body);
    printf("After 3 s it goes at %.2f m/s (15 at most), %.3f m/s sideways.\n", (double)v.x,
           (double)v.z);
    isRight = isRight && v.x > 13.0f && v.x < 15.1f && sdAbsF(v.z) < 0.05f;

    car.drive = 0.0f;
    car.steering = 0.1f;
    CHECKED(drive(world, &car, 60));
    sdVec3 forward = sdBody_GetWorldVector(world, car.body, sdV3(1.0f, 0.0f, 0.0f));
    sdVec3 up = sdBody_GetWorldVector(world, car.body, sdV3(0.0f, 1.0f, 0.0f));
    printf("Steered to the left for 1 s it has turned by %.0f degrees and leans by %.1f.\n",
           57.29578 * (double)sdAtan2(-forward.z, forward.x), 57.29578 * (double)sdAcos(up.y));
    isRight = isRight && forward.z < -0.15f && up.y > 0.97f;

    car.steering = 0.0f;
    car.drive = -1.0f;
    CHECKED(drive(world, &car, 240));
    float speed = sdLength(sdBody_GetVelocity(world, car.body));
    printf("Braked for 4 s it goes at %.3f m/s.\n", (double)speed);
    isRight = isRight && speed < 0.05f;
    sdWorld_Destroy(world);
    return isRight ? 0 : 1;
}
