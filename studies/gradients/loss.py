#!/usr/bin/env python3
"""What a gradient through contact means: a loss along one parameter.

A finger is pushed with a constant force for one second and may push a disc. The loss is the squared
distance of the disc from a place 0.1 m ahead, at the end. Its gradient by the force comes from one
backward pass (`limpet optimize --gradient`), plain and with the smoothing of a plan, and from
differences of the loss itself. Kinks: the forces at which the first touch moves to another step.
"""

import csv
import json
import math
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.command import ROOT, command  # noqa: E402
from support.study import main  # noqa: E402

SCENE = ROOT / "scenes/plans/pusher.xml"
LEAST, MOST = 0.05, 2.0  # [N]
WIDTH = 1e-6  # [N]  of central differences of the loss
GAP = 0.11  # [m]  from the finger to the disc at the start
STEP = 0.01  # [s]
SPREAD = 0.1  # [N]  standard deviation of the forces over which the smoothed loss is a mean


# what the derivatives of each step are smoothed by; the loss is never
SMOOTHINGS = {
    "barrier of 0.01 J": {"kind": "barrier", "energy": 0.01, "range": 0.3, "slip_speed": 0.01},
    "mean over 20 mm, 16 samples": {"kind": "random", "samples": 16,
                                    "spread_position": 0.02, "spread_velocity": 0.05},
}  # fmt: skip


def plan_of(force, y=-0.02):
    """The plan of one force; y [m]: of the finger, away from the disc at -0.6."""
    return {
        "model": str(SCENE),
        # in line with the disc, which lies on the table with a force: at a start without one its
        # first step has a kink for every finger
        "start": {"joints": {"y": y, "disc": [0, 0, 0.03 - 1e-7, 1, 0, 0, 0]}},
        "duration": 1,
        "time_step": STEP,
        "contact_model": "similar",
        "settings": {"tolerance": 1e-11},
        "control": {"initial": [force, 0]},
        "cost": [
            {"kind": "position", "frame": "disc", "target": [0.1, 0, 0.03], "final": 1,
             "weights": [1, 0, 0]}
        ],
        "solver": {"iterations": 0},
    }  # fmt: skip


def evaluate(study, force, smoothing=None):
    """(loss, its derivative by the force [1/N], kinks) of one force."""
    plan = plan_of(force)
    if smoothing:
        plan["smoothing"] = {**smoothing, "iterations": 0}
    path, table = study.out / "plan.json", study.out / "gradient.csv"
    path.write_text(json.dumps(plan))
    words = [str(command()), "optimize", str(path), "--json", "--quiet", "--gradient", str(table)]
    words += ["--smoothed"] if smoothing else []
    told = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    slope = sum(float(row["x"]) for row in csv.DictReader(table.open()))
    return told["cost"], slope, told["gradient_kinks"]


def scan(study, count):
    """Rows (force, loss, slope, difference, kinks)."""
    rows = []
    for i in range(count):
        force = LEAST + (MOST - LEAST) * i / (count - 1)
        loss, slope, kinks = evaluate(study, force)
        low, high = (evaluate(study, force + side * WIDTH)[0] for side in (-1, 1))
        rows.append((force, loss, slope, (high - low) / (2 * WIDTH), kinks))
    return rows


def kinks(study):
    """Rows (force, loss, steps that the library flags) where the finger first touches at the very
    end of a step: its free motion is linear in the force, and touches where x + h v' is the gap."""
    path, table = study.out / "free.json", study.out / "free.csv"
    path.write_text(json.dumps(plan_of(1.0, y=-0.6)))
    words = [str(command()), "optimize", str(path), "--quiet", "--states", str(table)]
    subprocess.run(words, check=True)
    free = list(csv.DictReader(table.open()))
    forces, rows = [], []
    for now, then in zip(free, free[1:], strict=False):
        reach = float(now["q0"]) + STEP * float(then["v0"])
        if reach > 0 and LEAST < GAP / reach < MOST:
            forces.append(GAP / reach)
    for force in forces if study.full else forces[::12]:
        loss, _, flagged = evaluate(study, force)
        rows.append((force, loss, flagged))
    return rows


def check_kinks(study, marks):
    study.within("kinks, where the first touch moves to another step", len(marks), low=3)
    missed = sum(flagged == 0 for *_, flagged in marks)
    study.within("of them not flagged", missed, high=0)


def check(study, rows):
    most = max(abs(row[2]) for row in rows)
    errors = sorted(abs(row[2] - row[3]) / most for row in rows)
    median = errors[len(errors) // 2]
    study.within("adjoint from differences, median over forces", median, high=1e-5)
    still = [row for row in rows if row[0] < 0.25]
    study.within(
        "largest slope before the finger reaches the disc",
        max(abs(row[2]) for row in still),
        high=1e-9,
    )
    kinked = sum(row[4] > 0 for row in rows)
    study.within("forces at which a step touches a kink", kinked, high=len(rows) // 10)
    best = min(rows, key=lambda row: row[1])
    study.within("least loss over the largest", best[1] / max(r[1] for r in rows), high=0.05)


def slopes(study, rows, smoothing):
    """Smoothed derivatives of the loss at the forces of the rows."""
    return [evaluate(study, row[0], smoothing)[1] for row in rows]


def smoothed(rows):
    """(force, mean loss over forces that scatter by SPREAD, its slope)."""
    result = []
    for force, *_ in rows:
        weights = [math.exp(-0.5 * ((row[0] - force) / SPREAD) ** 2) for row in rows]
        total = sum(weights)
        mean = sum(w * row[1] for w, row in zip(weights, rows, strict=True)) / total
        slope = sum(w * row[2] for w, row in zip(weights, rows, strict=True)) / total
        result.append((force, mean, slope))
    return result


def check_smoothed(study, rows, barrier):
    """Where the finger does not reach the disc, the barrier still says: push."""
    short = [slope for row, slope in zip(rows, barrier, strict=True) if row[2] == 0.0]
    study.within("largest slope of the barrier where the plain one is 0", max(short), high=0.0)


def draw(study, rows, smooth, marks):
    from support import figures

    figure, axes = figures.grid(2, 1, width=6.4, height=5.6, sharex=True)
    force, soft = [row[0] for row in rows], smoothed(rows)
    axes[0].plot(force, [row[1] for row in rows], ".-", color="#1f5fa8", label="loss")
    axes[0].plot(force, [row[1] for row in soft], "--", color="#d1495b",
                 label=f"mean over ±{SPREAD:g} N")  # fmt: skip
    axes[0].plot([row[0] for row in marks], [row[1] for row in marks], "|", ms=11, mew=1.2,
                 color="#222222", label="a step touches a kink")  # fmt: skip
    for row in marks:
        axes[1].axvline(row[0], color="#bbbbbb", lw=0.5, zorder=0)
    axes[0].set(ylabel="loss [m²]")
    axes[1].plot(force, [row[2] for row in rows], ".-", color="#1f5fa8", label="adjoint")
    axes[1].plot(force, [row[3] for row in rows], "o", mfc="none", color="#888888",
                 label="difference")  # fmt: skip
    axes[1].plot(force, [row[2] for row in soft], "--", color="#d1495b", label="mean of slopes")
    for (name, values), color in zip(smooth.items(), ("#e39b2d", "#3a9d5d"), strict=True):
        axes[1].plot(force, values, "-", color=color, lw=1.0, label=name)
    least, most = min(row[2] for row in rows), max(row[2] for row in rows)
    axes[1].set(xlabel="force [N]", ylabel="slope [m²/N]",
                ylim=(1.6 * least, 1.6 * max(most, -least)))  # fmt: skip
    for axis in axes:
        axis.legend()
    study.figure("loss", figure)


def study(study):
    """The whole study."""
    rows = scan(study, 80 if study.full else 7)
    check(study, rows)
    smooth = {name: slopes(study, rows, one) for name, one in SMOOTHINGS.items()}
    check_smoothed(study, rows, smooth["barrier of 0.01 J"])
    marks = kinks(study)
    check_kinks(study, marks)
    if study.full:
        draw(study, rows, smooth, marks)


if __name__ == "__main__":
    sys.exit(main(study, __file__))
