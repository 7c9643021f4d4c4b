// SPDX-License-Identifier: MIT
// experiments.c - the table of experiments, in the order of the report.

#include "experiments.h"

#include <string.h>

static const LabExperiment* const table[] = {
    // S0
    &labTriangles,
    &labIntegrators,
    // S1
    &labOctree,
    &labCells,
    &labVolumes,
    &labSpeed,
    &labDetail,
    // S2
    &labSlope,
    &labFailures,
    &labPasses,
    &labJointPasses,
    &labFilms,
    // S3
    &labProjection,
    &labTunnelling,
    &labBounding,
    &labSweep,
    &labBuilders,
    // S4
    &labAxes,
    // ours
    &labSolvers,
};

int LabExperiment_GetCount(void) {
    return (int)(sizeof table / sizeof table[0]);
}

const LabExperiment* LabExperiment_Get(int index) {
    return index >= 0 && index < LabExperiment_GetCount() ? table[index] : NULL;
}

const LabExperiment* LabExperiment_Find(const char* name) {
    for (int i = 0; i < LabExperiment_GetCount() && name != NULL; ++i) {
        if (strcmp(table[i]->name, name) == 0) {
            return table[i];
        }
    }
    return NULL;
}
