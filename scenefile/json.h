// SPDX-License-Identifier: MIT
// json.h - a strict reader of JSON (RFC 8259) with comments, that knows where everything stands.
//
// Besides the standard there are comments, // to the end of the line and those between slash and
// star, and no key may stand twice in an object. Texts must be UTF-8. The document is one array of
// nodes; children of a list or object follow each other by `next`. Nothing is recursive.

#ifndef SD_SCENEFILE_JSON_H
#define SD_SCENEFILE_JSON_H

#include "scenefile.h"

/// Lists and objects in each other.
#define SD_JSON_MAX_DEPTH 64
/// Bytes of a file.
#define SD_JSON_MAX_SIZE (1 << 30)

typedef enum sdJsonType {
    SD_JSON_NULL,
    SD_JSON_BOOL,
    SD_JSON_NUMBER,
    SD_JSON_TEXT,
    SD_JSON_LIST,
    SD_JSON_OBJECT
} sdJsonType;

/// "null", "a text", "a list" ...
const char* sdJsonType_Name(sdJsonType type);

typedef struct sdJsonNode {
    double number;
    uint32_t text; ///< of texts, and of numbers as they stand there: offset
    uint32_t key;  ///< in an object: offset
    int line, column;
    int keyLine, keyColumn;
    int childCount;
    int firstChild; ///< SD_NULL_INDEX for none
    int next;       ///< in the same list or object; SD_NULL_INDEX for none
    uint8_t type;
    bool boolean;
} sdJsonNode;

typedef struct sdJson {
    sdContext context;
    sdJsonNode* nodes; ///< the first is the whole document
    int nodeCount, nodeCapacity;
    char* texts;
    size_t textSize;
} sdJson;

/// @param out to be freed, also on failure
/// @return SD_ERROR_BAD_FILE with the reason in `fault`, SD_ERROR_OUT_OF_MEMORY, SD_ERROR_LIMIT
sdResult sdJson_Read(const sdContext* context, const char* text, size_t length, sdJson* out,
                     sdFault* fault);
void sdJson_Free(sdJson* json);

const char* sdJson_Text(const sdJson* json, int node);
const char* sdJson_Key(const sdJson* json, int node);
/// A child of an object by its key, or SD_NULL_INDEX.
int sdJson_Find(const sdJson* json, int node, const char* key);

#endif
