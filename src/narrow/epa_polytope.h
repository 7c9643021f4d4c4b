// SPDX-License-Identifier: MIT
// epa_polytope.h - the growing polytope of EPA: a closed mesh of triangles around the origin.
//
// Faces live in groups of four, which are made, looked at and stored as vectors; a group is used
// again when all of its faces are gone. Nearly always a new point sees one to three faces, whose
// rim is known without a search: those cases have code of their own, in which nothing but their
// number is left to be foretold.

#ifndef SD_NARROW_EPA_POLYTOPE_H
#define SD_NARROW_EPA_POLYTOPE_H

#include "narrow/epa.h"

/// Height over a face, relative to the size, from which a point can see it.
#define SD_EPA_VISIBLE 1e-14
/// Squared normals below this, relative to the fourth power of the size, have no direction.
#define SD_EPA_SLIVER 1e-28
/// The low bits of a face's key are its number, so that a search for the least key finds the face.
#define SD_EPA_FACE_BITS 0x3FFu
/// Keys are not smaller than this: the numbers must not make them subnormal.
#define SD_EPA_LEAST_KEY 1e-280

/// Slots for faces that are made ready at a time.
#define SD_EPA_BLOCK 16
#define SD_EPA_GROUPS (SD_EPA_MAX_FACES / SD_LANES_D)
/// Columns do not start at the same place of a page: they would share a few lines of the cache.
#define SD_EPA_COLUMN (SD_EPA_MAX_FACES + 8)

/// Four small numbers of a face are stored as one: where the i-th of them goes.
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define SD_EPA_PLACE(i, bits) ((bits) * (3 - (i)))
#else
#define SD_EPA_PLACE(i, bits) ((bits) * (i))
#endif

#define SD_EPA_WORD_BITS 64u
#define SD_EPA_WORDS (SD_EPA_MAX_FACES / SD_EPA_WORD_BITS)

_Static_assert(SD_EPA_MAX_FACES <= SD_EPA_FACE_BITS + 1, "the number of a face fits in its key");
_Static_assert(SD_EPA_MAX_FACES % SD_EPA_WORD_BITS == 0, "faces fill words and blocks");

/// A vertex of A - B and the point of A that it came from; the fourth lanes are 0.
typedef struct sdEpaVertex {
    sdD4 w, a;
    int indexA, indexB;
} sdEpaVertex;

/// Half-edge 4 f + i goes from vertex i of face f to the next one.
typedef struct sdPolytope {
    // of faces, in columns
    double normalX[SD_EPA_COLUMN]; ///< outward, not unit: directions need no length
    double normalY[SD_EPA_COLUMN];
    double normalZ[SD_EPA_COLUMN];
    double levels[SD_EPA_COLUMN]; ///< points further along the normal see the face
    double keys[SD_EPA_COLUMN];   ///< squared distance, signed, and number; DBL_MAX: free, sliver
    float inA[3][SD_EPA_COLUMN];  ///< the normal again, to scan vertices with
    float inB[3][SD_EPA_COLUMN];  ///< against it, in B's frame
    // of half-edges
    uint16_t twins[4 * SD_EPA_MAX_FACES];
    uint8_t origins[4 * SD_EPA_MAX_FACES]; ///< the fourth of a face is the first again
    // of vertices
    double w[SD_EPA_MAX_VERTICES][4];
    double a[SD_EPA_MAX_VERTICES][4];
    int indexA[SD_EPA_MAX_VERTICES];
    int indexB[SD_EPA_MAX_VERTICES];
    uint16_t places[SD_EPA_MAX_VERTICES]; ///< which edge of a rim starts from here

    double columns[3][4]; ///< B's axes in A's frame
    double offset[4];
    sdF4 turn[3][3]; ///< the axes in single precision, each number in all lanes

    uint8_t goneCounts[SD_EPA_GROUPS]; ///< faces of a group that are not there
    uint16_t freeGroups[SD_EPA_GROUPS];
    int freeCount;
    int top; ///< slots ever used
    int vertexCount;
    double least;   ///< of the keys
    double sliver;  ///< squared normals below this are rounding only
    double visible; ///< heights below this are
} sdPolytope;

SD_INLINE sdVec3d sdPolytope_Normal(const sdPolytope* polytope, unsigned face) {
    return sdV3d(polytope->normalX[face], polytope->normalY[face], polytope->normalZ[face]);
}

SD_INLINE sdVec3d sdPolytope_Vertex(const sdPolytope* polytope, unsigned i) {
    return sdV3d(polytope->w[i][0], polytope->w[i][1], polytope->w[i][2]);
}

SD_INLINE void sdPolytope_SetVertex(sdPolytope* polytope, int i, const sdEpaVertex* vertex) {
    sdD4_Store(polytope->w[i], vertex->w);
    sdD4_Store(polytope->a[i], vertex->a);
    polytope->indexA[i] = vertex->indexA;
    polytope->indexB[i] = vertex->indexB;
}

/// The face of a key.
SD_INLINE unsigned sdPolytope_FaceOf(double key) {
    uint64_t bits;
    memcpy(&bits, &key, sizeof bits);
    return (unsigned)(bits & SD_EPA_FACE_BITS);
}

/// Groups come in blocks, so that loops over all of them run equally often from one growth to the
/// next, which the processor foretells.
/// @return false when there is no room
static __attribute__((noinline)) bool sdPolytope_AddBlock(sdPolytope* polytope) {
    int first = polytope->top;
    if (first == SD_EPA_MAX_FACES) {
        return false;
    }
    polytope->top = first + SD_EPA_BLOCK;
    for (int k = 0; k < SD_EPA_BLOCK; k += SD_LANES_D) {
        sdD4_Store(&polytope->normalX[first + k], sdD4_Splat(0.0));
        sdD4_Store(&polytope->normalY[first + k], sdD4_Splat(0.0));
        sdD4_Store(&polytope->normalZ[first + k], sdD4_Splat(0.0));
        sdD4_Store(&polytope->levels[first + k], sdD4_Splat(DBL_MAX));
        sdD4_Store(&polytope->keys[first + k], sdD4_Splat(DBL_MAX));
        // the first ones are taken first
        int at = polytope->freeCount + (SD_EPA_BLOCK - SD_LANES_D - k) / SD_LANES_D;
        polytope->freeGroups[at] = (uint16_t)((first + k) / SD_LANES_D);
    }
    polytope->freeCount += SD_EPA_BLOCK / SD_LANES_D;
    return true;
}

/// Have this many free groups.
/// @return false when there are not so many
SD_INLINE bool sdPolytope_Reserve(sdPolytope* polytope, int count) {
    while (polytope->freeCount < count) {
        if (!sdPolytope_AddBlock(polytope)) {
            return false;
        }
    }
    return true;
}

/// @param scale size of A - B
SD_INLINE void sdPolytope_Clear(sdPolytope* polytope, double scale) {
    polytope->sliver = SD_EPA_SLIVER * scale * scale * scale * scale;
    polytope->visible = SD_EPA_VISIBLE * scale;
    polytope->vertexCount = 0;
    polytope->freeCount = 0;
    polytope->top = 0;
    polytope->least = DBL_MAX;
    sdPolytope_Reserve(polytope, SD_EPA_BLOCK / SD_LANES_D);
}

// ---- faces ---------------------------------------------------------------------------------

SD_INLINE sdD4 sdPolytope_Abs(sdD4 a) {
    const int64_t all = INT64_MAX;
    return (sdD4)((sdL4)a & (sdL4){all, all, all, all});
}

/// Places of four vertices: x, y, z.
SD_INLINE void sdPolytope_Gather(const sdPolytope* polytope, const unsigned* at, sdD4 out[3]) {
    sdD4 a = sdD4_Load(polytope->w[at[0]]), b = sdD4_Load(polytope->w[at[1]]);
    sdD4 c = sdD4_Load(polytope->w[at[2]]), d = sdD4_Load(polytope->w[at[3]]);
    sdD4 ab = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    sdD4 cd = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    out[0] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    ab = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    cd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    out[1] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
}

/// Where four faces look, to scan vertices with: in single precision, as all that is asked of a
/// direction is a vertex; see SD_TURN_ROUNDING.
SD_INLINE void sdPolytope_SetDirections(sdPolytope* polytope, unsigned first, sdD4 nx, sdD4 ny,
                                        sdD4 nz) {
    sdF4 x = __builtin_convertvector(nx, sdF4), y = __builtin_convertvector(ny, sdF4);
    sdF4 z = __builtin_convertvector(nz, sdF4);
    memcpy(&polytope->inA[0][first], &x, sizeof x);
    memcpy(&polytope->inA[1][first], &y, sizeof y);
    memcpy(&polytope->inA[2][first], &z, sizeof z);
    for (int axis = 0; axis < 3; ++axis) {
        const sdF4* turn = polytope->turn[axis];
        sdF4 back = -(x * turn[0] + y * turn[1] + z * turn[2]);
        memcpy(&polytope->inB[axis][first], &back, sizeof back);
    }
}

/// What four faces are: normals, not unit, how far along them, and keys.
typedef struct sdEpaFour {
    sdD4 x, y, z;
    sdD4 offset;
    sdD4 key;
    sdL4 isFace; ///< not a sliver
} sdEpaFour;

/// By their corners, counter-clockwise from outside.
/// @param first of a group
SD_INLINE sdEpaFour sdPolytope_FindFour(const sdPolytope* polytope, unsigned first, const sdD4 i[3],
                                        const sdD4 j[3], const sdD4 k[3]) {
    sdD4 ux = j[0] - i[0], uy = j[1] - i[1], uz = j[2] - i[2];
    sdD4 vx = k[0] - i[0], vy = k[1] - i[1], vz = k[2] - i[2];
    sdD4 nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    sdD4 offset = nx * i[0] + ny * i[1] + nz * i[2], squared = nx * nx + ny * ny + nz * nz;
    // negative when rounding has the origin outside
    sdD4 key = offset * sdPolytope_Abs(offset) / squared;
    const sdD4 leastKey = sdD4_Splat(SD_EPA_LEAST_KEY), most = sdD4_Splat(DBL_MAX);
    key = sdD4_Select(sdD4_Less(leastKey, sdPolytope_Abs(key)), key, leastKey);
    const int64_t numbers = ~(int64_t)SD_EPA_FACE_BITS, at = (int64_t)first;
    sdL4 number = (sdL4){at, at, at, at} | (sdL4){0, 1, 2, 3};
    key = (sdD4)(((sdL4)key & (sdL4){numbers, numbers, numbers, numbers}) | number);
    sdL4 isFace = sdD4_Less(sdD4_Splat(polytope->sliver), squared);
    return (sdEpaFour){nx, ny, nz, offset, sdD4_Select(isFace, key, most), isFace};
}

SD_INLINE void sdPolytope_StoreFour(sdPolytope* polytope, unsigned first, const sdEpaFour* four) {
    sdD4_Store(&polytope->normalX[first], four->x);
    sdD4_Store(&polytope->normalY[first], four->y);
    sdD4_Store(&polytope->normalZ[first], four->z);
    sdD4_Store(&polytope->keys[first], four->key);
}

/// Four faces, ready to grow from.
/// @param count of the lanes that are there
/// @return their keys
SD_INLINE sdD4 sdPolytope_SetFour(sdPolytope* polytope, unsigned first, int count, const sdD4 i[3],
                                  const sdD4 j[3], const sdD4 k[3]) {
    sdEpaFour four = sdPolytope_FindFour(polytope, first, i, j, k);
    const sdD4 most = sdD4_Splat(DBL_MAX);
    // not shorter than the normal, and without a root
    sdD4 length = sdPolytope_Abs(four.x) + sdPolytope_Abs(four.y) + sdPolytope_Abs(four.z);
    // slivers have no side to be seen from: they go with the first neighbour that is seen
    sdD4 level = four.offset + sdD4_Splat(polytope->visible) * length;
    level = sdD4_Select(four.isFace, level, -most);
    if (count < SD_LANES_D) {
        const sdL4 isThere = {-1, -(count > 1), -(count > 2), 0};
        level = sdD4_Select(isThere, level, most);
        four.key = sdD4_Select(isThere, four.key, most);
    }
    sdPolytope_SetDirections(polytope, first, four.x, four.y, four.z);
    sdPolytope_StoreFour(polytope, first, &four);
    sdD4_Store(&polytope->levels[first], level);
    return four.key;
}

SD_INLINE void sdPolytope_SetOrigins(sdPolytope* polytope, unsigned face, unsigned i, unsigned j,
                                     unsigned k) {
    uint32_t all = i << SD_EPA_PLACE(0, 8) | j << SD_EPA_PLACE(1, 8) | k << SD_EPA_PLACE(2, 8) |
                   i << SD_EPA_PLACE(3, 8);
    memcpy(&polytope->origins[4 * face], &all, sizeof all);
}

/// Both ways between a face and what is beyond its first edge; the others are not told.
SD_INLINE void sdPolytope_SetTwins(sdPolytope* polytope, unsigned face, unsigned first,
                                   unsigned second, unsigned third) {
    uint64_t all = (uint64_t)first << SD_EPA_PLACE(0, 16) |
                   (uint64_t)second << SD_EPA_PLACE(1, 16) | (uint64_t)third << SD_EPA_PLACE(2, 16);
    memcpy(&polytope->twins[4 * face], &all, sizeof all);
    polytope->twins[first] = (uint16_t)(4 * face);
}

SD_INLINE void sdPolytope_Remove(sdPolytope* polytope, unsigned face) {
    unsigned group = face / SD_LANES_D;
    polytope->levels[face] = DBL_MAX;
    polytope->keys[face] = DBL_MAX;
    polytope->goneCounts[group] = (uint8_t)(polytope->goneCounts[group] + 1);
    polytope->freeGroups[polytope->freeCount] = (uint16_t)group;
    polytope->freeCount += polytope->goneCounts[group] == SD_LANES_D ? 1 : 0;
}

/// The first groups.
/// @param origins, twins of their half-edges
SD_INLINE void sdPolytope_SetFirst(sdPolytope* polytope, int groupCount, const uint8_t* origins,
                                   const uint16_t* twins) {
    size_t edgeCount = 4u * SD_LANES_D * (size_t)groupCount;
    memcpy(polytope->origins, origins, edgeCount * sizeof *origins);
    memcpy(polytope->twins, twins, edgeCount * sizeof *twins);
    memset(polytope->goneCounts, 0, (size_t)groupCount);
    polytope->freeCount -= groupCount;
}

// ---- what is seen --------------------------------------------------------------------------

SD_INLINE unsigned sdEpa_IsSeen(const uint64_t* seen, unsigned face) {
    return (unsigned)(seen[face / SD_EPA_WORD_BITS] >> (face % SD_EPA_WORD_BITS)) & 1u;
}

SD_INLINE void sdEpa_SetSeen(uint64_t* seen, unsigned face) {
    seen[face / SD_EPA_WORD_BITS] |= (uint64_t)1 << (face % SD_EPA_WORD_BITS);
}

SD_INLINE unsigned sdPolytope_WordCount(const sdPolytope* polytope) {
    return ((unsigned)polytope->top + SD_EPA_WORD_BITS - 1) / SD_EPA_WORD_BITS;
}

/// Whether points see four faces.
/// @param w a point for each of them
SD_INLINE sdL4 sdPolytope_LookAtFour(const sdPolytope* polytope, int first, const sdD4 w[3]) {
    sdD4 height = sdD4_Load(&polytope->normalX[first]) * w[0] +
                  sdD4_Load(&polytope->normalY[first]) * w[1] +
                  sdD4_Load(&polytope->normalZ[first]) * w[2];
    return sdD4_Less(sdD4_Load(&polytope->levels[first]), height);
}

/// Find all faces that a point sees.
/// @param w the point, each number in all lanes
/// @return the least keys of all others
SD_INLINE sdD4 sdPolytope_Look(const sdPolytope* polytope, const sdD4 w[3], uint64_t* seen) {
    const sdD4 far = sdD4_Splat(DBL_MAX);
    sdD4 least = far;
    for (unsigned word = 0; word < sdPolytope_WordCount(polytope); ++word) {
        int base = (int)(word * SD_EPA_WORD_BITS), end = base + (int)SD_EPA_WORD_BITS;
        end = polytope->top < end ? polytope->top : end;
        uint64_t all = 0;
        for (int f = base; f < end; f += SD_EPA_BLOCK) {
            unsigned bits = 0;
            for (int k = 0; k < SD_EPA_BLOCK; k += SD_LANES_D) {
                sdL4 isAbove = sdPolytope_LookAtFour(polytope, f + k, w);
                bits |= (unsigned)sdL4_MaskBits(isAbove) << k;
                sdD4 key = sdD4_Load(&polytope->keys[f + k]);
                least = sdD4_Min(sdD4_Select(isAbove, far, key), least);
            }
            all |= (uint64_t)bits << (f - base);
        }
        seen[word] = all;
    }
    return least;
}

/// Of all that is seen keep what hangs together with one face: slivers seem to be seen from
/// everywhere, and rounding may show a face that is level with the point.
/// @return the least key of all others
static inline double sdPolytope_KeepConnected(const sdPolytope* polytope, unsigned start,
                                              uint64_t* seen) {
    uint64_t all[SD_EPA_WORDS];
    uint16_t stack[SD_EPA_MAX_FACES];
    int depth = 1;
    memcpy(all, seen, sdPolytope_WordCount(polytope) * sizeof all[0]);
    memset(seen, 0, sizeof all);
    sdEpa_SetSeen(seen, start);
    stack[0] = (uint16_t)start;
    // each face is put there once
    while (depth > 0) {
        unsigned face = stack[--depth];
        for (unsigned i = 0; i < 3; ++i) {
            unsigned other = polytope->twins[4 * face + i] / 4u;
            if (sdEpa_IsSeen(all, other) != 0 && sdEpa_IsSeen(seen, other) == 0) {
                sdEpa_SetSeen(seen, other);
                stack[depth++] = (uint16_t)other;
            }
        }
    }
    double least = DBL_MAX;
    for (int f = 0; f < polytope->top; ++f) {
        bool isLess = sdEpa_IsSeen(seen, (unsigned)f) == 0 && polytope->keys[f] < least;
        least = isLess ? polytope->keys[f] : least;
    }
    return least;
}

// ---- growth --------------------------------------------------------------------------------

/// The next half-edge of a face. Not by a branch, which could not be foretold.
SD_INLINE unsigned sdEpa_NextEdge(unsigned edge) {
    // of 0, 1, 2 in two bits each: 1, 2, 0
    return (edge & ~3u) | (0x09u >> 2 * (edge & 3u) & 3u);
}

/// The one after that.
SD_INLINE unsigned sdEpa_LastEdge(unsigned edge) {
    return (edge & ~3u) | (0x12u >> 2 * (edge & 3u) & 3u);
}

/// Lanes 1, 2, .. `count` - 1, 0 of up to four.
SD_INLINE sdD4 sdEpa_Rotate(sdD4 a, int count) {
    return count == 3 ? __builtin_shufflevector(a, a, 1, 2, 0, 3)
                      : __builtin_shufflevector(a, a, 1, 2, 3, 0);
}

/// A cone from a new vertex over a rim.
/// @param rim half-edges in order, each starting where the one before it ends
/// @param w the vertex, each number in all lanes
/// @param least keys of the faces that stay
/// @return the same of all faces
SD_INLINE sdD4 sdPolytope_AddCone(sdPolytope* polytope, const uint16_t* rim, int count,
                                  const sdD4 w[3], sdD4 least) {
    // groups are taken from the end; the face before the first is the last
    const uint16_t* groups = &polytope->freeGroups[polytope->freeCount - 1];
    int last = count - 1;
    unsigned apex = (unsigned)polytope->vertexCount, start = SD_LANES_D * (unsigned)groups[0];
    unsigned before =
        SD_LANES_D * (unsigned)groups[-(last / SD_LANES_D)] + (unsigned)last % SD_LANES_D;
    for (int first = 0; first < count; first += SD_LANES_D) {
        unsigned group = polytope->freeGroups[--polytope->freeCount], slot = SD_LANES_D * group;
        int left = count - first < SD_LANES_D ? count - first : SD_LANES_D;
        unsigned after = first + SD_LANES_D < count
                             ? SD_LANES_D * (unsigned)polytope->freeGroups[polytope->freeCount - 1]
                             : start;
        polytope->goneCounts[group] = (uint8_t)(SD_LANES_D - left);
        unsigned from[SD_LANES_D], to[SD_LANES_D];
        for (int lane = 0; lane < SD_LANES_D; ++lane) {
            // in lanes that are not there, the last one again
            int at = lane < left ? first + lane : count - 1;
            from[lane] = polytope->origins[rim[at]];
            to[lane] = polytope->origins[rim[at + 1 < count ? at + 1 : 0]];
        }
        sdD4 i[3], j[3];
        sdPolytope_Gather(polytope, from, i);
        if (count == 3 || count == SD_LANES_D) {
            j[0] = sdEpa_Rotate(i[0], count);
            j[1] = sdEpa_Rotate(i[1], count);
            j[2] = sdEpa_Rotate(i[2], count);
        } else {
            sdPolytope_Gather(polytope, to, j);
        }
        least = sdD4_Min(sdPolytope_SetFour(polytope, slot, left, i, j, w), least);
        for (int lane = 0; lane < left; ++lane) {
            unsigned face = slot + (unsigned)lane, twin = polytope->twins[rim[first + lane]];
            sdPolytope_SetOrigins(polytope, face, from[lane], to[lane], apex);
            unsigned next = lane + 1 < left ? face + 1 : after;
            sdPolytope_SetTwins(polytope, face, twin, 4 * next + 2, 4 * before + 1);
            before = face;
        }
    }
    return least;
}

/// The rim of one to three faces that hang together, in order.
/// @param start one of them
/// @param faces all of them
/// @return false when they do not
SD_INLINE bool sdPolytope_FindFew(const sdPolytope* polytope, uint64_t seen, unsigned start,
                                  int count, uint16_t rim[5], unsigned faces[3]) {
    unsigned middle = start, isSeen[3], edges[3] = {4 * start, 4 * start + 1, 4 * start + 2};
    faces[0] = start;
    for (int i = 0; i < 3; ++i) {
        isSeen[i] = (unsigned)(seen >> (polytope->twins[edges[i]] / 4u)) & 1u;
    }
    unsigned among = isSeen[0] + isSeen[1] + isSeen[2];
    if (count == 1) {
        for (int i = 0; i < 3; ++i) {
            rim[i] = (uint16_t)edges[i];
        }
        return among == 0;
    }
    // the edge to another one, the last of two
    unsigned shared = 4 * start + 2 * isSeen[2] + (isSeen[1] & ~isSeen[2]);
    if (count == 3) {
        unsigned other = polytope->twins[shared] / 4u, isMiddle = among >> 1;
        middle = isMiddle * start + (1 - isMiddle) * other;
        among = 0;
        for (unsigned i = 0; i < 3; ++i) {
            isSeen[i] = (unsigned)(seen >> (polytope->twins[4 * middle + i] / 4u)) & 1u;
            among += isSeen[i];
        }
        // what follows the only edge that is on the rim
        unsigned own = 4 * middle + (isSeen[0] & ~isSeen[1]) + 2 * (isSeen[0] & isSeen[1]);
        unsigned twin = polytope->twins[sdEpa_NextEdge(own)];
        rim[0] = (uint16_t)sdEpa_NextEdge(twin);
        rim[1] = (uint16_t)sdEpa_LastEdge(twin);
        rim[4] = (uint16_t)own;
        faces[0] = middle;
        faces[2] = twin / 4u;
        shared = sdEpa_LastEdge(own);
    } else {
        rim[0] = (uint16_t)sdEpa_NextEdge(shared);
        rim[1] = (uint16_t)sdEpa_LastEdge(shared);
    }
    unsigned twin = polytope->twins[shared];
    rim[2] = (uint16_t)sdEpa_NextEdge(twin);
    rim[3] = (uint16_t)sdEpa_LastEdge(twin);
    faces[1] = twin / 4u;
    uint64_t isInner = 0;
    for (int i = 0; i < count + 2; ++i) {
        isInner |= seen >> (polytope->twins[rim[i]] / 4u);
    }
    return among == (unsigned)count - 1 && (isInner & 1u) == 0;
}

/// Replace one to three faces that are seen by a cone over their rim. Always inlined with a number
/// that is known.
SD_INLINE bool sdPolytope_ReplaceFew(sdPolytope* polytope, uint64_t seen, unsigned start, int count,
                                     const sdD4 w[3], sdD4* least) {
    uint16_t rim[5];
    unsigned faces[3];
    if (!sdPolytope_FindFew(polytope, seen, start, count, rim, faces) ||
        !sdPolytope_Reserve(polytope, (count + 2 + SD_LANES_D - 1) / SD_LANES_D)) {
        return false;
    }
    *least = sdPolytope_AddCone(polytope, rim, count + 2, w, *least);
    for (int i = 0; i < count; ++i) {
        sdPolytope_Remove(polytope, faces[i]);
    }
    return true;
}

/// Half-edges of faces that are seen on the rim of those that are not, in order.
/// @param faces those that are seen
/// @return how many; 0 when they are not one loop
static inline int sdPolytope_FindRim(sdPolytope* polytope, const uint64_t* seen, uint16_t* rim,
                                     uint16_t* faces, int* faceCount) {
    uint16_t any[3 * SD_EPA_MAX_FACES];
    int count = 0, seenCount = 0;
    for (unsigned word = 0; word < sdPolytope_WordCount(polytope); ++word) {
        for (uint64_t bits = seen[word]; bits != 0; bits &= bits - 1) {
            unsigned face = SD_EPA_WORD_BITS * word + (unsigned)__builtin_ctzll(bits);
            faces[seenCount++] = (uint16_t)face;
            // without a branch, which could not be foretold
            for (unsigned i = 0; i < 3; ++i) {
                any[count] = (uint16_t)(4 * face + i);
                count += 1 - (int)sdEpa_IsSeen(seen, polytope->twins[4 * face + i] / 4u);
            }
        }
    }
    *faceCount = seenCount;
    for (int i = 0; i < count; ++i) {
        polytope->places[polytope->origins[any[i]]] = (uint16_t)i;
    }
    int at = 0, step = 0;
    do {
        // as many edges of the rim start from a vertex as end there
        rim[step++] = any[at];
        at = count > 0 ? polytope->places[polytope->origins[any[at] + 1]] : 0;
    } while (at != 0 && step < count);
    return at == 0 && step == count ? count : 0;
}

/// Replace the faces that are seen by a cone over their rim.
/// @param least in: keys of the faces that stay; out: of all faces
/// @return false, with nothing changed, when the rim is not one loop or there is no room
static inline bool sdPolytope_Replace(sdPolytope* polytope, const uint64_t* seen, const sdD4 w[3],
                                      sdD4* least) {
    uint16_t rim[3 * SD_EPA_MAX_FACES], faces[SD_EPA_MAX_FACES];
    int faceCount;
    int count = sdPolytope_FindRim(polytope, seen, rim, faces, &faceCount);
    if (count < 3 || !sdPolytope_Reserve(polytope, (count + SD_LANES_D - 1) / SD_LANES_D)) {
        return false;
    }
    *least = sdPolytope_AddCone(polytope, rim, count, w, *least);
    for (int i = 0; i < faceCount; ++i) {
        sdPolytope_Remove(polytope, faces[i]);
    }
    return true;
}

/// Grow to a new vertex.
/// @param start a face that it sees
/// @param least of the keys then
/// @return false, with nothing changed, when rounding would break the mesh, or there is no room
SD_INLINE bool sdPolytope_Expand(sdPolytope* polytope, unsigned start, const sdEpaVertex* vertex,
                                 double* least) {
    uint64_t seen[SD_EPA_WORDS];
    const sdD4 w[3] = {__builtin_shufflevector(vertex->w, vertex->w, 0, 0, 0, 0),
                       __builtin_shufflevector(vertex->w, vertex->w, 1, 1, 1, 1),
                       __builtin_shufflevector(vertex->w, vertex->w, 2, 2, 2, 2)};
    sdD4 keys = sdPolytope_Look(polytope, w, seen);
    bool isDone = false;
    int count = polytope->top <= (int)SD_EPA_WORD_BITS ? __builtin_popcountll(seen[0]) : 0;
    sdPolytope_SetVertex(polytope, polytope->vertexCount, vertex);
    if (count == 2) {
        isDone = sdPolytope_ReplaceFew(polytope, seen[0], start, 2, w, &keys);
    } else if (count == 1) {
        isDone = sdPolytope_ReplaceFew(polytope, seen[0], start, 1, w, &keys);
    } else if (count == 3) {
        isDone = sdPolytope_ReplaceFew(polytope, seen[0], start, 3, w, &keys);
    }
    if (!isDone && !sdPolytope_Replace(polytope, seen, w, &keys)) {
        keys = sdD4_Splat(sdPolytope_KeepConnected(polytope, start, seen));
        if (!sdPolytope_Replace(polytope, seen, w, &keys)) {
            return false;
        }
    }
    polytope->vertexCount += 1;
    *least = sdD4_SplatMin(keys)[0];
    return true;
}

#endif
