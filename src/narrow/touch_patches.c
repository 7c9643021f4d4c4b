// SPDX-License-Identifier: MIT
// touch_patches.c - contact points with many normals become patches with one each.
//
// In:   points where two bodies meet.
// Out:  at most SD_TOUCH_MAX_PATCHES manifolds of at most four points.
// Note: every point goes to the nearest of a few normals, which are chosen so that none is far from
//       all of them; where two bodies fit each other all around, as a nut its bolt, they are spread
//       over all directions. A patch has the mean of its points' normals, deep ones counting most,
//       so that it turns smoothly as points come and go. Of its points those are kept that are deep
//       and far from each other. Normals and points of the step before come first unless others are
//       clearly better: what rests must find the same answer again.

#include "narrow/touch_patches.h"

#include <float.h>

/// Cosine of the angle, 10 degrees, up to which a point is content with a patch's normal.
#define SAME_PATCH 0.985f
/// Cosine of the angle, 45 degrees, beyond which it does without a patch.
#define OTHER_PATCH 0.707f
/// Cosine of the angle, 7 degrees, within which points of a patch have the same normal as its
/// first: others would hold what slides on a round surface.
#define ONE_NORMAL 0.9925f
/// Of the patches so many are not filled by memory, so that there is room for what is new.
#define FRESH_PATCHES 2
/// Part of the margin at rest, and of the way within the step, by which a point may be less deep
/// than the deepest before it counts half. What is fast may turn as it hits, so that it needs
/// points all around.
#define REST_PART 0.1f
#define WAY_PART 0.3f
/// Worth of a point that was there in the step before.
#define KEPT_BONUS 1.5f

typedef struct Sorting {
    const sdMeeting* meetings;
    int count;
    float softness; ///< m, depth below which points count about the same
    float deepest;  ///< of all
    int patchCount;
    sdVec3 normals[SD_TOUCH_MAX_PATCHES];
    float cosine[2 * SD_MAX_TOUCHES]; ///< with the nearest normal
    int8_t patch[2 * SD_MAX_TOUCHES]; ///< of the nearest normal
    uint8_t isKept[2 * SD_MAX_TOUCHES];
} Sorting;

/// What a point counts that is less deep than another.
static float weightOf(const Sorting* sorting, int i, float deepest) {
    float behind = (sorting->meetings[i].ahead - deepest) / sorting->softness;
    return 1.0f / (1.0f + behind * behind);
}

// ---- normals -------------------------------------------------------------------------------

static void addNormal(Sorting* sorting, sdVec3 normal) {
    int patch = sorting->patchCount++;
    sorting->normals[patch] = normal;
    for (int i = 0; i < sorting->count; ++i) {
        float cosine = sdDot(sorting->meetings[i].normal, normal);
        if (cosine > sorting->cosine[i]) {
            sorting->cosine[i] = cosine;
            sorting->patch[i] = (int8_t)patch;
        }
    }
}

/// Those of the step before that some point still has, and that say something new.
static void recallNormals(Sorting* sorting, const sdMeetingMemory* memory, int limit) {
    for (int j = 0; j < memory->normalCount && sorting->patchCount < limit; ++j) {
        bool isAlive = false, isKnown = false;
        for (int i = 0; i < sorting->count && !isAlive; ++i) {
            isAlive = sdDot(sorting->meetings[i].normal, memory->normals[j]) > SAME_PATCH;
        }
        for (int i = 0; i < sorting->patchCount && !isKnown; ++i) {
            isKnown = sdDot(sorting->normals[i], memory->normals[j]) > SAME_PATCH;
        }
        if (isAlive && !isKnown) {
            addNormal(sorting, memory->normals[j]);
        }
    }
}

/// The point that is furthest from all normals, deep ones first; one that is content: none.
static int findStranger(const Sorting* sorting) {
    int best = SD_NULL_INDEX;
    float most = 0.0f;
    for (int i = 0; i < sorting->count; ++i) {
        if (sorting->cosine[i] < SAME_PATCH) {
            float score = (1.0f - sorting->cosine[i]) * weightOf(sorting, i, sorting->deepest);
            best = score > most ? i : best;
            most = score > most ? score : most;
        }
    }
    return best;
}

static void findNormals(Sorting* sorting, const sdMeetingMemory* memory, int limit) {
    if (memory != NULL) {
        recallNormals(sorting, memory, sdMaxI(limit - FRESH_PATCHES, 1));
    }
    while (sorting->patchCount < limit) {
        int stranger = findStranger(sorting);
        if (stranger == SD_NULL_INDEX) {
            return;
        }
        addNormal(sorting, sorting->meetings[stranger].normal);
    }
}

// ---- points --------------------------------------------------------------------------------

/// Four members of a patch, chosen one after the other.
typedef struct Choice {
    int index[SD_MANIFOLD_MAX_POINTS];
    int count;
    float deepest;
    sdVec3 normal;
} Choice;

/// What a further point adds: distance from one, area with two, area beyond a side of three.
static float spreadOf(const Sorting* sorting, const Choice* choice, int i) {
    sdVec3 p = sorting->meetings[i].pointA;
    sdVec3 a = sorting->meetings[choice->index[0]].pointA;
    if (choice->count == 1) {
        return sdDistanceSquared(p, a);
    }
    sdVec3 n = choice->normal, b = sorting->meetings[choice->index[1]].pointA;
    if (choice->count == 2) {
        return sdAbsF(sdDot(n, sdCross(sdSub(b, a), sdSub(p, a))));
    }
    sdVec3 c = sorting->meetings[choice->index[2]].pointA;
    float turn = sdDot(n, sdCross(sdSub(b, a), sdSub(c, a))) < 0.0f ? -1.0f : 1.0f;
    float ab = turn * sdDot(n, sdCross(sdSub(b, a), sdSub(p, a)));
    float bc = turn * sdDot(n, sdCross(sdSub(c, b), sdSub(p, b)));
    float ca = turn * sdDot(n, sdCross(sdSub(a, c), sdSub(p, c)));
    return -sdMinF(ab, sdMinF(bc, ca));
}

static float worthOf(const Sorting* sorting, const Choice* choice, int i) {
    return weightOf(sorting, i, choice->deepest) * (sorting->isKept[i] != 0 ? KEPT_BONUS : 1.0f);
}

static bool isLikeFirst(const Sorting* sorting, const Choice* choice, int patch, int i) {
    return sorting->patch[i] == patch &&
           sdDot(sorting->meetings[i].normal, sorting->meetings[choice->index[0]].normal) >
               ONE_NORMAL;
}

static void chooseFirst(const Sorting* sorting, int patch, Choice* choice) {
    float most = 0.0f;
    for (int i = 0; i < sorting->count; ++i) {
        float worth = sorting->patch[i] == patch ? worthOf(sorting, choice, i) : 0.0f;
        if (worth > most) {
            most = worth;
            choice->index[0] = i;
            choice->count = 1;
        }
    }
}

/// Mean of the normals that are as good as that of the first point.
static void findNormal(const Sorting* sorting, int patch, Choice* choice) {
    sdVec3 sum = sdV3(0.0f, 0.0f, 0.0f);
    for (int i = 0; i < sorting->count; ++i) {
        if (isLikeFirst(sorting, choice, patch, i)) {
            float weight = weightOf(sorting, i, choice->deepest);
            sum = sdMulAdd(sum, weight, sorting->meetings[i].normal);
        }
    }
    choice->normal = sdNormalize(sum);
}

static void chooseMore(const Sorting* sorting, int patch, Choice* choice) {
    while (choice->count < SD_MANIFOLD_MAX_POINTS) {
        float most = 0.0f;
        int best = SD_NULL_INDEX;
        for (int i = 0; i < sorting->count; ++i) {
            if (isLikeFirst(sorting, choice, patch, i)) {
                float score = worthOf(sorting, choice, i) * spreadOf(sorting, choice, i);
                best = score > most ? i : best;
                most = score > most ? score : most;
            }
        }
        if (best == SD_NULL_INDEX) {
            return;
        }
        choice->index[choice->count++] = best;
    }
}

static void writeManifold(const Sorting* sorting, const Choice* choice, sdManifold* out) {
    *out = (sdManifold){
        .normal = choice->normal,
        .pointCount = choice->count,
        .kind = SD_CONTACT_VERTEX_FACE,
        .childA = SD_NULL_INDEX,
        .childB = SD_NULL_INDEX,
        .status = SD_STATUS_TOLERANCE,
    };
    for (int i = 0; i < choice->count; ++i) {
        const sdMeeting* meeting = &sorting->meetings[choice->index[i]];
        out->points[i] = (sdManifoldPoint){
            .pointA = meeting->pointA,
            .pointB = meeting->pointB,
            .separation = meeting->separation,
            .id = meeting->id,
        };
    }
}

/// @return false for a patch without points
static bool makePatch(const Sorting* sorting, int patch, sdManifold* out) {
    Choice choice = {.deepest = FLT_MAX};
    for (int i = 0; i < sorting->count; ++i) {
        if (sorting->patch[i] == patch) {
            choice.deepest = sdMinF(choice.deepest, sorting->meetings[i].ahead);
        }
    }
    chooseFirst(sorting, patch, &choice);
    if (choice.count == 0) {
        return false;
    }
    findNormal(sorting, patch, &choice);
    chooseMore(sorting, patch, &choice);
    writeManifold(sorting, &choice, out);
    return true;
}

int sdMeetings_MakePatches(const sdMeeting* meetings, int count, float margin,
                           const sdMeetingMemory* memory, sdManifold* out, int capacity) {
    float way = memory != NULL ? sdMinF(memory->way, margin) : 0.0f;
    Sorting sorting = {
        .meetings = meetings,
        .count = count,
        .softness = sdMaxF(REST_PART * (margin - way) + WAY_PART * way, FLT_MIN),
        .deepest = FLT_MAX,
    };
    for (int i = 0; i < count; ++i) {
        sorting.cosine[i] = OTHER_PATCH;
        sorting.patch[i] = -1;
        sorting.isKept[i] = 0;
        sorting.deepest = sdMinF(sorting.deepest, meetings[i].ahead);
        for (int j = 0; memory != NULL && j < memory->pointCount; ++j) {
            sorting.isKept[i] |= memory->ids[j] == meetings[i].id;
        }
    }
    findNormals(&sorting, memory, sdMinI(capacity, SD_TOUCH_MAX_PATCHES));
    int written = 0;
    for (int i = 0; i < sorting.patchCount; ++i) {
        written += makePatch(&sorting, i, &out[written]);
    }
    return written;
}
