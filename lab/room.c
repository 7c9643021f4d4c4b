// SPDX-License-Identifier: MIT
// room.c - see room.h.

#include "room.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DIAMETER_RATIO 1.7320508f // of a cube's ball to its side
#define CUBE_TRIANGLES 12

typedef struct Room {
    Lab* lab;
    const LabRoomDef* def;
    float radii[LAB_ROOM_MAX_COUNT];
    sdVec3 positions[LAB_ROOM_MAX_COUNT], velocities[LAB_ROOM_MAX_COUNT];
    sdQuat rotations[LAB_ROOM_MAX_COUNT], spins[LAB_ROOM_MAX_COUNT];
    sdBroadphase* broadphase;
    sdProxyId ids[LAB_ROOM_MAX_COUNT];
    sdWorldBox boxes[LAB_ROOM_MAX_COUNT];
    sdProxyPair pairs[LAB_ROOM_MAX_COUNT * (LAB_ROOM_MAX_COUNT - 1) / 2];
    int pairCount;
    sdVec3* unit; ///< corners of all triangles, in a ball of radius 1
    sdVec3* placed[2];
    int triangleCount;
    LabFrames frames;
} Room;

float LabRoom_Diameter(float side) {
    return MAX_DIAMETER_RATIO * side;
}

LabRoomDef LabRoomDef_Default(int count, float side) {
    return (LabRoomDef){.count = count,
                        .leastDiameter = LabRoom_Diameter(side),
                        .mostDiameter = LabRoom_Diameter(side),
                        .speed = 2.0f,
                        .seed = 1,
                        .depth = 4,
                        .mergeLimit = 3,
                        .splitLimit = 6};
}

// ---- making --------------------------------------------------------------------------------

/// Triangles of the mesh, or of a cube, in a ball of radius 1 about the origin.
static bool makeTriangles(Room* room) {
    sdMesh* cube = NULL;
    if (room->def->mesh == NULL &&
        !Lab_Check(room->lab, sdModel_Create(NULL, SD_MODEL_BOX, 1.0f, &cube), "a cube")) {
        return false;
    }
    sdMeshData data = sdMesh_GetData(cube != NULL ? cube : room->def->mesh);
    size_t size = 3 * (size_t)data.triangleCount * sizeof(sdVec3);
    room->triangleCount = data.triangleCount;
    room->unit = malloc(size);
    room->placed[0] = malloc(size);
    room->placed[1] = malloc(size);
    bool isMade = room->unit != NULL && room->placed[0] != NULL && room->placed[1] != NULL;
    float radius = 0.0f;
    for (int i = 0; i < data.vertexCount; ++i) {
        radius = sdMaxF(radius, sdLength(data.vertices[i]));
    }
    for (int i = 0; isMade && i < 3 * data.triangleCount; ++i) {
        room->unit[i] = sdScale(1.0f / radius, data.vertices[data.triangles[i]]);
    }
    sdMesh_Release(cube);
    if (!isMade) {
        Lab_Fail(room->lab, "no memory for triangles");
    }
    return isMade;
}

static sdWorldBox boxOf(const Room* room, int body) {
    sdVec3 p = room->positions[body];
    double r = (double)room->radii[body];
    return sdWorldBox_Make(sdPos_Make((double)p.x - r, (double)p.y - r, (double)p.z - r),
                           sdPos_Make((double)p.x + r, (double)p.y + r, (double)p.z + r));
}

static bool makeBodies(Room* room) {
    const LabRoomDef* def = room->def;
    LabRandom random = LabRandom_Make(def->seed);
    bool isMade = true;
    for (int i = 0; i < def->count && isMade; ++i) {
        float diameter = LabRandom_Float(&random, def->leastDiameter, def->mostDiameter);
        room->radii[i] = 0.5f * diameter;
        room->positions[i] = LabRandom_InBox(&random, LAB_ROOM_HALF - room->radii[i]);
        room->velocities[i] = sdScale(def->speed, LabRandom_OnSphere(&random));
        room->rotations[i] = LabRandom_Rotation(&random);
        room->spins[i] =
            sdQuat_FromRotationVector(sdScale(LAB_ROOM_DT, LabRandom_OnSphere(&random)));
        sdProxyDef proxy = sdProxyDef_Default();
        proxy.box = boxOf(room, i);
        proxy.userData = (uint64_t)i;
        isMade = Lab_Check(room->lab, sdBroadphase_Add(room->broadphase, &proxy, &room->ids[i]),
                           "a proxy");
    }
    return isMade;
}

static bool makeRoom(Room* room) {
    const LabRoomDef* def = room->def;
    sdBroadphaseDef broad = sdBroadphaseDef_Default();
    broad.kind = def->depth > 0     ? SD_BROADPHASE_OCTREE
                 : def->isUnbounded ? SD_BROADPHASE_ALL_PAIRS
                                    : SD_BROADPHASE_BRUTE;
    // as the document: nothing is kept from frame to frame, no cell refuses to be split
    broad.margin = broad.prediction = 0.0f;
    broad.octreeMaxDepth = def->depth;
    broad.octreeMergeLimit = def->mergeLimit;
    broad.octreeSplitLimit = def->splitLimit;
    broad.octreeMaxCopies = 8.0f;
    if (def->count < 1 || def->count > LAB_ROOM_MAX_COUNT) {
        Lab_Fail(room->lab, "a room of %d bodies", def->count);
        return false;
    }
    return Lab_Check(room->lab, sdBroadphase_Create(NULL, &broad, &room->broadphase),
                     "a broad phase") &&
           makeBodies(room) && makeTriangles(room);
}

// ---- a frame -------------------------------------------------------------------------------

/// Back from a wall.
static void bounce(float p, float* v, float most) {
    *v = (p > most && *v > 0.0f) || (p < -most && *v < 0.0f) ? -*v : *v;
}

static void moveBodies(Room* room) {
    for (int i = 0; i < room->def->count; ++i) {
        sdVec3* v = &room->velocities[i];
        sdVec3 p = sdMulAdd(room->positions[i], LAB_ROOM_DT, *v);
        float most = LAB_ROOM_HALF - room->radii[i];
        room->positions[i] = p;
        bounce(p.x, &v->x, most);
        bounce(p.y, &v->y, most);
        bounce(p.z, &v->z, most);
        room->rotations[i] = sdNormalizeQ(sdMulQ(room->spins[i], room->rotations[i]));
        room->boxes[i] = boxOf(room, i);
    }
}

static void place(const Room* room, int body, sdVec3* out) {
    for (int i = 0; i < 3 * room->triangleCount; ++i) {
        out[i] = sdAdd(room->positions[body],
                       sdRotate(room->rotations[body], sdScale(room->radii[body], room->unit[i])));
    }
}

/// Every triangle of one against every one of the other (S1 §3.2).
static void testTriangles(Room* room, int a, int b) {
    place(room, a, room->placed[0]);
    place(room, b, room->placed[1]);
    bool isTouching = false;
    for (int i = 0; i < room->triangleCount; ++i) {
        for (int j = 0; j < room->triangleCount; ++j) {
            isTouching |=
                sdTriTri_Test(room->placed[0] + 3 * i, room->placed[1] + 3 * j).isIntersecting;
        }
    }
    room->frames.triangleTests += (double)room->triangleCount * room->triangleCount;
    room->frames.touchingPairs += isTouching ? 1.0 : 0.0;
}

static void testPair(Room* room, int a, int b) {
    const LabRoomDef* def = room->def;
    float reach = room->radii[a] + room->radii[b];
    bool isNear = true;
    if (!def->isUnbounded) {
        room->frames.ballTests += 1.0;
        isNear = sdLengthSquared(sdSub(room->positions[a], room->positions[b])) <= reach * reach;
    }
    if (isNear && !def->isBroadOnly) {
        testTriangles(room, a, b);
    }
}

/// Without bounding volumes, all that share a cell.
static bool testCell(void* arg, sdAABB cell, int depth, int proxyCount) {
    (void)depth;
    Room* room = arg;
    int inside[LAB_ROOM_MAX_COUNT], count = 0;
    for (int i = 0; i < room->def->count && proxyCount > 1; ++i) {
        sdVec3 p = room->positions[i], r = sdV3(room->radii[i], room->radii[i], room->radii[i]);
        if (sdAABB_Overlaps(cell, (sdAABB){sdSub(p, r), sdAdd(p, r)})) {
            inside[count++] = i;
        }
    }
    for (int i = 0; i < count; ++i) {
        for (int j = i + 1; j < count; ++j) {
            testPair(room, inside[i], inside[j]);
        }
    }
    return true;
}

static bool noteCell(void* arg, sdAABB cell, int depth, int proxyCount) {
    (void)cell;
    (void)depth;
    LabFrames* frames = arg;
    frames->cells += 1.0;
    frames->copies += proxyCount;
    return true;
}

static bool detect(Room* room) {
    sdBroadphase* bp = room->broadphase;
    const LabRoomDef* def = room->def;
    if (!Lab_Check(room->lab, sdBroadphase_MoveMany(bp, room->ids, room->boxes, def->count),
                   "moving boxes") ||
        !Lab_Check(room->lab, sdBroadphase_UpdatePairs(bp, NULL), "finding pairs")) {
        return false;
    }
    if (def->isUnbounded && def->depth > 0) {
        sdBroadphase_VisitCells(bp, testCell, room);
        return true;
    }
    room->pairCount =
        sdBroadphase_GetPairs(bp, room->pairs, (int)(sizeof room->pairs / sizeof room->pairs[0]));
    for (int i = 0; i < room->pairCount; ++i) {
        testPair(room, (int)sdBroadphase_GetUserData(bp, room->pairs[i].a),
                 (int)sdBroadphase_GetUserData(bp, room->pairs[i].b));
    }
    return true;
}

LabFrames LabRoom_Run(Lab* lab, const LabRoomDef* def, int frameCount) {
    Room* room = calloc(1, sizeof *room);
    if (room == NULL) {
        Lab_Fail(lab, "no memory for a room");
        return (LabFrames){0};
    }
    room->lab = lab;
    room->def = def;
    bool isGood = makeRoom(room);
    for (int i = 0; i < frameCount && isGood && Lab_GoesOn(lab); ++i) {
        moveBodies(room);
        double start = Lab_Now();
        isGood = detect(room);
        room->frames.seconds += Lab_Now() - start;
        room->frames.comparisons += (double)sdBroadphase_GetStats(room->broadphase).testCount;
        room->frames.count += 1;
        LabFrames cells = {0};
        if (def->depth > 0) {
            sdBroadphase_VisitCells(room->broadphase, noteCell, &cells);
            room->frames.cells += cells.cells;
            room->frames.copies += cells.copies / def->count;
        }
    }
    LabFrames frames = isGood ? room->frames : (LabFrames){0};
    sdBroadphase_Destroy(room->broadphase);
    free(room->unit);
    free(room->placed[0]);
    free(room->placed[1]);
    free(room);
    return frames;
}
