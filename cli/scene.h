// SPDX-License-Identifier: MIT
// scene.h - scene files, and files of other programs that become such, for every sub-command.

#ifndef SD_CLI_SCENE_H
#define SD_CLI_SCENE_H

#include "cli.h"

#include "mesh_file.h"
#include "scenefile.h"

/// Whether a word is the name of a file rather than of a built-in scene.
bool CliScene_IsFile(const char* name);

/// Read a scene file, or import one; says what is wrong as "file:line:column: ...".
/// @param isStrict what an import leaves out or approximates is an error
CliExit CliScene_Load(const char* path, bool isStrict, sdSceneFile** out);

#endif
