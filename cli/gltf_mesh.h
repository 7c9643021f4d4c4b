// SPDX-License-Identifier: MIT
// gltf_mesh.h - a glTF or GLB file: its document and the triangles of its meshes.

#ifndef SD_CLI_GLTF_MESH_H
#define SD_CLI_GLTF_MESH_H

#include "cli.h"

#include "json.h"

typedef struct CliGltf {
    const char* path;
    char* bytes; ///< the whole file
    size_t size;
    sdJson json;
    const char* binary; ///< of a GLB; NULL: none
    size_t binarySize;
} CliGltf;

/// @param line where it is wrong; 0: not known
bool CliGltf_Open(CliGltf* file, const char* path, int* line, char* reason, size_t size);
void CliGltf_Close(CliGltf* file);

typedef struct CliGltfMesh {
    float* vertices; ///< three numbers each
    uint32_t* triangles;
    int vertexCount, triangleCount;
} CliGltfMesh;

/// All triangles of a mesh by its place.
bool CliGltf_ReadMesh(const CliGltf* file, int mesh, CliGltfMesh* out, char* reason, size_t size);
void CliGltfMesh_Free(CliGltfMesh* mesh);

#endif
