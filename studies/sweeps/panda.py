#!/usr/bin/env python3
"""A thousand runs of the Panda that shakes a cube, over friction and grip force: how far the cube
slips in the hand, by threads, by shards, after a kill in the middle, and by Ray where the Python
that LIMPET_PYTHON names has it and limpet.

Slip is how far the cube has moved in the hand when all is at rest again. The border of what holds
follows from Coulomb's law: two pads carry m |a - g| where 2 mu f is larger, a the acceleration of
the hand.
"""

import csv
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from _by_ray import MISSING as NOT_INSTALLED  # noqa: E402
from _panda_scene import END, MASS, ROBOT, controls, scene  # noqa: E402
from support.command import ROOT, command  # noqa: E402
from support.recording import Recording  # noqa: E402
from support.study import Run, main  # noqa: E402

FRICTION, GRIP = (0.05, 1.0, 40), (1.0, 25.0, 25)  # [1], [N]  first, last, how many
STEP, GRAVITY = 2e-3, 9.81  # [s], [m/s^2]
HELD, LOST = 0.1, 20.0  # [mm]  of slip
MM = 1e3
SHARDS, SOME = 4, (0, 3)  # of so many these are made


def ranges(study):
    """Friction and grip force as LOW:HIGH:COUNT."""
    rows = (FRICTION, GRIP) if study.full else ((0.05, 1.0, 2), (1.0, 25.0, 3))
    return ["%g:%g:%d" % row for row in rows]


def words(study, out, *more):
    """Command line of the sweep."""
    friction, grip = ranges(study)
    scenes = study.out / "scenes"
    return [
        *(str(command()), "sweep", str(scenes / "panda.xml"), "--keyframe", "grasp"),
        *("--controls", str(scenes / "shake.csv"), "--time", f"{END}s", "--dt", f"{STEP}"),
        *("--param", f"pad_*.friction={friction}", "--set", f"grip={grip}"),
        *("--track", "cube@hand", "--out", str(out), *more),
    ]


def lines(path):
    return path.read_text().splitlines() if path.exists() else []


def killed_and_continued(study, out, runs):
    """A sweep that is killed at a third of its rows and started again; rows that were there."""
    process = subprocess.Popen(words(study, out, "--threads", "2"), stdout=subprocess.DEVNULL)
    while process.poll() is None and len(lines(out)) < runs // 3:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = len(lines(out)) - 1
    subprocess.run(words(study, out, "--threads", "2"), check=True)
    return kept


def by_shards(study, folder, count, some):
    """The head and the rows of the tables of some of `count` shards, in the order of runs."""
    rows = []
    for shard in some:
        out = folder / f"shard{shard}.csv"
        subprocess.run(words(study, out, "--shard", f"{shard}/{count}"), check=True)
        head, *own = lines(out)
        rows += own
    return [head, *sorted(rows, key=lambda row: int(row.split(",")[0]))]


def by_ray(study):
    """Rows of the table that limpet.sweep makes by Ray; None where that is not installed."""
    out, scenes = study.out / "ray.csv", study.out / "scenes"
    python = os.environ.get("LIMPET_PYTHON", sys.executable)
    program = Path(__file__).resolve().parent / "_by_ray.py"
    files = [str(scenes / "panda.xml"), str(scenes / "shake.csv")]
    called = [python, str(program), *files, str(END), str(STEP), *ranges(study), str(out)]
    code = subprocess.run(called, check=False).returncode
    if code == NOT_INSTALLED:
        return None
    return lines(out) if code == 0 else []


def strongest_pull(study):
    """Largest force [N] that the pads have to give a cube that is held: m |a - g|."""
    scenes = study.out / "scenes"
    options = ("--keyframe", "grasp", "--controls", scenes / "shake.csv", "--set", "grip=25")
    run = Run("held", scenes / "panda.xml", "coulomb", STEP, END, options)
    log = Recording(study.simulate([run])["held"].log)
    velocity = log.v[:, -6:-3]
    acceleration = np.diff(velocity, axis=0) / np.diff(log.time)[:, None]
    acceleration[:, 2] += GRAVITY
    return MASS * float(np.linalg.norm(acceleration, axis=1).max())


def draw(study, friction, grip, slip, pull):
    from support import figures

    figure, axes = figures.plt.subplots(figsize=(6.4, 4.0))
    shown = np.clip(slip, 1e-4, LOST)
    norm = figures.matplotlib.colors.LogNorm(1e-4, LOST)
    mesh = axes.pcolormesh(friction, grip, shown.T, norm=norm, cmap="viridis", shading="nearest")
    figure.colorbar(mesh, ax=axes, label="slip of the cube in the hand [mm]; 20: lost")
    border = pull / (2.0 * friction)
    axes.plot(friction, border, color="white", label=r"$2 \mu f = m\,|a - g|_{max}$")
    weight = MASS * GRAVITY / (2.0 * friction)
    axes.plot(friction, weight, "--", color="white", label=r"$2 \mu f = m g$")
    axes.set(xlabel="friction of the pads", ylabel="grip force of each finger [N]")
    axes.set_ylim(grip[0] - 0.5, grip[-1] + 0.5)
    axes.legend(loc="upper right", facecolor="#444444", labelcolor="white", frameon=True)
    study.figure("panda", figure)


def check_border(study, rows, pull):
    """What holds and what does not is what Coulomb's law says, but near the border."""
    wrong = 0
    for row in rows:
        holds = 2.0 * float(row["pad_*.friction"]) * float(row["grip"]) / pull
        moved = MM * float(row["cube@hand.moved"])
        wrong += (holds > 1.1 and moved > HELD) or (holds < 0.9 and moved < HELD)
    study.within("runs that hold or slip otherwise than 2 mu f says, 10 % around it", wrong, high=0)


def study(study):
    shared = Path(os.environ.get("LIMPET_SHARED", ROOT.parent / "shared")).resolve()
    if not (shared / ROBOT).exists():
        print(f"skipped: no shared data ({ROBOT})")
        return
    study.write_scene("shake.csv", controls())
    study.write_scene("panda.xml", scene(shared / ROBOT))
    for old in study.out.glob("*.csv"):
        old.unlink()
    whole, table = math.prod((FRICTION[2], GRIP[2])) if study.full else 6, study.out / "all.csv"
    begin = time.monotonic()
    kept = killed_and_continued(study, table, whole)
    seconds = time.monotonic() - begin
    rows = list(csv.DictReader(lines(table)))
    study.near("rows of the table", len(rows), whole)
    study.within("rows that were there when it was started again", kept, 1, whole - 1)
    shards, (head, *all_rows) = by_shards(study, study.out, SHARDS, SOME), lines(table)
    theirs = [head, *(row for run, row in enumerate(all_rows) if run % SHARDS in SOME)]
    study.holds("two shards of four give the same rows, character for character", shards == theirs)
    table_by_ray = by_ray(study)
    if table_by_ray is not None:
        same = table_by_ray == lines(table)
        study.holds("limpet.sweep by Ray gives the same table, character for character", same)
    study.holds("every run ended well", all(row["outcome"] == "solved" for row in rows))
    pull = strongest_pull(study)
    check_border(study, rows, pull)
    held = [MM * float(r["cube@hand.moved"]) for r in rows if float(r["cube@hand.moved"]) < 1e-4]
    lost = sum(MM * float(row["cube@hand.moved"]) > LOST for row in rows)
    study.table(
        "runs",
        [
            "runs",
            "held",
            "median slip of those [nm]",
            "lost",
            "the rest",
            "largest pull [N]",
            "[s]",
        ],
        [
            [
                *(whole, len(held), round(1e6 * float(np.median(held))), lost),
                *(whole - len(held) - lost, pull, round(seconds, 1)),
            ]
        ],
    )
    if study.full:
        friction, grip = np.linspace(*FRICTION), np.linspace(*GRIP)
        slip = np.array([MM * float(row["cube@hand.moved"]) for row in rows])
        draw(study, friction, grip, slip.reshape(len(friction), len(grip)), pull)


if __name__ == "__main__":
    sys.exit(main(study, __file__))
