# SPDX-License-Identifier: MIT
"""Drop ten copies of a mesh and plot how they come to rest.

    python3 drop_mesh.py [FILE.obj] [--out DIR] [--seconds S]

Writes heights.csv and heights.svg: the height of each copy over time, and the speed of the fastest.
Each `# %%` begins a cell for editors that run scripts piece by piece.
"""

# %% What to drop: a file, or a skull of the library's own
import argparse
import pathlib

import numpy as np

import sudar

parser = argparse.ArgumentParser()
parser.add_argument('file', nargs='?')
parser.add_argument('--out', default='.')
parser.add_argument('--seconds', type=float, default=4)
options = parser.parse_args()
out = pathlib.Path(options.out)

mesh = sudar.read_mesh(options.file) if options.file else sudar.Model.create('skull', 1.0)
report = mesh.get_report()
bounds = mesh.get_bounds()
size = float(np.linalg.norm(bounds.upper - bounds.lower))
print(f'{report.triangle_count} triangles, {size:.2f} m across, {"solid" if report.is_solid else "not closed"}')

# %% A body with holes keeps them: a field of distances, shared by all copies
concave = sudar.Concave.create(mesh)
print(f'collides by its {concave.get_info().route}')

world = sudar.World(gravity=(0, -9.81, 0), threads=0)
sudar.Body.create(world).add_shape(sudar.Shape.half_space())
random = np.random.default_rng(1)
bodies = []
for i in range(10):
    turn = random.normal(size=4)
    across = random.uniform(-size / 4, size / 4, 2)
    body = sudar.Body.create(world, type='dynamic', position=(across[0], (1 + i) * size, across[1]),
                             rotation=turn / np.linalg.norm(turn))
    body.add_shape(sudar.Shape.concave(concave), density=1000)
    bodies.append(body)

# %% Run
steps = int(round(60 * options.seconds))
heights = np.zeros((steps, len(bodies)))
speeds = np.zeros(steps)
poses, velocities = world.get_poses(), world.get_velocities()
for step in range(steps):
    world.step(1 / 60)
    heights[step] = world.get_poses(poses)[1:, 1]
    speeds[step] = np.linalg.norm(world.get_velocities(velocities)[:, :3], axis=1).max()
print('all at rest' if speeds[-1] < 0.05 else f'the fastest still moves at {speeds[-1]:.2f} m/s')

# %% Figures and a plot
time = np.arange(1, steps + 1) / 60
table = np.column_stack([time, heights, speeds])
names = ','.join(['time_s', *(f'height_{i}_m' for i in range(len(bodies))), 'fastest_m_per_s'])
np.savetxt(out / 'heights.csv', table, delimiter=',', header=names, comments='', fmt='%.5f')


def curve(values, top, colour):
    points = ' '.join(f'{40 + 560 * t / time[-1]:.1f},{260 - 240 * v / top:.1f}' for t, v in zip(time, values))
    return f'<polyline fill="none" stroke="{colour}" points="{points}"/>'


top = heights.max() or 1
curves = [curve(column, top, f'hsl({36 * i} 60% 45%)') for i, column in enumerate(heights.T)]
(out / 'heights.svg').write_text('\n'.join([
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 620 300" font-family="sans-serif" font-size="12">',
    '<rect width="620" height="300" fill="white"/>',
    '<path d="M40 20V260H600" fill="none" stroke="#888"/>',
    f'<text x="8" y="16">height, up to {top:.1f} m</text>', f'<text x="500" y="285">time, {time[-1]:.1f} s</text>',
    *curves, '</svg>']))
