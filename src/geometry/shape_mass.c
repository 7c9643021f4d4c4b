// SPDX-License-Identifier: MIT
// shape_mass.c - mass, centre and inertia of shapes by closed forms (A4).
//
// In:   a shape and its density.
// Out:  mass properties in the shape's frame, tensor about the centre of mass.
// Ref:  S0 §2.1, S2 §4.6. Forms in double, rounded once.

#include "geometry/compound.h"
#include "geometry/concave.h"

#define PI 3.14159265358979323846

/// A body that is symmetric about its axes, in double.
typedef struct Moments {
    double mass;
    double height;  ///< of the centre of mass, on y
    double x, y, z; ///< moments about the centre of mass
} Moments;

/// Two moments are alike for a body that is round about y.
static Moments roundBody(double mass, double height, double across, double about) {
    return (Moments){mass, height, across, about, across};
}

static Moments sphereMoments(double r) {
    double mass = 4.0 / 3.0 * PI * r * r * r;
    return roundBody(mass, 0.0, 0.4 * mass * r * r, 0.4 * mass * r * r);
}

/// A cylinder with a half ball on each end; the centre of a half ball is 3/8 r above its base.
static Moments capsuleMoments(double h, double r) {
    double middle = 2.0 * PI * r * r * h;
    double ends = 4.0 / 3.0 * PI * r * r * r;
    double across =
        middle * (0.25 * r * r + h * h / 3.0) + ends * (0.4 * r * r + h * h + 0.75 * h * r);
    return roundBody(middle + ends, 0.0, across, middle * 0.5 * r * r + ends * 0.4 * r * r);
}

static Moments boxMoments(double x, double y, double z) {
    double mass = 8.0 * x * y * z;
    return (Moments){mass, 0.0, mass * (y * y + z * z) / 3.0, mass * (z * z + x * x) / 3.0,
                     mass * (x * x + y * y) / 3.0};
}

static Moments cylinderMoments(double h, double r) {
    double mass = 2.0 * PI * r * r * h;
    return roundBody(mass, 0.0, mass * (0.25 * r * r + h * h / 3.0), 0.5 * mass * r * r);
}

/// Full height 2 h; the centre of mass is a quarter of that above the base.
static Moments coneMoments(double h, double r) {
    double mass = 2.0 / 3.0 * PI * r * r * h;
    return roundBody(mass, -0.5 * h, 0.15 * mass * (r * r + h * h), 0.3 * mass * r * r);
}

static sdResult fromMoments(Moments m, double density, sdMassProps* out) {
    if (!(m.mass > 0.0)) {
        return SD_ERROR_DEGENERATE;
    }
    out->mass = (float)(density * m.mass);
    out->center = sdV3(0.0f, (float)m.height, 0.0f);
    out->inertia =
        sdMat33_Diagonal((float)(density * m.x), (float)(density * m.y), (float)(density * m.z));
    return SD_OK;
}

static sdResult massOf(const sdShape* shape, float density, sdMassProps* out);

/// Children without volume add nothing; one whose mesh is no solid spoils the whole.
static sdResult compoundMass(const sdCompound* compound, float density, sdMassProps* out) {
    sdResult result = SD_ERROR_DEGENERATE;
    for (int i = 0; i < compound->childCount; ++i) {
        const sdCompoundChild* child = &compound->children[i];
        sdMassProps props;
        sdResult childResult = massOf(&child->shape, density, &props);
        if (childResult == SD_OK) {
            props = sdMassProps_Transform(props, child->xf);
            *out = result == SD_OK ? sdMassProps_Add(*out, props) : props;
            result = SD_OK;
        } else if (childResult != SD_ERROR_DEGENERATE) {
            return childResult;
        }
    }
    return result;
}

/// Says nothing; a valid shape. The nesting ends at the children of a compound.
static sdResult massOf(const sdShape* shape, float density, sdMassProps* out) {
    double rho = (double)density;
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            return fromMoments(sphereMoments((double)shape->sphere.radius), rho, out);
        case SD_SHAPE_CAPSULE:
            return fromMoments(
                capsuleMoments((double)shape->capsule.halfLength, (double)shape->capsule.radius),
                rho, out);
        case SD_SHAPE_BOX: {
            sdVec3 h = shape->box.halfExtents;
            return fromMoments(boxMoments((double)h.x, (double)h.y, (double)h.z), rho, out);
        }
        case SD_SHAPE_CYLINDER:
            return fromMoments(
                cylinderMoments((double)shape->cylinder.halfHeight, (double)shape->cylinder.radius),
                rho, out);
        case SD_SHAPE_CONE:
            return fromMoments(
                coneMoments((double)shape->cone.halfHeight, (double)shape->cone.radius), rho, out);
        case SD_SHAPE_HULL:
            sdHull_GetMass(shape->hull, density, out);
            return SD_OK;
        case SD_SHAPE_MESH:
            if (!sdMesh_GetReport(shape->mesh)->isSolid) {
                // what has no inside but may move is as thick as it collides
                return shape->concave == NULL
                           ? SD_ERROR_BAD_MESH
                           : sdMesh_GetShellMass(shape->mesh, density,
                                                 2.0f * sdConcave_GetSkin(shape->concave), out);
            }
            return sdMesh_GetMass(shape->mesh, density, out);
        case SD_SHAPE_COMPOUND:
            return compoundMass(shape->compound, density, out);
        case SD_SHAPE_TRIANGLE:
        case SD_SHAPE_HALF_SPACE:
        case SD_SHAPE_TYPE_COUNT:
            break;
    }
    return SD_ERROR_DEGENERATE;
}

/// A float holds them, and more than the last few bits of each.
static bool isRepresentable(const sdMassProps* props) {
    sdVec3 diagonal = sdV3(props->inertia.cx.x, props->inertia.cy.y, props->inertia.cz.z);
    float least = sdMinF(props->mass, sdMinF(diagonal.x, sdMinF(diagonal.y, diagonal.z)));
    return sdIsFinite(props->mass) && sdVec3_IsFinite(diagonal) && sdVec3_IsFinite(props->center) &&
           least >= FLT_MIN;
}

sdResult sdShape_GetMass(const sdContext* context, const sdShape* shape, float density,
                         sdMassProps* out) {
    if (out != NULL) {
        *out = (sdMassProps){0};
    }
    sdContext ctx;
    sdResult result = sdContext_Resolve(context, &ctx);
    if (result != SD_OK) {
        return result;
    }
    if (shape == NULL || out == NULL) {
        return sdFail(&ctx, SD_ERROR_INVALID_ARGUMENT, "sdShape_GetMass: %s is NULL",
                      shape == NULL ? "shape" : "out");
    }
    const char* name = sdShapeType_Name(shape->type);
    if (!sdShape_IsValid(shape)) {
        return sdFail(&ctx, SD_ERROR_INVALID_ARGUMENT,
                      "sdShape_GetMass: the %s has a size that is negative or not finite, or "
                      "refers to nothing",
                      name);
    }
    if (!(density > 0.0f) || !sdIsFinite(density)) {
        return sdFail(&ctx, SD_ERROR_INVALID_ARGUMENT,
                      "sdShape_GetMass: density %g; it must be positive and finite",
                      (double)density);
    }
    sdMassProps props = {0};
    result = massOf(shape, density, &props);
    if (result == SD_OK && !isRepresentable(&props)) {
        result = SD_ERROR_LIMIT;
    }
    switch (result) {
        case SD_OK:
            *out = props;
            return SD_OK;
        case SD_ERROR_BAD_MESH:
            return sdFail(&ctx, result,
                          "sdShape_GetMass: a mesh of the %s is not closed, oriented and of "
                          "positive volume; see sdMesh_GetReport",
                          name);
        case SD_ERROR_LIMIT:
            return sdFail(&ctx, result,
                          "sdShape_GetMass: mass %g kg of the %s, or its moments, are beyond the "
                          "range of a float; use other units or another density",
                          (double)props.mass, name);
        default:
            return sdFail(&ctx, result, "sdShape_GetMass: the %s has no volume", name);
    }
}
