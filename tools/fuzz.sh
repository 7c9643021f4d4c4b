#!/bin/sh
# SPDX-License-Identifier: MIT
# Fuzz targets (fuzz/fuzz.h).
#     tools/fuzz.sh                       libFuzzer, FUZZ_SECONDS (60) for each target: `make fuzz`
#     tools/fuzz.sh --driver BUILD        their own driver in a build that there is: as many inputs as a
#                                         sanitizer takes in some seconds, the same ones on every
#                                         machine; with FUZZ_SECONDS, others for so long
#     tools/fuzz.sh --compare BUILD WASM  the same inputs in two builds give the same results
# FUZZ_TARGETS="world pairs" chooses some. What was found is left in out/fuzz, and belongs into
# fuzz/regressions/TARGET when it is mended.

set -eu
cd "$(dirname "$0")/.."

all="world pairs mesh hull field scene snapshot broadphase recording message gltf urdf mjcf"
targets=${FUZZ_TARGETS:-$all}
mkdir -p out/fuzz

# each target as $0, two at a time; a line for each
each() { printf '%s\n' $targets | xargs -P 2 -I '{}' sh -c "$1" '{}'; }

case ${1-} in
    --driver)
        build=$2
        export build FUZZ_OUT=out/fuzz
        each '[ -x "$build/fuzz/fuzz_$0" ] || { echo "fuzz_$0: NOT TESTED: not in this build"; exit 0; }
            case $0 in
                world) n=100 ;; message) n=200 ;; urdf|mjcf|gltf) n=500 ;; hull|broadphase) n=1200 ;;
                recording) n=20000 ;; scene|snapshot) n=6000 ;; *) n=2500 ;;
            esac
            if [ -n "${FUZZ_SECONDS-}" ]; then set -- --seconds "$FUZZ_SECONDS"; else set -- --count $n; fi
            "$build/fuzz/fuzz_$0" "$@" --seed 1 >"out/fuzz/$0.log" 2>&1 || { cat "out/fuzz/$0.log"; exit 1; }
            tail -1 "out/fuzz/$0.log"'
        ;;
    --compare)
        build=$2
        wasm=$3
        export build wasm
        targets=${FUZZ_TARGETS:-world pairs mesh hull field scene broadphase}
        each 'case $0 in pairs) n=2000 ;; world) n=60 ;; *) n=100 ;; esac
            one=$("$build/fuzz/fuzz_$0" --count $n --seed 7 2>/dev/null | tail -1)
            two=$(node --no-warnings --experimental-wasi-unstable-preview1 tools/wasi.mjs "$wasm/fuzz/fuzz_$0.wasm" --count $n --seed 7 2>/dev/null | tail -1)
            [ -n "$one" ] && [ "$one" = "$two" ] || { printf "not the same:\n%s\n%s\n" "$one" "$two"; exit 1; }
            echo "$one, native and WebAssembly"'
        ;;
    '')
        # kernels are compiled once, for this machine: it takes long enough
        avx2=OFF
        ! grep -qw avx2 /proc/cpuinfo 2>/dev/null || avx2=ONLY
        cmake --preset fuzz -DSUDAR_AVX2=$avx2 >/dev/null
        cmake --build --preset fuzz --target sudar_fuzzers
        seconds=${FUZZ_SECONDS:-60}
        export seconds
        each 'corpus=out/fuzz/corpus/$0
            mkdir -p "$corpus" "fuzz/regressions/$0"
            build/fuzz/fuzz/fuzz_$0 --write "$corpus" >/dev/null 2>&1
            build/fuzz/fuzz/lib_fuzz_$0 -max_total_time="$seconds" -timeout=60 -rss_limit_mb=4096 -print_final_stats=1 \
                -artifact_prefix="out/fuzz/$0-" "$corpus" "fuzz/regressions/$0" >"out/fuzz/$0.log" 2>&1 ||
                { tail -40 "out/fuzz/$0.log"; echo "fuzz_$0: FAILED, see out/fuzz"; exit 1; }
            echo "fuzz_$0: $(sed -n "s/^stat::number_of_executed_units: *//p" "out/fuzz/$0.log") executions"'
        ;;
    *) sed -n '3,10s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
