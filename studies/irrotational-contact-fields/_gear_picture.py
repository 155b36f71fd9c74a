"""The finger of _gear_scene.py seen from the side: triangles of all parts, those behind first."""

import math

import numpy as np
from matplotlib.collections import PolyCollection

MM = 1e-3
COLOURS = {
    "pinion": "#60606a",
    "gear": "#4c80e6",
    "nut": "#4c80e6",
    "shaft": "#66bf66",
    "worm": "#66bf66",
    "clutch": "#f29abf",
    "wheel": "#9966cc",
    "distal_gear": "#e6d94c",
    "distal_worm": "#d94c4c",
    "distal_wheel": "#f2993a",
}


def read_vtk(path):
    """Vertices and tetrahedra of a file that _gear_shapes.py wrote."""
    words = path.read_text().split("\n")
    first = next(k for k, line in enumerate(words) if line.startswith("POINTS"))
    count = int(words[first].split()[1])
    vertices = np.loadtxt(words[first + 1 : first + 1 + count])
    cells = first + 1 + count
    number = int(words[cells].split()[1])
    tetrahedra = np.loadtxt(words[cells + 1 : cells + 1 + number], dtype=int)[:, 1:]
    return vertices, tetrahedra


def boundary(tetrahedra):
    """Faces of one tetrahedron alone."""
    faces = np.sort(tetrahedra[:, [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]].reshape(-1, 3))
    unique, counts = np.unique(faces, axis=0, return_counts=True)
    return unique[counts == 1]


def _turned(vertices, angle):
    c, s = math.cos(angle), math.sin(angle)
    return vertices @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])


def _wheel(vertices, angle):
    """About y; the joint's axis is -y."""
    placed = np.column_stack([vertices[:, 0], vertices[:, 2], -vertices[:, 1]])
    c, s = math.cos(-angle), math.sin(-angle)
    return placed @ np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]])


def _placed(finger, state):
    """(part, file, place) of every part in a state of the joints."""
    spur = (finger.pinion_teeth + finger.gear_teeth) * finger.module / 2
    far = finger.worm_radius + finger.wheel_teeth * finger.worm_module / 2
    low, slide = -16 * MM, state["nut_slide"]
    worm, distal = state["proximal_worm"], state["distal_worm"]
    gap = -2.5 * MM - finger.clutch_gap
    return [
        ("pinion", "pinion", lambda x: _turned(x, state["motor"]) - [spur, 0, 0]),
        ("gear", "gear", lambda x: _turned(x, state["nut"]) + [0, 0, slide]),
        ("nut", "nut", lambda x: _turned(x, state["nut"]) + [0, 0, slide]),
        ("shaft", "shaft", lambda x: _turned(x, worm)),
        ("clutch", "clutch", lambda x: _turned(x, worm) + [0, 0, gap]),
        ("worm", "worm", lambda x: _turned(x, worm) + [0, 0, low]),
        ("wheel", "wheel", lambda x: _wheel(x, state["proximal_link"]) + [far, 0, low]),
        ("distal_gear", "gear", lambda x: _turned(x, distal) - [2 * spur, 0, 0]),
        ("distal_worm", "distal_worm", lambda x: _turned(x, distal) + [-2 * spur, 0, low]),
        (
            "distal_wheel",
            "wheel",
            lambda x: _wheel(x, state["distal_wheel"]) + [-2 * spur - far, 0, low],
        ),
    ]


def side_view(axes, finger, folder, state):
    """Draws the finger into axes, seen along y."""
    from matplotlib.colors import to_rgb

    corners, shades = [], []
    light = np.array([-0.4, -0.8, 0.45])
    for part, file, place in _placed(finger, state):
        vertices, tetrahedra = read_vtk(folder / f"{file}.vtk")
        triangles = place(vertices)[boundary(tetrahedra)]
        normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
        normal /= np.linalg.norm(normal, axis=1)[:, None]
        shade = 0.45 + 0.55 * np.abs(normal @ light)
        corners.append(triangles)
        shades.append(shade[:, None] * np.array(to_rgb(COLOURS[part])))
    corners, shades = np.concatenate(corners), np.concatenate(shades)
    order = np.argsort(-corners[:, :, 1].mean(axis=1))
    shown = corners[order][:, :, [0, 2]] / MM
    axes.add_collection(
        PolyCollection(
            shown, facecolors=np.clip(shades[order], 0, 1), edgecolors="none", rasterized=True
        )
    )
    axes.set_aspect("equal")
    axes.autoscale_view()
    axes.set(xlabel="x [mm]", ylabel="z [mm]")
