// SPDX-License-Identifier: MIT
// explain_features.c - nearest features of two polyhedra step by step, as V-Clip finds them; and
// what it shares with explain.c.
//
// In:   two boxes or hulls.
// Out:  a line for each pair of features on the way.
// Ref:  B. Mirtich, "V-Clip: fast and robust polyhedral collision detection", 1998.
// Note: V-Clip tells by Voronoi regions which neighbour of a feature is nearer. Here the distances
//       of all neighbours are compared, which leads the same way and needs no cases.

#include "explain.h"
#include "pair.h"

#include <float.h>

#define MAX_STEPS 200
#define MAX_ITERATIONS 64
/// Corners of a face that are looked at.
#define MAX_CORNERS 64
/// Neighbours of a feature that are looked at.
#define MAX_NEIGHBOURS 256

// ---- simplices and hulls -------------------------------------------------------------------

/// The point of the affine hull of some points that is nearest to the origin, if it lies between
/// them.
static bool nearestInside(const Vec* p, int count, Vec* out) {
    double matrix[3][4] = {{0.0}}, t[3];
    int n = count - 1;
    for (int i = 0; i < n; ++i) {
        Vec e = sub(p[i + 1], p[0]);
        for (int k = 0; k < n; ++k) {
            matrix[i][k] = dot(e, sub(p[k + 1], p[0]));
        }
        matrix[i][n] = -dot(e, p[0]);
    }
    // Gauss and Jordan, largest pivot first
    for (int i = 0; i < n; ++i) {
        int best = i;
        for (int k = i + 1; k < n; ++k) {
            best = fabs(matrix[k][i]) > fabs(matrix[best][i]) ? k : best;
        }
        for (int c = 0; c <= n; ++c) {
            double swap = matrix[i][c];
            matrix[i][c] = matrix[best][c];
            matrix[best][c] = swap;
        }
        if (!(fabs(matrix[i][i]) > 1e-300)) {
            return false;
        }
        for (int k = 0; k < n; ++k) {
            double factor = k != i ? matrix[k][i] / matrix[i][i] : 0.0;
            for (int c = 0; c <= n; ++c) {
                matrix[k][c] -= factor * matrix[i][c];
            }
        }
    }
    double sum = 0.0;
    *out = p[0];
    for (int i = 0; i < n; ++i) {
        t[i] = matrix[i][n] / matrix[i][i];
        sum += t[i];
        *out = mulAdd(*out, t[i], sub(p[i + 1], p[0]));
        if (!(t[i] >= 0.0)) {
            return false;
        }
    }
    return sum <= 1.0;
}

Vec CliSimplex_Reduce(CliSimplex* simplex) {
    Vec best = {DBL_MAX, 0.0, 0.0};
    double least = DBL_MAX;
    int kept = 1;
    for (int mask = 1; mask < 1 << simplex->count; ++mask) {
        Vec part[4] = {{0.0, 0.0, 0.0}}, point;
        int count = 0;
        for (int i = 0; i < simplex->count; ++i) {
            if ((mask >> i & 1) != 0) {
                part[count++] = simplex->points[i];
            }
        }
        if (nearestInside(part, count, &point) && dot(point, point) < least) {
            least = dot(point, point);
            best = point;
            kept = mask;
        }
    }
    int count = 0;
    for (int i = 0; i < simplex->count; ++i) {
        if ((kept >> i & 1) != 0) {
            simplex->points[count++] = simplex->points[i];
        }
    }
    simplex->count = count;
    return best;
}

sdHull* CliExplain_HullOf(const sdShape* shape) {
    if (shape->type == SD_SHAPE_HULL) {
        sdHull_Retain(shape->hull);
        return (sdHull*)(uintptr_t)shape->hull;
    }
    sdHull* hull = NULL;
    if (shape->type == SD_SHAPE_BOX) {
        sdVec3 points[8], h = shape->box.halfExtents;
        for (int i = 0; i < 8; ++i) {
            points[i] = sdV3((i & 1) != 0 ? h.x : -h.x, (i & 2) != 0 ? h.y : -h.y,
                             (i & 4) != 0 ? h.z : -h.z);
        }
        sdHullDef def = sdHullDef_Default();
        def.points = points;
        def.pointCount = 8;
        sdHull_Create(NULL, &def, &hull);
    }
    return hull;
}

// ---- features ------------------------------------------------------------------------------

typedef enum FeatureKind { VERTEX, EDGE, FACE } FeatureKind;

typedef struct Feature {
    FeatureKind kind;
    int index; ///< vertex, half-edge or face
} Feature;

typedef struct Body {
    const sdHull* hull;
    const sdVec3* vertices;
    const sdHalfEdge* edges;
    const int32_t *vertexEdges, *faceEdges;
    sdTransform xf;
} Body;

static Body openBody(const sdHull* hull, sdTransform xf) {
    int count;
    return (Body){hull,
                  sdHull_GetVertices(hull, &count),
                  sdHull_GetEdges(hull, &count),
                  sdHull_GetVertexEdges(hull),
                  sdHull_GetFaceEdges(hull),
                  xf};
}

static Vec cornerAt(const Body* body, int vertex) {
    return toVec(sdTransformPoint(body->xf, body->vertices[vertex]));
}

/// The corners that span a feature.
static int listCorners(const Body* body, Feature f, Vec* out) {
    if (f.kind == VERTEX) {
        out[0] = cornerAt(body, f.index);
        return 1;
    }
    if (f.kind == EDGE) {
        out[0] = cornerAt(body, body->edges[f.index].origin);
        out[1] = cornerAt(body, body->edges[body->edges[f.index].next].origin);
        return 2;
    }
    int count = 0, first = body->faceEdges[f.index], e = first;
    do {
        out[count++] = cornerAt(body, body->edges[e].origin);
        e = body->edges[e].next;
    } while (e != first && count < MAX_CORNERS);
    return count;
}

/// What a feature touches and is touched by.
static int listNeighbours(const Body* body, Feature f, Feature* out) {
    int count = 0;
    if (f.kind == VERTEX) {
        int first = body->vertexEdges[f.index], e = first;
        do {
            out[count++] = (Feature){EDGE, e};
            e = body->edges[body->edges[e].twin].next;
        } while (e != first && count < MAX_NEIGHBOURS);
    } else if (f.kind == EDGE) {
        const sdHalfEdge* edge = &body->edges[f.index];
        out[count++] = (Feature){VERTEX, edge->origin};
        out[count++] = (Feature){VERTEX, body->edges[edge->next].origin};
        out[count++] = (Feature){FACE, edge->face};
        out[count++] = (Feature){FACE, body->edges[edge->twin].face};
    } else {
        int first = body->faceEdges[f.index], e = first;
        do {
            out[count++] = (Feature){EDGE, e};
            e = body->edges[e].next;
        } while (e != first && count < MAX_NEIGHBOURS);
    }
    return count;
}

// ---- distance ------------------------------------------------------------------------------

static Vec furthest(const Vec* points, int count, Vec d) {
    Vec best = points[0];
    for (int i = 1; i < count; ++i) {
        best = dot(points[i], d) > dot(best, d) ? points[i] : best;
    }
    return best;
}

/// Of the hulls of two small sets of points, by GJK.
static double distanceOf(const Body* bodies, const Feature* features) {
    Vec a[MAX_CORNERS], b[MAX_CORNERS];
    int n = listCorners(&bodies[0], features[0], a), m = listCorners(&bodies[1], features[1], b);
    CliSimplex simplex = {.points = {sub(a[0], b[0])}, .count = 1};
    Vec v = simplex.points[0];
    for (int i = 0; i < MAX_ITERATIONS && simplex.count < 4 && norm(v) > 1e-9; ++i) {
        Vec back = {-v.x, -v.y, -v.z};
        Vec w = sub(furthest(a, n, back), furthest(b, m, v));
        if (dot(v, v) - dot(v, w) <= 1e-10 * dot(v, v)) {
            break;
        }
        simplex.points[simplex.count++] = w;
        v = CliSimplex_Reduce(&simplex);
    }
    return simplex.count == 4 ? 0.0 : norm(v);
}

/// A neighbour that is nearer, or as near and smaller, takes the place of a feature.
/// @return whether there was one
static bool stepOn(const Body* bodies, Feature* features, double* distance) {
    for (int side = 0; side < 2; ++side) {
        Feature neighbours[MAX_NEIGHBOURS], best = features[side];
        double least = *distance;
        int count = listNeighbours(&bodies[side], features[side], neighbours);
        for (int i = 0; i < count; ++i) {
            Feature pair[2] = {features[0], features[1]};
            pair[side] = neighbours[i];
            double d = distanceOf(bodies, pair);
            bool isNearer = d < least * (1.0 - 1e-7);
            bool isSmaller = d <= least * (1.0 + 1e-9) && neighbours[i].kind < best.kind;
            if (isNearer || isSmaller) {
                least = d < least ? d : least;
                best = neighbours[i];
            }
        }
        if (best.kind != features[side].kind || best.index != features[side].index) {
            features[side] = best;
            *distance = least;
            return true;
        }
    }
    return false;
}

void CliExplain_Features(const sdShape* a, const sdShape* b, sdTransform xfAB) {
    static const char* const names[] = {"vertex", "edge", "face"};
    sdHull *hullA = CliExplain_HullOf(a), *hullB = CliExplain_HullOf(b);
    if (hullA == NULL || hullB == NULL) {
        printf("V-Clip: for boxes and hulls only\n");
    } else {
        Body bodies[2] = {openBody(hullA, sdTransform_Identity()), openBody(hullB, xfAB)};
        Feature features[2] = {{VERTEX, 0}, {VERTEX, 0}};
        double distance = distanceOf(bodies, features);
        bool isMoving = true;
        printf("V-Clip: from feature to feature, each nearer to the other body\n");
        for (int i = 1; i <= MAX_STEPS && isMoving; ++i) {
            printf("  %2d  %s %d of A, %s %d of B: %.9g\n", i, names[features[0].kind],
                   features[0].index, names[features[1].kind], features[1].index, distance);
            isMoving = distance > 0.0 && stepOn(bodies, features, &distance);
        }
        printf("      %s\n",
               distance > 0.0 ? "no neighbour is nearer" : "the features meet: the bodies overlap");
    }
    sdHull_Release(hullA);
    sdHull_Release(hullB);
}
