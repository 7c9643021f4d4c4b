// SPDX-License-Identifier: MIT
// shape.c - shapes as values: making, naming, checking, boxes.
//
// Note: boxes are closed forms; a curved primitive is never replaced by a polyhedron.

#include "geometry/shape.h"

#include "geometry/compound.h"
#include "geometry/concave.h"

// ---- making --------------------------------------------------------------------------------

sdShape sdShape_Sphere(float radius) {
    return (sdShape){.type = SD_SHAPE_SPHERE, .sphere = {radius}};
}

sdShape sdShape_Capsule(float halfLength, float radius) {
    return (sdShape){.type = SD_SHAPE_CAPSULE, .capsule = {halfLength, radius}};
}

sdShape sdShape_Box(float halfX, float halfY, float halfZ) {
    return (sdShape){.type = SD_SHAPE_BOX, .box = {{halfX, halfY, halfZ}}};
}

sdShape sdShape_Cylinder(float halfHeight, float radius) {
    return (sdShape){.type = SD_SHAPE_CYLINDER, .cylinder = {halfHeight, radius}};
}

sdShape sdShape_Cone(float halfHeight, float radius) {
    return (sdShape){.type = SD_SHAPE_CONE, .cone = {halfHeight, radius}};
}

sdShape sdShape_Triangle(sdVec3 a, sdVec3 b, sdVec3 c) {
    return (sdShape){.type = SD_SHAPE_TRIANGLE, .triangle = {{a, b, c}}};
}

sdShape sdShape_Hull(const sdHull* hull) {
    return (sdShape){.type = SD_SHAPE_HULL, .hull = hull};
}

sdShape sdShape_HalfSpace(void) {
    return (sdShape){.type = SD_SHAPE_HALF_SPACE};
}

sdShape sdShape_Mesh(const sdMesh* mesh) {
    return (sdShape){.type = SD_SHAPE_MESH, .mesh = mesh};
}

sdShape sdShape_Compound(const sdCompound* compound) {
    return (sdShape){.type = SD_SHAPE_COMPOUND, .compound = compound};
}

// ---- asking --------------------------------------------------------------------------------

const char* sdShapeType_Name(sdShapeType type) {
    static const char* const names[SD_SHAPE_TYPE_COUNT] = {
        [SD_SHAPE_SPHERE] = "sphere", [SD_SHAPE_CAPSULE] = "capsule",
        [SD_SHAPE_BOX] = "box",       [SD_SHAPE_CYLINDER] = "cylinder",
        [SD_SHAPE_CONE] = "cone",     [SD_SHAPE_TRIANGLE] = "triangle",
        [SD_SHAPE_HULL] = "hull",     [SD_SHAPE_HALF_SPACE] = "half-space",
        [SD_SHAPE_MESH] = "mesh",     [SD_SHAPE_COMPOUND] = "compound",
    };
    return (int)type >= 0 && type < SD_SHAPE_TYPE_COUNT ? names[type] : "unknown";
}

static bool isSize(float size) {
    return size >= 0.0f && sdIsFinite(size);
}

bool sdShape_IsValid(const sdShape* shape) {
    if (shape == NULL) {
        return false;
    }
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            return isSize(shape->sphere.radius);
        case SD_SHAPE_CAPSULE:
            return isSize(shape->capsule.halfLength) && isSize(shape->capsule.radius);
        case SD_SHAPE_BOX:
            return isSize(shape->box.halfExtents.x) && isSize(shape->box.halfExtents.y) &&
                   isSize(shape->box.halfExtents.z);
        case SD_SHAPE_CYLINDER:
            return isSize(shape->cylinder.halfHeight) && isSize(shape->cylinder.radius);
        case SD_SHAPE_CONE:
            return isSize(shape->cone.halfHeight) && isSize(shape->cone.radius);
        case SD_SHAPE_TRIANGLE:
            return sdVec3_IsFinite(shape->triangle.vertices[0]) &&
                   sdVec3_IsFinite(shape->triangle.vertices[1]) &&
                   sdVec3_IsFinite(shape->triangle.vertices[2]);
        case SD_SHAPE_HULL:
            return shape->hull != NULL;
        case SD_SHAPE_HALF_SPACE:
            return true;
        case SD_SHAPE_MESH:
            return shape->mesh != NULL &&
                   (shape->concave == NULL || shape->concave->mesh == shape->mesh);
        case SD_SHAPE_COMPOUND:
            return shape->compound != NULL;
        case SD_SHAPE_TYPE_COUNT:
            break;
    }
    return false;
}

bool sdShape_IsConvex(const sdShape* shape) {
    return shape != NULL && (int)shape->type >= 0 && shape->type < SD_SHAPE_HALF_SPACE;
}

// ---- references ----------------------------------------------------------------------------

void sdShape_Retain(const sdShape* shape) {
    if (shape->type == SD_SHAPE_HULL) {
        sdHull_Retain(shape->hull);
    } else if (shape->type == SD_SHAPE_MESH && shape->concave != NULL) {
        // it keeps the mesh
        sdConcave_Retain(shape->concave);
    } else if (shape->type == SD_SHAPE_MESH) {
        sdMesh_Retain(shape->mesh);
    } else if (shape->type == SD_SHAPE_COMPOUND) {
        sdCompound_Retain(shape->compound);
    }
}

void sdShape_Release(const sdShape* shape) {
    if (shape->type == SD_SHAPE_HULL) {
        sdHull_Release(shape->hull);
    } else if (shape->type == SD_SHAPE_MESH && shape->concave != NULL) {
        sdConcave_Release(shape->concave);
    } else if (shape->type == SD_SHAPE_MESH) {
        sdMesh_Release(shape->mesh);
    } else if (shape->type == SD_SHAPE_COMPOUND) {
        sdCompound_Release(shape->compound);
    }
}

// ---- boxes ---------------------------------------------------------------------------------

static sdAABB boxAround(sdVec3 center, sdVec3 halfExtents) {
    return (sdAABB){sdSub(center, halfExtents), sdAdd(center, halfExtents)};
}

/// Half extents of a flat disc of radius 1 with the given normal: sqrt(1 - n_i²), but exact where
/// the normal is along an axis.
static sdVec3 discExtents(sdVec3 n) {
    return sdV3(sqrtf(n.y * n.y + n.z * n.z), sqrtf(n.z * n.z + n.x * n.x),
                sqrtf(n.x * n.x + n.y * n.y));
}

static sdAABB coneBounds(sdCone cone, sdVec3 center, sdVec3 axis) {
    sdVec3 apex = sdMulAdd(center, cone.halfHeight, axis);
    sdVec3 base = sdMulAdd(center, -cone.halfHeight, axis);
    return sdAABB_AddPoint(boxAround(base, sdScale(cone.radius, discExtents(axis))), apex);
}

static sdAABB pointBounds(const sdVec3* points, int count, sdTransform xf) {
    sdAABB box = sdAABB_Empty();
    for (int i = 0; i < count; ++i) {
        box = sdAABB_AddPoint(box, sdTransformPoint(xf, points[i]));
    }
    return box;
}

/// The furthest vertices along the six directions of A's axes.
static sdAABB hullBounds(const sdHull* hull, sdTransform xf) {
    const sdVec3* vertices = sdHull_GetVertices(hull, NULL);
    sdVec3 extremes[6];
    for (int i = 0; i < 6; ++i) {
        float sign = i < 3 ? 1.0f : -1.0f;
        sdVec3 axis =
            sdV3(i % 3 == 0 ? sign : 0.0f, i % 3 == 1 ? sign : 0.0f, i % 3 == 2 ? sign : 0.0f);
        extremes[i] = vertices[sdHull_Support(hull, sdInvRotate(xf.q, axis))];
    }
    return pointBounds(extremes, 6, xf);
}

static sdAABB compoundBounds(const sdCompound* compound, sdTransform xf) {
    sdAABB box = sdAABB_Empty();
    for (int i = 0; i < compound->childCount; ++i) {
        const sdCompoundChild* child = &compound->children[i];
        box = sdAABB_Union(box, sdShape_GetBounds(&child->shape, sdMulXf(xf, child->xf)));
    }
    return box;
}

static sdAABB meshBounds(const sdShape* shape, sdTransform xf) {
    if (shape->concave != NULL && shape->concave->hull != NULL) {
        return hullBounds(shape->concave->hull, xf);
    }
    sdMeshData data = sdMesh_GetData(shape->mesh);
    return pointBounds(data.vertices, data.vertexCount, xf);
}

sdAABB sdShape_GetBounds(const sdShape* shape, sdTransform xfAB) {
    if (!sdShape_IsValid(shape)) {
        return sdAABB_Empty();
    }
    sdVec3 center = xfAB.p;
    switch (shape->type) {
        case SD_SHAPE_SPHERE: {
            float r = shape->sphere.radius;
            return boxAround(center, sdV3(r, r, r));
        }
        case SD_SHAPE_CAPSULE: {
            float r = shape->capsule.radius;
            sdVec3 axis = sdAbs(sdRotate(xfAB.q, sdV3(0.0f, 1.0f, 0.0f)));
            return boxAround(center, sdMulAdd(sdV3(r, r, r), shape->capsule.halfLength, axis));
        }
        case SD_SHAPE_BOX: {
            sdMat33 m = sdQuat_ToMatrix(xfAB.q);
            sdVec3 h = shape->box.halfExtents;
            sdVec3 sum = sdMulAdd(sdScale(h.x, sdAbs(m.cx)), h.y, sdAbs(m.cy));
            return boxAround(center, sdMulAdd(sum, h.z, sdAbs(m.cz)));
        }
        case SD_SHAPE_CYLINDER: {
            sdVec3 axis = sdRotate(xfAB.q, sdV3(0.0f, 1.0f, 0.0f));
            sdVec3 disc = sdScale(shape->cylinder.radius, discExtents(axis));
            return boxAround(center, sdMulAdd(disc, shape->cylinder.halfHeight, sdAbs(axis)));
        }
        case SD_SHAPE_CONE:
            return coneBounds(shape->cone, center, sdRotate(xfAB.q, sdV3(0.0f, 1.0f, 0.0f)));
        case SD_SHAPE_TRIANGLE:
            return pointBounds(shape->triangle.vertices, 3, xfAB);
        case SD_SHAPE_HULL:
            return hullBounds(shape->hull, xfAB);
        case SD_SHAPE_MESH:
            return meshBounds(shape, xfAB);
        case SD_SHAPE_COMPOUND:
            return compoundBounds(shape->compound, xfAB);
        case SD_SHAPE_HALF_SPACE:
        case SD_SHAPE_TYPE_COUNT:
            break;
    }
    return (sdAABB){{-FLT_MAX, -FLT_MAX, -FLT_MAX}, {FLT_MAX, FLT_MAX, FLT_MAX}};
}
