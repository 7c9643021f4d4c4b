// SPDX-License-Identifier: MIT
// fuzz_scene.c - texts of scene files: read, built, stepped and written, or refused with a place.

#include "fuzz.h"
#include "scene_text.h"

static uint64_t run(const uint8_t* bytes, size_t size) {
    return FuzzSceneText_Run(TEST_HASH_START, (const char*)bytes, size);
}

static const char* const scenes[] = {
    "{'sudar': 1, 'name': 'a', 'title': 'b', 'recording': {'dt': '10 ms', 'steps': 20},\n"
    " 'camera': {'eye': [1, 2, 3], 'target': [0, 0, 0]},\n"
    " 'settings': {'gravity': [0, -9.81, 0], 'solver': 'impulse', 'broadphase': {'kind': 'sap'}},\n"
    " 'bodies': [{'name': 'floor', 'shapes': [{'shape': {'type': 'half-space'}}]},\n"
    "  {'type': 'dynamic', 'position': [0, '1 m', 0], 'shapes': [\n"
    "   {'shape': {'type': 'box', 'halfExtents': [0.5, 0.5, 0.5]}, 'density': 10}]}]}",
    "// joints\n{'sudar': 1, 'materials': {'ice': {'staticFriction': 0.1, 'slidingFriction': "
    "0.1}},\n"
    "'shapes': {'ball': {'type': 'sphere', 'radius': '30 cm'}},\n"
    "'bodies': [{'name': 'a'}, {'name': 'b', 'type': 'dynamic', 'position': [1, 0, 0],\n"
    "  'shapes': [{'shape': 'ball', 'material': 'ice', 'isSensor': false}]},\n"
    " {'name': 'c', 'type': 'dynamic', 'velocity': [1, 0, -2e1], 'locks': ['x', 'rotation-y'],\n"
    "  'shapes': [{'shape': {'type': 'capsule', 'halfLength': 0.5, 'radius': 0.1}}]}],\n"
    "'joints': [{'type': 'hinge', 'bodyA': 'a', 'bodyB': 'b', 'anchor': [0, 0, 0],\n"
    "  'axis': [0, 0, 1], 'axes': {'turnX': {'mode': 'limited', 'lower': '-90 deg', 'upper': "
    "1}}},\n"
    " {'type': 'six', 'bodyA': 'b', 'bodyB': 2, 'frameA': {'position': [1, 0, 0]}}]}",
    "{'sudar': 1, 'meshes': {'m': {'model': 'star', 'size': 1}, 't': {'vertices': [0,0,0, 1,0,0,\n"
    " 0,1,0, 0,0,1], 'triangles': [0,2,1, 0,1,3, 0,3,2, 1,2,3]}}, 'bodies': [{'shapes': "
    "[{'shape':\n"
    " {'type': 'mesh', 'mesh': 'm'}}]}, {'type': 'dynamic', 'position': [0, 2, 0], 'shapes': [\n"
    " {'shape': {'type': 'hull', 'points': [0,0,0, 1,0,0, 0,1,0, 0,0,1]}}]}, {'type': 'dynamic',\n"
    " 'position': [0, 4, 0], 'shapes': [{'shape': {'type': 'concave', 'mesh': 't',\n"
    "  'field': {'resolution': 6}}}]}]}",
    "{'sudar': 1, 'bodies': [{'type': 'dynamic', 'mass': {'mass': 2, 'center': [0, 0, 0], "
    "'inertia':\n"
    " [1, 1, 1]}, 'shapes': [{'shape': {'type': 'compound', 'children': [{'shape': {'type': "
    "'cone',\n"
    " 'halfHeight': 1, 'radius': 0.5}}, {'shape': {'type': 'cylinder', 'halfHeight': 1, 'radius': "
    "0.5},\n"
    " 'position': [1, 0, 0], 'rotation': {'axis': [0, 1, 0], 'degrees': 90}}]}, 'filter': "
    "{'group': -1}}]}]}",
};

static void addSeeds(FuzzSeeds* seeds) {
    for (int i = 0; i < (int)(sizeof scenes / sizeof scenes[0]); ++i) {
        FuzzSeeds_AddText(seeds, scenes[i]);
    }
}

static const char* const words[] = {"{",
                                    "}",
                                    "[",
                                    "]",
                                    ":",
                                    ",",
                                    "\"",
                                    "null",
                                    "true",
                                    "false",
                                    "1e999",
                                    "-0",
                                    "0.1",
                                    "1e-46",
                                    "\"type\"",
                                    "\"dynamic\"",
                                    "\"kinematic\"",
                                    "\"mesh\"",
                                    "\"joints\"",
                                    "\"bodies\"",
                                    "\"shapes\"",
                                    "\"axes\"",
                                    "\"1 mm\"",
                                    "\"90 deg\"",
                                    "//",
                                    "/*",
                                    "\\u0000",
                                    "\\ud800",
                                    "\"world\"",
                                    "\"vertices\"",
                                    "\"triangles\"",
                                    "\"concave\"",
                                    "\"distance\"",
                                    "\"position\"",
                                    "\"rotation\"",
                                    "\"filter\"",
                                    "\"locks\"",
                                    NULL};

const FuzzTarget fuzzTarget = {"scene", run, addSeeds, 4096, words};
