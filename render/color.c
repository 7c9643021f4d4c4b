// SPDX-License-Identifier: MIT
// color.c - the colours of bodies, in pictures and in files; what pictures show, by name.

#include "render.h"

static const uint8_t palette[][3] = {
    {231, 111, 81}, {42, 157, 143}, {233, 196, 106}, {69, 123, 157},  {244, 162, 97},
    {131, 96, 172}, {120, 178, 90}, {214, 84, 120},  {91, 177, 204},  {188, 128, 84},
    {86, 110, 196}, {196, 205, 98}, {222, 147, 171}, {102, 168, 148},
};
#define PALETTE_COUNT (sizeof palette / sizeof palette[0])

static const uint8_t staticColor[3] = {186, 188, 192};
static const uint8_t kinematicColor[3] = {150, 160, 178};

void sdRenderer_GetColor(sdBodyType type, sdBodyId body, uint8_t rgb[3]) {
    // neighbours in number, which are often neighbours in place, are never alike
    uint32_t slot = (uint32_t)body & 0xFFFFFFu;
    const uint8_t* base = palette[(slot * 5u) % PALETTE_COUNT];
    float shade = 0.90f + 0.15f * (float)((slot * 2654435761u) >> 27) / 31.0f;
    if (type != SD_BODY_DYNAMIC) {
        base = type == SD_BODY_STATIC ? staticColor : kinematicColor;
        shade = 1.0f;
    }
    for (int i = 0; i < 3; ++i) {
        rgb[i] = (uint8_t)sdMinF(255.0f, shade * (float)base[i]);
    }
}

const char* sdDrawView_Name(int index) {
    static const char* const names[SD_VIEW_COUNT] = {
        "solid", "shadows", "sleep",    "islands", "wireframe", "samples",
        "field", "boxes",   "fat",      "spheres", "obbs",      "kdops",
        "hulls", "cells",   "contacts", "joints",  "centers",   "levels"};
    return index >= 0 && index < SD_VIEW_COUNT ? names[index] : NULL;
}

sdDrawOptions sdDrawOptions_Default(void) {
    return (sdDrawOptions){.views = SD_VIEW_SOLID | SD_VIEW_SHADOWS | SD_VIEW_SLEEP,
                           .showEdges = true,
                           .showSensors = true};
}
