"""A linkage moves alike whichever of its joints is described as a loop: four-bars that are cut at
each of their four joints, as two trees or as one, differ by what a step leaves, first order of
it."""

from __future__ import annotations

from dataclasses import dataclass

import limpet
import numpy as np

SECONDS = 0.1
CUTS = range(4)  # at the joint of that number: joints 0 and 3 are on the ground, 1 and 2 move


@dataclass(frozen=True)
class FourBar:
    """Links A, B and C between four points [m] of a vertical plane, with their masses [kg]."""

    point: np.ndarray
    mass: dict[str, float]
    speed: float  # [rad/s]  of A

    ENDS = {"A": (0, 1), "B": (1, 2), "C": (2, 3)}

    def link(self, name: str, root: int, place: np.ndarray, inside: str = "") -> str:
        """A body that turns about the point `root` on one whose origin is at `place`."""
        a, b = (self.point[i] for i in self.ENDS[name])
        along, mass = b - a, self.mass[name]
        turn = 0.5 * np.arctan2(-along[2], along[0])
        thick = mass * along @ along / 12
        return (
            f'<body name="{name}" pos="{numbers(self.point[root] - place)}">'
            f'<joint name="j{root}" axis="0 1 0"/>'
            f'<inertial mass="{mass}" pos="{numbers(0.5 * (a + b) - self.point[root])}" '
            f'quat="{numbers((np.cos(turn), 0, np.sin(turn), 0))}" '
            f'diaginertia="{numbers((0.1 * thick, thick, thick))}"/>{inside}</body>'
        )

    def bodies(self, cut: int) -> str:
        p, ground = self.point, np.zeros(3)
        if cut == 0:
            chain = self.link("A", 1, p[2])
            return self.link("C", 3, ground, self.link("B", 2, p[3], chain))
        if cut == 1:
            chain = self.link("B", 2, p[3])
            return self.link("A", 0, ground) + self.link("C", 3, ground, chain)
        if cut == 2:
            chain = self.link("B", 1, p[0])
            return self.link("A", 0, ground, chain) + self.link("C", 3, ground)
        chain = self.link("C", 2, p[1])
        return self.link("A", 0, ground, self.link("B", 1, p[0], chain))

    def loop(self, cut: int, apart: float) -> str:
        first, second, root = (("A", "", 1), ("A", "B", 0), ("B", "C", 1), ("C", "", 2))[cut]
        anchor = self.point[cut] - self.point[root] + (apart, 0, 0)
        other = f'body2="{second}"' if second else ""
        return f'<connect body1="{first}" {other} anchor="{numbers(anchor)}"/>'

    def turning(self, cut: int) -> dict[str, float]:
        """Speeds of the joints [rad/s] that keep the loop closed."""
        a, b, c = self.point[1] - self.point[0], *(self.point[2] - self.point[i] for i in (1, 3))
        A = self.speed
        B, C = np.linalg.solve(((b[2], -c[2]), (-b[0], c[0])), (-A * a[2], A * a[0]))
        return (
            {"j3": C, "j2": B - C, "j1": A - B},
            {"j0": A, "j3": C, "j2": B - C},
            {"j0": A, "j1": B - A, "j3": C},
            {"j0": A, "j1": B - A, "j2": C - B},
        )[cut]

    def swing(self, cut: int, step: float, apart: float = 0.0) -> np.ndarray:
        """Where the middle of B is in the end [m]."""
        model = limpet.load_text(
            f'<mujoco><compiler angle="radian"/><option timestep="{step}"/><worldbody>'
            f"{self.bodies(cut)}</worldbody><equality>{self.loop(cut, apart)}</equality></mujoco>"
        )
        data = limpet.Data(model)
        for name, speed in self.turning(cut).items():
            data.v[int(model.joint_v[model.joint(name).index])] = speed
        for _ in range(round(SECONDS / step)):
            assert limpet.step(model, data, tolerance=1e-10) == limpet.Outcome.SOLVED
        data.kinematics()
        return np.array(data.body_com[model.body("B").index])


def numbers(values) -> str:
    return " ".join(repr(float(value)) for value in values)


def draw(rng: np.random.Generator) -> FourBar:
    while True:
        x, z = rng.uniform((-0.1, 0.3, 0.4), (0.1, 0.6, 0.7)), rng.uniform(0.2, 0.5, 2)
        point = np.array(((0, 0, 0), (x[0], 0, z[0]), (x[1], 0, z[1]), (x[2], 0, 0)))
        a, b, c = np.diff(point, axis=0)
        # away from where A and B, or B and C, lie in line
        if min(abs(np.cross(a, b)[1]), abs(np.cross(b, c)[1])) > 0.04:
            break
    mass = np.exp(rng.uniform(np.log(0.1), np.log(10), 3))
    return FourBar(point, dict(zip("ABC", mass, strict=True)), rng.uniform(1, 4))


def spread(bar: FourBar, step: float, apart: float = 0.0) -> float:
    """[m]  By how much cuts lead B apart; the last one `apart` from where it should be."""
    ends = [bar.swing(cut, step, apart if cut == 3 else 0.0) for cut in CUTS]
    return max(float(np.linalg.norm(end - ends[0])) for end in ends)


def test_cuts_agree_as_steps_get_short() -> None:
    rng = np.random.default_rng(3)
    for _ in range(4):
        bar = draw(rng)
        coarse, fine = spread(bar, 1e-3), spread(bar, 5e-4)
        assert 1.6 < coarse / fine < 2.6, (bar, coarse, fine)
        assert coarse < 2e-3, (bar, coarse)


def test_a_loop_elsewhere_is_seen() -> None:
    bar = draw(np.random.default_rng(3))
    coarse, fine = spread(bar, 1e-3, 5e-3), spread(bar, 5e-4, 5e-3)
    assert coarse / fine < 1.6, (coarse, fine)
