// SPDX-License-Identifier: MIT
// text_out.h - JSON written piece by piece.

#ifndef SD_SCENEFILE_TEXT_OUT_H
#define SD_SCENEFILE_TEXT_OUT_H

#include "keys.h"
#include "scenefile.h"

typedef struct sdTextOut {
    sdTextFcn* write;
    void* user;
    char buffer[4096];
    size_t used;
    bool hasFailed;
} sdTextOut;

void sdTextOut_Put(sdTextOut* out, const char* text);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void sdTextOut_Print(sdTextOut* out, const char* format, ...);
/// Between quotes.
void sdTextOut_Text(sdTextOut* out, const char* text);
void sdTextOut_Floats(sdTextOut* out, const float* values, int count);
/// Hand over what is left.
/// @return SD_ERROR_IO when any of it could not be written
sdResult sdTextOut_Finish(sdTextOut* out);

/// The keys of a struct that must be there or differ from what is usual, separated by commas.
/// Those of SD_KEY_NODE are the caller's.
/// @param isFirst whether nothing stands before them; changed
void sdTextOut_Keys(sdTextOut* out, const sdTable* table, const void* value, const void* usual,
                    bool* isFirst);
/// Whether all keys of a struct but those of SD_KEY_NODE are as usual, bit by bit.
bool sdTable_IsUsual(const sdTable* table, const void* value, const void* usual);
/// A key with its comma.
void sdTextOut_Key(sdTextOut* out, const char* key, bool* isFirst);

#endif
