#!/bin/sh
# SPDX-License-Identifier: MIT
# Includes point only from a later layer to an earlier one:
#     base -> math -> geometry -> narrow -> planar -> broadphase -> dynamics
# and whatever stands around the library uses public headers only.

set -eu
cd "$(dirname "$0")/.."

order="base math geometry narrow planar broadphase dynamics"
bad=0

rank() {
    i=0
    for layer in $order; do
        i=$((i + 1))
        [ "$layer" = "$1" ] && echo $i && return
    done
    echo 0
}

for file in src/*/*.[ch]; do
    own=$(basename "$(dirname "$file")")
    if [ "$(rank "$own")" -eq 0 ]; then
        echo "$file: '$own' is not a layer ($order)"
        bad=1
        continue
    fi
    for other in $(sed -n 's|^#include "\([a-z0-9_]*\)/.*|\1|p' "$file" | sort -u); do
        [ "$other" = sudar ] && continue
        other_rank=$(rank "$other")
        if [ "$other_rank" -eq 0 ] || [ "$other_rank" -gt "$(rank "$own")" ]; then
            echo "$file: layer '$own' must not include from '$other'"
            bad=1
        fi
    done
done

for file in $(git ls-files 'examples/*.[ch]' 'bench/*.[ch]' 'scenes/*.[ch]' 'scenefile/*.[ch]' 'cli/*.[ch]' 'render/*.[ch]' 'output/*.[ch]' 'lab/*.[ch]' 'web/*.[ch]'); do
    for other in $order; do
        if grep -n "^#include \"$other/" "$file"; then
            echo "$file: only public headers (sudar/...) may be used here"
            bad=1
        fi
    done
done

[ "$bad" -eq 0 ] && echo "layers: includes point the right way"
exit "$bad"
