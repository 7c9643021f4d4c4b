// SPDX-License-Identifier: MIT
// mesh_mass.c - mass, centre and inertia of the solid inside a mesh (A2).
//
// In:   a closed, oriented mesh.
// Out:  sdMassProps, exact for the polyhedron but for rounding.
// Ref:  S0 section 2.1: the divergence theorem turns the volume integrals of 1, x, x², xy ... into
//       integrals over the surface. With the field x p(x) / (3 + degree of p), whose divergence is
//       the monomial p, a triangle's share is that of the tetrahedron that it spans with the
//       origin, and has a closed form.
// Note: in double and about the middle of the bounds, so that a small mesh far away loses nothing.

#include "geometry/mesh_build.h"

/// Volume integrals over the solid: of 1, x, and x xᵀ (xx, yy, zz, xy, yz, zx).
typedef struct Moments {
    double volume;
    sdVec3d first;
    double second[6];
} Moments;

/// Integrals over the tetrahedron (0 a b c), times det, 24 and 120 over det: see below.
static void addTetrahedron(Moments* m, sdVec3d a, sdVec3d b, sdVec3d c) {
    double det = sdDotD(a, sdCrossD(b, c));
    sdVec3d s = sdAddD(sdAddD(a, b), c);
    // V = det / 6,  int x = det s / 24,  int x xT = det (s sT + a aT + b bT + c cT) / 120
    m->volume += det;
    m->first = sdMulAddD(m->first, det, s);
    m->second[0] += det * (s.x * s.x + a.x * a.x + b.x * b.x + c.x * c.x);
    m->second[1] += det * (s.y * s.y + a.y * a.y + b.y * b.y + c.y * c.y);
    m->second[2] += det * (s.z * s.z + a.z * a.z + b.z * b.z + c.z * c.z);
    m->second[3] += det * (s.x * s.y + a.x * a.y + b.x * b.y + c.x * c.y);
    m->second[4] += det * (s.y * s.z + a.y * a.z + b.y * b.z + c.y * c.z);
    m->second[5] += det * (s.z * s.x + a.z * a.x + b.z * b.x + c.z * c.x);
}

static sdVec3d middle(sdAABB box) {
    return sdScaleD(0.5, sdAddD(sdVec3d_From(box.lower), sdVec3d_From(box.upper)));
}

static Moments integrate(const sdMesh* mesh, sdVec3d origin) {
    Moments m = {0};
    for (int t = 0; t < mesh->triangleCount; ++t) {
        const int32_t* v = mesh->triangles + 3 * (size_t)t;
        addTetrahedron(&m, sdSubD(sdVec3d_From(mesh->vertices[v[0]]), origin),
                       sdSubD(sdVec3d_From(mesh->vertices[v[1]]), origin),
                       sdSubD(sdVec3d_From(mesh->vertices[v[2]]), origin));
    }
    m.volume /= 6.0;
    m.first = sdScaleD(1.0 / 24.0, m.first);
    for (int i = 0; i < 6; ++i) {
        m.second[i] /= 120.0;
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

sdResult sdMesh_GetMass(const sdMesh* mesh, float density, sdMassProps* out) {
    static const char* const function = "sdMesh_GetMass";
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
    if (!mesh->report.isSolid) {
        return sdFail(
            &mesh->context, SD_ERROR_BAD_MESH,
            "%s: the mesh is not a solid (%d boundary edges, %d misoriented edges, volume "
            "%g m3); sdMeshReport_Describe says more",
            function, mesh->report.boundaryEdgeCount, mesh->report.misorientedEdgeCount,
            mesh->report.volume);
    }
    sdVec3d origin = middle(mesh->bounds);
    Moments m = integrate(mesh, origin);
    sdVec3d c = sdScaleD(1.0 / m.volume, m.first);
    sdMassProps props = {(float)((double)density * m.volume), sdVec3d_Round(sdAddD(origin, c)),
                         inertiaTensor(&m, c, (double)density)};
    if (!isPositive(props.mass) || !isPositive(props.inertia.cx.x) ||
        !isPositive(props.inertia.cy.y) || !isPositive(props.inertia.cz.z)) {
        return sdFail(
            &mesh->context, SD_ERROR_LIMIT,
            "%s: volume %g m3 at %g kg/m3 gives a mass or inertia that float cannot hold; "
            "use other units",
            function, m.volume, (double)density);
    }
    *out = props;
    return SD_OK;
}
