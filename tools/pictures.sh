#!/bin/sh
# SPDX-License-Identifier: MIT
# The pictures of the manual that are not the viewer's (web/pictures.mjs), made anew: tools/pictures.sh [PROGRAM]
# Look at them before they are committed.
# Scenes by `sudar render`, plots by `sudar lab` and gnuplot; ffmpeg puts them together and makes them small.

set -eu
cd "$(dirname "$0")/.."
sudar=$(realpath "${1:-build/release/cli/sudar}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# small NAME INPUT...: pictures of the same size beside each other, as docs/algorithm-NAME.png with few colours
prefix=algorithm-
small() {
    name=$1
    shift
    count=$#
    inputs=
    for file; do
        inputs="$inputs -i $file"
    done
    join=null
    [ "$count" -eq 1 ] || join="hstack=inputs=$count"
    # shellcheck disable=SC2086
    ffmpeg -v error -y $inputs -filter_complex \
        "$join,split[a][b];[a]palettegen=max_colors=96[p];[b][p]paletteuse=dither=none" "docs/$prefix$name.png"
}

# draw NAME WIDTH OPTIONS...: a scene, 300 pixels high
draw() {
    file=$work/$1.png
    width=$2
    shift 2
    "$sudar" render "$@" --width "$width" --height 300 --quiet --out "$file" >/dev/null
}

# plot NAME EXPERIMENT PLOT
plot() {
    "$sudar" lab "$2" --out "$work/lab" >/dev/null
    sed "s/^set terminal.*/set terminal pngcairo noenhanced size 640,390 font 'sans-serif,10'/; s/^set output.*/set output 'small.png'/" \
        "$work/lab/$2/$3.gp" >"$work/lab/$2/small.gp"
    (cd "$work/lab/$2" && gnuplot small.gp)
    small "$1" "$work/lab/$2/small.png"
}

# ---- bodies --------------------------------------------------------------------------------

cat >"$work/skulls.json" <<'JSON'
{
  "sudar": 1, "name": "skulls", "settings": {"gravity": [0, 0, 0]}, "recording": {"dt": 0.01, "steps": 1},
  "camera": {"eye": [0.2, 0.3, 2.3], "target": [0, 0, 0]},
  "meshes": {"skull": {"model": "skull", "size": 1}},
  "shapes": {
    "mesh": {"type": "concave", "mesh": "skull"}, "hull": {"type": "hull", "mesh": "skull"},
    "eight": {"type": "convex-parts", "mesh": "skull", "maxPartCount": 8},
    "many": {"type": "convex-parts", "mesh": "skull", "maxPartCount": 32}
  },
  "bodies": [
    {"type": "dynamic", "position": [-1.8, 0, 0], "rotation": {"axis": [0, 1, 0], "degrees": 58}, "shapes": [{"shape": "mesh"}]},
    {"type": "dynamic", "position": [-0.6, 0, 0], "rotation": {"axis": [0, 1, 0], "degrees": 35}, "shapes": [{"shape": "hull"}]},
    {"type": "dynamic", "position": [0.6, 0, 0], "rotation": {"axis": [0, 1, 0], "degrees": 5}, "shapes": [{"shape": "eight"}]},
    {"type": "dynamic", "position": [1.8, 0, 0], "rotation": {"axis": [0, 1, 0], "degrees": -18}, "shapes": [{"shape": "many"}]}
  ]
}
JSON
draw hull 1000 "$work/skulls.json" --view solid,wireframe
small hull "$work/hull.png"

# ---- views of scenes -----------------------------------------------------------------------

rings='--size 6 --time 1.2 --camera 1.8,2.2,2.7,0,0.75,0'
for view in boxes spheres obbs kdops; do
    # shellcheck disable=SC2086
    draw "$view" 300 rings $rings --view "+$view"
done
small volumes "$work/boxes.png" "$work/spheres.png" "$work/obbs.png" "$work/kdops.png"
# shellcheck disable=SC2086
draw field 400 rings $rings --view field,wireframe
# shellcheck disable=SC2086
draw samples 400 rings $rings --view samples,wireframe
small field "$work/field.png"
small samples "$work/samples.png"
# shellcheck disable=SC2086
draw rings 500 rings $rings --view wireframe,contacts
small rings "$work/rings.png"

draw octree 500 mixed-cubes --size 120 --time 0.5 --set broadphase.kind=octree --set broadphase.octreeSplitLimit=6 \
    --set broadphase.octreeMergeLimit=3 --view solid,cells
small octree "$work/octree.png"
draw contacts 500 pyramid --size 3 --time 0.3 --view wireframe,contacts
small contacts "$work/contacts.png"
draw levels 500 pyramid --size 8 --time 0.5 --view solid,levels
small levels "$work/levels.png"
for passes in 10 1; do
    draw "pendulum$passes" 400 rigid-pendulum --size 12 --time 0.8 --set solver=impulse --set impulse.joints=one-by-one \
        --set impulse.jointPassCount=$passes --set impulse.enableShock=false --view +joints
done
small pendulum "$work/pendulum10.png" "$work/pendulum1.png"

# ---- first chapters ------------------------------------------------------------------------

prefix=
draw hello 600 docs/pictures/hello.json --time 1
small hello "$work/hello.png"
draw shapes 760 docs/pictures/shapes.json
small shapes "$work/shapes.png"
draw ragdolls 760 ragdolls --size 6 --time 1.5
small ragdolls "$work/ragdolls.png"
prefix=algorithm-

# ---- plots ---------------------------------------------------------------------------------

plot integrators integrators spring-error
plot triangles triangles growth
plot tunnelling tunnelling tunnelling
plot slope slope slope-height
plot passes passes sinking-10
ls -l docs/*.png
