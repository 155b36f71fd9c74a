#!/usr/bin/env python3
"""A thousand random soft ellipsoids (E 1e4 to 1e7 Pa, nu 0 to 0.49, three elastic laws) are gripped
by two pads and lifted: no step may stay unsolved, no element be inverted at the end of a step, and
a thing comes along exactly where friction can hold it.

LIMPET_GRASPS sets another number of them.

The grip is a share of what holds the weight by Coulomb's law, 0.4 to 0.7 or 1.15 to 3.
"""

import os
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from _grasp_soft import END, LIFT, STEP, controls, draw, numbers, scene  # noqa: E402
from support.recording import Recording  # noqa: E402
from support.study import Run, main  # noqa: E402

QUICK, FULL, SEED = 20, int(os.environ.get("LIMPET_GRASPS", "1000")), 15


def outcome(grasp, result):
    """What became of a grasp: share of the lift that the thing made, inverted elements, steps that
    were not solved, largest relative change of volume."""
    log = Recording(result.log)
    height = log.read("vertex_position")[:, :, 2].mean(axis=1)
    volume = log.read("deformable/volume")[:, 0]
    outcomes = log.read("info/outcome")
    return {
        "lifted": float((height[-1] - height[0]) / LIFT),
        "inverted": int(log.read("deformable/inverted").max()),
        "unsolved": int((outcomes > 1).sum()),
        "volume": float(np.abs(volume[1:] / volume[1] - 1.0).max()),
    }


def picture(study, grasps, found):
    from support import figures

    figure, axis = figures.grid(width=5.0, height=3.2)
    share = [grasp.share for grasp in grasps]
    lifted = [row["lifted"] for row in found]
    marks = axis.scatter(
        share, lifted, c=[np.log10(grasp.young) for grasp in grasps], s=6, cmap="viridis"
    )
    axis.axvline(1.0, color="#888888", lw=0.8)
    axis.set(xlabel="grip over what holds the weight", ylabel="way of the thing over the hand's")
    figure.colorbar(marks, ax=axis, label="log10 of E [Pa]")
    study.figure("grasps", figure)


def study(study):
    draws = numbers(SEED)
    grasps = [draw(draws) for _ in range(FULL if study.full else QUICK)]
    runs = []
    for i, grasp in enumerate(grasps):
        path = study.write_scene(f"{i}.xml", scene(grasp))
        csv = study.write_scene(f"{i}.csv", controls(grasp))
        runs.append(Run(str(i), path, "coulomb", STEP, END, ("--controls", csv)))
    found = []
    for first in range(0, len(runs), 50):  # logs are read and dropped in lots
        results = study.simulate(runs[first : first + 50])
        for i, run in enumerate(runs[first : first + 50], first):
            found.append(outcome(grasps[i], results[run.name]))
            results[run.name].log.unlink()
        if study.full:
            print(f"{len(found)} of {len(runs)} grasps", flush=True)
    steps = len(found) * round(END / STEP)
    unsolved = sum(row["unsolved"] for row in found)
    study.sheet(f"steps not solved, of {steps}", unsolved, high=0, accepted=(0, 0.001 * steps))
    study.within(
        "inverted elements at the end of a step", max(row["inverted"] for row in found), high=0
    )
    pairs = list(zip(grasps, found, strict=True))
    wrong = [
        (grasp, row) for grasp, row in pairs if (row["lifted"] > 0.5) != (grasp.share > 1.0)
    ]
    study.sheet(
        "grasps that hold or slip against Coulomb's law",
        len(wrong),
        high=0,
        accepted=(0, 0.05 * len(pairs)),
    )
    held = [row["lifted"] for grasp, row in pairs if grasp.share > 1.0 and row["lifted"] > 0.5]
    slipped = [row["lifted"] for grasp, row in pairs if grasp.share < 1.0]
    study.within("way of a thing that is held, least, over the hand's", min(held), low=0.6)
    study.within("way of a thing that slips, most, over the hand's", max(slipped), high=0.3)
    for grasp, row in pairs:
        if row["unsolved"]:
            print(f"not solved: {grasp} {row}")
    for grasp, row in wrong:
        print(f"against the law: {grasp} {row}")
    if study.full:
        picture(study, grasps, found)


if __name__ == "__main__":
    sys.exit(main(study, __file__))
