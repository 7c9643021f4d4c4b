// SPDX-License-Identifier: MIT
// subject.h - what `sudar run` simulates and `sudar render` draws: a scene of the table, or a file.

#ifndef SD_CLI_SUBJECT_H
#define SD_CLI_SUBJECT_H

#include "cli.h"

#include "scenefile.h"
#include "scenes.h"

typedef struct CliSubject {
    const sdScene* scene; ///< NULL: a file
    sdSceneFile* file;    ///< NULL: a scene of the table
    sdSceneOptions options;
    sdWorldDef def; ///< the settings, before --set
    const char* name;
    const char* title;
    double dt;     ///< s
    int stepCount; ///< after which the end is judged
    sdVec3 eye, target;
    bool isOwnSize; ///< so that eye and target fit
} CliSubject;

/// What a user may say of a scene; 0 each for the default.
typedef struct CliSizes {
    int size;
    uint64_t seed;
    double scale;
    bool isStrict; ///< what an import leaves out or approximates is an error
} CliSizes;

/// Find it by name: what has a dot or a slash in it is a file. Says what is wrong.
CliExit CliSubject_Find(const char* command, const char* name, const CliSizes* sizes,
                        CliSubject* out);

/// A cleared struct is allowed.
void CliSubject_Close(CliSubject* subject);

/// Fill a new world.
CliExit CliSubject_Build(const CliSubject* subject, const char* command, sdWorld* world);

/// Whether what must be true at the end is true.
/// @param reason SD_SCENE_REASON_SIZE bytes
bool CliSubject_Check(const CliSubject* subject, const sdWorld* world, char* reason);

/// Whether there is anything that must be true.
bool CliSubject_HasEnd(const CliSubject* subject);

/// What must be true, a clause.
const char* CliSubject_GetEnd(const CliSubject* subject);

#endif
