// SPDX-License-Identifier: MIT
// support_face.c - the faces, edges and corners that shapes touch with.
//
// In:   a convex shape, a unit direction in its frame.
// Out:  the polygon, segment or point that looks that way, in A's frame.
// Note: labels of sides are half-edges of polyhedra, and small numbers of their own for round
//       shapes. They stay the same while the same face is touched.

#include "narrow/support_face.h"

#include "geometry/hull.h"

/// An edge that is steeper than this sine is not touched along its length.
#define EDGE_TILT 0.5
/// Sine of the tilt up to which an edge of a hull is touched along its length for certain.
#define LEVEL_TILT 0.01
/// Corners of the octagon in a flat round end.
#define RIM_COUNT 8

// labels of round shapes
#define LABEL_LOWER_RIM 8

static void setPoint(sdSupportFace* face) {
    face->polygon.count = 1;
    face->polygon.points[0] =
        (sdClipPoint){{0.0, 0.0, 0.0}, SD_SUPPORT_LABEL_SIDE, SD_SUPPORT_LABEL_SIDE};
}

static void setSegment(sdSupportFace* face, sdVec3d from, sdVec3d to, int label) {
    face->polygon.count = 2;
    face->polygon.points[0] = (sdClipPoint){from, label + 1, label};
    face->polygon.points[1] = (sdClipPoint){to, label, label + 1};
}

static void setPolygon(sdSupportFace* face, const sdVec3d* corners, int count, int label,
                       sdVec3d normal) {
    sdClipPoint* points = face->polygon.points;
    for (int i = 0; i < count; ++i) {
        points[i] = (sdClipPoint){corners[i], label + (i > 0 ? i - 1 : count - 1), label + i};
    }
    face->polygon.count = count;
    face->normal = normal;
    face->index = SD_NULL_INDEX;
}

// ---- round shapes --------------------------------------------------------------------------

/// Unit vector across the y axis.
static sdVec3d radialOf(sdVec3d direction) {
    double length = sqrt(direction.x * direction.x + direction.z * direction.z);
    return length > 0.0 ? sdV3d(direction.x / length, 0.0, direction.z / length)
                        : sdV3d(1.0, 0.0, 0.0);
}

static void findOfCapsule(sdSupportFace* face, const sdCapsule* capsule, sdVec3d direction) {
    double half = (double)capsule->halfLength;
    if (!(fabs(direction.y) <= SD_SUPPORT_CAPSULE_TILT) || half <= 0.0) {
        setPoint(face);
        return;
    }
    sdVec3d side = sdScaleD((double)capsule->radius, radialOf(direction));
    setSegment(face, sdV3d(side.x, -half, side.z), sdV3d(side.x, half, side.z),
               SD_SUPPORT_LABEL_SIDE);
}

/// Fixed to the shape, so that a resting body keeps its points.
static void setRim(sdSupportFace* face, double radius, double height, int label) {
    const double r = radius * 0.70710678118654752440;
    const double x[RIM_COUNT] = {radius, r, 0.0, -r, -radius, -r, 0.0, r};
    // counter-clockwise seen from above is from z to x
    bool isTop = label < LABEL_LOWER_RIM;
    sdVec3d corners[RIM_COUNT];
    for (int i = 0; i < RIM_COUNT; ++i) {
        double z = x[(i + 2) % RIM_COUNT];
        corners[i] = sdV3d(x[i], height, isTop ? z : -z);
    }
    setPolygon(face, corners, RIM_COUNT, label, sdV3d(0.0, isTop ? 1.0 : -1.0, 0.0));
    face->index = isTop ? 0 : 1;
}

static void findOfCylinder(sdSupportFace* face, const sdCylinder* cylinder, sdVec3d direction) {
    double half = (double)cylinder->halfHeight, radius = (double)cylinder->radius;
    bool isFlat = fabs(direction.y) >= 0.5 && radius > 0.0;
    if (isFlat) {
        setRim(face, radius, copysign(half, direction.y), direction.y > 0.0 ? 0 : LABEL_LOWER_RIM);
    } else if (half > 0.0) {
        sdVec3d side = sdScaleD(radius, radialOf(direction));
        setSegment(face, sdV3d(side.x, -half, side.z), sdV3d(side.x, half, side.z),
                   SD_SUPPORT_LABEL_SIDE);
    } else {
        setPoint(face);
    }
}

static void findOfCone(sdSupportFace* face, const sdCone* cone, sdVec3d direction) {
    double half = (double)cone->halfHeight, radius = (double)cone->radius, height = 2.0 * half;
    sdVec3d radial = radialOf(direction);
    double across = sdDotD(direction, radial), length = sqrt(height * height + radius * radius);
    if (length <= 0.0) {
        setPoint(face);
        return;
    }
    // cosines of the angles to the slope and to the base
    double slope = (height * across + radius * direction.y) / length, base = -direction.y;
    sdVec3d rim = sdScaleD(radius, radial);
    if (base > slope && radius > 0.0) {
        setRim(face, radius, -half, LABEL_LOWER_RIM);
    } else if (slope > SD_SUPPORT_FACE_COSINE) {
        setSegment(face, sdV3d(rim.x, -half, rim.z), sdV3d(0.0, half, 0.0), SD_SUPPORT_LABEL_SIDE);
    } else {
        setPoint(face);
    }
}

// ---- polyhedra -----------------------------------------------------------------------------

/// The axis with the largest component and, by rotation, the other two.
static int largestAxis(sdVec3d d) {
    double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    return x >= y && x >= z ? 0 : (y >= z ? 1 : 2);
}

static void findOfBox(sdSupportFace* face, sdVec3 half, sdVec3d direction) {
    int axis = largestAxis(direction);
    const double h[3] = {(double)half.x, (double)half.y, (double)half.z};
    const double d[3] = {direction.x, direction.y, direction.z};
    int u = axis == 2 ? 0 : axis + 1, v = axis == 0 ? 2 : axis - 1;
    double side = copysign(1.0, d[axis]);
    int label = 4 * (2 * axis + (side < 0.0 ? 1 : 0));
    // counter-clockwise around the outward normal
    static const double turnU[4] = {1.0, -1.0, -1.0, 1.0}, turnV[4] = {1.0, 1.0, -1.0, -1.0};
    double corners[4][3];
    for (int i = 0; i < 4; ++i) {
        corners[i][axis] = side * h[axis];
        corners[i][u] = turnU[i] * h[u];
        corners[i][v] = side * turnV[i] * h[v];
    }
    sdVec3d points[4];
    for (int i = 0; i < 4; ++i) {
        points[i] = sdV3d(corners[i][0], corners[i][1], corners[i][2]);
    }
    sdVec3d normal = sdV3d(axis == 0 ? side : 0.0, axis == 1 ? side : 0.0, axis == 2 ? side : 0.0);
    if (h[u] > 0.0 && h[v] > 0.0) {
        setPolygon(face, points, 4, label, normal);
        face->index = label / 4;
    } else if (h[u] > 0.0 || h[v] > 0.0) {
        setSegment(face, points[0], points[2], label);
    } else {
        setPoint(face);
    }
}

/// Take an edge that is more level than the last, as seen along the direction.
/// @param tilt sine of the last one
static void tryEdge(sdSupportFace* face, sdVec3d direction, sdVec3d from, sdVec3d to, int label,
                    double* tilt) {
    sdVec3d edge = sdSubD(to, from);
    double along = fabs(sdDotD(edge, direction)), length = sdLengthD(edge);
    if (along < *tilt * length) {
        *tilt = along / length;
        setSegment(face, from, to, label);
    }
}

static void findOfTriangle(sdSupportFace* face, const sdVec3 vertices[3], sdVec3d direction) {
    sdVec3d c[3] = {sdVec3d_From(vertices[0]), sdVec3d_From(vertices[1]),
                    sdVec3d_From(vertices[2])};
    sdVec3d n = sdCrossD(sdSubD(c[1], c[0]), sdSubD(c[2], c[0]));
    double area = sdLengthD(n), along = sdDotD(n, direction);
    if (area > 0.0 && fabs(along) >= SD_SUPPORT_FACE_COSINE * area) {
        // the other side is seen with the corners the other way round
        sdVec3d turned[3] = {c[0], along < 0.0 ? c[2] : c[1], along < 0.0 ? c[1] : c[2]};
        setPolygon(face, turned, 3, along < 0.0 ? 3 : 0, sdScaleD(copysign(1.0 / area, along), n));
        return;
    }
    int top = 0;
    for (int i = 1; i < 3; ++i) {
        top = sdDotD(c[i], direction) > sdDotD(c[top], direction) ? i : top;
    }
    int next = top == 2 ? 0 : top + 1, last = top == 0 ? 2 : top - 1;
    double tilt = EDGE_TILT;
    setPoint(face);
    tryEdge(face, direction, c[top], c[next], 6 + 2 * top, &tilt);
    tryEdge(face, direction, c[last], c[top], 6 + 2 * last, &tilt);
}

/// The face that looks most along the direction: of those beside a level edge from the vertex, if
/// there is one, else of all around it.
static int faceAround(const sdHull* hull, int vertex, sdVec3d direction, double* cosine) {
    int first = hull->vertexEdges[vertex], edge = first;
    sdVec3d from = sdVec3d_From(hull->vertices[vertex]);
    int best = SD_NULL_INDEX, bestLevel = SD_NULL_INDEX;
    double most = -2.0, mostLevel = -2.0;
    for (int i = 0; i < hull->halfEdgeCount; ++i) {
        const sdHalfEdge *e = &hull->edges[edge], *twin = &hull->edges[e->twin];
        double facing = sdDotD(sdVec3d_From(hull->planes[e->face].normal), direction);
        sdVec3d along = sdSubD(sdVec3d_From(hull->vertices[twin->origin]), from);
        double rise = sdDotD(along, direction);
        bool isBetter = facing > most;
        best = isBetter ? e->face : best;
        most = isBetter ? facing : most;
        if (rise * rise <= LEVEL_TILT * LEVEL_TILT * sdDotD(along, along)) {
            double beyond = sdDotD(sdVec3d_From(hull->planes[twin->face].normal), direction);
            int face = beyond > facing ? twin->face : e->face;
            double better = beyond > facing ? beyond : facing;
            bestLevel = better > mostLevel ? face : bestLevel;
            mostLevel = better > mostLevel ? better : mostLevel;
        }
        edge = twin->next;
        if (edge == first) {
            break;
        }
    }
    bool hasLevel = bestLevel != SD_NULL_INDEX;
    *cosine = hasLevel ? mostLevel : most;
    return hasLevel ? bestLevel : best;
}

static void setHullEdge(sdSupportFace* face, const sdHull* hull, int vertex, sdVec3d direction) {
    int first = hull->vertexEdges[vertex], edge = first;
    sdVec3d from = sdVec3d_From(hull->vertices[vertex]);
    double tilt = EDGE_TILT;
    setPoint(face);
    for (int i = 0; i < hull->halfEdgeCount; ++i) {
        int twin = hull->edges[edge].twin;
        sdVec3d to = sdVec3d_From(hull->vertices[hull->edges[twin].origin]);
        tryEdge(face, direction, from, to, edge < twin ? edge : twin, &tilt);
        edge = hull->edges[twin].next;
        if (edge == first) {
            break;
        }
    }
}

/// Large faces by some of their corners.
static void setHullFace(sdSupportFace* face, const sdHull* hull, int index) {
    // half-edges of a face follow each other
    int first = hull->faceEdges[index];
    int end = index + 1 < hull->faceCount ? hull->faceEdges[index + 1] : hull->halfEdgeCount;
    // leave room for as many cuts
    const int room = SD_CLIP_MAX_POINTS / 2;
    int step = 1 + (end - first - 1) / room, count = 0;
    sdClipPolygon* polygon = &face->polygon;
    for (int e = first; e < end; e += step) {
        sdVec3d p = sdVec3d_From(hull->vertices[hull->edges[e].origin]);
        polygon->points[count++] = (sdClipPoint){p, e - 1, e};
    }
    polygon->points[0].in = end - 1;
    polygon->count = count;
    polygon->isThinned = step > 1;
    face->normal = sdVec3d_From(hull->planes[index].normal);
    face->index = index;
}

int sdSupportFace_OfHull(const sdHull* hull, sdVec3d direction, int vertex) {
    if (vertex < 0 || vertex >= hull->vertexCount) {
        vertex = sdHull_Support(hull, sdVec3d_Round(direction));
    }
    double cosine;
    int best = faceAround(hull, vertex, direction, &cosine);
    return cosine < SD_SUPPORT_FACE_COSINE ? SD_NULL_INDEX : best;
}

static void findOfHull(sdSupportFace* face, const sdHull* hull, sdVec3d direction, int vertex) {
    if (vertex < 0 || vertex >= hull->vertexCount) {
        vertex = sdHull_Support(hull, sdVec3d_Round(direction));
    }
    int index = sdSupportFace_OfHull(hull, direction, vertex);
    if (index == SD_NULL_INDEX) {
        setHullEdge(face, hull, vertex, direction);
    } else {
        setHullFace(face, hull, index);
    }
}

// ---- any shape -----------------------------------------------------------------------------

double sdSupport_Height(const sdShape* shape, sdVec3d d) {
    double across = sqrt(d.x * d.x + d.z * d.z);
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            return (double)shape->sphere.radius * sdLengthD(d);
        case SD_SHAPE_CAPSULE:
            return (double)shape->capsule.radius * sdLengthD(d) +
                   (double)shape->capsule.halfLength * fabs(d.y);
        case SD_SHAPE_BOX: {
            sdVec3d half = sdVec3d_From(shape->box.halfExtents);
            return half.x * fabs(d.x) + half.y * fabs(d.y) + half.z * fabs(d.z);
        }
        case SD_SHAPE_CYLINDER:
            return (double)shape->cylinder.radius * across +
                   (double)shape->cylinder.halfHeight * fabs(d.y);
        case SD_SHAPE_CONE: {
            double apex = (double)shape->cone.halfHeight * d.y;
            double rim = (double)shape->cone.radius * across - apex;
            return apex > rim ? apex : rim;
        }
        default:
            return sdDotD(d, sdVec3d_From(sdShape_Support(shape, sdVec3d_Round(d))));
    }
}

sdVec3d sdSupport_Point(const sdShape* shape, sdVec3d d) {
    double across = sqrt(d.x * d.x + d.z * d.z);
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            return sdScaleD((double)shape->sphere.radius, d);
        case SD_SHAPE_CAPSULE: {
            sdVec3d p = sdScaleD((double)shape->capsule.radius, d);
            p.y += copysign((double)shape->capsule.halfLength, d.y);
            return p;
        }
        case SD_SHAPE_BOX:
            return sdV3d(copysign((double)shape->box.halfExtents.x, d.x),
                         copysign((double)shape->box.halfExtents.y, d.y),
                         copysign((double)shape->box.halfExtents.z, d.z));
        case SD_SHAPE_CYLINDER:
        case SD_SHAPE_CONE: {
            bool isCone = shape->type == SD_SHAPE_CONE;
            double radius = (double)(isCone ? shape->cone.radius : shape->cylinder.radius);
            double half = (double)(isCone ? shape->cone.halfHeight : shape->cylinder.halfHeight);
            if (isCone && 2.0 * half * d.y > radius * across) {
                return sdV3d(0.0, half, 0.0);
            }
            double s = across > 0.0 ? radius / across : 0.0;
            return sdV3d(s * d.x, isCone ? -half : copysign(half, d.y), s * d.z);
        }
        default:
            return sdVec3d_From(sdShape_Support(shape, sdVec3d_Round(d)));
    }
}

static void place(sdSupportFace* face, const sdPose* pose) {
    if (pose == NULL) {
        return;
    }
    for (int i = 0; i < face->polygon.count; ++i) {
        face->polygon.points[i].p = sdPose_Point(pose, face->polygon.points[i].p);
    }
    face->normal = sdPose_Rotate(pose, face->normal);
}

void sdSupportFace_SetHullFace(sdSupportFace* face, const sdHull* hull, int index,
                               const sdPose* pose) {
    setHullFace(face, hull, index);
    place(face, pose);
}

void sdSupportFace_Find(sdSupportFace* face, const sdShape* shape, sdVec3d direction, int vertex,
                        const sdPose* pose) {
    face->polygon.isThinned = false;
    switch (shape->type) {
        case SD_SHAPE_CAPSULE:
            findOfCapsule(face, &shape->capsule, direction);
            break;
        case SD_SHAPE_BOX:
            findOfBox(face, shape->box.halfExtents, direction);
            break;
        case SD_SHAPE_CYLINDER:
            findOfCylinder(face, &shape->cylinder, direction);
            break;
        case SD_SHAPE_CONE:
            findOfCone(face, &shape->cone, direction);
            break;
        case SD_SHAPE_TRIANGLE:
            findOfTriangle(face, shape->triangle.vertices, direction);
            break;
        case SD_SHAPE_HULL:
            findOfHull(face, shape->hull, direction, vertex);
            break;
        default:
            setPoint(face);
            break;
    }
    place(face, pose);
}
