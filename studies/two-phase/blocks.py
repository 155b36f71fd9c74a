#!/usr/bin/env python3
"""A row of cubes between two jaws: how many of them does each method hold for ten seconds?

Coulomb's law holds a row of n cubes if 2 mu F >= n m g; with the numbers below that is n <= 16. A method that loses fewer cubes loses them by its own errors.
"""
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import _methods as methods  # noqa: E402
from support.study import main  # noqa: E402

SIDE, MASS, FRICTION, FORCE, GRAVITY = 0.028, 0.12, 0.1, 100.0, 9.81  # SI
COUNTS = (1, 2, 3, 5, 8, 11)
STEP, DURATION = 1e-3, 10.0  # [s]
HELD = 0.5e3 * SIDE  # [mm]  what has sunk farther is not held
HELD_ALL = ("two-phase", "lcp", "lagged", "similar", "anitescu")


def scene(count):
    """MJCF text: cubes in a row along x, touching; jaws on coupled sliding joints."""
    half = 0.5 * SIDE
    box = f'<geom type="box" size="{half} {half} {half}" mass="{MASS}"/>'
    cubes = "\n".join(f'    <body name="cube{k}" pos="{(k - 0.5 * (count - 1)) * SIDE:.9g} 0 0"><freejoint/>{box}</body>' for k in range(count))
    jaws = "\n".join(
        f'    <body name="{name}" pos="{sign * (count * half + 0.01):.9g} 0 0"><joint name="{name}" type="slide" axis="{-sign} 0 0"/>'
        '<geom type="box" size="0.01 0.03 0.03" mass="0.2"/></body>' for name, sign in (("left", -1), ("right", 1)))  # fmt: skip
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
    return float("inf") if result["stopped"] else max(-1e3 * result["q"][2 + 7 * k + 2] for k in range(count))


def measured(study, counts, duration):
    """{(count, method): [mm]}"""

    def one(count):
        path = study.write_scene(f"row-{count}.xml", scene(count))
        return methods.compared(methods.METHODS, path, STEP, duration, "--keyframe", "squeezed")

    with ThreadPoolExecutor(2) as pool:
        results = dict(zip(reversed(counts), pool.map(one, reversed(counts)), strict=True))  # the longest one first
    return {(count, name): sunk(results[count][name], count) for count in counts for name in methods.METHODS}


def held(depth, counts, name):
    """Largest count up to which every row is held; 0: none"""
    most = 0
    for count in counts:
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
    depth = measured(study, counts, duration)
    share = counts[-1] * MASS * GRAVITY / (2 * FRICTION * FORCE)
    study.within(f"{counts[-1]} cubes: weight over what Coulomb's law holds", share, high=1.0)
    for name in HELD_ALL:
        study.near(f"{name}: cubes held for {duration:g} s", held(depth, counts, name), counts[-1])
        study.within(f"{name}: {counts[-1]} cubes sink by", depth[counts[-1], name], high=0.5, unit="mm")
    study.near("two-phase-literal: cubes held", held(depth, counts, "two-phase-literal"), 0)
    if not study.full:
        return
    for name in ("sequential-impulse", "penalty"):
        study.near(f"{name}: cubes held for {duration:g} s", held(depth, counts, name), 0)
    rows = [[name, held(depth, counts, name), *(text(depth[count, name]) for count in counts)] for name in methods.METHODS]
    study.table("cubes", ["method", "cubes held", *(f"{count}: sunk [mm]" for count in counts)], rows)


if __name__ == "__main__":
    sys.exit(main(study, __file__))
