#!/bin/sh
# SPDX-License-Identifier: MIT
# All tests; stops at the first stage that fails. While a stage is tested, the next ones are built (what the
# builds said stays in build/*.log): pages in a browser leave cores idle, so they come before what takes
# longest to compile.

set -eu
cd "$(dirname "$0")/.."

# Sanitizers make compiling slow, so kernels are compiled for one level, that which is used here.
avx2=OFF
! grep -qw avx2 /proc/cpuinfo 2>/dev/null || avx2=ONLY

# ---- building ------------------------------------------------------------------------------

stages="release wasm asan tsan install"

build_release() {
    cmake --preset release -DSUDAR_QHULL=ON -DSUDAR_PYTHON=ON -DPython3_EXECUTABLE=/usr/bin/python3 &&
        cmake --build --preset release
}
build_wasm() {
    cmake --preset wasm &&
        cmake --build --preset wasm &&
        tools/page.sh
}
build_asan() {
    cmake --preset asan -DSUDAR_QHULL=ON -DSUDAR_AVX2=$avx2 &&
        cmake --build --preset asan
}
# by the other compiler: the hashes of scenes are among these tests
build_tsan() {
    CC=clang cmake --preset tsan -DSUDAR_AVX2=$avx2 -DSUDAR_TESTS_LIKE="scheduler|parallel" &&
        cmake --build --preset tsan --target sudar_test
}
build_install() { tools/check_install.sh; }

# one after the other, each reported by a line with its result and seconds
if [ "${1-}" = --build ]; then
    for name in $stages; do
        start=$(date +%s)
        if "build_$name" >"build/$name.log" 2>&1; then result=built; else result=failed; fi
        echo "$name $result $(($(date +%s) - start))"
    done
    exit
fi

# ---- testing -------------------------------------------------------------------------------

# programs beside the one with the tests
others() { ctest --test-dir "$1" -R '^(cli|cli_.*|example_.*|fuzz_.*)$' -j "$(nproc)" --no-tests=error --output-on-failure; }

# the engine as a module for pages and Node, compared with build/release, and the viewer in Chromium
module() { web/node_modules/.bin/tsc -p web && pages $(ls web/test/*.test.mjs | grep -v /stream.test); }
# the viewer over a command with sanitizers: no test may take what is being built beside it
stream() { SUDAR_CHECKED_COMMAND=$PWD/build/asan/cli/sudar pages web/test/stream.test.mjs; }
pages() { node --expose-gc --test --test-reporter=dot "$@"; }

# Random tests in full are for the first stage: what depends on the compiler, on the machine or on
# memory shows in fewer rounds (TestScale in test/support.h). `make soak` has all tests of the other
# compiler.
test_release() { tools/run_tests.sh build/release && others build/release &&
    ctest --test-dir build/release -R '^all_scenes$' --no-tests=error --output-on-failure &&
    tools/check_python.sh build/release && tools/check_docs.py build/release && tools/count_instructions.sh; }
test_wasm() { SD_TEST_SCALE=0.2 tools/run_tests.sh build/wasm && others build/wasm &&
    tools/fuzz.sh --compare build/release build/wasm && module && tools/check_docs.py build/wasm; }
test_asan() { SD_TEST_SCALE=0.2 tools/run_tests.sh build/asan && others build/asan &&
    tools/fuzz.sh --driver build/asan && stream; }
test_tsan() { tools/run_tests.sh build/tsan '*scheduler*' '*parallel*'; }
test_install() { cat build/install.log; }

title() {
    case $1 in
        release) echo "release, gcc" ;;
        wasm) echo "WebAssembly under Node" ;;
        asan) echo "address and undefined-behaviour sanitizers" ;;
        tsan) echo "thread sanitizer, clang" ;;
        install) echo "installed copy, used from outside: find_package, pkg-config, add_subdirectory" ;;
    esac
}
stage() { printf '\n== %s\n' "$*"; }

mkdir -p build
work=$(mktemp -d)
mkfifo "$work/built"
setsid nice -n 5 "$0" --build >"$work/built" &
builder=$!
trap 'kill -- -$builder 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

stage "source: layers, format, public headers as C17 and C++17"
tools/check_layers.sh
tools/check_format.sh
tools/check_headers.sh

passed=
while read -r name result seconds; do
    stage "$(title "$name")"
    echo "$result in $seconds s"
    if [ "$result" != built ]; then
        cat "build/$name.log"
        exit 1
    fi
    start=$(date +%s)
    "test_$name" </dev/null || exit 1
    echo "tested in $(($(date +%s) - start)) s"
    passed="$passed$name "
done <"$work/built"

[ "$passed" = "$stages " ] || { stage "not all stages were built"; exit 1; }
stage "all stages passed"
