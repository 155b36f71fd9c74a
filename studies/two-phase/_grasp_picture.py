"""Pictures of a scene at the poses of a log: one ray for each point of the picture, against
spheres, capsules, cylinders and boxes.

ray     p(t) = o + t d, in the axes of the geom, where its middle is the origin and its axis is z
light   0.5 + 0.5 max(0, n . l), the second part only where no geom lies between the point and the
        light l
"""

import xml.etree.ElementTree as xml

import numpy as np
from support.recording import Recording

LIGHT = np.array([0.5, -0.45, 0.85]) / np.linalg.norm([0.5, -0.45, 0.85])
SHADE, NEAR = 0.5, 1e-6
FINER = 2  # rays for each point along either axis


def matrix(quaternion):
    """(3, 3)  rotation of a quaternion, w first"""
    w, x, y, z = np.asarray(quaternion) / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def numbers(text):
    return np.array([float(word) for word in text.split()])


def turned(vectors, turn):
    """(n, 3)  vectors times a matrix, on one thread: libraries would start many for so small a
    product"""
    return np.einsum("ni,ij->nj", vectors, turn)


class Geom:
    """A shape on a body: kind, place and rotation in the body, half sizes, colour."""

    def __init__(self, body, given):
        self.body, self.kind = body, given.get("type", "sphere")
        self.place, self.turn = (
            numbers(given.get("pos", "0 0 0")),
            matrix(numbers(given.get("quat", "1 0 0 0"))),
        )
        self.size, self.colour = numbers(given["size"]), numbers(given["rgba"])[:3]
        if "fromto" in given:
            ends = numbers(given["fromto"]).reshape(2, 3)
            z = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
            x = np.cross([0.3, 0.8, 0.52], z)
            x /= np.linalg.norm(x)
            self.place, self.turn = ends.mean(axis=0), np.column_stack([x, np.cross(z, x), z])
            self.size = np.array([self.size[0], 0.5 * np.linalg.norm(ends[1] - ends[0])])

    def reach(self):
        """Radius of a ball about its place that holds it"""
        if self.kind == "sphere":
            return self.size[0]
        return sum(self.size) if self.kind == "capsule" else np.linalg.norm(self.size)

    def hit(self, o, d):
        """(n)  t of the first point of the rays on the shape, infinite where they miss it"""
        if self.kind == "box":
            with np.errstate(divide="ignore", invalid="ignore"):
                a, b = (-self.size - o) / d, (self.size - o) / d
            first, last = np.nanmax(np.minimum(a, b), axis=1), np.nanmin(np.maximum(a, b), axis=1)
            return np.where((first <= last) & (first > NEAR), first, np.inf)
        if self.kind == "sphere":
            return ball_hit(o, d, self.size[0])
        radius, half = self.size
        t = side_hit(o, d, radius, half)
        for end in (-half, half):
            middle = np.array([0.0, 0.0, end])
            t = np.minimum(
                t,
                ball_hit(o - middle, d, radius)
                if self.kind == "capsule"
                else disc_hit(o - middle, d, radius),
            )
        return t

    def normal(self, p):
        """(n, 3)  outward, of points on the shape"""
        n = p.copy()
        if self.kind == "box":
            part = np.abs(p) / self.size
            n = np.sign(p) * (part >= part.max(axis=1, keepdims=True))
        elif self.kind == "capsule":
            n[:, 2] -= np.clip(p[:, 2], -self.size[1], self.size[1])
        elif self.kind == "cylinder":
            flat = np.abs(p[:, 2]) > self.size[1] - 1e-6
            n = np.where(
                flat[:, None], np.array([0.0, 0.0, 1.0]) * np.sign(p[:, 2:]), n * [1.0, 1.0, 0.0]
            )
        return n / np.linalg.norm(n, axis=1)[:, None]


def first_root(a, b, c):
    """Smaller root of a t^2 + 2 b t + c above NEAR; infinite where there is none."""
    inside = b * b - a * c
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (-b - np.sqrt(np.maximum(inside, 0.0))) / a
    return np.where((inside > 0.0) & (t > NEAR), t, np.inf)


def ball_hit(o, d, radius):
    return first_root(
        np.sum(d * d, axis=1), np.sum(o * d, axis=1), np.sum(o * o, axis=1) - radius**2
    )


def side_hit(o, d, radius, half):
    x, u = o[:, :2], d[:, :2]
    t = first_root(np.sum(u * u, axis=1), np.sum(x * u, axis=1), np.sum(x * x, axis=1) - radius**2)
    z = o[:, 2] + np.where(np.isfinite(t), t, 0.0) * d[:, 2]
    return np.where(np.abs(z) <= half, t, np.inf)


def disc_hit(o, d, radius):
    with np.errstate(divide="ignore", invalid="ignore"):
        t = -o[:, 2] / d[:, 2]
    p = o[:, :2] + np.where(np.isfinite(t), t, 0.0)[:, None] * d[:, :2]
    return np.where((t > NEAR) & (np.sum(p * p, axis=1) <= radius**2), t, np.inf)


def geoms_of(scene):
    """The geoms of a scene but planes; defaults are those of their class."""
    root = xml.parse(scene).getroot()
    classes = {c.get("class"): c.find("geom").attrib for c in root.findall("./default/default")}
    found = []

    def walk(body, name):
        for geom in body.findall("geom"):
            given = {**classes.get(geom.get("class"), {}), **geom.attrib}
            if given.get("type") != "plane":
                found.append(Geom(name, given))
        for child in body.findall("body"):
            walk(child, child.get("name"))

    walk(root.find("worldbody"), None)
    return found


class Scene:
    """The geoms of a scene at one record of a log."""

    def __init__(self, scene, log, time):
        recording = Recording(log)
        names, record = recording.names("body"), int(np.argmin(np.abs(recording.time - time)))
        places, turns = (
            recording.read("body_position")[record],
            recording.read("body_quaternion")[record],
        )
        self.geoms, self.poses = geoms_of(scene), []
        for geom in self.geoms:
            k = names.index(geom.body) if geom.body else 0
            turn = matrix(turns[k])
            self.poses.append((places[k] + turn @ geom.place, turn @ geom.turn))

    def hits(self, o, d):
        """(geoms, n)  t of the first point on each; of two that are equally far the first one is
        seen"""
        t = np.full((len(self.geoms), len(o)), np.inf)
        square = np.einsum("ni,ni->n", d, d)
        for i, (geom, (place, turn)) in enumerate(zip(self.geoms, self.poses, strict=True)):
            offset = o - place
            along = np.einsum("ni,ni->n", offset, d)
            away = np.einsum("ni,ni->n", offset, offset) - along**2 / square
            near = np.nonzero(away <= 1.001 * geom.reach() ** 2)[0]
            t[i, near] = geom.hit(turned(offset[near], turn), turned(d[near], turn)) + 1e-6 * i
        return t

    def colours(self, o, d):
        """(n, 3)  what is seen along the rays: geoms, the floor z = 0, which fades away, white"""
        t = self.hits(o, d)
        first, t = t.argmin(axis=0), t.min(axis=0)
        with np.errstate(divide="ignore"):
            floor = -o[:, 2] / d[:, 2]
        on_floor = (floor > NEAR) & (floor < t)
        t = np.where(on_floor, floor, t)
        known = np.isfinite(t)
        p = o + np.where(known, t, 0.0)[:, None] * d
        colour, n = np.ones_like(p), np.tile([0.0, 0.0, 1.0], (len(p), 1))
        colour[on_floor] = [0.93, 0.94, 0.96]
        for i, (geom, (place, turn)) in enumerate(zip(self.geoms, self.poses, strict=True)):
            mine = known & ~on_floor & (first == i)
            colour[mine] = geom.colour
            n[mine] = turned(geom.normal(turned(p[mine] - place, turn)), turn.T)
        lit = np.maximum(n @ LIGHT, 0.0)
        lit[known] *= ~np.isfinite(
            self.hits(p[known] + 1e-4 * n[known], np.tile(LIGHT, (known.sum(), 1))).min(axis=0)
        )
        shaded = colour * (SHADE + (1.0 - SHADE) * lit)[:, None]
        fades = np.exp(-((np.linalg.norm(p[on_floor], axis=1) / 0.8) ** 4))
        shaded[on_floor] = (
            1.0 - (1.0 - shaded[on_floor] / (SHADE + (1.0 - SHADE) * LIGHT[2])) * fades[:, None]
        )
        shaded[~known] = 1.0
        return shaded

    def picture(self, eye, target, angle, shape):
        """(rows, columns, 3)  seen from `eye` towards `target`; angle [rad] of the height of the
        picture"""
        rows, columns = (FINER * size for size in shape)
        forward = np.subtract(target, eye) / np.linalg.norm(np.subtract(target, eye))
        right = np.cross(forward, [0.0, 0.0, 1.0])
        right /= np.linalg.norm(right)
        y, x = np.mgrid[rows / 2 - 0.5 : -rows / 2 : -1, -columns / 2 + 0.5 : columns / 2] * (
            2.0 * np.tan(angle / 2.0) / rows
        )
        d = forward + x.reshape(-1, 1) * right + y.reshape(-1, 1) * np.cross(right, forward)
        seen = self.colours(np.tile(np.asarray(eye, dtype=float), (len(d), 1)), d).reshape(
            rows, columns, 3
        )
        return np.clip(
            seen.reshape(shape[0], FINER, shape[1], FINER, 3).mean(axis=(1, 3)), 0.0, 1.0
        )
