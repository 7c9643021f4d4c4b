// SPDX-License-Identifier: MIT
// geometry.h - the parts of the geometry benchmark, one file each.

#ifndef SD_BENCH_GEOMETRY_H
#define SD_BENCH_GEOMETRY_H

void bench_Bounds(void);
void bench_Hull(void);
void bench_Field(void);

void bench_MeshQueries(void);

#endif
