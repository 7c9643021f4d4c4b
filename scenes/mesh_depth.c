// SPDX-License-Identifier: MIT
// mesh_depth.c - see mesh_depth.h.
//
// In:   two shapes in given poses, or all of a world.
// Out:  the greatest depth of a surface point, within a tolerance.
// Note: Distance to a surface changes by no more than the way that a point goes. So the depth at
//       the middle of a triangle bounds that of the whole triangle, and triangles are split only
//       while they may hold a point deeper than the deepest so far (branch and bound).

#include "mesh_depth.h"

#include "sudar/joint.h"
#include "sudar/mesh.h"

/// Splits of one triangle in a row: halves 100 m down to 10 nm. The tolerance ends it earlier.
#define MAX_SPLITS 34
/// Three of four quarters wait for each split.
#define STACK_SIZE (3 * MAX_SPLITS + 4)
/// Of a body, as many joints and shapes are looked at.
#define MAX_JOINTS 64
#define MAX_SHAPES 64

bool sdMeshDepth_IsKnown(const sdShape* shape) {
    return shape->type == SD_SHAPE_BOX || shape->type == SD_SHAPE_HALF_SPACE ||
           (shape->type == SD_SHAPE_MESH && sdMesh_GetReport(shape->mesh)->isSolid);
}

// ---- one surface in one solid --------------------------------------------------------------

/// Points of one surface, looked for in the other solid. All in the other's frame.
typedef struct Search {
    const sdShape* solid;
    sdTransform xf; ///< of the surface
    sdAABB box;     ///< of the solid
    float best, tolerance;
    sdVec3 point;
} Search;

/// Positive inside.
static float depthAt(const sdShape* solid, sdVec3 p) {
    if (solid->type == SD_SHAPE_MESH) {
        return -sdMesh_SignedDistance(solid->mesh, p);
    }
    if (solid->type == SD_SHAPE_HALF_SPACE) {
        return -p.y;
    }
    sdVec3 h = solid->box.halfExtents;
    sdVec3 d = sdV3(sdAbsF(p.x) - h.x, sdAbsF(p.y) - h.y, sdAbsF(p.z) - h.z);
    float inside = sdMinF(sdMaxF(d.x, sdMaxF(d.y, d.z)), 0.0f);
    sdVec3 outside = sdV3(sdMaxF(d.x, 0.0f), sdMaxF(d.y, 0.0f), sdMaxF(d.z, 0.0f));
    return -(inside + sdLength(outside));
}

/// Looks at a point and keeps it when it is the deepest.
static float visit(Search* search, sdVec3 p) {
    float depth = depthAt(search->solid, p);
    // the sign comes from the normal at the nearest point; a second opinion costs little here
    if (depth > search->best &&
        (search->solid->type != SD_SHAPE_MESH || sdMesh_ContainsByParity(search->solid->mesh, p))) {
        search->best = depth;
        search->point = p;
    }
    return depth;
}

/// Whether a box may hold a point that is deep enough: not where the solid's box is not.
static bool mayBeDeep(const Search* search, sdAABB box) {
    float best = search->best;
    return box.upper.x > search->box.lower.x + best && box.lower.x < search->box.upper.x - best &&
           box.upper.y > search->box.lower.y + best && box.lower.y < search->box.upper.y - best &&
           box.upper.z > search->box.lower.z + best && box.lower.z < search->box.upper.z - best;
}

static sdAABB boxOf(const sdVec3 t[3]) {
    return (sdAABB){sdMin(t[0], sdMin(t[1], t[2])), sdMax(t[0], sdMax(t[1], t[2]))};
}

typedef struct Piece {
    sdVec3 corners[3];
} Piece;

static void searchTriangle(Search* search, Piece whole) {
    Piece stack[STACK_SIZE];
    int count = 0;
    stack[count++] = whole;
    while (count > 0) {
        const sdVec3* c = stack[--count].corners;
        sdVec3 a = c[0], b = c[1], d = c[2];
        if (!mayBeDeep(search, boxOf(c))) {
            continue;
        }
        sdVec3 middle = sdScale(1.0f / 3.0f, sdAdd(a, sdAdd(b, d)));
        float radius =
            sqrtf(sdMaxF(sdDistanceSquared(middle, a),
                         sdMaxF(sdDistanceSquared(middle, b), sdDistanceSquared(middle, d))));
        float depth = visit(search, middle);
        if (depth + radius <= search->best + search->tolerance || count + 4 > STACK_SIZE) {
            continue;
        }
        sdVec3 ab = sdScale(0.5f, sdAdd(a, b)), bd = sdScale(0.5f, sdAdd(b, d));
        sdVec3 da = sdScale(0.5f, sdAdd(d, a));
        stack[count++] = (Piece){{a, ab, da}};
        stack[count++] = (Piece){{ab, b, bd}};
        stack[count++] = (Piece){{da, bd, d}};
        stack[count++] = (Piece){{ab, bd, da}};
    }
}

static void searchMesh(Search* search, const sdMesh* surface) {
    sdMeshData data = sdMesh_GetData(surface);
    // corners first: what is deep by them needs no splits
    for (int i = 0; i < data.vertexCount; ++i) {
        sdVec3 p = sdTransformPoint(search->xf, data.vertices[i]);
        if (mayBeDeep(search, (sdAABB){p, p})) {
            visit(search, p);
        }
    }
    for (int i = 0; i < data.triangleCount; ++i) {
        Piece piece;
        for (int k = 0; k < 3; ++k) {
            piece.corners[k] =
                sdTransformPoint(search->xf, data.vertices[data.triangles[3 * i + k]]);
        }
        searchTriangle(search, piece);
    }
}

static void searchBox(Search* search, sdVec3 h) {
    static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    sdVec3 corners[8];
    for (int i = 0; i < 8; ++i) {
        corners[i] = sdTransformPoint(
            search->xf, sdV3(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z));
        visit(search, corners[i]);
    }
    for (int i = 0; i < 6; ++i) {
        const int* f = faces[i];
        searchTriangle(search, (Piece){{corners[f[0]], corners[f[1]], corners[f[2]]}});
        searchTriangle(search, (Piece){{corners[f[0]], corners[f[2]], corners[f[3]]}});
    }
}

/// @return whether a point deeper than `best` was found; then both outputs are set
static bool searchSurface(const sdShape* surface, const sdShape* solid, sdTransform xf,
                          float tolerance, float* best, sdVec3* point) {
    Search search = {.solid = solid,
                     .xf = xf,
                     .box = sdShape_GetBounds(solid, sdTransform_Identity()),
                     .best = *best,
                     .tolerance = tolerance};
    if (solid->type == SD_SHAPE_HALF_SPACE) {
        search.box.upper.y = 0.0f;
    }
    if (surface->type == SD_SHAPE_MESH) {
        searchMesh(&search, surface->mesh);
    } else if (surface->type == SD_SHAPE_BOX) {
        searchBox(&search, surface->box.halfExtents);
    }
    bool isDeeper = search.best > *best;
    *best = search.best;
    *point = isDeeper ? search.point : *point;
    return isDeeper;
}

float sdMeshDepth_OfPair(const sdShape* a, const sdShape* b, sdTransform xfAB, float floor,
                         float tolerance, sdVec3* pointA) {
    float best = floor;
    sdVec3 point = sdV3(0.0f, 0.0f, 0.0f);
    if (!sdMeshDepth_IsKnown(a) || !sdMeshDepth_IsKnown(b)) {
        return best;
    }
    if (searchSurface(a, b, sdInvertXf(xfAB), tolerance, &best, &point)) {
        point = sdTransformPoint(xfAB, point);
    }
    searchSurface(b, a, xfAB, tolerance, &best, &point);
    if (pointA != NULL) {
        *pointA = point;
    }
    return best;
}

// ---- worlds --------------------------------------------------------------------------------

/// A shape where it is.
typedef struct Placed {
    const sdShape* shape;
    sdWorldTransform pose;
    sdVec3 lower, upper; ///< of its box about the pose's position
    sdBodyId body;
    bool isStatic;
    float size;
} Placed;

static bool boxesMeet(const Placed* a, const Placed* b) {
    sdVec3 d = sdPos_Sub(b->pose.p, a->pose.p);
    return a->lower.x <= d.x + b->upper.x && d.x + b->lower.x <= a->upper.x &&
           a->lower.y <= d.y + b->upper.y && d.y + b->lower.y <= a->upper.y &&
           a->lower.z <= d.z + b->upper.z && d.z + b->lower.z <= a->upper.z;
}

static bool isJoined(const sdWorld* world, sdBodyId a, sdBodyId b) {
    sdJointId joints[MAX_JOINTS];
    int count = sdMinI(sdBody_GetJoints(world, a, joints, MAX_JOINTS), MAX_JOINTS);
    for (int i = 0; i < count; ++i) {
        const sdJointDef* def = sdJoint_GetDef(world, joints[i]);
        if (!def->collideConnected && (def->bodyA == b || def->bodyB == b)) {
            return true;
        }
    }
    return false;
}

static Placed place(const sdWorld* world, sdBodyId body, sdShapeId id, sdWorldTransform pose) {
    const sdShapeDef* def = sdShapeId_GetDef(world, id);
    Placed r = {.shape = &def->shape,
                .pose = {sdPos_Add(pose.p, sdRotate(pose.q, def->xf.p)),
                         sdNormalizeQ(sdMulQ(pose.q, def->xf.q))},
                .body = body,
                .isStatic = sdBody_GetType(world, body) == SD_BODY_STATIC};
    sdAABB box = sdShape_GetBounds(r.shape, sdTransform_Make(sdV3(0.0f, 0.0f, 0.0f), r.pose.q));
    r.lower = box.lower;
    r.upper = box.upper;
    // in the shape's own frame, so that it does not depend on the pose
    box = sdShape_GetBounds(r.shape, sdTransform_Identity());
    sdVec3 sides = sdSub(box.upper, box.lower);
    r.size = r.isStatic ? FLT_MAX : sdMaxF(sides.x, sdMaxF(sides.y, sides.z));
    return r;
}

static void measurePair(const sdWorld* world, const Placed* a, const Placed* b, float limit,
                        float tolerance, sdWorldDepth* out) {
    if (a->body == b->body || (a->isStatic && b->isStatic) || !boxesMeet(a, b) ||
        isJoined(world, a->body, b->body)) {
        return;
    }
    if (!sdMeshDepth_IsKnown(a->shape) || !sdMeshDepth_IsKnown(b->shape)) {
        ++out->unknownCount;
        return;
    }
    ++out->pairCount;
    float size = sdMinF(a->size, b->size), floor = sdMinF(out->ratio, limit) * size;
    sdVec3 point;
    float depth =
        sdMeshDepth_OfPair(a->shape, b->shape, sdWorldTransform_Relative(a->pose, b->pose), floor,
                           tolerance * size, &point);
    out->deepCount += depth > limit * size ? 1 : 0;
    if (depth > out->ratio * size) {
        out->ratio = depth / size;
        out->depth = depth;
        out->bodyA = a->body;
        out->bodyB = b->body;
        out->point = sdPos_Add(a->pose.p, sdRotate(a->pose.q, point));
    }
}

static int placeAll(const sdWorld* world, const sdBodyId* bodies, int bodyCount,
                    const sdWorldTransform* poses, Placed* placed) {
    int count = 0;
    for (int i = 0; i < bodyCount; ++i) {
        sdShapeId ids[MAX_SHAPES];
        int shapeCount = sdMinI(sdBody_GetShapes(world, bodies[i], ids, MAX_SHAPES), MAX_SHAPES);
        sdWorldTransform pose = poses != NULL ? poses[i] : sdBody_GetTransform(world, bodies[i]);
        for (int k = 0; k < shapeCount; ++k) {
            placed[count++] = place(world, bodies[i], ids[k], pose);
        }
    }
    return count;
}

bool sdMeshDepth_OfWorld(const sdWorld* world, const sdWorldTransform* poses, float limit,
                         float tolerance, sdWorldDepth* out) {
    *out = (sdWorldDepth){0};
    sdAllocator memory = sdContext_Default().allocator;
    int bodyCount = sdWorld_GetBodies(world, NULL, 0);
    int shapeCount = sdWorld_GetStats(world).shapeCount;
    size_t bodySize = ((size_t)bodyCount + 1) * sizeof(sdBodyId);
    size_t placedSize = ((size_t)shapeCount + 1) * sizeof(Placed);
    sdBodyId* bodies = memory.allocate(memory.user, bodySize, sizeof(sdBodyId));
    Placed* placed = memory.allocate(memory.user, placedSize, 16);
    bool isReady = bodies != NULL && placed != NULL;
    if (isReady) {
        sdWorld_GetBodies(world, bodies, bodyCount);
        int count = placeAll(world, bodies, bodyCount, poses, placed);
        for (int i = 0; i < count; ++i) {
            for (int k = i + 1; k < count; ++k) {
                measurePair(world, &placed[i], &placed[k], limit, tolerance, out);
            }
        }
    }
    if (bodies != NULL) {
        memory.release(memory.user, bodies, bodySize);
    }
    if (placed != NULL) {
        memory.release(memory.user, placed, placedSize);
    }
    return isReady;
}
