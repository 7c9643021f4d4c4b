// SPDX-License-Identifier: MIT
// view_frame.h - what the page of `sudar view` is told of a world: scenes, settings, looks, frames.

#ifndef SD_CLI_VIEW_FRAME_H
#define SD_CLI_VIEW_FRAME_H

#include "explain.h"
#include "subject.h"
#include "view_message.h"
#include "view_simulation.h"

/// Arrays that the page wants besides poses, as protocol.ts has them.
typedef struct CliWants {
    bool contacts, joints, boxes, cells, islands, levels, samples, slice;
    int lines;      ///< bits of sdView_GetLines
    float lineSize; ///< m
    int version, selected;
    bool explains;              ///< an algorithm between two bodies:
    sdExplainMethod method;     ///< which
    int explainedA, explainedB; ///< numbers of bodies; SD_NULL_INDEX: to be chosen
} CliWants;

/// In the words of the page; by sdExplainMethod, NULL at the end.
extern const char* const CliExplainMethods[];

/// Of a scene, as the page's list has it.
typedef struct CliSceneInfo {
    const char *name, *title, *text, *sizeName;
    int size, minSize, maxSize;
    float dt;
    sdVec3 eye, target;
} CliSceneInfo;

CliSceneInfo CliSceneInfo_OfScene(const sdScene* scene);
/// @param name what the page calls it
CliSceneInfo CliSceneInfo_OfFile(const char* name, const sdSceneFile* file);

/// Geometries that the page has: their keys, in order.
typedef struct CliKnown {
    uint32_t* keys;
    int count;
} CliKnown;

CliMessage* CliFrame_MakeError(const char* text);
/// All scenes; a file comes first.
CliMessage* CliFrame_MakeScenes(const CliSubject* subject, int threads);
/// @param number of the message that asked for it
CliMessage* CliFrame_MakeOpened(const CliSceneInfo* info, const CliSimulation* simulation,
                                int number);
CliMessage* CliFrame_MakeSettings(const CliSimulation* simulation);
/// Which bodies look how, with the geometries that are not known; they are from now on.
CliMessage* CliFrame_MakeLooks(const CliSimulation* simulation, CliKnown* known);
/// Bytes of a glTF file.
CliMessage* CliFrame_MakeMotion(const void* bytes, size_t size);
CliMessage* CliFrame_Make(const CliSimulation* simulation, const CliWants* wants, bool isRunning);

#endif
