// SPDX-License-Identifier: MIT
// hello.c - a first world: a ring falls over a post.
//
// It is also a test: it returns 1 when the ring is not around the post in the end.

#include <sudar/sudar.h>

#include <stdio.h>
#include <stdlib.h>

/// Calls that can fail return an sdResult, and have told why on stderr.
static void check(sdResult result) {
    if (result != SD_OK) {
        exit(1);
    }
}

static sdBodyId addBody(sdWorld* world, sdBodyType type, double height, sdShape shape) {
    sdBodyDef def = sdBodyDef_Default();
    def.type = type;
    def.position = sdPos_Make(0.0, height, 0.0);
    sdBodyId body;
    check(sdBody_Create(world, &def, &body));
    sdShapeDef shapeDef = sdShapeDef_Default(shape);
    check(sdBody_AddShape(world, body, &shapeDef, NULL));
    return body;
}

int main(void) {
    // NULL stands for the defaults: malloc, one thread, gravity of 9.81 m/s² down the y axis
    sdWorld* world = NULL;
    check(sdWorld_Create(NULL, NULL, &world));
    addBody(world, SD_BODY_STATIC, 0.0, sdShape_HalfSpace());
    addBody(world, SD_BODY_STATIC, 0.4, sdShape_Cylinder(0.4f, 0.03f));

    // any triangles will do (sdMesh_Create); these are a ring of 30 cm that comes with the library
    sdMesh* mesh = NULL;
    check(sdModel_Create(NULL, SD_MODEL_RING, 0.3f, &mesh));
    sdConcaveDef def = sdConcaveDef_Default();
    sdConcave* ring = NULL;
    check(sdConcave_Create(NULL, mesh, &def, &ring));
    sdBodyId body = addBody(world, SD_BODY_DYNAMIC, 1.0, sdShape_Concave(ring));
    printf("The ring weighs %.1f kg.\n", (double)sdBody_GetMass(world, body).mass);

    for (int i = 0; i < 60; ++i) {
        if (i % 12 == 0) {
            printf("%.1f s: %.2f m\n", i / 60.0, sdBody_GetTransform(world, body).p.y);
        }
        check(sdWorld_Step(world, 1.0f / 60.0f));
    }

    sdPos end = sdBody_GetTransform(world, body).p;
    bool isAround = end.y < 0.1 && end.x * end.x + end.z * end.z < 0.1 * 0.1;
    printf("It lies %s the post.\n", isAround ? "around" : "beside");

    sdConcave_Release(ring);
    sdMesh_Release(mesh);
    sdWorld_Destroy(world);
    return isAround ? 0 : 1;
}
