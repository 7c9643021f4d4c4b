// SPDX-License-Identifier: MIT
// csv.c - where bodies are and how fast, as a table.

#include "csv.h"

/// Longest row, bytes: 15 numbers of at most 24 letters.
#define MAX_ROW 512

sdResult sdCsv_WriteHead(sdOutFile* file) {
    static const char head[] = "time,body,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz\n";
    return sdOutFile_Write(file, head, sizeof head - 1);
}

static sdResult writeRow(sdOutFile* file, const sdWorld* world, double time, sdBodyId body,
                         int number) {
    sdWorldTransform xf = sdBody_GetTransform(world, body);
    sdVec3 v = sdBody_GetVelocity(world, body), w = sdBody_GetAngularVelocity(world, body);
    char row[MAX_ROW];
    int length = snprintf(row, sizeof row,
                          "%.9g,%d,%.12g,%.12g,%.12g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,"
                          "%.9g,%.9g\n",
                          time, number, xf.p.x, xf.p.y, xf.p.z, (double)xf.q.v.x, (double)xf.q.v.y,
                          (double)xf.q.v.z, (double)xf.q.s, (double)v.x, (double)v.y, (double)v.z,
                          (double)w.x, (double)w.y, (double)w.z);
    return sdOutFile_Write(file, row, (size_t)length);
}

sdResult sdCsv_WriteFrame(sdOutFile* file, const sdWorld* world, double time) {
    int count = sdWorld_GetBodies(world, NULL, 0);
    size_t size = (size_t)count * sizeof(sdBodyId);
    sdBodyId* bodies = sdOutput_Alloc(&file->context, size);
    if (bodies == NULL) {
        return sdRender_Fail(&file->context, SD_ERROR_OUT_OF_MEMORY, "cannot write %s: no memory",
                             file->path);
    }
    sdWorld_GetBodies(world, bodies, count);
    sdResult result = SD_OK;
    for (int i = 0; i < count && result == SD_OK; ++i) {
        if (sdBody_GetType(world, bodies[i]) != SD_BODY_STATIC) {
            result = writeRow(file, world, time, bodies[i], i);
        }
    }
    sdOutput_Free(&file->context, bodies, size);
    return result;
}
