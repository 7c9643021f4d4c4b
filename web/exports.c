// SPDX-License-Identifier: MIT
// exports.c - the library as JavaScript sees it: the table of api.inc, row by row, and the log.
//
// In:   api.inc.
// Out:  sudar.wasm exports every function of the table under its own name; sdWeb_Describe tells
//       JavaScript the rest: offsets of fields, values of constants, parameters of functions.
// Note: the compiler compares each line with the headers: functions are declared once more, which
//       it refuses when types differ, and the types of fields are asserted.

#include "exports.h"

#include "flat.h"
#include "glb.h"
#include "scenefile.h"
#include "scenes.h"
#include "sudar/sudar.h"
#include "view.h"

#include <stddef.h>

#if defined(__wasm__)
#define IMPORT(name) __attribute__((import_module("sudar"), import_name(name)))
#else
#define IMPORT(name)
#endif

IMPORT("row")
void sdWebImport_Row(sdWebRow kind, const char* type, const char* name, const char* more, int value,
                     int size);
IMPORT("log") void sdWebImport_Log(sdLogLevel level, const char* text);

// ---- functions are those of the headers ----------------------------------------------------

#define CLASS(type, release, retain)
#define ID(type, name)
#define ENUM(type)
#define VALUE(constant)
#define STRUCT(type)
#define STATIC(type)
#define FIELD(type, name)
#define ITEMS(type, name, count)
#define ARRAY(type, name, countName)
#define CASE(constant, type, name)
#define FUNCTION(type, name, parameters) type name parameters;
#include "api.inc"
#undef CLASS
#undef ID
#undef ENUM
#undef VALUE
#undef STRUCT
#undef STATIC
#undef FIELD
#undef ITEMS
#undef ARRAY
#undef CASE
#undef FUNCTION

// ---- rows ----------------------------------------------------------------------------------

#define ROW(kind, type, name, more, value, size)                                                   \
    sdWebImport_Row(SD_WEB_##kind, type, name, more, (int)(value), (int)(size));

#define CLASS(type, release, retain) ROW(CLASS, #type, #release, retain, 0, 0)
#define ID(type, name) ROW(ID, #type, name, NULL, 0, sizeof(type))
#define ENUM(type) ROW(ENUM, #type, NULL, NULL, 0, sizeof(type))
#define VALUE(constant) ROW(VALUE, NULL, #constant, NULL, constant, 0)
// a struct has a scope of its own, in which its fields find it as Self
#define STRUCT(type)                                                                               \
    }                                                                                              \
    {                                                                                              \
        typedef type Self;                                                                         \
        ROW(STRUCT, #type, NULL, NULL, _Alignof(Self), sizeof(Self))
#define STATIC(type)                                                                               \
    }                                                                                              \
    {                                                                                              \
        typedef type Self;                                                                         \
        ROW(STATIC, #type, NULL, NULL, _Alignof(Self), sizeof(Self))
// the text is made by the first macro, before `bool` becomes `_Bool`
#define MEMBER(kind, type, text, name, address, more, size)                                        \
    _Static_assert(_Generic((address), type * : 1, default : 0), #name " is not of that type");    \
    ROW(kind, text, #name, more, offsetof(Self, name), size)
#define FIELD(type, name) MEMBER(FIELD, type, #type, name, &((Self*)0)->name, NULL, sizeof(type))
#define ITEMS(type, name, count)                                                                   \
    _Static_assert(sizeof((Self*)0)->name == (count) * sizeof(type), #name " has another length"); \
    MEMBER(ITEMS, type, #type, name, ((Self*)0)->name, NULL, count)
#define ARRAY(type, name, countName)                                                               \
    MEMBER(ARRAY, type, #type, name, &((Self*)0)->name, #countName, offsetof(Self, countName))
#define CASE(constant, type, name)                                                                 \
    MEMBER(CASE, type, #type, name, &((Self*)0)->name, #constant, constant)
#define FUNCTION(type, name, parameters) ROW(FUNCTION, #type, #name, #parameters, 0, 0)

void sdWeb_Describe(void) {
    {
#include "api.inc"
    }
}

// ---- log -----------------------------------------------------------------------------------

static void logToPage(void* user, sdLogLevel level, const char* text) {
    (void)user;
    sdWebImport_Log(level, text);
}

static sdScheduler* scheduler;

sdResult sdWeb_StartThreads(int count) {
    return sdScheduler_Create(sdWeb_GetContext(), count, &scheduler);
}

const sdContext* sdWeb_GetContext(void) {
    static sdContext context;
    context = sdContext_Default();
    context.tasks = sdScheduler_GetTasks(scheduler);
    context.logger = (sdLogger){logToPage, NULL};
    return &context;
}
