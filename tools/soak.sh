#!/bin/sh
# SPDX-License-Identifier: MIT
# The random tests of the pair queries in full: ten times the counts of `make test`, which is a
# million pairs of each class; every scene in full, with what must be true at its end; stacks and
# bodies with holes for a minute of their time; a world in which everything comes and goes for an hour
# of its time; all tests with clang. Takes minutes. `tools/soak.sh PATTERN...` runs other tests the same way;
# SD_TEST_SCALE=100 runs ten times as long again. What each test said stays in out/soak.

set -eu
cd "$(dirname "$0")/.."

# all tests once with the other compiler, when no others are asked for
if [ $# -eq 0 ]; then
    CC=clang cmake --preset release -B build/clang >/dev/null
    cmake --build build/clang --target sudar_test
    SD_TEST_SCALE=0.2 tools/run_tests.sh build/clang
fi

[ $# -gt 0 ] || set -- 'agree_*' 'gjk_*' 'epa_*' 'sat_*' 'vclip_*' 'feature_*' 'moving_*' 'tritri_*' \
    'pairs_*' 'manifold_*' 'ray_*' 'toi_*' 'collide_mesh_*' 'planar_*' 'scene_*' 'stack_*' 'snapshot_*' 'query_*' \
    'ccd_*' 'meshdepth_*' 'concave_*' 'churn_*'

cmake --preset release >/dev/null
cmake --build --preset release --target sudar_test

SD_TEST_SCALE=${SD_TEST_SCALE:-10}
export SD_TEST_SCALE
rm -rf out/soak
mkdir -p out/soak
program=build/release/test/sudar_test

# every test by itself, one for each core at a time
list() {
    "$program" --list | while read -r name; do
        for pattern in "$@"; do
            # shellcheck disable=SC2254 # a pattern is meant
            case $name in $pattern) echo "$name"; break ;; esac
        done
    done
}
list "$@" | xargs -P "$(nproc)" -I '{}' sh -c \
    '"$0" "$1" >"out/soak/$1.log" 2>&1 || echo "FAILED $1"; grep -E " disagreements| steps: | steps compared|ms a step|asleep| escapes|differences|piled up|bodies made" "out/soak/$1.log" || true' \
    "$program" '{}'

failed=$(grep -l '^FAILED' out/soak/*.log || true)
count=$(find out/soak -name '*.log' | wc -l)
if [ -n "$failed" ]; then
    echo "soak: of $count tests these failed:"
    echo "$failed"
    exit 1
fi
grep -L '^1 passed' out/soak/*.log | while read -r log; do
    echo "soak: $log did not come to an end"
    exit 1
done
echo "soak: $count tests passed at $SD_TEST_SCALE times their usual length"
