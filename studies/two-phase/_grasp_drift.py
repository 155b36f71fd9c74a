"""Drift of the ball in the jaws of scenes/iiwa_tennis_ball.xml, from logs; and what two simple
models say that it is."""

import numpy as np
from _grasp_scene import ACCELERATION, BALL_MASS, RADIUS
from support.recording import Recording

ARM = np.array([0.4, 0.0, 0.194])  # [m]  from the second joint to the ball, in the axes of link 2
JAW_FREQUENCY = 50.0  # [rad/s]  of the PD law of the jaws
# shares of the closing speed that sequential-impulse takes of one pair in one round: 10 sweeps of 5
# rounds of 5 impulses, whose restitution
# rises from -0.9 to 0, then 10 rounds of shock propagation without restitution
SHARES = [1.0 - (0.9 - 0.1 * i) ** 5 for i in range(10) for _ in range(5)] + 10 * [1.0]


def rotated_back(turn, vector):
    """(T, 3)  vectors in the frames with quaternions `turn` (T, 4), w first"""
    w, axis = turn[:, :1], -turn[:, 1:]
    twice = 2.0 * np.cross(axis, vector)
    return vector + w * twice + np.cross(axis, twice)


class Grasp:
    """How far the ball has moved in the frames of the jaws since the first record, the end of the
    first step; mean over both jaws, which slide along their x.
    """

    def __init__(self, result):
        log = Recording(result.log)
        names = log.names("body")
        place, turn = log.read("body_position"), log.read("body_quaternion")
        self.time = log.time
        self.touching = log.contact_count  # (T)  contacts that take part
        at = [1e3 * rotated_back(turn[:, jaw], place[:, names.index("ball")] - place[:, jaw])
              for jaw in (names.index("left_jaw"), names.index("right_jaw"))]  # fmt: skip
        moved = np.array([place - place[0] for place in at])
        self.drift = np.linalg.norm(moved, axis=2).mean(axis=0)  # (T) [mm]
        self.slip = np.linalg.norm(moved[:, :, 1:], axis=2).mean(axis=0)  # (T) [mm]  along the jaws
        self.sunk = moved[:, :, 0].mean(axis=0)  # (T) [mm]  into the jaws
        self.height = moved[:, :, 2].mean(axis=0)  # (T) [mm]  along the jaws, away from the arm

    def record(self, time):
        """Number of the record next to this time."""
        return int(np.argmin(np.abs(self.time - time)))

    def at(self, time):
        """Drift [mm]."""
        return float(self.drift[self.record(time)])

    def lost(self):
        """Time [s] at which the ball has moved by more than its radius; infinite: held"""
        away = np.nonzero(~(self.drift < 1e3 * RADIUS))[0]
        return float(self.time[away[0]]) if len(away) else np.inf


def straight_slip(step, duration):
    """[mm]  slip of a ball that moves on straight lines within steps while the hand moves on arcs

    d' = -step/2 a,  a = W x (W x r) + W' x r: acceleration of the point r of link 2 where the
        joints do not accelerate
    W = (-s sin(p), p', s cos(p)),  s = cos(t)/4, p = sin(2t)/4, p' = cos(2t)/2: angular velocity in
        the axes of link 2
    """
    t = np.arange(0.0, duration, step) + step
    turn, swing, angle = np.cos(t) / 4.0, np.cos(2.0 * t) / 2.0, np.sin(2.0 * t) / 4.0
    W = np.column_stack([-turn * np.sin(angle), swing, turn * np.cos(angle)])
    rate = np.column_stack([-turn * swing * np.cos(angle), 0.0 * t, -turn * swing * np.sin(angle)])
    a = np.cross(W, np.cross(W, ARM)) + np.cross(rate, ARM)
    return float(1e3 * step * 0.5 * step * np.linalg.norm(a.sum(axis=0)[1:]))


def swept_sinking(jaw_mass, step, duration):
    """[mm]  how far jaws of this mass sink into the ball when explicit Euler and the sweeps of
    sequential-impulse move three masses on a line"""
    masses = (jaw_mass, BALL_MASS, jaw_mass)
    x, v = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
    for _ in range(round(duration / step)):
        side = (1.0, 0.0, -1.0)
        force = [
            s * ACCELERATION - JAW_FREQUENCY**2 * q - 2.0 * JAW_FREQUENCY * u if s else 0.0
            for s, q, u in zip(side, x, v, strict=True)
        ]
        for share in SHARES:
            for a, b in ((0, 1), (2, 1)):
                sign = 1.0 if a == 0 else -1.0
                closing = sign * (v[a] - v[b])
                impulse = max(0.0, share * closing / (1.0 / masses[a] + 1.0 / masses[b]))
                v[a] -= sign * impulse / masses[a]
                v[b] += sign * impulse / masses[b]
        x = [q + step * u for q, u in zip(x, v, strict=True)]
        v = [u + step * f for u, f in zip(v, force, strict=True)]
    return 1e3 * 0.5 * (x[0] - x[2])
