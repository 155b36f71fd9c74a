"""Points on a blob with head, ears and tail that stands on a flat base: what is grasped here.

Implicit: f(x) = smooth minimum of ellipsoids' distances, cut off below. Points of the surface are
found by Newton's method from seeds around it; of these, the one that is farthest from all chosen
ones is taken, again and again. A fixed seed makes the cloud the same everywhere, to round-off.
"""

from functools import cache

import numpy as np

COUNT = 992  # as many points as the paper's bunny
BLEND = 0.006  # [m]  over which parts run into each other

# centre and half axes [m] of the parts
PARTS = np.array([
    [0.000, 0.000, 0.040, 0.048, 0.036, 0.048],  # body
    [0.036, 0.000, 0.088, 0.024, 0.022, 0.024],  # head
    [0.026, 0.014, 0.125, 0.009, 0.007, 0.028],  # ears
    [0.026, -0.014, 0.125, 0.009, 0.007, 0.028],
    [-0.050, 0.000, 0.026, 0.013, 0.013, 0.013],  # tail
])  # fmt: skip


def field(x):
    """Negative inside, about a distance [m] near the surface; x (N, 3)."""
    offset = (x[:, None, :] - PARTS[None, :, :3]) / PARTS[None, :, 3:]
    length = np.linalg.norm(offset, axis=2)
    slope = np.linalg.norm(offset / PARTS[None, :, 3:], axis=2)
    parts = length * (length - 1.0) / np.maximum(slope, 1e-9)
    blob = -BLEND * np.log(np.exp(-parts / BLEND).sum(axis=1))
    return np.maximum(blob, -x[:, 2])


def gradient(x, step=1e-7):
    """By central differences, (N, 3)."""
    return np.column_stack(
        [(field(x + step * axis) - field(x - step * axis)) / (2 * step) for axis in np.eye(3)]
    )


def surface(seeds=16000, seed=1):
    """Points of the surface, more of them than are wanted."""
    generator = np.random.default_rng(seed)
    low, high = np.array([-0.075, -0.05, -0.01]), np.array([0.07, 0.05, 0.165])
    x = low + (high - low) * generator.random((seeds, 3))
    base = np.column_stack([x[: seeds // 8, :2], np.zeros(seeds // 8)])
    for _ in range(30):
        g = gradient(x)
        x = x - (field(x) / np.maximum((g * g).sum(axis=1), 0.05))[:, None] * g
    x = np.vstack([x[np.abs(field(x)) < 1e-7], base[field(base - [0, 0, 1e-9]) < 2e-9]])
    x[np.abs(x[:, 2]) < 1e-6, 2] = 0.0
    return x


@cache
def cloud(count=COUNT):
    """(count, 3) [m]"""
    dense = surface()
    chosen = np.empty(count, dtype=int)
    square = np.full(len(dense), np.inf)
    for i in range(count):
        chosen[i] = np.argmax(square) if i else 0
        square = np.minimum(square, ((dense - dense[chosen[i]]) ** 2).sum(axis=1))
    return np.round(dense[chosen], 6)
