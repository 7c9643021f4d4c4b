// SPDX-License-Identifier: MIT
// world_support.h - small worlds for tests.

#ifndef SD_TEST_WORLD_SUPPORT_H
#define SD_TEST_WORLD_SUPPORT_H

#include "support.h"

#include "sudar/world.h"

#define DT (1.0f / 60.0f)
#define GRAVITY 9.81

sdWorld* TestWorld_Make(sdWorldDef def);
/// Nothing falls or sleeps.
sdWorldDef TestWorld_FreeDef(void);
/// Nothing sleeps.
sdWorldDef TestWorld_AwakeDef(void);

sdBodyId TestWorld_AddBody(sdWorld* world, sdBodyType type, sdPos position, sdQuat rotation,
                           sdShapeDef shape);
sdBodyId TestWorld_AddDynamic(sdWorld* world, sdPos position, sdShapeDef shape);
/// A half-space below y = 0.
sdBodyId TestWorld_AddFloor(sdWorld* world, sdMaterial material);
sdShapeDef TestWorld_BoxOf(float half);
/// The same coefficient of both frictions, nothing else.
sdMaterial TestWorld_Friction(float friction);
void TestWorld_Run(sdWorld* world, int steps);

#endif
