// SPDX-License-Identifier: MIT
// view.c - bodies, contacts and joints of a world as flat arrays.
//
// In:   a world between two steps.
// Out:  numbers in rows, in a fixed order.

#include "view_support.h"

#include "sudar/debug.h"
#include "sudar/joint.h"

/// A list that counts on when it is full.
typedef struct Writer {
    float* out;
    int count, capacity;
} Writer;

static void put(Writer* w, float value) {
    if (w->count < w->capacity) {
        w->out[w->count] = value;
    }
    ++w->count;
}

static void putVec(Writer* w, sdVec3 v) {
    put(w, v.x);
    put(w, v.y);
    put(w, v.z);
}

static void putPos(Writer* w, sdPos p) {
    putVec(w, sdV3((float)p.x, (float)p.y, (float)p.z));
}

// ---- bodies --------------------------------------------------------------------------------

int sdView_GetPoses(const sdWorld* world, float* out, int capacity) {
    sdViewBodies bodies;
    Writer w = {out, 0, capacity};
    if (!sdViewBodies_Open(&bodies, world)) {
        return 0;
    }
    for (int i = 0; i < bodies.count; ++i) {
        sdBodyId id = bodies.ids[i];
        sdWorldTransform xf = sdBody_GetTransform(world, id);
        putPos(&w, xf.p);
        putVec(&w, xf.q.v);
        put(&w, xf.q.s);
        putPos(&w, sdBody_GetCenter(world, id));
        put(&w, (float)sdBody_GetType(world, id));
        put(&w, sdBody_IsAwake(world, id) ? 1.0f : 0.0f);
    }
    sdViewBodies_Close(&bodies);
    return w.count;
}

int sdView_GetBoxes(const sdWorld* world, float* out, int capacity) {
    sdViewBodies bodies;
    Writer w = {out, 0, capacity};
    if (!sdViewBodies_Open(&bodies, world)) {
        return 0;
    }
    for (int i = 0; i < bodies.count; ++i) {
        sdAABB box;
        bool hasBox = sdViewBodies_GetBox(&bodies, i, &box);
        putVec(&w, hasBox ? box.lower : sdV3(0.0f, 0.0f, 0.0f));
        putVec(&w, hasBox ? box.upper : sdV3(0.0f, 0.0f, 0.0f));
    }
    sdViewBodies_Close(&bodies);
    return w.count;
}

static bool putCell(void* arg, sdAABB box, int depth, int proxyCount) {
    (void)proxyCount;
    putVec(arg, box.lower);
    putVec(arg, box.upper);
    put(arg, (float)depth);
    return true;
}

/// Rows beside each other on which intervals are drawn, and how far apart they are, of the whole.
#define INTERVAL_ROWS 12
#define INTERVAL_STEP 0.01f

static bool isMoving(const sdViewBodies* bodies, int number) {
    return sdBody_GetType(bodies->world, bodies->ids[number]) != SD_BODY_STATIC;
}

/// What a sweep sorts: where each body begins and ends, beside the box of all,
/// above the ground and in front.
static void putIntervals(const sdViewBodies* bodies, Writer* w) {
    sdAABB box, all = sdAABB_Empty();
    for (int i = 0; i < bodies->count; ++i) {
        if (isMoving(bodies, i) && sdViewBodies_GetBox(bodies, i, &box)) {
            all = sdAABB_Union(all, box);
        }
    }
    float step = INTERVAL_STEP * sdLength(sdSub(all.upper, all.lower));
    for (int i = 0; i < bodies->count; ++i) {
        if (!isMoving(bodies, i) || !sdViewBodies_GetBox(bodies, i, &box)) {
            continue;
        }
        float away = step * (float)(1 + i % INTERVAL_ROWS);
        sdVec3 at = sdV3(all.lower.x - away, all.lower.y + away, all.upper.z + away);
        const sdVec3 ends[3][2] = {{sdV3(box.lower.x, at.y, at.z), sdV3(box.upper.x, at.y, at.z)},
                                   {sdV3(at.x, box.lower.y, at.z), sdV3(at.x, box.upper.y, at.z)},
                                   {sdV3(at.x, at.y, box.lower.z), sdV3(at.x, at.y, box.upper.z)}};
        for (int axis = 0; axis < 3; ++axis) {
            putVec(w, ends[axis][0]);
            putVec(w, ends[axis][1]);
            put(w, (float)axis);
        }
    }
}

int sdView_GetCells(const sdWorld* world, float* out, int capacity) {
    Writer w = {out, 0, capacity};
    sdViewBodies bodies;
    if (sdWorld_GetDef(world).broadphase.kind != SD_BROADPHASE_SAP) {
        sdWorld_VisitCells(world, putCell, &w);
    } else if (sdViewBodies_Open(&bodies, world)) {
        putIntervals(&bodies, &w);
        sdViewBodies_Close(&bodies);
    }
    return w.count;
}

// ---- contacts and joints -------------------------------------------------------------------

int sdView_GetContacts(const sdWorld* world, float* out, int capacity) {
    sdViewBodies bodies;
    Writer w = {out, 0, capacity};
    if (!sdViewBodies_Open(&bodies, world)) {
        return 0;
    }
    for (int i = 0; i < bodies.contactCount; ++i) {
        const sdContactInfo* c = &bodies.contacts[i];
        for (int k = 0; k < c->pointCount; ++k) {
            const sdContactPoint* p = &c->points[k];
            putPos(&w, p->position);
            putVec(&w, c->normal);
            put(&w, p->separation);
            put(&w, p->normalImpulse);
            put(&w, p->state == SD_POINT_NEW ? 0.0f : 1.0f);
            put(&w, (float)sdViewBodies_FindByShape(&bodies, c->shapeA));
            put(&w, (float)sdViewBodies_FindByShape(&bodies, c->shapeB));
        }
    }
    sdViewBodies_Close(&bodies);
    return w.count;
}

int sdView_GetJoints(const sdWorld* world, float* out, int capacity) {
    sdViewBodies bodies;
    Writer w = {out, 0, capacity};
    if (!sdViewBodies_Open(&bodies, world)) {
        return 0;
    }
    for (int i = 0; i < bodies.jointCount; ++i) {
        const sdJointDef* def = sdJoint_GetDef(world, bodies.joints[i]);
        if (def != NULL) {
            put(&w, (float)def->type);
            putPos(&w, sdBody_GetWorldPoint(world, def->bodyA, def->frameA.p));
            putPos(&w, sdBody_GetWorldPoint(world, def->bodyB, def->frameB.p));
            sdVec3 axis = sdRotate(def->frameA.q, sdV3(1.0f, 0.0f, 0.0f));
            putVec(&w, sdBody_GetWorldVector(world, def->bodyA, axis));
            put(&w, (float)sdViewBodies_Find(&bodies, def->bodyA));
            put(&w, (float)sdViewBodies_Find(&bodies, def->bodyB));
        }
    }
    sdViewBodies_Close(&bodies);
    return w.count;
}

sdViewFigures sdView_GetFigures(const sdWorld* world) {
    sdViewFigures r = {0};
    sdViewBodies bodies;
    if (!sdViewBodies_Open(&bodies, world)) {
        return r;
    }
    sdVec3 gravity = sdWorld_GetDef(world).gravity;
    for (int i = 0; i < bodies.count; ++i) {
        sdBodyId id = bodies.ids[i];
        sdMassProps props = sdBody_GetMass(world, id);
        if (props.mass > 0.0f) {
            sdVec3 v = sdBody_GetVelocity(world, id);
            sdVec3 spin = sdBody_GetLocalVector(world, id, sdBody_GetAngularVelocity(world, id));
            sdPos c = sdBody_GetCenter(world, id);
            double height =
                (double)gravity.x * c.x + (double)gravity.y * c.y + (double)gravity.z * c.z;
            r.kinetic += 0.5 * (double)(props.mass * sdDot(v, v) +
                                        sdDot(spin, sdMulMV(props.inertia, spin)));
            r.potential -= (double)(props.mass * sdBody_GetGravityScale(world, id)) * height;
        }
    }
    for (int i = 0; i < bodies.contactCount; ++i) {
        for (int k = 0; k < bodies.contacts[i].pointCount; ++k) {
            r.maxPenetration = sdMaxF(r.maxPenetration, -bodies.contacts[i].points[k].separation);
        }
    }
    sdViewBodies_Close(&bodies);
    return r;
}
