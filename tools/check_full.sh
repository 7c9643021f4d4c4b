#!/bin/sh
# SPDX-License-Identifier: MIT
# The command `sudar` when the disk is full or a reader goes away: it says so, with exit code 1, and
# leaves no half file. tools/check_full.sh PROGRAM

# shellcheck disable=SC2086 # lists of words

set -eu
cd "$(dirname "$0")/.."

# shellcheck source=tools/expect.sh
. tools/expect.sh

# No file grows beyond 4 KiB here, as on a disk that is full; a signal would say so, but nobody
# listens. ffmpeg and others that are started are held to it, too.
mkdir "$work/full"
cat >"$work/small_disk" <<'END'
#!/bin/sh
trap '' XFSZ
ulimit -f 8
exec "$@"
END
chmod +x "$work/small_disk"

# full NAME WORD...: fails, says why, leaves nothing of that name or beside it
full() {
    name=$1
    shift
    got=0
    "$work/small_disk" "$sudar" "$@" >"$work/text" 2>&1 || got=$?
    if [ "$got" -ne 1 ] || ! grep -qE "cannot|could not|failed" "$work/text"; then
        echo "sudar $*, on a full disk: exit code $got and this text:"
        cat "$work/text"
        bad=1
    fi
    check "nothing is left of $name on a full disk" [ -z "$(ls "$work/full")" ]
    rm -rf "$work/full"
    mkdir "$work/full"
}

run="run pile --size 60 --steps 30"
full pile.csv $run --csv "$work/full/pile.csv" --steps 400
full pile.glb $run --glb "$work/full/pile.glb"
full pile.sdr $run --record "$work/full/pile.sdr"
full pile.json scene pile --out "$work/full/pile.json"
"$sudar" $run --record "$work/pile.sdr" --quiet >/dev/null
full again.glb replay "$work/pile.sdr" --glb "$work/full/again.glb"
full again.csv replay "$work/pile.sdr" --csv "$work/full/again.csv"
# a box with many triangles on top
awk 'BEGIN { n = 12; for (z = 0; z <= n; ++z) for (x = 0; x <= n; ++x) print "v", x, 1, z
    print "v 6 -5 6"; tip = (n + 1) * (n + 1) + 1
    for (z = 0; z < n; ++z) for (x = 0; x < n; ++x) { a = z * (n + 1) + x + 1; print "f", a, a + n + 1, a + 1; print "f", a + 1, a + n + 1, a + n + 2 }
    for (i = 0; i < n; ++i) { print "f", i + 1, i + 2, tip; b = n * (n + 1) + i + 1; print "f", b + 1, b, tip
        c = i * (n + 1) + 1; print "f", c + n + 1, c, tip; d = c + n; print "f", d, d + n + 1, tip } }' >"$work/tent.obj"
if "$sudar" mesh "$work/tent.obj" >"$work/text" 2>&1; then
    for kind in obj stl ply off; do full tent.$kind mesh "$work/tent.obj" --out "$work/full/tent.$kind"; done
    full tent.sdf mesh "$work/tent.obj" --field --out "$work/full/tent.sdf"
else
    echo "full: NOT TESTED: meshes: $(tail -1 "$work/text")"
fi
# pictures and films, where this build draws them
if "$sudar" render pyramid --size 3 --out "$work/one.png" >/dev/null 2>&1; then
    full one.png render pile --size 60 --out "$work/full/one.png" --width 640 --height 480
    for kind in mp4 webm gif; do
        full film.$kind $run --video "$work/full/film.$kind" --width 320 --height 240
    done
else
    echo "full: NOT TESTED: pictures and films, for this build draws none"
fi

# a sweep keeps the rows that it has, and goes on from them when there is room again
sweep="sweep tower --size 3 --steps 3 --threads 1 --quiet --samples 80 --vary seed=1..1000000 --vary slop=1e-4..1e-3"
"$sudar" $sweep --out "$work/whole.csv"
got=0
"$work/small_disk" "$sudar" $sweep --out "$work/full/cut.csv" >"$work/text" 2>&1 || got=$?
check 'a sweep on a full disk is an error' [ "$got" -eq 1 ]
check 'a sweep on a full disk says so' grep -q 'cut.csv.sweep.*File too large' "$work/text"
check 'there is no table of half a sweep' [ ! -e "$work/full/cut.csv" ]
"$sudar" $sweep --out "$work/full/cut.csv"
check 'with room again, the sweep ends in the same table' cmp "$work/whole.csv" "$work/full/cut.csv"
rm -rf "$work/full"
mkdir "$work/full"

# what is there already stays as it was
echo before >"$work/full/old.glb"
"$work/small_disk" "$sudar" $run --glb "$work/full/old.glb" >/dev/null 2>&1 || true
check 'a file that cannot be written anew stays' [ "$(cat "$work/full/old.glb")" = before ]

# standard output
if [ -c /dev/full ]; then
    for words in "scenes" "run pyramid --size 3 --steps 2 --json" "help settings" "scene pile"; do
        got=0
        "$sudar" $words >/dev/full 2>"$work/text" || got=$?
        check "'sudar $words' to a full disk is an error" [ "$got" -eq 1 ]
        check "'sudar $words' says so" grep -q 'cannot write' "$work/text"
    done
fi
# a reader that goes away at once: an error or all was taken, but no signal
(code=0; "$sudar" help settings 2>/dev/null || code=$?; echo $code >"$work/code") | true
got=$(cat "$work/code")
check 'a reader that goes away ends nothing by a signal' [ "$got" -le 1 ]

[ "$bad" -eq 0 ] && echo "full: full disks and closed pipes leave errors and no half files"
exit "$bad"
