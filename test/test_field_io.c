// SPDX-License-Identifier: MIT
// test_field_io.c - fields as bytes and files: round trips, and everything that can be wrong.

#define _POSIX_C_SOURCE 200809L

#include "field_shapes.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined(__wasi__)
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

/// A field as bytes. To be freed with free().
static uint8_t* writeField(const sdField* field, size_t* size) {
    CHECK_INT(sdField_Write(field, NULL, size), SD_OK);
    uint8_t* data = malloc(*size);
    size_t room = *size;
    CHECK_INT(sdField_Write(field, data, &room), SD_OK);
    CHECK_INT(room, *size);
    return data;
}

/// A sparse field and its bytes.
typedef struct Bytes {
    TestContext test;
    sdField* field;
    uint8_t* data;
    size_t size;
} Bytes;

static bool Bytes_Init(Bytes* bytes, FieldShape shape, int resolution) {
    TestContext_Init(&bytes->test);
    bytes->field = FieldShape_Build(&bytes->test.context, shape, resolution, SD_FIELD_SPARSE);
    if (bytes->field == NULL) {
        return false;
    }
    bytes->data = writeField(bytes->field, &bytes->size);
    return true;
}

static void Bytes_Free(Bytes* bytes) {
    free(bytes->data);
    sdField_Release(bytes->field);
    TestContext_Finish(&bytes->test);
}

/// The hash of the format, written once more from its description.
static void sealBytes(uint8_t* data, size_t size) {
    uint64_t hash = 14695981039346656037ull ^ (size - 32);
    size_t i = 32;
    for (; i + 8 <= size; i += 8) {
        uint64_t word = 0;
        for (int k = 7; k >= 0; --k) {
            word = word << 8 | data[i + (size_t)k];
        }
        hash = (hash ^ word) * 1099511628211ull;
        hash ^= hash >> 29;
    }
    for (; i < size; ++i) {
        hash = (hash ^ data[i]) * 1099511628211ull;
    }
    hash ^= hash >> 32;
    for (int k = 0; k < 8; ++k) {
        data[24 + k] = (uint8_t)(hash >> (8 * k));
    }
}

static void putU32(uint8_t* p, uint32_t v) {
    for (int k = 0; k < 4; ++k) {
        p[k] = (uint8_t)(v >> (8 * k));
    }
}

#define FIELD_IO_HASH 0xe147b864816f06d9ull

static bool sameSamples(const sdField* a, const sdField* b) {
    TestRandom random = TestRandom_Make(7);
    for (int i = 0; i < 2000; ++i) {
        sdVec3 p = TestRandom_InBox(&random, 0.8f), ga, gb;
        float da = sdField_SampleGradient(a, p, &ga), db = sdField_SampleGradient(b, p, &gb);
        if (memcmp(&da, &db, sizeof da) != 0 || memcmp(&ga, &gb, sizeof ga) != 0) {
            return false;
        }
    }
    return true;
}

SD_TEST(field_io_round_trip_is_exact) {
    TestContext test;
    TestContext_Init(&test);
    for (int layout = SD_FIELD_SPARSE; layout <= SD_FIELD_DENSE; ++layout) {
        for (int shape = 0; shape < FIELD_SHAPE_COUNT; ++shape) {
            sdField* field =
                FieldShape_Build(&test.context, (FieldShape)shape, 24, (sdFieldLayout)layout);
            REQUIRE(field != NULL);
            size_t size, again;
            uint8_t* data = writeField(field, &size);
            sdField* copy;
            CHECK_INT(sdField_Read(&test.context, data, size, &copy), SD_OK);
            REQUIRE(copy != NULL);
            CHECK(sameSamples(field, copy));
            sdFieldInfo a = sdField_GetInfo(field), b = sdField_GetInfo(copy);
            CHECK(a.brickCount == b.brickCount && a.byteCount == b.byteCount && a.sign == b.sign);
            CHECK(a.bandWidth == b.bandWidth && a.layout == b.layout);
            uint8_t* second = writeField(copy, &again);
            CHECK(again == size && memcmp(data, second, size) == 0);
            free(data);
            free(second);
            sdField_Release(field);
            sdField_Release(copy);
        }
    }
    TestContext_Finish(&test);
}

SD_TEST(field_io_bytes_are_the_same_on_every_target) {
    Bytes own;
    REQUIRE(Bytes_Init(&own, FIELD_BOX, 16));
    uint64_t hash = TestHash(TEST_HASH_START, own.data, own.size);
    sdTest_Print("box 16: %zu bytes, %016llx", own.size, (unsigned long long)hash);
    CHECK(hash == FIELD_IO_HASH);
    Bytes_Free(&own);
}

SD_TEST(field_io_cut_short_is_refused_at_every_length) {
    Bytes own;
    REQUIRE(Bytes_Init(&own, FIELD_TORUS, 8));
    int wrong = 0;
    for (size_t length = 0; length < own.size; ++length) {
        // an exact copy, so that the sanitizer sees any read behind the end
        uint8_t* part = malloc(length > 0 ? length : 1);
        memcpy(part, own.data, length);
        sdField* copy = own.field;
        sdResult result = sdField_Read(&own.test.context, part, length, &copy);
        wrong += result == SD_ERROR_BAD_FILE && copy == NULL ? 0 : 1;
        free(part);
    }
    CHECK_INT(wrong, 0);
    CHECK(own.test.lastError[0] != 0);
    // and one byte too many
    uint8_t* more = calloc(own.size + 1, 1);
    memcpy(more, own.data, own.size);
    sdField* copy;
    CHECK_INT(sdField_Read(&own.test.context, more, own.size + 1, &copy), SD_ERROR_BAD_FILE);
    CHECK_TEXT(own.test.lastError, "should have");
    free(more);
    Bytes_Free(&own);
}

SD_TEST(field_io_every_altered_byte_is_noticed) {
    Bytes own;
    REQUIRE(Bytes_Init(&own, FIELD_BOX, 8));
    int wrong = 0, versions = 0;
    for (size_t i = 0; i < own.size; ++i) {
        for (int bit = 0; bit < 8; ++bit) {
            own.data[i] = (uint8_t)(own.data[i] ^ 1u << bit);
            sdField* copy = own.field;
            sdResult result = sdField_Read(&own.test.context, own.data, own.size, &copy);
            wrong +=
                (result == SD_ERROR_BAD_FILE || result == SD_ERROR_VERSION) && copy == NULL ? 0 : 1;
            versions += result == SD_ERROR_VERSION ? 1 : 0;
            own.data[i] = (uint8_t)(own.data[i] ^ 1u << bit);
        }
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(versions, 32);
    Bytes_Free(&own);
}

/// Sample everywhere, so that the sanitizer sees reads outside of the arrays.
static void sampleAll(const sdField* field) {
    TestRandom random = TestRandom_Make(3);
    sdFieldInfo info = sdField_GetInfo(field);
    sdVec3 size = sdSub(info.bounds.upper, info.bounds.lower);
    for (int i = 0; i < 300; ++i) {
        sdVec3 t = TestRandom_InBox(&random, 0.7f);
        sdVec3 p = sdAdd(sdAABB_Center(info.bounds), sdMul(t, size)), g;
        float d = sdField_SampleGradient(field, p, &g);
        CHECK(sdIsFinite(d) && sdVec3_IsFinite(g));
    }
    sdMassProps mass;
    (void)sdField_GetMass(field, 1.0f, &mass);
}

SD_TEST(field_io_hostile_headers_are_refused) {
    Bytes own;
    REQUIRE(Bytes_Init(&own, FIELD_BOX, 8));
    static const uint32_t words[] = {0,          1,          2,          3,          4,
                                     8,          1152,       1156,       0x7FFFFFFF, 0x80000000,
                                     0xFFFFFFFF, 0x7F800000, 0x7FC00000, 0x3F800000, 0xBF800000,
                                     0x00000001, 0x7F7FFFFF, 0x60AD78EC, 0x20000000, 0x00010000};
    int64_t before = own.test.liveBytes;
    int accepted = 0;
    for (size_t offset = 8; offset < 96; offset += 4) {
        if (offset == 24 || offset == 28) {
            continue;
        }
        for (size_t k = 0; k < sizeof words / sizeof words[0]; ++k) {
            uint8_t old[4];
            memcpy(old, own.data + offset, 4);
            putU32(own.data + offset, words[k]);
            sealBytes(own.data, own.size);
            own.test.peakBytes = own.test.liveBytes;
            sdField* copy = NULL;
            sdResult result = sdField_Read(&own.test.context, own.data, own.size, &copy);
            CHECK(result == SD_OK || result == SD_ERROR_BAD_FILE || result == SD_ERROR_VERSION);
            CHECK((result == SD_OK) == (copy != NULL));
            // never much more memory than there are bytes
            CHECK(own.test.peakBytes - before <= (int64_t)(8 * own.size + 4096));
            if (copy != NULL) {
                accepted += 1;
                sampleAll(copy);
                sdField_Release(copy);
            }
            memcpy(own.data + offset, old, 4);
        }
    }
    sdTest_Print("%d altered headers were of possible fields", accepted);
    // bricks that are marked but not there, and the other way round
    for (size_t i = 0; i < 2; ++i) {
        own.data[own.size - 1 - i] = (uint8_t)(own.data[own.size - 1 - i] ^ 1u);
        sealBytes(own.data, own.size);
        sdField* copy;
        CHECK_INT(sdField_Read(&own.test.context, own.data, own.size, &copy), SD_ERROR_BAD_FILE);
        own.data[own.size - 1 - i] = (uint8_t)(own.data[own.size - 1 - i] ^ 1u);
    }
    // so many cells that their product overflows
    for (size_t axis = 0; axis < 3; ++axis) {
        putU32(own.data + 36 + 4 * axis, 0x7FFFFFFC);
    }
    sealBytes(own.data, own.size);
    sdField* copy;
    CHECK_INT(sdField_Read(&own.test.context, own.data, own.size, &copy), SD_ERROR_BAD_FILE);
    CHECK_TEXT(own.test.lastError, "number of cells");
    Bytes_Free(&own);
}

SD_TEST(field_io_marks_of_bricks_that_are_not_there) {
    Bytes own;
    REQUIRE(Bytes_Init(&own, FIELD_SPHERE, 24));
    size_t bits = ((size_t)sdFieldGrid_CountBricks(&own.field->grid) + 7) / 8;
    for (int value = 0; value <= 0xFF; value += 0xFF) {
        memset(own.data + own.size - bits, value, bits);
        sealBytes(own.data, own.size);
        sdField* copy;
        CHECK_INT(sdField_Read(&own.test.context, own.data, own.size, &copy), SD_ERROR_BAD_FILE);
        CHECK_TEXT(own.test.lastError, "marks another number of bricks");
    }
    Bytes_Free(&own);
}

SD_TEST(field_io_values_of_any_kind_stay_finite) {
    Bytes own;
    REQUIRE(Bytes_Init(&own, FIELD_SPHERE, 12));
    TestRandom random = TestRandom_Make(11);
    int64_t bricks = sdFieldGrid_CountBricks(&own.field->grid);
    size_t end = own.size - (size_t)(bricks + 7) / 8;
    for (size_t i = 96; i < end; ++i) {
        own.data[i] = (uint8_t)TestRandom_Next(&random);
    }
    sealBytes(own.data, own.size);
    sdField* copy;
    CHECK_INT(sdField_Read(&own.test.context, own.data, own.size, &copy), SD_OK);
    REQUIRE(copy != NULL);
    sampleAll(copy);
    sdField_Release(copy);
    Bytes_Free(&own);
}

SD_TEST(field_io_missing_arguments_and_room) {
    TestContext test;
    TestContext_Init(&test);
    sdField* field = FieldShape_Build(&test.context, FIELD_BOX, 8, SD_FIELD_DENSE);
    REQUIRE(field != NULL);
    size_t size = 0, small = 10;
    uint8_t bytes[10] = {0};
    sdField* copy = field;
    CHECK_INT(sdField_Write(NULL, NULL, &size), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdField_Write(field, NULL, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdField_Write(field, bytes, &small), SD_ERROR_LIMIT);
    CHECK(small > 1000 && bytes[0] == 0);
    CHECK_INT(sdField_Read(&test.context, NULL, 5, &copy), SD_ERROR_INVALID_ARGUMENT);
    CHECK(copy == NULL);
    CHECK_INT(sdField_Read(&test.context, bytes, 5, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdField_Read(&test.context, bytes, 0, &copy), SD_ERROR_BAD_FILE);
    CHECK_INT(sdField_Save(&test.context, NULL, "x"), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdField_Save(&test.context, field, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdField_Load(&test.context, NULL, &copy), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdField_Load(&test.context, "/nowhere/at/all", &copy), SD_ERROR_IO);
    CHECK_TEXT(test.lastError, "/nowhere/at/all");
    sdField_Release(field);
    TestContext_Finish(&test);
}

typedef struct ReadArg {
    const uint8_t* data;
    size_t size;
} ReadArg;

static sdResult readAction(const sdContext* context, void* arg) {
    const ReadArg* read = arg;
    sdField* field = NULL;
    sdResult result = sdField_Read(context, read->data, read->size, &field);
    CHECK((result == SD_OK) == (field != NULL));
    sdField_Release(field);
    return result;
}

SD_TEST(field_io_no_memory_for_reading) {
    TestContext test;
    TestContext_Init(&test);
    sdField* field = FieldShape_Build(&test.context, FIELD_BOX, 8, SD_FIELD_SPARSE);
    REQUIRE(field != NULL);
    ReadArg read;
    uint8_t* data = writeField(field, &read.size);
    read.data = data;
    CHECK_INT(TestContext_FailEach(readAction, &read), 1);
    free(data);
    sdField_Release(field);
    TestContext_Finish(&test);
}

#if !defined(__wasi__)

/// A folder for one test. Removed by its user.
static const char* makeFolder(void) {
    static char folder[64];
    snprintf(folder, sizeof folder, "/tmp/sudar_field_XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    return folder;
}

SD_TEST(field_io_file_round_trip_replaces_and_leaves_nothing) {
    TestContext test;
    TestContext_Init(&test);
    const char* folder = makeFolder();
    char path[128];
    snprintf(path, sizeof path, "%s/a.field", folder);
    sdField* first = FieldShape_Build(&test.context, FIELD_BOX, 8, SD_FIELD_SPARSE);
    // more than one buffer of the reader
    sdField* second = FieldShape_Build(&test.context, FIELD_SPHERE, 48, SD_FIELD_SPARSE);
    REQUIRE(first != NULL && second != NULL);
    sdField* copy;
    CHECK_INT(sdField_Save(&test.context, first, path), SD_OK);
    CHECK_INT(sdField_Load(&test.context, path, &copy), SD_OK);
    CHECK(copy != NULL && sameSamples(first, copy));
    sdField_Release(copy);
    CHECK_INT(sdField_Save(&test.context, second, path), SD_OK);
    CHECK_INT(sdField_Load(&test.context, path, &copy), SD_OK);
    CHECK(copy != NULL && sameSamples(second, copy));
    sdField_Release(copy);
    remove(path);
    // nothing else was in the folder, or this would fail
    CHECK(rmdir(folder) == 0);
    sdField_Release(first);
    sdField_Release(second);
    TestContext_Finish(&test);
}

SD_TEST(field_io_files_that_cannot_be_written_or_read) {
    TestContext test;
    TestContext_Init(&test);
    const char* folder = makeFolder();
    char path[128];
    sdField* field = FieldShape_Build(&test.context, FIELD_SPHERE, 24, SD_FIELD_SPARSE);
    REQUIRE(field != NULL);
    sdField* copy;
    snprintf(path, sizeof path, "%s/none/a.field", folder);
    CHECK_INT(sdField_Save(&test.context, field, path), SD_ERROR_IO);
    CHECK_TEXT(test.lastError, "none/a.field");
    // a folder stands under that name
    CHECK_INT(sdField_Save(&test.context, field, folder), SD_ERROR_IO);
    CHECK_INT(sdField_Load(&test.context, folder, &copy), SD_ERROR_IO);
    // endless, but not a field
    CHECK_INT(sdField_Load(&test.context, "/dev/zero", &copy), SD_ERROR_BAD_FILE);
    CHECK_INT(sdField_Load(&test.context, "/dev/null", &copy), SD_ERROR_BAD_FILE);
    CHECK(copy == NULL);
    CHECK(rmdir(folder) == 0);
    sdField_Release(field);
    TestContext_Finish(&test);
}

SD_TEST(field_io_long_file_is_not_read_to_its_end) {
    TestContext test;
    TestContext_Init(&test);
    const char* folder = makeFolder();
    char path[128];
    snprintf(path, sizeof path, "%s/a.field", folder);
    sdField* field = FieldShape_Build(&test.context, FIELD_BOX, 8, SD_FIELD_SPARSE);
    REQUIRE(field != NULL);
    CHECK_INT(sdField_Save(&test.context, field, path), SD_OK);
    // a field, and then sixteen megabytes of nothing
    FILE* file = fopen(path, "r+b");
    REQUIRE(file != NULL);
    fseek(file, 16 << 20, SEEK_SET);
    fputc(0, file);
    fclose(file);
    test.peakBytes = 0;
    sdField* copy;
    CHECK_INT(sdField_Load(&test.context, path, &copy), SD_ERROR_BAD_FILE);
    CHECK(test.peakBytes < 1 << 20);
    remove(path);
    CHECK(rmdir(folder) == 0);
    sdField_Release(field);
    TestContext_Finish(&test);
}

SD_TEST(field_io_full_disk_keeps_the_old_file) {
    TestContext test;
    TestContext_Init(&test);
    const char* folder = makeFolder();
    char path[128];
    snprintf(path, sizeof path, "%s/a.field", folder);
    sdField* small = FieldShape_Build(&test.context, FIELD_BOX, 4, SD_FIELD_SPARSE);
    sdField* large = FieldShape_Build(&test.context, FIELD_SPHERE, 48, SD_FIELD_SPARSE);
    REQUIRE(small != NULL && large != NULL);
    CHECK_INT(sdField_Save(&test.context, small, path), SD_OK);
    // files may have no more than 64 KiB from here on, as if the disk were full
    struct rlimit old, limit;
    getrlimit(RLIMIT_FSIZE, &old);
    limit = (struct rlimit){65536, old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    sdResult result = sdField_Save(&test.context, large, path);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, SIG_DFL);
    CHECK_INT(result, SD_ERROR_IO);
    sdField* copy;
    CHECK_INT(sdField_Load(&test.context, path, &copy), SD_OK);
    CHECK(copy != NULL && sameSamples(small, copy));
    sdField_Release(copy);
    remove(path);
    CHECK(rmdir(folder) == 0);
    sdField_Release(small);
    sdField_Release(large);
    TestContext_Finish(&test);
}

typedef struct FileArg {
    const sdField* field;
    const char* path;
} FileArg;

static sdResult fileAction(const sdContext* context, void* arg) {
    const FileArg* file = arg;
    sdField* copy = NULL;
    sdResult result = sdField_Save(context, file->field, file->path);
    result = result != SD_OK ? result : sdField_Load(context, file->path, &copy);
    sdField_Release(copy);
    return result;
}

SD_TEST(field_io_no_memory_for_files) {
    TestContext test;
    TestContext_Init(&test);
    const char* folder = makeFolder();
    char path[128];
    snprintf(path, sizeof path, "%s/a.field", folder);
    sdField* field = FieldShape_Build(&test.context, FIELD_SPHERE, 48, SD_FIELD_SPARSE);
    REQUIRE(field != NULL);
    FileArg file = {field, path};
    CHECK(TestContext_FailEach(fileAction, &file) >= 5);
    remove(path);
    CHECK(rmdir(folder) == 0);
    sdField_Release(field);
    TestContext_Finish(&test);
}

#endif
