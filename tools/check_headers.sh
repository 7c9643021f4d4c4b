#!/bin/sh
# SPDX-License-Identifier: MIT
# Each public header stands alone, as C17 and as C++17, with both compilers, without a warning.

set -eu
cd "$(dirname "$0")/.."

flags="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Iinclude -fsyntax-only"
for header in include/sudar/*.h; do
    line="#include \"${header#include/}\""
    for compiler in gcc clang; do
        echo "$line" | $compiler -std=c17 $flags -Wmissing-prototypes -x c -
    done
    for compiler in g++ clang++; do
        echo "$line" | $compiler -std=c++17 $flags -x c++ -
    done
done
echo "headers: each compiles alone as C17 and C++17"
