// SPDX-License-Identifier: MIT
// geometry.c - speed and size of the geometry layer, with the goals beside the figures.

#include "geometry.h"

int main(void) {
    bench_Bounds();
    bench_Hull();
    bench_MeshQueries();
    bench_Field();
    return 0;
}
