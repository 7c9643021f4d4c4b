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


def panel(y, curves, unit):
    """One plot above the other: 170 points high, from y on, with round numbers at the axes."""
    top = max(float(np.max(values)) for values in curves) or 1
    step = 10 ** np.floor(np.log10(top))
    step *= 1 if top / step > 4 else 0.5 if top / step > 2 else 0.2
    place = lambda t, v: f'{60 + 540 * t / time[-1]:.1f},{y + 170 - 160 * v / top:.1f}'
    parts = [f'<path d="M60 {y}v170h540" fill="none" stroke="#888"/>', f'<text x="66" y="{y + 8}">{unit}</text>']
    for v in np.arange(0, top, step):
        at = y + 170 - 160 * v / top
        parts += [f'<path d="M60 {at:.1f}h540" stroke="#ddd"/>',
                  f'<text x="54" y="{at + 4:.1f}" text-anchor="end">{v:.3g}</text>']
    for t in range(int(time[-1]) + 1):
        parts.append(f'<text x="{60 + 540 * t / time[-1]:.1f}" y="{y + 186}" text-anchor="middle">{t} s</text>')
    for i, values in enumerate(curves):
        points = ' '.join(place(t, v) for t, v in zip(time, values))
        parts.append(f'<polyline fill="none" stroke="hsl({36 * i} 60% 45%)" stroke-width="1.5" points="{points}"/>')
    return parts


(out / 'heights.svg').write_text('\n'.join([
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 620 430" font-family="sans-serif" font-size="12">',
    '<rect width="620" height="430" fill="white"/>',
    *panel(15, list(heights.T), 'height of each, m'), *panel(230, [speeds], 'the fastest, m/s'), '</svg>']))
