// SPDX-License-Identifier: MIT
// tessellate.c - triangles of any shape, for drawing and for files.
//
// In:   an sdShape.
// Out:  vertices with normals, triangles counter-clockwise seen from outside.
// Note: balls are rings of growing size, other round shapes turned profiles (lathe), flat ones
// fans; meshes get one normal for all
//       corners of a vertex whose faces run smoothly into each other.

#include "tessellate.h"

#include "support.h"

#include <string.h>

#define MIN_SEGMENTS 4
#define MAX_SEGMENTS 1024

/// A point of the outline that is turned about y: its place and the normal there.
typedef struct ProfilePoint {
    float radius, y;
    float normalRadius, normalY;
} ProfilePoint;

// ---- growing -------------------------------------------------------------------------------

static bool reserve(sdTessellation* t, int vertexCount, int indexCount) {
    return sdRender_Reserve(&t->allocator, (void**)&t->vertices, &t->vertexCapacity,
                            t->vertexCount + vertexCount, sizeof *t->vertices) &&
           sdRender_Reserve(&t->allocator, (void**)&t->indices, &t->indexCapacity,
                            t->indexCount + indexCount, sizeof *t->indices);
}

static int addVertex(sdTessellation* t, sdVec3 position, sdVec3 normal, float edge) {
    t->vertices[t->vertexCount] = (sdTessellationVertex){position, normal, edge};
    return t->vertexCount++;
}

static void addTriangle(sdTessellation* t, int a, int b, int c) {
    t->indices[t->indexCount++] = (uint32_t)a;
    t->indices[t->indexCount++] = (uint32_t)b;
    t->indices[t->indexCount++] = (uint32_t)c;
}

// ---- round shapes --------------------------------------------------------------------------

/// Turn the outline, which runs downwards, about y.
static bool lathe(sdTessellation* t, const ProfilePoint* points, int count, int segmentCount) {
    int columns = segmentCount + 1;
    if (!reserve(t, count * columns, (count - 1) * segmentCount * 6)) {
        return false;
    }
    int first = t->vertexCount;
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < columns; ++k) {
            // the last column lies on the first one, to the last bit; at a tip, which belongs to
            // one triangle a column, the normal is that of the triangle's middle
            const ProfilePoint* p = &points[i];
            float turn = (float)(k % segmentCount) + (p->radius > 0.0f ? 0.0f : 0.5f);
            float angle = 2.0f * SD_PI * turn / (float)segmentCount;
            float c = sdCos(angle), s = -sdSin(angle);
            addVertex(t, sdV3(p->radius * c, p->y, p->radius * s),
                      sdV3(p->normalRadius * c, p->normalY, p->normalRadius * s),
                      SD_TESSELLATION_FAR);
        }
    }
    for (int i = 0; i + 1 < count; ++i) {
        const ProfilePoint *upper = &points[i], *lower = &points[i + 1];
        // two points at one place only change the normal: a rim
        if (upper->radius == lower->radius && upper->y == lower->y) {
            continue;
        }
        for (int k = 0; k < segmentCount; ++k) {
            int a = first + i * columns + k, b = a + columns;
            if (lower->radius > 0.0f) {
                addTriangle(t, a, b, b + 1);
            }
            if (upper->radius > 0.0f) {
                addTriangle(t, a, b + 1, a + 1);
            }
        }
    }
    return true;
}

/// Vertices of a ring of a half ball; the pole is ring 0.
static int ringSize(int ring) {
    return ring == 0 ? 1 : 4 * ring;
}

/// The triangles between ring `i` and the next larger one, quarter by quarter. Both rings run
/// counter-clockwise seen from the pole's side of +y.
static void stitchRings(sdTessellation* t, int inner, int outer, int i, bool isLower) {
    int innerSize = ringSize(i), outerSize = ringSize(i + 1);
    for (int quarter = 0; quarter < 4; ++quarter) {
        for (int k = 0; k <= i; ++k) {
            int a = inner + (quarter * i + k) % innerSize;
            int b = outer + quarter * (i + 1) + k;
            int c = outer + (quarter * (i + 1) + k + 1) % outerSize;
            addTriangle(t, a, isLower ? c : b, isLower ? b : c);
            if (k < i) {
                int d = inner + (quarter * i + k + 1) % innerSize;
                addTriangle(t, a, isLower ? d : c, isLower ? c : d);
            }
        }
    }
}

/// Ring i of n has 4 i vertices, i / n of the way from the pole to the equator: triangles of about
/// the same size, and the vertices of n are among those of any multiple of n.
static int addHalfBall(sdTessellation* t, float radius, float centerY, int n, bool isLower) {
    int start = t->vertexCount;
    for (int i = 0; i <= n; ++i) {
        float polar = 0.5f * SD_PI * (float)i / (float)n;
        float s = sdSin(polar), c = i == n ? 0.0f : sdCos(polar);
        for (int k = 0; k < ringSize(i); ++k) {
            float angle = 2.0f * SD_PI * (float)k / (float)ringSize(i);
            sdVec3 normal = sdV3(s * sdCos(angle), isLower ? -c : c, -s * sdSin(angle));
            sdVec3 center = sdV3(0.0f, centerY, 0.0f);
            addVertex(t, sdMulAdd(center, radius, normal), normal, SD_TESSELLATION_FAR);
        }
        int inner = start;
        start = i > 0 ? t->vertexCount - ringSize(i) : start;
        if (i > 0) {
            stitchRings(t, inner, start, i - 1, isLower);
        }
    }
    return start;
}

static bool addCapsule(sdTessellation* t, float halfLength, float radius, int segmentCount) {
    int n = (segmentCount + 3) / 4;
    if (!reserve(t, 2 * (1 + 2 * n * (n + 1)), 3 * (8 * n * n + 8 * n))) {
        return false;
    }
    int upper = addHalfBall(t, radius, halfLength, n, false);
    int lower = addHalfBall(t, radius, -halfLength, n, true);
    for (int k = 0; k < 4 * n && halfLength > 0.0f; ++k) {
        int next = (k + 1) % (4 * n);
        addTriangle(t, upper + k, lower + k, lower + next);
        addTriangle(t, upper + k, lower + next, upper + next);
    }
    return true;
}

static bool addCylinder(sdTessellation* t, sdCylinder c, int segmentCount) {
    ProfilePoint points[] = {
        {0.0f, c.halfHeight, 0.0f, 1.0f},       {c.radius, c.halfHeight, 0.0f, 1.0f},
        {c.radius, c.halfHeight, 1.0f, 0.0f},   {c.radius, -c.halfHeight, 1.0f, 0.0f},
        {c.radius, -c.halfHeight, 0.0f, -1.0f}, {0.0f, -c.halfHeight, 0.0f, -1.0f},
    };
    return lathe(t, points, 6, segmentCount);
}

static bool addCone(sdTessellation* t, sdCone c, int segmentCount) {
    sdVec3 side = sdNormalize(sdV3(2.0f * c.halfHeight, c.radius, 0.0f));
    ProfilePoint points[] = {
        {0.0f, c.halfHeight, side.x, side.y},
        {c.radius, -c.halfHeight, side.x, side.y},
        {c.radius, -c.halfHeight, 0.0f, -1.0f},
        {0.0f, -c.halfHeight, 0.0f, -1.0f},
    };
    return lathe(t, points, 4, segmentCount);
}

// ---- flat faces ----------------------------------------------------------------------------

static bool addQuad(sdTessellation* t, const sdVec3 corners[4], sdVec3 normal) {
    if (!reserve(t, 4, 6)) {
        return false;
    }
    int first = t->vertexCount;
    for (int i = 0; i < 4; ++i) {
        addVertex(t, corners[i], normal, SD_TESSELLATION_FAR);
    }
    addTriangle(t, first, first + 1, first + 2);
    addTriangle(t, first, first + 2, first + 3);
    return true;
}

static bool addBox(sdTessellation* t, sdVec3 h) {
    for (int axis = 0; axis < 3; ++axis) {
        for (int side = -1; side <= 1; side += 2) {
            // u × v points outwards
            float n[3] = {0.0f, 0.0f, 0.0f}, u[3] = {0.0f, 0.0f, 0.0f}, v[3] = {0.0f, 0.0f, 0.0f};
            n[axis] = (float)side;
            u[(axis + 1) % 3] = 1.0f;
            v[(axis + 2) % 3] = (float)side;
            sdVec3 corners[4];
            for (int i = 0; i < 4; ++i) {
                float a = i == 1 || i == 2 ? 1.0f : -1.0f, b = i >= 2 ? 1.0f : -1.0f;
                corners[i] = sdMul(h, sdV3(n[0] + a * u[0] + b * v[0], n[1] + a * u[1] + b * v[1],
                                           n[2] + a * u[2] + b * v[2]));
            }
            if (!addQuad(t, corners, sdV3(n[0], n[1], n[2]))) {
                return false;
            }
        }
    }
    return true;
}

static bool addHalfSpace(sdTessellation* t, float extent) {
    sdVec3 corners[4] = {sdV3(-extent, 0.0f, extent), sdV3(extent, 0.0f, extent),
                         sdV3(extent, 0.0f, -extent), sdV3(-extent, 0.0f, -extent)};
    return addQuad(t, corners, sdV3(0.0f, 1.0f, 0.0f));
}

static bool addLooseTriangle(sdTessellation* t, const sdTriangle* triangle) {
    if (!reserve(t, 3, 3)) {
        return false;
    }
    const sdVec3* v = triangle->vertices;
    sdVec3 normal = sdNormalize(sdCross(sdSub(v[1], v[0]), sdSub(v[2], v[0])));
    int first = t->vertexCount;
    for (int i = 0; i < 3; ++i) {
        addVertex(t, v[i], normal, SD_TESSELLATION_FAR);
    }
    addTriangle(t, first, first + 1, first + 2);
    return true;
}

/// A fan about the middle of the face: with the distance to the rim at the middle and zero on the
/// rim, every point of a triangle gets its own distance.
static void addHullFace(sdTessellation* t, const sdVec3* vertices, const sdHalfEdge* edges,
                        int start, sdVec3 normal) {
    sdVec3 middle = sdV3(0.0f, 0.0f, 0.0f);
    int count = 0;
    for (int e = start; count == 0 || e != start; e = edges[e].next) {
        middle = sdAdd(middle, vertices[edges[e].origin]);
        ++count;
    }
    middle = sdScale(1.0f / (float)count, middle);

    int rim = t->vertexCount;
    for (int i = 0, e = start; i < count; ++i, e = edges[e].next) {
        addVertex(t, vertices[edges[e].origin], normal, 0.0f);
    }
    for (int i = 0; i < count; ++i) {
        int a = rim + i, b = rim + (i + 1) % count;
        sdVec3 p = t->vertices[a].position;
        sdVec3 along = sdNormalize(sdSub(t->vertices[b].position, p));
        float distance = sdLength(sdCross(along, sdSub(middle, p)));
        addTriangle(t, addVertex(t, middle, normal, distance), a, b);
    }
}

static bool addHull(sdTessellation* t, const sdHull* hull) {
    int edgeCount, faceCount;
    const sdVec3* vertices = sdHull_GetVertices(hull, &(int){0});
    const sdHalfEdge* edges = sdHull_GetEdges(hull, &edgeCount);
    const sdPlane* planes = sdHull_GetPlanes(hull, &faceCount);
    const int32_t* faceEdges = sdHull_GetFaceEdges(hull);
    // each half-edge: its origin and a middle of its face
    if (!reserve(t, 2 * edgeCount, 3 * edgeCount)) {
        return false;
    }
    for (int i = 0; i < faceCount; ++i) {
        addHullFace(t, vertices, edges, faceEdges[i], planes[i].normal);
    }
    return true;
}

// ---- meshes --------------------------------------------------------------------------------

/// Corners (3 * triangle + side) of each vertex, one after the other, and the faces' normals.
typedef struct MeshFans {
    int* starts; ///< vertexCount + 1
    int* corners;
    sdVec3* normals;
} MeshFans;

static bool allocateFans(const sdAllocator* allocator, const sdMeshData* data, MeshFans* fans) {
    fans->starts = sdRender_Alloc(allocator, ((size_t)data->vertexCount + 1) * sizeof(int));
    fans->corners = sdRender_Alloc(allocator, 3 * (size_t)data->triangleCount * sizeof(int));
    fans->normals = sdRender_Alloc(allocator, (size_t)data->triangleCount * sizeof(sdVec3));
    return fans->starts != NULL && fans->corners != NULL && fans->normals != NULL;
}

static void freeFans(const sdAllocator* allocator, const sdMeshData* data, MeshFans* fans) {
    sdRender_Free(allocator, fans->starts, ((size_t)data->vertexCount + 1) * sizeof(int));
    sdRender_Free(allocator, fans->corners, 3 * (size_t)data->triangleCount * sizeof(int));
    sdRender_Free(allocator, fans->normals, (size_t)data->triangleCount * sizeof(sdVec3));
}

static void fillFans(const sdMeshData* data, MeshFans* fans) {
    int cornerCount = 3 * data->triangleCount;
    for (int i = 0; i < cornerCount; ++i) {
        ++fans->starts[data->triangles[i]];
    }
    for (int i = 1; i <= data->vertexCount; ++i) {
        fans->starts[i] += fans->starts[i - 1];
    }
    // ends now; each goes down to its start while its corners are filled in
    for (int i = cornerCount - 1; i >= 0; --i) {
        fans->corners[--fans->starts[data->triangles[i]]] = i;
    }
    for (int i = 0; i < data->triangleCount; ++i) {
        const int32_t* v = &data->triangles[3 * i];
        sdVec3 a = data->vertices[v[0]];
        fans->normals[i] =
            sdNormalize(sdCross(sdSub(data->vertices[v[1]], a), sdSub(data->vertices[v[2]], a)));
    }
}

static float cornerAngle(const sdMeshData* data, int corner) {
    int base = corner - corner % 3;
    sdVec3 p = data->vertices[data->triangles[corner]];
    sdVec3 a = data->vertices[data->triangles[base + (corner + 1) % 3]];
    sdVec3 b = data->vertices[data->triangles[base + (corner + 2) % 3]];
    return sdAcos(sdDot(sdNormalize(sdSub(a, p)), sdNormalize(sdSub(b, p))));
}

/// Of the faces around the corner's vertex that run smoothly into the corner's own, by angle.
static sdVec3 cornerNormal(const sdMeshData* data, const MeshFans* fans, int corner, float crease) {
    int vertex = data->triangles[corner];
    sdVec3 own = fans->normals[corner / 3], sum = sdV3(0.0f, 0.0f, 0.0f);
    for (int i = fans->starts[vertex]; i < fans->starts[vertex + 1]; ++i) {
        sdVec3 other = fans->normals[fans->corners[i] / 3];
        if (sdDot(own, other) >= crease) {
            sum = sdMulAdd(sum, cornerAngle(data, fans->corners[i]), other);
        }
    }
    sum = sdNormalize(sum);
    return sdLengthSquared(sum) > 0.0f ? sum : own;
}

static bool sameVector(sdVec3 a, sdVec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void addMeshVertices(sdTessellation* t, const sdMeshData* data, const MeshFans* fans,
                            float crease) {
    int firstIndex = t->indexCount;
    t->indexCount += 3 * data->triangleCount;
    for (int vertex = 0; vertex < data->vertexCount; ++vertex) {
        int first = t->vertexCount;
        for (int i = fans->starts[vertex]; i < fans->starts[vertex + 1]; ++i) {
            sdVec3 normal = cornerNormal(data, fans, fans->corners[i], crease);
            int found = first;
            while (found < t->vertexCount && !sameVector(t->vertices[found].normal, normal)) {
                ++found;
            }
            if (found == t->vertexCount) {
                addVertex(t, data->vertices[vertex], normal, SD_TESSELLATION_FAR);
            }
            t->indices[firstIndex + fans->corners[i]] = (uint32_t)found;
        }
    }
}

static bool addMesh(sdTessellation* t, const sdMesh* mesh, float crease) {
    sdMeshData data = sdMesh_GetData(mesh);
    if (data.triangleCount > INT32_MAX / 3) {
        return false;
    }
    MeshFans fans = {0};
    bool ok = allocateFans(&t->allocator, &data, &fans) &&
              reserve(t, 3 * data.triangleCount, 3 * data.triangleCount);
    if (ok) {
        fillFans(&data, &fans);
        addMeshVertices(t, &data, &fans, crease);
    }
    freeFans(&t->allocator, &data, &fans);
    return ok;
}

// ---- any shape -----------------------------------------------------------------------------

static bool addShape(sdTessellation* t, const sdShape* shape, const sdTessellationDef* def) {
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            return addCapsule(t, 0.0f, shape->sphere.radius, def->segmentCount);
        case SD_SHAPE_CAPSULE:
            return addCapsule(t, shape->capsule.halfLength, shape->capsule.radius,
                              def->segmentCount);
        case SD_SHAPE_BOX:
            return addBox(t, shape->box.halfExtents);
        case SD_SHAPE_CYLINDER:
            return addCylinder(t, shape->cylinder, def->segmentCount);
        case SD_SHAPE_CONE:
            return addCone(t, shape->cone, def->segmentCount);
        case SD_SHAPE_TRIANGLE:
            return addLooseTriangle(t, &shape->triangle);
        case SD_SHAPE_HULL:
            return addHull(t, shape->hull);
        case SD_SHAPE_HALF_SPACE:
            return addHalfSpace(t, def->halfSpaceExtent);
        case SD_SHAPE_MESH:
            return addMesh(t, shape->mesh, def->creaseCos);
        default:
            return false;
    }
}

/// Children are no compounds, so this does not go deeper.
static bool addCompound(sdTessellation* t, const sdCompound* compound,
                        const sdTessellationDef* def) {
    int count;
    const sdCompoundChild* children = sdCompound_GetChildren(compound, &count);
    for (int i = 0; i < count; ++i) {
        int first = t->vertexCount;
        if (!addShape(t, &children[i].shape, def)) {
            return false;
        }
        for (int k = first; k < t->vertexCount; ++k) {
            t->vertices[k].position = sdTransformPoint(children[i].xf, t->vertices[k].position);
            t->vertices[k].normal = sdRotate(children[i].xf.q, t->vertices[k].normal);
        }
    }
    return true;
}

sdTessellationDef sdTessellationDef_Default(void) {
    return (sdTessellationDef){.segmentCount = 32, .creaseCos = 0.766f, .halfSpaceExtent = 100.0f};
}

sdResult sdTessellate(const sdContext* context, const sdShape* shape, const sdTessellationDef* def,
                      sdTessellation* out) {
    sdContext ctx = sdRender_GetContext(context);
    if (out == NULL) {
        return sdRender_Fail(&ctx, SD_ERROR_INVALID_ARGUMENT, "sdTessellate: out is NULL");
    }
    *out = (sdTessellation){.allocator = ctx.allocator};
    sdTessellationDef own = def != NULL ? *def : sdTessellationDef_Default();
    if (shape == NULL || !sdShape_IsValid(shape)) {
        return sdRender_Fail(&ctx, SD_ERROR_INVALID_ARGUMENT, "sdTessellate: no valid shape");
    }
    if (own.segmentCount < MIN_SEGMENTS || own.segmentCount > MAX_SEGMENTS ||
        !(own.halfSpaceExtent > 0.0f) || !sdIsFinite(own.halfSpaceExtent) ||
        !sdIsFinite(own.creaseCos)) {
        return sdRender_Fail(&ctx, SD_ERROR_INVALID_ARGUMENT,
                             "sdTessellate: segmentCount %d (%d .. %d), creaseCos %g or "
                             "halfSpaceExtent %g is out of range",
                             own.segmentCount, MIN_SEGMENTS, MAX_SEGMENTS, (double)own.creaseCos,
                             (double)own.halfSpaceExtent);
    }
    bool ok = shape->type == SD_SHAPE_COMPOUND ? addCompound(out, shape->compound, &own)
                                               : addShape(out, shape, &own);
    if (!ok) {
        sdTessellation_Free(out);
        return sdRender_Fail(&ctx, SD_ERROR_OUT_OF_MEMORY,
                             "sdTessellate: no memory for the triangles of a %s",
                             sdShapeType_Name(shape->type));
    }
    return SD_OK;
}

void sdTessellation_Free(sdTessellation* t) {
    if (t == NULL) {
        return;
    }
    if (t->vertices != NULL || t->indices != NULL) {
        sdRender_Free(&t->allocator, t->vertices, (size_t)t->vertexCapacity * sizeof *t->vertices);
        sdRender_Free(&t->allocator, t->indices, (size_t)t->indexCapacity * sizeof *t->indices);
    }
    *t = (sdTessellation){0};
}
