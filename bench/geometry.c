// SPDX-License-Identifier: MIT
// geometry.c - speed and size of the geometry layer, with the goals beside the figures.

#include "geometry.h"
#include "bench.h"

int main(void) {
    bench_SetGroup("geometry");
    bench_Bounds();
    bench_Hull();
    bench_MeshQueries();
    bench_Field();
    return 0;
}
