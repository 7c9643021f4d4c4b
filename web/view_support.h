// SPDX-License-Identifier: MIT
// view_support.h - bodies, contacts and joints of a world, listed, and who is where in the lists.

#ifndef SD_WEB_VIEW_SUPPORT_H
#define SD_WEB_VIEW_SUPPORT_H

#include "view.h"

#include "sudar/joint.h"

typedef struct sdViewBodies {
    const sdWorld* world;
    sdBodyId* ids;
    sdContactInfo* contacts;
    sdJointId* joints;
    int32_t* numbers; ///< of the bodies, by the slots of their ids
    int count, contactCount, jointCount, slotCount;
} sdViewBodies;

/// @return false when there is no memory; nothing is to be closed then
bool sdViewBodies_Open(sdViewBodies* bodies, const sdWorld* world);
void sdViewBodies_Close(sdViewBodies* bodies);

/// The number of a body in the list; -1 for one that is gone.
int sdViewBodies_Find(const sdViewBodies* bodies, sdBodyId body);
int sdViewBodies_FindByShape(const sdViewBodies* bodies, sdShapeId shape);

/// Around all shapes of a body.
/// @return false for a body without shapes or with one that has no end
bool sdViewBodies_GetBox(const sdViewBodies* bodies, int number, sdAABB* out);

#endif
