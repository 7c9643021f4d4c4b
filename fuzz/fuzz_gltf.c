// SPDX-License-Identifier: MIT
// fuzz_gltf.c - glTF and GLB files with physics as scenes.

#include "import_text.h"

#include <string.h>

static uint64_t run(const uint8_t* bytes, size_t size) {
    return FuzzImport_Run(CliImport_Gltf, bytes, size);
}

static const char bodies[] =
    "{\"asset\": {\"version\": \"2.0\"}, \"extensions\": {\"KHR_implicit_shapes\": {\"shapes\": "
    "[{\"type\": \"box\", \"box\": {\"size\": [10, 1, 10]}}, {\"type\": \"sphere\", \"sphere\": "
    "{\"radius\": 0.5}}, {\"type\": \"capsule\", \"capsule\": {\"height\": 1, \"radiusTop\": 0.5, "
    "\"radiusBottom\": 0.5}}]},\n\"KHR_physics_rigid_bodies\": {\"physicsMaterials\": "
    "[{\"staticFriction\": 0.5, \"dynamicFriction\": 0.4}], \"physicsJoints\": [{\"limits\": "
    "[{\"linearAxes\": [0, 1, 2], \"min\": 0, \"max\": 0}, {\"angularAxes\": [0], \"min\": -0.5, "
    "\"max\": 0.5}]}]}},\n\"nodes\": [{\"name\": \"floor\", \"translation\": [0, -0.5, 0], "
    "\"extensions\": {\"KHR_physics_rigid_bodies\": {\"collider\": {\"geometry\": {\"shape\": 0}, "
    "\"physicsMaterial\": 0}}}},\n{\"name\": \"ball\", \"translation\": [0, 2, 0], \"children\": "
    "[2], \"extensions\": {\"KHR_physics_rigid_bodies\": {\"motion\": {\"mass\": 3, "
    "\"inertiaDiagonal\": [0.3, 0.3, 0.3]}, \"collider\": {\"geometry\": {\"shape\": 1}}}}},\n"
    "{\"name\": \"ear\", \"scale\": [0.5, 0.5, 0.5], \"extensions\": "
    "{\"KHR_physics_rigid_bodies\": {\"collider\": {\"geometry\": {\"mesh\": 0, \"convexHull\": "
    "true}}}}},\n{\"name\": \"door\", \"translation\": [3, 1, 0], \"extensions\": "
    "{\"KHR_physics_rigid_bodies\": {\"motion\": {}, \"collider\": {\"geometry\": {\"mesh\": 0}}, "
    "\"joint\": {\"connectedNode\": 4, \"joint\": 0}}}}, {\"name\": \"post\"}],\n\"meshes\": "
    "[{\"primitives\": [{\"attributes\": {\"POSITION\": 0}, \"indices\": 1}]}], \"accessors\": "
    "[{\"bufferView\": 0, \"componentType\": 5126, \"count\": 4, \"type\": \"VEC3\"}, "
    "{\"bufferView\": 1, \"componentType\": 5123, \"count\": 12, \"type\": \"SCALAR\"}],\n"
    "\"bufferViews\": [{\"buffer\": 0, \"byteLength\": 48}, {\"buffer\": 0, \"byteOffset\": 48, "
    "\"byteLength\": 24}],\n\"buffers\": [{\"byteLength\": 72";

static const char data[] =
    ", \"uri\": \"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAA"
    "gD8AAAAAAAAAAAAAAAAAAIA/AAACAAEAAAABAAMAAAADAAIAAQACAAMA\"";

static void putWord(char* p, size_t value) {
    for (int i = 0; i < 4; ++i) {
        p[i] = (char)(value >> (8 * i));
    }
}

/// The same as GLB, with its triangles in a chunk of their own.
static size_t makeBinary(char* out) {
    static const float vertices[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const uint16_t triangles[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    size_t length = strlen(bodies);
    memcpy(out + 20, bodies, length);
    memcpy(out + 20 + length, "}]}", 3);
    length += 3;
    while (length % 4 != 0) {
        out[20 + length++] = ' ';
    }
    char* chunk = out + 20 + length;
    putWord(chunk, 72);
    memcpy(chunk + 4, "BIN", 4);
    memcpy(chunk + 8, vertices, 48);
    memcpy(chunk + 56, triangles, 24);
    size_t size = 20 + length + 80;
    memcpy(out, "glTF", 4);
    putWord(out + 4, 2);
    putWord(out + 8, size);
    putWord(out + 12, length);
    memcpy(out + 16, "JSON", 4);
    return size;
}

static void addSeeds(FuzzSeeds* seeds) {
    char text[4096];
    size_t length = strlen(bodies), more = strlen(data);
    memcpy(text, bodies, length);
    memcpy(text + length, data, more);
    memcpy(text + length + more, "}]}", 3);
    FuzzSeeds_Add(seeds, text, length + more + 3);
    FuzzSeeds_Add(seeds, text, makeBinary(text));
}

static const char* const words[] = {"{",
                                    "}",
                                    "[",
                                    "]",
                                    "null",
                                    "true",
                                    "-1",
                                    "1e39",
                                    "4294967295",
                                    "5121",
                                    "5125",
                                    "\"sparse\"",
                                    "\"byteStride\"",
                                    "\"scale\"",
                                    "\"rotation\"",
                                    "\"matrix\"",
                                    "\"children\"",
                                    "\"drives\"",
                                    "\"trigger\"",
                                    "\"isKinematic\"",
                                    "\"centerOfMass\"",
                                    "\"cylinder\"",
                                    "\"mode\"",
                                    "\"byteOffset\"",
                                    "base64,",
                                    "0",
                                    NULL};

const FuzzTarget fuzzTarget = {"gltf", run, addSeeds, 6144, words};
