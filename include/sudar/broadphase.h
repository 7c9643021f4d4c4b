// SPDX-License-Identifier: MIT
// broadphase.h - which of many boxes overlap: proxies, pairs, queries. Needs no world.
//
//     sdBroadphase* bp;
//     sdBroadphase_Create(NULL, NULL, &bp);
//     sdBroadphase_Add(bp, &(sdProxyDef){.box = box, .mask = ~0u, .category = 1}, &id);
//     sdBroadphase_Move(bp, id, newBox);
//     sdPairChanges changes;
//     sdBroadphase_UpdatePairs(bp, &changes);   // what is new, what is gone
//
// A proxy is a box with a little data. Its box is kept *fat*: grown by a margin, rounded outwards
// to float, and left as it is while the boxes that follow stay inside. Pairs and queries are about
// fat boxes, so they are the same for every kind of broad phase and never miss an overlap of the
// boxes that were given; slow motion costs one comparison a proxy, and what does not move costs
// nothing.
//
// One thread at a time may change a broad phase. Queries change nothing, and any number of threads
// may make them at the same time. The context's task system is used by sdBroadphase_UpdatePairs;
// its results do not depend on the number of workers.

#ifndef SUDAR_BROADPHASE_H
#define SUDAR_BROADPHASE_H

#include "sudar/bounds.h"

SD_BEGIN_C

// ---- boxes in the world --------------------------------------------------------------------

/// Coordinates beyond this are refused, m. Up to 1e7 m from the origin a float resolves 1 m.
#define SD_BROADPHASE_MAX_COORDINATE 1e15

typedef struct sdWorldBox {
    sdPos lower, upper;
} sdWorldBox;

static inline sdWorldBox sdWorldBox_Make(sdPos lower, sdPos upper) {
    sdWorldBox r = {lower, upper};
    return r;
}

/// A box given relative to a position, rounded outwards.
static inline sdWorldBox sdWorldBox_FromLocal(sdPos p, sdAABB box) {
    // twice what a sum in double can be off by
    const double slack = 2.220446049250313e-16;
    sdPos l = sdPos_Add(p, box.lower), u = sdPos_Add(p, box.upper);
    sdPos lower = {l.x - slack * fabs(l.x), l.y - slack * fabs(l.y), l.z - slack * fabs(l.z)};
    sdPos upper = {u.x + slack * fabs(u.x), u.y + slack * fabs(u.y), u.z + slack * fabs(u.z)};
    return sdWorldBox_Make(lower, upper);
}

// ---- settings ------------------------------------------------------------------------------

typedef enum sdBroadphaseKind {
    SD_BROADPHASE_TREE,      ///< a hierarchy of boxes that changes with them: the default
    SD_BROADPHASE_OCTREE,    ///< space cut in eight, again and again (S1 §3.1)
    SD_BROADPHASE_SAP,       ///< sweep and prune: ends of boxes, kept sorted (S3 §5.3.1)
    SD_BROADPHASE_BRUTE,     ///< every two boxes are compared
    SD_BROADPHASE_ALL_PAIRS, ///< every two proxies are a pair, wherever they are (S1 §5.3)
    SD_BROADPHASE_KIND_COUNT
} sdBroadphaseKind;

/// "tree", "octree", "sap", "brute", "all-pairs"; "unknown" outside the enumeration.
SD_API const char* sdBroadphaseKind_Name(sdBroadphaseKind kind);

/// How a tree is built over many boxes at once.
typedef enum sdTreeBuilder {
    SD_TREE_HILBERT,   ///< along a Hilbert curve: as quick, and better: the default
    SD_TREE_MORTON,    ///< along a Morton curve, quickly (linear)
    SD_TREE_TOP_DOWN,  ///< by cutting along planes so that little surface is left
    SD_TREE_BOTTOM_UP, ///< by joining neighbours
    SD_TREE_INSERTION, ///< one after the other, as single boxes are added
    SD_TREE_BUILDER_COUNT
} sdTreeBuilder;

typedef struct sdBroadphaseDef {
    sdBroadphaseKind kind;
    float margin;         ///< m, by which boxes are grown on each side, at most
    float marginFraction; ///< of a box's longest side, by which it is grown, at most
    float prediction; ///< times its last way, up to two margins, that a moving box is grown ahead;
                      ///< in a world times two and a half steps' way, up to eight margins
    int maxPairs;     ///< more are refused with SD_ERROR_LIMIT; at most SD_BROADPHASE_MAX_PAIRS
    sdTreeBuilder treeBuilder; ///< of SD_BROADPHASE_TREE, when it builds its tree anew

    // of SD_BROADPHASE_OCTREE
    int octreeMaxDepth;    ///< of cells below the first; 0 to SD_OCTREE_MAX_DEPTH
    int octreeSplitLimit;  ///< a cell with more bodies is split; 1 to a million
    int octreeMergeLimit;  ///< eight cells with so few bodies become one; 0 to octreeSplitLimit
    float octreeMaxCopies; ///< ... unless each body would stand in more of the eight cells, on
                           ///< average; 1 to 8, and 8 for any number of them

    int sapAxisCount;  ///< of SD_BROADPHASE_SAP: along which ends are kept sorted; 1, 2 or 3
    bool enableTiming; ///< measure the times of sdBroadphaseStats: reading a clock is not free
} sdBroadphaseDef;

#define SD_BROADPHASE_MAX_PAIRS (1 << 28)
#define SD_OCTREE_MAX_DEPTH 16

/// The fastest kind, 5 cm or an eighth of a box, 4 194 304 pairs.
SD_API sdBroadphaseDef sdBroadphaseDef_Default(void);

// ---- proxies -------------------------------------------------------------------------------

/// The lower 24 bits are the proxy's slot, a small number that is free for another proxy when this
/// one is gone; the upper 8 bits tell them apart.
typedef uint32_t sdProxyId;

#define SD_NULL_PROXY 0u

static inline int sdProxyId_Slot(sdProxyId id) {
    return (int)(id & 0x00FFFFFFu);
}

typedef struct sdProxyDef {
    sdWorldBox box;
    uint64_t userData;
    uint32_t category; ///< a pair needs (a.category & b.mask) and (b.category & a.mask)
    uint32_t mask;
    bool isStatic; ///< static proxies are no pairs with each other; they may still be moved
} sdProxyDef;

/// A box at the origin without size, in category 1, that meets everything.
SD_API sdProxyDef sdProxyDef_Default(void);

typedef struct sdBroadphase sdBroadphase;

/// @param context NULL for the default one; copied
/// @param def NULL for the default; copied
/// @return SD_ERROR_INVALID_ARGUMENT for settings out of range
SD_API sdResult sdBroadphase_Create(const sdContext* context, const sdBroadphaseDef* def,
                                    sdBroadphase** out);
/// NULL is allowed.
SD_API void sdBroadphase_Destroy(sdBroadphase* broadphase);

/// @param out receives the id; SD_NULL_PROXY on failure
/// @return SD_ERROR_INVALID_ARGUMENT for boxes that are inverted, not finite or beyond
///         SD_BROADPHASE_MAX_COORDINATE; SD_ERROR_LIMIT for more than 2^24 proxies
SD_API sdResult sdBroadphase_Add(sdBroadphase* broadphase, const sdProxyDef* def, sdProxyId* out);

/// @return SD_ERROR_STALE_ID for a proxy that is gone; else as sdBroadphase_Add. Needs no memory.
SD_API sdResult sdBroadphase_Move(sdBroadphase* broadphase, sdProxyId id, sdWorldBox box);

/// The same for many, in one call. Stops at the first that cannot be moved, and names it.
SD_API sdResult sdBroadphase_MoveMany(sdBroadphase* broadphase, const sdProxyId* ids,
                                      const sdWorldBox* boxes, int count);

/// Whether sdBroadphase_Move would change anything: false while the box stays inside the fat box.
/// Lets many threads sort out the few proxies that have to be moved. True for a stale id.
SD_API bool sdBroadphase_NeedsMove(const sdBroadphase* broadphase, sdProxyId id, sdWorldBox box);

/// Its pairs are lost at the next update; the id is stale at once. Needs no memory.
SD_API sdResult sdBroadphase_Remove(sdBroadphase* broadphase, sdProxyId id);

/// Pairs change at the next update.
SD_API sdResult sdBroadphase_SetFilter(sdBroadphase* broadphase, sdProxyId id, uint32_t category,
                                       uint32_t mask);

/// Whether the proxy is still there, and how many there are.
SD_API bool sdBroadphase_IsValidId(const sdBroadphase* broadphase, sdProxyId id);
SD_API int sdBroadphase_GetProxyCount(const sdBroadphase* broadphase);
/// 0 for a stale id.
SD_API uint64_t sdBroadphase_GetUserData(const sdBroadphase* broadphase, sdProxyId id);
/// The fat box; an empty one for a stale id.
SD_API sdAABB sdBroadphase_GetFatBox(const sdBroadphase* broadphase, sdProxyId id);

// ---- pairs ---------------------------------------------------------------------------------

/// a has the smaller slot. Lists of pairs are sorted by the slot of a, then by that of b, then by
/// the ids: an order that depends neither on threads nor on the kind of broad phase.
typedef struct sdProxyPair {
    sdProxyId a, b;
} sdProxyPair;

/// Borrowed until the next call that changes the broad phase.
typedef struct sdPairChanges {
    const sdProxyPair* newPairs;
    const sdProxyPair* lostPairs; ///< of removed proxies as well, by their old ids
    int newCount;
    int lostCount;
} sdPairChanges;

/// Find what has changed since the last update. The work grows with the proxies that left their fat
/// boxes, not with all of them.
/// @param changes may be NULL
/// @return SD_ERROR_LIMIT for more than maxPairs pairs, SD_ERROR_OUT_OF_MEMORY: the pairs are as
///         they were, and once there is room an update finds all that this one should have
SD_API sdResult sdBroadphase_UpdatePairs(sdBroadphase* broadphase, sdPairChanges* changes);

/// As of the last update, like the two below.
SD_API int sdBroadphase_GetPairCount(const sdBroadphase* broadphase);

/// Whether two proxies are a pair, as of the last update. False for stale ids.
SD_API bool sdBroadphase_HasPair(const sdBroadphase* broadphase, sdProxyId a, sdProxyId b);

/// All pairs, sorted.
/// @param out room for `capacity` pairs; the first ones when there are more
/// @return how many there are
SD_API int sdBroadphase_GetPairs(const sdBroadphase* broadphase, sdProxyPair* out, int capacity);

/// The proxies that make a pair with one, sorted by slot; none for a stale id.
SD_API int sdBroadphase_GetPartners(const sdBroadphase* broadphase, sdProxyId id, sdProxyId* out,
                                    int capacity);

// ---- queries -------------------------------------------------------------------------------
// They see every proxy where it is now. Those that left their fat boxes since the last update or
// refresh are looked at one by one: refresh before many queries.

/// Bring the structure up to date, without looking for pairs.
SD_API sdResult sdBroadphase_Refresh(sdBroadphase* broadphase);

/// @return false to stop
typedef bool sdProxyFcn(void* arg, sdProxyId id, uint64_t userData);

/// Proxies of a category in `mask` whose fat boxes overlap `box`, in no particular order.
/// @return SD_ERROR_INVALID_ARGUMENT for a box as in sdBroadphase_Add
SD_API sdResult sdBroadphase_QueryBox(const sdBroadphase* broadphase, sdWorldBox box, uint32_t mask,
                                      sdProxyFcn* visit, void* arg);

/// Called for each proxy on the way, nearer ones as a rule first.
/// @param maxFraction how far the way is still looked at
/// @return the same to go on, the fraction of a hit to see only what may be nearer, 0 to stop
typedef float sdProxyCastFcn(void* arg, sdProxyId id, uint64_t userData, float maxFraction);

/// A box that moves along a straight line; a ray is a box without size.
typedef struct sdBoxCast {
    sdWorldBox box;
    sdVec3 translation;
    float maxFraction; ///< of the translation; 1 for all of it
    uint32_t mask;
} sdBoxCast;

static inline sdBoxCast sdBoxCast_Ray(sdPos origin, sdVec3 translation) {
    sdBoxCast r = {{origin, origin}, translation, 1.0f, 0xFFFFFFFFu};
    return r;
}

/// Proxies whose fat boxes the moving box meets.
SD_API sdResult sdBroadphase_Cast(const sdBroadphase* broadphase, const sdBoxCast* cast,
                                  sdProxyCastFcn* visit, void* arg);

/// The same as lists, sorted by slot.
/// @param out room for `capacity` ids; those of the lowest slots when there are more
/// @param count receives how many there are
SD_API sdResult sdBroadphase_FindInBox(const sdBroadphase* broadphase, sdWorldBox box,
                                       uint32_t mask, sdProxyId* out, int capacity, int* count);
SD_API sdResult sdBroadphase_FindOnCast(const sdBroadphase* broadphase, const sdBoxCast* cast,
                                        sdProxyId* out, int capacity, int* count);

// ---- kinds, statistics ---------------------------------------------------------------------

/// Change the kind, keep proxies and pairs. On failure everything is as it was.
SD_API sdResult sdBroadphase_SetKind(sdBroadphase* broadphase, sdBroadphaseKind kind);

/// Build the tree of SD_BROADPHASE_TREE anew: worth its time when most proxies stay at rest.
/// @return SD_ERROR_INVALID_ARGUMENT for another kind
SD_API sdResult sdBroadphase_Rebuild(sdBroadphase* broadphase, sdTreeBuilder builder);

typedef struct sdBroadphaseStats {
    const char* kindName;
    int proxyCount;
    int pairCount;
    int cellCount; ///< nodes of a tree, cells of an octree, ends of intervals of a sweep
    int depth;     ///< levels
    float sahCost; ///< of a tree: nodes that a point in it lies in, as expected from surfaces
    size_t byteCount;

    // the last update
    int touchedCount; ///< proxies that had left their fat boxes, were added or removed
    int newCount, lostCount;
    int64_t testCount; ///< boxes compared while looking for pairs
    // with enableTiming
    float refreshMs; ///< bringing the structure up to date
    float findMs;    ///< looking for pairs
    float commitMs;  ///< sorting and storing them
} sdBroadphaseStats;

/// Counts of now, and of the last update.
SD_API sdBroadphaseStats sdBroadphase_GetStats(const sdBroadphase* broadphase);

/// A cell or node, for a viewer.
/// @return false to stop
typedef bool sdCellFcn(void* arg, sdAABB box, int depth, int proxyCount);

/// All cells or nodes, in no particular order.
SD_API void sdBroadphase_VisitCells(const sdBroadphase* broadphase, sdCellFcn* visit, void* arg);

/// Look at everything that must hold inside; slow, for tests.
/// @return false, with a reason in the log, when something does not
SD_API bool sdBroadphase_Validate(const sdBroadphase* broadphase);

SD_END_C

#endif
