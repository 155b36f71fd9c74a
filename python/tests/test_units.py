"""Physics knows no unit: a world in metres, kilograms and seconds, and the same one in units that
are powers of two of them, step in the same bits. A length, speed or force that the code knows of
itself would show; those that users set are scaled with the world."""

from __future__ import annotations

from dataclasses import dataclass

import limpet
import numpy as np
import pytest

SHAPES = ("sphere", "box", "capsule", "cylinder", "ellipsoid")
LAWS = ("linear", "linear-corotated", "corotated", "neo-hookean")
STEPS = 40


@dataclass(frozen=True)
class Units:
    """What is 1 m, 1 kg and 1 s."""

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0

    @property
    def speed(self) -> float:
        return self.length / self.time

    @property
    def force(self) -> float:
        return self.mass * self.length / self.time**2

    @property
    def pressure(self) -> float:
        return self.force / self.length**2

    def by(self, hinge: bool) -> float:
        """A number of a slide [N] or of a hinge [N m]."""
        return self.force * (self.length if hinge else 1.0) / (1.0 if hinge else self.length)


SI = Units()
# Even powers of mass and time, whose roots are powers of two as well. Seconds stay near: what is
# pressed into each other tries to come apart once in 0.2 s (src/step/restrain.c).
OTHERS = (Units(length=2.0**10), Units(mass=2.0**-12), Units(time=4.0), Units(2.0**-7, 16.0, 0.25))


def numbers(*values: float) -> str:
    return " ".join(repr(float(value)) for value in values)


def log_uniform(rng: np.random.Generator, low: float, high: float, size: int | None = None):
    return np.exp(rng.uniform(np.log(low), np.log(high), size))


class Scene:
    """A world at random, which can be written in any units."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.step, self.friction = log_uniform(rng, 5e-5, 5e-3), log_uniform(rng, 0.01, 1.5)
        self.count = int(rng.integers(1, 5))
        self.shape = rng.choice(SHAPES, self.count)
        self.size = log_uniform(rng, 0.02, 0.12, 3 * self.count).reshape(-1, 3)
        self.mass = log_uniform(rng, 0.01, 100, self.count)
        self.modulus = log_uniform(rng, 1e4, 1e7, self.count)
        self.place = rng.uniform(-0.1, 0.1, (self.count, 3)) + np.outer(
            0.15 + 0.25 * np.arange(self.count), (0, 0, 1)
        )
        self.turn = rng.normal(size=(self.count, 4))
        self.rng = rng

    def geom(self, units: Units, i: int, more: str = "") -> str:
        return (
            f'<geom type="{self.shape[i]}" size="{numbers(*self.size[i] * units.length)}" '
            f'mass="{numbers(self.mass[i] * units.mass)}" {more}/>'
        )

    def model(self, units: Units, bodies: str) -> limpet.Model:
        return limpet.load_text(
            f'<mujoco xmlns:limpet="limpet"><option timestep="{numbers(self.step * units.time)}" '
            f'gravity="0 0 {numbers(-9.81 * units.length / units.time**2)}"/><default><geom '
            f'friction="{numbers(self.friction)}" '
            f'limpet:dissipation="{numbers(50 / units.speed)}"/>'
            f'</default><worldbody><geom type="plane" size="1 1 1"/>{bodies}</worldbody></mujoco>'
        )


class Bodies(Scene):
    """Free bodies that fall on a floor and on each other, rigid or with pressure fields."""

    fields = False

    def write(self, units: Units) -> limpet.Model:
        bodies = ""
        for i in range(self.count):
            field = f'limpet:elastic_modulus="{numbers(self.modulus[i] * units.pressure)}"'
            bodies += (
                f'<body pos="{numbers(*self.place[i] * units.length)}" '
                f'quat="{numbers(*self.turn[i])}"><freejoint/>'
                f"{self.geom(units, i, field if self.fields else '')}</body>"
            )
        return self.model(units, bodies)

    def scales(self, units: Units) -> np.ndarray:
        return np.tile(np.repeat((units.speed, 1 / units.time), 3), self.count)

    def start(self) -> np.ndarray:
        return self.rng.normal(size=6 * self.count) * np.tile((1, 1, 1, 5, 5, 5), self.count)


class Fields(Bodies):
    fields = True


class Chain(Scene):
    """Links on hinges and slides with springs, dampers and servos, on a floor or on a free body."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        rng, n = self.rng, self.count
        self.free = rng.random() < 0.5
        self.hinge = rng.random(n) < 0.6
        self.axis = rng.normal(size=(n, 3))
        self.damping, self.kv = log_uniform(rng, 1e-3, 10, n), log_uniform(rng, 1e-2, 10, n)
        self.stiffness, self.kp = log_uniform(rng, 0.01, 100, n), log_uniform(rng, 0.1, 1e3, n)
        self.range = rng.uniform(0.05, 0.3, n)

    def write(self, units: Units) -> limpet.Model:
        bodies, servos = "", ""
        for i in range(self.count):
            by = units.by(self.hinge[i])
            reach = self.range[i] * (1.0 if self.hinge[i] else units.length)
            bodies += f'<body pos="{numbers(*(0.5 * self.place[i] * units.length))}">'
            if i == 0 and self.free:
                bodies += "<freejoint/>"
            else:
                bodies += (
                    f'<joint name="j{i}" type="{"hinge" if self.hinge[i] else "slide"}" '
                    f'axis="{numbers(*self.axis[i])}" '
                    f'stiffness="{numbers(self.stiffness[i] * by)}" '
                    f'damping="{numbers(self.damping[i] * by * units.time)}" limited="true" '
                    f'range="{numbers(-reach, reach)}"/>'
                )
                servos += (
                    f'<position joint="j{i}" kp="{numbers(self.kp[i] * by)}" '
                    f'kv="{numbers(self.kv[i] * by * units.time)}"/>'
                )
            bodies += self.geom(units, i)
        text = bodies + "</body>" * self.count
        return self.model(units, f"{text}</worldbody><actuator>{servos}</actuator><worldbody>")

    def scales(self, units: Units) -> np.ndarray:
        base = [units.speed] * 3 + [1 / units.time] * 3 if self.free else []
        return np.array(
            base
            + [
                1 / units.time if self.hinge[i] else units.speed
                for i in range(1 if self.free else 0, self.count)
            ]
        )

    def start(self) -> np.ndarray:
        return self.rng.normal(size=len(self.scales(SI)))


class Soft(Scene):
    """Two deformable boxes, one falling on the other."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        rng = self.rng
        self.law, self.young = rng.choice(LAWS, 2), log_uniform(rng, 3e3, 1e8, 2)
        self.poisson, self.density = rng.uniform(0, 0.49, 2), log_uniform(rng, 100, 3000, 2)
        self.damping = rng.choice((0.0, 0.01), 2)
        self.step = max(self.step, 1e-3)
        self.half = 0.04 + self.size[0]

    def write(self, units: Units) -> limpet.Model:
        bodies = "".join(
            f'<body pos="0 0 {numbers((self.half[2] * (1 + 2 * i) + 1e-3) * units.length)}">'
            f'<limpet:deformable type="box" '
            f'size="{numbers(*self.half * units.length)}" cells="2 2 2" law="{self.law[i]}" '
            f'young="{numbers(self.young[i] * units.pressure)}" '
            f'poisson="{numbers(self.poisson[i])}" '
            f'density="{numbers(self.density[i] * units.mass / units.length**3)}" '
            f'damping="{numbers(self.damping[i] * units.time)}" '
            f'friction="{numbers(self.friction)}" '
            f'limpet:dissipation="{numbers(50 / units.speed)}"/></body>'
            for i in range(2)
        )
        return self.model(units, bodies)

    def scales(self, units: Units) -> np.ndarray:
        return np.array([units.speed])

    def start(self) -> np.ndarray:
        return np.zeros(0)


def speeds(data: limpet.Data) -> np.ndarray:
    return np.concatenate((data.v, np.ravel(data.vertex_velocity)))


@pytest.mark.filterwarnings("ignore::limpet.LimpetWarning")  # of moduli that no solid has
@pytest.mark.parametrize("units", OTHERS, ids=str)
@pytest.mark.parametrize("kind, scenes", ((Bodies, 12), (Fields, 6), (Chain, 12), (Soft, 3)))
def test_steps_know_no_units(kind: type, scenes: int, units: Units) -> None:
    touched = 0
    for seed in range(scenes):
        scene = kind(seed)
        scale, start = scene.scales(units), scene.start()
        worlds = []
        for u in (SI, units):
            model = scene.write(u)
            data = model.data()
            data.v[:] = start * scene.scales(u) if len(start) else 0.0
            worlds.append((model, data, u))
        for _ in range(STEPS):
            outcome = [
                limpet.step(
                    model,
                    data,
                    stiction_speed=1e-6 * u.speed,
                    speculative_distance=2e-4 * u.length,
                )
                for model, data, u in worlds
            ]
            touched += len(worlds[0][1].contacts) > 0
            assert outcome[0] == outcome[1]
            here, there = speeds(worlds[0][1]), speeds(worlds[1][1]) / scale
            assert (here == there).all(), (seed, here - there)
    assert touched > 0
