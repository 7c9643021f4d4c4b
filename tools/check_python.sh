#!/bin/sh
# SPDX-License-Identifier: MIT
# The module for Python: a wheel is built, installed into a new environment, and tested there.
#     tools/check_python.sh [BUILD]     a build folder with SUDAR_PYTHON, instead of one of its own
# Debian's own python3 is meant, which has NumPy and the tools; another may stand first in PATH.

set -eu
cd "$(dirname "$0")/.."

python=${PYTHON:-/usr/bin/python3}
work=$PWD/build/python-check
rm -rf "$work" python/build python/*.egg-info
mkdir -p "$work"

if [ $# -gt 0 ]; then
    SUDAR_BUILD=$PWD/$1
    export SUDAR_BUILD
fi
"$python" -m build --wheel --no-isolation -o "$work" python >"$work/build.log" 2>&1 ||
    { tail -n 40 "$work/build.log"; exit 1; }
rm -rf python/build python/*.egg-info
wheel=$(ls "$work"/*.whl)
case $wheel in *-cp311-abi3-*) ;; *) echo "not a wheel for the stable interface: $wheel"; exit 1 ;; esac

"$python" -m venv --system-site-packages "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --no-index --no-deps "$wheel"
(cd "$work" && venv/bin/python -m pytest -q -p no:cacheprovider ../../python/test)
echo "python: $(basename "$wheel"), $(du -k "$wheel" | cut -f1) kB"
