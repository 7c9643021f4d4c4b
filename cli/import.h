// SPDX-License-Identifier: MIT
// import.h - files of other programs turned into the text of a scene file.
//
// An importer writes JSON that scenefile/ then reads, so all checks are made in one place, and what
// was made of a file can be read, changed and kept. Whatever an importer leaves out or takes for
// something else it notes.

#ifndef SD_CLI_IMPORT_H
#define SD_CLI_IMPORT_H

#include "cli.h"

#include "sudar/sudar.h"

/// A text that grows.
typedef struct CliBuffer {
    char* data;
    size_t length, capacity;
} CliBuffer;

void CliBuffer_Print(CliBuffer* buffer, const char* format, ...) CLI_PRINTF(2, 3);
/// In quotes.
void CliBuffer_Text(CliBuffer* buffer, const char* text);
void CliBuffer_Free(CliBuffer* buffer);

#define CLI_MAX_NOTES 200

typedef struct CliImport {
    const char* path;
    CliBuffer out; ///< the scene file
    char* notes[CLI_MAX_NOTES];
    int noteLines[CLI_MAX_NOTES];
    int noteCount, moreNotes; ///< beyond the room
    bool hasFailed;           ///< and `fault` says why
    int faultLine;
    char fault[400];
} CliImport;

/// Something that was ignored or approximated. The same note at another line is counted once.
void CliImport_Note(CliImport* import, int line, const char* format, ...) CLI_PRINTF(3, 4);
/// @return false
bool CliImport_Fail(CliImport* import, int line, const char* format, ...) CLI_PRINTF(3, 4);
void CliImport_Free(CliImport* import);

/// Whether a file is one of an importer's, by its ending.
bool CliImport_IsKnown(const char* path);
/// Read a file by the importer that its ending asks for.
bool CliImport_Read(CliImport* import);

bool CliImport_Urdf(CliImport* import);
bool CliImport_Mjcf(CliImport* import);
bool CliImport_Gltf(CliImport* import);

/// Numbers in a text, separated by blanks.
/// @return how many there are, at most `capacity`; -1 when something else is there
int CliImport_Numbers(const char* text, double* out, int capacity);
/// Print a pose as keys "position" and "rotation", each with a comma in front.
void CliImport_Pose(CliBuffer* out, sdTransform xf);
/// The rotation that turns x into a direction; the identity for none.
sdQuat CliImport_TurnX(sdVec3 axis);
/// Roll, pitch and yaw about fixed axes x, y, z.
sdQuat CliImport_Rpy(double roll, double pitch, double yaw);
/// From y, along which capsules and cylinders lie here, to z, along which they lie there.
sdQuat CliImport_YToZ(void);
/// A path of a file that stands beside the one that is imported, so that it is found from anywhere.
void CliImport_Join(const CliImport* import, const char* name, char* out, size_t size);

#endif
