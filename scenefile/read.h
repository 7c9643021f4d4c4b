// SPDX-License-Identifier: MIT
// read.h - values of a document put where a table of keys says.

#ifndef SD_SCENEFILE_READ_H
#define SD_SCENEFILE_READ_H

#include "json.h"
#include "keys.h"

typedef struct sdSceneReader {
    const sdJson* json;
    sdFault* fault;
    sdResult result; ///< the first that is not SD_OK stays
} sdSceneReader;

/// Remember the first fault, at a value.
/// @param node SD_NULL_INDEX: of the whole file
/// @return false
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool sdSceneReader_Fail(sdSceneReader* reader, int node, const char* format, ...);
bool sdSceneReader_FailMemory(sdSceneReader* reader);

/// Read an object into a struct that holds the default.
/// @param given receives a bit for each key that is there; may be NULL
bool sdSceneReader_Object(sdSceneReader* reader, int node, const sdTable* table, void* out,
                          uint64_t* given);
/// Which of a table's variants an object is.
bool sdSceneReader_Variant(sdSceneReader* reader, int node, const sdTable* table,
                           const sdTable** out);
/// A number, given as such or as a text with a unit.
/// @param what the key, for messages
bool sdSceneReader_Number(sdSceneReader* reader, int node, const sdKey* key, double* out);
/// That a value is a list, an object, ...
bool sdSceneReader_Expect(sdSceneReader* reader, int node, sdJsonType type, const char* what);

#endif
