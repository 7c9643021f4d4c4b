// SPDX-License-Identifier: MIT
// memory.c - the default context, allocation through a context, failure with a reason.

#if defined(__linux__)
#define _DEFAULT_SOURCE
#endif

#include "base/thread.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

/// Longest text that the log receives; longer ones are cut.
#define LOG_CAPACITY 1024

/// A page of the larger kind. Blocks of HUGE_BLOCK and more are put on such pages where the system
/// has them: the addresses of large worlds are too many for small ones to be known to the
/// processor.
#define HUGE_PAGE ((size_t)2 << 20)
#define HUGE_BLOCK ((size_t)4 << 20)

// malloc of wasi-libc knows nothing of threads
#if defined(SD_HAVE_THREADS) && defined(__wasm__)
static sdMutex mallocMutex;
#define LOCK_MALLOC() sdMutex_Lock(&mallocMutex)
#define UNLOCK_MALLOC() sdMutex_Unlock(&mallocMutex)
#else
#define LOCK_MALLOC() ((void)0)
#define UNLOCK_MALLOC() ((void)0)
#endif

static void* defaultAllocate(void* user, size_t size, size_t alignment) {
    (void)user;
    alignment = size >= HUGE_BLOCK && alignment < HUGE_PAGE ? HUGE_PAGE : alignment;
    // aligned_alloc wants a multiple of the alignment
    if (size > SIZE_MAX - alignment) {
        return NULL;
    }
    size = (size + alignment - 1) / alignment * alignment;
    LOCK_MALLOC();
    void* memory = aligned_alloc(alignment, size);
    UNLOCK_MALLOC();
#if defined(MADV_HUGEPAGE)
    if (memory != NULL && size >= HUGE_BLOCK) {
        // where this fails, pages stay small
        (void)madvise(memory, size, MADV_HUGEPAGE);
    }
#endif
    return memory;
}

static void defaultRelease(void* user, void* memory, size_t size) {
    (void)user;
    (void)size;
    LOCK_MALLOC();
    free(memory);
    UNLOCK_MALLOC();
}

static void defaultLog(void* user, sdLogLevel level, const char* text) {
    (void)user;
    if (level != SD_LOG_INFO) {
        fprintf(stderr, "sudar: %s: %s\n", level == SD_LOG_ERROR ? "error" : "warning", text);
    }
}

static void serialFor(void* user, sdTaskFcn* task, void* arg, int count, int grain) {
    (void)user;
    (void)grain;
    if (count > 0) {
        task(arg, 0, count, 0);
    }
}

sdResult sdContext_Resolve(const sdContext* context, sdContext* out) {
    if (context == NULL) {
        *out = sdContext_Default();
        return SD_OK;
    }
    bool isWhole = context->allocator.allocate != NULL && context->allocator.release != NULL &&
                   context->logger.log != NULL && context->tasks.parallelFor != NULL &&
                   context->tasks.workerCount >= 1 && context->tasks.workerCount <= SD_MAX_WORKERS;
    if (!isWhole) {
        // the given logger may be the part that is missing
        sdContext fallback = sdContext_Default();
        return sdFail(context->logger.log != NULL ? context : &fallback, SD_ERROR_INVALID_ARGUMENT,
                      "sdContext: a hook is missing or workerCount is outside 1..%d; start from "
                      "sdContext_Default()",
                      SD_MAX_WORKERS);
    }
    *out = *context;
    return SD_OK;
}

void* sdAlloc(const sdAllocator* allocator, size_t size) {
    return size == 0 ? NULL : allocator->allocate(allocator->user, size, SD_ALIGNMENT);
}

void* sdAllocZero(const sdAllocator* allocator, size_t size) {
    void* memory = sdAlloc(allocator, size);
    if (memory != NULL) {
        memset(memory, 0, size);
    }
    return memory;
}

void* sdAllocArray(const sdAllocator* allocator, size_t count, size_t itemSize) {
    if (itemSize != 0 && count > SIZE_MAX / itemSize) {
        return NULL;
    }
    return sdAlloc(allocator, count * itemSize);
}

void sdFree(const sdAllocator* allocator, void* memory, size_t size) {
    if (memory != NULL) {
        allocator->release(allocator->user, memory, size);
    }
}

static void logText(const sdContext* context, sdLogLevel level, const char* format, va_list args)
    SD_PRINTF(3, 0);

static void logText(const sdContext* context, sdLogLevel level, const char* format, va_list args) {
    char text[LOG_CAPACITY];
    vsnprintf(text, sizeof text, format, args);
    sdContext standard = sdContext_Default();
    const sdLogger* logger = context != NULL ? &context->logger : &standard.logger;
    logger->log(logger->user, level, text);
}

void sdLog(const sdContext* context, sdLogLevel level, const char* format, ...) {
    va_list args;
    va_start(args, format);
    logText(context, level, format, args);
    va_end(args);
}

sdResult sdFail(const sdContext* context, sdResult result, const char* format, ...) {
    va_list args;
    va_start(args, format);
    logText(context, SD_LOG_ERROR, format, args);
    va_end(args);
    return result;
}

sdResult sdFailMemory(const sdContext* context, const char* function, size_t size) {
    return sdFail(context, SD_ERROR_OUT_OF_MEMORY, "%s: no memory for %zu bytes", function, size);
}

size_t sdBlockLayout_Add(sdBlockLayout* layout, size_t count, size_t itemSize) {
    size_t offset = layout->size;
    if (itemSize != 0 && count > (SIZE_MAX - offset - SD_ALIGNMENT) / itemSize) {
        layout->overflow = true;
        return 0;
    }
    size_t end = offset + count * itemSize;
    layout->size = (end + SD_ALIGNMENT - 1) / SD_ALIGNMENT * SD_ALIGNMENT;
    return offset;
}

void sdRefCount_Init(sdRefCount* count) {
    atomic_init(&count->value, 1);
}

void sdRefCount_Retain(sdRefCount* count) {
    atomic_fetch_add_explicit(&count->value, 1, memory_order_relaxed);
}

bool sdRefCount_Release(sdRefCount* count) {
    return atomic_fetch_sub_explicit(&count->value, 1, memory_order_acq_rel) == 1;
}

sdContext sdContext_Default(void) {
    return (sdContext){
        .allocator = {defaultAllocate, defaultRelease, NULL},
        .logger = {defaultLog, NULL},
        .tasks = {serialFor, NULL, 1},
    };
}

sdVersion sdGetVersion(void) {
    return (sdVersion){SD_VERSION_MAJOR, SD_VERSION_MINOR, SD_VERSION_PATCH};
}

const char* sdResult_Text(sdResult result) {
    static const char* const texts[SD_RESULT_COUNT] = {
        [SD_OK] = "no error",
        [SD_ERROR_INVALID_ARGUMENT] = "an argument is missing, not finite or out of its range",
        [SD_ERROR_OUT_OF_MEMORY] = "the allocator has no memory left",
        [SD_ERROR_DEGENERATE] = "the body has no volume",
        [SD_ERROR_BAD_MESH] = "the triangles do not bound a solid",
        [SD_ERROR_BAD_FILE] = "not a file of this kind, or cut short or altered",
        [SD_ERROR_VERSION] = "a file of a version that this library does not read",
        [SD_ERROR_LIMIT] = "a limit of size or count would be passed",
        [SD_ERROR_STALE_ID] = "the object behind the id is gone",
        [SD_ERROR_IO] = "the operating system could not read or write",
        [SD_ERROR_LOCKED] = "the world is in the middle of a step",
    };
    if ((int)result < 0 || result >= SD_RESULT_COUNT) {
        return "not a result of this library";
    }
    return texts[result];
}
