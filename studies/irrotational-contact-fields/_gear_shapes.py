"""Gears, worms, threads and rings as tetrahedra with a pressure field, made by parameters.

Every part is a section swept along a path. A section has three vertices on each of several layers
from root to tip: left, middle, right. The field is 0 on both flanks and at the tip, and 1 along the
middle, also on the root and at the ends of the path, which nothing touches. So the pressure grows
from each flank with E over half the thickness.

    tooth of a gear    involute of the base circle, straight below it; swept along the axis, turned
                       with it by tan(lead angle)/pitch radius for the wheel of a worm
    thread             trapezium, swept along a helix; radii that fall make an internal thread
    ring               rectangle, swept around the axis

All lengths in metres. Written as VTK files: limpet reads the tetrahedra of a geom with an elastic
modulus, and the boundary alone of one without.
"""

import math
from itertools import pairwise

import numpy as np


class Part:
    """Vertices, tetrahedra and the field of a part; parts can be added up."""

    def __init__(self, vertices, tetrahedra, field):
        self.vertices = np.asarray(vertices, dtype=float)
        self.tetrahedra = np.asarray(tetrahedra, dtype=int)
        self.field = np.asarray(field, dtype=float)

    def __add__(self, other):
        return Part(
            np.vstack([self.vertices, other.vertices]),
            np.vstack([self.tetrahedra, other.tetrahedra + len(self.vertices)]),
            np.concatenate([self.field, other.field]),
        )

    def turned(self, angle):
        """The part turned about the z axis."""
        c, s = math.cos(angle), math.sin(angle)
        return Part(
            self.vertices @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]),
            self.tetrahedra,
            self.field,
        )

    def volume(self):
        """[m^3]"""
        corners = self.vertices[self.tetrahedra]
        edges = corners[:, 1:] - corners[:, :1]
        return float(np.abs(np.linalg.det(edges)).sum() / 6)

    def write(self, path, title):
        """As a VTK file, with the field at its vertices."""
        lines = ["# vtk DataFile Version 3.0", title, "ASCII", "DATASET UNSTRUCTURED_GRID"]
        lines.append(f"POINTS {len(self.vertices)} double")
        lines += [" ".join(repr(float(x)) for x in vertex) for vertex in self.vertices]
        count = len(self.tetrahedra)
        lines.append(f"CELLS {count} {5 * count}")
        lines += ["4 " + " ".join(map(str, corners)) for corners in self.tetrahedra]
        lines += [f"CELL_TYPES {count}", *(["10"] * count)]
        lines += [f"POINT_DATA {len(self.vertices)}", "SCALARS field double 1"]
        lines += ["LOOKUP_TABLE default", *(repr(float(e)) for e in self.field)]
        path.write_text("\n".join(lines) + "\n")


def _section_triangles(layers):
    """Triangles over the vertices 3 k + (left, middle, right) of a section."""
    triangles = []
    for low in range(0, 3 * (layers - 1), 3):
        for side in range(2):
            a, b, c, d = low + side, low + side + 1, low + side + 4, low + side + 3
            triangles += [(a, b, c), (a, c, d)] if side == 0 else [(a, b, d), (b, c, d)]
    return triangles


def _prism(triangle, low, high):
    """Three tetrahedra of a prism, cut by the order of the section's numbers: neighbours cut
    alike, also where a closed sweep meets its start."""
    order = sorted(range(3), key=lambda k: triangle[k])
    a, b, c = (low[k] for k in order)
    A, B, C = (high[k] for k in order)
    return [(a, b, c, C), (a, b, B, C), (a, A, B, C)]


def sweep(sections, closed=False):
    """Sections (stations x layers x 3 x 3: left, middle, right) joined to tetrahedra."""
    sections = np.asarray(sections)
    stations, layers = sections.shape[:2]
    size = 3 * layers
    tetrahedra = []
    for station in range(stations if closed else stations - 1):
        following = (station + 1) % stations
        for triangle in _section_triangles(layers):
            low = [station * size + k for k in triangle]
            high = [following * size + k for k in triangle]
            tetrahedra += _prism(triangle, low, high)
    field = np.zeros((stations, layers, 3))
    field[:, :-1, 1] = 1.0
    return Part(sections.reshape(-1, 3), tetrahedra, field.reshape(-1))


def _involute(angle):
    return math.tan(angle) - angle


def tooth_half_angle(radius, pitch_radius, teeth, pressure_angle, backlash):
    """Half the angle that a tooth takes at a radius [rad]."""
    base = pitch_radius * math.cos(pressure_angle)
    at = math.acos(min(1.0, base / radius))
    return (
        math.pi / (2 * teeth)
        - backlash / (2 * pitch_radius)
        + _involute(pressure_angle)
        - _involute(at)
    )


def gear(
    teeth,
    module,
    width,
    *,
    addendum,
    dedendum,
    pressure_angle,
    backlash,
    lead=0.0,
    layers=9,
    stations=4,
    phase=0.0,
):
    """An involute gear about the z axis: its teeth alone. addendum, dedendum: in modules; lead:
    tangent of the angle by which teeth lean (wheel of a worm)."""
    pitch = teeth * module / 2
    radii = np.linspace(pitch - dedendum * module, pitch + addendum * module, layers)
    angles = [tooth_half_angle(r, pitch, teeth, pressure_angle, backlash) for r in radii]
    whole = None
    for number in range(teeth):
        sections = []
        for z in np.linspace(-width / 2, width / 2, stations):
            centre = phase + 2 * math.pi * number / teeth + lead * z / pitch
            sections.append(
                [
                    [
                        (r * math.cos(centre + t), r * math.sin(centre + t), z)
                        for t in (-half, 0.0, half)
                    ]
                    for r, half in zip(radii, angles, strict=True)
                ]
            )
        tooth = sweep(sections)
        whole = tooth if whole is None else whole + tooth
    return whole


def thread(radii, half_widths, pitch, turns, *, segments=16, start=0.0, shift=0.0):
    """A ridge around the z axis: half_widths [m] along z at the radii, from root to tip; it begins
    at the angle `start` [rad] at z = shift + pitch start/(2 pi)."""
    sections = []
    for angle in start + np.linspace(0, 2 * math.pi * turns, round(segments * turns) + 1):
        middle = shift + pitch * angle / (2 * math.pi)
        c, s = math.cos(angle), math.sin(angle)
        sections.append(
            [
                [(r * c, r * s, middle + side * half) for side in (-1, 0, 1)]
                for r, half in zip(radii, half_widths, strict=True)
            ]
        )
    return sweep(sections)


def ring(inner, outer, low, high, *, segments=48, depth=None):
    """A washer about the z axis from z = low to its face at z = high; the pressure is 0 on the face
    and 1 at `depth` below it (the whole thickness)."""
    angles = 2 * math.pi * np.arange(segments) / segments
    middle = (inner + outer) / 2
    levels = np.linspace(low, high, 3) if depth is None else np.array([low, high - depth, high])
    sections = [
        [[(r * math.cos(a), r * math.sin(a), z) for r in (inner, middle, outer)] for z in levels]
        for a in angles
    ]
    part = sweep(sections, closed=True)
    part.field = np.clip((high - part.vertices[:, 2]) / (high - levels[-2]), 0.0, 1.0)
    return part


def is_sound(part):
    """Whether no tetrahedron is without volume and none turns its neighbour over: each inner face
    is seen from both sides."""
    corners = part.vertices[part.tetrahedra]
    edges = corners[:, 1:] - corners[:, :1]
    volumes = np.linalg.det(edges)
    size = np.abs(edges).max()
    faces = {}
    for tetrahedron, volume in zip(part.tetrahedra, volumes, strict=True):
        a, b, c, d = tetrahedron if volume > 0 else tetrahedron[[0, 2, 1, 3]]
        for face in ((a, c, b), (a, b, d), (b, c, d), (a, d, c)):
            key = tuple(sorted(face))
            swaps = sum(x > y for x, y in pairwise((*face, face[0]))) == 1
            faces.setdefault(key, []).append(swaps)
    seen = all(len(sides) == 1 or sorted(sides) == [False, True] for sides in faces.values())
    return bool(np.abs(volumes).min() > 1e-9 * size**3) and seen
