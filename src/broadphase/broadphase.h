// SPDX-License-Identifier: MIT
// broadphase.h - the seam between the front end and the kinds of broad phase.
//
// The front end (broadphase.c, pairs.c, query.c) owns ids, fat boxes, filters, pairs and errors. A
// kind is a table of functions and a state of its own; all that it does is to find boxes near
// boxes. It learns what has changed only when it is told to update: the slots whose boxes are new,
// other or gone, all at once. Until then the front end looks at those slots itself, so that queries
// are right at any time. When a kind runs out of memory in an update, the front end empties it and
// offers it everything at the next one: a kind need not be able to go back.

#ifndef SD_BROADPHASE_BROADPHASE_H
#define SD_BROADPHASE_BROADPHASE_H

#include "base/array.h"
#include "base/id_pool.h"
#include "base/key_set.h"
#include "base/simd.h"
#include "broadphase/partners.h"
#include "sudar/broadphase.h"

SD_DEFINE_ARRAY(sdKeyArray, uint64_t)
SD_DEFINE_ARRAY(sdProxyPairArray, sdProxyPair)

// ---- what a kind is given and gives --------------------------------------------------------

/// A query by box, as a kind sees it.
typedef struct sdBoxQuery {
    const sdBroadphase* broadphase;
    sdAABB box;
    uint32_t mask;
    sdProxyFcn* visit;
    void* arg;
} sdBoxQuery;

/// A cast, as a kind sees it. The front end makes the last test, in double; a kind may offer slots
/// that the box does not meet, but must not leave out one that it meets before maxFraction.
typedef struct sdCastQuery {
    const sdBroadphase* broadphase;
    double lower[3], upper[3]; ///< of the box at its start
    double translation[3];
    sdAABB swept;      ///< around the whole way up to maxFraction as it was first, rounded outwards
    float maxFraction; ///< shrinks as hits are found
    uint32_t mask;
    sdProxyCastFcn* visit;
    void* arg;
} sdCastQuery;

typedef enum sdPairList {
    SD_PAIRS_NEW,      ///< sdPairKey of slots
    SD_PAIRS_LOST,     ///< the same
    SD_PAIRS_REMOVALS, ///< slot << 32 | partner: where a lost pair must be taken out
    SD_PAIRS_COUNT
} sdPairList;

/// What a worker has found.
typedef struct sdPairSink {
    sdKeyArray keys[SD_PAIRS_COUNT];
    int64_t testCount;
    int64_t limit; ///< of new keys
    sdResult result;
} sdPairSink;

typedef struct sdBroadphaseOps {
    const char* name;
    size_t stateSize;  ///< of broadphase->state, zeroed before the first update
    bool ignoresBoxes; ///< pairs are pairs wherever they are

    /// Take in changes: slots, ascending, whose boxes are new or other, or that are not there any
    /// more (sdBroadphase_IsPresent). A slot that is gone may be one that the kind never saw.
    /// @return SD_ERROR_OUT_OF_MEMORY, without a log text: the front end empties the state
    sdResult (*update)(sdBroadphase* broadphase, const int* changed, int count);

    /// Report with sdPairSink_Add every pair of overlapping boxes one of which is in `touched`,
    /// unless it is known already (sdBroadphase_IsKnown; the sink looks, too). A pair may be
    /// reported twice. May run in parallel, with sinks[worker].
    void (*findPairs)(sdBroadphase* broadphase, const int* touched, int count);

    /// Offer with sdBoxQuery_Visit each slot whose box overlaps, once, until that returns false.
    void (*queryBox)(const sdBroadphase* broadphase, const sdBoxQuery* query);

    /// Offer with sdCastQuery_Visit slots on the way, once each, until that returns false.
    void (*cast)(const sdBroadphase* broadphase, sdCastQuery* query);

    /// Fill in cellCount, depth and add to byteCount.
    void (*getStats)(const sdBroadphase* broadphase, sdBroadphaseStats* stats);
    void (*visitCells)(const sdBroadphase* broadphase, sdCellFcn* visit, void* arg);
    /// @return what is wrong, or NULL
    const char* (*validate)(const sdBroadphase* broadphase);
    /// Free what the state owns and zero it.
    void (*clear)(sdBroadphase* broadphase);
} sdBroadphaseOps;

extern const sdBroadphaseOps sdTree_Ops;
extern const sdBroadphaseOps sdOctree_Ops;
extern const sdBroadphaseOps sdSap_Ops;
extern const sdBroadphaseOps sdBrute_Ops;
extern const sdBroadphaseOps sdAllPairs_Ops;

// ---- the front end -------------------------------------------------------------------------

#define SD_TRAIT_STATIC 1
#define SD_TRAIT_FILTERED 2 ///< category or mask is not the default

typedef struct sdProxy {
    uint64_t userData;
    uint32_t category, mask;
    bool isLeaving; ///< removed, but its pairs have not yet been reported as lost
} sdProxy;

/// What a move needs to know, beside the fat box.
typedef struct sdFit {
    float slack;  ///< m, by which each side of the fat box may be further out
    sdProxyId id; ///< SD_NULL_PROXY: none, or it is leaving
} sdFit;

struct sdBroadphase {
    sdContext context;
    sdBroadphaseDef def;
    const sdBroadphaseOps* ops;
    void* state; ///< of the kind

    // written by add, move, remove: one a slot
    sdIdPool ids;
    sdAABB* boxes; ///< fat; empty where no proxy is
    sdProxy* proxies;
    uint8_t* traits; ///< SD_TRAIT_*: most pairs need no look at the proxies
    uint8_t* loners; ///< in an update of pairs: touched, and none of its pairs is left
    sdFit* fits;
    int boxCapacity;
    int proxyCapacity;
    int traitCapacity;
    int lonerCapacity;
    int fitCapacity;
    int leavingCount;
    sdBitSet changed; ///< slots that the kind has not been told of
    sdBitSet touched; ///< slots whose pairs have to be looked at
    int changedCount;
    int touchedCount;
    bool haveFiltersChanged; ///< since the last update of pairs

    // written by updates
    sdIntArray order; ///< the slots of changed or touched, ascending
    sdPartners partners;
    int pairCount;
    sdPairSink* sinks;               ///< one a worker
    sdKeyArray keys[SD_PAIRS_COUNT]; ///< of all workers, sorted
    sdKeyArray scratch;
    sdProxyPairArray newPairs;
    sdProxyPairArray lostPairs;
    sdBroadphaseStats stats;
};

static inline bool sdBroadphase_IsPresent(const sdBroadphase* broadphase, int slot) {
    return broadphase->fits[slot].id != SD_NULL_PROXY;
}

/// Whether two proxies may be a pair, wherever they are.
static inline bool sdBroadphase_MayMeet(const sdBroadphase* broadphase, int a, int b) {
    uint8_t p = broadphase->traits[a];
    uint8_t q = broadphase->traits[b];
    if ((p & q & SD_TRAIT_STATIC) != 0) {
        return false;
    }
    const sdProxy* proxies = broadphase->proxies;
    return ((p | q) & SD_TRAIT_FILTERED) == 0 || ((proxies[a].category & proxies[b].mask) != 0 &&
                                                  (proxies[b].category & proxies[a].mask) != 0);
}

/// Whether two slots are a pair already. Looks into the list of the first, if that is not long.
static inline bool sdBroadphase_IsKnown(const sdBroadphase* broadphase, int a, int b) {
    const sdPartnerList* lists = broadphase->partners.lists;
    if (broadphase->loners[a] != 0) {
        return false;
    }
    return lists[a].count <= 32 || lists[a].count <= lists[b].count
               ? sdPartners_Contains(&broadphase->partners, a, b)
               : sdPartners_Contains(&broadphase->partners, b, a);
}

/// Report a pair of slots whose boxes overlap, best the touched one first. Pairs that are known,
/// filtered out or of one slot with itself are dropped.
/// @return false when there is no use in going on: memory is short or the limit is reached
bool sdPairSink_Add(const sdBroadphase* broadphase, sdPairSink* sink, int a, int b);

/// Offer a slot to the caller of a query, who need not be told of it: it may be filtered out or
/// have changed since.
/// @return false to stop
bool sdBoxQuery_Visit(const sdBoxQuery* query, int slot);
bool sdCastQuery_Visit(sdCastQuery* query, int slot);

/// Whether the moving box meets a box, and from which fraction on; conservative by rounding.
bool sdCastQuery_Meets(const sdCastQuery* query, sdAABB box, double* fraction);

/// Give a proxy a new fat box if it has left the old one: from any thread, each proxy by one. It
/// takes effect when it is touched.
/// @param way that it will go until it is asked again, as far as is known
/// @return whether it was given one
bool sdBroadphase_Refit(sdBroadphase* broadphase, sdProxyId id, const sdWorldBox* box, sdVec3 way);
/// Take note that a proxy has a new fat box.
void sdBroadphase_Touch(sdBroadphase* broadphase, sdProxyId id);

/// How many boxes, from the first on, are valid, of live ids, and inside their fat boxes, which are
/// not much larger: nothing has to be done about them.
SD_DECLARE_KERNEL(int, sdBroadphase_CountFitting,
                  (const sdBroadphase* broadphase, const sdProxyId* ids, const sdWorldBox* boxes,
                   int count));

/// The same of one box whose fat box may have been grown ahead by so much, m.
SD_DECLARE_KERNEL(bool, sdBroadphase_FitsOnItsWay,
                  (const sdBroadphase* broadphase, sdProxyId id, const sdWorldBox* box,
                   float ahead));

/// Bring the kind up to date. Logs.
sdResult sdBroadphase_ApplyChanges(sdBroadphase* broadphase, const char* function);

/// What is wrong with a definition, or NULL.
const char* sdBroadphaseDef_FindFault(const sdBroadphaseDef* def);

/// Refuse a box that is inverted, not finite or too far out.
sdResult sdBroadphase_CheckBox(const sdBroadphase* broadphase, const char* function,
                               const sdWorldBox* box);

/// List the members of a bit set in broadphase->order.
bool sdBroadphase_ListSlots(sdBroadphase* broadphase, const sdBitSet* set, int count);

#endif
