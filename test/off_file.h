// SPDX-License-Identifier: MIT
// off_file.h - triangles from OFF files, which Debian's libcgal-demo has many of.

#ifndef SD_TEST_OFF_FILE_H
#define SD_TEST_OFF_FILE_H

#include "mesh_support.h"

/// Polygons are cut into fans, colours are passed over.
/// @param mesh empty; to be freed whatever is returned
/// @return NULL, or what is wrong with the file
const char* TestMesh_ReadOff(TestMesh* mesh, const char* path);

#endif
