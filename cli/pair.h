// SPDX-License-Identifier: MIT
// pair.h - two shapes given by words.

#ifndef SD_CLI_PAIR_H
#define SD_CLI_PAIR_H

#include "cli.h"

#include "sudar/sudar.h"

/// A shape from a short notation: "box:1,1,1", "hull:part.obj", "skull:0.2".
typedef struct CliShape {
    sdShape shape;
    sdMesh* mesh; ///< what it holds on to; may be NULL
    sdHull* hull;
} CliShape;

/// What may be written, a line each.
extern const char* const CliShape_Notation;

/// Says what is wrong.
CliExit CliShape_Read(const char* command, const char* text, CliShape* out);
void CliShape_Free(CliShape* shape);

/// "x,y,z" or "x,y,z,ax,ay,az,degrees"; says what is wrong.
CliExit CliPose_Read(const char* command, const char* option, const char* text, sdTransform* out);

#endif
