#!/usr/bin/env python3
"""Time of a step against the number of tetrahedra, to 98,304: clamped bars of 4 n x n x n cubes,
each cut into six, that swing under their weight; linear corotated, one thread.

The time is that of the processor, the difference of a run with many steps and one with a single
step, the least of two. Time grows with a power of the number of tetrahedra, given between
neighbours and over all.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.study import Run, main, processor_seconds  # noqa: E402

STEP = 0.01  # [s]
CUBES = (3, 4, 6, 8, 10, 12, 14, 16)  # across
QUICK = (3, 4, 6)
REPEATS, LARGE = 2, 12  # runs of bars below 12 across; of larger ones one


def tetrahedra(n):
    return 24 * n**3


def scene(n):
    """Text of a bar."""
    return f"""<mujoco model="bar">
  <option timestep="{STEP}"/>
  <worldbody>
    <limpet:deformable name="bar" type="box" size="0.2 0.05 0.05" cells="{4 * n} {n} {n}"
      young="2.5e6" poisson="0.49" damping="0.01">
      <limpet:tie body="world" box="-1 -1 -1 -0.1999 1 1"/>
    </limpet:deformable>
  </worldbody>
</mujoco>
"""


def steps(n):
    """Enough to time, few where a step takes seconds."""
    return max(2, min(400, round(60 * (6 / n) ** 4)))


def step_time(study, path, n):
    """Processor time [ms] of a step."""
    spent = []
    for name, count in ((f"{n}-one", 1), (f"{n}-many", 1 + steps(n))):
        before = processor_seconds()
        run = Run(name, path, "coulomb", STEP, STEP * count, (), False)
        study.simulate([run])
        spent.append(processor_seconds() - before)
    return 1e3 * (spent[1] - spent[0]) / steps(n)


def picture(study, sizes, times, exponent):
    from support import figures

    figure, axis = figures.grid(width=4.6, height=3.2)
    axis.loglog(sizes, times, "o-", color="#1f5fa8")
    figures.slope_line(axis, [sizes[0], sizes[-1]], times[0], exponent)
    axis.set(xlabel="tetrahedra", ylabel="step [ms]")
    axis.legend()
    study.figure("cost", figure)


def study(study):
    cubes = CUBES if study.full else QUICK
    times, rows = [], []
    for n in cubes:
        path = study.write_scene(f"{n}.xml", scene(n))
        times.append(min(step_time(study, path, n) for _ in range(REPEATS if n < LARGE else 1)))
        rows.append([tetrahedra(n), times[-1]])
        print(f"{tetrahedra(n)} tetrahedra: {times[-1]:.4g} ms a step", flush=True)
    sizes = [tetrahedra(n) for n in cubes]
    local = np.diff(np.log(times)) / np.diff(np.log(sizes))
    exponent = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
    for row, slope in zip(rows, ["", *local], strict=True):
        row.append(slope if slope == "" else float(slope))
    study.within("exponent of the time over all sizes", exponent, 0.8, 2.6)
    study.table("cost", ["tetrahedra", "step [ms]", "exponent from the one above"], rows)
    if study.full:
        picture(study, sizes, times, exponent)


if __name__ == "__main__":
    sys.exit(main(study, __file__))
