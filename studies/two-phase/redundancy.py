#!/usr/bin/env python3
"""A plate on n coplanar feet: how the normal impulses are shared, and what a step costs.

The matrix A_N of the normals has rank 3 for any n: equal shares m v (1 + e)/n are the solution of
least norm, and what the pseudo-inverse gives.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import _methods as methods  # noqa: E402
from support.recording import Recording  # noqa: E402
from support.study import main  # noqa: E402

MASS, SIDE, HEIGHT, FOOT = (
    3.0,
    0.4,
    0.05,
    0.005,
)  # [kg] [m]  side of the grid, centre of mass above the feet, radius of a foot
FRICTION, RESTITUTION, SPEED = 0.5, 0.5, 2.0  # 1 1 [m/s]
SLIP = (3.0, 1.0, 0.3)  # [m/s] [m/s] [rad/s]  of the plate that slides
STEP = 1e-3  # [s]
SHARED = (2, 4, 8)  # feet along a side
TIMED = (4, 6, 8, 10, 12)
STEPS = 12  # of a timed run
GLIDING = (
    "similar",
    "sap",
    "anitescu",
)  # hold a sliding contact off the ground, at mu dt |v_t|, and start there
REACH = "5mm"  # speculative distance: that gap must not end the contact
SPRINGS = 60  # steps of an impact on springs; all other methods need one
TWO_PHASE = ("two-phase", "two-phase-literal")
SHEET = 3.6  # exponent of the cost of both phases, at most


def scene(side, gravity):
    """MJCF text: a plate with side x side feet that touch the ground; it falls, rests or slides."""
    at = np.linspace(-0.5 * SIDE, 0.5 * SIDE, side)
    feet = "\n".join(
        f'      <geom size="{FOOT}" pos="{x:.9g} {y:.9g} {-HEIGHT + FOOT}"/>'
        for x in at
        for y in at
    )
    inertia = MASS * SIDE**2 / 12
    velocities = {
        "falls": f"0 0 {-SPEED} 0 0 0",
        "rests": "0 0 0 0 0 0",
        "slides": f"{SLIP[0]} {SLIP[1]} 0 0 0 {SLIP[2]}",
    }
    gap = FRICTION * STEP * float(np.hypot(*SLIP[:2]))
    velocities["glides"] = velocities["slides"]
    keys = "\n".join(
        f'    <key name="{name}" qpos="0 0 {HEIGHT + (gap if name == "glides" else 0.0)!r} 1 0 '
        f'0 0" qvel="{v}"/>'
        for name, v in velocities.items()
    )
    return f"""<mujoco model="plate on {side * side} feet">
  <option gravity="0 0 {-gravity}"/>
  <default><geom friction="{FRICTION}" limpet:restitution="{RESTITUTION}"
        limpet:relaxation_time="0"/></default>
  <worldbody>
    <geom type="plane" size="5 5 0.1"/>
    <body name="plate">
      <freejoint/>
      <inertial pos="0 0 0" mass="{MASS}"
            diaginertia="{inertia:.9g} {inertia:.9g} {2 * inertia:.9g}"/>
{feet}
    </body>
  </worldbody>
  <keyframe>
{keys}
  </keyframe>
</mujoco>
"""


class Impact:
    """Impulses with which the ground answers the plate, by contact."""

    def __init__(self, result, count):
        log = Recording(result.log)
        impulse = np.zeros((count, 3))
        np.add.at(impulse, log.read("contact/geom")[:, 1] - 1, STEP * log.read("contact/force"))
        self.normal = impulse[:, 2]  # (n) [N s]
        self.tangent = np.hypot(impulse[:, 0], impulse[:, 1])
        self.speed = log.v[-1, 2]
        self.uneven = float(np.abs(self.normal / self.normal.mean() - 1.0).max())
        self.sum = float(self.normal.sum())


def impacts(study, names):
    """{(method, n): Impact}"""
    scenes = {
        side * side: study.write_scene(f"falls-{side}.xml", scene(side, 0.0)) for side in SHARED
    }
    runs = [
        methods.run(
            f"{name}-{n}",
            name,
            path,
            STEP,
            STEP * (SPRINGS if name == "penalty" else 1),
            "--keyframe",
            "falls",
        )
        for name in names
        for n, path in scenes.items()
    ]
    results = study.simulate(runs)
    return {(name, n): Impact(results[f"{name}-{n}"], n) for name in names for n in scenes}


def check_shares(study, hits):
    """Sheet C2."""
    expected = MASS * SPEED * (1.0 + RESTITUTION)
    for (name, n), hit in hits.items():
        if name in TWO_PHASE:
            study.within(
                f"{name}: {n} contacts: normal impulses, largest deviation from equal shares",
                hit.uneven,
                high=1e-9,
            )
            study.near(f"{name}: {n} contacts: their sum", hit.sum, expected, "N s", relative=1e-9)
            study.within(
                f"{name}: {n} contacts: largest tangential over normal impulse",
                hit.tangent.max() / hit.normal.mean(),
                high=1e-9,
            )


def times(study, names, key, sides):
    """{method: (sides) medians of the time of a step [s]}, and the share of steps that were
    solved"""
    time, solved = {name: [] for name in names}, {name: [] for name in names}
    groups = (
        {
            "glides": [name for name in names if name in GLIDING],
            key: [name for name in names if name not in GLIDING],
        }
        if key == "slides"
        else {key: names}
    )
    for side in sides:
        path = study.write_scene(f"feet-{side}.xml", scene(side, 9.81))
        for start, group in groups.items():
            result = methods.compared(
                group,
                path,
                STEP,
                STEPS * STEP,
                "--keyframe",
                start,
                "--speculative-distance",
                REACH,
            )
            for name in group:
                time[name].append(result[name]["step_time_median"])
                solved[name].append(1.0 - result[name]["unsolved_steps"] / result[name]["steps"])
    return {name: np.array(values) for name, values in time.items()}, {
        name: float(np.mean(values)) for name, values in solved.items()
    }


def exponent(sides, values):
    """Slope of log(time) over log(contacts)."""
    return float(np.polyfit(np.log(np.square(sides)), np.log(values), 1)[0])


def share_table(study, hits):
    counts = [side * side for side in SHARED]
    expected = MASS * SPEED * (1.0 + RESTITUTION)
    rows = []
    for name in methods.IMPULSE:
        row = [name]
        for n in counts:
            hit = hits[name, n]
            row += [f"{hit.uneven:.1e}", f"{hit.sum / expected - 1.0:.1e}", f"{hit.speed:.4f}"]
        rows.append(row)
    study.table(
        "shares",
        [
            "method",
            *(f"{n}: {what}" for n in counts for what in ("deviation", "sum", "speed [m/s]")),
        ],
        rows,
    )


def draw(study, time):
    from support import figures

    counts = np.square(TIMED)
    figure, axes = figures.grid(1, 2, width=7.4, height=3.4, sharey=True)
    for axis, (key, values) in zip(axes, time.items(), strict=True):
        for name, value in values.items():
            axis.loglog(
                counts,
                1e3 * value,
                "o-" if name in methods.IMPULSE else "s--",
                ms=3,
                color=methods.COLOURS[name],
                label=name,
            )
        axis.loglog(
            counts,
            1e3 * time["slides"]["two-phase"][0] * (counts / counts[0]) ** 3.0,
            ":",
            color="#888888",
            label="n³",
        )
        axis.minorticks_off()
        axis.set(xlabel="contacts", title=f"the plate {key}", xticks=counts, xticklabels=counts)
    axes[0].set(ylabel="time of a step [ms]")
    figure.legend(
        *axes[0].get_legend_handles_labels(), loc="outside lower center", ncol=4, fontsize=7
    )
    study.figure("redundancy-time", figure)


def study(study):
    """The whole study."""
    hits = impacts(study, methods.IMPULSE if study.full else TWO_PHASE)
    check_shares(study, hits)
    if not study.full:
        return
    share_table(study, hits)
    time, rows = {}, {name: [name] for name in methods.METHODS}
    for key in ("rests", "slides"):
        time[key], solved = times(study, methods.METHODS, key, TIMED)
        for name, value in time[key].items():
            rows[name] += [
                f"{1e3 * value[0]:.3g}",
                f"{1e3 * value[-1]:.3g}",
                f"n^{exponent(TIMED, value):.1f}",
                f"{100 * solved[name]:.4g}",
            ]
    for key, value in time.items():
        study.within(
            f"two-phase: exponent of the time of a step over the contacts, the plate {key}",
            exponent(TIMED, value["two-phase"]),
            high=SHEET,
        )
    few, many = TIMED[0] ** 2, TIMED[-1] ** 2
    head = [
        f"{key}: {what}"
        for key in time
        for what in (f"{few} contacts [ms]", f"{many} contacts [ms]", "fit", "solved [%]")
    ]
    study.table("cost", ["method", *head], list(rows.values()))
    draw(study, time)


if __name__ == "__main__":
    sys.exit(main(study, __file__))
