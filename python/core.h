// SPDX-License-Identifier: MIT
// core.h - values of Python and of C, by the table of web/api.inc.
//
// generate.py writes tables and one wrapper for each function of the table; what is here and in
// value.c, handle.c and world.c is what the wrappers are made of. Only Python's stable interface is
// used, so that one wheel serves every later version of Python.

#ifndef SD_PYTHON_CORE_H
#define SD_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include "scenefile.h"
#include "scenes.h"
#include "sudar/sudar.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- tables --------------------------------------------------------------------------------

typedef enum ValueKind {
    VALUE_FLOAT,
    VALUE_DOUBLE,
    VALUE_INT,
    VALUE_UINT32,
    VALUE_SIZE,
    VALUE_UINT64,
    VALUE_BOOL,
    VALUE_ENUM,   ///< of enumInfos
    VALUE_STRUCT, ///< of structInfos
    VALUE_HANDLE, ///< a pointer to an object, of classInfos
    VALUE_ID,     ///< of idInfos
    VALUE_TEXT,   ///< const char*
    VALUE_BYTES,  ///< const void*
    VALUE_HIDDEN  ///< hooks, which Python does not see
} ValueKind;

typedef struct ValueType {
    ValueKind kind;
    int index; ///< of the table that the kind names
} ValueType;

typedef struct EnumInfo {
    const char* name;
    const char* const* words;
    const int* values;
    int count;
} EnumInfo;

typedef enum FieldKind { FIELD_PLAIN, FIELD_ITEMS, FIELD_ARRAY, FIELD_CASE } FieldKind;

typedef struct FieldInfo {
    const char* name;
    FieldKind kind;
    ValueType type;
    size_t offset;
    size_t extra; ///< items: how many; array: offset of its count; case: the type's value
    int per;      ///< array: numbers for each that is counted
} FieldInfo;

typedef enum StructForm {
    FORM_FIELDS, ///< an object with fields
    FORM_VECTOR, ///< numbers in a row, which Python has as an array
    FORM_MATRIX, ///< three columns
    FORM_STATIC  ///< an object of the library's own, never copied
} StructForm;

typedef struct StructInfo {
    const char* name;
    StructForm form;
    size_t size;
    const FieldInfo* fields;
    int fieldCount;
    char number;                     ///< 'f' or 'd' for vectors and matrices
    void (*initialise)(void* value); ///< NULL: zero, rotations that do not turn
    PyMethodDef* methods;
} StructInfo;

typedef struct ClassInfo {
    const char* name;
    void (*release)(void* object);
    void (*retain)(void* object); ///< NULL for what changes and has one owner
    PyMethodDef* methods;
} ClassInfo;

typedef struct IdInfo {
    const char* name;
    PyMethodDef* methods;
} IdInfo;

/// Owners of functions that are nothing else: Model.create.
typedef struct SpaceInfo {
    const char* name;
    PyMethodDef* methods;
} SpaceInfo;

extern const EnumInfo enumInfos[];
extern const StructInfo structInfos[];
extern const ClassInfo classInfos[];
extern const IdInfo idInfos[];
extern const SpaceInfo spaceInfos[];
extern PyMethodDef moduleMethods[];
extern const int enumCount, structCount, classCount, idCount, spaceCount;
extern const int worldClass; ///< of classInfos

// ---- objects -------------------------------------------------------------------------------

/// What the library said of the call that runs, from whichever thread.
typedef struct Log {
    pthread_mutex_t mutex;
    char error[512];
    char warning[512];
} Log;

/// A World, Mesh, Hull ...
typedef struct HandleObject {
    PyObject_HEAD const ClassInfo* info;
    void* pointer; ///< NULL once freed
    bool isBusy;   ///< a call without Python's lock is under way
    // worlds only
    sdScheduler* scheduler;
    Log* log;
} HandleObject;

/// A Body, ShapeId or Joint: a number of a world.
typedef struct IdObject {
    PyObject_HEAD const IdInfo* info;
    HandleObject* world;
    uint32_t id;
} IdObject;

typedef struct StructObject {
    PyObject_HEAD const StructInfo* info;
    char* data;      ///< its own storage, a part of its owner or a static
    PyObject* owner; ///< that keeps `data` alive; NULL: its own storage
    PyObject* world; ///< whose ids stand in it; may be NULL
    PyObject* kept;  ///< a list of all that its pointers mean
    max_align_t storage[];
} StructObject;

bool sdPy_InitArrays(PyObject* module);
bool sdPy_InitStructs(PyObject* module);
bool sdPy_InitObjects(PyObject* module);

// ---- handle.c ------------------------------------------------------------------------------

/// @param isBorrowed whether the library keeps its own reference
/// @return new; None for NULL
PyObject* sdPy_WrapHandle(int index, const void* pointer, bool isBorrowed);
HandleObject* sdPy_AsHandle(int index, PyObject* value, const char* place);
/// NULL and an error for other objects, freed ones, and worlds that another thread steps.
void* sdPy_ToHandle(int index, PyObject* value, const char* place);
PyObject* sdPy_WrapId(int index, uint32_t id, PyObject* world);
bool sdPy_ToId(int index, PyObject* value, uint32_t* out, const char* place);
/// The world of an id, if both are usable.
sdWorld* sdPy_WorldOf(PyObject* self, const char* place);

/// Around a call that gives Python's lock away; `value` may be an id, then its world is meant.
void sdPy_SetBusy(PyObject* value, bool isBusy);

const sdContext* sdPy_GetContext(void);
sdContext sdPy_MakeContext(Log* log);
/// Before each call: what was said earlier is forgotten.
void sdPy_ClearLog(PyObject* self);
/// After each call. @return false with the library's words as an error
bool sdPy_Check(PyObject* self, sdResult result, const char* name);

// ---- world.c -------------------------------------------------------------------------------

PyObject* sdPy_NewWorld(PyTypeObject* type, PyObject* args, PyObject* names);
extern PyMethodDef worldMethods[]; ///< beyond those of the table

// ---- value.c -------------------------------------------------------------------------------

/// An error, "place must be wanted, not value", unless there is one already. @return false
bool sdPy_Refuse(const char* place, const char* wanted, PyObject* value);

PyObject* sdPy_Read(ValueType type, const void* data, PyObject* owner, PyObject* world);
bool sdPy_Write(ValueType type, void* data, PyObject* value, const char* place, PyObject* kept);

bool sdPy_WriteField(const FieldInfo* field, char* data, PyObject* value, const char* place,
                     PyObject* kept);
bool sdPy_WriteStruct(int index, void* data, PyObject* value, const char* place, PyObject* kept);
/// Fields by their names, or in their order.
bool sdPy_SetFields(const StructInfo* info, char* data, PyObject* dict, const char* place,
                    PyObject* kept);
bool sdPy_SetValues(const StructInfo* info, char* data, PyObject* values, const char* place,
                    PyObject* kept);
/// Alive as long as `kept`, which may be NULL.
bool sdPy_Keep(PyObject* kept, PyObject* value);

// ---- struct.c ------------------------------------------------------------------------------

bool sdPy_IsStruct(int index, PyObject* value);
/// Index of a type of structs; 0 for others.
int sdPy_StructOf(PyTypeObject* type);
/// Zero, with rotations that do not turn.
void sdPy_ClearStruct(const StructInfo* info, char* data);
/// Another object over the same memory.
PyObject* sdPy_PartOf(int index, const void* data, PyObject* owner, PyObject* world);
/// Whether `owner` is an object that never changes: a Mesh, not a World.
bool sdPy_IsShared(PyObject* owner);
/// New, with its defaults or with a copy of `data`.
StructObject* sdPy_NewStruct(int index, const void* data, PyObject* world);
/// A copy that may go on when the world changes: what its pointers mean is copied, too.
PyObject* sdPy_ReturnStruct(int index, const void* data, PyObject* owner, PyObject* world);
/// A copy of `base` (NULL or None: the defaults; a dict of fields) with those values and fields.
PyObject* sdPy_BuildStruct(int index, PyObject* base, PyObject* values, PyObject* fields,
                           const char* place);
int sdPy_FindStruct(const char* name);
/// "" for what is none.
const char* sdPy_StructName(PyObject* value);
/// `value` replaced by an object of that struct, whatever of it was given.
void* sdPy_ToStruct(int index, PyObject** value, const char* place);

// ---- array.c -------------------------------------------------------------------------------

extern PyObject* sdPy_Numpy; ///< the module

Py_ssize_t sdPy_FormatSize(char format);
bool sdPy_HasPointers(int index);
/// The dtype of a struct without pointers; borrowed.
PyObject* sdPy_RecordOf(int index);

/// `value` replaced by what holds the items. @param count those that are counted
void* sdPy_ToArray(ValueType type, int per, PyObject** value, Py_ssize_t* count, const char* place);
/// Memory of that many items, to be handed to sdPy_ReturnArray. NULL and an error without memory
PyObject* sdPy_NewItems(ValueType type, Py_ssize_t count);
void* sdPy_ItemsData(PyObject* items);
/// An array of numbers or records, or a list, of the first `count` items; takes `items`.
PyObject* sdPy_ReturnItems(ValueType type, PyObject* items, Py_ssize_t count, PyObject* world);
/// The same of memory that is somebody's: without a copy while `owner` cannot change.
PyObject* sdPy_ReturnArray(ValueType type, int per, const void* data, Py_ssize_t count,
                           PyObject* owner);

/// Numbers in memory of `owner` as an array, without a copy. @param columns 0: one dimension
PyObject* sdPy_ViewNumbers(char format, const void* data, Py_ssize_t rows, int columns,
                           bool isColumnMajor, bool isWritable, PyObject* owner);

// ---- arguments -----------------------------------------------------------------------------

typedef struct ParameterInfo {
    const char* name;
    int structIndex; ///< that may be given by its fields, too; -1: none
    bool isOptional;
} ParameterInfo;

typedef struct BindInfo {
    const char* place; ///< "World.step"
    const ParameterInfo* parameters;
    int count;
} BindInfo;

/// Arguments by their parameters, each a new reference; those that were left out are NULL.
bool sdPy_Bind(const BindInfo* info, PyObject* const* args, Py_ssize_t count, PyObject* names,
               PyObject** out);
void sdPy_Release(PyObject** values, int count);

#endif
