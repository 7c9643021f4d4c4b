#!/bin/sh
# SPDX-License-Identifier: MIT
# All tests of a build, spread over a few processes: starting one takes longer than most tests do,
# with sanitizers or Node many times as long. `ctest` runs each test by itself.
#     tools/run_tests.sh BUILD [PATTERN...]
# What the processes said stays in BUILD/test/logs.

set -eu
cd "$(dirname "$0")/.."

# so many that the last ones to end do not keep a core waiting for long
processes=24

build=$1
shift
program=$build/test/sudar_test
[ -x "$program" ] || program="node --no-warnings --experimental-wasi-unstable-preview1 tools/wasi.mjs $program.wasm"
logs=$build/test/logs
rm -rf "$logs"
mkdir -p "$logs"

# shellcheck disable=SC2086 # a program with its options
$program --list >"$logs/all"
[ $# -gt 0 ] || set -- '*'
while read -r name; do
    for pattern in "$@"; do
        # shellcheck disable=SC2254 # a pattern is meant
        case $name in $pattern) echo "$name"; break ;; esac
    done
done <"$logs/all" >"$logs/wanted"

# neighbours in the list take alike long, so they go to different processes
awk -v n=$processes '{ line[NR % n] = line[NR % n] " " $0 }
    END { for (i in line) print i, line[i] }' "$logs/wanted" |
    xargs -r -P "$(nproc)" -L 1 sh -c '
        log=$1/$2.log
        program=$0
        shift 2
        $program "$@" >"$log" 2>&1 && exit
        echo "exit code $?" >>"$log"
        # of each test that failed, and of the last one, which may not have come to an end
        awk "{ said = said \$0 \"\\n\" } /^ok /{ said = \"\" } /^FAILED/{ printf \"%s\", said; said = \"\" }
            END { printf \"%s\", said }" "$log"' "$program" "$logs" || true

# a process that died is run again by tools/wasi.mjs, and says so twice
grep -hs '^ok ' "$logs"/*.log | sed 's/^ok *//' | sort -u >"$logs/passed" || true
passed=$(wc -l <"$logs/passed")
missed=$(grep -vxFf "$logs/passed" "$logs/wanted" || true)
if [ -n "$missed" ]; then
    echo "these tests failed, or did not come to an end:"
    echo "$missed"
fi
# a world puts such bodies back and goes on, so that a test may pass; none is to need it
lost=$(awk '/would have left the numbers/ { lost = 1 } /^(ok|FAILED) / { if (lost) print $2; lost = 0 }' "$logs"/*.log)
if [ -n "$lost" ]; then
    echo "bodies left the numbers in these tests:"
    echo "$lost"
fi
printf '%d passed, %d failed\n' "$passed" "$(($(wc -l <"$logs/wanted") - passed))"
[ -z "$missed$lost" ] && [ "$passed" -gt 0 ]
