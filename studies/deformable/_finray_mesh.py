"""Tetrahedra of a finger with the Fin Ray effect: a wedge of two beams, joined by ribs.

Axes: x along the finger from its base, y from the face that grips to the back, z across. The mesh
is a grid of hexahedra, each cut into six tetrahedra along the same diagonal; hexahedra between the
ribs are left out.
"""

from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np


@dataclass(frozen=True)
class Finger:
    """Sizes [m] and numbers of cells."""

    length: float = 0.09
    base: float = 0.035  # height at the base
    tip: float = 0.008  # and at the tip
    width: float = 0.02
    wall: float = 0.003  # thickness of the two beams
    rib: float = 0.003
    ribs: int = 6  # those at the base and at the tip among them
    between: int = 3  # cells from rib to rib
    along_rib: int = 1  # cells of a rib's thickness
    through: int = 2  # cells of a beam's thickness
    inside: int = 4  # cells of a rib's height
    across: int = 4
    solid: bool = False  # a wedge of the same outline

    def finer(self, factor):
        """The same with `factor` times as many cells along each axis."""
        names = ("between", "along_rib", "through", "inside", "across")
        return replace(self, **{name: factor * getattr(self, name) for name in names})


def stations(finger):
    """Coordinates [m] of the grid along x, and whether each column of cells is a rib."""
    gap = (finger.length - finger.ribs * finger.rib) / (finger.ribs - 1)
    x, is_rib = [0.0], []
    for part in range(2 * finger.ribs - 1):
        rib = part % 2 == 0
        cells = finger.along_rib if rib else finger.between
        size = (finger.rib if rib else gap) / cells
        x += [x[-1] + size * (k + 1) for k in range(cells)]
        is_rib += [rib] * cells
    return np.array(x), np.array(is_rib)


def heights(finger, x):
    """Coordinates [m] of the grid along y, at each station x."""
    back = finger.base + (finger.tip - finger.base) * x / finger.length
    wall = finger.wall * np.linspace(0.0, 1.0, finger.through + 1)
    inside = np.linspace(0.0, 1.0, finger.inside + 1)[1:-1]
    rows = [
        np.concatenate(
            (wall, finger.wall + inside * (h - 2 * finger.wall), h - finger.wall + wall)
        )
        for h in back
    ]
    return np.array(rows)


def mesh(finger):
    """Vertices (n x 3) [m] and tetrahedra (m x 4)."""
    x, is_rib = stations(finger)
    y, z = heights(finger, x), np.linspace(-0.5, 0.5, finger.across + 1) * finger.width
    shape = (len(x), y.shape[1], len(z))
    number = np.arange(np.prod(shape)).reshape(shape)
    place = np.stack(
        np.broadcast_arrays(x[:, None, None], y[:, :, None], z[None, None, :]), axis=-1
    ).reshape(-1, 3)
    tetrahedra = []
    for i in range(shape[0] - 1):
        for j in range(shape[1] - 1):
            hollow = finger.through <= j < finger.through + finger.inside and not is_rib[i]
            if hollow and not finger.solid:
                continue
            for k in range(shape[2] - 1):
                for order in permutations(range(3)):
                    corner, corners = np.array((i, j, k)), [number[i, j, k]]
                    for axis in order:
                        corner[axis] += 1
                        corners.append(number[tuple(corner)])
                    tetrahedra.append(corners)
    tetrahedra = np.array(tetrahedra)
    used = np.unique(tetrahedra)
    renumber = np.full(len(place), -1)
    renumber[used] = np.arange(len(used))
    return place[used], renumber[tetrahedra]


def vtk(finger):
    """The mesh as text of a legacy VTK file."""
    place, tetrahedra = mesh(finger)
    lines = ["# vtk DataFile Version 3.0", "finger with the Fin Ray effect", "ASCII"]
    lines += ["DATASET UNSTRUCTURED_GRID", f"POINTS {len(place)} double"]
    lines += [" ".join(f"{value:.9g}" for value in row) for row in place]
    lines += [f"CELLS {len(tetrahedra)} {5 * len(tetrahedra)}"]
    lines += ["4 " + " ".join(map(str, row)) for row in tetrahedra]
    lines += [f"CELL_TYPES {len(tetrahedra)}"] + ["10"] * len(tetrahedra)
    return "\n".join(lines) + "\n"
