// SPDX-License-Identifier: MIT
// view_message.h - messages between `sudar view` and its page, on their way out and in.
//
// web/page/protocol.ts says which there are and how they travel: what the page says is JSON; what
// it is told is a head of JSON and, after it, the arrays that the head points to.

#ifndef SD_CLI_VIEW_MESSAGE_H
#define SD_CLI_VIEW_MESSAGE_H

#include "cli.h"

#include "json.h"

/// Bytes that a message has room for in front of it, for those who send it.
#define CLI_MESSAGE_ROOM 32
/// Bytes of a message that the page is sent at most, and of one that it may send.
#define CLI_MESSAGE_MAX_SENT ((size_t)256 << 20)
#define CLI_MESSAGE_MAX_HEARD ((size_t)8 << 20)

// ---- out -----------------------------------------------------------------------------------

typedef struct CliMessage {
    struct CliMessage* next;
    size_t size;
    unsigned char* bytes; ///< CLI_MESSAGE_ROOM bytes before it are free to use
} CliMessage;

void CliMessage_Free(CliMessage* message);

/// A message that is being put together.
typedef struct CliWriter {
    FILE* head; ///< JSON is printed here
    char* headText;
    size_t headSize;
    unsigned char* data;
    size_t dataSize, dataCapacity;
    bool hasFailed;
} CliWriter;

/// All numbers of a list as far as they fit.
/// @return how many there are
typedef int CliFillFcn(const void* user, void* out, int capacity);

/// Begins `{"kind":"..."`.
void CliWriter_Open(CliWriter* writer, const char* kind);
/// `,"key":` and a value.
void CliWriter_Text(CliWriter* writer, const char* key, const char* text);
void CliWriter_Number(CliWriter* writer, const char* key, double value);
void CliWriter_Bool(CliWriter* writer, const char* key, bool value);
void CliWriter_Null(CliWriter* writer, const char* key);
void CliWriter_Vector(CliWriter* writer, const char* key, const double v[3]);
/// @param type "f32" or "i32": four bytes a number
void CliWriter_Array(CliWriter* writer, const char* key, const char* type, CliFillFcn* fill,
                     const void* user);
/// The same without a key: one of a list that is printed to the head.
void CliWriter_Item(CliWriter* writer, const char* type, CliFillFcn* fill, const void* user);
/// A file.
void CliWriter_Bytes(CliWriter* writer, const char* key, const void* bytes, size_t size);
/// Closes all that is open.
/// @return NULL when there is no memory or the message is larger than allowed
CliMessage* CliWriter_Finish(CliWriter* writer);

// ---- in ------------------------------------------------------------------------------------

/// A message that was heard, and the first thing that is wrong with it.
typedef struct CliHeard {
    sdJson json;
    const char* kind;
    char fault[200]; ///< empty: nothing so far
} CliHeard;

/// @return false for what is no message at all; `fault` says why
bool CliHeard_Open(CliHeard* heard, const char* text, size_t size);
/// Also after a failure.
void CliHeard_Close(CliHeard* heard);

/// Values of an object by their keys. What is not there or of another kind becomes the fault, and
/// a value that harms nothing is returned.
int CliHeard_Object(CliHeard* heard, int node, const char* key);
double CliHeard_Number(CliHeard* heard, int node, const char* key, double min, double max);
int CliHeard_Whole(CliHeard* heard, int node, const char* key, int min, int max);
bool CliHeard_Bool(CliHeard* heard, int node, const char* key);
const char* CliHeard_Text(CliHeard* heard, int node, const char* key);
void CliHeard_Vector(CliHeard* heard, int node, const char* key, double out[3]);
/// A list of numbers, to be freed; NULL for an empty or bad one.
double* CliHeard_Numbers(CliHeard* heard, int node, const char* key, int* count);

#endif
