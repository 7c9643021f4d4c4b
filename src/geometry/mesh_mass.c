// SPDX-License-Identifier: MIT
// mesh_mass.c - mass, centre and inertia of the solid inside a mesh (A2), or of a mesh as a shell.
//
// In:   a mesh; for a solid a closed, oriented one.
// Out:  sdMassProps, exact for the polyhedron but for rounding.
// Ref:  S0 section 2.1: the divergence theorem turns the volume integrals of 1, x, x², xy ... into
//       integrals over the surface. With the field x p(x) / (3 + degree of p), whose divergence is
//       the monomial p, a triangle's share is that of the tetrahedron that it spans with the
//       origin, and has a closed form.
// Note: in double and about the middle of the bounds, so that a small mesh far away loses nothing.

#include "geometry/mesh_build.h"

/// Integrals over the solid, or the surface: of 1, x, and x xᵀ (xx, yy, zz, xy, yz, zx).
typedef struct Moments {
    double volume;
    sdVec3d first;
    double second[6];
} Moments;

/// What three corners add, but for constant factors.
/// @param weight twice the area of the triangle (a b c), or six times the volume of (0 a b c)
static void add(Moments* m, double weight, sdVec3d a, sdVec3d b, sdVec3d c) {
    sdVec3d s = sdAddD(sdAddD(a, b), c);
    m->volume += weight;
    m->first = sdMulAddD(m->first, weight, s);
    m->second[0] += weight * (s.x * s.x + a.x * a.x + b.x * b.x + c.x * c.x);
    m->second[1] += weight * (s.y * s.y + a.y * a.y + b.y * b.y + c.y * c.y);
    m->second[2] += weight * (s.z * s.z + a.z * a.z + b.z * b.z + c.z * c.z);
    m->second[3] += weight * (s.x * s.y + a.x * a.y + b.x * b.y + c.x * c.y);
    m->second[4] += weight * (s.y * s.z + a.y * a.z + b.y * b.z + c.y * c.z);
    m->second[5] += weight * (s.z * s.x + a.z * a.x + b.z * b.x + c.z * c.x);
}

static sdVec3d middle(sdAABB box) {
    return sdScaleD(0.5, sdAddD(sdVec3d_From(box.lower), sdVec3d_From(box.upper)));
}

static Moments integrate(const sdMesh* mesh, sdVec3d origin, bool isShell) {
    Moments m = {0};
    for (int t = 0; t < mesh->triangleCount; ++t) {
        const int32_t* v = mesh->triangles + 3 * (size_t)t;
        sdVec3d a = sdSubD(sdVec3d_From(mesh->vertices[v[0]]), origin);
        sdVec3d b = sdSubD(sdVec3d_From(mesh->vertices[v[1]]), origin);
        sdVec3d c = sdSubD(sdVec3d_From(mesh->vertices[v[2]]), origin);
        add(&m,
            isShell ? sdLengthD(sdCrossD(sdSubD(b, a), sdSubD(c, a))) : sdDotD(a, sdCrossD(b, c)),
            a, b, c);
    }
    // with s = a + b + c, of a tetrahedron: V = w / 6, int x = w s / 24,
    // int x xT = w (s sT + a aT + b bT + c cT) / 120; of a triangle: w / 2, w s / 6, w (...) / 24
    m.volume /= isShell ? 2.0 : 6.0;
    m.first = sdScaleD(isShell ? 1.0 / 6.0 : 1.0 / 24.0, m.first);
    for (int i = 0; i < 6; ++i) {
        m.second[i] /= isShell ? 24.0 : 120.0;
    }
    return m;
}

/// Density times the second moments, moved to the centre of mass c, as a tensor of inertia.
static sdMat33 inertiaTensor(const Moments* m, sdVec3d c, double density) {
    double xx = m->second[0] - m->volume * c.x * c.x;
    double yy = m->second[1] - m->volume * c.y * c.y;
    double zz = m->second[2] - m->volume * c.z * c.z;
    float xy = (float)(density * (m->volume * c.x * c.y - m->second[3]));
    float yz = (float)(density * (m->volume * c.y * c.z - m->second[4]));
    float zx = (float)(density * (m->volume * c.z * c.x - m->second[5]));
    return sdMat33_Columns(sdV3((float)(density * (yy + zz)), xy, zx),
                           sdV3(xy, (float)(density * (zz + xx)), yz),
                           sdV3(zx, yz, (float)(density * (xx + yy))));
}

static bool isPositive(float a) {
    return a >= FLT_MIN && sdIsFinite(a);
}

/// @param scale kg of each unit of the integrals
static sdResult fromMoments(const char* function, const sdMesh* mesh, const Moments* m,
                            sdVec3d origin, double scale, sdMassProps* out) {
    sdVec3d c = sdScaleD(1.0 / m->volume, m->first);
    sdMassProps props = {(float)(scale * m->volume), sdVec3d_Round(sdAddD(origin, c)),
                         inertiaTensor(m, c, scale)};
    if (!isPositive(props.mass) || !isPositive(props.inertia.cx.x) ||
        !isPositive(props.inertia.cy.y) || !isPositive(props.inertia.cz.z)) {
        return sdFail(&mesh->context, SD_ERROR_LIMIT,
                      "%s: a mass of %g kg, or its moments, are more or less than float can hold; "
                      "use other units",
                      function, scale * m->volume);
    }
    *out = props;
    return SD_OK;
}

static sdResult checkArguments(const char* function, const sdMesh* mesh, float density,
                               sdMassProps* out) {
    if (mesh == NULL || out == NULL) {
        sdContext fallback = sdContext_Default();
        return sdFail(mesh != NULL ? &mesh->context : &fallback, SD_ERROR_INVALID_ARGUMENT,
                      "%s: %s is NULL", function, mesh == NULL ? "mesh" : "out");
    }
    *out = (sdMassProps){0};
    if (!(density > 0.0f) || !sdIsFinite(density)) {
        return sdFail(&mesh->context, SD_ERROR_INVALID_ARGUMENT,
                      "%s: density %g must be positive and finite", function, (double)density);
    }
    return SD_OK;
}

sdResult sdMesh_GetMass(const sdMesh* mesh, float density, sdMassProps* out) {
    static const char* const function = "sdMesh_GetMass";
    sdResult result = checkArguments(function, mesh, density, out);
    if (result != SD_OK) {
        return result;
    }
    if (!mesh->report.isSolid) {
        return sdFail(
            &mesh->context, SD_ERROR_BAD_MESH,
            "%s: the mesh is not a solid (%d boundary edges, %d misoriented edges, volume "
            "%g m3); sdMeshReport_Describe says more",
            function, mesh->report.boundaryEdgeCount, mesh->report.misorientedEdgeCount,
            mesh->report.volume);
    }
    sdVec3d origin = middle(mesh->bounds);
    Moments m = integrate(mesh, origin, false);
    return fromMoments(function, mesh, &m, origin, (double)density, out);
}

sdResult sdMesh_GetShellMass(const sdMesh* mesh, float density, float thickness, sdMassProps* out) {
    static const char* const function = "sdMesh_GetShellMass";
    sdResult result = checkArguments(function, mesh, density, out);
    if (result != SD_OK) {
        return result;
    }
    if (!(thickness > 0.0f) || !sdIsFinite(thickness)) {
        return sdFail(&mesh->context, SD_ERROR_INVALID_ARGUMENT,
                      "%s: thickness %g must be positive and finite", function, (double)thickness);
    }
    sdVec3d origin = middle(mesh->bounds);
    Moments m = integrate(mesh, origin, true);
    return fromMoments(function, mesh, &m, origin, (double)density * (double)thickness, out);
}
