#!/usr/bin/env python3
"""A row of cubes between two jaws: how many of them does each method hold for ten seconds?

Coulomb's law holds a row of n cubes if 2 mu F >= n m g; with the numbers below that is n <= 16. A
method that loses fewer cubes loses them by its own errors.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import _methods as methods  # noqa: E402
from properties import stack, stands, top_drift  # noqa: E402
from support.command import PROCESSES  # noqa: E402
from support.study import main  # noqa: E402

SIDE, MASS, FRICTION, FORCE, GRAVITY = 0.028, 0.12, 0.1, 100.0, 9.81  # SI
COUNTS = tuple(range(1, 12))
SHOWN = (1, 2, 3, 5, 8, 11)  # columns of the table
STEP, DURATION = 1e-3, 10.0  # [s]
HELD = 0.5e3 * SIDE  # [mm]  what has sunk farther is not held
HELD_ALL = ("two-phase", "lcp", "pgs", "lagged", "similar", "anitescu")
RATIOS = (
    9.0,
    6.3,
    5.0,
    4.0,
    3.5,
    3.1,
    2.8,
    2.5,
    2.2,
)  # near_rigid_ratio of penalty at STEP; 6.3 is the default
STEPS = (5e-4, 2.5e-4, 1e-4)  # [s]  of penalty with its default gains
STACK = 10  # boxes of 1 kg


def scene(count):
    """MJCF text: cubes in a row along x, touching; jaws on coupled sliding joints."""
    half = 0.5 * SIDE
    box = f'<geom type="box" size="{half} {half} {half}" mass="{MASS}"/>'
    cubes = "\n".join(
        f'    <body name="cube{k}" pos="{(k - 0.5 * (count - 1)) * SIDE:.9g} 0 '
        f'0"><freejoint/>{box}</body>'
        for k in range(count)
    )
    jaws = "\n".join(
        f'    <body name="{name}" pos="{sign * (count * half + 0.01):.9g} 0 0"><joint '
        f'name="{name}" type="slide" axis="{-sign} 0 0"/>'
        '<geom type="box" size="0.01 0.03 0.03" mass="0.2"/></body>'
        for name, sign in (("left", -1), ("right", 1))
    )
    return f"""<mujoco model="{count} cubes">
  <default><geom friction="{FRICTION}"/></default>
  <worldbody>
{jaws}
{cubes}
  </worldbody>
  <equality><joint joint1="left" joint2="right"/></equality>
  <actuator><motor name="left" joint="left"/><motor name="right" joint="right"/></actuator>
  <keyframe><key name="squeezed" ctrl="{FORCE} {FORCE}"/></keyframe>
</mujoco>
"""


def sunk(result, count):
    """[mm]  how far the lowest cube has sunk at the end; infinite where the run stopped"""
    return (
        float("inf")
        if result["stopped"]
        else max(-1e3 * result["q"][2 + 7 * k + 2] for k in range(count))
    )


def sunk_after(method, path, count, duration):
    """[mm]  of one row that one method holds"""
    result = methods.compared((method,), path, STEP, duration, "--keyframe", "squeezed")
    return sunk(result[method], count)


def rows_of(method, rows, duration):
    """{count: [mm]} of one method: the rows of SHOWN, and between the last of these that it holds
    and the first that it loses those that say how many it holds. What is lost after a fifth of the
    time is not run on, once a shorter row was lost."""
    depth = {}

    def add(count):
        short = any(not value < HELD for value in depth.values())
        depth[count] = sunk_after(method, rows[count], count, duration / 5) if short else 0.0
        if depth[count] < HELD:
            depth[count] = sunk_after(method, rows[count], count, duration)

    for count in (count for count in rows if count in SHOWN):
        add(count)
    lost = min((count for count in depth if not depth[count] < HELD), default=max(rows) + 1)
    least = max((count for count in depth if count < lost), default=0)
    for count in range(least + 1, lost):
        if count in rows and count not in depth and lost in depth:
            depth[count] = sunk_after(method, rows[count], count, duration)
            if not depth[count] < HELD:
                break
    return depth


def measured(rows, duration):
    """{(count, method): [mm]} of the scenes {count: path}"""
    with ThreadPoolExecutor(PROCESSES) as pool:
        found = pool.map(lambda name: rows_of(name, rows, duration), methods.METHODS)
        return {
            (count, name): depth
            for name, of in zip(methods.METHODS, found, strict=True)
            for count, depth in of.items()
        }


def springs_hold(rows, tower, step, ratio):
    """(largest row that penalty holds with these gains up to which every shorter one that was run
    is held, [mm] that the top of a stack of ten moves)"""

    def penalty(path, *words):
        words = (*words, "--near-rigid-ratio", str(ratio))
        return methods.compared(("penalty",), path, step, DURATION, *words)["penalty"]

    def holds(count):
        return sunk(penalty(rows[count], "--keyframe", "squeezed"), count) < HELD

    most, lost = 0, max(rows) + 1
    for count in SHOWN:
        if not holds(count):
            lost = count
            break
        most = count
    while lost in rows and most + 1 < lost and holds(most + 1):
        most += 1
    result = penalty(tower)
    return most, top_drift(result, STACK) if stands(result, STACK) else float("inf")


def tune(study, rows):
    """Gains of penalty: at STEP over the ratio, at the default ratio over the step. Returns the
    rows of a table and the most cubes held at STEP."""
    default = RATIOS[1]
    tower = study.write_scene("stack.xml", stack(STACK))
    cases = [(STEP, ratio) for ratio in RATIOS] + [(step, default) for step in STEPS]
    with ThreadPoolExecutor(PROCESSES) as pool:
        found = dict(
            zip(cases, pool.map(lambda case: springs_hold(rows, tower, *case), cases), strict=True)
        )
    table = []
    for (step, ratio), (most, moved) in found.items():
        # penalty.c: between two cubes b_n = 2 bodies * 8 contacts * 4/m, while none touches the
        # next but one
        stiffness = (2 * np.pi / ratio / step) ** 2 * MASS / 64
        table.append(
            [
                f"{1e3 * step:g}",
                f"{ratio:g}",
                f"{float(f'{stiffness:.2g}'):.0f}",
                most,
                f"{moved:.2g}" if np.isfinite(moved) else "collapsed",
            ]
        )
    study.near("penalty, default gains: cubes held for 10 s", found[STEP, default][0], 3)
    study.within(
        f"penalty, default gains: top of {STACK} boxes moves by",
        found[STEP, default][1],
        high=20.0,
        unit="mm",
    )
    most = [found[step, default][0] for step in (STEP, *STEPS)]
    study.holds(
        "penalty: smaller steps, so stiffer springs, hold more cubes",
        all(a < b for a, b in zip(most, most[1:], strict=False)),
    )
    return table, max(found[STEP, ratio][0] for ratio in RATIOS)


def held(depth, counts, name):
    """Largest count up to which every row that was run is held; 0: none"""
    most = 0
    for count in (count for count in counts if (count, name) in depth):
        if not depth[count, name] < HELD:
            break
        most = count
    return most


def text(depth):
    """Depth [mm] in a table; less than a picometre is round-off."""
    if depth < 1e-9:
        return "0"
    return f"{depth:.2g}" if depth < HELD else "lost"


def study(study):
    """The whole study."""
    counts, duration = (COUNTS, DURATION) if study.full else (COUNTS[:3], 0.5)
    rows = {count: study.write_scene(f"row-{count}.xml", scene(count)) for count in counts}
    depth = measured(rows, duration)
    share = counts[-1] * MASS * GRAVITY / (2 * FRICTION * FORCE)
    study.within(f"{counts[-1]} cubes: weight over what Coulomb's law holds", share, high=1.0)
    for name in HELD_ALL:
        study.near(f"{name}: cubes held for {duration:g} s", held(depth, counts, name), counts[-1])
        study.within(
            f"{name}: {counts[-1]} cubes sink by", depth[counts[-1], name], high=0.5, unit="mm"
        )
    study.near(
        "two-phase-literal: cubes held", held(depth, counts, "two-phase-literal"), 1
    )  # friction is alike on its two sides
    if not study.full:
        return
    gains, most = tune(study, rows)
    study.within(f"penalty, best gains at {1e3 * STEP:g} ms: cubes held", most, low=3)
    study.within("sequential-impulse: cubes held", held(depth, counts, "sequential-impulse"), low=3)
    lines = [
        [name, held(depth, counts, name), *(text(depth[count, name]) for count in SHOWN)]
        for name in methods.METHODS
    ]
    study.table(
        "cubes", ["method", "cubes held", *(f"{count}: sunk [mm]" for count in SHOWN)], lines
    )
    study.table(
        "gains",
        [
            "step [ms]",
            "`near_rigid_ratio`",
            "springs between cubes [N/m]",
            "cubes held",
            f"stack of {STACK}: top moved [mm]",
        ],
        gains,
    )


if __name__ == "__main__":
    sys.exit(main(study, __file__))
