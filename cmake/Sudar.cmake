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
    # Lanes are written out by hand; compilers that put neighbouring scalars into vectors on their
    # own get some of them wrong. gcc 12 takes (double)(float)x for x (test_bounds.c notices), clang
    # 14 mixes up parts of rotated vectors for WebAssembly (test_pairs.c notices).
    target_compile_options(${target} PRIVATE -fno-tree-slp-vectorize)
    if(SUDAR_WARNINGS_AS_ERRORS)
        target_compile_options(${target} PRIVATE -Werror)
    endif()
endfunction()

# On x86-64, compile kernels once more for AVX2, beside the base level that `target` has them at; or for
# AVX2 alone, where every file that is compiled costs a lot. Whatever has AVX2 takes the instruction that
# asks for memory to write as well, if only as one that does nothing.
function(sudar_kernels target)
    if(NOT SUDAR_AVX2 OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        return()
    endif()
    if(SUDAR_AVX2 STREQUAL "ONLY")
        set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -mavx2 -mprfchw)
        return()
    endif()
    target_compile_definitions(${target} PRIVATE SD_HAVE_AVX2_KERNELS)
    add_library(${target}_avx2 OBJECT ${ARGN})
    sudar_compile_options(${target}_avx2)
    target_include_directories(${target}_avx2 PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    set_target_properties(${target}_avx2 PROPERTIES C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
    target_compile_definitions(${target}_avx2 PRIVATE SD_BUILD SD_HAVE_AVX2_KERNELS SD_KERNEL_AVX2)
    target_compile_options(${target}_avx2 PRIVATE -mavx2 -mprfchw)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_avx2>)
endfunction()
