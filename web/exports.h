// SPDX-License-Identifier: MIT
// exports.h - what sudar.js needs beside the library's own functions.

#ifndef SD_WEB_EXPORTS_H
#define SD_WEB_EXPORTS_H

#include "sudar/base.h"

/// Kinds of rows, in the order of sudar.js.
typedef enum sdWebRow {
    SD_WEB_CLASS,
    SD_WEB_ID,
    SD_WEB_ENUM,
    SD_WEB_VALUE,
    SD_WEB_STRUCT,
    SD_WEB_STATIC,
    SD_WEB_FIELD,
    SD_WEB_ITEMS,
    SD_WEB_ARRAY,
    SD_WEB_CASE,
    SD_WEB_FUNCTION
} sdWebRow;

/// Hand every row of api.inc to JavaScript.
void sdWeb_Describe(void);

/// From now on loops run on so many threads, of which all but one are Workers that call
/// sdThread_Serve with 0, 1, ... Only once.
sdResult sdWeb_StartThreads(int count);

/// A context whose log goes to JavaScript. Borrowed, for as long as the program runs.
const sdContext* sdWeb_GetContext(void);

#endif
