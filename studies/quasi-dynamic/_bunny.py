"""The scene `bunny13` outside of Limpet: distances of all points from floor and pads, and the
quadratic programme of a step from a log.

variables  v = (bunny: velocity of its origin in world axes, turning in body axes; hand: x, y, z,
           roll, pitch, yaw; aperture)
rows       phi/h + (n + d_i)' J v >= 0 of 15 contacts: 4 for the floor, 6 for a pad, 80 together
"""

import numpy as np

from _cloud import cloud

MASS, FRICTION, GRAVITY = 0.4, 0.8, 9.81  # [kg, -, m/s²]
STIFFNESS = np.array(
    [2000.0, 500.0, 2000.0, 500.0, 500.0, 500.0, 1000.0]
)  # [N/m, N m/rad]  of the seven servos
HAND = np.array([0.045, 0.0, 0.085])  # [m]
PAD = np.array([0.012, 0.005, 0.012])  # [m]  half sizes
PAD_AT = 0.045  # [m]  of the pads' centres from the hand's, along y, when open
OBJECTS = ("floor", "left", "right")


def rotation(quaternion):
    """Matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def turned(axis, angle):
    """Rotation about axis 0, 1 or 2."""
    c, s = np.cos(angle), np.sin(angle)
    R = np.eye(3)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    R[j, j], R[j, k], R[k, j], R[k, k] = c, -s, s, c
    return R


def hand_pose(q):
    """Origin and rotation of the hand, and its seven columns: (axes of slides (3, 3), axes of
    hinges (3, 3), axis of the aperture)."""
    roll, pitch, yaw = q[10:13]
    A, B = turned(0, roll), turned(1, pitch)
    R = A @ B @ turned(2, yaw)
    return HAND + q[7:10], R, np.column_stack([np.eye(3)[:, 0], A[:, 1], (A @ B)[:, 2]]), -R[:, 1]


def points_in_world(points, q):
    return q[:3] + points @ rotation(q[3:7]).T


def distances(points, q):
    """(3, N) [m]  signed distances of all points from floor, left and right pad."""
    world = points_in_world(points, q)
    origin, R, _, axis = hand_pose(q)
    result = [world[:, 2]]
    for centre in (origin - PAD_AT * R[:, 1], origin + PAD_AT * R[:, 1] + q[13] * axis):
        out = np.abs((world - centre) @ R) - PAD
        result.append(
            np.linalg.norm(np.maximum(out, 0.0), axis=1) + np.minimum(out.max(axis=1), 0.0)
        )
    return np.array(result)


def tangents(n):
    """t1, t2 of a contact: the first has a zero where |n| is smallest."""
    i = int(np.argmin(np.abs(n)))
    j, k = (i + 1) % 3, (i + 2) % 3
    m = np.sqrt(1.0 - n[i] ** 2)
    t1, t2 = np.zeros(3), np.zeros(3)
    t1[j], t1[k] = -n[k] / m, n[j] / m
    t2[i], t2[j], t2[k] = m, -n[i] * n[j] / m, -n[i] * n[k] / m
    return t1, t2


def mass_matrix(points, q):
    """(6, 6)  of equal points, about the origin of the body."""
    R, com, M = rotation(q[3:7]), points.mean(axis=0), np.zeros((6, 6))
    M[:3, :3] = MASS * np.eye(3)
    skew = np.array([[0, -com[2], com[1]], [com[2], 0, -com[0]], [-com[1], com[0], 0]])
    M[:3, 3:] = -MASS * R @ skew
    M[3:, :3] = M[:3, 3:].T
    M[3:, 3:] = MASS * (
        (points**2).sum(axis=1).mean() * np.eye(3) - points.T @ points / len(points)
    )
    return M


def columns(q, position, other):
    """Jacobians (3, 13) of the velocity and the turning of the bunny relative to an object, at a
    point."""
    R = rotation(q[3:7])
    velocity, turning = np.zeros((3, 13)), np.zeros((3, 13))
    velocity[:, :3] = np.eye(3)
    velocity[:, 3:6] = np.cross(R.T, position - q[:3]).T
    turning[:, 3:6] = R
    if other != "floor":
        origin, _, hinges, axis = hand_pose(q)
        velocity[:, 6:9] = -np.eye(3)
        velocity[:, 9:12] = -np.cross(hinges.T, position - origin).T
        turning[:, 9:12] = -hinges
        if other == "right":
            velocity[:, 12] = -axis
    return velocity, turning


class Step:
    """One step of a log: the programme Q, c, G, h in velocities, and what Limpet answered."""

    def __init__(self, points, log, record, start, length, h):
        """log: dict of arrays; record: row; start: q before the step; length: torsional friction
        length [m]."""
        self.h, self.q = h, start
        M = mass_matrix(points, start)
        self.Q = np.zeros((13, 13))
        self.Q[:6, :6], self.Q[6:, 6:] = M, np.diag(h * h * STIFFNESS)
        weight = np.array([0.0, 0.0, -MASS * GRAVITY])
        torque = np.cross(points.mean(axis=0), rotation(start[3:7]).T @ weight)
        error = log["control"][record] - start[7:14]
        self.c = -h * np.concatenate([weight, torque, STIFFNESS * error])
        rows, gaps, self.contacts = [], [], []
        for i in range(log["begin"][record], log["begin"][record + 1]):
            a, b = (log["names"][k] for k in log["geom"][i])
            other, sign = (a, 1.0) if b == "bunny" else (b, -1.0)  # normals here point to the bunny
            n, phi = sign * log["normal"][i], log["distance"][i]
            velocity, turning = columns(start, log["position"][i], other)
            t1, t2 = tangents(n)
            basis = np.array([t1 @ velocity, t2 @ velocity, n @ velocity, n @ turning])
            factors = [(FRICTION, 0, 0), (0, FRICTION, 0), (-FRICTION, 0, 0), (0, -FRICTION, 0)]
            if other != "floor" and length > 0:
                factors += [(0, 0, length), (0, 0, -length)]
            for x, y, w in factors:
                rows.append(x * basis[0] + y * basis[1] + basis[2] + w * basis[3])
                gaps.append(phi / h)
            force = sign * log["force"][i]
            # the sign of a torque about the normal is the same from both sides
            self.contacts.append(
                (
                    other,
                    phi,
                    basis,
                    h * np.array([t1 @ force, t2 @ force, n @ force, log["torsion"][i]]),
                    log["position"][i],
                    n,
                )
            )
        self.G, self.offset = np.array(rows), np.array(gaps)
        self.v = log["v"][record]

    def residuals(self, length):
        """Of Limpet's answer: stationarity [N s], worst gap at the end [m], least margin of the
        friction budget [N s], complementarity [J]."""
        balance, gap, budget, product = self.Q @ self.v + self.c, np.inf, np.inf, 0.0
        for other, phi, basis, impulse, _, _ in self.contacts:
            u = basis @ self.v
            balance = balance - basis.T @ impulse
            gap = min(gap, phi + self.h * u[2])
            twist = abs(impulse[3]) / length if other != "floor" and length > 0 else 0.0
            budget = min(
                budget, impulse[2] - (abs(impulse[0]) + abs(impulse[1])) / FRICTION - twist
            )
            product = max(product, abs(impulse @ u + impulse[2] * phi / self.h))
        return np.abs(balance).max(), gap, budget, product

    def chosen(self, points):
        """Which points took part: {object: their numbers}."""
        world, phi, result = (
            points_in_world(points, self.q),
            distances(points, self.q),
            {name: [] for name in OBJECTS},
        )
        for other, distance, _, _, position, n in self.contacts:
            offset = world - position
            away = np.linalg.norm(offset - np.outer(offset @ n, n), axis=1) + np.abs(
                phi[OBJECTS.index(other)] - distance
            )
            result[other].append(int(np.argmin(away)))
        return result


def make_cloud(path, order=None):
    """Writes the points as NPY, in another order if one is given; returns them as written."""
    points = cloud()
    points = points if order is None else points[order(len(points))]
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, points)
    return points
