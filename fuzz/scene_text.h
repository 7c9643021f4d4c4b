// SPDX-License-Identifier: MIT
// scene_text.h - what targets do with the text of a scene file.

#ifndef SD_FUZZ_SCENE_TEXT_H
#define SD_FUZZ_SCENE_TEXT_H

#include "fuzz.h"

/// Read it, build and step a world, write that, read it again: the same world, or a fault with a
/// place and words.
uint64_t FuzzSceneText_Run(uint64_t hash, const char* text, size_t length);

/// Write a world, whatever has happened to it, and build another of the text.
void FuzzSceneText_Copy(const sdContext* context, const sdWorld* world);

#endif
