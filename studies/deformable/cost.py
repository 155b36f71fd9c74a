#!/usr/bin/env python3
"""Time of a step against the number of tetrahedra, to 98,304: clamped bars of 4 n x n x n cubes,
each cut into six, that swing under their weight; linear corotated, one thread. And what linear and
quadratic elements give for their time: the tip of a cantilever over Timoshenko's, by bench_fem.

The time is that of the processor, the difference of a run with many steps and one with a single
step, the least of two. Time grows with a power of the number of tetrahedra, given between
neighbours and over all.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.command import command  # noqa: E402
from support.study import Run, main, processor_seconds  # noqa: E402

STEP = 0.01  # [s]
CUBES = (3, 4, 6, 8, 10, 12, 14, 16)  # across
QUICK = (3, 6)
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


def cantilevers():
    """Rows of `bench_fem --locking`: element, cells across, nodes, tip at nu 0.3 and 0.49 over that
    of a Timoshenko beam, step [ms]; none where it is not built."""
    bench = command().parent / "bench_fem"
    if not bench.exists():
        print("locking: skipped: bench_fem is not built")
        return []
    done = subprocess.run([bench, "--locking"], capture_output=True, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()[1:]]
    return [[row[0], int(row[1]), int(row[2]), *map(float, row[3:])] for row in rows]


def check_locking(study, rows):
    """Quadratic elements are to be nearer to the beam than linear ones that take as long."""
    best = {}
    for element in ("linear", "quadratic"):
        ours = [row for row in rows if row[0] == element]
        best[element] = max(ours, key=lambda row: row[4])
    study.within("nu 0.49: finest quadratic cantilever", best["quadratic"][4], 0.9, 1.05)
    study.within(
        "nu 0.49: tip of the quadratic one of one cell across over that of the finest linear one",
        next(row for row in rows if row[0] == "quadratic")[4] / best["linear"][4],
        low=1.0,
    )
    header = ["element", "cells across", "nodes", "ν = 0.3", "ν = 0.49", "step [ms]"]
    study.table("locking", header, rows)


def locking_picture(study, rows):
    """Tip against nodes, and its error against the time of a step."""
    from support import figures

    figure, axes = figures.plt.subplots(1, 2, figsize=(8.0, 3.2))
    for element, color in (("linear", "#d1495b"), ("quadratic", "#1f5fa8")):
        ours = [row for row in rows if row[0] == element]
        nodes, times = [row[2] for row in ours], [row[5] for row in ours]
        for nu, column, style in ((0.3, 3, "o-"), (0.49, 4, "s--")):
            tip = np.array([row[column] for row in ours])
            label = f"{element}, ν = {nu}"
            axes[0].semilogx(nodes, tip, style, color=color, label=label)
            axes[1].loglog(times, np.abs(1.0 - tip), style, color=color, label=label)
    axes[0].axhline(1.0, color="#888888", lw=0.8)
    axes[0].set(xlabel="nodes", ylabel="tip over Timoshenko's")
    axes[1].set(xlabel="step [ms]", ylabel="error of the tip")
    axes[0].legend(fontsize=7)
    study.figure("locking", figure)


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
    elements = cantilevers() if study.full else []
    if elements:
        check_locking(study, elements)
        locking_picture(study, elements)
    if study.full:
        picture(study, sizes, times, exponent)


if __name__ == "__main__":
    sys.exit(main(study, __file__))
