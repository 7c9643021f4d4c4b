// SPDX-License-Identifier: MIT
// handle.c - objects behind pointers (World, Mesh ...) and behind numbers (Body, Joint ...).
//
// A handle frees its object when it is freed, left (`with`) or collected. While a call runs without
// Python's lock, its world takes no other call: it says so instead of being changed by two threads.

#include "core.h"

#include <stdlib.h>
#include <string.h>

static PyObject** classTypes;
static PyObject** idTypes;
static PyObject* errorType;

// ---- what the library says -----------------------------------------------------------------

static void put(char* to, size_t size, const char* text) {
    strncpy(to, text, size - 1);
    to[size - 1] = '\0';
}

static void logTo(void* user, sdLogLevel level, const char* text) {
    Log* log = user;
    pthread_mutex_lock(&log->mutex);
    if (level == SD_LOG_ERROR) {
        put(log->error, sizeof log->error, text);
    } else if (level == SD_LOG_WARNING) {
        put(log->warning, sizeof log->warning, text);
    }
    pthread_mutex_unlock(&log->mutex);
}

// of calls on this thread that are about no world
static _Thread_local Log threadLog = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void logToThread(void* user, sdLogLevel level, const char* text) {
    (void)user;
    logTo(&threadLog, level, text);
}

sdContext sdPy_MakeContext(Log* log) {
    sdContext context = sdContext_Default();
    context.logger = log != NULL ? (sdLogger){logTo, log} : (sdLogger){logToThread, NULL};
    return context;
}

const sdContext* sdPy_GetContext(void) {
    static _Thread_local sdContext context;
    context = sdPy_MakeContext(NULL);
    return &context;
}

static HandleObject* worldOf(PyObject* self) {
    for (int i = 0; self != NULL && i < idCount; ++i) {
        if ((PyObject*)Py_TYPE(self) == idTypes[i]) {
            return ((IdObject*)self)->world;
        }
    }
    return self == NULL ? NULL : sdPy_AsHandle(worldClass, self, NULL);
}

void sdPy_ClearLog(PyObject* self) {
    HandleObject* world = worldOf(self);
    threadLog.error[0] = threadLog.warning[0] = '\0';
    if (world != NULL && world->log != NULL) {
        world->log->error[0] = world->log->warning[0] = '\0';
    }
}

bool sdPy_Check(PyObject* self, sdResult result, const char* name) {
    HandleObject* world = worldOf(self);
    Log* log = world != NULL && world->log != NULL ? world->log : &threadLog;
    const char* warning = log->warning[0] != '\0' ? log->warning : threadLog.warning;
    if (result == SD_OK) {
        return warning[0] == '\0' || PyErr_WarnEx(PyExc_RuntimeWarning, warning, 1) == 0;
    }
    char text[640];
    const char* words = log->error[0] != '\0' ? log->error : threadLog.error;
    if (words[0] != '\0') {
        put(text, sizeof text, words);
    } else {
        PyOS_snprintf(text, sizeof text, "%s: %s", name, sdResult_Text(result));
    }
    PyObject* error = PyObject_CallFunction(errorType, "s", text);
    PyObject* word =
        error == NULL ? NULL : sdPy_Read((ValueType){VALUE_ENUM, 0}, &result, NULL, NULL);
    if (word != NULL && PyObject_SetAttrString(error, "result", word) == 0) {
        PyErr_SetObject(errorType, error);
    }
    Py_XDECREF(word);
    Py_XDECREF(error);
    return false;
}

// ---- handles -------------------------------------------------------------------------------

PyObject* sdPy_WrapHandle(int index, const void* pointer, bool isBorrowed) {
    if (pointer == NULL) {
        return Py_NewRef(Py_None);
    }
    HandleObject* handle = (HandleObject*)PyType_GenericAlloc((PyTypeObject*)classTypes[index], 0);
    if (handle == NULL) {
        if (!isBorrowed) {
            classInfos[index].release((void*)(uintptr_t)pointer);
        }
        return NULL;
    }
    handle->info = &classInfos[index];
    handle->pointer = (void*)(uintptr_t)pointer;
    if (isBorrowed) {
        handle->info->retain(handle->pointer);
    }
    return (PyObject*)handle;
}

HandleObject* sdPy_AsHandle(int index, PyObject* value, const char* place) {
    if (value != NULL && (PyObject*)Py_TYPE(value) == classTypes[index]) {
        return (HandleObject*)value;
    }
    if (place != NULL) {
        PyErr_Format(PyExc_TypeError, "%s must be a %s, not %R", place, classInfos[index].name,
                     value == NULL ? Py_None : value);
    }
    return NULL;
}

void* sdPy_ToHandle(int index, PyObject* value, const char* place) {
    HandleObject* handle = sdPy_AsHandle(index, value, place);
    if (handle == NULL) {
        return NULL;
    }
    if (handle->pointer == NULL) {
        PyErr_Format(PyExc_ValueError, "%s: the %s has been freed", place, handle->info->name);
    } else if (handle->isBusy) {
        PyErr_Format(PyExc_RuntimeError, "%s: another thread uses this %s; wait for it", place,
                     handle->info->name);
        return NULL;
    }
    return handle->pointer;
}

void sdPy_SetBusy(PyObject* value, bool isBusy) {
    ((HandleObject*)value)->isBusy = isBusy;
}

static void freeObject(HandleObject* handle) {
    if (handle->pointer != NULL) {
        handle->info->release(handle->pointer);
        handle->pointer = NULL;
    }
    sdScheduler_Destroy(handle->scheduler);
    handle->scheduler = NULL;
    if (handle->log != NULL) {
        pthread_mutex_destroy(&handle->log->mutex);
        free(handle->log);
        handle->log = NULL;
    }
}

static void freeHandle(PyObject* self) {
    PyTypeObject* type = Py_TYPE(self);
    freeObject((HandleObject*)self);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject* callFree(PyObject* self, PyObject* unused) {
    (void)unused;
    HandleObject* handle = (HandleObject*)self;
    if (handle->isBusy) {
        PyErr_Format(PyExc_RuntimeError, "%s.free: another thread uses it; wait for it",
                     handle->info->name);
        return NULL;
    }
    freeObject(handle);
    return Py_NewRef(Py_None);
}

static PyObject* enter(PyObject* self, PyObject* unused) {
    (void)unused;
    return Py_NewRef(self);
}

static PyObject* leave(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    (void)args, (void)count;
    return callFree(self, NULL);
}

static PyObject* isFree(PyObject* self, void* unused) {
    (void)unused;
    return PyBool_FromLong(((HandleObject*)self)->pointer == NULL);
}

// ---- ids -----------------------------------------------------------------------------------

PyObject* sdPy_WrapId(int index, uint32_t id, PyObject* world) {
    if (id == 0 || world == NULL) {
        return id == 0 ? Py_NewRef(Py_None) : PyLong_FromUnsignedLong(id);
    }
    IdObject* object = (IdObject*)PyType_GenericAlloc((PyTypeObject*)idTypes[index], 0);
    if (object != NULL) {
        object->info = &idInfos[index];
        object->world = (HandleObject*)Py_NewRef(world);
        object->id = id;
    }
    return (PyObject*)object;
}

bool sdPy_ToId(int index, PyObject* value, uint32_t* out, const char* place) {
    if (value == NULL || (PyObject*)Py_TYPE(value) != idTypes[index]) {
        PyErr_Format(PyExc_TypeError, "%s must be a %s, not %R", place, idInfos[index].name,
                     value == NULL ? Py_None : value);
        return false;
    }
    *out = ((IdObject*)value)->id;
    return true;
}

sdWorld* sdPy_WorldOf(PyObject* self, const char* place) {
    return sdPy_ToHandle(worldClass, (PyObject*)((IdObject*)self)->world, place);
}

static PyObject* newId(PyTypeObject* type, PyObject* args, PyObject* names) {
    static char* words[] = {"world", "id", NULL};
    PyObject* world;
    unsigned int id;
    if (!PyArg_ParseTupleAndKeywords(args, names, "OI", words, &world, &id) ||
        sdPy_AsHandle(worldClass, world, "world") == NULL) {
        return NULL;
    }
    int index = 0;
    while ((PyTypeObject*)idTypes[index] != type) {
        index += 1;
    }
    PyObject* object = sdPy_WrapId(index, id, world);
    if (object == Py_None) {
        Py_DECREF(object);
        PyErr_SetString(PyExc_ValueError, "id: 0 is no object");
        return NULL;
    }
    return object;
}

static void freeId(PyObject* self) {
    PyTypeObject* type = Py_TYPE(self);
    Py_XDECREF((PyObject*)((IdObject*)self)->world);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject* compareIds(PyObject* a, PyObject* b, int operation) {
    if ((operation != Py_EQ && operation != Py_NE) || Py_TYPE(a) != Py_TYPE(b)) {
        return Py_NewRef(Py_NotImplemented);
    }
    bool isSame =
        ((IdObject*)a)->id == ((IdObject*)b)->id && ((IdObject*)a)->world == ((IdObject*)b)->world;
    return PyBool_FromLong(isSame == (operation == Py_EQ));
}

static Py_hash_t hashId(PyObject* self) {
    return (Py_hash_t)((IdObject*)self)->id;
}

static PyObject* showId(PyObject* self) {
    return PyUnicode_FromFormat("<%s %u>", ((IdObject*)self)->info->name,
                                (unsigned)((IdObject*)self)->id);
}

static PyObject* getIdNumber(PyObject* self, void* unused) {
    (void)unused;
    return PyLong_FromUnsignedLong(((IdObject*)self)->id);
}

static PyObject* getIdWorld(PyObject* self, void* unused) {
    (void)unused;
    return Py_NewRef((PyObject*)((IdObject*)self)->world);
}

// ---- types ---------------------------------------------------------------------------------

static bool addMethods(PyObject* type, PyMethodDef* methods) {
    bool isOk = true;
    for (; isOk && methods->ml_name != NULL; ++methods) {
        // what is no method of an object stays a function
        PyObject* method = (methods->ml_flags & METH_STATIC) != 0
                               ? PyCFunction_New(methods, NULL)
                               : PyDescr_NewMethod((PyTypeObject*)type, methods);
        isOk = method != NULL && PyObject_SetAttrString(type, methods->ml_name, method) == 0;
        Py_XDECREF(method);
    }
    return isOk;
}

static PyObject* makeType(PyObject* module, const char* name, PyType_Slot* slots, size_t size,
                          unsigned int flags) {
    char full[64];
    PyOS_snprintf(full, sizeof full, "sudar.%s", name);
    PyType_Spec spec = {full, (int)size, 0, Py_TPFLAGS_DEFAULT | flags, slots};
    PyObject* type = PyType_FromModuleAndSpec(module, &spec, NULL);
    if (type != NULL && PyModule_AddObjectRef(module, name, type) != 0) {
        Py_CLEAR(type);
    }
    return type;
}

static bool addClasses(PyObject* module) {
    static PyMethodDef own[] = {
        {"free", callFree, METH_NOARGS,
         "free()\n\nAt once, rather than when the last name is gone. Again is allowed."},
        {"__enter__", enter, METH_NOARGS, NULL},
        {"__exit__", (PyCFunction)(void (*)(void))leave, METH_FASTCALL, NULL},
        {NULL, NULL, 0, NULL},
    };
    static PyGetSetDef fields[] = {{"is_free", isFree, NULL, "Whether it has been freed.", NULL},
                                   {NULL, NULL, NULL, NULL, NULL}};
    for (int i = 0; i < classCount; ++i) {
        PyType_Slot slots[] = {{Py_tp_dealloc, freeHandle},
                               {Py_tp_getset, fields},
                               {Py_tp_methods, classInfos[i].methods},
                               {i == worldClass ? Py_tp_new : 0, (void*)sdPy_NewWorld},
                               {0, NULL}};
        classTypes[i] = makeType(module, classInfos[i].name, slots, sizeof(HandleObject),
                                 i == worldClass ? 0 : Py_TPFLAGS_DISALLOW_INSTANTIATION);
        if (classTypes[i] == NULL || !addMethods(classTypes[i], own)) {
            return false;
        }
    }
    return addMethods(classTypes[worldClass], worldMethods);
}

static bool addIds(PyObject* module) {
    static PyGetSetDef fields[] = {
        {"id", getIdNumber, NULL, "The number that the world knows it by.", NULL},
        {"world", getIdWorld, NULL, "The world that it belongs to.", NULL},
        {NULL, NULL, NULL, NULL, NULL}};
    for (int i = 0; i < idCount; ++i) {
        PyType_Slot slots[] = {{Py_tp_new, newId},
                               {Py_tp_dealloc, freeId},
                               {Py_tp_getset, fields},
                               {Py_tp_richcompare, compareIds},
                               {Py_tp_hash, hashId},
                               {Py_tp_repr, showId},
                               {Py_tp_methods, idInfos[i].methods},
                               {0, NULL}};
        idTypes[i] = makeType(module, idInfos[i].name, slots, sizeof(IdObject), 0);
        if (idTypes[i] == NULL) {
            return false;
        }
    }
    return true;
}

bool sdPy_InitObjects(PyObject* module) {
    classTypes = PyMem_Calloc((size_t)classCount, sizeof *classTypes);
    idTypes = PyMem_Calloc((size_t)idCount, sizeof *idTypes);
    errorType = PyErr_NewExceptionWithDoc(
        "sudar.SudarError", "What the library refused, in its own words; `result` names the kind.",
        NULL, NULL);
    if (classTypes == NULL || idTypes == NULL || errorType == NULL ||
        PyModule_AddObjectRef(module, "SudarError", errorType) != 0) {
        return false;
    }
    bool isOk = addClasses(module) && addIds(module);
    for (int i = 0; isOk && i < spaceCount; ++i) {
        PyType_Slot slots[] = {{Py_tp_methods, spaceInfos[i].methods}, {0, NULL}};
        PyObject* type = makeType(module, spaceInfos[i].name, slots, sizeof(PyObject),
                                  Py_TPFLAGS_DISALLOW_INSTANTIATION);
        isOk = type != NULL;
        Py_XDECREF(type);
    }
    return isOk;
}
