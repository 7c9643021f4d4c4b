// SPDX-License-Identifier: MIT
// import_text.h - what targets do with files of other programs.

#ifndef SD_FUZZ_IMPORT_TEXT_H
#define SD_FUZZ_IMPORT_TEXT_H

#include "fuzz.h"

#include "import.h"

/// Import the bytes as a file; what comes out is a scene file, which is read, built and stepped.
uint64_t FuzzImport_Run(bool (*read)(CliImport* import), const uint8_t* bytes, size_t size);

#endif
