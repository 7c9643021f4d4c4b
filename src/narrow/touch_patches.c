// SPDX-License-Identifier: MIT
// touch_patches.c - contact points with many normals become patches with one each.
//
// In:   points where two bodies meet.
// Out:  at most SD_TOUCH_MAX_PATCHES manifolds of at most four points.
// Note: normals within a cone become one patch, whose normal is their mean, deep points counting
//       most, so that it turns smoothly as points come and go. Of its points those are kept that
//       are deep and far from each other. Normals and points of the step before come first unless
//       others are clearly better: what rests must find the same answer again.

#include "narrow/touch_patches.h"

/// Cosine of the angle from the middle of a patch up to which a normal belongs to it: 25 degrees.
#define SAME_PATCH 0.9063f
/// Part of the margin by which a point may be less deep than the deepest before it counts half.
#define DEPTH_PART 0.1f
/// Least separation that this is, m for a body of 1 m; scaled by the margin.
#define KEPT_BONUS 1.5f

typedef struct Sorting {
    const sdMeeting* meetings;
    int count;
    float margin;
    float softness; ///< m, depth below which points count about the same
    const sdMeetingMemory* memory;
    int8_t patch[2 * SD_MAX_TOUCHES]; ///< of each; -1: none yet
    uint8_t isKept[2 * SD_MAX_TOUCHES];
} Sorting;

static int findDeepest(const Sorting* sorting) {
    int deepest = SD_NULL_INDEX;
    for (int i = 0; i < sorting->count; ++i) {
        if (sorting->patch[i] < 0 &&
            (deepest == SD_NULL_INDEX ||
             sorting->meetings[i].separation < sorting->meetings[deepest].separation)) {
            deepest = i;
        }
    }
    return deepest;
}

/// The normal of the step before that a new one continues, or itself.
static sdVec3 rememberedNormal(const Sorting* sorting, sdVec3 normal) {
    sdVec3 best = normal;
    float most = SAME_PATCH;
    for (int i = 0; sorting->memory != NULL && i < sorting->memory->normalCount; ++i) {
        float cosine = sdDot(normal, sorting->memory->normals[i]);
        if (cosine > most) {
            most = cosine;
            best = sorting->memory->normals[i];
        }
    }
    return best;
}

/// Mean normal of those around a direction.
static sdVec3 meanNormal(const Sorting* sorting, sdVec3 around, float deepest) {
    sdVec3 sum = sdV3(0.0f, 0.0f, 0.0f);
    for (int i = 0; i < sorting->count; ++i) {
        const sdMeeting* meeting = &sorting->meetings[i];
        if (sorting->patch[i] < 0 && sdDot(meeting->normal, around) > SAME_PATCH) {
            float behind = (meeting->separation - deepest) / sorting->softness;
            sum = sdMulAdd(sum, 1.0f / (1.0f + behind * behind), meeting->normal);
        }
    }
    return sdNormalize(sum);
}

// ---- points --------------------------------------------------------------------------------

/// Four members of a patch, chosen one after the other.
typedef struct Choice {
    int index[SD_MANIFOLD_MAX_POINTS];
    int count;
    float deepest;
} Choice;

/// How much a point is worth beside its place.
static float worthOf(const Sorting* sorting, int i, float deepest) {
    float behind = (sorting->meetings[i].separation - deepest) / sorting->softness;
    return (sorting->isKept[i] != 0 ? KEPT_BONUS : 1.0f) / (1.0f + behind * behind);
}

/// What a further point adds: distance from one, area with two, area beyond a side of three.
static float spreadOf(const Sorting* sorting, const Choice* choice, int i, sdVec3 normal) {
    sdVec3 p = sorting->meetings[i].pointA;
    sdVec3 a = sorting->meetings[choice->index[0]].pointA;
    if (choice->count == 1) {
        return sdDistanceSquared(p, a);
    }
    sdVec3 b = sorting->meetings[choice->index[1]].pointA;
    if (choice->count == 2) {
        sdVec3 cross = sdCross(sdSub(b, a), sdSub(p, a));
        return sdAbsF(sdDot(normal, cross));
    }
    sdVec3 c = sorting->meetings[choice->index[2]].pointA;
    float turn = sdDot(normal, sdCross(sdSub(b, a), sdSub(c, a))) < 0.0f ? -1.0f : 1.0f;
    float ab = turn * sdDot(normal, sdCross(sdSub(b, a), sdSub(p, a)));
    float bc = turn * sdDot(normal, sdCross(sdSub(c, b), sdSub(p, b)));
    float ca = turn * sdDot(normal, sdCross(sdSub(a, c), sdSub(p, c)));
    return -sdMinF(ab, sdMinF(bc, ca));
}

static void choose(const Sorting* sorting, int patch, sdVec3 normal, Choice* choice) {
    while (choice->count < SD_MANIFOLD_MAX_POINTS) {
        float most = 0.0f;
        int best = SD_NULL_INDEX;
        for (int i = 0; i < sorting->count; ++i) {
            if (sorting->patch[i] != patch) {
                continue;
            }
            float worth = worthOf(sorting, i, choice->deepest);
            float score = choice->count == 0 ? worth : worth * spreadOf(sorting, choice, i, normal);
            best = score > most ? i : best;
            most = score > most ? score : most;
        }
        if (best == SD_NULL_INDEX) {
            return;
        }
        choice->index[choice->count++] = best;
    }
}

static void writeManifold(const Sorting* sorting, const Choice* choice, sdVec3 normal,
                          sdManifold* out) {
    *out = (sdManifold){
        .normal = normal,
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

int sdMeetings_MakePatches(const sdMeeting* meetings, int count, float margin,
                           const sdMeetingMemory* memory, sdManifold* out, int capacity) {
    Sorting sorting = {
        .meetings = meetings,
        .count = count,
        .margin = margin,
        .softness = sdMaxF(DEPTH_PART * margin, 1e-9f),
        .memory = memory,
    };
    for (int i = 0; i < count; ++i) {
        sorting.patch[i] = -1;
        for (int j = 0; memory != NULL && j < memory->idCount; ++j) {
            sorting.isKept[i] |= memory->ids[j] == meetings[i].id;
        }
    }
    int patchCount = 0, limit = sdMinI(capacity, SD_TOUCH_MAX_PATCHES);
    for (; patchCount < limit; ++patchCount) {
        int seed = findDeepest(&sorting);
        if (seed == SD_NULL_INDEX) {
            break;
        }
        float deepest = meetings[seed].separation;
        sdVec3 around = rememberedNormal(&sorting, meetings[seed].normal);
        sdVec3 normal = meanNormal(&sorting, around, deepest);
        for (int i = 0; i < count; ++i) {
            bool isMember = i == seed || sdDot(meetings[i].normal, normal) > SAME_PATCH;
            if (sorting.patch[i] < 0 && isMember) {
                sorting.patch[i] = (int8_t)patchCount;
            }
        }
        Choice choice = {.deepest = deepest};
        choose(&sorting, patchCount, normal, &choice);
        writeManifold(&sorting, &choice, normal, &out[patchCount]);
    }
    return patchCount;
}
