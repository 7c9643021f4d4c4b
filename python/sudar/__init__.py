# SPDX-License-Identifier: MIT
"""Sudar: rigid-body collision detection and dynamics for bodies of any shape.

    import sudar

    world = sudar.World(gravity=(0, -9.81, 0))
    sudar.Body.create(world).add_shape(sudar.Shape.half_space())
    body = sudar.Body.create(world, type='dynamic', position=(0, 2, 0))
    body.add_shape(sudar.Shape.box(0.5, 0.5, 0.5), density=1000)
    for _ in range(60):
        world.step(1 / 60)
    print(body.get_transform().p, world.get_poses())

Names are those of the C headers: sdWorld_Step(world, dt) is world.step(dt), sdBody_Create is
Body.create(world, ...). Settings are given by the names of their fields; enumerations are words;
vectors are NumPy arrays, rotations (x, y, z, w). What the library refuses is raised as SudarError
with its own words.
"""

from . import _core
from ._core import *  # noqa: F403
from ._core import Mesh, World
from .files import read_mesh

__version__ = '{0.major}.{0.minor}.{0.patch}'.format(_core.get_version())
__all__ = [name for name in dir(_core) if not name.startswith('_')] + ['mesh', 'read_mesh', 'world_of_scene']


def mesh(vertices, triangles, **options):
    """A Mesh of arrays (n, 3) of numbers and of indices; contiguous float32 and int32 are not copied on the way."""
    return Mesh.create(data=(vertices, triangles), **options)


def world_of_scene(name, *, threads=1, settings=None, **options):
    """A world that holds one of the library's scenes, and the scene: world, scene = world_of_scene('rings', size=20)."""
    scene = _core.Scene.find(name)
    if scene is None:
        names = ', '.join(_core.Scene.get(i).name for i in range(_core.Scene.get_count()))
        raise ValueError(f'there is no scene {name!r}; there are {names}')
    world = World(_core.Scene.get_world_def(scene), threads=threads, **(settings or {}))
    _core.Scene.build(scene, world, **options)
    return world, scene
