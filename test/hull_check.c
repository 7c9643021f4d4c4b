// SPDX-License-Identifier: MIT
// hull_check.c - see hull_check.h.

#include "hull_check.h"

#include <string.h>

sdHull* TestHull_Make(TestContext* test, const sdVec3* points, int count, sdHullMethod method) {
    sdHullDef def = sdHullDef_Default();
    def.points = points;
    def.pointCount = count;
    def.method = method;
    sdHull* hull = NULL;
    sdHull_Create(&test->context, &def, &hull);
    return hull;
}

sdHull* TestHull_OnSphere(int pointCount) {
    TestRandom random = TestRandom_Make(11);
    sdVec3 points[64];
    for (int i = 0; i < pointCount; ++i) {
        points[i] = TestRandom_OnSphere(&random);
    }
    sdHullDef def = sdHullDef_Default();
    def.points = points;
    def.pointCount = pointCount;
    sdHull* hull = NULL;
    CHECK_INT(sdHull_Create(NULL, &def, &hull), SD_OK);
    return hull;
}

typedef struct View {
    const sdVec3* vertices;
    const int32_t* vertexEdges;
    const sdHalfEdge* edges;
    const sdPlane* planes;
    const int32_t* faceEdges;
    int vertexCount, edgeCount, faceCount;
    double tolerance;
} View;

static View viewOf(const sdHull* hull) {
    View v;
    v.vertices = sdHull_GetVertices(hull, &v.vertexCount);
    v.vertexEdges = sdHull_GetVertexEdges(hull);
    v.edges = sdHull_GetEdges(hull, &v.edgeCount);
    v.planes = sdHull_GetPlanes(hull, &v.faceCount);
    v.faceEdges = sdHull_GetFaceEdges(hull);
    v.tolerance = (double)sdHull_GetTolerance(hull);
    return v;
}

static double distance(sdPlane plane, sdVec3 p) {
    return (double)plane.normal.x * (double)p.x + (double)plane.normal.y * (double)p.y +
           (double)plane.normal.z * (double)p.z - (double)plane.offset;
}

static const char* findLinkFault(const View* v) {
    if (v->vertexCount - v->edgeCount / 2 + v->faceCount != 2 || v->edgeCount % 2 != 0) {
        return "Euler: V - E + F is not 2";
    }
    for (int e = 0; e < v->edgeCount; ++e) {
        sdHalfEdge edge = v->edges[e];
        if (edge.origin < 0 || edge.origin >= v->vertexCount || edge.twin < 0 ||
            edge.twin >= v->edgeCount || edge.next < 0 || edge.next >= v->edgeCount ||
            edge.face < 0 || edge.face >= v->faceCount) {
            return "an index of a half-edge is out of range";
        }
        sdHalfEdge twin = v->edges[edge.twin];
        if (edge.twin == e || twin.twin != e || twin.face == edge.face ||
            twin.origin != v->edges[edge.next].origin ||
            v->edges[twin.next].origin != edge.origin) {
            return "twins do not fit";
        }
        if (v->edges[edge.next].face != edge.face) {
            return "the next half-edge is on another face";
        }
    }
    return NULL;
}

/// Going around every face and every vertex meets each half-edge once.
static const char* findCycleFault(const View* v) {
    int total = 0;
    for (int f = 0; f < v->faceCount; ++f) {
        int e = v->faceEdges[f], length = 0;
        do {
            if (v->edges[e].face != f || ++length > v->edgeCount) {
                return "the half-edges of a face are no loop";
            }
            e = v->edges[e].next;
        } while (e != v->faceEdges[f]);
        if (length < 3) {
            return "a face has fewer than three vertices";
        }
        total += length;
    }
    if (total != v->edgeCount) {
        return "a face has two loops";
    }
    total = 0;
    for (int i = 0; i < v->vertexCount; ++i) {
        int e = v->vertexEdges[i], degree = 0;
        do {
            if (v->edges[e].origin != i || ++degree > v->edgeCount) {
                return "the half-edges of a vertex are no loop";
            }
            e = v->edges[v->edges[e].twin].next;
        } while (e != v->vertexEdges[i]);
        if (degree < 2) {
            return "a vertex has one edge";
        }
        total += degree;
    }
    return total == v->edgeCount ? NULL : "a vertex has two fans";
}

/// Flat, convex, once around, with a unit normal that points to the outside of the loop.
static const char* findFaceFault(const View* v, int f) {
    sdPlane plane = v->planes[f];
    double nx = (double)plane.normal.x, ny = (double)plane.normal.y, nz = (double)plane.normal.z;
    if (!(fabs(nx * nx + ny * ny + nz * nz - 1.0) < 1e-6)) {
        return "a normal is not unit";
    }
    sdVec3 origin = v->vertices[v->edges[v->faceEdges[f]].origin];
    double area = 0.0;
    int e = v->faceEdges[f];
    do {
        sdVec3 a = v->vertices[v->edges[e].origin];
        sdHalfEdge next = v->edges[v->edges[e].next];
        sdVec3 b = v->vertices[next.origin];
        sdVec3 c = v->vertices[v->edges[next.next].origin];
        if (fabs(distance(plane, a)) > v->tolerance) {
            return "a face is not flat";
        }
        double ux = (double)b.x - (double)a.x, uy = (double)b.y - (double)a.y;
        double uz = (double)b.z - (double)a.z, wx = (double)c.x - (double)a.x;
        double wy = (double)c.y - (double)a.y, wz = (double)c.z - (double)a.z;
        double turn =
            nx * (uy * wz - uz * wy) + ny * (uz * wx - ux * wz) + nz * (ux * wy - uy * wx);
        if (turn < -v->tolerance * sqrt(wx * wx + wy * wy + wz * wz)) {
            return "a face is not convex";
        }
        double px = (double)a.x - (double)origin.x, py = (double)a.y - (double)origin.y;
        double pz = (double)a.z - (double)origin.z;
        area += nx * (py * uz - pz * uy) + ny * (pz * ux - px * uz) + nz * (px * uy - py * ux);
        e = v->edges[e].next;
    } while (e != v->faceEdges[f]);
    return area > 0.0 ? NULL : "a face is turned inside out or has no area";
}

static double deepest(const View* v, int face, sdPlane plane) {
    double low = 0.0;
    int e = v->faceEdges[face];
    do {
        double d = distance(plane, v->vertices[v->edges[e].origin]);
        low = d < low ? d : low;
        e = v->edges[e].next;
    } while (e != v->faceEdges[face]);
    return low;
}

/// A face lies at least so deep below its neighbour's plane somewhere: what merging works with,
/// less what rounding of normals and offsets to float can take away.
static double leastDepth(sdAABB bounds) {
    const double epsilon = (double)FLT_EPSILON;
    sdVec3 half = sdAABB_HalfExtents(bounds);
    double sum = (double)half.x + (double)half.y + (double)half.z;
    double far = (double)sdLength(sdMax(sdAbs(bounds.lower), sdAbs(bounds.upper)));
    return epsilon * (0.95 * 3.0 * sum - 0.45 * 2.0 * (double)sdLength(half) - 0.5 * far);
}

static const char* findEdgeFault(const View* v, sdAABB bounds) {
    double least = leastDepth(bounds);
    for (int e = 0; e < v->edgeCount; ++e) {
        sdHalfEdge edge = v->edges[e], twin = v->edges[edge.twin];
        sdPlane plane = v->planes[edge.face];
        if (deepest(v, twin.face, plane) > -least &&
            sdDot(plane.normal, v->planes[twin.face].normal) > 0.0f) {
            return "two neighbours lie in one plane";
        }
    }
    return NULL;
}

static bool isInput(sdVec3 vertex, const sdVec3* points, int count) {
    for (int i = 0; i < count; ++i) {
        if (memcmp(&vertex, &points[i], sizeof vertex) == 0) {
            return true;
        }
    }
    return false;
}

const char* TestHull_FindFault(const sdHull* hull, const sdVec3* points, int count) {
    View v = viewOf(hull);
    const char* fault = findLinkFault(&v);
    fault = fault != NULL ? fault : findCycleFault(&v);
    for (int f = 0; f < v.faceCount && fault == NULL; ++f) {
        fault = findFaceFault(&v, f);
    }
    fault = fault != NULL ? fault : findEdgeFault(&v, sdHull_GetBounds(hull));
    if (fault == NULL && TestHull_Outside(hull, points, count) > v.tolerance) {
        fault = "a point is outside";
    }
    // quadratic, so not for everything
    for (int i = 0; i < v.vertexCount && fault == NULL && count <= 300; ++i) {
        fault = isInput(v.vertices[i], points, count) ? NULL : "a vertex is no input point";
    }
    return fault;
}

double TestHull_Outside(const sdHull* hull, const sdVec3* points, int count) {
    View v = viewOf(hull);
    double most = -1e300;
    for (int f = 0; f < v.faceCount; ++f) {
        for (int i = 0; i < count; ++i) {
            double d = distance(v.planes[f], points[i]);
            most = d > most ? d : most;
        }
    }
    return most;
}

double TestHull_Volume(const sdHull* hull) {
    View v = viewOf(hull);
    sdVec3 o = v.vertices[0];
    double volume = 0.0;
    for (int f = 0; f < v.faceCount; ++f) {
        int first = v.faceEdges[f];
        sdVec3 a = v.vertices[v.edges[first].origin];
        for (int e = v.edges[first].next; v.edges[e].next != first; e = v.edges[e].next) {
            sdVec3 b = v.vertices[v.edges[e].origin];
            sdVec3 c = v.vertices[v.edges[v.edges[e].next].origin];
            double ax = (double)a.x - (double)o.x, ay = (double)a.y - (double)o.y;
            double az = (double)a.z - (double)o.z, bx = (double)b.x - (double)o.x;
            double by = (double)b.y - (double)o.y, bz = (double)b.z - (double)o.z;
            double cx = (double)c.x - (double)o.x, cy = (double)c.y - (double)o.y;
            double cz = (double)c.z - (double)o.z;
            volume +=
                ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
        }
    }
    return volume / 6.0;
}

// ---- point sets ----------------------------------------------------------------------------

const char* TestPoints_Name(TestPoints kind) {
    static const char* const names[TEST_POINTS_COUNT] = {
        "sphere",       "ball",        "grid",     "turned grid", "plane + noise",
        "duplicates",   "box surface", "cylinder", "cone",        "near a line",
        "flat + noise", "ellipsoid",   "clusters", "lens",        "blade"};
    return names[kind];
}

static sdVec3 onGrid(TestRandom* random, int side) {
    // one after the other: the order in which arguments are computed is the compiler's choice
    int x = TestRandom_Int(random, side);
    int y = TestRandom_Int(random, side);
    int z = TestRandom_Int(random, side);
    return sdV3((float)x, (float)y, (float)z);
}

static sdVec3 onBox(TestRandom* random) {
    sdVec3 p = TestRandom_InBox(random, 1.0f);
    float side = TestRandom_Int(random, 2) == 0 ? -1.0f : 1.0f;
    int axis = TestRandom_Int(random, 3);
    // some on edges and at corners as well
    p.x = axis == 0 || TestRandom_Int(random, 4) == 0 ? side : p.x;
    p.y = axis == 1 || TestRandom_Int(random, 4) == 0 ? side : p.y;
    p.z = axis == 2 || TestRandom_Int(random, 4) == 0 ? side : p.z;
    return p;
}

static sdVec3 onCircle(TestRandom* random, int sides, float height) {
    float angle = 2.0f * SD_PI * (float)TestRandom_Int(random, sides) / (float)sides;
    return sdV3(sdCos(angle), height, sdSin(angle));
}

/// 1, 0.1, 0.01 ...
static float tenth(TestRandom* random, int count) {
    float r = 1.0f;
    for (int i = TestRandom_Int(random, count); i > 0; --i) {
        r *= 0.1f;
    }
    return r;
}

/// A point of a set, before it is turned.
static sdVec3 makePoint(TestPoints kind, TestRandom* random, int i, int side, sdVec3 size) {
    sdVec3 p = TestRandom_InBox(random, 1.0f);
    switch (kind) {
        case TEST_POINTS_SPHERE:
            return TestRandom_OnSphere(random);
        case TEST_POINTS_GRID:
        case TEST_POINTS_TURNED_GRID:
            return onGrid(random, side);
        case TEST_POINTS_PLANE_NOISE:
            return sdV3(p.x, p.y * (i == 0 ? 1.0f : 1e-4f), p.z);
        case TEST_POINTS_BOX_SURFACE:
            return onBox(random);
        case TEST_POINTS_CYLINDER:
            return onCircle(random, 8 * side, (float)(i % 2));
        case TEST_POINTS_CONE:
            return i == 0 ? sdV3(0.0f, 2.0f, 0.0f) : onCircle(random, 50 * side, 0.0f);
        case TEST_POINTS_NEAR_LINE:
            return sdV3(p.x, p.y * 1e-4f, p.z * 1e-4f);
        case TEST_POINTS_FLAT_NOISE:
            return sdV3(p.x, p.y * 1e-6f * (float)side, p.z);
        case TEST_POINTS_ELLIPSOID:
            return sdMul(size, TestRandom_OnSphere(random));
        case TEST_POINTS_CLUSTERS:
            p = sdScale(tenth(random, 8), p);
            return sdAdd(onGrid(random, 2), p);
        case TEST_POINTS_LENS:
            p.y = (1.0f - p.x * p.x - p.z * p.z) * size.y * (i % 2 == 0 ? 1.0f : -1.0f);
            return p.x * p.x + p.z * p.z > 1.0f ? onCircle(random, 16 * side, 0.0f) : p;
        case TEST_POINTS_BLADE:
            return sdV3(p.x, p.y * size.y * (1.0f + p.x), p.z);
        default:
            return TestRandom_InBall(random);
    }
}

void TestPoints_Fill(TestPoints kind, TestRandom* random, sdVec3* points, int count) {
    sdQuat turn = TestRandom_Rotation(random);
    int side = 2 + TestRandom_Int(random, 6);
    float y = tenth(random, 6), z = tenth(random, 6);
    sdVec3 size = sdV3(1.0f, y, z);
    for (int i = 0; i < count; ++i) {
        sdVec3 p = makePoint(kind, random, i, side, size);
        points[i] = kind == TEST_POINTS_GRID ? p : sdRotate(turn, p);
        if (kind == TEST_POINTS_DUPLICATES && i > 4 && TestRandom_Int(random, 2) == 0) {
            points[i] = points[TestRandom_Int(random, i)];
        }
    }
}
