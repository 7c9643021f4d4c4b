# SPDX-License-Identifier: MIT
"""The module for Python: values both ways, mistakes in words, arrays without copies, many worlds."""

import gc
import os
import pathlib
import re
import subprocess
import sys
import threading

import numpy as np
import pytest

import sudar

DT = 1 / 60


def box_world(**settings):
    world = sudar.World(gravity=(0, -9.81, 0), **settings)
    sudar.Body.create(world).add_shape(sudar.Shape.half_space())
    body = sudar.Body.create(world, type='dynamic', position=(0, 2, 0))
    body.add_shape(sudar.Shape.box(0.5, 0.5, 0.5), density=1000)
    return world, body


def scene_world(name, **options):
    return sudar.world_of_scene(name, **options)[0]


# ---- a world --------------------------------------------------------------------------------

def test_a_box_falls_and_rests():
    world, body = box_world()
    for _ in range(120):
        world.step(DT)
    assert body.get_transform().p == pytest.approx([0, 0.5, 0], abs=1e-3)
    assert world.get_time() == pytest.approx(2, abs=1e-6)
    contacts = world.get_contacts()
    assert len(contacts) == 1 and contacts['point_count'][0] == 4
    assert (contacts['points']['normal_impulse'] > 0).all()


def test_free_fall_is_that_of_the_book():
    world = sudar.World(gravity=(0, -10, 0))
    body = sudar.Body.create(world, type='dynamic', position=(1, 2, 3), velocity=(1, 0, 0))
    body.add_shape(sudar.Shape.sphere(0.1))
    for _ in range(60):
        world.step(DT)
    assert body.get_velocity() == pytest.approx([1, -10, 0], abs=1e-4)
    assert body.get_center() == pytest.approx([2, 2 - 5, 3], abs=0.1)


def test_scenes_have_the_hashes_of_the_command():
    """Native code gives the same bits through Python; the recorded hashes are those of the C tests."""
    table = pathlib.Path(__file__).parents[2] / 'test' / 'scene_hashes.inc'
    steps = int(re.search(r'hash after (\d+) steps', table.read_text())[1])
    rows = re.findall(r'\{"([\w-]+)", (\d+), (0x[0-9a-fA-F]+)\}', table.read_text())
    assert rows, 'the form of the table has changed'
    for name, size, value in rows:
        world = scene_world(name, size=int(size))
        dt = sudar.Scene.find(name).dt
        for _ in range(steps):
            world.step(dt)
        assert world.get_hash() == int(value, 0), name


def test_threads_give_the_same_bits():
    hashes = set()
    for threads in (1, 2, 4):
        world = scene_world('pyramid', threads=threads, size=8)
        for _ in range(30):
            world.step(DT)
        hashes.add(world.get_hash())
    assert len(hashes) == 1


def test_joints_events_and_user_data():
    world = sudar.World()
    anchor = sudar.Body.create(world)
    arm = sudar.Body.create(world, type='dynamic', position=(1, 0, 0), user_data=2**63 + 1)
    arm.add_shape(sudar.Shape.sphere(0.1))
    assert arm.get_user_data() == 2**63 + 1
    definition = sudar.JointDef.make('hinge', anchor, arm)
    definition = sudar.JointDef.place(world, definition, (0, 0, 0), (0, 0, 1))
    definition.axes[3].mode = 'limited'
    definition.axes[3].lower = -0.5
    definition.axes[3].upper = 0.5
    joint = sudar.Joint.create(world, definition)
    for _ in range(120):
        world.step(DT)
    assert joint.get_place('turn-x') == pytest.approx(-0.5, abs=0.01)
    assert joint.get_def().body_a == anchor
    assert arm.get_joints() == [joint]
    joint.destroy()
    assert not joint.is_valid()


# ---- values ---------------------------------------------------------------------------------

def test_structs_are_read_and_written_in_place():
    definition = sudar.WorldDef()
    definition.impulse.order = 'ordinary'
    definition.gravity[1] = -3
    definition.broadphase.kind = 'sap'
    world = sudar.World(definition, sub_step_count=3)
    back = world.get_def()
    assert (back.impulse.order, back.broadphase.kind, back.sub_step_count) == ('ordinary', 'sap', 3)
    assert back.gravity == pytest.approx([0, -3, 0])
    assert definition.sub_step_count != 3, 'what was given must not change'
    assert "order='ordinary'" in repr(back.impulse)


def test_settings_by_dicts_lists_and_words():
    world, _ = box_world()
    body = sudar.Body.create(world, {'type': 'dynamic', 'position': [0, 5, 0]})
    shape = body.add_shape({'shape': sudar.Shape.sphere(1), 'material': {'restitution': 0.5}}, density=2)
    definition = shape.get_def()
    assert definition.shape.type == 'sphere' and definition.shape.sphere.radius == 1
    assert definition.shape.box is None
    assert definition.density == 2 and definition.material.restitution == 0.5
    hit = world.raycast(((0, 10, 0), (0, -20, 0)), category=1)
    assert hit.body == body and hit.point == pytest.approx([0, 6, 0])


def test_matrices_have_rows_and_columns():
    mass = sudar.MassProps(mass=2, inertia=[[4, 0.5, 0], [0.5, 5, 0], [0, 0, 6]])
    assert mass.inertia[0, 1] == 0.5 and mass.inertia[2, 2] == 6
    mass.inertia[2, 2] = 7
    world, body = box_world()
    body.set_mass(mass)
    assert body.get_mass().inertia == pytest.approx(np.array([[4, 0.5, 0], [0.5, 5, 0], [0, 0, 7]]))


def test_handles_in_structs_stay_alive():
    shape = sudar.Shape.hull(sudar.Hull.create(points=np.random.default_rng(1).normal(size=(30, 3))))
    gc.collect()
    world, _ = box_world()
    body = sudar.Body.create(world, type='dynamic', position=(0, 9, 0))
    fixture = body.add_shape(shape)
    kept = fixture.get_def()
    body.destroy()
    world.free()
    del shape, world, fixture
    gc.collect()
    assert len(kept.shape.hull.get_vertices()) > 8


def test_distance_between_shapes_needs_no_world():
    result = sudar.distance(sudar.Shape.sphere(1), sudar.Shape.sphere(1), ((3, 0, 0), (0, 0, 0, 1)))
    assert result.separation == pytest.approx(1) and result.normal == pytest.approx([1, 0, 0])


# ---- arrays ---------------------------------------------------------------------------------

def tetrahedron():
    return (np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], 'f4'),
            np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], 'i4'))


def test_arrays_of_a_mesh_are_its_own_memory():
    mesh = sudar.mesh(*tetrahedron())
    first, second = mesh.get_data().vertices, mesh.get_data().vertices
    assert first.shape == (4, 3) and first.dtype == np.float32
    assert first.__array_interface__['data'] == second.__array_interface__['data'], 'copied'
    assert not first.flags.writeable
    with pytest.raises(ValueError):
        first[0, 0] = 1
    del mesh
    gc.collect()
    assert first == pytest.approx(tetrahedron()[0])
    assert sudar.mesh(*tetrahedron()).get_mass(6).mass == pytest.approx(1)


def test_poses_go_into_an_array_of_the_caller():
    world, body = box_world()
    poses = world.get_poses()
    assert poses.shape == (2, 7) and poses[1] == pytest.approx([0, 2, 0, 0, 0, 0, 1])
    world.step(DT)
    assert world.get_poses(poses) is poses
    assert poses[1, 1] < 2 and world.get_velocities()[1, 1] < 0
    for wrong in (np.zeros((2, 6)), np.zeros((3, 7)), np.zeros((2, 7), 'f4'), np.zeros((7, 2)).T):
        with pytest.raises((ValueError, BufferError)):
            world.get_poses(wrong)


def test_many_rays_agree_with_single_ones():
    world = scene_world('pile', size=60)
    for _ in range(60):
        world.step(DT)
    random = np.random.default_rng(5)
    rays = np.zeros(500, sudar.record('Ray'))
    rays['origin'] = random.uniform(-3, 3, (500, 3)) + [0, 8, 0]
    rays['translation'] = random.uniform(-1, 1, (500, 3)) - [0, 20, 0]
    hits = world.raycast_many(rays)
    assert hits.dtype == sudar.record('QueryHit') and (hits['body'] != 0).sum() > 100
    for ray, hit in zip(rays, hits):
        one = world.raycast((ray['origin'], ray['translation']))
        assert (one.body.id if one.body else 0) == hit['body']
        assert one.fraction == hit['fraction']


def test_lists_longer_than_the_first_room():
    world = sudar.World()
    bodies = [sudar.Body.create(world, position=(i, 0, 0)) for i in range(500)]
    assert world.get_bodies() == bodies
    assert sudar.Body(world, bodies[7].id) == bodies[7] and len(set(bodies)) == 500


# ---- snapshots ------------------------------------------------------------------------------

def test_restored_worlds_go_on_with_the_same_bits():
    world = scene_world('pile', size=30)
    snapshot = sudar.Snapshot.create()
    for _ in range(40):
        world.step(DT)
    world.save(snapshot)
    def run():
        for _ in range(30):
            world.step(DT)
        return world.get_hash()
    first = run()
    world.restore(snapshot)
    assert run() == first
    data = snapshot.get_bytes()
    again = sudar.Snapshot.create()
    again.set_bytes(data, snapshot.get_objects())
    world.restore(again)
    assert run() == first
    with pytest.raises(sudar.SudarError):
        again.set_bytes(data[:-1], snapshot.get_objects())


# ---- many worlds, many threads --------------------------------------------------------------

def test_many_worlds_step_at_once():
    worlds = [scene_world('pyramid', size=4 + i % 3) for i in range(8)]
    others = [scene_world('pyramid', size=4 + i % 3) for i in range(8)]
    sudar.step_many(worlds, DT, 20, threads=4)
    for other in others:
        for _ in range(20):
            other.step(DT)
    assert [w.get_hash() for w in worlds] == [w.get_hash() for w in others]
    with pytest.raises(RuntimeError, match='another thread'):
        sudar.step_many([worlds[0], worlds[0]], DT)
    with pytest.raises(TypeError):
        sudar.step_many([worlds[0], 7], DT)
    worlds[0].step(DT)
    with pytest.raises(sudar.SudarError):
        sudar.step_many(worlds, float('nan'))


def test_a_world_in_use_says_so():
    world = scene_world('pile', size=400)
    refused, stop = [], threading.Event()
    def poke():
        while not stop.is_set():
            try:
                world.get_time()
            except RuntimeError as error:
                refused.append(str(error))
    thread = threading.Thread(target=poke)
    thread.start()
    done = 0
    while done < 300 and len(refused) < 3:
        try:
            world.step(DT)
            done += 1
        except RuntimeError:
            pass
    stop.set()
    thread.join()
    assert refused and 'another thread uses this World' in refused[0]


# ---- mistakes -------------------------------------------------------------------------------

@pytest.mark.parametrize('mistake, error, words', [
    (lambda w, b: w.step('x'), TypeError, 'World.step: dt must be a number'),
    (lambda w, b: w.step(), TypeError, 'dt is missing'),
    (lambda w, b: w.step(1, 2), TypeError, 'takes 1 arguments'),
    (lambda w, b: w.step(dt=DT, dx=1), TypeError, "no parameter 'dx'"),
    (lambda w, b: w.step(-1.0), sudar.SudarError, 'dt'),
    (lambda w, b: sudar.World(gravity=(0, float('nan'), 0)), sudar.SudarError, 'gravity'),
    (lambda w, b: sudar.World(gravity=(0, 1)), TypeError, 'gravity must be 3 numbers'),
    (lambda w, b: sudar.World(gravty=(0, 1, 0)), TypeError, 'has no field'),
    (lambda w, b: sudar.World(solver='magic'), TypeError, "one of 'soft', 'impulse'"),
    (lambda w, b: sudar.World(sub_step_count=2.5), TypeError, 'a whole number'),
    (lambda w, b: sudar.World(sub_step_count=2**40), TypeError, 'range'),
    (lambda w, b: sudar.World(threads=1000), sudar.SudarError, ''),
    (lambda w, b: b.add_shape(7), TypeError, 'shape must be'),
    (lambda w, b: b.add_shape(sudar.Shape.sphere(-1)), sudar.SudarError, ''),
    (lambda w, b: b.set_bullet(1), TypeError, 'True or False'),
    (lambda w, b: sudar.mesh([[0, 0, 0]], [[0, 1, 2]]), sudar.SudarError, ''),
    (lambda w, b: sudar.mesh(np.zeros((3, 2)), [[0, 1, 2]]), TypeError, 'rows of 3 numbers'),
    (lambda w, b: sudar.mesh(np.zeros((3, 3)), [[0, 1, 2.5]]), TypeError, 'whole numbers'),
    (lambda w, b: sudar.mesh(np.zeros((3, 3)), [[0, 1, 2**35]]), TypeError, '32 bits'),
    (lambda w, b: sudar.Scene.build(3, w), TypeError, 'the library gives'),
    (lambda w, b: sudar.world_of_scene('nothing'), ValueError, 'pyramid'),
    (lambda w, b: sudar.Mesh(), TypeError, ''),
    (lambda w, b: sudar.record('World'), TypeError, 'no struct'),
    (lambda w, b: setattr(sudar.Scene.get(0), 'name', 'x'), AttributeError, 'changed'),
])
def test_mistakes_are_told_in_words(mistake, error, words):
    world, body = box_world()
    before = world.get_hash()
    with pytest.raises(error, match=re.escape(words)):
        mistake(world, body)
    assert world.get_hash() == before
    world.step(DT)


def test_what_is_gone_is_told():
    world, body = box_world()
    body.destroy()
    with pytest.raises(sudar.SudarError) as caught:
        body.set_velocity((0, 0, 0), (0, 0, 0))
    assert caught.value.result == 'error-stale-id'
    assert not body.is_valid()
    with world:
        pass
    assert world.is_free
    world.free()
    with pytest.raises(ValueError, match='freed'):
        world.step(DT)
    with pytest.raises(ValueError, match='freed'):
        body.is_valid()


def test_nothing_leaks():
    def round_trip():
        world, body = box_world()
        world.step(DT)
        world.get_contacts(), world.get_events(), world.get_poses(), body.get_transform(), world.get_def()
        mesh = sudar.mesh(*tetrahedron())
        mesh.get_data().vertices.sum()
        with pytest.raises(TypeError):
            body.add_shape(sudar.Shape.box(1, 1, 1), densty=3)
    def resident():
        with open('/proc/self/statm', encoding='ascii') as file:
            return int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')
    for _ in range(100):
        round_trip()
    gc.collect()
    before = resident()
    for _ in range(600):
        round_trip()
    gc.collect()
    assert resident() - before < 4 << 20


# ---- files and examples ---------------------------------------------------------------------

def test_meshes_come_from_files(tmp_path):
    vertices, triangles = tetrahedron()
    obj = tmp_path / 'a.obj'
    obj.write_text(''.join(f'v {x} {y} {z}\n' for x, y, z in vertices) + ''.join(f'f {a + 1}/1 {b + 1}//2 {c - 4}\n' for a, b, c in triangles))
    stl = tmp_path / 'a.STL'
    records = np.zeros(4, [('normal', '<f4', 3), ('corners', '<f4', (3, 3)), ('more', '<u2')])
    records['corners'] = vertices[triangles]
    stl.write_bytes(b' ' * 80 + (4).to_bytes(4, 'little') + records.tobytes())
    text = tmp_path / 'b.stl'
    text.write_text('solid t\n' + ''.join('facet\n' + ''.join(f'vertex {x} {y} {z}\n' for x, y, z in vertices[t]) for t in triangles))
    for path in (obj, stl, text):
        mesh = sudar.read_mesh(str(path), scale=2)
        assert mesh.get_report().is_solid and mesh.get_report().vertex_count == 4
        assert mesh.get_mass(1).mass == pytest.approx(8 / 6)
    for name, content, words in (('c.obj', 'v 0 0\n', 'c.obj:1'), ('d.obj', 'v 0 0 0\nf 1 2 3\n', "d.obj:2: there is no vertex '2'"),
                                 ('e.stl', 'nothing', 'neither'), ('f.obj', '', 'no triangles'), ('g.ply', '', 'only .obj')):
        (tmp_path / name).write_text(content)
        with pytest.raises(ValueError, match=re.escape(words)):
            sudar.read_mesh(str(tmp_path / name))


def test_the_example_drops_a_mesh(tmp_path):
    script = pathlib.Path(__file__).parents[1] / 'example' / 'drop_mesh.py'
    done = subprocess.run([sys.executable, str(script), '--out', str(tmp_path), '--seconds', '1'], check=True, capture_output=True, text=True)
    assert (tmp_path / 'heights.csv').read_text().count('\n') == 61
    assert '<svg' in (tmp_path / 'heights.svg').read_text()
    assert 'rest' in done.stdout or 'moves' in done.stdout


def test_the_stubs_are_python_and_name_everything():
    stubs = (pathlib.Path(sudar.__file__).parent / '_core.pyi').read_text()
    compile(stubs, '_core.pyi', 'exec')
    for name in dir(sudar._core):
        if not name.startswith('_') and name != 'record':
            assert re.search(rf'^(class|def) {name}\b', stubs, re.M), name
