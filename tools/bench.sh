#!/bin/sh
# SPDX-License-Identifier: MIT
# The scoreboard: build all benchmarks, run them one after the other, gather what they recorded into
# out/bench/rows.csv and make out/bench/index.html and the tables of README.md of it.
#
#     tools/bench.sh             about twenty minutes
#     BENCH=full tools/bench.sh  every scene with all its steps: an hour or two

set -eu
cd "$(dirname "$0")/.."

out=out/bench
build=build/release/bench
node=build/bench-node
quick=--quick
[ "${BENCH-}" = full ] && quick=

cmake --preset release -DSUDAR_BENCH=ON >/dev/null
cmake --build --preset release --target bench_geometry bench_queries bench_broadphase bench_world \
    bench_concave bench_truth bench_planar bench_report sudar_cli

rm -rf "$out"
mkdir -p "$out"
BENCH_CSV=$PWD/$out/rows.csv
export BENCH_CSV

# what an engine is called, and which package it is of
{
    dpkg-query -W -f '${Package} ${Version}\n' libbullet-dev libode-dev libmujoco-dev libfcl-dev \
        libccd-dev libqhull-dev libbox2d-dev libchipmunk-dev 2>/dev/null || true
    for package in jolt-physics @dimforge/rapier3d-simd; do
        [ ! -e "$node/node_modules/$package" ] ||
            echo "$package $(sed -n 's/.*"version": *"\([^"]*\)".*/\1/p' "$node/node_modules/$package/package.json" | head -n 1) (npm)"
    done
} >"$out/versions.txt"

started=$(date +%s)
run() {
    name=$1
    shift
    printf '\n== %s\n' "$name"
    before=$(date +%s)
    "$@" >"$out/$name.txt" 2>&1 || { cat "$out/$name.txt"; echo "bench: $name failed" >&2; exit 1; }
    tail -n 1 "$out/$name.txt"
    echo "$(($(date +%s) - before)) s; all it said: $out/$name.txt"
}
run world "$build/bench_world" $quick
run truth "$build/bench_truth"
run concave "$build/bench_concave"
run planar "$build/bench_planar" $quick
if [ -e "$node/node_modules/jolt-physics" ] && [ -e "$node/node_modules/@dimforge/rapier3d-simd" ]; then
    cmake --preset wasm >/dev/null
    cmake --build --preset wasm --target sudar_web
    run wasm node bench/wasm.mjs "$node"
else
    echo "bench: no rows of WebAssembly: the packages of npm could not be had (tools/setup.sh bench)"
fi
run queries "$build/bench_queries" $quick
run broadphase "$build/bench_broadphase" $quick
run geometry "$build/bench_geometry"

printf '\n== report\n'
"$build/bench_report" "$out/rows.csv" "$out/versions.txt" "$out" README.md
echo "$(($(date +%s) - started)) s; open $out/index.html"
