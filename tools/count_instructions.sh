#!/bin/sh
# SPDX-License-Identifier: MIT
# Instructions of the steps of four small scenes, by callgrind, beside those recorded in
# test/instruction_counts.txt: fails where one is off by more than 5 %.
#
#     tools/count_instructions.sh [--record]
#
# A count is the same in every run, however busy the machine is, so a slow-down is seen at once. A
# change that is meant to make more, or makes fewer, records the new counts and says so. Compilers
# make different code: counts are compared with those of the same gcc alone.

set -eu
cd "$(dirname "$0")/.."

recorded=test/instruction_counts.txt
program=build/release/test/count_steps
compiler="gcc $(gcc -dumpfullversion) $(uname -m)"
scenes="pyramid:10:60 pile:60:120 chains:4:60 rings:6:60"

if [ ! -x "$program" ]; then
    echo "count_instructions: there is no $program; build the preset 'release' first" >&2
    exit 1
fi
if [ "${1-}" != --record ] && ! grep -qxF "# $compiler" "$recorded"; then
    echo "instruction counts: not compared, they were recorded with another compiler than $compiler"
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for entry in $scenes; do
    IFS=: read -r scene size steps <<END
$entry
END
    # two at a time: each takes some seconds
    (valgrind --tool=callgrind --callgrind-out-file="$work/$scene.out" --collect-atstart=no \
        --toggle-collect=sdWorld_Step "$program" "$scene" "$size" "$steps" >"$work/$scene.log" 2>&1 ||
        echo failed >"$work/$scene.failed") &
done
wait
for entry in $scenes; do
    scene=${entry%%:*}
    count=$(sed -n 's/^summary: //p' "$work/$scene.out" 2>/dev/null || true)
    if [ -e "$work/$scene.failed" ] || [ -z "$count" ] || [ "$count" -eq 0 ]; then
        echo "count_instructions: $scene was not counted:" >&2
        cat "$work/$scene.log" >&2
        exit 1
    fi
    echo "$entry $count" >>"$work/counts"
done

if [ "${1-}" = --record ]; then
    { echo "# $compiler"; echo "# scene:size:steps, instructions within sdWorld_Step (tools/count_instructions.sh --record)"
        cat "$work/counts"; } >"$recorded"
    cat "$recorded"
    exit 0
fi
awk 'FNR == NR { if ($1 != "#") was[$1] = $2; next }
    { if (!($1 in was)) { printf "%s: not recorded\n", $1; bad = 1; next }
      change = 100 * ($2 / was[$1] - 1)
      verdict = change > 5 ? "SLOWER" : change < -5 ? "FEWER: record them" : "ok"
      printf "instructions of %-16s %12.0f, recorded %12.0f: %+.2f %% %s\n", $1, $2, was[$1], change, verdict
      if (verdict != "ok") bad = 1 }
    END { exit bad }' "$recorded" "$work/counts" ||
    { echo "count_instructions: counts differ by more than 5 % from $recorded; if that is meant: tools/count_instructions.sh --record" >&2; exit 1; }
