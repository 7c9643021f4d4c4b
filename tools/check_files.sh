#!/bin/sh
# SPDX-License-Identifier: MIT
# Scene files, meshes, imports and pairs of shapes by the command `sudar`: answers, errors with their
# places, exit codes, files. tools/check_files.sh PROGRAM

# shellcheck disable=SC2086,SC2317 # lists of words; functions that are called by name

set -eu
cd "$(dirname "$0")/.."

# shellcheck source=tools/expect.sh
. tools/expect.sh
docs=$PWD/docs
hash_of() { "$sudar" run "$@" --json 2>/dev/null | sed -n 's/.*"hash": "\([0-9a-f]*\)".*/\1/p'; }
cd "$work"

# ---- scene files ---------------------------------------------------------------------------

"$sudar" scene --schema >schema.json
check 'docs/scene.schema.json is what sudar scene --schema prints' cmp -s schema.json "$docs/scene.schema.json"
sed -n '/^```json/,/^```$/p' "$docs/scene-file.md" | sed '1d;$d' >door.json
expect 0 'door.json: A door with a weight: 3 bodies, 1 joint, 300 steps of 0.01 s' scene door.json
expect 0 'A door with a weight' run door.json --steps 5
expect 0 '' scene door.json --out copy.json
check 'a copy of a file does the same' [ "$(hash_of door.json --steps 50)" = "$(hash_of copy.json --steps 50)" ]
for scene in tower ragdolls rings card-house; do
    expect 0 'bodies' scene $scene --size 4 --out $scene.json
    check "$scene from a file does the same" \
        [ "$(hash_of $scene --size 4 --steps 30)" = "$(hash_of $scene.json --steps 30)" ]
done
expect 2 "--size of tower is from" scene tower --size 100000000 --out x.json
expect 2 'which file?' scene
expect 2 "there is no scene 'towr'; did you mean 'tower'?" scene towr
expect 2 'is neither a built-in scene nor a file' scene qqqqqqqqqqqq
expect 1 "nothing.json: there is no such file" scene nothing.json
expect 1 "nothing.json: there is no such file" run nothing.json
expect 2 '--size, --seed and --scale are for built-in scenes' run door.json --size 3
expect 1 'cannot' scene door.json --out no/where.json
check 'no half file is left' [ ! -e no ]
printf '{"sudar": 1,\n  "bodies": [{"typ": "dynamic"}]}' >key.json
expect 1 "key.json:2:15: a body has no key 'typ'; did you mean 'type'?" scene key.json
expect 1 "key.json:2:15: a body has no key 'typ'" run key.json
expect 2 "unknown scene 'towr'; did you mean 'tower'?" run towr

# ---- meshes --------------------------------------------------------------------------------

cat >cube.obj <<'END'
v 0 0 0
v 2 0 0
v 2 2 0
v 0 2 0
v 0 0 2
v 2 0 2
v 2 2 2
v 0 2 2
f 4 3 2 1
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
END
mesh_scene() { # file with a mesh by path
    printf '{"sudar": 1, "bodies": [{"shapes": [{"shape": {"type": "mesh",\n "mesh": {"path": "%s"}}}]}]}' "$1" >mesh.json
}
expect 0 'usage: sudar mesh FILE' mesh --help
expect 2 'which file?' mesh
if "$sudar" mesh cube.obj 2>&1 | grep -q 'install libassimp-dev'; then
    echo "files: NOT TESTED: meshes, for this build has no assimp"
    expect 1 'install libassimp-dev' mesh cube.obj
else
    expect 0 'a solid, fit to simulate' mesh cube.obj
    expect 0 'volume 8 m3' mesh cube.obj
    expect 0 '8000 kg, centre (1, 1, 1)' mesh cube.obj
    expect 0 'hull      8 vertices, 6 faces, 8 m3' mesh cube.obj
    expect 0 'parts     1 convex' mesh cube.obj --decompose --out parts.obj
    expect 0 '"isSolid": true' mesh parts.obj --json
    expect 0 'field     field: cells of' mesh cube.obj --field --out cube.sdf
    check 'the field is written' [ -s cube.sdf ]
    expect 0 '"mass": 8,' mesh cube.obj --json --density 1
    for kind in stl ply off obj; do
        expect 0 'solid' mesh cube.obj --scale 0.5 --out copy.$kind
        expect 0 '"volume": 1,' mesh copy.$kind --json
        expect 0 '"vertices": 8,' mesh copy.$kind --json
    done
    expect 0 'animation' run rings --size 1 --steps 0 --glb ring.glb
    expect 0 '"components"' mesh ring.glb --json
    cat >tetrahedron.dae <<'END'
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="meter" meter="1"/><up_axis>Y_UP</up_axis></asset>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="a" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array>
      <technique_common><accessor source="#a" count="4" stride="3"><param name="X" type="float"/>
        <param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s"><node><translate>5 0 0</translate>
    <instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
END
    expect 0 '"lower": [5, 0, 0]' mesh tetrahedron.dae --json
    expect 0 '"isSolid": true' mesh tetrahedron.dae --json
    sed '$d' cube.obj >open.obj
    expect 3 'not a solid' mesh open.obj
    expect 3 'the surface has holes' mesh open.obj
    sed 's/^f 5 6 7 8/f 8 7 6 5/' cube.obj >turned.obj
    expect 3 'not a solid' mesh turned.obj
    expect 0 'a solid' mesh turned.obj --repair
    expect 3 'no convex parts' mesh open.obj --decompose
    mesh_scene cube.obj
    expect 0 '1 body' scene mesh.json

    # fourteen bad ones, each alone and by a scene
    printf 'v 0 0 0\nv 1 0 x\nv 0 1 0\nf 1 2 3\n' >m1.obj
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n' >m2.obj
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n' >m3.obj
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n' >m4.obj
    printf 'v 0 0 0\nv 1 0 nan\nv 0 1 0\nf 1 2 3\n' >m5.obj
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf a b c\n' >m6.obj
    printf '# nothing\n' >m7.obj
    printf 'v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n' >m8.obj
    printf 'junk' >m9.stl
    printf 'junk' >m10.ply
    printf 'junk' >m11.glb
    printf '{]' >m12.gltf
    printf '<COLLADA>' >m13.dae
    printf 'junk' >m14.xyz
    while read -r file message; do
        expect 1 "$file:$message" mesh "$file"
        mesh_scene "$file"
        expect 1 "mesh.json:2:19: $file: ${message#:}" scene mesh.json
    done <<'END'
m1.obj 2: a vertex wants three numbers
m2.obj 4: a face uses a vertex that is not there
m3.obj 4: a face wants three corners or more
m4.obj 4: a face uses a vertex that is not there
m5.obj 2: a coordinate is not finite
m6.obj 4: a face wants numbers of vertices
END
    for file in m7.obj m9.stl m10.ply m11.glb m12.gltf m13.dae m14.xyz; do
        expect 1 "$file: " mesh $file
        mesh_scene $file
        expect 1 "mesh.json:2:19: $file: " scene mesh.json
    done
    expect 1 'no triangle of it has an area' mesh m8.obj
    expect 1 'there is no such file' mesh none.obj
    mesh_scene none.obj
    expect 1 'mesh.json:2:19: none.obj: there is no such file' scene mesh.json
    expect 2 'a mesh is written as .obj, .stl, .ply or .off' mesh cube.obj --out cube.xyz
    expect 2 'add --field' mesh cube.obj --out cube2.sdf
    expect 1 'cannot' mesh cube.obj --out no/where.obj
fi

# ---- pairs ---------------------------------------------------------------------------------

expect 0 'usage: sudar collide A B' collide --help
expect 2 'which two shapes?' collide box:1,1,1
expect 2 "'blob:1' is not a shape" collide blob:1 box:1,1,1
expect 2 "'sphere:-1': a size is negative" collide sphere:-1 box:1,1,1
expect 2 "'sphere:nan': a sphere has 1 number" collide sphere:nan box:1,1,1
expect 2 "'box:1,2': a box has 3 numbers" collide box:1,2 sphere:1
expect 2 "'half-space:1': a half-space has 0 numbers" collide half-space:1 sphere:1
expect 2 "did you mean 'distance'?" collide sphere:1 sphere:1 --query distnce
expect 2 '--query cast wants --move' collide sphere:1 sphere:1 --query cast
expect 2 '--by sat-box is for two boxes' collide sphere:1 box:1,1,1 --by sat-box
expect 2 'are for convex shapes' collide skull:1 box:1,1,1 --by gjk
expect 2 '--pose-b wants x,y,z' collide sphere:1 sphere:1 --pose-b 1,2
expect 0 'distance    separation 1, normal (1, 0, 0), pointA (1, 0, 0), pointB (2, 0, 0)' \
    collide sphere:1 sphere:1 --pose-b 3,0,0 --query distance
expect 0 'penetration separation -0.5, normal (0, 1, 0)' \
    collide box:1,1,1 box:1,1,1 --pose-b 0,1.5,0 --query penetration
expect 0 '    point3 (' collide box:1,1,1 box:1,1,1 --pose-b 0,1.99,0 --query manifold
expect 0 'points 4' collide box:1,1,1 box:1,1,1 --pose-b 0,1.99,0 --query manifold
expect 0 'ray         yes, fraction 0.5' collide box:1,1,1 sphere:1 --pose-b 3,0,0 --query ray --move -4,0,0
expect 0 'cast        yes, fraction 0.2499' collide sphere:1 sphere:1 --pose-b 3,0,0 --query cast --move -4,0,0
expect 0 'toi         state hit, time 0.2499' collide sphere:1 sphere:1 --pose-b 3,0,0 --query toi --move -4,0,0
expect 0 '"isOverlapping": true' collide skull:1 sphere:1 --json --query overlap
expect 0 'Both bounds meet: the distance is 1 m' \
    collide box:1,1,1 box:1,1,1 --pose-b 3,0,0 --query distance --explain
expect 0 ": depth 0.5 m. The library's own answer: 0.5 m" collide box:1,1,1 box:1,1,1 --pose-b 1.5,0,0 --query penetration --explain
expect 0 'they overlap by 0.5' collide box:1,1,1 box:1,1,1 --pose-b 1.5,0,0 --by sat --explain
expect 0 'vertex 3 of A, vertex 2 of B' collide box:1,1,1 box:1,1,1 --pose-b 4,1,0,1,2,3,40 --query distance --by vclip --explain
check 'the features that are found are as near as the bodies' [ "$(sed -n 's/.* of B: \([0-9.]\{6\}\).*/\1/p' "$work/text" | tail -1)" = \
    "$(sed -n 's/^distance.*separation \([0-9.]\{6\}\).*/\1/p' "$work/text")" ]
# every algorithm finds the same distance of two turned boxes
for by in best gjk vclip; do
    "$sudar" collide box:1,1,1 box:1,2,1 --pose-b 4,1,0,1,2,3,40 --query distance --by $by |
        sed -n 's/.*separation \([0-9]*\.[0-9]\{4\}\).*/\1/p'
done | sort -u >same
check 'GJK and V-Clip agree' [ "$(wc -l <same)" -eq 1 ]

# ---- imports -------------------------------------------------------------------------------

cat >arm.urdf <<'END'
<robot name="arm">
  <link name="base"><collision><geometry><box size="0.4 0.4 0.2"/></geometry></collision></link>
  <link name="upper">
    <inertial><origin xyz="0 0 0.25" rpy="0.1 0 0"/><mass value="2"/>
      <inertia ixx="0.05" iyy="0.05" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><sphere radius="1"/></geometry></visual>
    <collision><origin xyz="0 0 0.25"/><geometry><cylinder radius="0.05" length="0.5"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.15"/><axis xyz="0 1 0"/><limit lower="-1" upper="1.5" effort="10" velocity="3"/></joint>
  <transmission/>
</robot>
END
if "$sudar" scene arm.urdf 2>&1 | grep -q 'install libxml2-dev'; then
    echo "files: NOT TESTED: imports of XML, for this build has no libxml2"
else
    expect 0 'arm.urdf: 2 bodies, 1 joint' scene arm.urdf --out arm.json
    expect 0 'arm.urdf:11: ignored: <transmission> in <robot>' scene arm.urdf
    expect 0 'arm.urdf:10: ignored: effort of <limit>' scene arm.urdf
    expect 1 'not all of it can be kept (--strict)' scene arm.urdf --strict
    expect 0 '2 bodies, 1 joint' scene arm.json
    check 'an import does what its scene file does' [ "$(hash_of arm.urdf --steps 20)" = "$(hash_of arm.json --steps 20)" ]
    grep -v 'transmission' arm.urdf | sed 's/ effort="10" velocity="3"//; s/<link name="base">/&<inertial><mass value="1"\/><inertia ixx="1" iyy="1" izz="1"\/><\/inertial>/' >whole.urdf
    expect 0 'whole.urdf: 2 bodies' scene whole.urdf --strict
    printf '<robot>\n<link name="a"/>\n<joint type="revolute"><parent link="a"/><child link="b"/></joint></robot>' >u1.urdf
    expect 1 "u1.urdf:3: there is no link 'b'" scene u1.urdf
    printf '<robot>\n<link name="a"/><link name="b"/>\n<joint name="j" type="rotate"><parent link="a"/><child link="b"/></joint></robot>' >u2.urdf
    expect 1 "u2.urdf:3: joint 'j' cannot be of type 'rotate'" scene u2.urdf
    printf '<robot>\n<link name="a"/>\n<link name="a"/></robot>' >u3.urdf
    expect 1 "u3.urdf:3: two links have the name 'a'" scene u3.urdf
    printf '<robot>\n<link name="a"/><link name="b"/>\n<joint type="fixed"><parent link="a"/><child link="b"/></joint>\n<joint type="fixed"><parent link="b"/><child link="a"/></joint></robot>' >u4.urdf
    expect 1 'links and joints go round in a circle' scene u4.urdf
    printf '<robot>\n<link name="a"><collision><geometry>\n<box size="1 2"/></geometry></collision></link></robot>' >u5.urdf
    expect 1 'u5.urdf:3: <box size>: 3 numbers are wanted' scene u5.urdf
    printf '<robot>\n<link>\n</robot>' >u6.urdf
    expect 1 'u6.urdf:3: not XML' scene u6.urdf
    printf '<sdf/>' >u7.urdf
    expect 1 'u7.urdf:1: the file begins with <sdf>, not with <robot>' scene u7.urdf

    cat >pendulum.xml <<'END'
<mujoco model="pendulum"><compiler angle="degree"/><option gravity="0 0 -9.81" timestep="0.005"/>
  <worldbody><light pos="0 0 1"/><geom type="plane" size="0 0 1"/>
    <body name="arm" pos="0 0 2"><joint type="hinge" axis="0 1 0" range="-90 90" damping="0.1"/>
      <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.04"/>
      <body name="tip" pos="0.5 0 0"><joint type="ball"/><geom type="box" size="0.1 0.1 0.1" density="500"/></body>
    </body>
    <body name="ball" pos="1 0 1"><freejoint/><geom size="0.2" friction="1 0.005 0.0001"/></body>
  </worldbody>
  <actuator/>
</mujoco>
END
    expect 0 'pendulum.xml: 4 bodies, 2 joints, 600 steps of 0.005 s' scene pendulum.xml
    expect 0 'pendulum.xml:9: ignored: <actuator> in <mujoco>' scene pendulum.xml
    expect 0 'pendulum.xml:3: ignored: damping of <joint>' scene pendulum.xml
    expect 1 '(--strict)' scene pendulum.xml --strict
    expect 0 'bodies' run pendulum.xml --steps 20
    cat >classes.xml <<'END'
<mujoco><default><geom type="box" size="1 1 1" friction="0.3"/>
    <default class="small"><geom size="0.1 0.1 0.1" mass="2"/><tendon/></default></default>
  <worldbody><body name="a" childclass="small"><freejoint/><geom/></body>
    <body name="b" pos="0 0 5"><freejoint/><geom class="small" type="sphere"/></body></worldbody></mujoco>
END
    expect 0 'classes.xml:2: ignored: <tendon> in <default>' scene classes.xml --out classes.json
    check 'a class and those around it give what is missing' grep -qF \
        '"halfExtents": [0.1, 0.1, 0.1]}, "material": {"staticFriction": 0.3, "slidingFriction": 0.3}, "density": 249.99' classes.json
    check 'what is there stays' grep -qF '{"type": "sphere", "radius": 0.1}' classes.json
    printf '<mujoco>\n<worldbody>\n<geom class="none"/></worldbody></mujoco>' >j3.xml
    expect 1 'j3.xml:3: there is no <default class="none">' scene j3.xml
    printf '<mujoco>\n<worldbody>\n<geom type="blob"/></worldbody></mujoco>' >j1.xml
    expect 1 "j1.xml:3: a geom of type 'blob' cannot be imported" scene j1.xml
    printf '<mujoco>\n<worldbody>\n<geom type="mesh" mesh="x"/></worldbody></mujoco>' >j2.xml
    expect 1 "j2.xml:3: there is no mesh 'x'" scene j2.xml
fi

cat >body.gltf <<'END'
{"asset": {"version": "2.0"},
 "extensions": {
  "KHR_implicit_shapes": {"shapes": [{"type": "box", "box": {"size": [10, 1, 10]}},
    {"type": "sphere", "sphere": {"radius": 0.5}}]},
  "KHR_physics_rigid_bodies": {
   "physicsMaterials": [{"staticFriction": 0.5, "dynamicFriction": 0.4, "frictionCombine": "average"}],
   "physicsJoints": [{"limits": [{"linearAxes": [0, 1, 2], "min": 0, "max": 0},
     {"angularAxes": [0], "min": -0.5, "max": 0.5}]}]}},
 "nodes": [
  {"name": "floor", "translation": [0, -0.5, 0], "extensions": {"KHR_physics_rigid_bodies":
    {"collider": {"geometry": {"shape": 0}, "physicsMaterial": 0}}}},
  {"name": "ball", "translation": [0, 2, 0], "children": [2], "extensions": {"KHR_physics_rigid_bodies":
    {"motion": {"mass": 3, "inertiaDiagonal": [0.3, 0.3, 0.3]}, "collider": {"geometry": {"shape": 1}}}}},
  {"name": "ear", "translation": [0, 0.5, 0], "scale": [0.5, 0.5, 0.5], "extensions":
    {"KHR_physics_rigid_bodies": {"collider": {"geometry": {"mesh": 0, "convexHull": true}}}}},
  {"name": "door", "translation": [3, 1, 0], "extensions": {"KHR_physics_rigid_bodies":
    {"motion": {}, "collider": {"geometry": {"mesh": 0}}, "joint": {"connectedNode": 4, "joint": 0}}}},
  {"name": "post", "translation": [3, 1, 0]}
 ],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
  {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}],
 "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
 "buffers": [{"byteLength": 72, "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAACAAEAAAABAAMAAAADAAIAAQACAAMA"}]}
END
expect 0 'body.gltf: 4 bodies, 1 joint' scene body.gltf --out body.json
expect 0 'body.gltf:6: ignored: frictionCombine of a physicsMaterial' scene body.gltf
expect 1 '(--strict)' scene body.gltf --strict
sed 's/, "frictionCombine": "average"//' body.gltf >whole.gltf
expect 0 '4 bodies' scene whole.gltf --strict
expect 0 'bodies' run body.gltf --steps 20
sed 's/"count": 4,/"count": 400,/' body.gltf >g1.gltf
expect 1 'mesh 0: it is not there, not made of triangles, or its data are cut short' scene g1.gltf
sed 's/"connectedNode": 4/"connectedNode": 9/' body.gltf >g2.gltf
expect 1 'g2.gltf:17: a joint wants a connectedNode' scene g2.gltf
sed 's/"children": \[2\]/"children": [1]/' body.gltf >g3.gltf
expect 1 'nodes go round in a circle' scene g3.gltf
printf '{"asset": {},\n "nodes": [{]}' >g4.gltf
expect 1 'g4.gltf:2: a key is wanted here' scene g4.gltf
printf '{"nodes": [{}]}' >g5.gltf
expect 1 'no node has KHR_physics_rigid_bodies' scene g5.gltf

# ---- limits that docs/limits.md states ------------------------------------------------------

# files with holes take no room; what is too large is not read
truncate -s 1074000000 large.json large.glb
truncate -s 2200000000 large.sdr
expect 1 'larger than 1 GiB' scene large.json
expect 1 'larger than' replay large.sdr
expect 1 'large.glb: ' scene large.glb
rm large.*
awk 'BEGIN { printf "{\"nodes\": [{}"; for (i = 0; i < 100000; ++i) printf ",{}"; print "]}" }' >nodes.gltf
expect 1 'more than 100000' scene nodes.gltf
if ! "$sudar" scene arm.urdf 2>&1 | grep -q 'install libxml2-dev'; then
    awk 'BEGIN { print "<robot>"; for (i = 0; i <= 4096; ++i) printf "<link name=\"l%d\"/>\n", i; print "</robot>" }' >links.urdf
    expect 1 'more than 4096 links' scene links.urdf
    awk 'BEGIN { print "<mujoco><worldbody>"; for (i = 0; i <= 10000; ++i) print "<body><geom size=\"1\"/></body>"
        print "</worldbody></mujoco>" }' >bodies.xml
    expect 1 'or 10000 in all' scene bodies.xml
    awk 'BEGIN { print "<mujoco><worldbody>"; for (i = 0; i <= 129; ++i) print "<body><geom size=\"1\"/>"
        for (i = 0; i <= 129; ++i) print "</body>"; print "</worldbody></mujoco>" }' >deep.xml
    expect 1 'more than 128 bodies in each other' scene deep.xml
fi

[ "$bad" -eq 0 ] && echo "files: scenes, meshes, pairs and imports are as they should be"
exit "$bad"
