// SPDX-License-Identifier: MIT
// experiments.h - all experiments, one or a few a file.

#ifndef SD_LAB_EXPERIMENTS_H
#define SD_LAB_EXPERIMENTS_H

#include "lab.h"

extern const LabExperiment labTriangles;   ///< triangles.c
extern const LabExperiment labIntegrators; ///< integrators.c

// S1
extern const LabExperiment labOctree, labCells;             ///< octree.c
extern const LabExperiment labVolumes, labSpeed, labDetail; ///< frames.c

// S2
extern const LabExperiment labSlope;       ///< slope.c
extern const LabExperiment labFailures;    ///< failures.c
extern const LabExperiment labPasses;      ///< passes.c
extern const LabExperiment labJointPasses; ///< joint_passes.c
extern const LabExperiment labFilms;       ///< films.c

// S3
extern const LabExperiment labProjection; ///< projection.c
extern const LabExperiment labTunnelling; ///< tunnelling.c
extern const LabExperiment labBounding;   ///< bounding.c
extern const LabExperiment labSweep;      ///< sweep.c
extern const LabExperiment labBuilders;   ///< builders.c

// S4
extern const LabExperiment labAxes; ///< axes.c

// ours
extern const LabExperiment labSolvers; ///< solvers.c

#endif
