// SPDX-License-Identifier: MIT
// world.c - what Python has beyond the table: worlds with threads, states of all bodies as arrays,
// many worlds at once; the module.

#include "core.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- arguments -----------------------------------------------------------------------------

static bool isStruct(int index, PyObject* value) {
    return value == Py_None || PyDict_Check(value) ||
           strcmp(sdPy_StructName(value), structInfos[index].name) == 0;
}

/// A struct from what is left: values in the order of its fields, and words.
static bool bindFields(const BindInfo* info, int parameter, PyObject* const* args, Py_ssize_t count,
                       PyObject* fields, PyObject** out) {
    int index = info->parameters[parameter].structIndex;
    bool isGiven = count == 1 && isStruct(index, args[0]);
    PyObject* values = PyTuple_New(isGiven ? 0 : count);
    for (Py_ssize_t i = 0; values != NULL && !isGiven && i < count; ++i) {
        PyTuple_SetItem(values, i, Py_NewRef(args[i]));
    }
    if (values == NULL) {
        return false;
    }
    *out = sdPy_BuildStruct(index, isGiven ? args[0] : NULL, values, fields, info->place);
    Py_DECREF(values);
    return *out != NULL;
}

static int findParameter(const BindInfo* info, PyObject* name) {
    for (int i = 0; i < info->count; ++i) {
        if (PyUnicode_CompareWithASCIIString(name, info->parameters[i].name) == 0) {
            return i;
        }
    }
    return -1;
}

/// The one that takes what no other does: the last that may be given by its fields.
static int findFields(const BindInfo* info) {
    for (int i = info->count - 1; i >= 0 && info->parameters[i].isOptional; --i) {
        if (info->parameters[i].structIndex >= 0) {
            return i;
        }
    }
    return -1;
}

bool sdPy_Bind(const BindInfo* info, PyObject* const* args, Py_ssize_t count, PyObject* names,
               PyObject** out) {
    int open = findFields(info);
    PyObject* fields = PyDict_New();
    bool isOk = fields != NULL;
    Py_ssize_t nameCount = names == NULL ? 0 : PyTuple_Size(names);
    for (Py_ssize_t i = 0; isOk && i < nameCount; ++i) {
        PyObject* name = PyTuple_GetItem(names, i);
        int at = findParameter(info, name);
        if (at >= 0 && out[at] == NULL && at >= count) {
            out[at] = Py_NewRef(args[count + i]);
        } else if (at < 0 && open >= 0) {
            isOk = PyDict_SetItem(fields, name, args[count + i]) == 0;
        } else {
            PyErr_Format(PyExc_TypeError,
                         at < 0 ? "%s has no parameter %R" : "%s: %R is given twice", info->place,
                         name);
            isOk = false;
        }
    }
    Py_ssize_t plain = open < 0 ? info->count : open;
    for (Py_ssize_t i = 0; isOk && i < count && i < plain; ++i) {
        out[i] = Py_NewRef(args[i]);
    }
    if (isOk && count > plain && open < 0) {
        PyErr_Format(PyExc_TypeError, "%s takes %d arguments, not %zd", info->place, info->count,
                     count);
        isOk = false;
    }
    if (isOk && open >= 0 && (count > open || PyDict_Size(fields) > 0)) {
        Py_ssize_t rest = count > open ? count - open : 0;
        isOk = bindFields(info, open, args + (count - rest), rest, fields, &out[open]);
    }
    Py_XDECREF(fields);
    for (int i = 0; isOk && i < info->count; ++i) {
        if (out[i] == NULL && !info->parameters[i].isOptional) {
            PyErr_Format(PyExc_TypeError, "%s: %s is missing", info->place,
                         info->parameters[i].name);
            isOk = false;
        }
    }
    if (!isOk) {
        sdPy_Release(out, info->count);
    }
    return isOk;
}

void sdPy_Release(PyObject** values, int count) {
    for (int i = 0; i < count; ++i) {
        Py_CLEAR(values[i]);
    }
}

// ---- worlds --------------------------------------------------------------------------------

/// A world with its own log and threads. Takes both.
static PyObject* createWorld(const sdWorldDef* def, int threadCount) {
    Log* log = calloc(1, sizeof *log);
    if (log == NULL) {
        return PyErr_NoMemory();
    }
    pthread_mutex_init(&log->mutex, NULL);
    sdContext context = sdPy_MakeContext(log);
    sdScheduler* scheduler = NULL;
    sdWorld* world = NULL;
    sdPy_ClearLog(NULL);
    sdResult result =
        threadCount == 1 ? SD_OK : sdScheduler_Create(sdPy_GetContext(), threadCount, &scheduler);
    if (result == SD_OK) {
        context.tasks = sdScheduler_GetTasks(scheduler);
        result = sdWorld_Create(&context, def, &world);
    }
    PyObject* handle = result == SD_OK ? sdPy_WrapHandle(worldClass, world, false) : NULL;
    if (handle == NULL) {
        // the words are the world's, which there is not
        if (log->error[0] != '\0') {
            const sdContext* mine = sdPy_GetContext();
            mine->logger.log(mine->logger.user, SD_LOG_ERROR, log->error);
        }
        sdScheduler_Destroy(scheduler);
        pthread_mutex_destroy(&log->mutex);
        free(log);
        if (result != SD_OK) {
            sdPy_Check(NULL, result, "sdWorld_Create");
        }
        return NULL;
    }
    ((HandleObject*)handle)->scheduler = scheduler;
    ((HandleObject*)handle)->log = log;
    return handle;
}

/// World(def, threads=1, gravity=...): settings by their names.
PyObject* sdPy_NewWorld(PyTypeObject* type, PyObject* args, PyObject* names) {
    (void)type;
    PyObject* fields = names == NULL ? PyDict_New() : PyDict_Copy(names);
    if (fields == NULL) {
        return NULL;
    }
    int threadCount = 1;
    PyObject* threads = PyDict_GetItemString(fields, "threads");
    bool isOk = threads == NULL || sdPy_Write((ValueType){VALUE_INT, 0}, &threadCount, threads,
                                              "World: threads", NULL);
    if (isOk && threads != NULL) {
        isOk = PyDict_DelItemString(fields, "threads") == 0;
    }
    Py_ssize_t count = PyTuple_Size(args);
    PyObject* base = isOk && count == 1 ? PyTuple_GetItem(args, 0) : NULL;
    PyObject* nothing = PyTuple_New(0);
    if (isOk && count > 1) {
        PyErr_SetString(PyExc_TypeError, "World takes a WorldDef and fields of it by name");
        isOk = false;
    }
    PyObject* def = isOk && nothing != NULL ? sdPy_BuildStruct(sdPy_FindStruct("WorldDef"), base,
                                                               nothing, fields, "World")
                                            : NULL;
    PyObject* world =
        def == NULL
            ? NULL
            : createWorld((const sdWorldDef*)(void*)((StructObject*)def)->data, threadCount);
    Py_XDECREF(def);
    Py_XDECREF(nothing);
    Py_DECREF(fields);
    return world;
}

static PyObject* callCreate(PyObject* self, PyObject* args, PyObject* names) {
    (void)self;
    return sdPy_NewWorld(NULL, args, names);
}

typedef void ReadBody(const sdWorld* world, sdBodyId body, double* out);

static void readPose(const sdWorld* world, sdBodyId body, double* out) {
    sdWorldTransform xf = sdBody_GetTransform(world, body);
    double values[] = {xf.p.x,           xf.p.y,           xf.p.z,        (double)xf.q.v.x,
                       (double)xf.q.v.y, (double)xf.q.v.z, (double)xf.q.s};
    memcpy(out, values, sizeof values);
}

static void readVelocity(const sdWorld* world, sdBodyId body, double* out) {
    sdVec3 v = sdBody_GetVelocity(world, body);
    sdVec3 w = sdBody_GetAngularVelocity(world, body);
    double values[] = {(double)v.x, (double)v.y, (double)v.z,
                       (double)w.x, (double)w.y, (double)w.z};
    memcpy(out, values, sizeof values);
}

/// One row of doubles for each body, in the order of get_bodies(), into `out` or a new array.
static PyObject* readBodies(PyObject* self, PyObject* args, const char* place, int columns,
                            ReadBody* read) {
    PyObject* out = NULL;
    sdWorld* world =
        PyArg_ParseTuple(args, "|O", &out) ? sdPy_ToHandle(worldClass, self, place) : NULL;
    if (world == NULL) {
        return NULL;
    }
    int count = sdWorld_GetBodies(world, NULL, 0);
    PyObject* ids =
        PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)((size_t)count * sizeof(sdBodyId)) + 1);
    PyObject* bytes =
        out != NULL && out != Py_None
            ? NULL
            : PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)((size_t)(count * columns) * 8) + 1);
    PyObject* array = bytes != NULL ? sdPy_ViewNumbers('d', PyByteArray_AsString(bytes), count,
                                                       columns, false, true, bytes)
                                    : Py_XNewRef(out);
    Py_XDECREF(bytes);
    Py_buffer buffer;
    bool isOk =
        ids != NULL && array != NULL &&
        PyObject_GetBuffer(array, &buffer, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE | PyBUF_FORMAT) == 0;
    if (isOk) {
        isOk = buffer.ndim == 2 && buffer.shape[0] == count && buffer.shape[1] == columns &&
               buffer.format != NULL && strcmp(buffer.format, "d") == 0;
        sdBodyId* bodies = (sdBodyId*)(void*)PyByteArray_AsString(ids);
        sdWorld_GetBodies(world, bodies, count);
        for (int i = 0; isOk && i < count; ++i) {
            read(world, bodies[i], (double*)buffer.buf + (size_t)i * (size_t)columns);
        }
        PyBuffer_Release(&buffer);
        if (!isOk) {
            PyErr_Format(PyExc_ValueError,
                         "%s: out must be an array of float64 of the shape (%d, %d)", place, count,
                         columns);
        }
    }
    Py_XDECREF(ids);
    if (!isOk) {
        Py_XDECREF(array);
        return NULL;
    }
    return array;
}

static PyObject* getPoses(PyObject* self, PyObject* args) {
    return readBodies(self, args, "World.get_poses", 7, readPose);
}

static PyObject* getVelocities(PyObject* self, PyObject* args) {
    return readBodies(self, args, "World.get_velocities", 6, readVelocity);
}

PyMethodDef worldMethods[] = {
    {"create", (PyCFunction)(void (*)(void))callCreate, METH_VARARGS | METH_KEYWORDS | METH_STATIC,
     "The same as World(...)."},
    {"get_poses", getPoses, METH_VARARGS,
     "get_poses(out=None)\n\nx, y, z and the rotation's x, y, z, w of each body, in the order of "
     "get_bodies(): float64 (n, 7)."},
    {"get_velocities", getVelocities, METH_VARARGS,
     "get_velocities(out=None)\n\nLinear and angular velocity of each body, in the order of "
     "get_bodies(): float64 (n, 6)."},
    {NULL, NULL, 0, NULL},
};

// ---- many worlds ---------------------------------------------------------------------------

typedef struct Batch {
    sdWorld** worlds;
    sdResult* results;
    int worldCount, stepCount;
    float dt;
    atomic_int next;
} Batch;

static void* stepBatch(void* arg) {
    Batch* batch = arg;
    for (;;) {
        int i = atomic_fetch_add(&batch->next, 1);
        if (i >= batch->worldCount) {
            return NULL;
        }
        for (int k = 0; k < batch->stepCount && batch->results[i] == SD_OK; ++k) {
            batch->results[i] = sdWorld_Step(batch->worlds[i], batch->dt);
        }
    }
}

/// As many threads as the system gives; this one always takes part.
static void runBatch(Batch* batch, int threadCount) {
    pthread_t threads[SD_MAX_WORKERS];
    int count = 0;
    while (count < threadCount - 1 && count < batch->worldCount - 1 &&
           pthread_create(&threads[count], NULL, stepBatch, batch) == 0) {
        count += 1;
    }
    stepBatch(batch);
    for (int i = 0; i < count; ++i) {
        pthread_join(threads[i], NULL);
    }
}

static void setAllBusy(PyObject* worlds, int count, bool isBusy) {
    for (int i = 0; i < count; ++i) {
        sdPy_SetBusy(PyTuple_GetItem(worlds, i), isBusy);
    }
}

/// Each world once, none of them in use. @return how many were marked as busy
static int claimWorlds(PyObject* worlds, Batch* batch) {
    for (int i = 0; i < batch->worldCount; ++i) {
        PyObject* world = PyTuple_GetItem(worlds, i);
        batch->worlds[i] = sdPy_ToHandle(worldClass, world, "step_many: worlds");
        if (batch->worlds[i] == NULL) {
            return i;
        }
        sdPy_SetBusy(world, true);
        sdPy_ClearLog(world);
    }
    return batch->worldCount;
}

static PyObject* stepMany(PyObject* self, PyObject* args, PyObject* names) {
    (void)self;
    static char* words[] = {"worlds", "dt", "count", "threads", NULL};
    PyObject* given;
    Batch batch = {.stepCount = 1};
    int threadCount = 0;
    if (!PyArg_ParseTupleAndKeywords(args, names, "Of|ii", words, &given, &batch.dt,
                                     &batch.stepCount, &threadCount)) {
        return NULL;
    }
    if (batch.stepCount < 0 || threadCount < 0 || threadCount > SD_MAX_WORKERS) {
        return PyErr_Format(PyExc_ValueError,
                            "step_many: count must not be negative, threads must be 0 (one for "
                            "each processor) to %d",
                            SD_MAX_WORKERS);
    }
    PyObject* worlds = PySequence_Tuple(given);
    if (worlds == NULL) {
        return NULL;
    }
    batch.worldCount = (int)PyTuple_Size(worlds);
    batch.worlds = calloc((size_t)batch.worldCount + 1, sizeof(sdWorld*));
    batch.results = calloc((size_t)batch.worldCount + 1, sizeof(sdResult));
    PyObject* result = NULL;
    if (batch.worlds == NULL || batch.results == NULL) {
        PyErr_NoMemory();
    } else {
        int claimed = claimWorlds(worlds, &batch);
        if (claimed == batch.worldCount) {
            int processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
            Py_BEGIN_ALLOW_THREADS runBatch(&batch, threadCount > 0               ? threadCount
                                                    : processors < SD_MAX_WORKERS ? processors
                                                                                  : SD_MAX_WORKERS);
            Py_END_ALLOW_THREADS result = Py_NewRef(Py_None);
        }
        setAllBusy(worlds, claimed, false);
    }
    for (int i = 0; result != NULL && i < batch.worldCount; ++i) {
        if (!sdPy_Check(PyTuple_GetItem(worlds, i), batch.results[i], "sdWorld_Step")) {
            Py_CLEAR(result);
        }
    }
    free(batch.worlds);
    free(batch.results);
    Py_DECREF(worlds);
    return result;
}

// ---- module --------------------------------------------------------------------------------

static PyMethodDef ownMethods[] = {
    {"step_many", (PyCFunction)(void (*)(void))stepMany, METH_VARARGS | METH_KEYWORDS,
     "step_many(worlds, dt, count=1, threads=0)\n\nStep many worlds on many threads, each world on "
     "one of them."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "sudar._core",
                                        .m_doc = "The library, by the table of its functions.",
                                        .m_size = -1};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) {
    PyObject* module = PyModule_Create(&definition);
    bool isOk = module != NULL && sdPy_InitArrays(module) && sdPy_InitStructs(module) &&
                sdPy_InitObjects(module) && PyModule_AddFunctions(module, moduleMethods) == 0 &&
                PyModule_AddFunctions(module, ownMethods) == 0;
    if (!isOk) {
        Py_CLEAR(module);
    }
    return module;
}
