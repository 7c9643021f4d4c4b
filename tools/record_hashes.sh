#!/bin/sh
# SPDX-License-Identifier: MIT
# Record what the scenes' hashes are now, after a change of the step that is meant to change them:
#     tools/record_hashes.sh [build/release]

set -eu
cd "$(dirname "$0")/.."

build=${1:-build/release}
file=test/scene_hashes.inc
cmake --build "$build" --target sudar_test >/dev/null
rows=$("$build"/test/sudar_test scene_hashes_are_those_recorded | sed -n 's|^ *\({".*},\).*|\1|p')
if [ -n "$rows" ]; then
    echo '// name, size, hash after 120 steps; written by tools/record_hashes.sh' >"$file"
    echo "$rows" >>"$file"
    cmake --build "$build" --target sudar_test >/dev/null
fi
"$build"/test/sudar_test 'scene_hashes_*'
