// SPDX-License-Identifier: MIT
// model_round.c - turned and swept models: sphere, torus, ring, post, chain link, bowl; also the
// box and the star.
//
// Out:  triangles in the model's own proportions, about y.

#include "geometry/model.h"

void sdModel_AddBox(sdModelBuilder* builder) {
    static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (int i = 0; i < 8; ++i) {
        sdModelBuilder_AddVertex(
            builder, sdV3(i & 1 ? 0.5f : -0.5f, i & 2 ? 0.5f : -0.5f, i & 4 ? 0.5f : -0.5f));
    }
    for (int i = 0; i < 6; ++i) {
        const int* f = faces[i];
        sdModelBuilder_AddTriangle(builder, f[0], f[1], f[2]);
        sdModelBuilder_AddTriangle(builder, f[0], f[2], f[3]);
    }
}

void sdModel_AddSphere(sdModelBuilder* builder) {
    sdModelBuilder_AddIcosphere(builder, 3);
}

void sdModel_AddTorus(sdModelBuilder* builder) {
    sdModelBuilder_AddTorus(builder, 0.35f, 0.15f, 24, 12);
}

void sdModel_AddRing(sdModelBuilder* builder) {
    // flat above and below, so that rings lie on each other; the hole is 0.56 wide
    sdModelBuilder_AddTorus(builder, 0.39f, 0.11f, 18, 6);
}

void sdModel_AddPost(sdModelBuilder* builder) {
    // tapered, so that rings slip on; 2 * 9 + 3 * 22 triangles
    static const sdModelProfile profile[4] = {
        {0.19f, 0.0f, 11}, {0.19f, 0.05f, 11}, {0.055f, 0.05f, 11}, {0.04f, 1.0f, 11}};
    sdModelRing rings[4];
    for (int k = 0; k < 4; ++k) {
        rings[k] = sdModelBuilder_AddRing(builder, profile[k]);
        if (k > 0) {
            sdModelBuilder_Bridge(builder, rings[k - 1], rings[k]);
        }
    }
    sdModelBuilder_Cap(builder, rings[0], false);
    sdModelBuilder_Cap(builder, rings[3], true);
}

/// Rings of the bowl from its pole to its rim; ring k has 6 k vertices, so triangles are nearly
/// equilateral.
#define BOWL_RINGS 8

void sdModel_AddBowl(sdModelBuilder* builder) {
    const float outerRadius = 0.5f, innerRadius = 0.42f;
    sdModelProfile profile[2 * BOWL_RINGS + 3];
    int count = 0;
    for (int k = 0; k <= BOWL_RINGS; ++k) {
        float angle = 0.5f * SD_PI * (float)k / BOWL_RINGS;
        profile[count++] = (sdModelProfile){outerRadius * sdSin(angle), -outerRadius * sdCos(angle),
                                            k == 0 ? 1 : 6 * k};
    }
    // the rim is a little rounded
    float middle = 0.5f * (outerRadius + innerRadius);
    profile[count++] = (sdModelProfile){middle, 0.5f * (outerRadius - innerRadius), 6 * BOWL_RINGS};
    for (int k = BOWL_RINGS; k >= 0; --k) {
        float angle = 0.5f * SD_PI * (float)k / BOWL_RINGS;
        profile[count++] = (sdModelProfile){innerRadius * sdSin(angle), -innerRadius * sdCos(angle),
                                            k == 0 ? 1 : 6 * k};
    }
    sdModelBuilder_Lathe(builder, profile, count);
}

#define LINK_ARC_SEGMENTS 12
#define LINK_SIDE_SEGMENTS 4
#define LINK_TUBE_SEGMENTS 12

void sdModel_AddChainLink(sdModelBuilder* builder) {
    // a stadium in the xz plane: half circles about (+-halfSide, 0, 0)
    const float halfSide = 0.22f, arcRadius = 0.19f, tubeRadius = 0.09f;
    const int halfCount = LINK_ARC_SEGMENTS + LINK_SIDE_SEGMENTS;
    sdModelRing first = {0}, last = {0};
    for (int k = 0; k < 2 * halfCount; ++k) {
        float sign = k < halfCount ? 1.0f : -1.0f;
        int step = k % halfCount;
        // along the arc, then along the side that follows it
        int arcStep = sdMinI(step, LINK_ARC_SEGMENTS);
        float angle = SD_PI * ((float)arcStep / LINK_ARC_SEGMENTS - 0.5f);
        float along = (float)(step - arcStep) / LINK_SIDE_SEGMENTS;
        sdVec3 outward = sdV3(sign * sdCos(angle), 0.0f, -sign * sdSin(angle));
        sdVec3 center = sdScale(arcRadius, outward);
        center.x += sign * halfSide * (1.0f - 2.0f * along);
        sdModelRing ring =
            sdModelBuilder_AddTubeRing(builder, center, outward, tubeRadius, LINK_TUBE_SEGMENTS);
        if (k == 0) {
            first = ring;
        } else {
            sdModelBuilder_Bridge(builder, last, ring);
        }
        last = ring;
    }
    sdModelBuilder_Bridge(builder, last, first);
}

/// Points of the star; its outline has twice as many corners.
#define STAR_POINTS 5

void sdModel_AddStar(sdModelBuilder* builder) {
    const float tipRadius = 0.5f, notchRadius = 0.21f, wall = 0.06f, peak = 0.14f;
    sdModelRing rings[4] = {sdModelBuilder_AddRing(builder, (sdModelProfile){0.0f, -peak, 1})};
    for (int side = 0; side < 2; ++side) {
        rings[1 + side] = (sdModelRing){builder->vertices.count, 2 * STAR_POINTS};
        for (int i = 0; i < 2 * STAR_POINTS; ++i) {
            float angle = SD_PI * (float)i / STAR_POINTS;
            float radius = i % 2 == 0 ? tipRadius : notchRadius;
            sdModelBuilder_AddVertex(
                builder, sdV3(radius * sdCos(angle), side ? wall : -wall, -radius * sdSin(angle)));
        }
    }
    rings[3] = sdModelBuilder_AddRing(builder, (sdModelProfile){0.0f, peak, 1});
    for (int k = 0; k < 3; ++k) {
        sdModelBuilder_Bridge(builder, rings[k], rings[k + 1]);
    }
}
