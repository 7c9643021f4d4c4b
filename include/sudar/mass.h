// SPDX-License-Identifier: MIT
// mass.h - mass, centre of mass and inertia tensor: moving, turning and adding them.

#ifndef SUDAR_MASS_H
#define SUDAR_MASS_H

#include "sudar/vecmath.h"

SD_BEGIN_C

/// Mass properties of a solid, in the coordinates that the solid was given in.
typedef struct sdMassProps {
    float mass;      ///< kg
    sdVec3 center;   ///< centre of mass
    sdMat33 inertia; ///< about the centre of mass, kg m²; symmetric
} sdMassProps;

/// The same solid seen from A when it was given in B: the centre moves, the tensor turns
/// (I = R I₀ Rᵀ).
SD_API sdMassProps sdMassProps_Transform(sdMassProps props, sdTransform xfAB);

/// Two solids as one rigid body (parallel-axis theorem). No mass at all gives zero mass.
SD_API sdMassProps sdMassProps_Add(sdMassProps a, sdMassProps b);

/// A solid with another removed from it, for example a hole. `b` must lie inside `a`; if nothing is
/// left, mass and tensor are zero.
SD_API sdMassProps sdMassProps_Subtract(sdMassProps a, sdMassProps b);

/// Inertia about any point: I + m (d² 1 - d dᵀ).
SD_API sdMat33 sdMassProps_InertiaAbout(sdMassProps props, sdVec3 point);

/// The frame in which the tensor is diagonal: position the centre of mass, axes principal.
/// @param moments the diagonal, descending
SD_API sdTransform sdMassProps_PrincipalFrame(sdMassProps props, sdVec3* moments);

/// Finite, positive mass, symmetric tensor with positive principal moments that satisfy the
/// triangle inequality (within rounding), as those of every real solid do.
SD_API bool sdMassProps_IsValid(sdMassProps props);

SD_END_C

#endif
