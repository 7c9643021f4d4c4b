#!/bin/sh
# SPDX-License-Identifier: MIT
# Build the viewer into build/web: engine (build/wasm must be configured), packages, bundle.

set -eu
cd "$(dirname "$0")/.."

cmake --build --preset wasm --target sudar_web
# the same with threads, for pages that may have them
cmake --preset wasm-threads >/dev/null
cmake --build --preset wasm-threads --target sudar_web
if ! [ web/node_modules/.package-lock.json -nt web/package-lock.json ]; then
    npm ci --prefix web --no-audit --no-fund --loglevel=error
    touch web/node_modules/.package-lock.json
fi
node web/build.mjs
