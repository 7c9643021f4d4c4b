// SPDX-License-Identifier: MIT
// sudar.h - everything.

#ifndef SUDAR_SUDAR_H
#define SUDAR_SUDAR_H

#include "sudar/base.h"
#include "sudar/body.h"
#include "sudar/bounds.h"
#include "sudar/broadphase.h"
#include "sudar/collide.h"
#include "sudar/concave.h"
#include "sudar/debug.h"
#include "sudar/field.h"
#include "sudar/hull.h"
#include "sudar/joint.h"
#include "sudar/mass.h"
#include "sudar/mesh.h"
#include "sudar/models.h"
#include "sudar/planar.h"
#include "sudar/query.h"
#include "sudar/shapes.h"
#include "sudar/snapshot.h"
#include "sudar/vecmath.h"
#include "sudar/world.h"

#endif
