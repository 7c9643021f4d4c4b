#!/bin/sh
# SPDX-License-Identifier: MIT
# The command `sudar`: what it prints, its errors, exit codes and files. tools/check_cli.sh PROGRAM

# shellcheck disable=SC2086,SC2317 # lists of words; functions that are called by name

set -eu
cd "$(dirname "$0")/.."

# shellcheck source=tools/expect.sh
. tools/expect.sh

differ() { ! cmp -s "$1" "$2"; }

expect 2 'usage: sudar COMMAND'
expect 0 'usage: sudar COMMAND' help
expect 0 'usage: sudar COMMAND' --help
expect 0 'usage: sudar run SCENE' help run
expect 0 'usage: sudar run SCENE' run --help
expect 0 'usage: sudar scenes' scenes --help
expect 0 "$(sed -n 's/^#define SD_VERSION_\(MAJOR\|MINOR\|PATCH\) \([0-9]*\).*/\2/p' include/sudar/base.h |
    paste -sd.)" --version
expect 2 "did you mean 'run'?" rnu
expect 2 "unknown command 'xyzzyxyzzy'; see 'sudar help'" xyzzyxyzzy
expect 2 "did you mean 'scenes'?" help scens
expect 0 'Pyramid of boxes' scenes
expect 2 "takes no 'pyramid'" scenes pyramid

expect 2 'which scene?' run
expect 2 "unknown scene 'pyramyd'; did you mean 'pyramid'?" run pyramyd
expect 2 "unknown scene 'qqqqqqqqqqqq'; 'sudar scenes' lists them" run qqqqqqqqqqqq
expect 2 "one SCENE|FILE at a time: 'pyramid' or 'tower'?" run pyramid tower
expect 2 "unknown option '--stepz'; did you mean '--steps'?" run pyramid --stepz 3
expect 2 "unknown option '-x'" run pyramid -x
expect 2 '--steps wants N after it' run pyramid --steps
expect 2 "--steps wants a whole number from 0 to 1000000000, not 'many'" run pyramid --steps many
expect 2 "not '3.5'" run pyramid --steps 3.5
expect 2 "not '-1'" run pyramid --steps -1
expect 2 "not '99999999999999999999'" run pyramid --steps 99999999999999999999
expect 2 "--dt wants a number from 1e-06 to 1, not '0'" run pyramid --dt 0
expect 2 "not 'nan'" run pyramid --dt nan
expect 2 "not 'inf'" run pyramid --time inf
expect 2 "not '1e3x'" run pyramid --time 1e3x
expect 2 "--seed wants a whole number from 0" run pyramid --seed -3
expect 2 '--steps or --time, not both' run pyramid --steps 1 --time 1
expect 2 '--size of pyramid is from' run pyramid --size 2000000000
expect 2 '--stats takes no value' run pyramid --stats=yes
expect 2 '--camera wants 6 numbers separated by commas' run pyramid --camera 1,2,3
expect 2 "not '1,2,3,4,5,6,7'" run pyramid --camera 1,2,3,4,5,6,7
expect 2 '--threads wants a whole number from 0 to 64' run pyramid --threads 65

expect 2 'which scene?' view
expect 2 "unknown scene 'pyramyd'; did you mean 'pyramid'?" view pyramyd
expect 2 '--port wants a whole number from 0 to 65535' view pyramid --port 65536
expect 2 "there is no setting 'subStepCont'" view pyramid --set subStepCont=3
expect 2 'there is no index.html; tools/page.sh builds' view pyramid --page "$work"

small="run pyramid --size 5"
expect 0 '0 of 16.6667 ms' $small --steps 0
expect 0 '12 of 16.6667 ms' $small --time 0.2
expect 0 '20 of 10 ms' $small --time=0.2 --dt=0.01
expect 0 'colours' $small --steps 5 --stats
expect 2 "--set: there is no setting 'subStepCont'; did you mean 'subStepCount'?" $small --set subStepCont=3
expect 2 "--set: there is no setting 'qqqqqqqqqq'; 'sudar help settings' lists them" $small --set qqqqqqqqqq=3
expect 2 "--set: 'subStepCount' wants a whole number, not 1.5" $small --set subStepCount=1.5
expect 2 "--set: 'integrator' cannot be 'verlet'; it is one of: semi-implicit, explicit-euler, rk4" $small --set integrator=verlet
expect 2 "--set: 'gravity' wants 3 numbers, not 2" $small --set gravity=1,2
expect 2 "--set: 'slop' is a length, not a mass" $small --set 'slop=1 kg'
expect 2 '--set wants key=value' $small --set gravity
expect 2 "--set: 'subStepCount' must be within 1 and 64, not 900" $small --set subStepCount=900
expect 2 "--broad: 'kind' cannot be 'octtree'; did you mean 'octree'?" $small --broad octtree
expect 2 "--narrow: " $small --narrow kgj
for narrow in auto gjk sat vclip; do
    expect 0 "" $small --narrow $narrow
done
expect 2 'cannot be built with other lengths' $small --scale 2
expect 0 'broadphase.octreeMaxDepth' help settings
expect 0 'wireframe' help views
expect 2 'which scene?' render
expect 2 "did you mean 'rings'?" render ringz
hash_of() { "$sudar" "$@" | sed -n 's/^hash *//p'; }
one=$(hash_of $small --steps 20)
check 'a hash has 16 digits' [ ${#one} -eq 16 ]
check 'threads do not change the result' [ "$one" = "$(hash_of $small --steps 20 --threads 2)" ]
check 'sub-steps do' [ "$one" != "$(hash_of $small --steps 20 --set subStepCount=2)" ]
check 'kinds of broad phase do not' [ "$one" = "$(hash_of $small --steps 20 --broad sap)" ]
check 'the solver does' [ "$one" != "$(hash_of $small --steps 20 --solver impulse)" ]
expect 0 'solver            impulse' $small --steps 2 --solver impulse --set impulse.contactPassCount=3
expect 2 "'solver' cannot be 'jacobi'; it is one of: soft, impulse" $small --solver jacobi
pile="run pile --size 50 --steps 2"
check 'so does the seed' [ "$(hash_of $pile)" != "$(hash_of $pile --seed 7)" ]

# JSON with the keys that it is documented to have, on stdout alone
if command -v node >/dev/null; then
    began=$(date +%s)
    "$sudar" $small --json >"$work/json" 2>"$work/text"
    lasted=$(($(date +%s) - began))
    check 'a run as JSON' node -e '
        const r = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
        const keys = "scene title bodies steps dt threads solver contacts stepMs realTimeFactor " +
            "maxPenetration energy endConditions hash";
        const ok = Object.keys(r).join(" ") === keys && r.scene === "pyramid" && r.bodies === 16 &&
            Object.keys(r.stepMs).join(" ") === "mean p50 p99 max" &&
            r.stepMs.p50 <= r.stepMs.p99 && r.stepMs.p99 <= r.stepMs.max &&
            r.endConditions.length === 1 && r.endConditions[0].ok === true && r.energy > 0;
        process.exit(ok ? 0 : 1)' "$work/json"
    check 'there is a line of progress a second at most' [ "$(wc -l <"$work/text")" -le $((lasted + 1)) ]
    check 'nothing but progress is beside it' [ "$(grep -cv '^pyramid: [0-9]* of [0-9]* steps, ' "$work/text" || true)" -eq 0 ]
    "$sudar" scenes --json >"$work/json"
    check 'scenes as JSON' node -e '
        const s = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
        const ok = s.length > 20 &&
            s.every(x => Object.keys(x).join(" ") === "name title text rows") &&
            s.some(x => x.name === "rings" && x.rows.includes("F8"));
        process.exit(ok ? 0 : 1)' "$work/json"
fi
# a file that is asked for twice
expect 2 "--glb and --csv want the same file: '$work/twice'" run tower --size 2 --steps 1 --csv "$work/twice" --glb "$work/twice"
expect 2 "--png and --record want the same file" run tower --size 2 --steps 1 --record "$work/twice" --png "$work/twice"
# files: recording, animation and table of a run, and the same from the recording
fall="run rings --size 4 --time 0.5"
expect 0 hash $fall --record "$work/a.sdr" --glb "$work/a.glb" --csv "$work/a.csv"
hash=$(sed -n 's/^hash *//p' "$work/text")
expect 0 "$hash" replay "$work/a.sdr" --record "$work/b.sdr" --glb "$work/b.glb" --csv "$work/b.csv"
for kind in sdr glb csv; do
    check "replay writes the same .$kind as the run" cmp "$work/a.$kind" "$work/b.$kind"
done
check 'a row for every body that moves in every frame' \
    [ "$(wc -l <"$work/a.csv")" -eq "$((31 * $(grep -c '^0,' "$work/a.csv") + 1))" ]
expect 0 frames replay "$work/a.sdr" --from 0.2 --to 0.3 --csv "$work/c.csv"
check 'a part of a recording' [ "$(cut -d, -f1 "$work/c.csv" | sort -u | wc -l)" -eq 8 ]
expect 2 'the recording ends at 0.5 s' replay "$work/a.sdr" --from 7
expect 2 'which file?' replay
expect 1 "cannot read $work/none.sdr" replay "$work/none.sdr"
expect 1 'not a whole recording: it does not begin as one' replay "$work/a.csv"
head -c 2000 "$work/a.sdr" >"$work/cut.sdr"
expect 1 'not a whole recording: its end is missing' replay "$work/cut.sdr"
expect 1 "cannot write $work/no/a.glb" $fall --glb "$work/no/a.glb"
expect 2 'ends in .mp4, .webm or .gif' $fall --video "$work/a.avi"
if command -v node >/dev/null; then
    check 'the animation is right' node tools/check_glb.mjs "$work/a.glb" "$work/a.csv" build/node/node_modules
fi
if [ -w /dev/full ]; then
    mkdir "$work/full"
    for kind in csv glb record; do
        (
            ulimit -f 8
            trap '' XFSZ
            "$sudar" $fall --$kind "$work/full/x"
        ) >"$work/text" 2>&1 && got=0 || got=$?
        check "no room for --$kind is an error" [ "$got" -eq 1 ]
        check 'the error says so' grep -q "cannot write $work/full/x" "$work/text"
        check 'no half file is left' [ -z "$(ls "$work/full")" ]
    done
fi

# scene files
cat >"$work/drop.json" <<'END'
{"sudar": 1, "name": "drop", "title": "A ball falls", "recording": {"dt": 0.01, "steps": 100},
 "bodies": [{"shapes": [{"shape": {"type": "half-space"}}]},
            {"type": "dynamic", "position": [0, 2, 0], "shapes": [{"shape": {"type": "sphere", "radius": 0.5}}]}]}
END
expect 0 '100 of 10 ms: 1.00 s' run "$work/drop.json" --csv "$work/drop.csv"
expect 0 '"scene": "drop", "title": "A ball falls", "bodies": 2' run "$work/drop.json" --json
expect 2 'are for built-in scenes' run "$work/drop.json" --size 3
sed -i 's/radius/raduis/' "$work/drop.json"
expect 1 "$work/drop.json:3:" run "$work/drop.json"
expect 1 "did you mean 'radius'?" run "$work/drop.json"
expect 1 'none.json' run "$work/none.json"

# asked to stop, it writes what there is
if command -v timeout >/dev/null; then
    # once: without --foreground it asks the whole group, too, and being asked twice means at once
    timeout --foreground -s INT 1 "$sudar" run pyramid --time 1e6 --quiet --csv "$work/stopped.csv" >"$work/text" 2>&1 || true
    check 'it says how far it came' grep -q 'stopped after [0-9]* steps' "$work/text"
    check 'the table is there' grep -q '^time,body' "$work/stopped.csv"
fi

# colours are for terminals, and for people who want them
if command -v script >/dev/null && [ -z "${NO_COLOR-}" ]; then
    escape=$(printf '\033')
    TERM=xterm script -qec "$sudar bogus" "$work/log" </dev/null >"$work/text" 2>&1 || true
    check 'a terminal has colours' grep -q "$escape" "$work/text"
    NO_COLOR=1 TERM=xterm script -qec "$sudar bogus" "$work/log" </dev/null >"$work/text" 2>&1 || true
    check 'unless they are not wanted' [ "$(grep -c "$escape" "$work/text" || true)" -eq 0 ]
    "$sudar" bogus >"$work/text" 2>&1 || true
    check 'a file has none' [ "$(grep -c "$escape" "$work/text" || true)" -eq 0 ]
fi

# words for shells
expect 2 'for which shell' completion tcsh
for shell in bash zsh fish; do
    expect 0 'sudar completion words' completion $shell
    if command -v $shell >/dev/null; then
        "$sudar" completion $shell >"$work/script"
        check "$shell can read its script" $shell -n "$work/script"
    fi
done
expect 0 'rings-500' completion words scenes
expect 0 'impulse.enableShock' completion words settings
expect 0 'wireframe' completion words views
expect 0 '--broad	tree|octree|sap|brute|all-pairs' completion words run
if command -v bash >/dev/null; then
    mkdir "$work/bin"
    ln -s "$(realpath "$sudar")" "$work/bin/sudar"
    cat >"$work/complete" <<'END'
source <(sudar completion bash)
complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sudar; echo "${COMPREPLY[*]}"; }
complete_words sudar rep
complete_words sudar run pyr
complete_words sudar run rings --broad s
complete_words sudar run rings --set sub
complete_words sudar run rings --view solid,wi
END
    PATH=$work/bin:$PATH bash "$work/complete" >"$work/text" 2>&1
    check 'bash finishes words' [ "$(paste -sd: "$work/text")" = \
        'replay:pyramid:sap:subStepCount=:solid,wireframe' ]
fi

# whoever reads goes away
("$sudar" scenes 2>"$work/text" && echo 0 >"$work/code" || echo $? >"$work/code") | true
check 'a broken pipe is an error or was not noticed' grep -qx '[01]' "$work/code"
if [ -w /dev/full ]; then
    "$sudar" scenes >/dev/full 2>"$work/text" && got=0 || got=$?
    check 'a full disk is an error' [ "$got" -eq 1 ]
fi

view="--width 64 --height 48"
case $("$sudar" --version) in
*'with pictures'*)
    expect 0 "$work/a.png" $small --steps 2 $view --png "$work/a.png"
    expect 0 picture $small --steps 2 $view --png "$work/b.png"
    check 'it is a PNG file' [ "$(head -c 8 "$work/a.png" | od -An -c | tr -d ' ')" = '211PNG\r\n032\n' ]
    check 'two runs write the same bytes' cmp -s "$work/a.png" "$work/b.png"
    expect 0 picture $small --steps 2 $view --view +contacts --png "$work/c.png"
    check 'contacts are seen' differ "$work/a.png" "$work/c.png"
    expect 0 "$work/s.png" render pyramid --size 5 --time 0.03333 $view --out "$work/s.png"
    check 'a still is the picture of a run' cmp "$work/a.png" "$work/s.png"
    expect 0 "$work/s.png" render "$work/a.sdr" --time 0.3 $view --view field,obbs --turn 30 --rise 10 --zoom 2 --out "$work/s.png"
    expect 2 "--view: there is no 'wirefram'; did you mean 'wireframe'?" $small --view wirefram --png "$work/d.png"
    expect 2 'are not recorded' replay "$work/a.sdr" --view +contacts --png "$work/d.png"
    expect 2 "'sudar help views' lists them" render pyramid --view solid,,contacts
    expect 0 picture $small --steps 2 $view --camera 0,30,0,0,0,0 --png "$work/c.png"
    expect 0 ': 3 pictures' $small --steps 5 $view --fps 30 --frames "$work/frames"
    check 'frames are numbered' [ "$(ls "$work/frames" | paste -sd' ')" = \
        'frame_00000.png frame_00001.png frame_00002.png' ]

    PATH=/nowhere "$sudar" $small --video "$work/x.mp4" >"$work/text" 2>&1 && got=0 || got=$?
    check 'no ffmpeg is an error' [ "$got" -eq 1 ]
    check 'it says what to do' grep -q "there is no program 'ffmpeg' here; install it" "$work/text"
    if command -v ffmpeg >/dev/null; then
        for kind in mp4 webm gif; do
            expect 0 "$work/x.$kind" $fall $view --fps 20 --video "$work/x.$kind"
            check "eleven pictures in a .$kind" [ "$(ffprobe -v error -count_frames -show_entries \
                stream=nb_read_frames -of csv=p=0 "$work/x.$kind")" = 11 ]
        done
        expect 0 x.gif $fall $view --dt 0.1 --fps 20 --video "$work/x.gif"
        check 'steps longer than pictures are shown as long as they are' [ "$(ffprobe -v error -count_frames \
            -show_entries stream=nb_read_frames -of csv=p=0 "$work/x.gif")" = 11 ]
        mkdir "$work/videos"
        (
            ulimit -f 1
            trap '' XFSZ
            "$sudar" $fall --video "$work/videos/x.mp4"
        ) >"$work/text" 2>&1 && got=0 || got=$?
        check 'no room for a video is an error' [ "$got" -eq 1 ]
        check 'no half video is left' [ -z "$(ls "$work/videos")" ]
    else
        echo "cli: NOT TESTED: videos, for there is no ffmpeg"
    fi

    expect 2 'eye and target are the same place' $small --camera 1,1,1,1,1,1 --png "$work/d.png"
    expect 1 "cannot write $work/no/d.png" $small --steps 1 --png "$work/no/d.png"
    expect 1 'it is a folder' $small --steps 1 --png "$work/frames"
    expect 1 'not the name of a file' $small --steps 1 --png ''
    expect 1 'is not a folder' $small --steps 1 --frames "$work/a.png"
    expect 1 'cannot make the folder' $small --steps 1 --frames "$work/no/where"
    # a disk that is full when the picture is written
    if [ -w /dev/full ]; then
        ln -s /dev/full "$work/link.png"
        expect 0 picture $small --steps 1 $view --png "$work/link.png"
        check 'a picture takes the place of a link' [ ! -L "$work/link.png" ]
    fi
    mkdir "$work/limit"
    (
        ulimit -f 1
        trap '' XFSZ
        "$sudar" $small --steps 1 --width 640 --height 480 --png "$work/limit/x.png"
    ) >"$work/text" 2>&1 && got=0 || got=$?
    check 'no room is an error' [ "$got" -eq 1 ]
    check 'the error says so' grep -q 'cannot write' "$work/text"
    check 'no half file is left' [ -z "$(ls "$work/limit")" ]
    ;;
*)
    echo "cli: NOT TESTED: pictures, for this build has no EGL, OpenGL ES 3 or libpng"
    expect 1 'install libegl-dev libgles-dev' $small --steps 1 --png "$work/a.png"
    check 'no file is left' [ ! -e "$work/a.png" ]
    ;;
esac

[ "$bad" -eq 0 ] && echo "cli: words, errors, exit codes and files are as they should be"
exit "$bad"
