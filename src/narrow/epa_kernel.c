// SPDX-License-Identifier: MIT
// epa_kernel.c - penetration depth of two overlapping convex cores.
//
// In:   terminal simplex of GJK, which contains the origin, and the pair's support function.
// Out:  depth, normal A->B, witness points, how much smaller the true depth may be.
// Ref:  van den Bergen, "Proximity Queries and Penetration Depth Computation", GDC 2001.
// Note: a polytope inside of A - B grows where it is nearest to the origin. Its nearest face bounds
//       the depth from below, the support point over it from above; it stops when the two meet, at
//       SD_EPA_MAX_VERTICES, or when rounding would break the mesh. Flat and touching bodies have
//       depth 0 and the normal of their common plane. Never allocates.

#include "narrow/epa_start.h"
#include "narrow/hull_depth.h"

/// Gap between both bounds, relative to the size of the pair, at which the depth is found.
#define TOLERANCE 1e-7
/// A - B thinner than this fraction of its size is flat.
#define FLAT 1e-10
/// Share of a face by which the foot of the origin may miss it and still be on its edge.
#define ON_EDGE 1e-9

/// Squared distances of faces in one plane differ by less than this fraction.
#define SAME_PLANE 1e-9
/// Odd, and its bits are spread.
#define CHECK 0x9E3779B97F4A7C15u

/// Squared cosine between faces that are level with each other: far from that of those that are
/// not, as flat ones are found out by their depth.
#define LEVEL 0.99
/// Bodies that overlap by less than this fraction of their size may be asked for a common point.
#define SHALLOW 1e-6
/// Depth along the axis, relative to the size of the pair, from which supports around it are likely
/// to have the origin between them.
#define DEEP 0.06
/// The same where hulls may be asked without iterations, which say sooner that they do not overlap.
#define DEEP_HULLS 0.05
/// Hulls whose middles are nearer than this, on the way from where balls in them touch to where
/// balls about them do, overlap but for very few: they are asked without looking along the axis.
#define NEAR_MIDDLES 0.2

// ---- result --------------------------------------------------------------------------------

/// The face has a direction, and it is not that of n.
static bool bendsAway(const sdPolytope* polytope, unsigned face, sdVec3d n) {
    sdVec3d normal = sdPolytope_Normal(polytope, face);
    double along = sdDotD(normal, n), squared = sdDotD(normal, normal);
    bool isSliver = !(squared > polytope->sliver);
    return !isSliver && (along <= 0.0 || along * along < LEVEL * squared);
}

/// Whether the ray from the origin along n goes through a face.
/// @param weights of its corners, at that place
/// @param leave the edge beyond which the ray is furthest
static bool isPierced(const sdPolytope* polytope, unsigned face, sdVec3d n, double weights[3],
                      unsigned* leave) {
    const uint8_t* origins = &polytope->origins[4 * face];
    sdVec3d a = sdPolytope_Vertex(polytope, origins[0]),
            b = sdPolytope_Vertex(polytope, origins[1]);
    sdVec3d c = sdPolytope_Vertex(polytope, origins[2]);
    weights[2] = sdDotD(n, sdCrossD(a, b));
    weights[0] = sdDotD(n, sdCrossD(b, c));
    weights[1] = sdDotD(n, sdCrossD(c, a));
    unsigned edge = weights[2] < weights[0] ? 0 : 1;
    edge = weights[1] < weights[edge == 0 ? 2 : 0] ? 2 : edge;
    double least = edge == 0 ? weights[2] : (edge == 1 ? weights[0] : weights[1]);
    *leave = edge;
    return least >= -ON_EDGE * (weights[0] + weights[1] + weights[2]);
}

/// Walk from a face to the one that the ray from the origin along n leaves by: of coplanar faces,
/// which are equally near, only one holds the foot of the origin.
/// @param weights of its corners, at that place
/// @return that face
static unsigned findPierced(const sdPolytope* polytope, unsigned start, sdVec3d n,
                            double weights[3]) {
    unsigned at = start;
    // no face is met twice, unless rounding turns the walk in a circle
    for (int step = 0; step < SD_EPA_MAX_FACES; ++step) {
        unsigned leave;
        if (isPierced(polytope, at, n, weights, &leave)) {
            break;
        }
        unsigned next = polytope->twins[4 * at + leave] / 4u;
        // the foot is beyond the last of these faces by rounding only
        if (bendsAway(polytope, next, n)) {
            break;
        }
        at = next;
    }
    return at;
}

/// @param face that the normal goes through
/// @param weights of its corners there; negative ones are rounding
static void setWitnesses(const sdPolytope* polytope, unsigned face, double weights[3],
                         sdEpaOutput* output) {
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        weights[i] = weights[i] > 0.0 ? weights[i] : 0.0;
        sum += weights[i];
    }
    sdVec3d pointA = sdV3d(0.0, 0.0, 0.0);
    for (int i = 0; i < 3; ++i) {
        double share = sum > 0.0 ? weights[i] / sum : (i == 0 ? 1.0 : 0.0);
        const double* a = polytope->a[polytope->origins[4 * face + (unsigned)i]];
        pointA = sdMulAddD(pointA, share, sdV3d(a[0], a[1], a[2]));
    }
    output->pointA = pointA;
    output->pointB = sdMulAddD(pointA, -output->depth, output->normal);
    output->indexA = polytope->indexA[polytope->origins[4 * face]];
    output->indexB = polytope->indexB[polytope->origins[4 * face]];
}

static bool hasVertex(const sdPolytope* polytope, unsigned face, sdD4 w) {
    const uint8_t* origins = &polytope->origins[4 * face];
    unsigned isOther = 15;
    for (int i = 0; i < 3; ++i) {
        sdD4 v = sdD4_Load(polytope->w[origins[i]]);
        // bits: which lanes differ, either way
        unsigned differs = (unsigned)sdL4_MaskBits(sdD4_Less(v, w) | sdD4_Less(w, v));
        isOther = differs == 0 ? 0 : isOther;
    }
    return isOther == 0;
}

static void setFlat(const sdSimplex* simplex, sdVec3d normal, double flat, sdEpaOutput* output) {
    output->depth = 0.0;
    output->error = flat;
    output->normal = normal;
    output->pointA = sdGjk_CommonPoint(simplex);
    output->pointB = output->pointA;
    output->indexA = simplex->points[0].indexA;
    output->indexB = simplex->points[0].indexB;
    output->status = SD_STATUS_TOLERANCE;
    output->iterations = 1;
}

/// Cores so small beside the rounding radii that no face of them has a direction: of the six along
/// the axes, that of the least depth.
static void setByAxes(const sdConvexPair* pair, sdEpaOutput* output) {
    output->depth = DBL_MAX;
    for (int i = 0; i < 6; ++i) {
        double sign = i < 3 ? 1.0 : -1.0;
        sdVec3d n = {i % 3 == 0 ? sign : 0.0, i % 3 == 1 ? sign : 0.0, i % 3 == 2 ? sign : 0.0};
        sdMinkowskiPoint point = sdConvexPair_Support(pair, n);
        double depth = fmax(sdDotD(n, point.w), 0.0);
        if (depth < output->depth) {
            output->depth = depth;
            output->normal = n;
            output->pointA = point.a;
            output->pointB = sdMulAddD(point.a, -depth, n);
            output->indexA = point.indexA;
            output->indexB = point.indexB;
        }
    }
    output->error = output->depth + pair->supportError;
}

/// All but the witnesses.
/// @param inverse of the length of the face's normal
static void setDepth(const sdConvexPair* pair, const sdPolytope* polytope, unsigned face,
                     double lower, double inverse, sdEpaOutput* output) {
    output->depth = output->depth > 0.0 ? output->depth : 0.0;
    output->error = (output->depth > lower ? output->depth - lower : 0.0) + pair->supportError;
    output->normal = sdScaleD(inverse, sdPolytope_Normal(polytope, face));
}

/// Grow until the nearest face is one of A - B.
static void search(const sdConvexPair* pair, sdPolytope* polytope, sdEpaOutput* output) {
    double lower = 0.0, inverse = 0.0, least = polytope->least;
    unsigned last = 0;
    output->depth = 0.0;
    output->status = SD_STATUS_LIMIT;
    output->iterations = 0;
    while (least < DBL_MAX) {
        last = sdPolytope_FaceOf(least);
        sdVec3d normal = sdPolytope_Normal(polytope, last);
        inverse = 1.0 / sdLengthD(normal);
        double bound = least > 0.0 ? sqrt(least) : 0.0;
        lower = bound > lower ? bound : lower;
        // every direction's support value is a depth that parts the bodies
        sdEpaVertex vertex;
        support(pair, polytope, last, normal, &vertex);
        output->depth = sdDotD(normal, sdV3d(vertex.w[0], vertex.w[1], vertex.w[2])) * inverse;
        output->iterations += 1;
        bool isOld = hasVertex(polytope, last, vertex.w);
        if (isOld | (output->depth - lower <= TOLERANCE * pair->scale)) {
            output->status = SD_STATUS_TOLERANCE;
            break;
        }
        if (polytope->vertexCount == SD_EPA_MAX_VERTICES ||
            !sdPolytope_Expand(polytope, last, &vertex, &least)) {
            break;
        }
    }
    if (inverse == 0.0) {
        setByAxes(pair, output);
        return;
    }
    double weights[3];
    setDepth(pair, polytope, last, lower, inverse, output);
    unsigned face = findPierced(polytope, last, output->normal, weights);
    setWitnesses(polytope, face, weights, output);
}

// ---- memory --------------------------------------------------------------------------------

/// So that nothing else is taken for a closed mesh.
static uint32_t checkOf(const sdPairPolytope* memory) {
    enum { WORDS = (sizeof *memory - sizeof memory->check) / sizeof(uint64_t) };
    uint64_t words[WORDS], sum = 0;
    _Static_assert(sizeof words + sizeof memory->check == sizeof *memory, "all is summed up");
    memcpy(words, &memory->vertexCount, sizeof words);
    for (uint64_t i = 0; i < WORDS; ++i) {
        sum += words[i] * (CHECK * (2 * i + 1));
    }
    return (uint32_t)(sum >> 32);
}

/// Faces that are there and their vertices, of hulls of up to 256. What is too much to remember is
/// marked so.
static void remember(const sdPolytope* polytope, sdPairPolytope* memory) {
    enum { UNKNOWN = 255 };
    uint8_t places[SD_EPA_MAX_VERTICES];
    int vertexCount = 0, faceCount = 0;
    memset(places, UNKNOWN, sizeof places);
    memory->vertexCount = SD_EPA_TOO_MANY;
    for (int f = 0; f < polytope->top; ++f) {
        // of slots that are free
        if (polytope->levels[f] == DBL_MAX) {
            continue;
        }
        for (int i = 0; i < 3; ++i) {
            unsigned v = polytope->origins[4 * f + i];
            int a = polytope->indexA[v], b = polytope->indexB[v];
            bool isNew = places[v] == UNKNOWN;
            if (faceCount == SD_PAIR_POLYTOPE_FACES || (unsigned)a > UINT8_MAX ||
                (unsigned)b > UINT8_MAX || (isNew && vertexCount == SD_PAIR_POLYTOPE_VERTICES)) {
                return;
            }
            if (isNew) {
                memory->vertices[vertexCount][0] = (uint8_t)a;
                memory->vertices[vertexCount][1] = (uint8_t)b;
                places[v] = (uint8_t)vertexCount++;
            }
            memory->faces[i][faceCount] = places[v];
        }
        ++faceCount;
    }
    // groups are filled with what is there already
    for (; faceCount % SD_LANES_D != 0; ++faceCount) {
        for (int i = 0; i < 3; ++i) {
            memory->faces[i][faceCount] = memory->faces[i][0];
        }
    }
    memory->vertexCount = (uint8_t)vertexCount;
    memory->faceCount = (uint8_t)faceCount;
    memory->check = checkOf(memory);
}

/// Which vertices are corner i of four faces.
SD_INLINE void cornersOf(const sdPairPolytope* memory, int i, unsigned first,
                         unsigned out[SD_LANES_D]) {
    uint32_t all;
    memcpy(&all, &memory->faces[i][first], sizeof all);
    for (int lane = 0; lane < SD_LANES_D; ++lane) {
        out[lane] = (all >> SD_EPA_PLACE(lane, 8)) % SD_PAIR_POLYTOPE_VERTICES;
    }
}

/// The same mesh at the present pose, as far as it takes to ask for its nearest face.
/// @return the least key; negative or 0 also when it is none of these bodies'
static double restore(const sdConvexPair* pair, const sdPairPolytope* memory,
                      sdPolytope* polytope) {
    double scale = pair->scale;
    polytope->sliver = SD_EPA_SLIVER * scale * scale * scale * scale;
    setColumns(polytope, pair);
    for (int i = 0; i < memory->vertexCount; ++i) {
        sdEpaVertex vertex;
        int a = memory->vertices[i][0], b = memory->vertices[i][1];
        if (a >= pair->a.count || b >= pair->b.count) {
            return 0.0;
        }
        subtract(pair, polytope, a, b, &vertex);
        sdPolytope_SetVertex(polytope, i, &vertex);
    }
    sdD4 keys = sdD4_Splat(DBL_MAX);
    for (unsigned first = 0; first < memory->faceCount; first += SD_LANES_D) {
        sdD4 corners[3][3];
        for (int i = 0; i < 3; ++i) {
            unsigned at[SD_LANES_D];
            cornersOf(memory, i, first, at);
            sdPolytope_Gather(polytope, at, corners[i]);
        }
        sdEpaFour four = sdPolytope_FindFour(polytope, first, corners[0], corners[1], corners[2]);
        sdPolytope_StoreFour(polytope, first, &four);
        keys = sdD4_Min(keys, four.key);
    }
    return sdD4_ReduceMin(keys);
}

/// The vertices furthest along a face that was restored.
static void scanRestored(const sdConvexPair* pair, sdPolytope* polytope, unsigned face,
                         sdEpaVertex* out) {
    unsigned first = face / SD_LANES_D * SD_LANES_D;
    sdPolytope_SetDirections(polytope, first, sdD4_Load(&polytope->normalX[first]),
                             sdD4_Load(&polytope->normalY[first]),
                             sdD4_Load(&polytope->normalZ[first]));
    scan(pair, polytope, face, out);
}

/// Of faces as near as the nearest, that which the normal goes through.
static bool findSamePierced(const sdPairPolytope* memory, sdPolytope* polytope, double least,
                            sdVec3d n, unsigned* face, double weights[3]) {
    for (unsigned f = 0; f < memory->faceCount; ++f) {
        unsigned leave, at[3];
        if (!(polytope->keys[f] <= least * (1.0 + SAME_PLANE)) || bendsAway(polytope, f, n)) {
            continue;
        }
        for (int i = 0; i < 3; ++i) {
            at[i] = memory->faces[i][f] % SD_PAIR_POLYTOPE_VERTICES;
        }
        sdPolytope_SetOrigins(polytope, f, at[0], at[1], at[2]);
        if (isPierced(polytope, f, n, weights, &leave)) {
            *face = f;
            return true;
        }
    }
    return false;
}

bool SD_KERNEL(sdEpa_Recall)(const sdConvexPair* pair, const sdPairPolytope* memory,
                             sdEpaOutput* output) {
    if (!areScanned(pair) || memory->check != checkOf(memory) ||
        memory->vertexCount > SD_PAIR_POLYTOPE_VERTICES ||
        memory->faceCount > SD_PAIR_POLYTOPE_FACES) {
        return false;
    }
    sdPolytope polytope;
    double least = restore(pair, memory, &polytope);
    // a closed mesh whose faces all have the origin inside is around it, convex or not: every way
    // out goes through a face, and is as long as that is far
    if (!(least > 0.0 && least < DBL_MAX)) {
        return false;
    }
    unsigned last = sdPolytope_FaceOf(least), face;
    sdVec3d normal = sdPolytope_Normal(&polytope, last);
    double inverse = 1.0 / sdLengthD(normal), lower = sqrt(least), weights[3];
    sdEpaVertex vertex;
    scanRestored(pair, &polytope, last, &vertex);
    output->depth = sdDotD(normal, sdV3d(vertex.w[0], vertex.w[1], vertex.w[2])) * inverse;
    output->iterations = 1;
    output->status = SD_STATUS_TOLERANCE;
    if (output->depth - lower > TOLERANCE * pair->scale ||
        !(output->depth > SHALLOW * pair->scale)) {
        return false;
    }
    setDepth(pair, &polytope, last, lower, inverse, output);
    if (!findSamePierced(memory, &polytope, least, output->normal, &face, weights)) {
        return false;
    }
    setWitnesses(&polytope, face, weights, output);
    sdSimd_Leave();
    return true;
}

// ---- from the start ------------------------------------------------------------------------

/// @param memory see sdEpa_Run
static void searchAndNote(const sdConvexPair* pair, sdPolytope* polytope, sdPairPolytope* memory,
                          sdEpaOutput* output) {
    search(pair, polytope, output);
    sdSimd_Leave();
    if (memory != NULL) {
        memory->faceCount = 0;
        memory->vertexCount = 0;
        if (areScanned(pair) && output->status == SD_STATUS_TOLERANCE) {
            remember(polytope, memory);
        }
    }
}

void SD_KERNEL(sdEpa_Run)(const sdConvexPair* pair, const sdSimplex* start, sdPairPolytope* memory,
                          sdEpaOutput* output) {
    sdSimplex simplex = *start;
    double flat = FLAT * pair->scale;
    sdVec3d flatNormal;
    if (!growSimplex(pair, &simplex, flat, &flatNormal)) {
        setFlat(start, flatNormal, flat, output);
        return;
    }
    sdPolytope polytope;
    startTetrahedron(&polytope, pair, &simplex);
    searchAndNote(pair, &polytope, memory, output);
}

static bool areMiddlesNear(const sdConvexPair* pair, const sdEpaStart* start) {
    double outer = (double)pair->a.outer + (double)pair->b.outer;
    double reach = start->inner + NEAR_MIDDLES * (outer - start->inner);
    return sdDotD(start->middle, start->middle) < reach * reach;
}

bool SD_KERNEL(sdEpa_RunDeep)(const sdConvexPair* pair, const sdEpaStart* start, sdSimplex* simplex,
                              sdPairPolytope* memory, sdEpaOutput* output) {
    bool isFirst = start->isOnce && areMiddlesNear(pair, start);
    sdDepthVerdict verdict = isFirst ? SD_KERNEL(sdHulls_Depth)(pair, NULL, output) : SD_DEPTH_OPEN;
    if (verdict == SD_DEPTH_FOUND) {
        return true;
    }
    sdPolytope polytope;
    sdVec3d axis = start->axis;
    simplex->points[0] = sdConvexPair_Support(pair, axis);
    simplex->count = 1;
    // smooth bodies are solved to a tolerance, where another axis would lead to another normal
    bool isSmooth = simplex->points[0].indexA < 0 || simplex->points[0].indexB < 0;
    double along = sdDotD(axis, simplex->points[0].w);
    bool areHulls = start->isOnce && pair->a.hull != NULL && pair->b.hull != NULL;
    double deep = (areHulls ? DEEP_HULLS : DEEP) * pair->scale * sdLengthD(axis);
    if (isSmooth ||
        (along <= deep && !sdGjk_UseCone(pair, &start->middle, start->inner, simplex))) {
        simplex->count = 1;
        return false;
    }
    verdict = start->isOnce && !isFirst ? SD_KERNEL(sdHulls_Depth)(pair, NULL, output) : verdict;
    if (verdict == SD_DEPTH_FOUND) {
        return true;
    }
    if (verdict != SD_DEPTH_OPEN || !startOctahedron(&polytope, pair, axis, &simplex->points[0])) {
        simplex->count = 1;
        return false;
    }
    searchAndNote(pair, &polytope, memory, output);
    // what a better start may still solve; and a common point is known from the cone only
    bool isSolved = output->status == SD_STATUS_TOLERANCE &&
                    (simplex->count == 2 || output->depth > SHALLOW * pair->scale);
    simplex->count = isSolved ? simplex->count : 1;
    return isSolved;
}
