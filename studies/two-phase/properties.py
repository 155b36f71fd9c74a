#!/usr/bin/env python3
"""The paper's table of properties (page 3), measured: time over the number of contacts,
interpenetration, convergence, stable contact, impacts."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import _methods as methods  # noqa: E402
from support.recording import Recording  # noqa: E402
from support.study import main  # noqa: E402

STEP = 1e-3  # [s]
COUNTS = (
    1,
    2,
    4,
    8,
    12,
    16,
    24,
    32,
)  # boxes in a stack; exponents are fitted to the last FITTED of them
FITTED = 6
TOLD = (16, 32)  # boxes whose times are in the table
CORNERS = 4  # contacts between two boxes
STACK, REST = 10, 10.0  # boxes, [s]  of the test of stable contact
SIDE = 0.1  # [m]
DROP, RESTITUTION, RADIUS = 0.5, 0.5, 0.05  # [m], 1, [m]
TRIAL = 0.8  # [s]  long enough for the top of the first bounce
EXPONENT = {
    "two-phase": (2.0, 3.5),
    "lcp": (2.0, 3.5),
    "anitescu": (1.5, 3.5),
    "sequential-impulse": (0.7, 1.6),
    "penalty": (0.7, 1.3),
    "lagged": (0.7, 1.3),
    "similar": (0.7, 1.3),
    "sap": (0.7, 1.3),
}
PAPER = {
    "two-phase": "n³",
    "two-phase-literal": "n³",
    "lcp": "n³",
    "sequential-impulse": "n³",
    "penalty": "1",
}


def stack(count):
    """MJCF text: boxes of 1 kg on each other, just touching."""
    half = 0.5 * SIDE
    boxes = "\n".join(
        f'    <body name="box{k}" pos="0 0 {(k + 0.5) * SIDE:.9g}"><freejoint/><geom type="box" '
        f'size="{half} {half} {half}" mass="1"/></body>'
        for k in range(count)
    )
    return f"""<mujoco model="{count} boxes">
  <default><geom friction="0.5"/></default>
  <worldbody>
    <geom type="plane" size="2 2 0.1"/>
{boxes}
  </worldbody>
</mujoco>
"""


def ball():
    """MJCF text: a sphere above the ground, with restitution."""
    return f"""<mujoco model="bounce">
  <worldbody>
    <geom type="plane" size="2 2 0.1" limpet:restitution="{RESTITUTION}"/>
    <body name="ball" pos="0 0 {DROP + RADIUS}"><freejoint/><geom size="{RADIUS}" mass="1"
          limpet:restitution="{RESTITUTION}"/></body>
  </worldbody>
</mujoco>
"""


def times(study, counts):
    """Medians [s] of the time of a step, {method: (counts)}."""
    rows = [
        methods.compared(
            methods.METHODS, study.write_scene(f"stack-{count}.xml", stack(count)), STEP, 0.1
        )
        for count in counts
    ]
    return {
        name: np.array([row[name]["step_time_median"] for row in rows]) for name in methods.METHODS
    }


def exponent(counts, values):
    """Slope of log(time) over log(contacts) for the largest stacks."""
    return float(np.polyfit(np.log(counts[-FITTED:]), np.log(values[-FITTED:]), 1)[0])


def top_drift(result, count):
    """[mm]  how far the top box has moved; infinite where the run stopped"""
    if result["stopped"]:
        return float("inf")
    place = np.array(result["q"][7 * (count - 1) : 7 * (count - 1) + 3])
    return 1e3 * float(np.linalg.norm(place - [0.0, 0.0, (count - 0.5) * SIDE]))


def stands(result, count):
    """Whether the top box is still at its height, to half a box."""
    return not result["stopped"] and result["q"][7 * (count - 1) + 2] > (count - 1) * SIDE


def bounce(result):
    """Square root of the height of the first bounce over that of the fall: the coefficient of
    restitution."""
    height = Recording(result.log).q[:, 2] - RADIUS
    low = int(np.argmax(height < 0.02 * DROP))
    return float(np.sqrt(max(height[low:].max() if height[low:].argmax() > 0 else 0.0, 0.0) / DROP))


def bounces(study):
    """{method: coefficient of restitution}"""
    scene = study.write_scene("bounce.xml", ball())
    results = study.simulate(
        [methods.run(f"bounce-{name}", name, scene, STEP, TRIAL) for name in methods.METHODS]
    )
    return {name: bounce(results[f"bounce-{name}"]) for name in methods.METHODS}


def text(value):
    """A length [mm or µm] in a table; less than 1e-9 is round-off."""
    return "0" if value < 1e-9 else f"{value:.2g}"


def check_impacts(study, ratio):
    for name in ("two-phase", "two-phase-literal", "pgs", "lcp", "sequential-impulse"):
        study.near(
            f"{name}: a sphere with e = {RESTITUTION:g} bounces with",
            ratio[name],
            RESTITUTION,
            absolute=0.03,
        )
    study.near(
        f"penalty: a sphere with e = {RESTITUTION:g} bounces with",
        ratio["penalty"],
        RESTITUTION,
        absolute=0.07,
    )
    for name in methods.DISCRETE:
        study.within(f"{name}: a sphere bounces with", ratio[name], high=0.3)


def draw(study, contacts, time):
    from support import figures

    figure, axis = figures.grid(width=5.6, height=3.4)
    for name in methods.METHODS:
        axis.loglog(
            contacts,
            1e6 * time[name],
            "o-" if name in methods.IMPULSE else "s--",
            ms=3,
            color=methods.COLOURS[name],
            label=name,
        )
    axis.minorticks_off()
    axis.set(xlabel="contacts", ylabel="time of a step [µs]", xticks=contacts, xticklabels=contacts)
    figure.legend(loc="outside right center", fontsize=7)
    study.figure("properties-time", figure)


def study(study):
    """The whole study."""
    ratio = bounces(study)
    check_impacts(study, ratio)
    if not study.full:
        return
    time, contacts = times(study, COUNTS), CORNERS * np.array(COUNTS)
    slope = {name: exponent(contacts, time[name]) for name in methods.METHODS}
    for name, (low, high) in EXPONENT.items():
        study.within(
            f"{name}: exponent of the time over the number of contacts", slope[name], low, high
        )
    rest = methods.compared(
        methods.METHODS, study.write_scene("rest.xml", stack(STACK)), STEP, REST
    )
    for name in ("two-phase", "lcp", "lagged", "similar", "sap", "anitescu"):
        study.within(
            f"{name}: top of {STACK} boxes after {REST:g} s has moved by",
            top_drift(rest[name], STACK),
            high=1.0,
            unit="mm",
        )
    study.within(
        f"pgs: top of {STACK} boxes after {REST:g} s has moved by",
        top_drift(rest["pgs"], STACK),
        high=0.1,
        unit="mm",
    )
    study.within(
        f"penalty: top of {STACK} boxes after {REST:g} s has moved by",
        top_drift(rest["penalty"], STACK),
        high=20.0,
        unit="mm",
    )
    study.holds(
        f"sequential-impulse: {STACK} boxes stand after {REST:g} s, wherever the top has moved",
        stands(rest["sequential-impulse"], STACK),
    )
    rows = []
    for name in methods.METHODS:
        deepest, unsolved = (
            rest[name]["penetration_deepest"],
            rest[name]["unsolved_steps"] / rest[name]["steps"],
        )
        moved = top_drift(rest[name], STACK)
        rows.append(
            [
                name,
                f"n^{slope[name]:.1f}",
                PAPER.get(name, ""),
                *(f"{1e6 * time[name][COUNTS.index(count)]:.0f}" for count in TOLD),
                text(1e6 * (deepest or 0.0)),
                f"{100 * (1 - unsolved):.4g}",
                text(moved) if stands(rest[name], STACK) else "collapsed",
                f"{ratio[name]:.2f}",
            ]
        )
    study.table(
        "properties",
        [
            "method",
            "time",
            "in the paper",
            *(f"{CORNERS * count} contacts [µs]" for count in TOLD),
            "deepest overlap [µm]",
            "steps solved [%]",
            "top box moved [mm]",
            "bounces with e",
        ],
        rows,
    )
    draw(study, contacts, time)


if __name__ == "__main__":
    sys.exit(main(study, __file__))
