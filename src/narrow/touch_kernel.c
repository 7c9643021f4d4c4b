// SPDX-License-Identifier: MIT
// touch_kernel.c - corners and edges that touch, eight at a time.
//
// In:   a tree of samples, a body that is asked for its distance.
// Out:  touches: points, distances, normals.
// Ref:  S2 §3 (samples in the other body's field, edges reduced to their deepest point); Macklin et
//       al., "Local optimization for robust signed distance field collision", 2020.
// Note: a distance never changes by more than the way, so a group whose sphere's centre is further
//       away than its radius has nothing to say. On an edge the deepest point is searched for by
//       halving, downhill. One whose deepest point is an end is left to its corners.

#include "narrow/touch.h"

#include "geometry/field_lanes.h"
#include "geometry/mesh.h"
#include "narrow/distance_lanes.h"

/// Halvings of an edge: its deepest point is found to a sixteenth of half its length.
#define EDGE_STEPS 4
/// The deepest point of an edge is inside of it when it is no nearer to an end than this part of
/// half its length.
#define EDGE_INSIDE 0.9f
/// Squared length of a gradient below which it has no direction: in the middle between surfaces.
#define LEAST_GRADIENT 0.04f

/// By the nearest points of triangles.
static sdF8 meshDistances(const sdTouchQuery* query, sdVec3x8 p, sdF8 within, sdVec3x8* gradient) {
    const sdMesh* mesh = query->target.shape->mesh;
    sdVec3 points[SD_LANES];
    sdMeshPoint nearest[SD_LANES];
    for (int i = 0; i < SD_LANES; ++i) {
        points[i] = sdV3(p.x[i], p.y[i], p.z[i]);
    }
    float most = sdF8_ReduceMax(within) + query->reach;
    sdMesh_ClosestPoints(mesh, points, SD_LANES, most, nearest);
    float distances[SD_LANES], gx[SD_LANES], gy[SD_LANES], gz[SD_LANES];
    for (int i = 0; i < SD_LANES; ++i) {
        if (nearest[i].triangle == SD_NULL_INDEX) {
            distances[i] = most;
            gx[i] = gy[i] = gz[i] = 0.0f;
            continue;
        }
        sdVec3 outward = sdMesh_PseudoNormal(mesh, nearest[i].triangle, nearest[i].region);
        sdVec3 way = sdSub(points[i], nearest[i].point);
        bool isBehind = sdDot(outward, way) < 0.0f && !query->target.isSurface;
        float distance = isBehind ? -nearest[i].distance : nearest[i].distance;
        sdVec3 g = nearest[i].distance > 0.0f ? sdScale(1.0f / distance, way) : outward;
        distances[i] = distance - query->target.skin;
        gx[i] = g.x;
        gy[i] = g.y;
        gz[i] = g.z;
    }
    *gradient = (sdVec3x8){sdF8_Load(gx), sdF8_Load(gy), sdF8_Load(gz)};
    return sdF8_Load(distances);
}

/// @param within distances above this are of no use
static sdF8 distancesAt(const sdTouchQuery* query, sdVec3x8 p, sdF8 within, sdVec3x8* gradient) {
    if (query->target.field != NULL) {
        return sdField_SampleLanes(query->target.field, p, true, gradient);
    }
    return query->target.shape->type == SD_SHAPE_MESH
               ? meshDistances(query, p, within, gradient)
               : sdShape_Distances(query->target.shape, p, gradient);
}

SD_INLINE sdVec3x8 rotate(const sdTouchQuery* query, sdF8 x, sdF8 y, sdF8 z) {
    const sdMat33* m = &query->turn;
    return (sdVec3x8){m->cx.x * x + m->cy.x * y + m->cz.x * z,
                      m->cx.y * x + m->cy.y * y + m->cz.y * z,
                      m->cx.z * x + m->cy.z * y + m->cz.z * z};
}

SD_INLINE sdVec3x8 place(const sdTouchQuery* query, const float* x, const float* y,
                         const float* z) {
    sdVec3x8 p = rotate(query, sdF8_Load(x), sdF8_Load(y), sdF8_Load(z));
    return (sdVec3x8){p.x + query->shift.x, p.y + query->shift.y, p.z + query->shift.z};
}

// ---- the list ------------------------------------------------------------------------------

static void keepDeepest(sdTouchList* out, const sdTouch* touch) {
    out->lostCount += 1;
    int shallowest = 0;
    for (int i = 1; i < SD_MAX_TOUCHES; ++i) {
        shallowest = out->items[i].distance > out->items[shallowest].distance ? i : shallowest;
    }
    if (touch->distance < out->items[shallowest].distance) {
        out->items[shallowest] = *touch;
    }
}

static void addTouches(const sdTouchQuery* query, const sdSampleGroup* group, int mask,
                       uint32_t kind, sdVec3x8 p, sdF8 distance, sdVec3x8 gradient,
                       sdTouchList* out) {
    sdF8 squared = sdVec3x8_Dot(gradient, gradient);
    sdI8 isSloping = sdF8_Less(sdF8_Splat(LEAST_GRADIENT), squared);
    mask &= sdI8_MaskBits(isSloping | sdF8_Less(distance, sdF8_Zero()));
    sdF8 inverse = 1.0f / sdF8_Sqrt(sdF8_Max(squared, sdF8_Splat(LEAST_GRADIENT)));
    inverse = sdF8_Select(isSloping, inverse, sdF8_Zero());
    for (; mask != 0; mask &= mask - 1) {
        int i = __builtin_ctz((unsigned)mask);
        if (group->id[i] == SD_NULL_INDEX) {
            continue;
        }
        sdTouch touch = {
            .point = sdV3(p.x[i], p.y[i], p.z[i]),
            .normal = sdScale(inverse[i], sdV3(gradient.x[i], gradient.y[i], gradient.z[i])),
            .distance = distance[i] - query->radius,
            .id = 2u * (uint32_t)group->id[i] + kind,
        };
        touch.point = sdMulAdd(touch.point, -query->radius, touch.normal);
        if (out->count < SD_MAX_TOUCHES) {
            out->items[out->count++] = touch;
        } else {
            keepDeepest(out, &touch);
        }
    }
}

// ---- leaves --------------------------------------------------------------------------------

static void findCorners(const sdTouchQuery* query, const sdSampleGroup* group, sdTouchList* out) {
    sdVec3x8 p = place(query, group->x, group->y, group->z), gradient;
    sdF8 within = sdF8_Splat(query->margin + query->radius);
    sdF8 distance = distancesAt(query, p, within, &gradient);
    int mask = sdI8_MaskBits(sdF8_LessEqual(distance, within));
    if (mask != 0) {
        addTouches(query, group, mask, 0, p, distance, gradient, out);
    }
}

/// Where on eight edges the distance is least.
typedef struct Deepest {
    sdF8 at; ///< -1 .. 1 along the edge
    sdF8 distance;
    sdVec3x8 point, gradient;
} Deepest;

SD_INLINE void takeDeeper(Deepest* best, sdF8 at, sdF8 distance, sdVec3x8 point,
                          sdVec3x8 gradient) {
    sdI8 isDeeper = sdF8_Less(distance, best->distance);
    best->at = sdF8_Select(isDeeper, at, best->at);
    best->distance = sdF8_Select(isDeeper, distance, best->distance);
    best->point.x = sdF8_Select(isDeeper, point.x, best->point.x);
    best->point.y = sdF8_Select(isDeeper, point.y, best->point.y);
    best->point.z = sdF8_Select(isDeeper, point.z, best->point.z);
    best->gradient.x = sdF8_Select(isDeeper, gradient.x, best->gradient.x);
    best->gradient.y = sdF8_Select(isDeeper, gradient.y, best->gradient.y);
    best->gradient.z = sdF8_Select(isDeeper, gradient.z, best->gradient.z);
}

static void findEdges(const sdTouchQuery* query, const sdSampleGroup* group, sdTouchList* out) {
    sdVec3x8 middle = place(query, group->x, group->y, group->z), gradient;
    sdVec3x8 half = rotate(query, sdF8_Load(group->hx), sdF8_Load(group->hy), sdF8_Load(group->hz));
    sdF8 length = sdF8_Sqrt(sdVec3x8_Dot(half, half));
    sdF8 within = sdF8_Splat(query->margin + query->radius);
    sdF8 distance = distancesAt(query, middle, within + length, &gradient);
    if (!sdI8_Any(sdF8_LessEqual(distance, within + length))) {
        return;
    }
    Deepest best = {sdF8_Zero(), distance, middle, gradient};
    sdF8 at = sdF8_Zero(), step = sdF8_Splat(0.5f);
    for (int i = 0; i < EDGE_STEPS; ++i) {
        sdF8 slope = sdVec3x8_Dot(gradient, half);
        at -= sdF8_Select(sdF8_Equal(slope, sdF8_Zero()), sdF8_Zero(), sdLanes_Sign(slope) * step);
        sdVec3x8 p = sdVec3x8_MulAdd(middle, at, half);
        distance = distancesAt(query, p, within + length, &gradient);
        takeDeeper(&best, at, distance, p, gradient);
        // the way that is left is as long as this step
        if (!sdI8_Any(sdF8_LessEqual(distance, within + step * length) |
                      sdF8_LessEqual(best.distance, within))) {
            return;
        }
        step *= 0.5f;
    }
    sdI8 isTouching = sdF8_LessEqual(best.distance, within) &
                      sdF8_Less(sdF8_Abs(best.at), sdF8_Splat(EDGE_INSIDE));
    if (!sdI8_Any(isTouching)) {
        return;
    }
    // an edge that lies flat is as deep at its ends
    sdF8 one = sdF8_Splat(1.0f);
    sdF8 first =
        distancesAt(query, sdVec3x8_MulAdd(middle, -one, half), within + length, &gradient);
    sdF8 second =
        distancesAt(query, sdVec3x8_MulAdd(middle, one, half), within + length, &gradient);
    isTouching &= sdF8_Less(best.distance, sdF8_Min(first, second));
    int mask = sdI8_MaskBits(isTouching);
    if (mask != 0) {
        addTouches(query, group, mask, 1, best.point, best.distance, best.gradient, out);
    }
}

// ---- the tree ------------------------------------------------------------------------------

typedef struct Node {
    int level, group;
} Node;

static void findInGroup(const sdTouchQuery* query, const sdSampleTree* tree, int group,
                        sdTouchList* out) {
    if (tree->hasEdges) {
        findEdges(query, &tree->groups[group], out);
    } else {
        findCorners(query, &tree->groups[group], out);
    }
}

void SD_KERNEL(sdTouchQuery_Find)(const sdTouchQuery* query, const sdSampleTree* tree,
                                  sdTouchList* out) {
    for (int i = 0; tree->levelCount == 0 && i < tree->groupCount; ++i) {
        findInGroup(query, tree, i, out);
    }
    Node stack[SD_SAMPLE_MAX_LEVELS * SD_LANES];
    int depth = 0;
    if (tree->levelCount > 0) {
        stack[depth++] = (Node){tree->levelCount - 1, 0};
    }
    float reach = query->margin + query->radius + query->slack;
    while (depth > 0) {
        Node node = stack[--depth];
        const sdSphereGroup* spheres = &tree->spheres[tree->levelStarts[node.level] + node.group];
        sdVec3x8 center = place(query, spheres->x, spheres->y, spheres->z), gradient;
        sdF8 within = sdF8_Load(spheres->radius) + reach;
        sdF8 distance = distancesAt(query, center, within, &gradient);
        int mask = sdI8_MaskBits(sdF8_LessEqual(distance, within));
        for (; mask != 0; mask &= mask - 1) {
            int child = node.group * SD_LANES + __builtin_ctz((unsigned)mask);
            if (node.level == 0) {
                findInGroup(query, tree, child, out);
            } else {
                stack[depth++] = (Node){node.level - 1, child};
            }
        }
    }
}
