// SPDX-License-Identifier: MIT
// value.c - numbers, words, objects and structs of Python written to C and read from there.

#include "core.h"

#include <string.h>

bool sdPy_Refuse(const char* place, const char* wanted, PyObject* value) {
    if (!PyErr_Occurred()) {
        PyErr_Format(PyExc_TypeError, "%s must be %s, not %R", place, wanted, value);
    }
    return false;
}

// ---- reading -------------------------------------------------------------------------------

static PyObject* readEnum(int index, int value) {
    const EnumInfo* info = &enumInfos[index];
    for (int i = 0; i < info->count; ++i) {
        if (info->values[i] == value) {
            return PyUnicode_FromString(info->words[i]);
        }
    }
    return PyLong_FromLong(value);
}

static PyObject* readStruct(int index, const void* data, PyObject* owner, PyObject* world) {
    const StructInfo* info = &structInfos[index];
    if (info->form == FORM_STATIC) {
        return sdPy_PartOf(index, data, NULL, NULL);
    }
    if (info->form == FORM_FIELDS) {
        return owner != NULL ? sdPy_PartOf(index, data, owner, world)
                             : (PyObject*)sdPy_NewStruct(index, data, world);
    }
    // without an owner the numbers are copied
    PyObject* copy = owner == NULL ? PyByteArray_FromStringAndSize(data, (Py_ssize_t)info->size)
                                   : Py_NewRef(owner);
    if (copy == NULL) {
        return NULL;
    }
    const void* numbers = owner == NULL ? PyByteArray_AsString(copy) : data;
    Py_ssize_t count = (Py_ssize_t)info->size / sdPy_FormatSize(info->number);
    PyObject* array = info->form == FORM_VECTOR
                          ? sdPy_ViewNumbers(info->number, numbers, count, 0, false, true, copy)
                          : sdPy_ViewNumbers(info->number, numbers, 3, 3, true, true, copy);
    Py_DECREF(copy);
    return array;
}

PyObject* sdPy_Read(ValueType type, const void* data, PyObject* owner, PyObject* world) {
    switch (type.kind) {
        case VALUE_FLOAT:
            return PyFloat_FromDouble((double)*(const float*)data);
        case VALUE_DOUBLE:
            return PyFloat_FromDouble(*(const double*)data);
        case VALUE_INT:
            return PyLong_FromLong(*(const int*)data);
        case VALUE_UINT32:
            return PyLong_FromUnsignedLong(*(const uint32_t*)data);
        case VALUE_SIZE:
            return PyLong_FromSize_t(*(const size_t*)data);
        case VALUE_UINT64:
            return PyLong_FromUnsignedLongLong(*(const uint64_t*)data);
        case VALUE_BOOL:
            return PyBool_FromLong(*(const bool*)data);
        case VALUE_ENUM:
            return readEnum(type.index, *(const int*)data);
        case VALUE_STRUCT:
            return readStruct(type.index, data, owner, world);
        case VALUE_HANDLE:
            return sdPy_WrapHandle(type.index, *(void* const*)data, true);
        case VALUE_ID:
            return sdPy_WrapId(type.index, *(const uint32_t*)data, world);
        case VALUE_TEXT: {
            const char* text = *(const char* const*)data;
            return text == NULL ? Py_NewRef(Py_None) : PyUnicode_FromString(text);
        }
        default:
            return Py_NewRef(Py_None);
    }
}

// ---- writing -------------------------------------------------------------------------------

static bool writeFloating(ValueType type, void* data, PyObject* value, const char* place) {
    double number = PyFloat_AsDouble(value);
    if (number == -1.0 && PyErr_Occurred()) {
        PyErr_Clear();
        return sdPy_Refuse(place, "a number", value);
    }
    if (type.kind == VALUE_FLOAT) {
        *(float*)data = (float)number;
    } else {
        *(double*)data = number;
    }
    return true;
}

static bool writeWhole(ValueType type, void* data, PyObject* value, const char* place) {
    PyObject* whole = PyNumber_Index(value);
    if (whole == NULL) {
        PyErr_Clear();
        return sdPy_Refuse(place, "a whole number", value);
    }
    bool isOk = true;
    if (type.kind == VALUE_INT) {
        long number = PyLong_AsLong(whole);
        isOk = !PyErr_Occurred() && number >= INT32_MIN && number <= INT32_MAX;
        *(int*)data = (int)number;
    } else {
        unsigned long long number = PyLong_AsUnsignedLongLong(whole);
        isOk = !PyErr_Occurred() && (type.kind != VALUE_UINT32 || number <= UINT32_MAX);
        if (type.kind == VALUE_UINT32) {
            *(uint32_t*)data = (uint32_t)number;
        } else {
            *(uint64_t*)data = number;
        }
    }
    Py_DECREF(whole);
    PyErr_Clear();
    return isOk || sdPy_Refuse(place, "a whole number in the range of its type", value);
}

static bool writeEnum(int index, int* data, PyObject* value, const char* place) {
    const EnumInfo* info = &enumInfos[index];
    const char* word = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
    for (int i = 0; word != NULL && i < info->count; ++i) {
        if (strcmp(info->words[i], word) == 0) {
            *data = info->values[i];
            return true;
        }
    }
    PyErr_Clear();
    char words[512] = "";
    size_t used = 0;
    for (int i = 0; i < info->count && used < sizeof words; ++i) {
        used += (size_t)PyOS_snprintf(words + used, sizeof words - used, "%s'%s'",
                                      i > 0 ? ", " : "one of ", info->words[i]);
    }
    return sdPy_Refuse(place, words, value);
}

/// Numbers in their order; matrices as three rows.
static bool writeNumbers(const StructInfo* info, void* data, PyObject* value, const char* place) {
    int count = (int)(info->size / (size_t)sdPy_FormatSize(info->number));
    char wanted[32];
    PyOS_snprintf(wanted, sizeof wanted,
                  info->form == FORM_MATRIX ? "3 rows of 3 numbers" : "%d numbers", count);
    PyObject* array = PyObject_CallMethod(sdPy_Numpy, "ascontiguousarray", "Os", value, "f8");
    Py_buffer buffer;
    if (array == NULL || PyObject_GetBuffer(array, &buffer, PyBUF_C_CONTIGUOUS) != 0) {
        Py_XDECREF(array);
        PyErr_Clear();
        return sdPy_Refuse(place, wanted, value);
    }
    bool isOk = info->form == FORM_MATRIX
                    ? buffer.ndim == 2 && buffer.shape[0] == 3 && buffer.shape[1] == 3
                    : buffer.ndim == 1 && buffer.shape[0] == count;
    for (int i = 0; isOk && i < count; ++i) {
        int from = info->form == FORM_MATRIX ? 3 * (i % 3) + i / 3 : i;
        double number = ((const double*)buffer.buf)[from];
        if (info->number == 'd') {
            ((double*)data)[i] = number;
        } else {
            ((float*)data)[i] = (float)number;
        }
    }
    PyBuffer_Release(&buffer);
    Py_DECREF(array);
    return isOk || sdPy_Refuse(place, wanted, value);
}

bool sdPy_Keep(PyObject* kept, PyObject* value) {
    return kept == NULL || PyList_Append(kept, value) == 0;
}

bool sdPy_WriteField(const FieldInfo* field, char* data, PyObject* value, const char* place,
                     PyObject* kept) {
    if (field->kind == FIELD_ARRAY) {
        PyObject* held = Py_NewRef(value);
        Py_ssize_t count;
        void* items = sdPy_ToArray(field->type, field->per, &held, &count, place);
        bool isOk = items != NULL && count <= INT32_MAX && sdPy_Keep(kept, held);
        Py_XDECREF(held);
        if (isOk) {
            *(void**)(data + field->offset) = items;
            *(int*)(data + field->extra) = (int)count;
        }
        return isOk;
    }
    if (field->kind != FIELD_ITEMS) {
        return sdPy_Write(field->type, data + field->offset, value, place, kept);
    }
    Py_ssize_t count = PySequence_Size(value);
    if (count < 0 || (size_t)count > field->extra) {
        char wanted[48];
        PyOS_snprintf(wanted, sizeof wanted, "a list of at most %d", (int)field->extra);
        PyErr_Clear();
        return sdPy_Refuse(place, wanted, value);
    }
    size_t size = field->type.kind == VALUE_STRUCT ? structInfos[field->type.index].size : 4;
    bool isOk = true;
    for (Py_ssize_t i = 0; isOk && i < count; ++i) {
        PyObject* item = PySequence_GetItem(value, i);
        isOk = item != NULL &&
               sdPy_Write(field->type, data + field->offset + (size_t)i * size, item, place, kept);
        Py_XDECREF(item);
    }
    return isOk;
}

static bool setNamed(const StructInfo* info, char* data, PyObject* name, PyObject* value,
                     const char* place, PyObject* kept) {
    const char* text = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : "";
    for (int i = 0; text != NULL && i < info->fieldCount; ++i) {
        const FieldInfo* field = &info->fields[i];
        if (field->type.kind != VALUE_HIDDEN && strcmp(field->name, text) == 0) {
            char where[160];
            PyOS_snprintf(where, sizeof where, "%s.%s", place, text);
            return sdPy_WriteField(field, data, value, where, kept);
        }
    }
    char fields[600] = "";
    size_t used = 0;
    for (int i = 0; i < info->fieldCount && used < sizeof fields; ++i) {
        used += (size_t)PyOS_snprintf(fields + used, sizeof fields - used, "%s%s",
                                      i > 0 ? ", " : "", info->fields[i].name);
    }
    PyErr_Format(PyExc_TypeError, "%s: %s has no field %R; it has %s", place, info->name, name,
                 fields);
    return false;
}

bool sdPy_SetFields(const StructInfo* info, char* data, PyObject* dict, const char* place,
                    PyObject* kept) {
    PyObject *name, *value;
    Py_ssize_t position = 0;
    while (PyDict_Next(dict, &position, &name, &value)) {
        if (!setNamed(info, data, name, value, place, kept)) {
            return false;
        }
    }
    return true;
}

bool sdPy_SetValues(const StructInfo* info, char* data, PyObject* values, const char* place,
                    PyObject* kept) {
    Py_ssize_t count = PySequence_Size(values);
    if (count < 0 || count > info->fieldCount) {
        PyErr_Format(PyExc_TypeError, "%s: %s has %d fields, not %zd", place, info->name,
                     info->fieldCount, count);
        return false;
    }
    bool isOk = true;
    for (Py_ssize_t i = 0; isOk && i < count; ++i) {
        PyObject* value = PySequence_GetItem(values, i);
        char where[160];
        PyOS_snprintf(where, sizeof where, "%s.%s", place, info->fields[i].name);
        isOk = value != NULL && sdPy_WriteField(&info->fields[i], data, value, where, kept);
        Py_XDECREF(value);
    }
    return isOk;
}

bool sdPy_WriteStruct(int index, void* data, PyObject* value, const char* place, PyObject* kept) {
    const StructInfo* info = &structInfos[index];
    if (info->form == FORM_VECTOR || info->form == FORM_MATRIX) {
        return writeNumbers(info, data, value, place);
    }
    if (sdPy_IsStruct(index, value)) {
        memmove(data, ((StructObject*)value)->data, info->size);
        return sdPy_Keep(kept, value);
    }
    if (PyDict_Check(value)) {
        return sdPy_SetFields(info, data, value, place, kept);
    }
    if (PyTuple_Check(value) || PyList_Check(value)) {
        return sdPy_SetValues(info, data, value, place, kept);
    }
    char wanted[96];
    PyOS_snprintf(wanted, sizeof wanted, "a %s, a dict of its fields or a list of them",
                  info->name);
    return sdPy_Refuse(place, wanted, value);
}

bool sdPy_Write(ValueType type, void* data, PyObject* value, const char* place, PyObject* kept) {
    switch (type.kind) {
        case VALUE_FLOAT:
        case VALUE_DOUBLE:
            return writeFloating(type, data, value, place);
        case VALUE_INT:
        case VALUE_UINT32:
        case VALUE_SIZE:
        case VALUE_UINT64:
            return writeWhole(type, data, value, place);
        case VALUE_BOOL:
            *(bool*)data = value == Py_True;
            return PyBool_Check(value) || sdPy_Refuse(place, "True or False", value);
        case VALUE_ENUM:
            return writeEnum(type.index, data, value, place);
        case VALUE_STRUCT:
            return sdPy_WriteStruct(type.index, data, value, place, kept);
        case VALUE_HANDLE: {
            void* pointer = sdPy_ToHandle(type.index, value, place);
            *(void**)data = pointer;
            return pointer != NULL && sdPy_Keep(kept, value);
        }
        case VALUE_ID:
            return sdPy_ToId(type.index, value, data, place);
        case VALUE_TEXT: {
            const char* text = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
            *(const char**)data = text;
            return text != NULL ? sdPy_Keep(kept, value) : sdPy_Refuse(place, "a string", value);
        }
        default:
            return sdPy_Refuse(place, "left out", value);
    }
}
