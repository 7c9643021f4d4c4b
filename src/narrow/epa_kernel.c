// SPDX-License-Identifier: MIT
// epa_kernel.c - penetration depth of two overlapping convex cores.
//
// In:   terminal simplex of GJK, which contains the origin, and the pair's support function.
// Out:  depth, normal A->B, witness points, how much smaller the true depth may be. Never
// allocates. Ref:  van den Bergen, "Proximity Queries and Penetration Depth Computation", GDC 2001.
// Note: a polytope inside of A - B grows where it is nearest to the origin. Its nearest face bounds
//       the depth from below, the support point over it from above; it stops when the two meet, at
//       SD_EPA_MAX_VERTICES, or when rounding would break the mesh. Flat and touching bodies have
//       depth 0 and the normal of their common plane.

#include "narrow/epa.h"

/// Gap between both bounds, relative to the size of the pair, at which the depth is found.
#define TOLERANCE 1e-7
/// A - B thinner than this fraction of its size is flat.
#define FLAT 1e-10
/// Height over a face, relative to the size, from which a point can see it.
#define VISIBLE 1e-14
/// Squared normals below this, relative to the fourth power of the size, have no direction.
#define SLIVER 1e-28
/// Share of a face by which the foot of the origin may miss it and still be on its edge.
#define ON_EDGE 1e-9
/// The low bits of a face's key are its number, so that a search for the least key finds the face.
#define FACE_BITS 0x1FFu
/// Keys are not smaller than this: the numbers must not make them subnormal.
#define LEAST_KEY 1e-280

/// Squared cosine between faces that are level with each other: far from that of those that are
/// not, as flat ones are found out by their depth.
#define LEVEL 0.99
/// Where the first supports around the axis are: cosine and sine of their angle from it. Sixty
/// degrees: the nearest face is likely to be within them.
#define RING_HEIGHT 0.7071067811865476
#define RING_RADIUS 0.7071067811865476

/// Slots for faces that are made ready at a time.
#define BLOCK 16

/// Columns do not start at the same place of a page: they would share a few lines of the cache.
#define COLUMN (SD_EPA_MAX_FACES + 8)

#define WORD_BITS 64u
#define WORDS (SD_EPA_MAX_FACES / WORD_BITS)

_Static_assert(SD_EPA_MAX_FACES <= FACE_BITS + 1, "the number of a face fits in its key");

/// A closed mesh of triangles. Half-edge 4 f + i goes from vertex i of face f to the next one.
typedef struct Polytope {
    // of faces, in columns, to be looked at four at a time
    double normalX[COLUMN]; ///< outward, not unit: directions need no length
    double normalY[COLUMN];
    double normalZ[COLUMN];
    double levels[COLUMN]; ///< points further along the normal see the face
    double keys[COLUMN];   ///< squared distance, signed, and number; DBL_MAX: free, sliver
    // of half-edges
    uint16_t twins[4 * SD_EPA_MAX_FACES];
    uint8_t origins[4 * SD_EPA_MAX_FACES]; ///< the fourth of a face is the first again
    // of vertices
    double x[SD_EPA_MAX_VERTICES];
    double y[SD_EPA_MAX_VERTICES];
    double z[SD_EPA_MAX_VERTICES];
    sdMinkowskiPoint points[SD_EPA_MAX_VERTICES];
    uint16_t places[SD_EPA_MAX_VERTICES]; ///< which of the newest faces starts from here

    uint16_t freeFaces[SD_EPA_MAX_FACES];
    int freeCount;
    int top; ///< slots ever used
    int pointCount;
    double least;   ///< of the keys
    double sliver;  ///< squared normals below this are rounding only
    double visible; ///< heights below this are
} Polytope;

static sdVec3d normalOf(sdVec3d a, sdVec3d b, sdVec3d c) {
    return sdCrossD(sdSubD(b, a), sdSubD(c, a));
}

SD_INLINE sdVec3d faceNormal(const Polytope* polytope, unsigned face) {
    return sdV3d(polytope->normalX[face], polytope->normalY[face], polytope->normalZ[face]);
}

SD_INLINE const sdMinkowskiPoint* faceVertex(const Polytope* polytope, unsigned face, unsigned i) {
    return &polytope->points[polytope->origins[4 * face + i]];
}

SD_INLINE sdVec3d vertex(const Polytope* polytope, unsigned i) {
    return sdV3d(polytope->x[i], polytope->y[i], polytope->z[i]);
}

static void setVertex(Polytope* polytope, int i, const sdMinkowskiPoint* point) {
    sdMinkowskiPoint_Copy(&polytope->points[i], point);
    polytope->x[i] = point->w.x;
    polytope->y[i] = point->w.y;
    polytope->z[i] = point->w.z;
}

SD_INLINE unsigned getFaceBits(double key) {
    uint64_t bits;
    memcpy(&bits, &key, sizeof bits);
    return (unsigned)(bits & FACE_BITS);
}

/// Have this many free slots. They come in blocks, so that loops over all of them run equally often
/// from one growth to the next, which the processor foretells.
/// @return false when there are not so many
static bool reserve(Polytope* polytope, int count) {
    while (polytope->freeCount < count && polytope->top < SD_EPA_MAX_FACES) {
        int first = polytope->top;
        polytope->top += BLOCK;
        for (int f = first; f < polytope->top; f += SD_LANES_D) {
            sdD4_Store(&polytope->normalX[f], sdD4_Splat(0.0));
            sdD4_Store(&polytope->normalY[f], sdD4_Splat(0.0));
            sdD4_Store(&polytope->normalZ[f], sdD4_Splat(0.0));
            sdD4_Store(&polytope->levels[f], sdD4_Splat(DBL_MAX));
            sdD4_Store(&polytope->keys[f], sdD4_Splat(DBL_MAX));
        }
        for (int f = polytope->top - 1; f >= first; --f) {
            polytope->freeFaces[polytope->freeCount++] = (uint16_t)f;
        }
    }
    return polytope->freeCount >= count;
}

SD_INLINE sdD4 gather(const double* column, const unsigned* at) {
    return (sdD4){column[at[0]], column[at[1]], column[at[2]], column[at[3]]};
}

SD_INLINE sdD4 absolute(sdD4 a) {
    const int64_t all = INT64_MAX;
    return (sdD4)((sdL4)a & (sdL4){all, all, all, all});
}

/// Four faces at a time; the same one may be among them more than once.
/// @param i, j, k their corners, counter-clockwise from outside
/// @return their keys
SD_INLINE sdD4 setFaces(Polytope* polytope, const unsigned* faces, const unsigned* i,
                        const unsigned* j, const unsigned* k) {
    sdD4 ax = gather(polytope->x, i), ay = gather(polytope->y, i), az = gather(polytope->z, i);
    sdD4 ux = gather(polytope->x, j) - ax, uy = gather(polytope->y, j) - ay;
    sdD4 uz = gather(polytope->z, j) - az, vx = gather(polytope->x, k) - ax;
    sdD4 vy = gather(polytope->y, k) - ay, vz = gather(polytope->z, k) - az;
    sdD4 nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    sdD4 offset = nx * ax + ny * ay + nz * az, squared = nx * nx + ny * ny + nz * nz;
    // negative when rounding has the origin outside
    sdD4 key = offset * absolute(offset) / squared;
    const sdD4 leastKey = sdD4_Splat(LEAST_KEY), most = sdD4_Splat(DBL_MAX);
    key = sdD4_Select(sdD4_Less(leastKey, absolute(key)), key, leastKey);
    const int64_t numbers = FACE_BITS;
    sdL4 number = {(int64_t)faces[0], (int64_t)faces[1], (int64_t)faces[2], (int64_t)faces[3]};
    key = (sdD4)(((sdL4)key & ~(sdL4){numbers, numbers, numbers, numbers}) | number);
    // not shorter than the normal, and without a root
    sdD4 length = absolute(nx) + absolute(ny) + absolute(nz);
    // slivers have no side to be seen from: they go with the first neighbour that is seen
    sdL4 isFace = sdD4_Less(sdD4_Splat(polytope->sliver), squared);
    sdD4 level = offset + sdD4_Splat(polytope->visible) * length;
    level = sdD4_Select(isFace, level, -most);
    key = sdD4_Select(isFace, key, most);
    for (int lane = 0; lane < SD_LANES_D; ++lane) {
        unsigned face = faces[lane];
        polytope->normalX[face] = nx[lane];
        polytope->normalY[face] = ny[lane];
        polytope->normalZ[face] = nz[lane];
        polytope->levels[face] = level[lane];
        polytope->keys[face] = key[lane];
        uint8_t* origins = &polytope->origins[4 * face];
        origins[0] = (uint8_t)i[lane];
        origins[1] = (uint8_t)j[lane];
        origins[2] = (uint8_t)k[lane];
        origins[3] = (uint8_t)i[lane];
    }
    return key;
}

SD_INLINE void removeFace(Polytope* polytope, unsigned face) {
    polytope->levels[face] = DBL_MAX;
    polytope->keys[face] = DBL_MAX;
    polytope->freeFaces[polytope->freeCount++] = (uint16_t)face;
}

SD_INLINE void link(Polytope* polytope, unsigned a, unsigned b) {
    polytope->twins[a] = (uint16_t)b;
    polytope->twins[b] = (uint16_t)a;
}

// ---- growth --------------------------------------------------------------------------------

SD_INLINE unsigned isSeen(const uint64_t* seen, unsigned face) {
    return (unsigned)(seen[face / WORD_BITS] >> (face % WORD_BITS)) & 1u;
}

SD_INLINE void setSeen(uint64_t* seen, unsigned face) {
    seen[face / WORD_BITS] |= (uint64_t)1 << (face % WORD_BITS);
}

SD_INLINE unsigned countWords(const Polytope* polytope) {
    return ((unsigned)polytope->top + WORD_BITS - 1) / WORD_BITS;
}

/// Bit i: a point sees face `first` + i.
SD_INLINE int lookAtFour(const Polytope* polytope, int first, sdVec3d w) {
    sdD4 height = sdD4_Load(&polytope->normalX[first]) * sdD4_Splat(w.x) +
                  sdD4_Load(&polytope->normalY[first]) * sdD4_Splat(w.y) +
                  sdD4_Load(&polytope->normalZ[first]) * sdD4_Splat(w.z);
    return sdL4_MaskBits(sdD4_Less(sdD4_Load(&polytope->levels[first]), height));
}

/// Find all faces that a point sees.
/// @return the least key of all others
static double look(const Polytope* polytope, sdVec3d w, uint64_t* seen) {
    const sdD4 x = sdD4_Splat(w.x), y = sdD4_Splat(w.y), z = sdD4_Splat(w.z);
    const sdD4 far = sdD4_Splat(DBL_MAX);
    sdD4 least = far;
    for (unsigned word = 0; word < countWords(polytope); ++word) {
        int base = (int)(word * WORD_BITS), end = base + (int)WORD_BITS;
        end = polytope->top < end ? polytope->top : end;
        uint64_t bits = 0;
        for (int f = base; f < end; f += SD_LANES_D) {
            sdD4 height = sdD4_Load(&polytope->normalX[f]) * x +
                          sdD4_Load(&polytope->normalY[f]) * y +
                          sdD4_Load(&polytope->normalZ[f]) * z;
            sdL4 isAbove = sdD4_Less(sdD4_Load(&polytope->levels[f]), height);
            bits |= (uint64_t)sdL4_MaskBits(isAbove) << (f - base);
            least = sdD4_Min(sdD4_Select(isAbove, far, sdD4_Load(&polytope->keys[f])), least);
        }
        seen[word] = bits;
    }
    return sdD4_ReduceMin(least);
}

/// Of all that is seen keep what hangs together with one face: slivers seem to be seen from
/// everywhere, and rounding may show a face that is level with the point.
/// @return the least key of all others
static double keepConnected(const Polytope* polytope, unsigned start, uint64_t* seen) {
    uint64_t all[WORDS];
    uint16_t stack[SD_EPA_MAX_FACES];
    int depth = 1;
    memcpy(all, seen, countWords(polytope) * sizeof all[0]);
    memset(seen, 0, sizeof all);
    setSeen(seen, start);
    stack[0] = (uint16_t)start;
    // each face is put there once
    while (depth > 0) {
        unsigned face = stack[--depth];
        for (unsigned i = 0; i < 3; ++i) {
            unsigned other = polytope->twins[4 * face + i] / 4u;
            if (isSeen(all, other) != 0 && isSeen(seen, other) == 0) {
                setSeen(seen, other);
                stack[depth++] = (uint16_t)other;
            }
        }
    }
    double least = DBL_MAX;
    for (int f = 0; f < polytope->top; ++f) {
        bool isLess = isSeen(seen, (unsigned)f) == 0 && polytope->keys[f] < least;
        least = isLess ? polytope->keys[f] : least;
    }
    return least;
}

/// Half-edges of faces that are seen on the rim of those that are not, in any order.
/// @param faces those that are seen
static int findRim(const Polytope* polytope, const uint64_t* seen, uint16_t* rim, uint16_t* faces,
                   int* faceCount) {
    int count = 0, seenCount = 0;
    for (unsigned word = 0; word < countWords(polytope); ++word) {
        for (uint64_t bits = seen[word]; bits != 0; bits &= bits - 1) {
            unsigned face = WORD_BITS * word + (unsigned)__builtin_ctzll(bits);
            faces[seenCount++] = (uint16_t)face;
            // without a branch, which could not be foretold
            for (unsigned i = 0; i < 3; ++i) {
                rim[count] = (uint16_t)(4 * face + i);
                count += 1 - (int)isSeen(seen, polytope->twins[4 * face + i] / 4u);
            }
        }
    }
    *faceCount = seenCount;
    return count;
}

/// Join the new faces to each other, from one to the next around the rim.
/// @param first of `count` faces
/// @return false when the rim is not one loop
static bool joinFaces(Polytope* polytope, unsigned first, int count) {
    unsigned face = first;
    int step = 0;
    do {
        // as many edges of the rim start from a vertex as end there
        unsigned next = polytope->places[polytope->origins[4 * face + 1]];
        link(polytope, 4 * face + 1, 4 * next + 2);
        face = next;
        step += 1;
    } while (face != first && step < count);
    return face == first && step == count;
}

/// Replace the faces that are seen by a cone over their rim.
/// @param least key of the faces that stay
/// @return false, with nothing changed, when the rim is not one loop or there is no room
static bool replaceSeen(Polytope* polytope, const uint64_t* seen, double least,
                        const sdMinkowskiPoint* point) {
    uint16_t rim[3 * SD_EPA_MAX_FACES], made[SD_EPA_MAX_FACES], faces[SD_EPA_MAX_FACES];
    int faceCount;
    int count = findRim(polytope, seen, rim, faces, &faceCount);
    if (count < 3 || !reserve(polytope, count)) {
        return false;
    }
    unsigned apex = (unsigned)polytope->pointCount;
    setVertex(polytope, (int)apex, point);
    const unsigned apexes[SD_LANES_D] = {apex, apex, apex, apex};
    sdD4 keys = sdD4_Splat(least);
    for (int first = 0; first < count; first += SD_LANES_D) {
        unsigned faces4[SD_LANES_D], from[SD_LANES_D], to[SD_LANES_D];
        for (int lane = 0; lane < SD_LANES_D; ++lane) {
            // at the end, the last one again
            int at = first + lane < count ? first + lane : count - 1;
            unsigned edge = rim[at], face = polytope->freeFaces[polytope->freeCount - 1 - at];
            faces4[lane] = face;
            from[lane] = polytope->origins[edge];
            to[lane] = polytope->origins[edge + 1];
            link(polytope, 4 * face, polytope->twins[edge]);
            polytope->places[from[lane]] = (uint16_t)face;
            made[at] = (uint16_t)face;
        }
        keys = sdD4_Min(setFaces(polytope, faces4, from, to, apexes), keys);
    }
    polytope->freeCount -= count;
    least = sdD4_ReduceMin(keys);
    if (!joinFaces(polytope, made[0], count)) {
        for (int i = 0; i < count; ++i) {
            polytope->twins[polytope->twins[rim[i]]] = rim[i];
            removeFace(polytope, made[i]);
        }
        return false;
    }
    for (int i = 0; i < faceCount; ++i) {
        removeFace(polytope, faces[i]);
    }
    polytope->pointCount += 1;
    polytope->least = least;
    return true;
}

/// Grow to a new point.
/// @param start a face that it sees
/// @return false, with nothing changed, when rounding would break the mesh, or there is no room
static bool expand(Polytope* polytope, unsigned start, const sdMinkowskiPoint* point) {
    uint64_t seen[WORDS];
    double least = look(polytope, point->w, seen);
    if (replaceSeen(polytope, seen, least, point)) {
        return true;
    }
    least = keepConnected(polytope, start, seen);
    return replaceSeen(polytope, seen, least, point);
}

// ---- the first tetrahedron -----------------------------------------------------------------

/// A point of A - B that is off the point points[0].
static bool growToSegment(const sdConvexPair* pair, sdSimplex* simplex, double flat) {
    for (int i = 0; i < 6; ++i) {
        double sign = i % 2 == 0 ? 1.0 : -1.0;
        sdVec3d d =
            sdV3d(i / 2 == 0 ? sign : 0.0, i / 2 == 1 ? sign : 0.0, i / 2 == 2 ? sign : 0.0);
        sdMinkowskiPoint point = sdConvexPair_Support(pair, d);
        if (sdLengthD(sdSubD(point.w, simplex->points[0].w)) > flat) {
            simplex->points[simplex->count++] = point;
            return true;
        }
    }
    return false;
}

/// Some unit vector at right angles to a.
static sdVec3d anyNormal(sdVec3d a) {
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    sdVec3d axis = x <= y && x <= z ? sdV3d(1.0, 0.0, 0.0)
                                    : (y <= z ? sdV3d(0.0, 1.0, 0.0) : sdV3d(0.0, 0.0, 1.0));
    sdVec3d n = sdCrossD(a, axis);
    return sdScaleD(1.0 / sdLengthD(n), n);
}

/// A point that is off the line through the first two.
static bool growToTriangle(const sdConvexPair* pair, sdSimplex* simplex, double flat,
                           sdVec3d* normal) {
    sdVec3d edge = sdSubD(simplex->points[1].w, simplex->points[0].w);
    edge = sdScaleD(1.0 / sdLengthD(edge), edge);
    sdVec3d u = anyNormal(edge), v = sdCrossD(edge, u);
    const sdVec3d directions[4] = {u, v, sdScaleD(-1.0, u), sdScaleD(-1.0, v)};
    *normal = u;
    for (int i = 0; i < 4; ++i) {
        sdMinkowskiPoint point = sdConvexPair_Support(pair, directions[i]);
        sdVec3d off = sdCrossD(edge, sdSubD(point.w, simplex->points[0].w));
        if (sdLengthD(off) > flat) {
            simplex->points[simplex->count++] = point;
            return true;
        }
    }
    return false;
}

/// A point that is off the plane through the first three.
static bool growToTetrahedron(const sdConvexPair* pair, sdSimplex* simplex, double flat,
                              sdVec3d* normal) {
    const sdMinkowskiPoint* p = simplex->points;
    sdVec3d n = normalOf(p[0].w, p[1].w, p[2].w);
    double length = sdLengthD(n);
    n = length > 0.0 ? sdScaleD(1.0 / length, n) : anyNormal(sdSubD(p[1].w, p[0].w));
    *normal = n;
    for (int i = 0; i < 2; ++i) {
        sdMinkowskiPoint point = sdConvexPair_Support(pair, sdScaleD(i == 0 ? 1.0 : -1.0, n));
        if (fabs(sdDotD(n, sdSubD(point.w, p[0].w))) > flat) {
            simplex->points[simplex->count++] = point;
            return true;
        }
    }
    return false;
}

/// Keep the two points of three that are furthest apart.
static void keepLongestEdge(sdSimplex* simplex) {
    sdMinkowskiPoint* p = simplex->points;
    sdVec3d a = sdSubD(p[1].w, p[0].w), b = sdSubD(p[2].w, p[1].w), c = sdSubD(p[0].w, p[2].w);
    double aa = sdDotD(a, a), bb = sdDotD(b, b), cc = sdDotD(c, c);
    if (bb > aa && bb >= cc) {
        p[0] = p[2];
    } else if (cc > aa) {
        p[1] = p[2];
    }
    simplex->count = 2;
}

/// Drop points until those that are left span a tetrahedron, a triangle, an edge, that rounding
/// could not have made.
static void dropFlat(sdSimplex* simplex, double flat, double sliver) {
    const sdMinkowskiPoint* p = simplex->points;
    if (simplex->count >= 3) {
        sdVec3d n = normalOf(p[0].w, p[1].w, p[2].w);
        bool isSliver = !(sdDotD(n, n) > sliver);
        if (simplex->count == 4) {
            double volume = fabs(sdDotD(n, sdSubD(p[3].w, p[0].w)));
            simplex->count = !isSliver && volume > flat * sdLengthD(n) ? 4 : 3;
        }
        if (isSliver) {
            keepLongestEdge(simplex);
        }
    }
    if (simplex->count == 2 && !(sdLengthD(sdSubD(p[1].w, p[0].w)) > flat)) {
        simplex->count = 1;
    }
}

/// @return false when A - B is flat; *normal is then at right angles to it
static bool growSimplex(const sdConvexPair* pair, sdSimplex* simplex, double flat,
                        sdVec3d* normal) {
    double scale = pair->scale;
    dropFlat(simplex, flat, SLIVER * scale * scale * scale * scale);
    *normal = sdV3d(0.0, 1.0, 0.0);
    if (simplex->count == 1 && !growToSegment(pair, simplex, flat)) {
        return false;
    }
    if (simplex->count == 2 && !growToTriangle(pair, simplex, flat, normal)) {
        return false;
    }
    return simplex->count == 4 || growToTetrahedron(pair, simplex, flat, normal);
}

static void clear(Polytope* polytope, double scale) {
    polytope->sliver = SLIVER * scale * scale * scale * scale;
    polytope->visible = VISIBLE * scale;
    polytope->pointCount = 0;
    polytope->freeCount = 0;
    polytope->top = 0;
    polytope->least = DBL_MAX;
    reserve(polytope, BLOCK);
}

/// The first faces, a multiple of four.
static void setFirstFaces(Polytope* polytope, const uint8_t (*corners)[3], int count) {
    for (int first = 0; first < count; first += SD_LANES_D) {
        unsigned faces[SD_LANES_D], i[SD_LANES_D], j[SD_LANES_D], k[SD_LANES_D];
        for (int lane = 0; lane < SD_LANES_D; ++lane) {
            const uint8_t* at = corners[first + lane];
            faces[lane] = (unsigned)(first + lane);
            i[lane] = at[0];
            j[lane] = at[1];
            k[lane] = at[2];
        }
        double least = sdD4_ReduceMin(setFaces(polytope, faces, i, j, k));
        polytope->least = least < polytope->least ? least : polytope->least;
    }
    polytope->freeCount -= count;
}

static void startTetrahedron(Polytope* polytope, const sdSimplex* simplex, double scale) {
    static const uint8_t faces[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const uint16_t twins[16] = {6, 10, 14, 0, 13, 8, 0, 0, 5, 12, 1, 0, 9, 4, 2, 0};
    const sdMinkowskiPoint* p = simplex->points;
    sdVec3d n = normalOf(p[0].w, p[1].w, p[2].w);
    bool isInward = sdDotD(n, sdSubD(p[3].w, p[0].w)) > 0.0;
    clear(polytope, scale);
    setVertex(polytope, 0, &p[0]);
    setVertex(polytope, 1, &p[isInward ? 2 : 1]);
    setVertex(polytope, 2, &p[isInward ? 1 : 2]);
    setVertex(polytope, 3, &p[3]);
    polytope->pointCount = 4;
    setFirstFaces(polytope, faces, 4);
    memcpy(polytope->twins, twins, sizeof twins);
}

/// Support points along an axis, against it and on a ring around it.
/// @param top the point along the axis
/// @return false when they are not the corners of a convex octahedron around the origin
static bool startOctahedron(Polytope* polytope, const sdConvexPair* pair, sdVec3d direction,
                            const sdMinkowskiPoint* top) {
    static const uint8_t faces[8][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 1},
                                        {5, 2, 1}, {5, 3, 2}, {5, 4, 3}, {5, 1, 4}};
    static const uint16_t twins[32] = {14, 17, 4,  0, 2,  21, 8,  0, 6,  25, 12, 0, 10, 29, 0,  0,
                                       22, 1,  28, 0, 26, 5,  16, 0, 30, 9,  20, 0, 18, 13, 24, 0};
    sdVec3d axis = sdScaleD(1.0 / sdLengthD(direction), direction);
    sdVec3d u = anyNormal(axis), v = sdCrossD(axis, u);
    sdVec3d height = sdScaleD(RING_HEIGHT, axis);
    sdMinkowskiPoint points[6] = {
        *top,
        sdConvexPair_Support(pair, sdMulAddD(height, RING_RADIUS, u)),
        sdConvexPair_Support(pair, sdMulAddD(height, RING_RADIUS, v)),
        sdConvexPair_Support(pair, sdMulAddD(height, -RING_RADIUS, u)),
        sdConvexPair_Support(pair, sdMulAddD(height, -RING_RADIUS, v)),
        sdConvexPair_Support(pair, sdScaleD(-1.0, axis)),
    };
    clear(polytope, pair->scale);
    for (int i = 0; i < 6; ++i) {
        setVertex(polytope, i, &points[i]);
    }
    setFirstFaces(polytope, faces, 8);
    polytope->pointCount = 6;
    memcpy(polytope->twins, twins, sizeof twins);
    // no corner may see a face; slivers seem to be seen by all
    int seen = 0;
    for (int i = 0; i < 6; ++i) {
        seen |= lookAtFour(polytope, 0, points[i].w) | lookAtFour(polytope, 4, points[i].w);
    }
    return seen == 0 && polytope->least > 0.0;
}

// ---- result --------------------------------------------------------------------------------

/// The face has a direction, and it is not that of n.
static bool bendsAway(const Polytope* polytope, unsigned face, sdVec3d n) {
    sdVec3d normal = faceNormal(polytope, face);
    double along = sdDotD(normal, n), squared = sdDotD(normal, normal);
    bool isSliver = !(squared > polytope->sliver);
    return !isSliver && (along <= 0.0 || along * along < LEVEL * squared);
}

/// Walk from a face to the one that the ray from the origin along n leaves by: of coplanar faces,
/// which are equally near, only one holds the foot of the origin.
/// @param weights of its corners, at that place
/// @return that face
static unsigned findPierced(const Polytope* polytope, unsigned start, sdVec3d n,
                            double weights[3]) {
    unsigned at = start;
    // no face is met twice, unless rounding turns the walk in a circle
    for (int step = 0; step < SD_EPA_MAX_FACES; ++step) {
        const uint8_t* origins = &polytope->origins[4 * at];
        sdVec3d a = vertex(polytope, origins[0]), b = vertex(polytope, origins[1]);
        sdVec3d c = vertex(polytope, origins[2]);
        weights[2] = sdDotD(n, sdCrossD(a, b));
        weights[0] = sdDotD(n, sdCrossD(b, c));
        weights[1] = sdDotD(n, sdCrossD(c, a));
        unsigned leave = weights[2] < weights[0] ? 0 : 1;
        leave = weights[1] < weights[leave == 0 ? 2 : 0] ? 2 : leave;
        double least = leave == 0 ? weights[2] : (leave == 1 ? weights[0] : weights[1]);
        if (least >= -ON_EDGE * (weights[0] + weights[1] + weights[2])) {
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

static void setWitnesses(const Polytope* polytope, unsigned nearest, sdEpaOutput* output) {
    double weights[3];
    unsigned face = findPierced(polytope, nearest, output->normal, weights);
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        weights[i] = weights[i] > 0.0 ? weights[i] : 0.0;
        sum += weights[i];
    }
    sdVec3d pointA = sdV3d(0.0, 0.0, 0.0);
    for (int i = 0; i < 3; ++i) {
        double share = sum > 0.0 ? weights[i] / sum : (i == 0 ? 1.0 : 0.0);
        pointA = sdMulAddD(pointA, share, faceVertex(polytope, face, (unsigned)i)->a);
    }
    output->pointA = pointA;
    output->pointB = sdMulAddD(pointA, -output->depth, output->normal);
    output->indexA = faceVertex(polytope, face, 0)->indexA;
    output->indexB = faceVertex(polytope, face, 0)->indexB;
}

static bool hasVertex(const Polytope* polytope, unsigned face, sdVec3d w) {
    for (unsigned i = 0; i < 3; ++i) {
        sdVec3d v = vertex(polytope, polytope->origins[4 * face + i]);
        if (v.x == w.x && v.y == w.y && v.z == w.z) {
            return true;
        }
    }
    return false;
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

/// Grow until the nearest face is one of A - B.
static void search(const sdConvexPair* pair, Polytope* polytope, sdEpaOutput* output) {
    double lower = 0.0, inverse = 0.0;
    unsigned last = 0;
    output->depth = 0.0;
    output->status = SD_STATUS_LIMIT;
    output->iterations = 0;
    while (polytope->least < DBL_MAX) {
        last = getFaceBits(polytope->least);
        sdVec3d normal = faceNormal(polytope, last);
        inverse = 1.0 / sdLengthD(normal);
        double bound = polytope->least > 0.0 ? sqrt(polytope->least) : 0.0;
        lower = bound > lower ? bound : lower;
        // every direction's support value is a depth that parts the bodies
        sdMinkowskiPoint point = sdConvexPair_Support(pair, normal);
        output->depth = sdDotD(normal, point.w) * inverse;
        output->iterations += 1;
        if (output->depth - lower <= TOLERANCE * pair->scale ||
            hasVertex(polytope, last, point.w)) {
            output->status = SD_STATUS_TOLERANCE;
            break;
        }
        if (polytope->pointCount == SD_EPA_MAX_VERTICES || !expand(polytope, last, &point)) {
            break;
        }
    }
    output->depth = output->depth > 0.0 ? output->depth : 0.0;
    output->error = (output->depth > lower ? output->depth - lower : 0.0) + pair->supportError;
    output->normal = sdScaleD(inverse, faceNormal(polytope, last));
    setWitnesses(polytope, last, output);
}

void SD_KERNEL(sdEpa_Run)(const sdConvexPair* pair, const sdSimplex* start, sdEpaOutput* output) {
    sdSimplex simplex = *start;
    double flat = FLAT * pair->scale;
    sdVec3d flatNormal;
    if (!growSimplex(pair, &simplex, flat, &flatNormal)) {
        setFlat(start, flatNormal, flat, output);
        return;
    }
    Polytope polytope;
    startTetrahedron(&polytope, &simplex, pair->scale);
    search(pair, &polytope, output);
}

bool SD_KERNEL(sdEpa_RunDeep)(const sdConvexPair* pair, const sdVec3d* axis, const sdVec3d* middle,
                              double inner, sdSimplex* simplex, sdEpaOutput* output) {
    Polytope polytope;
    simplex->points[0] = sdConvexPair_Support(pair, *axis);
    simplex->count = 1;
    // smooth bodies are solved to a tolerance, where another axis would lead to another normal
    bool isSmooth = simplex->points[0].indexA < 0 || simplex->points[0].indexB < 0;
    if (isSmooth || !sdGjk_UseCone(pair, middle, inner, simplex) ||
        !startOctahedron(&polytope, pair, *axis, &simplex->points[0])) {
        simplex->count = 1;
        return false;
    }
    search(pair, &polytope, output);
    // what a better start may still solve
    simplex->count = output->status == SD_STATUS_TOLERANCE ? 2 : 1;
    return output->status == SD_STATUS_TOLERANCE;
}
