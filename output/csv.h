// SPDX-License-Identifier: MIT
// csv.h - where bodies are and how fast, frame by frame, as a table for other programs.

#ifndef SD_OUTPUT_CSV_H
#define SD_OUTPUT_CSV_H

#include "file.h"
#include "sudar/world.h"

SD_BEGIN_C

/// time,body,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz: a row for each body that is not static, in each
/// frame. Bodies are numbered in the order in which they were made.
sdResult sdCsv_WriteHead(sdOutFile* file);
sdResult sdCsv_WriteFrame(sdOutFile* file, const sdWorld* world, double time);

SD_END_C

#endif
