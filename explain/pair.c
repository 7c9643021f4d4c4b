// SPDX-License-Identifier: MIT
// pair.c - two bodies as the algorithms see them: supports of A - B, its hull, simplices; and the
// library's own answer.

#include "trace.h"

#include "support.h"

#include <float.h>
#include <stdlib.h>

/// Vertices of both bodies up to which all their differences are taken; directions for the others.
#define MAX_DIFFERENCES 4096
#define DIRECTIONS 320
#define DIRECTIONS_2D 96

// ---- pair ----------------------------------------------------------------------------------

Pair sdExplain_MakePair(const sdShape* a, const sdShape* b, sdTransform xfAB) {
    sdAABB boxA = sdShape_GetBounds(a, sdTransform_Identity());
    sdAABB boxB = sdShape_GetBounds(b, sdTransform_Identity());
    double size = (double)sdLength(sdSub(boxA.upper, boxA.lower)) +
                  (double)sdLength(sdSub(boxB.upper, boxB.lower));
    return (Pair){.a = a, .b = b, .xfAB = xfAB, .size = size};
}

static double spanOf(const sdPolygon2* p) {
    double most = 0.0;
    for (int i = 0; i < p->count; ++i) {
        most = fmax(most, norm(sub(toVec2(p->vertices[i]), toVec2(p->vertices[0]))));
    }
    return most + 2.0 * (double)p->radius;
}

Pair sdExplain_MakePlanarPair(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xfAB) {
    return (Pair){.a2 = a,
                  .b2 = b,
                  .xfAB = sdTransform_Identity(),
                  .xfAB2 = xfAB,
                  .size = spanOf(a) + spanOf(b)};
}

static Vec supportOf(const sdPolygon2* p, sdVec2 unit) {
    int best = sdProject2(p->vertices, p->count, unit, SD_PROJECT2_SCAN).upperIndex;
    sdVec2 v = p->vertices[best];
    return toVec2(sdV2(v.x + p->radius * unit.x, v.y + p->radius * unit.y));
}

SupportPoint sdExplain_Support(const Pair* pair, Vec direction) {
    // of any length, but floats should not lose it
    double length = norm(direction);
    Vec unit = length > 0.0 ? scale(1.0 / length, direction) : (Vec){1.0, 0.0, 0.0};
    SupportPoint r;
    if (pair->a2 != NULL) {
        sdVec2 d = sdV2((float)unit.x, (float)unit.y);
        sdVec2 back = sdTransform2_Vector(sdTransform2_Inverse(pair->xfAB2), sdV2(-d.x, -d.y));
        Vec b = supportOf(pair->b2, back);
        r.a = supportOf(pair->a2, d);
        r.b = toVec2(sdTransform2_Point(pair->xfAB2, sdV2((float)b.x, (float)b.y)));
    } else {
        sdVec3 back = sdInvRotate(pair->xfAB.q, sdNeg(toFloats(unit)));
        r.a = toVec(sdShape_Support(pair->a, toFloats(unit)));
        r.b = toVec(sdTransformPoint(pair->xfAB, sdShape_Support(pair->b, back)));
    }
    r.w = sub(r.a, r.b);
    return r;
}

Answer sdExplain_Ask(const Pair* pair, bool wantsDepth) {
    if (pair->a2 != NULL) {
        sdSeparation2 s = wantsDepth ? sdPenetration2(pair->a2, pair->b2, pair->xfAB2)
                                     : sdDistance2(pair->a2, pair->b2, pair->xfAB2);
        return (Answer){(double)s.separation, toVec2(s.pointA), toVec2(s.pointB)};
    }
    sdSeparation s = wantsDepth ? sdPenetration(pair->a, pair->b, pair->xfAB, NULL)
                                : sdDistance(pair->a, pair->b, pair->xfAB, NULL);
    return (Answer){(double)s.separation, toVec(s.pointA), toVec(s.pointB)};
}

// ---- hulls ---------------------------------------------------------------------------------

static sdHull* makeHull(const sdVec3* points, int count) {
    sdContext context = sdContext_Default();
    sdHull* hull = NULL;
    sdRender_MakeHull(&context, points, count, &hull);
    return hull;
}

sdHull* sdExplain_HullOf(const sdShape* shape) {
    if (shape->type == SD_SHAPE_HULL) {
        sdHull_Retain(shape->hull);
        return (sdHull*)(uintptr_t)shape->hull;
    }
    if (shape->type != SD_SHAPE_BOX) {
        return NULL;
    }
    sdVec3 points[8], h = shape->box.halfExtents;
    for (int i = 0; i < 8; ++i) {
        points[i] =
            sdV3((i & 1) != 0 ? h.x : -h.x, (i & 2) != 0 ? h.y : -h.y, (i & 4) != 0 ? h.z : -h.z);
    }
    return makeHull(points, 8);
}

/// Differences of all vertices, where there are not too many.
/// @return how many
static int listDifferences(const Pair* pair, sdVec3* out) {
    sdHull *a = sdExplain_HullOf(pair->a), *b = sdExplain_HullOf(pair->b);
    int countA = 0, countB = 0, count = 0;
    if (a != NULL && b != NULL) {
        const sdVec3 *va = sdHull_GetVertices(a, &countA), *vb = sdHull_GetVertices(b, &countB);
        for (int i = 0; i < countA && countA * countB <= MAX_DIFFERENCES; ++i) {
            for (int k = 0; k < countB; ++k) {
                out[count++] = sdSub(va[i], sdTransformPoint(pair->xfAB, vb[k]));
            }
        }
    }
    sdHull_Release(a);
    sdHull_Release(b);
    return count;
}

static void drawPlanarDifference(sdExplanation* e, const Pair* pair) {
    Vec last = sdExplain_Support(pair, (Vec){1.0, 0.0, 0.0}).w;
    for (int i = 1; i <= DIRECTIONS_2D; ++i) {
        double angle = 2.0 * 3.14159265358979 * i / DIRECTIONS_2D;
        Vec next = sdExplain_Support(pair, (Vec){cos(angle), sin(angle), 0.0}).w;
        if (norm(sub(next, last)) > 1e-6 * pair->size) {
            sdTrace_Line(e, IN_DIFFERENCE, SD_MARK_DIFFERENCE, last, next);
            last = next;
        }
    }
}

void sdExplain_Difference(sdExplanation* e, const Pair* pair) {
    if (pair->a2 != NULL) {
        drawPlanarDifference(e, pair);
        return;
    }
    sdVec3* points = malloc(MAX_DIFFERENCES * sizeof *points);
    if (points == NULL) {
        return;
    }
    int count = listDifferences(pair, points);
    // what is round: directions spread over a sphere along a spiral
    for (int i = 0; count < DIRECTIONS && i < DIRECTIONS; ++i) {
        double z = 1.0 - (2.0 * i + 1.0) / DIRECTIONS, r = sqrt(1.0 - z * z), t = 2.39996323 * i;
        points[i] = toFloats(sdExplain_Support(pair, (Vec){r * cos(t), r * sin(t), z}).w);
        count = i + 1 == DIRECTIONS ? DIRECTIONS : count;
    }
    sdHull* hull = makeHull(points, count);
    free(points);
    if (hull == NULL) {
        return;
    }
    int edgeCount, vertexCount;
    const sdHalfEdge* edges = sdHull_GetEdges(hull, &edgeCount);
    const sdVec3* v = sdHull_GetVertices(hull, &vertexCount);
    for (int i = 0; i < edgeCount; ++i) {
        if (i < edges[i].twin) {
            sdTrace_Line(e, IN_DIFFERENCE, SD_MARK_DIFFERENCE, toVec(v[edges[i].origin]),
                         toVec(v[edges[edges[i].twin].origin]));
        }
    }
    sdHull_Release(hull);
}

// ---- simplices -----------------------------------------------------------------------------

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

Vec sdSimplex_Reduce(Simplex* simplex) {
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
