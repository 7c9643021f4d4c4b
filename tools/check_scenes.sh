#!/bin/sh
# SPDX-License-Identifier: MIT
# `sudar run` on every scene, two seconds of each: it ends well, its figures are numbers, and where
# the scene ends by then, or can be run to its end in no time, it ends as it must.
#     tools/check_scenes.sh PROGRAM

set -eu
cd "$(dirname "$0")/.."

sudar=${1:-build/release/cli/sudar}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
count=0
ends=0

# the largest scenes are made smaller: what they show is for the benchmarks
size_of() {
    case $1 in
        bones-500) echo '--size 60' ;;
        pile) echo '--size 800' ;;
        wide-pile) echo '--size 1500' ;;
        sleepers) echo '--size 20000' ;;
    esac
}

# run NAME OPTION...: figures to $work/json
run() {
    if ! "$sudar" run "$@" --threads 0 --quiet --json >"$work/json" 2>"$work/text"; then
        echo "sudar run $*:"
        cat "$work/text" "$work/json"
        bad=1
    elif grep -q 'null\|nan\|inf' "$work/json"; then
        echo "sudar run $*: not all figures are numbers:"
        cat "$work/json"
        bad=1
    fi
    ends=$((ends + $(grep -c '"ok": true' "$work/json" || true)))
}

for name in $("$sudar" scenes --names); do
    count=$((count + 1))
    # shellcheck disable=SC2046 # words
    run "$name" --time 2 $(size_of "$name")
    # a hundred times as fast as time, or more; and what `make run` shows
    if { [ "$name" = rings ] || grep -q '"realTimeFactor": [0-9]\{3,\}' "$work/json"; } && grep -q '"endConditions": \[\]' "$work/json"; then
        run "$name"
    fi
done

[ "$bad" -eq 0 ] && echo "scenes: $count run for 2 s, $ends to their ends, which are as they must be"
exit "$bad"
