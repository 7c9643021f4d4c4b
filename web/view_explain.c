// SPDX-License-Identifier: MIT
// view_explain.c - two bodies of a world, explained: which parts of them, and where they are.
//
// In:   a world between two steps, two of its bodies.
// Out:  an explanation whose marks are in the world's frame.
// Note: of bodies with many parts it is the pair that is deepest in each other, or nearest. A mesh
//       stands in as its hull.

#include "view.h"

#define MAX_PARTS 64

typedef struct Part {
    sdShape shape;
    sdTransform xf; ///< in the body's frame
} Part;

typedef struct Parts {
    Part items[MAX_PARTS];
    sdHull* hulls[MAX_PARTS]; ///< that were made for meshes
    int count, hullCount;
} Parts;

static void addPart(Parts* parts, const sdShape* shape, sdTransform xf) {
    if (parts->count == MAX_PARTS) {
        return;
    }
    sdShape own = *shape;
    if (shape->type == SD_SHAPE_MESH) {
        sdHullDef def = sdHullDef_Default();
        sdMeshData data = sdMesh_GetData(shape->mesh);
        def.points = data.vertices;
        def.pointCount = data.vertexCount;
        sdHull* hull;
        if (sdHull_Create(NULL, &def, &hull) != SD_OK) {
            return;
        }
        parts->hulls[parts->hullCount++] = hull;
        own = sdShape_Hull(hull);
    }
    parts->items[parts->count++] = (Part){own, xf};
}

static void listParts(const sdWorld* world, sdBodyId body, Parts* parts) {
    sdShapeId shapes[MAX_PARTS];
    int count = sdMinI(MAX_PARTS, sdBody_GetShapes(world, body, shapes, MAX_PARTS));
    for (int i = 0; i < count; ++i) {
        const sdShapeDef* def = sdShapeId_GetDef(world, shapes[i]);
        if (def->shape.type != SD_SHAPE_COMPOUND) {
            addPart(parts, &def->shape, def->xf);
            continue;
        }
        int childCount;
        const sdCompoundChild* children = sdCompound_GetChildren(def->shape.compound, &childCount);
        for (int k = 0; k < childCount; ++k) {
            addPart(parts, &children[k].shape, sdMulXf(def->xf, children[k].xf));
        }
    }
}

static void freeParts(Parts* parts) {
    for (int i = 0; i < parts->hullCount; ++i) {
        sdHull_Release(parts->hulls[i]);
    }
}

/// B's frame in A's, in double where it counts.
static sdTransform between(sdWorldTransform a, sdWorldTransform b) {
    sdVec3 p = sdInvRotate(a.q, sdPos_Sub(b.p, a.p));
    return sdTransform_Make(p, sdMulQ(sdConjugate(a.q), b.q));
}

sdResult sdView_Explain(const sdContext* context, const sdWorld* world, sdBodyId a, sdBodyId b,
                        sdExplainMethod method, sdExplanation** out) {
    sdWorldTransform poseA = sdBody_GetTransform(world, a), poseB = sdBody_GetTransform(world, b);
    sdTransform xfAB = between(poseA, poseB);
    Parts ofA = {.count = 0}, ofB = {.count = 0};
    listParts(world, a, &ofA);
    listParts(world, b, &ofB);
    sdTransform best = sdTransform_Identity();
    int bestA = SD_NULL_INDEX, bestB = SD_NULL_INDEX;
    float least = 0.0f;
    for (int i = 0; i < ofA.count; ++i) {
        for (int k = 0; k < ofB.count; ++k) {
            sdTransform xf = sdInvMulXf(ofA.items[i].xf, sdMulXf(xfAB, ofB.items[k].xf));
            float s = sdPenetration(&ofA.items[i].shape, &ofB.items[k].shape, xf, NULL).separation;
            if (bestA == SD_NULL_INDEX || s < least) {
                least = s;
                best = xf;
                bestA = i;
                bestB = k;
            }
        }
    }
    sdResult result = SD_ERROR_INVALID_ARGUMENT;
    if (bestA != SD_NULL_INDEX) {
        result = sdExplanation_Create(context, &ofA.items[bestA].shape, &ofB.items[bestB].shape,
                                      best, method, out);
    }
    if (result == SD_OK) {
        sdVec3 p = sdV3((float)poseA.p.x, (float)poseA.p.y, (float)poseA.p.z);
        sdExplanation_Place(*out, sdMulXf(sdTransform_Make(p, poseA.q), ofA.items[bestA].xf));
    }
    freeParts(&ofA);
    freeParts(&ofB);
    return result;
}
