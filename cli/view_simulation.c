// SPDX-License-Identifier: MIT
// view_simulation.c - see view_simulation.h.

#include "view_simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Moments that are kept; when there are more, every second one goes.
#define MAX_MOMENTS 96
#define MIN_MOMENTS 8
/// Bytes of all of them, roughly: large worlds have fewer.
#define MAX_BYTES ((size_t)1 << 30)
#define FIRST_INTERVAL 8 // steps between moments
/// Inputs that are kept: an hour of dragging.
#define MAX_INPUTS 262144

/// Hz, of the spring by which a body is dragged; it is damped so that it does not swing.
#define DRAG_FREQUENCY 4.0
#define PI 3.14159265358979323846
#define BALL_DENSITY 2000.0f // kg/m³

// ---- bodies --------------------------------------------------------------------------------

static sdResult listBodies(CliSimulation* s) {
    int count = sdWorld_GetBodies(s->world, NULL, 0);
    sdBodyId* bodies = realloc(s->bodies, ((size_t)count + 1) * sizeof *bodies);
    if (bodies == NULL) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    s->bodies = bodies;
    s->bodyCount = count;
    sdWorld_GetBodies(s->world, bodies, count);
    s->revision += 1;
    return SD_OK;
}

sdShapeId* CliSimulation_ListShapes(const CliSimulation* s, int body, int* count) {
    *count = sdBody_GetShapes(s->world, s->bodies[body], NULL, 0);
    sdShapeId* shapes = malloc(((size_t)*count + 1) * sizeof *shapes);
    if (shapes != NULL) {
        sdBody_GetShapes(s->world, s->bodies[body], shapes, *count);
    }
    return shapes;
}

// ---- moments -------------------------------------------------------------------------------

static void dropMoments(CliSimulation* s, bool (*isToGo)(const CliSimulation*, int step)) {
    int kept = 0;
    for (int i = 0; i < s->momentCount; ++i) {
        if (isToGo(s, s->moments[i].step)) {
            sdSnapshot_Destroy(s->moments[i].snapshot);
        } else {
            s->moments[kept++] = s->moments[i];
        }
    }
    s->momentCount = kept;
}

static bool isLater(const CliSimulation* s, int step) {
    return step > s->step;
}

static bool isBetween(const CliSimulation* s, int step) {
    return step % s->interval != 0;
}

static bool isAny(const CliSimulation* s, int step) {
    (void)s;
    (void)step;
    return true;
}

static bool isKept(const CliSimulation* s, int step) {
    for (int i = 0; i < s->momentCount; ++i) {
        if (s->moments[i].step == step) {
            return true;
        }
    }
    return false;
}

static sdResult remember(CliSimulation* s) {
    sdSnapshot* snapshot = NULL;
    sdResult result = sdSnapshot_Create(s->context, &snapshot);
    result = result == SD_OK ? sdWorld_Save(s->world, snapshot) : result;
    if (result != SD_OK) {
        sdSnapshot_Destroy(snapshot);
        return result;
    }
    s->moments[s->momentCount++] = (CliMoment){s->step, snapshot};
    size_t room = MAX_BYTES / (sdWorld_GetStats(s->world).byteCount + 1);
    int most = room < MIN_MOMENTS ? MIN_MOMENTS : (room > MAX_MOMENTS ? MAX_MOMENTS : (int)room);
    while (s->momentCount > most) {
        s->interval *= 2;
        dropMoments(s, isBetween);
    }
    return SD_OK;
}

sdResult CliSimulation_Rewind(CliSimulation* s, int step) {
    const CliMoment* from = &s->moments[0];
    for (int i = 1; i < s->momentCount; ++i) {
        const CliMoment* moment = &s->moments[i];
        from = moment->step <= step && moment->step > from->step ? moment : from;
    }
    if (s->step <= step && s->step >= from->step) {
        return SD_OK;
    }
    sdResult result = sdWorld_Restore(s->world, from->snapshot);
    s->step = result == SD_OK ? from->step : s->step;
    return result == SD_OK ? listBodies(s) : result;
}

// ---- inputs --------------------------------------------------------------------------------

static void forgetInput(CliSimulation* s, int i) {
    sdConcave_Release(s->inputs[i].concave);
    s->inputCount -= 1;
    memmove(&s->inputs[i], &s->inputs[i + 1], (size_t)(s->inputCount - i) * sizeof *s->inputs);
}

sdResult CliSimulation_Add(CliSimulation* s, const CliInput* input) {
    dropMoments(s, isLater);
    s->lastStep = s->step;
    // later ones, and of one step all drags but the last
    for (int i = s->inputCount - 1; i >= 0 && s->inputs[i].step >= s->step; --i) {
        bool isOldDrag = input->kind == CLI_INPUT_DRAG && s->inputs[i].kind == CLI_INPUT_DRAG;
        if (s->inputs[i].step > s->step || isOldDrag) {
            forgetInput(s, i);
        }
    }
    if (s->inputCount == MAX_INPUTS) {
        return SD_ERROR_LIMIT;
    }
    if (s->inputCount == s->inputCapacity) {
        int capacity = s->inputCapacity == 0 ? 64 : 2 * s->inputCapacity;
        CliInput* inputs = realloc(s->inputs, (size_t)capacity * sizeof *inputs);
        if (inputs == NULL) {
            return SD_ERROR_OUT_OF_MEMORY;
        }
        s->inputs = inputs;
        s->inputCapacity = capacity;
    }
    CliInput* added = &s->inputs[s->inputCount++];
    *added = *input;
    added->step = s->step;
    if (added->concave != NULL) {
        sdConcave_Retain(added->concave);
    }
    return SD_OK;
}

static sdResult changeSetting(CliSimulation* s, const CliInput* input) {
    sdWorldDef def = sdWorld_GetDef(s->world);
    sdFault fault;
    sdResult result = sdSetting_Set(&def, input->key, input->value, &fault);
    return result == SD_OK ? sdWorld_SetDef(s->world, &def) : result;
}

const char* const CliMaterialKeys[] = {"bodies.friction", "bodies.restitution", NULL};

float CliSimulation_GetMaterial(const CliSimulation* s, CliMaterial material) {
    for (int i = 0; i < s->bodyCount; ++i) {
        sdShapeId shape;
        if (sdBody_GetType(s->world, s->bodies[i]) == SD_BODY_DYNAMIC &&
            sdBody_GetShapes(s->world, s->bodies[i], &shape, 1) > 0) {
            const sdMaterial* m = &sdShapeId_GetDef(s->world, shape)->material;
            return material == CLI_FRICTION ? m->staticFriction : m->restitution;
        }
    }
    return 0.0f;
}

sdResult CliSimulation_SetMaterial(CliSimulation* s, CliMaterial material, float amount) {
    sdResult result = SD_OK;
    for (int i = 0; i < s->bodyCount && result == SD_OK; ++i) {
        int count;
        sdShapeId* shapes = CliSimulation_ListShapes(s, i, &count);
        result = shapes != NULL ? SD_OK : SD_ERROR_OUT_OF_MEMORY;
        for (int k = 0; k < count && result == SD_OK; ++k) {
            sdMaterial m = sdShapeId_GetDef(s->world, shapes[k])->material;
            if (material == CLI_FRICTION) {
                m.staticFriction = m.slidingFriction = amount;
            } else {
                m.restitution = amount;
            }
            result = sdShapeId_SetMaterial(s->world, shapes[k], m);
        }
        free(shapes);
        if (result == SD_OK) {
            result = sdBody_SetAwake(s->world, s->bodies[i], true);
        }
    }
    return result;
}

static sdResult addBody(CliSimulation* s, const sdBodyDef* def, sdShape shape, float density) {
    sdBodyId body;
    sdShapeDef shapeDef = sdShapeDef_Default(shape);
    shapeDef.density = density;
    sdResult result = sdBody_Create(s->world, def, &body);
    if (result == SD_OK) {
        result = sdBody_AddShape(s->world, body, &shapeDef, NULL);
        if (result != SD_OK) {
            sdBody_Destroy(s->world, body);
        }
    }
    return result;
}

static sdResult throwBall(CliSimulation* s, const CliInput* input) {
    sdBodyDef def = sdBodyDef_Default();
    def.type = SD_BODY_DYNAMIC;
    def.position = input->place;
    def.velocity = input->velocity;
    def.isBullet = true;
    sdResult result = addBody(s, &def, sdShape_Sphere(input->size), BALL_DENSITY);
    return result == SD_OK ? listBodies(s) : result;
}

/// A damped spring from a point of the body to a place.
static sdResult pull(CliSimulation* s, const CliInput* input) {
    if (input->body >= s->bodyCount ||
        sdBody_GetType(s->world, s->bodies[input->body]) != SD_BODY_DYNAMIC) {
        return SD_OK;
    }
    sdBodyId body = s->bodies[input->body];
    sdPos point = sdBody_GetWorldPoint(s->world, body, input->local);
    sdVec3 velocity = sdBody_GetVelocityAt(s->world, body, point);
    double omega = 2.0 * PI * DRAG_FREQUENCY;
    double mass = (double)sdBody_GetMass(s->world, body).mass;
    double way[3] = {input->place.x - point.x, input->place.y - point.y, input->place.z - point.z};
    double speed[3] = {(double)velocity.x, (double)velocity.y, (double)velocity.z};
    float force[3];
    for (int i = 0; i < 3; ++i) {
        force[i] = (float)(mass * (omega * omega * way[i] - 2.0 * omega * speed[i]));
    }
    return sdBody_ApplyForce(s->world, body, sdV3(force[0], force[1], force[2]), point);
}

/// One above the other, a little beside each other.
static sdResult dropBodies(CliSimulation* s, const CliInput* input) {
    sdBodyDef def = sdBodyDef_Default();
    def.type = SD_BODY_DYNAMIC;
    sdShape shape = sdShape_Concave(input->concave);
    float density = sdShapeDef_Default(shape).density;
    double size = (double)input->size;
    sdResult result = SD_OK;
    for (int i = 0; i < input->count && result == SD_OK; ++i) {
        def.position = input->place;
        def.position.x += 0.3 * size * sin(2.4 * i);
        def.position.y += 1.3 * size * i;
        def.position.z += 0.3 * size * cos(2.4 * i);
        result = addBody(s, &def, shape, density);
    }
    sdResult listed = listBodies(s);
    return result == SD_OK ? listed : result;
}

static sdResult apply(CliSimulation* s, const CliInput* input) {
    switch (input->kind) {
        case CLI_INPUT_SETTING:
            return changeSetting(s, input);
        case CLI_INPUT_MATERIAL:
            return CliSimulation_SetMaterial(s, input->material, input->amount);
        case CLI_INPUT_THROW:
            return throwBall(s, input);
        case CLI_INPUT_DRAG:
            return pull(s, input);
        default:
            return dropBodies(s, input);
    }
}

// ---- steps ---------------------------------------------------------------------------------

/// The first input of this step or a later one.
static int findInput(const CliSimulation* s) {
    int low = 0, high = s->inputCount;
    while (low < high) {
        int middle = (low + high) / 2;
        if (s->inputs[middle].step < s->step) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

sdResult CliSimulation_Advance(CliSimulation* s) {
    for (int i = findInput(s); i < s->inputCount && s->inputs[i].step == s->step; ++i) {
        sdResult result = apply(s, &s->inputs[i]);
        if (result != SD_OK) {
            forgetInput(s, i);
            return result;
        }
    }
    sdResult result = sdWorld_Step(s->world, s->dt);
    if (result != SD_OK) {
        return result;
    }
    s->step += 1;
    s->lastStep = s->step > s->lastStep ? s->step : s->lastStep;
    return s->step % s->interval == 0 && !isKept(s, s->step) ? remember(s) : SD_OK;
}

sdResult CliSimulation_Open(CliSimulation* s, const sdContext* context, sdWorld* world, float dt) {
    *s = (CliSimulation){.context = context, .world = world, .dt = dt, .interval = FIRST_INTERVAL};
    s->moments = malloc((MAX_MOMENTS + 1) * sizeof *s->moments);
    sdResult result = s->moments != NULL ? remember(s) : SD_ERROR_OUT_OF_MEMORY;
    return result == SD_OK ? listBodies(s) : result;
}

void CliSimulation_Close(CliSimulation* s) {
    while (s->inputCount > 0) {
        forgetInput(s, s->inputCount - 1);
    }
    dropMoments(s, isAny);
    sdWorld_Destroy(s->world);
    free(s->moments);
    free(s->inputs);
    free(s->bodies);
    *s = (CliSimulation){0};
}
