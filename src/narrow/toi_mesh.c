// SPDX-License-Identifier: MIT
// toi_mesh.c - time of impact of meshes and compounds, piece by piece.
//
// In:   two bodies in motion, at least one of them a mesh or compound.
// Out:  the first contact of any two of their pieces.
// Note: the motion is cut into intervals in which the bodies travel no further than the smaller of
//       them is wide. In each, pieces that are further apart in the middle of it than the bodies
//       can travel in half of it are not looked at; so a long way over a large mesh costs what it
//       meets. Where there is nothing, intervals grow. Never allocates.
//       A body that touches pieces at the start goes beyond them: they are held by planes.

#include "geometry/compound.h"
#include "narrow/collide_mesh_pieces.h"
#include "narrow/toi.h"

/// Of the boxes' places in single precision, and of the pieces' own targets, as a part of sizes and
/// distances.
#define ROUNDING 4e-5
/// Of poses on the way, as a part of where they start and how far they go.
#define POSE_ROUNDING 1e-6
/// The shortest interval.
#define MIN_LENGTH (1.0 / 512.0)
/// Part of the larger body that the smaller is taken to be at least.
#define SMALL_PART 1e-3

typedef struct Search {
    sdPieceSearch base;
    sdToi* whole;
    double speed;
    double slack; ///< m, of the target and of rounding
    double from, middle;
    bool isProbe; ///< only whether there is anything in the interval
    bool isEmpty;
    sdToiResult best;
} Search;

/// The motion of a body's piece: the same, in the frame of the child.
static void setPiece(sdToiBody* piece, const sdToiBody* body, const sdShape* whole, int child) {
    *piece = *body;
    if (whole->type != SD_SHAPE_COMPOUND) {
        return;
    }
    sdPose own;
    sdPose_Set(&own, whole->compound->children[child].xf);
    for (int i = 0; i < 3; ++i) {
        piece->start.columns[i] = sdPose_Rotate(&body->start, own.columns[i]);
    }
    piece->start.offset = sdPose_Point(&body->start, own.offset);
    piece->local = sdPose_InvPoint(&own, body->local);
}

/// Boxes that are further apart in the middle of the interval cannot meet until the best time.
static float boundOf(const Search* search) {
    double until = (double)search->best.time - search->middle;
    double since = search->middle - search->from;
    return (float)(search->speed * fmax(since, until) + search->slack);
}

// ---- beyond planes -------------------------------------------------------------------------

/// Whether a piece of B does not rise above some plane.
static bool isBelow(const sdToi* whole, const sdPiecePair* pair) {
    const sdShape* shape = whole->input->b;
    bool isChild = shape->type == SD_SHAPE_COMPOUND;
    sdTransform xf = isChild ? shape->compound->children[pair->childB].xf : sdTransform_Identity();
    for (int i = 0; i < whole->planeCount; ++i) {
        const sdToiPlane* plane = &whole->planes[i];
        float lower, upper;
        sdProject(&pair->b, sdInvRotate(xf.q, plane->normal), SD_PROJECT_SCAN, &lower, &upper);
        if (upper + sdDot(plane->normal, xf.p) <= plane->offset) {
            return true;
        }
    }
    return false;
}

/// Velocity of a body's point at a time.
static sdVec3 velocityAt(const sdToiBody* body, sdVec3 point, float time) {
    sdVec3 v = sdVec3d_Round(body->velocity);
    sdVec3 center = sdMulAdd(sdVec3d_Round(body->center), time, v);
    return sdAdd(v, sdCross(sdVec3d_Round(body->spin), sdSub(point, center)));
}

/// Let a triangle of a mesh be met along its own normal.
/// @return false when the body does not come nearer to its plane
static bool faceTriangle(const sdToi* toi, const sdTriangle* triangle, sdToiResult* hit) {
    const sdSweep* sweep = &toi->input->sweepB;
    const sdVec3* v = triangle->vertices;
    sdVec3 normal = sdCross(sdSub(v[1], v[0]), sdSub(v[2], v[0]));
    float length = sdLength(normal);
    if (!(length > 0.0f)) {
        return false;
    }
    // from the side on which the body was
    sdVec3 center = sdInvTransformPoint(sweep->start, sdVec3d_Round(toi->a.center));
    float side = sdDot(normal, sdSub(center, v[0]));
    normal = sdScale(side > 0.0f ? -1.0f / length : 1.0f / length, normal);
    hit->normal = sdRotate(sdSweep_Pose(sweep, hit->time).q, normal);
    sdVec3 approach = sdSub(velocityAt(&toi->a, hit->point, hit->time),
                            velocityAt(&toi->b, hit->point, hit->time));
    return sdDot(hit->normal, approach) > 0.0f;
}

/// A piece that is neither below a plane nor touched at the start.
static sdToiResult advanceBeyond(sdToi* toi, const sdShape* piece) {
    if (sdToi_Measure(toi, 0.0, false) <= toi->target + toi->tolerance) {
        return sdToi_NoContact(toi);
    }
    sdToiResult hit = sdToi_Advance(toi);
    bool isFace = toi->input->b->type == SD_SHAPE_MESH;
    bool isMet = hit.state == SD_TOI_HIT && (!isFace || faceTriangle(toi, &piece->triangle, &hit));
    return isMet ? hit : sdToi_NoContact(toi);
}

// ---- pieces --------------------------------------------------------------------------------

static float visitPiece(void* arg, const sdPiecePair* pair) {
    Search* search = arg;
    sdToi* whole = search->whole;
    sdToiResult* best = &search->best;
    if (whole->planes != NULL && isBelow(whole, pair)) {
        return boundOf(search);
    }
    search->isEmpty = false;
    if (search->isProbe) {
        return SD_WALK_STOP;
    }
    sdToi toi = {.kind = SD_TOI_CONVEX,
                 .input = whole->input,
                 .begin = search->from,
                 .end = (double)best->time,
                 .status = SD_STATUS_TOLERANCE};
    setPiece(&toi.a, &whole->a, whole->input->a, pair->childA);
    setPiece(&toi.b, &whole->b, whole->input->b, pair->childB);
    if (!sdToi_SetConvex(&toi, &pair->a, &pair->b)) {
        whole->status = SD_STATUS_INVALID;
        return SD_WALK_STOP;
    }
    sdToi_SetTarget(&toi, whole->input->target);
    sdToiResult hit = whole->planes != NULL ? advanceBeyond(&toi, &pair->b) : sdToi_Advance(&toi);
    whole->iterations += hit.iterations;
    if (hit.state != SD_TOI_SEPARATED) {
        *best = hit;
        search->base.isTouching = hit.state == SD_TOI_OVERLAPPED;
    }
    return hit.state == SD_TOI_OVERLAPPED ? SD_WALK_STOP : boundOf(search);
}

/// The first contact within an interval; best.time is its end where there is none.
static bool searchInterval(Search* search, double from, double to) {
    const sdToiInput* input = search->whole->input;
    float middle = (float)(0.5 * (from + to));
    sdTransform xfA = sdSweep_Pose(&input->sweepA, middle);
    sdTransform xfB = sdSweep_Pose(&input->sweepB, middle);
    sdTransform xf = sdInvMulXf(xfA, xfB);
    xf.q = sdNormalizeQ(xf.q);
    if (!sdPieceSearch_Init(&search->base, input->a, input->b, xf)) {
        return false;
    }
    const sdToi* whole = search->whole;
    double ways =
        (double)(sdLength(input->sweepA.start.p) + sdLength(input->sweepB.start.p) +
                 sdLength(input->sweepA.translation) + sdLength(input->sweepB.translation));
    search->slack = 2.0 * whole->target + POSE_ROUNDING * (ways + search->speed) +
                    ROUNDING * (whole->a.radius + whole->b.radius + (double)sdLength(xf.p));
    search->from = from;
    search->middle = (double)middle;
    search->isEmpty = true;
    search->best = sdToi_NoContact(whole);
    search->best.time = (float)to;
    // not before the end by rounding
    search->best.time =
        (double)search->best.time < to ? nextafterf(search->best.time, 2.0f) : search->best.time;
    search->base.bound = boundOf(search);
    search->base.visit = visitPiece;
    search->base.arg = search;
    sdPieceSearch_Run(&search->base);
    return search->whole->status != SD_STATUS_INVALID;
}

/// In which the bodies travel as far as the smaller one is wide.
static double intervalLength(const sdToi* toi, double speed) {
    double less = fmin(toi->a.radius, toi->b.radius), more = fmax(toi->a.radius, toi->b.radius);
    double width = 2.0 * fmax(less, SMALL_PART * more);
    double length = speed > width ? width / speed : 1.0;
    return fmax(length, MIN_LENGTH);
}

sdToiResult sdToi_AdvancePieces(sdToi* toi) {
    const sdToiInput* input = toi->input;
    if (toi->planes == NULL) {
        sdTransform start = sdInvMulXf(input->sweepA.start, input->sweepB.start);
        sdOverlapResult overlap = sdMeshPair_Overlap(input->a, input->b, start);
        if (overlap.status == SD_STATUS_INVALID) {
            return (sdToiResult){.status = SD_STATUS_INVALID};
        }
        if (overlap.isOverlapping) {
            return sdToi_Overlapped(toi);
        }
    }
    Search search = {.whole = toi, .speed = sdToi_MaxSpeed(toi)};
    double shortest = intervalLength(toi, search.speed), length = shortest;
    for (double from = 0.0; from < 1.0;) {
        double to = from + length < 1.0 ? from + length : 1.0;
        search.isProbe = length > shortest;
        if (!searchInterval(&search, from, to)) {
            return (sdToiResult){.status = SD_STATUS_INVALID};
        }
        if (search.isProbe && !search.isEmpty) {
            length = fmax(0.25 * length, shortest);
            continue;
        }
        search.best.iterations = toi->iterations;
        if (search.best.state == SD_TOI_OVERLAPPED) {
            return sdToi_Overlapped(toi);
        }
        if (search.best.state == SD_TOI_HIT) {
            return search.best;
        }
        length = search.isEmpty ? 2.0 * length : shortest;
        from = to;
    }
    return search.best;
}
