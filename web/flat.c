// SPDX-License-Identifier: MIT
// flat.c - demonstrations in the plane: how shapes move, what touches what.
//
// In:   pieces that flat_scenes.c made.
// Out:  rows of numbers to draw.
// Note: bodies pass through each other and turn back at the rim of the room: what touches is to be
//       seen, not solved. Bullets turn back at walls, if they see them.

#include "flat_parts.h"

#include "support.h"
#include "view.h"

#include <math.h>

#define ROUND_CORNERS 24
/// m: points up to this distance are contacts.
#define MARGIN 0.0f

// ---- motion --------------------------------------------------------------------------------

static sdTransform2 poseOf(const sdFlat* f, int piece) {
    const sdFlatBody* body = &f->bodies[f->pieces[piece].body];
    return sdTransform2_Make(body->p, body->angle);
}

/// Turn back at the rim, by the body's centre and radius.
static void keepInRoom(const sdFlat* f, sdFlatBody* body) {
    float limits[2] = {f->scene->halfWidth - body->reach, f->scene->halfHeight - body->reach};
    float* places[2] = {&body->p.x, &body->p.y};
    float* speeds[2] = {&body->v.x, &body->v.y};
    for (int k = 0; k < 2; ++k) {
        if (sdAbsF(*places[k]) > limits[k]) {
            float side = *places[k] > 0.0f ? 1.0f : -1.0f;
            *places[k] = side * limits[k];
            *speeds[k] = -side * sdAbsF(*speeds[k]);
        }
    }
}

/// What a moving piece meets first on its way.
/// @return fraction of the way, 1: nothing
static float findWall(const sdFlat* f, int piece, sdVec2 way) {
    float least = 1.0f;
    sdTransform2 pose = poseOf(f, piece);
    for (int i = 0; i < f->pieceCount; ++i) {
        if (f->bodies[f->pieces[i].body].kind == SD_FLAT_WALL) {
            sdTransform2 wall = poseOf(f, i);
            sdTransform2 xf = sdTransform2_Mul(sdTransform2_Inverse(wall), pose);
            sdVec2 d = sdTransform2_Vector(sdTransform2_Inverse(wall), way);
            sdCastHit2 hit = sdShapeCast2(&f->pieces[i].shape, &f->pieces[piece].shape, xf, d);
            least = hit.isHit ? sdMinF(least, hit.fraction) : least;
        }
    }
    return least;
}

static bool isInWall(const sdFlat* f, int piece) {
    sdTransform2 pose = poseOf(f, piece);
    for (int i = 0; i < f->pieceCount; ++i) {
        if (f->bodies[f->pieces[i].body].kind == SD_FLAT_WALL) {
            sdTransform2 xf = sdTransform2_Mul(sdTransform2_Inverse(poseOf(f, i)), pose);
            if (sdOverlap2(&f->pieces[i].shape, &f->pieces[piece].shape, xf).isOverlapping) {
                return true;
            }
        }
    }
    return false;
}

/// How many walls stand between two places of a bullet.
static int countWalls(const sdFlat* f, float from, float to, float y) {
    int count = 0;
    for (int i = 0; i < f->bodyCount; ++i) {
        sdVec2 p = f->bodies[i].p;
        bool isBetween = sdMinF(from, to) < p.x && p.x < sdMaxF(from, to);
        count += f->bodies[i].kind == SD_FLAT_WALL && isBetween && sdAbsF(p.y - y) < f->laneHalf;
    }
    return count;
}

static void moveBullet(sdFlat* f, int piece, bool looksAhead) {
    sdFlatBody* body = &f->bodies[f->pieces[piece].body];
    sdVec2 way = sdV2(body->v.x * f->scene->dt, body->v.y * f->scene->dt), from = body->p;
    sdFlatFigures* s = &f->figures;
    float t = looksAhead ? findWall(f, piece, way) : 1.0f;
    body->p = sdV2(from.x + t * way.x, from.y + t * way.y);
    bool isHit = looksAhead ? t < 1.0f : isInWall(f, piece);
    int passed = countWalls(f, from.x, body->p.x, from.y);
    if (isHit) {
        body->v.x = -body->v.x;
    }
    *(looksAhead ? &s->hitCount : &s->blindHitCount) += isHit;
    // one that it is in when it turns back was not passed
    *(looksAhead ? &s->passCount : &s->blindPassCount) += sdMaxI(0, passed - isHit);
    // gone: the next one
    if (sdAbsF(body->p.x) > f->scene->halfWidth) {
        body->p = body->start;
        body->v.x = body->speed;
    }
}

static void moveBody(sdFlat* f, int piece) {
    sdFlatBody* body = &f->bodies[f->pieces[piece].body];
    float dt = f->scene->dt;
    switch (body->kind) {
        case SD_FLAT_FREE:
            body->p = sdV2(body->p.x + dt * body->v.x, body->p.y + dt * body->v.y);
            body->angle += dt * body->spin;
            keepInRoom(f, body);
            break;
        case SD_FLAT_SWAYING: {
            float t = (float)f->step * dt * body->speed;
            body->p = sdV2(body->start.x + body->v.x * sinf(1.7f * t),
                           body->start.y + body->v.y * cosf(t));
            break;
        }
        case SD_FLAT_BULLET:
        case SD_FLAT_BLIND_BULLET:
            moveBullet(f, piece, body->kind == SD_FLAT_BULLET);
            break;
        default:
            break;
    }
}

// ---- contacts ------------------------------------------------------------------------------

static bool wasThere(const sdFlatContact* old, int count, const sdFlatContact* c) {
    for (int i = 0; i < count; ++i) {
        if (old[i].a == c->a && old[i].b == c->b && old[i].id == c->id) {
            return true;
        }
    }
    return false;
}

static void collide(sdFlat* f, int a, int b) {
    sdManifold2 m;
    sdTransform2 pose = poseOf(f, a);
    sdTransform2 xf = sdTransform2_Mul(sdTransform2_Inverse(pose), poseOf(f, b));
    int count = sdCollide2(&f->pieces[a].shape, &f->pieces[b].shape, xf, MARGIN, &m);
    for (int i = 0; i < count && f->contactCount < SD_FLAT_MAX_CONTACTS; ++i) {
        sdVec2 pa = m.points[i].pointA, pb = m.points[i].pointB;
        sdVec2 middle = sdV2(0.5f * (pa.x + pb.x), 0.5f * (pa.y + pb.y));
        f->contacts[f->contactCount++] = (sdFlatContact){.a = a,
                                                         .b = b,
                                                         .id = m.points[i].id,
                                                         .p = sdTransform2_Point(pose, middle),
                                                         .n = sdTransform2_Vector(pose, m.normal),
                                                         .separation = m.points[i].separation};
        f->figures.maxPenetration = sdMaxF(f->figures.maxPenetration, -m.points[i].separation);
    }
}

void sdFlat_FindContacts(sdFlat* f) {
    sdFlatContact old[SD_FLAT_MAX_CONTACTS];
    int oldCount = f->contactCount;
    for (int i = 0; i < oldCount; ++i) {
        old[i] = f->contacts[i];
    }
    f->contactCount = 0;
    f->figures.maxPenetration = 0.0f;
    for (int i = 0; i < f->pieceCount; ++i) {
        for (int k = i + 1; k < f->pieceCount; ++k) {
            if (f->pieces[i].body != f->pieces[k].body &&
                f->pieces[i].group == f->pieces[k].group) {
                collide(f, i, k);
            }
        }
    }
    for (int i = 0; i < f->contactCount; ++i) {
        f->contacts[i].isKept = wasThere(old, oldCount, &f->contacts[i]);
    }
}

void sdFlat_Step(sdFlat* f) {
    ++f->step;
    int last = SD_NULL_INDEX;
    for (int i = 0; i < f->pieceCount; ++i) {
        if (f->pieces[i].body != last) {
            last = f->pieces[i].body;
            moveBody(f, i);
        }
    }
    sdFlat_FindContacts(f);
}

int sdFlat_Pick(const sdFlat* f, float x, float y) {
    sdPolygon2 point = sdPolygon2_Circle(sdV2(x, y), 0.0f);
    for (int i = f->pieceCount - 1; i >= 0; --i) {
        sdTransform2 xf = sdTransform2_Inverse(poseOf(f, i));
        if (f->bodies[f->pieces[i].body].kind != SD_FLAT_WALL &&
            sdOverlap2(&f->pieces[i].shape, &point, xf).isOverlapping) {
            return i;
        }
    }
    return SD_NULL_INDEX;
}

void sdFlat_Pull(sdFlat* f, int piece, float localX, float localY, float x, float y) {
    if (piece < 0 || piece >= f->pieceCount || !isfinite(x) || !isfinite(y)) {
        return;
    }
    sdFlatBody* body = &f->bodies[f->pieces[piece].body];
    sdVec2 now = sdTransform2_Point(poseOf(f, piece), sdV2(localX, localY));
    sdVec2 shift = sdV2(x - now.x, y - now.y);
    body->p = sdV2(body->p.x + shift.x, body->p.y + shift.y);
    body->start = sdV2(body->start.x + shift.x, body->start.y + shift.y);
    if (body->kind == SD_FLAT_FREE) {
        body->v = sdV2(0.0f, 0.0f);
        body->spin = 0.0f;
    }
}

// ---- state ---------------------------------------------------------------------------------

/// The parts of a state, one after the other: read or written.
static int passState(sdFlat* f, float* values, bool isWriting) {
    int n = 0;
#define PASS(type, place)                                                                          \
    do {                                                                                           \
        if (values != NULL && isWriting) {                                                         \
            values[n] = (float)(place);                                                            \
        } else if (values != NULL) {                                                               \
            (place) = (type)values[n];                                                             \
        }                                                                                          \
        ++n;                                                                                       \
    } while (0)
    PASS(int, f->step);
    PASS(int, f->figures.hitCount);
    PASS(int, f->figures.passCount);
    PASS(int, f->figures.blindHitCount);
    PASS(int, f->figures.blindPassCount);
    for (int i = 0; i < f->bodyCount; ++i) {
        sdFlatBody* b = &f->bodies[i];
        float* numbers[] = {&b->p.x, &b->p.y,  &b->angle,   &b->v.x,
                            &b->v.y, &b->spin, &b->start.x, &b->start.y};
        for (int k = 0; k < (int)(sizeof numbers / sizeof *numbers); ++k) {
            PASS(float, *numbers[k]);
        }
    }
#undef PASS
    return n;
}

int sdFlat_GetState(const sdFlat* flat, float* out, int capacity) {
    sdFlat copy = *flat;
    int count = passState(&copy, NULL, true);
    if (count <= capacity) {
        passState(&copy, out, true);
    }
    return count;
}

sdResult sdFlat_SetState(sdFlat* f, const float* values, int count) {
    if (count != passState(f, NULL, false)) {
        return sdRender_Fail(&f->context, SD_ERROR_INVALID_ARGUMENT,
                             "sdFlat_SetState: %d values are not a state of this scene", count);
    }
    float own[5 + 8 * SD_FLAT_MAX_BODIES];
    for (int i = 0; i < count; ++i) {
        own[i] = values[i];
    }
    passState(f, own, false);
    sdFlat_FindContacts(f);
    return SD_OK;
}

uint32_t sdFlat_GetHash(const sdFlat* f) {
    float state[5 + 8 * SD_FLAT_MAX_BODIES];
    int count = sdFlat_GetState(f, state, 5 + 8 * SD_FLAT_MAX_BODIES);
    return sdView_HashBytes(state, (size_t)count * sizeof *state);
}

sdFlatFigures sdFlat_GetFigures(const sdFlat* f) {
    return f->figures;
}

// ---- drawing -------------------------------------------------------------------------------

int sdFlat_GetPieceCount(const sdFlat* f) {
    return f->pieceCount;
}

uint32_t sdFlat_GetShapeKey(const sdFlat* f, int piece) {
    (void)f;
    return (uint32_t)piece + 1;
}

/// The outline of a polygon, rounded by its radius.
static int listOutline(const sdPolygon2* shape, sdVec2* out) {
    if (shape->radius <= 0.0f) {
        for (int i = 0; i < shape->count; ++i) {
            out[i] = shape->vertices[i];
        }
        return shape->count;
    }
    for (int i = 0; i < ROUND_CORNERS; ++i) {
        float angle = 2.0f * SD_PI * (float)i / ROUND_CORNERS;
        sdVec2 d = sdV2(cosf(angle), sinf(angle));
        int best = sdProject2(shape->vertices, shape->count, d, SD_PROJECT2_SCAN).upperIndex;
        sdVec2 v = shape->vertices[best];
        out[i] = sdV2(v.x + shape->radius * d.x, v.y + shape->radius * d.y);
    }
    return ROUND_CORNERS;
}

int sdFlat_GetTriangles(const sdFlat* f, int piece, float* out, int capacity) {
    sdVec2 outline[SD_POLYGON2_MAX_VERTICES + ROUND_CORNERS];
    if (piece < 0 || piece >= f->pieceCount) {
        return 0;
    }
    int count = listOutline(&f->pieces[piece].shape, outline), n = 0;
    for (int i = 1; i + 1 < count; ++i) {
        const sdVec2 corners[3] = {outline[0], outline[i], outline[i + 1]};
        for (int k = 0; k < 3; ++k) {
            const float row[SD_VIEW_CORNER_SIZE] = {corners[k].x, corners[k].y, 0.0f,
                                                    0.0f,         0.0f,         1.0f};
            for (int c = 0; c < SD_VIEW_CORNER_SIZE; ++c, ++n) {
                if (n < capacity) {
                    out[n] = row[c];
                }
            }
        }
    }
    return n;
}

static int putRow(float* out, int capacity, int index, const float* row, int size) {
    for (int i = 0; i < size && (index + 1) * size <= capacity; ++i) {
        out[index * size + i] = row[i];
    }
    return (index + 1) * size;
}

int sdFlat_GetPoses(const sdFlat* f, float* out, int capacity) {
    for (int i = 0; i < f->pieceCount; ++i) {
        const sdFlatBody* b = &f->bodies[f->pieces[i].body];
        sdVec2 c = sdTransform2_Point(poseOf(f, i), f->pieces[i].center);
        float type = b->kind == SD_FLAT_WALL ? (float)SD_BODY_STATIC : (float)SD_BODY_DYNAMIC;
        const float row[SD_VIEW_POSE_SIZE] = {
            b->p.x, b->p.y, 0.0f, 0.0f, 0.0f, sinf(0.5f * b->angle), cosf(0.5f * b->angle),
            c.x,    c.y,    0.0f, type, 1.0f};
        putRow(out, capacity, i, row, SD_VIEW_POSE_SIZE);
    }
    return f->pieceCount * SD_VIEW_POSE_SIZE;
}

int sdFlat_GetContacts(const sdFlat* f, float* out, int capacity) {
    for (int i = 0; i < f->contactCount; ++i) {
        const sdFlatContact* c = &f->contacts[i];
        const float row[SD_VIEW_CONTACT_SIZE] = {c->p.x,        c->p.y,     0.02f,
                                                 c->n.x,        c->n.y,     0.0f,
                                                 c->separation, 0.0f,       c->isKept ? 1.0f : 0.0f,
                                                 (float)c->a,   (float)c->b};
        putRow(out, capacity, i, row, SD_VIEW_CONTACT_SIZE);
    }
    return f->contactCount * SD_VIEW_CONTACT_SIZE;
}

int sdFlat_GetBoxes(const sdFlat* f, float* out, int capacity) {
    for (int i = 0; i < f->pieceCount; ++i) {
        sdVec2 outline[SD_POLYGON2_MAX_VERTICES + ROUND_CORNERS];
        int count = listOutline(&f->pieces[i].shape, outline);
        sdVec2 lower = sdV2(FLT_MAX, FLT_MAX), upper = sdV2(-FLT_MAX, -FLT_MAX);
        for (int k = 0; k < count; ++k) {
            sdVec2 p = sdTransform2_Point(poseOf(f, i), outline[k]);
            lower = sdV2(sdMinF(lower.x, p.x), sdMinF(lower.y, p.y));
            upper = sdV2(sdMaxF(upper.x, p.x), sdMaxF(upper.y, p.y));
        }
        const float row[SD_VIEW_BOX_SIZE] = {lower.x, lower.y, 0.0f, upper.x, upper.y, 0.0f};
        putRow(out, capacity, i, row, SD_VIEW_BOX_SIZE);
    }
    return f->pieceCount * SD_VIEW_BOX_SIZE;
}

static int putLine(float* out, int capacity, int index, sdVec2 a, sdVec2 b, float shade) {
    const sdVec2 ends[2] = {a, b};
    for (int i = 0; i < 2; ++i) {
        const float row[SD_VIEW_LINE_SIZE] = {ends[i].x, ends[i].y, 0.01f, shade, shade, shade};
        putRow(out, capacity, 2 * index + i, row, SD_VIEW_LINE_SIZE);
    }
    return index + 1;
}

int sdFlat_GetLines(const sdFlat* f, float* out, int capacity) {
    int count = 0;
    for (int i = 0; i < f->pieceCount; ++i) {
        sdVec2 outline[SD_POLYGON2_MAX_VERTICES + ROUND_CORNERS];
        int n = listOutline(&f->pieces[i].shape, outline);
        for (int k = 0; k < n; ++k) {
            sdVec2 a = sdTransform2_Point(poseOf(f, i), outline[k]);
            sdVec2 b = sdTransform2_Point(poseOf(f, i), outline[(k + 1) % n]);
            count = putLine(out, capacity, count, a, b, 0.1f);
        }
    }
    float w = f->scene->halfWidth, h = f->scene->halfHeight;
    const sdVec2 rim[4] = {{-w, -h}, {w, -h}, {w, h}, {-w, h}};
    for (int k = 0; k < 4; ++k) {
        count = putLine(out, capacity, count, rim[k], rim[(k + 1) % 4], 0.6f);
    }
    return 2 * count * SD_VIEW_LINE_SIZE;
}

sdResult sdFlat_Explain(const sdContext* context, const sdFlat* f, int a, int b,
                        sdExplainMethod method, sdExplanation** out) {
    *out = NULL;
    if (sdMinI(a, b) < 0 || sdMaxI(a, b) >= f->pieceCount) {
        return sdRender_Fail(&f->context, SD_ERROR_INVALID_ARGUMENT,
                             "sdFlat_Explain: there is no piece %d or %d", a, b);
    }
    sdTransform2 pose = poseOf(f, a);
    sdTransform2 xf = sdTransform2_Mul(sdTransform2_Inverse(pose), poseOf(f, b));
    sdResult result = sdExplanation_CreatePlanar(context, &f->pieces[a].shape, &f->pieces[b].shape,
                                                 xf, method, out);
    if (result == SD_OK) {
        float angle = f->bodies[f->pieces[a].body].angle;
        sdQuat q = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), angle);
        sdExplanation_Place(*out, sdTransform_Make(sdV3(pose.p.x, pose.p.y, 0.0f), q));
    }
    return result;
}
