#!/usr/bin/env python3
"""Things that should stay where they are: a stack of ten boxes, and a wall of five rows of bricks
in running bond."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import _methods as methods  # noqa: E402
from support.recording import Recording  # noqa: E402
from support.study import main  # noqa: E402

STEP, DURATION, PERIOD = 2e-3, 10.0, 0.02  # [s]
BOXES, SIDE = 10, 0.1  # [m]
ROWS, BRICK, HEIGHT, JOINT = 5, 0.2, 0.1, 0.01  # [m]  bricks of a row stand apart by JOINT
FRICTION = 0.6
FALLEN = 50.0  # [mm]  what ends farther away has fallen
STANDS = 1.0  # [mm]  sheet C8
WALL_TIME = {"two-phase-literal": 0.2, "lcp": 1.0}  # [s]  the dense methods are slow there
QUICK_TIME = {"stack": 0.5, "wall": 0.02}  # [s]
QUICK = ("two-phase", "lcp", "lagged")
STANDING = {
    "stack": ("two-phase", "lcp", "lagged", "similar", "sap", "anitescu"),
    "wall": ("two-phase", "lcp", "lagged", "similar", "anitescu"),
}
RISE = 1e-9  # [J]  round-off: 50 J in 5000 steps


def scene(name, boxes, depth, height):
    """MJCF text: boxes (x, z, length) of equal density, 1 kg for a length of `depth`."""
    bodies = "\n".join(
        f'    <body pos="{x:.9g} 0 {z:.9g}"><freejoint/><geom type="box" '
        f'size="{0.5 * length:.9g} {0.5 * depth} {0.5 * height}" '
        f'mass="{length / depth:.9g}"/></body>'
        for x, z, length in boxes
    )
    return f"""<mujoco model="{name}">
  <default><geom friction="{FRICTION}"/></default>
  <worldbody>
    <geom type="plane" size="5 5 0.1"/>
{bodies}
  </worldbody>
</mujoco>
"""


def stack():
    """Boxes (x, z, length) of the stack."""
    return [(0.0, (k + 0.5) * SIDE, SIDE) for k in range(BOXES)]


def row(number):
    """Bricks (x, z, length) of a row of the wall: every second one is shifted by half a brick and
    has a short one at either end."""
    z, pitch, half = (number + 0.5) * HEIGHT, BRICK + JOINT, 0.5 * (BRICK - JOINT)
    if number % 2 == 0:
        return [(pitch * k, z, BRICK) for k in range(ROWS)]
    ends = [(-0.5 * (BRICK - half), z, half), (pitch * (ROWS - 1) + 0.5 * (BRICK - half), z, half)]
    return ends + [(pitch * (k + 0.5), z, BRICK) for k in range(ROWS - 1)]


def wall():
    """Rows of five bricks' length in running bond, joints open."""
    return [brick for number in range(ROWS) for brick in row(number)]


class Rest:
    """A run; `top`: boxes (x, z, length) that lie on top, the last ones."""

    def __init__(self, result, top):
        log = Recording(result.log)
        place = log.q.reshape(len(log.time), -1, 7)[:, -len(top) :, :3]
        start = np.array([[x, 0.0, z] for x, z, _ in top])
        self.time = log.time
        self.drift = 1e3 * np.linalg.norm(place - start, axis=2).max(axis=1)  # (T) [mm]
        energy = log.read("info/kinetic_energy") + log.read("info/potential_energy")
        self.rise = float((energy - np.minimum.accumulate(energy)).max())  # [J]
        self.lost = float(energy[0] - energy[-1])
        self.contacts = int(log.contact_count[-1])
        self.unsolved = (
            1.0 - result.summary["warnings"]["outcomes"]["solved"] / result.summary["steps"]
        )
        self.pace = result.summary["wall_time"] / result.summary["steps"]  # [s]
        self.ended = result.summary["ending"] == "finished"

    def fell(self):
        """[s]  since when the top has been away; infinite: it stands"""
        if self.ended and self.drift[-1] < FALLEN:
            return np.inf
        near = np.nonzero(self.drift < FALLEN)[0]
        return float(self.time[near[-1]]) if len(near) else 0.0


def plan(study):
    """{(pile, method): Run}"""
    paths = {
        "stack": study.write_scene("stack.xml", scene("ten boxes", stack(), SIDE, SIDE)),
        "wall": study.write_scene("wall.xml", scene("wall", wall(), 0.5 * BRICK, HEIGHT)),
    }
    runs = {}
    for pile, path in paths.items():
        for name in methods.METHODS if study.full else QUICK:
            duration = (
                QUICK_TIME[pile]
                if not study.full
                else WALL_TIME.get(name, DURATION)
                if pile == "wall"
                else DURATION
            )
            period = PERIOD if study.full else STEP
            runs[pile, name] = methods.run(
                f"{pile}-{name}", name, path, STEP, duration, "--log-period", repr(period)
            )
    return runs


def check(study, rests):
    """Sheet C8."""
    for (pile, name), rest in rests.items():
        if name in STANDING[pile]:
            study.within(
                f"{name}: top of the {pile} after {rest.time[-1]:.4g} s has moved by",
                rest.drift[-1],
                high=STANDS,
                unit="mm",
            )
        if name.startswith("two-phase"):
            study.near(f"{name}: steps of the {pile} that are not solved", rest.unsolved, 0.0)
        if name == "two-phase":
            study.within(f"{name}: energy of the {pile} rises by", rest.rise, high=RISE, unit="J")


def text(value):
    """A length [mm] or an energy [J]; less than 1e-9 is round-off."""
    return "0" if abs(value) < 1e-9 else f"{value:.2g}"


def tables(study, rests):
    for pile in ("stack", "wall"):
        rows = []
        for name in methods.METHODS:
            rest = rests[pile, name]
            moved = (
                text(rest.drift[-1]) if rest.fell() == np.inf else f"fell after {rest.fell():.2g} s"
            )
            rows.append(
                [
                    name,
                    f"{rest.time[-1]:.4g}",
                    moved,
                    text(rest.rise),
                    text(rest.lost),
                    rest.contacts,
                    f"{100 * (1 - rest.unsolved):.4g}",
                    f"{1e3 * rest.pace:.2g}",
                ]
            )
        study.table(
            pile,
            [
                "method",
                "simulated [s]",
                "top moved [mm]",
                "energy rose by [J]",
                "and fell by [J]",
                "contacts",
                "steps solved [%]",
                "step [ms]",
            ],
            rows,
        )


def draw(study, rests):
    """Drift of the top over time, logarithmic."""
    from support import figures

    figure, axes = figures.grid(1, 2, width=7.4, height=3.4, sharey=True)
    for axis, pile in zip(axes, ("stack", "wall"), strict=True):
        for name in methods.METHODS:
            rest = rests[pile, name]
            moved = np.maximum(
                rest.drift, 1e-13
            )  # what does not move at all is drawn at the bottom
            look = dict(
                color=methods.COLOURS[name], label=name, ls="-" if name in methods.IMPULSE else "--"
            )
            axis.loglog(rest.time, moved, **look)
        axis.axhline(STANDS, color="#888888", lw=0.6, ls=":")
        axis.set(
            xlabel="time [s]",
            title={"stack": "ten boxes", "wall": "wall in running bond"}[pile],
            xlim=(PERIOD, DURATION),
            ylim=(0.5e-13, 1e4),
        )
    axes[0].set(ylabel="top has moved [mm]")
    figure.legend(
        *axes[0].get_legend_handles_labels(), loc="outside lower center", ncol=5, fontsize=7
    )
    study.figure("stacks-drift", figure)


def study(study):
    """The whole study."""
    runs = plan(study)
    longest_first = sorted(runs.values(), key=lambda run: run.contact in WALL_TIME, reverse=True)
    results = study.simulate(longest_first)
    top = {"stack": stack()[-1:], "wall": row(ROWS - 1)}
    rests = {key: Rest(results[run.name], top[key[0]]) for key, run in runs.items()}
    check(study, rests)
    if study.full:
        tables(study, rests)
        draw(study, rests)


if __name__ == "__main__":
    sys.exit(main(study, __file__))
