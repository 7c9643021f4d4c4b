// SPDX-License-Identifier: MIT
// struct.c - objects whose fields read and write a C struct.
//
// A struct inside a struct is another object over the same memory, so def.impulse.order =
// 'ordinary' changes def. What fields are given is kept alive by the whole.

#include "core.h"

#include <string.h>

static PyObject** structTypes; // by structInfos

bool sdPy_IsStruct(int index, PyObject* value) {
    return (PyObject*)Py_TYPE(value) == structTypes[index];
}

// ---- making ------------------------------------------------------------------------

/// Rotations that do not turn, everything else zero.
void sdPy_ClearStruct(const StructInfo* info, char* data) {
    memset(data, 0, info->size);
    if (strcmp(info->name, "Quat") == 0) {
        ((sdQuat*)(void*)data)->s = 1.0f;
    }
    for (int i = 0; i < info->fieldCount; ++i) {
        const FieldInfo* field = &info->fields[i];
        if (field->type.kind == VALUE_STRUCT && field->kind == FIELD_PLAIN) {
            sdPy_ClearStruct(&structInfos[field->type.index], data + field->offset);
        }
    }
}

/// Another object over the same memory.
PyObject* sdPy_PartOf(int index, const void* data, PyObject* owner, PyObject* world) {
    StructObject* part = (StructObject*)PyType_GenericAlloc((PyTypeObject*)structTypes[index], 0);
    if (part == NULL) {
        return NULL;
    }
    part->info = &structInfos[index];
    part->data = (char*)(uintptr_t)data;
    part->owner = Py_XNewRef(owner);
    part->world = Py_XNewRef(world);
    return (PyObject*)part;
}

StructObject* sdPy_NewStruct(int index, const void* data, PyObject* world) {
    StructObject* object = (StructObject*)sdPy_PartOf(index, NULL, NULL, world);
    if (object == NULL) {
        return NULL;
    }
    object->data = (char*)object->storage;
    object->kept = PyList_New(0);
    if (object->kept == NULL) {
        Py_DECREF(object);
        return NULL;
    }
    if (data != NULL) {
        memcpy(object->data, data, object->info->size);
    } else if (object->info->initialise != NULL) {
        object->info->initialise(object->data);
    } else {
        sdPy_ClearStruct(object->info, object->data);
    }
    return object;
}

PyObject* sdPy_BuildStruct(int index, PyObject* base, PyObject* values, PyObject* fields,
                           const char* place) {
    const StructInfo* info = &structInfos[index];
    if (info->form == FORM_STATIC) {
        PyErr_Format(PyExc_TypeError, "%s: only the library makes a %s", place, info->name);
        return NULL;
    }
    StructObject* object = sdPy_NewStruct(index, NULL, NULL);
    if (object == NULL) {
        return NULL;
    }
    bool isOk = (base == NULL || base == Py_None ||
                 sdPy_WriteStruct(index, object->data, base, place, object->kept)) &&
                sdPy_SetValues(info, object->data, values, place, object->kept) &&
                (fields == NULL || sdPy_SetFields(info, object->data, fields, place, object->kept));
    if (!isOk) {
        Py_DECREF(object);
        return NULL;
    }
    return (PyObject*)object;
}

int sdPy_StructOf(PyTypeObject* type) {
    for (int i = 0; i < structCount; ++i) {
        if ((PyTypeObject*)structTypes[i] == type) {
            return i;
        }
    }
    return 0;
}

static PyObject* newStruct(PyTypeObject* type, PyObject* values, PyObject* fields) {
    int index = sdPy_StructOf(type);
    return sdPy_BuildStruct(index, NULL, values, fields, structInfos[index].name);
}

int sdPy_FindStruct(const char* name) {
    int index = 0;
    while (index < structCount - 1 && strcmp(structInfos[index].name, name) != 0) {
        index += 1;
    }
    return index;
}

const char* sdPy_StructName(PyObject* value) {
    int index = sdPy_StructOf(Py_TYPE(value));
    return sdPy_IsStruct(index, value) ? structInfos[index].name : "";
}

static void freeStruct(PyObject* self) {
    StructObject* object = (StructObject*)self;
    PyTypeObject* type = Py_TYPE(self);
    Py_XDECREF(object->owner);
    Py_XDECREF(object->world);
    Py_XDECREF(object->kept);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject* readItems(const FieldInfo* field, StructObject* object) {
    char* data = object->data + field->offset;
    const StructInfo* info =
        field->type.kind == VALUE_STRUCT ? &structInfos[field->type.index] : NULL;
    if (info == NULL) {
        return sdPy_ViewNumbers(field->type.kind == VALUE_FLOAT ? 'f' : 'i', data,
                                (Py_ssize_t)field->extra, 0, false, true, (PyObject*)object);
    }
    if (info->form == FORM_VECTOR) {
        int columns = (int)(info->size / (size_t)sdPy_FormatSize(info->number));
        return sdPy_ViewNumbers(info->number, data, (Py_ssize_t)field->extra, columns, false, true,
                                (PyObject*)object);
    }
    // a count beside them says how many there are: points, point_count
    size_t count = field->extra;
    for (int i = 0; i < object->info->fieldCount; ++i) {
        const FieldInfo* other = &object->info->fields[i];
        size_t length = strlen(field->name) - 1;
        if (strncmp(other->name, field->name, length) == 0 &&
            strcmp(other->name + length, "_count") == 0) {
            count = (size_t) * (const int*)(const void*)(object->data + other->offset);
        }
    }
    PyObject* list = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; ++i) {
        PyObject* item =
            sdPy_PartOf(field->type.index, data + i * info->size, (PyObject*)object, object->world);
        if (item == NULL || PyTuple_SetItem(list, (Py_ssize_t)i, item) != 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static PyObject* getField(PyObject* self, void* closure) {
    StructObject* object = (StructObject*)self;
    const FieldInfo* field = closure;
    char* data = object->data + field->offset;
    switch (field->kind) {
        case FIELD_ITEMS:
            return readItems(field, object);
        case FIELD_ARRAY:
            return sdPy_ReturnArray(field->type, field->per, *(void**)data,
                                    *(int*)(void*)(object->data + field->extra), self);
        case FIELD_CASE:
            // a union: there when the type, which comes first, says so
            if (*(int*)(void*)object->data != (int)field->extra ||
                (field->type.kind == VALUE_HANDLE && *(void**)data == NULL)) {
                return Py_NewRef(Py_None);
            }
            return sdPy_Read(field->type, data, self, object->world);
        default:
            return sdPy_Read(field->type, data, self, object->world);
    }
}

static int setField(PyObject* self, PyObject* value, void* closure) {
    StructObject* object = (StructObject*)self;
    const FieldInfo* field = closure;
    if (value == NULL || object->info->form == FORM_STATIC) {
        PyErr_Format(PyExc_AttributeError, "%s.%s cannot be %s", object->info->name, field->name,
                     value == NULL ? "deleted" : "changed");
        return -1;
    }
    // what a part is given is kept by the whole
    StructObject* whole = object;
    while (whole->kept == NULL && whole->owner != NULL) {
        whole = (StructObject*)whole->owner;
    }
    char place[160];
    PyOS_snprintf(place, sizeof place, "%s.%s", object->info->name, field->name);
    return sdPy_WriteField(field, object->data, value, place, whole->kept) ? 0 : -1;
}

static PyObject* showStruct(PyObject* self) {
    StructObject* object = (StructObject*)self;
    PyObject* parts = PyList_New(0);
    for (int i = 0; parts != NULL && i < object->info->fieldCount; ++i) {
        const FieldInfo* field = &object->info->fields[i];
        if (field->type.kind == VALUE_HIDDEN) {
            continue;
        }
        PyObject* value = getField(self, (void*)(uintptr_t)field);
        PyObject* part = value == NULL ? NULL : PyUnicode_FromFormat("%s=%R", field->name, value);
        bool isOk = part != NULL && (value == Py_None || PyList_Append(parts, part) == 0);
        Py_XDECREF(value);
        Py_XDECREF(part);
        if (!isOk) {
            Py_CLEAR(parts);
        }
    }
    PyObject* comma = PyUnicode_FromString(", ");
    PyObject* all = parts == NULL || comma == NULL ? NULL : PyUnicode_Join(comma, parts);
    PyObject* text = all == NULL ? NULL : PyUnicode_FromFormat("%s(%U)", object->info->name, all);
    Py_XDECREF(parts);
    Py_XDECREF(comma);
    Py_XDECREF(all);
    return text;
}

void* sdPy_ToStruct(int index, PyObject** value, const char* place) {
    const StructInfo* info = &structInfos[index];
    if (*value != NULL && sdPy_IsStruct(index, *value)) {
        return ((StructObject*)*value)->data;
    }
    if (info->form == FORM_STATIC) {
        sdPy_Refuse(place, "one of those that the library gives",
                    *value == NULL ? Py_None : *value);
        return NULL;
    }
    StructObject* object = sdPy_NewStruct(index, NULL, NULL);
    if (object == NULL) {
        return NULL;
    }
    if (*value != NULL && *value != Py_None &&
        !sdPy_WriteStruct(index, object->data, *value, place, object->kept)) {
        Py_DECREF(object);
        return NULL;
    }
    Py_XDECREF(*value);
    *value = (PyObject*)object;
    return object->data;
}

// ---- what the library gives ----------------------------------------------------------------

/// Objects that a copy of a struct points to, and arrays in memory that may change.
static bool secure(const StructInfo* info, char* data, PyObject* kept, bool isShared) {
    bool isOk = true;
    for (int i = 0; isOk && i < info->fieldCount; ++i) {
        const FieldInfo* field = &info->fields[i];
        char* at = data + field->offset;
        bool isThere = field->kind != FIELD_CASE || *(int*)(void*)data == (int)field->extra;
        if (field->kind == FIELD_ARRAY && !isShared) {
            int count = *(int*)(void*)(data + field->extra);
            size_t size =
                field->type.kind == VALUE_STRUCT ? structInfos[field->type.index].size : 4;
            PyObject* bytes = PyBytes_FromStringAndSize(
                *(char**)at, (Py_ssize_t)((size_t)count * size * (size_t)field->per));
            isOk = bytes != NULL && sdPy_Keep(kept, bytes);
            *(char**)at = bytes == NULL ? NULL : PyBytes_AsString(bytes);
            Py_XDECREF(bytes);
        } else if (field->type.kind == VALUE_HANDLE && isThere && field->kind != FIELD_ARRAY &&
                   *(void**)at != NULL) {
            PyObject* handle = sdPy_WrapHandle(field->type.index, *(void**)at, true);
            isOk = handle != NULL && sdPy_Keep(kept, handle);
            Py_XDECREF(handle);
        } else if (field->type.kind == VALUE_STRUCT && isThere && field->kind != FIELD_ARRAY) {
            size_t count = field->kind == FIELD_ITEMS ? field->extra : 1;
            const StructInfo* inner = &structInfos[field->type.index];
            for (size_t k = 0; isOk && k < count; ++k) {
                isOk = secure(inner, at + k * inner->size, kept, isShared);
            }
        }
    }
    return isOk;
}

/// Whether `owner` is an object that never changes: a Mesh, not a World.
bool sdPy_IsShared(PyObject* owner) {
    for (int i = 0; owner != NULL && i < classCount; ++i) {
        if (strcmp(classInfos[i].name, "World") != 0 && classInfos[i].retain != NULL) {
            HandleObject* handle = sdPy_AsHandle(i, owner, NULL);
            if (handle != NULL) {
                return true;
            }
        }
    }
    return false;
}

PyObject* sdPy_ReturnStruct(int index, const void* data, PyObject* owner, PyObject* world) {
    const StructInfo* info = &structInfos[index];
    if (info->form != FORM_FIELDS) {
        return sdPy_Read((ValueType){VALUE_STRUCT, index}, data, NULL, world);
    }
    StructObject* object = sdPy_NewStruct(index, data, world);
    if (object == NULL) {
        return NULL;
    }
    bool isLasting = sdPy_IsShared(owner);
    bool isOk = (!isLasting || sdPy_Keep(object->kept, owner)) &&
                secure(info, object->data, object->kept, isLasting);
    if (!isOk) {
        Py_CLEAR(object);
    }
    return (PyObject*)object;
}

// ---- types ---------------------------------------------------------------------------------

/// Shape.box makes one, shape.box is the box in it: a name that is a function of the class and a
/// field of its objects.
typedef struct BothObject {
    PyObject_HEAD PyObject* function;
    const FieldInfo* field;
} BothObject;

static PyObject* bothType;

static PyObject* getBoth(PyObject* self, PyObject* object, PyObject* type) {
    (void)type;
    BothObject* both = (BothObject*)self;
    return object == NULL ? Py_NewRef(both->function)
                          : getField(object, (void*)(uintptr_t)both->field);
}

static int setBoth(PyObject* self, PyObject* object, PyObject* value) {
    return setField(object, value, (void*)(uintptr_t)((BothObject*)self)->field);
}

static bool addBoth(PyObject* type, const FieldInfo* field, PyMethodDef* method) {
    BothObject* both = (BothObject*)PyType_GenericAlloc((PyTypeObject*)bothType, 0);
    if (both == NULL) {
        return false;
    }
    both->field = field;
    both->function = PyCFunction_New(method, NULL);
    bool isOk =
        both->function != NULL && PyObject_SetAttrString(type, field->name, (PyObject*)both) == 0;
    Py_DECREF(both);
    return isOk;
}

static bool addAllBoth(PyObject* type, const StructInfo* info) {
    bool isOk = true;
    for (PyMethodDef* method = info->methods; isOk && method->ml_name != NULL; ++method) {
        for (int i = 0; isOk && i < info->fieldCount; ++i) {
            if (strcmp(info->fields[i].name, method->ml_name) == 0) {
                isOk = addBoth(type, &info->fields[i], method);
            }
        }
    }
    return isOk;
}

static bool addStructType(PyObject* module, int index) {
    const StructInfo* info = &structInfos[index];
    // lives as long as the type, which is for ever
    PyGetSetDef* fields = PyMem_Calloc((size_t)info->fieldCount + 1, sizeof *fields);
    if (fields == NULL) {
        PyErr_NoMemory();
        return false;
    }
    int count = 0;
    for (int i = 0; i < info->fieldCount; ++i) {
        if (info->fields[i].type.kind != VALUE_HIDDEN) {
            fields[count++] = (PyGetSetDef){info->fields[i].name, getField, setField, NULL,
                                            (void*)(uintptr_t)&info->fields[i]};
        }
    }
    PyType_Slot slots[] = {{Py_tp_new, newStruct},         {Py_tp_dealloc, freeStruct},
                           {Py_tp_getset, fields},         {Py_tp_repr, showStruct},
                           {Py_tp_methods, info->methods}, {0, NULL}};
    char name[64];
    PyOS_snprintf(name, sizeof name, "sudar.%s", info->name);
    PyType_Spec spec = {name, (int)(offsetof(StructObject, storage) + info->size), 0,
                        Py_TPFLAGS_DEFAULT, slots};
    structTypes[index] = PyType_FromModuleAndSpec(module, &spec, NULL);
    if (structTypes[index] == NULL || !addAllBoth(structTypes[index], info)) {
        return false;
    }
    bool isSeen = info->form == FORM_FIELDS || info->form == FORM_STATIC;
    return !isSeen || PyModule_AddObjectRef(module, info->name, structTypes[index]) == 0;
}

bool sdPy_InitStructs(PyObject* module) {
    structTypes = PyMem_Calloc((size_t)structCount, sizeof *structTypes);
    PyType_Slot slots[] = {{Py_tp_descr_get, getBoth}, {Py_tp_descr_set, setBoth}, {0, NULL}};
    PyType_Spec spec = {"sudar._Both", sizeof(BothObject), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    bothType = PyType_FromModuleAndSpec(module, &spec, NULL);
    bool isOk = structTypes != NULL && bothType != NULL;
    for (int i = 0; isOk && i < structCount; ++i) {
        isOk = addStructType(module, i);
    }
    return isOk;
}
