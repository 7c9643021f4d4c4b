// SPDX-License-Identifier: MIT
// toi_mesh.c - time of impact of meshes and compounds, piece by piece.
//
// In:   two bodies in motion, at least one of them a mesh or compound.
// Out:  the first contact of any two of their pieces.
// Note: pieces that are further apart at the start than the bodies can travel until the best time
//       so far are not looked at; the nearest come first. Never allocates.

#include "geometry/compound.h"
#include "narrow/collide_mesh_pieces.h"
#include "narrow/toi.h"

/// Of the boxes' places in single precision, and of the pieces' own targets, as a part of sizes and
/// distances.
#define ROUNDING 4e-5

typedef struct Search {
    sdPieceSearch base;
    sdToi* whole;
    double speed;
    double slack; ///< m, of the target and of rounding
    sdToiResult best;
    bool isInside;
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

/// Boxes that are further apart cannot meet until the best time.
static float boundOf(const Search* search) {
    return (float)(search->speed * (double)search->best.time + search->slack);
}

static float visitPiece(void* arg, const sdPiecePair* pair) {
    Search* search = arg;
    sdToi* whole = search->whole;
    sdToiResult* best = &search->best;
    sdToi toi = {.kind = SD_TOI_CONVEX, .end = (double)best->time, .status = SD_STATUS_TOLERANCE};
    setPiece(&toi.a, &whole->a, whole->input->a, pair->childA);
    setPiece(&toi.b, &whole->b, whole->input->b, pair->childB);
    if (!sdToi_SetConvex(&toi, &pair->a, &pair->b)) {
        whole->status = SD_STATUS_INVALID;
        return SD_WALK_STOP;
    }
    sdToi_SetTarget(&toi, whole->input->target);
    sdToiResult hit = sdToi_Advance(&toi);
    whole->iterations += hit.iterations;
    if (hit.state != SD_TOI_SEPARATED) {
        *best = hit;
        search->base.isTouching = hit.state == SD_TOI_OVERLAPPED;
    }
    return hit.state == SD_TOI_OVERLAPPED ? SD_WALK_STOP : boundOf(search);
}

static float visitInside(void* arg, const sdPieceSearch* inside) {
    (void)inside;
    ((Search*)arg)->isInside = true;
    return SD_WALK_STOP;
}

sdToiResult sdToi_AdvancePieces(sdToi* toi) {
    const sdToiInput* input = toi->input;
    sdTransform xf = sdInvMulXf(input->sweepA.start, input->sweepB.start);
    Search search = {.whole = toi, .speed = sdToi_MaxSpeed(toi), .best = sdToi_NoContact(toi)};
    if (!sdPieceSearch_Init(&search.base, input->a, input->b, xf)) {
        return (sdToiResult){.status = SD_STATUS_INVALID};
    }
    search.slack =
        2.0 * toi->target + ROUNDING * (toi->a.radius + toi->b.radius + (double)sdLength(xf.p));
    search.base.bound = boundOf(&search);
    search.base.visit = visitPiece;
    search.base.visitInside = visitInside;
    search.base.arg = &search;
    sdPieceSearch_Run(&search.base);
    if (toi->status == SD_STATUS_INVALID) {
        return (sdToiResult){.status = SD_STATUS_INVALID};
    }
    if (search.isInside || search.best.state == SD_TOI_OVERLAPPED) {
        return sdToi_Overlapped(toi);
    }
    search.best.iterations = toi->iterations;
    return search.best;
}
