// SPDX-License-Identifier: MIT
// body_boxes.h - boxes of bodies of one simple shape, eight at a time.

#ifndef SD_DYNAMICS_BODY_BOXES_H
#define SD_DYNAMICS_BODY_BOXES_H

#include "dynamics/body_lanes.h"

/// Eight bodies with one sphere, capsule or box each: most of most worlds. What is asked of
/// bodies and shapes is read where it lies.
typedef struct sdBodyBoxes {
    const sdBody* bodies[SD_LANES];
    const sdTransform* places[SD_LANES]; ///< of the shapes, in their bodies' frames
    sdReach* reaches[SD_LANES];
    sdWorldBox* boxes[SD_LANES];
    float half[3][SD_LANES];    ///< extents of the core; those of a capsule are 0, halfLength, 0
    float radius[SD_LANES];     ///< around it; of boxes anything
    float isBox[SD_LANES];      ///< 1 or 0
    float mostTurned[SD_LANES]; ///< m, by which a box grows for its turn at most
    float mostWay[SD_LANES];    ///< m, for its way
    bool hasBoxes;              ///< some core is a box
} sdBodyBoxes;

/// Whether a body is for these.
static inline bool sdBodyBoxes_IsFor(const sdWorld* world, int index) {
    const sdBody* body = &world->bodies.data[index];
    if (body->shapeCount != 1) {
        return false;
    }
    sdShapeType type = world->fixtures.data[body->firstShape].def.shape.type;
    return type == SD_SHAPE_SPHERE || type == SD_SHAPE_CAPSULE || type == SD_SHAPE_BOX;
}

/// Put a body into a lane.
static inline void sdBodyBoxes_Set(sdBodyBoxes* lanes, int lane, const sdWorld* world, int index) {
    const sdBody* body = &world->bodies.data[index];
    const sdShapeDef* def = &world->fixtures.data[body->firstShape].def;
    bool isBox = def->shape.type == SD_SHAPE_BOX, isBall = def->shape.type == SD_SHAPE_SPHERE;
    sdVec3 half = {0.0f, isBall ? 0.0f : def->shape.capsule.halfLength, 0.0f};
    half = isBox ? def->shape.box.halfExtents : half;
    lanes->bodies[lane] = body;
    lanes->places[lane] = &def->xf;
    lanes->reaches[lane] = &world->reaches.data[index];
    lanes->boxes[lane] = &world->boxes.data[body->firstShape];
    lanes->half[0][lane] = half.x;
    lanes->half[1][lane] = half.y;
    lanes->half[2][lane] = half.z;
    lanes->radius[lane] = isBall ? def->shape.sphere.radius : def->shape.capsule.radius;
    lanes->isBox[lane] = isBox ? 1.0f : 0.0f;
    lanes->hasBoxes = lanes->hasBoxes || isBox;
    lanes->mostTurned[lane] = sdBody_GetReach(body) * body->radius;
    lanes->mostWay[lane] = world->def.enableContinuous ? sdBody_SeenWay(body) : FLT_MAX;
}

/// Boxes as of sdFixture_GetBox, to the same bits, and how far the bodies will go within dt.
SD_DECLARE_KERNEL(void, sdBodyBoxes_Make, (const sdBodyBoxes* bodies, float dt));

#endif
