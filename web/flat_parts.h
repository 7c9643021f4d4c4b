// SPDX-License-Identifier: MIT
// flat_parts.h - what a demonstration in the plane is made of.

#ifndef SD_WEB_FLAT_PARTS_H
#define SD_WEB_FLAT_PARTS_H

#include "flat.h"

#define SD_FLAT_MAX_BODIES 48
#define SD_FLAT_MAX_PIECES 64
#define SD_FLAT_MAX_CONTACTS 256

typedef enum sdFlatKind {
    SD_FLAT_FREE,        ///< drifts and turns
    SD_FLAT_SWAYING,     ///< about its start: v is how far, speed how fast
    SD_FLAT_BULLET,      ///< looks ahead
    SD_FLAT_BLIND_BULLET ///< looks where it has come to
    ,
    SD_FLAT_WALL ///< stays
} sdFlatKind;

typedef struct sdFlatBody {
    sdFlatKind kind;
    sdVec2 p, v, start;
    float angle, spin, reach, speed;
} sdFlatBody;

typedef struct sdFlatPiece {
    sdPolygon2 shape;
    sdVec2 center; ///< in the body's frame
    int body;
    int group; ///< pieces of one group are tried against each other
} sdFlatPiece;

typedef struct sdFlatContact {
    int a, b;
    uint32_t id;
    bool isKept;
    sdVec2 p, n;
    float separation;
} sdFlatContact;

struct sdFlat {
    sdContext context;
    const sdFlatScene* scene;
    sdFlatBody bodies[SD_FLAT_MAX_BODIES];
    int bodyCount;
    sdFlatPiece pieces[SD_FLAT_MAX_PIECES];
    int pieceCount;
    sdFlatContact contacts[SD_FLAT_MAX_CONTACTS];
    int contactCount;
    sdFlatFigures figures;
    float laneHalf; ///< m, of a bullet's lane
    int step;
};

/// Of the places where bodies are.
void sdFlat_FindContacts(sdFlat* flat);

#endif
