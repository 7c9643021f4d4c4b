// SPDX-License-Identifier: MIT
// array.c - rows of numbers and of records as NumPy arrays over the memory where they are.
//
// An array keeps the owner of its memory alive. What the library may change is copied, what it
// never changes (meshes, hulls) is not.

#include "core.h"

#include <string.h>

static PyObject* viewType;
static PyObject** records; // NumPy's dtypes of structs without pointers; NULL until asked for

PyObject* sdPy_Numpy;

// ---- memory that NumPy sees ----------------------------------------------------------------

typedef struct ViewObject {
    PyObject_HEAD PyObject* owner;
    char* data;
    char format[2];
    int dimensionCount;
    Py_ssize_t shape[2], strides[2], itemSize;
    bool isWritable;
} ViewObject;

static int getViewBuffer(PyObject* self, Py_buffer* buffer, int flags) {
    ViewObject* view = (ViewObject*)self;
    if ((flags & PyBUF_WRITABLE) != 0 && !view->isWritable) {
        PyErr_SetString(PyExc_BufferError, "sudar: this memory can only be read");
        return -1;
    }
    Py_ssize_t count = view->shape[0] * (view->dimensionCount > 1 ? view->shape[1] : 1);
    memset(buffer, 0, sizeof *buffer);
    buffer->buf = view->data;
    buffer->obj = Py_NewRef(self);
    buffer->len = count * view->itemSize;
    buffer->itemsize = view->itemSize;
    buffer->readonly = !view->isWritable;
    buffer->format = view->format;
    buffer->ndim = view->dimensionCount;
    buffer->shape = view->shape;
    buffer->strides = view->strides;
    return 0;
}

static void freeView(PyObject* self) {
    PyTypeObject* type = Py_TYPE(self);
    Py_XDECREF(((ViewObject*)self)->owner);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

Py_ssize_t sdPy_FormatSize(char format) {
    return format == 'd' || format == 'Q' ? 8 : format == 'B' ? 1 : 4;
}

static ViewObject* newView(char format, const void* data, Py_ssize_t count, PyObject* owner) {
    ViewObject* view = (ViewObject*)PyType_GenericAlloc((PyTypeObject*)viewType, 0);
    if (view == NULL) {
        return NULL;
    }
    static char nothing[16];
    view->owner = Py_XNewRef(owner);
    view->data = data != NULL ? (char*)(uintptr_t)data : nothing;
    view->format[0] = format;
    view->dimensionCount = 1;
    view->itemSize = sdPy_FormatSize(format);
    view->shape[0] = count;
    view->strides[0] = view->itemSize;
    return view;
}

PyObject* sdPy_ViewNumbers(char format, const void* data, Py_ssize_t rows, int columns,
                           bool isColumnMajor, bool isWritable, PyObject* owner) {
    ViewObject* view = newView(format, data, rows, owner);
    if (view == NULL) {
        return NULL;
    }
    view->isWritable = isWritable;
    if (columns > 0) {
        view->dimensionCount = 2;
        view->shape[1] = columns;
        view->strides[0] = isColumnMajor ? view->itemSize : columns * view->itemSize;
        view->strides[1] = isColumnMajor ? rows * view->itemSize : view->itemSize;
    }
    PyObject* array = PyObject_CallMethod(sdPy_Numpy, "asarray", "O", view);
    Py_DECREF(view);
    return array;
}

// ---- records -------------------------------------------------------------------------------

bool sdPy_HasPointers(int index) {
    const StructInfo* info = &structInfos[index];
    for (int i = 0; i < info->fieldCount; ++i) {
        const FieldInfo* field = &info->fields[i];
        ValueKind kind = field->type.kind;
        if (field->kind == FIELD_ARRAY || field->kind == FIELD_CASE || kind == VALUE_HANDLE ||
            kind == VALUE_TEXT || kind == VALUE_BYTES || kind == VALUE_HIDDEN ||
            (kind == VALUE_STRUCT && sdPy_HasPointers(field->type.index))) {
            return true;
        }
    }
    return false;
}

static const char* formatOf(ValueKind kind) {
    switch (kind) {
        case VALUE_FLOAT:
            return "f4";
        case VALUE_DOUBLE:
            return "f8";
        case VALUE_INT:
        case VALUE_ENUM:
            return "i4";
        case VALUE_UINT32:
        case VALUE_ID:
            return "u4";
        case VALUE_SIZE:
        case VALUE_UINT64:
            return "u8";
        case VALUE_BOOL:
            return "?";
        default:
            return NULL;
    }
}

PyObject* sdPy_RecordOf(int index);

/// What NumPy calls a value of this type: a format, a format with a shape, or a record.
static PyObject* recordFormat(ValueType type, FieldKind kind, size_t count) {
    PyObject* one;
    if (type.kind != VALUE_STRUCT) {
        one = PyUnicode_FromString(formatOf(type.kind));
    } else {
        const StructInfo* info = &structInfos[type.index];
        const char* number = info->number == 'd' ? "f8" : "f4";
        if (info->form == FORM_VECTOR) {
            one = Py_BuildValue("(s(n))", number,
                                (Py_ssize_t)(info->size / (size_t)sdPy_FormatSize(info->number)));
        } else if (info->form == FORM_MATRIX) {
            one = Py_BuildValue("(s(nn))", number, (Py_ssize_t)3, (Py_ssize_t)3);
        } else {
            one = Py_XNewRef(sdPy_RecordOf(type.index));
        }
    }
    if (one == NULL || kind != FIELD_ITEMS) {
        return one;
    }
    PyObject* many = Py_BuildValue("(O(n))", one, (Py_ssize_t)count);
    Py_DECREF(one);
    return many;
}

/// Borrowed.
PyObject* sdPy_RecordOf(int index) {
    if (records[index] != NULL) {
        return records[index];
    }
    const StructInfo* info = &structInfos[index];
    PyObject* names = PyList_New(0);
    PyObject* formats = PyList_New(0);
    PyObject* offsets = PyList_New(0);
    bool isOk = names != NULL && formats != NULL && offsets != NULL;
    for (int i = 0; isOk && i < info->fieldCount; ++i) {
        const FieldInfo* field = &info->fields[i];
        PyObject* name = PyUnicode_FromString(field->name);
        PyObject* format = recordFormat(field->type, field->kind, field->extra);
        PyObject* offset = PyLong_FromSize_t(field->offset);
        isOk = name != NULL && format != NULL && offset != NULL &&
               PyList_Append(names, name) == 0 && PyList_Append(formats, format) == 0 &&
               PyList_Append(offsets, offset) == 0;
        Py_XDECREF(name);
        Py_XDECREF(format);
        Py_XDECREF(offset);
    }
    if (isOk) {
        PyObject* all = Py_BuildValue("{sOsOsOsn}", "names", names, "formats", formats, "offsets",
                                      offsets, "itemsize", (Py_ssize_t)info->size);
        records[index] = all == NULL ? NULL : PyObject_CallMethod(sdPy_Numpy, "dtype", "O", all);
        Py_XDECREF(all);
    }
    Py_XDECREF(names);
    Py_XDECREF(formats);
    Py_XDECREF(offsets);
    return records[index];
}

// ---- arrays --------------------------------------------------------------------------------

static size_t sizeOfItem(ValueType type) {
    switch (type.kind) {
        case VALUE_STRUCT:
            return structInfos[type.index].size;
        case VALUE_BYTES:
        case VALUE_TEXT:
        case VALUE_BOOL:
            return 1;
        case VALUE_DOUBLE:
        case VALUE_SIZE:
        case VALUE_UINT64:
        case VALUE_HANDLE:
            return 8;
        default:
            return 4;
    }
}

static bool isNumbers(ValueType type) {
    return type.kind <= VALUE_UINT64 ||
           (type.kind == VALUE_STRUCT && structInfos[type.index].form == FORM_VECTOR);
}

/// Bytes or text as they are.
static void* toBytes(PyObject** value, Py_ssize_t* count, const char* place) {
    if (PyUnicode_Check(*value)) {
        return (void*)(uintptr_t)PyUnicode_AsUTF8AndSize(*value, count);
    }
    Py_buffer buffer;
    if (PyObject_GetBuffer(*value, &buffer, PyBUF_SIMPLE) != 0) {
        PyErr_Clear();
        sdPy_Refuse(place, "bytes", *value);
        return NULL;
    }
    *count = buffer.len;
    void* data = buffer.buf;
    PyBuffer_Release(&buffer);
    return data;
}

/// Whether whole numbers are whole and fit: NumPy would cut them off.
static bool isExact(PyObject* given, PyObject* array, const char* place) {
    PyObject* isSame = PyObject_CallMethod(sdPy_Numpy, "array_equal", "OO", given, array);
    bool isOk = isSame != NULL && PyObject_IsTrue(isSame) == 1;
    Py_XDECREF(isSame);
    return isOk || sdPy_Refuse(place, "whole numbers in the range of 32 bits", given);
}

/// An array of numbers as it is if it has the right type and order, else a copy that does.
static void* toNumbers(ValueType type, int per, PyObject** value, Py_ssize_t* count,
                       const char* place) {
    bool isVector = type.kind == VALUE_STRUCT;
    int columns = isVector ? (int)(structInfos[type.index].size /
                                   (size_t)sdPy_FormatSize(structInfos[type.index].number))
                           : per;
    const char* format =
        isVector ? (structInfos[type.index].number == 'd' ? "f8" : "f4") : formatOf(type.kind);
    char wanted[64];
    PyOS_snprintf(wanted, sizeof wanted,
                  columns > 1 ? "an array of rows of %d numbers" : "an array of numbers", columns);
    PyObject* given = PyObject_CallMethod(sdPy_Numpy, "asarray", "O", *value);
    PyObject* array =
        given == NULL ? NULL
                      : PyObject_CallMethod(sdPy_Numpy, "ascontiguousarray", "Os", given, format);
    Py_buffer buffer;
    if (array == NULL || PyObject_GetBuffer(array, &buffer, PyBUF_C_CONTIGUOUS) != 0) {
        Py_XDECREF(given);
        Py_XDECREF(array);
        PyErr_Clear();
        sdPy_Refuse(place, wanted, *value);
        return NULL;
    }
    Py_ssize_t total = buffer.len / buffer.itemsize;
    bool isFlat = buffer.ndim == 1 && total % columns == 0;
    bool isRows = buffer.ndim == 2 && buffer.shape[1] == columns;
    void* data = buffer.buf;
    PyBuffer_Release(&buffer);
    bool isOk = isFlat || isRows || sdPy_Refuse(place, wanted, *value);
    if (isOk && format[0] != 'f') {
        isOk = isExact(given, array, place);
    }
    Py_DECREF(given);
    if (!isOk) {
        Py_DECREF(array);
        return NULL;
    }
    Py_DECREF(*value);
    *value = array;
    *count = total / columns;
    return data;
}

/// A record array of the right kind, or items one by one.
static void* toRecords(ValueType type, PyObject** value, Py_ssize_t* count, const char* place) {
    size_t size = sizeOfItem(type);
    if (type.kind == VALUE_STRUCT && !sdPy_HasPointers(type.index) &&
        PyObject_HasAttrString(*value, "dtype")) {
        PyObject* array = PyObject_CallMethod(sdPy_Numpy, "ascontiguousarray", "OO", *value,
                                              sdPy_RecordOf(type.index));
        Py_buffer buffer;
        if (array != NULL && PyObject_GetBuffer(array, &buffer, PyBUF_C_CONTIGUOUS) == 0) {
            *count = buffer.len / (Py_ssize_t)size;
            void* data = buffer.buf;
            PyBuffer_Release(&buffer);
            Py_DECREF(*value);
            *value = array;
            return data;
        }
        Py_XDECREF(array);
        return NULL;
    }
    Py_ssize_t length = PyUnicode_Check(*value) ? -1 : PySequence_Size(*value);
    if (length < 0) {
        PyErr_Clear();
        sdPy_Refuse(place, "a list", *value);
        return NULL;
    }
    // the items, and behind them all that their pointers mean
    PyObject* kept = PyList_New(0);
    PyObject* bytes = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)((size_t)length * size + 1));
    bool isOk = kept != NULL && bytes != NULL && PyList_Append(kept, bytes) == 0;
    char* data = isOk ? PyByteArray_AsString(bytes) : NULL;
    for (Py_ssize_t i = 0; isOk && i < length; ++i) {
        char where[160];
        PyOS_snprintf(where, sizeof where, "%s[%d]", place, (int)i);
        PyObject* item = PySequence_GetItem(*value, i);
        char* at = data + (size_t)i * size;
        if (type.kind == VALUE_STRUCT) {
            sdPy_ClearStruct(&structInfos[type.index], at);
        }
        isOk = item != NULL && sdPy_Write(type, at, item, where, kept);
        Py_XDECREF(item);
    }
    Py_XDECREF(bytes);
    if (!isOk) {
        Py_XDECREF(kept);
        return NULL;
    }
    Py_DECREF(*value);
    *value = kept;
    *count = length;
    return data;
}

void* sdPy_ToArray(ValueType type, int per, PyObject** value, Py_ssize_t* count,
                   const char* place) {
    if (*value == NULL) {
        PyErr_Format(PyExc_TypeError, "%s is missing", place);
        return NULL;
    }
    if (type.kind == VALUE_BYTES || type.kind == VALUE_TEXT) {
        return toBytes(value, count, place);
    }
    return isNumbers(type) ? toNumbers(type, per, value, count, place)
                           : toRecords(type, value, count, place);
}

PyObject* sdPy_NewItems(ValueType type, Py_ssize_t count) {
    PyObject* items = PyByteArray_FromStringAndSize(NULL, count * (Py_ssize_t)sizeOfItem(type) + 1);
    if (items != NULL) {
        memset(PyByteArray_AsString(items), 0, (size_t)PyByteArray_Size(items));
    }
    return items;
}

void* sdPy_ItemsData(PyObject* items) {
    return PyByteArray_AsString(items);
}

static PyObject* listOf(ValueType type, const char* data, Py_ssize_t count, PyObject* world) {
    PyObject* list = PyList_New(count);
    for (Py_ssize_t i = 0; list != NULL && i < count; ++i) {
        const char* at = data + (size_t)i * sizeOfItem(type);
        PyObject* item = type.kind == VALUE_STRUCT ? sdPy_ReturnStruct(type.index, at, NULL, world)
                                                   : sdPy_Read(type, at, NULL, world);
        if (item == NULL || PyList_SetItem(list, i, item) != 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static PyObject* arrayOf(ValueType type, int per, const void* data, Py_ssize_t count,
                         bool isWritable, PyObject* owner) {
    if (type.kind == VALUE_STRUCT && structInfos[type.index].form != FORM_VECTOR) {
        PyObject* record = sdPy_RecordOf(type.index);
        ViewObject* view =
            record == NULL ? NULL : newView('B', data, count * (Py_ssize_t)sizeOfItem(type), owner);
        if (view == NULL) {
            return NULL;
        }
        view->isWritable = isWritable;
        PyObject* array = count == 0
                              ? PyObject_CallMethod(sdPy_Numpy, "empty", "iO", 0, record)
                              : PyObject_CallMethod(sdPy_Numpy, "frombuffer", "OO", view, record);
        Py_DECREF(view);
        return array;
    }
    if (type.kind == VALUE_STRUCT) {
        const StructInfo* info = &structInfos[type.index];
        int columns = (int)(info->size / (size_t)sdPy_FormatSize(info->number));
        return sdPy_ViewNumbers(info->number, data, count, columns, false, isWritable, owner);
    }
    char format = type.kind == VALUE_FLOAT    ? 'f'
                  : type.kind == VALUE_DOUBLE ? 'd'
                  : type.kind == VALUE_UINT32 ? 'I'
                                              : 'i';
    return sdPy_ViewNumbers(format, data, count, per > 1 ? per : 0, false, isWritable, owner);
}

PyObject* sdPy_ReturnItems(ValueType type, PyObject* items, Py_ssize_t count, PyObject* world) {
    bool isList = type.kind == VALUE_ID || type.kind == VALUE_HANDLE ||
                  (type.kind == VALUE_STRUCT && sdPy_HasPointers(type.index));
    const char* data = PyByteArray_AsString(items);
    PyObject* result =
        isList ? listOf(type, data, count, world) : arrayOf(type, 1, data, count, true, items);
    Py_DECREF(items);
    return result;
}

PyObject* sdPy_ReturnArray(ValueType type, int per, const void* data, Py_ssize_t count,
                           PyObject* owner) {
    count = data == NULL ? 0 : count;
    if (type.kind == VALUE_BYTES) {
        return PyBytes_FromStringAndSize(data, count);
    }
    bool isStruct = sdPy_StructOf(Py_TYPE(owner)) > 0;
    PyObject* world = isStruct ? ((StructObject*)owner)->world : owner;
    if (type.kind == VALUE_ID || (type.kind == VALUE_STRUCT && sdPy_HasPointers(type.index))) {
        return listOf(type, data, count, world);
    }
    if (isStruct || sdPy_IsShared(owner)) {
        return arrayOf(type, per, data, count, false, owner);
    }
    PyObject* items = sdPy_NewItems(type, count * per);
    if (items == NULL) {
        return NULL;
    }
    if (count > 0) {
        memcpy(PyByteArray_AsString(items), data, (size_t)(count * per) * sizeOfItem(type));
    }
    PyObject* array = arrayOf(type, per, PyByteArray_AsString(items), count, true, items);
    Py_DECREF(items);
    return array;
}

// ---- types ---------------------------------------------------------------------------------

static PyObject* getRecord(PyObject* self, PyObject* name) {
    (void)self;
    const char* text = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    for (int i = 0; text != NULL && i < structCount; ++i) {
        if (strcmp(structInfos[i].name, text) == 0 && structInfos[i].form == FORM_FIELDS &&
            !sdPy_HasPointers(i)) {
            return Py_XNewRef(sdPy_RecordOf(i));
        }
    }
    PyErr_Format(PyExc_TypeError, "sudar.record: %R is no struct of numbers", name);
    return NULL;
}

bool sdPy_InitArrays(PyObject* module) {
    sdPy_Numpy = PyImport_ImportModule("numpy");
    records = PyMem_Calloc((size_t)structCount, sizeof *records);
    PyType_Slot slots[] = {{Py_tp_dealloc, freeView}, {Py_bf_getbuffer, getViewBuffer}, {0, NULL}};
    PyType_Spec spec = {"sudar._View", sizeof(ViewObject), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    static PyMethodDef record = {
        "record", getRecord, METH_O,
        "record(name)\n\nThe NumPy dtype of a struct of numbers: record('Ray')."};
    viewType = sdPy_Numpy == NULL || records == NULL
                   ? NULL
                   : PyType_FromModuleAndSpec(module, &spec, NULL);
    PyObject* function = viewType == NULL ? NULL : PyCFunction_New(&record, NULL);
    bool isOk = function != NULL && PyModule_AddObjectRef(module, "record", function) == 0;
    Py_XDECREF(function);
    return isOk;
}
