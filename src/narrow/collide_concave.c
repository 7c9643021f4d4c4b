// SPDX-License-Identifier: MIT
// collide_concave.c - meshes that may move against each other and everything else.
//
// In:   two shapes, a margin.
// Out:  manifolds. Each body's corners and edges were tried against the other's distance.
// Ref:  S2 §3.
// Note: samples of convex shapes are made on the way, 64 at a time. Round shapes have samples with
//       a radius: a ball is a point, a capsule an edge.

#include "narrow/collide_concave.h"

#include "geometry/concave.h"
#include "geometry/field.h"
#include "geometry/mesh.h"
#include "math/trig.h"

/// Groups of samples of a convex shape that are looked at together.
#define CHUNK_GROUPS 8
/// Corners on the rim of a cylinder or cone.
#define RIM_COUNT 24
/// Depth up to which triangles are looked for, as a part of the other body's size.
#define TRIANGLE_REACH 0.25f

/// A pair, one of its bodies being asked for distances.
typedef struct Sampling {
    sdTouchQuery query;
    sdTouchList* touches;
    int cornerCount, edgeCount; ///< waiting in the chunks
    sdSampleGroup corners[CHUNK_GROUPS];
    sdSampleGroup edges[CHUNK_GROUPS];
} Sampling;

// ---- samples of convex shapes --------------------------------------------------------------

static void flushChunk(Sampling* sampling, sdSampleGroup* groups, int* count, bool hasEdges) {
    sdSampleTree list = {
        .count = *count,
        .hasEdges = hasEdges,
        .groupCount = (*count + SD_LANES - 1) / SD_LANES,
        .groups = groups,
    };
    for (int i = *count; i < list.groupCount * SD_LANES; ++i) {
        sdSampleGroup* group = &groups[i / SD_LANES];
        int lane = i % SD_LANES;
        group->x[lane] = group->y[lane] = group->z[lane] = 0.0f;
        group->hx[lane] = group->hy[lane] = group->hz[lane] = 0.0f;
        group->id[lane] = SD_NULL_INDEX;
    }
    SD_DISPATCH(sdTouchQuery_Find)(&sampling->query, &list, sampling->touches);
    *count = 0;
}

static void addSample(Sampling* sampling, sdVec3 middle, sdVec3 half, int id, bool isEdge) {
    sdSampleGroup* groups = isEdge ? sampling->edges : sampling->corners;
    int* count = isEdge ? &sampling->edgeCount : &sampling->cornerCount;
    sdSampleGroup* group = &groups[*count / SD_LANES];
    int lane = *count % SD_LANES;
    group->x[lane] = middle.x;
    group->y[lane] = middle.y;
    group->z[lane] = middle.z;
    group->hx[lane] = half.x;
    group->hy[lane] = half.y;
    group->hz[lane] = half.z;
    group->id[lane] = id;
    *count += 1;
    if (*count == CHUNK_GROUPS * SD_LANES) {
        flushChunk(sampling, groups, count, isEdge);
    }
}

static void addCorner(Sampling* sampling, sdVec3 p, int id) {
    addSample(sampling, p, sdV3(0.0f, 0.0f, 0.0f), id, false);
}

static void addEdge(Sampling* sampling, sdVec3 a, sdVec3 b, int id) {
    addSample(sampling, sdScale(0.5f, sdAdd(a, b)), sdScale(0.5f, sdSub(b, a)), id, true);
}

static void addBox(Sampling* sampling, sdVec3 h) {
    sdVec3 corners[8];
    for (int i = 0; i < 8; ++i) {
        corners[i] =
            sdV3((i & 1) != 0 ? h.x : -h.x, (i & 2) != 0 ? h.y : -h.y, (i & 4) != 0 ? h.z : -h.z);
        addCorner(sampling, corners[i], i);
    }
    for (int i = 0; i < 8; ++i) {
        for (int axis = 1; axis < 8; axis *= 2) {
            if ((i & axis) == 0) {
                addEdge(sampling, corners[i], corners[i | axis], 8 * i + axis);
            }
        }
    }
}

/// @param top of the axis, or of a second rim when topRadius > 0
static void addRims(Sampling* sampling, float half, float radius, float topRadius) {
    sdVec3 lower[RIM_COUNT + 1], upper[RIM_COUNT + 1];
    for (int i = 0; i <= RIM_COUNT; ++i) {
        float angle = 6.28318531f * (float)(i % RIM_COUNT) / (float)RIM_COUNT;
        float c = sdCos(angle), s = sdSin(angle);
        lower[i] = sdV3(radius * c, -half, radius * s);
        upper[i] = sdV3(topRadius * c, half, topRadius * s);
    }
    for (int i = 0; i < RIM_COUNT; ++i) {
        addCorner(sampling, lower[i], i);
        addEdge(sampling, lower[i], lower[i + 1], i);
        addEdge(sampling, lower[i], upper[i], RIM_COUNT + i);
        if (topRadius > 0.0f) {
            addCorner(sampling, upper[i], RIM_COUNT + i);
            addEdge(sampling, upper[i], upper[i + 1], 2 * RIM_COUNT + i);
        }
    }
    if (!(topRadius > 0.0f)) {
        addCorner(sampling, upper[0], RIM_COUNT);
    }
}

static void addHull(Sampling* sampling, const sdHull* hull) {
    int vertexCount, edgeCount;
    const sdVec3* vertices = sdHull_GetVertices(hull, &vertexCount);
    const sdHalfEdge* edges = sdHull_GetEdges(hull, &edgeCount);
    for (int i = 0; i < vertexCount; ++i) {
        addCorner(sampling, vertices[i], i);
    }
    for (int i = 0; i < edgeCount; ++i) {
        int from = edges[i].origin, to = edges[edges[i].twin].origin;
        if (from < to) {
            addEdge(sampling, vertices[from], vertices[to], i);
        }
    }
}

static void addTriangle(Sampling* sampling, const sdTriangle* triangle) {
    for (int i = 0; i < 3; ++i) {
        addCorner(sampling, triangle->vertices[i], i);
        addEdge(sampling, triangle->vertices[i], triangle->vertices[(i + 1) % 3], i);
    }
}

static void addCapsule(Sampling* sampling, float half, float radius) {
    sdVec3 end = sdV3(0.0f, half, 0.0f);
    sampling->query.radius = radius;
    addCorner(sampling, end, 0);
    addCorner(sampling, sdNeg(end), 1);
    addEdge(sampling, sdNeg(end), end, 0);
}

// ---- samples of plain meshes ---------------------------------------------------------------

/// The triangles of a static mesh that are near the other body.
typedef struct Nearby {
    Sampling* sampling;
    const sdMesh* mesh;
} Nearby;

static bool addMeshTriangle(void* arg, int index) {
    const Nearby* nearby = arg;
    const sdMesh* mesh = nearby->mesh;
    const int32_t* t = mesh->triangles + 3 * (size_t)index;
    const int32_t* edges = mesh->triangleEdges + 3 * (size_t)index;
    for (int i = 0; i < 3; ++i) {
        // whoever has the lower index shows what two triangles share
        const sdMeshEdge* edge = edges[i] != SD_NULL_INDEX ? &mesh->edges[edges[i]] : NULL;
        if (edge == NULL || !edge->isConvex || edge->triangles[0] != index) {
            continue;
        }
        sdVec3 a = mesh->vertices[edge->vertices[0]], b = mesh->vertices[edge->vertices[1]];
        addEdge(nearby->sampling, a, b, edges[i]);
    }
    for (int i = 0; i < 3; ++i) {
        addCorner(nearby->sampling, mesh->vertices[t[i]], t[i]);
    }
    return true;
}

static void addMesh(Sampling* sampling, const sdMesh* mesh, sdAABB box) {
    Nearby nearby = {sampling, mesh};
    sdMesh_QueryBox(mesh, box, addMeshTriangle, &nearby);
}

// ---- one way -------------------------------------------------------------------------------

static sdTouchTarget targetOf(const sdShape* shape) {
    if (shape->type != SD_SHAPE_MESH) {
        return (sdTouchTarget){.shape = shape};
    }
    const sdField* field = shape->concave != NULL ? shape->concave->field : NULL;
    // a mesh that may move and has no field has two sides; one that is static has a front
    bool isSurface = shape->concave != NULL && field == NULL;
    return (sdTouchTarget){
        .shape = shape,
        .field = field,
        .isSurface = isSurface,
        .skin = isSurface ? sdConcave_GetSkin(shape->concave) : 0.0f,
    };
}

/// Triangles and single points have no distance that could be asked for.
static bool hasDistance(const sdShape* shape) {
    return shape->type != SD_SHAPE_TRIANGLE;
}

static float sizeOf(const sdShape* shape) {
    sdAABB box = sdShape_GetBounds(shape, sdTransform_Identity());
    return sdLength(sdSub(box.upper, box.lower));
}

/// Show a body's samples to a target.
/// @param xf of the samples in the target's frame
static void sample(const sdShape* shape, const sdShape* target, sdTransform xf, float margin,
                   sdTouchList* touches) {
    if (!hasDistance(target) || shape->type == SD_SHAPE_HALF_SPACE) {
        return;
    }
    Sampling sampling;
    sampling.query = (sdTouchQuery){
        .target = targetOf(target),
        .turn = sdQuat_ToMatrix(xf.q),
        .shift = xf.p,
        .margin = margin,
    };
    const sdField* field = sampling.query.target.field;
    if (field != NULL) {
        sampling.query.slack = field->grid.cellSize;
    } else if (target->type == SD_SHAPE_MESH && !sampling.query.target.isSurface) {
        sampling.query.reach = TRIANGLE_REACH * sizeOf(shape);
    }
    sampling.touches = touches;
    sampling.cornerCount = sampling.edgeCount = 0;
    switch (shape->type) {
        case SD_SHAPE_MESH:
            if (shape->concave != NULL) {
                SD_DISPATCH(sdTouchQuery_Find)(&sampling.query, &shape->concave->corners, touches);
                SD_DISPATCH(sdTouchQuery_Find)(&sampling.query, &shape->concave->edges, touches);
            } else {
                sdAABB box = sdShape_GetBounds(target, sdInvertXf(xf));
                addMesh(&sampling, shape->mesh, sdAABB_Grow(box, margin));
            }
            break;
        case SD_SHAPE_SPHERE:
            addCapsule(&sampling, 0.0f, shape->sphere.radius);
            sampling.edgeCount = 0;
            sampling.cornerCount = 1;
            break;
        case SD_SHAPE_CAPSULE:
            addCapsule(&sampling, shape->capsule.halfLength, shape->capsule.radius);
            break;
        case SD_SHAPE_BOX:
            addBox(&sampling, shape->box.halfExtents);
            break;
        case SD_SHAPE_CYLINDER:
            addRims(&sampling, shape->cylinder.halfHeight, shape->cylinder.radius,
                    shape->cylinder.radius);
            break;
        case SD_SHAPE_CONE:
            addRims(&sampling, shape->cone.halfHeight, shape->cone.radius, 0.0f);
            break;
        case SD_SHAPE_HULL:
            addHull(&sampling, shape->hull);
            break;
        case SD_SHAPE_TRIANGLE:
            addTriangle(&sampling, &shape->triangle);
            break;
        default:
            break;
    }
    flushChunk(&sampling, sampling.corners, &sampling.cornerCount, false);
    flushChunk(&sampling, sampling.edges, &sampling.edgeCount, true);
}

// ---- both ways -----------------------------------------------------------------------------

/// Depth, as a part of the wall, beyond which the nearest side need not be the right one.
#define DEEP_PART 0.3f
/// Cosine with the normal of the step before above which it is.
#define SAME_SIDE 0.3f

/// Cosine of the angle, 18 degrees, within which two normals are of the same face.
#define SAME_FACE 0.95f
/// How many times as deep a point may be below the face of the step before as below the nearest.
#define KEEP_FACE 2.0f

/// Highest bit of the ids of B's samples.
#define SIDE_BIT 0x80000000u

float sdConcave_Distance(const sdShape* a, const sdShape* b, sdTransform xfAB, float within) {
    sdTouchList touches;
    touches.count = touches.lostCount = 0;
    sample(b, a, xfAB, within, &touches);
    sample(a, b, sdInvertXf(xfAB), within, &touches);
    float least = within;
    for (int i = 0; i < touches.count; ++i) {
        least = sdMinF(least, touches.items[i].distance);
    }
    return least;
}

static float wallOf(const sdShape* shape) {
    return shape->concave != NULL && shape->concave->field != NULL ? shape->concave->wall : 0.0f;
}

/// The normal that the pair had near a point, if it had one.
static bool recallNormal(const sdMeetingMemory* memory, sdVec3 point, float within, sdVec3* out) {
    float least = within * within;
    bool isKnown = false;
    for (int i = 0; memory != NULL && i < memory->pointCount; ++i) {
        float distance = sdDistanceSquared(memory->points[i], point);
        if (distance < least) {
            least = distance;
            *out = memory->normals[memory->normalOf[i]];
            isKnown = true;
        }
    }
    return isKnown;
}

/// A point that is deep in a wall goes back the way it came, not out on the far side.
/// @param wall thickness of the body that it is in; 0: not known
/// @return false when there is no telling
static bool turnBack(sdMeeting* meeting, float wall, const sdMeetingMemory* memory) {
    bool isLost = sdLengthSquared(meeting->normal) == 0.0f;
    if (!isLost && !(meeting->separation < -DEEP_PART * wall)) {
        return true;
    }
    sdVec3 entry;
    if (!recallNormal(memory, meeting->pointA, wall, &entry)) {
        return !isLost;
    }
    float cosine = sdDot(entry, meeting->normal);
    if (cosine < SAME_SIDE) {
        // beyond the middle the way back is the longer one
        float depth = cosine < 0.0f ? wall + meeting->separation : -meeting->separation;
        meeting->separation = -sdMaxF(depth, 0.5f * wall);
        meeting->normal = entry;
        meeting->pointB = sdMulAdd(meeting->pointA, meeting->separation, entry);
    }
    return true;
}

/// Near an edge of the body that it is in, a point is about equally deep below two faces. It stays
/// with that of the step before until the other is clearly nearer: what changes sides for nothing
/// never comes to rest.
static void keepFace(sdMeeting* meeting, const sdMeetingMemory* memory) {
    int k = 0, count = memory != NULL && meeting->separation < 0.0f ? memory->pointCount : 0;
    while (k < count && memory->ids[k] != meeting->id) {
        ++k;
    }
    if (k >= count) {
        return;
    }
    sdVec3 normal = memory->normals[memory->normalOf[k]];
    bool isOfB = (meeting->id & SIDE_BIT) != 0;
    sdVec3 face = memory->points[k]; // of A, or of B, in which the sample is
    if (!isOfB) {
        face = sdTransformPoint(memory->change, sdMulAdd(face, memory->separations[k], normal));
        normal = sdRotate(memory->change.q, normal);
    }
    if (sdDot(normal, meeting->normal) > SAME_FACE) {
        return;
    }
    float separation = isOfB ? sdDot(normal, sdSub(meeting->pointB, face))
                             : sdDot(normal, sdSub(face, meeting->pointA));
    if (separation < 0.0f && separation >= KEEP_FACE * meeting->separation) {
        meeting->normal = normal;
        meeting->separation = separation;
        if (isOfB) {
            meeting->pointA = sdMulAdd(meeting->pointB, -separation, normal);
        } else {
            meeting->pointB = sdMulAdd(meeting->pointA, separation, normal);
        }
    }
}

/// How far apart the points will be at the end of the step; they do not move away for long.
static float separationAhead(const sdMeeting* meeting, const sdMeetingMemory* memory,
                             sdVec3 originB) {
    if (memory == NULL) {
        return meeting->separation;
    }
    sdVec3 arm = sdSub(meeting->pointB, originB);
    sdVec3 way = sdAdd(memory->motion, sdCross(memory->rotation, arm));
    return meeting->separation + sdMinF(sdDot(meeting->normal, way), 0.0f);
}

int sdConcave_Collide(const sdShape* a, const sdShape* b, sdTransform xfAB, float margin,
                      const sdMeetingMemory* memory, sdManifold* out, int capacity) {
    sdTouchList touches;
    sdMeeting meetings[2 * SD_MAX_TOUCHES];
    int count = 0;
    // B's samples in A's distance; the gradient points from A to B
    touches.count = touches.lostCount = 0;
    sample(b, a, xfAB, margin, &touches);
    for (int i = 0; i < touches.count; ++i) {
        const sdTouch* touch = &touches.items[i];
        meetings[count] = (sdMeeting){
            .pointA = sdMulAdd(touch->point, -touch->distance, touch->normal),
            .pointB = touch->point,
            .normal = touch->normal,
            .separation = touch->distance,
            .id = touch->id | SIDE_BIT,
        };
        count += turnBack(&meetings[count], wallOf(a), memory);
    }
    touches.count = touches.lostCount = 0;
    sample(a, b, sdInvertXf(xfAB), margin, &touches);
    for (int i = 0; i < touches.count; ++i) {
        const sdTouch* touch = &touches.items[i];
        sdVec3 normal = sdNeg(sdRotate(xfAB.q, touch->normal));
        sdVec3 point = sdTransformPoint(xfAB, touch->point);
        meetings[count] = (sdMeeting){
            .pointA = point,
            .pointB = sdMulAdd(point, touch->distance, normal),
            .normal = normal,
            .separation = touch->distance,
            .id = touch->id & ~SIDE_BIT,
        };
        count += turnBack(&meetings[count], wallOf(b), memory);
    }
    for (int i = 0; i < count; ++i) {
        keepFace(&meetings[i], memory);
        meetings[i].ahead = separationAhead(&meetings[i], memory, xfAB.p);
    }
    return sdMeetings_MakePatches(meetings, count, margin, memory, out, capacity);
}
