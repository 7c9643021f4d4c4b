// SPDX-License-Identifier: MIT
// test_base.c - results, contexts, memory, arrays.

#include "base/array.h"
#include "support.h"

SD_TEST(base_results_have_words) {
    for (int i = 0; i < SD_RESULT_COUNT; ++i) {
        CHECK(sdResult_Text((sdResult)i)[0] != 0);
    }
    CHECK_TEXT(sdResult_Text((sdResult)999), "not a result");
    CHECK_TEXT(sdResult_Text((sdResult)-1), "not a result");
}

SD_TEST(base_version_matches_headers) {
    sdVersion version = sdGetVersion();
    CHECK_INT(version.major, SD_VERSION_MAJOR);
    CHECK_INT(version.minor, SD_VERSION_MINOR);
    CHECK_INT(version.patch, SD_VERSION_PATCH);
}

SD_TEST(base_context_without_hooks_is_refused) {
    TestContext test;
    TestContext_Init(&test);
    sdContext out;
    sdContext broken = test.context;
    broken.allocator.allocate = NULL;
    CHECK_INT(sdContext_Resolve(&broken, &out), SD_ERROR_INVALID_ARGUMENT);
    CHECK_TEXT(test.lastError, "hook is missing");
    broken = test.context;
    broken.tasks.workerCount = SD_MAX_WORKERS + 1;
    CHECK_INT(sdContext_Resolve(&broken, &out), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdContext_Resolve(NULL, &out), SD_OK);
}

SD_TEST(base_array_grows_and_survives_no_memory) {
    TestContext test;
    TestContext_Init(&test);
    const sdAllocator* allocator = &test.context.allocator;
    sdIntArray array = {0};
    for (int i = 0; i < 1000; ++i) {
        CHECK(sdIntArray_Push(&array, allocator, i));
    }
    CHECK_INT(array.count, 1000);
    CHECK_INT(array.data[999], 999);
    // sizes that cannot be had leave the array as it was
    CHECK(!sdIntArray_Reserve(&array, allocator, (int64_t)INT_MAX + 1));
    test.failAt = test.allocationCount;
    CHECK(!sdIntArray_Resize(&array, allocator, 100000));
    CHECK_INT(array.count, 1000);
    CHECK_INT(array.data[500], 500);
    sdIntArray_Free(&array, allocator);
    TestContext_Finish(&test);
}

SD_TEST(base_block_layout_aligns_and_notices_overflow) {
    sdBlockLayout layout = {0};
    size_t a = sdBlockLayout_Add(&layout, 3, 4);
    size_t b = sdBlockLayout_Add(&layout, 1, 100);
    CHECK_INT(a, 0);
    CHECK_INT(b, SD_ALIGNMENT);
    CHECK_INT(layout.size, 3 * SD_ALIGNMENT);
    CHECK(!layout.overflow);
    sdBlockLayout_Add(&layout, SIZE_MAX / 2, 4);
    CHECK(layout.overflow);
}
