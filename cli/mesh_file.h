// SPDX-License-Identifier: MIT
// mesh_file.h - meshes from files: OBJ, STL, PLY, OFF, glTF, GLB, DAE through assimp.

#ifndef SD_CLI_MESH_FILE_H
#define SD_CLI_MESH_FILE_H

#include "cli.h"

#include "scenefile.h"

/// Whether this build has assimp.
bool CliMeshFile_IsAvailable(void);

/// Triangles as a file has them.
typedef struct CliMeshFile {
    sdVec3* vertices;
    int32_t* triangles;
    int vertexCount, triangleCount;
} CliMeshFile;

/// All triangles of a file, in the coordinates of its root.
/// @param scale times all coordinates
/// @param reason why not; a text file that is wrong in a line that is known begins with "LINE: "
bool CliMeshFile_Read(const char* path, float scale, CliMeshFile* out, char* reason, size_t size);
void CliMeshFile_Free(CliMeshFile* file);

/// For scene files.
sdMeshReader CliMeshFile_GetReader(void);

/// Write triangles as OBJ, STL (binary), PLY or OFF, by the ending of the name; says what is wrong.
/// @param parts several, which OBJ keeps apart
CliExit CliMeshFile_Write(const char* command, const char* path, const sdMeshData* parts,
                          int count);

#endif
