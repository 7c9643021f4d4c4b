#!/bin/sh
# SPDX-License-Identifier: MIT
# Install static and shared builds into empty folders, and build a program against them in each of
# the three ways that users have. Then look at what the shared library exports. The static library is
# that of the release stage. The shared one is built once, as part of somebody's project, and installed
# from there; it is not optimised: this stage tests how things are packed.

set -eu
cd "$(dirname "$0")/.."

root=$PWD
work=$root/build/consumer
rm -rf "$work"
mkdir -p "$work"
version=$(sed -n 's/^#define SD_VERSION_\(MAJOR\|MINOR\|PATCH\) \([0-9]*\).*/\2/p' include/sudar/base.h |
    paste -sd.)

run() { # what, program
    printf '%-28s ' "$1"
    "$2"
}

cmake --preset release >/dev/null
cmake --build --preset release >/dev/null
cmake --install build/release --prefix "$work/static" >/dev/null

cmake -S test/consumer -B "$work/sub" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_FLAGS_RELEASE=-O0 -DSUDAR_AVX2=OFF -DBUILD_SHARED_LIBS=ON -DSUDAR_CLI=ON \
    -DCMAKE_INSTALL_PREFIX="$work/shared" -DCMAKE_INSTALL_LIBDIR=lib \
    -DSUDAR_WAY=add_subdirectory -DSUDAR_SOURCE="$root" >/dev/null
cmake --build "$work/sub" >/dev/null
run "add_subdirectory" "$work/sub/consumer"
cmake --install "$work/sub" >/dev/null
LD_LIBRARY_PATH=$work/shared/lib "$work/shared/bin/sudar" run tower --size 3 --steps 5 --quiet >/dev/null

for kind in static shared; do
    cmake -S test/consumer -B "$work/find-$kind" -G Ninja -DCMAKE_PREFIX_PATH="$work/$kind" \
        -DSUDAR_WAY=find_package >/dev/null
    cmake --build "$work/find-$kind" >/dev/null
    run "find_package, $kind" "$work/find-$kind/consumer"

    PKG_CONFIG_PATH=$work/$kind/lib/pkgconfig
    export PKG_CONFIG_PATH
    [ "$(pkg-config --modversion sudar)" = "$version" ]
    # shellcheck disable=SC2046 # flags
    gcc -std=c17 test/consumer/consumer.c -o "$work/pkg-$kind" $(pkg-config --cflags --libs sudar) \
        -Wl,-rpath,"$work/$kind/lib"
    run "pkg-config, $kind" "$work/pkg-$kind"
done

# packages of the static build: unpacked, and used from there
(cd build/release && cpack -B "$work/packages" >"$work/cpack.log" 2>&1) || { cat "$work/cpack.log"; exit 1; }
for kind in deb tar.gz; do
    package=$(ls "$work/packages"/*."$kind")
    place=$work/unpacked-$kind
    mkdir "$place"
    if [ $kind = deb ]; then dpkg-deb -x "$package" "$place"; else tar -xzf "$package" -C "$place" --strip-components=1; fi
    pc=$(find "$place" -name sudar.pc)
    # shellcheck disable=SC2046 # flags
    gcc -std=c17 test/consumer/consumer.c -o "$work/pkg-$kind" \
        $(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs sudar)
    run "pkg-config, .$kind" "$work/pkg-$kind"
    sudar=$(find "$place" -path '*/bin/sudar')
    "$sudar" run tower --size 3 --steps 5 --quiet >/dev/null
done
cmake -S test/consumer -B "$work/find-deb" -G Ninja -DCMAKE_PREFIX_PATH="$work/unpacked-deb/usr" \
    -DSUDAR_WAY=find_package >/dev/null
cmake --build "$work/find-deb" >/dev/null
run "find_package, .deb" "$work/find-deb/consumer"
echo "packages: $(cd "$work/packages" && ls *.deb *.tar.gz | paste -sd' '), needing $(dpkg-deb -f "$work"/packages/*.deb Depends)"

strangers=$(nm -D --defined-only "$work/shared/lib/libsudar.so" | awk '{print $3}' | grep -v '^sd[A-Z]' || true)
if [ -n "$strangers" ]; then
    echo "the shared library exports names that are not public: $strangers"
    exit 1
fi
# each function that a header declares is there
names=$(mktemp)
nm -D --defined-only "$work/shared/lib/libsudar.so" | awk '{print $3}' >"$names"
missing=$(cat include/sudar/*.h | tr '\n' ' ' | sed 's/SD_API/\n&/g' |
    sed -n 's/^SD_API [^(]*\b\(sd[A-Za-z0-9_]*\)(.*/\1/p' | sort -u | grep -vxFf "$names" || true)
rm -f "$names"
if [ -n "$missing" ]; then
    echo "declared in a header, but not in the library: $missing"
    exit 1
fi
exported=$(nm -D --defined-only "$work/shared/lib/libsudar.so" | wc -l)
echo "shared library: $exported public symbols and no others, SONAME $(readelf -d \
    "$work/shared/lib/libsudar.so" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')"
