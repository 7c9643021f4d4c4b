// SPDX-License-Identifier: MIT
// scenefile.h - scenes as files: read, checked, put into worlds, written.
//
//     sdSceneFile* file;
//     sdFault fault;
//     if (sdSceneFile_Load(NULL, "stack.json", NULL, &file, &fault) == SD_OK) {
//         sdWorld* world;
//         sdWorld_Create(NULL, sdSceneFile_GetWorldDef(file), &world);
//         sdSceneFile_Build(file, world, NULL);
//     }
//
// The format is JSON with comments; docs/scene-file.md tells what may stand in it, and
// docs/scene.schema.json says so to editors. A file is refused as a whole, with the place and the
// reason, for anything in it that is not known, not there, of a wrong kind or unit, or that the
// library would refuse. One that is read can be built into any number of worlds.
//
// This library stands on the public headers only and has no global state.

#ifndef SD_SCENEFILE_H
#define SD_SCENEFILE_H

#include "sudar/sudar.h"

SD_BEGIN_C

/// Where and why something cannot be read.
typedef struct sdFault {
    int line, column; ///< from 1; 0: of the whole file
    char text[480];   ///< what is wrong; what to do
} sdFault;

/// "stack.json:12:7: a sphere has no key 'raduis'; did you mean 'radius'?"
/// @return the length of the whole text, as snprintf does
int sdFault_Describe(const sdFault* fault, const char* file, char* out, size_t size);

/// Reads meshes in files of their own, of whatever kinds it knows.
typedef struct sdMeshReader {
    /// @param settings repairs and weld distance; no data
    /// @param scale times all coordinates
    /// @param reason receives why not, without the path
    sdResult (*read)(void* user, const sdContext* context, const char* path,
                     const sdMeshDef* settings, float scale, sdMesh** out, char* reason,
                     size_t size);
    void* user;
} sdMeshReader;

typedef struct sdSceneInfo {
    const char *name, *title, *text; ///< "" when not given; borrowed
    float dt;                        ///< s
    int stepCount;
    bool hasCamera;
    sdVec3 eye, target;
} sdSceneInfo;

/// 1/60 s, 600 steps, no words, no camera.
sdSceneInfo sdSceneInfo_Default(void);

typedef struct sdSceneFile sdSceneFile;

/// @param context NULL for the default; meshes and hulls keep a copy
/// @param path name of the file: for messages, and for meshes by path, which are looked for beside
/// @param reader NULL: meshes by path are refused
/// @param fault receives place and reason; may be NULL: then they are logged
/// @return SD_ERROR_BAD_FILE, SD_ERROR_OUT_OF_MEMORY, SD_ERROR_LIMIT, SD_ERROR_INVALID_ARGUMENT
sdResult sdSceneFile_Parse(const sdContext* context, const char* path, const char* text,
                           size_t length, const sdMeshReader* reader, sdSceneFile** out,
                           sdFault* fault);
/// The same from a file on disk; SD_ERROR_IO when it cannot be read.
sdResult sdSceneFile_Load(const sdContext* context, const char* path, const sdMeshReader* reader,
                          sdSceneFile** out, sdFault* fault);
/// Worlds that were built from it stay as they are. NULL is allowed.
void sdSceneFile_Destroy(sdSceneFile* file);

/// Borrowed as long as the file is there.
const sdSceneInfo* sdSceneFile_GetInfo(const sdSceneFile* file);
const sdWorldDef* sdSceneFile_GetWorldDef(const sdSceneFile* file);
int sdSceneFile_GetBodyCount(const sdSceneFile* file);
int sdSceneFile_GetJointCount(const sdSceneFile* file);
/// SD_NULL_INDEX when there is none of that name.
int sdSceneFile_FindBody(const sdSceneFile* file, const char* name);

/// Put all bodies and joints into a world, in their order.
/// @param bodies receives their ids; NULL, or room for sdSceneFile_GetBodyCount
/// @return what the world answers: SD_ERROR_OUT_OF_MEMORY, as everything else was tried when the
///         file was read; what was built until then stays
sdResult sdSceneFile_Build(const sdSceneFile* file, sdWorld* world, sdBodyId* bodies);

// ---- writing -------------------------------------------------------------------------------

/// Takes a piece of the text.
/// @return false when it cannot, which ends the writing with SD_ERROR_IO
typedef bool sdTextFcn(void* user, const char* text, size_t length);

/// Write a world as a scene file: settings, bodies, shapes and joints, every number with as many
/// digits as it takes to be read back to the same bits. Loading it gives a world that does just the
/// same if this one has made no steps; of one that has, contacts are not written, nor what
/// callbacks do (a snapshot keeps them). Hulls are written by their vertices: one that was built
/// from more points may come back with its faces in another order, which is logged. Joints of which
/// neither body is dynamic any more are left out, which is logged, too. Bodies keep their order,
/// but gaps of ones that were destroyed close up.
/// @param info NULL for the default
sdResult sdSceneFile_Write(const sdContext* context, const sdWorld* world, const sdSceneInfo* info,
                           sdTextFcn* write, void* user);
/// The same to a file, which appears under its name only when it is complete.
sdResult sdSceneFile_Save(const sdContext* context, const sdWorld* world, const sdSceneInfo* info,
                          const char* path);

// ---- settings by name ----------------------------------------------------------------------

#define SD_SETTING_KEY_SIZE 64

typedef enum sdSettingKind {
    SD_SETTING_NUMBER,
    SD_SETTING_WHOLE,
    SD_SETTING_SWITCH, ///< "yes" or "no"
    SD_SETTING_WORD,   ///< one of those that `wanted` has between bars
    SD_SETTING_VECTOR  ///< "x,y,z"
} sdSettingKind;

/// One of the settings of a world, by the names that scene files have for them.
typedef struct sdSetting {
    char key[SD_SETTING_KEY_SIZE]; ///< "subStepCount", "broadphase.kind"
    sdSettingKind kind;
    const char* text; ///< what it is, a clause
    char wanted[160]; ///< "a whole number, 1 .. 64", "tree|octree|sap|brute"
    char value[100];  ///< "6": as sdSetting_Set takes it, to the same bits
} sdSetting;

/// The i-th setting, with its value in `def`.
/// @return false after the last
bool sdSetting_Get(const sdWorldDef* def, int i, sdSetting* out);

/// Change a setting.
/// @param value as somebody types it: "4", "1 mm", "0,-1.62,0", "sap", "yes"
/// @param fault receives the reason, which tells what was meant or is wanted
/// @return SD_ERROR_INVALID_ARGUMENT for a setting that there is not, SD_ERROR_BAD_FILE for a value
///         that does not fit; nothing changes then
sdResult sdSetting_Set(sdWorldDef* def, const char* key, const char* value, sdFault* fault);

/// The i-th word; NULL after the last.
typedef const char* sdWordFcn(const void* user, int i);

/// The word nearest to `word` by the number of letters that differ, or NULL when none is near.
const char* sdNearestWord(const char* word, sdWordFcn* getWord, const void* user);

// ---- schema --------------------------------------------------------------------------------

/// The JSON Schema of the format, from the same tables that files are read by.
sdResult sdSceneFile_WriteSchema(sdTextFcn* write, void* user);

SD_END_C

#endif
