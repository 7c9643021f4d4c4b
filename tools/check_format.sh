#!/bin/sh
# SPDX-License-Identifier: MIT
# Every C and C++ file is formatted and says its licence.

set -eu
cd "$(dirname "$0")/.."

files=$(git ls-files '*.c' '*.h' '*.cpp')
# shellcheck disable=SC2086 # a list of words
if ! clang-format --dry-run -Werror $files; then
    echo "format: run 'make format'"
    exit 1
fi
for file in $files; do
    if ! head -n 1 "$file" | grep -q 'SPDX-License-Identifier: MIT'; then
        echo "$file: the first line must name the licence"
        exit 1
    fi
done
echo "format: $(echo "$files" | wc -l) files are in order"
