#!/bin/sh
# SPDX-License-Identifier: MIT
# Install what a make target needs: tools/setup.sh TARGET
#
# Looks first and installs only what is missing, as root or with sudo. Where it can do neither, it
# says what to install and stops.

set -eu
cd "$(dirname "$0")/.."

target=${1:?usage: tools/setup.sh TARGET}

build="gcc libc6-dev cmake ninja-build"
pictures="libegl-dev libgles-dev libegl-mesa0 libgl1-mesa-dri libpng-dev"
files="libassimp-dev libxml2-dev libwebsockets-dev"
python="python3-dev python3-numpy python3-build python3-setuptools python3-wheel python3-venv python3-pytest"
case $target in
    run) packages="$build $pictures $files ffmpeg" ;;
    install) packages="$build $pictures $files" ;;
    package) packages="$build $pictures $files dpkg-dev" ;;
    lab) packages="$build gnuplot-nox git" ;;
    fuzz) packages="$build $files clang libclang-rt-14-dev" ;;
    soak) packages="$build clang libcgal-demo" ;;
    test) packages="$build $pictures $files $python python3-markdown-it dpkg-dev openmpi-bin ffmpeg g++ clang clang-format lld llvm wasi-libc \
libclang-rt-14-dev-wasm32 libclang-rt-14-dev nodejs npm chromium pkg-config valgrind libqhull-dev libcgal-demo gnuplot-nox" ;;
    view) packages="cmake ninja-build clang lld llvm wasi-libc libclang-rt-14-dev-wasm32 nodejs npm" ;;
    bench) packages="$build g++ pkg-config libqhull-dev libccd-dev libfcl-dev libbullet-dev \
libeigen3-dev libode-dev libmujoco-dev libbox2d-dev libchipmunk-dev gnuplot-nox git \
clang lld llvm wasi-libc libclang-rt-14-dev-wasm32 nodejs npm" ;;
    docs) packages="python3 python3-markdown-it" ;;
    python) packages="$build $python git" ;;
    format) packages="clang-format git" ;;
    *) echo "setup: unknown target '$target'" >&2; exit 2 ;;
esac

# a command that is there serves as well as its package (Node may come from elsewhere)
is_there() {
    case $1 in
        gcc|g++|cmake|clang|clang-format|pkg-config|git|ffmpeg|npm|valgrind|chromium) command -v "$1" >/dev/null ;;
        ninja-build) command -v ninja >/dev/null ;;
        gnuplot-nox) command -v gnuplot >/dev/null ;;
        nodejs) command -v node >/dev/null ;;
        lld) command -v wasm-ld >/dev/null ;;
        llvm) command -v llvm-ar >/dev/null ;;
        *) dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed ;;
    esac
}

missing=
for package in $packages; do
    is_there "$package" || missing="$missing $package"
done

install_packages() {
    if ! command -v apt-get >/dev/null; then
        echo "setup: 'make $target' needs:$missing" >&2
        echo "setup: there is no apt-get here; install them with your system's own tool" >&2
        exit 1
    fi
    if [ "$(id -u)" -eq 0 ]; then
        sudo=
    elif command -v sudo >/dev/null; then
        sudo=sudo
    else
        echo "setup: 'make $target' needs:$missing" >&2
        echo "setup: not root and no sudo; as root: apt-get install --no-install-recommends$missing" >&2
        exit 1
    fi
    echo "setup: installing$missing"
    $sudo apt-get update -qq
    # shellcheck disable=SC2086 # a list of words
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing
}
[ -z "$missing" ] || install_packages

# what judges glTF files is no Debian package; the tests say so where it cannot be had
if [ "$target" = test ] && command -v npm >/dev/null && [ ! -d build/node/node_modules/gltf-validator ]; then
    mkdir -p build/node
    npm install --prefix build/node --no-save --no-package-lock --no-audit --no-fund --silent \
        gltf-validator@2.0.0-dev.3.10 >/dev/null 2>&1 || rm -rf build/node
fi

# engines that are packages of npm alone; the scoreboard says so where they cannot be had
if [ "$target" = bench ] && command -v npm >/dev/null && [ ! -d build/bench-node/node_modules/jolt-physics ]; then
    mkdir -p build/bench-node
    npm install --prefix build/bench-node --no-save --no-package-lock --no-audit --no-fund --silent \
        jolt-physics@1.1.0 @dimforge/rapier3d-simd@0.20.0 >/dev/null 2>&1 || rm -rf build/bench-node
fi
