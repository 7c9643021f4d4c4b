// SPDX-License-Identifier: MIT
// base.h - version, results, and the hooks through which the library asks for memory, speaks and
// runs in parallel.
//
// The library has no global state. Whatever allocates takes an sdContext; NULL means the default
// one: malloc, warnings and errors to stderr, everything on the calling thread.

#ifndef SUDAR_BASE_H
#define SUDAR_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SD_VERSION_MAJOR 0
#define SD_VERSION_MINOR 1
#define SD_VERSION_PATCH 0

#if defined(SD_SHARED) && defined(_WIN32)
#if defined(SD_BUILD)
#define SD_API __declspec(dllexport)
#else
#define SD_API __declspec(dllimport)
#endif
#elif defined(SD_SHARED) && defined(SD_BUILD)
#define SD_API __attribute__((visibility("default")))
#else
#define SD_API
#endif

#ifdef __cplusplus
#define SD_BEGIN_C extern "C" {
#define SD_END_C }
#else
#define SD_BEGIN_C
#define SD_END_C
#endif

SD_BEGIN_C

/// The most workers that a task system may have.
#define SD_MAX_WORKERS 64

/// "No element", wherever an index is stored.
#define SD_NULL_INDEX (-1)

/// The version of the library that is linked, which may differ from the headers'.
typedef struct sdVersion {
    int major;
    int minor;
    int patch;
} sdVersion;

/// To be compared with SD_VERSION_MAJOR and its like.
SD_API sdVersion sdGetVersion(void);

/// What a call that can fail returns. The reason, in words, goes to the context's log.
typedef enum sdResult {
    SD_OK = 0,
    SD_ERROR_INVALID_ARGUMENT, ///< a null pointer, a value that is not finite or out of its range
    SD_ERROR_OUT_OF_MEMORY,    ///< the allocator returned NULL; nothing was changed
    SD_ERROR_DEGENERATE,       ///< valid numbers, but the body has no volume (flat, thin, a point)
    SD_ERROR_BAD_MESH,         ///< the triangles do not bound a solid, where one is needed
    SD_ERROR_BAD_FILE,         ///< not a file of this kind, cut short or altered
    SD_ERROR_VERSION,          ///< a file of a version that this library does not read
    SD_ERROR_LIMIT,            ///< a documented limit of size or count would be passed
    SD_ERROR_STALE_ID,         ///< the object behind an id is gone
    SD_ERROR_IO,               ///< the operating system refused to read or write
    SD_ERROR_LOCKED,           ///< called from a callback that runs while the world steps
    SD_RESULT_COUNT
} sdResult;

/// One sentence about a result, never NULL, also for values outside the enumeration.
SD_API const char* sdResult_Text(sdResult result);

/// Where memory comes from. Both functions may be called from any worker.
typedef struct sdAllocator {
    /// @return memory of that size and alignment (a power of two, at most 64), or NULL
    void* (*allocate)(void* user, size_t size, size_t alignment);
    /// @param size what was asked for when the memory was allocated
    void (*release)(void* user, void* memory, size_t size);
    void* user;
} sdAllocator;

typedef enum sdLogLevel {
    SD_LOG_INFO,    ///< what was done: repairs made, route chosen
    SD_LOG_WARNING, ///< the result is usable, but perhaps not what was meant
    SD_LOG_ERROR    ///< why a call returned something other than SD_OK
} sdLogLevel;

/// Where the library's words go. May be called from any worker.
typedef struct sdLogger {
    void (*log)(void* user, sdLogLevel level, const char* text);
    void* user;
} sdLogger;

/// A part of a loop: items begin, begin + 1, ... end - 1.
/// @param worker 0 <= worker < workerCount. No two calls that run at the same time have the same
///        one, whichever loops and threads they belong to. A call that starts a loop of its own
///        waits for it, so that loop may run under the index of the call that started it.
typedef void sdTaskFcn(void* arg, int begin, int end, int worker);

/// How loops are run in parallel. A user with a job system of their own fills this in.
typedef struct sdTaskSystem {
    /// Cut 0..count-1 into parts of at least `grain` items (the last may be shorter), run them in
    /// any order on any worker, and return when all are done. Calls may be nested.
    void (*parallelFor)(void* user, sdTaskFcn* task, void* arg, int count, int grain);
    void* user;
    int workerCount; ///< 1 .. SD_MAX_WORKERS
} sdTaskSystem;

/// The three hooks together. Objects copy it, so it may go out of scope; what its `user` pointers
/// point to must live as long as the objects.
typedef struct sdContext {
    sdAllocator allocator;
    sdLogger logger;
    sdTaskSystem tasks;
} sdContext;

/// malloc, stderr for warnings and errors, one thread.
SD_API sdContext sdContext_Default(void);

/// A pool of threads of the library's own that serves as a task system. Several threads may share
/// it. A loop that is started while the pool is busy with another one, be it from inside that loop
/// or from another thread, runs on the thread that started it. From inside a loop it keeps the
/// worker index; another thread takes the index of a worker that idles, or of the first to finish
/// its part. So at most workerCount calls run at a time, and a task must not wait for a loop that
/// was started elsewhere.
typedef struct sdScheduler sdScheduler;

/// @param workerCount threads that work, the calling one included; 0 for one per processor
/// @return SD_ERROR_INVALID_ARGUMENT outside 0 .. SD_MAX_WORKERS; SD_ERROR_LIMIT when the system
///         has no threads left. On systems without threads every scheduler has one worker.
SD_API sdResult sdScheduler_Create(const sdContext* context, int workerCount, sdScheduler** out);

/// Waits for its threads and frees them. No loop may be running. NULL is allowed.
SD_API void sdScheduler_Destroy(sdScheduler* scheduler);

/// To be put into an sdContext. Valid until the scheduler is destroyed. NULL gives the task system
/// of the default context: one thread.
SD_API sdTaskSystem sdScheduler_GetTasks(sdScheduler* scheduler);

SD_END_C

#endif
