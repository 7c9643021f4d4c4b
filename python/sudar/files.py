# SPDX-License-Identifier: MIT
"""Meshes from files: Wavefront OBJ and STL, text or binary."""

import os

import numpy as np

from ._core import Mesh


def read_mesh(path, *, scale=1.0, **options):
    """The mesh in an OBJ or STL file. Options are fields of MeshDef; ValueError says where a file is wrong."""
    kind = os.path.splitext(path)[1].lower()
    if kind not in ('.obj', '.stl'):
        raise ValueError(f'{path}: only .obj and .stl are read here; `sudar mesh` converts others')
    with open(path, 'rb') as file:
        data = file.read()
    vertices, triangles = _read_obj(path, data) if kind == '.obj' else _read_stl(path, data)
    if len(triangles) == 0:
        raise ValueError(f'{path}: there are no triangles')
    return Mesh.create(data=((vertices * scale).astype('f4'), triangles), **options)


def _read_obj(path, data):
    vertices, triangles = [], []
    for number, line in enumerate(data.decode('utf-8', 'replace').splitlines(), 1):
        words = line.split('#')[0].split()
        try:
            if words[:1] == ['v']:
                vertices.append([float(word) for word in words[1:4]])
                if len(vertices[-1]) != 3:
                    raise ValueError('a vertex needs three numbers')
            elif words[:1] == ['f']:
                triangles += _fan([_corner(word, len(vertices)) for word in words[1:]])
        except ValueError as error:
            raise ValueError(f'{path}:{number}: {error}') from None
    return np.array(vertices, 'f8').reshape(-1, 3), np.array(triangles, 'i4').reshape(-1, 3)


def _corner(word, count):
    """7, 7/1, 7//3 and, from the end, -1: an index from 0."""
    index = int(word.split('/')[0])
    index = index - 1 if index > 0 else count + index
    if not 0 <= index < count:
        raise ValueError(f'there is no vertex {word!r} yet')
    return index


def _fan(corners):
    if len(corners) < 3:
        raise ValueError('a face needs three corners')
    return [(corners[0], corners[i], corners[i + 1]) for i in range(1, len(corners) - 1)]


def _read_stl(path, data):
    count = int.from_bytes(data[80:84], 'little') if len(data) >= 84 else -1
    if len(data) == 84 + 50 * count:
        records = np.frombuffer(data, np.dtype([('normal', '<f4', 3), ('corners', '<f4', (3, 3)), ('more', '<u2')]), count, 84)
        corners = records['corners'].reshape(-1, 3).astype('f8')
    elif data.lstrip()[:5].lower() == b'solid':
        corners = _read_stl_text(path, data)
    else:
        raise ValueError(f'{path}: neither an STL text nor a binary STL of {count} triangles')
    # corners that are the same become one when the mesh is made
    return corners, np.arange(len(corners), dtype='i4').reshape(-1, 3)


def _read_stl_text(path, data):
    corners = []
    for number, line in enumerate(data.decode('utf-8', 'replace').splitlines(), 1):
        words = line.split()
        if words[:1] == ['vertex']:
            try:
                corners.append([float(word) for word in words[1:4]])
                if len(corners[-1]) != 3:
                    raise ValueError('a vertex needs three numbers')
            except ValueError as error:
                raise ValueError(f'{path}:{number}: {error}') from None
    if len(corners) % 3 != 0:
        raise ValueError(f'{path}: {len(corners)} corners make no whole triangles')
    return np.array(corners, 'f8').reshape(-1, 3)
