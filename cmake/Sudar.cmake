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
