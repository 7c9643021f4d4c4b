# SPDX-License-Identifier: MIT
# What every target of the project is compiled with.

function(sudar_compile_options target)
    set_target_properties(${target} PROPERTIES C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
    # fused operations would round differently from target to target; errno would keep sqrtf a call
    target_compile_options(${target} PRIVATE
        -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wmissing-prototypes -Wvla
        -ffp-contract=off -fno-math-errno)
    # vectors of 32 bytes stay inside inlined functions, so their calling convention is moot
    target_compile_options(${target} PRIVATE -Wno-psabi)
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        # gcc 12 takes (double)(float)x for x when it puts neighbouring fields into one vector:
        #   t.x = (float)a.x; t.y = (float)a.y; b.x = (double)t.x; b.y = (double)t.y;
        # test_bounds.c notices
        target_compile_options(${target} PRIVATE -fno-tree-slp-vectorize)
    endif()
    if(SUDAR_WARNINGS_AS_ERRORS)
        target_compile_options(${target} PRIVATE -Werror)
    endif()
endfunction()
