#!/bin/sh
# SPDX-License-Identifier: MIT
# All tests, in the order in which they find faults soonest. Stops at the first stage that fails.

set -eu
cd "$(dirname "$0")/.."

jobs=$(nproc)
stage() { printf '\n== %s\n' "$*"; }
build() { # preset, further options
    preset=$1
    shift
    cmake --preset "$preset" "$@" >/dev/null
    cmake --build --preset "$preset"
}
check() { ctest --preset "$1" -j "$jobs" --no-tests=error; }

stage "source: layers, format, public headers as C17 and C++17"
tools/check_layers.sh
tools/check_format.sh
tools/check_headers.sh

stage "release, gcc"
build release -DSUDAR_QHULL=ON
check release

stage "release, clang"
CC=clang cmake --preset release -B build/clang >/dev/null
cmake --build build/clang
ctest --test-dir build/clang -j "$jobs" --no-tests=error --output-on-failure

stage "address and undefined-behaviour sanitizers"
build asan -DSUDAR_QHULL=ON
check asan

stage "thread sanitizer"
build tsan
ctest --preset tsan -j "$jobs" --no-tests=error -R 'scheduler|parallel'

stage "WebAssembly under Node"
build wasm
check wasm

stage "installed copy, used from outside: find_package, pkg-config, add_subdirectory"
tools/check_install.sh

stage "all stages passed"
