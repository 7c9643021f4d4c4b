// SPDX-License-Identifier: MIT
// narrowphase.c - nearest or deepest points of two convex shapes by an algorithm of one's choice.
//
// In:   two convex shapes, B's pose in A's frame, the name of an algorithm.
// Out:  separation, normal, points. Never allocates.
// Note: what an algorithm cannot answer is left to one that can: V-Clip's overlaps to SAT, and all
//       that neither is for to GJK and EPA (see sdNarrowphase).

#include "narrow/narrowphase.h"

#include "narrow/gjk.h"
#include "narrow/segment.h"
#include "narrow/vclip.h"

const char* sdNarrowphase_Name(sdNarrowphase narrowphase) {
    static const char* const names[SD_NARROWPHASE_COUNT] = {"auto", "gjk", "sat", "vclip"};
    return sdNarrowphase_IsValid(narrowphase) ? names[narrowphase] : "unknown";
}

// ---- separating axes -----------------------------------------------------------------------

/// Both ends of a half-edge in A's frame.
static void endsOf(const sdPolyhedron* body, int edge, const sdPose* pose, sdVec3d ends[2]) {
    int tail = body->edges[edge].origin, head = body->edges[body->edges[edge].twin].origin;
    ends[0] = sdVec3d_From(body->vertices[tail]);
    ends[1] = sdVec3d_From(body->vertices[head]);
    for (int i = 0; i < 2 && pose != NULL; ++i) {
        ends[i] = sdPose_Point(pose, ends[i]);
    }
}

/// The deepest points along the axis of a facet.
static void setDeepest(const sdSatPair* pair, const sdFacet* facet, sdPairResult* out) {
    const sdConvexPair* convex = &pair->convex;
    sdVec3d n = facet->axis;
    int index;
    if (facet->type == SD_FEATURE_FACE_A) {
        out->pointB = sdConvexPair_SupportB(convex, sdScaleD(-1.0, n), &index);
        out->pointA = sdMulAddD(out->pointB, -facet->separation, n);
    } else if (facet->type == SD_FEATURE_FACE_B) {
        out->pointA = sdConvexPair_SupportA(convex, n, &index);
        out->pointB = sdMulAddD(out->pointA, facet->separation, n);
    } else {
        sdPose pose;
        sdVec3d a[2], b[2];
        sdConvexPair_GetPose(convex, &pose);
        endsOf(&pair->a, facet->indexA, NULL, a);
        endsOf(&pair->b, facet->indexB, &pose, b);
        sdSegmentPointsD points = sdClosestPointsOfSegmentsD(a[0], a[1], b[0], b[1]);
        out->pointA = points.pointA;
        out->pointB = points.pointB;
    }
}

/// @param limit bodies that are further apart need no nearest points, m
/// @return false when they are apart by less, or along the rim of a triangle
static bool separateByAxes(const sdSatPair* pair, double limit, sdPairResult* out) {
    sdFacet facet;
    out->iterations = sdSatPair_Search(pair, true, &facet);
    bool hasEdges = facet.indexA != SD_NULL_INDEX && facet.indexB != SD_NULL_INDEX;
    if ((facet.separation > 0.0 && facet.separation <= limit) ||
        (facet.type == SD_FEATURE_EDGE_EDGE && !hasEdges)) {
        return false;
    }
    out->separation = facet.separation;
    out->normal = facet.axis;
    setDeepest(pair, &facet, out);
    out->common = out->pointB;
    out->indexA = out->indexB = SD_NULL_INDEX;
    out->status = SD_STATUS_EXACT;
    out->isDeep = false;
    out->error = sdPairResult_Rounding(pair->convex.scale + sdLengthD(pair->convex.offset));
    return true;
}

// ---- by name -------------------------------------------------------------------------------

/// Whether a shape is a polyhedron whose corners are all at different places.
static bool hasFeatures(const sdShape* shape) {
    return (shape->type == SD_SHAPE_BOX || shape->type == SD_SHAPE_HULL ||
            shape->type == SD_SHAPE_TRIANGLE) &&
           sdVClip_IsFor(shape);
}

bool sdPair_SeparateBy(sdNarrowphase narrowphase, const sdShape* a, const sdShape* b,
                       sdTransform xfAB, double limit, sdPairCache* cache, sdPairResult* out) {
    sdSatPair pair;
    if (narrowphase == SD_NARROWPHASE_GJK || !hasFeatures(a) || !hasFeatures(b)) {
        if (!sdConvexPair_Init(&pair.convex, a, b, xfAB)) {
            return false;
        }
        sdGjk_Separate(&pair.convex, true, limit, cache, out);
        return true;
    }
    if (!sdSatPair_Init(&pair, a, b, xfAB)) {
        return false;
    }
    bool isVClip = narrowphase == SD_NARROWPHASE_VCLIP;
    if ((!isVClip || !sdVClip_Separate(&pair, cache, out)) && !separateByAxes(&pair, limit, out)) {
        sdGjk_Separate(&pair.convex, true, limit, isVClip ? NULL : cache, out);
    }
    return true;
}
