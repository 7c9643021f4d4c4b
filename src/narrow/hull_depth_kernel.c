// SPDX-License-Identifier: MIT
// hull_depth_kernel.c - penetration depth of two small hulls, by the axes that bounds leave over.
//
// In:   two hulls of up to SD_HULL_SMALL vertices.
// Out:  what EPA gives: depth, normal, witness points, error; of bodies that are apart the nearest
//       points, where these are on a face and a vertex or on two edges. Never allocates.
// Ref:  Gregorius, "The Separating Axis Test between Convex Polyhedra", GDC 2013 (arcs on the
//       sphere of normals).
// Note: let h(n) be how far B must go along n to leave A; the depth is the least h. Normals of the
//       faces of A, and arcs between those of faces that share an edge, divide the sphere of
//       directions into cells, each with the vertex p of A that is furthest there; those of B do so
//       with its vertices q. Where cells overlap, h(n) = n·(p - q), and where that is positive it
//       is least at a corner: at a face of A, a face of B, or where an arc of A crosses one of B.
//       Few of these axes need a look. Any point x of B bounds h(n) >= n·(p - x) on the faces and
//       arcs at p, and on an arc this is least at an end. So:
//         1. a ball in B bounds all faces of A, eight at a time, and one in A those of B;
//         2. of each body, the face of the least bound is asked for its depth: a first limit. The
//            vertex that has it is a second bound of all faces;
//         3. faces that neither bound passes over are asked: of 60, three or four;
//         4. edges at faces that the ball left over are passed over when one vertex of the other is
//            deep enough under both faces. One or two of all are left. That is done for one of the
//            bodies only: a crossing is on an arc of both;
//         5. along such an arc every vertex of the other is a line over the way from one face to
//            the next, and where the highest of them changes, an arc of the other is crossed. Of
//            these arcs, too, some are passed over, by where the first and the last line cross.
//       Unlike the steps of EPA, these do not wait for each other. What is left over at each is
//       chance, so lists are filled without branches.
//       All of that is in single precision: what is passed over is less deep than what is found by
//       no more than rounding, which goes into the error. What is found is worked out in double.

#include "narrow/hull_depth.h"

#include "geometry/hull.h"

/// Rounding of the depth of a vertex under a face, which was turned, moved and multiplied with a
/// normal, relative to the size of all that.
#define ROUNDING 6e-7
/// Bodies that overlap by less than this fraction of their size may be asked for a common point.
#define SHALLOW 1e-6
/// How far deepest points may be beyond the rim of their faces or edges, relative to the size.
#define ON_RIM 4e-7
/// By how much vertices may be further out than edges that should be the furthest, relative to the
/// size. More: edges are so nearly parallel that their common normal is rounding.
#define BEYOND_EDGES 2e-6
/// Sine of the angle between edges that have no common normal in double either.
#define PARALLEL 1e-10

/// Arcs of the other that one arc may cross: of hulls with needles more do, and EPA is asked.
#define MAX_STEPS 16
/// Less than any fraction of an arc, turned over or not.
#define NEVER (-2.0f)

/// Vertices are looked at without a loop, and faces are the bits of a word. By Euler, n vertices
/// have at most 2 n - 4 faces and 3 n - 6 edges.
enum {
    GROUPS = SD_SCAN_AT_ONCE / SD_LANES,
    MAX_FACES = 2 * SD_SCAN_AT_ONCE,
    MAX_EDGES = 3 * SD_SCAN_AT_ONCE,
    AT_ONCE = 3 ///< edges of a face that are listed without a branch
};
/// A bit that is no face's.
#define NO_FACE ((uint64_t)1 << 63)
_Static_assert(SD_HULL_SMALL <= SD_SCAN_AT_ONCE && MAX_FACES <= 64, "they fit");

/// One of the two bodies, and the other as it sees it.
typedef struct Side {
    const sdConvex* own;
    const sdConvex* other;
    const sdHull* hull;        ///< own
    sdPose pose;               ///< of the other
    sdVec3x8 vertices[GROUPS]; ///< of the other; where it has fewer, some are there again
    float bounds[MAX_FACES];   ///< of depths under faces, by the ball
    int likely;                ///< face of the least bound
    float likelyDepth;
    sdVec3 deepest;               ///< the vertex that has it
    uint64_t near;                ///< bit i: the ball leaves face i over
    uint64_t open;                ///< the deepest vertex does
    uint64_t known;               ///< it has a row
    sdF8 rows[MAX_FACES][GROUPS]; ///< depths of all vertices of the other under a face
} Side;

/// Edges that are left over, by the faces that share them.
typedef struct EdgeList {
    int count;
    uint8_t left[MAX_EDGES + AT_ONCE], right[MAX_EDGES + AT_ONCE];
} EdgeList;

/// Two edges: where they start, how they go on, and across both.
typedef struct Crossing {
    sdVec3d p, q, u, v, w;
    double ww; ///< |w|²
} Crossing;

/// The axis of the least depth so far.
typedef struct Best {
    double depth;
    const Side* side; ///< whose face or edge it is
    int face;         ///< or one at the edge
    int own[2];       ///< ends of its edge; SD_NULL_INDEX: it is the face's axis
    int other[2];     ///< of the other's
    Crossing crossings[2];
    int kept; ///< which of the two is the best; the other is for the next
    int axisCount;
    float rounding; ///< of rows
} Best;

/// Axes that are no better need no look. Of bodies that are apart, all that part them do: bounds
/// are for depths.
SD_INLINE float limitOf(const Best* best) {
    return sdMaxF((float)best->depth, 0.0f);
}

// ---- both bodies ---------------------------------------------------------------------------

/// @param rows the other's axes and origin in the side's frame, by coordinate
static void initSide(Side* side, const sdConvex* own, const sdConvex* other,
                     const float rows[3][4]) {
    side->own = own;
    side->other = other;
    side->hull = own->hull;
    const float *x = other->x, *y = other->y, *z = other->z;
    int last = other->count - SD_LANES;
    float* out = (float*)side->vertices;
    // a coordinate at a time: its four numbers stay in registers
    for (int c = 0; c < 3; ++c) {
        sdF8 rx = sdF8_Splat(rows[c][0]), ry = sdF8_Splat(rows[c][1]), rz = sdF8_Splat(rows[c][2]);
        sdF8 offset = sdF8_Splat(rows[c][3]);
        for (int k = 0; k < GROUPS; ++k) {
            int i = SD_LANES * k < last ? SD_LANES * k : last;
            sdF8 moved =
                offset + rx * sdF8_Load(x + i) + ry * sdF8_Load(y + i) + rz * sdF8_Load(z + i);
            sdF8_Store(out + (3 * k + c) * SD_LANES, moved);
        }
    }
}

static void initSides(const sdConvexPair* pair, Side* a, Side* b) {
    const sdVec3d* c = pair->columns;
    sdConvexPair_GetPose(pair, &a->pose);
    b->pose.columns[0] = sdV3d(c[0].x, c[1].x, c[2].x);
    b->pose.columns[1] = sdV3d(c[0].y, c[1].y, c[2].y);
    b->pose.columns[2] = sdV3d(c[0].z, c[1].z, c[2].z);
    b->pose.offset = sdScaleD(-1.0, sdPose_InvRotate(&a->pose, pair->offset));
    sdVec3 x = sdVec3d_Round(c[0]), y = sdVec3d_Round(c[1]), z = sdVec3d_Round(c[2]);
    sdVec3 p = sdVec3d_Round(a->pose.offset), q = sdVec3d_Round(b->pose.offset);
    const float rowsA[3][4] = {{x.x, y.x, z.x, p.x}, {x.y, y.y, z.y, p.y}, {x.z, y.z, z.z, p.z}};
    const float rowsB[3][4] = {{x.x, x.y, x.z, q.x}, {y.x, y.y, y.z, q.y}, {z.x, z.y, z.z, q.z}};
    initSide(a, &pair->a, &pair->b, rowsA);
    initSide(b, &pair->b, &pair->a, rowsB);
}

static sdVec3d vertexOf(const sdConvex* convex, int i) {
    return sdV3d((double)convex->x[i], (double)convex->y[i], (double)convex->z[i]);
}

static sdVec3d otherVertex(const Side* side, int i) {
    return sdPose_Point(&side->pose, vertexOf(side->other, i));
}

static sdVec3d edgeStart(const Side* side, int e) {
    return vertexOf(side->own, side->hull->edges[e].origin);
}

static sdVec3d edgeEnd(const Side* side, int e) {
    return edgeStart(side, side->hull->edges[e].next);
}

/// By columns, which are at hand when all faces were looked at.
SD_INLINE sdPlane planeOf(const sdHull* hull, int face) {
    const float* planes = hull->planeSoa + face;
    int stride = hull->planeStride;
    return (sdPlane){{planes[0], planes[stride], planes[2 * stride]}, planes[3 * stride]};
}

SD_INLINE sdVec3d normalOf(const sdHull* hull, int face) {
    return sdVec3d_From(planeOf(hull, face).normal);
}

/// After the last half-edge of a face.
SD_INLINE int endOf(const sdHull* hull, int face) {
    return face + 1 < hull->faceCount ? hull->faceEdges[face + 1] : hull->halfEdgeCount;
}

// ---- rows ----------------------------------------------------------------------------------

/// Depths of a point under eight faces.
/// @param planes, stride as sdHull.planeSoa
SD_INLINE sdF8 depthsOf(const float* planes, int stride, const sdVec3x8* p) {
    sdVec3x8 n = {sdF8_Load(planes), sdF8_Load(planes + stride), sdF8_Load(planes + 2 * stride)};
    return sdF8_Load(planes + 3 * stride) - sdVec3x8_Dot(n, *p);
}

/// Depths of all vertices of the other under a face, to the bit as the above.
SD_INLINE void findRow(const Side* side, int face, sdF8 row[GROUPS]) {
    sdPlane plane = planeOf(side->hull, face);
    sdVec3x8 n = sdVec3x8_Splat(plane.normal);
    for (int k = 0; k < GROUPS; ++k) {
        row[k] = sdF8_Splat(plane.offset) - sdVec3x8_Dot(n, side->vertices[k]);
    }
}

SD_INLINE float greatest(const sdF8 row[GROUPS]) {
    return sdF8_ReduceMax(sdF8_Max(sdF8_Max(row[0], row[1]), sdF8_Max(row[2], row[3])));
}

/// Bit i: number i is not below the limit.
SD_INLINE uint32_t deepBits(const sdF8 row[GROUPS], sdF8 limit) {
    uint32_t bits = 0;
    for (int k = 0; k < GROUPS; ++k) {
        bits |= (uint32_t)sdI8_MaskBits(sdF8_LessEqual(limit, row[k])) << (SD_LANES * k);
    }
    return bits;
}

/// Where the greatest is; the first of equal ones, so a vertex, not one that is there again.
SD_INLINE int indexOf(const sdF8 row[GROUPS], float most) {
    uint64_t bits = deepBits(row, sdF8_Splat(most)) | (uint64_t)1 << SD_SCAN_AT_ONCE;
    return __builtin_ctzll(bits) % SD_SCAN_AT_ONCE;
}

// ---- faces ---------------------------------------------------------------------------------

/// Bounds of all faces by the ball of radius r about c in the other: h(n) >= s + r, where s is how
/// deep c is under the face. Where s is negative, it may be lower along an arc than at its ends:
/// (α s₁ + β s₂) / |α n₁ + β n₂| with α + β = 1, so by the factor arcStretch at the most.
static void boundFaces(Side* side) {
    const sdHull* hull = side->hull;
    const float* planes = hull->planeSoa;
    int stride = hull->planeStride;
    sdVec3d middle = sdPose_Point(&side->pose, sdVec3d_From(side->other->inside));
    sdVec3x8 c = sdVec3x8_Splat(sdVec3d_Round(middle));
    sdF8 stretch = sdF8_Splat(hull->arcStretch), r = sdF8_Splat(side->other->inner);
    sdF8 least = sdF8_Splat(FLT_MAX);
    sdI8 at = {0, 1, 2, 3, 4, 5, 6, 7}, leastAt = at;
    for (int i = 0; i < stride; i += SD_LANES) {
        sdF8 s = depthsOf(planes + i, stride, &c), bound = sdF8_Min(s * stretch, s) + r;
        sdF8_Store(side->bounds + i, bound);
        leastAt = sdI8_Select(sdF8_Less(bound, least), at, leastAt);
        least = sdF8_Min(bound, least);
        at += sdI8_Splat(SD_LANES);
    }
    sdF8 all = sdF8_Splat(sdF8_ReduceMin(least));
    unsigned lanes = (unsigned)sdI8_MaskBits(sdF8_Equal(least, all));
    side->likely = leastAt[__builtin_ctz(lanes | (1u << SD_LANES)) % SD_LANES];
}

static void askLikely(Side* side) {
    const sdF8* row = side->rows[side->likely];
    findRow(side, side->likely, side->rows[side->likely]);
    side->likelyDepth = greatest(row);
    int at = indexOf(row, side->likelyDepth), lane = at % SD_LANES;
    const sdVec3x8* group = &side->vertices[at / SD_LANES];
    side->deepest = sdV3(group->x[lane], group->y[lane], group->z[lane]);
}

static void findNear(Side* side, float limit) {
    sdVec3x8 deepest = sdVec3x8_Splat(side->deepest);
    sdF8 limit8 = sdF8_Splat(limit);
    uint64_t near = 0, open = 0;
    const float* planes = side->hull->planeSoa;
    int stride = side->hull->planeStride;
    for (int i = 0; i < stride; i += SD_LANES) {
        sdI8 isNear = sdF8_Less(sdF8_Load(side->bounds + i), limit8);
        sdI8 isOpen = sdF8_Less(depthsOf(planes + i, stride, &deepest), limit8);
        near |= (uint64_t)(unsigned)sdI8_MaskBits(isNear) << i;
        open |= (uint64_t)(unsigned)sdI8_MaskBits(isOpen) << i;
    }
    // not those that fill the last group
    uint64_t all = ((uint64_t)1 << side->hull->faceCount) - 1;
    side->near = near & all;
    side->open = open & all;
}

/// @return the least depth under faces that are left over, FLT_MAX when there is none
static float visitFaces(Side* side, int* face) {
    float least = FLT_MAX;
    int leastAt = 0;
    for (uint64_t bits = side->near & side->open; bits != 0; bits &= bits - 1) {
        int at = __builtin_ctzll(bits);
        findRow(side, at, side->rows[at]);
        float depth = greatest(side->rows[at]);
        leastAt = depth < least ? at : leastAt;
        least = sdMinF(depth, least);
    }
    side->known = (side->near & side->open) | (uint64_t)1 << side->likely;
    *face = leastAt;
    return least;
}

/// Which of the three is least is chance: no branches.
static void visitBoth(Side* a, Side* b, Best* best) {
    int faces[3] = {best->face, 0, 0};
    const Side* const sides[3] = {best->side, a, b};
    float depths[3] = {(float)best->depth, visitFaces(a, &faces[1]), 0.0f};
    depths[2] = visitFaces(b, &faces[2]);
    unsigned at = depths[1] < depths[0] ? 1 : 0, isLast = depths[2] < depths[at] ? 1 : 0;
    at = isLast != 0 ? 2 : at;
    best->depth = (double)depths[at];
    best->side = sides[at];
    best->face = faces[at];
    best->axisCount +=
        __builtin_popcountll(a->near & a->open) + __builtin_popcountll(b->near & b->open);
}

// ---- edges ---------------------------------------------------------------------------------

/// Edges of which one face is near and one is open.
/// @return their faces
static uint64_t listEdges(const Side* side, EdgeList* list) {
    uint64_t faces = 0, done = 0;
    int count = 0;
    for (uint64_t bits = side->near; bits != 0; bits &= bits - 1) {
        int face = __builtin_ctzll(bits);
        uint64_t own = bits & -bits, open = (side->open & own) != 0 ? ~(uint64_t)0 : side->open;
        uint64_t found = side->hull->sideFaces[face] & open & ~done;
        int end = count + __builtin_popcountll(found);
        faces |= found | (found != 0 ? own : 0);
        done |= own;
        // how many there are is chance, but hardly ever more than these
        do {
            for (int k = 0; k < AT_ONCE; ++k, ++count, found &= found - 1) {
                list->left[count] = (uint8_t)face;
                list->right[count] = (uint8_t)__builtin_ctzll(found | NO_FACE);
            }
        } while (found != 0);
        count = end;
    }
    list->count = count;
    return faces;
}

/// Some vertex is as deep as the limit under two faces, by their rows.
SD_INLINE bool isUnderBoth(const sdF8 left[GROUPS], const sdF8 right[GROUPS], sdF8 limit) {
    sdF8 low = sdF8_Max(sdF8_Min(left[0], right[0]), sdF8_Min(left[1], right[1]));
    sdF8 high = sdF8_Max(sdF8_Min(left[2], right[2]), sdF8_Min(left[3], right[3]));
    return sdI8_MaskBits(sdF8_LessEqual(limit, sdF8_Max(low, high))) != 0;
}

/// Those of them that no vertex is deep enough at. Their faces have rows.
static void findEdges(Side* side, float limit, EdgeList* list) {
    uint64_t faces = listEdges(side, list);
    for (uint64_t bits = faces & ~side->known; bits != 0; bits &= bits - 1) {
        int face = __builtin_ctzll(bits);
        findRow(side, face, side->rows[face]);
    }
    sdF8 limit8 = sdF8_Splat(limit);
    int count = 0;
    for (int i = 0; i < list->count; ++i) {
        uint8_t left = list->left[i], right = list->right[i];
        list->left[count] = left;
        list->right[count] = right;
        count += isUnderBoth(side->rows[left], side->rows[right], limit8) ? 0 : 1;
    }
    list->count = count;
}

/// The vertices at the ends of the edge between two faces.
SD_INLINE void findEnds(const sdHull* hull, int left, int right, int ends[2]) {
    uint64_t before = hull->sideFaces[left] & (((uint64_t)1 << right) - 1);
    const uint8_t* found =
        hull->sideEnds[hull->faceEdges[left] + (int32_t)__builtin_popcountll(before)];
    ends[0] = found[0];
    ends[1] = found[1];
}

/// The depth along the common normal of an edge and the one between two vertices of the other.
/// @param own, other vertices at the ends of both
/// @param like a direction on whose side the normal is
static void askPair(const Side* side, int face, const int own[2], const int other[2], sdVec3d like,
                    Best* best) {
    sdVec3d p = vertexOf(side->own, own[0]), q = otherVertex(side, other[0]);
    sdVec3d u = sdSubD(vertexOf(side->own, own[1]), p);
    sdVec3d v = sdSubD(otherVertex(side, other[1]), q);
    sdVec3d w = sdCrossD(u, v);
    double squared = sdDotD(w, w), sign = sdDotD(w, like) < 0.0 ? -1.0 : 1.0;
    double depth = sign * sdDotD(w, sdSubD(p, q)) / sqrt(squared);
    bool isParallel = !(squared > PARALLEL * PARALLEL * sdDotD(u, u) * sdDotD(v, v));
    best->axisCount += 1;
    // written where it stays: a copy would wait for its parts
    best->crossings[1 - best->kept] = (Crossing){p, q, u, v, w, squared};
    if (!isParallel & (depth < best->depth)) {
        best->kept = 1 - best->kept;
        best->depth = depth;
        best->side = side;
        best->face = face;
        best->own[0] = own[0];
        best->own[1] = own[1];
        best->other[0] = other[0];
        best->other[1] = other[1];
    }
}

/// The vertex whose line is the first to rise above that of the vertex `at`.
static int findNext(const sdF8 from[GROUPS], const sdF8 to[GROUPS], int at) {
    int group = at / SD_LANES, lane = at % SD_LANES;
    sdF8 start = sdF8_Splat(from[group][lane]), end = sdF8_Splat(to[group][lane]);
    sdF8 soonest[GROUPS];
    for (int k = 0; k < GROUPS; ++k) {
        sdF8 lag = start - from[k], lead = to[k] - end;
        sdI8 isRising = sdF8_Less(sdF8_Zero(), lead);
        soonest[k] = sdF8_Select(isRising, -lag / (lag + lead), sdF8_Splat(NEVER));
    }
    float first = greatest(soonest);
    return first == NEVER ? SD_NULL_INDEX : indexOf(soonest, first);
}

SD_INLINE float numberOf(const sdF8 row[GROUPS], int i) {
    return row[i / SD_LANES][i % SD_LANES];
}

/// Where the lines of two vertices cross, the depth is surely not below the best. Then it is not
/// between them either: from where one sinks below it to where the other rises it is least there.
/// What is d along the arc is d |m| on the straight way, |m|² = 1 - 2 t (1 - t) (1 - cos α).
static bool isDeepAtCrossing(const Side* side, int left, int right, int first, int second,
                             const Best* best) {
    const sdF8 *from = side->rows[left], *to = side->rows[right];
    float start = numberOf(from, first), end = numberOf(to, first), limit = limitOf(best);
    float lag = start - numberOf(from, second), lead = numberOf(to, second) - end;
    float inverse = 1.0f / (lag + lead), t = lag * inverse, fall = start - end;
    // lines that are nearly parallel may cross anywhere
    float error = 2.0f * best->rounding * (1.0f + sdAbsF(fall * inverse));
    float depth = start - t * fall - error;
    float bend = 1.0f - sdDot(planeOf(side->hull, left).normal, planeOf(side->hull, right).normal);
    return (depth > 0.0f) &
           (depth * depth >= limit * limit * (1.0f - 2.0f * t * (1.0f - t) * bend));
}

/// All crossings on the part of an arc where no vertex is as deep as the best: after the last line
/// has sunk below that, and before the first rises above it.
/// @return false when there are too many
static bool askEdge(const Side* side, int left, int right, Best* best) {
    const sdF8 *from = side->rows[left], *to = side->rows[right];
    sdF8 sinking[GROUPS], rising[GROUPS];
    sdF8 limit = sdF8_Splat(limitOf(best)), never = sdF8_Splat(NEVER);
    for (int k = 0; k < GROUPS; ++k) {
        sdF8 t = (from[k] - limit) / (from[k] - to[k]);
        sinking[k] = sdF8_Select(sdF8_LessEqual(limit, from[k]), t, never);
        rising[k] = sdF8_Select(sdF8_LessEqual(limit, to[k]), -t, never);
    }
    float begin = greatest(sinking), end = greatest(rising);
    // rounding only: the best is no deeper than any face
    int at = begin == NEVER ? indexOf(from, greatest(from)) : indexOf(sinking, begin);
    int last = end == NEVER ? indexOf(to, greatest(to)) : indexOf(rising, end);
    // each of these is chance: one branch for all
    if (!(begin < -end) | (at == last) | isDeepAtCrossing(side, left, right, at, last, best)) {
        return true;
    }
    sdVec3d like = sdAddD(normalOf(side->hull, left), normalOf(side->hull, right));
    int own[2];
    findEnds(side->hull, left, right, own);
    for (int step = 0; step < MAX_STEPS; ++step) {
        int next = at == last ? SD_NULL_INDEX : findNext(from, to, at);
        if (next == SD_NULL_INDEX) {
            return true;
        }
        askPair(side, left, own, (const int[2]){at, next}, like, best);
        at = next;
    }
    return false;
}

/// @return false when an arc crosses too many others
static bool visitEdges(Side* side, Best* best) {
    EdgeList list;
    findEdges(side, limitOf(best), &list);
    for (int i = 0; i < list.count; ++i) {
        if (!askEdge(side, list.left[i], list.right[i], best)) {
            return false;
        }
    }
    return true;
}

// ---- result --------------------------------------------------------------------------------

/// @param n normal of the side's own surface, unit
/// @param p deepest point on it
static void setOutput(const Side* a, const Side* side, sdVec3d n, sdVec3d p, double depth,
                      sdEpaOutput* output) {
    bool isA = side == a;
    sdVec3d q = sdMulAddD(p, -depth, n);
    output->depth = depth;
    output->normal = isA ? n : sdScaleD(-1.0, sdPose_Rotate(&a->pose, n));
    output->pointA = isA ? p : sdPose_Point(&a->pose, q);
    output->pointB = isA ? q : sdPose_Point(&a->pose, p);
}

static void setIndices(const Side* a, const Side* side, int own, int other, sdEpaOutput* output) {
    output->indexA = side == a ? own : other;
    output->indexB = side == a ? other : own;
}

/// How far points may be beyond a rim: not at all where GJK knows better, as at the tip of a sharp
/// corner that is further.
static double rimOf(const Best* best, double scale) {
    return best->depth > 0.0 ? ON_RIM * scale : 0.0;
}

/// A point of a face's plane is on the face.
static bool isOnFace(const Side* side, int face, sdVec3d n, sdVec3d p, double rim) {
    bool isInside = true;
    int end = endOf(side->hull, face);
    for (int e = side->hull->faceEdges[face]; e < end; ++e) {
        sdVec3d o = edgeStart(side, e), v = sdSubD(edgeEnd(side, e), o);
        double in = sdDotD(sdCrossD(n, v), sdSubD(p, o));
        isInside &= (in >= 0.0) | (in * in <= rim * rim * sdDotD(v, v));
    }
    return isInside;
}

/// The deepest vertex under a face, and its foot.
/// @return false when that is not on the face: another vertex is as deep
static bool setByFace(const Side* a, const Best* best, double scale, sdEpaOutput* output) {
    const Side* side = best->side;
    const sdF8* row = side->rows[best->face];
    int vertex = indexOf(row, greatest(row));
    int own = side->hull->edges[side->hull->faceEdges[best->face]].origin;
    sdVec3d n = normalOf(side->hull, best->face), q = otherVertex(side, vertex);
    n = sdScaleD(1.0 / sdLengthD(n), n);
    double depth = sdDotD(n, sdSubD(vertexOf(side->own, own), q));
    sdVec3d p = sdMulAddD(q, depth, n);
    setOutput(a, side, n, p, depth, output);
    setIndices(a, side, own, vertex, output);
    return isOnFace(side, best->face, n, p, rimOf(best, scale));
}

/// By how much vertices are further out than two points that should be the furthest.
static float outside(const Side* side, sdVec3d normal, sdVec3d p, sdVec3d q) {
    const sdConvex* own = side->own;
    sdVec3x8 n = sdVec3x8_Splat(sdVec3d_Round(normal));
    sdReaches reaches;
    sdReaches_Set(&reaches, own->x, own->y, own->z, own->count, n.x, n.y, n.z);
    sdF8 row[GROUPS];
    for (int k = 0; k < GROUPS; ++k) {
        row[k] = sdF8_Zero() - sdVec3x8_Dot(n, side->vertices[k]);
    }
    return reaches.most[0] + greatest(row) - (float)sdDotD(normal, sdSubD(p, q));
}

/// The points of two edges where they pass each other.
/// @return false when that is beyond their ends, or they are not the furthest out
static bool setByEdges(const Side* a, const Best* best, double scale, sdEpaOutput* output) {
    const Side* side = best->side;
    const Crossing* at = &best->crossings[best->kept];
    sdVec3d p = at->p, q = at->q, u = at->u, v = at->v, w = at->w, r = sdSubD(q, p);
    double ww = at->ww, rim = rimOf(best, scale) * ww;
    double s = sdDotD(sdCrossD(r, v), w), rimS = rim / sdLengthD(u);
    double t = sdDotD(sdCrossD(r, u), w), rimT = rim / sdLengthD(v);
    double sign = sdDotD(w, normalOf(side->hull, best->face)) < 0.0 ? -1.0 : 1.0;
    sdVec3d n = sdScaleD(sign / sqrt(ww), w);
    setOutput(a, side, n, sdMulAddD(p, s / ww, u), best->depth, output);
    setIndices(a, side, best->own[0], best->other[0], output);
    bool areOnEdges = (s >= -rimS) & (s <= ww + rimS) & (t >= -rimT) & (t <= ww + rimT);
    return areOnEdges && (double)outside(side, n, p, q) <= BEYOND_EDGES * scale;
}

/// Bodies whose nearest points are on the rim of a face or beyond the end of an edge: three corners
/// of the face, or of what both edges make.
/// @param output its indices are what setByFace or setByEdges has found
static void listNearest(const Side* a, const Best* best, const sdEpaOutput* output,
                        int nearest[3][2]) {
    const Side* side = best->side;
    bool isA = side == a, isFace = best->own[0] == SD_NULL_INDEX;
    uint8_t(*ends)[2] = &side->hull->sideEnds[side->hull->faceEdges[best->face]];
    int vertex = isA ? output->indexB : output->indexA;
    for (int i = 0; i < 3; ++i) {
        int own = isFace ? ends[i][0] : best->own[i / 2];
        int other = isFace ? vertex : best->other[i % 2];
        nearest[i][0] = isA ? own : other;
        nearest[i][1] = isA ? other : own;
    }
}

/// What the best axis proves. Of bodies that are apart, points on both faces or edges that are as
/// far from each other as the bodies are along the axis are the nearest, whatever was passed over.
/// @param nearest see sdHulls_Depth
static sdDepthVerdict conclude(const sdConvexPair* pair, const Side* a, const Best* best,
                               int nearest[3][2], sdEpaOutput* output) {
    double rounding = (double)best->rounding;
    if (!(fabs(best->depth) > SHALLOW * pair->scale + rounding)) {
        return SD_DEPTH_NONE;
    }
    bool isFound = best->own[0] == SD_NULL_INDEX ? setByFace(a, best, pair->scale, output)
                                                 : setByEdges(a, best, pair->scale, output);
    double flatness = (double)pair->a.hull->flatness + (double)pair->b.hull->flatness;
    output->error = 2.0 * rounding + flatness;
    output->iterations = best->axisCount;
    output->status = SD_STATUS_TOLERANCE;
    if (best->depth > 0.0) {
        return isFound ? SD_DEPTH_FOUND : SD_DEPTH_OPEN;
    }
    if (!isFound && nearest != NULL) {
        listNearest(a, best, output, nearest);
    }
    return isFound ? SD_DEPTH_APART : SD_DEPTH_PARTED;
}

static sdDepthVerdict findDepth(const sdConvexPair* pair, int nearest[3][2], sdEpaOutput* output) {
    const sdHull *hullA = pair->a.hull, *hullB = pair->b.hull;
    if (hullA == NULL || hullB == NULL || hullA->planeSoa == NULL || hullB->planeSoa == NULL) {
        return SD_DEPTH_OPEN;
    }
    Side a, b;
    initSides(pair, &a, &b);
    boundFaces(&a);
    boundFaces(&b);
    askLikely(&a);
    askLikely(&b);
    const Side* likely = a.likelyDepth <= b.likelyDepth ? &a : &b;
    Best best;
    best.depth = (double)likely->likelyDepth;
    best.side = likely;
    best.face = likely->likely;
    best.own[0] = SD_NULL_INDEX;
    best.kept = 0;
    best.axisCount = 2;
    best.rounding = (float)(ROUNDING * (pair->scale + sdLengthD(pair->offset)));
    if (!(best.depth > 0.0)) {
        return conclude(pair, &a, &best, nearest, output);
    }
    float limit = (float)best.depth;
    findNear(&a, limit);
    findNear(&b, limit);
    visitBoth(&a, &b, &best);
    bool hasFewer = __builtin_popcountll(a.near) <= __builtin_popcountll(b.near);
    bool isKnown = visitEdges(hasFewer ? &a : &b, &best);
    return isKnown ? conclude(pair, &a, &best, nearest, output) : SD_DEPTH_OPEN;
}

sdDepthVerdict SD_KERNEL(sdHulls_Depth)(const sdConvexPair* pair, int nearest[3][2],
                                        sdEpaOutput* output) {
    sdDepthVerdict verdict = findDepth(pair, nearest, output);
    sdSimd_Leave();
    return verdict;
}
