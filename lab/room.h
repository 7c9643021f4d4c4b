// SPDX-License-Identifier: MIT
// room.h - the scene of document S1 §5: bodies fly about in a cube of side 20, and each frame finds
// who touches whom as the document does: cells of an octree, balls around bodies, all triangles
// against all.
//
// The bodies bounce off the walls and go through each other: who is near whom is what counts here.

#ifndef SD_LAB_ROOM_H
#define SD_LAB_ROOM_H

#include "lab.h"

#define LAB_ROOM_HALF 10.0f
#define LAB_ROOM_DT (1.0f / 60.0f)
#define LAB_ROOM_MAX_COUNT 500

typedef struct LabRoomDef {
    int count;
    float leastDiameter, mostDiameter; ///< m, of the balls around bodies
    float speed;                       ///< m/s
    const sdMesh* mesh;                ///< of all bodies; NULL: cubes
    uint64_t seed;
    int depth;        ///< of the octree; 0: none, every two bodies are compared
    int mergeLimit;   ///< bodies of eight cells that become one
    int splitLimit;   ///< bodies above which a cell is split
    bool isUnbounded; ///< no balls: whoever shares a cell has all triangles tested
    bool isBroadOnly; ///< no triangles
} LabRoomDef;

/// What was done in frames, and in how much time.
typedef struct LabFrames {
    int count;
    double comparisons; ///< of bodies that share a cell, or of all
    double ballTests;
    double triangleTests;
    double touchingPairs;
    double cells;
    double copies; ///< cells in which a body stands, on average over bodies; sum over frames
    double seconds;
} LabFrames;

/// The diameter of the ball around a cube.
float LabRoom_Diameter(float side);

/// The document's limits, 3 to 6 bodies a cell.
LabRoomDef LabRoomDef_Default(int count, float side);

/// @return what all frames did together; the lab has failed when count is 0
LabFrames LabRoom_Run(Lab* lab, const LabRoomDef* def, int frameCount);

#endif
